/* Answers to a topic: the answers to a batch and the offsets behind its messages are one transaction, so that each
 * message is answered exactly once. The brokers keep the offsets, under the name of the group. */
#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_call.h"
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double patience_seconds = 60, tell_seconds = 5;
enum { MOST_NAME = 4096 };

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
        if (is == ENDED) *rc = stop_status();
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

static int no_coordinator(const kafka_stream *k) {
    complain(
        "kafka: --to %s: no coordinator of transactions has answered for a minute; can the brokers make their topic "
        "__transaction_state (transaction.state.log.replication.factor, transaction.state.log.min.isr)?",
        k->settings->to);
    return FAILED;
}

int kafka_answers_open(kafka_stream *k) {
    char name[MOST_NAME];
    int rc = name_producer(k, name);
    const char *const own[][2] = {{"client.id", "sluice"}, {"linger.ms", "5"}, {"transactional.id", name}};
    if (!rc) rc = kafka_make_producer(k, own, sizeof own / sizeof *own, "--to", k->settings->to);
    if (!rc) rc = kafka_check_target(k, "--to", k->settings->to);
    if (rc) return rc;
    outcome is;
    const double began = now_seconds();
    bool told = false;
    do {
        is = judge(k, rd_kafka_init_transactions(k->producer, KAFKA_SLICE_MS), "transactions", &rc);
        const double waited = now_seconds() - began;
        if (is == SAME_AGAIN && waited > patience_seconds) return no_coordinator(k);
        if (is == SAME_AGAIN && waited > tell_seconds && !told) {
            note("kafka: --to %s: waiting for the brokers' coordinator of transactions", k->settings->to);
            told = true;
        }
    } while (is == SAME_AGAIN || is == ABORTED);
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
        const message_lines *l = &k->lines;
        const bool waits = l->done + i < l->handed;
        const waiting_message w = waits ? *message_lines_at(l, l->done + i) : (waiting_message){0};
        kafka_partition *p = waits ? k->partition[w.partition] : NULL;
        pthread_mutex_unlock(&k->lock); /* the message stays until it is done */
        if (!waits || !newline) {
            complain("kafka: --to %s: answers and messages are not as many; please report this", k->settings->to);
            *rc = FAILED;
            return ENDED;
        }
        is = send_answer(k, w.kept, at, (size_t)(newline - at), rc);
        p->answered = w.offset + 1;
        at = newline + 1;
    }
    return is;
}

typedef struct offsets_call {
    rd_kafka_t *producer;
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_consumer_group_metadata_t *group;
    rd_kafka_error_t *error;
} offsets_call;

static void call_offsets(void *context) {
    offsets_call *c = context;
    c->error = rd_kafka_send_offsets_to_transaction(c->producer, c->list, c->group, KAFKA_SLICE_MS);
}

/* librdkafka does not keep to the time that it is given: a call that takes longer than a signal may wait is left to
 * itself, and the producer with it. Returns whether it has come back. */
static bool wait_for_offsets(kafka_stream *k, offsets_call *c) {
    kafka_call *call = kafka_call_begin(call_offsets, c);
    if (!call) {
        call_offsets(c);
        return true;
    }
    bool returned;
    while (!(returned = kafka_call_wait(call, 1e-3 * KAFKA_SLICE_MS)) && !stop_signal()) continue;
    kafka_call_end(call);
    if (!returned) k->producer = NULL;
    return returned;
}

static rd_kafka_topic_partition_list_t *list_answered(kafka_stream *k) {
    pthread_mutex_lock(&k->lock);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)k->n_partitions);
    for (size_t i = 0; i < k->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, k->partition[i]->topic->name, k->partition[i]->number)->offset =
            k->partition[i]->answered;
    pthread_mutex_unlock(&k->lock);
    return list;
}

/* The offsets behind what is answered, into the transaction. */
static outcome send_offsets(kafka_stream *k, int *rc) {
    offsets_call *c = calloc(1, sizeof *c);
    outcome is = ENDED;
    if (!c) {
        *rc = out_of_memory();
        return is;
    }
    *c = (offsets_call){k->producer, list_answered(k), rd_kafka_consumer_group_metadata(k->client), NULL};
    do {
        if (!wait_for_offsets(k, c)) {
            *rc = stop_status();
            return ENDED; /* the call still needs the rest */
        }
        is = judge(k, c->error, "the offsets of a transaction", rc);
    } while (is == SAME_AGAIN);
    rd_kafka_consumer_group_metadata_destroy(c->group);
    rd_kafka_topic_partition_list_destroy(c->list);
    free(c);
    return is;
}

static outcome take_back(kafka_stream *k, int *rc) {
    outcome is;
    do is = judge(k, rd_kafka_abort_transaction(k->producer, KAFKA_SLICE_MS), "a transaction that is taken back", rc);
    while (is == SAME_AGAIN || is == ABORTED);
    return is;
}

static outcome transact(kafka_stream *k, const char *text, size_t n, uint64_t rows, int *rc) {
    outcome is = judge(k, rd_kafka_begin_transaction(k->producer), "a transaction cannot begin", rc);
    if (is == GOOD) is = send_answers(k, text, n, rows, rc);
    if (is == GOOD) is = send_offsets(k, rc);
    if (is != GOOD) return is;
    do is = judge(k, rd_kafka_commit_transaction(k->producer, KAFKA_SLICE_MS), "a transaction", rc);
    while (is == SAME_AGAIN);
    return is;
}

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    int rc = DONE;
    for (;;) {
        const outcome is = transact(k, text, n, rows, &rc);
        if (is == GOOD) break;
        if (is == ENDED && !k->producer) return rc;
        if (is == ENDED) { /* who reads need not wait until the brokers give the transaction up */
            rd_kafka_error_t *error = rd_kafka_abort_transaction(k->producer, KAFKA_SLICE_MS);
            if (error) rd_kafka_error_destroy(error);
            return rc;
        }
        if (take_back(k, &rc) != GOOD) return rc;
        if (stop_signal()) return stop_status();
    }
    kafka_messages_done(k, rows);
    return DONE;
}

int kafka_answered_offsets(kafka_stream *k, rd_kafka_topic_partition_list_t *list) {
    const double began = now_seconds();
    rd_kafka_resp_err_t code;
    int rc = DONE;
    do {
        code = rd_kafka_committed(k->client, list, KAFKA_CALL_MS);
        for (int i = 0; i < list->cnt && !code; i++) code = list->elems[i].err;
    } while (code && kafka_try_again(k, code, began, "the offsets of the group", &rc));
    return rc;
}
#else
#include "kafka/kafka.h"

int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows) {
    return (void)k, (void)text, (void)n, (void)rows, 1;
}
#endif
