/* Messages of Kafka as lines: what the reader's threads call, one at a time. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"
#include "output/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double again_seconds = 10;
enum { WAIT_MS = 50, SHORT_WAIT_MS = 5 };

void kafka_fail(kafka_stream *k, const char *format, ...) {
    va_list values;
    pthread_mutex_lock(&k->lock);
    if (!k->failed) {
        va_start(values, format);
        k->error = (sluice_error){.status = SLUICE_E_IO};
        int n = snprintf(k->error.message, sizeof k->error.message, "kafka: ");
        vsnprintf(k->error.message + n, sizeof k->error.message - (size_t)n, format, values);
        va_end(values);
        atomic_store(&k->failed, true);
    }
    pthread_mutex_unlock(&k->lock);
}

/* ---- what comes ---------------------------------------------------------------------------------------------------
 */

static kafka_partition *partition_of(kafka_stream *k, const rd_kafka_message_t *m) {
    if (!m->rkt || m->partition < 0) return NULL;
    if (m->rkt == k->of && m->partition == k->of_partition->number) return k->of_partition;
    const kafka_topic *t = rd_kafka_topic_opaque(m->rkt);
    kafka_partition *p = t && m->partition < t->n_partitions ? t->partition[m->partition] : NULL;
    if (p) k->of = m->rkt, k->of_partition = p;
    return p;
}

/* What librdkafka tries again, which may be many times a second: the same is said again only after a while. */
static void tell_event(kafka_stream *k, const rd_kafka_message_t *m) {
    const double now = now_seconds();
    if (m->err == k->told && now - k->told_at < again_seconds) return;
    k->told = m->err;
    k->told_at = now;
    note("kafka: %s", rd_kafka_message_errstr(m));
}

/* An event instead of a message. */
static void take_event(kafka_stream *k, const rd_kafka_message_t *m) {
    kafka_partition *p = partition_of(k, m);
    switch (m->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (p) p->at_end = true;
        if (p && p->end >= 0 && m->offset >= p->end) p->ended = true;
        return;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        if (p) p->lost = k->some_lost = true; /* not from within librdkafka's callback */
        return;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        kafka_fail(k, "topic %s is gone", m->rkt ? rd_kafka_topic_name(m->rkt) : "?");
        return;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        kafka_fail(k, "topic %s may not be read: %s", m->rkt ? rd_kafka_topic_name(m->rkt) : "?",
                   rd_kafka_message_errstr(m));
        return;
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:
        kafka_fail(k, "%s[%d]: a damaged batch of messages at offset %" PRId64 ": %s",
                   m->rkt ? rd_kafka_topic_name(m->rkt) : "?", m->partition, m->offset, rd_kafka_message_errstr(m));
        return;
    default:
        tell_event(k, m);
    }
}

/* Whether a message is one to hand on. */
static bool is_wanted(kafka_stream *k, kafka_partition *p, const rd_kafka_message_t *m) {
    if (p->known.offset >= 0) {
        const bool same = m->offset != p->known.offset ||
                          (rd_kafka_message_timestamp(m, NULL) == p->known.time &&
                           message_hash(m->key, m->key_len, m->payload, m->payload ? m->len : 0) == p->known.hash);
        p->known.offset = -1;
        if (!same) {
            kafka_fail(k,
                       "%s[%d]: the message at offset %" PRId64 " is not the one that the model has learned: the topic "
                       "was made anew; --from beginning learns it from its beginning",
                       p->topic->name, p->number, m->offset);
            return false;
        }
    }
    const bool behind = p->end >= 0 && m->offset >= p->end, wanted = m->offset >= p->expected && !behind;
    if (wanted) p->expected = m->offset + 1;
    if (behind || (p->end >= 0 && p->expected >= p->end)) p->ended = true; /* no need to wait until that is said */
    return wanted;
}

static bool all_ended(const kafka_stream *k) {
    for (size_t i = 0; i < k->n_partitions; i++)
        if (!k->partition[i]->ended) return false;
    return k->settings->until_end;
}

