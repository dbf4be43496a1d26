/* Computes root mean squares of features over held rows.
 *
 * Small ids are their own places in the arrays; where ids are much larger than the rows are long in all, the places are
 * those of a sorted list of the ids. */
#include "experiment/feature_sizes.h"

#include "base/error.h"
#include "experiment/dataset.h"
#include "model/scaling/row_values.h"

#include <math.h>
#include <stdlib.h>

struct sl_feature_sizes {
    uint64_t *ids;   /* ascending; NULL: an id is its own place */
    size_t n;        /* places */
    double *squares; /* sums, by place */
    sl_scale *scale; /* by place; NULL: values are not scaled */
    uint64_t rows;   /* with an importance */
    double weight;   /* of all rows */
};

/* The rows, one after the other. */
typedef struct scan {
    const sluice_batch *rows;
    const sluice_settings *settings;
    uint64_t *ids; /* room for a row's */
    double *values;
} scan;

static int by_id(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The place of an id that some row has; otherwise any place, or n. */
static size_t place_of(const sl_feature_sizes *s, uint64_t id) {
    if (!s->ids) return id < s->n ? (size_t)id : s->n;
    const uint64_t *at = s->ids;
    for (size_t n = s->n; n > 1; n -= n / 2) at += at[n / 2] <= id ? n / 2 : 0;
    return (size_t)(at - s->ids);
}

static sluice_status list_ids(sl_feature_sizes *s, const scan *c, size_t values, sluice_error *err) {
    size_t n = 0;
    s->ids = malloc((values + 1) * sizeof *s->ids);
    if (!s->ids) return sl_no_memory(err);
    for (size_t i = 0; i < sluice_batch_rows(c->rows); i++) {
        sluice_example x;
        sluice_batch_row(c->rows, i, c->ids, NULL, &x);
        for (size_t k = 0; k < x.n; k++) s->ids[n++] = x.ids[k];
    }
    qsort(s->ids, n, sizeof *s->ids, by_id);
    for (size_t i = 0; i < n; i++)
        if (!s->n || s->ids[s->n - 1] != s->ids[i]) s->ids[s->n++] = s->ids[i];
    return SLUICE_OK;
}

static sluice_status make_places(sl_feature_sizes *s, const scan *c, sluice_error *err) {
    uint64_t last = 0;
    size_t values = 0;
    for (size_t i = 0; i < sluice_batch_rows(c->rows); i++) {
        sluice_example x;
        sluice_batch_row(c->rows, i, c->ids, NULL, &x);
        values += x.n;
        for (size_t k = 0; k < x.n; k++) last = x.ids[k] > last ? x.ids[k] : last;
    }
    sluice_status status = SLUICE_OK;
    if (last / 4 <= values + 1000)
        s->n = (size_t)last + 1;
    else
        status = list_ids(s, c, values, err);
    s->squares = calloc(s->n + 1, sizeof *s->squares);
    if (c->settings->scale) s->scale = calloc(s->n + 1, sizeof *s->scale);
    if (status != SLUICE_OK) return status;
    return s->squares && (s->scale || !c->settings->scale) ? SLUICE_OK : sl_no_memory(err);
}

static void find_scales(sl_feature_sizes *s, const scan *c) {
    for (size_t i = 0; i < sluice_batch_rows(c->rows); i++) {
        sluice_example x;
        sluice_batch_row(c->rows, i, c->ids, NULL, &x);
        s->rows += x.weight > 0;
        for (size_t k = 0; k < x.n && x.weight > 0; k++) {
            sl_scale *scale = &s->scale[place_of(s, x.ids[k])];
            const float size = fabsf(sl_transformed(c->settings->transform, x.values[k]));
            if (c->settings->scale == SLUICE_SCALE_IDF)
                scale->rows += size > 0;
            else
                scale->largest = fmaxf(scale->largest, size);
        }
    }
}

/* A transformed value that is not 0, by the scale of its place. */
static double scaled(const sl_feature_sizes *s, const scan *c, double v, size_t place) {
    if (c->settings->scale == SLUICE_SCALE_IDF) return v * sl_idf(s->rows, s->scale[place].rows);
    return v / (double)s->scale[place].largest;
}

static void add_row(sl_feature_sizes *s, const scan *c, const sluice_example *x) {
    double length = 0;
    for (size_t k = 0; k < x->n; k++) {
        double v = (double)sl_transformed(c->settings->transform, x->values[k]);
        if (s->scale && v != 0) v = scaled(s, c, v, place_of(s, x->ids[k]));
        c->values[k] = v;
        length += v * v;
    }
    const double factor = c->settings->normalize == SLUICE_NORMALIZE_L2 && length > 0 ? 1 / length : 1;
    for (size_t k = 0; k < x->n; k++)
        s->squares[place_of(s, x->ids[k])] += x->weight * c->values[k] * c->values[k] * factor;
    s->weight += x->weight;
}

static sluice_status add_rows(sl_feature_sizes *s, scan *c, sluice_error *err) {
    size_t longest = 0;
    for (size_t i = 0; i < sluice_batch_rows(c->rows); i++) {
        const size_t n = sluice_batch_nonzeros(c->rows, i);
        longest = n > longest ? n : longest;
    }
    c->ids = malloc((longest + 1) * sizeof *c->ids);
    c->values = malloc((longest + 1) * sizeof *c->values);
    sluice_status status = c->ids && c->values ? make_places(s, c, err) : sl_no_memory(err);
    if (status == SLUICE_OK && s->scale) find_scales(s, c);
    for (size_t i = 0; i < sluice_batch_rows(c->rows) && status == SLUICE_OK; i++) {
        sluice_example x;
        sluice_batch_row(c->rows, i, c->ids, NULL, &x);
        if (x.weight > 0) add_row(s, c, &x);
    }
    free(c->ids);
    free(c->values);
    return status;
}

sl_feature_sizes *sl_feature_sizes_of(const sluice_batch *rows, const sluice_settings *settings, sluice_error *err) {
    scan c = {.rows = rows, .settings = settings};
    sl_feature_sizes *s = calloc(1, sizeof *s);
    if (!s) {
        sl_no_memory(err);
        return NULL;
    }
    if (add_rows(s, &c, err) == SLUICE_OK) return s;
    sl_feature_sizes_free(s);
    return NULL;
}

double sl_feature_size(const sl_feature_sizes *s, uint64_t id) {
    const size_t place = place_of(s, id);
    if (s->ids && s->ids[place] != id) return 0;
    return place < s->n && s->weight > 0 ? sqrt(s->squares[place] / s->weight) : 0;
}

void sl_feature_sizes_free(sl_feature_sizes *s) {
    if (!s) return;
    free(s->ids);
    free(s->squares);
    free(s->scale);
    free(s);
}
