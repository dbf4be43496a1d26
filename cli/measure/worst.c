/* Keeps the worst mistakes of a test, with their explanations. */
#include "measure/worst.h"

#include "output/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies a text, as far as there is room. */
static void keep(char to[WORST_TEXT], const char *text, size_t n) {
    if (n >= WORST_TEXT) n = WORST_TEXT - 1;
    if (n) memcpy(to, text, n);
    to[n] = 0;
}

/* The label of a row as it is written. */
static void label_of(const sluice_batch *batch, size_t row, char text[WORST_TEXT]) {
    sluice_name word = sluice_batch_word(batch, row);
    if (word.n)
        keep(text, word.text, word.n);
    else
        snprintf(text, WORST_TEXT, "%g", sluice_batch_label(batch, row));
}

static int is_right(const sluice_model *model, const sluice_batch *batch, size_t row, double margin) {
    double sign;
    return sluice_model_signs(model, batch, row, 1, &sign, NULL) == SLUICE_OK &&
           (sign > 0) == sluice_model_predicts_positive(model, margin);
}

static int explain(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, size_t row,
                   size_t class_index, mistake *to) {
    sluice_error err = {0};
    size_t need = sluice_batch_nonzeros(batch, row) + 1;
    if (need > worst->room) {
        free(worst->terms);
        worst->terms = malloc(need * sizeof *worst->terms);
        worst->room = worst->terms ? need : 0;
        if (!worst->terms) return out_of_memory();
    }
    sluice_explanation why = {.size = sizeof why, .terms = worst->terms, .room = worst->room};
    why.class_index = class_index;
    if (sluice_model_explain_row(model, batch, row, &why, &err) != SLUICE_OK) return complain_error(&err);
    to->n = sluice_terms_largest(why.terms, why.n, WORST_TERMS);
    for (size_t i = 0; i < to->n; i++) {
        const sluice_term *t = &why.terms[i];
        worst_term *kept = &to->terms[i];
        *kept = (worst_term){.id = t->id, .is_bias = t->is_bias, .contribution = t->contribution};
        kept->named = t->name.text != NULL;
        kept->n = t->name.n < WORST_TEXT ? t->name.n : WORST_TEXT;
        if (kept->n) memcpy(kept->name, t->name.text, kept->n);
    }
    return DONE;
}

/* How wrong a margin is: how far beyond the threshold, where the model has one. */
static double distance(const sluice_model *model, double margin) {
    double threshold;
    sluice_model_threshold(model, &threshold);
    return fabs(margin - threshold);
}

/* Puts the mistake in its place; the last one falls out where there are too many. */
static void insert(worst_mistakes *worst, const mistake *m) {
    size_t at = worst->n < WORST_MISTAKES ? worst->n++ : WORST_MISTAKES - 1;
    for (; at > 0 && worst->mistakes[at - 1].distance < m->distance; at--)
        worst->mistakes[at] = worst->mistakes[at - 1];
    worst->mistakes[at] = *m;
}

/* Whether a mistake at this distance is among the worst so far. */
static int is_worst(const worst_mistakes *worst, double distance) {
    return distance > (worst->n < WORST_MISTAKES ? -1 : worst->mistakes[WORST_MISTAKES - 1].distance);
}

/* Notes a mistake whose margin and distance are filled in, with what was said and why: by the margin of this class. */
static int note_one(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, size_t row,
                    sluice_name said, size_t class_index, mistake *m) {
    keep(m->said, said.text, said.n);
    label_of(batch, row, m->label);
    sluice_row_origin from = {.size = sizeof from};
    sluice_batch_origin(batch, row, &from, NULL); /* it fails for a wrong size or row alone */
    m->line = from.line ? from.line : worst->rows;
    int rc = explain(worst, model, batch, row, class_index, m);
    if (!rc) insert(worst, m);
    return rc;
}

int note_worst(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, const double *margins) {
    mistake m;
    int rc = DONE;
    for (size_t i = 0; i < sluice_batch_rows(batch) && !rc; i++) {
        worst->rows++;
        m.margin = margins[i];
        m.distance = distance(model, margins[i]);
        if (!is_worst(worst, m.distance) || !(sluice_batch_weight(batch, i) > 0)) continue;
        if (!is_right(model, batch, i, margins[i]))
            rc = note_one(worst, model, batch, i, sluice_model_label(model, margins[i]), 0, &m);
    }
    return rc;
}

int note_worst_class(worst_mistakes *worst, const sluice_model *model, const sluice_batch *batch, size_t row,
                     uint32_t truth, uint32_t predicted, const double *margins) {
    mistake m;
    sluice_class said = {.size = sizeof said};
    worst->rows++;
    if (truth == predicted || truth == SLUICE_NO_CLASS || predicted == SLUICE_NO_CLASS) return DONE;
    m.margin = margins[predicted];
    m.distance = margins[predicted] - margins[truth];
    if (!is_worst(worst, m.distance) || !(sluice_batch_weight(batch, row) > 0)) return DONE;
    sluice_model_class(model, predicted, &said);
    return note_one(worst, model, batch, row, said.text, predicted, &m);
}

void worst_free(worst_mistakes *worst) {
    free(worst->terms);
    worst->terms = NULL;
    worst->room = 0;
}
