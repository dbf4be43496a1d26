/* What a meter counts of several classes: the confusions that occur, the numbers of each class, ranks, log losses. */
#ifndef SL_CLASS_COUNTS_H
#define SL_CLASS_COUNTS_H

#include <stdbool.h>

#include "sluice.h"

enum { SL_MOST_CLASSES = 1 << 24 };

/* Of one class: examples of it, predictions of it, and those that are both. */
typedef struct sl_class_tally {
    uint64_t support, predicted, hits;
} sl_class_tally;

/* Mistakes of one kind. */
typedef struct sl_class_cell {
    uint32_t truth, predicted; /* or SLUICE_NO_CLASS */
    uint64_t count;            /* 0: the place is free */
} sl_class_cell;

/* Memory is in proportion to the classes and to the pairs of classes that were confused. Begin with {.ranks = n}: hits
 * among the first k answers are counted for k = 1 .. n. */
typedef struct sl_class_counts {
    sl_class_tally *of; /* by class */
    size_t n, room;     /* classes: above the largest that occurred */
    sl_class_cell *cell;
    size_t cells;  /* used */
    unsigned bits; /* 2^bits places, at most half of them used; 0: none yet */
    uint64_t examples, hits;
    uint64_t unknown;    /* examples whose label is no class of the model */
    uint64_t unanswered; /* examples without a prediction */
    uint64_t *at_rank;   /* [k]: examples whose class was the answer k, from 0 */
    size_t ranks;
    uint64_t unranked; /* mistakes of which the rank of the true class is not known */
    double log_loss;
    uint64_t probabilities; /* examples that have one */
} sl_class_counts;

void sl_class_counts_free(sl_class_counts *c);
/* False: no memory; `to` is then empty. */
bool sl_class_counts_copy(sl_class_counts *to, const sl_class_counts *from);
/* Counts one prediction. rank: the true class was the rank-th best answer, from 1; 0: not known. probability: of the
 * true class; NaN: there is none. False: no memory, and nothing was counted. */
bool sl_class_counts_add(sl_class_counts *c, uint32_t truth, uint32_t predicted, uint32_t rank, double probability);
/* Precision, recall and F1 of a class, 0 where they are 0 / 0. */
sluice_class_measures sl_class_counts_of(const sl_class_counts *c, size_t class_index);
/* Share of the examples whose class is among the best k answers; NaN: not known. */
double sl_class_counts_top(const sl_class_counts *c, size_t k);
/* All figures of several classes; those of two classes alone become NaN. */
void sl_class_counts_measure(const sl_class_counts *c, sluice_measures *r);
/* The cells that occur, hits among them: by truth, then by prediction; SLUICE_NO_CLASS last. Writes none if there is
 * no room for all. Returns how many there are. */
size_t sl_class_counts_cells(const sl_class_counts *c, sluice_confusion *to, size_t room);

#endif
