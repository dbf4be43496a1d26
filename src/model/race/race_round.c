/* A round of a race: every candidate learns the row. */
#include <stdlib.h>

#include "model/classes/many.h"
#include "model/classes/problems.h"
#include "model/race/race.h"
#include "model/row_layout.h"
#include "model/scaling/row_values.h"

/* Whether two candidates have the same row: the same settings, none of which depends on what was learned but numbers of
 * rows, which both have counted since they began, and the same places for the same features. */
static bool share_rows(const sl_candidate *a, const sl_candidate *b) {
    const sluice_settings *s = &a->model->settings, *o = &b->model->settings;
    const sl_space *x = &a->model->features.space, *y = &b->model->features.space;
    return a->began == b->began && s->scale == o->scale &&
           (s->scale == SLUICE_SCALE_NONE || s->scale == SLUICE_SCALE_IDF) && s->normalize == o->normalize &&
           s->transform == o->transform && x->direct == y->direct && (x->bias_rank == y->bias_rank || !y->bias_rank);
}

/* Adds the features of a row that is laid out for another candidate, if their numbers are their slots in both. */
static bool admit(sluice_model *m, const uint32_t *number, size_t n, bool *are_slots) {
    sl_space *sp = &m->features.space;
    for (size_t k = 0; k < n; k++) {
        *are_slots &= number[k] < sp->direct;
        if (!sl_space_add(sp, number[k])) return false;
    }
    return sl_space_add_bias(sp);
}

/* Lays the row out for a candidate, or takes the row of one before it. */
static bool lay_out(sl_race *race, sl_candidate *c, const sl_raw_row *r) {
    bool are_slots = true;
    for (const sl_candidate *o = race->candidate; o < c; o++) {
        if (!o->model || o->row.slot != o->model->row_slot || !share_rows(o, c)) continue;
        if (!admit(c->model, r->numbers, r->n, &are_slots)) return false;
        if (!are_slots || !share_rows(o, c)) break; /* its features have moved */
        c->row = o->row;
        c->model->state.seen = c->model->features.space.seen;
        return true;
    }
    return sl_row_lay_out(c->model, r, 0, &c->row) == SLUICE_OK;
}

/* The row is not learned: the scales of the candidates that have it are what they were. */
static bool undo(sl_race *race, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (race->candidate[i].model) sl_scales_undo(race->candidate[i].model);
    return false;
}

static bool prepare(sl_state *s, const sl_row *x) {
    sl_race *race = s->race;
    if (race->room < x->n) {
        uint32_t *number = realloc(race->number, 2 * x->n * sizeof *number);
        if (!number) return false;
        race->number = number;
        race->room = 2 * x->n;
    }
    const sl_space *sp = &race->candidate[race->leader].model->features.space; /* nearly all numbers are its slots */
    for (size_t k = 0; k < x->n; k++) {
        race->number[k] = sl_race_number(s->features, x->slot[k]);
        __builtin_prefetch(sp->features + (size_t)race->number[k] * sp->size, 1);
    }
    const sl_raw_row r = {.numbers = race->number, .value = x->value, .n = x->n};
    for (size_t i = 0; i < race->end; i++) {
        sl_candidate *c = &race->candidate[i];
        const bool refuses = c->learner->only_weights_0_1 && x->h != 1;
        if (c->model && (refuses || sl_race_is_too_dense(c, s->seen))) sl_race_drop(race, i);
        if (!c->model) continue;
        if (!lay_out(race, c, &r)) return undo(race, i);
        c->row.y = x->y;
        c->row.h = x->h;
        c->model->state.features = c->model->features.space.features;
        if (!c->model->matrix && sl_model_prepare_row(c->model, &c->row) != SLUICE_OK) return undo(race, i + 1);
    }
    return true;
}

static void prefetch_row(const sl_candidate *c) {
    const sl_space *sp = &c->model->features.space;
    for (size_t k = 0; k < c->row.n; k++) __builtin_prefetch(sl_space_at(sp, c->row.slot[k]), 1);
}

static bool is_wrong(const sl_candidate *c) {
    if (sl_model_is_of_many(c->model)) return sl_many_predicted(c->model) != (size_t)c->row.y;
    return (c->margin > 0) != (c->row.y > 0);
}

