/* sbcw, fgm: sparse batch confidence-weighted learning and the feature generating machine (Tan et al., AAAI 2016,
 * algorithms 2 and 3; Tan et al., JMLR 2014).
 *
 *   groups of r = ceil(features/iterations) features (at most 512) are added one at a time, no feature twice:
 *     s = sum_i h_i alpha_i y_i x_i, alpha = 1 before the first group; the r best scores s_j^2 S_jj,
 *     S_jj = 1/(1 + C_cov sum_i h_i x_ij^2)                              (score = plain: the r best s_j^2)
 *     S_k = (I + C_cov sum_i h_i x_i^k x_i^k')^-1                        (fgm: I, and plain scores)
 *     `inner` passes of dual coordinate ascent over all groups, alpha as it stood               (algo/groups.h)
 *   then up to `refit` passes without the term that makes groups sparse: bcw's problem within the chosen features
 *   a later batch keeps groups, covariances and mu, refits, and replaces the weakest tenth of the groups by new
 * ones
 *
 * This is not the paper's rule to the letter: alpha is kept from group to group, examples without a chosen feature have
 * theirs at its end, scores know the variance, and there is a refit. docs/sbcw.md says why, and how its open points
 * were settled. Examples are predicted with mu as of the last finished
 * batch. s->dense.vector is mu, a number per place; s->dense.matrix has S_k^-1 group by group, each a triangle.
 * Importance h: C h. Cost of a batch: a few sweeps over its values per group; nothing grows with the square of the
 * dimension. */
#include <stdlib.h>
#include <string.h>

#include "algo/shared/groups.h"
#include "algo/shared/rule.h"
#include "base/error.h"

enum { FEATURES, C, SIGMA, Q, ITERATIONS, INNER, REFIT, TOLERANCE, BATCH, C_COV, SCORE };
enum { SCORE_COVARIANCE, SCORE_PLAIN };

static const char *const scores[] = {"covariance", "plain", NULL};

#define COMMON(c)                                                                                                      \
    {"features", "how many features may have a weight", 200, 1, 100000, 1, NULL},                                      \
        {"C", "weight of the loss", c, 1e-12, 1e12, 0, NULL},                                                          \
        {"sigma", "weight of |w|^2 beside the term that makes groups sparse", 10, 1e-9, 1e9, 0, NULL},                 \
        {"q", "the loss is the hinge to this power: 1 or 2", 1, 1, 2, 1, NULL},                                        \
        {"iterations", "groups in which the features are chosen; of at most 512 each", 20, 1, 100000, 1, NULL},        \
        {"inner", "passes over the batch after each group", 1, 1, 10000, 1, NULL},                                     \
        {"refit", "passes, at most, that fit the weights of all chosen features", 100, 0, 100000, 1, NULL},            \
        {"tolerance", "passes end when the objective changes by less than this share", 1e-3, 0, 1, 0, NULL}, P_BATCH

static const sluice_param_info sbcw_params[] = {
    COMMON(1000),
    {"C_cov", "weight of the examples in the covariance", 5, 0, 1e12, 0, NULL},
    {"score", "groups are chosen by s^2 times the feature's own variance (covariance) or s^2 (plain)", 0, 0, 1, 1,
     scores},
};
static const sluice_param_info fgm_params[] = {COMMON(30)};

typedef struct feature {
    uint32_t column;
    uint32_t place; /* in s->dense.vector, from 1; 0: not chosen */
} feature;

static const sl_field fields[] = {SL_FIELD(column, SL_U32), SL_FIELD(place, SL_U32)};

static size_t ceiling(double a, double b) { return (size_t)ceil(a / b); }
/* r; a group's covariance grows with its square, so beyond a limit there are more iterations instead */
static size_t group_size(const double *p) {
    enum { LARGEST = 512 };
    size_t r = ceiling(p[FEATURES], p[ITERATIONS]);
    return r < LARGEST ? r : LARGEST;
}

static double mu(const sl_state *s, uint32_t slot) {
    uint32_t place = ((const feature *)s->features)[slot].place;
    return place ? s->dense.vector[place - 1] : 0;
}

