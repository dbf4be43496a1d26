/* Text from outside, in messages and on a terminal: what is shown, what is escaped. */
#include "base/error.h"
#include "unit/test.h"

/* All of a text, escaped. */
static const char *escaped(const char *text, size_t n) {
    static char all[4096];
    size_t used = 0;
    all[0] = 0;
    for (size_t k; n; text += k, n -= k) {
        k = sluice_escape(text, n, all + used);
        used += strlen(all + used);
    }
    return all;
}

#define CHECK_ESCAPED(text, wanted) CHECK_STR(escaped(text, sizeof text - 1), wanted)

TEST(ordinary_text_is_shown_as_it_is) {
    static const char *const texts[] = {"plain ~text 'with' \\ backslash", "caf\xc3\xa9 \xe6\xbc\xa2\xe5\xad\x97",
                                        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xf0\x9f\x98\x80 \xc2\xa0 \xe2\x80\x9c"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) CHECK_STR(escaped(texts[i], strlen(texts[i])), texts[i]);
}

TEST(what_acts_on_a_terminal_or_hides_is_escaped) {
    CHECK_ESCAPED("a\x1b[31mb\r\n\t\x00z", "a\\x1b[31mb\\x0d\\x0a\\x09\\x00z");
    CHECK_ESCAPED("\x7f", "\\x7f");
    CHECK_ESCAPED("\xc2\x80\xc2\x9b"
                  "31m\xc2\x9f",
                  "\\xc2\\x80\\xc2\\x9b31m\\xc2\\x9f");                          /* C1 */
    CHECK_ESCAPED("\xe2\x80\xaa\xe2\x80\xae", "\\xe2\\x80\\xaa\\xe2\\x80\\xae"); /* overrides of direction */
    CHECK_ESCAPED("\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9\\xd8\\x9c"); /* isolates */
    CHECK_ESCAPED("x\xe2\x80\x8by\xe2\x81\xa0", "x\\xe2\\x80\\x8by\\xe2\\x81\\xa0");               /* zero-width */
    CHECK_ESCAPED("\xc2\xad\xef\xbb\xbf", "\\xc2\\xad\\xef\\xbb\\xbf");          /* soft hyphen, byte order mark */
    CHECK_ESCAPED("\xe2\x80\xa8\xe2\x80\xa9", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9"); /* separators */
    CHECK_ESCAPED("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81");                   /* tags */
    CHECK_ESCAPED("\xef\xbf\xbf\xf4\x8f\xbf\xbf", "\\xef\\xbf\\xbf\\xf4\\x8f\\xbf\\xbf"); /* no characters */
}

TEST(bytes_that_are_not_utf8_are_escaped_one_by_one) {
    CHECK_ESCAPED("\x9b"
                  "31m",
                  "\\x9b31m");
    CHECK_ESCAPED("caf\xe9!", "caf\\xe9!");
    CHECK_ESCAPED("\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"); /* longer than need be */
    CHECK_ESCAPED("\xed\xa0\x80", "\\xed\\xa0\\x80");                   /* a surrogate */
    CHECK_ESCAPED("\xf4\x90\x80\x80\xf5", "\\xf4\\x90\\x80\\x80\\xf5"); /* beyond the last */
    CHECK_ESCAPED("\xe2\x82", "\\xe2\\x82");                            /* cut short */
    CHECK_ESCAPED("\xe2\x82x", "\\xe2\\x82x");
}

TEST(messages_and_places_are_escaped) {
    sluice_error err;
    sl_fail_at(&err, SLUICE_E_IO, "a\x1b]0;b\x07.svm", 3, 4, "cannot open %s", "c\xe2\x80\xae.svm");
    CHECK_STR(err.source, "a\\x1b]0;b\\x07.svm");
    CHECK_STR(err.message, "cannot open c\\xe2\\x80\\xae.svm");
    sl_place(&err, "caf\xc3\xa9\n", 0, 0);
    CHECK_STR(err.source, "caf\xc3\xa9\\x0a");
}

/* A long path keeps its end, a long message its beginning; neither is cut in the middle of an escape. */
TEST(long_texts_are_cut_between_characters) {
    sluice_error err;
    char path[3000], wanted[8];
    for (size_t n = 500; n < 530; n++) {
        memset(path, 'a', n);
        path[n] = 0;
        sl_place(&err, path, 0, 0);
        CHECK_EQ(strlen(err.source), n < 512 ? n : 511);
    }
    for (size_t n = 100; n < 1000; n += 7) {
        for (size_t i = 0; i < n; i++) path[i] = i % 3 ? '\x1b' : 'b';
        strcpy(path + n, "end");
        sl_fail_at(&err, SLUICE_E_IO, path, 0, 0, "%s", path);
        CHECK_STR(err.source + strlen(err.source) - 3, "end");
        CHECK(strlen(err.message) < 512 && strlen(strrchr(err.message, '\\')) >= strlen("\\x1b"));
        snprintf(wanted, sizeof wanted, "%.5s", err.source);
        CHECK(n < 170 || strncmp(wanted, "...", 3) == 0);
    }
}

TEST(quoted_bytes_are_escaped_and_cut) {
    char out[128];
    CHECK_STR(sl_quote(out, "caf\xc3\xa9\x1b", 6), "'caf\xc3\xa9\\x1b'");
    CHECK_STR(sl_quote(out, "", 0), "''");
    CHECK_STR(sl_quote(out, "0123456789012345678901234", 25), "'012345678901234567890123...'");
    char worst[40];
    memset(worst, 0xff, sizeof worst);
    CHECK_EQ(strlen(sl_quote(out, worst, sizeof worst)), 24 * 4 + 3 + 2);
    for (size_t i = 0; i + 4 <= sizeof worst; i += 4) memcpy(worst + i, "\xf3\xa0\x81\x81", 4);
    CHECK(strlen(sl_quote(out, worst + 3, sizeof worst - 3)) < sizeof out);
}

int main(void) {
    RUN(ordinary_text_is_shown_as_it_is);
    RUN(what_acts_on_a_terminal_or_hides_is_escaped);
    RUN(bytes_that_are_not_utf8_are_escaped_one_by_one);
    RUN(messages_and_places_are_escaped);
    RUN(long_texts_are_cut_between_characters);
    RUN(quoted_bytes_are_escaped_and_cut);
    return DONE;
}
