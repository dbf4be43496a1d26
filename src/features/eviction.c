/* Eviction: finds the idle features that were seen longest ago and removes a share of them. */
#include "features/eviction.h"

#include <stdlib.h>

enum { SHARE = 16 }; /* evict 1/16 of max_features at a time, to amortise the scan */

typedef struct candidate {
    uint64_t last_seen, born;
    uint32_t number;
} candidate;

static bool goes_first(const candidate *a, const candidate *b) {
    return a->last_seen != b->last_seen ? a->last_seen < b->last_seen : a->born < b->born;
}

/* Puts the k that go first in front (quickselect). */
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

/* All idle features but those of round t. */
static size_t find_idle(const sl_features *f, uint64_t t, const sl_idle_test *test, candidate *out) {
    size_t found = 0;
    for (uint32_t number = 0; number < f->names.n;) {
        uint32_t slot[SL_CHUNK], of[SL_CHUNK];
        bool idle[SL_CHUNK];
        size_t n = 0;
        for (; n < SL_CHUNK && number < f->names.n; number++) {
            if (!sl_names_has(&f->names, number) || f->limit.last_seen[number] == t) continue;
            slot[n] = sl_space_find(&f->space, number);
            of[n] = number;
            n += slot[n] != SL_NO_SLOT;
        }
        test->test(test->model, slot, n, idle);
        for (size_t k = 0; k < n; k++)
            if (idle[k]) out[found++] = (candidate){f->limit.last_seen[of[k]], f->limit.born[of[k]], of[k]};
    }
    return found;
}

bool sl_evict(sl_features *f, uint64_t t, const sl_idle_test *idle) {
    sl_limit *l = &f->limit;
    if (t < l->next_scan) return true;
    candidate *c = malloc(((size_t)f->names.used + 1) * sizeof *c);
    if (!c) return false;
    size_t n = find_idle(f, t, idle, c), share = (size_t)(l->most / SHARE + 1);
    if (n < share) l->next_scan = t + share; /* little to evict: do not scan for every new feature */
    if (n > share) {
        select_first(c, n, share);
        n = share;
    }
    for (size_t i = 0; i < n; i++)
        if (sl_space_forget(&f->space, c[i].number)) {
            sl_names_remove(&f->names, c[i].number);
            l->evicted++;
        }
    free(c);
    return true;
}
