/* What a model of several classes answers: margins, the most likely classes, probabilities, weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "calibration/softmax_scale.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"
#include "model/probability.h"
#include "model/race/race.h"
#include "rows/example.h"
#include "rows/csr.h"

static sluice_status two_classes(sluice_error *err) {
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "the model is of two classes");
}

/* ---- probabilities ----------------------------------------------------------------------------------------------- */

/* The probability that a row is of class c and not of the rest; NaN: unknown. */
static double against_rest(const sluice_model *m, size_t c, double margin) {
    if (m->problems) return sluice_model_probability(m->problems->problem[c], margin);
    const sl_online_calibration *calibration = sl_class_calibration(m, c);
    if (m->learner->has_probability && m->learner->has_probability(m->params)) return 1 / (1 + exp(-margin));
    if (!calibration || !sl_online_calibration_ready(calibration)) return NAN;
    return 1 / (1 + exp(-sl_online_calibration_log_odds(calibration, margin)));
}

/* What a class that has no calibration yet has: its share of the examples. */
static double share(const sluice_model *m, size_t c) {
    const uint64_t examples = sl_model_examples(m);
    return examples ? (double)m->classes.table.entry[c].count / (double)examples : 0;
}

/* For each class the mean, over its partners, of the probability that the row is of it and not of the partner. */
static void couple(const sluice_model *m, const sl_raw_row *r, double *p) {
    const size_t n = m->classes.table.n;
    for (size_t c = 0; c < n; c++) p[c] = n == 1;
    for (size_t b = 1; b < n; b++)
        for (size_t a = 0; a < b; a++) {
            const sluice_model *problem = m->problems->problem[sl_pair_problem(a, b)];
            double of_b = sluice_model_probability(problem, sl_model_raw_margin(problem, r));
            if (isnan(of_b)) of_b = 0.5;
            p[b] += of_b;
            p[a] += 1 - of_b;
        }
}

bool sl_many_has_probabilities(const sluice_model *m) {
    if (m->race) return sl_many_has_probabilities(sl_race_leader(m));
    if (m->settings.classes == SLUICE_CLASSES_MATRIX) return sl_online_calibration_ready(&m->calibration);
    if (m->learner->has_probability && m->learner->has_probability(m->params)) return true;
    for (size_t i = 0; m->problems && i < m->problems->n; i++)
        if (sluice_model_has_probability(m->problems->problem[i])) return true;
    for (size_t c = 0; !m->problems && c < m->classes.table.n; c++)
        if (sl_class_calibration(m, c) && sl_online_calibration_ready(sl_class_calibration(m, c))) return true;
    return false;
}

void sl_many_probabilities(const sluice_model *m, const sl_raw_row *r, const double *margins, double *p) {
    const size_t n = m->classes.table.n;
    double sum = 0;
    if (m->race) {
        sl_race_class_probabilities(m, r, margins, p);
        return;
    }
    if (!sl_many_has_probabilities(m)) {
        for (size_t c = 0; c < n; c++) p[c] = NAN;
        return;
    }
    if (m->settings.classes == SLUICE_CLASSES_MATRIX) {
        memcpy(p, margins, n * sizeof *p);
        sl_softmax(p, n, sl_softmax_scale(&m->calibration));
        return;
    }
    if (m->settings.classes == SLUICE_CLASSES_OVO) couple(m, r, p);
    for (size_t c = 0; c < n; c++) {
        if (m->settings.classes == SLUICE_CLASSES_OVR && isnan(p[c] = against_rest(m, c, margins[c])))
            p[c] = share(m, c);
        sum += p[c];
    }
    for (size_t c = 0; c < n; c++) p[c] = sum > 0 ? p[c] / sum : 1 / (double)n;
}

/* ---- classes of rows --------------------------------------------------------------------------------------------- */

/* The `top` most likely classes, the best first: by insertion, since few are asked for. */
static void find_best(const double *margins, const uint32_t *wins, size_t n, size_t top, uint32_t *best) {
    size_t kept = 0;
    for (size_t c = 0; c < n && top; c++) {
        size_t at = kept;
        while (at &&
               (wins[c] != wins[best[at - 1]] ? wins[c] > wins[best[at - 1]] : margins[c] > margins[best[at - 1]]))
            at--;
        if (at == top) continue;
        kept += kept < top;
        memmove(best + at + 1, best + at, (kept - at - 1) * sizeof *best);
        best[at] = (uint32_t)c;
    }
    for (; kept < top; kept++) best[kept] = SLUICE_NO_CLASS;
}

