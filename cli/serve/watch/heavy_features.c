/* Finds the heaviest features of a snapshot. */
#include "serve/watch/heavy_features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    TOP = 12,
    TOP_OF_CLASS = 6,
    MOST_CLASSES = 20,
    MOST_NONZEROS = 2000 * 1000, /* beyond, a list of them all would take more than 100 MB for a moment */
};

/* The heaviest ones so far of a problem, heaviest first. */
typedef struct heavy {
    size_t n;
    sluice_weight top[TOP_OF_CLASS];
} heavy;

static int take(void *context, size_t i, const sluice_weight *w) {
    if (i >= MOST_CLASSES) return 0;
    heavy *h = (heavy *)context + i;
    if (h->n == TOP_OF_CLASS && fabsf(w->weight) <= fabsf(h->top[h->n - 1].weight)) return 0;
    size_t at = h->n < TOP_OF_CLASS ? h->n++ : h->n - 1;
    for (; at && fabsf(h->top[at - 1].weight) < fabsf(w->weight); at--) h->top[at] = h->top[at - 1];
    h->top[at] = *w;
    return 0;
}

static void put_comma(text_buffer *to) {
    if (to->n && to->text[to->n - 1] != '[') text_char(to, ',');
}

static void put_feature(text_buffer *to, const sluice_weight *w) {
    put_comma(to);
    text_put(to, "{\"feature\":");
    if (w->is_bias)
        text_put(to, "\"bias\",\"bias\":true");
    else if (w->name.text)
        text_json_short(to, w->name.text, w->name.n, SERVED_SHOWN_BYTES);
    else
        text_format(to, "\"%" PRIu64 "\"", w->id); /* a number of JavaScript has 53 bits */
    text_format(to, ",\"weight\":%.5g}", (double)w->weight);
}

static void put_label(text_buffer *to, const snapshot *s, const char *key, size_t label) {
    text_json_key(to, key);
    if (label < s->labels)
        text_json_short(to, s->label[label], s->label_n[label], SERVED_SHOWN_BYTES);
    else
        text_put(to, "null");
}

static void put_group(text_buffer *to, const snapshot *s, size_t label, size_t against, const sluice_weight *top,
                      size_t n) {
    put_comma(to);
    text_char(to, '{');
    put_label(to, s, "label", label);
    put_label(to, s, "against", against);
    text_put(to, ",\"features\":[");
    for (size_t i = 0; i < n; i++) put_feature(to, &top[i]);
    text_put(to, "]}");
}

static void put_two_classes(text_buffer *to, const snapshot *s) {
    sluice_weight *weights;
    size_t n;
    if (s->nonzeros > MOST_NONZEROS || sluice_model_weights(s->model, &weights, &n, NULL) != SLUICE_OK) return;
    put_group(to, s, snapshot_label(s, INFINITY), SIZE_MAX, weights, sluice_weights_heaviest(weights, n, TOP));
    sluice_free(weights);
}

static void put_classes(text_buffer *to, const snapshot *s) {
    heavy *all = calloc(MOST_CLASSES, sizeof *all);
    const size_t n = sluice_model_problems(s->model);
    if (all && sluice_model_each_weight(s->model, take, all, NULL) == SLUICE_OK)
        for (size_t i = 0; i < n && i < MOST_CLASSES; i++) {
            sluice_problem p = {.size = sizeof p};
            if (sluice_model_problem(s->model, i, &p) == SLUICE_OK)
                put_group(to, s, p.positive, p.negative == SLUICE_NO_CLASS ? SIZE_MAX : p.negative, all[i].top,
                          all[i].n);
        }
    free(all);
}

void heavy_put(const snapshot *s, text_buffer *to) {
    text_char(to, '[');
    if (s->model && s->many)
        put_classes(to, s);
    else if (s->model)
        put_two_classes(to, s);
    text_char(to, ']');
}
