/* Answers to a topic: the answers to a batch and the offsets behind its messages are one transaction, so that each
 * message is answered exactly once. The brokers keep the offsets, under the name of the group. */
#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "run/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_MS = 5000, MOST_NAME = 1024 };

/* The same group, topics and partitions are the same producer: one that was killed cannot come back. */
static void name_producer(const kafka_stream *k, char *name) {
    const kafka_settings *s = k->settings;
    int n = snprintf(name, MOST_NAME, "sluice-%s", s->group);
    for (size_t i = 0; i < s->n_topics && n < MOST_NAME; i++)
        n += snprintf(name + n, (size_t)(MOST_NAME - n), "-%s", s->topics[i]);
    for (size_t i = 0; i < s->n_partitions && n < MOST_NAME; i++)
        n += snprintf(name + n, (size_t)(MOST_NAME - n), "-%" PRId32, s->partitions[i]);
}

/* Says what is wrong; *again: the call may be made once more. */
static int failed(const kafka_stream *k, rd_kafka_error_t *error, const char *what, int *again) {
    *again = 0;
    if (!error) return DONE;
    *again = rd_kafka_error_is_retriable(error) && !rd_kafka_error_txn_requires_abort(error) && !stop_signal();
    if (!*again) complain("kafka: --to %s: %s: %s", k->settings->to, what, rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return *again ? DONE : FAILED;
}

int kafka_answers_open(kafka_stream *k) {
    char name[MOST_NAME];
    name_producer(k, name);
    const char *const own[][2] = {{"client.id", "sluice"}, {"linger.ms", "5"}, {"transactional.id", name}};
    int rc = kafka_make_producer(k, own, sizeof own / sizeof *own, "--to", k->settings->to), again = 1;
    while (!rc && again) rc = failed(k, rd_kafka_init_transactions(k->producer, CALL_MS), "transactions", &again);
    return rc;
}

static rd_kafka_headers_t *origin_of(const rd_kafka_message_t *m) {
    char number[32];
    rd_kafka_headers_t *headers = rd_kafka_headers_new(3);
    rd_kafka_header_add(headers, "sluice.topic", -1, rd_kafka_topic_name(m->rkt), -1);
    snprintf(number, sizeof number, "%" PRId32, m->partition);
    rd_kafka_header_add(headers, "sluice.partition", -1, number, -1);
    snprintf(number, sizeof number, "%" PRId64, m->offset);
    rd_kafka_header_add(headers, "sluice.offset", -1, number, -1);
    return headers;
}

static int send_answer(kafka_stream *k, const rd_kafka_message_t *m, const char *line, size_t n) {
    for (;;) {
        rd_kafka_headers_t *headers = origin_of(m);
        rd_kafka_resp_err_t code =
            rd_kafka_producev(k->producer, RD_KAFKA_V_TOPIC(k->settings->to), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                              RD_KAFKA_V_VALUE((void *)(uintptr_t)line, n), RD_KAFKA_V_KEY(m->key, m->key_len),
                              RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
        if (!code) return DONE;
        rd_kafka_headers_destroy(headers);
        if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            complain("kafka: --to %s: %s", k->settings->to, rd_kafka_err2str(code));
            return FAILED;
        }
        rd_kafka_poll(k->producer, 100);
    }
}

/* The offsets behind what is answered, into the transaction. */
static int send_offsets(kafka_stream *k) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)k->n_partitions);
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata(k->client);
    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, k->partition[i]->topic->name, k->partition[i]->number)->offset =
            k->partition[i]->next;
    pthread_mutex_unlock(&k->lock);
    int rc = DONE, again = 1;
    while (!rc && again)
        rc = failed(k, rd_kafka_send_offsets_to_transaction(k->producer, list, group, CALL_MS), "offsets", &again);
    rd_kafka_consumer_group_metadata_destroy(group);
    rd_kafka_topic_partition_list_destroy(list);
    return rc;
}

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    int again, rc = failed(k, rd_kafka_begin_transaction(k->producer), "a transaction cannot begin", &again);
    const char *at = text, *end = text + n;
    for (uint64_t i = 0; i < rows && !rc; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        pthread_mutex_lock(&k->lock);
        const rd_kafka_message_t *m = k->pending[(k->done + i) % k->room].message; /* stays until it is done */
        pthread_mutex_unlock(&k->lock);
        rc = send_answer(k, m, at, (size_t)(newline - at));
        at = newline + 1;
    }
    if (rc) return rc;
    kafka_messages_done(k, rows);
    rc = send_offsets(k);
    for (again = 1; !rc && again;)
        rc = failed(k, rd_kafka_commit_transaction(k->producer, -1), "a transaction cannot be committed", &again);
    return rc;
}

int kafka_answered_offsets(kafka_stream *k, const kafka_partition *p, int64_t *next) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, p->topic->name, p->number);
    rd_kafka_resp_err_t code = rd_kafka_committed(k->client, list, 6 * CALL_MS);
    if (!code) code = list->elems[0].err;
    *next = code ? -1 : list->elems[0].offset;
    rd_kafka_topic_partition_list_destroy(list);
    if (!code) return DONE;
    complain("kafka: the offsets of the group %s: %s", k->settings->group, rd_kafka_err2str(code));
    return FAILED;
}
#else
#include "kafka/kafka.h"

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    return (void)k, (void)text, (void)n, (void)rows, 1;
}
#endif
