/* sluice train: learns from a stream, reports, saves. */
#include "commands.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "args/paths.h"
#include "run/signals.h"
#include "train/training.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const option_info options[] = {
    MODEL_OPTIONS,
    {"output", 'o', "MODEL", "save the model here when the run has succeeded, or is ended by a signal", 0},
    CHECKPOINT_OPTIONS,
    {"final", 0, NULL, "save a small predict-only model of the nonzero weights (needs -o)", 0},
    MIN_COUNT_OPTION,
    {"allow-empty", 0, NULL, "succeed, and save the model, even if there was no example to learn (-i implies it)", 0},
    {"test", 0, "FILE", "measure the model on this file afterwards", 0},
    {"holdout", 0, "S|FILE",
     "do not learn this part of the inputs, but measure on it afterwards: " HOLD_OUT_FORMS
     "; or measure on this file, too. --threshold is then chosen there",
     0},
    CALIBRATE_OPTIONS,
    {"threshold", 0, "GOAL",
     "afterwards choose a threshold on the hold-out, or the file of --calibrate or --test, and save it in the "
     "model: " GOALS_TEXT "; or give it: a probability, or margin=M",
     0},
    PSEUDO_OPTIONS,
    {"passes", 0, "N", "go over the inputs N times (default 1); the error while learning is that of the first pass", 0},
    {"progress", 0, "N|Ns",
     "rows of the progress table every N examples, or every N seconds as in 60s, with the fading error (default: rows "
     "that double)",
     0},
    {"top", 0, "N", "show the N heaviest features with the results (default 0)", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"report", 0, "FILE", "write a page about the run to this HTML file: figures, curves, heaviest features", 0},
    TRACE_OPTIONS,
    DRIFT_OPTIONS,
    MEASURE_OPTIONS,
    COST_OPTIONS,
    INPUT_OPTIONS,
    KAFKA_OPTIONS,
    KAFKA_LEARN_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = "resume", .role = READS_MODEL},
    {.option = "test", .role = READS_DATA},
    {.option = "holdout", .role = READS_DATA, .is_other = is_hold_out},
    {.option = "calibrate", .role = READS_DATA},
    {.option = "output", .role = WRITES, .what = "model", .may_replace = "resume"},
    {.option = "trace", .role = WRITES, .what = "trace", .opened_at_once = 1},
    {.option = "report", .role = WRITES, .what = "report"},
    {.option = NULL},
};

/* What can be seen to be wrong before any work. */
static int check_usage(training *t) {
    const args *a = t->a;
    int rc = input_options(a, &t->reading);
    if (!rc) rc = kafka_options(a, &t->reading, &t->kafka);
    if (!rc) rc = measure_options(a, &t->how);
    if (!rc) rc = checkpoint_options(a, &t->checkpoint);
    if (!rc) rc = trace_options(a, &t->trace);
    if (!rc) rc = drift_options(a, &t->drift);
    if (!rc) rc = calibrate_options(a, &t->calibrating);
    if (!rc) rc = hold_out_usage(t);
    if (!rc) rc = threshold_options(a, &t->calibrating, &t->holding, t->holdout, t->test, &t->thresholding);
    if (!rc) rc = pseudo_options(a, &t->pseudo);
    if (!rc) rc = feature_counts_options(a, &t->counts);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &t->dimension);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &t->top);
    if (!rc) rc = args_interval(a, "progress", &t->row_examples, &t->row_seconds);
    if (rc) return rc;
    if (args_has(a, "final") && !t->checkpoint.path)
        return wrong_usage(a->command->name, "--final needs -o MODEL: there is nothing to write it to");
    if (t->passes > 1 && (t->kafka.brokers || reads_once(a->inputs, a->n_inputs)))
        return wrong_usage(a->command->name,
                           "--passes %" PRIu64 ": standard input, pipes and topics are read only once", t->passes);
    t->checkpoint.has_positions = t->kafka.brokers != NULL;
    t->checkpoint.resumed = args_has(a, "resume");
    t->checkpoint.passes = t->passes;
    if (t->kafka.brokers && args_has(a, "skip"))
        return wrong_usage(a->command->name, "--skip is for files: the model keeps its positions in Kafka's topics");
    return DONE;
}

