/* Numbers: the parser against glibc's on millions of texts, the grammar, the limits, and shortest text that reads back.
 */
#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/digits.h"
#include "base/number.h"
#include "test.h"

static uint64_t seed = 88172645463325252u;
static uint64_t draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}
static unsigned below(unsigned n) { return (unsigned)(draw() % n); }

static char padded[8192];
static const char *pad(const char *text) {
    memset(padded, '\n', sizeof padded);
    memcpy(padded, text, strlen(text));
    return padded;
}

/* Both of our parsers must agree with both of the oracle's, bit for bit. */
static void compare(const char *text) {
    const char *p = pad(text), *end = padded + strlen(text);
    char terminated[8192];
    strcpy(terminated, text);
    float f = -7, want_f = strtof(terminated, NULL);
    sl_number_status status = sl_parse_float(&p, &f);
    bool same = isinf(want_f) ? status == SL_NUMBER_RANGE && p == padded
                              : status == SL_NUMBER_OK && memcmp(&f, &want_f, 4) == 0 && p == end;
    if (!same) fprintf(stderr, "float %.200s: status %d, %a, not %a\n", text, status, (double)f, (double)want_f);
    CHECK(same);
    p = padded;
    double d = -7, want_d = strtod(terminated, NULL);
    status = sl_parse_double(&p, &d);
    same = isinf(want_d) ? status == SL_NUMBER_RANGE && p == padded
                         : status == SL_NUMBER_OK && memcmp(&d, &want_d, 8) == 0 && p == end;
    if (!same) fprintf(stderr, "double %.200s: status %d, %a, not %a\n", text, status, d, want_d);
    CHECK(same);
}

static float random_float(void) {
    for (;;) {
        uint32_t bits = (uint32_t)draw() & 0x7fffffff;
        float f;
        memcpy(&f, &bits, 4);
        if (isfinite(f)) return f;
    }
}

static double random_double(void) {
    for (;;) {
        uint64_t bits = draw() >> 1;
        double d;
        memcpy(&d, &bits, 8);
        if (isfinite(d)) return d;
    }
}

TEST(random_decimals_round_as_in_libc) {
    char text[512];
    for (int i = 0; i < 400000; i++) {
        unsigned digits = 1 + below(24), point = below(digits + 1);
        size_t n = 0;
        if (below(4) == 0) text[n++] = below(2) ? '-' : '+';
        for (unsigned k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + below(10));
        }
        if (below(3) == 0) n += (size_t)sprintf(text + n, "%c%d", below(2) ? 'e' : 'E', (int)below(100) - 60);
        text[n] = 0;
        compare(text);
    }
}

TEST(printed_floats_and_doubles_read_back) {
    char text[512];
    for (int i = 0; i < 200000; i++) {
        sprintf(text, "%.*e", (int)below(30), (double)random_float());
        compare(text);
        sprintf(text, "%.*e", (int)below(30), random_double());
        compare(text);
    }
}

/* The middle between two floats has up to 113 digits; a digit behind them all decides. */
TEST(halfway_points_of_floats) {
    char text[512];
    for (int i = 0; i < 100000; i++) {
        float f = random_float(), g = nextafterf(f, INFINITY);
        double middle = isinf(g) ? 0x1.ffffffp127 : ((double)f + (double)g) / 2;
        int n = below(2) ? sprintf(text, "%.180f", middle) : sprintf(text, "%.150e", middle);
        compare(text);
        if (!strchr(text, 'e')) {
            strcpy(text + n, "0001");
            compare(text);
        }
        sprintf(text, "%.*e", 6 + (int)below(40), middle);
        compare(text);
    }
}

TEST(halfway_points_of_doubles) {
    static char text[4096];
    for (int i = 0; i < 1500;
         i++) { /* m + 1/2 units: exact in a double of one bit less, so printf gives all its digits */
        double unit = ldexp(1, (int)below(1074) - 1073);
        double middle = unit * (double)((draw() >> 12) | 1);
        sprintf(text, "%.1100f", middle);
        compare(text);
        strcat(text, "00000000001");
        compare(text);
    }
    /* half of the smallest double, its neighbours, and the middle above 1 */
    compare("2.4703282292062327e-324"), compare("2.4703282292062328e-324");
    compare("1.00000000000000011102230246251565404236316680908203125");
    compare("1.00000000000000011102230246251565404236316680908203125000000000000000000000000000000001");
    compare("9007199254740993"), compare("9007199254740993.000000000000000000000001");
}

