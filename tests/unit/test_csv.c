/* csv: what cells mean, where errors are, and that records are found whatever stands in their quotes. */
#include <sys/stat.h>
#include <unistd.h>

#include "io/named/name_patterns.h"
#include "io/records.h"
#include "stream.h"

static sluice_reader_options csv(void) {
    return (sluice_reader_options){.size = sizeof(sluice_reader_options), .format = "csv"};
}

static void check(const char *input, sluice_reader_options o, const char *want) {
    char *got = read_with(input, strlen(input), o);
    CHECK_STR(got, want);
    free(got);
}

#define CHECK_CSV(input, want) check(input, csv(), want)

static void check_skips(const char *input, const char *want) {
    sluice_reader_options o = csv();
    o.skip_errors = 1;
    check(input, o, want);
}

static void check_columns(const char *input, const char *label, const char *weight, const char *want) {
    sluice_reader_options o = csv();
    o.label = label, o.weight = weight;
    check(input, o, want);
}

static void check_no_header(const char *input, const char *label, const char *want) {
    sluice_reader_options o = csv();
    o.label = label, o.no_header = 1;
    check(input, o, want);
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

TEST(numbers_are_values_and_other_texts_are_categories) {
    CHECK_CSV("label,age,city\n1,30,Bonn\n0,2.5,Ulm\n", "1 age:30 city=Bonn:1\n0 age:2.5 city=Ulm:1\n");
    CHECK_CSV("label,x\n1,0\n1,-0.5\n1,+3\n1,1e3\n1,.5\n1,5.\n1,12345678901\n1,0.1234567890123456\n",
              "1 x:0\n1 x:-0.5\n1 x:3\n1 x:1000\n1 x:0.5\n1 x:5\n1 x:12345679000\n1 x:0.12345679\n");
    CHECK_CSV("label,x\n1,1e\n1,0x10\n1,1.2.3\n1,-\n1,12-05-2020\n1,1 2\n1,+-1\n1,nancy\n1,nan-tes\n1,1e999x\n",
              "1 x=1e:1\n1 x=0x10:1\n1 x=1.2.3:1\n1 x=-:1\n1 x=12-05-2020:1\n1 x=1\\x202:1\n1 x=+-1:1\n1 x=nancy:1\n"
              "1 x=nan-tes:1\n1 x=1e999x:1\n");
}

TEST(every_cell_is_taken_for_itself) { CHECK_CSV("label,x\n1,7\n0,seven\n1,8\n", "1 x:7\n0 x=seven:1\n1 x:8\n"); }

TEST(empty_cells_are_nothing) { CHECK_CSV("label,a,b,c\n1,,2,\n0,,,\n1,\"\",x,  \n", "1 b:2\n0\n1 b=x:1\n"); }

TEST(blanks_belong_to_texts_but_not_to_numbers) {
    CHECK_CSV("label,a, b\n1, 5 , x \n 1 ,\" 5\",\"\t6\t\"\n", "1 a:5 \\x20b=\\x20x\\x20:1\n1 a:5 \\x20b:6\n");
}

TEST(quotes) {
    CHECK_CSV("\"label\",\"a,b\",\"c\"\"d\"\n\"1\",\"2\",\"x,\"\"y\"\"\"\n", "1 a,b:2 c\"d=x,\"y\":1\n");
    CHECK_CSV("label,a\n1,\"one\ntwo\"\n1,\"\n\n\"\n1,\"\r\n\"\n0,3\n",
              "1 a=one\\x0atwo:1\n1 a=\\x0a\\x0a:1\n1 a=\\x0d\\x0a:1\n0 a:3\n");
    CHECK_CSV("label,a\n1,\"\"\"\"\n1,\"\"\"a\"\"b\"\n", "1 a=\":1\n1 a=\"a\"b:1\n");
    CHECK_CSV("\"a\nb\",label\n\"x\",1\n", "1 a\\x0ab=x:1\n");
}

TEST(line_ends_and_blank_lines) {
    CHECK_CSV("label,a\r\n1,2\r\n0,x\r\n1,\r\n1,\"q\"\r\n", "1 a:2\n0 a=x:1\n1\n1 a=q:1\n");
    CHECK_CSV("\n\r\n  \nlabel,a\n\n1,2\n   \n\r\n0,3", "1 a:2\n0 a:3\n");
    CHECK_CSV("label,a\n1,x\ry\n1,2\r", "1 a=x\\x0dy:1\n1 a:2\n");
    CHECK_CSV("label,a\n1,\"x\"", "1 a=x:1\n");
    CHECK_CSV("", "");
    CHECK_CSV("\n\n", "");
    CHECK_CSV("label,a\n", "");
    CHECK_CSV("label,a", "");
    CHECK_CSV("label\n1\n0\n", "1\n0\n");
}

TEST(a_byte_order_mark_is_passed_over) {
    CHECK_CSV("\xef\xbb\xbflabel,a\n1,2\n", "1 a:2\n");
    CHECK_CSV("\xef\xbb\xbf\"label\",a\n1,2\n", "1 a:2\n");
    CHECK_CSV("\xef\xbb\xbf", "");
}

TEST(names_that_come_again_add_up) {
    CHECK_CSV("label,a,a\n1,2,3\n0,x,x\n1,x,4\n", "1 a:5\n0 a=x:2\n1 a=x:1 a:4\n");
    CHECK_CSV("label,a,a=b\n1,b,3\n1,b=c,c\n", "1 a=b:4\n1 a=b=c:2\n");
    CHECK_CSV("label,a,a\n1,3e38,3e38\n", "data mem:2:8: the values of a name that repeats add up to more than a float "
                                          "holds\n");
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

TEST(the_label_column) {
    CHECK_CSV("a,label,b\n5,1,6\n", "1 a:5 b:6\n");
    CHECK_CSV("a,b\n1,6\n", "1 b:6\n");
    check_columns("a,y,label\n5,1,6\n", "y", NULL, "1 a:5 label:6\n");
    check_columns("a,y\n5,1\n", "2", NULL, "1 a:5\n");
    check_columns("a,1,2\n5,6,7\n", "2", NULL, "7 a:5 1:6\n"); /* a name goes before a number */
    check_columns("a,b\n5,1\n", "y", NULL, "data mem:1:1: there is no column 'y' for the label; there are 'a', 'b'\n");
    check_columns("\n\na,b\n5,1\n", "3", NULL,
                  "data mem:3:1: there is no column '3' for the label; there are 'a', 'b'\n");
    check_columns("a,b\n5,1\n", "0", NULL, "data mem:1:1: there is no column '0' for the label; there are 'a', 'b'\n");
    CHECK_CSV("y,a;b\n1,2\n", "1 a;b:2\n");
    CHECK_CSV("label,b,label\n1,2,3\n", "data mem:1:1: two columns are called 'label'\n");
}

TEST(labels) {
    CHECK_CSV("label\n1\n-1\n0\n2.5\n1e-3\ntrue\nFalse\nTRUE\n\"1\"\n 1\n", "1\n-1\n0\n2.5\n0.001\n1\n0\n1\n1\n1\n");
    CHECK_CSV("label,a\nyes,1\n", "data mem:2:1: label 'yes' is not a number, true or false\n");
    CHECK_CSV("label,a\n,1\n", "data mem:2:1: label '' is not a number, true or false\n");
    CHECK_CSV("a,label\n1,nan\n",
              "data mem:2:3: label 'nan' is not finite; leave the cell of a value that is missing empty\n");
    CHECK_CSV("a,label\n1,1e39\n", "data mem:2:3: label '1e39' is beyond the range of a float, about 3.4e38\n");
}

TEST(the_weight_column) {
    check_columns("label,w,a\n1,2.5,3\n0,1,4\n1,0,5\n", NULL, "w", "1*2.5 a:3\n0 a:4\n1*0 a:5\n");
    check_columns("w,label\n2,1\n", NULL, "1", "1*2\n");
    check_columns("label,w\n1,-2\n", NULL, "w", "data mem:2:3: weight '-2' is negative\n");
    check_columns("label,w\n1,\n", NULL, "w", "data mem:2:3: weight '' is not a number\n");
    check_columns("label,w\n1,x\n", NULL, "w", "data mem:2:3: weight 'x' is not a number\n");
    check_columns("label,w\n1,inf\n", NULL, "w",
                  "data mem:2:3: weight 'inf' is not finite; leave the cell of a value that is missing empty\n");
    check_columns("label,w\n1,2\n", NULL, "v",
                  "data mem:1:1: there is no column 'v' for the weight; there are 'label', 'w'\n");
    check_columns("label,w\n1,2\n", "w", "2", "data mem:1:1: the label and the weight are the same column\n");
}

TEST(without_a_header) {
    check_no_header("1,5,x\n0,6,y\n", NULL, "1 2:5 3=x:1\n0 2:6 3=y:1\n");
    check_no_header("5,1,x\n6,0,y\n", "2", "1 1:5 3=x:1\n0 1:6 3=y:1\n");
    check_no_header("\n1,\"a\nb\"\n0,6\n", NULL, "1 2=a\\x0ab:1\n0 2:6\n");
    check_no_header("1,2\n1,2,3\n", NULL, "1 2:2\ndata mem:2:5: more fields than the 2 of the first row\n");
}

TEST(tabs_separate_where_the_first_line_has_them) {
    CHECK_CSV("label\ta,b\tc\n1\t2\tx,y\n", "1 a,b:2 c=x,y:1\n");
    CHECK_CSV("label,a\tb\n1,2\n", "1 a\\x09b:2\n");
    CHECK_CSV("\"la,bel\"\ta\n1\t\"x\ty\"\n", "1 a=x\\x09y:1\n");
}

TEST(the_separator_is_the_one_that_stands_most_often_in_the_first_record) {
    CHECK_CSV("label;a\n1;5\n", "1 a:5\n");
    CHECK_CSV("\n \nlabel|a\n1|x;y\n", "1 a=x;y:1\n");
    CHECK_CSV("label;price, net;city\n1;5;x,y\n", "1 price,\\x20net:5 city=x,y:1\n");
    CHECK_CSV("label;\"a,b,c,d\";e\n1;5;6\n", "1 a,b,c,d:5 e:6\n");
    CHECK_CSV("label|\"a\"\"|,,;\"|e\n1|5|6\n", "1 a\"|,,;:5 e:6\n");
    CHECK_CSV("label,a;b\n1,5\n", "1 a;b:5\n"); /* as often: the comma */
    CHECK_CSV("label\ta;b\n1\t5\n", "1 a;b:5\n");
    CHECK_CSV("label;a|b\n1;5\n", "1 a|b:5\n");
    CHECK_CSV("label;a", ""); /* the first record has no end */
    check_no_header("1;2;3\n0;1,5;4\n", NULL, "1 2:2 3:3\n0 2=1,5:1 3:4\n");
}

TEST(a_separator_that_is_given) {
    sluice_reader_options o = csv();
    o.separator = ';';
    check("label;a,b,c\n1;5\n", o, "1 a,b,c:5\n");
    o.separator = ',';
    check("label;a\n1;5\n", o,
          "data mem:1:1: the header is a single column, 'label;a': if its fields are separated by another byte, say "
          "--separator ';'\n");
    o.separator = ':';
    check("label:a\n1:\"x:y\"\n0:7\n", o, "1 a=x:y:1\n0 a:7\n");
    o.separator = 1;
    check("label\001a\n1\0015\n", o, "1 a:5\n");
    static const char never[] = "a5\"\n\r +-.#\x7f\xc3";
    for (const char *c = never; *c; c++) {
        sluice_error err = {0};
        o.separator = (unsigned char)*c;
        CHECK(sluice_parser_new(&o, &err) == NULL && err.status == SLUICE_E_USAGE);
        CHECK_EQ(sluice_separator((char[]){*c, 0}), 0);
    }
    CHECK(sluice_separator("tab") == '\t' && sluice_separator("\\t") == '\t' && sluice_separator("\t") == '\t');
    CHECK(sluice_separator("comma") == ',' && sluice_separator("semicolon") == ';' && sluice_separator("bar") == '|');
    CHECK(sluice_separator("") == 0 && sluice_separator(";;") == 0 && sluice_separator("space") == 0);
}

/* The first 64 KiB decide, however much there is at once. */
TEST(the_separator_of_a_very_long_header) {
    enum { NAME = 504, NAMES = 130, COMMAS = 400 }; /* 65,520 bytes with semicolons, then more commas */
    char *input = malloc(NAMES * NAME + COMMAS + 32);
    memset(input, 'x', NAMES * NAME);
    for (int i = 1; i <= NAMES; i++) input[i * NAME - 1] = ';';
    memset(input + NAMES * NAME, 'y', 20);
    memset(input + NAMES * NAME + 20, ',', COMMAS);
    strcpy(input + NAMES * NAME + 20 + COMMAS, "\n1;2\n");
    sluice_reader_options o = csv();
    o.threads = 1;
    char *whole = read_bytes(input, strlen(input), &o, 1 << 19), *pieces = read_bytes(input, strlen(input), &o, 1000);
    CHECK_STR(pieces, whole);
    CHECK_HAS(whole, "a row of 2 fields; the header has 131");
    free(whole), free(pieces), free(input);
}

/* ---- which columns are features ---------------------------------------------------------------------------------- */

static void check_chosen(const char *input, const char *columns, const char *ignore, const char *split,
                         const char *want) {
    sluice_reader_options o = csv();
    o.columns = columns, o.ignore = ignore, o.text_columns = split;
    check(input, o, want);
}

TEST(columns_that_are_chosen_and_ignored) {
    const char *input = "id,label,age,a_x,a_y\n7,1,30,1,2\n8,0,x,3,inf\n";
    check_chosen(input, NULL, "id,a_y", NULL, "1 age:30 a_x:1\n0 age=x:1 a_x:3\n"); /* inf is not looked at */
    check_chosen(input, "age,a_x", NULL, NULL, "1 age:30 a_x:1\n0 age=x:1 a_x:3\n");
    check_chosen(input, "a*", "a_?", NULL, "1 age:30\n0 age=x:1\n");
    check_chosen(input, "*", "*[dy]", NULL, "1 age:30 a_x:1\n0 age=x:1 a_x:3\n");
    check_chosen(input, "label", NULL, NULL, "1\n0\n"); /* the label is never a feature */
    check_chosen(input, NULL, "label,id,a_*", NULL, "1 age:30\n0 age=x:1\n");
    check_chosen("label,\"a,b\",c*,cd\n1,2,3,4\n", "a\\,b,c\\*", NULL, NULL, "1 a,b:2 c*:3\n");
    check_chosen("label,a [b]\n1,2\n", "a [b]", NULL, NULL, "1 a\\x20[b]:2\n"); /* as it is, though it is a pattern */
    check_chosen("label,a\n1,\"x\n", NULL, "a", NULL,
                 "data mem:2:3: the quote that begins here is not closed\n"); /* fields are what they are */
    sluice_reader_options o = csv();
    o.no_header = 1, o.ignore = "3";
    check("1,2,3\n", o, "1 2:2\n");
}

TEST(names_that_no_input_has) {
    sluice_reader_options o = csv();
    o.names_must_exist = 1, o.threads = 1, o.ignore = "idd,x*";
    const char *input = "id,label,age\n7,1,30\n";
    char *got = read_bytes(input, strlen(input), &o, 1 << 19);
    CHECK_STR(got,
              "data mem:1:1: ignore: there is no column 'idd'; did you mean 'id'? There are 'id', 'label', 'age'\n");
    free(got);
    o.ignore = "id", o.columns = "age", o.text_columns = "age";
    got = read_bytes(input, strlen(input), &o, 1 << 19);
    CHECK_STR(got, "1 age=30:1\n");
    free(got);
    for (const char *const *wrong = (const char *const[]){"", ",", "a,", ",a", "a,,b", "\\,,", NULL}; *wrong; wrong++) {
        sluice_error err = {0};
        o.ignore = *wrong;
        CHECK(sluice_parser_new(&o, &err) == NULL);
        CHECK_STR(err.message, "ignore: a name is missing: give names and patterns, separated by commas");
    }
}

TEST(patterns) {
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {{"*", "", true},         {"", "", true},      {"a*", "b", false},    {"a*c", "abcbc", true},
                 {"*b*", "abc", true},    {"?", "", false},    {"?b", "ab", true},    {"[a-c]", "b", true},
                 {"[!a-c]", "b", false},  {"[^a]", "b", true}, {"[]]", "]", true},    {"[a", "[a", true},
                 {"[a-]", "-", true},     {"\\*", "*", true},  {"\\*", "a", false},   {"a\\", "a\\", true},
                 {"*a*a*a", "aa", false}, {"**", "x", true},   {"[b-a]", "a", false}, {"*.id", "x.y.id", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(sl_pattern_matches(cases[i].pattern, strlen(cases[i].pattern), cases[i].text, strlen(cases[i].text)),
                 cases[i].matches);
}

TEST(text_columns) {
    check_chosen(
        "label,a,note,b\n1,2,\"Good, \"\"dog\"\"\ngood\",3\n0,4,,x\n1,,7 NA,\n", NULL, NULL, "note",
        "1 a:2 note=good:0.861037 note=dog:0.5085423 b:3\n0 a:4 b=x:1\n1 note=7:0.70710677 note=na:0.70710677\n");
    sluice_reader_options o = csv();
    o.text_columns = "a", o.chars = "3", o.no_words = 1;
    check("label,a\n1,\"\"\"x\"\n", o, "1 a=~_\"x:0.70710677 a=~\"x_:0.70710677\n"); /* one quote, not two */
    o.no_words = 0;
    check("label,a,b\n1,xy,4\n", o, "1 a=xy:0.70710677 a=~_xy:0.5 a=~xy_:0.5 b:4\n");
    o.chars = NULL;
    o.text_columns = "a,b", o.tf = SLUICE_TF_COUNT, o.ngrams = 2;
    check("label,a,b\n1,x x,x\n", o, "1 a=x:0.8944272 a=x\\x20x:0.4472136 b=x:1\n");
    o.ngrams = 1;
    check("label,a,a\n1,x,y\n", o, "1 a=x:1 a=y:1\n"); /* columns of the same name, each with the length 1 */
    o.text_columns = "a";
    char many[4000] = "label,a,b,c\n1,", want[40000]; /* more words than the row has columns */
    for (int i = 0; i < 500; i++) sprintf(many + strlen(many), "w%d ", i);
    strcat(many, ",5,6\n");
    o.threads = 1;
    char *got = read_with(many, strlen(many), o);
    const char *end = " b:5 c:6\n";
    CHECK(strlen(got) > 5000 && strlen(got) < sizeof want && strcmp(got + strlen(got) - strlen(end), end) == 0);
    free(got);
}

TEST(cells_that_say_that_a_value_is_missing) {
    CHECK_CSV("label,a,b\n1,NA,1\n1,nan,2\n1,NaN,3\n1,-nan,4\n1,null,5\n1,NULL,6\n1,n/a,7\n1,#N/A,8\n1,<NA>,9\n",
              "1 b:1\n1 b:2\n1 b:3\n1 b:4\n1 b:5\n1 b:6\n1 b:7\n1 b:8\n1 b:9\n");
    CHECK_CSV("label,a\n1, NA \n1,\"NA\"\n1,+NaN\n1,#na\n", "1\n1\n1\n1\n");
    CHECK_CSV("label,a\n1,None\n1,-\n1,?\n1,nay\n1,N.A.\n", "1 a=None:1\n1 a=-:1\n1 a=?:1\n1 a=nay:1\n1 a=N.A.:1\n");
    sluice_reader_options o = csv();
    o.words = 1;
    check("label,a\nNA,1\n", o, "0=NA a:1\n"); /* a label is what it is */
}

static void write_file(const char *path, const char *bytes) {
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, strlen(bytes), f) == strlen(bytes));
    if (f) fclose(f);
}

TEST(inputs_have_each_their_own_header) {
    char dir[] = "/tmp/sluice-csv-XXXXXX", path[3][64];
    CHECK(mkdtemp(dir) != NULL);
    const char *const names[] = {"a.csv", "b.tsv", "c.csv"};
    const char *const texts[] = {"label,a,b\n1,2,3\n", "b, c\tlabel\n4\t1\n", "c\n0\n"};
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", dir, names[i]);
        write_file(path[i], texts[i]);
    }
    const char *const paths[] = {path[0], path[1], path[2], path[0]};
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t block = 1; block < 100; block *= 3) {
            sluice_reader_options o = {.size = sizeof o, .threads = threads};
            sluice_error err;
            sluice_reader *r = sl_reader_open(paths, 4, &o, block, &err);
            char *got = drain(r);
            CHECK_STR(got, "1 a:2 b:3\n1 b,\\x20c:4\n0\n1 a:2 b:3\n");
            free(got);
        }
    for (int i = 0; i < 3; i++) unlink(path[i]);
    rmdir(dir);
}

