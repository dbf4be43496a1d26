/* Binary models of words and of any two numbers: the same models as those of relabelled rows, and what leaves them. */
#include <math.h>

#include "learner/learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 300 };

/* Rows whose features say the class, with some noise; labels[row], NULL past the last: words, or numbers. A row of the
 * label "*" has the importance 0 and no label. */
static sluice_batch *rows_of(const char *const *labels) {
    sluice_batch *b = sluice_batch_new(NULL);
    b->may_have_words = true;
    sluice_random r;
    sluice_random_seed(&r, 7);
    for (size_t i = 0; labels[i]; i++) {
        uint64_t ids[5];
        float values[5];
        unsigned char side = (unsigned char)(labels[i][0] * 7 + labels[i][1]);
        for (uint64_t k = 0; k < 5; k++) {
            ids[k] = k * 10 + sluice_random_below(&r, 9);
            values[k] = (float)sluice_random_below(&r, 17) / 8 - (k == side % 5 ? 0.25f : 1);
        }
        double number = 0, weight = strcmp(labels[i], "*") == 0 ? 0 : 1;
        bool is_number = sluice_parse_number(labels[i], &number);
        bool plain = is_number && (number == 0 || number == 1 || number == -1);
        if (!plain && weight > 0) CHECK(sl_batch_word_next(b, labels[i], strlen(labels[i])));
        sluice_example x = {.ids = ids, .values = values, .n = 5, .label = number, .weight = weight};
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

/* `n` labels from row 0 on: only `first` up to row `late`, then both, drawn by chance. */
static const char **two_labels(const char *first, const char *second, size_t late, size_t n) {
    const char **labels = calloc(n + 1, sizeof *labels);
    sluice_random r;
    sluice_random_seed(&r, 3);
    for (size_t i = 0; i < n; i++)
        labels[i] = i < late || sluice_random_below(&r, 3) == 0 ? first
                    : i == late                                 ? second
                    : sluice_random_below(&r, 4)                ? second
                                                                : first;
    return labels;
}

/* The same rows with other labels. */
static double *relabelled(const char *const *labels, const char *plus) {
    size_t n = 0;
    while (labels[n]) n++;
    double *y = calloc(n + 1, sizeof *y);
    for (size_t i = 0; i < n; i++) y[i] = strcmp(labels[i], plus) == 0 ? 1 : -1;
    return y;
}

static sluice_model *new_model(const char *learner, const char *const *params, size_t n, const char *positive) {
    sluice_settings s = {.size = sizeof s, .positive = positive};
    sluice_model *m = sluice_model_new(learner, params, n, &s, NULL);
    CHECK(m != NULL);
    sluice_model_set_threads(m, 1);
    return m;
}

static void set_positive(sluice_model *m, const char *positive) { m->settings.positive = strdup(positive); }

static bool has_section(const file *f, const char *tag) {
    for (size_t at = 16; at < f->n; at += SL_SECTION_HEAD + (size_t)sl_get_le(f->bytes + at + 8, 8) + 8)
        if (memcmp(f->bytes + at, tag, SL_TAG) == 0) return true;
    return false;
}

/* Whether two models are the same but for their classes; both are freed. */
static void check_same_state(sluice_model *words, sluice_model *plain, const char *what) {
    file a = file_from(words), b = file_from(plain);
    CHECK(has_section(&a, "CLAS") && !has_section(&b, "CLAS"));
    remove_section(&a, "CLAS");
    if (a.n != b.n || memcmp(a.bytes, b.bytes, a.n) != 0) fprintf(stderr, "%s differs\n", what);
    CHECK(a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0);
    free(a.bytes);
    free(b.bytes);
}

static sluice_meter *new_meter(const sluice_model *m, int exact) {
    sluice_meter_options how = {.size = sizeof how, .exact_auc = exact, .model = m};
    return sluice_meter_new(&how, NULL);
}

static void check_same_measures(sluice_meter *a, sluice_meter *b) {
    sluice_measures x = {.size = sizeof x}, y = {.size = sizeof y};
    CHECK_EQ(sluice_meter_read(a, &x), SLUICE_OK);
    CHECK_EQ(sluice_meter_read(b, &y), SLUICE_OK);
    CHECK_EQ(x.examples, y.examples);
    CHECK_EQ(x.mistakes, y.mistakes);
    CHECK_EQ(x.true_pos, y.true_pos);
    CHECK_EQ(x.false_pos, y.false_pos);
    CHECK_NEAR(x.auc, y.auc, 1e-12);
    CHECK_NEAR(x.hinge_loss, y.hinge_loss, 1e-12);
}

/* Learns the batch in parts of growing size. */
static sluice_status learn_parts(sluice_model *m, const sluice_batch *b, const double *y, sluice_meter *meter) {
    sluice_status status = SLUICE_OK;
    for (size_t first = 0, n = 1; first < b->rows && status == SLUICE_OK; first += n, n *= 2) {
        if (n > b->rows - first) n = b->rows - first;
        status = y ? sluice_model_learn_labels(m, b, first, n, y + first, meter)
                   : sluice_model_learn_rows(m, b, first, n, meter);
    }
    return status;
}

/* Whether the learner can run here: OpenBLAS may be missing. */
static bool runs(const char *learner) {
    sluice_model *m = new_model(learner, NULL, 0, NULL);
    sluice_example x = {.ids = (uint64_t[]){1}, .values = (float[]){1}, .n = 1, .label = 1, .weight = 1};
    bool fine = sluice_model_learn(m, &x, NULL) == SLUICE_OK;
    sluice_model_free(m);
    return fine;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* All learners, the second class coming at once or late, either class being the greater one. */
TEST(words_are_learned_as_relabelled_rows_are) {
    static const struct {
        const char *first, *second;
        size_t late;
    } cases[] = {{"ham", "spam", 1}, {"spam", "ham", 1},  {"ham", "spam", 100}, {"spam", "ham", 100},
                 {"1", "2", 1},      {"2", "1", 1},       {"1", "2", 100},      {"0", "no", 100},
                 {"-1", "yes", 40},  {"false", "true", 3}};
    for (size_t l = 0; sluice_learner_at(l); l++) {
        const char *learner = sluice_learner_at(l)->name;
        if (!runs(learner)) continue;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const char **labels = two_labels(cases[i].first, cases[i].second, cases[i].late, ROWS);
            double *y = relabelled(labels, cases[i].second);
            sluice_batch *b = rows_of(labels);
            sluice_model *words = new_model(learner, NULL, 0, NULL), *plain = new_model(learner, NULL, 0, NULL);
            sluice_meter *of_words = new_meter(words, 1), *of_plain = new_meter(plain, 1);
            CHECK_EQ(learn_parts(words, b, NULL, of_words), SLUICE_OK);
            CHECK_EQ(learn_parts(plain, b, y, of_plain), SLUICE_OK);
            CHECK_EQ(sluice_model_classes(words), 2);
            if (words->classes.turned) sl_meter_turn(of_plain);
            check_same_measures(of_words, of_plain);
            CHECK_EQ(sluice_model_end_run(words), SLUICE_OK);
            CHECK_EQ(sluice_model_end_run(plain), SLUICE_OK);
            sluice_meter_free(of_words);
            sluice_meter_free(of_plain);
            check_same_state(words, plain, learner);
            sluice_batch_free(b);
            free(labels);
            free(y);
        }
    }
}

/* With one-sided parameters the positive class is +1 inside, wherever it comes. */
TEST(one_sided_parameters_are_those_of_the_positive_class) {
    const char *orders[][2] = {{"ham", "spam"}, {"spam", "ham"}};
    for (size_t l = 0; sluice_learner_at(l); l++) {
        const char *learner = sluice_learner_at(l)->name;
        const sl_learner *record = sl_learner_find(learner);
        size_t n = 0;
        bool sided = false;
        for (; n < SL_MAX_PARAMS && record->trial[n]; n++) sided |= strstr(record->trial[n], "_pos") != NULL;
        for (size_t i = 0; sided && i < 2; i++) {
            const char **labels = two_labels(orders[i][0], orders[i][1], 30, ROWS);
            double *y = relabelled(labels, "spam");
            sluice_batch *b = rows_of(labels);
            sluice_model *words = new_model(learner, record->trial, n, "spam"),
                         *plain = new_model(learner, record->trial, n, NULL);
            CHECK_EQ(learn_parts(words, b, NULL, NULL), SLUICE_OK);
            CHECK_EQ(learn_parts(plain, b, y, NULL), SLUICE_OK);
            CHECK(!words->classes.turned);
            check_same_state(words, plain, learner);

            words = new_model(learner, record->trial, n, NULL); /* without a named positive class */
            CHECK_EQ(learn_parts(words, b, NULL, NULL), SLUICE_E_USAGE);
            CHECK_HAS(sluice_model_error(words)->message, "--positive");
            CHECK_HAS(sluice_model_error(words)->message, "_pos");
            CHECK_EQ(words->state.t, 30);
            sluice_model_free(words);
            sluice_batch_free(b);
            free(labels);
            free(y);
        }
    }
}

/* The labels of a whole batch are 1; what follows in the next one decides. */
TEST(a_stream_that_begins_with_1_alone_becomes_what_its_next_class_makes_it) {
    enum { ONES = 60 };
    const char *next[] = {"-1", "0", "2", "spam"};
    for (size_t l = 0; sluice_learner_at(l); l++) {
        const char *learner = sluice_learner_at(l)->name;
        if (!runs(learner)) continue;
        for (size_t i = 0; i < 4; i++) {
            const char **ones = two_labels("1", "1", 0, ONES), **labels = two_labels("1", next[i], 2, ROWS);
            bool stays_plain = i < 2;
            double *y1 = relabelled(ones, stays_plain ? "1" : next[i]),
                   *y2 = relabelled(labels, stays_plain ? "1" : next[i]);
            sluice_batch *first = rows_of(ones), *second = rows_of(labels);
            sluice_model *words = new_model(learner, NULL, 0, NULL), *plain = new_model(learner, NULL, 0, NULL);
            sluice_meter *of_words = new_meter(words, 0), *of_plain = new_meter(plain, 0);
            CHECK_EQ(learn_parts(words, first, NULL, of_words), SLUICE_OK);
            CHECK(words->classes.mirror != NULL);
            sluice_model *copy = sluice_model_copy(words, NULL); /* goes on in the same way */
            CHECK_EQ(learn_parts(words, second, NULL, of_words), SLUICE_OK);
            CHECK(words->classes.mirror == NULL);
            CHECK_EQ(learn_parts(plain, first, y1, of_plain), SLUICE_OK);
            CHECK_EQ(learn_parts(plain, second, y2, of_plain), SLUICE_OK);
            check_same_measures(of_words, of_plain);
            sluice_meter_free(of_words);
            sluice_meter_free(of_plain);
            CHECK_EQ(learn_parts(copy, second, NULL, NULL), SLUICE_OK);
            file a = file_from(words), b = file_from(copy);
            CHECK(a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0);
            if (!stays_plain) {
                CHECK(has_section(&a, "CLAS"));
                remove_section(&a, "CLAS");
            }
            free(b.bytes);
            b = file_from(plain);
            if (a.n != b.n || memcmp(a.bytes, b.bytes, a.n) != 0) fprintf(stderr, "%s differs\n", learner);
            CHECK(a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0);
            free(a.bytes);
            free(b.bytes);
            sluice_batch_free(first);
            sluice_batch_free(second);
            free(ones);
            free(labels);
            free(y1);
            free(y2);
        }
    }
}

/* Learns labels given as one text, a space apart. */
static sluice_model *learn_text(const char *text, const char *positive, sluice_status expected) {
    char copy[512];
    const char *labels[64];
    size_t n = 0;
    strcpy(copy, text);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) labels[n++] = p;
    labels[n] = NULL;
    sluice_batch *b = rows_of(labels);
    b->has_lines = true;
    b->source = "rows";
    b->first_line = 1;
    for (size_t i = 0; i < n; i++) b->line[i] = (uint32_t)i;
    sluice_model *m = new_model("pa", NULL, 0, positive);
    CHECK_EQ(sluice_model_learn_batch(m, b, NULL), expected);
    sluice_batch_free(b);
    return m;
}

static void refuse_third(const char *labels, size_t line, const char *known, const char *third) {
    sluice_model *m = learn_text(labels, NULL, SLUICE_E_DATA);
    CHECK_HAS(m->error.message, known);
    CHECK_HAS(m->error.message, third);
    CHECK_HAS(m->error.message, "learn several classes with --classes ovr|ovo|matrix");
    CHECK_EQ(m->error.line, line);
    CHECK_STR(m->error.source, "rows");
    CHECK_EQ(m->state.t, line - 1); /* the rows before are learned */
    sluice_model_free(m);
}

TEST(a_third_class_is_refused_at_its_place) {
    refuse_third("ham spam ham eggs spam", 4, "'ham' and 'spam'", "'eggs'");
    refuse_third("0 1 0 1 2", 5, "'0' and '1'", "'2'");
    refuse_third("-1 1 spam", 3, "'-1' and '1'", "'spam'");
    refuse_third("0 -1 spam", 3, "'-1' and '0'", "'spam'");
    refuse_third("1 2 1 3", 4, "'1' and '2'", "'3'");
    refuse_third("1 2 0", 3, "'1' and '2'", "'0'");
    refuse_third("0 2 -1", 3, "'0' and '2'", "'-1'");
    refuse_third("2 3 2.0 03 1", 5, "'2' and '3'", "'1'");
}

TEST(an_example_that_is_refused_leaves_the_model_as_it_was) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    const char *const words[] = {"ham", "spam", "eggs"};
    void *before = NULL, *after = NULL;
    size_t n = 0, n_after = 0;
    for (uint64_t i = 0; i < 3; i++) {
        const sluice_example x = {.ids = (uint64_t[]){90 + i},
                                  .values = (float[]){1},
                                  .n = 1,
                                  .weight = 1,
                                  .word = {words[i], strlen(words[i])}};
        if (i == 2) CHECK_EQ(sluice_model_bytes(m, &before, &n, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), i < 2 ? SLUICE_OK : SLUICE_E_DATA);
    }
    CHECK_EQ(sluice_model_bytes(m, &after, &n_after, NULL), SLUICE_OK);
    CHECK(n == n_after && memcmp(before, after, n) == 0);
    sluice_free(before);
    sluice_free(after);
    sluice_model_free(m);
}

