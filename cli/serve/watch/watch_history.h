/* The past hour of what a server did, in memory that does not grow: a point every few seconds. */
#ifndef CLI_WATCH_HISTORY_H
#define CLI_WATCH_HISTORY_H

#include "http/text_buffer.h"
#include "serve/serving.h"

enum {
    HISTORY_SECONDS = 5,  /* from point to point */
    HISTORY_POINTS = 720, /* an hour */
    HISTORY_ALARMS = 32   /* the last ones of a model that are kept */
};

/* Rates are of a second; NaN where there are none. */
typedef struct model_point {
    double time; /* seconds since 1970 */
    double error, window_error;
    double learned, predicted; /* rows a second */
    uint64_t nonzeros, queued;
} model_point;

typedef struct server_point {
    double time;
    double median, p99; /* of the seconds that predictions took; NaN: none was asked for */
    double requests;    /* a second, of all kinds */
    double resident;    /* bytes */
} server_point;

typedef struct timed_alarm {
    double time;
    sluice_drift_alarm alarm;
} timed_alarm;

typedef struct model_history {
    served_figures figures; /* of the last second */
    uint64_t predictions;
    model_point now; /* of the last second */
    model_point point[HISTORY_POINTS];
    uint64_t examples_at_point, predictions_at_point;
    timed_alarm alarm[HISTORY_ALARMS]; /* a ring */
    uint64_t alarms;                   /* kept or overwritten */
    uint64_t alarms_before;            /* that the model had at the start, of which the last one is known alone */
} model_history;

/* What was counted of requests, for the differences. */
typedef struct request_counts {
    uint64_t answers, latency[62];
} request_counts;

typedef struct watch_history {
    size_t n;                /* models */
    model_history *model;    /* NULL: no second was sampled yet */
    double sampled, pointed; /* when, in now_seconds(); 0: never */
    uint64_t points;         /* so far; point i is at i % HISTORY_POINTS */
    server_point now, point[HISTORY_POINTS];
    request_counts at_sample, at_point;
} watch_history;

/* Reads all figures; to be called once a second. Returns 0 where there is no memory. */
int history_sample(watch_history *h, const serving *s);
void history_free(watch_history *h);
/* Seconds since 1970. */
double history_clock(void);

/* [[time, error, window error, learned, predicted, nonzeros, queued], ...], the oldest first. */
void history_put_model(const watch_history *h, size_t model, text_buffer *t);
/* [[time, median, p99, requests, resident], ...] */
void history_put_server(const watch_history *h, text_buffer *t);
/* [[time, example, error before, error after], ...] */
void history_put_alarms(const watch_history *h, size_t model, text_buffer *t);
/* A number with few digits. */
void history_put_number(text_buffer *t, double x);

#endif
