/* Limits of several classes, and labels that are numbers to predict rather than classes. */
#include "model/classes/class_limits.h"

#include <math.h>

#include "base/error.h"

enum { FEWEST = 1000 }; /* classes from which on labels are looked at */

size_t sl_class_limit(const sluice_model *m) {
    return m->settings.classes == SLUICE_CLASSES_MATRIX ? SLUICE_MAX_MATRIX_CLASSES
           : m->settings.classes == SLUICE_CLASSES_OVO  ? SLUICE_MAX_OVO_CLASSES
                                                        : SLUICE_MAX_OVR_CLASSES;
}

sluice_status sl_too_many_classes(sluice_model *m) {
    return sl_fail(&m->error, SLUICE_E_LIMIT, "more than %zu classes%s", sl_class_limit(m),
                   m->settings.classes == SLUICE_CLASSES_MATRIX ? ""
                   : m->settings.classes == SLUICE_CLASSES_OVO  ? " one against one: use --classes ovr or matrix"
                                                                : ": use --classes matrix");
}

/* What the classes of a table are like. */
typedef struct census {
    size_t numbers, fractions, once; /* fractions: numbers that are not whole */
    double least, most;
    uint64_t examples;
} census;

static census count(const sl_class_table *t) {
    census c = {.least = INFINITY, .most = -INFINITY};
    for (size_t i = 0; i < t->n; i++) {
        const sl_class *e = &t->entry[i];
        c.once += e->count <= 1;
        c.examples += e->count;
        if (!e->is_number) continue;
        c.numbers++;
        c.fractions += e->number != floor(e->number);
        c.least = fmin(c.least, e->number);
        c.most = fmax(c.most, e->number);
    }
    return c;
}

/* Nearly all are numbers that came once. A stream of many classes begins like that, too: where there may be more
 * classes, the numbers must also be such that classes are not numbered with, most of them not whole or further apart
 * than there can be classes. */
static bool is_to_predict(const sl_class_table *t, const census *c, bool full) {
    const double most = 0.9 * (double)t->n;
    if ((double)c->once < most || (double)c->numbers < most) return false;
    return full || 2 * c->fractions >= t->n || c->most - c->least > SLUICE_MAX_MATRIX_CLASSES;
}

/* FEWEST classes, twice as many, four times as many ... */
static bool is_looked_at(size_t n) {
    const size_t times = n / FEWEST;
    return n % FEWEST == 0 && times && (times & (times - 1)) == 0;
}

sluice_status sl_classes_check_more(sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    const bool full = t->n >= sl_class_limit(m);
    if (!full && !is_looked_at(t->n)) return SLUICE_OK;
    const census c = count(t);
    if (!m->classes.are_classes && is_to_predict(t, &c, full))
        return sl_fail(&m->error, SLUICE_E_DATA,
                       "%zu different labels in %llu examples, of which %zu came once: this looks like a number to "
                       "predict, not a class (--label names another column; classes can be written as words%s)",
                       t->n, (unsigned long long)c.examples, c.once,
                       full && m->settings.classes != SLUICE_CLASSES_MATRIX ? "; more of them take --classes matrix"
                                                                            : "");
    return full ? sl_too_many_classes(m) : SLUICE_OK;
}

static bool is_fraction(double number) { return number != floor(number); }

const char *sl_classes_hint(const sl_class_table *t, sluice_name label) {
    double number;
    if (!sl_text_is_number(label, &number)) return "";
    bool fraction = is_fraction(number);
    for (size_t i = 0; i < t->n; i++) {
        if (!t->entry[i].is_number) return "";
        fraction |= is_fraction(t->entry[i].number);
    }
    return fraction ? " (a number to predict is no class)" : "";
}
