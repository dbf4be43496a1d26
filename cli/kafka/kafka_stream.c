/* A stream from Kafka: opening it as a reader, and what is done of it. */
#include "kafka/kafka.h"

#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"

#if SLUICE_HAVE_RDKAFKA
#include "kafka/kafka_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *format_of(const sluice_reader_options *reading) {
    if (reading->format) return reading->format;
    return reading->hint && *reading->hint ? reading->hint : "libsvm";
}

int kafka_open(const kafka_settings *s, const sluice_model *model, const sluice_reader_options *reading,
               kafka_stream **stream, sluice_reader **reader) {
    sluice_error err = {0};
    sluice_reader_options options = *reading;
    kafka_stream *k = *stream = calloc(1, sizeof *k);
    *reader = NULL;
    if (!k) return out_of_memory();
    pthread_mutex_init(&k->lock, NULL);
    k->settings = s;
    options.format = format_of(reading);
    options.as_is = 1; /* whatever the first message looks like */
    if (!options.threads) options.threads = KAFKA_THREADS;
    k->keeps = s->dead_letters || s->to;
    message_lines_set(&k->lines, options.format, s->label_header != NULL, s->csv_header, (char)options.separator);
    const int orderly = signals_set_orderly(0); /* there is nothing to save, and librdkafka's calls wait for brokers */
    int rc = stop_signal() ? stop_status() : kafka_connect(k, model);
    if (!rc && s->dead_letters) rc = dead_letters_open(k);
    signals_set_orderly(orderly);
    if (rc) return rc;
    k->is_open = true;
    if (s->dead_letters) options.bad_line = dead_letters_send, options.bad_line_context = k;
    *reader = sluice_reader_open_function(kafka_read, k, "kafka", &options, &err);
    atomic_store(&k->reader, *reader);
    return *reader ? DONE : complain_error(&err);
}

int kafka_may_open_later(const kafka_stream *k) { return k && k->gave_up; }