static sluice_status check_rows(const sluice_batch *b, size_t first, size_t n, sluice_error *err) {
    if (first <= b->rows && n <= b->rows - first) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
}

enum { FEW_CLASSES = 64 };

/* What is wanted of rows, and room for what is not kept. */
typedef struct answering {
    const sluice_model *model;
    sluice_class_answers out;
    uint32_t *wins, few_wins[FEW_CLASSES];
    double *own, few_own[FEW_CLASSES]; /* margins, where the caller does not want them */
    bool finite;                       /* all margins were */
} answering;

static sluice_status begin_answers(answering *a, const sluice_model *m, const sluice_class_answers *given,
                                   sluice_error *err) {
    a->model = m, a->finite = true, a->wins = a->few_wins, a->own = a->few_own;
    a->out = (sluice_class_answers){.size = sizeof a->out};
    sluice_status status = sl_sized_read(&a->out, sizeof a->out, given, "sluice_class_answers", err);
    if (status != SLUICE_OK) return status;
    if (!sl_model_is_of_many(m)) return two_classes(err);
    const size_t classes = m->classes.table.n;
    if (classes <= FEW_CLASSES) return SLUICE_OK;
    a->wins = malloc(classes * sizeof *a->wins);
    a->own = malloc(classes * sizeof *a->own);
    if (a->wins && a->own) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_MEMORY, "no memory for the margins of %zu classes", classes);
}

/* Answers for a row, which is that of number `at` of what was asked for. */
static void answer_row(answering *a, const sl_raw_row *r, size_t at) {
    const sluice_model *m = a->model;
    const size_t classes = m->classes.table.n;
    double *margins = a->out.margins ? a->out.margins + at * classes : a->own;
    sl_many_margins(m, r, margins, a->wins);
    for (size_t c = 0; c < classes; c++) a->finite &= isfinite(margins[c]);
    if (a->out.best) find_best(margins, a->wins, classes, a->out.top, a->out.best + at * a->out.top);
    if (a->out.probabilities) sl_many_probabilities(m, r, margins, a->out.probabilities + at * classes);
}

/* Answers for n rows of a batch; they are the rows from `at` on of what was asked for. */
static void answer_rows(answering *a, const sluice_batch *b, size_t first, size_t n, size_t at) {
    for (size_t i = 0; i < n; i++) {
        const sl_raw_row r = sl_batch_raw(b, first + i);
        answer_row(a, &r, at + i);
    }
}

static sluice_status end_answers(answering *a, sluice_status status, sluice_error *err) {
    if (a->wins != a->few_wins) free(a->wins);
    if (a->own != a->few_own) free(a->own);
    if (status != SLUICE_OK || a->finite) return status;
    return sl_fail(err, SLUICE_E_NUMERIC, "a margin is not a number: the model has left the range of numbers");
}

sluice_status sluice_model_classify(const sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                    sluice_class_answers *given, sluice_error *err) {
    answering a;
    sluice_status status = begin_answers(&a, m, given, err);
    if (status == SLUICE_OK) status = check_rows(b, first, n, err);
    if (status == SLUICE_OK) answer_rows(&a, b, first, n, 0);
    return end_answers(&a, status, err);
}

sluice_status sluice_model_classify_one(const sluice_model *m, const sluice_example *x, sluice_class_answers *given,
                                        sluice_error *err) {
    answering a;
    sluice_status status = begin_answers(&a, m, given, err);
    if (status == SLUICE_OK) status = sl_check_values(x, err);
    if (status == SLUICE_OK) {
        uint64_t hash[SL_HASHED_NAMES];
        const sl_raw_row r = sl_example_hashed(x, hash);
        sl_row_prefetch(&m->features, &r);
        answer_row(&a, &r, 0);
    }
    return end_answers(&a, status, err);
}

