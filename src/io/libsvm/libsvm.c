/* LIBSVM text: `label id:value id:value ... # comment`, one example a line.
 * Rows of the common kind are parsed by common_rows.c. The loop here parses the others: common fields (an id of up to
 * 15 digits, a colon, a value of up to 16 digits and perhaps a point, one space) eight digits at a time
 * (base/digits.h). Everything else - long numbers, exponents, tabs, qid, every kind of error - goes to careful_field(),
 * the one place where the rules are written. */
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "base/number.h"
#include "io/libsvm/common_rows.h"
#include "io/format.h"
#include "io/line_errors.h"
#include "io/records.h"

/* Whether a line, or what counts of it, ends here. */
static bool at_line_end(const char *p) { return *p == '\n' || *p == '#' || (*p == '\r' && p[1] == '\n'); }

static const char *token_end(const char *p) {
    while (*p != ' ' && *p != '\t' && !at_line_end(p)) p++;
    return p;
}

/* *labelled: false where the label is missing and may be, or where examples need no label and the first field has a
 * colon or is no number. */
static bool label(const char **p, const sl_rules *rules, sl_label *y, bool *labelled, sl_trouble *t) {
    const char *end = token_end(*p);
    if (!sl_no_nul(*p, end, t)) return false;
    const bool colon = memchr(*p, ':', (size_t)(end - *p));
    if (sl_label_is_missing(*p, end, rules)) {
        *labelled = false;
        *p = end;
        return true;
    }
    *labelled = !rules->unlabelled || !colon;
    if (!*labelled) return true;
    if (colon && rules->words)
        return sl_bad(t, SL_BAD_LABEL, *p, "there is no label before %s", *p, (size_t)(end - *p));
    const bool good = colon ? sl_number_between(*p, end, &y->value, SL_BAD_LABEL, "label", "", t)
                            : sl_label_between(*p, end, rules, y, t);
    if (!good) {
        if (!rules->unlabelled) return false;
        *labelled = false;
        y->value = 0;
    }
    *p = end;
    return true;
}

static bool qid(const char *p, const char *end, sl_trouble *t) {
    const char *q = p + 4;
    if (q < end && (*q == '-' || *q == '+')) q++;
    const char *digits = q;
    while (q < end && sl_is_digit(*q)) q++;
    return (q == end && q > digits) ||
           sl_bad(t, SL_BAD_QID, p, "%s is not qid: and a whole number", p, (size_t)(end - p));
}

static bool whole_number(const char *p, const char *end, uint64_t *id) {
    uint64_t v = 0;
    for (; p < end; p++)
        if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v)) return false;
    *id = v;
    return true;
}

/* One field by all the rules. *is_qid: it was one, and there is nothing to keep. */
static bool careful_field(const char **p, uint64_t *id, float *value, bool *is_qid, sl_trouble *t) {
    const char *field = *p, *end = token_end(field);
    size_t n = (size_t)(end - field);
    *is_qid = n >= 4 && memcmp(field, "qid:", 4) == 0;
    if (!sl_no_nul(field, end, t)) return false;
    *p = end;
    if (*is_qid) return qid(field, end, t);
    const char *colon = memchr(field, ':', n);
    if (!colon) return sl_bad(t, SL_BAD_FIELD, field, "%s is not id:value", field, n);
    size_t id_n = (size_t)(colon - field), digits = 0;
    while (digits < id_n && sl_is_digit(field[digits])) digits++;
    if (digits < id_n || id_n == 0)
        return sl_bad(t, SL_BAD_ID, field, "id %s is not a whole number from 0 to 18446744073709551615", field, id_n);
    if (!whole_number(field, colon, id))
        return sl_bad(t, SL_BAD_ID, field, "id %s is larger than 18446744073709551615", field, id_n);
    char text[64] = "";
    if (colon + 1 == end) {
        if (!t->counted) snprintf(text, sizeof text, "id %llu has no value", (unsigned long long)*id);
        return sl_bad(t, SL_BAD_VALUE, end, text, field, 0);
    }
    const char *q = colon + 1;
    if (sl_parse_float(&q, value) == SL_NUMBER_OK && q == end) return true;
    if (!t->counted) snprintf(text, sizeof text, " of id %llu", (unsigned long long)*id);
    return sl_number_between(colon + 1, end, value, SL_BAD_VALUE, "value", text, t);
}

