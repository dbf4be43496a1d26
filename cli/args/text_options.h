/* Options that say how text and tables become features. */
#ifndef CLI_TEXT_OPTIONS_H
#define CLI_TEXT_OPTIONS_H

#include "args/args.h"
#include "args/quadratic_option.h"
#include "sluice.h"

/* Rows of tables: the separator of csv, and which columns and keys are features or text. */
/* clang-format off */
#define SEPARATOR_OPTION \
    {"separator", 0, "C", "csv: the byte between fields, or tab, comma, semicolon, bar (default: a tab in .tsv, else guessed)", 0}
#define COLUMN_OPTIONS \
    {"columns", 0, "NAME,...", "csv, jsonl: only these columns or keys are features; * and ? stand for any text and byte", 0}, \
    {"ignore", 0, "NAME,...", "csv, jsonl: these columns or keys are no features; * and ? as in --columns", 0}, \
    {"text", 0, "NAME,...", "csv, jsonl: split the text of these columns or keys into words, as -f text does", 0}
/* clang-format on */

/* Rows for a command's option table. A model keeps these settings. */
/* clang-format off */
#define TEXT_OPTIONS \
    COLUMN_OPTIONS, \
    {"ngrams", 0, "N", "text: features are words and runs of up to N words (1 to 8; default 1; 0, with --chars: no words)", 0}, \
    {"chars", 0, "N|M-N", "text: features are also runs of N, or of M to N, characters inside words (1 to 8; such as 1-5)", 0}, \
    {"tf", 0, "binary|count|log", "text: the value of a word that occurs n times: 1, n or 1 + log n (default log)", 0}, \
    {"min-length", 0, "N", "text: leave out words of fewer than N characters (1 to 16; default 1)", 0}, \
    {"stop-words", 0, "FILE|english", "text: leave out the words of a file, or English words such as the, of and is", 0}, \
    QUADRATIC_OPTION
/* The files of these options, for a command's table of files. */
#define TEXT_FILES {.option = "stop-words", .role = READS_DATA, .is_other = is_stop_language}
/* clang-format on */

/* Whether a value of --stop-words is no file. */
int is_stop_language(const char *value);

/* Reads TEXT_OPTIONS into the reader's options, which refer to texts that live as long as the program; 0 and NULL where
 * they are not given. Returns an exit status. */
int text_options(const args *a, sluice_reader_options *reading);

/* The settings of text, as a model keeps them. */
typedef struct text_settings {
    unsigned ngrams, tf, min_length; /* 0: not given */
    int no_words;
    char chars[8];          /* "": none */
    const char *stop_words; /* "": none; lives as long as the program. NULL: no memory */
} text_settings;

text_settings model_text_settings(const sluice_model *model);
int text_settings_equal(const text_settings *a, const text_settings *b);
/* Returns DONE or FAILED. */
int read_text_as(sluice_reader_options *reading, const text_settings *s);
/* Keeps the options that are given in the model, those of columns and --quadratic too. Returns an exit status. */
int remember_text_options(const args *a, sluice_model *model);
/* Which option of the command line says otherwise than the model; NULL: none, or *rc is a failure. */
const char *contradicting_text_option(const args *a, const sluice_model *model, int *rc);

/* ---- columns and keys ---- */

/* Reads SEPARATOR_OPTION and COLUMN_OPTIONS into the reader's options, those that the command has. Returns DONE or
 * WRONG_USAGE. */
int column_options(const args *a, sluice_reader_options *reading);

enum { NAME_LISTS = 3, KEPT_NAMES = 4096 }; /* KEPT_NAMES: bytes of a list of names */
extern const char *const name_lists[NAME_LISTS];

/* These settings as a model keeps them. */
typedef struct column_settings {
    char separator; /* 0: none is kept */
    char names[NAME_LISTS][KEPT_NAMES];
} column_settings;

void model_column_settings(const sluice_model *model, column_settings *s);
/* Whether some columns or keys are texts. */
int keeps_text_columns(const column_settings *s);
int column_settings_equal(const column_settings *a, const column_settings *b);
/* What the options leave open becomes what the model keeps. */
void read_columns_as(sluice_reader_options *reading, const column_settings *s);
/* Keeps what is given in the model. Return an exit status. */
int remember_separator(const args *a, sluice_model *model);
int remember_columns(const args *a, sluice_model *model);
/* Which option of the command line says otherwise than the model; NULL: none. */
const char *contradicting_columns(const args *a, const sluice_model *model);

#endif
