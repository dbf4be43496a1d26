/* META: metadata, pairs of a key and bytes. */
#include <string.h>

#include "file/loader.h"

sluice_status sl_load_metadata(sl_loader *l) {
    sl_metadata *d = &l->model->metadata;
    if (l->at == l->end) return DAMAGED(l, "META is empty");
    while (l->at < l->end) {
        size_t key_n, n;
        char key[SLUICE_MAX_METADATA_KEY + 1];
        const char *given = sl_load_counted(l, &key_n), *bytes = given ? sl_load_counted(l, &n) : NULL;
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
