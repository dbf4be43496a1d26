/* Models of several classes: what their kinds have in common. One of m->ovr, m->matrix and m->problems is set. */
#ifndef SL_MANY_H
#define SL_MANY_H

#include "model/merging/merge.h"
#include "rows/class_table.h" /* SL_NO_CLASS */

/* A model of the kind that the settings name. */
sluice_model *sl_many_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                          sluice_error *err);
void sl_many_free(sluice_model *m);
uint64_t sl_many_memory(const sluice_model *m);
/* An empty model that the state of `from` fits in; sl_many_copy() copies what is not in the features. */
sluice_model *sl_many_like(const sluice_model *from, sluice_error *err);
bool sl_many_copy(sluice_model *to, const sluice_model *from);

/* Makes room for this number of classes. To be called before a row of a new class is learned: features may move. */
sluice_status sl_many_reserve(sluice_model *m, size_t classes);
/* Counts, after a row of class x->y was learned. */
void sl_many_count(sluice_model *m, const sl_row *x);
/* The class that was predicted for the last row, before it was learned; SL_NO_CLASS: there was none yet. */
size_t sl_many_predicted(const sluice_model *m);
/* Says, after loading, how many classes rows have had. */
void sl_many_set_classes(sluice_model *m, size_t classes);

/* The classes of the table that rows have had: the last one may have come with a row that was refused. */
size_t sl_classes_met(const sluice_model *m);

/* The margins of all classes of the table and, one against one, how many problems each wins (else 0). */
void sl_many_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins);
/* The class of most wins (NULL: they do not count), then of the largest margin, then the one seen first. SL_NO_CLASS:
 * there is none. */
size_t sl_best_class(const double *margins, const uint32_t *wins, size_t n);

/* class_answers.c: the probabilities of all classes of a row with these margins, NaN where the model has none. */
bool sl_many_has_probabilities(const sluice_model *m);
void sl_many_probabilities(const sluice_model *m, const sl_raw_row *r, const double *margins, double *p);
/* The calibration of a class against the rest, in a model that has them in itself; NULL: it has none. */
const sl_online_calibration *sl_class_calibration(const sluice_model *m, size_t class_index);
/* The nonzero weights of all problems. */
uint64_t sl_many_nonzeros(const sluice_model *m);
/* The weights of n features in a class; of two classes: their weights. Not for models that have problems. */
void sl_class_weights(const sluice_model *m, size_t class_index, const uint32_t *slot, size_t n, float *w);

/* many_merge.c: whether two models that are otherwise alike can be merged, and merging all but what models of two
 * classes count too; the features have been added. */
sluice_status sl_many_check_merge(sluice_model *into, const sluice_model *from);
sluice_status sl_many_merge(const sl_merge *m);
/* The settings of the binary model of a problem. */
sluice_settings sl_binary_settings(const sluice_model *m);
/* How many weight vectors there are: by class, or by pair of classes. */
size_t sl_many_problems(const sluice_model *m);
/* The class that problem i has as +1, and the one it has as -1; SL_NO_CLASS: all others. */
void sl_problem_classes(const sluice_model *m, size_t i, size_t *positive, size_t *negative);
/* A copy of the binary model of problem i. NULL: a matrix has none, or no memory. */
sluice_model *sl_problem_model(const sluice_model *m, size_t i, sluice_error *err);

#endif
