/* The reader of JSON: every token, every error with its place, strings decoded in place, values left for later. */
#include "test.h"

#include "sluice.h"

/* What the reader says of a text: its tokens, one after the other, or what is wrong. The text is copied to memory of
 * its own size, so that a sanitizer sees reading behind its end. */
static char *tokens(const char *text, size_t n) {
    static char said[1 << 16];
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    sluice_json j;
    sluice_json_begin(&j, copy, n);
    size_t used = 0;
    for (;;) {
        const sluice_json_token token = sluice_json_next(&j);
        if (token == SLUICE_JSON_END || token == SLUICE_JSON_WRONG) {
            CHECK(sluice_json_next(&j) == token);
            break;
        }
        static const char names[] = "  {}[]KSNtfn";
        used += (size_t)snprintf(said + used, sizeof said - used, "%c", names[token]);
        if (token == SLUICE_JSON_KEY || token == SLUICE_JSON_STRING || token == SLUICE_JSON_NUMBER)
            used += (size_t)snprintf(said + used, sizeof said - used, "(%.*s)", (int)j.n, j.text);
    }
    if (j.token == SLUICE_JSON_WRONG) {
        sluice_error err;
        CHECK(sluice_json_problem(&j, &err) == SLUICE_E_DATA);
        used = (size_t)snprintf(said, sizeof said, "%d:%d: %s", (int)err.line, (int)err.column, err.message);
    }
    said[used] = 0;
    free(copy);
    return said;
}

#define READS(text, want) CHECK_STR(tokens(text, sizeof text - 1), want)

TEST(every_token) {
    READS("{}", "{}");
    READS("[]", "[]");
    READS(" [ ] ", "[]");
    READS("0", "N(0)");
    READS("\"\"", "S()");
    READS("\t\r\n true\n", "t");
    READS("[true,false,null,1,-2.5e+3,\"x\"]", "[tfnN(1)N(-2.5e+3)S(x)]");
    READS("{\"a\":{\"b\":[{},[]]},\"c\" : 1 , \"a\":2}", "{K(a){K(b)[{}[]]}K(c)N(1)K(a)N(2)}");
}

TEST(strings_are_decoded) {
    READS("\"a\\\"b\\\\c\\/\\b\\f\\n\\r\\td\"", "S(a\"b\\c/\b\f\n\r\td)");
    READS("\"\\u00e4\\u20AC\\uD83D\\uDE00 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
          "S(\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80)");
    READS("{\"\\u006bey of more than eight bytes\\n and on\":\"012345678901234567\\t8\"}",
          "{K(key of more than eight bytes\n and on)S(012345678901234567\t8)}");
    READS("[\"\\u0041\",\"B\"]", "[S(A)S(B)]");
}

TEST(a_nul_in_a_string_counts) {
    char text[] = "\"a\\u0000b\"";
    sluice_json j;
    sluice_json_begin(&j, text, sizeof text - 1);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_STRING && j.n == 3 && memcmp(j.text, "a\0b", 3) == 0);
}

TEST(what_is_wrong_has_its_place) {
    READS("", "1:1: the text ends where a value should stand");
    READS("  ", "1:3: the text ends where a value should stand");
    READS("{", "1:2: the text ends where a key should stand");
    READS("[1", "1:3: the text ends where a comma or ] should stand");
    READS("{\"a\"", "1:5: the text ends where a colon should stand");
    READS("{\"a\":", "1:6: the text ends where a value should stand");
    READS("{\"a\":1", "1:7: the text ends where a comma or } should stand");
    READS("[1,]", "1:4: ']' where a value should stand");
    READS("[,1]", "1:2: ',1]' where a value should stand");
    READS("{\"a\":1,}", "1:8: '}' where a key should stand");
    READS("{a:1}", "1:2: 'a:1}' where a key should stand");
    READS("[1}", "1:3: '}' where a comma or ] should stand");
    READS("{\"a\":1]", "1:7: ']' where a comma or } should stand");
    READS("{\"a\" 1}", "1:6: '1}' where a colon should stand");
    READS("[1]]", "1:4: ']' behind the value");
    READS("1 2", "1:3: '2' behind the value");
    READS("tru", "1:1: 'tru' where a value should stand");
    READS("truely", "1:5: 'ly' behind the value");
    READS("True", "1:1: 'True' where a value should stand");
    READS("'a'", "1:1: ''a'' where a value should stand");
    READS("[1]\n\n[", "3:1: '[' behind the value");
    READS("{\n  \"a\\nb\": \"\\n\\n\",\n  \"b\": x}", "3:8: 'x}' where a value should stand");
    READS("\"abc", "1:1: a string without an end");
    READS("\"abcdefgh\\", "1:10: there is no escape '\\'");
    READS("\"\\x41\"", "1:2: there is no escape '\\x'");
    READS("\"\\u12\"", "1:2: '\\u12\"' is not \\u and four digits");
    READS("\"\\u12g4\"", "1:2: '\\u12g4' is not \\u and four digits");
    READS("\"\\ud800\"", "1:2: '\\ud800' is half of a surrogate pair");
    READS("\"\\ud800\\u0041\"", "1:2: '\\ud800' is half of a surrogate pair");
    READS("\"\\udc00\\ud800\"", "1:2: '\\udc00' is half of a surrogate pair");
    READS("\"a\nb\"", "1:3: '\\x0a' in a string must be escaped");
    READS("\"a\0b\"", "1:3: '\\x00' in a string must be escaped");
    READS("\"\xff\"", "1:2: '\\xff' is not UTF-8");
    READS("\"\xc3\"", "1:2: '\\xc3' is not UTF-8");
    READS("\"\xed\xa0\x80\"", "1:2: '\\xed' is not UTF-8");
    READS("\"\xc0\x80\"", "1:2: '\\xc0' is not UTF-8");
}

