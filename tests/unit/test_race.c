/* auto: a race of candidates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_bytes.h"
#include "model/race/race.h"
#include "test.h"

enum { ROWS = 3000, FEATURES = 60, NONZEROS = 8 };

typedef struct stream {
    sluice_batch *batch;
    uint64_t random;
} stream;

static double uniform(stream *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->random >> 11) / 9007199254740992.0;
}

/* Rows of a noisy linear problem whose weights change sign at row `change`. Columns differ in scale. */
static stream make_stream(uint64_t seed, size_t rows, size_t change, bool names) {
    stream s = {.batch = sluice_batch_new(NULL), .random = seed * 2654435761u + 1};
    char text[NONZEROS][16];
    for (size_t i = 0; i < rows; i++) {
        uint64_t ids[NONZEROS];
        float values[NONZEROS];
        sluice_name name[NONZEROS];
        double margin = 0.2 * (uniform(&s) - 0.5);
        for (size_t k = 0; k < NONZEROS; k++) {
            ids[k] = k * (FEATURES / NONZEROS) + (uint64_t)(uniform(&s) * (FEATURES / NONZEROS));
            const double v = uniform(&s), w = ids[k] % 3 == 0 ? 1 : ids[k] % 3 == 1 ? -1 : 0;
            values[k] = (float)(v * (ids[k] % 5 == 0 ? 100 : 1));
            margin += (i >= change ? -w : w) * v;
            name[k] = (sluice_name){text[k], (size_t)snprintf(text[k], sizeof text[k], "f%d", (int)ids[k])};
        }
        sluice_example x = {ids, values, NONZEROS, margin > 0 ? 1 : -1, 1};
        if (names) x.names = name;
        CHECK_EQ(sluice_batch_add(s.batch, &x, NULL), SLUICE_OK);
    }
    return s;
}

static sluice_model *learn(const char *learner, const char *const *params, size_t n, const sluice_settings *settings,
                           const sluice_batch *batch) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_new(learner, params, n, settings, &err);
    CHECK(m != NULL);
    CHECK_EQ(sluice_model_learn_batch(m, batch, NULL), SLUICE_OK);
    return m;
}

static sluice_candidate candidate_at(const sluice_model *m, size_t i) {
    sluice_candidate c = {.size = sizeof c};
    CHECK_EQ(sluice_model_candidate(m, i, &c), SLUICE_OK);
    return c;
}

static sluice_candidate leader_of(const sluice_model *m) {
    for (size_t i = 0; i < sluice_model_candidates(m); i++)
        if (candidate_at(m, i).is_leader) return candidate_at(m, i);
    CHECK(false && "there is no leader");
    return candidate_at(m, 0);
}

/* A model of the same configuration that has learned alone. */
static sluice_model *learn_alone(const sluice_candidate *c, unsigned classes, const sluice_batch *batch) {
    char text[16][64];
    const char *params[16];
    for (size_t i = 0; i < c->learner->n_params; i++) {
        const sluice_param_info *p = &c->learner->params[i];
        char number[32];
        sluice_format_double(number, c->params[i]);
        snprintf(text[i], sizeof text[i], "%s=%s", p->name, p->choices ? p->choices[(int)c->params[i]] : number);
        params[i] = text[i];
    }
    const sluice_settings settings = {.size = sizeof settings,
                                      .bias = c->bias,
                                      .normalize = c->normalize,
                                      .scale = c->scale,
                                      .transform = c->transform,
                                      .classes = classes};
    return learn(c->learner->name, params, c->learner->n_params, &settings, batch);
}

