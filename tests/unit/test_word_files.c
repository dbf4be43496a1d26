/* Labels that are words in bin files, writers and datasets: they come back, and damaged or hostile blocks are refused.
 */
#include <unistd.h>

#include "io/bin/bin.h"
#include "stream.h"

static const sluice_reader_options with_words = {.size = sizeof with_words, .threads = 1, .words = 1};

static char *read_as(const void *bytes, size_t n, const char *format, int words) {
    sluice_reader_options o = with_words;
    o.format = format, o.words = words;
    return read_bytes(bytes, n, &o, 1 << 19);
}

/* The rows of a LIBSVM text as a bin file of one block. */
static sl_bytes encode(const char *rows) {
    sluice_reader_options o = with_words;
    const sluice_batch *b;
    sl_bytes out = {0};
    sluice_reader *r = sl_reader_open_memory(rows, strlen(rows), "rows", &o, 1 << 19, NULL);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    CHECK(sl_bin_put_header(&out));
    sl_bin_set_version(&out, b);
    CHECK(sl_bin_put_block(&out, b, NULL) && sl_bin_put_end(&out, b->rows));
    sluice_reader_close(r);
    return out;
}

static const char rows[] = "spam 1:1 5:0.5\nham\n1 2:1\n7 1:1\n1.0000000001 1:1\nspam 3:1\n-2.5\n";
static const char rows_read[] = "0=spam 1:1 5:0.5\n0=ham\n1 2:1\n7=7 1:1\n1=1.0000000001 1:1\n0=spam 3:1\n-2.5=-2.5\n";

TEST(bin_gives_words_back) {
    sl_bytes b = encode(rows);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = with_words;
        o.threads = threads;
        char *got = read_with(b.data, b.n, o); /* by content; in pieces too */
        CHECK_STR(got, rows_read);
        free(got);
    }
    free(b.data);
}

TEST(numbers_are_stored_as_floats_and_have_their_shortest_digits) {
    sl_bytes b = encode("2.0 1:1\n+3e0 1:1\n0.10 1:1\n1 1:1\n"), plain = encode("2 1:1\n3 1:1\n0.1 1:1\n1 1:1\n");
    CHECK(b.n == plain.n && memcmp(b.data, plain.data, b.n) == 0);
    CHECK_EQ(sl_get_u32(b.data + 8), SL_BIN_VERSION);
    char *got = read_as(b.data, b.n, "bin", 1);
    CHECK_STR(got, "2=2 1:1\n3=3 1:1\n0.1=0.1 1:1\n1 1:1\n");
    free(got);
    got = read_as(b.data, b.n, "bin", 0); /* as ever */
    CHECK_STR(got, "2 1:1\n3 1:1\n0.1 1:1\n1 1:1\n");
    free(got), free(b.data), free(plain.data);
}

TEST(who_takes_no_words_is_told) {
    sl_bytes b = encode("spam 1:1\n");
    char *got = read_as(b.data, b.n, "bin", 0);
    CHECK_STR(got, "data mem:0:0: labels of the block at byte 16 are words, not numbers\n");
    free(got);
    sluice_reader_options o = with_words; /* predictions look at no label */
    o.unlabelled = 1;
    got = read_bytes(b.data, b.n, &o, 1 << 19);
    CHECK_STR(got, "0 1:1\n");
    free(got), free(b.data);
}

TEST(every_flipped_bit_and_every_missing_byte_is_refused) {
    sl_bytes b = encode(rows);
    for (size_t i = 0; i < 8 * b.n; i++) {
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
        char *got = read_as(b.data, b.n, "bin", 1);
        CHECK(strstr(got, "data mem:0:0: ") != NULL);
        free(got);
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t n = 1; n < b.n; n++) {
        char *got = read_as(b.data, n, "bin", 1);
        CHECK(strstr(got, "data mem:0:0: ") != NULL);
        free(got);
    }
    free(b.data);
}

/* The first block with bytes replaced, from `at` in its payload on, and its checksum made right. */
static void check_hostile(const char *good, size_t at, const void *bytes, size_t n, const char *want) {
    sl_bytes b = encode(good);
    uint8_t *head = b.data + SL_BIN_FILE_HEADER, *payload = head + SL_BIN_BLOCK_HEADER;
    memcpy(payload + at, bytes, n);
    sl_put_u64(head + 16, sl_bin_checksum(head, payload, sl_get_u32(head)));
    char *got = read_as(b.data, b.n, "bin", 1);
    CHECK_STR(got, want);
    free(got), free(b.data);
}

