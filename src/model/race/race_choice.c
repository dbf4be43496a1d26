/* Which candidate leads a race, which ones are dropped, and when the race begins again.
 *
 * Errors fade: the weight of a row falls with the rows that came after it, first in proportion to the length of the
 * stream (early mistakes do not count for long), later within FADE_ROWS rows (so that the race follows a stream that
 * changes). Candidates are compared in pairs: the standard error of the difference of two error rates comes from the
 * rows that exactly one of the two predicted wrong. */
#include <math.h>
#include <string.h>

#include "model/race/race.h"

#define FADE_SHARE 0.2  /* errors fade within this share of the rows, */
#define FADE_ROWS 4096. /* but within this number at most */
#define HOPELESS 4.     /* standard errors above the best: dropped */
#define SHORT_ROWS 256. /* within which the leader's recent errors fade, */
#define LONG_ROWS 4096. /* and its usual ones */
#define LEAST_H 1e-30   /* importances are taken for at least this, and for at most its reciprocal */
#define RARE 0.005      /* an error rate that is not told from 0: a few errors are no change of the stream */
#define CHANGED 5.      /* standard deviations of the recent error above the usual one: the stream has changed */

enum {
    FIRST_DROP = 256,    /* rows before which no candidate is dropped */
    RESTART_ROWS = 8192, /* between two beginnings of the race, at least; */
    MOST_DOUBLINGS = 2,  /* doubled with each of the first ones */
};

/* How many candidates there may be after this number of rows: the cost of a race falls to that of a few models. */
static size_t most_candidates(uint64_t rows, bool for_sparsity) {
    typedef struct step {
        uint64_t below;
        size_t most;
    } step;
    static const step sparse[] = {{1024, SL_MAX_CANDIDATES}, {4096, 8}, {16384, 5}, {262144, 3}, {UINT64_MAX, 2}},
                      usual[] = {
                          {1024, SL_MAX_CANDIDATES}, {2048, 10}, {4096, 6}, {8192, 4}, {32768, 2}, {UINT64_MAX, 1}};
    const step *at = for_sparsity ? sparse : usual;
    while (rows >= at->below) at++;
    return at->most;
}

size_t sl_race_block_rows(uint64_t rows) { return rows < 256 ? 16 : SL_RACE_ROWS; }

static bool is_alive(const sl_race *race, size_t i) { return race->candidate[i].model != NULL; }

static void add_event(sl_race *race, size_t candidate, unsigned kind) {
    const uint64_t i = race->events++, half = SL_RACE_EVENTS / 2;
    sluice_race_event *e = &race->event[i < SL_RACE_EVENTS ? i : half + (i - half) % half];
    *e = (sluice_race_event){.candidate = (uint32_t)candidate,
                             .kind = kind,
                             .examples = race->t,
                             .error = race->candidate[candidate].error,
                             .nonzeros = race->candidate[candidate].nonzeros};
}

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* Sum of the importances of rows given as bits. */
static double sum_rows(const sl_race *race, uint64_t bits) {
    double sum = 0;
    for (; bits; bits &= bits - 1) sum += (double)race->h[__builtin_ctzll(bits)];
    return sum;
}

static double fade(double share, double keep, double of_block) { return keep * share + (1 - keep) * of_block; }

