/* Models, sweeps and measures when memory runs out: every call says so and leaves what it was given as it was. */
#include <math.h>

#include "learner/learner.h"
#include "sluice.h"
#include "unit/every_learner.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

enum { ROWS = 40, MOST = 10, SPREAD = 90 };

typedef struct made {
    uint64_t ids[MOST];
    char text[MOST][16];
    sluice_name names[MOST];
    float values[MOST];
    size_t n;
    double label;
} made;

static made rows[ROWS];

static uint64_t state;
static uint64_t draw(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

/* Learnable rows whose features keep arriving; every third one has large ids. */
static void make_rows(void) {
    state = 11;
    for (size_t t = 0; t < ROWS; t++) {
        made *r = &rows[t];
        double margin = 0;
        uint64_t id = draw(8);
        for (r->n = 0; r->n < 3 + t % (MOST - 3); r->n++, id += 1 + draw(SPREAD / MOST)) {
            r->ids[r->n] = t % 3 ? id : id + ((uint64_t)1 << 40);
            r->values[r->n] = (float)((double)draw(64) / 16 - 2.03);
            margin += (double)r->values[r->n] * (id % 3 ? 1 : -1);
            r->names[r->n] =
                (sluice_name){r->text[r->n], (size_t)snprintf(r->text[r->n], 16, "n%d", (int)r->ids[r->n])};
        }
        r->label = margin > 0 ? 1 : -1;
    }
}

static sluice_example example(const made *r, bool names) {
    return (sluice_example){.ids = names ? NULL : r->ids,
                            .values = r->values,
                            .n = r->n,
                            .label = r->label,
                            .weight = 1,
                            .names = names ? r->names : NULL};
}

static sluice_batch *make_batch(bool names, size_t n) {
    sluice_batch *b = sluice_batch_new(NULL);
    for (size_t t = 0; t < n; t++) {
        sluice_example x = example(&rows[t], names);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

static size_t count_trial(const sl_learner *l) {
    size_t n = 0;
    while (l->trial[n]) n++;
    return n;
}

static sluice_model *new_model(const sl_learner *l, const sluice_settings *settings) {
    sluice_model *m = sluice_model_new(l->info.name, l->trial, count_trial(l), settings, NULL);
    if (m) sluice_model_set_threads(m, 1);
    return m;
}

typedef struct bytes {
    void *data;
    size_t n;
} bytes;

static bytes bytes_of(sluice_model *m) {
    bytes b = {0};
    CHECK_EQ(sluice_model_bytes(m, &b.data, &b.n, NULL), SLUICE_OK);
    return b;
}

static bool same(sluice_model *a, sluice_model *b) {
    bytes x = bytes_of(a), y = bytes_of(b);
    bool equal = x.n == y.n && x.data && y.data && memcmp(x.data, y.data, x.n) == 0;
    sluice_free(x.data);
    sluice_free(y.data);
    return equal;
}

static void check_same(sluice_model *a, sluice_model *b, const char *what) {
    if (same(a, b)) return;
    fprintf(stderr, "%s\n", what);
    CHECK(false && "models differ");
}

static const sluice_settings
    exact = {.size = sizeof exact},
    changed = {.size = sizeof changed, .bias = 0.5, .normalize = SLUICE_NORMALIZE_L2, .hash_bits = 5},
    limited = {.size = sizeof limited, .max_features = 24},
    scaled = {.size = sizeof scaled, .scale = SLUICE_SCALE_RUNNING, .normalize = SLUICE_NORMALIZE_L2, .bias = 0.5};

/* Whether they predict the same and have counted the same: features of what failed may count as seen, so their bytes
 * may differ. */
static void check_predict_alike(const sluice_model *a, const sluice_model *b, const char *what) {
    bool alike = true;
    for (size_t t = 0; t < ROWS; t++)
        for (int names = 0; names < 2; names++) {
            sluice_example x = example(&rows[t], names);
            double p = 0, q = 1;
            CHECK_EQ(sluice_model_margin(a, &x, &p, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_margin(b, &x, &q, NULL), SLUICE_OK);
            alike &= p == q;
        }
    sluice_model_facts f = {.size = sizeof f}, g = {.size = sizeof g};
    sluice_model_describe(a, &f);
    sluice_model_describe(b, &g);
    alike &= f.examples == g.examples && f.mistakes == g.mistakes && f.updates == g.updates && f.nonzeros == g.nonzeros;
    if (alike) return;
    fprintf(stderr, "%s\n", what);
    CHECK(false && "models predict or count differently");
}

/* A learner with a matrix, or with a batch, cannot forget features. */
static bool takes_limit(const sl_learner *l) {
    return !(l->info.flags & (SLUICE_LEARNER_DENSE | SLUICE_LEARNER_BATCH | SLUICE_LEARNER_TUNES));
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

TEST(allocations_are_watched) { /* or nothing here would test anything */
    fail_allocation(1);
    void *volatile memory = malloc(1);
    CHECK(allocation_failed());
    CHECK(!memory);
    free(memory);
}

TEST(a_new_model_is_whole_or_none) {
    size_t failures = 0;
    for (long n = 1;; n++, failures++) {
        sluice_error err = {0};
        fail_allocation(n);
        sluice_model *m = sluice_model_new("ssol", NULL, 0, &changed, &err);
        if (!allocation_failed()) {
            CHECK(m);
            sluice_model_free(m);
            break;
        }
        CHECK(!m);
        CHECK_EQ(err.status, SLUICE_E_MEMORY);
    }
    CHECK(failures > 0);
}

/* Learns a row again and again, each time with a later allocation that fails, until it is learned. */
static size_t learn_hard(sluice_model *m, const sluice_example *x, const char *name) {
    for (long n = 1;; n++) {
        fail_allocation(n);
        sluice_status status = sluice_model_learn(m, x, NULL);
        bool failed = allocation_failed();
        if (status == SLUICE_OK) return (size_t)(n - 1);
        if (!failed || status != SLUICE_E_MEMORY) {
            fprintf(stderr, "%s: %s\n", name, sluice_model_error(m)->message);
            CHECK(false && "fails for another reason");
            return 0;
        }
        CHECK(sluice_model_error(m)->message[0]);
    }
}

/* A row that was refused can be learned when there is memory again, and the model is the one of a quiet machine. */
TEST(learning_goes_on_where_it_stopped) {
    const sluice_settings *settings[] = {&exact, &changed, &scaled, &limited};
    for (size_t l = 0; every_learner(l); l++)
        for (size_t s = 0; s < (takes_limit(every_learner(l)) ? 4 : 3); s++)
            for (int names = 0; names < 2; names++) {
                sluice_model *hard = new_model(every_learner(l), settings[s]),
                             *quiet = new_model(every_learner(l), settings[s]);
                size_t failures = 0;
                for (size_t t = 0; t < ROWS; t++) {
                    sluice_example x = example(&rows[t], names);
                    failures += learn_hard(hard, &x, every_learner(l)->info.name);
                    CHECK_EQ(sluice_model_learn(quiet, &x, NULL), SLUICE_OK);
                }
                CHECK(failures > 0);
                check_same(hard, quiet, every_learner(l)->info.name);
                sluice_model_free(hard);
                sluice_model_free(quiet);
            }
}

/* The rows before the one that failed are learned; learning the others gives the same model. */
TEST(a_batch_goes_on_at_the_row_that_failed) {
    const sluice_settings *settings[] = {&exact, &changed, &scaled, &limited};
    for (size_t l = 0; every_learner(l); l++)
        for (size_t s = 0; s < (takes_limit(every_learner(l)) ? 4 : 3); s++)
            for (int names = 0; names < 2; names++) {
                sluice_batch *b = make_batch(names, ROWS);
                sluice_model *hard = new_model(every_learner(l), settings[s]),
                             *quiet = new_model(every_learner(l), settings[s]);
                CHECK_EQ(sluice_model_learn_batch(quiet, b, NULL), SLUICE_OK);
                size_t learned = 0;
                for (long n = 1; learned < ROWS; n++) {
                    fail_allocation(n);
                    sluice_status status = sluice_model_learn_rows(hard, b, learned, ROWS - learned, NULL);
                    bool failed = allocation_failed();
                    sluice_model_facts f = {.size = sizeof f};
                    sluice_model_describe(hard, &f);
                    CHECK(status == SLUICE_OK ? f.examples == ROWS : failed && status == SLUICE_E_MEMORY);
                    CHECK(f.examples >= learned);
                    learned = f.examples;
                    if (status != SLUICE_OK && status != SLUICE_E_MEMORY) break;
                }
                /* names are looked up a row ahead: those of the row after the one that failed may count as seen */
                if (!names || !every_learner(l)->counts_features)
                    check_predict_alike(hard, quiet, every_learner(l)->info.name);
                if (!names) check_same(hard, quiet, every_learner(l)->info.name);
                sluice_model_free(hard);
                sluice_model_free(quiet);
                sluice_batch_free(b);
            }
}

/* Rows whose features keep arriving, spread over all ids or under as many names: tables and arrays grow in the middle
 * of the batch. */
static sluice_batch *make_growing(bool names, size_t n) {
    sluice_batch *b = sluice_batch_new(NULL);
    for (size_t t = 0; t < n; t++) {
        made r = {.n = 8, .label = t % 3 ? 1 : -1};
        for (size_t k = 0; k < r.n; k++) {
            uint64_t id = k < 3 ? (t + k) % 11 : t * 8 + k;
            r.ids[k] = k % 2 ? id << 33 : id;
            r.values[k] = (float)(k % 3) - 0.75f;
            r.names[k] = (sluice_name){r.text[k], (size_t)snprintf(r.text[k], 16, "n%d", (int)id)};
        }
        sluice_example x = example(&r, names);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

/* Returns how many allocations failed. */
static size_t check_learned_alike(const sl_learner *l, const sluice_settings *settings, const sluice_batch *b) {
    sluice_model *quiet = new_model(l, settings);
    CHECK_EQ(sluice_model_learn_batch(quiet, b, NULL), SLUICE_OK);
    FOR_EACH_FAILED_ALLOCATION {
        allocation_countdown = 0;
        sluice_model *m = new_model(l, settings);
        allocation_countdown = failing_n;
        sluice_status status = sluice_model_learn_batch(m, b, NULL);
        bool failed = allocation_has_failed;
        allocation_countdown = 0;
        if (status == SLUICE_OK)
            check_same(m, quiet, l->info.name);
        else
            CHECK(failed && status == SLUICE_E_MEMORY);
        sluice_model_free(m);
    }
    sluice_model_free(quiet);
    return allocations_failed;
}

/* A call that says it has learned has learned what it learns on a quiet machine, features seen and evicted included. */
TEST(a_batch_is_learned_as_ever_or_not) {
    static const sluice_settings few = {.size = sizeof few, .max_features = 300};
    const sluice_settings *settings[] = {&exact, &changed, &scaled, &limited, &few};
    for (int names = 0; names < 2; names++) {
        sluice_batch *small = make_batch(names, ROWS), *growing = make_growing(names, 300);
        for (size_t l = 0; every_learner(l); l++)
            for (size_t s = 0; s < (takes_limit(every_learner(l)) ? 5 : 3); s++) {
                CHECK(check_learned_alike(every_learner(l), settings[s], small) > 0);
                if (takes_limit(every_learner(l)))
                    CHECK(check_learned_alike(every_learner(l), settings[s], growing) > 0);
            }
        sluice_batch_free(small);
        sluice_batch_free(growing);
    }
}

TEST(the_end_of_a_run_can_be_tried_again) {
    for (size_t l = 0; every_learner(l); l++) {
        if (!(every_learner(l)->info.flags & SLUICE_LEARNER_BATCH)) continue;
        const char *whole = "batch=0";
        sluice_model *hard = sluice_model_new(every_learner(l)->info.name, &whole, 1, NULL, NULL), *quiet;
        sluice_model_set_threads(hard, 1);
        for (size_t t = 0; t < ROWS; t++) {
            sluice_example x = example(&rows[t], false);
            CHECK_EQ(sluice_model_learn(hard, &x, NULL), SLUICE_OK);
        }
        quiet = sluice_model_copy(hard, NULL);
        sluice_model_set_threads(quiet, 1);
        CHECK_EQ(sluice_model_end_run(quiet), SLUICE_OK);
        size_t failures = 0;
        for (long n = 1;; n++, failures++) {
            fail_allocation(n);
            sluice_status status = sluice_model_end_run(hard);
            allocation_failed();
            if (status == SLUICE_OK) break;
            CHECK_EQ(status, SLUICE_E_MEMORY);
            CHECK_EQ(sluice_model_waiting(hard), ROWS);
            if (status != SLUICE_E_MEMORY) break;
        }
        CHECK(failures > 0);
        check_same(hard, quiet, every_learner(l)->info.name);
        sluice_model_free(hard);
        sluice_model_free(quiet);
    }
}

/* ---- what is made from a model ------------------------------------------------------------------------------------
 */

/* A function that makes something from a model and may be refused. */
typedef sluice_status make(sluice_model *m, sluice_error *err);

static sluice_status freed(sluice_model *made_one, const sluice_error *err) {
    if (!made_one) return err->status;
    sluice_model_free(made_one);
    return SLUICE_OK;
}

static sluice_status make_copy(sluice_model *m, sluice_error *err) { return freed(sluice_model_copy(m, err), err); }
static sluice_status make_final(sluice_model *m, sluice_error *err) { return freed(sluice_model_final(m, err), err); }
static sluice_status make_finished(sluice_model *m, sluice_error *err) {
    return freed(sluice_model_finished(m, err), err);
}

static sluice_status make_weights(sluice_model *m, sluice_error *err) {
    sluice_weight *w = NULL;
    size_t n;
    sluice_status status = sluice_model_weights(m, &w, &n, err);
    if (status == SLUICE_OK) sluice_free(w);
    return status;
}

static sluice_status make_newest(sluice_model *m, sluice_error *err) {
    sluice_weight w[8];
    size_t n = 8;
    return sluice_model_newest(m, w, &n, err);
}

static sluice_status make_merged(sluice_model *m, sluice_error *err) {
    sluice_model *into = sluice_model_new("ada-rda", NULL, 0, NULL, err);
    if (!into) return err->status;
    sluice_example x = example(&rows[0], false);
    sluice_status status = sluice_model_learn(into, &x, NULL);
    if (status == SLUICE_OK) status = sluice_model_merge(into, m);
    sluice_model_free(into);
    return status;
}

/* Returns how many allocations failed. */
static size_t make_hard(make *call, sluice_model *m, const char *what) {
    bytes before = bytes_of(m);
    size_t failures = 0;
    for (long n = 1; n < 100000; n++) {
        sluice_error err = {0};
        fail_allocation(n);
        sluice_status status = call(m, &err);
        if (!allocation_failed()) {
            CHECK_EQ(status, SLUICE_OK);
            break;
        }
        failures++;
        if (status != SLUICE_E_MEMORY && status != SLUICE_OK) fprintf(stderr, "%s: %s\n", what, err.message);
        CHECK(status == SLUICE_E_MEMORY || status == SLUICE_OK); /* what only saves time may be done without */
    }
    bytes after = bytes_of(m);
    CHECK(before.n == after.n && memcmp(before.data, after.data, before.n) == 0);
    sluice_free(before.data);
    sluice_free(after.data);
    return failures;
}

TEST(what_is_made_from_a_model_is_whole_or_none) {
    static const char *const learners[] = {"ssol", "olsf", "ssol-full", "sbcw", "ada-rda"};
    for (size_t l = 0; l < SL_COUNT(learners); l++)
        for (int names = 0; names < 2; names++) {
            sluice_model *m = new_model(sl_learner_find(learners[l]), &exact);
            for (size_t t = 0; t < ROWS - 1; t++) {
                sluice_example x = example(&rows[t], names);
                CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
            }
            CHECK(make_hard(make_copy, m, "copy") > 0);
            CHECK(make_hard(make_final, m, "final") > 0);
            CHECK(make_hard(make_finished, m, "finished") > 0);
            sluice_model_facts f = {.size = sizeof f};
            sluice_model_describe(m, &f);
            CHECK(make_hard(make_weights, m, "weights") > 0 || f.nonzeros == 0);
            CHECK(make_hard(make_newest, m, "newest") > 0);
            sluice_model_free(m);
        }
}

TEST(merging_adds_all_or_nothing) {
    for (int names = 0; names < 2; names++) {
        sluice_model *m = sluice_model_new("ada-rda", NULL, 0, NULL, NULL),
                     *other = sluice_model_new("ada-rda", NULL, 0, NULL, NULL), *wanted;
        for (size_t t = 0; t < ROWS; t++) {
            sluice_example x = example(&rows[t], names && t % 2);
            CHECK_EQ(sluice_model_learn(t % 2 ? m : other, &x, NULL), SLUICE_OK);
        }
        CHECK(make_hard(make_merged, m, "merged") > 0);
        wanted = sluice_model_copy(other, NULL);
        CHECK_EQ(sluice_model_merge(wanted, m), SLUICE_OK);
        sluice_model *untouched = sluice_model_copy(other, NULL);
        size_t failures = 0;
        for (long n = 1;; n++, failures++) {
            fail_allocation(n);
            sluice_status status = sluice_model_merge(other, m);
            allocation_failed();
            if (status == SLUICE_OK) break;
            CHECK_EQ(status, SLUICE_E_MEMORY);
            check_predict_alike(other, untouched, "merge that failed");
            if (status != SLUICE_E_MEMORY) break;
        }
        CHECK(failures > 0);
        check_same(other, wanted, "merge");
        sluice_model_free(m);
        sluice_model_free(other);
        sluice_model_free(wanted);
        sluice_model_free(untouched);
    }
}

/* It runs in many threads and in servers: it takes no memory at all. */
TEST(predicting_allocates_nothing) {
    const sluice_settings *settings[] = {&exact, &changed, &scaled, &limited};
    for (size_t s = 0; s < 4; s++)
        for (int names = 0; names < 2; names++) {
            sluice_model *m = new_model(sl_learner_find("ssol"), settings[s]);
            sluice_batch *b = make_batch(names, ROWS);
            CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
            sluice_model *final = sluice_model_final(m, NULL);
            double margins[ROWS], one;
            fail_allocation(1);
            for (size_t t = 0; t < ROWS; t++) {
                sluice_example x = example(&rows[t], names);
                CHECK_EQ(sluice_model_margin(m, &x, &one, NULL), SLUICE_OK);
                CHECK_EQ(sluice_model_margin(final, &x, &one, NULL), SLUICE_OK);
            }
            sluice_model_margins(m, b, margins, NULL);
            sluice_model_margins(final, b, margins, NULL);
            CHECK(sluice_model_probability(m, 1) > 0);
            CHECK(!allocation_failed());
            sluice_model_free(m);
            sluice_model_free(final);
            sluice_batch_free(b);
        }
}

TEST(calibrating_changes_all_or_nothing) {
    enum { N = 200 };
    double margins[N], labels[N];
    for (size_t i = 0; i < N; i++) margins[i] = (double)i - N / 2, labels[i] = draw(N) < i ? 1 : -1;
    const int kinds[] = {SLUICE_CALIBRATION_PLATT, SLUICE_CALIBRATION_ISOTONIC};
    for (size_t k = 0; k < 2; k++) {
        sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
        fail_allocation(1);
        CHECK_EQ(sluice_model_calibrate(m, margins, labels, NULL, N, kinds[k]), SLUICE_E_MEMORY);
        CHECK(allocation_failed());
        CHECK_EQ(sluice_model_calibration(m), SLUICE_CALIBRATION_NONE);
        CHECK_EQ(sluice_model_calibrate(m, margins, labels, NULL, N, kinds[k]), SLUICE_OK);
        sluice_model_free(m);
    }
}

/* ---- batches, sweeps, measures, names ---------------------------------------------------------------------------- */

TEST(a_batch_takes_a_row_or_stays_as_it_was) {
    for (int names = 0; names < 2; names++) {
        sluice_error err = {0};
        fail_allocation(1);
        CHECK(!sluice_batch_new(&err));
        CHECK(allocation_failed());
        CHECK_EQ(err.status, SLUICE_E_MEMORY);
        sluice_batch *hard = sluice_batch_new(NULL), *quiet = make_batch(names, ROWS);
        size_t failures = 0;
        for (size_t t = 0; t < ROWS; t++) {
            sluice_example x = example(&rows[t], names);
            sluice_status status = SLUICE_E_MEMORY;
            for (long n = 1; status == SLUICE_E_MEMORY; n++) {
                CHECK_EQ(sluice_batch_rows(hard), t);
                fail_allocation(n);
                status = sluice_batch_add(hard, &x, &err);
                allocation_failed();
                failures += status == SLUICE_E_MEMORY;
            }
            CHECK_EQ(status, SLUICE_OK);
        }
        CHECK(failures > 0);
        sluice_model *a = new_model(sl_learner_find("ssol"), NULL), *b = new_model(sl_learner_find("ssol"), NULL);
        CHECK_EQ(sluice_model_learn_batch(a, hard, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_batch(b, quiet, NULL), SLUICE_OK);
        check_same(a, b, "batch");
        sluice_model_free(a);
        sluice_model_free(b);
        sluice_batch_free(hard);
        sluice_batch_free(quiet);
    }
}

/* Makes a sweep, learns and takes out everything there is; all of it is freed whatever fails. *taken: the bytes of a
 * model that was taken out. */
static sluice_status sweep_once(const char *learner, const sluice_batch *b, unsigned threads, bytes *taken) {
    static const char *const values[] = {"lambda=0.01", "lambda=0.1", "lambda=1"};
    const char *const *params[] = {&values[0], &values[1], &values[2]};
    const size_t n_params[] = {1, 1, 1};
    sluice_error err = {0};
    bool sparse = strcmp(learner, "pa-1") != 0;
    sluice_sweep *sweep =
        sluice_sweep_new(learner, sparse ? params : NULL, sparse ? n_params : NULL, 3, NULL, threads, &err);
    if (!sweep) return err.status;
    sluice_status status = sluice_sweep_learn_batch(sweep, b);
    if (status == SLUICE_OK) status = sluice_sweep_end_run(sweep);
    if (status != SLUICE_OK) {
        CHECK_EQ(sluice_sweep_error(sweep)->status, status);
        sluice_sweep_free(sweep);
        return status;
    }
    sluice_model *m = sluice_sweep_model(sweep, 1, &err), *finals[3] = {NULL};
    if (!m) status = err.status;
    if (m) status = sluice_model_bytes(m, &taken->data, &taken->n, &err);
    sluice_model_free(m);
    if (status == SLUICE_OK) status = sluice_sweep_finals(sweep, 0, 3, finals, &err);
    if (status == SLUICE_OK)
        for (size_t i = 0; i < 3; i++) sluice_model_free(finals[i]);
    sluice_model_facts facts[3] = {{.size = sizeof *facts}};
    if (status == SLUICE_OK) status = sluice_sweep_describe(sweep, 0, 3, facts, &err);
    sluice_sweep_free(sweep);
    return status;
}

TEST(a_sweep_that_has_no_memory_says_so) {
    static const char *const learners[] = {"ssol", "pa-1"}; /* side by side, and a model each */
    for (size_t l = 0; l < 2; l++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            sluice_batch *b = make_growing(l == 1, 100);
            size_t refused = 0;
            bytes quiet = {0};
            CHECK_EQ(sweep_once(learners[l], b, threads, &quiet), SLUICE_OK);
            for (long n = 1; n < 100000; n++) {
                bytes taken = {0};
                fail_allocation(n);
                sluice_status status = sweep_once(learners[l], b, threads, &taken);
                bool failed = allocation_failed();
                CHECK(status == SLUICE_OK || (failed && status == SLUICE_E_MEMORY));
                if (status == SLUICE_OK) CHECK(taken.n == quiet.n && memcmp(taken.data, quiet.data, quiet.n) == 0);
                sluice_free(taken.data);
                if (!failed) break;
                refused += status == SLUICE_E_MEMORY;
            }
            CHECK(refused > 5);
            sluice_free(quiet.data);
            sluice_batch_free(b);
        }
}

TEST(a_meter_that_cannot_keep_a_margin_says_so) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1};
    sluice_error err = {0};
    fail_allocation(1);
    CHECK(!sluice_meter_new(&o, &err));
    CHECK(allocation_failed());
    CHECK_EQ(err.status, SLUICE_E_MEMORY);
    sluice_meter *meter = sluice_meter_new(&o, NULL);
    size_t refused = 0;
    for (int i = 0; i < 5000; i++) {
        fail_allocation(1);
        sluice_status status = sluice_meter_add(meter, i % 7 - 3, i % 2 ? 1 : -1);
        if (allocation_failed()) {
            CHECK_EQ(status, SLUICE_E_MEMORY);
            CHECK_EQ(sluice_meter_error(meter)->status, SLUICE_E_MEMORY);
            CHECK_EQ(sluice_meter_add(meter, i % 7 - 3, i % 2 ? 1 : -1), SLUICE_OK);
            refused++;
        } else {
            CHECK_EQ(status, SLUICE_OK);
        }
    }
    CHECK(refused > 0);
    sluice_measures r = {.size = sizeof r};
    sluice_meter_read(meter, &r);
    CHECK_EQ(r.examples, 5000);
    sluice_meter_free(meter);
}

/* A batch that is measured while it is learned fails with the meter's error. */
TEST(learning_stops_where_its_meter_has_no_memory) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1};
    sluice_batch *b = make_batch(false, ROWS);
    for (long n = 1;; n++) {
        sluice_meter *meter = sluice_meter_new(&o, NULL);
        sluice_model *m = new_model(sl_learner_find("ssol"), NULL);
        CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK); /* its features and rows have their memory now */
        fail_allocation(n);
        sluice_status status = sluice_model_learn_batch(m, b, meter);
        bool failed = allocation_failed();
        if (failed) {
            CHECK_EQ(status, SLUICE_E_MEMORY);
            CHECK_EQ(sluice_meter_error(meter)->status, SLUICE_E_MEMORY);
            CHECK_STR(sluice_model_error(m)->message, sluice_meter_error(meter)->message);
        }
        sluice_meter_free(meter);
        sluice_model_free(m);
        if (!failed) break;
        CHECK(n < 100);
    }
    sluice_batch_free(b);
}

TEST(a_dictionary_without_memory_gives_no_number) {
    fail_allocation(1);
    CHECK(!sluice_names_new());
    CHECK(allocation_failed());
    sluice_names *names = sluice_names_new();
    size_t refused = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        char text[16];
        sluice_name name = {text, (size_t)snprintf(text, sizeof text, "w%d", (int)i)};
        uint64_t number = UINT64_MAX;
        for (long n = 1; number == UINT64_MAX && n < 20; n++) {
            fail_allocation(n);
            number = sluice_names_number(names, name);
            refused += allocation_failed() && number == UINT64_MAX;
        }
        CHECK_EQ(number, i);
    }
    CHECK(refused > 0);
    CHECK_EQ(sluice_names_count(names), 3000);
    sluice_names_free(names);
}

int main(void) {
    make_rows();
    RUN(allocations_are_watched);
    RUN(a_new_model_is_whole_or_none);
    RUN(learning_goes_on_where_it_stopped);
    RUN(a_batch_goes_on_at_the_row_that_failed);
    RUN(a_batch_is_learned_as_ever_or_not);
    RUN(the_end_of_a_run_can_be_tried_again);
    RUN(what_is_made_from_a_model_is_whole_or_none);
    RUN(merging_adds_all_or_nothing);
    RUN(predicting_allocates_nothing);
    RUN(calibrating_changes_all_or_nothing);
    RUN(a_batch_takes_a_row_or_stays_as_it_was);
    RUN(a_sweep_that_has_no_memory_says_so);
    RUN(a_meter_that_cannot_keep_a_margin_says_so);
    RUN(learning_stops_where_its_meter_has_no_memory);
    RUN(a_dictionary_without_memory_gives_no_number);
    return DONE;
}
