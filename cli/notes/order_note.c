/* Says that examples sorted by label were learned: to name the label of the example before is then nearly always right.
 */
#include "notes/order_note.h"

#include "output/message.h"
#include "terminal/figures.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_OF_CLASS = 50, /* examples of each of two classes: fewer may come together by chance */
    RARER = 20,          /* times as many changes are expected in random order */
};

void label_order_add(label_order *o, sluice_name word, double label) {
    const int positive = word.n || label > 0;
    const size_t start = word.n < sizeof o->start ? word.n : sizeof o->start;
    if (o->seen && positive == o->positive && word.n == o->n && (!start || !memcmp(o->start, word.text, start))) return;
    o->changes += o->seen != 0;
    o->seen = 1;
    o->positive = positive;
    o->n = word.n;
    if (start) memcpy(o->start, word.text, start);
}

void label_order_learned(label_order *o, const sluice_batch *batch, size_t first, size_t n) {
    for (size_t i = first; i < first + n; i++)
        if (sluice_batch_weight(batch, i) > 0)
            label_order_add(o, sluice_batch_word(batch, i), sluice_batch_label(batch, i));
}

int label_order_is_sorted(const label_order *o, const uint64_t *rows, size_t n) {
    double squares = 0, all = 0;
    size_t large = 0;
    for (size_t i = 0; i < n; i++) {
        const double count = (double)rows[i];
        squares += count * count;
        all += count;
        large += count >= LEAST_OF_CLASS;
    }
    return large >= 2 && (double)o->changes * RARER < all - squares / all;
}

void label_order_note(const label_order *o, const sluice_measures *m, const class_figures *classes) {
    const uint64_t two[] = {m->true_pos + m->false_neg, m->true_neg + m->false_pos};
    uint64_t *rows = classes->n ? calloc(classes->n, sizeof *rows) : NULL;
    if (classes->n && !rows) return;
    for (size_t i = 0; i < classes->n; i++) rows[i] = classes->of[i].support;
    const int sorted = label_order_is_sorted(o, rows ? rows : two, rows ? classes->n : 2);
    free(rows);
    if (!sorted) return;
    note("the labels come in %s long runs: the error while learning is not that of unseen examples, and the "
         "model may know little but the last label; unless that order has a meaning, shuffle the examples first: "
         "sluice convert --shuffle SEED",
         COUNT(o->changes + 1));
}