sluice_status sluice_model_classify_csr(const sluice_model *m, const sluice_csr *csr, sluice_class_answers *given,
                                        sluice_error *err) {
    answering a;
    sl_csr_reader r;
    sluice_status status = begin_answers(&a, m, given, err);
    if (status != SLUICE_OK) return end_answers(&a, status, err);
    status = sl_csr_open(&r, csr, false, err);
    while (status == SLUICE_OK && (status = sl_csr_next(&r, err)) == SLUICE_OK)
        answer_rows(&a, &r.batch, 0, r.batch.rows, r.first);
    sl_csr_close(&r);
    return end_answers(&a, status == SLUICE_END ? SLUICE_OK : status, err);
}

sluice_status sluice_model_truths(const sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                  uint32_t *classes, sluice_error *err) {
    if (!sl_model_is_of_many(m)) return two_classes(err);
    sluice_status status = check_rows(b, first, n, err);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) {
        const size_t class_index = sl_class_of_row(m, b, first + i);
        classes[i] = class_index == SL_NO_CLASS ? SLUICE_NO_CLASS : (uint32_t)class_index;
    }
    return status;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

void sl_class_weights(const sluice_model *m, size_t class_index, const uint32_t *slot, size_t n, float *w) {
    sl_state s = m->state;
    s.features = m->features.space.features;
    if (m->race) {
        sl_race_class_weights(m, class_index, slot, n, w);
    } else if (m->ovr) {
        float all[SL_MOST_OVR_LANES];
        for (size_t i = 0; i < n; i++) {
            sl_lane_blocks_weights(&m->ovr->lanes, s.features, s.t, slot[i], all);
            w[i] = all[class_index];
        }
    } else if (m->matrix) {
        for (size_t i = 0; i < n; i++) w[i] = sl_matrix_weight(m, slot[i], class_index);
    } else {
        m->kernels.weights(&s, slot, n, w);
    }
}

size_t sluice_model_problems(const sluice_model *m) { return sl_model_is_of_many(m) ? sl_many_problems(m) : 0; }

static sluice_status check_problem(const sluice_model *m, size_t i, sluice_error *err) {
    if (!sl_model_is_of_many(m)) return two_classes(err);
    if (i < sl_many_problems(m)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_USAGE, "there is no problem %zu: the model has %zu", i, sl_many_problems(m));
}

sluice_status sluice_model_problem(const sluice_model *m, size_t i, sluice_problem *problem) {
    if (sl_sized_check(problem, "sluice_problem", NULL) != SLUICE_OK || check_problem(m, i, NULL) != SLUICE_OK)
        return SLUICE_E_USAGE;
    size_t positive, negative;
    sl_problem_classes(m, i, &positive, &negative);
    const sluice_problem found = {.size = sizeof found,
                                  .positive = (uint32_t)positive,
                                  .negative = negative == SL_NO_CLASS ? SLUICE_NO_CLASS : (uint32_t)negative};
    sl_sized_write(problem, &found, sizeof found);
    return SLUICE_OK;
}

sluice_status sluice_model_problem_weights(const sluice_model *m, size_t i, sluice_weight **weights, size_t *n,
                                           sluice_error *err) {
    *weights = NULL;
    *n = 0;
    sluice_status status = check_problem(m, i, err);
    if (status != SLUICE_OK) return status;
    return m->problems ? sl_model_weights_inside(m->problems->problem[i], 0, weights, n, err)
                       : sl_model_weights_inside(m, i, weights, n, err);
}

typedef struct class_weight {
    uint32_t class_index;
    float weight;
} class_weight;

static int by_class(const void *a, const void *b) {
    const uint32_t x = ((const class_weight *)a)->class_index, y = ((const class_weight *)b)->class_index;
    return x < y ? -1 : x > y;
}