/* Adds the rows since the last decision to the shares. */
static void add_block(sl_race *race) {
    sl_fading *f = &race->fading;
    const double rows = (double)race->rows, done = (double)(race->t - race->began);
    const double window = fmin(FADE_SHARE * done, FADE_ROWS), keep = window > rows ? 1 - rows / window : 0;
    const double all = sum_rows(race, race->rows == 64 ? ~(uint64_t)0 : ((uint64_t)1 << race->rows) - 1);
    for (size_t i = 0; i < race->n; i++) {
        sl_candidate *c = &race->candidate[i];
        if (!c->model) continue;
        c->error = fade(c->error, keep, sum_rows(race, c->wrong) / all);
        c->missed = fade(c->missed, keep, sum_rows(race, c->wrong & race->positive) / all);
        for (size_t k = 0; k < i; k++)
            if (is_alive(race, k)) {
                double *apart = &f->apart[i][k];
                *apart = fade(*apart, keep, sum_rows(race, c->wrong ^ race->candidate[k].wrong) / all);
            }
    }
    f->positives = fade(f->positives, keep, sum_rows(race, race->positive) / all);
    f->squares = keep * keep * f->squares + (1 - keep) * (1 - keep) / rows;
    const double error = sum_rows(race, race->candidate[race->leader].wrong) / all;
    const double slow = fmax(rows / LONG_ROWS, fmin(1, rows / done));
    f->recent = fade(f->recent, 1 - rows / SHORT_ROWS, error);
    f->usual = fade(f->usual, 1 - slow, error);
    for (size_t i = 0; i < race->n; i++) race->candidate[i].wrong = 0;
    race->positive = 0;
    race->rows = 0;
}

static double apart_of(const sl_race *race, size_t i, size_t k) {
    return i > k ? race->fading.apart[i][k] : i < k ? race->fading.apart[k][i] : 0;
}

/* The standard error of the difference of two error rates. */
static double standard_error(const sl_race *race, size_t i, size_t k) {
    const double difference = race->candidate[i].error - race->candidate[k].error;
    return sqrt(fmax(0, apart_of(race, i, k) - difference * difference) * race->fading.squares);
}

/* The mean of the error rates of positive and negative rows. */
static double balanced_error(const sl_race *race, size_t i) {
    const double p = race->fading.positives, missed = race->candidate[i].missed;
    if (!(p > 0 && p < 1)) return race->candidate[i].error;
    return 0.5 * missed / p + 0.5 * fmax(0, race->candidate[i].error - missed) / (1 - p);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static size_t least_error(const sl_race *race) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < race->n; i++)
        if (is_alive(race, i) && (best == SIZE_MAX || race->candidate[i].error < race->candidate[best].error)) best = i;
    return best;
}

/* Whether a candidate is hardly worse than the best one: by its error and, where classes are unlike in size, by the
 * mean of the errors of both, so that a model which finds none of a rare class is not taken for a sparse one. */
static bool is_close(const sl_race *race, size_t i, size_t best, double standard_errors) {
    const double tolerance = standard_errors * standard_error(race, i, best);
    if (race->candidate[i].error - race->candidate[best].error > tolerance) return false;
    const double p = race->fading.positives, e = balanced_error(race, best);
    if (!(p > 0 && p < 1)) return true;
    const double variance = e * (1 - e) * race->fading.squares * (0.25 / p + 0.25 / (1 - p));
    return balanced_error(race, i) - e <= standard_errors * sqrt(fmax(0, variance));
}

/* Whether to take candidate i rather than k, both being close to the best. */
static bool is_better(const sl_race *race, size_t i, size_t k) {
    const sl_candidate *a = &race->candidate[i], *b = &race->candidate[k];
    return a->nonzeros != b->nonzeros ? a->nonzeros < b->nonzeros : a->error < b->error;
}

/* With a sparsity to reach: those that have reached it or, if none has, the sparsest one. */
static bool reaches(const sl_race *race, size_t i, double sparsity) {
    return (double)race->candidate[i].nonzeros <= sl_race_allowed(race, i, sparsity);
}

static size_t choose_sparse(const sl_race *race, double sparsity) {
    size_t best = SIZE_MAX;
    bool any = false;
    for (size_t i = 0; i < race->n; i++) {
        if (!is_alive(race, i)) continue;
        const bool has = reaches(race, i, sparsity);
        if (best == SIZE_MAX || has > any ||
            (has == any && (has ? race->candidate[i].error < race->candidate[best].error
                                : race->candidate[i].nonzeros < race->candidate[best].nonzeros)))
            best = i;
        any |= has;
    }
    return best;
}

