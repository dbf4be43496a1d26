/* LIBSVM text: every rule of the contract, every error with its place. */
#include "stream.h"

TEST(rows_as_they_stand) {
    CHECK_READS("1 1:2 3:4\n-1 5:0.5\n", "1 1:2 3:4\n-1 5:0.5\n");
    CHECK_READS("", "");
    CHECK_READS("\n\n  \n\t\n", "");
    CHECK_READS("+1 1:1\n-1 2:1\n0 3:1\n2.5 4:1\n1e-3 5:1\n-0 6:1\n.5\n5. 1:5.\n",
                "1 1:1\n-1 2:1\n0 3:1\n2.5 4:1\n0.001 5:1\n-0 6:1\n0.5\n5 1:5\n");
}

TEST(white_space_and_line_ends) {
    CHECK_READS("1 1:1", "1 1:1\n");
    CHECK_READS("1 1:1\r\n-1 2:2\r\n", "1 1:1\n-1 2:2\n");
    CHECK_READS("1 1:1 \r\n-1\r\n\r\n1 1:1\r", "1 1:1\n-1\n1 1:1\n");
    CHECK_READS("  1   1:1\t\t2:2  \n\t-1\t3:3\n", "1 1:1 2:2\n-1 3:3\n");
    CHECK_READS("1\n-1 \n0", "1\n-1\n0\n");
}

TEST(comments) {
    CHECK_READS("# head\n1 1:1 # tail 2:2\n  # more\n-1 3:3#x\n1#y\n#", "1 1:1\n-1 3:3\n1\n");
    CHECK_READS("1 1:1 #\r\n2 2:2\n", "1 1:1\n2 2:2\n");
    CHECK_READS("1 #1:a nan \xff\n", "1\n");
}

TEST(query_ids_are_passed_over) {
    CHECK_READS("1 qid:3 1:1\n-1 qid:-1\n0 1:1 qid:99999999999999999999999 2:2\n", "1 1:1\n-1\n0 1:1 2:2\n");
    CHECK_READS("1 qid:x 1:1\n", "data mem:1:3: 'qid:x' is not qid: and a whole number\n");
    CHECK_READS("1 qid: 1:1\n", "data mem:1:3: 'qid:' is not qid: and a whole number\n");
}

TEST(ids_of_all_sizes) {
    CHECK_READS("1 0:1 1:2 2147483647:3 2147483648:4 4294967296:5 18446744073709551615:6\n",
                "1 0:1 1:2 2147483647:3 2147483648:4 4294967296:5 18446744073709551615:6\n");
    CHECK_READS("1 9:1 3:2 2147483648:3 0:4\n-1 18446744073709551615:1 0:1 5:2\n",
                "1 9:1 3:2 2147483648:3 0:4\n-1 18446744073709551615:1 0:1 5:2\n");
    CHECK_READS("1 0007:1 000000000000000000000000000000012:2 1234567:3 12345678:4 123456789:5 123456789012345:6 "
                "1234567890123456:7\n",
                "1 7:1 12:2 1234567:3 12345678:4 123456789:5 123456789012345:6 1234567890123456:7\n");
    CHECK_READS("1 1:1 18446744073709551616:6\n",
                "data mem:1:7: id '18446744073709551616' is larger than 18446744073709551615\n");
    CHECK_READS("1 99999999999999999999999999:6\n",
                "data mem:1:3: id '999999999999999999999999...' is larger than 18446744073709551615\n");
    CHECK_READS("1 -1:1\n", "data mem:1:3: id '-1' is not a whole number from 0 to 18446744073709551615\n");
    CHECK_READS("1 +1:1\n", "data mem:1:3: id '+1' is not a whole number from 0 to 18446744073709551615\n");
    CHECK_READS("1 1.5:1\n", "data mem:1:3: id '1.5' is not a whole number from 0 to 18446744073709551615\n");
    CHECK_READS("1 :1\n", "data mem:1:3: id '' is not a whole number from 0 to 18446744073709551615\n");
    CHECK_READS("1 a:1\n", "data mem:1:3: id 'a' is not a whole number from 0 to 18446744073709551615\n");
    CHECK_READS("1 12345678a:1\n",
                "data mem:1:3: id '12345678a' is not a whole number from 0 to 18446744073709551615\n");
}

