/* Several classes as binary models, one for each problem. */
#include "model/classes/problems.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"

size_t sl_problems_of(bool against_one, size_t classes) {
    return against_one ? classes * (classes - (classes > 0)) / 2 : classes;
}

/* ---- the rule of the model --------------------------------------------------------------------------------------- */

/* What the model itself knows of a feature. */
typedef struct feature {
    uint32_t examples; /* that had it, at most UINT32_MAX */
} feature;

static const sl_field fields[] = {SL_FIELD(examples, SL_U32)};

/* The problems have learned the row by now. */
static double score(sl_state *s, const sl_row *x) {
    (void)x;
    const sl_problems *p = s->problems;
    return p->predicted == SL_NO_CLASS ? 0 : p->total[p->predicted];
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)m;
    feature *f = s->features;
    for (size_t i = 0; i < x->n; i++) f[x->slot[i]].examples += f[x->slot[i]].examples < UINT32_MAX;
    return s->problems->updated;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    (void)s;
    (void)slot;
    for (size_t i = 0; i < n; i++) w[i] = 0;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static sluice_model *new_problem(const sluice_model *m, sluice_error *err) {
    const sluice_settings settings = sl_binary_settings(m);
    return sl_model_empty(m->learner, m->learner, m->params, &settings, err);
}

sluice_model *sl_problems_new(bool against_one, const sl_learner *learner, const double *params,
                              const sluice_settings *settings, sluice_error *err) {
    if (settings->max_features) {
        sl_fail(err, SLUICE_E_USAGE, "%s of several classes takes no limit on its features%s", learner->info.name,
                against_one ? " with one class against one" : "");
        return NULL;
    }
    sl_problems *p = calloc(1, sizeof *p);
    if (!p) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of several classes");
        return NULL;
    }
    p->against_one = against_one;
    p->predicted = SL_NO_CLASS;
    p->rule = (sl_learner){
        .info.name = learner->info.name,
        SL_STATE_OF(feature, fields),
        .only_weights_0_1 = learner->only_weights_0_1,
        .kernels = {.score = score, .update = update, .weights = weights},
    };
    sluice_model *m = sl_model_empty(learner, &p->rule, params, settings, err);
    if (!m) return free(p), NULL;
    m->problems = m->state.problems = p;
    m->features.space.scaled = false; /* its problems have scales */
    if (sl_problems_reserve(m, 0) == SLUICE_OK) return m;
    if (err) *err = m->error;
    sluice_model_free(m);
    return NULL;
}

static void free_models(sluice_model **models, size_t n) {
    for (size_t i = 0; i < n; i++) sluice_model_free(models[i]);
    free(models);
}

void sl_problems_free(sl_problems *p) {
    if (!p) return;
    free_models(p->problem, p->n);
    free_models(p->to_come, p->n_to_come);
    free(p->total);
    free(p->wins);
    free(p);
}

uint64_t sl_problems_memory(const sl_problems *p) {
    uint64_t bytes = sizeof *p + p->n * sizeof *p->problem;
    for (size_t i = 0; i < p->n; i++) bytes += sluice_model_memory(p->problem[i]);
    for (size_t i = 0; i < p->n_to_come; i++) bytes += sluice_model_memory(p->to_come[i]);
    return bytes;
}

/* Room for the models and numbers of this number of classes; false: no memory. */
static bool make_room(sl_problems *p, size_t classes) {
    const size_t n = sl_problems_of(p->against_one, classes) + 1, come = classes + 1;
    sluice_model **problem = realloc(p->problem, n * sizeof *problem);
    if (problem) p->problem = problem;
    sluice_model **to_come = realloc(p->to_come, come * sizeof *to_come);
    if (to_come) p->to_come = to_come;
    double *total = realloc(p->total, come * sizeof *total);
    if (total) p->total = total;
    uint32_t *wins = realloc(p->wins, come * sizeof *wins);
    if (wins) p->wins = wins;
    return problem && to_come && total && wins;
}

