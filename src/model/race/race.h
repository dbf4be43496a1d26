/* A race (docs/auto.md): several models, the candidates, learn the same rows, each with a learner, parameters and
 * scaling of its own. The model of the race answers with the weights of one of them, the leader.
 *
 * The features of the race's model are numbered in the order in which they came. These numbers are the ids that the
 * candidates know, whatever the ids, names or hashes of the race are. */
#ifndef SL_RACE_H
#define SL_RACE_H

#include "model/model.h"
#include "model/race/configurations.h"

enum {
    SL_MAX_CANDIDATES = 32,
    SL_RACE_ROWS = 64,    /* most rows between two decisions */
    SL_RACE_DENSE = 128,  /* most features for which there are candidates with a matrix */
    SL_RACE_EVENTS = 256, /* most events that are kept: of more, the first half and the last ones */
};

/* The parameters of auto, by their places. */
enum { SL_AUTO_CANDIDATES, SL_AUTO_SPARSE_BIAS, SL_AUTO_SPARSITY };

typedef struct sl_candidate {
    sluice_model *model; /* NULL: it was dropped */
    const sl_learner *learner;
    double params[SL_MAX_PARAMS];
    sluice_settings settings;
    uint64_t began, dropped; /* rows that had counted by then */
    uint64_t led;            /* rows that it was the leader for */
    uint64_t wrong;          /* the rows since the last decision that it predicted wrong, a bit each */
    double error;            /* fading error rate */
    double missed;           /* fading share of rows that are positive and were predicted wrong */
    uint64_t nonzeros;       /* when they were last counted */
    /* the row of the round */
    sl_row row;
    double margin;
    bool updated, was_wrong;
    bool is_awaited; /* while a file is loaded: its model is still to come */
} sl_candidate;

/* The weights of all rows are 1 in total; those of the last rows are the largest. */
typedef struct sl_fading {
    double apart[SL_MAX_CANDIDATES][SL_MAX_CANDIDATES]; /* share of rows that exactly one of two predicted wrong */
    double positives;                                   /* share of positive rows */
    double squares;       /* sum of the squares of the weights: the shares are as sure as those of 1/squares rows */
    double recent, usual; /* the leader's error rate over a short time and a long one */
} sl_fading;

typedef struct sl_race {
    sluice_settings given; /* bias, normalize, scale, transform as the caller wants them; 0: the race chooses */
    sluice_settings shown; /* the settings of the model, with those of the leader, */
    size_t shown_leader;   /* who was this one */
    sl_candidate candidate[SL_MAX_CANDIDATES];
    size_t n, leader;
    size_t end;        /* behind the last one that is left */
    bool pseudo;       /* what the candidates know of the row: it has a pseudo-label */
    size_t classes;    /* of several: that rows have had so far */
    size_t predicted;  /* of the last row, before it was learned; SL_NO_CLASS: there was no class yet */
    uint64_t t;        /* rows that have counted */
    uint64_t restarts; /* how often the race began again, and */
    uint64_t began;    /* t when it last did */
    sl_fading fading;
    /* since the last decision */
    size_t rows;
    uint64_t positive; /* a bit each */
    float h[SL_RACE_ROWS];
    sluice_race_event event[SL_RACE_EVENTS];
    uint64_t events;         /* ever */
    bool is_short_of_memory; /* a candidate failed for that */
    uint32_t *number;        /* of the features of the round's row */
    size_t room;
} sl_race;

/* The rule of the learner `auto`. */
extern const sl_learner sl_auto;