/* Whether the model has a batch that the end of the run would have finished: a signal ended the run before. */
static int has_open_batch(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    for (size_t i = 0; facts.waiting && i < facts.learner->n_params; i++)
        if (strcmp(facts.learner->params[i].name, "batch") == 0) return sluice_model_param(model, i) == 0;
    return 0;
}

/* Learners that take the whole run as one batch learn it now; a batch of fixed size may be left unfinished. */
static int learn_last_batch(training *t) {
    uint64_t waiting = sluice_model_waiting(t->model);
    if (waiting) tell_progress("learning a batch of %" PRIu64 " examples", waiting);
    if (sluice_model_end_run(t->model) != SLUICE_OK) return complain_error(sluice_model_error(t->model));
    t->blind = waiting && waiting == model_examples(t->model);
    if (t->blind) note("all examples were predicted before the first batch was learned; --test measures the model");
    return DONE;
}

/* A run that was ended on its way leaves its batch open: it may go on. */
static int end_run(training *t) {
    int rc = is_ended(t) ? DONE : learn_last_batch(t);
    if (rc) return rc;
    t->result = t->model;
    t->waiting = sluice_model_waiting(t->model);
    if (!t->waiting || has_open_batch(t->model)) return DONE;
    sluice_error err = {0};
    t->result = sluice_model_finished(t->model, &err);
    if (t->result) return DONE;
    if (!is_ended(t)) return complain_error(&err);
    t->result = t->model; /* the figures are those of the last finished batch */
    return DONE;
}

/* After a signal what was learned is saved first: standard output and error may be gone, and time may be short. */
static int save_interrupted(training *t) {
    if (t->interrupted) return DONE;
    t->interrupted = stop_signal();
    int worth_it = learned_now(t) || args_has(t->a, "resume");
    int rc = prepare_save(t);
    if (rc || !worth_it || !t->checkpoint.file) return rc;
    rc = checkpoint_save(&t->checkpoint, t->model);
    if (!rc && t->stream.kafka) kafka_saved(t->stream.kafka);
    return rc;
}

/* An empty input is most often a producer that failed: its result must not replace a good model. */
static int check_learned(const training *t) {
    if (stop_signal() || learned_now(t)) return DONE;
    if (args_has(t->a, "resume") || args_has(t->a, "allow-empty")) return DONE;
    complain("no example was learned%s; --allow-empty takes that for success",
             t->checkpoint.path ? ", and no model is saved" : "");
    return FAILED;
}

