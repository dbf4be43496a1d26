/* VW text: what VW takes reads as VW reads it; what is malformed is an error with its place. */
#define STREAM_FORMAT "vw"
#include "stream.h"

TEST(rows_as_they_stand) {
    CHECK_READS("1 | a b:2 c:-0.5\n-1 |f x:1e-3\n", "1 a:1 b:2 c:-0.5\n-1 f^x:0.001\n");
    CHECK_READS("1 |f a |g a | a |f b\n", "1 f^a:1 g^a:1 a:1 f^b:1\n");
    CHECK_READS("0 |\n1 |f\n-1 ||f|g\n", "0\n1\n-1\n");
    CHECK_READS("1 | 17:0.5 007:1\n", "1 17:0.5 007:1\n");
    CHECK_READS("", "");
    CHECK_READS("1 | a:0 b:-0\n", "1 a:0 b:-0\n");
}

TEST(names_are_any_bytes_but_separators) {
    CHECK_READS("1 |f^g h^i ' # \"q\" \x01z \xc3\xa9 #tag\n",
                "1 f^g^h^i:1 f^g^':1 f^g^#:1 f^g^\"q\":1 f^g^\\x01z:1 f^g^\\xc3\\xa9:1 f^g^#tag:1\n");
    CHECK_READS("1 | a_rather_long_name_of_a_feature:2 1234567 12345678 123456789:3\n",
                "1 a_rather_long_name_of_a_feature:2 1234567:1 12345678:1 123456789:3\n");
    CHECK_READS("1 |space a^b\n1 | space^a^b\n", "1 space^a^b:1\n1 space^a^b:1\n");
}

TEST(white_space_and_line_ends) {
    CHECK_READS("1 | a", "1 a:1\n");
    CHECK_READS("1 | a\r\n\r\n-1 |f b:2\r\n", "1 a:1\n-1 f^b:2\n");
    CHECK_READS("1 | a\r", "1 a:1\n");
    CHECK_READS("\n  \n\t\n1 | a\n\n", "1 a:1\n");
    CHECK_READS("  1\t |f\ta:2   b  \t\n", "1 f^a:2 f^b:1\n");
    CHECK_READS("1 |f a:2|g b|h c \n", "1 f^a:2 g^b:1 h^c:1\n");
    CHECK_READS("1 | a\rb\n", "data mem:1:6: a carriage return within a line\n");
}

TEST(labels_and_importance) {
    CHECK_READS("1 | a\n-1 | a\n0 | a\n+1 | a\n2.5 | a\n1e-3 | a\n-0 | a\n",
                "1 a:1\n-1 a:1\n0 a:1\n1 a:1\n2.5 a:1\n0.001 a:1\n-0 a:1\n");
    CHECK_READS("1 2 | a\n-1 0.5 | a\n1 0 | a\n1 1 | a\n", "1*2 a:1\n-1*0.5 a:1\n1*0 a:1\n1 a:1\n");
    CHECK_READS("1 2 0.25 | a\n", "1*2 a:1\n"); /* a base is passed over */
    CHECK_READS("x | a\n", "data mem:1:1: label 'x' is not a number\n");
    CHECK_READS(" nan | a\n", "data mem:1:2: label 'nan' is not finite\n");
    CHECK_READS("1e39 | a\n", "data mem:1:1: label '1e39' is beyond the range of a float, about 3.4e38\n");
    CHECK_READS("1 -2 | a\n", "data mem:1:3: importance '-2' is negative\n");
    CHECK_READS("1 inf | a\n", "data mem:1:3: importance 'inf' is not finite\n");
    CHECK_READS("1 zebra | a\n", "data mem:1:3: importance 'zebra' is not a number\n");
    CHECK_READS("1 2 x | a\n", "data mem:1:5: base 'x' is not a number\n");
}

TEST(tags_are_passed_over) {
    CHECK_READS("1 'tag | a\n1 'tag|f a\n1 2 'tag | a\n1 2 0 'tag | a\n", "1 a:1\n1 f^a:1\n1*2 a:1\n1*2 a:1\n");
    CHECK_READS("1 1.0 zebra|f a b\n1 zebra|f a\n1 2 0 7|f a\n", "1 f^a:1 f^b:1\n1 f^a:1\n1*2 f^a:1\n");
    CHECK_READS("1 '| a\n", "1 a:1\n");
    CHECK_READS("1 'a b | c\n", "data mem:1:6: 'b' stands behind the tag\n");
    CHECK_READS("1 'a 'b | c\n", "data mem:1:6: ''b' stands behind the tag\n");
    CHECK_READS("1 2 3 4 5 | c\n", "data mem:1:9: '5' is more than label, importance, base and tag\n");
    CHECK_READS("1 2 3 4 | c\n", "data mem:1:7: '4': a tag touches the bar or begins with a quote\n");
}

