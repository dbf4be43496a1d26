/* Labels as text: the numbers -1, 0 and 1 in any spelling are plain, everything else is kept as it was written. */
#ifndef SL_LABEL_TEXT_H
#define SL_LABEL_TEXT_H

#include <stdbool.h>

#include "sluice.h"

typedef enum sl_label_kind {
    SL_LABEL_PLAIN,      /* equal to -1, 0 or 1 as a double */
    SL_LABEL_NUMBER,     /* another number */
    SL_LABEL_WORD,       /* no number */
    SL_LABEL_NONE,       /* nothing, or ?: there is no label */
    SL_LABEL_LONG,       /* more than SL_MAX_NAME bytes */
    SL_LABEL_RANGE,      /* a number beyond the range of floats */
    SL_LABEL_NOT_FINITE, /* nan, inf or infinity */
} sl_label_kind;

/* A label as rows have it. */
typedef struct sl_label {
    float value;      /* of a number: the nearest float; 0 for words */
    sluice_name word; /* its text where it is not plain; n is 0: there is none */
} sl_label;

/* Whether a label of this kind is one. */
static inline bool sl_label_is_fine(sl_label_kind kind) { return kind <= SL_LABEL_WORD; }

/* Reads [p, p + n) as a label, whose word points into the text. Behind it stands a byte that is no part of a number,
 * and 8 readable bytes after that. */
sl_label_kind sl_label_read(const char *p, size_t n, sl_label *label);
/* Reads the label of an example from outside, its word where it has one, without a need for bytes behind that. */
sluice_status sl_label_of_example(const sluice_example *x, sl_label *label, sluice_error *err);

#endif
