/* Writes a model: a head, then sections that each carry their length and checksum. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "learner/param.h"
#include "base/atomic_file.h"
#include "file/model_format.h"

/* Where the bytes go. */
typedef struct sink {
    sluice_write_function write;
    void *context;
    sluice_error *err;
} sink;

static sluice_status emit(sink *out, const void *bytes, size_t n) {
    int result = out->write(out->context, bytes, n);
    return result ? sl_fail(out->err, SLUICE_E_IO, "cannot write: the write function returned %d", result) : SLUICE_OK;
}

/* A section in the making: its head, its bytes, and at the end its checksum. Sections have a fixed largest size, and
 * this buffer is it, so that nothing needs to grow. */
typedef struct section {
    unsigned char *bytes;
    size_t n;
} section;

static void begin(section *s, const char *tag) {
    memset(s->bytes, 0, SL_SECTION_HEAD);
    memcpy(s->bytes, tag, SL_TAG);
    s->n = SL_SECTION_HEAD;
}

static void put(section *s, uint64_t value, size_t bytes) {
    sl_put_le(s->bytes + s->n, value, bytes);
    s->n += bytes;
}

static void put_varint(section *s, uint64_t value) {
    for (; value >= 0x80; value >>= 7) s->bytes[s->n++] = (unsigned char)(value | 0x80);
    s->bytes[s->n++] = (unsigned char)value;
}

static void put_f64(section *s, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(s, bits, sizeof bits);
}

static sluice_status end(section *s, sink *out) {
    sl_put_le(s->bytes + 8, s->n - SL_SECTION_HEAD, 8);
    put(s, XXH64(s->bytes, s->n, 0), 8);
    return emit(out, s->bytes, s->n);
}

/* ---- the sections ------------------------------------------------------------------------------------------------ */

static char *put_list(char *t, const char *key, const uint64_t *numbers, size_t n) {
    t += sprintf(t, "%s", key);
    for (size_t i = 0; i < n; i++) t += sprintf(t, "%s%" PRIu64, i ? " " : "", numbers[i]);
    return t + sprintf(t, "\n");
}

static char *put_calibration(char *t, const sl_online_calibration *c) {
    double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
    memcpy(numbers, c, sizeof numbers);
    t += sprintf(t, "calibration=");
    for (size_t i = 0; i < SL_ONLINE_CALIBRATION_NUMBERS; i++) {
        if (i) *t++ = ' ';
        t += sluice_format_double(t, numbers[i]);
    }
    return t + sprintf(t, "\n");
}

/* How readers made the features: programs keep it as metadata, this format has a line for each of these keys. */
static char *put_reader_settings(char *t, const sl_metadata *d) {
    static const char *const keys[] = {"ngrams", "tf", "no_header", "format", "label", "weight"};
    for (size_t i = 0; i < 6; i++) {
        char key[32];
        snprintf(key, sizeof key, "reader.%s", keys[i]);
        const char *value = sl_metadata_get(d, key, NULL);
        if (value && i == 1) value = strcmp(value, "binary") == 0 ? "1" : strcmp(value, "count") == 0 ? "2" : "3";
        t += sprintf(t, "%s=%.127s\n", keys[i], value ? value : i < 3 ? "0" : "");
    }
    return t;
}

