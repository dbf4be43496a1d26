/* sluice sweep: error against sparsity, many models in one pass. */
#include "commands.h"
#include "measure/measure.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/paths.h"
#include "search/point_report.h"
#include "sweep/sweeping.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"learner", 'a', "LEARNER,...", "the rules to sweep; `sluice learners` lists them", 0},
    {"lambda", 0, "VALUES", "the values of lambda or l1, whichever a learner has", 0},
    {"grid", 0, "NAME=VALUES", "the values of B or features, or of one of the others; may be repeated", 1},
    {"param", 'P', "NAME=VALUE", "fix another parameter of the learners that have it; may be repeated", 1},
    {"test", 0, "FILE", "measure every model on this file", 0},
    {"sparsity", 0, "S1,S2,...",
     "find the values that give these sparsities (0.9: a tenth of the features has a weight)", 0},
    {"repeats", 0, "N", "learn N times, in another order each time; means and deviations (default 1)", 0},
    {"shuffle", 0, "SEED", "shuffle the first run too, by this seed, and the others by the next ones", 0},
    {"passes", 0, "N", "go over the inputs N times (default 1)", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"csv", 0, "FILE", "write all points to this CSV file", 0},
    {"html", 0, "FILE", "write a page with the curves and all points", 0},
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
    {.option = "test", .role = READS_DATA},
    {.option = "csv", .role = WRITES, .what = "table"},
    {.option = "html", .role = WRITES, .what = "page"},
    {.option = NULL},
};

static int wanted_args(sweeping *w) {
    const char *list = args_value(w->a, "sparsity");
    char text[64];
    if (!list) return DONE;
    w->wanted = calloc(strlen(list) + 1, sizeof *w->wanted);
    if (!w->wanted) return out_of_memory();
    for (size_t i = 0; name_in_list(list, i, text); i++) {
        double *s = &w->wanted[w->n_wanted++];
        if (!sluice_parse_number(text, s) || *s < 0 || *s >= 1)
            return wrong_usage(w->a->command->name, "--sparsity %s: '%s' is not a number from 0 to below 1", list,
                               text);
    }
    return DONE;
}

static int number_args(sweeping *w) {
    const args *a = w->a;
    int rc = args_count(a, "passes", 1, 1000000000, &w->passes);
    if (!rc) rc = args_count(a, "repeats", 1, 100000, &w->repeats);
    w->shuffle = a->seed;
    w->shuffle_all = args_has(a, "shuffle");
    if (!rc) rc = args_count(a, "shuffle", 0, UINT64_MAX, &w->shuffle);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &w->dimension);
    if (!rc) rc = wanted_args(w);
    w->held = w->repeats > 1 || w->shuffle_all || w->n_wanted;
    return rc;
}

/* What can be seen to be wrong before any work. */
static int check_usage(sweeping *w) {
    const args *a = w->a;
    int rc = input_options(a, &w->reading);
    if (!rc) rc = example_settings(a, &w->settings);
    if (!rc) rc = costs_from_args(a, NULL, &w->costs);
    if (!rc) rc = text_options(a, &w->reading);
    if (!rc) rc = number_args(w);
    if (!rc && w->passes > 1 && !w->held && reads_once(a->inputs, a->n_inputs))
        rc = wrong_usage(a->command->name, "--passes %" PRIu64 ": standard input and pipes can be read only once",
                         w->passes);
    if (!rc) rc = sweep_search(w);
    if (!rc) rc = check_files_usable(a);
    return rc;
}

static void note_test(const sweeping *w) {
    if (!w->test) note("without --test FILE only the error while learning is measured, which includes early models");
    note_learned_too(w->a, "--test", w->test);
}

static int learn(sweeping *w) {
    note_test(w);
    int rc = sweep_read(w);
    return rc ? rc : sweep_learn(w);
}

/* ---- what came out ----------------------------------------------------------------------------------------------- */

/* A point that did not fail, to report what all have in common; *failure: the first failure. */
static const sluice_point *any_point(const sweeping *w, const char **failure) {
    const sluice_point *found = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            const sluice_point *p = w->curves[i].points[k];
            if (!p->failure && !found) found = p;
            if (p->failure && !failed++) *failure = p->failure;
        }
    return found;
}

