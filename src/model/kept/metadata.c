/* Metadata of a model: a small sorted list of (key, bytes). */
#include "model/kept/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/model.h"

/* Where the key is, or where it would go; *there says which. */
static size_t find(const sl_metadata *d, const char *key, bool *there) {
    size_t i = 0;
    int order = 1;
    while (i < d->n && (order = strcmp(d->entry[i].key, key)) < 0) i++;
    *there = i < d->n && order == 0;
    return i;
}

static bool is_key(const char *key) {
    size_t n = strlen(key);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)key[i] <= ' ' || key[i] == 0x7f) return false;
    return n > 0 && n <= SLUICE_MAX_METADATA_KEY;
}

static void free_entry(sl_metadata_entry *e) {
    free(e->key);
    free(e->bytes);
}

static bool make_entry(sl_metadata_entry *e, const char *key, const void *bytes, size_t n) {
    *e = (sl_metadata_entry){.key = malloc(strlen(key) + 1), .bytes = malloc(n + 1), .n = n};
    if (!e->key || !e->bytes) {
        free_entry(e);
        return false;
    }
    memcpy(e->key, key, strlen(key) + 1);
    if (n) memcpy(e->bytes, bytes, n);
    e->bytes[n] = 0;
    return true;
}

static void remove_at(sl_metadata *d, size_t i) {
    free_entry(&d->entry[i]);
    d->n--;
    memmove(d->entry + i, d->entry + i + 1, (d->n - i) * sizeof *d->entry);
}

sluice_status sl_metadata_set(sl_metadata *d, const char *key, const void *bytes, size_t n, sluice_error *err) {
    if (!is_key(key))
        return sl_fail(err, SLUICE_E_USAGE,
                       "a key of metadata has 1 to %d bytes, none of them a space or a control character",
                       SLUICE_MAX_METADATA_KEY);
    bool there;
    size_t i = find(d, key, &there);
    if (!bytes) {
        if (there) remove_at(d, i);
        return SLUICE_OK;
    }
    if (n > SLUICE_MAX_METADATA_BYTES || (!there && d->n >= SLUICE_MAX_METADATA))
        return sl_fail(err, SLUICE_E_LIMIT, "a model keeps at most %d pieces of metadata of at most %d bytes",
                       SLUICE_MAX_METADATA, SLUICE_MAX_METADATA_BYTES);
    sl_metadata_entry made;
    bool fine = make_entry(&made, key, bytes, n);
    if (fine && !there) {
        sl_metadata_entry *larger = realloc(d->entry, (d->n + 1) * sizeof *larger);
        if (larger)
            d->entry = larger;
        else
            free_entry(&made), fine = false;
    }
    if (!fine) return sl_fail(err, SLUICE_E_MEMORY, "no memory for metadata");
    if (there)
        free_entry(&d->entry[i]);
    else
        memmove(d->entry + i + 1, d->entry + i, (d->n++ - i) * sizeof *d->entry);
    d->entry[i] = made;
    return SLUICE_OK;
}

const char *sl_metadata_get(const sl_metadata *d, const char *key, size_t *n) {
    bool there;
    size_t i = find(d, key, &there);
    if (n) *n = there ? d->entry[i].n : 0;
    return there ? d->entry[i].bytes : NULL;
}

const sl_metadata_entry *sl_metadata_at(const sl_metadata *d, size_t i) { return i < d->n ? &d->entry[i] : NULL; }

bool sl_metadata_copy(sl_metadata *to, const sl_metadata *from) {
    for (size_t i = 0; i < from->n; i++) {
        const sl_metadata_entry *e = &from->entry[i];
        if (sl_metadata_set(to, e->key, e->bytes, e->n, NULL) == SLUICE_OK) continue;
        sl_metadata_free(to);
        return false;
    }
    return true;
}

void sl_metadata_free(sl_metadata *d) {
    for (size_t i = 0; i < d->n; i++) free_entry(&d->entry[i]);
    free(d->entry);
    *d = (sl_metadata){0};
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

sluice_status sluice_model_set_metadata(sluice_model *m, const char *key, const void *bytes, size_t n) {
    return sl_metadata_set(&m->metadata, key, bytes, n, &m->error);
}

const void *sluice_model_metadata(const sluice_model *m, const char *key, size_t *n) {
    return sl_metadata_get(&m->metadata, key, n);
}

const char *sluice_model_metadata_at(const sluice_model *m, size_t i, const void **bytes, size_t *n) {
    const sl_metadata_entry *e = sl_metadata_at(&m->metadata, i);
    if (!e) return NULL;
    *bytes = e->bytes;
    *n = e->n;
    return e->key;
}
