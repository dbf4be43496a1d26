/* All learners, in the order in which they are listed. A new one is one line here. */
#include "learner/learner.h"

/* clang-format off */
#define LEARNERS(LEARNER) \
    LEARNER(auto) \
    LEARNER(ssol) \
    LEARNER(ssol_full) \
    LEARNER(fsol) \
    LEARNER(cs_ssol) \
    LEARNER(cs_ssol_full) \
    LEARNER(cs_fsol) \
    LEARNER(ada_rda) \
    LEARNER(rda) \
    LEARNER(ftrl) \
    LEARNER(ada_fobos) \
    LEARNER(fobos) \
    LEARNER(stg) \
    LEARNER(perceptron) \
    LEARNER(pa) \
    LEARNER(pa_1) \
    LEARNER(pa_2) \
    LEARNER(cs_ogd) \
    LEARNER(cpa) \
    LEARNER(paum) \
    LEARNER(olsf_1) \
    LEARNER(olsf_2) \
    LEARNER(olsf) \
    LEARNER(olsf_all) \
    LEARNER(olsf_rand) \
    LEARNER(olsf_per) \
    LEARNER(ofs) \
    LEARNER(ofs_p) \
    LEARNER(sofs) \
    LEARNER(arow) \
    LEARNER(narow) \
    LEARNER(nherd) \
    LEARNER(scw_1) \
    LEARNER(scw_2) \
    LEARNER(cw) \
    LEARNER(sop) \
    LEARNER(arow_full) \
    LEARNER(narow_full) \
    LEARNER(scw_1_full) \
    LEARNER(scw_2_full) \
    LEARNER(cw_full) \
    LEARNER(sop_full) \
    LEARNER(bcw) \
    LEARNER(sbcw) \
    LEARNER(fgm)
/* clang-format on */

#define DECLARE(name) extern const sl_learner sl_##name;
#define ADDRESS(name) &sl_##name,

LEARNERS(DECLARE)

const sl_learner *const sl_learners[] = {LEARNERS(ADDRESS) NULL};
