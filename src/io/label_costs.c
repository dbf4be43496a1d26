/* Costs of labels: factors for the importance weights of rows, by their labels. */
#include "io/label_costs.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "rows/batch.h"
#include "rows/class_table.h"

struct sl_label_costs {
    sl_class_table labels;
    size_t plain[3]; /* the cost of -1, 0 and 1, or SL_NO_CLASS */
    double *factor;
    _Atomic uint64_t *rows;
};

void sl_label_costs_free(sl_label_costs *c) {
    if (!c) return;
    sl_classes_free(&c->labels);
    free(c->factor);
    free(c->rows);
    free(c);
}

static sluice_status add(sl_label_costs *c, const sluice_cost *cost, sluice_error *err) {
    char shown[128];
    const sluice_name label = {cost->label, cost->label ? strlen(cost->label) : 0};
    if (label.n == 0 || label.n > SLUICE_MAX_NAME)
        return sl_fail(err, SLUICE_E_USAGE, "a cost needs a label of 1 to %d bytes", SLUICE_MAX_NAME);
    sl_quote(shown, label.text, label.n);
    if (!(cost->factor >= 0 && cost->factor <= (double)FLT_MAX) || (cost->factor > 0 && (float)cost->factor == 0))
        return sl_fail(err, SLUICE_E_USAGE, "the cost of %s is not 0 and not within the range of floats", shown);
    if (sl_classes_find(&c->labels, label) != SL_NO_CLASS)
        return sl_fail(err, SLUICE_E_USAGE, "the label %s has two costs", shown);
    size_t i = sl_classes_add(&c->labels, label);
    if (i == SL_NO_CLASS) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a cost");
    c->factor[i] = cost->factor;
    return SLUICE_OK;
}

sl_label_costs *sl_label_costs_new(const sluice_cost *costs, size_t n, sluice_error *err) {
    sl_label_costs *c = calloc(1, sizeof *c);
    if (c) {
        c->factor = calloc(n + 1, sizeof *c->factor);
        c->rows = calloc(n + 1, sizeof *c->rows);
    }
    if (!c || !c->factor || !c->rows) {
        sl_label_costs_free(c);
        sl_fail(err, SLUICE_E_MEMORY, "no memory for costs");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (add(c, &costs[i], err) == SLUICE_OK) continue;
        sl_label_costs_free(c);
        return NULL;
    }
    for (int k = 0; k < 3; k++) c->plain[k] = sl_classes_find_number(&c->labels, k - 1);
    return c;
}

/* The cost of a row, or SL_NO_CLASS. */
static size_t find(const sl_label_costs *c, const sluice_batch *b, size_t row) {
    const sluice_name word = sl_batch_word(b, row);
    const float label = b->label[row];
    if (word.n) return sl_classes_find(&c->labels, word);
    if (label == 1) return c->plain[2]; /* these are nearly all that have no text */
    if (label == 0) return c->plain[1];
    if (label == -1) return c->plain[0];
    return sl_classes_find_number(&c->labels, (double)label);
}

void sl_label_costs_apply(sl_label_costs *c, sluice_batch *b) {
    for (size_t row = 0; row < b->rows && !b->has_weights; row++) b->weight[row] = 1;
    b->has_weights |= b->rows > 0;
    for (size_t row = 0; row < b->rows; row++) {
        size_t i = b->weight[row] > 0 ? find(c, b, row) : SL_NO_CLASS;
        if (i == SL_NO_CLASS) continue;
        double weight = (double)b->weight[row] * c->factor[i];
        b->weight[row] = (float)fmin(weight, (double)FLT_MAX);
        atomic_fetch_add_explicit(&c->rows[i], 1, memory_order_relaxed);
    }
}

uint64_t sl_label_costs_rows(const sl_label_costs *c, size_t i) {
    return i < c->labels.n ? atomic_load_explicit(&c->rows[i], memory_order_relaxed) : 0;
}
