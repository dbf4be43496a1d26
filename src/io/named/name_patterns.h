/* Which columns of csv and keys of JSON are features, and which are text: lists of names and patterns. */
#ifndef SL_NAME_PATTERNS_H
#define SL_NAME_PATTERNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "sluice.h"

struct sl_rules;

typedef struct sl_name_pattern {
    const char *text; /* as it was given, between its commas; n bytes */
    size_t n;
    bool is_name;     /* it has no *, ? or [: then an input should have it */
    atomic_bool *met; /* by some input */
} sl_name_pattern;

typedef struct sl_name_list {
    const char *what; /* which list it is, for messages: "ignore" */
    size_t n;
    sl_name_pattern *pattern;
} sl_name_list;

typedef struct sl_choice {
    sl_name_list columns; /* features; none: all are */
    sl_name_list ignore;  /* no features */
    sl_name_list text;    /* text, to be split into words */
    bool must_exist;      /* names that no input has are an error */
    bool only_csv;        /* of the inputs so far; then the last header settles what exists */
    bool has_columns;     /* some input has a header or a line */
    char *first_line;     /* of the first input of JSON Lines, for messages; NULL: there is none */
    size_t first_line_n;
    char *memory; /* of the lists */
} sl_choice;

/* Makes the lists of the options; *choice stays NULL where there are none. */
sluice_status sl_choice_new(const sluice_reader_options *o, sl_choice **choice, sluice_error *err);
void sl_choice_free(sl_choice *c);

/* Whether a name is in the list. */
bool sl_name_list_has(const sl_name_list *l, const char *name, size_t n);
/* A name that no input has had so far, and the list it stands in; NULL: there is none. */
const sl_name_pattern *sl_choice_unmet(const sl_choice *c, const sl_name_list **list);
/* At the end of the inputs: whether they have all that was named, where they should. */
sluice_status sl_choice_check(const struct sl_rules *rules, sluice_error *err);
/* Whether the text matches the pattern: * is any text, ? a byte, [a-z] and [!a-z] one of a range or none of it, and a
 * backslash before a byte that byte. */
bool sl_pattern_matches(const char *pattern, size_t n, const char *text, size_t text_n);

/* For messages: collects the names there are, to be shown, and finds the nearest one. */
typedef struct sl_shown_names {
    const char *wanted;
    size_t wanted_n, count, listed, used, distance;
    bool full;
    char list[200], nearest[128];
} sl_shown_names;
void sl_shown_begin(sl_shown_names *s, const char *wanted, size_t n);
void sl_shown_add(sl_shown_names *s, const char *name, size_t n);
/* "; did you mean 'x'? There are 'x', 'y' and 3 more" */
void sl_shown_end(const sl_shown_names *s, char *to, size_t room);

/* Adds the keys of a line of JSON, behind which there are bytes to look at. */
void sl_jsonl_show_keys(const struct sl_rules *rules, const char *p, const char *end, sl_shown_names *shown);

#endif
