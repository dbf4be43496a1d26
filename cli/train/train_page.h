/* The parts of the page that train --report writes. */
#ifndef CLI_TRAIN_PAGE_H
#define CLI_TRAIN_PAGE_H

#include "train/training.h"

#include <stdio.h>

typedef struct train_page {
    const training *t;
    char *command_line;
    const sluice_measures *judged; /* predictions on the test file, or those made while learning */
    shape shape;                   /* of the same */
    double threshold;              /* of the same */
    sluice_weight *weights;        /* nonzero ones: */
    size_t n_positive, n_weights;  /* first the positive ones */
} train_page;

/* train_history.c, train_curves.c: each a <figure>. */
void put_error_chart(FILE *out, const train_page *g);
void put_size_chart(FILE *out, const train_page *g);
void put_roc_chart(FILE *out, const train_page *g);
void put_precision_chart(FILE *out, const train_page *g);
void put_reliability_chart(FILE *out, const train_page *g);

/* train_tables.c */
void put_threshold_table(FILE *out, const train_page *g);
void put_confusion(FILE *out, const sluice_measures *m);
void put_worst(FILE *out, const worst_mistakes *worst);
void put_features(FILE *out, const train_page *g);
void put_all_measures(FILE *out, const train_page *g);
void put_params(FILE *out, const train_page *g);
void put_settings(FILE *out, const train_page *g);

#endif
