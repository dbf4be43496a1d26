/* Learners that keep a limited number of features, against the plain rule: every round looks at every weight.
 *
 *     plain                 on made streams
 *     plain [--unit] FILE   on a file, its rows scaled to length 1 if asked
 *
 * Each learner runs with room for 1, 10, 50 and 100 % of the features, once in sluice and twice here:
 *   - with the same representation (32-bit v, one scale s, norms carried along in the same order of sums), but the
 *     features to go found by looking at all of them: mistakes, updates and every weight must be equal to the bit;
 *   - in 64-bit floats, norms summed anew in every round, all weights scaled: mistakes within 5 % (or 5). */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"

/* ---- the stream ------------------------------------------------------------------------------------------------- */

typedef struct row {
    uint32_t *feature; /* columns, numbered as they come */
    float *value;
    size_t n;
    double y;
} row;

typedef struct stream {
    const char *name;
    row *rows;
    size_t n, room;
    uint64_t *id; /* of each column */
    uint32_t d;
} stream;

static void *must(void *memory) {
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

/* Where the samples come from: a file, or text in memory. */
typedef struct origin {
    const char *path;
    const char *text;
    size_t bytes;
} origin;

static sluice_reader *open_origin(const origin *o) {
    sluice_error err;
    sluice_reader *r = o->path ? sluice_reader_open(&o->path, 1, NULL, &err)
                               : sluice_reader_open_memory(o->text, o->bytes, "made", NULL, &err);
    if (!r) fprintf(stderr, "%s\n", err.message);
    return must(r);
}

/* id to column, by a table that is large enough */
typedef struct columns {
    uint64_t *id;
    uint32_t *column; /* plus 1 */
    size_t mask;
} columns;

static uint32_t column_of(columns *c, stream *s, uint64_t id) {
    size_t i = (size_t)(id * 0x9E3779B97F4A7C15u >> 20) & c->mask;
    while (c->column[i] && c->id[i] != id) i = (i + 1) & c->mask;
    if (!c->column[i]) {
        s->id[s->d] = c->id[i] = id;
        c->column[i] = ++s->d;
    }
    return c->column[i] - 1;
}

static void scale_row(row *r) {
    double sum = 0;
    for (size_t k = 0; k < r->n; k++) sum += (double)r->value[k] * (double)r->value[k];
    double scale = sum > 0 ? 1 / sqrt(sum) : 1;
    for (size_t k = 0; k < r->n; k++) r->value[k] = (float)(r->value[k] * scale);
}

static stream read_stream(const char *name, const origin *o, bool unit) {
    enum { MOST = 1 << 23 }; /* columns */
    stream s = {.name = name, .id = must(malloc(MOST * sizeof *s.id))};
    columns c = {must(calloc(2 * MOST, sizeof *c.id)), must(calloc(2 * MOST, sizeof *c.column)), 2 * MOST - 1};
    sluice_reader *r = open_origin(o);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK)
        for (size_t i = 0; i < sluice_batch_rows(b); i++) {
            if (s.n == s.room) s.rows = must(realloc(s.rows, (s.room = s.room * 2 + 64) * sizeof *s.rows));
            size_t n = sluice_batch_nonzeros(b, i);
            uint64_t *ids = must(malloc((n + 1) * sizeof *ids));
            sluice_example x;
            sluice_batch_row(b, i, ids, NULL, &x);
            row *to = &s.rows[s.n++];
            *to = (row){must(malloc((n + 1) * sizeof *to->feature)), must(malloc((n + 1) * sizeof *to->value)), n,
                        x.label > 0 ? 1 : -1};
            memcpy(to->value, x.values, n * sizeof *to->value);
            for (size_t k = 0; k < n; k++) to->feature[k] = column_of(&c, &s, ids[k]);
            if (unit) scale_row(to);
            free(ids);
        }
    sluice_reader_close(r);
    free(c.id);
    free(c.column);
    return s;
}

static void free_stream(stream *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->rows[i].feature);
        free(s->rows[i].value);
    }
    free(s->rows);
    free(s->id);
}

/* ---- the plain learner ------------------------------------------------------------------------------------------ */

typedef enum kind { OLSF, OLSF_1, OLSF_2, OLSF_PER, OFS, SOFS } kind;

