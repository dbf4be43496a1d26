/* Messages of Kafka as lines: what the reader's threads call, one at a time. */
#include "kafka/kafka.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include "output/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 50, SHORT_WAIT_MS = 5, WAKE_MS = 100 };

const char *kafka_flaw_text(kafka_flaw flaw) {
    static const char *const texts[] = {NULL, "the message has several lines", "a quote that is not closed",
                                        "the message has no header of the label",
                                        "the label in the header is empty, or has a blank, | or #"};
    return texts[flaw];
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t kafka_hash(const rd_kafka_message_t *m) {
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), m->key, m->key ? m->key_len : 0);
    return hash_bytes(hash ^ (m->key ? 1 : 0) ^ (m->payload ? 2 : 0), m->payload, m->payload ? m->len : 0);
}

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

static kafka_partition *partition_of(const rd_kafka_message_t *m) {
    const kafka_topic *t = m->rkt ? rd_kafka_topic_opaque(m->rkt) : NULL;
    return t && m->partition >= 0 && m->partition < t->n_partitions ? t->partition[m->partition] : NULL;
}

/* An event instead of a message. */
static void take_event(kafka_stream *k, const rd_kafka_message_t *m) {
    kafka_partition *p = partition_of(m);
    switch (m->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (p) p->at_end = true;
        if (p && p->end >= 0 && m->offset >= p->end) p->ended = true;
        return;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        if (p) kafka_find_offset(k, p);
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
    default: /* librdkafka tries again */
        note("kafka: %s", rd_kafka_message_errstr(m));
    }
}

