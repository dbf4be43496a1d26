/* Where rows come from: their lines and ids, in every format, in blocks of any size, with any number of threads, and
 * pushed in pieces. */
#include "stream.h"

/* A row as `line|text|id` with letters for what it is. */
static void add_origins(text *t, const sluice_batch *b) {
    for (size_t i = 0; i < sluice_batch_rows(b); i++) {
        sluice_row_origin o = {.size = sizeof o};
        CHECK_EQ(sluice_batch_origin(b, i, &o, NULL), SLUICE_OK);
        CHECK(o.input != NULL);
        add(t, "%llu%s", (unsigned long long)o.line, sluice_batch_left_out(b, i) ? "-" : "");
        if (o.text.text) add(t, "|%.*s", (int)o.text.n, o.text.text);
        CHECK((o.id_kind == SLUICE_ID_NONE) == (o.id.text == NULL));
        if (o.id_kind) add(t, "%s%.*s", o.id_kind == SLUICE_ID_JSON ? "#" : "=", (int)o.id.n, o.id.text);
        add(t, ";");
    }
}

static char *origins_read(const char *bytes, size_t n, const sluice_reader_options *o, size_t block_bytes) {
    sluice_error err;
    text t = {0};
    add(&t, "");
    sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", o, block_bytes, &err);
    CHECK(r != NULL);
    const sluice_batch *b;
    sluice_status status;
    while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) add_origins(&t, b);
    if (status != SLUICE_END) add(&t, "%s", sluice_reader_error(r)->message);
    sluice_reader_close(r);
    return t.data;
}

static char *origins_pushed(const char *bytes, size_t n, const sluice_reader_options *o, size_t piece) {
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
        while ((status = sluice_parser_next(p, &b)) == SLUICE_OK) add_origins(&t, b);
    }
    if (status != SLUICE_END) add(&t, "%s", sluice_parser_error(p)->message);
    sluice_parser_free(p);
    return t.data;
}

static void check_origins(const char *bytes, size_t n, sluice_reader_options o, const char *want) {
    o.size = sizeof o, o.every_line = 1, o.unlabelled = 1;
    static const size_t blocks[] = {1, 2, 7, 64, 1000, 1 << 19};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            char *got = origins_read(bytes, n, &o, blocks[i]);
            CHECK_STR(got, want);
            free(got);
        }
    for (size_t piece = 1; piece <= n + 1; piece += piece < 9 ? 1 : n / 3 + 1) {
        char *got = origins_pushed(bytes, n, &o, piece);
        CHECK_STR(got, want);
        free(got);
    }
}

#define ORIGINS(bytes, want, ...) check_origins(bytes, sizeof(bytes) - 1, (sluice_reader_options){__VA_ARGS__}, want)

TEST(lines_of_text_as_they_are) {
    ORIGINS("1 1:1\n# x\r\n\n -1  2:2 \nz", "1|1 1:1;2|# x;3|;4| -1  2:2 ;5|z;", .format = "libsvm", .keep_lines = 1);
    ORIGINS("1 1:1\n1 x\n1 3:3", "1|1 1:1;2-|1 x;3|1 3:3;", .format = "libsvm", .keep_lines = 1, .skip_errors = 1);
    ORIGINS("spam\ta b\r\n\nfree text", "1|spam\ta b;2|;3|free text;", .format = "text", .keep_lines = 1);
    ORIGINS("1\thttp://a.b\n#", "1|1\thttp://a.b;2|#;", .format = "url", .keep_lines = 1);
    ORIGINS("\xef\xbb\xbf"
            "1 | a\n| b",
            "1|1 | a;2|| b;", .format = "vw", .keep_lines = 1);
    ORIGINS("1 1:1\n", "1;", .format = "libsvm");
}

TEST(rows_before_a_failure_have_their_lines) {
    ORIGINS("1 1:1\n\n1 x\n1 1:1\n", "1|1 1:1;2|;'x' is not id:value", .format = "libsvm", .keep_lines = 1);
}

