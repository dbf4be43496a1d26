/* Measures of predictions, all in one pass and, but for the exact AUC, in fixed memory. */
#include <stdlib.h>
#include <string.h>

#include "core/batch.h"
#include "core/error.h"
#include "core/probability.h"

/* The progressive AUC sorts margins into bins: the upper half of the bits of a float (sign, exponent, 7 bits of
 * fraction), so that a bin is at most 0.8 % wide wherever it lies. Margins in one bin count as ties. */
enum { BINS = 1 << 16 };

/* Of the calibration error. */
enum { CALIBRATION_BINS = 15 };

typedef struct margins {
    double *value;
    size_t n, room;
} margins;

struct sluice_meter {
    sluice_meter_options options;
    sluice_error error;
    uint64_t count[2][2]; /* [label is +1][prediction is +1] */
    double hinge, logistic, brier;
    uint64_t *bin[2]; /* by label */
    margins kept[2];  /* exact AUC instead of bins */
};

sluice_meter *sluice_meter_new(const sluice_meter_options *options, sluice_error *err) {
    sluice_meter *m = calloc(1, sizeof *m);
    if (m && options)
        memcpy(&m->options, options, options->size < sizeof m->options ? options->size : sizeof m->options);
    if (m && !m->options.exact_auc) {
        m->bin[0] = calloc(2 * (size_t)BINS, sizeof **m->bin);
        m->bin[1] = m->bin[0] + BINS;
    }
    if (!m || (!m->options.exact_auc && !m->bin[0])) {
        free(m);
        sl_fail(err, SLUICE_E_MEMORY, "no memory for the measures");
        return NULL;
    }
    sluice_meter_options *o = &m->options;
    if (!(o->cost_missed >= 0 && o->cost_alarm >= 0 && o->mu_pos >= 0 && o->mu_pos <= 1)) {
        sl_fail(err, SLUICE_E_USAGE, "costs are not negative, and mu_pos lies between 0 and 1");
        sluice_meter_free(m);
        return NULL;
    }
    if (o->cost_missed == 0) o->cost_missed = 1;
    if (o->cost_alarm == 0) o->cost_alarm = 1;
    if (o->mu_pos == 0) o->mu_pos = 0.5;
    return m;
}

void sluice_meter_free(sluice_meter *m) {
    if (!m) return;
    free(m->bin[0]);
    free(m->kept[0].value);
    free(m->kept[1].value);
    free(m);
}

/* Bins in the order of the margins: floats compare like sign-magnitude integers. */
static size_t bin_of(double margin) {
    float f = (float)margin + 0.0f; /* -0 is 0 */
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000u;
    return bits >> 16;
}

static bool keep(margins *k, double margin) {
    if (k->n == k->room) {
        size_t room = k->room ? k->room * 2 : 1024;
        double *value = realloc(k->value, room * sizeof *value);
        if (!value) return false;
        k->value = value;
        k->room = room;
    }
    k->value[k->n++] = margin;
    return true;
}

static bool has_probabilities(const sluice_meter *m) {
    return m->options.probability || (m->options.model && sluice_model_has_probability(m->options.model));
}

static double log_odds(const sluice_meter *m, double margin) {
    return m->options.model ? sl_model_log_odds(m->options.model, margin) : margin;
}

/* log(1 + exp(-a)) without overflow, a being the log odds of the label there is; and what its probability misses 1 by.
 */
static void add_probability(sluice_meter *m, double margin, int positive) {
    double odds = log_odds(m, margin), a = positive ? odds : -odds, missed = 1 / (1 + exp(a));
    m->logistic += (a < 0 ? -a : 0) + log1p(exp(-fabs(a)));
    m->brier += missed * missed;
}

sluice_status sluice_meter_add(sluice_meter *m, double margin, double label) {
    int positive = label > 0;
    if (m->options.exact_auc) {
        if (!keep(&m->kept[positive], margin))
            return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory to keep every margin for the exact AUC");
    } else {
        m->bin[positive][bin_of(margin)]++;
    }
    m->count[positive][margin > 0]++;
    double agreement = positive ? margin : -margin;
    if (agreement < 1) m->hinge += 1 - agreement;
    if (has_probabilities(m)) add_probability(m, margin, positive);
    return SLUICE_OK;
}

