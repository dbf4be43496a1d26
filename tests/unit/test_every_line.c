/* A row for every line: blank lines, comments and malformed lines in every format, in blocks of any size, with any
 * number of threads, and pushed in pieces. */
#include "stream.h"

/* One character a row: '.' has features, '0' has none, '-' stands for a malformed line; the lines of the rows behind
 * them, and what was skipped. */
static void add_kinds(text *t, const sluice_batch *b) {
    for (size_t i = 0; i < sluice_batch_rows(b); i++) {
        bool left_out = sluice_batch_left_out(b, i), empty = sluice_batch_nonzeros(b, i) == 0;
        CHECK(!left_out || (empty && sluice_batch_label(b, i) == 0 && sluice_batch_weight(b, i) == 0));
        add(t, "%c%llu ", left_out ? '-' : empty ? '0' : '.', (unsigned long long)(b->first_line + b->line[i]));
    }
}

static char *kinds_read(const char *bytes, size_t n, const sluice_reader_options *o, size_t block_bytes) {
    sluice_error err;
    text t = {0};
    add(&t, "");
    sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", o, block_bytes, &err);
    CHECK(r != NULL);
    const sluice_batch *b;
    sluice_status status;
    while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) add_kinds(&t, b);
    if (status != SLUICE_END)
        add(&t, "%llu:%llu", (unsigned long long)sluice_reader_error(r)->line,
            (unsigned long long)sluice_reader_error(r)->column);
    sluice_reader_close(r);
    return t.data;
}

static char *kinds_pushed(const char *bytes, size_t n, const sluice_reader_options *o, size_t piece) {
    sluice_error err;
    text t = {0};
    add(&t, "");
    sluice_parser *p = sluice_parser_new(o, &err);
    CHECK(p != NULL);
    const sluice_batch *b;
    sluice_status status = SLUICE_END;
    for (size_t at = 0; status == SLUICE_END && at <= n; at += piece) {
        CHECK(sluice_parser_push(p, bytes + at, piece < n - at ? piece : n - at) == SLUICE_OK);
        if (at + piece > n) sluice_parser_finish(p);
        while ((status = sluice_parser_next(p, &b)) == SLUICE_OK) add_kinds(&t, b);
    }
    if (status != SLUICE_END)
        add(&t, "%llu:%llu", (unsigned long long)sluice_parser_error(p)->line,
            (unsigned long long)sluice_parser_error(p)->column);
    sluice_parser_free(p);
    return t.data;
}

static void check_kinds(const char *bytes, size_t n, sluice_reader_options o, const char *want) {
    o.size = sizeof o, o.every_line = 1, o.unlabelled = 1;
    static const size_t blocks[] = {1, 2, 7, 64, 1000, 1 << 19};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            char *got = kinds_read(bytes, n, &o, blocks[i]);
            CHECK_STR(got, want);
            free(got);
        }
    for (size_t piece = 1; piece <= n + 1; piece += piece < 9 ? 1 : n / 3 + 1) {
        char *got = kinds_pushed(bytes, n, &o, piece);
        CHECK_STR(got, want);
        free(got);
    }
}

#define KINDS(name, text, want) check_kinds(text, sizeof(text) - 1, (sluice_reader_options){.format = name}, want)
#define SKIPS(name, text, want)                                                                                        \
    check_kinds(text, sizeof(text) - 1, (sluice_reader_options){.format = name, .skip_errors = 1}, want)

TEST(libsvm) {
    KINDS("libsvm", "", "");
    KINDS("libsvm", "\n", "01 ");
    KINDS("libsvm", "\n\n\n1 1:1", "01 02 03 .4 ");
    KINDS("libsvm", "1 1:1\n# note\n\n  \t\r\n-1 2:1 # x\n1\n#", ".1 02 03 04 .5 06 07 ");
    SKIPS("libsvm", "1 1:1\n1 x 1:1\n\n1 1:2 1:3\nx 2:2\n1 1:x\n", ".1 -2 03 -4 .5 -6 ");
    SKIPS("libsvm", "1 x\ny\0\n#\0\ny z", "-1 -2 -3 -4 ");
    KINDS("libsvm", "\n1 1:1\n\n1 x\n", "01 .2 03 4:3");
}

TEST(weights_are_of_the_rows_they_belong_to) {
    sluice_error err;
    static const char bytes[] = "1 1:1\n1 1:1\n\n1 1:1\n-1 2:1\n\n\n1 1:1\n1 1:1\n1 1:1\n";
    for (size_t block = 1; block <= 1 << 19; block = block == 1 ? 30 : block == 30 ? 1 << 19 : 1 << 20) {
        sluice_reader_options o = {.size = sizeof o, .every_line = 1};
        sluice_reader *r = sl_reader_open_memory(bytes, sizeof bytes - 1, "mem", &o, block, &err);
        const sluice_batch *b;
        size_t rows = 0;
        while (sluice_reader_next(r, &b) == SLUICE_OK)
            for (size_t i = 0; i < sluice_batch_rows(b); i++, rows++)
                CHECK(sluice_batch_weight(b, i) == (sluice_batch_nonzeros(b, i) ? 1 : 0));
        CHECK(rows == 10);
        sluice_reader_close(r);
    }
}

TEST(vw) {
    KINDS("vw", "1 | a\n\n| b\r\n\r\n1 |", ".1 02 .3 04 05 ");
    SKIPS("vw", "1 | a\n# no bar\n\n1 |f b:x\n1 |f b", ".1 -2 03 -4 .5 ");
}