/* The partition whose turn it is: of those that took part in the fewest turns the first; NULL: all have ended. A turn
 * is complete in it at the next multiple of KAFKA_TURN. */
static kafka_partition *whose_turn(const kafka_stream *k) {
    kafka_partition *chosen = NULL;
    for (size_t i = 0; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (!p->ended && (!chosen || p->taken / KAFKA_TURN < chosen->taken / KAFKA_TURN)) chosen = p;
    }
    return chosen;
}

/* The label from the message's header. */
static void find_label(const kafka_stream *k, const rd_kafka_message_t *m, message *to) {
    rd_kafka_headers_t *headers;
    const void *value;
    size_t n;
    if (rd_kafka_message_headers(m, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR &&
        rd_kafka_header_get_last(headers, k->settings->label_header, &value, &n) == RD_KAFKA_RESP_ERR_NO_ERROR)
        to->label = value, to->label_n = n;
}

static void mark(kafka_stream *k, const rd_kafka_message_t *m) {
    message_lines_mark(&k->lines, &(message_mark){m->offset, rd_kafka_message_timestamp(m, NULL),
                                                  message_hash(m->key, m->key_len, m->payload, m->len)});
}

/* Hands a message on. */
static void add(kafka_stream *k, kafka_partition *p, rd_kafka_message_t *m) {
    message given = {.value = m->payload,
                     .n = m->payload ? m->len : 0,
                     .more = m->key_len,
                     .offset = m->offset,
                     .partition = p->index,
                     .marked = p->taken < KAFKA_MARKED || p->taken % KAFKA_MARKED == 0,
                     .kept = k->keeps ? m : NULL};
    p->at_end = p->placed_anew = false;
    p->taken++;
    if (k->settings->label_header) find_label(k, m, &given);
    if (!given.value) atomic_fetch_add(&k->tombstones, 1);
    if (given.marked) mark(k, m);
    message_lines_add(&k->lines, &given);
}

/* Whether a message is handed on and kept. */
static bool take(kafka_stream *k, rd_kafka_message_t *m) {
    kafka_partition *p;
    if (m->err) {
        take_event(k, m);
    } else if ((p = partition_of(k, m)) && is_wanted(k, p, m)) {
        kafka_up(k);
        add(k, p, m);
        return k->keeps;
    }
    return false;
}

/* Whether to stop taking messages from a queue. */
static bool is_enough(const kafka_stream *k) {
    return message_lines_full(&k->lines) || k->some_lost ||
           (k->turn && (k->turn->ended || k->turn->taken == k->turn_end)) ||
           atomic_load_explicit(&k->failed, memory_order_relaxed);
}

static void on_message(rd_kafka_message_t *m, void *stream) {
    kafka_stream *k = stream;
    take(k, m);
    if (is_enough(k)) rd_kafka_yield(k->client);
}

/* Takes the messages of the batch that are still there. */
static void take_batch(kafka_stream *k) {
    while (k->at < k->n && !message_lines_full(&k->lines) && !k->failed) {
        rd_kafka_message_t *m = k->batch[k->at++];
        if (!take(k, m)) rd_kafka_message_destroy(m);
    }
}

/* Takes what has come in a queue, after waiting for it. Messages that are not kept are taken by a callback, which costs
 * less: librdkafka locks its queue once, and not for each. Returns whether something came. */
static bool take_from(kafka_stream *k, rd_kafka_queue_t *queue, int wait_ms) {
    if (!k->keeps) return rd_kafka_consume_callback_queue(queue, wait_ms, on_message, k) > 0;
    const uint64_t turn = k->turn ? k->turn_end - k->turn->taken : KAFKA_AT_ONCE;
    k->at = 0;
    k->n = rd_kafka_consume_batch_queue(queue, 0, k->batch, turn < KAFKA_AT_ONCE ? (size_t)turn : KAFKA_AT_ONCE);
    if (k->n <= 0) {
        k->batch[0] = wait_ms ? rd_kafka_consume_queue(queue, wait_ms) : NULL; /* does not wait for a full batch */
        k->n = k->batch[0] != NULL;
    }
    const bool some = k->n > 0;
    take_batch(k);
    return some;
}

void kafka_take_events(kafka_stream *k) {
    rd_kafka_message_t *event;
    while ((event = rd_kafka_consume_queue(k->events, 0))) {
        if (event->err) take_event(k, event);
        rd_kafka_message_destroy(event);
    }
}

/* Wakes the threads of brokers, once at the same offset of a partition. librdkafka (2.0) stops fetching when its queue
 * is full (queued.max.messages.kbytes), and looks at the queue again only when something else happens, or after a
 * second: meanwhile a quick learner has emptied it. A question for the ends of the partitions is something else; its
 * answer is not used. */
static void wake(kafka_stream *k) {
    rd_kafka_topic_partition_list_t *list = NULL;
    for (size_t i = 0; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->at_end || p->ended || p->woken == p->expected || (k->turn && p != k->turn)) continue;
        p->woken = p->expected;
        if (!list) list = rd_kafka_topic_partition_list_new(1);
        rd_kafka_topic_partition_list_add(list, p->topic->name, p->number)->offset = RD_KAFKA_OFFSET_END;
    }
    if (!list) return;
    rd_kafka_offsets_for_times(k->client, list, 0);
    rd_kafka_topic_partition_list_destroy(list);
}

