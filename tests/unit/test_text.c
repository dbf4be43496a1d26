/* Plain text: what its words are, what they count, and every error with its place. */
#include "raw_stream.h"

#include "io/format.h"

#define READS(input, want) check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "text"}, want)
#define SKIPS(input, want)                                                                                             \
    check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "text", .skip_errors = 1}, want)
#define READS_N(n, input, want)                                                                                        \
    check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "text", .ngrams = n}, want)
#define READS_TF(how, input, want)                                                                                     \
    check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "text", .tf = how}, want)

TEST(words_are_runs_of_letters_and_digits) {
    READS("1\tHello, World!\n-1\tthe end\n", "1 hello|world\n-1 the|end\n");
    READS("1\ta-b_c.d/e don't 4u 3.14 v2\n", "1 a|b|c|d|e|don|t|4u|3|14|v2\n");
    READS("1\tABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz0123456789@[`{\n",
          "1 abcdefghijklmnopqrstuvwxyz|abcdefghijklmnopqrstuvwxyz0123456789\n");
    READS("1\tone\ttwo\t\tthree\n", "1 one|two|three\n");
    READS("1\t<b>x</b>&nbsp;\x01\x7f y\n", "1 b*1.6931|x|nbsp|y\n");
}

TEST(lines_of_all_kinds) {
    READS("", "");
    READS("\n \n\t\n\r\n \t \r\n", "");
    READS("1\ta\r\n-1\tb\r\n", "1 a\n-1 b\n");
    READS("1\ta", "1 a\n");
    READS("1\ta\r", "1 a\n");
    READS("1\ta\rb\n", "1 a|b\n");
    READS("1\n-1\t\n0 \t !\n", "1\n-1\n0\n");
    READS("1\t# none\n# 1\tx\n", "1 none\ndata mem:2:1: label '# 1' is not a number; a line is label<TAB>text\n");
    READS("\xef\xbb\xbf"
          "1\ta\n",
          "1 a\n");
}

TEST(labels) {
    READS("+1\ta\n-1\ta\n0\ta\n2.5\ta\n1e-3\ta\n.5 \ta\n  1\ta\n", "1 a\n-1 a\n0 a\n2.5 a\n0.001 a\n0.5 a\n1 a\n");
    READS("true\ta\nFalse\ta\nTRUE\ta\n", "1 a\n0 a\n1 a\n");
    READS("1\ta\nspam\tbuy\n", "1 a\ndata mem:2:1: label 'spam' is not a number; a line is label<TAB>text\n");
    READS("+1 some text\n", "data mem:1:1: label '+1 some text' is not a number; a line is label<TAB>text\n");
    READS(" x\ta\n", "data mem:1:2: label 'x' is not a number; a line is label<TAB>text\n");
    READS("1x\ta\n", "data mem:1:1: label '1x' is not a number; a line is label<TAB>text\n");
    READS("\ttext\n", "data mem:1:1: there is no label; a line is label<TAB>text\n");
    READS("\t# text\n", "data mem:1:1: there is no label; a line is label<TAB>text\n");
    READS("nan\ta\n", "data mem:1:1: label 'nan' is not finite\n");
    READS("-1e39\ta\n", "data mem:1:1: label '-1e39' is beyond the range of a float, about 3.4e38\n");
    READS("truer\ta\n", "data mem:1:1: label 'truer' is not a number; a line is label<TAB>text\n");
}

TEST(nul_bytes) {
    READS("1\ta\n\n1\tab\0c\n", "1 a\ndata mem:3:5: a NUL byte in the text\n");
    READS("1\0\ta\n", "data mem:1:2: a NUL byte in the text\n");
    READS("1\ta\0", "data mem:1:4: a NUL byte in the text\n");
    READS("#\0\n", "data mem:1:2: a NUL byte in the text\n");
}