/* Reads a text that stands in a file of this name. */
static void check_file(const char *name, const char *bytes, const char *label, const char *want) {
    char dir[] = "/tmp/sluice-csv-XXXXXX", path[64];
    CHECK(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    write_file(path, bytes);
    const char *const paths[] = {path};
    sluice_reader_options o = {.size = sizeof o, .threads = 1, .label = label};
    sluice_error err;
    char *got = drain(sl_reader_open(paths, 1, &o, 1000, &err));
    if (!strstr(got, want)) CHECK_STR(got, want);
    free(got);
    unlink(path);
    rmdir(dir);
}

TEST(lines_of_text_in_a_file_of_tabs_are_no_header) {
    check_file("a.tsv", "ham\tlunch at the noon\nspam\tfree\n", NULL,
               "a.tsv:1:1: the header would be 'ham' and 'lunch at the noon': lines of label<TAB>text are read with "
               "--format text; if it is a header, say --label 1");
    check_file("a.tsv", "1\thttp://x.example/\n0\thttp://y\n", NULL,
               "lines of label<TAB>URL are read with --format url; if it is a header, say --label 1");
    check_file("a.tsv", "ham\tlunch at the noon\n1\t7\n", "1", "1 lunch\\x20at\\x20the\\x20noon:7\n");
    check_file("a.tsv", "label\twords of the mail\n1\t7\n", NULL, "1 words");
    check_file("a.tsv", "words of the mail\tlabel\n7\t1\n", NULL, "1 words");
    check_file("a.tsv", "class\tnumber of words\n1\t7\n", NULL, "1 number");
    check_file("a.tsv", "class\tnumber of all words\tn\n1\t7\t8\n", NULL, "1 number");
    check_file("a.csv", "class,number of all words\n1,7\n", NULL, "1 number");
    check_file("a.tsv", "ham\tno lunch\nspam\tfree prize\nham\tyes\nham\tno way\n", NULL,
               "the header would be 'ham' and 'no lunch': lines of label<TAB>text are read with --format text");
    check_file("a.tsv", "ham\tlunch\r\nspam\tfree prize\r\n\r\nham\tat noon\r\n", NULL,
               "the header would be 'ham' and 'lunch': lines of label<TAB>text are read with --format text");
    check_file("a.tsv", "class\tcity\n1\tNew York\n0\tParis\n1\tOslo\n", NULL, "1 city=New\\x20York");
    check_file("a.tsv", "0\tlunch\n1\tfree prize\n0\tat noon\n", "1", "1 lunch=free\\x20prize");
    check_file("a.tsv", "label\tplace\n1\tNew York\n0\tLos Angeles\n", NULL, "1 place=New\\x20York");
    check_file("a.tsv", "ham\tsay \"hello\"\n", NULL, "; or, if these are lines of label<TAB>text, say --format text");
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

TEST(rows_of_another_length) {
    CHECK_CSV("label,a,b\n1,2\n", "data mem:2:4: a row of 2 fields; the header has 3\n");
    CHECK_CSV("label,a,b\n1\r\n", "data mem:2:2: a row of 1 fields; the header has 3\n");
    CHECK_CSV("label,a\n1,2\n1,2,3\n", "1 a:2\ndata mem:3:5: more fields than the 2 of the header\n");
    CHECK_CSV("label,a\n1,2,\n", "data mem:2:5: more fields than the 2 of the header\n");
    CHECK_CSV("label,a\n1,\"x\ny\",3\n", "data mem:3:4: more fields than the 2 of the header\n");
}

TEST(values_that_are_not_finite) {
    CHECK_CSV("label,a\n1,inf\n",
              "data mem:2:3: column 'a': 'inf' is not finite; leave the cell of a value that is missing empty\n");
    CHECK_CSV("label,a\n1,-Infinity\n",
              "data mem:2:3: column 'a': '-Infinity' is not finite; leave the cell of a value that is missing empty\n");
    CHECK_CSV("label,a\n1,\"1e39\"\n",
              "data mem:2:3: column 'a': '1e39' is beyond the range of a float, about 3.4e38\n");
}

TEST(quotes_out_of_place) {
    CHECK_CSV("label,a\n1,5\" disk\n", "data mem:2:4: a quote in a field that does not begin with one; quote the field "
                                       "and double it\n");
    CHECK_CSV("label,a\n1,\"x\"y\n", "data mem:2:6: text behind the quote that closes a field\n");
    CHECK_CSV("label,a\n1,2\n1,\"x\n\ny", "1 a:2\ndata mem:3:3: the quote that begins here is not closed\n");
    CHECK_CSV("label,\"a\n1,2\n", "data mem:1:7: the quote that begins here is not closed\n");
    CHECK_CSV("label,a\"\n1,2\n", "data mem:1:8: a quote in a field that does not begin with one; quote the field and "
                                  "double it\n");
}

TEST(places_count_lines_in_quotes_too) {
    CHECK_CSV("label,a,b\n1,\"x\n\ny\",2\n0,1,2\n\nx,1,2\n",
              "1 a=x\\x0a\\x0ay:1 b:2\n0 a:1 b:2\ndata mem:7:1: label 'x' is not a number, true or false\n");
    CHECK_CSV("\"a\nb\",label\n1,\"x\ny\"\n", "data mem:3:3: label 'x\\x0ay' is not a number, true or false\n");
    CHECK_CSV("label,a,b\n1,\"x\ny\",inf\n",
              "data mem:3:4: column 'b': 'inf' is not finite; leave the cell of a value that is missing empty\n");
    sluice_error err;
    sluice_reader_options o = csv();
    o.threads = 1;
    const char *input = "\nlabel,a\n1,\"x\ny\"\n\n0,2\n";
    sluice_reader *r = sluice_reader_open_memory(input, strlen(input), "mem", &o, &err);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    CHECK_EQ(b->rows, 2);
    CHECK_EQ(b->line[0], 3);
    CHECK_EQ(b->line[1], 6);
    sluice_reader_close(r);
}

TEST(nul_bytes) {
    static const struct {
        const char *bytes;
        size_t n;
        const char *want;
    } cases[] = {
        {"label,a\n1,x\0y\n", 14, "data mem:2:4: a NUL byte in the text\n"},
        {"label,a\n1,\"x\0y\"\n", 16, "data mem:2:5: a NUL byte in the text\n"},
        {"label,a\n1,\"x\"\0\n", 15, "data mem:2:6: a NUL byte in the text\n"},
        {"label,a\n1,2\0\n", 13, "data mem:2:4: a NUL byte in the text\n"},
        {"label,\0a\n1,2\n", 13, "data mem:1:7: a NUL byte in the text\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = read_with(cases[i].bytes, cases[i].n, csv());
        CHECK_STR(got, cases[i].want);
        free(got);
    }
}

TEST(bad_rows_are_left_out_and_counted) {
    check_skips(
        "label,a\n1,2\nx,1\n1\n1,2,3\n1,x\"\n1,\"x\"y\n1,inf\n1,1e99\n0,\"q\n\"\n1,\"x\"y\"\n0,3\n",
        "1 a:2\n0 a=q\\x0a:1\n0 a:3\nskipped label=1\nskipped field=5\nskipped not-finite=1\nskipped range=1\n");
    check_skips("label,a\n1,2\n1,\"x\n0,3\n", "1 a:2\nskipped field=1\n");
    check_skips("label,a\"\n1,2\n",
                "data mem:1:8: a quote in a field that does not begin with one; quote the field and "
                "double it\n");
    check_skips("label,a,a\n1,2,x\n5,3,inf\n1,4,5\n", "1 a:2 a=x:1\n1 a:9\nskipped not-finite=1\n");
}

TEST(records_that_are_too_long) {
    sluice_reader_options o = csv();
    o.max_line = 10;
    check("label,a\n1,2\n1,\"45\n789\"\n1,\"45\n7890\"\n", o,
          "1 a:2\n1 a=45\\x0a789:1\ndata mem:5:1: line is longer than 10 bytes\n");
    check("label,long\n1,2\n", o, "1 long:2\n");
    check("label,longer\n1,2\n", o, "data mem:1:1: line is longer than 10 bytes\n");
    check("\nlabel,longer", o, "data mem:2:1: line is longer than 10 bytes\n");
    check("label,a\n           \n", o, "data mem:2:1: line is longer than 10 bytes\n");
    check("           \nlabel,a\n", o, "data mem:1:1: line is longer than 10 bytes\n");
    o.skip_errors = 1;
    check("label,a\n1,\"45\n7890\n2\n3\",\"4\",\"\"\"\n5,6\n\"\nx,3\n0,4\n", o,
          "0 a:4\nskipped label=1\nskipped line-too-long=1\n");
    check("label,a\n1,45 7890 2\",4\n0,4\n1,\"x", o, "0 a:4\nskipped field=1\nskipped line-too-long=1\n");
    check("label,a\n1,\"45\n7890 2", o, "skipped line-too-long=1\n");
    check("label,longer\n1,2\n", o, "data mem:1:1: line is longer than 10 bytes\n");
    o.skip_errors = 0;
    check("label,a\n1,\"\n\n\n\"\nx,2\n", o,
          "1 a=\\x0a\\x0a\\x0a:1\ndata mem:6:1: label 'x' is not a number, true or false\n");
}

TEST(lines_are_counted_behind_a_record_that_was_too_long) {
    sluice_reader_options o = csv();
    o.max_line = 10, o.skip_errors = 1, o.threads = 1;
    const char *input = "label,a\n1,\"34\n\n\n\n\n\n\n\"\n0,4\n";
    for (size_t block = 1; block < 100; block *= 2) {
        sluice_error err;
        sluice_reader *r = sl_reader_open_memory(input, strlen(input), "mem", &o, block, &err);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        CHECK_EQ(b->first_line + b->line[0], 10);
        sluice_reader_close(r);
    }
}

TEST(names_that_are_too_long) {
    enum { N = 70000 };
    char *input = malloc(N + 100), *got;
    memset(input, 'x', N + 100);
    memcpy(input, "label,a\n1,2\n1,", 14);
    memcpy(input + N, "\n0,3\n", 6);
    got = read_with(input, strlen(input), csv());
    CHECK_STR(got, "1 a:2\ndata mem:3:3: the column's name and this text are longer than 65535 bytes\n");
    free(got);
    memcpy(input, "label,aaaaaaaa", 14);
    got = read_with(input, strlen(input), csv());
    CHECK_STR(got, "data mem:1:7: the name of a column is longer than 512 bytes\n");
    free(got), free(input);
}

/* ---- where records end ------------------------------------------------------------------------------------------ */

/* The rule, byte by byte: whether bytes[0..n) ends behind a record. */
static bool ends_record(const char *bytes, size_t n, char separator) {
    enum { BEGIN, PLAIN, QUOTED, CLOSED } state = BEGIN;
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (state == QUOTED)
            state = c == '"' ? CLOSED : QUOTED;
        else if (c == '"')
            state = state == PLAIN ? PLAIN : QUOTED;
        else
            state = c == separator || c == '\n' ? BEGIN : PLAIN;
    }
    return n > 0 && bytes[n - 1] == '\n' && state == BEGIN;
}

TEST(records_end_as_a_plain_reading_says) {
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        char bytes[40];
        size_t n = 1 + (size_t)(round % 39);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = "\"\"\",\n\nx"[(seed >> 33) % 7];
        }
        size_t first = 0, last = 0;
        for (size_t i = 1; i <= n; i++)
            if (ends_record(bytes, i, ',')) {
                if (!first) first = i;
                last = i;
            }
        sl_cut whole = {.quotes = true, .separator = ','}, parts = whole, moved = whole;
        CHECK_EQ(sl_cut_last(&whole, bytes, n, 0), last);
        size_t end = 0, split = (seed >> 50) % n;
        end = sl_cut_last(&parts, bytes, split, end);
        CHECK_EQ(sl_cut_last(&parts, bytes, n, end), last);
        size_t found = sl_cut_first(&moved, bytes, split);
        if (!found && split > 0) {
            sl_cut_go_on(&moved, bytes, split);
            found = sl_cut_first(&moved, bytes + split, n - split);
            if (found) found += split;
        }
        if (split > 0) CHECK_EQ(found, first);
    }
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

TEST(it_is_not_written) {
    sluice_error err;
    CHECK(sluice_writer_open("/tmp/sluice-never.csv", NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "csv is read but not written");
    CHECK(sluice_writer_open("-", "csv", &err) == NULL);
    CHECK(access("/tmp/sluice-never.csv", F_OK) != 0);
}

TEST(numbers_that_are_too_large_in_every_spelling) {
    static const char *const large[] = {
        "-1e999", "+1e999", "1.5e+999", "1.e999", ".5E1000", "1e999999", "340282366920938463463374607431768211457000"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char input[100], want[200];
        sprintf(input, "label,x\n1,%s\n", large[i]);
        sprintf(want, "data mem:2:3: column 'x': '%.24s%s' is beyond the range of a float, about 3.4e38\n", large[i],
                strlen(large[i]) > 24 ? "..." : "");
        CHECK_CSV(input, want);
    }
    CHECK_CSV("label,x\n1,1e999e\n1,1e999-\n1,1.5.e999\n1,e999\n1,-e9\n1,9999999999999999999999999999999999999999x\n",
              "1 x=1e999e:1\n1 x=1e999-:1\n1 x=1.5.e999:1\n1 x=e999:1\n1 x=-e9:1\n"
              "1 x=9999999999999999999999999999999999999999x:1\n");
    static const char *const words[] = {"+inf", "Infinity", "-INFINITY"};
    for (size_t i = 0; i < 3; i++) {
        char input[64];
        sprintf(input, "label,x\n1,%s\n", words[i]);
        char *got = read_with(input, strlen(input), csv());
        CHECK_HAS(got, "is not finite; leave the cell of a value that is missing empty");
        free(got);
    }
    CHECK_CSV("label,x\n1,infinite\n1,in\n1,-n\n1,inf.\n", "1 x=infinite:1\n1 x=in:1\n1 x=-n:1\n1 x=inf.:1\n");
}

TEST(rows_without_labels) {
    sluice_reader_options o = csv();
    o.unlabelled = 1;
    check("label,a\n,1\n1,2\n", o, "0*0 a:1\n1 a:2\n");        /* an empty cell */
    check("a,b\n1,2\n3,4\n", o, "0*0 a:1 b:2\n0*0 a:3 b:4\n"); /* no such column */
    o.weight = "w";
    check("a,b\n1,2\n", o, "0*0 a:1 b:2\n"); /* nor one for the weight */
    check("label,a\n ,1\nspam,1\nnan,1\n1e99,1\n", o, "0*0 a:1\n0*0 a:1\n0*0 a:1\n0*0 a:1\n"); /* nor need it be one */
}

TEST(weights_that_cannot_be) {
    check_columns("label,w\n1,nan\n", NULL, "w",
                  "data mem:2:3: weight 'nan' is not finite; leave the cell of a value that is missing empty\n");
    check_columns("label,w\n1,1e99\n", NULL, "w",
                  "data mem:2:3: weight '1e99' is beyond the range of a float, about 3.4e38\n");
    check_columns("label,w\n1,-1\n", NULL, "w", "data mem:2:3: weight '-1' is negative\n");
    check_columns("label,w\n1,\n", NULL, "w", "data mem:2:3: weight '' is not a number\n");
}

TEST(columns_by_name_and_number) {
    CHECK_CSV("a,LABEL\n5,1\n", "1 a:5\n");
    CHECK_CSV("lapel,b\n1,5\n", "1 b:5\n"); /* else the first */
    check_columns("a,b\n5,1\n", "2", NULL, "1 a:5\n");
    check_columns("a,b\n5,1\n", "3", NULL, "data mem:1:1: there is no column '3' for the label; there are 'a', 'b'\n");
    check_columns("a,b\n5,1\n", "0", NULL, "data mem:1:1: there is no column '0' for the label; there are 'a', 'b'\n");
    check_columns("a,b\n5,1\n", "2x", NULL,
                  "data mem:1:1: there is no column '2x' for the label; there are 'a', 'b'\n");
    check_columns("a,b\n5,1\n", "", NULL, "data mem:1:1: there is no column '' for the label; there are 'a', 'b'\n");
    check_columns("a,b\n5,1\n", "0000000002", NULL,
                  "data mem:1:1: there is no column '0000000002' for the label; there are 'a', 'b'\n");
    check_columns("a,a,w\n5,1,1\n", "a", NULL, "data mem:1:1: two columns are called 'a'\n");
    check_columns("label,w,w\n1,1,1\n", NULL, "w", "data mem:1:1: two columns are called 'w'\n");
    check_columns("label,w\n1,1\n", NULL, "v",
                  "data mem:1:1: there is no column 'v' for the weight; there are 'label', 'w'\n");
    check_columns("label,w\n1,1\n", "w", "w", "data mem:1:1: the label and the weight are the same column\n");
    CHECK_CSV("1,2\n3,4\n", "data mem:1:1: the header has nothing but numbers; if there is none, say --no-header\n");
    char wide[200] = "label,";
    memset(wide + 6, '7', 70); /* too long to be a number */
    strcpy(wide + 76, "\n1,2\n");
    char *got = read_with(wide, strlen(wide), csv());
    CHECK(strncmp(got, "1 7777", 6) == 0);
    free(got);
}

TEST(headers_have_a_limit) {
    size_t n = ((size_t)1 << 22) + 10;
    char *header = malloc(n + 8);
    memset(header, ',', n);
    strcpy(header + n, "\n1,2\n");
    sluice_reader_options o = csv();
    o.threads = 1;
    char *got = read_bytes(header, n + 5, &o, 1 << 19);
    CHECK_HAS(got, "more than 4194304 columns");
    free(got), free(header);
}

static int cell(const char *cell_text, float *value) {
    char padded[64 + SLUICE_CELL_PAD];
    const size_t n = strlen(cell_text);
    memcpy(padded, cell_text, n);
    memset(padded + n, '\n', SLUICE_CELL_PAD);
    return sluice_csv_cell(padded, n, value);
}

TEST(what_a_cell_is) {
    float v = 0;
    CHECK(cell("1.5", &v) == SLUICE_CELL_NUMBER && v == 1.5f);
    CHECK(cell(" -7\t", &v) == SLUICE_CELL_NUMBER && v == -7);
    CHECK(cell("", &v) == SLUICE_CELL_EMPTY && cell(" \t", &v) == SLUICE_CELL_EMPTY);
    CHECK(cell("17b", &v) == SLUICE_CELL_TEXT && cell("Bonn", &v) == SLUICE_CELL_TEXT);
    CHECK(cell("1e39", &v) == SLUICE_CELL_TOO_LARGE && cell("-Inf", &v) == SLUICE_CELL_NOT_FINITE);
}

int main(void) {
    RUN(numbers_are_values_and_other_texts_are_categories);
    RUN(every_cell_is_taken_for_itself);
    RUN(empty_cells_are_nothing);
    RUN(blanks_belong_to_texts_but_not_to_numbers);
    RUN(quotes);
    RUN(line_ends_and_blank_lines);
    RUN(a_byte_order_mark_is_passed_over);
    RUN(names_that_come_again_add_up);
    RUN(the_label_column);
    RUN(labels);
    RUN(the_weight_column);
    RUN(without_a_header);
    RUN(tabs_separate_where_the_first_line_has_them);
    RUN(the_separator_is_the_one_that_stands_most_often_in_the_first_record);
    RUN(a_separator_that_is_given);
    RUN(the_separator_of_a_very_long_header);
    RUN(columns_that_are_chosen_and_ignored);
    RUN(names_that_no_input_has);
    RUN(patterns);
    RUN(text_columns);
    RUN(cells_that_say_that_a_value_is_missing);
    RUN(inputs_have_each_their_own_header);
    RUN(lines_of_text_in_a_file_of_tabs_are_no_header);
    RUN(rows_of_another_length);
    RUN(values_that_are_not_finite);
    RUN(quotes_out_of_place);
    RUN(places_count_lines_in_quotes_too);
    RUN(nul_bytes);
    RUN(bad_rows_are_left_out_and_counted);
    RUN(records_that_are_too_long);
    RUN(lines_are_counted_behind_a_record_that_was_too_long);
    RUN(names_that_are_too_long);
    RUN(records_end_as_a_plain_reading_says);
    RUN(it_is_not_written);
    RUN(numbers_that_are_too_large_in_every_spelling);
    RUN(rows_without_labels);
    RUN(weights_that_cannot_be);
    RUN(columns_by_name_and_number);
    RUN(headers_have_a_limit);
    RUN(what_a_cell_is);
    return DONE;
}
