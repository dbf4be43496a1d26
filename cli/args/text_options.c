/* Options that say how text becomes features, and how a model keeps them. */
#include "args/text_options.h"

#include "output/message.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tf_words[] = {"", "binary", "count", "log"}; /* by SLUICE_TF_ */

/* ---- lists of stop words ----------------------------------------------------------------------------------------- */

/* A text that lives as long as the program: readings of models that come and go refer to it, and there are few lists.
 */
static const char *lasting(const char *text) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct lasting_text {
        struct lasting_text *next;
        char text[];
    } * all;
    if (!*text) return "";
    pthread_mutex_lock(&lock);
    struct lasting_text *t = all;
    while (t && strcmp(t->text, text) != 0) t = t->next;
    if (!t && (t = malloc(sizeof *t + strlen(text) + 1))) {
        strcpy(t->text, text);
        t->next = all;
        all = t;
    }
    pthread_mutex_unlock(&lock);
    return t ? t->text : NULL;
}

int is_stop_language(const char *value) { return sluice_stop_words(value) != NULL; }

/* The words of a file, with one space between two; what stands behind # in a line is left out. Shortens the text. */
static void join_words(char *text) {
    char *to = text;
    int in_word = 0, in_comment = 0;
    for (const char *p = text; *p; p++) {
        in_comment = *p == '#' || (in_comment && *p != '\n');
        if (in_comment || strchr(" \t\r\n\v\f", *p)) {
            in_word = 0;
            continue;
        }
        if (!in_word && to > text) *to++ = ' ';
        in_word = 1;
        *to++ = *p;
    }
    *to = 0;
}

static int read_stop_words(const char *path, char *text, size_t room) {
    FILE *f = fopen(path, "rb");
    if (!f) return complain("%s: %s", path, strerror(errno)), FAILED;
    const size_t n = fread(text, 1, room, f);
    const int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed) return complain("%s: %s", path, strerror(failed)), FAILED;
    if (n == room) return complain("%s: a list of stop words has less than %zu bytes", path, room), FAILED;
    if (memchr(text, 0, n)) return complain("%s: a NUL byte among the stop words", path), FAILED;
    text[n] = 0;
    join_words(text);
    if (!*text) return complain("%s: there are no stop words in it", path), FAILED;
    return DONE;
}

