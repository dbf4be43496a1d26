/* What a model file may hold (docs/model-format.md): every rule of the format, with files whose checksums are correct.
 */
#include <math.h>

#include "unit/model_bytes.h"

enum { MAX_LINES = 1024 };

/* The lines of MODL, each with its line end; returns how many. `text` is cut in place. */
static size_t split_lines(const char *text, char line[][512], size_t room) {
    size_t n = 0;
    for (const char *end; *text && n < room; text = end + 1, n++) {
        end = strchr(text, '\n');
        snprintf(line[n], 512, "%.*s\n", (int)(end - text), text);
    }
    return n;
}

static const char *key_of(const char *line) {
    static char key[512];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(line, "="), line);
    return key;
}

/* ---- MODL: keys ---- */

TEST(keys_may_come_in_any_order) {
    const sluice_learner_info *info;
    for (size_t i = 0; (info = sluice_learner_at(i)); i++) {
        file good = file_of(info->name), f = copy_of(&good);
        char *text = modl_of(&f), lines[64][512], turned[8192] = "";
        for (size_t n = split_lines(text, lines, 64); n; n--) strcat(turned, lines[n - 1]);
        CHECK_EQ(strlen(turned), strlen(text));
        set_content(&f, "MODL", turned, strlen(turned));
        accept(&f, &good);
        free(text);
        free(good.bytes);
    }
}

TEST(a_key_that_comes_twice_is_refused) {
    file good = file_of("ada-rda");
    char *text = modl_of(&good), lines[64][512], wanted[600];
    size_t n = split_lines(text, lines, 64);
    CHECK(n > 20);
    for (size_t i = 0; i < n; i++) {
        file f = copy_of(&good);
        replace(&f, "bias=", strcat(strcpy(wanted, lines[i]), "bias="));
        snprintf(wanted, sizeof wanted, "the key '%s' comes twice", key_of(lines[i]));
        refuse(&f, wanted);
    }
    free(text);
    free(good.bytes);
}

TEST(a_key_that_is_missing_is_refused_by_name) {
    static const char *const learners[] = {"ssol", "fobos", "ofs"}; /* with parameters, the last two with scalars */
    for (size_t l = 0; l < 3; l++) {
        file good = file_of(learners[l]);
        char *text = modl_of(&good), lines[64][512], wanted[600];
        size_t n = split_lines(text, lines, 64), scalars = 0;
        for (size_t i = 0; i < n; i++) {
            file f = copy_of(&good);
            replace(&f, lines[i], "");
            snprintf(wanted, sizeof wanted, "the key '%s' is missing", key_of(lines[i]));
            scalars += strncmp(lines[i], "scalar ", 7) == 0;
            if (strncmp(lines[i], "param ", 6) == 0)
                accept(&f, &good); /* it has its default, which it had before */
            else
                refuse(&f, wanted);
        }
        CHECK(l == 0 || scalars > 0);
        free(text);
        free(good.bytes);
    }
}

TEST(unknown_keys_are_refused_unless_they_are_marked_as_optional) {
    file good = file_of("pa-1"), f = copy_of(&good);
    replace(&f, "bias=", "colour=blue\nbias=");
    refuse(&f, "the key 'colour', which this version does not know");
    f = copy_of(&good);
    replace(&f, "bias=", "param D=1\nbias=");
    refuse(&f, "pa-1");
    f = copy_of(&good);
    replace(&f, "bias=", "scalar q=1\nbias=");
    refuse(&f, "the key 'scalar q'");
    f = copy_of(&good);
    replace(&f, "bias=", "?colour=blue = sky\n?=\nbias=");
    accept(&f, &good);
    f = copy_of(&good);
    replace(&f, "bias=", "?colour=blue\n?colour=red\nbias=");
    refuse(&f, "the key '?colour' comes twice");
    f = copy_of(&good);
    replace(&f, "bias=0", "?bias=0");
    refuse(&f, "the key 'bias' is missing");
    f = copy_of(&good);
    replace(&f, "features_seen=", "seen="); /* its name before format 4 */
    refuse(&f, "the key 'features_seen' is missing");
    f = copy_of(&good);
    replace(&f, "bias=", "ngrams=0\nbias="); /* a key of formats 2 and 3 */
    refuse(&f, "the key 'ngrams'");
    /* more parameters than any learner has */
    for (int i = 0; i < 20; i++) {
        char line[64];
        if (i == 0) f = copy_of(&good);
        snprintf(line, sizeof line, "param p%d=1\nbias=", i);
        replace(&f, "bias=", line);
    }
    refuse(&f, "pa-1");
    free(good.bytes);
}

TEST(lines_without_a_key_are_refused) {
    file good = file_of("pa-1"), f = copy_of(&good);
    replace(&f, "bias=", "colour\nbias=");
    refuse(&f, "a line without a key: 'colour'");
    f = copy_of(&good);
    replace(&f, "bias=", "=blue\nbias=");
    refuse(&f, "a line without a key: '=blue'");
    f = copy_of(&good);
    replace(&f, "bias=", "\nbias=");
    refuse(&f, "a line without a key: ''");
    f = copy_of(&good);
    set_content(&f, "MODL", "", 0);
    refuse(&f, "MODL is not lines of text");
    f = copy_of(&good);
    set_content(&f, "MODL", "learner=pa-1", 12);
    refuse(&f, "MODL is not lines of text");
    f = copy_of(&good);
    f.bytes[section(&f, "MODL") + 3] = 0;
    refuse(&f, "MODL is not lines of text");
    free(good.bytes);
}

TEST(modl_has_at_most_1024_lines) {
    file good = file_of("pa-1");
    char *text = modl_of(&good), lines[64][512];
    size_t n = split_lines(text, lines, 64);
    for (size_t more = MAX_LINES - n; more <= MAX_LINES - n + 1; more++) {
        file f = copy_of(&good);
        char *long_text = malloc(strlen(text) + more * 16 + 1), *t = long_text + sprintf(long_text, "%s", text);
        for (size_t i = 0; i < more; i++) t += sprintf(t, "?%zu=\n", i);
        set_content(&f, "MODL", long_text, strlen(long_text));
        if (more == MAX_LINES - n)
            accept(&f, &good);
        else
            refuse(&f, "more than 1024 lines");
        free(long_text);
    }
    free(text);
    free(good.bytes);
}

/* ---- MODL: values ---- */

static void refuse_value(const file *good, const char *key, const char *value) {
    file f = copy_of(good);
    char *text = modl_of(&f), line[512], old[512], wanted[256];
    snprintf(line, sizeof line, "\n%s=", key);
    char *at = strstr(text, line);
    CHECK(at != NULL);
    if (!at) return;
    snprintf(old, sizeof old, "%.*s\n", (int)strcspn(at + 1, "\n"), at + 1);
    snprintf(line, sizeof line, "%s=%s\n", key, value);
    replace(&f, old, line);
    snprintf(wanted, sizeof wanted, "of '%s' is impossible", key);
    refuse(&f, wanted);
    free(text);
}

