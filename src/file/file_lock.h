/* A lock on a file that a run is going to replace. */
#ifndef SL_FILE_LOCK_H
#define SL_FILE_LOCK_H

#include <stdbool.h>

#include "sluice.h"

typedef struct sl_file_lock {
    int fd;     /* of the lock file; -1: there is no lock */
    char *name; /* of the lock file */
} sl_file_lock;

/* "folder/.NAME.ENDING" for "folder/NAME", shortened where the name is long; to be freed. NULL: no memory. */
char *sl_hidden_name(const char *path, const char *ending);

/* Locks `path`, whose links are resolved and which need not exist. SLUICE_E_LOCKED: somebody else has the lock. Where
 * the file system has no locks it succeeds without one: sl_file_lock_held(). */
sluice_status sl_file_lock_take(sl_file_lock *lock, const char *path, sluice_error *err);
bool sl_file_lock_held(const sl_file_lock *lock);
void sl_file_lock_release(sl_file_lock *lock);

#endif
