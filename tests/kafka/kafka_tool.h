/* What the files of kafka_tool share: the command line, failing, librdkafka's objects with their settings. */
#ifndef KAFKA_TOOL_H
#define KAFKA_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <librdkafka/rdkafka.h>

enum { MOST_HEADERS = 16, MOST_PROPERTIES = 64 };

typedef struct {
    const char *name;
    char *value; /* NULL: the next field of the line */
} header;

typedef struct {
    const char *brokers, *isolation, *codec, *key, *null, *id, *delimiter;
    header headers[MOST_HEADERS];
    const char *properties[MOST_PROPERTIES]; /* NAME=VALUE */
    int header_count, property_count, partition;
    int64_t from, at_least, timestamp;
    bool key_field, round_robin, escaped, by_partition;
} options;

extern options given;

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void set(rd_kafka_conf_t *conf, const char *name, const char *value);
rd_kafka_conf_t *settings(void);                                 /* brokers, what every client here has */
rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *conf); /* with -X, which come last */
int64_t whole_number(const char *text, int64_t least, int64_t most);
int partitions_of(rd_kafka_t *rk, const char *topic); /* dies if there is no such topic */
enum { CALL_MS = 30000 };                             /* of one call that waits for an answer */

typedef struct {
    const char *name, *arguments;
    int least, most; /* arguments */
    void (*run)(int count, char **arguments);
} command;

void create_topic(int count, char **arguments);
void add_partitions(int count, char **arguments);
void delete_topic(int count, char **arguments);
void delete_records(int count, char **arguments);
void show_cluster(int count, char **arguments);
void show_ends(int count, char **arguments);
void show_offsets(int count, char **arguments);
void produce(int count, char **arguments);
void transactions(int count, char **arguments);
void count_messages(int count, char **arguments);
void read_messages(int count, char **arguments);
void measure_rate(int count, char **arguments);
void mock(int count, char **arguments);

#endif
