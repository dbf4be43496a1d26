/* Rows that wait for their labels: remembered, labelled, expired, forgotten, and found again. */
#if !SLUICE_HAVE_SQLITE3
int main(void) { return 0; }
#else

#include "cli/serve/label_store.h"
#include "unit/test.h"

#undef DONE /* of message.h */
#define TESTS_DONE (printf("%d tests, %d failed checks\n", test_count, test_failures), test_failures != 0)

#include "unit/fake_served_model.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/label_store_XXXXXX";
static char path[64];

/* ---- time ------------------------------------------------------------------------------------------------------- */

static time_t now = 1000000;
time_t __wrap_time(time_t *t);
time_t __wrap_time(time_t *t) {
    if (t) *t = now;
    return now;
}

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static label_settings settings;

static label_store *open_store(uint64_t most, uint64_t seconds, const char *means) {
    settings = (label_settings){path, most, seconds, means};
    label_store *s;
    CHECK_EQ(label_store_open(&settings, &s), DONE);
    if (!s) exit(1);
    return s;
}

static void remove_store(void) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[80];
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static sluice_name name_of(const char *text) { return (sluice_name){text, strlen(text)}; }

/* A row of two features: its number, and 7. */
static sluice_status put(label_store *s, const char *model, const char *id, uint64_t number) {
    sluice_error err = {0};
    const uint64_t ids[] = {7, number};
    const float values[] = {0.5F, (float)number};
    const sluice_example x = {.ids = ids, .values = values, .n = 2, .weight = 1};
    sluice_batch *batch = sluice_batch_new(&err);
    CHECK_EQ(sluice_batch_add(batch, &x, &err), SLUICE_OK);
    const sluice_name name = name_of(id);
    const sluice_status status = label_store_put(s, model, batch, &name, 1, 5, &err);
    sluice_batch_free(batch);
    return status;
}

static size_t answers;
static sluice_status last_status;
static void *last_context;
static void answered(job *j) {
    answers++;
    last_status = j->status;
    last_context = j->context;
}

static sluice_error last_error;
static label_result take(label_store *s, served_model *m, const char *id, const char *label) {
    last_error = (sluice_error){0};
    return label_store_take(s, m, name_of(id), name_of(label), answered, &last_error, &last_error);
}

/* The row that was learned last, and its label. */
static struct {
    size_t n;
    uint64_t ids[8];
    char name[8][80];
    float values[8];
    double label, weight;
    char word[80];
} learned;
static size_t rows_learned;

static sluice_status note_row(served_model *m, job *j) {
    (void)m;
    uint64_t ids[8] = {0};
    sluice_name names[8];
    sluice_example x;
    memset(&learned, 0, sizeof learned);
    CHECK_EQ(sluice_batch_rows(j->batch), 1);
    sluice_batch_row(j->batch, 0, ids, names, &x);
    learned.n = x.n;
    learned.label = x.label;
    learned.weight = x.weight;
    snprintf(learned.word, sizeof learned.word, "%.*s", (int)x.word.n, x.word.text);
    for (size_t k = 0; k < x.n; k++) {
        learned.values[k] = x.values[k];
        if (x.names)
            snprintf(learned.name[k], sizeof learned.name[k], "%.*s", (int)x.names[k].n, x.names[k].text);
        else
            learned.ids[k] = x.ids[k];
    }
    if (strcmp(learned.word, "bad") == 0) {
        j->error = (sluice_error){.status = SLUICE_E_DATA, .message = "a third class"};
        return SLUICE_E_DATA;
    }
    rows_learned++;
    return SLUICE_OK;
}

