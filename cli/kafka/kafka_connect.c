/* Connects to Kafka: the client, the topics and their partitions, and where to begin in each. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double patience_seconds = 60, topic_patience_seconds = 3;
enum { CALL_MS = 2000, PAUSE_US = 100000, MOST_TRIES = 30 };

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
        if (result != RD_KAFKA_CONF_OK) return wrong_usage(NULL, "-X %s: %s", s->properties[i], why);
    }
    return DONE;
}

/* ---- the client -------------------------------------------------------------------------------------------------- */

/* Errors that librdkafka mends by itself: they are said once. */
static void on_error(rd_kafka_t *client, int code, const char *reason, void *stream) {
    kafka_stream *k = stream;
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        char why[512];
        rd_kafka_fatal_error(client, why, sizeof why);
        kafka_fail(k, "%s", why);
    } else if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL) {
        kafka_fail(k, "%s", reason);
    } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        if (!atomic_exchange(&k->down, true)) warning("kafka: no broker answers (%s); waiting until one does", reason);
    }
}

static int make_client(kafka_stream *k) {
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
        {"fetch.message.max.bytes", "2097152"}, /* larger ones are memory that the kernel clears each time */
        /* the brokers say that a partition is at its end when they have waited this long for more */
        {"fetch.wait.max.ms", k->settings->until_end ? "10" : "100"},
    };
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char why[512];
    int rc = kafka_set_properties(k->settings, conf, own, sizeof own / sizeof *own);
    if (!rc && rd_kafka_conf_set(conf, "bootstrap.servers", k->settings->brokers, why, sizeof why) != RD_KAFKA_CONF_OK)
        rc = wrong_usage(NULL, "--kafka %s: %s", k->settings->brokers, why);
    char value[32];
    size_t n = sizeof value;
    if (!rc && rd_kafka_conf_get(conf, "topic.metadata.refresh.interval.ms", value, &n) == RD_KAFKA_CONF_OK)
        k->refresh_ms = atoi(value);
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
    k->queue = rd_kafka_queue_get_consumer(k->client);
    return DONE;
}

/* Errors that pass by themselves. */
static bool is_passing(rd_kafka_resp_err_t code) {
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
    const bool passing = is_passing(code);
    rd_kafka_poll(k->client, 0);
    if (k->failed) {
        complain("%s", k->error.message);
        *rc = FAILED;
        return 0;
    }
    if (passing && now_seconds() - began < patience_seconds) {
        usleep(PAUSE_US);
        return 1;
    }
    complain("kafka: %s: %s%s", what, rd_kafka_err2str(code), passing ? "; no broker has answered for a minute" : "");
    *rc = FAILED;
    return 0;
}

/* ---- topics and partitions ----------------------------------------------------------------------------------------
 */

/* Adds a partition to a topic; *added is the new one. */
static int add_partition(kafka_stream *k, kafka_topic *t, int32_t number, kafka_partition **added) {
    if (number >= t->n_partitions) {
        kafka_partition **larger = realloc(t->partition, ((size_t)number + 1) * sizeof(*larger));
        if (!larger) return out_of_memory();
        t->partition = larger;
        while (t->n_partitions <= number) t->partition[t->n_partitions++] = NULL;
    }
    if (k->n_partitions == k->room_partitions) {
        size_t room = k->room_partitions ? 2 * k->room_partitions : 8;
        kafka_partition **larger = realloc(k->partition, room * sizeof(*larger));
        if (!larger) return out_of_memory();
        k->partition = larger;
        k->room_partitions = room;
    }
    kafka_partition *p = calloc(1, sizeof *p);
    if (!p) return out_of_memory();
    *p = (kafka_partition){.topic = t, .number = number, .end = -1, .known.offset = -1, .last = -1, .woken = -1};
    t->partition[number] = p;
    k->partition[k->n_partitions++] = p;
    *added = p;
    return DONE;
}

/* How many partitions a topic has, by the metadata that this client gets. */
static int count_partitions(kafka_stream *k, rd_kafka_t *client, rd_kafka_topic_t *topic, int *count) {
    const char *name = rd_kafka_topic_name(topic);
    const double began = now_seconds();
    int rc = DONE;
    for (;;) {
        const struct rd_kafka_metadata *found;
        rd_kafka_resp_err_t code = rd_kafka_metadata(client, 0, topic, &found, CALL_MS);
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            code = found->topic_cnt == 1 ? found->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
            *count = code ? 0 : found->topics[0].partition_cnt;
            rd_kafka_metadata_destroy(found);
        }
        if (!code && *count) return DONE;
        if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || !code) {
            if (now_seconds() - began > topic_patience_seconds) { /* one that was just made may not be known yet */
                complain("kafka: there is no topic %s at %s", name, k->settings->brokers);
                return FAILED;
            }
            usleep(PAUSE_US);
        } else if (!kafka_try_again(k, code, began, name, &rc)) {
            return rc;
        }
    }
}

