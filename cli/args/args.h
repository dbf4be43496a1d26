/* The command line of every command, driven by tables: the same table parses the options and writes --help. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "sluice.h"

#include <stddef.h>
#include <stdint.h>

typedef struct option_info {
    const char *name;  /* the long form, without its dashes */
    char letter;       /* the short form, or 0 */
    const char *value; /* what its argument is called in the help; NULL: it takes none */
    const char *help;
    int repeats; /* may be given several times with different values */
} option_info;

/* What a command does with a file. */
typedef enum file_role { READS_DATA, READS_MODEL, WRITES } file_role;

/* A file of a command, for check_files(). */
typedef struct file_option {
    const char *option; /* the option that names it, in its long form; "": the arguments that are not options */
    file_role role;
    const char *what;                   /* WRITES: what is written, for messages */
    const char *may_replace;            /* WRITES: the files of this option may be replaced; NULL: none */
    const char *otherwise;              /* the file where the option is not given; "-": standard output; NULL: none */
    int may_be_stdout;                  /* WRITES: standard output is allowed, because no results go there */
    int opened_at_once;                 /* WRITES: the command opens it before its work begins */
    int (*is_other)(const char *value); /* whether the option's value is no file but something else; or NULL */
} file_option;

typedef struct args args;

typedef struct command {
    const char *name;
    const char *summary;        /* one line */
    const char *synopsis;       /* what may follow `sluice NAME` */
    const char *notes;          /* paragraphs after the options, a line each; or NULL */
    const option_info *options; /* ended by one without a name; --threads, --seed, -q, ... are common to all */
    const file_option *files;   /* all files that it reads or writes, "" first, ended by NULL; or NULL */
    size_t max_inputs;
    int (*run)(const args *a);
    void (*more_help)(
        const args *a); /* the part of the help that depends on the library, such as the learners; or NULL */
    /* the i-th parameter that -P may set, NULL past the last: a suggestion where one is written as an option; or NULL
     */
    const sluice_param_info *(*param_at)(size_t i);
} command;

struct given_option {
    const option_info *option;
    const char *value;
};

struct args {
    const command *command;
    const command *const *commands; /* all of them, to find the one that an unknown option belongs to */
    struct given_option *given;
    size_t n_given;
    const char **inputs; /* the arguments that are not options, in order */
    size_t n_inputs;

    /* the options that all commands have */
    unsigned threads; /* 0: as many as the machine has cores */
    uint64_t seed;
};

/* Returns DONE, or WRONG_USAGE after saying why. Free with args_free() in both cases. */
int args_parse(args *a, const command *c, const command *const *all, int argc, char *const *argv);
void args_free(args *a);

int args_has(const args *a, const char *option);
/* Whether the command has such an option: others may not be asked for. */
int args_knows(const args *a, const char *option);
/* The option's value, or NULL where it was not given. */
const char *args_value(const args *a, const char *option);
/* All values of an option that repeats: fills `values` (room for a->n_given) and returns how many. */
size_t args_values(const args *a, const char *option, const char **values);

/* The next four leave *value alone where the option was not given, and return DONE or WRONG_USAGE. */
int args_count(const args *a, const char *option, uint64_t min, uint64_t max, uint64_t *value);
int args_number(const args *a, const char *option, double *value);
/* A number above 0 and up to `max`. */
int args_positive(const args *a, const char *option, double max, double *value);
/* One of the words (ended by NULL); *value becomes its position. */
int args_word(const args *a, const char *option, const char *const *words, size_t *value);

/* An interval in examples (100000) or in seconds (60s): the other one becomes 0, and both where it is not given. */
int args_interval(const args *a, const char *option, uint64_t *examples, uint64_t *seconds);

/* Reads a whole number from min to max; returns 0 if the text is anything else. */
int parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* --help: the synopsis, the options, the notes. */
void args_help(const args *a);

/* The i-th option of a command, its own first, then those that all have; NULL past the last. */
const option_info *args_option_at(const command *c, size_t i);
/* An option by its long form, or NULL. */
const option_info *args_find_option(const command *c, const char *name, size_t length);

#endif