static sluice_status write_facts(const sluice_model *m, section *s, sink *out) {
    begin(s, "MODL");
    char *text = (char *)s->bytes + s->n, line[256];
    char *t = text;
    sl_fields_text(line, m->rule);
    t += sprintf(t, "learner=%s\nkind=%s\nfields=%s\n", m->learner->info.name,
                 m->rule == &sl_predict_only ? "final" : "full", line);
    for (size_t i = 0; i < m->learner->info.n_params; i++) {
        sl_param_write(line, &m->learner->info.params[i], m->params[i]);
        t += sprintf(t, "param %s\n", line);
    }
    for (size_t i = 0; m->rule->scalars && m->rule->scalars[i]; i++) {
        if (!isfinite(m->scalars[i]))
            return sl_fail(out->err, SLUICE_E_NUMERIC, "%s is not finite", m->rule->scalars[i]);
        sluice_format_double(line, m->scalars[i]);
        t += sprintf(t, "scalar %s=%s\n", m->rule->scalars[i], line);
    }
    sluice_format_double(line, m->settings.bias);
    t += sprintf(t, "bias=%s\nnormalize=%u\nhash_bits=%u\n", line, m->settings.normalize, m->settings.hash_bits);
    t += sprintf(t, "max_features=%" PRIu64 "\n", m->settings.max_features);
    t = put_reader_settings(t, &m->metadata);
    t += sprintf(t, "examples=%" PRIu64 "\nmistakes=%" PRIu64 "\nupdates=%" PRIu64 "\npositives=%" PRIu64 "\n",
                 m->state.t, m->mistakes, m->updates, m->positives);
    t += sprintf(t, "seen=%" PRIu64 "\nbirths=%" PRIu64 "\nnamed=%d\n", m->features.space.seen,
                 m->features.space.births, m->features.named);
    t += sprintf(t, "evicted=%" PRIu64 "\nrefused=%" PRIu64 "\nnext_sweep=%" PRIu64 "\n", m->features.limit.evicted,
                 m->features.limit.refused, m->features.limit.next_scan);
    uint64_t seen[64];
    size_t grown = sluice_model_growth(m, seen, 64);
    t = put_list(t, "growth=", seen, grown);
    size_t newest = 0; /* of a model with names they are the last ones of the file */
    for (; !m->features.named && newest < SL_NEWEST && newest < m->features.space.arrivals; newest++)
        seen[newest] = m->features.space.newest[(m->features.space.arrivals - 1 - newest) % SL_NEWEST];
    t = put_list(t, "newest=", seen, newest);
    t = put_calibration(t, &m->calibration);
    s->n += (size_t)(t - text);
    return end(s, out);
}

static sluice_status left_the_range(sink *out) {
    return sl_fail(out->err, SLUICE_E_NUMERIC,
                   "the model has left the range of numbers and is not saved: values are too large; scale them "
                   "(convert --normalize l2) or learn in smaller steps");
}

/* One member of all features of a section, side by side. */
static sluice_status put_column(const sluice_model *m, const sl_field *f, const uint32_t *slot, size_t n, section *s,
                                sink *out) {
    for (size_t k = 0; k < n; k++) {
        const char *from = m->features.space.features + (size_t)slot[k] * m->features.space.size + f->offset;
        uint32_t narrow;
        uint64_t wide;
        float single;
        double value = 0;
        if (f->type == SL_F64) {
            memcpy(&value, from, sizeof value);
            memcpy(&wide, from, sizeof wide);
            put(s, wide, sizeof wide);
        } else {
            memcpy(&narrow, from, sizeof narrow);
            put(s, narrow, sizeof narrow);
            if (f->type == SL_F32) {
                memcpy(&single, from, sizeof single);
                value = (double)single;
            }
        }
        if (!isfinite(value)) return left_the_range(out);
    }
    return SLUICE_OK;
}

