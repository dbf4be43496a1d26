/* Isotonic regression by pooling adjacent violators; Platt's sigmoid by Newton's method, with his smoothed targets, as
 * in Lin, Lin and Weng, "A note on Platt's probabilistic outputs for support vector machines" (2007). */
#include "calibration/holdout_calibration.h"

#include <math.h>
#include <stdbool.h>

/* ---- isotonic ---------------------------------------------------------------------------------------------------- */

static void pool_two(sl_pool *a, const sl_pool *b) {
    double weight = a->weight + b->weight;
    a->mean += (b->mean - a->mean) * (b->weight / weight);
    a->weight = weight;
    a->high = b->high;
}

/* Examples of the same margin are one pool, whatever their labels. */
static size_t pool_ties(sl_pool *pools, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && pools[kept - 1].high == pools[i].low)
            pool_two(&pools[kept - 1], &pools[i]);
        else
            pools[kept++] = pools[i];
    }
    return kept;
}

size_t sl_pool_adjacent(sl_pool *pools, size_t n) {
    n = pool_ties(pools, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        pools[kept++] = pools[i];
        for (; kept > 1 && pools[kept - 2].mean >= pools[kept - 1].mean; kept--)
            pool_two(&pools[kept - 2], &pools[kept - 1]);
    }
    return kept;
}

/* Pools neighbours until at most `most` are left, each of them of about the same weight. */
static size_t thin_out(sl_pool *pools, size_t n, size_t most) {
    if (n <= most) return n;
    double all = 0, so_far = 0;
    for (size_t i = 0; i < n; i++) all += pools[i].weight;
    size_t kept = 0, place = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t here = (size_t)fmin((double)most - 1, (so_far + pools[i].weight / 2) / all * (double)most);
        so_far += pools[i].weight;
        if (here == place)
            pool_two(&pools[kept - 1], &pools[i]);
        else
            pools[kept++] = pools[i];
        place = here;
    }
    return kept;
}

/* Keeps probabilities away from 0 and 1: in a pool whose labels all agree, half an example counts for the other one. */
static void soften_ends(sl_pool *pools, size_t n) {
    sl_pool *low = &pools[0], *high = &pools[n - 1];
    double least = 0.5 / (low->weight + 1), most = 1 - 0.5 / (high->weight + 1);
    if (low->mean < least) low->mean = n > 1 ? fmin(least, pools[1].mean) : least;
    if (high->mean > most) high->mean = n > 1 ? fmax(most, pools[n - 2].mean) : most;
}

static void add_knot(sl_holdout *f, double margin, double p) {
    f->margin[f->n] = margin;
    f->p[f->n++] = fmax(1e-12, fmin(1 - 1e-12, p));
}

void sl_fit_isotonic(sl_holdout *f, sl_pool *pools, size_t n) {
    n = thin_out(pools, sl_pool_adjacent(pools, n), SL_KNOTS / 2);
    soften_ends(pools, n);
    *f = (sl_holdout){.kind = SLUICE_CALIBRATION_ISOTONIC};
    for (size_t i = 0; i < n; i++) {
        add_knot(f, pools[i].low, pools[i].mean);
        if (pools[i].high > pools[i].low) add_knot(f, pools[i].high, pools[i].mean);
    }
}

static double interpolate(const sl_holdout *f, double margin) {
    size_t low = 0, high = f->n - 1;
    if (!(margin > f->margin[low])) return f->p[low];
    if (margin >= f->margin[high]) return f->p[high];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(margin >= f->margin[middle] ? &low : &high) = middle;
    }
    /* halves: the distance of two margins may be beyond the range of numbers */
    double share = (margin / 2 - f->margin[low] / 2) / (f->margin[high] / 2 - f->margin[low] / 2);
    return f->p[low] + share * (f->p[high] - f->p[low]);
}

/* ---- Platt ------------------------------------------------------------------------------------------------------- */

/* What there is to fit: targets instead of labels, margins in units of `scale`. */
typedef struct sigmoid {
    const sl_pool *pools;
    size_t n;
    double target[2], scale;
} sigmoid;

static double target_of(const sigmoid *s, size_t i) { return s->target[s->pools[i].mean > 0]; }

static double loss(const sigmoid *s, double a, double b) {
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double t = a * (s->pools[i].low / s->scale) + b;
        sum += s->pools[i].weight * (fmax(t, 0) - t * target_of(s, i) + log1p(exp(-fabs(t))));
    }
    return sum;
}

/* One step of Newton's method, halved until the loss falls; whether it did. */
static bool descend(const sigmoid *s, double *a, double *b, double *now) {
    double ga = 0, gb = 0, haa = 1e-9, hab = 0, hbb = 1e-9;
    for (size_t i = 0; i < s->n; i++) {
        double z = s->pools[i].low / s->scale, p = 1 / (1 + exp(-(*a * z + *b)));
        double g = s->pools[i].weight * (p - target_of(s, i)), h = s->pools[i].weight * p * (1 - p);
        ga += g * z, gb += g;
        haa += h * z * z, hab += h * z, hbb += h;
    }
    double determinant = haa * hbb - hab * hab;
    double da = (hbb * ga - hab * gb) / determinant, db = (haa * gb - hab * ga) / determinant;
    for (double size = 1; size > 1e-10; size /= 2) {
        double then = loss(s, *a - size * da, *b - size * db);
        if (!(then < *now)) continue;
        bool much = *now - then > 1e-12 * *now;
        *a -= size * da, *b -= size * db, *now = then;
        return much;
    }
    return false;
}

static double largest_margin(const sl_pool *pools, size_t n) {
    double most = fmax(fabs(pools[0].low), fabs(pools[n - 1].low));
    return most > 0 ? most : 1;
}

void sl_fit_platt(sl_holdout *f, const sl_pool *pools, size_t n) {
    double positive = 0, negative = 0;
    for (size_t i = 0; i < n; i++) *(pools[i].mean > 0 ? &positive : &negative) += pools[i].weight;
    sigmoid s = {pools, n, {1 / (negative + 2), (positive + 1) / (positive + 2)}, largest_margin(pools, n)};
    double base = log((positive + 1) / (negative + 1)), a = 0, b = base, now = loss(&s, a, b);
    for (int i = 0; i < 100 && descend(&s, &a, &b, &now); i++) continue;
    if (!(a >= 0 && isfinite(a / s.scale) && isfinite(b))) a = 0, b = base; /* a larger margin never means less */
    *f = (sl_holdout){.kind = SLUICE_CALIBRATION_PLATT, .a = a / s.scale, .b = b};
}

double sl_holdout_log_odds(const sl_holdout *f, double margin) {
    if (f->kind == SLUICE_CALIBRATION_PLATT) return f->a * margin + f->b;
    double p = interpolate(f, margin);
    return log(p / (1 - p));
}
