/* Fuzz target: any bytes as a model of another program, in each of the formats. They are refused with a message; or
 * their weights make a model, which is refused with a message too, or has those weights, saves and loads. */
#include "models/import/imported.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_import.c:%d: %s\n", __LINE__, #condition);                                           \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint64_t nonzeros_of(const imported *m) {
    uint64_t nonzeros = 0;
    for (size_t i = 0; i < m->n; i++) nonzeros += m->weights[i].weight != 0;
    return nonzeros;
}

static void look_at_model(const imported *m, const sluice_model *model) {
    sluice_error err = {0};
    void *saved;
    size_t length;
    REQUIRE(sluice_model_nonzeros(model) == nonzeros_of(m));
    REQUIRE(sluice_model_bytes(model, &saved, &length, &err) == SLUICE_OK);
    sluice_model *again = sluice_model_parse(saved, length, &err);
    REQUIRE(again && sluice_model_nonzeros(again) == nonzeros_of(m));
    for (size_t i = 0; i < m->n; i++) {
        const sluice_weight *w = &m->weights[i];
        const double found = w->is_bias     ? sluice_model_bias_weight(again)
                             : w->name.text ? sluice_model_weight_of_name(again, w->name)
                                            : sluice_model_weight_of_id(again, w->id);
        REQUIRE(found == (double)w->weight);
    }
    sluice_model_free(again);
    sluice_free(saved);
}

static void make_model(const imported *m, int predict_only) {
    const sluice_settings settings = {.size = sizeof settings, .bias = m->bias};
    const sluice_given_weights given = {.size = sizeof given,
                                        .weights = m->weights,
                                        .n = m->n,
                                        .labels = m->label[0].n ? m->label : NULL,
                                        .predict_only = predict_only};
    sluice_error err = {0};
    sluice_model *model =
        sluice_model_from_weights(predict_only ? "perceptron" : "arow", NULL, 0, &settings, &given, &err);
    if (model)
        look_at_model(m, model);
    else
        REQUIRE(err.message[0]);
    sluice_model_free(model);
}

static void read_as(sluice_status (*read)(imported *m, const char *text, size_t n, sluice_error *err),
                    const uint8_t *bytes, size_t n) {
    imported m = {0};
    sluice_error err = {0};
    if (read(&m, (const char *)bytes, n, &err) == SLUICE_OK) {
        REQUIRE(m.n <= n);
        make_model(&m, 1);
        make_model(&m, 0);
    } else {
        REQUIRE(err.status == SLUICE_E_FORMAT && err.message[0]);
    }
    imported_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    read_as(import_liblinear, bytes, n);
    read_as(import_vw, bytes, n);
    read_as(import_tsv, bytes, n);
    return 0;
}