TEST(floats_below_the_normal_ones) {
    char text[512];
    for (int i = 0; i < 100000; i++) {
        double d = ldexp((double)(draw() >> 11), -53 - 120 - (int)below(35));
        sprintf(text, "%.*e", (int)below(40), d);
        compare(text);
    }
    compare("1.401298464324817e-45"), compare("7.006492321624085e-46"), compare("7.006492321624086e-46");
    compare("1e-45"), compare("1e-46"), compare("-1e-60"), compare("1.1754943508222875e-38"), compare("1.17549428e-38");
}

TEST(the_end_of_the_range) {
    const char *texts[] = {"3.4028234663852886e38",
                           "3.4028235677973365e38",
                           "3.4028235677973366e38",
                           "3.4028235677973367e38",
                           "340282356779733661637539395458142568447",
                           "340282356779733661637539395458142568448",
                           "340282356779733661637539395458142568447.99999999999999999999999",
                           "1e38",
                           "1e39",
                           "-1e39",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e308",
                           "1e309"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) compare(texts[i]);
}

TEST(huge_exponents_and_long_texts) {
    compare("0e999999999999"), compare("1e-999999999999"), compare("1e999999999999"), compare("-0e-999999999999");
    compare("1e99999999999999999999999999999"), compare("0.0e99999999999999999999999999999");
    compare("000000000000000000000000000000000000000000000000001.5");
    static char text[6000];
    for (int i = 0; i < 200; i++) {
        size_t digits = 900 + below(2000), n = 0;
        for (size_t k = 0; k < digits; k++) {
            if (k == (size_t)i * 5) text[n++] = '.';
            text[n++] = (char)('0' + below(10));
        }
        text[n] = 0;
        compare(text);
        sprintf(text + n, "e-%u", below(1500));
        compare(text);
    }
    /* zeros and exponent that cancel */
    size_t n = (size_t)sprintf(text, "0.");
    memset(text + n, '0', 3000);
    strcpy(text + n + 3000, "15e3001");
    compare(text);
    text[0] = '1';
    memset(text + 1, '0', 3000);
    strcpy(text + 3001, "e-3000");
    compare(text);
}

TEST(whole_numbers_are_rounded_once) {
    char text[64];
    for (int i = 0; i < 100000; i++) {
        sprintf(text, "%llu", (unsigned long long)(draw() >> below(50)));
        compare(text);
    }
    compare("16777217"), compare("16777219"), compare("33554434"), compare("18446744073709551615"),
        compare("18446744073709551616");
}

TEST(grammar) {
    const char *good[] = {"5.", ".5", "+1", "-1", "1e5", "1E5", "1e+5", "1e-5", "5.e1", ".5e1", "00", "-0", "+.0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) compare(good[i]);
    const char *bad[] = {"",   "+", "-", ".",  "e5",    "-.e5", "1e",   "1e+",  "1e-x", "--1", "+-1",
                         " 1", "x", ",", "in", "infin", "na",   "nano", "inf1", "i",    "-.",  "nan.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *p = pad(bad[i]);
        float f = 7;
        CHECK_EQ(sl_parse_float(&p, &f), SL_NUMBER_SYNTAX);
        CHECK(p == padded && f == 7);
    }
    const char *not_finite[] = {"nan", "NaN", "-nan", "inf", "+INF", "Infinity", "-infinity"};
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++) {
        const char *p = pad(not_finite[i]);
        float f = 7;
        CHECK_EQ(sl_parse_float(&p, &f), SL_NUMBER_NAN);
        CHECK(p == padded);
    }
    const char *p = pad("0x10"); /* no hexadecimal: stops at the x */
    float f;
    CHECK_EQ(sl_parse_float(&p, &f), SL_NUMBER_OK);
    CHECK(*p == 'x' && f == 0);
    p = pad("1.5.2");
    CHECK_EQ(sl_parse_float(&p, &f), SL_NUMBER_OK);
    CHECK(p == padded + 3 && f == 1.5f);
}

