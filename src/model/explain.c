/* Explains margins: the terms that a margin is the sum of, and the largest of them. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "features/names.h"
#include "model/classes/many.h"
#include "model/classes/problems.h"
#include "model/race/race.h"
#include "model/row_layout.h"
#include "model/scaling/row_values.h"
#include "rows/example.h"

/* The k-th feature of a row under the name or id that the row gives it. */
static sluice_term term_of(const sl_raw_row *r, size_t k) {
    sluice_term t = {.value = r->value[k], .position = k};
    if (!sl_raw_has_names(r)) {
        t.id = sl_raw_id(r, k);
        return t;
    }
    uint64_t hash;
    t.name.text = sl_raw_name(r, k, NULL, &t.name.n, &hash);
    if (!sl_id_of_name(t.name.text, t.name.n, &t.id)) t.id = 0;
    return t;
}

/* Fills in weights and contributions, and adds these up: the operations of sluice_model_margin() in its order. What
 * that leaves out has the contribution 0 here, and adding it changes nothing. */
static double add_terms(const sluice_model *m, size_t class_index, const sl_raw_row *r, double scale,
                        sluice_term *terms) {
    double sum = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_CHUNK];
        size_t at[SL_CHUNK], n = 0;
        float w[SL_CHUNK];
        for (; k < r->n && n < SL_CHUNK; k++) {
            terms[k] = term_of(r, k);
            slot[n] = sl_row_slot(m, r, k);
            at[n] = k;
            n += slot[n] != SL_NO_SLOT;
        }
        sl_class_weights(m, class_index, slot, n, w);
        for (size_t i = 0; i < n; i++) {
            sluice_term *t = &terms[at[i]];
            float value = sl_row_value(m, r, at[i], slot[i], scale);
            t->weight = sl_turn(&m->classes, (double)w[i]);
            if (value != 0) t->contribution = t->weight * (double)value;
            sum += t->contribution;
        }
    }
    return sum;
}

static sluice_status explain(const sluice_model *m, const sl_raw_row *r, sluice_explanation *given, sluice_error *err);

/* Explains the margin of the leader. */
static sluice_status explain_race(const sluice_model *m, const sl_raw_row *r, sluice_explanation *given,
                                  sluice_error *err) {
    sl_race_row row;
    if (!sl_race_row_make(&row, m, r)) return sl_fail(err, SLUICE_E_MEMORY, "no memory to explain a margin");
    const sluice_status status = explain(sl_race_leader(m), &row.row, given, err);
    sl_race_row_free(&row);
    if (status != SLUICE_OK) return status;
    for (size_t k = 0; k < r->n; k++) { /* its terms, under the names that they have here */
        const sluice_term named = term_of(r, k);
        given->terms[k].id = named.id;
        given->terms[k].name = named.name;
    }
    for (size_t k = 0; m->classes.turned && k < given->n; k++) {
        given->terms[k].weight = 0 - given->terms[k].weight;
        given->terms[k].contribution = 0 - given->terms[k].contribution;
    }
    if (m->classes.turned) given->margin = 0 - given->margin;
    return SLUICE_OK;
}

static sluice_status explain(const sluice_model *m, const sl_raw_row *r, sluice_explanation *given, sluice_error *err) {
    sluice_explanation why = {.size = sizeof why};
    sluice_status status = sl_sized_read(&why, sizeof why, given, "sluice_explanation", err);
    if (status != SLUICE_OK) return status;
    if (m->race) return explain_race(m, r, given, err);
    const uint32_t bias = sl_space_bias(&m->features.space);
    const size_t n = r->n + (bias != SL_NO_SLOT);
    if (m->settings.classes == SLUICE_CLASSES_OVO)
        return sl_fail(err, SLUICE_E_UNSUPPORTED,
                       "one against one, a margin is that of many problems, and is not explained");
    if (why.class_index >= (sl_model_is_of_many(m) ? m->classes.table.n : 1))
        return sl_fail(err, SLUICE_E_USAGE, "there is no class %zu%s", why.class_index,
                       sl_model_is_of_many(m) ? "" : ": a model of two classes has one margin, 0");
    if (m->problems) {
        const size_t class_index = why.class_index;
        given->class_index = 0;
        status = explain(m->problems->problem[class_index], r, given, err);
        given->class_index = class_index;
        return status;
    }
    if (n > why.room || (n && !why.terms))
        return sl_fail(err, SLUICE_E_USAGE, "the explanation of this example needs room for %zu terms", n);
    why.n = n;
    why.scale = sl_row_scale(m, r);
    why.margin = add_terms(m, why.class_index, r, why.scale, why.terms);
    if (bias != SL_NO_SLOT) {
        sluice_term t = {.is_bias = 1, .value = (float)m->settings.bias, .position = r->n};
        float w;
        sl_class_weights(m, why.class_index, &bias, 1, &w);
        t.weight = sl_turn(&m->classes, (double)w);
        t.contribution = t.weight * m->settings.bias;
        why.margin += t.contribution;
        why.terms[r->n] = t;
    }
    sl_sized_write(given, &why, sizeof why);
    if (isfinite(why.margin)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_NUMERIC, "the margin is not a number: the model has left the range of numbers");
}

sluice_status sluice_model_explain(const sluice_model *m, const sluice_example *x, sluice_explanation *why,
                                   sluice_error *err) {
    if (sl_check_values(x, err) != SLUICE_OK) return SLUICE_E_DATA;
    sl_raw_row r = sl_example_raw(x);
    return explain(m, &r, why, err);
}

sluice_status sluice_model_explain_row(const sluice_model *m, const sluice_batch *b, size_t row,
                                       sluice_explanation *why, sluice_error *err) {
    if (row >= b->rows) return sl_fail(err, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    sl_raw_row r = sl_batch_raw(b, row);
    return explain(m, &r, why, err);
}

/* ---- the largest ------------------------------------------------------------------------------------------------- */

static int by_contribution(const void *left, const void *right) {
    const sluice_term *a = left, *b = right;
    double x = fabs(a->contribution), y = fabs(b->contribution);
    if (x != y) return x > y ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Restores a heap whose root is the smallest, from one element down. */
static void sink(sluice_term *heap, size_t n, size_t from) {
    for (size_t child; (child = 2 * from + 1) < n; from = child) {
        if (child + 1 < n && by_contribution(&heap[child + 1], &heap[child]) > 0) child++;
        if (by_contribution(&heap[from], &heap[child]) >= 0) return;
        sluice_term smaller = heap[child];
        heap[child] = heap[from];
        heap[from] = smaller;
    }
}

size_t sluice_terms_largest(sluice_term *terms, size_t n, size_t top) {
    if (top > n) top = n;
    if (top == 0) return 0;
    for (size_t i = top < n ? top / 2 : 0; i-- > 0;) sink(terms, top, i);
    for (size_t i = top; i < n; i++) {
        if (by_contribution(&terms[i], &terms[0]) > 0) continue;
        sluice_term larger = terms[i];
        terms[i] = terms[0];
        terms[0] = larger;
        sink(terms, top, 0);
    }
    qsort(terms, top, sizeof *terms, by_contribution);
    while (top && terms[top - 1].contribution == 0) top--;
    return top;
}
