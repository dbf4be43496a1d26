/* Parsers: rows from bytes that are pushed. That they give what readers give is checked for every text that the tests
 * of the formats read (stream.h); here is what is theirs alone. */
#include "failing_alloc.h"
#include "stream.h"

static sluice_error err;

static sluice_parser *new_parser(sluice_reader_options o) {
    o.size = sizeof o;
    sluice_parser *p = sluice_parser_new(&o, &err);
    CHECK(p != NULL);
    return p;
}

#define PARSER(...) new_parser((sluice_reader_options){__VA_ARGS__})

/* Pushes a text and returns the rows that there are now, and END or the failure. */
static char *push(sluice_parser *p, const char *bytes) {
    text t = {0};
    add(&t, "");
    const sluice_batch *b;
    sluice_status status;
    CHECK_EQ(sluice_parser_push(p, bytes, strlen(bytes)), SLUICE_OK);
    while ((status = sluice_parser_next(p, &b)) == SLUICE_OK) add_rows(&t, b);
    if (status != SLUICE_END) add_error(&t, "bytes", sluice_parser_error(p));
    return t.data;
}

#define CHECK_PUSH(p, bytes, want)                                                                                     \
    do {                                                                                                               \
        char *test_got = push(p, bytes);                                                                               \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

TEST(rows_come_with_the_end_of_their_line) {
    sluice_parser *p = PARSER(.format = "libsvm");
    CHECK_PUSH(p, "1 1", "");
    CHECK_PUSH(p, "", "");
    CHECK_PUSH(p, ":5\n2 2:2\n3 3", "1 1:5\n2 2:2\n");
    CHECK_PUSH(p, ":3", "");
    sluice_parser_finish(p);
    const sluice_batch *b;
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_OK); /* the last line needs no newline */
    CHECK(sluice_batch_rows(b) == 1 && sluice_batch_label(b, 0) == 3);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    sluice_parser_free(p);
    sluice_parser_free(NULL);
}

TEST(many_requests_one_parser) {
    sluice_parser *p = PARSER(.format = "jsonl", .unlabelled = 1);
    for (int i = 0; i < 1000; i++) {
        char body[64], want[64];
        sprintf(body, "{\"a\":%d,\"b\":1}", i + 1);
        sprintf(want, "0*0 a:%d b:1\n", i + 1);
        sluice_parser_reset(p);
        CHECK_PUSH(p, body, "");
        sluice_parser_finish(p);
        text t = {0};
        const sluice_batch *b;
        while (sluice_parser_next(p, &b) == SLUICE_OK) add_rows(&t, b);
        CHECK_STR(t.data, want);
        free(t.data);
    }
    sluice_parser_free(p);
}

/* The rows of the first batch of a whole input; `done`: what the parser says behind it. */
static size_t first_batch(sluice_parser *p, const char *bytes, size_t n, int *done) {
    const sluice_batch *b;
    sluice_parser_reset(p);
    CHECK_EQ(sluice_parser_is_done(p), 0);
    CHECK_EQ(sluice_parser_push(p, bytes, n), SLUICE_OK);
    sluice_parser_finish(p);
    const sluice_status status = sluice_parser_next(p, &b);
    *done = sluice_parser_is_done(p);
    return status == SLUICE_OK ? sluice_batch_rows(b) : 0;
}

TEST(whether_there_is_more) {
    int done;
    sluice_parser *p = PARSER(.format = "libsvm");
    static const char *const whole[] = {"1 1:1",          "1 1:1\n", "1\n1 1:1\n2 2:2", "1\n2\n3 1:1 2:2 3:3\n4\n",
                                        "1 1:1\r\n2 1:1", "\n1\n2\n"};
    static const size_t rows[] = {1, 1, 3, 4, 2, 2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { /* however short its first line is */
        CHECK_EQ(first_batch(p, whole[i], strlen(whole[i]), &done), rows[i]);
        CHECK_EQ(done, 1);
    }
    CHECK_EQ(first_batch(p, "1 1:1\n2 2:2\nx 3", 15, &done), 2); /* the failure comes behind the rows */
    CHECK_EQ(done, 0);
    CHECK_EQ(first_batch(p, "", 0, &done), 0);
    CHECK_EQ(done, 1);
    sluice_parser_reset(p);
    const sluice_batch *b;
    CHECK_EQ(sluice_parser_push(p, "1 1:1\n", 6), SLUICE_OK);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_OK);
    CHECK_EQ(sluice_parser_is_done(p), 0); /* it is not known that it is finished */
    sluice_parser_free(p);

    p = PARSER(.format = "csv");
    CHECK_EQ(first_batch(p, "label,a\n1,2\n-1,3", 16, &done), 2);
    CHECK_EQ(done, 1);
    CHECK_EQ(first_batch(p, "label,a\n1,2\n-1,\"3", 17, &done), 1); /* a quote that is not closed */
    CHECK_EQ(done, 0);
    sluice_parser_free(p);

    p = PARSER(.format = "libsvm"); /* more than a batch has room for */
    const size_t n = 1000000;
    char *many = malloc(2 * n);
    for (size_t i = 0; i < n; i++) memcpy(many + 2 * i, "1\n", 2);
    size_t all = first_batch(p, many, 2 * n, &done);
    for (; !done && sluice_parser_next(p, &b) == SLUICE_OK; done = sluice_parser_is_done(p))
        all += sluice_batch_rows(b);
    CHECK_EQ(all, n);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    free(many);
    sluice_parser_free(p);
}

