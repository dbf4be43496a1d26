/* Watches an error rate for a rise: two detectors, and the errors of a window and of a fading past. docs/drift.md */
#include "eval/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"

/* ---- the detectors' tables --------------------------------------------------------------------------------------- */

enum {
    STEP = SLUICE_DRIFT_STEP,
    ALWAYS = 4, /* sizes of buckets that are looked at every time; beyond them every 2, 4, 8 ... times */
};

#define WINDOW_PARAM                                                                                                   \
    [SL_DRIFT_WINDOW] = {                                                                                              \
        "window", "examples of the window, and how long the fading error remembers", 1000, 1, SL_DRIFT_MOST_WINDOW, 1, \
        NULL}

static const sluice_param_info adwin_params[] = {
    WINDOW_PARAM,
    [SL_DRIFT_DELTA] = {"delta", "confidence: the smaller, the fewer false alarms and the later true ones", 1e-5,
                        1e-300, 1, 0, NULL},
    [SL_DRIFT_OTHER] = {"rise", "smaller rises of the error rate are none", 0.01, 0, 1, 0, NULL},
};
static const sluice_param_info page_hinkley_params[] = {
    WINDOW_PARAM,
    [SL_DRIFT_DELTA] = {"delta", "rise of the error rate that is none", 0.02, 0, 1, 0, NULL},
    [SL_DRIFT_OTHER] = {"lambda", "errors above the mean, less delta for each example, that are an alarm", 100, 1, 1e15,
                        0, NULL},
};

static const sluice_detector_info detectors[SL_DETECTORS] = {
    [SL_ADWIN] = {.name = "adwin",
                  .summary = "adaptive window: two parts of it whose errors differ by more than chance",
                  .params = adwin_params,
                  .n_params = sizeof adwin_params / sizeof *adwin_params},
    [SL_PAGE_HINKLEY] = {.name = "page-hinkley",
                         .summary = "Page-Hinkley test: errors above their mean add up",
                         .params = page_hinkley_params,
                         .n_params = sizeof page_hinkley_params / sizeof *page_hinkley_params},
};
const sluice_detector_info *sluice_detector_at(size_t i) { return i < SL_DETECTORS ? &detectors[i] : NULL; }

/* ---- making ------------------------------------------------------------------------------------------------------ */

sluice_drift *sl_drift_make(const sluice_detector_info *detector, const double *params, sluice_error *err) {
    sluice_drift *d = calloc(1, sizeof *d);
    if (d) d->seen = calloc(1, ((size_t)params[SL_DRIFT_WINDOW] + 7) / 8);
    if (!d || !d->seen) {
        free(d);
        sl_fail(err, SLUICE_E_MEMORY, "no memory to watch for drift");
        return NULL;
    }
    d->detector = detector;
    memcpy(d->params, params, detector->n_params * sizeof *params);
    d->window = (size_t)params[SL_DRIFT_WINDOW];
    d->share = 1 / params[SL_DRIFT_WINDOW];
    return d;
}

sluice_drift *sluice_drift_new(const char *name, const char *const *params, size_t n_params, sluice_error *err) {
    double values[SL_DRIFT_PARAMS];
    size_t i = 0;
    while (i < SL_DETECTORS && name && strcmp(detectors[i].name, name) != 0) i++;
    if (i == SL_DETECTORS) {
        char shown[128];
        sl_fail(err, SLUICE_E_USAGE, "there is no detector %s; there are adwin and page-hinkley",
                sl_quote(shown, name, strlen(name)));
        return NULL;
    }
    if (sluice_params_read(detectors[i].name, detectors[i].params, detectors[i].n_params, params, n_params, values,
                           err) != SLUICE_OK)
        return NULL;
    return sl_drift_make(&detectors[i], values, err);
}

void sluice_drift_free(sluice_drift *d) {
    if (!d) return;
    free(d->seen);
    free(d);
}

/* ---- alarms ------------------------------------------------------------------------------------------------------ */

