/* Connects to Kafka: the topics and their partitions, and where to begin in each. */
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

static const double topic_patience_seconds = 3, offset_patience_seconds = 60;
enum { PAUSE_US = 100000, MOST_WHY = 512 };

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
    *p = (kafka_partition){.topic = t, .number = number, .end = -1, .known.offset = -1, .last.offset = -1, .woken = -1};
    t->partition[number] = p;
    p->index = (uint32_t)k->n_partitions;
    k->partition[k->n_partitions++] = p;
    *added = p;
    return DONE;
}

/* How many partitions a topic has, by the metadata that this client gets. `option`: that names it; NULL: it is read. */
static int count_partitions(kafka_stream *k, rd_kafka_t *client, rd_kafka_topic_t *topic, const char *option,
                            int *count) {
    const char *name = rd_kafka_topic_name(topic);
    const double began = now_seconds();
    int rc = DONE;
    for (;;) {
        const struct rd_kafka_metadata *found;
        rd_kafka_resp_err_t code = rd_kafka_metadata(client, 0, topic, &found, KAFKA_CALL_MS);
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            code = found->topic_cnt == 1 ? found->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
            *count = code ? 0 : found->topics[0].partition_cnt;
            rd_kafka_metadata_destroy(found);
        }
        if (!code && *count) return DONE;
        if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || !code) {
            if (now_seconds() - began > topic_patience_seconds) { /* one that was just made may not be known yet */
                if (option)
                    complain("kafka: %s %s: there is no such topic at %s; create it", option, name,
                             k->settings->brokers);
                else
                    complain("kafka: there is no topic %s at %s", name, k->settings->brokers);
                return FAILED;
            }
            usleep(PAUSE_US);
        } else if (!kafka_try_again(k, code, began, name, &rc)) {
            return rc;
        }
    }
}

int kafka_check_target(kafka_stream *k, const char *option, const char *topic) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new(k->producer, topic, NULL);
    int count, rc = FAILED;
    if (handle)
        rc = count_partitions(k, k->producer, handle, option, &count);
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
    int count = 0, rc = count_partitions(k, k->client, t->handle, NULL, &count);
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

/* Whether a partition that has messages from `low` to before `high` can be gone on with at `next`; if not, why. Warns
 * where messages between are left out. */
static bool has_offset(const kafka_stream *k, const kafka_partition *p, int64_t next, int64_t low, int64_t high,
                       char *why) {
    const char *topic = p->topic->name;
    if (next > high) {
        snprintf(why, MOST_WHY,
                 "%s[%d]: what comes next is offset %" PRId64 ", and the partition ends at %" PRId64
                 ": the topic was made anew or cut off; --from beginning takes it from its beginning",
                 topic, p->number, next, high);
    } else if (next >= low) {
        return true;
    } else if (k->settings->resets) {
        warning("kafka: %s[%d]: offsets %" PRId64 " to %" PRId64 " were deleted before they were learned", topic,
                p->number, next, low - 1);
        return true;
    } else {
        snprintf(why, MOST_WHY,
                 "%s[%d]: what comes next is offset %" PRId64 ", and the partition begins at %" PRId64
                 ": messages between were deleted before they were read; -X auto.offset.reset=earliest goes on with "
                 "those that are left",
                 topic, p->number, next, low);
    }
    return false;
}

static rd_kafka_topic_partition_list_t *list_partitions(const kafka_stream *k) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)k->n_partitions);
    for (size_t i = 0; i < k->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, k->partition[i]->topic->name, k->partition[i]->number);
    return list;
}

/* The first offset of each partition or, with RD_KAFKA_OFFSET_END, the one behind its last message: a request to each
 * broker, whatever the number of partitions. */
static int ask_offsets(kafka_stream *k, int64_t which, rd_kafka_topic_partition_list_t *list) {
    const double began = now_seconds();
    int rc = DONE;
    for (;;) {
        for (int i = 0; i < list->cnt; i++) list->elems[i].offset = which;
        rd_kafka_resp_err_t code = rd_kafka_offsets_for_times(k->client, list, KAFKA_CALL_MS);
        const char *name = list->elems[0].topic;
        for (int i = 0; i < list->cnt && !code; i++) {
            code = list->elems[i].offset < 0 && !list->elems[i].err ? RD_KAFKA_RESP_ERR__TIMED_OUT : list->elems[i].err;
            name = list->elems[i].topic;
        }
        if (!code) return DONE;
        if (!kafka_try_again(k, code, began, name, &rc)) return rc;
    }
}

/* What the brokers know of a partition. */
typedef struct limits {
    int64_t low, high; /* its first offset, and that behind its last message */
    int64_t answered;  /* that behind what was answered; -1: nothing was */
} limits;

static int place(kafka_stream *k, kafka_partition *p, const sluice_model *model, const limits *of) {
    sluice_position saved;
    const kafka_settings *s = k->settings;
    int has = !s->to && find_position(k, model, p, &saved);
    char why[MOST_WHY];
    if (s->to) { /* the brokers keep the offsets of answers */
        saved = (sluice_position){.end = -1, .last = -1, .next = of->answered};
        has = saved.next >= 0;
    }
    if (has && s->from == KAFKA_FROM_POSITION) {
        p->next = saved.next;
        p->messages = saved.messages;
        p->last = (message_mark){saved.last, saved.last_time, saved.last_hash};
        if (!has_offset(k, p, p->next, of->low, of->high, why)) {
            complain("kafka: %s", why);
            return FAILED;
        }
        if (saved.last >= of->low) p->known = p->last;
        if (s->deterministic && saved.end >= 0) p->end = saved.end;
    } else {
        p->next = s->from == KAFKA_FROM_END ? of->high : of->low;
    }
    if (p->next < of->low) p->next = of->low;
    if (p->end >= 0 && p->end < p->next) p->end = p->next; /* all before it was deleted */
    p->begin = p->next;
    if (s->until_end && p->end < 0) p->end = of->high > p->next ? of->high : p->next;
    p->expected = p->begin;
    p->ended = p->end >= 0 && p->next >= p->end && p->known.offset < 0; /* what is known is looked at all the same */
    p->high = of->high;
    return DONE;
}