TEST(bad_lines_are_left_out_and_counted) {
    SKIPS("1\ta\nx\tb\n\tb\ninf\tb\n1e99\tb\n1\t\0\n-1\tc", "1 a\n-1 c\nskipped label=2\nskipped not-finite=1\n"
                                                            "skipped range=1\nskipped nul=1\n");
    static const char long_one[] = "1\tshort\n1\tnot so short\n-1\tb\n";
    sluice_reader_options o = {.format = "text", .skip_errors = 1, .max_line = 10};
    check_raw(long_one, sizeof long_one - 1, o, "1 short\n-1 b\nskipped line-too-long=1\n");
    o.skip_errors = 0;
    check_raw(long_one, sizeof long_one - 1, o, "1 short\ndata mem:2:1: line is longer than 10 bytes\n");
    check_raw("1\t45678 10\n", 11, o, "1 45678|10\n");
}

TEST(counts_become_values) {
    READS_TF(SLUICE_TF_BINARY, "1\ta b a a\n", "1 a|b\n");
    READS_TF(SLUICE_TF_COUNT, "1\ta b a a\n", "1 a*3|b\n");
    READS_TF(SLUICE_TF_LOG, "1\ta b A a\n", "1 a*2.0986|b\n");
    READS("1\ta b a\n", "1 a*1.6931|b\n");
}

TEST(many_words_repeat) {
    text t = {0}, want = {0};
    add(&t, "1\t");
    for (int i = 0; i < 3000; i++) add(&t, "w%d ", i % 1000);
    add(&t, "\n-1\t"); /* eight different ones, again and again, with the table of the row before */
    for (int i = 0; i < 800; i++) add(&t, "x%d ", i % 8);
    add(&want, "1 ");
    for (int i = 0; i < 1000; i++) add(&want, "%sw%d", i ? "|" : "", i);
    add(&want, "\n-1 x0|x1|x2|x3|x4|x5|x6|x7\n");
    check_raw(t.data, t.n, (sluice_reader_options){.format = "text"}, want.data);
    free(t.data), free(want.data);
}

TEST(runs_of_words) {
    READS_N(2, "1\tThe, quick fox\n", "1 the|quick|the quick|fox|quick fox\n");
    READS_N(3, "1\ta b c d\n-1\te\n", "1 a|b|a b|c|b c|a b c|d|c d|b c d\n-1 e\n");
    READS_N(2, "1\ta a a\n", "1 a*1.2395|a a\n");
    READS_N(8, "1\ta b c d e f g h i\n",
            "1 a|b|a b|c|b c|a b c|d|c d|b c d|a b c d|e|d e|c d e|b c d e|a b c d e|f|e f|d e f|c d e f|b c d e f|"
            "a b c d e f|g|f g|e f g|d e f g|c d e f g|b c d e f g|a b c d e f g|h|g h|f g h|e f g h|d e f g h|"
            "c d e f g h|b c d e f g h|a b c d e f g h|i|h i|g h i|f g h i|e f g h i|d e f g h i|c d e f g h i|"
            "b c d e f g h i\n");
}

/* More words than the window of text.c holds. */
TEST(runs_of_words_in_a_long_text) {
    text t = {0}, want = {0};
    add(&t, "1\t");
    for (int i = 0; i < 5000; i++) {
        add(&t, " Word%d,", i);
        add(&want, i ? "|word%d" : "1 word%d", i);
        if (i) add(&want, "|word%d word%d", i - 1, i);
        if (i > 1) add(&want, "|word%d word%d word%d", i - 2, i - 1, i);
    }
    add(&want, "\n");
    check_raw(t.data, t.n, (sluice_reader_options){.format = "text", .ngrams = 3}, want.data);
    free(t.data), free(want.data);
}

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

TEST(of_long_words_the_first_64_bytes_count) {
    READS("1\t" SIXTY "abcd " SIXTY "abcde " SIXTY "abcd.e\n", "1 " SIXTY "abcd*2.0986|e\n");
    READS("1\t" SIXTY "abc\xc3\xa9x " SIXTY "ab\xc3\xa9x\n", "1 " SIXTY "abc|" SIXTY "ab\xc3\xa9\n");
    READS("1\t" SIXTY TEN "\xc3\xa9 a\n", "1 " SIXTY "0123|a\n");
    READS_N(2, "1\t" SIXTY TEN " a\n", "1 " SIXTY "0123|a|" SIXTY "0123 a\n");
}