TEST(values_that_are_no_numbers_are_refused) {
    static const char *const counts[] = {"normalize", "hash_bits", "max_features",  "examples",       "mistakes",
                                         "updates",   "positives", "features_seen", "features_added", "named",
                                         "evicted",   "refused",   "next_scan"};
    static const char *const bad[] = {
        "", "-1", "x", "1 ", " 1", "0x1", "1.5", "18446744073709551616", "99999999999999999999999"};
    file good = file_of("stg");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse_value(&good, counts[i], bad[k]);
    static const char *const not_a_number[] = {"", "x", "1 2", "nan", "inf", "1e999"};
    for (size_t k = 0; k < 6; k++) {
        refuse_value(&good, "bias", not_a_number[k]);
        refuse_value(&good, "calibration", not_a_number[k]);
    }
    free(good.bytes);
    good = file_of("fobos");
    char *text = modl_of(&good), *scalar = strstr(text, "\nscalar ");
    CHECK(scalar != NULL);
    for (size_t k = 0; scalar && k < 6; k++) refuse_value(&good, key_of(scalar + 1), not_a_number[k]);
    free(text);
    free(good.bytes);
}

TEST(values_out_of_range_are_refused) {
    file good = file_of("pa-1"); /* 5 examples */
    static const char *const of[][2] = {
        {"examples", "9223372036854775808"},
        {"mistakes", "6"},
        {"updates", "6"},
        {"positives", "6"},
        {"named", "2"},
        {"features_seen", "4000000001"},
        {"next_scan", "9223372036854775808"},
        {"features_added", "9223372036854775808"},
        {"features_added", "18446744073709551615"},
        {"evicted", "18446744073709551615"},
        {"refused", "18446744073709551615"},
        {"growth", "1 4000000001"},
        {"growth", "18446744073709551615"},
        {"kind", "half"},
        {"kind", "final"},
        {"normalize", "4294967296"},
        {"hash_bits", "4294967296"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) refuse_value(&good, of[i][0], of[i][1]);
    static const char *const refused[][3] = {
        {"normalize=0", "normalize=2", "unknown kind of normalization"},
        {"hash_bits=0", "hash_bits=31", "1 to 30 bits"},
        {"max_features=0", "max_features=4000000001", "at most 4000000000 features"},
        {"bias=0", "bias=1e39", "within the range of floats"},
        {"features_added=11", "features_added=10", "contradict"},
        {"features_seen=11", "features_seen=10", "contradict"},
        {"learner=pa-1", "learner=pa-9", "learner is 'pa-9'"},
        {"learner=pa-1", "learner=", "learner is ''"},
        {"w:f32", "w:f64", "state is not that of pa-1"},
        {"param C=2", "param C=0", "parameter C of pa-1 lies between"},
        {"param C=2", "param C=x", "C"},
        {"param C=2", "param D=2", "pa-1"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        file f = copy_of(&good);
        replace(&f, refused[i][0], refused[i][1]);
        refuse(&f, refused[i][2]);
    }
    file f = copy_of(&good);
    replace(&f, "named=0", "named=1");
    replace(&f, "hash_bits=0", "hash_bits=4");
    refuse(&f, "contradict");
    free(good.bytes);
    good = file_of("ssol-full"); /* a dense learner takes no limit */
    f = copy_of(&good);
    replace(&f, "max_features=0", "max_features=9");
    refuse(&f, "takes no limit");
    free(good.bytes);
}

/* Two examples with a new feature each. */
static sluice_status learn_two(sluice_model *m) {
    sluice_status status = SLUICE_OK;
    for (uint64_t id = 70; id < 72 && status == SLUICE_OK; id++) {
        float value = 1;
        sluice_example x = {&id, &value, 1, 1, 1};
        status = sluice_model_learn(m, &x, NULL);
    }
    return status;
}

TEST(what_is_loaded_can_be_saved_and_loaded_again_whatever_its_counts) {
    file good = file_of("pa-1");
    static const char *const counts[][2] = {
        {"examples=5", "examples"}, {"features_added=11", "features_added"}, {"evicted=0", "evicted"}};
    static const char *const values[] = {"4611686018427387903", "4611686018427387904", "9223372036854775807"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            char line[64];
            snprintf(line, sizeof line, "%s=%s", counts[i][1], values[k]);
            file f = copy_of(&good), same;
            replace(&f, counts[i][0], line);
            same = copy_of(&f);
            accept(&f, &same);
            sluice_model *m = parse(&same, NULL);
            bool room = i == 2 && k == 0;                              /* the half, and nothing is evicted */
            CHECK_EQ(learn_two(m), room ? SLUICE_OK : SLUICE_E_LIMIT); /* after the first where it has room for one */
            if (!room) CHECK_HAS(sluice_model_error(m)->message, "counts are too large");
            f = file_from(m);
            same = copy_of(&f);
            accept(&f, &same);
            free(same.bytes);
        }
    free(good.bytes);
}

TEST(counts_that_cannot_be_added_are_not_merged) {
    file good = file_of("perceptron");
    replace(&good, "examples=5", "examples=9223372036854775807");
    file f = copy_of(&good);
    sluice_model *a = parse(&good, NULL), *b = parse(&f, NULL);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_LIMIT);
    CHECK_EQ(a->state.t, INT64_MAX);
    sluice_model_free(a);
    sluice_model_free(b);
}

/* A weight is computed from 64-bit state; saving would refuse it. */
TEST(a_weight_beyond_the_range_of_floats_is_refused) {
    file f = file_of("fobos");
    const double large = 1e300;
    uint64_t bits;
    memcpy(&bits, &large, sizeof bits);
    size_t features = (size_t)sl_get_le(f.bytes + section(&f, "FEAT") + 1, 4),
           end = section(&f, "FEAT") + section_length(&f, "FEAT");
    sl_put_le(f.bytes + end - 2 * 8 * features, bits, 8); /* two 64-bit fields */
    refuse(&f, "a weight is beyond the range of floats");
}

TEST(lists_that_are_wrong_are_refused) {
    static const char *const bad[] = {" ", "1  2", "1 ", " 1", "1,2", "x", "1 x", "18446744073709551616", "1 -2"};
    file good = file_of("pa-1");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refuse_value(&good, "growth", bad[i]);
        refuse_value(&good, "newest", bad[i]);
    }
    char list[512] = "1";
    for (int i = 1; i < 17; i++) strcat(list, " 1");
    refuse_value(&good, "newest", list);
    for (int i = 17; i < 65; i++) strcat(list, " 1");
    refuse_value(&good, "growth", list);
    static const char *const calibrations[] = {
        "5 5 5 1 0 1 1",    "5 5 5 1 0 1 1 1 1", "5 5 5 1 0 1 1 ",
        "5 5 5 1 0 1 1 x",  "-5 5 5 1 0 1 1 1",  "5  5 5 1 0 1 1 1",
        "5 5 5 -1 0 1 1 1", "5e 5 5 1 0 1 1 1",  "5 5 5 1 0 1 1 0.00000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof calibrations / sizeof *calibrations; i++)
        refuse_value(&good, "calibration", calibrations[i]);
    free(good.bytes);
}

/* ---- sections ---- */

TEST(unknown_sections_are_skipped_where_they_are_marked_so) {
    file good = file_of("ssol-full");
    static const char *const before[] = {"FEAT", "VECT", "MATR", "END "};
    for (size_t i = 0; i < 4; i++) {
        file f = copy_of(&good);
        add_section(&f, before[i], "XTRA", SL_SKIPPABLE, "anything", 8);
        add_section(&f, before[i], "NONE", SL_SKIPPABLE, "", 0);
        add_section(&f, before[i], "XTRA", SL_SKIPPABLE, "again", 5);
        accept(&f, &good); /* and what was skipped is not in the file that is saved */
        f = copy_of(&good);
        add_section(&f, before[i], "XTRA", 0, "anything", 8);
        refuse(&f, "a section 'XTRA', which this version does not know");
    }
    file f = copy_of(&good);
    add_section(&f, "MODL", "XTRA", SL_SKIPPABLE, "anything", 8);
    refuse(&f, "it does not begin with MODL");
    f = copy_of(&good);
    add_section(&f, "END ", "\0\xff\n'", 0, "", 0);
    refuse(&f, "a section '\\x00\\xff\\x0a");
    free(good.bytes);
}

TEST(sections_that_are_skipped_are_checked) {
    file good = file_of("pa-1"), f = copy_of(&good);
    add_section(&f, "FEAT", "XTRA", SL_SKIPPABLE, "anything", 8);
    f.bytes[section(&f, "XTRA") + 3] ^= 1;
    sluice_error err = {0};
    CHECK(!sluice_model_parse(f.bytes, f.n, &err));
    CHECK_HAS(err.message, "section 'XTRA' fails its checksum");
    f.bytes[section(&f, "XTRA") + 3] ^= 1;
    for (uint32_t flags = 2; flags; flags <<= 1) { /* flags without a meaning */
        sl_put_le(f.bytes + section(&f, "XTRA") - 12, flags | SL_SKIPPABLE, 4);
        file other = copy_of(&f);
        refuse(&other, "section 'XTRA' has unknown flags");
    }
    sl_put_le(f.bytes + section(&f, "XTRA") - 12, SL_SKIPPABLE, 4);
    repair(f.bytes, f.n);
    for (size_t cut = section(&f, "XTRA") - SL_SECTION_HEAD; cut < section(&f, "FEAT"); cut++) {
        CHECK(!sluice_model_parse(f.bytes, cut, &err));
        CHECK_HAS(err.message, "cut short");
    }
    sl_put_le(f.bytes + section(&f, "XTRA") - 8, SL_MAX_SECTION + 1, 8);
    refuse(&f, "section 'XTRA' has an impossible length");
    free(good.bytes);
}

TEST(known_sections_are_read_whether_marked_or_not) {
    static const char *const tags[] = {"MODL", "FEAT", "VECT", "MATR", "END "};
    file good = file_of("ssol-full"), f = copy_of(&good);
    for (size_t i = 0; i < 5; i++) sl_put_le(f.bytes + section(&f, tags[i]) - 12, SL_SKIPPABLE, 4);
    accept(&f, &good);
    free(good.bytes);
}

TEST(sections_in_the_wrong_place_are_refused) {
    file good = file_of("ssol-full"), f = copy_of(&good);
    char *text = modl_of(&f);
    add_section(&f, "END ", "MODL", 0, text, strlen(text));
    refuse(&f, "MODL comes twice");
    free(text);
    f = copy_of(&good);
    remove_section(&f, "MODL");
    refuse(&f, "it does not begin with MODL");
    f = copy_of(&good);
    remove_section(&f, "END ");
    refuse(&f, "cut short");
    f = copy_of(&good);
    remove_section(&f, "FEAT");
    refuse(&f, "parts of it are missing");
    f = copy_of(&good);
    remove_section(&f, "VECT");
    refuse(&f, "matrix is too large");
    f = copy_of(&good);
    remove_section(&f, "MATR");
    refuse(&f, "matrix is incomplete");
    f = copy_of(&good);
    add_section(&f, "END ", "VECT", 0, "\0\0\0\0\0\0\0\0", 8); /* behind MATR */
    refuse(&f, "matrix is too large");
    f = copy_of(&good);
    splice(&f, f.n, 0, "x", 1);
    refuse(&f, "more behind its end");
    f = copy_of(&good);
    set_content(&f, "END ", "\x0b", 1);
    refuse(&f, "parts of it are missing");
    free(good.bytes);
}

TEST(heads_that_are_wrong_are_refused) {
    file good = file_of("pa-1"), f = copy_of(&good);
    sl_put_le(f.bytes + 8, SL_MODEL_FORMAT + 1, 4);
    refuse(&f, "newer sluice (format 5)");
    f = copy_of(&good);
    sl_put_le(f.bytes + 8, 0, 4);
    refuse(&f, "its head is impossible");
    f = copy_of(&good);
    f.bytes[15] = 1;
    refuse(&f, "its head is impossible");
    f = copy_of(&good);
    f.bytes[6] = 0;
    sluice_error err = {0};
    CHECK(!sluice_model_parse(f.bytes, f.n, &err));
    CHECK_STR(err.message, "this is not a sluice model");
    free(f.bytes);
    free(good.bytes);
}

/* ---- features ---- */

static file names_file(uint64_t max_features) {
    sluice_settings settings = {.size = sizeof settings, .bias = 1, .max_features = max_features};
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, &settings, NULL);
    for (int t = 0; t < 5; t++) {
        char text[2][8] = {"aa", "b"};
        text[1][0] = (char)('b' + t);
        sluice_name names[] = {{text[0], 2}, {text[1], 1}};
        float values[] = {1, -1};
        sluice_example x = {NULL, values, 2, t % 2 ? 1 : -1, 1, names};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    return file_from(m);
}

/* The second FEAT section: the first is the bias. */
static size_t second_feat(const file *f) { return section(f, "FEAT") + 9 + SL_CHECKSUM + SL_SECTION_HEAD; }

TEST(features_that_are_wrong_are_refused) {
    file f = file_of("pa-1");
    size_t feat = section(&f, "FEAT");
    file good = copy_of(&f);
    sl_put_le(f.bytes + feat + 1, 4000000000u, 4); /* how many features */
    refuse(&f, "impossible length");
    f = copy_of(&good);
    sl_put_le(f.bytes + feat + 1, 0, 4);
    refuse(&f, "impossible length");
    f = copy_of(&good);
    sl_put_le(f.bytes + feat + 1, 10, 4); /* one less than there are */
    refuse(&f, "impossible length");
    f = copy_of(&good);
    sl_put_le(f.bytes + feat - 8, (uint64_t)1 << 60, 8); /* the section's length */
    refuse(&f, "impossible length");
    f = copy_of(&good);
    set_content(&f, "FEAT", "\0\1\0\0", 4);
    refuse(&f, "too short");
    f = copy_of(&good);
    f.bytes[feat + 6] = 0; /* the second id: no larger than the first */
    refuse(&f, "not in order");
    f = copy_of(&good);
    f.bytes[feat] = SL_KEYS_NAMES;
    refuse(&f, "wrong kind");
    f = copy_of(&good);
    f.bytes[feat] = SL_KEYS_BIAS;
    refuse(&f, "impossible length");
    f = copy_of(&good);
    f.bytes[feat] = 3;
    refuse(&f, "wrong kind");
    f = copy_of(&good);
    sl_put_le(f.bytes + section(&f, "END ") - SL_SECTION_HEAD - 8 - 4, 0x7fc00000, 4); /* the last weight: NaN */
    refuse(&f, "impossible value of w");
    f = copy_of(&good);
    sl_put_le(f.bytes + section(&f, "END "), 3, 8);
    refuse(&f, "parts of it are missing");
    f = copy_of(&good); /* ids that do not ascend from section to section */
    add_section(&f, "END ", "FEAT", 0, "\0\1\0\0\0\5\0\0\0\0", 10);
    refuse(&f, "not in order");
    f = copy_of(&good); /* ids beyond 64 bits: as a number, and as a sum */
    set_content(&f, "FEAT", "\0\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0\0\0\0", 19);
    refuse(&f, "not in order");
    f = copy_of(&good);
    set_content(&f, "FEAT", "\0\2\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\0\0\0\0\0\0\0\0", 24);
    refuse(&f, "not in order");
    f = copy_of(&good); /* an id that does not end within the section */
    set_content(&f, "FEAT", "\0\1\0\0\0\xff\xff\xff\xff\xff", 10);
    refuse(&f, "not in order");
    f = copy_of(&good);
    replace(&f, "max_features=0", "max_features=9");
    refuse(&f, "limit on features without names");
    free(good.bytes);
    f = file_of("ada-rda");
    sl_put_le(f.bytes + section(&f, "END ") - SL_SECTION_HEAD - 8 - 8, 0xbff0000000000000u, 8); /* G = -1 */
    refuse(&f, "impossible value of G");
    f = file_of("ada-rda");
    sl_put_le(f.bytes + section(&f, "END ") - SL_SECTION_HEAD - 8 - 8, 0x7ff0000000000000u, 8); /* G infinite */
    refuse(&f, "impossible value of G");
}

TEST(names_that_are_wrong_are_refused) {
    file good = names_file(0), f = copy_of(&good);
    size_t keys = second_feat(&good) + 5; /* 2 a a, 1 b, 1 c, ... */
    CHECK(memcmp(good.bytes + keys, "\2aa\1b\1c", 7) == 0);
    f.bytes[keys + 6] = 'b';
    refuse(&f, "a name comes twice");
    f = copy_of(&good);
    f.bytes[keys] = 127;
    refuse(&f, "a name is too long");
    f = copy_of(&good);
    memcpy(f.bytes + keys, "\x80\x80\x04", 3); /* 65536 */
    refuse(&f, "a name is too long");
    f = copy_of(&good);
    memcpy(f.bytes + keys, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10);
    refuse(&f, "a name is too long");
    f = copy_of(&good);
    f.bytes[second_feat(&good)] = SL_KEYS_IDS;
    refuse(&f, "wrong kind");
    f = copy_of(&good); /* a second bias */
    add_section(&f, "END ", "FEAT", 0, "\1\1\0\0\0\0\0\0\0", 9);
    refuse(&f, "impossible length");
    free(good.bytes);
    good = names_file(100);
    f = copy_of(&good);
    accept(&f, &good);
    f = copy_of(&good);
    sl_put_le(f.bytes + second_feat(&good) + 5 + 3 + 5 * 2, 6, 8); /* last seen in round 6 of 5 */
    refuse(&f, "seen in the future");
    free(good.bytes);
}

/* ---- dense state, pending rows ---- */

TEST(matrices_that_are_wrong_are_refused) {
    file good = file_of("ssol-full"), f = copy_of(&good);
    sl_put_le(f.bytes + section(&f, "VECT") - SL_SECTION_HEAD - 8 - 4, 12, 4); /* a row that the matrix does not have */
    refuse(&f, "outside the matrix");
    f = copy_of(&good);
    memcpy(f.bytes + section(&f, "VECT") - SL_SECTION_HEAD, "MATR", 4);
    refuse(&f, "too large");
    f = copy_of(&good);
    sl_put_le(f.bytes + section(&f, "END ") - SL_SECTION_HEAD - 8 - 8, 0, 8); /* the last of the diagonal */
    refuse(&f, "not positive definite");
    f = copy_of(&good);
    sl_put_le(f.bytes + section(&f, "MATR"), 0x7ff0000000000000u, 8);
    refuse(&f, "not finite");
    f = copy_of(&good);
    set_content(&f, "VECT", "1234567", 7);
    refuse(&f, "no place for");
    f = copy_of(&good);
    set_content(&f, "MATR", "", 0);
    refuse(&f, "no place for");
    f = copy_of(&good); /* more rows than a dense learner may have */
    size_t n = 8 * (SLUICE_MAX_DENSE_FEATURES + 1);
    void *zeros = calloc(1, n);
    set_content(&f, "VECT", zeros, n);
    refuse(&f, "too large");
    free(zeros);
    free(good.bytes);
    f = file_of("pa-1");
    add_section(&f, "END ", "VECT", 0, "12345678", 8);
    refuse(&f, "no place for");
}

/* fgm after 5 of 7 rows of its batch. */
static file pending_file(const char *learner) {
    const char *params[] = {"batch=7"};
    sluice_model *m = sluice_model_new(learner, params, 1, NULL, NULL);
    for (int t = 0; t < 5; t++) {
        uint64_t ids[] = {(uint64_t)t, 300};
        float values[] = {1, 0.25f};
        sluice_example x = {ids, values, 2, t % 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    return file_from(m);
}

TEST(pending_rows_that_are_wrong_are_refused) {
    static const char *const learners[] = {"fgm", "bcw"};
    for (size_t l = 0; l < 2; l++) {
        file good = pending_file(learners[l]), f = copy_of(&good);
        size_t rows = section(&good, "ROWS"), vals = section(&good, "VALS");
        accept(&f, &good);
        const uint64_t labels[] = {0, 0x7ff8000000000000u, 0x7ff0000000000000u};
        for (size_t i = 0; i < 3; i++) {
            f = copy_of(&good);
            sl_put_le(f.bytes + rows, labels[i], 8);
            refuse(&f, "a pending row is impossible");
        }
        f = copy_of(&good);
        sl_put_le(f.bytes + rows + 8, UINT64_MAX, 8); /* values of the first row */
        refuse(&f, "a pending row is impossible");
        f = copy_of(&good);
        sl_put_le(f.bytes + rows + 8, 3, 8);
        refuse(&f, "its pending rows are impossible");
        f = copy_of(&good);
        sl_put_le(f.bytes + rows + 8, 1, 8);
        refuse(&f, "more values than its rows have");
        f = copy_of(&good);
        set_content(&f, "ROWS", "1234567", 7);
        refuse(&f, "pending rows where there are none");
        f = copy_of(&good);
        set_content(&f, "ROWS", "", 0);
        refuse(&f, "pending rows where there are none");
        f = copy_of(&good);
        remove_section(&f, "ROWS");
        refuse(&f, "more values than its rows have");
        f = copy_of(&good);
        remove_section(&f, "VALS");
        refuse(&f, "its pending rows are impossible");
        f = copy_of(&good);
        set_content(&f, "VALS", "1234567", 7);
        refuse(&f, "more values than its rows have");
        f = copy_of(&good);
        set_content(&f, "VALS", "", 0);
        refuse(&f, "more values than its rows have");
        f = copy_of(&good);
        add_section(&f, "END ", "ROWS", 0, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\0", 16); /* behind VALS */
        refuse(&f, "pending rows where there are none");
        f = copy_of(&good);
        sl_put_le(f.bytes + vals + 4, 0x7fc00000, 4);
        refuse(&f, "not finite");
        f = copy_of(&good);
        sl_put_le(f.bytes + vals, 6, 4); /* a column that no feature has */
        refuse(&f, "its pending rows are impossible");
        f = copy_of(&good);
        replace(&f, "param batch=7", "param batch=5"); /* a batch that is complete is not pending */
        refuse(&f, "its pending rows are impossible");
        f = copy_of(&good);
        replace(&f, "param batch=7", "param batch=0");
        sluice_model_free(parse(&f, NULL)); /* a whole run: may have any number of rows */
        f = copy_of(&good);
        replace(&f, "examples=5", "examples=4");
        refuse(&f, "impossible");
        f = copy_of(&good);
        replace(&f, "updates=0", "updates=1"); /* with those of the pending rows there may be more than examples */
        refuse(&f, "its pending rows are impossible");
        free(good.bytes);
    }
    file f = file_of("pa-1");
    add_section(&f, "END ", "ROWS", 0, "1234567812345678", 16);
    refuse(&f, "pending rows where there are none");
}

/* The first member of a batch learner's state is the column of the feature. */
TEST(columns_that_are_wrong_are_refused) {
    file good = pending_file("fgm");
    size_t columns = section(&good, "FEAT") + 5 + 5 + 2; /* ids 0, 1, ..., 4, 300 */
    uint32_t first = (uint32_t)sl_get_le(good.bytes + columns, 4),
             second = (uint32_t)sl_get_le(good.bytes + columns + 4, 4);
    CHECK(first >= 1 && first <= 6 && second >= 1 && second <= 6 && first != second);
    const uint32_t wrong[] = {second, 7, 0};
    for (size_t i = 0; i < 3; i++) {
        file f = copy_of(&good);
        sl_put_le(f.bytes + columns, wrong[i], 4);
        refuse(&f, "its pending rows are impossible");
    }
    free(good.bytes);
}

static file calibrated_file(int kind) {
    sluice_model *m = small_model("pa-1", 5);
    const double margin[] = {-2, -1, 0, 1, 2, 3}, label[] = {-1, -1, 1, -1, 1, 1};
    CHECK_EQ(sluice_model_calibrate(m, margin, label, NULL, 6, kind), SLUICE_OK);
    return file_from(m);
}

TEST(calibrations_that_are_wrong_are_refused) {
    const uint64_t minus_one = 0xbff0000000000000u, two = 0x4000000000000000u, infinite = 0x7ff0000000000000u;
    file f = calibrated_file(SLUICE_CALIBRATION_ISOTONIC);
    sl_put_le(f.bytes + section(&f, "CALI"), SLUICE_CALIBRATION_ONLINE, 1);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_ISOTONIC);
    sl_put_le(f.bytes + section(&f, "CALI") + 1, two, 8); /* the least margin */
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_ISOTONIC);
    sl_put_le(f.bytes + section(&f, "CALI") + 9, two, 8); /* its probability */
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    sl_put_le(f.bytes + section(&f, "CALI") + 1, minus_one, 8);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    sl_put_le(f.bytes + section(&f, "CALI") + 9, infinite, 8);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    sl_put_le(f.bytes + section(&f, "CALI"), SLUICE_CALIBRATION_ISOTONIC, 1); /* a = 0.9: no probability of b */
    sl_put_le(f.bytes + section(&f, "CALI") + 9, 0, 8);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT); /* twice */
    char content[17];
    memcpy(content, f.bytes + section(&f, "CALI"), 17);
    add_section(&f, "END ", "CALI", 0, content, 17);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT); /* two pairs */
    char pairs[16 * 257 + 1] = {SLUICE_CALIBRATION_PLATT};
    set_content(&f, "CALI", pairs, 33);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    set_content(&f, "CALI", content, 16);
    refuse(&f, "calibration is impossible");
    pairs[0] = SLUICE_CALIBRATION_ISOTONIC; /* no knots, too many, knots that do not ascend, probabilities that fall */
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    set_content(&f, "CALI", pairs, 1);
    refuse(&f, "calibration is impossible");
    for (size_t i = 0; i < 257; i++) {
        double margin = (double)i, p = 0.25 + (double)i / 1000;
        memcpy(pairs + 1 + 16 * i, &margin, 8);
        memcpy(pairs + 9 + 16 * i, &p, 8);
    }
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    set_content(&f, "CALI", pairs, 16 * 256 + 1);
    sluice_model *most = parse(&f, NULL);
    CHECK(most != NULL);
    sluice_model_free(most);
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    set_content(&f, "CALI", pairs, 16 * 257 + 1);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    memcpy(pairs + 17, pairs + 1, 8);
    set_content(&f, "CALI", pairs, 33);
    refuse(&f, "calibration is impossible");
    f = calibrated_file(SLUICE_CALIBRATION_PLATT);
    pairs[24] = 1; /* the second margin is greater again */
    const double tenth = 0.1;
    memcpy(pairs + 25, &tenth, 8);
    set_content(&f, "CALI", pairs, 33);
    refuse(&f, "calibration is impossible");
}

