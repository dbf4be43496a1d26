/* Learning and predicting: how a row of ids reaches the rule.
 *
 * In a row that a reader delivers, with every id small, the ids are the slots: nothing is copied. Every other row
 * (large ids, explicit zeros, a bias, scaling, hashing, the API's 64-bit ids) is first laid out in the model's own row
 * buffers. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/batch.h"
#include "core/error.h"
#include "core/model.h"

/* A row as it came: from a batch, or from the API. */
typedef struct raw_row {
    const sluice_batch *batch;
    size_t at;           /* where the row begins in the batch's arrays */
    const uint64_t *ids; /* the API's ids, where batch is NULL */
    const float *value;
    size_t n;
} raw_row;

static uint64_t hash_id(uint64_t id, unsigned bits) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(id >> (8 * i)); /* the same on every machine: it is saved */
    return XXH64(bytes, sizeof bytes, 0) >> (64 - bits);
}

static uint64_t raw_id(const sluice_model *m, const raw_row *r, size_t k) {
    uint64_t id = r->batch ? sl_batch_id(r->batch, r->at + k) : r->ids[k];
    return m->settings.hash_bits ? hash_id(id, m->settings.hash_bits) : id;
}

static double scale_of(const sluice_model *m, const raw_row *r) {
    if (m->settings.normalize != SLUICE_NORMALIZE_L2) return 1;
    double sum = 0;
    for (size_t k = 0; k < r->n; k++) sum += (double)r->value[k] * (double)r->value[k];
    return sum > 0 ? 1 / sqrt(sum) : 1;
}

/* ---- the row as the rule sees it -------------------------------------------------------------------------------- */

static bool row_reserve(sluice_model *m, size_t n) {
    if (n <= m->row_room) return true;
    size_t room = n * 2;
    uint32_t *slot = realloc(m->row_slot, room * sizeof *slot);
    if (slot) m->row_slot = slot;
    float *value = realloc(m->row_value, room * sizeof *value);
    if (value) m->row_value = value;
    uint64_t *key = realloc(m->row_key, room * sizeof *key);
    if (key) m->row_key = key;
    if (!slot || !value || !key) return false;
    m->row_room = room;
    return true;
}

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Hashed rows are laid out by ascending id, which depends on the row alone, not on where its features lie. Features
 * that hashing threw together become one: their values add up. */
static size_t lay_out_hashed(sluice_model *m, const raw_row *r, double scale) {
    uint64_t *key = m->row_key; /* id (at most 30 bits), then position: equal ids keep the example's order */
    for (size_t k = 0; k < r->n; k++) key[k] = raw_id(m, r, k) << 32 | k;
    qsort(key, r->n, sizeof *key, by_key);
    size_t n = 0;
    for (size_t k = 0; k < r->n;) {
        uint64_t id = key[k] >> 32;
        double sum = 0;
        for (; k < r->n && key[k] >> 32 == id; k++) sum += (double)r->value[key[k] & UINT32_MAX] * scale;
        if ((float)sum == 0) continue;
        m->row_slot[n] = sl_space_find(&m->space, id);
        m->row_value[n++] = (float)fmax(-FLT_MAX, fmin(FLT_MAX, sum));
    }
    return n;
}

static size_t lay_out_exact(sluice_model *m, const raw_row *r, double scale) {
    size_t n = 0;
    for (size_t k = 0; k < r->n; k++) {
        float v = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
        if (v == 0) continue;
        m->row_slot[n] = sl_space_find(&m->space, raw_id(m, r, k));
        m->row_value[n++] = v;
    }
    return n;
}

