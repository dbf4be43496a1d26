/* Turns a rule into the functions that run it. Included by a learner's file behind the rule: it needs the types `reg`
 * (one feature in registers, made by SL_FEATURE) and `round_state` (what a round computes once), and nothing else.
 *
 * A rule's file is compiled once for each kernel set (num.h). At width 1 the drivers below take one model through a
 * row, at larger widths all lanes of a sweep. Each calls the same few functions of the rule, which are inlined: no call
 * is made per nonzero. */
#ifndef SL_KERNELS_H
#define SL_KERNELS_H

#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

/* The functions of a rule. Those marked so may be NULL. */
typedef struct rule {
    /* What the round computes once, from the parameters p and the scalars s. `t` is the round, from 1, when a row is
     * learned, or the rounds done when weights are asked for; `done` is how many rounds are over. May be NULL. */
    round_state (*begin)(const num *p, const num *s, uint64_t t, uint64_t done);
    /* Brings a feature up to date with the rounds that passed it by, before anything else looks at it (forgetting.h).
     * May be NULL. */
    void (*catch_up)(reg *f, const round_state *r);
    /* A feature's share of the variance, with value x. May be NULL. */
    num (*variance)(const reg *f, double x);
    /* What every feature of the row does before the prediction, given the row's variance. May be NULL. */
    void (*measure)(round_state *r, const num *p, num variance);
    void (*advance)(reg *f, const round_state *r, double x);
    /* Copies from another lane what advance() computes: it is the same in all lanes with the same parameter
     * `shared_by`, and is then computed once. May be NULL. */
    void (*share)(reg *f, const reg *from);
    size_t shared_by;
    /* A feature's weight. It may bring the feature up to date: `lazy` says that what it leaves is to be stored. */
    num (*weight)(reg *f, const round_state *r);
    bool lazy;
    /* A feature's part of the margin, where that is not its weight times x. May be NULL. */
    num (*term)(const reg *f, const round_state *r, double x);
    /* Whether a step is possible, whatever the variance is; without it the variance is not summed. May be NULL. */
    mask (*possible)(const num *p, const rule_row *x, num m);
    /* Importance-invariant steps (rule.h): where they are asked for in this round, and a feature's share of the slope,
     * which is the variance that decide() gets then. May be NULL. */
    mask (*invariant)(round_state *r, const num *p, const rule_row *x, num m);
    num (*slope)(const reg *f, const round_state *r, double x);
    /* Whether a step is made; notes in the round what step() needs. */
    mask (*decide)(round_state *r, const num *p, const rule_row *x, num m, num variance, uint64_t t);
    /* The step of a feature with value x. */
    void (*step)(reg *f, const round_state *r, double x);
    /* The members that each of these changes; 0 stands for all. */
    unsigned advance_changes, step_changes;
    /* After every round, step or not: the scalars. May be NULL. */
    void (*end)(num *s, const round_state *r, const num *p);
    /* Makes the weight `by` times as large (learner.h: rescale). */
    void (*rescale)(reg *f, const round_state *r, double by);
    /* At width 1: compute the weights, or the steps, of many features side by side. Worth it where they have
     * divisions, roots or thresholds. */
    bool vector_score, vector_step;
} rule;

RULE round_state begin_round(const rule *k, const num *p, const num *s, uint64_t t, uint64_t done) {
    round_state none;
    memset(&none, 0, sizeof none);
    return k->begin ? k->begin(p, s, t, done) : none;
}

/* The members that scoring changes; 0: none. */
RULE unsigned score_changes(const rule *k) {
    const unsigned all_members = ~0u;
    unsigned advanced = !k->advance ? 0 : k->advance_changes ? k->advance_changes : all_members;
    return k->lazy ? all_members : advanced;
}
RULE unsigned step_changes(const rule *k) { return k->step_changes ? k->step_changes : ~0u; }

RULE num margin_term(const rule *k, reg *f, const round_state *r, double x) {
    return k->term ? k->term(f, r, x) : k->weight(f, r) * x;
}

