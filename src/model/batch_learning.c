/* Batch learners: adding to the pending rows, and when they are learned. */
#include <stdlib.h>

#include "base/error.h"
#include "model/classes/problems.h"
#include "model/scaling/row_values.h"

bool sl_model_prepare_pending(sluice_model *m, const sl_row *x) {
    sl_state *s = &m->state;
    if (!sl_pending_reserve(&s->batch.pending, 1, x->n)) return false;
    for (size_t k = 0; k < x->n; k++) {
        uint32_t *column = sl_column(m->features.space.features, m->features.space.size, x->slot[k]);
        if (*column == 0) *column = (uint32_t)++s->batch.columns;
    }
    return true;
}

void sl_model_add_pending(sluice_model *m, const sl_row *x) {
    uint32_t *column;
    float *value;
    sl_pending_add(&m->state.batch.pending, x->y * x->h, x->n, &column, &value);
    for (size_t k = 0; k < x->n; k++) {
        column[k] = *sl_column(m->features.space.features, m->features.space.size, x->slot[k]) - 1;
        value[k] = m->row_unscaled ? m->row_unscaled[m->row_room + k] : x->value[k];
    }
}

/* Finds the slots that the features of the pending rows have now, by column. */
static bool find_slots(sluice_model *m) {
    sl_state *s = &m->state;
    s->batch.slot_of = calloc(s->batch.columns + 1, sizeof *s->batch.slot_of);
    if (!s->batch.slot_of) return false;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            uint32_t column = *sl_column(m->features.space.features, m->features.space.size, slot[k]);
            if (column) s->batch.slot_of[column - 1] = slot[k];
        }
    return true;
}

/* Learns the pending rows: where features have scales, as these are now, and the rows stay unscaled in the model. */
static sluice_status learn_pending(sluice_model *m) {
    sl_pending *b = &m->state.batch.pending;
    const bool scaled = m->features.space.scaled;
    float *unscaled = b->value;
    sluice_status status = SLUICE_E_MEMORY;
    bool fine = find_slots(m);
    if (fine && scaled) fine = (b->value = sl_scale_pending(m)) != NULL;
    if (fine)
        status = m->rule->finish(&m->state, &m->updates, &m->error);
    else
        sl_fail(&m->error, SLUICE_E_MEMORY,
                "no memory to learn a batch of %zu examples with %s; a smaller one (batch) takes less", b->rows,
                m->rule->info.name);
    if (scaled) {
        if (b->value != unscaled) free(b->value);
        b->value = unscaled;
    }
    return status;
}

/* If memory or OpenBLAS is missing the rows stay pending: nothing is lost, and it can be tried again. */
sluice_status sl_model_finish_batch(sluice_model *m) {
    sl_state *s = &m->state;
    if (!m->rule->finish || s->batch.pending.rows == 0) return SLUICE_OK;
    bool dense = m->rule->info.flags & SLUICE_LEARNER_DENSE;
    s->features = m->features.space.features;
    s->batch.blas = dense ? sl_blas_begin(s->batch.threads, &m->error) : NULL;
    if (dense && !s->batch.blas) return m->error.status;
    sluice_status status = learn_pending(m);
    if (dense) sl_blas_end(true);
    free(s->batch.slot_of);
    s->batch.slot_of = NULL;
    s->batch.blas = NULL;
    m->broken |= status == SLUICE_E_NUMERIC;
    if (status == SLUICE_OK) sl_pending_clear(&s->batch.pending);
    return status;
}

/* Called before the first row of a batch, so that it does not fail after the last. */
sluice_status sl_model_check_batch(sluice_model *m) {
    if (!m->rule->finish || m->state.batch.pending.rows || !(m->rule->info.flags & SLUICE_LEARNER_DENSE))
        return SLUICE_OK;
    if (!sl_blas_begin(m->state.batch.threads, &m->error)) return m->error.status;
    sl_blas_end(false);
    return SLUICE_OK;
}

sluice_status sluice_model_end_run(sluice_model *m) {
    if (m->problems) return sl_problems_end_run(m);
    if (!m->rule->finish || m->params[m->rule->batch] != 0) return SLUICE_OK;
    if (m->classes.mirror && sluice_model_end_run(m->classes.mirror) != SLUICE_OK) sl_mirror_free(m);
    sluice_status status = sl_model_finish_batch(m);
    if (status == SLUICE_OK) sl_pending_free(&m->state.batch.pending);
    return status;
}

sluice_model *sluice_model_finished(const sluice_model *m, sluice_error *err) {
    if (m->problems) return sl_problems_finished(m, err);
    sluice_model *to = sl_model_copy_without_pending(m, err);
    if (!to) return NULL;
    to->state.batch.pending = m->state.batch.pending; /* borrowed: finishing only reads it */
    sluice_status status = sl_model_finish_batch(to);
    to->state.batch.pending = (sl_pending){0};
    if (status == SLUICE_OK) return to;
    if (err) *err = to->error;
    sluice_model_free(to);
    return NULL;
}

uint64_t sluice_model_waiting(const sluice_model *m) {
    /* against the rest each problem waits for as many; against one there is one for every class that has seen its rows
     * alone */
    uint64_t rows = m->state.batch.pending.rows;
    for (size_t i = 0; m->problems && i < m->problems->n_to_come; i++)
        rows += sluice_model_waiting(m->problems->to_come[i]);
    return rows;
}

void sluice_model_set_threads(sluice_model *m, unsigned threads) {
    m->state.batch.threads = threads;
    if (m->classes.mirror) sluice_model_set_threads(m->classes.mirror, threads);
    if (m->problems) sl_problems_set_threads(m->problems, threads);
}
