/* Pseudo-labels: rows without a label are learned as rows with the predicted one, and counted apart. */
#include "model/pseudo_labels.h"

#include <math.h>

#include "io/reader.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"
#include "unit/model_bytes.h"

enum { ROWS = 500, LABELLED_FIRST = 60 };

static const char *const plain_labels[] = {"-1", "1"}, *const words[] = {"ham", "spam", "eggs", "7", "bacon"};

/* What the streams are made of. */
typedef struct data {
    const char *format;
    const char *const *labels;
    size_t classes;
} data;

static const data plain_ids = {"libsvm", plain_labels, 2}, two_words = {"libsvm", words, 2},
                  two_names = {"vw", words, 2}, many_ids = {"libsvm", words, 5}, many_names = {"vw", words, 5};

static char *make_text(const data *d) {
    const bool vw = strcmp(d->format, "vw") == 0;
    char *text = malloc(ROWS * 200), *t = text;
    sluice_random r;
    sluice_random_seed(&r, 11);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t class_index = i < d->classes ? i : (size_t)sluice_random_below(&r, d->classes);
        const bool labelled = i < LABELLED_FIRST ? i % 5 != 4 : i % 4 == 0;
        t += sprintf(t, "%s%s", labelled ? d->labels[class_index] : vw && i % 8 == 1 ? "" : "?", vw ? " |" : "");
        unsigned id = 0;
        for (int k = 0; k < 4; k++) {
            id += 1 + (unsigned)sluice_random_below(&r, 5);
            const double value = (double)(1 + sluice_random_below(&r, 4)) / 8;
            t += sprintf(t, vw ? " w%u:%g" : " %u:%g", id, value);
        }
        const size_t hint = sluice_random_below(&r, 10) ? class_index : (size_t)sluice_random_below(&r, d->classes);
        t += sprintf(t, vw ? " h%zu\n" : " %zu:1\n", 30 + hint);
    }
    return text;
}

typedef struct stream {
    char *text;
    sluice_reader *reader;
    const sluice_batch *batch;
} stream;

static sluice_reader *open_text(const data *d, const char *text, unsigned threads, size_t block) {
    const sluice_reader_options how = {
        .size = sizeof how, .format = d->format, .threads = threads, .words = 1, .missing_labels = 1};
    sluice_reader *r = sl_reader_open_memory(text, strlen(text), "rows", &how, block, NULL);
    CHECK(r != NULL);
    return r;
}

static stream open_stream(const data *d) {
    stream s = {.text = make_text(d)};
    s.reader = open_text(d, s.text, 1, 1 << 20);
    CHECK_EQ(sluice_reader_next(s.reader, &s.batch), SLUICE_OK);
    CHECK_EQ(sluice_batch_rows(s.batch), ROWS);
    CHECK(sluice_batch_unlabelled_rows(s.batch, 0, ROWS) > ROWS / 2);
    return s;
}

static void close_stream(stream *s) {
    sluice_reader_close(s->reader);
    free(s->text);
}

static sluice_model *new_model(const sl_learner *learner, sluice_settings settings, unsigned classes) {
    sluice_error err = {0};
    size_t n_trial = 0;
    while (learner->trial[n_trial]) n_trial++;
    settings.classes = classes;
    sluice_model *m = sluice_model_new(learner->info.name, learner->trial, n_trial, &settings, &err);
    CHECK_STR(err.message, "");
    return m;
}

/* ---- the same by hand -------------------------------------------------------------------------------------------- */

/* What counts of a model, and of those within it: rows without labels must leave it alone. */
typedef struct counts {
    uint64_t t, mistakes, updates, positives, of_class[8];
    sl_online_calibration calibration;
    sl_problem_counts lanes[64];
} counts;

