/* The kept features: a sorted run, a heap and a pool, or a plain list where chance decides. */
#include "core/kept.h"

#include <stdlib.h>
#include <string.h>

#include "core/pages.h"

/* The heap's root lies so that the four children of an entry share a cache line. */
enum { ROOT = 3, START = 256, AHEAD = 16, MOST_BINS = 4096 };

static uint64_t key_of(uint32_t rank, uint32_t born) { return (uint64_t)rank << 32 | (uint32_t)~born; }
static uint32_t rank_of(const sl_kept_entry *e) { return (uint32_t)(e->key >> 32); }

void sl_kept_init(sl_kept *k, uint32_t (*rank)(const void *feature), bool listed) {
    *k = (sl_kept){.rank = rank, .listed = listed, .heap_end = ROOT, .moves = UINT64_MAX};
}

void sl_kept_free(sl_kept *k) {
    sl_pages_free(k->run, k->room * sizeof *k->run);
    sl_pages_free(k->heap, k->room * sizeof *k->heap);
    sl_pages_free(k->pool, k->room * sizeof *k->pool);
}

/* ---- the heap --------------------------------------------------------------------------------------------------- */

static size_t first_child(size_t i) { return 4 * i - 8; }
static size_t parent(size_t i) { return i / 4 + 2; }

/* Behind the last entry, up to a full four, there are keys that are never the least. */
static void heap_push(sl_kept *k, sl_kept_entry e) {
    sl_kept_entry *h = k->heap;
    size_t i = k->heap_end++;
    if (i % 4 == 0) h[i + 1].key = h[i + 2].key = h[i + 3].key = UINT64_MAX;
    for (; i > ROOT && e.key < h[parent(i)].key; i = parent(i)) h[i] = h[parent(i)];
    h[i] = e;
}

static size_t least_of_four(const sl_kept_entry *h, size_t i) {
    size_t a = h[i + 1].key < h[i].key ? i + 1 : i, b = h[i + 3].key < h[i + 2].key ? i + 3 : i + 2;
    return h[b].key < h[a].key ? b : a;
}

static void heap_pop(sl_kept *k) {
    sl_kept_entry *h = k->heap, last = h[--k->heap_end];
    h[k->heap_end].key = UINT64_MAX;
    if (k->heap_end == ROOT) return;
    size_t i = ROOT;
    for (size_t child; (child = first_child(i)) < k->heap_end; i = child) {
        child = least_of_four(h, child);
        if (last.key <= h[child].key) break;
        h[i] = h[child];
    }
    h[i] = last;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const sl_kept_entry *)a)->key, y = ((const sl_kept_entry *)b)->key;
    return (x > y) - (x < y);
}

