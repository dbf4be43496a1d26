/* Models of several classes: their files, copies and predict-only forms. */
#include "model/classes/matrix.h"
#include "model/classes/ovr.h"

#include <math.h>

#include "unit/every_learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 300, CLASSES = 12, HALF = 130 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Rows whose classes, words and numbers, appear one after the other, with empty rows, zeros, large ids, weights. */
static char *make_text(bool names, double light) {
    char *text = malloc(ROWS * 400), *t = text;
    state = 17;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t known = 1 + i / 20 < CLASSES ? 1 + i / 20 : CLASSES;
        const size_t class_index = i % 20 == 0 && i / 20 < CLASSES ? i / 20 : (size_t)(uniform() * (double)known);
        t += names ? sprintf(t, "%zu %g |", class_index * 10, i % 7 ? 1 : light) : sprintf(t, "c%zu", class_index * 10);
        size_t id = 0;
        for (size_t n = i % 50 == 3 ? 0 : 2 + (size_t)(uniform() * 6); n; n--) {
            id += 1 + (size_t)(uniform() * 20);
            const double value = floor((uniform() * 3 - 1) * 64) / 64;
            t += sprintf(t, names ? " w%zu:%g" : " %zu:%g", id % 5 == 4 && !names ? id + ((size_t)1 << 40) : id, value);
        }
        t += sprintf(t, names ? " c%zu\n" : " %zu:1\n", 500 + class_index % 8);
    }
    return text;
}

typedef struct stream {
    char *text;
    sluice_reader *reader;
    const sluice_batch *batch;
} stream;

static stream open_stream(bool names, const sl_learner *learner) {
    sluice_error err = {0};
    stream s = {.text = make_text(names, learner->only_weights_0_1 ? 0 : 0.5)};
    sluice_reader_options how = {.size = sizeof how, .format = names ? "vw" : "libsvm", .threads = 1, .words = 1};
    s.reader = sluice_reader_open_memory(s.text, strlen(s.text), "rows", &how, &err);
    CHECK_EQ(sluice_reader_next(s.reader, &s.batch), SLUICE_OK);
    CHECK_STR(sluice_reader_error(s.reader)->message, "");
    CHECK_EQ(sluice_batch_rows(s.batch), ROWS);
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

/* The model that comes back from its own bytes. */
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

/* Margins of all rows in all classes, each bit. */
static uint64_t different_margins(const sluice_model *a, const sluice_model *b, const sluice_batch *batch) {
    uint64_t different = 0;
    double x[CLASSES], y[CLASSES];
    sluice_class_answers of_a = {.size = sizeof of_a, .margins = x}, of_b = {.size = sizeof of_b, .margins = y};
    sluice_error err = {0};
    CHECK_EQ(sluice_model_classes(a), CLASSES);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK_EQ(sluice_model_classify(a, batch, i, 1, &of_a, &err), SLUICE_OK);
        CHECK_EQ(sluice_model_classify(b, batch, i, 1, &of_b, &err), SLUICE_OK);
        different += memcmp(x, y, sizeof x) != 0;
    }
    return different;
}

