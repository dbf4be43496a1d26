/* Learns several values of one parameter in one pass over the data, and prints how sparse each model is. */
#include "example.h"

enum { N = 4, ROWS = 2000 };

int main(void) {
    sluice_error err;
    /* one list of "name=value" for each configuration */
    const char *const configurations[N][1] = {{"lambda=0"}, {"lambda=0.001"}, {"lambda=0.01"}, {"lambda=0.1"}};
    const char *const *params[N];
    size_t n_params[N];
    for (size_t i = 0; i < N; i++) params[i] = configurations[i], n_params[i] = 1;
    sluice_sweep *sweep = sluice_sweep_new("fobos", params, n_params, N, NULL, 0, &err);
    need(sweep, &err);

    /* Feature 0 or 1 decides the label, but for every tenth row; the other 50 are noise. */
    sluice_batch *batch = sluice_batch_new(&err);
    need(batch, &err);
    for (unsigned t = 0; t < ROWS; t++) {
        uint64_t ids[] = {t % 2, 2 + t * 7 % 50};
        float values[] = {1, 0.5f};
        sluice_example x = {
            .ids = ids, .values = values, .n = 2, .label = (t % 2) != (t % 10 == 0) ? +1 : -1, .weight = 1};
        check(sluice_batch_add(batch, &x, &err), &err);
    }
    check(sluice_sweep_learn_batch(sweep, batch), sluice_sweep_error(sweep));
    check(sluice_sweep_end_run(sweep), sluice_sweep_error(sweep));

    /* Each configuration can be taken out as the model that it would have become alone. */
    for (size_t i = 0; i < N; i++) {
        sluice_model *model = sluice_sweep_model(sweep, i, &err);
        need(model, &err);
        sluice_weight *weights;
        size_t nonzeros;
        check(sluice_model_weights(model, &weights, &nonzeros, &err), &err);
        printf("%-12s %zu nonzero weights\n", configurations[i][0], nonzeros);
        sluice_free(weights);
        sluice_model_free(model);
    }
    sluice_batch_free(batch);
    sluice_sweep_free(sweep);
    return 0;
}
