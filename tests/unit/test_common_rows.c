/* Common rows: the fast parser gives what the careful one gives, whatever the text is. */
#include "fuzz/differential.h"
#include "io/libsvm/common_rows.h"
#include "unit/test.h"

static uint64_t state = 1;

static uint64_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* For each set of kernels that the machine runs. */
#define EACH_KERNELS(k)                                                                                                \
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++)                                                      \
        for (const sl_parse_kernels *k = sl_parse_kernels_for(cpu); k; k = NULL)

static size_t below(size_t n) { return (size_t)(draw() % n); }

TEST(all_kernels_find_the_same_separators) {
    enum { WINDOWS = 3, BYTES = WINDOWS * SL_WINDOW };
    for (int round = 0; round < 10000; round++) {
        char text[SL_WINDOW + BYTES], kinds[BYTES], kind[BYTES + SL_WINDOW];
        uint32_t places[BYTES], at[BYTES + SL_WINDOW];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = round % 2 ? (char)draw() : " :\n19.\t;\x7f\x80\xa0\x1f!"[below(13)];
        size_t from = below(SL_WINDOW), expected = 0;
        for (size_t i = from; i < from + BYTES; i++)
            if ((unsigned char)text[i] <= ' ' || text[i] == ':') {
                kinds[expected] = text[i];
                places[expected++] = (uint32_t)i;
            }
        EACH_KERNELS(k) {
            CHECK_EQ(k->find(text, from, WINDOWS, at, kind), expected);
            CHECK(memcmp(at, places, expected * sizeof *at) == 0);
            CHECK(memcmp(kind, kinds, expected) == 0);
        }
    }
}

/* Numbers as data has them, and as it should not. */
static size_t put_number(char *p) {
    static const char *const odd[] = {"1e5", "+1", ".5", "5.",  "-",   ".",     "",   "1..2",
                                      "nan", "1x", "-0", "-.5", "0x1", "1e-60", "007"};
    switch (below(12)) {
    case 0:
        return (size_t)sprintf(p, "%s", odd[below(sizeof odd / sizeof *odd)]);
    case 1:
        return (size_t)sprintf(p, "%zu", below(2) ? below(10) : below(1000000000));
    case 2:
        return (size_t)sprintf(p, "%.*f", (int)below(18), (double)below(1000000) / 999.0);
    case 3:
        return (size_t)sprintf(p, "%.*g", 1 + (int)below(17), (double)below(1000000000) * 1e-9);
    default:
        return (size_t)sprintf(p, "%s%.*f", below(4) ? "" : "-", (int)below(10), (double)below(1000000000) * 1e-9);
    }
}

static size_t put_row(char *p, bool tame) {
    static const char *const labels[] = {"1", "-1", "+1", "0", "3", "-2"};
    static const char *const odd_labels[] = {"10", "1.0",  "",    "x", "-",   "1e0", "# 1",
                                             " 1", "spam", "x#y", "?", "nan", "a\rb"};
    char *q = p;
    q += sprintf(q, "%s", tame || below(30) ? labels[below(6)] : odd_labels[below(13)]);
    uint64_t id = 0;
    for (size_t n = below(below(4) ? 12 : 60); n; n--) {
        id += 1 + (below(40) ? below(1000) : below(200000000));
        if (!tame && below(60) == 0) id = draw() >> below(64);
        q += sprintf(q, "%s%llu:", tame || below(100) ? " " : below(2) ? "  " : "\t", (unsigned long long)id);
        q += tame ? (size_t)sprintf(q, "0.%06zu", below(1000000)) : put_number(q);
    }
    if (!tame && below(80) == 0) q += sprintf(q, " qid:3");
    if (!tame && below(80) == 0) q += sprintf(q, " # said %zu", below(100));
    if (!tame && below(200) == 0) *q++ = 0;
    q += sprintf(q, "%s", below(20) ? "\n" : below(2) ? "\r\n" : " \n");
    return (size_t)(q - p);
}

