/* Groups of features that sbcw and fgm choose: covariances, the dual pass, and the weights it gives. */
#include "algo/shared/groups.h"

#include <stdlib.h>
#include <string.h>

#include "algo/shared/rule.h"

bool sl_groups_start(sl_groups *w, const sl_groups_rule *rule, const sl_state *s, size_t room) {
    size_t rows = s->batch.pending.rows;
    *w = (sl_groups){
        .rule = *rule, .batch = &s->batch.pending, .dot = s->vectors->dot, .room = room, .columns = s->batch.columns};
    w->group = calloc(room, sizeof *w->group);
    w->place = calloc(s->batch.columns + 1, sizeof *w->place);
    w->first = calloc(rows + 1, sizeof *w->first);
    w->alpha = calloc(rows, sizeof *w->alpha);
    w->square_norm = calloc(rows, sizeof *w->square_norm);
    return w->group && w->place && w->first && w->alpha && w->square_norm;
}

static void free_group(sl_group *g) {
    free(g->P);
    free(g->S);
    free(g->g);
    free(g->u);
    *g = (sl_group){0};
}

void sl_groups_free(sl_groups *w) {
    for (size_t k = 0; w->group && k < w->n; k++) free_group(&w->group[k]);
    free(w->group);
    free(w->place);
    free(w->first);
    free(w->segment);
    free(w->value);
    free(w->alpha);
    free(w->square_norm);
    *w = (sl_groups){0};
}

/* ---- the examples restricted to the groups ------------------------------------------------------------------------
 */

static bool is_member(const uint64_t *members, uint32_t column) { return members[column >> 6] >> (column & 63) & 1; }

/* The values of a group in one sweep over the batch, example after example. */
typedef struct found {
    size_t *count; /* of each example */
    sl_chosen *value;
    size_t n, room;
} found;

static bool find_values(const sl_groups *w, const uint64_t *members, found *f) {
    const sl_pending *b = w->batch;
    const uint32_t r = (uint32_t)w->rule.r;
    f->count = malloc((b->rows + 1) * sizeof *f->count);
    if (!f->count) return false;
    for (size_t i = 0; i < b->rows; i++) {
        size_t before = f->n, most = before + b->start[i + 1] - b->start[i];
        if (most > f->room) {
            sl_chosen *larger = realloc(f->value, 2 * most * sizeof *larger);
            if (!larger) return false;
            f->value = larger;
            f->room = 2 * most;
        }
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            uint32_t column = b->column[k];
            if (is_member(members, column)) f->value[f->n++] = (sl_chosen){(w->place[column] - 1) % r, b->value[k]};
        }
        f->count[i] = f->n - before;
    }
    return true;
}

/* Appends the values of group k to those that the examples have. */
static bool append(sl_groups *w, const found *f, size_t k) {
    size_t rows = w->batch->rows, segments = w->first[rows], more = 0;
    size_t values = segments ? w->segment[segments - 1].at + w->segment[segments - 1].n : 0;
    for (size_t i = 0; i < rows; i++) more += f->count[i] > 0;
    sl_segment *segment = malloc((segments + more + 1) * sizeof *segment);
    sl_chosen *value = malloc((values + f->n + 1) * sizeof *value);
    if (!segment || !value) {
        free(segment);
        free(value);
        return false;
    }
    size_t at = 0, to = 0, from = 0, next = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t end = w->first[i + 1];
        w->first[i] = to;
        for (; from < end; from++, to++) {
            segment[to] = w->segment[from];
            memcpy(value + at, w->value + segment[to].at, segment[to].n * sizeof *value);
            segment[to].at = at;
            at += segment[to].n;
        }
        size_t n = f->count[i];
        if (!n) continue;
        memcpy(value + at, f->value + next, n * sizeof *value);
        segment[to++] = (sl_segment){.at = at, .n = n, .group = (uint32_t)k};
        at += n;
        next += n;
    }
    w->first[rows] = to;
    free(w->segment);
    free(w->value);
    w->segment = segment;
    w->value = value;
    return true;
}

static bool append_values(sl_groups *w, const uint64_t *members, size_t k) {
    found f = {0};
    bool fine = find_values(w, members, &f) && append(w, &f, k);
    free(f.count);
    free(f.value);
    return fine;
}

