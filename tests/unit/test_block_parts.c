/* Blocks whose rows take much memory: they are delivered in parts, the same rows at any number of threads, and rows
 * that are too large are errors with a place. */
#include "stream.h"

typedef struct summary {
    uint64_t rows, features, batches, hash, largest; /* largest: bytes of a batch */
    sluice_status status;
    uint64_t line, column, skipped;
} summary;

static uint64_t mixed(uint64_t h, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return h;
}

static summary read_all(const char *bytes, size_t n, sluice_reader_options o, unsigned threads, size_t block) {
    summary s = {0};
    sluice_error err;
    const sluice_batch *b;
    o.size = sizeof o, o.threads = threads;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", &o, block, &err);
    CHECK(r != NULL);
    while ((s.status = sluice_reader_next(r, &b)) == SLUICE_OK) {
        s.batches++;
        s.rows += b->rows;
        s.features += b->nonzeros;
        if (sluice_batch_memory(b) > s.largest) s.largest = sluice_batch_memory(b);
        for (size_t i = 0; i < b->rows; i++) {
            uint64_t line = b->first_line + b->line[i];
            s.hash = mixed(s.hash, &line, sizeof line);
            for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
                s.hash = mixed(s.hash, b->text + b->name[k].at, b->name[k].n < 20 ? b->name[k].n : 20);
                s.hash = mixed(s.hash, &b->value[k], sizeof *b->value);
            }
        }
    }
    s.line = sluice_reader_error(r)->line, s.column = sluice_reader_error(r)->column;
    uint64_t count;
    const char *name;
    for (size_t i = 0; (name = sluice_reader_skipped(r, i, &count)); i++)
        if (strcmp(name, "row-too-large") == 0) s.skipped = count;
    sluice_reader_close(r);
    return s;
}

static void check_same(const summary *a, const summary *b) {
    CHECK_EQ(a->rows, b->rows);
    CHECK_EQ(a->features, b->features);
    CHECK(a->hash == b->hash);
    CHECK_EQ(a->status, b->status);
    CHECK_EQ(a->line, b->line);
    CHECK_EQ(a->column, b->column);
    CHECK_EQ(a->skipped, b->skipped);
}

static void add_bytes(text *t, const char *bytes, size_t n) {
    if (t->n + n + 1 > t->room) t->data = realloc(t->data, t->room = 2 * (t->n + n + 1));
    memcpy(t->data + t->n, bytes, n);
    t->n += n;
    t->data[t->n] = 0;
}

static void add_many(text *t, const char *piece, size_t times) {
    for (size_t i = 0; i < times; i++) add_bytes(t, piece, strlen(piece));
}

enum { MIB = 1 << 20, MOST = 24 * MIB };

/* 3 MB of lines, each of which has a megabyte of names. */
TEST(a_long_namespace_is_delivered_in_parts) {
    text t = {0};
    for (int line = 0; line < 300; line++) {
        add(&t, "%d |", line % 2);
        add_many(&t, "n", 1500);
        for (int i = 0; i < 600; i++) add(&t, " %c%c", 'a' + i / 26, 'a' + i % 26);
        add(&t, "\n");
    }
    sluice_reader_options o = {.format = "vw"};
    summary one = read_all(t.data, t.n, o, 1, 512 << 10);
    CHECK_EQ(one.rows, 300);
    CHECK_EQ(one.features, 300 * 600);
    CHECK(one.batches > 50);
    CHECK(one.largest < MOST);
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        summary many = read_all(t.data, t.n, o, threads, 512 << 10);
        check_same(&one, &many);
        CHECK(many.largest < MOST);
        many = read_all(t.data, t.n, o, threads, 5000);
        check_same(&one, &many);
    }
    free(t.data);
}

TEST(long_columns_and_keys_are_delivered_in_parts) {
    text csv = {0}, json = {0};
    add(&csv, "label");
    for (int i = 0; i < 900; i++) {
        add(&csv, ",%03d", i);
        add_many(&csv, "c", 500);
    }
    add(&csv, "\n");
    for (int row = 0; row < 300; row++) {
        add(&csv, "1");
        add_many(&csv, row % 3 ? ",x" : ",5", 900);
        add(&csv, "\n");
        add(&json, "{\"label\":1,\"");
        add_many(&json, "k", 1500);
        add(&json, "\":[1");
        add_many(&json, ",1", 500);
        add(&json, "]}\n");
    }
    for (int f = 0; f < 2; f++) {
        const text *t = f ? &json : &csv;
        sluice_reader_options o = {.format = f ? "jsonl" : "csv"};
        summary one = read_all(t->data, t->n, o, 1, 512 << 10);
        CHECK_EQ(one.rows, 300);
        CHECK(one.batches > 10 && one.largest < MOST);
        for (unsigned threads = 2; threads <= 8; threads += 3) {
            summary many = read_all(t->data, t->n, o, threads, 512 << 10);
            check_same(&one, &many);
            CHECK(many.largest < MOST);
        }
    }
    free(csv.data);
    free(json.data);
}