#define SL_JOIN_(a, b, c, d) a##b##_##c##_##d
#define SL_JOIN(a, b, c, d) SL_JOIN_(a, b, c, d)
#ifdef SL_FORGETS
#define SL_NAME_IN(name, set, width) SL_JOIN(sl_forgetting_, name, set, width)
#else
#define SL_NAME_IN(name, set, width) SL_JOIN(sl_kernels_, name, set, width)
#endif

#if SL_WIDTH == 1 /* ---- one model ---------------------------------------------------------------------------------  \
                   */

/* Features that are computed side by side: their state is first gathered, so that the compiler can use vectors. */
enum { SL_STAGED = 64 };

/* A feature, up to date. */
RULE reg load_now(const feature *at, const rule *k, const round_state *r) {
    reg f = load(at);
    if (k->catch_up) k->catch_up(&f, r);
    return f;
}

RULE void single_catch_up(sl_state *s, const uint32_t *slots, size_t n_slots, const rule *k, const round_state *r) {
    feature *features = s->features;
    for (size_t at = 0, n; at < n_slots; at += n) {
        const uint32_t *slot = slots + at;
        stage g;
        n = n_slots - at < SL_STAGED ? n_slots - at : SL_STAGED;
        for (size_t i = 0; i < n; i++) stage_in(&g, i, &features[slot[i]]);
        for (size_t i = 0; i < n; i++) {
            reg f = stage_get(&g, i);
            k->catch_up(&f, r);
            stage_put(&g, i, f, ~0u);
        }
        for (size_t i = 0; i < n; i++) stage_out(&g, i, &features[slot[i]], ~0u);
    }
}

RULE double sum_variance(sl_state *s, const sl_row *x, const rule *k) {
    const feature *features = s->features;
    double v = 0;
    for (size_t i = 0; i < x->n; i++) {
        reg f = load(&features[x->slot[i]]);
        v += k->variance(&f, (double)x->value[i]);
    }
    return v;
}

RULE double sum_slopes(sl_state *s, const sl_row *x, const rule *k, const round_state *r) {
    const feature *features = s->features;
    double v = 0;
    for (size_t i = 0; i < x->n; i++) {
        reg f = load(&features[x->slot[i]]);
        v += k->slope(&f, r, (double)x->value[i]);
    }
    return v;
}

/* Terms of the margin are added in the order of the row: the sum does not depend on how they were computed. */
RULE double single_score(sl_state *s, const sl_row *x, const rule *k) {
    feature *features = s->features;
    round_state r = begin_round(k, s->p, s->scalar, s->t, s->t - 1);
    if (k->catch_up) single_catch_up(s, x->slot, x->n, k, &r);
    if (k->measure) k->measure(&r, s->p, sum_variance(s, x, k));
    const unsigned changes = score_changes(k);
    double m = 0;
    if (!k->vector_score) {
        for (size_t i = 0; i < x->n; i++) {
            feature *at = &features[x->slot[i]];
            reg f = load(at);
            if (k->advance) k->advance(&f, &r, (double)x->value[i]);
            m += margin_term(k, &f, &r, (double)x->value[i]);
            if (changes) store(at, f, changes);
        }
        return m;
    }
    for (size_t at = 0, n; at < x->n; at += n) {
        const uint32_t *slot = x->slot + at;
        const float *value = x->value + at;
        stage g;
        double term[SL_STAGED];
        n = x->n - at < SL_STAGED ? x->n - at : SL_STAGED;
        for (size_t i = 0; i < n; i++) stage_in(&g, i, &features[slot[i]]);
        for (size_t i = 0; i < n; i++) {
            reg f = stage_get(&g, i);
            if (k->advance) k->advance(&f, &r, (double)value[i]);
            term[i] = margin_term(k, &f, &r, (double)value[i]);
            if (changes) stage_put(&g, i, f, changes);
        }
        for (size_t i = 0; i < n; i++) {
            if (changes) stage_out(&g, i, &features[slot[i]], changes);
            m += term[i];
        }
    }
    return m;
}

