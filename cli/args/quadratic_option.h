/* --quadratic: which features are crossed. */
#ifndef CLI_QUADRATIC_OPTION_H
#define CLI_QUADRATIC_OPTION_H

#include "args/args.h"
#include "sluice.h"

/* clang-format off */
#define QUADRATIC_OPTION \
    {"quadratic", 0, "A,B", "vw, csv, jsonl: products of the features of A and B are features too; A and B are namespaces, columns or keys, AB letters that they begin with", 1}
/* clang-format on */

/* All that were given, one a line, as sluice_reader_options has them: NULL where there are none. Stays good. Returns
 * DONE or WRONG_USAGE. */
int quadratic_option(const args *a, const char **text);

/* Keeps the option in the model, where it is given. Returns an exit status. */
int remember_quadratic(const args *a, sluice_model *model);
/* Whether the option is given and says otherwise than the model. */
int quadratic_contradicts(const args *a, const sluice_model *model);

/* Warns of what the option crosses and no row had. */
void quadratic_warn(sluice_reader *reader);

#endif
