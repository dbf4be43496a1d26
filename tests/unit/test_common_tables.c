/* Common rows of csv: the fast way gives what the careful one gives, whatever the text is. */
#include "fuzz/table_ways.h"
#include "io/csv/common_cells.h"
#include "unit/test.h"

#ifndef ROUNDS
#define ROUNDS 2000 /* texts of each kind */
#endif
#ifndef SEED
#define SEED 1
#endif

static uint64_t state = SEED;

static uint64_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static size_t below(size_t n) { return (size_t)(draw() % n); }

/* For each set of kernels that the machine runs. */
#define EACH_KERNELS(k)                                                                                                \
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++)                                                      \
        for (const sl_parse_kernels *k = sl_parse_kernels_for(cpu); k; k = NULL)

/* ---- marks ------------------------------------------------------------------------------------------------------- */

TEST(all_kernels_find_the_same_marks) {
    enum { WINDOWS = 3, BYTES = WINDOWS * SL_MARKS_WINDOW };
    static const sl_mark_bytes kinds[] = {{{',', '"', '\n', 0}, INT8_MIN}, {{'"', '\\', ',', '}'}, ' '}};
    for (int round = 0; round < 10000; round++) {
        char text[SL_MARKS_WINDOW + BYTES];
        uint32_t places[BYTES], at[BYTES + SL_MARKS_WINDOW];
        const sl_mark_bytes *marks = &kinds[round & 1];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = round & 2 ? (char)draw() : ",\"\n\\}ab1\x1f \x80\x7f"[below(13)];
        size_t from = below(SL_MARKS_WINDOW), expected = 0;
        for (size_t i = from; i < from + BYTES; i++)
            if (memchr(marks->byte, text[i], 4) || (signed char)text[i] < marks->below)
                places[expected++] = (uint32_t)i;
        EACH_KERNELS(k) {
            CHECK_EQ(k->marks(text, from, WINDOWS, marks, at), expected);
            CHECK(memcmp(at, places, expected * sizeof *at) == 0);
        }
    }
}

/* ---- what cells and values are made of --------------------------------------------------------------------------- */

static size_t put_number(char *p) {
    static const char *const odd[] = {"1e5",  "+1",   ".5",        "5.",         "-",       "1..2", "nan",
                                      "1x",   "-0",   "-.5",       "0x1",        "1e",      "007",  "1e-60",
                                      "1e60", "-inf", "NaN",       "12-05-2020", "1 ",      "1.5.", "-1",
                                      "00",   "-01",  "8388608.5", "16777217",   "33554435"};
    switch (below(10)) {
    case 0:
        return (size_t)sprintf(p, "%s", odd[below(sizeof odd / sizeof *odd)]);
    case 1:
        return (size_t)sprintf(p, "%zu", below(2) ? below(10) : below(1000000000));
    case 2:
        return (size_t)sprintf(p, "%.*f", (int)below(18), (double)below(1000000) / 999.0);
    case 3:
        return (size_t)sprintf(p, "%.*g", 1 + (int)below(17), (double)below(1000000000) * 1e-9);
    default:
        return (size_t)sprintf(p, "%s%.*f", below(4) ? "" : "-", (int)below(4), (double)below(1000000) * 1e-3);
    }
}

/* Text of up to `most` bytes, of letters or of those that are drawn from `from`. */
static size_t put_text(char *p, size_t most, const char *from) {
    size_t n = below(below(8) ? 12 : most);
    for (size_t i = 0; i < n; i++) p[i] = from[below(strlen(from))];
    return n;
}

static const char *const words[] = {"n",        "na",  "nan",  "NA",   "N/A", "null", "Null",  "none",   "i",
                                    "in",       "inf", "info", "nan1", "nul", "n/ab", "nulls", "<NA>",   "<a>",
                                    "infinity", "#NA", "?",    "true", "Ni",  " in",  "na ",   "nancy ", "infinity "};
enum { WORDS = sizeof words / sizeof *words };

/* ---- csv --------------------------------------------------------------------------------------------------------- */

static const char letters[] = "abcdefghinopqrstuvwxyzABCIN. -_/";

static size_t put_cell(char *p, char separator, bool tame) {
    char *q = p;
    switch (below(tame ? 6 : 12)) {
    case 0:
        return (size_t)sprintf(p, "%zu", below(3));
    case 1:
    case 2:
        return tame ? (size_t)sprintf(p, "%.*f", (int)below(4), (double)below(100000) * 1e-3) : put_number(p);
    case 3:
        return 0;
    case 4:
    case 5:
        return put_text(p, 80, tame ? "abcdefgopq" : letters);
    case 6:
        return (size_t)sprintf(p, "%s", words[below(WORDS)]);
    case 7: /* in quotes, perhaps with what only quotes may have */
    case 8:
        *q++ = '"';
        q += below(3) ? put_text(q, 80, letters) : put_number(q);
        if (below(3) == 0) *q++ = separator;
        if (below(10) == 0) q += sprintf(q, "\"\"");
        if (below(20) == 0) *q++ = '\n';
        q += below(4) ? 0 : put_text(q, 80, letters);
        if (below(40)) *q++ = '"';
        if (below(60) == 0) *q++ = 'x';
        return (size_t)(q - p);
    case 9:
        return put_text(p, 80, "a\xc3\xb6 \t\r\x80\xff");
    case 10:
        return below(40) ? 0 : put_text(p, 80, "ab\"");
    default:
        if (below(200) == 0) *q++ = 0;
        return (size_t)(q - p) + put_text(q, 80, letters);
    }
}

