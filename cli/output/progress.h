/* Progress on stderr: a table whose rows double, and on a terminal a live line with a bar. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "sluice.h"

#include <stdint.h>

typedef struct progress {
    int quiet, live;                     /* live: stderr is a terminal */
    uint64_t passes, pass;               /* pass counts from 0 */
    uint64_t dimension;                  /* for the sparsity; 0: the features seen */
    uint64_t seen;                       /* rows read so far */
    uint64_t next_row;                   /* print the next row of the table at so many */
    uint64_t row_examples, row_mistakes; /* as of the last row */
    int header_done, line_shown;
    double started, drawn;
} progress;

progress progress_start(int quiet, uint64_t passes, uint64_t dimension);

/* How many of the next `rows` examples to learn before calling progress_learned(), so that a row of the table stands at
 * exactly its power of two. */
size_t progress_until_row(const progress *p, size_t rows);
/* After learning so many rows. */
void progress_learned(progress *p, const sluice_reader *reader, uint64_t rows, const sluice_model *model,
                      sluice_meter *meter);
/* The last row, where the table does not end with it already. */
void progress_finish(progress *p, const sluice_model *model, sluice_meter *meter);
/* After a batch of anything else: only the live line. */
void progress_examples(progress *p, const sluice_reader *reader, uint64_t rows);
/* After some of many pieces of work, `what` they are called: the live line, or a line now and then. */
void progress_pieces(progress *p, uint64_t done, uint64_t total, const char *what);
/* Takes the live line away. */
void progress_clear(progress *p);

/* Seconds on a clock that only goes forward. */
double now_seconds(void);

#endif
