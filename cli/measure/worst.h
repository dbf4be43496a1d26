/* The worst mistakes of a test, explained: wrong predictions of the largest margins. */
#ifndef CLI_WORST_H
#define CLI_WORST_H

#include "sluice.h"

enum {
    WORST_MISTAKES = 5,
    WORST_TERMS = 5,  /* of each */
    WORST_TEXT = 512, /* bytes kept of a name or label: more than a page shows */
};

typedef struct worst_term {
    uint64_t id;
    int is_bias, named;
    size_t n; /* bytes of the name */
    char name[WORST_TEXT];
    double contribution;
} worst_term;

typedef struct mistake {
    uint64_t line;          /* of the input, or the row in formats without lines */
    char label[WORST_TEXT]; /* what it is, */
    char said[WORST_TEXT];  /* and what was predicted */
    double margin;          /* of several classes: of the class predicted */
    double distance;        /* from the threshold or, of several classes, from the margin of the right one */
    size_t n;
    worst_term terms[WORST_TERMS]; /* the largest first */
} mistake;

typedef struct worst_mistakes {
    size_t n;
    mistake mistakes[WORST_MISTAKES]; /* the worst first; among equals the one that came first */
    uint64_t rows;                    /* seen so far */
    sluice_term *terms;               /* scratch */
    size_t room;
} worst_mistakes;

/* Notes the worst of a batch with these margins. Returns an exit status. */
int note_worst(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, const double *margins);
/* The same of a row of several classes, against the rest or in a matrix: its class, the one predicted, the margins of
 * all. Labels that the model does not know are left out. To be called for every row. */
int note_worst_class(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, size_t row,
                     uint32_t truth, uint32_t predicted, const double *margins);
void worst_free(worst_mistakes *worst);

#endif