TEST(the_leader_is_what_its_configuration_would_have_become_alone) {
    for (int names = 0; names < 2; names++)
        for (uint64_t seed = 1; seed < 6; seed++) {
            stream s = make_stream(seed, ROWS, ROWS, names);
            sluice_model *m = learn("auto", NULL, 0, NULL, s.batch);
            const sluice_candidate c = leader_of(m);
            sluice_model *alone = learn_alone(&c, SLUICE_CLASSES_TWO, s.batch), *leader = sluice_model_leader(m, NULL);
            CHECK(leader && same_bytes(leader, alone));
            double a, b;
            for (size_t i = 0; i < 100; i++) {
                CHECK_EQ(sluice_model_margins_rows(m, s.batch, i, 1, &a, NULL), SLUICE_OK);
                CHECK_EQ(sluice_model_margins_rows(alone, s.batch, i, 1, &b, NULL), SLUICE_OK);
                CHECK(a == b);
                CHECK(sluice_model_probability(m, a) == sluice_model_probability(alone, b));
            }
            CHECK_EQ(sluice_model_nonzeros(m), sluice_model_nonzeros(alone));
            sluice_model_free(m);
            sluice_model_free(alone);
            sluice_model_free(leader);
            sluice_batch_free(s.batch);
        }
}

TEST(every_candidate_is_what_its_configuration_would_have_become_alone) {
    stream s = make_stream(7, 200, 200, false); /* none is dropped so early */
    sluice_model *m = learn("auto", NULL, 0, NULL, s.batch);
    for (size_t i = 0; i < sluice_model_candidates(m); i++) {
        const sluice_candidate c = candidate_at(m, i);
        CHECK(c.is_alive);
        sluice_model *alone = learn_alone(&c, SLUICE_CLASSES_TWO, s.batch);
        m->race->leader = i;
        sluice_model *leader = sluice_model_leader(m, NULL);
        CHECK(leader && same_bytes(leader, alone));
        sluice_model_free(alone);
        sluice_model_free(leader);
    }
    sluice_model_free(m);
    sluice_batch_free(s.batch);
}

TEST(a_final_model_is_that_of_the_leader_with_the_counts_of_the_race) {
    stream s = make_stream(3, ROWS, ROWS, true);
    sluice_model *m = learn("auto", NULL, 0, NULL, s.batch), *final = sluice_model_final(m, NULL);
    sluice_model_facts f = {.size = sizeof f}, g = {.size = sizeof g};
    CHECK(final != NULL);
    sluice_model_describe(m, &f);
    sluice_model_describe(final, &g);
    CHECK_EQ(f.examples, g.examples);
    CHECK_EQ(f.mistakes, g.mistakes);
    CHECK_EQ(f.nonzeros, g.nonzeros);
    CHECK_EQ(f.features_seen, g.features_seen);
    CHECK_STR(g.learner->name, leader_of(m).learner->name);
    for (size_t i = 0; i < ROWS; i++) {
        double a, b;
        sluice_model_margins_rows(m, s.batch, i, 1, &a, NULL);
        sluice_model_margins_rows(final, s.batch, i, 1, &b, NULL);
        CHECK(a == b && sluice_model_probability(m, a) == sluice_model_probability(final, b));
    }
    sluice_model_free(m);
    sluice_model_free(final);
    sluice_batch_free(s.batch);
}

TEST(hopeless_candidates_are_dropped_and_few_are_left) {
    stream s = make_stream(4, 20000, 20000, false);
    sluice_model *m = learn("auto", NULL, 0, NULL, s.batch);
    size_t alive = 0, dropped = 0;
    for (size_t i = 0; i < sluice_model_candidates(m); i++) {
        const sluice_candidate c = candidate_at(m, i);
        alive += c.is_alive != 0;
        dropped += c.dropped > 0 && !c.is_alive;
    }
    CHECK(alive >= 1 && alive <= 3);
    CHECK_EQ(alive + dropped, sluice_model_candidates(m));
    size_t events = 0;
    for (const sluice_race_event *e; (e = sluice_model_race_event(m, events)); events++) CHECK(e->examples <= 20000);
    CHECK(events >= dropped);
    sluice_model_free(m);
    sluice_batch_free(s.batch);
}

/* The fading error of the leader, 8,000 rows after the weights have changed sign, is as low as before: the race has
 * changed its mind, or begun again. */