TEST(a_reset_forgets_everything) {
    sluice_parser *p = PARSER(.format = "libsvm");
    CHECK_PUSH(p, "1 1:1\n\nx\n2 2:2\n", "1 1:1\ndata bytes:3:1: label 'x' is not a number\n");
    const sluice_batch *b;
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_E_DATA); /* it stays failed */
    CHECK_EQ(sluice_parser_push(p, "1\n", 2), SLUICE_E_DATA);
    sluice_parser_reset(p);
    CHECK_PUSH(p, "1 1", "");
    sluice_parser_reset(p); /* half a line goes too */
    CHECK_PUSH(p, "2 2:2\ny\n", "2 2:2\ndata bytes:2:1: label 'y' is not a number\n");
    sluice_parser_free(p);
    p = PARSER(.format = "libsvm", .skip_errors = 1);
    uint64_t count;
    CHECK_PUSH(p, "x\n1 1:1\ny\n", "1 1:1\n");
    CHECK_STR(sluice_parser_skipped(p, 0, &count), "label");
    CHECK_EQ(count, 2);
    sluice_parser_reset(p);
    CHECK_STR(sluice_parser_skipped(p, 0, &count), "label");
    CHECK_EQ(count, 0);
    CHECK(sluice_parser_skipped(p, 1000, &count) == NULL);
    sluice_parser_free(p);
}

TEST(a_csv_header_lasts_until_the_reset) {
    sluice_parser *p = PARSER(.format = "csv");
    CHECK_PUSH(p, "label,a\n1,2\n", "1 a:2\n");
    CHECK_PUSH(p, "0,3\n1,", "0 a:3\n");
    CHECK_PUSH(p, "\"x\ny\"\n", "1 a=x\\x0ay:1\n");
    sluice_parser_reset(p);
    CHECK_PUSH(p, "b,label\n5,1\n", "1 b:5\n");
    sluice_parser_free(p);
}

TEST(long_lines_in_pieces) {
    sluice_parser *p = PARSER(.format = "libsvm", .skip_errors = 1, .max_line = 8);
    CHECK_PUSH(p, "1 1:1\n1 1:1 2:2", "1 1:1\n");
    CHECK_PUSH(p, " 3:3", "");
    CHECK_PUSH(p, "", "");
    CHECK_PUSH(p, " 4:4\n2 2:2\n", "2 2:2\n");
    uint64_t count = 0;
    for (size_t i = 0; i < 12; i++)
        if (strcmp(sluice_parser_skipped(p, i, &count), "line-too-long") == 0) break;
    CHECK_EQ(count, 1);
    sluice_parser_reset(p);
    CHECK_PUSH(p, "1 1:1 2:2 3:3", "");
    sluice_parser_finish(p); /* a long line without an end */
    const sluice_batch *b;
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    sluice_parser_free(p);
    p = PARSER(.format = "libsvm", .max_line = 8);
    CHECK_PUSH(p, "1 1:1\n1 1:1 2:", "1 1:1\n");
    CHECK_PUSH(p, "2", "data bytes:2:1: line is longer than 8 bytes\n");
    sluice_parser_free(p);
}

