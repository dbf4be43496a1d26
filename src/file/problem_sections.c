/* PROB: the binary models of a model of several classes, each a whole model file cut into pieces.
 *
 * First those of the classes, or of the pairs of classes, then those for classes to come. Lanes have no other form in
 * files: they are taken apart into models and put together again. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"
#include "file/saver.h"
#include "model/classes/many.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"

enum { LAST_PIECE = 1, PIECE = 1 << 20 }; /* a section: a byte, which says whether the model ends here, and a piece */

/* How many models a file has. */
static size_t models_of(const sluice_model *m) {
    const bool against_one = m->settings.classes == SLUICE_CLASSES_OVO;
    const size_t classes = m->classes.table.n;
    const size_t to_come = sl_model_is_predict_only(m) ? 0 : sl_problems_to_come(against_one, classes);
    return m->ovr || m->problems ? sl_problems_of(against_one, classes) + to_come : 0;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* The section is written when it is full. */
static int write_piece(void *context, const void *bytes, size_t n) {
    sl_saver *s = context;
    const char *from = bytes;
    while (n) {
        const size_t room = SL_SECTION_HEAD + 1 + PIECE - s->n, piece = n < room ? n : room;
        sl_save_text(s, from, piece);
        from += piece;
        n -= piece;
        if (piece < room) continue;
        const sluice_status status = sl_save_end(s);
        if (status != SLUICE_OK) return (int)status;
        sl_save_begin(s, "PROB", 0);
        sl_save_int(s, 0, 1);
    }
    return 0;
}

static sluice_status save_problem(sl_saver *s, sl_saver *inner, const sluice_model *problem) {
    sl_save_begin(s, "PROB", 0);
    sl_save_int(s, 0, 1);
    sluice_status status = sl_save_model(inner, problem);
    if (status != SLUICE_OK) return status;
    s->bytes[SL_SECTION_HEAD] = LAST_PIECE;
    return sl_save_end(s);
}

static sluice_status save_nth(sl_saver *s, sl_saver *inner, const sluice_model *m, size_t i) {
    if (m->problems) return save_problem(s, inner, sl_problems_at(m->problems, i));
    sluice_model *problem = sl_ovr_class_model(m, i < m->classes.table.n ? i : SL_NO_CLASS, s->err);
    if (!problem) return SLUICE_E_MEMORY;
    const sluice_status status = save_problem(s, inner, problem);
    sluice_model_free(problem);
    return status;
}

sluice_status sl_save_problems(sl_saver *s, const sluice_model *m) {
    const size_t n = models_of(m);
    if (n == 0) return SLUICE_OK;
    sl_saver inner = {.write = write_piece, .context = s, .err = s->err};
    sluice_status status = sl_saver_reserve(&inner, s->err);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) status = save_nth(s, &inner, m, i);
    sl_saver_release(&inner);
    return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static sluice_status no_memory(sl_loader *l) {
    return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's problems");
}

/* Whether it can be one of the model's problems. */
static bool fits(const sluice_model *m, const sluice_model *problem) {
    const sluice_settings has = sl_binary_settings(m), *is = &problem->settings;
    if (problem->learner != m->learner || problem->state.t > m->state.t) return false;
    if (problem->pseudo.rows > m->pseudo.rows) return false;
    if (m->settings.classes == SLUICE_CLASSES_OVR &&
        (problem->state.t != m->state.t || problem->pseudo.rows != m->pseudo.rows))
        return false;
    for (size_t i = 0; i < m->learner->info.n_params; i++)
        if (problem->params[i] != m->params[i]) return false;
    return sl_model_is_predict_only(problem) == sl_model_is_predict_only(m) && is->bias == has.bias &&
           is->normalize == has.normalize && is->hash_bits == has.hash_bits && is->max_features == has.max_features &&
           problem->classes.table.n == 0 && problem->metadata.n == 0 && !is->positive && !is->classes;
}

/* The features of the first one are the model's. */
static bool add_features(sluice_model *m, const sluice_model *problem) {
    sl_keys_walk w;
    uint32_t slot;
    bool fine = sl_keys_start(&w, &problem->features);
    while (fine && sl_keys_next(&w)) fine = sl_keys_add_like(&m->features, &problem->features, &w.at, &slot);
    sl_keys_end(&w);
    m->features.named = problem->features.named;
    return fine;
}

/* Takes the next one; it is the model's, or freed. */
static sluice_status put(sl_loader *l, sluice_model *problem) {
    sluice_model *m = l->model;
    const size_t i = l->problems.n++;
    if (m->problems) {
        if (sl_problems_put(m, i, problem)) return SLUICE_OK;
        sluice_model_free(problem);
        return no_memory(l);
    }
    bool fine = (i || add_features(m, problem)) && sl_ovr_reserve(m, i) == SLUICE_OK;
    const bool same = fine && sl_ovr_put_model(m, i, problem);
    sluice_model_free(problem);
    return !fine ? no_memory(l) : same ? SLUICE_OK : DAMAGED(l, "the features of its problems differ");
}

sluice_status sl_load_problems(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->inner || l->end - l->at < 1 || *l->at > LAST_PIECE || l->problems.n >= models_of(m))
        return DAMAGED(l, "there is a problem too many");
    const bool is_last = *l->at++ == LAST_PIECE;
    const size_t n = (size_t)(l->end - l->at);
    char *bytes = realloc(l->problems.bytes, l->problems.size + n + 1);
    if (!bytes) return no_memory(l);
    memcpy(bytes + l->problems.size, l->at, n);
    l->problems.bytes = bytes;
    l->problems.size += n;
    if (!is_last) return SLUICE_OK;
    sluice_model *problem = sl_load_inner(l, bytes, l->problems.size);
    l->problems.size = 0;
    if (!problem) return l->err ? l->err->status : SLUICE_E_FORMAT;
    if (fits(m, problem)) return put(l, problem);
    sluice_model_free(problem);
    return DAMAGED(l, "a problem is not one of the model");
}

sluice_status sl_load_finish_problems(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->problems.n != models_of(m) || l->problems.size) return DAMAGED(l, "problems are missing");
    if (!m->ovr && !m->problems) return SLUICE_OK;
    size_t classes = m->classes.table.n; /* one whose only row was refused has had none */
    while (!sl_model_is_predict_only(m) && classes && m->classes.table.entry[classes - 1].count == 0) classes--;
    sl_many_set_classes(m, classes);
    if (m->ovr) sl_ovr_settle(m);
    return SLUICE_OK;
}