int kafka_check_target(kafka_stream *k, const char *topic) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new(k->producer, topic, NULL);
    int count, rc = FAILED;
    if (handle)
        rc = count_partitions(k, k->producer, handle, &count);
    else
        complain("kafka: topic %s: %s", topic, rd_kafka_err2str(rd_kafka_last_error()));
    if (handle) rd_kafka_topic_destroy(handle);
    return rc;
}

static int wanted(const kafka_settings *s, int32_t number) {
    if (!s->n_partitions) return 1;
    for (size_t i = 0; i < s->n_partitions; i++)
        if (s->partitions[i] == number) return 1;
    return 0;
}

static int find_partitions(kafka_stream *k, kafka_topic *t) {
    int count = 0, rc = count_partitions(k, k->client, t->handle, &count);
    kafka_partition *added;
    for (int32_t i = 0; i < count && !rc; i++)
        if (wanted(k->settings, i)) rc = add_partition(k, t, i, &added);
    for (size_t i = 0; i < k->settings->n_partitions && !rc; i++)
        if (k->settings->partitions[i] >= count) {
            complain("kafka: topic %s has the partitions 0 to %d, and --partitions asks for %d", t->name, count - 1,
                     k->settings->partitions[i]);
            rc = FAILED;
        }
    return rc;
}

static int find_topics(kafka_stream *k) {
    k->topic = calloc(k->settings->n_topics, sizeof *k->topic);
    if (!k->topic) return out_of_memory();
    int rc = DONE;
    for (size_t i = 0; i < k->settings->n_topics && !rc; i++) {
        kafka_topic *t = &k->topic[i];
        t->name = k->settings->topics[i];
        rd_kafka_topic_conf_t *conf = rd_kafka_default_topic_conf_dup(k->client);
        rd_kafka_topic_conf_set_opaque(conf, t);
        t->handle = rd_kafka_topic_new(k->client, t->name, conf);
        if (!t->handle) {
            complain("kafka: topic %s: %s", t->name, rd_kafka_err2str(rd_kafka_last_error()));
            return FAILED;
        }
        rc = find_partitions(k, t);
    }
    return rc;
}

/* ---- where to begin -----------------------------------------------------------------------------------------------
 */

/* The model's position in a partition. */
static int find_position(const kafka_stream *k, const sluice_model *model, const kafka_partition *p,
                         sluice_position *position) {
    for (size_t i = 0; model && i < sluice_model_positions(model); i++) {
        *position = (sluice_position){.size = sizeof *position};
        if (sluice_model_position(model, i, position, NULL) == SLUICE_OK && position->partition == p->number &&
            strcmp(position->topic, p->topic->name) == 0 && strcmp(position->cluster, k->cluster) == 0)
            return 1;
    }
    return 0;
}

/* A model that has learned this topic from other brokers would learn it again. */
static int check_cluster(const kafka_stream *k, const sluice_model *model) {
    sluice_position p = {.size = sizeof p};
    for (size_t i = 0; model && i < sluice_model_positions(model); i++) {
        sluice_model_position(model, i, &p, NULL);
        for (size_t t = 0; t < k->settings->n_topics; t++)
            if (strcmp(p.topic, k->settings->topics[t]) == 0 && strcmp(p.cluster, k->cluster) != 0) {
                complain(
                    "kafka: the model has learned topic %s of cluster %s, and these brokers are cluster %s; --from "
                    "beginning or --from end begins anew in this one",
                    p.topic, p.cluster, k->cluster);
                return FAILED;
            }
    }
    return DONE;
}

