/* Says that a model is no better than to say the more frequent class always, and what to try. */
#include "notes/majority_note.h"

#include "output/class_text.h"
#include "output/message.h"

#include <math.h>
#include <string.h>

enum { LEAST_EXAMPLES = 200 }; /* fewer say little */
static const double ranks_well = 0.7;

/* The most frequent class: its label, and the share of the others. */
static double others(const sluice_model *model, const sluice_measures *m, const class_figures *classes,
                     char text[CLASS_TEXT]) {
    const uint64_t positives = m->true_pos + m->false_neg;
    const int positive = 2 * positives > m->examples;
    size_t most = 0;
    uint64_t n = positive ? positives : m->examples - positives;
    for (size_t i = 0; i < classes->n; i++)
        if (classes->of[i].support > classes->of[most].support) most = i;
    if (classes->n) n = classes->of[most].support;
    if (classes->n || sluice_model_classes(model) == 2)
        class_text(model, classes->n ? most : positive ? positive_class(model) : 1 - positive_class(model), text);
    else
        snprintf(text, CLASS_TEXT, "%s",
                 positive                                                ? "1"
                 : sluice_model_metadata(model, "reader.negative", NULL) ? "0"
                                                                         : "-1");
    return 1 - (double)n / (double)m->examples;
}

/* The learner weighs the classes differently. */
static int has_costs(const args *a, const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    for (size_t i = 0; i < facts.learner->n_params; i++) {
        const char *name = facts.learner->params[i].name;
        if (strstr(name, "cost_") && sluice_model_param(model, i) != 1) return 1;
    }
    return args_has(a, "cost");
}

static const char *what_to_try(const args *a, const sluice_model *model, const sluice_measures *m) {
    const sluice_settings *s = sluice_model_settings(model);
    if (m->auc >= ranks_well)
        return "but it ranks them well (auc): choose a threshold (--holdout 0.2 --threshold f1), or let the rare class "
               "count more (--cost CLASS=10)";
    if (sluice_model_candidates(model))
        return "are --format and --label right? More examples or --passes may help, and test --at shows other "
               "thresholds";
    if (args_has(a, "learner") && s->normalize == SLUICE_NORMALIZE_NONE && s->scale == SLUICE_SCALE_NONE)
        return "add --normalize l2 or --scale running, or leave out -a: auto scales and tunes itself";
    return "leave out -a: auto tunes itself; or search the parameters with sluice tune";
}

void majority_note(const args *a, const sluice_model *model, const sluice_measures *m, const class_figures *classes,
                   double fading) {
    char text[CLASS_TEXT];
    if (m->examples < LEAST_EXAMPLES) return;
    const double rate = others(model, m, classes, text), error = fmin(m->error_rate, fading); /* NaN is left out */
    if (!(rate > 0) || error < rate || has_costs(a, model)) return;
    note("the model is no better than to say '%s' always, which is wrong for %.2f %% of the examples (the model: %.2f "
         "%%); %s",
         text, 100 * rate, 100 * error, what_to_try(a, model, m));
}
