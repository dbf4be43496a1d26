/* Watches the error of a run for a rise. */
#include "run/drift_watch.h"

#include "args/params.h"
#include "output/message.h"
#include "terminal/figures.h"

#include <math.h>
#include <string.h>

static const char *const action_words[] = {"warn", "reset", "stop", NULL}; /* by drift_action */
static const char action_key[] = "drift.action", state_key[] = "drift.state";

enum { MOST_TEXT = 512, MOST_PARAMS = 16 };

static int is_none(const args *a) {
    const char *how = args_value(a, "drift");
    return how && strcmp(how, "none") == 0;
}

/* "adwin,rise=0.002": a detector and its parameters, separated by commas. */
static int make(const args *a, drift_watch *w) {
    const char *how = args_value(a, "drift"), *params[MOST_PARAMS];
    char text[MOST_TEXT] = "";
    size_t n = 0;
    sluice_error err = {0};
    if (!how) how = "";
    if (strlen(how) >= sizeof text) return wrong_usage(a->command->name, "--drift: this is too long");
    memcpy(text, how, strlen(how) + 1);
    for (char *at = text; (at = strchr(at, ',')) && n < MOST_PARAMS;) {
        *at++ = 0;
        params[n++] = at;
    }
    w->drift = sluice_drift_new(*text ? text : NULL, params, n, &err);
    if (w->drift) return DONE;
    if (err.status != SLUICE_E_USAGE) return complain_error(&err);
    return wrong_usage(a->command->name, "--drift %s: %s", how, err.message);
}

int drift_options(const args *a, drift_watch *w) {
    size_t action = DRIFT_WARN;
    *w = (drift_watch){.is_kept = args_has(a, "on-drift")};
    int rc = args_word(a, "on-drift", action_words, &action);
    w->action = (drift_action)action;
    if (rc || !is_none(a)) return rc ? rc : make(a, w);
    if (!w->is_kept) return DONE;
    return wrong_usage(a->command->name, "--on-drift %s: with --drift none nothing is watched", action_words[action]);
}

void drift_free(drift_watch *w) { sluice_drift_free(w->drift); }

/* ---- with the model ---------------------------------------------------------------------------------------------- */

static const char *detector_text(const sluice_drift *d, char text[MOST_TEXT]) {
    const sluice_detector_info *l = sluice_drift_detector(d);
    char value[PARAM_TEXT];
    int n = snprintf(text, MOST_TEXT, "%s", l->name);
    for (size_t i = 0; i < l->n_params; i++)
        n += snprintf(text + n, (size_t)(MOST_TEXT - n), ",%s=%s", l->params[i].name,
                      param_value_text(&l->params[i], sluice_drift_param(d, i), value));
    return text;
}

static int is_same(const sluice_drift *a, const sluice_drift *b) {
    char text[2][MOST_TEXT];
    return strcmp(detector_text(a, text[0]), detector_text(b, text[1])) == 0;
}

/* A learner that takes the whole run as one batch predicts nothing of it: there is no error to watch. */
static int is_one_batch(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    const sluice_learner_info *l = facts.learner;
    for (size_t i = 0; l->flags & SLUICE_LEARNER_BATCH && i < l->n_params; i++)
        if (strcmp(l->params[i].name, "batch") == 0) return sluice_model_param(model, i) == 0;
    return 0;
}

int drift_of_model(drift_watch *w, const sluice_model *model, const char *path) {
    size_t n, word = 0;
    const void *bytes = sluice_model_metadata(model, state_key, &n);
    const char *action = sluice_model_metadata(model, action_key, NULL);
    *w = (drift_watch){.drift = NULL};
    if (!bytes && !action) return DONE;
    sluice_error err = {0};
    while (action && action_words[word] && strcmp(action_words[word], action) != 0) word++;
    if (!action || !action_words[word])
        complain("%s: the model keeps an action on drift that this version does not know", path);
    else if (!(w->drift = sluice_drift_parse(bytes ? bytes : "", n, &err)))
        complain("%s: %s", path, err.message);
    w->action = (drift_action)word;
    w->is_kept = 1;
    return w->drift ? DONE : FAILED;
}

/* The watch that the model keeps goes on. */
static int go_on(const args *a, drift_watch *w, const sluice_model *model, const char *path) {
    char has[MOST_TEXT];
    drift_watch kept;
    int rc = drift_of_model(&kept, model, path);
    if (rc || !kept.drift) return rc;
    if (args_has(a, "drift") && !is_same(kept.drift, w->drift))
        rc = wrong_usage(a->command->name,
                         "--drift %s: the model %s is watched by %s, and -i goes on with that; --drift none ends it",
                         args_value(a, "drift"), path, detector_text(kept.drift, has));
    if (w->is_kept) kept.action = w->action;
    drift_free(rc ? &kept : w);
    if (!rc) *w = kept;
    return rc;
}

int drift_start(const args *a, drift_watch *w, sluice_model *model) {
    if (is_none(a)) {
        drift_forget(model);
        return DONE;
    }
    if (is_one_batch(model)) {
        if (w->is_kept || args_has(a, "drift"))
            return wrong_usage(a->command->name,
                               "--%s: with batch=0 the whole run is one batch, and none of it is predicted by what was "
                               "learned; set a batch (-P batch=N)",
                               w->is_kept ? "on-drift" : "drift");
        drift_free(w);
        w->drift = NULL;
        return DONE;
    }
    const int rc = go_on(a, w, model, args_knows(a, "resume") ? args_value(a, "resume") : args_value(a, "model"));
    if (rc) return rc;
    sluice_drift_figures f = {.size = sizeof f};
    sluice_drift_read(w->drift, &f, NULL);
    w->examples_before = f.examples;
    w->alarms_before = w->told = f.alarms;
    return DONE;
}

