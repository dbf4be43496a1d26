#include "measure/measure.h"
#include "output/message.h"
#include "sweep/sweeping.h"

#include <stdlib.h>

static int hold(sweeping *w, const char *const *paths, size_t n, const char *what, skip_tally *skipped) {
    return hold_inputs(&w->data, paths, n, &w->reading, w->a->quiet, what, skipped);
}

/* All rows to learn from, in their order. */
static int hold_rows(sweeping *w) {
    note_stdin(w->a);
    int rc = hold(w, w->a->inputs, w->a->n_inputs, "input", &w->skipped);
    if (rc) return rc;
    w->n_rows = w->data.rows;
    w->format = w->data.format;
    return dataset_complete(&w->data) ? DONE : out_of_memory();
}

/* The test file as a batch. Where rows to learn are held too, names go by the numbers that they have there; else models
 * learn from the stream, and know features as they come. */
static int hold_test(sweeping *w) {
    sluice_error err = {0};
    int rc = hold(w, &w->test, 1, w->test, &w->test_skipped);
    if (rc) return rc;
    w->test_rows = sluice_batch_new(&err);
    sluice_status status = w->test_rows ? SLUICE_OK : err.status;
    for (size_t i = w->n_rows; i < w->data.rows && status == SLUICE_OK; i++) {
        sluice_example x = w->held ? dataset_row(&w->data, i) : dataset_original(&w->data, i);
        status = sluice_batch_add(w->test_rows, &x, &err);
    }
    if (!w->held) dataset_forget_rows(&w->data);
    if (status != SLUICE_OK) return complain_error(&err);
    uint64_t positives = 0;
    count_examples(w->test_rows, &w->test_examples, &positives);
    return DONE;
}

void count_examples(const sluice_batch *batch, uint64_t *examples, uint64_t *positives) {
    for (size_t i = 0; i < sluice_batch_rows(batch); i++) {
        if (sluice_batch_weight(batch, i) == 0) continue;
        ++*examples;
        *positives += sluice_batch_label(batch, i) > 0;
    }
}

int sweep_read(sweeping *w) {
    int rc = w->held ? hold_rows(w) : DONE;
    return !rc && w->test ? hold_test(w) : rc;
}
