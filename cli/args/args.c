/* Parses the options of a command and prints its help. */
#include "args/args.h"

#include "output/message.h"
#include "args/nearest.h"
#include "sluice.h"
#include "output/wrap.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The options that all commands have. */
static const option_info common_options[] = {
    {"threads", 0, "N", "threads to use (default: the machine's cores); results do not depend on it", 0},
    {"seed", 0, "N", "seed of all random numbers (default 1)", 0},
    {"quiet", 'q', NULL, "no progress on stderr; given twice (-qq), no warnings and notes either", 0},
    {"verbose", 'v', NULL, "results with all figures, and names in full; for a person (--json has them all)", 0},
    {"help", 'h', NULL, "print this and exit", 0},
    {"version", 'V', NULL, "print the version and exit", 0},
    {NULL, 0, NULL, NULL, 0},
};

const option_info *args_option_at(const command *c, size_t i) {
    size_t own = 0;
    while (c->options[own].name) own++;
    if (i < own) return &c->options[i];
    const option_info *common = &common_options[i - own];
    return common->name ? common : NULL;
}

const option_info *args_find_option(const command *c, const char *name, size_t length) {
    const option_info *o;
    for (size_t i = 0; (o = args_option_at(c, i)); i++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
    return NULL;
}

static const option_info *find_letter(const command *c, char letter) {
    const option_info *o;
    for (size_t i = 0; (o = args_option_at(c, i)); i++)
        if (o->letter && o->letter == letter) return o;
    return NULL;
}

/* Whether a parameter could have this value; the library checks its range. */
static int could_be_value(const sluice_param_info *p, const char *text) {
    double number;
    if (!p->choices) return sluice_parse_number(text, &number);
    for (size_t i = 0; p->choices[i]; i++)
        if (strcmp(p->choices[i], text) == 0) return 1;
    return 0;
}

static int unknown_param(const command *c, const char *name, const sluice_param_info *meant, const char *value) {
    int many = value && (strchr(value, ',') || strstr(value, ".."));
    if (many && args_find_option(c, "grid", strlen("grid")))
        return wrong_usage(c->name, "unknown option --%s; write its values as --grid %s=%s", name, meant->name, value);
    return wrong_usage(c->name, "unknown option --%s; write the parameter as -P %s=%s", name, meant->name,
                       value && could_be_value(meant, value) ? value : "VALUE");
}

/* Such as inspect, to which -m, predict's option, may be given by habit. */
static int models_are_arguments(const command *c) {
    return c->files && !*c->files[0].option && c->files[0].role == READS_MODEL;
}

static int model_without_option(const command *c, const char *option) {
    return wrong_usage(c->name, "unknown option %s; a model is an argument here: sluice %s MODEL%s", option, c->name,
                       c->max_inputs > 1 ? " MODEL" : "");
}

/* `text` is the option without its dashes, `next` the argument after it or NULL. */
static int unknown_option(const command *c, const command *const *all, const char *text, const char *next) {
    char name[64];
    size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (models_are_arguments(c) && strcmp(name, "model") == 0) return model_without_option(c, "--model");
    nearest option = nearest_start(name), param = option;
    const option_info *o;
    for (size_t i = 0; (o = args_option_at(c, i)); i++) nearest_try(&option, o->name);
    const sluice_param_info *p, *meant = NULL;
    for (size_t i = 0; c->param_at && (p = c->param_at(i)); i++)
        if (nearest_try(&param, p->name)) meant = p;
    if (meant && param.distance <= 1 && param.distance < option.distance)
        return unknown_param(c, name, meant, text[length] ? text + length + 1 : next);
    for (size_t i = 0; option.distance && all[i]; i++)
        if (args_find_option(all[i], name, strlen(name)))
            return wrong_usage(c->name, "unknown option --%s; it belongs to sluice %s", name, all[i]->name);
    if (option.word) return wrong_usage(c->name, "unknown option --%s; did you mean --%s?", name, option.word);
    return wrong_usage(c->name, "unknown option --%s", name);
}

/* "-o, --output" or "--output": how messages call an option */
static const char *spelled(const option_info *o, char text[64]) {
    if (o->letter)
        snprintf(text, 64, "-%c, --%s", o->letter, o->name);
    else
        snprintf(text, 64, "--%s", o->name);
    return text;
}

static int missing_value(const args *a, const option_info *o) {
    char text[64];
    return wrong_usage(a->command->name, "option %s needs a value: %s", spelled(o, text), o->value);
}

static int add(args *a, const option_info *o, const char *value) {
    char text[64];
    if (value && !value[0]) return missing_value(a, o); /* no option has a use for an empty value */
    if (value && !o->repeats)
        for (size_t i = 0; i < a->n_given; i++)
            if (a->given[i].option == o && strcmp(a->given[i].value, value) != 0)
                return wrong_usage(a->command->name, "option %s is given twice: '%s' and '%s'", spelled(o, text),
                                   a->given[i].value, value);
    a->given[a->n_given++] = (struct given_option){o, value};
    return DONE;
}

/* --name, --name=value, --name value */
static int parse_long(args *a, const char *text, char *const **next) {
    size_t length = strcspn(text, "=");
    const option_info *o = args_find_option(a->command, text, length);
    if (!o) return unknown_option(a->command, a->commands, text, **next);
    if (text[length] == '=') {
        if (!o->value) return wrong_usage(a->command->name, "option --%s takes no value", o->name);
        return add(a, o, text + length + 1);
    }
    if (!o->value) return add(a, o, NULL);
    if (!**next) return missing_value(a, o);
    return add(a, o, *(*next)++);
}

/* -q, -qv, -ofile, -o file */
static int parse_letters(args *a, const char *text, char *const **next) {
    for (; *text; text++) {
        const option_info *o = find_letter(a->command, *text);
        if (!o) {
            if (*text == 'm' && models_are_arguments(a->command)) return model_without_option(a->command, "-m");
            if (isprint((unsigned char)*text)) return wrong_usage(a->command->name, "unknown option -%c", *text);
            return wrong_usage(a->command->name, "unknown option");
        }
        if (o->value) {
            if (text[1]) return add(a, o, text + 1);
            if (!**next) return missing_value(a, o);
            return add(a, o, *(*next)++);
        }
        int rc = add(a, o, NULL);
        if (rc) return rc;
    }
    return DONE;
}

/* The options that all commands have, checked even where a command does not use them. */
static int read_common(args *a) {
    uint64_t threads = 0;
    int rc = args_count(a, "threads", 1, 1024, &threads);
    if (!rc) rc = args_count(a, "seed", 0, UINT64_MAX, &a->seed);
    a->threads = (unsigned)threads;
    unsigned quietness = 0;
    for (size_t i = 0; i < a->n_given; i++) quietness += strcmp(a->given[i].option->name, "quiet") == 0;
    set_quietness(quietness);
    set_verbose(args_has(a, "verbose"));
    return rc;
}

int args_parse(args *a, const command *c, const command *const *all, int argc, char *const *argv) {
    /* an argument may hold several letters, so there can be more options than arguments */
    size_t room = 1;
    for (int i = 0; i < argc; i++) room += strlen(argv[i]) + 1;
    *a = (args){.command = c, .commands = all, .seed = 1};
    a->given = calloc(room, sizeof *a->given);
    a->inputs = calloc((size_t)argc + 1, sizeof *a->inputs);
    if (!a->given || !a->inputs) return out_of_memory();

    char *const *next = argv;
    int options_ended = 0;
    while (*next) {
        const char *text = *next++;
        int rc = DONE;
        if (options_ended || text[0] != '-' || text[1] == 0)
            a->inputs[a->n_inputs++] = text;
        else if (strcmp(text, "--") == 0)
            options_ended = 1;
        else if (text[1] == '-')
            rc = parse_long(a, text + 2, &next);
        else
            rc = parse_letters(a, text + 1, &next);
        if (rc) return rc;
    }
    if (args_has(a, "help") || args_has(a, "version")) return DONE;
    if (a->n_inputs > c->max_inputs) return wrong_usage(c->name, "unexpected argument '%s'", a->inputs[c->max_inputs]);
    return read_common(a);
}

void args_free(args *a) {
    free(a->given);
    free(a->inputs);
}

static const struct given_option *find_given(const args *a, const char *option) {
    assert(args_find_option(a->command, option, strlen(option)));
    for (size_t i = 0; i < a->n_given; i++)
        if (strcmp(a->given[i].option->name, option) == 0) return &a->given[i];
    return NULL;
}

int args_knows(const args *a, const char *option) {
    return args_find_option(a->command, option, strlen(option)) != NULL;
}

int args_has(const args *a, const char *option) { return find_given(a, option) != NULL; }

const char *args_value(const args *a, const char *option) {
    const struct given_option *g = find_given(a, option);
    return g ? g->value : NULL;
}

size_t args_values(const args *a, const char *option, const char **values) {
    size_t n = 0;
    for (size_t i = 0; i < a->n_given; i++)
        if (strcmp(a->given[i].option->name, option) == 0) values[n++] = a->given[i].value;
    return n;
}

int parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    if (!isdigit((unsigned char)text[0])) return 0; /* strtoull would take "-1" and " 1" */
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*end || errno || n < min || n > max) return 0;
    *value = n;
    return 1;
}