static const sluice_settings plain = {.size = sizeof plain},
                             changed = {.size = sizeof changed, .bias = 1, .normalize = SLUICE_NORMALIZE_L2},
                             hashed = {.size = sizeof hashed, .hash_bits = 6, .bias = 0.5},
                             scaled = {.size = sizeof scaled,
                                       .bias = 1,
                                       .normalize = SLUICE_NORMALIZE_L2,
                                       .scale = SLUICE_SCALE_RUNNING,
                                       .transform = SLUICE_TRANSFORM_LOG1P};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void resume(const sl_learner *learner, unsigned kind, bool names, const sluice_settings *settings) {
    stream s = open_stream(names, learner);
    sluice_model *whole = new_model(learner, *settings, kind), *half = new_model(learner, *settings, kind);
    CHECK_EQ(sluice_model_learn_rows(whole, s.batch, 0, ROWS, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_rows(half, s.batch, 0, HALF, NULL), SLUICE_OK);
    sluice_model *back = reloaded(half);
    if (!back) return;
    CHECK(same_bytes(half, back));
    CHECK(!same_bytes(half, whole));
    CHECK_EQ(sluice_model_learn_rows(back, s.batch, HALF, ROWS - HALF, NULL), SLUICE_OK);
    CHECK(same_bytes(back, whole));
    CHECK_EQ(back->mistakes, whole->mistakes);
    CHECK_EQ(different_margins(back, whole, s.batch), 0);
    sluice_model_free(whole);
    sluice_model_free(half);
    sluice_model_free(back);
    close_stream(&s);
}

TEST(a_loaded_matrix_goes_on_as_one_run) {
    for (size_t i = 0; every_learner(i); i++) {
        if (!sl_matrix_takes(every_learner(i))) continue;
        resume(every_learner(i), SLUICE_CLASSES_MATRIX, false, &plain);
        resume(every_learner(i), SLUICE_CLASSES_MATRIX, true, &plain);
        resume(every_learner(i), SLUICE_CLASSES_MATRIX, false, &changed);
        resume(every_learner(i), SLUICE_CLASSES_MATRIX, true, &hashed);
        resume(every_learner(i), SLUICE_CLASSES_MATRIX, i % 2, &scaled);
    }
}

TEST(loaded_problems_go_on_as_one_run) {
    for (size_t i = 0; every_learner(i); i++) {
        resume(every_learner(i), SLUICE_CLASSES_OVR, i % 2, &plain);
        resume(every_learner(i), SLUICE_CLASSES_OVR, i % 2 == 0, &changed);
        resume(every_learner(i), SLUICE_CLASSES_OVO, i % 2, &changed);
        resume(every_learner(i), SLUICE_CLASSES_OVR, i % 2, &scaled);
        resume(every_learner(i), SLUICE_CLASSES_OVO, i % 2 == 0, &scaled);
    }
    const sluice_settings few = {.size = sizeof few, .max_features = 60};
    resume(sl_learner_find("ssol"), SLUICE_CLASSES_OVR, true, &hashed);
    resume(sl_learner_find("rda"), SLUICE_CLASSES_OVR, true, &few);
}

TEST(a_copy_of_a_matrix_is_a_model_of_its_own) {
    const sl_learner *arow = sl_learner_find("arow");
    stream s = open_stream(true, arow);
    sluice_model *m = new_model(arow, changed, SLUICE_CLASSES_MATRIX);
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, HALF, NULL), SLUICE_OK);
    sluice_model *copy = sluice_model_copy(m, NULL), *before = reloaded(m);
    CHECK(same_bytes(m, copy));
    CHECK_EQ(sluice_model_learn_rows(copy, s.batch, HALF, ROWS - HALF, NULL), SLUICE_OK);
    CHECK(same_bytes(m, before));
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, HALF, ROWS - HALF, NULL), SLUICE_OK);
    CHECK(same_bytes(m, copy));
    sluice_model_free(m);
    sluice_model_free(copy);
    sluice_model_free(before);
    close_stream(&s);
}

TEST(a_matrix_that_has_learned_nothing_loads) {
    sluice_model *m = new_model(sl_learner_find("pa-1"), plain, SLUICE_CLASSES_MATRIX), *back = reloaded(m);
    CHECK(same_bytes(m, back));
    CHECK_EQ(sluice_model_classes(back), 0);
    sluice_model_free(m);
    sluice_model_free(back);
}

