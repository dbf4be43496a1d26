/* The model file, as docs/model-format.md describes it: what saving and loading share. */
#ifndef SL_MODEL_FORMAT_H
#define SL_MODEL_FORMAT_H

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "model/model.h"

#define SL_MAGIC "sluice\x1a\n" /* 8 bytes; the end-of-file character stops programs that print files */

enum {
    SL_MODEL_FORMAT = 4,  /* what is written; 1 to 3 can be read */
    SL_HEAD = 16,         /* bytes of the file's head: magic, format, zero */
    SL_TAG = 4,           /* bytes of a section's name */
    SL_SECTION_HEAD = 16, /* name, 4 bytes of flags, 8 bytes of length */
    SL_CHECKSUM = 8,
    SL_SKIPPABLE = 1,          /* the one flag of a section: a reader that does not know the section ignores it */
    SL_MAX_SECTION = 16 << 20, /* bytes of content */
    SL_FEATURES_A_SECTION = 1 << 16,
    SL_NAMES_A_SECTION = 8 << 20, /* bytes at which a section of names is closed */
    SL_NUMBERS_A_SECTION = 1 << 17,
};

/* The kind of a CLAS section, and its flags, of two classes: the class seen first is +1 inside; the positive class is
 * named. */
enum { SL_KIND_TWO = 1, SL_KIND_MANY = 2 };
enum { SL_FIRST_IS_PLUS = 1, SL_NAMES_POSITIVE = 2 };

/* SEEN: which labels the class of -1 has had in a model that has seen nothing else. */
enum { SL_SEEN_ZERO = 1, SL_SEEN_MINUS = 2 };

/* The value of the key `classes` of MODL, for models of several classes. */
static inline const char *sl_classes_key(unsigned classes) {
    return classes == SLUICE_CLASSES_OVR ? "ovr" : classes == SLUICE_CLASSES_MATRIX ? "matrix" : "ovo";
}

/* The scales of features: values, or numbers of rows. */
static inline const sl_field *sl_scale_field(const sluice_settings *s) {
    static const sl_field fields[] = {{"scale", SL_F32, 0, 0}, {"rows", SL_U32, 0, 0}};
    return &fields[s->scale == SLUICE_SCALE_IDF];
}

/* What identifies the features of a FEAT section. */
enum { SL_KEYS_IDS = 0, SL_KEYS_BIAS = 1, SL_KEYS_NAMES = 2 };

/* "theta:f32 a:f32": the members of a feature's state, which must be those of the learner. */
static inline void sl_fields_text(char *out, const sl_learner *rule) {
    static const char *const types[] = {"f32", "f64", "u32"};
    *out = 0;
    for (size_t i = 0; i < rule->n_fields; i++) {
        if (i) strcat(out, " ");
        strcat(strcat(strcat(out, rule->fields[i].name), ":"), types[rule->fields[i].type]);
    }
}

#endif