/* As in VW, they are there to be predicted: to a learner an importance of 0 is as if the row were absent. */
TEST(lines_without_a_label) {
    CHECK_READS("| a\n|f a\n'tag |f a\nzebra|f a\n", "0*0 a:1\n0*0 f^a:1\n0*0 f^a:1\n0*0 f^a:1\n");
    CHECK_READS("1|f a\n", "data mem:1:1: '1' touches the bar, as tags do; put a space behind a label\n");
    CHECK_READS("'1|f a\n", "0*0 f^a:1\n");
}

TEST(scales_of_namespaces) {
    CHECK_READS("1 |f:0.5 a:2 b |g:-2 a:3 |h a:4\n", "1 f^a:1 f^b:0.5 g^a:-6 h^a:4\n");
    CHECK_READS("1 |f:1e30 a:1e9\n", "data mem:1:11: value times scale of 'a' is beyond the range of a float\n");
    CHECK_READS("1 |f:x a\n", "data mem:1:6: value 'x' of 'f' is not a number\n");
    CHECK_READS("1 |f: a\n", "data mem:1:6: 'f' has a colon but no value\n");
    CHECK_READS("1 |:2 a\n", "data mem:1:4: a namespace with a scale but no name\n");
    CHECK_READS("1 |f:0 a\n", "1 f^a:0\n");
}

TEST(features_without_a_name_are_called_by_their_place) {
    CHECK_READS("1 | :1 :2 a :3\n1 |f :5 |g :6 :7\n", "1 0:1 1:2 a:1 2:3\n1 f^0:5 g^0:6 g^1:7\n");
    CHECK_READS("1 | :\n", "data mem:1:6: '' has a colon but no value\n");
}

TEST(names_that_repeat_add_up) {
    CHECK_READS("1 | a:2 b a:0.5 |f a |f a\n", "1 a:2.5 b:1 f^a:2\n");
    CHECK_READS("1 | 0:1 :2\n", "1 0:3\n");
    CHECK_READS("1 | a:3e38 a:3e38\n", "data mem:1:12: the values of 'a' add up to more than a float holds\n");
}

TEST(values) {
    CHECK_READS("1 | a:.5 b:5. c:+3 d:1E2 e:0.12345678901234567 f:16777217 g:1e-60 h:123456789.5\n",
                "1 a:0.5 b:5 c:3 d:100 e:0.12345679 f:16777216 g:0 h:123456790\n");
    CHECK_READS("1 | a:x\n", "data mem:1:7: value 'x' of 'a' is not a number\n");
    CHECK_READS("1 | city:paris\n", "data mem:1:10: value 'paris' of 'city' is not a number\n");
    CHECK_READS("1 | a:1:2\n", "data mem:1:7: value '1:2' of 'a' is not a number\n");
    CHECK_READS("1 | a:1x|f b\n", "data mem:1:7: value '1x' of 'a' is not a number\n");
    CHECK_READS("1 | a: b\n", "data mem:1:7: 'a' has a colon but no value\n");
    CHECK_READS("1 | a:|f b\n", "data mem:1:7: 'a' has a colon but no value\n");
    CHECK_READS("1 | a:\n", "data mem:1:7: 'a' has a colon but no value\n");
    CHECK_READS("1 | a:NaN\n", "data mem:1:7: value 'NaN' of 'a' is not finite\n");
    CHECK_READS("1 | %s:-inf\n", "data mem:1:8: value '-inf' of '%s' is not finite\n");
    CHECK_READS("1 |f a:1e39\n", "data mem:1:8: value '1e39' of 'a' is beyond the range of a float, about 3.4e38\n");
}

TEST(there_are_no_comments_and_the_bar_must_be) {
    CHECK_READS("1 | a # b\n", "1 a:1 #:1 b:1\n");
    CHECK_READS("# head\n", "data mem:1:1: '# head': there is no bar before the features\n");
    CHECK_READS("# head | a\n", "data mem:1:1: label '#' is not a number\n");
    CHECK_READS("1 a:1\n", "data mem:1:1: '1 a:1': there is no bar before the features\n");
    CHECK_READS("1 | a\n1\n", "1 a:1\ndata mem:2:1: '1': there is no bar before the features\n");
}

TEST(nul_bytes) {
    char *got = read_text_n("1 | a\0b\n", 8, 0, 0);
    CHECK_STR(got, "data mem:1:6: a NUL byte in the text\n");
    free(got);
    got = read_text_n("1 | a\n\0\n1 | b\n", 14, 1, 0);
    CHECK_STR(got, "1 a:1\n1 b:1\nskipped nul=1\n");
    free(got);
}

