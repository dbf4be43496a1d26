/* sluice select: chooses features for several budgets and measures each choice. */
#include "commands.h"
#include "measure/measure.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/paths.h"
#include "output/progress.h"
#include "args/model_args.h"
#include "select/select_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SELECT_LEARNER "sbcw"   /* the one to choose with when the user names none */
#define BUDGET_PARAM "features" /* a learner that has it keeps to the budget itself */
#define MAX_BUDGET 4000000000u
enum { EVERY = 5 }; /* where --holdout is not given */
enum { TOP = 20, TOP_BRIEF = 5 };

static const option_info options[] = {
    {"features", 0, "N,N,...", "the budgets: choose at most N features", 0},
    LEARNER_OPTIONS,
    EXAMPLE_OPTIONS,
    CLASS_OPTIONS,
    COST_OPTIONS,
    TEXT_OPTIONS,
    {"passes", 0, "N", "go over the examples N times (default 1)", 0},
    {"test", 0, "FILE", "measure every budget's model on this file (default: on held-out examples)", 0},
    {"holdout", 0, "N|S", "do not learn this part, but measure on it: " HOLD_OUT_FORMS " (default 5)", 0},
    {"top", 0, "N", "how many features of the largest budget to list; 0: all (default 5, with -v 20)", 0},
    {"output", 'o', "FILE", "write the features of all budgets here as tab-separated text", 0},
    {"report", 0, "FILE", "write a page with the error of every budget and the features to this HTML file", 0},
    INPUT_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = "test", .role = READS_DATA},
    {.option = "output", .role = WRITES, .what = "list"},
    {.option = "report", .role = WRITES, .what = "report"},
    {.option = NULL},
};

typedef struct selecting {
    const args *a;
    sluice_reader_options reading;
    const char *output, *test;
    hold_out holding;
    uint64_t top, passes;
    recipe recipe;
    uint64_t *budgets;
    size_t n_budgets;
    costs costs;
    sluice_dataset *data; /* only the names, once the rows are in batches */
    sluice_batch *learned, *tested;
    sluice_selection *selection;
    skip_tally skipped, test_skipped;
    double seconds;
} selecting;

static int read_budgets(selecting *t) {
    const char *text = args_value(t->a, "features");
    if (!text) return wrong_usage(t->a->command->name, "how many features? give budgets, such as --features 10,20,50");
    t->budgets = calloc(strlen(text) + 1, sizeof *t->budgets);
    if (!t->budgets) return out_of_memory();
    for (const char *at = text;; at++) {
        char number[24] = "";
        size_t length = strcspn(at, ",");
        if (length < sizeof number) memcpy(number, at, length);
        if (!parse_count(number, 1, MAX_BUDGET, &t->budgets[t->n_budgets++]))
            return wrong_usage(t->a->command->name, "--features %s: '%.*s' is not a whole number from 1 to %u", text,
                               (int)length, at, MAX_BUDGET);
        if (!*(at += length)) return DONE;
    }
}

/* A model with one of the budgets, where the learner has them as a parameter. */
static sluice_model *budget_model(const selecting *t, uint64_t budget, sluice_error *err) {
    char param[sizeof BUDGET_PARAM + 24];
    snprintf(param, sizeof param, BUDGET_PARAM "=%" PRIu64, budget);
    return recipe_model(&t->recipe, sluice_learner_param(t->recipe.learner, BUDGET_PARAM) ? param : NULL, err);
}

static int check_params(const selecting *t) {
    const recipe *r = &t->recipe;
    for (size_t i = 0; i < r->n_params && sluice_learner_param(r->learner, BUDGET_PARAM); i++)
        if (strncmp(r->params[i], BUDGET_PARAM "=", sizeof BUDGET_PARAM) == 0)
            return wrong_usage(t->a->command->name, "-P %s: --features sets this parameter, once for every budget",
                               r->params[i]);
    sluice_error err = {0};
    uint64_t largest = 0;
    for (size_t i = 0; i < t->n_budgets; i++)
        if (t->budgets[i] > largest) largest = t->budgets[i];
    sluice_model *model = budget_model(t, largest, &err);
    sluice_model_free(model);
    return model ? DONE : complain_error(&err);
}

/* What can be seen to be wrong before any work. */
static int check_usage(selecting *t) {
    const args *a = t->a;
    int rc = read_budgets(t);
    if (!rc) rc = input_options(a, &t->reading);
    if (!rc) rc = text_options(a, &t->reading);
    if (!rc) rc = costs_from_args(a, NULL, &t->costs);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = hold_out_option(a, "holdout", &t->holding);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &t->top);
    if (!rc && t->test && args_has(a, "holdout"))
        rc =
            wrong_usage(a->command->name, "--holdout: with --test the models are measured on that file; give only one");
    if (!rc) note_learned_too(a, "--test", t->test);
    if (!rc) rc = recipe_from_args(a, SELECT_LEARNER, &t->recipe);
    if (!rc && strcmp(t->recipe.learner->name, "auto") == 0)
        rc = wrong_usage(a->command->name, "-a auto: it chooses its learner itself; name one to select features with");
    if (!rc) rc = check_params(t);
    if (!rc) rc = check_files_usable(a);
    return rc;
}

