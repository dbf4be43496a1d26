/* Which examples of the inputs are held out. */
#include "args/hold_out.h"

#include "output/message.h"

#include <stdlib.h>
#include <string.h>

static const char last_word[] = "last:";
enum { MOST_EVERY = 1000000000 };

static int read_share(const char *text, double *share) {
    return sluice_parse_number(text, share) && *share > 0 && *share < 1;
}

int hold_out_read(const char *text, uint64_t seed, hold_out *h) {
    const size_t n = sizeof last_word - 1;
    *h = (hold_out){.seed = seed};
    if (strncmp(text, last_word, n) == 0 && read_share(text + n, &h->share))
        h->kind = HOLD_OUT_LAST;
    else if (parse_count(text, 2, MOST_EVERY, &h->every))
        h->kind = HOLD_OUT_EVERY;
    else if (read_share(text, &h->share))
        h->kind = HOLD_OUT_SHARE;
    return h->kind != HOLD_OUT_NONE;
}

int is_hold_out(const char *text) {
    hold_out h;
    return hold_out_read(text, 0, &h);
}

int hold_out_option(const args *a, const char *option, hold_out *h) {
    const char *text = args_value(a, option);
    if (!text || hold_out_read(text, a->seed, h)) return DONE;
    return wrong_usage(a->command->name, "--%s %s: give " HOLD_OUT_FORMS, option, text);
}

void hold_out_rows(hold_out *h, uint64_t rows) { h->from = rows - (uint64_t)(h->share * (double)rows + 0.5); }

/* The finalizer of splitmix64: every bit of x decides about every bit of the result. */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int is_drawn(const hold_out *h, uint64_t row) {
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    const uint64_t draw = mixed(mixed(h->seed + golden) + (h->before + row + 1) * golden);
    return (double)(draw >> 11) * 0x1p-53 < h->share;
}

static int is_held(const hold_out *h, uint64_t row) {
    switch (h->kind) {
    case HOLD_OUT_SHARE:
        return is_drawn(h, row);
    case HOLD_OUT_LAST:
        return row >= h->from;
    case HOLD_OUT_EVERY:
        return (h->before + row + 1) % h->every == 0;
    case HOLD_OUT_NONE:
        break;
    }
    return 0;
}

size_t hold_out_run(const hold_out *h, uint64_t row, size_t n, int *held) {
    size_t i = 1;
    *held = n && is_held(h, row);
    if (h->kind == HOLD_OUT_NONE) return n;
    while (i < n && is_held(h, row + i) == *held) i++;
    return i < n ? i : n;
}

int hold_out_copy(const hold_out *h, uint64_t row, const sluice_batch *batch, size_t first, size_t n,
                  sluice_batch *to) {
    size_t longest = 1;
    for (size_t i = first; i < first + n; i++)
        if (sluice_batch_nonzeros(batch, i) > longest) longest = sluice_batch_nonzeros(batch, i);
    uint64_t *ids = malloc(longest * sizeof *ids);
    sluice_name *names = malloc(longest * sizeof *names);
    sluice_error err = {0};
    int rc = ids && names ? DONE : out_of_memory();
    for (size_t i = first; i < first + n && !rc; i++) {
        sluice_example x;
        if (!is_held(h, row + i)) continue;
        sluice_batch_row(batch, i, ids, names, &x);
        if (sluice_batch_add(to, &x, &err) != SLUICE_OK) rc = complain_error(&err);
    }
    free(ids);
    free(names);
    return rc;
}
