/* sluice: sparse linear classifiers learned from data streams.
 *
 * A model is a learner (a rule such as `ssol` or `pa-1`), its parameters and what it has learned so far.
 * Feed it examples one at a time or batch by batch; ask it for margins at any moment; save it and go on later.
 *
 *     sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
 *     uint64_t ids[] = {3, 17};
 *     float values[] = {1.0f, 0.5f};
 *     sluice_example x = {ids, values, 2, +1, 1};
 *     sluice_model_learn(m, &x, NULL);
 *     sluice_model_save(m, "spam.sluice", NULL);
 *     sluice_model_free(m);
 *
 * Conventions
 *   - Constructors return an object, or NULL with *err filled in (err may be NULL). Everything else that can fail
 * returns a sluice_status and leaves its message in the object: sluice_model_error() and friends; calls on a const
 * object take an err of their own. A call that fails leaves the object as it was, except where its comment says
 * otherwise; when memory runs out, new features of an example may count as seen.
 *   - `free(NULL)` forms are fine. What is handed out as const belongs to the library and lives as long as the object
 * it came from, or until the next call on that object where the comment says so.
 *   - Structs that may grow begin with their own size: write `= {.size = sizeof s}`; zero elsewhere means the default.
 * A size of 0, or above 4096, is SLUICE_E_USAGE everywhere. Programs built with an older or a newer header may be used
 * with this library: what only one side knows is left alone, or is zero; an option set that this version does not know
 * is SLUICE_E_UNSUPPORTED.
 *   - Structs that do not begin with their size but that programs have room for have `reserved` members for what is to
 * come: leave them 0. sluice_name will not grow. Structs that are only ever handed out as pointers to const
 * (sluice_point, sluice_finding, sluice_budget) may grow at their ends.
 *   - Nothing prints or exits, and no call changes the program's signal handlers, locale or environment.
 *
 * Threads
 *   - Different objects are independent: each may be used by its own thread.
 *   - A model is used by one thread while it learns. Calls that take a const model may run in many threads at once
 * while none learns; sluice_model_snapshot() makes a model for the threads that predict meanwhile.
 *   - A reader, meter, writer or sweep belongs to one thread at a time. A const batch may be shared by any number.
 *   - Readers, sweeps and batch learners start threads of their own, unless `threads` is 1. Those of readers block all
 * signals; those of sweeps and batch learners have the signal mask of the thread that starts them.
 *   - fork(): threads do not survive it, so in the child readers and sweeps with threads must not be used, nor freed;
 * models, batches and meters that no other thread was using work in both.
 *   - Process-wide state: a secret number, drawn when the library is loaded, that names are hashed with; and OpenBLAS,
 * which learners that are both dense and batch learners load when they first learn. They set OpenBLAS to one thread
 * while a batch is learned and back afterwards, for the whole process.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SLUICE_API __attribute__((visibility("default")))
#define SLUICE_DEPRECATED(instead) __attribute__((deprecated(instead))) /* before SLUICE_API: what to use instead */
#else
#define SLUICE_API
#define SLUICE_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0

/* The version of this header as one number that can be compared. */
#define SLUICE_VERSION_NUMBER (SLUICE_VERSION_MAJOR * 1000000 + SLUICE_VERSION_MINOR * 1000 + SLUICE_VERSION_PATCH)

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* Numbers are stable: new ones are added at the end. */
typedef enum sluice_status {
    SLUICE_OK = 0,
    SLUICE_END = 1,           /* a reader has no more batches; not an error */
    SLUICE_E_USAGE = 2,       /* a name that does not exist, a value out of range, an argument that makes no sense */
    SLUICE_E_MEMORY = 3,      /* the machine has no memory left for this */
    SLUICE_E_IO = 4,          /* the operating system refused to open, read or write */
    SLUICE_E_DATA = 5,        /* malformed examples, with their line and column */
    SLUICE_E_FORMAT = 6,      /* not a model file, or a damaged one, or one from a newer version */
    SLUICE_E_LIMIT = 7,       /* beyond a stated limit */
    SLUICE_E_NUMERIC = 8,     /* a margin or a weight left the range of numbers */
    SLUICE_E_UNSUPPORTED = 9, /* this learner or model cannot do that */
    SLUICE_E_CANCELLED = 10,  /* the program asked for the call to stop */
    SLUICE_E_LOCKED = 11,     /* another run is going to write this file */
} sluice_status;

typedef struct sluice_error {
    sluice_status status;
    uint64_t line, column; /* from 1; 0 where there is no such place */
    char source[512];      /* the file or stream the place is in; "" where there is none */
    char message[512];     /* what is wrong and what to do about it: one line, no full stop. Both are safe to print:
                            * bytes of inputs and paths that a terminal would not show as they are stand as \xNN */
    uint64_t whole_input;  /* 1: nothing of the input can be read, so that leaving lines out does not help */
    uint64_t reserved[3];
} sluice_error;

/* A word for a status: "ok", "usage", "memory", ... */
SLUICE_API const char *sluice_status_name(sluice_status status);

/* Frees memory that a call handed over (sluice_model_bytes, sluice_model_weights). */
SLUICE_API void sluice_free(void *memory);

/* ---- learners --------------------------------------------------------------------------------------------------- */

typedef struct sluice_param_info {
    const char *name, *help;
    double value, min, max;     /* the default and its range; infinite where unbounded */
    int integer;                /* whole numbers only */
    const char *const *choices; /* NULL, or the words it takes, ended by NULL; value is then a position in the list */
    int extra; /* an option of several learners, off at its default: models at the default neither show nor save it */
    int unused;
    const void *reserved[3];
} sluice_param_info;

enum {
    SLUICE_LEARNER_PROBABILITY = 1, /* its margins are log odds */
    SLUICE_LEARNER_MERGES = 2,      /* sluice_model_merge() takes it */
    SLUICE_LEARNER_DENSE = 4,       /* its state grows with the square of the features */
    SLUICE_LEARNER_BATCH = 8,   /* learns in batches: sluice_model_end_run(). Where it is dense too it needs OpenBLAS
                                   (libopenblas.so.0, loaded when it first learns), and sets that to one thread
                                   while a batch is learned */
    SLUICE_LEARNER_MATRIX = 16, /* has a form for several classes in one matrix: SLUICE_CLASSES_MATRIX */
    SLUICE_LEARNER_TUNES = 32,  /* tunes itself: sweeps, searches and selections refuse it */
};

typedef struct sluice_learner_info {
    const char *name, *summary, *paper;
    const sluice_param_info *params;
    size_t n_params;
    size_t bytes_per_feature;
    unsigned flags;
    const void *reserved[4];
} sluice_learner_info;

/* The learners in the order in which to list them; NULL past the last. */
SLUICE_API const sluice_learner_info *sluice_learner_at(size_t i);
/* What the i-th learner is for, a short text; those that are for the same follow each other. NULL past the last. */
SLUICE_API const char *sluice_learner_use(size_t i);
/* A learner by name, or NULL. Wherever a learner is named, another name of it will do. */
SLUICE_API const sluice_learner_info *sluice_learner_find(const char *name);
/* The i-th of those other names, which papers and programs have given to learners; *name (may be NULL) becomes the name
 * of its learner, which models and results say. NULL past the last. */
SLUICE_API const char *sluice_learner_alias(size_t i, const char **name);
/* The learner to use when the user names none. */
SLUICE_API const char *sluice_learner_default(void);

/* ---- data in: examples and matrices ----------------------------------------------------------------------------- */

typedef struct sluice_model sluice_model;
typedef struct sluice_batch sluice_batch;
typedef struct sluice_meter sluice_meter;

/* The name of a feature: any bytes, at most SLUICE_MAX_NAME of them. A name that is a whole number as one writes it
 * ("17") is the id of that number. */
typedef struct sluice_name {
    const char *text;
    size_t n;
} sluice_name;

#define SLUICE_MAX_NAME 65535

/* One example, borrowed for the call. Features have ids or, where `names` is not NULL, names; they may come in any
 * order but only once each; values are finite; labels > 0 mean +1, others -1. The weight is the example's importance: 1
 * is ordinary, 0 as if the example were absent. A label that is not one of the numbers -1, 0 and 1 is a text, `word`:
 * any bytes, at most SLUICE_MAX_NAME of them. (It stands where the reserved members were: the size is unchanged.) */
typedef struct sluice_example {
    const uint64_t *ids;
    const float *values;
    size_t n;
    double label;
    double weight;
    const sluice_name *names;
    sluice_name word; /* the label's text; n is 0: there is none, and `label` alone counts. Where it is a number `label`
                         is the nearest float, else 0; examples passed in need not set `label` then */
} sluice_example;

/* Types of array elements. */
enum {
    SLUICE_INT32 = 1,
    SLUICE_INT64 = 2,
    SLUICE_UINT32 = 3,
    SLUICE_UINT64 = 4,
    SLUICE_FLOAT32 = 5,
    SLUICE_FLOAT64 = 6,
};

/* What `ids` of a sluice_csr holds. */
enum {
    SLUICE_CSR_IDS = 0,     /* ids of features, as in sluice_example */
    SLUICE_CSR_COLUMNS = 1, /* columns of a matrix, from 0: column j is the feature of id j + 1 */
    SLUICE_CSR_NAMES = 2,   /* positions in `names` */
};

/* Rows in the arrays of a compressed sparse matrix, as scipy, Spark and others have them; borrowed for the call and not
 * copied. The features of row i are ids[k] with values[k] for k from indptr[i] to indptr[i + 1] - 1. To pass a range of
 * rows, let indptr, labels and weights point to its first row. A failure in a row has its number, from 1, as `line`. */
typedef struct sluice_csr {
    size_t size;
    unsigned kind;                  /* SLUICE_CSR_ */
    unsigned indptr_type, ids_type; /* SLUICE_INT32, _INT64, _UINT32, _UINT64; none is negative */
    unsigned values_type;           /* SLUICE_FLOAT32, _FLOAT64; values are used as floats */
    unsigned labels_type,
        weights_type; /* likewise, where there are such arrays; labels with `words` are whole numbers */
    size_t rows;
    size_t nonzeros;    /* elements in ids and values */
    const void *indptr; /* rows + 1 of them */
    const void *ids;    /* in a row in any order, each once; ascending ones are checked fastest */
    const void *values;
    const void *labels;       /* > 0 means +1; not used to predict */
    const void *weights;      /* importances; NULL: all are 1 */
    const sluice_name *names; /* SLUICE_CSR_NAMES: of the columns, each once */
    size_t n_names;
    const sluice_name *words; /* the texts of labels, as in an input: labels are then positions in this list. NULL:
                                 labels are numbers */
    size_t n_words;
} sluice_csr;

/* ---- models ----------------------------------------------------------------------------------------------------- */

enum { SLUICE_NORMALIZE_NONE = 0, SLUICE_NORMALIZE_L2 = 1 };

/* What becomes of each value v, before all else. */
enum {
    SLUICE_TRANSFORM_NONE = 0,
    SLUICE_TRANSFORM_LOG1P = 1,  /* sign(v) log(1 + |v|) */
    SLUICE_TRANSFORM_BINARY = 2, /* sign(v): 1, -1 or 0 */
};

/* What each transformed value is divided or, by IDF, multiplied by. */
enum {
    SLUICE_SCALE_NONE = 0,
    SLUICE_SCALE_RUNNING = 1, /* the largest absolute value of its feature in the examples learned so far, this one
                                 included. When it grows by a factor, the feature's weight does, so that margins stay;
                                 in predicting it does not grow */
    SLUICE_SCALE_MAXABS = 2,  /* the same, but the weights stay */
    SLUICE_SCALE_IDF = 3,     /* 1 + log((1 + n) / (1 + d)), the inverse document frequency: n examples were learned
                                 before this one, and d of them had the feature */
};

/* How a model learns more than two classes. */
enum {
    SLUICE_CLASSES_TWO = 0,    /* not at all */
    SLUICE_CLASSES_OVR = 1,    /* a binary problem for each class, the class against the rest */
    SLUICE_CLASSES_OVO = 2,    /* a binary problem for each pair of classes, which sees their examples alone */
    SLUICE_CLASSES_MATRIX = 3, /* the multi-class form of the rule: a weight for every (feature, class) pair that has
                                  made a step; for some learners */
};
#define SLUICE_MAX_OVR_CLASSES 1000
#define SLUICE_MAX_OVO_CLASSES 200
#define SLUICE_MAX_MATRIX_CLASSES 100000

/* What is done to every example before the learner sees it. It is part of the model. */
typedef struct sluice_settings {
    size_t size;
    double bias;           /* value of the constant feature that is added to every example; 0: none */
    unsigned normalize;    /* SLUICE_NORMALIZE_L2: every example is scaled to length 1 (before the bias is added) */
    unsigned hash_bits;    /* 0: features are exact; 1..30: they are hashed to that many bits and may collide */
    uint64_t max_features; /* limit on features. When full, zero-weight features are evicted, least recently seen first;
                              if there are none, new features are ignored. 0: no limit */
    const char *positive;  /* the label of the positive class, where labels are not -1, 0 and 1; NULL: the greater of
                              the two classes. Copied */
    unsigned classes;      /* SLUICE_CLASSES_ */
    unsigned transform;    /* SLUICE_TRANSFORM_; a value is transformed, scaled, normalized, in this order */
    unsigned scale;        /* SLUICE_SCALE_ */
} sluice_settings;

