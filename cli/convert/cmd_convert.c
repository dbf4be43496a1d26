/* sluice convert: between formats, and the preparations of the papers' experiments. */
#include "commands.h"
#include "convert/model_rows.h"
#include "output/message.h"
#include "output/progress.h"
#include "run/signals.h"
#include "args/input_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"output", 'o', "OUT",
     "write here (default: standard output); the ending .vw, .jsonl or .bin is the format, all others mean LIBSVM text",
     0},
    {"to", 0, "FORMAT", "format of the output, whatever its ending: libsvm, vw, jsonl or bin", 0},
    {"sample-ratio", 0, "P:N", "keep P positives for every N negatives: all of the scarce class, others drawn (--seed)",
     0},
    {"shuffle", 0, "SEED", "put the rows into a random order", 0},
    {"split", 0, "S", "write a part of the rows to --split-to instead of OUT: " HOLD_OUT_FORMS, 0},
    {"split-to", 0, "FILE", "where --split writes them", 0},
    {"standardize", 0, NULL, "each column: subtract the mean, divide by the sample deviation", 0},
    {"normalize", 0, "l2", "scale every row to length 1", 0},
    {"model", 0, "MODEL",
     "rows for programs that have this model from `sluice export`: its text options and changes of values, no features "
     "without a weight; in LIBSVM text its numbers of features and labels",
     0},
    {"trapezoid", 0, "N", "N chunks of rows; those in chunk k show only the first k/N of the columns", 0},
    INPUT_OPTIONS,
    TEXT_OPTIONS,
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = "model", .role = READS_MODEL},
    {.option = "output", .role = WRITES, .what = "output", .may_replace = "", .otherwise = "-", .may_be_stdout = 1},
    {.option = "split-to", .role = WRITES, .what = "second output", .may_replace = "", .may_be_stdout = 1},
    {.option = NULL},
};

/* --standardize writes every column that varies in every row, and holds some 50 bytes for every column. */
#define MAX_CELLS 1000000000u
#define MAX_COLUMNS 20000000u

typedef struct converting {
    const args *a;
    const char *output, *split_to;
    sluice_reader_options reading;
    uint64_t ratio_pos, ratio_neg; /* 0: no sampling */
    uint64_t shuffle_seed, chunks;
    int shuffle, standardize, normalize;

    hold_out splitting;
    uint64_t row;   /* rows written so far, to both outputs */
    uint64_t known; /* those with a feature of --model */
    input_stream stream;
    model_rows *rows; /* --model; else NULL */
    reader_settings kept;
    sluice_writer *writer, *second;
    sluice_dataset *data;
    uint64_t *ids;
    sluice_name *names; /* of the row in work */
    float *values;
    size_t room;
} converting;

static int read_ratio(converting *c) {
    const char *text = args_value(c->a, "sample-ratio");
    if (!text) return DONE;
    char pos[16] = "";
    const char *colon = strchr(text, ':');
    if (colon && (size_t)(colon - text) < sizeof pos) memcpy(pos, text, (size_t)(colon - text));
    if (colon && parse_count(pos, 1, 1000000, &c->ratio_pos) && parse_count(colon + 1, 1, 1000000, &c->ratio_neg))
        return DONE;
    return wrong_usage(c->a->command->name, "--sample-ratio %s: write it as positives:negatives, such as 1:99", text);
}

static int read_options(converting *c) {
    static const char *const norms[] = {"none", "l2", NULL};
    size_t norm = 0;
    int rc = input_options(c->a, &c->reading);
    if (!rc) rc = text_options(c->a, &c->reading);
    if (!rc) rc = args_word(c->a, "normalize", norms, &norm);
    if (!rc) rc = args_count(c->a, "shuffle", 0, UINT64_MAX, &c->shuffle_seed);
    if (!rc) rc = args_count(c->a, "trapezoid", 1, 1000000, &c->chunks);
    if (!rc) rc = read_ratio(c);
    if (!rc) rc = hold_out_option(c->a, "split", &c->splitting);
    if (!rc && args_has(c->a, "split") != args_has(c->a, "split-to"))
        rc = wrong_usage(c->a->command->name, "--split and --split-to go together: which rows, and the file for them");
    c->normalize = norm == 1;
    c->reading.words = 1;
    return rc;
}

