/* Blocks of whole lines. What stands behind the last newline of a block is carried over to the next one, so that blocks
 * can be parsed independently. Only a line that is longer than a block makes a block grow, up to max_line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "io/block.h"

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

/* The block's text begins with a line that is too long: leaves it out, to its end, and makes a block of that alone. */
static bool skip_long_line(sl_input *in, sl_block *b, size_t n) {
    size_t got = n;
    char *newline = NULL;
    b->n = 0;
    b->lines = 1;
    while (b->status == SLUICE_OK && !(newline = memchr(b->text, '\n', got))) {
        b->status = sl_source_read(in->source, b->text, b->room, &got, &b->error);
        if (got == 0) break;
    }
    if (!newline) in->ended = true;
    if (newline && !carry(in, newline + 1, (size_t)(b->text + got - (newline + 1)))) return no_memory(in, b);
    return true;
}

static bool long_line(sl_input *in, sl_block *b, size_t n) {
    char message[80];
    snprintf(message, sizeof message, SL_LONG_LINE_MESSAGE, in->rules->max_line);
    if (sl_bad_line(b, SL_LONG_LINE, 1, 1, message)) return skip_long_line(in, b, n);
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

bool sl_fetch_lines(sl_input *in, sl_block *b) {
    const size_t max_line = in->rules->max_line, target = in->rules->block_bytes;
    size_t n = in->carry_n, end = 0; /* end: behind the last newline */
    b->offset = sl_source_offset(in->source) - n;
    if (!sl_block_room(b, n + target)) return no_memory(in, b);
    if (n) {
        memcpy(b->text, in->carry, n);
        char *newline = memrchr(b->text, '\n', n);
        if (newline) end = (size_t)(newline + 1 - b->text);
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
            return long_line(in, b, n);
        }
        if (n == b->room && !sl_block_room(b, 2 * n)) return no_memory(in, b);
        size_t got, want = n < target ? target - n : b->room - n;
        b->status = sl_source_read(in->source, b->text + n, want, &got, &b->error);
        if (b->status != SLUICE_OK) break;
        if (got == 0) {
            in->ended = true;
            if (n > end) { /* the last line has no newline */
                if (n == b->room && !sl_block_room(b, n + 1)) return no_memory(in, b);
                b->text[n++] = '\n';
                end = n;
            }
            break;
        }
        char *newline = memrchr(b->text + n, '\n', got);
        n += got;
        if (newline) end = (size_t)(newline + 1 - b->text);
    }
    if (b->status != SLUICE_OK) in->ended = true;
    if (!in->ended && !carry(in, b->text + end, n - end)) return no_memory(in, b);
    b->n = end;
    memset(b->text + end, '\n', SL_BLOCK_PAD);
    return end > 0 || b->status != SLUICE_OK;
}
