/* Many configurations of one learner in one pass: eight or sixteen of them share a feature space, and the state of a
 * feature for all of them lies together (lanes.h). Learners without such a rule have a model for each configuration. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"

/* ---- the rule of a part: to the core one learner, whose features are larger ---------------------------------------
 */

static double score(sl_state *s, const sl_row *x) {
    sl_sweep_part *a = s->part;
    a->lanes->features = s->features;
    a->lanes->t = s->t;
    a->kernels->score[sl_sweep_kernel(a)](a->lanes, x);
    for (size_t l = 0; l < a->n_lanes; l++) {
        if (isfinite(a->lanes->m[l])) continue;
        a->broken[l] = true; /* a model alone would have stopped here */
        a->lanes->m[l] = 0;
    }
    return 0;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)m;
    sl_sweep_part *a = s->part;
    const bool calibrates = sl_online_calibration_due(s->t);
    for (size_t l = 0; l < a->n_lanes; l++) a->mistakes[l] += (a->lanes->m[l] > 0) != (x->y > 0);
    if (calibrates)
        for (size_t l = 0; l < a->n_lanes; l++)
            sl_online_calibration_learn(&a->calibration[l], a->lanes->m[l], x->y, x->h);
    if (a->meter[0]) sl_sweep_count(a, x->y, calibrates);
    for (size_t l = 0; l < a->n_lanes; l++) a->lanes->y[l] = x->y;
    a->kernels->update[sl_sweep_kernel(a)](a->lanes, x);
    for (size_t l = 0; l < a->n_lanes; l++) a->updates[l] += a->lanes->on[l] != 0 && x->n;
    return false;
}

/* Once in 2^31 rounds. */
static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    sl_sweep_part *a = s->part;
    a->lanes->features = s->features;
    a->lanes->t = s->t;
    a->kernels->settle[sl_sweep_kernel(a)](a->lanes, slot, n);
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    sl_lane_blocks_rescale(&s->part->blocks, s->features, s->t, slot, by);
}

/* ---- making -------------------------------------------------------------------------------------------------------
 */

/* Parameters of all lanes. Spare lanes repeat the last configuration; their results are ignored. */
static void set_params(const sluice_sweep *w, sl_sweep_part *a) {
    const size_t shared_by = w->learner->shared_by, forget = w->learner->forget; /* the first parameter: it is none */
    for (size_t l = 0; l < a->n_lanes; l++) {
        const double *p = w->params[a->first + (l < a->n ? l : a->n - 1)];
        sl_lane_blocks_set_params(&a->blocks, l, p);
        a->lanes->shared &= p[shared_by] == w->params[a->first][shared_by];
        a->lanes->shared &= !forget || p[forget] == w->params[a->first][forget];
    }
}

/* Configurations that treat the two classes differently, and where not all do. */
static const char *find_sided(const sluice_sweep *w, bool *some) {
    const char *found = NULL;
    size_t sided = 0;
    for (size_t i = 0; i < w->n; i++) {
        const char *param = sl_one_sided(w->learner, w->params[i]);
        if (param && !sided++) found = param;
    }
    *some = sided && sided < w->n;
    return found;
}

/* Lanes have one layout: if a configuration forgets, all have the counter of rounds. One with forget=1 computes the
 * same with it (algo/shared/forgetting.h). */
static const sl_learner *lanes_learner(const sluice_sweep *w, const sl_sweep_part *a) {
    const sl_learner *learner = w->learner;
    for (size_t i = 0; i < a->n && learner == w->learner; i++)
        learner = sl_learner_for(w->learner, w->params[a->first + i]);
    return learner;
}

static bool make_lanes(sluice_sweep *w, sl_sweep_part *a, sluice_error *err) {
    const sl_learner *learner = lanes_learner(w, a);
    a->n_lanes = a->n > 8 ? 16 : 8;
    a->kernels = sl_learner_lanes(learner);
    if (!sl_lane_blocks_make(&a->blocks, learner, w->params[a->first], a->n_lanes)) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
        return false;
    }
    a->lanes = &a->blocks.block[0].lanes;
    set_params(w, a);
    a->rule = *learner;
    a->rule.info.bytes_per_feature = a->lanes->size;
    a->rule.fresh = a->blocks.fresh;
    a->rule.sets = NULL;
    a->rule.kernels = (sl_kernels){
        .score = score, .update = update, .rescale = rescale, .settle = learner->counts_rounds ? settle : NULL};
    a->model = sl_model_empty(learner, &a->rule, w->params[a->first], &w->settings, err);
    if (!a->model) return false;
    bool some;
    a->model->state.part = a;
    a->model->classes.sided = find_sided(w, &some);
    return true;
}

