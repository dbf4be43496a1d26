/* train: the file that the model is saved to, on the way and at the end, and where the run stands in its inputs. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "args/args.h"

/* clang-format off */
#define CHECKPOINT_OPTIONS \
    {"save-every", 0, "N|Ns", "save the model on the way too, every N examples, or every N seconds as in 60s (needs -o)", 0}, \
    {"skip", 0, "N", "leave out the first N examples of the inputs: with -i, to go on behind a checkpoint", 0}
/* clang-format on */

typedef struct checkpoint {
    const char *path;        /* of -o; NULL: nothing is saved */
    sluice_model_file *file; /* locked while the run is under way */
    uint64_t every;          /* examples; 0: not by examples */
    uint64_t seconds;        /* likewise */
    uint64_t skip;           /* examples to leave out */
    uint64_t passes;         /* of the run */
    uint64_t rows;           /* examples of the inputs, over all passes: left out or learned */
    int has_saved;           /* it was saved in this run, */
    uint64_t saved;          /* rows learned when it was saved */
    int has_positions;       /* the model keeps where to go on: there is nothing to skip */
    int moved;               /* messages without an example were passed since it was saved */
    int resumed;             /* the run goes on with a model; one that has learned nothing yet is not saved */
} checkpoint;

/* Reads the options. Returns DONE or WRONG_USAGE. */
int checkpoint_options(const args *a, checkpoint *c);
/* Locks the file, where there is one, and reserves what saving needs. Returns an exit status. */
int checkpoint_open(checkpoint *c);
/* Unlocks it. */
void checkpoint_close(checkpoint *c);

/* How many of the next `rows` examples to leave out: they count as done. */
size_t checkpoint_skip(checkpoint *c, size_t rows);
/* What --skip must leave out to go on with the model as it is now: at least what this run is to leave out. */
uint64_t checkpoint_place(const checkpoint *c);
/* How many of the next `rows` examples to learn before the next checkpoint by examples. */
size_t checkpoint_until(const checkpoint *c, size_t rows);
/* After learning n rows: whether a checkpoint is due, because of the examples (1), or the time (SIGALRM) or a wish
 * (SIGUSR1). */
int checkpoint_due(checkpoint *c, size_t n);

/* Saves the model. Returns an exit status after saying what went wrong. */
int checkpoint_save(checkpoint *c, const sluice_model *model);
/* The same on the way, `why` as checkpoint_due() says: what goes wrong is a warning, and the run goes on. */
int checkpoint_try(checkpoint *c, const sluice_model *model, int why);

/* After a failure: says what the last checkpoint holds and how to go on, where there is one. */
void checkpoint_tell(const checkpoint *c, int read_once);
enum { ADVICE_ROOM = 4096 + 128 }; /* a path, and what stands around it */
/* "-i m --skip 17", and more where the inputs cannot be read again. */
const char *checkpoint_advice(const checkpoint *c, int read_once, char *text, size_t room);

#endif
