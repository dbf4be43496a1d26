/* Reads all nonzero weights of a model. */
#include "models/weight_list.h"

#include "output/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    weight_list *list;
    int failed;
} reading;

/* Whether a name is a whole number as one writes it: then it is the id of that number. */
static int is_id(const char *text, size_t n, uint64_t *id) {
    uint64_t value = 0;
    if (n == 0 || n > 20 || (n > 1 && text[0] == '0')) return 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)((unsigned char)text[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    *id = value;
    return 1;
}

static int take(void *context, size_t i, const sluice_weight *w) {
    reading *r = context;
    weight_list *list = r->list;
    if (list->n == list->room) {
        const size_t room = list->room ? list->room * 2 : 1024;
        listed_weight *larger = realloc(list->entry, room * sizeof *larger);
        if (!larger) return r->failed = 1;
        list->entry = larger;
        list->room = room;
    }
    listed_weight *e = &list->entry[list->n++];
    *e = (listed_weight){.id = w->id,
                         .name = w->name.text,
                         .name_n = w->name.n,
                         .weight = w->weight,
                         .problem = (uint32_t)i,
                         .is_bias = w->is_bias != 0,
                         .has_id = !w->is_bias && !w->name.text};
    if (w->name.text && !w->is_bias) e->has_id = is_id(w->name.text, w->name.n, &e->id) != 0;
    return 0;
}

int weight_list_read(weight_list *list, const sluice_model *model) {
    reading r = {.list = list};
    sluice_error err = {0};
    if (sluice_model_settings(model)->classes) {
        if (sluice_model_each_weight(model, take, &r, &err) == SLUICE_OK) return DONE;
        return r.failed ? out_of_memory() : complain_error(&err);
    }
    sluice_weight *weights;
    size_t n;
    if (sluice_model_weights(model, &weights, &n, &err) != SLUICE_OK) return complain_error(&err);
    for (size_t i = 0; i < n && !r.failed; i++) take(&r, 0, &weights[i]);
    sluice_free(weights);
    return r.failed ? out_of_memory() : DONE;
}

void weight_list_free(weight_list *list) { free(list->entry); }

int weight_compare_keys(const listed_weight *a, const listed_weight *b) {
    if (a->is_bias || b->is_bias) return b->is_bias - a->is_bias;
    if (a->has_id != b->has_id) return a->has_id ? -1 : 1;
    if (a->has_id) return (a->id > b->id) - (a->id < b->id);
    const size_t n = a->name_n < b->name_n ? a->name_n : b->name_n;
    const int order = n ? memcmp(a->name, b->name, n) : 0;
    return order ? order : (a->name_n > b->name_n) - (a->name_n < b->name_n);
}

sluice_weight listed_as_weight(const listed_weight *w) {
    return (sluice_weight){.id = w->id, .weight = w->weight, .is_bias = w->is_bias, .name = {w->name, w->name_n}};
}