/* A learner whose state is a matrix has a limit; the row is refused before it changes anything. */
static sluice_status check_dense_limit(sluice_model *m, const raw_row *r) {
    if (!(m->rule->info.flags & SLUICE_LEARNER_DENSE)) return SLUICE_OK;
    uint64_t coming = m->settings.bias != 0 && !m->space.bias_rank;
    for (size_t k = 0; k < r->n; k++) {
        uint64_t id = raw_id(m, r, k);
        uint32_t slot = sl_space_find(&m->space, id);
        coming += slot == SL_NO_SLOT || (id < m->space.direct && !sl_space_knows(&m->space, slot));
    }
    uint64_t seen = m->space.seen + coming, hashed = ((uint64_t)1 << m->settings.hash_bits) + 1;
    if (m->settings.hash_bits && seen > hashed) seen = hashed; /* ids that collide were counted one by one */
    if (seen <= SLUICE_MAX_DENSE_FEATURES) return SLUICE_OK;
    return sl_fail(&m->error, SLUICE_E_LIMIT,
                   "%s keeps a matrix over the features and takes at most %d of them; use a learner without -full",
                   m->rule->info.name, SLUICE_MAX_DENSE_FEATURES);
}

/* Lays the row out: every feature seen and found, zeros left out, values scaled, the bias last. */
static sluice_status lay_out(sluice_model *m, const raw_row *r, sl_row *x) {
    sluice_status status = check_dense_limit(m, r);
    if (status != SLUICE_OK) return status;
    bool fine = row_reserve(m, r->n + 1);
    for (size_t k = 0; fine && k < r->n; k++) fine = sl_space_add(&m->space, raw_id(m, r, k));
    if (fine && m->settings.bias != 0) fine = sl_space_add_bias(&m->space);
    if (!fine)
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for new features (%llu seen so far)",
                       (unsigned long long)m->space.seen);
    double scale = scale_of(m, r);
    size_t n = m->settings.hash_bits ? lay_out_hashed(m, r, scale) : lay_out_exact(m, r, scale);
    if (m->settings.bias != 0) {
        m->row_slot[n] = sl_space_bias(&m->space);
        m->row_value[n++] = (float)m->settings.bias;
    }
    x->slot = m->row_slot;
    x->value = m->row_value;
    x->n = n;
    return SLUICE_OK;
}

/* Whether the batch's rows may be used as they lie, as far as that is the same for all of them. Learners that may
 * refuse a row, for its features or its weight, look at it before they let new features in. */
static bool usable(const sluice_model *m, const sluice_batch *b) {
    return !b->has_zeros && !(b->has_weights && m->rule->weight_0_or_1) && m->settings.bias == 0 &&
           !m->settings.normalize && !m->settings.hash_bits && !(m->rule->info.flags & SLUICE_LEARNER_DENSE);
}

/* Makes the features of a row seen, as long as they are direct, and asks for their state, so that it is at hand when
 * the row is learned (docs/performance.md). Whether all are direct, and so their ids are their slots; where it stops,
 * for whatever reason, lay_out() goes on and says what is wrong. */
static bool admit_row(sl_space *sp, const sluice_batch *b, size_t row) {
    if (b->has_weights && b->weight[row] == 0) return false; /* as if it were absent */
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        uint32_t id = b->id[k];
        if (!sl_space_knows(sp, id) && (id >= SL_WIDE || !sl_space_add(sp, id) || id >= sp->direct)) return false;
        __builtin_prefetch(sp->features + (size_t)id * sp->size, 1);
    }
    return true;
}

/* ---- one round -------------------------------------------------------------------------------------------------- */

static void settle_all(sluice_model *m) {
    uint32_t slot[SL_BLOCK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_block(&m->space, &cursor, slot));) m->rule->settle(&m->state, slot, n);
}

static sluice_status learn_row(sluice_model *m, const sl_row *x, double *margin) {
    sl_state *s = &m->state;
    s->features = m->space.features;
    if (m->rule->prepare && !m->rule->prepare(s, x))
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the matrix of %s", m->rule->info.name);
    s->t++;
    double score = m->rule->score(s, x);
    *margin = score;
    if (!isfinite(score)) {
        m->broken = true;
        return sl_fail(
            &m->error, SLUICE_E_NUMERIC,
            "the margin is no longer a number: values are too large or too small; scale them (--normalize l2) "
            "or learn in smaller steps");
    }
    m->updates += m->rule->update(s, x, score) && x->n; /* an empty example moves nothing */
    m->mistakes += (score > 0) != (x->y > 0);
    m->positives += x->y > 0;
    if (m->rule->settle && s->t % SL_SETTLE_EVERY == 0) settle_all(m);
    return SLUICE_OK;
}

