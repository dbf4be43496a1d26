/* Decimal text to floats and back, exactly, without locales. */
#ifndef SL_NUMBER_H
#define SL_NUMBER_H

#include <stdbool.h>

#include "sluice.h"

typedef enum sl_number_status {
    SL_NUMBER_OK,
    SL_NUMBER_SYNTAX, /* not [+-]digits[.digits][e[+-]digits] */
    SL_NUMBER_RANGE,  /* beyond the largest float */
    SL_NUMBER_NAN,    /* the word nan or inf(inity), any case, any sign: worth a message of its own */
} sl_number_status;

/* Reads a number at *p as the nearest float (ties to even; below the smallest: 0) and moves *p behind it. The text must
 * be followed by a byte that is no part of a number and by 8 readable bytes after that. On failure *p is unchanged. */
sl_number_status sl_parse_float(const char **p, float *value);
/* The same for a nearest double. Not for hot loops. */
sl_number_status sl_parse_double(const char **p, double *value);

/* Whether all of [p, end) is spelt like a number, whatever its size; or is nan, inf or infinity, any case, any sign. */
bool sl_spells_number(const char *p, const char *end);
bool sl_spells_not_finite(const char *p, const char *end);

#endif