/* The leader stays unless another one is clearly sparser. */
static size_t choose(const sl_race *race, const double *params) {
    if (params[SL_AUTO_SPARSITY] > 0) return choose_sparse(race, params[SL_AUTO_SPARSITY]);
    const double k = params[SL_AUTO_SPARSE_BIAS];
    const size_t best = least_error(race);
    size_t chosen = best;
    for (size_t i = 0; i < race->n; i++)
        if (is_alive(race, i) && is_close(race, i, best, k) && is_better(race, i, chosen)) chosen = i;
    const size_t leader = race->leader;
    if (!is_alive(race, leader) || !is_close(race, leader, best, k)) return chosen;
    return (double)race->candidate[chosen].nonzeros < 0.8 * (double)race->candidate[leader].nonzeros ? chosen : leader;
}

/* A pass over all features, so it is done when the rows have become half as many again. */
static void count_nonzeros(sl_race *race) {
    size_t alive = 0;
    for (size_t i = 0; i < race->n; i++) alive += is_alive(race, i);
    if (alive < 2) return; /* there is nothing to choose from */
    for (size_t i = 0; i < race->n; i++)
        if (is_alive(race, i)) race->candidate[i].nonzeros = sluice_model_nonzeros(race->candidate[i].model);
}

static bool is_time_to_count(uint64_t rows) {
    if (rows >= 1 << 20) return rows % (1 << 19) == 0;
    return (rows & (rows - 1)) == 0 || (rows % 3 == 0 && ((rows / 3) & (rows / 3 - 1)) == 0);
}

void sl_race_drop(sl_race *race, size_t i) {
    sluice_model *dropped = race->candidate[i].model;
    race->candidate[i].model = NULL;
    race->candidate[i].dropped = race->t;
    if (i == race->leader) {
        const size_t best = least_error(race);
        if (best == SIZE_MAX) { /* the race ends */
            race->candidate[i].model = dropped;
            return;
        }
        race->leader = best;
        add_event(race, best, SLUICE_RACE_LEADS);
    }
    while (!is_alive(race, race->end - 1)) race->end--; /* one is left: the leader */
    add_event(race, i, SLUICE_RACE_DROPPED);
    sluice_model_free(dropped);
}

/* Whether another candidate has neither more errors nor more nonzeros. */
static bool is_dominated(const sl_race *race, size_t i) {
    const sl_candidate *c = &race->candidate[i];
    for (size_t k = 0; k < race->n; k++) {
        const sl_candidate *o = &race->candidate[k];
        if (k != i && o->model && o->error <= c->error && o->nonzeros <= c->nonzeros) return true;
    }
    return false;
}

/* Whether all others have a matrix, for which features may become too many: then this one must go on. */
static bool is_last_without_matrix(const sl_race *race, size_t i) {
    if (race->candidate[i].learner->info.flags & SLUICE_LEARNER_DENSE) return false;
    for (size_t k = 0; k < race->n; k++)
        if (k != i && is_alive(race, k) && !(race->candidate[k].learner->info.flags & SLUICE_LEARNER_DENSE))
            return false;
    return true;
}

/* Which one to drop when there are too many: of those that are dominated, or of all, the one of most errors. SIZE_MAX:
 * there are only the leader and the best, which both stay unless the leader is to be alone. */
static size_t least_promising(const sl_race *race, size_t best, bool for_sparsity) {
    size_t worst = SIZE_MAX;
    bool any = false;
    for (size_t i = 0; i < race->n; i++) {
        if (!is_alive(race, i) || i == race->leader || is_last_without_matrix(race, i)) continue;
        if (i == best && most_candidates(race->t - race->began, for_sparsity) > 1) continue;
        const bool dominated = !for_sparsity && is_dominated(race, i);
        if (worst == SIZE_MAX || dominated > any ||
            (dominated == any && race->candidate[i].error > race->candidate[worst].error))
            worst = i;
        any |= dominated;
    }
    return worst;
}

