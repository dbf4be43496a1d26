/* Several classes as binary models, one for each problem: one class against the rest for learners without lanes, and
 * one class against one.
 *
 * Every problem is a model of its own, with its own features, and learns the rows that are its part of the stream. For
 * classes that have not appeared yet there are models that have learned what theirs would have: against the rest one
 * that has taken every row as -1, and against one, for each class, one that has taken its rows as -1. A new class takes
 * copies of them.
 *
 * The features of the model itself say what was seen, and when. */
#ifndef SL_PROBLEMS_H
#define SL_PROBLEMS_H

#include "model/model.h"

typedef struct sl_problems {
    bool against_one;       /* ovo; else ovr */
    sl_learner rule;        /* the model's: it goes by what the problems have made of the row */
    sluice_model **problem; /* against the rest: by class; else that of classes a < b at b (b - 1) / 2 + a, where b is
                               +1 */
    sluice_model **to_come; /* the models for classes to come: one, or by class */
    double *total;          /* by class: its margin in the row that is learned */
    uint32_t *wins;         /* by class: how many of its problems it wins there */
    size_t known;           /* classes that there are models for */
    size_t n, n_to_come;
    size_t classes;   /* that rows have had so far */
    size_t predicted; /* of the last row, before it was learned; SL_NO_CLASS: there was no class yet */
    bool updated;     /* whether a problem made an update in the last row */
} sl_problems;

/* How many problems there are with this number of classes, and how many models for classes to come. */
size_t sl_problems_of(bool against_one, size_t classes);
static inline size_t sl_problems_to_come(bool against_one, size_t classes) { return against_one ? classes : 1; }
/* The place of the problem of classes a < b. */
static inline size_t sl_pair_problem(size_t a, size_t b) { return b * (b - 1) / 2 + a; }

/* A model whose rows have classes, 0, 1, 2, ... in the order of first occurrence, as labels. */
sluice_model *sl_problems_new(bool against_one, const sl_learner *learner, const double *params,
                              const sluice_settings *settings, sluice_error *err);
void sl_problems_free(sl_problems *p);
uint64_t sl_problems_memory(const sl_problems *p);
/* Copies all models. False: no memory. */
bool sl_problems_copy(sluice_model *to, const sluice_model *from);
/* Makes the models of this number of classes. To be called before a row of a new class is learned. */
sluice_status sl_problems_reserve(sluice_model *m, size_t classes);
/* For loading: no models, not even of an empty one; and the i-th model, as sl_problems_at() has it. False: no memory.
 */
void sl_problems_empty(sluice_model *m, bool predict_only);
bool sl_problems_put(sluice_model *m, size_t i, sluice_model *problem);
/* All models: the problems, then those for classes to come. */
sluice_model *sl_problems_at(const sl_problems *p, size_t i);
/* Every problem learns its rows. To be called before the row is learned by the model's own rule. Where it fails after a
 * problem has learned the row the model is broken. */
sluice_status sl_problems_learn(sluice_model *m, const sl_raw_row *r, double y, double h);
/* As the public functions, for all problems. */
sluice_status sl_problems_end_run(sluice_model *m);
sluice_model *sl_problems_finished(const sluice_model *m, sluice_error *err);
void sl_problems_set_threads(sl_problems *p, unsigned threads);
/* A predict-only copy, its problems made by `make`: sluice_model_final() or _snapshot(). Those for classes to come go.
 */
sluice_model *sl_problems_predict_only(const sluice_model *m,
                                       sluice_model *(*make)(const sluice_model *, sluice_error *), sluice_error *err);
/* The margins of all classes; against one: the sum over a class's problems, and how many of them it wins. */
void sl_problems_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins);

#endif
