/* Lines of the form `label<TAB>raw data`: what the readers of texts and URLs share. */
#ifndef SL_LABELLED_H
#define SL_LABELLED_H

#include "io/named/named_rows.h"

/* Adds the features of one line's data, [p, end), to the row. A newline or carriage return stands at `end`. */
typedef void sl_raw_features(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end);

/* Parses a block of such lines. `data` is the word for what stands behind the tab. */
void sl_parse_labelled(sl_block *b, const char *data, sl_raw_features *features);

#endif
