/* Labels as the classes of a model (docs/classes.md, Labels): words, or numbers other than -1, 0 and 1.
 *
 * A plain model, whose labels are -1, 0 and 1, has no class table. In every other model of two the class seen first is
 * -1 inside; the positive class, which margins and weights refer to where they leave the model, is the greater one or
 * the one that the settings name. In a model of several classes a label is inside the number of its class. */
#ifndef SL_CLASS_LABELS_H
#define SL_CLASS_LABELS_H

#include <stdbool.h>

#include "learner/learner.h"
#include "rows/batch.h"
#include "rows/class_table.h"

typedef struct sl_class_labels {
    sl_class_table table; /* none: the model is plain, or has no example yet */
    bool first_is_plus;   /* the class seen first is +1 inside, the other -1 */
    bool turned;          /* the positive class is -1 inside: margins and weights leave the model with the other sign */
    bool are_classes;     /* it is known of the labels that they are no numbers to predict */
    bool one_is_first;    /* the next label is 1, and it is known that it is the class seen first */
    bool loaded_plain;    /* loaded from a file without classes: earlier versions took true and false for 1 and 0 */
    bool was_loaded;      /* from a file: how many classes it learns is settled */
    const char *sided;    /* of a sweep: the parameter by which some configuration treats the classes differently */
    bool zero, minus;     /* plain models of which all labels so far were 0 or -1: which of them came */
    /* A stream that has had nothing but the label 1 is plain if -1 or 0 comes next, and not if another label does: then
     * 1 is the class seen first. Until then `mirror` is a model that has learned the same rows as -1. */
    struct sluice_model *mirror;
    sluice_meter *mirror_meter; /* what `metered` would be, had it measured the mirror */
    const sluice_meter *metered;
} sl_class_labels;

/* Whether parameters treat positive and negative examples differently: a pair NAME_pos, NAME_neg of unlike values.
 * Returns the first of such parameters, or NULL. */
const char *sl_one_sided(const sl_learner *learner, const double *params);

/* What the rows of a batch from `first` on say about the label 1, of which there may have been nothing but that. */
typedef enum sl_outlook {
    SL_ONE_UNCHANGED, /* nothing new */
    SL_ONE_SETTLED,   /* it is plain, or is known already, or there is none */
    SL_ONE_OPEN,      /* there is nothing but the label 1, and words may follow */
    SL_ONE_FIRST,     /* it is the class seen first, since a word or another number follows */
} sl_outlook;
sl_outlook sl_classes_look(const struct sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first);

/* Whether the model has seen more than one class. */
bool sl_has_two_classes(const struct sluice_model *m);
/* Whether the labels of a batch need more than their sign. */
bool sl_has_classes(const struct sluice_model *m, const sluice_batch *b);
/* Decides, if it can be decided by the rows of the batch from `first` on, what the label 1 is; makes the mirror, or
 * puts it in the place of the model, or frees it. To be called before rows are learned. */
sluice_status sl_classes_decide(struct sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first,
                                sluice_meter *meter);
/* Resolves labels of the rows first .. end - 1 into y, +1 or -1 as they are inside. Returns the first row whose class
 * is not known, or end. */
size_t sl_classes_resolve(struct sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                          double *y);
/* Adds the class of a row that sl_classes_resolve() stopped at. SLUICE_E_DATA: it is a third one, and so on. What the
 * meter has measured is turned round if the model is. */
sluice_status sl_classes_add_row(struct sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t row,
                                 sluice_meter *meter);
/* Counts the rows from `first` on that were learned with y[0], y[1] ...: `n` rows of importance above 0. */
void sl_classes_count(struct sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, uint64_t n,
                      const double *y);
/* The same for a label that was given as +1 (the positive class) or -1. */
void sl_classes_count_y(struct sluice_model *m, double y);
void sl_mirror_free(struct sluice_model *m);

/* Gives a model that has learned nothing the classes of another one, in their order and without their counts: the class
 * seen first is then that of the other. */
sluice_status sl_classes_take(struct sluice_model *m, const struct sluice_model *from);
/* Makes 1 the class seen first of a model that has learned nothing. */
sluice_status sl_classes_begin_with_one(struct sluice_model *m);

/* The sign inside of a label that was given as +1 (the positive class) or -1, and the way back. */
static inline double sl_turn(const sl_class_labels *c, double value) { return c->turned ? 0 - value : value; }

/* The class of a label in a model that learns no more: +1 the positive one, -1 the other, 0 none of them. */
double sl_classes_sign(const struct sluice_model *m, const sluice_batch *b, size_t row);
/* The class of a row's label, or SL_NO_CLASS: the model has none such. */
size_t sl_class_of_row(const struct sluice_model *m, const sluice_batch *b, size_t row);
/* Says that a row's label is none of the model's classes. */
sluice_status sl_classes_refuse(const struct sluice_model *m, const sluice_batch *b, size_t row, sluice_error *err);

/* The positive class, or SL_NO_CLASS: it has not come yet. */
size_t sl_positive_class(const struct sluice_model *m);

/* Copies the classes, without the mirror. False: no memory. */
bool sl_class_labels_copy(struct sluice_model *to, const struct sluice_model *from);
void sl_class_labels_free(struct sluice_model *m);
/* Whether the models' classes can be merged, and merging them. */
bool sl_class_labels_fit(const struct sluice_model *into, const struct sluice_model *from);
/* The counts of `start`, which may be NULL, are taken off: both began with them. */
bool sl_class_labels_merge(struct sluice_model *into, const struct sluice_model *from,
                           const struct sluice_model *start);
/* After loading: sets `turned`. False: the classes are impossible. */
bool sl_class_labels_settle(struct sluice_model *m);

/* eval/meter.c. Counts a row that a model has learned: margin and y as they are inside. */
sluice_status sl_meter_add_learned(sluice_meter *meter, const struct sluice_model *m, double margin, double y);
/* Turns round what was measured: positive becomes negative. */
void sl_meter_turn(sluice_meter *meter);
/* A copy that measures another model; NULL: no memory. */
sluice_meter *sl_meter_copy(const sluice_meter *meter, const struct sluice_model *model);
/* Exchanges what both have measured. */
void sl_meter_exchange(sluice_meter *a, sluice_meter *b);

#endif
