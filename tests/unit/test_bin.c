/* The binary format: exact rows back, every width, every truncation and flipped byte refused, hostile blocks refused.
 */
#include <unistd.h>

#include "io/bin/bin.h"
#include "io/block.h"
#include "stream.h"

static char *read_bin(const sl_bytes *b) {
    char *plain = NULL;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        sluice_reader_options o = {.size = sizeof o, .format = "bin", .threads = threads, .skip_errors = 1};
        char *got = read_bytes(b->data, b->n, &o, 64);
        if (!plain) {
            plain = got;
            continue;
        }
        CHECK_STR(got, plain);
        free(got);
    }
    sluice_reader_options o = {.size = sizeof o, .format = "bin", .skip_errors = 1};
    sluice_parser *p = sluice_parser_new(&o, NULL); /* a parser gives the same, whatever the pieces are */
    for (size_t piece = 1; piece <= 1000; piece *= 31) {
        if (b->n / piece > 3000) continue;
        char *got = push_bytes(p, b->data, b->n, piece);
        CHECK_STR(got, plain);
        free(got);
        sluice_parser_reset(p);
    }
    sluice_parser_free(p);
    return plain;
}

/* Rows of text as a batch, by way of the text reader. */
static sluice_reader *open_text(const char *rows, const sluice_batch **b) {
    sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .threads = 1};
    sluice_reader *r = sl_reader_open_memory(rows, strlen(rows), "rows", &o, 1 << 19, NULL);
    CHECK_EQ(sluice_reader_next(r, b), SLUICE_OK);
    return r;
}

static sl_bytes encode(const char *rows) {
    const sluice_batch *b;
    sl_bytes out = {0};
    sluice_reader *r = open_text(rows, &b);
    CHECK(sl_bin_put_header(&out) && sl_bin_put_block(&out, b, NULL) && sl_bin_put_end(&out, b->rows));
    sluice_reader_close(r);
    return out;
}

static void check_round_trip(const char *rows, uint32_t flags) {
    sl_bytes b = encode(rows);
    CHECK_EQ(sl_get_u32(b.data + SL_BIN_FILE_HEADER + 12), flags);
    char *got = read_bin(&b);
    CHECK_STR(got, rows);
    free(got), free(b.data);
}

TEST(rows_come_back_exactly) {
    check_round_trip("1 1:1 5:1\n-1 2:1\n", SL_BIN_VALUES_ONE);
    check_round_trip("1\n-1\n1\n1\n-1\n-1\n-1\n1\n1\n", SL_BIN_VALUES_ONE);
    check_round_trip("1 0:0 1:255\n", SL_BIN_VALUES_U8);
    check_round_trip("1 0:0 1:65535 2:256\n", SL_BIN_VALUES_U16);
    check_round_trip("1 0:65536\n", SL_BIN_VALUES_F32);
    check_round_trip("1 0:-1\n", SL_BIN_VALUES_F32);
    check_round_trip("1 0:0.5 3:1e-45 4:3.4028235e38\n", SL_BIN_VALUES_F32);
    check_round_trip("1 0:-0 1:0\n", SL_BIN_VALUES_F32); /* the sign of zero too */
    check_round_trip("0 1:1\n3 1:1\n-0.5 1:1\n-0\n", SL_BIN_LABELS_FLOAT | SL_BIN_VALUES_ONE);
    check_round_trip("1 9:1 3:1 4:1\n", SL_BIN_IDS_ANY);
    check_round_trip("1 2147483647:1\n", SL_BIN_VALUES_ONE);
    check_round_trip("1 2147483648:1\n", SL_BIN_IDS_ANY);
    check_round_trip("1 18446744073709551615:1 0:1 9223372036854775808:1\n-1 0:1 18446744073709551615:1\n",
                     SL_BIN_IDS_ANY);
    check_round_trip("1 1:1 300:1 70000:1 20000000:1 2000000000:1\n-1\n1 0:1\n", SL_BIN_VALUES_ONE);
}

TEST(weights_come_back) {
    sluice_batch b = {0};
    CHECK(sl_batch_reserve(&b, 3, 0, 0));
    for (size_t i = 0; i < 3; i++) b.label[i] = 1, b.weight[i] = (float)i * 0.5f, b.start[i + 1] = 0;
    b.rows = 3, b.has_weights = true;
    sl_bytes out = {0};
    CHECK(sl_bin_put_header(&out) && sl_bin_put_block(&out, &b, NULL) && sl_bin_put_end(&out, 3));
    char *got = read_bin(&out);
    CHECK_STR(got, "1*0\n1*0.5\n1*1\n");
    free(got), free(out.data);
    sl_batch_free_arrays(&b);
}

