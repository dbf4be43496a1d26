/* Counts requests by route, status and latency, without a cache line that the threads would contend for. */
#include "serve/watch/serve_metrics.h"

#include "serve/serving.h"
#include "serve/shards.h"
#include "serve/watch/dashboard.h"

#include <stdatomic.h>
#include <stdlib.h>

/* 1, 1.25, 1.6 ... are about equal steps of logarithms; those that Prometheus is told of, 1, 2.5 and 5, are among them.
 */
const double metrics_bound[METRICS_BOUNDS] = {
    1e-5, 1.25e-5, 1.6e-5,  2e-5,   2.5e-5, 3.2e-5,  4e-5,   5e-5, 6.3e-5,  8e-5,   1e-4, 1.25e-4, 1.6e-4,
    2e-4, 2.5e-4,  3.2e-4,  4e-4,   5e-4,   6.3e-4,  8e-4,   1e-3, 1.25e-3, 1.6e-3, 2e-3, 2.5e-3,  3.2e-3,
    4e-3, 5e-3,    6.3e-3,  8e-3,   1e-2,   1.25e-2, 1.6e-2, 2e-2, 2.5e-2,  3.2e-2, 4e-2, 5e-2,    6.3e-2,
    8e-2, 1e-1,    1.25e-1, 1.6e-1, 2e-1,   2.5e-1,  3.2e-1, 4e-1, 5e-1,    6.3e-1, 8e-1, 1,       1.25,
    1.6,  2,       2.5,     3.2,    4,      5,       6.3,    8,    10};

const unsigned metrics_status[METRICS_STATUSES] = {200, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409, 411,
                                                   412, 413, 414, 415, 417, 422, 429, 431, 500, 501, 503, 507, 0};

typedef _Atomic uint64_t counter;

typedef struct route_counters {
    counter answers[METRICS_STATUSES], rows, latency[METRICS_BOUNDS + 1], nanoseconds;
} route_counters;

struct metrics {
    size_t routes;                 /* with the one of requests that no route takes */
    route_counters *shard[SHARDS]; /* each thread counts in one of its own, as long as these are enough */
    struct dashboard *dashboard;
};

static void add(counter *c, uint64_t n) { atomic_fetch_add_explicit(c, n, memory_order_relaxed); }

metrics *metrics_new(void) {
    metrics *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    while (serve_routes[m->routes].method) m->routes++;
    m->routes++;
    const size_t bytes = (m->routes * sizeof(route_counters) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    int complete = (m->dashboard = dashboard_new()) != NULL;
    for (size_t i = 0; i < SHARDS && complete; i++) {
        route_counters *route = m->shard[i] = aligned_alloc(CACHE_LINE, bytes);
        complete = route != NULL;
        for (size_t r = 0; r < m->routes && complete; r++) {
            for (size_t k = 0; k < METRICS_STATUSES; k++) atomic_init(&route[r].answers[k], 0);
            for (size_t k = 0; k <= METRICS_BOUNDS; k++) atomic_init(&route[r].latency[k], 0);
            atomic_init(&route[r].rows, 0);
            atomic_init(&route[r].nanoseconds, 0);
        }
    }
    if (complete) return m;
    metrics_free(m);
    return NULL;
}

void metrics_free(metrics *m) {
    if (!m) return;
    for (size_t i = 0; i < SHARDS; i++) free(m->shard[i]);
    dashboard_free(m->dashboard);
    free(m);
}

static size_t find_bound(double seconds) {
    size_t low = 0, high = METRICS_BOUNDS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (seconds <= metrics_bound[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void metrics_answered(void *context, const http_request *request, unsigned status, double seconds) {
    const serving *s = context;
    metrics *m = s->metrics;
    if (!m) return; /* the server starts */
    const size_t last = m->routes - 1, number = request->route ? (size_t)(request->route - serve_routes) : last;
    route_counters *route = &m->shard[my_shard()][number < last ? number : last];
    if (!(seconds >= 0)) seconds = 0;
    size_t k = 0;
    while (metrics_status[k] != status && metrics_status[k]) k++;
    add(&route->answers[k], 1);
    add(&route->latency[find_bound(seconds)], 1);
    add(&route->nanoseconds, (uint64_t)(seconds * 1e9));
    if (request->rows) add(&route->rows, request->rows);
}

size_t metrics_routes(const metrics *m) { return m->routes; }

static uint64_t value(const counter *c) { return atomic_load_explicit(c, memory_order_relaxed); }

void metrics_add_route(const metrics *m, size_t route, route_counts *counts) {
    for (size_t i = 0; i < SHARDS; i++) {
        const route_counters *from = &m->shard[i][route];
        for (size_t k = 0; k < METRICS_STATUSES; k++) counts->answers[k] += value(&from->answers[k]);
        for (size_t k = 0; k <= METRICS_BOUNDS; k++) counts->latency[k] += value(&from->latency[k]);
        counts->rows += value(&from->rows);
        counts->seconds += 1e-9 * (double)value(&from->nanoseconds);
    }
}

struct dashboard *metrics_dashboard(const metrics *m) {
    return m->dashboard;
}
