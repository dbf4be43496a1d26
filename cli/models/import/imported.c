/* What the readers of other programs' models share: lines, numbers, weights. */
#include "models/import/imported.h"

#include "args/args.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void imported_free(imported *m) {
    free(m->weights);
    free(m->lines);
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
        if (larger) m->weights = larger;
        uint64_t *lines_too = larger ? realloc(m->lines, room * sizeof *lines_too) : NULL;
        if (!lines_too) return fail(err, SLUICE_E_MEMORY, 0, "no memory for the weights");
        m->lines = lines_too;
        m->room = room;
    }
    key.weight = (float)value;
    m->lines[m->n] = lines->line;
    m->weights[m->n++] = key;
    return SLUICE_OK;
}

/* A text for every feature: names, ids and the constant one differ in their first byte. */
static sluice_name key_text(const sluice_weight *w, char *room) {
    if (w->is_bias) return (sluice_name){"=", 1};
    if (!w->name.text) return (sluice_name){room, (size_t)sprintf(room, "#%" PRIu64, w->id)};
    *room = ':';
    memcpy(room + 1, w->name.text, w->name.n);
    return (sluice_name){room, w->name.n + 1};
}

sluice_status imported_check(const imported *m, sluice_error *err) {
    enum { ID_ROOM = 24 };
    size_t longest = ID_ROOM;
    for (size_t i = 0; i < m->n; i++)
        if (m->weights[i].name.n > longest) longest = m->weights[i].name.n;
    sluice_names *seen = sluice_names_new();
    char *room = malloc(longest + 1);
    sluice_status status = SLUICE_OK;
    if (!seen || !room) status = fail(err, SLUICE_E_MEMORY, 0, "no memory for the weights");
    for (size_t i = 0; i < m->n && status == SLUICE_OK; i++) {
        const uint64_t known = sluice_names_number(seen, key_text(&m->weights[i], room));
        char what[96];
        if (known >= i) continue; /* beyond i: the name is too long, and the library says so */
        snprintf(what, sizeof what, "this feature has a weight already, in line %" PRIu64, m->lines[known]);
        status = fail(err, SLUICE_E_DATA, m->lines[i], what);
    }
    sluice_names_free(seen);
    free(room);
    return status;
}
