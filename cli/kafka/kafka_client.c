/* The client of Kafka: its settings, and what it says of the brokers. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_call.h"
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static const double usual_patience = 60, ask_seconds = 1;
enum { PAUSE_US = 100000 };

int kafka_set_properties(const kafka_settings *s, rd_kafka_conf_t *conf, const char *const (*own)[2], size_t n_own) {
    char why[512];
    for (size_t i = 0; i < n_own; i++)
        if (rd_kafka_conf_set(conf, own[i][0], own[i][1], why, sizeof why) != RD_KAFKA_CONF_OK) {
            complain("kafka: %s=%s: %s", own[i][0], own[i][1], why);
            return FAILED;
        }
    for (size_t i = 0; i < s->n_properties; i++) {
        const char *equals = strchr(s->properties[i], '=');
        if (strncmp(s->properties[i], "auto.offset.reset=", 18) == 0) continue; /* sluice does that itself */
        char *name = strndup(s->properties[i], (size_t)(equals - s->properties[i]));
        if (!name) return out_of_memory();
        rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, name, equals + 1, why, sizeof why);
        free(name);
        if (result != RD_KAFKA_CONF_OK) {
            why[strcspn(why, "\n")] = 0;
            return wrong_usage(s->command, "-X %s: %s", s->properties[i], why);
        }
    }
    return DONE;
}

/* Errors that librdkafka mends by itself: they are said once. */
static void on_error(rd_kafka_t *client, int code, const char *reason, void *stream) {
    kafka_stream *k = stream;
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        char why[512];
        rd_kafka_fatal_error(client, why, sizeof why);
        kafka_fail(k, "%s", why);
    } else if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL) {
        kafka_fail(k, "%s", reason);
    } else if (code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__RESOLVE) {
        snprintf(k->reason, sizeof k->reason, "%s", reason); /* of one broker; "all are down" comes behind it */
    } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        if (!atomic_exchange(&k->down, true) && (k->is_open || k->settings->patience <= 0))
            warning("kafka: no broker answers (%s); waiting until one does", *k->reason ? k->reason : reason);
    }
}

void kafka_up(kafka_stream *k) {
    if (atomic_load_explicit(&k->down, memory_order_relaxed) && atomic_exchange(&k->down, false))
        note("kafka: a broker answers again");
}

/* Answers to fetches are taken from glibc's heaps, which keep their memory: where each is mapped, as cli/main.c has it
 * for arrays that large, the kernel clears and frees its pages each time, a fifth of all CPU time. */
static void keep_fetched_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

static long number_of(const rd_kafka_conf_t *conf, const char *name) {
    char value[32];
    size_t n = sizeof value;
    return rd_kafka_conf_get(conf, name, value, &n) == RD_KAFKA_CONF_OK ? atol(value) : 0;
}

/* librdkafka refuses to fetch less at once than what its producers may send, which -X message.max.bytes raises. */
static void fetch_enough(rd_kafka_conf_t *conf) {
    char value[32], why[128];
    const long largest = number_of(conf, "message.max.bytes");
    snprintf(value, sizeof value, "%ld", largest);
    if (number_of(conf, "fetch.max.bytes") < largest)
        rd_kafka_conf_set(conf, "fetch.max.bytes", value, why, sizeof why);
}

