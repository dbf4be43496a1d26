/* Writes the sections of a model file, each with its length and checksum. */
#include <string.h>

#include "base/hash/hash.h"
#include "file/saver.h"

sluice_status sl_save_bytes(sl_saver *s, const void *bytes, size_t n) {
    int result = s->write(s->context, bytes, n);
    return result ? sl_fail(s->err, SLUICE_E_IO, "cannot write: the write function returned %d", result) : SLUICE_OK;
}

void sl_save_begin(sl_saver *s, const char *tag, unsigned flags) {
    memcpy(s->bytes, tag, SL_TAG);
    sl_put_le(s->bytes + SL_TAG, flags, 4);
    s->n = SL_SECTION_HEAD;
}

sluice_status sl_save_end(sl_saver *s) {
    sl_put_le(s->bytes + 8, s->n - SL_SECTION_HEAD, 8);
    sl_save_int(s, sl_xxh64(s->bytes, s->n, 0), SL_CHECKSUM);
    return sl_save_bytes(s, s->bytes, s->n);
}

sluice_status sl_save_out_of_range(sl_saver *s) {
    return sl_fail(s->err, SLUICE_E_NUMERIC,
                   "the model has left the range of numbers and is not saved: values are too large; scale them "
                   "(convert --normalize l2) or learn in smaller steps");
}
