/* CLAS: the classes of a binary model other than -1, 0 and 1, or of a model of several classes. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"
#include "model/classes/class_limits.h"

static sluice_status no_memory(sl_loader *l) {
    return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's classes");
}

static sluice_status load_positive(sl_loader *l) {
    sluice_model *m = l->model;
    size_t n;
    const char *text = sl_load_counted(l, &n);
    if (!text || n == 0 || n > SLUICE_MAX_NAME || memchr(text, 0, n))
        return DAMAGED(l, "its positive class is impossible");
    char *copy = malloc(n + 1);
    if (!copy) return no_memory(l);
    memcpy(copy, text, n);
    copy[n] = 0;
    m->settings.positive = copy;
    return SLUICE_OK;
}

static sluice_status load_class(sl_loader *l) {
    sl_class_table *t = &l->model->classes.table;
    size_t n;
    uint64_t count;
    const char *text = sl_load_counted(l, &n);
    if (!text || n == 0 || n > SLUICE_MAX_NAME || !sl_load_varint(l, &count) ||
        count > sl_model_examples(l->model) - l->class_examples)
        return DAMAGED(l, "a class is impossible");
    if (sl_model_is_of_many(l->model)) l->class_examples += count;
    const sluice_name label = {text, n};
    if (sl_classes_find(t, label) != SL_NO_CLASS) return DAMAGED(l, "a class comes twice");
    size_t class = sl_classes_add(t, label);
    if (class == SL_NO_CLASS) return no_memory(l);
    t->entry[class].count = count;
    return SLUICE_OK;
}

/* Any number of sections. */
static sluice_status load_many(sl_loader *l) {
    if (l->problems.n || l->problems.size) return DAMAGED(l, "there are classes behind the problems");
    if (l->end - l->at < 6 || l->at[0] != SL_KIND_MANY || l->at[1] != 0)
        return DAMAGED(l, "its classes are not of the kind that the model has");
    const size_t n = (size_t)sl_get_le(l->at + 2, 4);
    l->at += 6;
    if (n == 0 || n > sl_class_limit(l->model) - l->model->classes.table.n)
        return DAMAGED(l, "an impossible number of classes");
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) status = load_class(l);
    return status == SLUICE_OK && l->at != l->end ? DAMAGED(l, "CLAS is impossible") : status;
}

sluice_status sl_load_classes(sl_loader *l) {
    if (sl_model_is_of_many(l->model)) return load_many(l);
    if (l->any_classes) return DAMAGED(l, "CLAS comes twice");
    l->any_classes = true;
    if (l->end - l->at < 3 || l->at[0] != SL_KIND_TWO || l->at[1] > (SL_FIRST_IS_PLUS | SL_NAMES_POSITIVE) ||
        l->at[2] > 2)
        return sl_fail_at(l->err, SLUICE_E_FORMAT, l->name, 0, 0,
                          "the model's classes are of a kind that this version does not know; a newer sluice may");
    unsigned flags = l->at[1], n = l->at[2];
    l->at += 3;
    l->model->classes.first_is_plus = flags & SL_FIRST_IS_PLUS;
    sluice_status status = flags & SL_NAMES_POSITIVE ? load_positive(l) : SLUICE_OK;
    for (unsigned i = 0; i < n && status == SLUICE_OK; i++) status = load_class(l);
    if (status == SLUICE_OK && (l->at != l->end || (n == 0 && !flags))) return DAMAGED(l, "CLAS is impossible");
    return status;
}

sluice_status sl_load_seen(sl_loader *l) {
    sluice_model *m = l->model;
    if (l->end - l->at != 1 || !(*l->at & SL_SEEN_ZERO) || *l->at > (SL_SEEN_ZERO | SL_SEEN_MINUS) || m->positives ||
        m->state.t == 0 || m->classes.zero || sl_model_is_of_many(m) || sl_model_is_predict_only(m))
        return DAMAGED(l, "SEEN is impossible");
    m->classes.zero = true;
    m->classes.minus = *l->at++ & SL_SEEN_MINUS;
    return SLUICE_OK;
}

sluice_status sl_load_finish_classes(sl_loader *l) {
    if (sl_model_is_of_many(l->model)) return SLUICE_OK;
    /* a file with one of the newer sections is of no earlier version */
    l->model->classes.loaded_plain =
        !l->any_classes && l->model->state.t > 0 && !l->model->classes.mirror && !l->model->classes.zero;
    if (!l->any_classes || sl_class_labels_settle(l->model)) return SLUICE_OK;
    return DAMAGED(l, "its classes contradict each other");
}