typedef struct setting {
    const char *learner;
    kind kind;
    double lambda, B, C, eta, r;
    size_t features;
} setting;

typedef struct plain {
    const setting *p;
    bool wide; /* 64 bits, nothing carried along */
    double *v; /* w = s v */
    double *S; /* sofs */
    uint32_t *born;
    bool *seen;
    uint32_t d, D;
    double s, norm;
    uint64_t t, mistakes, updates;
    struct candidate *list; /* room for all features */
} plain;

static double rounded(const plain *m, double v) { return m->wide ? v : (double)(float)v; }
static int power_of(const plain *m) { return m->p->kind == OFS ? 2 : 1; }
static double power(double v, int p) { return p == 1 ? fabs(v) : v * v; }

/* Who goes first: the smaller; of equal ones the one seen later. */
typedef struct candidate {
    double size;
    uint32_t born, feature;
} candidate;

static int by_order(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return (x->born < y->born) - (x->born > y->born);
}

/* The n first of all, in order; the rest behind them. */
static void first_in_order(candidate *c, size_t all, size_t n) {
    size_t from = 0, to = all;
    while (to - from > 64 && n < to) { /* quickselect down to the piece that the n-th lies in */
        candidate middle = c[from + (to - from) / 2];
        size_t i = from, j = to - 1;
        for (;; i++, j--) {
            while (by_order(&c[i], &middle) < 0) i++;
            while (by_order(&c[j], &middle) > 0) j--;
            if (i >= j) break;
            candidate x = c[i];
            c[i] = c[j];
            c[j] = x;
        }
        if (n <= i)
            to = i > from ? i : from + 1;
        else
            from = i;
    }
    qsort(c, to, sizeof *c, by_order);
}

static candidate candidate_of(const plain *m, uint32_t i) {
    return (candidate){m->p->kind == SOFS ? -m->S[i] : fabs(m->v[i]), m->born[i], i};
}

static void forget(plain *m, uint32_t i) {
    m->norm -= power(m->v[i], power_of(m));
    m->v[i] = 0;
}

/* Keeps K. `entering` are the features of x that had no weight before. They come one by one, and each time there are
 * too many the first in order goes: the norm is a sum in that order. */
static void keep(plain *m, size_t K, const uint32_t *entering, size_t n) {
    size_t kept = 0, all;
    for (size_t k = 0; k < n; k++) m->seen[entering[k]] = false; /* for now: not among those that were there before */
    for (uint32_t i = 0; i < m->d; i++)
        if (m->v[i] != 0 && m->seen[i]) m->list[kept++] = candidate_of(m, i);
    for (size_t k = 0; k < n; k++) m->seen[entering[k]] = true;
    all = kept;
    size_t front = kept < n ? kept : n; /* no more than n go */
    if (kept + n > K) first_in_order(m->list, kept, front);
    candidate *low = must(malloc((front + n + 1) * sizeof *low)); /* the first in order, those that entered too */
    memcpy(low, m->list, front * sizeof *low);
    size_t at = 0, end = front;
    for (size_t k = 0; k < n; k++) {
        candidate c = candidate_of(m, entering[k]);
        size_t j = end++;
        for (; j > at && by_order(&c, &low[j - 1]) < 0; j--) low[j] = low[j - 1];
        low[j] = c;
        if (++all > K) {
            forget(m, low[at++].feature);
            all--;
        }
    }
    free(low);
}

/* What is carried along comes into order again: s into v, and the norm as a sum of whole numbers. */
static void tidy(plain *m, bool out_of_hand) {
    if (m->wide || m->p->kind == SOFS || (!out_of_hand && m->t % 65536 != 0)) return;
    int p = power_of(m);
    uint64_t low[256] = {0}, high[256] = {0};
    for (uint32_t i = 0; i < m->d; i++) {
        if (out_of_hand) m->v[i] = (float)(m->s * m->v[i]);
        int e;
        double part = frexp(fabs(m->v[i]), &e); /* part 2^e, 1/2 <= part < 1 */
        if (part == 0) continue;
        if (e < -125) part = ldexp(part, e + 125), e = -125; /* denormal */
        uint64_t whole = (uint64_t)ldexp(part, 24), square = p == 1 ? whole : whole * whole;
        int bin = whole < 1 << 23 ? 0 : e + 126;
        low[bin] += square & 0xffffff;
        high[bin] += square >> 24;
    }
    m->norm = 0;
    for (int e = 0; e < 256; e++) m->norm += ldexp((double)low[e] + 0x1p24 * (double)high[e], p * ((e ? e : 1) - 150));
    if (out_of_hand) m->s = 1;
}

