/* What a drift watch keeps. */
#ifndef SL_DRIFT_H
#define SL_DRIFT_H

#include <stdbool.h>

#include "sluice.h"

enum { SL_ADWIN, SL_PAGE_HINKLEY, SL_DETECTORS };
enum { SL_DRIFT_WINDOW, SL_DRIFT_DELTA, SL_DRIFT_OTHER, SL_DRIFT_PARAMS }; /* other: `rise` of adwin, `lambda` */
enum {
    SL_DRIFT_MOST_WINDOW = 1000000,
    SL_ADWIN_BUCKETS = 5, /* of one size */
    SL_ADWIN_LEVELS = 58, /* sizes: the largest buckets have 2^62 examples */
};

/* adwin: mistakes in buckets of 32 << level examples, the oldest of a level first; higher levels are older. */
typedef struct sl_adwin {
    uint64_t blocks, ones; /* in all buckets: blocks of 32 examples, and mistakes */
    size_t levels;
    size_t used[SL_ADWIN_LEVELS];
    uint64_t bucket[SL_ADWIN_LEVELS][SL_ADWIN_BUCKETS + 1];
} sl_adwin;

/* page-hinkley */
typedef struct sl_sums {
    uint64_t n, ones;         /* examples and mistakes since the test began */
    uint64_t low_n, low_ones; /* when `rise` was last 0 */
    double rise, fall;
} sl_sums;

struct sluice_drift {
    const sluice_detector_info *detector;
    double params[SL_DRIFT_PARAMS];
    uint64_t examples;
    unsigned block;       /* mistakes since the last multiple of 32 examples */
    size_t window, place; /* a parameter; examples % window */
    uint64_t window_ones; /* mistakes in the window, */
    unsigned char *seen;  /* and a bit for each of its examples: at `place` the oldest */
    double fading, share; /* share: 1 / window */
    sl_adwin adwin;       /* one of the two is used */
    sl_sums sums;
    uint64_t alarms, read_alarms; /* all, and those that came before parsing, which are not kept */
    sluice_drift_alarm alarm[SLUICE_DRIFT_ALARMS];
};

/* drift.c: a watch with parameters that have been checked. */
sluice_drift *sl_drift_make(const sluice_detector_info *detector, const double *params, sluice_error *err);

#endif