/* The rows that are held out, and the others. */
static int hold_out_rows_of(selecting *t, size_t rows) {
    sluice_error err = {0};
    t->learned = sluice_batch_new(&err);
    if (t->learned) t->tested = sluice_batch_new(&err);
    if (!t->tested) return complain_error(&err);
    hold_out_rows(&t->holding, rows);
    for (size_t i = 0, n; i < rows; i += n) {
        int held;
        n = hold_out_run(&t->holding, i, rows - i, &held);
        for (size_t k = i; k < i + n; k++) {
            sluice_example x;
            sluice_dataset_row(t->data, k, &x);
            if (x.weight != 0 && sluice_batch_add(held ? t->tested : t->learned, &x, &err) != SLUICE_OK)
                return complain_error(&err);
        }
    }
    return DONE;
}

/* A batch of the rows to learn from, which are the first `rows`, and one of those to measure on. */
static int divide_rows(selecting *t, size_t rows) {
    sluice_error err = {0};
    int rc = DONE;
    if (t->test) {
        t->learned = sluice_dataset_batch(t->data, 0, rows, &err);
        if (t->learned) t->tested = sluice_dataset_batch(t->data, rows, SIZE_MAX, &err);
    } else if (t->holding.kind == HOLD_OUT_EVERY) {
        sluice_dataset_hold_out(t->data, (size_t)t->holding.every, &t->learned, &t->tested, &err);
    } else {
        rc = hold_out_rows_of(t, rows);
    }
    sluice_dataset_forget_rows(t->data);
    return rc || t->tested ? rc : complain_error(&err);
}

/* Reads everything once; the test file's rows follow the others, so that names mean the same in both. */
static int read_rows(selecting *t) {
    const args *a = t->a;
    const char *format;
    sluice_error err = {0};
    note_stdin(a);
    t->data = sluice_dataset_new(&err);
    if (!t->data || sluice_dataset_use_classes(t->data, &t->recipe.settings, &err) != SLUICE_OK)
        return complain_error(&err);
    t->reading.words = 1;
    int rc = hold_with_costs(t->data, a, &t->reading, &t->costs, "input", &t->skipped, &format);
    size_t rows = sluice_dataset_rows(t->data);
    if (!rc && t->test) sluice_dataset_begin_test(t->data);
    if (!rc && t->test) rc = hold_inputs(t->data, &t->test, 1, &t->reading, t->test, &t->test_skipped, &format);
    return rc ? rc : divide_rows(t, rows);
}

static int check_labels(const selecting *t, const sluice_batch *rows, const char *what) {
    const sluice_model *classes = sluice_dataset_classes(t->data);
    size_t n = sluice_batch_rows(rows);
    double *signs = malloc((n + 1) * sizeof *signs);
    sluice_error err = {0};
    uint64_t positives = 0;
    if (!signs) return out_of_memory();
    if (t->recipe.settings.classes) return free(signs), warn_one_label(classes, n, 0, what), DONE;
    sluice_status status = sluice_model_signs(classes, rows, 0, n, signs, &err);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) positives += signs[i] > 0;
    free(signs);
    if (status != SLUICE_OK) return complain_error(&err);
    warn_one_label(classes, n, positives, what);
    return DONE;
}

static int show_models(void *context, uint64_t done, uint64_t total) {
    progress_units(context, done, total, "models");
    return 0;
}

static int select_features(selecting *t) {
    progress live = progress_start(1, 0);
    sluice_error err = {0};
    sluice_select_options how = {.size = sizeof how,
                                 .learner = t->recipe.learner->name,
                                 .params = t->recipe.params,
                                 .n_params = t->recipe.n_params,
                                 .settings = &t->recipe.settings,
                                 .budgets = t->budgets,
                                 .n_budgets = t->n_budgets,
                                 .names = sluice_dataset_names(t->data),
                                 .classes = sluice_dataset_classes(t->data),
                                 .threads = t->a->threads,
                                 .passes = t->passes,
                                 .progress = show_models,
                                 .context = &live};
    t->selection = sluice_select(t->learned, t->tested, &how, &err);
    progress_clear(&live);
    return t->selection ? DONE : complain_error(&err);
}

