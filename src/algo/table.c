/* All learners, in the order in which they are listed. A new one is declared and listed here. */
#include "learner/learner.h"

extern const sl_learner sl_ssol, sl_ssol_full, sl_fsol, sl_cs_ssol, sl_cs_ssol_full, sl_cs_fsol, sl_ada_rda, sl_rda,
    sl_ftrl, sl_ada_fobos, sl_fobos, sl_stg, sl_perceptron, sl_pa, sl_pa_1, sl_pa_2, sl_cs_ogd, sl_cpa, sl_paum,
    sl_olsf, sl_olsf_1, sl_olsf_2, sl_olsf_all, sl_olsf_rand, sl_olsf_per, sl_ofs, sl_ofs_p, sl_sofs, sl_cw, sl_arow,
    sl_narow, sl_scw_1, sl_scw_2, sl_sop, sl_cw_full, sl_arow_full, sl_narow_full, sl_scw_1_full, sl_scw_2_full,
    sl_sop_full, sl_bcw, sl_sbcw, sl_fgm;

const sl_learner *const sl_learners[] = {
    &sl_ssol,       &sl_ssol_full,  &sl_fsol,       &sl_cs_ssol,  &sl_cs_ssol_full, &sl_cs_fsol,    &sl_ada_rda,
    &sl_rda,        &sl_ftrl,       &sl_ada_fobos,  &sl_fobos,    &sl_stg,          &sl_perceptron, &sl_pa,
    &sl_pa_1,       &sl_pa_2,       &sl_cs_ogd,     &sl_cpa,      &sl_paum,         &sl_olsf_1,     &sl_olsf_2,
    &sl_olsf,       &sl_olsf_all,   &sl_olsf_rand,  &sl_olsf_per, &sl_ofs,          &sl_ofs_p,      &sl_sofs,
    &sl_arow,       &sl_narow,      &sl_scw_1,      &sl_scw_2,    &sl_cw,           &sl_sop,        &sl_arow_full,
    &sl_narow_full, &sl_scw_1_full, &sl_scw_2_full, &sl_cw_full,  &sl_sop_full,     &sl_bcw,        &sl_sbcw,
    &sl_fgm,        NULL,
};
