/* Learning: what happens to one row, from a batch or from the API.
 *
 * Where all ids of a batch's row are small they are its slots, and the row reaches the rule without a copy. Every other
 * row (large ids, explicit zeros, a bias, scaling, hashing, the API's 64-bit ids) is first laid out in the model's row
 * buffers (row_layout.c). */
#include <stdlib.h>

#include "base/error.h"
#include "rows/example.h"
#include "model/lookahead.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/classes/problems.h"
#include "model/pseudo_labels.h"
#include "model/race/race.h"
#include "model/scaling/row_values.h"
#include "rows/csr.h"
#include "rows/label_text.h"

/* ---- one round --------------------------------------------------------------------------------------------------- */

static void settle_all(sluice_model *m) {
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));) m->kernels.settle(&m->state, slot, n);
}

static void count_row(sluice_model *m, const sl_row *x, double score) {
    if (m->pseudo.now) {
        m->pseudo.rows++;
        return;
    }
    if (sl_model_is_of_many(m)) {
        sl_many_count(m, x);
        return;
    }
    m->mistakes += (score > 0) != (x->y > 0);
    m->positives += x->y > 0;
    if (m->race) return; /* it has the calibration of its leader */
    if (sl_online_calibration_due(m->state.t)) sl_online_calibration_learn(&m->calibration, score, x->y, x->h);
}

/* The label that the rule sees: +1 or -1, or the class. */
static inline double rule_label(const sluice_model *m, double label) {
    return sl_model_is_of_many(m) ? label : label > 0 ? 1 : -1;
}

/* Makes room for what the row makes necessary, so that learning it cannot fail. */
sluice_status sl_model_prepare_row(sluice_model *m, const sl_row *x) {
    sl_state *s = &m->state;
    if (m->race && !sl_race_begin_round(m)) return sl_no_memory_for_features(m);
    s->features = m->features.space.features;
    if (m->rule->prepare && !m->rule->prepare(s, x))
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the %s of %s", m->race ? "candidates" : "matrix",
                       m->rule->info.name);
    if (m->rule->finish && !sl_model_prepare_pending(m, x))
        return sl_fail(&m->error, SLUICE_E_MEMORY,
                       "no memory to hold a batch of %zu examples; set a smaller one (batch)",
                       s->batch.pending.rows + 1);
    if (m->rule->rank && !sl_top_prepare(&s->top, &m->features.space, x->n))
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the features that %s keeps", m->rule->info.name);
    return SLUICE_OK;
}

sluice_status sl_model_round(sluice_model *m, const sl_row *x, double *margin) {
    sl_state *s = &m->state;
    s->features = m->features.space.features;
    if (m->grown.n && m->matrix) sl_scales_take_effect(m); /* preparing a row may need its margins */
    if (sl_model_prepare_row(m, x) != SLUICE_OK) {
        sl_scales_undo(m);
        return m->error.status;
    }
    if (m->grown.n) sl_scales_take_effect(m);
    if (m->settings.scale == SLUICE_SCALE_IDF && m->features.space.scaled) sl_idf_count(&m->features.space, x);
    s->t++;
    double score = m->kernels.score(s, x);
    *margin = score;
    if (!isfinite(score)) {
        m->broken = true;
        return sl_fail(
            &m->error, SLUICE_E_NUMERIC,
            "the margin is no longer a number: values are too large or too small; scale them (--normalize l2) "
            "or learn in smaller steps");
    }
    if (m->rule->finish)
        sl_model_add_pending(m, x);
    else
        m->updates += m->kernels.update(s, x, score) && x->n && !m->pseudo.now; /* without features nothing changes */
    if (s->dense.lost) {
        m->broken = true;
        return sl_fail(&m->error, SLUICE_E_NUMERIC,
                       "the matrix of %s is no longer positive definite: values are too large or too small; scale them "
                       "(--normalize l2) or choose less extreme parameters",
                       m->rule->info.name);
    }
    count_row(m, x, score);
    if (m->race && !sl_race_end_round(m, x)) {
        m->broken = true;
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the candidates of auto in the middle of a round");
    }
    m->holdout.kind = SLUICE_CALIBRATION_NONE;
    m->has_threshold = false;
    if ((s->t & (s->t - 1)) == 0) m->growth[__builtin_ctzll(s->t)] = s->seen + 1;
    if (m->kernels.settle && s->t % SL_SETTLE_EVERY == 0) settle_all(m);
    double batch = m->rule->finish ? m->params[m->rule->batch] : 0;
    if (batch > 0 && (double)s->batch.pending.rows >= batch) return sl_model_finish_batch(m);
    return SLUICE_OK;
}

