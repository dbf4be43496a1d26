/* Several classes, one against the rest, in the lanes of one model. */
#include "model/classes/ovr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/row_layout.h"
#include "model/scaling/row_values.h"

/* ---- the rule of the model: to the core one learner, whose features are larger --------------------------------------
 */

static double score(sl_state *s, const sl_row *x) {
    sl_ovr *o = s->ovr;
    sl_lane_blocks_score(&o->lanes, s->features, s->t, x);
    double sum = 0;
    o->predicted = SL_NO_CLASS;
    for (size_t l = 0; l < o->lanes.n_lanes; l++) {
        const double m = sl_lane_margin(&o->lanes, l);
        if (!isfinite(m)) return NAN;
        if (l < o->classes && (l == 0 || m > sum)) sum = m, o->predicted = l;
    }
    return sum;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)m;
    sl_ovr *o = s->ovr;
    sl_lane_blocks_update(&o->lanes, x, (size_t)x->y);
    for (size_t l = 0; l < o->lanes.n_lanes; l++)
        if (sl_lane_updated(&o->lanes, l)) return true;
    return false;
}

/* The largest weight, by absolute value, of each feature; what is not finite stays so. */
static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_lane_blocks *b = &s->ovr->lanes;
    float all[SL_MOST_OVR_LANES];
    for (size_t i = 0; i < n; i++) {
        sl_lane_blocks_weights(b, s->features, s->t, slot[i], all);
        w[i] = 0;
        for (size_t l = 0; l < b->n_lanes && isfinite(w[i]); l++)
            if (!(fabsf(all[l]) <= w[i])) w[i] = fabsf(all[l]);
    }
}

static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    sl_lane_blocks_settle(&s->ovr->lanes, s->features, s->t, slot, n);
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    sl_lane_blocks_rescale(&s->ovr->lanes, s->features, s->t, slot, by);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool make_lanes(sl_ovr *o, const sl_learner *learner, const double *params, size_t n) {
    if (!sl_lane_blocks_make(&o->lanes, learner, params, n)) return false;
    o->count = calloc(o->lanes.n_lanes, sizeof *o->count);
    o->rule = *learner;
    o->rule.info.bytes_per_feature = o->lanes.size;
    o->rule.fresh = o->lanes.fresh;
    o->rule.sets = NULL;
    o->rule.n_fields = 0; /* files have its lanes as models of their own */
    o->rule.scalars = NULL;
    o->rule.first_scalars = NULL;
    o->rule.kernels = (sl_kernels){.score = score,
                                   .update = update,
                                   .weights = weights,
                                   .rescale = rescale,
                                   .settle = learner->counts_rounds ? settle : NULL};
    return o->count != NULL;
}

void sl_ovr_free(sl_ovr *o) {
    if (!o) return;
    sl_lane_blocks_free(&o->lanes);
    free(o->count);
    free(o);
}

static sluice_model *new_model(const sl_learner *learner, const double *params, const sluice_settings *settings,
                               size_t lanes, sluice_error *err) {
    sl_ovr *o = calloc(1, sizeof *o);
    sluice_model *m = NULL;
    if (!o || !make_lanes(o, learner, params, lanes))
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of several classes");
    else
        m = sl_model_empty(learner, &o->rule, params, settings, err);
    if (!m) return sl_ovr_free(o), NULL;
    m->ovr = m->state.ovr = o;
    return m;
}

sluice_model *sl_ovr_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                         sluice_error *err) {
    return new_model(learner, params, settings, 8, err);
}

sluice_model *sl_ovr_like(const sluice_model *from, sluice_error *err) {
    return new_model(from->learner, from->params, &from->settings, from->ovr->lanes.n_lanes, err);
}

/* ---- more lanes ---------------------------------------------------------------------------------------------------
 */

/* Lane l of the old blocks, or the last of them, which stands for all classes to come. */
static size_t lane_before(const sl_ovr *old, size_t l) { return l < old->lanes.n_lanes ? l : old->lanes.n_lanes - 1; }

