/* sluice tune: which parameters suit the data, by cross-validation. */
#include "args/command_line.h"
#include "commands.h"
#include "measure/measure.h"
#include "output/message.h"
#include "args/paths.h"
#include "search/point_report.h"
#include "experiment/row_sets.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 5, TOP = 20, MOST_RANDOM = 10000 };

static const option_info options[] = {
    {"learner", 'a', "LEARNER,...", "the rules to try; `sluice learners` lists them", 0},
    {"grid", 0, "NAME=VALUES", "try these values of a parameter, with all values of the others; may be repeated", 1},
    {"param", 'P', "NAME=VALUE", "fix a parameter of the learners that have it; may be repeated", 1},
    {"random", 0, "N", "draw N points for each learner instead of trying them all (--seed)", 0},
    {"folds", 0, "K", "cut the examples into K folds; each is predicted by a model of the others (default 5)", 0},
    {"passes", 0, "N", "go over the examples N times (default 1)", 0},
    {"measure", 0, "M", "choose by error, balanced (accuracy), auc, f1 or cost (default error)", 0},
    {"cost-missed", 0, "V", "what a missed positive adds to `cost` (default 1)", 0},
    {"cost-alarm", 0, "V", "what a false alarm adds to `cost` (default 1)", 0},
    {"output", 'o', "MODEL", "learn the best point from all examples and save the model here", 0},
    {"top", 0, "N", "how many points to show; 0: all (default 20)", 0},
    EXAMPLE_OPTIONS,
    TEXT_OPTIONS,
    STREAM_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

typedef struct searching {
    const args *a;
    sluice_reader_options reading;
    sluice_settings settings;
    const char *output;
    uint64_t n_folds, top;
    dataset data;
    skip_tally skipped;
    tuning t;
    sluice_model *model; /* for -o */
    char *command_line;
    double seconds;
} searching;

static int measure_args(const args *a, tuning *t) {
    size_t which = 0;
    int rc = args_word(a, "measure", tune_measure_names, &which);
    t->measure = &tune_measures[which];
    /* not the costs that a learner learns by: all points are measured alike */
    t->how = (sluice_meter_options){.size = sizeof t->how, .cost_missed = 1, .cost_alarm = 1};
    if (!rc) rc = args_positive(a, "cost-missed", INFINITY, &t->how.cost_missed);
    if (!rc) rc = args_positive(a, "cost-alarm", INFINITY, &t->how.cost_alarm);
    if (!rc && strcmp(t->measure->name, "cost") == 0 && !args_has(a, "cost-missed") && !args_has(a, "cost-alarm"))
        rc = wrong_usage(a->command->name, "--measure cost: what do mistakes cost? give --cost-missed or --cost-alarm");
    return rc;
}

/* What can be seen to be wrong before any work. */
static int check_usage(searching *s) {
    const args *a = s->a;
    tuning *t = &s->t;
    int rc = stream_options(a, &s->reading);
    if (!rc) rc = example_settings(a, &s->settings);
    if (!rc) rc = text_options(a, &s->reading.ngrams, &s->reading.tf);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = args_count(a, "folds", 2, 1000000, &s->n_folds);
    if (!rc) rc = args_count(a, "random", 1, MOST_RANDOM, &t->random);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &s->top);
    if (!rc) rc = measure_args(a, t);
    if (!rc) rc = check_output_apart(a, "-o", "model", s->output, NULL);
    if (!rc) rc = searches_from_args(a, &s->settings, t->random, &t->list);
    if (!rc && s->output) rc = check_later_output(s->output);
    return rc;
}

static int deal(searching *s) {
    fold_list *f = &s->t.folds;
    sluice_error err = {0};
    if (deal_folds(&s->data, (size_t)s->n_folds, s->a->seed, f, &err) != SLUICE_OK) return complain_error(&err);
    if (!s->output) dataset_forget_rows(&s->data);
    uint64_t rare = f->positives < f->rows - f->positives ? f->positives : f->rows - f->positives;
    if (!s->a->quiet) warn_one_label(f->rows, f->positives, "input");
    if (!s->a->quiet && rare && rare < f->n)
        warning("only %" PRIu64 " examples of one class: some folds have none", rare);
    return DONE;
}

