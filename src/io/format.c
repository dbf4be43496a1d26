/* The table of formats and how one is chosen. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "io/bin/bin.h"
#include "io/format.h"

#define ENDINGS(...)                                                                                                   \
    (const char *const[]) { __VA_ARGS__, NULL }

const sl_format sl_formats[] = {
    {"libsvm", "label id:value ...", ENDINGS(".svm", ".libsvm"), NULL, 0, sl_fetch_lines, sl_parse_libsvm, NULL},
    {"vw", "label |namespace name:value ...", ENDINGS(".vw"), NULL, 0, sl_fetch_lines, sl_parse_vw, sl_find_vw_id},
    {"jsonl", "one JSON object a line", ENDINGS(".jsonl", ".ndjson", ".json"), NULL, 0, sl_fetch_lines, sl_parse_jsonl,
     sl_find_jsonl_id},
    {"bin", "sluice's own binary format", ENDINGS(".bin"), SL_BIN_MAGIC, SL_BIN_MAGIC_BYTES, sl_fetch_bin, sl_parse_bin,
     NULL},
    {"csv", "columns, with a header: RFC 4180", ENDINGS(".csv", ".tsv"), NULL, 0, sl_fetch_csv, sl_parse_csv,
     sl_find_csv_id},
    {"text", "label<TAB>free text", ENDINGS(".text.tsv"), NULL, 0, sl_fetch_lines, sl_parse_text, NULL},
    {"url", "label<TAB>URL", ENDINGS(".url.tsv"), NULL, 0, sl_fetch_lines, sl_parse_url, NULL},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL},
};

const char *sluice_format_at(size_t i, const char **summary) {
    const sl_format *f = sl_formats;
    while (i && f->name) f++, i--;
    if (summary) *summary = f->summary;
    return f->name;
}

const sl_format *sl_format_find(const char *name, sluice_error *err) {
    char list[128] = "";
    size_t n = 0;
    for (const sl_format *f = sl_formats; f->name; f++) {
        if (strcmp(f->name, name) == 0) return f;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", f->name); /* all of them fit */
    }
    sl_fail(err, SLUICE_E_USAGE, "there is no format '%.40s'; there are %s", name, list);
    return NULL;
}

static bool ends_with(const char *path, size_t n, const char *ending) {
    size_t k = strlen(ending);
    return n >= k && strncasecmp(path + n - k, ending, k) == 0;
}

bool sl_compressed_ending(const char *path, size_t *n) {
    static const char *const compressed[] = {".gz", ".zst", ".bz2", ".xz"};
    *n = strlen(path);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (ends_with(path, *n, compressed[i])) {
            *n -= strlen(compressed[i]);
            return true;
        }
    return false;
}

const sl_format *sl_format_by_ending(const char *path, const sl_format *hint) {
    const sl_format *best = hint ? hint : &sl_formats[0];
    size_t n, longest = 0; /* .text.tsv says more than .tsv */
    sl_compressed_ending(path, &n);
    for (const sl_format *f = sl_formats; f->name; f++)
        for (const char *const *e = f->endings; *e; e++)
            if (strlen(*e) > longest && ends_with(path, n, *e)) best = f, longest = strlen(*e);
    return hint && ends_with(path, n, ".tsv") && longest == strlen(".tsv") ? hint : best; /* tabs are in all of them */
}
