/* The numbers by which other programs know a model's features. */
#include "models/feature_numbers.h"

#include "output/message.h"

int feature_numbers_start(feature_numbers *f, int has_names) {
    f->names = has_names ? sluice_names_new() : NULL;
    return has_names && !f->names ? out_of_memory() : DONE;
}

int feature_numbers_take(feature_numbers *f, const listed_weight *w, uint64_t *number) {
    *number = w->id;
    if (!f->names) return DONE;
    *number = sluice_names_number(f->names, (sluice_name){w->name, w->name_n});
    if (*number == UINT64_MAX) return out_of_memory();
    ++*number;
    return DONE;
}

void feature_numbers_end(feature_numbers *f) { sluice_names_free(f->names); }