TEST(csv_records_and_cells) {
    ORIGINS("id,x\na,1\n\n\"b\"\"c\",2\r\n\"d\ne\",3\nf\n\"g\nh\"\n,4\n",
            "2|a,1=a;3|;4|\"b\"\"c\",2=b\"c;5|\"d\ne\",3=d\ne;7-|f=f;8-|\"g\nh\"=g\nh;10|,4;", .format = "csv",
            .keep_lines = 1, .skip_errors = 1, .id = "id");
    ORIGINS("x,k,label\n1,q,0\n2,\"r\n", "2=q;3-;", .format = "csv", .skip_errors = 1, .id = "k");
    ORIGINS("x,k\n1,q\n", "2=q;", .format = "csv", .id = "2");
    ORIGINS("x,k\n1,q\n", "2=1;", .format = "csv", .id = "x");
    ORIGINS("1,q\n\n2,r\n", "1|1,q=q;2|;3|2,r=r;", .format = "csv", .id = "2", .keep_lines = 1, .no_header = 1);
    ORIGINS("x,k\n1,q\n", "there is no column 'y' for the id; there are 'x', 'k'", .format = "csv", .id = "y");
    ORIGINS("x,k,k\n1,q,r\n", "two columns are called 'k'", .format = "csv", .id = "k");
}

TEST(json_keys) {
    ORIGINS("{\"id\":\"a\\u00e9\\n\\\"\",\"x\":1}\n{\"x\":[1,{\"id\":2}],\"id\":17}\n{\"x\":1}\n{\"id\":null}\n"
            "{\"id\":[1, \"]\"],\"x\":2}\n{\"x\":\"id\",\"id\":true}\n{\"id\":\"e\",\"x\":}\n\n{\"id\":\"\"}",
            "1=a\xc3\xa9\n\";2#17;3;4;5#[1, \"]\"];6#true;7-=e;8;9=;", .format = "jsonl", .skip_errors = 1, .id = "id");
    ORIGINS("{\"u\":{\"n\":1,\"id\":\"z\"},\"id\":\"top\"}\n{\"u.id\":\"flat\"}\n{\"u\":{},\"u.id\":5}",
            "1=z;2=flat;3#5;", .format = "jsonl", .id = "u.id");
    ORIGINS("{\"id\":\"\\ud83d\\ude00\"}\n", "1=\xf0\x9f\x98\x80;", .format = "jsonl", .id = "id");
}

TEST(vw_tags) {
    ORIGINS("1 'a | x\n1 1.0 b|f x\n'c|f x\n|f x\n1 | x\n1 2 'd' | y\n\nnothing\n1 '| x\n",
            "1=a;2=b;3=c;4;5;6=d';7;8-;9;", .format = "vw", .skip_errors = 1, .id = "tag");
}

TEST(a_line_that_is_too_long_has_no_text) {
    ORIGINS("1 | a\n1 'long | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n1 'b | b\n", "1|1 | a;2-|;3|1 'b | b=b;",
            .format = "vw", .keep_lines = 1, .skip_errors = 1, .max_line = 20, .id = "tag");
    ORIGINS("k,x\na,1\nlong,\"aaaaaaaaaaaaaa\naaaaaaaaaaaaaaaaaaaaaa\"\nb,2\n", "2|a,1=a;3-|;5|b,2=b;", .format = "csv",
            .keep_lines = 1, .skip_errors = 1, .max_line = 20, .id = "k");
}

TEST(formats_without_ids_refuse) {
    sluice_reader_options o = {.size = sizeof o, .every_line = 1, .unlabelled = 1, .threads = 1, .id = "x"};
    static const char *const formats[] = {"libsvm", "text", "url", "vw"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const sluice_batch *b;
        o.format = formats[i];
        sluice_reader *r = sluice_reader_open_memory("1 | 1\n", 6, "mem", &o, NULL);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_UNSUPPORTED);
        CHECK_HAS(sluice_reader_error(r)->message, "there is no 'x' for the id");
        sluice_reader_close(r);
    }
}

