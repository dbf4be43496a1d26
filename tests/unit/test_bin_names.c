/* Names in bin files: each stands once in a file, rows come back exactly, models are those of the text, and damaged and
 * hostile blocks are refused. */
#include "features/names.h"
#include "io/bin/bin.h"
#include "stream.h"

enum { HEAD = SL_BIN_FILE_HEADER, P = SL_BIN_FILE_HEADER + SL_BIN_BLOCK_HEADER };

static sluice_reader *open_vw(const char *rows, size_t block_bytes) {
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .threads = 1};
    return sl_reader_open_memory(rows, strlen(rows), "mem", &o, block_bytes, NULL);
}

/* Lines of VW text as a bin file; small blocks of text make blocks of a line or a few. */
static sl_bytes encode(const char *rows, size_t block_bytes) {
    sl_bytes out = {0};
    sl_names names = {0};
    uint64_t total = 0;
    const sluice_batch *b;
    sluice_reader *r = open_vw(rows, block_bytes);
    CHECK(sl_bin_put_header(&out));
    for (; sluice_reader_next(r, &b) == SLUICE_OK; total += b->rows) {
        if (!total) sl_bin_set_version(&out, b);
        CHECK(sl_bin_put_block(&out, b, &names));
    }
    CHECK(sl_bin_put_end(&out, total));
    sluice_reader_close(r);
    sl_names_free(&names);
    return out;
}

/* The same from a reader with one thread and with several, and from a parser. */
static char *read_bin(const sl_bytes *b) {
    sluice_reader_options o = {.size = sizeof o, .format = "bin", .threads = 1};
    char *plain = read_bytes(b->data, b->n, &o, 64);
    sluice_parser *p = sluice_parser_new(&o, NULL);
    for (o.threads = 2; o.threads <= 7; o.threads += 5) {
        char *got = read_bytes(b->data, b->n, &o, 64);
        CHECK_STR(got, plain);
        free(got);
    }
    for (size_t piece = 7; piece <= 700; piece *= 10) {
        if (b->n / piece > 3000) continue;
        char *got = push_bytes(p, b->data, b->n, piece);
        CHECK_STR(got, plain);
        free(got);
        sluice_parser_reset(p);
    }
    sluice_parser_free(p);
    return plain;
}

static const char lines[] = "1 | a b:0.5 longer_than_seven:2 a_name_of_more_than_fifteen_bytes\n-1 2 | b c:-0\n1 |\n"
                            "-1 | 17:3 \xff\xfe a d:1e-45\n1 | a b c d 17 longer_than_seven e\n";

TEST(rows_come_back_from_any_blocks) {
    for (size_t block = 1; block < 1 << 20; block *= 16) {
        sl_bytes b = encode(lines, block);
        char *got = read_bin(&b), *want = drain(open_vw(lines, 1 << 19));
        CHECK_STR(got, want);
        free(got), free(want), free(b.data);
    }
}

TEST(a_name_stands_once_in_a_file) {
    sl_bytes b = encode(lines, 1);
    const uint8_t *at = NULL;
    size_t found = 0;
    for (size_t i = 0; i + 17 <= b.n; i++)
        if (memcmp(b.data + i, "longer_than_seven", 17) == 0) at = b.data + i, found++;
    CHECK(at && found == 1);
    free(b.data);
}

/* What docs/bin-format.md says, byte by byte: files outlive programs. */
TEST(the_bytes_are_those_of_the_format) {
    static const char payload[] = "\1\2\1"      /* labels, lengths */
                                  "\0\2\1x\2yz" /* no names before, two new ones */
                                  "\0\0\1\1"    /* lengths of the numbers, 0, 1 and 1 */
                                  "\2\3\4";     /* values */
    sl_bytes b = encode("1 | x:2 yz:3\n-1 | yz:4\n", 1 << 19);
    CHECK_EQ(sl_get_u32(b.data + 8), 4);
    CHECK_EQ(sl_get_u32(b.data + HEAD), sizeof payload - 1);
    CHECK_EQ(sl_get_u32(b.data + HEAD + 12), SL_BIN_NAMES | SL_BIN_VALUES_U8);
    CHECK_EQ(SL_BIN_NAMES, 256);
    CHECK(memcmp(b.data + P, payload, sizeof payload - 1) == 0);
    free(b.data);
}

