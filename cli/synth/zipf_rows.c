/* Sparse rows shaped like text: how often a feature occurs follows Zipf's law.
 *
 * A row draws distinct ranks with probability proportional to (rank + 1)^-exponent. A fixed bijection scatters the
 * ranks over the ids 1..dim, so that frequent features are not neighbours in memory, which they are not in real streams
 * either. Values are positive, larger for rare features as in tf-idf; the row has length 1 and six decimals, about 16
 * bytes an id:value pair. Hidden weights are hashed from the ids: a share of the features has a weight, smaller for
 * rare ones; the most frequent ones, a language's stop words, have none. */
#include "synth/zipf_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STOP_WORDS = 50 };

/* Hoermann and Derflinger 1996, rejection-inversion: about one draw, no table. */

/* The integral of x^-exponent from 1, and its inverse; both have a limit at exponent 1. */
static double zipf_integral(const zipf_law *z, double x) {
    double e = 1 - z->exponent;
    return fabs(e) < 1e-9 ? log(x) : (pow(x, e) - 1) / e;
}

static double zipf_inverse(const zipf_law *z, double area) {
    double e = 1 - z->exponent;
    if (fabs(e) < 1e-9) return exp(area);
    double power = area * e + 1;
    return power > 0 ? pow(power, 1 / e) : 1;
}

static double zipf_density(const zipf_law *z, double x) { return z->exponent == 1 ? 1 / x : pow(x, -z->exponent); }

static zipf_law zipf_new(double exponent, double n) {
    zipf_law z = {.exponent = exponent, .n = n};
    z.low = zipf_integral(&z, 1.5) - 1;
    z.high = zipf_integral(&z, n + 0.5);
    z.cut = 2 - zipf_inverse(&z, zipf_integral(&z, 2.5) - zipf_density(&z, 2));
    return z;
}

/* A rank from 0. */
static uint64_t zipf_draw(const zipf_law *z, sluice_random *r) {
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

/* A multiplier without common factor with dim, near the golden section of it: k * stride mod dim is a bijection. */
static uint64_t scattering_stride(uint64_t dim) {
    uint64_t stride = (uint64_t)((double)dim * 0.6180339887498949);
    if (stride == 0) stride = 1;
    while (gcd(stride, dim) != 1) stride++;
    return stride;
}

void zipf_rows_free(zipf_rows *z) {
    free(z->taken);
    free(z->features);
    free(z->drawn);
    free(z->row.ids);
    free(z->row.values);
}

int zipf_rows_start(zipf_rows *z, double exponent, double dim, double nonzeros, double informative) {
    const size_t n = (size_t)nonzeros;
    size_t slots = 4;
    while (slots < 3 * n) slots *= 2;
    *z = (zipf_rows){
        .law = zipf_new(exponent, dim),
        .dim = (uint64_t)dim,
        .stride = scattering_stride((uint64_t)dim),
        .informative_below = informative >= 1 ? UINT64_MAX : (uint64_t)(informative * 0x1p64),
        .taken = malloc(slots * sizeof *z->taken),
        .mask = slots - 1,
        .features = malloc(n * sizeof *z->features),
        .drawn = malloc(n * sizeof *z->drawn),
        .row = {.ids = malloc(n * sizeof(uint64_t)), .values = malloc(n * sizeof(float)), .n = n},
    };
    if (z->taken && z->features && z->drawn && z->row.ids && z->row.values) return 1;
    zipf_rows_free(z);
    return 0;
}

/* Whether the rank is new in this row; it is remembered. */
static int take(zipf_rows *z, uint64_t rank) {
    size_t i = (size_t)synth_mix64(rank) & z->mask;
    while (z->taken[i]) {
        if (z->taken[i] == rank + 1) return 0;
        i = (i + 1) & z->mask;
    }
    z->taken[i] = rank + 1;
    return 1;
}

static uint64_t id_of(const zipf_rows *z, uint64_t rank) { return 1 + rank * z->stride % z->dim; }

static int by_id(const void *left, const void *right) {
    const zipf_feature *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void draw_features(zipf_rows *z, sluice_random *r) {
    memset(z->taken, 0, (z->mask + 1) * sizeof *z->taken);
    size_t n = 0, draws = 0;
    while (n < z->row.n) {
        /* a steep law over few dimensions would repeat itself for ever: the last ones are then drawn evenly */
        uint64_t rank = draws++ < 32 * z->row.n ? zipf_draw(&z->law, r) : sluice_random_below(r, z->dim);
        if (take(z, rank)) z->features[n++] = (zipf_feature){id_of(z, rank), rank};
    }
    qsort(z->features, n, sizeof *z->features, by_id);
}

void zipf_rows_draw(zipf_rows *z, sluice_random *r) {
    draw_features(z, r);
    z->squares = 0;
    for (size_t i = 0; i < z->row.n; i++) {
        const double v = (0.5 + sluice_random_uniform(r)) * log((double)z->features[i].rank + 3);
        z->row.ids[i] = z->features[i].id;
        z->drawn[i] = v;
        z->squares += v * v;
    }
}

static double hidden_weight(const zipf_rows *z, uint64_t secret, const zipf_feature *f) {
    uint64_t hash = synth_mix64(f->id ^ secret);
    if (f->rank < STOP_WORDS || hash >= z->informative_below) return 0;
    double size = 1 / (1 + (double)f->rank / 1000);
    return synth_mix64(hash) & 1 ? size : -size;
}

double zipf_rows_side(const zipf_rows *z, uint64_t secret) {
    double side = 0;
    for (size_t i = 0; i < z->row.n; i++) side += z->drawn[i] * hidden_weight(z, secret, &z->features[i]);
    return side;
}

void zipf_rows_scale(zipf_rows *z) {
    const double scale = 1e6 / sqrt(z->squares);
    for (size_t i = 0; i < z->row.n; i++) {
        double v = nearbyint((double)(float)z->drawn[i] * scale);
        z->row.values[i] = (float)((v < 1 ? 1 : v) / 1e6);
    }
}