/* Limits of one model. */
#define SLUICE_MAX_HASH_BITS 30
#define SLUICE_MAX_FEATURES 4000000000u /* features seen */
#define SLUICE_MAX_DENSE_FEATURES 16384 /* of a learner with SLUICE_LEARNER_DENSE: 1 GiB of state; docs/memory.md */

/* Creates a model. `params` are "name=value" strings; those left out have their defaults. */
SLUICE_API sluice_model *sluice_model_new(const char *learner, const char *const *params, size_t n_params,
                                          const sluice_settings *settings, sluice_error *err);
SLUICE_API void sluice_model_free(sluice_model *model);
/* A copy, independent of the model. */
SLUICE_API sluice_model *sluice_model_copy(const sluice_model *model, sluice_error *err);
/* A predict-only copy that holds the nonzero weights alone: small, fast, cannot learn. */
SLUICE_API sluice_model *sluice_model_final(const sluice_model *model, sluice_error *err);
/* The same as the model stands, its unfinished batch not learned: what a program that learns and predicts at once hands
 * to the threads that predict, every second or so. It takes one pass over the features; the memory of a predict-only
 * model and, while it is made, a list of the nonzero weights: up to 144 bytes for each (docs/memory.md).
 * sluice_model_copy() copies the whole state and can go on learning. */
SLUICE_API sluice_model *sluice_model_snapshot(const sluice_model *model, sluice_error *err);
/* Bytes that the model has allocated. */
SLUICE_API uint64_t sluice_model_memory(const sluice_model *model);
/* The last failure on this model. */
SLUICE_API const sluice_error *sluice_model_error(const sluice_model *model);

/* ---- learning --------------------------------------------------------------------------------------------------- */

/* Predicts, then learns. *margin (may be NULL) is the margin before learning. On SLUICE_E_NUMERIC the model has left
 * the range of numbers and refuses to go on or to be saved; on any other failure it is unchanged. */
SLUICE_API sluice_status sluice_model_learn(sluice_model *model, const sluice_example *x, double *margin);
/* The same for every row of a batch, in order; the meter (may be NULL) measures the progressive predictions. A failure
 * has the place of the row in the model's error; the rows before it are learned. */
SLUICE_API sluice_status sluice_model_learn_batch(sluice_model *model, const sluice_batch *batch, sluice_meter *meter);
/* The same for n of its rows, from row `first` on. */
SLUICE_API sluice_status sluice_model_learn_rows(sluice_model *model, const sluice_batch *batch, size_t first, size_t n,
                                                 sluice_meter *meter);
/* The same with other labels than the batch's: labels[0] is that of row `first`. So that many models, such as those of
 * several classes, can learn one batch. SLUICE_E_DATA, and nothing is learned, where one is not finite; `line` is that
 * of the row in its input or, where there is none, its number in the batch from 1. */
SLUICE_API sluice_status sluice_model_learn_labels(sluice_model *model, const sluice_batch *batch, size_t first,
                                                   size_t n, const double *labels, sluice_meter *meter);
/* The same for every row of a matrix, to the bit what sluice_model_learn() would do row by row. Rows before one that
 * fails are learned. */
SLUICE_API sluice_status sluice_model_learn_csr(sluice_model *model, const sluice_csr *csr, sluice_meter *meter);

/* Long work calls this from time to time: `done` of `total` units (the comments say of what; 0: unknown) are done. Not
 * more than one call at a time, but not always from the same thread. Return 0 to go on; anything else stops the call,
 * which then returns SLUICE_E_CANCELLED. */
typedef int (*sluice_progress_function)(void *context, uint64_t done, uint64_t total);
/* For calls that learn batches and matrices, in rows; when it stops one, the rows done are learned. NULL, as at first:
 * none is called. A copy of the model has none. */
SLUICE_API void sluice_model_set_progress(sluice_model *model, sluice_progress_function function, void *context);

/* The model begins anew: as sluice_model_new() made it, with learner, parameters, settings, classes (not their counts),
 * metadata, progress function, threads and pseudo-labels as they are; everything learned, pending rows, calibration and
 * threshold are gone. SLUICE_E_UNSUPPORTED for a predict-only model. */
SLUICE_API sluice_status sluice_model_begin_anew(sluice_model *model);

/* Says that a run is over: a learner that takes a whole run as one batch (SLUICE_LEARNER_BATCH with batch = 0) learns
 * it now. An unfinished batch of fixed size stays pending until more examples come; it is saved with the model. When
 * memory runs out the rows stay pending too. */
SLUICE_API sluice_status sluice_model_end_run(sluice_model *model);
/* A copy that has learned its unfinished batch too. Margins, weights and facts are otherwise as of the last finished
 * one; sluice_model_final() finishes by itself. */
SLUICE_API sluice_model *sluice_model_finished(const sluice_model *model, sluice_error *err);
/* The examples of the unfinished batch: pending rows. */
SLUICE_API uint64_t sluice_model_waiting(const sluice_model *model);
/* How many threads batches may be learned with; 0, as at first: as many as there are cores. Results are the same. */
SLUICE_API void sluice_model_set_threads(sluice_model *model, unsigned threads);

/* Pseudo-labels: rows of batches that have no label (sluice_batch_unlabelled()) are learned with the class that the
 * model, as it is then, predicts for them, if its probability is at least `probability`: above 0, of two classes above
 * 0.5, and at most 1. The importance is `weight`, above 0, times the row's own. Such a row advances the model's rounds
 * but is counted in sluice_model_facts.pseudo alone: no meter, calibration or other count has it (updates: but for
 * batch learners, which count those of a whole batch). The others are as absent, and so are all as long as there are
 * fewer than two classes or no probabilities. A probability of 0, as at first: none is learned. Neither copied nor
 * saved. Rows whose labels are given by the caller, and sluice_model_learn(), know no pseudo-labels. */
SLUICE_API sluice_status sluice_model_set_pseudo(sluice_model *model, double probability, double weight);

/* Adds what `from` learned to `into`. Both must have the same learner (one with SLUICE_LEARNER_MERGES), parameters and
 * settings. Where the learner's state is a sum over the examples the result is that of one learner whose sums run over
 * both streams; other states are combined by precision, or averaged by examples: docs/merging.md says how, for every
 * learner. Associative and commutative but for rounding. Calibration is dropped. On SLUICE_E_NUMERIC a sum has left the
 * range of numbers, and `into` refuses to go on. */
SLUICE_API sluice_status sluice_model_merge(sluice_model *into, const sluice_model *from);
/* The same for models that went on from copies of one model, `start`. What it had learned counts once, and what the
 * models made of it is averaged: each has corrected the same errors of it, which a sum would correct twice. The result
 * has that start too: of k models, k - 1 such calls make one, in any order. NULL: they had none. */
SLUICE_API sluice_status sluice_model_merge_since(sluice_model *into, const sluice_model *from,
                                                  const sluice_model *start);

/* Classes. Labels that are all -1, 0 or 1 make a plain model: > 0 means +1. Otherwise two labels are the classes of a
 * binary model, numbers if equal as doubles being one class; a third one is SLUICE_E_DATA. The class seen first is -1
 * inside the model; the positive class is the greater one (numbers by value, then words by bytes, true over false) or
 * that of the settings. Margins, weights and probabilities, as these calls give them, are those of the positive class;
 * a margin of 0 predicts the class seen first. In such a model a label that is given as a number is the class of that
 * number, except for sluice_model_learn_labels(), where > 0 means the positive class. SLUICE_E_USAGE when the second
 * class comes, if the learner's parameters treat the two differently (cost_pos and cost_neg, say) and no positive class
 * is named. */
typedef struct sluice_class {
    size_t size;
    sluice_name text; /* as first written, with a NUL behind it; lives until the model learns a new class */
    int is_number;
    double number;     /* where it is one */
    uint64_t examples; /* learned */
    int is_positive;
} sluice_class;

/* How many classes the model has seen; 0 for a plain model. */
SLUICE_API size_t sluice_model_classes(const sluice_model *model);
/* The i-th class in the order of first sight. SLUICE_E_USAGE past the last. */
SLUICE_API sluice_status sluice_model_class(const sluice_model *model, size_t i, sluice_class *found);
/* The class that a label is, as it would be read from an input; SLUICE_NO_CLASS: the model has none such. */
#define SLUICE_NO_CLASS UINT32_MAX /* where the number of a class would stand */
SLUICE_API uint32_t sluice_model_find_class(const sluice_model *model, sluice_name label);
/* The labels of n rows from row `first` on as measures have them: 1 for the positive class, -1 for the other; 0 for
 * rows of importance 0. SLUICE_E_DATA, with its place, for a label that is no class of the model. */
SLUICE_API sluice_status sluice_model_signs(const sluice_model *model, const sluice_batch *batch, size_t first,
                                            size_t n, double *signs, sluice_error *err);
/* Takes the classes of a batch's rows in and counts them, as learning the rows would, and learns nothing else: for a
 * model that is to say which classes there are. SLUICE_E_DATA as for learning; the rows before are taken in. */
SLUICE_API sluice_status sluice_model_learn_classes(sluice_model *model, const sluice_batch *batch);
/* The label that a margin predicts: "1" or "-1" for a plain model. */
SLUICE_API sluice_name sluice_model_label(const sluice_model *model, double margin);

/* Several classes (sluice_settings.classes): every label is a class, -1, 0 and 1 too, and a model has a margin for each
 * of its classes. It predicts the class of largest margin, among equals the one seen first; one against one that of
 * most problems won, then of the largest margin. The calls that give one margin, one probability, one list of weights
 * for an example or a model are for two classes: here they are SLUICE_E_UNSUPPORTED, or give NaN or 0. */

/* What a model of several classes says of rows. */
typedef struct sluice_class_answers {
    size_t size;
    size_t top;            /* how many classes of each row `best` has room for */
    uint32_t *best;        /* rows x top: the most likely classes, the predicted one first; SLUICE_NO_CLASS where there
                              are fewer. NULL: not wanted */
    double *margins;       /* rows x classes; against one: the sum over a class's problems. NULL: not wanted */
    double *probabilities; /* rows x classes, sum 1 in each row; NaN where the model has none. NULL: not wanted */
} sluice_class_answers;

/* For n rows of a batch from `first` on. SLUICE_E_UNSUPPORTED for a model of two classes, SLUICE_E_NUMERIC where a
 * margin is not finite. */
SLUICE_API sluice_status sluice_model_classify(const sluice_model *model, const sluice_batch *batch, size_t first,
                                               size_t n, sluice_class_answers *answers, sluice_error *err);
/* For one example, as sluice_model_margin() takes it. */
SLUICE_API sluice_status sluice_model_classify_one(const sluice_model *model, const sluice_example *x,
                                                   sluice_class_answers *answers, sluice_error *err);
/* For all rows of a matrix. */
SLUICE_API sluice_status sluice_model_classify_csr(const sluice_model *model, const sluice_csr *csr,
                                                   sluice_class_answers *answers, sluice_error *err);
/* A copy of a model of two classes that can learn more of them, one against the rest (SLUICE_CLASSES_OVR). Both classes
 * keep what was learned: the weights of one are those of the model, the weights of the other their opposites. A run
 * that was one against the rest from the start has the same to the bit, except with max_features, where it may have
 * kept other features, and with hash_bits for a learner that tunes itself. A class that comes later begins without
 * weights, where that run has taken all rows before as the rest. `labels`: what a plain model's classes -1 and +1 are
 * called, "0" and "1" say; NULL: "-1" and "1". SLUICE_E_UNSUPPORTED for learners that treat the two classes differently
 * (costs of each), keep a limited number of features, draw at random or learn in batches, and for predict-only models;
 * SLUICE_E_USAGE for a model of several classes, or of one with a label that is no number -1, 0 or 1. */
SLUICE_API sluice_model *sluice_model_several(const sluice_model *model, const sluice_name *labels, sluice_error *err);
/* The classes that the labels of n rows are, SLUICE_NO_CLASS for a label that the model has never seen. */
SLUICE_API sluice_status sluice_model_truths(const sluice_model *model, const sluice_batch *batch, size_t first,
                                             size_t n, uint32_t *classes, sluice_error *err);

/* ---- predicting ------------------------------------------------------------------------------------------------- */

/* The margin of one example; the prediction is +1 where it is > 0, or above the model's threshold where it has one
 * (sluice_model_predicts_positive). The model is not changed. SLUICE_E_DATA for a value
 * that is not finite, SLUICE_E_NUMERIC for a margin that is not. An id that comes twice counts twice. For many
 * predictions sluice_model_final() is the faster model. */
SLUICE_API sluice_status sluice_model_margin(const sluice_model *model, const sluice_example *x, double *margin,
                                             sluice_error *err);
/* The margins of all rows of a batch. SLUICE_E_NUMERIC where one is not finite; all margins are written even then. */
SLUICE_API sluice_status sluice_model_margins(const sluice_model *model, const sluice_batch *batch, double *margins,
                                              sluice_error *err);
/* Of n of its rows, from row `first` on: margins[0] is that of row `first`. */
SLUICE_API sluice_status sluice_model_margins_rows(const sluice_model *model, const sluice_batch *batch, size_t first,
                                                   size_t n, double *margins, sluice_error *err);
/* Of all rows of a matrix. */
SLUICE_API sluice_status sluice_model_margins_csr(const sluice_model *model, const sluice_csr *csr, double *margins,
                                                  sluice_error *err);

/* One term of a margin: a feature of an example, or the bias. */
typedef struct sluice_term {
    uint64_t id;
    sluice_name name;    /* where the example has names; else text is NULL */
    int is_bias;         /* the constant feature; its id means nothing */
    float value;         /* as the example has it; of the bias: that of the settings */
    double weight;       /* 0 where the model does not know the feature */
    double contribution; /* weight times value, transformed and scaled as the settings say */
    size_t position;     /* in the example, from 0; the bias is behind all others */
    uint64_t reserved[2];
} sluice_term;

