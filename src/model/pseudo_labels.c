/* Pseudo-labels: what a model predicts for rows without a label, and whether that is likely enough to be learned. */
#include "model/pseudo_labels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/threshold.h"

sluice_status sluice_model_set_pseudo(sluice_model *m, double probability, double weight) {
    const double least = sl_model_is_of_many(m) ? 0 : 0.5;
    if (probability != 0 && !(probability > least && probability <= 1))
        return sl_fail(&m->error, SLUICE_E_USAGE, "pseudo-labels need a probability above %g and up to 1", least);
    if (probability != 0 && !(weight > 0 && weight <= (double)FLT_MAX))
        return sl_fail(&m->error, SLUICE_E_USAGE,
                       "the weight of pseudo-labels is above 0 and within the range of floats");
    if (probability != 0 && weight != 1 && m->rule->only_weights_0_1)
        return sl_fail(&m->error, SLUICE_E_USAGE, "%s takes only the importance weights 0 and 1; use %s",
                       m->rule->info.name, m->rule->only_weights_0_1);
    m->pseudo.probability = probability;
    m->pseudo.weight = weight;
    return SLUICE_OK;
}

/* Of two classes. */
static void find_sign(const sluice_model *m, const sl_raw_row *r, sl_pseudo_label *label) {
    const double margin = sl_turn(&m->classes, sl_model_raw_margin(m, r)), p = sluice_model_probability(m, margin);
    const bool positive = sl_model_decides_positive(m, margin);
    label->is_likely = (positive ? p : 1 - p) >= m->pseudo.probability; /* not if it is no number */
    label->y = sl_turn(&m->classes, positive ? 1 : -1);
}

/* Of several; `numbers`: two for each class. */
static void find_class(const sluice_model *m, const sl_raw_row *r, double *numbers, uint32_t *wins,
                       sl_pseudo_label *label) {
    const size_t n = m->classes.table.n;
    double *margins = numbers, *p = numbers + n;
    sl_many_margins(m, r, margins, wins);
    sl_many_probabilities(m, r, margins, p);
    const size_t best = sl_best_class(margins, wins, n);
    label->is_likely = isfinite(margins[best]) && p[best] >= m->pseudo.probability;
    label->y = (double)best;
}

sluice_status sl_pseudo_label_find(sluice_model *m, const sl_raw_row *r, sl_pseudo_label *label) {
    const size_t n = m->classes.table.n;
    *label = (sl_pseudo_label){.is_likely = false};
    if (!sl_has_two_classes(m) || !sluice_model_has_probability(m)) return SLUICE_OK;
    if (!sl_model_is_of_many(m)) {
        find_sign(m, r, label);
        return SLUICE_OK;
    }
    enum { FEW = 128 };
    double few_numbers[2 * FEW], *numbers = n <= FEW ? few_numbers : malloc(2 * n * sizeof *numbers);
    uint32_t few_wins[FEW], *wins = n <= FEW ? few_wins : malloc(n * sizeof *wins);
    const bool fine = numbers && wins;
    if (fine) find_class(m, r, numbers, wins, label);
    if (numbers != few_numbers) free(numbers);
    if (wins != few_wins) free(wins);
    return fine ? SLUICE_OK : sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the margins of %zu classes", n);
}
