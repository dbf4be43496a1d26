/* Measures of predictions, all in one pass and, but for the exact AUC, in fixed memory. */
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "base/error.h"
#include "eval/meter.h"
#include "eval/sort_doubles.h"
#include "base/sized_struct.h"
#include "model/probability.h"
#include "model/threshold.h"

/* The progressive AUC sorts margins into bins: the upper half of the bits of a float (sign, exponent, 7 bits of
 * fraction), so that a bin is at most 0.8 % wide wherever it lies. Margins in one bin count as ties. */
enum { BINS = 1 << 16 };

sluice_meter *sluice_meter_new(const sluice_meter_options *options, sluice_error *err) {
    sluice_meter *m = calloc(1, sizeof *m);
    if (m && sl_sized_read(&m->options, sizeof m->options, options, "sluice_meter_options", err) != SLUICE_OK) {
        free(m);
        return NULL;
    }
    if (m) m->of_many = m->options.model && sl_model_is_of_many(m->options.model);
    if (m && !m->options.exact_auc) {
        m->bin[0] = calloc(2 * (size_t)BINS, sizeof **m->bin);
        if (m->bin[0]) m->bin[1] = m->bin[0] + BINS;
    }
    if (!m || (!m->options.exact_auc && !m->bin[0])) {
        free(m);
        sl_fail(err, SLUICE_E_MEMORY, "no memory for the measures");
        return NULL;
    }
    sluice_meter_options *o = &m->options;
    const bool shares = o->mu_pos >= 0 && o->mu_pos <= 1 && o->precision >= 0 && o->precision <= 1;
    if (!(o->cost_missed >= 0 && o->cost_alarm >= 0 && shares)) {
        sl_fail(err, SLUICE_E_USAGE, "costs are not negative, and mu_pos and precision lie between 0 and 1");
        sluice_meter_free(m);
        return NULL;
    }
    if (o->cost_missed == 0) o->cost_missed = 1;
    if (o->cost_alarm == 0) o->cost_alarm = 1;
    if (o->mu_pos == 0) o->mu_pos = 0.5;
    if (o->top_classes > SLUICE_MAX_TOP_CLASSES) {
        sl_fail(err, SLUICE_E_USAGE, "top_classes is at most %d", SLUICE_MAX_TOP_CLASSES);
        sluice_meter_free(m);
        return NULL;
    }
    if (o->top_classes == 0) o->top_classes = SLUICE_TOP_ACCURACIES;
    m->classes.ranks = o->top_classes;
    return m;
}