/* The list that --stop-words asks for: the file is read once. */
static int stop_words_option(const args *a, const char **list) {
    static const char *path, *read;
    const char *value = args_value(a, "stop-words");
    if (!value) return DONE;
    if ((*list = sluice_stop_words(value))) return DONE;
    if (!read || strcmp(path, value) != 0) {
        char *text = malloc(SLUICE_MAX_METADATA_BYTES);
        int rc = text ? read_stop_words(value, text, SLUICE_MAX_METADATA_BYTES) : out_of_memory();
        read = rc ? NULL : lasting(text);
        free(text);
        if (rc) return rc;
        if (!read) return out_of_memory();
        path = value;
    }
    *list = read;
    return DONE;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

/* Whether it is a number from 1 to SLUICE_MAX_CHARS, or two that ascend. */
static int are_chars(const char *text) {
    if (*text < '1' || *text > '0' + SLUICE_MAX_CHARS) return 0;
    if (!text[1]) return 1;
    return text[1] == '-' && text[2] >= *text && text[2] <= '0' + SLUICE_MAX_CHARS && !text[3];
}
_Static_assert(SLUICE_MAX_CHARS < 10, "one digit each");

int text_options(const args *a, sluice_reader_options *reading) {
    static const char *const words[] = {"binary", "count", "log", NULL}; /* by SLUICE_TF_, from 1 */
    uint64_t ngrams = 0, length = 0;
    size_t word = 0;
    const char *name = a->command->name, *chars = args_value(a, "chars");
    if (chars && !are_chars(chars))
        return wrong_usage(name, "--chars %s: give a number from 1 to %d, or the least and the most, as in 2-5", chars,
                           SLUICE_MAX_CHARS);
    int rc = args_count(a, "ngrams", 0, SLUICE_MAX_NGRAMS, &ngrams);
    if (!rc && args_has(a, "ngrams") && ngrams == 0 && !chars)
        return wrong_usage(name, "--ngrams 0: without words there are no features; give --chars, or 1 to %d",
                           SLUICE_MAX_NGRAMS);
    if (!rc) rc = args_count(a, "min-length", 1, SLUICE_MAX_MIN_LENGTH, &length);
    if (!rc && args_has(a, "tf")) {
        rc = args_word(a, "tf", words, &word);
        word++;
    }
    if (!rc) rc = stop_words_option(a, &reading->stop_words);
    reading->ngrams = (unsigned)ngrams;
    reading->no_words = args_has(a, "ngrams") && ngrams == 0;
    reading->chars = chars;
    reading->tf = (unsigned)word;
    reading->min_length = (unsigned)length;
    return rc;
}

/* ---- what a model keeps ------------------------------------------------------------------------------------------ */

static const char *kept_text(const sluice_model *model, const char *key) {
    const char *text = sluice_model_metadata(model, key, NULL);
    return text ? text : "";
}

text_settings model_text_settings(const sluice_model *model) {
    text_settings s = {.no_words = strcmp(kept_text(model, "reader.ngrams"), "0") == 0};
    s.ngrams = (unsigned)strtoul(kept_text(model, "reader.ngrams"), NULL, 10);
    s.min_length = (unsigned)strtoul(kept_text(model, "reader.min_length"), NULL, 10);
    for (unsigned tf = SLUICE_TF_BINARY; tf <= SLUICE_TF_LOG; tf++)
        if (strcmp(kept_text(model, "reader.tf"), tf_words[tf]) == 0) s.tf = tf;
    snprintf(s.chars, sizeof s.chars, "%s", kept_text(model, "reader.chars"));
    s.stop_words = lasting(kept_text(model, "reader.stop_words"));
    return s;
}

int text_settings_equal(const text_settings *a, const text_settings *b) {
    return a->ngrams == b->ngrams && a->tf == b->tf && a->min_length == b->min_length && a->no_words == b->no_words &&
           strcmp(a->chars, b->chars) == 0 && a->stop_words == b->stop_words;
}

int read_text_as(sluice_reader_options *reading, const text_settings *s) {
    reading->ngrams = s->ngrams;
    reading->tf = s->tf;
    reading->min_length = s->min_length;
    reading->no_words = s->no_words;
    reading->chars = *s->chars ? s->chars : NULL;
    reading->stop_words = s->stop_words;
    return s->stop_words ? DONE : out_of_memory();
}

static int keep(sluice_model *model, const char *key, const char *text) {
    if (!text || !*text) return DONE;
    if (sluice_model_set_metadata(model, key, text, strlen(text)) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_error(model));
}

static int keep_number(sluice_model *model, const char *key, unsigned n) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    return keep(model, key, digits);
}

/* ---- columns and keys ------------------------------------------------------------------------------------------- */

enum { COLUMNS, IGNORE, TEXT };
const char *const name_lists[NAME_LISTS] = {[COLUMNS] = "columns", [IGNORE] = "ignore", [TEXT] = "text"};
static const char *const list_keys[NAME_LISTS] = {"reader.columns", "reader.ignore", "reader.text"};
static const char separator_key[] = "reader.separator";

static const char **list_of(sluice_reader_options *reading, size_t i) {
    const char **const lists[NAME_LISTS] = {&reading->columns, &reading->ignore, &reading->text_columns};
    return lists[i];
}

static const char *given(const args *a, size_t i) {
    return args_knows(a, name_lists[i]) ? args_value(a, name_lists[i]) : NULL;
}

