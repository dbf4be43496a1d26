/* Inputs of formats that are not read: each is answered with a command that makes one of them that is. */
#include "io/source/other_formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "io/format.h"

/* The name as it may stand in a command; FILE where a shell would not take it as it is, or the command would find it
 * compressed. */
static const char *plain_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";
    size_t n;
    if (sl_compressed_ending(name, &n)) return "FILE";
    return strlen(name) < 100 && *name && *name != '-' && name[strspn(name, letters)] == 0 ? name : "FILE";
}

/* What a command writes to, which must not be what it reads. */
static const char *new_name(const char *name) { return strstr(name, "new") ? "other" : "new"; }

/* The ending of a name with its point; "" where there is none. */
static const char *ending(const char *name) {
    const char *point = strrchr(name, '.'), *slash = strrchr(name, '/');
    return point && (!slash || point > slash) ? point : "";
}

static sluice_status refuse(const sl_input *in, sluice_error *err, const char *what, const char *command) {
    const sluice_status status = sl_fail_at(err, SLUICE_E_DATA, in->name, 1, 1, "%s: %s", what, command);
    if (err) err->whole_input = 1;
    return status;
}

sluice_status sl_check_first_bytes(const sl_input *in, sluice_error *err) {
    static const struct {
        const char *magic;
        size_t n;
        const char *what, *reader;
    } kinds[] = {
        {"PAR1\x15", 5, "this is a Parquet file, which is not read", "read_parquet"},
        {"ARROW1\0\0", 8, "this is a file of Arrow (IPC), which is not read", "read_feather"},
        {"PK\3\4", 4, "this is a zip archive, which is not read", NULL},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool yes = false;
        char command[400];
        const char *name = plain_name(in->name);
        const sluice_status status = sl_source_begins(in->source, kinds[i].magic, kinds[i].n, &yes, err);
        if (status != SLUICE_OK) return status;
        if (!yes) continue;
        if (kinds[i].reader || strcasecmp(ending(in->name), ".xlsx") == 0)
            snprintf(command, sizeof command,
                     "python3 -c \"import pandas; pandas.%s('%s').to_csv('%s.csv', index=False)\" makes csv of it, and "
                     "sluiceway.train() takes the frame itself",
                     kinds[i].reader ? kinds[i].reader : "read_excel", name, new_name(name));
        else
            snprintf(command, sizeof command, "unzip -p %s > %s.csv unpacks it, if it has csv inside", name,
                     new_name(name));
        return refuse(in, err, kinds[i].what, command);
    }
    return SLUICE_OK;
}

/* Most bytes are NUL, as in UTF-16 and UTF-32 of mostly Latin letters; or there is a mark of its byte order. */
static const char *wide_code(const char *text, size_t n) {
    if (n >= 4 && (memcmp(text, "\xff\xfe\0\0", 4) == 0 || memcmp(text, "\0\0\xfe\xff", 4) == 0)) return "UTF-32";
    if (n >= 8 && text[0] && memcmp(text + 1, "\0\0\0", 3) == 0 && text[4] && !text[5]) return "UTF-32LE";
    if (n >= 8 && memcmp(text, "\0\0\0", 3) == 0 && text[3] && memcmp(text + 4, "\0\0\0", 3) == 0) return "UTF-32BE";
    if (n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) return "UTF-16";
    if (n < 4) return NULL;
    if (text[0] && !text[1] && text[2] && !text[3]) return "UTF-16LE";
    return !text[0] && text[1] && !text[2] && text[3] ? "UTF-16BE" : NULL;
}

static const char *past_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
    return p;
}

/* Whether the second word of a line is id:value, or meant so, and no URL. */
static bool has_field(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    const char *word_end = p;
    while (word_end < end && *word_end != ' ' && *word_end != '\t') word_end++;
    return memchr(p, ':', (size_t)(word_end - p)) && !memmem(p, (size_t)(word_end - p), "://", 3);
}

/* What a first line is that is read as LIBSVM text because nothing says otherwise, and cannot be meant so. NULL: it
 * can.
 */
static const char *not_libsvm(const char *p, const char *end) {
    const char *comment = memchr(p, '#', (size_t)(end - p));
    if (comment) end = comment;
    const char *word_end = p;
    while (word_end < end && *word_end != ' ' && *word_end != '\t' && *word_end != '\r' && *word_end != '\n')
        word_end++;
    if (has_field(word_end, end)) return NULL;
    while (end > p && past_blanks(end - 1, end) == end) end--;
    const size_t n = (size_t)(end - p);
    const char *tab = memchr(p, '\t', n);
    if (tab && !memchr(tab + 1, '\t', (size_t)(end - tab - 1)))
        return memmem(tab, (size_t)(end - tab), "://", 3) ? "label<TAB>URL, and is read as libsvm\0say -f url"
               : memchr(tab, ' ', (size_t)(end - tab))    ? "label<TAB>text, and is read as libsvm\0say -f text"
                                                          : "csv, and is read as libsvm\0say -f csv";
    if (tab || memchr(p, ',', (size_t)(word_end - p)) || memchr(p, ';', (size_t)(word_end - p)))
        return "csv, and is read as libsvm\0say -f csv";
    return NULL;
}

sluice_status sl_check_first_text(const sl_input *in, const char *text, size_t n, sluice_error *err) {
    const char *newline = memchr(text, '\n', n); /* the first line alone, however much of the input there is */
    if (newline) n = (size_t)(newline + 1 - text);
    const char *end = text + n, *p = past_blanks(text, end), *name = plain_name(in->name), *code = wide_code(text, n);
    const bool json = in->format->parse == sl_parse_jsonl;
    char command[400];
    if (code) {
        snprintf(command, sizeof command, "iconv -f %s -t UTF-8 %s > %s%s makes UTF-8 of it", code, name,
                 new_name(name), name == in->name ? ending(name) : "");
        return refuse(in, err,
                      strncmp(code, "UTF-32", 6) == 0 ? "this text is UTF-32, which is not read"
                                                      : "this text is UTF-16, which is not read",
                      command);
    }
    if (in->rules->only_counted || p == end || (!json && (in->format->parse != sl_parse_libsvm || in->rules->format)))
        return SLUICE_OK;
    const char *next = past_blanks(p + 1, end);
    if (*p == '[' && (next == end || *next == '{' || *next == ']')) {
        snprintf(command, sizeof command, "jq -c '.[]' %s > %s.jsonl makes such lines", name, new_name(name));
        return refuse(in, err, "this is a JSON array; JSON Lines are one object a line", command);
    }
    if (*p == '{' && memchr(p, '\n', (size_t)(next - p))) {
        snprintf(command, sizeof command, "jq -c . %s > %s.jsonl makes such lines", name, new_name(name));
        return refuse(in, err, "this object has several lines; JSON Lines are one object a line", command);
    }
    if (!json && *p == '{' && next < end && *next == '"')
        return refuse(in, err, "this looks like JSON Lines, and is read as libsvm", "say -f jsonl");
    const char *other = json ? NULL : not_libsvm(p, end);
    if (!other) return SLUICE_OK;
    snprintf(command, sizeof command, "%s; if it is libsvm, say -f libsvm", other + strlen(other) + 1);
    char what[100];
    snprintf(what, sizeof what, "this looks like %s", other);
    return refuse(in, err, what, command);
}
