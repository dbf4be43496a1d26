/* sluice tune: finds parameters by cross-validation, or along a stream. */
#include "args/command_line.h"
#include "commands.h"
#include "output/message.h"
#include "args/paths.h"
#include "run/signals.h"
#include "search/reading_grid.h"
#include "search/search_args.h"
#include "tune/tuning.h"

#include <math.h>
#include <stdlib.h>

static const option_info options[] = {
    {"learner", 'a', "LEARNER,...", "the rules to try; `sluice learners` lists them", 0},
    {"grid", 0, "NAME=VALUES",
     "try these values of a parameter, or of normalize, bias, transform, scale, or of an option for text, with all "
     "values of the others; may be repeated",
     1},
    {"param", 'P', "NAME=VALUE", "fix a parameter of the learners that have it; may be repeated", 1},
    {"random", 0, "N", "draw N points for each learner instead of trying them all (--seed)", 0},
    {"folds", 0, "K|forward[:K]",
     "cut the examples into K random folds; each is predicted by a model of the others (default 5). forward, for "
     "streams: learn the past and measure the next part, K times (default 5)",
     0},
    {"progressive", 0, NULL, "for streams: instead of folds, measure every example before it is learned, in one pass",
     0},
    {"passes", 0, "N", "go over the examples N times (default 1)", 0},
    {"measure", 0, "M",
     "choose by error, balanced (accuracy), auc, f1, cost, ap (average precision), logloss or recall@precision=P "
     "(the highest recall with at least this precision) (default error)",
     0},
    {"choose", 0, "sparse|best",
     "take the sparsest point within one standard error of the best measure (default), or the one of the best measure",
     0},
    {"cost-missed", 0, "V", "what a missed positive adds to `cost` (default 1)", 0},
    {"cost-alarm", 0, "V", "what a false alarm adds to `cost` (default 1)", 0},
    {"output", 'o', "MODEL", "learn the best point from all examples and save the model here", 0},
    {"top", 0, "N", "how many points to show; 0: all (default 5, with -v 20)", 0},
    {"report", 0, "FILE", "write a page with a chart and a table of the points to this HTML file", 0},
    EXAMPLE_OPTIONS,
    CLASS_OPTIONS,
    COST_OPTIONS,
    TEXT_OPTIONS,
    INPUT_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = "output", .role = WRITES, .what = "model"},
    {.option = "report", .role = WRITES, .what = "report"},
    {.option = NULL},
};

static int may_go_on(void *context, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
    return stop_signal();
}

/* The first negative label of the rows; NaN: there is none. */
static double first_negative(const sluice_dataset *data) {
    sluice_example x = {0};
    for (size_t i = 0; i < sluice_dataset_rows(data); i++) {
        sluice_dataset_row(data, i, &x);
        if (x.label <= 0 && x.weight > 0) return x.label;
    }
    return NAN;
}

static int remember(const tuning *t, const sluice_point *best, sluice_model *model) {
    args with;
    int rc = args_with_readings(t->a, best->varied, best->n_varied, &with);
    if (!rc) rc = remember_text_options(&with, model);
    args_without_readings(&with);
    if (!rc) rc = remember_input(t->a, model, t->format);
    return rc ? rc : costs_remember(&t->costs, model);
}

/* The model that train would make of the best point: the rows in their own order, features by their names. */
static int learn_best(tuning *t, sluice_model **model) {
    sluice_error err = {0};
    const sluice_point *best = sluice_search_point(t->search, 0);
    int rc = t->held == best->reading + 1 ? DONE : tune_read(t, best->reading, 0);
    if (rc) return rc;
    *model = sluice_search_model(t->search, 0, &err);
    if (!*model) return complain_error(&err);
    sluice_model_set_threads(*model, t->a->threads);
    if ((rc = remember(t, best, *model))) return rc;
    sluice_status status = sluice_dataset_learn(t->data, *model, t->passes, may_go_on, NULL, &err);
    if (status == SLUICE_OK) return remember_negative(*model, first_negative(t->data));
    return stop_signal() ? stop_status() : complain_error(&err);
}

/* What the results are good for: the model, the command that makes it, the page. */
static int use_results(tuning *t, sluice_model_file *file, double started) {
    const args *a = t->a;
    sluice_model *model = NULL;
    char *command_line = NULL;
    int rc = file ? learn_best(t, &model) : DONE;
    if (!rc && !(command_line = train_command_line(a, sluice_search_point(t->search, 0), t->output)))
        rc = out_of_memory();
    t->command_line = command_line;
    t->seconds = now_seconds() - started;
    if (!rc) note_ends(t);
    if (!rc) rc = report_tuning(t);
    /* not before the results are printed */
    if (!rc && args_has(a, "report")) rc = write_tune_page(args_value(a, "report"), t);
    if (!rc && file && sluice_model_file_save(file, model) != SLUICE_OK)
        rc = complain_error(sluice_model_file_error(file));
    free(command_line);
    sluice_model_free(model);
    return rc;
}

static int run(const args *a) {
    double started = now_seconds();
    sluice_model_file *file = NULL; /* locked until the end */
    sluice_error err = {0};
    tuning t;
    int rc = tune_args(a, &t);
    signals_stop_orderly();
    if (!rc && t.output && !(file = sluice_model_file_open(t.output, &err))) rc = complain_error(&err);
    if (!rc) rc = tune_all(&t);
    if (!rc) rc = use_results(&t, file, started);
    if (!rc && t.interrupted) rc = stop_status();
    costs_free(&t.costs);
    sluice_model_file_close(file);
    sluice_folds_free(t.folds);
    sluice_search_free(t.search);
    sluice_dataset_free(t.data);
    return rc;
}

const command tune_command = {
    .name = "tune",
    .summary = "find the parameters that suit the data, by cross-validation",
    .synopsis = "[-a LEARNER,...] [--grid NAME=VALUES]... [--random N] [--folds K|forward[:K] | --progressive] "
                "[--measure M] [-o MODEL] [--report FILE] [INPUT...]",
    .notes =
        "VALUES are separated by commas: numbers (0.1,1,10), words (constant,sqrt), powers (2^-5..2^5: all "
        "between) or a range with the number of values, at equal ratios (0.01..100:9). With --random values are "
        "drawn from the whole range, uniformly on a logarithmic scale, and 0.01..100 is enough.\n"
        "Without --grid the first two of eta, alpha, C, lambda, l1, phi, r, b and a that a learner has are tried, "
        "each from a sixteenth of its default to sixteen times that, in five steps, and r in three, with "
        "normalize=none,l2 and bias=0,0.3,1: at most 450 points for each learner.\n"
        "The best point is the one with the fewest nonzeros whose measure is within one standard error of the best "
        "(--choose). The figures are means over the folds. All examples are held in memory: up to 20 bytes for every "
        "value; for every combination of options for text they are read again. Results do not depend on --threads.\n"
        "SIGINT and SIGTERM end the search: the points that are done are printed, and with -o the best of them is "
        "learned and saved; the exit status is 128 + signal. A second signal ends the program at once.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = print_learners_help,
    .param_at = learner_param_at,
};
