/* What merging binary models and models of several classes share. */
#ifndef SL_MERGE_H
#define SL_MERGE_H

#include "model/model.h"

/* Three models: `from` is merged into `into`, and both began as copies of `start`, NULL if there is none. */
typedef struct sl_merge {
    sluice_model *into;
    const sluice_model *from, *start;
} sl_merge;

/* Called for every feature that one of the models has: its structs, fresh ones for models that do not have it. */
typedef void sl_merge_visit(void *context, void *into, const void *from, const void *start);

/* merge_features.c: adds the features of `from`; false: no memory. Then visits all, once; `fresh` is a struct of the
 * size of the features. */
typedef struct sl_merge_walk {
    const sl_merge *m;
    sl_keys_walk from, into;
    uint8_t *had; /* a bit for every slot: `from` has the feature */
} sl_merge_walk;

/* The features of `from`, one after the other: makes sure that `into` has it, and finds its slot there. False: no
 * memory. */
bool sl_merge_add_feature(const sl_merge *m, const sl_walk *at, uint32_t *slot);
/* Adds the rows that had it (--scale idf), once for every feature of `from`, after sl_merge_rows(). */
void sl_merge_feature_rows(const sl_merge *m, const sl_walk *at, uint32_t slot);
/* Adds the rows that were counted. */
void sl_merge_rows(const sl_merge *m);

bool sl_merge_walk_start(sl_merge_walk *w, const sl_merge *m);
void sl_merge_walk_all(sl_merge_walk *w, const void *fresh, sl_merge_visit *visit, void *context);
void sl_merge_walk_end(sl_merge_walk *w);

/* What the rule needs to know, but for the scalars. */
sl_merging sl_merging_of(const sl_merge *m, const sl_learner *rule, const double *p);
/* The scalars: they add, in `after`. `start` may be NULL. */
void sl_merge_scalars(sl_merging *g, const double *into, const double *from, const double *start, double *after);

/* into + from - start, of counts. */
static inline uint64_t sl_merged_count(uint64_t into, uint64_t from, uint64_t start) {
    const uint64_t both = into + from;
    return both > start ? both - start : 0;
}

#endif
