/* A file that appears under its name complete, or not at all. */
#ifndef SL_ATOMIC_FILE_H
#define SL_ATOMIC_FILE_H

#include "sluice.h"

typedef struct sl_atomic sl_atomic;

/* Opens a temporary file beside `path`. Written in place, without a temporary file, are: "-" (standard output), the
 * file that standard output goes to, and a path that exists and is no regular file. A symbolic link is followed. */
sl_atomic *sl_atomic_open(const char *path, sluice_error *err);
sluice_status sl_atomic_write(sl_atomic *f, const void *bytes, size_t n, sluice_error *err);
/* Syncs, closes and renames. The object is freed in any case; on failure the old file is untouched. */
sluice_status sl_atomic_commit(sl_atomic *f, sluice_error *err);
/* Closes and removes the temporary file. NULL is fine. */
void sl_atomic_abandon(sl_atomic *f);

#endif
