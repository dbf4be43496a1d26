/* A text that grows. */
#include "http/text_buffer.h"

#include "sluice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_reserve(text_buffer *t, size_t n) {
    if (t->failed) return NULL;
    if (n >= t->room - t->n || !t->text) {
        size_t room = t->room ? t->room : 240;
        while (room - t->n <= n && room <= SIZE_MAX / 2) room *= 2;
        char *text = room - t->n > n ? realloc(t->text, room) : NULL;
        if (!text) {
            t->failed = 1;
            return NULL;
        }
        t->text = text;
        t->room = room;
    }
    return t->text + t->n;
}

void text_wrote(text_buffer *t, size_t n) {
    t->n += n;
    t->text[t->n] = 0;
}

void text_add(text_buffer *t, const void *bytes, size_t n) {
    char *to = text_reserve(t, n);
    if (!to) return;
    if (n) memcpy(to, bytes, n);
    text_wrote(t, n);
}

void text_put(text_buffer *t, const char *text) { text_add(t, text, strlen(text)); }

void text_shown(text_buffer *t, const char *text) {
    char piece[SLUICE_ESCAPED];
    for (size_t n = strlen(text), k; n; text += k, n -= k) {
        k = sluice_escape(text, n, piece);
        text_put(t, piece);
    }
}

void text_char(text_buffer *t, char c) { text_add(t, &c, 1); }

void text_format(text_buffer *t, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *to = n < 0 ? NULL : text_reserve(t, (size_t)n);
    if (!to) return;
    va_start(values, format);
    vsnprintf(to, (size_t)n + 1, format, values);
    va_end(values);
    text_wrote(t, (size_t)n);
}

void text_count(text_buffer *t, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    text_add(t, digits + at, sizeof digits - at);
}

void text_number(text_buffer *t, double x) {
    char *to = text_reserve(t, 32);
    if (to) text_wrote(t, sluice_format_double(to, x));
}

void text_json_number(text_buffer *t, double x) {
    if (isfinite(x))
        text_number(t, x);
    else
        text_put(t, "null");
}

void text_json_string(text_buffer *t, const char *bytes, size_t n) {
    text_char(t, '"');
    size_t plain = 0; /* bytes from here on go out as they are */
    for (size_t i = 0; i < n;) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            i++;
            continue;
        }
        size_t length = 1;
        int shown;
        const uint32_t character = sluice_character(bytes + i, n - i, &length, &shown);
        if (character != SLUICE_NO_CHARACTER && c >= 0x80) {
            i += length;
            continue;
        }
        text_add(t, bytes + plain, i - plain);
        if (c == '"' || c == '\\')
            text_format(t, "\\%c", c);
        else if (character == SLUICE_NO_CHARACTER)
            text_put(t, "\\ufffd");
        else
            text_format(t, "\\u%04x", c);
        i += length;
        plain = i;
    }
    text_add(t, bytes + plain, n - plain);
    text_char(t, '"');
}

size_t text_short(const char *bytes, size_t n, size_t most) {
    if (n <= most) return n;
    size_t whole = most;
    while (whole && most - whole < 3 && ((unsigned char)bytes[whole] & 0xc0) == 0x80) whole--;
    return whole;
}

void text_json_short(text_buffer *t, const char *bytes, size_t n, size_t most) {
    const size_t shown = text_short(bytes, n, most);
    text_json_string(t, bytes, shown);
    if (shown == n || t->failed) return;
    t->n--; /* the closing quote */
    text_put(t, "\xe2\x80\xa6\"");
}

void text_json_key(text_buffer *t, const char *key) {
    const char last = t->n ? t->text[t->n - 1] : '{';
    if (last != '{' && last != '[') text_char(t, ',');
    text_json_string(t, key, strlen(key));
    text_char(t, ':');
}

void text_clear(text_buffer *t) {
    t->n = 0;
    t->failed = 0;
    if (t->text) *t->text = 0;
}

void text_free(text_buffer *t) {
    free(t->text);
    *t = (text_buffer){0};
}