static sluice_status check_can_learn(sluice_model *m) {
    if (m->rule == &sl_frozen)
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "a predict-only model cannot learn; keep the full model for that");
    if (m->broken)
        return sl_fail(&m->error, SLUICE_E_NUMERIC, "the model has left the range of numbers; learn it anew");
    return SLUICE_OK;
}

static sluice_status check_weight(sluice_model *m, double h) {
    if (!(h >= 0) || !isfinite(h))
        return sl_fail(&m->error, SLUICE_E_DATA, "the importance weight must be a number >= 0");
    if (m->rule->weight_0_or_1 && h != 0 && h != 1)
        return sl_fail(&m->error, SLUICE_E_DATA, "%s takes only the importance weights 0 and 1; use pa-1 or pa-2",
                       m->rule->info.name);
    return SLUICE_OK;
}

/* Gives the model's failure the place of the row, where the batch knows it. */
static sluice_status at_row(sluice_model *m, const sluice_batch *b, size_t row) {
    sl_place(&m->error, b->source ? b->source : "", b->has_lines ? b->first_line + b->line[row] : 0, 0);
    return m->error.status;
}

sluice_status sluice_model_learn_batch(sluice_model *m, const sluice_batch *b, sluice_meter *meter) {
    return sluice_model_learn_rows(m, b, 0, b->rows, meter);
}

