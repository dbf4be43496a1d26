/* sluice: the command line program. It sees nothing of the library but sluice.h. */
#include "args/args.h"
#include "commands.h"
#include "output/message.h"
#include "args/nearest.h"
#include "args/paths.h"
#include "run/signals.h"
#include "shell/candidates.h"
#include "shell/man_page.h"
#include "sluice.h"
#include "output/wrap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static const command *const commands[] = {
    &check_command, &train_command,  &predict_command, &test_command,     &inspect_command,    &tune_command,
    &sweep_command, &select_command, &serve_command,   &learners_command, &synth_command,      &convert_command,
    &merge_command, &diff_command,   &export_command,  &import_command,   &completion_command, NULL,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] - 1 };

static void print_overview(FILE *out) {
    fputs("usage: sluice COMMAND [OPTION...] [INPUT...]\n\n"
          "Learns sparse linear classifiers from data streams, one example at a time.\n\ncommands:\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        print_wrapped(out, commands[i]->summary, fprintf(out, "  %-11s", commands[i]->name), 13);
    fputc('\n', out);
    print_wrapped(
        out,
        "sluice help COMMAND says more about each; sluice --version prints the version, with --verbose how it was "
        "built.\n"
        "Inputs are files, plain or compressed (gzip, zstd, bzip2, xz), or - or nothing for standard input.",
        0, 0);
}

#if !defined(SLUICE_LIBRARIES) /* CMakeLists.txt gives their names */
#define SLUICE_LIBRARIES ""
#endif

static int print_version(int verbose) {
    sluice_build_facts facts = {.size = sizeof facts};
    printf("sluice %s\n", sluice_version());
    if (verbose && sluice_build_info(&facts) == SLUICE_OK)
        printf("compiler: %s\nkernels: %s\ncompressed input: %s\nOpenBLAS: %s\nlibraries: %s\n", facts.compiler,
               facts.kernels, *facts.codecs ? facts.codecs : "none",
               facts.openblas ? "loaded when needed" : "not built in", *SLUICE_LIBRARIES ? SLUICE_LIBRARIES : "none");
    return flush_results(stdout, "standard output");
}

static const command *find_command(const char *name) {
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    nearest best = nearest_start(name);
    for (size_t i = 0; i < N_COMMANDS; i++) nearest_try(&best, commands[i]->name);
    const char *what = name[0] == '-' ? "option" : "command";
    if (best.word) return wrong_usage(NULL, "unknown %s '%s'; did you mean '%s'?", what, name, best.word);
    return wrong_usage(NULL, "unknown %s '%s'", what, name);
}

/* The page of the manual about a command, or about the program (NULL), for man. */
static int manual(const char *name) {
    const command *c = name ? find_command(name) : NULL;
    if (name && !c) return unknown_command(name);
    print_man_page(c, commands);
    return flush_results(stdout, "standard output");
}

static int run_command(const command *c, int argc, char *const *argv) {
    args a;
    int rc = args_parse(&a, c, commands, argc, argv);
    if (!rc && args_has(&a, "help")) {
        args_help(&a);
        rc = flush_results(stdout, "standard output");
    } else if (!rc && args_has(&a, "version")) {
        rc = print_version(0);
    } else if (!rc) {
        rc = check_files(&a);
        if (!rc) rc = c->run(&a);
    }
    args_free(&a);
    return rc;
}

static int main_has_ended;

/* A library that ends the process in the middle of a run (libgfortran does, when there is no memory while OpenBLAS is
 * loaded) leaves behind what its own destructors crash on: they are not run. */
static void end_of_process(void) {
    if (main_has_ended) return;
    complain("a library that sluice uses has ended the run, for lack of memory in all likelihood");
    _exit(FAILED);
}

static int run(int argc, char **argv) {
    setenv("OPENBLAS_NUM_THREADS", "1", 0); /* the library has its own threads; those of OpenBLAS would be idle */
    /* a closed reading end and a limit on the size of files are write errors, no reason to stop in the middle of one */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signals_start();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a message is one write: others do not mix with it */
    if (argc < 2) {
        print_overview(stderr);
        return WRONG_USAGE;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0) { /* `help train` is `train --help` */
        static char option[] = "--help";
        argv[1] = argv[2];
        argv[2] = option;
    }
    const char *name = argv[1];
    if (strcmp(name, "--complete") == 0) { /* what the scripts of `sluice completion` ask */
        print_candidates(commands, (const char *const *)argv + 2, (size_t)argc - 2);
        return flush_results(stdout, "standard output");
    }
    if (strcmp(name, "--man") == 0) return manual(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version(argc > 2 && strcmp(argv[2], "--verbose") == 0);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_overview(stdout);
        return flush_results(stdout, "standard output");
    }
    const command *c = find_command(name);
    return c ? run_command(c, argc - 2, argv + 2) : unknown_command(name);
}

/* Large arrays are mapped, so that freeing one gives its memory back. By default glibc learns from the first that are
 * freed to take the next ones from its heaps, one for each thread, where they leave holes: very long lines then take
 * several times the memory. */
static void map_large_arrays(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

int main(int argc, char **argv) {
    map_large_arrays();
    atexit(end_of_process);
    int status = run(argc, argv);
    main_has_ended = 1;
    return status;
}