static void multiply(plain *m, double factor) {
    if (m->wide)
        for (uint32_t i = 0; i < m->d; i++) m->v[i] *= factor;
    else
        m->s *= factor;
}

static void project(plain *m, double radius) {
    int p = power_of(m);
    if (m->wide) {
        m->norm = 0;
        for (uint32_t i = 0; i < m->d; i++) m->norm += power(m->v[i], p);
    }
    double norm = fabs(m->s) * (p == 1 ? m->norm : sqrt(fmax(m->norm, 0)));
    if (norm > radius) multiply(m, radius / norm);
}

static double step_size(const plain *m, double l, double xx) {
    const setting *p = m->p;
    switch (p->kind) {
    case OLSF:
        return l / xx;
    case OLSF_1:
        return fmin(p->C, l / xx);
    case OLSF_2:
        return l / (xx + 1 / (2 * p->C));
    case OLSF_PER:
        return 1;
    default:
        return p->eta;
    }
}

static void step(plain *m, const row *x, double l, double xx) {
    double tau = step_size(m, l, xx), beta = 0;
    int p = power_of(m);
    if (p == 1 && tau * sqrt(xx) > 0x1p120 * m->s) tidy(m, true);
    double step = tau * x->y / m->s;
    if (m->p->kind == SOFS) {
        double v = 0;
        for (size_t k = 0; k < x->n; k++) v += m->S[x->feature[k]] * (double)x->value[k] * (double)x->value[k];
        beta = 1 / (v + m->p->r);
    }
    for (size_t k = 0; k < x->n; k++) {
        uint32_t i = x->feature[k];
        double old = m->v[i], Sx = m->S[i] * (double)x->value[k];
        if (x->value[k] == 0) continue;
        if (m->p->kind == SOFS) {
            m->v[i] = rounded(m, old + l * beta * x->y * Sx);
            m->S[i] = rounded(m, m->S[i] - beta * Sx * Sx);
        } else {
            m->v[i] = rounded(m, old + step * (double)x->value[k]);
        }
        m->norm += power(m->v[i], p) - power(old, p);
    }
}

static void learn(plain *m, const row *x) {
    const setting *p = m->p;
    double sum = 0, xx = 0;
    for (size_t k = 0; k < x->n; k++) {
        uint32_t i = x->feature[k];
        if (!m->seen[i]) {
            m->seen[i] = true;
            m->born[i] = m->D++;
        }
        if (x->value[k] != 0) sum += m->v[i] * (double)x->value[k];
        xx += (double)x->value[k] * (double)x->value[k];
    }
    double margin = sum * m->s, l = fmax(0, 1 - x->y * margin);
    m->t++;
    m->mistakes += (margin > 0) != (x->y > 0);
    if (p->kind == OFS) multiply(m, 1 - p->lambda * p->eta);
    if (l > 0 && xx > 0) {
        m->updates++;
        uint32_t *entering = must(malloc((x->n + 1) * sizeof *entering));
        size_t n = 0, all = 0;
        for (size_t k = 0; k < x->n; k++)
            if (m->v[x->feature[k]] == 0) entering[all++] = x->feature[k];
        step(m, x, l, xx);
        for (size_t k = 0; k < all; k++)
            if (m->v[entering[k]] != 0) entering[n++] = entering[k];
        if (p->kind != SOFS) project(m, p->kind == OFS ? 1 / sqrt(p->lambda) : p->lambda);
        keep(m, p->kind == OFS || p->kind == SOFS ? p->features : (size_t)fmax(1, floor(p->B * m->D)), entering, n);
        free(entering);
    }
    tidy(m, fabs(m->s) < 0x1p-80 || fabs(m->s) > 0x1p80);
}

