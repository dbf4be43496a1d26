/* Common cells: numbers, texts that cannot be taken for anything else, and
 * nothing; with quotes around them or without, but with none inside.
 *
 * The separators, quotes and line ends are known from the marks, so that a number is loaded by its last bytes and a
 * text copied without looking for its end. */
#include "io/csv/common_cells.h"

#include "base/digits.h"
#include "io/marks/joined_name.h"
#include "io/parse_kernels.h"

enum { LOOK_BACK = 16 }; /* bytes before a cell that may be loaded with it */

bool sl_csv_common_begin(sl_marks *m, const sl_block *b) {
    if (!b->rules->kernels || b->header->clashes || b->n >= UINT32_MAX - SL_BLOCK_PAD) return false;
    const sl_mark_bytes bytes = {{b->header->separator, '"', '\n', 0}, INT8_MIN};
    sl_marks_begin(m, b->rules->kernels->marks, bytes, b->text, b->n, b->at);
    return true;
}

/* What a cell may be by its first byte. */
typedef enum kind { ANY, NUMBER, TEXT, WORD } kind; /* WORD: a text, unless it is `null` or `inf` */

static inline kind kind_of(char c) {
    if ((unsigned char)(c - '0') < 10 || c == '-') return NUMBER;
    const char lower = (char)(c | 0x20);
    if (lower == 'n' || lower == 'i') return WORD;
    return (unsigned char)c > '9' && c != '<' ? TEXT : ANY; /* `<NA>` */
}

/* Whether a text that begins with n or i is none of na, n/a, nan, null, inf and infinity, blanks around them or not. */
static inline bool is_other_word(const char *p, size_t n) {
    const char second = (char)(p[1] | 0x20), last = p[n - 1];
    if (last == ' ' || last == '\t' || n < 3) return false;
    if ((*p | 0x20) == 'i') return second != 'n' || (p[2] | 0x20) != 'f';
    return n > 4 || (second != 'a' && p[1] != '/' && second != 'u');
}

/* Longer numbers, and those with an exponent. */
static __attribute__((noinline)) bool long_number(const char *v, const char *stop, float *value) {
    const char *q = v;
    if (sl_quick_float(&q, value) && q == stop) return true;
    q = v;
    return sl_parse_float(&q, value) == SL_NUMBER_OK && q == stop;
}

static inline bool number(const char *v, const char *stop, float *value) {
    return sl_ended_float(v, stop, value) || long_number(v, stop, value);
}

/* The cell at p, whose first mark is the next one: what stands in it is [*v, *stop), and *end is what comes behind it,
 * whose mark becomes the next one. False: it has to be taken apart by all the rules. */
static inline bool take_apart(sl_marks *m, const char *p, char separator, const char **v, const char **stop,
                              const char **end) {
    const char *const text = m->text, *q = text + m->at[m->next];
    *v = p;
    if (*p != '"') {
        *stop = *end = q - (*q == '\n' && q > p && q[-1] == '\r');
        return *q == separator || *q == '\n';
    }
    ++*v;
    do {
        if (++m->next == m->n && !sl_marks_more(m)) return false;
        q = text + m->at[m->next];
    } while (*q == separator);
    if (*q != '"' || (++m->next == m->n && !sl_marks_more(m))) return false;
    *stop = q, *end = q + 1;
    q = text + m->at[m->next];
    return (q == *end || (q == *end + 1 && **end == '\r' && *q == '\n')) && (*q == separator || *q == '\n');
}

/* Takes what stands in a cell of this column; false: it is not common. */
static inline bool take(sl_named_rows *rows, const sl_csv_header *h, const sl_csv_column *c, const char *v,
                        const char *stop, float *label) {
    const size_t n = (size_t)(stop - v);
    if (c->use == SL_CSV_NOTHING || (n == 0 && c->use == SL_CSV_FEATURE)) return true;
    if (n == 0 || c->use > SL_CSV_LABEL) return false;
    const kind k = kind_of(*v);
    if (k == NUMBER) {
        float value;
        if (!number(v, stop, &value)) return false;
        if (__builtin_expect(c->use == SL_CSV_FEATURE, 1)) {
            sl_named_known(rows, c->name, c->hash, value);
            return true;
        }
        if (rows->block->rules->words && !sl_csv_is_plain(n, value)) return false;
        *label = value;
        return true;
    }
    if (k == ANY || c->use == SL_CSV_LABEL || (k == WORD && !is_other_word(v, n))) return false;
    return sl_add_joined(rows, h->text + c->name.at, c->name.n + 1, v, n);
}

size_t sl_csv_common_cells(sl_marks *m, const sl_csv_header *h, sl_named_rows *rows, size_t i, const char **at,
                           float *label) {
    const char *p = *at;
    const char separator = h->separator;
    const size_t first = i, columns = h->columns;
    if (p - m->text < LOOK_BACK) return 0;
    sl_marks_go_to(m, (size_t)(p - m->text));
    while (m->next < m->n || sl_marks_more(m)) {
        const char *v, *stop, *end;
        const size_t mark = m->next, scanned = m->scanned;
        if (!take_apart(m, p, separator, &v, &stop, &end) || !take(rows, h, &h->column[i], v, stop, label)) {
            m->next = mark; /* the cell's marks are to come again */
            if (m->scanned > scanned) m->scanned = (size_t)(p - m->text), m->next = m->n = 0;
            break;
        }
        *at = end;
        if (++i == columns || *end != separator) break; /* where the row should end, or should not, csv.c finds */
        m->next++;
        p = end + 1;
    }
    return i - first;
}
