/* Counts predictions of several classes, in memory in proportion to what occurs. */
#include "eval/class_counts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sl_class_counts_free(sl_class_counts *c) {
    free(c->of);
    free(c->cell);
    free(c->at_rank);
    *c = (sl_class_counts){.ranks = c->ranks};
}

static void *copy_of(const void *from, size_t bytes, bool *fine) {
    if (!from || !bytes || !*fine) return NULL;
    void *to = malloc(bytes);
    if (to)
        memcpy(to, from, bytes);
    else
        *fine = false;
    return to;
}

static size_t places(const sl_class_counts *c) { return c->bits ? (size_t)1 << c->bits : 0; }

bool sl_class_counts_copy(sl_class_counts *to, const sl_class_counts *from) {
    bool fine = true;
    *to = *from;
    to->of = copy_of(from->of, from->n * sizeof *to->of, &fine);
    to->room = to->of ? from->n : 0;
    to->cell = copy_of(from->cell, places(from) * sizeof *to->cell, &fine);
    to->at_rank = copy_of(from->at_rank, from->ranks * sizeof *to->at_rank, &fine);
    if (!fine) sl_class_counts_free(to);
    return fine;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static bool reserve_classes(sl_class_counts *c, size_t n) {
    if (n <= c->room) return true;
    size_t room = c->room < 8 ? 8 : c->room * 2;
    if (room < n) room = n;
    sl_class_tally *of = realloc(c->of, room * sizeof *of);
    if (!of) return false;
    memset(of + c->room, 0, (room - c->room) * sizeof *of);
    c->of = of;
    c->room = room;
    return true;
}

/* The place of a cell, or a free one. */
static sl_class_cell *place_of(const sl_class_counts *c, uint32_t truth, uint32_t predicted) {
    uint64_t key = (uint64_t)truth << 32 | predicted;
    key = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 32) * 0xbf58476d1ce4e5b9u;
    const size_t mask = places(c) - 1;
    size_t i = (size_t)(key >> (64 - c->bits));
    while (c->cell[i].count && (c->cell[i].truth != truth || c->cell[i].predicted != predicted)) i = (i + 1) & mask;
    return &c->cell[i];
}

static bool reserve_cell(sl_class_counts *c) {
    if (c->bits && c->cells < places(c) / 2) return true;
    sl_class_counts larger = {.bits = c->bits ? c->bits + 1 : 6};
    larger.cell = calloc(places(&larger), sizeof *larger.cell);
    if (!larger.cell) return false;
    for (size_t i = 0; i < places(c); i++)
        if (c->cell[i].count) *place_of(&larger, c->cell[i].truth, c->cell[i].predicted) = c->cell[i];
    free(c->cell);
    c->cell = larger.cell;
    c->bits = larger.bits;
    return true;
}

/* Memory for everything that one more prediction can need. */
static bool reserve(sl_class_counts *c, size_t classes) {
    if (!c->at_rank && c->ranks && !(c->at_rank = calloc(c->ranks, sizeof *c->at_rank))) return false;
    return reserve_classes(c, classes) && reserve_cell(c);
}

static void count_cell(sl_class_counts *c, uint32_t truth, uint32_t predicted) {
    sl_class_cell *cell = place_of(c, truth, predicted);
    c->cells += cell->count == 0;
    cell->truth = truth;
    cell->predicted = predicted;
    cell->count++;
}

/* A label that the model does not know, and an example that it gives no answer for, are misses at every rank. */
static void count_rank(sl_class_counts *c, uint32_t truth, uint32_t predicted, uint32_t rank) {
    if (truth == SLUICE_NO_CLASS || predicted == SLUICE_NO_CLASS) return;
    if (truth == predicted) rank = 1;
    if (rank == 0) c->unranked++;
    if (rank && rank <= c->ranks) c->at_rank[rank - 1]++;
}

/* Probabilities that are 0 in doubles would make the mean infinite: they are taken for the smallest difference from 1,
 * as scikit-learn does. */
static void count_probability(sl_class_counts *c, double p) {
    if (isnan(p)) return;
    c->log_loss -= log(p < DBL_EPSILON ? DBL_EPSILON : p > 1 ? 1 : p);
    c->probabilities++;
}

