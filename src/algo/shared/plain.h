/* Learners whose features have a weight and nothing else, and whose step is w += step x. */
#ifndef SL_PLAIN_H
#define SL_PLAIN_H

#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

#define STATE(MEMBER) MEMBER(F32, w, SL_ANY)
SL_FEATURE(STATE)

typedef struct round_state {
    num step;
} round_state;

RULE num weight(reg *f, const round_state *r) {
    (void)r;
    return f->w;
}

RULE void step(reg *f, const round_state *r, double x) { f->w += r->step * x; }

RULE void rescale(reg *f, const round_state *r, double by) {
    (void)r;
    f->w *= by;
}

#include "algo/shared/kernels.h"

/* A rule of this kind by what decides on its step. */
#define SL_PLAIN_RULE(decides)                                                                                         \
    { .weight = weight, .decide = decides, .step = step, .rescale = rescale }

#endif
