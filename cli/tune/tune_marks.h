/* Parts of the page of `sluice tune`: figures of the measure, names of points, and the chart along a stream. */
#ifndef CLI_TUNE_MARKS_H
#define CLI_TUNE_MARKS_H

#include "page/chart.h"
#include "tune/tuning.h"

/* A figure of the measure: a share in percent (with the sign or without), another one as it is; a dash for NaN. */
void put_measure(FILE *out, const sluice_measure_info *m, double value, int with_sign);
/* The labels of an axis of the measure. */
put_label *measure_label(const sluice_measure_info *m);
/* The learner with what distinguishes the point from the learner's others. */
void put_point_name(FILE *out, const sluice_point *p);

/* The best points along the stream: the measure of each part or, while learning, the error. Nothing for random folds,
 * or where there is but one part. */
void put_stream_chart(FILE *out, const tuning *t);

#endif
