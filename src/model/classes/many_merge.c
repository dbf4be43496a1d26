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

static void add_counts(const sl_merge *m) {
    sl_class_table *t = &m->into->classes.table;
    for (size_t c = 0; c < m->from->classes.table.n; c++) {
        const size_t class_index = sl_classes_find(t, sl_class_text(&m->from->classes.table, c));
        t->entry[class_index].count += m->from->classes.table.entry[c].count;
    }
    if (m->start) sl_classes_take_off(t, &m->start->classes.table);
    sl_many_set_classes(m->into, t->n);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* The lane of `from` for a lane of `into`: that of the same class, or one of those still to come. */
static size_t lane_of(const sluice_model *into, const sluice_model *from, size_t lane) {
    const size_t to_come = from->ovr->lanes.n_lanes - 1;
    if (lane >= into->classes.table.n) return to_come;
    const size_t found = sl_classes_find(&from->classes.table, sl_class_text(&into->classes.table, lane));
    return found == SL_NO_CLASS ? to_come : found;
}

/* A lane of `into`, and what it is merged from. */
typedef struct lane_merge {
    size_t from, start; /* lanes of these models */
    sl_merging merging;
    double into_scalar[SL_MAX_SCALARS], from_scalar[SL_MAX_SCALARS], start_scalar[SL_MAX_SCALARS],
        after[SL_MAX_SCALARS];
} lane_merge;

typedef struct lanes_merge {
    const sl_merge *m;
    lane_merge *lane;
    char *into, *from, *start; /* structs of one lane */
    bool finite;
} lanes_merge;

static void gather_scalars(const sl_lane_blocks *b, size_t lane, double *to) {
    const char *const *scalars = b->learner->scalars;
    for (size_t i = 0; scalars && scalars[i]; i++) to[i] = *sl_lane_blocks_scalar(b, i, lane);
}

static void prepare_lane(const sl_merge *m, lane_merge *to, size_t lane) {
    to->from = lane_of(m->into, m->from, lane);
    to->start = m->start ? lane_of(m->into, m->start, lane) : 0;
    to->merging = sl_merging_of(m, m->into->learner, m->into->params);
    gather_scalars(&m->into->ovr->lanes, lane, to->into_scalar);
    gather_scalars(&m->from->ovr->lanes, to->from, to->from_scalar);
    if (m->start) gather_scalars(&m->start->ovr->lanes, to->start, to->start_scalar);
    sl_merge_scalars(&to->merging, to->into_scalar, to->from_scalar, m->start ? to->start_scalar : NULL, to->after);
}

static void merge_feature(void *context, void *into, const void *from, const void *start) {
    lanes_merge *l = context;
    const sl_lane_blocks *to = &l->m->into->ovr->lanes, *of = &l->m->from->ovr->lanes;
    const bool absent = from == start;
    const sl_lane_blocks *of_start = l->m->start && start != (const void *)to->fresh ? &l->m->start->ovr->lanes : to;
    for (size_t i = 0; i < to->n_lanes; i++) {
        const size_t lane_of_start = of_start == to ? i : l->lane[i].start;
        sl_lane_blocks_gather(to, into, i, l->into);
        sl_lane_blocks_gather(absent ? of_start : of, from, absent ? lane_of_start : l->lane[i].from, l->from);
        sl_lane_blocks_gather(of_start, start, lane_of_start, l->start);
        l->finite &= sl_merge_structs(&l->lane[i].merging, l->into, l->from, l->start);
        sl_lane_blocks_scatter(to, l->into, i, into);
    }
}

static void merge_lane_counts(const sl_merge *m, const lane_merge *lane) {
    static const sl_problem_counts nothing;
    const bool first = m->into->state.t == 0;
    sl_lane_blocks *to = &m->into->ovr->lanes;
    const char *const *scalars = to->learner->scalars;
    for (size_t l = 0; l < to->n_lanes; l++) {
        sl_problem_counts *c = &m->into->ovr->count[l];
        const sl_problem_counts *add = &m->from->ovr->count[lane[l].from],
                                *start = m->start ? &m->start->ovr->count[lane[l].start] : &nothing;
        c->mistakes = sl_merged_count(c->mistakes, add->mistakes, start->mistakes);
        c->updates = sl_merged_count(c->updates, add->updates, start->updates);
        c->positives = sl_merged_count(c->positives, add->positives, start->positives);
        c->calibration = first ? add->calibration : (sl_online_calibration){0};
        for (size_t i = 0; scalars && scalars[i]; i++) *sl_lane_blocks_scalar(to, i, l) = lane[l].after[i];
    }
}

static sluice_status merge_lanes(const sl_merge *m) {
    const sl_lane_blocks *to = &m->into->ovr->lanes;
    const size_t n = to->n_lanes, size = m->into->learner->info.bytes_per_feature;
    lane_merge *lane = calloc(n, sizeof *lane);
    char *room = malloc(3 * size);
    sl_merge_walk w;
    const bool fine = lane && room && sl_merge_walk_start(&w, m);
    if (fine) {
        lanes_merge l = {m, lane, room, room + size, room + 2 * size, true};
        for (size_t i = 0; i < n; i++) prepare_lane(m, &lane[i], i);
        sl_merge_walk_all(&w, to->fresh, merge_feature, &l);
        sl_merge_walk_end(&w);
        merge_lane_counts(m, lane);
        m->into->broken |= !l.finite;
    }
    free(lane);
    free(room);
    return fine ? SLUICE_OK : no_memory(m->into);
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static bool same_classes(const sluice_model *a, const sluice_model *b) {
    const sl_class_table *x = &a->classes.table, *y = &b->classes.table;
    for (size_t c = 0; c < x->n && x->n == y->n; c++)
        if (!sl_same_class(sl_class_text(x, c), sl_class_text(y, c))) return false;
    return x->n == y->n;
}

/* A failure leaves some problems merged and others not. */
static sluice_status merge_problems(const sl_merge *m) {
    const sl_problems *p = m->into->problems;
    for (size_t i = 0; i < p->n + p->n_to_come; i++) {
        sluice_model *problem = sl_problems_at(p, i);
        const sluice_model *start = m->start ? sl_problems_at(m->start->problems, i) : NULL;
        if (sluice_model_merge_since(problem, sl_problems_at(m->from->problems, i), start) == SLUICE_OK) continue;
        m->into->error = problem->error;
        m->into->broken = true;
        return m->into->error.status;
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

sluice_status sl_many_merge(const sl_merge *m) {
    sluice_status status = m->into->problems ? SLUICE_OK : add_classes(m->into, m->from);
    if (status == SLUICE_OK) status = m->into->problems ? merge_problems(m) : merge_lanes(m);
    if (status == SLUICE_OK) add_counts(m);
    return status;
}
