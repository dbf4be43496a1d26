/* Fuzz target: any bytes as csv, the first one saying with which options. They must read the same in one block and in
 * small ones, with one thread and with two, and every row must keep the promises of rows/batch.h. Records must end
 * where a plain reading of the text, byte by byte, says. */

#include "fuzz/fuzz_outcome.h"
#include "features/names.h"
#include "io/records.h"

static bool same_name(const sluice_batch *b, size_t j, size_t k) {
    return b->name[j].n == b->name[k].n && memcmp(b->text + b->name[j].at, b->text + b->name[k].at, b->name[j].n) == 0;
}

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    mix(&o->hash, b->first_line + b->line[i]);
    mix_float(&o->hash, b->label[i]);
    mix_float(&o->hash, b->has_weights ? b->weight[i] : 1);
    REQUIRE(isfinite(b->label[i]) && (!b->has_weights || (isfinite(b->weight[i]) && b->weight[i] >= 0)));
    REQUIRE(b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros);
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        REQUIRE(b->name[k].n <= SL_MAX_NAME && b->name[k].at + b->name[k].n <= b->text_n);
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        uint64_t hash = sl_name_hash(b->text + b->name[k].at, b->name[k].n);
        REQUIRE(b->hash[k] == hash);
        mix(&o->hash, hash);
        mix_float(&o->hash, b->value[k]);
        for (size_t j = b->start[i]; j < k; j++) REQUIRE(!same_name(b, j, k));
    }
}

static outcome run(const uint8_t *bytes, size_t n, sluice_reader_options options, unsigned threads,
                   size_t block_bytes) {
    options.threads = threads;
    outcome o = {0};
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "fuzz", &options, block_bytes, &err);
    REQUIRE(r);
    const sluice_batch *b;
    while ((o.status = (uint64_t)sluice_reader_next(r, &b)) == SLUICE_OK) {
        REQUIRE(b->rows > 0 && b->has_names && b->start[0] == 0 && b->start[b->rows] == b->nonzeros);
        for (size_t i = 0; i < b->rows; i++) look_at_row(b, i, &o);
        o.rows += b->rows, o.nonzeros += b->nonzeros;
    }
    if (o.status != SLUICE_END) {
        const sluice_error *e = sluice_reader_error(r);
        o.line = e->line, o.column = e->column;
        REQUIRE(e->message[0] && o.line && o.column);
        REQUIRE((uint64_t)e->status == o.status);
    }
    uint64_t count;
    for (size_t i = 0; sluice_reader_skipped(r, i, &count); i++) o.skipped += count;
    sluice_reader_close(r);
    return o;
}

/* Where the first and the last record of a text end, by a reading of it byte by byte. */
static void plain_ends(const char *text, size_t n, char separator, size_t *first, size_t *last) {
    bool begins = true, quoted = false, closed = false;
    *first = *last = 0;
    for (size_t i = 0; i < n; i++) {
        bool opens = text[i] == '"' && !quoted && (begins || closed);
        closed = quoted && text[i] == '"';
        quoted = opens || (quoted && !closed);
        begins = !quoted && (text[i] == separator || text[i] == '\n');
        if (!quoted && text[i] == '\n') {
            if (!*first) *first = i + 1;
            *last = i + 1;
        }
    }
}

static void check_ends(const char *text, size_t n, char separator) {
    size_t first, last;
    plain_ends(text, n, separator, &first, &last);
    sl_cut a = {.quotes = true, .separator = separator}, b = a, c = a;
    REQUIRE(sl_cut_first(&a, text, n) == first);
    REQUIRE(sl_cut_last(&b, text, n, 0) == last);
    REQUIRE(sl_cut_last(&c, text, n, sl_cut_last(&c, text, n / 2, 0)) == last);
}

/* How far damaged compressed data reads depends on how much is asked for at once; and models are refused as a whole. */
static bool is_packed(const uint8_t *bytes, size_t n) {
    static const char *const magic[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd\x37zXZ", "sluice\x1a"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (n >= strlen(magic[i]) && memcmp(bytes, magic[i], strlen(magic[i])) == 0) return true;
    return n >= 4 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0; /* a frame of zstd that is to be skipped */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    unsigned what = n ? bytes[0] % 8 : 0;
    if (n) bytes++, n--;
    if (is_packed(bytes, n)) return 0;
    sluice_reader_options options = {.size = sizeof options,
                                     .format = "csv",
                                     .skip_errors = what & 1,
                                     .max_line = 400,
                                     .no_header = what >> 1 & 1,
                                     .weight = what & 4 ? "2" : NULL};
    outcome whole = run(bytes, n, options, 1, 1 << 19), other;
    size_t blocks[] = {1, 13, 100};
    for (size_t i = 0; i < 3; i++) {
        other = run(bytes, n, options, 1, blocks[i]);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    }
    other = run(bytes, n, options, 2, 37);
    REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    REQUIRE(options.skip_errors || whole.skipped == 0);
    check_ends((const char *)bytes, n, what & 1 ? '\t' : ',');
    return 0;
}