/* The models of one more class. What was made before one failed stays unused: p->n counts whole classes. */
static bool add_class(sluice_model *m, size_t class_index) {
    sl_problems *p = m->problems;
    const size_t before = sl_problems_of(p->against_one, class_index),
                 after = sl_problems_of(p->against_one, class_index + 1);
    size_t n = before;
    for (; n < after; n++)
        if (!(p->problem[n] = sluice_model_copy(p->to_come[p->against_one ? n - before : 0], NULL))) break;
    bool fine = n == after;
    if (fine && p->against_one) fine = (p->to_come[class_index] = new_problem(m, NULL)) != NULL;
    if (!fine) {
        while (n > before) sluice_model_free(p->problem[--n]);
        return false;
    }
    for (size_t i = before; i < after; i++) sluice_model_set_threads(p->problem[i], m->state.batch.threads);
    p->n = after;
    p->known = class_index + 1;
    if (p->against_one) p->n_to_come = class_index + 1;
    return true;
}

sluice_status sl_problems_reserve(sluice_model *m, size_t classes) {
    sl_problems *p = m->problems;
    bool fine = make_room(p, classes);
    if (fine && !p->against_one && !p->n_to_come) {
        fine = (p->to_come[0] = new_problem(m, NULL)) != NULL;
        p->n_to_come = fine;
    }
    while (fine && p->known < classes) fine = add_class(m, p->known);
    return fine ? SLUICE_OK : sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for more classes");
}

static void make_predict_only(sluice_model *m) {
    m->problems->rule.kernels = m->kernels = (sl_kernels){.weights = weights};
}