/* More pairs than a section takes, and labels for two sections. */
TEST(large_matrices_take_several_sections) {
    enum { LONG = 60000, MANY = 200, IDS = 400 };
    sluice_model *m = new_model(sl_learner_find("pa"), plain, SLUICE_CLASSES_MATRIX);
    uint64_t ids[IDS];
    float values[IDS];
    char *word = malloc(LONG);
    memset(word, 'x', LONG);
    for (size_t k = 0; k < IDS; k++) ids[k] = k * 7, values[k] = 1 + (float)k / 64;
    for (size_t i = 0; i < MANY + 50; i++) {
        char number[16];
        memcpy(word, number, (size_t)sprintf(number, "%03zu", i % MANY));
        sluice_example e = {.ids = ids, .values = values, .n = IDS, .weight = 1, .word = {word, LONG}};
        CHECK_EQ(sluice_model_learn(m, &e, NULL), SLUICE_OK);
    }
    sluice_model *back = reloaded(m);
    CHECK_EQ(sluice_model_classes(back), MANY);
    CHECK(same_bytes(m, back));
    file f = file_from(back);
    size_t sections[2] = {0};
    for (size_t at = 16; at < f.n; at += SL_SECTION_HEAD + (size_t)sl_get_le(f.bytes + at + 8, 8) + 8) {
        sections[0] += memcmp(f.bytes + at, "CLAS", SL_TAG) == 0;
        sections[1] += memcmp(f.bytes + at, "PAIR", SL_TAG) == 0;
    }
    CHECK(sections[0] == 2 && sections[1] == 2);
    free(f.bytes);
    free(word);
    sluice_model_free(m);
}

/* ---- predict-only models ----------------------------------------------------------------------------------------- */

static void predict_only(const sl_learner *learner, unsigned classes, bool names, const sluice_settings *settings) {
    stream s = open_stream(names, learner);
    sluice_error err = {0};
    sluice_model *m = new_model(learner, *settings, classes);
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, ROWS, NULL), SLUICE_OK);
    sluice_model *final = sluice_model_final(m, &err);
    CHECK_STR(err.message, "");
    sluice_model *back = reloaded(final), *again = sluice_model_snapshot(back, &err),
                 *copy = sluice_model_copy(back, NULL);
    CHECK(sl_model_is_predict_only(final) && final->matrix && !final->ovr);
    CHECK_EQ(different_margins(m, final, s.batch), 0);
    CHECK_EQ(different_margins(m, back, s.batch), 0);
    CHECK(same_bytes(final, back));
    CHECK(same_bytes(final, again));
    CHECK(same_bytes(final, copy));
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0, zeros = 0;
    for (size_t n; (n = sl_space_chunk(&back->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            const sl_pair_list *list = sl_matrix_list(back, slot[k]);
            zeros += list->n == 0 && !final->settings.scale; /* with scales the length of rows needs all features */
            for (size_t c = 0; c < list->n; c++)
                zeros += *(float *)(void *)sl_pair_state(&back->matrix->arena, (uint32_t)(list->first + c)) == 0;
        }
    CHECK_EQ(zeros, 0);
    sluice_model_facts of_final = {.size = sizeof of_final}, of_full = {.size = sizeof of_full};
    CHECK_EQ(sluice_model_describe(back, &of_final), SLUICE_OK);
    CHECK_EQ(sluice_model_describe(m, &of_full), SLUICE_OK);
    CHECK(of_final.is_final && !of_full.is_final);
    CHECK_EQ(of_final.nonzeros, of_full.nonzeros);
    CHECK_EQ(of_final.features_seen, of_full.features_seen);
    CHECK_EQ(sluice_model_learn_rows(back, s.batch, 0, 1, NULL), SLUICE_E_UNSUPPORTED);
    CHECK_HAS(sluice_model_error(back)->message, "predict-only");
    sluice_model_free(m);
    sluice_model_free(final);
    sluice_model_free(back);
    sluice_model_free(again);
    sluice_model_free(copy);
    close_stream(&s);
}

TEST(predict_only_models_have_the_margins_of_the_full_ones) {
    for (size_t i = 0; every_learner(i); i++) {
        const sl_learner *learner = every_learner(i);
        const unsigned classes[] = {SLUICE_CLASSES_MATRIX, SLUICE_CLASSES_OVR};
        const bool takes[] = {sl_matrix_takes(learner), sl_learner_lanes(learner) != NULL};
        for (size_t k = 0; k < 2; k++) {
            if (!takes[k]) continue;
            predict_only(learner, classes[k], false, &plain);
            predict_only(learner, classes[k], true, &changed);
            predict_only(learner, classes[k], false, &changed);
            predict_only(learner, classes[k], true, &hashed);
            predict_only(learner, classes[k], false, &scaled);
        }
    }
}

TEST(predict_only_models_of_one_against_the_rest_keep_their_calibrations) {
    const sl_learner *arow = sl_learner_find("arow");
    stream s = open_stream(false, arow);
    sluice_model *m = new_model(arow, plain, SLUICE_CLASSES_OVR);
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, ROWS, NULL), SLUICE_OK);
    sluice_model *final = sluice_model_final(m, NULL), *back = reloaded(final);
    for (size_t c = 0; c < CLASSES; c++) {
        CHECK(m->ovr->count[c].calibration.n > 0);
        CHECK(memcmp(&m->ovr->count[c].calibration, &back->matrix->calibration[c], sizeof *back->matrix->calibration) ==
              0);
    }
    sluice_model_free(m);
    sluice_model_free(final);
    sluice_model_free(back);
    close_stream(&s);
}

