/* The weight vectors of classes that are projected and truncated, each by itself (olsf in a matrix).
 *
 * As of two classes (algo/shared/scaled.h) the weights of a class are w = s v, so that projecting is one
 * multiplication, and |v|_1 is carried along. A pair is there exactly as long as its v is not 0. Which pair is the
 * least of a class is kept in a heap; entries are lazy: every change of a pair adds one, and one that is no longer true
 * is dropped when it comes to the front. Heaps are not saved but made anew. */
#ifndef SL_CLASS_VECTORS_H
#define SL_CLASS_VECTORS_H

#include "model/classes/pair_arena.h"
#include "model/model.h"

typedef struct sl_class_vector {
    double scale, norm; /* s, |v|_1 */
    size_t count;       /* pairs */
    uint64_t *key;      /* the heap: |v|, then the order of first sight reversed */
    uint32_t *slot;     /* of the feature */
    size_t n, room;
} sl_class_vector;

/* The vectors from `from` to `to` are those of classes without weights. */
void sl_vectors_init(sl_class_vector *v, size_t from, size_t to);
void sl_vectors_free(sl_class_vector *v, size_t n);
uint64_t sl_vectors_memory(const sl_class_vector *v, size_t n);

/* Before the vectors of classes y and r change by the row. False: no memory. */
bool sl_vectors_prepare(const sl_state *s, const sl_row *row, size_t y, size_t r);
/* w += tau x in one class; then it is projected and truncated. */
void sl_vector_step(const sl_state *s, const sl_row *row, size_t class_index, double tau);
/* The weights of a feature in all classes become `by` > 1 times as large. */
void sl_vectors_rescale(const sl_state *s, uint32_t slot, double by);
/* The weights of the pairs at n places. */
void sl_vector_weights(const sl_state *pairs, const uint32_t *place, size_t n, float *w);

#endif
