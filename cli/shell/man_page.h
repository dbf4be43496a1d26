/* Pages of the manual, from the tables of commands and options. */
#ifndef CLI_MAN_PAGE_H
#define CLI_MAN_PAGE_H

#include "args/args.h"

/* Prints the page about a command in the language of man, or with NULL the page about the program. */
void print_man_page(const command *c, const command *const *commands);

#endif
