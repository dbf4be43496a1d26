/* Messages on stderr, and exit statuses. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "sluice.h"

#include <stdio.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* How often -q was given. It alone decides what is printed: once, no progress; twice, no warnings and notes either.
 * Results and errors are always printed. */
void set_quietness(unsigned times);
/* Whether -v was given: results with all figures, and names in full. */
void set_verbose(int wanted);
int is_verbose(void);
/* Whether progress is to be shown. */
int shows_progress(void);

/* An error as one line on stderr: "sluice: ...". */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);

/* The work goes on: "sluice: warning: ...", "sluice: note: ...". */
void warning(const char *format, ...) PRINTF_LIKE(1, 2);
void note(const char *format, ...) PRINTF_LIKE(1, 2);
/* One more line of the warning before. */
void warning_detail(const char *format, ...) PRINTF_LIKE(1, 2);
/* What the program is doing: "sluice: ...". */
void tell_progress(const char *format, ...) PRINTF_LIKE(1, 2);

/* A wrong command line: the message, then where to read more. Returns WRONG_USAGE. `command` may be NULL. */
int wrong_usage(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* A failure of the library as "sluice: FILE:LINE:COLUMN: message". Returns the exit status that goes with it. */
int complain_error(const sluice_error *error);
/* With advice behind the message, such as "; try this". */
int complain_error_with(const sluice_error *error, const char *advice);

/* The same for a writer; nothing is printed where it wrote to standard output ("-") and the reading end is closed. */
int complain_writer(const sluice_writer *writer, const char *path);

/* Out of memory in the program itself. Returns FAILED. */
int out_of_memory(void);

/* Flushes and checks a stream of results. A closed reading end (EPIPE) fails without a message, all else with one.
 * Returns DONE or FAILED. */
int flush_results(FILE *stream, const char *name);

#endif
