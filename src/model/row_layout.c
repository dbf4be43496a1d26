/* Lays out a row, from a batch or from the API, for the rule: features are added and found, zeros left out, values
 * scaled, the bias last. */
#include "model/row_layout.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash/hash.h"
#include "model/scaling/row_values.h"

static uint64_t hash_id(uint64_t id, unsigned bits) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(id >> (8 * i)); /* the same on every machine: it is saved */
    return sl_xxh64(bytes, sizeof bytes, 0) >> (64 - bits);
}

static uint64_t hashed_id(const sluice_model *m, const sl_raw_row *r, size_t k) {
    if (!sl_raw_has_names(r)) return hash_id(sl_raw_id(r, k), m->settings.hash_bits);
    char digits[20];
    size_t n;
    uint64_t hash, id;
    const char *name = sl_raw_name(r, k, digits, &n, &hash);
    if (sl_id_of_name(name, n, &id)) return hash_id(id, m->settings.hash_bits);
    return sl_xxh64(name, n, 0) >> (64 - m->settings.hash_bits);
}

/* The id of a feature in this model: its own, or hashed. */
static inline uint64_t raw_id(const sluice_model *m, const sl_raw_row *r, size_t k) {
    return m->settings.hash_bits ? hashed_id(m, r, k) : sl_raw_id(r, k);
}

double sl_row_scale(const sluice_model *m, const sl_raw_row *r) {
    if (m->settings.normalize != SLUICE_NORMALIZE_L2) return 1;
    double sum = 0;
    for (size_t k = 0; k < r->n; k++) {
        const uint32_t slot = m->features.space.scaled ? sl_row_slot(m, r, k) : SL_NO_SLOT;
        const double v = (double)sl_row_input(m, r, k, slot);
        sum += v * v;
    }
    return sum > 0 ? 1 / sqrt(sum) : 1;
}

/* A row that is short is looked up and changed once, before its length is known. */
static size_t short_row_known(const sluice_model *m, const sl_raw_row *r, uint32_t *slot, float *value) {
    size_t n = 0;
    for (size_t k = 0; k < r->n; k++) {
        slot[k] = sl_row_slot(m, r, k);
        value[k] = sl_row_input(m, r, k, slot[k]);
    }
    const double scale = m->settings.normalize == SLUICE_NORMALIZE_L2 ? sl_unit_length(value, r->n) : 1;
    for (size_t k = 0; k < r->n; k++) {
        slot[n] = slot[k];
        value[n] = scale == 1 ? value[k] : (float)(value[k] * scale);
        n += slot[n] != SL_NO_SLOT && value[n] != 0;
    }
    return n;
}

size_t sl_row_known(const sluice_model *m, const sl_raw_row *r, size_t *k, double *scale, uint32_t *slot,
                    float *value) {
    size_t n = 0;
    if (r->n <= SL_CHUNK) {
        *k = r->n;
        return short_row_known(m, r, slot, value);
    }
    if (*scale == 0) *scale = sl_row_scale(m, r);
    for (; *k < r->n && n < SL_CHUNK; ++*k) {
        slot[n] = sl_row_slot(m, r, *k);
        value[n] = sl_row_value(m, r, *k, slot[n], *scale);
        n += slot[n] != SL_NO_SLOT && value[n] != 0;
    }
    return n;
}

/* ---- the row as the rule sees it --------------------------------------------------------------------------------- */

/* Room for values that the settings change. */
static bool reserve_changed(sluice_model *m, size_t room) {
    if (!sl_changes_values(&m->settings)) return true;
    float *input = realloc(m->row_input, room * sizeof *input);
    if (input) m->row_input = input;
    if (!input || !m->features.space.scaled) return input != NULL;
    sl_growth *grown = realloc(m->grown.list, room * sizeof *grown);
    if (grown) m->grown.list = grown;
    if (!grown || !m->rule->finish) return grown != NULL;
    float *unscaled = realloc(m->row_unscaled, 2 * room * sizeof *unscaled);
    if (unscaled) m->row_unscaled = unscaled;
    return unscaled != NULL;
}

