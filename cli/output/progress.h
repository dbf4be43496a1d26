/* Progress on stderr: a table whose rows double or come at equal distances, and on a terminal a live line with a bar.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "sluice.h"

#include <stdint.h>

typedef struct progress {
    int shown, live;                               /* shown: not with -q; live: stderr is a terminal */
    uint64_t passes, pass;                         /* pass counts from 0 */
    uint64_t dimension;                            /* for the sparsity; 0: the features seen */
    uint64_t seen;                                 /* rows read so far */
    uint64_t next_row;                             /* rows read when the next row of the table is due */
    uint64_t row_seen, row_examples, row_mistakes; /* as of the last row */
    sluice_model_facts counted;                    /* the model when its weights were counted last */
    uint64_t counted_at;                           /* rows read then; 0: never */
    int64_t lag;                                   /* of topics: messages to come; -1: not known, or files are read */
    int header_done, line_shown;
    uint64_t every, seconds; /* between rows, with --progress; 0: rows double */
    double started, drawn, next_time;
    const sluice_drift *drift; /* the live line shows its window error; NULL: none */
} progress;

progress progress_start(uint64_t passes, uint64_t dimension);

/* A row every `examples`, or every `seconds`, instead of rows that double: not both. They have one more
 * column, the fading error. Both 0: nothing changes. */
void progress_every(progress *p, uint64_t examples, uint64_t seconds);
/* How many of the next `rows` examples to learn before calling progress_learned(), so that the rows of the
 * table are at exact numbers. */
size_t progress_until_row(const progress *p, size_t rows);
/* Whether the live line is to be drawn anew, or a row is due because of the time. */
int progress_due(const progress *p);
/* After learning `rows` rows. To count the weights that are not 0 takes a look at every feature: in rows of the table
 * that follow each other closely they are those of the last count, which is made again when the examples have doubled,
 * or a fiftieth as many have come as there are features. That costs about a tenth of the time at most. */
void progress_learned(progress *p, const sluice_reader *reader, uint64_t rows, const sluice_model *model,
                      sluice_meter *meter);
/* The last row, unless the table ends with it already. */
void progress_finish(progress *p, const sluice_model *model, sluice_meter *meter);
/* After a batch of anything else: only the live line. */
void progress_examples(progress *p, const sluice_reader *reader, uint64_t rows);
/* After some of many units of work, called `what`: the live line, or a line every ten seconds where there is no
 * terminal.
 */
void progress_units(progress *p, uint64_t done, uint64_t total, const char *what);
/* Erases the live line. */
void progress_clear(progress *p);

/* Seconds on a clock that only goes forward. */
double now_seconds(void);

#endif
