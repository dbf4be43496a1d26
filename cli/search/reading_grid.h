/* Grids of options that say how rows are read, such as --ngrams: the inputs are read once for every combination. */
#ifndef CLI_READING_GRID_H
#define CLI_READING_GRID_H

#include "args/input_options.h"

/* The i-th option that can have such a grid; NULL past the last. */
const char *reading_at(size_t i);
/* The option that "name" or "name=values" is of; NULL: none of these. */
const char *find_reading(const char *text);

/* The command line with n "name=value" added as options, but for those of the value none. `with` borrows from the other
 * one; free it with args_without_readings(). Returns DONE or FAILED. */
int args_with_readings(const args *a, const char *const *settings, size_t n, args *with);
void args_without_readings(args *with);

/* All that a command line says about reading rows in memory. Returns DONE or WRONG_USAGE. */
int reading_from_args(const args *a, sluice_reader_options *reading);

/* All combinations of readings of a search must be possible. Returns an exit status. */
int check_readings(const args *a, const sluice_search *search);

#endif
