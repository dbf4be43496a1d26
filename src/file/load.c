/* Reads a model. A file may be cut short, damaged or made by an enemy: nothing in it is believed before it is checked,
 * and nothing is allocated that the bytes at hand do not pay for. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "file/loader.h"

static sluice_status fetch(sl_loader *l, unsigned char *to, size_t n, const char *what) {
    while (n) {
        ptrdiff_t got = l->read(l->context, to, n);
        if (got < 0 || (size_t)got > n)
            return sl_fail_at(l->err, SLUICE_E_IO, l->name, 0, 0, "cannot read: the read function returned %lld",
                              (long long)got);
        if (got == 0) return DAMAGED(l, "the model file is cut short: it ends within %s", what);
        to += got;
        n -= (size_t)got;
    }
    return SLUICE_OK;
}

static bool make_room(sl_loader *l, size_t n) {
    if (n <= l->room) return true;
    unsigned char *larger = realloc(l->bytes, n);
    if (!larger) return false;
    l->bytes = larger;
    l->room = n;
    return true;
}

/* The next section, whole and with a fitting checksum. */
static sluice_status next_section(sl_loader *l) {
    enum { CHECKSUM = 8 };
    if (!make_room(l, SL_SECTION_HEAD)) goto no_memory;
    sluice_status status = fetch(l, l->bytes, SL_SECTION_HEAD, "the head of a section");
    if (status != SLUICE_OK) return status;
    memcpy(l->tag, l->bytes, SL_TAG);
    uint64_t length = sl_get_le(l->bytes + 8, 8);
    char shown[128];
    if (length > SL_MAX_SECTION)
        return DAMAGED(l, "the model file is damaged: section %s has an impossible length",
                       sl_quote(shown, l->tag, SL_TAG));
    size_t n = (size_t)length;
    /* read in pieces: a length costs memory only as far as there are bytes behind it */
    for (size_t done = 0, piece; done < n + CHECKSUM; done += piece) {
        piece = n + CHECKSUM - done < (size_t)1 << 20 ? n + CHECKSUM - done : (size_t)1 << 20;
        if (!make_room(l, SL_SECTION_HEAD + done + piece)) goto no_memory;
        status = fetch(l, l->bytes + SL_SECTION_HEAD + done, piece, sl_quote(shown, l->tag, SL_TAG));
        if (status != SLUICE_OK) return status;
    }
    if (sl_get_le(l->bytes + SL_SECTION_HEAD + n, CHECKSUM) != XXH64(l->bytes, SL_SECTION_HEAD + n, 0) ||
        sl_get_le(l->bytes + 4, 4) != 0)
        return DAMAGED(l, "the model file is damaged: section %s fails its checksum", sl_quote(shown, l->tag, SL_TAG));
    l->at = l->bytes + SL_SECTION_HEAD;
    l->end = l->at + n;
    return SLUICE_OK;
no_memory:
    return sl_fail(l->err, SLUICE_E_MEMORY, "no memory to read a model");
}

/* ---- FEAT: features and their state ------------------------------------------------------------------------------ */

static bool get_varint(sl_loader *l, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && l->at < l->end; shift += 7) {
        uint64_t byte = *l->at++;
        if (shift == 63 && byte > 1) return false;
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/* Puts one member of the struct in its place, if it is a possible value. */
static bool set_field(const sl_field *f, char *feature, const unsigned char *from) {
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
        if (!get_varint(l, &number) || number > UINT64_MAX - *key) goto out_of_order;
        *key += number;
        if (first ? l->any_ids && *key <= l->last_id : number == 0) goto out_of_order;
        fine = sl_space_add(&m->features.space, *key);
    } else {
        if (!get_varint(l, &number) || number > SL_MAX_NAME || number > (size_t)(l->end - l->at))
            return DAMAGED(l, "the model file is damaged: a name is too long");
        uint64_t before = m->features.names.used;
        uint32_t added = sl_keys_add_name(&m->features, (const char *)l->at, (size_t)number);
        l->at += number;
        fine = added != SL_NO_NAME;
        if (fine && m->features.names.used == before)
            return DAMAGED(l, "the model file is damaged: a name comes twice");
        *key = added;
    }
    return fine ? SLUICE_OK : sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
out_of_order:
    return DAMAGED(l, "the model file is damaged: its features are not in order");
}