/* Asks the brokers about all partitions, and places them. */
static int ask_and_place(kafka_stream *k, const sluice_model *model) {
    rd_kafka_topic_partition_list_t *low = list_partitions(k), *high = list_partitions(k),
                                    *answered = list_partitions(k);
    int rc = ask_offsets(k, RD_KAFKA_OFFSET_BEGINNING, low);
    if (!rc) rc = ask_offsets(k, RD_KAFKA_OFFSET_END, high);
    if (!rc && k->settings->to) rc = kafka_answered_offsets(k, answered);
    for (size_t i = 0; i < k->n_partitions && !rc; i++) {
        kafka_partition *p = k->partition[i];
        rc = place(k, p, model, &(limits){low->elems[i].offset, high->elems[i].offset, answered->elems[i].offset});
        if (k->settings->deterministic && !k->continues) p->messages = 0;
        p->taken = p->messages;
    }
    rd_kafka_topic_partition_list_destroy(low);
    rd_kafka_topic_partition_list_destroy(high);
    rd_kafka_topic_partition_list_destroy(answered);
    return rc;
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
    return rc ? rc : ask_and_place(k, model);
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

/* Lets the messages of partitions from number `first` on come. A message that is known is read again. */
static int assign(kafka_stream *k, size_t first) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)(k->n_partitions - first));
    for (size_t i = first; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->ended) continue;
        p->queue = rd_kafka_queue_get_partition(k->client, p->topic->name, p->number);
        rd_kafka_queue_forward(p->queue, k->messages);
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

void kafka_pause(kafka_stream *k) {
    rd_kafka_topic_partition_list_t *list = list_partitions(k);
    rd_kafka_pause_partitions(k->client, list); /* not those that are not assigned, since they have ended */
    rd_kafka_topic_partition_list_destroy(list);
}

/* Adds the partitions that a topic has got. */
static void add_new_partitions(kafka_stream *k, const rd_kafka_metadata_topic_t *found) {
    kafka_partition *added;
    for (size_t i = 0; i < k->settings->n_topics && !found->err; i++) {
        kafka_topic *t = &k->topic[i];
        if (strcmp(t->name, found->topic) != 0) continue;
        for (int32_t number = t->n_partitions; number < found->partition_cnt; number++) {
            pthread_mutex_lock(&k->lock);
            const int rc = add_partition(k, t, number, &added);
            pthread_mutex_unlock(&k->lock);
            if (rc) {
                kafka_fail(k, "out of memory for partition %d", number);
                return;
            }
            note("kafka: %s has a new partition, %d; it is read from its beginning", t->name, number);
        }
    }
}

void kafka_look_for_partitions(kafka_stream *k) {
    const double now = now_seconds();
    if (k->refresh_ms <= 0 || k->settings->until_end || k->settings->n_partitions || atomic_load(&k->down) ||
        now - k->looked < 1e-3 * (double)k->refresh_ms)
        return;
    k->looked = now;
    const size_t before = k->n_partitions;
    const struct rd_kafka_metadata *found = kafka_ask_brokers(k, KAFKA_SLICE_MS);
    for (int i = 0; found && i < found->topic_cnt; i++) add_new_partitions(k, &found->topics[i]);
    if (found) rd_kafka_metadata_destroy(found);
    if (k->n_partitions > before && assign(k, before)) kafka_fail(k, "new partitions cannot be read");
}

/* A partition whose next offset is not there: messages were deleted, or the topic was made anew. Called by the thread
 * that reads. */
void kafka_find_offset(kafka_stream *k, kafka_partition *p) {
    int64_t low, high;
    char why[MOST_WHY];
    rd_kafka_resp_err_t code;
    const double began = now_seconds();
    while (
        (code = rd_kafka_query_watermark_offsets(k->client, p->topic->name, p->number, &low, &high, KAFKA_SLICE_MS)) &&
        kafka_passes(code) && now_seconds() - began < offset_patience_seconds && !stop_signal())
        usleep(PAUSE_US);
    if (code) {
        kafka_fail(k, "%s[%d]: %s", p->topic->name, p->number, rd_kafka_err2str(code));
        return;
    }
    if (!has_offset(k, p, p->expected, low, high, why)) {
        kafka_fail(k, "%s", why);
        return;
    }
    if (p->expected < low) {
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
    p->placed_anew = true;
}

int kafka_connect(kafka_stream *k, const sluice_model *model) {
    int rc = kafka_make_client(k);
    if (!rc) rc = find_topics(k);
    if (!rc) rc = kafka_ask_cluster(k);
    if (!rc && k->settings->to) rc = kafka_answers_open(k); /* ends what an earlier run has left open */
    if (!rc) rc = place_all(k, model);
    k->looked = now_seconds();
    return rc ? rc : assign(k, 0);
}
#endif