/* A partition that a saved position does not fit. */
static int check_position(const kafka_stream *k, const kafka_partition *p, int64_t low, int64_t high) {
    if (p->next > high) {
        complain("kafka: %s[%d]: what comes next is offset %" PRId64 ", and the partition ends at %" PRId64
                 ": the topic was made anew or cut off; --from beginning takes it from its beginning",
                 p->topic->name, p->number, p->next, high);
        return FAILED;
    }
    if (p->next >= low) return DONE;
    if (!k->settings->resets) {
        complain("kafka: %s[%d]: what comes next is offset %" PRId64 ", and the partition begins at %" PRId64
                 ": messages between were deleted before they were read; -X auto.offset.reset=earliest goes on with "
                 "those that are left",
                 p->topic->name, p->number, p->next, low);
        return FAILED;
    }
    warning("kafka: %s[%d]: offsets %" PRId64 " to %" PRId64 " were deleted before they were learned", p->topic->name,
            p->number, p->next, low - 1);
    return DONE;
}

/* The first and the last offset of a partition. */
static int ask_offsets(kafka_stream *k, const kafka_partition *p, int64_t *low, int64_t *high) {
    const double began = now_seconds();
    int rc = DONE;
    for (;;) {
        rd_kafka_resp_err_t code =
            rd_kafka_query_watermark_offsets(k->client, p->topic->name, p->number, low, high, CALL_MS);
        if (!code) return DONE;
        if (!kafka_try_again(k, code, began, p->topic->name, &rc)) return rc;
    }
}

static int place(kafka_stream *k, kafka_partition *p, const sluice_model *model) {
    int64_t low, high;
    sluice_position saved;
    const kafka_settings *s = k->settings;
    int rc = ask_offsets(k, p, &low, &high);
    if (rc) return rc;
    int has = !s->to && find_position(k, model, p, &saved);
    if (s->to) { /* the brokers keep the offsets of answers */
        saved = (sluice_position){.end = -1, .last = -1};
        if ((rc = kafka_answered_offsets(k, p, &saved.next))) return rc;
        has = saved.next >= 0;
    }
    if (has && s->from == KAFKA_FROM_POSITION) {
        p->next = saved.next;
        p->messages = saved.messages;
        p->last = saved.last, p->last_time = saved.last_time, p->last_hash = saved.last_hash;
        if ((rc = check_position(k, p, low, high))) return rc;
        if (saved.last >= low)
            p->known.offset = saved.last, p->known.time = saved.last_time, p->known.hash = saved.last_hash;
        if (s->deterministic && saved.end >= 0) p->end = saved.end;
    } else {
        p->next = s->from == KAFKA_FROM_END ? high : low;
    }
    if (p->next < low) p->next = low;
    if (p->end >= 0 && p->end < p->next) p->end = p->next; /* all before it was deleted */
    p->begin = p->next;
    if (s->until_end && p->end < 0) p->end = high > p->next ? high : p->next;
    p->expected = p->begin;
    p->ended = p->end >= 0 && p->next >= p->end && p->known.offset < 0; /* what is known is looked at all the same */
    p->high = high;
    return DONE;
}

/* The turns of a deterministic run go on where the model's positions say that it was begun; else they begin. */
static int place_all(kafka_stream *k, const sluice_model *model) {
    int rc = k->settings->from == KAFKA_FROM_POSITION ? check_cluster(k, model) : DONE;
    sluice_position saved;
    size_t begun = 0;
    for (size_t i = 0; i < k->n_partitions; i++)
        begun += find_position(k, model, k->partition[i], &saved) && saved.end >= 0;
    k->continues = k->settings->deterministic && k->settings->from == KAFKA_FROM_POSITION && begun;
    if (!rc && k->continues && begun < k->n_partitions) {
        complain("kafka: the model was saved within a run of --order deterministic over %zu of these %zu partitions; "
                 "give the same topics and partitions, or --from beginning",
                 begun, k->n_partitions);
        rc = FAILED;
    }
    for (size_t i = 0; i < k->n_partitions && !rc; i++) {
        kafka_partition *p = k->partition[i];
        rc = place(k, p, model);
        if (k->settings->deterministic && !k->continues) p->messages = 0;
        p->taken = p->messages;
    }
    return rc;
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

/* Lets the messages of partitions from number `first` on come. A message that is known is read again. */
static int assign(kafka_stream *k, size_t first) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)(k->n_partitions - first));
    for (size_t i = first; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->ended) continue;
        if (k->settings->deterministic) {
            p->queue = rd_kafka_queue_get_partition(k->client, p->topic->name, p->number);
            rd_kafka_queue_forward(p->queue, NULL);
        }
        rd_kafka_topic_partition_list_add(list, p->topic->name, p->number)->offset =
            p->known.offset >= 0 ? p->known.offset : p->begin;
    }
    rd_kafka_error_t *error = list->cnt ? rd_kafka_incremental_assign(k->client, list) : NULL;
    rd_kafka_topic_partition_list_destroy(list);
    if (!error) return DONE;
    complain("kafka: %s", rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return FAILED;
}

