/* What a model says of itself: facts, weights, the newest features, how the feature space grew. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/classes/many.h"
#include "model/race/race.h"

static sluice_weight weight_of(const sluice_model *m, uint64_t id, float value, bool is_bias) {
    sluice_weight w = {.id = id, .weight = value, .is_bias = is_bias};
    if (m->features.named && !is_bias) {
        w.name.text = sl_names_text(&m->features.names, (uint32_t)id, &w.name.n);
        if (!sl_id_of_name(w.name.text, w.name.n, &w.id)) w.id = 0;
    }
    return w;
}

sluice_weight sl_weight_at_walk(const sluice_model *m, const sl_walk *at) {
    return weight_of(m, at->id, 0, at->is_bias);
}

sluice_status sluice_model_weights(const sluice_model *m, sluice_weight **weights, size_t *n, sluice_error *err) {
    *weights = NULL;
    *n = 0;
    if (sl_model_is_of_many(m))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "a model of several classes has weights for each of them");
    sluice_status status = sl_model_weights_inside(m, 0, weights, n, err);
    for (size_t i = 0; m->classes.turned && i < *n; i++) (*weights)[i].weight = -(*weights)[i].weight;
    return status;
}

sluice_status sl_model_weights_inside(const sluice_model *m, size_t class_index, sluice_weight **weights, size_t *n,
                                      sluice_error *err) {
    *weights = NULL;
    *n = 0;
    size_t room = 0;
    sl_keys_walk w;
    bool fine = sl_keys_start(&w, &m->features), more = true, finite = true;
    while (fine && more) {
        uint32_t slot[SL_CHUNK];
        uint64_t id[SL_CHUNK];
        bool is_bias[SL_CHUNK];
        float value[SL_CHUNK];
        size_t k = 0;
        while (k < SL_CHUNK && (more = sl_keys_next(&w))) {
            slot[k] = w.at.slot;
            id[k] = w.at.id;
            is_bias[k++] = w.at.is_bias;
        }
        sl_class_weights(m, class_index, slot, k, value);
        for (size_t i = 0; fine && i < k; i++) {
            if (value[i] == 0) continue;
            finite &= isfinite(value[i]);
            if (*n == room) {
                room = room ? room * 2 : 1024;
                sluice_weight *larger = realloc(*weights, room * sizeof **weights);
                fine = larger != NULL;
                if (fine) *weights = larger;
            }
            if (fine) (*weights)[(*n)++] = weight_of(m, id[i], value[i], is_bias[i]);
        }
    }
    sl_keys_end(&w);
    if (fine && finite) return SLUICE_OK;
    free(*weights);
    *weights = NULL;
    *n = 0;
    return fine ? sl_fail(
                      err, SLUICE_E_NUMERIC,
                      "the model has left the range of numbers: values are too large; learn it anew with scaled ones")
                : sl_fail(err, SLUICE_E_MEMORY, "no memory for the weights");
}

/* Where the i-th newest feature is: its id or number, and its slot; SL_NO_SLOT: there is none. */
static uint32_t newest_at(const sluice_model *m, const sl_keys_walk *order, size_t i, uint64_t *id) {
    if (m->features.named) {
        if (order->n <= i) return SL_NO_SLOT;
        *id = order->order[order->n - 1 - i];
    } else {
        const sl_space *sp = &m->features.space;
        if (i >= SL_NEWEST || i >= sp->arrivals) return SL_NO_SLOT;
        *id = sp->newest[(sp->arrivals - 1 - i) % SL_NEWEST];
    }
    return sl_space_find(&m->features.space, *id);
}

sluice_status sluice_model_newest(const sluice_model *m, sluice_weight *newest, size_t *n, sluice_error *err) {
    size_t room = *n;
    sl_keys_walk order;
    *n = 0;
    if (sl_model_is_predict_only(m)) return SLUICE_OK; /* it has no history */
    if (!sl_keys_in_order(&order, &m->features))
        return sl_fail(err, SLUICE_E_MEMORY, "no memory for the newest features");
    sl_state s = m->state;
    s.features = m->features.space.features;
    uint64_t id;
    for (uint32_t slot; *n < room && (slot = newest_at(m, &order, *n, &id)) != SL_NO_SLOT; ++*n) {
        float w;
        m->kernels.weights(&s, &slot, 1, &w);
        if (sl_model_is_of_many(m)) w = 0; /* it has one for each class */
        newest[*n] = weight_of(m, id, (float)sl_turn(&m->classes, (double)w), false);
    }
    sl_keys_end(&order);
    return SLUICE_OK;
}

static bool is_of_column(const char *name, size_t n, sluice_name column) {
    if (n < column.n || memcmp(name, column.text, column.n) != 0) return false;
    return n == column.n || name[column.n] == '=' || name[column.n] == '.';
}

int sluice_model_has_column(const sluice_model *m, sluice_name column) {
    if (m->settings.hash_bits) return 1;
    if (!m->features.named) {
        uint64_t id;
        const sl_space *sp = &m->features.space;
        uint32_t slot = sl_id_of_name(column.text, column.n, &id) ? sl_space_find(sp, id) : SL_NO_SLOT;
        return slot != SL_NO_SLOT && (slot >= sp->direct || sl_space_knows(sp, slot));
    }
    const sl_names *names = &m->features.names;
    for (uint32_t i = 0; i < names->n; i++) {
        size_t n;
        if (!sl_names_has(names, i)) continue;
        const char *name = sl_names_text(names, i, &n);
        if (is_of_column(name, n, column)) return 1;
    }
    return 0;
}

