/* Writes JSON. */
#include "output/json.h"

#include "sluice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put(json *j, const char *bytes, size_t n) {
    if (j->out)
        fwrite(bytes, 1, n, j->out);
    else
        text_add(j->text, bytes, n);
}

static void put_text(json *j, const char *text) { put(j, text, strlen(text)); }

static void put_unit(json *j, uint32_t unit) {
    char text[8];
    put(j, text, (size_t)snprintf(text, sizeof text, "\\u%04x", (unsigned)(unit & 0xffff)));
}

/* What a terminal would not show as it is stands as \uNNNN. Bytes that are not UTF-8 become the replacement character:
 * JSON allows no other text. */
static void write_string(json *j, const char *text, size_t n) {
    int shown;
    size_t plain = 0; /* bytes from here on go out as they are */
    put(j, "\"", 1);
    for (size_t i = 0, k; i < n; i += k) {
        const uint32_t c = sluice_character(text + i, n - i, &k, &shown);
        if (c != SLUICE_NO_CHARACTER && c != '"' && c != '\\' && shown) continue;
        put(j, text + plain, i - plain);
        plain = i + k;
        if (c == SLUICE_NO_CHARACTER) {
            put_unit(j, 0xfffd);
        } else if (shown) {
            const char escaped[] = {'\\', (char)c};
            put(j, escaped, sizeof escaped);
        } else if (c < 0x10000) {
            put_unit(j, c);
        } else { /* two surrogates */
            put_unit(j, 0xd7c0 + (c >> 10));
            put_unit(j, 0xdc00 | (c & 0x3ff));
        }
    }
    put(j, text + plain, n - plain);
    put(j, "\"", 1);
}

static void start(json *j, const char *key) {
    if (j->needs_comma) put_text(j, ", ");
    j->needs_comma = 1;
    if (!key) return;
    write_string(j, key, strlen(key));
    put_text(j, ": ");
}

void json_open(json *j, const char *key, char bracket) {
    start(j, key);
    put(j, &bracket, 1);
    j->needs_comma = 0;
}

void json_close(json *j, char bracket) {
    put(j, &bracket, 1);
    j->needs_comma = 1;
}

void json_text(json *j, const char *key, const char *text) {
    if (!text) {
        json_null(j, key);
        return;
    }
    json_bytes(j, key, text, strlen(text));
}

void json_bytes(json *j, const char *key, const char *bytes, size_t n) {
    start(j, key);
    write_string(j, bytes, n);
}

void json_raw(json *j, const char *key, const char *value, size_t n) {
    start(j, key);
    put(j, value, n);
}

void json_count(json *j, const char *key, uint64_t n) {
    char text[24];
    start(j, key);
    put(j, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, n));
}

void json_number(json *j, const char *key, double x) {
    char text[32] = "null";
    if (isfinite(x)) sluice_format_double(text, x);
    start(j, key);
    put_text(j, text);
}

void json_float(json *j, const char *key, float x) {
    char text[32] = "null";
    if (isfinite(x)) sluice_format_float(text, x);
    start(j, key);
    put_text(j, text);
}

void json_truth(json *j, const char *key, int truth) {
    start(j, key);
    put_text(j, truth ? "true" : "false");
}

void json_null(json *j, const char *key) {
    start(j, key);
    put_text(j, "null");
}