static void sort(sl_kept_entry *e, size_t n) {
    if (n > 64) {
        qsort(e, n, sizeof *e, by_key);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        sl_kept_entry x = e[i];
        size_t j = i;
        for (; j > 0 && x.key < e[j - 1].key; j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

static void set_run(sl_kept *k, size_t n) {
    k->run_at = 0;
    k->run_end = n;
    k->run[n].key = UINT64_MAX;
    k->reach = n ? k->run[n - 1].key : 0;
}

/* Bins of equal width between the lowest and the highest key, about eight entries to each; ranks are the bits of
 * floats, so equal width means equal ratio, which suits weights. */
typedef struct bins {
    uint64_t lowest;
    unsigned shift;
    size_t n;
    uint32_t start[MOST_BINS + 1]; /* where the entries of each will begin */
} bins;

static size_t bin_of(const bins *b, uint64_t key) { return (size_t)((key - b->lowest) >> b->shift); }

static void count_bins(bins *b, const sl_kept_entry *e, size_t n) {
    uint64_t highest = b->lowest = e[0].key;
    for (size_t i = 1; i < n; i++) {
        if (e[i].key < b->lowest) b->lowest = e[i].key;
        if (e[i].key > highest) highest = e[i].key;
    }
    size_t most = 8;
    while (most < n / 2 && most < MOST_BINS) most *= 2;
    for (b->shift = 0; (highest - b->lowest) >> b->shift >= most; b->shift++) {
    }
    b->n = bin_of(b, highest) + 1;
    memset(b->start, 0, (b->n + 1) * sizeof *b->start);
    for (size_t i = 0; i < n; i++) b->start[bin_of(b, e[i].key) + 1]++;
    for (size_t i = 0; i < b->n; i++) b->start[i + 1] += b->start[i];
}

/* The lower half of the pool becomes the run: whole bins, each sorted by itself. */
static void refill(sl_kept *k) {
    bins b;
    count_bins(&b, k->pool, k->pool_end);
    size_t below = 0, rest = 0;
    while (b.start[below] < k->pool_end - k->pool_end / 4) below++;
    size_t n = b.start[below];
    for (size_t i = 0; i < k->pool_end; i++) {
        sl_kept_entry e = k->pool[i];
        size_t bin = bin_of(&b, e.key);
        if (bin < below)
            k->run[b.start[bin]++] = e;
        else
            k->pool[rest++] = e;
    }
    k->pool_end = rest;
    for (size_t i = 0, at = 0; i < below; at = b.start[i++]) sort(k->run + at, b.start[i] - at);
    set_run(k, n);
}

/* ---- all three -------------------------------------------------------------------------------------------------- */

static void add(sl_kept *k, sl_kept_entry e) {
    if (e.key > k->reach)
        k->pool[k->pool_end++] = e;
    else
        heap_push(k, e);
}

void sl_kept_push(sl_kept *k, uint32_t slot, uint32_t rank) {
    sl_ranked *f = sl_kept_at(k, slot);
    f->low = rank;
    add(k, (sl_kept_entry){key_of(rank, f->born), slot});
}

static const sl_kept_entry *front(sl_kept *k) {
    const sl_kept_entry *a = &k->run[k->run_at], *b = &k->heap[ROOT];
    return a->key < b->key ? a : b;
}

static void drop_front(sl_kept *k) {
    if (k->run[k->run_at].key < k->heap[ROOT].key) {
        k->run_at++;
    } else {
        heap_pop(k);
    }
}

/* The entry of the least feature kept, at the front; there is one. */
static const sl_kept_entry *least(sl_kept *k) {
    for (;;) {
        const sl_kept_entry *e = front(k);
        if (e->key == UINT64_MAX) {
            refill(k);
            continue;
        }
        uint32_t slot = e->slot, low = rank_of(e);
        sl_ranked *f = sl_kept_at(k, slot);
        uint32_t rank = k->rank(f);
        if (f->low == low && rank == low) return e;
        drop_front(k);
        if (f->low == low) sl_kept_push(k, slot, rank); /* it has risen; else it has gone, or has another entry */
    }
}

uint32_t sl_kept_offer(sl_kept *k, uint32_t slot, uint32_t rank, size_t limit) {
    if (k->count < limit) {
        k->count++;
        sl_kept_push(k, slot, rank);
        return SL_NO_SLOT;
    }
    const sl_kept_entry *e = least(k);
    if (key_of(rank, sl_kept_at(k, slot)->born) < e->key) return slot;
    uint32_t gone = e->slot;
    sl_kept_at(k, gone)->low = 0;
    drop_front(k);
    sl_kept_push(k, slot, rank);
    return gone;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

void sl_kept_append(sl_kept *k, uint32_t slot) {
    k->pool[k->pool_end++].slot = slot;
    sl_kept_at(k, slot)->low = (uint32_t)++k->count;
}

void sl_kept_take_out(sl_kept *k, uint32_t place) {
    uint32_t last = k->pool[--k->pool_end].slot, gone = k->pool[place - 1].slot;
    k->pool[place - 1].slot = last;
    sl_kept_at(k, last)->low = place;
    sl_kept_at(k, gone)->low = 0; /* second: it may be the last itself */
    k->count--;
}

/* ---- making and growing ----------------------------------------------------------------------------------------- */

/* The pool has all entries, up to date and one for each feature. */
static void start_from_pool(sl_kept *k) {
    k->count = k->pool_end;
    k->heap_end = ROOT;
    if (k->room) {
        k->heap[ROOT].key = UINT64_MAX;
        set_run(k, 0);
    }
    for (size_t i = 0; i < k->pool_end; i++) {
        if (i + AHEAD < k->pool_end) __builtin_prefetch(sl_kept_at(k, k->pool[i + AHEAD].slot), 1);
        sl_kept_at(k, k->pool[i].slot)->low = k->listed ? (uint32_t)(i + 1) : rank_of(&k->pool[i]);
    }
}

void sl_kept_visit(sl_kept *k, void (*visit)(void *context, void *feature), void *context) {
    for (; k->run_at < k->run_end; k->run_at++) k->pool[k->pool_end++] = k->run[k->run_at];
    for (size_t i = ROOT; i < k->heap_end; i++) k->pool[k->pool_end++] = k->heap[i];
    size_t n = 0;
    for (size_t i = 0; i < k->pool_end; i++) {
        if (i + AHEAD < k->pool_end) __builtin_prefetch(sl_kept_at(k, k->pool[i + AHEAD].slot), 1);
        uint32_t slot = k->pool[i].slot;
        sl_ranked *f = sl_kept_at(k, slot);
        if (!f->low) continue; /* no longer kept, or its other entry was here before */
        if (visit) visit(context, f);
        uint32_t rank = k->rank(f);
        if (rank) k->pool[n++] = (sl_kept_entry){key_of(rank, f->born), slot};
        f->low = 0;
    }
    k->pool_end = n;
    start_from_pool(k);
}

static bool grow(sl_kept *k, size_t needed) {
    size_t room = k->room ? k->room : START;
    while (room < needed) room *= 2;
    sl_kept_entry **array[] = {&k->run, &k->heap, &k->pool};
    for (size_t i = 0; i < 3; i++) {
        sl_kept_entry *grown = sl_pages_resize(*array[i], k->room * sizeof *grown, room * sizeof *grown, true);
        if (!grown) return false;
        *array[i] = grown;
    }
    k->room = room;
    return true;
}

static bool build(sl_kept *k, const sl_space *sp) {
    uint32_t slot[SL_BLOCK];
    k->pool_end = 0;
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_block(sp, &cursor, slot));) {
        if (k->pool_end + n > k->room && !grow(k, k->pool_end + n)) return false;
        for (size_t i = 0; i < n; i++) {
            const sl_ranked *f = sl_kept_at(k, slot[i]);
            uint32_t rank = k->rank(f);
            if (rank) k->pool[k->pool_end++] = (sl_kept_entry){key_of(rank, f->born), slot[i]};
        }
    }
    if (k->listed && k->pool_end) qsort(k->pool, k->pool_end, sizeof *k->pool, by_key);
    start_from_pool(k);
    k->moves = sp->moves;
    return true;
}

bool sl_kept_prepare(sl_kept *k, const sl_space *sp, size_t more) {
    k->features = sp->features;
    k->size = sp->size;
    if (k->moves != sp->moves && !build(k, sp)) return false;
    size_t entries = k->run_end - k->run_at + k->heap_end - ROOT + k->pool_end, margin = more + 2 * ROOT + 2;
    if (entries + margin <= k->room) return true;
    if (entries > 2 * k->count) {
        sl_kept_visit(k, NULL, NULL);
        if (k->count + margin <= k->room) return true;
    }
    return grow(k, entries + margin);
}