static void new_model(served_model *m, const char *name) {
    fake_model(m, name);
    m->learn = note_row;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

TEST(a_row_is_learned_with_its_label_once) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "spam");
    CHECK_EQ(label_store_catch_up(s, &m), DONE);
    CHECK_EQ(put(s, "spam", "a", 3), SLUICE_OK);
    CHECK_EQ(take(s, &m, "b", "1"), LABEL_UNKNOWN);
    answers = rows_learned = 0;
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_TAKEN);
    CHECK_EQ(answers, 0);
    CHECK_EQ(fake_learn_all(&m), 1);
    CHECK_EQ(answers, 1);
    CHECK(last_context == &last_error);
    CHECK_EQ(learned.n, 2);
    CHECK_EQ(learned.ids[0], 7);
    CHECK_EQ(learned.ids[1], 3);
    CHECK_EQ(learned.label, 1);
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_ALREADY);
    fake_save(&m);
    label_store_tick(s, (served_model *const[]){&m}, 1);
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_ALREADY);
    CHECK_EQ(fake_learn_all(&m), 0);
    const label_counts counts = label_store_count(s);
    CHECK_EQ(counts.waiting, 0);
    CHECK_EQ(counts.unsaved, 0);
    CHECK_EQ(counts.remembered, 1);
    CHECK_EQ(counts.labelled, 1);
    CHECK_EQ(counts.unknown, 1);
    label_store_close(s);
    remove_store();
}

static label_store *round_trip(served_model *m, const sluice_batch *batch, const sluice_name *ids, size_t rows) {
    sluice_error err = {0};
    label_store *s = open_store(100, 0, NULL);
    CHECK_EQ(label_store_put(s, "m", batch, ids, rows, 1, &err), SLUICE_OK);
    label_store_close(s); /* and from the file */
    s = open_store(100, 0, NULL);
    new_model(m, "m");
    CHECK_EQ(label_store_catch_up(s, m), DONE);
    return s;
}

