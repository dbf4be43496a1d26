/* Fuzz target: any bytes as csv, the first one saying with which options. They must read the same in all ways, and
 * every row must keep the promises of rows/batch.h. Records must end where a plain reading of the text, byte by byte,
 * says. */
#include "fuzz/fuzz_outcome.h"
#include "fuzz/table_ways.h"
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
    REQUIRE(b->has_names);
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const char separators[] = {0, ',', ';', '|'};
    static const char *const columns[] = {NULL, "a*,[1-3],lab?l", NULL, "a,b*"},
                             *const ignore[] = {NULL, NULL, "*b,2", "a"}, *const text[] = {NULL, "*", "a*,3", "[a-c]"};
    unsigned what = n ? bytes[0] : 0;
    const unsigned choice = what >> 4 & 3;
    if (n) bytes++, n--;
    sluice_reader_options options = {.format = "csv",
                                     .max_line = 400,
                                     .no_header = what >> 1 & 1,
                                     .weight = what & 4 ? "2" : NULL,
                                     .separator = what & 8 ? separators[what >> 6] : 0,
                                     .columns = columns[choice],
                                     .ignore = ignore[choice],
                                     .text_columns = text[choice]};
    check_reading(bytes, n, options, look_at_row);
    options.words = what & 1, options.skip_errors = 1;
    REQUIRE(table_reads_alike((const char *)bytes, n, &options, n + 1));
    check_origins(bytes, n, "csv", what & 1 ? "2" : "1");
    check_ends((const char *)bytes, n, what & 1 ? '\t' : ',');
    return 0;
}
