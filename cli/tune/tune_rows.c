/* Reads the rows of `sluice tune`, once for every combination of readings, and measures all points on them. */
#include "measure/measure.h"
#include "notes/time_note.h"
#include "output/class_text.h"
#include "output/message.h"
#include "run/signals.h"
#include "search/reading_grid.h"
#include "terminal/figures.h"
#include "tune/tuning.h"

#include <math.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static sluice_folds *make_folds(const tuning *t, sluice_error *err) {
    const size_t rows = sluice_dataset_rows(t->data);
    if (t->mode == TUNE_RANDOM) return sluice_folds_new(t->data, (size_t)t->n_folds, t->a->seed, err);
    if (t->mode == TUNE_FORWARD) return sluice_folds_in_order(t->data, (size_t)t->n_folds + 1, err);
    return sluice_folds_in_order(t->data, rows > PROGRESSIVE_PARTS ? PROGRESSIVE_PARTS : rows ? rows : 1, err);
}

/* What there is to say about the rows, once. */
static void note_rows(const tuning *t) {
    const sluice_model *classes = sluice_dataset_classes(t->data);
    const uint64_t negatives = t->rows - t->positives, rare = t->positives < negatives ? t->positives : negatives;
    note_positive(classes);
    warn_one_label(classes, t->rows, t->positives, "input");
    if (t->mode == TUNE_RANDOM && !t->settings.classes && rare && rare < t->n_folds)
        warning("only %s examples of one class: some folds have none", COUNT(rare));
    time_note(t->data, t->mode != TUNE_RANDOM);
}

static int deal(tuning *t, int first_time) {
    sluice_error err = {0};
    sluice_folds_free(t->folds);
    t->folds = make_folds(t, &err);
    if (!t->folds) {
        const int few = err.status == SLUICE_E_DATA && sluice_dataset_rows(t->data) > 1 && t->mode != TUNE_PROGRESSIVE;
        return complain_error_with(&err, few ? "; --folds sets how many there are" : "");
    }
    t->rows = sluice_folds_rows(t->folds, &t->positives);
    if (first_time) note_rows(t);
    return DONE;
}

static int read_into(tuning *t, sluice_dataset *data, const args *with, int first_time) {
    sluice_error err = {0};
    sluice_reader_options reading;
    skip_tally skipped = {0};
    if (sluice_dataset_use_classes(data, &t->settings, &err) != SLUICE_OK) return complain_error(&err);
    int rc = reading_from_args(with, &reading);
    if (!rc) rc = hold_with_costs(data, t->a, &reading, &t->costs, first_time ? "input" : NULL, &skipped, &t->format);
    if (!rc) t->skipped = skipped;
    return rc;
}

int tune_read(tuning *t, size_t reading, int folds) {
    const int first_time = !t->data;
    sluice_error err = {0};
    size_t n;
    const char *const *settings = sluice_search_reading(t->search, reading, &n);
    args with = {0};
    if (t->data) sluice_dataset_forget_rows(t->data); /* its classes are of use until there are others */
    t->held = 0;
    sluice_dataset *data = sluice_dataset_new(&err);
    int rc = data ? args_with_readings(t->a, settings, n, &with) : complain_error(&err);
    if (!rc) rc = read_into(t, data, &with, first_time);
    args_without_readings(&with);
    if (rc) {
        sluice_dataset_free(data);
        return rc;
    }
    sluice_dataset_free(t->data);
    t->data = data;
    t->held = reading + 1;
    if (folds) rc = deal(t, first_time);
    if (t->output || !folds) return rc;
    sluice_dataset_forget_rows(data); /* the folds have a copy */
    t->held = 0;
    return rc;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static uint64_t runs_of_a_point(const tuning *t) { return t->mode == TUNE_PROGRESSIVE ? 1 : t->n_folds; }

static int show_models(void *context, uint64_t done, uint64_t total) {
    tuning *t = context;
    (void)total;
    progress_units(&t->live, t->models_before + done, sluice_search_points(t->search) * runs_of_a_point(t), "models");
    return stop_signal();
}

static int tune_reading(tuning *t, size_t reading) {
    sluice_error err = {0};
    const size_t all = sluice_search_points(t->search);
    t->live = progress_start(1, 0);
    t->how.progress = show_models;
    t->how.context = t;
    t->how.reading = reading + 1;
    sluice_status status = sluice_search_tune(t->search, t->folds, &t->how, &err);
    progress_clear(&t->live);
    for (t->done = 0; t->done < all && sluice_search_point(t->search, t->done)->runs;) t->done++;
    t->models_before = t->done * runs_of_a_point(t);
    if (stop_signal()) return stop_status();
    return status == SLUICE_OK ? DONE : complain_error(&err);
}

/* Of the points that are done those that failed are the last ones. */
static void warn_failures(const tuning *t) {
    size_t failed = 0;
    while (failed < t->done && sluice_search_point(t->search, t->done - failed - 1)->failure) failed++;
    if (!failed) return;
    const char *first = sluice_search_point(t->search, t->done - failed)->failure;
    if (failed == t->done)
        complain("all %zu points failed; the first: %s", failed, first);
    else
        warning("%zu of %zu points failed; the first: %s", failed, t->done, first);
}

static void note_work(const tuning *t) {
    const size_t points = sluice_search_points(t->search);
    if (args_has(t->a, "grid") || !shows_progress()) return;
    if (t->mode == TUNE_PROGRESSIVE)
        note("%s points, each a model; --grid or --random tries fewer", COUNT(points));
    else
        note("%s points in %s folds: %s models; --grid or --random tries fewer", COUNT(points), COUNT(t->n_folds),
             COUNT(points * t->n_folds));
}

/* After a signal: what was found is kept. */
static int end_early(tuning *t) {
    t->interrupted = signals_finish();
    const char *name = signal_name(t->interrupted);
    if (!t->done) {
        complain("%s: no point was done, and nothing is saved", name);
        return stop_status();
    }
    const char *use = t->output ? "learned and saved; another signal ends that" : "shown";
    complain("%s: %s of %s points were done, and the best of these is %s", name, COUNT(t->done),
             COUNT(sluice_search_points(t->search)), use);
    return DONE;
}

int tune_all(tuning *t) {
    const size_t readings = sluice_search_readings(t->search);
    int rc = DONE;
    note_stdin(t->a);
    for (size_t i = 0; i < readings && !rc; i++) {
        rc = tune_read(t, i, 1);
        if (!rc && i == 0) note_work(t);
        if (!rc) rc = tune_reading(t, i);
    }
    if (stop_signal()) rc = end_early(t);
    if (rc) return rc;
    warn_failures(t);
    const sluice_point *best = sluice_search_point(t->search, 0);
    if (best->failure) return FAILED;
    if (!isnan(best->mean)) return DONE;
    complain("there is no %s in any fold: each has one class only, or nothing is predicted +1", t->measure->figure);
    return FAILED;
}