sluice_status sluice_meter_add_batch(sluice_meter *m, const sluice_batch *b, const double *margin) {
    for (size_t i = 0; i < b->rows; i++) {
        if (b->has_weights && b->weight[i] == 0) continue;
        sluice_status status = sluice_meter_add(m, margin[i], (double)b->label[i]);
        if (status != SLUICE_OK) return status;
    }
    return SLUICE_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Their order is nobody's business. */
static void sort_margins(margins *k) {
    if (k->n) qsort(k->value, k->n, sizeof *k->value, by_value);
}

/* The share of pairs (positive, negative) in which the positive has the larger margin; ties count half. Counts are kept
 * as integers as long as possible: exact up to 2^53 pairs. */
static double auc_exact(const sluice_meter *m) {
    const margins *neg = &m->kept[0], *pos = &m->kept[1];
    if (!neg->n || !pos->n) return NAN;
    double wins = 0;
    size_t below = 0, not_above = 0;
    for (size_t i = 0; i < pos->n; i++) {
        while (below < neg->n && neg->value[below] < pos->value[i]) below++;
        while (not_above < neg->n && neg->value[not_above] <= pos->value[i]) not_above++;
        wins += (double)(below + not_above) / 2;
    }
    return wins / ((double)pos->n * (double)neg->n);
}

static double auc_binned(const sluice_meter *m, double positives, double negatives) {
    if (positives == 0 || negatives == 0) return NAN;
    double wins = 0, below = 0;
    for (size_t i = 0; i < BINS; i++) {
        double neg = (double)m->bin[0][i];
        wins += (double)m->bin[1][i] * (below + neg / 2);
        below += neg;
    }
    return wins / (positives * negatives);
}

/* The next smallest of the margins kept, which are sorted; *label: whose it is. */
static double next_margin(const sluice_meter *m, size_t next[2], int *label) {
    const margins *neg = &m->kept[0], *pos = &m->kept[1];
    *label = next[0] == neg->n || (next[1] < pos->n && pos->value[next[1]] < neg->value[next[0]]);
    return m->kept[*label].value[next[*label]++];
}

/* Probabilities do not fall as margins rise, so bins of margins are bins of probabilities. Equal probabilities are
 * never parted: a bin that is full waits for the next one that differs. */
static double calibration_error(const sluice_meter *m) {
    size_t n = m->kept[0].n + m->kept[1].n, next[2] = {0, 0}, bin = 1;
    double surplus = 0, sum = 0, last = -1;
    for (size_t i = 0; i < n; i++) {
        int label;
        double p = 1 / (1 + exp(-log_odds(m, next_margin(m, next, &label))));
        if (i * CALIBRATION_BINS >= bin * n && p != last) {
            sum += fabs(surplus);
            surplus = 0;
            bin = i * CALIBRATION_BINS / n + 1;
        }
        surplus += p - label;
        last = p;
    }
    return n ? (sum + fabs(surplus)) / (double)n : NAN;
}

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

const sluice_error *sluice_meter_error(const sluice_meter *m) { return &m->error; }

void sluice_meter_read(sluice_meter *m, sluice_measures *measures) {
    uint64_t tp = m->count[1][1], fn = m->count[1][0], fp = m->count[0][1], tn = m->count[0][0];
    double pos = (double)(tp + fn), neg = (double)(tn + fp), all = pos + neg;
    double mu = m->options.mu_pos;
    sluice_measures r = {.size = measures->size, .examples = tp + fn + fp + tn, .mistakes = fn + fp};
    r.true_pos = tp;
    r.false_pos = fp;
    r.true_neg = tn;
    r.false_neg = fn;
    r.error_rate = ratio((double)r.mistakes, all);
    r.accuracy = ratio((double)(tp + tn), all);
    r.sensitivity = r.recall = ratio((double)tp, pos);
    r.specificity = ratio((double)tn, neg);
    r.balanced_accuracy = 0.5 * r.sensitivity + 0.5 * r.specificity;
    r.sum = mu * r.sensitivity + (1 - mu) * r.specificity;
    r.cost = m->options.cost_missed * (double)fn + m->options.cost_alarm * (double)fp;
    r.precision = ratio((double)tp, (double)(tp + fp));
    r.f1 = ratio(2 * (double)tp, (double)(2 * tp + fp + fn));
    sort_margins(&m->kept[0]);
    sort_margins(&m->kept[1]);
    r.auc = m->options.exact_auc ? auc_exact(m) : auc_binned(m, pos, neg);
    r.hinge_loss = ratio(m->hinge, all);
    bool known = has_probabilities(m);
    r.log_loss = known ? ratio(m->logistic, all) : NAN;
    r.brier = known ? ratio(m->brier, all) : NAN;
    r.calibration_error = known && m->options.exact_auc ? calibration_error(m) : NAN;
    memcpy(measures, &r, measures->size < sizeof r ? measures->size : sizeof r);
}
