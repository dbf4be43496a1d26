/* A file that appears under its name complete, or not at all. */
#ifndef SL_ATOMIC_FILE_H
#define SL_ATOMIC_FILE_H

#include "sluice.h"

typedef struct sl_atomic sl_atomic;

/* Opens a temporary file beside `path`, with owner, group and permissions of the file that is there, if there is one.
 * Written in place, without a temporary file, are: "-" (standard output), the file that standard output goes to, and a
 * path that exists and is no regular file. A symbolic link is followed. */
sl_atomic *sl_atomic_open(const char *path, sluice_error *err);
sluice_status sl_atomic_write(sl_atomic *f, const void *bytes, size_t n, sluice_error *err);
/* Syncs, closes and renames. The object is freed in any case; on failure the old file is untouched. */
sluice_status sl_atomic_commit(sl_atomic *f, sluice_error *err);
/* Closes and removes the temporary file. NULL is fine. */
void sl_atomic_abandon(sl_atomic *f);

/* The same in steps, for a file that is written again and again: no step after the first needs memory.
 *     f = sl_atomic_new(path); { sl_atomic_begin(f), sl_atomic_write(f) ..., sl_atomic_finish(f) or _drop(f) } ...
 *     sl_atomic_free(f); */
sl_atomic *sl_atomic_new(const char *path, sluice_error *err);
sluice_status sl_atomic_begin(sl_atomic *f, sluice_error *err);
sluice_status sl_atomic_finish(sl_atomic *f, sluice_error *err);
/* Removes the temporary file, if something is being written. */
void sl_atomic_drop(sl_atomic *f);
void sl_atomic_free(sl_atomic *f);

/* For a file that is locked against other writers: the name of its temporary file, in the same folder, so that what a
 * crash leaves there can be found; it is removed now. The name must live as long as the object. */
void sl_atomic_own_temporary(sl_atomic *f, const char *name);

/* The name that the file will have, links resolved; NULL: it is written in place. */
const char *sl_atomic_path(const sl_atomic *f);

#endif
