/* What a race answers: with the weights of its leader, and about itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/race/race.h"
#include "model/row_layout.h"

/* A number that no candidate knows. */
#define UNKNOWN_NUMBER (UINT32_MAX - 1)

static uint32_t number_of(const sluice_model *m, const sl_raw_row *r, size_t k) {
    const sl_space *sp = &m->features.space;
    const uint32_t slot = sl_row_slot(m, r, k);
    const uint32_t number = slot == SL_NO_SLOT ? 0 : sl_race_number(sp->features, slot);
    return number ? number : UNKNOWN_NUMBER;
}

bool sl_race_row_make(sl_race_row *to, const sluice_model *m, const sl_raw_row *r) {
    to->many = r->n > SL_COUNT(to->few) ? malloc(r->n * sizeof *to->many) : NULL;
    uint32_t *number = to->many ? to->many : to->few;
    if (!to->many && r->n > SL_COUNT(to->few)) return false;
    for (size_t k = 0; k < r->n; k++) number[k] = number_of(m, r, k);
    to->row = (sl_raw_row){.numbers = number, .value = r->value, .n = r->n};
    return true;
}

void sl_race_row_free(sl_race_row *row) { free(row->many); }

uint32_t sl_race_slot(const void *features, const sluice_model *leader, uint32_t slot) {
    const sl_space *sp = &leader->features.space;
    const uint32_t number = sl_race_number(features, slot);
    return number == SL_BIAS_NUMBER ? sl_space_bias(sp) : number ? sl_space_find(sp, number) : SL_NO_SLOT;
}

size_t sluice_model_candidates(const sluice_model *m) { return m->race ? m->race->n : 0; }

sluice_status sluice_model_candidate(const sluice_model *m, size_t i, sluice_candidate *candidate) {
    if (sl_sized_check(candidate, "sluice_candidate", NULL) != SLUICE_OK) return SLUICE_E_USAGE;
    if (i >= sluice_model_candidates(m)) return SLUICE_E_USAGE;
    const sl_race *race = m->race;
    const sl_candidate *c = &race->candidate[i];
    sluice_candidate found = {
        .size = sizeof found,
        .learner = &c->learner->info,
        .bias = c->settings.bias,
        .normalize = c->settings.normalize,
        .scale = c->settings.scale,
        .transform = c->settings.transform,
        .is_leader = i == race->leader,
        .is_alive = c->model != NULL,
        .began = c->began,
        .dropped = c->dropped,
        .led = c->led,
        .error = c->error,
        .nonzeros = c->nonzeros,
    };
    _Static_assert(sizeof found.params == sizeof c->params, "room for the parameters of any learner");
    memcpy(found.params, c->params, sizeof c->params);
    if (c->model) sl_race_compare(race, i, &found.above_least, &found.standard_error);
    sl_sized_write(candidate, &found, sizeof found);
    return SLUICE_OK;
}

uint64_t sluice_model_race_restarts(const sluice_model *m) { return m->race ? m->race->restarts : 0; }

const sluice_race_event *sluice_model_race_event(const sluice_model *m, size_t i) {
    if (!m->race) return NULL;
    const sl_race *race = m->race;
    const size_t half = SL_RACE_EVENTS / 2;
    if (i >= race->events || i >= SL_RACE_EVENTS) return NULL;
    if (race->events <= SL_RACE_EVENTS || i < half) return &race->event[i];
    return &race->event[half + (race->events - half + (i - half)) % half]; /* the oldest of the others first */
}