/* Partitions whose offset was not there have begun elsewhere. */
static void forward_again(kafka_stream *k) {
    for (size_t i = 0; i < k->n_partitions && k->messages; i++)
        if (k->partition[i]->placed_anew) rd_kafka_queue_forward(k->partition[i]->queue, k->messages);
}

/* Takes messages, after waiting for them if `wait`. Returns whether something came. */
static bool take_some(kafka_stream *k, bool wait) {
    if (k->at < k->n) {
        take_batch(k);
        return true;
    }
    k->turn = k->settings->deterministic ? whose_turn(k) : NULL;
    if (k->turn) k->turn_end = (k->turn->taken / KAFKA_TURN + 1) * KAFKA_TURN;
    rd_kafka_queue_t *queue = k->turn ? k->turn->queue : k->messages;
    if (take_from(k, queue, wait ? SHORT_WAIT_MS : 0)) return true;
    if (!wait) return false;
    kafka_look_for_brokers(k);
    wake(k);
    return take_from(k, queue, WAIT_MS);
}

static void find_offsets(kafka_stream *k) {
    k->some_lost = false;
    for (size_t i = 0; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->lost) kafka_find_offset(k, p);
        p->lost = false;
    }
}

static void take_messages(kafka_stream *k) {
    kafka_take_events(k);
    kafka_look_for_partitions(k);
    forward_again(k);
    while (!k->failed && !message_lines_full(&k->lines)) {
        if (k->at == k->n && all_ended(k)) {
            k->ended = true;
            return;
        }
        const bool some = take_some(k, k->lines.got == 0);
        if (k->some_lost) find_offsets(k);
        if (!some) return;
    }
}

/* Tombstones and malformed messages have no rows, and the reader delivers rows alone: after many messages it is woken,
 * so that those are done and do not gather in memory, and that many short lines do not come in one block. */
static void wake_reader(const kafka_stream *k) {
    sluice_reader *reader = atomic_load(&k->reader);
    if (reader && k->lines.got < k->lines.room) sluice_reader_wake(reader);
}

ptrdiff_t kafka_read(void *stream, void *to, size_t n) {
    kafka_stream *k = stream;
    message_lines *l = &k->lines;
    pthread_mutex_lock(&k->lock);
    const bool good = message_lines_begin(l, to, n);
    pthread_mutex_unlock(&k->lock);
    if (good && !message_lines_full(l)) take_messages(k);
    if (!good || l->no_memory) kafka_fail(k, "out of memory");
    pthread_mutex_lock(&k->lock);
    const size_t got = message_lines_end(l);
    pthread_mutex_unlock(&k->lock);
    if (k->failed) return -1;
    if (message_lines_full(l)) wake_reader(k);
    if (got) return (ptrdiff_t)got;
    return k->ended ? 0 : SLUICE_READ_LATER;
}
#endif
