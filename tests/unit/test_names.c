/* The dictionary: exact, in order of first sight, whatever the names are. */
#include <stdio.h>

#include "features/names.h"

#include "unit/test.h"

static uint32_t add(sl_names *d, const char *name, size_t n) { return sl_names_add(d, sl_name_hash(name, n), name, n); }
static uint32_t find(const sl_names *d, const char *name, size_t n) {
    return sl_names_find(d, sl_name_hash(name, n), name, n);
}

TEST(numbers_are_given_in_the_order_of_first_sight) {
    sl_names d = {0};
    CHECK_EQ(find(&d, "a", 1), SL_NO_NAME);
    CHECK_EQ(add(&d, "a", 1), 0);
    CHECK_EQ(add(&d, "a longer name", 13), 1);
    CHECK_EQ(add(&d, "", 0), 2);
    CHECK_EQ(add(&d, "a", 1), 0);
    CHECK_EQ(find(&d, "a longer name", 13), 1);
    CHECK_EQ(find(&d, "", 0), 2);
    sl_names_free(&d);
}

TEST(names_are_any_bytes_and_their_length_counts) {
    sl_names d = {0};
    CHECK_EQ(add(&d, "\0\0", 2), 0);
    CHECK_EQ(add(&d, "\0", 1), 1);
    CHECK_EQ(add(&d, "\0\0\0\0\0\0\0", 7), 2);
    CHECK_EQ(add(&d, "\0\0\0\0\0\0\0\0", 8), 3);
    CHECK_EQ(add(&d, "\xff\xff\xff\xff\xff\xff\xff", 7), 4);
    size_t n;
    CHECK(memcmp(sl_names_text(&d, 3, &n), "\0\0\0\0\0\0\0\0", 8) == 0);
    CHECK_EQ(n, 8);
    sl_names_free(&d);
}

TEST(the_empty_name_alone_has_a_text) {
    sl_names d = {0};
    size_t n = 1;
    CHECK_EQ(add(&d, "", 0), 0);
    CHECK(sl_names_text(&d, 0, &n) != NULL); /* NULL means that there is no name */
    CHECK_EQ(n, 0);
    sl_names_free(&d);
}

TEST(equal_hashes_do_not_make_equal_names) {
    sl_names d = {0};
    for (uint32_t i = 0; i < 100; i++) {
        char name[32];
        size_t n = (size_t)sprintf(name, i % 2 ? "%u" : "feature number %u", i);
        CHECK_EQ(sl_names_add(&d, 42, name, n), i);
    }
    CHECK_EQ(sl_names_find(&d, 42, "feature number 8", 16), 8);
    CHECK_EQ(sl_names_find(&d, 42, "9", 1), 9);
    CHECK_EQ(sl_names_find(&d, 42, "feature number 9", 16), SL_NO_NAME);
    sl_names_free(&d);
}

/* Formats that list names take names of equal hashes for one that stands twice. */
TEST(hashes_of_names_that_differ_in_length_alone_differ) {
    char name[SL_WORDS_NAME + 8] = "abcdefghijklmno";
    for (size_t n = 1; n < sizeof name; n++)
        for (size_t m = 0; m < n; m++) {
            char longer[sizeof name] = {0};
            memcpy(longer, name, m);
            longer[n - 1] = (char)(n ^ m); /* what would make up for the length, where that is put into the last byte */
            CHECK(sl_name_hash(longer, n) != sl_name_hash(name, m));
        }
}

static size_t name_of(uint32_t i, char *name) {
    return (size_t)sprintf(name, i % 3 == 0 ? "%x" : i % 3 == 1 ? "host=%u.example" : "%09u", i * 2654435761u);
}

TEST(a_hundred_thousand_names_come_and_half_of_them_go) {
    enum { N = 100000 };
    sl_names d = {0};
    char name[64];
    for (uint32_t i = 0; i < N; i++) CHECK_EQ(add(&d, name, name_of(i, name)), i);
    for (uint32_t i = 0; i < N; i += 2) sl_names_remove(&d, i);
    for (uint32_t i = 0; i < N; i++) {
        CHECK_EQ(find(&d, name, name_of(i, name)), i % 2 ? i : SL_NO_NAME);
        CHECK_EQ(sl_names_has(&d, i), i % 2 == 1);
    }
    size_t bytes = d.bytes_room;
    for (uint32_t i = 0; i < 5 * N; i++) { /* they come and go: numbers and bytes are used again */
        uint32_t number = add(&d, name, name_of(N + i, name));
        CHECK(number < N && number % 2 == 0);
        sl_names_remove(&d, number);
    }
    CHECK_EQ(d.bytes_room, bytes);
    for (uint32_t i = 0; i < N; i++) CHECK_EQ(find(&d, name, name_of(i, name)), i % 2 ? i : SL_NO_NAME);
    for (uint32_t i = 1; i < N; i += 2) {
        size_t n, expected = name_of(i, name);
        const char *text = sl_names_text(&d, i, &n);
        CHECK(n == expected && memcmp(text, name, n) == 0);
    }
    sl_names_free(&d);
}

TEST(a_name_too_long_is_refused) {
    sl_names d = {0};
    char *name = calloc(1, SL_MAX_NAME + 1);
    CHECK_EQ(add(&d, name, SL_MAX_NAME), 0);
    CHECK_EQ(add(&d, name, SL_MAX_NAME + 1), SL_NO_NAME);
    CHECK_EQ(find(&d, name, SL_MAX_NAME), 0);
    free(name);
    sl_names_free(&d);
}

/* What lies behind a name in memory is not part of it. */
TEST(words_of_a_name_are_alike_with_and_without_bytes_behind_it) {
    char bytes[40];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(37 * i + 1);
    for (size_t n = 0; n <= 20; n++) {
        char other[40];
        memset(other, 'x', sizeof other);
        memcpy(other, bytes, n);
        CHECK_EQ(sl_padded_hash(bytes, n), sl_name_hash(bytes, n));
        CHECK_EQ(sl_padded_hash(other, n), sl_name_hash(bytes, n));
        CHECK(sl_padded_equal(bytes, other, n));
        for (size_t at = 0; at < n; at++) {
            other[at] ^= 1;
            CHECK(!sl_padded_equal(bytes, other, n));
            CHECK(sl_padded_hash(other, n) != sl_name_hash(bytes, n));
            other[at] ^= 1;
        }
        CHECK(n == 0 || sl_name_hash(bytes, n) != sl_name_hash(bytes, n - 1));
    }
    CHECK(sl_name_hash("\0", 1) != sl_name_hash("\0", 2)); /* zeros count by their number */
}

int main(void) {
    RUN(words_of_a_name_are_alike_with_and_without_bytes_behind_it);
    RUN(numbers_are_given_in_the_order_of_first_sight);
    RUN(names_are_any_bytes_and_their_length_counts);
    RUN(the_empty_name_alone_has_a_text);
    RUN(equal_hashes_do_not_make_equal_names);
    RUN(hashes_of_names_that_differ_in_length_alone_differ);
    RUN(a_hundred_thousand_names_come_and_half_of_them_go);
    RUN(a_name_too_long_is_refused);
    return DONE;
}
