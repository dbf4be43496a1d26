/* Command lines to show: what to type to get the same again. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "args/args.h"
#include "sluice.h"

/* The `sluice train` that makes a model of this point from the inputs and options of the command line at hand, for a
 * shell; `output` may be NULL. Free it; NULL where memory is short. */
char *train_command_line(const args *a, const sluice_point *p, const char *output);
/* The command line at hand itself, options first. */
char *given_command_line(const args *a);
/* The `sluice train` to begin with: these options (" --name ..."), and those at hand that it has too. As above. */
char *first_command_line(const args *a, const char *options);

#endif