TEST(values_of_all_forms) {
    CHECK_READS(
        "1 1:0.25 2:-0.25 3:+3 4:1e3 5:1E-3 6:.5 7:-.5 8:7. 9:12345678 10:123456789.5 11:0.000000000000000000001 "
        "12:0 13:-0 14:0.0 15:16777217 16:1e-60 17:12.5 18:0.1234567890123456 19:0.12345678901234567 20:-1.e1\n",
        "1 1:0.25 2:-0.25 3:3 4:1000 5:0.001 6:0.5 7:-0.5 8:7 9:12345678 10:123456790 11:1e-21 "
        "12:0 13:-0 14:0 15:16777216 16:0 17:12.5 18:0.12345679 19:0.12345679 20:-10\n");
    CHECK_READS("1 1:3.4028235677973367e38\n",
                "data mem:1:5: value '3.4028235677973367e38' of id 1 is beyond the range of a float, about 3.4e38\n");
    CHECK_READS("1 5:abc\n", "data mem:1:5: value 'abc' of id 5 is not a number\n");
    CHECK_READS("1 1:1 5:1x\n", "data mem:1:9: value '1x' of id 5 is not a number\n");
    CHECK_READS("1 1:1 5:1:2\n", "data mem:1:9: value '1:2' of id 5 is not a number\n");
    CHECK_READS("1 5:0x10\n", "data mem:1:5: value '0x10' of id 5 is not a number\n");
    CHECK_READS("1 5:1e\n", "data mem:1:5: value '1e' of id 5 is not a number\n");
    CHECK_READS("1 5:1,5\n", "data mem:1:5: value '1,5' of id 5 is not a number\n");
    CHECK_READS("1 5:\n", "data mem:1:5: id 5 has no value\n");
    CHECK_READS("1 5: 6:1\n", "data mem:1:5: id 5 has no value\n");
    CHECK_READS("1 5 6:1\n", "data mem:1:3: '5' is not id:value\n");
    CHECK_READS("1 5:- \n", "data mem:1:5: value '-' of id 5 is not a number\n");
    CHECK_READS("1 5:1..5 \n", "data mem:1:5: value '1..5' of id 5 is not a number\n");
    CHECK_READS("1 5:1\r6:1\n", "data mem:1:5: value '1\\x0d6:1' of id 5 is not a number\n");
    CHECK_READS("1 5:\xc3\xa9\n", "data mem:1:5: value '\xc3\xa9' of id 5 is not a number\n");
}

TEST(what_is_not_finite) {
    CHECK_READS("1 5:nan\n", "data mem:1:5: value 'nan' of id 5 is not finite\n");
    CHECK_READS("1 5:-Inf\n", "data mem:1:5: value '-Inf' of id 5 is not finite\n");
    CHECK_READS("inf 5:1\n", "data mem:1:1: label 'inf' is not finite\n");
    CHECK_READS("1 5:1e39\n", "data mem:1:5: value '1e39' of id 5 is beyond the range of a float, about 3.4e38\n");
    CHECK_READS("1e999999999999 5:1\n",
                "data mem:1:1: label '1e999999999999' is beyond the range of a float, about 3.4e38\n");
}

TEST(labels) {
    CHECK_READS("abc 1:1\n", "data mem:1:1: label 'abc' is not a number\n");
    CHECK_READS("1 1:1\n  1,2 1:1\n", "1 1:1\ndata mem:2:3: label '1,2' is not a number\n");
    CHECK_READS("1:1 2:2\n", "data mem:1:1: label '1:1' is not a number\n");
    CHECK_READS("1x\n", "data mem:1:1: label '1x' is not a number\n");
    CHECK_READS("+\n", "data mem:1:1: label '+' is not a number\n");
}