bool sl_problems_copy(sluice_model *to, const sluice_model *from) {
    sl_problems *t = to->problems;
    const sl_problems *f = from->problems;
    if (!make_room(t, f->known)) return false;
    while (t->n_to_come) sluice_model_free(t->to_come[--t->n_to_come]); /* that of an empty model */
    for (; t->n < f->n; t->n++)
        if (!(t->problem[t->n] = sluice_model_copy(f->problem[t->n], NULL))) return false;
    for (; t->n_to_come < f->n_to_come; t->n_to_come++)
        if (!(t->to_come[t->n_to_come] = sluice_model_copy(f->to_come[t->n_to_come], NULL))) return false;
    t->known = f->known;
    t->classes = f->classes;
    t->predicted = f->predicted;
    if (sl_model_is_predict_only(from)) make_predict_only(to);
    return true;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* Counts the margin of the problem of classes a < b. Problems come in the order of their places, so that every class
 * adds up its partners in their order. */
static void count_margin(double margin, size_t a, size_t b, double *total, uint32_t *wins) {
    total[b] += margin;
    total[a] += 0 - margin;
    wins[margin > 0 ? b : a]++;
}

static sluice_status learn_one(sluice_model *m, sluice_model *problem, const sl_raw_row *r, double y, double h,
                               bool *any, double *margin) {
    const uint64_t updates = problem->updates;
    problem->pseudo.now = m->pseudo.now;
    sluice_status status = sl_model_learn_raw(problem, r, y, h, margin);
    m->problems->updated |= problem->updates > updates;
    if (status == SLUICE_OK) {
        *any = true;
        return SLUICE_OK;
    }
    m->error = problem->error;
    m->broken |= *any || problem->broken;
    return status;
}

static sluice_status learn_against_rest(sluice_model *m, const sl_raw_row *r, size_t class_index, double h) {
    sl_problems *p = m->problems;
    sluice_status status = SLUICE_OK;
    bool any = false;
    double unused;
    for (size_t c = 0; c < p->n && status == SLUICE_OK; c++)
        status = learn_one(m, p->problem[c], r, c == class_index ? 1 : -1, h, &any, &p->total[c]);
    return status == SLUICE_OK ? learn_one(m, p->to_come[0], r, -1, h, &any, &unused) : status;
}

static sluice_status learn_against_one(sluice_model *m, const sl_raw_row *r, size_t class_index, double h) {
    sl_problems *p = m->problems;
    sluice_status status = SLUICE_OK;
    bool any = false;
    double margin = 0;
    for (size_t c = 0; c < p->known; c++) p->total[c] = 0, p->wins[c] = 0;
    for (size_t b = 1; b < p->known; b++)
        for (size_t a = 0; a < b && status == SLUICE_OK; a++) {
            sluice_model *problem = p->problem[sl_pair_problem(a, b)];
            if (a == class_index || b == class_index)
                status = learn_one(m, problem, r, b == class_index ? 1 : -1, h, &any, &margin);
            else
                margin = sl_model_raw_margin(problem, r);
            if (b < p->classes) count_margin(margin, a, b, p->total, p->wins);
        }
    return status == SLUICE_OK ? learn_one(m, p->to_come[class_index], r, -1, h, &any, &margin) : status;
}

sluice_status sl_problems_learn(sluice_model *m, const sl_raw_row *r, double y, double h) {
    sl_problems *p = m->problems;
    p->updated = false;
    sluice_status status = (p->against_one ? learn_against_one : learn_against_rest)(m, r, (size_t)y, h);
    if (status == SLUICE_OK) p->predicted = sl_best_class(p->total, p->against_one ? p->wins : NULL, p->classes);
    return status;
}

/* ---- all problems ------------------------------------------------------------------------------------------------ */

static size_t models_of(const sl_problems *p) { return p->n + p->n_to_come; }

static sluice_model **model_at(const sl_problems *p, size_t i) {
    return i < p->n ? &p->problem[i] : &p->to_come[i - p->n];
}

sluice_model *sl_problems_at(const sl_problems *p, size_t i) { return *model_at(p, i); }

void sl_problems_empty(sluice_model *m, bool predict_only) {
    sl_problems *p = m->problems;
    while (p->n_to_come) sluice_model_free(p->to_come[--p->n_to_come]);
    if (predict_only) make_predict_only(m);
}

bool sl_problems_put(sluice_model *m, size_t i, sluice_model *problem) {
    sl_problems *p = m->problems;
    const size_t classes = m->classes.table.n;
    if (i == 0 && !make_room(p, classes)) return false;
    p->known = classes;
    if (i < sl_problems_of(p->against_one, classes))
        p->problem[p->n++] = problem;
    else
        p->to_come[p->n_to_come++] = problem;
    return true;
}

sluice_status sl_problems_end_run(sluice_model *m) {
    sluice_status first = SLUICE_OK;
    for (size_t i = 0; i < models_of(m->problems); i++) {
        sluice_model *problem = *model_at(m->problems, i);
        const sluice_status status = sluice_model_end_run(problem);
        m->broken |= problem->broken;
        if (status == SLUICE_OK || first != SLUICE_OK) continue;
        m->error = problem->error;
        first = status;
    }
    return first;
}

/* A copy whose models are what `make` gives for them. */
static sluice_model *change_all(const sluice_model *m, sluice_model *(*make)(const sluice_model *, sluice_error *),
                                sluice_error *err) {
    sluice_model *to = sluice_model_copy(m, err);
    for (size_t i = 0; to && i < models_of(to->problems); i++) {
        sluice_model **problem = model_at(to->problems, i), *changed = make(*problem, err);
        if (!changed) return sluice_model_free(to), NULL;
        sluice_model_free(*problem);
        *problem = changed;
    }
    return to;
}

sluice_model *sl_problems_finished(const sluice_model *m, sluice_error *err) {
    return change_all(m, sluice_model_finished, err);
}

sluice_model *sl_problems_predict_only(const sluice_model *m,
                                       sluice_model *(*make)(const sluice_model *, sluice_error *), sluice_error *err) {
    sluice_model *to = change_all(m, make, err);
    if (!to) return NULL;
    sl_problems *p = to->problems;
    for (size_t i = 0; i < p->n_to_come; i++) sluice_model_free(p->to_come[i]);
    p->n_to_come = 0;
    make_predict_only(to);
    return to;
}

void sl_problems_set_threads(sl_problems *p, unsigned threads) {
    for (size_t i = 0; i < models_of(p); i++) sluice_model_set_threads(*model_at(p, i), threads);
}

/* ---- predicting -------------------------------------------------------------------------------------------------- */

void sl_problems_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins) {
    const sl_problems *p = m->problems;
    const size_t classes = m->classes.table.n;
    for (size_t c = 0; c < classes; c++) {
        margins[c] = p->against_one ? 0 : sl_model_raw_margin(p->problem[c], r);
        wins[c] = 0;
    }
    for (size_t b = 1; b < classes && p->against_one; b++)
        for (size_t a = 0; a < b; a++)
            count_margin(sl_model_raw_margin(p->problem[sl_pair_problem(a, b)], r), a, b, margins, wins);
}
