/* Rows as bytes: flags, number of features, importance, ids or names, values. */
#include "serve/labels/kept_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 1, ALL_ONE = 2, WEIGHTED = 4, ALL_FLAGS = 7 };
enum { LONGEST_COUNT = 10 };

void row_arrays_free(row_arrays *arrays) {
    free(arrays->ids);
    free(arrays->names);
    free(arrays->values);
    *arrays = (row_arrays){0};
}

static int make_room(row_arrays *arrays, size_t n) {
    if (n <= arrays->room && arrays->values) return 1;
    const size_t room = n < 256 ? 256 : n + n / 2;
    row_arrays_free(arrays);
    arrays->ids = malloc(room * sizeof *arrays->ids);
    arrays->names = malloc(room * sizeof *arrays->names);
    arrays->values = malloc(room * sizeof *arrays->values);
    if (!arrays->ids || !arrays->names || !arrays->values) {
        row_arrays_free(arrays);
        return 0;
    }
    arrays->room = room;
    return 1;
}

/* Seven bits a byte, the low ones first. */
static unsigned char *put_count(unsigned char *p, uint64_t n) {
    for (; n >= 128; n >>= 7) *p++ = (unsigned char)(n | 128);
    *p++ = (unsigned char)n;
    return p;
}

static unsigned char *put_float(unsigned char *p, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 4; i++) *p++ = (unsigned char)(bits >> 8 * i);
    return p;
}

/* Ids mostly ascend and are near each other: differences are short, those below 0 too. */
static uint64_t folded(uint64_t difference) { return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0); }
static uint64_t unfolded(uint64_t n) { return n >> 1 ^ (n & 1 ? UINT64_MAX : 0); }

int kept_row_write(text_buffer *to, row_arrays *arrays, const sluice_batch *batch, size_t row) {
    const size_t n = sluice_batch_nonzeros(batch, row);
    if (!make_room(arrays, n)) return 0;
    sluice_example x;
    memset(&x, 0, sizeof x);
    sluice_batch_row(batch, row, arrays->ids, arrays->names, &x);
    const float weight = x.weight > 0 ? (float)x.weight : 1;
    int flags = (sluice_batch_has_names(batch) ? NAMED : 0) | ALL_ONE | (weight != 1 ? WEIGHTED : 0);
    size_t most = 1 + 2 * LONGEST_COUNT + 4 + n * (LONGEST_COUNT + 4);
    for (size_t k = 0; k < n; k++) {
        if (x.values[k] != 1) flags &= ~ALL_ONE;
        if (flags & NAMED) most += x.names[k].n;
    }
    unsigned char *const begin = (unsigned char *)text_reserve(to, most), *p = begin;
    if (!p) return 0;
    *p++ = (unsigned char)flags;
    p = put_count(p, n);
    if (flags & WEIGHTED) p = put_float(p, weight);
    for (size_t k = 0; k < n; k++) {
        if (flags & NAMED) {
            p = put_count(p, x.names[k].n);
            memcpy(p, x.names[k].text, x.names[k].n);
            p += x.names[k].n;
        } else {
            p = put_count(p, folded(x.ids[k] - (k ? x.ids[k - 1] : 0)));
        }
    }
    for (size_t k = 0; k < n && !(flags & ALL_ONE); k++) p = put_float(p, x.values[k]);
    text_wrote(to, (size_t)(p - begin));
    return 1;
}

/* What is left to read; `bad` once it is not what it should be. */
typedef struct bytes_left {
    const unsigned char *p, *end;
    int bad;
} bytes_left;

static uint64_t take_count(bytes_left *b) {
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (b->p == b->end) break;
        const unsigned char c = *b->p++;
        if (shift == 63 && c > 1) break;
        n |= (uint64_t)(c & 127) << shift;
        if (c < 128) return n;
    }
    b->bad = 1;
    return 0;
}

static float take_float(bytes_left *b) {
    uint32_t bits = 0;
    float x;
    if (b->end - b->p < 4) {
        b->bad = 1;
        return 0;
    }
    for (int i = 0; i < 4; i++) bits |= (uint32_t)*b->p++ << 8 * i;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static sluice_name take_name(bytes_left *b) {
    const uint64_t n = take_count(b);
    if (b->bad || n > (uint64_t)(b->end - b->p)) {
        b->bad = 1;
        return (sluice_name){"", 0};
    }
    const sluice_name name = {(const char *)b->p, (size_t)n};
    b->p += n;
    return name;
}

static sluice_status refuse(sluice_error *err, sluice_status status, const char *message) {
    *err = (sluice_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

sluice_status kept_row_read(const void *bytes, size_t n, row_arrays *arrays, sluice_example *x, sluice_error *err) {
    bytes_left b = {bytes, (const unsigned char *)bytes + n, n == 0};
    const int flags = n ? *b.p++ : 0;
    if (flags & ~ALL_FLAGS) b.bad = 1;
    const uint64_t features = take_count(&b);
    if (features > (uint64_t)(b.end - b.p)) b.bad = 1; /* each takes a byte at least */
    if (b.bad) return refuse(err, SLUICE_E_FORMAT, "a row that waits for its label is damaged");
    if (!make_room(arrays, (size_t)features)) return refuse(err, SLUICE_E_MEMORY, "no memory for a row");
    memset(x, 0, sizeof *x);
    x->n = (size_t)features;
    x->weight = flags & WEIGHTED ? (double)take_float(&b) : 1;
    uint64_t id = 0;
    for (size_t k = 0; k < x->n && !b.bad; k++) {
        if (flags & NAMED)
            arrays->names[k] = take_name(&b);
        else
            arrays->ids[k] = id += unfolded(take_count(&b));
    }
    for (size_t k = 0; k < x->n && !b.bad; k++) arrays->values[k] = flags & ALL_ONE ? 1 : take_float(&b);
    if (b.bad || b.p != b.end) return refuse(err, SLUICE_E_FORMAT, "a row that waits for its label is damaged");
    x->values = arrays->values;
    if (flags & NAMED)
        x->names = arrays->names;
    else
        x->ids = arrays->ids;
    return SLUICE_OK;
}
