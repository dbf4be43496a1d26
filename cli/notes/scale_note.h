/* train -a NAME: notes on rows and values whose size does not suit the plain rule. */
#ifndef CLI_SCALE_NOTE_H
#define CLI_SCALE_NOTE_H

#include "args/args.h"
#include "sluice.h"

typedef struct value_sample value_sample;

/* Says what --scale idf does to the lengths of rows, where nothing is said about them. */
void idf_note(const args *a);

/* Looks at the first rows where a note could be due: a learner that depends on scale was named, and no option says what
 * to do to the values. NULL: nothing is to be looked at (or there is no memory for it). */
value_sample *scale_note_start(const args *a, const sluice_model *model);
/* Takes rows in; true when there are enough. */
int scale_note_look(value_sample *s, const sluice_batch *batch, size_t first, size_t n);
/* Says what to add, where something is wrong with the rows seen. Frees the sample; NULL is fine. */
void scale_note_end(value_sample *s);
void scale_note_free(value_sample *s);

#endif