/* Why a margin is what it is: its terms. */
typedef struct sluice_explanation {
    size_t size;
    sluice_term *terms; /* room for `room` of them: the example's features and one more are enough */
    size_t room;
    size_t class_index; /* whose margin; 0 in a model of two classes. One against one there is none to explain */
    size_t n;           /* from here on filled in. How many terms there are, in the example's order, the bias last */
    double margin;      /* their contributions added in this order: to the bit what sluice_model_margin() gives */
    double scale;       /* what normalizing multiplied the values by (not the bias); 1 without it */
} sluice_explanation;

/* Explains the margin of one example. Names point into the example. Fails as sluice_model_margin() does, and with
 * SLUICE_E_USAGE where there is no room for the terms or no such class. */
SLUICE_API sluice_status sluice_model_explain(const sluice_model *model, const sluice_example *x,
                                              sluice_explanation *why, sluice_error *err);
/* The same for a row of a batch. */
SLUICE_API sluice_status sluice_model_explain_row(const sluice_model *model, const sluice_batch *batch, size_t row,
                                                  sluice_explanation *why, sluice_error *err);
/* Brings the `top` terms of largest |contribution| to the front, the largest first, equals by position; those whose
 * contribution is 0 do not count. Returns how many those are. */
SLUICE_API size_t sluice_terms_largest(sluice_term *terms, size_t n, size_t top);

/* Where a model's probabilities come from; numbers are stable. */
enum {
    SLUICE_CALIBRATION_NONE = 0,     /* there are none: all margins so far were 0 */
    SLUICE_CALIBRATION_LOG_ODDS = 1, /* the margins are log odds */
    SLUICE_CALIBRATION_ONLINE = 2,   /* a sigmoid of the margin, learned from each example before the model learns it */
    SLUICE_CALIBRATION_PLATT = 3,    /* a sigmoid, fitted to a hold-out */
    SLUICE_CALIBRATION_ISOTONIC = 4, /* a non-decreasing function, fitted to a hold-out */
};

SLUICE_API int sluice_model_calibration(const sluice_model *model);
/* Whether the model has probabilities. */
SLUICE_API int sluice_model_has_probability(const sluice_model *model);
/* The probability of the class +1 that goes with a margin; it never decreases as the margin increases. NaN where there
 * is none. */
SLUICE_API double sluice_model_probability(const sluice_model *model, double margin);
/* The probabilities of n rows of a batch, and of all rows of a matrix: as the margins, then each turned into a
 * probability. SLUICE_E_UNSUPPORTED where the model has none. On SLUICE_E_NUMERIC those whose margins are not finite
 * are NaN, and the others are written. */
SLUICE_API sluice_status sluice_model_probabilities_rows(const sluice_model *model, const sluice_batch *batch,
                                                         size_t first, size_t n, double *probabilities,
                                                         sluice_error *err);
SLUICE_API sluice_status sluice_model_probabilities_csr(const sluice_model *model, const sluice_csr *csr,
                                                        double *probabilities, sluice_error *err);
/* Fits probabilities to the margins that the model gives n examples which it has not learned from. The kind is
 * SLUICE_CALIBRATION_PLATT or _ISOTONIC, or _NONE to drop what was fitted; learning more drops it too. Weights (may be
 * NULL) are importances. SLUICE_E_DATA where all labels are the same. */
SLUICE_API sluice_status sluice_model_calibrate(sluice_model *model, const double *margins, const double *labels,
                                                const double *weights, size_t n, int kind);

/* Which class a margin gives: 1 where it is +1. */
SLUICE_API int sluice_model_predicts_positive(const sluice_model *model, double margin);
/* The model's threshold: the prediction is +1 where the margin is above it. Returns whether one is set; *margin (may be
 * NULL) becomes the threshold, or 0 where there is none. It is saved, and copies and predict-only models keep it;
 * learning more drops it, and so does sluice_model_merge(), as calibration on a hold-out. */
SLUICE_API int sluice_model_threshold(const sluice_model *model, double *margin);
/* Sets it. SLUICE_E_USAGE where it is not finite, SLUICE_E_UNSUPPORTED where the model has several classes. */
SLUICE_API sluice_status sluice_model_set_threshold(sluice_model *model, double margin);
SLUICE_API void sluice_model_drop_threshold(sluice_model *model);
/* The margin above which probabilities are above p: as a threshold it predicts +1 exactly where the probability is
 * larger than p. Finite; NaN where the model has no probabilities or p is not between 0 and 1. */
SLUICE_API double sluice_model_margin_of_probability(const sluice_model *model, double p);

/* ---- what a model is -------------------------------------------------------------------------------------------- */

typedef struct sluice_model_facts {
    size_t size;
    const sluice_learner_info *learner;
    int is_final;
    uint64_t examples, mistakes, updates, positives; /* over the model's whole life */
    uint64_t features_seen, nonzeros;
    uint64_t max_features;     /* as in the settings, sluice_model_settings() */
    int has_names;             /* features have names */
    uint64_t evicted, refused; /* by max_features: features evicted, and times that a new one found no room */
    uint64_t waiting;          /* examples of an unfinished batch: counted, but not yet learned */
    int calibration;           /* SLUICE_CALIBRATION_ */
    int log_odds;              /* the learner's margins are log odds */
    uint64_t vectors;          /* of weights, which nonzeros are counted in: 1, or sluice_model_problems() */
    uint64_t pseudo;           /* rows without a label that were learned (sluice_model_set_pseudo); not examples */
} sluice_model_facts;

/* Fills in what the model is and counts its nonzero weights, which takes a pass over all features. */
SLUICE_API sluice_status sluice_model_describe(const sluice_model *model, sluice_model_facts *facts);
/* The same at no cost: nonzeros are not counted, but 0. */
SLUICE_API sluice_status sluice_model_quick_facts(const sluice_model *model, sluice_model_facts *facts);
/* The nonzero weights alone: a pass over all features. */
SLUICE_API uint64_t sluice_model_nonzeros(const sluice_model *model);
/* The settings; they live as long as the model. */
SLUICE_API const sluice_settings *sluice_model_settings(const sluice_model *model);
/* The value of the i-th parameter of the model's learner. */
SLUICE_API double sluice_model_param(const sluice_model *model, size_t i);

typedef struct sluice_weight {
    uint64_t id;
    float weight;
    int is_bias;      /* the constant feature; its id is 0 and means nothing */
    sluice_name name; /* of a model that has names; lives until the model changes. text is NULL where it has ids */
    uint64_t reserved[2];
} sluice_weight;

/* sluice_model_final() without the features for which `keep` returns 0, as if they had never been seen; it is asked
 * once or more for each, in any order, with `weight` 0. The bias stays.
 * SLUICE_E_UNSUPPORTED: of several classes, where each problem is a model of its own (ovo; learners without lanes). */
typedef int (*sluice_keep_function)(void *context, const sluice_weight *feature);
SLUICE_API sluice_model *sluice_model_final_chosen(const sluice_model *model, sluice_keep_function keep, void *context,
                                                   sluice_error *err);

/* The nonzero weights by ascending id, or by order of first sight where they have names, the bias first; free *weights
 * with sluice_free(). SLUICE_E_NUMERIC: a weight is beyond the range of floats. */
SLUICE_API sluice_status sluice_model_weights(const sluice_model *model, sluice_weight **weights, size_t *n,
                                              sluice_error *err);

/* A model of two classes made of weights that come from elsewhere. */
typedef struct sluice_given_weights {
    size_t size;
    const sluice_weight *weights; /* of features, each once, and of the constant one (is_bias): floats of any value. All
                                     have names, or none; `id` is that of those without */
    size_t n;
    const sluice_name *labels; /* two labels, the negative one first, which ties go to; NULL: -1 and 1 */
    int predict_only;          /* as sluice_model_final() would make it. 0: the model goes on learning from there */
} sluice_given_weights;

/* Learner, parameters and settings as for sluice_model_new(); the positive class of the settings is that of the labels.
 * SLUICE_E_UNSUPPORTED for several classes, hashed or scaled features and a limit on features and, where the model is
 * to learn, for learners whose state is not made of their weights. SLUICE_E_DATA for a weight that is not finite or
 * stands twice. */
SLUICE_API sluice_model *sluice_model_from_weights(const char *learner, const char *const *params, size_t n_params,
                                                   const sluice_settings *settings, const sluice_given_weights *given,
                                                   sluice_error *err);

/* The weights of a model of several classes: a vector for each class or, one against one, for each pair of classes. */
typedef struct sluice_problem {
    size_t size;
    uint32_t positive, negative; /* the class that positive weights speak for, and the one that they speak against:
                                    SLUICE_NO_CLASS, all others */
} sluice_problem;

/* How many there are; 0 for a model of two classes. */
SLUICE_API size_t sluice_model_problems(const sluice_model *model);
/* The i-th: against the rest and in a matrix that of class i. SLUICE_E_USAGE past the last. */
SLUICE_API sluice_status sluice_model_problem(const sluice_model *model, size_t i, sluice_problem *problem);
/* Its nonzero weights, as sluice_model_weights() gives them. */
SLUICE_API sluice_status sluice_model_problem_weights(const sluice_model *model, size_t i, sluice_weight **weights,
                                                      size_t *n, sluice_error *err);
/* Is given a weight of the i-th problem; anything but 0 ends it with SLUICE_E_CANCELLED. */
typedef int (*sluice_weight_function)(void *context, size_t i, const sluice_weight *weight);
/* The nonzero weights of all problems in one pass: feature after feature, of each those of all classes; where every
 * problem has features of its own (one against one, and learners without lanes) problem after problem. */
SLUICE_API sluice_status sluice_model_each_weight(const sluice_model *model, sluice_weight_function take, void *context,
                                                  sluice_error *err);
/* A copy of its binary model, whose labels are 1 and -1: against the rest and one against one, byte for byte the model
 * of a run over the examples of the problem. */
SLUICE_API sluice_model *sluice_model_problem_model(const sluice_model *model, size_t i, sluice_error *err);

/* The weight of one feature, 0 where it is unknown; in a model that hashes, of all features that collide with it. */
SLUICE_API double sluice_model_weight_of_id(const sluice_model *model, uint64_t id);
SLUICE_API double sluice_model_weight_of_name(const sluice_model *model, sluice_name name);
/* Of the constant feature; 0 where there is none. */
SLUICE_API double sluice_model_bias_weight(const sluice_model *model);

/* Whether the model knows a feature of a csv column or a JSON key: one called `column`, or whose name begins with it
 * and '=' or '.'. A predict-only model knows those of nonzero weight; one that hashes may know any: 1. */
SLUICE_API int sluice_model_has_column(const sluice_model *model, sluice_name column);

/* The features that came last, the newest first, with their weights, zero or not. *n: room, then how many; a model with
 * ids remembers 16 of them, a predict-only one none. */
SLUICE_API sluice_status sluice_model_newest(const sluice_model *model, sluice_weight *newest, size_t *n,
                                             sluice_error *err);
/* How the feature space grew: seen[i] features were seen after 2^i examples. Returns how many there are, at most
 * `room` (64 is always enough). */
SLUICE_API size_t sluice_model_growth(const sluice_model *model, uint64_t *seen, size_t room);

/* Metadata: bytes that a program keeps in the model under keys of its own, such as how its reader makes features. The
 * library does nothing with them but copy and save them; sluice_model_merge() keeps those of `into`. Keys are text
 * without spaces and control characters; those that begin with "sluice." are reserved, "reader." and "drift." are what
 * the program `sluice` keeps. */
#define SLUICE_MAX_METADATA 256             /* keys in a model */
#define SLUICE_MAX_METADATA_KEY 255         /* bytes of a key */
#define SLUICE_MAX_METADATA_BYTES (1 << 20) /* bytes of a value */

/* Keeps a copy of n bytes under a key, instead of what was there. bytes NULL: removes the key. */
SLUICE_API sluice_status sluice_model_set_metadata(sluice_model *model, const char *key, const void *bytes, size_t n);
/* The bytes of a key, followed by a NUL that *n (may be NULL) does not count; NULL where there is no such key. They are
 * valid until the key is set again. */
SLUICE_API const void *sluice_model_metadata(const sluice_model *model, const char *key, size_t *n);
/* The i-th key in ascending order, and its bytes; NULL past the last. */
SLUICE_API const char *sluice_model_metadata_at(const sluice_model *model, size_t i, const void **bytes, size_t *n);

/* Positions: how far a model has learned the partitions of a stream such as a topic of Kafka. Whoever feeds the model
 * sets them before it is saved, so that one file has what was learned and where to go on. The library does nothing with
 * them but copy and save them. Merged and predict-only models have none. */
#define SLUICE_MAX_POSITIONS 65536
#define SLUICE_MAX_POSITION_TEXT 255

typedef struct sluice_position {
    size_t size;
    const char *cluster,
        *topic; /* id of the cluster and name of the topic: text without spaces and control characters */
    unsigned char topic_id[16]; /* all 0: not known */
    int32_t partition;
    int64_t next;       /* offset of the next message to learn */
    int64_t end;        /* a run with a fixed end stops before this offset; -1: there is none */
    uint64_t messages;  /* taken since the positions began to be kept or, where there is an end, since it was fixed */
    int64_t last;       /* offset of the last message that was taken; -1: none, or not known */
    int64_t last_time;  /* its time and */
    uint64_t last_hash; /* a hash of it, by which it is known again */
} sluice_position;

