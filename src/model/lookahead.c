/* Looking ahead in a batch: prefetches and admits the features of rows before their turn. */
#include "model/lookahead.h"

#include "model/scaling/row_values.h"

/* Whether a learner with a matrix could take the features of all rows, whichever they are. */
static bool surely_fit(const sluice_model *m, const sluice_batch *b, size_t first, size_t end) {
    const size_t at = b->start[first], stop = b->start[end];
    uint64_t most = b->has_names ? stop - at : 0;                         /* a batch of names has no ids */
    for (size_t k = at; k < stop && !b->has_names; k++) most |= b->id[k]; /* none is larger */
    return m->features.space.seen + most < SLUICE_MAX_DENSE_FEATURES;
}

/* Learners that may refuse a row, for its features or its weight, check it before they admit new features. */
bool sl_batch_usable(const sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end) {
    return !b->has_zeros && !(sl_has_weights(b, t) && m->rule->only_weights_0_1) && m->settings.bias == 0 &&
           !m->settings.normalize && !sl_changes_values(&m->settings) && !m->settings.hash_bits &&
           (!(m->rule->info.flags & SLUICE_LEARNER_DENSE) || surely_fit(m, b, first, end));
}

static bool is_absent(const sluice_batch *b, const sl_targets *t, size_t row) {
    return sl_has_weights(b, t) && sl_weight_at(b, t, row) == 0;
}

/* Whether all ids of a row are direct; prefetches the table's entries for those that are not. */
static bool foresee(const sl_space *sp, const sluice_batch *b, size_t row) {
    uint32_t any = 0, direct = sp->direct; /* a power of two, or 0 */
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) any |= b->id[k];
    if (any < direct) return true;
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++)
        if (b->id[k] >= direct) __builtin_prefetch(sl_space_entry(sp, sl_batch_id(b, k)), 1);
    return false;
}

/* Prefetches all cache lines of a feature's state; in a sweep there are several. */
static inline void prefetch_state(const char *feature, size_t size) {
    __builtin_prefetch(feature, 1);
    for (size_t line = 64; __builtin_expect(line < size, 0); line += 64) __builtin_prefetch(feature + line, 1);
}

/* Admits a row whose ids are all direct, hence its slots, and prefetches their state. False: no memory. */
static bool admit_direct(sl_space *sp, const sluice_batch *b, size_t row) {
    const char *const features = sp->features;
    const size_t size = sp->size;
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        uint32_t id = b->id[k];
        if (__builtin_expect(!(sp->seen_bits[id >> 6] >> (id & 63) & 1), 0) && sl_space_admit(sp, id) == SL_NO_SLOT)
            return false;
        prefetch_state(features + id * size, size);
    }
    return true;
}

/* Admits the features of a row, writes down their slots and prefetches their state. */
static sl_row_form admit(sluice_model *m, sl_lookahead *a, size_t row) {
    sl_space *sp = &m->features.space;
    const sluice_batch *b = a->b;
    if (a->near) return admit_direct(sp, b, row) ? SL_AS_IT_LIES : SL_LAY_OUT;
    uint32_t *slot = m->row_slot + row % 2 * m->row_room;
    size_t first = b->start[row], n = b->start[row + 1] - first;
    do { /* again if features moved meanwhile */
        a->moves = sp->moves;
        for (size_t k = 0; k < n; k++) {
            if ((slot[k] = sl_space_admit(sp, sl_batch_id(b, first + k))) == SL_NO_SLOT) return SL_LAY_OUT;
            prefetch_state(sl_space_at(sp, slot[k]), sp->size);
        }
    } while (a->moves != sp->moves);
    return SL_ROW_ADMITTED;
}

void sl_lookahead_advance(sluice_model *m, sl_lookahead *a, size_t next) {
    a->next = SL_LAY_OUT;
    if (!a->any) return;
    if (next < a->end && !is_absent(a->b, a->targets, next)) a->next = admit(m, a, next);
    a->near =
        next + 1 < a->end && !is_absent(a->b, a->targets, next + 1) && foresee(&m->features.space, a->b, next + 1);
}

/* Room for the slots of any of the rows. */
static bool reserve_longest(sluice_model *m, const sluice_batch *b, size_t first, size_t end) {
    size_t longest = 0;
    for (size_t i = first; i < end; i++) {
        size_t n = b->start[i + 1] - b->start[i];
        if (n > longest) longest = n;
    }
    return sl_row_reserve(m, longest + 1);
}

sl_lookahead sl_lookahead_start(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end) {
    sl_lookahead a = {.b = b, .targets = t, .end = end};
    a.any = sl_batch_usable(m, b, t, first, end) && reserve_longest(m, b, first, end);
    if (first < end && a.any) a.near = !is_absent(b, t, first) && foresee(&m->features.space, b, first);
    sl_lookahead_advance(m, &a, first);
    return a;
}