TEST(many_random_rows_in_many_blocks) {
    text t = {0};
    uint64_t seed = 3, total = 0;
    sl_bytes out = {0};
    CHECK(sl_bin_put_header(&out));
    for (int block = 0; block < 60; block++) {
        text rows = {0};
        for (int i = 0; i < 30; i++) {
            add(&rows, "%d", i % 2 * 2 - 1);
            uint64_t id = 0;
            for (int k = 0; k < i; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                id += 1 + (seed >> 33) % (1u << (block % 28));
                add(&rows, " %llu:%d", (unsigned long long)id, (int)(seed >> 40) % (block % 3 ? 200 : 70000));
            }
            add(&rows, "\n");
        }
        const sluice_batch *b;
        sluice_reader *r = open_text(rows.data, &b);
        CHECK(sl_bin_put_block(&out, b, NULL));
        total += b->rows;
        sluice_reader_close(r);
        size_t n = t.n + rows.n; /* rows may be longer than add() takes at once */
        t.data = realloc(t.data, n + 1);
        memcpy(t.data + t.n, rows.data, rows.n + 1);
        t.n = n;
        free(rows.data);
    }
    CHECK(sl_bin_put_end(&out, total));
    char *got = read_bin(&out);
    CHECK(strcmp(got, t.data) == 0);
    free(got), free(t.data), free(out.data);
}

/* What docs/bin-format.md says, byte by byte: files outlive programs. */
TEST(the_bytes_are_those_of_the_format) {
    static const char want[] = "\x89SLB\r\n\x1a\n\2\0\0\0\0\0\0\0"    /* magic, version, 0 */
                               "\x0b\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"   /* bytes, rows, nonzeros, flags: u8 */
                               "\x29\xcd\x7a\xd8\xcc\x40\x7c\x4e"     /* checksum */
                               "\1\2\1"                               /* labels, lengths */
                               "\4\1\x2b\1\2"                         /* controls, differences 1, 299, 2 */
                               "\2\3\4"                               /* values */
                               "\x08\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0" /* the end */
                               "\x66\x50\x36\xc6\xa2\x0c\xeb\x4b"     /* its checksum */
                               "\2\0\0\0\0\0\0";                      /* rows */
    sl_bytes b = encode("1 1:2 300:3\n-1 2:4\n");
    CHECK_EQ(b.n, sizeof want);
    CHECK(memcmp(b.data, want, sizeof want) == 0);
    free(b.data);
}

TEST(other_versions_are_refused) {
    sl_bytes b = encode("1 1:1\n");
    b.data[8] = SL_BIN_VERSION - 1;
    char *got = read_bin(&b);
    CHECK_STR(got, "data mem:0:0: this bin file is damaged or of another version (at byte 0)\n");
    free(got), free(b.data);
}

TEST(every_truncation_is_refused) {
    sl_bytes b = encode("1 1:1 5:0.5\n-1 2:1 70000:2\n");
    for (size_t n = 1; n < b.n; n++) {
        sl_bytes cut = {b.data, n, n};
        char *got = read_bin(&cut);
        CHECK_HAS(got, "data mem:0:0: ");
        CHECK_HAS(got, "byte");
        free(got);
    }
    sl_bytes none = {b.data, 0, 0};
    char *got = read_bin(&none);
    CHECK_STR(got, ""); /* an empty input is an empty input */
    free(got), free(b.data);
}