TEST(a_stream_that_changes_is_learned_anew) {
    stream s = make_stream(5, 40000, 20000, false);
    sluice_model *m = learn("auto", NULL, 0, NULL, s.batch);
    CHECK(sluice_model_race_restarts(m) >= 1);
    CHECK(leader_of(m).error < 0.1);
    size_t restarts = 0;
    const sluice_race_event *e;
    for (size_t i = 0; (e = sluice_model_race_event(m, i)); i++)
        if (e->kind == SLUICE_RACE_RESTARTED) {
            CHECK(e->examples > 20000);
            restarts++;
        }
    CHECK_EQ(restarts, sluice_model_race_restarts(m));
    sluice_model_free(m);
    sluice_batch_free(s.batch);
}

/* Among candidates of the same error the sparser one; without the preference the best. */
TEST(sparse_bias_prefers_sparser_models) {
    stream s = make_stream(6, ROWS, ROWS, false);
    const char *none[] = {"sparse_bias=0"}, *much[] = {"sparse_bias=20"};
    sluice_model *dense = learn("auto", none, 1, NULL, s.batch), *sparse = learn("auto", much, 1, NULL, s.batch);
    CHECK(sluice_model_nonzeros(sparse) <= sluice_model_nonzeros(dense));
    CHECK(leader_of(dense).above_least == 0);
    sluice_model_free(dense);
    sluice_model_free(sparse);
    sluice_batch_free(s.batch);
}

TEST(settings_that_the_caller_names_are_those_of_all_candidates) {
    const sluice_settings settings = {
        .size = sizeof settings, .bias = 2, .normalize = SLUICE_NORMALIZE_L2, .transform = SLUICE_TRANSFORM_BINARY};
    sluice_model *m = sluice_model_new("auto", NULL, 0, &settings, NULL);
    for (size_t i = 0; i < sluice_model_candidates(m); i++) {
        const sluice_candidate c = candidate_at(m, i);
        CHECK(c.bias == 2 && c.normalize == SLUICE_NORMALIZE_L2 && c.transform == SLUICE_TRANSFORM_BINARY);
    }
    CHECK(sluice_model_settings(m)->bias == 2);
    sluice_model_free(m);
    const char *one[] = {"candidates=1"};
    m = sluice_model_new("auto", one, 1, NULL, NULL);
    CHECK_EQ(sluice_model_candidates(m), 1);
    sluice_model_free(m);
}

/* How a stream is cut into batches, and saving between them, changes nothing. */
TEST(batches_of_any_size_make_the_same_model) {
    for (unsigned classes = SLUICE_CLASSES_TWO; classes <= SLUICE_CLASSES_MATRIX; classes++) {
        stream s = make_stream(8, 700, 700, true);
        const sluice_settings settings = {.size = sizeof settings, .classes = classes};
        sluice_model *whole = learn("auto", NULL, 0, &settings, s.batch);
        sluice_model *cut = sluice_model_new("auto", NULL, 0, &settings, NULL);
        for (size_t at = 0, n; at < 700; at += n) {
            n = at % 89 + 1 < 700 - at ? at % 89 + 1 : 700 - at;
            CHECK_EQ(sluice_model_learn_rows(cut, s.batch, at, n, NULL), SLUICE_OK);
            void *bytes;
            size_t size;
            CHECK_EQ(sluice_model_bytes(cut, &bytes, &size, NULL), SLUICE_OK);
            sluice_model_free(cut);
            cut = sluice_model_parse(bytes, size, NULL);
            CHECK(cut != NULL);
            sluice_free(bytes);
        }
        CHECK(same_bytes(whole, cut));
        sluice_model *copy = sluice_model_copy(cut, NULL);
        CHECK(same_bytes(whole, copy));
        sluice_model_free(whole);
        sluice_model_free(cut);
        sluice_model_free(copy);
        sluice_batch_free(s.batch);
    }
}