int drift_remember(const drift_watch *w, sluice_model *model) {
    if (!w->is_kept) return DONE;
    void *bytes;
    size_t n;
    sluice_error err = {0};
    const char *action = action_words[w->action];
    if (sluice_drift_bytes(w->drift, &bytes, &n, &err) != SLUICE_OK) return complain_error(&err);
    sluice_status status = sluice_model_set_metadata(model, state_key, bytes, n);
    sluice_free(bytes);
    if (status == SLUICE_OK) status = sluice_model_set_metadata(model, action_key, action, strlen(action));
    return status == SLUICE_OK ? DONE : complain_error(sluice_model_error(model));
}

void drift_forget(sluice_model *model) {
    sluice_model_set_metadata(model, state_key, NULL, 0); /* removing does not fail */
    sluice_model_set_metadata(model, action_key, NULL, 0);
}

/* ---- while learning ---------------------------------------------------------------------------------------------- */

static uint64_t alarms_of(const drift_watch *w) {
    sluice_drift_figures f = {.size = sizeof f};
    if (w->drift) sluice_drift_read(w->drift, &f, NULL);
    return f.alarms;
}

size_t drift_until(const drift_watch *w, size_t rows) {
    if (!w->drift || w->action == DRIFT_WARN) return rows;
    sluice_drift_figures f = {.size = sizeof f};
    sluice_drift_read(w->drift, &f, NULL);
    const size_t until = SLUICE_DRIFT_STEP - f.examples % SLUICE_DRIFT_STEP;
    return until < rows ? until : rows;
}

int drift_has_alarm(const drift_watch *w) { return alarms_of(w) > w->told; }

const char *drift_text(const sluice_drift_alarm *alarm, char text[DRIFT_TEXT]) {
    snprintf(text, DRIFT_TEXT, "drift at example %s: the error rose from %.4g to %.4g", COUNT(alarm->example),
             alarm->error_before, alarm->error_after);
    return text;
}

void drift_tell(drift_watch *w) {
    char text[DRIFT_TEXT];
    for (const uint64_t all = alarms_of(w); w->told < all; w->told++) {
        const sluice_drift_alarm *alarm = sluice_drift_alarm_at(w->drift, w->told);
        if (alarm && w->action != DRIFT_STOP) /* which ends the run with a message of its own */
            note("%s%s", drift_text(alarm, text), w->action == DRIFT_RESET ? "; the model begins anew" : "");
    }
    w->has_stopped |= w->action == DRIFT_STOP;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

sluice_drift_figures drift_figures(const drift_watch *w) {
    sluice_drift_figures f = {.size = sizeof f, .window_error = NAN, .fading_error = NAN};
    if (w->drift) sluice_drift_read(w->drift, &f, NULL);
    f.alarms -= w->alarms_before;
    return f;
}

const sluice_drift_alarm *drift_alarm(const drift_watch *w, uint64_t i) {
    return w->drift ? sluice_drift_alarm_at(w->drift, w->alarms_before + i) : NULL;
}

static void put_json(report *r, const drift_watch *w, const sluice_drift_figures *f) {
    json *j = &r->j;
    const sluice_detector_info *l = sluice_drift_detector(w->drift);
    report_open(r, "drift");
    json_text(j, "detector", l->name);
    json_open(j, "params", '{');
    for (size_t i = 0; i < l->n_params; i++)
        param_value_json(j, l->params[i].name, &l->params[i], sluice_drift_param(w->drift, i));
    json_close(j, '}');
    json_text(j, "on_drift", action_words[w->action]);
    json_count(j, "examples", f->examples);
    json_count(j, "alarm_count", f->alarms);
    json_open(j, "alarms", '[');
    for (uint64_t i = 0; i < f->alarms; i++) {
        const sluice_drift_alarm *alarm = drift_alarm(w, i);
        if (!alarm) continue;
        json_open(j, NULL, '{');
        json_count(j, "example", alarm->example);
        json_number(j, "error_before", alarm->error_before);
        json_number(j, "error_after", alarm->error_after);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_text(report *r, const drift_watch *w, const sluice_drift_figures *f) {
    char text[MOST_TEXT];
    report_text(r, "drift", detector_text(w->drift, text));
    r->depth++;
    report_text(r, "on_drift", action_words[w->action]);
    report_count(r, "examples", f->examples);
    report_count(r, "alarms", f->alarms);
    for (uint64_t i = 0; i < f->alarms; i++)
        if (drift_alarm(w, i)) report_text(r, "", drift_text(drift_alarm(w, i), text));
}

void summarize_drift(report *r, const drift_watch *w) {
    char text[DRIFT_TEXT];
    const uint64_t alarms = drift_figures(w).alarms;
    const sluice_drift_alarm *last = alarms ? drift_alarm(w, alarms - 1) : NULL;
    if (alarms) report_count(r, "drift_alarms", alarms);
    if (last) report_text(r, "", drift_text(last, text));
}

void report_drift(report *r, const drift_watch *w) {

    if (!w->drift) {
        report_text(r, "drift", NULL);
        return;
    }
    const sluice_drift_figures f = drift_figures(w);
    r->as_json ? put_json(r, w, &f) : put_text(r, w, &f);
    report_figure(r, "window_error", f.window_error);
    report_figure(r, "fading_error", f.fading_error);
    report_close(r);
}