/* Several classes use lanes for themselves. With a named positive class those that treat the classes differently may
 * have other signs inside than the rest. */
static bool has_lanes(const sluice_sweep *w) {
    bool some;
    find_sided(w, &some);
    return sl_learner_lanes(w->learner) && !w->settings.classes && !w->settings.max_features && w->n > 1 &&
           !(some && w->settings.positive);
}

/* Sixteen at a time cost least work; eight, where otherwise a thread would have nothing to do. */
static bool make_parts(sluice_sweep *w, sluice_error *err) {
    size_t each = !has_lanes(w)                                           ? 1
                  : (w->n + SL_MAX_LANES - 1) / SL_MAX_LANES < w->threads ? SL_MAX_LANES / 2
                                                                          : SL_MAX_LANES;
    w->n_parts = (w->n + each - 1) / each;
    w->parts = calloc(w->n_parts, sizeof *w->parts);
    w->status = calloc(w->n_parts, sizeof *w->status);
    if (!w->parts || !w->status) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep"), false;
    for (size_t i = 0; i < w->n_parts; i++) {
        sl_sweep_part *a = &w->parts[i];
        a->first = i * each;
        a->n = w->n - a->first < each ? w->n - a->first : each;
        if (each > 1 && !make_lanes(w, a, err)) return false;
        if (each > 1) continue;
        const sl_learner *learner = sl_learner_for(w->learner, w->params[i]);
        a->model = w->settings.classes ? sl_many_new(learner, w->params[i], &w->settings, err)
                                       : sl_model_empty(learner, learner, w->params[i], &w->settings, err);
        if (!a->model) return false;
        a->model->state.batch.threads = 1; /* the parts have them */
    }
    return true;
}

static void learn_part(void *context, size_t i) {
    sluice_sweep *w = context;
    const sl_sweep_part *a = &w->parts[i]; /* lanes tell their meters themselves */
    w->status[i] = sluice_model_learn_batch(a->model, w->batch, a->n_lanes ? NULL : a->meter[0]);
}

/* A sweep of n configurations whose parameters are known. */
static sluice_sweep *make_sweep(const sl_learner *learner, const double (*params)[SL_MAX_PARAMS], size_t n,
                                const sluice_settings *settings, unsigned threads, sluice_error *err) {
    sluice_sweep *w = calloc(1, sizeof *w);
    bool fine = w && (w->params = calloc(n, sizeof *w->params)) != NULL;
    if (fine && settings->positive) fine = (w->positive = strdup(settings->positive)) != NULL;
    if (!fine) sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
    if (fine) {
        memcpy(w->params, params, n * sizeof *params);
        w->learner = learner;
        w->settings = *settings;
        w->settings.positive = w->positive;
        w->n = n;
        w->threads = threads;
    }
    fine = fine && make_parts(w, err);
    /* without a team the parts go one after the other */
    if (fine && w->threads > 1 && w->n_parts > 1) w->team = sl_team_new(w->threads, w->n_parts, learn_part, w);
    if (fine) return w;
    sluice_sweep_free(w);
    return NULL;
}

sluice_sweep *sluice_sweep_new(const char *learner, const char *const *const *params, const size_t *n_params, size_t n,
                               const sluice_settings *settings, unsigned threads, sluice_error *err) {
    /* the gate for all of it is the one for models */
    sluice_model *first =
        n ? sluice_model_new(learner, params ? params[0] : NULL, n_params ? n_params[0] : 0, settings, err) : NULL;
    if (!first) {
        if (!n) sl_fail(err, SLUICE_E_USAGE, "a sweep without configurations");
        return NULL;
    }
    double(*values)[SL_MAX_PARAMS] = calloc(n, sizeof *values);
    const bool tunes = first->learner->info.flags & SLUICE_LEARNER_TUNES;
    bool fine = values != NULL && !tunes;
    if (tunes)
        sl_fail(err, SLUICE_E_UNSUPPORTED, "%s tunes itself: a sweep is of configurations of a named learner", learner);
    else if (!fine)
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
    const sluice_learner_info *info = &first->learner->info;
    for (size_t i = 0; fine && i < n; i++)
        fine = sluice_params_read(info->name, info->params, info->n_params, params ? params[i] : NULL,
                                  n_params ? n_params[i] : 0, values[i], err) == SLUICE_OK;
    sluice_sweep *w = fine ? make_sweep(sl_learner_called(learner), (const double(*)[SL_MAX_PARAMS])values, n,
                                        &first->settings, threads ? threads : sl_cores(), err)
                           : NULL;
    free(values);
    sluice_model_free(first);
    return w;
}

