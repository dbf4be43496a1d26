/* Malformed messages go to a topic of their own, with what is wrong and where they come from. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FLUSH_MS = 200, TELL_AFTER = 10 };

int dead_letters_open(kafka_stream *k) {
    static const char *const own[][2] = {{"client.id", "sluice"},
                                         {"enable.idempotence", "true"},
                                         {"linger.ms", "20"},
                                         {"message.timeout.ms", "0"}}; /* they wait as long as brokers are away */
    int rc = kafka_make_producer(k, own, sizeof own / sizeof *own, "--dead-letters", k->settings->dead_letters);
    return rc ? rc : kafka_check_target(k, "--dead-letters", k->settings->dead_letters);
}

static rd_kafka_headers_t *headers_of(const rd_kafka_message_t *m, const char *reason, const char *error) {
    rd_kafka_headers_t *headers = NULL, *given;
    if (rd_kafka_message_headers(m, &given) == RD_KAFKA_RESP_ERR_NO_ERROR) headers = rd_kafka_headers_copy(given);
    if (!headers) headers = rd_kafka_headers_new(5);
    rd_kafka_header_add(headers, "sluice.reason", -1, reason, -1);
    rd_kafka_header_add(headers, "sluice.error", -1, error, -1);
    kafka_add_origin(headers, m);
    return headers;
}

/* Sends a copy. Where the producer has no room it waits until there is some. */
static void send_copy(kafka_stream *k, const rd_kafka_message_t *m, const char *reason, const char *error) {
    for (;;) {
        rd_kafka_headers_t *headers = headers_of(m, reason, error);
        rd_kafka_resp_err_t code = rd_kafka_producev(
            k->producer, RD_KAFKA_V_TOPIC(k->settings->dead_letters), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
            RD_KAFKA_V_VALUE(m->payload, m->len), RD_KAFKA_V_KEY(m->key, m->key_len),
            RD_KAFKA_V_TIMESTAMP(rd_kafka_message_timestamp(m, NULL)), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
        if (!code) break;
        rd_kafka_headers_destroy(headers);
        if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            kafka_note_undelivered(k, code, NULL);
            return;
        }
        if (stop_signal() || k->leaves) { /* the model is not saved past this message */
            kafka_note_undelivered(k, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, NULL);
            return;
        }
        pthread_mutex_unlock(&k->lock); /* on_delivery() takes it */
        rd_kafka_poll(k->producer, FLUSH_MS);
        pthread_mutex_lock(&k->lock);
    }
    atomic_fetch_add(&k->dead_letters, 1);
}

void dead_letters_send(void *stream, const sluice_bad_line *bad) {
    kafka_stream *k = stream;
    pthread_mutex_lock(&k->lock);
    const uint64_t number = message_lines_find(&k->lines, bad->offset);
    if (number < k->lines.handed) {
        const char *flaw = message_flaw_text(message_lines_at(&k->lines, number)->flaw);
        send_copy(k, kafka_kept(k, number), flaw ? "message" : bad->reason, flaw ? flaw : bad->message);
    }
    pthread_mutex_unlock(&k->lock);
}

/* Once a signal has come, waits a little and no longer. */
static void wait_for_delivery(kafka_stream *k) {
    double end = 0;
    for (int i = 0; rd_kafka_flush(k->producer, FLUSH_MS) == RD_KAFKA_RESP_ERR__TIMED_OUT && !k->undelivered; i++) {
        if (i == TELL_AFTER) note("kafka: --dead-letters %s: waiting for their delivery", k->settings->dead_letters);
        if (!stop_signal()) continue;
        if (end == 0) end = now_seconds() + KAFKA_STOP_SECONDS;
        if (now_seconds() < end) continue;
        pthread_mutex_lock(&k->lock);
        kafka_note_undelivered(k, RD_KAFKA_RESP_ERR__TIMED_OUT, NULL);
        pthread_mutex_unlock(&k->lock);
    }
}

kafka_letters kafka_ask_letters(kafka_stream *k, sluice_error *error) {
    if (!k->producer || !k->settings->dead_letters) return LETTERS_ARRIVED;
    rd_kafka_poll(k->producer, 0);
    if (!k->undelivered) return rd_kafka_outq_len(k->producer) ? LETTERS_UNDER_WAY : LETTERS_ARRIVED;
    *error = (sluice_error){.status = SLUICE_E_IO};
    pthread_mutex_lock(&k->lock);
    snprintf(error->message, sizeof error->message, "--dead-letters %s: %s", k->settings->dead_letters,
             k->delivery_error);
    pthread_mutex_unlock(&k->lock);
    return LETTERS_LOST;
}

void kafka_leave(kafka_stream *k) { atomic_store(&k->leaves, true); }

int dead_letters_flush(kafka_stream *k) {
    if (!k->producer || !k->settings->dead_letters) return DONE;
    wait_for_delivery(k);
    if (!k->undelivered) return DONE;
    pthread_mutex_lock(&k->lock);
    complain("kafka: --dead-letters %s: %s; the model is not saved past messages that did not get there",
             k->settings->dead_letters, k->delivery_error);
    pthread_mutex_unlock(&k->lock);
    return FAILED;
}
#endif
