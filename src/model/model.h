/* The model struct and what the parts of the library that make, save and load models share. */
#ifndef SL_MODEL_H
#define SL_MODEL_H

#include "calibration/online_calibration.h"
#include "calibration/holdout_calibration.h"
#include "learner/lane_blocks.h"
#include "model/kept/metadata.h"
#include "model/kept/positions.h"
#include "model/classes/class_labels.h"
#include "features/feature_keys.h"
#include "rows/duplicate_ids.h"
#include "rows/row_keys.h"

/* Counts of a model file are at most SL_MAX_COUNT. A model whose counts have come half as far learns no more, so that
 * no count ever overflows and what is saved can be loaded. */
#define SL_MAX_COUNT ((uint64_t)INT64_MAX)

/* A feature whose scale has become `by` times what it was. */
typedef struct sl_growth {
    uint32_t slot;
    float before; /* 0: it had none */
    double by;
} sl_growth;

/* Which features go into a predict-only copy. */
typedef struct sl_feature_choice {
    sluice_keep_function keep;
    void *context;
} sl_feature_choice;

struct sluice_model {
    const sl_learner *learner;
    const sl_learner *rule; /* what the state belongs to: the learner, or sl_predict_only in a predict-only model; of
                               several classes one that the kind has made */
    sl_kernels kernels;     /* the rule's functions */
    double params[SL_MAX_PARAMS];
    double scalars[SL_MAX_SCALARS];
    sluice_settings settings; /* `positive` is the model's own copy */
    sl_class_labels classes;
    sl_metadata metadata;   /* what programs keep in the model */
    sl_positions positions; /* how far streams were learned */
    sl_state state;
    const sl_feature_choice *choice; /* while a predict-only copy is made; NULL: all features */
    sl_features features;
    struct sl_ovr *ovr;           /* several classes, one against the rest (ovr.h) */
    struct sl_matrix *matrix;     /* or in a matrix (matrix.h); */
    struct sl_problems *problems; /* or as models of their own (problems.h); all NULL: two classes */
    struct sl_race *race;         /* auto: the models that race (race.h); NULL: it is a plain model */
    uint64_t mistakes, updates, positives;
    struct {
        uint64_t rows;              /* learned without a label: rounds that count nowhere else */
        double probability, weight; /* from where on, 0: never; and how much they count */
        bool now;                   /* one is being learned */
    } pseudo;
    sl_online_calibration calibration; /* online calibration, updated by learning */
    sl_holdout holdout;  /* calibration fitted on a hold-out; overrides `calibration`; dropped by learning */
    bool has_threshold;  /* dropped by learning, too */
    double threshold;    /* where it is set: larger margins mean +1 (model/threshold.h) */
    uint64_t growth[64]; /* features seen when 2^i examples were, plus 1; 0: unknown */
    bool broken;         /* left the range of numbers: neither learns nor saves */
    sluice_error error;
    struct {
        sluice_progress_function function;
        void *context;
    } progress; /* of long calls; function NULL: it is not reported */

    /* buffers for laying out a row that cannot be used as it lies */
    uint32_t *row_slot;
    float *row_value;
    float *row_input;    /* its values before the length counts, where the settings change them */
    float *row_unscaled; /* batch learners with scales: and before they are divided; from row_room on as laid out */
    struct {
        sl_growth *list;
        size_t n;
    } grown; /* scales that the row has made larger, weights not yet */
    uint64_t *row_key;
    size_t row_room;
    sl_duplicates repeat;
    sl_numbers numbers[2]; /* this row's names, and the next one's */
};

/* Whether the model is of several classes: the labels that its rule sees are their numbers in the class table. */
static inline bool sl_model_is_of_many(const sluice_model *m) {
    return m->ovr || m->matrix || m->problems || (m->race && m->settings.classes != SLUICE_CLASSES_TWO);
}

/* The rounds whose rows had labels. */
static inline uint64_t sl_model_examples(const sluice_model *m) { return m->state.t - m->pseudo.rows; }

/* Whether it is a predict-only model, which has no functions to learn with. */
static inline bool sl_model_is_predict_only(const sluice_model *m) { return !m->kernels.score; }

/* model/predict_only.c: the rule of predict-only models. */
extern const sl_learner sl_predict_only;
/* Whether a feature goes into a predict-only copy. */
bool sl_is_chosen(const sluice_model *m, const sl_walk *at);

/* A model without features. Learner, parameters and settings must have been checked. */
sluice_model *sl_model_empty(const sl_learner *learner, const sl_learner *rule, const double *params,
                             const sluice_settings *settings, sluice_error *err);
/* Parts of a copy: the counts, and the history of the features. */
void sl_model_copy_counts(sluice_model *to, const sluice_model *from);
void sl_model_copy_history(sluice_model *to, const sluice_model *from);
/* Scalars, features and their history from one lane of a model whose features hold lanes, to an empty model. False: no
 * memory. */
bool sl_model_copy_lane(sluice_model *to, const sluice_model *from, const sl_lane_blocks *lanes, size_t lane);
sluice_model *sl_model_copy_without_pending(const sluice_model *from, sluice_error *err);
/* Batch learners: gives the row's features their columns, and makes room for the row; false: no memory. */
bool sl_model_prepare_pending(sluice_model *m, const sl_row *x);
/* Adds the row to the pending rows. */
void sl_model_add_pending(sluice_model *m, const sl_row *x);
/* Checks, before its first row, that a batch can be learned. */
sluice_status sl_model_check_batch(sluice_model *m);
/* Exchanges two models, but for metadata and error; `a` keeps its progress function. */
void sl_model_exchange(sluice_model *a, sluice_model *b);
/* Learns the pending rows, if there are any, and removes them. */
sluice_status sl_model_finish_batch(sluice_model *m);
/* Whether the weights of n features are finite: 64-bit state may be where the 32-bit weight computed from it is not. */
bool sl_model_weights_finite(const sluice_model *m, const uint32_t *slot, size_t n);
/* As sluice_model_weights(), with the signs that they have inside; of several classes those of one. */
sluice_status sl_model_weights_inside(const sluice_model *m, size_t class_index, sluice_weight **weights, size_t *n,
                                      sluice_error *err);
/* The key of the feature that a walk stands at. */
sluice_weight sl_weight_at_walk(const sluice_model *m, const sl_walk *at);
/* Makes room for what learning a row, laid out for the rule, makes necessary; it may be called again. */
sluice_status sl_model_prepare_row(sluice_model *m, const sl_row *x);
/* Learns a row that is laid out for the rule; *margin: before that. */
sluice_status sl_model_round(sluice_model *m, const sl_row *x, double *margin);
/* Learns one row of a binary model, whose label is y; *margin: before that. Its labels are those inside. */
sluice_status sl_model_learn_raw(sluice_model *m, const sl_raw_row *r, double y, double h, double *margin);
/* The margin of a row inside a binary model. */
double sl_model_raw_margin(const sluice_model *m, const sl_raw_row *r);
/* Checks settings, wherever they come from. */
sluice_status sl_settings_check(const sluice_settings *settings, sluice_error *err);

#endif
