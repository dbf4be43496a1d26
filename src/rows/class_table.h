/* The classes of a model, in the order in which they were seen first: their texts as first written, and how many
 * examples each has had.
 *
 * A class is found by its key: of a number the shortest digits of its double (so that 1, 1.0 and 1e0 are one class, and
 * -0 is 0), of any other text that text. */
#ifndef SL_CLASS_TABLE_H
#define SL_CLASS_TABLE_H

#include "features/names.h"

#define SL_NO_CLASS SIZE_MAX

typedef struct sl_class {
    size_t at, n;  /* its text, in `text` of the table, and a NUL behind it */
    double number; /* where is_number */
    bool is_number;
    uint64_t count; /* examples */
} sl_class;

/* Begin with {0}. */
typedef struct sl_class_table {
    sl_class *entry;
    size_t n, room;
    sl_names keys; /* the number of a key is the class */
    char *text;
    size_t text_n, text_room;
} sl_class_table;

void sl_classes_free(sl_class_table *t);
/* Makes `to`, which is empty, a copy. False: no memory; `to` is then empty. */
bool sl_classes_copy(sl_class_table *to, const sl_class_table *from);
/* Bytes allocated. */
uint64_t sl_classes_memory(const sl_class_table *t);

/* The class of a label, or SL_NO_CLASS. */
size_t sl_classes_find(const sl_class_table *t, sluice_name label);
size_t sl_classes_find_number(const sl_class_table *t, double label);
/* Adds the class of a label, of at most SL_MAX_NAME bytes, unless it is there, and returns it. SL_NO_CLASS: no memory,
 * and nothing has changed. */
size_t sl_classes_add(sl_class_table *t, sluice_name label);
size_t sl_classes_add_number(sl_class_table *t, double label);

/* Takes the counts of another table's classes off those of the same labels. */
void sl_classes_take_off(sl_class_table *t, const sl_class_table *counted);

/* Good until the next one is added; a NUL stands behind it. */
static inline sluice_name sl_class_text(const sl_class_table *t, size_t i) {
    return (sluice_name){t->text + t->entry[i].at, t->entry[i].n};
}
/* Below 0, 0 or above 0: numbers by value, and before words; words by their bytes, but true, in
 * any case, over false. */
int sl_class_compare(const sl_class_table *t, size_t a, size_t b);

/* Whether a text is a number, and which; never -0. */
bool sl_text_is_number(sluice_name text, double *number);
/* Whether two texts are one class. */
bool sl_same_class(sluice_name a, sluice_name b);

#endif
