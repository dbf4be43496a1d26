/* Stratified folds for cross-validation. */
#include "experiment/folds.h"

#include "base/error.h"
#include "experiment/dataset.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void count_rows(const sluice_dataset *d, sluice_folds *f) {
    for (size_t i = 0; i < d->n_order; i++) {
        if (d->weights[d->order[i]] == 0) continue;
        f->rows++;
        f->plus += sl_dataset_is_plus(d, d->order[i]);
    }
}

static sluice_status make_parts(sluice_folds *f, size_t n, sluice_error *err) {
    f->parts = calloc(n, sizeof(sluice_batch *));
    if (!f->parts) return sl_no_memory(err);
    for (; f->n < n; f->n++)
        if (!(f->parts[f->n] = sluice_batch_new(err))) return SLUICE_E_MEMORY;
    return SLUICE_OK;
}

/* Class after class in turn, the last one first (of two: +1), each going on where the one before ended. Returns, by
 * class, where it begins. NULL: no memory. */
static uint64_t *begin_classes(const sluice_dataset *d) {
    const size_t classes = d->classes ? sluice_model_classes(d->classes) : 0, n = classes > 2 ? classes : 2;
    uint64_t *next = calloc(n, sizeof *next), before = 0;
    for (size_t i = 0; next && i < d->n_order; i++)
        if (d->weights[d->order[i]] != 0) next[sl_dataset_class(d, d->order[i])]++;
    for (size_t c = n; next && c-- > 0;) {
        const uint64_t count = next[c];
        next[c] = before;
        before += count;
    }
    return next;
}

static sluice_status deal(sluice_folds *f, const sluice_dataset *d, const size_t *order, sluice_error *err) {
    uint64_t *next = begin_classes(d);
    sluice_status status = next ? SLUICE_OK : sl_no_memory(err);
    for (size_t i = 0; i < d->n_order && status == SLUICE_OK; i++) {
        sluice_example x;
        sluice_dataset_row(d, order[i], &x);
        if (x.weight != 0) status = sluice_batch_add(f->parts[next[sl_dataset_class(d, order[i])]++ % f->n], &x, err);
    }
    free(next);
    return status;
}

static sluice_status fill(sluice_folds *f, const sluice_dataset *d, size_t n, uint64_t seed, sluice_error *err) {
    if (n < 2) return sl_fail(err, SLUICE_E_USAGE, "%zu folds: cross-validation needs at least 2", n);
    count_rows(d, f);
    if (f->rows < n)
        return sl_fail(err, SLUICE_E_DATA, "only %" PRIu64 " example%s: too few for %zu folds", f->rows,
                       f->rows == 1 ? "" : "s", n);
    f->turned = sl_dataset_is_turned(d);
    if (d->classes && !(f->classes = sluice_model_copy(d->classes, err))) return SLUICE_E_MEMORY;
    sluice_status status = make_parts(f, n, err);
    if (status != SLUICE_OK) return status;
    size_t *order = malloc((d->n_order + 1) * sizeof *order);
    if (!order) return sl_no_memory(err);
    if (d->n_order) memcpy(order, d->order, d->n_order * sizeof *order);
    sl_shuffle(order, d->n_order, seed);
    status = deal(f, d, order, err);
    free(order);
    return status;
}

sluice_folds *sluice_folds_new(const sluice_dataset *d, size_t n, uint64_t seed, sluice_error *err) {
    sluice_folds *f = calloc(1, sizeof *f);
    if (!f) {
        sl_no_memory(err);
        return NULL;
    }
    if (fill(f, d, n, seed, err) == SLUICE_OK) return f;
    sluice_folds_free(f);
    return NULL;
}

void sluice_folds_free(sluice_folds *f) {
    if (!f) return;
    for (size_t i = 0; i < f->n; i++) sluice_batch_free(f->parts[i]);
    sluice_model_free(f->classes);
    free(f->parts);
    free(f);
}

size_t sluice_folds_count(const sluice_folds *f) { return f->n; }
const sluice_batch *sluice_folds_part(const sluice_folds *f, size_t i) { return i < f->n ? f->parts[i] : NULL; }

uint64_t sluice_folds_rows(const sluice_folds *f, uint64_t *positives) {
    if (positives) *positives = f->turned ? f->rows - f->plus : f->plus;
    return f->rows;
}
