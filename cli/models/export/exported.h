/* A model as other programs take it: features with numbers, and a vector of weights for each problem. */
#ifndef CLI_EXPORTED_H
#define CLI_EXPORTED_H

#include "http/text_buffer.h"
#include "sluice.h"

#include <stdio.h>

typedef struct exported_feature {
    uint64_t number;  /* its id; where features have names, its place among them from 1 (feature_numbers.h) */
    sluice_name name; /* text NULL: it has an id */
    size_t first, n;  /* which of the weights are its */
} exported_feature;

typedef struct exported_weight {
    uint32_t problem;
    float weight;
} exported_weight;

typedef struct exported_model {
    const sluice_model *model; /* predict-only */
    const sluice_settings *settings;
    const char *learner;
    int has_names, log_odds;
    size_t problems; /* vectors of weights; 1 for two classes */
    size_t classes;  /* 2, or as many as the model of several has: model_class_label() */
    int labels_are_ints;
    double *constant;          /* of each problem: what the constant feature adds to its margin */
    int has_constant;          /* whether there is a constant feature */
    exported_feature *feature; /* those with a weight, by ascending number, without the constant one */
    size_t n;
    exported_weight *weight; /* by feature, then by problem */
    size_t weights;
    uint64_t largest;   /* number */
    double threshold;   /* two classes: margins above it mean the positive one; 0 where none is set */
    int ties_positive;  /* and a margin that is equal means it, too */
    const char *prefix; /* what names in C begin with */
    unsigned vw_bits;   /* vw: of the indices; set by its check, */
    text_buffer built;  /* onnx: as this is, the file */
} exported_model;

/* Reads a predict-only model; it is that of the path. Returns an exit status after saying what is wrong. */
int exported_read(exported_model *e, const sluice_model *model);
void exported_free(exported_model *e);

/* The classes of a problem, as model_class_label() counts: `negative` is SLUICE_NO_CLASS where it is all others. */
void exported_problem(const exported_model *e, size_t i, uint32_t *positive, uint32_t *negative);
/* Whether values are changed before they meet the weights: transformed, scaled, or rows brought to length 1. */
int exported_changes_values(const exported_model *e);

/* A format: says (by complain()) what it cannot have and returns FAILED, or DONE; then writes. */
typedef struct export_format {
    const char *name, *what;
    int (*check)(exported_model *e);
    void (*write)(FILE *out, const exported_model *e);
    int numbers_features; /* by number alone: names need a file of their own */
    int numbers_classes;  /* as well */
    int is_listing;       /* for reading: no program predicts with it */
} export_format;

extern const export_format export_json, export_tsv, export_liblinear, export_vw, export_onnx, export_c;

#endif
