/* What the fuzz targets of readers share: what must hold, and a digest of what was read, so that two ways of reading
 * the same bytes can be compared. */
#ifndef FUZZ_OUTCOME_H
#define FUZZ_OUTCOME_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "io/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) abort();                                                                                     \
    } while (0)

typedef struct outcome {
    uint64_t rows, nonzeros, hash; /* of everything that was delivered */
    uint64_t status, line, column, skipped;
} outcome; /* without gaps: outcomes are compared as bytes */

static inline void mix(uint64_t *h, uint64_t v) { *h = (*h ^ v) * 0x9E3779B97F4A7C15u + (*h >> 29); }

static inline void mix_float(uint64_t *h, float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    mix(h, bits);
}

/* A parser with these options, reset. Parsers are kept for the next input, as a server would: making one takes longer
 * than most inputs do, above all under a sanitizer. */
static inline sluice_parser *parser_for(const sluice_reader_options *options) {
    enum { KEPT = 8 };
    static struct {
        sluice_reader_options options;
        sluice_parser *parser;
    } kept[KEPT];
    for (size_t i = 0; i < KEPT; i++) {
        if (kept[i].parser && memcmp(&kept[i].options, options, sizeof *options) != 0) continue;
        if (!kept[i].parser) {
            kept[i].options = *options;
            kept[i].parser = sluice_parser_new(options, NULL);
        }
        REQUIRE(kept[i].parser);
        sluice_parser_reset(kept[i].parser);
        return kept[i].parser;
    }
    REQUIRE(false && "more kinds of options than parsers are kept for");
    return NULL;
}

/* What a parser makes of the bytes when they come in pieces; `look` mixes a row into the outcome. */
static inline outcome push(const uint8_t *bytes, size_t n, const sluice_reader_options *options, size_t piece,
                           void (*look)(const sluice_batch *b, size_t row, outcome *o)) {
    outcome o = {0};
    sluice_parser *p = parser_for(options);
    const sluice_batch *b;
    for (size_t at = 0; at <= n; at += piece) {
        size_t now = n - at < piece ? n - at : piece;
        REQUIRE(sluice_parser_push(p, bytes + at, now) == SLUICE_OK);
        if (now < piece) sluice_parser_finish(p);
        while ((o.status = (uint64_t)sluice_parser_next(p, &b)) == SLUICE_OK) {
            for (size_t i = 0; i < b->rows; i++) look(b, i, &o);
            o.rows += b->rows, o.nonzeros += b->nonzeros;
        }
        if (o.status == SLUICE_END) continue;
        o.line = sluice_parser_error(p)->line, o.column = sluice_parser_error(p)->column;
        break;
    }
    uint64_t count;
    for (size_t i = 0; sluice_parser_skipped(p, i, &count); i++) o.skipped += count;
    return o;
}

#endif
