/* fobos: forward-backward splitting with l1 (Duchi, Singer, JMLR 2009).
 *
 *   e = eta/sqrt(t); if l > 0: w += e y x; then every weight becomes soft(w, e lambda)
 *
 * Lazily: Q is the sum of all e lambda so far, q the part of it by which a weight has been shrunk; when the weight is
 * next read it is shrunk by the rest at once, for soft(soft(w, a), b) = soft(w, a + b). Q grows without end, so q needs
 * 64 bits; w has 64 too, which costs nothing beside it. Importance h: the step is e h, with `invariant`
 * at most l/|x|^2; the shrinkage is the rounds' own. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, INVARIANT };
enum { Q };

#define STATE(MEMBER) MEMBER(F64, w, SL_ANY) MEMBER(F64, q, 0)
SL_FEATURE(STATE)

typedef struct round_state {
    num due; /* Q */
    num e, step;
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)p, (void)t, (void)done;
    return (round_state){.due = s[Q]};
}

RULE num weight(reg *f, const round_state *r) {
    f->w = soft(f->w, r->due - f->q);
    f->q = r->due;
    return f->w;
}

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    r->e = p[ETA] / sqrt((double)t);
    num tau = r->e * x->h;
    mask on = bound_step(&tau, p[INVARIANT], x, m, v);
    r->step = tau * x->y;
    return on;
}

RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[INVARIANT], x, m);
}

RULE num slope(const reg *f, const round_state *r, double x) {
    (void)f, (void)r;
    return all(x * x);
}

RULE void step(reg *f, const round_state *r, double x) { f->w += r->step * x; }

RULE void end(num *s, const round_state *r, const num *p) { s[Q] += r->e * p[LAMBDA]; }

RULE void rescale(reg *f, const round_state *r, double by) { f->w = by * weight(f, r); }

#include "algo/shared/kernels.h"

static const rule fobos = {.begin = begin,
                           .weight = weight,
                           .invariant = invariant,
                           .slope = slope,
                           .rescale = rescale,
                           .decide = decide,
                           .step = step,
                           .end = end,
                           .lazy = true,
                           .step_changes = MEMBER_BIT(w),
                           .vector_score = true};
SL_KERNELS(fobos)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(32), P_LAMBDA(3e-5), P_INVARIANT};
static const char *const scalars[] = {"Q", NULL};

static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    const round_state at_into = {.due = m->into.scalar[Q]}, at_from = {.due = m->from.scalar[Q]};
    reg f = load(into), g = load(from);
    (void)start;
    f.w = sl_averaged(m, weight(&f, &at_into), weight(&g, &at_from));
    f.q = m->after.scalar[Q];
    store(into, f, MEMBER_BIT(w) | MEMBER_BIT(q));
}

const sl_learner sl_fobos = {
    .info.name = "fobos",
    .info.summary = "forward-backward splitting with l1",
    .info.paper = "Duchi and Singer, Efficient online and batch learning using forward backward splitting, JMLR 2009",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(fobos),
    .trial = {"eta=1", "lambda=0.02", "invariant=1"},
    .scalars = scalars,
    .merge = merge,
};

#endif
