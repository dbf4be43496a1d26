/* Measures a model on rows that it has not learned: error rate, AUC, precision and recall. */
#include "example.h"

/* Rows in memory: feature 1 or 2 decides the label; every tenth label is wrong. */
static sluice_batch *make_rows(unsigned first, unsigned n) {
    sluice_error err;
    sluice_batch *batch = sluice_batch_new(&err);
    need(batch, &err);
    for (unsigned t = first; t < first + n; t++) {
        int positive = t % 3 == 0;
        uint64_t ids[] = {positive ? 1 : 2, 10 + t % 5};
        float values[] = {1, 1};
        if (t % 10 == 0) positive = !positive;
        sluice_example x = {.ids = ids, .values = values, .n = 2, .label = positive ? +1 : -1, .weight = 1};
        check(sluice_batch_add(batch, &x, &err), &err);
    }
    return batch;
}

int main(void) {
    sluice_error err;
    sluice_model *model = sluice_model_new("pa-1", NULL, 0, NULL, &err);
    need(model, &err);
    sluice_batch *train = make_rows(0, 1000), *test = make_rows(1000, 500);
    check(sluice_model_learn_batch(model, train, NULL), sluice_model_error(model));

    sluice_meter_options options = {.size = sizeof options, .exact_auc = 1};
    sluice_meter *meter = sluice_meter_new(&options, &err);
    need(meter, &err);
    for (size_t row = 0; row < sluice_batch_rows(test); row++) {
        uint64_t ids[2];
        sluice_example x;
        double margin;
        sluice_batch_row(test, row, ids, NULL, &x);
        check(sluice_model_margin(model, &x, &margin, &err), &err);
        check(sluice_meter_add(meter, margin, sluice_batch_label(test, row)), sluice_meter_error(meter));
    }

    sluice_measures measures = {.size = sizeof measures};
    sluice_meter_read(meter, &measures);
    printf("error rate %.3f, AUC %.3f, precision %.3f, recall %.3f\n", measures.error_rate, measures.auc,
           measures.precision, measures.recall);
    sluice_meter_free(meter);
    sluice_batch_free(train);
    sluice_batch_free(test);
    sluice_model_free(model);
    return 0;
}
