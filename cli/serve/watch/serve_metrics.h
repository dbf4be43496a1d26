/* Counts what the server does, for Prometheus and for the page. */
#ifndef CLI_SERVE_METRICS_H
#define CLI_SERVE_METRICS_H

#include "http/http_server.h"

typedef struct metrics metrics;

/* NULL: no memory. */
metrics *metrics_new(void);
void metrics_free(metrics *m);
/* http_settings.answered: counts an answer; the context is the serving. */
void metrics_answered(void *serving, const http_request *request, unsigned status, double seconds);

/* ---- what was counted ---- */

/* Bounds of latencies in seconds, ten in every power of ten: from 10 us to 10 s, each inclusive. */
enum { METRICS_BOUNDS = 61 };
extern const double metrics_bound[METRICS_BOUNDS];

/* Routes are numbered as in serve_routes; the one behind the last is for requests that no route takes. */
enum { METRICS_STATUSES = 26 };
extern const unsigned metrics_status[METRICS_STATUSES]; /* the last is 0: any other */

typedef struct route_counts {
    uint64_t answers[METRICS_STATUSES], rows;
    uint64_t latency[METRICS_BOUNDS + 1]; /* up to each bound, not those below it; the last: beyond them all */
    double seconds;                       /* all latencies */
} route_counts;

size_t metrics_routes(const metrics *m);
/* Adds what was counted of a route to *counts. */
void metrics_add_route(const metrics *m, size_t route, route_counts *counts);

/* Of the page that shows all this live. */
struct dashboard *metrics_dashboard(const metrics *m);

#endif
