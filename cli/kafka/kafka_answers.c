/* Answers to a topic: the answers to a batch and the offsets behind its messages are one transaction, so that each
 * message is answered exactly once. The brokers keep the offsets, under the name of the group. */
#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_MS = 1000, MOST_NAME = 4096 };

/* The same topics, partitions and group are the same producer: one that was killed cannot come back. Topics have
 * neither a comma nor a slash, so that others have another name. */
static int name_producer(const kafka_stream *k, char *name) {
    const kafka_settings *s = k->settings;
    int n = snprintf(name, MOST_NAME, "sluice/");
    for (size_t i = 0; i < s->n_topics && n < MOST_NAME; i++)
        n += snprintf(name + n, (size_t)(MOST_NAME - n), "%s%s", i ? "," : "", s->topics[i]);
    if (n < MOST_NAME) n += snprintf(name + n, (size_t)(MOST_NAME - n), "/");
    for (size_t i = 0; i < s->n_partitions && n < MOST_NAME; i++)
        n += snprintf(name + n, (size_t)(MOST_NAME - n), "%s%" PRId32, i ? "," : "", s->partitions[i]);
    if (n < MOST_NAME) n += snprintf(name + n, (size_t)(MOST_NAME - n), "/%s", s->group);
    if (n < MOST_NAME) return DONE;
    complain("kafka: --to %s: topics, partitions and group have more than %d letters together", s->to, MOST_NAME);
    return FAILED;
}

/* How a step of a transaction came out. */
typedef enum outcome { GOOD, SAME_AGAIN, ABORTED, ENDED } outcome;

/* Says what is wrong. *rc is set where the run ends: ENDED. */
static outcome judge(const kafka_stream *k, rd_kafka_error_t *error, const char *what, int *rc) {
    outcome is = GOOD;
    if (!error) return is;
    if (rd_kafka_error_txn_requires_abort(error) && !k->never_delivered) {
        is = ABORTED;
        warning("kafka: --to %s: %s: %s; it is taken back and made again", k->settings->to, what,
                rd_kafka_error_string(error));
    } else if (rd_kafka_error_is_retriable(error)) {
        is = stop_signal() ? ENDED : SAME_AGAIN;
        *rc = stop_status();
    } else {
        is = ENDED;
        *rc = FAILED;
        if (rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR__FENCED)
            complain("kafka: --to %s: another run of these topics with -X group.id=%s has begun: this one ends",
                     k->settings->to, k->settings->group);
        else
            complain("kafka: --to %s: %s: %s", k->settings->to, what,
                     k->never_delivered ? k->delivery_error : rd_kafka_error_string(error));
    }
    rd_kafka_error_destroy(error);
    return is;
}

int kafka_answers_open(kafka_stream *k) {
    char name[MOST_NAME];
    int rc = name_producer(k, name);
    const char *const own[][2] = {{"client.id", "sluice"}, {"linger.ms", "5"}, {"transactional.id", name}};
    if (!rc) rc = kafka_make_producer(k, own, sizeof own / sizeof *own, "--to", k->settings->to);
    if (!rc) rc = kafka_check_target(k, k->settings->to);
    if (rc) return rc;
    outcome is;
    do is = judge(k, rd_kafka_init_transactions(k->producer, CALL_MS), "transactions", &rc);
    while (is == SAME_AGAIN || is == ABORTED);
    return rc;
}

static outcome send_answer(kafka_stream *k, const rd_kafka_message_t *m, const char *line, size_t n, int *rc) {
    for (;;) {
        rd_kafka_headers_t *headers = rd_kafka_headers_new(3);
        kafka_add_origin(headers, m);
        rd_kafka_resp_err_t code =
            rd_kafka_producev(k->producer, RD_KAFKA_V_TOPIC(k->settings->to), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                              RD_KAFKA_V_VALUE((void *)(uintptr_t)line, n), RD_KAFKA_V_KEY(m->key, m->key_len),
                              RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
        if (!code) return GOOD;
        rd_kafka_headers_destroy(headers);
        if (code == RD_KAFKA_RESP_ERR__STATE) return ABORTED; /* by what came in the background; aborting tells more */
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !stop_signal()) {
            rd_kafka_poll(k->producer, 100);
            continue;
        }
        *rc = code == RD_KAFKA_RESP_ERR__QUEUE_FULL ? stop_status() : FAILED;
        if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL)
            judge(k, rd_kafka_error_new(code, "%s", rd_kafka_err2str(code)), "an answer", rc);
        return ENDED;
    }
}

