/* Reads bytes and sections of a model file, and checks the checksum of each section. */
#include <stdlib.h>
#include <string.h>

#include "base/hash/hash.h"
#include "file/loader.h"

sluice_status sl_load_bytes(sl_loader *l, unsigned char *to, size_t n, const char *what) {
    while (n) {
        ptrdiff_t got = l->read(l->context, to, n);
        if (got < 0 || (size_t)got > n)
            return sl_fail_at(l->err, SLUICE_E_IO, l->name, 0, 0, "cannot read: the read function returned %lld",
                              (long long)got);
        if (got == 0)
            return sl_fail_at(l->err, SLUICE_E_FORMAT, l->name, 0, 0, "the model file is cut short: it ends within %s",
                              what);
        to += got;
        n -= (size_t)got;
    }
    return SLUICE_OK;
}

const char *sl_section_name(const sl_loader *l, char shown[128]) { return sl_quote(shown, l->tag, SL_TAG); }

bool sl_load_varint(sl_loader *l, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && l->at < l->end; shift += 7) {
        uint64_t byte = *l->at++;
        if (shift == 63 && byte > 1) return false;
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

const char *sl_load_counted(sl_loader *l, size_t *n) {
    uint64_t length;
    if (!sl_load_varint(l, &length) || length > (size_t)(l->end - l->at)) return NULL;
    const char *bytes = (const char *)l->at;
    l->at += length;
    *n = (size_t)length;
    return bytes;
}

static bool make_room(sl_loader *l, size_t n) {
    if (n <= l->room) return true;
    unsigned char *larger = realloc(l->bytes, n);
    if (!larger) return false;
    l->bytes = larger;
    l->room = n;
    return true;
}

/* Content and checksum, in pieces: a false length costs memory only as far as there are bytes. */
static sluice_status load_content(sl_loader *l, size_t n) {
    const size_t most = (size_t)1 << 20;
    sluice_status status = SLUICE_OK;
    char shown[128];
    for (size_t done = 0, piece; done < n && status == SLUICE_OK; done += piece) {
        piece = n - done < most ? n - done : most;
        if (!make_room(l, SL_SECTION_HEAD + done + piece))
            return sl_fail(l->err, SLUICE_E_MEMORY, "no memory to read a model");
        status = sl_load_bytes(l, l->bytes + SL_SECTION_HEAD + done, piece, sl_section_name(l, shown));
    }
    return status;
}

sluice_status sl_load_section(sl_loader *l) {
    if (!make_room(l, SL_SECTION_HEAD)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory to read a model");
    sluice_status status = sl_load_bytes(l, l->bytes, SL_SECTION_HEAD, "the head of a section");
    if (status != SLUICE_OK) return status;
    memcpy(l->tag, l->bytes, SL_TAG);
    char shown[128];
    uint64_t flags = sl_get_le(l->bytes + SL_TAG, 4), length = sl_get_le(l->bytes + 8, 8);
    if (length > SL_MAX_SECTION) return DAMAGED(l, "section %s has an impossible length", sl_section_name(l, shown));
    size_t n = (size_t)length;
    status = load_content(l, n + SL_CHECKSUM);
    if (status != SLUICE_OK) return status;
    if (sl_get_le(l->bytes + SL_SECTION_HEAD + n, SL_CHECKSUM) != sl_xxh64(l->bytes, SL_SECTION_HEAD + n, 0))
        return DAMAGED(l, "section %s fails its checksum", sl_section_name(l, shown));
    if (flags > (l->format >= 4 ? SL_SKIPPABLE : 0))
        return DAMAGED(l, "section %s has unknown flags", sl_section_name(l, shown));
    l->skippable = flags & SL_SKIPPABLE;
    l->at = l->bytes + SL_SECTION_HEAD;
    l->end = l->at + n;
    return SLUICE_OK;
}