static int learn(training *t) {
    const args *a = t->a;
    if (!t->checkpoint.path) note("the model will not be saved; -o MODEL saves it");
    if (!t->kafka.brokers) note_stdin(a);
    progress p = progress_start(t->passes, t->dimension);
    p.drift = t->drift.drift;
    progress_every(&p, t->row_examples, t->row_seconds);
    t->values = scale_note_start(a, t->model);
    idf_note(a);
    int rc = DONE, fitted = is_fitted(t->model), had_threshold = sluice_model_threshold(t->model, NULL);
    for (p.pass = 0; p.pass < t->passes && !rc && !is_ended(t); p.pass++) rc = learn_pass(t, &p);
    if (rc) checkpoint_tell(&t->checkpoint, reads_once(a->inputs, a->n_inputs));
    if (!rc && is_ended(t)) rc = save_interrupted(t);
    if (!rc && !is_ended(t) && t->checkpoint.rows < t->checkpoint.skip)
        warning("--skip %" PRIu64 ": the inputs have only %" PRIu64 " examples", t->checkpoint.skip,
                t->checkpoint.rows);
    if (!rc) rc = check_learned(t);
    if (!rc) rc = end_run(t);
    t->seconds = now_seconds() - p.started;
    t->measures = (sluice_measures){.size = sizeof t->measures};
    sluice_meter_read(t->meter, &t->measures);
    if (!rc) rc = class_figures_of(t->model, t->meter, &t->classes);
    if (!rc) progress_finish(&p, t->result, t->meter);
    if (!rc) {
        t->facts = (sluice_model_facts){.size = sizeof t->facts};
        sluice_model_describe(t->result, &t->facts);
        history_end(&t->history, t->model, &t->facts, t->meter);
    }
    int traced = trace_end(&t->trace, t->result ? t->result : t->model, t->meter, &t->drift);
    if (!rc && !t->interrupted) rc = traced;
    warn_skipped(&t->skipped, "input");
    if (!rc && !is_ended(t)) costs_warn(&t->costs);
    if (!rc)
        scale_note_end(t->values);
    else
        scale_note_free(t->values);
    t->values = NULL;
    if (!rc && (t->measures.examples || !learned_now(t))) warn_one_class_of(t->model, &t->measures, "input");
    if (!rc) label_order_note(&t->order, &t->measures, &t->classes);
    if (!rc && !t->blind)
        majority_note(t->a, t->model, &t->measures, &t->classes, drift_figures(&t->drift).fading_error);
    if (!rc && !is_ended(t)) pseudo_note(&t->pseudo, t->model, t->skipped.unlabelled);
    if (!rc && fitted && !is_fitted(t->model) && !t->calibrating.path)
        note("the model has learned more, and what --calibrate had fitted is gone; give it again");
    if (!rc && had_threshold && !sluice_model_threshold(t->model, NULL) && t->thresholding.wish.kind == THRESHOLD_NONE)
        note("the model has learned more, and its threshold is gone; give --threshold again");
    return rc;
}

/* From here on the model that is measured and saved has no rare features. */
static int leave_out_rare(training *t) {
    sluice_error err = {0};
    if (!t->counts.least) return DONE;
    sluice_model *final = feature_counts_final(&t->counts, t->result, &err);
    if (!final) return complain_error(&err);
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(final, &facts);
    note("%" PRIu64 " of %" PRIu64 " features with a weight are left out: fewer than %" PRIu64 " examples had each",
         t->facts.nonzeros - facts.nonzeros, t->facts.nonzeros, t->counts.least);
    t->facts.nonzeros = facts.nonzeros;
    if (t->result != t->model) sluice_model_free(t->result);
    t->result = final;
    return DONE;
}

static int measure_on(training *t, const inputs *from, measured *result) {
    progress p = progress_start(1, 0);
    const sluice_reader_options reading = from->held ? learn_reading(t) : t->reading;
    int rc = measure_inputs(t->result, from, &reading, &t->how, &p, result);
    if (!rc) warn_measured(t->result, result, from->held ? "examples held out" : *from->paths);
    return rc;
}

static int measure(training *t) {
    const inputs held = hold_out_inputs(t), test = {&t->test, 1, NULL, NULL};
    int rc = has_hold_out(t) ? measure_on(t, &held, &t->held) : DONE;
    if (!rc && t->test && !stop_signal()) rc = measure_on(t, &test, &t->tested);
    return rc;
}

/* Chosen where the rows are read as they were for learning. */
static int choose_threshold(training *t) {
    const sluice_reader_options reading = t->thresholding.held ? learn_reading(t) : t->reading;
    return set_threshold(&t->thresholding, t->model, t->result, &reading, &t->how);
}

