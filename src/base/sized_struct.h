/* Structs of sluice.h that begin with their own size: one rule for all of them. A smaller struct comes from a program
 * built with an older header, a larger one from a newer one. */
#ifndef SL_SIZED_STRUCT_H
#define SL_SIZED_STRUCT_H

#include "sluice.h"

/* Reads options: copies as much of *given as both sides know over *own, of `size` bytes, which holds the defaults.
 * given may be NULL: nothing is copied. SLUICE_E_USAGE where its size is not set (or above 4096), SLUICE_E_UNSUPPORTED
 * where it sets something behind what this version knows. `name` is the struct's, for the message. */
sluice_status sl_sized_read(void *own, size_t size, const void *given, const char *name, sluice_error *err);

/* Checks a struct that is to be filled in: SLUICE_E_USAGE where its size is not set (or above 4096). */
sluice_status sl_sized_check(const void *to, const char *name, sluice_error *err);
/* Fills in a struct that was checked: as much of *own as both sides know, then zeros; its size stays. */
void sl_sized_write(void *to, const void *own, size_t size);

#endif
