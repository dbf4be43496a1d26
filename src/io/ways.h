/* The ways to take common rows apart. Which one runs depends on the processor; what comes out does not. */
#ifndef SL_WAYS_H
#define SL_WAYS_H

#include "io/fields.h"
#include "io/separators.h"

typedef struct sl_way {
    const char *name;
    sl_find_separators *find;
    sl_convert_fields *convert; /* NULL: fields are converted one by one */
    sl_convert_values *values;  /* likewise */
    bool (*runs_here)(void);
} sl_way;

/* From the plainest to the fastest, ended by an empty entry. The first one runs everywhere. */
extern const sl_way sl_ways[];

/* The fastest one that runs here. */
const sl_way *sl_best_way(void);

#endif