static sluice_status check_can_learn(sluice_model *m) {
    if (sl_model_is_predict_only(m))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "a predict-only model cannot learn; keep the full model for that");
    if (m->broken)
        return sl_fail(&m->error, SLUICE_E_NUMERIC, "the model has left the range of numbers; learn it anew");
    const uint64_t counts[] = {m->state.t, m->features.space.births, m->features.limit.evicted,
                               m->features.limit.refused};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] > SL_MAX_COUNT / 2)
            return sl_fail(&m->error, SLUICE_E_LIMIT, "the model's counts are too large to go on: %llu; learn it anew",
                           (unsigned long long)counts[i]);
    return sl_model_check_batch(m);
}

static sluice_status check_weight(sluice_model *m, double h) {
    if (m->rule->only_weights_0_1 && h != 0 && h != 1)
        return sl_fail(&m->error, SLUICE_E_DATA, "%s takes only the importance weights 0 and 1; use %s",
                       m->rule->info.name, m->rule->only_weights_0_1);
    return SLUICE_OK;
}

/* Adds the row's place in its input, if known, to the error of the model. */
static sluice_status at_row(sluice_model *m, const sluice_batch *b, size_t row) {
    sl_place(&m->error, b->source ? b->source : "", b->has_lines ? b->first_line + b->line[row] : 0, 0);
    return m->error.status;
}

/* Learns row i of a batch, laid out as x, and measures it. */
static sluice_status learn_batch_row(sluice_model *m, const sluice_batch *b, size_t i, const sl_row *x,
                                     sluice_meter *meter) {
    double margin;
    const sl_raw_row r = sl_batch_raw(b, i);
    if (m->problems && sl_problems_learn(m, &r, x->y, x->h) != SLUICE_OK) return at_row(m, b, i);
    if (sl_model_round(m, x, &margin) != SLUICE_OK) return at_row(m, b, i);
    if (meter && sl_meter_add_learned(meter, m, margin, x->y) != SLUICE_OK) {
        m->error = *sluice_meter_error(meter);
        return m->error.status;
    }
    return SLUICE_OK;
}

/* ---- rows of names ----------------------------------------------------------------------------------------------- */

/* Whether the rows are learned by names: the model has names, or must change to them. */
static bool uses_names(const sluice_model *m, const sluice_batch *b) {
    return !m->settings.hash_bits && (m->features.named || b->has_names || m->settings.max_features);
}

/* Lays out a row whose names are resolved. Numbers are slots as long as the direct part holds them all. */
static sluice_status lay_out_numbers(sluice_model *m, const sl_numbers *numbers, bool as_they_lie, sl_row *x) {
    if (as_they_lie && m->features.names.n <= m->features.space.direct) {
        x->slot = numbers->number;
        x->value = numbers->value;
        x->n = numbers->n;
        return SLUICE_OK;
    }
    sl_raw_row r = {.numbers = numbers->number, .value = numbers->value, .n = numbers->n};
    return sl_row_lay_out(m, &r, 0, x);
}

/* Features that eviction may remove: weight zero, and not among the top features of a learner that ranks them, where a
 * weight may be too small for a float and still count, nor with pairs in a matrix, which eviction does not know. */