/* What the test examples are. */
static void report_test(report *r, const selecting *t) {
    report_count(r, "test_examples", sluice_batch_rows(t->tested));
    if (!t->test) {
        if (t->holding.kind == HOLD_OUT_EVERY)
            report_count(r, "held_out_every", t->holding.every);
        else
            report_text(r, "held_out", args_value(t->a, "holdout"));
        return;
    }
    report_text(r, "test_file", t->test);
    report_count(r, "test_skipped", t->test_skipped.total);
}

static int print_results(const selecting *t) {
    sluice_error err = {0};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model *model = budget_model(t, t->budgets[0], &err);
    if (!model) return complain_error(&err);
    int rc = remember_text_options(t->a, model);
    if (rc) return sluice_model_free(model), rc;
    sluice_model_describe(model, &facts);
    report r = report_start(args_has(t->a, "json"));
    if (r.is_brief) {
        report_text(&r, "learner", facts.learner->name);
        report_count(&r, "examples", sluice_batch_rows(t->learned));
        report_count(&r, "test_examples", sluice_batch_rows(t->tested));
        if (t->skipped.total + t->test_skipped.total)
            report_count(&r, "skipped", t->skipped.total + t->test_skipped.total);
        report_selection(&r, t->selection, (size_t)(args_has(t->a, "top") ? t->top : TOP_BRIEF));
        sluice_model_free(model);
        return report_end(&r);
    }
    report_text(&r, "learner", facts.learner->name);
    report_params_but(&r, model, &facts, BUDGET_PARAM);
    report_settings(&r, model);
    report_count(&r, "examples", sluice_batch_rows(t->learned));
    report_classes(&r, sluice_dataset_classes(t->data));
    report_count(&r, "passes", t->passes);
    report_test(&r, t);
    report_skipped(&r, &t->skipped);
    report_figure(&r, "seconds", t->seconds);
    report_selection(&r, t->selection, (size_t)t->top);
    sluice_model_free(model);
    return report_end(&r);
}

static int write_report(const selecting *t) {
    const char *path = args_value(t->a, "report");
    const select_facts facts = {.a = t->a,
                                .selection = t->selection,
                                .learner = t->recipe.learner->name,
                                .test = t->test,
                                .examples = sluice_batch_rows(t->learned),
                                .test_examples = sluice_batch_rows(t->tested),
                                .passes = t->passes,
                                .top = t->top,
                                .skipped = t->skipped.total};
    return path ? write_select_page(path, &facts) : DONE;
}

static void selecting_free(selecting *t) {
    sluice_selection_free(t->selection);
    sluice_batch_free(t->learned);
    sluice_batch_free(t->tested);
    sluice_dataset_free(t->data);
    recipe_free(&t->recipe);
    costs_free(&t->costs);
    free(t->budgets);
}

static int run(const args *a) {
    double started = now_seconds();
    selecting t = {.a = a, .output = args_value(a, "output"), .test = args_value(a, "test")};
    t.holding = (hold_out){.kind = HOLD_OUT_EVERY, .every = EVERY};
    t.top = TOP;
    t.passes = 1;
    int rc = check_usage(&t);
    if (!rc) rc = read_rows(&t);
    if (!rc) note_positive(sluice_dataset_classes(t.data));
    if (!rc) rc = check_labels(&t, t.learned, "input");
    if (!rc) rc = check_labels(&t, t.tested, t.test ? t.test : "held-out examples");
    if (!rc) rc = select_features(&t);
    t.seconds = now_seconds() - started;
    if (!rc) rc = print_results(&t);
    if (!rc && t.output) rc = write_selection(t.selection, t.output);
    if (!rc) rc = write_report(&t);
    selecting_free(&t);
    return rc;
}

static void more_help(const args *a) { print_learner_help(args_value(a, "learner"), SELECT_LEARNER); }

const command select_command = {
    .name = "select",
    .summary = "choose the features that matter, for several budgets, with the error of each",
    .synopsis = "--features N,N,... [-a LEARNER] [-P NAME=VALUE]... [--test FILE | --holdout N|S] [-o FILE] [--report "
                "FILE] [INPUT...]",
    .notes = "A learner with the parameter `features` keeps to the budget itself: `train -P features=N` makes the same "
             "model. With any other learner one model of all features ranks them by |weight|, and for each budget a "
             "second one learns from the best alone; its error is the one reported.\n"
             "A feature's score is its |weight| in the model that chose it, its weight that in the model measured; `in "
             "from` is the budget from which on all budgets choose it. Fewer features than the budget are chosen where "
             "no more have a weight. The bias is not one of them, but takes a place with a learner that keeps to the "
             "budget itself.\n"
             "All examples are held in memory: up to 20 bytes for every value. Budgets are worked on in parallel "
             "(--threads).",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
    .param_at = learner_param_at,
};
