/* Ids, names, and a limit on how many features there are. */
#include "model/feature_keys.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

void sl_keys_free(sluice_model *m) {
    sl_names_free(&m->names);
    free(m->limit.last_seen);
    free(m->limit.born);
    for (int i = 0; i < 2; i++) {
        free(m->numbers[i].number);
        free(m->numbers[i].value);
    }
}

/* ---- a row's keys ------------------------------------------------------------------------------------------------ */

bool sl_raw_has_names(const sl_raw_row *r) { return r->batch ? r->batch->has_names : r->names != NULL; }

const char *sl_raw_name(const sl_raw_row *r, size_t k, char *digits, size_t *n, uint64_t *hash) {
    const char *name = digits;
    if (r->batch && r->batch->has_names) {
        const sl_name *at = &r->batch->name[r->at + k];
        *n = at->n;
        *hash = r->batch->hash[r->at + k];
        return r->batch->text + at->at;
    }
    if (r->names) {
        name = r->names[k].text;
        *n = r->names[k].n;
    } else {
        *n = sl_name_of_id(sl_raw_id(r, k), digits);
    }
    *hash = sl_name_hash(name, *n);
    return name;
}

/* ---- going over to names ------------------------------------------------------------------------------------------
 */

bool sl_keys_use_names(sluice_model *m) {
    if (m->named) return true;
    sluice_model over = {.named = true};
    sl_space_init(&over.space, m->space.size, m->space.fresh);
    over.space.numbered = m->space.numbered;
    sl_walk w;
    bool fine = sl_walk_start(&w, &m->space);
    while (fine && sl_walk_next(&w)) {
        uint32_t slot;
        fine = sl_keys_add_like(&over, m, &w, &slot);
        if (fine) memcpy(sl_space_at(&over.space, slot), sl_space_at(&m->space, w.slot), m->space.size);
    }
    sl_walk_end(&w);
    if (!fine) {
        sl_keys_free(&over);
        sl_space_free(&over.space);
        return false;
    }
    over.space.seen = m->space.seen; /* a predict-only model counts more than it has */
    over.space.births = m->space.births;
    over.space.moves = m->space.moves + over.space.moves + 1; /* slots are others now */
    sl_space_free(&m->space);
    m->space = over.space;
    m->names = over.names;
    m->named = true;
    return true;
}

/* ---- the limit ----------------------------------------------------------------------------------------------------
 */

enum { SHARE = 16 }; /* of all features, make way at once: a sweep over all of them then costs little for each */

static bool limited(const sluice_model *m) { return m->settings.max_features != 0; }

static bool limit_room(sl_limit *l, size_t n) {
    if (n <= l->room) return true;
    size_t room = n * 2;
    uint64_t *last_seen = realloc(l->last_seen, room * sizeof *last_seen);
    if (last_seen) l->last_seen = last_seen;
    uint64_t *born = realloc(l->born, room * sizeof *born);
    if (born) l->born = born;
    if (!last_seen || !born) return false;
    l->room = room;
    return true;
}

typedef struct candidate {
    uint64_t last_seen, born;
    uint32_t number;
} candidate;

static bool goes_first(const candidate *a, const candidate *b) {
    return a->last_seen != b->last_seen ? a->last_seen < b->last_seen : a->born < b->born;
}

/* Puts the k that go first in front. */
static void select_first(candidate *c, size_t n, size_t k) {
    for (size_t from = 0, to = n; to - from > 1;) {
        candidate pivot = c[from + (to - from) / 2];
        size_t i = from, j = to - 1;
        for (;;) {
            while (goes_first(&c[i], &pivot)) i++;
            while (goes_first(&pivot, &c[j])) j--;
            if (i >= j) break;
            candidate t = c[i];
            c[i++] = c[j], c[j--] = t;
        }
        if (j + 1 >= k && j + 1 < to)
            to = j + 1;
        else if (j + 1 <= k && j + 1 > from)
            from = j + 1;
        else
            return;
    }
}

/* Whether a feature is one that the learner keeps: its weight may be too small for a float and still count. */
static bool is_kept(const sluice_model *m, uint32_t slot) {
    return m->rule->rank && m->rule->rank(sl_space_at(&m->space, slot));
}

/* All features of weight zero that are not in the round's own example. */
static size_t zero_features(const sluice_model *m, uint64_t t, candidate *out) {
    sl_state s = m->state;
    s.features = m->space.features;
    size_t found = 0;
    for (uint32_t number = 0; number < m->names.n;) {
        uint32_t slot[SL_CHUNK], of[SL_CHUNK];
        float w[SL_CHUNK];
        size_t n = 0;
        for (; n < SL_CHUNK && number < m->names.n; number++) {
            if (!sl_names_has(&m->names, number) || m->limit.last_seen[number] == t) continue;
            slot[n] = sl_space_find(&m->space, number);
            of[n] = number;
            n += slot[n] != SL_NO_SLOT && !is_kept(m, slot[n]);
        }
        m->kernels.weights(&s, slot, n, w);
        for (size_t k = 0; k < n; k++)
            if (w[k] == 0) out[found++] = (candidate){m->limit.last_seen[of[k]], m->limit.born[of[k]], of[k]};
    }
    return found;
}

