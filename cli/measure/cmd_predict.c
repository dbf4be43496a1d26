/* sluice predict: one line for every line of the inputs: label, tab, margin, and with --proba another tab and the
 * probability; and what else is asked for (measure/answer.h). */
#include "commands.h"
#include "measure/thresholds.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "output/progress.h"
#include "run/signals.h"
#include "args/input_options.h"
#include "measure/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"model", 'm', "MODEL", "the model to predict with", 0},
    {"proba", 0, NULL,
     "add the probability of the positive class, or of several classes of the predicted one; the label still goes by "
     "the margin",
     0},
    {"threshold", 0, "P",
     "predict the positive class where its probability is above P, or its margin above M with margin=M; instead of the "
     "model's threshold",
     0},
    ANSWER_OPTIONS,
    INPUT_OPTIONS,
    KAFKA_OPTIONS,
    KAFKA_ANSWER_OPTIONS,
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    {.option = "model", .role = READS_MODEL},
    {.option = NULL},
};

typedef struct predicting {
    sluice_model *model; /* in its final form */
    kafka_settings kafka;
    input_stream stream;
    sluice_reader_options reading;
    reader_settings kept; /* `reading` points to it */
    int proba;
    answer_form form; /* what is asked for besides */
    char **label;     /* the classes as they are printed, by the order of first sight; of a plain model -1 and 1 */
    size_t *label_n;
    size_t labels;
    const char *first; /* the label of the first class in the model */
    /* several classes */
    int many;
    size_t classes, top;     /* how many there are, and how many to name */
    uint32_t *best;          /* of one row, */
    double *margins, *probs; /* as these */
} predicting;

enum { ANSWERS_ROOM = 1 << 15 }; /* bytes that are written at once */

/* Answers on their way to standard output or, whole batches of them, to the topic of --to. */
typedef struct answers {
    text_buffer text;
    text_buffer last; /* the answer to the last margin: rows without known features have the same one */
    double margin;
} answers;

static void answers_end(answers *out) {
    text_free(&out->text);
    text_free(&out->last);
}

/* What the labels look like. */
static int take_labels(predicting *p) {
    static const sluice_name plain[] = {{"-1", 2}, {"1", 1}};
    const size_t n = sluice_model_classes(p->model);
    p->labels = p->many ? n : 2;
    p->label = calloc(p->labels + 1, sizeof *p->label);
    p->label_n = calloc(p->labels + 1, sizeof *p->label_n);
    if (!p->label || !p->label_n) return out_of_memory();
    for (size_t i = 0; i < p->labels; i++) {
        sluice_class c = {.size = sizeof c, .text = plain[i & 1]}; /* of a plain model */
        if (n && sluice_model_class(p->model, i < n ? i : 0, &c) != SLUICE_OK) return FAILED;
        p->label[i] = result_label(c.text);
        if (!p->label[i]) return out_of_memory();
        p->label_n[i] = strlen(p->label[i]);
        if (n && i == 0) p->first = c.text.text;
    }
    p->form.label = p->label;
    p->form.label_n = p->label_n;
    return DONE;
}

/* Room for the answer to a row of several classes. */
static int prepare_classes(predicting *p, const answer_form *form) {
    p->classes = sluice_model_classes(p->model);
    p->top = form->top_classes ? (size_t)form->top_classes : 1;
    if (p->top > p->classes) p->top = p->classes ? p->classes : 1;
    p->best = malloc(p->top * sizeof *p->best);
    p->margins = malloc((p->classes + 1) * sizeof *p->margins);
    p->probs = p->proba ? malloc((p->classes + 1) * sizeof *p->probs) : NULL;
    return p->best && p->margins && (p->probs || !p->proba) ? DONE : out_of_memory();
}

/* Writes what there is, where it is much or `all`. */
static int write_answers(const predicting *p, answers *out, int all) {
    if (out->text.failed) return out_of_memory();
    if (p->kafka.to || (!all && out->text.n < ANSWERS_ROOM)) return DONE;
    if (out->text.n) fwrite(out->text.text, 1, out->text.n, stdout);
    text_clear(&out->text);
    return DONE;
}

/* The plain answer to a row. */
static void answer(predicting *p, answers *out, double margin) {
    if (!out->last.n || memcmp(&margin, &out->margin, sizeof margin) != 0) {
        answered is = {.margin = margin, .label = answered_label(p->model, p->first, margin)};
        if (p->proba) is.probability = sluice_model_probability(p->model, margin);
        text_clear(&out->last);
        p->form.out = &out->last;
        answer_fields(&p->form, &is);
        p->form.out = &out->text;
        text_char(&out->last, '\n');
        out->margin = margin;
        out->text.failed |= out->last.failed;
    }
    text_add(&out->text, out->last.text, out->last.n);
}

