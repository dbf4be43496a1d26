/* The synthetic data of paper 001 (Sparse Online Classification, section 5.2): effective dimensions that decide the
 * label, and noise in dimensions that change from row to row.
 *
 * The mean of every effective dimension is drawn from [-mean_max, mean_max] and its variance from [var_min, var_max]; a
 * row's effective part is normal around it, and the label is the side of the plane whose normal is the mean vector.
 * Values are rounded to five decimals before the label is decided, so that text holds exactly what was drawn. */
#include "synth/synth.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, TEST_ROWS, DIM, EFFECTIVE, NOISE, NOISE_VAR, VAR_MIN, VAR_MAX, MEAN_MAX, N_PARAMS };

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 100000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [DIM] = {"dim", "dimensions", 1000, 1, 1e8, 1, NULL},
    [EFFECTIVE] = {"effective", "dimensions that decide the label: the first ones", 100, 1, 1e8, 1, NULL},
    [NOISE] = {"noise", "noise dimensions of each row, drawn from the others", 200, 0, 1e8, 1, NULL},
    [NOISE_VAR] = {"noise_var", "variance of the noise", 100, 0, 1e12, 0, NULL},
    [VAR_MIN] = {"var_min", "least variance of an effective dimension", 0.5, 0, 1e12, 0, NULL},
    [VAR_MAX] = {"var_max", "largest variance of an effective dimension", 100, 0, 1e12, 0, NULL},
    [MEAN_MAX] = {"mean_max", "largest mean of an effective dimension", 1, 0, 1e12, 0, NULL},
};

typedef struct state {
    size_t effective, noise, rest;
    double noise_deviation;
    double *mean, *deviation; /* of the effective dimensions */
    uint64_t *others;         /* the other dimensions, in an order that every row shuffles a little further */
    synth_row row;
} state;

static const char *check(const double *p) {
    if (p[EFFECTIVE] + p[NOISE] > p[DIM]) return "effective + noise must not exceed dim";
    if (p[VAR_MIN] > p[VAR_MAX]) return "var_min must not exceed var_max";
    return NULL;
}

static void free_state(void *memory) {
    state *s = memory;
    if (!s) return;
    free(s->mean);
    free(s->deviation);
    free(s->others);
    free(s->row.ids);
    free(s->row.values);
    free(s);
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->effective = (size_t)p[EFFECTIVE];
    s->noise = (size_t)p[NOISE];
    s->rest = (size_t)p[DIM] - s->effective;
    s->noise_deviation = sqrt(p[NOISE_VAR]);
    size_t n = s->effective + s->noise;
    s->mean = malloc(s->effective * sizeof *s->mean);
    s->deviation = malloc(s->effective * sizeof *s->deviation);
    s->others = malloc((s->rest + 1) * sizeof *s->others);
    s->row = (synth_row){malloc(n * sizeof(uint64_t)), malloc(n * sizeof(float)), n, 0};
    if (!s->mean || !s->deviation || !s->others || !s->row.ids || !s->row.values) {
        free_state(s);
        return NULL;
    }
    for (size_t i = 0; i < s->effective; i++) {
        s->mean[i] = p[MEAN_MAX] * (2 * sluice_random_uniform(r) - 1);
        s->deviation[i] = sqrt(p[VAR_MIN] + (p[VAR_MAX] - p[VAR_MIN]) * sluice_random_uniform(r));
        s->row.ids[i] = i + 1;
    }
    for (size_t i = 0; i < s->rest; i++) s->others[i] = s->effective + 1 + i;
    return s;
}

static float rounded(double x) { return (float)(nearbyint(x * 1e5) / 1e5); }

static int by_id(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The first `noise` of the other dimensions after as many steps of a Fisher-Yates shuffle: a draw without replacement.
 */
static void draw_noise_ids(state *s, sluice_random *r) {
    uint64_t *chosen = s->row.ids + s->effective;
    for (size_t i = 0; i < s->noise; i++) {
        size_t k = i + (size_t)sluice_random_below(r, s->rest - i);
        chosen[i] = s->others[k];
        s->others[k] = s->others[i];
        s->others[i] = chosen[i];
    }
    qsort(chosen, s->noise, sizeof *chosen, by_id);
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    double side = 0;
    float *values = s->row.values;
    for (size_t i = 0; i < s->effective; i++) {
        values[i] = rounded(s->mean[i] + s->deviation[i] * sluice_random_normal(r));
        side += s->mean[i] * values[i];
    }
    draw_noise_ids(s, r);
    for (size_t i = 0; i < s->noise; i++)
        values[s->effective + i] = rounded(s->noise_deviation * sluice_random_normal(r));
    *row = s->row;
    row->label = side > 0 ? 1 : -1;
}

const synth_stream synth_effective = {
    .name = "effective",
    .summary = "few effective dimensions among changing noise: the synthetic data of paper 001, section 5.2",
    .params = params,
    .n_params = N_PARAMS,
    .check = check,
    .start = start,
    .draw = draw,
    .free_state = free_state,
};