/* How many there are; they are ordered by cluster, topic and partition. */
SLUICE_API size_t sluice_model_positions(const sluice_model *model);
/* The i-th; its texts live until a position is set or dropped. SLUICE_E_USAGE past the last. */
SLUICE_API sluice_status sluice_model_position(const sluice_model *model, size_t i, sluice_position *position,
                                               sluice_error *err);
/* Keeps a copy, instead of that of the same cluster, topic and partition. */
SLUICE_API sluice_status sluice_model_set_position(sluice_model *model, const sluice_position *position);
SLUICE_API void sluice_model_drop_positions(sluice_model *model);

/* ---- auto: the race -----------------------------------------------------------------------------------------------
 */

/* A model of the learner `auto` is a race of candidates: configurations that learn the same examples side by side. The
 * leader answers: margins, weights, nonzeros and settings of the model are those of its model. docs/auto.md */

typedef struct sluice_candidate {
    size_t size;
    const sluice_learner_info *learner;
    double params[16]; /* as many as the learner has */
    double bias;       /* settings */
    unsigned normalize, scale, transform;
    int is_leader;
    int is_alive;          /* 0: it was dropped */
    uint64_t began;        /* examples learned before it began, */
    uint64_t dropped;      /* and when it was last dropped */
    uint64_t led;          /* examples that it was the leader for */
    double error;          /* fading error rate; of one that was dropped: when it was */
    double above_least;    /* how far its error is above the least of all that are alive, and */
    double standard_error; /* the standard error of that difference */
    uint64_t nonzeros;     /* when they were last counted */
} sluice_candidate;

/* How many candidates there are, dropped ones included; 0 for a model of another learner, or a predict-only one. */
SLUICE_API size_t sluice_model_candidates(const sluice_model *model);
/* Fills in the i-th, whose size is set. SLUICE_E_USAGE past the last. */
SLUICE_API sluice_status sluice_model_candidate(const sluice_model *model, size_t i, sluice_candidate *candidate);

/* The leader as a model of its own learner, with the ids or names of the race: it can go on learning alone. */
SLUICE_API sluice_model *sluice_model_leader(const sluice_model *model, sluice_error *err);

enum {
    SLUICE_RACE_LEADS = 1,     /* the candidate becomes the leader */
    SLUICE_RACE_DROPPED = 2,   /* it learns no more */
    SLUICE_RACE_RESTARTED = 3, /* the stream has changed: all that were dropped begin anew; the candidate leads */
};

/* What has happened in the race. */
typedef struct sluice_race_event {
    uint64_t examples; /* learned by then */
    uint32_t candidate;
    uint32_t kind;     /* SLUICE_RACE_ */
    double error;      /* fading error rate of the candidate */
    uint64_t nonzeros; /* when they were last counted */
} sluice_race_event;

/* The i-th event, the oldest first; of very many only the first and the last ones are kept. NULL past the last. Valid
 * until the model learns. */
SLUICE_API const sluice_race_event *sluice_model_race_event(const sluice_model *model, size_t i);
/* How often the race has restarted. */
SLUICE_API uint64_t sluice_model_race_restarts(const sluice_model *model);

/* ---- saving and loading models ---------------------------------------------------------------------------------- */

/* A model is a file, a piece of memory, or what a function of yours writes and reads: the same bytes in all forms,
 * whatever the machine (docs/model-format.md). Models of all earlier releases load. A file that is damaged, cut short
 * or made with ill intent gives SLUICE_E_FORMAT. A model that has left the range of numbers is not saved
 * (SLUICE_E_NUMERIC). */

/* Where the name of a file that is saved ends in .zst, it is compressed with zstd, in a build that has it
 * (SLUICE_E_UNSUPPORTED). Whatever loads models takes them compressed, too: windows of up to 16 MiB, and at most 1,000
 * times the bytes of the file and 64 MiB more. */

/* Saves atomically: a temporary file beside `path`, synced, renamed. The old file stays if anything fails.
 * A `path` that exists and is no regular file (a pipe, /dev/null) is written in place; "-" is standard output. */
SLUICE_API sluice_status sluice_model_save(const sluice_model *model, const char *path, sluice_error *err);
SLUICE_API sluice_model *sluice_model_load(const char *path, sluice_error *err);

/* The file that a long run saves its model to, again and again. From opening to closing it is locked against other runs
 * that open it so (SLUICE_E_LOCKED; the lock is a file beside it, .NAME.sluice-lock, and ends with the process), and
 * the memory that saving takes, 17 MiB, is held, so that a save does not fail for want of it (a model with max_features
 * takes 20 bytes a feature more, one with large ids 64 KiB). Links are resolved at opening. What is written in place
 * has no lock. */
typedef struct sluice_model_file sluice_model_file;

SLUICE_API sluice_model_file *sluice_model_file_open(const char *path, sluice_error *err);
/* As sluice_model_save(). */
SLUICE_API sluice_status sluice_model_file_save(sluice_model_file *file, const sluice_model *model);
/* 0: there is no lock, since the file system has none or the path is no regular file. */
SLUICE_API int sluice_model_file_locked(const sluice_model_file *file);
/* Whether every save replaces the last one; 0: it is written in place. */
SLUICE_API int sluice_model_file_is_regular(const sluice_model_file *file);
SLUICE_API const sluice_error *sluice_model_file_error(const sluice_model_file *file);
SLUICE_API void sluice_model_file_close(sluice_model_file *file);

/* In memory. Free *bytes, NULL where the call fails, with sluice_free(). */
SLUICE_API sluice_status sluice_model_bytes(const sluice_model *model, void **bytes, size_t *n, sluice_error *err);
SLUICE_API sluice_model *sluice_model_parse(const void *bytes, size_t n, sluice_error *err);

/* Takes the next n bytes (n > 0). Returns 0, or anything else to stop. */
typedef int (*sluice_write_function)(void *context, const void *bytes, size_t n);
/* Puts the next bytes, at most n (n > 0), into `bytes`. Returns how many, 0 at the end, a negative number to stop; in
 * sluice_reader_open_function() also SLUICE_READ_LATER. */
typedef ptrdiff_t (*sluice_read_function)(void *context, void *bytes, size_t n);
/* There are no bytes now, but there may be later: the function is called again, unless the reader was cancelled. One
 * that waits for something returns this a few times a second, so that a reader can be woken and cancelled. */
#define SLUICE_READ_LATER (-2)

/* Through functions, which are called with `context`. SLUICE_E_IO where one of them stops the call. Reading takes no
 * byte behind the end of the model, so that models can stand in larger streams; `name` (may be NULL) is the source in
 * error messages. */
SLUICE_API sluice_status sluice_model_write(const sluice_model *model, sluice_write_function write, void *context,
                                            sluice_error *err);
SLUICE_API sluice_model *sluice_model_read(sluice_read_function read, void *context, const char *name,
                                           sluice_error *err);

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

/* Many configurations of one learner that learn the same stream side by side. Each becomes the model that it would
 * have become alone, byte for byte. */
typedef struct sluice_sweep sluice_sweep;

/* Configuration i has n_params[i] "name=value" strings params[i]; both NULL: none has any. `threads`: how many may
 * learn at once; 0: as many as there are cores. Results are the same. */
SLUICE_API sluice_sweep *sluice_sweep_new(const char *learner, const char *const *const *params, const size_t *n_params,
                                          size_t n, const sluice_settings *settings, unsigned threads,
                                          sluice_error *err);
SLUICE_API void sluice_sweep_free(sluice_sweep *sweep);
SLUICE_API const sluice_error *sluice_sweep_error(const sluice_sweep *sweep);
/* When it fails some of the configurations have learned rows of the batch and others have not: read the error and free
 * the sweep. */
SLUICE_API sluice_status sluice_sweep_learn_batch(sluice_sweep *sweep, const sluice_batch *batch);
SLUICE_API sluice_status sluice_sweep_end_run(sluice_sweep *sweep);
/* The model of a configuration as it stands; free it. SLUICE_E_NUMERIC: that one has left the range of numbers. */
SLUICE_API sluice_model *sluice_sweep_model(const sluice_sweep *sweep, size_t i, sluice_error *err);
/* The predict-only forms (sluice_model_final) of n configurations from `first` on, at less cost than one by one; NULL
 * for those that have left the range of numbers. Free each; when the call fails there are none. */
SLUICE_API sluice_status sluice_sweep_finals(const sluice_sweep *sweep, size_t first, size_t n, sluice_model **models,
                                             sluice_error *err);

/* What those models are, without making them: fills facts[0], whose size is set, to facts[n - 1]. One that has left the
 * range of numbers has no learner. */
SLUICE_API sluice_status sluice_sweep_describe(const sluice_sweep *sweep, size_t first, size_t n,
                                               sluice_model_facts *facts, sluice_error *err);

/* ---- streams ---------------------------------------------------------------------------------------------------- */

typedef struct sluice_reader sluice_reader;

#define SLUICE_MAX_LINE ((size_t)64 << 20) /* bytes in one line of text */

/* How often a word occurs in a text becomes its value: 1, the count, or 1 + log of the count. */
enum { SLUICE_TF_DEFAULT = 0, SLUICE_TF_BINARY = 1, SLUICE_TF_COUNT = 2, SLUICE_TF_LOG = 3 };
#define SLUICE_MAX_NGRAMS 8
#define SLUICE_MAX_CHARS 8 /* characters of an n-gram of characters */
#define SLUICE_MAX_MIN_LENGTH 16
#define SLUICE_MAX_QUADRATIC 4000 /* bytes of the option `quadratic` */

/* A factor for the importance weights of all rows of one label (numbers: of equal value); 0: as if they were absent. */
typedef struct sluice_cost {
    const char *label;
    double factor;
    const void *reserved[2];
} sluice_cost;

/* A malformed line that is left out. */
typedef struct sluice_bad_line {
    const char *input;
    uint64_t offset;     /* where the line (in csv: the record) begins, as in sluice_reader_position() */
    uint64_t column;     /* from 1; in csv of the record's line at fault */
    const char *reason;  /* as sluice_reader_skipped() has it */
    const char *message; /* what is wrong */
    const void *reserved[4];
} sluice_bad_line;
/* Called by any thread of a reader, by several at once, and before the rows behind the line are delivered. */
typedef void (*sluice_bad_line_function)(void *context, const sluice_bad_line *bad);

typedef struct sluice_reader_options {
    size_t size;
    const char *format; /* a name from sluice_format_at(); NULL: by content, then by the ending */
    unsigned threads;   /* 0: as many as the machine has cores; 1: everything in the calling thread */
    int skip_errors;    /* leave malformed lines out and count them, instead of stopping */
    size_t max_line;    /* 0: SLUICE_MAX_LINE */
    const char *label;  /* csv, jsonl: the column or key of the label, csv also by number from 1; NULL: "label", or
                           else the first column */
    const char *weight; /* csv, jsonl: likewise of the importance weight; NULL: there is none */
    int no_header;      /* csv: the first line is data; columns are called by their numbers */
    unsigned ngrams;    /* text: longest run of words that is a feature; 0 means 1 */
    unsigned tf;        /* text: SLUICE_TF_ */
    const char *hint;   /* the format of inputs whose ending says nothing (or only .tsv); NULL: libsvm */
    int unlabelled;     /* examples need no label (csv: no label column; text, url: no tab; libsvm: the first field has
                           a colon), and what stands for one may be any word; the importance of such rows is 0 */
    int every_line;     /* a row for every line (csv: for every record behind the header), as predictions need it: blank
                           lines and comments are rows without label and features, of importance 0; with skip_errors
                           malformed lines too: sluice_batch_left_out() */
    int keep_lines;     /* with every_line: sluice_batch_origin() gives the text of the row's line */
    const char *id;     /* with every_line: it gives what identifies the row: csv, jsonl: the column or key of this name
                           (csv also by number), which must be in the header; vw: "tag". Other formats have none:
                           SLUICE_E_UNSUPPORTED. NULL: it is not asked for */
    int drop_id;        /* that column or key is no feature */
    int words; /* labels may be any text, which rows have as sluice_example.word unless it is one of the numbers -1, 0
                  and 1; 0: labels are numbers (csv, text, url, jsonl: or true and false, which mean 1 and 0). Without
                  effect where `unlabelled` is set */
    const sluice_cost *costs; /* copied. A product is rounded to the nearest float, and at most the largest one */
    size_t n_costs;
    int missing_labels; /* a label may be empty or ? (jsonl: missing or null, too): sluice_batch_unlabelled(). 0: only
                           in vw (no label) and jsonl (null). Without effect where `unlabelled` is set */
    sluice_bad_line_function bad_line; /* with skip_errors: is told of every line that is left out; may be NULL */
    void *bad_line_context;
    int as_is; /* the bytes are lines whatever the first ones are: not compressed, without a byte order mark, and no
                  model by mistake. `format` is needed */
    size_t at_once; /* parsers: the rows of so many bytes that are pushed together are one batch (up to 2^30, and as
                       long as the rows have no more than a quarter as many features); 0: of 512 KiB */
    int separator;  /* csv: the byte between the fields, as sluice_separator() gives it; 0: a tab in .tsv files,
                       else guessed by the first record */
    const char *columns; /* csv, jsonl: the columns or keys that are features, names and patterns separated by commas
                            (docs/input.md); NULL: all are */
    const char *ignore;  /* csv, jsonl: likewise those that are no features */
    const char *text_columns; /* csv, jsonl: likewise those whose text is split into words, as in the format text */
    int names_must_exist;     /* a name in these three (not a pattern) that no input has is an error. For readers */
    const char *chars;        /* text: n-grams of characters are features too, of so many: "3" or "2-5"; NULL: none */
    int no_words;             /* text, with chars: they are the only features */
    unsigned min_length;      /* text: words of fewer characters are left out, up to SLUICE_MAX_MIN_LENGTH */
    const char *stop_words;   /* text: words that are left out, as a text; copied. NULL: none */
    const char *quadratic;    /* vw, csv, jsonl: products of features are features too (docs/interactions.md): `a,b` for
                                 the namespaces, columns or keys a and b, or two letters that they begin with; one
                                 crossing a line. Other formats are refused: SLUICE_E_UNSUPPORTED. NULL: none */
} sluice_reader_options;