/* Room for rows of n values: slots for two of them, this row's and the next one's, where rows are admitted ahead. */
bool sl_row_reserve(sluice_model *m, size_t n) {
    if (n <= m->row_room) return true;
    size_t room = n * 2;
    uint32_t *slot = realloc(m->row_slot, 2 * room * sizeof *slot);
    if (slot) m->row_slot = slot;
    float *value = realloc(m->row_value, room * sizeof *value);
    if (value) m->row_value = value;
    uint64_t *key = realloc(m->row_key, room * sizeof *key);
    if (key) m->row_key = key;
    if (!slot || !value || !key || !reserve_changed(m, room)) return false;
    m->row_room = room;
    return true;
}

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Hashed rows are laid out by ascending id, which depends on the row alone, not on where its features lie. Features
 * that hash to the same id become one: their values are added. */
static size_t lay_out_hashed(sluice_model *m, const sl_raw_row *r, double scale, uint32_t *slot) {
    uint64_t *key = m->row_key; /* id (at most 30 bits), then position: equal ids keep the example's order */
    for (size_t k = 0; k < r->n; k++) key[k] = raw_id(m, r, k) << 32 | k;
    qsort(key, r->n, sizeof *key, by_key);
    size_t n = 0;
    for (size_t k = 0; k < r->n;) {
        uint64_t id = key[k] >> 32;
        double sum = 0, unscaled = 0;
        for (; k < r->n && key[k] >> 32 == id; k++) {
            sum += (double)r->value[key[k] & UINT32_MAX] * scale;
            if (m->row_unscaled) unscaled += (double)m->row_unscaled[key[k] & UINT32_MAX];
        }
        if ((float)sum == 0) continue;
        if (m->row_unscaled) m->row_unscaled[m->row_room + n] = (float)fmax(-FLT_MAX, fmin(FLT_MAX, unscaled));
        slot[n] = sl_space_find(&m->features.space, id);
        m->row_value[n++] = (float)fmax(-FLT_MAX, fmin(FLT_MAX, sum));
    }
    return n;
}

/* `slot` holds the slots of all of the row's features, and then of those that stay in it. */
static size_t lay_out_exact(sluice_model *m, const sl_raw_row *r, double scale, uint32_t *slot) {
    size_t n = 0;
    float *const value = m->row_value;
    bool zeros = false;
    for (size_t k = 0; k < r->n && !m->row_unscaled; k++) { /* all of them, for the compiler's vectors */
        value[k] = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
        zeros |= value[k] == 0;
    }
    if (!zeros && !m->row_unscaled) return r->n;
    for (size_t k = 0; k < r->n; k++) {
        float v = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
        if (v == 0) continue;
        slot[n] = slot[k];
        if (m->row_unscaled) m->row_unscaled[m->row_room + n] = m->row_unscaled[k];
        m->row_value[n++] = v;
    }
    return n;
}

/* The slot of a row's feature, or SL_NO_SLOT. */
uint32_t sl_row_slot(const sluice_model *m, const sl_raw_row *r, size_t k) {
    bool plain = m->settings.hash_bits || r->numbers;
    return plain ? sl_space_find(&m->features.space, raw_id(m, r, k)) : sl_row_find(&m->features, r, k);
}

static bool is_new(const sluice_model *m, const sl_raw_row *r, size_t k) {
    uint32_t slot = sl_row_slot(m, r, k);
    return slot == SL_NO_SLOT || (slot < m->features.space.direct && !sl_space_knows(&m->features.space, slot));
}