static plain run_plain(const setting *p, const stream *s, bool wide) {
    plain m = {.p = p, .wide = wide, .d = s->d, .s = 1};
    m.v = must(calloc(s->d + 1, sizeof *m.v));
    m.S = must(malloc((s->d + 1) * sizeof *m.S));
    m.born = must(calloc(s->d + 1, sizeof *m.born));
    m.seen = must(calloc(s->d + 1, sizeof *m.seen));
    m.list = must(malloc((s->d + 1) * sizeof *m.list));
    for (uint32_t i = 0; i < s->d; i++) m.S[i] = 1;
    for (size_t t = 0; t < s->n; t++) learn(&m, &s->rows[t]);
    return m;
}

static void free_plain(plain *m) {
    free(m->v);
    free(m->S);
    free(m->born);
    free(m->seen);
    free(m->list);
}

/* ---- beside sluice ---------------------------------------------------------------------------------------------- */

static sluice_model *run_sluice(const setting *p, const origin *o, bool unit) {
    char text[6][64];
    const char *params[6];
    size_t n = 0;
    bool olsf = p->kind <= OLSF_PER;
#define GIVE(...) (snprintf(text[n], sizeof text[n], __VA_ARGS__), params[n] = text[n], n++)
    if (p->kind != SOFS) GIVE("lambda=%.17g", p->lambda);
    if (olsf) GIVE("B=%.17g", p->B);
    if (p->kind == OLSF_1 || p->kind == OLSF_2) GIVE("C=%.17g", p->C);
    if (p->kind == OFS) GIVE("eta=%.17g", p->eta);
    if (p->kind == SOFS) GIVE("r=%.17g", p->r);
    if (!olsf) GIVE("features=%zu", p->features);
    sluice_settings settings = {.size = sizeof settings, .normalize = unit ? SLUICE_NORMALIZE_L2 : 0};
    sluice_error err;
    sluice_model *m = sluice_model_new(p->learner, params, n, &settings, &err);
    if (!m) fprintf(stderr, "%s\n", err.message);
    must(m);
    sluice_reader *r = open_origin(o);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK)
        if (sluice_model_learn_batch(m, b, NULL) != SLUICE_OK) {
            fprintf(stderr, "%s: %s\n", p->learner, sluice_model_error(m)->message);
            exit(1);
        }
    sluice_reader_close(r);
    return m;
}

/* How many weights differ. */
static size_t different(const plain *m, const stream *s, const sluice_weight *w, size_t n) {
    size_t count = 0, wrong;
    for (uint32_t i = 0; i < s->d; i++) count += (float)(m->s * m->v[i]) != 0;
    wrong = count > n ? count - n : n - count;
    for (uint32_t i = 0; i < s->d; i++) {
        float weight = (float)(m->s * m->v[i]);
        if (weight == 0) continue;
        size_t from = 0, to = n;
        while (to - from > 1) {
            size_t middle = from + (to - from) / 2;
            if (w[middle].id <= s->id[i])
                from = middle;
            else
                to = middle;
        }
        wrong += n == 0 || w[from].id != s->id[i] || w[from].weight != weight;
    }
    return wrong;
}

static bool compare(const setting *p, const origin *o, const stream *s, bool unit) {
    sluice_model *model = run_sluice(p, o, unit);
    plain same = run_plain(p, s, false), wide = run_plain(p, s, true);
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(model, &f);
    sluice_weight *w;
    size_t n;
    must(sluice_model_weights(model, &w, &n, NULL) == SLUICE_OK ? model : NULL);
    size_t wrong = different(&same, s, w, n);
    bool fine = f.mistakes == same.mistakes && f.updates == same.updates && wrong == 0 && f.features_seen == same.D;
    double apart = fabs((double)f.mistakes - (double)wide.mistakes);
    bool near = apart <= fmax(5, 0.05 * (double)wide.mistakes);
    printf("%-9s %-14s B=%-5g lambda=%-6g features %8zu  mistakes %6llu  plain %6llu%s  64 bits %6llu%s\n", p->learner,
           s->name, p->B, p->lambda, n, (unsigned long long)f.mistakes, (unsigned long long)same.mistakes,
           fine ? "" : " DIFFERENT", (unsigned long long)wide.mistakes, near ? "" : " FAR");
    if (!fine)
        printf("    updates %llu %llu, weights that differ %zu of %zu\n", (unsigned long long)f.updates,
               (unsigned long long)same.updates, wrong, n);
    fflush(stdout);
    sluice_free(w);
    sluice_model_free(model);
    free_plain(&same);
    free_plain(&wide);
    return fine && near;
}