/* A list of words for `stop_words`: "english" is the only language; NULL: there is none of this. */
SLUICE_API const char *sluice_stop_words(const char *language);

/* Whether a text can be the option `quadratic`: if not, SLUICE_E_USAGE and why. */
SLUICE_API sluice_status sluice_quadratic_check(const char *text, sluice_error *err);

/* The byte that a word means as a separator of csv: itself, or tab, comma, semicolon, bar, \\t; 0 if it cannot be one
 * (letters, digits, quotes, blanks, line ends, + - . and # cannot). */
SLUICE_API int sluice_separator(const char *word);
/* The separator that a reader guesses for csv whose first record is this text: of , ; tab and | the one that stands
 * most often outside quotes; 0 where quotes are still open at its end. */
SLUICE_API int sluice_guess_separator(const char *record, size_t n);

/* The formats of examples: a name and what it is; NULL past the last. */
SLUICE_API const char *sluice_format_at(size_t i, const char **summary);

/* Opens inputs that are read one after the other as one stream. "-" is standard input; n = 0 means standard input too.
 * gzip, zstd, bzip2 and xz are recognised by content. Options may be NULL. */
SLUICE_API sluice_reader *sluice_reader_open(const char *const *paths, size_t n, const sluice_reader_options *options,
                                             sluice_error *err);
/* Reads from memory, which must stay until the reader is closed. `name` (may be NULL) stands in error messages, and its
 * ending may name a format; so below. */
SLUICE_API sluice_reader *sluice_reader_open_memory(const void *bytes, size_t n, const char *name,
                                                    const sluice_reader_options *options, sluice_error *err);
/* Reads a file descriptor (a file, pipe, socket or terminal) from where it stands to its end. It must stay open until
 * the reader is closed, and is not closed with it. Rows are delivered as they arrive. */
SLUICE_API sluice_reader *sluice_reader_open_fd(int fd, const char *name, const sluice_reader_options *options,
                                                sluice_error *err);

/* Reads what a function supplies. It is called by one thread at a time, but not always by the same one, and no more
 * after it has returned 0 or less (less: the reader fails with SLUICE_E_IO) or the reader is closed. Rows are delivered
 * as soon as the function has returned all of their bytes. */
SLUICE_API sluice_reader *sluice_reader_open_function(sluice_read_function read, void *context, const char *name,
                                                      const sluice_reader_options *options, sluice_error *err);
/* Waits for threads of the reader that are inside a read function. */
SLUICE_API void sluice_reader_close(sluice_reader *reader);
SLUICE_API const sluice_error *sluice_reader_error(const sluice_reader *reader);

/* The next rows, valid until the next call: SLUICE_OK, SLUICE_END, or a failure, after which there are no more. Rows
 * before a malformed line are delivered before the failure is. */
SLUICE_API sluice_status sluice_reader_next(sluice_reader *reader, const sluice_batch **batch);

/* Makes sluice_reader_next() return SLUICE_E_CANCELLED, now and from then on, also where it is waiting for a pipe,
 * socket or terminal. (A read function is not interrupted; the call ends when it returns.) Rows that were read but not
 * delivered are lost: sluice_reader_position() says where they begin. May be called from any thread and from a signal
 * handler, any number of times, before sluice_reader_close(). */
SLUICE_API void sluice_reader_cancel(sluice_reader *reader);

/* Makes sluice_reader_next() return, where it is waiting or the next time that it would, SLUICE_OK with a batch that
 * has no rows: for a program that has something else to do now, such as saving a model. No row is lost. Otherwise as
 * sluice_reader_cancel(). */
SLUICE_API void sluice_reader_wake(sluice_reader *reader);

/* The name of the format that the last batch came in. */
SLUICE_API const char *sluice_reader_format(const sluice_reader *reader);
/* How far it is: bytes of the files consumed, and of how many (0 where unknown, as with pipes). */
SLUICE_API void sluice_reader_progress(const sluice_reader *reader, uint64_t *done, uint64_t *total);
/* Where the rows delivered so far end: the input (0 is the first) and the byte in it, counted from where reading began
 * and after decompression. All rows of the inputs before it, and all of its rows that begin before that byte, were
 * delivered or left out; no other row was. It lies at the beginning of a line (in csv: of a record; in bin: of a block)
 * or at the end of the input. After a malformed line it is where that line begins. */
SLUICE_API void sluice_reader_position(const sluice_reader *reader, size_t *input, uint64_t *offset);
/* How many rows had the label of the i-th of the options' costs. Of all inputs, once they are read. */
SLUICE_API uint64_t sluice_reader_cost_rows(const sluice_reader *reader, size_t i);
/* What the option `quadratic` crosses and no row had, and some of what there is: a message that the reader keeps. Of
 * all inputs, once they are read. NULL: nothing is missing. */
SLUICE_API const char *sluice_reader_uncrossed(sluice_reader *reader);
/* How many rows delivered so far have no label where that may be (sluice_batch_unlabelled): their importance is 0, so
 * that they are predicted and, but for pseudo-labels, not learned. */
SLUICE_API uint64_t sluice_reader_unlabelled(const sluice_reader *reader);
/* How many lines were left out for the i-th reason; its name, or NULL past the last reason. */
SLUICE_API const char *sluice_reader_skipped(const sluice_reader *reader, size_t i, uint64_t *count);

/* A parser: rows from bytes that the caller has, such as the bodies of requests or messages of a queue. It has no
 * thread and does everything in the calling one; the formats, options and rules are those of readers (`threads` means
 * nothing). Once it has seen inputs of the usual size it allocates nothing, except for csv headers and for compressed
 * bytes.
 *
 *     sluice_parser_reset(p);
 *     sluice_parser_push(p, body, n);
 *     sluice_parser_finish(p);
 *     while ((status = sluice_parser_next(p, &batch)) == SLUICE_OK) predict(batch);
 *
 * An input may also come in many pieces, cut anywhere: push a piece, take rows until SLUICE_END, push the next. */
typedef struct sluice_parser sluice_parser;

/* The format is options->format; where that is NULL, by content, else options->hint, else libsvm. */
SLUICE_API sluice_parser *sluice_parser_new(const sluice_reader_options *options, sluice_error *err);
SLUICE_API void sluice_parser_free(sluice_parser *parser);
/* Gives it the next bytes of the input. They are not copied: they must stay until sluice_parser_next() does not return
 * SLUICE_OK, or the parser is reset or freed. SLUICE_E_USAGE while rows of the bytes before are to be taken, and after
 * sluice_parser_finish(); nothing has changed then. */
SLUICE_API sluice_status sluice_parser_push(sluice_parser *parser, const void *bytes, size_t n);
/* Says that the input is complete: its last line needs no newline. */
SLUICE_API void sluice_parser_finish(sluice_parser *parser);
/* The next rows, valid until the next call on the parser: SLUICE_OK; SLUICE_END when all complete lines of the bytes
 * pushed were delivered; or a failure, which stays until the parser is reset. Rows before a malformed line are
 * delivered before the failure is. */
SLUICE_API sluice_status sluice_parser_next(sluice_parser *parser, const sluice_batch **batch);
/* Whether the rows delivered so far are all rows of the input, and nothing is wrong behind them: 1 only after
 * sluice_parser_finish(). For who would otherwise copy a batch, since it ends with the next call, only to learn that
 * there is no more. 0: sluice_parser_next() says more; so it may be where there is no more after all, with compressed
 * bytes and bin. */
SLUICE_API int sluice_parser_is_done(const sluice_parser *parser);
/* Forgets the input, its csv header, failure, line numbers and skipped lines: the next bytes begin a new one. */
SLUICE_API void sluice_parser_reset(sluice_parser *parser);
SLUICE_API const sluice_error *sluice_parser_error(const sluice_parser *parser);
/* As sluice_reader_skipped(), of this input. */
SLUICE_API const char *sluice_parser_skipped(const sluice_parser *parser, size_t i, uint64_t *count);

SLUICE_API size_t sluice_batch_rows(const sluice_batch *batch);
SLUICE_API size_t sluice_batch_nonzeros(const sluice_batch *batch, size_t row);
SLUICE_API double sluice_batch_label(const sluice_batch *batch, size_t row);
SLUICE_API double sluice_batch_weight(const sluice_batch *batch, size_t row);
/* The text of a label that is not -1, 0 or 1, as in sluice_example, valid as long as the row is; n is 0 for all others.
 */
SLUICE_API sluice_name sluice_batch_word(const sluice_batch *batch, size_t row);
/* Whether some row has one. */
SLUICE_API int sluice_batch_has_words(const sluice_batch *batch);
/* Whether the row stands for a malformed line that was left out (every_line with skip_errors): it has no label and no
 * features, and importance 0. Copies of the row in other batches and in datasets do not have this mark. */
SLUICE_API int sluice_batch_left_out(const sluice_batch *batch, size_t row);
/* Whether the row has no label (sluice_reader_options.missing_labels; in vw, jsonl and bin without it, too): its
 * importance is 0, and only a model with pseudo-labels learns it. Rows read with `unlabelled`, and copies of the row in
 * other batches and in datasets, do not have this mark. And how many of n rows from `first` on have none. */
SLUICE_API int sluice_batch_unlabelled(const sluice_batch *batch, size_t row);
SLUICE_API size_t sluice_batch_unlabelled_rows(const sluice_batch *batch, size_t first, size_t n);
/* What `id` of a row is. */
enum {
    SLUICE_ID_NONE = 0, /* there is none: an empty cell, no such key, no tag; or the line is malformed before it */
    SLUICE_ID_TEXT = 1,
    SLUICE_ID_JSON = 2, /* a JSON value other than a string, as it is written */
};

/* Where a row of a reader or parser comes from. */
typedef struct sluice_row_origin {
    size_t size;
    const char *input; /* its name; NULL: the batch does not come from a reader */
    uint64_t line;     /* in that input, from 1; in csv where the record begins. 0 in formats without lines */
    sluice_name text;  /* keep_lines: the line (csv: the record) without its line end; empty where it is longer than
                          max_line. text is NULL where lines are not kept */
    sluice_name id;    /* as asked for by `id`: the text of the cell, the string, the tag */
    int id_kind;       /* SLUICE_ID_ */
} sluice_row_origin;

/* Fills in *origin, whose size is set; its texts are good as long as the batch. */
SLUICE_API sluice_status sluice_batch_origin(const sluice_batch *batch, size_t row, sluice_row_origin *origin,
                                             sluice_error *err);
/* Whether its features have names instead of ids; the same for all batches of one input. */
SLUICE_API int sluice_batch_has_names(const sluice_batch *batch);
/* Fills *x with a row; its ids are copied to `ids`, or its names to `names`, which have room for
 * sluice_batch_nonzeros(). The one that the batch does not need may be NULL. */
SLUICE_API void sluice_batch_row(const sluice_batch *batch, size_t row, uint64_t *ids, sluice_name *names,
                                 sluice_example *x);

/* A batch of your own: rows that are held, to be learned from and predicted again and again, as fast as those of a
 * reader and by any number of models and threads at once. Of ids it takes 8 bytes a value, 12 from 2^31 on. */
SLUICE_API sluice_batch *sluice_batch_new(sluice_error *err);
SLUICE_API void sluice_batch_free(sluice_batch *batch);
/* Adds a copy of an example, which must be as sluice_model_learn() wants it. Features have either ids or names
 * throughout; labels and weights are kept as floats, and words as they are. */
SLUICE_API sluice_status sluice_batch_add(sluice_batch *batch, const sluice_example *x, sluice_error *err);
/* Adds copies of all rows of a matrix, which needs labels; when it fails, none of them. SLUICE_E_UNSUPPORTED where it
 * has names. */
SLUICE_API sluice_status sluice_batch_add_csr(sluice_batch *batch, const sluice_csr *csr, sluice_error *err);
/* A view of a batch as a matrix, valid until the batch changes: fills in *csr, whose size is set. Ids are 32 bits wide,
 * or, where some are 2^31 and more, 64 bits and copied to `ids`, which has room for sluice_batch_total_nonzeros().
 * SLUICE_E_UNSUPPORTED where features have names, where a label is no number, or where `ids` is needed and NULL. */
SLUICE_API sluice_status sluice_batch_csr(const sluice_batch *batch, sluice_csr *csr, uint64_t *ids, sluice_error *err);
/* Nonzeros of all rows together. */
SLUICE_API size_t sluice_batch_total_nonzeros(const sluice_batch *batch);
/* Bytes that the batch has allocated. */
SLUICE_API uint64_t sluice_batch_memory(const sluice_batch *batch);

typedef struct sluice_writer sluice_writer;

/* Writes examples to a file ("-": standard output), atomically as a model is saved. The format is "libsvm", "vw",
 * "jsonl", "bin" or NULL: by the path's ending (unknown ones: LIBSVM text). SLUICE_E_UNSUPPORTED where an example has
 * what the format has no place for: names, or an importance weight; the writer goes on without it. */
