/* Blocks of whole lines, or of whole records that may be of several lines. What stands behind the last one of a block
 * is carried over to the next block, so that blocks can be parsed independently. Only a line or record that is longer
 * than a block makes a block grow, up to max_line. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/source/other_formats.h"

static bool no_memory(sl_input *in, sl_block *b) {
    b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, in->name, 0, 0, "no memory for a block of %zu bytes", b->room);
    in->ended = true;
    return true;
}

static void tell_of_long_record(const sl_input *in, const sl_block *b) {
    char message[sizeof SL_LONG_LINE_MESSAGE + 24];
    if (!in->rules->bad_line) return;
    snprintf(message, sizeof message, SL_LONG_LINE_MESSAGE, in->rules->max_line);
    const sluice_bad_line bad = {b->source, in->skip_offset, 1, sl_reason_names[SL_LONG_LINE], message};
    in->rules->bad_line(in->rules->bad_line_context, &bad);
}

/* Leaves out the record that in->skip is in, of which `got` bytes are in the block's text, and makes a block of that
 * alone. Where bytes are still to come it goes on at the next call. */
static bool skip_long_record(sl_input *in, sl_block *b, size_t got) {
    size_t end;
    while (!(end = sl_cut_first(&in->skip, b->text, got))) {
        in->lines += sl_count_newlines(b->text, got);
        sl_cut_go_on(&in->skip, b->text, got);
        b->status = sl_source_read(in->source, b->text, b->room, &got, &b->error);
        if (b->status == SLUICE_END) return false;
        if (b->status == SLUICE_OK && got > 0) continue;
        in->lines++; /* it has no newline */
        in->ended = true;
        break;
    }
    b->lines = in->lines + sl_count_newlines(b->text, end);
    b->skipped[SL_LONG_LINE]++;
    tell_of_long_record(in, b);
    in->skipping = false;
    b->batch.has_lines = true;
    b->batch.lines_kept = in->rules->keep_lines;
    b->batch.has_names = in->format->parse != sl_parse_libsvm;
    if (in->rules->every_line && !sl_batch_add_empty(&b->batch, 1, true)) return no_memory(in, b);
    return in->ended || sl_input_keep(in, b->text + end, got - end) || no_memory(in, b);
}

/* The block's text, n bytes, begins with a record that is too long. */
static bool long_record(sl_input *in, sl_block *b, const sl_cut *cut, size_t n) {
    if (in->rules->skip_errors && (!cut->quotes || in->header)) {
        in->skipping = true;
        in->skip = *cut;
        in->skip_offset = b->offset;
        in->skip.at = in->skip.fresh = 0, in->skip.quoted = false;
        in->lines = 0;
        return skip_long_record(in, b, n);
    }
    /* without its first record a csv file has no meaning, so that is never left out */
    b->status = sl_fail_at(&b->error, SLUICE_E_DATA, b->source, 1, 1, SL_LONG_LINE_MESSAGE, in->rules->max_line);
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
    const size_t max_line = in->rules->max_line, target = in->target ? in->target : in->rules->block_bytes;
    size_t n = in->carry_n, end = 0; /* end: behind the last whole record */
    b->offset = sl_source_offset(in->source) - n;
    if (!sl_block_room(b, n + target)) return no_memory(in, b);
    if (in->skipping) return skip_long_record(in, b, 0);
    if (n) {
        memcpy(b->text, in->carry, n);
        end = sl_cut_last(cut, b->text, n, 0);
        in->carry_n = 0;
    }
    if (!in->started) {
        b->status = skip_byte_order_mark(in, &b->error);
        in->started = b->status == SLUICE_OK;
        b->offset = sl_source_offset(in->source);
    }
    while (b->status == SLUICE_OK) {
        if (end && (n >= target || (sl_source_is_live(in->source) && !sl_source_is_ready(in->source)))) break;
        if (n - end > max_line) {
            if (end) break;
            return long_record(in, b, cut, n);
        }
        if (n == b->room && !sl_block_room(b, 2 * n)) return no_memory(in, b);
        size_t got, want = n < target ? target - n : b->room - n;
        if (want > target) want = target; /* so that a long line has few others with it */
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
    if (b->status == SLUICE_END) return !sl_input_keep(in, b->text, n) && no_memory(in, b);
    if (b->status != SLUICE_OK) in->ended = true;
    if (!in->ended && !sl_input_keep(in, b->text + end, n - end)) return no_memory(in, b);
    if (!in->looked && end && b->status == SLUICE_OK && !in->rules->as_is) {
        in->looked = true;
        b->status = sl_check_first_text(in, b->text, end, &b->error);
        if (b->status != SLUICE_OK) end = 0, in->ended = true;
    }
    b->n = end;
    memset(b->text + end, '\n', SL_BLOCK_PAD);
    return end > 0 || b->status != SLUICE_OK;
}

bool sl_fetch_lines(sl_input *in, sl_block *b) {
    sl_cut cut = {.quotes = false};
    return sl_fetch_records(in, b, &cut);
}
