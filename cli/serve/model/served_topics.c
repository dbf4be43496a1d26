/* The topics of a model: their rows are learned between the jobs. */
#include "serve/model/served_parts.h"

#include "kafka/kafka.h"
#include "output/message.h"
#include "output/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TURN_ROWS = 2048 };
static const double events_seconds = 30; /* between two looks at a stream that is no longer read, */
/* topics are opened while others wait for the learner thread: it waits this long, and tries again after that */
static const double patience_seconds = 2, again_seconds = 5;
static const double letter_seconds = 0.01; /* and at dead letters that are under way */

int served_topics_open(served_model *m) {
    const model_reading *r = served_reading(m);
    int rc = kafka_open(&m->topics, m->model, &r->topics, &m->stream, &m->reader);
    m->opens_later = rc && kafka_may_open_later(m->stream);
    if (rc) served_topics_close(m);
    pthread_mutex_lock(&m->figures_lock);
    m->figures.has_kafka = 1;
    m->figures.kafka_up = !rc;
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
    if (m->stream) kafka_leave(m->stream);
    sluice_reader_close(m->reader);
    m->reader = NULL;
    m->stream_batch = NULL;
    m->came = CAME_NOTHING;
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

/* Where no broker answers it is tried again later. */
static void open_again(served_model *m) {
    const int waited = m->opens_later;
    if (!served_topics_open(m)) {
        if (waited) note("%s: its topics are read again", m->name);
    } else if (!m->opens_later) {
        stop(m, "the topics could not be opened again; the server's messages say why");
    } else {
        if (!waited) warning("%s: no broker answers; its topics are read again when one does", m->name);
        m->topics_at = now_seconds() + again_seconds;
    }
}

void served_topics_reopen(served_model *m) {
    if (!m->topics.brokers || !m->file) return;
    served_topics_close(m);
    m->opens_later = 0;
    m->topics.from = KAFKA_FROM_POSITION; /* what --from said was for the start */
    m->topics.patience = patience_seconds;
    open_again(m);
}

double served_topics_at(const served_model *m) {
    return m->opens_later || (m->stream && !m->reader) ? m->topics_at : INFINITY;
}

void served_topics_mind(served_model *m) {
    if (served_topics_at(m) > now_seconds()) return;
    if (m->opens_later) {
        open_again(m);
    } else {
        kafka_take_events(m->stream);
        m->topics_at = now_seconds() + events_seconds;
    }
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
    m->letters_arrived = 0;
    if (status == SLUICE_OK) {
        m->came = sluice_batch_rows(m->stream_batch) ? CAME_ROWS : CAME_NO_ROWS;
    } else if (status == SLUICE_END) {
        m->came = CAME_END;
    } else {
        sluice_error error;
        kafka_stopped(m->stream, m->reader, &error);
        stop_at(m, &error);
    }
}

/* Nothing of what came is done before the dead letters of it have arrived: what is saved is never past a message whose
 * letter is missing, and saving need not wait. A letter that will never arrive stops the topics, as a malformed message
 * does that is not to be left out. */
static int letters_arrived(served_model *m, double until) {
    sluice_error err;
    if (m->letters_arrived) return 1;
    switch (kafka_ask_letters(m->stream, &err)) {
    case LETTERS_ARRIVED:
        m->letters_arrived = 1;
        break;
    case LETTERS_UNDER_WAY:
        served_wait(m, fmin(until, now_seconds() + letter_seconds));
        break;
    case LETTERS_LOST:
        stop_at(m, &err);
    }
    return m->letters_arrived;
}

static void learn_rows(served_model *m) {
    sluice_error err = {0};
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
        m->came = CAME_NOTHING;
        pass_messages(m, 0);
    }
}

void served_topics_learn(served_model *m, double until) {
    /* dead letters of messages behind which nothing comes are looked after, too */
    if (m->came == CAME_NOTHING) next_batch(m, m->topics.dead_letters ? fmin(until, now_seconds() + 1) : until);
    if (m->came == CAME_NOTHING || !letters_arrived(m, until)) return;
    if (m->came == CAME_ROWS) {
        learn_rows(m);
        return;
    }
    const int ended = m->came == CAME_END;
    m->came = CAME_NOTHING;
    pass_messages(m, ended);
    if (!ended) return;
    note("%s: the topics' ends are reached", m->name);
    stop(m, "the topics' ends are reached (--until-end)");
}

sluice_status served_topics_remember(served_model *m, sluice_error *err) {
    if (!m->stream || !kafka_set_positions(m->stream, m->model)) return SLUICE_OK;
    return served_fail(err, SLUICE_E_IO, "positions in the topics could not be kept");
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
