/* The same text, of any format, parsed by the careful parser alone, and with each set of kernels that the machine runs.
 * All must give the same rows, the same places, the same failure. */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/parse_kernels.h"

static sl_block parsed(sl_parse *parse, const char *text, size_t n, const sl_parse_kernels *kernels, bool skip,
                       bool words) {
    static const size_t max_line = 1 << 20;
    sl_rules *rules = malloc(sizeof *rules);
    *rules = (sl_rules){.max_line = max_line, .skip_errors = skip, .kernels = kernels, .words = words, .ngrams = 1};
    rules->tf = SLUICE_TF_LOG;
    sl_rules_set_blocks(rules, n + 1);
    rules->part_rows = rules->part_text = SIZE_MAX / 4; /* all rows in one part */
    bool ended = n && text[n - 1] == '\n';              /* a block always ends with a line */
    sl_block b = {.rules = rules, .source = "text", .n = n + !ended};
    b.text = malloc(b.n + SL_BLOCK_PAD);
    memset(b.text, '\n', b.n + SL_BLOCK_PAD);
    memcpy(b.text, text, n);
    parse(&b);
    return b;
}

static void release_parsed(sl_block *b) {
    free(b->text);
    free((void *)(uintptr_t)b->rules);
    sl_batch_free_arrays(&b->batch);
    sl_duplicates_free(&b->repeat);
    free(b->seen);
}

static bool same_array(const void *a, const void *b, size_t n) { return n == 0 || memcmp(a, b, n) == 0; }

static const char *difference(const sl_block *a, const sl_block *b) {
    const sluice_batch *x = &a->batch, *y = &b->batch;
    if (a->lines != b->lines) return "lines";
    if (a->status != b->status) return "status";
    if (a->status != SLUICE_OK && (a->error.line != b->error.line || a->error.column != b->error.column ||
                                   strcmp(a->error.message, b->error.message) != 0))
        return "error";
    if (memcmp(a->skipped, b->skipped, sizeof a->skipped) != 0) return "skipped";
    if (x->rows != y->rows || x->nonzeros != y->nonzeros || x->wides != y->wides) return "sizes";
    if (x->has_zeros != y->has_zeros) return "zeros";
    if (x->rows && !same_array(x->start, y->start, (x->rows + 1) * sizeof *x->start)) return "starts";
    if (!same_array(x->label, y->label, x->rows * sizeof *x->label)) return "labels";
    if (!same_array(x->line, y->line, x->rows * sizeof *x->line)) return "line numbers";
    if (x->has_names != y->has_names) return "kinds of features";
    if (!x->has_names && !same_array(x->id, y->id, x->nonzeros * sizeof *x->id)) return "ids";
    for (size_t k = 0; x->has_names && k < x->nonzeros; k++)
        if (x->name[k].n != y->name[k].n || x->hash[k] != y->hash[k] ||
            !same_array(x->text + x->name[k].at, y->text + y->name[k].at, x->name[k].n))
            return "names";
    if (!same_array(x->value, y->value, x->nonzeros * sizeof *x->value)) return "values";
    if (!same_array(x->wide, y->wide, x->wides * sizeof *x->wide)) return "wide ids";
    for (size_t i = 0; i < x->rows; i++) {
        const sluice_name a_word = sl_batch_word(x, i), b_word = sl_batch_word(y, i);
        if (a_word.n != b_word.n || !same_array(a_word.text, b_word.text, a_word.n)) return "words";
    }
    return NULL;
}

static const char *difference_with(sl_parse *parse, const char *text, size_t n, bool skip, bool words) {
    const char *found = NULL;
    sl_block careful = parsed(parse, text, n, NULL, skip, words);
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON && !found; cpu++) {
        const sl_parse_kernels *kernels = sl_parse_kernels_for(cpu);
        if (!kernels) continue;
        sl_block fast = parsed(parse, text, n, kernels, skip, words);
        found = difference(&careful, &fast);
        release_parsed(&fast);
    }
    release_parsed(&careful);
    return found;
}

/* NULL, or what differs: where labels are numbers, or where they may be words. */
static const char *any_difference(sl_parse *parse, const char *text, size_t n, bool skip) {
    const char *found = difference_with(parse, text, n, skip, false);
    return found ? found : difference_with(parse, text, n, skip, true);
}

#endif
