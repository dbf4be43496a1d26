#include "experiment/folds.h"

#include "experiment/row_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void count_rows(const dataset *d, fold_list *f) {
    for (size_t i = 0; i < d->rows; i++) {
        if (d->weights[i] == 0) continue;
        f->rows++;
        f->positives += d->labels[i] > 0;
    }
}

static sluice_status make_parts(size_t folds, fold_list *f, sluice_error *err) {
    f->parts = calloc(folds, sizeof(sluice_batch *));
    if (!f->parts) return no_memory(err);
    for (; f->n < folds; f->n++)
        if (!(f->parts[f->n] = sluice_batch_new(err))) return err->status;
    return SLUICE_OK;
}

sluice_status deal_folds(dataset *d, size_t folds, uint64_t seed, fold_list *f, sluice_error *err) {
    *f = (fold_list){0};
    if (!dataset_complete(d)) return no_memory(err);
    count_rows(d, f);
    if (f->rows < folds) {
        *err = (sluice_error){.status = SLUICE_E_DATA};
        snprintf(err->message, sizeof err->message, "only %" PRIu64 " example%s: too few for %zu folds%s", f->rows,
                 f->rows == 1 ? "" : "s", folds, f->rows > 1 ? "; --folds sets how many there are" : "");
        return err->status;
    }
    sluice_status status = make_parts(folds, f, err);
    if (status != SLUICE_OK) return status;
    dataset_shuffle(d, seed);
    uint64_t next[2] = {f->positives, 0}; /* by class: the negative go on where the positive end */
    for (size_t i = 0; i < d->n_order && status == SLUICE_OK; i++) {
        sluice_example x = dataset_row(d, d->order[i]);
        if (x.weight != 0) status = sluice_batch_add(f->parts[next[x.label > 0]++ % folds], &x, err);
    }
    return status;
}

void folds_free(fold_list *f) {
    for (size_t i = 0; i < f->n; i++) sluice_batch_free(f->parts[i]);
    free(f->parts);
}
