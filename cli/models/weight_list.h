/* All nonzero weights of a model in one array, whatever its kind of classes. */
#ifndef CLI_WEIGHT_LIST_H
#define CLI_WEIGHT_LIST_H

#include "sluice.h"

/* A weight with the problem it belongs to (sluice_model_problem); 0 in a model of two classes. */
typedef struct listed_weight {
    uint64_t id; /* of a feature that is known by one, also where its name is a whole number */
    const char *name;
    size_t name_n;
    float weight;
    uint32_t problem;
    unsigned char is_bias, has_id;
} listed_weight;

typedef struct weight_list {
    listed_weight *entry;
    size_t n, room;
} weight_list;

/* Begin with {0}. In the order of `inspect --weights`. Names live until the model changes. Returns an exit status after
 * saying what is wrong. */
int weight_list_read(weight_list *list, const sluice_model *model);
void weight_list_free(weight_list *list);

/* Below 0, 0 or above 0: the bias first, then ids by value, then names by their bytes. */
int weight_compare_keys(const listed_weight *a, const listed_weight *b);

/* The same as sluice_weight, for what prints features. */
sluice_weight listed_as_weight(const listed_weight *w);

#endif