/* ---- damaged files ----------------------------------------------------------------------------------------------- */

static file file_by(const char *name, unsigned classes, bool final) {
    const sl_learner *learner = sl_learner_find(name);
    stream s = open_stream(false, learner);
    sluice_model *m = new_model(learner, plain, classes);
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, ROWS, NULL), SLUICE_OK);
    sluice_model *kept = final ? sluice_model_final(m, NULL) : m;
    if (final) sluice_model_free(m);
    file f = file_from(kept);
    close_stream(&s);
    return f;
}

static file small_file(unsigned classes, bool final) { return file_by("pa", classes, final); }

static void set_number(file *f, const char *tag, size_t at, uint64_t value, size_t bytes) {
    sl_put_le(f->bytes + section(f, tag) + at, value, bytes);
}

static uint64_t number(const file *f, const char *tag, size_t at, size_t bytes) {
    return sl_get_le(f->bytes + section(f, tag) + at, bytes);
}

/* The first feature of FEAT that has at least two pairs: where its count is, and which pair is its first. */
static size_t place_of_count(const file *f, uint64_t *first) {
    const size_t n = (size_t)number(f, "FEAT", 1, 4), counts = section_length(f, "FEAT") - 4 * n;
    *first = 0;
    for (size_t k = 0; k < n; k++) {
        const uint64_t pairs = number(f, "FEAT", counts + 4 * k, 4);
        if (pairs >= 2) return counts + 4 * k;
        *first += pairs;
    }
    CHECK(0 && "no feature with two pairs");
    return counts;
}