/* What the brokers say to a commit. The positions of the model do not depend on it: it is said once. */
static void take_commit(kafka_stream *k, rd_kafka_event_t *event) {
    const rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    if (code && !k->commit_failed)
        warning("kafka: -X group.id=%s: the brokers do not take the positions (%s); those in the model are not "
                "concerned",
                k->settings->group, rd_kafka_err2str(code));
    k->commit_failed |= code != RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* Waits for answers to commits of offsets: at most so long for all. */
static void take_commits(kafka_stream *k, double seconds) {
    const double end = now_seconds() + seconds;
    while (k->committing) {
        const double left = end - now_seconds();
        rd_kafka_event_t *event = rd_kafka_queue_poll(k->commits, left > 0 ? (int)(1e3 * left) : 0);
        if (!event) return;
        take_commit(k, event);
        rd_kafka_event_destroy(event);
        k->committing--;
    }
}

void kafka_close(kafka_stream *k) {
    if (!k) return;
    if (!k->down) take_commits(k, stop_signal() ? KAFKA_STOP_SECONDS : KAFKA_END_SECONDS);
    if (k->commits) rd_kafka_queue_destroy(k->commits);
    for (ssize_t i = k->at; i < k->n; i++) rd_kafka_message_destroy(k->batch[i]);
    for (uint64_t i = k->lines.done; i < k->lines.handed && k->keeps; i++) rd_kafka_message_destroy(kafka_kept(k, i));
    message_lines_free(&k->lines);
    kafka_end_client(k->producer, KAFKA_DESTROY_SECONDS);
    for (size_t i = 0; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->queue) rd_kafka_queue_destroy(p->queue);
        free(p);
    }
    free(k->partition);
    for (size_t i = 0; k->topic && i < k->settings->n_topics; i++) {
        if (k->topic[i].handle) rd_kafka_topic_destroy(k->topic[i].handle);
        free(k->topic[i].partition);
    }
    free(k->topic);
    if (k->messages) rd_kafka_queue_destroy(k->messages);
    if (k->events) rd_kafka_queue_destroy(k->events);
    if (k->cluster) rd_kafka_mem_free(k->client, k->cluster);
    kafka_end_client(k->client, KAFKA_DESTROY_SECONDS);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* ---- what is done -------------------------------------------------------------------------------------------------
 */

/* The next message that waits counts in the positions. */
static void finish_message(kafka_stream *k) {
    const message_mark *mark;
    const waiting_message *w = message_lines_done(&k->lines, &mark);
    kafka_partition *p = k->partition[w->partition];
    p->next = w->offset + 1;
    p->messages++;
    if (mark) p->last = *mark;
    if (w->kept) rd_kafka_message_destroy(w->kept);
}

void kafka_row_done(kafka_stream *k, const sluice_batch *batch, size_t row) {
    sluice_row_origin at = {.size = sizeof at};
    if (sluice_batch_origin(batch, row, &at, NULL) != SLUICE_OK) return;
    const uint64_t messages = at.line - message_lines_before(&k->lines);
    pthread_mutex_lock(&k->lock);
    while (k->lines.done < messages && k->lines.done < k->lines.handed) finish_message(k);
    pthread_mutex_unlock(&k->lock);
}

void kafka_messages_done(kafka_stream *k, uint64_t n) {
    pthread_mutex_lock(&k->lock);
    while (n--) finish_message(k);
    pthread_mutex_unlock(&k->lock);
}

void kafka_rows_done(kafka_stream *k, const sluice_reader *reader, int ended) {
    size_t input;
    uint64_t offset;
    sluice_reader_position(reader, &input, &offset);
    pthread_mutex_lock(&k->lock);
    message_lines *l = &k->lines;
    while (l->done < l->handed && (ended || message_lines_at(l, l->done)->end <= offset)) finish_message(k);
    if (ended) /* the turns of the next run begin anew */
        for (size_t i = 0; i < k->n_partitions; i++) k->partition[i]->end = -1;
    pthread_mutex_unlock(&k->lock);
}

static int set_position(kafka_stream *k, kafka_partition *p, sluice_model *model) {
    const sluice_position position = {.size = sizeof position,
                                      .cluster = k->cluster,
                                      .topic = p->topic->name,
                                      .partition = p->number,
                                      .next = p->next,
                                      .end = k->settings->deterministic ? p->end : -1,
                                      .messages = p->messages,
                                      .last = p->last.offset,
                                      .last_time = p->last.time,
                                      .last_hash = p->last.hash};
    return sluice_model_set_position(model, &position) == SLUICE_OK ? DONE : complain_error(sluice_model_error(model));
}

int kafka_set_positions(kafka_stream *k, sluice_model *model) {
    int rc = DONE;
    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n_partitions && !rc; i++) rc = set_position(k, k->partition[i], model);
    pthread_mutex_unlock(&k->lock);
    return rc;
}

int kafka_remember(kafka_stream *k, sluice_model *model) {
    const int rc = dead_letters_flush(k);
    return rc ? rc : kafka_set_positions(k, model);
}

void kafka_saved(kafka_stream *k) {
    if (!k->settings->group) return;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)k->n_partitions);
    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, k->partition[i]->topic->name, k->partition[i]->number)->offset =
            k->partition[i]->next;
    pthread_mutex_unlock(&k->lock);
    if (!k->commits) k->commits = rd_kafka_queue_new(k->client);
    take_commits(k, 0);
    if (rd_kafka_commit_queue(k->client, list, k->commits, NULL, NULL) == RD_KAFKA_RESP_ERR_NO_ERROR) k->committing++;
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- what is said --------------------------------------------------------------------------------------------------
 */

/* Puts the message's place for that of its line in an error; whether the message is malformed. */
static bool find_place(kafka_stream *k, sluice_error *e) {
    const message_lines *l = &k->lines;
    const uint64_t before = message_lines_before(l);
    if (strcmp(e->source, "kafka") != 0 || e->line <= before + l->done || e->line > before + l->handed) return false;
    const waiting_message *w = message_lines_at(l, e->line - before - 1);
    const kafka_partition *p = k->partition[w->partition];
    const char *flaw = message_flaw_text(w->flaw);
    snprintf(e->source, sizeof e->source, "%s[%" PRId32 "]@%" PRId64, p->topic->name, p->number, w->offset);
    if (flaw) snprintf(e->message, sizeof e->message, "%s", flaw);
    e->line = flaw ? 0 : e->column; /* it is one line */
    e->column = 0;
    return true;
}

