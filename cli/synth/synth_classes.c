/* A sparse stream of many classes.
 *
 * Every class has features of its own, `own` of the dim, from a place drawn by chance; classes may share some. A row
 * draws its class, then a share (signal) of its features from those of the class and the others from all dimensions;
 * all are distinct. Values are positive, the row has length 1 and six decimals. The label of a share of the rows
 * (noise) is drawn anew. The last classes (a share, late) come in the second half of the stream alone. */
#include "synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, TEST_ROWS, CLASSES, DIM, NONZEROS, OWN, SIGNAL, NOISE, LATE, LABELS, N_PARAMS };

static const char *const label_kinds[] = {"words", "numbers", NULL};

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 100000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [CLASSES] = {"classes", "classes, all equally often", 20, 2, 1e6, 1, NULL},
    [DIM] = {"dim", "dimensions", 10000, 1, 1e9, 1, NULL},
    [NONZEROS] = {"nonzeros", "features of each row", 20, 1, 1e5, 1, NULL},
    [OWN] = {"own", "features that a class has of its own", 50, 1, 1e9, 1, NULL},
    [SIGNAL] = {"signal", "share of a row's features that are its class's own", 0.3, 0, 1, 0, NULL},
    [NOISE] = {"noise", "share of the rows whose label is drawn by chance", 0.05, 0, 1, 0, NULL},
    [LATE] = {"late", "share of the classes that come from the middle of the stream on", 0, 0, 0.999, 0, NULL},
    [LABELS] = {"labels", "labels are words, c1 c2 ..., or the numbers 1 2 ...", 0, 0, 1, 1, label_kinds},
};

typedef struct state {
    uint64_t classes, early, middle, drawn; /* middle: the row from which on all classes come */
    uint64_t dim, own, secret;
    size_t nonzeros, signal;
    double noise;
    int numbers;
    uint64_t *taken; /* a hash set of the row's ids; 0: free */
    size_t mask;
    char word[32];
    synth_row row;
} state;

static const char *check(const double *p) {
    if (p[NONZEROS] > p[DIM]) return "nonzeros must not exceed dim";
    if (p[OWN] > p[DIM]) return "own must not exceed dim";
    if (round(p[SIGNAL] * p[NONZEROS]) > p[OWN]) return "signal times nonzeros must not exceed own";
    return NULL;
}

static void free_state(void *memory) {
    state *s = memory;
    if (!s) return;
    free(s->taken);
    free(s->row.ids);
    free(s->row.values);
    free(s);
}

/* The features of a class: (place + k stride) mod dim for k below own, all different since stride and dim have no
 * common factor. Each class has a stride of its own, so that two classes share few features. */
static uint64_t place_of(const state *s, uint64_t class) { return synth_mix64(s->secret + class) % s->dim; }

static uint64_t stride_of(const state *s, uint64_t class) {
    uint64_t stride = synth_mix64(s->secret ^ synth_mix64(class)) % s->dim | 1;
    for (;; stride++) {
        uint64_t a = s->dim, b = stride;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride % s->dim;
    }
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    uint64_t late = (uint64_t)round(p[LATE] * p[CLASSES]);
    s->classes = (uint64_t)p[CLASSES];
    s->early = late < s->classes ? s->classes - late : 1;
    s->middle = (uint64_t)(p[ROWS] / 2);
    s->dim = (uint64_t)p[DIM];
    s->own = (uint64_t)p[OWN];
    s->nonzeros = (size_t)p[NONZEROS];
    s->signal = (size_t)round(p[SIGNAL] * p[NONZEROS]);
    s->noise = p[NOISE];
    s->numbers = p[LABELS] != 0;
    s->secret = sluice_random_next(r);
    size_t room = 4;
    while (room < 2 * s->nonzeros) room *= 2;
    s->mask = room - 1;
    s->taken = calloc(room, sizeof *s->taken);
    s->row.ids = calloc(s->nonzeros, sizeof *s->row.ids);
    s->row.values = calloc(s->nonzeros, sizeof *s->row.values);
    if (s->taken && s->row.ids && s->row.values) return s;
    free_state(s);
    return NULL;
}

/* Whether the id, which is not 0, is new in this row. */
static int take(state *s, uint64_t id) {
    size_t at = (size_t)synth_mix64(id) & s->mask;
    while (s->taken[at] && s->taken[at] != id) at = (at + 1) & s->mask;
    if (s->taken[at]) return 0;
    s->taken[at] = id;
    return 1;
}

static int by_id(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void draw_ids(state *s, sluice_random *r, uint64_t class) {
    const uint64_t place = place_of(s, class), stride = stride_of(s, class);
    memset(s->taken, 0, (s->mask + 1) * sizeof *s->taken);
    for (size_t n = 0; n < s->nonzeros;) {
        uint64_t id =
            n < s->signal ? (place + sluice_random_below(r, s->own) * stride) % s->dim : sluice_random_below(r, s->dim);
        if (take(s, id + 1)) s->row.ids[n++] = id + 1;
    }
    qsort(s->row.ids, s->nonzeros, sizeof *s->row.ids, by_id);
}

static void draw_values(state *s, sluice_random *r) {
    double squares = 0;
    for (size_t i = 0; i < s->nonzeros; i++) {
        double value = 0.5 + sluice_random_uniform(r);
        s->row.values[i] = (float)value;
        squares += value * value;
    }
    for (size_t i = 0; i < s->nonzeros; i++)
        s->row.values[i] = (float)(fmax(round((double)s->row.values[i] / sqrt(squares) * 1e6), 1) / 1e6);
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    const uint64_t possible = s->drawn++ < s->middle ? s->early : s->classes;
    uint64_t class = sluice_random_below(r, possible);
    draw_ids(s, r, class);
    draw_values(s, r);
    if (sluice_random_uniform(r) < s->noise) class = sluice_random_below(r, possible);
    int n = snprintf(s->word, sizeof s->word, s->numbers ? "%llu" : "c%llu", (unsigned long long)class + 1);
    *row = s->row;
    row->n = s->nonzeros;
    row->word = (sluice_name){s->word, (size_t)n};
}

const synth_stream synth_classes = {
    .name = "classes",
    .summary = "many classes, each with sparse features of its own among those drawn by chance",
    .params = params,
    .n_params = N_PARAMS,
    .check = check,
    .start = start,
    .draw = draw,
    .free_state = free_state,
};