void sluice_meter_free(sluice_meter *m) {
    if (!m) return;
    free(m->bin[0]);
    free(m->kept[0].value);
    free(m->kept[1].value);
    sl_class_counts_free(&m->classes);
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

/* The largest margin of a bin. */
static double bin_end(size_t bin) {
    uint32_t bits = (uint32_t)bin << 16 | 0xffff;
    bits = bits >> 31 ? bits & 0x7fffffffu : ~bits;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static bool keep(sl_margins *k, double margin) {
    if (k->n == k->room) {
        size_t room = k->room ? k->room * 2 : 1024;
        double *value = realloc(k->value, room * sizeof *value);
        if (!value) return false;
        k->value = value;
        k->room = room;
    }
    k->value[k->n++] = margin;
    k->sorted = false;
    return true;
}

static bool has_probabilities(const sluice_meter *m) {
    return m->options.probability || (m->options.model && sluice_model_has_probability(m->options.model));
}

static double log_odds(const sluice_meter *m, double margin) {
    return m->options.model ? sl_model_log_odds(m->options.model, margin) : margin;
}

/* Adds log(1 + exp(-a)), without overflow, where a is the log odds of the actual label, and the square of 1 minus its
 * probability. A model that learns may have no probability as yet: that is 1/2. */
static void add_probability(sluice_meter *m, double margin, int positive) {
    const double known = log_odds(m, margin), odds = isnan(known) ? 0 : known;
    double a = positive ? odds : -odds, missed = 1 / (1 + exp(a));
    m->logistic += (a < 0 ? -a : 0) + log1p(exp(-fabs(a)));
    m->brier += missed * missed;
}

__attribute__((noinline, cold)) void sl_meter_tell(const sluice_meter *m, double margin, uint32_t truth,
                                                   uint32_t predicted) {
    const sluice_prediction p = {.margin = margin, .truth = truth, .predicted = predicted};
    m->options.prediction(m->options.context, &p);
}

/* Counts a prediction: `yes`, or no. */
static sluice_status count(sluice_meter *m, double margin, int positive, int yes) {
    if (m->of_many) return sl_meter_refuse_two(m);
    if (m->options.exact_auc) {
        if (!keep(&m->kept[positive], margin))
            return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory to keep every margin for the exact AUC");
    } else {
        m->bin[positive][bin_of(margin)]++;
    }
    m->count[positive][yes]++;
    if (m->options.drift) sluice_drift_add(m->options.drift, positive != yes);
    double agreement = positive ? margin : -margin;
    if (agreement < 1) m->hinge += 1 - agreement;
    if (m->options.probability || m->options.model) add_probability(m, margin, positive);
    if (m->options.prediction) sl_meter_tell(m, margin, (uint32_t)positive, (uint32_t)yes);
    return SLUICE_OK;
}

static int predicts(const sluice_model *model, double margin) {
    return model ? sl_model_decides_positive(model, margin) : margin > 0;
}

sluice_status sluice_meter_add(sluice_meter *m, double margin, double label) {
    return count(m, margin, label > 0, predicts(m->options.model, margin));
}

sluice_status sl_meter_add_learned(sluice_meter *m, const sluice_model *model, double margin, double y) {
    if (sl_model_is_of_many(model)) return sl_meter_add_learned_class(m, model, margin, y);
    margin = sl_turn(&model->classes, margin);
    return count(m, margin, sl_turn(&model->classes, y) > 0, predicts(model, margin));
}

/* Labels that are words are classes of the model. */
static sluice_status add_classes(sluice_meter *m, const sluice_batch *b, const double *margin) {
    const sluice_model *model = m->options.model;
    if (!model) return sl_fail(&m->error, SLUICE_E_USAGE, "labels that are words are measured with their model");
    for (size_t i = 0; i < b->rows; i++) {
        if (b->has_weights && b->weight[i] == 0) continue;
        double sign = sl_classes_sign(model, b, i);
        if (sign == 0) return sl_classes_refuse(model, b, i, &m->error);
        sluice_status status = sluice_meter_add(m, margin[i], sign);
        if (status != SLUICE_OK) return status;
    }
    return SLUICE_OK;
}

sluice_status sluice_meter_add_batch(sluice_meter *m, const sluice_batch *b, const double *margin) {
    if (m->of_many) return sl_meter_refuse_two(m);
    if (b->has_words || (m->options.model && sluice_model_classes(m->options.model))) return add_classes(m, b, margin);
    for (size_t i = 0; i < b->rows; i++) {
        if (b->has_weights && b->weight[i] == 0) continue;
        sluice_status status = sluice_meter_add(m, margin[i], (double)b->label[i]);
        if (status != SLUICE_OK) return status;
    }
    return SLUICE_OK;
}

/* ---- turning, copying -------------------------------------------------------------------------------------------- */

static void exchange_counts(uint64_t *a, uint64_t *b) {
    uint64_t c = *a;
    *a = *b;
    *b = c;
}

/* Bins lie symmetrically, but that of 0 has no counterpart and stays. */
static void turn_bins(sluice_meter *m) {
    for (size_t i = 0; i < BINS; i++) exchange_counts(&m->bin[0][i], &m->bin[1][BINS - 1 - i]);
    for (size_t label = 0; label < 2; label++) {
        m->bin[label][BINS / 2] += m->bin[label][BINS / 2 - 1];
        m->bin[label][BINS / 2 - 1] = 0;
    }
}

void sl_meter_turn(sluice_meter *m) {
    if (m->bin[0]) turn_bins(m);
    exchange_counts(&m->count[0][0], &m->count[1][1]);
    exchange_counts(&m->count[0][1], &m->count[1][0]);
    sl_margins negatives = m->kept[0];
    m->kept[0] = m->kept[1];
    m->kept[1] = negatives;
    for (size_t label = 0; label < 2; label++) {
        sl_margins *k = &m->kept[label];
        for (size_t i = 0; i < k->n; i++) k->value[i] = 0 - k->value[i];
        k->sorted = false;
    }
}

static bool copy_kept(sl_margins *to, const sl_margins *from) {
    *to = (sl_margins){.sorted = from->sorted};
    if (!from->n) return true;
    if (!(to->value = malloc(from->n * sizeof *to->value))) return false;
    memcpy(to->value, from->value, from->n * sizeof *to->value);
    to->n = to->room = from->n;
    return true;
}

sluice_meter *sl_meter_copy(const sluice_meter *m, const sluice_model *model) {
    sluice_meter *to = sluice_meter_new(&m->options, NULL);
    if (!to) return NULL;
    if (to->options.model) to->options.model = model;
    to->options.drift = NULL;      /* it sees every prediction once, */
    to->options.prediction = NULL; /* and so does this */
    memcpy(to->count, m->count, sizeof m->count);
    to->hinge = m->hinge;
    to->logistic = m->logistic;
    to->brier = m->brier;
    if (m->bin[0]) memcpy(to->bin[0], m->bin[0], 2 * (size_t)BINS * sizeof **m->bin);
    to->of_many = m->of_many;
    if (copy_kept(&to->kept[0], &m->kept[0]) && copy_kept(&to->kept[1], &m->kept[1]) &&
        sl_class_counts_copy(&to->classes, &m->classes))
        return to;
    sluice_meter_free(to);
    return NULL;
}

void sl_meter_exchange(sluice_meter *a, sluice_meter *b) {
    sluice_meter c = *a;
    sluice_meter_options of_a = a->options, of_b = b->options;
    *a = *b;
    *b = c;
    a->options = of_a;
    b->options = of_b;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void sort_margins(sl_margins *k) {
    if (k->n && !k->sorted) sl_sort_doubles(k->value, k->n);
    k->sorted = true;
}

void sl_meter_sort(sluice_meter *m) {
    sort_margins(&m->kept[0]);
    sort_margins(&m->kept[1]);
}

bool sl_meter_next_tied(const sluice_meter *m, size_t next[2], uint64_t tied[2], double *margin) {
    tied[0] = tied[1] = 0;
    if (!m->options.exact_auc) {
        for (size_t i; (i = next[0]) < BINS && !tied[0] && !tied[1]; next[0]++) {
            tied[0] = m->bin[0][i];
            tied[1] = m->bin[1][i];
            *margin = bin_end(i);
        }
        return tied[0] || tied[1];
    }
    const sl_margins *neg = &m->kept[0], *pos = &m->kept[1];
    if (next[0] == neg->n && next[1] == pos->n) return false;
    bool positive = next[0] == neg->n || (next[1] < pos->n && pos->value[next[1]] < neg->value[next[0]]);
    *margin = positive ? pos->value[next[1]] : neg->value[next[0]];
    for (int label = 0; label < 2; label++)
        while (next[label] < m->kept[label].n && !(m->kept[label].value[next[label]] > *margin)) {
            next[label]++;
            tied[label]++;
        }
    return true;
}

/* AUC: the share of pairs (positive, negative) in which the positive has the larger margin; ties count half. Counts are
 * kept as integers as long as possible: exact up to 2^53 pairs. Average precision: the mean over the positives of the
 * precision where all with their margin, or a larger one, are predicted +1. */
static void measure_order(const sluice_meter *m, double positives, double negatives, sluice_measures *r) {
    r->auc = r->average_precision = NAN;
    if (positives == 0 || negatives == 0) return;
    double wins = 0, precision = 0, below[2] = {0, 0}, margin;
    size_t next[2] = {0, 0};
    for (uint64_t tied[2]; sl_meter_next_tied(m, next, tied, &margin);) {
        double neg = (double)tied[0], pos = (double)tied[1], found = positives - below[1];
        wins += pos * (below[0] + neg / 2);
        if (pos > 0) precision += pos * (found / (found + negatives - below[0]));
        below[0] += neg;
        below[1] += pos;
    }
    r->auc = wins / (positives * negatives);
    r->average_precision = precision / positives;
}

size_t sluice_meter_curve(sluice_meter *m, sluice_cut *cuts, size_t room) {
    sluice_cut now = {
        .margin = -INFINITY, .true_pos = m->count[1][1] + m->count[1][0], .false_pos = m->count[0][1] + m->count[0][0]};
    double pos = (double)now.true_pos, neg = (double)now.false_pos;
    if (now.true_pos == 0 || now.false_pos == 0 || room < 3) return 0;
    sl_meter_sort(m);
    size_t n = 0, next[2] = {0, 0};
    cuts[n++] = now;
    for (uint64_t tied[2]; sl_meter_next_tied(m, next, tied, &now.margin);) {
        now.false_pos -= tied[0];
        now.true_pos -= tied[1];
        /* both rates fall by 1 in all: so many cuts at equal distances, and no more */
        double moved =
            (double)(cuts[n - 1].true_pos - now.true_pos) / pos + (double)(cuts[n - 1].false_pos - now.false_pos) / neg;
        bool is_last = now.true_pos == 0 && now.false_pos == 0;
        if (is_last || (moved * (double)(room - 2) >= 2 && n < room - 1)) cuts[n++] = now;
    }
    return n;
}

/* The next smallest of the margins kept, which are sorted; *label: whose it is. */
static double next_margin(const sluice_meter *m, size_t next[2], int *label) {
    const sl_margins *neg = &m->kept[0], *pos = &m->kept[1];
    *label = next[0] == neg->n || (next[1] < pos->n && pos->value[next[1]] < neg->value[next[0]]);
    return m->kept[*label].value[next[*label]++];
}

/* Probabilities do not fall as margins rise, so bins of margins are bins of probabilities. Equal probabilities are
 * never split: a full bin goes on until the probability changes. */
static size_t fill_bins(const sluice_meter *m, sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS]) {
    size_t n = m->kept[0].n + m->kept[1].n, next[2] = {0, 0}, bin = 0, used = 0;
    double last = -1;
    for (size_t i = 0; i < n; i++) {
        int label;
        double p = 1 / (1 + exp(-log_odds(m, next_margin(m, next, &label))));
        if (i * SLUICE_CALIBRATION_BINS >= bin * n && p != last) {
            bins[used++] = (sluice_calibration_bin){.lowest = p};
            bin = i * SLUICE_CALIBRATION_BINS / n + 1;
        }
        sluice_calibration_bin *b = &bins[used - 1];
        b->examples++;
        b->positives += (uint64_t)label;
        b->probability += p; /* the sum, for now */
        b->highest = last = p;
    }
    for (size_t i = 0; i < used; i++) bins[i].probability /= (double)bins[i].examples;
    return used;
}

size_t sluice_meter_bins(sluice_meter *m, sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS]) {
    if (!m->options.exact_auc || !has_probabilities(m)) return 0;
    sl_meter_sort(m);
    return fill_bins(m, bins);
}

static double calibration_error(sluice_meter *m) {
    sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS];
    size_t n = sluice_meter_bins(m, bins);
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        sum += fabs(bins[i].probability * (double)bins[i].examples - (double)bins[i].positives);
        all += (double)bins[i].examples;
    }
    return n ? sum / all : NAN;
}

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static double recall_at_precision(sluice_meter *m, double positives, double negatives) {
    sluice_chosen chosen = {.size = sizeof chosen};
    if (m->options.precision == 0 || positives == 0 || negatives == 0) return NAN;
    sluice_meter_choose(m, SLUICE_GOAL_PRECISION, m->options.precision, &chosen);
    return chosen.reached ? chosen.recall : 0;
}