TEST(damaged_pairs_are_refused) {
    file good = small_file(SLUICE_CLASSES_MATRIX, false), f;
    uint64_t first;
    const size_t count_at = place_of_count(&good, &first), pairs = (size_t)number(&good, "PAIR", 0, 4);
    const uint64_t count = number(&good, "FEAT", count_at, 4);

    f = copy_of(&good), set_number(&f, "PAIR", 4 + 4 * first, CLASSES, 4);
    refuse(&f, "a pair is of a class that there is not");
    f = copy_of(&good), set_number(&f, "PAIR", 4 + 4 * first, UINT32_MAX, 4);
    refuse(&f, "a pair is of a class that there is not");
    f = copy_of(&good), set_number(&f, "PAIR", 4 + 4 * first, number(&f, "PAIR", 4 + 4 * (first + 1), 4), 4);
    refuse(&f, "a feature has two pairs of one class");
    f = copy_of(&good), set_number(&f, "FEAT", count_at, count + 1, 4);
    refuse(&f, ""); /* the pairs that follow are taken for its own: twice one class, or one missing at the end */
    f = copy_of(&good), set_number(&f, "FEAT", count_at, count - 1, 4);
    refuse(&f, "");
    f = copy_of(&good), set_number(&f, "FEAT", section_length(&f, "FEAT") - 4, 100, 4);
    refuse(&f, "pairs of its features are missing");
    f = copy_of(&good), set_number(&f, "FEAT", count_at, UINT32_MAX, 4);
    refuse(&f, "a feature has an impossible number of pairs");
    f = copy_of(&good), remove_section(&f, "PAIR");
    refuse(&f, "pairs of its features are missing");
    f = copy_of(&good), set_number(&f, "PAIR", 0, pairs - 1, 4);
    refuse(&f, "a list of pairs has an impossible length");
    f = copy_of(&good), set_number(&f, "PAIR", 0, UINT32_MAX, 4);
    refuse(&f, "a list of pairs has an impossible length");
    f = copy_of(&good), set_content(&f, "PAIR", "", 0);
    refuse(&f, "a list of pairs is too short");
    f = copy_of(&good), set_number(&f, "PAIR", 4 + 4 * pairs, 0x7f800000, 4); /* infinite */
    refuse(&f, "an impossible value of w");
    const unsigned char extra[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    f = copy_of(&good), add_section(&f, "CLAS", "PAIR", 0, extra, sizeof extra);
    refuse(&f, "there are more pairs than its features have");
    const unsigned char id[] = {0, 1, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0, 0, 0};
    f = copy_of(&good), add_section(&f, "CLAS", "FEAT", 0, id, sizeof id);
    refuse(&f, "there are features behind the pairs");
    f = copy_of(&good), replace(&f, "classes=matrix\n", "");
    refuse(&f, "the model's state is not that of pa in this version");
    f = copy_of(&good), replace(&f, "classes=matrix", "classes=both");
    refuse(&f, "the value 'both' of 'classes' is impossible");
    f = copy_of(&good), replace(&f, "pair_fields=w:f32", "pair_fields=w:f64");
    refuse(&f, "the model's state is not that of pa in this version");
    f = copy_of(&good), replace(&f, "fields=pairs:u32", "fields=w:f32");
    refuse(&f, "the model's state is not that of pa in this version");
    f = copy_of(&good), replace(&f, "learner=pa\n", "learner=sbcw\n");
    refuse(&f, "has no form with one matrix");
    f = file_of("pa"), add_section(&f, "END ", "PAIR", 0, extra, sizeof extra);
    refuse(&f, "it has pairs, which its kind of model has not");
    free(good.bytes);
}

TEST(damaged_tables_of_classes_are_refused) {
    file good = small_file(SLUICE_CLASSES_MATRIX, false), f;
    f = copy_of(&good), set_number(&f, "CLAS", 0, SL_KIND_TWO, 1);
    refuse(&f, "its classes are not of the kind that the model has");
    f = copy_of(&good), set_number(&f, "CLAS", 1, 1, 1);
    refuse(&f, "its classes are not of the kind that the model has");
    f = copy_of(&good), set_number(&f, "CLAS", 2, CLASSES + 1, 4);
    refuse(&f, "a class is impossible");
    f = copy_of(&good), set_number(&f, "CLAS", 2, CLASSES - 1, 4);
    refuse(&f, "CLAS is impossible");
    f = copy_of(&good), set_number(&f, "CLAS", 2, UINT32_MAX, 4);
    refuse(&f, "an impossible number of classes");
    f = copy_of(&good), remove_section(&f, "CLAS");
    refuse(&f, "a pair is of a class that there is not");
    const unsigned char again[] = {SL_KIND_MANY, 0, 1, 0, 0, 0, 2, 'c', '0', 0};
    f = copy_of(&good), add_section(&f, "END ", "CLAS", 0, again, sizeof again);
    refuse(&f, "a class comes twice");
    const unsigned char more[] = {SL_KIND_MANY, 0, 1, 0, 0, 0, 3, 'n', 'e', 'w', 1};
    f = copy_of(&good), add_section(&f, "END ", "CLAS", 0, more, sizeof more);
    refuse(&f, "a class is impossible"); /* it has more examples than the model */
    f = file_of("pa"), add_section(&f, "END ", "CLAS", 0, more, sizeof more);
    refuse(&f, "of a kind that this version does not know");
    free(good.bytes);
}

TEST(damaged_calibrations_of_classes_are_refused) {
    file good = small_file(SLUICE_CLASSES_OVR, true), f;
    const size_t n = section_length(&good, "PCAL");
    CHECK_EQ(n, CLASSES * 64);
    char *content = calloc(1, n + 64);
    f = copy_of(&good), remove_section(&f, "PCAL");
    refuse(&f, "its calibrations of classes are impossible");
    f = copy_of(&good), set_number(&f, "PCAL", 8, 0x7ff0000000000000u, 8);
    refuse(&f, "its calibrations of classes are impossible");
    f = copy_of(&good), set_content(&f, "PCAL", content, n + 64);
    refuse(&f, "its calibrations of classes are impossible");
    f = copy_of(&good), set_content(&f, "PCAL", content, n - 1);
    refuse(&f, "its calibrations of classes are impossible");
    f = copy_of(&good), add_section(&f, "CLAS", "PCAL", 0, content, n);
    refuse(&f, "its calibrations of classes are impossible");
    f = small_file(SLUICE_CLASSES_MATRIX, true), add_section(&f, "CLAS", "PCAL", 0, content, n);
    refuse(&f, "its calibrations of classes are impossible");
    f = file_of("pa"), add_section(&f, "END ", "PCAL", 0, content, n);
    refuse(&f, "its calibrations of classes are impossible");
    free(content);
    free(good.bytes);
}

/* A PROB section that holds all of another model. */
static void set_problem(file *f, sluice_model *m) {
    file inner = file_from(m);
    unsigned char *content = malloc(inner.n + 1);
    content[0] = 1; /* the model ends in this section */
    memcpy(content + 1, inner.bytes, inner.n);
    set_content(f, "PROB", content, inner.n + 1);
    free(content);
    free(inner.bytes);
}

TEST(damaged_problems_are_refused) {
    static const unsigned kinds[] = {SLUICE_CLASSES_OVR, SLUICE_CLASSES_OVO};
    for (size_t k = 0; k < 2; k++) {
        file good = small_file(kinds[k], false), f;
        f = copy_of(&good), remove_section(&f, "PROB");
        refuse(&f, "problems are missing");
        f = copy_of(&good), f.bytes[section(&f, "PROB")] = 0; /* it goes on in the next section */
        refuse(&f, "");
        f = copy_of(&good), f.bytes[section(&f, "PROB")] = 2;
        refuse(&f, "there is a problem too many");
        f = copy_of(&good), f.bytes[section(&f, "PROB") + 60] ^= 1;
        refuse(&f, "fails its checksum");
        f = copy_of(&good), set_problem(&f, small_model("arow", 5));
        refuse(&f, "a problem is not one of the model");
        f = copy_of(&good), set_problem(&f, sluice_model_new("pa", NULL, 0, &changed, NULL));
        refuse(&f, "a problem is not one of the model");
        f = copy_of(&good), set_content(&f, "PROB", "\x01sluice", 7);
        refuse(&f, "this is not a sluice model");
        sluice_model *outer = sluice_model_parse(good.bytes, good.n, NULL);
        f = copy_of(&good), set_problem(&f, outer);
        refuse(&f, "classes");
        free(good.bytes);
    }
}

/* A problem with other features than the others of its model. */
TEST(problems_of_other_features_are_refused) {
    stream s = open_stream(false, sl_learner_find("pa"));
    sluice_model *m = new_model(sl_learner_find("pa"), plain, SLUICE_CLASSES_OVR),
                 *other = sluice_model_new("pa", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_learn_rows(m, s.batch, 0, ROWS, NULL), SLUICE_OK);
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint64_t id = 900000 + i;
        const float value = 1;
        sluice_example x = {&id, &value, 1, 1, 1};
        CHECK_EQ(sluice_model_learn(other, &x, NULL), SLUICE_OK);
    }
    file f = file_from(m);
    set_problem(&f, other);
    refuse(&f, "the features of its problems differ");
    close_stream(&s);
}

