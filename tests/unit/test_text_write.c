/* Lines of text: what is written reads back as the same rows; what a format cannot say is refused, feature and place
 * named. */
#include <unistd.h>

#include "stream.h"

static char dir[] = "/tmp/sluice-lines-XXXXXX";
static char path[64];

static char *contents(void) {
    FILE *f = fopen(path, "rb");
    if (!f) return strdup("no file");
    char *bytes = calloc(1, 1 << 20);
    size_t n = fread(bytes, 1, (1 << 20) - 1, f);
    CHECK(n < (1 << 20) - 1);
    fclose(f);
    unlink(path);
    return bytes;
}

static void put_text(sluice_writer *w, const char *input, size_t n, const char *format, text *failures) {
    sluice_error err;
    sluice_reader_options o = {.size = sizeof o, .format = format, .threads = 1, .weight = "weight", .words = 1};
    sluice_reader *r = sluice_reader_open_memory(input, n, "mem", &o, &err);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK)
        if (sluice_writer_put_batch(w, b) != SLUICE_OK) {
            const sluice_error *e = sluice_writer_error(w);
            add(failures, "%s %s:%llu: %s\n", sluice_status_name(e->status), e->source, (unsigned long long)e->line,
                e->message);
        }
    CHECK_STR(sluice_reader_error(r)->message, "");
    sluice_reader_close(r);
}

/* The text in another format, line by line, and behind it what the writer refused. */
static char *converted(const char *input, const char *from, const char *to) {
    sluice_error err;
    sluice_writer *w = sluice_writer_open(path, to, &err);
    text t = {0}, failures = {0};
    add(&failures, "");
    for (const char *p = input, *end; *p; p = end + (*end == '\n')) {
        end = strchrnul(p, '\n');
        put_text(w, p, (size_t)(end - p), from, &failures);
    }
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    char *written = contents();
    add(&t, "%s%s", written, failures.data);
    free(written), free(failures.data);
    return t.data;
}

