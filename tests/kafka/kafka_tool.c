/* A Kafka client for the tests: topics, messages, transactions, committed offsets, a mock cluster. See README.md. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka/kafka_tool.h"

options given = {.partition = -1, .from = RD_KAFKA_OFFSET_BEGINNING, .isolation = "read_committed"};

static const command commands[] = {
    {"create", "TOPIC PARTITIONS [NAME=VALUE...]", 2, 99, create_topic},
    {"partitions", "TOPIC N", 2, 2, add_partitions},
    {"delete", "TOPIC", 1, 1, delete_topic},
    {"delete-records", "TOPIC PARTITION OFFSET", 3, 3, delete_records},
    {"cluster", "", 0, 0, show_cluster},
    {"ends", "TOPIC", 1, 1, show_ends},
    {"offsets", "GROUP TOPIC", 2, 2, show_offsets},
    {"produce", "TOPIC", 1, 1, produce},
    {"transactions", "TOPIC commit=N|abort=N|open=N...", 2, 9999, transactions},
    {"count", "TOPIC", 1, 1, count_messages},
    {"read", "TOPIC", 1, 1, read_messages},
    {"rate", "TOPIC", 1, 1, measure_rate},
    {"mock", "BROKERS FILE [TOPIC:PARTITIONS...]", 2, 99, mock},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

#define PRODUCE " produce transactions "
#define CONSUME " count read rate "

/* Every option names the commands that take it: one that is ignored would be a test that tests nothing. */
static const struct {
    char letter;
    const char *name, *argument, *commands;
} option_table[] = {
    {'b', "brokers", "HOST:PORT,...", NULL},
    {'X', "property", "NAME=VALUE", NULL},
    {'T', "seconds", "N", NULL},
    {'p', "partition", "N", PRODUCE CONSUME},
    {'r', "round-robin", NULL, PRODUCE},
    {'k', "key", "KEY", PRODUCE},
    {'K', "key-field", NULL, PRODUCE},
    {'H', "header", "NAME=VALUE", PRODUCE},
    {'F', "header-field", "NAME", PRODUCE},
    {'n', "null", "WORD", PRODUCE},
    {'e', "escaped", NULL, PRODUCE},
    {'z', "codec", "NAME", PRODUCE},
    {'t', "timestamp", "MS", PRODUCE},
    {'i', "id", "ID", " transactions "},
    {'I', "isolation", "LEVEL", CONSUME " ends "},
    {'f', "from", "OFFSET", CONSUME},
    {'a', "at-least", "N", CONSUME},
    {'P', "by-partition", NULL, " count "},
};
enum { OPTIONS = sizeof option_table / sizeof *option_table };

_Noreturn void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("kafka_tool: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static _Noreturn void usage(FILE *to) {
    fputs("kafka_tool -b BROKERS COMMAND [ARGUMENTS] [OPTIONS]\n", to);
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %s %s\n", commands[i].name, commands[i].arguments);
    for (int i = 0; i < OPTIONS; i++) {
        fprintf(to, "  -%c, --%s %s%s%s\n", option_table[i].letter, option_table[i].name,
                option_table[i].argument ? option_table[i].argument : "", option_table[i].commands ? " :" : "",
                option_table[i].commands ? option_table[i].commands : "");
    }
    exit(to == stdout ? 0 : 2);
}

int64_t whole_number(const char *text, int64_t least, int64_t most) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        die("%s is not a number from %" PRId64 " to %" PRId64, text, least, most);
    return value;
}

void set(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char why[300];
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK) die("%s", why);
}

rd_kafka_conf_t *settings(void) {
    if (!given.brokers) die("which broker? -b HOST:PORT");
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", given.brokers);
    set(conf, "reconnect.backoff.max.ms", "1000");
    return conf;
}

rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *conf) {
    for (int i = 0; i < given.property_count; i++) {
        char *name = strdup(given.properties[i]), *value = name ? strchr(name, '=') : NULL;
        if (!value) die("-X %s: NAME=VALUE is expected", given.properties[i]);
        *value = 0;
        set(conf, name, value + 1);
        free(name);
    }
    char why[300];
    rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof why);
    if (!rk) die("%s", why);
    return rk;
}

