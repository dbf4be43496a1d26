/* The top features of a learner: a sorted run, a heap and a pool, or a plain list where features are dropped at random.
 */
#include "features/top_features.h"

#include <string.h>

#include "base/pages.h"

enum { ROOT = SL_TOP_ROOT, START = 256, AHEAD = 16, MOST_BINS = 4096 };

static uint32_t rank_of(const sl_top_entry *e) { return (uint32_t)(e->key >> 32); }

void sl_top_init(sl_top *k, uint32_t (*rank)(const void *feature), bool listed) {
    *k = (sl_top){.rank = rank, .listed = listed, .heap_end = ROOT, .moves = UINT64_MAX};
}

void sl_top_free(sl_top *k) {
    sl_pages_free(k->run, k->room * sizeof *k->run);
    sl_pages_free(k->heap, k->room * sizeof *k->heap);
    sl_pages_free(k->pool, k->room * sizeof *k->pool);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static size_t first_child(size_t i) { return 4 * i - 8; }
static size_t parent(size_t i) { return i / 4 + 2; }

/* The last group of four is filled up with keys that are never the least. */
static void heap_push(sl_top *k, sl_top_entry e) {
    sl_top_entry *h = k->heap;
    size_t i = k->heap_end++;
    if (i % 4 == 0) h[i + 1].key = h[i + 2].key = h[i + 3].key = UINT64_MAX;
    for (; i > ROOT && e.key < h[parent(i)].key; i = parent(i)) h[i] = h[parent(i)];
    h[i] = e;
}

static size_t least_of_four(const sl_top_entry *h, size_t i) {
    size_t a = h[i + 1].key < h[i].key ? i + 1 : i, b = h[i + 3].key < h[i + 2].key ? i + 3 : i + 2;
    return h[b].key < h[a].key ? b : a;
}

static void heap_pop(sl_top *k) {
    sl_top_entry *h = k->heap, last = h[--k->heap_end];
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

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Tests put a comparison of their own in its place, one that makes the work as much as it can be. */
#ifndef BELOW
#define BELOW(a, b) ((a) < (b))
#endif

/* Restores a heap whose root has the highest key, from one element down. */
static void sink(sl_top_entry *e, size_t n, size_t from) {
    sl_top_entry x = e[from];
    for (size_t child; (child = 2 * from + 1) < n; from = child) {
        if (child + 1 < n && BELOW(e[child].key, e[child + 1].key)) child++;
        if (!BELOW(x.key, e[child].key)) break;
        e[from] = e[child];
    }
    e[from] = x;
}

static void sort_by_heap(sl_top_entry *e, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sink(e, n, i);
    while (n-- > 1) {
        sl_top_entry x = e[n];
        e[n] = e[0];
        e[0] = x;
        sink(e, n, 0);
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    if (BELOW(b, a)) {
        uint64_t x = a;
        a = b, b = x;
    }
    return BELOW(b, c) ? b : BELOW(a, c) ? c : a;
}

/* Keys differ, and bins are small: quicksort, and insertion where little is left. A model from elsewhere may have keys
 * in an order that costs n^2: where the parts do not become smaller within `depth` steps a heap sorts the rest. */
static void sort_within(sl_top_entry *e, size_t n, unsigned depth) {
    for (; n > 24; depth--) {
        if (!depth) {
            sort_by_heap(e, n);
            return;
        }
        uint64_t middle = median(e[0].key, e[n / 2].key, e[n - 1].key);
        size_t i = 0, j = n - 1;
        for (;; i++, j--) {
            while (BELOW(e[i].key, middle)) i++;
            while (BELOW(middle, e[j].key)) j--;
            if (i >= j) break;
            sl_top_entry x = e[i];
            e[i] = e[j];
            e[j] = x;
        }
        bool left_is_smaller = i < n - i; /* the smaller part first: the stack stays short */
        sort_within(left_is_smaller ? e : e + i, left_is_smaller ? i : n - i, depth - 1);
        e = left_is_smaller ? e + i : e;
        n = left_is_smaller ? n - i : i;
    }
    for (size_t i = 1; i < n; i++) {
        sl_top_entry x = e[i];
        size_t j = i;
        for (; j > 0 && BELOW(x.key, e[j - 1].key); j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

static void sort(sl_top_entry *e, size_t n) {
    unsigned bits = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
    sort_within(e, n, 2 * bits + 8); /* twice as many as in the best case, and some */
}

static void set_run(sl_top *k, size_t n) {
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

static void count_bins(bins *b, const sl_top_entry *e, size_t n) {
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

/* The lower three quarters of the pool become the run: whole bins, each sorted by itself. */
static void refill(sl_top *k) {
    bins b;
    count_bins(&b, k->pool, k->pool_end);
    size_t below = 0, rest = 0;
    while (b.start[below] < k->pool_end - k->pool_end / 4) below++;
    size_t n = b.start[below];
    for (size_t i = 0; i < k->pool_end; i++) {
        sl_top_entry e = k->pool[i];
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

/* ---- all three --------------------------------------------------------------------------------------------------- */

static void add(sl_top *k, sl_top_entry e) {
    if (e.key > k->reach)
        k->pool[k->pool_end++] = e;
    else
        heap_push(k, e);
}

void sl_top_push(sl_top *k, uint32_t slot, uint32_t rank) {
    sl_ranked *f = sl_top_at(k, slot);
    f->low = rank | k->turn;
    add(k, (sl_top_entry){sl_top_key(rank, f->born), slot});
}

static void drop_front(sl_top *k) {
    if (k->run[k->run_at].key < k->heap[ROOT].key) {
        k->run_at++;
    } else {
        heap_pop(k);
    }
}

/* The entry of the least feature kept, at the front; there is one. */
static const sl_top_entry *least(sl_top *k) {
    for (;;) {
        const sl_top_entry *a = &k->run[k->run_at], *b = &k->heap[ROOT], *e = a->key < b->key ? a : b;
        if (e->key == UINT64_MAX) {
            refill(k);
            continue;
        }
        uint32_t slot = e->slot, low = rank_of(e);
        sl_ranked *f = sl_top_at(k, slot);
        uint32_t rank = k->rank(f);
        bool its_entry = f->low == (low | k->turn); /* else the feature was dropped or has another entry */
        if (its_entry && rank == low) return e;
        drop_front(k);
        if (its_entry) sl_top_push(k, slot, rank); /* it has risen */
    }
}

uint32_t sl_top_take_in(sl_top *k, uint32_t slot, uint32_t rank, size_t limit) {
    if (k->count < limit) {
        k->count++;
        sl_top_push(k, slot, rank);
        return SL_NO_SLOT;
    }
    const sl_top_entry *e = least(k);
    if (sl_top_key(rank, sl_top_at(k, slot)->born) < e->key) return slot;
    uint32_t gone = e->slot;
    sl_top_at(k, gone)->low = 0;
    drop_front(k);
    sl_top_push(k, slot, rank);
    return gone;
}

uint32_t sl_top_drop(sl_top *k) {
    uint32_t gone = least(k)->slot;
    sl_top_at(k, gone)->low = 0;
    drop_front(k);
    k->count--;
    return gone;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

void sl_top_append(sl_top *k, uint32_t slot) {
    k->pool[k->pool_end++].slot = slot;
    sl_top_at(k, slot)->low = (uint32_t)++k->count;
}

void sl_top_take_out(sl_top *k, uint32_t place) {
    uint32_t last = k->pool[--k->pool_end].slot, gone = k->pool[place - 1].slot;
    k->pool[place - 1].slot = last;
    sl_top_at(k, last)->low = place;
    sl_top_at(k, gone)->low = 0; /* second: it may be the last itself */
    k->count--;
}

/* ---- making and growing ------------------------------------------------------------------------------------------ */

/* All entries are in the pool, one for each feature, up to date. */
static void start_from_pool(sl_top *k, size_t n) {
    k->pool_end = k->count = n;
    k->heap_end = ROOT;
    if (!k->room) return;
    k->heap[ROOT].key = UINT64_MAX;
    set_run(k, 0);
}

static void visit_listed(sl_top *k, uint32_t (*visit)(void *context, void *feature), void *context) {
    size_t n = 0;
    for (size_t i = 0; i < k->pool_end; i++) {
        sl_ranked *f = sl_top_at(k, k->pool[i].slot);
        f->low = visit(context, f) ? (uint32_t)(n + 1) : 0;
        k->pool[n].slot = k->pool[i].slot;
        n += f->low > 0;
    }
    start_from_pool(k, n);
}

void sl_top_visit(sl_top *k, uint32_t (*visit)(void *context, void *feature), void *context) {
    if (k->listed) {
        visit_listed(k, visit, context);
        return;
    }
    for (; k->run_at < k->run_end; k->run_at++) k->pool[k->pool_end++] = k->run[k->run_at];
    for (size_t i = ROOT; i < k->heap_end; i++) k->pool[k->pool_end++] = k->heap[i];
    uint32_t turn = k->turn, next_turn = turn ^ SL_TOP_TURN;
    size_t n = 0;
    for (size_t i = 0; i < k->pool_end; i++) {
        if (i + AHEAD < k->pool_end) __builtin_prefetch(sl_top_at(k, k->pool[i + AHEAD].slot), 1);
        uint32_t slot = k->pool[i].slot;
        sl_ranked *f = sl_top_at(k, slot);
        if (f->low != (rank_of(&k->pool[i]) | turn)) continue; /* out of date, or the feature was visited before */
        uint32_t rank = visit(context, f);
        f->low = rank ? rank | next_turn : 0;
        k->pool[n] = (sl_top_entry){sl_top_key(rank, f->born), slot};
        n += rank > 0;
    }
    k->turn = next_turn;
    start_from_pool(k, n);
}

static uint32_t same_rank(void *context, void *feature) { return ((const sl_top *)context)->rank(feature); }

/* All three or none: their sizes go together. */
static bool grow(sl_top *k, size_t needed) {
    size_t room = k->room ? k->room : START;
    while (room < needed) room *= 2;
    size_t old = k->room * sizeof *k->pool, new = room * sizeof *k->pool, done = 0;
    sl_top_entry **array[] = {&k->run, &k->heap, &k->pool}, *grown;
    while (done < 3 && (grown = sl_pages_resize(*array[done], old, new, true))) *array[done++] = grown;
    if (done == 3) {
        k->room = room;
        if (!old) { /* run and heap end with a key above all others, from the first moment on */
            k->heap_end = ROOT;
            k->heap[ROOT].key = UINT64_MAX;
            set_run(k, 0);
        }
        return true;
    }
    while (done--) { /* making a block smaller does not fail */
        if (!old) sl_pages_free(*array[done], new);
        *array[done] = old ? sl_pages_resize(*array[done], new, old, true) : NULL;
    }
    return false;
}

static bool build(sl_top *k, const sl_space *sp) {
    uint32_t slot[SL_CHUNK];
    k->pool_end = 0;
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(sp, &cursor, slot));) {
        if (k->pool_end + n > k->room && !grow(k, k->pool_end + n)) return false;
        for (size_t i = 0; i < n; i++) {
            sl_ranked *f = sl_top_at(k, slot[i]);
            uint32_t rank = k->rank(f);
            if (!rank) f->low = 0; /* a file may say otherwise */
            if (rank) k->pool[k->pool_end++] = (sl_top_entry){sl_top_key(rank, f->born), slot[i]};
        }
    }
    if (k->listed) sort(k->pool, k->pool_end);
    for (size_t i = 0; i < k->pool_end; i++)
        sl_top_at(k, k->pool[i].slot)->low = k->listed ? (uint32_t)(i + 1) : rank_of(&k->pool[i]) | k->turn;
    start_from_pool(k, k->pool_end);
    k->moves = sp->moves;
    return true;
}

bool sl_top_prepare(sl_top *k, const sl_space *sp, size_t more) {
    k->features = sp->features;
    k->size = sp->size;
    if (k->moves != sp->moves && !build(k, sp)) return false;
    size_t entries = k->run_end - k->run_at + k->heap_end - ROOT + k->pool_end, margin = more + 2 * ROOT + 2;
    if (entries + margin <= k->room) return true;
    if (entries > 2 * k->count) {
        sl_top_visit(k, same_rank, k);
        if (k->count + margin <= k->room) return true;
    }
    return grow(k, entries + margin);
}
