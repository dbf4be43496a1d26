#include "output/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void print_name(FILE *out, const sluice_weight *w, int width) {
    int written = 0;
    if (w->is_bias)
        written = fprintf(out, "bias");
    else if (!w->name.text)
        written = fprintf(out, "%" PRIu64, w->id);
    for (size_t i = 0; i < w->name.n; i++) {
        unsigned char c = (unsigned char)w->name.text[i];
        if (c < ' ' || c == 0x7f || c == '\\')
            written += fprintf(out, "\\x%02x", c);
        else
            written += putc(c, out) != EOF && (c & 0xc0) != 0x80; /* characters, not bytes */
    }
    fprintf(out, "%*s", written < width ? width - written : 0, "");
}

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

void json_name(json *j, const sluice_weight *w) {
    if (w->is_bias)
        json_text(j, "id", "bias");
    else if (w->name.text)
        json_bytes(j, "name", w->name.text, w->name.n);
    else
        json_count(j, "id", w->id);
}

void report_features(report *r, const char *key, const char *title, const sluice_weight *weights, size_t n) {
    char value[32];
    if (!r->as_json) {
        printf("%s\n", title);
        for (size_t i = 0; i < n; i++) {
            sluice_format_float(value, weights[i].weight);
            printf("  ");
            print_name(stdout, &weights[i], 20);
            printf(" %s\n", value);
        }
        return;
    }
    json_open(&r->j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(&r->j, NULL, '{');
        json_name(&r->j, &weights[i]);
        json_float(&r->j, "weight", weights[i].weight);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

/* A heap whose root is the lightest, as far as `from` is in place. */
static void sink(sluice_weight *heap, size_t n, size_t from) {
    for (size_t child; (child = 2 * from + 1) < n; from = child) {
        if (child + 1 < n && by_weight(&heap[child + 1], &heap[child]) > 0) child++;
        if (by_weight(&heap[from], &heap[child]) >= 0) return;
        sluice_weight lighter = heap[child];
        heap[child] = heap[from];
        heap[from] = lighter;
    }
}

size_t bring_heaviest(sluice_weight *weights, size_t n, size_t top) {
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

void report_heaviest(report *r, sluice_weight *weights, size_t n, size_t top) {
    report_features(r, "top", "heaviest features", weights, bring_heaviest(weights, n, top));
}
