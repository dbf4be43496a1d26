/* All learners, in the order in which they are listed, by what they are for. A new one is one line here. */
#include "learner/learner.h"

/* clang-format off */
#define LEARNERS(LEARNER) \
    LEARNER(auto, GENERAL) \
    LEARNER(ssol, SPARSE) \
    LEARNER(fsol, SPARSE) \
    LEARNER(ada_rda, SPARSE) \
    LEARNER(rda, SPARSE) \
    LEARNER(ftrl, SPARSE) \
    LEARNER(ada_fobos, SPARSE) \
    LEARNER(fobos, SPARSE) \
    LEARNER(stg, SPARSE) \
    LEARNER(olsf_1, LIMITED) \
    LEARNER(olsf_2, LIMITED) \
    LEARNER(olsf, LIMITED) \
    LEARNER(olsf_rand, LIMITED) \
    LEARNER(olsf_per, LIMITED) \
    LEARNER(ofs, LIMITED) \
    LEARNER(ofs_p, LIMITED) \
    LEARNER(sofs, LIMITED) \
    LEARNER(sbcw, LIMITED) \
    LEARNER(fgm, LIMITED) \
    LEARNER(cs_ssol, RARE) \
    LEARNER(cs_fsol, RARE) \
    LEARNER(cs_ogd, RARE) \
    LEARNER(cpa, RARE) \
    LEARNER(paum, RARE) \
    LEARNER(arow, CONFIDENT) \
    LEARNER(narow, CONFIDENT) \
    LEARNER(nherd, CONFIDENT) \
    LEARNER(scw_1, CONFIDENT) \
    LEARNER(scw_2, CONFIDENT) \
    LEARNER(cw, CONFIDENT) \
    LEARNER(sop, CONFIDENT) \
    LEARNER(perceptron, PLAIN) \
    LEARNER(pa, PLAIN) \
    LEARNER(pa_1, PLAIN) \
    LEARNER(pa_2, PLAIN) \
    LEARNER(olsf_all, PLAIN) \
    LEARNER(ssol_full, DENSE) \
    LEARNER(cs_ssol_full, DENSE) \
    LEARNER(arow_full, DENSE) \
    LEARNER(narow_full, DENSE) \
    LEARNER(scw_1_full, DENSE) \
    LEARNER(scw_2_full, DENSE) \
    LEARNER(cw_full, DENSE) \
    LEARNER(sop_full, DENSE) \
    LEARNER(bcw, DENSE)
/* clang-format on */

#define GENERAL "the default: tunes itself"
#define SPARSE "few features: a penalty makes most weights 0"
#define LIMITED "few features: keeps a given number or share of them"
#define RARE "rare classes: errors of the two classes cost differently"
#define CONFIDENT "few errors: a confidence for every weight; not sparse"
#define PLAIN "simple and fast: one number for every feature; not sparse"
#define DENSE "few but correlated features: a matrix over all pairs of them"

#define DECLARE(name, use) extern const sl_learner sl_##name;
#define ADDRESS(name, use) &sl_##name,
#define USE(name, use) use,

LEARNERS(DECLARE)

const sl_learner *const sl_learners[] = {LEARNERS(ADDRESS) NULL};
const char *const sl_learner_uses[] = {LEARNERS(USE) NULL};