SLUICE_API sluice_writer *sluice_writer_open(const char *path, const char *format, sluice_error *err);
SLUICE_API sluice_status sluice_writer_put(sluice_writer *writer, const sluice_example *x);
SLUICE_API sluice_status sluice_writer_put_batch(sluice_writer *writer, const sluice_batch *batch);
/* Makes the file appear under its name. Call sluice_writer_close() afterwards in any case. */
SLUICE_API sluice_status sluice_writer_commit(sluice_writer *writer);
/* Closes; what was not committed is gone. */
SLUICE_API void sluice_writer_close(sluice_writer *writer);
SLUICE_API const sluice_error *sluice_writer_error(const sluice_writer *writer);

/* ---- drift ------------------------------------------------------------------------------------------------------ */

/* Watches whether predictions become worse (docs/drift.md). It is told of every prediction in the order of the stream,
 * by a meter (sluice_meter_options.drift) or by sluice_drift_add(), and gives an alarm where the error rate has risen
 * by more than chance. After an alarm the detector begins anew; counts and figures go on. Nothing is allocated
 * meanwhile. */
typedef struct sluice_drift sluice_drift;

typedef struct sluice_detector_info {
    const char *name, *summary;
    const sluice_param_info *params;
    size_t n_params;
    const void *reserved[4];
} sluice_detector_info;

/* The detectors, the default first; NULL past the last. */
SLUICE_API const sluice_detector_info *sluice_detector_at(size_t i);
/* `params` are "name=value" strings; those left out have their defaults. `detector` NULL: the default. */
SLUICE_API sluice_drift *sluice_drift_new(const char *detector, const char *const *params, size_t n_params,
                                          sluice_error *err);
SLUICE_API void sluice_drift_free(sluice_drift *drift);
/* What it was made with; NaN past the last parameter. */
SLUICE_API const sluice_detector_info *sluice_drift_detector(const sluice_drift *drift);
SLUICE_API double sluice_drift_param(const sluice_drift *drift, size_t i);

#define SLUICE_DRIFT_STEP 32   /* alarms come when the number of examples is a multiple of this */
#define SLUICE_DRIFT_ALARMS 64 /* how many alarms are kept: the last ones */

/* Counts one example: whether it was predicted wrong. */
SLUICE_API void sluice_drift_add(sluice_drift *drift, int mistake);

typedef struct sluice_drift_alarm {
    uint64_t example;                 /* how many there were, when it came */
    double error_before, error_after; /* error rates, before and since the rise as the detector places it */
    uint64_t reserved[2];
} sluice_drift_alarm;

/* The i-th alarm of all; NULL: it has not come, is no longer kept, or came before sluice_drift_parse(). Valid until the
 * next example. */
SLUICE_API const sluice_drift_alarm *sluice_drift_alarm_at(const sluice_drift *drift, uint64_t i);

/* Figures that do not exist, without any example, are NaN. */
typedef struct sluice_drift_figures {
    size_t size;
    uint64_t examples, alarms;
    double window_error; /* of the last `window` examples, or of all where there are fewer */
    double fading_error; /* each example counts 1 - 1 / window times as much as the one after it; the mean of all as
                            long as there are fewer than `window` */
} sluice_drift_figures;

SLUICE_API sluice_status sluice_drift_read(const sluice_drift *drift, sluice_drift_figures *figures, sluice_error *err);

/* Its state, the same on all machines: with it a stream can be watched on later as if it had not been interrupted.
 * Free *bytes, NULL where the call fails, with sluice_free(). SLUICE_E_FORMAT for bytes that are no such state. */
SLUICE_API sluice_status sluice_drift_bytes(const sluice_drift *drift, void **bytes, size_t *n, sluice_error *err);
SLUICE_API sluice_drift *sluice_drift_parse(const void *bytes, size_t n, sluice_error *err);

/* ---- measures --------------------------------------------------------------------------------------------------- */

/* A prediction as a meter counts it. */
typedef struct sluice_prediction {
    double margin;             /* of the positive class; of several classes that of the predicted one, NaN where it was
                                  not told (sluice_meter_add_class, sluice_meter_test_batch) */
    uint32_t truth, predicted; /* 1: the positive class, 0: the other one. Several classes: their numbers in the model,
                                  SLUICE_NO_CLASS as for sluice_meter_add_class() */
} sluice_prediction;
typedef void (*sluice_prediction_function)(void *context, const sluice_prediction *prediction);

typedef struct sluice_meter_options {
    size_t size;
    int exact_auc; /* keep every margin (8 bytes an example) for the exact AUC; else bins of up to 0.8 % width */
    double cost_missed, cost_alarm; /* for the weighted cost; 0 means 1 */
    double mu_pos;                  /* weight of the sensitivity in `sum`; 0 means 0.5 */
    int probability;                /* margins are log odds: measure them as probabilities */
    const sluice_model *model;      /* measure its probabilities, and count by its threshold; it must outlive the meter.
                                       NULL: none, and +1 is predicted where margins are > 0 */
    size_t top_classes;  /* several classes: count how often the class is among the best k answers for k up to this; 0
                            means SLUICE_TOP_ACCURACIES */
    sluice_drift *drift; /* is told of every prediction; it must outlive the meter. NULL: none */
    sluice_prediction_function prediction; /* is called with every prediction that is counted, in the order of the rows;
                                              NULL: none. While a model learns: with the margin before learning, once
                                              the row is learned; rows of importance 0, rows without a label and those
                                              that are not learned are left out. It must not use meter and model */
    void *context;
    double precision; /* for recall_at_precision, up to 1; 0: that is not measured */
} sluice_meter_options;

#define SLUICE_TOP_ACCURACIES 5
#define SLUICE_MAX_TOP_CLASSES 100000

/* Figures that do not exist (a rate of nothing, the AUC of one class) are NaN. */
typedef struct sluice_measures {
    size_t size;
    uint64_t examples, mistakes;
    uint64_t true_pos, false_pos, true_neg, false_neg;
    double error_rate, accuracy, sensitivity, specificity, balanced_accuracy, sum, cost;
    double precision, recall, f1, auc, hinge_loss, log_loss; /* losses: mean per example */
    double brier;             /* of probabilities: the mean square of what they miss the labels 0 and 1 by */
    double calibration_error; /* with exact_auc: mean probability and share of positives in 15 bins of equally many
                                 examples; how far they are apart on average */
    double average_precision; /* the area under precision against recall: the positives' mean of the precision among
                                 those whose margins are not smaller */
    /* Several classes (below). What is of two classes alone is then NaN, or a count of 0. */
    size_t classes; /* of the model, or as many as occurred where the meter has no model; 0: two classes */
    double macro_precision, macro_recall, macro_f1; /* means over the classes that occur as label or prediction */
    double micro_f1; /* of all hits, false predictions and misses added up; the accuracy where every label is known */
    double weighted_f1;                         /* the mean over the examples of the F1 of their class */
    double top_accuracy[SLUICE_TOP_ACCURACIES]; /* [k - 1]: share of the examples whose class is among the best k
                                                   answers; NaN where only the best is known */
    uint64_t unknown_labels;    /* examples whose label is no class of the model: mistakes, and in no class's support */
    double recall_at_precision; /* the highest recall of all thresholds whose precision is at least the options'; 0:
                                   none has it */
} sluice_measures;

SLUICE_API sluice_meter *sluice_meter_new(const sluice_meter_options *options, sluice_error *err);
SLUICE_API void sluice_meter_free(sluice_meter *meter);
/* Counts one prediction. */
SLUICE_API sluice_status sluice_meter_add(sluice_meter *meter, double margin, double label);
/* Counts the margins of all rows of a batch; rows of importance 0 are absent. */
SLUICE_API sluice_status sluice_meter_add_batch(sluice_meter *meter, const sluice_batch *batch, const double *margins);
SLUICE_API sluice_status sluice_meter_read(sluice_meter *meter, sluice_measures *measures);
/* The mistakes alone, and *examples, at no cost (sluice_meter_read goes over all bins or margins). */
SLUICE_API uint64_t sluice_meter_mistakes(const sluice_meter *meter, uint64_t *examples);

/* Several classes. A meter whose model is of several classes, or whose first example comes by sluice_meter_add_class(),
 * counts classes, by their numbers in the model. Precision and F1 are 0 where they would be 0 / 0; averages are those
 * of scikit-learn over the classes that the model knows. balanced_accuracy is the mean recall of the classes that have
 * examples; log_loss takes probabilities below 2^-52, and those of labels that the model does not know, for 2^-52. */

/* Counts one prediction. `truth` is SLUICE_NO_CLASS where the model does not know the label, `predicted` where there is
 * no answer. `rank`: the true class is the rank-th best answer, from 1; 0: not known. `probability`: of the true class;
 * NaN: there is none. SLUICE_E_USAGE where the meter has counted examples of two classes, or the model has no such
 * class. */
SLUICE_API sluice_status sluice_meter_add_class(sluice_meter *meter, uint32_t truth, uint32_t predicted, uint32_t rank,
                                                double probability);
/* Predicts all rows of a batch with the meter's model, which is of several classes, and counts them; rows of importance
 * 0 are absent. Rows before one that fails are counted. */
SLUICE_API sluice_status sluice_meter_test_batch(sluice_meter *meter, const sluice_batch *batch);

typedef struct sluice_class_measures {
    size_t size;
    uint64_t support, predicted, hits; /* examples of the class, predictions of it, those that are both */
    double precision, recall, f1;
} sluice_class_measures;

/* The measures of one class; all are 0 for one that has not occurred. SLUICE_E_UNSUPPORTED for a meter of two classes.
 */
SLUICE_API sluice_status sluice_meter_class(sluice_meter *meter, size_t class_index, sluice_class_measures *measures);
/* Share of the examples whose class is among the best k answers; NaN where that was not counted. */
SLUICE_API double sluice_meter_top_accuracy(const sluice_meter *meter, size_t k);

/* Examples of one class for which one class was predicted; SLUICE_NO_CLASS: an unknown label, no answer. */
typedef struct sluice_confusion {
    uint32_t truth, predicted;
    uint64_t examples;
    uint64_t reserved[1];
} sluice_confusion;

/* The cells of the confusion matrix that are not 0: by truth, then by prediction, SLUICE_NO_CLASS last. Returns how
 * many there are, and fills `cells` if there is room for all of them. */
SLUICE_API size_t sluice_meter_confusions(const sluice_meter *meter, sluice_confusion *cells, size_t room);

/* A threshold other than 0, and what it would have led to. */
typedef struct sluice_cut {
    double margin; /* those above it would be predicted +1 */
    uint64_t true_pos, false_pos;
    uint64_t reserved[1];
} sluice_cut;

/* From "all are +1" to "none is": the points of the ROC curve and of precision against recall. Fills `cuts` and returns
 * how many there are: at most `room`, spread evenly along the curve; none where there is only one class. Exact
 * with exact_auc, else thresholds lie between bins. */
SLUICE_API size_t sluice_meter_curve(sluice_meter *meter, sluice_cut *cuts, size_t room);

/* What a threshold is chosen for. */
enum {
    SLUICE_GOAL_PRECISION = 1, /* the highest recall with at least this precision */
    SLUICE_GOAL_RECALL = 2,    /* the highest precision with at least this recall */
    SLUICE_GOAL_COST = 3,      /* the least weighted cost */
    SLUICE_GOAL_F1 = 4,        /* the largest F1 */
    SLUICE_GOAL_ALARMS = 5,    /* the highest recall where at most this share of the examples is predicted +1 */
};

/* A threshold, and what it would have led to. */
typedef struct sluice_chosen {
    size_t size;
    double margin; /* those above it would be predicted +1: halfway between two neighbouring margins */
    int reached;   /* 0: no threshold reaches the precision; this one comes nearest */
    uint64_t true_pos, false_pos, true_neg, false_neg;
    double precision, recall, f1, cost;
    double alarms; /* the share of examples predicted +1 */
} sluice_chosen;

/* Chooses the threshold for a goal among all cuts; examples of equal margins are never parted. `wanted` is the
 * precision, recall or share, above 0 and up to 1 (a share may be 0); the other goals do not use it. Among equals the
 * one that predicts +1 least often is chosen, for SLUICE_GOAL_RECALL the one with the higher recall. Exact with
 * exact_auc, else thresholds lie between bins. SLUICE_E_DATA where the examples are not of both classes. */
SLUICE_API sluice_status sluice_meter_choose(sluice_meter *meter, int goal, double wanted, sluice_chosen *chosen);

#define SLUICE_CALIBRATION_BINS 15

/* Examples of neighbouring probabilities. */
typedef struct sluice_calibration_bin {
    uint64_t examples, positives;
    double probability; /* the mean */
    double lowest, highest;
    uint64_t reserved[1];
} sluice_calibration_bin;

/* The bins of the calibration error by rising probability; returns how many, 0 where that does not exist. */
SLUICE_API size_t sluice_meter_bins(sluice_meter *meter, sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS]);
SLUICE_API const sluice_error *sluice_meter_error(const sluice_meter *meter);

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* A dictionary: names to numbers 0, 1, 2, ... in the order of first sight. */
typedef struct sluice_names sluice_names;

