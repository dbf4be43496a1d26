/* Finds the values of the swept parameter that give the sparsities asked for, by further rounds of a sweep. */
#include "base/error.h"
#include "experiment/dataset.h"
#include "experiment/sparsity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 4 };                                /* after the first sweep */
static const double close_enough = 0.01, reached = 0.1; /* share of the nonzeros asked for */
static const double beyond = 1e4;                       /* how far to look outside of the values tried: a factor */

/* Two values to look between. */
typedef struct bracket {
    double low, high;
} bracket;

/* The points of one learner by ascending value. */
typedef struct curve {
    sl_point *const *points;
    size_t n;
    const sluice_param_info *param;
    int sign; /* of sl_sparsity_param */
} curve;

static curve curve_of(const sluice_search *s, size_t trial) {
    const sluice_learner_info *learner = s->trials[trial].learner;
    curve c = {.param = sluice_learner_sparsity_param(learner), .sign = sl_sparsity_param_of(learner)->sign};
    size_t first = 0;
    while (first < s->n_points && s->sorted[first]->trial != trial) first++;
    c.points = s->sorted + first;
    while (first + c.n < s->n_points && s->sorted[first + c.n]->trial == trial) c.n++;
    return c;
}

/* ---- how close points are ---------------------------------------------------------------------------------------- */

static double away(const sluice_point *p, double wanted) { return fabs(p->sparsity - wanted); }

/* In millionths of the nonzeros asked for: one feature too many and one too few are equally close. */
static double rounded_away(const sluice_point *p, double wanted) { return rint(away(p, wanted) / (1 - wanted) * 1e6); }

static double error_of(const sluice_point *p) {
    return !isnan(p->mean) ? p->mean : p->examples ? (double)p->mistakes / (double)p->examples : INFINITY;
}

/* Of points that are equally close the one with the smallest error. */
static int is_closer(const sluice_point *p, const sluice_point *than, double wanted) {
    const double x = rounded_away(p, wanted), y = rounded_away(than, wanted);
    return x < y || (x == y && error_of(p) < error_of(than));
}

/* Models without a weight are of no use, but show where to look. */
static const sluice_point *closest(const curve *c, double wanted, int empty_too) {
    const sluice_point *best = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const sluice_point *p = &c->points[i]->shown;
        if (p->failure || isnan(p->sparsity) || (p->nonzeros == 0 && !empty_too)) continue;
        if (!best || is_closer(p, best, wanted)) best = p;
    }
    return best;
}

static int within(const sluice_point *p, double wanted, double share) {
    return away(p, wanted) <= share * (1 - wanted);
}

double sluice_search_dimension(const sluice_search *s) {
    double features = 0;
    for (size_t i = 0; i < s->n_points; i++) {
        const sluice_point *p = &s->points[i]->shown;
        if (!p->failure) features = fmax(features, s->dimension ? (double)s->dimension : p->features_seen);
    }
    return features;
}

int sluice_search_can_reach(const sluice_search *s, double sparsity) {
    double features = sluice_search_dimension(s);
    return !(features > 0 && (1 - sparsity) * features * (1 + reached) < 1);
}

/* ---- the values of the next round -------------------------------------------------------------------------------- */

/* The two neighbours between which the curve passes the wanted sparsity, or else the range beyond one end: not beyond
 * the closest point, since sparsity may rise and fall a little where the parameter has almost no effect. */
static bracket where_to_look(const curve *c, double wanted) {
    const sluice_point *first = NULL, *before = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const sluice_point *p = &c->points[i]->shown;
        if (p->failure || isnan(p->sparsity)) continue;
        if (before && (before->sparsity < wanted) != (p->sparsity < wanted))
            return (bracket){sl_swept_number(before), sl_swept_number(p)};
        if (!first) first = p;
        before = p;
    }
    int up = (first->sparsity < wanted) == (c->sign > 0);
    double value = sl_swept_number(up ? before : first);
    return up ? (bracket){value, value * beyond} : (bracket){value / beyond, value};
}

static int was_tried(const curve *c, double value) {
    for (size_t i = 0; i < c->n; i++)
        if (sl_swept_number(&c->points[i]->shown) == value) return 1;
    return 0;
}

/* Adds values within a bracket, ends included, that were not tried. */
static sluice_status add_values(const curve *c, bracket b, size_t n, sl_grid *g, sluice_error *err) {
    double top = fmin(b.high, c->param->max), bottom = fmax(b.low, c->param->min);
    if (top <= 0) return SLUICE_OK; /* there is nothing below 0 */
    if (bottom <= 0) bottom = top / beyond;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i <= n + 1 && status == SLUICE_OK; i++) {
        double value = sl_grid_between(c->param, bottom, top, (double)i / (double)(n + 1));
        if (!was_tried(c, value)) status = sl_grid_add(g, value, err);
    }
    return status;
}