TEST(features_come_back_bit_for_bit) {
    sluice_error err = {0};
    const uint64_t ids[] = {UINT64_MAX, 0, 1ULL << 40, 17, 16};
    const float values[] = {-0.0F, 1e-42F, 3.4e38F, 0.1F, 1};
    const sluice_example x = {.ids = ids, .values = values, .n = 5, .weight = 2.5};
    const sluice_example ones = {.ids = ids, .values = (const float[]){1, 1, 1, 1, 1}, .n = 5, .weight = 1};
    const sluice_example none = {.n = 0, .weight = 1};
    sluice_batch *batch = sluice_batch_new(&err);
    CHECK_EQ(sluice_batch_add(batch, &x, &err), SLUICE_OK);
    CHECK_EQ(sluice_batch_add(batch, &ones, &err), SLUICE_OK);
    CHECK_EQ(sluice_batch_add(batch, &none, &err), SLUICE_OK);
    const sluice_name names[] = {name_of("x"), name_of("ones"), name_of("none")};
    served_model m;
    label_store *s = round_trip(&m, batch, names, 3);
    CHECK_EQ(take(s, &m, "x", "-1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.n, 5);
    CHECK_EQ(memcmp(learned.ids, ids, sizeof ids), 0);
    CHECK_EQ(memcmp(learned.values, values, sizeof values), 0);
    CHECK(learned.weight == 2.5);
    CHECK(learned.label == -1);
    CHECK_EQ(take(s, &m, "ones", "ham"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(memcmp(learned.ids, ids, sizeof ids), 0);
    CHECK_EQ(memcmp(learned.values, ones.values, sizeof values), 0);
    CHECK(learned.weight == 1);
    CHECK_STR(learned.word, "ham");
    CHECK_EQ(take(s, &m, "none", "0"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.n, 0);
    sluice_batch_free(batch);
    label_store_close(s);
    remove_store();
}

TEST(names_come_back_whatever_bytes_they_have) {
    sluice_error err = {0};
    const sluice_name names[] = {name_of("free"), {"\xff\n\"'", 4}, name_of("a name with spaces"), name_of("\xc3\xa4")};
    const float values[] = {1, 2, 3, 4};
    const sluice_example x = {.names = names, .values = values, .n = 4, .weight = 1};
    sluice_batch *batch = sluice_batch_new(&err);
    CHECK_EQ(sluice_batch_add(batch, &x, &err), SLUICE_OK);
    const sluice_name id = {"\0\xff;DROP TABLE rows", 18};
    served_model m;
    label_store *s = round_trip(&m, batch, &id, 1);
    CHECK_EQ(label_store_take(s, &m, id, name_of("1"), answered, NULL, &err), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.n, 4);
    for (size_t k = 0; k < 4; k++) {
        CHECK_EQ(strlen(learned.name[k]), names[k].n);
        CHECK_EQ(memcmp(learned.name[k], names[k].text, names[k].n), 0);
        CHECK(learned.values[k] == values[k]);
    }
    sluice_batch_free(batch);
    label_store_close(s);
    remove_store();
}

TEST(a_row_that_was_read_to_be_predicted_counts_as_one) {
    sluice_error err = {0};
    sluice_reader_options reading = {.size = sizeof reading, .format = "libsvm", .unlabelled = 1, .every_line = 1};
    sluice_parser *parser = sluice_parser_new(&reading, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_parser_push(parser, "3:1.5 4:1\n", 10), SLUICE_OK);
    sluice_parser_finish(parser);
    CHECK_EQ(sluice_parser_next(parser, &batch), SLUICE_OK);
    CHECK(sluice_batch_weight(batch, 0) == 0);
    const sluice_name id = name_of("i");
    served_model m;
    label_store *s = round_trip(&m, batch, &id, 1);
    CHECK_EQ(take(s, &m, "i", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK(learned.weight == 1);
    CHECK_EQ(learned.ids[0], 3);
    label_store_close(s);
    sluice_parser_free(parser);
    remove_store();
}

TEST(labels_are_those_of_input_lines_with_their_costs) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    const sluice_cost of_spam[] = {{"spam", 4}};
    m.costs = of_spam;
    m.n_costs = 1;
    static const struct {
        const char *label, *word;
        double number, weight;
    } wanted[] = {{"1", "", 1, 1},  {"+1", "", 1, 1},     {"-1.0", "", -1, 1},    {"0", "", 0, 1},
                  {"2", "2", 2, 1}, {"ham", "ham", 0, 1}, {"spam", "spam", 0, 4}, {"#x", "#x", 0, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        CHECK_EQ(put(s, "m", "x", 1), SLUICE_OK);
        CHECK_EQ(take(s, &m, "x", wanted[i].label), LABEL_TAKEN);
        fake_learn_all(&m);
        CHECK_STR(learned.word, wanted[i].word);
        CHECK(learned.label == wanted[i].number);
        CHECK(learned.weight == wanted[i].weight);
    }
    CHECK_EQ(put(s, "m", "x", 1), SLUICE_OK);
    static const char *const wrong[] = {"", "?", "nan", "1e99", "a\tb", "a\nb"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(take(s, &m, "x", wrong[i]), LABEL_WRONG);
        CHECK_EQ(last_error.status, SLUICE_E_DATA);
        CHECK_HAS(last_error.message, "label");
    }
    CHECK_EQ(label_store_take(s, &m, name_of("x"), (sluice_name){"a\0b", 3}, answered, NULL, &last_error), LABEL_WRONG);
    CHECK_EQ(label_store_count(s).waiting, 1);
    label_store_close(s);
    remove_store();
}

TEST(a_row_whose_label_cannot_be_learned_waits_again) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    CHECK_EQ(put(s, "m", "x", 5), SLUICE_OK);
    CHECK_EQ(take(s, &m, "x", "bad"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(last_status, SLUICE_E_DATA);
    CHECK_EQ(label_store_count(s).waiting, 1);
    CHECK_EQ(label_store_count(s).unsaved, 0);
    CHECK_EQ(label_store_count(s).labelled, 0);
    CHECK_EQ(take(s, &m, "x", "good"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(last_status, SLUICE_OK);
    CHECK_EQ(learned.ids[1], 5);
    CHECK_EQ(m.last_label, 2); /* numbers never come twice */
    /* another row came under the id meanwhile: that one waits */
    CHECK_EQ(put(s, "m", "y", 5), SLUICE_OK);
    CHECK_EQ(take(s, &m, "y", "bad"), LABEL_TAKEN);
    CHECK_EQ(put(s, "m", "y", 6), SLUICE_OK);
    fake_learn_all(&m);
    CHECK_EQ(label_store_count(s).waiting, 1);
    CHECK_EQ(take(s, &m, "y", "good"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.ids[1], 6);
    label_store_close(s);
    remove_store();
}

TEST(of_rows_with_one_id_the_last_one_waits) {
    sluice_error err = {0};
    label_store *s = open_store(100, 0, NULL);
    served_model m, other;
    new_model(&m, "m");
    new_model(&other, "other");
    CHECK_EQ(put(s, "m", "x", 1), SLUICE_OK);
    CHECK_EQ(put(s, "m", "x", 2), SLUICE_OK);
    CHECK_EQ(label_store_count(s).waiting, 1);
    sluice_batch *batch = sluice_batch_new(&err);
    const sluice_name ids[] = {name_of("a"), {"", 0}, name_of("a"), name_of("b")};
    for (uint64_t i = 0; i < 4; i++) {
        const uint64_t id[] = {7, 10 + i};
        const sluice_example x = {.ids = id, .values = (const float[]){1, 1}, .n = 2, .weight = 1};
        CHECK_EQ(sluice_batch_add(batch, &x, &err), SLUICE_OK);
    }
    CHECK_EQ(label_store_put(s, "m", batch, ids, 4, 1, &err), SLUICE_OK);
    CHECK_EQ(label_store_count(s).waiting, 3);
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.ids[1], 12);
    CHECK_EQ(take(s, &m, "x", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.ids[1], 2);
    CHECK_EQ(take(s, &other, "b", "1"), LABEL_UNKNOWN); /* each model has ids of its own */
    char longest[LABEL_ID_MOST + 2];
    memset(longest, 'x', sizeof longest);
    const sluice_name too_long[] = {name_of("c"), {longest, LABEL_ID_MOST + 1}, {"", 0}, {"", 0}};
    CHECK_EQ(label_store_put(s, "m", batch, too_long, 4, 1, &err), SLUICE_E_DATA);
    CHECK_HAS(err.message, "row 2");
    CHECK_EQ(label_store_count(s).waiting, 1); /* all or none */
    sluice_batch_free(batch);
    label_store_close(s);
    remove_store();
}

TEST(when_full_the_oldest_rows_are_forgotten) {
    label_store *s = open_store(3, 0, NULL);
    served_model m;
    new_model(&m, "m");
    char id[2] = "a";
    for (int i = 0; i < 5; i++, id[0]++) CHECK_EQ(put(s, "m", id, (uint64_t)i), SLUICE_OK);
    label_counts counts = label_store_count(s);
    CHECK_EQ(counts.waiting, 3);
    CHECK_EQ(counts.forgotten, 2);
    CHECK_EQ(take(s, &m, "b", "1"), LABEL_UNKNOWN);
    CHECK_EQ(take(s, &m, "c", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "d", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "e", "1"), LABEL_TAKEN);
    /* so many labels wait for a checkpoint too */
    CHECK_EQ(put(s, "m", "f", 9), SLUICE_OK);
    CHECK_EQ(take(s, &m, "f", "1"), LABEL_BUSY);
    CHECK_EQ(m.asked_to_save, 1);
    fake_learn_all(&m);
    fake_save(&m);
    label_store_saved(s, "m", m.saved_label);
    CHECK_EQ(take(s, &m, "f", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "c", "1"), LABEL_ALREADY);
    CHECK_EQ(put(s, "m", "g", 9), SLUICE_OK);
    CHECK_EQ(take(s, &m, "g", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    fake_save(&m);
    label_store_saved(s, "m", m.saved_label);
    CHECK_EQ(take(s, &m, "c", "1"), LABEL_UNKNOWN); /* so many ids are known after they were learned */
    CHECK_EQ(take(s, &m, "g", "1"), LABEL_ALREADY);
    label_store_close(s);
    remove_store();
}

TEST(a_full_queue_refuses_labels_and_nothing_happened) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    m.room = 1;
    CHECK_EQ(put(s, "m", "x", 1), SLUICE_OK);
    CHECK_EQ(put(s, "m", "y", 2), SLUICE_OK);
    CHECK_EQ(take(s, &m, "x", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "y", "1"), LABEL_BUSY);
    CHECK_EQ(label_store_count(s).waiting, 1);
    fake_learn_all(&m);
    /* it had room, and then had none */
    m.refuses = 1;
    CHECK_EQ(take(s, &m, "y", "1"), LABEL_BUSY);
    CHECK_EQ(label_store_count(s).waiting, 1);
    CHECK_EQ(label_store_count(s).unsaved, 1);
    m.refuses = 0;
    CHECK_EQ(take(s, &m, "y", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(learned.ids[1], 2);
    CHECK_EQ(m.last_label, 2);
    m.cannot_learn = "it is predict-only";
    CHECK_EQ(take(s, &m, "y", "1"), LABEL_WRONG);
    CHECK_STR(last_error.message, "it is predict-only");
    label_store_close(s);
    remove_store();
}

TEST(after_a_crash_labels_that_the_model_lacks_are_learned_again_in_order) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    char id[2] = "a";
    for (uint64_t i = 0; i < 6; i++, id[0]++) CHECK_EQ(put(s, "m", id, i), SLUICE_OK);
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "b", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    fake_save(&m); /* the store was not told */
    CHECK_EQ(take(s, &m, "c", "x"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(take(s, &m, "d", "y"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "e", "bad"), LABEL_TAKEN);
    const uint64_t saved = m.saved_label;
    for (job *j = m.first, *next; j; j = next) { /* as a kill leaves it: never done; freed for the sanitizer's sake */
        next = j->next;
        sluice_batch_free((sluice_batch *)j->batch);
        free(j);
    }
    label_store_close(s);

    s = open_store(100, 0, NULL);
    served_model again;
    new_model(&again, "m");
    again.saved_label = again.last_label = saved;
    again.room = 2; /* the third has to wait */
    rows_learned = answers = 0;
    CHECK_EQ(label_store_catch_up(s, &again), DONE);
    CHECK_EQ(label_store_count(s).unsaved, 3);
    CHECK_EQ(take(s, &again, "a", "1"), LABEL_ALREADY);
    CHECK_EQ(take(s, &again, "c", "1"), LABEL_ALREADY);
    CHECK_EQ(take(s, &again, "f", "1"), LABEL_BUSY); /* those before it have not been queued yet */
    CHECK_EQ(fake_learn_all(&again), 2);
    CHECK_EQ(rows_learned, 2);
    CHECK_EQ(learned.ids[1], 3);
    CHECK_STR(learned.word, "y");
    CHECK_EQ(again.last_label, 4);
    label_store_tick(s, (served_model *const[]){&again}, 1);
    CHECK_EQ(fake_learn_all(&again), 1); /* "bad": its row waits again */
    CHECK_EQ(answers, 0);
    CHECK_EQ(label_store_count(s).waiting, 2);
    CHECK_EQ(take(s, &again, "f", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &again, "e", "1"), LABEL_TAKEN);
    fake_learn_all(&again);
    CHECK_EQ(again.last_label, 7);
    CHECK_EQ(rows_learned, 4);
    fake_save(&again);
    label_store_tick(s, (served_model *const[]){&again}, 1);
    label_store_close(s);

    s = open_store(100, 0, NULL);
    CHECK_EQ(label_store_catch_up(s, &again), DONE);
    CHECK_EQ(fake_learn_all(&again), 0);
    CHECK_EQ(label_store_count(s).unsaved, 0);
    label_store_close(s);
    remove_store();
}

TEST(a_model_that_is_ahead_of_the_file_is_not_given_old_numbers) {
    label_store *s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    m.saved_label = 1ULL << 40; /* the file of labels was removed, say */
    CHECK_EQ(label_store_catch_up(s, &m), DONE);
    CHECK_EQ(put(s, "m", "a", 1), SLUICE_OK);
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    CHECK_EQ(m.last_label, (1ULL << 40) + 1);
    label_store_close(s);
    remove_store();
}

TEST(rows_expire) {
    label_store *s = open_store(100000, 60, NULL);
    served_model m;
    new_model(&m, "m");
    char id[20];
    for (int i = 0; i < 1200; i++) {
        snprintf(id, sizeof id, "old%d", i);
        put(s, "m", id, 1);
    }
    CHECK_EQ(put(s, "not-served", "x", 1), SLUICE_OK);
    now += 30;
    CHECK_EQ(put(s, "m", "new", 1), SLUICE_OK);
    label_store_tick(s, (served_model *const[]){&m}, 1);
    CHECK_EQ(label_store_count(s).waiting, 1202);
    now += 30;
    label_store_tick(s, (served_model *const[]){&m}, 1);
    CHECK_EQ(label_store_count(s).waiting, 1);
    CHECK_EQ(label_store_count(s).expired, 1201);
    CHECK_EQ(take(s, &m, "old3", "1"), LABEL_UNKNOWN);
    CHECK_EQ(take(s, &m, "new", "1"), LABEL_TAKEN);
    CHECK_EQ(fake_learn_all(&m), 1);
    label_store_close(s);
    remove_store();
}

TEST(rows_that_expired_are_learned_with_the_label_that_is_assumed) {
    label_store *s = open_store(100000, 60, "-1");
    served_model m;
    new_model(&m, "m");
    m.room = 1000;
    CHECK_EQ(label_store_catch_up(s, &m), DONE);
    char id[20];
    for (int i = 0; i < 1200; i++) {
        snprintf(id, sizeof id, "old%d", i);
        put(s, "m", id, (uint64_t)i + 8);
    }
    CHECK_EQ(put(s, "not-served", "x", 1), SLUICE_OK);
    now += 61;
    rows_learned = 0;
    label_store_tick(s, (served_model *const[]){&m}, 1);
    CHECK_EQ(fake_learn_all(&m), 1000);
    label_store_tick(s, (served_model *const[]){&m}, 1);
    CHECK_EQ(fake_learn_all(&m), 200);
    CHECK_EQ(rows_learned, 1200);
    CHECK(learned.label == -1);
    CHECK_EQ(learned.ids[1], 1207);
    label_counts counts = label_store_count(s);
    CHECK_EQ(counts.waiting, 1); /* of the model that is not served: it may be, later */
    CHECK_EQ(counts.expired, 1200);
    CHECK_EQ(counts.labelled, 0);
    CHECK_EQ(take(s, &m, "old3", "1"), LABEL_ALREADY);
    label_store_close(s);

    s = open_store(100000, 60, "nan");
    CHECK_EQ(label_store_catch_up(s, &m), WRONG_USAGE);
    label_store_close(s);
    remove_store();
}

TEST(one_process_has_the_file) {
    label_store *s = open_store(100, 0, NULL);
    const pid_t child = fork();
    if (child == 0) {
        label_store *other;
        fclose(stderr);
        _exit(label_store_open(&settings, &other));
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(WEXITSTATUS(status), FAILED);
    struct stat about;
    CHECK_EQ(stat(path, &about), 0);
    CHECK_EQ(about.st_mode & 0777, 0600); /* what people asked for is nobody else's business */
    label_store_close(s);
    remove_store();
}

/* What opening says of the file as it is. */
static void opens_with(const char *message) {
    char said[1024] = "";
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    label_store *s;
    settings = (label_settings){path, 100, 0, NULL};
    const int rc = label_store_open(&settings, &s);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    const ssize_t n = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    if (n >= 0) said[n] = 0;
    CHECK_EQ(rc, FAILED);
    CHECK(!s);
    CHECK_HAS(said, path);
    CHECK_HAS(said, message);
    label_store_close(s);
}

static void write_file(const char *bytes, size_t n) {
    FILE *f = fopen(path, "w");
    CHECK_EQ(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void run_sql(const char *sql) {
    sqlite3 *db;
    CHECK_EQ(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

TEST(foreign_damaged_and_newer_files_are_refused) {
    char text[20000];
    memset(text, 'x', sizeof text);
    write_file(text, sizeof text);
    opens_with("no file of SQLite");
    remove_store();
    run_sql("CREATE TABLE birds (name)");
    opens_with("another program");
    remove_store();
    label_store_close(open_store(100, 0, NULL));
    run_sql("PRAGMA user_version = 2");
    opens_with("newer version");
    remove_store();
    CHECK_EQ(mkdir(path, 0700), 0);
    opens_with("directory");
    rmdir(path);

    label_store *s = open_store(100000, 0, NULL);
    char id[20];
    for (int i = 0; i < 500; i++) {
        snprintf(id, sizeof id, "row%d", i);
        put(s, "m", id, (uint64_t)i + 8);
    }
    label_store_close(s);
    struct stat about;
    CHECK_EQ(stat(path, &about), 0);
    FILE *f = fopen(path, "r+");
    CHECK_EQ(fseek(f, about.st_size / 2, SEEK_SET), 0);
    fwrite(text, 1, 9000, f);
    fclose(f);
    opens_with("damaged");
    CHECK_EQ(truncate(path, about.st_size / 2), 0);
    opens_with("damaged");
    remove_store();
}

/* A file that somebody has made to do something when it is used. */
TEST(files_with_more_than_our_tables_are_refused) {
    static const struct {
        const char *sql, *says;
    } hostile[] = {
        {"CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END", "tables"},
        {"CREATE VIEW v AS SELECT 1", "tables"},
        {"DROP TABLE rows; CREATE VIEW rows AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
         " SELECT x AS seq, 1 AS model, x AS id, 0 AS time, 0 AS version, x AS row FROM c",
         "tables"},
        {"DROP INDEX rows_id; CREATE INDEX rows_id ON rows (abs(model))", "tables"},
        {"CREATE TABLE more (x)", "tables"},
        {"UPDATE models SET learned = -1", "numbers"},
        {"UPDATE models SET learned = 9223372036854775807", "numbers"},
        {"INSERT INTO labels VALUES (1, -5, 'a', 0, '1', 0, 0, x'00')", "numbers"},
        {"INSERT INTO labels VALUES (1, 9223372036854775807, 'a', 0, '1', 0, 0, x'00')", "numbers"},
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        label_store *s = open_store(100, 0, NULL);
        put(s, "m", "a", 1);
        label_store_close(s);
        run_sql(hostile[i].sql);
        opens_with(hostile[i].says);
        remove_store();
    }
}

TEST(a_damaged_row_is_an_error_and_no_more) {
    label_store *s = open_store(100, 0, NULL);
    put(s, "m", "a", 1);
    put(s, "m", "b", 2);
    label_store_close(s);
    static const char *const rows[] = {
        "x''",           "x'ff'",      "x'00ffffffffffffffffff01'", "x'000105'", "x'000205070000803f'",
        "x'0101ff0161'", "x'020107aa'"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "UPDATE rows SET row = %s WHERE id = x'61'", rows[i]);
        run_sql(sql);
        s = open_store(100, 0, NULL);
        served_model m;
        new_model(&m, "m");
        CHECK_EQ(take(s, &m, "a", "1"), LABEL_WRONG);
        CHECK_EQ(last_error.status, SLUICE_E_FORMAT);
        CHECK_EQ(label_store_count(s).waiting, 2);
        label_store_close(s);
    }
    /* also where its label was recorded */
    run_sql("UPDATE rows SET row = x'020105' WHERE id = x'61'");
    s = open_store(100, 0, NULL);
    served_model m;
    new_model(&m, "m");
    CHECK_EQ(take(s, &m, "a", "1"), LABEL_TAKEN);
    CHECK_EQ(take(s, &m, "b", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    label_store_close(s);
    run_sql("UPDATE labels SET row = x'ff' WHERE id = x'61'");
    s = open_store(100, 0, NULL);
    m.saved_label = 0;
    CHECK_EQ(label_store_catch_up(s, &m), DONE);
    CHECK_EQ(fake_learn_all(&m), 1);
    CHECK_EQ(learned.ids[1], 2);
    label_store_close(s);
    remove_store();
}

/* A limit on the size of files stands for a disk that is full. */
TEST(where_there_is_no_space_the_call_fails_and_nothing_is_lost) {
    label_store *s = open_store(1000000, 0, NULL);
    served_model m;
    new_model(&m, "m");
    CHECK_EQ(put(s, "m", "first", 1), SLUICE_OK);
    sluice_error err = {0};
    enum { WIDE = 20000 };
    uint64_t *ids = malloc(WIDE * sizeof *ids);
    float *values = malloc(WIDE * sizeof *values);
    for (uint64_t i = 0; i < WIDE; i++) ids[i] = i * i, values[i] = (float)i;
    const sluice_example x = {.ids = ids, .values = values, .n = WIDE, .weight = 1};
    sluice_batch *batch = sluice_batch_new(&err);
    CHECK_EQ(sluice_batch_add(batch, &x, &err), SLUICE_OK);
    free(ids);
    free(values);
    char id[20];
    sluice_status status = SLUICE_OK;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, few;
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 1 << 20;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
    int n = 0;
    for (; n < 400 && status == SLUICE_OK; n++) {
        snprintf(id, sizeof id, "wide%d", n);
        const sluice_name name = name_of(id);
        status = label_store_put(s, "m", batch, &name, 1, 1, &err);
    }
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQ(status, SLUICE_E_IO);
    CHECK_HAS(err.message, "remembered");
    CHECK_HAS(err.source, path);
    CHECK(label_store_count(s).failed >= 1);
    CHECK_EQ(label_store_count(s).waiting, n);
    CHECK_EQ(put(s, "m", "last", 1), SLUICE_OK); /* and goes on */
    CHECK_EQ(take(s, &m, "first", "1"), LABEL_TAKEN);
    fake_learn_all(&m);
    sluice_batch_free(batch);
    label_store_close(s);
    remove_store();
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/labels.db", folder);
    RUN(a_row_is_learned_with_its_label_once);
    RUN(features_come_back_bit_for_bit);
    RUN(names_come_back_whatever_bytes_they_have);
    RUN(a_row_that_was_read_to_be_predicted_counts_as_one);
    RUN(labels_are_those_of_input_lines_with_their_costs);
    RUN(a_row_whose_label_cannot_be_learned_waits_again);
    RUN(of_rows_with_one_id_the_last_one_waits);
    RUN(when_full_the_oldest_rows_are_forgotten);
    RUN(a_full_queue_refuses_labels_and_nothing_happened);
    RUN(after_a_crash_labels_that_the_model_lacks_are_learned_again_in_order);
    RUN(a_model_that_is_ahead_of_the_file_is_not_given_old_numbers);
    RUN(rows_expire);
    RUN(rows_that_expired_are_learned_with_the_label_that_is_assumed);
    RUN(one_process_has_the_file);
    RUN(foreign_damaged_and_newer_files_are_refused);
    RUN(files_with_more_than_our_tables_are_refused);
    RUN(a_damaged_row_is_an_error_and_no_more);
    RUN(where_there_is_no_space_the_call_fails_and_nothing_is_lost);
    rmdir(folder);
    return TESTS_DONE;
}

#endif