/* ---- metadata ---- */

static file metadata_file(void) {
    sluice_model *m = small_model("pa-1", 5);
    CHECK_EQ(sl_metadata_set(&m->metadata, "b", "\0any\n", 5, NULL), SLUICE_OK);
    CHECK_EQ(sl_metadata_set(&m->metadata, "a", "", 0, NULL), SLUICE_OK);
    CHECK_EQ(sl_metadata_set(&m->metadata, "reader.x", "1", 1, NULL), SLUICE_OK);
    return file_from(m);
}

TEST(thresholds_that_are_wrong_are_refused) {
    const uint64_t wrong[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001};
    unsigned char content[16] = {0};
    for (size_t i = 0; i < 4; i++) { /* infinite, no number */
        file f = file_of("pa-1");
        sl_put_le(content, wrong[i], 8);
        add_section(&f, "END ", "THRE", 0, content, 8);
        refuse(&f, "threshold is impossible");
    }
    sl_put_le(content, 0x3ff0000000000000, 8);
    for (size_t n = 0; n <= 16; n++) { /* of any length, and twice */
        file f = file_of("pa-1");
        add_section(&f, "END ", "THRE", 0, content, n);
        if (n == 8) add_section(&f, "END ", "THRE", 0, content, n);
        refuse(&f, "threshold is impossible");
    }
    file f = file_of("pa-1");
    add_section(&f, "END ", "THRE", 0, content, 8);
    sluice_model *m = sluice_model_parse(f.bytes, f.n, NULL);
    double margin = 0;
    CHECK(m && sluice_model_threshold(m, &margin) && margin == 1);
    sluice_model_free(m);
    free(f.bytes);
}

