/* Recognises inputs of formats that are not read, to say what to do with them. */
#ifndef SL_OTHER_FORMATS_H
#define SL_OTHER_FORMATS_H

#include "io/input.h"

/* Whether the first bytes of the input, not consumed, are those of a binary format that is not read: fails. */
sluice_status sl_check_first_bytes(const sl_input *in, sluice_error *err);
/* The same of the first line of a text, n bytes: UTF-16, a JSON array, an object of several lines, JSON as libsvm. */
sluice_status sl_check_first_text(const sl_input *in, const char *text, size_t n, sluice_error *err);

#endif
