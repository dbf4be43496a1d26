/* Radix sort of doubles: for the many margins of a test set, several times as fast as comparing them. */
#include "eval/sort_doubles.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, VALUES = 1 << DIGIT_BITS, FEW = 512 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Bits that are in the order of the values: as they are for positive numbers, complemented for negative ones. */
static uint64_t ordered(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & (uint64_t)1 << 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double from_ordered(uint64_t key) {
    uint64_t bits = key & (uint64_t)1 << 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static unsigned digit(uint64_t key, int d) { return (unsigned)(key >> d * DIGIT_BITS) & (VALUES - 1); }

/* Moves the keys into the order of one digit; false: they have it already, since all share that digit. */
static int move(const uint64_t *from, uint64_t *to, size_t n, int d, size_t *count) {
    if (count[digit(from[0], d)] == n) return 0;
    size_t place = 0;
    for (size_t v = 0; v < VALUES; v++) {
        size_t here = count[v];
        count[v] = place;
        place += here;
    }
    for (size_t i = 0; i < n; i++) to[count[digit(from[i], d)]++] = from[i];
    return 1;
}

void sl_sort_doubles(double *x, size_t n) {
    uint64_t *keys = n < FEW ? NULL : malloc(2 * n * sizeof *keys);
    size_t(*counts)[VALUES] = keys ? calloc(DIGITS, sizeof *counts) : NULL;
    if (!counts) { /* few of them, or no memory for the faster way */
        free(keys);
        qsort(x, n, sizeof *x, by_value);
        return;
    }
    uint64_t *from = keys, *to = keys + n;
    for (size_t i = 0; i < n; i++) {
        from[i] = ordered(x[i]);
        for (int d = 0; d < DIGITS; d++) counts[d][digit(from[i], d)]++;
    }
    for (int d = 0; d < DIGITS; d++)
        if (move(from, to, n, d, counts[d])) {
            uint64_t *other = from;
            from = to;
            to = other;
        }
    for (size_t i = 0; i < n; i++) x[i] = from_ordered(from[i]);
    free(counts);
    free(keys);
}
