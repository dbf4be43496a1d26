#include "runs.h"

#include "measure.h"
#include "message.h"
#include "model_args.h"

#include <stdlib.h>

static int hold_batch(void *context, const sluice_batch *batch) {
    return dataset_add_batch(context, batch) ? DONE : out_of_memory();
}

int hold_inputs(dataset *d, const char *const *paths, size_t n, const sluice_reader_options *reading, int quiet,
                const char *what, skip_tally *skipped) {
    sluice_error err = {0};
    sluice_reader *reader = sluice_reader_open(paths, n, reading, &err);
    if (!reader) return complain_error(&err);
    progress live = progress_start(quiet, 1, 0);
    int rc = each_batch(reader, reading, &live, hold_batch, d);
    tally_skipped(skipped, reader);
    if (!quiet) warn_skipped(skipped, what);
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

uint64_t count_positives(const dataset *d, const row_list *list) {
    uint64_t n = 0;
    for (size_t i = 0; i < list->n; i++) n += d->labels[list->rows[i]] > 0;
    return n;
}

static sluice_status learn_rows(sluice_model *model, const dataset *d, const row_list *list) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < list->n && status == SLUICE_OK; i++) {
        sluice_example x = dataset_row(d, list->rows[i]);
        status = sluice_model_learn(model, &x, NULL);
    }
    return status;
}

sluice_status learn_held(sluice_model **model, const dataset *d, const row_list *list, uint64_t passes,
                         sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < passes && status == SLUICE_OK; pass++) status = learn_rows(*model, d, list);
    if (status == SLUICE_OK) status = sluice_model_end_run(*model);
    if (status == SLUICE_OK) return finish_model(model, err);
    *err = *sluice_model_error(*model);
    return status;
}

static sluice_status measure_rows(const sluice_model *final, const dataset *d, const row_list *list,
                                  sluice_meter *meter, sluice_error *err) {
    for (size_t i = 0; i < list->n; i++) {
        sluice_example x = dataset_row(d, list->rows[i]);
        double margin;
        if (sluice_model_margin(final, &x, &margin, err) != SLUICE_OK) return err->status;
        if (sluice_meter_add(meter, margin, x.label) == SLUICE_OK) continue;
        *err = *sluice_meter_error(meter);
        return err->status;
    }
    return SLUICE_OK;
}

sluice_status measure_held(const sluice_model *model, const dataset *d, const row_list *list, sluice_measures *measures,
                           sluice_error *err) {
    sluice_meter_options how = {.size = sizeof how, .exact_auc = 1};
    measure_defaults(model, &how);
    sluice_model *final = sluice_model_final(model, err);
    sluice_meter *meter = final ? sluice_meter_new(&how, err) : NULL;
    sluice_status status = meter ? measure_rows(final, d, list, meter, err) : err->status;
    if (status == SLUICE_OK) {
        *measures = (sluice_measures){.size = sizeof *measures};
        sluice_meter_read(meter, measures);
    }
    sluice_meter_free(meter);
    sluice_model_free(final);
    return status;
}
