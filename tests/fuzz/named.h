/* What must hold for any bytes in a format of named features: they read the same in all ways, every row keeps the
 * promises of rows/batch.h, and what a writer makes of a row reads back as that row. */
#ifndef FUZZ_NAMED_H
#define FUZZ_NAMED_H

#include "fuzz/fuzz_outcome.h"
#include "features/names.h"
#include "io/text_write.h"

static float weight_of(const sluice_batch *b, size_t i) { return b->has_weights ? b->weight[i] : 1; }

static bool same_name(const sluice_batch *a, size_t j, const sluice_batch *b, size_t k) {
    return a->name[j].n == b->name[k].n && memcmp(a->text + a->name[j].at, b->text + b->name[k].at, a->name[j].n) == 0;
}

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    REQUIRE(b->has_names && b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros && isfinite(b->label[i]));
    REQUIRE(isfinite(weight_of(b, i)) && weight_of(b, i) >= 0);
    mix_float(&o->hash, b->label[i]);
    mix_float(&o->hash, weight_of(b, i));
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        const sl_name *name = &b->name[k];
        REQUIRE(name->n <= SL_MAX_NAME && name->at <= b->text_n && name->n <= b->text_n - name->at);
        REQUIRE(b->hash[k] == sl_name_hash(b->text + name->at, name->n));
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        mix(&o->hash, b->hash[k]);
        mix_float(&o->hash, b->value[k]);
        for (size_t j = b->start[i]; j < k; j++) REQUIRE(!same_name(b, j, b, k));
    }
}

/* A line that was written from a row is that row; the key of weights is named where there is one. */
static void reads_back(const sl_text_out *line, const char *format, const sluice_batch *b, size_t row) {
    sluice_reader_options options = {
        .size = sizeof options, .format = format, .weight = line->weights ? "weight" : NULL, .words = 1};
    const sluice_name word = sluice_batch_word(b, row);
    sluice_parser *p = parser_for(&options);
    const sluice_batch *back;
    REQUIRE(sluice_parser_push(p, line->bytes.data, line->bytes.n) == SLUICE_OK);
    sluice_parser_finish(p);
    REQUIRE(sluice_parser_next(p, &back) == SLUICE_OK && back->rows == 1);
    REQUIRE(back->nonzeros == b->start[row + 1] - b->start[row]);
    REQUIRE(memcmp(&back->label[0], &b->label[row], sizeof(float)) == 0 && weight_of(back, 0) == weight_of(b, row));
    const sluice_name word_back = sluice_batch_word(back, 0);
    REQUIRE(word.n == word_back.n && memcmp(word.text, word_back.text, word.n) == 0);
    for (size_t k = 0; k < back->nonzeros; k++) {
        REQUIRE(same_name(back, k, b, b->start[row] + k));
        REQUIRE(memcmp(&back->value[k], &b->value[b->start[row] + k], sizeof(float)) == 0);
    }
}

static void write_row(const sluice_batch *b, size_t row) {
    static const struct {
        const char *format;
        sl_put_line *put;
    } writers[] = {{"vw", sl_put_vw}, {"jsonl", sl_put_jsonl}, {"libsvm", sl_put_libsvm}};
    for (size_t i = 0; i < 3; i++) {
        sl_text_out out = {0};
        sluice_error err;
        sluice_status status = writers[i].put(&out, b, row, &err);
        REQUIRE(status == SLUICE_OK ? out.bytes.n > 0 : status == SLUICE_E_UNSUPPORTED && out.bytes.n == 0);
        if (status == SLUICE_OK && i < 2) reads_back(&out, writers[i].format, b, row);
        free(out.bytes.data);
    }
}

static void look_and_write(const sluice_batch *b, size_t i, outcome *o) {
    look_at_row(b, i, o);
    write_row(b, i);
}

static inline void check_named(const uint8_t *bytes, size_t n, const char *format) {
    sluice_reader_options options = {.size = sizeof options, .format = format, .max_line = 400, .weight = "weight"};
    check_reading(bytes, n, options, look_at_row);
    if (digest(bytes, n) >> 16 & 7 && EVERY > 1) return;
    options.skip_errors = options.words = 1;
    push(bytes, n, &options, n + 1, look_and_write);
}

#endif
