/* Brings the heaviest of many weights to the front. */
#include "sluice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_weight(const void *left, const void *right) {
    const sluice_weight *a = left, *b = right;
    float x = fabsf(a->weight), y = fabsf(b->weight);
    if (x != y) return x > y ? -1 : 1;
    if (a->is_bias != b->is_bias) return a->is_bias ? -1 : 1;
    size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
    int order = n ? memcmp(a->name.text, b->name.text, n) : 0;
    if (order) return order;
    if (a->name.n != b->name.n) return a->name.n < b->name.n ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Restores a heap whose root is the lightest, from one element down. */
static void sink(sluice_weight *heap, size_t n, size_t from) {
    for (size_t child; (child = 2 * from + 1) < n; from = child) {
        if (child + 1 < n && by_weight(&heap[child + 1], &heap[child]) > 0) child++;
        if (by_weight(&heap[from], &heap[child]) >= 0) return;
        sluice_weight lighter = heap[child];
        heap[child] = heap[from];
        heap[from] = lighter;
    }
}

size_t sluice_weights_heaviest(sluice_weight *weights, size_t n, size_t top) {
    if (top > n) top = n;
    if (top == 0) return 0;
    for (size_t i = top < n ? top / 2 : 0; i-- > 0;) sink(weights, top, i);
    for (size_t i = top; i < n; i++) {
        if (by_weight(&weights[i], &weights[0]) > 0) continue;
        sluice_weight heavier = weights[i];
        weights[i] = weights[0];
        weights[0] = heavier;
        sink(weights, top, 0);
    }
    qsort(weights, top, sizeof *weights, by_weight);
    return top;
}