RULE void single_steps(sl_state *s, const sl_row *x, const rule *k, const round_state *r) {
    feature *features = s->features;
    if (!k->vector_step) {
        for (size_t i = 0; i < x->n; i++) {
            feature *at = &features[x->slot[i]];
            reg f = load(at);
            k->step(&f, r, (double)x->value[i]);
            store(at, f, step_changes(k));
        }
        return;
    }
    for (size_t at = 0, n; at < x->n; at += n) {
        const uint32_t *slot = x->slot + at;
        const float *value = x->value + at;
        stage g;
        n = x->n - at < SL_STAGED ? x->n - at : SL_STAGED;
        for (size_t i = 0; i < n; i++) stage_in(&g, i, &features[slot[i]]);
        for (size_t i = 0; i < n; i++) {
            reg f = stage_get(&g, i);
            k->step(&f, r, (double)value[i]);
            stage_put(&g, i, f, step_changes(k));
        }
        for (size_t i = 0; i < n; i++) stage_out(&g, i, &features[slot[i]], step_changes(k));
    }
}

RULE bool single_update(sl_state *s, const sl_row *x, double m, const rule *k) {
    round_state r = begin_round(k, s->p, s->scalar, s->t, s->t - 1);
    bool on = !k->possible || k->possible(s->p, x, m);
    double v = 0;
    if (on && k->variance && !k->measure) v = sum_variance(s, x, k);
    if (k->slope && k->invariant(&r, s->p, x, m)) v = sum_slopes(s, x, k, &r);
    if (on) on = k->decide(&r, s->p, x, m, v, s->t);
    if (on) single_steps(s, x, k, &r);
    if (k->end) k->end(s->scalar, &r, s->p);
    return on;
}

RULE void single_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w, const rule *k, uint64_t done) {
    const feature *features = s->features;
    round_state r = begin_round(k, s->p, s->scalar, s->t, done);
    for (size_t i = 0; i < n; i++) {
        reg f = load_now(&features[slot[i]], k, &r);
        w[i] = (float)k->weight(&f, &r);
    }
}

RULE void single_settle(sl_state *s, const uint32_t *slot, size_t n, const rule *k) {
    feature *features = s->features;
    round_state r = begin_round(k, s->p, s->scalar, s->t, s->t);
    for (size_t i = 0; i < n; i++) {
        reg f = load_now(&features[slot[i]], k, &r);
        k->weight(&f, &r);
        store(&features[slot[i]], f, ~0u);
    }
}

RULE void single_rescale(sl_state *s, uint32_t slot, double by, const rule *k) {
    feature *at = (feature *)s->features + slot;
    round_state r = begin_round(k, s->p, s->scalar, s->t + 1, s->t);
    reg f = load_now(at, k, &r);
    k->rescale(&f, &r, by);
    store(at, f, ~0u);
}

