/* Writes JSON. */
#include "output/json.h"

#include "sluice.h"
#include "output/utf8_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes that are not UTF-8 become the replacement character: JSON allows no other text. */
static void write_string(FILE *out, const char *bytes, size_t n) {
    const unsigned char *text = (const unsigned char *)bytes;
    fputc('"', out);
    for (size_t i = 0, k; i < n; i += k ? k : 1) {
        k = utf8_character(text + i, n - i);
        if (k == 0)
            fputs("\\ufffd", out);
        else if (text[i] == '"' || text[i] == '\\')
            fprintf(out, "\\%c", text[i]);
        else if (text[i] < 0x20 || text[i] == 0x7f)
            fprintf(out, "\\u%04x", text[i]);
        else
            fwrite(text + i, 1, k, out);
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
