#include "experiment/dataset.h"

#include "rows/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int grow_rows(dataset *d, size_t rows) {
    if (rows <= d->room) return 1;
    size_t room = d->room ? d->room : 1024;
    while (room < rows) room *= 2;
    size_t *start = realloc(d->start, (room + 1) * sizeof *start);
    if (start) d->start = start;
    double *labels = realloc(d->labels, room * sizeof *labels);
    if (labels) d->labels = labels;
    double *weights = realloc(d->weights, room * sizeof *weights);
    if (weights) d->weights = weights;
    if (!start || !labels || !weights) return 0;
    d->room = room;
    return 1;
}

static int grow_nonzeros(dataset *d, size_t n) {
    if (n <= d->nonzeros_room) return 1;
    size_t room = d->nonzeros_room ? d->nonzeros_room : 65536;
    while (room < n) room *= 2;
    uint64_t *ids = realloc(d->ids, room * sizeof *ids);
    if (ids) d->ids = ids;
    float *values = realloc(d->values, room * sizeof *values);
    if (values) d->values = values;
    if (!ids || !values) return 0;
    d->nonzeros_room = room;
    return 1;
}

/* The number of a name, or of an id as a name. */
static uint64_t number_of(dataset *d, const sluice_example *x, size_t k) {
    if (x->names) return sluice_names_number(d->names, x->names[k]);
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, x->ids[k]);
    return sluice_names_number(d->names, (sluice_name){digits, (size_t)n});
}

/* Goes over to names: the ids so far become names too. */
static int use_names(dataset *d) {
    if (d->names) return 1;
    d->names = sluice_names_new();
    if (!d->names) return 0;
    sluice_example x = {.ids = d->ids};
    d->id_rows = d->rows;
    d->dimension = 0;
    for (size_t k = 0; k < d->nonzeros; k++) {
        if ((d->ids[k] = number_of(d, &x, k)) == UINT64_MAX) return 0;
        if (d->ids[k] > d->dimension) d->dimension = d->ids[k];
    }
    return 1;
}

/* Appends one row; its ids may lie where they are to go. */
static int add_row(dataset *d, const sluice_example *x) {
    uint64_t *ids = d->ids + d->nonzeros;
    for (size_t k = 0; k < x->n; k++) {
        ids[k] = d->names ? number_of(d, x, k) : x->ids[k];
        if (d->names && ids[k] == UINT64_MAX) return 0;
        d->values[d->nonzeros + k] = x->values[k];
        if (ids[k] > d->dimension) d->dimension = ids[k];
    }
    d->labels[d->rows] = x->label;
    d->weights[d->rows] = x->weight;
    d->nonzeros += x->n;
    if (x->n > d->longest) d->longest = x->n;
    d->start[++d->rows] = d->nonzeros;
    return 1;
}

static int grow_row(dataset *d, size_t longest) {
    sluice_name *names = realloc(d->row_names, longest * sizeof *names);
    if (names) d->row_names = names;
    uint64_t *ids = realloc(d->row_ids, longest * sizeof *ids);
    if (ids) d->row_ids = ids;
    return names && ids;
}

int dataset_add_batch(dataset *d, const sluice_batch *batch) {
    size_t rows = sluice_batch_rows(batch), nonzeros = 0, longest = d->longest;
    for (size_t i = 0; i < rows; i++) {
        size_t n = sluice_batch_nonzeros(batch, i);
        nonzeros += n;
        if (n > longest) longest = n;
    }
    if (!grow_rows(d, d->rows + rows) || !grow_nonzeros(d, d->nonzeros + nonzeros)) return 0;
    if (sluice_batch_has_names(batch) && !use_names(d)) return 0;
    if (d->names && !grow_row(d, longest + 1)) return 0;
    d->start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        sluice_example x;
        sluice_batch_row(batch, i, d->ids + d->nonzeros, d->row_names, &x);
        if (!add_row(d, &x)) return 0;
    }
    return 1;
}

void dataset_name(dataset *d, sluice_example *x) {
    if (!d->names) return;
    for (size_t k = 0; k < x->n; k++) d->row_names[k] = sluice_names_name(d->names, x->ids[k]);
    x->names = d->row_names;
}

sluice_example dataset_original(dataset *d, size_t row) {
    sluice_example x = dataset_row(d, row);
    dataset_name(d, &x);
    if (!d->names || row >= d->id_rows) return x;
    for (size_t k = 0; k < x.n; k++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%.*s", (int)x.names[k].n, x.names[k].text);
        d->row_ids[k] = strtoull(digits, NULL, 10);
    }
    x.ids = d->row_ids;
    x.names = NULL;
    return x;
}

int dataset_complete(dataset *d) {
    d->order = malloc((d->rows + 1) * sizeof *d->order);
    if (!d->order) return 0;
    dataset_reset_order(d, d->rows);
    return 1;
}