#define CHECK_CONVERTS(input, from, to, want)                                                                          \
    do {                                                                                                               \
        char *test_got = converted(input, from, to);                                                                   \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

static const char vw[] = "1 |f a:2 b |g c:-0.5\n"
                         "-1 0.5 | x y:0 z:-0\n"
                         "0 0.5 |\n"
                         "1 |\n"
                         "|f a\n"
                         "1 0 |f a\n"
                         "2.5 | a |f a | b |f b^c\n"
                         "1 | ^a a^ ^ 17:0.1 18446744073709551615:3.4028235e38 \xff\xfe \"q\\\n";

TEST(vw_to_vw_is_byte_for_byte) { CHECK_CONVERTS(vw, "vw", "vw", vw); }

TEST(what_is_written_differently_reads_the_same) {
    CHECK_CONVERTS("+1 1.0 'tag|f:0.5 a:4 a:1e0 \t:3\r\n\n  0001.50 |  x:1.0 y:00.10 ", "vw", "vw",
                   "1 |f a:2.5 0:1.5\n0001.50 | x y:0.1\n");
}

static const char jsonl[] = "{\"label\":1,\"a\":0.5,\"b c\":1,\"\":2}\n"
                            "{\"label\":-1,\"weight\":0.5}\n"
                            "{\"label\":null,\"a\":1}\n"
                            "{\"label\":-0,\"\\\"\\\\/\\u0000\\u001f\\u000a|:\x7f\xc3\xa9\xf0\x9f\x98\x80\":-0}\n"
                            "{\"label\":1,\"weight\":0,\"a=b\":1e-45,\"18446744073709551615\":3.4028235e38}\n";

TEST(jsonl_to_jsonl_is_byte_for_byte) { CHECK_CONVERTS(jsonl, "jsonl", "jsonl", jsonl); }

TEST(vw_to_jsonl_and_back_is_the_same) {
    const char *rows = "1 |f a:2 b |g c:-0.5\n-1 0.5 | x y:0 z:-0\n0 0.5 |\n|f a\n1 | ^a a^ ^ 17:0.1 \xc3\xa9\n";
    char *json = converted(rows, "vw", "jsonl");
    CHECK_STR(json,
              "{\"label\":1,\"f^a\":2,\"f^b\":1,\"g^c\":-0.5}\n{\"label\":-1,\"weight\":0.5,\"x\":1,\"y\":0,\"z\":-0}\n"
              "{\"label\":0,\"weight\":0.5}\n{\"label\":null,\"f^a\":1}\n"
              "{\"label\":1,\"^a\":1,\"a^\":1,\"^\":1,\"17\":0.1,\"\xc3\xa9\":1}\n");
    CHECK_CONVERTS(json, "jsonl", "vw", rows);
    free(json);
}

TEST(ids_are_names_that_are_numbers) {
    const char *rows = "1 3:0.1 0:-0 18446744073709551615:1\n-1\n0 2147483648:2\n";
    char *as_vw = converted(rows, "libsvm", "vw"), *as_json = converted(rows, "libsvm", "jsonl");
    CHECK_STR(as_vw, "1 | 3:0.1 0:-0 18446744073709551615\n-1 |\n0 | 2147483648:2\n");
    CHECK_STR(as_json, "{\"label\":1,\"3\":0.1,\"0\":-0,\"18446744073709551615\":1}\n{\"label\":-1}\n"
                       "{\"label\":0,\"2147483648\":2}\n");
    CHECK_CONVERTS(as_vw, "vw", "libsvm", rows);
    CHECK_CONVERTS(as_json, "jsonl", "libsvm", rows);
    free(as_vw), free(as_json);
}

TEST(libsvm_takes_whole_numbers_alone) {
    CHECK_CONVERTS(
        "1 | 1:2\n1 | 1 a:2\n1 | 007\n1 | 18446744073709551616\n1 |f 1\n1 2 | 1\n-1 | 0:3\n", "vw", "libsvm",
        "1 1:2\n-1 0:3\n"
        "unsupported mem:1: the feature 'a' is not called by a whole number, as LIBSVM text needs it; write .vw or "
        ".jsonl\n"
        "unsupported mem:1: the feature '007' is not called by a whole number, as LIBSVM text needs it; write .vw or "
        ".jsonl\n"
        "unsupported mem:1: the feature '18446744073709551616' is not called by a whole number, as LIBSVM text needs "
        "it; write .vw or .jsonl\n"
        "unsupported mem:1: the feature 'f^1' is not called by a whole number, as LIBSVM text needs it; write .vw or "
        ".jsonl\n"
        "unsupported mem:1: LIBSVM text has no place for importance weights; .vw, .jsonl and .bin have\n");
}

TEST(the_row_has_its_place) {
    sluice_error err;
    text failures = {0};
    sluice_writer *w = sluice_writer_open(path, "libsvm", &err);
    put_text(w, "1 | 1\n\n1 | 2 b\n1 | 3\n", 21, "vw", &failures);
    CHECK_HAS(failures.data, "unsupported mem:3: the feature 'b'");
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    char *got = contents();
    CHECK_STR(got, "1 1:1\n"); /* the rows before it */
    free(got), free(failures.data);
}

TEST(vw_has_no_separators_in_names) {
    static const char *const names[] = {"a b", "a\\t", ":", "a|b", "\\n", "a\\r", "\\u0000"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char input[128];
        snprintf(input, sizeof input, "{\"label\":1,\"%s\":2}\n{\"label\":1,\"b\":2}\n", names[i]);
        char *got = converted(input, "jsonl", "vw");
        CHECK_HAS(got, "1 | b:2\nunsupported mem:1: the feature '");
        CHECK_HAS(got, "has a blank, colon, bar, line end or NUL in its name, which VW text cannot have; write .jsonl");
        free(got);
    }
    CHECK_CONVERTS("{\"label\":1,\"\":2}\n", "jsonl", "vw",
                   "unsupported mem:1: the feature '' has no name, which VW text needs; write .jsonl\n");
}

TEST(json_has_utf8_and_keys_of_its_own) {
    CHECK_CONVERTS("1 | a\n1 | b \xff\n1 | label\n1 |f label\n", "vw", "jsonl",
                   "{\"label\":1,\"a\":1}\n{\"label\":1,\"f^label\":1}\n"
                   "unsupported mem:1: the feature '\\xff' has a name that is not UTF-8, as JSON needs it; write .vw\n"
                   "unsupported mem:1: the feature 'label' is called as the label is in JSON; write .vw\n");
    const char *both =
        "unsupported mem:1: there are importance weights and a feature 'weight', and JSON has one key for "
        "both; write .vw\n";
    char want[256];
    snprintf(want, sizeof want, "{\"label\":1,\"weight\":3}\n{\"label\":1,\"a\":1}\n%s", both);
    CHECK_CONVERTS("1 | weight:3\n1 2 |\n1 | a\n", "vw", "jsonl", want);
    snprintf(want, sizeof want, "{\"label\":1,\"weight\":2}\n{\"label\":1,\"weight\":4}\n%s", both);
    CHECK_CONVERTS("1 2 |\n1 | weight:3\n1 4 |\n", "vw", "jsonl", want);
}

/* Names, values, weights and the order of all come back from bin. */
TEST(names_pass_through_bin) {
    static const char rows[] = "1 | a b:0.5 the:2\n-1 3 |n longer_than_seven:1e-3 a |m a:-0\n1 |\n-1 | 17:2 \xff\xfe\n";
    sluice_error err;
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .threads = 1};
    sluice_reader *r = sl_reader_open_memory(rows, sizeof rows - 1, "mem", &o, 1 << 19, &err);
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    CHECK_EQ(sluice_writer_put_batch(w, b), SLUICE_OK);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    const char *const paths[] = {path};
    sluice_reader *again = sluice_reader_open(paths, 1, NULL, &err);
    const sluice_batch *c;
    CHECK_EQ(sluice_reader_next(again, &c), SLUICE_OK);
    CHECK(c->has_names && c->rows == b->rows && c->nonzeros == b->nonzeros && c->has_zeros == b->has_zeros);
    CHECK(memcmp(c->value, b->value, b->nonzeros * sizeof *b->value) == 0);
    CHECK(memcmp(c->label, b->label, b->rows * sizeof *b->label) == 0);
    CHECK(memcmp(c->weight, b->weight, b->rows * sizeof *b->weight) == 0);
    CHECK(memcmp(c->start, b->start, (b->rows + 1) * sizeof *b->start) == 0);
    for (size_t k = 0; k < b->nonzeros; k++) {
        const sl_feature_name want = sl_batch_name(b, k), got = sl_batch_name(c, k);
        CHECK_EQ(got.hash, want.hash);
        CHECK(got.n == want.n && memcmp(got.text, want.text, want.n) == 0);
    }
    sluice_reader_close(r);
    sluice_reader_close(again);
}