void sl_ovr_copy(sl_ovr *to, const sl_ovr *from) {
    const sl_learner *learner = from->lanes.learner;
    for (size_t l = 0; l < to->lanes.n_lanes; l++) {
        const size_t before = lane_before(from, l);
        to->count[l] = from->count[before];
        for (size_t i = 0; learner->scalars && learner->scalars[i]; i++)
            *sl_lane_blocks_scalar(&to->lanes, i, l) = *sl_lane_blocks_scalar(&from->lanes, i, before);
    }
    to->classes = from->classes;
    to->predicted = from->predicted;
}

static bool copy_features(const sluice_model *m, const sl_ovr *to, sl_features *features) {
    char *one = malloc(m->learner->info.bytes_per_feature);
    sl_keys_walk k = {0};
    bool fine = one && sl_keys_start(&k, &m->features);
    while (fine && sl_keys_next(&k)) {
        uint32_t slot;
        if (!(fine = sl_keys_add_like(features, &m->features, &k.at, &slot))) break;
        const char *from = sl_space_at(&m->features.space, k.at.slot);
        for (size_t l = 0; l < to->lanes.n_lanes; l++) {
            sl_lane_blocks_gather(&m->ovr->lanes, from, lane_before(m->ovr, l), one);
            sl_lane_blocks_scatter(&to->lanes, one, l, sl_space_at(&features->space, slot));
        }
    }
    sl_keys_end(&k);
    free(one);
    return fine;
}

/* Half as many again, so that growing stays linear. */
static size_t lanes_for(size_t lanes, size_t needed) {
    const size_t more = lanes * 3 / 2 < SLUICE_MAX_OVR_CLASSES ? lanes * 3 / 2 : SLUICE_MAX_OVR_CLASSES + 1;
    return needed > more ? needed : more;
}

sluice_status sl_ovr_reserve(sluice_model *m, size_t classes) {
    const size_t lanes = m->ovr->lanes.n_lanes, needed = classes + 1;
    if (needed <= lanes) return SLUICE_OK;
    sl_ovr *grown = calloc(1, sizeof *grown);
    sluice_model *larger = NULL;
    bool fine = grown && make_lanes(grown, m->learner, m->params, lanes_for(lanes, needed));
    if (fine) larger = sl_model_empty(m->learner, &grown->rule, m->params, &m->settings, &m->error);
    if (larger) larger->ovr = larger->state.ovr = grown;
    fine = larger && copy_features(m, grown, &larger->features);
    if (!fine) {
        larger ? sluice_model_free(larger) : sl_ovr_free(grown);
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for more classes");
    }
    sl_ovr_copy(grown, m->ovr);
    sl_model_copy_counts(larger, m);
    sl_model_copy_history(larger, m);
    /* the larger model gives its features and lanes for the smaller ones */
    const sl_features features = m->features;
    m->features = larger->features, larger->features = features;
    larger->ovr = larger->state.ovr = m->ovr;
    m->ovr = m->state.ovr = grown;
    m->rule = &grown->rule;
    m->features.space.moves = features.space.moves + 1;
    sluice_model_free(larger);
    return SLUICE_OK;
}

/* ---- counting -----------------------------------------------------------------------------------------------------
 */

void sl_ovr_count(sluice_model *m, const sl_row *x) {
    sl_ovr *o = m->ovr;
    const size_t class_index = (size_t)x->y;
    const bool calibrates = sl_online_calibration_due(m->state.t);
    for (size_t l = 0; l < o->lanes.n_lanes; l++) {
        sl_problem_counts *c = &o->count[l];
        const double margin = sl_lane_margin(&o->lanes, l);
        c->mistakes += (margin > 0) != (l == class_index);
        c->updates += sl_lane_updated(&o->lanes, l) && x->n;
        if (calibrates) sl_online_calibration_learn(&c->calibration, margin, l == class_index ? 1 : -1, x->h);
    }
    o->count[class_index].positives++;
}