/* The common field, or false (then the careful one decides). *p ends up behind the value. */
static inline __attribute__((always_inline)) bool common_field(const char **at, uint64_t *id, float *value) {
    const char *p = *at;
    uint64_t t = sl_load8(p) ^ SL_ZEROS;
    unsigned n = sl_digit_run(t);
    if (n - 1 < 7) {
        *id = sl_few_digits(t, n);
        p += n;
    } else {
        if (n == 0) return false;
        uint64_t t2 = sl_load8(p + 8) ^ SL_ZEROS;
        unsigned n2 = sl_digit_run(t2);
        if (n2 == 8) return false;
        *id = sl_eight_digits(t) * sl_pow10_int[n2] + (n2 ? sl_few_digits(t2, n2) : 0);
        p += 8 + n2;
    }
    if (*p++ != ':') return false;
    if (!sl_quick_float(&p, value) || !(*p == ' ' || *p == '\n' || *p == '\t')) return false;
    *at = p;
    return true;
}

/* Where the n-th feature of a good line begins; p: behind the label. */
static const char *feature_place(const char *p, size_t n) {
    for (;; p = token_end(p)) {
        while (*p == ' ' || *p == '\t') p++;
        if (memcmp(p, "qid:", 4) != 0 && n-- == 0) return p;
    }
}

/* Whether no id stands twice among the n features from element `first` on; text: behind the row's label. */
static bool distinct(sl_block *b, size_t first, size_t n, const char *text, sl_trouble *t) {
    const sl_row_ids row = {&b->batch, first};
    size_t at;
    if (!sl_duplicates_search(&b->repeat, n, sl_row_id, &row, &at)) {
        t->reason = SL_REASONS;
        return false;
    }
    if (at == SL_NO_DUPLICATE) return true;
    t->reason = SL_REPEATED_ID;
    t->at = feature_place(text, at);
    snprintf(t->message, sizeof t->message, "id %llu stands twice in this example",
             (unsigned long long)sl_row_id(&row, at));
    return false;
}

/* The features of a row, up to the end of its line, behind those of the batch. */
static inline bool features(sl_block *b, const char **at, sl_trouble *t) {
    sluice_batch *const batch = &b->batch;
    const char *p = *at, *const row = p;
    const size_t first = batch->nonzeros;
    size_t k = first, wides = batch->wides;
    uint32_t *const ids = batch->id;
    float *const values = batch->value;
    bool ascending = true, zeros = false;
    uint64_t least = 0, id = 0;
    float value = 0;
    for (;;) {
        p += *p == ' ' || *p == '\t';
        if (!common_field(&p, &id, &value)) {
            while (*p == ' ' || *p == '\t') p++;
            if (at_line_end(p)) break;
            bool is_qid;
            if (!careful_field(&p, &id, &value, &is_qid, t)) return false;
            if (is_qid) continue;
        }
        if (__builtin_expect(id < SL_WIDE, 1)) {
            ids[k] = (uint32_t)id;
        } else {
            ids[k] = SL_WIDE + (uint32_t)wides;
            batch->wide[wides++] = id;
        }
        values[k++] = value;
        ascending &= id >= least && id != UINT64_MAX;
        least = id + 1;
        zeros |= value == 0;
    }
    *at = p;
    if (!ascending && !distinct(b, first, k - first, row, t)) return false;
    batch->nonzeros = k;
    batch->wides = wides;
    batch->has_zeros |= zeros;
    return true;
}

