/* Predict-only models without some of the features. */
#include "base/error.h"
#include "model/model.h"

bool sl_is_chosen(const sluice_model *m, const sl_walk *at) {
    if (!m->choice || at->is_bias) return true;
    const sluice_weight w = sl_weight_at_walk(m, at);
    return m->choice->keep(m->choice->context, &w);
}

sluice_model *sluice_model_final_chosen(const sluice_model *from, sluice_keep_function keep, void *context,
                                        sluice_error *err) {
    const sl_feature_choice choice = {keep, context};
    if (from->problems)
        return sl_fail(err, SLUICE_E_UNSUPPORTED,
                       "a model that is made of one model for each problem keeps all features: learn with --classes "
                       "matrix, or with ovr and a learner such as arow or ssol"),
               NULL;
    sluice_model *all = sluice_model_final(from, err), *to = NULL;
    if (!all) return NULL;
    if (all->problems) /* the leader of a race */
        sl_fail(err, SLUICE_E_UNSUPPORTED,
                "the leader of this race is made of one model for each problem, which keeps all features");
    all->choice = &choice;
    if (!all->problems) to = sluice_model_final(all, err);
    sluice_model_free(all);
    return to;
}
