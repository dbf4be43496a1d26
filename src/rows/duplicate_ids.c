/* Duplicate ids: those of a short row go into a small table. Ids of a few ascending runs are sorted, by merging the
 * runs of a copy, and compared with their neighbours; only if there is a duplicate, a second, slower search finds its
 * position. All others go into a hash table, keyed so that no input can be made to collide. */
#include <stdlib.h>
#include <string.h>

#include "features/names.h"
#include "rows/duplicate_ids.h"

enum { SHORT_ROW = 64, SHORT_BITS = 7, FEW_RUNS = 4, MARKS = 1 << 16, MARKED_ROW = MARKS / 16 };

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

/* Words for n ids: those that are sorted need two copies. */
static size_t words_for(size_t n) { return n > SL_MANY_IDS ? n : 3 * n; }

static bool table_for(sl_duplicates *r, size_t n) {
    free(r->seen);
    for (r->bits = 1; (size_t)1 << r->bits < n + n / 3;) r->bits++;
    r->seen = calloc((size_t)1 << r->bits, sizeof *r->seen);
    return r->seen != NULL;
}

uint64_t *sl_duplicates_room(sl_duplicates *r, size_t n) {
    if (n > SIZE_MAX / 64 || n >= UINT32_MAX) return NULL;
    if (words_for(n) > r->room || !r->ids) {
        size_t room = words_for(n) + (n > SL_MANY_IDS ? 0 : words_for(n) / 2 + 192);
        uint64_t *grown = malloc(room * sizeof *grown);
        if (!grown) return NULL;
        free(r->ids);
        r->ids = grown, r->room = room;
    }
    return n <= SL_MANY_IDS || table_for(r, n) ? r->ids : NULL;
}

/* The position of the first duplicate, by an empty table of 2^bits positions, plus 1. Its pages that no id needs are
 * never touched. */
static size_t search_table(uint32_t *seen, unsigned bits, size_t n, sl_id_at *id_at, const void *context) {
    const size_t mask = ((size_t)1 << bits) - 1;
    for (size_t k = 0; k < n; k++) {
        const uint64_t id = id_at(context, k);
        size_t i = (size_t)(sl_name_hash((const char *)&id, sizeof id) >> (64 - bits));
        while (seen[i] && id_at(context, seen[i] - 1) != id) i = (i + 1) & mask;
        if (seen[i]) return k;
        seen[i] = (uint32_t)k + 1;
    }
    return SL_NO_DUPLICATE;
}

/* The same in a large row. */
static size_t find_in_table(sl_duplicates *r, size_t n, sl_id_at *id_at, const void *context) {
    const size_t found = search_table(r->seen, r->bits, n, id_at, context);
    free(r->seen);
    r->seen = NULL;
    return found;
}

/* The same in a short row, where even ids that all collide cost little. */
static size_t find_in_short(const uint64_t *ids, size_t n) {
    uint8_t seen[1 << SHORT_BITS] = {0}; /* positions, plus 1 */
    for (size_t k = 0; k < n; k++) {
        size_t i = (size_t)(ids[k] * 0x9E3779B97F4A7C15u >> (64 - SHORT_BITS));
        for (; seen[i]; i = (i + 1) % sizeof seen)
            if (ids[seen[i] - 1] == ids[k]) return k;
        seen[i] = (uint8_t)(k + 1);
    }
    return SL_NO_DUPLICATE;
}

static uint64_t in_array(const void *ids, size_t k) { return ((const uint64_t *)ids)[k]; }

size_t sl_duplicates_find(sl_duplicates *r, size_t n) {
    const uint64_t *ids = r->ids;
    size_t ascending = 1, runs = 1;
    while (ascending < n && ids[ascending - 1] < ids[ascending]) ascending++;
    if (ascending >= n) return SL_NO_DUPLICATE;
    if (n <= SHORT_ROW) return find_in_short(ids, n);
    if (n > SL_MANY_IDS) return find_in_table(r, n, in_array, ids);
    uint64_t *a = r->ids + n, *b = a + n;
    for (size_t k = ascending; k < n && runs <= FEW_RUNS; k++) runs += ids[k - 1] > ids[k];
    if (runs > FEW_RUNS) { /* the room of the two copies is that of a table */
        unsigned bits = 8;
        while ((size_t)2 << bits <= 4 * n) bits++;
        memset(a, 0, sizeof(uint32_t) << bits);
        return search_table((uint32_t *)(void *)a, bits, n, in_array, ids);
    }
    memcpy(a, ids, n * sizeof *a);
    uint64_t *sorted = sort(a, b, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i - 1] == sorted[i]) return place(ids, n, sorted, sorted == a ? b : a);
    return SL_NO_DUPLICATE;
}

bool sl_duplicates_search(sl_duplicates *r, size_t n, sl_id_at *id_at, const void *context, size_t *found) {
    *found = SL_NO_DUPLICATE;
    if (n > SL_MANY_IDS) {
        size_t ascending = 1;
        while (ascending < n && id_at(context, ascending - 1) < id_at(context, ascending)) ascending++;
        if (ascending == n) return true;
        if (n >= UINT32_MAX || !table_for(r, n)) return false;
        *found = find_in_table(r, n, id_at, context);
        return true;
    }
    uint64_t *ids = sl_duplicates_room(r, n);
    for (size_t k = 0; k < n && ids; k++) ids[k] = id_at(context, k);
    if (ids) *found = sl_duplicates_find(r, n);
    return ids != NULL;
}

/* Whether two ids of a row have the same mark, which ids below MARKS have only if they are equal. */
static bool may_repeat(sl_duplicates *r, const uint32_t *id, size_t n) {
    if (!++r->round) {
        memset(r->mark, 0, MARKS * sizeof *r->mark);
        r->round = 1;
    }
    const uint16_t round = r->round;
    uint16_t *const mark = r->mark;
    unsigned again = 0;
    for (size_t k = 0; k < n; k++) {
        uint16_t *m = &mark[id[k] % MARKS];
        again |= *m == round;
        *m = round;
    }
    return again;
}

static uint64_t in_short_array(const void *ids, size_t k) { return ((const uint32_t *)ids)[k]; }

bool sl_duplicates_in_rows(sl_duplicates *r, const uint32_t *id, const size_t *start, size_t rows, bool *found) {
    if (!r->mark && !(r->mark = calloc(MARKS, sizeof *r->mark))) return false;
    *found = false;
    for (size_t i = 0; i < rows && !*found; i++) {
        const uint32_t *of_row = id + start[i];
        const size_t n = start[i + 1] - start[i];
        size_t at;
        if (n <= MARKED_ROW && !may_repeat(r, of_row, n)) continue;
        if (!sl_duplicates_search(r, n, in_short_array, of_row, &at)) return false;
        *found = at != SL_NO_DUPLICATE;
    }
    return true;
}

size_t sl_duplicates_memory(const sl_duplicates *r) {
    return r->room * sizeof *r->ids + (r->mark ? MARKS * sizeof *r->mark : 0);
}

void sl_duplicates_free(sl_duplicates *r) {
    free(r->ids);
    free(r->seen);
    free(r->mark);
    *r = (sl_duplicates){0};
}