/* The columns of n features whose slots are known. */
static sluice_status read_columns(sl_loader *l, const uint64_t *key, size_t n, bool bias) {
    sluice_model *m = l->model;
    const sl_space *sp = &m->features.space;
    const unsigned char *column = l->at;
    if (m->settings.max_features && !bias) {
        for (size_t k = 0; k < n; k++) {
            uint64_t t = sl_get_le(column + 8 * k, 8);
            if (t > m->state.t) return DAMAGED(l, "the model file is damaged: a feature was seen in the future");
            m->features.limit.last_seen[key[k]] = t;
        }
        column += 8 * n;
    }
    for (size_t i = 0; i < m->rule->n_fields; i++) {
        const sl_field *f = &m->rule->fields[i];
        size_t size = sl_type_size(f->type);
        for (size_t k = 0; k < n; k++) {
            uint32_t slot = bias ? sl_space_bias(sp) : sl_space_find(sp, key[k]);
            if (!set_field(f, sp->features + (size_t)slot * sp->size, column + k * size))
                return DAMAGED(l, "the model file is damaged: an impossible value of %s", f->name);
        }
        column += n * size;
    }
    return SLUICE_OK;
}

static sluice_status read_features(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->end - l->at < 5) return DAMAGED(l, "the model file is damaged: a list of features is too short");
    unsigned keys = *l->at++;
    size_t n = (size_t)sl_get_le(l->at, 4), columns = 0;
    l->at += 4;
    bool bias = keys == SL_KEYS_BIAS;
    for (size_t i = 0; i < m->rule->n_fields; i++) columns += sl_type_size(m->rule->fields[i].type);
    if (m->settings.max_features && !bias) columns += 8;
    if (m->settings.max_features && !m->features.named && !bias)
        return DAMAGED(l, "the model file is damaged: a limit on features without names");
    if (keys != (m->features.named ? SL_KEYS_NAMES : SL_KEYS_IDS) && !bias)
        return DAMAGED(l, "the model file is damaged: a list of features of the wrong kind");
    if (n == 0 || n > SL_FEATURES_A_SECTION || (bias && (n != 1 || l->features)) ||
        (size_t)(l->end - l->at) < n * (columns + !bias))
        return DAMAGED(l, "the model file is damaged: a list of features has an impossible length");
    /* the keys first, so that all are there before their slots are asked for */
    uint64_t *key = malloc(n * sizeof *key), last = 0;
    if (!key) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
    sluice_status status = SLUICE_OK;
    for (size_t k = 0; k < n && status == SLUICE_OK; k++) {
        status = take_key(l, keys, k == 0, &last);
        key[k] = last;
    }
    if (status == SLUICE_OK && (size_t)(l->end - l->at) != n * columns)
        status = DAMAGED(l, "the model file is damaged: a list of features has an impossible length");
    if (status == SLUICE_OK) status = read_columns(l, key, n, bias);
    free(key);
    if (!bias) {
        l->last_id = last;
        l->any_ids = true;
    }
    l->features += n;
    return status;
}

/* ---- VECT, MATR: the dense part ---------------------------------------------------------------------------------- */

static bool has_matrix(const sl_learner *rule) { return rule->info.flags & SLUICE_LEARNER_DENSE || rule->matrix_size; }

/* Room for n numbers: it grows as they come, never far ahead of them. */
static bool make_room_for(double **array, size_t *room, size_t n) {
    if (n <= *room) return true;
    double *larger = realloc(*array, (n + n / 4) * sizeof *larger);
    if (!larger) return false;
    *array = larger;
    *room = n + n / 4;
    return true;
}