/* 64-bit state can be finite where the 32-bit weight it stands for is not. */
static bool weights_finite(const sluice_model *m, const uint32_t *slot, size_t n) {
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

static void put_bytes(section *s, const char *bytes, size_t n) {
    if (n) memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

static unsigned keys_of(const sluice_model *m, const sl_walk *w) {
    return w->is_bias ? SL_KEYS_BIAS : m->features.named ? SL_KEYS_NAMES : SL_KEYS_IDS;
}

/* Puts down how the feature is called; ids as the difference to the last one. */
static void put_key(const sluice_model *m, const sl_walk *w, uint64_t last, section *s) {
    if (w->is_bias) return;
    if (!m->features.named) {
        put_varint(s, w->id - last);
        return;
    }
    size_t n;
    const char *name = sl_names_text(&m->features.names, (uint32_t)w->id, &n);
    put_varint(s, n);
    put_bytes(s, name, n);
}

static sluice_status put_state(const sluice_model *m, const uint32_t *slot, const uint64_t *id, size_t n, bool bias,
                               section *s, sink *out) {
    if (!weights_finite(m, slot, n)) return left_the_range(out);
    for (size_t k = 0; m->settings.max_features && !bias && k < n; k++) put(s, m->features.limit.last_seen[id[k]], 8);
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < m->rule->n_fields && status == SLUICE_OK; i++)
        status = put_column(m, &m->rule->fields[i], slot, n, s, out);
    return status;
}

static sluice_status write_features(const sluice_model *m, section *s, sink *out, uint64_t *written) {
    sl_keys_walk w;
    uint32_t *slot = malloc(SL_FEATURES_A_SECTION * sizeof *slot);
    uint64_t *id = malloc(SL_FEATURES_A_SECTION * sizeof *id);
    bool fine = slot && id && sl_keys_start(&w, &m->features);
    sluice_status status = fine ? SLUICE_OK : sl_fail(out->err, SLUICE_E_MEMORY, "no memory to save the model");
    bool more = fine && sl_keys_next(&w);
    while (more && status == SLUICE_OK) {
        /* how many are in a section is known only when it is full: its count is put in afterwards */
        begin(s, "FEAT");
        unsigned keys = keys_of(m, &w.at);
        put(s, keys, 1);
        size_t count_at = s->n, n = 0;
        put(s, 0, 4);
        uint64_t last = 0;
        while (more && keys_of(m, &w.at) == keys && n < SL_FEATURES_A_SECTION && s->n < SL_NAMES_A_SECTION) {
            put_key(m, &w.at, last, s);
            last = w.at.id;
            id[n] = w.at.id;
            slot[n++] = w.at.slot;
            more = sl_keys_next(&w);
        }
        sl_put_le(s->bytes + count_at, n, 4);
        status = put_state(m, slot, id, n, keys == SL_KEYS_BIAS, s, out);
        if (status == SLUICE_OK) status = end(s, out);
        *written += n;
    }
    if (fine) sl_keys_end(&w);
    free(slot);
    free(id);
    return status;
}

static sluice_status write_numbers(const char *tag, const double *numbers, size_t n, section *s, sink *out) {
    sluice_status status = SLUICE_OK;
    for (size_t at = 0; at < n && status == SLUICE_OK;) {
        begin(s, tag);
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && at < n; k++) {
            if (!isfinite(numbers[at])) return left_the_range(out);
            put_f64(s, numbers[at++]);
        }
        status = end(s, out);
    }
    return status;
}

/* The unfinished batch: its rows, then the columns and values of all of them. */
static sluice_status write_held(const sl_pending *b, section *s, sink *out) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < b->rows && status == SLUICE_OK;) {
        begin(s, "ROWS");
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && i < b->rows; k++, i++) {
            put_f64(s, b->yh[i]);
            put(s, b->start[i + 1] - b->start[i], 8);
        }
        status = end(s, out);
    }
    for (size_t at = 0; at < b->nonzeros && status == SLUICE_OK;) {
        begin(s, "VALS");
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && at < b->nonzeros; k++, at++) {
            uint32_t bits;
            memcpy(&bits, &b->value[at], sizeof bits);
            put(s, b->column[at], 4);
            put(s, bits, 4);
        }
        status = end(s, out);
    }
    return status;
}

