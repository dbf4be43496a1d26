/* The second stage of reading text, where the processor can: eight fields id:value at a time, in vectors. */
#ifndef SL_FIELDS_H
#define SL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_FIELDS_AT_ONCE = 8 };

/* What a row's fields have shown so far. */
typedef struct sl_row_facts {
    int64_t last; /* id; -1 before the first */
    bool unsorted, zeros;
} sl_row_facts;

/* Converts the fields of a row that begin behind the separator at at[-1], as long as they are of a common kind and
 * 16 of the n separators ahead are left. kind[i] is the byte at position at[i]. Stops behind the row's last field.
 * Returns how many fields it took, two separators each; may write up to seven ids and values more than that.
 * at[0] must be 16 or more: it loads numbers by their last 16 bytes. */
typedef size_t sl_convert_fields(const char *text, const uint32_t *at, const char *kind, size_t n, uint32_t *id,
                                 float *value, sl_row_facts *facts);

/* The same for values alone, whatever stands before their colons. */
typedef size_t sl_convert_values(const char *text, const uint32_t *at, const char *kind, size_t n, float *value);

#if defined(__x86_64__)
sl_convert_fields sl_fields_avx512;
sl_convert_values sl_values_avx512;
#endif

#endif
