/* tune: notes about the order of the rows, which says whether random folds suit them. */
#ifndef CLI_TIME_NOTE_H
#define CLI_TIME_NOTE_H

#include "sluice.h"

/* Notes, where folds are random, that the labels change along the rows, and, where they are in order, that they come in
 * a few long runs. */
void time_note(const sluice_dataset *data, int in_order);

#endif
