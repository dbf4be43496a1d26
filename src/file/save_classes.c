/* CLAS: the classes of a binary model other than -1, 0 and 1. */
#include <string.h>

#include "file/saver.h"

static void put_text(sl_saver *s, const char *text, size_t n) {
    sl_save_varint(s, n);
    sl_save_text(s, text, n);
}

/* A plain model has no such section. */
sluice_status sl_save_classes(sl_saver *s, const sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    const char *positive = m->settings.positive;
    if (!t->n && !positive) return SLUICE_OK;
    sl_save_begin(s, "CLAS", 0);
    sl_save_int(s, SL_CLASSES_TWO, 1);
    sl_save_int(s, (m->classes.first_is_plus ? SL_FIRST_IS_PLUS : 0) | (positive ? SL_NAMES_POSITIVE : 0), 1);
    sl_save_int(s, t->n, 1);
    if (positive) put_text(s, positive, strlen(positive));
    for (size_t i = 0; i < t->n; i++) {
        sluice_name text = sl_class_text(t, i);
        put_text(s, text.text, text.n);
        sl_save_varint(s, t->entry[i].count);
    }
    return sl_save_end(s);
}
