/* Crossed features (the option `quadratic`, docs/interactions.md): products of two features of a row, for learners
 * whose margin is a sum over features.
 *
 * A crossing has two sides; each says which groups of features it takes. The group of a feature is its namespace (VW
 * text), column (csv) or key (JSON Lines), and follows from its name: what stands before the first `^` or `=`. */
#ifndef SL_QUADRATIC_H
#define SL_QUADRATIC_H

#include <string.h>

#include "io/named/named_rows.h"

struct sl_csv_header;
struct sl_format;

enum { SL_MOST_CROSSINGS = 32 };

/* The crossings of an option. What rows have had of them is noted by all threads; all else is constant. */
typedef struct sl_quadratic sl_quadratic;

/* From the option's text, one crossing a line. NULL: it is wrong, or there is no memory. */
sl_quadratic *sl_quadratic_new(const char *text, sluice_error *err);
/* NULL is fine. */
void sl_quadratic_free(sl_quadratic *q);

/* What ends the name of a group in the names of features of a format; 0: it has no groups. */
char sl_group_end(const struct sl_format *format);
/* Refuses formats without groups. */
sluice_status sl_quadratic_check_format(const sl_rules *rules, const struct sl_format *format, const char *input,
                                        sluice_error *err);
/* Whether every side takes some column of the header other than those that are no features; if not, why. */
bool sl_quadratic_has_columns(const sl_quadratic *q, const struct sl_csv_header *header, char *message, size_t room);

/* The sides that take a group, as bits: 1 << i is the first side of crossing i, 1 << (32 + i) the second. */
uint64_t sl_quadratic_sides(const sl_quadratic *q, const char *group, size_t n);
size_t sl_quadratic_crossings(const sl_quadratic *q);
/* The group in the name of a feature. */
static inline sluice_name sl_group_of(const char *name, size_t n, char group_end) {
    const char *end = memchr(name, group_end, n);
    if (group_end != '^') return (sluice_name){name, end ? (size_t)(end - name) : n};
    return end > name ? (sluice_name){name, (size_t)(end - name)} : (sluice_name){" ", 1}; /* as VW calls its default */
}

/* Whether some side has taken nothing so far. If so, rows note what they have: the sides, and groups in any order. */
bool sl_quadratic_is_noting(const sl_quadratic *q);
void sl_quadratic_note_sides(sl_quadratic *q, uint64_t sides);
void sl_quadratic_note_group(sl_quadratic *q, const char *group, size_t n);
/* A side that has taken nothing, and some groups that there are: a message, which the crossings keep. NULL: all sides
 * have taken features. */
const char *sl_quadratic_missing(sl_quadratic *q);

/* What the crossing of a row needs, kept from row to row (quadratic_rows.c). NULL is fine. */
typedef struct sl_crossed sl_crossed;
void sl_crossed_free(sl_crossed *c);
size_t sl_crossed_memory(const sl_crossed *c);
/* Adds the crossed features of the row that is being built, behind its features. SL_NAMED_CROSSED: that cannot be;
 * sl_crossed_why() says why. */
sl_named_status sl_cross_row(sl_named_rows *r);
const char *sl_crossed_why(const sl_named_rows *r, sl_reason *reason);

#endif