/* Some features make way, if any can. False: no memory. */
static bool make_way(sluice_model *m, uint64_t t) {
    sl_limit *l = &m->limit;
    if (t < l->next_sweep) return true;
    candidate *c = malloc(((size_t)m->names.used + 1) * sizeof *c);
    if (!c) return false;
    size_t n = zero_features(m, t, c), share = (size_t)(m->settings.max_features / SHARE + 1);
    if (n < share) l->next_sweep = t + share; /* sweeping for every newcomer would cost too much */
    if (n > share) {
        select_first(c, n, share);
        n = share;
    }
    for (size_t i = 0; i < n; i++)
        if (sl_space_forget(&m->space, c[i].number)) {
            sl_names_remove(&m->names, c[i].number);
            l->evicted++;
        }
    free(c);
    return true;
}

/* ---- finding and adding -------------------------------------------------------------------------------------------
 */

/* Makes a new name and its feature known. */
static uint32_t add_name(sluice_model *m, uint64_t hash, const char *name, size_t n) {
    if (m->space.seen >= SLUICE_MAX_FEATURES) return SL_NO_NAME;
    uint32_t number = sl_names_add_new(&m->names, hash, name, n);
    if (number == SL_NO_NAME) return number;
    uint64_t born = m->space.births;
    if ((limited(m) && !limit_room(&m->limit, (size_t)number + 1)) || !sl_space_add(&m->space, number)) {
        sl_names_remove(&m->names, number);
        return SL_NO_NAME;
    }
    if (limited(m)) {
        m->limit.born[number] = born;
        m->limit.last_seen[number] = 0;
    }
    return number;
}

uint32_t sl_keys_add_name(sluice_model *m, const char *name, size_t n) {
    uint64_t hash = sl_name_hash(name, n);
    uint32_t number = sl_names_find(&m->names, hash, name, n);
    return number != SL_NO_NAME ? number : add_name(m, hash, name, n);
}

static bool numbers_room(sl_numbers *out, size_t n) {
    if (n <= out->room) return true;
    size_t room = n * 2;
    uint32_t *number = realloc(out->number, room * sizeof *number);
    if (number) out->number = number;
    float *value = realloc(out->value, room * sizeof *value);
    if (value) out->value = value;
    if (!number || !value) return false;
    out->room = room;
    return true;
}

static bool is_full(const sluice_model *m) { return limited(m) && m->names.used >= m->settings.max_features; }

enum { LOOK_AHEAD = 24 }; /* names whose entries are on their way */

/* A name that the model does not know: gets a number, if there is room. False: no memory. */
static bool welcome(sluice_model *m, uint64_t t, uint64_t hash, const char *name, size_t n, uint32_t *number) {
    *number = SL_NO_NAME;
    if (is_full(m) && !make_way(m, t)) return false;
    if (is_full(m)) {
        m->limit.refused++;
        return true;
    }
    return (*number = add_name(m, hash, name, n)) != SL_NO_NAME;
}

/* What an example has must not make way for what else it has. */
static void mark_seen(sluice_model *m, const sl_raw_row *r, uint64_t t) {
    for (size_t k = 0; k < r->n; k++) {
        char digits[20];
        size_t n;
        uint64_t hash;
        const char *name = sl_raw_name(r, k, digits, &n, &hash);
        uint32_t number = sl_names_find(&m->names, hash, name, n);
        if (number != SL_NO_NAME) m->limit.last_seen[number] = t;
    }
}

bool sl_keys_resolve(sluice_model *m, const sl_raw_row *r, uint64_t t, sl_numbers *out) {
    if (!numbers_room(out, r->n)) return false;
    const sluice_batch *const b = r->batch && r->batch->has_names ? r->batch : NULL;
    const bool has_limit = limited(m);
    out->n = 0;
    if (has_limit) mark_seen(m, r, t);
    for (size_t k = 0; k < r->n; k++) {
        char digits[20];
        size_t n;
        uint64_t hash;
        const char *name;
        uint32_t number;
        if (b) {
            const sl_name *at = &b->name[r->at + k];
            name = b->text + at->at, n = at->n, hash = b->hash[r->at + k];
            if (r->at + k + LOOK_AHEAD < b->nonzeros) /* of this row or the next */
                __builtin_prefetch(sl_names_entry(&m->names, b->hash[r->at + k + LOOK_AHEAD]));
            if (r->at + k + LOOK_AHEAD / 2 < b->nonzeros)
                __builtin_prefetch(sl_names_bytes(&m->names, b->hash[r->at + k + LOOK_AHEAD / 2]));
            number = sl_names_find_quick(&m->names, hash, name, n);
        } else {
            name = sl_raw_name(r, k, digits, &n, &hash);
            number = sl_names_find(&m->names, hash, name, n);
        }
        if (__builtin_expect(number == SL_NO_NAME, 0)) {
            if (!welcome(m, t, hash, name, n, &number)) return false;
            if (number == SL_NO_NAME) continue;
        }
        if (has_limit) m->limit.last_seen[number] = t;
        __builtin_prefetch(m->space.features + (size_t)number * m->space.size, 1);
        out->number[out->n] = number;
        out->value[out->n++] = r->value[k];
    }
    return true;
}

