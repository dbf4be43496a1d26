/* For tests of readers: everything a reader delivers, as one text that shows every bit. */
#ifndef STREAM_H
#define STREAM_H

#include <stdarg.h>
#include <stdbool.h>

#include "rows/batch.h"
#include "io/reader.h"
#include "test.h"

typedef struct text {
    char *data;
    size_t n, room;
} text;

static inline void add(text *t, const char *format, ...) {
    char piece[1024];
    va_list args;
    va_start(args, format);
    size_t n = (size_t)vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (n >= sizeof piece) n = sizeof piece - 1;
    if (t->n + n + 1 > t->room) t->data = realloc(t->data, t->room = 2 * (t->n + n + 1));
    memcpy(t->data + t->n, piece, n + 1);
    t->n += n;
}

/* A name; bytes other than printable ASCII as \xNN, the space too. */
static inline void add_name(text *t, const char *name, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        add(t, c > ' ' && c < 0x7f ? "%c" : "\\x%02x", c);
    }
}

/* Rows as `label[=word][*weight] id:value ...` (or `name:value`) in the shortest digits, one a line; weights other than
 * 1 are shown where features have names, all where they have ids and some row has one. */
static inline void add_rows(text *t, const sluice_batch *b) {
    char number[40];
    bool zeros = false;
    CHECK(b->rows > 0);
    for (size_t i = 0; i < sluice_batch_rows(b); i++) {
        size_t n = sluice_batch_nonzeros(b, i);
        uint64_t *ids = calloc(n + 1, sizeof *ids);
        sluice_example x = {.values = n ? b->value + b->start[i] : NULL,
                            .label = (double)b->label[i],
                            .weight = b->has_weights ? (double)b->weight[i] : 1};
        if (!b->has_names) sluice_batch_row(b, i, ids, NULL, &x);
        sluice_format_float(number, (float)x.label);
        add(t, "%s", number);
        const sluice_name word = sluice_batch_word(b, i);
        CHECK(!word.n || (b->has_words && sluice_batch_has_words(b)));
        if (word.n) add(t, "=");
        add_name(t, word.text, word.n);
        if (b->has_weights && (x.weight != 1 || !b->has_names)) {
            sluice_format_double(number, x.weight);
            add(t, "*%s", number);
        }
        for (size_t k = 0; k < n; k++) {
            sluice_format_float(number, x.values[k]);
            zeros |= x.values[k] == 0;
            add(t, " ");
            if (b->has_names) {
                const sl_feature_name name = sl_batch_name(b, b->start[i] + k);
                CHECK_EQ(name.hash, sl_name_hash(name.text, name.n));
                add_name(t, name.text, name.n);
            } else {
                add(t, "%llu", (unsigned long long)ids[k]);
            }
            add(t, ":%s", number);
        }
        add(t, "\n");
        free(ids);
    }
    CHECK(b->has_zeros || !zeros);
}

static inline void add_error(text *t, const char *source, const sluice_error *e) {
    add(t, "%s %s:%llu:%llu: %s\n", sluice_status_name(e->status), source, (unsigned long long)e->line,
        (unsigned long long)e->column, e->message);
}

/* Rows as above; then the error, if any, as `status source:line:column: message`; then the lines left out, as `skipped
 * reason=count`. Closes the reader. */
static inline char *drain(sluice_reader *r) {
    text t = {0};
    add(&t, "");
    const sluice_batch *b;
    sluice_status status;
    while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) add_rows(&t, b);
    const sluice_error *e = sluice_reader_error(r);
    if (status != SLUICE_END) add_error(&t, e->source, e);
    CHECK(sluice_reader_next(r, &b) == status && b == NULL); /* and it stays so */
    uint64_t count;
    const char *name;
    for (size_t i = 0; (name = sluice_reader_skipped(r, i, &count)); i++)
        if (count) add(&t, "skipped %s=%llu\n", name, (unsigned long long)count);
    sluice_reader_close(r);
    return t.data;
}

/* The same from a parser that gets the bytes in pieces, as the input "mem". */
static inline char *push_bytes(sluice_parser *p, const void *bytes, size_t n, size_t piece) {
    text t = {0};
    add(&t, "");
    const sluice_batch *b;
    sluice_status status = SLUICE_OK;
    for (size_t at = 0; at <= n; at += piece) { /* at the end there is nothing to push */
        char *copy = malloc(piece);             /* so that a sanitizer sees reads beyond it or too late */
        size_t now = n - at < piece ? n - at : piece;
        if (now) memcpy(copy, (const char *)bytes + at, now);
        CHECK_EQ(sluice_parser_push(p, copy, now), SLUICE_OK);
        if (now < piece) sluice_parser_finish(p);
        while ((status = sluice_parser_next(p, &b)) == SLUICE_OK) add_rows(&t, b);
        free(copy);
        if (status != SLUICE_END) break;
    }
    const sluice_error *e = sluice_parser_error(p);
    if (status != SLUICE_END) add_error(&t, strcmp(e->source, "<bytes>") == 0 ? "mem" : e->source, e);
    CHECK(sluice_parser_next(p, &b) == status && b == NULL);
    uint64_t count;
    const char *name;
    for (size_t i = 0; (name = sluice_parser_skipped(p, i, &count)); i++)
        if (count) add(&t, "skipped %s=%llu\n", name, (unsigned long long)count);
    return t.data;
}

static inline char *read_bytes(const void *bytes, size_t n, const sluice_reader_options *options, size_t block_bytes) {
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", options, block_bytes, &err);
    if (!r) {
        text t = {0};
        add(&t, "cannot open: %s", err.message);
        return t.data;
    }
    return drain(r);
}

/* What a text reads as: with one thread in one block, and checked to be the same in small blocks and with threads. */
static inline char *read_with(const void *bytes, size_t n, sluice_reader_options o) {
    o.threads = 1;
    char *plain = read_bytes(bytes, n, &o, 1 << 19);
    size_t blocks[] = {1, 7, 64, 1000};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            char *other = read_bytes(bytes, n, &o, blocks[i]);
            CHECK_STR(other, plain);
            free(other);
        }
    sluice_parser *p = sluice_parser_new(&o, NULL); /* a parser gives the same, whatever the pieces are */
    static const size_t pieces[] = {1, 5, 1000};
    for (size_t i = 0; p && i < sizeof pieces / sizeof *pieces; i++) {
        if (n / pieces[i] > 5000) continue;
        char *other = push_bytes(p, bytes, n, pieces[i]);
        CHECK_STR(other, plain);
        free(other);
        sluice_parser_reset(p);
    }
    sluice_parser_free(p);
    return plain;
}

/* The format that the tests of one file are about; another one says so before it includes this. */
#ifndef STREAM_FORMAT
#define STREAM_FORMAT "libsvm"
#endif

static inline char *read_text_n(const void *bytes, size_t n, int skip, size_t max_line) {
    return read_with(
        bytes, n,
        (sluice_reader_options){
            .size = sizeof(sluice_reader_options), .format = STREAM_FORMAT, .skip_errors = skip, .max_line = max_line});
}

#define CHECK_READS(input, want)                                                                                       \
    do {                                                                                                               \
        char *test_got = read_text_n(input, strlen(input), 0, 0);                                                      \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

#define CHECK_SKIPS(input, want)                                                                                       \
    do {                                                                                                               \
        char *test_got = read_text_n(input, strlen(input), 1, 0);                                                      \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

#endif