static double score(sl_state *s, const sl_row *x) {
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += mu(s, x->slot[k]) * (double)x->value[k];
    return m;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    for (size_t k = 0; k < n; k++) w[k] = (float)mu(s, slot[k]);
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    const uint32_t place = ((const feature *)s->features)[slot].place;
    if (place) s->dense.vector[place - 1] *= by;
}

static uint32_t place_of(const void *features, uint32_t slot) { return ((const feature *)features)[slot].place; }

/* Groups have their places side by side. */
static size_t groups_in(const double *p, size_t order) {
    size_t r = group_size(p), n = order / r;
    return order % r == 0 && n <= ceiling(p[FEATURES], (double)r) ? n : SIZE_MAX;
}
static size_t sbcw_matrix(const double *p, size_t order) {
    size_t n = groups_in(p, order);
    return n == SIZE_MAX ? n : n * sl_triangle(group_size(p));
}
static size_t fgm_matrix(const double *p, size_t order) { return groups_in(p, order) == SIZE_MAX ? SIZE_MAX : 0; }

/* ---- which features -----------------------------------------------------------------------------------------------
 */

typedef struct scoring {
    double *s, *S; /* per column; S: the variance, or NULL */
    double *alpha; /* that s was made with, per row */
    uint32_t *best;
} scoring;

static bool start_scoring(scoring *z, const sl_state *s, const sl_groups_rule *rule, bool plain) {
    *z = (scoring){
        .s = calloc(s->batch.columns + 1, sizeof *z->s),
        .S = plain ? NULL : calloc(s->batch.columns + 1, sizeof *z->S),
        .alpha = calloc(s->batch.pending.rows, sizeof *z->alpha),
        .best = malloc(rule->r * sizeof *z->best),
    };
    if (!z->s || (!plain && !z->S) || !z->alpha || !z->best) return false;
    if (plain) return true;
    const sl_pending *b = &s->batch.pending;
    for (size_t i = 0; i < b->rows; i++)
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
            z->S[b->column[k]] += sl_pending_h(b, i) * (double)b->value[k] * (double)b->value[k];
    for (size_t j = 0; j < s->batch.columns; j++) z->S[j] = 1 / (1 + rule->C_cov * z->S[j]);
    return true;
}

static void end_scoring(scoring *z) {
    free(z->s);
    free(z->S);
    free(z->alpha);
    free(z->best);
}

/* Brings s up to date: a sweep over the examples whose alpha has changed. */
static void update_scores(scoring *z, const sl_groups *w, bool first) {
    const sl_pending *b = w->batch;
    for (size_t i = 0; i < b->rows; i++) {
        double alpha = first ? 1 : sl_groups_alpha(w, i), by = b->yh[i] * (alpha - z->alpha[i]);
        if (by == 0) continue;
        z->alpha[i] = alpha;
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) z->s[b->column[k]] += by * (double)b->value[k];
    }
}

static double score_of(const scoring *z, size_t j) { return z->s[j] * z->s[j] * (z->S ? z->S[j] : 1); }

/* The order in which features are chosen: the better score first, of equal ones the one seen first. */
static bool is_better(const scoring *z, uint32_t a, uint32_t b) {
    double x = score_of(z, a), y = score_of(z, b);
    return x != y ? x > y : a < b;
}

static void sift_down(const scoring *z, size_t i, size_t n) {
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_better(z, z->best[child], z->best[child + 1])) child++;
        if (is_better(z, z->best[child], z->best[i])) return;
        uint32_t up = z->best[child];
        z->best[child] = z->best[i];
        z->best[i] = up;
    }
}