static void drop_hopeless(sl_race *race, uint64_t rows, bool for_sparsity) {
    const size_t best = least_error(race);
    size_t alive = 0;
    for (size_t i = 0; i < race->n; i++) alive += is_alive(race, i);
    const size_t fewest = most_candidates(rows, for_sparsity) < 2 ? 1 : 2; /* so that the race can change its mind */
    for (size_t i = 0; i < race->n && alive > fewest; i++) {
        if (!is_alive(race, i) || i == race->leader || is_last_without_matrix(race, i)) continue;
        const double difference = race->candidate[i].error - race->candidate[best].error;
        if (!(difference > HOPELESS * standard_error(race, i, best))) continue;
        sl_race_drop(race, i);
        alive--;
    }
    for (; alive > most_candidates(rows, for_sparsity); alive--) {
        const size_t i = least_promising(race, best, for_sparsity);
        if (i == SIZE_MAX) return;
        sl_race_drop(race, i);
    }
}

void sl_race_compare(const sl_race *race, size_t i, double *above, double *error) {
    const size_t best = least_error(race);
    *above = race->candidate[i].error - race->candidate[best].error;
    *error = standard_error(race, i, best);
}

static void decide(sl_race *race, const double *params) {
    const uint64_t rows = race->t - race->began;
    add_block(race);
    const double sparsity = params[SL_AUTO_SPARSITY];
    if (sparsity > 0)
        sl_race_adjust(race, rows, sparsity);
    else if (is_time_to_count(rows))
        count_nonzeros(race);
    const size_t leader = choose(race, params);
    if (leader != race->leader) {
        race->leader = leader;
        if (sparsity > 0) sl_race_adjust_leader(race, sparsity);
        add_event(race, leader, SLUICE_RACE_LEADS);
    }
    if (sparsity > 0 && rows >= 4 * FIRST_DROP) sl_race_drop_twins(race);
    if (rows >= FIRST_DROP) drop_hopeless(race, rows, sparsity > 0);
}

void sl_race_note(sl_race *race, const double *params, double y, double h) {
    const uint64_t bit = (uint64_t)1 << race->rows;
    race->h[race->rows++] = (float)fmin(fmax(h, LEAST_H), 1 / LEAST_H);
    race->positive |= y > 0 ? bit : 0;
    for (size_t i = 0; i < race->end; i++)
        if (is_alive(race, i) && race->candidate[i].was_wrong) race->candidate[i].wrong |= bit;
    race->candidate[race->leader].led++;
    race->t++;
    if (race->rows >= sl_race_block_rows(race->t - race->began - 1)) decide(race, params);
}

/* ---- beginning again --------------------------------------------------------------------------------------------- */

bool sl_race_has_changed(const sl_race *race) {
    const uint64_t doublings = race->restarts < MOST_DOUBLINGS ? race->restarts : MOST_DOUBLINGS;
    if (race->t - race->began < (uint64_t)RESTART_ROWS << doublings) return false;
    const double usual = fmax(race->fading.usual, RARE), deviation = sqrt(usual * (1 - usual) / (2 * SHORT_ROWS));
    return race->fading.recent - usual > CHANGED * deviation;
}

bool sl_race_restart(sluice_model *m) {
    sl_race *race = m->race;
    bool fine = true;
    for (size_t i = 0; i < race->n; i++) {
        sl_candidate *c = &race->candidate[i];
        if (!c->model && !sl_race_is_too_dense(c, m->state.seen)) {
            c->model = sl_race_candidate_new(m, i, NULL);
            if (c->model && !sl_race_take_classes(m, c->model)) {
                sluice_model_free(c->model);
                c->model = NULL;
            }
            fine &= c->model != NULL;
            c->began = race->t;
            c->nonzeros = 0;
        }
        c->error = c->missed = 0;
    }
    memset(&race->fading, 0, sizeof race->fading);
    race->end = race->n;
    race->began = race->t;
    race->restarts++;
    add_event(race, race->leader, SLUICE_RACE_RESTARTED);
    return fine;
}
