/* Dense rows of correlated features, each row of length 1: what second-order learners are made for (paper 003 uses
 * epsilon, which is such data).
 *
 * A row is a walk: x_j = c x_(j-1) + sqrt(1 - c^2) z_j with z normal, so that neighbours are correlated by c. The label
 * is the side of a plane with a normal normal vector, after noise of `noise` times the margin's own deviation. Values
 * are rounded to seven decimals after the scaling, so that text holds exactly what was drawn. */
#include "synth/synth.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, TEST_ROWS, DIM, CORRELATION, NOISE, N_PARAMS };

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 50000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [DIM] = {"dim", "dimensions, all of them in every row", 2000, 1, 1e6, 1, NULL},
    [CORRELATION] = {"correlation", "correlation of neighbours", 0.9, 0, 0.9999, 0, NULL},
    [NOISE] = {"noise", "deviation of the noise before the label is decided, relative to the margin's", 0.3, 0, 1e6, 0,
               NULL},
};

typedef struct state {
    double correlation, fresh, noise;
    double *normal; /* of the plane */
    double *x;
    synth_row row;
} state;

static void free_state(void *memory) {
    state *s = memory;
    if (!s) return;
    free(s->normal);
    free(s->x);
    free(s->row.ids);
    free(s->row.values);
    free(s);
}

/* The deviation of normal.x: the walk's covariance of i and j is c^|i - j|. */
static double margin_deviation(const state *s) {
    double sum = 0, carried = 0;
    for (size_t j = 0; j < s->row.n; j++) {
        sum += s->normal[j] * (s->normal[j] + 2 * carried);
        carried = s->correlation * (carried + s->normal[j]);
    }
    return sqrt(sum);
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    size_t n = (size_t)p[DIM];
    s->correlation = p[CORRELATION];
    s->fresh = sqrt(1 - s->correlation * s->correlation);
    s->normal = malloc(n * sizeof *s->normal);
    s->x = malloc(n * sizeof *s->x);
    s->row = (synth_row){malloc(n * sizeof(uint64_t)), malloc(n * sizeof(float)), n, 0};
    if (!s->normal || !s->x || !s->row.ids || !s->row.values) {
        free_state(s);
        return NULL;
    }
    for (size_t j = 0; j < n; j++) {
        s->normal[j] = sluice_random_normal(r);
        s->row.ids[j] = j + 1;
    }
    s->noise = p[NOISE] * margin_deviation(s);
    return s;
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    double margin = 0, square = 0, last = sluice_random_normal(r);
    for (size_t j = 0; j < s->row.n; j++) {
        if (j) last = s->correlation * last + s->fresh * sluice_random_normal(r);
        s->x[j] = last;
        square += last * last;
        margin += s->normal[j] * last;
    }
    double scale = 1 / sqrt(square);
    for (size_t j = 0; j < s->row.n; j++) s->row.values[j] = (float)(nearbyint(s->x[j] * scale * 1e7) / 1e7);
    *row = s->row;
    row->label = margin + s->noise * sluice_random_normal(r) > 0 ? 1 : -1;
}

const synth_stream synth_dense = {
    .name = "dense",
    .summary = "dense rows of correlated features, for learners with a covariance",
    .params = params,
    .n_params = N_PARAMS,
    .start = start,
    .draw = draw,
    .free_state = free_state,
};
