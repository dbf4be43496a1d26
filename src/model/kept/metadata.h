/* Metadata: (key, bytes) pairs that a program keeps in a model, such as how its reader made the features. */
#ifndef SL_METADATA_H
#define SL_METADATA_H

#include <stdbool.h>

#include "sluice.h"

typedef struct sl_metadata_entry {
    char *key;
    char *bytes; /* n bytes and a NUL, so that text can be used as it is */
    size_t n;
} sl_metadata_entry;

/* By ascending key (strcmp); begin with {0}. */
typedef struct sl_metadata {
    sl_metadata_entry *entry;
    size_t n;
} sl_metadata;

/* Sets the bytes of a key; bytes NULL removes it. SLUICE_E_USAGE for an impossible key, SLUICE_E_LIMIT for too much,
 * SLUICE_E_MEMORY; then nothing has changed. */
sluice_status sl_metadata_set(sl_metadata *d, const char *key, const void *bytes, size_t n, sluice_error *err);
/* NULL: there is no such key. n may be NULL. */
const char *sl_metadata_get(const sl_metadata *d, const char *key, size_t *n);
/* The i-th by ascending key; NULL past the last. */
const sl_metadata_entry *sl_metadata_at(const sl_metadata *d, size_t i);
/* Makes `to`, which is empty, a copy. False: no memory; `to` is then empty. */
bool sl_metadata_copy(sl_metadata *to, const sl_metadata *from);
void sl_metadata_free(sl_metadata *d);

#endif
