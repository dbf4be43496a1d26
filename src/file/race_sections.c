/* RACE: what the model of a race knows of its candidates; CAND: the candidates that are alive, each a whole model file
 * cut into pieces (problem_sections.c). */
#include <math.h>
#include <string.h>

#include "file/loader.h"
#include "file/saver.h"
#include "learner/param.h"
#include "model/classes/many.h"
#include "model/race/race.h"

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static void put_text(sl_saver *s, const char *text) {
    sl_save_varint(s, strlen(text));
    sl_save_text(s, text, strlen(text));
}

static void put_scaling(sl_saver *s, const sluice_settings *settings) {
    sl_save_f64(s, settings->bias);
    sl_save_varint(s, settings->normalize);
    sl_save_varint(s, settings->scale);
    sl_save_varint(s, settings->transform);
}

static void put_candidate(sl_saver *s, const sl_candidate *c) {
    const sluice_learner_info *info = &c->learner->info;
    put_text(s, info->name);
    sl_save_varint(s, info->n_params);
    for (size_t i = 0; i < info->n_params; i++) {
        char text[128];
        sl_param_write(text, &info->params[i], c->params[i]);
        put_text(s, text);
    }
    put_scaling(s, &c->settings);
    sl_save_varint(s, c->model != NULL);
    sl_save_varint(s, c->began);
    sl_save_varint(s, c->dropped);
    sl_save_varint(s, c->led);
    sl_save_varint(s, c->nonzeros);
    sl_save_int(s, c->wrong, 8);
    sl_save_f64(s, c->error);
    sl_save_f64(s, c->missed);
}

static void put_fading(sl_saver *s, const sl_race *race) {
    const sl_fading *f = &race->fading;
    const double shares[] = {f->positives, f->squares, f->recent, f->usual};
    for (size_t i = 0; i < SL_COUNT(shares); i++) sl_save_f64(s, shares[i]);
    for (size_t i = 0; i < race->n; i++)
        for (size_t k = 0; k < i; k++) sl_save_f64(s, f->apart[i][k]);
}

static void put_event(sl_saver *s, const sluice_race_event *e) {
    sl_save_varint(s, e->examples);
    sl_save_varint(s, e->candidate);
    sl_save_varint(s, e->kind);
    sl_save_varint(s, e->nonzeros);
    sl_save_f64(s, e->error);
}

static uint64_t kept_events(uint64_t events) { return events < SL_RACE_EVENTS ? events : SL_RACE_EVENTS; }

static sluice_status save_race(sl_saver *s, const sl_race *race) {
    sl_save_begin(s, "RACE", 0);
    put_scaling(s, &race->given);
    sl_save_varint(s, race->n);
    for (size_t i = 0; i < race->n; i++) put_candidate(s, &race->candidate[i]);
    sl_save_varint(s, race->leader);
    sl_save_varint(s, race->t);
    sl_save_varint(s, race->restarts);
    sl_save_varint(s, race->began);
    put_fading(s, race);
    sl_save_varint(s, race->rows);
    sl_save_int(s, race->positive, 8);
    for (size_t i = 0; i < race->rows; i++) sl_save_f64(s, (double)race->h[i]);
    sl_save_varint(s, race->events);
    for (size_t i = 0; i < kept_events(race->events); i++) put_event(s, &race->event[i]);
    return sl_save_end(s);
}

sluice_status sl_save_race(sl_saver *s, const sluice_model *m) {
    if (!m->race) return SLUICE_OK;
    sluice_status status = save_race(s, m->race);
    for (size_t i = 0; i < m->race->n && status == SLUICE_OK; i++)
        if (m->race->candidate[i].model) status = sl_save_inner(s, "CAND", m->race->candidate[i].model);
    return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* A number from 0 to `most`; *fine becomes false where there is none. */
static uint64_t get_count(sl_loader *l, uint64_t most, bool *fine) {
    uint64_t value = 0;
    if (!sl_load_varint(l, &value) || value > most) *fine = false;
    return *fine ? value : 0;
}

static uint64_t get_bits(sl_loader *l, bool *fine) {
    if (l->end - l->at < 8) *fine = false;
    if (!*fine) return 0;
    l->at += 8;
    return sl_get_le(l->at - 8, 8);
}

/* A number within a range. */
static double get_number(sl_loader *l, double least, double most, bool *fine) {
    const uint64_t bits = get_bits(l, fine);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!(value >= least && value <= most)) *fine = false;
    return *fine ? value : least;
}