TEST(jsonl) {
    KINDS("jsonl", "{\"a\":1}\n\n {\"a\":2}\n \n{}\n", ".1 02 .3 04 05 ");
    SKIPS("jsonl", "{\"a\":1}\n#\n\n{\"a\":}\n{\"a\":3}", ".1 -2 03 -4 .5 ");
}

TEST(csv) {
    KINDS("csv", "a,b\n1,2\n\n3,4\n", ".2 03 .4 ");
    KINDS("csv", "\n \na,b\n\n1,2\n\r\n", "04 .5 06 "); /* what stands before the header is no record of data */
    SKIPS("csv", "a,b\n1,2\n1\n\n\"x\ny\",2\n1,2,3\n5,6", ".2 -3 04 .5 -7 .8 ");
    check_kinds("\n \n1,2\n\n3,4\n", 12, (sluice_reader_options){.format = "csv", .no_header = 1}, "01 02 .3 04 .5 ");
    check_kinds("\n\n", 2, (sluice_reader_options){.format = "csv", .no_header = 1}, "01 02 ");
    KINDS("csv", "\n\n", "");
}

TEST(text_and_url) {
    KINDS("text", "1\ta b\n\n# is data\n \t\n1\t\n#", ".1 02 .3 04 05 06 ");
    SKIPS("text", "1\ta b\nx\ty\0\n\nx\tc", ".1 -2 03 .4 ");
    KINDS("url", "1\thttp://a.b/c\n\n#x\nh.org", ".1 02 .3 .4 ");
}

TEST(a_line_that_is_too_long) {
    static const char *const formats[] = {"libsvm", "vw", "jsonl", "csv", "text", "url"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        text t = {0};
        bool csv = strcmp(formats[f], "csv") == 0;
        if (csv) add(&t, "a\n");
        for (int line = 0; line < 5; line++) {
            for (int i = 0; i < (line == 2 ? 100 : 0); i++) add(&t, "1");
            add(&t, "\n");
        }
        check_kinds(t.data, t.n, (sluice_reader_options){.format = formats[f], .skip_errors = 1, .max_line = 20},
                    csv ? "02 03 -4 05 06 " : "01 02 -3 04 05 ");
        free(t.data);
    }
}

TEST(many_blank_lines) {
    for (size_t f = 0; f < 2; f++) {
        size_t n = 1200000, rows = 0;
        char *lines = malloc(n);
        memset(lines, '\n', n);
        sluice_reader_options o = {.size = sizeof o, .format = f ? "vw" : "libsvm", .every_line = 1};
        sluice_error err;
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            sluice_reader *r = sluice_reader_open_memory(lines, n, "mem", &o, &err);
            const sluice_batch *b;
            for (rows = 0; sluice_reader_next(r, &b) == SLUICE_OK; rows += sluice_batch_rows(b))
                CHECK(b->first_line + b->line[0] == rows + 1);
            CHECK(rows == n);
            sluice_reader_close(r);
        }
        free(lines);
    }
}

/* Lines of all kinds at random: as many rows as lines, whatever the blocks. */
TEST(as_many_rows_as_lines) {
    static const char *const pieces[] = {"1",
                                         " ",
                                         "\t",
                                         "\n",
                                         "\n",
                                         "\r\n",
                                         "#",
                                         ":",
                                         "5:1",
                                         "|",
                                         "|f",
                                         "a",
                                         "\"",
                                         "{}",
                                         "{\"a\":1}",
                                         ",",
                                         "x",
                                         "1 1:1\n",
                                         "1 | a b\n",
                                         "{\"b\":2}\n",
                                         "nan",
                                         "\0",
                                         "1\tword word\n",
                                         "1,2\n"};
    static const char *const formats[] = {"libsvm", "vw", "jsonl", "text", "url"};
    unsigned seed = 1;
    for (int round = 0; round < 400; round++) {
        char bytes[600];
        size_t n = 0, lines = 0;
        for (int i = 0; i < round % 40; i++) {
            seed = seed * 1103515245u + 12345u;
            const char *piece = pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
            size_t length = *piece ? strlen(piece) : 1;
            memcpy(bytes + n, piece, length);
            n += length;
        }
        for (size_t i = 0; i < n; i++) lines += bytes[i] == '\n';
        lines += n && bytes[n - 1] != '\n';
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            sluice_reader_options o = {.size = sizeof o,
                                       .format = formats[f],
                                       .skip_errors = 1,
                                       .every_line = 1,
                                       .unlabelled = 1,
                                       .threads = 1};
            char *plain = kinds_read(bytes, n, &o, 1 << 19);
            size_t rows = 0;
            for (const char *p = plain; *p; p++) rows += *p == ' ';
            CHECK(rows == lines);
            for (size_t block = 1; block < 50; block += 16) {
                o.threads = block % 3 ? 3 : 1;
                char *other = kinds_read(bytes, n, &o, block);
                CHECK_STR(other, plain);
                free(other);
            }
            free(plain);
        }
    }
}

int main(void) {
    RUN(libsvm);
    RUN(weights_are_of_the_rows_they_belong_to);
    RUN(vw);
    RUN(jsonl);
    RUN(csv);
    RUN(text_and_url);
    RUN(a_line_that_is_too_long);
    RUN(many_blank_lines);
    RUN(as_many_rows_as_lines);
    return DONE;
}
