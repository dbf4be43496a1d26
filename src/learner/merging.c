/* Merging of the structs of features: sums and averages, from the declaration of their members. */
#include <string.h>

#include "learner/learner.h"

static double member(const sl_field *f, const void *of) {
    const char *at = (const char *)of + f->offset;
    float narrow;
    double wide;
    if (f->type == SL_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static void set_member(const sl_field *f, void *of, double v) {
    char *at = (char *)of + f->offset;
    const float narrow = (float)v;
    if (f->type == SL_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &v, sizeof v);
}

/* A member that cannot be less than some value is not so by rounding either. */
static double at_least(const sl_field *f, double v) { return v < f->least ? f->least : v; }

static void merge_sums(const sl_merging *m, void *into, const void *from, const void *start) {
    (void)start;
    for (size_t i = 0; i < m->rule->n_fields; i++) {
        const sl_field *f = &m->rule->fields[i];
        if (f->type == SL_U32) continue;
        set_member(f, into, at_least(f, member(f, into) + member(f, from)));
    }
}

void sl_merge_averages(const sl_merging *m, void *into, const void *from, const void *start) {
    (void)start;
    for (size_t i = 0; i < m->rule->n_fields; i++) {
        const sl_field *f = &m->rule->fields[i];
        if (f->type != SL_U32) set_member(f, into, sl_averaged(m, member(f, into), member(f, from)));
    }
}

static sl_merge_function *function_of(const sl_merging *m) {
    const sl_learner *rule = m->rule;
    if (!sl_has_start(m)) return rule->merge ? rule->merge : merge_sums;
    return rule->merge_since ? rule->merge_since : rule->merge ? rule->merge : sl_merge_averages;
}

bool sl_merge_structs(const sl_merging *m, void *into, const void *from, const void *start) {
    bool finite = true;
    if (m->into.n == 0) { /* it is `from`, to the bit */
        memcpy(into, from, m->rule->info.bytes_per_feature);
        return true;
    }
    function_of(m)(m, into, from, start);
    for (size_t i = 0; i < m->rule->n_fields; i++) {
        const sl_field *f = &m->rule->fields[i];
        if (f->type != SL_U32) finite &= isfinite(member(f, into)) != 0;
    }
    return finite;
}
