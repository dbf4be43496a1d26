/* The features of a model: where the state of each lies, and the id or name each is known by (docs/names.md). */
#ifndef SL_FEATURE_KEYS_H
#define SL_FEATURE_KEYS_H

#include "features/names.h"
#include "features/space.h"

/* What a limit on the number of features keeps for each of them, by number. Only models with names have a limit. */
typedef struct sl_limit {
    uint64_t most;       /* 0: no limit */
    uint64_t *last_seen; /* the round */
    uint64_t *born;      /* features added before this one. Numbers are reused, so they do not give that order */
    size_t room;
    uint64_t evicted, refused;
    uint64_t next_scan; /* no scan for features to evict before this round */
} sl_limit;

/* Of names that a file lists by number: which the model has. So a name is looked up once for a file. */
typedef struct sl_known_names {
    uint64_t list;    /* the serial number of the list (rows/file_names.h); 0: of none */
    uint32_t *number; /* by the number in the list: the name's number in the model, plus 1; 0: not looked up yet */
    size_t n, room;
} sl_known_names;

typedef struct sl_features {
    sl_space space;
    bool named;           /* features are known by names: what the space calls an id is then the number of a name */
    sl_names names;       /* empty unless named */
    sl_limit limit;       /* on the number of features: eviction.h */
    sl_known_names known; /* empty under a limit, where names lose their numbers */
} sl_features;

static inline bool sl_features_limited(const sl_features *f) { return f->limit.most != 0; }

void sl_features_free(sl_features *f);
/* Bytes allocated. */
uint64_t sl_features_memory(const sl_features *f);

/* Makes room for what is known of the first n names of a list; what was known of another list is forgotten. False: no
 * memory. */
bool sl_keys_know(sl_features *f, uint64_t list, size_t n);

/* Changes from ids to names, unless it has names already: every id gets its decimal digits as a name. False: no memory,
 * and nothing has changed. */
bool sl_keys_use_names(sl_features *f);

/* Adds a name that is not there, and its feature. SL_NO_NAME: no memory. */
uint32_t sl_keys_add_new_name(sl_features *f, uint64_t hash, const char *name, size_t n);
/* The number of a name, which is added if it is not there. SL_NO_NAME: no memory. */
uint32_t sl_keys_add_name(sl_features *f, const char *name, size_t n);
/* Adds the feature of `from` that a walk stands at to `to`, with its scale; *slot is its slot there. False: no memory.
 */
bool sl_keys_add_like(sl_features *to, const sl_features *from, const sl_walk *w, uint32_t *slot);
/* The same; the scale that it has in `to`, if any, stays. */
bool sl_keys_add_key_like(sl_features *to, const sl_features *from, const sl_walk *w, uint32_t *slot);

/* The slot in `in` of the feature of `from` that a walk stands at; SL_NO_SLOT: it is not there. */
uint32_t sl_keys_find_like(const sl_features *in, const sl_features *from, const sl_walk *w);

/* All features in the order in which they are saved: the bias, then by ascending id, or by first sight.
 *     sl_keys_walk w; if (!sl_keys_start(&w, f)) no memory; while (sl_keys_next(&w)) ... w.at ...; sl_keys_end(&w); */
typedef struct sl_keys_walk {
    sl_walk at; /* id (with names: the number), slot, is_bias */
    const sl_features *f;
    uint32_t *order;
    size_t n, next;
} sl_keys_walk;

bool sl_keys_start(sl_keys_walk *w, const sl_features *f);
/* The same for the names alone, always through w->order. */
bool sl_keys_in_order(sl_keys_walk *w, const sl_features *f);
bool sl_keys_next(sl_keys_walk *w);
void sl_keys_end(sl_keys_walk *w);

#endif
