/* Learns from a few examples, one at a time, and predicts another. */
#include "example.h"

int main(void) {
    sluice_error err;
    sluice_model *model = sluice_model_new("arow", NULL, 0, NULL, &err); /* no parameters given: the defaults */
    need(model, &err);

    /* Two kinds of rows: feature 1 speaks for +1, feature 2 for -1. Feature ids are any 64-bit numbers. */
    uint64_t good_ids[] = {1, 7}, bad_ids[] = {2, 7};
    float values[] = {1, 0.5f};
    sluice_example good = {.ids = good_ids, .values = values, .n = 2, .label = +1, .weight = 1};
    sluice_example bad = {.ids = bad_ids, .values = values, .n = 2, .label = -1, .weight = 1};
    for (int i = 0; i < 5; i++) {
        check(sluice_model_learn(model, &good, NULL), sluice_model_error(model));
        check(sluice_model_learn(model, &bad, NULL), sluice_model_error(model));
    }

    /* The prediction is +1 where the margin is positive. A feature that was never seen (99) counts nothing. */
    uint64_t ids[] = {1, 99};
    sluice_example x = {.ids = ids, .values = values, .n = 2, .weight = 1};
    double margin;
    check(sluice_model_margin(model, &x, &margin, &err), &err);
    printf("%s\n", margin > 0 ? "+1" : "-1");
    sluice_model_free(model);
    return 0;
}
