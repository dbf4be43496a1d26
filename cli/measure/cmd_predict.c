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
    char *sent; /* the answers to a batch for the topic of --to */
    size_t sent_n;
    sluice_reader_options reading;
    reader_settings kept; /* `reading` points to it */
    int proba;
    answer_form form; /* what is asked for besides */
    char **label;     /* the classes as they are printed, by the order of first sight; of a plain model -1 and 1 */
    size_t *label_n;
    size_t labels;
    const char *first; /* the label of the first class in the model */
    size_t room;       /* for an answer */
    /* several classes */
    int many;
    size_t classes, top;     /* how many there are, and how many to name */
    uint32_t *best;          /* of one row, */
    double *margins, *probs; /* as these */
} predicting;

enum { ANSWER_ROOM = 80, ANSWERS_ROOM = 1 << 15 }; /* an answer without a long label; many */

/* Answers on their way to standard output. */
typedef struct answers {
    char *text;
    size_t n, room;
    char *last;    /* the answer to the last margin: rows without known features have the same one */
    size_t last_n; /* 0: there is none */
    double margin;
} answers;

static int answers_start(const predicting *p, answers *out) {
    *out = (answers){.room = ANSWERS_ROOM + p->room};
    out->text = malloc(out->room);
    out->last = malloc(p->room);
    return out->text && out->last ? DONE : out_of_memory();
}

static void answers_end(answers *out) {
    free(out->text);
    free(out->last);
}

/* What the labels look like. */
static int take_labels(predicting *p) {
    static const sluice_name plain[] = {{"-1", 2}, {"1", 1}};
    size_t n = sluice_model_classes(p->model), longest = 0;
    p->room = ANSWER_ROOM;
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
        if (p->label_n[i] > longest) longest = p->label_n[i];
        if (n && i == 0) p->first = c.text.text;
    }
    p->room += longest;
    return DONE;
}

/* Room for the answer to a row of several classes. */
static int prepare_classes(predicting *p, const answer_form *form) {
    p->classes = sluice_model_classes(p->model);
    p->top = form->top_classes ? (size_t)form->top_classes : 1;
    if (p->top > p->classes) p->top = p->classes ? p->classes : 1;
    p->room *= p->top;
    p->best = malloc(p->top * sizeof *p->best);
    p->margins = malloc((p->classes + 1) * sizeof *p->margins);
    p->probs = p->proba ? malloc((p->classes + 1) * sizeof *p->probs) : NULL;
    return p->best && p->margins && (p->probs || !p->proba) ? DONE : out_of_memory();
}

static void write_answers(const predicting *p, answers *out) {
    fwrite(out->text, 1, out->n, p->form.out);
    out->n = 0;
}

static size_t format_answer(const predicting *p, double margin, char *line) {
    const char *label = sluice_model_label(p->model, margin).text;
    const size_t class = p->first ? label != p->first : *label != '-';
    size_t n = p->label_n[class];
    memcpy(line, p->label[class], n);
    line[n++] = '\t';
    n += sluice_format_double(line + n, margin);
    if (p->proba) {
        line[n++] = '\t';
        n += sluice_format_double(line + n, sluice_model_probability(p->model, margin));
    }
    line[n++] = '\n';
    return n;
}

static void answer(const predicting *p, answers *out, double margin) {
    if (!out->last_n || memcmp(&margin, &out->margin, sizeof margin) != 0) {
        out->last_n = format_answer(p, margin, out->last);
        out->margin = margin;
    }
    if (out->n + p->room > out->room) write_answers(p, out);
    if (out->last_n <= ANSWER_ROOM)
        memcpy(out->text + out->n, out->last, ANSWER_ROOM); /* a fixed length is fastest */
    else
        memcpy(out->text + out->n, out->last, out->last_n);
    out->n += out->last_n;
}

/* The answer to a malformed line that was skipped. */
static void answer_empty(const predicting *p, answers *out) {
    if (out->n + p->room > out->room) write_answers(p, out);
    const size_t fields = (p->many ? p->top : 1) * (p->proba ? 3 : 2);
    for (size_t i = 1; i < fields; i++) out->text[out->n++] = '\t';
    out->text[out->n++] = '\n';
}

