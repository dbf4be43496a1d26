/* Models that are served: what they learn and answer is what train and predict would, in the order of the jobs. */
#include "unit/program/served_case.h"

#include <math.h>
#include <pthread.h>

static const char *const pa[] = {"-a", "pa-1", NULL}, *const automatic[] = {NULL},
                         *const ovr[] = {"-a", "pa-1", "--classes", "ovr", NULL},
                         *const ovo[] = {"-a", "pa-1", "--classes", "ovo", NULL},
                         *const matrix[] = {"-a", "pa-1", "--classes", "matrix", NULL},
                         *const auto_ovr[] = {"--classes", "ovr", NULL},
                         *const batches[] = {"-a", "fgm", "-P", "batch=50", NULL};

/* What `sluice train` has after the same rows: bytes of its file. Free them with sluice_free(). */
static void *trained(const served_case *c, const char *text, size_t *n) {
    sluice_model *model;
    const sluice_batch *batch;
    sluice_error err = {0};
    CHECK_EQ(model_from_args(&c->a, &model), 0);
    sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .words = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), NULL, &o, &err);
    double negative = NAN;
    while (sluice_reader_next(r, &batch) == SLUICE_OK) {
        CHECK_EQ(sluice_model_learn_batch(model, batch, NULL), SLUICE_OK);
        for (size_t i = 0; i < sluice_batch_rows(batch); i++)
            if (isnan(negative) && sluice_batch_label(batch, i) <= 0) negative = sluice_batch_label(batch, i);
    }
    remember_negative(model, negative);
    sluice_reader_close(r);
    void *bytes;
    CHECK_EQ(sluice_model_bytes(model, &bytes, n, &err), SLUICE_OK);
    sluice_model_free(model);
    return bytes;
}

static void wait_for_version(served_model *m, uint64_t version) {
    for (uint64_t has = version + 1; has != version;) {
        const snapshot *s = served_take(m);
        has = s->version;
        served_release(s);
        pause_ms(1);
    }
}

/* The answers of a snapshot are those that `sluice predict` would give with the model's file. */
static void check_predictions(served_case *c, const char *text) {
    sluice_error err = {0};
    request_rows rows;
    predictions p;
    const row_request what = {.to_learn = 0};
    const snapshot *s = served_take(c->m);
    sluice_model *full = sluice_model_load(c->path, &err), *final = full ? sluice_model_final(full, &err) : NULL;
    CHECK(final != NULL);
    CHECK_EQ(s->version, version_of_file(c->path));
    CHECK_EQ(rows_read(&rows, s->reading, &what, text, strlen(text), &err), SLUICE_OK);
    const size_t n = sluice_batch_rows(rows.batch), classes = sluice_model_classes(final);
    for (int all = 0; all < 2; all++) {
        const prediction_request wanted = {.probabilities = 1, .all_classes = all, .top = all ? 3 : 0};
        CHECK_EQ(predict_rows(c->m, s, rows.batch, &wanted, &p, &err), SLUICE_OK);
        CHECK_EQ(p.rows, n);
        for (size_t i = 0; i < n; i++) {
            if (!s->many) {
                double margin = 0;
                CHECK_EQ(sluice_model_margins_rows(final, rows.batch, i, 1, &margin, &err), SLUICE_OK);
                CHECK(memcmp(&margin, &p.margin[i], sizeof margin) == 0);
                const double probability = sluice_model_probability(final, margin);
                CHECK(memcmp(&probability, &p.probability[i], sizeof probability) == 0);
                CHECK_STR(s->label[p.label[i]], sluice_model_label(final, margin).text);
                continue;
            }
            double margins[16], probabilities[16];
            uint32_t best[3];
            sluice_class_answers said = {
                .size = sizeof said, .top = 3, .best = best, .margins = margins, .probabilities = probabilities};
            CHECK_EQ(sluice_model_classify(final, rows.batch, i, 1, &said, &err), SLUICE_OK);
            CHECK_EQ(p.label[i], best[0]);
            CHECK(p.margin[i] == margins[best[0]]);
            CHECK(memcmp(&p.probability[i], &probabilities[best[0]], sizeof(double)) == 0);
            for (size_t k = 0; all && k < classes; k++) CHECK(p.all_margins[i * classes + k] == margins[k]);
            for (size_t k = 0; all && k < p.top; k++) CHECK_EQ(p.best[i * p.top + k], best[k]);
        }
    }
    rows_free(&rows);
    served_release(s);
    sluice_model_free(full);
    sluice_model_free(final);
}