static int reserve(converting *c, size_t n) {
    if (n <= c->room) return DONE;
    free(c->ids);
    free(c->names);
    free(c->values);
    c->room = n + n / 2;
    c->ids = malloc(c->room * sizeof *c->ids);
    c->names = malloc(c->room * sizeof *c->names);
    c->values = malloc(c->room * sizeof *c->values);
    if (c->ids && c->names && c->values) return DONE;
    c->room = 0;
    return out_of_memory();
}

static void scale_to_unit_length(float *values, size_t n) {
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)values[i] * values[i];
    if (squares == 0) return;
    double scale = 1 / sqrt(squares);
    for (size_t i = 0; i < n; i++) values[i] = (float)(values[i] * scale);
}

static int put(converting *c, const sluice_example *x) {
    int held;
    hold_out_run(&c->splitting, c->row++, 1, &held);
    sluice_writer *to = held ? c->second : c->writer;
    sluice_example row;
    if (c->rows) {
        const int rc = model_rows_make(c->rows, x, &row);
        if (rc) return rc;
        c->known += row.n > 0;
        x = &row;
    }
    return sluice_writer_put(to, x) == SLUICE_OK ? DONE : complain_writer(to, held ? c->split_to : c->output);
}

static int put_one_by_one(converting *c, const sluice_batch *batch) {
    for (size_t i = 0; i < sluice_batch_rows(batch); i++) {
        sluice_example x;
        int rc = reserve(c, sluice_batch_nonzeros(batch, i));
        if (rc) return rc;
        sluice_batch_row(batch, i, c->ids, c->names, &x);
        if (x.n) memcpy(c->values, x.values, x.n * sizeof *c->values);
        if (c->normalize) scale_to_unit_length(c->values, x.n);
        x.values = c->values;
        if ((rc = put(c, &x))) return rc;
    }
    return DONE;
}

static int put_batch(void *context, const sluice_batch *batch) {
    converting *c = context;
    if (c->normalize || c->rows || c->second) return put_one_by_one(c, batch);
    if (sluice_writer_put_batch(c->writer, batch) == SLUICE_OK) return DONE;
    return complain_writer(c->writer, c->output);
}

static int hold_batch(void *context, const sluice_batch *batch) {
    converting *c = context;
    sluice_error err = {0};
    return sluice_dataset_add(c->data, batch, &err) == SLUICE_OK ? DONE : complain_error(&err);
}

/* The mean and deviation of every column, and a row with all columns. */
typedef struct scaling {
    double *mean, *deviation;
    float *dense;
} scaling;

/* The row with every column that varies, standardised. */
static size_t standardized_row(converting *c, const sluice_example *x, const scaling *s) {
    size_t n = 0;
    for (size_t k = 0; k < x->n; k++) s->dense[x->ids[k]] = x->values[k];
    for (uint64_t id = 0; id <= sluice_dataset_dimension(c->data); id++) {
        if (s->deviation[id] == 0) continue;
        float v = (float)((s->dense[id] - s->mean[id]) / s->deviation[id]);
        if (v == 0) continue;
        c->ids[n] = id;
        c->values[n++] = v;
    }
    for (size_t k = 0; k < x->n; k++) s->dense[x->ids[k]] = 0;
    return n;
}

/* Only ids up to `last` are shown. */
static size_t hide_columns(converting *c, size_t n, uint64_t last) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->ids[i] > last) continue;
        c->ids[kept] = c->ids[i];
        c->values[kept++] = c->values[i];
    }
    return kept;
}

/* floor(k d / N) without overflow: d is split into a multiple of N and the rest. */
static uint64_t last_column(uint64_t dimension, uint64_t chunk, uint64_t chunks) {
    return dimension / chunks * chunk + dimension % chunks * chunk / chunks;
}