TEST(places_count_lines_of_every_kind) {
    CHECK_READS("# one\n\n1 1:1\r\n\n-1 1:1 2:x\n", "1 1:1\ndata mem:5:10: value 'x' of id 2 is not a number\n");
    CHECK_READS("1 1:1\n1 1:1 \t 2:x", "1 1:1\ndata mem:2:11: value 'x' of id 2 is not a number\n");
}

TEST(repeated_ids) {
    CHECK_READS("1 1:1 1:2\n", "data mem:1:7: id 1 stands twice in this example\n");
    CHECK_READS("1 5:1 3:1 qid:4 9:1  5:2 3:1\n", "data mem:1:22: id 5 stands twice in this example\n");
    CHECK_READS("1 3000000000:1 2:1 3000000000:2\n", "data mem:1:20: id 3000000000 stands twice in this example\n");
    CHECK_READS("1 18446744073709551615:1 18446744073709551615:1\n",
                "data mem:1:26: id 18446744073709551615 stands twice in this example\n");
    CHECK_READS("1 18446744073709551615:1 0:1 1:1 0:2\n", "data mem:1:34: id 0 stands twice in this example\n");
    CHECK_READS("1 007:1 7:1\n", "data mem:1:9: id 7 stands twice in this example\n");
    CHECK_READS("1 1:1\n1 1:1\n", "1 1:1\n1 1:1\n");
}

static void check_bytes(const char *bytes, size_t n, int skip, const char *want) {
    char *got = read_text_n(bytes, n, skip, 0);
    CHECK_STR(got, want);
    free(got);
}

TEST(nul_bytes) {
    check_bytes("1 1:1\0 2:2\n", 11, 0, "data mem:1:6: a NUL byte in the text\n");
    check_bytes("1 1:1\n\0\n", 8, 0, "1 1:1\ndata mem:2:1: a NUL byte in the text\n");
    check_bytes("1 1:1 # a\0b\n", 12, 0, "data mem:1:10: a NUL byte in the text\n");
    check_bytes("# a\0b\n", 6, 0, "data mem:1:4: a NUL byte in the text\n");
    check_bytes("1\0 1:1\n", 7, 0, "data mem:1:2: a NUL byte in the text\n");
    check_bytes("1 1\0:1\n", 7, 0, "data mem:1:4: a NUL byte in the text\n");
    check_bytes("1 qid:1\0 1:1\n", 13, 0, "data mem:1:8: a NUL byte in the text\n");
    check_bytes("1 1:1\0", 6, 0, "data mem:1:6: a NUL byte in the text\n");
    check_bytes("1 1:1\n1 1:1 #\0\n-1 2:2\n", 22, 1, "1 1:1\n-1 2:2\nskipped nul=1\n");
}

TEST(bad_lines_are_left_out_and_counted) {
    CHECK_SKIPS("1 1:1\nx 1:1\n1 1:1 a\n1 a:1\n1 1:a\n1 1:nan\n1 1:1e99\n1 1:1 1:1\n1 qid:x\n-1 2:0\nnan\n",
                "1 1:1\n-1 2:0\nskipped label=1\nskipped field=1\nskipped id=1\nskipped value=1\nskipped qid=1\n"
                "skipped not-finite=2\nskipped range=1\nskipped repeated-id=1\n");
    CHECK_SKIPS("1 5000000000:1 x\n-1 5000000001:2 3:1\n", "-1 5000000001:2 3:1\nskipped field=1\n");
    CHECK_SKIPS("x\ny\nz", "skipped label=3\n");
}

static void check_limit(const char *input, int skip, size_t max_line, const char *want) {
    char *got = read_text_n(input, strlen(input), skip, max_line);
    CHECK_STR(got, want);
    free(got);
}

