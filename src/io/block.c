/* Blocks: their memory, and what goes wrong in them. */
#include "io/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/csv/csv.h"
#include "io/json/common_lines.h"
#include "io/named/quadratic.h"

const char *const sl_reason_names[SL_REASONS] = {
    [SL_BAD_LABEL] = "label",
    [SL_BAD_FIELD] = "field",
    [SL_BAD_ID] = "id",
    [SL_BAD_VALUE] = "value",
    [SL_BAD_QID] = "qid",
    [SL_NOT_FINITE] = "not-finite",
    [SL_OUT_OF_RANGE] = "range",
    [SL_REPEATED_ID] = "repeated-id",
    [SL_BAD_WEIGHT] = "weight",
    [SL_BAD_NAME] = "name",
    [SL_NUL_BYTE] = "nul",
    [SL_LONG_LINE] = "line-too-long",
    [SL_LARGE_ROW] = "row-too-large",
};

bool sl_block_room(sl_block *b, size_t n) {
    if (n <= b->room) return true;
    char *grown = realloc(b->text, n + SL_BLOCK_PAD);
    if (!grown) return false;
    b->text = grown, b->room = n;
    return true;
}

char *sl_block_scratch(sl_block *b, size_t n) {
    if (n <= b->scratch_room) return b->scratch;
    free(b->scratch);
    b->scratch = malloc(n);
    b->scratch_room = b->scratch ? n : 0;
    return b->scratch;
}

static void clear_batch(sl_block *b) {
    sl_batch_clear(&b->batch);
    b->numbered = false;
    b->batch.may_have_words = b->rules && b->rules->words;
}

void sl_block_clear(sl_block *b) {
    clear_batch(b);
    memset(b->skipped, 0, sizeof b->skipped);
    sl_csv_release(b->header);
    b->header = NULL;
    b->n = b->head = b->kept = b->at = 0, b->lines = 0, b->offset = b->end = 0;
    b->status = SLUICE_OK;
}

void sl_block_begin_part(sl_block *b) {
    clear_batch(b);
    b->batch.text_n = b->kept;
    memset(b->skipped, 0, sizeof b->skipped);
    b->lines = 0;
}

static void free_arrays(sl_block *b) {
    free(b->text);
    free(b->seen);
    free(b->scratch);
    b->text = NULL, b->room = 0;
    sl_crossed_free(b->crossed);
    b->crossed = NULL;
    sl_json_common_free(b->json);
    b->json = NULL;
    b->seen = NULL, b->seen_entries = 0;
    b->scratch = NULL, b->scratch_room = 0;
    sl_batch_free_arrays(&b->batch);
    sl_duplicates_free(&b->repeat);
}

void sl_block_shrink(sl_block *b) {
    size_t usual = 4 * b->rules->block_bytes, all = b->room + b->seen_entries * sizeof *b->seen;
    all += b->scratch_room + (size_t)sluice_batch_memory(&b->batch) + sl_duplicates_memory(&b->repeat) +
           sl_crossed_memory(b->crossed) + sl_json_common_memory(b->json);
    if (b->room > usual || all > 8 * usual) free_arrays(b);
}

void sl_block_free(sl_block *b) {
    free_arrays(b);
    sl_csv_release(b->header);
    b->header = NULL;
}

bool sl_bad_line(sl_block *b, sl_reason reason, const char *start, uint64_t line, size_t column, const char *message) {
    if (b->rules->skip_errors) {
        b->skipped[reason]++;
        if (b->rules->bad_line) {
            const sluice_bad_line bad = {b->source, b->offset + (uint64_t)(start - b->text), column,
                                         sl_reason_names[reason], message};
            b->rules->bad_line(b->rules->bad_line_context, &bad);
        }
        if (!b->rules->every_line || sl_batch_add_empty(&b->batch, line, true)) return true;
        b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, b->source, 0, 0, "no memory for %zu bytes of text", b->n);
        return false;
    }
    b->status = sl_fail_at(&b->error, SLUICE_E_DATA, b->source, line, column, "%s", message);
    return false;
}

void sl_stop_at(sl_block *b, const char *line) {
    b->end = b->offset + (uint64_t)(line - b->text);
    b->at = b->n;
}

void sl_block_no_memory(sl_block *b, const char *line) {
    b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, b->source, 0, 0, "no memory for %zu bytes of text", b->n);
    sl_stop_at(b, line);
}
