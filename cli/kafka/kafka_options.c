/* The options of Kafka. */
#include "kafka/kafka.h"

#include "output/message.h"

#include <stdlib.h>
#include <string.h>

/* Splits a text at commas; `parts` has room for all. Returns how many there are; 0: one is empty. */
static size_t split(char *text, const char **parts) {
    size_t n = 0;
    for (char *at = text, *comma; at; at = comma) {
        comma = strchr(at, ',');
        if (comma) *comma++ = 0;
        if (!*at) return 0;
        parts[n++] = at;
    }
    return n;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int by_number(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Keeps of the n topics given those of the model: without NAME= they are of all models. */
static size_t topics_of_model(const char **given, size_t n, const char *model) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(given[i], '=');
        const size_t length = equals ? (size_t)(equals - given[i]) : 0;
        if (!equals)
            given[kept++] = given[i];
        else if (strlen(model) == length && memcmp(model, given[i], length) == 0)
            given[kept++] = equals + 1;
    }
    return kept;
}

/* `model`: whose topics; NULL: the command has one model. */
static int read_topics(const args *a, const char *model, kafka_settings *s) {
    size_t room = 1;
    const char **given = calloc(a->n_given + 1, sizeof *given);
    if (!given) return out_of_memory();
    size_t n = args_values(a, "topic", given);
    if (n && model && !(n = topics_of_model(given, n, model))) {
        free(given);
        s->brokers = NULL;
        return DONE;
    }
    for (size_t i = 0; i < n; i++) room += strlen(given[i]) + 1;
    s->text = malloc(room);
    s->topics = calloc(room, sizeof *s->topics);
    int rc = s->text && s->topics ? DONE : out_of_memory();
    char *end = s->text;
    for (size_t i = 0; i < n && !rc; i++) {
        size_t length = strlen(given[i]) + 1, more;
        memcpy(end, given[i], length);
        more = split(end, s->topics + s->n_topics);
        if (!more) rc = wrong_usage(a->command->name, "--topic %s: a topic without a name", given[i]);
        s->n_topics += more;
        end += length;
    }
    free(given);
    if (!rc && !s->n_topics) rc = wrong_usage(a->command->name, "--kafka: which topic? give it with --topic T");
    if (rc) return rc;
    qsort(s->topics, s->n_topics, sizeof *s->topics, by_text);
    for (size_t i = 1; i < s->n_topics; i++)
        if (strcmp(s->topics[i - 1], s->topics[i]) == 0)
            return wrong_usage(a->command->name, "--topic: %s is named twice", s->topics[i]);
    return DONE;
}

static int read_partitions(const args *a, kafka_settings *s) {
    const char *given = args_value(a, "partitions");
    if (!given) return DONE;
    char *text = strdup(given);
    const char **parts = calloc(strlen(given) + 1, sizeof *parts);
    s->partitions = calloc(strlen(given) + 1, sizeof *s->partitions);
    int rc = text && parts && s->partitions ? DONE : out_of_memory();
    size_t n = rc ? 0 : split(text, parts);
    if (!rc && !n) rc = wrong_usage(a->command->name, "--partitions %s: give numbers, as in 0,2", given);
    for (size_t i = 0; i < n && !rc; i++) {
        uint64_t number;
        if (parse_count(parts[i], 0, INT32_MAX, &number))
            s->partitions[s->n_partitions++] = (int32_t)number;
        else
            rc = wrong_usage(a->command->name, "--partitions %s: '%s' is no number of a partition", given, parts[i]);
    }
    if (!rc) qsort(s->partitions, s->n_partitions, sizeof *s->partitions, by_number);
    for (size_t i = 1; i < s->n_partitions && !rc; i++)
        if (s->partitions[i - 1] == s->partitions[i])
            rc = wrong_usage(a->command->name, "--partitions %s: one is named twice", given);
    free(parts);
    free(text);
    return rc;
}

/* Properties that sluice sets itself, and why. */
static const struct {
    const char *name, *why;
} own_properties[] = {
    {"bootstrap.servers", "the brokers are those of --kafka"},
    {"metadata.broker.list", "the brokers are those of --kafka"},
    {"enable.auto.commit", "the model keeps the positions; brokers are told after each save"},
    {"enable.auto.offset.store", "the model keeps the positions; brokers are told after each save"},
    {"enable.partition.eof", "sluice needs it"},
    {"transactional.id", "sluice names it by group, topics and partitions"},
};

static int read_properties(const args *a, kafka_settings *s) {
    s->properties = calloc(a->n_given + 1, sizeof *s->properties);
    if (!s->properties) return out_of_memory();
    s->n_properties = args_values(a, "property", s->properties);
    for (size_t i = 0; i < s->n_properties; i++) {
        const char *given = s->properties[i], *equals = strchr(given, '=');
        if (!equals || equals == given)
            return wrong_usage(a->command->name, "-X %s: give a property of librdkafka as NAME=VALUE", given);
        if (strncmp(given, "group.id=", 9) == 0) {
            s->group = equals + 1;
            if (!*s->group) return wrong_usage(a->command->name, "-X group.id=: give the group a name");
        }
        if (strncmp(given, "auto.offset.reset=", 18) == 0) {
            s->resets = strcmp(equals + 1, "earliest") == 0;
            if (!s->resets && strcmp(equals + 1, "error") != 0)
                return wrong_usage(a->command->name,
                                   "-X %s: give earliest, to go on where messages were deleted, or error; --from end "
                                   "begins at the end",
                                   given);
        }
        for (size_t k = 0; k < sizeof own_properties / sizeof *own_properties; k++)
            if (strlen(own_properties[k].name) == (size_t)(equals - given) &&
                memcmp(own_properties[k].name, given, (size_t)(equals - given)) == 0)
                return wrong_usage(a->command->name, "-X %s: %s", given, own_properties[k].why);
    }
    return DONE;
}

