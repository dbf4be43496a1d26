/* sluice test: measures a model on labelled data. */
#include "commands.h"
#include "measure/measure.h"
#include "measure/summary.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "output/progress.h"
#include "output/report.h"
#include "args/input_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const option_info options[] = {
    {"model", 'm', "MODEL", "the model to measure", 0},
    {"class", 0, "W", "several classes: --at is for the margin of this one, against all others", 0},
    {"at", 0, "GOAL", "choose a threshold and show what it gives: " GOALS_TEXT "; may be repeated", 1},
    MEASURE_OPTIONS,
    INPUT_OPTIONS,
    KAFKA_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    {.option = "model", .role = READS_MODEL},
    {.option = NULL},
};

/* One object; where there are several goals all of them are in a list, too. */
static void report_thresholds(report *r, const sluice_model *model, const measured *m) {
    if (!m->n_goals) return;
    for (size_t i = 0; i < (r->as_json ? 1 : m->n_goals); i++)
        report_chosen(r, "threshold", model, &m->goals[i], &m->chosen[i]);
    if (r->as_json && m->n_goals > 1) {
        json_open(&r->j, "thresholds", '[');
        for (size_t i = 0; i < m->n_goals; i++) report_chosen(r, NULL, model, &m->goals[i], &m->chosen[i]);
        json_close(&r->j, ']');
    }
    report_curve(r, model, m->shape.cuts, m->shape.n_cuts, m->positives);
}

static int print_results(const args *a, const sluice_model *model, const measured *result, double seconds) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    report r = report_start(args_has(a, "json"));
    if (r.is_brief) {
        const summary_column column = {NULL, &result->measures, &result->classes, &result->skipped, NAN};
        summarize_learner(&r, model, &facts);
        if (!is_of_many(model)) report_classes(&r, model);
        summarize_measures(&r, model, &column, 1);
        summarize_speed(&r, seconds, result->measures.examples);
        report_thresholds(&r, model, result);
        return report_end(&r);
    }
    report_text(&r, "learner", facts.learner->name);
    report_params(&r, model, &facts);
    if (sluice_model_classes(model) && !r.as_json) report_classes(&r, model);
    report_measured(&r, is_of_many(model), &result->measures);
    report_count(&r, "nonzeros", facts.nonzeros);
    report_speed(&r, seconds, result->measures.examples);
    report_skipped(&r, &result->skipped);
    report_thresholds(&r, model, result);
    report_class_figures(&r, model, &result->classes);
    return report_end(&r);
}

static void warn_thresholds(const measured *m) {
    for (size_t i = 0; i < m->n_goals; i++)
        if (isnan(m->chosen[i].margin))
            warning("--at %s: choosing a threshold needs examples of both classes", m->goals[i].text);
        else if (!m->chosen[i].reached)
            warning("--at %s: no threshold reaches it; the nearest gives %.6g", m->goals[i].text,
                    m->chosen[i].precision);
}

/* Reads the goals. *read has room for them and for what is chosen; free it. */
static int read_goals(const args *a, measured *m, void **read) {
    const char **texts = calloc(a->n_given + 1, sizeof *texts);
    threshold *goals = calloc(a->n_given + 1, sizeof *goals + sizeof(sluice_chosen));
    *read = goals;
    int rc = texts && goals ? DONE : out_of_memory();
    m->n_goals = rc ? 0 : args_values(a, "at", texts);
    m->goals = goals;
    m->chosen = rc ? NULL : (sluice_chosen *)(void *)(goals + a->n_given + 1);
    for (size_t i = 0; i < m->n_goals && !rc; i++) rc = read_goal(a, "at", texts[i], &goals[i]);
    m->needs_shape = m->n_goals && args_has(a, "json");
    free(texts);
    return rc;
}

/* Which of several classes the goals are for. */
static int check_class(const args *a, const sluice_model *model, measured *m) {
    int rc = class_from_args(a, model, &m->goal_class);
    if (rc) return rc;
    if (args_has(a, "class") && !m->n_goals)
        return wrong_usage(a->command->name, "--class %s is the class that --at GOAL is for, and there is none",
                           args_value(a, "class"));
    if (m->n_goals && is_of_many(model) && !args_has(a, "class"))
        return wrong_usage(
            a->command->name,
            "--at is for two classes, and the model has several; --class W takes one against the others");
    return DONE;
}

/* What `test` was given. */
typedef struct testing {
    sluice_reader_options reading;
    reader_settings kept; /* `reading` points to it */
    sluice_meter_options how;
    kafka_settings kafka;
    sluice_model *model;
    measured result;
    void *room; /* of the goals */
} testing;

static int prepare(const args *a, testing *t) {
    const char *path = args_value(a, "model");
    if (!path) return wrong_usage(a->command->name, "which model? give it with -m MODEL");
    int rc = input_options(a, &t->reading);
    if (!rc) rc = kafka_options(a, &t->reading, &t->kafka);
    if (!rc && t->kafka.brokers && !t->kafka.until_end)
        rc = wrong_usage(a->command->name, "--kafka needs --until-end: there is no result before the end");
    if (!rc) rc = measure_options(a, &t->how);
    if (!rc) rc = read_goals(a, &t->result, &t->room);
    if (!rc) rc = model_to_use(a, path, &t->model, NULL);
    if (!rc) rc = check_class(a, t->model, &t->result);
    if (rc) return rc;
    t->reading.words = 1;
    return input_for_model(&t->reading, t->model, &t->kept);
}

static int measure_and_print(const args *a, testing *t) {
    progress p = progress_start(1, 0);
    if (!t->kafka.brokers) note_stdin(a);
    const inputs from = inputs_of(a, &t->kafka);
    int rc = measure_inputs(t->model, &from, &t->reading, &t->how, &p, &t->result);
    double seconds = now_seconds() - p.started;
    if (rc) return rc;
    warn_measured(t->model, &t->result, "input");
    warn_thresholds(&t->result);
    return print_results(a, t->model, &t->result, seconds);
}

static int run(const args *a) {
    testing t = {0};
    int rc = prepare(a, &t);
    if (!rc) rc = measure_and_print(a, &t);
    class_figures_free(&t.result.classes);
    sluice_model_free(t.model);
    kafka_settings_free(&t.kafka);
    free(t.room);
    return rc;
}

const command test_command = {
    .name = "test",
    .summary = "measure a model on labelled examples; learns nothing",
    .synopsis = "-m MODEL [--at GOAL]... [--class W] [INPUT... | --kafka BROKERS --topic T --until-end]",
    .notes =
        "The AUC is exact: it keeps 8 bytes for every example.\n"
        "Counts and rates are those of the model's threshold (train --threshold), where it has one. --at chooses "
        "another, measured on the inputs themselves: with the highest recall that keeps to a precision or to a "
        "share of alarms (examples predicted positive), the highest precision that keeps to a recall, the least "
        "cost, the largest F1. With --json it adds the curve of precision against recall.\n"
        "Of several classes (train --classes) it gives precision, recall and F1 of each class, their averages, "
        "which classes were taken for which, and how often the class was among the best answers. Labels that the "
        "model does not know count as mistakes. With --class W, --at chooses a threshold for the margin of that class, "
        "above which an example would be W and not another class.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
};
