/* Labels as text: what every reader takes for a label, which labels are words, and every error with its place. */
#include "stream.h"

#include "rows/label_text.h"

/* Whatever the blocks, threads and pieces are, a text in this format reads so. */
static void check_words(const char *format, const char *input, size_t n, int skip, const char *want) {
    sluice_reader_options o = {
        .size = sizeof o, .format = format, .weight = "weight", .skip_errors = skip, .words = 1, .threads = 1};
    if (strcmp(format, "csv") == 0) o.weight = NULL;
    char *got = read_with(input, n, o);
    CHECK_STR(got, want);
    free(got);
}

#define READS(format, input, want) check_words(format, input, sizeof(input) - 1, 0, want)
#define SKIPS(format, input, want) check_words(format, input, sizeof(input) - 1, 1, want)

TEST(words_and_numbers_other_than_one_are_kept_as_written) {
    READS("libsvm", "spam 1:2\nham\n2 3:1\n-7.50 1:1\n1,2 1:1\n+2 1:1\nspam\t1:1 # note\nspam# note\n",
          "0=spam 1:2\n0=ham\n2=2 3:1\n-7.5=-7.50 1:1\n0=1,2 1:1\n2=+2 1:1\n0=spam 1:1\n0=spam\n");
    READS("vw", "spam |f a\n2 | b\nyes 2.5 |f a\nno 3 0 'tag |f a\nspam tag|f a\n-3 0.5 |f a\n",
          "0=spam f^a:1\n2=2 b:1\n0=yes*2.5 f^a:1\n0=no*3 f^a:1\n0=spam f^a:1\n-3=-3*0.5 f^a:1\n");
    READS("text", "spam\tx\nnot spam \tx\n 2.0\tx\n2\n", "0=spam x:1\n0=not\\x20spam x:1\n2=2.0 x:1\n2=2\n");
    READS("csv", "label,a\nspam,1\n\"a,\"\"b\"\"\",2\n 2 ,3\n yes ,4\n\"two\nlines\",5\n30,6\n",
          "0=spam a:1\n0=a,\"b\" a:2\n2=2 a:3\n0=yes a:4\n0=two\\x0alines a:5\n30=30 a:6\n");
    READS("jsonl",
          "{\"label\":\"spam\",\"a\":1}\n{\"a\":2,\"label\":\"a\\\"\\u00e9\\n\"}\n{\"label\":-2.50,\"a\":3}\n"
          "{\"label\":\"2\",\"weight\":3,\"a\":\"b\"}\n{\"a\":{\"label\":\"x\"},\"label\":12}\n",
          "0=spam a:1\n0=a\"\\xc3\\xa9\\x0a a:2\n-2.5=-2.50 a:3\n2=2*3 a=b:1\n12=12 a.label=x:1\n");
}

TEST(urls_have_words_too) {
    sluice_reader_options o = {.size = sizeof o, .format = "url", .words = 1};
    char *got = read_with("phish\t//x\n3e0\t//x\n+1\t//x\n", 25, o), *line = got;
    static const char *const want[] = {"0=phish ", "3=3e0 ", "1 "};
    for (size_t i = 0; i < 3; i++, line = strchr(line, '\n') + 1) CHECK(strncmp(line, want[i], strlen(want[i])) == 0);
    CHECK(*line == 0);
    free(got);
}