void sluice_sweep_free(sluice_sweep *w) {
    if (!w) return;
    sluice_sweep_free(w->mirror);
    sl_team_free(w->team);
    for (size_t i = 0; w->parts && i < w->n_parts; i++) {
        sl_sweep_meters_free(&w->parts[i]);
        sluice_model_free(w->parts[i].model);
        sl_lane_blocks_free(&w->parts[i].blocks);
    }
    free(w->parts);
    free(w->status);
    free(w->params);
    free(w->positive);
    free(w);
}

const sluice_error *sluice_sweep_error(const sluice_sweep *w) { return &w->error; }

/* ---- learning -----------------------------------------------------------------------------------------------------
 */

static sluice_status first_failure(sluice_sweep *w) {
    for (size_t i = 0; i < w->n_parts; i++) {
        if (w->status[i] == SLUICE_OK) continue;
        if (w->status[i] == SLUICE_E_NUMERIC) { /* one configuration's own trouble */
            w->parts[i].broken[0] = true;
            continue;
        }
        w->error = w->parts[i].model->error;
        return w->error.status;
    }
    return SLUICE_OK;
}

sluice_status sl_sweep_take_classes(sluice_sweep *w, const sluice_model *from, sluice_error *err) {
    for (size_t i = 0; from && i < w->n_parts; i++) {
        if (sl_classes_take(w->parts[i].model, from) == SLUICE_OK) continue;
        if (err) *err = w->parts[i].model->error;
        return w->parts[i].model->error.status;
    }
    return SLUICE_OK;
}

static sluice_status learn_parts(sluice_sweep *w, const sluice_batch *batch) {
    w->batch = batch;
    if (w->team)
        sl_team_run(w->team);
    else
        for (size_t i = 0; i < w->n_parts; i++) learn_part(w, i);
    return first_failure(w);
}

/* The mirror of a model (docs/classes.md), for lanes. */
static sluice_status make_mirror(sluice_sweep *w) {
    w->mirror =
        make_sweep(w->learner, (const double(*)[SL_MAX_PARAMS])w->params, w->n, &w->settings, w->threads, &w->error);
    if (!w->mirror) return w->error.status;
    for (size_t i = 0; i < w->mirror->n_parts; i++) {
        sluice_model *part = w->mirror->parts[i].model;
        if (sl_classes_begin_with_one(part) == SLUICE_OK) continue;
        w->error = part->error;
        return w->error.status;
    }
    return SLUICE_OK;
}

/* The sweep becomes what the mirror is. A team belongs to where the sweep lies. */
static void take_mirror(sluice_sweep *w) {
    sluice_sweep *mirror = w->mirror, other = *mirror;
    sl_team *team = w->team;
    *mirror = *w;
    mirror->team = other.team;
    mirror->mirror = NULL;
    *w = other;
    w->team = team;
    sluice_sweep_free(mirror);
}

/* Decides, if it can be decided by this batch, what the label 1 is. */
static sluice_status decide(sluice_sweep *w, const sluice_batch *batch) {
    const sluice_model *part = w->parts[0].model; /* all have the same labels */
    const sl_targets own = {0};
    switch (sl_classes_look(part, batch, &own, 0)) {
    case SL_ONE_OPEN:
        return w->mirror || part->state.t ? SLUICE_OK : make_mirror(w);
    case SL_ONE_FIRST:
        if (w->mirror) take_mirror(w);
        return SLUICE_OK;
    case SL_ONE_SETTLED:
        sluice_sweep_free(w->mirror);
        w->mirror = NULL;
        return SLUICE_OK;
    default:
        return SLUICE_OK;
    }
}

sluice_status sluice_sweep_learn_batch(sluice_sweep *w, const sluice_batch *batch) {
    sluice_status status = w->parts[0].n_lanes ? decide(w, batch) : SLUICE_OK;
    if (status == SLUICE_OK) status = learn_parts(w, batch);
    if (status != SLUICE_OK || !w->mirror) return status;
    status = learn_parts(w->mirror, batch);
    if (status != SLUICE_OK) w->error = w->mirror->error;
    return status;
}

sluice_status sluice_sweep_end_run(sluice_sweep *w) {
    for (size_t i = 0; i < w->n_parts; i++) { /* a batch that ends now has all threads */
        sluice_model_set_threads(w->parts[i].model, w->threads);
        w->status[i] = sluice_model_end_run(w->parts[i].model);
        sluice_model_set_threads(w->parts[i].model, 1);
    }
    return first_failure(w);
}
