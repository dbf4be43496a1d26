/* The parts of the page that train --report writes. */
#ifndef CLI_TRAIN_PAGE_H
#define CLI_TRAIN_PAGE_H

#include "train/training.h"

#include <stdio.h>

/* The heaviest weights of one of several classes, or of a pair of them. */
typedef struct class_weights {
    sluice_problem problem;
    sluice_weight *weights;
    size_t n;
} class_weights;

typedef struct train_page {
    const training *t;
    char *command_line;
    const measured *apart;         /* on the test file or else the hold-out; NULL: there is neither */
    const sluice_measures *judged; /* the same, or the predictions made while learning */
    shape shape;                   /* of the same */
    double threshold;              /* of the same */
    sluice_weight *weights;        /* nonzero ones: */
    size_t n_positive, n_weights;  /* first the positive ones */
    /* of several classes; no weights then */
    const class_figures *classes; /* of what is judged */
    uint32_t *shown;              /* classes in the matrix, by their labels */
    size_t n_shown;
    uint64_t *counts; /* scratch, for each class */
    class_weights *problems;
    size_t n_problems;
} train_page;

/* train_history.c, train_curves.c: each a <figure>. */
void put_error_chart(FILE *out, const train_page *g);
void put_size_chart(FILE *out, const train_page *g);
void put_roc_chart(FILE *out, const train_page *g);
void put_precision_chart(FILE *out, const train_page *g);
void put_reliability_chart(FILE *out, const train_page *g);
/* Its bins, for reading without a pointer. */
void put_reliability_table(FILE *out, const train_page *g);

/* train_race.c: the section about the race, of a model that is one. */
void put_race(FILE *out, const train_page *g);

/* class_tables.c: several classes. Preparing returns an exit status; free in any case. */
extern const char class_styles[];
int prepare_classes(train_page *g);
void free_classes(train_page *g);
void put_class_matrix(FILE *out, const train_page *g);
void put_confused(FILE *out, const train_page *g);
void put_class_table(FILE *out, const train_page *g);
void put_class_features(FILE *out, const train_page *g);

/* train_tables.c */
void put_threshold_table(FILE *out, const train_page *g);
void put_confusion(FILE *out, const sluice_measures *m);
void put_worst(FILE *out, const worst_mistakes *worst);
void put_features(FILE *out, const train_page *g);
void put_all_measures(FILE *out, const train_page *g);
void put_params(FILE *out, const train_page *g);
void put_settings(FILE *out, const train_page *g);

#endif
