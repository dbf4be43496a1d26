/* Messages with a place; text from outside that is safe to print. */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- text from outside ------------------------------------------------------------------------------------------- */

/* Characters that are not shown as they are, each range by its first and last: controls, and Unicode's
 * Default_Ignorable_Code_Point, separators of lines and paragraphs, marks of direction, controls of annotations,
 * hieroglyphs and shorthand, and code points that are no characters (those at the end of every plane: below). */
static const uint32_t hidden[][2] = {
    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x13430, 0x1345f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t c) {
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && c >= hidden[i][0]; i++)
        if (c <= hidden[i][1]) return true;
    return (c & 0xfffe) == 0xfffe;
}

/* The bytes of a UTF-8 character by its first one; 0: none begins with it. */
static size_t utf8_length(unsigned char c) {
    return c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

uint32_t sluice_character(const char *text, size_t n, size_t *length, int *shown) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* smaller ones must be written shorter */
    const unsigned char *bytes = (const unsigned char *)text;
    size_t k = utf8_length(*bytes);
    uint32_t c = k == 1 ? *bytes : k ? *bytes & (0x7fu >> k) : SLUICE_NO_CHARACTER;
    if (k > n) c = SLUICE_NO_CHARACTER;
    for (size_t i = 1; i < k && c != SLUICE_NO_CHARACTER; i++)
        c = (bytes[i] & 0xc0) == 0x80 ? c << 6 | (bytes[i] & 0x3f) : SLUICE_NO_CHARACTER;
    if (c != SLUICE_NO_CHARACTER && (c < least[k] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)))
        c = SLUICE_NO_CHARACTER;
    *length = c == SLUICE_NO_CHARACTER ? 1 : k;
    *shown = c != SLUICE_NO_CHARACTER && !is_hidden(c);
    return c;
}

size_t sluice_escape(const char *text, size_t n, char out[SLUICE_ESCAPED]) {
    static const char digits[] = "0123456789abcdef";
    size_t length;
    int shown;
    sluice_character(text, n, &length, &shown);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (shown)
            *out++ = (char)c;
        else
            *out++ = '\\', *out++ = 'x', *out++ = digits[c >> 4], *out++ = digits[c & 15];
    }
    *out = 0;
    return length;
}

/* Copies as much of the text as there is room for. Returns whether that was all. */
static bool escape_text(char *out, size_t room, const char *text, size_t n) {
    char piece[SLUICE_ESCAPED];
    size_t used = 0;
    for (size_t k; n; text += k, n -= k) {
        k = sluice_escape(text, n, piece);
        size_t more = strlen(piece);
        if (used + more >= room) break;
        memcpy(out + used, piece, more);
        used += more;
    }
    out[used] = 0;
    return n == 0;
}

const char *sl_quote(char out[128], const char *bytes, size_t n) {
    enum { SHOWN = 24 };
    char *o = out;
    *o++ = '\'';
    size_t done = 0;
    while (done < n && done < SHOWN) {
        done += sluice_escape(bytes + done, n - done, o);
        o += strlen(o);
    }
    if (done < n) o += sprintf(o, "...");
    *o++ = '\'';
    *o = 0;
    return out;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

void sl_place(sluice_error *err, const char *source, uint64_t line, uint64_t column) {
    err->line = line;
    err->column = column;
    if (escape_text(err->source, sizeof err->source, source, strlen(source))) return;
    memcpy(err->source, "...", 3);
    size_t n = strlen(source), at = n > sizeof err->source - 4 ? n - (sizeof err->source - 4) : 0;
    while (!escape_text(err->source + 3, sizeof err->source - 3, source + at, n - at)) at++;
}

static void fill(sluice_error *err, sluice_status status, const char *source, uint64_t line, uint64_t column,
                 const char *format, va_list args) {
    char message[sizeof err->message];
    err->status = status;
    sl_place(err, source, line, column);
    vsnprintf(message, sizeof message, format, args);
    escape_text(err->message, sizeof err->message, message, strlen(message));
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

const char *sluice_status_name(sluice_status status) {
    static const char *const names[] = {"ok",     "end",   "usage",   "memory",      "io",        "data",
                                        "format", "limit", "numeric", "unsupported", "cancelled", "locked"};
    size_t i = (size_t)status;
    return i < sizeof names / sizeof *names ? names[i] : "unknown";
}