TEST(letters_of_all_scripts_in_lower_case) {
    READS("1\t\u00c4RGER \u00e9T\u00c9 \u0141\u00d3D\u0179\n", "1 \u00e4rger|\u00e9t\u00e9|\u0142\u00f3d\u017a\n");
    READS("1\t\u041c\u041e\u0421\u041a\u0412\u0410, \u043c\u043e\u0441\u043a\u0432\u0430\n",
          "1 \u043c\u043e\u0441\u043a\u0432\u0430\n");
    READS("1\t\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03bf\u03c2\n", "1 \u03bf\u03b4\u03bf\u03c3\n"); /* final sigma */
    READS("1\t\u0130I \u1e9e \u00df \u212a\n", "1 ii|\u00df*1.6931|k\n");
    READS("1\t\u0928\u092e\u0938\u094d\u0924\u0947 \u0661\u0662\n",
          "1 \u0928\u092e\u0938\u094d\u0924\u0947|\u0661\u0662\n"); /* marks belong to words; digits of any script */
    READS("1\te\u0301 \U00010400\n", "1 e\u0301|\U00010428\n");
    READS("1\t\u201cquoted\u201d\u2014dash\u00a0space\u3000wide\u2026\n", "1 quoted|dash|space|wide\n");
}

TEST(words_without_spaces) {
    READS("1\t\u6771\u4eac\u30bf\u30ef\u30fc2020\u306e\n", "1 \u6771|\u4eac|\u30bf|\u30ef|\u30fc|2020|\u306e\n");
    READS_N(2, "1\t\u6771\u4eac\n", "1 \u6771|\u4eac|\u6771 \u4eac\n");
    READS("1\t\ud55c\uad6d\uc5b4 \U00020000\n", "1 \ud55c\uad6d\uc5b4|\U00020000\n"); /* Korean has spaces */
    READS("1\twin\U0001f600\U0001f600\u2764\ufe0f!\n", "1 win|\U0001f600*1.6931|\u2764\n");
}

TEST(what_is_not_seen_does_not_split) {
    READS("1\tvi\u00adag\u200dra \u200eviagra\u200f vi\u200bagra\n", "1 viagra*1.6931|vi|agra\n");
}

TEST(bytes_that_are_no_utf8_are_latin_1) {
    READS("1\tcaf\xe9 CAF\xc9 caf\u00e9\n", "1 caf\u00e9\n");
    READS("1\t\xe9\n", "1 \u00e9\n");
    READS("1\ta\x93z\x94 \xc0\xaf \xe0\x80\x80\n", "1 a|z|\u00e0*1.6931\n"); /* controls; too long; too long */
    READS("1\t\xed\xa0\x80 \xf4\x90\x80\x80 \xff\xfe\n", "1 \u00ed|\u00f4|\u00ff\u00fe\n");
    READS("1\t\xf0\x9f\x98 x\xe6\x9d\n", "1 \u00f0|x\u00e6\n");
}

#define READS_CHARS(how, input, want)                                                                                  \
    check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "text", .chars = how, .no_words = 1}, want)

TEST(runs_of_characters_within_tokens) {
    READS_CHARS("2-3", "1\tAb c\n", "1 ~_a|~_ab|~ab|~ab_|~b_|~_c|~_c_|~c_\n");
    READS_CHARS("1", "1\tno!\n", "1 ~_*1.6931|~n|~o|~!\n");
    READS_CHARS("8", "1\tabc abcdef abcdefgh\n", "1 ~_abc_|~_abcdef_|~_abcdefg|~abcdefgh|~bcdefgh_\n");
    READS_CHARS("4-5", "1\ta ab\n-1\tabc\n", "1 ~_a_|~_ab_\n-1 ~_abc|~_abc_|~abc_\n");
    READS_CHARS("3", "1\ta_b \t__\x01\x7f c__\n", "1 ~_a_|~_b_|~_c_\n"); /* they are blanks */
    READS_CHARS("2", "1\t~a\n", "1 ~_~|~~a|~a_\n");
    READS_CHARS("2-4", "1\n1\t_\n1\t \n", "1\n1\n1\n");
    READS_CHARS("3", "1\t100 100\n", "1 ~_10|~100|~00_\n"); /* names, not ids */
}