/* Labels of two rows are 8 bytes; then the number of words, 1, its length, 4, its bytes, and two places. */
TEST(hostile_words_are_refused) {
    static const char good[] = "spam 1:1\nspam 1:1\n";
    check_hostile(good, 10, "eggs", 4, "0=eggs 1:1\n0=eggs 1:1\n"); /* this is fine */
#define REFUSED(why) "data mem:0:0: the block at byte 16 is damaged: " why "\n"
    check_hostile(good, 8, "\x03", 1, REFUSED("words are damaged"));
    check_hostile(good, 9, "\x40", 1, REFUSED("words are damaged"));
    check_hostile(good, 9, "\xff\xff\x7f", 3, REFUSED("words are damaged"));
    check_hostile(good, 9, "\x00", 1, REFUSED("a word is not one"));
    check_hostile(good, 9, "\x01?", 2, REFUSED("a word is not one"));
    check_hostile(good, 10, "01.0", 4, REFUSED("a word is not one"));
    check_hostile(good, 10, "1e99", 4, REFUSED("a word is not one"));
    check_hostile(good, 10, "-inf", 4, REFUSED("a word is not one"));
    check_hostile(good, 10, "02.5", 4, REFUSED("a word is not one")); /* a float says it */
    check_hostile("1.0000000001 1:1\n1.0000000001 1:1\n", 4, "\x00\x00\x80\xbf", 4,
                  REFUSED("a word is not that of its label"));
    check_hostile(good, 14, "\x02", 1, REFUSED("words are damaged"));
    check_hostile(good, 15, "\x02", 1, REFUSED("words are damaged"));
    check_hostile(good, 15, "\x00", 1, "0=spam 1:1\n0 1:1\n"); /* a row without a word */
}

/* Words come late: the file's version cannot say it any more, but they come back. */
TEST(words_behind_the_first_block) {
    char path[] = "/tmp/sluice-words-XXXXXX";
    close(mkstemp(path));
    sluice_error err;
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    sluice_example x = {.weight = 1, .label = 1};
    for (int i = 0; i < 40000; i++) CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    x.word = (sluice_name){"spam", 4};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    x.word = (sluice_name){"?", 1};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_E_DATA);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    sluice_reader_options o = with_words;
    const char *paths[] = {path};
    char *got = drain(sluice_reader_open(paths, 1, &o, &err));
    CHECK_STR(got + strlen(got) - 9, "1\n0=spam\n");
    free(got);
    unlink(path);
}

/* Many rows that share a long word do not copy it. */
TEST(a_word_of_many_rows_is_held_once) {
    text t = {0};
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 60; k++) add(&t, "%s", "0123456789abcdefghij");
        add(&t, "%s", "\n");
    }
    for (char *p = t.data; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (!*p) break;
        *p = 'w';
    }
    sl_bytes b = encode(t.data);
    CHECK(b.n < 20000);
    sluice_reader_options o = with_words;
    sluice_reader *r = sl_reader_open_memory(b.data, b.n, "mem", &o, 1 << 19, NULL);
    const sluice_batch *rows_of;
    CHECK_EQ(sluice_reader_next(r, &rows_of), SLUICE_OK);
    CHECK_EQ(rows_of->rows, 300);
    CHECK_EQ(sluice_batch_word(rows_of, 299).n, 1200);
    CHECK(rows_of->word_text_n < 2000);
    sluice_reader_close(r);
    free(b.data), free(t.data);
}

TEST(datasets_keep_words) {
    sluice_dataset *d = sluice_dataset_new(NULL);
    const char *const parts[] = {"1 1:1\n-1 2:1\n", "spam 1:1\n1 1:1\n2 1:1\n", "0 1:1\nspam 2:2\n"};
    for (size_t i = 0; i < 3; i++) {
        sluice_reader_options o = with_words;
        sluice_reader *r = sluice_reader_open_memory(parts[i], strlen(parts[i]), NULL, &o, NULL);
        CHECK_EQ(sluice_dataset_read(d, r, NULL, NULL, NULL), SLUICE_OK);
        sluice_reader_close(r);
    }
    static const char *const words[] = {"", "", "spam", "", "2", "", "spam"};
    sluice_example x;
    for (size_t i = 0; i < 7; i++) {
        sluice_dataset_row(d, i, &x);
        CHECK(x.word.n == strlen(words[i]) && memcmp(x.word.text ? x.word.text : "", words[i], x.word.n) == 0);
        sluice_dataset_original(d, i, &x);
        CHECK_EQ(x.word.n, strlen(words[i]));
    }
    sluice_batch *b = sluice_dataset_batch(d, 1, 5, NULL);
    text t = {0};
    add_rows(&t, b);
    CHECK_STR(t.data, "-1 2:1\n0=spam 1:1\n1 1:1\n2=2 1:1\n0 1:1\n");
    free(t.data);
    sluice_batch_free(b);
    sluice_dataset_forget_rows(d);
    CHECK_EQ(sluice_dataset_rows(d), 0);
    sluice_dataset_free(d);
}

int main(void) {
    RUN(bin_gives_words_back);
    RUN(numbers_are_stored_as_floats_and_have_their_shortest_digits);
    RUN(who_takes_no_words_is_told);
    RUN(every_flipped_bit_and_every_missing_byte_is_refused);
    RUN(hostile_words_are_refused);
    RUN(words_behind_the_first_block);
    RUN(a_word_of_many_rows_is_held_once);
    RUN(datasets_keep_words);
    return DONE;
}