/* ---- predicting ---------------------------------------------------------------------------------------------------
 */

void sl_ovr_margins(const sluice_model *m, const sl_raw_row *r, double *margins) {
    const sl_ovr *o = m->ovr;
    const sl_space *sp = &m->features.space;
    double scale = 0;
    double all[SL_MOST_OVR_LANES];
    for (size_t l = 0; l < o->lanes.n_lanes; l++) all[l] = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_CHUNK];
        float value[SL_CHUNK];
        const size_t n = sl_row_known(m, r, &k, &scale, slot, value);
        sl_lane_blocks_margins(&o->lanes, sp->features, m->state.t, slot, value, n, all);
    }
    const uint32_t bias = sl_space_bias(sp);
    const float bias_value = (float)m->settings.bias;
    if (bias != SL_NO_SLOT) sl_lane_blocks_margins(&o->lanes, sp->features, m->state.t, &bias, &bias_value, 1, all);
    memcpy(margins, all, m->classes.table.n * sizeof *margins);
}

bool sl_ovr_put_model(sluice_model *m, size_t lane, const sluice_model *from) {
    const sl_ovr *o = m->ovr;
    if (from->features.named != m->features.named || from->features.space.seen != m->features.space.seen ||
        from->features.space.rows != m->features.space.rows)
        return false;
    const char *const *scalars = m->learner->scalars;
    for (size_t i = 0; scalars && scalars[i]; i++) *sl_lane_blocks_scalar(&o->lanes, i, lane) = from->scalars[i];
    o->count[lane] = (sl_problem_counts){from->mistakes, from->updates, from->positives, from->calibration};
    sl_keys_walk k = {0};
    bool fine = sl_keys_start(&k, &from->features);
    while (fine && sl_keys_next(&k)) {
        const uint32_t slot = sl_keys_find_like(&m->features, &from->features, &k.at);
        fine = slot != SL_NO_SLOT &&
               (!m->features.space.scaled ||
                memcmp(&m->features.space.scale[slot], &from->features.space.scale[k.at.slot], sizeof(sl_scale)) == 0);
        if (fine)
            sl_lane_blocks_scatter(&o->lanes, sl_space_at(&from->features.space, k.at.slot), lane,
                                   sl_space_at(&m->features.space, slot));
    }
    sl_keys_end(&k);
    return fine;
}

void sl_ovr_settle(sluice_model *m) {
    sl_ovr *o = m->ovr;
    const size_t from = m->classes.table.n;
    const char *const *scalars = m->learner->scalars;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    char one[SL_MAX_FIELDS * 8 + 64];
    for (size_t l = from + 1; l < o->lanes.n_lanes; l++) {
        o->count[l] = o->count[from];
        for (size_t i = 0; scalars && scalars[i]; i++)
            *sl_lane_blocks_scalar(&o->lanes, i, l) = *sl_lane_blocks_scalar(&o->lanes, i, from);
    }
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            char *feature = sl_space_at(&m->features.space, slot[k]);
            sl_lane_blocks_gather(&o->lanes, feature, from, one);
            for (size_t l = from + 1; l < o->lanes.n_lanes; l++) sl_lane_blocks_scatter(&o->lanes, one, l, feature);
        }
}

sluice_model *sl_ovr_class_model(const sluice_model *m, size_t class_index, sluice_error *err) {
    const sl_ovr *o = m->ovr;
    const size_t lane = class_index == SL_NO_CLASS ? o->lanes.n_lanes - 1 : class_index;
    const sluice_settings settings = sl_binary_settings(m);
    sluice_model *to = sl_model_empty(m->learner, m->learner, m->params, &settings, err);
    if (!to) return NULL;
    sl_model_copy_counts(to, m);
    to->mistakes = o->count[lane].mistakes;
    to->updates = o->count[lane].updates;
    to->positives = o->count[lane].positives;
    to->calibration = o->count[lane].calibration;
    if (sl_model_copy_lane(to, m, &o->lanes, lane)) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for the model of a class");
    return NULL;
}
