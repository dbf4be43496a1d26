/* What a sweep is made of. */
#ifndef SL_SWEEP_H
#define SL_SWEEP_H

#include "base/thread_team.h"
#include "learner/lane_blocks.h"
#include "model/model.h"

/* Up to SL_MAX_LANES configurations. */
typedef struct sl_sweep_part {
    size_t first, n;       /* which configurations */
    sluice_model *model;   /* its features are those of all of them; or the one configuration's own */
    sl_learner rule;       /* the model's: passes rows on to the lanes */
    size_t n_lanes;        /* 8 or 16; 0: it is one configuration alone */
    sl_lane_blocks blocks; /* one of them */
    const sl_lane_kernels *kernels;
    sl_lanes *lanes; /* of that block */
    uint64_t mistakes[SL_MAX_LANES], updates[SL_MAX_LANES];
    bool broken[SL_MAX_LANES];
    sl_online_calibration calibration[SL_MAX_LANES];
    sluice_meter *meter[SL_MAX_LANES];   /* measure what is predicted before learning; NULL: none do */
    sluice_model *outline[SL_MAX_LANES]; /* of the configurations of lanes, for their meters */
} sl_sweep_part;

struct sluice_sweep {
    const sl_learner *learner;
    sluice_settings settings;
    char *positive;                  /* what the settings name, if they do */
    double (*params)[SL_MAX_PARAMS]; /* of each configuration */
    size_t n;
    sl_sweep_part *parts;
    size_t n_parts;
    unsigned threads;
    sl_team *team; /* NULL: one thread is enough */
    sluice_error error;
    sluice_status *status; /* of each part, for the batch at hand */
    const sluice_batch *batch;
    struct sluice_sweep *mirror; /* of lanes, while the label 1 alone has come: has learned the same rows as -1 */
};

/* The lanes of a part as they are now, for predicting. */
sl_lanes sl_sweep_lanes(const sl_sweep_part *a);

/* Configurations that share features and are predicted with at once; 0: this sweep has no lanes. */
size_t sl_sweep_part_size(const sluice_sweep *w);
/* A sweep with lanes: the margins that the predict-only models of n configurations, from `first` on, would give the
 * rows; those of the first configuration, then those of the next. */
void sl_sweep_margins(const sluice_sweep *w, size_t first, size_t n, const sluice_batch *rows, double *margins);
/* The predict-only model of a configuration without its weights: for its counts and its calibration. */
sluice_model *sl_sweep_outline(const sluice_sweep *w, size_t i, sluice_error *err);

/* Gives a sweep that has learned nothing the classes of a model (may be NULL), as sl_classes_take() does. */
sluice_status sl_sweep_take_classes(sluice_sweep *w, const sluice_model *from, sluice_error *err);

/* sweep_meters.c. From now on what every configuration predicts is measured before it learns, as `how` says; with
 * `probabilities` those of its calibration, too. Once, before it learns and after it was given its classes, without
 * which the labels are -1 and 1. */
sluice_status sl_sweep_measure(sluice_sweep *w, const sluice_meter_options *how, bool probabilities, sluice_error *err);
sluice_meter *sl_sweep_meter(const sluice_sweep *w, size_t i);
/* Counts what the lanes have predicted for a row. */
void sl_sweep_count(sl_sweep_part *a, double y, bool calibrated);
void sl_sweep_meters_free(sl_sweep_part *a);

/* Which of the kernels for 8 and for 16 lanes. */
static inline size_t sl_sweep_kernel(const sl_sweep_part *a) { return a->n_lanes / 8 - 1; }

#endif