TEST(every_flipped_bit_is_refused) {
    sl_bytes b = encode("1 1:1 5:0.5\n-1 2:1 70000:2\n3 9:1 4:1 5000000000:3\n");
    for (size_t i = 0; i < 8 * b.n; i++) {
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
        char *got = read_bin(&b);
        CHECK_HAS(got, "data mem:0:0: ");
        free(got);
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(b.data);
}

TEST(bytes_behind_the_end_are_refused) {
    sl_bytes b = encode("1 1:1\n");
    CHECK(sl_bin_put_header(&b));
    char *got = read_bin(&b);
    CHECK_HAS(got, "1 1:1\ndata mem:0:0: there are bytes behind the end marker (at byte ");
    free(got), free(b.data);
}

TEST(a_missing_block_is_noticed) {
    sl_bytes b = encode("1 1:1\n");
    size_t block = b.n - SL_BIN_FILE_HEADER - SL_BIN_BLOCK_HEADER - 8;
    memmove(b.data + SL_BIN_FILE_HEADER, b.data + SL_BIN_FILE_HEADER + block, b.n - SL_BIN_FILE_HEADER - block);
    b.n -= block;
    char *got = read_bin(&b);
    CHECK_HAS(got, "blocks are missing");
    free(got), free(b.data);
}

/* Changes bytes of the first block and makes the checksum right again: what only a hostile writer does. */
static void forge(sl_bytes *b, size_t offset, const void *bytes, size_t n, const char *want) {
    uint8_t *header = b->data + SL_BIN_FILE_HEADER, saved[512];
    size_t size = SL_BIN_BLOCK_HEADER + sl_get_u32(header);
    memcpy(saved, header, size);
    memcpy(header + offset, bytes, n);
    sl_put_u64(header + 16, sl_bin_checksum(header, header + SL_BIN_BLOCK_HEADER, size - SL_BIN_BLOCK_HEADER));
    char *got = read_bin(b);
    CHECK_HAS(got, want);
    CHECK(strncmp(got, "data mem:0:0: ", 14) == 0);
    memcpy(header, saved, size);
    free(got);
}

TEST(hostile_blocks_are_refused) {
    enum { P = SL_BIN_BLOCK_HEADER };
    sl_bytes b = encode("1 1:0.5 5:0.5\n"); /* labels 1 byte, lengths 1, controls 1, ids 2, values 8 */
    forge(&b, P, "\x03", 1, "labels are damaged");
    forge(&b, P + 1, "\x03", 1, "row lengths are damaged");
    forge(&b, P + 1, "\x01", 1, "row lengths are damaged");
    forge(&b, P + 1, "\xff", 1, "row lengths are damaged");
    forge(&b, P + 2, "\x0f", 1, "values are missing");
    forge(&b, P + 2, "\xf0", 1, "ids are damaged");
    forge(&b, P + 4, "\x00", 1, "an id stands twice");
    forge(&b, P + 5, "\x00\x00\x80\x7f", 4, "a value is not finite");
    forge(&b, P + 5, "\x00\x00\xc0\xff", 4, "a value is not finite");
    forge(&b, 4, "\xff\xff\xff\xff", 4, "head of a block");
    forge(&b, 8, "\xff\xff\xff\x7f", 4, "head of a block");
    forge(&b, 8, "\x05\x00\x00\x00", 4, "row lengths are damaged");
    forge(&b, 12, "\x00\x00\x00\x80", 4, "head of a block");
    forge(&b, 12, "\x20\x00\x00\x00", 4, "head of a block");
    forge(&b, 12, "\x08\x00\x00\x00", 4, "longer than its rows");
    free(b.data);
    b = encode("1 5000000000:0.5 5:0.5\n");
    forge(&b, P + 7, "\x00", 1, "an id stands twice"); /* a step of 0 */
    forge(&b, P + 2, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, "ids are damaged");
    free(b.data);
    b = encode("3 2:1\n");
    forge(&b, P, "\x00\x00\x80\x7f", 4, "a label is not finite");
    free(b.data);
    b = encode("1 1:1 2000000000:1\n");
    forge(&b, P + 4, "\xff\xff\xff\xff", 4, "an id is too large");
    free(b.data);
}

/* A header may promise a gigabyte; memory follows the bytes that come. */
TEST(promises_cost_no_memory) {
    sl_bytes b = encode("1 1:1\n");
    sl_put_u32(b.data + SL_BIN_FILE_HEADER, SL_BIN_MAX_PAYLOAD);
    char *got = read_bin(&b);
    CHECK_HAS(got, "the file ends in the middle of a block (at byte 16)");
    free(got), free(b.data);
}

int main(void) {
    RUN(rows_come_back_exactly);
    RUN(weights_come_back);
    RUN(many_random_rows_in_many_blocks);
    RUN(the_bytes_are_those_of_the_format);
    RUN(other_versions_are_refused);
    RUN(every_truncation_is_refused);
    RUN(every_flipped_bit_is_refused);
    RUN(bytes_behind_the_end_are_refused);
    RUN(a_missing_block_is_noticed);
    RUN(hostile_blocks_are_refused);
    RUN(promises_cost_no_memory);
    return DONE;
}