static double get_share(sl_loader *l, bool *fine) { return get_number(l, 0, 1, fine); }

/* Text of at most 127 bytes. */
static void get_text(sl_loader *l, char text[128], bool *fine) {
    size_t n = 0;
    const char *from = *fine ? sl_load_counted(l, &n) : NULL;
    if (!from || n > 127 || memchr(from, 0, n)) *fine = false;
    text[0] = 0;
    if (!*fine) return;
    memcpy(text, from, n);
    text[n] = 0;
}

static void get_scaling(sl_loader *l, sluice_settings *settings, bool *fine) {
    sluice_error why;
    *settings = (sluice_settings){.size = sizeof *settings};
    settings->bias = get_number(l, -1e300, 1e300, fine);
    settings->normalize = (unsigned)get_count(l, UINT32_MAX, fine);
    settings->scale = (unsigned)get_count(l, UINT32_MAX, fine);
    settings->transform = (unsigned)get_count(l, UINT32_MAX, fine);
    if (*fine && sl_settings_check(settings, &why) != SLUICE_OK) *fine = false;
    settings->classes = l->model->settings.classes;
}

static void get_candidate(sl_loader *l, sl_candidate *c, bool *fine) {
    char name[128], text[SL_MAX_PARAMS][128];
    const char *params[SL_MAX_PARAMS];
    sluice_error why;
    get_text(l, name, fine);
    const size_t n = (size_t)get_count(l, SL_MAX_PARAMS, fine);
    for (size_t i = 0; i < n && *fine; i++) {
        get_text(l, text[i], fine);
        params[i] = text[i];
    }
    c->learner = *fine ? sl_learner_find(name) : NULL;
    if (!c->learner || c->learner == &sl_auto || c->learner->finish) *fine = false;
    if (*fine && sluice_params_read(name, c->learner->info.params, c->learner->info.n_params, params, n, c->params,
                                    &why) != SLUICE_OK)
        *fine = false;
    if (*fine) c->learner = sl_learner_for(c->learner, c->params);
    get_scaling(l, &c->settings, fine);
    c->is_awaited = get_count(l, 1, fine) == 1;
    c->began = get_count(l, SL_MAX_COUNT, fine);
    c->dropped = get_count(l, SL_MAX_COUNT, fine);
    c->led = get_count(l, SL_MAX_COUNT, fine);
    c->nonzeros = get_count(l, SL_MAX_COUNT, fine);
    c->wrong = get_bits(l, fine);
    c->error = get_share(l, fine);
    c->missed = get_share(l, fine);
}

static void get_fading(sl_loader *l, sl_race *race, bool *fine) {
    sl_fading *f = &race->fading;
    double *const shares[] = {&f->positives, &f->squares, &f->recent, &f->usual};
    for (size_t i = 0; i < SL_COUNT(shares); i++) *shares[i] = get_share(l, fine);
    for (size_t i = 0; i < race->n; i++)
        for (size_t k = 0; k < i; k++) f->apart[i][k] = get_share(l, fine);
}

static void get_event(sl_loader *l, const sl_race *race, sluice_race_event *e, bool *fine) {
    e->examples = get_count(l, race->t, fine);
    e->candidate = (uint32_t)get_count(l, race->n - 1, fine);
    e->kind = (uint32_t)get_count(l, SLUICE_RACE_RESTARTED, fine);
    e->nonzeros = get_count(l, SL_MAX_COUNT, fine);
    e->error = get_share(l, fine);
    if (e->kind == 0) *fine = false;
}

