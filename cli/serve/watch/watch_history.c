/* Keeps the past hour of what a server did. */
#include "serve/watch/watch_history.h"

#include "output/progress.h"
#include "serve/watch/process_figures.h"
#include "serve/watch/serve_metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double history_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- requests
 * -------------------------------------------------------------------------------------------------------- */

static int answers_predictions(size_t route) {
    const char *name = serve_routes[route].method ? serve_routes[route].name : "";
    return strcmp(name, "predict") == 0 || strcmp(name, "infer") == 0;
}

static request_counts count_requests(const metrics *m) {
    _Static_assert(sizeof((request_counts *)0)->latency / sizeof(uint64_t) == METRICS_BOUNDS + 1, "all bounds");
    request_counts all = {0};
    for (size_t r = 0; m && r < metrics_routes(m); r++) {
        route_counts counts = {0};
        metrics_add_route(m, r, &counts);
        for (size_t k = 0; k < METRICS_STATUSES; k++) all.answers += counts.answers[k];
        for (size_t k = 0; k <= METRICS_BOUNDS && answers_predictions(r); k++) all.latency[k] += counts.latency[k];
    }
    return all;
}

/* The time that a share of the requests since `before` did not exceed: between two bounds as if logarithms were
 * spread evenly. */
static double quantile(const request_counts *now, const request_counts *before, double share) {
    uint64_t n = 0, below = 0;
    for (size_t k = 0; k <= METRICS_BOUNDS; k++) n += now->latency[k] - before->latency[k];
    if (n == 0) return NAN;
    const double rank = share * (double)n;
    for (size_t k = 0; k < METRICS_BOUNDS; k++) {
        const uint64_t here = now->latency[k] - before->latency[k];
        if (here && (double)(below + here) >= rank) {
            const double low = k ? metrics_bound[k - 1] : metrics_bound[0] / 2;
            return low * pow(metrics_bound[k] / low, (rank - (double)below) / (double)here);
        }
        below += here;
    }
    return metrics_bound[METRICS_BOUNDS - 1];
}

static server_point server_since(const request_counts *now, const request_counts *before, double seconds, double time) {
    return (server_point){.time = time,
                          .median = quantile(now, before, 0.5),
                          .p99 = quantile(now, before, 0.99),
                          .requests = seconds > 0 ? (double)(now->answers - before->answers) / seconds : NAN};
}

/* ---- models
 * ---------------------------------------------------------------------------------------------------------- */

/* A model that was rolled back may have fewer than before. */
static double rate(uint64_t now, uint64_t before, double seconds) {
    return seconds > 0 ? (double)(now - (before < now ? before : now)) / seconds : NAN;
}

static void keep_alarm(model_history *m, double time) {
    const served_figures *f = &m->figures;
    if (f->drift_alarms < m->alarms_before) m->alarms_before = f->drift_alarms; /* an earlier checkpoint */
    if (f->drift_alarms == m->alarms_before) return;
    m->alarms_before = f->drift_alarms;
    m->alarm[m->alarms++ % HISTORY_ALARMS] = (timed_alarm){time, f->last_alarm};
}

static void sample_model(model_history *m, served_model *from, double seconds, double time, int first) {
    const uint64_t examples = m->figures.examples, predictions = m->predictions;
    served_read_figures(from, &m->figures);
    m->predictions = 0;
    for (size_t i = 0; i <= SERVED_CLASSES_COUNTED; i++) m->predictions += served_predictions(from, i);
    const served_figures *f = &m->figures;
    if (first) m->alarms_before = f->drift_alarms;
    keep_alarm(m, time);
    m->now = (model_point){.time = time,
                           .error = f->error_rate,
                           .window_error = f->window_error,
                           .learned = rate(f->examples, examples, seconds),
                           .predicted = rate(m->predictions, predictions, seconds),
                           .nonzeros = f->nonzeros,
                           .queued = f->queued_rows};
    if (first) m->examples_at_point = f->examples, m->predictions_at_point = m->predictions;
}

