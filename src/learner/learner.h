/* What a learner is: one const record that declares its parameters and its state, and the functions that are the rule.
 *
 * The core does the rest from the declaration: it gives every feature its struct, grows, saves, loads, copies, merges,
 * checks parameters, writes help and docs. A learner never allocates, prints or fails (except in prepare
 * and finish). */
#ifndef SL_LEARNER_H
#define SL_LEARNER_H

#include <math.h>
#include <stdbool.h>

#include "learner/blas.h"
#include "rows/pending_rows.h"
#include "features/top_features.h"
#include "learner/lanes.h"
#include "learner/merging.h"

enum { SL_MAX_PARAMS = 16, SL_MAX_FIELDS = 8, SL_MAX_SCALARS = 8 };

/* One example as a learner sees it: nonzero values, each feature known and named by its slot. */
typedef struct sl_row {
    const uint32_t *slot;
    const float *value;
    size_t n;
    double y; /* +1 or -1 */
    double h; /* importance, > 0 */
} sl_row;

/* Loops over dense vectors. */
typedef struct sl_vector_kernels {
    double (*dot)(const double *a, const double *b, size_t n); /* a.b */
    /* column += lambda Sx, Sx += g column, both with column as it was */
    void (*turn)(double *column, double *Sx, size_t n, double lambda, double g);
} sl_vector_kernels;

/* Learners with a matrix over the features. */
typedef struct sl_dense_state {
    double *matrix; /* half of a symmetric matrix, row after row up to the diagonal */
    double *vector; /* a number per row */
    double *work;   /* room for two more, valid within a round */
    size_t order;   /* rows */
    size_t room;    /* rows there is memory for */
    bool lost;      /* the matrix is no longer positive definite, and the model is unusable */
} sl_dense_state;

/* Learners in batches. */
typedef struct sl_batch_state {
    sl_pending pending;  /* the rows of the unfinished batch */
    size_t columns;      /* features that have had a value so far */
    uint32_t *slot_of;   /* in finish: the slot of each column */
    const sl_blas *blas; /* in finish */
    unsigned threads;    /* that finish may use; 0: as many as there are cores */
} sl_batch_state;

/* What a learner has to work with. Most need the first four members; the parts below are for learners that declare so.
 */
typedef struct sl_state {
    void *features;  /* the learner's struct, one per slot */
    const double *p; /* its parameters, in the order of its table */
    double *scalar;  /* its scalars, likewise */
    uint64_t t;      /* in score and update: this round, from 1; in weights: the rounds done */
    uint64_t seen;   /* features seen, those of this round's example among them */
    const sl_vector_kernels *vectors;
    sl_dense_state dense;
    sl_batch_state batch;
    sl_top top;                   /* learners with a rank: the features they keep */
    struct sl_sweep_part *part;   /* in a sweep: the configurations that share the features */
    struct sl_ovr *ovr;           /* several classes: the problems that share the features */
    struct sl_matrix *matrix;     /* or their pairs with the features */
    struct sl_problems *problems; /* or their models */
    struct sl_race *race;         /* auto: the models that race */
} sl_state;

typedef enum sl_type { SL_F32, SL_F64, SL_U32 } sl_type;
static inline size_t sl_type_size(sl_type type) { return type == SL_F64 ? 8 : 4; }

/* One member of the per-feature struct. */
typedef struct sl_field {
    const char *name;
    sl_type type;
    size_t offset;
    double least; /* no value below this is possible; a file that says otherwise is refused */
} sl_field;