/* A learner whose state is a matrix has a limit; the row is refused before it changes anything. */
sluice_status sl_check_dense_limit(sluice_model *m, const sl_raw_row *r) {
    if (!(m->rule->info.flags & SLUICE_LEARNER_DENSE)) return SLUICE_OK;
    if (m->features.space.seen + r->n < SLUICE_MAX_DENSE_FEATURES) return SLUICE_OK; /* even if all of them are new */
    uint64_t coming = m->settings.bias != 0 && !m->features.space.bias_rank;
    for (size_t k = 0; k < r->n; k++) coming += is_new(m, r, k);
    uint64_t seen = m->features.space.seen + coming, hashed = ((uint64_t)1 << m->settings.hash_bits) + 1;
    if (m->settings.hash_bits && seen > hashed) seen = hashed; /* colliding ids were counted separately */
    if (seen <= SLUICE_MAX_DENSE_FEATURES) return SLUICE_OK;
    return sl_fail(&m->error, SLUICE_E_LIMIT,
                   "%s keeps a matrix over the features and takes at most %d of them; use %s, which keeps none",
                   m->rule->info.name, SLUICE_MAX_DENSE_FEATURES, m->rule->without_matrix);
}

/* Adds the features of a row whose ids are their slots, as nearly always they are. False: not all are, or no memory. */
static bool admit_slots(sluice_model *m, const sl_raw_row *r, uint32_t *slot) {
    const bool by_id = r->batch && !r->batch->has_names && !m->features.named;
    if (m->settings.hash_bits || !(r->numbers || by_id)) return false;
    const uint32_t *id = r->numbers ? r->numbers : r->batch->id + r->at; /* from 2^31 on ids are never slots */
    sl_space *sp = &m->features.space;
    for (size_t k = 0; k < r->n; k++) {
        slot[k] = id[k];
        if (__builtin_expect(!sl_space_knows(sp, id[k]), 0) &&
            (id[k] >= sp->direct || sl_space_admit(sp, id[k]) == SL_NO_SLOT))
            return false;
    }
    return true;
}

/* Adds every feature of the row and finds its slot. False: no memory. */
static bool admit_all(sluice_model *m, const sl_raw_row *r, uint32_t *slot) {
    sl_space *sp = &m->features.space;
    if (admit_slots(m, r, slot)) return true;
    for (size_t k = 0; k < r->n; k++) __builtin_prefetch(sl_space_entry(sp, raw_id(m, r, k)), 1);
    uint64_t moves;
    do { /* again if features moved meanwhile: the first slots may be out of date */
        moves = sp->moves;
        for (size_t k = 0; k < r->n; k++)
            if ((slot[k] = sl_space_admit(sp, raw_id(m, r, k))) == SL_NO_SLOT) return false;
    } while (moves != sp->moves);
    return true;
}

sluice_status sl_row_lay_out(sluice_model *m, const sl_raw_row *r, size_t half, sl_row *x) {
    sluice_status status = sl_check_dense_limit(m, r);
    if (status != SLUICE_OK) return status;
    bool fine = sl_row_reserve(m, r->n + 1);
    uint32_t *slot = fine ? m->row_slot + half * m->row_room : NULL;
    fine = fine && admit_all(m, r, slot);
    if (fine && m->settings.bias != 0) fine = sl_space_add_bias(&m->features.space);
    if (!fine)
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for new features (%llu seen so far)",
                       (unsigned long long)m->features.space.seen);
    sl_raw_row changed = *r;
    if (sl_changes_values(&m->settings)) {
        sl_change_row(m, r, slot);
        changed.value = m->row_input;
        r = &changed;
    }
    double scale = m->settings.normalize == SLUICE_NORMALIZE_L2 ? sl_unit_length(r->value, r->n) : 1;
    size_t n = m->settings.hash_bits ? lay_out_hashed(m, r, scale, slot) : lay_out_exact(m, r, scale, slot);
    if (m->settings.bias != 0) {
        slot[n] = sl_space_bias(&m->features.space);
        if (m->row_unscaled) m->row_unscaled[m->row_room + n] = (float)m->settings.bias;
        m->row_value[n++] = (float)m->settings.bias;
    }
    x->slot = slot;
    x->value = m->row_value;
    x->n = n;
    m->state.seen = m->features.space.seen;
    return SLUICE_OK;
}

sluice_status sl_no_memory_for_features(sluice_model *m) {
    return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for new features (%llu seen so far)",
                   (unsigned long long)m->features.space.seen);
}
