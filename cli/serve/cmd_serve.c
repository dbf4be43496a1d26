/* sluice serve: predicts over HTTP while it learns. */
#include "args/costs.h"
#include "commands.h"
#include "output/message.h"
#include "run/signals.h"
#include "serve/learning.h"
#include "serve/model/request_rows.h"
#include "serve/serve_options.h"
#include "serve/serving.h"
#include "serve/watch/serve_metrics.h"

#include "output/progress.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    SERVE_OPTIONS, ACCESS_OPTIONS, LIMIT_OPTIONS, LABEL_OPTIONS,       NEW_MODEL_OPTIONS,        COST_OPTIONS,
    DRIFT_OPTIONS, INPUT_OPTIONS,  KAFKA_OPTIONS, KAFKA_LEARN_OPTIONS, {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "token-file", .role = READS_DATA},
    {.option = "predict-token-file", .role = READS_DATA},
    {.option = "tls-certificate", .role = READS_DATA},
    {.option = "tls-key", .role = READS_DATA},
    TEXT_FILES,
    {.option = "labels", .role = WRITES, .what = "rows that wait for their labels"},
    {.option = "access-log", .role = WRITES, .what = "access log", .may_be_stdout = 1, .opened_at_once = 1},
    {.option = NULL},
};

enum { TICKS_PER_SECOND = 10, SECONDS_TO_ANSWER = 10 };

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static int open_models(const serve_options *o, serving *s) {
    s->model = calloc(o->files.n + 1, sizeof(served_model *));
    int rc = s->model ? DONE : out_of_memory();
    for (size_t i = 0; i < o->files.n && !rc; i++) {
        const served_settings settings = serve_options_of_model(o, i);
        rc = served_open(o->files.file[i].name, o->files.file[i].path, &settings, &s->model[i]);
        if (!rc) s->n_models++;
    }
    return rc;
}

/* Labels that came before the process ended, and that the models do not know: learned before anything else. */
static int open_labels(const serve_options *o, serving *s) {
    int rc = o->labels.file ? label_store_open(&o->labels, &s->labels) : DONE;
    for (size_t i = 0; s->labels && i < s->n_models && !rc; i++) rc = label_store_catch_up(s->labels, s->model[i]);
    return rc;
}

/* Starts the threads that learn. */
static int start_models(serving *s) {
    int rc = DONE;
    for (size_t i = 0; i < s->n_models && !rc; i++) rc = served_start(s->model[i]);
    return rc;
}

/* What is queued is learned and saved; requests that wait for it are answered. */
static int stop_models(serving *s) {
    int rc = DONE;
    for (size_t i = 0; i < s->n_models; i++) {
        const int failed = served_stop(s->model[i]);
        if (failed) rc = failed;
        if (s->labels) label_store_saved(s->labels, served_name(s->model[i]), served_saved_label(s->model[i]));
    }
    return rc;
}

static void close_all(serving *s) {
    for (size_t i = 0; i < s->n_models; i++) served_close(s->model[i]); /* jobs that are dropped are the store's */
    label_store_close(s->labels);
    free(s->model);
    learning_free_all();
    rows_free_parsers();
    metrics_free(s->metrics);
}

/* ---- what it says at the start ----------------------------------------------------------------------------------- */

static int is_loopback(const char *url) {
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 || strncmp(host, "localhost", 9) == 0;
}

