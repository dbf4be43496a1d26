/* Saves models: through a function, to a file or to memory. MODL and FEAT are in save_modl.c and save_features.c. */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "file/saver.h"

static sluice_status save_numbers(sl_saver *s, const char *tag, const double *numbers, size_t n) {
    sluice_status status = SLUICE_OK;
    for (size_t at = 0; at < n && status == SLUICE_OK;) {
        sl_save_begin(s, tag, 0);
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && at < n; k++) {
            if (!isfinite(numbers[at])) return sl_save_out_of_range(s);
            sl_save_f64(s, numbers[at++]);
        }
        status = sl_save_end(s);
    }
    return status;
}

/* Pending rows: label and length of each, then the columns and values of all. */
static sluice_status save_pending(sl_saver *s, const sl_pending *b) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < b->rows && status == SLUICE_OK;) {
        sl_save_begin(s, "ROWS", 0);
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && i < b->rows; k++, i++) {
            sl_save_f64(s, b->yh[i]);
            sl_save_int(s, b->start[i + 1] - b->start[i], 8);
        }
        status = sl_save_end(s);
    }
    for (size_t at = 0; at < b->nonzeros && status == SLUICE_OK;) {
        sl_save_begin(s, "VALS", 0);
        for (size_t k = 0; k < SL_NUMBERS_A_SECTION && at < b->nonzeros; k++, at++) {
            uint32_t bits;
            memcpy(&bits, &b->value[at], sizeof bits);
            sl_save_int(s, b->column[at], 4);
            sl_save_int(s, bits, 4);
        }
        status = sl_save_end(s);
    }
    return status;
}

static sluice_status save_holdout(sl_saver *s, const sl_holdout *f) {
    if (f->kind == SLUICE_CALIBRATION_NONE) return SLUICE_OK;
    sl_save_begin(s, "CALI", 0);
    sl_save_int(s, (unsigned)f->kind, 1);
    if (f->kind == SLUICE_CALIBRATION_PLATT) {
        sl_save_f64(s, f->a);
        sl_save_f64(s, f->b);
    }
    for (size_t i = 0; i < f->n; i++) {
        sl_save_f64(s, f->margin[i]);
        sl_save_f64(s, f->p[i]);
    }
    return sl_save_end(s);
}

static sluice_status save_threshold(sl_saver *s, const sluice_model *m) {
    if (!m->has_threshold) return SLUICE_OK;
    sl_save_begin(s, "THRE", 0);
    sl_save_f64(s, m->threshold);
    return sl_save_end(s);
}

sluice_status sl_save_model(sl_saver *s, const sluice_model *m) {
    if (m->broken) return sl_save_out_of_range(s);
    unsigned char head[SL_HEAD] = SL_MAGIC;
    sl_put_le(head + 8, SL_MODEL_FORMAT, 4);
    sl_put_le(head + 12, 0, 4);
    uint64_t features = 0;
    size_t order = m->state.dense.order, numbers = sl_matrix_numbers(m->rule, m->params, order);
    sluice_status status = sl_save_bytes(s, head, sizeof head);
    if (status == SLUICE_OK) status = sl_save_modl(s, m);
    if (status == SLUICE_OK && !m->ovr) status = sl_save_features(s, m, &features); /* lanes: each has its own */
    if (status == SLUICE_OK) status = sl_save_pairs(s, m);
    if (status == SLUICE_OK) status = save_numbers(s, "VECT", m->state.dense.vector, order);
    if (status == SLUICE_OK) status = save_numbers(s, "MATR", m->state.dense.matrix, numbers);
    if (status == SLUICE_OK) status = save_pending(s, &m->state.batch.pending);
    if (status == SLUICE_OK) status = save_holdout(s, &m->holdout);
    if (status == SLUICE_OK) status = sl_save_classes(s, m);
    if (status == SLUICE_OK) status = sl_save_seen(s, m);
    if (status == SLUICE_OK) status = sl_save_problems(s, m);
    if (status == SLUICE_OK) status = sl_save_race(s, m);
    if (status == SLUICE_OK) status = sl_save_mirror(s, m);
    if (status == SLUICE_OK) status = save_threshold(s, m);
    if (status == SLUICE_OK) status = sl_save_positions(s, &m->positions);
    if (status == SLUICE_OK) status = sl_save_metadata(s, &m->metadata);
    if (status != SLUICE_OK) return status;
    sl_save_begin(s, "END ", 0);
    sl_save_int(s, features, 8);
    sl_save_int(s, order, 8);
    return sl_save_end(s);
}

/* Most sections are small: what is not touched of the room for the largest costs nothing. */
enum { SECTION_ROOM = SL_SECTION_HEAD + SL_MAX_SECTION + SL_CHECKSUM };

sluice_status sl_saver_reserve(sl_saver *s, const char *path, sluice_error *err) {
    const sluice_status status = path && sl_packs_path(path) ? sl_packer_new(&s->packer, err) : SLUICE_OK;
    if (status != SLUICE_OK) return status;
    s->bytes = sl_pages_new(SECTION_ROOM, false);
    s->slot = malloc(SL_FEATURES_A_SECTION * sizeof *s->slot);
    s->id = malloc(SL_FEATURES_A_SECTION * sizeof *s->id);
    if (s->bytes && s->slot && s->id) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_MEMORY, "no memory to save the model");
}

void sl_saver_release(sl_saver *s) {
    sl_pages_free(s->bytes, SECTION_ROOM);
    sl_packer_free(s->packer);
    free(s->slot);
    free(s->id);
}

sluice_status sluice_model_write(const sluice_model *m, sluice_write_function write, void *context, sluice_error *err) {
    sl_saver s = {.write = write, .context = context, .err = err};
    sluice_status status = sl_saver_reserve(&s, NULL, err);
    if (status == SLUICE_OK) status = sl_save_model(&s, m);
    sl_saver_release(&s);
    return status;
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

sluice_status sl_save_to_file(sl_saver *s, const sluice_model *m, sl_atomic *file, sluice_error *err) {
    file_sink to = {.file = file};
    s->write = write_to_file;
    s->context = &to;
    s->err = err;
    sluice_status status = sl_atomic_begin(file, err);
    if (status != SLUICE_OK) return status;
    if (s->packer) {
        s->write = sl_packer_write;
        s->context = s->packer;
        status = sl_packer_begin(s->packer, write_to_file, &to, err);
    }
    if (status == SLUICE_OK) status = sl_save_model(s, m);
    if (status == SLUICE_OK && s->packer) status = sl_packer_end(s->packer, err);
    if (status == SLUICE_OK) return sl_atomic_finish(file, err);
    if (to.error.status != SLUICE_OK) *err = to.error;
    sl_atomic_drop(file);
    return err->status;
}

sluice_status sluice_model_save(const sluice_model *m, const char *path, sluice_error *err) {
    sluice_error unheard;
    if (!err) err = &unheard;
    sl_atomic *to = sl_atomic_new(path, err);
    if (!to) return err->status;
    sl_saver s = {0};
    sluice_status status = sl_saver_reserve(&s, path, err);
    if (status == SLUICE_OK) status = sl_save_to_file(&s, m, to, err);
    sl_saver_release(&s);
    sl_atomic_free(to);
    return status;
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
