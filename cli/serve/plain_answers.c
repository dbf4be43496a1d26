/* What the text routes have in common: refusals, headers, parameters of the query. */
#include "serve/plain_answers.h"

#include "args/params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

unsigned status_of(const sluice_error *error) {
    switch (error->status) {
    case SLUICE_E_USAGE:
    case SLUICE_E_DATA:
    case SLUICE_E_UNSUPPORTED:
        return 400;
    case SLUICE_E_LIMIT:
        return 413;
    case SLUICE_E_NUMERIC:
        return 422;
    case SLUICE_E_LOCKED:
        return 409;
    case SLUICE_E_MEMORY:
    case SLUICE_E_CANCELLED:
        return 503;
    default:
        return 500;
    }
}

void refuse_error(http_request *r, const sluice_error *error) {
    char place[64] = "";
    if (error->line && error->column)
        snprintf(place, sizeof place, "line %" PRIu64 ", column %" PRIu64 ": ", error->line, error->column);
    else if (error->line)
        snprintf(place, sizeof place, "line %" PRIu64 ": ", error->line);
    http_refuse(r, status_of(error), "%s%s", place,
                error->message[0] ? error->message : "failed for an unknown reason; please report this");
}

void refuse_to_queue(http_request *r, served_model *m) {
    const char *never = served_cannot_learn(m);
    if (never)
        http_refuse(r, 403, "%s", never);
    else if (served_ends(m))
        http_refuse(r, 503, "the server ends: it learns no more");
    else
        http_refuse(r, 429, "the queue of what is to be learned has no room for this now; try again");
}

int all_classes_fit(const snapshot *s, size_t rows, sluice_error *err) {
    enum { MOST_MARGINS = 1 << 24 };
    if (rows <= MOST_MARGINS / (s->classes + 1)) return 1;
    *err = (sluice_error){.status = SLUICE_E_LIMIT};
    snprintf(err->message, sizeof err->message,
             "%zu rows of %zu classes each are too many for one answer; at most %d fit", rows, s->classes,
             (int)(MOST_MARGINS / (s->classes + 1)));
    return 0;
}

void add_count_header(http_request *r, const char *name, uint64_t n) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    http_add_header(r, name, digits);
}

void put_version(text_buffer *to, const char *key, uint64_t version) {
    text_json_key(to, key);
    text_char(to, '"');
    text_count(to, version);
    text_char(to, '"');
}

int format_has_lines(http_request *r, const char *format) {
    const char *name;
    for (size_t i = 0; (name = sluice_format_at(i, NULL)); i++)
        if (strcmp(name, format) == 0 && strcmp(name, "bin") != 0) return 1;
    http_refuse(r, 400, "format '%.64s': lines have one of libsvm, vw, csv, jsonl, text and url", format);
    return 0;
}

int json_whole(const sluice_json *j, uint64_t *n) {
    double x;
    if (sluice_json_uint64(j, n)) return 1;
    if (!sluice_json_double(j, &x) || x < 0 || x > 0x1p53 || x != floor(x)) return 0;
    *n = (uint64_t)x;
    return 1;
}

int query_count(http_request *r, const char *name, uint64_t min, uint64_t max, uint64_t *value) {
    const char *text = http_query(r, name);
    if (!text || parse_count(text, min, max, value)) return 1;
    if (max == UINT64_MAX)
        http_refuse(r, 400, "%s=%.64s: it has to be a whole number from %" PRIu64 " on", name, text, min);
    else
        http_refuse(r, 400, "%s=%.64s: it has to be a whole number from %" PRIu64 " to %" PRIu64, name, text, min, max);
    return 0;
}

int query_truth(http_request *r, const char *name, int *value) {
    const char *text = http_query(r, name);
    if (!text) return 1;
    const int yes = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    const int no = strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
    if (yes || no)
        *value = yes;
    else
        http_refuse(r, 400, "%s=%.64s: it has to be 1 or 0", name, text);
    return yes || no;
}
