/* PROB: the binary models of a model of several classes, each a whole model file cut into pieces; and MIRR, the mirror
 * of a binary model.
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

/* Where the pieces of a model go. */
typedef struct pieces {
    sl_saver *s;
    const char *tag;
    unsigned flags;
} pieces;

static void begin_piece(const pieces *p) {
    sl_save_begin(p->s, p->tag, p->flags);
    sl_save_int(p->s, 0, 1);
}

/* The section is written when it is full. */
static int write_piece(void *context, const void *bytes, size_t n) {
    const pieces *p = context;
    sl_saver *s = p->s;
    const char *from = bytes;
    while (n) {
        const size_t room = SL_SECTION_HEAD + 1 + PIECE - s->n, piece = n < room ? n : room;
        sl_save_text(s, from, piece);
        from += piece;
        n -= piece;
        if (piece < room) continue;
        const sluice_status status = sl_save_end(s);
        if (status != SLUICE_OK) return (int)status;
        begin_piece(p);
    }
    return 0;
}

static sluice_status save_problem(sl_saver *s, sl_saver *inner, const sluice_model *problem) {
    begin_piece(inner->context);
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
    pieces to = {s, "PROB", 0};
    sl_saver inner = {.write = write_piece, .context = &to, .err = s->err};
    sluice_status status = sl_saver_reserve(&inner, NULL, s->err);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) status = save_nth(s, &inner, m, i);
    sl_saver_release(&inner);
    return status;
}

static sluice_status save_inner(sl_saver *s, const char *tag, unsigned flags, const sluice_model *m) {
    pieces to = {s, tag, flags};
    sl_saver inner = {.write = write_piece, .context = &to, .err = s->err};
    sluice_status status = sl_saver_reserve(&inner, NULL, s->err);
    if (status == SLUICE_OK) status = save_problem(s, &inner, m);
    sl_saver_release(&inner);
    return status;
}

sluice_status sl_save_inner(sl_saver *s, const char *tag, const sluice_model *m) { return save_inner(s, tag, 0, m); }

sluice_status sl_save_mirror(sl_saver *s, const sluice_model *m) {
    const sluice_model *mirror = m->classes.mirror;
    if (!mirror || mirror->broken || sl_model_is_predict_only(m)) return SLUICE_OK;
    if (mirror->state.t != m->state.t || mirror->pseudo.rows != m->pseudo.rows) return SLUICE_OK;
    return save_inner(s, "MIRR", SL_SKIPPABLE, mirror);
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static sluice_status no_memory(sl_loader *l) {
    return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's problems");
}

/* Problems name no positive class; a mirror names that of its model. */
static bool same_positive(const sluice_model *m, const char *positive) {
    const char *has = sl_model_is_of_many(m) ? NULL : m->settings.positive;
    return has && positive ? strcmp(has, positive) == 0 : !has && !positive;
}

/* Whether it can be one of the model's problems, or its mirror. */
static bool fits(const sluice_model *m, const sluice_model *problem) {
    const sluice_settings has = sl_binary_settings(m), *is = &problem->settings;
    if (problem->learner != m->learner || problem->state.t > m->state.t) return false;
    if (problem->pseudo.rows > m->pseudo.rows) return false;
    if (m->settings.classes != SLUICE_CLASSES_OVO &&
        (problem->state.t != m->state.t || problem->pseudo.rows != m->pseudo.rows))
        return false;
    for (size_t i = 0; i < m->learner->info.n_params; i++)
        if (problem->params[i] != m->params[i]) return false;
    return sl_model_is_predict_only(problem) == sl_model_is_predict_only(m) && is->bias == has.bias &&
           is->normalize == has.normalize && is->transform == has.transform && is->scale == has.scale &&
           is->hash_bits == has.hash_bits && is->max_features == has.max_features && problem->classes.table.n == 0 &&
           problem->metadata.n == 0 && same_positive(m, is->positive) && !is->classes;
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

bool sl_is_piece(const sl_loader *l) { return l->end - l->at >= 1 && *l->at <= LAST_PIECE; }

sluice_status sl_load_piece(sl_loader *l, bool is_candidate, sluice_model **model) {
    *model = NULL;
    const bool is_last = *l->at++ == LAST_PIECE;
    const size_t n = (size_t)(l->end - l->at);
    char *bytes = realloc(l->problems.bytes, l->problems.size + n + 1);
    if (!bytes) return no_memory(l);
    memcpy(bytes + l->problems.size, l->at, n);
    l->problems.bytes = bytes;
    l->problems.size += n;
    if (!is_last) return SLUICE_OK;
    *model = sl_load_inner(l, bytes, l->problems.size, is_candidate);
    l->problems.size = 0;
    return *model ? SLUICE_OK : l->err ? l->err->status : SLUICE_E_FORMAT;
}

sluice_status sl_load_mirror(sl_loader *l) {
    sluice_model *m = l->model, *mirror;
    if (l->inner || l->candidate || !sl_is_piece(l) || sl_model_is_of_many(m) || m->classes.mirror ||
        m->classes.table.n || sl_model_is_predict_only(m) || m->positives != m->state.t)
        return DAMAGED(l, "its mirror is impossible");
    sluice_status status = sl_load_piece(l, false, &mirror);
    if (status != SLUICE_OK || !mirror) return status;
    mirror->classes.loaded_plain = false;
    if (fits(m, mirror) && mirror->positives == 0) {
        m->classes.mirror = mirror;
        return SLUICE_OK;
    }
    sluice_model_free(mirror);
    return DAMAGED(l, "its mirror is not one of the model");
}

sluice_status sl_load_problems(sl_loader *l) {
    sluice_model *m = l->model, *problem;
    if (l->inner || !sl_is_piece(l) || l->problems.n >= models_of(m)) return DAMAGED(l, "there is a problem too many");
    sluice_status status = sl_load_piece(l, false, &problem);
    if (status != SLUICE_OK || !problem) return status;
    if (fits(m, problem)) return put(l, problem);
    sluice_model_free(problem);
    return DAMAGED(l, "a problem is not one of the model");
}

sluice_status sl_load_finish_problems(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->problems.n != models_of(m) || l->problems.size) return DAMAGED(l, "problems are missing");
    if (!m->ovr && !m->problems) return SLUICE_OK;
    sl_many_set_classes(m, sl_classes_met(m));
    if (m->ovr) sl_ovr_settle(m);
    return SLUICE_OK;
}
