/* The same csv or JSON Lines, parsed by the careful parser alone, and with each set of kernels that the machine runs:
 * the same rows, the same places, the same failures, put down as bytes. */
#ifndef TABLE_WAYS_H
#define TABLE_WAYS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/parse_kernels.h"

typedef struct table_account {
    char *bytes;
    size_t n, room;
} table_account;

static void account_for(table_account *a, const void *bytes, size_t n) {
    if (a->n + n > a->room) {
        a->room = 2 * (a->n + n) + 1000;
        a->bytes = realloc(a->bytes, a->room);
        if (!a->bytes) abort();
    }
    if (n) memcpy(a->bytes + a->n, bytes, n);
    a->n += n;
}

static void account_for_number(table_account *a, uint64_t x) { account_for(a, &x, sizeof x); }

static void account_for_bad_line(void *account, const sluice_bad_line *bad) {
    account_for_number(account, bad->offset);
    account_for_number(account, bad->column);
    account_for(account, bad->reason, strlen(bad->reason));
    account_for(account, bad->message, strlen(bad->message));
}

static void account_for_rows(table_account *a, const sluice_batch *b, uint64_t lines) {
    for (size_t i = 0; i < b->rows; i++) {
        const sluice_name word = sl_batch_word(b, i);
        account_for_number(a, lines + b->line[i]);
        account_for(a, &b->label[i], sizeof b->label[i]);
        account_for(a, b->has_weights ? &b->weight[i] : &(float){1}, sizeof(float));
        account_for_number(a, (uint64_t)sluice_batch_unlabelled(b, i));
        account_for_number(a, (uint64_t)sluice_batch_left_out(b, i));
        account_for_number(a, word.n);
        account_for(a, word.text, word.n);
        account_for_number(a, b->start[i + 1] - b->start[i]);
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            account_for_number(a, b->name[k].n);
            account_for(a, b->text + b->name[k].at, b->name[k].n);
            account_for_number(a, b->hash[k]);
            account_for(a, &b->value[k], sizeof b->value[k]);
        }
    }
    for (size_t k = 0; k < b->n_unlabelled; k++) account_for(a, &b->unlabelled[k].weight, sizeof(float));
}

/* What an input comes to, read in blocks of this many bytes. */
static table_account table_read(const char *text, size_t n, sluice_reader_options options, size_t block_bytes,
                                const sl_parse_kernels *kernels) {
    table_account a = {0};
    sluice_error err = {0};
    sl_rules rules;
    _Atomic uint64_t consumed = 0;
    bool zeros = false;
    uint64_t lines = 0;
    options.size = sizeof options;
    if (options.skip_errors) options.bad_line = account_for_bad_line, options.bad_line_context = &a;
    if (sl_rules_set(&rules, &options, &err) != SLUICE_OK) abort();
    rules.kernels = kernels;
    sl_rules_set_blocks(&rules, block_bytes);
    sl_input in = {.rules = &rules, .name = "table", .is_last = true};
    in.source = sl_source_open_memory(text, n, in.name, &consumed, &err);
    sl_block b = {.rules = &rules};
    while (!in.ended && sl_input_fetch(&in, &b)) {
        bool more = b.status == SLUICE_OK;
        for (lines += more ? 0 : b.lines; more; more = b.status == SLUICE_OK && sl_block_has_more(&b)) {
            if (b.at) sl_block_begin_part(&b);
            in.format->parse(&b);
            account_for_rows(&a, &b.batch, lines);
            zeros |= b.batch.has_zeros;
            lines += b.lines;
            for (size_t r = 0; r < SL_REASONS; r++)
                for (uint64_t k = 0; k < b.skipped[r]; k++) account_for_number(&a, 1000 + r);
        }
        if (b.status != SLUICE_OK) {
            account_for_number(&a, (uint64_t)b.status);
            account_for_number(&a, b.error.line);
            account_for_number(&a, b.error.column);
            account_for(&a, b.error.message, strlen(b.error.message));
            break;
        }
    }
    account_for_number(&a, lines);
    account_for_number(&a, zeros);
    sl_block_free(&b);
    sl_input_close(&in);
    sl_rules_free(&rules);
    return a;
}

/* Whether all ways read it alike. */
static bool table_reads_alike(const char *text, size_t n, const sluice_reader_options *options, size_t block_bytes) {
    bool alike = true;
    table_account careful = table_read(text, n, *options, block_bytes, NULL);
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON && alike; cpu++) {
        const sl_parse_kernels *kernels = sl_parse_kernels_for(cpu);
        if (!kernels) continue;
        table_account fast = table_read(text, n, *options, block_bytes, kernels);
        alike = fast.n == careful.n && memcmp(fast.bytes, careful.bytes, fast.n) == 0;
        free(fast.bytes);
    }
    free(careful.bytes);
    return alike;
}

#endif
