#include "sweep/sweeping.h"

#include "output/message.h"
#include "experiment/run_outcome.h"
#include "rows/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_ROWS = 8192, SIDE = 8 };

/* A round at work. */
typedef struct learning {
    sweeping *w;
    search_list *l;
    sluice_sweep **sweeps; /* one for each learner that has points */
    sluice_status *status;
    outcome *outcomes;         /* of all points, run by run */
    uint64_t run;              /* from 0 */
    size_t measuring;          /* which learner */
    const sluice_batch *batch; /* at hand */
    int count;                 /* whether its rows are new */
    progress live;
} learning;

/* ---- one batch for all learners ---------------------------------------------------------------------------------- */

static void learn_one(void *context, size_t i) {
    learning *g = context;
    g->status[i] = g->sweeps[i] ? sluice_sweep_learn_batch(g->sweeps[i], g->batch) : SLUICE_OK;
}

static int check_status(const learning *g) {
    for (size_t i = 0; i < g->l->n; i++)
        if (g->status[i] != SLUICE_OK) return complain_error(sluice_sweep_error(g->sweeps[i]));
    return DONE;
}

static int learn_batch(void *context, const sluice_batch *batch) {
    learning *g = context;
    g->batch = batch;
    if (g->count) {
        count_examples(batch, &g->w->examples, &g->w->positives);
    }
    in_parallel(g->l->n, g->w->a->threads, learn_one, g);
    return check_status(g);
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

static int stream_pass(learning *g) {
    sweeping *w = g->w;
    sluice_error err = {0};
    sluice_reader *reader = sluice_reader_open(w->a->inputs, w->a->n_inputs, &w->reading, &err);
    if (!reader) return complain_error(&err);
    int rc = each_batch(reader, &w->reading, &g->live, learn_batch, g);
    if (g->count) tally_skipped(&w->skipped, reader);
    w->format = sluice_reader_format(reader);
    sluice_reader_close(reader);
    return rc;
}

static int learn_stream(learning *g) {
    int rc = DONE;
    note_stdin(g->w->a);
    for (uint64_t pass = 0; pass < g->w->passes && !rc; pass++) {
        g->count = pass == 0;
        g->live.pass = pass;
        rc = stream_pass(g);
    }
    return rc;
}

/* The rows of a run in their order, some at a time: copies of all would double the memory. */
static int held_pass(learning *g, uint64_t pass) {
    sweeping *w = g->w;
    size_t n = w->data.n_order, parts = (n + PART_ROWS - 1) / PART_ROWS;
    uint64_t done = (g->run * w->passes + pass) * parts, total = w->repeats * w->passes * parts;
    int rc = DONE;
    for (size_t first = 0; first < n && !rc; first += PART_ROWS) {
        sluice_error err = {0};
        row_list list = {w->data.order + first, n - first < PART_ROWS ? n - first : PART_ROWS};
        sluice_batch *part = batch_of_rows(&w->data, &list, &err);
        rc = part ? learn_batch(g, part) : complain_error(&err);
        sluice_batch_free(part);
        progress_pieces(&g->live, ++done, total, "parts");
    }
    return rc;
}

/* The first run has the stream's own order, unless it is to be shuffled too. */
static int learn_held_rows(learning *g) {
    sweeping *w = g->w;
    int rc = DONE;
    dataset_reset_order(&w->data, w->n_rows);
    if (g->run || w->shuffle_all) dataset_shuffle(&w->data, w->shuffle + g->run - (w->shuffle_all ? 0 : 1));
    for (uint64_t pass = 0; pass < w->passes && !rc; pass++) {
        g->count = g->l == w->rounds && g->run == 0 && pass == 0;
        rc = held_pass(g, pass);
    }
    return rc;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static int in_batches(const search *s) { return s->learner->flags & SLUICE_LEARNER_BATCH; }

/* Some at a time: that costs less than one by one, and less memory than all at once. */
static void measure_some(void *context, size_t piece) {
    learning *g = context;
    const search *s = &g->l->searches[g->measuring];
    size_t first = piece * SIDE, n = s->n - first < SIDE ? s->n - first : SIDE, repeats = (size_t)g->w->repeats;
    sluice_meter_options how = {.size = sizeof how};
    outcomes_of_sweep(g->sweeps[g->measuring], first, n, g->w->test_rows, &how, g->w->dimension,
                      &g->outcomes[(s->first + first) * repeats + g->run], repeats);
}

static int measure_all(learning *g) {
    for (size_t i = 0; i < g->l->n; i++) {
        const search *s = &g->l->searches[i];
        if (!g->sweeps[i]) continue;
        g->status[i] = sluice_sweep_end_run(g->sweeps[i]);
        if (g->status[i] != SLUICE_OK) return complain_error(sluice_sweep_error(g->sweeps[i]));
        g->measuring = i;
        /* a model of a learner in batches may be another copy of the examples */
        in_parallel((s->n + SIDE - 1) / SIDE, in_batches(s) ? 1 : g->w->a->threads, measure_some, g);
    }
    return DONE;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int start_sweeps(learning *g) {
    unsigned each = thread_count(g->w->a->threads) / (unsigned)g->l->n;
    for (size_t i = 0; i < g->l->n; i++) {
        sluice_error err = {0};
        const search *s = &g->l->searches[i];
        if (!s->n) continue;
        g->sweeps[i] = sweep_of_points(g->l->points + s->first, s->n, each ? each : 1, &err);
        if (!g->sweeps[i]) return complain_error(&err);
    }
    return DONE;
}

static void end_sweeps(learning *g) {
    for (size_t i = 0; i < g->l->n; i++) {
        sluice_sweep_free(g->sweeps[i]);
        g->sweeps[i] = NULL;
    }
}

static int one_run(learning *g) {
    int rc = start_sweeps(g);
    if (!rc) rc = g->w->held ? learn_held_rows(g) : learn_stream(g);
    if (!rc) rc = measure_all(g);
    end_sweeps(g);
    return rc;
}

int sweep_round(sweeping *w, search_list *l) {
    learning g = {.w = w, .l = l, .live = progress_start(w->a->quiet, w->held ? 1 : w->passes, 0)};
    size_t total = l->n_points * (size_t)w->repeats;
    g.sweeps = calloc(l->n, sizeof(sluice_sweep *));
    g.status = calloc(l->n, sizeof *g.status);
    g.outcomes = calloc(total + 1, sizeof *g.outcomes);
    int rc = g.sweeps && g.status && g.outcomes ? DONE : out_of_memory();
    for (; g.run < w->repeats && !rc; g.run++) rc = one_run(&g);
    progress_clear(&g.live);
    for (size_t i = 0; i < l->n_points && !rc; i++)
        rc = sum_up(&l->points[i], g.outcomes + i * w->repeats, (size_t)w->repeats,
                    offsetof(sluice_measures, error_rate));
    if (g.outcomes) outcomes_free(g.outcomes, total);
    free(g.sweeps);
    free(g.status);
    return rc;
}
