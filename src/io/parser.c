/* The parser: rows from bytes that are pushed, in the caller's thread. The same inputs, formats and rules as the
 * reader; its one block and its source keep their memory from input to input. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/bin/bin.h"
#include "io/format.h"
#include "io/input.h"
#include "io/csv/csv.h"

struct sluice_parser {
    sl_rules rules;
    sl_input input;
    sl_block block;
    sl_file_names names;       /* of the input, if it is a bin file with names */
    _Atomic uint64_t consumed; /* counted by the source, not used */
    uint64_t lines;            /* before the block */
    uint64_t skipped[SL_REASONS];
    bool finished;        /* sluice_parser_finish() was called */
    sluice_status status; /* a failure, until it is reset */
    sluice_error error;
};

sluice_parser *sluice_parser_new(const sluice_reader_options *options, sluice_error *err) {
    sluice_parser *p = calloc(1, sizeof *p);
    if (!p) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory");
        return NULL;
    }
    p->block.rules = &p->rules;
    p->input.rules = &p->rules;
    p->input.name = "<bytes>";
    if (sl_rules_set(&p->rules, options, err) == SLUICE_OK &&
        (p->input.source = sl_source_open_pushed(p->input.name, &p->consumed, err)))
        return p;
    sluice_parser_free(p);
    return NULL;
}

void sluice_parser_free(sluice_parser *p) {
    if (!p) return;
    sl_input_close(&p->input);
    sl_block_free(&p->block);
    sl_file_names_clear(&p->names);
    sl_rules_free(&p->rules);
    free(p);
}

sluice_status sluice_parser_push(sluice_parser *p, const void *bytes, size_t n) {
    if (p->status != SLUICE_OK) return p->status;
    if (p->finished || sl_source_pushed(p->input.source) || sl_block_has_more(&p->block))
        return sl_fail(&p->error, SLUICE_E_USAGE,
                       p->finished ? "the input is finished: reset the parser before the next one"
                                   : "rows of the bytes pushed before are still to be taken");
    sl_source_push(p->input.source, bytes, n);
    return SLUICE_OK;
}

void sluice_parser_finish(sluice_parser *p) {
    p->finished = true;
    sl_source_push_end(p->input.source);
}

/* Parses the next part of a block that was fetched; whether it has rows. */
static bool parse(sluice_parser *p) {
    sl_block *b = &p->block;
    if (b->n) sl_parse_block(b, p->input.format->parse);
    sl_bin_list_names(b, &p->names);
    const bool more = sl_block_has_more(b);
    b->batch.source = b->source;
    b->batch.first_line = p->lines;
    for (size_t i = 0; i < SL_REASONS; i++) p->skipped[i] += b->skipped[i];
    if (b->status != SLUICE_OK && !more) {
        p->error = b->error;
        if (p->error.line) p->error.line += p->lines;
        p->status = b->status;
    }
    p->lines += b->lines;
    return b->batch.rows > 0;
}

sluice_status sluice_parser_next(sluice_parser *p, const sluice_batch **batch) {
    *batch = NULL;
    if (!sl_block_has_more(&p->block)) sl_block_shrink(&p->block);
    while (p->status == SLUICE_OK) {
        if (sl_block_has_more(&p->block))
            sl_block_begin_part(&p->block);
        else if (p->input.ended || !sl_input_fetch(&p->input, &p->block))
            return SLUICE_END;
        if (!parse(p)) continue;
        *batch = &p->block.batch;
        return SLUICE_OK;
    }
    return p->status;
}

int sluice_parser_is_done(const sluice_parser *p) {
    return p->finished && p->status == SLUICE_OK && p->input.ended && !sl_block_has_more(&p->block);
}

void sluice_parser_reset(sluice_parser *p) {
    sl_input *in = &p->input;
    sl_csv_release(in->header);
    sl_source_push_reset(in->source);
    *in = (sl_input){
        .rules = in->rules, .name = in->name, .source = in->source, .carry = in->carry, .carry_room = in->carry_room};
    sl_block_clear(&p->block);
    sl_file_names_clear(&p->names);
    for (size_t i = 0; i < SL_REASONS; i++) p->skipped[i] = 0;
    p->lines = 0;
    p->finished = false;
    p->status = SLUICE_OK;
}

const sluice_error *sluice_parser_error(const sluice_parser *p) { return &p->error; }

const char *sluice_parser_skipped(const sluice_parser *p, size_t i, uint64_t *count) {
    if (i >= SL_REASONS) return NULL;
    *count = p->skipped[i];
    return sl_reason_names[i];
}
