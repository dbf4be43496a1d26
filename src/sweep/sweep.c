/* Many configurations of one learner in one pass: eight or sixteen of them share a feature space, and the state of a
 * feature for all of them lies together (lanes.h). Learners without such a rule have a model for each configuration. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { LARGEST = 64 }; /* bytes of a feature of a learner with lanes, alone */

/* ---- the rule of a part: to the core one learner, whose features are larger ---------------------------------------
 */

static double score(sl_state *s, const sl_row *x) {
    sl_sweep_part *a = s->part;
    a->lanes.features = s->features;
    a->lanes.t = s->t;
    a->model->learner->lanes->score[a->side / 8 - 1](&a->lanes, x);
    for (size_t l = 0; l < a->side; l++) {
        if (isfinite(a->lanes.m.at[l])) continue;
        a->broken[l] = true; /* alone it would have stopped here */
        a->lanes.m.at[l] = 0;
    }
    return 0;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)m;
    sl_sweep_part *a = s->part;
    for (size_t l = 0; l < a->side; l++) a->mistakes[l] += (a->lanes.m.at[l] > 0) != (x->y > 0);
    if (sl_online_calibration_due(s->t))
        for (size_t l = 0; l < a->side; l++)
            sl_online_calibration_learn(&a->calibration[l], a->lanes.m.at[l], x->y, x->h);
    a->model->learner->lanes->update[a->side / 8 - 1](&a->lanes, x);
    for (size_t l = 0; l < a->side; l++) a->updates[l] += a->lanes.on.mask[l / 8][l % 8] != 0 && x->n;
    return false;
}

void sl_sweep_part_gather(const sl_sweep_part *a, const char *from, size_t l, char *to) {
    const sl_learner *learner = a->model->learner;
    for (size_t i = 0; i < learner->n_fields; i++) {
        size_t size = sl_type_size(learner->fields[i].type);
        memcpy(to + learner->fields[i].offset, from + l * size, size);
        from += a->side * size;
    }
}

/* And back. */
static void scatter(const sl_learner *learner, const char *from, size_t side, size_t l, char *to) {
    for (size_t i = 0; i < learner->n_fields; i++) {
        size_t size = sl_type_size(learner->fields[i].type);
        memcpy(to + l * size, from + learner->fields[i].offset, size);
        to += side * size;
    }
}

/* Once in 2^31 rounds: each is settled as if it were alone. */
static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    const sl_sweep_part *a = s->part;
    const sl_learner *learner = a->model->learner;
    double alone[LARGEST / sizeof(double)], params[SL_MAX_PARAMS], scalars[SL_MAX_SCALARS];
    sl_state of_one = {.features = alone, .p = params, .scalar = scalars, .t = s->t};
    for (size_t l = 0; l < a->side; l++) {
        for (size_t i = 0; i < SL_MAX_PARAMS; i++) params[i] = a->p[i].at[l];
        for (size_t i = 0; i < SL_MAX_SCALARS; i++) scalars[i] = a->scalar[i].at[l];
        for (size_t k = 0; k < n; k++) {
            char *feature = sl_space_at(&a->model->features.space, slot[k]);
            sl_sweep_part_gather(a, feature, l, (char *)alone);
            learner->kernels.settle(&of_one, &(uint32_t){0}, 1);
            scatter(learner, (const char *)alone, a->side, l, feature);
        }
    }
}

/* ---- making -------------------------------------------------------------------------------------------------------
 */

static bool make_fresh(sl_sweep_part *a, const sl_learner *learner) {
    size_t size = 0;
    for (size_t i = 0; i < learner->n_fields; i++) size += a->side * sl_type_size(learner->fields[i].type);
    a->lanes.size = size;
    a->fresh = calloc(1, size);
    for (size_t l = 0; a->fresh && learner->fresh && l < a->side; l++)
        scatter(learner, learner->fresh, a->side, l, (char *)a->fresh);
    return a->fresh != NULL;
}