void dataset_reset_order(dataset *d, size_t n) {
    for (size_t i = 0; i < n; i++) d->order[i] = i;
    d->n_order = n;
}

sluice_example dataset_row(const dataset *d, size_t row) {
    size_t from = d->start[row];
    return (sluice_example){.ids = d->ids + from,
                            .values = d->values + from,
                            .n = d->start[row + 1] - from,
                            .label = d->labels[row],
                            .weight = d->weights[row]};
}

int has_id(const uint64_t *ids, size_t n, uint64_t id) {
    if (n == 0) return 0;
    for (; n > 1; n -= n / 2) /* the last id that is not larger lies within ids[0 .. n - 1] */
        ids += ids[n / 2] <= id ? n / 2 : 0;
    return *ids == id;
}

void dataset_forget_rows(dataset *d) {
    free(d->start);
    free(d->labels);
    free(d->weights);
    free(d->ids);
    free(d->values);
    free(d->order);
    *d = (dataset){.names = d->names, .row_names = d->row_names, .row_ids = d->row_ids};
}

void dataset_free(dataset *d) {
    dataset_forget_rows(d);
    sluice_names_free(d->names);
    free(d->row_names);
    free(d->row_ids);
}

/* Knuth's algorithm S for each class at once: of the `left` rows still to come, `want` are taken. */
void dataset_sample(dataset *d, uint64_t pos, uint64_t neg, uint64_t seed) {
    uint64_t left[2] = {0, 0}, want[2];
    for (size_t i = 0; i < d->n_order; i++) left[d->labels[d->order[i]] > 0]++;
    if (left[1] * neg <= left[0] * pos) {
        want[1] = left[1];
        want[0] = left[1] * neg / pos;
    } else {
        want[0] = left[0];
        want[1] = left[0] * pos / neg;
    }
    rng r = rng_seed(seed);
    size_t kept = 0;
    for (size_t i = 0; i < d->n_order; i++) {
        int class = d->labels[d->order[i]] > 0;
        if (rng_below(&r, left[class]--) >= want[class]) continue;
        want[class]--;
        d->order[kept++] = d->order[i];
    }
    d->n_order = kept;
    /* ids of rows that were not drawn mean nothing any more */
    d->dimension = 0;
    for (size_t i = 0; i < kept; i++)
        for (size_t k = d->start[d->order[i]]; k < d->start[d->order[i] + 1]; k++)
            if (d->ids[k] > d->dimension) d->dimension = d->ids[k];
}

void dataset_shuffle(dataset *d, uint64_t seed) {
    rng r = rng_seed(seed);
    for (size_t i = d->n_order; i > 1; i--) {
        size_t k = (size_t)rng_below(&r, i), swapped = d->order[k];
        d->order[k] = d->order[i - 1];
        d->order[i - 1] = swapped;
    }
}

/* Two passes, so that a large mean does not swallow a small deviation. A column is constant when its values are equal,
 * not when rounding says so. */
column_scale *dataset_scales(const dataset *d) {
    size_t columns = (size_t)d->dimension + 1, n = d->n_order;
    column_scale *scales = calloc(columns, sizeof *scales);
    struct extent {
        size_t count;
        float min, max;
    } *extents = calloc(columns, sizeof *extents);
    if (!scales || !extents) {
        free(scales);
        free(extents);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        sluice_example x = dataset_row(d, d->order[i]);
        for (size_t k = 0; k < x.n; k++) {
            struct extent *e = &extents[x.ids[k]];
            scales[x.ids[k]].mean += x.values[k];
            if (e->count++ == 0) e->min = e->max = x.values[k];
            e->min = fminf(e->min, x.values[k]);
            e->max = fmaxf(e->max, x.values[k]);
        }
    }
    for (size_t c = 0; c < columns; c++) {
        size_t absent = n - extents[c].count;
        scales[c].mean /= (double)(n ? n : 1);
        scales[c].deviation = (double)absent * scales[c].mean * scales[c].mean;
        if (absent) {
            extents[c].min = fminf(extents[c].min, 0);
            extents[c].max = fmaxf(extents[c].max, 0);
        }
    }
    for (size_t i = 0; i < n; i++) {
        sluice_example x = dataset_row(d, d->order[i]);
        for (size_t k = 0; k < x.n; k++) {
            double away = x.values[k] - scales[x.ids[k]].mean;
            scales[x.ids[k]].deviation += away * away;
        }
    }
    for (size_t c = 0; c < columns; c++) {
        int constant = extents[c].min == extents[c].max;
        scales[c].deviation = constant ? 0 : sqrt(scales[c].deviation / (double)(n - 1));
    }
    free(extents);
    return scales;
}
