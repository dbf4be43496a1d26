/* Lists of (feature, class) pairs in one arena. */
#include "model/classes/pair_arena.h"

#include <stdlib.h>
#include <string.h>

#include "features/space.h" /* SL_NO_SLOT */

static unsigned size_class(uint32_t room) { return (unsigned)__builtin_ctz(room); }

/* A power of two, at least 2, since pairs come two at a time. */
uint32_t sl_pair_room(uint32_t n) { return n <= 2 ? 2 : (uint32_t)1 << (32 - __builtin_clz(n - 1)); }

void sl_pair_arena_free(sl_pair_arena *a) {
    free(a->state);
    free(a->class_of);
}

bool sl_pair_arena_copy(sl_pair_arena *to, const sl_pair_arena *from) {
    if (from->used == 0) return true;
    to->state = malloc((size_t)from->used * from->size);
    to->class_of = malloc((size_t)from->used * sizeof *to->class_of);
    if (!to->state || !to->class_of) return false;
    memcpy(to->state, from->state, (size_t)from->used * from->size);
    memcpy(to->class_of, from->class_of, (size_t)from->used * sizeof *to->class_of);
    memcpy(to->free, from->free, sizeof to->free);
    to->used = to->room = from->used;
    return true;
}

bool sl_pair_reserve(sl_pair_arena *a, uint64_t more) {
    if (more <= a->room - a->used) return true;
    uint64_t room = (uint64_t)a->used + more;
    if (room < (uint64_t)a->room + a->room / 2) room = (uint64_t)a->room + a->room / 2;
    if (room > UINT32_MAX - 1) room = UINT32_MAX - 1;
    if (room < (uint64_t)a->used + more) return false;
    char *state = realloc(a->state, (size_t)room * a->size);
    if (state) a->state = state;
    uint32_t *class_of = state ? realloc(a->class_of, (size_t)room * sizeof *class_of) : NULL;
    if (class_of) a->class_of = class_of;
    if (!class_of) return false;
    a->room = (uint32_t)room;
    return true;
}

/* Places for a list; those at the end have been reserved. */
static uint32_t take_places(sl_pair_arena *a, uint32_t room) {
    uint32_t *free_list = &a->free[size_class(room)];
    if (*free_list) {
        uint32_t first = *free_list - 1;
        *free_list = a->class_of[first];
        return first;
    }
    uint32_t first = a->used;
    a->used += room;
    return first;
}

static void give_back(sl_pair_arena *a, uint32_t first, uint32_t room) {
    uint32_t *free_list = &a->free[size_class(room)];
    a->class_of[first] = *free_list;
    *free_list = first + 1;
}

/* Moves a list to where there is room for n pairs. */
static void move_list(sl_pair_arena *a, sl_pair_list *list, uint32_t n) {
    const uint32_t room = sl_pair_room(n), first = take_places(a, room);
    if (list->n) {
        memcpy(sl_pair_state(a, first), sl_pair_state(a, list->first), list->n * a->size);
        memcpy(a->class_of + first, a->class_of + list->first, list->n * sizeof *a->class_of);
    }
    if (list->room) give_back(a, list->first, list->room);
    list->first = first;
    list->room = room;
}

void sl_pair_add(sl_pair_arena *a, sl_pair_list *list, uint32_t class_index, const char *state) {
    if (list->n == list->room) move_list(a, list, list->n + 1);
    const uint32_t place = list->first + list->n++;
    a->class_of[place] = class_index;
    memcpy(sl_pair_state(a, place), state, a->size);
}

bool sl_pair_extend(sl_pair_arena *a, sl_pair_list *list, uint32_t n, uint32_t *place) {
    if (list->n + n > list->room) {
        if (!sl_pair_reserve(a, sl_pair_room(list->n + n))) return false;
        move_list(a, list, list->n + n);
    }
    *place = list->first + list->n;
    list->n += n;
    return true;
}

void sl_pair_remove(sl_pair_arena *a, sl_pair_list *list, uint32_t place) {
    const uint32_t last = list->first + --list->n;
    if (place == last) return;
    memcpy(sl_pair_state(a, place), sl_pair_state(a, last), a->size);
    a->class_of[place] = a->class_of[last];
}

uint32_t sl_pair_find(const sl_pair_arena *a, const sl_pair_list *list, uint32_t class_index) {
    const uint32_t *class_of = a->class_of + list->first;
    for (uint32_t i = 0; i < list->n; i++)
        if (class_of[i] == class_index) return list->first + i;
    return SL_NO_SLOT;
}