/* The answers to a batch of a model of several classes. */
static int answer_many(predicting *p, answers *out, const sluice_batch *batch, uint64_t *all, int *known) {
    size_t input;
    uint64_t offset;
    int rc = DONE;
    sluice_error err = {0};
    sluice_class_answers said = {.size = sizeof said, .top = p->top, .best = p->best, .margins = p->margins};
    said.probabilities = p->probs;
    sluice_reader_position(p->stream.reader, &input, &offset);
    for (size_t i = 0; i < sluice_batch_rows(batch) && !rc; i++) {
        if (sluice_model_classify(p->model, batch, i, 1, &said, &err) != SLUICE_OK) return complain_error(&err);
        const uint32_t c = p->best[0];
        answered is = {.classes = p->top, .best = p->best, .margins = p->margins, .probabilities = p->probs};
        is.margin = c == SLUICE_NO_CLASS ? NAN : p->margins[c];
        is.probability = p->proba && c != SLUICE_NO_CLASS ? p->probs[c] : NAN;
        *known |= any_margin(p->margins, p->classes, 0);
        *all += !sluice_batch_left_out(batch, i);
        if (answer_row(&p->form, batch, i, &is, input, &err) != SLUICE_OK) return complain_error(&err);
        rc = write_answers(p, out, 0);
    }
    return rc;
}

/* The answers to a batch, each with what else is asked for; *all counts those that are not empty. */
static int answer_batch(predicting *p, answers *out, const sluice_batch *batch, const double *margins, uint64_t *all) {
    const int plain = answer_is_plain(&p->form);
    size_t input;
    uint64_t offset;
    int rc = DONE;
    sluice_error err = {0};
    sluice_reader_position(p->stream.reader, &input, &offset);
    for (size_t i = 0; i < sluice_batch_rows(batch) && !rc; i++) {
        const int left_out = sluice_batch_left_out(batch, i);
        *all += !left_out;
        if (plain && !left_out) {
            answer(p, out, margins[i]);
        } else {
            answered is = {.margin = margins[i], .label = answered_label(p->model, p->first, margins[i])};
            if (p->proba) is.probability = sluice_model_probability(p->model, margins[i]);
            if (answer_row(&p->form, batch, i, &is, input, &err) != SLUICE_OK) return complain_error(&err);
        }
        rc = write_answers(p, out, 0);
    }
    return rc;
}

/* Hands the answers to a batch on, unless something went wrong before. */
static int end_answers(predicting *p, answers *out, size_t rows, int rc) {
    const int written = write_answers(p, out, 1);
    if (!p->kafka.to) {
        const int flushed = rc ? rc : flush_results(stdout, "standard output");
        return written ? written : flushed;
    }
    if (!rc) rc = written;
    if (!rc && rows) rc = kafka_answer(p->stream.kafka, out->text.text, out->text.n, rows);
    text_clear(&out->text);
    return rc;
}

/* Flushes after every batch, so that a program that reads the output through a pipe gets it without delay. A signal
 * ends it behind a line. */
static int predict_batches(predicting *p) {
    progress live = progress_start(1, 0);
    double *margins = NULL;
    size_t room = 0;
    const sluice_batch *batch;
    sluice_status s;
    int known = 0;
    const double empty = empty_margin(p->model);
    answers out = {0};
    int rc = DONE;
    uint64_t all = 0;
    p->form.out = &out.text;
    signals_stop_orderly();
    signals_interrupt(p->stream.reader);
    while (!rc && (s = sluice_reader_next(p->stream.reader, &batch)) == SLUICE_OK) {
        size_t rows = sluice_batch_rows(batch);
        if ((rc = reserve_margins(&margins, &room, rows))) break;
        sluice_error err = {0};
        if (p->many) {
            rc = answer_many(p, &out, batch, &all, &known);
        } else if (sluice_model_margins(p->model, batch, margins, &err) != SLUICE_OK) {
            rc = complain_error(&err);
        } else {
            rc = answer_batch(p, &out, batch, margins, &all);
            known |= any_margin(margins, rows, empty);
        }
        rc = end_answers(p, &out, rows, rc);
        if (!rc) input_stream_done(&p->stream, 0);
        progress_examples(&live, p->stream.reader, rows);
    }
    signals_interrupt(NULL);
    progress_clear(&live);
    if (!rc && s == SLUICE_E_CANCELLED) rc = stop_status();
    if (!rc && s != SLUICE_END) rc = input_stream_complain(&p->stream);
    if (!rc && all && !known) warn_unknown("input", all);
    free(margins);
    answers_end(&out);
    return rc;
}

static int no_probability(const args *a, const sluice_model *model, const char *path) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    int batch = (facts.learner->flags & SLUICE_LEARNER_BATCH) != 0;
    return wrong_usage(a->command->name,
                       "--proba: %s is not calibrated: it has not predicted anything yet that it learned later; go on "
                       "learning with train -i%s%s",
                       path, sluice_model_settings(model)->classes ? "" : ", or train with --calibrate FILE",
                       batch ? " or with -P batch=N" : "");
}