/* The segment of group k in example i: the last one, if there is one. */
static sl_segment *last_segment(const sl_groups *w, size_t i, size_t k) {
    if (w->first[i] == w->first[i + 1]) return NULL;
    sl_segment *e = &w->segment[w->first[i + 1] - 1];
    return e->group == k ? e : NULL;
}

/* ---- a group's covariance -----------------------------------------------------------------------------------------
 */

/* P += C_cov sum_i h_i x_i^k x_i^k' */
static void add_gram(const sl_groups *w, size_t k) {
    double *P = w->group[k].P;
    size_t n = w->group[k].size;
    for (size_t i = 0; i < w->batch->rows; i++) {
        const sl_segment *e = last_segment(w, i, k);
        if (!e) continue;
        const sl_chosen *x = w->value + e->at;
        double ch = w->rule.C_cov * sl_pending_h(w->batch, i);
        for (size_t a = 0; a < e->n; a++)
            for (size_t b = 0; b < e->n; b++)
                P[x[a].member * n + x[b].member] += ch * (double)x[a].value * (double)x[b].value;
    }
}

/* y += f x */
static void add(double *y, double f, const double *x, size_t n) {
    for (size_t k = 0; k < n; k++) y[k] += f * x[k];
}

/* Row by row: P = LL', then M = L^-1. Groups are small: OpenBLAS would take longer to load. */
static bool factorise(const sl_groups *w, const double *P, size_t n, double *L, double *M) {
    for (size_t i = 0; i < n; i++) {
        double *l = L + i * n, *m = M + i * n;
        for (size_t j = 0; j < i; j++) l[j] = (P[i * n + j] - w->dot(l, L + j * n, j)) / L[j * n + j];
        double square = P[i * n + i] - w->dot(l, l, i);
        if (!isfinite(square) || !sl_pivot_is_accurate(square, P[i * n + i], i + 1)) return false;
        l[i] = sqrt(square);
        for (size_t j = 0; j < i; j++) add(m, -l[j] / l[i], M + j * n, j + 1);
        m[i] = 1 / l[i];
    }
    return true;
}

/* S = P^-1 = M'M */
static bool invert(sl_groups *w, sl_group *g) {
    size_t n = g->size;
    double *L = calloc(n * n, sizeof *L), *M = calloc(n * n, sizeof *M);
    bool fine = L && M;
    if (fine && !factorise(w, g->P, n, L, M)) {
        w->indefinite = true;
        fine = false;
    }
    for (size_t k = 0; fine && k < n; k++)
        for (size_t i = 0; i <= k; i++) add(g->S + i * n, M[k * n + i], M + k * n, k + 1);
    free(L);
    free(M);
    return fine;
}

static double variance(const sl_groups *w, const sl_group *g, const sl_segment *e) {
    const sl_chosen *x = w->value + e->at;
    double v = 0;
    for (size_t a = 0; a < e->n; a++) {
        if (!g->S) {
            v += (double)x[a].value * (double)x[a].value;
            continue;
        }
        const double *row = g->S + x[a].member * g->size;
        for (size_t b = 0; b < e->n; b++) v += (double)x[a].value * row[x[b].member] * (double)x[b].value;
    }
    return v;
}

/* ---- groups -------------------------------------------------------------------------------------------------------
 */

static bool make_group(const sl_groups *w, sl_group *g, size_t n, const double *triangle) {
    *g = (sl_group){.size = n, .g = calloc(n + 1, sizeof(double)), .u = calloc(n + 1, sizeof(double))};
    if (!g->g || !g->u) return false;
    if (!w->rule.covariance) return true;
    g->P = calloc(n * n + 1, sizeof *g->P);
    g->S = calloc(n * n + 1, sizeof *g->S);
    if (!g->P || !g->S) return false;
    for (size_t i = 0; i < n; i++) {
        g->P[i * n + i] = 1;
        for (size_t j = 0; triangle && j <= i; j++) g->P[i * n + j] = g->P[j * n + i] = triangle[sl_triangle(i) + j];
    }
    return true;
}

