/* Races: making, copying and freeing them. */
#include "model/race/race.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"

/* What a candidate does to its rows. Where the caller has said what to do, all candidates do that. */
static sluice_settings settings_of(const sluice_model *m, const sl_configuration *c) {
    const sluice_settings *given = &m->race->given;
    return (sluice_settings){
        .size = sizeof(sluice_settings),
        .bias = given->bias != 0 ? (float)given->bias : (float)SL_RACE_BIAS, /* as models keep it */
        .normalize = given->normalize ? given->normalize : c->normalize,
        .scale = given->scale ? given->scale : c->scale,
        .transform = given->transform ? given->transform : c->transform,
        .classes = m->settings.classes,
    };
}

sluice_model *sl_race_candidate_new(const sluice_model *m, size_t i, sluice_error *err) {
    const sl_candidate *c = &m->race->candidate[i];
    return c->settings.classes == SLUICE_CLASSES_TWO
               ? sl_model_empty(c->learner, c->learner, c->params, &c->settings, err)
               : sl_many_new(c->learner, c->params, &c->settings, err);
}

/* Whether the caller's wishes have made a configuration equal to an earlier one. */
static bool is_repeated(const sl_race *race, const sl_candidate *c) {
    for (const sl_candidate *o = race->candidate; o < c; o++)
        if (o->learner == c->learner && memcmp(o->params, c->params, sizeof c->params) == 0 &&
            o->settings.normalize == c->settings.normalize && o->settings.scale == c->settings.scale &&
            o->settings.transform == c->settings.transform)
            return true;
    return false;
}

/* Fills in what a candidate is. */
static sluice_status configure(const sluice_model *m, const sl_configuration *from, sl_candidate *c,
                               sluice_error *err) {
    const char *params[SL_CONFIGURATION_PARAMS + 1];
    size_t n = 0;
    for (; n < SL_CONFIGURATION_PARAMS && from->params[n]; n++) params[n] = from->params[n];
    c->learner = sl_learner_find(from->learner);
    c->settings = settings_of(m, from);
    if (c->settings.classes == SLUICE_CLASSES_MATRIX && strcmp(from->learner, "ftrl") == 0)
        params[n++] = "loss=hinge"; /* the one that its form for several classes has */
    const sluice_status status = sluice_params_read(from->learner, c->learner->info.params, c->learner->info.n_params,
                                                    params, n, c->params, err);
    c->learner = sl_learner_for(c->learner, c->params);
    return status;
}

sluice_status sl_race_make(sluice_model *m, sluice_error *err) {
    if (m->settings.max_features)
        return sl_fail(err, SLUICE_E_USAGE, "auto takes no limit on its features; name a learner, such as ssol");
    sl_race *race = calloc(1, sizeof *race);
    if (!race) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a race");
    m->race = m->state.race = race;
    race->given = m->settings;
    m->settings.bias = 0; /* the candidates do these */
    m->settings.normalize = m->settings.scale = m->settings.transform = 0;
    m->features.space.scaled = false;
    const size_t most = (size_t)m->params[SL_AUTO_CANDIDATES];
    const bool for_sparsity = m->params[SL_AUTO_SPARSITY] > 0;
    const bool in_matrix = m->settings.classes == SLUICE_CLASSES_MATRIX;
    const sl_configuration *from;
    race->predicted = SL_NO_CLASS;
    for (size_t i = 0; (from = sl_configuration_at(i, for_sparsity)) && race->n < most; i++) {
        sl_candidate *c = &race->candidate[race->n];
        *c = (sl_candidate){0}; /* one that was left out may stand here */
        const sluice_status status = configure(m, from, c, err);
        if (status != SLUICE_OK) return status;
        if (is_repeated(race, c)) continue;
        if (in_matrix && !(c->learner->info.flags & SLUICE_LEARNER_MATRIX)) continue;
        if (!(c->model = sl_race_candidate_new(m, race->n, err))) return SLUICE_E_MEMORY;
        race->n++;
    }
    race->end = race->n;
    sl_race_show_leader(m);
    return SLUICE_OK;
}

void sl_race_empty(sl_race *race) {
    for (size_t i = 0; i < race->n; i++) sluice_model_free(race->candidate[i].model);
    free(race->number);
    *race = (sl_race){0};
}

void sl_race_free(sl_race *race) {
    if (race) sl_race_empty(race);
    free(race);
}

uint64_t sl_race_memory(const sl_race *race) {
    uint64_t bytes = sizeof *race + race->room * sizeof *race->number;
    for (size_t i = 0; i < race->n; i++)
        if (race->candidate[i].model) bytes += sluice_model_memory(race->candidate[i].model);
    return bytes;
}

bool sl_race_copy(sluice_model *to, const sluice_model *from) {
    sl_race *t = to->race;
    const sl_race *f = from->race;
    sl_race_empty(t);
    *t = *f;
    t->number = NULL;
    t->room = 0;
    t->pseudo = false; /* as the copies of its candidates */
    bool fine = true;
    for (size_t i = 0; i < t->n; i++) {
        t->candidate[i].model = fine && f->candidate[i].model ? sluice_model_copy(f->candidate[i].model, NULL) : NULL;
        fine = fine && (t->candidate[i].model || !f->candidate[i].model);
    }
    sl_race_show_leader(to);
    return fine;
}

void sl_race_show_leader(sluice_model *m) {
    sl_race *race = m->race;
    const sluice_model *leader = sl_race_leader(m);
    race->shown = m->settings;
    race->shown_leader = race->leader;
    if (!leader) return; /* a copy that failed */
    race->shown.bias = leader->settings.bias;
    race->shown.normalize = leader->settings.normalize;
    race->shown.scale = leader->settings.scale;
    race->shown.transform = leader->settings.transform;
}
