/* CLAS: the classes of a binary model other than -1, 0 and 1, or of a model of several classes. */
#include <string.h>

#include "file/saver.h"

static void put_text(sl_saver *s, const char *text, size_t n) {
    sl_save_varint(s, n);
    sl_save_text(s, text, n);
}

static void put_class(sl_saver *s, const sl_class_table *t, size_t i) {
    sluice_name text = sl_class_text(t, i);
    put_text(s, text.text, text.n);
    sl_save_varint(s, t->entry[i].count);
}

/* As many sections as their texts need. */
static sluice_status save_many(sl_saver *s, const sl_class_table *t) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < t->n && status == SLUICE_OK;) {
        const size_t first = i;
        sl_save_begin(s, "CLAS", 0);
        sl_save_int(s, SL_KIND_MANY, 1);
        sl_save_int(s, 0, 1);
        const size_t count_at = s->n;
        sl_save_int(s, 0, 4);
        while (i < t->n && s->n < SL_NAMES_A_SECTION) put_class(s, t, i++);
        sl_put_le(s->bytes + count_at, i - first, 4);
        status = sl_save_end(s);
    }
    return status;
}

/* A plain model has no such section. */
sluice_status sl_save_classes(sl_saver *s, const sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    if (m->settings.classes != SLUICE_CLASSES_TWO) return save_many(s, t);
    const char *positive = m->settings.positive;
    if (!t->n && !positive) return SLUICE_OK;
    sl_save_begin(s, "CLAS", 0);
    sl_save_int(s, SL_KIND_TWO, 1);
    sl_save_int(s, (m->classes.first_is_plus ? SL_FIRST_IS_PLUS : 0) | (positive ? SL_NAMES_POSITIVE : 0), 1);
    sl_save_int(s, t->n, 1);
    if (positive) put_text(s, positive, strlen(positive));
    for (size_t i = 0; i < t->n; i++) put_class(s, t, i);
    return sl_save_end(s);
}

/* Only where it matters: all labels were -1 or 0, and not all -1, which is what a model without this section has. */
sluice_status sl_save_seen(sl_saver *s, const sluice_model *m) {
    const sl_class_labels *c = &m->classes;
    if (sl_model_is_of_many(m) || c->table.n || !c->zero || m->positives || sl_model_is_predict_only(m))
        return SLUICE_OK;
    sl_save_begin(s, "SEEN", SL_SKIPPABLE);
    sl_save_int(s, SL_SEEN_ZERO | (c->minus ? SL_SEEN_MINUS : 0), 1);
    return sl_save_end(s);
}