void kafka_find_place(kafka_stream *k, sluice_error *error) {
    pthread_mutex_lock(&k->lock);
    find_place(k, error);
    pthread_mutex_unlock(&k->lock);
}

int kafka_complain_error(kafka_stream *k, const sluice_error *error) {
    sluice_error e = *error;
    kafka_find_place(k, &e);
    return complain_error(&e);
}

void kafka_stopped(kafka_stream *k, const sluice_reader *reader, sluice_error *error) {
    pthread_mutex_lock(&k->lock);
    *error = k->failed ? k->error : *sluice_reader_error(reader);
    find_place(k, error);
    pthread_mutex_unlock(&k->lock);
}

int kafka_complain(kafka_stream *k, const sluice_reader *reader, int skips) {
    pthread_mutex_lock(&k->lock);
    sluice_error e = k->failed ? k->error : *sluice_reader_error(reader);
    const bool malformed = find_place(k, &e) && e.status == SLUICE_E_DATA;
    pthread_mutex_unlock(&k->lock);
    return complain_error_with(&e, malformed && !skips ? "; --on-error skip leaves such messages out" : "");
}

kafka_counts kafka_count(kafka_stream *k) {
    kafka_counts c = {.tombstones = atomic_load(&k->tombstones),
                      .dead_letters = atomic_load(&k->dead_letters),
                      .down = atomic_load(&k->down)};
    pthread_mutex_lock(&k->lock);
    c.messages = k->lines.done;
    for (size_t i = 0; i < k->n_partitions; i++) {
        int64_t low, high;
        const kafka_partition *p = k->partition[i];
        if (rd_kafka_get_watermark_offsets(k->client, p->topic->name, p->number, &low, &high) || high < p->high)
            high = p->high; /* nothing has come yet */
        if (high > p->next) c.lag += high - p->next;
    }
    pthread_mutex_unlock(&k->lock);
    return c;
}

#else /* built without librdkafka */

int kafka_open(const kafka_settings *s, const sluice_model *model, const sluice_reader_options *reading,
               kafka_stream **stream, sluice_reader **reader) {
    (void)s, (void)model, (void)reading;
    *stream = NULL, *reader = NULL;
    complain("--kafka: this sluice was built without librdkafka (Debian: librdkafka-dev)");
    return FAILED;
}

void kafka_close(kafka_stream *k) { (void)k; }
int kafka_may_open_later(const kafka_stream *k) { return (void)k, 0; }
void kafka_pause(kafka_stream *k) { (void)k; }
void kafka_take_events(kafka_stream *k) { (void)k; }
void kafka_row_done(kafka_stream *k, const sluice_batch *batch, size_t row) { (void)k, (void)batch, (void)row; }
void kafka_rows_done(kafka_stream *k, const sluice_reader *reader, int ended) { (void)k, (void)reader, (void)ended; }
kafka_letters kafka_ask_letters(kafka_stream *k, sluice_error *error) { return (void)k, (void)error, LETTERS_ARRIVED; }
void kafka_leave(kafka_stream *k) { (void)k; }
int kafka_set_positions(kafka_stream *k, sluice_model *model) { return (void)k, (void)model, FAILED; }
int kafka_remember(kafka_stream *k, sluice_model *model) { return (void)k, (void)model, FAILED; }
void kafka_saved(kafka_stream *k) { (void)k; }
int kafka_complain(kafka_stream *k, const sluice_reader *reader, int skips) {
    return (void)k, (void)reader, (void)skips, FAILED;
}
int kafka_complain_error(kafka_stream *k, const sluice_error *error) { return (void)k, complain_error(error); }
void kafka_find_place(kafka_stream *k, sluice_error *error) { (void)k, (void)error; }
void kafka_stopped(kafka_stream *k, const sluice_reader *reader, sluice_error *error) {
    (void)k;
    *error = *sluice_reader_error(reader);
}
kafka_counts kafka_count(kafka_stream *k) { return (void)k, (kafka_counts){0}; }

#endif