TEST(few_values_of_a_row_stand_once_in_a_list) {
    static const char rows[] = "1 | a:0.5 b:0.25 c:0.5 d:0.5 e:0.25 f:0.5\n-1 | a:-0 b:0 c:-0 d:0 e:0.25 f:0\n";
    static const char values[] = "\2\3\0\0\0\x3f\0\0\x80\x3e\0\0\0\x80\0\0\0\0\0\0\x80\x3e\0\1\0\0\1\0\0\1\0\1\2\1";
    sl_bytes b = encode(rows, 1 << 19);
    const size_t n = sl_get_u32(b.data + HEAD);
    CHECK_EQ(sl_get_u32(b.data + HEAD + 12), SL_BIN_NAMES | SL_BIN_VALUES_F32 | SL_BIN_VALUE_LISTS);
    CHECK(memcmp(b.data + P + n - (sizeof values - 1), values, sizeof values - 1) == 0);
    char *got = read_bin(&b);
    CHECK_STR(got, "1 a:0.5 b:0.25 c:0.5 d:0.5 e:0.25 f:0.5\n-1 a:-0 b:0 c:-0 d:0 e:0.25 f:0\n");
    free(got), free(b.data);
}

/* Rows with as many different values as a list may have, and with one more. */
TEST(lists_of_values_have_255_at_most) {
    for (int different = 255; different <= 256; different++) {
        text t = {0};
        add(&t, "1 |");
        for (int k = 0; k < 2000; k++) add(&t, " f%d:%d.5", k, k % different);
        add(&t, "\n");
        sl_bytes b = encode(t.data, 1 << 19);
        CHECK_EQ((sl_get_u32(b.data + HEAD + 12) & SL_BIN_VALUE_LISTS) != 0, different == 255);
        char *got = read_bin(&b), *want = drain(open_vw(t.data, 1 << 19));
        CHECK_STR(got, want);
        free(got), free(want), free(b.data), free(t.data);
    }
}

