/* What the producers of dead letters and of answers share. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"

#include <inttypes.h>
#include <stdio.h>

void kafka_on_log(const rd_kafka_t *client, int level, const char *facility, const char *text) {
    (void)client;
    if (level <= 2 || level >= 7) note("kafka: %s: %s", facility, text);
}

void kafka_add_origin(rd_kafka_headers_t *headers, const rd_kafka_message_t *m) {
    char number[32];
    rd_kafka_header_add(headers, "sluice.topic", -1, rd_kafka_topic_name(m->rkt), -1);
    snprintf(number, sizeof number, "%" PRId32, m->partition);
    rd_kafka_header_add(headers, "sluice.partition", -1, number, -1);
    snprintf(number, sizeof number, "%" PRId64, m->offset);
    rd_kafka_header_add(headers, "sluice.offset", -1, number, -1);
}

/* "events[2]@1234: ", where a message that was sent comes from. */
static void put_origin(const rd_kafka_message_t *sent, char *text, size_t room) {
    static const char *const names[] = {"sluice.topic", "sluice.partition", "sluice.offset"};
    rd_kafka_headers_t *headers;
    const void *value[3];
    size_t n;
    *text = 0;
    if (!sent || rd_kafka_message_headers(sent, &headers)) return;
    for (int i = 0; i < 3; i++)
        if (rd_kafka_header_get_last(headers, names[i], &value[i], &n)) return;
    snprintf(text, room, "%s[%s]@%s: ", (const char *)value[0], (const char *)value[1], (const char *)value[2]);
}

void kafka_note_undelivered(kafka_stream *k, rd_kafka_resp_err_t code, const rd_kafka_message_t *sent) {
    char origin[320];
    const bool passing = code == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT || code == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
                         code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT || code == RD_KAFKA_RESP_ERR__TRANSPORT ||
                         code == RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (!k->undelivered || (!passing && !k->never_delivered)) {
        put_origin(sent, origin, sizeof origin);
        snprintf(k->delivery_error, sizeof k->delivery_error, "%s%s%s", origin, rd_kafka_err2str(code),
                 code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ? " (max.message.bytes of the topic limits it)" : "");
    }
    k->never_delivered |= !passing;
    atomic_store(&k->undelivered, true);
}

static void on_delivery(rd_kafka_t *producer, const rd_kafka_message_t *m, void *stream) {
    kafka_stream *k = stream;
    (void)producer;
    if (!m->err) return;
    pthread_mutex_lock(&k->lock);
    kafka_note_undelivered(k, m->err, m);
    pthread_mutex_unlock(&k->lock);
}

static void on_error(rd_kafka_t *producer, int code, const char *reason, void *stream) {
    (void)producer, (void)code, (void)reason, (void)stream; /* the consumer says what is wrong with the brokers */
}

int kafka_make_producer(kafka_stream *k, const char *const (*own)[2], size_t n_own, const char *option,
                        const char *topic) {
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char why[512];
    rd_kafka_conf_set_log_cb(conf, kafka_on_log);
    rd_kafka_conf_set_opaque(conf, k);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_conf_set_error_cb(conf, on_error);
    /* the brokers limit what may be sent; librdkafka's own limit is below theirs */
    rd_kafka_conf_set(conf, "message.max.bytes", "1000000000", why, sizeof why);
    int rc = kafka_set_properties(k->settings, conf, own, n_own);
    if (!rc && rd_kafka_conf_set(conf, "bootstrap.servers", k->settings->brokers, why, sizeof why) != RD_KAFKA_CONF_OK)
        rc = wrong_usage(k->settings->command, "--kafka %s: %s", k->settings->brokers, why);
    if (!rc) k->producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (k->producer) return DONE;
    rd_kafka_conf_destroy(conf);
    if (!rc) complain("kafka: %s %s: %s", option, topic, why);
    return rc ? rc : FAILED;
}
#endif