TEST(metadata_is_saved_by_ascending_key_and_loaded) {
    file good = metadata_file(), f = copy_of(&good);
    static const char content[] = "\1a\0\1b\5\0any\n\10reader.x\1"
                                  "1";
    CHECK_EQ(section_length(&f, "META"), sizeof content - 1);
    CHECK(memcmp(f.bytes + section(&f, "META"), content, sizeof content - 1) == 0);
    CHECK_EQ(sl_get_le(f.bytes + section(&f, "META") - 12, 4), SL_SKIPPABLE);
    sluice_model *m = parse(&f, NULL);
    size_t n = 9;
    const void *bytes = m ? sl_metadata_get(&m->metadata, "b", &n) : NULL;
    CHECK(bytes && n == 5 && memcmp(bytes, "\0any\n", 5) == 0);
    bytes = m ? sl_metadata_get(&m->metadata, "a", &n) : NULL;
    CHECK(bytes && n == 0);
    sluice_model_free(m);
    f = copy_of(&good); /* spread over several sections, anywhere */
    set_content(&f, "META", content, 3);
    add_section(&f, "END ", "META", 0, content + 3, sizeof content - 1 - 3);
    accept(&f, &good);
    f = copy_of(&good);
    remove_section(&f, "META");
    add_section(&f, "FEAT", "META", SL_SKIPPABLE, content, sizeof content - 1);
    accept(&f, &good);
    free(good.bytes);
}

