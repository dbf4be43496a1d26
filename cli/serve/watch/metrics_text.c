/* Writes all metrics as Prometheus reads them: GET /metrics. */
#include "output/progress.h"
#include "serve/serving.h"
#include "serve/watch/process_figures.h"
#include "serve/watch/serve_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_value(text_buffer *t, double x) {
    text_char(t, ' ');
    if (isnan(x))
        text_put(t, "NaN");
    else if (isinf(x))
        text_put(t, x < 0 ? "-Inf" : "+Inf");
    else
        text_number(t, x);
    text_char(t, '\n');
}

static void put_count(text_buffer *t, uint64_t n) {
    text_char(t, ' ');
    text_count(t, n);
    text_char(t, '\n');
}

static void family(text_buffer *t, const char *name, const char *type, const char *help) {
    text_format(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The value of a label, any bytes. Returns whether it had some that the format does not allow: U+FFFD stands for them.
 */
static int put_label_value(text_buffer *t, const char *text, size_t n) {
    int changed = 0, shown;
    for (size_t k; n; text += k, n -= k) {
        const uint32_t c = sluice_character(text, n, &k, &shown);
        if (c == SLUICE_NO_CHARACTER || c == 0) {
            text_put(t, "\xef\xbf\xbd");
            changed = 1;
        } else if (c == '\n')
            text_put(t, "\\n");
        else {
            if (c == '"' || c == '\\') text_char(t, '\\');
            text_add(t, text, k);
        }
    }
    return changed;
}

static void one(text_buffer *t, const char *name, const char *type, const char *help, double value) {
    family(t, name, type, help);
    text_put(t, name);
    put_value(t, value);
}

/* ---- requests
 * -------------------------------------------------------------------------------------------------------- */

static const char *route_name(const metrics *m, size_t route) {
    return route + 1 < metrics_routes(m) ? serve_routes[route].name : "none";
}

/* Routes of one name are one: with and without a version in the path. 0: an earlier one has this name. */
static int add_routes(const metrics *m, size_t first, route_counts *counts) {
    const char *name = route_name(m, first);
    for (size_t r = 0; r < first; r++)
        if (strcmp(route_name(m, r), name) == 0) return 0;
    *counts = (route_counts){0};
    for (size_t r = first; r < metrics_routes(m); r++)
        if (strcmp(route_name(m, r), name) == 0) metrics_add_route(m, r, counts);
    return 1;
}

static void put_status(text_buffer *t, const char *route, unsigned status, uint64_t n) {
    text_format(t, "sluice_http_requests_total{route=\"%s\",status=\"", route);
    if (status)
        text_count(t, status);
    else
        text_put(t, "other");
    text_put(t, "\"}");
    put_count(t, n);
}

static int is_told(double bound) { /* 1, 2.5 or 5 times a power of ten */
    double x = bound;
    while (x < 0.9999) x *= 10;
    while (x > 9.999) x /= 10;
    return fabs(x - 1) < 1e-6 || fabs(x - 2.5) < 1e-6 || fabs(x - 5) < 1e-6;
}

static void put_histogram(text_buffer *t, const char *route, const route_counts *counts) {
    static const char name[] = "sluice_http_request_duration_seconds";
    uint64_t n = 0;
    for (size_t k = 0; k < METRICS_BOUNDS; k++) {
        n += counts->latency[k];
        if (!is_told(metrics_bound[k])) continue;
        text_format(t, "%s_bucket{route=\"%s\",le=\"", name, route);
        text_number(t, metrics_bound[k]);
        text_put(t, "\"}");
        put_count(t, n);
    }
    n += counts->latency[METRICS_BOUNDS];
    text_format(t, "%s_bucket{route=\"%s\",le=\"+Inf\"}", name, route);
    put_count(t, n);
    text_format(t, "%s_sum{route=\"%s\"}", name, route);
    put_value(t, counts->seconds);
    text_format(t, "%s_count{route=\"%s\"}", name, route);
    put_count(t, n);
}

static void put_requests(text_buffer *t, const metrics *m) {
    route_counts counts;
    family(t, "sluice_http_requests_total", "counter", "Answers by route and status.");
    for (size_t r = 0; r < metrics_routes(m); r++)
        if (add_routes(m, r, &counts))
            for (size_t k = 0; k < METRICS_STATUSES; k++)
                if (counts.answers[k]) put_status(t, route_name(m, r), metrics_status[k], counts.answers[k]);
    family(t, "sluice_http_request_duration_seconds", "histogram",
           "Time from the head of a request to the end of its answer.");
    for (size_t r = 0; r < metrics_routes(m); r++)
        if (add_routes(m, r, &counts)) put_histogram(t, route_name(m, r), &counts);
    family(t, "sluice_http_rows_total", "counter", "Rows that requests were about.");
    for (size_t r = 0; r < metrics_routes(m); r++)
        if (add_routes(m, r, &counts) && counts.rows) {
            text_format(t, "sluice_http_rows_total{route=\"%s\"}", route_name(m, r));
            put_count(t, counts.rows);
        }
}

static void put_connections(text_buffer *t, http_server *server) {
    const http_counts c = http_count(server);
    one(t, "sluice_http_connections", "gauge", "Connections that are open.", c.open_connections);
    one(t, "sluice_http_event_streams", "gauge", "Pages that are open: streams of events.", c.event_streams);
    one(t, "sluice_http_connections_total", "counter", "Connections that were taken.", (double)c.connections);
    one(t, "sluice_http_refused_connections_total", "counter", "Connections that were refused: there were too many.",
        (double)c.refused_connections);
    one(t, "sluice_http_request_bytes_total", "counter", "Bytes of the bodies of requests.", (double)c.bytes_in);
    one(t, "sluice_http_response_bytes_total", "counter", "Bytes of the bodies of answers.", (double)c.bytes_out);
}

/* ---- models
 * ---------------------------------------------------------------------------------------------------------- */

typedef enum figure_kind { COUNT, NUMBER, TRUTH, STRING, LAG } figure_kind;

/* A figure that every model has, or every model with a topic. */
typedef struct model_figure {
    const char *name, *type, *help;
    figure_kind kind;
    size_t place; /* in served_figures */
    int kafka;
} model_figure;

#define AT(member) offsetof(served_figures, member)
static const model_figure model_figures[] = {
    {"sluice_model_version", "gauge", "Examples that the model which answers has learned.", COUNT,
     AT(snapshot_version)},
    {"sluice_model_learned_version", "gauge", "Examples that the model which learns has learned.", COUNT, AT(version)},
    {"sluice_model_saved_version", "gauge", "Examples that the model in the file has learned.", COUNT,
     AT(saved_version)},
    {"sluice_examples_total", "counter", "Examples learned since the process began.", COUNT, AT(examples)},
    {"sluice_mistakes_total", "counter", "Examples predicted wrong before they were learned, since the process began.",
     COUNT, AT(mistakes)},
    {"sluice_updates_total", "counter", "Examples that changed the model.", COUNT, AT(updates)},
    {"sluice_refused_examples_total", "counter", "Examples that the model refused to learn.", COUNT, AT(refused)},
    {"sluice_drift_alarms_total", "counter", "Rises of the error that the watch for drift has found.", COUNT,
     AT(drift_alarms)},
    {"sluice_features", "gauge", "Features that the model has seen.", COUNT, AT(features_seen)},
    {"sluice_nonzero_features", "gauge", "Features whose weight is not zero.", COUNT, AT(nonzeros)},
    {"sluice_evicted_features_total", "counter", "Features that gave up their place to others.", COUNT, AT(evicted)},
    {"sluice_model_memory_bytes", "gauge", "Memory of the model that learns.", COUNT, AT(memory)},
    {"sluice_snapshot_age_seconds", "gauge", "Time since the model that answers was made.", NUMBER, AT(snapshot_age)},
    {"sluice_snapshot_cost_seconds", "gauge", "Time that making it took.", NUMBER, AT(snapshot_cost)},
    {"sluice_saved_age_seconds", "gauge", "Time since the model was saved.", NUMBER, AT(saved_age)},
    {"sluice_save_cost_seconds", "gauge", "Time that saving it took.", NUMBER, AT(saving_cost)},
    {"sluice_saves_total", "counter", "Times that the model was saved.", COUNT, AT(saves)},
    {"sluice_save_failures_total", "counter", "Times that saving it failed.", COUNT, AT(failed_saves)},
    {"sluice_save_failing", "gauge", "1 where the last attempt to save it failed.", STRING, AT(save_error)},
    {"sluice_rollbacks_total", "counter", "Times that the model went back to a checkpoint.", COUNT, AT(rollbacks)},
    {"sluice_reloads_total", "counter", "Times that the model's file was loaded anew.", COUNT, AT(reloads)},
    {"sluice_queue_rows", "gauge", "Rows that wait to be learned.", COUNT, AT(queued_rows)},
    {"sluice_queue_capacity_rows", "gauge", "Rows that may wait to be learned.", COUNT, AT(queue_room)},
    {"sluice_queue_refused_rows_total", "counter", "Rows that were not learned because too many waited.", COUNT,
     AT(refused_rows)},
    {"sluice_learning_stopped", "gauge", "1 where the model learns no more from its topics.", STRING, AT(stopped)},
    {"sluice_kafka_up", "gauge", "1 where the brokers can be reached.", TRUTH, AT(kafka_up), 1},
    {"sluice_kafka_lag_messages", "gauge", "Messages that are still to be read.", LAG, AT(kafka.lag), 1},
    {"sluice_kafka_messages_total", "counter", "Messages that were read.", COUNT, AT(kafka.messages), 1},
    {"sluice_kafka_tombstones_total", "counter", "Messages without a value, which were left out.", COUNT,
     AT(kafka.tombstones), 1},
    {"sluice_kafka_skipped_messages_total", "counter", "Malformed messages that were left out.", COUNT, AT(skipped), 1},
    {"sluice_kafka_dead_letters_total", "counter", "Malformed messages that were sent to the topic of dead letters.",
     COUNT, AT(kafka.dead_letters), 1},
};
enum { MODEL_FIGURES = sizeof model_figures / sizeof *model_figures };

/* name{model="..." without the closing brace. The names of models need no escaping (model_files.h), but get it. */
static void put_model(text_buffer *t, const char *name, served_model *m) {
    text_format(t, "%s{model=\"", name);
    put_label_value(t, served_name(m), strlen(served_name(m)));
    text_char(t, '"');
}

static void put_figure(text_buffer *t, const model_figure *what, const served_figures *figures) {
    const char *at = (const char *)figures + what->place;
    uint64_t n;
    double x;
    int truth;
    int64_t lag;
    switch (what->kind) {
    case COUNT:
        memcpy(&n, at, sizeof n);
        put_count(t, n);
        break;
    case NUMBER:
        memcpy(&x, at, sizeof x);
        put_value(t, x);
        break;
    case TRUTH:
        memcpy(&truth, at, sizeof truth);
        put_count(t, truth != 0);
        break;
    case LAG:
        memcpy(&lag, at, sizeof lag);
        put_value(t, lag < 0 ? NAN : (double)lag);
        break;
    case STRING: /* whether there is one */
        put_count(t, *at != 0);
    }
}

static void put_errors(text_buffer *t, const serving *s, const served_figures *figures) {
    static const struct {
        const char *over;
        size_t place;
    } errors[] = {{"all", AT(error_rate)}, {"window", AT(window_error)}, {"fading", AT(fading_error)}};
    family(t, "sluice_progressive_error_ratio", "gauge",
           "Share of the examples that were predicted wrong before they were learned: of all since the process began, "
           "of the "
           "last ones (sluice_error_window_examples), or of all with earlier ones counting less.");
    for (size_t i = 0; i < s->n_models; i++)
        for (size_t k = 0; k < 3; k++) {
            double rate;
            memcpy(&rate, (const char *)&figures[i] + errors[k].place, sizeof rate);
            put_model(t, "sluice_progressive_error_ratio", s->model[i]);
            text_format(t, ",over=\"%s\"}", errors[k].over);
            put_value(t, rate);
        }
    family(t, "sluice_error_window_examples", "gauge", "Examples in the window of the progressive error.");
    for (size_t i = 0; i < s->n_models; i++) {
        put_model(t, "sluice_error_window_examples", s->model[i]);
        text_char(t, '}');
        put_count(t, figures[i].window);
    }
}

/* A class whose name is long, or holds what the format does not allow, has its number too: two of these may look the
 * same. */
static void put_class(text_buffer *t, served_model *m, const snapshot *now, size_t label) {
    put_model(t, "sluice_predictions_total", m);
    text_put(t, ",class=\"");
    const size_t n = text_short(now->label[label], now->label_n[label], SERVED_SHOWN_BYTES);
    const int changed = put_label_value(t, now->label[label], n) || n < now->label_n[label];
    text_char(t, '"');
    if (changed) {
        text_put(t, ",number=\"");
        text_count(t, label);
        text_char(t, '"');
    }
    text_char(t, '}');
    put_count(t, served_predictions(m, label));
}

static void put_predictions(text_buffer *t, const serving *s) {
    family(t, "sluice_predictions_total", "counter",
           "Rows that were predicted as each class; those behind the 64th together.");
    for (size_t i = 0; i < s->n_models; i++) {
        const snapshot *now = served_take(s->model[i]);
        for (size_t label = 0; label < now->labels && label < SERVED_CLASSES_COUNTED; label++)
            put_class(t, s->model[i], now, label);
        if (now->labels > SERVED_CLASSES_COUNTED) { /* all others */
            put_model(t, "sluice_predictions_total", s->model[i]);
            text_format(t, ",class=\"\",number=\"%d\"}", SERVED_CLASSES_COUNTED);
            put_count(t, served_predictions(s->model[i], SERVED_CLASSES_COUNTED));
        }
        served_release(now);
    }
}

static void put_models(text_buffer *t, const serving *s, const served_figures *figures) {
    family(t, "sluice_model_info", "gauge", "The models that are served.");
    for (size_t i = 0; i < s->n_models; i++) {
        put_model(t, "sluice_model_info", s->model[i]);
        text_format(t, ",learner=\"%s\",learns=\"%d\"} 1\n", figures[i].learner ? figures[i].learner->name : "",
                    !served_cannot_learn(s->model[i]));
    }
    for (size_t k = 0; k < MODEL_FIGURES; k++) {
        const model_figure *what = &model_figures[k];
        int begun = 0;
        for (size_t i = 0; i < s->n_models; i++) {
            if (what->kafka && !figures[i].has_kafka) continue;
            if (!begun++) family(t, what->name, what->type, what->help);
            put_model(t, what->name, s->model[i]);
            text_char(t, '}');
            put_figure(t, what, &figures[i]);
        }
    }
    put_errors(t, s, figures);
    put_predictions(t, s);
}

/* ---- the process
 * ----------------------------------------------------------------------------------------------------- */

static void put_labels(text_buffer *t, label_store *labels) {
    const label_counts c = label_store_count(labels);
    one(t, "sluice_labels_waiting", "gauge", "Predictions that wait for their labels.", (double)c.waiting);
    one(t, "sluice_labels_unsaved", "gauge", "Labels that no model's file has learned yet.", (double)c.unsaved);
    family(t, "sluice_labels_total", "counter", "What became of predictions that were remembered, by outcome.");
    const struct {
        const char *outcome;
        uint64_t n;
    } outcomes[] = {{"labelled", c.labelled}, {"expired", c.expired}, {"forgotten", c.forgotten}};
    for (size_t k = 0; k < sizeof outcomes / sizeof *outcomes; k++) {
        text_format(t, "sluice_labels_total{outcome=\"%s\"}", outcomes[k].outcome);
        put_count(t, outcomes[k].n);
    }
    one(t, "sluice_labels_remembered_total", "counter", "Predictions that were remembered.", (double)c.remembered);
    one(t, "sluice_labels_unknown_total", "counter", "Labels for which no prediction was remembered.",
        (double)c.unknown);
    one(t, "sluice_label_store_failures_total", "counter", "Calls that the file of labels failed.", (double)c.failed);
}

static void put_process(text_buffer *t, const serving *s) {
    const process_figures p = process_read();
    sluice_build_facts facts = {.size = sizeof facts};
    family(t, "sluice_build_info", "gauge", "The program.");
    text_format(t, "sluice_build_info{version=\"%s\"", sluice_version());
    if (sluice_build_info(&facts) == SLUICE_OK) {
        text_put(t, ",compiler=\"");
        put_label_value(t, facts.compiler, strlen(facts.compiler));
        text_put(t, "\",kernels=\"");
        put_label_value(t, facts.kernels, strlen(facts.kernels));
        text_char(t, '"');
    }
    text_put(t, "} 1\n");
    one(t, "sluice_ready", "gauge", "1 where requests are taken; 0 while the server ends.", !s->ends);
    one(t, "sluice_uptime_seconds", "gauge", "Time since the server began.", now_seconds() - s->started);
    one(t, "process_start_time_seconds", "gauge", "When the process began, in seconds since 1970.", p.started);
    one(t, "process_cpu_seconds_total", "counter", "CPU time of the process.", p.cpu_seconds);
    one(t, "process_resident_memory_bytes", "gauge", "Memory of the process that is in RAM.", p.resident);
    one(t, "process_virtual_memory_bytes", "gauge", "Address space of the process.", p.virtual_bytes);
    one(t, "process_open_fds", "gauge", "Files and connections that the process has open.", p.open_files);
    one(t, "process_max_fds", "gauge", "How many it may have.", p.most_files);
}

void handle_metrics(void *context, http_request *r) {
    const serving *s = context;
    text_buffer *t = &r->answer;
    served_figures *figures = calloc(s->n_models + 1, sizeof *figures);
    if (!figures) {
        http_refuse(r, 503, "no memory");
        return;
    }
    for (size_t i = 0; i < s->n_models; i++) served_read_figures(s->model[i], &figures[i]);
    put_process(t, s);
    if (s->metrics) put_requests(t, s->metrics);
    put_connections(t, s->http);
    put_models(t, s, figures);
    if (s->labels) put_labels(t, s->labels);
    free(figures);
    if (t->failed)
        http_refuse(r, 503, "no memory");
    else
        http_answer(r, 200, "text/plain; version=0.0.4; charset=utf-8");
}
