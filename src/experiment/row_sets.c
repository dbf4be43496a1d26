#include "experiment/row_sets.h"

#include "measure/measure.h"
#include "output/message.h"
#include "args/model_args.h"

#include <math.h>
#include <stdlib.h>

sluice_status no_memory(sluice_error *err) {
    *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
    return err->status;
}

typedef struct holding {
    dataset *data;
    label_tally labels;
} holding;

static int hold_batch(void *context, const sluice_batch *batch) {
    holding *h = context;
    tally_labels(&h->labels, batch);
    return dataset_add_batch(h->data, batch) ? DONE : out_of_memory();
}

int hold_inputs(dataset *d, const char *const *paths, size_t n, const sluice_reader_options *reading, int quiet,
                const char *what, skip_tally *skipped) {
    sluice_error err = {0};
    sluice_reader *reader = sluice_reader_open(paths, n, reading, &err);
    if (!reader) return complain_error(&err);
    progress live = progress_start(quiet, 1, 0);
    holding h = {.data = d};
    int rc = each_batch(reader, reading, &live, hold_batch, &h);
    d->format = sluice_reader_format(reader);
    tally_skipped(skipped, reader);
    if (!quiet) warn_skipped(skipped, what);
    if (!quiet) warn_labels(&h.labels, what);
    sluice_reader_close(reader);
    return rc;
}

int list_rows(const dataset *d, size_t first, size_t end, row_list *list) {
    *list = (row_list){.rows = malloc((end - first + 1) * sizeof *list->rows)};
    if (!list->rows) return 0;
    for (size_t i = first; i < end; i++)
        if (d->weights[i] != 0) list->rows[list->n++] = i;
    return 1;
}

int take_every(row_list *list, size_t nth, row_list *taken) {
    *taken = (row_list){.rows = malloc((list->n / nth + 1) * sizeof *taken->rows)};
    if (!taken->rows) return 0;
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        if ((i + 1) % nth == 0)
            taken->rows[taken->n++] = list->rows[i];
        else
            list->rows[kept++] = list->rows[i];
    }
    list->n = kept;
    return 1;
}

uint64_t count_positives(const sluice_batch *rows) {
    uint64_t n = 0;
    for (size_t i = 0; i < sluice_batch_rows(rows); i++) n += sluice_batch_label(rows, i) > 0;
    return n;
}

sluice_batch *batch_of_rows(const dataset *d, const row_list *list, sluice_error *err) {
    sluice_batch *rows = sluice_batch_new(err);
    for (size_t i = 0; rows && i < list->n; i++) {
        sluice_example x = dataset_row(d, list->rows[i]);
        if (sluice_batch_add(rows, &x, err) == SLUICE_OK) continue;
        sluice_batch_free(rows);
        rows = NULL;
    }
    return rows;
}

static size_t longest_row(const sluice_batch *rows) {
    size_t longest = 0;
    for (size_t i = 0; i < sluice_batch_rows(rows); i++) {
        size_t n = sluice_batch_nonzeros(rows, i);
        if (n > longest) longest = n;
    }
    return longest;
}

/* Leaves the chosen features in place, values too. */
static void restrict_row(sluice_example *x, uint64_t *ids, float *values, const uint64_t *chosen, size_t n) {
    size_t kept = 0;
    for (size_t k = 0; k < x->n; k++) {
        if (!has_id(chosen, n, x->ids[k])) continue;
        values[kept] = x->values[k];
        ids[kept++] = x->ids[k];
    }
    x->values = values;
    x->n = kept;
}

sluice_batch *restrict_batch(const sluice_batch *from, const uint64_t *chosen, size_t n, sluice_error *err) {
    size_t longest = longest_row(from) + 1;
    uint64_t *ids = malloc(longest * sizeof *ids);
    float *values = malloc(longest * sizeof *values);
    sluice_batch *rows = ids && values ? sluice_batch_new(err) : NULL;
    if (!ids || !values) no_memory(err);
    for (size_t i = 0; rows && i < sluice_batch_rows(from); i++) {
        sluice_example x;
        sluice_batch_row(from, i, ids, NULL, &x);
        restrict_row(&x, ids, values, chosen, n);
        if (sluice_batch_add(rows, &x, err) == SLUICE_OK) continue;
        sluice_batch_free(rows);
        rows = NULL;
    }
    free(ids);
    free(values);
    return rows;
}

sluice_status learn_held(sluice_model **model, sluice_batch *const *parts, size_t n, const sluice_batch *but,
                         uint64_t passes, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < passes && status == SLUICE_OK; pass++)
        for (size_t i = 0; i < n && status == SLUICE_OK; i++)
            if (parts[i] != but) status = sluice_model_learn_batch(*model, parts[i], NULL);
    if (status == SLUICE_OK) status = sluice_model_end_run(*model);
    if (status == SLUICE_OK) return finish_model(model, err);
    *err = *sluice_model_error(*model);
    return status;
}

static sluice_status measure_margins(const sluice_batch *rows, const double *margins, sluice_meter *meter,
                                     sluice_error *err) {
    if (sluice_meter_add_batch(meter, rows, margins) == SLUICE_OK) return SLUICE_OK;
    *err = *sluice_meter_error(meter);
    return err->status;
}

sluice_status measure_held(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                           const sluice_meter_options *how, sluice_measures *measures, sluice_error *err) {
    sluice_meter_options exact = *how;
    exact.exact_auc = 1;
    measure_defaults(model, facts, &exact);
    double *margins = malloc((sluice_batch_rows(rows) + 1) * sizeof *margins);
    if (!margins) return no_memory(err);
    sluice_model *made = facts->is_final ? NULL : sluice_model_final(model, err);
    const sluice_model *final = facts->is_final ? model : made;
    exact.model = final;
    sluice_meter *meter = final ? sluice_meter_new(&exact, err) : NULL;
    sluice_status status = meter ? sluice_model_margins(final, rows, margins, err) : err->status;
    if (status == SLUICE_OK) status = measure_margins(rows, margins, meter, err);
    if (status == SLUICE_OK) {
        *measures = (sluice_measures){.size = sizeof *measures};
        sluice_meter_read(meter, measures);
    }
    sluice_meter_free(meter);
    sluice_model_free(made);
    free(margins);
    return status;
}