TEST(runs_of_characters_of_all_scripts) {
    READS_CHARS("3", "1\t\u00c4\u2009\u20ac5\u200bI\u0130\n", "1 ~_\u00e4_|~_\u20ac5|~\u20ac5_|~_ii|~ii_\n");
    READS_CHARS("2", "1\t\u6771\u4eac\u3000\U0001f600\n",
                "1 ~_\u6771|~\u6771\u4eac|~\u4eac_|~_\U0001f600|~\U0001f600_\n");
    READS_CHARS("2", "1\ta\u00ad\u200db\n", "1 ~_a|~ab|~b_\n");
    READS_CHARS("2", "1\t\xe9\xff\n", "1 ~_\u00e9|~\u00e9\u00ff|~\u00ff_\n");
}

/* Longer than the window of char_grams.c; no two runs are equal. */
TEST(runs_of_characters_in_a_long_token) {
    enum { LENGTH = 20000 };
    text t = {0}, want = {0};
    char token[LENGTH + 3] = "_";
    uint32_t state = 1;
    for (int i = 1; i <= LENGTH; i++) token[i] = (char)('a' + ((state = state * 1664525 + 1013904223) >> 16) % 26);
    token[LENGTH + 1] = '_';
    add(&t, "1\t");
    for (int i = 0; i < LENGTH; i += 1000) add(&t, "%.1000s", token + 1 + i);
    add(&t, "\n");
    for (int i = 0; i + 8 <= LENGTH + 2; i++) add(&want, "%s~%.8s", i ? "|" : "1 ", token + i);
    add(&want, "\n");
    check_raw(t.data, t.n, (sluice_reader_options){.format = "text", .chars = "8", .no_words = 1}, want.data);
    free(t.data), free(want.data);
}

/* Each has half of the row, by the squares of the values. */
TEST(words_and_characters_share_a_row) {
    sluice_reader_options o = {.format = "text", .chars = "2", .ngrams = 2};
    check_raw("1\ta a\n", 6, o, "1 a*1.6931|a a|~_a*1.3905|~a_*1.3905\n");
    check_raw("1\tab ab\n", 8, o, "1 ab*1.6931|ab ab|~_a*1.1353|~ab*1.1353|~b_*1.1353\n");
    check_raw("1\t!\n", 4, o, "1 ~_!|~!_\n"); /* all of it, without words */
}

TEST(what_characters_may_be_asked_for) {
    const char *const wrong[] = {"",   "0",     "9", "0-3",  "3-2",         "2-9",          "2-",
                                 "-3", "2-3-4", "a", "2 -3", "99999999999", "2-99999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sluice_error err = {0};
        sluice_reader_options o = {.size = sizeof o, .format = "text", .chars = wrong[i]};
        CHECK(!sluice_reader_open_memory("1\ta\n", 4, "mem", &o, &err));
        CHECK_HAS(err.message, "from 1 to 8");
    }
    sluice_error err = {0};
    sluice_reader_options o = {.size = sizeof o, .format = "text", .no_words = 1};
    CHECK(!sluice_reader_open_memory("1\ta\n", 4, "mem", &o, &err));
    CHECK_HAS(err.message, "without words");
    o = (sluice_reader_options){.size = sizeof o, .format = "text", .min_length = SLUICE_MAX_MIN_LENGTH + 1};
    CHECK(!sluice_reader_open_memory("1\ta\n", 4, "mem", &o, &err));
    CHECK_HAS(err.message, "at most 16");
}

#define READS_LEFT_OUT(least, list, input, want)                                                                       \
    check_raw(input, sizeof(input) - 1,                                                                                \
              (sluice_reader_options){.format = "text", .ngrams = 2, .min_length = least, .stop_words = list}, want)

