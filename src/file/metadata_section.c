/* META: metadata, pairs of a key and bytes. */
#include <string.h>

#include "file/loader.h"
#include "file/saver.h"

enum { LENGTHS = 20 }; /* bytes of two base-128 numbers at most */

_Static_assert(LENGTHS + SLUICE_MAX_METADATA_KEY + SLUICE_MAX_METADATA_BYTES <= SL_MAX_SECTION, "a pair is too large");

/* As many pairs in a section as it has room for. */
sluice_status sl_save_metadata(sl_saver *s, const sl_metadata *d) {
    sluice_status status = SLUICE_OK;
    const sl_metadata_entry *e = sl_metadata_at(d, 0);
    for (size_t i = 0; e && status == SLUICE_OK;) {
        sl_save_begin(s, "META", SL_SKIPPABLE);
        do {
            sl_save_varint(s, strlen(e->key));
            sl_save_text(s, e->key, strlen(e->key));
            sl_save_varint(s, e->n);
            sl_save_text(s, e->bytes, e->n);
            e = sl_metadata_at(d, ++i);
        } while (e && s->n + LENGTHS + strlen(e->key) + e->n <= SL_SECTION_HEAD + SL_MAX_SECTION);
        status = sl_save_end(s);
    }
    return status;
}

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
