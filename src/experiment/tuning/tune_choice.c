/* The measures to choose points by, and which point is the best. */
#include "experiment/tuning/tune_choice.h"

#include <math.h>
#include <string.h>

#define MEASURE(name, member, title, larger, share, two)                                                               \
    { {name, #member, title, larger, share, two}, offsetof(sluice_measures, member) }

static const sl_tune_measure measures[] = {
    [SLUICE_MEASURE_ERROR] = MEASURE("error", error_rate, "error", 0, 1, 0),
    [SLUICE_MEASURE_BALANCED_ACCURACY] = MEASURE("balanced", balanced_accuracy, "balanced accuracy", 1, 1, 0),
    [SLUICE_MEASURE_AUC] = MEASURE("auc", auc, "AUC", 1, 1, 1),
    [SLUICE_MEASURE_F1] = MEASURE("f1", f1, "F1", 1, 1, 0),
    [SLUICE_MEASURE_COST] = MEASURE("cost", cost, "cost", 0, 0, 1),
    [SLUICE_MEASURE_AVERAGE_PRECISION] = MEASURE("ap", average_precision, "average precision", 1, 1, 1),
    [SLUICE_MEASURE_LOG_LOSS] = MEASURE("logloss", log_loss, "log loss", 0, 0, 0),
    [SLUICE_MEASURE_RECALL_AT_PRECISION] =
        MEASURE("recall@precision", recall_at_precision, "recall at precision", 1, 1, 1),
};

static const sl_tune_measure macro_f1 = MEASURE("f1", macro_f1, "F1", 1, 1, 0);

const sluice_measure_info *sluice_measure_at(size_t i) {
    return i < sizeof measures / sizeof *measures ? &measures[i].info : NULL;
}

const sl_tune_measure *sl_tune_measure_for(int measure, int several_classes) {
    if (measure < 0 || !sluice_measure_at((size_t)measure)) return NULL;
    return several_classes && measure == SLUICE_MEASURE_F1 ? &macro_f1 : &measures[measure];
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* The smaller the better. The last digits do not count: they depend on the order in which numbers were added. */
static double rank_key(const sluice_point *p, int larger_is_better) {
    if (isnan(p->mean)) return INFINITY;
    double key = round(p->mean * 1e12) / 1e12;
    return larger_is_better ? -key : key;
}

/* Points with the measure, without it, that failed, without a result. */
static int group_of(const sluice_point *p) { return p->failure ? 2 : !p->runs ? 3 : isnan(p->mean) ? 1 : 0; }

static int compare(const sluice_point *a, const sluice_point *b, int larger_is_better) {
    const int groups = group_of(a) - group_of(b);
    if (groups) return groups;
    if (group_of(a) < 2) {
        double x = rank_key(a, larger_is_better), y = rank_key(b, larger_is_better);
        if (x != y) return x < y ? -1 : 1;
        if (a->nonzeros != b->nonzeros) return a->nonzeros < b->nonzeros ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

static const sluice_point *shown(const void *element) { return &(*(sl_point *const *)element)->shown; }
static int less_first(const void *a, const void *b) { return compare(shown(a), shown(b), 0); }
static int more_first(const void *a, const void *b) { return compare(shown(a), shown(b), 1); }

/* ---- choice ------------------------------------------------------------------------------------------------------ */

/* Of the points, sorted, the sparsest that is as good as the first, within its standard error. A model without any
 * weight says nothing: it is taken only where no other is as good. */
static size_t sparser_point(const sluice_search *s, int larger_is_better) {
    const sl_point *best = s->sorted[0];
    const double error = best->standard_error;
    const double limit = rank_key(&best->shown, larger_is_better) + (isnan(error) ? 0 : error);
    size_t chosen = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->n_points; i++) {
        const sluice_point *p = &s->sorted[i]->shown;
        if (group_of(p) || rank_key(p, larger_is_better) > limit) break;
        if (p->nonzeros <= 0 || p->nonzeros >= least) continue;
        least = p->nonzeros;
        chosen = i;
    }
    return chosen;
}

/* Puts the i-th point first and moves those before it back. */
static void put_first(sluice_search *s, size_t i) {
    sl_point *p = s->sorted[i];
    memmove(s->sorted + 1, s->sorted, i * sizeof *s->sorted);
    s->sorted[0] = p;
    s->passed_over = i > 0;
}

void sl_choose(sluice_search *s, const sl_tune_measure *by, int choose) {
    sl_search_sort(s, by->info.larger_is_better ? more_first : less_first);
    if (!s->n_points) return;
    put_first(s, choose == SLUICE_CHOOSE_BEST ? 0 : sparser_point(s, by->info.larger_is_better));
}

size_t sluice_search_best_mean(const sluice_search *s) { return s->passed_over ? 1 : 0; }

double sluice_search_standard_error(const sluice_search *s, size_t i) {
    return i < s->n_points && s->sorted[i]->shown.runs ? s->sorted[i]->standard_error : NAN;
}