TEST(rows_with_ids_and_with_names_stay_in_order) {
    sluice_error err;
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .threads = 1};
    sluice_reader *r = sl_reader_open_memory("1 | a\n-1 | b\n", 13, "mem", &o, 1, &err);
    sluice_writer *w = sluice_writer_open(path, "vw", &err);
    sluice_example x = {(const uint64_t[]){7}, (const float[]){2}, 1, 1, 3};
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK) {
        CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
        CHECK_EQ(sluice_writer_put_batch(w, b), SLUICE_OK);
    }
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    sluice_reader_close(r);
    char *got = contents();
    CHECK_STR(got, "1 3 | 7:2\n1 | a\n1 3 | 7:2\n-1 | b\n");
    free(got);
}

TEST(labels_are_written_as_they_were) {
    static const char words[] = "spam |f a\n2 |f a\n-3.50 2 |f a\nyes 0 |f a\ntrue |\n+7 |\n1e3 |\n\xff |\n";
    CHECK_CONVERTS(words, "vw", "vw", words);
    CHECK_CONVERTS("spam |f a\n2 |f a\n-3.50 2 |f a\nyes 0 |f a\ntrue |\n+7 |\n1e3 |\n5. |\n.5 |\n02 |\nTrue |\n", "vw",
                   "jsonl",
                   "{\"label\":\"spam\",\"f^a\":1}\n{\"label\":2,\"f^a\":1}\n{\"label\":-3.50,\"weight\":2,\"f^a\":1}\n"
                   "{\"label\":\"yes\",\"weight\":0,\"f^a\":1}\n{\"label\":true}\n{\"label\":\"+7\"}\n{\"label\":1e3}\n"
                   "{\"label\":\"5.\"}\n{\"label\":\".5\"}\n{\"label\":\"02\"}\n{\"label\":\"True\"}\n");
    static const char strings[] = "{\"label\":\"a \\\"b\\\" \\u0000\\u0009 \xc3\xa9\",\"x\":1}\n{\"label\":\" 1\"}\n";
    CHECK_CONVERTS(strings, "jsonl", "jsonl", strings);
    CHECK_CONVERTS("spam 1:2\n1.0 1:2\n2.0\n", "libsvm", "libsvm", "spam 1:2\n1 1:2\n2.0\n");
}

