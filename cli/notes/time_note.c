/* Says where random folds may mislead because the labels change along the input, and where folds in order may because
 * the examples are sorted by label. */
#include "notes/time_note.h"

#include "notes/order_note.h"
#include "output/message.h"
#include "terminal/figures.h"

#include <math.h>
#include <string.h>

enum {
    TENTHS = 10,
    LEAST_RARE = 50, /* examples of the rarer side: fewer may come together by chance */
};
static const double surprising = 60; /* of chi-square with 9 degrees of freedom: a probability of 1e-9 */
static const double much = 1.5;      /* how many times as large the largest share is as the smallest */

/* How often a row has the label of the first one, in each tenth of the rows. */
typedef struct tenths {
    double rows[TENTHS], same[TENTHS];
} tenths;

static int same_label(const sluice_example *a, const sluice_example *b) {
    if (a->word.n || b->word.n) return a->word.n == b->word.n && memcmp(a->word.text, b->word.text, a->word.n) == 0;
    return (a->label > 0) == (b->label > 0);
}

static tenths count(const sluice_dataset *data, label_order *order) {
    const size_t n = sluice_dataset_rows(data);
    sluice_example first = {0}, x;
    tenths t = {{0}, {0}};
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        sluice_dataset_row(data, i, &x);
        if (!(x.weight > 0)) continue;
        if (!any) first = x;
        any = 1;
        const size_t at = i * TENTHS / n;
        t.rows[at]++;
        t.same[at] += same_label(&x, &first);
        label_order_add(order, x.word, x.label);
    }
    return t;
}

/* Whether the shares of the tenths differ by more than chance, and much: then of the rarer side in the first and in the
 * last of them. */
static int changes(const tenths *t, double *first, double *last) {
    double rows = 0, same = 0, chi = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < TENTHS; i++) rows += t->rows[i], same += t->same[i];
    const int rare = same * 2 <= rows;
    const double all = rare ? same : rows - same, share = all / rows;
    if (all < LEAST_RARE || t->rows[0] == 0 || t->rows[TENTHS - 1] == 0) return 0;
    for (size_t i = 0; i < TENTHS; i++) {
        if (t->rows[i] == 0) continue;
        const double found = rare ? t->same[i] : t->rows[i] - t->same[i], expected = share * t->rows[i];
        chi += (found - expected) * (found - expected) / (expected * (1 - share));
        low = fmin(low, found / t->rows[i]);
        high = fmax(high, found / t->rows[i]);
    }
    *first = (rare ? t->same[0] : t->rows[0] - t->same[0]) / t->rows[0];
    *last = (rare ? t->same[TENTHS - 1] : t->rows[TENTHS - 1] - t->same[TENTHS - 1]) / t->rows[TENTHS - 1];
    return chi > surprising && high > much * low;
}

void time_note(const sluice_dataset *data, int in_order) {
    label_order order = {0};
    double first, last;
    const tenths t = count(data, &order);
    double rows = 0, same = 0;
    for (size_t i = 0; i < TENTHS; i++) rows += t.rows[i], same += t.same[i];
    const uint64_t sides[] = {(uint64_t)same, (uint64_t)(rows - same)};
    const int sorted = label_order_is_sorted(&order, sides, 2);
    if (sorted && in_order)
        note("the labels come in %s long runs: what comes next is then unlike the past; unless that order has a "
             "meaning, leave the folds random",
             COUNT(order.changes + 1));
    if (!sorted && !in_order && changes(&t, &first, &last))
        note("the labels change along the input (the rarer side: %.1f %% of the first tenth, %.1f %% of the last), and "
             "random folds mix it; if that is time, --folds forward measures on what comes later",
             100 * first, 100 * last);
}