/* u = S g, and |z|^2 */
static void multiply(const sl_groups *w, sl_group *g) {
    g->a2 = 0;
    for (size_t i = 0; i < g->size; i++) {
        g->u[i] = g->S ? w->dot(g->S + i * g->size, g->g, g->size) : g->g[i];
        g->a2 += g->u[i] * g->g[i];
    }
}

bool sl_groups_add(sl_groups *w, const uint32_t *column, size_t n, const double *triangle) {
    size_t k = w->n;
    sl_group *g = &w->group[k];
    uint64_t *members = calloc(w->columns / 64 + 1, sizeof *members);
    bool fine = members && make_group(w, g, n, triangle);
    w->n++; /* freed with the others, whatever happens */
    for (size_t j = 0; fine && j < n; j++) {
        members[column[j] >> 6] |= (uint64_t)1 << (column[j] & 63);
        w->place[column[j]] = (uint32_t)(1 + k * w->rule.r + j);
    }
    fine = fine && append_values(w, members, k);
    free(members);
    if (!fine) return false;
    if (w->rule.covariance) {
        add_gram(w, k);
        if (!invert(w, g)) return false;
    }
    for (size_t i = 0; i < w->batch->rows; i++) {
        sl_segment *e = last_segment(w, i, k);
        if (!e) continue;
        e->v = variance(w, g, e);
        w->square_norm[i] += e->v;
        double z = w->rule.C * w->batch->yh[i] * w->alpha[i];
        for (size_t a = 0; a < e->n; a++) g->g[w->value[e->at + a].member] += z * (double)w->value[e->at + a].value;
    }
    multiply(w, g);
    return true;
}

void sl_groups_drop(sl_groups *w, size_t k) {
    size_t last = w->n - 1, to = 0;
    for (size_t i = 0, from = 0; i < w->batch->rows; i++) {
        size_t end = w->first[i + 1];
        w->first[i] = to;
        double square_norm = 0;
        for (; from < end; from++) {
            sl_segment e = w->segment[from];
            if (e.group == k) continue;
            if (e.group == last) e.group = (uint32_t)k;
            square_norm += e.v;
            w->segment[to++] = e;
        }
        w->square_norm[i] = square_norm;
    }
    w->first[w->batch->rows] = to;
    for (size_t c = 0; c < w->columns; c++) {
        if (w->place[c] == SL_NOT_CHOSEN) continue;
        size_t group = (w->place[c] - 1) / w->rule.r;
        if (group == k) w->place[c] = SL_NOT_CHOSEN;
        if (group == last && last != k) w->place[c] -= (uint32_t)((last - k) * w->rule.r);
    }
    free_group(&w->group[k]);
    w->group[k] = w->group[last];
    w->group[last] = (sl_group){0};
    w->n--;
}

void sl_groups_recall(sl_groups *w, size_t k, const double *mu) {
    sl_group *g = &w->group[k];
    for (size_t i = 0; i < g->size; i++) {
        double Pmu = g->P ? w->dot(g->P + i * g->size, mu, g->size) : mu[i];
        g->g[i] += w->rule.sigma * Pmu;
    }
    multiply(w, g);
}

void sl_groups_mu(const sl_groups *w, size_t k, double *mu) {
    const sl_group *g = &w->group[k];
    for (size_t i = 0; i < w->rule.r; i++) mu[i] = i < g->size ? g->c * g->u[i] : 0;
}

/* ---- grad Omega* --------------------------------------------------------------------------------------------------
 */

/* With a_k = |z_k|, S = (a_1 + .. + a_m)/(sigma + m) over the m groups with a_k > S: c_k = max(a_k - S, 0)/(sigma a_k).
 * The groups that stay are found by leaving out, again and again, those not above S: no sorting. */
static void set_c(sl_groups *w, bool sparse) {
    double S = 0;
    size_t before, m = sparse ? SIZE_MAX : 0;
    while (m) {
        double sum = 0;
        before = m;
        m = 0;
        for (size_t k = 0; k < w->n; k++) {
            double a = w->group[k].a2 > S * S ? sqrt(w->group[k].a2) : 0;
            sum += a;
            m += a > 0;
        }
        if (m) S = sum / (w->rule.sigma + (double)m);
        if (m == before) break;
    }
    for (size_t k = 0; k < w->n; k++) {
        double a = sqrt(w->group[k].a2 > 0 ? w->group[k].a2 : 0);
        w->group[k].c = (!sparse ? 1 : a > S ? 1 - S / a : 0) / w->rule.sigma;
    }
}