/* The names of a row that is made of numbers of names. */
static void name_row(converting *c, sluice_example *x) {
    const sluice_names *names = sluice_dataset_names(c->data);
    if (!names) return;
    for (size_t k = 0; k < x->n; k++) c->names[k] = sluice_names_name(names, x->ids[k]);
    x->names = c->names;
}

/* `scales` NULL: the values as they are. */
static int put_rows(converting *c, const scaling *scales) {
    size_t rows;
    const size_t *order = sluice_dataset_order(c->data, &rows);
    int rc = DONE;
    for (size_t t = 0; t < rows && !rc; t++) {
        sluice_example x;
        if (stop_signal()) return stop_status();
        sluice_dataset_row(c->data, order[t], &x);
        size_t n = x.n;
        if (scales) {
            n = standardized_row(c, &x, scales);
        } else if (n) {
            memcpy(c->ids, x.ids, n * sizeof *c->ids);
            memcpy(c->values, x.values, n * sizeof *c->values);
        }
        if (c->normalize) scale_to_unit_length(c->values, n);
        if (c->chunks) {
            uint64_t chunk = c->chunks * t / rows + 1;
            if (chunk > c->chunks) chunk = c->chunks;
            n = hide_columns(c, n, last_column(sluice_dataset_dimension(c->data), chunk, c->chunks));
        }
        sluice_example shown = x;
        shown.ids = c->ids, shown.values = c->values, shown.n = n;
        name_row(c, &shown);
        rc = put(c, &shown);
    }
    return rc;
}

static int too_many_cells(size_t rows, uint64_t dimension) {
    complain("--standardize makes every row dense: %zu rows with ids up to %" PRIu64
             " are more than %u cells or %u columns; convert without it",
             rows, dimension, MAX_CELLS, MAX_COLUMNS);
    return FAILED;
}

static int put_standardized(converting *c, size_t rows) {
    uint64_t dimension = sluice_dataset_dimension(c->data);
    if (rows == 0) return DONE;
    if (dimension >= MAX_COLUMNS || dimension >= MAX_CELLS / rows) return too_many_cells(rows, dimension);
    size_t columns = (size_t)dimension + 1;
    sluice_error err = {0};
    scaling s = {.mean = malloc(columns * sizeof *s.mean),
                 .deviation = malloc(columns * sizeof *s.deviation),
                 .dense = calloc(columns, sizeof *s.dense)};
    int rc = s.mean && s.deviation && s.dense ? reserve(c, columns) : out_of_memory();
    if (!rc && sluice_dataset_scales(c->data, s.mean, s.deviation, &err) != SLUICE_OK) rc = complain_error(&err);
    if (!rc) rc = put_rows(c, &s);
    free(s.mean);
    free(s.deviation);
    free(s.dense);
    return rc;
}

static int put_dataset(converting *c) {
    size_t rows;
    if (c->ratio_pos) sluice_dataset_sample(c->data, c->ratio_pos, c->ratio_neg, c->a->seed);
    sluice_dataset_order(c->data, &rows);
    if (c->ratio_pos && rows == 0 && sluice_dataset_rows(c->data))
        warning("--sample-ratio: too few examples of one class; nothing is left");
    if (c->shuffle) sluice_dataset_shuffle(c->data, c->shuffle_seed);
    hold_out_rows(&c->splitting, rows);
    if (c->standardize) return put_standardized(c, rows);
    int rc = reserve(c, sluice_dataset_longest(c->data) + 1);
    return rc ? rc : put_rows(c, NULL);
}

static int convert(converting *c) {
    /* the last rows are known when all are read */
    int in_memory = c->ratio_pos || c->shuffle || c->standardize || c->chunks || c->splitting.kind == HOLD_OUT_LAST;
    progress live = progress_start(1, 0);
    int rc = each_batch(&c->stream, &live, in_memory ? hold_batch : put_batch, c);
    if (!rc && in_memory) rc = put_dataset(c);
    if (!rc && stop_signal()) rc = stop_status();
    if (!rc && c->second && sluice_writer_commit(c->second) != SLUICE_OK) rc = complain_writer(c->second, c->split_to);
    if (!rc && sluice_writer_commit(c->writer) != SLUICE_OK) rc = complain_writer(c->writer, c->output);
    skip_tally skipped = {0};
    tally_skipped(&skipped, c->stream.reader);
    warn_skipped(&skipped, "input");
    if (!rc && args_has(c->a, "quadratic")) quadratic_warn(c->stream.reader);
    if (!rc && c->rows && c->row && !c->known) warn_unknown("input", c->row);
    return rc;
}

