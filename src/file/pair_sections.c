/* PAIR: the (feature, class) pairs of models of several classes. PCAL: the calibrations of their classes. VECS: the
 * scales and norms of their vectors. */
#include <stdlib.h>

#include "file/loader.h"
#include "file/saver.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"

enum { PAIRS_A_SECTION = SL_FEATURES_A_SECTION }; /* the saver's buffer of slots takes their places */
_Static_assert(4 + PAIRS_A_SECTION * (4 + 8 * SL_MAX_FIELDS) < SL_MAX_SECTION, "a section of pairs may be too large");

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static sluice_status save_section(sl_saver *s, const sl_matrix *x, size_t n) {
    const sl_pair_arena *a = &x->arena;
    sl_save_begin(s, "PAIR", 0);
    sl_save_int(s, n, 4);
    for (size_t k = 0; k < n; k++) sl_save_int(s, a->class_of[s->slot[k]], 4);
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < x->pair_rule->n_fields && status == SLUICE_OK; i++)
        status = sl_save_column(s, &x->pair_rule->fields[i], a->state, a->size, s->slot, n);
    return status == SLUICE_OK ? sl_save_end(s) : status;
}

static sluice_status save_calibrations(sl_saver *s, const sl_matrix *x) {
    if (!x->calibration) return SLUICE_OK;
    sl_save_begin(s, "PCAL", 0);
    for (size_t c = 0; c < x->classes; c++) {
        double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
        memcpy(numbers, &x->calibration[c], sizeof numbers);
        for (size_t i = 0; i < SL_ONLINE_CALIBRATION_NUMBERS; i++) sl_save_f64(s, numbers[i]);
    }
    return sl_save_end(s);
}

static sluice_status save_vectors(sl_saver *s, const sluice_model *m) {
    const sl_class_vector *v = m->matrix->vectors;
    if (!v || m->classes.table.n == 0) return SLUICE_OK;
    sl_save_begin(s, "VECS", 0);
    for (size_t c = 0; c < m->classes.table.n; c++) {
        if (!isfinite(v[c].scale) || !isfinite(v[c].norm)) return sl_save_out_of_range(s);
        sl_save_f64(s, v[c].scale);
        sl_save_f64(s, v[c].norm);
    }
    return sl_save_end(s);
}

