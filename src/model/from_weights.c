/* Models made of weights that come from elsewhere. */
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "learner/param.h"
#include "model/model.h"

/* The member of a feature's state that its weight is, where that is all: it is called w. */
static const sl_field *weight_field(const sl_learner *rule) {
    if (rule->rank || rule->finish || rule->info.flags & (SLUICE_LEARNER_DENSE | SLUICE_LEARNER_TUNES)) return NULL;
    for (size_t i = 0; i < rule->n_fields; i++)
        if (strcmp(rule->fields[i].name, "w") == 0 && rule->fields[i].type != SL_U32) return &rule->fields[i];
    return NULL;
}

static sluice_status check_settings(const sluice_settings *s, sluice_error *err) {
    if (!s->classes && !s->hash_bits && !s->scale && !s->max_features) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "weights from elsewhere %s",
                   s->classes     ? "make models of two classes alone"
                   : s->hash_bits ? "are those of features, which must not be hashed"
                   : s->scale     ? "have no scales of features"
                                  : "take no limit on features");
}

static sluice_status set_labels(sluice_model *m, const sluice_name *labels, sluice_error *err) {
    for (size_t i = 0; i < 2; i++) {
        if (labels[i].n == 0 || labels[i].n > SL_MAX_NAME)
            return sl_fail(err, SLUICE_E_USAGE, "a label has 1 to %zu bytes", SL_MAX_NAME);
        if (sl_classes_add(&m->classes.table, labels[i]) == SL_NO_CLASS)
            return sl_fail(err, SLUICE_E_MEMORY, "no memory for a class");
    }
    if (m->classes.table.n == 2 && sl_class_labels_settle(m)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_USAGE, "the two labels are one class, or the learner treats the two differently");
}

static void set_weight(sluice_model *m, const sl_field *f, uint32_t slot, float weight) {
    char *at = sl_space_at(&m->features.space, slot) + f->offset;
    const double wide = (double)weight;
    if (f->type == SL_F32)
        memcpy(at, &weight, sizeof weight);
    else
        memcpy(at, &wide, sizeof wide);
}

/* Adds the feature that a weight is of, unless it is there; *slot is its. False: no memory. */
static bool add_feature(sluice_model *m, const sluice_weight *w, uint32_t *slot) {
    uint64_t id = w->id;
    if (w->name.text) {
        const bool named = sl_keys_use_names(&m->features);
        const uint32_t number = named ? sl_keys_add_name(&m->features, w->name.text, w->name.n) : SL_NO_NAME;
        if (number == SL_NO_NAME) return false;
        id = number;
    } else if (w->is_bias ? !sl_space_add_bias(&m->features.space) : !sl_space_add(&m->features.space, id)) {
        return false;
    }
    *slot = w->is_bias ? sl_space_bias(&m->features.space) : sl_space_find(&m->features.space, id);
    return true;
}

/* Adds a feature with its weight, and makes sure that the rule gives it that weight. */
static sluice_status take_weight(sluice_model *m, const sl_field *f, const sluice_weight *w, size_t i,
                                 sluice_error *err) {
    const uint64_t before = m->features.space.seen;
    const float weight = (float)sl_turn(&m->classes, (double)w->weight);
    uint32_t slot;
    if (!isfinite(w->weight)) return sl_fail(err, SLUICE_E_DATA, "weight %zu is not finite", i + 1);
    if (w->name.text && !w->is_bias && w->name.n > SL_MAX_NAME)
        return sl_fail(err, SLUICE_E_DATA, "the name of weight %zu is longer than %zu bytes", i + 1, SL_MAX_NAME);
    if (w->is_bias && m->settings.bias == 0)
        return sl_fail(err, SLUICE_E_USAGE, "there is a weight of the constant feature, but no such feature (bias)");
    if (!add_feature(m, w, &slot)) return sl_fail(err, SLUICE_E_MEMORY, "no memory for the features");
    if (m->features.space.seen == before)
        return sl_fail(err, SLUICE_E_DATA, "weight %zu is of a feature that has one already", i + 1);
    set_weight(m, f, slot, weight);
    sl_state s = m->state;
    float is;
    s.features = m->features.space.features;
    m->kernels.weights(&s, &slot, 1, &is);
    if (is == weight) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s with these parameters makes other weights of its state",
                   m->learner->info.name);
}

static sluice_status fill(sluice_model *m, const sl_field *f, const sluice_given_weights *given, sluice_error *err) {
    sluice_status status = given->labels ? set_labels(m, given->labels, err) : SLUICE_OK;
    for (size_t i = 0; i < given->n && status == SLUICE_OK; i++) status = take_weight(m, f, &given->weights[i], i, err);
    return status;
}

/* A model of these labels without weights. */
static sluice_model *begin(const sl_learner *learner, const double *params, const sluice_settings *settings,
                           const sluice_given_weights *given, sluice_error *err) {
    sluice_settings named = *settings;
    char positive[SLUICE_MAX_NAME + 1];
    if (given->labels) {
        if (given->labels[1].n > SLUICE_MAX_NAME || memchr(given->labels[1].text, 0, given->labels[1].n)) {
            sl_fail(err, SLUICE_E_USAGE, "the label of the positive class is too long, or has a NUL");
            return NULL;
        }
        memcpy(positive, given->labels[1].text, given->labels[1].n);
        positive[given->labels[1].n] = 0;
        named.positive = positive;
    }
    return sl_model_empty(learner, given->predict_only ? &sl_predict_only : learner, params, &named, err);
}

sluice_model *sluice_model_from_weights(const char *name, const char *const *params, size_t n_params,
                                        const sluice_settings *settings, const sluice_given_weights *weights,
                                        sluice_error *err) {
    sluice_given_weights given = {.size = sizeof given};
    if (sl_sized_read(&given, sizeof given, weights, "sluice_given_weights", err) != SLUICE_OK) return NULL;
    sluice_model *plain = sluice_model_new(name, params, n_params, settings, err); /* checks them all */
    if (!plain) return NULL;
    const sl_field *f = weight_field(given.predict_only ? &sl_predict_only : plain->rule);
    sluice_status status = check_settings(&plain->settings, err);
    if (status == SLUICE_OK && !f)
        status = sl_fail(err, SLUICE_E_UNSUPPORTED, "%s cannot begin with weights: its state is not made of them",
                         plain->learner->info.name);
    sluice_model *m = status == SLUICE_OK ? begin(plain->learner, plain->params, &plain->settings, &given, err) : NULL;
    sluice_model_free(plain);
    if (!m) return NULL;
    status = fill(m, f, &given, err);
    if (status == SLUICE_OK && !given.predict_only) return m;
    sluice_model *final = status == SLUICE_OK ? sluice_model_final(m, err) : NULL; /* without weights of 0 */
    sluice_model_free(m);
    return final;
}