static counts counts_of(const sluice_model *m) {
    counts c = {m->state.t, m->mistakes, m->updates, m->positives, {0}, m->calibration, {{0}}};
    for (size_t i = 0; i < m->classes.table.n; i++) c.of_class[i] = m->classes.table.entry[i].count;
    for (size_t i = 0; m->ovr && i < m->ovr->lanes.n_lanes; i++) c.lanes[i] = m->ovr->count[i];
    return c;
}

static void restore_counts(sluice_model *m, const counts *c) {
    if (m->state.t == c->t) return;
    m->mistakes = c->mistakes;
    if (!m->rule->finish) m->updates = c->updates; /* a batch counts the updates of all its rows */
    m->positives = c->positives;
    m->calibration = c->calibration;
    m->pseudo.rows++;
    for (size_t i = 0; i < m->classes.table.n; i++) m->classes.table.entry[i].count = c->of_class[i];
    for (size_t i = 0; m->ovr && i < m->ovr->lanes.n_lanes; i++) m->ovr->count[i] = c->lanes[i];
}

/* Learns a row with this label. */
static void learn_as(sluice_model *m, const sluice_batch *b, size_t row, sluice_name label, double weight) {
    enum { MOST = 64 };
    uint64_t ids[MOST];
    sluice_name names[MOST];
    sluice_example x;
    counts before = counts_of(m), inner[MOST];
    const size_t n = m->problems ? m->problems->n + m->problems->n_to_come : 0;
    CHECK(n <= MOST);
    for (size_t i = 0; i < n; i++) inner[i] = counts_of(sl_problems_at(m->problems, i));
    sluice_batch *one = sluice_batch_new(NULL);
    sluice_batch_row(b, row, ids, names, &x);
    x.word = label;
    x.weight = weight;
    CHECK_EQ(sluice_batch_add(one, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_batch(m, one, NULL), SLUICE_OK);
    sluice_batch_free(one);
    restore_counts(m, &before);
    for (size_t i = 0; i < n; i++) restore_counts(sl_problems_at(m->problems, i), &inner[i]);
}

/* The predicted class if its probability is at least p; n is 0: it is not. */
static sluice_name predict(const sluice_model *m, const sluice_batch *b, size_t row, double p) {
    sluice_name none = {"", 0};
    double margin, probability[8];
    uint32_t best;
    sluice_error err = {0};
    if (!sluice_model_has_probability(m)) return none;
    if (!sluice_model_settings(m)->classes) {
        CHECK_EQ(sluice_model_margins_rows(m, b, row, 1, &margin, &err), SLUICE_OK);
        const double positive = sluice_model_probability(m, margin);
        const bool is_positive = sluice_model_predicts_positive(m, margin);
        return (is_positive ? positive : 1 - positive) >= p ? sluice_model_label(m, margin) : none;
    }
    sluice_class_answers answers = {.size = sizeof answers, .top = 1, .best = &best, .probabilities = probability};
    CHECK_EQ(sluice_model_classify(m, b, row, 1, &answers, &err), SLUICE_OK);
    return best != SLUICE_NO_CLASS && probability[best] >= p ? sl_class_text(&m->classes.table, best) : none;
}

static uint64_t learn_by_hand(sluice_model *m, const sluice_batch *b, double p, double weight) {
    uint64_t learned = 0, examples = 0;
    for (size_t row = 0; row < ROWS; row++) {
        if (!sluice_batch_unlabelled(b, row)) {
            CHECK_EQ(sluice_model_learn_rows(m, b, row, 1, NULL), SLUICE_OK);
            examples++;
        } else if (examples >= 2) { /* from then on there are two classes */
            const sluice_name label = predict(m, b, row, p);
            if (label.n) learn_as(m, b, row, label, weight), learned++;
        }
    }
    return learned;
}

/* Of one against one, a class that wins against all others has 2 / classes. */
static double likely_of(unsigned kind) {
    return kind == SLUICE_CLASSES_TWO ? 0.8 : kind == SLUICE_CLASSES_OVO ? 0.3 : 0.5;
}

static const sluice_settings plain = {.size = sizeof plain},
                             changed = {.size = sizeof changed,
                                        .bias = 1,
                                        .normalize = SLUICE_NORMALIZE_L2,
                                        .scale = SLUICE_SCALE_RUNNING},
                             of_ham = {.size = sizeof of_ham, .hash_bits = 6, .bias = 0.5, .positive = "ham"},
                             of_spam = {.size = sizeof of_spam, .bias = 1, .positive = "spam"};

static uint64_t compare(const sl_learner *learner, const data *d, const sluice_settings *settings, unsigned classes,
                        double p) {
    stream s = open_stream(d);
    sluice_model *got = new_model(learner, *settings, classes), *want = new_model(learner, *settings, classes);
    const double weight = learner->only_weights_0_1 ? 1 : 0.5;
    CHECK_EQ(sluice_model_set_pseudo(got, p, weight), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_batch(got, s.batch, NULL), SLUICE_OK);
    const uint64_t learned = learn_by_hand(want, s.batch, p, weight);
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(got, &facts);
    CHECK_EQ(facts.pseudo, learned);
    CHECK_EQ(facts.examples, ROWS - sluice_batch_unlabelled_rows(s.batch, 0, ROWS));
    CHECK_EQ(got->state.t, facts.examples + learned);
    if (!same_bytes(got, want)) CHECK_STR(learner->info.name, "differs");
    sluice_model_free(got);
    sluice_model_free(want);
    close_stream(&s);
    return learned;
}

/* auto compares its candidates by rows with labels alone: a label given by hand counts there. */
static bool tunes(const sl_learner *learner) { return learner->info.flags & SLUICE_LEARNER_TUNES; }

TEST(two_classes_are_learned_as_by_hand) {
    uint64_t learned = 0;
    for (size_t i = 0; sl_learners[i]; i++) {
        if (tunes(sl_learners[i])) continue;
        learned += compare(sl_learners[i], &plain_ids, &plain, SLUICE_CLASSES_TWO, 0.8);
        learned += compare(sl_learners[i], &plain_ids, &changed, SLUICE_CLASSES_TWO, 0.9);
        learned += compare(sl_learners[i], &two_words, &of_ham, SLUICE_CLASSES_TWO, 0.8);
        learned += compare(sl_learners[i], &two_words, &of_spam, SLUICE_CLASSES_TWO, 0.95);
        learned += compare(sl_learners[i], &two_names, &of_spam, SLUICE_CLASSES_TWO, 0.8);
    }
    CHECK(learned > 5000);
}

TEST(several_classes_are_learned_as_by_hand) {
    uint64_t learned[3] = {0};
    for (size_t i = 0; sl_learners[i]; i++)
        for (unsigned kind = SLUICE_CLASSES_OVR; kind <= SLUICE_CLASSES_MATRIX; kind++) {
            if (tunes(sl_learners[i]) || (kind == SLUICE_CLASSES_MATRIX && !sl_matrix_takes(sl_learners[i]))) continue;
            const double p = likely_of(kind);
            learned[kind - SLUICE_CLASSES_OVR] += compare(sl_learners[i], &many_ids, &plain, kind, p);
            learned[kind - SLUICE_CLASSES_OVR] += compare(sl_learners[i], &many_names, &changed, kind, p);
        }
    for (int k = 0; k < 3; k++) CHECK(learned[k] > 500);
}

/* ---- files, threads, counts -------------------------------------------------------------------------------------- */

static sluice_model *reloaded(const sluice_model *m) {
    void *bytes = NULL;
    size_t n = 0;
    sluice_error err = {0};
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, &err), SLUICE_OK);
    sluice_model *back = sluice_model_parse(bytes, n, &err);
    CHECK_STR(err.message, "");
    sluice_free(bytes);
    return back;
}

