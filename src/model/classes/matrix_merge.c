/* Merging of models whose classes are in a matrix: the sums of their pairs add. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"

static sluice_status no_memory(sluice_model *m) {
    return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory to merge models");
}

/* Adds the classes of `from`, and says which of `into` each of them is. */
static sluice_status merge_classes(sluice_model *into, const sluice_model *from, uint32_t *class_of) {
    sl_class_table *to = &into->classes.table;
    const sl_class_table *table = &from->classes.table;
    size_t classes = to->n;
    for (size_t i = 0; i < table->n; i++) classes += sl_classes_find(to, sl_class_text(table, i)) == SL_NO_CLASS;
    const sluice_status status = sl_many_reserve(into, classes);
    if (status != SLUICE_OK) return status;
    for (size_t i = 0; i < table->n; i++) {
        const size_t class_index = sl_classes_add(to, sl_class_text(table, i));
        if (class_index == SL_NO_CLASS) return no_memory(into);
        class_of[i] = (uint32_t)class_index;
    }
    return SLUICE_OK;
}

/* The place of the pair of `into` that a pair of `from` is added to; SL_NO_SLOT: there is no memory for it. */
static uint32_t place_in(sluice_model *into, sl_pair_list *list, uint32_t class_index) {
    sl_pair_arena *a = &into->matrix->arena;
    uint32_t place = sl_pair_find(a, list, class_index);
    if (place != SL_NO_SLOT) return place;
    if (!sl_pair_extend(a, list, 1, &place)) return SL_NO_SLOT;
    a->class_of[place] = class_index;
    memcpy(sl_pair_state(a, place), into->matrix->fresh, a->size);
    return place;
}

/* Goes through all pairs of `from`: makes room for them or, with `merging`, adds them. */
static bool merge_pairs(const sl_merge *m, const uint32_t *class_of, const sl_merging *merging) {
    sluice_model *into = m->into;
    const sluice_model *from = m->from;
    const sl_pair_arena *a = &from->matrix->arena;
    sl_keys_walk w;
    uint32_t slot;
    bool fine = sl_keys_start(&w, &from->features);
    if (fine && merging) sl_merge_rows(m);
    while (fine && sl_keys_next(&w)) {
        fine = sl_merge_add_feature(m, &w.at, &slot);
        if (fine && merging) sl_merge_feature_rows(m, &w.at, slot);
        const sl_pair_list *list = sl_matrix_list(from, w.at.slot);
        for (uint32_t k = 0; fine && k < list->n; k++) {
            const uint32_t from_place = list->first + k, class_index = a->class_of[from_place],
                           place = place_in(into, sl_matrix_list(into, slot), class_of[class_index]);
            fine = place != SL_NO_SLOT;
            if (fine && merging)
                into->broken |= !sl_merge_structs(merging, sl_pair_state(&into->matrix->arena, place),
                                                  sl_pair_state(a, from_place), into->matrix->fresh);
        }
    }
    sl_keys_end(&w);
    return fine;
}

sluice_status sl_matrix_merge(const sl_merge *m) {
    sluice_model *into = m->into;
    const sl_class_table *from = &m->from->classes.table;
    const sl_merging merging = sl_merging_of(m, into->matrix->pair_rule, into->params);
    uint32_t *class_of = malloc((from->n + 1) * sizeof *class_of);
    if (!class_of) return no_memory(into);
    sluice_status status = merge_classes(into, m->from, class_of);
    if (status == SLUICE_OK && (!merge_pairs(m, class_of, NULL) || !merge_pairs(m, class_of, &merging)))
        status = no_memory(into);
    for (size_t i = 0; status == SLUICE_OK && i < from->n; i++)
        into->classes.table.entry[class_of[i]].count += from->entry[i].count;
    free(class_of);
    return status == SLUICE_OK ? sl_matrix_settle(into) : status;
}