static void test_idle(const void *model, const uint32_t *slot, size_t n, bool *idle) {
    const sluice_model *m = model;
    sl_state s = m->state;
    s.features = m->features.space.features;
    float w[SL_CHUNK];
    m->kernels.weights(&s, slot, n, w);
    for (size_t k = 0; k < n; k++)
        idle[k] = w[k] == 0 && !(m->rule->rank && m->rule->rank(sl_space_at(&m->features.space, slot[k]))) &&
                  !(m->matrix && sl_matrix_list(m, slot[k])->n);
}

static sluice_status check_dense_row(sluice_model *m, const sluice_batch *b, size_t i) {
    sl_raw_row r = sl_batch_raw(b, i);
    return sl_check_dense_limit(m, &r);
}

/* Names are looked up one row ahead, so that the state of the next row is prefetched while this one is learned; not
 * under a limit, where what is evicted depends on what was learned. */
static sluice_status learn_named_rows(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first,
                                      size_t end, sluice_meter *meter) {
    if (!sl_keys_use_names(&m->features)) return sl_no_memory_for_features(m);
    const bool dense = m->rule->info.flags & SLUICE_LEARNER_DENSE, as_they_lie = sl_batch_usable(m, b, t, first, end);
    const bool one_ahead = !m->settings.max_features && !dense && !(sl_has_weights(b, t) && m->rule->only_weights_0_1);
    const sl_idle_test idle = {test_idle, m};
    bool found[2] = {true, true}; /* by row % 2; false: no memory for its names */
    for (size_t i = first, resolved = first; i < end; i++) {
        double h = sl_weight_at(b, t, i);
        sluice_status status = check_weight(m, h);
        if (status == SLUICE_OK && dense) status = check_dense_row(m, b, i);
        if (status != SLUICE_OK) return at_row(m, b, i);
        uint64_t seen = m->features.space.seen;
        for (; resolved < end && resolved <= i + one_ahead; resolved++) {
            sl_raw_row r = sl_batch_raw(b, resolved);
            bool absent = sl_weight_at(b, t, resolved) == 0;
            found[resolved % 2] =
                absent || (sl_row_resolve(&m->features, &r, m->state.t + 1, &idle, &m->numbers[resolved % 2]) &&
                           (m->settings.bias == 0 || sl_space_add_bias(&m->features.space)));
            if (resolved == i) seen = m->features.space.seen; /* those of the next row do not count yet */
        }
        if (!found[i % 2]) {
            sl_no_memory_for_features(m);
            return at_row(m, b, i);
        }
        if (h == 0) continue;
        sl_row x = {.y = rule_label(m, sl_label_at(b, t, i)), .h = h};
        if (lay_out_numbers(m, &m->numbers[i % 2], as_they_lie, &x) != SLUICE_OK) return at_row(m, b, i);
        m->state.seen = seen;
        if ((status = learn_batch_row(m, b, i, &x, meter)) != SLUICE_OK) return status;
    }
    return SLUICE_OK;
}

/* Learns the rows first .. end - 1. */
static sluice_status learn_rows(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                                sluice_meter *meter) {
    sluice_status status;
    if (uses_names(m, b)) return learn_named_rows(m, b, t, first, end, meter);
    sl_lookahead a = sl_lookahead_start(m, b, t, first, end);
    for (size_t i = first; i < end; i++) {
        sl_row_form this = a.next;
        uint64_t moves = a.moves, seen = m->features.space.seen;
        /* what was not admitted in advance, for lack of memory too, is admitted before the features of the next row */
        if (this != SL_LAY_OUT) sl_lookahead_advance(m, &a, i + 1);
        size_t at = b->start[i], n = b->start[i + 1] - at;
        sl_row x = {b->id + at, b->value + at, n, rule_label(m, sl_label_at(b, t, i)), sl_weight_at(b, t, i)};
        if ((status = check_weight(m, x.h)) != SLUICE_OK) return at_row(m, b, i);
        if (x.h == 0) {
            sl_lookahead_advance(m, &a, i + 1);
            continue;
        }
        if (this == SL_ROW_ADMITTED && moves == m->features.space.moves) {
            x.slot = m->row_slot + i % 2 * m->row_room;
        } else if (this != SL_AS_IT_LIES) {
            sl_raw_row r = {.batch = b, .at = at, .value = x.value, .n = n};
            if ((status = sl_row_lay_out(m, &r, i % 2, &x)) != SLUICE_OK) return at_row(m, b, i);
        }
        if (this != SL_LAY_OUT) m->state.seen = seen; /* those of the next row do not count yet */
        if ((status = learn_batch_row(m, b, i, &x, meter)) != SLUICE_OK) return status;
        if (this == SL_LAY_OUT) sl_lookahead_advance(m, &a, i + 1);
    }
    return SLUICE_OK;
}