TEST(words_that_are_left_out_are_as_if_they_were_not_there) {
    READS_LEFT_OUT(0, "the, OF\n", "1\tThe king of the hill, the\n", "1 king|hill|king hill\n");
    READS_LEFT_OUT(3, NULL, "1\tI am the king at 5\n", "1 the|king|the king\n");
    READS_LEFT_OUT(0, "don't", "1\tdon't T go dont\n", "1 go|dont|go dont\n");
    READS_LEFT_OUT(0, "7 \u00c9t\u00e9", "1\t7 77 \u00e9t\u00c9\n", "1 77\n");
    READS_LEFT_OUT(0, "a b", "1\ta b\n-1\tc\n", "1\n-1 c\n");
    READS_LEFT_OUT(0, " ,; ", "1\ta\n", "1 a\n");
    READS_LEFT_OUT(0, sluice_stop_words("english"), "1\tIt's not what the doctor ordered\n",
                   "1 not|doctor|not doctor|ordered|doctor ordered\n");
    CHECK(!sluice_stop_words("englisch"));
}

/* Length is in characters, and an ideograph is a word whatever the least length is. */
TEST(the_least_length_of_words_of_all_scripts) {
    READS_LEFT_OUT(2, NULL, "1\t\u00e9 \u00e9t \u6771x\n", "1 \u00e9t|\u6771|\u00e9t \u6771\n");
    READS_LEFT_OUT(16, NULL, "1\t" SIXTY "abcdefg " TEN "12345\n", "1 " SIXTY "abcd\n");
    READS_LEFT_OUT(0, "\u6771", "1\t\u6771\u4eac\n", "1 \u4eac\n");
}

TEST(characters_are_of_all_words) {
    sluice_reader_options o = {.format = "text", .chars = "3", .stop_words = "the", .min_length = 2};
    check_raw("1\tthe a\n", 8, o, "1 ~_th|~the|~he_|~_a_\n");
}

TEST(the_ending_says_so) {
    CHECK_STR(sl_format_by_ending("mail.text.tsv.zst", NULL)->name, "text");
    CHECK_STR(sl_format_by_ending("bad.url.tsv", NULL)->name, "url");
}

/* Lines without labels have weight 0, which drain_raw() does not expect: hence a reader of their own. */
TEST(lines_without_labels) {
    sluice_reader_options o = {.size = sizeof o, .threads = 1, .format = "text", .unlabelled = 1};
    char *got = read_bytes("some\n\tmore\n1\tlabelled\n\n# comment\n  \t \nx y\n\r\n", 44, &o, 1 << 19);
    CHECK_STR(got, "0*0 some:1\n0*0 more:1\n1 labelled:1\n0*0 comment:1\n0*0 x:0.70710677 y:0.70710677\n");
    free(got);
    got = read_bytes("a\0b\n", 4, &o, 1 << 19);
    CHECK_HAS(got, "NUL");
    free(got);
}

int main(void) {
    RUN(words_are_runs_of_letters_and_digits);
    RUN(lines_of_all_kinds);
    RUN(labels);
    RUN(nul_bytes);
    RUN(bad_lines_are_left_out_and_counted);
    RUN(counts_become_values);
    RUN(many_words_repeat);
    RUN(runs_of_words);
    RUN(runs_of_words_in_a_long_text);
    RUN(of_long_words_the_first_64_bytes_count);
    RUN(letters_of_all_scripts_in_lower_case);
    RUN(words_without_spaces);
    RUN(what_is_not_seen_does_not_split);
    RUN(bytes_that_are_no_utf8_are_latin_1);
    RUN(runs_of_characters_within_tokens);
    RUN(runs_of_characters_of_all_scripts);
    RUN(runs_of_characters_in_a_long_token);
    RUN(words_and_characters_share_a_row);
    RUN(what_characters_may_be_asked_for);
    RUN(words_that_are_left_out_are_as_if_they_were_not_there);
    RUN(the_least_length_of_words_of_all_scripts);
    RUN(characters_are_of_all_words);
    RUN(the_ending_says_so);
    RUN(lines_without_labels);
    return DONE;
}
