/* train --pseudo: learning from examples without a label. */
#include "train/pseudo.h"

#include "output/message.h"
#include "terminal/figures.h"

#include <float.h>

int pseudo_options(const args *a, pseudo *p) {
    p->weight = 1;
    int rc = args_positive(a, "pseudo", 1, &p->probability);
    if (!rc) rc = args_positive(a, "pseudo-weight", (double)FLT_MAX, &p->weight);
    if (!rc && args_has(a, "pseudo-weight") && !args_has(a, "pseudo"))
        rc = wrong_usage(a->command->name, "--pseudo-weight needs --pseudo P");
    return rc;
}

static uint64_t learned_by(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    return facts.pseudo;
}

int pseudo_start(const args *a, pseudo *p, sluice_model *model) {
    p->before = learned_by(model);
    if (sluice_model_set_pseudo(model, p->probability, p->weight) == SLUICE_OK) return DONE;
    return wrong_usage(a->command->name, "--pseudo %g: %s", p->probability, sluice_model_error(model)->message);
}

sluice_reader_options pseudo_reading(const pseudo *p, const sluice_reader_options *reading) {
    sluice_reader_options how = *reading;
    how.missing_labels = p->probability > 0;
    return how;
}

/* The classes that examples have had. */
static size_t classes_of(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    const size_t n = sluice_model_classes(model);
    if (n || sluice_model_settings(model)->classes) return n;
    return (facts.positives > 0) + (size_t)(facts.positives < facts.examples);
}

void pseudo_begin_anew(pseudo *p, const sluice_model *model) {
    p->ended += learned_by(model) - p->before;
    p->before = 0;
}

void pseudo_note(const pseudo *p, const sluice_model *model, uint64_t unlabelled) {
    if (p->probability == 0 || unlabelled == 0 || p->ended + learned_by(model) > p->before) return;
    const char *why = "no prediction was as probable as that";
    if (classes_of(model) < 2)
        why = "there were no examples of two classes before them";
    else if (!sluice_model_has_probability(model))
        why = "the model has no probabilities yet";
    note("--pseudo %g: none of %s examples without a label was learned: %s", p->probability, COUNT(unlabelled), why);
}

void report_pseudo(report *r, const pseudo *p, const sluice_model_facts *facts) {
    const uint64_t learned = p->ended + facts->pseudo - p->before;
    if (learned) report_count(r, "pseudo", learned);
}
