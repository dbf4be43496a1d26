/* JSON Lines: every kind of value under its name, all of RFC 8259 and nothing else. */
#define STREAM_FORMAT "jsonl"
#include "stream.h"

#define CHECK_KEYS(input, label_key, weight_key, want)                                                                 \
    do {                                                                                                               \
        char *test_got = read_with(                                                                                    \
            input, strlen(input),                                                                                      \
            (sluice_reader_options){                                                                                   \
                .size = sizeof(sluice_reader_options), .format = "jsonl", .label = label_key, .weight = weight_key});  \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

/* The value of the key "a" in an otherwise good line, and what becomes of it. */
#define CHECK_VALUE(value, want) CHECK_READS("{\"label\":1,\"a\":" value "}\n", want)

TEST(every_kind_of_value_has_its_name) {
    CHECK_VALUE("0.5", "1 a:0.5\n");
    CHECK_VALUE("0", "1 a:0\n");
    CHECK_VALUE("-0.0", "1 a:-0\n");
    CHECK_VALUE("true", "1 a:1\n");
    CHECK_VALUE("false", "1\n");
    CHECK_VALUE("null", "1\n");
    CHECK_VALUE("\"red\"", "1 a=red:1\n");
    CHECK_VALUE("\"\"", "1 a=:1\n");
    CHECK_VALUE("{\"b\":2,\"c\":{\"d\":\"x\"},\"e\":{}}", "1 a.b:2 a.c.d=x:1\n");
    CHECK_VALUE("[\"x\",\"y\",\"x\"]", "1 a=x:2 a=y:1\n");
    CHECK_VALUE("[1, 0, -2]", "1 a.0:1 a.1:0 a.2:-2\n");
    CHECK_VALUE("[{\"b\":1},{\"b\":2,\"c\":\"x\"}]", "1 a.0.b:1 a.1.b:2 a.1.c=x:1\n");
    CHECK_VALUE("[[1,2],[\"x\"],[]]", "1 a.0.0:1 a.0.1:2 a.1=x:1\n");
    CHECK_VALUE("[\"x\",5,true,null,false,{\"b\":1}]", "1 a=x:1 a.1:5 a.2:1 a.5.b:1\n");
    CHECK_VALUE("[]", "1\n");
    CHECK_READS("{\"label\":1,\"17\":0.5,\"\":2,\"x\":{\"\":3}}\n", "1 17:0.5 :2 x.:3\n");
}

TEST(labels) {
    CHECK_READS("{\"label\":1}\n{\"label\":-1}\n{\"label\":0}\n{\"label\":2.5}\n{\"label\":true}\n{\"label\":false}\n",
                "1\n-1\n0\n2.5\n1\n0\n");
    CHECK_READS("{\"a\":2,\"label\":-1}\n", "-1 a:2\n");
    CHECK_READS("{\"a\":2,\"label\":null}\n", "0*0 a:2\n"); /* no label: predicted, never learned */
    CHECK_READS("{\"b\":{\"label\":5},\"label\":1}\n", "1 b.label:5\n");
    CHECK_KEYS("{\"y\":1,\"label\":2}\n", "y", NULL, "1 label:2\n");
    CHECK_KEYS("{\"meta\":{\"y\":1,\"z\":3}}\n", "meta.y", NULL, "1 meta.z:3\n");
    CHECK_READS("{\"a\":2}\n", "data mem:1:1: there is no key 'label' for the label; there are 'a'\n");
    CHECK_READS("  {}\n", "data mem:1:3: there is no key 'label' for the label; there are none\n");
    CHECK_KEYS("{\"label\":2}\n", "y", NULL, "data mem:1:1: there is no key 'y' for the label; there are 'label'\n");
    CHECK_READS("{\"label\":\"spam\"}\n", "data mem:1:10: label '\"spam\"}' is not a number, true, false or null\n");
    CHECK_READS("{\"label\":[1]}\n", "data mem:1:10: label '[1]}' is not a number, true, false or null\n");
    CHECK_READS("{\"label\":NaN}\n", "data mem:1:10: label 'NaN' is not finite\n");
    CHECK_READS("{\"label\":1,\"a\":1, \"label\":1}\n", "data mem:1:19: the key 'label' stands twice\n");
}

TEST(importance) {
    CHECK_KEYS("{\"label\":1,\"w\":2,\"a\":1}\n{\"label\":1,\"a\":1}\n{\"w\":0,\"label\":-1}\n", NULL, "w",
               "1*2 a:1\n1 a:1\n-1*0\n");
    CHECK_KEYS("{\"label\":null,\"w\":2}\n", NULL, "w", "0*0\n");
    CHECK_READS("{\"label\":1,\"w\":2}\n", "1 w:2\n");
    CHECK_KEYS("{\"label\":1,\"w\":-2}\n", NULL, "w", "data mem:1:16: importance '-2' is negative\n");
    CHECK_KEYS("{\"label\":1,\"w\":\"2\"}\n", NULL, "w", "data mem:1:16: importance '\"2\"}' is not a number\n");
    CHECK_KEYS("{\"label\":1,\"w\":2,\"w\":2}\n", NULL, "w", "data mem:1:18: the key 'w' stands twice\n");
}

TEST(keys_that_repeat_add_up) {
    CHECK_READS("{\"label\":1,\"a\":1,\"a\":2,\"a.b\":3,\"a\":{\"b\":4}}\n", "1 a:3 a.b:7\n");
    CHECK_VALUE("3e38,\"a\":3e38", "data mem:1:25: the values of 'a' add up to more than a float holds\n");
}

TEST(white_space_and_line_ends) {
    CHECK_READS("\r{\"label\":1}\n \r\t{\"label\":-1}\r\n", "1\n-1\n"); /* a carriage return is white space */
    CHECK_READS(" { \"label\" : 1 ,\t\"a\" : [ 1 , \"x\" ] , \"b\" : { } } \r\n\n \r\n{\"label\":1}",
                "1 a.0:1 a=x:1\n1\n");
    CHECK_READS("{\"label\":1,\r\"a\":1}\n", "1 a:1\n");
    CHECK_READS("\xef\xbb\xbf{\"label\":1}\n", "1\n");
}

TEST(numbers_are_those_of_json) {
    CHECK_VALUE("[0,-1,1.5,1e3,1E-3,-2.5e+2,0.1234567890123456789,123456789,0e5,1.0e0]",
                "1 a.0:0 a.1:-1 a.2:1.5 a.3:1000 a.4:0.001 a.5:-250 a.6:0.12345679 a.7:123456790 a.8:0 a.9:1\n");
    CHECK_VALUE("01", "data mem:1:16: '01' is not a number as JSON has them\n");
    CHECK_VALUE("-01.5", "data mem:1:16: '-01.5' is not a number as JSON has them\n");
    CHECK_VALUE("+1", "data mem:1:16: '+1' is not a number as JSON has them\n");
    CHECK_VALUE(".5", "data mem:1:16: '.5' is not a number as JSON has them\n");
    CHECK_VALUE("5.", "data mem:1:16: '5.' is not a number as JSON has them\n");
    CHECK_VALUE("5.e3", "data mem:1:16: '5.e3' is not a number as JSON has them\n");
    CHECK_VALUE("1e", "data mem:1:16: value '1e' of 'a' is not a number\n");
    CHECK_VALUE("-", "data mem:1:16: value '-' of 'a' is not a number\n");
    CHECK_VALUE("1x", "data mem:1:16: value '1x' of 'a' is not a number\n");
    CHECK_VALUE("0x10", "data mem:1:16: value '0x10' of 'a' is not a number\n");
    CHECK_VALUE("1 2", "data mem:1:18: '2}' where a comma or } should stand\n");
    CHECK_VALUE("NaN", "data mem:1:16: value 'NaN' of 'a' is not finite\n");
    CHECK_VALUE("[1,-Infinity]", "data mem:1:19: value '-Infinity' of 'a.1' is not finite\n");
    CHECK_VALUE("1e39", "data mem:1:16: value '1e39' of 'a' is beyond the range of a float, about 3.4e38\n");
    CHECK_VALUE("1e-60", "1 a:0\n");
}

TEST(strings_are_those_of_json) {
    CHECK_VALUE("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "1 a=\"\\/\\x08\\x0c\\x0a\\x0d\\x09:1\n");
    CHECK_VALUE("\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\\u0000\"",
                "1 a=A\\xc3\\xa9\\xe2\\x82\\xac\\xf0\\x9f\\x98\\x80\\x00:1\n");
    CHECK_VALUE("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\x7f\"",
                "1 a=\\xc3\\xa9\\x20\\xe2\\x82\\xac\\x20\\xf0\\x9f\\x98\\x80\\x7f:1\n");
    CHECK_READS("{\"\\u006cabel\":1,\"k\\u00e9y\":2}\n", "1 k\\xc3\\xa9y:2\n");
    CHECK_VALUE("\"\\x41\"", "data mem:1:17: there is no escape '\\x'\n");
    CHECK_VALUE("\"\\u12g4\"", "data mem:1:17: '\\u12g4' is not \\u and four digits\n");
    CHECK_VALUE("\"\\ud83d\"", "data mem:1:17: '\\ud83d' is half of a surrogate pair\n");
    CHECK_VALUE("\"\\ud83d\\u0041\"", "data mem:1:17: '\\ud83d' is half of a surrogate pair\n");
    CHECK_VALUE("\"\\ude00\\ud83d\"", "data mem:1:17: '\\ude00' is half of a surrogate pair\n");
    CHECK_VALUE("\"a\tb\"", "data mem:1:18: '\\x09' in a string must be escaped\n");
    CHECK_VALUE("\"\xff\"", "data mem:1:17: '\\xff' is not UTF-8\n");
    CHECK_VALUE("\"a\xc0\xaf\"", "data mem:1:18: '\\xc0' is not UTF-8\n");        /* overlong */
    CHECK_VALUE("\"\xed\xa0\x80\"", "data mem:1:17: '\\xed' is not UTF-8\n");     /* a surrogate */
    CHECK_VALUE("\"\xf4\x90\x80\x80\"", "data mem:1:17: '\\xf4' is not UTF-8\n"); /* above U+10FFFF */
    CHECK_VALUE("\"\xe2\x82\"", "data mem:1:17: '\\xe2' is not UTF-8\n");         /* cut short */
    CHECK_READS("{\"label\":1,\"a", "data mem:1:12: a string without an end\n");
    CHECK_READS("{\"label\":1,\"a  \r\n", "data mem:1:12: a string without an end\n");
    CHECK_READS("{\"label\":1,\"a\\\r\n", "data mem:1:14: there is no escape '\\'\n");
    CHECK_READS("{\"label\":1,\"a\\", "data mem:1:14: there is no escape '\\'\n");
}

TEST(what_is_not_an_object_is_an_error) {
    CHECK_READS("[1]\n", "data mem:1:1: '[1]' is not a JSON object\n");
    CHECK_READS("1 1:1\n", "data mem:1:1: '1 1:1' is not a JSON object\n");
    CHECK_READS("# comment\n", "data mem:1:1: '# comment' is not a JSON object\n");
    CHECK_READS("{\"label\":1} x\n", "data mem:1:13: 'x' behind the object\n");
    CHECK_READS("{\"label\":1}{\"label\":1}\n", "data mem:1:12: '{\"label\":1}' behind the object\n");
    CHECK_READS("{\"label\":1,}\n", "data mem:1:12: '}' where a key should stand\n");
    CHECK_READS("{,\"label\":1}\n", "data mem:1:2: ',\"label\":1}' where a key should stand\n");
    CHECK_READS("{label:1}\n", "data mem:1:2: 'label:1}' where a key should stand\n");
    CHECK_READS("{\"label\" 1}\n", "data mem:1:10: '1}' where a colon should stand\n");
    CHECK_READS("{\"label\":1", "data mem:1:11: the line ends where a comma or } should stand\n");
    CHECK_READS("{\"a\":", "data mem:1:6: the line ends where a value should stand\n");
    CHECK_READS("{\"label\":1}\n{", "1\ndata mem:2:2: the line ends where a key should stand\n");
    CHECK_READS("{\"a\"\n", "data mem:1:5: the line ends where a colon should stand\n");
    CHECK_VALUE("[1,]", "data mem:1:19: ']}' where a value should stand\n");
    CHECK_VALUE("[1}", "data mem:1:18: '}}' where a comma or ] should stand\n");
    CHECK_VALUE("tru", "data mem:1:16: 'tru}' where a value should stand\n");
    CHECK_VALUE("truex", "data mem:1:20: 'x}' where a comma or } should stand\n");
    CHECK_VALUE("'x'", "data mem:1:16: ''x'}' where a value should stand\n");
    CHECK_VALUE("", "data mem:1:16: '}' where a value should stand\n");
}

static char *nested(int levels, const char *open, const char *close) {
    text t = {0};
    add(&t, "{\"label\":1,\"a\":");
    for (int i = 1; i < levels; i++) add(&t, "%s", open);
    add(&t, "5");
    for (int i = 1; i < levels; i++) add(&t, "%s", close);
    add(&t, "}\n");
    return t.data;
}

TEST(depth_has_a_limit) {
    char *deepest = nested(64, "[", "]"), *deeper = nested(65, "[", "]"), *objects = nested(65, "{\"b\":", "}");
    char *got = read_text_n(deepest, strlen(deepest), 0, 0);
    CHECK_HAS(got, "1 a.0.0.0");
    free(got);
    got = read_text_n(deeper, strlen(deeper), 0, 0);
    CHECK_STR(got, "data mem:1:79: objects and arrays deeper than 64\n");
    free(got);
    got = read_text_n(objects, strlen(objects), 1, 0);
    CHECK_STR(got, "skipped field=1\n");
    free(got), free(deepest), free(deeper), free(objects);
}

TEST(names_have_a_length) {
    char *line = malloc(70000);
    for (int more = 0; more < 2; more++) {
        strcpy(line, "{\"label\":1,\"");
        memset(line + 12, 'k', (size_t)(65533 + more));
        strcpy(line + 12 + 65533 + more, "\":\"v\"}");
        char *got = read_text_n(line, strlen(line), 0, 0);
        if (more)
            CHECK_STR(got, "data mem:1:65549: the name 'kkkkkkkkkkkkkkkkkkkkkkkk...' is longer than 65535 bytes\n");
        else
            CHECK(strlen(got) == 2 + 65535 + 3);
        free(got);
    }
    free(line);
}

TEST(nul_bytes_and_bad_lines) {
    char *got = read_text_n("{\"label\":1,\"a\0\":1}\n", 19, 0, 0);
    CHECK_STR(got, "data mem:1:14: a NUL byte in the text\n");
    free(got);
    CHECK_SKIPS("{\"label\":1,\"a\":2}\n{\"a\":1}\n{\"label\":1,\"a\":2,\"b\":x}\n{\"label\":1,\"a\":NaN}\nx\n"
                "{\"label\":1,\"a\":1e99}\n{\"label\":1,\"a\":1e}\n{\"label\":-1,\"b\":3}\n",
                "1 a:2\n-1 b:3\nskipped label=1\nskipped field=2\nskipped value=1\nskipped not-finite=1\n"
                "skipped range=1\n");
}

TEST(odd_ends) {
    CHECK_READS("{\"label\":1,\"a\":1e}\n", "data mem:1:16: value '1e' of 'a' is not a number\n");
    CHECK_READS("{\"label\":1,\"a\":\"\\\n", "data mem:1:17: there is no escape '\\'\n");
    CHECK_READS("{\"label\":1,\"a\":tru}\n", "data mem:1:16: 'tru}' where a value should stand\n");
    CHECK_READS("{\"label\":1,\"a\":1.}\n", "data mem:1:16: '1.' is not a number as JSON has them\n");
    CHECK_READS("{\"label\":1,\"a\":1.e5}\n", "data mem:1:16: '1.e5' is not a number as JSON has them\n");
    CHECK_READS("{\"label\":1,\"a\":1 2}\n", "data mem:1:18: '2}' where a comma or } should stand\n");
    CHECK_KEYS("{\"label\":1,\"w\":-1,\"a\":1}\n", "label", "w", "data mem:1:16: importance '-1' is negative\n");
    CHECK_KEYS("{\"label\":1,\"w\":1e99,\"a\":1}\n", "label", "w",
               "data mem:1:16: importance '1e99' is beyond the range of a float, about 3.4e38\n");
}

/* ---- which keys are features ------------------------------------------------------------------------------------- */

static void check_chosen(const char *input, const char *columns, const char *ignore, const char *split,
                         const char *want) {
    char *got = read_with(input, strlen(input),
                          (sluice_reader_options){.size = sizeof(sluice_reader_options),
                                                  .format = "jsonl",
                                                  .columns = columns,
                                                  .ignore = ignore,
                                                  .text_columns = split});
    CHECK_STR(got, want);
    free(got);
}

TEST(keys_that_are_chosen_and_ignored) {
    const char *input = "{\"label\":1,\"id\":7,\"m\":{\"a\":1,\"b\":\"x\",\"c\":[4,\"y\",{\"d\":5}]},\"t\":true}\n";
    check_chosen(input, NULL, "id,m", NULL, "1 t:1\n");
    check_chosen(input, NULL, "id,m.a,m.c.2", NULL, "1 m.b=x:1 m.c.0:4 m.c=y:1 t:1\n");
    check_chosen(input, "m", NULL, NULL, "1 m.a:1 m.b=x:1 m.c.0:4 m.c=y:1 m.c.2.d:5\n");
    check_chosen(input, "m.[ab]", NULL, NULL, "1 m.a:1 m.b=x:1\n");
    check_chosen(input, "m,t", "*.c,t", NULL, "1 m.a:1 m.b=x:1\n");
    check_chosen(input, "none", NULL, NULL, "1\n");
    /* what is ignored must be JSON, but may be long or beyond a float */
    check_chosen(
        "{\"m\":{\"label\":1,\"a\":1e999}}\n", NULL, "m", NULL,
        "data mem:1:1: there is no key 'label' for the label; did you mean 'm.label'? There are 'm', 'm.label', "
        "'m.a'\n");
    check_chosen("{\"label\":1,\"a\":1e999,\"b\":2}\n", NULL, "a", NULL, "1 b:2\n");
    check_chosen("{\"label\":1,\"a\":01}\n", NULL, "a", NULL, "data mem:1:16: '01' is not a number as JSON has them\n");
    check_chosen("{\"label\":1,\"a\":\"\\q\"}\n", NULL, "a", NULL, "data mem:1:17: there is no escape '\\q'\n");
}

TEST(long_strings_that_are_no_names) {
    enum { N = 70000 };
    char *input = malloc(N + 64);
    memset(input, 'x', N + 64);
    memcpy(input, "{\"label\":1,\"a\":\"", 16);
    strcpy(input + N, "\",\"b\":2}\n");
    check_chosen(input, NULL, "a", NULL, "1 b:2\n");
    check_chosen(input, "b", NULL, NULL, "1 b:2\n");
    for (int i = 16; i < N; i += 4) memcpy(input + i, " ab ", i + 4 <= N ? 4 : 1);
    check_chosen(input, "b,a", NULL, "a", "1 a=ab:1 b:2\n");
    free(input);
}

TEST(text_keys) {
    check_chosen("{\"label\":1,\"t\":\"Good \\\"dog\\\"\\ngood \\u00c4\",\"n\":2}\n", NULL, NULL, "t",
                 "1 t=good:0.76749456 t=dog:0.45329466 t=\\xc3\\xa4:0.45329466 n:2\n");
    check_chosen("{\"label\":1,\"t\":[\"a b\",\"b\",3],\"u\":\"a b\"}\n", NULL, NULL, "t",
                 "1 t=a:0.45329466 t=b:0.76749456 t=3:0.45329466 u=a\\x20b:1\n"); /* an array is one text */
    check_chosen("{\"label\":1,\"m\":{\"t\":\"a\",\"u\":\"b c\",\"v\":true,\"w\":null}}\n", NULL, NULL, "m",
                 "1 m.t=a:1 m.u=b:0.70710677 m.u=c:0.70710677\n"); /* an object is several */
    check_chosen("{\"label\":1,\"t\":\"\",\"u\":\"-\",\"v\":2.5}\n", NULL, NULL, "*",
                 "1 v=2:0.70710677 v=5:0.70710677\n");
    check_chosen("{\"label\":1,\"t\":[{\"u\":\"a\"},\"a\"]}\n", NULL, NULL, "t", "1 t.0.u=a:1 t=a:1\n");
    check_chosen("{\"label\":1,\"t\":\"\xff\"}\n", NULL, NULL, "t", "data mem:1:17: '\\xff' is not UTF-8\n");
}

TEST(keys_that_no_line_has) {
    sluice_reader_options o = {
        .size = sizeof o, .format = "jsonl", .names_must_exist = 1, .ignore = "m.b,m.x", .threads = 1};
    const char *input = "{\"label\":1,\"m\":{\"a\":2}}\n{\"label\":1,\"m\":{\"b\":2}}\n";
    char *got = read_bytes(input, strlen(input), &o, 1);
    CHECK_STR(got, "1 m.a:2\n1\ndata :0:0: ignore: no input has the column or key 'm.x'; did you mean 'm.a'? There are "
                   "'label', 'm', 'm.a'\n");
    free(got);
    input = "\n \r\n{\"label\":1,\"a\":2}\n"; /* blank lines have no keys to show */
    o.ignore = "b";
    got = read_bytes(input, strlen(input), &o, 1);
    CHECK_STR(got, "1 a:2\ndata :0:0: ignore: no input has the column or key 'b'; there are 'label', 'a'\n");
    free(got);
}

int main(void) {
    RUN(every_kind_of_value_has_its_name);
    RUN(labels);
    RUN(importance);
    RUN(keys_that_repeat_add_up);
    RUN(white_space_and_line_ends);
    RUN(numbers_are_those_of_json);
    RUN(strings_are_those_of_json);
    RUN(what_is_not_an_object_is_an_error);
    RUN(depth_has_a_limit);
    RUN(names_have_a_length);
    RUN(nul_bytes_and_bad_lines);
    RUN(odd_ends);
    RUN(keys_that_are_chosen_and_ignored);
    RUN(long_strings_that_are_no_names);
    RUN(text_keys);
    RUN(keys_that_no_line_has);
    return DONE;
}
