/* A sparse high-dimensional stream for benchmarks, shaped like text: how often a feature occurs follows Zipf's law.
 *
 * A row draws distinct ranks with probability proportional to (rank + 1)^-exponent. A fixed bijection scatters the
 * ranks over the ids 1..dim, so that frequent features are not neighbours in memory, which they are not in real streams
 * either. Values are positive, larger for rare features as in tf-idf; the row has length 1 and six decimals, about 16
 * bytes an id:value pair. The label is the side of a plane whose weights are hashed from the ids: a share of the
 * features has a weight, smaller for rare ones; the most frequent ones, a language's stop words, have none. The label
 * of a share of the rows (noise) is flipped. */
#include "synth/synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, TEST_ROWS, DIM, NONZEROS, EXPONENT, INFORMATIVE, NOISE, N_PARAMS };

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream", 300000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [DIM] = {"dim", "dimensions", 1000000, 1, 4e9, 1, NULL},
    [NONZEROS] = {"nonzeros", "features of each row", 75, 1, 1e6, 1, NULL},
    [EXPONENT] = {"exponent", "exponent of Zipf's law; 0: all features equally often", 1, 0, 4, 0, NULL},
    [INFORMATIVE] = {"informative", "share of the features that bear on the label", 0.3, 0, 1, 0, NULL},
    [NOISE] = {"noise", "share of the rows whose label is flipped", 0.05, 0, 0.5, 0, NULL},
};

enum { STOP_WORDS = 50 };

/* Hoermann and Derflinger 1996, rejection-inversion: about one draw, no table. */
typedef struct zipf {
    double exponent, n, low, high, cut;
} zipf;

typedef struct feature {
    uint64_t id, rank;
} feature;

typedef struct state {
    zipf law;
    uint64_t dim, stride;
    size_t nonzeros;
    double noise;
    uint64_t informative_below; /* hashes below this have a weight */
    uint64_t secret;
    uint64_t *taken; /* a hash set of the row's ranks + 1; 0: free */
    size_t mask;
    feature *features; /* of the row, by id */
    synth_row row;
} state;

/* The integral of x^-exponent from 1, and its inverse; both have a limit at exponent 1. */
static double zipf_integral(const zipf *z, double x) {
    double e = 1 - z->exponent;
    return fabs(e) < 1e-9 ? log(x) : (pow(x, e) - 1) / e;
}

static double zipf_inverse(const zipf *z, double area) {
    double e = 1 - z->exponent;
    if (fabs(e) < 1e-9) return exp(area);
    double power = area * e + 1;
    return power > 0 ? pow(power, 1 / e) : 1;
}

static double zipf_density(const zipf *z, double x) { return z->exponent == 1 ? 1 / x : pow(x, -z->exponent); }

static zipf zipf_new(double exponent, double n) {
    zipf z = {.exponent = exponent, .n = n};
    z.low = zipf_integral(&z, 1.5) - 1;
    z.high = zipf_integral(&z, n + 0.5);
    z.cut = 2 - zipf_inverse(&z, zipf_integral(&z, 2.5) - zipf_density(&z, 2));
    return z;
}

/* A rank from 0. */
static uint64_t zipf_draw(const zipf *z, sluice_random *r) {
    for (;;) {
        double area = z->high + sluice_random_uniform(r) * (z->low - z->high), x = zipf_inverse(z, area);
        double k = floor(x + 0.5);
        if (k < 1) k = 1;
        if (k > z->n) k = z->n;
        if (k - x <= z->cut || area >= zipf_integral(z, k + 0.5) - zipf_density(z, k)) return (uint64_t)k - 1;
    }
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t c = a % b;
        a = b;
        b = c;
    }
    return a;
}

uint64_t synth_stride(uint64_t dim) {
    uint64_t stride = (uint64_t)((double)dim * 0.6180339887498949);
    if (stride == 0) stride = 1;
    while (gcd(stride, dim) != 1) stride++;
    return stride;
}

static const char *check(const double *p) { return p[NONZEROS] > p[DIM] ? "nonzeros must not exceed dim" : NULL; }

static void free_state(void *memory) {
    state *s = memory;
    if (!s) return;
    free(s->taken);
    free(s->features);
    free(s->row.ids);
    free(s->row.values);
    free(s);
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->law = zipf_new(p[EXPONENT], p[DIM]);
    s->dim = (uint64_t)p[DIM];
    s->stride = synth_stride(s->dim);
    s->nonzeros = (size_t)p[NONZEROS];
    s->noise = p[NOISE];
    s->informative_below = p[INFORMATIVE] >= 1 ? UINT64_MAX : (uint64_t)(p[INFORMATIVE] * 0x1p64);
    s->secret = sluice_random_next(r);
    size_t slots = 4;
    while (slots < 3 * s->nonzeros) slots *= 2;
    s->mask = slots - 1;
    s->taken = malloc(slots * sizeof *s->taken);
    s->features = malloc(s->nonzeros * sizeof *s->features);
    s->row = (synth_row){malloc(s->nonzeros * sizeof(uint64_t)), malloc(s->nonzeros * sizeof(float)), s->nonzeros, 0};
    if (!s->taken || !s->features || !s->row.ids || !s->row.values) {
        free_state(s);
        return NULL;
    }
    return s;
}

/* Whether the rank is new in this row; it is remembered. */
static int take(state *s, uint64_t rank) {
    size_t i = (size_t)synth_mix64(rank) & s->mask;
    while (s->taken[i]) {
        if (s->taken[i] == rank + 1) return 0;
        i = (i + 1) & s->mask;
    }
    s->taken[i] = rank + 1;
    return 1;
}

static uint64_t id_of(const state *s, uint64_t rank) { return 1 + rank * s->stride % s->dim; }

static int by_id(const void *left, const void *right) {
    const feature *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void draw_features(state *s, sluice_random *r) {
    memset(s->taken, 0, (s->mask + 1) * sizeof *s->taken);
    size_t n = 0, draws = 0;
    while (n < s->nonzeros) {
        /* a steep law over few dimensions would repeat itself for ever: the last ones are then drawn evenly */
        uint64_t rank = draws++ < 32 * s->nonzeros ? zipf_draw(&s->law, r) : sluice_random_below(r, s->dim);
        if (take(s, rank)) s->features[n++] = (feature){id_of(s, rank), rank};
    }
    qsort(s->features, n, sizeof *s->features, by_id);
}

static double hidden_weight(const state *s, const feature *f) {
    uint64_t hash = synth_mix64(f->id ^ s->secret);
    if (f->rank < STOP_WORDS || hash >= s->informative_below) return 0;
    double size = 1 / (1 + (double)f->rank / 1000);
    return synth_mix64(hash) & 1 ? size : -size;
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    double squares = 0, side = 0;
    draw_features(s, r);
    float *values = s->row.values;
    for (size_t i = 0; i < s->nonzeros; i++) {
        const feature *f = &s->features[i];
        double v = (0.5 + sluice_random_uniform(r)) * log((double)f->rank + 3);
        s->row.ids[i] = f->id;
        values[i] = (float)v;
        squares += v * v;
        side += v * hidden_weight(s, f);
    }
    double scale = 1e6 / sqrt(squares);
    for (size_t i = 0; i < s->nonzeros; i++) {
        double v = nearbyint(values[i] * scale);
        values[i] = (float)((v < 1 ? 1 : v) / 1e6);
    }
    if (side == 0) side = sluice_random_uniform(r) - 0.5; /* a row of stop words alone */
    if (sluice_random_uniform(r) < s->noise) side = -side;
    *row = s->row;
    row->label = side > 0 ? 1 : -1;
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