void kafka_look_for_partitions(kafka_stream *k) {
    const double now = now_seconds();
    if (k->refresh_ms <= 0 || k->settings->until_end || k->settings->n_partitions ||
        now - k->looked < 1e-3 * (double)k->refresh_ms)
        return;
    k->looked = now;
    const size_t before = k->n_partitions;
    for (size_t i = 0; i < k->settings->n_topics; i++) {
        kafka_topic *t = &k->topic[i];
        const struct rd_kafka_metadata *found;
        if (rd_kafka_metadata(k->client, 0, t->handle, &found, CALL_MS) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
        int count = found->topic_cnt == 1 && !found->topics[0].err ? found->topics[0].partition_cnt : 0;
        rd_kafka_metadata_destroy(found);
        kafka_partition *added;
        for (int32_t number = t->n_partitions; number < count; number++) {
            pthread_mutex_lock(&k->lock);
            int rc = add_partition(k, t, number, &added);
            pthread_mutex_unlock(&k->lock);
            if (rc) {
                kafka_fail(k, "out of memory for partition %d", number);
                return;
            }
            note("kafka: %s has a new partition, %d; it is read from its beginning", t->name, number);
        }
    }
    if (k->n_partitions > before && assign(k, before)) kafka_fail(k, "new partitions cannot be read");
}

/* A partition whose next offset is not there: messages were deleted, or the topic was made anew. Called by the thread
 * that reads. */
void kafka_find_offset(kafka_stream *k, kafka_partition *p) {
    int64_t low, high;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR__TIMED_OUT;
    for (int i = 0; i < MOST_TRIES && is_passing(code) && !stop_signal(); i++)
        code = rd_kafka_query_watermark_offsets(k->client, p->topic->name, p->number, &low, &high, CALL_MS);
    if (code) {
        kafka_fail(k, "%s[%d]: %s", p->topic->name, p->number, rd_kafka_err2str(code));
        return;
    }
    if (p->expected > high) {
        kafka_fail(k,
                   "%s[%d]: what comes next is offset %" PRId64 ", and the partition ends at %" PRId64
                   ": the topic was made anew or cut off; --from beginning takes it from its beginning",
                   p->topic->name, p->number, p->expected, high);
        return;
    }
    if (p->expected < low && !k->settings->resets) {
        kafka_fail(k,
                   "%s[%d]: what comes next is offset %" PRId64 ", and the partition begins at %" PRId64
                   ": messages between were deleted before they were read; -X auto.offset.reset=earliest goes on with "
                   "those that are left",
                   p->topic->name, p->number, p->expected, low);
        return;
    }
    if (p->expected < low) {
        warning("kafka: %s[%d]: offsets %" PRId64 " to %" PRId64 " were deleted before they were learned",
                p->topic->name, p->number, p->expected, low - 1);
        p->expected = low;
        p->known.offset = -1;
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, p->topic->name, p->number)->offset = p->expected;
    rd_kafka_error_t *error =
        rd_kafka_incremental_unassign(k->client, list); /* it has stopped; seeking does not start it */
    if (!error) error = rd_kafka_incremental_assign(k->client, list);
    if (error) kafka_fail(k, "%s[%d]: %s", p->topic->name, p->number, rd_kafka_error_string(error));
    if (error) rd_kafka_error_destroy(error);
    rd_kafka_topic_partition_list_destroy(list);
}

static int ask_cluster(kafka_stream *k) {
    const double began = now_seconds();
    int rc = DONE;
    while (!(k->cluster = rd_kafka_clusterid(k->client, CALL_MS)))
        if (!kafka_try_again(k, RD_KAFKA_RESP_ERR__TIMED_OUT, began, "the cluster's id", &rc)) return rc;
    return DONE;
}

int kafka_connect(kafka_stream *k, const sluice_model *model) {
    int rc = make_client(k);
    if (!rc) rc = find_topics(k);
    if (!rc) rc = ask_cluster(k);
    if (!rc && k->settings->to) rc = kafka_answers_open(k); /* ends what an earlier run has left open */
    if (!rc) rc = place_all(k, model);
    k->looked = now_seconds();
    return rc ? rc : assign(k, 0);
}
#endif