/* The n best columns that are not chosen yet, the best first; how many there are. A heap with the worst on top. */
static size_t choose(const scoring *z, const sl_groups *w, size_t n) {
    size_t found = 0;
    for (uint32_t j = 0; j < w->columns; j++) {
        if (w->place[j] != SL_NOT_CHOSEN || !(score_of(z, j) > 0)) continue;
        if (found < n) {
            z->best[found++] = j;
            for (size_t i = found / 2; found == n && i-- > 0;) sift_down(z, i, n);
        } else if (is_better(z, j, z->best[0])) {
            z->best[0] = j;
            sift_down(z, 0, n);
        }
    }
    for (size_t i = found / 2; found < n && i-- > 0;) sift_down(z, i, found);
    for (size_t end = found; end > 1;) {
        uint32_t worst = z->best[0];
        z->best[0] = z->best[--end];
        z->best[end] = worst;
        sift_down(z, 0, end);
    }
    return found;
}

static size_t count_chosen(const sl_groups *w) {
    size_t n = 0;
    for (size_t k = 0; k < w->n; k++) n += w->group[k].size;
    return n;
}

static bool add_groups(const sl_state *s, sl_groups *w, scoring *z, bool later) {
    size_t limit = (size_t)s->p[FEATURES], chosen;
    while ((chosen = count_chosen(w)) < limit && w->n < w->room) {
        update_scores(z, w, w->n == 0);
        size_t n = choose(z, w, limit - chosen < w->rule.r ? limit - chosen : w->rule.r);
        if (n == 0) return true;
        if (!sl_groups_add(w, z->best, n, NULL)) return false;
        sl_groups_pass(w, (size_t)s->p[INNER], !later);
    }
    return true;
}

/* ---- from batch to batch ------------------------------------------------------------------------------------------
 */

/* The groups that earlier batches have left. */
static bool recall(const sl_state *s, sl_groups *w) {
    size_t r = w->rule.r;
    uint32_t *column = calloc(s->dense.order + 1, sizeof *column); /* by place, from 1 */
    bool fine = column;
    for (size_t j = 0; fine && j < s->batch.columns; j++)
        column[place_of(s->features, s->batch.slot_of[j])] =
            (uint32_t)j + 1; /* those not chosen: 0, which is never read */
    for (size_t k = 0; fine && k < s->dense.order / r; k++) {
        size_t n = 0;
        while (n < r && column[1 + k * r + n]) {
            column[1 + k * r + n]--;
            n++;
        }
        const double *triangle = w->rule.covariance ? s->dense.matrix + k * sl_triangle(r) : NULL;
        fine = sl_groups_add(w, column + 1 + k * r, n, triangle);
        if (fine) sl_groups_recall(w, k, s->dense.vector + k * r);
    }
    free(column);
    return fine;
}

/* Whether group a makes way before group b: the smaller where features are still wanted, then the weaker. */
static bool goes_before(const sl_groups *w, size_t a, size_t b, bool wanted) {
    const sl_group *x = &w->group[a], *y = &w->group[b];
    if (wanted && x->size != y->size) return x->size < y->size;
    return x->a2 < y->a2;
}

/* A tenth of the groups, but at least one, makes way for new ones; of a single group, only one that is not full. */
static void drop_weakest(const sl_state *s, sl_groups *w) {
    bool wanted = w->n == w->room && count_chosen(w) < (size_t)s->p[FEATURES];
    size_t n = w->n > 1 ? (w->n + 5) / 10 : wanted;
    for (n = n || w->n < 2 ? n : 1; n; n--) {
        size_t first = 0;
        for (size_t k = 1; k < w->n; k++)
            if (goes_before(w, k, first, wanted)) first = k;
        sl_groups_drop(w, first);
    }
}

/* S_k^-1 as a triangle of r rows; those that the group does not have are as in I. */
static void keep_covariance(const sl_group *g, size_t r, double *triangle) {
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++)
            triangle[sl_triangle(i) + j] = i < g->size ? g->P[i * g->size + j] : i == j ? 1 : 0;
}

