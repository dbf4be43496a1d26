/* Completes a command line from the tables of commands, options, learners, parameters and formats. */
#include "shell/candidates.h"

#include "sluice.h"

#include <stdio.h>
#include <string.h>

/* The word to complete: candidates begin with it. What precedes `typed` in the same word (a list's earlier elements,
 * an option and its "=") is printed before each. */
typedef struct completion {
    const char *before;
    size_t n_before;
    const char *typed;
} completion;

static void offer(const completion *to, const char *word, const char *ending, const char *what) {
    if (strncmp(word, to->typed, strlen(to->typed)) != 0) return;
    printf("%.*s%s%s\t%s\n", (int)to->n_before, to->before, word, ending, what);
}

static void offer_learners(const completion *to) {
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)); i++) offer(to, l->name, "", l->summary);
    const char *alias, *name;
    for (size_t i = 0; (alias = sluice_learner_alias(i, &name)); i++) offer(to, alias, "", name);
}

static void offer_formats(const completion *to) {
    const char *format, *what;
    for (size_t i = 0; (format = sluice_format_at(i, &what)); i++) offer(to, format, "", what);
}

static void offer_params(const completion *to, const command *c) {
    const sluice_param_info *p;
    for (size_t i = 0; c->param_at && (p = c->param_at(i)); i++) {
        int met = 0; /* several learners have a parameter of this name */
        for (size_t k = 0; k < i && !met; k++) met = strcmp(c->param_at(k)->name, p->name) == 0;
        if (!met) offer(to, p->name, "=", p->help);
    }
}

/* An option's value that is called a|b|c or "low" is one of these words; names in capitals stand for something else. */
static int is_list_of_words(const char *value) {
    return value[0] && value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-|")] == '\0';
}

static void offer_words(const completion *to, const char *words) {
    char word[64];
    for (; *words; words += *words == '|') {
        const size_t n = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        offer(to, word, "", "");
        words += n;
    }
}

static int names_a_file(const command *c, const char *option) {
    for (const file_option *f = c->files; f && f->option; f++)
        if (strcmp(f->option, option) == 0) return 1;
    return 0;
}

/* Only what follows the last comma is being typed. */
static void after_the_last_comma(completion *to) {
    const char *comma = strrchr(to->typed, ',');
    if (!comma) return;
    to->n_before += (size_t)(comma + 1 - to->typed);
    to->typed = comma + 1;
}

static void offer_values(completion to, const command *c, const option_info *o) {
    if (strncmp(o->value, "LEARNER", strlen("LEARNER")) == 0) {
        if (strchr(o->value, ',')) after_the_last_comma(&to);
        offer_learners(&to);
    } else if (strcmp(o->value, "FORMAT") == 0) {
        offer_formats(&to);
    } else if (o->letter == 'P' || strcmp(o->name, "grid") == 0) {
        offer_params(&to, c);
    } else if (is_list_of_words(o->value)) {
        offer_words(&to, o->value);
    } else if (names_a_file(c, o->name) || strstr(o->value, "FILE")) {
        puts(":files");
    }
}

static void offer_options(const completion *to, const command *c) {
    const option_info *o;
    char word[80];
    for (size_t i = 0; (o = args_option_at(c, i)); i++) {
        snprintf(word, sizeof word, "--%s", o->name);
        offer(to, word, "", o->help);
    }
}

/* The option whose value is typed next behind this word ("-a", "--learner", "-qa"), or NULL. */
static const option_info *option_before(const command *c, const char *word) {
    const option_info *o = NULL;
    if (strncmp(word, "--", 2) == 0) {
        o = args_find_option(c, word + 2, strlen(word + 2));
    } else if (word[0] == '-' && word[1]) {
        const char last = word[strlen(word) - 1];
        for (size_t i = 0; (o = args_option_at(c, i)) && o->letter != last; i++) {
        }
    }
    return o && o->value ? o : NULL;
}

static const command *find_command(const command *const *commands, const char *name) {
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0) return *commands;
    return NULL;
}

static void offer_commands(const completion *to, const command *const *commands) {
    for (; *commands; commands++) offer(to, (*commands)->name, "", (*commands)->summary);
}

/* Behind a command; the words are those after its name, the last one is being typed. */
static void complete_arguments(const command *c, const char *const *words, size_t n) {
    completion to = {.typed = words[n - 1]};
    const option_info *o = NULL;
    const char *equals = strchr(to.typed, '=');
    if (strcmp(to.typed, "=") == 0 && n >= 2) { /* bash: "--format" "=" */
        to.typed = "";
        o = option_before(c, words[n - 2]);
    } else if (n >= 3 && strcmp(words[n - 2], "=") == 0) { /* bash: "--format" "=" "v" */
        o = option_before(c, words[n - 3]);
    } else if (strncmp(to.typed, "--", 2) == 0 && equals) { /* others: "--format=v" */
        o = args_find_option(c, to.typed + 2, (size_t)(equals - to.typed) - 2);
        if (o && !o->value) return;
        to = (completion){.before = to.typed, .n_before = (size_t)(equals + 1 - to.typed), .typed = equals + 1};
    } else if (n >= 2) {
        o = option_before(c, words[n - 2]);
    }
    if (o) {
        to.before = to.n_before ? to.before : to.typed;
        offer_values(to, c, o);
    } else if (to.typed[0] == '-' && to.typed[1]) {
        offer_options(&to, c);
    } else if (strcmp(c->name, "learners") == 0) {
        offer_learners(&to);
    } else if (c->files && c->max_inputs) {
        puts(":files");
    } else if (is_list_of_words(c->synopsis)) {
        offer_words(&to, c->synopsis);
    } else {
        offer_options(&to, c);
    }
}

void print_candidates(const command *const *commands, const char *const *words, size_t n) {
    if (n == 0) return;
    const completion to = {.typed = words[n - 1]};
    const int help = n == 2 && strcmp(words[0], "help") == 0;
    if (n == 1 || help) {
        offer_commands(&to, commands);
        if (help) return;
        offer(&to, "help", "", "say more about a command");
        offer(&to, "--help", "", "list the commands");
        offer(&to, "--version", "", "print the version");
        return;
    }
    const command *c = find_command(commands, words[0]);
    if (c) complete_arguments(c, words + 1, n - 1);
}
