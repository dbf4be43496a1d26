/* Checks the files of a command line before any work is done. What the library reports at once, such as an input that
 * does not exist, is not checked here. */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "args/args.h"

#include <stddef.h>

/* Whether the inputs can be read only once: standard input, a pipe. */
int reads_once(const char *const *paths, size_t n);
/* Whether they include standard input. */
int reads_stdin(const char *const *paths, size_t n);

/* Whether two paths lead to one file, which need not exist yet; devices are never one file. */
int same_file(const char *a, const char *b);

/* Compares all files of the command (command.files) with each other: refuses an output that would replace an input, a
 * model or another output, by whatever name or link, one other than a model that would replace any model, standard
 * output where results go there, or into a file that is read, and two inputs that are one pipe. Returns DONE or
 * WRONG_USAGE. */
int check_files(const args *a);
/* Refuses files that could not be read or written after hours of work; touches nothing. The arguments that are not
 * options are opened at once and not checked here. Returns DONE or FAILED. */
int check_files_usable(const args *a);

/* Notes that a file (or NULL) that the model is measured on or fitted to is one of the inputs. */
void note_learned_too(const args *a, const char *option, const char *file);

#endif
