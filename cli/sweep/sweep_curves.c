/* sweep: the points as curves, what is shown of them, and the best. */
#include "output/message.h"
#include "sweep/sweeping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *swept_value(const sluice_point *p) { return strchr(p->params[p->n_params - 1], '=') + 1; }

double swept_number(const sluice_point *p) {
    double value = NAN; /* the grids hold numbers alone */
    sluice_parse_number(swept_value(p), &value);
    return value;
}

/* The points are by learner, then by ascending value. */
int make_curves(sweeping *w) {
    size_t n = sluice_search_points(w->search);
    curves_free(w);
    w->curves = calloc(n + 1, sizeof *w->curves);
    w->points = calloc(n + 1, sizeof *w->points);
    if (!w->curves || !w->points) return out_of_memory();
    for (size_t i = 0; i < n; i++) {
        const sluice_point *p = w->points[i] = sluice_search_point(w->search, i);
        curve *c = &w->curves[w->n_curves];
        if (i == 0 || p->learner != c[-1].learner) {
            *c = (curve){p->learner, sluice_learner_sparsity_param(p->learner), &w->points[i], 0};
            w->n_curves++;
        } else {
            c--;
        }
        c->n++;
    }
    return DONE;
}

static const curve *curve_of(const sweeping *w, const sluice_learner_info *learner) {
    size_t i = 0;
    while (w->curves[i].learner != learner) i++;
    return &w->curves[i];
}

int make_findings(sweeping *w) {
    size_t n = sluice_search_findings(w->search);
    w->findings = calloc(n + 1, sizeof *w->findings);
    if (!w->findings) return out_of_memory();
    for (; w->n_findings < n; w->n_findings++) {
        const sluice_finding *f = sluice_search_finding(w->search, w->n_findings);
        w->findings[w->n_findings] = (finding){curve_of(w, f->learner), f->wanted, f->closest, f->reached};
    }
    return DONE;
}

void curves_free(sweeping *w) {
    free(w->curves);
    free(w->points);
    w->curves = NULL;
    w->points = NULL;
    w->n_curves = 0;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

int is_shown(const sweeping *w, const sluice_point *p) {
    if (!p->searched) return 1;
    for (size_t i = 0; i < w->n_findings; i++)
        if (w->findings[i].closest == p) return 1;
    return 0;
}

double point_dimension(const sweeping *w, const sluice_point *p) {
    return w->dimension ? (double)w->dimension : p->features_seen;
}

/* ---- the best ---------------------------------------------------------------------------------------------------- */

double progressive_error(const sluice_point *p) {
    return p->examples ? (double)p->mistakes / (double)p->examples : NAN;
}

double point_error(const sweeping *w, const sluice_point *p) { return w->test ? p->mean : progressive_error(p); }

static int better(const sweeping *w, const sluice_point *a, const sluice_point *b) {
    double x = point_error(w, a), y = point_error(w, b);
    return x < y || (x == y && a->sparsity > b->sparsity);
}

const sluice_point *best_at(const sweeping *w, double level, const curve **of) {
    const sluice_point *best = NULL;
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            const sluice_point *p = w->curves[i].points[k];
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