TEST(minus_one_zero_and_one_in_any_spelling_have_no_word) {
    READS("libsvm", "1 1:1\n+1 1:1\n-1 1:1\n0 1:1\n1.0 1:1\n-0 1:1\n01 1:1\n10e-1 1:1\n1e-400 1:1\n0.0000 1:1\n-1.\n",
          "1 1:1\n1 1:1\n-1 1:1\n0 1:1\n1 1:1\n-0 1:1\n1 1:1\n1 1:1\n0 1:1\n0 1:1\n-1\n");
    READS("vw", "1 |\n+1 |\n-1.0 2 |\n0e5 |\n", "1\n1\n-1*2\n0\n");
    READS("text", "+1\tx\n1.00\tx\n-1 \tx\n1\n", "1 x:1\n1 x:1\n-1 x:1\n1\n");
    READS("csv", "label,a\n1,1\n-1,1\n+1,1\n1.0,1\n 0 ,1\n\"1\",1\n01,1\n0.0,1\n",
          "1 a:1\n-1 a:1\n1 a:1\n1 a:1\n0 a:1\n1 a:1\n1 a:1\n0 a:1\n");
    READS("jsonl", "{\"label\":1}\n{\"label\":-1.0}\n{\"label\":\"1\"}\n{\"label\":\"-0\"}\n{\"label\":0.0e3}\n",
          "1\n-1\n1\n-0\n0\n");
}

/* Equal as floats is not enough. */
TEST(numbers_near_one_are_other_numbers) {
    READS("libsvm", "1.00000000001 1:1\n1e-50 1:1\n", "1=1.00000000001 1:1\n0=1e-50 1:1\n");
    READS("csv", "label,a\n0.99999999999999,1\n", "1=0.99999999999999 a:1\n");
    READS("jsonl", "{\"label\":0.99999999999999}\n", "1=0.99999999999999\n");
    READS("vw", "1.00000000001 |\n", "1=1.00000000001\n");
}

TEST(true_and_false_are_words) {
    READS("libsvm", "true 1:1\nFalse 1:1\n", "0=true 1:1\n0=False 1:1\n");
    READS("text", "true\tx\nFALSE\tx\n", "0=true x:1\n0=FALSE x:1\n");
    READS("csv", "label,a\ntrue,1\nFalse,2\n", "0=true a:1\n0=False a:2\n");
    READS("jsonl", "{\"label\":true}\n{\"label\":false}\n{\"label\":\"true\"}\n", "0=true\n0=false\n0=true\n");
}

TEST(without_a_label_nothing_is_learned) {
    READS("libsvm", "1 1:1\n? 1:1\n", "1 1:1\ndata mem:2:1: there is no label\n");
    READS("vw", "? |f a\n", "data mem:1:1: there is no label\n");
    READS("vw", "|f a\nspam|f a\n'spam |f a\n", "0*0 f^a:1\n0*0 f^a:1\n0*0 f^a:1\n");
    READS("text", "\tx\n", "data mem:1:1: there is no label; a line is label<TAB>text\n");
    READS("text", " ?\tx\n", "data mem:1:2: there is no label; a line is label<TAB>text\n");
    READS("csv", "a,label\n1,\n", "data mem:2:3: there is no label\n");
    READS("csv", "a,label\n1,\" \"\n", "data mem:2:3: there is no label\n");
    READS("csv", "a,label\n1,?\n", "data mem:2:3: there is no label\n");
    READS("jsonl", "{\"label\":\"\"}\n", "data mem:1:10: there is no label\n");
    READS("jsonl", "{\"a\":1,\"label\":\"?\"}\n", "data mem:1:16: there is no label\n");
    READS("jsonl", "{\"label\":null}\n", "0*0\n");
    READS("jsonl", "{\"a\":1}\n", "data mem:1:1: there is no key 'label' for the label; there are 'a'\n");
}

TEST(numbers_that_are_no_floats_are_errors) {
    READS("libsvm", "nan 1:1\n", "data mem:1:1: label 'nan' is not finite\n");
    READS("libsvm", "-1e39 1:1\n", "data mem:1:1: label '-1e39' is beyond the range of a float, about 3.4e38\n");
    READS("libsvm", "1e999\n", "data mem:1:1: label '1e999' is beyond the range of a float, about 3.4e38\n");
    READS("vw", "-Inf |\n", "data mem:1:1: label '-Inf' is not finite\n");
    READS("text", "infinity\tx\n", "data mem:1:1: label 'infinity' is not finite\n");
    READS("csv", "label,a\nNaN,1\n",
          "data mem:2:1: label 'NaN' is not finite; leave the cell of a value that is missing empty\n");
    READS("csv", "label,a\n1e99,1\n", "data mem:2:1: label '1e99' is beyond the range of a float, about 3.4e38\n");
    READS("jsonl", "{\"label\":NaN}\n", "data mem:1:10: label 'NaN' is not finite\n");
    READS("jsonl", "{\"label\":\"1e99\"}\n",
          "data mem:1:10: label '1e99' is beyond the range of a float, about 3.4e38\n");
    READS("libsvm", "nano\nnan-1\ninfo\n1e99x\nNaNa\n", "0=nano\n0=nan-1\n0=info\n0=1e99x\n0=NaNa\n");
}