static int compare_all(const char *name, const origin *o, bool unit, const char *learner) {
    static const double shares[] = {0.01, 0.1, 0.5, 1};
    static const setting settings[] = {
        {"olsf", OLSF, .lambda = 30},
        {"olsf-1", OLSF_1, .lambda = 30, .C = 0.5},
        {"olsf-2", OLSF_2, .lambda = 30, .C = 0.5},
        {"olsf-per", OLSF_PER, .lambda = 30},
        {"ofs", OFS, .lambda = 0.01, .eta = 0.2},
        {"sofs", SOFS, .r = 1},
    };
    stream s = read_stream(name, o, unit);
    int failed = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            setting p = settings[i];
            if (learner && strcmp(learner, p.learner) != 0) continue;
            p.B = shares[k];
            p.features = (size_t)fmax(1, floor(shares[k] * s.d));
            failed += !compare(&p, o, &s, unit);
        }
    free_stream(&s);
    return failed;
}

/* ---- made streams ----------------------------------------------------------------------------------------------- */

static uint64_t random_state = 1;

static uint64_t random_bits(void) { /* splitmix64 */
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

typedef struct made {
    const char *name;
    size_t rows, dimension, nonzeros;
    bool grows, ones, zeros, wide; /* features keep coming; all values 1: many ties; explicit zeros; ids of all sizes */
} made;

/* Direct ids that make the direct part grow again and again, and ids in the table, whose slots then move. */
static uint64_t id_of(const made *m, uint64_t i) {
    if (!m->wide) return i + 1;
    return i % 3 == 0 ? 1500 * i : i % 3 == 1 ? 3000000 + i : (i << 40 | i);
}

static origin make_text(const made *m) {
    size_t room = m->rows * (m->nonzeros * 40 + 8) + 1, n = 0;
    char *text = must(malloc(room));
    bool *used = must(calloc(m->dimension, sizeof *used));
    uint64_t *chosen = must(malloc(m->nonzeros * sizeof *chosen));
    for (size_t t = 0; t < m->rows; t++) {
        size_t open = m->grows ? m->nonzeros + (m->dimension - m->nonzeros) * t / m->rows : m->dimension;
        double margin = 0;
        size_t k = 0;
        char line[1 << 14], *to = line;
        for (; k < m->nonzeros && random_bits() % 64; k++) {
            double u = (double)(random_bits() >> 11) * 0x1p-53;
            uint64_t i = (uint64_t)(u * u * (double)open);
            chosen[k] = i;
            if (used[i]) continue;
            used[i] = true;
            double v = m->zeros && random_bits() % 8 == 0 ? 0
                       : m->ones                          ? 1
                                                          : (double)(random_bits() % 2000) / 1000 - 0.7;
            margin += v * (i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : 0);
            to += sprintf(to, " %llu:%g", (unsigned long long)id_of(m, i), v);
        }
        for (size_t j = 0; j < k; j++) used[chosen[j]] = false;
        bool flip = random_bits() % 10 == 0;
        n += (size_t)sprintf(text + n, "%s%.*s\n", (margin > 0) != flip ? "1" : "-1", (int)(to - line), line);
    }
    free(used);
    free(chosen);
    return (origin){.text = text, .bytes = n};
}

int main(int argc, char **argv) {
    static const made streams[] = {
        {"growing", 3000, 800, 20, .grows = true},
        {"ties", 3000, 300, 12, .ones = true},
        {"ties-growing", 3000, 900, 15, .grows = true, .ones = true, .zeros = true},
        {"wide", 1500, 600, 10, .grows = true, .wide = true, .zeros = true},
        {"long", 70000, 60, 4, .grows = false}, /* longer than from one sum of the norm to the next */
    };
    bool unit = argc > 1 && strcmp(argv[1], "--unit") == 0;
    int failed = 0;
    if (argc > 1 + unit) {
        const char *path = argv[1 + unit], *name = strrchr(path, '/');
        failed =
            compare_all(name ? name + 1 : path, &(origin){.path = path}, unit, argc > 2 + unit ? argv[2 + unit] : NULL);
    } else {
        for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
            origin o = make_text(&streams[i]);
            failed += compare_all(streams[i].name, &o, unit, NULL);
            free((void *)(uintptr_t)o.text);
        }
    }
    printf("%d failed\n", failed);
    return failed != 0;
}
