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

static const double commit_seconds = 3;

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
    k->csv = strcmp(options.format, "csv") == 0;
    k->separator = strcmp(options.format, "text") == 0 || strcmp(options.format, "url") == 0 ? '\t' : ' ';
    const int orderly = signals_set_orderly(0); /* there is nothing to save, and librdkafka's calls wait for brokers */
    int rc = stop_signal() ? stop_status() : kafka_connect(k, model);
    if (!rc && s->dead_letters) rc = dead_letters_open(k);
    signals_set_orderly(orderly);
    if (rc) return rc;
    if (s->dead_letters) options.bad_line = dead_letters_send, options.bad_line_context = k;
    *reader = sluice_reader_open_function(kafka_read, k, "kafka", &options, &err);
    atomic_store(&k->reader, *reader);
    return *reader ? DONE : complain_error(&err);
}

/* Waits for answers to commits of offsets: at most so long for all. */
static void take_commits(kafka_stream *k, double seconds) {
    const double end = now_seconds() + seconds;
    while (k->committing) {
        const double left = end - now_seconds();
        rd_kafka_event_t *event = rd_kafka_queue_poll(k->commits, left > 0 ? (int)(1e3 * left) : 0);
        if (!event) return;
        rd_kafka_event_destroy(event);
        k->committing--;
    }
}

void kafka_close(kafka_stream *k) {
    if (!k) return;
    if (!k->down) take_commits(k, commit_seconds);
    if (k->commits) rd_kafka_queue_destroy(k->commits);
    if (k->now.message) rd_kafka_message_destroy(k->now.message);
    for (ssize_t i = k->at; i < k->n; i++) rd_kafka_message_destroy(k->batch[i]);
    for (uint64_t i = k->done; i < k->handed; i++) rd_kafka_message_destroy(k->pending[i % k->room].message);
    free(k->pending);
    dead_letters_close(k);
    for (size_t i = 0; i < k->n_partitions; i++) {
        kafka_partition *p = k->partition[i];
        if (p->held) rd_kafka_message_destroy(p->held);
        if (p->queue) rd_kafka_queue_destroy(p->queue);
        free(p);
    }
    free(k->partition);
    for (size_t i = 0; k->topic && i < k->settings->n_topics; i++) {
        if (k->topic[i].handle) rd_kafka_topic_destroy(k->topic[i].handle);
        free(k->topic[i].partition);
    }
    free(k->topic);
    if (k->queue) rd_kafka_queue_destroy(k->queue);
    if (k->cluster) rd_kafka_mem_free(k->client, k->cluster);
    if (k->client) rd_kafka_destroy_flags(k->client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* ---- what is done -------------------------------------------------------------------------------------------------
 */

/* The next pending message counts in the positions. */
static void finish_message(kafka_stream *k) {
    const kafka_pending *d = &k->pending[k->done++ % k->room];
    kafka_partition *p = d->partition;
    p->next = d->message->offset + 1;
    p->messages++;
    if (p->held) rd_kafka_message_destroy(p->held);
    p->held = d->message;
}

/* Lines that are no messages. */
static uint64_t header_lines(const kafka_stream *k) { return k->settings->csv_header ? 1 : 0; }

void kafka_row_done(kafka_stream *k, const sluice_batch *batch, size_t row) {
    sluice_row_origin at = {.size = sizeof at};
    if (sluice_batch_origin(batch, row, &at, NULL) != SLUICE_OK) return;
    const uint64_t messages = at.line - header_lines(k);
    pthread_mutex_lock(&k->lock);
    while (k->done < messages && k->done < k->handed) finish_message(k);
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
    while (k->done < k->handed && (ended || k->pending[k->done % k->room].end <= offset)) finish_message(k);
    if (ended) /* the turns of the next run begin anew */
        for (size_t i = 0; i < k->n_partitions; i++) k->partition[i]->end = -1;
    pthread_mutex_unlock(&k->lock);
}

static int set_position(kafka_stream *k, kafka_partition *p, sluice_model *model) {
    if (p->held) {
        p->last = p->held->offset;
        p->last_time = rd_kafka_message_timestamp(p->held, NULL);
        p->last_hash = kafka_hash(p->held);
        rd_kafka_message_destroy(p->held);
        p->held = NULL;
    }
    const sluice_position position = {.size = sizeof position,
                                      .cluster = k->cluster,
                                      .topic = p->topic->name,
                                      .partition = p->number,
                                      .next = p->next,
                                      .end = k->settings->deterministic ? p->end : -1,
                                      .messages = p->messages,
                                      .last = p->last,
                                      .last_time = p->last_time,
                                      .last_hash = p->last_hash};
    return sluice_model_set_position(model, &position) == SLUICE_OK ? DONE : complain_error(sluice_model_error(model));
}

int kafka_remember(kafka_stream *k, sluice_model *model) {
    int rc = dead_letters_flush(k);
    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n_partitions && !rc; i++) rc = set_position(k, k->partition[i], model);
    pthread_mutex_unlock(&k->lock);
    return rc;
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
    const uint64_t headers = header_lines(k);
    if (strcmp(e->source, "kafka") != 0 || e->line <= headers + k->done || e->line > headers + k->handed) return false;
    const kafka_pending *p = &k->pending[(e->line - headers - 1) % k->room];
    const char *flaw = kafka_flaw_text(p->flaw);
    snprintf(e->source, sizeof e->source, "%s[%" PRId32 "]@%" PRId64, p->partition->topic->name, p->partition->number,
             p->message->offset);
    if (flaw) snprintf(e->message, sizeof e->message, "%s", flaw);
    e->line = flaw ? 0 : e->column; /* it is one line */
    e->column = 0;
    return true;
}

int kafka_complain_error(kafka_stream *k, const sluice_error *error) {
    sluice_error e = *error;
    pthread_mutex_lock(&k->lock);
    find_place(k, &e);
    pthread_mutex_unlock(&k->lock);
    return complain_error(&e);
}

int kafka_complain(kafka_stream *k, const sluice_reader *reader, int skips) {
    pthread_mutex_lock(&k->lock);
    sluice_error e = k->failed ? k->error : *sluice_reader_error(reader);
    const bool malformed = find_place(k, &e) && e.status == SLUICE_E_DATA;
    pthread_mutex_unlock(&k->lock);
    return complain_error_with(&e, malformed && !skips ? "; --on-error skip leaves such messages out" : "");
}

kafka_counts kafka_count(kafka_stream *k) {
    kafka_counts c = {.tombstones = atomic_load(&k->tombstones), .dead_letters = atomic_load(&k->dead_letters)};
    pthread_mutex_lock(&k->lock);
    c.messages = k->done;
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
void kafka_row_done(kafka_stream *k, const sluice_batch *batch, size_t row) { (void)k, (void)batch, (void)row; }
void kafka_rows_done(kafka_stream *k, const sluice_reader *reader, int ended) { (void)k, (void)reader, (void)ended; }
int kafka_remember(kafka_stream *k, sluice_model *model) { return (void)k, (void)model, FAILED; }
void kafka_saved(kafka_stream *k) { (void)k; }
int kafka_complain(kafka_stream *k, const sluice_reader *reader, int skips) {
    return (void)k, (void)reader, (void)skips, FAILED;
}
int kafka_complain_error(kafka_stream *k, const sluice_error *error) { return (void)k, complain_error(error); }
kafka_counts kafka_count(kafka_stream *k) { return (void)k, (kafka_counts){0}; }

#endif
