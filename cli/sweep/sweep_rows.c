/* sweep: reads the rows, learns all points and searches for the wanted sparsities. */
#include "measure/measure.h"
#include "output/message.h"
#include "sweep/sweeping.h"

#include <math.h>
#include <stdlib.h>

const sluice_model *sweep_classes(const sweeping *w) {
    return w->held ? sluice_dataset_classes(w->data) : w->stream_classes;
}

/* The rows to learn from, without those of importance 0, as their classes have counted them. */
static void count_examples(sweeping *w) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(sweep_classes(w), &facts);
    w->examples = facts.examples;
    w->positives = facts.positives;
}

/* ---- rows that are held ------------------------------------------------------------------------------------------ */

/* All rows to learn from, in their order. */
static int hold_rows(sweeping *w) {
    note_stdin(w->a);
    int rc = hold_with_costs(w->data, w->a, &w->reading, &w->costs, "input", &w->skipped, &w->format);
    if (rc) return rc;
    w->n_rows = sluice_dataset_rows(w->data);
    count_examples(w);
    return DONE;
}

/* The test file as a batch of rows as they came, for models that learn from a stream and know features by what they are
 * called there. */
static sluice_batch *original_rows(sluice_dataset *data, sluice_error *err) {
    sluice_batch *rows = sluice_batch_new(err);
    for (size_t i = 0; rows && i < sluice_dataset_rows(data); i++) {
        sluice_example x;
        sluice_dataset_original(data, i, &x);
        if (sluice_batch_add(rows, &x, err) == SLUICE_OK) continue;
        sluice_batch_free(rows);
        rows = NULL;
    }
    return rows;
}

/* Where rows to learn are held too, the test rows follow them, so that numbers of names mean the same in both. */
static int hold_test(sweeping *w) {
    sluice_error err = {0};
    const char *format = w->format; /* that of the inputs is the one to report */
    sluice_dataset_begin_test(w->data);
    int rc = hold_inputs(w->data, &w->test, 1, &w->reading, w->test, &w->test_skipped, &w->format);
    w->format = format;
    if (rc) return rc;
    w->test_rows = w->held ? sluice_dataset_batch(w->data, w->n_rows, SIZE_MAX, &err) : original_rows(w->data, &err);
    if (w->held)
        sluice_dataset_reset_order(w->data, w->n_rows); /* the others are not learned */
    else
        sluice_dataset_forget_rows(w->data);
    if (!w->test_rows) return complain_error(&err);
    for (size_t i = 0; i < sluice_batch_rows(w->test_rows); i++)
        w->test_examples += sluice_batch_weight(w->test_rows, i) != 0;
    return DONE;
}

int sweep_read(sweeping *w) {
    sluice_error err = {0};
    w->data = sluice_dataset_new(&err);
    if (!w->data || sluice_dataset_use_classes(w->data, &w->settings, &err) != SLUICE_OK) return complain_error(&err);
    w->reading.words = 1;
    int rc = w->held ? hold_rows(w) : DONE;
    return !rc && w->test ? hold_test(w) : rc;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

typedef struct learning {
    sweeping *w;
    int count; /* the rows are those of the first pass */
    progress live;
} learning;

static int show_parts(void *context, uint64_t done, uint64_t total) {
    learning *g = context;
    progress_units(&g->live, done, total, "parts");
    return 0;
}

static sluice_sweep_options sweep_options(learning *g) {
    const sweeping *w = g->w;
    return (sluice_sweep_options){.size = sizeof(sluice_sweep_options),
                                  .threads = w->a->threads,
                                  .passes = w->passes,
                                  .dimension = w->dimension,
                                  .test = w->test_rows,
                                  .repeats = w->repeats,
                                  .seed = w->shuffle,
                                  .shuffle_first = w->shuffle_all,
                                  .progress = show_parts,
                                  .context = g};
}

static int learn_batch(void *context, const sluice_batch *batch) {
    learning *g = context;
    sluice_error err = {0};
    if (g->count && sluice_model_learn_classes(g->w->stream_classes, batch) != SLUICE_OK)
        return complain_error(sluice_model_error(g->w->stream_classes));
    return sluice_search_learn_batch(g->w->search, batch, &err) == SLUICE_OK ? DONE : complain_error(&err);
}

static int stream_pass(learning *g) {
    sweeping *w = g->w;
    const sluice_reader_options reading = costs_reading(&w->costs, &w->reading);
    const inputs from = {w->a->inputs, w->a->n_inputs, NULL, NULL};
    input_stream s;
    int rc = input_stream_open(&s, &from, NULL, &reading);
    if (rc) return rc;
    rc = each_batch(&s, &g->live, learn_batch, g);
    if (g->count) tally_skipped(&w->skipped, s.reader);
    if (g->count) costs_count(&w->costs, s.reader);
    if (g->count && !rc) costs_warn(&w->costs);
    if (g->count && !rc) quadratic_warn(s.reader);
    w->format = sluice_reader_format(s.reader);
    input_stream_close(&s);
    return rc;
}

static int learn_stream(learning *g) {
    sweeping *w = g->w;
    sluice_error err = {0};
    sluice_sweep_options how = sweep_options(g);
    w->stream_classes = sluice_search_model(w->search, 0, &err);
    if (!w->stream_classes || sluice_search_begin(w->search, &how, &err) != SLUICE_OK) return complain_error(&err);
    int rc = DONE;
    note_stdin(w->a);
    for (uint64_t pass = 0; pass < w->passes && !rc; pass++) {
        g->count = pass == 0;
        g->live.pass = pass;
        if (pass == 1 && sluice_search_end_first_pass(w->search, &err) != SLUICE_OK) return complain_error(&err);
        rc = stream_pass(g);
    }
    if (rc) return rc;
    count_examples(w);
    return sluice_search_end(w->search, &err) == SLUICE_OK ? DONE : complain_error(&err);
}

static int learn_held(learning *g) {
    sluice_error err = {0};
    sluice_sweep_options how = sweep_options(g);
    if (sluice_search_sweep(g->w->search, g->w->data, &how, &err) == SLUICE_OK) return DONE;
    progress_clear(&g->live);
    return complain_error(&err);
}

/* ---- wanted sparsities ------------------------------------------------------------------------------------------- */

/* Before any time is spent on the others. */
static void warn_too_much(const sweeping *w) {
    double features = sluice_search_dimension(w->search);
    for (size_t i = 0; i < w->n_wanted; i++)
        if (!sluice_search_can_reach(w->search, w->wanted[i]))
            warning("a sparsity of %.10g cannot be reached with a weight left; %.0f features: at most %.*f",
                    w->wanted[i], features, (int)fmax(4, ceil(log10(features)) + 1), 1 - 1 / features);
}

static int find_wanted(learning *g) {
    sweeping *w = g->w;
    sluice_error err = {0};
    sluice_sweep_options how = sweep_options(g);
    warn_too_much(w);
    if (sluice_search_find(w->search, w->data, &how, w->wanted, w->n_wanted, &err) == SLUICE_OK) return DONE;
    progress_clear(&g->live);
    return complain_error(&err);
}

int sweep_learn(sweeping *w) {
    learning g = {.w = w, .live = progress_start(w->held ? 1 : w->passes, 0)};
    int rc = w->held ? learn_held(&g) : learn_stream(&g);
    progress_clear(&g.live);
    if (!rc && w->n_wanted) rc = find_wanted(&g);
    progress_clear(&g.live);
    if (!rc) rc = make_curves(w);
    return rc ? rc : make_findings(w);
}
