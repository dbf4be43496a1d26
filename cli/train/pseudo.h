/* train --pseudo: learning from examples without a label. */
#ifndef CLI_PSEUDO_H
#define CLI_PSEUDO_H

#include "args/args.h"
#include "output/report.h"

#define PSEUDO_OPTIONS                                                                                                 \
    {"pseudo", 0, "P",                                                                                                 \
     "learn examples without a label (an empty one, or ?) as well, as the class that is predicted, where its "         \
     "probability is at least P",                                                                                      \
     0},                                                                                                               \
    {                                                                                                                  \
        "pseudo-weight", 0, "V", "the importance of these examples, times their own (default 1)", 0                    \
    }

typedef struct pseudo {
    double probability; /* 0: they are not learned */
    double weight;
    uint64_t before; /* learned in earlier runs, with -i */
    uint64_t ended;  /* learned in this run by models that --on-drift reset has ended: nothing is then before */
} pseudo;

/* Reads the options. Returns DONE or WRONG_USAGE. */
int pseudo_options(const args *a, pseudo *p);
/* Makes the model learn them. Returns an exit status, after saying what is wrong. */
int pseudo_start(const args *a, pseudo *p, sluice_model *model);
/* How the examples to learn from are read. */
sluice_reader_options pseudo_reading(const pseudo *p, const sluice_reader_options *reading);
/* Before the model begins anew. */
void pseudo_begin_anew(pseudo *p, const sluice_model *model);
/* Where examples without a label came and none was learned, says why. */
void pseudo_note(const pseudo *p, const sluice_model *model, uint64_t unlabelled);
/* How many were learned in this run. */
void report_pseudo(report *r, const pseudo *p, const sluice_model_facts *facts);

#endif