static int ends_with(const char *text, const char *ending) {
    const size_t n = strlen(text), k = strlen(ending);
    return n >= k && strcmp(text + n - k, ending) == 0;
}

/* Whether the output is LIBSVM text. */
static int writes_libsvm(const converting *c) {
    const char *to = args_value(c->a, "to");
    if (to) return strcmp(to, "libsvm") == 0;
    return !ends_with(c->output, ".vw") && !ends_with(c->output, ".jsonl") && !ends_with(c->output, ".bin");
}

/* --model: reads as the model does. */
static int open_model(converting *c) {
    const char *path = args_value(c->a, "model");
    if (!path) return DONE;
    if (c->normalize || c->standardize)
        return wrong_usage(c->a->command->name, "--model changes values as the model does: leave %s out",
                           c->normalize ? "--normalize" : "--standardize");
    const int rc = model_rows_open(&c->rows, path, writes_libsvm(c));
    return rc ? rc : input_for_model(&c->reading, model_rows_model(c->rows), &c->kept);
}

static int run(const args *a) {
    converting c = {.a = a, .shuffle = args_has(a, "shuffle"), .standardize = args_has(a, "standardize")};
    c.output = args_has(a, "output") ? args_value(a, "output") : "-";
    c.split_to = args_value(a, "split-to");
    sluice_error err = {0};
    int rc = read_options(&c);
    if (rc) return rc;
    signals_stop_orderly(); /* closing the writer removes its temporary file */
    note_stdin(a);
    const inputs from = {a->inputs, a->n_inputs, NULL, NULL};
    rc = open_model(&c);
    if (!rc) rc = input_stream_open(&c.stream, &from, NULL, &c.reading);
    if (rc) {
        model_rows_free(c.rows);
        return rc;
    }
    c.data = sluice_dataset_new(&err);
    /* --sample-ratio needs positives and negatives */
    if (c.data && c.ratio_pos && sluice_dataset_use_classes(c.data, NULL, &err) != SLUICE_OK) {
        sluice_dataset_free(c.data);
        c.data = NULL;
    }
    if (c.data) c.writer = sluice_writer_open(c.output, args_value(a, "to"), &err);
    if (c.writer && c.split_to) c.second = sluice_writer_open(c.split_to, args_value(a, "to"), &err);
    rc = c.writer && (c.second || !c.split_to) ? convert(&c) : complain_error(&err);
    sluice_writer_close(c.writer);
    sluice_writer_close(c.second);
    input_stream_close(&c.stream);
    sluice_dataset_free(c.data);
    model_rows_free(c.rows);
    free(c.ids);
    free(c.names);
    free(c.values);
    return rc;
}

const command convert_command = {
    .name = "convert",
    .summary = "write examples in another format, sampled, shuffled or scaled",
    .synopsis = "[INPUT...] [-o OUT] [OPTION...]",
    .notes =
        "Whatever the order of the options, this is the order of the steps: sample, shuffle, standardize, normalize, "
        "trapezoid, split. Changing the format, --normalize and --split (but last:) need no memory; the other options "
        "hold all examples in it.\n"
        "--standardize: absent values count as 0, and constant columns become 0; it makes every row dense and refuses "
        "more than 1000000000 cells (rows times the largest id) or ids from 20000000.\n"
        "--trapezoid: with T rows and d the largest id, row t (from 0) lies in chunk k = min(N, floor(N t/T) + 1) and "
        "shows the ids up to floor(k d/N).\n"
        "OUT may be one of the inputs: it is replaced at the end.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
};
