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

/* Whether writing `output` would replace one of the inputs ("-": standard input). */
int replaces_input(const char *output, const char *const *inputs, size_t n);
/* Whether two outputs are one file, which need not exist yet. */
int same_output(const char *a, const char *b);

/* Whether the path is standard output: "-", /dev/stdout, or the file or pipe that it goes to. */
int is_stdout(const char *path);

/* Refuses an output (`what` it is, given as `option`) that is standard output, an input or the --test file. `output`
 * and `test` may be NULL. Returns DONE or WRONG_USAGE. */
int check_output_apart(const args *a, const char *option, const char *what, const char *output, const char *test);
/* Refuses an output that is the file given as `later`, which is read after learning; both may be NULL. Returns DONE or
 * WRONG_USAGE. */
int check_output_keeps(const args *a, const char *option, const char *what, const char *output, const char *later,
                       const char *file);
/* Refuses two outputs (either may be NULL) that are one file. Returns DONE or WRONG_USAGE. */
int check_outputs_differ(const args *a, const char *option, const char *output, const char *other_option,
                         const char *other);
/* Refuses a file to be read after learning (or NULL), given as `option`, that is the standard input which is learned
 * from. Returns DONE or WRONG_USAGE. */
int check_later_apart(const args *a, const char *option, const char *file);

/* Notes that a file (or NULL) that the model is measured on or fitted to is one of the inputs. */
void note_learned_too(const args *a, const char *option, const char *file);

/* Refuses a file that could not be read later. Returns DONE or FAILED. */
int check_later_input(const char *path);
/* Refuses a path that could not be written to after hours of work; touches nothing. Returns DONE or FAILED. */
int check_later_output(const char *path);

#endif