SLUICE_API sluice_names *sluice_names_new(void);
SLUICE_API void sluice_names_free(sluice_names *names);
/* The number of a name, a new one if need be; UINT64_MAX when there is no memory or the name is too long. */
SLUICE_API uint64_t sluice_names_number(sluice_names *names, sluice_name name);
/* A name by its number: good until the next one is added. */
SLUICE_API sluice_name sluice_names_name(const sluice_names *names, uint64_t number);
SLUICE_API uint64_t sluice_names_count(const sluice_names *names);

/* ---- rows in memory --------------------------------------------------------------------------------------------- */

/* Rows that are held, for work that needs them all at once or several times: 12 bytes a value. Features have ids; where
 * any row has names, all go by names, and their ids are numbers of names (sluice_dataset_names). */
typedef struct sluice_dataset sluice_dataset;

SLUICE_API sluice_dataset *sluice_dataset_new(sluice_error *err);
SLUICE_API void sluice_dataset_free(sluice_dataset *data);
/* Says, before rows are added, that they are of classes, words or numbers, as those of a model: of its settings (NULL:
 * all 0) `classes` and `positive` matter. Of two classes a third one is then SLUICE_E_DATA when its row is added, and
 * the work below follows the classes: the one seen first among the rows added is -1 inside. Otherwise labels > 0 mean
 * +1. */
SLUICE_API sluice_status sluice_dataset_use_classes(sluice_dataset *data, const sluice_settings *settings,
                                                    sluice_error *err);
/* The classes of the rows added, and how many rows each has, as a model that has learned nothing else; lives as long as
 * the dataset. NULL: sluice_dataset_use_classes() was not called. */
SLUICE_API const sluice_model *sluice_dataset_classes(const sluice_dataset *data);
/* Says that the rows added from now on are for testing alone: their labels are not counted and add no class. */
SLUICE_API void sluice_dataset_begin_test(sluice_dataset *data);
/* Adds copies of the rows of a batch, at the end of the order too. */
SLUICE_API sluice_status sluice_dataset_add(sluice_dataset *data, const sluice_batch *batch, sluice_error *err);
/* Adds all rows that the reader still has. Progress (may be NULL) counts bytes. What was read stays when it fails. */
SLUICE_API sluice_status sluice_dataset_read(sluice_dataset *data, sluice_reader *reader,
                                             sluice_progress_function progress, void *context, sluice_error *err);
/* Drops the rows and keeps the names, for work that has its own copy of the rows. */
SLUICE_API void sluice_dataset_forget_rows(sluice_dataset *data);

SLUICE_API size_t sluice_dataset_rows(const sluice_dataset *data);
/* The largest id in the rows of the order (0: there is none), and the number of features of the longest row held. */
SLUICE_API uint64_t sluice_dataset_dimension(const sluice_dataset *data);
SLUICE_API size_t sluice_dataset_longest(const sluice_dataset *data);
/* NULL: the features have ids. */
SLUICE_API const sluice_names *sluice_dataset_names(const sluice_dataset *data);
/* A row by ids or numbers of names; it points into the dataset until that changes. */
SLUICE_API void sluice_dataset_row(const sluice_dataset *data, size_t row, sluice_example *x);
/* A row as it came, by ids or by names; good until the next call. */
SLUICE_API void sluice_dataset_original(sluice_dataset *data, size_t row, sluice_example *x);

/* Which rows, in which order: at first all, as they came. */
SLUICE_API const size_t *sluice_dataset_order(const sluice_dataset *data, size_t *n);
/* The first n rows, as they came. */
SLUICE_API void sluice_dataset_reset_order(sluice_dataset *data, size_t n);
SLUICE_API void sluice_dataset_shuffle(sluice_dataset *data, uint64_t seed);
/* Keeps all rows of the scarce class, and of the other as many as make positives : negatives = pos : neg, rounded down;
 * drawn without replacement, in the same order. pos and neg are at least 1. */
SLUICE_API void sluice_dataset_sample(sluice_dataset *data, uint64_t pos, uint64_t neg, uint64_t seed);

/* n rows of the order from `first` on as a batch, without those of importance 0. */
SLUICE_API sluice_batch *sluice_dataset_batch(const sluice_dataset *data, size_t first, size_t n, sluice_error *err);
/* Two batches: every nth row of the order, and the others; rows of importance 0 are in neither. Free both. */
SLUICE_API sluice_status sluice_dataset_hold_out(const sluice_dataset *data, size_t nth, sluice_batch **learn,
                                                 sluice_batch **test, sluice_error *err);
/* A whole run of a model over the rows of the order, as they came: the model that would have learned them from a
 * stream. 0 passes mean 1. Progress (may be NULL) counts rows. */
SLUICE_API sluice_status sluice_dataset_learn(sluice_dataset *data, sluice_model *model, uint64_t passes,
                                              sluice_progress_function progress, void *context, sluice_error *err);
/* Mean and sample deviation (n - 1) of every column over the rows of the order; absent values count as 0, and the
 * deviation of a constant column is 0. Both arrays have sluice_dataset_dimension() + 1 elements. SLUICE_E_LIMIT, and
 * nothing is written, where that would be more than SLUICE_MAX_FEATURES. */
SLUICE_API sluice_status sluice_dataset_scales(const sluice_dataset *data, double *mean, double *deviation,
                                               sluice_error *err);

/* ---- experiments ------------------------------------------------------------------------------------------------ */

/* Structs that these calls hand out as pointers to const belong to the object, until it changes or is freed; members
 * may be added at their ends. `threads` is how many may work at once (0: one for each core); results do not depend on
 * it. */

/* Rows dealt to folds for cross-validation: shuffled, then the positive and the negative ones dealt in turn, so that
 * sizes and numbers of positives differ by at most one; folds of fewer rows than there are folds are put in a random
 * order, since neighbours would have the same class. Rows of importance 0 are left out. Holds its own copy. */
typedef struct sluice_folds sluice_folds;

SLUICE_API sluice_folds *sluice_folds_new(const sluice_dataset *data, size_t n, uint64_t seed, sluice_error *err);
/* The rows of the dataset's order cut into n parts, one behind the other, whose sizes differ by at most one: part i
 * ends behind floor(i rows / n) of them, i = 1 .. n. For streams: sluice_search_tune() learns the past and measures
 * what comes next. */
SLUICE_API sluice_folds *sluice_folds_in_order(const sluice_dataset *data, size_t n, sluice_error *err);
SLUICE_API void sluice_folds_free(sluice_folds *folds);
SLUICE_API size_t sluice_folds_count(const sluice_folds *folds);
SLUICE_API const sluice_batch *sluice_folds_part(const sluice_folds *folds, size_t i);
/* The rows of all folds, and how many of them are positive (may be NULL). */
SLUICE_API uint64_t sluice_folds_rows(const sluice_folds *folds, uint64_t *positives);

/* A search: learners, the values of their parameters to try, and what came out. */
typedef struct sluice_search sluice_search;

typedef struct sluice_search_options {
    size_t size;
    const sluice_settings *settings; /* of all models; NULL: the defaults */
    uint64_t random;                 /* number of points to draw for each learner, without repeats; 0: try all */
    uint64_t seed;                   /* for drawing */
} sluice_search_options;

SLUICE_API sluice_search *sluice_search_new(const sluice_search_options *options, sluice_error *err);
SLUICE_API void sluice_search_free(sluice_search *search);
/* Adds a learner with n fixed "name=value" parameters; each learner once. */
SLUICE_API sluice_status sluice_search_add_learner(sluice_search *search, const char *learner,
                                                   const char *const *params, size_t n, sluice_error *err);
/* Adds values for a parameter of a learner, or for a setting of its models (normalize, bias, transform, scale),
 * separated by commas: numbers (0.1,1,10), words (constant,sqrt), powers (2^-5..2^5: all between), or a range with the
 * number of values, at equal ratios (0.01..100:9). Where points are drawn a range needs no number. */
SLUICE_API sluice_status sluice_search_add_grid(sluice_search *search, const char *learner, const char *param,
                                                const char *values, sluice_error *err);

enum {
    SLUICE_GRIDS_TUNE = 0,     /* up to two usual parameters, and r, each from a sixteenth of its default to 16 times
                                  that: at most 75 points */
    SLUICE_GRIDS_SPARSITY = 1, /* 16 values of the parameter that makes the learner sparse */
};

/* The grids to use when the user names none. */
SLUICE_API sluice_status sluice_search_add_default_grids(sluice_search *search, const char *learner, int kind,
                                                         sluice_error *err);
/* Adds values, separated by commas, of something that the program does to the rows before they come here, such as
 * ngrams=1,2: a reading. They are texts, which the program checks. */
SLUICE_API sluice_status sluice_search_add_reading(sluice_search *search, const char *learner, const char *name,
                                                   const char *values, sluice_error *err);
/* A setting that a search can vary, by its name or by "name=value"; NULL: there is none. */
SLUICE_API const sluice_param_info *sluice_search_setting(const char *name);
/* Makes the points: all combinations of each learner's values, or those drawn. The calls below do it by themselves, but
 * this shows earlier what is wrong. SLUICE_E_LIMIT: more than 100,000. */
SLUICE_API sluice_status sluice_search_make_points(sluice_search *search, sluice_error *err);

/* A learner with values of its parameters, and the result over its runs: folds, or repeats. */
typedef struct sluice_point {
    const sluice_learner_info *learner;
    const char *const *params; /* the fixed ones, then one for every grid */
    size_t n_params, n_fixed;
    size_t order;        /* the position in which it was made */
    int searched;        /* added by sluice_search_find() */
    const char *failure; /* NULL, or why the first run that failed did; there are no figures then */
    const double *runs;  /* the measure, by run; NULL before there is a result */
    size_t n_runs;
    double mean, deviation;                                       /* of the measure; deviation is NaN for one run */
    const sluice_measures *test;                                  /* counts are sums, figures means */
    uint64_t examples, mistakes;                                  /* while learning, in the first pass: sums */
    double error_deviation;                                       /* while learning */
    double nonzeros, features_seen, sparsity, sparsity_deviation; /* means */
    double seconds;                                               /* sum */
    const sluice_settings *settings;                              /* of its models */
    const char *const *varied; /* "name=value" of the settings that have grids, then of the readings */
    size_t n_varied;
    size_t reading;        /* the number of its combination of readings */
    const double *by_part; /* sluice_tune_options.progressive: the error rate in each part; NaN where it has no rows */
    size_t n_parts;
} sluice_point;

SLUICE_API size_t sluice_search_points(const sluice_search *search);
/* The combinations of readings that the points have, in the order in which they were made: how many, and the n
 * "name=value" of the i-th. Without readings one, of none. */
SLUICE_API size_t sluice_search_readings(const sluice_search *search);
SLUICE_API const char *const *sluice_search_reading(const sluice_search *search, size_t i, size_t *n);
/* After sluice_search_tune() the best first; after a sweep by learner, then by ascending value. NULL past the last. */
SLUICE_API const sluice_point *sluice_search_point(const sluice_search *search, size_t i);
/* A model of a point that has learned nothing. */
SLUICE_API sluice_model *sluice_search_model(const sluice_search *search, size_t i, sluice_error *err);
/* Whether the point's value for the learner's grid of this number lies at the end of what was tried, though the
 * parameter could go further. */
SLUICE_API int sluice_search_at_end(const sluice_search *search, size_t i, size_t grid);

/* What to choose by. */
enum {
    SLUICE_MEASURE_ERROR = 0,
    SLUICE_MEASURE_BALANCED_ACCURACY = 1,
    SLUICE_MEASURE_AUC = 2,
    SLUICE_MEASURE_F1 = 3, /* several classes: the mean over the classes */
    SLUICE_MEASURE_COST = 4,
    SLUICE_MEASURE_AVERAGE_PRECISION = 5,
    SLUICE_MEASURE_LOG_LOSS = 6,
    SLUICE_MEASURE_RECALL_AT_PRECISION = 7,
};

typedef struct sluice_measure_info {
    const char *name;     /* "ap", as in options */
    const char *figure;   /* "average_precision", as in results */
    const char *title;    /* "average precision", for a person */
    int larger_is_better; /* otherwise the smaller the better */
    int is_share;         /* it lies between 0 and 1 */
    int of_two;           /* it exists for two classes alone */
} sluice_measure_info;

/* By SLUICE_MEASURE_; NULL past the last. */
SLUICE_API const sluice_measure_info *sluice_measure_at(size_t i);

/* Which point is the best. */
enum {
    SLUICE_CHOOSE_SPARSE = 0, /* the one of fewest nonzeros (but some) whose measure is within one standard error, over
                                 the folds, of the best; of progressive error rates that of a share, and of other
                                 progressive measures, which have none, the best */
    SLUICE_CHOOSE_BEST = 1,   /* the one of the best measure; among equals the one of fewest nonzeros */
};

typedef struct sluice_tune_options {
    size_t size;
    int measure; /* SLUICE_MEASURE_ */
    unsigned threads;
    uint64_t passes;                   /* 0 means 1 */
    double cost_missed, cost_alarm;    /* for SLUICE_MEASURE_COST; 0 means 1 */
    sluice_progress_function progress; /* counts models; may be NULL */
    void *context;
    int choose;       /* SLUICE_CHOOSE_ */
    double precision; /* for SLUICE_MEASURE_RECALL_AT_PRECISION, above 0 and up to 1 */
    int progressive;  /* measure what was predicted before learning, in one pass over folds in order; passes: 1 */
    size_t reading;   /* tune the points alone whose combination of readings has this number less 1; 0: all */
} sluice_tune_options;

