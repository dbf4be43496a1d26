/* Says that examples sorted by label were learned: to name the label of the example before is then nearly always right.
 */
#include "notes/order_note.h"

#include "output/message.h"

#include <inttypes.h>
#include <string.h>

enum {
    LEAST_OF_CLASS = 50, /* examples of each of two classes: fewer may come together by chance */
    RARER = 20,          /* times as many changes are expected in random order */
};

void label_order_learned(label_order *o, const sluice_batch *batch, size_t first, size_t n) {
    for (size_t i = first; i < first + n; i++) {
        if (!(sluice_batch_weight(batch, i) > 0)) continue;
        const sluice_name word = sluice_batch_word(batch, i);
        const int positive = word.n || sluice_batch_label(batch, i) > 0;
        const size_t start = word.n < sizeof o->start ? word.n : sizeof o->start;
        if (o->seen && positive == o->positive && word.n == o->n && (!start || !memcmp(o->start, word.text, start)))
            continue;
        o->changes += o->seen != 0;
        o->seen = 1;
        o->positive = positive;
        o->n = word.n;
        if (start) memcpy(o->start, word.text, start);
    }
}

void label_order_note(const label_order *o, const sluice_measures *m, const class_figures *classes) {
    const uint64_t two[] = {m->true_pos + m->false_neg, m->true_neg + m->false_pos};
    const size_t n = classes->n ? classes->n : 2;
    double squares = 0, all = 0;
    size_t large = 0;
    for (size_t i = 0; i < n; i++) {
        const double count = (double)(classes->n ? classes->of[i].support : two[i]);
        squares += count * count;
        all += count;
        large += count >= LEAST_OF_CLASS;
    }
    if (large < 2 || (double)o->changes * RARER >= all - squares / all) return;
    note("the labels come in %" PRIu64 " long runs: the error while learning is not that of unseen examples, and the "
         "model may know little but the last label; unless that order has a meaning, shuffle the examples first: "
         "sluice convert --shuffle SEED",
         o->changes + 1);
}
