/* Words that text is read without. */
#ifndef SL_STOP_WORDS_H
#define SL_STOP_WORDS_H

#include "features/names.h"

/* The words of a text, cut out of it as those of examples are. */
sluice_status sl_stop_words_new(const char *list, sl_names **stop, sluice_error *err);
void sl_stop_words_free(sl_names *stop);

#endif