static sluice_model *learned_by(const char *learner, const data *d, unsigned classes, unsigned threads, size_t block) {
    const sluice_settings settings = {.size = sizeof settings, .classes = classes};
    sluice_model *m = sluice_model_new(learner, NULL, 0, &settings, NULL);
    char *text = make_text(d);
    sluice_reader *r = open_text(d, text, threads, block);
    const sluice_batch *b;
    sluice_model_set_threads(m, threads);
    CHECK_EQ(sluice_model_set_pseudo(m, likely_of(classes), 1), SLUICE_OK);
    while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    sluice_reader_close(r);
    free(text);
    CHECK(m->pseudo.rows > 20);
    return m;
}

static const struct {
    const data *d;
    unsigned classes;
} kinds[] = {{&plain_ids, SLUICE_CLASSES_TWO},
             {&two_names, SLUICE_CLASSES_TWO},
             {&many_ids, SLUICE_CLASSES_OVR},
             {&many_ids, SLUICE_CLASSES_OVO},
             {&many_names, SLUICE_CLASSES_MATRIX}};

TEST(blocks_and_threads_make_no_difference) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sluice_model *one = learned_by("arow", kinds[i].d, kinds[i].classes, 1, 1 << 20);
        for (unsigned threads = 1; threads <= 4; threads += 3)
            for (size_t block = 64; block <= 4096; block *= 8) {
                sluice_model *other = learned_by("arow", kinds[i].d, kinds[i].classes, threads, block);
                CHECK(same_bytes(one, other));
                sluice_model_free(other);
            }
        sluice_model_free(one);
    }
}