TEST(whole_strings_only) {
    double d = 7;
    CHECK(sluice_parse_number("1e3", &d) && d == 1000);
    CHECK(sluice_parse_number("0.1", &d) && d == 0.1);
    CHECK(sluice_parse_number("-.5", &d) && d == -0.5);
    const char *bad[] = {"", " 1", "1 ", "1x", "0x10", "nan", "inf", "1e999", "1,5", "1e", "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!sluice_parse_number(bad[i], &d));
    CHECK(d == -0.5);
}

TEST(short_floats_are_right_or_unsure) {
    char text[64];
    int sure = 0;
    for (int i = 0; i < 300000; i++) {
        uint64_t w = draw() % 100000000000000000u >> below(50);
        unsigned places = below(18);
        float f;
        if (!sl_short_float(w, places, &f)) continue;
        sure++;
        sprintf(text, "%llue-%u", (unsigned long long)w, places);
        CHECK(f == strtof(text, NULL));
    }
    CHECK(sure > 299000);
}

/* Significant digits of a text: without zeros in front and behind. */
static int significant(const char *text) {
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (!sl_is_digit(*text)) continue;
        if (*text != '0')
            n += zeros + 1, zeros = 0;
        else if (n)
            zeros++;
    }
    return n;
}

static void check_float_text(float f) {
    char text[40], other[40];
    size_t n = sluice_format_float(text, f);
    CHECK(n == strlen(text) && n < 32);
    float back = strtof(text, NULL);
    CHECK(memcmp(&back, &f, 4) == 0);
    for (int digits = 1; digits <= 9; digits++) { /* nothing that printf can do is shorter */
        sprintf(other, "%.*e", digits - 1, (double)f);
        if (strtof(other, NULL) == f) {
            if (significant(text) > digits) fprintf(stderr, "%s is longer than %s\n", text, other);
            CHECK(significant(text) <= digits);
            break;
        }
    }
}

TEST(floats_as_shortest_text) {
    for (int i = 0; i < 200000; i++) check_float_text(below(2) ? random_float() : -random_float());
    for (int e = -149; e < 128; e++) {
        check_float_text(ldexpf(1, e));
        check_float_text(nextafterf(ldexpf(1, e), 0));
        check_float_text(nextafterf(ldexpf(1, e), INFINITY));
    }
    for (int i = 0; i < 100000; i++) check_float_text((float)below(100000) / 1000.0f);
    check_float_text(FLT_MAX), check_float_text(FLT_MIN), check_float_text(0x1p-149f), check_float_text(0),
        check_float_text(-0.0f);
}

TEST(doubles_as_shortest_text) {
    char text[40], other[40];
    for (int i = 0; i < 40000; i++) {
        double d = below(3) ? random_double() : (double)below(1000000) / 1000.0 * ldexp(1, (int)below(40) - 20);
        if (i < 2098) d = ldexp(1, i - 1074);
        size_t n = sluice_format_double(text, d);
        CHECK(n == strlen(text) && n < 32);
        CHECK(strtod(text, NULL) == d);
        for (int digits = 1; digits <= 17; digits++) {
            sprintf(other, "%.*e", digits - 1, d);
            if (strtod(other, NULL) == d) {
                CHECK(significant(text) <= digits);
                break;
            }
        }
    }
}

TEST(notation) {
    struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},          {-0.0, "-0"},         {1, "1"},
                 {-1, "-1"},        {0.5, "0.5"},         {100, "100"},
                 {0.1, "0.1"},      {1.5e-3, "0.0015"},   {1e-5, "0.00001"},
                 {1e-6, "1e-6"},    {1.25e-7, "1.25e-7"}, {1e6, "1000000"},
                 {1e7, "1e7"},      {1.25e10, "1.25e10"}, {12345678900, "12345678900"},
                 {1e17, "1e17"},    {-2.5e20, "-2.5e20"}, {123456.75, "123456.75"},
                 {INFINITY, "inf"}, {-INFINITY, "-inf"},  {0x1p-1017, "7.120236347223045e-307"},
                 {5e-324, "5e-324"}};
    char text[40];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_format_double(text, cases[i].value);
        CHECK_STR(text, cases[i].text);
    }
    sluice_format_double(text, NAN);
    CHECK_STR(text, "nan");
    struct {
        float value;
        const char *text;
    } floats[] = {
        {0.1f, "0.1"}, {16777216.0f, "16777216"}, {3.4028235e38f, "3.4028235e38"}, {1e-45f, "1e-45"}, {-0.0f, "-0"}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        sluice_format_float(text, floats[i].value);
        CHECK_STR(text, floats[i].text);
    }
}

