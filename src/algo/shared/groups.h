/* Groups of chosen features, and the dual coordinate ascent over the examples of a batch restricted to them (Tan et
 * al., AAAI 2016, algorithm 3).
 *
 * With x^k the features of group k in example x, S_k their covariance and x^ = S_k^(1/2) x^k, the dual has
 *   z_k = C sum_i h_i alpha_i y_i x^_ik,   w = grad Omega*(z): w_k = c_k z_k,   mu_k = S_k^(1/2) w_k
 * Neither x^ nor a root of S_k is ever formed. With g_k = C sum_i h_i alpha_i y_i x_i^k and u_k = S_k g_k:
 *   |z_k|^2 = g_k.u_k,   mu_k = c_k u_k,   w.x^ = sum_k c_k u_k.x^k,   |x^|^2 = sum_k x^k' S_k x^k
 * so a step costs the size of a group for every chosen value of the example. */
#ifndef SL_GROUPS_H
#define SL_GROUPS_H

#include "learner/learner.h"

enum { SL_NOT_CHOSEN = 0 };

/* What the learners' parameters mean here. */
typedef struct sl_groups_rule {
    double C, C_cov, sigma, q, tolerance;
    bool covariance; /* else S_k = I */
    size_t r;        /* features in a group, at most */
} sl_groups_rule;

typedef struct sl_group {
    size_t size;
    double *P, *S; /* S_k^-1 and S_k, `size` numbers a row; both NULL without covariance */
    double *g, *u;
    double a2; /* g.u = |z_k|^2 */
    double c;
} sl_group;

/* The values of one group in one example. */
typedef struct sl_segment {
    size_t at, n; /* of `value` */
    uint32_t group;
    double v;   /* x^k' S_k x^k */
    double dot; /* u_k.x^k, when last asked for */
} sl_segment;

typedef struct sl_chosen {
    uint32_t member; /* which feature of the group */
    float value;
} sl_chosen;

typedef struct sl_groups {
    sl_groups_rule rule;
    const sl_pending *batch;
    double (*dot)(const double *a, const double *b, size_t n);
    sl_group *group;
    size_t n, room;
    uint32_t *place; /* of each column: 1 + group * r + member, or SL_NOT_CHOSEN */
    size_t columns;
    size_t *first; /* of row i: segments first[i] .. first[i + 1] */
    sl_segment *segment;
    sl_chosen *value;
    double *alpha, *square_norm; /* of each row: |x^|^2; 0: it has no chosen value */
    bool indefinite;             /* a covariance was beyond 64 bits */
} sl_groups;

/* A batch without groups; place: all SL_NOT_CHOSEN. False: no memory, as in all that follow. */
bool sl_groups_start(sl_groups *w, const sl_groups_rule *rule, const sl_state *s, size_t room);
void sl_groups_free(sl_groups *w);

/* Makes the n features a group of number w->n: its covariance, the examples' values, g as alpha has it. What it had in
 * earlier batches: the lower triangle of S_k^-1, or NULL. False also where w->indefinite. */
bool sl_groups_add(sl_groups *w, const uint32_t *column, size_t n, const double *triangle);
/* Takes the last group's place for group k, whose features are no longer chosen. */
void sl_groups_drop(sl_groups *w, size_t k);
/* g = sigma P mu: what examples of earlier batches have left. */
void sl_groups_recall(sl_groups *w, size_t k, const double *mu);
void sl_groups_mu(const sl_groups *w, size_t k, double *mu);

/* Up to `passes` over the examples; Omega = (sigma |w|^2 + (sum_k |w_k|)^2)/2, or without its second term. Stops when
 * the dual objective changes by less than the tolerance. */
void sl_groups_pass(sl_groups *w, size_t passes, bool sparse);

/* alpha as scores take it: that of an example without chosen values is at its end, which no step would reach. */
static inline double sl_groups_alpha(const sl_groups *w, size_t i) {
    return w->square_norm[i] > 0 ? w->alpha[i] : w->rule.q == 1 ? 1 : 2;
}

#endif