int kafka_make_client(kafka_stream *k) {
    const char *const own[][2] = {
        {"client.id", "sluice"},
        {"group.id", "sluice"}, /* none is joined; librdkafka wants a name */
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"enable.partition.eof", "true"},
        {"isolation.level", "read_committed"},
        {"auto.offset.reset", "error"},
        {"check.crcs", "true"},
        {"queued.min.messages", "1000000"},     /* the limit is queued.max.messages.kbytes */
        {"fetch.message.max.bytes", "2097152"}, /* larger answers are memory that the kernel clears each time, */
        {"fetch.max.bytes", "2097152"},         /* with several partitions too */
        /* the brokers say that a partition is at its end when they have waited this long for more */
        {"fetch.wait.max.ms", k->settings->until_end ? "10" : "100"},
    };
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char why[512];
    keep_fetched_memory();
    int rc = kafka_set_properties(k->settings, conf, own, sizeof own / sizeof *own);
    if (!rc && rd_kafka_conf_set(conf, "bootstrap.servers", k->settings->brokers, why, sizeof why) != RD_KAFKA_CONF_OK)
        rc = wrong_usage(k->settings->command, "--kafka %s: %s", k->settings->brokers, why);
    k->refresh_ms = (int)number_of(conf, "topic.metadata.refresh.interval.ms");
    fetch_enough(conf);
    if (rc) {
        rd_kafka_conf_destroy(conf);
        return rc;
    }
    rd_kafka_conf_set_opaque(conf, k);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, kafka_on_log);
    k->client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (!k->client) {
        rd_kafka_conf_destroy(conf);
        complain("kafka: %s", why);
        return FAILED;
    }
    rd_kafka_poll_set_consumer(k->client);
    k->events = rd_kafka_queue_get_consumer(k->client);
    if (!k->settings->deterministic) k->messages = rd_kafka_queue_new(k->client);
    return DONE;
}

bool kafka_passes(rd_kafka_resp_err_t code) {
    static const rd_kafka_resp_err_t codes[] = {RD_KAFKA_RESP_ERR__TRANSPORT,
                                                RD_KAFKA_RESP_ERR__TIMED_OUT,
                                                RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
                                                RD_KAFKA_RESP_ERR__WAIT_COORD,
                                                RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
                                                RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
                                                RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
                                                RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
                                                RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                                RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
                                                RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
                                                RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
                                                RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
                                                RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i]) return true;
    return false;
}

int kafka_try_again(kafka_stream *k, rd_kafka_resp_err_t code, double began, const char *what, int *rc) {
    const bool passing = kafka_passes(code);
    const double patience = k->settings->patience > 0 ? k->settings->patience : usual_patience;
    rd_kafka_poll(k->client, 0);
    if (k->failed) {
        complain("%s", k->error.message);
        *rc = FAILED;
        return 0;
    }
    if (passing && now_seconds() - began < patience) {
        usleep(PAUSE_US);
        return 1;
    }
    k->gave_up = passing && k->settings->patience > 0;
    if (!k->gave_up)
        complain("kafka: %s: %s%s", what, rd_kafka_err2str(code),
                 passing ? "; no broker has answered for a minute" : "");
    *rc = FAILED;
    return 0;
}

/* What the brokers say of all topics that are read; NULL: none answers. */
const struct rd_kafka_metadata *kafka_ask_brokers(kafka_stream *k, int wait_ms) {
    const struct rd_kafka_metadata *found;
    if (rd_kafka_metadata(k->client, 0, NULL, &found, wait_ms) != RD_KAFKA_RESP_ERR_NO_ERROR) return NULL;
    kafka_up(k);
    return found;
}

void kafka_look_for_brokers(kafka_stream *k) {
    const double now = now_seconds();
    if (!atomic_load(&k->down) || now - k->asked < ask_seconds) return;
    const struct rd_kafka_metadata *found = kafka_ask_brokers(k, KAFKA_SLICE_MS);
    if (found) rd_kafka_metadata_destroy(found);
    k->asked = now_seconds();
}

int kafka_ask_cluster(kafka_stream *k) {
    const double began = now_seconds();
    int rc = DONE;
    while (!(k->cluster = rd_kafka_clusterid(k->client, KAFKA_CALL_MS)))
        if (!kafka_try_again(k, RD_KAFKA_RESP_ERR__TIMED_OUT, began, "the cluster's id", &rc)) return rc;
    return DONE;
}

static void destroy(void *client) { rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); }

void kafka_end_client(rd_kafka_t *client, double seconds) {
    if (!client) return;
    kafka_call *call = kafka_call_begin(destroy, client);
    if (!call) {
        destroy(client);
        return;
    }
    kafka_call_wait(call, seconds);
    kafka_call_end(call);
}
#endif