int partitions_of(rd_kafka_t *rk, const char *topic) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new(rk, topic, NULL);
    const struct rd_kafka_metadata *found;
    rd_kafka_resp_err_t error = rd_kafka_metadata(rk, 0, handle, &found, CALL_MS);
    if (error) die("metadata of %s: %s", topic, rd_kafka_err2str(error));
    if (found->topic_cnt != 1 || found->topics[0].err)
        die("%s: %s", topic, found->topic_cnt ? rd_kafka_err2str(found->topics[0].err) : "not in the metadata");
    int count = found->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(found);
    rd_kafka_topic_destroy(handle);
    return count;
}

static header header_of(const char *text) {
    header h = {strdup(text), NULL};
    h.value = h.name ? strchr(h.name, '=') : NULL;
    if (!h.value) die("-H %s: NAME=VALUE is expected", text);
    *h.value++ = 0;
    return h;
}

static void take_option(int letter, char *value, unsigned *seconds) {
    switch (letter) {
    case 'b':
        given.brokers = value;
        break;
    case 'X':
        if (given.property_count == MOST_PROPERTIES) die("too many -X");
        given.properties[given.property_count++] = value;
        break;
    case 'T':
        *seconds = (unsigned)whole_number(value, 0, 1000000);
        break;
    case 'p':
        given.partition = (int)whole_number(value, 0, 1000000);
        break;
    case 'r':
        given.round_robin = true;
        break;
    case 'k':
        given.key = value;
        break;
    case 'K':
        given.key_field = true;
        break;
    case 'H':
    case 'F':
        if (given.header_count == MOST_HEADERS) die("too many headers");
        given.headers[given.header_count++] = letter == 'H' ? header_of(value) : (header){value, NULL};
        break;
    case 'n':
        given.null = value;
        break;
    case 'e':
        given.escaped = true;
        break;
    case 'z':
        given.codec = value;
        break;
    case 't':
        given.timestamp = whole_number(value, 0, INT64_MAX);
        break;
    case 'i':
        given.id = value;
        break;
    case 'I':
        given.isolation = value;
        break;
    case 'f':
        given.from = whole_number(value, 0, INT64_MAX);
        break;
    case 'a':
        given.at_least = whole_number(value, 1, INT64_MAX);
        break;
    case 'P':
        given.by_partition = true;
        break;
    default:
        usage(stderr);
    }
}

static void too_late(int number) {
    (void)number;
    static const char message[] = "kafka_tool: no end within the time that -T gives\n";
    if (write(2, message, sizeof message - 1) < 0) _exit(4);
    _exit(3);
}

int main(int argc, char **argv) {
    struct option words[OPTIONS + 1];
    char letters[2 * OPTIONS + 1], *letter = letters;
    for (int i = 0; i < OPTIONS; i++) {
        words[i] =
            (struct option){option_table[i].name, option_table[i].argument != NULL, NULL, option_table[i].letter};
        *letter++ = option_table[i].letter;
        if (option_table[i].argument) *letter++ = ':';
    }
    words[OPTIONS] = (struct option){0};
    *letter = 0;
    if (argc == 2 && !strcmp(argv[1], "--help")) usage(stdout);

    bool taken[OPTIONS] = {false};
    unsigned seconds = 60;
    for (int found; (found = getopt_long(argc, argv, letters, words, NULL)) != -1;) {
        take_option(found, optarg, &seconds);
        for (int i = 0; i < OPTIONS; i++) taken[i] |= option_table[i].letter == found;
    }
    if (optind == argc) usage(stderr);
    const command *c = NULL;
    for (int i = 0; i < COMMANDS; i++) {
        if (!strcmp(argv[optind], commands[i].name)) c = &commands[i];
    }
    int count = argc - optind - 1;
    if (!c || count < c->least || count > c->most) usage(stderr);
    char padded[40];
    snprintf(padded, sizeof padded, " %s ", c->name);
    for (int i = 0; i < OPTIONS; i++) {
        if (taken[i] && option_table[i].commands && !strstr(option_table[i].commands, padded)) {
            fprintf(stderr, "kafka_tool: %s takes no --%s\n", c->name, option_table[i].name);
            return 2;
        }
    }
    signal(SIGALRM, too_late);
    if (c->run != mock) alarm(seconds); /* the mock cluster ends with its standard input */
    c->run(count, argv + optind + 1);
    if (fflush(stdout) || ferror(stdout)) die("standard output: %s", strerror(errno));
    return 0;
}