/* One line; *at moves to its newline. A blank one makes no row, or one without features. */
static inline bool line(sl_block *b, const char **at, sl_trouble *t) {
    sluice_batch *const batch = &b->batch;
    const char *p = *at;
    const size_t nonzeros = batch->nonzeros, wides = batch->wides;
    sl_label y = {.value = 0};
    bool labelled = true;
    while (*p == ' ' || *p == '\t') p++;
    const bool blank = at_line_end(p);
    if (!blank) {
        /* the label: mostly a digit, perhaps with a sign */
        size_t sign = *p == '-' || *p == '+';
        if (sl_is_digit(p[sign]) && p[sign + 1] == ' ' && (p[sign] <= '1' || !b->rules->words)) {
            y.value = (float)(p[sign] - '0');
            if (*p == '-') y.value = -y.value;
            p += sign + 1;
        } else if (!label(&p, b->rules, &y, &labelled, t)) {
            return false;
        }
        if (!features(b, &p, t)) return false;
    }
    if (*p != '\n') { /* a comment, or a carriage return */
        const char *newline = memchr(p, '\n', (size_t)(b->text + b->n - p));
        if (!sl_no_nul(p, newline, t)) {
            batch->nonzeros = nonzeros, batch->wides = wides;
            return false;
        }
        p = newline;
    }
    if (!blank) {
        const bool marked = !labelled && b->rules->missing_labels;
        if ((y.word.n && !sl_batch_word_next(batch, y.word.text, y.word.n)) ||
            (marked && !sl_batch_reserve_unlabelled(batch))) {
            batch->nonzeros = nonzeros, batch->wides = wides;
            t->reason = SL_REASONS;
            return false;
        }
        if (!labelled) sl_batch_weigh_next(batch, 0);
        batch->line[batch->rows] = (uint32_t)b->lines;
        batch->label[batch->rows++] = y.value;
        batch->start[batch->rows] = batch->nonzeros;
        if (marked) sl_batch_mark_unlabelled(batch, 1);
    } else if (b->rules->every_line && !sl_batch_add_empty(batch, b->lines, false)) {
        t->reason = SL_REASONS;
        return false;
    }
    *at = p;
    return true;
}

void sl_parse_libsvm(sl_block *b) {
    if (sl_block_is_put_off(b)) return;
    const char *p = b->text + b->at, *const end = b->text + b->n;
    const size_t max_line = b->rules->max_line;
    const bool check_length = b->n > max_line;
    const bool every_line = b->rules->every_line;
    sl_trouble t;
    t.counted = b->rules->only_counted;
    sl_scan scan;
    scan.kernels = b->rules->kernels;
    scan.scanned = scan.next = scan.n = 0;
    size_t wait = 0, patience = 1; /* lines until the fast parser is tried again, after it failed */
    /* the shortest row is "1\n", the shortest feature "1:1 ", the shortest wide one "2147483648:1 " */
    const size_t left = b->n - b->at;
    const bool by_lines = left > 4 * b->rules->block_bytes; /* a long line: there are far fewer rows */
    size_t most_rows = by_lines ? sl_count_newlines(p, left) : left / 2 + 1;
    if (every_line && !by_lines) most_rows += b->rules->part_rows; /* blank ones have one byte */
    if (!sl_batch_reserve(&b->batch, most_rows, left / 4 + SL_FIELDS_AT_ONCE, left / 13 + 1)) goto no_memory;
    b->batch.has_lines = true;
    for (; p < end; p++) {
        if (every_line && !by_lines && b->batch.rows + (size_t)(end - p) / 2 + 1 > most_rows) break;
        if (every_line && *p == '\n') { /* there may be nothing else */
            if (!sl_batch_add_empty(&b->batch, ++b->lines, false)) goto no_memory;
            continue;
        }
        if (wait) {
            wait--;
        } else if (scan.kernels && !check_length) {
            size_t at = (size_t)(p - b->text), before = at;
            sl_common_rows(b, &scan, &at);
            if (at == before)
                wait = patience = patience < 64 ? 2 * patience : 64;
            else
                patience = 1;
            p = b->text + at;
            if (p == end) break;
        }
        const char *start = p;
        b->lines++;
        bool good = !check_length || sl_length_is_fine(p, memchr(p, '\n', (size_t)(end - p)), max_line, &t);
        if (good && line(b, &p, &t)) continue;
        if (good && t.reason == SL_REASONS) goto no_memory;
        if (!sl_bad_line(b, t.reason, start, b->lines, (size_t)(t.at - start) + 1, t.message)) {
            sl_batch_fill_weights(&b->batch);
            sl_stop_at(b, start);
            return;
        }
        p = memchr(start, '\n', (size_t)(end - start));
    }
    sl_batch_fill_weights(&b->batch);
    b->at = (size_t)(p - b->text);
    return;
no_memory:
    sl_batch_fill_weights(&b->batch);
    sl_block_no_memory(b, p);
}