static void add_point(watch_history *h, const request_counts *requests, double seconds) {
    const size_t at = h->points++ % HISTORY_POINTS;
    for (size_t i = 0; i < h->n; i++) {
        model_history *m = &h->model[i];
        m->point[at] = m->now;
        m->point[at].learned = rate(m->figures.examples, m->examples_at_point, seconds);
        m->point[at].predicted = rate(m->predictions, m->predictions_at_point, seconds);
        m->examples_at_point = m->figures.examples;
        m->predictions_at_point = m->predictions;
    }
    h->point[at] = server_since(requests, &h->at_point, seconds, h->now.time);
    h->point[at].resident = h->now.resident;
    h->at_point = *requests;
}

int history_sample(watch_history *h, const serving *s) {
    const double now = now_seconds(), time = history_clock();
    const int first = !h->model;
    if (first && !(h->model = calloc(s->n_models + 1, sizeof *h->model))) return 0;
    h->n = s->n_models;
    const double seconds = first ? 0 : now - h->sampled;
    const request_counts requests = count_requests(s->metrics);
    for (size_t i = 0; i < h->n; i++) sample_model(&h->model[i], s->model[i], seconds, time, first);
    if (first) h->at_sample = h->at_point = requests, h->pointed = now;
    h->now = server_since(&requests, &h->at_sample, seconds, time);
    h->now.resident = process_read().resident;
    h->at_sample = requests;
    h->sampled = now;
    if (now - h->pointed >= HISTORY_SECONDS - 0.5) {
        add_point(h, &requests, now - h->pointed);
        h->pointed = now;
    }
    return 1;
}

void history_free(watch_history *h) {
    free(h->model);
    h->model = NULL;
}

/* ---- as JSON
 * --------------------------------------------------------------------------------------------------------- */

void history_put_number(text_buffer *t, double x) {
    if (isfinite(x))
        text_format(t, fabs(x) < 1e15 && x == floor(x) ? "%.0f" : "%.5g", x);
    else
        text_put(t, "null");
}

/* The time, as the first of a list's numbers. */
static void put_time(text_buffer *t, double time) {
    const char last = t->n ? t->text[t->n - 1] : '[';
    if (last != '[') text_char(t, ',');
    text_format(t, "[%.1f", time);
}

static void put_numbers(text_buffer *t, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        text_char(t, ',');
        history_put_number(t, x[i]);
    }
    text_char(t, ']');
}

static uint64_t oldest(uint64_t n, uint64_t kept) { return n > kept ? n - kept : 0; }

void history_put_model(const watch_history *h, size_t model, text_buffer *t) {
    text_char(t, '[');
    for (uint64_t i = oldest(h->points, HISTORY_POINTS); i < h->points; i++) {
        const model_point *p = &h->model[model].point[i % HISTORY_POINTS];
        const double x[] = {p->error,     p->window_error,     p->learned,
                            p->predicted, (double)p->nonzeros, (double)p->queued};
        put_time(t, p->time);
        put_numbers(t, x, sizeof x / sizeof *x);
    }
    text_char(t, ']');
}

void history_put_server(const watch_history *h, text_buffer *t) {
    text_char(t, '[');
    for (uint64_t i = oldest(h->points, HISTORY_POINTS); i < h->points; i++) {
        const server_point *p = &h->point[i % HISTORY_POINTS];
        const double x[] = {p->median, p->p99, p->requests, p->resident};
        put_time(t, p->time);
        put_numbers(t, x, sizeof x / sizeof *x);
    }
    text_char(t, ']');
}

void history_put_alarms(const watch_history *h, size_t model, text_buffer *t) {
    const model_history *m = &h->model[model];
    text_char(t, '[');
    for (uint64_t i = oldest(m->alarms, HISTORY_ALARMS); i < m->alarms; i++) {
        const timed_alarm *a = &m->alarm[i % HISTORY_ALARMS];
        const double x[] = {a->alarm.error_before, a->alarm.error_after};
        put_time(t, a->time);
        text_format(t, ",%" PRIu64, a->alarm.example);
        put_numbers(t, x, sizeof x / sizeof *x);
    }
    text_char(t, ']');
}