TEST(formats_of_parsers) {
    sluice_parser *p = PARSER(.format = NULL); /* by content, else LIBSVM text */
    CHECK_PUSH(p, "1 1:1\n", "1 1:1\n");
    sluice_parser_reset(p);
    CHECK_PUSH(p, "sluice", "");
    CHECK_PUSH(p, "\x1a\n", "data bytes:0:0: this is a sluice model, not a stream of examples\n");
    sluice_parser_free(p);
    p = PARSER(.hint = "vw");
    CHECK_PUSH(p, "1 | a\n", "1 a:1\n");
    sluice_parser_free(p);
    sluice_reader_options o = {.size = sizeof o, .format = "nonsense"};
    CHECK(sluice_parser_new(&o, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
}

TEST(misuse_changes_nothing) {
    sluice_parser *p = PARSER(.format = "libsvm");
    CHECK_EQ(sluice_parser_push(p, "1 1:1\n", 6), SLUICE_OK);
    CHECK_EQ(sluice_parser_push(p, "2 2:2\n", 6), SLUICE_E_USAGE); /* the first bytes are still there */
    CHECK_HAS(sluice_parser_error(p)->message, "still to be taken");
    const sluice_batch *b;
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_OK);
    CHECK(sluice_batch_rows(b) == 1 && sluice_batch_label(b, 0) == 1);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    sluice_parser_finish(p);
    CHECK_EQ(sluice_parser_push(p, "2 2:2\n", 6), SLUICE_E_USAGE);
    CHECK_HAS(sluice_parser_error(p)->message, "finished");
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_END);
    sluice_parser_free(p);
}

TEST(an_input_larger_than_a_block_comes_in_several_batches) {
    text t = {0};
    for (int i = 0; i < 200000; i++) add(&t, "1 %d:1\n", i);
    sluice_parser *p = PARSER(.format = "libsvm");
    CHECK_EQ(sluice_parser_push(p, t.data, t.n), SLUICE_OK);
    const sluice_batch *b;
    size_t rows = 0, batches = 0;
    for (; sluice_parser_next(p, &b) == SLUICE_OK; batches++) rows += sluice_batch_rows(b);
    CHECK(rows == 200000 && batches > 1);
    sluice_parser_free(p);

    p = PARSER(.format = "libsvm", .at_once = t.n); /* unless it is told not to */
    CHECK_EQ(sluice_parser_push(p, t.data, t.n), SLUICE_OK);
    sluice_parser_finish(p);
    CHECK_EQ(sluice_parser_next(p, &b), SLUICE_OK);
    CHECK_EQ(sluice_batch_rows(b), 200000);
    CHECK(sluice_parser_is_done(p));
    sluice_parser_free(p);
    free(t.data);
}

/* One request, in two pieces. */
static size_t request(sluice_parser *p, const char *body) {
    const sluice_batch *b;
    size_t rows = 0, n = strlen(body);
    sluice_parser_reset(p);
    for (size_t half = 0; half < 2; half++) {
        sluice_parser_push(p, half ? body + n / 2 : body, half ? n - n / 2 : n / 2);
        if (half) sluice_parser_finish(p);
        while (sluice_parser_next(p, &b) == SLUICE_OK) rows += sluice_batch_rows(b);
    }
    return rows;
}

TEST(a_warm_parser_allocates_nothing) {
    static const struct {
        const char *format, *body;
    } requests[] = {
        {"libsvm", "1 1:1 7:2\n-1 5:1 4:1 3:1 99999999999:2\n1 1:1"},
        {"vw", "1 |a b c:2\n-1 |a b b |d e\n"},
        {"jsonl", "{\"label\":1,\"a\":{\"b\":[1,2,\"x\"]}}\n{\"label\":0,\"c\":3}\n"},
        {"text", "1\tsome words and some words more\n0\tother words\n"},
        {"url", "1\thttp://user@www.some.co.uk:80/path/file.php?a=b&c=d#e\n0\tx.org\n"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        sluice_parser *p = PARSER(.format = requests[i].format);
        size_t rows = request(p, requests[i].body);
        CHECK(rows >= 2);
        fail_allocation(1);
        for (int again = 0; again < 3; again++) CHECK_EQ(request(p, requests[i].body), rows);
        CHECK(!allocation_failed());
        sluice_parser_free(p);
    }
}

int main(void) {
    RUN(rows_come_with_the_end_of_their_line);
    RUN(many_requests_one_parser);
    RUN(whether_there_is_more);
    RUN(a_reset_forgets_everything);
    RUN(a_csv_header_lasts_until_the_reset);
    RUN(long_lines_in_pieces);
    RUN(formats_of_parsers);
    RUN(misuse_changes_nothing);
    RUN(an_input_larger_than_a_block_comes_in_several_batches);
    RUN(a_warm_parser_allocates_nothing);
    return DONE;
}