TEST(damaged_vectors_of_classes_are_refused) {
    file good = file_by("olsf-1", SLUICE_CLASSES_MATRIX, false), f;
    const size_t n = section_length(&good, "VECS"), pairs = (size_t)number(&good, "PAIR", 0, 4);
    CHECK_EQ(n, CLASSES * 16);
    char *content = calloc(1, n + 16);
    f = copy_of(&good), remove_section(&f, "VECS");
    refuse(&f, "its vectors of classes are impossible");
    f = copy_of(&good), set_number(&f, "VECS", 0, 0, 8); /* a scale of 0 */
    refuse(&f, "its vectors of classes are impossible");
    f = copy_of(&good), set_number(&f, "VECS", 8, 0x7ff0000000000000u, 8); /* an infinite norm */
    refuse(&f, "its vectors of classes are impossible");
    f = copy_of(&good), set_content(&f, "VECS", content, n - 8);
    refuse(&f, "its vectors of classes are impossible");
    f = copy_of(&good), add_section(&f, "CLAS", "VECS", 0, content, n);
    refuse(&f, "its vectors of classes are impossible");
    f = copy_of(&good), set_number(&f, "PAIR", 4 + 4 * pairs, 0x80000000, 4); /* -0 */
    refuse(&f, "a pair has no weight");
    f = small_file(SLUICE_CLASSES_MATRIX, false), add_section(&f, "CLAS", "VECS", 0, content, n);
    refuse(&f, "its vectors of classes are impossible");
    f = file_of("olsf-1"), add_section(&f, "END ", "VECS", 0, content, n);
    refuse(&f, "its vectors of classes are impossible");
    free(content);
    free(good.bytes);
}