int column_options(const args *a, sluice_reader_options *reading) {
    const char *separator = args_value(a, "separator");
    if (separator && !(reading->separator = sluice_separator(separator)))
        return wrong_usage(a->command->name,
                           "--separator %s: give one byte such as ';', or tab, comma, semicolon, bar; no letter, "
                           "digit, quote, blank, +, -, . or #",
                           separator);
    for (size_t i = 0; i < NAME_LISTS; i++) {
        const char *names = given(a, i);
        if (!names) continue;
        if (strlen(names) >= KEPT_NAMES)
            return wrong_usage(a->command->name, "--%s: more than %d bytes of names; use patterns such as 'a*'",
                               name_lists[i], KEPT_NAMES - 1);
        *list_of(reading, i) = names;
        /* messages of a topic come one by one, and what none of them has cannot be said before the end */
        reading->names_must_exist = !args_knows(a, "kafka") || !args_has(a, "kafka");
    }
    return DONE;
}

void model_column_settings(const sluice_model *model, column_settings *s) {
    s->separator = *kept_text(model, separator_key);
    for (size_t i = 0; i < NAME_LISTS; i++) snprintf(s->names[i], KEPT_NAMES, "%s", kept_text(model, list_keys[i]));
}

int keeps_text_columns(const column_settings *s) { return *s->names[TEXT] != 0; }

int column_settings_equal(const column_settings *a, const column_settings *b) {
    for (size_t i = 0; i < NAME_LISTS; i++)
        if (strcmp(a->names[i], b->names[i]) != 0) return 0;
    return a->separator == b->separator;
}

void read_columns_as(sluice_reader_options *reading, const column_settings *s) {
    if (!reading->separator) reading->separator = sluice_separator((const char[]){s->separator, 0});
    for (size_t i = 0; i < NAME_LISTS; i++)
        if (!*list_of(reading, i) && *s->names[i]) *list_of(reading, i) = s->names[i];
}

int remember_separator(const args *a, sluice_model *model) {
    const char *separator = args_value(a, "separator");
    if (!separator || *kept_text(model, separator_key)) return DONE;
    return keep(model, separator_key, (const char[]){(char)sluice_separator(separator), 0});
}

int remember_columns(const args *a, sluice_model *model) {
    int rc = DONE;
    for (size_t i = 0; i < NAME_LISTS && !rc; i++) rc = keep(model, list_keys[i], given(a, i));
    return rc;
}

const char *contradicting_columns(const args *a, const sluice_model *model) {
    for (size_t i = 0; i < NAME_LISTS; i++) {
        const char *names = given(a, i);
        if (names && strcmp(names, kept_text(model, list_keys[i])) != 0) return name_lists[i];
    }
    return NULL;
}

/* ---- text, remembered ---------------------------------------------------------------------------------------------
 */

int remember_text_options(const args *a, sluice_model *model) {
    sluice_reader_options o = {0};
    int rc = text_options(a, &o);
    if (!rc && args_has(a, "ngrams")) rc = keep_number(model, "reader.ngrams", o.ngrams);
    if (!rc) rc = keep(model, "reader.tf", tf_words[o.tf]);
    if (!rc) rc = keep(model, "reader.chars", o.chars);
    if (!rc && o.min_length) rc = keep_number(model, "reader.min_length", o.min_length);
    if (!rc) rc = keep(model, "reader.stop_words", o.stop_words);
    if (!rc) rc = remember_columns(a, model);
    return rc ? rc : remember_quadratic(a, model);
}

static unsigned or_default(unsigned given, unsigned otherwise) { return given ? given : otherwise; }

const char *contradicting_text_option(const args *a, const sluice_model *model, int *rc) {
    const text_settings kept = model_text_settings(model);
    sluice_reader_options o = {0};
    if ((*rc = text_options(a, &o))) return NULL;
    if (args_has(a, "ngrams") && (o.no_words != kept.no_words || or_default(o.ngrams, 1) != or_default(kept.ngrams, 1)))
        return "ngrams";
    if (args_has(a, "tf") && o.tf != or_default(kept.tf, SLUICE_TF_LOG)) return "tf";
    if (args_has(a, "chars") && strcmp(o.chars, kept.chars) != 0) return "chars";
    if (args_has(a, "min-length") && o.min_length != or_default(kept.min_length, 1)) return "min-length";
    if (args_has(a, "stop-words") && (!kept.stop_words || strcmp(o.stop_words, kept.stop_words) != 0))
        return "stop-words";
    return contradicting_columns(a, model);
}
