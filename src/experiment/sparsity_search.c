/* sweep --sparsity: closes in on the value of the parameter that gives a sparsity. */
#include "output/message.h"
#include "sweep/sweeping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double close_enough = 0.01, reached = 0.1; /* of the nonzeros that were asked for */
static const double beyond = 1e4;                       /* how far to look outside of what was tried, times */

/* Where to look: between two values. */
typedef struct bracket {
    double low, high;
} bracket;

static double away(const point *p, double wanted) { return fabs(p->sparsity - wanted); }

/* Models without a weight are of no use, but show where to look. */
static const point *closest(const curve *c, double wanted, int empty_too) {
    const point *best = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const point *p = c->points[i];
        if (p->failure || isnan(p->sparsity) || (p->nonzeros == 0 && !empty_too)) continue;
        if (!best || away(p, wanted) < away(best, wanted)) best = p;
    }
    return best;
}

static int within(const point *p, double wanted, double share) { return away(p, wanted) <= share * (1 - wanted); }

/* The two neighbours between which the curve passes the wanted sparsity, or else beyond the end where it might: not
   beyond the closest point, as sparsity may rise and fall a little where the parameter does next to nothing. */
static bracket where_to_look(const curve *c, double wanted) {
    const point *first = NULL, *before = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const point *p = c->points[i];
        if (p->failure || isnan(p->sparsity)) continue;
        if (before && (before->sparsity < wanted) != (p->sparsity < wanted))
            return (bracket){swept_number(before), swept_number(p)};
        if (!first) first = p;
        before = p;
    }
    int up = (first->sparsity < wanted) == (c->how->sign > 0);
    double value = swept_number(up ? before : first);
    return up ? (bracket){value, value * beyond} : (bracket){value / beyond, value};
}

static int was_tried(const curve *c, double value) {
    for (size_t i = 0; i < c->n; i++)
        if (swept_number(c->points[i]) == value) return 1;
    return 0;
}

/* Adds values within a bracket, ends included: those that were tried drop out. */
static int add_values(const curve *c, bracket b, size_t n, grid *g) {
    double top = fmin(b.high, c->param->max), bottom = fmax(b.low, c->param->min);
    if (top <= 0) return DONE; /* 0 is the end */
    if (bottom <= 0) bottom = top / beyond;
    int rc = DONE;
    for (size_t i = 0; i <= n + 1 && !rc; i++) {
        double value = grid_between(c->param, bottom, top, (double)i / (double)(n + 1));
        if (!was_tried(c, value)) rc = grid_add(g, value);
    }
    return rc;
}

/* The features that sparsity refers to; 0 where nothing was seen. */
static double all_features(const sweeping *w) {
    double features = 0;
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            const point *p = w->curves[i].points[k];
            if (!p->failure) features = fmax(features, point_dimension(w, p));
        }
    return features;
}

int asks_too_much(const sweeping *w, double sparsity) {
    double features = all_features(w);
    return features > 0 && (1 - sparsity) * features * (1 + reached) < 1;
}

static int refine(const sweeping *w, const curve *c, grid *g) {
    size_t each = SWEEP_VALUES / w->n_wanted;
    double most = 1 - 1 / all_features(w); /* with a weight left */
    int rc = DONE;
    for (size_t i = 0; i < w->n_wanted && !rc; i++) {
        double wanted = fmin(w->wanted[i], most);
        const point *best = closest(c, wanted, 0);
        if (!closest(c, wanted, 1) || (best && within(best, wanted, close_enough))) continue;
        rc = add_values(c, where_to_look(c, wanted), each ? each : 1, g);
    }
    return rc;
}

/* The same learners and -P with other values. */
static int next_round(sweeping *w) {
    const search_list *first = &w->rounds[0];
    search_list *l = &w->rounds[w->n_rounds];
    l->searches = calloc(first->n, sizeof *l->searches);
    if (!l->searches) return out_of_memory();
    int rc = DONE;
    for (; l->n < first->n && !rc; l->n++) {
        const search *like = &first->searches[l->n];
        search *s = &l->searches[l->n];
        s->learner = like->learner;
        rc = fix_params(s, like->fixed, like->n_fixed, 1);
        if (rc) continue;
        s->grids[s->n_grids++] = (grid){.param = w->curves[l->n].param};
        rc = refine(w, &w->curves[l->n], &s->grids[0]);
    }
    return rc ? rc : make_points(w->a->command->name, &w->settings, 0, 0, l);
}

static int list_findings(sweeping *w) {
    w->findings = calloc(w->n_curves * w->n_wanted, sizeof *w->findings);
    if (!w->findings) return out_of_memory();
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->n_wanted; k++) {
            finding *f = &w->findings[w->n_findings++];
            *f = (finding){&w->curves[i], w->wanted[k], closest(&w->curves[i], w->wanted[k], 0), 0};
            f->reached = f->closest && !asks_too_much(w, f->wanted) && within(f->closest, f->wanted, reached);
        }
    return DONE;
}

/* Before any time is spent on the others. */
static void warn_too_much(const sweeping *w) {
    double features = all_features(w);
    for (size_t i = 0; i < w->n_wanted; i++)
        if (asks_too_much(w, w->wanted[i]))
            warning("a sparsity of %.10g cannot be reached with a weight left; %.0f features: at most %.*f",
                    w->wanted[i], features, (int)fmax(4, ceil(log10(features)) + 1), 1 - 1 / features);
}

int sweep_find(sweeping *w) {
    if (!w->n_wanted) return DONE;
    int rc = DONE, more = w->examples > 0;
    if (!w->a->quiet) warn_too_much(w);
    while (!rc && more && w->n_rounds <= MOST_REFINEMENTS) {
        search_list *l = &w->rounds[w->n_rounds];
        rc = next_round(w);
        more = l->n_points > 0;
        if (!rc && more) rc = sweep_round(w, l);
        w->n_rounds++;
        if (!rc) rc = make_curves(w);
    }
    return rc ? rc : list_findings(w);
}
