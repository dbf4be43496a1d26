/* Learners that forget: `forget=G`, 0 < G < 1. Before each round every sum of the state, and every precision above its
 * prior, is multiplied by G. Lazily: a feature notes the round up to which that has been done, and catches up when it
 * is next read.
 *
 * A rule that forgets has one more member than the plain one, so it is compiled apart, from the same text: a file
 * defines SL_FORGETS and includes that of the plain rule. To a model it is a learner of the same name
 * (learner.h:sl_learner_for). */
#ifndef SL_FORGETTING_H
#define SL_FORGETTING_H

#include "algo/shared/power.h"

#ifdef SL_FORGETS

#define SL_ROUND(MEMBER) MEMBER(U32, round, SL_ANY) /* modulo 2^32: only differences matter */
#define SL_FORGETTING_PART                                                                                             \
    num log2_G;                                                                                                        \
    count round;
/* What begin() adds to the round: p has G at this place. */
#define SL_FORGET_BEGIN(p, place, t) .log2_G = log2_of((p)[place]), .round = all_counts((uint32_t)(t))

/* A variance in units of its prior whose precision above the prior is g times as large: 1/(1 + g (1/v - 1)). One that
 * rounding has made 0 stays so. */
RULE num forget_variance(num v, num g) { return if_positive(v, v / (v + g * (1 - v))); }

#define SL_CATCH_UP catch_up
#define SL_RECORD(name) sl_##name##_forgetting
#define SL_FORGETTING(name, place) .forget = place, .counts_rounds = true
#define SL_TRIAL(...)                                                                                                  \
    { __VA_ARGS__, "forget=0.998" }
#define SL_INVARIANT_TRIAL(...)                                                                                        \
    { __VA_ARGS__, "forget=0.998", "invariant=1" }
#define SL_FLAGS(flags) ((flags) & ~(unsigned)SLUICE_LEARNER_MERGES) /* the past counts less: the sums do not add */

#else

#define SL_ROUND(MEMBER)
#define SL_FORGETTING_PART
#define SL_FORGET_BEGIN(p, place, t)
#define SL_CATCH_UP NULL
#define SL_RECORD(name) sl_##name
#define SL_FORGETTING(name, place) .forget = place, .forgetting = &sl_##name##_forgetting
#define SL_TRIAL(...)                                                                                                  \
    { __VA_ARGS__ }
#define SL_INVARIANT_TRIAL(...) SL_TRIAL(__VA_ARGS__)
#define SL_FLAGS(flags) (flags)

#endif

#define P_FORGET                                                                                                       \
    {                                                                                                                  \
        "forget", "what is left of the past after each example; to halve it in H examples: 0.5^(1/H); 1: all of it",   \
            1, 1e-6, 1, .extra = 1                                                                                     \
    }

#endif