bool sl_class_counts_add(sl_class_counts *c, uint32_t truth, uint32_t predicted, uint32_t rank, double probability) {
    const bool known = truth != SLUICE_NO_CLASS, answered = predicted != SLUICE_NO_CLASS;
    size_t n = c->n;
    if (known && truth >= n) n = (size_t)truth + 1;
    if (answered && predicted >= n) n = (size_t)predicted + 1;
    if (!reserve(c, n)) return false;
    c->n = n;
    c->examples++;
    c->unknown += !known;
    c->unanswered += !answered;
    if (known) c->of[truth].support++;
    if (answered) c->of[predicted].predicted++;
    if (known && truth == predicted) {
        c->of[truth].hits++;
        c->hits++;
    } else {
        count_cell(c, truth, predicted);
    }
    count_rank(c, truth, predicted, rank);
    count_probability(c, known ? probability : isnan(probability) ? NAN : 0);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static double share(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

sluice_class_measures sl_class_counts_of(const sl_class_counts *c, size_t class_index) {
    const sl_class_tally t = class_index < c->n ? c->of[class_index] : (sl_class_tally){0};
    return (sluice_class_measures){
        .size = sizeof(sluice_class_measures),
        .support = t.support,
        .predicted = t.predicted,
        .hits = t.hits,
        .precision = share(t.hits, t.predicted),
        .recall = share(t.hits, t.support),
        .f1 = share(2 * t.hits, t.support + t.predicted),
    };
}

double sl_class_counts_top(const sl_class_counts *c, size_t k) {
    if (!c->examples || !k || k > c->ranks || (k > 1 && c->unranked)) return NAN;
    uint64_t found = 0;
    for (size_t i = 0; i < k; i++) found += c->at_rank[i];
    return (double)found / (double)c->examples;
}

static void measure_classes(const sl_class_counts *c, sluice_measures *r) {
    double precision = 0, recall = 0, f1 = 0, weighted = 0, occurring = 0, supported = 0;
    for (size_t i = 0; i < c->n; i++) {
        const sluice_class_measures of = sl_class_counts_of(c, i);
        precision += of.precision;
        recall += of.recall;
        f1 += of.f1;
        weighted += of.f1 * (double)of.support;
        occurring += of.support || of.predicted;
        supported += of.support > 0;
    }
    const uint64_t known = c->examples - c->unknown, answered = c->examples - c->unanswered;
    r->balanced_accuracy = supported > 0 ? recall / supported : NAN;
    r->macro_precision = occurring > 0 ? precision / occurring : NAN;
    r->macro_recall = occurring > 0 ? recall / occurring : NAN;
    r->macro_f1 = occurring > 0 ? f1 / occurring : NAN;
    r->micro_f1 = known + answered ? share(2 * c->hits, known + answered) : NAN;
    r->weighted_f1 = known ? weighted / (double)known : NAN;
}

void sl_class_counts_measure(const sl_class_counts *c, sluice_measures *r) {
    const double all = c->examples ? (double)c->examples : NAN;
    r->examples = c->examples;
    r->mistakes = c->examples - c->hits;
    r->unknown_labels = c->unknown;
    r->error_rate = (double)r->mistakes / all;
    r->accuracy = (double)c->hits / all;
    r->log_loss = c->probabilities == c->examples ? c->log_loss / all : NAN;
    measure_classes(c, r);
    for (size_t k = 1; k <= SLUICE_TOP_ACCURACIES; k++) r->top_accuracy[k - 1] = sl_class_counts_top(c, k);
    r->sensitivity = r->specificity = r->sum = r->cost = r->precision = r->recall = r->f1 = NAN;
    r->auc = r->average_precision = r->hinge_loss = r->brier = r->calibration_error = NAN;
    r->recall_at_precision = NAN;
}

static int compare_cells(const void *a, const void *b) {
    const sluice_confusion *x = a, *y = b;
    if (x->truth != y->truth) return x->truth < y->truth ? -1 : 1;
    return x->predicted < y->predicted ? -1 : x->predicted > y->predicted;
}

size_t sl_class_counts_cells(const sl_class_counts *c, sluice_confusion *to, size_t room) {
    size_t all = c->cells, n = 0;
    for (size_t i = 0; i < c->n; i++) all += c->of[i].hits > 0;
    if (all > room) return all;
    for (size_t i = 0; i < c->n; i++)
        if (c->of[i].hits) to[n++] = (sluice_confusion){(uint32_t)i, (uint32_t)i, c->of[i].hits, {0}};
    for (size_t i = 0; i < places(c); i++)
        if (c->cell[i].count)
            to[n++] = (sluice_confusion){c->cell[i].truth, c->cell[i].predicted, c->cell[i].count, {0}};
    if (n) qsort(to, n, sizeof *to, compare_cells);
    return n;
}