/* Measures all points. Folds of sluice_folds_new(): every fold is predicted by a model of the others. Folds in order:
 * every part but the first is predicted by a model of those before it. The chosen point comes first, the others are
 * sorted by the measure, then by nonzeros, then as they were made; those without the measure (mean is NaN) come then,
 * those that failed, and those that have no result: of other readings, or because the work was cancelled. Points whose
 * work was done before that have theirs. */
SLUICE_API sluice_status sluice_search_tune(sluice_search *search, const sluice_folds *folds,
                                            const sluice_tune_options *options, sluice_error *err);
/* After it: the number of the point with the best mean, 0 or 1, and the standard error of a point's mean (NaN: it has
 * none). */
SLUICE_API size_t sluice_search_best_mean(const sluice_search *search);
SLUICE_API double sluice_search_standard_error(const sluice_search *search, size_t i);

/* The parameter that makes models of this learner sparse, or NULL. */
SLUICE_API const sluice_param_info *sluice_learner_sparsity_param(const sluice_learner_info *learner);
/* A parameter by its name, or by "name=value"; NULL: there is none. */
SLUICE_API const sluice_param_info *sluice_learner_param(const sluice_learner_info *learner, const char *name);

typedef struct sluice_sweep_options {
    size_t size;
    unsigned threads;
    uint64_t passes;          /* 0 means 1 */
    uint64_t dimension;       /* what sparsity refers to; 0: the features seen */
    const sluice_batch *test; /* rows to measure on (of the same dataset); NULL: none, and no figures of them */
    /* for held rows alone */
    uint64_t repeats; /* 0 means 1. The first run has the order of the rows, the others are shuffled by seed, seed + 1
                         and so on */
    uint64_t seed;
    int shuffle_first;                 /* shuffle the first run too */
    sluice_progress_function progress; /* counts parts of the rows; may be NULL */
    void *context;
} sluice_sweep_options;

/* Learns all points in one pass (times passes and repeats) and measures them: error against sparsity. Every learner
 * needs one grid, that of its sluice_learner_sparsity_param(). The measure of the points is the error rate on the test
 * rows. SLUICE_E_LIMIT: points times repeats are more than 10^9. */
SLUICE_API sluice_status sluice_search_sweep(sluice_search *search, const sluice_dataset *data,
                                             const sluice_sweep_options *options, sluice_error *err);
/* The same for rows that are not held: begin, learn all batches, end. */
SLUICE_API sluice_status sluice_search_begin(sluice_search *search, const sluice_sweep_options *options,
                                             sluice_error *err);
SLUICE_API sluice_status sluice_search_learn_batch(sluice_search *search, const sluice_batch *batch, sluice_error *err);
/* Says that the rows to come were learned before: examples and mistakes of the points stay as they are now. */
SLUICE_API sluice_status sluice_search_end_first_pass(sluice_search *search, sluice_error *err);
SLUICE_API sluice_status sluice_search_end(sluice_search *search, sluice_error *err);

/* The point of a learner that comes closest to a sparsity. */
typedef struct sluice_finding {
    const sluice_learner_info *learner;
    double wanted;
    const sluice_point *closest; /* NULL: all points failed, or have no weight left */
    int reached;                 /* its nonzeros differ by a tenth at most */
} sluice_finding;

/* After sluice_search_sweep() with the same rows and options: further values of the swept parameters, until each of the
 * n sparsities (from 0 to below 1) is found for every learner or cannot be. Once for a search. */
SLUICE_API sluice_status sluice_search_find(sluice_search *search, const sluice_dataset *data,
                                            const sluice_sweep_options *options, const double *sparsities, size_t n,
                                            sluice_error *err);
SLUICE_API size_t sluice_search_findings(const sluice_search *search);
/* By learner, then as the sparsities were given; NULL past the last. */
SLUICE_API const sluice_finding *sluice_search_finding(const sluice_search *search, size_t i);
/* After a sweep: the features that sparsity refers to (0: nothing was learned), and whether a model of a sparsity still
 * has a weight. */
SLUICE_API double sluice_search_dimension(const sluice_search *search);
SLUICE_API int sluice_search_can_reach(const sluice_search *search, double sparsity);

typedef struct sluice_select_options {
    size_t size;
    const char *learner; /* NULL: sbcw */
    const char *const *params;
    size_t n_params;
    const sluice_settings *settings; /* NULL: the defaults; without hash_bits and max_features */
    const uint64_t *budgets;         /* numbers of features, in any order */
    size_t n_budgets;
    const sluice_names *names; /* of the batches' dataset; NULL: features have ids */
    unsigned threads;
    uint64_t passes;                   /* 0 means 1 */
    sluice_progress_function progress; /* counts models; may be NULL */
    void *context;
    const sluice_model *classes; /* sluice_dataset_classes() of the batches' dataset; may be NULL */
} sluice_select_options;

/* The features chosen for one budget. */
typedef struct sluice_budget {
    uint64_t features;           /* the budget: the most features to choose */
    size_t n;                    /* chosen */
    const sluice_weight *chosen; /* the highest score first, with their weights in the budget's model (0: none) */
    const float *scores; /* |weight| in the model that chose them; times the root mean square of the feature over
                            the rows where the learner has no parameter `features` */
    const sluice_measures *test;
    double seconds;
} sluice_budget;

/* Feature selection. A learner with the parameter `features` keeps to each budget itself. With any other one model of
 * all features ranks them by |weight|, and for each budget a second one learns from the best alone. The batches have
 * ids (those of a dataset number the names); SLUICE_E_UNSUPPORTED where they have names, or the settings hash_bits or
 * max_features. */
typedef struct sluice_selection sluice_selection;

SLUICE_API sluice_selection *sluice_select(const sluice_batch *learn, const sluice_batch *test,
                                           const sluice_select_options *options, sluice_error *err);
SLUICE_API void sluice_selection_free(sluice_selection *selection);
/* The budgets by ascending size; NULL past the last. */
SLUICE_API size_t sluice_selection_count(const sluice_selection *selection);
SLUICE_API const sluice_budget *sluice_selection_budget(const sluice_selection *selection, size_t i);
/* The smallest budget from which on all budgets choose this feature; 0: none does. */
SLUICE_API uint64_t sluice_selection_since(const sluice_selection *selection, uint64_t id);

/* Brings the `top` heaviest weights to the front, by falling |weight|; among equals the bias, then by name or id.
 * Returns how many those are. */
SLUICE_API size_t sluice_weights_heaviest(sluice_weight *weights, size_t n, size_t top);
/* Fills in what the model says about measuring it: its probabilities, and costs that are 0. SLUICE_E_USAGE and
 * SLUICE_E_UNSUPPORTED as for all structs with a size. */
SLUICE_API sluice_status sluice_meter_defaults(const sluice_model *model, sluice_meter_options *options);

/* ---- version ---------------------------------------------------------------------------------------------------- */

/* The version of the library in use, e.g. "0.1.0", and as SLUICE_VERSION_NUMBER. */
SLUICE_API const char *sluice_version(void);
SLUICE_API unsigned sluice_version_number(void);

/* How the library in use was built, and what it runs with. */
typedef struct sluice_build_facts {
    size_t size;
    const char *version;
    const char *compiler;
    const char *kernels; /* "avx512", "avx2", "neon" or "portable": the processor's best, or what SLUICE_CPU names */
    const char *codecs;  /* compressed input that can be read: "gzip zstd bzip2 xz", or fewer of them */
    int openblas;        /* it was built to load OpenBLAS; whether that is installed shows when it is needed */
} sluice_build_facts;

SLUICE_API sluice_status sluice_build_info(sluice_build_facts *facts);

/* ---- unstable --------------------------------------------------------------------------------------------------- */

/* Helpers of the program `sluice`. They may change or go with any version: define SLUICE_UNSTABLE to see them. */
#ifdef SLUICE_UNSTABLE

/* The gate for parameters: reads n_given "name=value" strings against a table of n_params; those left out have their
 * defaults. `owner` (a learner's name, or whose parameters they are) stands in messages. */
SLUICE_API sluice_status sluice_params_read(const char *owner, const sluice_param_info *params, size_t n_params,
                                            const char *const *given, size_t n_given, double *values,
                                            sluice_error *err);

/* The first character of a text of n bytes, n > 0: its code point, with its length; or SLUICE_NO_CHARACTER, with a
 * length of 1, where the bytes are not UTF-8. *shown: whether it may go to a terminal as it is. Controls (C0, C1, DEL),
 * marks of direction, line and paragraph separators and what Unicode calls ignorable (zero-width and other invisible
 * characters) may not, nor bytes that are not UTF-8. */
#define SLUICE_NO_CHARACTER UINT32_MAX
SLUICE_API uint32_t sluice_character(const char *text, size_t n, size_t *length, int *shown);
/* Writes the first character of a text of n bytes, n > 0, as a terminal may show it: itself, or \xNN for each of its
 * bytes; and a NUL. Returns its length in the text. */
enum { SLUICE_ESCAPED = 17 };
SLUICE_API size_t sluice_escape(const char *text, size_t n, char out[SLUICE_ESCAPED]);

/* Writes a file of any bytes, as a model is saved. */
SLUICE_API sluice_status sluice_write_file(const char *path, const void *bytes, size_t n, sluice_error *err);

/* The numbers that shuffling and drawing use, the same on every machine: xoshiro256**. */
typedef struct sluice_random {
    uint64_t state[4];
    double spare; /* the second normal deviate of a pair */
    int has_spare;
} sluice_random;

SLUICE_API void sluice_random_seed(sluice_random *random, uint64_t seed);
SLUICE_API uint64_t sluice_random_next(sluice_random *random);
/* From 0 to below 1. */
SLUICE_API double sluice_random_uniform(sluice_random *random);
/* From 0 to bound - 1; bound is at least 1. */
SLUICE_API uint64_t sluice_random_below(sluice_random *random, uint64_t bound);
/* Mean 0, variance 1. */
SLUICE_API double sluice_random_normal(sluice_random *random);

/* Writes the decimal text with the fewest digits that reads back as exactly this number, and a NUL; returns its length
 * (< 32). */
SLUICE_API size_t sluice_format_double(char *text, double value);
SLUICE_API size_t sluice_format_float(char *text, float value);
/* Reads a whole string as a number in the grammar of the data formats; 0 if it is none (or beyond the range). */
SLUICE_API int sluice_parse_number(const char *text, double *value);

/* What a cell of a csv file is, so that others who have cells treat them alike. */
enum {
    SLUICE_CELL_NUMBER = 0,     /* *value: of the feature that is called as the column is */
    SLUICE_CELL_TEXT = 1,       /* the feature `column=text`, of value 1 */
    SLUICE_CELL_EMPTY = 2,      /* no feature: empty, or one of the words for a missing value (NA, NaN, null, ...) */
    SLUICE_CELL_TOO_LARGE = 3,  /* an error: beyond the range of a float */
    SLUICE_CELL_NOT_FINITE = 4, /* an error: inf */
};
#define SLUICE_CELL_PAD 64 /* newlines that must stand behind the text */
SLUICE_API int sluice_csv_cell(const char *text, size_t n, float *value);

/* Reads JSON (RFC 8259) one token after the other, without memory of its own: one value, whose objects and arrays are
 * at most 64 deep. Strings are decoded where they stand: the text changes, and no string can be read twice. Keys may
 * repeat. */
typedef enum sluice_json_token {
    SLUICE_JSON_WRONG = 0, /* the text is no JSON, from here on: sluice_json_problem() */
    SLUICE_JSON_END,       /* the value is complete, and nothing is behind it */
    SLUICE_JSON_OBJECT,
    SLUICE_JSON_OBJECT_END,
    SLUICE_JSON_ARRAY,
    SLUICE_JSON_ARRAY_END,
    SLUICE_JSON_KEY,
    SLUICE_JSON_STRING,
    SLUICE_JSON_NUMBER,
    SLUICE_JSON_TRUE,
    SLUICE_JSON_FALSE,
    SLUICE_JSON_NULL
} sluice_json_token;

typedef struct sluice_json {
    sluice_json_token token; /* the last one */
    char *text;              /* of a key, a string: decoded; of everything else: as it is written */
    size_t n;
    int whole; /* a number has neither point nor exponent */
    /* the reader's own */
    char *at, *end;
    uint64_t objects; /* a bit for each level: it is an object */
    unsigned depth;
    unsigned next;    /* what may come */
    const char *said; /* what is wrong: a text with one %s, which stands for */
    const char *place;
    size_t place_n; /* these bytes */
    uint64_t line, column;
    const char *line_begin;
} sluice_json;

SLUICE_API void sluice_json_begin(sluice_json *json, char *text, size_t n);
SLUICE_API sluice_json_token sluice_json_next(sluice_json *json);
/* Behind a key: moves behind its value; behind the opening bracket of an object or array: behind its end. Everything is
 * checked and no string decoded: the text becomes that of the whole value, for a reader of its own to read later. 0:
 * SLUICE_JSON_WRONG. */
SLUICE_API int sluice_json_skip(sluice_json *json);
/* The number of SLUICE_JSON_NUMBER; 0: it is beyond the range, or no whole number of this kind. */
SLUICE_API int sluice_json_double(const sluice_json *json, double *value);
SLUICE_API int sluice_json_float(const sluice_json *json, float *value);
SLUICE_API int sluice_json_int64(const sluice_json *json, int64_t *value);
SLUICE_API int sluice_json_uint64(const sluice_json *json, uint64_t *value);
/* What is wrong with the text, with line and column; SLUICE_E_DATA. */
SLUICE_API sluice_status sluice_json_problem(const sluice_json *json, sluice_error *err);

#endif /* SLUICE_UNSTABLE */

#ifdef __cplusplus
}
#endif
#endif