/* The answers to the next rows, a line each. */
static outcome send_answers(kafka_stream *k, const char *text, size_t n, uint64_t rows, int *rc) {
    const char *at = text, *end = text + n;
    outcome is = GOOD;
    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n_partitions; i++) k->partition[i]->answered = k->partition[i]->next;
    pthread_mutex_unlock(&k->lock);
    for (uint64_t i = 0; i < rows && is == GOOD; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        pthread_mutex_lock(&k->lock);
        const bool waits = k->done + i < k->handed;
        const kafka_pending p = waits ? k->pending[(k->done + i) % k->room] : (kafka_pending){0}; /* until it is done */
        pthread_mutex_unlock(&k->lock);
        if (!waits || !newline) {
            complain("kafka: --to %s: answers and messages are not as many; please report this", k->settings->to);
            *rc = FAILED;
            return ENDED;
        }
        is = send_answer(k, p.message, at, (size_t)(newline - at), rc);
        p.partition->answered = p.message->offset + 1;
        at = newline + 1;
    }
    return is;
}

/* The offsets behind what is answered, into the transaction. */
static outcome send_offsets(kafka_stream *k, int *rc) {
    pthread_mutex_lock(&k->lock);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)k->n_partitions);
    for (size_t i = 0; i < k->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, k->partition[i]->topic->name, k->partition[i]->number)->offset =
            k->partition[i]->answered;
    pthread_mutex_unlock(&k->lock);
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata(k->client);
    outcome is;
    do
        is = judge(k, rd_kafka_send_offsets_to_transaction(k->producer, list, group, CALL_MS),
                   "the offsets of a transaction", rc);
    while (is == SAME_AGAIN);
    rd_kafka_consumer_group_metadata_destroy(group);
    rd_kafka_topic_partition_list_destroy(list);
    return is;
}

static outcome take_back(kafka_stream *k, int *rc) {
    outcome is;
    do is = judge(k, rd_kafka_abort_transaction(k->producer, CALL_MS), "a transaction that is taken back", rc);
    while (is == SAME_AGAIN || is == ABORTED);
    return is;
}

static outcome transact(kafka_stream *k, const char *text, size_t n, uint64_t rows, int *rc) {
    outcome is = judge(k, rd_kafka_begin_transaction(k->producer), "a transaction cannot begin", rc);
    if (is == GOOD) is = send_answers(k, text, n, rows, rc);
    if (is == GOOD) is = send_offsets(k, rc);
    if (is != GOOD) return is;
    do is = judge(k, rd_kafka_commit_transaction(k->producer, CALL_MS), "a transaction", rc);
    while (is == SAME_AGAIN);
    return is;
}

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    int rc = DONE;
    for (;;) {
        const outcome is = transact(k, text, n, rows, &rc);
        if (is == GOOD) break;
        if (is == ENDED) { /* who reads need not wait until the brokers give the transaction up */
            rd_kafka_error_t *error = rd_kafka_abort_transaction(k->producer, CALL_MS);
            if (error) rd_kafka_error_destroy(error);
            return rc;
        }
        if (take_back(k, &rc) != GOOD) return rc;
        if (stop_signal()) return stop_status();
    }
    kafka_messages_done(k, rows);
    return DONE;
}

int kafka_answered_offsets(kafka_stream *k, const kafka_partition *p, int64_t *next) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, p->topic->name, p->number);
    const double began = now_seconds();
    rd_kafka_resp_err_t code;
    int rc = DONE;
    do {
        code = rd_kafka_committed(k->client, list, 2 * CALL_MS);
        if (!code) code = list->elems[0].err;
        *next = code ? -1 : list->elems[0].offset;
    } while (code && kafka_try_again(k, code, began, "the offsets of the group", &rc));
    rd_kafka_topic_partition_list_destroy(list);
    return rc;
}
#else
#include "kafka/kafka.h"

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    return (void)k, (void)text, (void)n, (void)rows, 1;
}
#endif
