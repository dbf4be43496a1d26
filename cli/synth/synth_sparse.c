/* A sparse high-dimensional stream for benchmarks, shaped like text (zipf_rows.c). The label is the side of a plane of
 * hidden weights; that of a share of the rows (noise) is flipped. Where `positives` asks for rare classes, the label is
 * drawn first and rows are drawn until one has it. */
#include "synth/zipf_rows.h"

#include <stdlib.h>

enum { ROWS, TEST_ROWS, DIM, NONZEROS, EXPONENT, INFORMATIVE, NOISE, POSITIVES, N_PARAMS };
enum { MAX_TRIES = 1000 }; /* a plane of very few features can have one side alone */

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 300000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [DIM] = {"dim", "dimensions", 1000000, 1, 4e9, 1, NULL},
    [NONZEROS] = {"nonzeros", "features of each row", 75, 1, 1e6, 1, NULL},
    [EXPONENT] = {"exponent", "exponent of Zipf's law; 0: all features equally often", 1, 0, 4, 0, NULL},
    [INFORMATIVE] = {"informative", "share of the features that bear on the label", 0.3, 0, 1, 0, NULL},
    [NOISE] = {"noise", "share of the rows whose label is flipped", 0.05, 0, 0.5, 0, NULL},
    [POSITIVES] = {"positives",
                   "share of positive rows, e.g. 0.01 with noise=0.001; 0: about half, as the plane divides", 0, 0, 1,
                   0, NULL},
};

typedef struct state {
    zipf_rows rows;
    double noise, positives;
    uint64_t secret;
} state;

static const char *check(const double *p) { return p[NONZEROS] > p[DIM] ? "nonzeros must not exceed dim" : NULL; }

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
    s->noise = p[NOISE];
    s->positives = p[POSITIVES];
    s->secret = sluice_random_next(r);
    return s;
}

static int draw_labelled(state *s, sluice_random *r) {
    zipf_rows_draw(&s->rows, r);
    double side = zipf_rows_side(&s->rows, s->secret);
    if (side == 0) side = sluice_random_uniform(r) - 0.5; /* a row of stop words alone */
    if (sluice_random_uniform(r) < s->noise) side = -side;
    return side > 0 ? 1 : -1;
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    int label;
    if (s->positives > 0) {
        label = sluice_random_uniform(r) < s->positives ? 1 : -1;
        for (int tries = 0; tries < MAX_TRIES && draw_labelled(s, r) != label; tries++) continue;
    } else {
        label = draw_labelled(s, r);
    }
    zipf_rows_scale(&s->rows);
    *row = s->rows.row;
    row->label = label;
}

const synth_stream synth_sparse = {
    .name = "sparse",
    .summary = "high-dimensional sparse rows whose features follow Zipf's law, for benchmarks",
    .params = params,
    .n_params = N_PARAMS,
    .check = check,
    .start = start,
    .draw = draw,
    .free_state = free_state,
};
