/* Prints the results of `sluice train`. */
#include "kafka/kafka_report.h"
#include "measure/summary.h"
#include "output/class_features.h"
#include "output/message.h"
#include "output/race_report.h"
#include "output/report.h"
#include "run/signals.h"
#include "train/training.h"
#include "output/weights.h"

#include <math.h>

static int report_top(report *r, const training *t) {
    if (is_of_many(t->result)) return report_class_features(r, t->result, SLUICE_NO_CLASS, (size_t)t->top);
    sluice_weight *weights;
    size_t n;
    sluice_error err = {0};
    if (sluice_model_weights(t->result, &weights, &n, &err) != SLUICE_OK) return complain_error(&err);
    report_heaviest(r, weights, n, (size_t)t->top);
    sluice_free(weights);
    return DONE;
}

static void report_tested(report *r, const char *key, const sluice_model *model, const measured *m) {
    report_open(r, key);
    report_measured(r, is_of_many(model), &m->measures);
    report_skipped(r, &m->skipped);
    report_class_figures(r, model, &m->classes);
    report_close(r);
}

/* All figures. */
static void report_all(report *r, const training *t) {
    report_text(r, "learner", t->facts.learner->name);
    report_params(r, t->model, &t->facts);
    report_settings(r, t->result);
    report_race(r, t->result, 0);
    report_measured(r, is_of_many(t->model), &t->measures);
    report_count(r, "updates", t->updates_ended + t->facts.updates - t->updates_before);
    if (t->facts.learner->flags & SLUICE_LEARNER_BATCH) report_count(r, "waiting", t->waiting);
    report_count(r, "passes", t->passes);
    if (t->passes > 1 && !r->as_json) report_text(r, "measured_in", "the first pass");
    report_size(r, &t->facts, t->dimension);
    report_speed(r, t->seconds, learned_now(t));
    report_pseudo(r, &t->pseudo, &t->facts);
    report_drift(r, &t->drift);
    report_skipped(r, &t->skipped);
    report_kafka(r, t->stream.kafka);
    report_threshold(r, &t->thresholding, t->result);
    if (r->as_json || !(t->test || has_hold_out(t))) report_class_figures(r, t->model, &t->classes);
    if (has_hold_out(t)) report_tested(r, "holdout", t->result, &t->held);
    if (t->test) report_tested(r, "test", t->result, &t->tested);
}

static summary_column column_of(const char *title, const measured *m) {
    return (summary_column){title, &m->measures, &m->classes, &m->skipped, NAN};
}

static void summarize(report *r, const training *t) {
    summary_column columns[] = {
        {t->passes > 1 ? "first pass" : "learning", &t->measures, &t->classes, &t->skipped,
         drift_figures(&t->drift).fading_error},
        column_of("holdout", &t->held),
        column_of("test", &t->tested),
    };
    size_t n = 1;
    if (has_hold_out(t)) n++;
    if (t->test) columns[n++] = columns[2];
    summarize_learner(r, t->result, &t->facts);
    summarize_measures(r, t->result, columns, n);
    if (t->passes > 1 && n == 1) report_text(r, "measured_in", "the first pass");
    summarize_drift(r, &t->drift);
    summarize_size(r, &t->facts, t->dimension);
    if (t->waiting) report_count(r, "waiting", t->waiting);
    report_pseudo(r, &t->pseudo, &t->facts);
    summarize_speed(r, t->seconds, learned_now(t));
    report_kafka(r, t->stream.kafka);
    report_threshold(r, &t->thresholding, t->result);
}

int print_results(const training *t) {
    warn_dimension(t->dimension, &t->facts);
    warn_model(&t->facts);

    report r = report_start(args_has(t->a, "json"));
    r.is_brief ? summarize(&r, t) : report_all(&r, t);
    if (t->interrupted || t->drift.has_stopped) {
        report_open(&r, "interrupted");
        report_text(&r, "signal", t->interrupted ? signal_name(t->interrupted) : NULL);
        if (!t->checkpoint.has_positions) report_plain(&r, "skip", checkpoint_place(&t->checkpoint));
        report_close(&r);
    }
    int rc = t->top ? report_top(&r, t) : DONE;
    return rc ? rc : report_end(&r);
}
