/* How every part of the library says what went wrong. */
#ifndef SL_ERROR_H
#define SL_ERROR_H

#include "sluice.h"

#if defined(__GNUC__)
#define SL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SL_PRINTF(f, a)
#endif

/* Fills *err (NULL is fine) and returns the status, so that `return sl_fail(...)` reads as one sentence. */
sluice_status sl_fail(sluice_error *err, sluice_status status, const char *format, ...) SL_PRINTF(3, 4);
/* Gives an error a place. A source too long for the struct keeps its end. Source and message are escaped
 * (sluice_escape): they may hold bytes from outside and reach a terminal. */
void sl_place(sluice_error *err, const char *source, uint64_t line, uint64_t column);
/* sl_fail() with a place. */
sluice_status sl_fail_at(sluice_error *err, sluice_status status, const char *source, uint64_t line, uint64_t column,
                         const char *format, ...) SL_PRINTF(6, 7);
/* Copies bytes into out in single quotes, as sluice_escape() shows them: at most 24 bytes of them. */
const char *sl_quote(char out[128], const char *bytes, size_t n);

#endif