/* What is for two classes, or for several. */
static int check_options(const args *a, const predicting *p) {
    if (p->many && args_has(a, "threshold"))
        return wrong_usage(a->command->name, "--threshold is for two classes, and the model has several");
    if (!p->many && p->form.top_classes)
        return wrong_usage(a->command->name, "--top-classes is for models of several classes (train --classes)");
    if (p->form.explain && sluice_model_settings(p->model)->classes == SLUICE_CLASSES_OVO)
        return wrong_usage(a->command->name,
                           "--explain: one against one a margin is that of many problems; it takes ovr and matrix");
    return DONE;
}

/* Loads the model and opens the inputs. */
static int prepare(const args *a, predicting *p) {
    sluice_error err = {0};
    const char *path = args_value(a, "model");
    if (!path) return wrong_usage(a->command->name, "which model? give it with -m MODEL");
    const char *text = args_value(a, "threshold");
    threshold fixed = {THRESHOLD_NONE};
    int rc = input_options(a, &p->reading);
    if (!rc) rc = kafka_options(a, &p->reading, &p->kafka);
    if (!rc) rc = answer_options(a, &p->form);
    if (!rc && text) rc = read_fixed_threshold(a, "threshold", text, &fixed);
    if (rc) return rc;

    sluice_model *full;
    if ((rc = model_to_use(a, path, &full, NULL))) return rc;
    if (p->proba && !sluice_model_has_probability(full)) rc = no_probability(a, full, path);
    p->form.model = p->model = sluice_model_final(full, &err);
    if (p->model) {
        if (!rc) rc = input_for_model(&p->reading, p->model, &p->kept);
        answer_reading(&p->form, full, &p->reading);
    }
    sluice_model_free(full);
    if (rc) return rc;
    if (!p->model) return complain_error(&err);
    p->many = sluice_model_settings(p->model)->classes != SLUICE_CLASSES_TWO;
    if ((rc = check_options(a, p))) return rc;
    if (text && lacks_probability(&fixed, p->model, path)) return WRONG_USAGE;
    if (text && (rc = set_fixed_threshold(p->model, &fixed))) return rc;
    if ((rc = take_labels(p)) || (p->many && (rc = prepare_classes(p, &p->form)))) return rc;
    p->reading.unlabelled = 1;
    p->reading.every_line = 1;

    if (!p->kafka.brokers) note_stdin(a);
    const inputs from = inputs_of(a, &p->kafka);
    return input_stream_open(&p->stream, &from, NULL, &p->reading);
}

static int run(const args *a) {
    predicting p = {.proba = args_has(a, "proba")};
    int rc = prepare(a, &p);
    if (!rc) rc = predict_batches(&p);
    if (p.stream.reader) {
        skip_tally skipped = {0};
        tally_skipped(&skipped, p.stream.reader);
        warn_skipped(&skipped, "input");
        if (skipped.total) warning_detail("their predictions are empty fields");
    }
    answer_warn(&p.form);
    answer_free(&p.form);
    for (size_t i = 0; p.label && i < p.labels; i++) free(p.label[i]);
    free(p.label);
    free(p.label_n);
    free(p.best);
    free(p.margins);
    free(p.probs);
    input_stream_close(&p.stream);
    kafka_settings_free(&p.kafka);
    sluice_model_free(p.model);
    return rc;
}

const command predict_command = {
    .name = "predict",
    .summary = "print a label and a margin for every line",
    .synopsis = "-m MODEL [--proba] [--threshold P] [--json] [--id COLUMN] [--explain N] [--keep] [--top-classes K] "
                "[INPUT... | --kafka BROKERS --topic T [--to TOPIC]]",
    .notes =
        "Each line is the class as it was written in training (1 or -1 for models of the labels -1, 0 and 1), a tab "
        "and the margin of the positive class in the shortest digits that read back exactly; with --proba another tab "
        "and the probability of the positive class. The label is the positive class where the margin is above the "
        "model's threshold (train --threshold), else above 0. Of several classes (train --classes) it is the class of "
        "the largest margin, and the margin and probability are those of this class; --top-classes K has K classes in "
        "a line, the predicted one first. The labels of the inputs are not used. "
        "There is one line for every line of the inputs (csv: for every record behind the header): blank lines and "
        "comments are examples without features, and lines that --on-error skip leaves out have empty fields.\n"
        "--id, --explain and --keep add fields behind these, in this order. --explain: N fields FEATURE:CONTRIBUTION, "
        "the largest first, empty ones where there are fewer (with N above 100 they are left out); contribution is "
        "weight times value, and all of them together are the margin; the bias is a feature called bias. --keep comes "
        "last, since the line may have tabs. --json: label, margin, probability, id, explain (feature, value, weight, "
        "contribution), classes (--top-classes) and line.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
};