TEST(numbers_are_those_of_json) {
    READS("[0,-0,1.5,1e3,1E-3,-2.5e+2,0e5,1.0e0]", "[N(0)N(-0)N(1.5)N(1e3)N(1E-3)N(-2.5e+2)N(0e5)N(1.0e0)]");
    READS("01", "1:1: '01' is not a number as JSON has them");
    READS("-", "1:1: '-' is not a number as JSON has them");
    READS("1.", "1:1: '1.' is not a number as JSON has them");
    READS(".5", "1:1: '.5' is not a number as JSON has them");
    READS("+1", "1:1: '+1' is not a number as JSON has them");
    READS("1e", "1:1: '1e' is not a number as JSON has them");
    READS("1e+", "1:1: '1e+' is not a number as JSON has them");
    READS("0x10", "1:1: '0x10' is not a number as JSON has them");
    READS("NaN", "1:1: 'NaN' is not a number as JSON has them");
    READS("-Infinity", "1:1: '-Infinity' is not a number as JSON has them");
    char many[1100];
    memset(many, '7', sizeof many);
    CHECK_HAS(tokens(many, 1001), "is longer than 1000 characters");
    CHECK_EQ(strlen(tokens(many, 1000)), 1003);
}

/* A number at the end of its text and before more of it. */
static sluice_json number(const char *text, int more) {
    static char copy[1100];
    static char *exact;
    sluice_json j;
    if (more) {
        snprintf(copy, sizeof copy, "%s,                             ", text);
        sluice_json_begin(&j, copy, strlen(copy));
    } else {
        free(exact);
        exact = malloc(strlen(text));
        memcpy(exact, text, strlen(text));
        sluice_json_begin(&j, exact, strlen(text));
    }
    CHECK(sluice_json_next(&j) == SLUICE_JSON_NUMBER);
    return j;
}

TEST(values_of_numbers) {
    static const char *const texts[] = {"0",
                                        "1.5",
                                        "-0.1",
                                        "1e300",
                                        "123456789.123456789",
                                        "3.4028235e38",
                                        "1e-46",
                                        "0.3333333333333333333333333",
                                        "18446744073709551615",
                                        "5e-324"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int more = 0; more < 2; more++) {
            sluice_json j = number(texts[i], more);
            double d = -7, want = strtod(texts[i], NULL);
            CHECK(sluice_json_double(&j, &d) && d == want);
            float f = -7;
            const int fits = want < 3.5e38;
            CHECK(sluice_json_float(&j, &f) == fits && (!fits || f == strtof(texts[i], NULL)));
        }
    double d;
    sluice_json j = number("1e309", 0);
    CHECK(!sluice_json_double(&j, &d));
    j = number("-1e309", 1);
    CHECK(!sluice_json_double(&j, &d));
}

