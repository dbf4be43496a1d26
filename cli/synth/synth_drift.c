/* A sparse stream whose hidden weights change: the rows of `sparse`, a label by weights that depend on time.
 *
 * The rows are divided into `changes` + 1 stretches of equal length; each has a weight vector of its own. kind=abrupt:
 * the label follows the vector of its stretch alone, and with the next stretch another one. kind=slow: within a stretch
 * the weights turn evenly by a right angle, from its vector to that of the next, so that no two rows have the same
 * ones. Rows for --test continue the last stretch (abrupt) or the turning (slow). */
#include "synth/zipf_rows.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, TEST_ROWS, KIND, CHANGES, DIM, NONZEROS, EXPONENT, INFORMATIVE, NOISE, N_PARAMS };
enum { ABRUPT, SLOW };

static const char *const kinds[] = {"abrupt", "slow", NULL};

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 100000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [KIND] = {"kind", "whether the true weights change at once or turn slowly", ABRUPT, 0, 1, 1, kinds},
    [CHANGES] = {"changes", "changes to other weights, evenly over the rows; 0: none", 4, 0, 1e9, 1, NULL},
    [DIM] = {"dim", "dimensions", 10000, 1, 4e9, 1, NULL},
    [NONZEROS] = {"nonzeros", "features of each row", 30, 1, 1e6, 1, NULL},
    [EXPONENT] = {"exponent", "exponent of Zipf's law; 0: all features equally often", 1, 0, 4, 0, NULL},
    [INFORMATIVE] = {"informative", "share of the features that bear on the label", 0.3, 0, 1, 0, NULL},
    [NOISE] = {"noise", "share of the rows whose label is flipped", 0.05, 0, 0.5, 0, NULL},
};

typedef struct state {
    zipf_rows rows;
    int kind;
    double noise;
    double length; /* rows of a stretch */
    double last;   /* the last stretch, from 0 */
    double drawn;
    uint64_t secret;
} state;

static const char *check(const double *p) {
    if (p[NONZEROS] > p[DIM]) return "nonzeros must not exceed dim";
    return p[ROWS] > 0 && p[CHANGES] >= p[ROWS] ? "changes must be fewer than rows" : NULL;
}

static void free_state(void *memory) {
    state *s = memory;
    if (!s) return;
    zipf_rows_free(&s->rows);
    free(s);
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (!zipf_rows_start(&s->rows, p[EXPONENT], p[DIM], p[NONZEROS], p[INFORMATIVE])) {
        free(s);
        return NULL;
    }
    s->kind = (int)p[KIND];
    s->noise = p[NOISE];
    /* turning needs as many stretches as changes: each ends at the next vector */
    s->last = p[CHANGES];
    s->length = p[ROWS] / fmax(s->kind == SLOW ? p[CHANGES] : p[CHANGES] + 1, 1);
    s->secret = sluice_random_next(r);
    return s;
}

static double side_in_stretch(const state *s, double stretch) {
    return zipf_rows_side(&s->rows, synth_mix64(s->secret + (uint64_t)stretch));
}

static double side_now(const state *s) {
    const double at = s->last > 0 && s->length > 0 ? s->drawn / s->length : 0;
    if (s->kind == ABRUPT) return side_in_stretch(s, fmin(floor(at), s->last));
    const double angle = (at - floor(at)) * 1.5707963267948966;
    return cos(angle) * side_in_stretch(s, floor(at)) + sin(angle) * side_in_stretch(s, floor(at) + 1);
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    zipf_rows_draw(&s->rows, r);
    double side = side_now(s);
    s->drawn++;
    const double chance = sluice_random_uniform(r) - 0.5; /* drawn always: the rows are the same for both kinds */
    if (side == 0) side = chance;                         /* no informative features */
    if (sluice_random_uniform(r) < s->noise) side = -side;
    zipf_rows_scale(&s->rows);
    *row = s->rows.row;
    row->label = side > 0 ? 1 : -1;
}

const synth_stream synth_drift = {
    .name = "drift",
    .summary = "sparse rows as in `sparse`; the true weights change at once, several times, or turn slowly",
    .params = params,
    .n_params = N_PARAMS,
    .check = check,
    .start = start,
    .draw = draw,
    .free_state = free_state,
};