TEST(metadata_that_is_wrong_is_refused) {
    file good = metadata_file();
    static const struct {
        const char *content;
        size_t n;
        const char *message;
    } wrong[] = {
        {"", 0, "META is empty"},
        {"\1a", 2, "ends within a pair"},
        {"\2a", 2, "ends within a pair"},
        {"\x80", 1, "ends within a pair"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10, "ends within a pair"},
        {"\1a\1", 3, "ends within a pair"},
        {"\1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12, "ends within a pair"},
        {"\0\0", 2, "1 to 255 bytes"},
        {"\2a\0\0", 4, "a key of META is impossible"},
        {"\3a b\0", 5, "none of them a space"},
        {"\1a\0\1a\0", 6, "not in order"},
        {"\1b\0\1a\0", 6, "not in order"},
        {"\1\xc3\0\1a\0", 6, "not in order"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file f = copy_of(&good);
        set_content(&f, "META", wrong[i].content, wrong[i].n);
        refuse(&f, wrong[i].message);
    }
    file f = copy_of(&good);
    add_section(&f, "END ", "META", SL_SKIPPABLE, "\1b\0", 3); /* keys ascend through all sections */
    refuse(&f, "not in order");
    free(good.bytes);
}

TEST(metadata_has_limits) {
    file good = metadata_file();
    for (size_t over = 0; over < 2; over++) {
        size_t key = SLUICE_MAX_METADATA_KEY + over, n = SLUICE_MAX_METADATA_BYTES + over;
        char *content = calloc(1, n + 300), *c = content;
        *c++ = (char)((key & 0x7f) | 0x80);
        *c++ = (char)(key >> 7);
        memset(c, 'k', key);
        c[key] = 0; /* a value of no bytes */
        file f = copy_of(&good);
        set_content(&f, "META", content, 2 + key + 1);
        if (over)
            refuse(&f, "a key of META is impossible");
        else
            sluice_model_free(parse(&f, NULL));
        c = content + sprintf(content, "%c%s", 1, "k");
        *c++ = (char)((n & 0x7f) | 0x80);
        *c++ = (char)((n >> 7 & 0x7f) | 0x80);
        *c++ = (char)(n >> 14);
        f = copy_of(&good);
        set_content(&f, "META", content, (size_t)(c - content) + n);
        if (over) {
            refuse(&f, "of at most 1048576 bytes");
        } else {
            sluice_model *m = parse(&f, NULL);
            CHECK(m != NULL);
            sluice_model_free(m);
        }
        free(content);
        size_t pairs = SLUICE_MAX_METADATA + over;
        content = malloc(pairs * 8), c = content;
        for (size_t i = 0; i < pairs; i++) c += sprintf(c, "%c%05zu", 5, i) + 1; /* the NUL: no bytes */
        f = copy_of(&good);
        set_content(&f, "META", content, (size_t)(c - content));
        if (over) {
            refuse(&f, "at most 256 pieces");
        } else {
            sluice_model *m = parse(&f, NULL);
            CHECK(m && m->metadata.n == pairs);
            sluice_model_free(m);
        }
        free(content);
    }
    free(good.bytes);
}

TEST(metadata_larger_than_a_section_is_spread_over_several) {
    sluice_model *m = small_model("pa-1", 5);
    char *bytes = calloc(1, SLUICE_MAX_METADATA_BYTES);
    for (int i = 0; i < 33; i++) {
        char key[] = "key-";
        key[3] = (char)('A' + i);
        bytes[0] = (char)i;
        CHECK_EQ(sl_metadata_set(&m->metadata, key, bytes, SLUICE_MAX_METADATA_BYTES, NULL), SLUICE_OK);
    }
    free(bytes);
    file good = file_from(m), f = copy_of(&good);
    size_t sections = 0;
    for (size_t at = 16; at < f.n; at += SL_SECTION_HEAD + (size_t)sl_get_le(f.bytes + at + 8, 8) + 8)
        sections += memcmp(f.bytes + at, "META", SL_TAG) == 0;
    CHECK_EQ(sections, 3);
    accept(&f, &good);
    free(good.bytes);
}

/* ---- older formats ---- */

/* Removes the line of a key, if there is one. */
static void drop(file *f, const char *key) {
    char *text = modl_of(f), line[64], old[2048];
    snprintf(line, sizeof line, "\n%s=", key);
    char *at = strstr(text, line);
    CHECK(at != NULL);
    if (at) snprintf(old, sizeof old, "%.*s\n", (int)strcspn(at + 1, "\n"), at + 1);
    if (at) replace(f, old, "");
    free(text);
}

static void set_line(file *f, const char *key, const char *value) {
    char line[256];
    drop(f, key);
    snprintf(line, sizeof line, "kind=full\n%s=%s\n", key, value);
    replace(f, "kind=full\n", line);
}

/* The file as that format had it. */
static void to_format(file *f, int format, const char *reader_keys) {
    static const char *const since_2[] = {"max_features", "births",     "named",  "evicted",
                                          "refused",      "next_sweep", "growth", "newest"};
    sl_put_le(f->bytes + 8, (uint64_t)format, 4);
    replace(f, "features_seen", "seen");
    replace(f, "features_added", "births");
    replace(f, "next_scan", "next_sweep");
    if (format < 3) drop(f, "calibration");
    if (format > 1) replace(f, "examples=", reader_keys);
    for (size_t i = 0; format == 1 && i < sizeof since_2 / sizeof *since_2; i++) drop(f, since_2[i]);
}

#define NO_READER_KEYS "ngrams=0\ntf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples="

TEST(older_formats_load_for_every_learner) {
    const sluice_learner_info *info;
    for (size_t i = 0; (info = sluice_learner_at(i)); i++)
        for (int format = info->flags & SLUICE_LEARNER_TUNES ? 4 : 1; format <= 3; format++) { /* auto is younger */
            file now = file_of(info->name), f = copy_of(&now);
            to_format(&f, format, NO_READER_KEYS);
            /* what the format did not have */
            if (format < 3) set_line(&now, "calibration", "0 0 0 0 0 0 0 0");
            if (format < 2) set_line(&now, "growth", "");
            if (format < 2) set_line(&now, "newest", "");
            file same = file_from(parse(&now, NULL));
            accept(&f, &same);
            free(same.bytes);
        }
}

TEST(predict_only_models_of_older_formats_load) {
    sluice_model *m = small_model("pa-1", 5), *final = sluice_model_final(m, NULL);
    sluice_model_free(m);
    file now = file_from(final), f = copy_of(&now);
    to_format(&f, 3, NO_READER_KEYS);
    file not_yet = copy_of(&f);
    refuse(&not_yet, "the value 'predict-only' of 'kind' is impossible");
    replace(&f, "kind=predict-only", "kind=final");
    accept(&f, &now);
    free(now.bytes);
}

TEST(how_inputs_were_read_becomes_metadata) {
    file f = file_of("pa-1"), good = copy_of(&f);
    to_format(&f, 3, "ngrams=2\ntf=3\nno_header=1\nformat=csv\nlabel=0\nweight=w = 2\nexamples=");
    sluice_model *m = parse(&f, NULL);
    CHECK(m != NULL);
    if (!m) return;
    f = file_from(m);
    static const char content[] = "\15reader.format\3csv\14reader.label\1"
                                  "0\15reader.ngrams\1"
                                  "2\20reader.no_header\1"
                                  "1\11reader.tf\3log"
                                  "\15reader.weight\5w = 2";
    CHECK_EQ(section_length(&f, "META"), sizeof content - 1);
    CHECK(memcmp(f.bytes + section(&f, "META"), content, sizeof content - 1) == 0);
    file same = copy_of(&f);
    accept(&f, &same);
    free(same.bytes);
    static const char *const wrong[] = {
        "ngrams=9\ntf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=x\ntf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=\ntf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=99999999999\ntf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=0\ntf=4\nno_header=0\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=0\ntf=0\nno_header=2\nformat=\nlabel=\nweight=\nexamples=",
        "ngrams=0\ntf=0\nno_header=0\nformat=123456789 123456\nlabel=\nweight=\nexamples=",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f = copy_of(&good);
        to_format(&f, 2 + (int)i % 2, wrong[i]);
        refuse(&f, "impossible");
    }
    f = copy_of(&good);
    to_format(&f, 2, "tf=0\nno_header=0\nformat=\nlabel=\nweight=\nexamples=");
    refuse(&f, "the key 'ngrams' is missing");
    free(good.bytes);
}

TEST(older_formats_have_no_flags_optional_keys_or_metadata) {
    for (int format = 1; format <= 3; format++) {
        file old = file_of("pa-1"), f;
        to_format(&old, format, NO_READER_KEYS);
        f = copy_of(&old);
        replace(&f, "bias=", "?colour=blue\nbias=");
        refuse(&f, "the key '?colour'");
        f = copy_of(&old);
        replace(&f, "seen=", "features_seen=");
        refuse(&f, "the key 'seen' is missing");
        f = copy_of(&old);
        add_section(&f, "END ", "XTRA", SL_SKIPPABLE, "", 0);
        refuse(&f, "section 'XTRA' has unknown flags");
        f = copy_of(&old);
        add_section(&f, "END ", "META", 0, "\1a\0", 3);
        refuse(&f, "a section 'META', which this version does not know");
        f = copy_of(&old);
        add_section(&f, "END ", "THRE", 0, "12345678", 8);
        refuse(&f, "a section 'THRE', which this version does not know");
        f = copy_of(&old);
        add_section(&f, "END ", "CALI", 0, "\3", 1);
        refuse(&f, format == 3 ? "calibration is impossible" : "a section 'CALI'");
        free(old.bytes);
    }
}

/* ---- saving ---- */

static void refuse_to_save(sluice_model *m, const char *message) {
    sluice_error err = {0};
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, &err), SLUICE_E_NUMERIC);
    CHECK_HAS(err.message, message);
    CHECK(!bytes && n == 0);
    sluice_model_free(m);
}

