/* sluice synth: makes synthetic streams, the same for the same seed. */
#include "commands.h"
#include "output/message.h"
#include "args/nearest.h"
#include "args/params.h"
#include "args/paths.h"
#include "run/signals.h"
#include "synth/synth.h"
#include "output/wrap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"param", 'P', "NAME=VALUE", "set a parameter of the stream; may be repeated", 1},
    {"output", 'o', "FILE", "write the rows here (default: standard output); *.bin is binary, else LIBSVM text", 0},
    {"test", 0, "FILE", "write test_rows more rows of the same stream here", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "output", .role = WRITES, .what = "stream", .otherwise = "-", .may_be_stdout = 1},
    {.option = "test", .role = WRITES, .what = "test rows", .may_be_stdout = 1},
    {.option = NULL},
};

static const synth_stream *const streams[] = {&synth_effective, &synth_sparse, &synth_dense,
                                              &synth_classes,   &synth_drift,  &synth_prices};
enum { N_STREAMS = sizeof streams / sizeof streams[0] };

static void print_streams(void) {
    for (size_t i = 0; i < N_STREAMS; i++) {
        if (i) putchar('\n');
        print_wrapped(stdout, streams[i]->summary, printf("%s: ", streams[i]->name), 2);
        print_params(streams[i]->params, streams[i]->n_params, 4);
    }
}

static const synth_stream *find_stream(const char *name) {
    for (size_t i = 0; i < N_STREAMS; i++)
        if (strcmp(streams[i]->name, name) == 0) return streams[i];
    return NULL;
}

static int unknown_stream(const args *a, const char *name) {
    nearest best = nearest_start(name);
    for (size_t i = 0; i < N_STREAMS; i++) nearest_try(&best, streams[i]->name);
    if (best.word) return wrong_usage(a->command->name, "unknown stream '%s'; did you mean '%s'?", name, best.word);
    return wrong_usage(a->command->name, "unknown stream '%s'; `sluice synth` alone lists them", name);
}

static int write_rows(const synth_stream *stream, void *state, sluice_random *r, uint64_t rows, sluice_writer *w,
                      const char *path) {
    synth_row row = {0};
    for (uint64_t i = 0; i < rows; i++) {
        if (stop_signal()) return stop_status();
        stream->draw(state, r, &row);
        sluice_example x = {row.ids, row.values, row.n, row.label, 1, NULL, row.word};
        if (sluice_writer_put(w, &x) != SLUICE_OK) return complain_writer(w, path);
    }
    return DONE;
}

/* Draws rows into a file that appears only when it is complete. */
static int write_file(const synth_stream *stream, void *state, sluice_random *r, uint64_t rows, const char *path) {
    sluice_error err = {0};
    sluice_writer *w = sluice_writer_open(path, NULL, &err);
    if (!w) return complain_error(&err);
    int rc = write_rows(stream, state, r, rows, w, path);
    if (!rc && sluice_writer_commit(w) != SLUICE_OK) rc = complain_writer(w, path);
    sluice_writer_close(w);
    return rc;
}

static int read_stream_params(const args *a, const synth_stream *stream, double *values) {
    assert(stream->n_params <= MAX_SYNTH_PARAMS);
    const char **texts = calloc(a->n_given + 1, sizeof *texts);
    if (!texts) return out_of_memory();
    size_t n = args_values(a, "param", texts);
    sluice_error err = {0};
    sluice_status status = sluice_params_read(stream->name, stream->params, stream->n_params, texts, n, values, &err);
    free(texts);
    if (status != SLUICE_OK) return complain_error(&err);
    const char *reason = stream->check ? stream->check(values) : NULL;
    return reason ? wrong_usage(a->command->name, "%s: %s", stream->name, reason) : DONE;
}

static int run(const args *a) {
    if (a->n_inputs == 0) {
        if (args_has(a, "param") || args_has(a, "output") || args_has(a, "test"))
            return wrong_usage(a->command->name, "which stream? `sluice synth` alone lists them");
        print_streams();
        return flush_results(stdout, "standard output");
    }
    const synth_stream *stream = find_stream(a->inputs[0]);
    if (!stream) return unknown_stream(a, a->inputs[0]);
    double values[MAX_SYNTH_PARAMS];
    const char *output = args_value(a, "output"), *test = args_value(a, "test");
    int rc = read_stream_params(a, stream, values);
    if (!rc) rc = check_files_usable(a);
    if (rc) return rc;
    sluice_random r;
    sluice_random_seed(&r, a->seed);
    void *state = stream->start(values, &r);
    if (!state) return out_of_memory();
    signals_stop_orderly(); /* closing the writer removes its temporary file */
    rc = write_file(stream, state, &r, (uint64_t)values[SYNTH_ROWS], output ? output : "-");
    if (!rc && test) rc = write_file(stream, state, &r, (uint64_t)values[SYNTH_TEST_ROWS], test);
    stream->free_state(state);
    return rc;
}

static const sluice_param_info *param_at(size_t i) {
    for (size_t k = 0; k < N_STREAMS; i -= streams[k]->n_params, k++)
        if (i < streams[k]->n_params) return &streams[k]->params[i];
    return NULL;
}

static void more_help(const args *a) {
    (void)a;
    puts("\nstreams, their parameters with defaults and ranges:\n");
    print_streams();
}

const command synth_command = {
    .name = "synth",
    .summary = "make a synthetic stream, seeded",
    .synopsis = "[NAME] [-P NAME=VALUE]... [-o FILE] [--test FILE] [--seed N]",
    .notes = "Without a name it lists the streams.",
    .options = options,
    .files = files,
    .max_inputs = 1,
    .run = run,
    .more_help = more_help,
    .param_at = param_at,
};