uint64_t sluice_meter_mistakes(const sluice_meter *m, uint64_t *examples) {
    if (m->of_many) {
        *examples = m->classes.examples;
        return m->classes.examples - m->classes.hits;
    }
    uint64_t right = m->count[1][1] + m->count[0][0], wrong = m->count[1][0] + m->count[0][1];
    *examples = right + wrong;
    return wrong;
}

const sluice_error *sluice_meter_error(const sluice_meter *m) { return &m->error; }

sluice_status sluice_meter_read(sluice_meter *m, sluice_measures *measures) {
    sluice_status status = sl_sized_check(measures, "sluice_measures", &m->error);
    if (status != SLUICE_OK) return status;
    if (m->of_many) {
        sluice_measures of_many = {0};
        sl_meter_measure_classes(m, &of_many);
        sl_sized_write(measures, &of_many, sizeof of_many);
        return SLUICE_OK;
    }
    uint64_t tp = m->count[1][1], fn = m->count[1][0], fp = m->count[0][1], tn = m->count[0][0];
    double pos = (double)(tp + fn), neg = (double)(tn + fp), all = pos + neg;
    double mu = m->options.mu_pos;
    sluice_measures r = {.examples = tp + fn + fp + tn, .mistakes = fn + fp};
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
    sl_meter_sort(m);
    measure_order(m, pos, neg, &r);
    r.hinge_loss = ratio(m->hinge, all);
    bool known = has_probabilities(m);
    r.log_loss = known ? ratio(m->logistic, all) : NAN;
    r.brier = known ? ratio(m->brier, all) : NAN;
    r.calibration_error = calibration_error(m);
    r.recall_at_precision = recall_at_precision(m, pos, neg);
    r.macro_precision = r.macro_recall = r.macro_f1 = r.micro_f1 = r.weighted_f1 = NAN;
    for (size_t k = 0; k < SLUICE_TOP_ACCURACIES; k++) r.top_accuracy[k] = NAN;
    sl_sized_write(measures, &r, sizeof r);
    return SLUICE_OK;
}