TEST(what_is_wrong_stays_wrong) {
    READS("libsvm", "spam 1:1\n3:1 4:1\n", "0=spam 1:1\ndata mem:2:1: there is no label before '3:1'\n");
    READS("libsvm", "spam 1:1\nham 1:x\nham 1:2\n", "0=spam 1:1\ndata mem:2:7: value 'x' of id 1 is not a number\n");
    SKIPS("libsvm", "spam 1:1\nham 1:x\n? 1:1\n1 1:1\nham 1:2\na\0b 1:1\n",
          "0=spam 1:1\n1 1:1\n0=ham 1:2\nskipped label=1\nskipped value=1\nskipped nul=1\n");
    READS("vw", "spam eggs |f a\n", "data mem:1:6: importance 'eggs' is not a number\n");
    READS("vw", "1:2.5 |f a\n", "data mem:1:1: label '1:2.5' has a colon: labels of costs are not read\n");
    READS("text", "spam\tx\nthis line has no tab\n",
          "0=spam x:1\ndata mem:2:1: there is no tab behind 'this line has no tab'; a line is label<TAB>text\n");
    SKIPS("text", "spam\tx\nno tab\nham\ty\n", "0=spam x:1\n0=ham y:1\nskipped label=1\n");
    READS("jsonl", "{\"label\":\"a\\q\"}\n", "data mem:1:12: there is no escape '\\q'\n");
    READS("jsonl", "{\"label\":\"a}\n", "data mem:1:10: a string without an end\n");
    READS("jsonl", "{\"label\":\"a\\\n", "data mem:1:10: a string without an end\n");
    READS("jsonl", "{\"label\":[1]}\n", "data mem:1:10: label '[1]}' is not a string, a number, true, false or null\n");
    READS("jsonl", "{\"label\":\"a\",\"label\":\"b\"}\n", "data mem:1:14: the key 'label' stands twice\n");
    SKIPS("jsonl", "{\"label\":\"a\"}\n{\"label\":\"\\ud800\"}\n{\"label\":\"b\",\"c\":1}\n",
          "0=a\n0=b c:1\nskipped field=1\n");
    SKIPS("csv", "label,a\nx,1\n\"y\"z,1\n1,2\nz,3\n", "0=x a:1\n1 a:2\n0=z a:3\nskipped field=1\n");
}

/* A label of n bytes, once where it is as long as a name may be and once beyond. */
static void check_length(const char *format, const char *head, const char *tail, int column) {
    for (size_t n = SLUICE_MAX_NAME; n <= SLUICE_MAX_NAME + 1; n++) {
        size_t before = strlen(head), behind = strlen(tail);
        char *input = malloc(before + n + behind), number[200];
        memcpy(input, head, before);
        memset(input + before, 'w', n);
        memcpy(input + before + n, tail, behind);
        sluice_reader_options o = {.size = sizeof o, .format = format, .words = 1};
        char *got = read_with(input, before + n + behind, o);
        if (n == SLUICE_MAX_NAME) {
            CHECK(strlen(got) >= n + 3 && memcmp(got, "0=", 2) == 0);
            CHECK_EQ(strspn(got + 2, "w"), n);
        } else {
            snprintf(number, sizeof number, ":%d: label 'wwwwwwwwwwwwwwwwwwwwwwww...' is longer than 65535 bytes",
                     column);
            CHECK(strstr(got, number) != NULL);
        }
        free(got);
        free(input);
    }
}

