/* Writes JSON. */
#include "output/json.h"

#include "sluice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a terminal would not show as it is stands as \uNNNN. Bytes that are not UTF-8 become the replacement character:
 * JSON allows no other text. */
static void write_string(FILE *out, const char *text, size_t n) {
    int shown;
    fputc('"', out);
    for (size_t k; n; text += k, n -= k) {
        uint32_t c = sluice_character(text, n, &k, &shown);
        if (c == SLUICE_NO_CHARACTER)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (char)c);
        else if (shown)
            fwrite(text, 1, k, out);
        else if (c < 0x10000)
            fprintf(out, "\\u%04x", (unsigned)c);
        else /* two surrogates */
            fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)), (unsigned)(0xdc00 | (c & 0x3ff)));
    }
    fputc('"', out);
}

static void start(json *j, const char *key) {
    if (j->needs_comma) fputs(", ", j->out);
    j->needs_comma = 1;
    if (!key) return;
    write_string(j->out, key, strlen(key));
    fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket) {
    start(j, key);
    fputc(bracket, j->out);
    j->needs_comma = 0;
}

void json_close(json *j, char bracket) {
    fputc(bracket, j->out);
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
    write_string(j->out, bytes, n);
}

void json_raw(json *j, const char *key, const char *value, size_t n) {
    start(j, key);
    fwrite(value, 1, n, j->out);
}

void json_count(json *j, const char *key, uint64_t n) {
    start(j, key);
    fprintf(j->out, "%" PRIu64, n);
}

void json_number(json *j, const char *key, double x) {
    char text[32] = "null";
    if (isfinite(x)) sluice_format_double(text, x);
    start(j, key);
    fputs(text, j->out);
}

void json_float(json *j, const char *key, float x) {
    char text[32] = "null";
    if (isfinite(x)) sluice_format_float(text, x);
    start(j, key);
    fputs(text, j->out);
}

void json_truth(json *j, const char *key, int truth) {
    start(j, key);
    fputs(truth ? "true" : "false", j->out);
}

void json_null(json *j, const char *key) {
    start(j, key);
    fputs("null", j->out);
}
