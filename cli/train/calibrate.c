/* train --calibrate: fits probabilities to a hold-out. */
#include "train/calibrate.h"

#include "output/message.h"
#include "args/paths.h"

#include <stdlib.h>
#include <string.h>

int calibrate_options(const args *a, calibrating *c) {
    const char *kind = args_value(a, "calibration");
    c->path = args_value(a, "calibrate");
    c->kind = kind && strcmp(kind, "platt") == 0 ? SLUICE_CALIBRATION_PLATT : SLUICE_CALIBRATION_ISOTONIC;
    if (kind && strcmp(kind, "platt") != 0 && strcmp(kind, "isotonic") != 0)
        return wrong_usage(a->command->name, "--calibration %s: it is isotonic or platt", kind);
    if (kind && !c->path) return wrong_usage(a->command->name, "--calibration needs --calibrate FILE to fit to");
    return DONE;
}

void calibrate_note(const args *a, const calibrating *c, const char *test) {
    note_learned_too(a, "--calibrate", c->path);
    if (c->path && test && same_file(c->path, test))
        note("--calibrate and --test are one file: its probabilities look too good");
}

int is_fitted(const sluice_model *model) {
    int kind = sluice_model_calibration(model);
    return kind == SLUICE_CALIBRATION_PLATT || kind == SLUICE_CALIBRATION_ISOTONIC;
}

/* The examples of the file: one after the other, in three arrays. */
typedef struct examples {
    const sluice_model *model;
    double *margin, *label, *weight;
    size_t n, room;
} examples;

static int grow(double **array, size_t room) {
    double *larger = realloc(*array, room * sizeof *larger);
    if (!larger) return out_of_memory();
    *array = larger;
    return DONE;
}

static int reserve(examples *e, size_t n) {
    if (n <= e->room) return DONE;
    size_t room = n * 2;
    int rc = grow(&e->margin, room);
    if (!rc) rc = grow(&e->label, room);
    if (!rc) rc = grow(&e->weight, room);
    if (!rc) e->room = room;
    return rc;
}

static int take_batch(void *context, const sluice_batch *batch) {
    examples *e = context;
    size_t rows = sluice_batch_rows(batch);
    int rc = reserve(e, e->n + rows);
    if (rc) return rc;
    sluice_error err = {0};
    if (sluice_model_margins(e->model, batch, e->margin + e->n, &err) != SLUICE_OK) return complain_error(&err);
    if (sluice_model_signs(e->model, batch, 0, rows, e->label + e->n, &err) != SLUICE_OK) return complain_error(&err);
    for (size_t i = 0; i < rows; i++) e->weight[e->n++] = sluice_batch_weight(batch, i);
    return DONE;
}

static int read_examples(examples *e, const char *path, const sluice_reader_options *reading) {
    const inputs from = {&path, 1, NULL, NULL};
    input_stream s;
    int rc = input_stream_open(&s, &from, NULL, reading);
    if (rc) return rc;
    progress p = progress_start(1, 0);
    skip_tally skipped = {0};
    rc = each_batch(&s, &p, take_batch, e);
    tally_skipped(&skipped, s.reader);
    warn_skipped(&skipped, path);
    input_stream_close(&s);
    return rc;
}

static int fit(const calibrating *c, sluice_model *model, const examples *e) {
    if (sluice_model_calibrate(model, e->margin, e->label, e->weight, e->n, c->kind) == SLUICE_OK) return DONE;
    complain("--calibrate %s: %s", c->path, sluice_model_error(model)->message);
    return FAILED;
}

int calibrate(const calibrating *c, sluice_model *model, sluice_model *result, const sluice_reader_options *reading) {
    if (!c->path) return DONE;
    sluice_error err = {0};
    sluice_model *final = sluice_model_final(result, &err);
    if (!final) return complain_error(&err);
    examples e = {.model = final};
    int rc = read_examples(&e, c->path, reading);
    if (!rc) rc = fit(c, model, &e);
    if (!rc && result != model) rc = fit(c, result, &e);
    free(e.margin);
    free(e.label);
    free(e.weight);
    sluice_model_free(final);
    return rc;
}
