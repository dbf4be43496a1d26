/* Sends figures to the pages that are open, every second. */
#include "output/progress.h"
#include "serve/serving.h"
#include "serve/watch/dashboard.h"
#include "serve/watch/heavy_features.h"
#include "serve/watch/serve_metrics.h"
#include "serve/watch/watch_history.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What takes longer to find than figures: features, mistakes, classes. */
typedef struct model_details {
    text_buffer heaviest, text;
    double heaviest_due, due; /* now_seconds() */
} model_details;

struct dashboard {
    pthread_mutex_t lock;
    watch_history history;
    model_details *details; /* of each model */
    size_t turn;            /* the model whose details go out next */
    text_buffer event;
};

/* Finding the heaviest features may take this share of the time. */
static const double heaviest_share = 0.02, heaviest_seconds = 2, details_seconds = 0.9;

dashboard *dashboard_new(void) {
    dashboard *d = calloc(1, sizeof *d);
    if (d && pthread_mutex_init(&d->lock, NULL) != 0) {
        free(d);
        d = NULL;
    }
    return d;
}

void dashboard_free(dashboard *d) {
    if (!d) return;
    for (size_t i = 0; d->details && i < d->history.n; i++) {
        text_free(&d->details[i].heaviest);
        text_free(&d->details[i].text);
    }
    free(d->details);
    history_free(&d->history);
    text_free(&d->event);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- details
 * --------------------------------------------------------------------------------------------------------- */

/* An event of several lines would be several. JSON has line ends between its values alone. */
static void join_lines(text_buffer *t, size_t from) {
    for (size_t i = from; i < t->n; i++)
        if (t->text[i] == '\n' || t->text[i] == '\r') t->text[i] = ' ';
}

/* [label, predictions] of each class; those that are counted together: [null, predictions, how many]. */
static void put_classes(text_buffer *t, served_model *m, const snapshot *now) {
    text_char(t, '[');
    for (size_t i = 0; i < now->labels && i < SERVED_CLASSES_COUNTED; i++) {
        text_put(t, i ? ",[" : "[");
        text_json_short(t, now->label[i], now->label_n[i], SERVED_SHOWN_BYTES);
        text_char(t, ',');
        text_count(t, served_predictions(m, i));
        text_char(t, ']');
    }
    if (now->labels > SERVED_CLASSES_COUNTED)
        text_format(t, ",[null,%" PRIu64 ",%zu]", served_predictions(m, SERVED_CLASSES_COUNTED),
                    now->labels - SERVED_CLASSES_COUNTED);
    text_char(t, ']');
}

static void refresh_details(dashboard *d, const serving *s, size_t i) {
    model_details *to = &d->details[i];
    served_model *m = s->model[i];
    text_buffer *t = &to->text;
    const double now = now_seconds();
    if (now < to->due) return;
    to->due = now + details_seconds;
    const snapshot *by = served_take(m);
    if (now >= to->heaviest_due) {
        text_clear(&to->heaviest);
        heavy_put(by, &to->heaviest);
        const double after = now_seconds(), rest = (after - now) / heaviest_share;
        to->heaviest_due = after + (rest > heaviest_seconds ? rest : heaviest_seconds);
    }
    text_clear(t);
    text_put(t, "{\"model\":");
    text_json_string(t, served_name(m), strlen(served_name(m)));
    text_put(t, ",\"heaviest\":");
    text_add(t, to->heaviest.text, to->heaviest.n);
    text_put(t, ",\"classes\":");
    put_classes(t, m, by);
    served_release(by);
    const size_t from = t->n;
    text_put(t, ",\"newest\":");
    served_put_newest(m, t);
    text_put(t, ",\"leader\":");
    served_put_leader(m, t);
    text_put(t, ",\"mistakes\":");
    served_put_mistakes(m, t);
    if (!t->failed) join_lines(t, from);
}

/* ---- figures
 * --------------------------------------------------------------------------------------------------------- */

static void put_count(text_buffer *t, const char *key, uint64_t n) {
    text_json_key(t, key);
    text_count(t, n);
}

static void put_number(text_buffer *t, const char *key, double x) {
    text_json_key(t, key);
    history_put_number(t, x);
}

static void put_text(text_buffer *t, const char *key, const char *text) {
    text_json_key(t, key);
    text_json_string(t, text, strlen(text));
}

static void put_model(text_buffer *t, const model_history *m, const served_model *from) {
    const served_figures *f = &m->figures;
    text_char(t, '{');
    put_text(t, "learner", f->learner ? f->learner->name : "");
    put_text(t, "cannot_learn", served_cannot_learn(from) ? served_cannot_learn(from) : "");
    put_number(t, "error", f->error_rate);
    put_number(t, "window_error", f->window_error);
    put_count(t, "window", f->window);
    put_number(t, "learned", m->now.learned);
    put_number(t, "predicted", m->now.predicted);
    put_count(t, "examples", f->examples);
    put_count(t, "predictions", m->predictions);
    put_count(t, "version", f->version);
    put_count(t, "snapshot_version", f->snapshot_version);
    put_count(t, "saved_version", f->saved_version);
    put_count(t, "nonzeros", f->nonzeros);
    put_count(t, "features", f->features_seen);
    put_count(t, "evicted", f->evicted);
    put_count(t, "memory", f->memory);
    put_count(t, "drift_alarms", f->drift_alarms);
    put_number(t, "snapshot_age", f->snapshot_age);
    put_number(t, "snapshot_cost", f->snapshot_cost);
    put_number(t, "saved_age", f->saved_age);
    put_count(t, "saves", f->saves);
    put_count(t, "failed_saves", f->failed_saves);
    put_text(t, "save_error", f->save_error);
    put_count(t, "queue", f->queued_rows);
    put_count(t, "queue_room", f->queue_room);
    put_count(t, "refused_rows", f->refused_rows);
    put_text(t, "stopped", f->stopped);
    if (f->has_kafka) {
        text_json_key(t, "kafka");
        text_char(t, '{');
        put_count(t, "up", f->kafka_up != 0);
        put_count(t, "messages", f->kafka.messages);
        put_count(t, "skipped", f->skipped);
        put_number(t, "lag", f->kafka.lag < 0 ? (double)NAN : (double)f->kafka.lag);
        text_char(t, '}');
    }
    text_char(t, '}');
}

/* Of all models and the server; an object that is not closed yet. */
static void put_figures(text_buffer *t, const dashboard *d, const serving *s) {
    const watch_history *h = &d->history;
    const http_counts http = http_count(s->http);
    text_format(t, "{\"now\":%.1f,\"server\":{", h->now.time);
    put_text(t, "version", sluice_version());
    put_number(t, "uptime", now_seconds() - s->started);
    put_number(t, "median", h->now.median);
    put_number(t, "p99", h->now.p99);
    put_number(t, "requests", h->now.requests);
    put_number(t, "resident", h->now.resident);
    put_count(t, "connections", http.open_connections);
    put_count(t, "pages", http.event_streams);
    if (s->labels) put_count(t, "labels_waiting", label_store_count(s->labels).waiting);
    put_count(t, "ends", s->ends != 0);
    text_put(t, "},\"models\":{");
    for (size_t i = 0; i < h->n; i++) {
        text_json_key(t, served_name(s->model[i]));
        put_model(t, &h->model[i], s->model[i]);
    }
    text_char(t, '}');
}

static void put_details(text_buffer *t, dashboard *d, const serving *s, size_t i) {
    refresh_details(d, s, i);
    if (d->details[i].text.failed) return;
    text_put(t, ",\"details\":");
    text_add(t, d->details[i].text.text, d->details[i].text.n);
    text_put(t, ",\"alarms\":"); /* as new as the figures: the rest may be older */
    history_put_alarms(&d->history, i, t);
    text_char(t, '}');
}

static int sample(dashboard *d, const serving *s) {
    if (!history_sample(&d->history, s)) return 0;
    if (!d->details) d->details = calloc(s->n_models + 1, sizeof *d->details);
    return d->details != NULL;
}

void dashboard_tick(serving *s) {
    dashboard *d = metrics_dashboard(s->metrics);
    text_buffer *t = &d->event;
    pthread_mutex_lock(&d->lock);
    if (sample(d, s) && http_event_streams(s->http)) {
        text_clear(t);
        text_put(t, "data: ");
        put_figures(t, d, s);
        d->turn = (d->turn + 1) % s->n_models;
        put_details(t, d, s, d->turn);
        text_put(t, "}\n\n");
        if (!t->failed) http_send_events(s->http, t->text, t->n);
    }
    pthread_mutex_unlock(&d->lock);
}

/* The first event has the past hour of one model, the one that `model` names. */
static void put_first(text_buffer *t, dashboard *d, const serving *s, size_t i) {
    const char *name = served_name(s->model[i]);
    text_put(t, "data: ");
    put_figures(t, d, s);
    put_details(t, d, s, i);
    text_json_key(t, "model");
    text_json_string(t, name, strlen(name));
    text_format(t, ",\"every\":%d,\"history\":{\"model\":", HISTORY_SECONDS);
    history_put_model(&d->history, i, t);
    text_put(t, ",\"server\":");
    history_put_server(&d->history, t);
    text_put(t, "}}\n\n");
}

void handle_events(void *context, http_request *r) {
    const serving *s = context;
    dashboard *d = metrics_dashboard(s->metrics);
    const char *name = http_query(r, "model");
    const served_model *m = name ? serving_find(s, name) : s->model[0];
    text_buffer t = {0};
    size_t i = 0;
    if (!m) {
        http_refuse(r, 404, "there is no model called '%.64s'; GET /v2/models lists them", name);
        return;
    }
    while (s->model[i] != m) i++;
    r->model = served_name(m);
    if (strcmp(r->method, "HEAD") == 0) { /* libmicrohttpd would send the end of a stream's chunks */
        http_answer(r, 200, "text/event-stream");
        return;
    }
    pthread_mutex_lock(&d->lock);
    const int sampled = d->details || sample(d, s);
    if (sampled) put_first(&t, d, s, i);
    pthread_mutex_unlock(&d->lock);
    if (!sampled || t.failed)
        http_refuse(r, 503, "no memory");
    else
        http_begin_events(r, t.text, t.n);
    text_free(&t);
}
