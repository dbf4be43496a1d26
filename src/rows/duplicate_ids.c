/* Duplicate ids: sorts a copy by merging its ascending runs and compares neighbours. Only if there is a duplicate, a
 * second, slower search finds its position. */
#include <stdlib.h>
#include <string.h>

#include "rows/duplicate_ids.h"

/* The end of the ascending run that begins at i. */
static size_t run_end(const uint64_t *a, size_t i, size_t n) {
    for (i++; i < n && a[i - 1] <= a[i]; i++) {
    }
    return i;
}

static void merge(const uint64_t *a, size_t i, size_t middle, size_t end, uint64_t *out) {
    size_t j = middle, k = i;
    while (i < middle && j < end) out[k++] = a[j] < a[i] ? a[j++] : a[i++];
    while (i < middle) out[k++] = a[i++];
    while (j < end) out[k++] = a[j++];
}

/* Sorts a; b is as large. Returns the one of the two that holds the result. */
static uint64_t *sort(uint64_t *a, uint64_t *b, size_t n) {
    for (;;) {
        size_t runs = 0;
        for (size_t i = 0; i < n; runs++) {
            size_t middle = run_end(a, i, n), end = middle < n ? run_end(a, middle, n) : n;
            merge(a, i, middle, end, b);
            i = end;
        }
        uint64_t *sorted = b;
        b = a, a = sorted;
        if (runs <= 1) return a;
    }
}

static int by_id(const void *x, const void *y) {
    uint64_t a, b;
    memcpy(&a, x, 8), memcpy(&b, y, 8);
    return (a > b) - (a < b);
}

/* The position of the first duplicate, given all ids in order. `other` has room for n. */
static size_t place(const uint64_t *ids, size_t n, uint64_t *sorted, uint64_t *other) {
    size_t repeated = 0;
    for (size_t i = 1; i < n; i++) /* one of each duplicate id, in order */
        if (sorted[i] == sorted[i - 1] && (repeated == 0 || other[repeated - 1] != sorted[i]))
            other[repeated++] = sorted[i];
    memset(sorted, 0, repeated * sizeof *sorted); /* from here on: how often each was seen */
    for (size_t i = 0; i < n; i++) {
        const uint64_t *hit = bsearch(&ids[i], other, repeated, sizeof *other, by_id);
        if (hit && sorted[hit - other]++) return i;
    }
    return SL_NO_DUPLICATE;
}

uint64_t *sl_duplicates_room(sl_duplicates *r, size_t n) {
    if (n <= r->room && r->ids) return r->ids;
    if (n > SIZE_MAX / 64) return NULL;
    size_t room = n + n / 2 + 64;
    uint64_t *grown = malloc(3 * room * sizeof *grown);
    if (!grown) return NULL;
    free(r->ids);
    r->ids = grown, r->room = room;
    return grown;
}

size_t sl_duplicates_find(sl_duplicates *r, size_t n) {
    const uint64_t *ids = r->ids;
    size_t ascending = 1;
    while (ascending < n && ids[ascending - 1] < ids[ascending]) ascending++;
    if (ascending >= n) return SL_NO_DUPLICATE;
    uint64_t *a = r->ids + r->room, *b = a + r->room;
    memcpy(a, ids, n * sizeof *a);
    uint64_t *sorted = sort(a, b, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i - 1] == sorted[i]) return place(ids, n, sorted, sorted == a ? b : a);
    return SL_NO_DUPLICATE;
}

size_t sl_duplicates_memory(const sl_duplicates *r) { return 3 * r->room * sizeof *r->ids; }

void sl_duplicates_free(sl_duplicates *r) {
    free(r->ids);
    *r = (sl_duplicates){0};
}