#define SL_SINGLE_KERNELS(name)                                                                                        \
    static double name##_score(sl_state *s, const sl_row *x) { return single_score(s, x, &name); }                     \
    static bool name##_update(sl_state *s, const sl_row *x, double m) { return single_update(s, x, m, &name); }        \
    static void name##_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {                          \
        single_weights(s, slot, n, w, &name, s->t);                                                                    \
    }                                                                                                                  \
    static void name##_round_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {                    \
        single_weights(s, slot, n, w, &name, s->t - 1);                                                                \
    }                                                                                                                  \
    static void name##_settle(sl_state *s, const uint32_t *slot, size_t n) { single_settle(s, slot, n, &name); }       \
    static void name##_rescale(sl_state *s, uint32_t slot, double by) { single_rescale(s, slot, by, &name); }          \
    extern const sl_kernels SL_NAME_IN(name, SL_SET, SL_WIDTH);                                                        \
    const sl_kernels SL_NAME_IN(name, SL_SET, SL_WIDTH) = {name##_score,         name##_update, name##_weights,        \
                                                           name##_round_weights, name##_settle, name##_rescale};

#ifdef SL_MAKES_RECORDS
/* SLUICE_KERNELS_X86: the sets avx2 and avx512 were compiled; SLUICE_KERNELS_LANES: so were lanes, of width 2 in the
 * set portable. A build that compiles every file once has neither, and sweeps without lanes. */
#ifdef SLUICE_KERNELS_X86
#define SL_SINGLE_SETS(name)                                                                                           \
    { &SL_NAME_IN(name, portable, 1), &SL_NAME_IN(name, avx2, 1), &SL_NAME_IN(name, avx512, 1) }
#define SL_LANE_SETS(name)                                                                                             \
    { &SL_NAME_IN(name, portable, 2), &SL_NAME_IN(name, avx2, 4), &SL_NAME_IN(name, avx512, 8) }
#define SL_DECLARE_SETS(name)                                                                                          \
    extern const sl_kernels SL_NAME_IN(name, avx2, 1), SL_NAME_IN(name, avx512, 1);                                    \
    extern const sl_lane_kernels SL_NAME_IN(name, portable, 2), SL_NAME_IN(name, avx2, 4), SL_NAME_IN(name, avx512, 8);
#elif defined(SLUICE_KERNELS_LANES)
#define SL_SINGLE_SETS(name)                                                                                           \
    { &SL_NAME_IN(name, portable, 1) }
#define SL_LANE_SETS(name)                                                                                             \
    { &SL_NAME_IN(name, portable, 2) }
#define SL_DECLARE_SETS(name) extern const sl_lane_kernels SL_NAME_IN(name, portable, 2);
#else
#define SL_SINGLE_SETS(name)                                                                                           \
    { &SL_NAME_IN(name, portable, 1) }
#define SL_LANE_SETS(name)                                                                                             \
    { 0 }
#define SL_DECLARE_SETS(name)
#endif
#define SL_KERNELS(name)                                                                                               \
    SL_SINGLE_KERNELS(name)                                                                                            \
    SL_DECLARE_SETS(name)                                                                                              \
    static const sl_kernel_sets name##_sets = {SL_SINGLE_SETS(name), SL_LANE_SETS(name)};
#define SL_DIAGONAL(name) SL_STATE_OF(feature, fields), .sets = &name##_sets
#else
#define SL_KERNELS(name) SL_SINGLE_KERNELS(name)
#endif

#else /* ---- lanes of configurations                                                                                  \
         --------------------------------------------------------------------------------- */

enum { MOST_VECTORS = SL_MAX_LANES / SL_WIDTH };
#define VECTORS for (size_t v = 0; v < lanes / SL_WIDTH; v++)

RULE const num *params_of(const sl_lanes *s, size_t v) { return (const num *)(const void *)s->p + v * SL_MAX_PARAMS; }
RULE num *scalars_of(const sl_lanes *s, size_t v) { return (num *)(void *)s->scalar + v * SL_MAX_SCALARS; }
RULE num margins_of(const sl_lanes *s, size_t v) { return *(const num_at *)(s->m + v * SL_WIDTH); }

RULE rule_row with_labels(const sl_lanes *s, const sl_row *x, size_t v) {
    return (rule_row){x->slot, x->value, x->n, *(const num_at *)(s->y + v * SL_WIDTH), x->h};
}

/* Where the features lie. Copied, as rows are, because the compiler must assume that storing a feature changes what
 * pointers lead to. */
typedef struct place {
    char *features;
    size_t size;
} place;

RULE place place_of(const sl_lanes *s) { return (place){s->features, s->size}; }
RULE char *feature_at(place p, uint32_t slot) { return p.features + slot * p.size; }

RULE reg load_lanes_now(const char *at, size_t lanes, size_t v, const rule *k, const round_state *r) {
    reg f = load_lanes(at, lanes, v);
    if (k->catch_up) k->catch_up(&f, r);
    return f;
}

RULE void lanes_catch_up(place at_lanes, const sl_row *x, const rule *k, const round_state *r, size_t lanes) {
    for (size_t i = 0; i < x->n; i++) {
        char *at = feature_at(at_lanes, x->slot[i]);
        VECTORS store_lanes(at, load_lanes_now(at, lanes, v, k, &r[v]), ~0u, lanes, v);
    }
}

/* shared: all lanes agree on what advance() computes, and the first vector computes it for all. */
RULE void lanes_score(sl_lanes *s, const sl_row *row, const rule *k, const size_t lanes, const bool shared) {
    const place at_lanes = place_of(s);
    const sl_row local = *row, *x = &local;
    round_state r[MOST_VECTORS];
    num sum[MOST_VECTORS];
    VECTORS r[v] = begin_round(k, params_of(s, v), scalars_of(s, v), s->t, s->t - 1);
    if (k->catch_up) lanes_catch_up(at_lanes, x, k, r, lanes);
    if (k->measure) {
        VECTORS sum[v] = all(0);
        for (size_t i = 0; i < x->n; i++) {
            const char *at = feature_at(at_lanes, x->slot[i]);
            VECTORS {
                if (shared && v) continue;
                reg f = load_lanes(at, lanes, v);
                sum[v] += k->variance(&f, (double)x->value[i]);
            }
        }
        VECTORS k->measure(&r[v], params_of(s, v), shared ? sum[0] : sum[v]);
    }
    VECTORS sum[v] = all(0);
    for (size_t i = 0; i < x->n; i++) {
        char *at = feature_at(at_lanes, x->slot[i]);
        reg first;
        VECTORS {
            reg f = load_lanes(at, lanes, v);
            if (shared && v)
                k->share(&f, &first);
            else if (k->advance)
                k->advance(&f, &r[v], (double)x->value[i]);
            if (v == 0) first = f;
            sum[v] += margin_term(k, &f, &r[v], (double)x->value[i]);
            if (score_changes(k)) store_lanes(at, f, score_changes(k), lanes, v);
        }
    }
    VECTORS *(num_at *)(s->m + v * SL_WIDTH) = sum[v];
}

RULE void lanes_update(sl_lanes *s, const sl_row *row, const rule *k, const size_t lanes) {
    const place at_lanes = place_of(s);
    const sl_row local = *row, *x = &local;
    round_state r[MOST_VECTORS];
    num sum[MOST_VECTORS];
    mask on[MOST_VECTORS], some = {0};
    bool any_on[MOST_VECTORS]; /* of many classes, few make a step */
    VECTORS {
        r[v] = begin_round(k, params_of(s, v), scalars_of(s, v), s->t, s->t - 1);
        const rule_row labelled = with_labels(s, x, v);
        on[v] = k->possible ? k->possible(params_of(s, v), &labelled, margins_of(s, v)) : ~(mask){0};
        some |= on[v];
        sum[v] = all(0);
    }
    if (k->variance && !k->measure && any(some))
        for (size_t i = 0; i < x->n; i++) {
            const char *at = feature_at(at_lanes, x->slot[i]);
            VECTORS {
                reg f = load_lanes(at, lanes, v);
                sum[v] += k->variance(&f, (double)x->value[i]);
            }
        }
    if (k->slope) {
        mask asked = {0};
        VECTORS {
            const rule_row labelled = with_labels(s, x, v);
            asked |= k->invariant(&r[v], params_of(s, v), &labelled, margins_of(s, v));
        }
        for (size_t i = 0; any(asked) && i < x->n; i++) {
            const char *at = feature_at(at_lanes, x->slot[i]);
            VECTORS {
                reg f = load_lanes(at, lanes, v);
                sum[v] += k->slope(&f, &r[v], (double)x->value[i]);
            }
        }
    }
    some = (mask){0};
    VECTORS {
        const rule_row labelled = with_labels(s, x, v);
        on[v] &= k->decide(&r[v], params_of(s, v), &labelled, margins_of(s, v), sum[v], s->t);
        any_on[v] = any(on[v]);
        some |= on[v];
        *(mask_at *)(s->on + v * SL_WIDTH) = on[v];
    }
    if (any(some))
        for (size_t i = 0; i < x->n; i++) {
            char *at = feature_at(at_lanes, x->slot[i]);
            VECTORS {
                if (!any_on[v]) continue;
                reg before = load_lanes(at, lanes, v), f = before;
                k->step(&f, &r[v], (double)x->value[i]);
                store_lanes(at, choose(on[v], f, before), step_changes(k), lanes, v);
            }
        }
    if (k->end) VECTORS k->end(scalars_of(s, v), &r[v], params_of(s, v));
}

RULE void lanes_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *w, const rule *k, size_t lanes) {
    round_state r[MOST_VECTORS];
    VECTORS r[v] = begin_round(k, params_of(s, v), scalars_of(s, v), s->t, s->t);
    for (size_t i = 0; i < n; i++) VECTORS {
            reg f = load_lanes_now(sl_lanes_at(s, slot[i]), lanes, v, k, &r[v]);
            *(f32s_at *)(w + i * lanes + v * SL_WIDTH) = narrowed(k->weight(&f, &r[v]));
        }
}

