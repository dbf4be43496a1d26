/* The whole test framework: TEST(name) { ... CHECK(...) ... } and, in main, RUN(name) for each; `return DONE;` at the
 * end. */
#ifndef TEST_H
#define TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failures, test_count;
static const char *test_name;

#define TEST(name) static void name(void)
#define RUN(name) (test_name = #name, test_count++, name())
#define DONE (printf("%d tests, %d failed checks\n", test_count, test_failures), test_failures != 0)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, test_name, #condition);                             \
        }                                                                                                              \
    } while (0)

#define CHECK_EQ(a, b)                                                                                                 \
    do {                                                                                                               \
        long long test_a = (long long)(a), test_b = (long long)(b);                                                    \
        if (test_a != test_b) {                                                                                        \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: %s is %lld, not %lld\n", __FILE__, __LINE__, test_name, #a, test_a, test_b);   \
        }                                                                                                              \
    } while (0)

#define CHECK_NEAR(a, b, tolerance)                                                                                    \
    do {                                                                                                               \
        double test_a = (a), test_b = (b);                                                                             \
        if (!(test_a - test_b <= (tolerance) && test_b - test_a <= (tolerance))) {                                     \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: %s is %.17g, not %.17g\n", __FILE__, __LINE__, test_name, #a, test_a, test_b); \
        }                                                                                                              \
    } while (0)

#define CHECK_STR(a, b)                                                                                                \
    do {                                                                                                               \
        const char *test_a = (a), *test_b = (b);                                                                       \
        if (strcmp(test_a, test_b) != 0) {                                                                             \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, test_name, #a, test_a,        \
                    test_b);                                                                                           \
        }                                                                                                              \
    } while (0)

/* Whether text contains part; for messages of which only the sense is fixed. */
#define CHECK_HAS(text, part)                                                                                          \
    do {                                                                                                               \
        if (!strstr((text), (part))) {                                                                                 \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: \"%s\" lacks \"%s\"\n", __FILE__, __LINE__, test_name, (text), (part));        \
        }                                                                                                              \
    } while (0)

#endif
