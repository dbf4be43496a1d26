/* Several classes, one against the rest: a binary problem for each class, all in the lanes of one model.
 *
 * Lane c is the problem of class c: its rows are +1, all others -1. Lanes without a class take every row as -1. So each
 * of them is what the problem of a class that has not appeared yet must be, and a new class takes the next one as it
 * is. One lane is always left over for the classes still to come. */
#ifndef SL_OVR_H
#define SL_OVR_H

#include "learner/lane_blocks.h"
#include "model/model.h"
#include "rows/class_table.h" /* SL_NO_CLASS */

enum { SL_MOST_OVR_LANES = 1008 }; /* with one lane to spare, in vectors */

/* What a binary model counts, of one problem. */
typedef struct sl_problem_counts {
    uint64_t mistakes, updates, positives;
    sl_online_calibration calibration;
} sl_problem_counts;

typedef struct sl_ovr {
    sl_lane_blocks lanes;
    sl_learner rule;          /* the model's: its features hold all lanes */
    sl_problem_counts *count; /* by lane */
    size_t classes;           /* that rows have had so far */
    size_t predicted;         /* of the last row, before it was learned; SL_NO_CLASS: there was no class yet */
} sl_ovr;

/* A model whose rows have classes, 0, 1, 2, ... in the order of first occurrence, as labels. */
sluice_model *sl_ovr_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                         sluice_error *err);
void sl_ovr_free(sl_ovr *o);
/* Makes room for this number of classes. To be called before a row of a new class is learned: features may move. */
sluice_status sl_ovr_reserve(sluice_model *m, size_t classes);
/* Counts what a binary model of each problem would, after a row of class x->y was learned. */
void sl_ovr_count(sluice_model *m, const sl_row *x);
/* The margins of all classes. */
void sl_ovr_margins(const sluice_model *m, const sl_raw_row *r, double *margins);
/* An empty model with as many lanes, and copying what is not in the features. */
sluice_model *sl_ovr_like(const sluice_model *from, sluice_error *err);
void sl_ovr_copy(sl_ovr *to, const sl_ovr *from);
/* Takes the binary model of a lane, as sl_ovr_class_model() gives it, from a file. False: its features are others. */
bool sl_ovr_put_model(sluice_model *m, size_t lane, const sluice_model *from);
/* After loading: gives the lanes without a class what the first of them has. */
void sl_ovr_settle(sluice_model *m);
/* The binary model of a class, byte for byte the one that would have learned the stream with this class as +1 and all
 * others as -1; SL_NO_CLASS: of the classes still to come. */
sluice_model *sl_ovr_class_model(const sluice_model *m, size_t class_index, sluice_error *err);

#endif
