/* Models, an HTTP server and a store of labels that say what a test tells them to. */
#ifndef TESTS_WATCH_FAKES_H
#define TESTS_WATCH_FAKES_H

#include "serve/serving.h"

struct served_model {
    const char *name;
    served_figures figures;
    snapshot now;
    const char *newest, *mistakes; /* JSON */
    uint64_t predictions[SERVED_CLASSES_COUNTED + 1];
    int predicts_only;
};

extern label_counts fake_labels;
extern http_counts fake_http;
/* What the last answer, or refusal, was: its text is the request's `answer`. */
extern unsigned fake_status;
extern double fake_now;       /* what now_seconds() says */
extern atomic_int fake_taken; /* snapshots that were taken and not given back */

/* Fills names and two classes in. */
void fake_model(served_model *m, const char *name, char **label, size_t *label_n, size_t labels);

#endif
