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

/* Tests put a comparison of their own in its place, one that makes the work as much as it can be. */
#ifndef GOES_FIRST
#define GOES_FIRST(a, b) goes_first(a, b)
#endif

static void swap(candidate *a, candidate *b) {
    candidate t = *a;
    *a = *b;
    *b = t;
}

/* Restores a heap whose root goes last, from one element down. */
static void sink(candidate *heap, size_t n, size_t from) {
    for (size_t child; (child = 2 * from + 1) < n; from = child) {
        if (child + 1 < n && GOES_FIRST(&heap[child], &heap[child + 1])) child++;
        if (!GOES_FIRST(&heap[from], &heap[child])) return;
        swap(&heap[from], &heap[child]);
    }
}

/* Puts the k that go first in front, k > 0: n log k comparisons, whatever the order. */
static void select_by_heap(candidate *c, size_t n, size_t k) {
    for (size_t i = k / 2; i-- > 0;) sink(c, k, i);
    for (size_t i = k; i < n; i++)
        if (GOES_FIRST(&c[i], &c[0])) {
            swap(&c[i], &c[0]);
            sink(c, k, 0);
        }
}

/* Puts the k that go first in front, 0 < k < n: quickselect, which looks at some 3 n elements where their order is
 * nothing special. The order may be made by others, to cost n^2: after MOST_LOOKS n the rest is left to a heap. */
static void select_first(candidate *c, size_t n, size_t k) {
    enum { MOST_LOOKS = 12 };
    size_t looks = 0;
    for (size_t from = 0, to = n; to - from > 1;) {
        looks += to - from;
        if (looks / MOST_LOOKS > n) {
            if (k > from) select_by_heap(c + from, to - from, k - from);
            return;
        }
        candidate pivot = c[from + (to - from) / 2];
        size_t i = from, j = to - 1;
        for (;;) {
            while (GOES_FIRST(&c[i], &pivot)) i++;
            while (GOES_FIRST(&pivot, &c[j])) j--;
            if (i >= j) break;
            swap(&c[i++], &c[j--]);
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
