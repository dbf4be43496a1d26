/* kafka_tool mock: librdkafka's mock cluster in a process of its own, with commands on standard input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "kafka/kafka_tool.h"
#include <librdkafka/rdkafka_mock.h> /* behind rdkafka.h */

enum { MOST_WORDS = 64 };

typedef struct {
    rd_kafka_mock_cluster_t *cluster;
    int brokers;
} mock_cluster;

static const struct {
    const char *name;
    int16_t key;
} requests[] = {
    {"Produce", 0},          {"Fetch", 1},
    {"ListOffsets", 2},      {"Metadata", 3},
    {"OffsetCommit", 8},     {"OffsetFetch", 9},
    {"FindCoordinator", 10}, {"JoinGroup", 11},
    {"Heartbeat", 12},       {"LeaveGroup", 13},
    {"SyncGroup", 14},       {"ApiVersions", 18},
    {"InitProducerId", 22},  {"AddPartitionsToTxn", 24},
    {"AddOffsetsToTxn", 25}, {"EndTxn", 26},
    {"TxnOffsetCommit", 28},
};

static bool request_key(const char *name, int16_t *key) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (!strcasecmp(requests[i].name, name)) {
            *key = requests[i].key;
            return true;
        }
    }
    return false;
}

/* A name as in enum rd_kafka_resp_err_t without RD_KAFKA_RESP_ERR_, such as NOT_LEADER_FOR_PARTITION or _TRANSPORT,
   which closes the connection. */
static bool error_code(const char *name, rd_kafka_resp_err_t *code) {
    const struct rd_kafka_err_desc *all;
    size_t count;
    rd_kafka_get_err_descs(&all, &count);
    for (size_t i = 0; i < count; i++) {
        if (all[i].name && !strcasecmp(all[i].name, name)) {
            *code = all[i].code;
            return true;
        }
    }
    return false;
}

static bool number(const char *text, int least, int *value) {
    char *end;
    long found = strtol(text, &end, 10);
    *value = (int)found;
    return end != text && !*end && found >= least && found < 1000000;
}

static const char *result(rd_kafka_resp_err_t error) { return error ? rd_kafka_err2str(error) : NULL; }

static const char *set_rtt(const mock_cluster *m, int first, int last, int ms) {
    for (int b = first; b <= last; b++) {
        rd_kafka_resp_err_t error = rd_kafka_mock_broker_set_rtt(m->cluster, b, ms);
        if (error) return rd_kafka_err2str(error);
    }
    return NULL;
}

static const char *push_errors(const mock_cluster *m, int count, char **words) {
    int16_t key;
    rd_kafka_resp_err_t codes[MOST_WORDS];
    if (!request_key(words[0], &key)) return "no such request";
    for (int i = 1; i < count; i++) {
        if (!error_code(words[i], &codes[i - 1])) return "no such error";
    }
    rd_kafka_mock_push_request_errors_array(m->cluster, key, (size_t)(count - 1), codes);
    return NULL;
}

/* NULL, or what is wrong. */
static const char *obey(const mock_cluster *m, int count, char **words) {
    int a, b;
    const char *word = words[0];
    if (!strcmp(word, "down") && count == 2 && number(words[1], 1, &a))
        return result(rd_kafka_mock_broker_set_down(m->cluster, a));
    if (!strcmp(word, "up") && count == 2 && number(words[1], 1, &a))
        return result(rd_kafka_mock_broker_set_up(m->cluster, a));
    if (!strcmp(word, "rtt") && count == 2 && number(words[1], 0, &a)) return set_rtt(m, 1, m->brokers, a);
    if (!strcmp(word, "rtt") && count == 3 && number(words[1], 0, &a) && number(words[2], 1, &b))
        return set_rtt(m, b, b, a);
    if (!strcmp(word, "leader") && count == 4 && number(words[2], 0, &a) && number(words[3], -1, &b))
        return result(rd_kafka_mock_partition_set_leader(m->cluster, words[1], a, b));
    if (!strcmp(word, "coordinator") && count == 3 && number(words[2], 1, &a))
        return result(rd_kafka_mock_coordinator_set(m->cluster, "group", words[1], a));
    if (!strcmp(word, "create") && count == 3 && number(words[2], 1, &a))
        return result(rd_kafka_mock_topic_create(m->cluster, words[1], a, m->brokers));
    if (!strcmp(word, "topic-error") && count == 3) {
        rd_kafka_resp_err_t code;
        if (!error_code(words[2], &code)) return "no such error";
        rd_kafka_mock_topic_set_error(m->cluster, words[1], code);
        return NULL;
    }
    if (!strcmp(word, "error") && count >= 3) return push_errors(m, count - 1, words + 1);
    if (!strcmp(word, "clear") && count == 2) {
        int16_t key;
        if (!request_key(words[1], &key)) return "no such request";
        rd_kafka_mock_clear_request_errors(m->cluster, key);
        return NULL;
    }
    return "not a command: down BROKER, up BROKER, rtt MS [BROKER], leader TOPIC PARTITION BROKER, coordinator GROUP "
           "BROKER, "
           "create TOPIC PARTITIONS, topic-error TOPIC ERROR, error REQUEST ERROR..., clear REQUEST, quit";
}

static int split(char *line, char **words) {
    int count = 0;
    char *rest;
    for (char *word = strtok_r(line, " \n", &rest); word && count < MOST_WORDS; word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    return count;
}

/* The address appears in the file complete, or not at all. */
static void write_address(const char *path, const char *address) {
    char *unfinished = malloc(strlen(path) + 5);
    if (!unfinished) die("no memory");
    strcpy(unfinished, path);
    strcat(unfinished, ".tmp");
    FILE *f = fopen(unfinished, "w");
    if (!f || fprintf(f, "%s\n", address) < 0 || fclose(f) || rename(unfinished, path))
        die("%s: %s", path, strerror(errno));
    free(unfinished);
}

/* Every command is answered with a line: `ok`, or `error: ` and what is wrong. Ends with standard input. */
void mock(int count, char **arguments) {
    char why[300], *line = NULL, *words[MOST_WORDS];
    size_t room = 0;
    mock_cluster m = {.brokers = (int)whole_number(arguments[0], 1, 20)};
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "log_level", "4"); /* that it has no broker to connect to is no news */
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (!rk) die("%s", why);
    m.cluster = rd_kafka_mock_cluster_new(rk, m.brokers);
    if (!m.cluster) die("no mock cluster");
    for (int i = 2; i < count; i++) {
        char *colon = strrchr(arguments[i], ':');
        if (!colon) die("%s: TOPIC:PARTITIONS is expected", arguments[i]);
        *colon++ = 0;
        rd_kafka_resp_err_t error =
            rd_kafka_mock_topic_create(m.cluster, arguments[i], (int)whole_number(colon, 1, 1000), m.brokers);
        if (error) die("%s: %s", arguments[i], rd_kafka_err2str(error));
    }
    const char *address = rd_kafka_mock_cluster_bootstraps(m.cluster);
    write_address(arguments[1], address);
    printf("%s\n", address);
    fflush(stdout);
    while (getline(&line, &room, stdin) >= 0) {
        int found = split(line, words);
        if (!found) continue;
        if (!strcmp(words[0], "quit")) break;
        const char *wrong = obey(&m, found, words);
        printf("%s%s\n", wrong ? "error: " : "ok", wrong ? wrong : "");
        fflush(stdout);
    }
    free(line);
    rd_kafka_mock_cluster_destroy(m.cluster);
    rd_kafka_destroy(rk);
}
