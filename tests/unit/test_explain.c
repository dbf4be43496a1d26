/* Explanations: the terms of a margin add up to it, bit for bit, in every learner and for every kind of row. */
#include <math.h>
#include <stdbool.h>

#include "learner/learner.h"
#include "unit/test.h"

enum { FEATURES = 12, EXAMPLES = 60, KINDS = 6 };

/* Rows of ids or of names, drawn from 40 features; some of them explicit zeros. */
typedef struct drawn {
    uint64_t ids[FEATURES];
    sluice_name names[FEATURES];
    char text[FEATURES][24];
    float values[FEATURES];
    sluice_example x;
} drawn;

static void draw(drawn *d, sluice_random *random, bool named) {
    size_t n = 1 + (size_t)sluice_random_below(random, FEATURES), first = (size_t)sluice_random_below(random, 28);
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        d->ids[k] = (first + 3 * k) % 40 * (named ? 1 : 1000000007);
        int length = snprintf(d->text[k], sizeof d->text[k], d->ids[k] % 3 ? "name %u" : "%u", (unsigned)d->ids[k]);
        d->names[k] = (sluice_name){d->text[k], (size_t)length};
        d->values[k] = sluice_random_below(random, 9) ? (float)sluice_random_normal(random) : 0;
        sum += (d->ids[k] % 2 ? 1 : -1) * (double)d->values[k];
    }
    d->x = (sluice_example){.ids = d->ids, .values = d->values, .n = n, .label = sum > 0 ? 1 : -1, .weight = 1};
    if (named) d->x.names = d->names;
}

/* The settings of a kind of models. */
static sluice_settings settings_of(int kind) {
    sluice_settings s = {.size = sizeof s};
    if (kind == 1 || kind == 3 || kind == 5) s.bias = 0.7;
    if (kind == 2 || kind == 3 || kind == 5) s.normalize = SLUICE_NORMALIZE_L2;
    if (kind >= 4) s.hash_bits = 4; /* many of the 40 collide */
    return s;
}

static void check_example(const sluice_model *m, const sluice_example *x) {
    const sluice_settings *s = sluice_model_settings(m);
    const bool bias = s->bias != 0, scaled = s->normalize != 0, by_value = !s->scale && !s->transform;
    sluice_term terms[FEATURES + 1];
    sluice_explanation why = {.size = sizeof why, .terms = terms, .room = FEATURES + 1};
    sluice_error err = {0};
    double margin, sum = 0, squares = 0;
    CHECK_EQ(sluice_model_margin(m, x, &margin, &err), SLUICE_OK);
    CHECK_EQ(sluice_model_explain(m, x, &why, &err), SLUICE_OK);
    CHECK_EQ(why.n, x->n + bias);
    for (size_t i = 0; i < why.n; i++) {
        sum += terms[i].contribution;
        CHECK_EQ(terms[i].position, i);
        CHECK_EQ(terms[i].is_bias, i == x->n);
        if (i == x->n) {
            CHECK(terms[i].weight == sluice_model_bias_weight(m) && terms[i].value == (float)s->bias);
            continue;
        }
        squares += (double)x->values[i] * (double)x->values[i];
        CHECK(terms[i].value == x->values[i]);
        CHECK((terms[i].name.text != NULL) == (x->names != NULL));
        if (x->names) {
            CHECK(terms[i].name.text == x->names[i].text && terms[i].name.n == x->names[i].n);
            CHECK(terms[i].weight == sluice_model_weight_of_name(m, x->names[i]));
        } else {
            CHECK(terms[i].id == x->ids[i] && terms[i].weight == sluice_model_weight_of_id(m, x->ids[i]));
        }
        if (!by_value) continue; /* auto has chosen another scaling */
        CHECK_NEAR(terms[i].contribution, terms[i].weight * (double)terms[i].value * why.scale,
                   1e-6 * fabs(terms[i].contribution));
    }
    CHECK(memcmp(&sum, &margin, sizeof sum) == 0);
    CHECK(memcmp(&why.margin, &margin, sizeof margin) == 0);
    if (by_value) CHECK_NEAR(why.scale, scaled && squares > 0 ? 1 / sqrt(squares) : 1, 1e-12 * why.scale);
}

