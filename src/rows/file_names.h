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
    sl_names names;  /* numbers 0, 1, 2, ... */
    uint64_t *hash;  /* sl_name_hash() of each */
    size_t room;
    size_t longest; /* bytes of a name */
} sl_file_names;

/* Names to be added: each one's place in the text, and its sl_name_hash(). */
typedef struct sl_more_names {
    const char *text;
    const sl_name *name;
    const uint64_t *hash;
    size_t n;
} sl_more_names;

typedef enum sl_listing { SL_LISTED, SL_LISTED_TWICE, SL_LISTED_NO_MEMORY } sl_listing;

/* Adds names. After a failure the list is only to be cleared. */
sl_listing sl_file_names_add(sl_file_names *l, const sl_more_names *more);
/* Empties a list and frees its memory: what is added next makes it another one. */
void sl_file_names_clear(sl_file_names *l);

#endif
