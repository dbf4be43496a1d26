/* Saves a model, loads it and goes on learning: the result is the same, byte for byte, as without the stop.
 *
 *     save_and_resume FILE      the model file to write */
#include <string.h>

#include "example.h"

enum { ROWS = 1000 };

/* Learns rows first to last - 1 of a stream that is made on the way. */
static void learn(sluice_model *model, unsigned first, unsigned last) {
    for (unsigned t = first; t < last; t++) {
        uint64_t ids[] = {t % 7, 10 + t % 11};
        float values[] = {1, 1};
        sluice_example x = {.ids = ids, .values = values, .n = 2, .label = t % 7 < 3 ? +1 : -1, .weight = 1};
        check(sluice_model_learn(model, &x, NULL), sluice_model_error(model));
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: save_and_resume FILE\n"), 2;
    sluice_error err;
    sluice_model *first = sluice_model_new("ftrl", NULL, 0, NULL, &err);
    need(first, &err);
    learn(first, 0, ROWS / 2);
    check(sluice_model_save(first, argv[1], &err), &err); /* the file appears complete or not at all */
    learn(first, ROWS / 2, ROWS);

    sluice_model *resumed = sluice_model_load(argv[1], &err);
    need(resumed, &err);
    learn(resumed, ROWS / 2, ROWS);

    /* Both have learned the same rows. Their files would be equal. */
    void *a, *b;
    size_t a_size, b_size;
    check(sluice_model_bytes(first, &a, &a_size, &err), &err);
    check(sluice_model_bytes(resumed, &b, &b_size, &err), &err);
    int same = a_size == b_size && memcmp(a, b, a_size) == 0;
    printf("%s\n", same ? "the same" : "different");
    sluice_free(a);
    sluice_free(b);
    sluice_model_free(first);
    sluice_model_free(resumed);
    return same ? 0 : 1;
}
