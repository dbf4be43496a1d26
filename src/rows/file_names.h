/* The names of a file whose features are numbers: of each number the name and its hash, computed once for all features
 * that have it. Belongs to what reads the file, and grows while it is read; batches point to it. */
#ifndef SL_FILE_NAMES_H
#define SL_FILE_NAMES_H

#include "features/names.h"

/* Where a name lies in a text. */
typedef struct sl_name {
    uint32_t at, n;
} sl_name;

typedef struct sl_file_names {
    uint64_t serial; /* of no other list in the process, so that what was noted about one is not used for another */
    size_t n, room;  /* names: 0, 1, 2, ... */
    size_t longest;  /* bytes of a name */
    uint64_t *hash;  /* sl_name_hash() of each */
    uint64_t *end;   /* where in `text` each one's bytes end; they begin where those of the one before end */
    char *text;      /* and SL_NAME_PAD readable bytes */
    size_t text_n, text_room;
    /* So that none stands twice: a hash table of 2^bits entries, at most half of them used. An entry is the number plus
     * 1, and the lower half of the hash above that; the upper bits of the hash are its place. */
    uint64_t *table;
    unsigned bits;
} sl_file_names;

/* Names to be added: each one's place in the text, and its sl_name_hash(). */
typedef struct sl_more_names {
    const char *text;
    const sl_name *name;
    const uint64_t *hash;
    size_t n;
} sl_more_names;

typedef enum sl_listing { SL_LISTED, SL_LISTED_TWICE, SL_LISTED_NO_MEMORY } sl_listing;

/* Adds names; there are at most SL_NO_NAME - 1. After a failure the list is only to be cleared. */
sl_listing sl_file_names_add(sl_file_names *l, const sl_more_names *more);
/* Empties a list and frees its memory: what is added next makes it another one. */
void sl_file_names_clear(sl_file_names *l);

/* The bytes of a name. */
static inline const char *sl_file_names_text(const sl_file_names *l, uint32_t number, size_t *n) {
    const uint64_t start = number ? l->end[number - 1] : 0;
    *n = (size_t)(l->end[number] - start);
    return l->text + start;
}

#endif