/* The same for the rows of a batch: the margins of batches have a loop of their own. */
static void check_rows(const sluice_model *m, const sluice_batch *b) {
    double margins[EXAMPLES];
    CHECK_EQ(sluice_model_margins(m, b, margins, NULL), SLUICE_OK);
    for (size_t i = 0; i < sluice_batch_rows(b); i++) {
        sluice_term terms[FEATURES + 1];
        sluice_explanation why = {.size = sizeof why, .terms = terms, .room = FEATURES + 1};
        double sum = 0;
        CHECK_EQ(sluice_model_explain_row(m, b, i, &why, NULL), SLUICE_OK);
        for (size_t k = 0; k < why.n; k++) sum += terms[k].contribution;
        CHECK(memcmp(&sum, &margins[i], sizeof sum) == 0);
        CHECK(memcmp(&why.margin, &margins[i], sizeof sum) == 0);
    }
}

static void check_model(const char *learner, int kind, bool named) {
    const sluice_settings settings = settings_of(kind);
    sluice_error err = {0};
    sluice_random random;
    sluice_random_seed(&random, 7 + (uint64_t)kind);
    const char *batch[] = {"batch=32"};
    const bool batches = sluice_learner_find(learner)->flags & SLUICE_LEARNER_BATCH;
    sluice_model *m = sluice_model_new(learner, batch, batches, &settings, &err);
    CHECK(m != NULL);
    drawn d;
    for (int i = 0; i < EXAMPLES; i++) {
        draw(&d, &random, named);
        CHECK_EQ(sluice_model_learn(m, &d.x, NULL), SLUICE_OK);
    }
    sluice_model *final = sluice_model_final(m, &err);
    sluice_batch *b = sluice_batch_new(&err);
    bool moved = false;
    for (int i = 0; i < EXAMPLES; i++) {
        double margin;
        draw(&d, &random, named != (i % 7 == 0)); /* now and then rows of the other kind */
        check_example(m, &d.x);
        sluice_model_margin(final, &d.x, &margin, NULL);
        moved |= margin != 0;
        if (d.x.names ? named : !named) CHECK_EQ(sluice_batch_add(b, &d.x, &err), SLUICE_OK);
    }
    CHECK(moved);
    check_rows(m, b);
    check_rows(final, b);
    sluice_batch_free(b);
    sluice_model_free(final);
    sluice_model_free(m);
}

TEST(contributions_add_up_to_the_margin_in_every_learner) {
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)); i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int named = 0; named < 2; named++) check_model(l->name, kind, named);
}

/* In one of these the positive class is -1 inside: margins and weights leave the model with the other sign. */
TEST(models_of_two_words) {
    static const char *const texts[] = {"spam\ta b\nham\tc d\nspam\tb c\nham\td a\n",
                                        "ham\tc d\nspam\ta b\nham\td b\n"};
    for (size_t i = 0; i < 2; i++) {
        const sluice_settings settings = settings_of(1);
        sluice_reader_options o = {.size = sizeof o, .format = "text", .words = 1, .threads = 1};
        sluice_model *m = sluice_model_new("pa-1", NULL, 0, &settings, NULL);
        sluice_reader *r = sluice_reader_open_memory(texts[i], strlen(texts[i]), "mem", &o, NULL);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
        sluice_model *final = sluice_model_final(m, NULL);
        check_rows(m, b);
        check_rows(final, b);
        for (size_t row = 0; row < sluice_batch_rows(b); row++) {
            sluice_name names[FEATURES];
            sluice_example x;
            sluice_batch_row(b, row, NULL, names, &x);
            check_example(m, &x);
            check_example(final, &x);
        }
        sluice_model_free(final);
        sluice_model_free(m);
        sluice_reader_close(r);
    }
}