TEST(every_truncation_and_flipped_bit_is_refused) {
    const sluice_reader_options one = {.size = sizeof one, .format = "bin", .threads = 1};
    sl_bytes b = encode("1 | a b:0.5\n-1 | b c:2 a\n", 1);
    for (size_t n = 1; n < b.n; n++) {
        sl_bytes cut = {b.data, n, n};
        char *got = read_bytes(cut.data, cut.n, &one, 64);
        CHECK_HAS(got, "data mem:0:0: ");
        CHECK_HAS(got, "byte");
        free(got);
    }
    for (size_t i = 0; i < 8 * b.n; i++) {
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
        char *got = read_bytes(b.data, b.n, &one, 64);
        CHECK_HAS(got, "data mem:0:0: ");
        free(got);
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(b.data);
}

/* The block that begins behind `blocks` others. */
static uint8_t *block_at(const sl_bytes *b, size_t blocks) {
    uint8_t *header = b->data + HEAD;
    while (blocks--) header += SL_BIN_BLOCK_HEADER + sl_get_u32(header);
    return header;
}

/* Changes bytes of a block and makes its checksum right again: what only a hostile writer does. */
static void forge(const sl_bytes *b, size_t blocks, size_t offset, const void *bytes, size_t n, const char *want) {
    uint8_t *header = block_at(b, blocks), saved[512];
    const size_t size = SL_BIN_BLOCK_HEADER + sl_get_u32(header);
    char place[64];
    memcpy(saved, header, size);
    CHECK(offset + n <= size);
    memcpy(header + offset, bytes, n);
    sl_put_u64(header + 16, sl_bin_checksum(header, header + SL_BIN_BLOCK_HEADER, size - SL_BIN_BLOCK_HEADER));
    char *got = read_bin(b);
    snprintf(place, sizeof place, "byte %llu", (unsigned long long)(header - b->data));
    CHECK_HAS(got, "data mem:0:0: ");
    CHECK_HAS(got, want);
    CHECK_HAS(got, place);
    memcpy(header, saved, size);
    free(got);
}

TEST(hostile_blocks_are_refused) {
    enum { D = SL_BIN_BLOCK_HEADER }; /* labels 1 byte, lengths 1; first 1, count 1, names 2 each; controls 1, ids 2 */
    sl_bytes b = encode("1 | a b\n-1 | b c\n", 1);
    forge(&b, 0, D + 2, "\1", 1, "its names do not follow those before it");
    forge(&b, 1, D + 2, "\1", 1, "a feature has no name");
    forge(&b, 1, D + 2, "\3", 1, "its names do not follow those before it");
    forge(&b, 0, D + 3, "\7\x7f\x7f\x7f\x7f", 5, "names are damaged");
    forge(&b, 0, D + 3, "\x7f", 1, "names are damaged");
    forge(&b, 0, D + 4, "\x7f", 1, "names are damaged");
    forge(&b, 0, D + 2, "\xff\xff\xff\xff\x0f\1", 6, "there are too many names");
    forge(&b, 0, D + 2, "\xff\xff\xff\xff\xff\xff\1\1", 8, "there are too many names");
    forge(&b, 0, D + 2, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, "names are damaged");
    forge(&b, 0, D + 7, "a", 1, "a name stands twice among the names of the file");
    forge(&b, 1, D + 5, "a", 1, "a name stands twice among the names of the file");
    forge(&b, 0, D + 8, "\x10", 1, "ids are damaged");
    forge(&b, 0, D + 8, "\x0f", 1, "ids are missing");
    forge(&b, 0, D + 10, "\2", 1, "a feature has no name");
    forge(&b, 0, D + 10, "\0", 1, "a name stands twice in an example");
    forge(&b, 0, 12, "\x10\1\0\0", 4, "head of a block");
    forge(&b, 0, 12, "\0\0\0\0", 4, "head of a block"); /* version 4, and no names */
    forge(&b, 0, 12, "\0\3\0\0", 4, "head of a block"); /* lists of values that are not floats */
    forge(&b, 0, 12, "\0\5\0\0", 4, "head of a block");
    forge(&b, 0, 12, "\x50\0\0\0", 4, "convert it again from what it was made of");
    sl_put_u32(b.data + 8, 2);
    forge(&b, 0, 12, "\0\1\0\0", 4, "head of a block"); /* names, and version 2 */
    free(b.data);
    b = encode("1 | a:0.5 b:0.5 c:0.5 d:0.5\n", 1); /* ... names 8, controls 1, ids 4; count 1, list 4, positions 4 */
    forge(&b, 0, D + 17, "\2", 1, "values are missing");
    forge(&b, 0, D + 17, "\0", 1, "a value is not in its list");
    forge(&b, 0, D + 18, "\0\0\x80\x7f", 4, "a value is not finite");
    forge(&b, 0, D + 22, "\1", 1, "a value is not in its list");
    free(b.data);
}

/* Numbers that leave the same mark, and are not the same: in a short row, a longer one, and one that has them twice. */
TEST(distant_numbers_are_no_duplicates) {
    enum { NAMES = 1 << 17 };
    text t = {0};
    for (int row = 0; row < 4; row++) {
        add(&t, "1 |");
        for (int k = 0; k < NAMES / 4; k++) add(&t, " f%d", row * NAMES / 4 + k);
        add(&t, "\n");
    }
    add(&t, "1 | f5 f65541 f131071 f65535\n1 |");
    for (int k = 0; k < 10000; k++) add(&t, " f%d", k % 2 * 65536 + k / 2);
    add(&t, "\n");
    sl_bytes b = encode(t.data, 1 << 22);
    char *got = read_bin(&b), *want = drain(open_vw(t.data, 1 << 22));
    CHECK(strcmp(got, want) == 0);
    free(got), free(want);
    uint8_t *header = block_at(&b, 0), *payload = header + SL_BIN_BLOCK_HEADER;
    const size_t n = sl_get_u32(header);
    payload[n - 1] = 0, payload[n - 2] = 0, payload[n - 3] = 0; /* the last feature is another, f0 */
    sl_put_u64(header + 16, sl_bin_checksum(header, payload, n));
    got = read_bin(&b);
    CHECK_HAS(got, "a name stands twice in an example");
    free(got), free(b.data), free(t.data);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static char *saved(const sluice_model *m, size_t *n) {
    sluice_error err;
    const char *const path = "bin_names.model";
    CHECK_EQ(sluice_model_save(m, path, &err), SLUICE_OK);
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    *n = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    remove(path);
    return bytes;
}

static void learn(sluice_model *m, sluice_reader *r) {
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    CHECK_EQ(sluice_reader_error(r)->status, SLUICE_OK);
}

static sluice_reader *open_bin(const sl_bytes *b) {
    sluice_reader_options o = {.size = sizeof o, .format = "bin", .threads = 2};
    return sl_reader_open_memory(b->data, b->n, "mem", &o, 64, NULL);
}

/* What a model knows of the names of one file must not be taken for those of another: files by turns, a reader that is
 * closed before, rows of text between them. */
TEST(models_are_those_of_the_text) {
    static const char other[] = "-1 | e d c\n1 | new a b:0.5\n-1 | 17 newer\n1 | b\n";
    static const char *const learners[] = {"pa-1", "arow", "olsf-1", "ftrl"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (uint64_t most = 0; most <= 5; most += 5) {
            sluice_error err;
            sluice_settings settings = {.size = sizeof settings, .max_features = most};
            sluice_model *from_text = sluice_model_new(learners[i], NULL, 0, &settings, &err);
            sluice_model *from_bin = sluice_model_new(learners[i], NULL, 0, &settings, &err);
            const sluice_batch *b;
            sl_bytes first = encode(lines, 1), second = encode(other, 1);
            sluice_reader *r = open_bin(&first), *s = open_bin(&second);
            while (sluice_reader_next(r, &b) == SLUICE_OK) {
                CHECK_EQ(sluice_model_learn_batch(from_bin, b, NULL), SLUICE_OK);
                if (sluice_reader_next(s, &b) == SLUICE_OK)
                    CHECK_EQ(sluice_model_learn_batch(from_bin, b, NULL), SLUICE_OK);
            }
            sluice_reader_close(r), sluice_reader_close(s);
            r = open_vw(lines, 1), s = open_vw(other, 1);
            while (sluice_reader_next(r, &b) == SLUICE_OK) {
                CHECK_EQ(sluice_model_learn_batch(from_text, b, NULL), SLUICE_OK);
                if (sluice_reader_next(s, &b) == SLUICE_OK)
                    CHECK_EQ(sluice_model_learn_batch(from_text, b, NULL), SLUICE_OK);
            }
            sluice_reader_close(r), sluice_reader_close(s);
            for (int round = 0; round < 3; round++) {
                r = round == 1 ? open_vw(other, 1) : open_bin(round ? &first : &second);
                learn(from_bin, r);
                sluice_reader_close(r);
                r = open_vw(round == 2 ? lines : other, 1);
                learn(from_text, r);
                sluice_reader_close(r);
            }
            size_t n, m;
            char *want = saved(from_text, &n), *got = saved(from_bin, &m);
            CHECK(n == m && memcmp(want, got, n) == 0);
            free(want), free(got), free(first.data), free(second.data);
            sluice_model_free(from_text), sluice_model_free(from_bin);
        }
}

TEST(rows_of_a_batch_can_be_kept) {
    sl_bytes b = encode(lines, 1);
    sluice_batch *kept = sluice_batch_new(NULL);
    const sluice_batch *from;
    sluice_reader *r = open_bin(&b);
    while (sluice_reader_next(r, &from) == SLUICE_OK)
        for (size_t i = 0; i < from->rows; i++) {
            sluice_name names[16];
            uint64_t ids[16];
            sluice_example x;
            sluice_batch_row(from, i, ids, names, &x);
            CHECK_EQ(sluice_batch_add(kept, &x, NULL), SLUICE_OK);
        }
    sluice_reader_close(r); /* and with it the list of names */
    text t = {0};
    add_rows(&t, kept);
    char *want = drain(open_vw(lines, 1 << 19));
    CHECK_STR(t.data, want);
    free(want), free(t.data), free(b.data);
    sluice_batch_free(kept);
}

int main(void) {
    RUN(rows_come_back_from_any_blocks);
    RUN(a_name_stands_once_in_a_file);
    RUN(the_bytes_are_those_of_the_format);
    RUN(few_values_of_a_row_stand_once_in_a_list);
    RUN(lists_of_values_have_255_at_most);
    RUN(every_truncation_and_flipped_bit_is_refused);
    RUN(hostile_blocks_are_refused);
    RUN(distant_numbers_are_no_duplicates);
    RUN(models_are_those_of_the_text);
    RUN(rows_of_a_batch_can_be_kept);
    return DONE;
}