TEST(labels_that_a_format_has_no_place_for_are_refused) {
    CHECK_CONVERTS(
        "{\"label\":\"a b\"}\n{\"label\":\"a:b\"}\n{\"label\":\"#a\"}\n{\"label\":\"|'\"}\n", "jsonl", "libsvm",
        "|'\n"
        "unsupported mem:1: the label 'a b' has a blank, colon, # or control byte, or a byte order mark in front, "
        "which a label in LIBSVM "
        "text cannot have; write .jsonl\n"
        "unsupported mem:1: the label 'a:b' has a blank, colon, # or control byte, or a byte order mark in front, "
        "which a label in LIBSVM "
        "text cannot have; write .jsonl\n"
        "unsupported mem:1: the label '#a' has a blank, colon, # or control byte, or a byte order mark in front, "
        "which a label in LIBSVM "
        "text cannot have; write .jsonl\n");
    CHECK_CONVERTS(
        "{\"label\":\"a|b\",\"x\":1}\n{\"label\":\"'b\"}\n{\"label\":\"#a\"}\n", "jsonl", "vw",
        "#a |\n"
        "unsupported mem:1: the label 'a|b' has a blank, colon, bar or control byte, or a quote or byte order "
        "mark in front, which a "
        "label in VW text cannot have; write .jsonl\n"
        "unsupported mem:1: the label ''b' has a blank, colon, bar or control byte, or a quote or byte order "
        "mark in front, which a "
        "label in VW text cannot have; write .jsonl\n");
    CHECK_CONVERTS("\xff |\n", "vw", "jsonl",
                   "unsupported mem:1: the label '\\xff' is not UTF-8, as JSON needs it; write .vw\n");
}

int main(void) {
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/out", dir);
    RUN(vw_to_vw_is_byte_for_byte);
    RUN(what_is_written_differently_reads_the_same);
    RUN(jsonl_to_jsonl_is_byte_for_byte);
    RUN(vw_to_jsonl_and_back_is_the_same);
    RUN(ids_are_names_that_are_numbers);
    RUN(libsvm_takes_whole_numbers_alone);
    RUN(the_row_has_its_place);
    RUN(vw_has_no_separators_in_names);
    RUN(json_has_utf8_and_keys_of_its_own);
    RUN(names_pass_through_bin);
    RUN(rows_with_ids_and_with_names_stay_in_order);
    RUN(labels_are_written_as_they_were);
    RUN(labels_that_a_format_has_no_place_for_are_refused);
    rmdir(dir);
    return DONE;
}
