/* The predict-only form of models of several classes: for every feature the classes in which it has a weight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/matrix.h"
#include "model/classes/ovr.h"
#include "model/scaling/row_values.h"

/* The nonzero weights of one feature, in the order of its list or of the classes. */
typedef struct feature_weights {
    uint32_t *class_of, *place;
    float *w;
    size_t n;
} feature_weights;

static void free_weights(feature_weights *f) {
    free(f->class_of);
    free(f->place);
    free(f->w);
}

static bool make_weights(feature_weights *f, size_t most) {
    f->class_of = malloc((most + 1) * sizeof *f->class_of);
    f->place = malloc((most + 1) * sizeof *f->place);
    f->w = malloc((most + 1) * sizeof *f->w);
    return f->class_of && f->place && f->w;
}

/* Leaves out the zeros of n weights; false: one is not finite. */
static bool keep_nonzero(feature_weights *f, size_t n) {
    f->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(f->w[i])) return false;
        if (f->w[i] == 0) continue;
        f->w[f->n] = f->w[i];
        f->class_of[f->n++] = f->class_of[i];
    }
    return true;
}

static bool weights_of_pairs(const sluice_model *m, uint32_t slot, feature_weights *f) {
    uint32_t first;
    const uint32_t n = sl_pairs_of_classes(m->matrix, sl_matrix_list(m, slot), &first);
    for (uint32_t k = 0; k < n; k++) {
        f->place[k] = first + k;
        f->class_of[k] = m->matrix->arena.class_of[first + k];
    }
    sl_matrix_place_weights(m, f->place, n, f->w);
    return keep_nonzero(f, n);
}

static bool weights_of_lanes(const sluice_model *m, uint32_t slot, feature_weights *f) {
    sl_lane_blocks_weights(&m->ovr->lanes, m->features.space.features, m->state.t, slot, f->w);
    for (size_t c = 0; c < m->ovr->classes; c++) f->class_of[c] = (uint32_t)c;
    return keep_nonzero(f, m->ovr->classes);
}

/* Adds a feature with its weights. False: no memory. */
static bool add_feature(sluice_model *to, const sluice_model *from, const sl_walk *at, const feature_weights *f) {
    uint32_t slot, place;
    sl_pair_arena *a = &to->matrix->arena;
    if (!sl_keys_add_like(&to->features, &from->features, at, &slot)) return false;
    if (f->n == 0) return true;
    if (!sl_pair_extend(a, sl_matrix_list(to, slot), (uint32_t)f->n, &place)) return false;
    memcpy(a->class_of + place, f->class_of, f->n * sizeof *f->class_of);
    memcpy(sl_pair_state(a, place), f->w, f->n * sizeof *f->w); /* the state of predict-only models is the weight */
    return true;
}

static sluice_status copy_weights(sluice_model *to, const sluice_model *from, sluice_error *err) {
    feature_weights f = {0};
    sl_keys_walk walk = {0};
    const size_t most = from->ovr ? from->ovr->lanes.n_lanes : from->classes.table.n;
    const bool all = sl_keeps_all_scales(&from->settings);
    bool fine = make_weights(&f, most) && sl_keys_start(&walk, &from->features), finite = true;
    while (fine && finite && sl_keys_next(&walk)) {
        finite = from->ovr ? weights_of_lanes(from, walk.at.slot, &f) : weights_of_pairs(from, walk.at.slot, &f);
        if (finite && (f.n || all) && sl_is_chosen(from, &walk.at)) fine = add_feature(to, from, &walk.at, &f);
    }
    sl_keys_end(&walk);
    free_weights(&f);
    if (!finite)
        return sl_fail(err, SLUICE_E_NUMERIC,
                       "the model has left the range of numbers: values are too large; learn it anew with scaled ones");
    return fine ? SLUICE_OK : sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
}

/* Models of one class against the rest have probabilities by class. */
static bool copy_calibrations(sluice_model *to, const sluice_model *from) {
    const size_t n = from->classes.table.n;
    const sl_matrix *pairs = from->matrix;
    if (n == 0 || (pairs && !pairs->calibration)) return true;
    sl_online_calibration *c = to->matrix->calibration = calloc(n, sizeof *c);
    for (size_t i = 0; c && i < n; i++) c[i] = pairs ? pairs->calibration[i] : from->ovr->count[i].calibration;
    return c != NULL;
}

sluice_model *sl_matrix_predict_only(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_matrix_new_predict_only(from->learner, from->params, &from->settings, err);
    if (!to) return NULL;
    sl_model_copy_counts(to, from);
    memset(to->scalars, 0, sizeof to->scalars);
    sluice_status status = SLUICE_OK;
    if (!sl_metadata_copy(&to->metadata, &from->metadata) || !sl_class_labels_copy(to, from) ||
        !copy_calibrations(to, from) || sl_matrix_settle(to) != SLUICE_OK)
        status = sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
    if (status == SLUICE_OK) status = copy_weights(to, from, err);
    if (status != SLUICE_OK) {
        sluice_model_free(to);
        return NULL;
    }
    to->features.space.seen = from->features.space.seen; /* sparsity refers to all features seen */
    to->features.space.births = from->features.space.births;
    to->features.space.rows = from->features.space.rows;
    return to;
}
