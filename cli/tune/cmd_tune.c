/* sluice tune: finds parameters by cross-validation. */
#include "args/command_line.h"
#include "commands.h"
#include "measure/measure.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/paths.h"
#include "run/signals.h"
#include "search/point_report.h"
#include "search/search_args.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 5, TOP = 20, MOST_RANDOM = 10000 };

static const option_info options[] = {
    {"learner", 'a', "LEARNER,...", "the rules to try; `sluice learners` lists them", 0},
    {"grid", 0, "NAME=VALUES",
     "try these values of a parameter, or of normalize, bias, transform or scale, with all values of the others; may "
     "be "
     "repeated",
     1},
    {"param", 'P', "NAME=VALUE", "fix a parameter of the learners that have it; may be repeated", 1},
    {"random", 0, "N", "draw N points for each learner instead of trying them all (--seed)", 0},
    {"folds", 0, "K", "cut the examples into K folds; each is predicted by a model of the others (default 5)", 0},
    {"passes", 0, "N", "go over the examples N times (default 1)", 0},
    {"measure", 0, "M", "choose by error, balanced (accuracy), auc, f1 or cost (default error)", 0},
    {"choose", 0, "sparse|best",
     "take the sparsest point within one standard error of the best measure (default), or the one of the best measure",
     0},
    {"cost-missed", 0, "V", "what a missed positive adds to `cost` (default 1)", 0},
    {"cost-alarm", 0, "V", "what a false alarm adds to `cost` (default 1)", 0},
    {"output", 'o', "MODEL", "learn the best point from all examples and save the model here", 0},
    {"top", 0, "N", "how many points to show; 0: all (default 20)", 0},
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
    {.option = "output", .role = WRITES, .what = "model"},
    {.option = "report", .role = WRITES, .what = "report"},
    {.option = NULL},
};

/* By SLUICE_MEASURE_. */
static const tune_measure measures[] = {
    {"error", "error_rate"}, {"balanced", "balanced_accuracy"}, {"auc", "auc"}, {"f1", "f1"}, {"cost", "cost"},
};
enum { N_MEASURES = sizeof measures / sizeof *measures };

typedef struct searching {
    const args *a;
    sluice_reader_options reading;
    sluice_settings settings;
    const char *output, *format; /* format: of the last input */
    uint64_t n_folds, top, random, passes, rows, positives;
    costs costs;
    sluice_dataset *data;
    skip_tally skipped;
    tuning t;
    sluice_tune_options how;
    progress live;
    sluice_model *model; /* for -o, */
    sluice_model_file *file;
    char *command_line;
    double seconds;
} searching;

static int measure_args(const args *a, tuning *t, sluice_tune_options *how) {
    const char *words[N_MEASURES + 1] = {NULL};
    size_t which = 0;
    for (size_t i = 0; i < N_MEASURES; i++) words[i] = measures[i].option;
    int rc = args_word(a, "measure", words, &which);
    t->measure = &measures[which];
    how->measure = (int)which;
    if (!rc) rc = args_positive(a, "cost-missed", INFINITY, &how->cost_missed);
    if (!rc) rc = args_positive(a, "cost-alarm", INFINITY, &how->cost_alarm);
    if (!rc && which == SLUICE_MEASURE_COST && !args_has(a, "cost-missed") && !args_has(a, "cost-alarm"))
        rc = wrong_usage(a->command->name, "--measure cost: what do mistakes cost? give --cost-missed or --cost-alarm");
    return rc;
}

/* What can be seen to be wrong before any work. */
static int check_usage(searching *s) {
    static const char *const ways[] = {"sparse", "best", NULL};
    const args *a = s->a;
    size_t way = 0;
    int rc = input_options(a, &s->reading);
    if (!rc) rc = example_settings(a, &s->settings);
    if (!rc) rc = costs_from_args(a, NULL, &s->costs);
    if (!rc) rc = text_options(a, &s->reading);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &s->passes);
    if (!rc) rc = args_count(a, "folds", 2, 1000000, &s->n_folds);
    if (!rc) rc = args_count(a, "random", 1, MOST_RANDOM, &s->random);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &s->top);
    if (!rc) rc = measure_args(a, &s->t, &s->how);
    if (!rc) rc = args_word(a, "choose", ways, &way);
    s->how.choose = way ? SLUICE_CHOOSE_BEST : SLUICE_CHOOSE_SPARSE;
    if (!rc && s->settings.classes && (s->how.measure == SLUICE_MEASURE_AUC || s->how.measure == SLUICE_MEASURE_COST))
        rc = wrong_usage(a->command->name, "--measure %s is for two classes", s->t.measure->option);
    if (!rc) rc = search_from_args(a, &s->settings, s->random, &s->t.search);
    if (!rc) rc = check_files_usable(a);
    return rc;
}