int args_count(const args *a, const char *option, uint64_t min, uint64_t max, uint64_t *value) {
    const char *text = args_value(a, option);
    if (!text || parse_count(text, min, max, value)) return DONE;
    if (max == UINT64_MAX)
        return wrong_usage(a->command->name, "--%s %s: not a whole number from %" PRIu64, option, text, min);
    return wrong_usage(a->command->name, "--%s %s: not a whole number from %" PRIu64 " to %" PRIu64, option, text, min,
                       max);
}

int args_number(const args *a, const char *option, double *value) {
    const char *text = args_value(a, option);
    if (!text || sluice_parse_number(text, value)) return DONE;
    return wrong_usage(a->command->name, "--%s %s: not a number", option, text);
}

int args_positive(const args *a, const char *option, double max, double *value) {
    double number = 1;
    int rc = args_number(a, option, &number);
    if (rc || !args_has(a, option)) return rc;
    *value = number;
    if (number > 0 && number <= max) return DONE;
    if (isinf(max)) return wrong_usage(a->command->name, "--%s %s: not above 0", option, args_value(a, option));
    return wrong_usage(a->command->name, "--%s %s: not above 0 and up to %g", option, args_value(a, option), max);
}

int args_word(const args *a, const char *option, const char *const *words, size_t *value) {
    const char *text = args_value(a, option);
    if (!text) return DONE;
    char known[256] = "";
    size_t length = 0;
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *value = i;
            return DONE;
        }
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", words[i]);
        assert(length < sizeof known);
    }
    return wrong_usage(a->command->name, "--%s %s: it takes %s", option, text, known);
}

