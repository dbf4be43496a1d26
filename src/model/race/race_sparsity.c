/* With a sparsity to reach: the l1 strength of each candidate follows its number of nonzero weights.
 *
 * The learners of the list keep sums of gradients, and the strength is a threshold that applies when a weight is read.
 * So it may be changed between two rows, and what was learned stays. */
#include <math.h>
#include <string.h>

#include "learner/lane_blocks.h"
#include "model/classes/many.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

#define AIM 0.92     /* share of the nonzeros allowed that is aimed at: more come until the next adjustment */
#define CLOSE 0.94   /* share of what is aimed at that is near enough */
#define LEAST 1e-9   /* strengths */
#define MOST 1e9     /* */
#define EXPONENT 1.3 /* nonzeros fall with about this power of the strength */

enum {
    MOST_TRIES = 12,
    ALL_TIMES = 4,    /* how often all candidates are adjusted until the rows have doubled, */
    LEADER_TIMES = 32 /* and how often the leader, if it has too many nonzeros */
};

/* The place of the parameter that makes a candidate sparse. */
static size_t strength_of(const sl_learner *l) {
    for (size_t i = 0; i < l->info.n_params; i++)
        if (strcmp(l->info.params[i].name, "l1") == 0 || strcmp(l->info.params[i].name, "lambda") == 0) return i;
    return SIZE_MAX;
}

static void set_param(sluice_model *m, size_t place, double value) {
    m->params[place] = value;
    for (size_t lane = 0; m->ovr && lane < m->ovr->lanes.n_lanes; lane++)
        sl_lane_blocks_set_params(&m->ovr->lanes, lane, m->params);
    for (size_t i = 0; m->problems && i < m->problems->n + m->problems->n_to_come; i++)
        set_param(sl_problems_at(m->problems, i), place, value);
}

double sl_race_allowed(const sl_race *race, size_t i, double sparsity) {
    const sluice_model *m = race->candidate[i].model;
    const double vectors = sl_model_is_of_many(m) ? (double)sl_many_problems(m) : 1;
    return (1 - sparsity) * (double)m->features.space.seen * vectors;
}

/* Nonzeros with another strength. */
static double nonzeros_with(sl_candidate *c, size_t place, double strength) {
    set_param(c->model, place, strength);
    return (double)(c->nonzeros = sluice_model_nonzeros(c->model));
}

/* Finds a strength with which a candidate has nearly as many nonzeros as are aimed at, and not more. */
static void adjust(sl_candidate *c, size_t place, double most) {
    double low = 0, high = 0, x = c->model->params[place]; /* too weak; strong enough */
    for (int i = 0; i < MOST_TRIES; i++) {
        const double n = nonzeros_with(c, place, x);
        if (n > most)
            low = x;
        else
            high = x;
        if (n <= most && n >= floor(CLOSE * most)) break;
        const double by = pow(fmax(n, 0.5) / (0.97 * most), 1 / EXPONENT), guess = x * fmin(fmax(by, 0.1), 10);
        const bool inside = guess > low && (high == 0 || guess < high);
        x = inside && i % 3 != 2 ? guess : low > 0 && high > 0 ? sqrt(low * high) : low > 0 ? 2 * low : high / 2;
        if (!(x >= LEAST && x <= MOST) || (low > 0 && high > 0 && high < 1.01 * low)) break;
    }
    if (high > 0 && c->model->params[place] != high) nonzeros_with(c, place, high);
    c->params[place] = c->model->params[place];
}

static void adjust_candidate(sl_race *race, size_t i, double sparsity) {
    sl_candidate *c = &race->candidate[i];
    const size_t place = strength_of(c->learner);
    if (place != SIZE_MAX) adjust(c, place, fmax(1, floor(AIM * sl_race_allowed(race, i, sparsity))));
}

/* Whether the rows are a multiple of the n-th part of the power of two that they have reached, so that this is true n
 * times until they have doubled. (Decisions are made every 16 rows, then every 64.) */
static bool is_part(uint64_t rows, uint64_t n) {
    uint64_t step = 1;
    while (2 * n * step <= rows) step *= 2;
    return rows % (rows < 256 || step > SL_RACE_ROWS ? step : SL_RACE_ROWS) == 0;
}

void sl_race_adjust(sl_race *race, uint64_t rows, double sparsity) {
    const bool all = is_part(rows, ALL_TIMES);
    for (size_t i = 0; all && i < race->n; i++)
        if (race->candidate[i].model) adjust_candidate(race, i, sparsity);
    if (!all && is_part(rows, LEADER_TIMES)) sl_race_adjust_leader(race, sparsity);
}

/* Only if it has too many nonzeros. */
void sl_race_adjust_leader(sl_race *race, double sparsity) {
    sl_candidate *c = &race->candidate[race->leader];
    c->nonzeros = sluice_model_nonzeros(c->model);
    if ((double)c->nonzeros > AIM * sl_race_allowed(race, race->leader, sparsity))
        adjust_candidate(race, race->leader, sparsity);
}

void sl_race_drop_twins(sl_race *race) {
    for (size_t i = 1; i < race->n; i++)
        for (size_t k = 0; k < i && race->candidate[i].model; k++)
            if (race->candidate[k].model && race->fading.apart[i][k] == 0 &&
                race->candidate[i].learner == race->candidate[k].learner)
                sl_race_drop(race, i == race->leader ? k : i);
}
