/* Labels as text: which are plain, which are kept as words, and which are none. */
#include "rows/label_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "features/names.h"
#include "rows/batch.h"

/* Whether a number, or a word for what is not finite, may begin so. */
static bool may_be_number(char c) {
    char lower = (char)(c | 0x20);
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || lower == 'n' || lower == 'i';
}

/* A number that is no float: beyond the range, or not finite. */
static sl_label_kind beyond(sl_number_status status, const char *p, const char *end) {
    if (status == SL_NUMBER_RANGE && sl_spells_number(p, end)) return SL_LABEL_RANGE;
    if (status == SL_NUMBER_NAN && sl_spells_not_finite(p, end)) return SL_LABEL_NOT_FINITE;
    return SL_LABEL_WORD;
}

sl_label_kind sl_label_read(const char *p, size_t n, sl_label *label) {
    const char *q = p, *end = p + n;
    double d;
    *label = (sl_label){.word = {p, n}};
    if (n == 0 || (n == 1 && *p == '?')) return SL_LABEL_NONE;
    if (n > SL_MAX_NAME) return SL_LABEL_LONG;
    if (!may_be_number(*p)) return SL_LABEL_WORD;
    sl_number_status status = sl_parse_double(&q, &d);
    if (status != SL_NUMBER_OK) return beyond(status, p, end);
    if (q != end) return SL_LABEL_WORD;
    q = p;
    if (sl_parse_float(&q, &label->value) != SL_NUMBER_OK) return SL_LABEL_RANGE;
    if (d != 0 && d != 1 && d != -1) return SL_LABEL_NUMBER;
    label->word.n = 0;
    return SL_LABEL_PLAIN;
}

/* The same for a text with nothing behind it. False: no memory. */
static bool read_bare(sluice_name word, sl_label *label, sl_label_kind *kind) {
    enum { BEHIND = 16 };
    char few[256], *copy = few;
    if (word.n == 0 || word.n > SL_MAX_NAME || !may_be_number(*word.text)) {
        *kind = sl_label_read(word.text, word.n, label); /* looks at no byte behind it */
        return true;
    }
    if (word.n + BEHIND > sizeof few && !(copy = malloc(word.n + BEHIND))) return false;
    memcpy(copy, word.text, word.n);
    memset(copy + word.n, '\n', BEHIND);
    *kind = sl_label_read(copy, word.n, label);
    label->word.text = word.text;
    if (copy != few) free(copy);
    return true;
}

sluice_status sl_label_of_example(const sluice_example *x, sl_label *label, sluice_error *err) {
    char quoted[128];
    sl_label_kind kind = SL_LABEL_PLAIN;
    *label = (sl_label){.value = sl_float_label(x->label)};
    if (x->word.n == 0) return SLUICE_OK;
    if (!read_bare(x->word, label, &kind)) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a label");
    if (sl_label_is_fine(kind)) return SLUICE_OK;
    sl_quote(quoted, x->word.text, x->word.n);
    if (kind == SL_LABEL_LONG)
        return sl_fail(err, SLUICE_E_DATA, "label %s is longer than %d bytes", quoted, SLUICE_MAX_NAME);
    if (kind == SL_LABEL_NONE) return sl_fail(err, SLUICE_E_DATA, "there is no label: %s", quoted);
    return sl_fail(err, SLUICE_E_DATA, "label %s is %s", quoted,
                   kind == SL_LABEL_RANGE ? "beyond the range of a float, about 3.4e38" : "not finite");
}