static void check_like_train(const char *const *options, unsigned classes) {
    served_case c;
    served_prepare(&c, options);
    served_begin(&c);
    CHECK_EQ(served_start(c.m), 0);
    char *text = lines_of(600, classes, 1), *all = calloc(1, 600 * 160), *at = text;
    for (size_t part = 1; *at; part++) { /* requests of 1, 2, 3 ... lines */
        char *end = at;
        for (size_t k = 0; k < part && *end; k++) end = strchr(end, '\n') + 1;
        const char kept = *end;
        *end = 0;
        awaited w = learn_lines(c.m, at);
        CHECK_EQ(w.job.status, SLUICE_OK);
        CHECK_EQ(w.job.new_version - w.job.first_version, w.job.learned);
        strcat(all, at);
        *end = kept;
        at = end;
        if (part % 10 == 0) {
            w = ask(c.m, JOB_SAVE, 0);
            CHECK_EQ(w.job.saved_version, w.job.new_version);
            wait_for_version(c.m, w.job.new_version);
            check_predictions(&c, text);
        }
    }
    CHECK_EQ(served_stop(c.m), 0);
    size_t n, has;
    void *wanted = trained(&c, text, &n);
    char *bytes = bytes_of_file(c.path, &has);
    CHECK(bytes && has == n && memcmp(bytes, wanted, n) == 0);
    served_figures f;
    served_read_figures(c.m, &f);
    CHECK_EQ(f.examples, 600);
    CHECK_EQ(f.version, 600);
    CHECK_EQ(f.saved_version, 600);
    CHECK_EQ(f.queued_rows, 0);
    free(bytes);
    sluice_free(wanted);
    free(text);
    free(all);
    served_end(&c);
}

TEST(two_classes_are_learned_as_train_does) { check_like_train(pa, 2); }
TEST(auto_is_learned_as_train_does) { check_like_train(automatic, 2); }
TEST(one_against_the_rest_is_learned_as_train_does) { check_like_train(ovr, 4); }
TEST(one_against_one_is_learned_as_train_does) { check_like_train(ovo, 4); }
TEST(a_matrix_is_learned_as_train_does) { check_like_train(matrix, 4); }
TEST(auto_of_several_classes_is_learned_as_train_does) { check_like_train(auto_ovr, 3); }
TEST(batches_are_learned_as_train_does) { check_like_train(batches, 2); }

static double margin_of(served_case *c, const snapshot *s, const char *line) {
    sluice_error err = {0};
    request_rows rows;
    predictions p;
    const row_request what = {.to_learn = 0};
    const prediction_request wanted = {.top = 0};
    CHECK_EQ(rows_read(&rows, s->reading, &what, line, strlen(line), &err), SLUICE_OK);
    CHECK_EQ(predict_rows(c->m, s, rows.batch, &wanted, &p, &err), SLUICE_OK);
    const double margin = p.margin[0];
    rows_free(&rows);
    return margin;
}

/* A request that took its snapshot before another model was loaded reads its lines as that snapshot has them. */
TEST(lines_are_read_as_the_snapshot_that_predicts_them_has_it) {
    static const char *const text[] = {"-a", "pa", "-f", "text", NULL};
    served_case c, other;
    served_prepare(&c, pa);
    served_begin(&c);
    CHECK_EQ(served_start(c.m), 0);
    learn_lines(c.m, "1 1:1\n-1 2:1\n");
    ask(c.m, JOB_SAVE, 0);
    wait_for_version(c.m, 2);
    served_prepare(&other, text);
    served_begin(&other);
    CHECK_EQ(served_start(other.m), 0);
    learn_lines(other.m, "1\t1:1\n-1\tb\n1\tc\n");
    CHECK_EQ(served_stop(other.m), 0);

    const snapshot *before = served_take(c.m);
    const double margin = margin_of(&c, before, "1:1\n");
    CHECK(margin > 0);
    CHECK_EQ(rename(other.path, c.path), 0);
    CHECK_EQ(ask(c.m, JOB_RELOAD, 0).job.status, SLUICE_OK);
    wait_for_version(c.m, 3);
    const snapshot *after = served_take(c.m);
    CHECK_STR(reading_options(before->reading, NULL, 0).format, "libsvm");
    CHECK_STR(reading_options(after->reading, NULL, 0).format, "text");
    CHECK(after->reading == served_reading(c.m));
    const double again = margin_of(&c, before, "1:1\n");
    CHECK(memcmp(&again, &margin, sizeof margin) == 0);
    CHECK(margin_of(&c, after, "1:1\n") > 0);
    served_release(before);
    served_release(after);
    CHECK_EQ(served_stop(c.m), 0);
    served_end(&other);
    served_end(&c);
}

int main(void) {
    RUN(two_classes_are_learned_as_train_does);
    RUN(auto_is_learned_as_train_does);
    RUN(one_against_the_rest_is_learned_as_train_does);
    RUN(one_against_one_is_learned_as_train_does);
    RUN(a_matrix_is_learned_as_train_does);
    RUN(auto_of_several_classes_is_learned_as_train_does);
    RUN(batches_are_learned_as_train_does);
    RUN(lines_are_read_as_the_snapshot_that_predicts_them_has_it);
    return DONE;
}
