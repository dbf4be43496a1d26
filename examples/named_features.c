/* Learns from features that have names instead of ids, and prints what each word weighs. */
#include <string.h>

#include "example.h"

enum { MOST = 16 };

/* Makes an example of a few words; each counts once. The names are borrowed from `words`. */
static sluice_example of_words(const char *const *words, size_t n, double label, sluice_name *names, float *values) {
    for (size_t i = 0; i < n; i++) {
        names[i] = (sluice_name){words[i], strlen(words[i])};
        values[i] = 1;
    }
    return (sluice_example){.names = names, .values = values, .n = n, .label = label, .weight = 1};
}

int main(void) {
    sluice_error err;
    sluice_model *model = sluice_model_new("arow", NULL, 0, NULL, &err);
    need(model, &err);
    const char *spam[] = {"free", "prize", "now"}, *mail[] = {"lunch", "at", "noon"};
    sluice_name names[MOST];
    float values[MOST];
    for (int i = 0; i < 3; i++) {
        sluice_example x = of_words(spam, 3, +1, names, values);
        check(sluice_model_learn(model, &x, NULL), sluice_model_error(model));
        x = of_words(mail, 3, -1, names, values);
        check(sluice_model_learn(model, &x, NULL), sluice_model_error(model));
    }

    sluice_weight *weights;
    size_t n;
    check(sluice_model_weights(model, &weights, &n, &err), &err);
    for (size_t i = 0; i < n; i++)
        printf("%-6.*s %+.3f\n", (int)weights[i].name.n, weights[i].name.text, (double)weights[i].weight);
    sluice_free(weights);
    sluice_model_free(model);
    return 0;
}