TEST(a_loaded_model_goes_on_as_one_run) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t half = 100; half <= 400; half += 100) {
            stream s = open_stream(kinds[i].d);
            const double p = likely_of(kinds[i].classes);
            const sluice_settings settings = {.size = sizeof settings, .classes = kinds[i].classes};
            sluice_model *m = sluice_model_new("arow", NULL, 0, &settings, NULL),
                         *whole = sluice_model_new("arow", NULL, 0, &settings, NULL);
            sluice_model_set_pseudo(m, p, 2);
            sluice_model_set_pseudo(whole, p, 2);
            CHECK_EQ(sluice_model_learn_batch(whole, s.batch, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, half, NULL), SLUICE_OK);
            sluice_model *back = reloaded(m);
            CHECK(same_bytes(m, back));
            CHECK_EQ(back->pseudo.rows, m->pseudo.rows);
            CHECK(back->pseudo.rows > 0);
            sluice_model_set_pseudo(back, p, 2);
            CHECK_EQ(sluice_model_learn_rows(back, s.batch, half, ROWS - half, NULL), SLUICE_OK);
            CHECK(same_bytes(back, whole));
            sluice_model_free(m);
            sluice_model_free(back);
            sluice_model_free(whole);
            close_stream(&s);
        }
}

static sluice_model_facts facts_of(const sluice_model *m) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    return facts;
}

TEST(copies_final_models_and_merged_ones_keep_the_count) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sluice_model *m = learned_by("arow", kinds[i].d, kinds[i].classes, 1, 1 << 20);
        sluice_model *copy = sluice_model_copy(m, NULL), *final = sluice_model_final(m, NULL), *back = reloaded(final);
        const sluice_model_facts want = facts_of(m);
        CHECK_EQ(facts_of(copy).pseudo, want.pseudo);
        CHECK_EQ(facts_of(final).pseudo, want.pseudo);
        CHECK_EQ(facts_of(back).pseudo, want.pseudo);
        CHECK_EQ(facts_of(back).examples, want.examples);
        sluice_model_free(copy);
        sluice_model_free(final);
        sluice_model_free(back);
        sluice_model_free(m);
    }
    sluice_model *a = learned_by("rda", &plain_ids, 0, 1, 1 << 20), *b = learned_by("rda", &plain_ids, 0, 1, 1 << 20);
    const sluice_model_facts one = facts_of(a);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_OK);
    CHECK_EQ(facts_of(a).pseudo, 2 * one.pseudo);
    CHECK_EQ(facts_of(a).examples, 2 * one.examples);
    sluice_model_free(a);
    sluice_model_free(b);
}

