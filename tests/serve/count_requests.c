/* Counts requests from many threads and prints what /metrics says of them, for metrics_counted.py. */
#include "serve/watch_fakes.h"

#include "serve/watch/serve_metrics.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 20, TURNS = 3000, MANY = 70 }; /* more threads than there are shards */

static serving server;

/* Each turn: five answers of route 0, one of 2 and of 3 (which are one route), one that no route takes. */
static void *count(void *unused) {
    (void)unused;
    static const unsigned statuses[] = {200, 200, 200, 429, 799};
    static const double seconds[] = {1e-5, 1.1e-5, 0.003, 9.9, 100};
    for (int turn = 0; turn < TURNS; turn++) {
        http_request r = {.rows = 3};
        for (size_t i = 0; i < 5; i++) {
            r.route = &serve_routes[0];
            metrics_answered(&server, &r, statuses[i], seconds[i]);
        }
        r.rows = 0;
        for (size_t i = 2; i < 4; i++) {
            r.route = &serve_routes[i];
            metrics_answered(&server, &r, 200, 0.0005);
        }
        r.route = NULL;
        metrics_answered(&server, &r, 404, 0);
    }
    return NULL;
}

int main(void) {
    static char *hostile[] = {"a\"b\\c\nd", "\xff", "\xfe", "x\0y", "\xd7\x90\xe2\x80\xae<b>"};
    static size_t hostile_n[] = {7, 1, 1, 3, 8};
    static char *two[] = {"ham", "spam"};
    static size_t two_n[] = {3, 4};
    static served_model a, b, c;
    served_model *models[] = {&a, &b, &c};
    static char name[MANY][300], *many[MANY];
    static size_t many_n[MANY];
    pthread_t thread[THREADS];
    fake_model(&a, "classes", hostile, hostile_n, 5);
    fake_model(&b, "spam.v2", two, two_n, 2);
    for (size_t i = 0; i < 5; i++) a.predictions[i] = i + 1;
    for (int i = 0; i < MANY; i++) many_n[i] = (size_t)sprintf(many[i] = name[i], "%d", i);
    memset(name[5], 'x', many_n[5] = sizeof name[5]);
    memcpy(&name[5][198], "\xe2\x82\xac", 3); /* a character across the 200th byte */
    fake_model(&c, "many", many, many_n, MANY);
    c.predictions[5] = 55;
    c.predictions[63] = 63;
    c.predictions[64] = 6464;
    served_figures *f = &b.figures;
    f->snapshot_version = 1000, f->version = 1234, f->saved_version = 900;
    f->examples = 234, f->mistakes = 17, f->updates = 99, f->features_seen = 5000, f->nonzeros = 321, f->evicted = 12;
    f->refused = 2, f->memory = 1 << 20;
    f->error_rate = 0.0726, f->window_error = 0.25, f->fading_error = 0.125, f->window = 1000, f->drift_alarms = 3;
    f->snapshot_age = 0.5, f->snapshot_cost = 0.015, f->saved_age = 20, f->saving_cost = 0.25;
    f->saves = 8, f->failed_saves = 1, f->rollbacks = 2, f->reloads = 5;
    strcpy(f->save_error, "no room");
    f->queued_rows = 7, f->queue_room = 10000, f->refused_rows = 70;
    f->has_kafka = 1, f->kafka_up = 1, f->kafka = (kafka_counts){11, 1, 2, 333}, f->skipped = 6;
    fake_labels = (label_counts){.waiting = 5,
                                 .unsaved = 1,
                                 .remembered = 100,
                                 .labelled = 60,
                                 .expired = 30,
                                 .forgotten = 5,
                                 .unknown = 9,
                                 .failed = 2};
    fake_http = (http_counts){.connections = 77,
                              .refused_connections = 3,
                              .open_connections = 8,
                              .event_streams = 2,
                              .bytes_in = 1000,
                              .bytes_out = 2000};
    server = (serving){.model = models, .n_models = 3, .labels = (label_store *)&fake_labels, .metrics = metrics_new()};
    if (!server.metrics) return 1;
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 20; i++) { /* scrapes meanwhile: for ThreadSanitizer */
        http_request r = {0};
        handle_metrics(&server, &r);
        text_free(&r.answer);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    http_request r = {0};
    handle_metrics(&server, &r);
    if (fake_status != 200 || fake_taken) return 1;
    fwrite(r.answer.text, 1, r.answer.n, stdout);
    text_free(&r.answer);
    metrics_free(server.metrics);
    return 0;
}