/* Configurations beyond the last are the last one again: they compute in vain, and nobody looks. */
static bool make_lanes(sluice_sweep *w, sl_sweep_part *a, sluice_error *err) {
    const sl_learner *learner = w->learner;
    a->side = a->n > 8 ? 16 : 8;
    if (!make_fresh(a, learner)) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
        return false;
    }
    a->rule = *learner;
    a->rule.info.bytes_per_feature = a->lanes.size;
    a->rule.fresh = a->fresh;
    a->rule.kernels.score = score;
    a->rule.kernels.update = update;
    a->rule.kernels.settle = learner->kernels.settle ? settle : NULL;
    a->lanes.p = a->p;
    a->lanes.scalar = a->scalar;
    for (size_t l = 0; l < a->side; l++) {
        size_t from = a->first + (l < a->n ? l : a->n - 1);
        for (size_t i = 0; i < learner->info.n_params; i++) a->p[i].at[l] = w->params[from][i];
        for (size_t i = 0; learner->scalars && learner->scalars[i]; i++)
            a->scalar[i].at[l] = learner->first_scalars ? learner->first_scalars[i] : 0;
    }
    a->model = sl_model_empty(learner, &a->rule, w->params[a->first], &w->settings, err);
    if (a->model) a->model->state.part = a;
    return a->model != NULL;
}

static bool side_by_side(const sluice_sweep *w) {
    bool small = w->learner->info.bytes_per_feature <= LARGEST;
    return w->learner->lanes && small && !w->settings.max_features && w->n > 1;
}

/* Sixteen at a time cost least work; eight, where otherwise a thread would have nothing to do. */
static bool make_parts(sluice_sweep *w, sluice_error *err) {
    size_t each = !side_by_side(w) ? 1 : (w->n + SL_SIDE - 1) / SL_SIDE < w->threads ? SL_SIDE / 2 : SL_SIDE;
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
        if (!(a->model = sl_model_empty(w->learner, w->learner, w->params[i], &w->settings, err))) return false;
        a->model->state.threads = 1; /* the parts have them */
    }
    return true;
}

static void learn_part(void *context, size_t i) {
    sluice_sweep *w = context;
    w->status[i] = sluice_model_learn_batch(w->parts[i].model, w->batch, NULL);
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
    sluice_sweep *w = calloc(1, sizeof *w);
    bool fine = w && (w->params = calloc(n, sizeof *w->params)) != NULL;
    if (!fine) sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
    if (fine) {
        w->learner = first->learner;
        w->settings = first->settings;
        w->n = n;
        w->threads = threads ? threads : sl_cores();
    }
    const sluice_learner_info *info = &first->learner->info;
    for (size_t i = 0; fine && i < n; i++)
        fine = sluice_params_read(info->name, info->params, info->n_params, params ? params[i] : NULL,
                                  n_params ? n_params[i] : 0, w->params[i], err) == SLUICE_OK;
    fine = fine && make_parts(w, err);
    /* without a crew the parts go one after the other */
    if (fine && w->threads > 1 && w->n_parts > 1) w->crew = sl_team_new(w->threads, w->n_parts, learn_part, w);
    sluice_model_free(first);
    if (fine) return w;
    sluice_sweep_free(w);
    return NULL;
}

void sluice_sweep_free(sluice_sweep *w) {
    if (!w) return;
    sl_team_free(w->crew);
    for (size_t i = 0; w->parts && i < w->n_parts; i++) {
        sluice_model_free(w->parts[i].model);
        free(w->parts[i].fresh);
    }
    free(w->parts);
    free(w->status);
    free(w->params);
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

sluice_status sluice_sweep_learn_batch(sluice_sweep *w, const sluice_batch *batch) {
    w->batch = batch;
    if (w->crew)
        sl_team_run(w->crew);
    else
        for (size_t i = 0; i < w->n_parts; i++) learn_part(w, i);
    return first_failure(w);
}

sluice_status sluice_sweep_end_run(sluice_sweep *w) {
    for (size_t i = 0; i < w->n_parts; i++) { /* a batch that ends now has all threads */
        sluice_model_set_threads(w->parts[i].model, w->threads);
        w->status[i] = sluice_model_end_run(w->parts[i].model);
        sluice_model_set_threads(w->parts[i].model, 1);
    }
    return first_failure(w);
}
