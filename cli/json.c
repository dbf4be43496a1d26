#include "json.h"

#include "sluice.h"

#include <inttypes.h>
#include <math.h>

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void start(json *j, const char *key) {
    if (j->needs_comma) fputs(", ", j->out);
    j->needs_comma = 1;
    if (!key) return;
    write_string(j->out, key);
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
    start(j, key);
    write_string(j->out, text);
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