static sluice_status learn(sl_candidate *c, const sl_raw_row *r) {
    sluice_model *m = c->model;
    if (!sl_model_is_of_many(m)) return sl_model_round(m, &c->row, &c->margin);
    const sluice_status status = m->problems ? sl_problems_learn(m, r, c->row.y, c->row.h) : SLUICE_OK;
    if (status != SLUICE_OK) return status;
    if (!m->pseudo.now) sl_classes_count_y(m, c->row.y);
    return sl_model_round(m, &c->row, &c->margin);
}

/* The candidates learn; the margin is that of the leader. One that leaves the range of numbers is dropped: a row that
 * no candidate can learn has no margin. */
static double score(sl_state *s, const sl_row *x) {
    sl_race *race = s->race;
    const sl_raw_row r = {.numbers = race->number, .value = x->value, .n = x->n};
    bool failed[SL_MAX_CANDIDATES] = {false};
    for (size_t i = 0; i < race->end; i++) {
        sl_candidate *c = &race->candidate[i];
        if (!c->model) continue;
        for (size_t next = i + 1; next < race->end; next++)
            if (race->candidate[next].model) {
                prefetch_row(&race->candidate[next]);
                break;
            }
        const uint64_t updates = c->model->updates;
        const sluice_status status = learn(c, &r);
        c->updated = c->model->updates > updates;
        c->was_wrong = is_wrong(c);
        race->is_short_of_memory |= status == SLUICE_E_MEMORY;
        failed[i] = status != SLUICE_OK;
    }
    for (size_t i = 0; i < race->end; i++) /* not before: others may share its row */
        if (failed[i]) sl_race_drop(race, i);
    const sl_candidate *leader = &race->candidate[race->leader];
    if (sl_model_is_of_many(leader->model)) race->predicted = sl_many_predicted(leader->model);
    return leader->model->broken ? NAN : leader->margin;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)x;
    (void)m;
    return s->race->candidate[s->race->leader].updated;
}

/* The weights of the leader. */
static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sluice_model *m = s->race->candidate[s->race->leader].model;
    sl_state of = m->state;
    of.features = m->features.space.features;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = sl_race_slot(s->features, m, slot[i]);
        w[i] = 0;
        if (at != SL_NO_SLOT && !sl_model_is_of_many(m)) m->kernels.weights(&of, &at, 1, &w[i]);
    }
}

bool sl_race_begin_round(sluice_model *m) {
    sl_space *sp = &m->features.space;
    sl_race *race = m->race;
    for (size_t i = 0; i < race->n && race->pseudo != m->pseudo.now; i++)
        if (race->candidate[i].model) race->candidate[i].model->pseudo.now = m->pseudo.now;
    race->pseudo = m->pseudo.now;
    if (sp->bias_rank) return true;
    if (!sl_space_add_bias(sp)) return false;
    ((uint32_t *)(void *)sp->features)[sl_space_bias(sp)] = SL_BIAS_NUMBER;
    m->state.seen++;
    return true;
}

bool sl_race_end_round(sluice_model *m, const sl_row *x) {
    sl_race *race = m->race;
    bool fine = !race->is_short_of_memory;
    if (!m->pseudo.now) sl_race_note(race, m->params, sl_model_is_of_many(m) ? -1 : x->y, x->h);
    if (race->rows == 0 && sl_race_has_changed(race)) fine &= sl_race_restart(m);
    if (race->shown_leader != race->leader) sl_race_show_leader(m);
    return fine;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* What the race's model knows of a feature. */
typedef struct feature {
    uint32_t number; /* in the order in which they came, from 1; of the bias SL_BIAS_NUMBER */
} feature;

static const sl_field fields[] = {SL_FIELD(number, SL_U32)};

static const sluice_param_info params[] = {
    {"candidates", "how many configurations are raced at most", SL_MAX_CANDIDATES, 1, SL_MAX_CANDIDATES, 1, NULL},
    {"sparse_bias", "a sparser one is preferred if its error is at most this many standard errors above the least", 1,
     0, 1e3, 0, NULL},
    {"sparsity", "share of the weights that must be 0: of those that reach it the best is taken; 0 is no target", 0, 0,
     0.9999999, 0, NULL},
};

const sl_learner sl_auto = {
    .info.name = "auto",
    .info.summary = "races learners, scalings and strengths, and takes the best",
    .info.paper = "none: a race of learners, docs/auto.md",
    .info.flags = SLUICE_LEARNER_MATRIX | SLUICE_LEARNER_TUNES,
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"candidates=6", "sparse_bias=0.5"},
    .prepare = prepare,
    .kernels = {.score = score, .update = update, .weights = weights},
};
