/* Margins of batches and of single examples, of full and predict-only models; and the newest features. */
#include <math.h>
#include <stdbool.h>

#include "sluice.h"
#include "unit/test.h"

enum { ROWS = 60, MOST = 8 };

typedef struct made {
    uint64_t ids[MOST];
    char text[MOST][16];
    sluice_name names[MOST];
    float values[MOST];
    size_t n;
} made;

static made rows[ROWS];

static uint64_t state = 3;
static uint64_t draw(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

/* Small ids and large ones, zeros among the values, and one row without any. */
static void make_rows(void) {
    for (size_t t = 0; t < ROWS; t++) {
        made *r = &rows[t];
        uint64_t id = draw(5);
        for (r->n = 0; r->n < (t == 7 ? 0 : 1 + t % MOST); r->n++, id += 1 + draw(9)) {
            r->ids[r->n] = id % 5 ? id : id + ((uint64_t)1 << 35);
            r->values[r->n] = (float)((double)draw(33) / 8 - 2);
            r->names[r->n] = (sluice_name){r->text[r->n], (size_t)snprintf(r->text[r->n], 16, "f%d", (int)id)};
        }
    }
}

static sluice_example example(size_t t, bool names) {
    const made *r = &rows[t];
    return (sluice_example){names ? NULL : r->ids, r->values, r->n, t % 3 ? 1 : -1, 1, names ? r->names : NULL};
}

/* The margin by its definition: the sum over weights times values, scaled, and the bias. */
static double plain_margin(const sluice_model *m, size_t t, bool names, const sluice_settings *s) {
    sluice_weight *w;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &w, &n, NULL), SLUICE_OK);
    const made *r = &rows[t];
    double squares = 0, sum = 0;
    for (size_t k = 0; k < r->n; k++) squares += (double)r->values[k] * (double)r->values[k];
    double scale = s->normalize && squares > 0 ? 1 / sqrt(squares) : 1;
    for (size_t i = 0; i < n; i++) {
        if (w[i].is_bias) sum += (double)w[i].weight * s->bias;
        for (size_t k = 0; k < r->n && !w[i].is_bias; k++) {
            bool same = names ? w[i].name.text && w[i].name.n == r->names[k].n &&
                                    memcmp(w[i].name.text, r->names[k].text, w[i].name.n) == 0
                              : w[i].id == r->ids[k];
            if (same) sum += (double)w[i].weight * scale * (double)r->values[k];
        }
    }
    sluice_free(w);
    return sum;
}

TEST(margins_are_sums_over_weights) {
    const sluice_settings settings[] = {{.size = sizeof *settings},
                                        {.size = sizeof *settings, .bias = 0.5},
                                        {.size = sizeof *settings, .normalize = SLUICE_NORMALIZE_L2},
                                        {.size = sizeof *settings, .bias = -2, .normalize = SLUICE_NORMALIZE_L2},
                                        {.size = sizeof *settings, .hash_bits = 20}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int names = 0; names < 2; names++) {
            sluice_model *m = sluice_model_new("pa-1", NULL, 0, &settings[i], NULL);
            sluice_batch *b = sluice_batch_new(NULL);
            for (size_t t = 0; t < ROWS; t++) {
                sluice_example x = example(t, names);
                CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
                if (t < ROWS / 2) CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK); /* the others bring new ids */
            }
            sluice_model *final = sluice_model_final(m, NULL);
            double full[ROWS], small[ROWS], one, other;
            CHECK_EQ(sluice_model_margins(m, b, full, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_margins(final, b, small, NULL), SLUICE_OK);
            for (size_t t = 0; t < ROWS; t++) {
                sluice_example x = example(t, names);
                CHECK_EQ(sluice_model_margin(m, &x, &one, NULL), SLUICE_OK);
                CHECK_EQ(sluice_model_margin(final, &x, &other, NULL), SLUICE_OK);
                CHECK(one == full[t] && one == small[t] && one == other);
                if (!settings[i].hash_bits) CHECK_NEAR(one, plain_margin(m, t, names, &settings[i]), 1e-6);
            }
            CHECK(full[7] == (settings[i].bias != 0 ? plain_margin(m, 7, names, &settings[i]) : 0));
            sluice_model_free(m);
            sluice_model_free(final);
            sluice_batch_free(b);
        }
}

/* Names given to a model of ids, and ids to one of names: whole numbers are found, others are unknown. */
TEST(a_batch_of_names_meets_a_model_of_ids) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    uint64_t id = 17;
    float value = 2;
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){&id, &value, 1, 1, 1}, NULL), SLUICE_OK);
    sluice_model *final = sluice_model_final(m, NULL);
    sluice_name known = {"17", 2}, unknown = {"017", 3};
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add(b, &(sluice_example){NULL, &value, 1, 1, 1, &known}, NULL), SLUICE_OK);
    CHECK_EQ(sluice_batch_add(b, &(sluice_example){NULL, &value, 1, 1, 1, &unknown}, NULL), SLUICE_OK);
    double margins[2];
    CHECK_EQ(sluice_model_margins(final, b, margins, NULL), SLUICE_OK);
    CHECK(margins[0] == 4 && margins[1] == 0);
    CHECK_EQ(sluice_model_margins(m, b, margins, NULL), SLUICE_OK);
    CHECK(margins[0] == 4 && margins[1] == 0);
    sluice_model_free(m);
    sluice_model_free(final);
    sluice_batch_free(b);
}

TEST(the_newest_features_come_first) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    sluice_weight newest[40];
    size_t n = 40;
    CHECK_EQ(sluice_model_newest(m, newest, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 0);
    for (uint64_t i = 0; i < 30; i++) {
        uint64_t id = i * i;
        float value = i % 2 ? 0.0f : 1.0f;
        CHECK_EQ(sluice_model_learn(m, &(sluice_example){&id, &value, 1, i % 4 ? 1 : -1, 1}, NULL), SLUICE_OK);
        if (i != 4) continue;
        n = 40;
        CHECK_EQ(sluice_model_newest(m, newest, &n, NULL), SLUICE_OK);
        CHECK_EQ(n, 5);
        for (size_t k = 0; k < n; k++) CHECK_EQ(newest[k].id, (4 - k) * (4 - k));
    }
    n = 40;
    CHECK_EQ(sluice_model_newest(m, newest, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 16); /* a model with ids remembers so many */
    for (size_t k = 0; k < n; k++) {
        CHECK_EQ(newest[k].id, (29 - k) * (29 - k));
        CHECK((newest[k].weight == 0) == ((29 - k) % 2 == 1));
    }
    n = 3;
    CHECK_EQ(sluice_model_newest(m, newest, &n, NULL), SLUICE_OK);
    CHECK(n == 3 && newest[2].id == 27 * 27);
    sluice_model *final = sluice_model_final(m, NULL);
    n = 3;
    CHECK_EQ(sluice_model_newest(final, newest, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 0);
    sluice_model_free(m);
    sluice_model_free(final);
}

int main(void) {
    make_rows();
    RUN(margins_are_sums_over_weights);
    RUN(a_batch_of_names_meets_a_model_of_ids);
    RUN(the_newest_features_come_first);
    return DONE;
}