TEST(locales_change_nothing) {
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < 3 && !set; i++) set = setlocale(LC_ALL, names[i]) != NULL;
    char text[40];
    double d;
    sluice_format_double(text, 1.0 / 3);
    CHECK_STR(text, "0.3333333333333333");
    CHECK(sluice_parse_number("0.5", &d) && d == 0.5);
    setlocale(LC_ALL, "C");
}

TEST(decimals_as_floats) {
    static const struct {
        uint64_t w;
        int e10;
        sl_number_status status;
        float value;
    } cases[] = {
        {0, 5, SL_NUMBER_OK, 0},
        {1, -65, SL_NUMBER_OK, 0},
        {1, 39, SL_NUMBER_RANGE, 0},
        {1, 38, SL_NUMBER_OK, 1e38f},
        {4, 38, SL_NUMBER_RANGE, 0},
        {16777217, 0, SL_NUMBER_OK, 16777216}, /* a tie: to even */
        {16777219, 0, SL_NUMBER_OK, 16777220},
        {25, -2, SL_NUMBER_OK, 0.25f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float value = -1;
        CHECK_EQ(sl_decimal_to_float(cases[i].w, cases[i].e10, &value), cases[i].status);
        if (cases[i].status == SL_NUMBER_OK) CHECK(value == cases[i].value);
    }
}

/* What sl_quick_float() takes, and what it leaves to sl_parse_float(). */
TEST(quick_floats) {
    static const struct {
        const char *text;
        size_t n; /* bytes that it takes */
    } cases[] = {
        {"7", 1},
        {"-7", 2},
        {"1234567", 7},
        {"12345678", 0},
        {"1.5", 3},
        {"1.12345678", 10},
        {"1.123456789", 11},
        {"1.123456789012345", 17},
        {"1.1234567890123456", 0},
        {"1.", 0},
        {"12.5", 4},
        {"12.1234567", 10},
        {"12.12345678", 0},
        {"12.", 0},
        {"x", 0},
        {"-", 0},
        {".5", 0},
        {"16777217", 0},
        {"1.00000005960464477", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = pad(cases[i].text), *q = p;
        float value = 0, want;
        CHECK_EQ(sl_quick_float(&p, &value), cases[i].n > 0);
        CHECK_EQ(p - padded, cases[i].n);
        if (cases[i].n) CHECK(sl_parse_float(&q, &want) == SL_NUMBER_OK && value == want && q == p);
    }
    unsigned unsure = 0; /* near a halfway point it does not decide */
    for (unsigned i = 0; i < 100000; i++) {
        char text[40];
        sprintf(text, "1.%015llu", (unsigned long long)(i * 59604644775390ull / 1000 + 59604644775ull));
        const char *p = pad(text);
        float value;
        unsure += !sl_quick_float(&p, &value);
    }
    CHECK(unsure > 0 && unsure < 100000);
}

TEST(words_that_begin_like_nan) {
    static const char *const not_words[] = {"nan_", "nan.", "nan1", "infx", "infinity_", "inf-x"};
    for (size_t i = 0; i < 5; i++) {
        const char *p = pad(not_words[i]);
        float value;
        CHECK_EQ(sl_parse_float(&p, &value), SL_NUMBER_SYNTAX);
    }
    const char *p = pad(not_words[5]);
    float value;
    CHECK_EQ(sl_parse_float(&p, &value), SL_NUMBER_NAN);
}

int main(void) {
    RUN(random_decimals_round_as_in_libc);
    RUN(printed_floats_and_doubles_read_back);
    RUN(halfway_points_of_floats);
    RUN(halfway_points_of_doubles);
    RUN(floats_below_the_normal_ones);
    RUN(the_end_of_the_range);
    RUN(huge_exponents_and_long_texts);
    RUN(whole_numbers_are_rounded_once);
    RUN(grammar);
    RUN(whole_strings_only);
    RUN(short_floats_are_right_or_unsure);
    RUN(floats_as_shortest_text);
    RUN(doubles_as_shortest_text);
    RUN(notation);
    RUN(locales_change_nothing);
    RUN(decimals_as_floats);
    RUN(quick_floats);
    RUN(words_that_begin_like_nan);
    return DONE;
}