/* Leaves the groups as state. */
static bool keep(sl_state *s, const sl_groups *w, uint64_t *updates) {
    size_t r = w->rule.r, order = w->n * r;
    if (!sl_dense_resize(s, order, w->rule.covariance ? w->n * sl_triangle(r) : 0)) return false;
    feature *f = s->features;
    for (size_t j = 0; j < s->batch.columns; j++) f[s->batch.slot_of[j]].place = w->place[j];
    for (size_t k = 0; k < w->n; k++) {
        sl_groups_mu(w, k, s->dense.vector + k * r);
        if (w->rule.covariance) keep_covariance(&w->group[k], r, s->dense.matrix + k * sl_triangle(r));
    }
    for (size_t i = 0; i < w->batch->rows; i++) *updates += w->alpha[i] > 0;
    return true;
}

static bool learn(sl_state *s, sl_groups *w, scoring *z, uint64_t *updates) {
    bool later = s->dense.order > 0;
    size_t refit = (size_t)s->p[REFIT];
    if (later) {
        if (!recall(s, w)) return false;
        sl_groups_pass(w, refit ? refit : 1, false);
        drop_weakest(s, w);
        sl_groups_pass(w, 1, false);
    }
    if (!add_groups(s, w, z, later)) return false;
    if (refit || later) sl_groups_pass(w, refit ? refit : 1, false);
    return keep(s, w, updates);
}

static sluice_status finish(sl_state *s, bool covariance, uint64_t *updates, sluice_error *err) {
    const double *p = s->p;
    sl_groups_rule rule = {.C = p[C],
                           .C_cov = covariance ? p[C_COV] : 0,
                           .sigma = p[SIGMA],
                           .q = p[Q],
                           .tolerance = p[TOLERANCE],
                           .covariance = covariance,
                           .r = group_size(p)};
    sl_groups w = {0};
    scoring z = {0};
    bool fine = sl_groups_start(&w, &rule, s, ceiling(p[FEATURES], (double)rule.r)) &&
                start_scoring(&z, s, &rule, !covariance || p[SCORE] == SCORE_PLAIN) && learn(s, &w, &z, updates);
    bool lost = w.indefinite;
    end_scoring(&z);
    sl_groups_free(&w);
    for (size_t k = 0; fine && k < s->dense.order; k++) lost |= !isfinite(s->dense.vector[k]);
    if (lost)
        return sl_fail(err, SLUICE_E_NUMERIC,
                       "a covariance or a weight is beyond 64 bits: values are too large; scale them (--normalize l2)");
    return fine ? SLUICE_OK
                : sl_fail(
                      err, SLUICE_E_MEMORY,
                      "no memory to learn a batch of %zu examples; a smaller one (batch), or fewer features, take less",
                      s->batch.pending.rows);
}

static sluice_status sbcw_finish(sl_state *s, uint64_t *updates, sluice_error *err) {
    return finish(s, true, updates, err);
}
static sluice_status fgm_finish(sl_state *s, uint64_t *updates, sluice_error *err) {
    return finish(s, false, updates, err);
}

const sl_learner sl_sbcw = {
    .info.name = "sbcw",
    .info.summary = "sparse bcw: few features, in groups with a covariance each",
    .info.paper = "Tan et al., Learning sparse confidence-weighted classifier on very high dimensional data, AAAI 2016",
    .info.flags = SLUICE_LEARNER_BATCH,
    SL_PARAMS(sbcw_params),
    SL_STATE_OF(feature, fields),
    .trial = {"features=50", "iterations=12", "inner=2", "refit=5", "q=2", "C=10", "batch=150"},
    .kernels.score = score,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
    .row_of = place_of,
    .matrix_size = sbcw_matrix,
    .finish = sbcw_finish,
    .batch = BATCH,
};

const sl_learner sl_fgm = {
    .info.name = "fgm",
    .info.summary = "feature generating machine: sbcw without covariances",
    .info.paper = "Tan et al., Towards ultrahigh dimensional feature selection for big data, JMLR 2014",
    .info.flags = SLUICE_LEARNER_BATCH,
    SL_PARAMS(fgm_params),
    SL_STATE_OF(feature, fields),
    .trial = {"features=30", "iterations=6", "inner=2", "refit=5", "C=10", "batch=150"},
    .kernels.score = score,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
    .row_of = place_of,
    .matrix_size = fgm_matrix,
    .finish = fgm_finish,
    .batch = BATCH,
};