#define SL_FIELD(member, type)                                                                                         \
    { #member, type, offsetof(feature, member), -INFINITY }
#define SL_FIELD_FROM(member, type, least)                                                                             \
    { #member, type, offsetof(feature, member), least }

/* The functions of a rule, as a model runs them: of several versions, the one for this processor. */
typedef struct sl_kernels {
    /* The margin of x in round t. What the rule does every round before predicting happens here too. */
    double (*score)(sl_state *s, const sl_row *x);
    /* Learns x, whose margin is m; whether the rule made an update. What happens every round after that belongs here.
     */
    bool (*update)(sl_state *s, const sl_row *x, double m);
    /* The weights of n slots after t rounds. Changes nothing. */
    void (*weights)(const sl_state *s, const uint32_t *slot, size_t n, float *w);
    /* The weights that score() takes in round t, where it changes nothing before that. NULL: no kernel set has it. */
    void (*round_weights)(const sl_state *s, const uint32_t *slot, size_t n, float *w);
    /* Brings counters of rounds in the features up to date before they wrap. NULL: the features have none. */
    void (*settle)(sl_state *s, const uint32_t *slot, size_t n);
    /* After t rounds, before the next: the weight that a feature will have in that one becomes `by` > 1 times as large,
     * with all that is not needed for that as it was; a weight of 0 stays, and so does its state. */
    void (*rescale)(sl_state *s, uint32_t slot, double by);
} sl_kernels;

/* The versions of a rule, by kernel set (base/cpu.h: portable, avx2, avx512); NULL: the build has none. */
typedef struct sl_kernel_sets {
    const sl_kernels *single[3];
    const sl_lane_kernels *lanes[3];
} sl_kernel_sets;

typedef struct sl_learner {
    sluice_learner_info info; /* name, summary, paper, parameters; the public face */

    const sl_field *fields; /* the members of the per-feature struct that are its state */
    size_t n_fields;
    const void *fresh;           /* a feature's struct when first seen; NULL: zeros. Zeros must mean a weight of 0 */
    const char *const *scalars;  /* names, ended by NULL */
    const double *first_scalars; /* what they start at; NULL: all at 0 */
    const char *trial[SL_MAX_PARAMS]; /* parameters that switch everything on: what the conformance tests run it with */
    const char *without_matrix;       /* dense learners: the learner that does the same with less memory */
    const char *only_weights_0_1;     /* the rule knows no other importance: the learners that do; NULL: it knows all */
    bool counts_features;             /* the rule asks how many features were seen */
    bool draws;                       /* at random, example by example: the order of the values matters */
    /* Whether with these parameters the margins are log odds; only where info.flags has SLUICE_LEARNER_PROBABILITY. */
    bool (*has_probability)(const double *p);

    /* The rule: in versions, or one for all. Batch learners have no update. */
    const sl_kernel_sets *sets; /* NULL: there is one version */
    sl_kernels kernels;
    bool counts_rounds; /* features have counters of rounds, which settle() keeps from wrapping */
    size_t shared_by;   /* lanes with the same value of this parameter share work, if the rule can */
    /* Learners that can forget: the place of their parameter `forget`, and the rule where it is below 1. Its state is
     * that of the plain rule, and behind it one counter of rounds. NULL: cannot, or is that rule. */
    size_t forget;
    const struct sl_learner *forgetting;
    /* Before a round, where a learner must make room; may fail. NULL: nothing to do. */
    bool (*prepare)(sl_state *s, const sl_row *x);
    /* Learners with a matrix: the row of it that a feature has, from 1; 0: none. */
    uint32_t (*row_of)(const void *features, uint32_t slot);
    /* Learners that keep a limited number of features: the rank by which features are kept, the highest first; 0: not
     * kept. Their struct begins with an sl_ranked. NULL: keeps all. */
    uint32_t (*rank)(const void *feature);
    bool keeps_list; /* chance decides: the rank is a place in a list, `low` of its sl_ranked */
    /* Learners whose matrix is no triangle over the rows: how many numbers it has, SIZE_MAX where there cannot be so
     * many rows. NULL: a triangle, or none. */
    size_t (*matrix_size)(const double *p, size_t order);
    /* Batch learners, which have no update: learns the rows held, of which there are some, and leaves them as they are;
     * adds the updates it made. May fail. Their struct begins with a uint32_t column. NULL: learns row by row. */
    sluice_status (*finish)(sl_state *s, uint64_t *updates, sluice_error *err);
    size_t batch; /* which of its parameters says how many rows make a batch (0: all of a run) */

    /* Learners whose models merge (info.flags has SLUICE_LEARNER_MERGES) otherwise than by adding the members of their
     * structs. Scalars add. NULL: they add. And where they have a common start; NULL: as `merge`, or the averages. */
    sl_merge_function *merge, *merge_since;

    /* Several classes in a matrix (info.flags has SLUICE_LEARNER_MATRIX): the rule over the pairs of two classes, and
     */
    const sl_field *matrix_shares; /* a member that score() computes before it predicts, and that all classes of a
                                      feature share; NULL: none */
    /* learners that project and truncate the vector of each class: the step for the loss l > 0 and |x|^2 > 0 */
    double (*matrix_step)(const double *p, double l, double xx, double h);
    size_t matrix_radius, matrix_share; /* the parameters: the largest l1 norm, and the share of features to keep */
} sl_learner;

/* The learner, or the form of it that forgets, if these parameters say so: what the state of a model belongs to. */
const sl_learner *sl_learner_for(const sl_learner *learner, const double *params);
/* The functions of a learner's rule that suit this processor. */
sl_kernels sl_learner_kernels(const sl_learner *learner);
/* The same for lanes; NULL: the learner, or this build, has none. */
const sl_lane_kernels *sl_learner_lanes(const sl_learner *learner);
const sl_vector_kernels *sl_vector_kernels_here(void);

/* The parts of a record that every learner fills in the same way. */
#define SL_COUNT(array) (sizeof(array) / sizeof *(array))
#define SL_STATE_OF(struct_type, field_table)                                                                          \
    .info.bytes_per_feature = sizeof(struct_type), .fields = field_table, .n_fields = SL_COUNT(field_table)
#define SL_PARAMS(param_table) .info.params = param_table, .info.n_params = SL_COUNT(param_table)

/* A feature's column, from 1, of a batch learner; 0: it has had no value yet. */
static inline uint32_t *sl_column(void *features, size_t size, uint32_t slot) {
    return (uint32_t *)(void *)((char *)features + slot * size);
}

/* Every SL_SETTLE_EVERY rounds settle() runs: 32-bit round counters never wrap. */
#define SL_SETTLE_EVERY ((uint64_t)1 << 31)

/* Grows the matrix to `order` rows; new ones are those of the identity, their numbers in the vector 0. False: no
 * memory. */
bool sl_dense_widen(sl_state *s, size_t order);
/* Allocates `order` rows and `numbers` numbers of the matrix; new ones are not initialised. */
bool sl_dense_resize(sl_state *s, size_t order, size_t numbers);
/* The size of a learner's matrix of `order` rows, in numbers. */
size_t sl_matrix_numbers(const struct sl_learner *rule, const double *p, size_t order);
static inline size_t sl_triangle(size_t order) { return order * (order + 1) / 2; }

/* algo/table.c: all learners, ended by NULL, and what each is for. */
extern const sl_learner *const sl_learners[];
extern const char *const sl_learner_uses[];
/* By its name, the one that models and results say; and by that or another one that papers and programs give it. */
const sl_learner *sl_learner_find(const char *name);
const sl_learner *sl_learner_called(const char *name);

#endif