TEST(a_model_with_a_number_that_is_not_finite_is_not_saved) {
    sluice_model *m = small_model("pa-1", 5);
    m->broken = true;
    refuse_to_save(m, "left the range of numbers");
    m = small_model("pa-1", 5);
    *(float *)(void *)sl_space_at(&m->features.space, sl_space_find(&m->features.space, 300)) = INFINITY;
    refuse_to_save(m, "left the range of numbers");
    m = small_model("fobos", 5);
    m->scalars[0] = NAN;
    refuse_to_save(m, "is not finite");
    m = small_model("ssol-full", 5);
    m->state.dense.vector[2] = -INFINITY;
    refuse_to_save(m, "left the range of numbers");
    m = small_model("ssol-full", 5);
    m->state.dense.matrix[2] = NAN;
    refuse_to_save(m, "left the range of numbers");
    for (size_t i = 0; i < 2; i++) { /* the 64-bit state, and a weight that leaves the range of floats */
        m = small_model("ada-rda", 5);
        char *feature = sl_space_at(&m->features.space, sl_space_find(&m->features.space, 300));
        double value = i ? 1e300 : INFINITY;
        bool found = false;
        for (size_t k = 0; k < m->rule->n_fields; k++)
            if (m->rule->fields[k].type == SL_F64 && !(i && m->rule->fields[k].least >= 0)) {
                memcpy(feature + m->rule->fields[k].offset, &value, sizeof value);
                found = true;
            }
        CHECK(found);
        refuse_to_save(m, "left the range of numbers");
    }
}

