/* gzip by ISA-L. The header of a stream is read here: ISA-L 2.30 takes one that has a checksum of its own and comes in
 * pieces for damaged. */
#include "io/source/gzip.h"

#if SLUICE_HAVE_ISAL

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <stdlib.h>

/* The parts of a header (RFC 1952), in their order. */
typedef enum part { FIXED, EXTRA_LENGTH, EXTRA, NAME, COMMENT, CHECKSUM, DATA } part;

typedef struct gzip {
    struct inflate_state data;
    part part;
    unsigned at;   /* bytes of this part so far */
    uint8_t flags; /* which parts there are */
    unsigned extra, sum;
    uint32_t crc; /* of the header so far */
} gzip;

/* Goes on to the next part that the header has. */
static void next_part(gzip *g) {
    static const uint8_t flag[] = {[EXTRA_LENGTH] = 4, [EXTRA] = 4, [NAME] = 8, [COMMENT] = 16, [CHECKSUM] = 2};
    g->at = 0;
    do g->part++;
    while (g->part != DATA && (!(g->flags & flag[g->part]) || (g->part == EXTRA && g->extra == 0)));
}

/* Takes a byte of the part FIXED. False: the header is damaged. */
static bool take_fixed(gzip *g, uint8_t byte) {
    static const uint8_t begins[] = {0x1f, 0x8b, 8};
    const uint8_t reserved = 0xe0;
    const unsigned at = g->at++;
    if (at < sizeof begins && byte != begins[at]) return false;
    if (at == 3 && byte & reserved) return false;
    if (at == 3) g->flags = byte;
    if (g->at == 10) next_part(g);
    return true;
}

/* Takes a byte of the header. False: it is damaged. */
static bool take(gzip *g, uint8_t byte) {
    if (g->part != CHECKSUM) g->crc = crc32_gzip_refl(g->crc, &byte, 1);
    switch (g->part) {
    case FIXED:
        return take_fixed(g, byte);
    case EXTRA_LENGTH:
        g->extra |= (unsigned)byte << 8 * g->at;
        if (++g->at == 2) next_part(g);
        return true;
    case EXTRA:
        if (++g->at == g->extra) next_part(g);
        return true;
    case NAME:
    case COMMENT:
        if (byte == 0) next_part(g);
        return true;
    case CHECKSUM:
        g->sum |= (unsigned)byte << 8 * g->at;
        if (++g->at < 2) return true;
        next_part(g);
        return g->sum == (g->crc & 0xffff);
    case DATA:
        break;
    }
    return true;
}

bool sl_gzip_restart(void *state) {
    gzip *g = state;
    isal_inflate_reset(&g->data);
    g->data.crc_flag = ISAL_GZIP_NO_HDR_VER; /* checksum and length behind the data are verified */
    g->part = FIXED;
    g->at = g->extra = g->sum = g->flags = 0;
    g->crc = 0;
    return true;
}

void *sl_gzip_open(void) {
    gzip *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    isal_inflate_init(&g->data);
    sl_gzip_restart(g);
    return g;
}

static unsigned at_most_uint(size_t n) { return n > UINT_MAX / 2 ? UINT_MAX / 2 : (unsigned)n; }

sl_codec_result sl_gzip_step(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out, size_t *out_n) {
    gzip *g = state;
    (void)ended;
    for (; g->part != DATA && *in_n; ++*in, --*in_n)
        if (!take(g, **in)) return SL_CODEC_DAMAGED;
    if (g->part != DATA) return SL_CODEC_MORE;
    struct inflate_state *z = &g->data;
    const unsigned give = at_most_uint(*in_n), room = at_most_uint(*out_n);
    z->next_in = (uint8_t *)(uintptr_t)*in, z->avail_in = give;
    z->next_out = *out, z->avail_out = room;
    const int rc = isal_inflate(z);
    *in += give - z->avail_in, *in_n -= give - z->avail_in;
    *out += room - z->avail_out, *out_n -= room - z->avail_out;
    if (rc < ISAL_DECOMP_OK) return SL_CODEC_DAMAGED;
    return z->block_state == ISAL_BLOCK_FINISH ? SL_CODEC_END : SL_CODEC_MORE;
}

void sl_gzip_close(void *state) { free(state); }

#endif
