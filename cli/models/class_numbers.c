/* The labels of a model's classes in files for other programs, and numbers for them. */
#include "models/class_numbers.h"

#include "args/args.h"
#include "output/class_text.h"

#include <math.h>

static int is_of_two(const sluice_model *model) { return sluice_model_settings(model)->classes == SLUICE_CLASSES_TWO; }

size_t model_class_count(const sluice_model *model) { return is_of_two(model) ? 2 : sluice_model_classes(model); }

sluice_name model_class_label(const sluice_model *model, size_t i) {
    if (is_of_two(model)) return sluice_model_label(model, i ? INFINITY : -INFINITY);
    sluice_class c = {.size = sizeof c};
    sluice_model_class(model, i, &c);
    return c.text;
}

int model_labels_are_ints(const sluice_model *model) {
    for (size_t i = 0; i < model_class_count(model); i++) {
        const sluice_name label = model_class_label(model, i);
        uint64_t value;
        if (!parse_count(label.text + (*label.text == '-'), 0, INT32_MAX, &value)) return 0;
    }
    return 1;
}

size_t model_class_number(const sluice_model *model, sluice_name label) {
    const uint32_t found = sluice_model_find_class(model, label);
    if (found == SLUICE_NO_CLASS) return 0;
    return is_of_two(model) ? 1 + (found == positive_class(model)) : found + (size_t)1;
}
