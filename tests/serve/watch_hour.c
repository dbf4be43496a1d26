/* Two hours of a server's figures within a moment: prints the first event that a page gets then, for first_event.py. */
#include "serve/watch_fakes.h"

#include "serve/watch/serve_metrics.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 7200 };

static served_model quiet, busy;

/* Of each second: 100 rows learned, 30 predicted as ham and 20 as spam; 100 requests, one of them slow. */
static void live(serving *server, int second) {
    served_figures *f = &busy.figures;
    f->examples += 100;
    busy.predictions[0] += 30;
    busy.predictions[1] += 20;
    f->error_rate = 0.25;
    f->window_error = second % 2 ? 0.5 : 0.125;
    f->nonzeros = 123456789012345;
    f->queued_rows = (uint64_t)second;
    if (second >= 3000 && second % 100 == 0) { /* 42 alarms */
        f->drift_alarms++;
        f->last_alarm = (sluice_drift_alarm){.example = f->examples, .error_before = 0.1, .error_after = 0.2};
    }
    for (int i = 0; i < 100; i++) {
        const http_request r = {.route = &serve_routes[i % 2 ? 0 : 3]};
        metrics_answered(server, &r, 200, i ? 0.0009 : 0.9);
        const http_request other = {.route = &serve_routes[1]};
        metrics_answered(server, &other, 200, 5);
    }
}

int main(int argc, char **argv) {
    static char *two[] = {"ham", "<b>\xff\"\n"};
    static size_t two_n[] = {3, 6};
    static served_model *models[] = {&busy, &quiet};
    fake_model(&busy, "busy", two, two_n, 2);
    fake_model(&quiet, "quiet", two, two_n, 2);
    busy.figures.drift_alarms = 7; /* of earlier runs */
    busy.newest = "[{\"feature\":\"a\\u2028b\"}\n]";
    busy.mistakes = "[\r\n]";
    serving server = {.model = models, .n_models = 2, .metrics = metrics_new()};
    if (!server.metrics) return 1;
    http_request r = {.method = "GET", .route = &serve_routes[0]};
    (void)argv;
    if (argc > 1) { /* before anything was sampled */
        handle_events(&server, &r);
    } else {
        for (int second = 0; second < SECONDS; second++) {
            fake_now += 1;
            fake_http.event_streams = second % 7 == 0;
            live(&server, second);
            dashboard_tick(&server);
        }
        handle_events(&server, &r);
    }
    if (fake_status != 200 || fake_taken) return 1;
    fwrite(r.answer.text, 1, r.answer.n, stdout);
    text_free(&r.answer);
    metrics_free(server.metrics);
    return 0;
}