static void tell_start(const serving *s, const http_settings *http) {
    const char *url = http_url(s->http);
    for (size_t i = 0; i < s->n_models; i++) {
        const snapshot *now = served_take(s->model[i]);
        const char *never = served_cannot_learn(s->model[i]);
        tell_progress("model %s: %" PRIu64 " examples%s%s", served_name(s->model[i]), now->version,
                      never ? "; it does not learn: " : "", never ? never : "");
        served_release(now);
    }
    tell_progress("listening on %s", url);
    if (is_loopback(url)) return;
    if (!http->token_file && !http->predict_token_file)
        note("anybody who reaches this address may ask for predictions; learning and administration are for this "
             "machine alone until --token-file is given");
    if (!http->certificate)
        note("%s what is asked and answered goes over the network as it is: give --tls-certificate and --tls-key, or "
             "put a proxy with TLS in front",
             http->token_file || http->predict_token_file ? "tokens and" : "");
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void reloaded(job *j) {
    if (j->status != SLUICE_OK) complain_error(&j->error);
    free(j);
}

/* SIGHUP and SIGUSR1: saves; under --no-learning loads what others have written. */
static void mind_signal(const serving *s, int learns) {
    for (size_t i = 0; i < s->n_models; i++) {
        if (learns) {
            served_ask_save(s->model[i]);
            continue;
        }
        job *j = calloc(1, sizeof *j);
        if (!j) continue;
        *j = (job){.kind = JOB_RELOAD, .done = reloaded};
        if (!served_enqueue(s->model[i], j)) free(j);
    }
}

static void run_until_signal(serving *s, int learns) {
    for (unsigned tick = 1; !stop_signal(); tick++) {
        poll(NULL, 0, 1000 / TICKS_PER_SECOND); /* a signal ends it */
        if (save_signal()) mind_signal(s, learns);
        for (size_t i = 0; i < s->n_models; i++) served_tick(s->model[i]);
        if (tick % TICKS_PER_SECOND) continue;
        if (s->labels) label_store_tick(s->labels, s->model, s->n_models);
        dashboard_tick(s);
    }
}

static int serve(serving *s, const http_settings *http, int learns) {
    int rc = http_start(http, &s->http);
    if (rc) return rc;
    rc = start_models(s);
    if (!rc) {
        dashboard_tick(s); /* what happens before the first second is over is news to the page too */
        tell_start(s, http);
        run_until_signal(s, learns);
        if (learns && shows_progress())
            tell_progress("%s: saving what was learned; once more ends at once", signal_name(stop_signal()));
    }
    atomic_store(&s->ends, 1);
    http_stop_listening(s->http);
    const int failed = stop_models(s);
    http_stop(s->http, SECONDS_TO_ANSWER);
    return rc ? rc : failed ? failed : stop_status();
}

#if SLUICE_HAVE_MICROHTTPD
static int run(const args *a) {
    serve_options o;
    serving s = {.a = a, .started = now_seconds()};
    int rc = serve_options_read(a, &o);
    if (!rc) {
        signals_hangup_saves();
        signals_stop_orderly();
        s.metrics = metrics_new();
        if (!s.metrics) rc = out_of_memory();
    }
    if (!rc) rc = open_models(&o, &s);
    if (!rc) rc = open_labels(&o, &s);
    if (!rc) {
        http_settings http = o.http;
        http.routes = serve_routes;
        http.context = &s;
        http.answered = metrics_answered;
        rc = serve(&s, &http, o.served.learns);
    }
    close_all(&s);
    serve_options_free(&o);
    return rc;
}
#else
static int run(const args *a) {
    (void)a;
    complain("this build has no server: libmicrohttpd was not found when sluice was built");
    return FAILED;
}
#endif

static void more_help(const args *a) { print_learner_help(args_value(a, "learner"), sluice_learner_default()); }

const command serve_command = {
    .name = "serve",
    .summary = "answer predictions over HTTP while it learns",
    .synopsis = "-m NAME=FILE... [option...]",
    .notes =
        "POST lines to /predict and /learn: one answer a line. /v2 is the Open Inference Protocol v2, /metrics is for "
        "Prometheus, and / is a page that shows what happens. docs/serve.md has all of it.\n"
        "With --kafka every model learns the topics too; --topic NAME=T is for one model alone.\n"
        "SIGHUP and SIGUSR1 save; SIGTERM and Ctrl-C answer what is under way, learn what is queued, save and end with "
        "status 128 + signal. A second signal ends it at once.\n"
        "A model that is made is auto, or what -a, -P and the options of features and classes say; one that exists "
        "goes "
        "on as it is.",
    .options = options,
    .files = files,
    .max_inputs = 0,
    .run = run,
    .more_help = more_help,
    .param_at = learner_param_at,
};