sluice_status sluice_model_learn_rows(sluice_model *m, const sluice_batch *b, size_t first, size_t n_rows,
                                      sluice_meter *meter) {
    sluice_status status = check_can_learn(m);
    if (status != SLUICE_OK) return status;
    if (first > b->rows || n_rows > b->rows - first)
        return sl_fail(&m->error, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    bool as_they_lie = usable(m, b), next_lies = n_rows && as_they_lie && admit_row(&m->space, b, first);
    for (size_t i = first; i < first + n_rows; i++) {
        /* the next row is admitted before this one is learned: its state is on the way meanwhile */
        bool lies = next_lies;
        next_lies = as_they_lie && i + 1 < first + n_rows && admit_row(&m->space, b, i + 1);
        size_t at = b->start[i], n = b->start[i + 1] - at;
        sl_row x = {b->id + at, b->value + at, n, b->label[i] > 0 ? 1 : -1, b->has_weights ? (double)b->weight[i] : 1};
        if (b->has_weights && (status = check_weight(m, x.h)) != SLUICE_OK) return at_row(m, b, i);
        if (x.h == 0) continue;
        if (!lies) {
            raw_row r = {.batch = b, .at = at, .value = x.value, .n = n};
            if ((status = lay_out(m, &r, &x)) != SLUICE_OK) return at_row(m, b, i);
        }
        double margin;
        if ((status = learn_row(m, &x, &margin)) != SLUICE_OK) return at_row(m, b, i);
        if (meter && sluice_meter_add(meter, margin, x.y) != SLUICE_OK) {
            m->error = *sluice_meter_error(meter);
            return m->error.status;
        }
    }
    return SLUICE_OK;
}

static sluice_status check_values(const sluice_example *x, sluice_error *err) {
    for (size_t k = 0; k < x->n; k++)
        if (!isfinite(x->values[k]))
            return sl_fail(err, SLUICE_E_DATA, "the value of feature %llu is not finite",
                           (unsigned long long)x->ids[k]);
    return SLUICE_OK;
}

static sluice_status check_repeats(sluice_model *m, const sluice_example *x) {
    size_t k = 1;
    while (k < x->n && x->ids[k - 1] < x->ids[k]) k++;
    if (k >= x->n) return SLUICE_OK;
    if (!row_reserve(m, x->n)) return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for a row");
    memcpy(m->row_key, x->ids, x->n * sizeof *x->ids);
    qsort(m->row_key, x->n, sizeof *m->row_key, by_key);
    for (k = 1; k < x->n; k++)
        if (m->row_key[k - 1] == m->row_key[k])
            return sl_fail(&m->error, SLUICE_E_DATA, "feature %llu appears twice in one example",
                           (unsigned long long)m->row_key[k]);
    return SLUICE_OK;
}

sluice_status sluice_model_learn(sluice_model *m, const sluice_example *example, double *margin) {
    sluice_status status = check_can_learn(m);
    if (status == SLUICE_OK) status = check_weight(m, example->weight);
    if (status == SLUICE_OK) status = check_values(example, &m->error);
    if (status == SLUICE_OK) status = check_repeats(m, example);
    if (status == SLUICE_OK && !isfinite(example->label))
        status = sl_fail(&m->error, SLUICE_E_DATA, "the label is not finite");
    if (status != SLUICE_OK) return status;
    if (example->weight == 0) return sluice_model_margin(m, example, margin ? margin : &(double){0}, &m->error);
    sl_row x = {.y = example->label > 0 ? 1 : -1, .h = example->weight};
    raw_row r = {.ids = example->ids, .value = example->values, .n = example->n};
    if ((status = lay_out(m, &r, &x)) != SLUICE_OK) return status;
    return learn_row(m, &x, margin ? margin : &(double){0});
}

/* ---- predicting ------------------------------------------------------------------------------------------------- */

static double margin_of(const sluice_model *m, const raw_row *r) {
    sl_state s = m->state;
    s.features = m->space.features;
    double scale = scale_of(m, r), sum = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_BLOCK];
        float value[SL_BLOCK], w[SL_BLOCK];
        size_t n = 0;
        for (; k < r->n && n < SL_BLOCK; k++) {
            slot[n] = sl_space_find(&m->space, raw_id(m, r, k));
            value[n] = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
            n += slot[n] != SL_NO_SLOT && value[n] != 0;
        }
        m->rule->weights(&s, slot, n, w);
        for (size_t i = 0; i < n; i++) sum += (double)w[i] * (double)value[i];
    }
    uint32_t bias = sl_space_bias(&m->space);
    if (bias != SL_NO_SLOT) {
        float w;
        m->rule->weights(&s, &bias, 1, &w);
        sum += (double)w * m->settings.bias;
    }
    return sum;
}

sluice_status sluice_model_margin(const sluice_model *m, const sluice_example *x, double *margin, sluice_error *err) {
    if (check_values(x, err) != SLUICE_OK) return SLUICE_E_DATA;
    raw_row r = {.ids = x->ids, .value = x->values, .n = x->n};
    *margin = margin_of(m, &r);
    if (isfinite(*margin)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_NUMERIC, "the margin is no number: the model has left the range of numbers");
}

/* margin_of() for the common case, a predict-only model that takes rows as they lie: one loop over plain weights. */
static double frozen_margin(const sl_space *sp, const sluice_batch *b, size_t at, size_t end) {
    const float *w = (const float *)(const void *)sp->features;
    double sum = 0;
    for (size_t k = at; k < end; k++) {
        uint32_t slot = b->id[k];
        if (slot >= sp->direct && (slot = sl_space_probe(sp, sl_batch_id(b, k))) == SL_NO_SLOT) continue;
        sum += (double)w[slot] * (double)b->value[k];
    }
    return sum;
}

void sluice_model_margins(const sluice_model *m, const sluice_batch *b, double *margins) {
    bool plain = m->rule == &sl_frozen && m->settings.bias == 0 && !m->settings.normalize && !m->settings.hash_bits;
    for (size_t i = 0; i < b->rows; i++) {
        size_t at = b->start[i], end = b->start[i + 1];
        raw_row r = {.batch = b, .at = at, .value = b->value + at, .n = end - at};
        margins[i] = plain ? frozen_margin(&m->space, b, at, end) : margin_of(m, &r);
    }
}