static void check_texts(int texts, bool tame) {
    char *text = malloc(1 << 20);
    for (int i = 0; i < texts; i++) {
        size_t n = 0;
        for (size_t rows = 1 + below(300); rows; rows--) n += put_row(text + n, tame);
        if (below(3) == 0) n--; /* no newline at the end */
        for (int skip = 0; skip < 2; skip++) {
            const char *what = any_difference(sl_parse_libsvm, text, n, skip);
            CHECK_STR(what ? what : "nothing", "nothing");
        }
    }
    free(text);
}

TEST(common_text_is_read_alike_by_all_kernels) { check_texts(300, true); }
TEST(odd_text_is_read_alike_by_all_kernels) { check_texts(1500, false); }

/* Or the tests above would compare the careful parser with itself. */
TEST(common_text_is_parsed_by_the_fast_parser) {
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "1 10000000:1\n"), from = n;
    static const char *const values[] = {
        "1", "0", "17", "-3", "0.25", "-0.125", "5.", "12.5", "0.123456789012", "12.345678", "255"};
    for (size_t i = 0; i < 2000; i++)
        n += (size_t)sprintf(text + n, "%s 7:%s 99999999:%s%s", i % 2 ? "-1" : "+1", values[i % 11], values[i % 7],
                             i % 3 == 0   ? "\r\n"
                             : i % 3 == 1 ? " \n"
                                          : "\n");
    EACH_KERNELS(k) {
        sl_block b = parsed(sl_parse_libsvm, text, n, NULL, false, false);
        sl_batch_clear(&b.batch);
        sl_scan scan = {.kernels = k};
        size_t p = from;
        sl_common_rows(&b, &scan, &p);
        CHECK_EQ(p, n);
        CHECK_EQ(b.batch.rows, 2000);
        release_parsed(&b);
    }
    free(text);
}

/* Likewise for the second stage. */
TEST(common_fields_are_converted_many_at_a_time) {
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "1 10000000:1\n-1");
    static const char *const values[] = {"1",    "0", "17", "-3", "0.25", "-0.125", "5.", "12.5", "0.1234567890123",
                                         "65535"};
    for (size_t i = 1; i <= 43; i++) n += (size_t)sprintf(text + n, " %zu:%s", i * i * i * 1000, values[i % 10]);
    n += (size_t)sprintf(text + n, "\n1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1\n");
    memset(text + n, '\n', SL_BLOCK_PAD);
    EACH_KERNELS(k) {
        if (!k->convert) continue;
        sl_scan scan;
        scan.n = k->find(text, 0, (n + SL_WINDOW - 1) / SL_WINDOW, scan.at, scan.kind);
        uint32_t id[64];
        float value[64];
        sl_row_facts facts = {.last = -1};
        CHECK_EQ(k->convert(text, scan.at + 4, scan.kind + 4, scan.n - 4, id, value, &facts), 43);
        CHECK_EQ(facts.last, 79507000);
        CHECK(facts.zeros && !facts.unsorted);
        for (size_t i = 1; i <= 43; i++) {
            CHECK_EQ(id[i - 1], i * i * i * 1000);
            CHECK(value[i - 1] == strtof(values[i % 10], NULL));
        }
    }
    free(text);
}

TEST(rows_longer_than_the_look_ahead) {
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "1 1:1 2:1 3:1\n-1");
    for (int i = 1; i <= 20000; i++) n += (size_t)sprintf(text + n, " %d:0.%d", i, i % 1000);
    n += (size_t)sprintf(text + n, "\n1 5:1\n");
    CHECK(any_difference(sl_parse_libsvm, text, n, false) == NULL);
    sl_block b = parsed(sl_parse_libsvm, text, n, sl_parse_kernels_for(SL_CPU_PORTABLE), false, false);
    CHECK_EQ(b.batch.rows, 3);
    CHECK_EQ(b.batch.nonzeros, 20004);
    release_parsed(&b);
    free(text);
}

int main(void) {
    RUN(all_kernels_find_the_same_separators);
    RUN(common_text_is_read_alike_by_all_kernels);
    RUN(odd_text_is_read_alike_by_all_kernels);
    RUN(common_text_is_parsed_by_the_fast_parser);
    RUN(common_fields_are_converted_many_at_a_time);
    RUN(rows_longer_than_the_look_ahead);
    return DONE;
}