/* The same of several classes: the classes, each with its margin and probability. */
static void answer_classes(const predicting *p, answers *out) {
    if (out->n + p->room > out->room) write_answers(p, out);
    char *line = out->text + out->n, *end = line;
    for (size_t i = 0; i < p->top; i++) {
        const uint32_t c = p->best[i];
        if (i) *end++ = '\t';
        if (c == SLUICE_NO_CLASS) continue; /* the model has not learned anything */
        memcpy(end, p->label[c], p->label_n[c]);
        end += p->label_n[c];
        *end++ = '\t';
        end += sluice_format_double(end, p->margins[c]);
        if (!p->proba) continue;
        *end++ = '\t';
        end += sluice_format_double(end, p->probs[c]);
    }
    *end++ = '\n';
    out->n += (size_t)(end - line);
}

/* The answers to a batch of a model of several classes. */
static int answer_many(predicting *p, answers *out, const sluice_batch *batch, uint64_t *all, int *known) {
    const int plain = answer_is_plain(&p->form);
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
        *known |= any_margin(p->margins, p->classes);
        if (sluice_batch_left_out(batch, i))
            answer_empty(p, out);
        else
            answer_classes(p, out), ++*all;
        if (plain) continue;
        rc = answer_row(&p->form, batch, i, &is, out->text, out->n - 1, input);
        out->n = 0;
    }
    write_answers(p, out);
    return rc;
}

/* The answers to a batch, each with what else is asked for; *all counts those that are not empty. */
static int answer_batch(predicting *p, answers *out, const sluice_batch *batch, const double *margins, uint64_t *all) {
    const int plain = answer_is_plain(&p->form);
    size_t input;
    uint64_t offset;
    int rc = DONE;
    sluice_reader_position(p->stream.reader, &input, &offset);
    for (size_t i = 0; i < sluice_batch_rows(batch) && !rc; i++) {
        if (sluice_batch_left_out(batch, i))
            answer_empty(p, out);
        else
            answer(p, out, margins[i]), ++*all;
        if (plain) continue;
        answered is = {.margin = margins[i]};
        if (p->proba) is.probability = sluice_model_probability(p->model, margins[i]);
        rc = answer_row(&p->form, batch, i, &is, out->text, out->n - 1, input);
        out->n = 0;
    }
    write_answers(p, out);
    return rc;
}

/* The answers to a batch go to memory first where a topic is to have them. */
static int begin_answers(predicting *p) {
    if (!p->kafka.to) return DONE;
    p->form.out = open_memstream(&p->sent, &p->sent_n);
    return p->form.out ? DONE : out_of_memory();
}

/* Hands them on, unless something went wrong before. */
static int end_answers(predicting *p, size_t rows, int rc) {
    if (!p->kafka.to) return rc ? rc : flush_results(stdout, "standard output");
    if (fclose(p->form.out) && !rc) rc = out_of_memory();
    p->form.out = stdout;
    if (!rc && rows) rc = kafka_answer(p->stream.kafka, p->sent, p->sent_n, rows);
    free(p->sent);
    p->sent = NULL;
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
    answers out;
    int rc = answers_start(p, &out);
    uint64_t all = 0;
    signals_stop_orderly();
    signals_interrupt(p->stream.reader);
    while (!rc && (s = sluice_reader_next(p->stream.reader, &batch)) == SLUICE_OK) {
        size_t rows = sluice_batch_rows(batch);
        if ((rc = reserve_margins(&margins, &room, rows)) || (rc = begin_answers(p))) break;
        sluice_error err = {0};
        if (p->many) {
            rc = answer_many(p, &out, batch, &all, &known);
        } else if (sluice_model_margins(p->model, batch, margins, &err) != SLUICE_OK) {
            rc = complain_error(&err);
        } else {
            rc = answer_batch(p, &out, batch, margins, &all);
            known |= any_margin(margins, rows);
        }
        rc = end_answers(p, rows, rc);
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
        input_for_model(&p->reading, p->model, &p->kept);
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
    answer_end(&p.form);
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