/* A single row as the rule sees it. */
static sluice_status lay_out_single(sluice_model *m, const sl_raw_row *r, sl_row *x) {
    if (m->settings.hash_bits || !(m->features.named || sl_raw_has_names(r) || m->settings.max_features))
        return sl_row_lay_out(m, r, 0, x);
    sluice_status status = sl_check_dense_limit(m, r);
    if (status != SLUICE_OK) return status;
    const sl_idle_test idle = {test_idle, m};
    if (!sl_keys_use_names(&m->features) || !sl_row_resolve(&m->features, r, m->state.t + 1, &idle, &m->numbers[0]))
        return sl_no_memory_for_features(m);
    return lay_out_numbers(m, &m->numbers[0], false, x);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The program is asked whether to go on after each piece of the rows of a call. A piece has at most this number of
 * rows, and ends with the row that brings it to this number of steps. A step is the work on a value for one weight
 * vector, 5 to 50 nanoseconds; to begin with a vector takes as long as some values, and so do elements of a matrix. */
enum { ROWS_A_PIECE = 4096, STEPS_A_PIECE = 1 << 17, STEPS_TO_BEGIN = 16, ELEMENTS_A_STEP = 32 };

/* How many weight vectors have to do with a row: a model against one asks all its problems, in each candidate. */
static uint64_t vectors_of(const sluice_model *m) {
    const uint64_t each = sl_model_is_of_many(m) ? sl_many_problems(m) + 1 : 1;
    if (!m->race) return each;
    uint64_t candidates = 0;
    for (size_t i = 0; i < m->race->end; i++) candidates += m->race->candidate[i].model != NULL;
    return candidates * each;
}

/* The end of the piece that begins with row `first`. Every feature may be new to a matrix. */
static size_t piece_end(const sluice_model *m, const sluice_batch *b, size_t first, size_t end) {
    if (!m->progress.function) return end;
    const bool dense = m->learner->info.flags & SLUICE_LEARNER_DENSE;
    const size_t last = end - first < ROWS_A_PIECE ? end : first + ROWS_A_PIECE;
    uint64_t steps = 0, vectors = vectors_of(m), features = m->state.seen;
    size_t i = first;
    for (; i < last && steps < STEPS_A_PIECE; i++) {
        const uint64_t n = b->start[i + 1] - b->start[i];
        features += n;
        steps += vectors * (STEPS_TO_BEGIN + n + (dense ? features * features / ELEMENTS_A_STEP : 0));
    }
    return i;
}

/* The rows that a call is to learn from a batch. */
typedef struct call {
    size_t first, n;
    uint64_t before, total; /* rows of the call that came before the batch; all of its rows */
} call;

/* Whether the program wants the call that is under way to stop when the rows up to `end` are learned. */
static sluice_status report_progress(sluice_model *m, const call *all, size_t end) {
    const uint64_t done = all->before + (end - all->first);
    if (!m->progress.function || m->progress.function(m->progress.context, done, all->total) == 0) return SLUICE_OK;
    return sl_fail(&m->error, SLUICE_E_CANCELLED, "cancelled after %llu of %llu rows", (unsigned long long)done,
                   (unsigned long long)all->total);
}

/* Learns rows in pieces. */
static sluice_status learn_pieces(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                                  const call *all, sluice_meter *meter) {
    sluice_status status = SLUICE_OK;
    while (first < end && status == SLUICE_OK) {
        const size_t piece = first;
        first = piece_end(m, b, piece, end);
        status = learn_rows(m, b, t, piece, first, meter);
        if (status == SLUICE_OK) status = report_progress(m, all, first);
    }
    return status;
}

/* ---- rows without a label ---------------------------------------------------------------------------------------- */

/* Up to where no row is to be learned with a pseudo-label. */
static size_t labelled_until(const sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t row,
                             size_t end) {
    if (m->pseudo.probability == 0 || !b->n_unlabelled || t->label || t->weight) return end;
    const size_t at = sl_batch_find_unlabelled(b, row);
    return at < b->n_unlabelled && b->unlabelled[at].row < end ? b->unlabelled[at].row : end;
}

static sluice_status learn_pseudo(sluice_model *m, const sl_raw_row *r, double y, double h) {
    double margin;
    sl_row x = {.y = y, .h = h};
    sluice_status status = check_weight(m, h);
    if (status == SLUICE_OK) status = lay_out_single(m, r, &x);
    if (status == SLUICE_OK && m->problems) status = sl_problems_learn(m, r, y, h);
    return status == SLUICE_OK ? sl_model_round(m, &x, &margin) : status;
}

/* Learns a row without a label with the class that is predicted for it, if that is likely enough. */
static sluice_status learn_unlabelled(sluice_model *m, const sluice_batch *b, size_t row, const call *all) {
    const sl_raw_row r = sl_batch_raw(b, row);
    const double h = m->pseudo.weight * (double)b->unlabelled[sl_batch_find_unlabelled(b, row)].weight;
    sl_pseudo_label label = {.is_likely = false};
    sluice_status status = h > 0 ? sl_pseudo_label_find(m, &r, &label) : SLUICE_OK;
    if (status == SLUICE_OK && label.is_likely) {
        m->pseudo.now = true;
        status = learn_pseudo(m, &r, label.y, h);
        m->pseudo.now = false;
    }
    return status == SLUICE_OK ? report_progress(m, all, row + 1) : at_row(m, b, row);
}

/* ---- rows of classes --------------------------------------------------------------------------------------------- */

/* The row behind the first n of importance above 0. */
static size_t behind(const sluice_batch *b, const sl_targets *t, size_t row, uint64_t n) {
    for (; n; row++) n -= sl_weight_at(b, t, row) != 0;
    return row;
}

/* The mirror learns the n rows of importance above 0 that the model has learned, all as -1. */
static sluice_status learn_mirror(sluice_model *m, const sluice_batch *b, const sl_targets *t, double *y, uint64_t n) {
    sluice_model *mirror = m->classes.mirror;
    size_t end = behind(b, t, t->first, n);
    for (size_t i = 0; i < end - t->first; i++) y[i] = -1;
    if (mirror->broken) return SLUICE_OK; /* which matters only if it becomes the model */
    sluice_status status = learn_rows(mirror, b, t, t->first, end, m->classes.mirror_meter);
    if (status == SLUICE_OK || status == SLUICE_E_NUMERIC) return SLUICE_OK;
    m->error = mirror->error;
    sl_mirror_free(m);
    return status;
}

/* Learns rows whose classes are known, with their signs y. */
static sluice_status learn_known(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                                 double *y, const call *all, sluice_meter *meter) {
    const sl_targets signs = {.label = y, .weight = t->weight ? t->weight + (first - t->first) : NULL, .first = first};
    uint64_t before = m->state.t; /* none of the rows has a pseudo-label */
    sluice_status status = learn_pieces(m, b, &signs, first, end, all, meter);
    uint64_t learned = m->broken ? 0 : m->state.t - before;
    sl_classes_count(m, b, &signs, first, learned, y);
    if (!m->classes.mirror) return status;
    sluice_status other = learn_mirror(m, b, &signs, y, learned);
    return status == SLUICE_OK ? other : status;
}

/* Learns the rows of a call by their classes, a new one where it comes. Of rows that are not learned after all nothing
 * may be known: labels are looked at a piece at a time. */
static sluice_status learn_classes(sluice_model *m, const sluice_batch *b, const sl_targets *t, const call *all,
                                   sluice_meter *meter) {
    sluice_status status = sl_classes_decide(m, b, t, all->first, meter);
    double *y = malloc((all->n + 1) * sizeof *y);
    if (!y) status = sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the labels of %zu rows", all->n);
    for (size_t row = all->first, end = all->first + all->n; status == SLUICE_OK && row < end;) {
        const size_t labelled = labelled_until(m, b, t, row, end), piece = piece_end(m, b, row, labelled);
        const size_t stop = sl_classes_resolve(m, b, t, row, piece, y);
        if (stop > row) status = learn_known(m, b, t, row, stop, y, all, meter);
        if (status == SLUICE_OK && stop < piece && sl_classes_add_row(m, b, t, stop, meter) != SLUICE_OK)
            status = at_row(m, b, stop);
        row = stop;
        if (status == SLUICE_OK && row == labelled && row < end) status = learn_unlabelled(m, b, row++, all);
    }
    free(y);
    return status;
}

/* Learns the rows of a call by the signs of their labels. */
static sluice_status learn_plain(sluice_model *m, const sluice_batch *b, const sl_targets *t, const call *all,
                                 sluice_meter *meter) {
    sluice_status status = SLUICE_OK;
    for (size_t row = all->first, end = all->first + all->n; status == SLUICE_OK && row < end; row++) {
        size_t stop = labelled_until(m, b, t, row, end);
        if (stop > row) status = learn_pieces(m, b, t, row, stop, all, meter);
        row = stop;
        if (status == SLUICE_OK && row < end) status = learn_unlabelled(m, b, row, all);
    }
    return status;
}

/* Learns rows with labels that are given as +1, the positive class, and -1. */
static sluice_status learn_signs(sluice_model *m, const sluice_batch *b, const double *labels, const call *all,
                                 sluice_meter *meter) {
    double *y = malloc((all->n + 1) * sizeof *y);
    if (!y) return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the labels of %zu rows", all->n);
    for (size_t i = 0; i < all->n; i++) y[i] = sl_turn(&m->classes, labels[i] > 0 ? 1 : -1);
    sl_mirror_free(m);
    const sl_targets own = {.first = all->first};
    sluice_status status = learn_known(m, b, &own, all->first, all->first + all->n, y, all, meter);
    free(y);
    return status;
}

/* Its place is that in the input or, where there is none, the number of the row in the batch. */
static sluice_status refuse_label(sluice_model *m, const sluice_batch *b, size_t row) {
    sl_fail(&m->error, SLUICE_E_DATA, "the label given for row %zu is not finite", row + 1);
    at_row(m, b, row);
    if (!m->error.line) m->error.line = row + 1;
    return m->error.status;
}

sluice_status sluice_model_learn_labels(sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                        const double *labels, sluice_meter *meter) {
    sluice_status status = check_can_learn(m);
    if (status != SLUICE_OK) return status;
    if (first > b->rows || n > b->rows - first)
        return sl_fail(&m->error, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    for (size_t i = 0; labels && i < n; i++)
        if (!isfinite(labels[i])) return refuse_label(m, b, first + i);
    const sl_targets targets = {.label = labels, .first = first};
    const call all = {.first = first, .n = n, .total = n};
    if (sl_model_is_of_many(m)) return learn_classes(m, b, &targets, &all, meter);
    if (labels ? m->classes.table.n || m->classes.mirror : sl_has_classes(m, b))
        return labels ? learn_signs(m, b, labels, &all, meter) : learn_classes(m, b, &targets, &all, meter);
    return learn_plain(m, b, &targets, &all, meter);
}

sluice_status sluice_model_learn_rows(sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                      sluice_meter *meter) {
    return sluice_model_learn_labels(m, b, first, n, NULL, meter);
}

sluice_status sluice_model_learn_batch(sluice_model *m, const sluice_batch *b, sluice_meter *meter) {
    return sluice_model_learn_labels(m, b, 0, b->rows, NULL, meter);
}

sluice_status sluice_model_learn_csr(sluice_model *m, const sluice_csr *csr, sluice_meter *meter) {
    sluice_status status = check_can_learn(m);
    if (status != SLUICE_OK) return status;
    sl_csr_reader r;
    status = sl_csr_open(&r, csr, true, &m->error);
    if (status == SLUICE_OK && !r.csr.labels)
        status = sl_fail(&m->error, SLUICE_E_USAGE, "a sluice_csr to learn from needs labels");
    while (status == SLUICE_OK && (status = sl_csr_next(&r, &m->error)) == SLUICE_OK) {
        const sl_targets targets = {.label = r.label, .weight = r.weight};
        const call all = {.n = r.batch.rows, .before = r.first, .total = r.csr.rows};
        if (sl_has_classes(m, &r.batch))
            status = learn_classes(m, &r.batch, &targets, &all, meter);
        else
            status = learn_pieces(m, &r.batch, &targets, 0, r.batch.rows, &all, meter);
    }
    sl_csr_close(&r);
    return status == SLUICE_END ? SLUICE_OK : status;
}

void sluice_model_set_progress(sluice_model *m, sluice_progress_function function, void *context) {
    m->progress.function = function;
    m->progress.context = context;
}

sluice_status sl_model_learn_raw(sluice_model *m, const sl_raw_row *r, double y, double h, double *margin) {
    sl_row x = {.y = y, .h = h};
    sluice_status status = check_can_learn(m);
    if (status == SLUICE_OK) status = lay_out_single(m, r, &x);
    return status == SLUICE_OK ? sl_model_round(m, &x, margin) : status;
}

/* The sign of an example's class, which is added if it is new: as of a batch of one row. */
static sluice_status resolve_example(sluice_model *m, const sluice_example *example, const sl_label *label, double *y) {
    sl_name word = {.n = (uint32_t)label->word.n};
    double number = example->word.n ? (double)label->value : example->label;
    const sluice_batch row = {.rows = 1, .word = &word, .word_text = (char *)(uintptr_t)label->word.text, .worded = 1};
    const sl_targets t = {.label = word.n ? NULL : &number, .weight = &example->weight};
    sl_mirror_free(m);
    if (sl_classes_resolve(m, &row, &t, 0, 1, y) == 1) return SLUICE_OK;
    sluice_status status = sl_classes_add_row(m, &row, &t, 0, NULL);
    if (status == SLUICE_OK) sl_classes_resolve(m, &row, &t, 0, 1, y);
    return status;
}

sluice_status sluice_model_learn(sluice_model *m, const sluice_example *example, double *margin) {
    sluice_status status = check_can_learn(m);
    if (status == SLUICE_OK) status = sl_check_example(example, &m->repeat, &m->error);
    if (status == SLUICE_OK) status = check_weight(m, example->weight);
    if (status != SLUICE_OK) return status;
    if (example->weight == 0 && sl_model_is_of_many(m)) return SLUICE_OK; /* as if it were absent */
    if (example->weight == 0) return sluice_model_margin(m, example, margin ? margin : &(double){0}, &m->error);
    double inside = 0;
    sl_label label;
    if ((status = sl_label_of_example(example, &label, &m->error)) != SLUICE_OK) return status;
    double number = example->word.n ? (double)label.value : example->label;
    sl_row x = {.y = rule_label(m, number), .h = example->weight};
    const bool has_classes = label.word.n || sl_has_classes(m, &(sluice_batch){0});
    if (has_classes && (status = resolve_example(m, example, &label, &x.y)) != SLUICE_OK) return status;
    sl_raw_row r = sl_example_raw(example);
    if (r.names) r.hash = m->repeat.ids; /* which the search for names that come twice has left there */
    if ((status = lay_out_single(m, &r, &x)) != SLUICE_OK) return status;
    if (m->problems && (status = sl_problems_learn(m, &r, x.y, x.h)) != SLUICE_OK) return status;
    status = sl_model_round(m, &x, &inside);
    if (margin && (status == SLUICE_OK || status == SLUICE_E_NUMERIC)) *margin = sl_turn(&m->classes, inside);
    if (has_classes && status == SLUICE_OK) sl_classes_count_y(m, x.y);
    return status;
}