TEST(impossible_counts_are_refused) {
    static const char *const wrong[] = {"pseudo=0\n", "pseudo=100000\n", "pseudo=-1\n", "pseudo=\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file f = file_from(learned_by("arow", &plain_ids, 0, 1, 1 << 20));
        char *text = modl_of(&f), *at = strstr(text, "pseudo=");
        CHECK(at != NULL);
        if (at) {
            char line[40];
            snprintf(line, sizeof line, "%.*s\n", (int)(strchr(at, '\n') - at), at);
            replace(&f, line, wrong[i]);
        }
        free(text);
        sluice_error err = {0};
        CHECK(parse(&f, &err) == NULL);
        CHECK(strstr(err.message, "pseudo") != NULL);
    }
    /* all examples are pseudo-labelled, but there are mistakes */
    file f = file_of("arow");
    replace(&f, "examples=5\n", "examples=5\npseudo=5\n");
    sluice_error err = {0};
    CHECK(parse(&f, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_FORMAT);
}

TEST(models_without_pseudo_labels_have_no_such_count) {
    file f = file_of("arow");
    char *text = modl_of(&f);
    CHECK(strstr(text, "pseudo") == NULL);
    free(text);
    free(f.bytes);
}

/* ---- when there is nothing to learn ------------------------------------------------------------------------------ */

static sluice_model *learn_text(const char *text, const char *learner, double p, const char *format) {
    const data d = {format, NULL, 0};
    sluice_model *m = sluice_model_new(learner, NULL, 0, NULL, NULL);
    sluice_reader *r = open_text(&d, text, 1, 1 << 20);
    const sluice_batch *b;
    CHECK_EQ(sluice_model_set_pseudo(m, p, 1), SLUICE_OK);
    while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    CHECK_STR(sluice_reader_error(r)->message, "");
    sluice_reader_close(r);
    return m;
}

TEST(one_class_is_not_enough) {
    static const char *const texts[] = {"1 1:1\n1 1:1\n? 1:1\n? 1:1\n", "spam 1:1\nspam 1:1\n? 1:1\n? 1:1\n",
                                        "-1 1:1\n0 1:1\n? 1:1\n", "? 1:1\n? 1:1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sluice_model *m = learn_text(texts[i], "ftrl", 0.51, "libsvm"), /* it always has probabilities */
            *twice = learn_text(texts[i], "pa-1", 0.51, "libsvm");
        CHECK_EQ(facts_of(m).pseudo, 0);
        CHECK_EQ(facts_of(twice).pseudo, 0);
        sluice_model_free(m);
        sluice_model_free(twice);
    }
    sluice_model *m = learn_text("1 1:1\n-1 2:1\n1 1:1\n-1 2:1\n1 1:1\n? 1:1\n", "ftrl", 0.51, "libsvm");
    CHECK_EQ(facts_of(m).pseudo, 1);
    CHECK_EQ(facts_of(m).examples, 5);
    sluice_model_free(m);
}

TEST(rows_that_are_not_likely_enough_are_as_absent) {
    static const char text[] = "1 1:1\n-1 2:1\n1 1:1\n-1 2:1\n? 1:1 77:1\n? 2:1 78:1\n1 1:1\n";
    sluice_model *m = learn_text(text, "pa-1", 1, "libsvm"),
                 *want = learn_text("1 1:1\n-1 2:1\n1 1:1\n-1 2:1\n1 1:1\n", "pa-1", 1, "libsvm");
    CHECK(same_bytes(m, want)); /* their features were not seen either */
    sluice_model_free(m);
    sluice_model_free(want);
}

TEST(a_labelled_row_of_importance_0_stays_absent) {
    static const char text[] = "1 | a\n-1 | b\n1 | a\n-1 | b\n1 | a\n0 0 | a\n1 0 | a\n| a\n";
    sluice_model *m = learn_text(text, "ftrl", 0.51, "vw");
    CHECK_EQ(facts_of(m).pseudo, 1);
    sluice_model_free(m);
}

TEST(importance_of_a_row_without_a_label_counts) {
    static const char *const texts[] = {"1 | a\n-1 | b\n1 | a\n-1 | b\n1 | a\n? 0 | a\n",
                                        "1 | a\n-1 | b\n1 | a\n-1 | b\n1 | a\n? 3 | a\n",
                                        "1 | a\n-1 | b\n1 | a\n-1 | b\n1 | a\n1 3 | a\n"};
    sluice_model *m[3];
    for (int i = 0; i < 3; i++) m[i] = learn_text(texts[i], "ftrl", 0.51, "vw");
    CHECK_EQ(facts_of(m[0]).pseudo, 0);
    CHECK_EQ(facts_of(m[1]).pseudo, 1);
    const sluice_name a = {"a", 1};
    CHECK(sluice_model_weight_of_name(m[1], a) == sluice_model_weight_of_name(m[2], a));
    CHECK(sluice_model_weight_of_name(m[1], a) != sluice_model_weight_of_name(m[0], a));
    for (int i = 0; i < 3; i++) sluice_model_free(m[i]);
}

TEST(what_is_out_of_range_is_refused) {
    static const double wrong[][2] = {{0.5, 1}, {0.2, 1},  {1.01, 1},       {-1, 1},   {NAN, 1},
                                      {0.9, 0}, {0.9, -1}, {0.9, INFINITY}, {0.9, NAN}};
    const sluice_settings several = {.size = sizeof several, .classes = SLUICE_CLASSES_OVR};
    sluice_model *two = sluice_model_new("pa-1", NULL, 0, NULL, NULL),
                 *many = sluice_model_new("pa-1", NULL, 0, &several, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(sluice_model_set_pseudo(two, wrong[i][0], wrong[i][1]), SLUICE_E_USAGE);
        if (i > 1) CHECK_EQ(sluice_model_set_pseudo(many, wrong[i][0], wrong[i][1]), SLUICE_E_USAGE);
    }
    CHECK_EQ(sluice_model_set_pseudo(many, 0.2, 1), SLUICE_OK);
    CHECK_EQ(sluice_model_set_pseudo(two, 0, 0), SLUICE_OK);
    sluice_model_free(two);
    sluice_model_free(many);
    for (size_t i = 0; sl_learners[i]; i++) {
        if (!sl_learners[i]->only_weights_0_1) continue;
        sluice_model *m = sluice_model_new(sl_learners[i]->info.name, NULL, 0, NULL, NULL);
        CHECK_EQ(sluice_model_set_pseudo(m, 0.9, 0.5), SLUICE_E_USAGE);
        CHECK_EQ(sluice_model_set_pseudo(m, 0.9, 1), SLUICE_OK);
        sluice_model_free(m);
    }
}

TEST(meters_do_not_count_rows_without_a_label) {
    stream s = open_stream(&plain_ids);
    sluice_meter_options how = {.size = sizeof how};
    sluice_measures measures = {.size = sizeof measures};
    sluice_model *m = sluice_model_new("arow", NULL, 0, NULL, NULL);
    sluice_meter *meter = sluice_meter_new(&how, NULL);
    sluice_model_set_pseudo(m, 0.8, 1);
    CHECK_EQ(sluice_model_learn_batch(m, s.batch, meter), SLUICE_OK);
    sluice_meter_read(meter, &measures);
    CHECK_EQ(measures.examples, ROWS - sluice_batch_unlabelled_rows(s.batch, 0, ROWS));
    CHECK_EQ(measures.mistakes, facts_of(m).mistakes);
    CHECK(facts_of(m).pseudo > 100);
    sluice_meter_free(meter);
    sluice_model_free(m);
    close_stream(&s);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *format, *text;
    const char *marks; /* by row */
} formats[] = {
    {"libsvm", "1 1:1\n? 1:1\n-1 2:1\n?\n? \t3:1 # comment\n", "_x_xx"},
    {"text", "1\tgood\n?\tbad\n\tworse\n ? \tworse\nham\tgood\n", "_xxx_"},
    {"url", "1\ta.b/c\n?\ta.b/c\n\ta.b/d\nham\ta.b\n", "_xx_"},
    {"csv", "label,x\n1,2\n?,3\n,4\nham,5\n\"\",6\n ? ,7\n", "_xx_xx"},
    {"jsonl", "{\"label\":1,\"x\":2}\n{\"x\":2}\n{\"label\":null}\n{\"label\":\"?\",\"x\":1}\n{\"label\":\"\"}\n",
     "_xxxx"},
    {"vw", "1 |a\n|a\n? |a\n? 2 |a\n0 0 |a\ntag|a\n", "_xxx_x"},
};

TEST(every_format_marks_rows_without_a_label) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const data d = {formats[i].format, NULL, 0};
        sluice_reader *r = open_text(&d, formats[i].text, 1, 1 << 20);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        char marks[16] = "";
        for (size_t row = 0; row < sluice_batch_rows(b); row++) {
            const bool marked = sluice_batch_unlabelled(b, row);
            marks[row] = marked ? 'x' : '_';
            if (marked) CHECK(sluice_batch_weight(b, row) == 0);
        }
        CHECK_STR(marks, formats[i].marks);
        CHECK_STR(sluice_reader_error(r)->message, "");
        sluice_reader_close(r);
    }
}