TEST(only_where_every_line_is_a_row) {
    sluice_error err;
    sluice_reader_options o = {.size = sizeof o, .keep_lines = 1};
    CHECK(sluice_reader_open_memory("", 0, "mem", &o, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    o.keep_lines = 0, o.id = "id";
    CHECK(sluice_reader_open_memory("", 0, "mem", &o, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
}

static size_t features_read(const char *bytes, sluice_reader_options o) {
    const sluice_batch *b;
    size_t n = 0;
    o.size = sizeof o, o.every_line = o.unlabelled = 1, o.threads = 1;
    sluice_reader *r = sluice_reader_open_memory(bytes, strlen(bytes), "mem", &o, NULL);
    while (sluice_reader_next(r, &b) == SLUICE_OK) n += sluice_batch_total_nonzeros(b);
    CHECK_EQ(sluice_reader_error(r)->status, SLUICE_OK);
    sluice_reader_close(r);
    return n;
}

TEST(a_dropped_id_is_no_feature) {
    static const char csv[] = "id,x,y\n7,1,2\nnan,3,4\nabc,5,6\n",
                      json[] = "{\"id\":{\"a\":1,\"b\":[2]},\"x\":1,\"id2\":4}\n";
    CHECK_EQ(features_read(csv, (sluice_reader_options){.format = "csv", .id = "id", .drop_id = 1}), 6);
    CHECK_EQ(features_read("id,x\n7,1\nabc,5\n", (sluice_reader_options){.format = "csv", .id = "id"}), 4);
    CHECK_EQ(features_read(json, (sluice_reader_options){.format = "jsonl", .id = "id", .drop_id = 1}), 2);
    CHECK_EQ(features_read(json, (sluice_reader_options){.format = "jsonl", .id = "id"}), 4);
}

TEST(kept_lines_are_the_input) {
    static const char *const formats[] = {"libsvm", "vw", "jsonl", "text", "url"};
    static const char letters[] = "1 :|\n\n\r\tab{}\"\\#',";
    sluice_random random;
    sluice_random_seed(&random, 1);
    for (int round = 0; round < 300; round++) {
        char bytes[200];
        size_t n = (size_t)sluice_random_below(&random, sizeof bytes);
        for (size_t i = 0; i < n; i++) bytes[i] = letters[sluice_random_below(&random, sizeof letters - 1)];
        text want = {0};
        add(&want, "");
        size_t line = 0;
        for (size_t at = 0, end; at < n; at = end + 1) {
            for (end = at; end < n && bytes[end] != '\n';) end++;
            size_t stop = end > at && bytes[end - 1] == '\r' ? end - 1 : end;
            add(&want, "%zu|%.*s;", ++line, (int)(stop - at), bytes + at);
        }
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            sluice_reader_options o = {.size = sizeof o, .format = formats[f], .skip_errors = 1, .every_line = 1};
            o.unlabelled = o.keep_lines = 1, o.threads = 1;
            for (size_t block = 1; block < 500; block *= 5) {
                char *got = origins_read(bytes, n, &o, block);
                for (char *p = got, *to = got;; p++) { /* which lines are malformed is not what this is about */
                    if (*p == '-' && p[1] == '|' && p > got && p[-1] >= '0' && p[-1] <= '9') continue;
                    *to++ = *p;
                    if (!*p) break;
                }
                CHECK_STR(got, want.data);
                free(got);
            }
        }
        free(want.data);
    }
}

int main(void) {
    RUN(lines_of_text_as_they_are);
    RUN(rows_before_a_failure_have_their_lines);
    RUN(csv_records_and_cells);
    RUN(json_keys);
    RUN(vw_tags);
    RUN(a_line_that_is_too_long_has_no_text);
    RUN(formats_without_ids_refuse);
    RUN(only_where_every_line_is_a_row);
    RUN(a_dropped_id_is_no_feature);
    RUN(kept_lines_are_the_input);
    return DONE;
}
