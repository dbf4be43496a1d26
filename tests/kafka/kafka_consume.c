/* kafka_tool count, read, rate: the messages of a topic, without a group, from the first to the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "kafka/kafka_tool.h"

enum { BATCH = 4096 };

typedef struct {
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    int partitions, open; /* partitions read; those whose end has not been reached */
    bool *ended;
    int64_t seen;
    rd_kafka_message_t *batch[BATCH];
} reading;

static void reading_begin(reading *r, const char *topic, rd_kafka_conf_t *conf) {
    set(conf, "group.id", "kafka_tool"); /* librdkafka wants one; nothing is subscribed or committed */
    set(conf, "enable.auto.commit", "false");
    set(conf, "enable.auto.offset.store", "false");
    set(conf, "enable.partition.eof", "true");
    set(conf, "auto.offset.reset", "error");
    set(conf, "isolation.level", given.isolation);
    *r = (reading){.rk = client(RD_KAFKA_CONSUMER, conf)};
    int all = partitions_of(r->rk, topic);
    if (given.partition >= all) die("%s has %d partitions", topic, all);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(all);
    for (int p = 0; p < all; p++) {
        if (given.partition < 0 || given.partition == p)
            rd_kafka_topic_partition_list_add(list, topic, p)->offset = given.from;
    }
    r->partitions = all;
    r->open = list->cnt;
    r->ended = calloc((size_t)all, sizeof *r->ended);
    r->queue = rd_kafka_queue_get_consumer(r->rk);
    rd_kafka_resp_err_t error = rd_kafka_assign(r->rk, list);
    if (error || !r->ended || !r->queue) die("%s: %s", topic, rd_kafka_err2str(error));
    rd_kafka_topic_partition_list_destroy(list);
}

/* Whether the message is one, or says that a partition has come to its end. */
static bool is_message(reading *r, const rd_kafka_message_t *m) {
    switch (m->err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        if (r->ended[m->partition]) { /* more came */
            r->ended[m->partition] = false;
            r->open++;
        }
        r->seen++;
        return true;
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (!r->ended[m->partition]) {
            r->ended[m->partition] = true;
            r->open--;
        }
        return false;
    case RD_KAFKA_RESP_ERR__TRANSPORT: /* it connects again */
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        return false;
    default:
        die("%s", rd_kafka_message_errstr(m));
    }
}

/* The size of the next batch; 0: at the end of every partition, or, with --at-least, that many have been seen. The
   queue waits for a full batch or the time given, so that a longer time would delay the last messages by as much. */
static size_t next_batch(reading *r) {
    while (given.at_least ? r->seen < given.at_least : r->open > 0) {
        ssize_t size = rd_kafka_consume_batch_queue(r->queue, 10, r->batch, BATCH);
        if (size > 0) return (size_t)size;
    }
    return 0;
}

static void reading_end(reading *r) {
    rd_kafka_queue_destroy(r->queue);
    rd_kafka_consumer_close(r->rk);
    rd_kafka_destroy(r->rk);
    free(r->ended);
}

/* The number of messages; with --by-partition a line for each partition: its number, messages, tombstones. */
void count_messages(int count, char **arguments) {
    (void)count;
    reading r;
    reading_begin(&r, arguments[0], settings());
    int64_t(*counts)[2] = calloc((size_t)r.partitions, sizeof *counts);
    if (!counts) die("no memory");
    for (size_t size; (size = next_batch(&r));) {
        for (size_t i = 0; i < size; i++) {
            const rd_kafka_message_t *m = r.batch[i];
            if (is_message(&r, m)) {
                counts[m->partition][0]++;
                counts[m->partition][1] += !m->payload;
            }
            rd_kafka_message_destroy(r.batch[i]);
        }
    }
    for (int p = 0; given.by_partition && p < r.partitions; p++)
        printf("%d %" PRId64 " %" PRId64 "\n", p, counts[p][0], counts[p][1]);
    if (!given.by_partition) printf("%" PRId64 "\n", r.seen);
    free(counts);
    reading_end(&r);
}

/* Bytes outside of printable ASCII, backslashes and the bytes of `also` as escapes; no bytes at all (null) as \N. */
static void put_escaped(const void *bytes, size_t size, const char *also) {
    const unsigned char *text = bytes;
    if (!text) fputs("\\N", stdout);
    for (size_t i = 0; text && i < size; i++) {
        unsigned char c = text[i];
        static const char names[] = "nrt0\\", special[] = "\n\r\t\0\\";
        const char *found = memchr(special, c, sizeof special - 1);
        if (found) {
            printf("\\%c", names[found - special]);
        } else if (c < 0x20 || c >= 0x7f || strchr(also, c)) {
            printf("\\x%02x", c);
        } else {
            putchar(c);
        }
    }
}

static void put_headers(const rd_kafka_message_t *m) {
    rd_kafka_headers_t *headers;
    if (rd_kafka_message_headers(m, &headers)) return;
    const char *name;
    const void *value;
    size_t size;
    for (size_t i = 0; !rd_kafka_header_get_all(headers, i, &name, &value, &size); i++) {
        if (i) putchar(',');
        put_escaped(name, strlen(name), ",=");
        putchar('=');
        put_escaped(value, size, ",=");
    }
}

/* A line for each message: partition, offset, key, headers (NAME=VALUE,...), payload, with tabs between. */
void read_messages(int count, char **arguments) {
    (void)count;
    reading r;
    reading_begin(&r, arguments[0], settings());
    for (size_t size; (size = next_batch(&r));) {
        for (size_t i = 0; i < size; i++) {
            const rd_kafka_message_t *m = r.batch[i];
            if (is_message(&r, m)) {
                printf("%" PRId32 "\t%" PRId64 "\t", m->partition, m->offset);
                put_escaped(m->key, m->key_len, "");
                putchar('\t');
                put_headers(m);
                putchar('\t');
                put_escaped(m->payload, m->len, "");
                putchar('\n');
            }
            rd_kafka_message_destroy(r.batch[i]);
        }
    }
    reading_end(&r);
}

static double seconds_now(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a client can do at best that looks at no message: messages, bytes, seconds from the first message to the last,
   and seconds of CPU of this process. -X changes its settings. */
void measure_rate(int count, char **arguments) {
    (void)count;
    rd_kafka_conf_t *conf = settings();
    set(conf, "queued.min.messages", "1000000");
    set(conf, "fetch.message.max.bytes", "2097152");
    set(conf, "fetch.max.bytes", "2097152");
    set(conf, "check.crcs", "true");
    set(conf, "fetch.wait.max.ms", "10");
    reading r;
    reading_begin(&r, arguments[0], conf);
    double first = 0, last = 0;
    int64_t bytes = 0;
    for (size_t size; (size = next_batch(&r));) {
        int64_t before = r.seen;
        double now = seconds_now(CLOCK_MONOTONIC);
        for (size_t i = 0; i < size; i++) {
            if (is_message(&r, r.batch[i])) bytes += (int64_t)r.batch[i]->len;
            rd_kafka_message_destroy(r.batch[i]);
        }
        if (!before && r.seen) first = now;
        if (r.seen > before) last = seconds_now(CLOCK_MONOTONIC);
    }
    printf("messages %" PRId64 "\nbytes %" PRId64 "\nseconds %.3f\ncpu %.3f\n", r.seen, bytes, last - first,
           seconds_now(CLOCK_PROCESS_CPUTIME_ID));
    reading_end(&r);
}
