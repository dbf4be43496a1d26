/* Common rows of csv and lines of JSON: the fast ways give what the careful ones give, whatever the text is. */
#include "fuzz/table_ways.h"
#include "io/csv/common_cells.h"
#include "io/json/common_lines.h"
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

TEST(records_end_where_they_do_one_by_one) {
    enum { MOST = 400 };
    for (int round = 0; round < 20 * ROUNDS; round++) {
        char text[MOST];
        const size_t n = below(MOST), kinds = 2 + below(12);
        const bool tame = below(2);
        for (size_t i = 0, quoted = 0; i < n; i++) {
            text[i] = "a,\n\"bcdefghij"[below(kinds + 1)];
            if (tame && text[i] == '"' && !quoted && i && !strchr(",\n\"", text[i - 1])) text[i] = 'x';
            quoted ^= text[i] == '"';
        }
        EACH_KERNELS(k) {
            if (!k->quotes) continue;
            sl_cut plain = {.quotes = true, .separator = ','}, fast = plain;
            fast.find_quotes = k->quotes;
            size_t plain_end = 0, fast_end = 0;
            for (size_t m = 0; m < n;) { /* as the text grows */
                m += 1 + below(n - m);
                plain_end = sl_cut_last(&plain, text, m, plain_end), fast_end = sl_cut_last(&fast, text, m, fast_end);
                CHECK_EQ(fast_end, plain_end);
                CHECK_EQ(fast.quoted, plain.quoted);
                CHECK_EQ(fast.at, plain.at);
                CHECK_EQ(fast.fresh == m, plain.fresh == m);
            }
        }
    }
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

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

static size_t put_string(char *p, bool tame) {
    char *q = p;
    *q++ = '"';
    q += tame || below(8) ? put_text(q, 80, "abcdefgin ,}{:=") : put_text(q, 80, "a\xc3\xb6\\\t\"n/u0041\x80");
    if (!tame && below(20) == 0) q += sprintf(q, "%s", words[below(WORDS)]);
    if (below(tame ? 40 : 12) == 0) q += sprintf(q, "\xc3\xb6\xe2\x82\xac");
    if (!tame && below(20) == 0) q += sprintf(q, "\\u00e4\\n\\\"");
    *q++ = '"';
    return (size_t)(q - p);
}

static size_t put_value(char *p, bool tame) {
    static const char *const others[] = {"true",
                                         "false",
                                         "null",
                                         "[\"x\", \"y, z\"]",
                                         "[]",
                                         "[\"a\",\"b\",\"c\"]",
                                         "[\"a\", \"b\", \"a\"]",
                                         "[\"a\",]",
                                         "[\"a\", ]",
                                         "[\"a\" , \"b\"]",
                                         "[ \"a\"]",
                                         "[\"a\" ]",
                                         "[1, \"a\", \"a\"]",
                                         "{}",
                                         "[]",
                                         "{\"x\": {\"y\": 1}}",
                                         "truth"};
    switch (below(8)) {
    case 0:
        return (size_t)sprintf(p, "%s", others[below(tame ? 6 : 17)]);
    case 1:
    case 2:
    case 3:
        return put_string(p, tame);
    default:
        return tame ? (size_t)sprintf(p, "%.*f", (int)below(4), (double)below(100000) * 1e-3) : put_number(p);
    }
}

/* Keys that a text has in all its lines, in this order: of the objects `in` and `in.in` too. */
typedef struct keys {
    size_t n;
    const char *key[12], *comma, *colon;
    unsigned depth[12];
    size_t label;
} keys;

static keys drawn_keys(bool tame) {
    static const char *const names[] = {"a", "b", "c", "", "a.b", "in", "na\xc3\xafve", "the name of a key",
                                        "e", "f", "g", "h"};
    keys k = {.n = 1 + below(12)};
    k.comma = (const char *[]){",", ", ", " ,"}[below(3)], k.colon = (const char *[]){":", ": ", " : "}[below(3)];
    k.label = below(k.n);
    for (size_t i = 0; i < k.n; i++) {
        k.key[i] = names[tame ? i : below(12)];
        if (!tame && below(40) == 0) k.key[i] = below(2) ? "a=b" : "a\\u0062";
        k.depth[i] = below(3) ? 0 : (unsigned)below(3);
    }
    k.depth[k.label] = 0;
    return k;
}

static size_t put_line(char *p, const keys *k, bool tame) {
    char *q = p;
    unsigned depth = 0;
    bool first = true;
    *q++ = '{';
    const bool some = below(6) == 0;
    for (size_t i = 0; i < k->n; i++) {
        if (some && below(4) == 0) continue;
        for (; depth > k->depth[i]; depth--) *q++ = '}';
        if (!first) q += sprintf(q, "%s", k->comma);
        for (; depth < k->depth[i]; depth++) q += sprintf(q, "\"in\"%s{", k->colon);
        first = false;
        const size_t key = !tame && below(100) == 0 ? below(k->n) : i;
        q += sprintf(q, "\"%s\"%s", i == k->label ? "label" : k->key[key], k->colon);
        q += i == k->label && below(20)
                 ? (size_t)sprintf(q, "%s", (const char *[]){"1", "0", "-1", "\"spam\"", "7"}[below(5)])
                 : put_value(q, tame);
    }
    for (depth++; depth; depth--) *q++ = '}';
    return (size_t)(q - p) + (size_t)sprintf(q, "%s", below(20) ? "\n" : below(2) ? " \r\n" : "\n\n");
}

static void check_jsonl(int texts, bool tame) {
    char *text = malloc(1 << 20);
    for (int i = 0; i < texts; i++) {
        keys k = drawn_keys(tame);
        size_t n = 0;
        for (size_t lines = below(60); lines; lines--) {
            if (!tame && below(40) == 0) k = drawn_keys(tame);
            n += put_line(text + n, &k, tame);
        }
        if (!tame) spoil(text, n, ",\"\n1a- {}[]:\\");
        if (n && below(3) == 0) n--;
        sluice_reader_options o = drawn_options("jsonl");
        if (below(8) == 0) o.label = "in.label";
        CHECK(table_reads_alike(text, n, &o, drawn_block(n)));
    }
    free(text);
}

TEST(common_jsonl_is_read_alike_by_all_ways) { check_jsonl(ROUNDS, true); }
TEST(odd_jsonl_is_read_alike_by_all_ways) { check_jsonl(ROUNDS, false); }

/* A key that a line lacks must not let one be read that is no JSON. */
TEST(a_line_without_its_beginning_is_no_json) {
    static const char text[] =
        "{\"label\": 1, \"a\": 2}\n, \"a\": 2}\n{\"label\": 1}\n{\"a\": 2}\n{\"label\": 0, \"a\": 3}\n";
    for (int skip = 0; skip < 2; skip++) {
        const sluice_reader_options o = {.format = "jsonl", .skip_errors = skip, .unlabelled = 1};
        CHECK(table_reads_alike(text, sizeof text - 1, &o, 1000));
    }
}

/* How many lines the fast way takes, of those of a text that is one block. */
static size_t lines_taken(const char *text, const sl_parse_kernels *kernels) {
    sl_rules rules = {.max_line = 1 << 20, .kernels = kernels, .words = true, .ngrams = 1};
    sl_rules_set_blocks(&rules, 1 << 20);
    sl_block b = {.rules = &rules, .source = "text", .n = strlen(text)};
    b.text = malloc(b.n + SL_BLOCK_PAD);
    memset(b.text, '\n', b.n + SL_BLOCK_PAD);
    memcpy(b.text, text, b.n);
    sl_parse_jsonl(&b);
    const size_t rows = b.batch.rows;
    sl_block_begin_part(&b);
    b.at = 0;
    sl_json_common_begin(&b);
    sl_named_rows named;
    sl_named_begin(&named, &b);
    size_t taken = 0;
    for (const char *p = b.text, *newline; p < b.text + b.n; p = newline + 1) {
        sl_named_status status;
        newline = memchr(p, '\n', b.n);
        taken += sl_json_common_line(&named, p, newline, 1, &status) == SL_JSON_ADDED;
    }
    CHECK_EQ(taken, b.batch.rows);
    CHECK(taken <= rows);
    sl_block_free(&b);
    return taken;
}

TEST(common_lines_are_taken_by_the_fast_way) {
    EACH_KERNELS(k) {
        /* the first line begins too near the text's beginning */
        CHECK_EQ(lines_taken(
                     "  {\"label\": 1, \"a\": 0.25, \"b\": \"x, y}\", \"c\": {\"d\": true}, \"e\": null}\n"
                     "{\"label\": 0, \"a\": -17, \"b\": \"\", \"c\": {\"d\": 12.3456789012345}, \"e\": \"\xc3\xb6\"}\n"
                     "{\"label\": \"spam\", \"b\": [\"x\", \"y\"], \"c\": {\"d\": false}, \"e\": 1e3}\n"
                     "{\"label\": 1, \"a\": 1, \"c\": {\"d\": 1}, \"e\": 7}\n"
                     "{\"label\": 1, \"a\": 1, \"b\": \"\\u0041\", \"c\": {\"d\": 1}, \"e\": 7}\n"
                     "{\"label\": 1, \"a\": 1, \"x\": 3, \"c\": {\"d\": 1}, \"e\": 7}\n",
                     k),
                 4);
    }
}

int main(void) {
    RUN(all_kernels_find_the_same_marks);
    RUN(records_end_where_they_do_one_by_one);
    RUN(common_csv_is_read_alike_by_all_ways);
    RUN(odd_csv_is_read_alike_by_all_ways);
    RUN(common_cells_are_taken_by_the_fast_way);
    RUN(common_jsonl_is_read_alike_by_all_ways);
    RUN(odd_jsonl_is_read_alike_by_all_ways);
    RUN(a_line_without_its_beginning_is_no_json);
    RUN(common_lines_are_taken_by_the_fast_way);
    return DONE;
}