/* Whether a message is one to hand on. */
static bool is_wanted(kafka_stream *k, kafka_partition *p, const rd_kafka_message_t *m) {
    if (p->known.offset >= 0) {
        const bool same = m->offset != p->known.offset ||
                          (rd_kafka_message_timestamp(m, NULL) == p->known.time && kafka_hash(m) == p->known.hash);
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

/* Wakes the thread of a partition's broker with a request, once at the same offset. librdkafka (2.0) stops fetching
 * when its queue is full (queued.max.messages.kbytes), and looks at the queue again only when something else happens,
 * or after a second: meanwhile a quick learner has emptied it. */
static void wake(kafka_stream *k, kafka_partition *p) {
    int64_t low, high;
    if (p->at_end || p->ended || p->woken == p->expected) return;
    p->woken = p->expected;
    rd_kafka_query_watermark_offsets(k->client, p->topic->name, p->number, &low, &high, WAKE_MS);
}

static void wake_all(kafka_stream *k, kafka_partition *whose) {
    for (size_t i = 0; i < k->n_partitions; i++)
        if (!whose || k->partition[i] == whose) wake(k, k->partition[i]);
}

/* Gets what has come, after waiting for it if there is nothing and `wait`. */
static void refill(kafka_stream *k, bool wait) {
    rd_kafka_queue_t *queue = k->queue;
    kafka_partition *p = NULL;
    size_t most = KAFKA_AT_ONCE;
    k->at = k->n = 0;
    if (k->settings->deterministic) {
        rd_kafka_message_t *event;
        p = whose_turn(k);
        while ((event = rd_kafka_consume_queue(k->queue, 0))) {
            if (event->err) take_event(k, event);
            rd_kafka_message_destroy(event);
        }
        if (!p) return;
        queue = p->queue;
        most = KAFKA_TURN - p->taken % KAFKA_TURN;
    }
    k->n = rd_kafka_consume_batch_queue(queue, 0, k->batch, most);
    if (k->n < 0) k->n = 0;
    if (k->n || !wait) return;
    k->batch[0] = rd_kafka_consume_queue(queue, SHORT_WAIT_MS);
    if (!k->batch[0]) {
        wake_all(k, p);
        k->batch[0] = rd_kafka_consume_queue(queue, WAIT_MS);
    }
    k->n = k->batch[0] != NULL;
}

/* The next message to hand on, with its partition; NULL: there is none now. */
static rd_kafka_message_t *next_message(kafka_stream *k, bool wait, kafka_partition **partition) {
    for (;;) {
        if (k->at == k->n) {
            if (all_ended(k)) {
                k->ended = true;
                return NULL;
            }
            kafka_look_for_partitions(k);
            refill(k, wait);
            if (k->n == 0) return NULL;
        }
        rd_kafka_message_t *m = k->batch[k->at++];
        if (m->err) {
            take_event(k, m);
        } else if ((*partition = partition_of(m)) && is_wanted(k, *partition, m)) {
            if (atomic_exchange(&k->down, false)) note("kafka: messages come again");
            (*partition)->at_end = false;
            (*partition)->taken++;
            return m;
        }
        rd_kafka_message_destroy(m);
        if (k->failed) return NULL;
    }
}

/* ---- lines --------------------------------------------------------------------------------------------------------
 */

static void add_piece(kafka_stream *k, const char *text, size_t n) {
    k->piece[k->pieces].text = text;
    k->piece[k->pieces++].n = n;
}

/* The label from the message's header. */
static kafka_flaw add_label(kafka_stream *k, const rd_kafka_message_t *m) {
    rd_kafka_headers_t *headers;
    const void *value;
    size_t n;
    if (rd_kafka_message_headers(m, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
        rd_kafka_header_get_last(headers, k->settings->label_header, &value, &n) != RD_KAFKA_RESP_ERR_NO_ERROR ||
        !value)
        return FLAW_NO_LABEL;
    const char *label = value;
    for (size_t i = 0; i < n; i++)
        if (label[i] == '\t' || label[i] == '\n' || label[i] == '\r' ||
            (k->separator == ' ' && (label[i] == ' ' || label[i] == '|')))
            return FLAW_LABEL;
    if (!n || (k->separator == ' ' && *label == '#')) return FLAW_LABEL; /* the line would be a comment */
    add_piece(k, label, n);
    add_piece(k, &k->separator, 1);
    return FLAW_NONE;
}

/* Whether quotes of a line of csv are still open at its end, as the reader sees them: a quote opens where a field
 * begins. *separator, where it is not known (0), is found in the line: the first comma or tab outside quotes. */
static bool leaves_quotes_open(const char *text, size_t n, char *separator) {
    bool quoted = false, fresh = true;
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (quoted) {
            quoted = c != '"';
            fresh = !quoted; /* one more quote is a doubled one */
        } else {
            if (!*separator && (c == ',' || c == '\t')) *separator = c;
            quoted = c == '"' && fresh;
            fresh = *separator && c == *separator;
        }
    }
    return quoted;
}

static bool is_blank_line(const char *text, size_t n) {
    while (n && (*text == ' ' || *text == '\r')) text++, n--;
    return !n;
}

/* Whether a message is no line of csv by itself. */
static bool is_open_csv(kafka_stream *k, const char *text, size_t n) {
    char separator = k->csv_separator;
    if (is_blank_line(text, n)) return false;
    const bool open = leaves_quotes_open(text, n, &separator);
    k->csv_separator = open || !separator ? ',' : separator; /* what the reader takes from the line that it gets */
    return open;
}

/* The line of a message. A message that can be no line becomes one with a NUL byte, which no format takes, so that it
 * goes the way of all malformed lines. */
static void begin_line(kafka_stream *k) {
    const rd_kafka_message_t *m = k->now.message;
    const char *text = m->payload;
    size_t n = m->payload ? m->len : 0;
    kafka_flaw flaw = FLAW_NONE;
    k->pieces = k->piece_at = 0;
    if (!text) {
        atomic_fetch_add(&k->tombstones, 1);
        add_piece(k, "\n", 1);
        return;
    }
    if (n && text[n - 1] == '\n') n--;
    if (k->settings->label_header) flaw = add_label(k, m);
    if (!flaw && n && memchr(text, '\n', n)) flaw = FLAW_LINES;
    if (!flaw && k->csv && is_open_csv(k, text, n)) flaw = FLAW_QUOTES;
    k->now.flaw = flaw;
    if (flaw) {
        k->pieces = 0;
        add_piece(k, "\0\n", 2);
        return;
    }
    add_piece(k, text, n);
    add_piece(k, "\n", 1);
}

/* The line is handed on: its message waits until the row is done. */
static bool end_line(kafka_stream *k) {
    pthread_mutex_lock(&k->lock);
    const size_t held = (size_t)(k->handed - k->done);
    if (held == k->room) {
        const size_t room = k->room ? 2 * k->room : 2 * KAFKA_AT_ONCE;
        kafka_pending *larger = malloc(room * sizeof *larger);
        if (!larger) {
            pthread_mutex_unlock(&k->lock);
            kafka_fail(k, "out of memory");
            return false;
        }
        for (size_t i = 0; i < held; i++) larger[(k->done + i) % room] = k->pending[(k->done + i) % k->room];
        free(k->pending);
        k->pending = larger;
        k->room = room;
    }
    k->now.end = k->written;
    k->pending[k->handed++ % k->room] = k->now;
    k->call_messages++;
    k->call_bytes += k->now.message->len + k->now.message->key_len;
    k->now.message = NULL;
    pthread_mutex_unlock(&k->lock);
    return true;
}

/* The header of csv, where there is one, is the first line. */
static bool begin(kafka_stream *k) {
    const char *header = k->settings->csv_header;
    k->began = true;
    if (!header) return false;
    k->pieces = k->piece_at = 0;
    leaves_quotes_open(header, strlen(header), &k->csv_separator);
    if (!k->csv_separator) k->csv_separator = ',';
    add_piece(k, header, strlen(header));
    add_piece(k, "\n", 1);
    return true;
}

/* Begins the next line; false: there is none now. */
static bool next_line(kafka_stream *k, bool wait) {
    kafka_partition *p;
    if (!k->began && begin(k)) return true;
    rd_kafka_message_t *m = next_message(k, wait, &p);
    if (!m) return false;
    k->now = (kafka_pending){.message = m, .partition = p};
    begin_line(k);
    return true;
}

/* Copies what there is room for. */
static size_t copy_pieces(kafka_stream *k, char *to, size_t room) {
    size_t got = 0;
    for (; k->piece_at < k->pieces && got < room; k->piece_at++) {
        const size_t left = k->piece[k->piece_at].n, part = left < room - got ? left : room - got;
        if (part) memcpy(to + got, k->piece[k->piece_at].text, part);
        got += part;
        if (part == left) continue;
        k->piece[k->piece_at].text += part;
        k->piece[k->piece_at].n -= part;
        break;
    }
    k->written += got;
    return got;
}

/* Tombstones and malformed messages have no rows, and the reader delivers rows alone: after many messages it is woken,
 * so that those are done and do not gather in memory, and that many short lines do not come in one block. */
static bool is_enough(kafka_stream *k) {
    if (k->call_messages < KAFKA_MOST && k->call_bytes < KAFKA_MOST_BYTES) return false;
    sluice_reader *reader = atomic_load(&k->reader);
    if (reader) sluice_reader_wake(reader);
    return true;
}

ptrdiff_t kafka_read(void *stream, void *to, size_t n) {
    kafka_stream *k = stream;
    size_t got = 0;
    k->call_messages = k->call_bytes = 0;
    while (got < n && !k->failed && !is_enough(k)) {
        if (k->piece_at == k->pieces && !next_line(k, got == 0)) break;
        got += copy_pieces(k, (char *)to + got, n - got);
        if (k->piece_at == k->pieces && k->now.message && !end_line(k)) break;
    }
    if (k->failed) return -1;
    if (got) return (ptrdiff_t)got;
    return k->ended ? 0 : SLUICE_READ_LATER;
}
#endif
