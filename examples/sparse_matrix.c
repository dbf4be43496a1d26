/* Learns from the arrays of a compressed sparse matrix (CSR) without copying them, and predicts its rows. */
#include "example.h"

int main(void) {
    /* four rows: {1: 1, 7: 0.5}, {2: 1, 7: 0.5}, {1: 2}, {2: 1.5} */
    int32_t indptr[] = {0, 2, 4, 5, 6};
    int64_t ids[] = {1, 7, 2, 7, 1, 2};
    double values[] = {1, 0.5, 1, 0.5, 2, 1.5};
    float labels[] = {1, -1, 1, -1};
    sluice_csr rows = {.size = sizeof rows,
                       .indptr_type = SLUICE_INT32,
                       .ids_type = SLUICE_INT64,
                       .values_type = SLUICE_FLOAT64,
                       .labels_type = SLUICE_FLOAT32,
                       .rows = 4,
                       .nonzeros = 6,
                       .indptr = indptr,
                       .ids = ids,
                       .values = values,
                       .labels = labels};

    sluice_error err;
    sluice_model *model = sluice_model_new("pa-1", NULL, 0, NULL, &err);
    need(model, &err);
    for (int pass = 0; pass < 3; pass++) check(sluice_model_learn_csr(model, &rows, NULL), sluice_model_error(model));

    double margins[4];
    check(sluice_model_margins_csr(model, &rows, margins, &err), &err);
    for (int i = 0; i < 4; i++) printf("%s ", margins[i] > 0 ? "+1" : "-1");
    printf("\n");
    sluice_model_free(model);
    return 0;
}
