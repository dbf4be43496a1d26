/* train --threshold: chooses a threshold on a hold-out, or takes a fixed one. */
#include "train/train_threshold.h"

#include "args/paths.h"
#include "output/message.h"

#include <math.h>

int threshold_options(const args *a, const calibrating *c, const hold_out *held, const char *holdout, const char *test,
                      thresholding *h) {
    const char *text = args_value(a, "threshold");
    if (!text) return DONE;
    int rc = read_threshold(a, "threshold", text, &h->wish);
    if (rc || h->wish.kind != THRESHOLD_GOAL) return rc;
    h->a = a;
    if (held->kind) {
        h->held = held;
        h->path = "the examples held out";
        return DONE;
    }
    h->path = holdout ? holdout : c->path ? c->path : test;
    if (!h->path)
        return wrong_usage(a->command->name,
                           "--threshold %s is measured on examples that are not learned: add --holdout 0.2, --holdout "
                           "FILE or --calibrate FILE (or --test FILE)",
                           text);
    if (reads_once(&h->path, 1))
        return wrong_usage(a->command->name, "--threshold %s: %s is read twice, and a pipe can be read only once", text,
                           h->path);
    return DONE;
}

void threshold_note(const args *a, const thresholding *h, const char *test) {
    if (!h->path || h->held || !test || !same_file(h->path, test)) return;
    note(
        "--threshold %s is chosen on the test file: what it gives there looks too good; --calibrate FILE takes another",
        args_value(a, "threshold"));
}

static int choose(thresholding *h, const sluice_model *result, const sluice_reader_options *reading,
                  const sluice_meter_options *how) {
    measured on = {.goals = &h->wish, .n_goals = 1, .chosen = &h->chosen};
    progress p = progress_start(1, 0);
    inputs from = {&h->path, 1, NULL, NULL};
    if (h->held) from = (inputs){h->a->inputs, h->a->n_inputs, NULL, h->held};
    int rc = measure_inputs(result, &from, reading, how, &p, &on);
    if (rc) return rc;
    if (isnan(h->chosen.margin)) {
        complain("--threshold %s needs examples of both classes, which %s %s not have", h->wish.text, h->path,
                 h->held ? "do" : "does");
        return FAILED;
    }
    if (!h->chosen.reached) {
        complain("--threshold %s: no threshold reaches it on %s; the nearest gives %.6g, with recall %.6g; no model is "
                 "saved",
                 h->wish.text, h->path, h->chosen.precision, h->chosen.recall);
        return FAILED;
    }
    return DONE;
}

int set_threshold(thresholding *h, sluice_model *model, sluice_model *result, const sluice_reader_options *reading,
                  const sluice_meter_options *how) {
    if (h->wish.kind == THRESHOLD_NONE) return DONE;
    int rc = h->path ? choose(h, result, reading, how) : DONE;
    threshold fixed = h->wish;
    if (h->path) {
        fixed.kind = THRESHOLD_MARGIN;
        fixed.value = h->chosen.margin;
    }
    if (!rc && lacks_probability(&fixed, result, "the model")) rc = FAILED;
    if (!rc) rc = set_fixed_threshold(model, &fixed);
    if (!rc && result != model) rc = set_fixed_threshold(result, &fixed);
    h->is_set = !rc;
    return rc;
}

void report_threshold(report *r, const thresholding *h, const sluice_model *model) {
    double margin;
    if (!h->is_set) return;
    if (h->path) {
        report_chosen(r, "threshold", model, &h->wish, &h->chosen);
        return;
    }
    report_open(r, "threshold");
    sluice_model_threshold(model, &margin);
    report_margin(r, model, margin);
    report_close(r);
}