/* In the order of the features, and of their lists. */
sluice_status sl_save_pairs(sl_saver *s, const sluice_model *m) {
    if (!m->matrix) return SLUICE_OK;
    sl_keys_walk w;
    if (!sl_keys_start(&w, &m->features)) return sl_fail(s->err, SLUICE_E_MEMORY, "no memory to save the model");
    sluice_status status = SLUICE_OK;
    size_t n = 0;
    while (status == SLUICE_OK && sl_keys_next(&w)) {
        const sl_pair_list *list = sl_matrix_list(m, w.at.slot);
        for (uint32_t k = 0; k < list->n && status == SLUICE_OK; k++) {
            s->slot[n++] = list->first + k;
            if (n == PAIRS_A_SECTION) status = save_section(s, m->matrix, n), n = 0;
        }
    }
    sl_keys_end(&w);
    if (status == SLUICE_OK && n) status = save_section(s, m->matrix, n);
    if (status == SLUICE_OK) status = save_calibrations(s, m->matrix);
    return status == SLUICE_OK ? save_vectors(s, m) : status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static sluice_status no_memory(sl_loader *l) {
    return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's classes");
}

static sluice_status begin_pairs(sl_loader *l) {
    if (l->pairs.begun) return SLUICE_OK;
    if (!sl_keys_start(&l->pairs.walk, &l->model->features)) return no_memory(l);
    l->pairs.begun = true;
    return SLUICE_OK;
}

/* Goes on to the next feature that has pairs which were not read yet; false: there is none. Its list is empty until
 * then, whatever the file says of its length. */
static bool next_list(sl_loader *l) {
    while (l->pairs.missing == 0) {
        if (!sl_keys_next(&l->pairs.walk)) return false;
        l->pairs.slot = l->pairs.walk.at.slot;
        sl_pair_list *list = sl_matrix_list(l->model, l->pairs.slot);
        l->pairs.missing = list->n;
        list->n = 0;
    }
    return true;
}

/* Puts n pairs, which begin with number k of a section of `of`, at the places from `place` on. */
static sluice_status read_pairs(sl_loader *l, uint32_t place, size_t n, size_t k, size_t of) {
    sl_matrix *x = l->model->matrix;
    const unsigned char *column = l->at;
    for (size_t i = 0; i < n; i++) x->arena.class_of[place + i] = (uint32_t)sl_get_le(column + 4 * (k + i), 4);
    column += 4 * of;
    for (size_t f = 0; f < x->pair_rule->n_fields; f++) {
        const sl_field *field = &x->pair_rule->fields[f];
        const size_t width = sl_type_size(field->type);
        for (size_t i = 0; i < n; i++)
            if (!sl_load_field(field, sl_pair_state(&x->arena, (uint32_t)(place + i)), column + (k + i) * width))
                return DAMAGED(l, "an impossible value of %s", field->name);
        column += of * width;
    }
    return SLUICE_OK;
}

sluice_status sl_load_pairs(sl_loader *l) {
    sluice_model *m = l->model;
    if (!m->matrix) return DAMAGED(l, "it has pairs, which its kind of model has not");
    size_t record = 4;
    for (size_t i = 0; i < m->matrix->pair_rule->n_fields; i++)
        record += sl_type_size(m->matrix->pair_rule->fields[i].type);
    if (l->end - l->at < 4) return DAMAGED(l, "a list of pairs is too short");
    const size_t n = (size_t)sl_get_le(l->at, 4);
    l->at += 4;
    if (n == 0 || n > PAIRS_A_SECTION || (size_t)(l->end - l->at) != n * record)
        return DAMAGED(l, "a list of pairs has an impossible length");
    sluice_status status = begin_pairs(l);
    for (size_t k = 0; k < n && status == SLUICE_OK;) {
        if (!next_list(l)) return DAMAGED(l, "there are more pairs than its features have");
        if (l->pairs.missing > SLUICE_MAX_MATRIX_CLASSES + (uint32_t)m->matrix->shares)
            return DAMAGED(l, "a feature has an impossible number of pairs");
        const uint32_t piece = l->pairs.missing < n - k ? l->pairs.missing : (uint32_t)(n - k);
        uint32_t place;
        if (!sl_pair_extend(&m->matrix->arena, sl_matrix_list(m, l->pairs.slot), piece, &place)) return no_memory(l);
        memset(sl_pair_state(&m->matrix->arena, place), 0, piece * m->matrix->arena.size);
        status = read_pairs(l, place, piece, k, n);
        l->pairs.missing -= piece;
        k += piece;
    }
    return status;
}

sluice_status sl_load_class_calibrations(sl_loader *l) {
    sl_matrix *x = l->model->matrix;
    const size_t n = (size_t)(l->end - l->at) / sizeof *x->calibration;
    if (!x || !sl_model_is_predict_only(l->model) || l->model->settings.classes != SLUICE_CLASSES_OVR ||
        x->calibration || n == 0 || (size_t)(l->end - l->at) != n * sizeof *x->calibration)
        return DAMAGED(l, "its calibrations of classes are impossible");
    if (!(x->calibration = malloc(n * sizeof *x->calibration))) return no_memory(l);
    l->calibrated_classes = n;
    for (size_t c = 0; c < n; c++) {
        double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
        for (size_t i = 0; i < SL_ONLINE_CALIBRATION_NUMBERS; i++, l->at += 8) {
            const uint64_t bits = sl_get_le(l->at, 8);
            memcpy(&numbers[i], &bits, sizeof bits);
            if (!isfinite(numbers[i])) return DAMAGED(l, "its calibrations of classes are impossible");
        }
        memcpy(&x->calibration[c], numbers, sizeof numbers);
        if (!sl_online_calibration_possible(&x->calibration[c]))
            return DAMAGED(l, "its calibrations of classes are impossible");
    }
    return SLUICE_OK;
}

sluice_status sl_load_vectors(sl_loader *l) {
    sl_matrix *x = l->model->matrix;
    const size_t n = (size_t)(l->end - l->at) / 16;
    if (!x || !x->vectors || l->vectors_of_classes || n == 0 || n > SLUICE_MAX_MATRIX_CLASSES || (l->end - l->at) % 16)
        return DAMAGED(l, "its vectors of classes are impossible");
    if (sl_matrix_reserve(l->model, n) != SLUICE_OK) return no_memory(l);
    l->vectors_of_classes = n;
    for (size_t c = 0; c < n; c++, l->at += 16) {
        const uint64_t bits[2] = {sl_get_le(l->at, 8), sl_get_le(l->at + 8, 8)};
        memcpy(&x->vectors[c].scale, &bits[0], sizeof bits[0]);
        memcpy(&x->vectors[c].norm, &bits[1], sizeof bits[1]);
        if (!(isfinite(x->vectors[c].scale) && x->vectors[c].scale > 0 && isfinite(x->vectors[c].norm)))
            return DAMAGED(l, "its vectors of classes are impossible");
    }
    return SLUICE_OK;
}

/* Where the classes of a feature share a member: whether its list begins with the pair that has it. Of vectors: whether
 * every pair has a value. */
static const char *wrong_kind(const sl_matrix *x, const sl_pair_list *list) {
    if (x->shares && list->n && x->arena.class_of[list->first] != SL_SHARED_PAIR)
        return "a feature has no pair of what its classes share";
    for (uint32_t i = 0; x->vectors && i < list->n; i++) {
        float v;
        memcpy(&v, sl_pair_state(&x->arena, list->first + i), sizeof v);
        if (v == 0) return "a pair has no weight";
    }
    return NULL;
}

/* Whether every pair has a class that there is, and no feature two pairs of one class. */
static sluice_status check_pairs(sl_loader *l) {
    const sluice_model *m = l->model;
    const size_t classes = sl_classes_met(m);
    uint64_t *last = calloc(classes + 1, sizeof *last); /* the feature, counted from 1, in which a class came last */
    if (!last) return no_memory(l);
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0, feature = 0;
    const char *wrong = NULL;
    for (size_t n; !wrong && (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            const sl_pair_list *list = sl_matrix_list(m, slot[k]);
            uint32_t first;
            const uint32_t pairs = sl_pairs_of_classes(m->matrix, list, &first);
            const uint32_t *class_of = m->matrix->arena.class_of + first;
            feature++;
            if (!wrong) wrong = wrong_kind(m->matrix, list);
            for (uint32_t i = 0; i < pairs && !wrong; i++) {
                if (class_of[i] >= classes)
                    wrong = "a pair is of a class that there is not";
                else if (last[class_of[i]] == feature)
                    wrong = "a feature has two pairs of one class";
                else
                    last[class_of[i]] = feature;
            }
        }
    free(last);
    return wrong ? DAMAGED(l, "%s", wrong) : SLUICE_OK;
}

sluice_status sl_load_finish_pairs(sl_loader *l) {
    sluice_model *m = l->model;
    if (!m->matrix) return SLUICE_OK;
    sluice_status status = begin_pairs(l);
    if (status != SLUICE_OK) return status;
    if (next_list(l)) return DAMAGED(l, "pairs of its features are missing");
    if (sl_model_is_predict_only(m) && m->settings.classes == SLUICE_CLASSES_OVR &&
        l->calibrated_classes != m->classes.table.n)
        return DAMAGED(l, "its calibrations of classes are impossible");
    if (m->matrix->vectors && l->vectors_of_classes != m->classes.table.n)
        return DAMAGED(l, "its vectors of classes are impossible");
    status = check_pairs(l);
    return status == SLUICE_OK && sl_matrix_settle(m) != SLUICE_OK ? no_memory(l) : status;
}