static int save(training *t) {
    sluice_error err = {0};
    sluice_model *final = NULL;
    int rc = prepare_save(t);
    if (rc || !t->checkpoint.path) return rc;
    if (args_has(t->a, "final") && !(final = sluice_model_final(t->result, &err))) return complain_error(&err);
    if (final) drift_forget(final);
    rc = checkpoint_save(&t->checkpoint, final ? final : t->model);
    sluice_model_free(final);
    if (!rc && t->stream.kafka) kafka_saved(t->stream.kafka);
    return rc;
}

static void say_interrupted(const training *t, uint64_t learned) {
    const char *name = signal_name(t->interrupted), *path = t->checkpoint.path;
    char advice[ADVICE_ROOM], drift[DRIFT_TEXT];
    if (!t->interrupted) name = drift_text(drift_alarm(&t->drift, drift_figures(&t->drift).alarms - 1), drift);
    if (!path)
        complain("%s: %" PRIu64 " examples were learned, and nothing is saved: there is no -o MODEL", name, learned);
    else if (!t->checkpoint.has_saved)
        complain("%s: no example was learned, and nothing is saved", name);
    else
        complain("%s: %" PRIu64 " examples were learned, and the model is saved as %s; to go on: %s", name, learned,
                 path,
                 checkpoint_advice(&t->checkpoint, reads_once(t->a->inputs, t->a->n_inputs), advice, sizeof advice));
}

/* After an alarm that ends the run, or a signal, which may have come while the model was tested: says what there is.
 * Testing and calibrating are left
 * out, and --final too: the model is to go on. */
static int stop(training *t) {
    int rc = t->drift.has_stopped ? DONE : save_interrupted(t);
    if (rc) return rc;
    t->test = t->holdout = t->calibrating.path = NULL;
    t->holding.kind = HOLD_OUT_NONE;
    say_interrupted(t, learned_now(t));
    print_results(t);
    write_train_page(t);
    return t->interrupted ? stop_status() : FAILED;
}

/* What several classes do not have. */
static int check_classes(const training *t) {
    const char *option = t->calibrating.path ? "calibrate" : args_has(t->a, "threshold") ? "threshold" : NULL;
    if (!option || !sluice_model_settings(t->model)->classes) return DONE;
    return wrong_usage(t->a->command->name, "--%s is for two classes, and the model has several", option);
}

static int make_meter(training *t) {
    sluice_error err = {0};
    sluice_meter_options how = t->how;
    sluice_meter_defaults(t->model, &how); /* it fails for a wrong size alone */
    how.drift = t->drift.drift;
    t->meter = sluice_meter_new(&how, &err);
    return t->meter ? DONE : complain_error(&err);
}

/* Updates as the run before reported them: with those of a batch that it left unfinished. */
static int count_before(training *t) {
    sluice_error err = {0};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(t->model, &facts);
    if (facts.waiting && !has_open_batch(t->model)) {
        sluice_model *finished = sluice_model_finished(t->model, &err);
        if (!finished) return complain_error(&err);
        sluice_model_describe(finished, &facts);
        sluice_model_free(finished);
    }
    t->updates_before = facts.updates;
    t->examples_before = facts.examples;
    t->knows_negative = facts.examples > facts.positives;
    return DONE;
}

