/* The topics of a model: their rows are learned between the jobs. */
#include "serve/model/served_parts.h"

#include "kafka/kafka.h"
#include "output/message.h"
#include "output/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TURN_ROWS = 2048 };
static const double events_seconds = 30; /* between two looks at a stream that is no longer read */

int served_topics_open(served_model *m) {
    const model_reading *r = served_reading(m);
    int rc = kafka_open(&m->topics, m->model, &r->topics, &m->stream, &m->reader);
    if (rc) served_topics_close(m);
    pthread_mutex_lock(&m->figures_lock);
    m->figures.has_kafka = 1;
    m->figures.stopped[0] = 0;
    pthread_mutex_unlock(&m->figures_lock);
    return rc;
}

static uint64_t skipped(const sluice_reader *reader) {
    uint64_t all = 0, n;
    for (size_t i = 0; reader && sluice_reader_skipped(reader, i, &n); i++) all += n;
    return all;
}

static void stop_reading(served_model *m) {
    m->skipped_before += skipped(m->reader);
    sluice_reader_close(m->reader);
    m->reader = NULL;
    m->stream_batch = NULL;
}

void served_topics_close(served_model *m) {
    stop_reading(m);
    kafka_close(m->stream);
    m->stream = NULL;
    m->stream_messages = 0;
}

/* The model goes on without the topics, and says why. The stream is kept: it knows the positions of what was learned,
 * which are to be saved with it. */
static void stop(served_model *m, const char *why) {
    pthread_mutex_lock(&m->figures_lock);
    snprintf(m->figures.stopped, sizeof m->figures.stopped, "%.*s", (int)sizeof m->figures.stopped - 1, why);
    m->figures.kafka_up = 0;
    pthread_mutex_unlock(&m->figures_lock);
    stop_reading(m);
    if (!m->stream) return;
    kafka_pause(m->stream);
    m->topics_at = now_seconds() + events_seconds;
}

double served_topics_at(const served_model *m) { return m->stream && !m->reader ? m->topics_at : INFINITY; }

void served_topics_mind(served_model *m) {
    if (served_topics_at(m) > now_seconds()) return;
    kafka_take_events(m->stream);
    m->topics_at = now_seconds() + events_seconds;
}

void served_topics_reopen(served_model *m) {
    if (!m->topics.brokers || !m->file) return;
    served_topics_close(m);
    m->topics.from = KAFKA_FROM_POSITION; /* what --from said was for the start */
    if (served_topics_open(m)) stop(m, "the topics could not be opened again; the server's messages say why");
}

/* A failure of a row, or of the stream. */
static void stop_at(served_model *m, const sluice_error *error) {
    char line[24] = "", why[sizeof error->source + sizeof error->message + 32];
    if (error->line) snprintf(line, sizeof line, ":%" PRIu64, error->line);
    snprintf(why, sizeof why, "%s%s%s%s", error->source, line, *error->source ? ": " : "", error->message);
    warning("%s: %s; the model learns no more from its topics, and is served on", m->name, why);
    stop(m, why);
}

/* Messages behind the last row that was learned are done, too: tombstones, and what was left out. */
static void pass_messages(served_model *m, int ended) {
    kafka_rows_done(m->stream, m->reader, ended);
    const uint64_t messages = kafka_count(m->stream).messages;
    if (messages != m->stream_messages) m->changes++;
    m->stream_messages = messages;
}

static void next_batch(served_model *m, double until) {
    const sluice_status status = served_wait_for_topics(m, until, &m->stream_batch);
    m->stream_row = 0;
    if (status == SLUICE_OK) {
        if (sluice_batch_rows(m->stream_batch)) return;
        m->stream_batch = NULL;
        pass_messages(m, 0);
    } else if (status == SLUICE_END) {
        pass_messages(m, 1);
        note("%s: the topics' ends are reached", m->name);
        stop(m, "the topics' ends are reached (--until-end)");
    } else {
        sluice_error error;
        m->stream_batch = NULL;
        kafka_stopped(m->stream, m->reader, &error);
        stop_at(m, &error);
    }
}

void served_topics_learn(served_model *m, double until) {
    sluice_error err = {0};
    if (!m->stream_batch) next_batch(m, until);
    if (!m->stream_batch) return;
    const size_t left = sluice_batch_rows(m->stream_batch) - m->stream_row;
    const size_t n = left < TURN_ROWS ? left : TURN_ROWS;
    size_t done;
    const sluice_status status = served_learn(m, m->stream_batch, m->stream_row, n, NULL, NULL, &done, &err);
    if (done) kafka_row_done(m->stream, m->stream_batch, m->stream_row + done - 1);
    m->stream_row += done;
    if (status != SLUICE_OK) {
        kafka_find_place(m->stream, &err);
        stop_at(m, &err);
    } else if (m->stream_row == sluice_batch_rows(m->stream_batch)) {
        m->stream_batch = NULL;
        pass_messages(m, 0);
    }
}

sluice_status served_topics_remember(served_model *m, sluice_error *err) {
    if (!m->stream || !kafka_remember(m->stream, m->model)) return SLUICE_OK;
    return served_fail(err, SLUICE_E_IO, "dead letters could not be delivered, or positions not kept");
}

void served_topics_saved(served_model *m) {
    if (m->stream) kafka_saved(m->stream);
}

void served_topics_figures(served_model *m, served_figures *f) {
    if (!m->stream) return;
    f->kafka = kafka_count(m->stream);
    f->kafka_up = m->reader && !f->kafka.down;
    f->skipped = m->skipped_before + skipped(m->reader);
}