static sluice_status write_fitted(const sl_holdout *f, section *s, sink *out) {
    if (f->kind == SLUICE_CALIBRATION_NONE) return SLUICE_OK;
    begin(s, "CALI");
    put(s, (unsigned)f->kind, 1);
    if (f->kind == SLUICE_CALIBRATION_PLATT) {
        put_f64(s, f->a);
        put_f64(s, f->b);
    }
    for (size_t i = 0; i < f->n; i++) {
        put_f64(s, f->margin[i]);
        put_f64(s, f->p[i]);
    }
    return end(s, out);
}

static sluice_status write_model(const sluice_model *m, sink *out) {
    if (m->broken) return left_the_range(out);
    section s = {.bytes = malloc(SL_SECTION_HEAD + SL_MAX_SECTION + 8)};
    if (!s.bytes) return sl_fail(out->err, SLUICE_E_MEMORY, "no memory to save the model");
    unsigned char head[16] = SL_MAGIC;
    sl_put_le(head + 8, SL_MODEL_VERSION, 4);
    sl_put_le(head + 12, 0, 4);
    uint64_t features = 0;
    sluice_status status = emit(out, head, sizeof head);
    if (status == SLUICE_OK) status = write_facts(m, &s, out);
    if (status == SLUICE_OK) status = write_features(m, &s, out, &features);
    if (status == SLUICE_OK) status = write_numbers("VECT", m->state.vector, m->state.order, &s, out);
    size_t numbers = sl_matrix_numbers(m->rule, m->params, m->state.order);
    if (status == SLUICE_OK) status = write_numbers("MATR", m->state.matrix, numbers, &s, out);
    if (status == SLUICE_OK) status = write_held(&m->state.pending, &s, out);
    if (status == SLUICE_OK) status = write_fitted(&m->holdout, &s, out);
    if (status == SLUICE_OK) {
        begin(&s, "END ");
        put(&s, features, 8);
        put(&s, m->state.order, 8);
        status = end(&s, out);
    }
    free(s.bytes);
    return status;
}

sluice_status sluice_model_write(const sluice_model *m, sluice_write_function write, void *context, sluice_error *err) {
    sink out = {write, context, err};
    return write_model(m, &out);
}

/* ---- to a file, to memory ---------------------------------------------------------------------------------------- */

typedef struct file_sink {
    sl_atomic *file;
    sluice_error error; /* of the last write */
} file_sink;

static int write_to_file(void *context, const void *bytes, size_t n) {
    file_sink *to = context;
    return (int)sl_atomic_write(to->file, bytes, n, &to->error);
}

sluice_status sluice_model_save(const sluice_model *m, const char *path, sluice_error *err) {
    sluice_error unheard;
    if (!err) err = &unheard;
    file_sink to = {.file = sl_atomic_open(path, err)};
    if (!to.file) return err->status;
    sluice_status status = sluice_model_write(m, write_to_file, &to, err);
    if (status == SLUICE_OK) return sl_atomic_commit(to.file, err);
    if (to.error.status != SLUICE_OK) *err = to.error;
    sl_atomic_abandon(to.file);
    return err->status;
}

typedef struct memory_sink {
    char *bytes;
    size_t n, room;
} memory_sink;

static int write_to_memory(void *context, const void *bytes, size_t n) {
    memory_sink *to = context;
    if (n > to->room - to->n) {
        size_t room = (to->n + n) * 2;
        char *larger = realloc(to->bytes, room);
        if (!larger) return SLUICE_E_MEMORY;
        to->bytes = larger;
        to->room = room;
    }
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return 0;
}

sluice_status sluice_model_bytes(const sluice_model *m, void **bytes, size_t *n, sluice_error *err) {
    memory_sink to = {0};
    sluice_status status = sluice_model_write(m, write_to_memory, &to, err);
    if (status == SLUICE_E_IO) status = sl_fail(err, SLUICE_E_MEMORY, "no memory for the model's bytes");
    if (status != SLUICE_OK) {
        free(to.bytes);
        to = (memory_sink){0};
    }
    *bytes = to.bytes;
    *n = to.n;
    return status;
}
