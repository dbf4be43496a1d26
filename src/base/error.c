/* Messages with a place. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sl_place(sluice_error *err, const char *source, uint64_t line, uint64_t column) {
    err->line = line;
    err->column = column;
    size_t n = strlen(source), room = sizeof err->source - 1;
    if (n <= room)
        memcpy(err->source, source, n + 1);
    else
        snprintf(err->source, sizeof err->source, "...%s", source + n - (room - 3));
}

static void fill(sluice_error *err, sluice_status status, const char *source, uint64_t line, uint64_t column,
                 const char *format, va_list args) {
    err->status = status;
    sl_place(err, source, line, column);
    vsnprintf(err->message, sizeof err->message, format, args);
}

sluice_status sl_fail(sluice_error *err, sluice_status status, const char *format, ...) {
    if (!err) return status;
    va_list args;
    va_start(args, format);
    fill(err, status, "", 0, 0, format, args);
    va_end(args);
    return status;
}

sluice_status sl_fail_at(sluice_error *err, sluice_status status, const char *source, uint64_t line, uint64_t column,
                         const char *format, ...) {
    if (!err) return status;
    va_list args;
    va_start(args, format);
    fill(err, status, source, line, column, format, args);
    va_end(args);
    return status;
}

const char *sl_quote(char out[128], const char *bytes, size_t n) {
    enum { SHOWN = 24 };
    char *o = out;
    *o++ = '\'';
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c < 0x7f)
            *o++ = (char)c;
        else
            o += sprintf(o, "\\x%02x", c);
    }
    if (n > SHOWN) o += sprintf(o, "...");
    *o++ = '\'';
    *o = 0;
    return out;
}

const char *sluice_status_name(sluice_status status) {
    static const char *const names[] = {"ok",     "end",   "usage",   "memory",      "io",       "data",
                                        "format", "limit", "numeric", "unsupported", "cancelled", "locked"};
    size_t i = (size_t)status;
    return i < sizeof names / sizeof *names ? names[i] : "unknown";
}
