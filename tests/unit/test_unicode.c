/* Characters: UTF-8 there and back, and the tables, for every code point there is. */
#include "base/utf8.h"
#include "io/text/unicode.h"

#include "unit/test.h"

enum { CODES = 0x110000 };

static int is_surrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

TEST(utf8_there_and_back) {
    for (uint32_t c = 0x80; c < CODES; c++) {
        char bytes[SL_UTF8_MAX + 1] = "";
        uint32_t back;
        unsigned n = (unsigned)sl_utf8_put(bytes, c);
        CHECK_EQ(n, c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        unsigned read = sl_utf8_decode(bytes, &back);
        CHECK_EQ(read, is_surrogate(c) ? 1 : n);
        CHECK_EQ(back, is_surrogate(c) ? 0xED : c);
    }
}

/* All sequences of three bytes: a character is what encodes to the same bytes, everything else is one byte. */
TEST(only_what_encodes_so_is_decoded) {
    for (unsigned first = 0x80; first < 0x100; first++)
        for (unsigned rest = 0; rest < 0x10000; rest++) {
            char bytes[5] = {(char)first, (char)(rest >> 8), (char)rest, ' ', 0}, again[SL_UTF8_MAX];
            uint32_t c;
            unsigned n = sl_utf8_decode(bytes, &c);
            if (n == 1)
                CHECK_EQ(c, first);
            else
                CHECK(n == sl_utf8_put(again, c) && memcmp(bytes, again, n) == 0);
        }
    uint32_t c;
    CHECK_EQ(sl_utf8_decode("\xf4\x8f\xbf\xbf", &c), 4);
    CHECK_EQ(c, 0x10FFFF);
    CHECK_EQ(sl_utf8_decode("\xf4\x90\x80\x80", &c), 1);
    CHECK_EQ(sl_utf8_decode("\xf0\x8f\xbf\xbf", &c), 1);
    CHECK_EQ(sl_utf8_decode("\xf0\x9f\x98", &c), 1);
    CHECK_EQ(sl_utf8_decode("\xf5\x80\x80\x80", &c), 1);
}

TEST(what_was_looked_up_before_does_not_matter) {
    sl_char_memory up = {0}, jumping = {0};
    for (uint32_t c = 0x80; c < CODES; c++) {
        sl_char_memory fresh = {0};
        sl_char_kind kind = sl_char_kind_of(&fresh, c);
        uint32_t folded = sl_char_folded(&fresh, c);
        CHECK(sl_char_kind_of(&up, c) == kind && sl_char_folded(&up, c) == folded);
        uint32_t other = 0x80 + c * 2654435761u % (CODES - 0x80);
        sl_char_kind_of(&jumping, other), sl_char_folded(&jumping, other);
        CHECK(sl_char_kind_of(&jumping, c) == kind && sl_char_folded(&jumping, c) == folded);
    }
}

TEST(folding_once_is_enough_and_letters_stay_letters) {
    sl_char_memory m = {0};
    for (uint32_t c = 0x80; c < CODES; c++) {
        uint32_t folded = sl_char_folded(&m, c);
        if (folded == c || folded < 0x80) continue;
        CHECK_EQ(sl_char_folded(&m, folded), folded);
        CHECK_EQ(sl_char_kind_of(&m, folded), sl_char_kind_of(&m, c));
    }
}

static sl_char_kind kind(uint32_t c) {
    sl_char_memory m = {0};
    return sl_char_kind_of(&m, c);
}

static uint32_t folded(uint32_t c) {
    sl_char_memory m = {0};
    return sl_char_folded(&m, c);
}

TEST(known_characters) {
    CHECK_EQ(kind(0x80), SL_CHAR_SPLITS);
    CHECK_EQ(kind(0xA0), SL_CHAR_SPLITS);
    CHECK_EQ(kind(0xAA), SL_CHAR_WORD);
    CHECK_EQ(kind(0xAD), SL_CHAR_SKIPPED);
    CHECK_EQ(kind(0xD7), SL_CHAR_SPLITS);
    CHECK_EQ(kind(0x301), SL_CHAR_WORD);
    CHECK_EQ(kind(0x661), SL_CHAR_WORD);
    CHECK_EQ(kind(0x200B), SL_CHAR_SPLITS);
    CHECK_EQ(kind(0x200D), SL_CHAR_SKIPPED);
    CHECK_EQ(kind(0x3042), SL_CHAR_ALONE);
    CHECK_EQ(kind(0x4E00), SL_CHAR_ALONE);
    CHECK_EQ(kind(0xAC00), SL_CHAR_WORD);
    CHECK_EQ(kind(0x1F600), SL_CHAR_ALONE);
    CHECK_EQ(kind(0x10FFFF), SL_CHAR_SPLITS);
    CHECK_EQ(folded(0xC0), 0xE0);
    CHECK_EQ(folded(0xD7), 0xD7);
    CHECK_EQ(folded(0x100), 0x101);
    CHECK_EQ(folded(0x101), 0x101);
    CHECK_EQ(folded(0x130), 'i');
    CHECK_EQ(folded(0x178), 0xFF);
    CHECK_EQ(folded(0x3A3), 0x3C3);
    CHECK_EQ(folded(0x3C2), 0x3C3);
    CHECK_EQ(folded(0x1E921), 0x1E943);
}

int main(void) {
    RUN(utf8_there_and_back);
    RUN(only_what_encodes_so_is_decoded);
    RUN(what_was_looked_up_before_does_not_matter);
    RUN(folding_once_is_enough_and_letters_stay_letters);
    RUN(known_characters);
    return DONE;
}