static int is_one_line(const char *text) {
    size_t quotes = 0;
    for (const char *at = text; *at; at++) quotes += *at == '"';
    return !strchr(text, '\n') && quotes % 2 == 0;
}

/* What the format needs, and what it cannot have. */
static int check_format(const args *a, const char *format, const kafka_settings *s) {
    const char *name = a->command->name;
    const int no_header = args_has(a, "no-header");
    const int csv = strcmp(format, "csv") == 0;
    if (strcmp(format, "bin") == 0) return wrong_usage(name, "-f bin: a message is a line, and bin has none");
    if (csv && !s->csv_header && !no_header)
        return wrong_usage(name,
                           "-f csv: messages have no header line; give the names of the columns with --csv-header "
                           "'label,a,b', or --no-header");
    if (s->csv_header && (!csv || no_header || !is_one_line(s->csv_header)))
        return wrong_usage(name, "--csv-header: one line, for -f csv without --no-header");
    if (s->label_header && (csv || strcmp(format, "jsonl") == 0))
        return wrong_usage(name, "--label-header is for libsvm, vw, text and url: in csv and jsonl the label is a "
                                 "column or key of the line");
    return DONE;
}

/* An option that means something with Kafka alone. */
static int check_without(const args *a) {
    static const char *const names[] = {"topic",      "property",     "partitions", "from",         "until-end",
                                        "csv-header", "label-header", "order",      "dead-letters", "to"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (args_knows(a, names[i]) && args_has(a, names[i]))
            return wrong_usage(a->command->name, "--%s is for Kafka: give the brokers with --kafka HOST:PORT",
                               names[i]);
    return DONE;
}

static int check_together(const args *a, const sluice_reader_options *reading, const kafka_settings *s) {
    if (a->n_inputs)
        return wrong_usage(a->command->name, "--kafka and %s: a run reads from Kafka or from files", a->inputs[0]);
    if (s->deterministic && !s->until_end)
        return wrong_usage(a->command->name,
                           "--order deterministic needs --until-end: a partition without an end would have no turn");
    if (s->dead_letters && !reading->skip_errors)
        return wrong_usage(a->command->name, "--dead-letters needs --on-error skip: without it the first malformed "
                                             "message ends the run");
    if (s->to && !s->group)
        return wrong_usage(a->command->name,
                           "--to %s needs -X group.id=NAME: under this name the brokers keep what has "
                           "been answered",
                           s->to);
    for (size_t i = 0; i < s->n_topics; i++)
        if ((s->dead_letters && strcmp(s->topics[i], s->dead_letters) == 0) ||
            (s->to && strcmp(s->topics[i], s->to) == 0))
            return wrong_usage(a->command->name, "--%s %s: it is one of the topics that are read",
                               s->to ? "to" : "dead-letters", s->topics[i]);
    return check_format(a, reading->format ? reading->format : "libsvm", s); /* or text or url, as the model says */
}

int kafka_options(const args *a, const sluice_reader_options *reading, kafka_settings *s) {
    return kafka_options_of_model(a, reading, NULL, s);
}

int kafka_options_of_model(const args *a, const sluice_reader_options *reading, const char *model, kafka_settings *s) {
    static const char *const places[] = {"beginning", "end", NULL}, *const orders[] = {"arrival", "deterministic",
                                                                                       NULL};
    size_t place = 0, order = 0;
    *s = (kafka_settings){.command = a->command->name, .brokers = args_value(a, "kafka")};
    if (!s->brokers) return check_without(a);
    s->until_end = args_has(a, "until-end");
    s->label_header = args_value(a, "label-header");
    s->csv_header = args_value(a, "csv-header");
    const int learns = args_knows(a, "order");
    s->dead_letters = learns ? args_value(a, "dead-letters") : NULL;
    s->to = args_knows(a, "to") ? args_value(a, "to") : NULL;
    int rc = args_word(a, "from", places, &place);
    if (!rc && learns) rc = args_word(a, "order", orders, &order);
    if (!rc && args_has(a, "from")) s->from = (int)place + 1;
    s->deterministic = order == 1;
    if (!rc) rc = read_topics(a, model, s);
    if (rc || !s->brokers) return rc;
    rc = read_partitions(a, s);
    if (!rc) rc = read_properties(a, s);
    return rc ? rc : check_together(a, reading, s);
}

void kafka_settings_free(kafka_settings *s) {
    free(s->text);
    free(s->topics);
    free(s->partitions);
    free(s->properties);
    *s = (kafka_settings){0};
}
