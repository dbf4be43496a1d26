/* Prints the results of `sluice train`. */
#include "output/message.h"
#include "output/report.h"
#include "run/signals.h"
#include "train/training.h"
#include "output/weights.h"

static int report_top(report *r, const training *t) {
    sluice_weight *weights;
    size_t n;
    sluice_error err = {0};
    if (sluice_model_weights(t->result, &weights, &n, &err) != SLUICE_OK) return complain_error(&err);
    report_heaviest(r, weights, n, (size_t)t->top);
    sluice_free(weights);
    return DONE;
}

int print_results(const training *t) {
    warn_dimension(t->dimension, &t->facts);
    warn_model(&t->facts);

    report r = report_start(args_has(t->a, "json"));
    report_text(&r, "learner", t->facts.learner->name);
    report_params(&r, t->model, &t->facts);
    report_settings(&r, t->result);
    report_measures(&r, &t->measures);
    report_count(&r, "updates", t->facts.updates - t->updates_before);
    if (t->facts.learner->flags & SLUICE_LEARNER_BATCH) report_count(&r, "waiting", t->waiting);
    report_count(&r, "passes", t->passes);
    report_size(&r, &t->facts, t->dimension);
    report_speed(&r, t->seconds, t->measures.examples);
    report_skipped(&r, &t->skipped);
    report_threshold(&r, &t->thresholding, t->result);
    if (t->test) {
        report_open(&r, "test");
        report_measures(&r, &t->tested.measures);
        report_skipped(&r, &t->tested.skipped);
        report_close(&r);
    }
    if (t->interrupted) {
        report_open(&r, "interrupted");
        report_text(&r, "signal", signal_name(t->interrupted));
        report_count(&r, "skip", checkpoint_place(&t->checkpoint));
        report_close(&r);
    }
    int rc = t->top ? report_top(&r, t) : DONE;
    return rc ? rc : report_end(&r);
}