static sluice_status read_numbers(sl_loader *l) {
    sluice_model *m = l->model;
    size_t n = (size_t)(l->end - l->at) / 8;
    bool vector = strcmp(l->tag, "VECT") == 0, dense = m->rule->info.flags & SLUICE_LEARNER_DENSE;
    if (!has_matrix(m->rule) || (l->end - l->at) % 8 || n == 0)
        return DAMAGED(l, "the model file is damaged: numbers where there are none");
    if (vector ? l->numbers || (dense && l->vectors + n > SLUICE_MAX_DENSE_FEATURES)
               : n > sl_matrix_numbers(m->rule, m->params, l->vectors) - l->numbers)
        return DAMAGED(l, "the model file is damaged: its matrix is too large");
    double **array = vector ? &m->state.vector : &m->state.matrix;
    size_t *count = vector ? &l->vectors : &l->numbers;
    if (!make_room_for(array, vector ? &l->vectors_room : &l->numbers_room, *count + n))
        return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's matrix");
    for (size_t k = 0; k < n; k++, ++*count) {
        uint64_t bits = sl_get_le(l->at + 8 * k, 8);
        memcpy(&(*array)[*count], &bits, sizeof bits);
        if (!isfinite((*array)[*count]))
            return DAMAGED(l, "the model file is damaged: its matrix holds what is no number");
    }
    return SLUICE_OK;
}

/* ---- ROWS, VALS: the unfinished batch ---------------------------------------------------------------------------- */

static sluice_status read_rows(sl_loader *l) {
    sl_pending *b = &l->model->state.pending;
    size_t n = (size_t)(l->end - l->at) / 16;
    if (!l->model->rule->finish || (l->end - l->at) % 16 || n == 0 || l->values)
        return DAMAGED(l, "the model file is damaged: examples where there are none");
    if (!sl_pending_reserve(b, n, 0)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's examples");
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = sl_get_le(l->at + 16 * k, 8), length = sl_get_le(l->at + 16 * k + 8, 8);
        double yh;
        memcpy(&yh, &bits, sizeof yh);
        if (!isfinite(yh) || yh == 0 || length > SIZE_MAX / 16 - b->start[b->rows])
            return DAMAGED(l, "the model file is damaged: an impossible example");
        b->yh[b->rows++] = yh;
        b->start[b->rows] = b->start[b->rows - 1] + (size_t)length;
    }
    return SLUICE_OK;
}