TEST(bad_lines_are_left_out_and_counted) {
    CHECK_SKIPS("1 | a\nx | a\n1 a\n1 | a:x\n1 | a b:nan\n1 | a:1e99\n1 -1 | a\n1 | b:2\n1|f\n",
                "1 a:1\n1 b:2\nskipped label=2\nskipped field=1\nskipped value=1\nskipped not-finite=1\n"
                "skipped range=1\nskipped weight=1\n");
    const char *one_long = "1 | a\n1 | aaaaaaaaaaaaa\n1 | b";
    char *got = read_text_n(one_long, strlen(one_long), 1, 10);
    CHECK_STR(got, "1 a:1\n1 b:1\nskipped line-too-long=1\n");
    free(got);
}

TEST(a_byte_order_mark_is_passed_over) {
    CHECK_READS("\xef\xbb\xbf"
                "1 | a:x\n",
                "data mem:1:7: value 'x' of 'a' is not a number\n");
}

static char *repeated(const char *head, char c, size_t n, const char *tail) {
    size_t a = strlen(head);
    char *line = malloc(a + n + strlen(tail) + 1);
    memcpy(line, head, a);
    memset(line + a, c, n);
    strcpy(line + a + n, tail);
    return line;
}

TEST(names_have_a_length) {
    char *longest = repeated("1 | ", 'a', 65535, ":2\n"), *longer = repeated("1 | ", 'a', 65536, "\n"),
         *together = repeated("1 |", 'n', 65533, " aa b\n");
    char *got = read_text_n(longest, strlen(longest), 0, 0);
    CHECK(strlen(got) == 2 + 65535 + 3);
    free(got);
    got = read_text_n(longer, strlen(longer), 0, 0);
    CHECK_STR(got, "data mem:1:5: the name 'aaaaaaaaaaaaaaaaaaaaaaaa...' is longer than 65535 bytes\n");
    free(got);
    got = read_text_n(together, strlen(together), 1, 0);
    CHECK_STR(got, "skipped name=1\n");
    free(got), free(longest), free(longer), free(together);
}

/* A long namespace before very many features would take memory out of all proportion to the text. */
TEST(names_are_in_proportion_to_the_line) {
    text t = {0};
    char *head = repeated("1 |", 'n', 60000, "");
    add(&t, "%.900s", head);
    for (size_t i = 900; i < strlen(head); i += 900) add(&t, "%.900s", head + i);
    for (int i = 0; i < 100000; i++) add(&t, " %d", i % 10);
    add(&t, "\n1 | a\n");
    char *got = read_text_n(t.data, t.n, 1, 0);
    CHECK_STR(got, "1 a:1\nskipped name=1\n");
    free(got);
    got = read_text_n(t.data, t.n, 0, 0);
    CHECK_HAS(got, "times as long as it is");
    free(got), free(head), free(t.data);
}

TEST(rows_of_any_length_know_what_repeats) {
    text t = {0}, want = {0};
    static const int lengths[] = {1, 7, 8, 9, 100, 127, 128, 129, 3000, 10, 300};
    for (size_t r = 0; r < sizeof lengths / sizeof *lengths; r++) {
        add(&t, "1 |f"), add(&want, "1");
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < lengths[r]; i++) add(&t, " name%d:%d", i, i + 1);
        for (int i = 0; i < lengths[r]; i++) add(&want, " f^name%d:%d", i, 2 * (i + 1));
        add(&t, "\n"), add(&want, "\n");
    }
    char *got = read_text_n(t.data, t.n, 0, 0);
    CHECK(strcmp(got, want.data) == 0);
    free(got), free(t.data), free(want.data);
}

int main(void) {
    RUN(rows_as_they_stand);
    RUN(names_are_any_bytes_but_separators);
    RUN(white_space_and_line_ends);
    RUN(labels_and_importance);
    RUN(tags_are_passed_over);
    RUN(lines_without_a_label);
    RUN(scales_of_namespaces);
    RUN(features_without_a_name_are_called_by_their_place);
    RUN(names_that_repeat_add_up);
    RUN(values);
    RUN(there_are_no_comments_and_the_bar_must_be);
    RUN(nul_bytes);
    RUN(bad_lines_are_left_out_and_counted);
    RUN(a_byte_order_mark_is_passed_over);
    RUN(names_have_a_length);
    RUN(names_are_in_proportion_to_the_line);
    RUN(rows_of_any_length_know_what_repeats);
    return DONE;
}
