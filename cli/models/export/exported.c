/* Reads a model for export: its features numbered, its weights feature by feature. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "models/feature_numbers.h"
#include "models/weight_list.h"
#include "output/message.h"

#include <stdlib.h>

typedef struct numbered_weight {
    uint64_t number;
    const listed_weight *of;
} numbered_weight;

static int by_number(const void *a, const void *b) {
    const numbered_weight *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->of->problem > y->of->problem) - (x->of->problem < y->of->problem);
}

/* The weights of features, numbered and in order; those of the constant feature go to e->constant. */
static int number_weights(exported_model *e, const weight_list *list, numbered_weight *to, size_t *n) {
    feature_numbers numbers;
    if (feature_numbers_start(&numbers, e->has_names)) return FAILED;
    int rc = DONE;
    *n = 0;
    for (size_t i = 0; i < list->n && !rc; i++) {
        const listed_weight *w = &list->entry[i];
        if (w->is_bias) {
            e->constant[w->problem] = (double)w->weight * e->settings->bias;
            continue;
        }
        to[*n].of = w;
        rc = feature_numbers_take(&numbers, w, &to[(*n)++].number);
    }
    feature_numbers_end(&numbers);
    if (*n && !rc) qsort(to, *n, sizeof *to, by_number);
    return rc;
}

static int group(exported_model *e, const numbered_weight *w, size_t n) {
    e->feature = calloc(n + 1, sizeof *e->feature);
    e->weight = calloc(n + 1, sizeof *e->weight);
    if (!e->feature || !e->weight) return out_of_memory();
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || w[i].number != w[i - 1].number)
            e->feature[e->n++] =
                (exported_feature){.number = w[i].number, .name = {w[i].of->name, w[i].of->name_n}, .first = i};
        e->feature[e->n - 1].n++;
        e->weight[i] = (exported_weight){w[i].of->problem, w[i].of->weight};
    }
    e->weights = n;
    if (e->n) e->largest = e->feature[e->n - 1].number;
    return DONE;
}

static void read_facts(exported_model *e, const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    *e = (exported_model){.model = model, .settings = sluice_model_settings(model), .learner = facts.learner->name};
    e->has_names = facts.has_names;
    e->log_odds = facts.log_odds;
    const int several = e->settings->classes != SLUICE_CLASSES_TWO;
    e->problems = several ? sluice_model_problems(model) : 1;
    e->classes = model_class_count(model);
    e->labels_are_ints = model_labels_are_ints(model);
    e->has_constant = e->settings->bias != 0;
    if (several) return;
    sluice_model_threshold(model, &e->threshold);
    e->ties_positive = sluice_model_predicts_positive(model, e->threshold);
}

int exported_read(exported_model *e, const sluice_model *model) {
    weight_list list = {0};
    read_facts(e, model);
    e->constant = calloc(e->problems + 1, sizeof *e->constant);
    int rc = e->constant ? weight_list_read(&list, model) : out_of_memory();
    numbered_weight *numbered = rc ? NULL : malloc((list.n + 1) * sizeof *numbered);
    size_t n;
    if (!rc && !numbered) rc = out_of_memory();
    if (!rc) rc = number_weights(e, &list, numbered, &n);
    if (!rc) rc = group(e, numbered, n);
    free(numbered);
    weight_list_free(&list);
    return rc;
}

void exported_free(exported_model *e) {
    free(e->constant);
    free(e->feature);
    free(e->weight);
    text_free(&e->built);
}

void exported_problem(const exported_model *e, size_t i, uint32_t *positive, uint32_t *negative) {
    sluice_problem p = {.size = sizeof p, .positive = 1, .negative = SLUICE_NO_CLASS};
    if (e->settings->classes != SLUICE_CLASSES_TWO) sluice_model_problem(e->model, i, &p);
    *positive = p.positive;
    *negative = p.negative;
}

int exported_changes_values(const exported_model *e) {
    return e->settings->transform || e->settings->scale || e->settings->normalize;
}
