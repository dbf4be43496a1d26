/* FEAT: the features of a model file and the state of each. */
#include <string.h>

#include "file/saver.h"

/* A section has room for all features that it may have: their keys, when they were last seen, their scales, their
 * state.
 */
_Static_assert(SL_NAMES_A_SECTION + SL_MAX_NAME + 16 + SL_FEATURES_A_SECTION * (8 * (SL_MAX_FIELDS + 1) + 4) <
                   SL_MAX_SECTION,
               "a section of features may be too large");

sluice_status sl_save_column(sl_saver *s, const sl_field *f, const char *state, size_t size, const uint32_t *place,
                             size_t n) {
    const size_t width = sl_type_size(f->type);
    for (size_t k = 0; k < n; k++) {
        const char *from = state + (size_t)place[k] * size + f->offset;
        float single = 0;
        double value = 0;
        uint32_t narrow;
        uint64_t bits;
        if (width == 8) {
            memcpy(&bits, from, 8);
        } else {
            memcpy(&narrow, from, 4);
            bits = narrow;
        }
        if (f->type == SL_F64) memcpy(&value, from, sizeof value);
        if (f->type == SL_F32) memcpy(&single, from, sizeof single);
        if (!isfinite(value) || !isfinite(single)) return sl_save_out_of_range(s);
        sl_save_int(s, bits, width);
    }
    return SLUICE_OK;
}

static unsigned keys_of(const sluice_model *m, const sl_walk *w) {
    return w->is_bias ? SL_KEYS_BIAS : m->features.named ? SL_KEYS_NAMES : SL_KEYS_IDS;
}

/* The id, as the difference to the last one, or the name of the feature that the walk stands at; nothing for the bias.
 */
static void put_key(sl_saver *s, const sluice_model *m, const sl_walk *w, uint64_t last) {
    if (w->is_bias) return;
    if (!m->features.named) {
        sl_save_varint(s, w->id - last);
        return;
    }
    size_t n;
    const char *name = sl_names_text(&m->features.names, (uint32_t)w->id, &n);
    sl_save_varint(s, n);
    sl_save_text(s, name, n);
}

static sluice_status put_state(sl_saver *s, const sluice_model *m, const uint32_t *slot, const uint64_t *id, size_t n,
                               bool bias) {
    if (!sl_model_weights_finite(m, slot, n)) return sl_save_out_of_range(s);
    for (size_t k = 0; m->settings.max_features && !bias && k < n; k++)
        sl_save_int(s, m->features.limit.last_seen[id[k]], 8);
    sluice_status status = SLUICE_OK;
    if (m->features.space.scaled && !bias)
        status = sl_save_column(s, sl_scale_field(&m->settings), (const char *)m->features.space.scale,
                                sizeof(sl_scale), slot, n);
    for (size_t i = 0; i < m->rule->n_fields && status == SLUICE_OK; i++)
        status = sl_save_column(s, &m->rule->fields[i], m->features.space.features, m->features.space.size, slot, n);
    return status;
}

sluice_status sl_save_features(sl_saver *s, const sluice_model *m, uint64_t *written) {
    sl_keys_walk w;
    uint32_t *slot = s->slot;
    uint64_t *id = s->id;
    bool fine = sl_keys_start(&w, &m->features);
    sluice_status status = fine ? SLUICE_OK : sl_fail(s->err, SLUICE_E_MEMORY, "no memory to save the model");
    bool more = fine && sl_keys_next(&w);
    while (more && status == SLUICE_OK) {
        /* the number of features is known when the section is full: it is filled in then */
        sl_save_begin(s, "FEAT", 0);
        unsigned keys = keys_of(m, &w.at);
        sl_save_int(s, keys, 1);
        size_t count_at = s->n, n = 0;
        sl_save_int(s, 0, 4);
        uint64_t last = 0;
        while (more && keys_of(m, &w.at) == keys && n < SL_FEATURES_A_SECTION && s->n < SL_NAMES_A_SECTION) {
            put_key(s, m, &w.at, last);
            last = w.at.id;
            id[n] = w.at.id;
            slot[n++] = w.at.slot;
            more = sl_keys_next(&w);
        }
        sl_put_le(s->bytes + count_at, n, 4);
        status = put_state(s, m, slot, id, n, keys == SL_KEYS_BIAS);
        if (status == SLUICE_OK) status = sl_save_end(s);
        *written += n;
    }
    if (fine) sl_keys_end(&w);
    return status;
}