TEST(a_label_is_as_long_as_a_name_may_be) {
    check_length("libsvm", "", " 1:1\n", 1);
    check_length("vw", "", " |f a\n", 1);
    check_length("text", "", "\tx\n", 1);
    check_length("csv", "label,a\n", ",1\n", 1);
    check_length("csv", "label,a\n\"", "\",1\n", 1);
    check_length("jsonl", "{\"label\":\"", "\",\"a\":1}\n", 10);
}

/* Doubled quotes count once. */
TEST(a_long_csv_label_of_quotes) {
    text t = {0};
    add(&t, "label\n\"");
    for (int i = 0; i < SLUICE_MAX_NAME; i++) add(&t, "\"\"");
    add(&t, "\"\n");
    sluice_reader_options o = {.size = sizeof o, .format = "csv", .words = 1};
    char *got = read_with(t.data, t.n, o);
    CHECK_EQ(strspn(got + 2, "\""), SLUICE_MAX_NAME);
    free(got);
    free(t.data);
}

TEST(without_the_option_labels_are_numbers) {
    static const struct {
        const char *format, *input, *want;
    } cases[] = {
        {"libsvm", "spam 1:1\n", "data mem:1:1: label 'spam' is not a number\n"},
        {"libsvm", "2.5 1:1\n", "2.5 1:1\n"},
        {"vw", "spam |f a\n", "data mem:1:1: label 'spam' is not a number\n"},
        {"text", "true\tx\n3\tx\n", "1 x:1\n3 x:1\n"},
        {"csv", "label,a\nTRUE,1\n7,1\nno,1\n",
         "1 a:1\n7 a:1\ndata mem:4:1: label 'no' is not a number, true or false\n"},
        {"jsonl", "{\"label\":true}\n{\"label\":2}\n{\"label\":\"a\"}\n",
         "1\n2\ndata mem:3:10: label '\"a\"}' is not a number, true, false or null\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_reader_options o = {.size = sizeof o, .format = cases[i].format};
        char *got = read_with(cases[i].input, strlen(cases[i].input), o);
        CHECK_STR(got, cases[i].want);
        free(got);
    }
}

/* Predictions need no labels: words change nothing. */
TEST(where_no_label_is_needed_words_are_not_read) {
    for (int words = 0; words < 2; words++) {
        sluice_reader_options o = {.size = sizeof o, .format = "vw", .unlabelled = 1, .words = words};
        char *got = read_with("spam |f a\n2 |f a\n? |f a\n", 24, o);
        CHECK_STR(got, "0*0 f^a:1\n2 f^a:1\n0*0 f^a:1\n");
        free(got);
    }
}

/* The fast parser and the careful one agree on rows of all kinds of labels, in long texts. */
TEST(many_rows_with_and_without_words) {
    static const char *const labels[] = {"1",          "-1", "spam", "2",  "+1",   "0",
                                         "news.group", "10", "1.0",  "-3", "ham#", "?x"};
    text t = {0}, want = {0};
    for (unsigned i = 0; i < 20000; i++) {
        const char *label = labels[(i * 2654435761u >> 16) % 12];
        sl_label y;
        size_t n = strcspn(label, "#");
        char copy[32] = "", number[40];
        memcpy(copy, label, n);
        CHECK(sl_label_is_fine(sl_label_read(copy, n, &y)));
        add(&t, "%s 1:1 %u:0.25\n", label, i + 2);
        sluice_format_float(number, y.value);
        add(&want, "%s%s%s", number, y.word.n ? "=" : "", y.word.n ? copy : "");
        if (!label[n]) add(&want, " 1:1 %u:0.25", i + 2);
        add(&want, "\n");
    }
    sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .words = 1};
    char *got = read_with(t.data, t.n, o);
    CHECK_STR(got, want.data);
    free(got);
    free(t.data);
    free(want.data);
}