TEST(several_classes_are_raced_by_whole_models) {
    for (unsigned classes = SLUICE_CLASSES_OVR; classes <= SLUICE_CLASSES_MATRIX; classes++) {
        stream s = make_stream(9, 600, 600, true);
        const sluice_settings settings = {.size = sizeof settings, .classes = classes};
        sluice_model *m = learn("auto", NULL, 0, &settings, s.batch);
        const sluice_candidate c = leader_of(m);
        sluice_model *alone = learn_alone(&c, classes, s.batch);
        for (size_t i = 0; i < 600; i++) {
            double margins[2][2], p[2][2];
            uint32_t best[2];
            for (size_t k = 0; k < 2; k++) {
                sluice_class_answers a = {
                    .size = sizeof a, .top = 1, .best = &best[k], .margins = margins[k], .probabilities = p[k]};
                CHECK_EQ(sluice_model_classify(k ? m : alone, s.batch, i, 1, &a, NULL), SLUICE_OK);
            }
            CHECK_EQ(best[0], best[1]);
            CHECK(memcmp(margins[0], margins[1], sizeof *margins) == 0 && memcmp(p[0], p[1], sizeof *p) == 0);
        }
        for (size_t i = 0; i < sluice_model_problems(m); i++) {
            sluice_weight *w[2];
            size_t n[2];
            CHECK_EQ(sluice_model_problem_weights(m, i, &w[0], &n[0], NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_problem_weights(alone, i, &w[1], &n[1], NULL), SLUICE_OK);
            CHECK_EQ(n[0], n[1]);
            for (size_t k = 0; k < n[0] && n[0] == n[1]; k++) CHECK(w[0][k].weight == w[1][k].weight);
            sluice_free(w[0]);
            sluice_free(w[1]);
        }
        CHECK_EQ(sluice_model_nonzeros(m), sluice_model_nonzeros(alone));
        sluice_model_free(m);
        sluice_model_free(alone);
        sluice_batch_free(s.batch);
    }
}

TEST(sweeps_searches_selections_and_merging_refuse_it) {
    sluice_error err = {0};
    CHECK(!sluice_sweep_new("auto", NULL, NULL, 2, NULL, 1, &err));
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    sluice_model *a = sluice_model_new("auto", NULL, 0, NULL, NULL), *b = sluice_model_new("auto", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_UNSUPPORTED);
    sluice_model_free(a);
    sluice_model_free(b);
}

/* Rows of the same problem among many features that mean nothing. */
static sluice_batch *make_wide(uint64_t seed, size_t rows) {
    stream s = {.batch = sluice_batch_new(NULL), .random = seed * 2654435761u + 1};
    for (size_t i = 0; i < rows; i++) {
        uint64_t ids[2 * NONZEROS];
        float values[2 * NONZEROS];
        double margin = 0;
        for (size_t k = 0; k < 2 * NONZEROS; k++) {
            ids[k] = k < NONZEROS ? k * 8 + (uint64_t)(uniform(&s) * 8)
                                  : 64 + (k - NONZEROS) * 1000 + (uint64_t)(uniform(&s) * 1000);
            values[k] = 1 + (float)uniform(&s);
            if (k < NONZEROS) margin += ids[k] % 2 ? 1 : -1;
        }
        const sluice_example x = {ids, values, 2 * NONZEROS, margin > 0 ? 1 : -1, 1};
        CHECK_EQ(sluice_batch_add(s.batch, &x, NULL), SLUICE_OK);
    }
    return s.batch;
}

static double sparsity_of(const sluice_model *m) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    return 1 - (double)f.nonzeros / ((double)f.features_seen * (double)f.vectors);
}