/* Without the option: the row that has no label is an error, or (vw, null in jsonl) marked all the same. */
TEST(without_the_option_a_missing_label_is_an_error) {
    static const struct {
        const char *format, *text;
        uint64_t line; /* of the error; 0: there is none */
    } texts[] = {{"libsvm", "1 1:1\n? 1:1\n", 2},
                 {"text", "1\ta\n?\ta\n", 2},
                 {"url", "1\ta\n\ta\n", 2},
                 {"csv", "label,x\n1,2\n,3\n", 3},
                 {"jsonl", "{\"label\":1}\n{\"label\":\"?\"}\n", 2},
                 {"jsonl", "{\"label\":1}\n{\"x\":1}\n", 2},
                 {"vw", "1 |a\n? |a\n", 2},
                 {"jsonl", "{\"label\":1}\n{\"label\":null}\n", 0},
                 {"vw", "1 |a\n|a\n", 0}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sluice_reader_options how = {.size = sizeof how, .format = texts[i].format, .threads = 1, .words = 1};
        sluice_reader *r = sluice_reader_open_memory(texts[i].text, strlen(texts[i].text), "rows", &how, NULL);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        CHECK_EQ(sluice_batch_unlabelled_rows(b, 0, sluice_batch_rows(b)), texts[i].line == 0);
        if (texts[i].line) CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_DATA);
        CHECK_EQ(sluice_reader_error(r)->line, texts[i].line);
        sluice_reader_close(r);
    }
}

int main(void) {
    RUN(two_classes_are_learned_as_by_hand);
    RUN(several_classes_are_learned_as_by_hand);
    RUN(blocks_and_threads_make_no_difference);
    RUN(a_loaded_model_goes_on_as_one_run);
    RUN(copies_final_models_and_merged_ones_keep_the_count);
    RUN(impossible_counts_are_refused);
    RUN(models_without_pseudo_labels_have_no_such_count);
    RUN(one_class_is_not_enough);
    RUN(rows_that_are_not_likely_enough_are_as_absent);
    RUN(a_labelled_row_of_importance_0_stays_absent);
    RUN(importance_of_a_row_without_a_label_counts);
    RUN(what_is_out_of_range_is_refused);
    RUN(meters_do_not_count_rows_without_a_label);
    RUN(every_format_marks_rows_without_a_label);
    RUN(without_the_option_a_missing_label_is_an_error);
    return DONE;
}
