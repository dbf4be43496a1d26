/* Crossed features: which pairs of a row's features, under which names, and what is refused. */
#include "stream.h"

#include "base/error.h"

static char *crossed(const char *format, const char *quadratic, int skip, const char *input) {
    return read_with(
        input, strlen(input),
        (sluice_reader_options){
            .size = sizeof(sluice_reader_options), .format = format, .quadratic = quadratic, .skip_errors = skip});
}

#define CROSSES_SKIPPING(skip, format, quadratic, input, want)                                                         \
    do {                                                                                                               \
        char *test_got = crossed(format, quadratic, skip, input);                                                      \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)
#define CROSSES(format, quadratic, input, want) CROSSES_SKIPPING(0, format, quadratic, input, want)

TEST(letters_are_those_that_namespaces_begin_with) {
    CROSSES("vw", "ab", "1 |a x y:2 |b u v:3\n", "1 a^x:1 a^y:2 b^u:1 b^v:3 a^x*b^u:1 a^x*b^v:3 a^y*b^u:2 a^y*b^v:6\n");
    CROSSES("vw", "ab", "1 |apple x |avocado y |bean u |c z\n-1 |a p\n",
            "1 apple^x:1 avocado^y:1 bean^u:1 c^z:1 apple^x*bean^u:1 avocado^y*bean^u:1\n-1 a^p:1\n");
    CROSSES("vw", "ba", "1 |a x |b u:2\n", "1 a^x:1 b^u:2 a^x*b^u:2\n");
    CROSSES("vw", "AB", "1 |a x |b u\n", "1 a^x:1 b^u:1\n");
}

TEST(a_colon_is_any_namespace) {
    CROSSES("vw", "a:", "1 |a x |b u | p\n", "1 a^x:1 b^u:1 p:1 a^x*a^x:1 a^x*b^u:1 a^x*p:1\n");
    CROSSES("vw", "::", "1 |a x |b u\n", "1 a^x:1 b^u:1 a^x*a^x:1 a^x*b^u:1 b^u*b^u:1\n");
}

TEST(the_default_namespace_is_a_space) {
    CROSSES("vw", " b", "1 | p q |b u\n", "1 p:1 q:1 b^u:1 b^u*p:1 b^u*q:1\n");
    CROSSES("vw", " ,b", "1 | p ^q |b u\n", "1 p:1 ^q:1 b^u:1 b^u*p:1 ^q*b^u:1\n");
}

TEST(a_namespace_with_itself_has_every_pair_once) {
    CROSSES("vw", "aa", "1 |a x:2 y:3 z |b u\n",
            "1 a^x:2 a^y:3 a^z:1 b^u:1 a^x*a^x:4 a^x*a^y:6 a^x*a^z:2 a^y*a^y:9 a^y*a^z:3 a^z*a^z:1\n");
    CROSSES("vw", "a,a", "1 |a y:3 |ab u |a x:2\n", "1 a^y:3 ab^u:1 a^x:2 a^y*a^y:9 a^x*a^y:6 a^x*a^x:4\n");
}

TEST(no_pair_comes_twice_from_several_crossings) {
    CROSSES("vw", "ab\nba\nab", "1 |a x |b u\n", "1 a^x:1 b^u:1 a^x*b^u:1\n");
    CROSSES("vw", "a,b\n::\na:", "1 |a x |b u\n", "1 a^x:1 b^u:1 a^x*b^u:1 a^x*a^x:1 b^u*b^u:1\n");
    CROSSES("vw", "a*,*b", "1 |ab x y |b u\n",
            "1 ab^x:1 ab^y:1 b^u:1 ab^x*ab^x:1 ab^x*ab^y:1 ab^x*b^u:1 ab^y*ab^y:1 ab^y*b^u:1\n");
}

TEST(the_order_in_a_row_does_not_matter_to_a_name) {
    CROSSES("vw", "ab", "1 |b u |a x\n1 |a x |b u\n1 |a longname1 |b longname2\n",
            "1 b^u:1 a^x:1 a^x*b^u:1\n1 a^x:1 b^u:1 a^x*b^u:1\n"
            "1 a^longname1:1 b^longname2:1 a^longname1*b^longname2:1\n");
    CROSSES("vw", "::", "1 |a 0123456789b 0123456789a\n",
            "1 a^0123456789b:1 a^0123456789a:1 a^0123456789b*a^0123456789b:1 a^0123456789a*a^0123456789b:1 "
            "a^0123456789a*a^0123456789a:1\n");
}

