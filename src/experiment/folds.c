/* Stratified folds for cross-validation, and parts of a stream. */
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

/* Folds of few rows have one class alone in places: the first ones the last class, and so on. Learned one after the
 * other they would be rows sorted by their labels, so their order is shuffled. Larger folds have every class that is
 * not rare, in the order of the shuffled rows. */
static sluice_status mix_small_folds(sluice_folds *f, uint64_t seed, sluice_error *err) {
    if (f->rows / f->n >= f->n) return SLUICE_OK;
    size_t *order = malloc(f->n * sizeof *order);
    sluice_batch **mixed = malloc(f->n * sizeof *mixed);
    if (order && mixed) {
        for (size_t i = 0; i < f->n; i++) order[i] = i;
        sl_shuffle(order, f->n, seed);
        for (size_t i = 0; i < f->n; i++) mixed[i] = f->parts[order[i]];
        memcpy(f->parts, mixed, f->n * sizeof *mixed);
    }
    const bool enough = order && mixed;
    free(order);
    free(mixed);
    return enough ? SLUICE_OK : sl_no_memory(err);
}

/* How many rows the first `parts` parts have. */
static uint64_t rows_of(const sluice_folds *f, size_t parts) {
    return parts * (f->rows / f->n) + parts * (f->rows % f->n) / f->n;
}

/* Parts of the same size, one behind the other. */
static sluice_status cut(sluice_folds *f, const sluice_dataset *d, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    uint64_t row = 0;
    size_t part = 0;
    for (size_t i = 0; i < d->n_order && status == SLUICE_OK; i++) {
        sluice_example x;
        sluice_dataset_row(d, d->order[i], &x);
        if (x.weight == 0) continue;
        while (row >= rows_of(f, part + 1)) part++;
        status = sluice_batch_add(f->parts[part], &x, err);
        row++;
    }
    return status;
}

static sluice_status shuffle(sluice_folds *f, const sluice_dataset *d, uint64_t seed, sluice_error *err) {
    size_t *order = malloc((d->n_order + 1) * sizeof *order);
    if (!order) return sl_no_memory(err);
    if (d->n_order) memcpy(order, d->order, d->n_order * sizeof *order);
    sl_shuffle(order, d->n_order, seed);
    sluice_status status = deal(f, d, order, err);
    free(order);
    return status == SLUICE_OK ? mix_small_folds(f, seed, err) : status;
}

static sluice_status prepare(sluice_folds *f, const sluice_dataset *d, size_t n, sluice_error *err) {
    count_rows(d, f);
    if (f->rows < n)
        return sl_fail(err, SLUICE_E_DATA, "only %" PRIu64 " example%s: too few for %zu %s", f->rows,
                       f->rows == 1 ? "" : "s", n, f->in_order ? "parts" : "folds");
    f->turned = sl_dataset_is_turned(d);
    if (d->classes && !(f->classes = sluice_model_copy(d->classes, err))) return SLUICE_E_MEMORY;
    return make_parts(f, n, err);
}

static sluice_folds *make(const sluice_dataset *d, size_t n, bool in_order, uint64_t seed, sluice_error *err) {
    sluice_folds *f = calloc(1, sizeof *f);
    if (!f) {
        sl_no_memory(err);
        return NULL;
    }
    f->in_order = in_order;
    sluice_status status = prepare(f, d, n, err);
    if (status == SLUICE_OK) status = in_order ? cut(f, d, err) : shuffle(f, d, seed, err);
    if (status == SLUICE_OK) return f;
    sluice_folds_free(f);
    return NULL;
}

sluice_folds *sluice_folds_new(const sluice_dataset *d, size_t n, uint64_t seed, sluice_error *err) {
    if (n >= 2) return make(d, n, false, seed, err);
    sl_fail(err, SLUICE_E_USAGE, "%zu folds: cross-validation needs at least 2", n);
    return NULL;
}

sluice_folds *sluice_folds_in_order(const sluice_dataset *d, size_t n, sluice_error *err) {
    if (n >= 1) return make(d, n, true, 0, err);
    sl_fail(err, SLUICE_E_USAGE, "rows are cut into one part at least");
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
