/* Examples of the inputs that are held out: --holdout 0.2, last:0.2, 5. The one place that says which. */
#ifndef CLI_HOLD_OUT_H
#define CLI_HOLD_OUT_H

#include "args/args.h"
#include "sluice.h"

typedef enum hold_out_kind {
    HOLD_OUT_NONE,
    HOLD_OUT_SHARE, /* drawn: by the seed and the number of the row alone */
    HOLD_OUT_LAST,  /* the last ones */
    HOLD_OUT_EVERY, /* every N-th */
} hold_out_kind;

#define HOLD_OUT_FORMS "a share such as 0.2, last:0.2, or N for every N-th example"

typedef struct hold_out {
    hold_out_kind kind;
    double share;
    uint64_t every, seed;
    uint64_t before;    /* SHARE, EVERY: rows of earlier runs, in front of the first row */
    uint64_t from;      /* LAST: the first row held out */
    sluice_batch *kept; /* the rows held out of inputs that can be read only once; NULL: inputs are read again */
} hold_out;

/* Reads a share, last:SHARE or a whole number from 2 on; 0: the text is none of them. */
int hold_out_read(const char *text, uint64_t seed, hold_out *h);
/* The same for an option that takes nothing else. Leaves *h alone where it is not given. Returns DONE or WRONG_USAGE.
 */
int hold_out_option(const args *a, const char *option, hold_out *h);

/* Whether a text is one of the forms. */
int is_hold_out(const char *text);

/* LAST: says how many rows there are. */
void hold_out_rows(hold_out *h, uint64_t rows);
/* How many of n rows, whose first has this number (from 0), are one after the other held out (*held) or all not. */
size_t hold_out_run(const hold_out *h, uint64_t row, size_t n, int *held);
/* Adds copies of those of n rows, from `first` on, that are held out; the batch's first row has the number `row`.
 * Returns an exit status. */
int hold_out_copy(const hold_out *h, uint64_t row, const sluice_batch *batch, size_t first, size_t n, sluice_batch *to);

#endif
