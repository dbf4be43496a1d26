/* Inputs: the choice of a format and the fetching of blocks, for readers and parsers alike. */
#include "io/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/named/csv.h"
#include "io/source/other_formats.h"

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

bool sl_input_fetch(sl_input *in, sl_block *b) {
    sl_block_clear(b);
    b->source = in->name;
    if (!in->format) {
        b->status = choose_format(in, &b->error);
        if (b->status == SLUICE_OK) b->status = sl_origins_check(in->rules, in->format, in->name, &b->error);
    }
    b->format_name = in->format ? in->format->name : NULL;
    b->find_id = in->format ? in->format->find_id : NULL;
    bool some = b->status != SLUICE_END;
    if (b->status == SLUICE_OK)
        some = in->format->fetch(in, b);
    else if (some)
        in->ended = true;
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