TEST(more_features_than_a_section_holds_are_spread_over_several) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    enum { N = SL_FEATURES_A_SECTION + 10 };
    uint64_t *ids = malloc(N * sizeof *ids);
    float *values = malloc(N * sizeof *values);
    for (size_t i = 0; i < N; i++) ids[i] = 7 * i, values[i] = 1;
    sluice_example x = {ids, values, N, -1, 1};
    sluice_example y = {ids, values, N, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
    file good = file_from(m), f = copy_of(&good);
    CHECK_EQ(sl_get_le(f.bytes + section(&f, "FEAT") + 1, 4), SL_FEATURES_A_SECTION);
    accept(&f, &good);
    free(good.bytes);
    free(ids);
    free(values);
}

TEST(long_names_are_spread_over_several_sections) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    enum { N = 150 };
    char *text = malloc(N * SLUICE_MAX_NAME);
    memset(text, 'n', N * SLUICE_MAX_NAME);
    float value[N];
    sluice_name name[N];
    for (size_t i = 0; i < N; i++) {
        name[i] = (sluice_name){text + i * SLUICE_MAX_NAME, SLUICE_MAX_NAME};
        text[i * SLUICE_MAX_NAME] = (char)i;
        value[i] = 1;
    }
    sluice_example x = {NULL, value, N, 1, 1, name};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    file good = file_from(m), f = copy_of(&good);
    CHECK(sl_get_le(f.bytes + section(&f, "FEAT") + 1, 4) < N);
    CHECK(section_length(&f, "FEAT") > SL_NAMES_A_SECTION);
    accept(&f, &good);
    free(good.bytes);
    free(text);
}