TEST(values_multiply) {
    CROSSES("vw", "ab", "1 |a:0.5 x:4 |b u:-3\n", "1 a^x:2 b^u:-3 a^x*b^u:-6\n");
    CROSSES("vw", "ab", "1 |a x x:2 |b u\n", "1 a^x:3 b^u:1 a^x*b^u:3\n"); /* added up before */
    CROSSES("vw", "ab", "1 |a x:0 y |b u\n", "1 a^x:0 a^y:1 b^u:1 a^y*b^u:1\n");
    CROSSES("vw", "ab", "1 |a x:1e-30 |b u:1e-30\n", "1 a^x:1e-30 b^u:1e-30\n");
    CROSSES("vw", "ab", "1 |a y |b u\n1 |a x:1e30 |b u:1e30\n",
            "1 a^y:1 b^u:1 a^y*b^u:1\ndata mem:2:1: 'a^x' times 'b^u' is beyond the range of a float, about 3.4e38\n");
    CROSSES_SKIPPING(1, "vw", "ab", "1 |a x*:1e30 |b u:1e30\n1 |a x* |b u\n",
                     "1 a^x\\*:1 b^u:1 a^x\\**b^u:1\nskipped range=1\n");
}

TEST(columns_by_name_and_pattern) {
    CROSSES("csv", "age,city", "label,age,city\n1,30,Bonn\n0,,Rome\n1,7,\n",
            "1 age:30 city=Bonn:1 age*city=Bonn:30\n0 city=Rome:1\n1 age:7\n");
    CROSSES("csv", "age,age", "label,age,x\n1,3,4\n", "1 age:3 x:4 age*age:9\n");
    CROSSES("csv", "x*,y", "label,x1,x2,y,z\n1,2,3,5,7\n", "1 x1:2 x2:3 y:5 z:7 x1*y:10 x2*y:15\n");
    CROSSES("csv", "*b*,z", "label,ab,b,cbd,c,z\n1,1,2,3,4,5\n", "1 ab:1 b:2 cbd:3 c:4 z:5 ab*z:5 b*z:10 cbd*z:15\n");
    CROSSES("csv", "a*b*c,z", "label,abc,axbxc,abcd,ac,z\n1,1,2,3,4,5\n",
            "1 abc:1 axbxc:2 abcd:3 ac:4 z:5 abc*z:5 axbxc*z:10\n");
    CROSSES("csv", "xy", "label,x1,y1\n1,2,5\n", "1 x1:2 y1:5 x1*y1:10\n");
    CROSSES("csv", "a\\,b,c\\*", "label,\"a,b\",c*\n1,2,3\n", "1 a,b:2 c\\*:3 a,b*c\\*:6\n");
    CROSSES("csv", "x,y", "label,x,y\n1,a=b,c\n", "1 x=a=b:1 y=c:1 x=a=b*y=c:1\n");
}

TEST(keys_and_those_within) {
    CROSSES("jsonl", "age,city", "{\"label\": 1, \"age\": 30, \"city\": \"Bonn\"}\n",
            "1 age:30 city=Bonn:1 age*city=Bonn:30\n");
    CROSSES("jsonl", "clicks.*,tags",
            "{\"label\": 1, \"clicks\": {\"day\": 3, \"on\": [2]}, \"tags\": [\"a\", \"b\"]}\n",
            "1 clicks.day:3 clicks.on.0:2 tags=a:1 tags=b:1 clicks.day*tags=a:3 clicks.day*tags=b:3 "
            "clicks.on.0*tags=a:2 clicks.on.0*tags=b:2\n");
}