int args_interval(const args *a, const char *option, uint64_t *examples, uint64_t *seconds) {
    const char *text = args_value(a, option);
    *examples = *seconds = 0;
    if (!text) return DONE;
    char digits[24] = "";
    const uint64_t most_seconds = 1000000000;
    const size_t n = strlen(text), by_time = n && text[n - 1] == 's';
    if (n < sizeof digits) memcpy(digits, text, n - by_time);
    if (parse_count(digits, 1, by_time ? most_seconds : UINT64_MAX, by_time ? seconds : examples)) return DONE;
    return wrong_usage(a->command->name, "--%s %s: give examples, as in 100000, or seconds, as in 60s", option, text);
}

void args_help(const args *a) {
    enum { HELP_COLUMN = 28 };
    const command *c = a->command;
    int usage = printf("usage: sluice %s ", c->name);
    print_wrapped(stdout, c->synopsis, usage, usage);
    printf("\n%s\n\noptions:\n", c->summary);
    const option_info *o;
    for (size_t i = 0; (o = args_option_at(c, i)); i++) {
        int column = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("      --%s", o->name);
        if (o->value) column += printf(" %s", o->value);
        if (column >= HELP_COLUMN) { /* a long one has a line of its own */
            putchar('\n');
            column = 0;
        }
        print_wrapped(stdout, o->help, column, HELP_COLUMN);
    }
    if (c->notes) {
        putchar('\n');
        print_wrapped(stdout, c->notes, 0, 0);
    }
    if (c->more_help) c->more_help(a);
}