static int read_rows(searching *s) {
    const args *a = s->a;
    note_stdin(a);
    int rc = hold_inputs(&s->data, a->inputs, a->n_inputs, &s->reading, a->quiet, "input", &s->skipped);
    return rc ? rc : deal(s);
}

/* ---- the best one ------------------------------------------------------------------------------------------------ */

static int learn_rows(searching *s) {
    for (size_t i = 0; i < s->data.rows; i++) {
        sluice_example x = dataset_original(&s->data, i);
        if (sluice_model_learn(s->model, &x, NULL) != SLUICE_OK) return complain_error(sluice_model_error(s->model));
    }
    return DONE;
}

/* The model that train would make: the rows in their own order, features by their names. */
static int learn_best(searching *s) {
    sluice_error err = {0};
    s->model = recipe_model(&s->t.list.points[0].recipe, NULL, &err);
    if (!s->model) return complain_error(&err);
    sluice_model_set_threads(s->model, s->a->threads);
    int rc = remember_text_options(s->a, s->model);
    for (uint64_t pass = 0; pass < s->t.passes && !rc; pass++) rc = learn_rows(s);
    if (!rc) rc = remember_stream(s->a, s->model, s->data.format);
    if (!rc && sluice_model_end_run(s->model) != SLUICE_OK) rc = complain_error(sluice_model_error(s->model));
    return rc;
}

static int print_results(const searching *s) {
    const tuning *t = &s->t;
    report r = report_start(args_has(s->a, "json"));
    report_text(&r, "measure", t->measure->name);
    report_count(&r, "folds", t->folds.n);
    report_count(&r, "passes", t->passes);
    report_count(&r, "seed", s->a->seed);
    report_search_settings(&r, s->a, &t->list.points[0].recipe, s->data.format);
    report_count(&r, "examples", t->folds.rows);
    report_count(&r, "positives", t->folds.positives);
    report_skipped(&r, &s->skipped);
    report_figure(&r, "seconds", s->seconds);
    report_points(&r, t, (size_t)s->top, s->command_line);
    return report_end(&r);
}

static int save(const searching *s) {
    sluice_error err = {0};
    if (!s->output || sluice_model_save(s->model, s->output, &err) == SLUICE_OK) return DONE;
    return complain_error(&err);
}

static int run(const args *a) {
    double started = now_seconds();
    searching s = {.a = a, .output = args_value(a, "output"), .n_folds = FOLDS, .top = TOP};
    s.t.passes = 1;
    s.t.threads = a->threads;
    s.t.quiet = a->quiet;
    int rc = check_usage(&s);
    if (!rc) rc = read_rows(&s);
    if (!rc) rc = tune(&s.t);
    if (!rc && s.output) rc = learn_best(&s);
    if (!rc && !(s.command_line = train_command_line(a, &s.t.list.points[0].recipe, s.output))) rc = out_of_memory();
    s.seconds = now_seconds() - started;
    if (!rc && !a->quiet) note_ends(&s.t);
    if (!rc) rc = print_results(&s);
    /* not before the results have reached their reader */
    if (!rc) rc = save(&s);
    free(s.command_line);
    sluice_model_free(s.model);
    folds_free(&s.t.folds);
    search_list_free(&s.t.list);
    dataset_free(&s.data);
    return rc;
}

const command tune_command = {
    .name = "tune",
    .summary = "find the parameters that suit the data, by cross-validation",
    .synopsis = "[-a LEARNER,...] [--grid NAME=VALUES]... [--random N] [--folds K] [--measure M] [-o MODEL] [INPUT...]",
    .notes =
        "VALUES are separated by commas: numbers (0.1,1,10), words (constant,sqrt), powers (2^-5..2^5: all between) or "
        "a "
        "range with how many values, at equal ratios (0.01..100:9). With --random values are drawn from the whole "
        "range, "
        "evenly over its logarithm, and 0.01..100 will do.\n"
        "Without --grid the first two of eta, alpha, C, lambda, l1, phi, r, b and a that a learner has are tried, each "
        "from a "
        "sixteenth of its default to sixteen times that, in five steps.\n"
        "Among points of the same measure the one with the fewest nonzeros is best, then the first. The figures are "
        "means "
        "over the folds. All examples are held in memory: up to 20 bytes for every value. Results do not depend on "
        "--threads.",
    .options = options,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = print_learners_help,
    .param_at = learner_param_at,
};