/* The detector begins anew: what comes is compared with what comes after it alone. */
static void begin(sluice_drift *d) {
    memset(&d->adwin, 0, sizeof d->adwin);
    memset(&d->sums, 0, sizeof d->sums);
}

static void alarm(sluice_drift *d, double before, double after) {
    d->alarm[d->alarms++ % SLUICE_DRIFT_ALARMS] =
        (sluice_drift_alarm){.example = d->examples, .error_before = before, .error_after = after};
    begin(d);
}

/* ---- adwin --------------------------------------------------------------------------------------------------------
 * Bifet and Gavalda, Learning from time-changing data with adaptive windowing, 2007: ADWIN2 with the bound of its
 * section 4. The window is kept as an exponential histogram: at most five buckets of a size, sizes doubling from
 * 32 examples on. Deviations: only a rise of the error is an alarm, and empties the window; where it falls, the oldest
 * buckets are dropped. After every 32 examples the places behind the newest buckets are tested, and behind older ones
 * the more rarely the larger they are: a bucket of 32 * 2^k examples every 4 * 2^k examples and no oftener than
 * every 32. */

static void take_block(sl_adwin *w, unsigned ones) {
    uint64_t sum = ones;
    w->blocks++;
    w->ones += ones;
    for (size_t level = 0;; level++) {
        uint64_t *bucket = w->bucket[level];
        bucket[w->used[level]++] = sum;
        if (level == w->levels) w->levels++;
        if (w->used[level] <= SL_ADWIN_BUCKETS) return;
        sum = bucket[0] + bucket[1];
        w->used[level] -= 2;
        memmove(bucket, bucket + 2, w->used[level] * sizeof *bucket);
    }
}

static void drop_oldest(sl_adwin *w) {
    const size_t level = w->levels - 1;
    uint64_t *bucket = w->bucket[level];
    w->blocks -= (uint64_t)1 << level;
    w->ones -= bucket[0];
    memmove(bucket, bucket + 1, --w->used[level] * sizeof *bucket);
    while (w->levels && !w->used[w->levels - 1]) w->levels--;
}

/* Where the window is cut best. */
typedef struct cut {
    double evidence, before, after;
    bool falls;
} cut;

/* Tests the places behind the buckets of the first `levels` sizes: the errors s0/n0 and s1/n1 of both parts differ by
 * chance up to sqrt(2 v L / m) + 2 L / (3 m) with 1/m = 1/n0 + 1/n1, the variance v of the window, and
 * L = log(2 log(n) / delta). Both sides are multiplied by n0 n1, so that nothing is divided. A rise of less than `rise`
 * is none: errors that come to be rather than jump, such as those of a learner that begins to find a rare class. */
static cut find_cut(const sl_adwin *w, const double *params, size_t levels) {
    cut best = {0};
    const double n = STEP * (double)w->blocks, ones = (double)w->ones, bound = log(2 * log(n) / params[SL_DRIFT_DELTA]);
    const double least = 2 * bound * n / 3, spread = 2 * bound * ones * (n - ones) / n;
    double n1 = 0, s1 = 0;
    for (size_t level = 0; level < levels; level++) {
        const double size = STEP * (double)((uint64_t)1 << level);
        for (size_t i = w->used[level]; i-- > 0;) {
            n1 += size;
            s1 += (double)w->bucket[level][i];
            const double rise = n * s1 - n1 * ones, beyond = fabs(rise) - least, both = n1 * (n - n1);
            if (!(beyond > 0 && beyond * beyond > spread * both && both > 0)) continue;
            if (rise > 0 && rise < params[SL_DRIFT_OTHER] * both) continue;
            const double evidence = beyond * beyond / both;
            /* a rise is preferred to a fall */
            if (best.evidence > 0 && ((rise < 0) != best.falls ? rise < 0 : evidence <= best.evidence)) continue;
            best = (cut){evidence, (ones - s1) / (n - n1), s1 / n1, rise < 0};
        }
    }
    return best;
}