static int warn(const sweeping *w) {
    const char *failure = NULL;
    const sluice_point *p = any_point(w, &failure);
    if (!p) {
        complain("all points failed; the first: %s", failure);
        return FAILED;
    }
    if (failure) warning("some points failed; the first: %s", failure);
    if (!w->held) warn_skipped(&w->skipped, "input");
    note_positive(sweep_classes(w));
    warn_one_label(sweep_classes(w), w->examples, w->positives, "input");
    if (w->test) warn_one_class_of(sweep_classes(w), p->test, w->test);
    sluice_model_facts facts = {.features_seen = (uint64_t)p->features_seen};
    warn_dimension(w->dimension, &facts);
    for (size_t i = 0; i < w->n_findings && w->examples; i++) {
        const finding *f = &w->findings[i];
        if (!f->reached && sluice_search_can_reach(w->search, f->wanted))
            warning("%s: a sparsity of %.10g cannot be reached", f->of->learner->name, f->wanted);
    }
    return DONE;
}

static int print_results(const sweeping *w) {
    report r = report_start(args_has(w->a, "json"));
    if (r.is_brief) {
        report_count(&r, "examples", w->examples);
        if (w->test) report_count(&r, "test_examples", w->test_examples);
        if (w->skipped.total + w->test_skipped.total)
            report_count(&r, "skipped", w->skipped.total + w->test_skipped.total);
        report_sweep(&r, w);
        return report_end(&r);
    }
    report_search_settings(&r, w->a, sluice_search_point(w->search, 0), w->format);
    report_count(&r, "passes", w->passes);
    report_count(&r, "repeats", w->repeats);
    report_count(&r, "examples", w->examples);
    if (!w->settings.classes) report_count(&r, "positives", w->positives);
    report_classes(&r, sweep_classes(w));
    report_skipped(&r, &w->skipped);
    if (w->test) {
        report_text(&r, "test_file", w->test);
        report_count(&r, "test_examples", w->test_examples);
        report_count(&r, "test_skipped", w->test_skipped.total);
    }
    report_figure(&r, "seconds", w->seconds);
    report_sweep(&r, w);
    return report_end(&r);
}

static void sweeping_free(sweeping *w) {
    curves_free(w);
    sluice_search_free(w->search);
    sluice_model_free(w->stream_classes);
    sluice_batch_free(w->test_rows);
    sluice_dataset_free(w->data);
    costs_free(&w->costs);
    free(w->findings);
    free(w->wanted);
}

static int run(const args *a) {
    double started = now_seconds();
    sweeping w = {.a = a,
                  .test = args_value(a, "test"),
                  .csv = args_value(a, "csv"),
                  .html = args_value(a, "html"),
                  .passes = 1,
                  .repeats = 1};
    int rc = check_usage(&w);
    if (!rc) rc = learn(&w);
    w.seconds = now_seconds() - started;
    if (!rc) rc = warn(&w);
    if (!rc) rc = print_results(&w);
    if (!rc && w.csv) rc = write_csv(&w);
    if (!rc && w.html) rc = write_page(&w);
    sweeping_free(&w);
    return rc;
}

const command sweep_command = {
    .name = "sweep",
    .summary = "error against sparsity: many models in one pass",
    .synopsis =
        "[-a LEARNER,...] [--lambda VALUES] [--sparsity S,...] [--repeats N] [--test FILE] [--html FILE] [INPUT...]",
    .notes = "Every learner is trained with many values of the parameter that makes it sparse: features, B, l1 or "
             "lambda, the first of these that it has. The inputs are read once for all of them, and each model is the "
             "one that `sluice train` makes.\n"
             "VALUES are separated by commas: numbers (0,0.1,1), powers (10^-4..10^1: all between) or a range with the "
             "number of values, at equal ratios (0.01..100:9). The default is 16 values from a thousandth of the "
             "default to a thousand times it; of features up to the default, of B up to 1.\n"
             "--repeats, --shuffle and --sparsity hold all examples in memory, 12 bytes for every value. The test file "
             "is held in any case. Without --shuffle the first run has the order of the inputs and the others are "
             "shuffled by --seed and the numbers that follow. --threads is also the number of threads that learn; "
             "results do not depend on it.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = print_learners_help,
    .param_at = learner_param_at,
};