static sluice_status read_values(sl_loader *l) {
    sl_pending *b = &l->model->state.pending;
    size_t n = (size_t)(l->end - l->at) / 8;
    if ((l->end - l->at) % 8 || n == 0 || b->rows == 0 || n > b->start[b->rows] - l->values)
        return DAMAGED(l, "the model file is damaged: more values than its examples have");
    b->nonzeros = l->values;
    if (!sl_pending_reserve(b, 0, n)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's examples");
    for (size_t k = 0; k < n; k++) {
        uint32_t bits = (uint32_t)sl_get_le(l->at + 8 * k + 4, 4);
        b->column[l->values + k] = (uint32_t)sl_get_le(l->at + 8 * k, 4);
        memcpy(&b->value[l->values + k], &bits, sizeof bits);
        if (!isfinite(b->value[l->values + k])) return DAMAGED(l, "the model file is damaged: a value is no number");
    }
    b->nonzeros = l->values += n;
    return SLUICE_OK;
}

/* ---- CALI: probabilities fitted to a hold-out -------------------------------------------------------------------- */

static double get_f64(const unsigned char *from) {
    uint64_t bits = sl_get_le(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_platt(sl_holdout *f, const unsigned char *at, size_t pairs) {
    if (pairs != 1) return false;
    f->a = get_f64(at);
    f->b = get_f64(at + 8);
    return isfinite(f->a) && isfinite(f->b) && f->a >= 0;
}

static bool read_knots(sl_holdout *f, const unsigned char *at, size_t pairs) {
    if (pairs == 0 || pairs > SL_KNOTS) return false;
    for (f->n = 0; f->n < pairs; f->n++, at += 16) {
        size_t i = f->n;
        f->margin[i] = get_f64(at);
        f->p[i] = get_f64(at + 8);
        if (!isfinite(f->margin[i]) || !(f->p[i] > 0 && f->p[i] < 1)) return false;
        if (i && !(f->margin[i] > f->margin[i - 1] && f->p[i] >= f->p[i - 1])) return false;
    }
    return true;
}

static sluice_status read_fitted(sl_loader *l) {
    sl_holdout *f = &l->model->holdout;
    size_t n = (size_t)(l->end - l->at);
    bool fine = f->kind == SLUICE_CALIBRATION_NONE && l->version >= 3 && n % 16 == 1;
    if (fine) f->kind = *l->at;
    fine = fine && ((f->kind == SLUICE_CALIBRATION_PLATT && read_platt(f, l->at + 1, n / 16)) ||
                    (f->kind == SLUICE_CALIBRATION_ISOTONIC && read_knots(f, l->at + 1, n / 16)));
    return fine ? SLUICE_OK : DAMAGED(l, "the model file is damaged: its calibration is impossible");
}

/* Columns number the features that have had a value, each its own. */
static bool number_columns(sl_loader *l, bool *taken) {
    sluice_model *m = l->model;
    sl_state *s = &m->state;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0, with_column = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            uint32_t column = *sl_column(m->features.space.features, m->features.space.size, slot[k]);
            if (column > l->features || (column && taken[column - 1])) return false;
            if (column > s->columns) s->columns = column;
            if (column) taken[column - 1] = true;
            with_column += column != 0;
        }
    return s->columns == with_column;
}

static sluice_status finish_held(sl_loader *l) {
    sluice_model *m = l->model;
    const sl_pending *b = &m->state.pending;
    if (!m->rule->finish) return SLUICE_OK;
    bool *taken = calloc(l->features + 1, sizeof *taken);
    if (!taken) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's features");
    bool fine = number_columns(l, taken);
    free(taken);
    double batch = m->params[m->rule->batch];
    bool dense = m->rule->info.flags & SLUICE_LEARNER_DENSE; /* its rows are columns */
    fine = fine && (!dense || (m->state.order <= m->state.columns && m->state.columns <= SLUICE_MAX_DENSE_FEATURES)) &&
           l->values == (b->rows ? b->start[b->rows] : 0) && b->rows <= m->state.t &&
           (batch == 0 || (double)b->rows < batch);
    for (size_t k = 0; fine && k < l->values; k++) fine = b->column[k] < m->state.columns;
    return fine ? SLUICE_OK : DAMAGED(l, "the model file is damaged: its unfinished batch is impossible");
}

/* Every feature's row of the matrix exists, and the last arrays of the dense part are there. */
static sluice_status finish_dense(sl_loader *l) {
    sluice_model *m = l->model;
    sl_state *s = &m->state;
    if (!has_matrix(m->rule)) return SLUICE_OK;
    if (l->numbers != sl_matrix_numbers(m->rule, m->params, l->vectors))
        return DAMAGED(l, "the model file is damaged: its matrix is incomplete");
    if (!sl_dense_resize(s, l->vectors, l->numbers))
        return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's matrix");
    for (size_t i = 0; !m->rule->matrix_size && i < s->order; i++)
        if (!(s->matrix[sl_triangle(i) + i] > 0))
            return DAMAGED(l, "the model file is damaged: its matrix is not positive definite");
    if (!m->rule->row_of) return SLUICE_OK;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++)
            if (m->rule->row_of(m->features.space.features, slot[k]) > s->order)
                return DAMAGED(l, "the model file is damaged: a feature lies outside the matrix");
    return SLUICE_OK;
}

static sluice_status read_end(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->end - l->at != 16 || sl_get_le(l->at, 8) != l->features || sl_get_le(l->at + 8, 8) != l->vectors)
        return DAMAGED(l, "the model file is damaged: parts of it are missing");
    if (m->rule == &sl_predict_only ? l->seen < m->features.space.seen : l->seen != m->features.space.seen)
        return DAMAGED(l, "the model file is damaged: its counts contradict each other");
    m->features.space.seen = l->seen;
    m->features.space.births = l->births;
    memcpy(m->features.space.newest, l->newest, sizeof l->newest);
    m->features.space.arrivals = l->arrivals;
    sluice_status status = finish_dense(l);
    return status == SLUICE_OK ? finish_held(l) : status;
}