static size_t put_csv(char *p, char separator, bool tame) {
    static const char *const names[] = {
        "a", "b", "c", "a1", "ninebytes", "of_fifteen_byte", "the_name_of_a_column", "d", "e", "f", "g", "h", "i", "j"};
    char *q = p;
    const size_t columns = 1 + below(below(4) ? 8 : 14), label = below(columns);
    for (size_t i = 0; i < columns; i++) {
        const bool clash = !tame && below(60) == 0;
        q += sprintf(q, "%s", i == label ? "label" : clash ? (below(2) ? "a=b" : "a") : names[i]);
        *q++ = separator;
    }
    q[-1] = '\n';
    for (size_t rows = below(30); rows; rows--) {
        for (size_t i = 0; i < columns; i++) {
            q += i == label && below(30) ? (size_t)sprintf(q, "%s", (const char *[]){"1", "0", "-1", "+1"}[below(4)])
                                         : put_cell(q, separator, tame);
            *q++ = separator;
        }
        if (!tame && below(100) == 0) *q++ = separator;
        q--;
        q += sprintf(q, "%s", below(20) ? "\n" : "\r\n");
        if (below(50) == 0) q += sprintf(q, "%s", below(2) ? "\n" : "  \r\n");
    }
    return (size_t)(q - p);
}

/* Changes some bytes. */
static void spoil(char *text, size_t n, const char *with) {
    for (size_t k = below(4) ? 0 : 1 + below(3); k && n; k--) text[below(n)] = with[below(strlen(with) + 1)];
}

static sluice_reader_options drawn_options(const char *format) {
    sluice_reader_options o = {.format = format};
    o.skip_errors = (int)below(3) > 0;
    o.words = (int)below(2);
    if (!o.words) o.unlabelled = (int)below(3) == 0;
    o.missing_labels = (int)below(4) == 0;
    o.every_line = (int)below(4) == 0;
    if (below(6) == 0) o.weight = "b";
    if (below(8) == 0) o.ignore = "c,a*";
    return o;
}

static size_t drawn_block(size_t n) { return below(2) ? n + 1 : 16 + below(400); }

static void check_csv(int texts, bool tame) {
    char *text = malloc(1 << 20);
    for (int i = 0; i < texts; i++) {
        const char separator = ",;\t|"[below(4)];
        size_t n = put_csv(text, separator, tame);
        if (!tame) spoil(text + n / 4, n - n / 4, ",\"\n1a- ");
        if (below(3) == 0) n--; /* no newline at the end */
        sluice_reader_options o = drawn_options("csv");
        o.separator = separator;
        o.no_header = !tame && below(10) == 0;
        CHECK(table_reads_alike(text, n, &o, drawn_block(n)));
    }
    free(text);
}

TEST(common_csv_is_read_alike_by_all_ways) { check_csv(ROUNDS, true); }
TEST(odd_csv_is_read_alike_by_all_ways) { check_csv(ROUNDS, false); }

/* Or the tests above would compare the careful parser with itself. */
TEST(common_cells_are_taken_by_the_fast_way) {
    static const char text[] =
        "label,a,b,c,column\n1,0.25,x,,-3.75\n0,17,\"one, two\",null,\"5\"\r\n-1,12345.67890123456,nine,a b,\"\"\n";
    static const size_t want[] = {5, 3, 5}; /* `null` is not for the fast way */
    EACH_KERNELS(k) {
        sluice_error err;
        sl_rules rules;
        _Atomic uint64_t consumed = 0;
        CHECK_EQ(sl_rules_set(&rules, &(sluice_reader_options){.size = sizeof(sluice_reader_options), .format = "csv"},
                              &err),
                 SLUICE_OK);
        rules.kernels = k;
        sl_input in = {.rules = &rules, .name = "table"};
        in.source = sl_source_open_memory(text, sizeof text - 1, in.name, &consumed, &err);
        sl_block b = {.rules = &rules};
        CHECK(sl_input_fetch(&in, &b));
        in.format->parse(&b);
        CHECK_EQ(b.batch.rows, 3);
        sl_marks marks;
        sl_named_rows rows;
        sl_block_begin_part(&b);
        sl_named_begin(&rows, &b);
        b.at = b.head;
        CHECK_EQ(sl_named_reserve(&rows, 20, 1000), SL_NAMED_OK);
        CHECK(sl_csv_common_begin(&marks, &b));
        const char *p = b.text + b.head;
        for (size_t i = 0; i < 3; i++) {
            float label;
            const char *at = p;
            CHECK_EQ(sl_csv_common_cells(&marks, b.header, &rows, 0, &at, &label), want[i]);
            p = (const char *)memchr(p, '\n', 100) + 1;
        }
        sl_block_free(&b);
        sl_input_close(&in);
        sl_rules_free(&rules);
    }
}

int main(void) {
    RUN(all_kernels_find_the_same_marks);
    RUN(common_csv_is_read_alike_by_all_ways);
    RUN(odd_csv_is_read_alike_by_all_ways);
    RUN(common_cells_are_taken_by_the_fast_way);
    return DONE;
}
