/* Inputs: the choice of a format and the fetching of blocks, for readers and parsers alike. */
#include "io/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/source/other_formats.h"
#include "io/csv/csv.h"
#include "io/named/name_patterns.h"
#include "io/named/quadratic.h"
#include "io/records.h"

/* Chooses the format: the one asked for, else by the first bytes, else by the ending. */
static sluice_status choose_format(sl_input *in, sluice_error *err) {
    static const char model[] = "sluice\x1a\n"; /* how models begin: a likely mistake, worth its own message */
    bool is_model = false;
    if (in->rules->as_is) {
        sl_source_take_as_is(in->source);
        in->format = in->rules->format;
        in->started = true;
        return SLUICE_OK;
    }
    sluice_status status = sl_source_begins(in->source, model, sizeof model - 1, &is_model, err);
    if (status != SLUICE_OK) return status;
    if (is_model)
        return sl_fail_at(err, SLUICE_E_DATA, in->name, 0, 0, "this is a sluice model, not a stream of examples");
    const sl_format *found = in->rules->format;
    for (const sl_format *f = sl_formats; f->name && !found; f++) {
        bool yes = false;
        if (f->magic) status = sl_source_begins(in->source, f->magic, f->magic_n, &yes, err);
        if (status != SLUICE_OK) return status;
        if (yes) found = f;
    }
    if (!found || !found->magic) status = sl_check_first_bytes(in, err);
    if (status != SLUICE_OK) return status;
    in->format = found ? found : sl_format_by_ending(in->name, in->rules->hint);
    return SLUICE_OK;
}

/* Which columns and keys are features means something in csv and jsonl alone. */
static sluice_status check_choice(const sl_input *in, sluice_error *err) {
    sl_choice *c = in->rules->choice;
    const bool json = in->format->parse == sl_parse_jsonl;
    if (!c) return SLUICE_OK;
    c->only_csv &= in->format->parse == sl_parse_csv;
    if (c->only_csv || json || !c->must_exist) return SLUICE_OK;
    return sl_fail_at(err, SLUICE_E_DATA, in->name, 0, 0, "columns, ignore and text are for csv and jsonl; this is %s",
                      in->format->name);
}

/* Keeps the first line of JSON that is not blank, with bytes behind it. */
static void keep_first_line(sl_choice *c, const sl_block *b) {
    size_t first = 0, next;
    while ((next = sl_past_blank_line(b->text, first, b->n)) > first) first = next;
    if (first == b->n) return;
    const char *line = b->text + first, *newline = memchr(line, '\n', b->n - first);
    const size_t n = newline ? (size_t)(newline - line) : b->n - first;
    if (!(c->first_line = malloc(n + SL_BLOCK_PAD))) return;
    memcpy(c->first_line, line, n);
    memset(c->first_line + n, '\n', SL_BLOCK_PAD);
    c->first_line_n = n;
}

bool sl_input_fetch(sl_input *in, sl_block *b) {
    sl_block_clear(b);
    b->source = in->name;
    if (!in->format) {
        b->status = choose_format(in, &b->error);
        if (b->status == SLUICE_OK) b->status = sl_origins_check(in->rules, in->format, in->name, &b->error);
        if (b->status == SLUICE_OK) b->status = sl_quadratic_check_format(in->rules, in->format, in->name, &b->error);
        if (b->status == SLUICE_OK) b->status = check_choice(in, &b->error);
    }
    b->group_end = in->format ? sl_group_end(in->format) : 0;
    b->format_name = in->format ? in->format->name : NULL;
    b->find_id = in->format ? in->format->find_id : NULL;
    bool some = b->status != SLUICE_END;
    if (b->status == SLUICE_OK)
        some = in->format->fetch(in, b);
    else if (some)
        in->ended = true;
    sl_choice *c = in->rules->choice;
    if (c && some && b->n) {
        const bool json = in->format->parse == sl_parse_jsonl;
        c->has_columns |= json || in->header;
        if (json && c->must_exist && !c->first_line) keep_first_line(c, b);
    }
    b->end = b->status == SLUICE_OK ? sl_source_offset(in->source) - in->carry_n : b->offset + b->n;
    return some;
}

bool sl_input_keep(sl_input *in, const char *bytes, size_t n) {
    if (n > in->carry_room) {
        char *grown = realloc(in->carry, n);
        if (!grown) return false;
        in->carry = grown, in->carry_room = n;
    }
    if (n) memcpy(in->carry, bytes, n);
    in->carry_n = n;
    return true;
}

void sl_input_close(sl_input *in) {
    sl_source_close(in->source);
    sl_csv_release(in->header);
    free(in->carry);
    *in = (sl_input){0};
}