TEST(whole_numbers) {
    int64_t i;
    uint64_t u;
    sluice_json j = number("9223372036854775807", 0);
    CHECK(sluice_json_int64(&j, &i) && i == INT64_MAX && sluice_json_uint64(&j, &u) && u == (uint64_t)INT64_MAX);
    j = number("9223372036854775808", 0);
    CHECK(!sluice_json_int64(&j, &i) && sluice_json_uint64(&j, &u) && u == (uint64_t)1 << 63);
    j = number("-9223372036854775808", 1);
    CHECK(sluice_json_int64(&j, &i) && i == INT64_MIN && !sluice_json_uint64(&j, &u));
    j = number("-9223372036854775809", 1);
    CHECK(!sluice_json_int64(&j, &i));
    j = number("18446744073709551615", 0);
    CHECK(sluice_json_uint64(&j, &u) && u == UINT64_MAX && !sluice_json_int64(&j, &i));
    j = number("18446744073709551616", 0);
    CHECK(!sluice_json_uint64(&j, &u));
    j = number("99999999999999999999999999", 0);
    CHECK(!sluice_json_uint64(&j, &u) && !sluice_json_int64(&j, &i));
    j = number("-0", 0);
    CHECK(sluice_json_uint64(&j, &u) && u == 0 && sluice_json_int64(&j, &i) && i == 0);
    j = number("-1", 0);
    CHECK(!sluice_json_uint64(&j, &u) && sluice_json_int64(&j, &i) && i == -1);
    j = number("1.0", 0);
    CHECK(!sluice_json_uint64(&j, &u) && !sluice_json_int64(&j, &i));
    j = number("1e2", 0);
    CHECK(!sluice_json_uint64(&j, &u) && !sluice_json_int64(&j, &i));
}

TEST(depth) {
    char text[400];
    memset(text, '[', 65);
    memset(text + 64, ']', 64);
    CHECK_EQ(strlen(tokens(text, 128)), 128);
    memset(text, '[', 65);
    CHECK_STR(tokens(text, 65), "1:65: objects and arrays deeper than 64");
}

TEST(values_are_left_for_later) {
    char text[] = "{\"a\": [1, \"\\n\", {\"b\": []}] , \"s\":\"x\\ty\", \"n\" : -1.5,\"e\":{},\"z\":[{\"q\":[2]},3]}";
    sluice_json j, later;
    sluice_json_begin(&j, text, sizeof text - 1);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_OBJECT && sluice_json_next(&j) == SLUICE_JSON_KEY);
    CHECK(sluice_json_skip(&j));
    sluice_json_begin(&later, j.text, j.n);
    CHECK(sluice_json_next(&later) == SLUICE_JSON_ARRAY && sluice_json_next(&later) == SLUICE_JSON_NUMBER);
    CHECK(sluice_json_next(&later) == SLUICE_JSON_STRING && later.n == 1 && *later.text == '\n');
    CHECK(sluice_json_next(&later) == SLUICE_JSON_OBJECT && sluice_json_skip(&later) && later.n == 9);
    CHECK(sluice_json_next(&later) == SLUICE_JSON_ARRAY_END && sluice_json_next(&later) == SLUICE_JSON_END);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_KEY && *j.text == 's' && sluice_json_skip(&j) && j.n == 6);
    sluice_json_begin(&later, j.text, j.n);
    CHECK(sluice_json_next(&later) == SLUICE_JSON_STRING && later.n == 3 && later.text[1] == '\t');
    CHECK(sluice_json_next(&j) == SLUICE_JSON_KEY && *j.text == 'n' && sluice_json_skip(&j) && j.n == 4);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_KEY && *j.text == 'e' && sluice_json_skip(&j) && j.n == 2);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_KEY && sluice_json_next(&j) == SLUICE_JSON_ARRAY);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_OBJECT && sluice_json_skip(&j) && j.n == 9);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_NUMBER && sluice_json_skip(&j) && j.n == 1 && *j.text == '3');
    CHECK(sluice_json_next(&j) == SLUICE_JSON_ARRAY_END && sluice_json_next(&j) == SLUICE_JSON_OBJECT_END);
    CHECK(sluice_json_next(&j) == SLUICE_JSON_END);

    char bad[] = "{\"a\":[1, {\"b\" 2}]}";
    sluice_error err;
    sluice_json_begin(&j, bad, sizeof bad - 1);
    CHECK(sluice_json_next(&j) && sluice_json_next(&j) && !sluice_json_skip(&j));
    CHECK(sluice_json_problem(&j, &err) == SLUICE_E_DATA && err.column == 15);
}

int main(void) {
    RUN(every_token);
    RUN(strings_are_decoded);
    RUN(a_nul_in_a_string_counts);
    RUN(what_is_wrong_has_its_place);
    RUN(numbers_are_those_of_json);
    RUN(values_of_numbers);
    RUN(whole_numbers);
    RUN(depth);
    RUN(values_are_left_for_later);
    return DONE;
}