/* Omega*(z) = w.z - Omega(w) */
static double conjugate(const sl_groups *w, bool sparse) {
    double wz = 0, ww = 0, sum = 0;
    for (size_t k = 0; k < w->n; k++) {
        const sl_group *g = &w->group[k];
        wz += g->c * g->a2;
        ww += g->c * g->c * g->a2;
        sum += g->c * sqrt(g->a2 > 0 ? g->a2 : 0);
    }
    return wz - w->rule.sigma / 2 * ww - (sparse ? sum * sum / 2 : 0);
}

/* ---- dual coordinate ascent ---------------------------------------------------------------------------------------
 */

static double objective(const sl_groups *w, bool sparse) {
    double sum = 0;
    for (size_t i = 0; i < w->batch->rows; i++) {
        double a = sl_groups_alpha(w, i);
        sum += sl_pending_h(w->batch, i) * (w->rule.q == 1 ? a : a - a * a / 4);
    }
    return w->rule.C * sum - conjugate(w, sparse);
}

static double margin(sl_groups *w, size_t i) {
    double m = 0;
    for (size_t s = w->first[i]; s < w->first[i + 1]; s++) {
        sl_segment *e = &w->segment[s];
        const sl_group *g = &w->group[e->group];
        const sl_chosen *x = w->value + e->at;
        e->dot = 0;
        for (size_t a = 0; a < e->n; a++) e->dot += g->u[x[a].member] * (double)x[a].value;
        m += g->c * e->dot;
    }
    return m;
}

/* z += step x^ */
static void move(sl_groups *w, size_t i, double step) {
    for (size_t s = w->first[i]; s < w->first[i + 1]; s++) {
        const sl_segment *e = &w->segment[s];
        sl_group *g = &w->group[e->group];
        const sl_chosen *x = w->value + e->at;
        g->a2 += 2 * step * e->dot + step * step * e->v;
        for (size_t a = 0; a < e->n; a++) {
            double part = step * (double)x[a].value;
            g->g[x[a].member] += part;
            if (!g->S) {
                g->u[x[a].member] += part;
                continue;
            }
            const double *row = g->S + x[a].member * g->size;
            for (size_t j = 0; j < g->size; j++) g->u[j] += part * row[j];
        }
    }
}

/* grad Omega* is 1/sigma-smooth: the step that its bound allows. */
static double ascend(const sl_groups *w, size_t i, double xi) {
    double ch = w->rule.C * sl_pending_h(w->batch, i), v = w->square_norm[i] / w->rule.sigma, alpha = w->alpha[i];
    if (w->rule.q == 2) return fmax(0, alpha + (xi - alpha / 2) / (ch * v + 0.5));
    return fmin(1, fmax(0, alpha + xi / (ch * v)));
}

static void one_pass(sl_groups *w, bool sparse) {
    for (size_t i = 0; i < w->batch->rows; i++) {
        if (!(w->square_norm[i] > 0)) continue;
        double alpha = ascend(w, i, 1 - sl_pending_y(w->batch, i) * margin(w, i)), by = alpha - w->alpha[i];
        if (fabs(by) <= 1e-12 * w->alpha[i]) continue;
        w->alpha[i] = alpha;
        move(w, i, w->rule.C * w->batch->yh[i] * by);
        if (sparse) set_c(w, true);
    }
}

void sl_groups_pass(sl_groups *w, size_t passes, bool sparse) {
    double before = 0;
    set_c(w, sparse);
    for (size_t p = 0; p < passes; p++) {
        one_pass(w, sparse);
        for (size_t k = 0; k < w->n; k++) /* what rounding has added up */
            w->group[k].a2 = w->dot(w->group[k].g, w->group[k].u, w->group[k].size);
        set_c(w, sparse);
        double now = objective(w, sparse);
        if (p && fabs(now - before) <= w->rule.tolerance * fabs(now)) return;
        before = now;
    }
}