/* The weights of one feature, by class, into room for all classes; returns how many. */
static size_t weights_at(const sluice_model *m, uint32_t slot, class_weight *found) {
    size_t n = 0;
    if (m->race && !sl_race_leader(m)->problems) {
        const uint32_t at = sl_race_slot(m->features.space.features, sl_race_leader(m), slot);
        return at == SL_NO_SLOT ? 0 : weights_at(sl_race_leader(m), at, found);
    }
    for (; m->race && n < sl_many_problems(m); n++) {
        found[n].class_index = (uint32_t)n;
        sl_race_class_weights(m, n, &slot, 1, &found[n].weight);
    }
    if (m->race) return n;
    if (m->matrix) {
        uint32_t first;
        const uint32_t pairs = sl_pairs_of_classes(m->matrix, sl_matrix_list(m, slot), &first);
        for (uint32_t place = first; place < first + pairs; place++) {
            found[n].class_index = m->matrix->arena.class_of[place];
            sl_matrix_place_weights(m, &place, 1, &found[n++].weight);
        }
        if (n) qsort(found, n, sizeof *found, by_class);
        return n;
    }
    float all[SL_MOST_OVR_LANES];
    sl_lane_blocks_weights(&m->ovr->lanes, m->features.space.features, m->state.t, slot, all);
    for (; n < m->classes.table.n; n++) found[n] = (class_weight){(uint32_t)n, all[n]};
    return n;
}

/* Gives the weights of one feature; false: it is enough. */
static bool give_weights(const sluice_model *m, const sl_walk *at, class_weight *found, sluice_weight_function take,
                         void *context) {
    sluice_weight w = sl_weight_at_walk(m, at);
    const size_t n = weights_at(m, at->slot, found);
    for (size_t i = 0; i < n; i++) {
        w.weight = found[i].weight;
        if (w.weight != 0 && take(context, found[i].class_index, &w)) return false;
    }
    return true;
}

/* The weights of a binary model. */
static bool give_problem(const sluice_model *problem, size_t i, sluice_weight_function take, void *context,
                         sluice_status *status, sluice_error *err) {
    sluice_weight *weights;
    size_t n;
    *status = sl_model_weights_inside(problem, 0, &weights, &n, err);
    bool goes_on = *status == SLUICE_OK;
    for (size_t k = 0; k < n && goes_on; k++) goes_on = take(context, i, &weights[k]) == 0;
    free(weights);
    return goes_on;
}

sluice_status sluice_model_each_weight(const sluice_model *m, sluice_weight_function take, void *context,
                                       sluice_error *err) {
    if (!sl_model_is_of_many(m)) return two_classes(err);
    sluice_status status = SLUICE_OK;
    bool goes_on = true;
    for (size_t i = 0; m->problems && i < m->problems->n && goes_on; i++)
        goes_on = give_problem(m->problems->problem[i], i, take, context, &status, err);
    if (!m->problems) {
        sl_keys_walk w = {0};
        class_weight *found = malloc((sl_many_problems(m) + 1) * sizeof *found);
        if (!found || !sl_keys_start(&w, &m->features))
            status = sl_fail(err, SLUICE_E_MEMORY, "no memory for the weights");
        while (status == SLUICE_OK && goes_on && sl_keys_next(&w))
            goes_on = give_weights(m, &w.at, found, take, context);
        if (status == SLUICE_OK) sl_keys_end(&w);
        free(found);
    }
    if (status != SLUICE_OK || goes_on) return status;
    return sl_fail(err, SLUICE_E_CANCELLED, "the weights were not wanted any more");
}

sluice_model *sluice_model_problem_model(const sluice_model *m, size_t i, sluice_error *err) {
    return check_problem(m, i, err) == SLUICE_OK ? sl_problem_model(m, i, err) : NULL;
}

uint64_t sl_many_nonzeros(const sluice_model *m) {
    if (m->race) return sl_many_nonzeros(sl_race_leader(m));
    uint64_t nonzeros = 0, cursor = 0;
    uint32_t slot[SL_CHUNK];
    for (size_t i = 0; m->problems && i < m->problems->n; i++)
        nonzeros += sluice_model_nonzeros(m->problems->problem[i]);
    if (m->problems) return nonzeros;
    float all[SL_MOST_OVR_LANES];
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            if (m->matrix) {
                nonzeros += sl_matrix_nonzeros(m, slot[k]);
                continue;
            }
            sl_lane_blocks_weights(&m->ovr->lanes, m->features.space.features, m->state.t, slot[k], all);
            for (size_t c = 0; c < m->classes.table.n; c++) nonzeros += all[c] != 0;
        }
    return nonzeros;
}