TEST(long_rows_too) {
    enum { N = 1000 };
    static uint64_t ids[N];
    static float values[N];
    static sluice_term terms[N + 1];
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    for (size_t k = 0; k < N; k++) ids[k] = k * 3, values[k] = 1 / (float)(k + 1);
    sluice_example x = {.ids = ids, .values = values, .n = N, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    for (size_t k = 0; k < N; k += 2) ids[k] = 1 + k; /* unknown from now on */
    double margin;
    sluice_explanation why = {.size = sizeof why, .terms = terms, .room = N};
    CHECK_EQ(sluice_model_margin(m, &x, &margin, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_explain(m, &x, &why, NULL), SLUICE_OK);
    CHECK(margin != 0 && memcmp(&margin, &why.margin, sizeof margin) == 0);
    sluice_model_free(m);
}

TEST(what_cannot_be_explained) {
    sluice_error err = {0};
    sluice_term terms[2];
    sluice_explanation why = {.size = sizeof why, .terms = terms, .room = 1};
    sluice_example x = {.ids = (uint64_t[]){1, 2}, .values = (float[]){1, 2}, .n = 2, .label = 1, .weight = 1};
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_explain(m, &x, &why, &err), SLUICE_E_USAGE);
    CHECK_HAS(err.message, "room for 2 terms");
    why.room = 2, why.class_index = 1;
    CHECK_EQ(sluice_model_explain(m, &x, &why, &err), SLUICE_E_USAGE);
    CHECK_HAS(err.message, "class");
    why.class_index = 0;
    CHECK_EQ(sluice_model_explain(m, &x, &why, &err), SLUICE_OK);
    CHECK(why.n == 2 && why.margin == 0 && terms[1].weight == 0 && terms[1].value == 2);
    why.size = 0;
    CHECK_EQ(sluice_model_explain(m, &x, &why, &err), SLUICE_E_USAGE);
    why.size = sizeof why;
    x.values = (float[]){1, INFINITY};
    CHECK_EQ(sluice_model_explain(m, &x, &why, &err), SLUICE_E_DATA);
    sluice_model_free(m);
}

TEST(the_largest_come_first) {
    sluice_random random;
    sluice_random_seed(&random, 3);
    for (int round = 0; round < 200; round++) {
        enum { N = 30 };
        sluice_term all[N], some[N];
        size_t n = (size_t)sluice_random_below(&random, N + 1), zeros = 0;
        for (size_t i = 0; i < n; i++) {
            all[i] = (sluice_term){.contribution = (double)sluice_random_below(&random, 9) - 4, .position = i};
            zeros += all[i].contribution == 0;
        }
        for (size_t top = 0; top <= N; top += 3) {
            memcpy(some, all, sizeof all);
            size_t got = sluice_terms_largest(some, n, top);
            CHECK_EQ(got, top < n - zeros ? top : n - zeros);
            for (size_t i = 0; i < got; i++) {
                CHECK(some[i].contribution != 0 && some[i].contribution == all[some[i].position].contribution);
                if (i == 0) continue;
                double a = fabs(some[i - 1].contribution), b = fabs(some[i].contribution);
                CHECK(a > b || (a == b && some[i - 1].position < some[i].position));
            }
            for (size_t i = 0; got && i < n; i++) { /* no other one belongs before the last of them */
                double a = fabs(some[got - 1].contribution), b = fabs(all[i].contribution);
                bool before = b > a || (b == a && i <= some[got - 1].position), found = false;
                for (size_t k = 0; k < got; k++) found |= some[k].position == i;
                CHECK(before == found);
            }
        }
    }
}

TEST(columns_that_a_model_knows) {
    sluice_error err = {0};
    sluice_name names[] = {{"age", 3}, {"city=Rome", 9}, {"user.id", 7}};
    sluice_example x = {.names = names, .values = (float[]){1, 2, 0}, .n = 3, .label = 1, .weight = 1};
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, &err);
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    static const struct {
        const char *column;
        int known, known_final;
    } cases[] = {{"age", 1, 1}, {"city", 1, 1}, {"user", 1, 0}, {"user.id", 1, 0},
                 {"ag", 0, 0},  {"cit", 0, 0},  {"id", 0, 0}};
    sluice_model *final = sluice_model_final(m, &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice_name column = {cases[i].column, strlen(cases[i].column)};
        CHECK_EQ(sluice_model_has_column(m, column), cases[i].known);
        CHECK_EQ(sluice_model_has_column(final, column), cases[i].known_final);
    }
    sluice_model_free(final);
    sluice_model_free(m);
    sluice_settings hashes = {.size = sizeof hashes, .hash_bits = 8};
    m = sluice_model_new("pa", NULL, 0, &hashes, &err);
    CHECK_EQ(sluice_model_has_column(m, (sluice_name){"any", 3}), 1);
    sluice_model_free(m);
    m = sluice_model_new("pa", NULL, 0, NULL, &err);
    x = (sluice_example){.ids = (uint64_t[]){17}, .values = (float[]){1}, .n = 1, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_has_column(m, (sluice_name){"17", 2}), 1);
    CHECK_EQ(sluice_model_has_column(m, (sluice_name){"16", 2}), 0);
    CHECK_EQ(sluice_model_has_column(m, (sluice_name){"x", 1}), 0);
    sluice_model_free(m);
}

int main(void) {
    RUN(contributions_add_up_to_the_margin_in_every_learner);
    RUN(models_of_two_words);
    RUN(long_rows_too);
    RUN(what_cannot_be_explained);
    RUN(the_largest_come_first);
    RUN(columns_that_a_model_knows);
    return DONE;
}
