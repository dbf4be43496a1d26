/* Merging models of several classes: sums add problem by problem. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"

static sluice_status no_memory(sluice_model *m) {
    return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory to merge models");
}

/* Adds the classes of `from` that are not there yet. They start as those still to come. */
static sluice_status add_classes(sluice_model *into, const sluice_model *from) {
    for (size_t c = 0; c < from->classes.table.n; c++) {
        const sluice_name label = sl_class_text(&from->classes.table, c);
        if (sl_classes_find(&into->classes.table, label) != SL_NO_CLASS) continue;
        sluice_status status = sl_many_reserve(into, into->classes.table.n + 1);
        if (status != SLUICE_OK) return status;
        if (sl_classes_add(&into->classes.table, label) == SL_NO_CLASS) return no_memory(into);
    }
    return SLUICE_OK;
}

static void add_counts(sluice_model *into, const sluice_model *from) {
    sl_class_table *t = &into->classes.table;
    for (size_t c = 0; c < from->classes.table.n; c++) {
        const size_t class_index = sl_classes_find(t, sl_class_text(&from->classes.table, c));
        t->entry[class_index].count += from->classes.table.entry[c].count;
    }
    sl_many_set_classes(into, t->n);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* The lane of `from` for a lane of `into`: that of the same class, or one of those still to come. */
static size_t lane_of(const sluice_model *into, const sluice_model *from, size_t lane) {
    const size_t to_come = from->ovr->lanes.n_lanes - 1;
    if (lane >= into->classes.table.n) return to_come;
    const size_t found = sl_classes_find(&from->classes.table, sl_class_text(&into->classes.table, lane));
    return found == SL_NO_CLASS ? to_come : found;
}

static sluice_status merge_lanes(sluice_model *into, const sluice_model *from) {
    sl_ovr *o = into->ovr;
    const size_t n = o->lanes.n_lanes, size = into->learner->info.bytes_per_feature;
    size_t *lane = malloc(n * sizeof *lane);
    char *one = malloc(2 * size), *other = one ? one + size : NULL;
    sl_keys_walk w = {0};
    uint32_t slot;
    bool fine = lane && one && sl_keys_start(&w, &from->features);
    for (size_t l = 0; fine && l < n; l++) lane[l] = lane_of(into, from, l);
    while (fine && sl_keys_next(&w)) {
        fine = sl_keys_add_like(&into->features, &from->features, &w.at, &slot); /* it is there already */
        char *feature = sl_space_at(&into->features.space, slot);
        for (size_t l = 0; fine && l < n; l++) {
            sl_lane_blocks_gather(&o->lanes, feature, l, one);
            sl_lane_blocks_gather(&from->ovr->lanes, sl_space_at(&from->features.space, w.at.slot), lane[l], other);
            into->broken |= !sl_add_fields(into->learner, one, other);
            sl_lane_blocks_scatter(&o->lanes, one, l, feature);
        }
    }
    for (size_t l = 0; fine && l < n; l++) {
        const sl_problem_counts *add = &from->ovr->count[lane[l]];
        sl_problem_counts *c = &o->count[l];
        c->mistakes += add->mistakes;
        c->updates += add->updates;
        c->positives += add->positives;
        c->calibration = into->state.t ? (sl_online_calibration){0} : add->calibration;
    }
    sl_keys_end(&w);
    free(lane);
    free(one);
    return fine ? SLUICE_OK : no_memory(into);
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static bool same_classes(const sluice_model *a, const sluice_model *b) {
    const sl_class_table *x = &a->classes.table, *y = &b->classes.table;
    for (size_t c = 0; c < x->n && x->n == y->n; c++)
        if (!sl_same_class(sl_class_text(x, c), sl_class_text(y, c))) return false;
    return x->n == y->n;
}

/* A failure leaves some problems merged and others not. */
static sluice_status merge_problems(sluice_model *into, const sluice_model *from) {
    const sl_problems *p = into->problems;
    for (size_t i = 0; i < p->n + p->n_to_come; i++) {
        sluice_model *problem = sl_problems_at(p, i);
        if (sluice_model_merge(problem, sl_problems_at(from->problems, i)) == SLUICE_OK) continue;
        into->error = problem->error;
        into->broken = true;
        return into->error.status;
    }
    return SLUICE_OK;
}

sluice_status sl_many_check_merge(sluice_model *into, const sluice_model *from) {
    if (into->settings.classes != from->settings.classes)
        return sl_fail(&into->error, SLUICE_E_UNSUPPORTED, "models merge only with the same kind of classes");
    /* the class seen first is -1 in their problem, and the other +1 */
    if (into->problems && !same_classes(into, from))
        return sl_fail(&into->error, SLUICE_E_USAGE,
                       "one against one, models merge only if they have the same classes in the same order");
    return SLUICE_OK;
}

sluice_status sl_many_merge(sluice_model *into, const sluice_model *from) {
    sluice_status status = into->problems ? SLUICE_OK : add_classes(into, from);
    if (status == SLUICE_OK) status = into->problems ? merge_problems(into, from) : merge_lanes(into, from);
    if (status == SLUICE_OK) add_counts(into, from);
    return status;
}