/* Adds to each lane's margin its weights, rounded as a predict-only model has them, times the values. */
RULE void lanes_margins(const sl_lanes *s, const uint32_t *slot, const float *value, size_t n, double *m, const rule *k,
                        size_t lanes) {
    const place at_lanes = place_of(s);
    round_state r[MOST_VECTORS];
    num sum[MOST_VECTORS];
    VECTORS {
        r[v] = begin_round(k, params_of(s, v), scalars_of(s, v), s->t, s->t);
        sum[v] = *(const num_at *)(m + v * SL_WIDTH);
    }
    for (size_t i = 0; i < n; i++) VECTORS {
            reg f = load_lanes_now(feature_at(at_lanes, slot[i]), lanes, v, k, &r[v]);
            sum[v] += f32(k->weight(&f, &r[v])) * (double)value[i];
        }
    VECTORS *(num_at *)(m + v * SL_WIDTH) = sum[v];
}

RULE void lanes_settle(sl_lanes *s, const uint32_t *slot, size_t n, const rule *k, size_t lanes) {
    VECTORS {
        round_state r = begin_round(k, params_of(s, v), scalars_of(s, v), s->t, s->t);
        for (size_t i = 0; i < n; i++) {
            reg f = load_lanes_now(sl_lanes_at(s, slot[i]), lanes, v, k, &r);
            k->weight(&f, &r);
            store_lanes(sl_lanes_at(s, slot[i]), f, ~0u, lanes, v);
        }
    }
}

