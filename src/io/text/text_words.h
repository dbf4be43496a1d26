/* The features of a text: for the format text, columns of csv and keys of JSON. */
#ifndef SL_TEXT_WORDS_H
#define SL_TEXT_WORDS_H

#include "io/named/named_rows.h"

/* Adds the words and n-grams of [p, end) to the row, with values whose squares add up to 1; names begin with the
 * prefix. Behind the text stands a byte below 0x80 that is part of no word. */
sl_named_status sl_text_features(sl_named_rows *rows, const sl_rules *rules, const char *prefix, size_t prefix_n,
                                 const char *p, const char *end);

#endif
