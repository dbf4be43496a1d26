/* Counts the examples of each feature while a model learns, and leaves rare features out of a predict-only model. */
#include "run/feature_counts.h"

#include "output/message.h"

#include <stdlib.h>
#include <string.h>

enum { ID_ROOM = 24 };

int feature_counts_options(const args *a, feature_counts *c) {
    const char *name = a->command->name;
    int rc = args_count(a, "min-count", 1, UINT32_MAX, &c->least);
    if (rc || !args_has(a, "min-count")) return rc;
    if (!args_has(a, "final"))
        return wrong_usage(name, "--min-count needs --final: a model that goes on learning keeps all features");
    if (args_has(a, "hash")) return wrong_usage(name, "--min-count: a model with --hash has no names");
    if (args_has(a, "resume"))
        return wrong_usage(name, "--min-count counts the examples of one run, and this one goes on from a model (-i)");
    return DONE;
}

static int is_any(void *context, const sluice_weight *feature) {
    (void)context, (void)feature;
    return 1;
}

int feature_counts_start(const feature_counts *c, const sluice_model *model) {
    sluice_error err = {0};
    if (!c->least || !sluice_model_settings(model)->classes) return DONE;
    sluice_model *tried = sluice_model_final_chosen(model, is_any, NULL, &err);
    sluice_model_free(tried);
    return tried || err.status != SLUICE_E_UNSUPPORTED ? DONE : wrong_usage("train", "--min-count: %s", err.message);
}

/* The name of a feature, or the digits of its id, which are the same feature. */
static sluice_name key_of(const sluice_name *name, uint64_t id, char digits[ID_ROOM]) {
    if (name && name->text) return *name;
    size_t n = 0;
    char reversed[ID_ROOM];
    do reversed[n++] = (char)('0' + id % 10);
    while (id /= 10);
    for (size_t i = 0; i < n; i++) digits[i] = reversed[n - 1 - i];
    return (sluice_name){digits, n};
}

/* The count of a feature; NULL: no memory. */
static uint32_t *count_of(feature_counts *c, sluice_name key) {
    const uint64_t number = sluice_names_number(c->keys, key);
    if (number == UINT64_MAX) return NULL;
    if (number >= c->room) {
        const size_t room = 2 * (size_t)number + 1024;
        uint32_t *larger = realloc(c->count, room * sizeof *larger);
        if (!larger) return NULL;
        memset(larger + c->room, 0, (room - c->room) * sizeof *larger);
        c->count = larger;
        c->room = room;
    }
    return &c->count[number];
}

static int reserve_row(feature_counts *c, size_t n) {
    if (n <= c->row_room) return DONE;
    free(c->names), free(c->ids);
    c->row_room = 2 * n;
    c->names = malloc(c->row_room * sizeof *c->names);
    c->ids = malloc(c->row_room * sizeof *c->ids);
    if (c->names && c->ids) return DONE;
    c->row_room = 0;
    return out_of_memory();
}

int feature_counts_learned(feature_counts *c, const sluice_batch *batch, size_t first, size_t n) {
    if (!c->least) return DONE;
    if (!c->keys && !(c->keys = sluice_names_new())) return out_of_memory();
    for (size_t row = first; row < first + n; row++) {
        sluice_example x;
        if (sluice_batch_weight(batch, row) == 0) continue; /* as if absent */
        if (reserve_row(c, sluice_batch_nonzeros(batch, row))) return FAILED;
        sluice_batch_row(batch, row, c->ids, c->names, &x);
        for (size_t k = 0; k < x.n; k++) {
            char digits[ID_ROOM];
            if (x.values[k] == 0) continue;
            uint32_t *count = count_of(c, key_of(x.names ? &x.names[k] : NULL, x.names ? 0 : x.ids[k], digits));
            if (!count) return out_of_memory();
            *count += *count < UINT32_MAX;
        }
    }
    return DONE;
}

/* A feature that cannot be counted is left out. */
static int is_frequent(void *context, const sluice_weight *feature) {
    feature_counts *c = context;
    char digits[ID_ROOM];
    const uint32_t *count = count_of(c, key_of(&feature->name, feature->id, digits));
    return count && *count >= c->least;
}

sluice_model *feature_counts_final(feature_counts *c, const sluice_model *model, sluice_error *err) {
    return c->keys ? sluice_model_final_chosen(model, is_frequent, c, err) : sluice_model_final(model, err);
}

void feature_counts_free(feature_counts *c) {
    sluice_names_free(c->keys);
    free(c->count);
    free(c->names);
    free(c->ids);
}
