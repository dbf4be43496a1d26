/* Character n-grams of text: what stands in the words of a line, in pieces of a few characters. */
#ifndef SL_CHAR_GRAMS_H
#define SL_CHAR_GRAMS_H

#include "io/named/named_rows.h"

/* Adds the n-grams of [p, end), of rules->chars_min to rules->chars_max characters, each as often as it occurs; names
 * begin with the prefix. A byte below 0x80 stands at `end`. */
sl_named_status sl_char_grams(sl_named_rows *rows, const sl_rules *rules, const char *prefix, size_t prefix_n,
                              const char *p, const char *end);

#endif
