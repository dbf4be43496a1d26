/* Merging: how the states of two models that have learned parts of a stream become one.
 *
 * Models that began empty: a learner whose state is a sum over the examples says nothing more than
 * SLUICE_LEARNER_MERGES, and its members add; the others give a function, sl_learner.merge.
 *
 * Models that went on from a common start: each of them has corrected the same errors of the start, so that a sum of
 * what they added would correct them as often as there are models. What they made of it is averaged: by examples, or,
 * where a feature has a sum that says how much was learned of it, by what was added to that (sl_learner.merge_since).
 *
 * A function must be associative, and the same where the two models change places: models are merged in pairs, in any
 * tree. */
#ifndef SL_MERGING_H
#define SL_MERGING_H

#include <stdbool.h>
#include <stdint.h>

struct sl_learner;

/* What one of the models has besides its features. */
typedef struct sl_merging_part {
    uint64_t t; /* rounds done */
    const double *scalar;
    double n; /* rounds since the start: how much it counts in averages */
} sl_merging_part;

typedef struct sl_merging {
    const struct sl_learner *rule;
    const double *p;
    sl_merging_part into, from, after; /* after: the merged model */
} sl_merging;

/* Merges a feature's struct `from` into `into`. Of a feature that a model does not have, the struct is a fresh one; so
 * is `start` where the models had no common start. */
typedef void sl_merge_function(const sl_merging *m, void *into, const void *from, const void *start);

/* As the rule says; whether all members are still finite. */
bool sl_merge_structs(const sl_merging *m, void *into, const void *from, const void *start);

/* The averages of all members, weighted by examples. */
sl_merge_function sl_merge_averages;

/* Whether the models had learned something before they went different ways. */
static inline bool sl_has_start(const sl_merging *m) { return (double)m->into.t > m->into.n; }

static inline double sl_averaged(const sl_merging *m, double into, double from) {
    return (m->into.n * into + m->from.n * from) / m->after.n;
}

/* The mean of a number of both models, by how much each has learned of the feature since the start. */
static inline double sl_merged_mean(double into, double learned_into, double from, double learned_from) {
    const double learned = learned_into + learned_from;
    return learned > 0 ? (learned_into * into + learned_from * from) / learned : into;
}

#endif
