/* Notes the lines and the ids of rows behind the parser: with every_line each line (csv: each record) of a part is one
 * row, so that a walk over the text finds them all. */
#include "io/origins.h"

#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/label_costs.h"
#include "io/csv/csv.h"

sluice_status sl_origins_check(const sl_rules *rules, const sl_format *format, const char *input, sluice_error *err) {
    char quoted[128];
    if (rules->keep_lines && format->fetch == sl_fetch_bin)
        return sl_fail_at(err, SLUICE_E_UNSUPPORTED, input, 0, 0, "the bin format has no lines to keep");
    if (!rules->id) return SLUICE_OK;
    sl_quote(quoted, rules->id, strlen(rules->id));
    if (!format->find_id)
        return sl_fail_at(err, SLUICE_E_UNSUPPORTED, input, 0, 0,
                          "there is no %s for the id: %s has no columns, keys or tags, only lines (--id line)", quoted,
                          format->name);
    if (format->find_id == sl_find_vw_id && strcmp(rules->id, "tag") != 0)
        return sl_fail_at(err, SLUICE_E_UNSUPPORTED, input, 0, 0, "there is no %s for the id: in vw it is the tag",
                          quoted);
    return SLUICE_OK;
}

/* Behind the line or record that begins here. */
static const char *past_record(const sl_block *b, const char *p) {
    const char *end = b->text + b->n;
    size_t n;
    if (b->header) {
        sl_cut cut = {.quotes = true, .separator = b->header->separator};
        n = sl_cut_first(&cut, p, (size_t)(end - p));
    } else {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        n = newline ? (size_t)(newline + 1 - p) : 0;
    }
    return n ? p + n : end;
}

/* A line that is too long has neither text nor id: whether a block holds it depends on the size of blocks. */
static bool note(sl_block *b, const char *p, const char *end, bool too_long) {
    sl_origin origin = {.line = p, .line_n = (size_t)(end - p)};
    if (too_long) {
        origin = (sl_origin){0};
    } else if (b->rules->id && b->find_id) {
        char *id = sl_batch_id_room(&b->batch, origin.line_n);
        if (!id) return false;
        origin.id_kind = b->find_id(b, p, end, id, &origin.id_n);
        if (!origin.id_kind) origin.id_n = 0;
    }
    return sl_batch_add_origin(&b->batch, origin);
}

/* Of the rows of the part that begins at `from`. */
static void note_all(sl_block *b, size_t from) {
    sluice_batch *batch = &b->batch;
    const char *p = b->text + from;
    uint64_t line = 1;
    if (from < b->head) {
        line += sl_count_newlines(p, b->head - from);
        p = b->text + b->head;
    }
    batch->lines_kept = b->rules->keep_lines;
    for (size_t row = 0; row < batch->rows; row++) {
        const char *next = past_record(b, p), *end = next - (next > p && next[-1] == '\n');
        const bool too_long = (size_t)(end - p) > b->rules->max_line;
        if (end > p && end[-1] == '\r') end--;
        if (!note(b, p, end, too_long)) {
            sl_batch_clear(batch);
            sl_block_no_memory(b, b->text + from);
            return;
        }
        if (b->header) { /* a malformed record was noted under the line of its error */
            batch->line[row] = (uint32_t)line;
            line += sl_count_newlines(p, (size_t)(next - p));
        }
        p = next;
    }
}

void sl_parse_block(sl_block *b, sl_parse *parse) {
    const size_t from = b->at;
    parse(b);
    if (b->rules->costs) sl_label_costs_apply(b->rules->costs, &b->batch);
    if ((b->rules->keep_lines || b->rules->id) && b->text && parse != sl_parse_bin) note_all(b, from);
}