TEST(lines_that_are_too_long) {
    check_limit("1 1:1\n1 1:1 2:2 3:3\n-1 2:2\n", 0, 10, "1 1:1\ndata mem:2:1: line is longer than 10 bytes\n");
    check_limit("1 1:1\n1 1:1 2:2 3:3\n-1 2:2\n", 1, 10, "1 1:1\n-1 2:2\nskipped line-too-long=1\n");
    check_limit("1 1:1\n1 1:1 2:2 3:3\n-1 2:2\nx", 1, 10, "1 1:1\n-1 2:2\nskipped label=1\nskipped line-too-long=1\n");
    check_limit("1 1:1 2:2\n1 1:1 2:22", 0, 10, "1 1:1 2:2\n1 1:1 2:22\n"); /* exactly ten */
    check_limit("1 1:1 2:222", 0, 10, "data mem:1:1: line is longer than 10 bytes\n");
    check_limit("1 1:1 2:222", 1, 10, "skipped line-too-long=1\n");
    check_limit("# a comment is a line too\n1 1:1\nq\n", 0, 10, "data mem:1:1: line is longer than 10 bytes\n");
    check_limit("1 1:1 2:222x\n1\n1 1:x\n", 1, 10, "1\nskipped value=1\nskipped line-too-long=1\n");
    check_limit("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n1 1:1\n1 2:2\n",
                1, 10, "1 1:1\n1 2:2\nskipped line-too-long=1\n");
}

TEST(a_byte_order_mark_is_passed_over) {
    CHECK_READS("\xef\xbb\xbf"
                "1 1:1\n",
                "1 1:1\n");
    CHECK_READS("\xef\xbb\xbf", "");
    CHECK_READS("\xef\xbb\xbf"
                "1 1:x\n",
                "data mem:1:5: value 'x' of id 1 is not a number\n");
    CHECK_READS("1\n\xef\xbb\xbf"
                "1\n",
                "1\ndata mem:2:1: label '\\xef\\xbb\\xbf1' is not a number\n");
}

/* Every row that the common path takes must be the row that printf and strtof see. */
TEST(random_rows_agree_with_libc) {
    uint64_t seed = 7;
    text t = {0}, want = {0};
    for (int i = 0; i < 4000; i++) {
        add(&t, "%d", i % 3 - 1), add(&want, "%d", i % 3 - 1);
        unsigned long long id = 0;
        for (int k = 0; k < 12; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            id += 1 + (seed >> 20) % (k % 4 == 3 ? 100000000000u : 5000u);
            char value[64], shortest[40];
            double v = (double)(seed >> 33) / (double)(1 + (seed >> 60)) - 1e8;
            switch (seed >> 61) {
            case 0:
                sprintf(value, "%.3f", v / 1e6);
                break;
            case 1:
                sprintf(value, "%.6g", v / 1e9);
                break;
            case 2:
                sprintf(value, "%.17g", v / 1e7);
                break;
            case 3:
                sprintf(value, "%.0f", v);
                break;
            case 4:
                sprintf(value, "%.16f", v / 3e8);
                break;
            case 5:
                sprintf(value, "%.4e", v);
                break;
            case 6:
                sprintf(value, "%.8f", v / 1e3);
                break;
            default:
                strcpy(value, "1");
                break;
            }
            sluice_format_float(shortest, strtof(value, NULL));
            add(&t, " %llu:%s", id, value), add(&want, " %llu:%s", id, shortest);
        }
        add(&t, "\n"), add(&want, "\n");
    }
    char *got = read_text_n(t.data, t.n, 0, 0);
    CHECK(strcmp(got, want.data) == 0);
    free(got), free(t.data), free(want.data);
}

int main(void) {
    RUN(rows_as_they_stand);
    RUN(white_space_and_line_ends);
    RUN(comments);
    RUN(query_ids_are_passed_over);
    RUN(ids_of_all_sizes);
    RUN(values_of_all_forms);
    RUN(what_is_not_finite);
    RUN(labels);
    RUN(places_count_lines_of_every_kind);
    RUN(repeated_ids);
    RUN(nul_bytes);
    RUN(bad_lines_are_left_out_and_counted);
    RUN(lines_that_are_too_long);
    RUN(a_byte_order_mark_is_passed_over);
    RUN(random_rows_agree_with_libc);
    return DONE;
}
