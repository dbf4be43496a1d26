/* META: metadata, pairs of a key and bytes. */
#include <string.h>

#include "file/loader.h"

/* The next n bytes of the content, n being a base-128 number before them. NULL: they are not there. */
static const char *take_bytes(sl_loader *l, size_t *n) {
    uint64_t length;
    if (!sl_load_varint(l, &length) || length > (size_t)(l->end - l->at)) return NULL;
    const char *bytes = (const char *)l->at;
    l->at += length;
    *n = (size_t)length;
    return bytes;
}

sluice_status sl_load_metadata(sl_loader *l) {
    sl_metadata *d = &l->model->metadata;
    if (l->at == l->end) return DAMAGED(l, "META is empty");
    while (l->at < l->end) {
        size_t key_n, n;
        char key[SLUICE_MAX_METADATA_KEY + 1];
        const char *given = take_bytes(l, &key_n), *bytes = given ? take_bytes(l, &n) : NULL;
        if (!bytes) return DAMAGED(l, "META ends within a pair");
        if (key_n >= sizeof key || memchr(given, 0, key_n)) return DAMAGED(l, "a key of META is impossible");
        memcpy(key, given, key_n);
        key[key_n] = 0;
        if (d->n && strcmp(d->entry[d->n - 1].key, key) >= 0) return DAMAGED(l, "the keys of META are not in order");
        sluice_error why;
        sluice_status status = sl_metadata_set(d, key, bytes, n, &why);
        if (status == SLUICE_E_MEMORY) return sl_fail(l->err, status, "%s", why.message);
        if (status != SLUICE_OK) return DAMAGED(l, "%s", why.message);
    }
    return SLUICE_OK;
}