/* The name of a crossed feature is that of no other one. */
TEST(stars_in_names_are_escaped) {
    CROSSES("vw", "ab", "1 |a x |b u |c x*b^u |d a*b\n", "1 a^x:1 b^u:1 c^x\\*b^u:1 d^a\\*b:1 a^x*b^u:1\n");
    CROSSES("vw", "ab", "1 | a^x*b^u a^x\\ |b u\n", "1 a^x\\*b^u:1 a^x\\:1 b^u:1 a^x\\*b^u*b^u:1 a^x\\\\*b^u:1\n");
    CROSSES("vw", "a,b", "1 |a x\\ x\\* |b u *u\n",
            "1 a^x\\:1 a^x\\\\\\*:1 b^u:1 b^\\*u:1 a^x\\\\*b^u:1 a^x\\\\*b^\\*u:1 a^x\\\\\\**b^u:1 "
            "a^x\\\\\\**b^\\*u:1\n");
    CROSSES("vw", "zz", "1 |a x\\\n", "1 a^x\\:1\n");
}

TEST(columns_that_are_not_there) {
    CROSSES("csv", "age,cty", "label,age,city\n1,30,Bonn\n",
            "data mem:1:1: quadratic 'age,cty': there is no column 'cty'; there are 'age', 'city'\n");
    CROSSES("csv", "ab", "label,age,city\n1,30,Bonn\n",
            "data mem:1:1: quadratic 'ab': there is no column that begins with 'b'; there are 'age', 'city'\n");
    CROSSES("csv", "age,label", "label,age\n1,30\n",
            "data mem:1:1: quadratic 'age,label': there is no column 'label'; there are 'age'\n");
}

TEST(formats_without_groups_are_refused) {
    CROSSES("libsvm", "ab", "1 1:1\n",
            "unsupported mem:0:0: libsvm has no namespaces, columns or keys, whose features could be crossed "
            "(quadratic): vw, csv and jsonl have them\n");
    CROSSES("libsvm", "", "1 1:1\n", "1 1:1\n");
}

#define REFUSED(text, part)                                                                                            \
    do {                                                                                                               \
        sluice_error test_error = {0};                                                                                 \
        CHECK_EQ(sluice_quadratic_check(text, &test_error), SLUICE_E_USAGE);                                           \
        CHECK_HAS(test_error.message, part);                                                                           \
    } while (0)

TEST(texts_that_are_no_crossings) {
    char long_text[SLUICE_MAX_QUADRATIC + 2], many[40 * 4] = "";
    REFUSED("", "two names");
    REFUSED("abc", "'abc': give two names");
    REFUSED("a\\,b", "give two names");
    REFUSED("a", "two letters");
    REFUSED("a,b,c", "one comma");
    REFUSED(",b", "no name");
    REFUSED("a,", "no name");
    REFUSED("a,b\n", "two names");
    memset(long_text, 'a', sizeof long_text);
    long_text[10] = ',', long_text[sizeof long_text - 1] = 0;
    REFUSED(long_text, "more than 4000 bytes");
    long_text[sizeof long_text - 2] = 0;
    CHECK_EQ(sluice_quadratic_check(long_text, NULL), SLUICE_OK);
    for (int i = 0; i < 32; i++) strcat(many, i ? "\nab" : "ab");
    CHECK_EQ(sluice_quadratic_check(many, NULL), SLUICE_OK);
    REFUSED(strcat(many, "\nab"), "more than 32 crossings");
}

static char *missing_of(const char *quadratic, const char *input) {
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .quadratic = quadratic, .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(input, strlen(input), "mem", &o, NULL);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK) {
    }
    const char *missing = sluice_reader_uncrossed(r);
    char *copy = strdup(missing ? missing : "nothing");
    sluice_reader_close(r);
    return copy;
}

#define MISSES(quadratic, input, want)                                                                                 \
    do {                                                                                                               \
        char *test_got = missing_of(quadratic, input);                                                                 \
        CHECK_STR(test_got, want);                                                                                     \
        free(test_got);                                                                                                \
    } while (0)

TEST(what_no_row_had_is_known_at_the_end) {
    MISSES("ab", "1 |b x\n1 |a x\n", "nothing");
    MISSES("ab\nac", "1 |a x |b x |d x\n1 | y\n",
           "quadratic 'ac': there is no namespace, column or key that begins with 'c'; there are the default one, 'a', "
           "'b', 'd'");
    MISSES("a,city", "1 |i x |h x |g x |f x |e x |d x |c x |b x |a x\n",
           "quadratic 'a,city': there is no namespace, column or key 'city'; there are 'a', 'b', 'c', 'd', 'e', 'f', "
           "'g', 'h', ...");
    MISSES("ab", "1 |\n",
           "quadratic 'ab': there is no namespace, column or key that begins with 'a'; there are none with a value");
}