/* A line with more features than a row may have, between others. */
static void check_large_row(const char *format, const char *good, const char *head, const char *piece, size_t times,
                            const char *tail, unsigned ngrams, uint64_t column) {
    text t = {0};
    add(&t, "%s%s", good, head);
    size_t at = t.n;
    for (size_t i = 0; i < times; i++) {
        char token[64];
        int n = snprintf(token, sizeof token, piece, i);
        add_bytes(&t, token, (size_t)n);
    }
    CHECK(t.n - at < 60 * (size_t)MIB);
    add(&t, "%s\n%s", tail, good);
    sluice_reader_options o = {.format = format, .ngrams = ngrams};
    summary stopped = read_all(t.data, t.n, o, 5, 512 << 10);
    CHECK_EQ(stopped.status, SLUICE_E_DATA);
    CHECK_EQ(stopped.rows, 1);
    CHECK_EQ(stopped.line, 2);
    if (column) CHECK_EQ(stopped.column, column);
    o.skip_errors = o.every_line = 1;
    summary one = read_all(t.data, t.n, o, 1, 512 << 10), many = read_all(t.data, t.n, o, 5, 512 << 10);
    CHECK_EQ(one.status, SLUICE_END);
    CHECK_EQ(one.rows, 3);
    CHECK_EQ(one.skipped, 1);
    check_same(&one, &many);
    free(t.data);
}

TEST(rows_that_are_too_large_are_errors_with_a_place) {
    check_large_row("vw", "1 | a\n", "1 |", " %zx", (1 << 22) + 1, "", 0, 0);
    check_large_row("text", "1\ta\n", "1\t", "%zx ", 600000, "", 8, 1);
}

TEST(the_largest_row_is_read) {
    text t = {0};
    add(&t, "1 |");
    for (size_t i = 0; i < 1 << 22; i++) {
        char token[24];
        add_bytes(&t, token, (size_t)snprintf(token, sizeof token, " %zx", i));
    }
    add(&t, "\n0 | a\n");
    sluice_reader_options o = {.format = "vw"};
    summary s = read_all(t.data, t.n, o, 4, 512 << 10);
    CHECK_EQ(s.status, SLUICE_END);
    CHECK_EQ(s.rows, 2);
    CHECK_EQ(s.features, (1 << 22) + 1);
    free(t.data);
}

/* The position after every batch is where its last row ends. */
TEST(positions_are_those_of_parts) {
    text t = {0};
    for (int i = 0; i < 500; i++) add(&t, "1 |f a b c d%d\n", i);
    sluice_error err;
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = {.size = sizeof o, .format = "vw", .threads = threads};
        sluice_reader *r = sl_reader_open_memory(t.data, t.n, "mem", &o, 100, &err);
        const sluice_batch *b;
        size_t input, rows = 0, line = 0, batches = 0;
        uint64_t offset = 0;
        for (; sluice_reader_next(r, &b) == SLUICE_OK; batches++) {
            rows += b->rows;
            sluice_reader_position(r, &input, &offset);
            size_t lines = 0;
            for (size_t i = 0; i < offset; i++) lines += t.data[i] == '\n';
            CHECK_EQ(lines, rows);
            CHECK(t.data[offset - 1] == '\n');
            line = (size_t)(b->first_line + b->line[b->rows - 1]);
            CHECK_EQ(line, rows);
        }
        CHECK_EQ(rows, 500);
        CHECK(batches > 80);
        sluice_reader_close(r);
    }
    free(t.data);
}

int main(void) {
    RUN(a_long_namespace_is_delivered_in_parts);
    RUN(long_columns_and_keys_are_delivered_in_parts);
    RUN(rows_that_are_too_large_are_errors_with_a_place);
    RUN(the_largest_row_is_read);
    RUN(positions_are_those_of_parts);
    return DONE;
}
