/* Rows as the weights of a model meet them. What a model makes of a value is found by asking it to explain the row: a
 * term is the weight times the changed value, a product of two floats, which a double holds exactly. */
#include "convert/model_rows.h"

#include "models/class_numbers.h"
#include "models/feature_numbers.h"
#include "models/weight_list.h"
#include "output/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_rows {
    sluice_model *model;    /* predict-only */
    sluice_model **problem; /* one against one: the models of the pairs */
    size_t vectors;         /* of weights: those of classes, or problems */
    int by_number, labels_are_ints;
    feature_numbers numbers;
    sluice_term *terms;
    uint64_t *ids;
    sluice_name *names;
    float *values;
    unsigned char *known; /* which features of the row have a value */
    size_t room;
};

static int number_features(model_rows *r) {
    sluice_model_facts facts = {.size = sizeof facts};
    weight_list list = {0};
    uint64_t number;
    sluice_model_quick_facts(r->model, &facts);
    int rc = feature_numbers_start(&r->numbers, facts.has_names);
    if (!rc) rc = weight_list_read(&list, r->model);
    for (size_t i = 0; i < list.n && !rc; i++)
        if (!list.entry[i].is_bias) rc = feature_numbers_take(&r->numbers, &list.entry[i], &number);
    weight_list_free(&list);
    return rc;
}

static int open_problems(model_rows *r, sluice_error *err) {
    const unsigned kind = sluice_model_settings(r->model)->classes;
    r->vectors = kind == SLUICE_CLASSES_TWO ? 1 : sluice_model_problems(r->model);
    r->labels_are_ints = model_labels_are_ints(r->model);
    if (kind != SLUICE_CLASSES_OVO) return DONE;
    r->problem = calloc(r->vectors + 1, sizeof *r->problem);
    if (!r->problem) return out_of_memory();
    for (size_t i = 0; i < r->vectors; i++)
        if (!(r->problem[i] = sluice_model_problem_model(r->model, i, err))) return complain_error(err);
    return DONE;
}

int model_rows_open(model_rows **made, const char *path, int by_number) {
    sluice_error err = {0};
    model_rows *r = *made = calloc(1, sizeof *r);
    if (!r) return out_of_memory();
    sluice_model *whole = sluice_model_load(path, &err);
    r->model = whole ? sluice_model_final(whole, &err) : NULL;
    sluice_model_free(whole);
    if (!r->model) return complain_error(&err);
    const sluice_settings *s = sluice_model_settings(r->model);
    if (s->hash_bits || (s->classes == SLUICE_CLASSES_OVO && s->scale)) {
        complain("%s: %s; its rows cannot be made for other programs", path,
                 s->hash_bits ? "its features are hashed" : "every pair of classes scales features in its own way");
        return FAILED;
    }
    r->by_number = by_number;
    int rc = open_problems(r, &err);
    return rc || !by_number ? rc : number_features(r);
}

void model_rows_free(model_rows *r) {
    if (!r) return;
    for (size_t i = 0; r->problem && i < r->vectors; i++) sluice_model_free(r->problem[i]);
    free(r->problem);
    sluice_model_free(r->model);
    feature_numbers_end(&r->numbers);
    free(r->terms);
    free(r->ids);
    free(r->names);
    free(r->values);
    free(r->known);
    free(r);
}

const sluice_model *model_rows_model(const model_rows *r) { return r->model; }

static int reserve(model_rows *r, size_t n) {
    if (n <= r->room) return DONE;
    free(r->terms);
    free(r->ids);
    free(r->names);
    free(r->values);
    free(r->known);
    r->room = n + n / 2;
    r->terms = malloc(r->room * sizeof *r->terms);
    r->ids = malloc(r->room * sizeof *r->ids);
    r->names = malloc(r->room * sizeof *r->names);
    r->values = malloc(r->room * sizeof *r->values);
    r->known = malloc(r->room);
    if (r->terms && r->ids && r->names && r->values && r->known) return DONE;
    r->room = 0;
    return out_of_memory();
}

/* The values that the features of x have for the weights of one vector. */
static int find_values(model_rows *r, size_t vector, const sluice_example *x) {
    sluice_error err = {0};
    sluice_explanation why = {
        .size = sizeof why, .terms = r->terms, .room = x->n + 1, .class_index = r->problem ? 0 : vector};
    if (sluice_model_explain(r->problem ? r->problem[vector] : r->model, x, &why, &err) != SLUICE_OK)
        return complain_error(&err);
    for (size_t k = 0; k < why.n; k++) {
        const sluice_term *t = &why.terms[k];
        if (t->is_bias || t->contribution == 0) continue;
        r->values[t->position] = (float)(t->contribution / t->weight);
        r->known[t->position] = 1;
    }
    return DONE;
}

/* The number of a feature of the row. */
static int number_of(model_rows *r, const sluice_example *x, size_t k, uint64_t *number) {
    listed_weight w = {.id = x->ids ? x->ids[k] : 0};
    char digits[24];
    if (!x->names && r->numbers.names) {
        w.name_n = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, w.id);
        w.name = digits;
    } else if (x->names) {
        w.name = x->names[k].text;
        w.name_n = x->names[k].n;
        if (!r->numbers.names) { /* it has a weight, so its name is a whole number */
            for (size_t i = 0; i < w.name_n; i++) w.id = w.id * 10 + (uint64_t)(w.name[i] - '0');
        }
    }
    return feature_numbers_take(&r->numbers, &w, number);
}

static int by_number(const void *a, const void *b) {
    const sluice_term *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The features by ascending number. */
static int number_row(model_rows *r, const sluice_example *x, sluice_example *row) {
    size_t n = 0;
    for (size_t k = 0; k < x->n; k++) {
        if (!r->known[k]) continue;
        r->terms[n] = (sluice_term){.value = r->values[k]};
        const int rc = number_of(r, x, k, &r->terms[n++].id);
        if (rc) return rc;
    }
    if (n) qsort(r->terms, n, sizeof *r->terms, by_number);
    for (size_t k = 0; k < n; k++) {
        r->ids[k] = r->terms[k].id;
        r->values[k] = r->terms[k].value;
    }
    row->n = n;
    row->names = NULL;
    return DONE;
}

static void keep_known(model_rows *r, const sluice_example *x, sluice_example *row) {
    row->n = 0;
    for (size_t k = 0; k < x->n; k++) {
        if (!r->known[k]) continue;
        if (x->names)
            r->names[row->n] = x->names[k];
        else
            r->ids[row->n] = x->ids[k];
        r->values[row->n++] = r->values[k];
    }
    row->names = x->names ? r->names : NULL;
}

/* Labels that are not all whole numbers become those of their lines in the file of labels, 0 where they have none. */
static void number_label(const model_rows *r, sluice_example *row) {
    if (r->labels_are_ints || !row->word.n) return;
    row->label = (double)model_class_number(r->model, row->word);
    row->word = (sluice_name){NULL, 0};
}

int model_rows_make(model_rows *r, const sluice_example *x, sluice_example *row) {
    int rc = reserve(r, x->n + 1);
    if (rc) return rc;
    memset(r->known, 0, x->n);
    for (size_t i = 0; i < r->vectors && !rc; i++) rc = find_values(r, i, x);
    *row = *x;
    row->ids = r->ids;
    row->values = r->values;
    if (!rc && r->by_number) {
        rc = number_row(r, x, row);
        number_label(r, row);
    } else if (!rc) {
        keep_known(r, x, row);
    }
    return rc;
}