static int deal(searching *s) {
    sluice_error err = {0};
    s->t.folds = sluice_folds_new(s->data, (size_t)s->n_folds, s->a->seed, &err);
    if (!s->t.folds) {
        int few = err.status == SLUICE_E_DATA && sluice_dataset_rows(s->data) > 1;
        return complain_error_with(&err, few ? "; --folds sets how many there are" : "");
    }
    if (!s->output) sluice_dataset_forget_rows(s->data); /* the folds have a copy */
    s->rows = sluice_folds_rows(s->t.folds, &s->positives);
    const int many = s->settings.classes != SLUICE_CLASSES_TWO;
    uint64_t rare = s->positives < s->rows - s->positives ? s->positives : s->rows - s->positives;
    const sluice_model *classes = sluice_dataset_classes(s->data);
    note_positive(classes);
    warn_one_label(classes, s->rows, s->positives, "input");
    if (!many && rare && rare < s->n_folds)
        warning("only %" PRIu64 " examples of one class: some folds have none", rare);
    return DONE;
}

static int read_rows(searching *s) {
    const args *a = s->a;
    sluice_error err = {0};
    note_stdin(a);
    s->data = sluice_dataset_new(&err);
    if (!s->data || sluice_dataset_use_classes(s->data, &s->settings, &err) != SLUICE_OK) return complain_error(&err);
    s->reading.words = 1;
    int rc = hold_with_costs(s->data, a, &s->reading, &s->costs, &s->skipped, &s->format);
    return rc ? rc : deal(s);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int show_models(void *context, uint64_t done, uint64_t total) {
    progress_units(context, done, total, "models");
    return stop_signal();
}

static int may_go_on(void *context, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
    return stop_signal();
}

/* Failed points are the last ones. */
static void warn_failures(const searching *s) {
    size_t failed = 0, n = sluice_search_points(s->t.search);
    while (failed < n && sluice_search_point(s->t.search, n - failed - 1)->failure) failed++;
    if (!failed) return;
    const char *first = sluice_search_point(s->t.search, n - failed)->failure;
    if (failed == n)
        complain("all %zu points failed; the first: %s", n, first);
    else
        warning("%zu of %zu points failed; the first: %s", failed, n, first);
}

static int tune(searching *s) {
    sluice_error err = {0};
    const size_t points = sluice_search_points(s->t.search);
    if (!args_has(s->a, "grid") && shows_progress())
        note("%zu points in %" PRIu64 " folds: %" PRIu64 " models; --grid or --random tries fewer", points, s->n_folds,
             points * s->n_folds);
    s->live = progress_start(1, 0);
    s->how.size = sizeof s->how;
    s->how.threads = s->a->threads;
    s->how.passes = s->passes;
    s->how.progress = show_models;
    s->how.context = &s->live;
    sluice_status status = sluice_search_tune(s->t.search, s->t.folds, &s->how, &err);
    progress_clear(&s->live);
    if (stop_signal()) return stop_status();
    if (status != SLUICE_OK) return complain_error(&err);
    warn_failures(s);
    const sluice_point *best = sluice_search_point(s->t.search, 0);
    if (best->failure) return FAILED;
    if (!isnan(best->mean)) return DONE;
    complain("there is no %s in any fold: each has one class only, or nothing is predicted +1", s->t.measure->name);
    return FAILED;
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

/* The model that train would make of the best point: the rows in their own order, features by their names. */
static int learn_best(searching *s) {
    sluice_error err = {0};
    s->model = sluice_search_model(s->t.search, 0, &err);
    if (!s->model) return complain_error(&err);
    sluice_model_set_threads(s->model, s->a->threads);
    int rc = remember_text_options(s->a, s->model);
    if (!rc) rc = remember_input(s->a, s->model, s->format);
    if (!rc) rc = costs_remember(&s->costs, s->model);
    if (rc) return rc;
    if (sluice_dataset_learn(s->data, s->model, s->passes, may_go_on, NULL, &err) == SLUICE_OK)
        return remember_negative(s->model, first_negative(s->data));
    return stop_signal() ? stop_status() : complain_error(&err);
}

static int print_results(const searching *s) {
    const tuning *t = &s->t;
    report r = report_start(args_has(s->a, "json"));
    report_text(&r, "measure", t->measure->name);
    if (r.as_json) report_text(&r, "choose", s->how.choose == SLUICE_CHOOSE_BEST ? "best" : "sparse");
    report_count(&r, "folds", s->n_folds);
    report_count(&r, "passes", s->passes);
    report_count(&r, "seed", s->a->seed);
    report_search_settings(&r, s->a, sluice_search_point(t->search, 0), s->format);
    report_count(&r, "examples", s->rows);
    if (!s->settings.classes) report_count(&r, "positives", s->positives);
    report_classes(&r, sluice_dataset_classes(s->data));
    report_skipped(&r, &s->skipped);
    report_figure(&r, "seconds", s->seconds);
    report_points(&r, t, (size_t)s->top, s->command_line);
    return report_end(&r);
}

/* Locks the model's file until the end. */
static int open_output(searching *s) {
    if (!s->output) return DONE;
    sluice_error err = {0};
    s->file = sluice_model_file_open(s->output, &err);
    return s->file ? DONE : complain_error(&err);
}

static int save(const searching *s) {
    if (!s->file || sluice_model_file_save(s->file, s->model) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_file_error(s->file));
}

static int write_report(const searching *s) {
    const char *path = args_value(s->a, "report");
    const tune_facts facts = {s->a,      &s->t,   s->command_line,  s->n_folds,
                              s->passes, s->rows, s->skipped.total, s->how.choose};
    return path ? write_tune_page(path, &facts) : DONE;
}

static int run(const args *a) {
    double started = now_seconds();
    searching s = {.a = a, .output = args_value(a, "output"), .n_folds = FOLDS, .top = TOP, .passes = 1};
    int rc = check_usage(&s);
    signals_stop_orderly();
    if (!rc) rc = open_output(&s);
    if (!rc) rc = read_rows(&s);
    if (!rc) rc = tune(&s);
    if (!rc && s.output) rc = learn_best(&s);
    if (!rc && !(s.command_line = train_command_line(a, sluice_search_point(s.t.search, 0), s.output)))
        rc = out_of_memory();
    s.seconds = now_seconds() - started;
    if (!rc) note_ends(&s.t);
    if (!rc) rc = print_results(&s);
    /* not before the results are printed */
    if (!rc) rc = write_report(&s);
    if (!rc) rc = save(&s);
    free(s.command_line);
    costs_free(&s.costs);
    sluice_model_file_close(s.file);
    sluice_model_free(s.model);
    sluice_folds_free(s.t.folds);
    sluice_search_free(s.t.search);
    sluice_dataset_free(s.data);
    return rc;
}

const command tune_command = {
    .name = "tune",
    .summary = "find the parameters that suit the data, by cross-validation",
    .synopsis = "[-a LEARNER,...] [--grid NAME=VALUES]... [--random N] [--folds K] [--measure M] [-o MODEL] [--report "
                "FILE] [INPUT...]",
    .notes =
        "VALUES are separated by commas: numbers (0.1,1,10), words (constant,sqrt), powers (2^-5..2^5: all "
        "between) or a range with the number of values, at equal ratios (0.01..100:9). With --random values are "
        "drawn from the whole range, uniformly on a logarithmic scale, and 0.01..100 is enough.\n"
        "Without --grid the first two of eta, alpha, C, lambda, l1, phi, r, b and a that a learner has are tried, "
        "each from a sixteenth of its default to sixteen times that, in five steps, and r in three, with "
        "normalize=none,l2 and bias=0,0.3,1: at most 450 points for each learner.\n"
        "The best point is the one with the fewest nonzeros whose measure is within one standard error of the best "
        "(--choose). The figures are means over the folds. All examples are held in memory: up to 20 bytes for every "
        "value. Results do "
        "not depend on --threads.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = print_learners_help,
    .param_at = learner_param_at,
};