RULE void lanes_rescale(sl_lanes *s, uint32_t slot, double by, const rule *k, size_t lanes) {
    VECTORS {
        round_state r = begin_round(k, params_of(s, v), scalars_of(s, v), s->t + 1, s->t);
        reg f = load_lanes_now(sl_lanes_at(s, slot), lanes, v, k, &r);
        k->rescale(&f, &r, by);
        store_lanes(sl_lanes_at(s, slot), f, ~0u, lanes, v);
    }
}

#define SL_LANES_OF(name, lanes)                                                                                       \
    static void name##_score_##lanes(sl_lanes *s, const sl_row *x) {                                                   \
        if (name.share && s->shared)                                                                                   \
            lanes_score(s, x, &name, lanes, true);                                                                     \
        else                                                                                                           \
            lanes_score(s, x, &name, lanes, false);                                                                    \
    }                                                                                                                  \
    static void name##_update_##lanes(sl_lanes *s, const sl_row *x) { lanes_update(s, x, &name, lanes); }              \
    static void name##_weights_##lanes(const sl_lanes *s, const uint32_t *slot, size_t n, float *w) {                  \
        lanes_weights(s, slot, n, w, &name, lanes);                                                                    \
    }                                                                                                                  \
    static void name##_margins_##lanes(const sl_lanes *s, const uint32_t *slot, const float *value, size_t n,          \
                                       double *m) {                                                                    \
        lanes_margins(s, slot, value, n, m, &name, lanes);                                                             \
    }                                                                                                                  \
    static void name##_settle_##lanes(sl_lanes *s, const uint32_t *slot, size_t n) {                                   \
        lanes_settle(s, slot, n, &name, lanes);                                                                        \
    }                                                                                                                  \
    static void name##_rescale_##lanes(sl_lanes *s, uint32_t slot, double by) {                                        \
        lanes_rescale(s, slot, by, &name, lanes);                                                                      \
    }

#define SL_KERNELS(name)                                                                                               \
    SL_LANES_OF(name, 8)                                                                                               \
    SL_LANES_OF(name, 16)                                                                                              \
    extern const sl_lane_kernels SL_NAME_IN(name, SL_SET, SL_WIDTH);                                                   \
    const sl_lane_kernels SL_NAME_IN(name, SL_SET, SL_WIDTH) = {                                                       \
        SL_WIDTH,                                                                                                      \
        {name##_score_8, name##_score_16},                                                                             \
        {name##_update_8, name##_update_16},                                                                           \
        {name##_weights_8, name##_weights_16},                                                                         \
        {name##_margins_8, name##_margins_16},                                                                         \
        {name##_settle_8, name##_settle_16},                                                                           \
        {name##_rescale_8, name##_rescale_16},                                                                         \
    };

#endif

#endif