void sl_keys_prefetch(const sluice_model *m, const sl_raw_row *r) {
    if (!r->batch || !r->batch->has_names) return;
    for (size_t k = 0; k < r->n; k++) __builtin_prefetch(sl_names_entry(&m->names, r->batch->hash[r->at + k]));
}

uint32_t sl_keys_find(const sluice_model *m, const sl_raw_row *r, size_t k) {
    char digits[20];
    size_t n;
    uint64_t hash, id;
    if (!m->named && !sl_raw_has_names(r)) return sl_space_find(&m->space, sl_raw_id(r, k));
    const char *name = sl_raw_name(r, k, digits, &n, &hash);
    if (!m->named) return sl_id_of_name(name, n, &id) ? sl_space_find(&m->space, id) : SL_NO_SLOT;
    uint32_t number = sl_names_find(&m->names, hash, name, n);
    return number == SL_NO_NAME ? SL_NO_SLOT : sl_space_find(&m->space, number);
}

bool sl_keys_add_like(sluice_model *to, const sluice_model *from, const sl_walk *w, uint32_t *slot) {
    uint64_t id = w->id;
    if (w->is_bias) {
        if (!sl_space_add_bias(&to->space)) return false;
        *slot = sl_space_bias(&to->space);
        return true;
    }
    if (from->named && !sl_keys_use_names(to)) return false;
    if (to->named) {
        char digits[20];
        size_t n;
        const char *name = digits;
        if (from->named)
            name = sl_names_text(&from->names, (uint32_t)id, &n);
        else
            n = sl_name_of_id(id, digits);
        uint32_t number = sl_keys_add_name(to, name, n);
        if (number == SL_NO_NAME) return false;
        if (limited(to) && limited(from)) to->limit.last_seen[number] = from->limit.last_seen[id];
        id = number;
    } else if (!sl_space_add(&to->space, id)) {
        return false;
    }
    *slot = sl_space_find(&to->space, id);
    return true;
}

/* ---- order --------------------------------------------------------------------------------------------------------
 */

static int by_birth(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    return (x->born > y->born) - (x->born < y->born);
}

/* Numbers that were given out again are no longer in the order of first sight: then by birth. */
static bool sort_by_birth(const sluice_model *m, uint32_t *number, size_t n) {
    candidate *c = malloc((n + 1) * sizeof *c);
    if (!c) return false;
    for (size_t i = 0; i < n; i++) c[i] = (candidate){0, m->limit.born[number[i]], number[i]};
    qsort(c, n, sizeof *c, by_birth);
    for (size_t i = 0; i < n; i++) number[i] = c[i].number;
    free(c);
    return true;
}

bool sl_keys_in_order(sl_keys_walk *w, const sluice_model *m) {
    *w = (sl_keys_walk){.m = m};
    w->order = malloc(((size_t)m->names.used + 1) * sizeof *w->order);
    for (uint32_t i = 0; w->order && i < m->names.n; i++)
        if (sl_names_has(&m->names, i)) w->order[w->n++] = i;
    if (w->order && (!limited(m) || sort_by_birth(m, w->order, w->n))) return true;
    free(w->order);
    w->order = NULL;
    return false;
}

bool sl_keys_start(sl_keys_walk *w, const sluice_model *m) {
    if (limited(m)) return sl_keys_in_order(w, m);
    *w = (sl_keys_walk){.m = m};
    return sl_walk_start(&w->at, &m->space);
}

bool sl_keys_next(sl_keys_walk *w) {
    if (!w->order) return sl_walk_next(&w->at);
    const sl_space *sp = &w->m->space;
    w->at.is_bias = !w->at.bias_done && sp->bias_rank;
    w->at.bias_done = true;
    if (w->at.is_bias) {
        w->at.id = 0;
        w->at.slot = sl_space_bias(sp);
        return true;
    }
    if (w->next == w->n) return false;
    w->at.id = w->order[w->next++];
    w->at.slot = sl_space_find(sp, w->at.id);
    return true;
}

void sl_keys_end(sl_keys_walk *w) {
    sl_walk_end(&w->at);
    free(w->order);
    w->order = NULL;
}
