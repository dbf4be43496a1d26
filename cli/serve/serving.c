/* Finds the model that a request is for. */
#include "serve/serving.h"

#include <string.h>

served_model *serving_find(const serving *s, const char *name) {
    size_t low = 0, high = s->n_models;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(served_name(s->model[middle]), name);
        if (!order) return s->model[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

served_model *serving_choose(const serving *s, http_request *r, const char *name) {
    served_model *m = name ? serving_find(s, name) : s->n_models == 1 ? s->model[0] : NULL;
    if (m)
        r->model = served_name(m);
    else if (name)
        http_refuse(r, 404, "there is no model called '%.64s'; GET /v2/models lists them", name);
    else
        http_refuse(r, 400, "which model? name it with ?model=NAME; GET /v2/models lists them");
    return m;
}
