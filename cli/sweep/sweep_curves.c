#include "output/message.h"
#include "sweep/sweeping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *swept_value(const point *p) { return strchr(p->recipe.params[p->recipe.n_params - 1], '=') + 1; }

double swept_number(const point *p) {
    double value = NAN; /* the grids hold numbers alone */
    sluice_parse_number(swept_value(p), &value);
    return value;
}

static int by_value(const void *a, const void *b) {
    double x = swept_number(*(point *const *)a), y = swept_number(*(point *const *)b);
    return x < y ? -1 : x > y;
}

static int make_curve(sweeping *w, size_t which, curve *c) {
    size_t n = 0;
    for (size_t k = 0; k < w->n_rounds; k++) n += w->rounds[k].searches[which].n;
    const sluice_learner_info *learner = w->rounds[0].searches[which].learner;
    *c = (curve){.learner = learner, .how = sparsity_param_of(learner), .points = calloc(n + 1, sizeof(point *))};
    if (!c->points) return out_of_memory();
    c->param = find_param(learner, c->how->name);
    for (size_t k = 0; k < w->n_rounds; k++) {
        const search *s = &w->rounds[k].searches[which];
        for (size_t i = 0; i < s->n; i++) c->points[c->n++] = &w->rounds[k].points[s->first + i];
    }
    qsort(c->points, c->n, sizeof *c->points, by_value);
    return DONE;
}

void curves_free(sweeping *w) {
    for (size_t i = 0; i < w->n_curves; i++) free(w->curves[i].points);
    free(w->curves);
    w->curves = NULL;
    w->n_curves = 0;
}

int make_curves(sweeping *w) {
    curves_free(w);
    size_t n = w->rounds[0].n;
    w->curves = calloc(n + 1, sizeof *w->curves);
    if (!w->curves) return out_of_memory();
    int rc = DONE;
    for (size_t i = 0; i < n && !rc; i++) rc = make_curve(w, w->n_curves++, &w->curves[i]);
    return rc;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

int was_searched(const sweeping *w, const point *p) {
    const search_list *first = &w->rounds[0];
    return p < first->points || p >= first->points + first->n_points;
}

int is_shown(const sweeping *w, const point *p) {
    if (!was_searched(w, p)) return 1;
    for (size_t i = 0; i < w->n_findings; i++)
        if (w->findings[i].closest == p) return 1;
    return 0;
}

double point_dimension(const sweeping *w, const point *p) {
    return w->dimension ? (double)w->dimension : p->features_seen;
}

/* ---- the best ---------------------------------------------------------------------------------------------------- */

double progressive_error(const point *p) { return p->examples ? (double)p->mistakes / (double)p->examples : NAN; }

double point_error(const sweeping *w, const point *p) { return w->test ? p->mean : progressive_error(p); }

static int better(const sweeping *w, const point *a, const point *b) {
    double x = point_error(w, a), y = point_error(w, b);
    return x < y || (x == y && a->sparsity > b->sparsity);
}

const point *best_at(const sweeping *w, double level, const curve **of) {
    const point *best = NULL;
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            const point *p = w->curves[i].points[k];
            if (!is_shown(w, p) || p->failure || !(p->sparsity >= level) || p->nonzeros == 0) continue;
            if (isnan(point_error(w, p))) continue;
            if (best && !better(w, p, best)) continue;
            best = p;
            if (of) *of = &w->curves[i];
        }
    return best;
}

size_t sweep_levels(const sweeping *w, const double **levels) {
    static const double usual[] = {0, 0.5, 0.9, 0.99, 0.999};
    *levels = w->n_wanted ? w->wanted : usual;
    return w->n_wanted ? w->n_wanted : sizeof usual / sizeof *usual;
}