/* The strengths are adjusted to the target, so that it is reached and not exceeded by far. */
TEST(a_sparsity_is_reached_and_not_exceeded_by_far) {
    static const struct {
        const char *param;
        double wanted;
    } targets[] = {{"sparsity=0.9", 0.9}, {"sparsity=0.99", 0.99}, {"sparsity=0.995", 0.995}};
    for (unsigned classes = SLUICE_CLASSES_TWO; classes <= SLUICE_CLASSES_MATRIX; classes++)
        for (size_t i = 0; i < 3; i++) {
            sluice_batch *batch = make_wide(i + 1, 2500);
            const sluice_settings settings = {.size = sizeof settings, .classes = classes};
            sluice_model *m = learn("auto", &targets[i].param, 1, &settings, batch);
            const double sparsity = sparsity_of(m), wanted = targets[i].wanted;
            CHECK(sparsity >= wanted && sparsity < 1 - 0.6 * (1 - wanted));
            CHECK(leader_of(m).error < 0.35);
            sluice_model *leader = sluice_model_leader(m, NULL);
            CHECK_EQ(sluice_model_nonzeros(leader), sluice_model_nonzeros(m));
            sluice_model_free(leader);
            sluice_model_free(m);
            sluice_batch_free(batch);
        }
}

/* How a stream is cut into batches, and saving between them, changes nothing with a target either. */
TEST(strengths_that_follow_a_sparsity_go_on_where_they_were) {
    const char *params[] = {"sparsity=0.97"};
    for (unsigned classes = SLUICE_CLASSES_TWO; classes <= SLUICE_CLASSES_MATRIX; classes++) {
        sluice_batch *batch = make_wide(4, 1500);
        const sluice_settings settings = {.size = sizeof settings, .classes = classes};
        sluice_model *whole = learn("auto", params, 1, &settings, batch);
        sluice_model *cut = sluice_model_new("auto", params, 1, &settings, NULL);
        for (size_t at = 0, n; at < 1500; at += n) {
            n = at % 211 + 1 < 1500 - at ? at % 211 + 1 : 1500 - at;
            CHECK_EQ(sluice_model_learn_rows(cut, batch, at, n, NULL), SLUICE_OK);
            void *bytes;
            size_t size;
            CHECK_EQ(sluice_model_bytes(cut, &bytes, &size, NULL), SLUICE_OK);
            sluice_model_free(cut);
            cut = sluice_model_parse(bytes, size, NULL);
            CHECK(cut != NULL);
            sluice_free(bytes);
        }
        CHECK(same_bytes(whole, cut));
        sluice_model_free(whole);
        sluice_model_free(cut);
        sluice_batch_free(batch);
    }
}

/* Where all values are 1 a candidate that takes logarithms first does what the one without does. */
TEST(candidates_that_predict_the_same_are_dropped) {
    sluice_batch *batch = sluice_batch_new(NULL);
    stream s = {.batch = batch, .random = 77};
    for (size_t i = 0; i < 1200; i++) {
        uint64_t ids[NONZEROS];
        float ones[NONZEROS];
        double margin = 0;
        for (size_t k = 0; k < NONZEROS; k++) {
            ids[k] = k * 50 + (uint64_t)(uniform(&s) * 50);
            ones[k] = 1;
            margin += ids[k] % 2 ? 1 : -1;
        }
        const sluice_example x = {ids, ones, NONZEROS, margin > 0 ? 1 : -1, 1};
        CHECK_EQ(sluice_batch_add(batch, &x, NULL), SLUICE_OK);
    }
    const char *params[] = {"sparsity=0.5"};
    sluice_model *m = learn("auto", params, 1, NULL, batch);
    for (size_t i = 0; i < sluice_model_candidates(m); i++)
        for (size_t k = 0; k < i; k++) {
            const sluice_candidate a = candidate_at(m, i), b = candidate_at(m, k);
            if (a.learner == b.learner && a.is_alive && b.is_alive) CHECK(m->race->fading.apart[i][k] > 0);
        }
    sluice_model_free(m);
    sluice_batch_free(batch);
}

