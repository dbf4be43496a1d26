/* How a run went, in bounded memory: errors at equal distances, sizes at growing ones. */
#ifndef CLI_COURSE_H
#define CLI_COURSE_H

#include "sluice.h"

#include <stddef.h>

enum { COURSE_POINTS = 200, COURSE_SIZES = 130 };

typedef struct course {
    int wanted;
    uint64_t rows;  /* learned so far */
    uint64_t every; /* a point stands at every so many; where there is no room for more, every second makes way */
    struct course_point {
        uint64_t examples, mistakes;
    } points[COURSE_POINTS];
    size_t n;
    uint64_t next_size; /* the weights may be counted at so many, twice in every doubling */
    uint64_t values;    /* in all rows so far */
    uint64_t counted;   /* features, all countings together: no more than costs a small share of learning the values */
    struct course_size {
        uint64_t examples, features_seen, nonzeros;
    } sizes[COURSE_SIZES];
    size_t n_sizes;
} course;

course course_start(int wanted);
/* How many of the next `rows` examples to learn before course_learned() is called. */
size_t course_until_point(const course *c, size_t rows);
/* After learning n rows of the batch, from `first` on. */
void course_learned(course *c, const sluice_batch *batch, size_t first, size_t n, const sluice_model *model,
                    const sluice_meter *meter);
/* The last point and the last size, that of the facts. Pieces of a short run are joined until each has at least four
 * times as many examples as there are pieces: shorter ones would show chance, longer ones hide the course. */
void course_end(course *c, const sluice_model_facts *facts, const sluice_meter *meter);

#endif