TEST(many_pending_rows_are_spread_over_several_sections) {
    const char *params[] = {"batch=0"};
    sluice_model *m = sluice_model_new("fgm", params, 1, NULL, NULL);
    for (size_t t = 0; t < SL_NUMBERS_A_SECTION + 5; t++) {
        uint64_t ids[] = {t % 3, 3 + t % 5};
        float values[] = {1, 2};
        sluice_example x = {ids, values, 2, t % 2 ? 1 : -1, 1};
        if (sluice_model_learn(m, &x, NULL) != SLUICE_OK) CHECK(0 && "learned");
    }
    file good = file_from(m), f = copy_of(&good);
    CHECK_EQ(section_length(&f, "ROWS"), 16 * SL_NUMBERS_A_SECTION);
    CHECK_EQ(section_length(&f, "VALS"), 8 * SL_NUMBERS_A_SECTION);
    accept(&f, &good);
    free(good.bytes);
}

TEST(large_matrices_are_spread_over_several_sections) {
    sluice_model *m = sluice_model_new("ssol-full", NULL, 0, NULL, NULL);
    enum { N = 600 }; /* 180,300 numbers */
    uint64_t ids[N];
    float values[N];
    for (size_t i = 0; i < N; i++) ids[i] = i, values[i] = (float)(i % 7) - 2.5f;
    sluice_example x = {ids, values, N, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    file good = file_from(m), f = copy_of(&good);
    CHECK_EQ(section_length(&f, "MATR"), 8 * SL_NUMBERS_A_SECTION);
    accept(&f, &good);
    free(good.bytes);
}

int main(void) {
    RUN(keys_may_come_in_any_order);
    RUN(a_key_that_comes_twice_is_refused);
    RUN(a_key_that_is_missing_is_refused_by_name);
    RUN(unknown_keys_are_refused_unless_they_are_marked_as_optional);
    RUN(lines_without_a_key_are_refused);
    RUN(modl_has_at_most_1024_lines);
    RUN(values_that_are_no_numbers_are_refused);
    RUN(values_out_of_range_are_refused);
    RUN(what_is_loaded_can_be_saved_and_loaded_again_whatever_its_counts);
    RUN(counts_that_cannot_be_added_are_not_merged);
    RUN(a_weight_beyond_the_range_of_floats_is_refused);
    RUN(lists_that_are_wrong_are_refused);
    RUN(unknown_sections_are_skipped_where_they_are_marked_so);
    RUN(sections_that_are_skipped_are_checked);
    RUN(known_sections_are_read_whether_marked_or_not);
    RUN(sections_in_the_wrong_place_are_refused);
    RUN(heads_that_are_wrong_are_refused);
    RUN(features_that_are_wrong_are_refused);
    RUN(names_that_are_wrong_are_refused);
    RUN(matrices_that_are_wrong_are_refused);
    RUN(pending_rows_that_are_wrong_are_refused);
    RUN(columns_that_are_wrong_are_refused);
    RUN(calibrations_that_are_wrong_are_refused);
    RUN(thresholds_that_are_wrong_are_refused);
    RUN(metadata_is_saved_by_ascending_key_and_loaded);
    RUN(metadata_that_is_wrong_is_refused);
    RUN(metadata_has_limits);
    RUN(metadata_larger_than_a_section_is_spread_over_several);
    RUN(older_formats_load_for_every_learner);
    RUN(predict_only_models_of_older_formats_load);
    RUN(how_inputs_were_read_becomes_metadata);
    RUN(older_formats_have_no_flags_optional_keys_or_metadata);
    RUN(a_model_with_a_number_that_is_not_finite_is_not_saved);
    RUN(more_features_than_a_section_holds_are_spread_over_several);
    RUN(long_names_are_spread_over_several_sections);
    RUN(many_pending_rows_are_spread_over_several_sections);
    RUN(large_matrices_are_spread_over_several_sections);
    return DONE;
}
