/* What the readers of other programs' models share: lines, numbers, weights. */
#include "models/import/imported.h"

#include "args/args.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void imported_free(imported *m) {
    free(m->weights);
    free(m->text);
    *m = (imported){0};
}

static sluice_status fail(sluice_error *err, sluice_status status, uint64_t line, const char *what) {
    *err = (sluice_error){.status = status, .line = line};
    snprintf(err->message, sizeof err->message, "%s", what);
    return status;
}

sluice_status import_bad(const import_lines *lines, sluice_error *err, const char *what) {
    return fail(err, SLUICE_E_FORMAT, lines->line, what);
}

sluice_status import_start(imported *m, import_lines *lines, const char *text, size_t n, sluice_error *err) {
    *lines = (import_lines){0};
    if (n && memchr(text, 0, n)) return fail(err, SLUICE_E_FORMAT, 0, "this is no text: it has a NUL byte");
    m->text = malloc(n + 1);
    if (!m->text) return fail(err, SLUICE_E_MEMORY, 0, "no memory for the model");
    if (n) memcpy(m->text, text, n);
    m->text[n] = 0;
    lines->next = m->text;
    lines->end = m->text + n;
    return SLUICE_OK;
}

char *import_line(import_lines *lines) {
    char *line = lines->next;
    if (line == lines->end) return NULL;
    char *end = memchr(line, '\n', (size_t)(lines->end - line));
    lines->next = end ? end + 1 : lines->end;
    lines->line++;
    if (end) *end = 0;
    size_t n = strlen(line);
    if (n && line[n - 1] == '\r') line[n - 1] = 0;
    return line;
}

int import_id(const char *text, uint64_t *id) {
    return (*text != '0' || !text[1]) && parse_count(text, 0, UINT64_MAX, id);
}

sluice_status import_weight(imported *m, const import_lines *lines, sluice_weight key, const char *number,
                            sluice_error *err) {
    double value;
    if (!sluice_parse_number(number, &value) || !(fabs(value) <= (double)FLT_MAX))
        return import_bad(lines, err, "a weight is no number, or beyond the range of a float");
    if (m->n == m->room) {
        const size_t room = m->room ? m->room * 2 : 256;
        sluice_weight *larger = realloc(m->weights, room * sizeof *larger);
        if (!larger) return fail(err, SLUICE_E_MEMORY, 0, "no memory for the weights");
        m->weights = larger;
        m->room = room;
    }
    key.weight = (float)value;
    m->weights[m->n++] = key;
    return SLUICE_OK;
}