static sluice_status refine(const curve *c, const double *wanted, size_t n, double most, sl_grid *g,
                            sluice_error *err) {
    size_t each = SL_SWEEP_VALUES / n;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) {
        double target = fmin(wanted[i], most);
        const sluice_point *best = closest(c, target, 0);
        if (!closest(c, target, 1) || (best && within(best, target, close_enough))) continue;
        status = add_values(c, where_to_look(c, target), each ? each : 1, g, err);
    }
    return status;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static sluice_status next_round(sluice_search *s, const double *wanted, size_t n, sluice_error *err) {
    sl_grid *grids = calloc(s->n_trials, sizeof *grids);
    if (!grids) return sl_no_memory(err);
    double most = 1 - 1 / sluice_search_dimension(s); /* with a weight left */
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < s->n_trials && status == SLUICE_OK; i++) {
        curve c = curve_of(s, i);
        grids[i].param = c.param;
        status = refine(&c, wanted, n, most, &grids[i], err);
    }
    if (status == SLUICE_OK) status = sl_search_add_round(s, grids, err);
    for (size_t i = 0; i < s->n_trials; i++) sl_grid_free(&grids[i]);
    free(grids);
    return status;
}

static int learned_anything(const sluice_search *s) {
    for (size_t i = 0; i < s->n_points; i++)
        if (s->points[i]->shown.examples) return 1;
    return 0;
}

static sluice_status run_rounds(sluice_search *s, const sluice_dataset *data, const sluice_sweep_options *o,
                                const double *wanted, size_t n, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    int more = learned_anything(s);
    for (int round = 0; round < MAX_ROUNDS && more && status == SLUICE_OK; round++) {
        size_t before = s->n_points;
        status = next_round(s, wanted, n, err);
        more = s->n_points > before;
        if (status == SLUICE_OK && more) status = sl_sweep_round(s, data, o, err);
        if (status != SLUICE_OK) sl_search_drop_points(s, before);
    }
    return status;
}

static void list_findings(sluice_search *s, const double *wanted, size_t n) {
    for (size_t i = 0; i < s->n_trials; i++) {
        curve c = curve_of(s, i);
        for (size_t k = 0; k < n; k++) {
            sluice_finding *f = &s->findings[s->n_findings++];
            *f = (sluice_finding){.learner = s->trials[i].learner, .wanted = wanted[k]};
            f->closest = closest(&c, wanted[k], 0);
            f->reached = f->closest && sluice_search_can_reach(s, wanted[k]) && within(f->closest, wanted[k], reached);
        }
    }
}

static sluice_status check_find(const sluice_search *s, const double *wanted, size_t n, sluice_error *err) {
    sluice_status status = sl_check_sweep(s, err);
    if (status != SLUICE_OK) return status;
    if (s->n_findings) return sl_fail(err, SLUICE_E_USAGE, "sparsities were searched for already; make a new search");
    if (!s->has_points || !s->points[0]->runs) return sl_fail(err, SLUICE_E_USAGE, "sweep first, then search");
    for (size_t i = 0; i < n; i++)
        if (!(wanted[i] >= 0 && wanted[i] < 1))
            return sl_fail(err, SLUICE_E_USAGE, "a sparsity of %g: it lies between 0 and 1", wanted[i]);
    return SLUICE_OK;
}

sluice_status sluice_search_find(sluice_search *s, const sluice_dataset *data, const sluice_sweep_options *options,
                                 const double *sparsities, size_t n, sluice_error *err) {
    sluice_status status = check_find(s, sparsities, n, err);
    if (status != SLUICE_OK || !n) return status;
    sluice_finding *findings = calloc(s->n_trials * n, sizeof *findings);
    if (!findings) return sl_no_memory(err);
    status = run_rounds(s, data, options, sparsities, n, err);
    if (status != SLUICE_OK) {
        free(findings);
        return status;
    }
    free(s->findings);
    s->findings = findings;
    list_findings(s, sparsities, n);
    return SLUICE_OK;
}

size_t sluice_search_findings(const sluice_search *s) { return s->n_findings; }

const sluice_finding *sluice_search_finding(const sluice_search *s, size_t i) {
    return i < s->n_findings ? &s->findings[i] : NULL;
}
