/* ROWS, VALS: the pending rows of batch learners. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"

sluice_status sl_load_rows(sl_loader *l) {
    sl_pending *b = &l->model->state.batch.pending;
    size_t n = (size_t)(l->end - l->at) / 16;
    if (!l->model->rule->finish || (l->end - l->at) % 16 || n == 0 || l->values)
        return DAMAGED(l, "pending rows where there are none");
    if (!sl_pending_reserve(b, n, 0)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's pending rows");
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = sl_get_le(l->at + 16 * k, 8), length = sl_get_le(l->at + 16 * k + 8, 8);
        double yh;
        memcpy(&yh, &bits, sizeof yh);
        if (!isfinite(yh) || yh == 0 || length > SIZE_MAX / 16 - b->start[b->rows])
            return DAMAGED(l, "a pending row is impossible");
        b->yh[b->rows++] = yh;
        b->start[b->rows] = b->start[b->rows - 1] + (size_t)length;
    }
    return SLUICE_OK;
}

sluice_status sl_load_values(sl_loader *l) {
    sl_pending *b = &l->model->state.batch.pending;
    size_t n = (size_t)(l->end - l->at) / 8;
    if ((l->end - l->at) % 8 || n == 0 || b->rows == 0 || n > b->start[b->rows] - l->values)
        return DAMAGED(l, "more values than its rows have");
    b->nonzeros = l->values;
    if (!sl_pending_reserve(b, 0, n)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's pending rows");
    for (size_t k = 0; k < n; k++) {
        uint32_t bits = (uint32_t)sl_get_le(l->at + 8 * k + 4, 4);
        b->column[l->values + k] = (uint32_t)sl_get_le(l->at + 8 * k, 4);
        memcpy(&b->value[l->values + k], &bits, sizeof bits);
        if (!isfinite(b->value[l->values + k])) return DAMAGED(l, "a value is not finite");
    }
    b->nonzeros = l->values += n;
    return SLUICE_OK;
}

/* Whether every feature that has had a value has a column of its own, and no column is left out. */
static bool number_columns(sl_loader *l, bool *taken) {
    sluice_model *m = l->model;
    sl_state *s = &m->state;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0, with_column = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            uint32_t column = *sl_column(m->features.space.features, m->features.space.size, slot[k]);
            if (column > l->features || (column && taken[column - 1])) return false;
            if (column > s->batch.columns) s->batch.columns = column;
            if (column) taken[column - 1] = true;
            with_column += column != 0;
        }
    return s->batch.columns == with_column;
}

sluice_status sl_load_finish_pending(sl_loader *l) {
    sluice_model *m = l->model;
    const sl_pending *b = &m->state.batch.pending;
    if (!m->rule->finish) return SLUICE_OK;
    bool *taken = calloc(l->features + 1, sizeof *taken);
    if (!taken) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
    bool fine = number_columns(l, taken);
    free(taken);
    double batch = m->params[m->rule->batch];
    bool dense = m->rule->info.flags & SLUICE_LEARNER_DENSE; /* its rows are columns */
    fine = fine &&
           (!dense ||
            (m->state.dense.order <= m->state.batch.columns && m->state.batch.columns <= SLUICE_MAX_DENSE_FEATURES)) &&
           l->values == (b->rows ? b->start[b->rows] : 0) &&
           b->rows <= m->state.t - m->updates && /* each may become an update */
           (batch == 0 || (double)b->rows < batch);
    for (size_t k = 0; fine && k < l->values; k++) fine = b->column[k] < m->state.batch.columns;
    return fine ? SLUICE_OK : DAMAGED(l, "its pending rows are impossible");
}