TEST(what_classes_share_is_the_first_pair_of_a_feature) {
    file good = file_by("ssol", SLUICE_CLASSES_MATRIX, false), f;
    CHECK_EQ(number(&good, "PAIR", 4, 4), SL_SHARED_PAIR);
    f = copy_of(&good), set_number(&f, "PAIR", 4, 0, 4);
    refuse(&f, "a feature has no pair of what its classes share");
    f = copy_of(&good), set_number(&f, "PAIR", 8, SL_SHARED_PAIR, 4);
    refuse(&f, "a pair is of a class that there is not");
    free(good.bytes);
}

TEST(learners_without_a_matrix_form_name_those_that_have_one) {
    sluice_error err = {0};
    const sluice_settings matrix = {.size = sizeof matrix, .classes = SLUICE_CLASSES_MATRIX};
    CHECK(!sluice_model_new("fobos", NULL, 0, &matrix, &err));
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    CHECK_HAS(err.message, "ssol, fsol, ");
    CHECK_HAS(err.message, "arow, cw");
    CHECK(!sluice_model_new("ftrl", NULL, 0, &matrix, &err));
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    CHECK_HAS(err.message, "loss=hinge");
}

int main(void) {
    RUN(a_loaded_matrix_goes_on_as_one_run);
    RUN(loaded_problems_go_on_as_one_run);
    RUN(a_copy_of_a_matrix_is_a_model_of_its_own);
    RUN(a_matrix_that_has_learned_nothing_loads);
    RUN(large_matrices_take_several_sections);
    RUN(predict_only_models_have_the_margins_of_the_full_ones);
    RUN(predict_only_models_of_one_against_the_rest_keep_their_calibrations);
    RUN(damaged_pairs_are_refused);
    RUN(damaged_problems_are_refused);
    RUN(problems_of_other_features_are_refused);
    RUN(damaged_tables_of_classes_are_refused);
    RUN(damaged_calibrations_of_classes_are_refused);
    RUN(damaged_vectors_of_classes_are_refused);
    RUN(what_classes_share_is_the_first_pair_of_a_feature);
    RUN(learners_without_a_matrix_form_name_those_that_have_one);
    return DONE;
}
