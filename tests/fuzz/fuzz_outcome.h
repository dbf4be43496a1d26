/* What the fuzz targets of readers share: a digest of what was read, and the ways of reading that must all give the
 * same: by a parser that gets the bytes at once and in pieces, and by a reader in one block and in small ones, with one
 * thread and with two. Opening readers takes far longer than parsing a short input, so a fuzzer tries all ways on one
 * input in EVERY only; which ones depends on their bytes alone. Replaying tries them on all. */
#ifndef FUZZ_OUTCOME_H
#define FUZZ_OUTCOME_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "io/reader.h"
#include "rows/label_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) abort();                                                                                     \
    } while (0)

#ifndef EVERY
#define EVERY 1
#endif

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

static inline uint64_t digest(const uint8_t *bytes, size_t n) {
    uint64_t h = n;
    for (size_t i = 0; i < n; i++) mix(&h, bytes[i]);
    return h ^ h >> 32;
}

static inline bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static inline bool same_options(const sluice_reader_options *a, const sluice_reader_options *b) {
    return same_text(a->format, b->format) && same_text(a->weight, b->weight) && a->skip_errors == b->skip_errors &&
           a->max_line == b->max_line && a->no_header == b->no_header && a->ngrams == b->ngrams && a->tf == b->tf &&
           a->unlabelled == b->unlabelled && a->every_line == b->every_line && a->keep_lines == b->keep_lines &&
           a->no_words == b->no_words && a->min_length == b->min_length && same_text(a->chars, b->chars) &&
           same_text(a->stop_words, b->stop_words) && same_text(a->id, b->id) && a->drop_id == b->drop_id &&
           a->words == b->words && a->separator == b->separator && same_text(a->columns, b->columns) &&
           same_text(a->ignore, b->ignore) && same_text(a->text_columns, b->text_columns) &&
           same_text(a->quadratic, b->quadratic);
}

/* A parser with these options, reset. Parsers are kept for the next input, as a server would: making one takes longer
 * than most inputs do, above all under a sanitizer. */