static sluice_status read_model(sl_loader *l) {
    unsigned char head[16];
    sluice_status status = fetch(l, head, sizeof head, "its head");
    if (status == SLUICE_E_IO) return status;
    if (status != SLUICE_OK || memcmp(head, SL_MAGIC, 8) != 0) return DAMAGED(l, "this is not a sluice model");
    uint64_t version = sl_get_le(head + 8, 4);
    if (version > SL_MODEL_VERSION)
        return DAMAGED(l, "the model was written by a newer sluice (format %llu); this one reads up to format %d",
                       (unsigned long long)version, SL_MODEL_VERSION);
    if (version == 0 || sl_get_le(head + 12, 4) != 0)
        return DAMAGED(l, "the model file is damaged: its head is impossible");
    l->version = version;
    status = next_section(l);
    if (status == SLUICE_OK) status = sl_load_facts(l);
    while (status == SLUICE_OK && (status = next_section(l)) == SLUICE_OK) {
        if (strcmp(l->tag, "END ") == 0) return read_end(l);
        if (strcmp(l->tag, "FEAT") == 0)
            status = read_features(l);
        else if (strcmp(l->tag, "VECT") == 0 || strcmp(l->tag, "MATR") == 0)
            status = read_numbers(l);
        else if (strcmp(l->tag, "ROWS") == 0)
            status = read_rows(l);
        else if (strcmp(l->tag, "VALS") == 0)
            status = read_values(l);
        else if (strcmp(l->tag, "CALI") == 0)
            status = read_fitted(l);
        else
            status = DAMAGED(l, "the model file is damaged: an unknown section");
    }
    return status;
}

sluice_model *sluice_model_read(sluice_read_function read, void *context, const char *name, sluice_error *err) {
    sl_loader l = {.read = read, .context = context, .name = name ? name : "model", .err = err};
    sluice_status status = read_model(&l);
    free(l.bytes);
    if (status == SLUICE_OK) return l.model;
    sluice_model_free(l.model);
    return NULL;
}

/* ---- from a file, from memory ------------------------------------------------------------------------------------ */

static sluice_model *refuse_rest(sluice_model *m, const char *name, sluice_error *err) {
    sl_fail_at(err, SLUICE_E_FORMAT, name, 0, 0, "the model file is damaged: there is more behind its end");
    sluice_model_free(m);
    return NULL;
}

typedef struct file_source {
    int fd, error; /* errno of a failed read */
} file_source;

static ptrdiff_t read_from_file(void *context, void *bytes, size_t n) {
    file_source *from = context;
    ssize_t got;
    while ((got = read(from->fd, bytes, n)) < 0 && errno == EINTR) {
    }
    if (got < 0) from->error = errno;
    return got;
}

sluice_model *sluice_model_load(const char *path, sluice_error *err) {
    file_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (from.fd < 0) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    char byte;
    sluice_model *m = sluice_model_read(read_from_file, &from, path, err);
    if (m && read_from_file(&from, &byte, 1) > 0) m = refuse_rest(m, path, err);
    if (from.error) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot read: %s", strerror(from.error));
        sluice_model_free(m);
        m = NULL;
    }
    close(from.fd);
    return m;
}

typedef struct memory_source {
    const char *bytes;
    size_t left;
} memory_source;

static ptrdiff_t read_from_memory(void *context, void *bytes, size_t n) {
    memory_source *from = context;
    if (n > from->left) n = from->left;
    if (n) memcpy(bytes, from->bytes, n);
    from->bytes += n;
    from->left -= n;
    return (ptrdiff_t)n;
}

sluice_model *sluice_model_parse(const void *bytes, size_t n, sluice_error *err) {
    memory_source from = {bytes, n};
    sluice_model *m = sluice_model_read(read_from_memory, &from, NULL, err);
    return m && from.left ? refuse_rest(m, "model", err) : m;
}