/* A row that would be too large is an error with its place before anything is crossed; the largest one is read. */
TEST(rows_that_explode_are_errors_with_counts) {
    text t = {0};
    add(&t, "1 |a x |b u\n1 |a");
    for (int i = 0; i < 3000; i++) add(&t, " f%d", i);
    add(&t, "\n-1 |a x\n");
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .quadratic = "aa", .threads = 1};
    char *got = read_bytes(t.data, t.n, &o, 1 << 19);
    CHECK_HAS(got, "a row of 3000 features makes 4501500 crossed ones with ");
    CHECK_HAS(got, "mem:2:1:");
    free(got);
    o.skip_errors = 1;
    got = read_bytes(t.data, t.n, &o, 1 << 19);
    CHECK_STR(got, "1 a^x:1 b^u:1 a^x*a^x:1\n-1 a^x:1 a^x*a^x:1\nskipped row-too-large=1\n");
    free(got);
    free(t.data);
}

static size_t count_features(const char *input, size_t n, unsigned threads, size_t block) {
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .quadratic = "aa", .threads = threads};
    sluice_reader *r = sl_reader_open_memory(input, n, "mem", &o, block, NULL);
    const sluice_batch *b;
    size_t features = 0;
    while (sluice_reader_next(r, &b) == SLUICE_OK) features += b->nonzeros;
    CHECK_STR(sluice_reader_error(r)->message, "");
    sluice_reader_close(r);
    return features;
}

TEST(large_rows_are_put_off_and_read) {
    text t = {0};
    for (int row = 0; row < 3; row++) {
        add(&t, "1 |a");
        for (int i = 0; i < 800; i++) add(&t, " f%d", i);
        add(&t, "\n");
    }
    const size_t want = 3 * (800 + 800 * 801 / 2);
    for (unsigned threads = 1; threads <= 3; threads++) {
        CHECK_EQ(count_features(t.data, t.n, threads, 1 << 19), want);
        CHECK_EQ(count_features(t.data, t.n, threads, 1000), want);
    }
    free(t.data);
}

TEST(names_that_become_too_long) {
    text t = {0};
    add(&t, "1 |a ");
    for (int i = 0; i < 6000; i++) add(&t, "abcdefgh*");
    add(&t, " |b x\n");
    char *got = crossed("vw", "ab", 1, t.data);
    CHECK_HAS(got, "a^abcdefgh\\*");
    free(got);
    t.n = 0;
    add(&t, "1 |a ");
    for (int i = 0; i < 5000; i++) add(&t, "abcdefgh");
    add(&t, " |b ");
    for (int i = 0; i < 5000; i++) add(&t, "abcdefgh");
    add(&t, "\n");
    got = crossed("vw", "ab", 0, t.data);
    CHECK_HAS(got, "mem:1:1: 'a^abc");
    CHECK_HAS(got, "a name longer than 65535 bytes");
    free(got);
    t.n = 0;
    add(&t, "1 |c ");
    for (int i = 0; i < 40000; i++) add(&t, "*");
    add(&t, "\n");
    got = crossed("vw", "ab", 0, t.data);
    CHECK_HAS(got, "a name is longer than 65535 bytes with its stars");
    free(got);
    free(t.data);
}

int main(void) {
    RUN(letters_are_those_that_namespaces_begin_with);
    RUN(a_colon_is_any_namespace);
    RUN(the_default_namespace_is_a_space);
    RUN(a_namespace_with_itself_has_every_pair_once);
    RUN(no_pair_comes_twice_from_several_crossings);
    RUN(the_order_in_a_row_does_not_matter_to_a_name);
    RUN(values_multiply);
    RUN(columns_by_name_and_pattern);
    RUN(keys_and_those_within);
    RUN(stars_in_names_are_escaped);
    RUN(columns_that_are_not_there);
    RUN(formats_without_groups_are_refused);
    RUN(texts_that_are_no_crossings);
    RUN(what_no_row_had_is_known_at_the_end);
    RUN(rows_that_explode_are_errors_with_counts);
    RUN(large_rows_are_put_off_and_read);
    RUN(names_that_become_too_long);
    return DONE;
}