TEST(rows_of_importance_0_bring_no_class) {
    sluice_model *m = learn_text("* ham * spam *", NULL, SLUICE_OK);
    CHECK_EQ(sluice_model_classes(m), 2);
    CHECK_EQ(m->state.t, 2);
    sluice_model_free(m);
}

TEST(the_positive_class_is_the_greater_one_or_the_one_that_was_named) {
    static const struct {
        const char *labels, *positive;
        size_t expected;
    } cases[] = {
        {"ham spam ham", NULL, 1}, {"spam ham ham", NULL, 0}, {"spam ham ham", "ham", 1}, {"2 10 2", NULL, 1},
        {"10 2 2", NULL, 0},       {"10 2 2", "2.0", 1},      {"x 7 7", NULL, 0},         {"1 2 2", "1", 0},
        {"0 1 1", "0", 0},         {"true false", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_model *m = learn_text(cases[i].labels, cases[i].positive, SLUICE_OK);
        CHECK_EQ(sluice_model_classes(m), 2);
        uint64_t examples = 0;
        for (size_t k = 0; k < 2; k++) {
            sluice_class c = {.size = sizeof c};
            CHECK_EQ(sluice_model_class(m, k, &c), SLUICE_OK);
            CHECK_EQ(c.is_positive, k == cases[i].expected);
            examples += c.examples;
            if (c.is_positive) {
                sluice_model_facts facts = {.size = sizeof facts};
                sluice_model_quick_facts(m, &facts);
                CHECK_EQ(facts.positives, c.examples);
            }
        }
        CHECK_EQ(examples, m->state.t);
        sluice_class c = {.size = sizeof c};
        CHECK_EQ(sluice_model_class(m, 2, &c), SLUICE_E_USAGE);
        sluice_model_free(m);
    }
    sluice_model *m = learn_text("0 1 1 -1", "1", SLUICE_OK); /* 1 is what is positive in a plain model */
    CHECK_EQ(sluice_model_classes(m), 0);
    sluice_model_free(m);
    m = learn_text("0 ham", "spam", SLUICE_E_DATA);
    CHECK_HAS(m->error.message, "'spam' is none of the two classes '0' and 'ham'");
    sluice_model_free(m);
}

TEST(margins_weights_and_probabilities_are_those_of_the_positive_class) {
    const char **labels = two_labels("spam", "ham", 1, ROWS);
    double *y = relabelled(labels, "ham");
    sluice_batch *b = rows_of(labels);
    sluice_model *words = new_model("arow", NULL, 0, NULL), *plain = new_model("arow", NULL, 0, NULL);
    CHECK_EQ(sluice_model_learn_batch(words, b, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_labels(plain, b, 0, b->rows, y, NULL), SLUICE_OK);
    CHECK(words->classes.turned); /* spam came first and is the greater one */
    double *a = calloc(b->rows, sizeof *a), *c = calloc(b->rows, sizeof *c), *p = calloc(b->rows, sizeof *p);
    CHECK_EQ(sluice_model_margins(words, b, a, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margins(plain, b, c, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_probabilities_rows(words, b, 0, b->rows, p, NULL), SLUICE_OK);
    for (size_t i = 0; i < b->rows; i++) {
        CHECK(a[i] == -c[i]);
        CHECK_NEAR(p[i] + sluice_model_probability(plain, c[i]), 1, 1e-12);
        sluice_name label = sluice_model_label(words, a[i]);
        CHECK_STR(label.text, c[i] > 0 ? "ham" : "spam");
    }
    CHECK_STR(sluice_model_label(words, 0).text, "spam"); /* a tie goes to the class seen first */
    CHECK_STR(sluice_model_label(plain, 0).text, "-1");
    CHECK_STR(sluice_model_label(plain, 1).text, "1");
    sluice_weight *w, *v;
    size_t n, k;
    CHECK_EQ(sluice_model_weights(words, &w, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_weights(plain, &v, &k, NULL), SLUICE_OK);
    CHECK_EQ(n, k);
    for (size_t i = 0; i < n; i++) {
        CHECK(w[i].id == v[i].id && w[i].weight == -v[i].weight);
        CHECK(sluice_model_weight_of_id(words, w[i].id) == (double)w[i].weight);
    }
    /* the same from a predict-only copy, a copy and a file */
    sluice_model *others[] = {sluice_model_final(words, NULL), sluice_model_copy(words, NULL),
                              sluice_model_snapshot(words, NULL)};
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(sluice_model_margins(others[i], b, c, NULL), SLUICE_OK);
        for (size_t r = 0; r < b->rows; r++) CHECK(a[r] == c[r]);
        CHECK_EQ(sluice_model_classes(others[i]), 2);
        void *bytes;
        CHECK_EQ(sluice_model_bytes(others[i], &bytes, &n, NULL), SLUICE_OK);
        sluice_model *loaded = sluice_model_parse(bytes, n, NULL);
        CHECK_EQ(sluice_model_margins(loaded, b, c, NULL), SLUICE_OK);
        for (size_t r = 0; r < b->rows; r++) CHECK(a[r] == c[r]);
        CHECK_STR(sluice_model_label(loaded, 0).text, "spam");
        sluice_model_free(loaded);
        sluice_free(bytes);
        sluice_model_free(others[i]);
    }
    sluice_free(w);
    sluice_free(v);
    sluice_model_free(words);
    sluice_model_free(plain);
    sluice_batch_free(b);
    free(labels);
    free(y);
    free(a);
    free(c);
    free(p);
}

TEST(a_batch_is_measured_by_the_classes_of_the_model) {
    sluice_model *m = learn_text("spam ham spam ham spam", NULL, SLUICE_OK);
    const char *labels[] = {"spam", "*", "ham", "ham", NULL}, *other[] = {"spam", "eggs", NULL};
    sluice_batch *b = rows_of(labels), *bad = rows_of(other);
    sluice_meter *meter = new_meter(m, 1);
    double margins[] = {0, 5, 0, -1};
    CHECK_EQ(sluice_meter_add_batch(meter, b, margins), SLUICE_OK);
    sluice_measures got = {.size = sizeof got};
    CHECK_EQ(sluice_meter_read(meter, &got), SLUICE_OK);
    CHECK_EQ(got.true_pos, 1); /* spam is positive, and has come first: a margin of 0 predicts it */
    CHECK_EQ(got.false_pos, 1);
    CHECK_EQ(got.true_neg, 1);
    CHECK_EQ(got.false_neg, 0);
    CHECK_EQ(sluice_meter_add_batch(meter, bad, margins), SLUICE_E_DATA);
    CHECK_HAS(sluice_meter_error(meter)->message, "label 'eggs' is none of the model's classes");
    CHECK_HAS(sluice_meter_error(meter)->message, "'spam' and 'ham'");
    sluice_meter_free(meter);
    sluice_model *plain = learn_text("0 1 0", NULL, SLUICE_OK);
    meter = new_meter(plain, 1);
    CHECK_EQ(sluice_meter_add_batch(meter, b, margins), SLUICE_E_DATA);
    sluice_meter_free(meter);
    sluice_model_free(plain);
    sluice_model_free(m);
    sluice_batch_free(b);
    sluice_batch_free(bad);
}

/* Saved after every number of rows, and learned on from the file. */
TEST(resuming_follows_the_classes_of_the_model) {
    const char *orders[][3] = {
        {"ham", "spam", NULL}, {"spam", "ham", NULL}, {"spam", "ham", "ham"}, {"2", "1", "1"}, {"2", "x", NULL}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const char **labels = two_labels(orders[i][0], orders[i][1], 12, 40);
        sluice_batch *b = rows_of(labels);
        sluice_model *whole = new_model("ssol", NULL, 0, orders[i][2]);
        CHECK_EQ(sluice_model_learn_batch(whole, b, NULL), SLUICE_OK);
        file once = file_from(whole);
        for (size_t n = 1; n < 40; n++) {
            sluice_model *part = new_model("ssol", NULL, 0, orders[i][2]);
            CHECK_EQ(sluice_model_learn_rows(part, b, 0, n, NULL), SLUICE_OK);
            file half = file_from(part);
            part = parse(&half, NULL);
            CHECK(part != NULL);
            CHECK_EQ(sluice_model_learn_rows(part, b, n, 40 - n, NULL), SLUICE_OK);
            file twice = file_from(part);
            CHECK(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
            free(twice.bytes);
        }
        free(once.bytes);
        sluice_batch_free(b);
        free(labels);
    }
}

/* Saved with nothing but the label 1, the model is plain, and 1 stays +1 inside. */
/* Learns the labels, is saved and loaded or not, and learns the others; the model's bytes, or none where these are
 * refused. */
static file in_two_goes(const char *learner, const char *const *labels, const char *const *others, bool saved,
                        const char *positive) {
    sluice_model *m = new_model(learner, NULL, 0, positive);
    sluice_batch *a = rows_of(labels), *b = rows_of(others);
    CHECK_EQ(sluice_model_learn_batch(m, a, NULL), SLUICE_OK);
    if (saved) {
        file f = file_from(m);
        m = parse(&f, NULL);
        CHECK(m != NULL);
    }
    sluice_status status = sluice_model_learn_batch(m, b, NULL);
    if (status == SLUICE_OK) status = sluice_model_end_run(m);
    sluice_batch_free(a);
    sluice_batch_free(b);
    if (status == SLUICE_OK) return file_from(m);
    CHECK_EQ(status, SLUICE_E_DATA);
    sluice_model_free(m);
    return (file){0};
}

TEST(a_saved_model_of_one_label_goes_on_as_one_run) {
    static const char *const learners[] = {"pa-1", "arow", "ssol", "olsf", "arow-full", "sbcw"};
    static const char *const begins[][4] = {{"1", "1", "1"}, {"0", "0"}, {"0", "-1", "0"}, {"-1", "-1"}, {"1"}};
    static const char *const goes_on[][4] = {{"spam", "1", "0"}, {"1", "2", "2"}, {"-1", "1"}, {"0", "1", "0"},
                                             {"2", "1", "2"},    {"ham", "0"},    {"1", "1"},  {"ham", "-1"}};
    for (size_t i = 0; i < SL_COUNT(learners); i++)
        for (size_t k = 0; k < SL_COUNT(begins) * SL_COUNT(goes_on); k++) {
            const char *const *first = begins[k % SL_COUNT(begins)], *const *others = goes_on[k / SL_COUNT(begins)];
            const char *positive = k % 3 || *first[0] == '0' || *first[0] == '-' ? NULL : "1";
            file whole = in_two_goes(learners[i], first, others, false, positive);
            file parts = in_two_goes(learners[i], first, others, true, positive);
            if (whole.n != parts.n || (whole.n && memcmp(whole.bytes, parts.bytes, whole.n) != 0))
                fprintf(stderr, "%s, %s then %s\n", learners[i], first[0], others[0]);
            CHECK(whole.n == parts.n && (whole.n == 0 || memcmp(whole.bytes, parts.bytes, whole.n) == 0));
            if (whole.n) {
                file same = copy_of(&parts);
                accept(&parts, &same);
                free(same.bytes);
            }
            free(whole.bytes);
        }
}

/* The file with its section of this name twice. */
static file with_section_twice(const file *f, const char *tag) {
    size_t at = section(f, tag) - SL_SECTION_HEAD;
    size_t n = SL_SECTION_HEAD + (size_t)sl_get_le(f->bytes + at + 8, 8) + 8;
    file twice = {malloc(f->n + n), f->n + n};
    memcpy(twice.bytes, f->bytes, at + n);
    memcpy(twice.bytes + at + n, f->bytes + at, f->n - at);
    return twice;
}

TEST(impossible_sections_of_one_label_are_refused) {
    static const char *const labels[] = {"1 1 1", "0 0"}, *const tags[] = {"MIRR", "SEEN"};
    for (size_t i = 0; i < SL_COUNT(labels); i++) {
        file f = file_from(learn_text(labels[i], NULL, SLUICE_OK)), twice = with_section_twice(&f, tags[i]);
        sluice_error err = {0};
        CHECK(!sluice_model_parse(twice.bytes, twice.n, &err));
        CHECK_EQ(err.status, SLUICE_E_FORMAT);
        CHECK(strstr(err.message, "impossible"));
        remove_section(&f, tags[i]); /* which is optional */
        sluice_model *m = parse(&f, NULL);
        CHECK(m != NULL);
        sluice_model_free(m);
        free(twice.bytes);
    }
}

/* Earlier versions took true and false for 1 and 0, and their models are plain. */
TEST(a_loaded_plain_model_takes_true_and_false) {
    for (int mixed = 0; mixed < 2; mixed++) {
        sluice_model *m = learn_text(mixed ? "1 0 1" : "1 1 1", NULL, SLUICE_OK), *same = sluice_model_copy(m, NULL);
        const char *labels[] = {"false", "TRUE", "true", "False", NULL}, *numbers[] = {"0", "1", "1", "0", NULL};
        sluice_batch *b = rows_of(labels), *plain = rows_of(numbers);
        memcpy(plain->value, b->value, b->nonzeros * sizeof *b->value);
        memcpy(plain->id, b->id, b->nonzeros * sizeof *b->id);
        if (mixed) CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_E_DATA); /* not loaded: a third class */
        file f = file_from(m);
        CHECK_EQ(has_section(&f, "MIRR"), !mixed);
        if (!mixed) remove_section(&f, "MIRR"); /* which earlier versions did not write */
        m = parse(&f, NULL);
        CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_batch(same, plain, NULL), SLUICE_OK);
        double signs[4];
        CHECK_EQ(sluice_model_signs(m, b, 0, 4, signs, NULL), SLUICE_OK);
        CHECK(signs[0] == -1 && signs[1] == 1 && signs[2] == 1 && signs[3] == -1);
        file a = file_from(m), c = file_from(same);
        CHECK(a.n == c.n && memcmp(a.bytes, c.bytes, a.n) == 0);
        free(a.bytes);
        free(c.bytes);
        sluice_batch_free(b);
        sluice_batch_free(plain);
    }
}

TEST(examples_one_by_one_have_numbers_as_classes) {
    sluice_model *m = learn_text("1 2", NULL, SLUICE_OK);
    double margin;
    sluice_example x = {.ids = (uint64_t[]){1}, .values = (float[]){1}, .n = 1, .label = 2, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, &margin), SLUICE_OK);
    CHECK_EQ(m->classes.table.entry[1].count, 2);
    CHECK_EQ(m->positives, 1 + 1);
    x.label = 3;
    CHECK_EQ(sluice_model_learn(m, &x, &margin), SLUICE_E_DATA);
    CHECK_EQ(m->state.t, 3);
    x.weight = 0;
    CHECK_EQ(sluice_model_learn(m, &x, &margin), SLUICE_OK);
    sluice_model_free(m);
}

TEST(models_merge_if_their_classes_are_the_same_inside) {
    static const struct {
        const char *a, *b;
        sluice_status expected;
    } cases[] = {
        {"ham spam", "ham spam spam", SLUICE_OK},
        {"ham", "ham spam", SLUICE_OK},
        {"ham spam", "ham", SLUICE_OK},
        {"", "spam ham", SLUICE_OK},
        {"spam ham", "", SLUICE_OK},
        {"ham spam", "spam ham", SLUICE_E_USAGE},
        {"ham spam", "ham eggs", SLUICE_E_USAGE},
        {"0 1", "ham spam", SLUICE_E_USAGE},
        {"ham", "spam", SLUICE_E_USAGE},
        {"0 1", "1 0", SLUICE_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_model *a = new_model("rda", NULL, 0, NULL), *b = new_model("rda", NULL, 0, NULL), *models[] = {a, b};
        const char *texts[] = {cases[i].a, cases[i].b};
        for (size_t k = 0; k < 2; k++) {
            char copy[64];
            const char *labels[8];
            size_t n = 0;
            strcpy(copy, texts[k]);
            for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) labels[n++] = p;
            labels[n] = NULL;
            sluice_batch *rows = rows_of(labels);
            CHECK_EQ(sluice_model_learn_batch(models[k], rows, NULL), SLUICE_OK);
            sluice_batch_free(rows);
        }
        CHECK_EQ(sluice_model_merge(a, b), cases[i].expected);
        if (cases[i].expected == SLUICE_OK) {
            uint64_t examples = 0;
            for (size_t k = 0; k < a->classes.table.n; k++) examples += a->classes.table.entry[k].count;
            CHECK(a->classes.table.n == 0 || examples == a->state.t);
            CHECK_EQ(sluice_model_classes(a), strstr(cases[i].a, "1") ? 0 : 2);
        } else {
            CHECK_HAS(a->error.message, "classes");
        }
        sluice_model_free(a);
        sluice_model_free(b);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static file file_of_words(void) {
    sluice_model *m = learn_text("spam ham ham", NULL, SLUICE_OK);
    set_positive(m, "ham");
    CHECK(sl_class_labels_settle(m));
    return file_from(m);
}

static void refuse_classes(const char *bytes, size_t n, const char *message) {
    file f = file_of_words();
    set_content(&f, "CLAS", bytes, n);
    refuse(&f, message);
}

#define REFUSE_CLASSES(bytes, message) refuse_classes(bytes, sizeof(bytes) - 1, message)

TEST(impossible_classes_in_a_file_are_refused) {
    file f = file_of_words(), same = copy_of(&f);
    accept(&f, &same);
    f = copy_of(&same);
    CHECK_EQ(section_length(&f, "CLAS"), 3 + 4 + 6 + 5);
    CHECK(memcmp(f.bytes + section(&f, "CLAS"), "\1\2\2\3ham\4spam\1\3ham\2", 18) == 0);
    add_section(&f, "END ", "CLAS", 0, "\1\0\1\1a\0", 6);
    refuse(&f, "CLAS comes twice");
    free(same.bytes);
    REFUSE_CLASSES("", "kind");
    REFUSE_CLASSES("\1\0", "kind");
    REFUSE_CLASSES("\2\0\0", "kind");
    REFUSE_CLASSES("\1\4\0", "kind");
    REFUSE_CLASSES("\1\0\3\1a\0\1b\0\1c\0", "kind");
    REFUSE_CLASSES("\1\0\0", "CLAS is impossible");
    REFUSE_CLASSES("\1\0\1\1a\0x", "CLAS is impossible");
    REFUSE_CLASSES("\1\0\2\1a\0", "a class is impossible");
    REFUSE_CLASSES("\1\0\1\0\0", "a class is impossible");
    REFUSE_CLASSES("\1\0\1\1a\4", "a class is impossible"); /* more examples than the model has learned */
    REFUSE_CLASSES("\1\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1a\0", "a class is impossible");
    REFUSE_CLASSES("\1\0\2\1a\1\1a\1", "a class comes twice");
    REFUSE_CLASSES("\1\0\2\0012\1\0032.0\1", "a class comes twice");
    REFUSE_CLASSES("\1\2\0\0", "positive class is impossible");
    REFUSE_CLASSES("\1\2\0\2a\0", "positive class is impossible");
    REFUSE_CLASSES("\1\2\2\1x\1a\1\1b\1", "contradict");
    REFUSE_CLASSES("\1\1\2\1a\1\1b\1", "contradict"); /* only 1 may be +1 inside when it came first */
    REFUSE_CLASSES("\1\1\0", "contradict");
}

/* ---- sweeps --------------------------------------------------------------------------------------------------------
 */

/* Twelve configurations of a sweep and the same models alone learn the rows in batches of `each`. */
static void compare_sweep(const char *learner, const char *const *labels, size_t each, const char *positive,
                          const char *sided, unsigned threads) {
    enum { N = 12 };
    char text[N][32];
    const char *given[N][2];
    const char *const *params[N];
    size_t n_params[N], n = 0;
    sluice_settings settings = {.size = sizeof settings, .positive = positive};
    sluice_model *alone[N];
    for (size_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "lambda=%g", (double)i / 64);
        given[i][0] = text[i];
        given[i][1] = sided;
        params[i] = given[i];
        n_params[i] = sided && i % 2 ? 2 : 1;
        alone[i] = sluice_model_new(learner, given[i], n_params[i], &settings, NULL);
    }
    sluice_sweep *sweep = sluice_sweep_new(learner, params, n_params, N, &settings, threads, NULL);
    while (labels[n]) n++;
    for (size_t first = 0; first < n; first += each) {
        const char **some = calloc(each + 1, sizeof *some);
        for (size_t i = 0; i < each && first + i < n; i++) some[i] = labels[first + i];
        sluice_batch *b = rows_of(some);
        CHECK_EQ(sluice_sweep_learn_batch(sweep, b), SLUICE_OK);
        for (size_t i = 0; i < N; i++) CHECK_EQ(sluice_model_learn_batch(alone[i], b, NULL), SLUICE_OK);
        sluice_batch_free(b);
        free(some);
    }
    for (size_t i = 0; i < N; i++) {
        sluice_model *m = sluice_sweep_model(sweep, i, NULL), *final = NULL, *same = sluice_model_final(alone[i], NULL);
        CHECK_EQ(sluice_sweep_finals(sweep, i, 1, &final, NULL), SLUICE_OK);
        file a = file_from(m), b = file_from(alone[i]), c = file_from(final), d = file_from(same);
        if (a.n != b.n || memcmp(a.bytes, b.bytes, a.n) != 0) fprintf(stderr, "%s, configuration %zu\n", learner, i);
        CHECK(a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0);
        CHECK(c.n == d.n && memcmp(c.bytes, d.bytes, c.n) == 0);
        free(a.bytes);
        free(b.bytes);
        free(c.bytes);
        free(d.bytes);
    }
    sluice_sweep_free(sweep);
}

TEST(configurations_of_a_sweep_have_the_classes_of_models_alone) {
    static const char *const pairs[][2] = {{"ham", "spam"}, {"spam", "ham"}, {"1", "2"}, {"0", "x"},
                                           {"-1", "1"},     {"1", "-1"},     {"1", "0"}, {"3", "1"}};
    for (size_t i = 0; i < SL_COUNT(pairs); i++)
        for (size_t late = 1; late < 200; late += 90) { /* with 40 rows a batch: several of the first class alone */
            const char **labels = two_labels(pairs[i][0], pairs[i][1], late, ROWS);
            compare_sweep("fsol", labels, 40, NULL, NULL, 1 + (unsigned)(late % 3));
            compare_sweep("ssol", labels, ROWS, NULL, NULL, 1);
            compare_sweep("cs-fsol", labels, 40, pairs[i][0][0] == '1' ? "1" : pairs[i][0], NULL, 2);
            if (strcmp(pairs[i][0], "ham") == 0 || strcmp(pairs[i][0], "spam") == 0)
                compare_sweep("cs-fsol", labels, 40, "spam", "cost_pos=3", 1);
            free(labels);
        }
}

TEST(a_sweep_whose_configurations_are_for_one_class_asks_which) {
    const char *one[] = {"cost_pos=2"}, *const * params[] = {NULL, one};
    size_t n_params[] = {0, 1};
    sluice_sweep *sweep = sluice_sweep_new("cs-fsol", params, n_params, 2, NULL, 1, NULL);
    const char *labels[] = {"ham", "spam", NULL};
    sluice_batch *b = rows_of(labels);
    CHECK_EQ(sluice_sweep_learn_batch(sweep, b), SLUICE_E_USAGE);
    CHECK(strstr(sluice_sweep_error(sweep)->message, "--positive"));
    sluice_batch_free(b);
    sluice_sweep_free(sweep);
}

int main(void) {
    RUN(words_are_learned_as_relabelled_rows_are);
    RUN(one_sided_parameters_are_those_of_the_positive_class);
    RUN(a_stream_that_begins_with_1_alone_becomes_what_its_next_class_makes_it);
    RUN(a_third_class_is_refused_at_its_place);
    RUN(an_example_that_is_refused_leaves_the_model_as_it_was);
    RUN(rows_of_importance_0_bring_no_class);
    RUN(the_positive_class_is_the_greater_one_or_the_one_that_was_named);
    RUN(margins_weights_and_probabilities_are_those_of_the_positive_class);
    RUN(a_batch_is_measured_by_the_classes_of_the_model);
    RUN(resuming_follows_the_classes_of_the_model);
    RUN(a_saved_model_of_one_label_goes_on_as_one_run);
    RUN(impossible_sections_of_one_label_are_refused);
    RUN(a_loaded_plain_model_takes_true_and_false);
    RUN(examples_one_by_one_have_numbers_as_classes);
    RUN(models_merge_if_their_classes_are_the_same_inside);
    RUN(impossible_classes_in_a_file_are_refused);
    RUN(configurations_of_a_sweep_have_the_classes_of_models_alone);
    RUN(a_sweep_whose_configurations_are_for_one_class_asks_which);
    return DONE;
}