/* cw knows no importance but 0 and 1: from the first other one on it is no candidate. */
TEST(a_weight_that_a_learner_refuses_ends_its_part_in_the_race) {
    sluice_model *m = sluice_model_new("auto", NULL, 0, NULL, NULL);
    const uint64_t id = 1;
    const float one = 1;
    for (size_t i = 0; i < 20; i++) {
        const sluice_example x = {&id, &one, 1, i % 2 ? 1 : -1, i == 10 ? 1.5 : 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        size_t refusing = 0;
        for (size_t c = 0; c < sluice_model_candidates(m); c++)
            refusing += candidate_at(m, c).is_alive && strcmp(candidate_at(m, c).learner->name, "cw") == 0;
        CHECK_EQ(refusing, i < 10 ? 2 : 0);
    }
    sluice_model_free(m);
}

TEST(importances_beyond_the_range_of_floats_do_no_harm) {
    sluice_model *m = sluice_model_new("auto", NULL, 0, NULL, NULL);
    for (size_t i = 0; i < 200; i++) {
        const uint64_t id = 1 + i % 2;
        const float one = 1;
        const sluice_example x = {&id, &one, 1, i % 2 ? 1 : -1, i % 3 ? 1e-50 : 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    sluice_model *back = sluice_model_parse(bytes, n, NULL);
    CHECK(back && same_bytes(m, back));
    sluice_free(bytes);
    sluice_model_free(back);
    sluice_model_free(m);
}

/* A model with a matrix is fast only for few features, and there is always another one to go on with. */
TEST(no_candidate_with_a_matrix_survives_many_features) {
    sluice_model *m = sluice_model_new("auto", NULL, 0, NULL, NULL);
    uint64_t random = 1;
    for (size_t i = 0; i < 3000; i++) {
        uint64_t ids[4];
        float values[4];
        const size_t features = i < 2500 ? 8 : 400;
        for (size_t k = 0; k < 4; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            ids[k] = k * 100 + (random >> 33) % (features / 4);
            values[k] = (float)((random >> 40) % 100) - 40;
        }
        const sluice_example x = {ids, values, 4, values[0] + values[1] > 20 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    for (size_t c = 0; c < sluice_model_candidates(m); c++)
        if (candidate_at(m, c).is_alive) CHECK(!(candidate_at(m, c).learner->flags & SLUICE_LEARNER_DENSE));
    sluice_model_free(m);
}

TEST(a_few_errors_are_no_change_of_the_stream) {
    sluice_model *m = sluice_model_new("auto", NULL, 0, NULL, NULL);
    for (size_t i = 0; i < 30000; i++) {
        const uint64_t id = 1 + i % 2;
        const float one = 1;
        const sluice_example x = {&id, &one, 1, (i % 2 != 0) != (i % 9973 == 0) ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_race_restarts(m), 0);
    sluice_model_free(m);
}

int main(void) {
    RUN(the_leader_is_what_its_configuration_would_have_become_alone);
    RUN(every_candidate_is_what_its_configuration_would_have_become_alone);
    RUN(a_final_model_is_that_of_the_leader_with_the_counts_of_the_race);
    RUN(hopeless_candidates_are_dropped_and_few_are_left);
    RUN(a_stream_that_changes_is_learned_anew);
    RUN(sparse_bias_prefers_sparser_models);
    RUN(settings_that_the_caller_names_are_those_of_all_candidates);
    RUN(batches_of_any_size_make_the_same_model);
    RUN(several_classes_are_raced_by_whole_models);
    RUN(a_sparsity_is_reached_and_not_exceeded_by_far);
    RUN(strengths_that_follow_a_sparsity_go_on_where_they_were);
    RUN(candidates_that_predict_the_same_are_dropped);
    RUN(sweeps_searches_selections_and_merging_refuse_it);
    RUN(a_weight_that_a_learner_refuses_ends_its_part_in_the_race);
    RUN(importances_beyond_the_range_of_floats_do_no_harm);
    RUN(no_candidate_with_a_matrix_survives_many_features);
    RUN(a_few_errors_are_no_change_of_the_stream);
    return DONE;
}
