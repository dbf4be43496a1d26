/* The rules of a reader or parser, made from its options. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "io/block.h"
#include "io/format.h"
#include "io/label_costs.h"
#include "io/named/quadratic.h"
#include "io/text/stop_words.h"
#include "io/named/name_patterns.h"
#include "io/parse_kernels.h"

#define MOST_AT_ONCE ((size_t)1 << 30)

/* One byte more than that, so that the end of the input is seen with its last line. */
static size_t block_bytes(size_t at_once) {
    if (at_once < SL_BLOCK_BYTES) return SL_BLOCK_BYTES;
    return (at_once < MOST_AT_ONCE ? at_once : MOST_AT_ONCE) + 1;
}

/* A copy of an option's text; NULL stays NULL. */
static bool copy_text(char **copy, const char *text) {
    *copy = text ? strdup(text) : NULL;
    return *copy || !text;
}

/* Tests have small blocks, and then small parts too. */
void sl_rules_set_blocks(sl_rules *rules, size_t block_bytes) {
    rules->block_bytes = block_bytes;
    rules->part_rows = block_bytes / 4 + 1;
    rules->part_text = block_bytes * 4;
}

/* A number of characters, from 1. */
static const char *read_chars(const char *p, unsigned *n) {
    if (*p < '1' || *p > '9') return NULL;
    for (*n = 0; *p >= '0' && *p <= '9' && *n <= SLUICE_MAX_CHARS; p++) *n = 10 * *n + (unsigned)(*p - '0');
    return *n <= SLUICE_MAX_CHARS ? p : NULL;
}

/* Reads "3" or "2-5". */
static sluice_status set_chars(sl_rules *rules, const char *chars, sluice_error *err) {
    const char *p = read_chars(chars, &rules->chars_min);
    rules->chars_max = rules->chars_min;
    if (p && *p == '-') p = read_chars(p + 1, &rules->chars_max);
    if (p && !*p && rules->chars_min <= rules->chars_max) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_USAGE, "n-grams of characters are a number from 1 to %d, or two as in 2-5",
                   SLUICE_MAX_CHARS);
}

static sluice_status set_text(sl_rules *rules, const sluice_reader_options *o, sluice_error *err) {
    if (o->ngrams > SLUICE_MAX_NGRAMS || o->tf > SLUICE_TF_LOG)
        return sl_fail(err, SLUICE_E_USAGE, "n-grams have 1 to %d words, and tf is binary, count or log",
                       SLUICE_MAX_NGRAMS);
    if (o->min_length > SLUICE_MAX_MIN_LENGTH)
        return sl_fail(err, SLUICE_E_USAGE, "the least length of words is at most %d", SLUICE_MAX_MIN_LENGTH);
    if (o->no_words && !o->chars) return sl_fail(err, SLUICE_E_USAGE, "text without words needs chars");
    rules->ngrams = o->ngrams ? o->ngrams : 1;
    rules->tf = o->tf ? o->tf : SLUICE_TF_LOG;
    rules->no_words = o->no_words != 0;
    rules->min_length = o->min_length;
    sluice_status status = o->chars ? set_chars(rules, o->chars, err) : SLUICE_OK;
    if (status != SLUICE_OK || !o->stop_words || !*o->stop_words) return status;
    return sl_stop_words_new(o->stop_words, &rules->stop_words, err);
}

sluice_status sl_rules_set(sl_rules *rules, const sluice_reader_options *given, sluice_error *err) {
    sluice_reader_options o = {.size = sizeof o};
    sluice_error why = {0};
    sluice_status status = sl_sized_read(&o, sizeof o, given, "sluice_reader_options", err);
    *rules = (sl_rules){0};
    if (status != SLUICE_OK) return status;
    if (o.format && !(rules->format = sl_format_find(o.format, err))) return SLUICE_E_USAGE;
    if (o.hint && *o.hint && !(rules->hint = sl_format_find(o.hint, err))) return SLUICE_E_USAGE;
    if ((status = set_text(rules, &o, err)) != SLUICE_OK) return status;
    rules->threads = o.threads;
    sl_rules_set_blocks(rules, block_bytes(o.at_once));
    rules->max_line = o.max_line ? o.max_line : SLUICE_MAX_LINE;
    rules->skip_errors = o.skip_errors != 0;
    rules->bad_line = rules->skip_errors ? o.bad_line : NULL;
    rules->bad_line_context = o.bad_line_context;
    rules->only_counted = rules->skip_errors && !rules->bad_line;
    rules->no_header = o.no_header != 0;
    rules->unlabelled = o.unlabelled != 0;
    rules->words = o.words && !o.unlabelled;
    rules->missing_labels = o.missing_labels && !o.unlabelled;
    rules->every_line = o.every_line != 0;
    rules->keep_lines = o.keep_lines != 0;
    rules->drop_id = o.drop_id != 0;
    rules->as_is = o.as_is != 0;
    if (rules->as_is && !o.format) return sl_fail(err, SLUICE_E_USAGE, "as_is needs a format");
    if ((rules->keep_lines || o.id) && !rules->every_line)
        return sl_fail(err, SLUICE_E_USAGE, "keep_lines and id need every_line");
    if (o.separator && sluice_separator((char[]){(char)o.separator, 0}) != o.separator)
        return sl_fail(err, SLUICE_E_USAGE, "the byte %d cannot separate the fields of csv", o.separator);
    rules->separator = (char)o.separator;
    status = sl_choice_new(&o, &rules->choice, err);
    if (status != SLUICE_OK) return status;
    rules->kernels = sl_parse_kernels_chosen();
    if (o.n_costs && !(rules->costs = sl_label_costs_new(o.costs, o.n_costs, &why))) {
        if (err) *err = why;
        return why.status;
    }
    if (o.quadratic && *o.quadratic && !(rules->quadratic = sl_quadratic_new(o.quadratic, &why))) {
        if (err) *err = why;
        return why.status;
    }
    if (copy_text(&rules->label, o.label) && copy_text(&rules->weight, o.weight) && copy_text(&rules->id, o.id))
        return SLUICE_OK;
    return sl_fail(err, SLUICE_E_MEMORY, "no memory");
}

void sl_rules_free(sl_rules *rules) {
    free(rules->label);
    free(rules->weight);
    free(rules->id);
    sl_label_costs_free(rules->costs);
    sl_stop_words_free(rules->stop_words);
    sl_quadratic_free(rules->quadratic);
    sl_choice_free(rules->choice);
    *rules = (sl_rules){0};
}