bool sl_model_weights_finite(const sluice_model *m, const uint32_t *slot, size_t n) {
    sl_state s = m->state;
    s.features = m->features.space.features;
    float w[SL_CHUNK];
    for (size_t at = 0; at < n; at += SL_CHUNK) {
        size_t k = n - at < SL_CHUNK ? n - at : SL_CHUNK;
        m->kernels.weights(&s, slot + at, k, w);
        for (size_t i = 0; i < k; i++)
            if (!isfinite(w[i])) return false;
    }
    return true;
}

uint64_t sluice_model_nonzeros(const sluice_model *m) {
    if (sl_model_is_of_many(m)) return sl_many_nonzeros(m);
    sl_state s = m->state;
    s.features = m->features.space.features;
    uint64_t nonzeros = 0, cursor = 0;
    uint32_t slot[SL_CHUNK];
    float value[SL_CHUNK];
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));) {
        m->kernels.weights(&s, slot, n, value);
        for (size_t k = 0; k < n; k++) nonzeros += value[k] != 0;
    }
    return nonzeros;
}

static sluice_status fill_facts(const sluice_model *m, uint64_t nonzeros, sluice_model_facts *facts) {
    sluice_status status = sl_sized_check(facts, "sluice_model_facts", NULL);
    if (status != SLUICE_OK) return status;
    sluice_model_facts all = {
        .learner = &m->learner->info,
        .is_final = sl_model_is_predict_only(m),
        .examples = sl_model_examples(m),
        .mistakes = m->mistakes,
        .updates = m->updates,
        .positives = m->classes.turned ? sl_model_examples(m) - m->positives : m->positives,
        .features_seen = m->features.space.seen,
        .nonzeros = nonzeros,
        .max_features = m->settings.max_features,
        .has_names = m->features.named,
        .evicted = m->features.limit.evicted,
        .refused = m->features.limit.refused,
        .waiting = sluice_model_waiting(m),
        .calibration = sluice_model_calibration(m),
        .log_odds = m->learner->has_probability && m->learner->has_probability(m->params),
        .vectors = sl_model_is_of_many(m) ? sl_many_problems(m) : 1,
        .pseudo = m->pseudo.rows,
    };
    sl_sized_write(facts, &all, sizeof all);
    return SLUICE_OK;
}

sluice_status sluice_model_describe(const sluice_model *m, sluice_model_facts *facts) {
    return fill_facts(m, sluice_model_nonzeros(m), facts);
}

sluice_status sluice_model_quick_facts(const sluice_model *m, sluice_model_facts *facts) {
    return fill_facts(m, 0, facts);
}

const sluice_settings *sluice_model_settings(const sluice_model *m) { return m->race ? &m->race->shown : &m->settings; }

size_t sluice_model_growth(const sluice_model *m, uint64_t *seen, size_t room) {
    size_t n = 0;
    for (; n < room && n < 64 && m->growth[n]; n++) seen[n] = m->growth[n] - 1;
    return n;
}

double sluice_model_param(const sluice_model *m, size_t i) {
    return i < m->learner->info.n_params ? m->params[i] : NAN;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint64_t metadata_memory(const sl_metadata *d) {
    uint64_t bytes = d->n * sizeof *d->entry;
    for (size_t i = 0; i < d->n; i++) bytes += strlen(d->entry[i].key) + 1 + d->entry[i].n + 1;
    return bytes;
}

static uint64_t dense_memory(const sluice_model *m) {
    if (!m->state.dense.room) return 0;
    uint64_t numbers = sl_matrix_numbers(m->rule, m->params, m->state.dense.room);
    return (numbers + 3 * m->state.dense.room) * sizeof(double);
}

uint64_t sluice_model_memory(const sluice_model *m) {
    const sl_pending *p = &m->state.batch.pending;
    uint64_t rows =
        p->rows_room * (sizeof *p->start + sizeof *p->yh) + p->nonzeros_room * (sizeof *p->column + sizeof *p->value);
    const size_t a_value = 2 * sizeof *m->row_slot + sizeof *m->row_value + sizeof *m->row_key +
                           (m->row_input ? sizeof *m->row_input : 0) +
                           (m->row_unscaled ? 2 * sizeof *m->row_unscaled : 0) +
                           (m->grown.list ? sizeof *m->grown.list : 0);
    uint64_t buffers = m->row_room * a_value + 3 * m->repeat.room * sizeof *m->repeat.ids;
    for (int i = 0; i < 2; i++) buffers += m->numbers[i].room * (sizeof(uint32_t) + sizeof(float));
    return sizeof *m + sl_features_memory(&m->features) + 3 * m->state.top.room * sizeof(sl_top_entry) +
           dense_memory(m) + rows + buffers + metadata_memory(&m->metadata) + sl_classes_memory(&m->classes.table) +
           sl_many_memory(m) + (m->race ? sl_race_memory(m->race) : 0) +
           (m->classes.mirror ? sluice_model_memory(m->classes.mirror) : 0);
}
