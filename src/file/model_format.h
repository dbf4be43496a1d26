/* The model file, as docs/model-format.md describes it: what the writer and the reader share. */
#ifndef SL_MODEL_FORMAT_H
#define SL_MODEL_FORMAT_H

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "model/model.h"

#define SL_MAGIC "sluice\x1a\n" /* 8 bytes; the end-of-file mark keeps terminals from showing the rest */

enum {
    SL_MODEL_VERSION = 3,
    SL_TAG = 4,                /* bytes of a section's name */
    SL_SECTION_HEAD = 16,      /* name, 4 zero bytes, 8 bytes of length */
    SL_MAX_SECTION = 16 << 20, /* bytes in one section: larger things are spread over several */
    SL_FEATURES_A_SECTION = 1 << 16,
    SL_NAMES_A_SECTION = 8 << 20, /* bytes, or one name more */
    SL_NUMBERS_A_SECTION = 1 << 17,
};

/* What a block of features is listed by. */
enum { SL_KEYS_IDS = 0, SL_KEYS_BIAS = 1, SL_KEYS_NAMES = 2 };

/* "theta:f32 a:f32": a file and a learner must mean the same state. */
static inline void sl_fields_text(char *out, const sl_learner *rule) {
    static const char *const types[] = {"f32", "f64", "u32"};
    *out = 0;
    for (size_t i = 0; i < rule->n_fields; i++) {
        if (i) strcat(out, " ");
        strcat(strcat(strcat(out, rule->fields[i].name), ":"), types[rule->fields[i].type]);
    }
}

#endif
