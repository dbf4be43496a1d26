/* Large zeroed memory that costs nothing until it is touched and grows without copying where the system allows. */
#ifndef SL_PAGES_H
#define SL_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, or NULL. Dense: all of it will be used, so that it may come in large pages, which are cheaper to get
 * and to reach. */
void *sl_pages_new(size_t bytes, bool dense);
/* Changes the size; what is new is zero. NULL when there is no memory: then the old block is as it was. */
void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes, bool dense);
/* This part of a block is no longer needed: its memory is free for others, the block has to be freed all the same. */
void sl_pages_drop(void *part, size_t bytes);
void sl_pages_free(void *block, size_t bytes);

#endif
