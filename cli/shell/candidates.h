/* What may stand at the end of a command line that is being typed. */
#ifndef CLI_CANDIDATES_H
#define CLI_CANDIDATES_H

#include "args/args.h"

/* Prints what the last of the words behind `sluice` may become, a line each: the word, and after a tab what it is. The
 * line ":files" means names of files. Words are as a shell splits them: at "=" too (bash) or not. */
void print_candidates(const command *const *commands, const char *const *words, size_t n_words);

#endif