static void test_adwin(sluice_drift *d) {
    sl_adwin *w = &d->adwin;
    take_block(w, d->block);
    const size_t due = (size_t)__builtin_ctzll(d->examples / STEP) + ALWAYS;
    while (w->blocks > 1) {
        const cut c = find_cut(w, d->params, w->levels < due ? w->levels : due);
        if (!(c.evidence > 0)) return;
        if (!c.falls) {
            alarm(d, c.before, c.after);
            return;
        }
        drop_oldest(w);
    }
}

/* ---- page-hinkley -------------------------------------------------------------------------------------------------
 * Page, Continuous inspection schemes, 1954; Hinkley, Inference about the change-point from cumulative sum tests, 1971.
 * rise_t = max(0, rise_(t-1) + x_t - mean_t - delta), an alarm above lambda; fall likewise with the sign changed, where
 * the test begins anew: a mean of the errors before a learner has learned would hide a rise. It is tested every 32
 * examples. */

static void add_to_sums(sluice_drift *d, int mistake) {
    sl_sums *s = &d->sums;
    s->n++;
    s->ones += mistake != 0;
    const double above = (mistake != 0) - (double)s->ones / (double)s->n, delta = d->params[SL_DRIFT_DELTA];
    s->rise += above - delta;
    s->fall -= above + delta;
    if (!(s->fall > 0)) s->fall = 0;
    if (s->rise > 0) return;
    s->rise = 0;
    s->low_n = s->n;
    s->low_ones = s->ones;
}

static void test_sums(sluice_drift *d) {
    const sl_sums *s = &d->sums;
    const double lambda = d->params[SL_DRIFT_OTHER];
    if (s->rise > lambda)
        alarm(d, (double)s->low_ones / (double)s->low_n, (double)(s->ones - s->low_ones) / (double)(s->n - s->low_n));
    else if (s->fall > lambda)
        begin(d);
}

/* ---- every example ----------------------------------------------------------------------------------------------- */

void sluice_drift_add(sluice_drift *d, int mistake) {
    const unsigned is = mistake != 0, bit = 1u << d->place % 8;
    unsigned char *byte = &d->seen[d->place / 8];
    d->window_ones = d->window_ones + is - (*byte & bit ? 1u : 0u);
    *byte = (unsigned char)((*byte & ~bit) | is << d->place % 8);
    if (++d->place == d->window) d->place = 0;
    d->examples++;
    const double share = d->examples < d->window ? 1 / (double)d->examples : d->share;
    d->fading = (1 - share) * d->fading + share * is;
    d->block += is;
    if (d->detector == &detectors[SL_PAGE_HINKLEY]) add_to_sums(d, mistake);
    if (d->examples % STEP) return;
    d->detector == &detectors[SL_ADWIN] ? test_adwin(d) : test_sums(d);
    d->block = 0;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

const sluice_detector_info *sluice_drift_detector(const sluice_drift *d) { return d->detector; }

double sluice_drift_param(const sluice_drift *d, size_t i) { return i < d->detector->n_params ? d->params[i] : NAN; }

const sluice_drift_alarm *sluice_drift_alarm_at(const sluice_drift *d, uint64_t i) {
    const bool kept = i < d->alarms && i >= d->read_alarms && d->alarms - i <= SLUICE_DRIFT_ALARMS;
    return kept ? &d->alarm[i % SLUICE_DRIFT_ALARMS] : NULL;
}

sluice_status sluice_drift_read(const sluice_drift *d, sluice_drift_figures *figures, sluice_error *err) {
    const sluice_status status = sl_sized_check(figures, "sluice_drift_figures", err);
    if (status != SLUICE_OK) return status;
    const uint64_t in_window = d->examples < d->window ? d->examples : d->window;
    const sluice_drift_figures f = {
        .examples = d->examples,
        .alarms = d->alarms,
        .window_error = in_window ? (double)d->window_ones / (double)in_window : NAN,
        .fading_error = in_window ? d->fading : NAN,
    };
    sl_sized_write(figures, &f, sizeof f);
    return SLUICE_OK;
}
