/* The features of a model by id or by name: adding them, changing from ids to names, walking over them in order. */
#include "features/feature_keys.h"

#include <stdlib.h>
#include <string.h>

void sl_features_free(sl_features *f) {
    sl_space_free(&f->space);
    sl_names_free(&f->names);
    free(f->limit.last_seen);
    free(f->limit.born);
    free(f->known.number);
    f->limit = (sl_limit){0};
    f->known = (sl_known_names){0};
}

uint64_t sl_features_memory(const sl_features *f) {
    const sl_space *sp = &f->space;
    const sl_names *d = &f->names;
    uint64_t bytes = ((uint64_t)sp->direct + sp->other_room) * sp->size + sp->direct / 8;
    if (sp->table) bytes += sizeof(sl_bucket) << sp->table_bits;
    if (d->table) bytes += sizeof *d->table << d->bits;
    bytes += sp->scales * sizeof *sp->scale;
    return bytes + d->bytes_room + d->room * sizeof *d->where + f->known.room * sizeof *f->known.number +
           f->limit.room * (sizeof *f->limit.last_seen + sizeof *f->limit.born);
}

bool sl_keys_know(sl_features *f, uint64_t list, size_t n) {
    sl_known_names *k = &f->known;
    if (k->list != list) k->list = list, k->n = 0;
    if (n > k->room) {
        const size_t room = n < k->room * 2 ? k->room * 2 : n;
        uint32_t *number = realloc(k->number, room * sizeof *number);
        if (!number) return false;
        k->number = number, k->room = room;
    }
    if (n > k->n) {
        memset(k->number + k->n, 0, (n - k->n) * sizeof *k->number);
        k->n = n;
    }
    return true;
}

bool sl_keys_use_names(sl_features *f) {
    if (f->named) return true;
    sl_features over = {.named = true};
    sl_space_init(&over.space, f->space.size, f->space.fresh);
    over.space.numbered = f->space.numbered;
    over.space.from_one = f->space.from_one;
    over.space.forgets = f->space.forgets;
    over.space.scaled = f->space.scaled;
    sl_walk w;
    bool fine = sl_walk_start(&w, &f->space);
    while (fine && sl_walk_next(&w)) {
        uint32_t slot;
        fine = sl_keys_add_like(&over, f, &w, &slot);
        if (fine) memcpy(sl_space_at(&over.space, slot), sl_space_at(&f->space, w.slot), f->space.size);
    }
    sl_walk_end(&w);
    if (!fine) {
        sl_features_free(&over);
        return false;
    }
    over.space.seen = f->space.seen; /* a predict-only model counts features that it does not hold */
    over.space.births = f->space.births;
    over.space.rows = f->space.rows;
    over.space.moves = f->space.moves + over.space.moves + 1; /* every slot has changed */
    sl_space_free(&f->space);
    f->space = over.space;
    f->names = over.names;
    f->named = true;
    return true;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

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

uint32_t sl_keys_add_new_name(sl_features *f, uint64_t hash, const char *name, size_t n) {
    if (f->space.seen >= SLUICE_MAX_FEATURES) return SL_NO_NAME;
    uint32_t number = sl_names_add_new(&f->names, hash, name, n);
    if (number == SL_NO_NAME) return number;
    bool limited = sl_features_limited(f);
    uint64_t born = f->space.births;
    if ((limited && !limit_room(&f->limit, (size_t)number + 1)) || !sl_space_add(&f->space, number)) {
        sl_names_remove(&f->names, number);
        return SL_NO_NAME;
    }
    if (limited) {
        f->limit.born[number] = born;
        f->limit.last_seen[number] = 0;
    }
    return number;
}

uint32_t sl_keys_add_name(sl_features *f, const char *name, size_t n) {
    uint64_t hash = sl_name_hash(name, n);
    uint32_t number = sl_names_find(&f->names, hash, name, n);
    return number != SL_NO_NAME ? number : sl_keys_add_new_name(f, hash, name, n);
}

bool sl_keys_add_key_like(sl_features *to, const sl_features *from, const sl_walk *w, uint32_t *slot) {
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
        if (sl_features_limited(to) && sl_features_limited(from))
            to->limit.last_seen[number] = from->limit.last_seen[id];
        id = number;
    } else if (!sl_space_add(&to->space, id)) {
        return false;
    }
    *slot = sl_space_find(&to->space, id);
    return true;
}

bool sl_keys_add_like(sl_features *to, const sl_features *from, const sl_walk *w, uint32_t *slot) {
    if (!sl_keys_add_key_like(to, from, w, slot)) return false;
    if (!w->is_bias && to->space.scaled && from->space.scaled) to->space.scale[*slot] = from->space.scale[w->slot];
    return true;
}

uint32_t sl_keys_find_like(const sl_features *in, const sl_features *from, const sl_walk *w) {
    if (w->is_bias) return sl_space_bias(&in->space);
    if (in->named != from->named) return SL_NO_SLOT;
    uint64_t id = w->id;
    if (in->named) {
        size_t n;
        const char *name = sl_names_text(&from->names, (uint32_t)id, &n);
        const uint32_t number = sl_names_find(&in->names, sl_name_hash(name, n), name, n);
        if (number == SL_NO_NAME) return SL_NO_SLOT;
        id = number;
    }
    const uint32_t slot = sl_space_find(&in->space, id);
    return slot != SL_NO_SLOT && (slot >= in->space.direct || sl_space_knows(&in->space, slot)) ? slot : SL_NO_SLOT;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

typedef struct arrival {
    uint64_t born;
    uint32_t number;
} arrival;

static int by_birth(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    return (x->born > y->born) - (x->born < y->born);
}

/* Under a limit numbers are reused and no longer stand in the order of first sight. */
static bool sort_by_birth(const sl_limit *l, uint32_t *number, size_t n) {
    arrival *c = malloc((n + 1) * sizeof *c);
    if (!c) return false;
    for (size_t i = 0; i < n; i++) c[i] = (arrival){l->born[number[i]], number[i]};
    qsort(c, n, sizeof *c, by_birth);
    for (size_t i = 0; i < n; i++) number[i] = c[i].number;
    free(c);
    return true;
}

bool sl_keys_in_order(sl_keys_walk *w, const sl_features *f) {
    *w = (sl_keys_walk){.f = f};
    w->order = malloc(((size_t)f->names.used + 1) * sizeof *w->order);
    for (uint32_t i = 0; w->order && i < f->names.n; i++)
        if (sl_names_has(&f->names, i)) w->order[w->n++] = i;
    if (w->order && (!sl_features_limited(f) || sort_by_birth(&f->limit, w->order, w->n))) return true;
    free(w->order);
    w->order = NULL;
    return false;
}

bool sl_keys_start(sl_keys_walk *w, const sl_features *f) {
    if (sl_features_limited(f)) return sl_keys_in_order(w, f);
    *w = (sl_keys_walk){.f = f};
    return sl_walk_start(&w->at, &f->space);
}

bool sl_keys_next(sl_keys_walk *w) {
    if (!w->order) return sl_walk_next(&w->at);
    const sl_space *sp = &w->f->space;
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