TEST(batches_take_words) {
    sluice_error err;
    sluice_batch *b = sluice_batch_new(&err);
    const uint64_t ids[] = {7};
    const float values[] = {1};
    sluice_example x = {.ids = ids, .values = values, .n = 1, .label = 1, .weight = 1}, back;
    uint64_t room[1];
    CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_OK);
    CHECK(!sluice_batch_has_words(b));
    static const struct {
        const char *word;
        double label;
        size_t n;
    } cases[] = {{"spam", 0, 4}, {"1.0", 1, 0}, {"2", 2, 1}, {"-1", -1, 0}, {"?a", 0, 2}, {"1e-50", 0, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char exact[8]; /* nothing may be read behind the word */
        size_t n = strlen(cases[i].word);
        char *word = memcpy(malloc(n), cases[i].word, n);
        memcpy(exact, cases[i].word, n);
        x.word = (sluice_name){word, n};
        x.label = 5;
        CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_OK);
        free(word);
        sluice_batch_row(b, i + 1, room, NULL, &back);
        CHECK(back.label == cases[i].label && back.word.n == cases[i].n);
        CHECK(back.word.n == 0 || memcmp(back.word.text, exact, n) == 0);
    }
    CHECK(sluice_batch_has_words(b));
    CHECK_EQ(sluice_batch_word(b, 0).n, 0);
    static const char *const wrong[] = {"?", "nan", "1e39"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        x.word = (sluice_name){wrong[i], strlen(wrong[i])};
        CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_E_DATA);
    }
    char *tall = malloc(SLUICE_MAX_NAME + 1);
    memset(tall, '7', SLUICE_MAX_NAME + 1);
    x.word = (sluice_name){tall, SLUICE_MAX_NAME + 1};
    CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_E_DATA);
    CHECK_STR(err.message, "label '777777777777777777777777...' is longer than 65535 bytes");
    memset(tall, '0', SLUICE_MAX_NAME);
    x.word.n = SLUICE_MAX_NAME; /* a long way to write 0 */
    CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_OK);
    CHECK_EQ(sluice_batch_word(b, sluice_batch_rows(b) - 1).n, 0);
    free(tall);
    CHECK_EQ(sluice_batch_rows(b), 8);
    sluice_csr csr = {.size = sizeof csr};
    CHECK_EQ(sluice_batch_csr(b, &csr, NULL, &err), SLUICE_E_UNSUPPORTED);
    sluice_batch_free(b);
}

/* A matrix has labels that are numbers. */
TEST(numbers_that_are_words_go_into_a_matrix) {
    sluice_batch *b = sluice_batch_new(NULL);
    sluice_example x = {.weight = 1, .word = {"2.5", 3}};
    CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    sluice_csr csr = {.size = sizeof csr};
    CHECK_EQ(sluice_batch_csr(b, &csr, NULL, NULL), SLUICE_OK);
    CHECK(((const float *)csr.labels)[0] == 2.5f);
    sluice_batch_free(b);
}

int main(void) {
    RUN(words_and_numbers_other_than_one_are_kept_as_written);
    RUN(urls_have_words_too);
    RUN(minus_one_zero_and_one_in_any_spelling_have_no_word);
    RUN(numbers_near_one_are_other_numbers);
    RUN(true_and_false_are_words);
    RUN(without_a_label_nothing_is_learned);
    RUN(numbers_that_are_no_floats_are_errors);
    RUN(what_is_wrong_stays_wrong);
    RUN(a_label_is_as_long_as_a_name_may_be);
    RUN(a_long_csv_label_of_quotes);
    RUN(without_the_option_labels_are_numbers);
    RUN(where_no_label_is_needed_words_are_not_read);
    RUN(many_rows_with_and_without_words);
    RUN(batches_take_words);
    RUN(numbers_that_are_words_go_into_a_matrix);
    return DONE;
}
