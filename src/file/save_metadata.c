/* META: metadata, pairs of a key and bytes. */
#include <string.h>

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
