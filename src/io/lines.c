/* Blocks of whole lines, or of whole records that may be of several lines. What stands behind the last one of a block
 * is carried over to the next block, so that blocks can be parsed independently. Only a line or record that is longer
 * than a block makes a block grow, up to max_line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/block.h"
#include "io/records.h"

const char *const sl_reason_names[SL_REASONS] = {
    [SL_BAD_LABEL] = "label",    [SL_BAD_FIELD] = "field",
    [SL_BAD_ID] = "id",          [SL_BAD_VALUE] = "value",
    [SL_BAD_QID] = "qid",        [SL_NOT_FINITE] = "not-finite",
    [SL_OUT_OF_RANGE] = "range", [SL_REPEATED_ID] = "repeated-id",
    [SL_BAD_WEIGHT] = "weight",  [SL_BAD_NAME] = "name",
    [SL_NUL_BYTE] = "nul",       [SL_LONG_LINE] = "line-too-long",
};

bool sl_block_room(sl_block *b, size_t n) {
    if (n <= b->room) return true;
    if (n > SIZE_MAX - SL_BLOCK_PAD) return false;
    char *grown = realloc(b->text, n + SL_BLOCK_PAD);
    if (!grown) return false;
    b->text = grown, b->room = n;
    return true;
}

bool sl_bad_line(sl_block *b, sl_reason reason, uint64_t line, size_t column, const char *message) {
    if (b->rules->skip_errors) {
        b->skipped[reason]++;
        return true;
    }
    b->status = sl_fail_at(&b->error, SLUICE_E_DATA, b->source, line, column, "%s", message);
    return false;
}

static bool no_memory(sl_input *in, sl_block *b) {
    b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, in->name, 0, 0, "no memory for a block of %zu bytes", b->room);
    in->ended = true;
    return true;
}

/* Keeps text for the next block. */
static bool carry(sl_input *in, const char *text, size_t n) {
    if (n > in->carry_room) {
        char *grown = realloc(in->carry, n);
        if (!grown) return false;
        in->carry = grown, in->carry_room = n;
    }
    if (n) memcpy(in->carry, text, n);
    in->carry_n = n;
    return true;
}

/* The block's text begins with a record that is too long: leaves it out, to its end, and makes a block of that alone.
 */
static bool skip_long_record(sl_input *in, sl_block *b, sl_cut cut, size_t n) {
    size_t got = n, end;
    cut.at = cut.fresh = 0, cut.quoted = false;
    b->n = 0;
    while (!(end = sl_cut_first(&cut, b->text, got))) {
        b->lines += sl_count_newlines(b->text, got);
        sl_cut_go_on(&cut, b->text, got);
        b->status = sl_source_read(in->source, b->text, b->room, &got, &b->error);
        if (b->status == SLUICE_OK && got > 0) continue;
        b->lines++;
        in->ended = true;
        return true;
    }
    b->lines += sl_count_newlines(b->text, end);
    return carry(in, b->text + end, got - end) || no_memory(in, b);
}

static bool long_record(sl_input *in, sl_block *b, const sl_cut *cut, size_t n) {
    char message[80];
    snprintf(message, sizeof message, SL_LONG_LINE_MESSAGE, in->rules->max_line);
    if (cut->quotes && !in->header) /* without its first record a csv file has no meaning */
        b->status = sl_fail_at(&b->error, SLUICE_E_DATA, b->source, 1, 1, "%s", message);
    else if (sl_bad_line(b, SL_LONG_LINE, 1, 1, message))
        return skip_long_record(in, b, *cut, n);
    b->n = 0;
    in->ended = true;
    return true;
}

static sluice_status skip_byte_order_mark(sl_input *in, sluice_error *err) {
    bool yes;
    char mark[3];
    size_t got;
    sluice_status status = sl_source_begins(in->source, "\xef\xbb\xbf", 3, &yes, err);
    return status == SLUICE_OK && yes ? sl_source_read(in->source, mark, 3, &got, err) : status;
}

bool sl_fetch_records(sl_input *in, sl_block *b, sl_cut *cut) {
    const size_t max_line = in->rules->max_line, target = in->rules->block_bytes;
    size_t n = in->carry_n, end = 0; /* end: behind the last whole record */
    b->offset = sl_source_offset(in->source) - n;
    if (!sl_block_room(b, n + target)) return no_memory(in, b);
    if (n) {
        memcpy(b->text, in->carry, n);
        end = sl_cut_last(cut, b->text, n, 0);
        in->carry_n = 0;
    }
    if (!in->started) {
        in->started = true;
        b->status = skip_byte_order_mark(in, &b->error);
    }
    while (b->status == SLUICE_OK) {
        if (end && (n >= target || sl_source_is_live(in->source))) break;
        if (n - end > max_line) {
            if (end) break;
            return long_record(in, b, cut, n);
        }
        if (n == b->room && !sl_block_room(b, 2 * n)) return no_memory(in, b);
        size_t got, want = n < target ? target - n : b->room - n;
        b->status = sl_source_read(in->source, b->text + n, want, &got, &b->error);
        if (b->status != SLUICE_OK) break;
        if (got == 0) {
            in->ended = true;
            if (n > end) { /* the last record has no newline */
                if (n == b->room && !sl_block_room(b, n + 1)) return no_memory(in, b);
                b->text[n++] = '\n';
                end = n;
            }
            break;
        }
        n += got;
        end = sl_cut_last(cut, b->text, n, end);
    }
    if (b->status != SLUICE_OK) in->ended = true;
    if (!in->ended && !carry(in, b->text + end, n - end)) return no_memory(in, b);
    b->n = end;
    memset(b->text + end, '\n', SL_BLOCK_PAD);
    return end > 0 || b->status != SLUICE_OK;
}

bool sl_fetch_lines(sl_input *in, sl_block *b) {
    sl_cut cut = {.quotes = false};
    return sl_fetch_records(in, b, &cut);
}
