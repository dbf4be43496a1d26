/* FEAT: the features of a model file and the state of each. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"

bool sl_load_field(const sl_field *f, char *feature, const unsigned char *from) {
    uint64_t bits = sl_get_le(from, sl_type_size(f->type));
    uint32_t narrow = (uint32_t)bits;
    double value = (double)narrow;
    float single;
    if (f->type == SL_F32) {
        memcpy(&single, &narrow, sizeof single);
        value = (double)single;
    } else if (f->type == SL_F64) {
        memcpy(&value, &bits, sizeof value);
    }
    if (!isfinite(value) || value < f->least) return false;
    if (f->type == SL_F64)
        memcpy(feature + f->offset, &bits, sizeof bits);
    else
        memcpy(feature + f->offset, &narrow, sizeof narrow);
    return true;
}

/* The next key of a section: an id, a name or nothing (the bias), made known to the model. *key finds its slot. */
static sluice_status take_key(sl_loader *l, unsigned keys, bool first, uint64_t *key) {
    sluice_model *m = l->model;
    bool fine = true;
    uint64_t number;
    if (keys == SL_KEYS_BIAS) {
        fine = sl_space_add_bias(&m->features.space);
    } else if (keys == SL_KEYS_IDS) {
        if (!sl_load_varint(l, &number) || number > UINT64_MAX - *key) goto out_of_order;
        *key += number;
        if (first ? l->any_features && *key <= l->last_id : number == 0) goto out_of_order;
        fine = sl_space_add(&m->features.space, *key);
    } else {
        if (!sl_load_varint(l, &number) || number > SL_MAX_NAME || number > (size_t)(l->end - l->at))
            return DAMAGED(l, "a name is too long");
        uint64_t before = m->features.names.used;
        uint32_t added = sl_keys_add_name(&m->features, (const char *)l->at, (size_t)number);
        l->at += number;
        fine = added != SL_NO_NAME;
        if (fine && m->features.names.used == before) return DAMAGED(l, "a name comes twice");
        *key = added;
    }
    return fine ? SLUICE_OK : sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
out_of_order:
    return DAMAGED(l, "its features are not in order");
}

/* The scales of n features; false: one is impossible. */
static bool read_scales(const sluice_model *m, const uint64_t *key, size_t n, const unsigned char *column) {
    const sl_space *sp = &m->features.space;
    for (size_t k = 0; k < n; k++) {
        sl_scale *scale = &sp->scale[sl_space_find(sp, key[k])];
        if (!sl_load_field(sl_scale_field(&m->settings), (char *)scale, column + 4 * k)) return false;
        if (m->settings.scale == SLUICE_SCALE_IDF && scale->rows > sp->rows) return false;
    }
    return true;
}

/* The columns of n features whose slots are known. */
static sluice_status read_columns(sl_loader *l, const uint64_t *key, size_t n, bool bias) {
    sluice_model *m = l->model;
    const sl_space *sp = &m->features.space;
    const unsigned char *column = l->at;
    if (m->settings.max_features && !bias) {
        for (size_t k = 0; k < n; k++) {
            uint64_t t = sl_get_le(column + 8 * k, 8);
            if (t > m->state.t) return DAMAGED(l, "a feature was seen in the future");
            m->features.limit.last_seen[key[k]] = t;
        }
        column += 8 * n;
    }
    if (sp->scaled && !bias) {
        if (!read_scales(m, key, n, column)) return DAMAGED(l, "an impossible scale");
        column += 4 * n;
    }
    for (size_t i = 0; i < m->rule->n_fields; i++) {
        const sl_field *f = &m->rule->fields[i];
        size_t size = sl_type_size(f->type);
        for (size_t k = 0; k < n; k++) {
            uint32_t slot = bias ? sl_space_bias(sp) : sl_space_find(sp, key[k]);
            if (!sl_load_field(f, sp->features + (size_t)slot * sp->size, column + k * size))
                return DAMAGED(l, "an impossible value of %s", f->name);
        }
        column += n * size;
    }
    return SLUICE_OK;
}

sluice_status sl_load_features(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->pairs.begun) return DAMAGED(l, "there are features behind the pairs");
    if (l->end - l->at < 5) return DAMAGED(l, "a list of features is too short");
    unsigned keys = *l->at++;
    size_t n = (size_t)sl_get_le(l->at, 4), columns = 0;
    l->at += 4;
    bool bias = keys == SL_KEYS_BIAS;
    for (size_t i = 0; i < m->rule->n_fields; i++) columns += sl_type_size(m->rule->fields[i].type);
    if (m->settings.max_features && !bias) columns += 8;
    if (m->features.space.scaled && !bias) columns += 4;
    if (m->settings.max_features && !m->features.named && !bias) return DAMAGED(l, "a limit on features without names");
    if (keys != (m->features.named ? SL_KEYS_NAMES : SL_KEYS_IDS) && !bias)
        return DAMAGED(l, "a list of features of the wrong kind");
    if (n == 0 || n > SL_FEATURES_A_SECTION || (bias && (n != 1 || l->features)) ||
        (size_t)(l->end - l->at) < n * (columns + !bias))
        return DAMAGED(l, "a list of features has an impossible length");
    /* the keys first, so that all are there before their slots are asked for */
    uint64_t *key = malloc(n * sizeof *key), last = 0;
    if (!key) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
    sluice_status status = SLUICE_OK;
    for (size_t k = 0; k < n && status == SLUICE_OK; k++) {
        status = take_key(l, keys, k == 0, &last);
        key[k] = last;
    }
    if (status == SLUICE_OK && (size_t)(l->end - l->at) != n * columns)
        status = DAMAGED(l, "a list of features has an impossible length");
    if (status == SLUICE_OK) status = read_columns(l, key, n, bias);
    free(key);
    if (!bias) {
        l->last_id = last;
        l->any_features = true;
    }
    l->features += n;
    return status;
}
