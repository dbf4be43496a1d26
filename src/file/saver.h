/* Saving a model file: the section being written, which the parts of the saver share. */
#ifndef SL_SAVER_H
#define SL_SAVER_H

#include "base/atomic_file.h"
#include "base/error.h"
#include "file/model_format.h"
#include "file/packed/packed_model.h"

/* The buffers have room for the largest section, so that they never grow. */
typedef struct sl_saver {
    sluice_write_function write;
    void *context;
    sluice_error *err;
    unsigned char *bytes; /* head and content so far */
    size_t n;
    uint32_t *slot;    /* of the features of a section, and */
    uint64_t *id;      /* their ids or numbers of names */
    sl_packer *packer; /* files are compressed; NULL: they are not */
} sl_saver;

/* Allocates the buffers, before anything is saved. `path`: of the file, whose name says whether it is compressed; NULL:
 * it is not. */
sluice_status sl_saver_reserve(sl_saver *s, const char *path, sluice_error *err);
void sl_saver_release(sl_saver *s);
/* Saves a model so that the file is complete or as it was. */
sluice_status sl_save_to_file(sl_saver *s, const sluice_model *m, sl_atomic *to, sluice_error *err);

sluice_status sl_save_bytes(sl_saver *s, const void *bytes, size_t n);
/* Begins a section; flags: 0 or SL_SKIPPABLE. */
void sl_save_begin(sl_saver *s, const char *tag, unsigned flags);
/* Writes the section with its length and checksum. */
sluice_status sl_save_end(sl_saver *s);

/* Content is made of little-endian numbers, base-128 numbers and text. */
static inline void sl_save_int(sl_saver *s, uint64_t value, size_t bytes) {
    sl_put_le(s->bytes + s->n, value, bytes);
    s->n += bytes;
}

static inline void sl_save_varint(sl_saver *s, uint64_t value) {
    for (; value >= 0x80; value >>= 7) s->bytes[s->n++] = (unsigned char)(value | 0x80);
    s->bytes[s->n++] = (unsigned char)value;
}

static inline void sl_save_f64(sl_saver *s, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sl_save_int(s, bits, sizeof bits);
}

static inline void sl_save_text(sl_saver *s, const char *text, size_t n) {
    if (n) memcpy(s->bytes + s->n, text, n);
    s->n += n;
}

/* All of a model. */
sluice_status sl_save_model(sl_saver *s, const sluice_model *m);
/* problem_sections.c: the models of its problems. */
sluice_status sl_save_mirror(sl_saver *s, const sluice_model *m);
sluice_status sl_save_seen(sl_saver *s, const sluice_model *m);
sluice_status sl_save_problems(sl_saver *s, const sluice_model *m);
/* A model as sections of this name. */
sluice_status sl_save_inner(sl_saver *s, const char *tag, const sluice_model *m);
/* race_sections.c */
sluice_status sl_save_race(sl_saver *s, const sluice_model *m);
/* save_modl.c */
sluice_status sl_save_modl(sl_saver *s, const sluice_model *m);
/* save_features.c; *written: how many. */
sluice_status sl_save_features(sl_saver *s, const sluice_model *m, uint64_t *written);
/* One member of the structs, of `size` bytes, at n places. */
sluice_status sl_save_column(sl_saver *s, const sl_field *f, const char *state, size_t size, const uint32_t *place,
                             size_t n);

/* pair_sections.c */
sluice_status sl_save_pairs(sl_saver *s, const sluice_model *m);

/* save_classes.c */
sluice_status sl_save_classes(sl_saver *s, const sluice_model *m);

/* positions_section.c */
sluice_status sl_save_positions(sl_saver *s, const sl_positions *p);

/* metadata_section.c */
sluice_status sl_save_metadata(sl_saver *s, const sl_metadata *d);

/* A number of the model is not finite. */
sluice_status sl_save_out_of_range(sl_saver *s);

#endif