sluice_status sl_load_race(sl_loader *l) {
    sluice_model *m = l->model;
    sl_race *race = m->race;
    bool fine = race && !l->any_race;
    if (!fine) return DAMAGED(l, "there is a race too many");
    l->any_race = true;
    sl_race_empty(race);
    get_scaling(l, &race->given, &fine);
    const size_t n = (size_t)get_count(l, SL_MAX_CANDIDATES, &fine);
    for (size_t i = 0; i < n && fine; i++) get_candidate(l, &race->candidate[i], &fine);
    race->n = race->end = n;
    race->leader = n ? (size_t)get_count(l, n - 1, &fine) : 0;
    race->t = get_count(l, m->state.t, &fine);
    race->restarts = get_count(l, SL_MAX_COUNT, &fine);
    race->began = get_count(l, race->t, &fine);
    get_fading(l, race, &fine);
    race->rows = (size_t)get_count(l, sl_race_block_rows(race->t - race->began - (race->t > race->began)) - 1, &fine);
    if (race->rows > race->t - race->began) fine = false;
    race->positive = get_bits(l, &fine);
    for (size_t i = 0; i < race->rows && fine; i++) race->h[i] = (float)get_number(l, 1e-300, 3.4e38, &fine);
    race->events = get_count(l, SL_MAX_COUNT, &fine);
    for (size_t i = 0; n && i < kept_events(race->events) && fine; i++) get_event(l, race, &race->event[i], &fine);
    if (!fine || n == 0 || l->at != l->end) return DAMAGED(l, "RACE is impossible");
    return SLUICE_OK;
}

/* The next candidate that is alive. */
static sl_candidate *awaited(sl_race *race) {
    for (size_t i = 0; i < race->n; i++)
        if (race->candidate[i].is_awaited) return &race->candidate[i];
    return NULL;
}

static bool fits(const sluice_model *m, const sl_candidate *c, const sluice_model *model) {
    const sluice_settings *is = &model->settings, *has = &c->settings;
    for (size_t i = 0; i < c->learner->info.n_params; i++)
        if (model->learner == c->learner && model->params[i] != c->params[i]) return false;
    return model->learner == c->learner && !sl_model_is_predict_only(model) && model->state.t <= m->state.t &&
           is->bias == has->bias && is->normalize == has->normalize && is->scale == has->scale &&
           is->transform == has->transform && is->classes == has->classes && !is->hash_bits && !is->max_features &&
           !is->positive && !model->features.named && model->metadata.n == 0 &&
           (is->classes ? model->classes.table.n <= m->classes.table.n : model->classes.table.n == 0);
}

sluice_status sl_load_candidate(sl_loader *l) {
    sl_race *race = l->model->race;
    sl_candidate *c = race ? awaited(race) : NULL;
    if (!c || !sl_is_piece(l)) return DAMAGED(l, "there is a candidate too many");
    sluice_model *model;
    const sluice_status status = sl_load_piece(l, true, &model);
    if (status != SLUICE_OK || !model) return status;
    if (!fits(l->model, c, model)) {
        sluice_model_free(model);
        return DAMAGED(l, "a candidate is not one of its race");
    }
    c->model = model;
    c->is_awaited = false;
    return SLUICE_OK;
}

sluice_status sl_load_finish_race(sl_loader *l) {
    const sl_race *race = l->model->race;
    if (!race) return SLUICE_OK;
    if (!l->any_race || awaited(l->model->race) || !race->candidate[race->leader].model)
        return DAMAGED(l, "candidates are missing");
    for (size_t i = 0; i < race->n; i++) {
        const sluice_model *c = race->candidate[i].model;
        if (c && sl_model_is_of_many(c) && c->classes.table.n != l->model->classes.table.n)
            return DAMAGED(l, "a candidate has other classes than its race");
    }
    sl_race_show_leader(l->model);
    l->model->race->predicted = SL_NO_CLASS;
    if (sl_model_is_of_many(l->model)) l->model->race->classes = sl_classes_met(l->model);
    return SLUICE_OK;
}
