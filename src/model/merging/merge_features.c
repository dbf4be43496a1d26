/* Goes through the features of two models that merge, and of the one that both began with. */
#include <stdlib.h>

#include "model/merging/merge.h"

static void mark(uint8_t *had, uint32_t slot) { had[slot / 8] |= (uint8_t)(1u << slot % 8); }
static bool is_marked(const uint8_t *had, uint32_t slot) { return had[slot / 8] >> slot % 8 & 1; }

/* The largest slot of a walk that has not begun; 0 where it has none. */
static uint32_t last_slot(sl_keys_walk w) {
    uint32_t last = 0;
    while (sl_keys_next(&w))
        if (w.at.slot > last) last = w.at.slot;
    return last;
}

bool sl_merge_add_feature(const sl_merge *m, const sl_walk *at, uint32_t *slot) {
    return sl_keys_add_key_like(&m->into->features, &m->from->features, at, slot);
}

void sl_merge_rows(const sl_merge *m) {
    sl_space *into = &m->into->features.space;
    into->rows =
        sl_merged_count(into->rows, m->from->features.space.rows, m->start ? m->start->features.space.rows : 0);
}

void sl_merge_feature_rows(const sl_merge *m, const sl_walk *at, uint32_t slot) {
    const sl_space *into = &m->into->features.space, *from = &m->from->features.space;
    if (!into->scaled || at->is_bias) return;
    const uint32_t first = m->start ? sl_keys_find_like(&m->start->features, &m->from->features, at) : SL_NO_SLOT;
    const uint64_t before = first == SL_NO_SLOT ? 0 : m->start->features.space.scale[first].rows;
    const uint64_t all = sl_merged_count(into->scale[slot].rows, from->scale[at->slot].rows, before),
                   most = into->rows < UINT32_MAX ? into->rows : UINT32_MAX;
    into->scale[slot].rows = (uint32_t)(all < most ? all : most);
}

bool sl_merge_walk_start(sl_merge_walk *w, const sl_merge *m) {
    uint32_t slot;
    *w = (sl_merge_walk){.m = m};
    bool fine = sl_keys_start(&w->from, &m->from->features);
    for (sl_keys_walk at = w->from; fine && sl_keys_next(&at);) fine = sl_merge_add_feature(m, &at.at, &slot);
    fine = fine && sl_keys_start(&w->into, &m->into->features);
    w->had = fine ? calloc((size_t)last_slot(w->into) / 8 + 1, 1) : NULL;
    if (!w->had) sl_merge_walk_end(w);
    return w->had != NULL;
}

static const void *struct_like(const sluice_model *in, const sluice_model *of, const sl_walk *at, const void *fresh) {
    const uint32_t slot = in ? sl_keys_find_like(&in->features, &of->features, at) : SL_NO_SLOT;
    return slot == SL_NO_SLOT ? fresh : sl_space_at(&in->features.space, slot);
}

void sl_merge_walk_all(sl_merge_walk *w, const void *fresh, sl_merge_visit *visit, void *context) {
    sluice_model *into = w->m->into;
    const sluice_model *from = w->m->from, *start = w->m->start;
    uint32_t slot;
    sl_merge_rows(w->m);
    while (sl_keys_next(&w->from)) {
        if (!sl_merge_add_feature(w->m, &w->from.at, &slot)) continue; /* cannot fail: it is there */
        sl_merge_feature_rows(w->m, &w->from.at, slot);
        mark(w->had, slot);
        visit(context, sl_space_at(&into->features.space, slot), sl_space_at(&from->features.space, w->from.at.slot),
              struct_like(start, from, &w->from.at, fresh));
    }
    while (sl_keys_next(&w->into)) {
        if (is_marked(w->had, w->into.at.slot)) continue;
        const void *first = struct_like(start, into, &w->into.at, fresh);
        visit(context, sl_space_at(&into->features.space, w->into.at.slot), first, first);
    }
}

void sl_merge_walk_end(sl_merge_walk *w) {
    sl_keys_end(&w->from);
    sl_keys_end(&w->into);
    free(w->had);
    w->had = NULL;
}

sl_merging sl_merging_of(const sl_merge *m, const sl_learner *rule, const double *p) {
    const uint64_t t = m->start ? m->start->state.t : 0, into = m->into->state.t, from = m->from->state.t;
    sl_merging g = {.rule = rule,
                    .p = p,
                    .into = {.t = into, .n = (double)(into - t)},
                    .from = {.t = from, .n = (double)(from - t)},
                    .after = {.t = sl_merged_count(into, from, t)}};
    g.after.n = g.into.n + g.from.n;
    return g;
}

void sl_merge_scalars(sl_merging *g, const double *into, const double *from, const double *start, double *after) {
    const sl_learner *rule = g->rule;
    for (size_t i = 0; rule->scalars && rule->scalars[i]; i++) {
        const double first = rule->first_scalars ? rule->first_scalars[i] : 0;
        after[i] = g->into.n == 0 ? from[i] : into[i] + from[i] - (start ? start[i] : first);
    }
    g->into.scalar = into;
    g->from.scalar = from;
    g->after.scalar = after;
}