/* Makes the race of an empty model whose rule is sl_auto. */
sluice_status sl_race_make(sluice_model *m, sluice_error *err);
void sl_race_free(sl_race *race);
/* Frees the candidates and forgets all else. */
void sl_race_empty(sl_race *race);
uint64_t sl_race_memory(const sl_race *race);
/* Makes the race of `to` that of `from`. False: no memory. */
bool sl_race_copy(sluice_model *to, const sluice_model *from);
/* An empty candidate for the i-th configuration of the race. NULL: no memory. */
sluice_model *sl_race_candidate_new(const sluice_model *m, size_t i, sluice_error *err);
/* After the leader has changed. */
void sl_race_show_leader(sluice_model *m);
static inline sluice_model *sl_race_leader(const sluice_model *m) { return m->race->candidate[m->race->leader].model; }
/* The number of a feature, from 1, by its slot in the model of the race; 0: there is none. */
#define SL_BIAS_NUMBER UINT32_MAX
static inline uint32_t sl_race_number(const void *features, uint32_t slot) {
    return ((const uint32_t *)features)[slot];
}

/* race_round.c, around the round of the race's model. Before it the bias is among its features. */
bool sl_race_begin_round(sluice_model *m);
/* False: there was no memory for a candidate, and the model is lost. */
bool sl_race_end_round(sluice_model *m, const sl_row *x);

/* race_choice.c: the rows between two decisions, after this number of rows. */
size_t sl_race_block_rows(uint64_t rows);
/* Notes how the candidates predicted a row, and decides when it is time to. */
void sl_race_note(sl_race *race, const double *params, double y, double h);
/* Whether a candidate has a matrix that this number of features is too large for. */
static inline bool sl_race_is_too_dense(const sl_candidate *c, uint64_t features) {
    return c->learner->info.flags & SLUICE_LEARNER_DENSE && features > SL_RACE_DENSE;
}
/* Drops a candidate. If it was the leader, another one is. */
void sl_race_drop(sl_race *race, size_t i);
/* Whether the stream has changed so much that the candidates that were dropped should begin anew. */
bool sl_race_has_changed(const sl_race *race);
/* They do; false: there was no memory for all. */
bool sl_race_restart(sluice_model *m);
/* How far the error of a candidate that is alive is above the least one, and the standard error of that. */
void sl_race_compare(const sl_race *race, size_t i, double *above, double *standard_error);

/* race_sparsity.c: the nonzeros that a sparsity allows a candidate. */
double sl_race_allowed(const sl_race *race, size_t i, double sparsity);
/* Adjusts the strengths of all candidates or of the leader, where that is due after this number of rows, and counts
 * their nonzeros. The leader: now. */
void sl_race_adjust(sl_race *race, uint64_t rows, double sparsity);
void sl_race_adjust_leader(sl_race *race, double sparsity);
/* Drops candidates that predict what an earlier one with the same learner does: another transform of values that it
 * leaves as they are. */
void sl_race_drop_twins(sl_race *race);

/* race_leader.c: the leader with the ids or names of the race, which can go on alone; and the predict-only form that
 * `make` gives it, with the counts of the race. */
sluice_model *sl_race_leader_model(const sluice_model *m, sluice_error *err);
sluice_model *sl_race_predict_only(const sluice_model *m, sluice_model *(*make)(const sluice_model *, sluice_error *),
                                   sluice_error *err);

/* race_answers.c: a row of the race as its candidates know it, until it is freed. False: no memory. */
typedef struct sl_race_row {
    sl_raw_row row;
    uint32_t few[256], *many;
} sl_race_row;
bool sl_race_row_make(sl_race_row *to, const sluice_model *m, const sl_raw_row *r);
void sl_race_row_free(sl_race_row *row);
/* The slot that a feature of the race, one of its `features`, has in the leader; SL_NO_SLOT: none. */
uint32_t sl_race_slot(const void *features, const sluice_model *leader, uint32_t slot);

/* race_classes.c: several classes. As the functions of many.h whose names they have. */
sluice_status sl_race_reserve(sluice_model *m, size_t classes);
void sl_race_class_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins);
void sl_race_class_probabilities(const sluice_model *m, const sl_raw_row *r, const double *margins, double *p);
void sl_race_class_weights(const sluice_model *m, size_t class_index, const uint32_t *slot, size_t n, float *w);
/* Gives a new candidate the classes that there are. */
bool sl_race_take_classes(const sluice_model *m, sluice_model *candidate);

#endif