static int run(const args *a) {
    training t = {.a = a, .test = args_value(a, "test"), .passes = 1};
    t.page = args_value(a, "report");
    t.history = history_start(t.page != NULL);
    int rc = check_usage(&t);
    measured *shown = t.test ? &t.tested : &t.held; /* what the page is about */
    shown->needs_shape = t.page != NULL;
    if (t.page && (t.test || t.holdout)) shown->worst = &t.worst; /* which are told by their lines */
    signals_stop_orderly();
    signals_ask_for_saves(t.checkpoint.seconds);
    if (!rc) rc = check_files_usable(a); /* what would otherwise fail only after learning */
    if (!rc) rc = checkpoint_open(&t.checkpoint);
    if (!rc) rc = model_from_args(a, &t.model);
    if (!rc) rc = check_classes(&t);
    if (!rc) rc = pseudo_start(a, &t.pseudo, t.model);
    if (!rc) rc = drift_start(a, &t.drift, t.model);
    if (!rc) rc = feature_counts_start(&t.counts, t.model);
    if (!rc) {
        note_learned_too(a, "--test", t.test);
        note_learned_too(a, "--holdout", t.holdout);
        calibrate_note(a, &t.calibrating, t.test);
        threshold_note(a, &t.thresholding, t.test);
    }
    if (!rc) rc = costs_from_args(a, t.model, &t.costs);
    if (!rc) rc = costs_remember(&t.costs, t.model);
    if (!rc) rc = make_meter(&t);
    if (!rc) rc = input_for_model(&t.reading, t.model, &t.kept);
    if (!rc) {
        t.reading.words = 1;
        t.knows_classes = sluice_model_classes(t.model) == 2;
        rc = trace_start(&t.trace);
    }
    if (!rc) rc = count_before(&t);
    if (!rc) rc = hold_out_start(&t);
    if (!rc) rc = learn(&t);
    int learned = !rc;
    if (!rc && !is_ended(&t)) rc = leave_out_rare(&t);
    if (!rc && !is_ended(&t)) rc = calibrate(&t.calibrating, t.model, t.result, &t.reading);
    if (!rc && !is_ended(&t)) rc = choose_threshold(&t);
    if (!rc && !is_ended(&t)) rc = measure(&t);
    if (learned && is_ended(&t)) {
        rc = stop(&t);
    } else {
        if (!rc) rc = print_results(&t);
        /* a run that fails writes no model and no page, so these come after the results are printed */
        if (!rc) rc = save(&t);
        if (!rc) rc = write_train_page(&t);
    }
    input_stream_close(&t.stream);
    kafka_settings_free(&t.kafka);
    costs_free(&t.costs);
    checkpoint_close(&t.checkpoint);
    feature_counts_free(&t.counts);
    sluice_meter_free(t.meter);
    sluice_batch_free(t.holding.kept);
    drift_free(&t.drift);
    class_figures_free(&t.classes);
    class_figures_free(&t.tested.classes);
    class_figures_free(&t.held.classes);
    if (t.result != t.model) sluice_model_free(t.result);
    sluice_model_free(t.model);
    return rc;
}

static void more_help(const args *a) { print_learner_help(args_value(a, "learner"), sluice_learner_default()); }

const command train_command = {
    .name = "train",
    .summary = "learn from a stream of labelled examples",
    .synopsis =
        "[-a LEARNER] [-P NAME=VALUE]... [-o MODEL] [-i MODEL] [--classes KIND] [--test FILE] [--holdout S|FILE] "
        "[--calibrate FILE] "
        "[--threshold GOAL] [--pseudo P] [--passes N] [--save-every N|Ns] [--skip N] [--on-drift WHAT] "
        "[INPUT... | --kafka BROKERS --topic T]",
    .notes =
        "The default learner is auto, which tunes and scales itself (docs/auto.md); before it was ssol. -a NAME is the "
        "plain rule on the values as they are. auto takes --bias, --transform, --scale and --normalize for all that it "
        "tries where they are given, and chooses otherwise.\n"
        "Every example is predicted first and then learned, so the error reported is that of unseen examples.\n"
        "A model saved with -o can go on learning later (-i), exactly as if it had never stopped;\n"
        "with a learner that takes a whole run as one batch (batch=0), each run is a batch.\n"
        "The trace grows as the run goes on; every other file appears when it is complete.\n"
        "A run that fails writes no model and leaves an existing one untouched, but for what --save-every saved "
        "before.\n"
        "SIGINT, SIGTERM and SIGHUP end a run after the example at hand: it saves the full model to -o and says how "
        "to go on (-i MODEL --skip N). A second signal stops it at once. SIGUSR1 saves now.\n"
        "While a run is under way no other may write its model.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
    .param_at = learner_param_at,
};
