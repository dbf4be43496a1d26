/* Common rows: ids of up to 8 digits, values such as 1, -0.25 or 0.1234567890, one space between fields; labels of any
 * kind, but fastest of one digit. With the ends of the fields known from the separators, a number is eight bytes loaded
 * so that its last digit comes last, what stood before it masked out: no load depends on another, and the processor
 * works on several fields at once.
 *
 * No rule is written here: a row that is not common, also a wrong one, is left to libsvm.c. */
#include "io/libsvm/common_rows.h"

#include <string.h>

#include "base/digits.h"

static inline unsigned digit(char c) { return (unsigned char)(c - '0'); }

/* The 1 to 8 digits that end before p, xor '0'; zeros stand for what was before them. */
static inline uint64_t last_digits(const char *p, size_t n) {
    return (sl_load8(p - 8) ^ SL_ZEROS) & ~(uint64_t)0 << (64 - 8 * n);
}

/* The value between v and stop; false if it is not of a common kind. Bytes that are no digits come out in *bad. */
static inline bool common_value(const char *v, const char *stop, float *value, uint64_t *bad) {
    bool negative = *v == '-';
    v += negative;
    size_t length = (size_t)(stop - v), places = 0;
    uint64_t w;
    if (length == 1) {
        w = digit(*v);
        *bad |= w > 9;
    } else if (v[1] == '.' && length - 2 <= 15) { /* 0.25: most values of scaled data */
        w = digit(*v);
        *bad |= w > 9;
        places = length - 2;
        if (places <= 8) {
            uint64_t t = places ? last_digits(stop, places) : 0;
            *bad |= sl_not_digits(t);
            w = w * sl_pow10_int[places] + sl_eight_digits(t);
        } else {
            uint64_t high = last_digits(stop - 8, places - 8), t = sl_load8(stop - 8) ^ SL_ZEROS;
            *bad |= sl_not_digits(t) | sl_not_digits(high);
            w = (w * sl_pow10_int[places - 8] + sl_eight_digits(high)) * 100000000 + sl_eight_digits(t);
        }
    } else if (length - 1 < 8) { /* 17 or 12.5: a point among up to eight characters, if there is one */
        uint64_t t = last_digits(stop, length), point = t ^ 0x1E1E1E1E1E1E1E1Eu; /* '.' xor '0' */
        point = ~(((point & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu) | point) & 0x8080808080808080u;
        if (point) {
            unsigned below = (unsigned)__builtin_ctzll(point) - 7; /* bits before the point */
            places = 7 - below / 8;
            uint64_t front = t & (((uint64_t)1 << below) - 1), back = t >> below >> 8;
            t = back << below << 8 | front << 8;
            if (places + 1 == length) return false; /* .5: no digit before the point */
        }
        *bad |= sl_not_digits(t);
        w = sl_eight_digits(t);
    } else if (v[2] == '.' && length - 3 <= 8) { /* 12.345678 */
        places = length - 3;
        uint64_t t = places ? last_digits(stop, places) : 0;
        *bad |= sl_not_digits(t) | (digit(v[0]) > 9) | (digit(v[1]) > 9);
        w = (digit(v[0]) * 10 + digit(v[1])) * sl_pow10_int[places] + sl_eight_digits(t);
    } else {
        return false;
    }
    float f;
    if (!sl_short_float(w, (unsigned)places, &f)) return false;
    *value = negative ? -f : f;
    return true;
}

/* Makes sure that the next separators are known, unless the text has no more; keeps the one before them. */
static void look_ahead(const sl_block *b, sl_scan *s) {
    size_t keep = s->next > 0, left = s->n - s->next + keep;
    memmove(s->at, s->at + s->next - keep, left * sizeof *s->at);
    memmove(s->kind, s->kind + s->next - keep, left);
    s->n = left;
    s->next = keep;
    while (s->n - s->next < SL_SCAN_AHEAD && s->scanned < b->n) {
        size_t windows = (b->n - s->scanned + SL_WINDOW - 1) / SL_WINDOW;
        if (windows > SL_SCAN_WINDOWS) windows = SL_SCAN_WINDOWS;
        s->n += s->kernels->find(b->text, s->scanned, windows, s->at + s->n, s->kind + s->n);
        s->scanned += windows * SL_WINDOW;
    }
}

/* A label that is not one of the digits, if labels may be words; else, or if it is a wrong one, false. */
static __attribute__((noinline)) bool other_label(const sl_block *b, sl_scan *s, size_t start, size_t end) {
    const char *p = b->text + start;
    const size_t n = end - start;
    return b->rules->words && !memchr(p, '#', n) && sl_label_is_fine(sl_label_read(p, n, &s->label));
}

/* One row that begins at `start`; false, and nothing has happened, if it is not a common one. largest: the digit up to
 * which a label has no word. */
static inline bool common_row(sl_block *b, sl_scan *s, unsigned largest, size_t start, size_t *next_row) {
    sluice_batch *const batch = &b->batch;
    const char *const text = b->text;
    if (s->n - s->next < SL_SCAN_AHEAD) look_ahead(b, s);
    if (s->n - s->next < 2) return false;

    char separator = s->kind[s->next];
    size_t end = s->at[s->next++], sign = text[start] == '-' || text[start] == '+';
    unsigned label = digit(text[start + sign]);
    const bool other = end != start + sign + 1 || label > largest;
    if (__builtin_expect(other, 0) && !other_label(b, s, start, end)) return false;

    size_t k = batch->nonzeros, one_by_one = 0;
    uint64_t bad = 0;
    sl_row_facts facts = {.last = -1};
    while (separator == ' ') {
        if (s->n - s->next < SL_SCAN_AHEAD) look_ahead(b, s);
        if (s->n - s->next < 2) return false;
        if (s->kernels->convert && one_by_one == 0 && s->at[s->next] >= 16) {
            size_t n = s->kernels->convert(text, s->at + s->next, s->kind + s->next, s->n - s->next, batch->id + k,
                                           batch->value + k, &facts);
            k += n;
            s->next += 2 * n;
            end = s->at[s->next - 1];
            separator = s->kind[s->next - 1];
            if (n < SL_FIELDS_AT_ONCE) one_by_one = SL_FIELDS_AT_ONCE; /* a field ahead needs the slower conversion */
            continue;
        }
        one_by_one -= one_by_one > 0;
        size_t field = end + 1, colon = s->at[s->next];
        if (s->kind[s->next] != ':') { /* a space before the end of the line */
            separator = s->kind[s->next++];
            end = colon;
            if (colon != field || separator == ' ') return false;
            break;
        }
        end = s->at[s->next + 1];
        separator = s->kind[s->next + 1];
        s->next += 2;
        size_t digits = colon - field;
        if (digits - 1 > 7 || colon < 8 || end == colon + 1) return false;
        uint64_t t = last_digits(text + colon, digits);
        bad |= sl_not_digits(t);
        uint32_t id = (uint32_t)sl_eight_digits(t);
        if (!common_value(text + colon + 1, text + end, &batch->value[k], &bad)) return false;
        facts.zeros |= batch->value[k] == 0;
        batch->id[k++] = id;
        facts.unsorted |= id <= facts.last;
        facts.last = id;
    }
    if (separator == '\r' && text[end + 1] == '\n') {
        if (s->n == s->next) look_ahead(b, s);
        if (s->n == s->next || s->at[s->next] != ++end) return false;
        s->next++;
        separator = '\n';
    }
    if (separator != '\n' || bad || facts.unsorted || end >= b->n) return false;
    float y = text[start] == '-' ? -(float)label : (float)label;
    if (__builtin_expect(other, 0)) {
        y = s->label.value;
        if (s->label.word.n && !sl_batch_word_next(batch, s->label.word.text, s->label.word.n)) return false;
    }
    batch->nonzeros = k;
    batch->has_zeros |= facts.zeros;
    batch->line[batch->rows] = (uint32_t)++b->lines;
    batch->label[batch->rows++] = y;
    batch->start[batch->rows] = k;
    *next_row = end + 1;
    return true;
}

void sl_common_rows(sl_block *b, sl_scan *s, size_t *p) {
    /* past the row at which it stopped last time, which the careful parser has taken meanwhile */
    while (s->next < s->n && s->at[s->next] < *p) s->next++;
    if (s->next == s->n && s->scanned < *p) s->scanned = *p;
    const unsigned largest = b->rules->words ? 1 : 9;
    while (*p < b->n && common_row(b, s, largest, *p, p)) {
    }
}