static inline sluice_parser *parser_for(const sluice_reader_options *options) {
    enum { KEPT = 512 };
    static struct {
        sluice_reader_options options;
        sluice_parser *parser;
    } kept[KEPT];
    for (size_t i = 0; i < KEPT; i++) {
        if (kept[i].parser && !same_options(&kept[i].options, options)) continue;
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

typedef void look_function(const sluice_batch *b, size_t row, outcome *o); /* mixes a row into the outcome */

/* A label's word is one that readers deliver, and its number is the row's label. */
static inline void look_at_word(const sluice_batch *b, size_t i, outcome *o) {
    const sluice_name word = sluice_batch_word(b, i);
    sl_label label;
    if (!word.n) return;
    sluice_example x = {.word = word};
    REQUIRE(b->has_words && word.n <= SLUICE_MAX_NAME);
    REQUIRE(sl_label_of_example(&x, &label, NULL) == SLUICE_OK && label.word.n && label.value == b->label[i]);
    mix(&o->hash, digest((const uint8_t *)word.text, word.n));
}

static inline void look_at(const sluice_batch *b, outcome *o, look_function *look) {
    REQUIRE(b->rows > 0 && b->start[0] == 0 && b->start[b->rows] == b->nonzeros);
    for (size_t i = 0; i < b->rows; i++) {
        look(b, i, o);
        look_at_word(b, i, o);
    }
    o->rows += b->rows, o->nonzeros += b->nonzeros;
}

static inline void take_error(outcome *o, const sluice_error *e) {
    o->line = e->line, o->column = e->column;
    REQUIRE(e->message[0] && (uint64_t)e->status == o->status);
}

/* What a parser makes of the bytes when they come in pieces. */
static inline outcome push(const uint8_t *bytes, size_t n, const sluice_reader_options *options, size_t piece,
                           look_function *look) {
    outcome o = {0};
    sluice_parser *p = parser_for(options);
    const sluice_batch *b;
    for (size_t at = 0; at <= n; at += piece) {
        size_t now = n - at < piece ? n - at : piece;
        REQUIRE(sluice_parser_push(p, bytes + at, now) == SLUICE_OK);
        if (now < piece) sluice_parser_finish(p);
        while ((o.status = (uint64_t)sluice_parser_next(p, &b)) == SLUICE_OK) look_at(b, &o, look);
        if (o.status == SLUICE_END) continue;
        take_error(&o, sluice_parser_error(p));
        break;
    }
    uint64_t count;
    for (size_t i = 0; sluice_parser_skipped(p, i, &count); i++) o.skipped += count;
    return o;
}

/* What a reader with blocks of this size makes of them. */
static inline outcome read_blocks(const uint8_t *bytes, size_t n, sluice_reader_options options, unsigned threads,
                                  size_t block_bytes, look_function *look) {
    outcome o = {0};
    options.threads = threads;
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "fuzz", &options, block_bytes, &err);
    REQUIRE(r);
    const sluice_batch *b;
    while ((o.status = (uint64_t)sluice_reader_next(r, &b)) == SLUICE_OK) look_at(b, &o, look);
    if (o.status != SLUICE_END) take_error(&o, sluice_reader_error(r));
    uint64_t count;
    for (size_t i = 0; sluice_reader_skipped(r, i, &count); i++) o.skipped += count;
    sluice_reader_close(r);
    return o;
}

/* How far damaged compressed data reads depends on how much is asked for at once; and models are refused as a whole. */
static inline bool is_packed(const uint8_t *bytes, size_t n) {
    static const char *const magic[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd\x37zXZ", "sluice\x1a"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (n >= strlen(magic[i]) && memcmp(bytes, magic[i], strlen(magic[i])) == 0) return true;
    return n >= 4 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0; /* a frame of zstd that is to be skipped */
}

static inline void read_all_ways(const uint8_t *bytes, size_t n, const sluice_reader_options *options,
                                 look_function *look) {
    outcome whole = read_blocks(bytes, n, *options, 1, 1 << 19, look), other;
    REQUIRE(options->skip_errors || whole.skipped == 0);
    if (is_packed(bytes, n)) return;
    size_t blocks[] = {1, 13, 100};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        other = read_blocks(bytes, n, *options, 1, blocks[i], look);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    }
    other = read_blocks(bytes, n, *options, 2, 37, look);
    REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    other = push(bytes, n, options, 11, look);
    REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
}

/* Reads the bytes with these options: leaving malformed lines out or not, asking for labels or not. */
static inline void check_reading(const uint8_t *bytes, size_t n, sluice_reader_options options, look_function *look) {
    uint64_t chance = digest(bytes, n);
    options.size = sizeof options;
    options.skip_errors = chance >> 8 & 1;
    options.unlabelled = chance >> 9 & 1;
    options.words = (chance >> 10 & 3) != 0;
    push(bytes, n, &options, n + 1, look);
    if (chance % EVERY) return;
    for (options.skip_errors = 0; options.skip_errors < 2; options.skip_errors++)
        read_all_ways(bytes, n, &options, look);
}

/* Mixes where a row comes from into the outcome. */
static inline void look_at_origin(const sluice_batch *b, size_t i, outcome *o) {
    sluice_row_origin origin = {.size = sizeof origin};
    REQUIRE(sluice_batch_origin(b, i, &origin, NULL) == SLUICE_OK);
    REQUIRE(origin.text.text && origin.id.n <= origin.text.n && (origin.id_kind || !origin.id.n));
    mix(&o->hash, origin.line);
    mix(&o->hash, digest((const uint8_t *)origin.text.text, origin.text.n));
    mix(&o->hash, (uint64_t)origin.id_kind);
    if (origin.id.n) mix(&o->hash, digest((const uint8_t *)origin.id.text, origin.id.n));
}

/* Lines and ids are the same in all ways of reading; `id` is what identifies rows. */
static inline void check_origins(const uint8_t *bytes, size_t n, const char *format, const char *id) {
    sluice_reader_options o = {.size = sizeof o, .format = format, .max_line = 400, .skip_errors = 1, .id = id};
    o.every_line = o.unlabelled = o.keep_lines = 1;
    o.drop_id = n % 2;
    outcome once = push(bytes, n, &o, n + 1, look_at_origin), pieces = push(bytes, n, &o, 3, look_at_origin);
    REQUIRE(memcmp(&once, &pieces, sizeof once) == 0);
    if (digest(bytes, n) >> 20 & 15 && EVERY > 1) return;
    outcome blocks = read_blocks(bytes, n, o, 1, 16, look_at_origin);
    REQUIRE(memcmp(&once, &blocks, sizeof once) == 0);
}

#endif
