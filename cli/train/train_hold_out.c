/* train --holdout 0.2: examples of the inputs that are not learned, but measured on. */
#include "args/paths.h"
#include "output/message.h"
#include "train/training.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows that the runs so far have gone over, so that a run over more inputs draws as one run over all of them. */
static const char rows_key[] = "reader.rows";

static int reads_again(const training *t) { return !reads_once(t->a->inputs, t->a->n_inputs); }

int hold_out_usage(training *t) {
    const char *text = args_value(t->a, "holdout"), *name = t->a->command->name;
    double number;
    if (!text) return DONE;
    if (!hold_out_read(text, t->a->seed, &t->holding)) {
        if (strncmp(text, "last:", 5) == 0 || sluice_parse_number(text, &number))
            return wrong_usage(name, "--holdout %s: give a file, or " HOLD_OUT_FORMS, text);
        t->holdout = text;
        return DONE;
    }
    if (t->kafka.brokers)
        return wrong_usage(name,
                           "--holdout %s: examples of topics are not held out; the error while learning is that of "
                           "unseen examples, and --holdout FILE measures on a file",
                           text);
    if (t->holding.kind == HOLD_OUT_LAST && !reads_again(t))
        return wrong_usage(name,
                           "--holdout %s: which examples are the last ones is known only at the end, and standard "
                           "input and pipes are read only once; save the input to a file, or give %g without last:",
                           text, t->holding.share);
    return DONE;
}

static int count_batch(void *context, const sluice_batch *batch) {
    *(uint64_t *)context += sluice_batch_rows(batch);
    return DONE;
}

static int count_rows(training *t) {
    const inputs from = inputs_of(t->a, &t->kafka);
    const sluice_reader_options reading = learn_reading(t);
    progress p = progress_start(1, 0);
    uint64_t rows = 0;
    int rc = input_stream_open(&t->stream, &from, NULL, &reading);
    if (rc) return rc;
    rc = each_batch(&t->stream, &p, count_batch, &rows);
    input_stream_close(&t->stream);
    hold_out_rows(&t->holding, rows);
    return rc;
}

int hold_out_start(training *t) {
    sluice_error err = {0};
    const char *rows = sluice_model_metadata(t->model, rows_key, NULL);
    const uint64_t before = rows ? strtoull(rows, NULL, 10) : 0;
    if (t->holding.kind == HOLD_OUT_NONE) return DONE;
    t->holding.before = before > t->checkpoint.skip ? before - t->checkpoint.skip : 0;
    if (t->holding.kind == HOLD_OUT_LAST) return count_rows(t);
    if (!reads_again(t) && !(t->holding.kept = sluice_batch_new(&err))) return complain_error(&err);
    return DONE;
}

int hold_out_keep(training *t, const sluice_batch *batch, size_t first, size_t n) {
    if (!t->holding.kept || !n) return DONE;
    return hold_out_copy(&t->holding, t->row, batch, first, n, t->holding.kept);
}

int hold_out_remember(training *t) {
    if (t->holding.kind == HOLD_OUT_NONE) return DONE;
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRIu64, t->holding.before + checkpoint_place(&t->checkpoint));
    if (sluice_model_set_metadata(t->model, rows_key, text, (size_t)n) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_error(t->model));
}

int has_hold_out(const training *t) { return t->holdout || t->holding.kind != HOLD_OUT_NONE; }

inputs hold_out_inputs(const training *t) {
    if (t->holdout) return (inputs){&t->holdout, 1, NULL, NULL};
    return (inputs){t->a->inputs, t->a->n_inputs, NULL, &t->holding};
}
