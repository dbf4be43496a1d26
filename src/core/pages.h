/* Large zeroed memory that costs nothing until it is touched and grows without copying where the system allows. */
#ifndef SL_PAGES_H
#define SL_PAGES_H

#include <stddef.h>

/* Changes the size; what is new is zero. NULL when there is no memory: then the old block is as it was. */
void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes);
void sl_pages_free(void *block, size_t bytes);

#endif
