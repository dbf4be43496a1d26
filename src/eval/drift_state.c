/* The state of a drift watch as bytes: docs/drift.md, State. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "eval/drift.h"

enum { VERSION = 1 };

static const uint64_t most_examples = (uint64_t)1 << 62;

static size_t window_bytes(const sluice_drift *d) { return (d->window + 7) / 8; }

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static unsigned char *put_int(unsigned char *to, uint64_t value, size_t bytes) {
    sl_put_le(to, value, bytes);
    return to + bytes;
}

static unsigned char *put_double(unsigned char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_int(to, bits, 8);
}

static unsigned char *put_adwin(unsigned char *to, const sl_adwin *w) {
    to = put_int(to, w->levels, 1);
    for (size_t level = 0; level < w->levels; level++) {
        to = put_int(to, w->used[level], 1);
        for (size_t i = 0; i < w->used[level]; i++) to = put_int(to, w->bucket[level][i], 8);
    }
    return to;
}

static unsigned char *put_sums(unsigned char *to, const sl_sums *s) {
    const uint64_t counts[] = {s->n, s->ones, s->low_n, s->low_ones};
    for (size_t i = 0; i < 4; i++) to = put_int(to, counts[i], 8);
    return put_double(put_double(to, s->rise), s->fall);
}

sluice_status sluice_drift_bytes(const sluice_drift *d, void **bytes, size_t *n, sluice_error *err) {
    const size_t most = 2 + 8 * SL_DRIFT_PARAMS + 25 + window_bytes(d) + sizeof d->adwin + sizeof d->sums;
    unsigned char *to = *bytes = malloc(most);
    *n = 0;
    if (!to) return sl_fail(err, SLUICE_E_MEMORY, "no memory for the state of a drift watch");
    const bool is_adwin = d->detector == sluice_detector_at(SL_ADWIN);
    to = put_int(put_int(to, VERSION, 1), is_adwin ? SL_ADWIN : SL_PAGE_HINKLEY, 1);
    for (size_t i = 0; i < d->detector->n_params; i++) to = put_double(to, d->params[i]);
    to = put_int(put_int(to, d->examples, 8), d->alarms, 8);
    to = put_int(put_double(to, d->fading), d->block, 1);
    memcpy(to, d->seen, window_bytes(d));
    to += window_bytes(d);
    to = is_adwin ? put_adwin(to, &d->adwin) : put_sums(to, &d->sums);
    *n = (size_t)(to - (unsigned char *)*bytes);
    return SLUICE_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct source {
    const unsigned char *at;
    size_t left;
    bool short_of; /* there were too few bytes */
} source;

static uint64_t take_int(source *from, size_t bytes) {
    if (from->left < bytes) {
        from->short_of = true;
        return 0;
    }
    const uint64_t value = sl_get_le(from->at, bytes);
    from->at += bytes;
    from->left -= bytes;
    return value;
}

static double take_double(source *from) {
    const uint64_t bits = take_int(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool take_adwin(source *from, sl_adwin *w, uint64_t blocks) {
    w->levels = (size_t)take_int(from, 1);
    if (w->levels > SL_ADWIN_LEVELS) return false;
    for (size_t level = 0; level < w->levels; level++) {
        w->used[level] = (size_t)take_int(from, 1);
        if (w->used[level] > SL_ADWIN_BUCKETS) return false;
        for (size_t i = 0; i < w->used[level]; i++) {
            const uint64_t ones = w->bucket[level][i] = take_int(from, 8);
            if (ones > (uint64_t)SLUICE_DRIFT_STEP << level) return false;
            if ((uint64_t)1 << level > blocks - w->blocks) return false;
            w->blocks += (uint64_t)1 << level;
            w->ones += ones;
        }
    }
    return !w->levels || w->used[w->levels - 1];
}

static bool is_sum(double x, uint64_t n) { return x >= 0 && x <= (double)n; }

static bool take_sums(source *from, sl_sums *s, uint64_t examples) {
    s->n = take_int(from, 8);
    s->ones = take_int(from, 8);
    s->low_n = take_int(from, 8);
    s->low_ones = take_int(from, 8);
    s->rise = take_double(from);
    s->fall = take_double(from);
    return s->n <= examples && (examples - s->n) % SLUICE_DRIFT_STEP == 0 && s->ones <= s->n && s->low_n <= s->n &&
           s->low_ones <= s->low_n && s->low_ones <= s->ones && s->ones - s->low_ones <= s->n - s->low_n &&
           is_sum(s->rise, s->n) && is_sum(s->fall, s->n) && (s->low_n < s->n || s->rise == 0) && (s->low_n || !s->n);
}

/* What all detectors have. */
static bool take_common(source *from, sluice_drift *d) {
    d->examples = take_int(from, 8);
    d->alarms = d->read_alarms = take_int(from, 8);
    d->fading = take_double(from);
    d->block = (unsigned)take_int(from, 1);
    if (from->left < window_bytes(d)) return false;
    memcpy(d->seen, from->at, window_bytes(d));
    from->at += window_bytes(d);
    from->left -= window_bytes(d);
    if (d->examples > most_examples || d->alarms > d->examples / SLUICE_DRIFT_STEP) return false;
    if (!(d->fading >= 0 && d->fading <= 1) || d->block > d->examples % SLUICE_DRIFT_STEP) return false;
    d->place = (size_t)(d->examples % d->window);
    for (size_t i = 0; i < 8 * window_bytes(d); i++) {
        const bool is = d->seen[i / 8] >> i % 8 & 1;
        if (is && i >= (d->examples < d->window ? d->examples : d->window)) return false;
        d->window_ones += is;
    }
    return true;
}

static sluice_drift *take(source *from, sluice_error *err) {
    double params[SL_DRIFT_PARAMS] = {0};
    if (take_int(from, 1) != VERSION) return NULL;
    const uint64_t kind = take_int(from, 1);
    const sluice_detector_info *detector = kind < SL_DETECTORS ? sluice_detector_at((size_t)kind) : NULL;
    for (size_t i = 0; detector && i < detector->n_params; i++) {
        const sluice_param_info *p = &detector->params[i];
        params[i] = take_double(from);
        if (!(params[i] >= p->min && params[i] <= p->max) || (p->integer && params[i] != floor(params[i]))) return NULL;
    }
    const bool has_window = detector && !from->short_of && (double)from->left >= params[SL_DRIFT_WINDOW] / 8;
    sluice_drift *d = has_window ? sl_drift_make(detector, params, err) : NULL;
    if (!d) return NULL;
    const bool fine =
        take_common(from, d) && (kind == SL_ADWIN ? take_adwin(from, &d->adwin, d->examples / SLUICE_DRIFT_STEP)
                                                  : take_sums(from, &d->sums, d->examples));
    if (fine && !from->short_of && !from->left) return d;
    sluice_drift_free(d);
    return NULL;
}

sluice_drift *sluice_drift_parse(const void *bytes, size_t n, sluice_error *err) {
    source from = {bytes, n, false};
    sluice_error why = {0};
    sluice_drift *d = take(&from, &why);
    if (d) return d;
    if (why.status == SLUICE_E_MEMORY)
        sl_fail(err, why.status, "%s", why.message);
    else
        sl_fail(err, SLUICE_E_FORMAT, "the state of its drift detection is damaged, or of a newer sluice");
    return NULL;
}
