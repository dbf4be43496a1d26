/* Several classes in one matrix: a weight for every (feature, class) pair that has ever made a step.
 *
 * After Kesler: that class y is to come before class r for an example x is a binary problem over pairs, in which those
 * of y have the values x, those of r the values -x, and the label is +1. So the learner's own functions run over a row
 * of 2n pairs, with r the wrong class of largest margin; margin, norm and variance of that row are those of the
 * multi-class forms (Crammer et al. 2006; Crammer, Kulesza and Dredze 2009).
 *
 * The pairs of a feature lie side by side in one arena, their classes in an array beside it. To the core of the model a
 * feature is the place of its list. */
#ifndef SL_MATRIX_H
#define SL_MATRIX_H

#include "model/classes/class_vectors.h"
#include "model/classes/pair_arena.h"
#include "model/merging/merge.h"
#include "rows/class_table.h" /* SL_NO_CLASS */

/* The struct of a feature. */
typedef struct sl_matrix_feature {
    uint32_t born; /* how many features were seen before it: where vectors are truncated; else 0 */
    sl_pair_list list;
} sl_matrix_feature;

/* The class of the pair that a list begins with where the classes of a feature share a member: it has that member
 * alone. */
#define SL_SHARED_PAIR UINT32_MAX

typedef struct sl_matrix {
    sl_learner rule;             /* the model's: its features are lists */
    const sl_learner *learner;   /* the model's */
    const sl_learner *pair_rule; /* of the pairs: as the learner, or sl_predict_only */
    sl_learner vector_rule;      /* of learners that project: a pair is v alone */
    sl_kernels kernels;          /* of the pairs */
    bool shares;                 /* lists begin with a pair that is of no class */
    const sl_space *space;       /* the model's features */
    sl_pair_arena arena;
    sl_class_vector *vectors; /* of learners that project, by class; else NULL */
    uint64_t heaps_made_at;   /* theirs, when the space had this number of moves */
    size_t classes;           /* that rows have had so far */
    size_t predicted;         /* of the last row, before it was learned; SL_NO_CLASS: there was no class yet */
    /* by class */
    double *margin;
    uint64_t *touched; /* the round in which the margin was last computed; else it is 0 */
    uint32_t *in_row;  /* the classes that have a pair with a feature of the row */
    size_t n_in_row, class_room;
    /* the row of pairs */
    uint32_t *slot;
    float *value;
    char *fresh; /* states of pairs that are not there yet */
    size_t pair_room;
    /* Predict-only models of ovr: the calibration of each class. Else NULL. */
    sl_online_calibration *calibration;
} sl_matrix;

/* The pairs of a feature. */
static inline sl_pair_list *sl_matrix_list(const sluice_model *m, uint32_t slot) {
    return &((sl_matrix_feature *)(void *)sl_space_at(&m->features.space, slot))->list;
}

/* Whether the learner has such a form. */
bool sl_matrix_takes(const sl_learner *learner);
/* A model whose rows have classes, 0, 1, 2, ... in the order of first occurrence, as labels. */
sluice_model *sl_matrix_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                            sluice_error *err);
/* The predict-only model of a learner's classes, however they were learned: a weight for each pair. */
sluice_model *sl_matrix_new_predict_only(const sl_learner *learner, const double *params,
                                         const sluice_settings *settings, sluice_error *err);
/* An empty model that the state of `from` fits in. */
sluice_model *sl_matrix_like(const sluice_model *from, sluice_error *err);
/* The predict-only copy of a model of several classes, in a matrix or one against the rest. */
sluice_model *sl_matrix_predict_only(const sluice_model *from, sluice_error *err);
void sl_matrix_free(sl_matrix *x);
uint64_t sl_matrix_memory(const sl_matrix *x);
/* Makes room for this number of classes, which may be the most there can be: sl_many_reserve() looks at that. */
sluice_status sl_matrix_reserve(sluice_model *m, size_t classes);
/* Copies what is not in the features. False: no memory. */
bool sl_matrix_copy(sluice_model *to, const sluice_model *from);
/* matrix_merge.c: adds classes, features and pairs; what can fail does so before any sum has changed. */
sluice_status sl_matrix_merge(const sl_merge *m);
/* The margins of all classes. */
void sl_matrix_margins(const sluice_model *m, const sl_raw_row *r, double *margins);
/* Learns the scale of the probabilities from a row whose margins were computed before it was learned. */
void sl_matrix_calibrate(sluice_model *m, const sl_row *x);
/* How many classes a feature has a weight for. */
size_t sl_matrix_nonzeros(const sluice_model *m, uint32_t slot);
/* The weights of a feature in all classes. */
void sl_matrix_weights(const sluice_model *m, uint32_t slot, float *w);
/* After loading or copying: how many classes rows have had, as the class table says. */
sluice_status sl_matrix_settle(sluice_model *m);
/* How many pairs of classes a list has, and where they begin. */
static inline uint32_t sl_pairs_of_classes(const sl_matrix *x, const sl_pair_list *list, uint32_t *first) {
    *first = list->first + x->shares;
    return list->n ? list->n - x->shares : 0;
}
/* The weights of the pairs at n places, as they are. */
void sl_matrix_place_weights(const sluice_model *m, const uint32_t *place, size_t n, float *w);
/* The weight of a feature's slot in a class. */
float sl_matrix_weight(const sluice_model *m, uint32_t slot, size_t class_index);

#endif
