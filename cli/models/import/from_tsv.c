/* import --from tsv: a table of features and weights, as `export --to tsv` and `inspect --weights` write it. */
#include "models/import/imported.h"

#include <string.h>

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes \xNN in place; 0: there is another backslash. */
static int decode(char *text, size_t *n) {
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (*p != '\\') {
            *to++ = *p;
            continue;
        }
        const int high = p[1] == 'x' ? hex_digit(p[2]) : -1, low = high >= 0 ? hex_digit(p[3]) : -1;
        if (low < 0) return 0;
        *to++ = (char)(high * 16 + low);
        p += 3;
    }
    *to = 0;
    *n = (size_t)(to - text);
    return 1;
}

static sluice_status take_line(imported *m, const import_lines *lines, char *line, int *names, sluice_error *err) {
    char *tab = strchr(line, '\t');
    sluice_weight key = {0};
    uint64_t id;
    size_t n;
    if (!tab || strchr(tab + 1, '\t'))
        return import_bad(lines, err, "there are not two columns, a feature and a weight, with a tab between them");
    *tab = 0;
    if (strcmp(line, "bias") == 0) {
        m->bias = 1;
        key.is_bias = 1;
    } else if (!decode(line, &n)) {
        return import_bad(lines, err, "a backslash in a name is written \\x5c");
    } else {
        *names |= memchr(line, 0, n) || !import_id(line, &id);
        key.name = (sluice_name){line, n};
    }
    return import_weight(m, lines, key, tab + 1, err);
}

sluice_status import_tsv(imported *m, const char *text, size_t n, sluice_error *err) {
    import_lines lines;
    char *line;
    int names = 0;
    sluice_status status = import_start(m, &lines, text, n, err);
    while (status == SLUICE_OK && (line = import_line(&lines)))
        if (lines.line > 1 || strcmp(line, "feature\tweight") != 0) status = take_line(m, &lines, line, &names, err);
    for (size_t i = 0; status == SLUICE_OK && !names && i < m->n; i++) { /* whole numbers alone: ids */
        import_id(m->weights[i].name.text ? m->weights[i].name.text : "0", &m->weights[i].id);
        m->weights[i].name = (sluice_name){NULL, 0};
    }
    return status;
}
