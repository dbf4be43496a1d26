/* A model from outside: made, copied, frozen, merged, described. Learning and predicting are in learn.c. */
#include "model/model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/feature_keys.h"
#include "learner/param.h"

void sluice_free(void *memory) { free(memory); }

const sluice_error *sluice_model_error(const sluice_model *model) { return &model->error; }

const sluice_learner_info *sluice_learner_at(size_t i) {
    for (size_t k = 0; sl_learners[k]; k++)
        if (k == i) return &sl_learners[k]->info;
    return NULL;
}

const sl_learner *sl_learner_find(const char *name) {
    for (size_t k = 0; sl_learners[k]; k++)
        if (strcmp(sl_learners[k]->info.name, name) == 0) return sl_learners[k];
    return NULL;
}

const sluice_learner_info *sluice_learner_find(const char *name) {
    const sl_learner *learner = sl_learner_find(name);
    return learner ? &learner->info : NULL;
}

const char *sluice_learner_default(void) { return "ssol"; }

static bool is_line(const char *text, size_t room) {
    const char *end = memchr(text, 0, room);
    return end && !memchr(text, '\n', (size_t)(end - text));
}

sluice_status sl_settings_check(const sluice_settings *s, sluice_error *err) {
    if (!isfinite((float)s->bias) || (s->bias != 0 && (float)s->bias == 0))
        return sl_fail(err, SLUICE_E_USAGE, "the bias must be within the range of floats");
    if (s->normalize > SLUICE_NORMALIZE_L2) return sl_fail(err, SLUICE_E_USAGE, "unknown kind of normalization");
    if (s->hash_bits > SLUICE_MAX_HASH_BITS)
        return sl_fail(err, SLUICE_E_USAGE, "features are hashed to 1 to %d bits, not %u", SLUICE_MAX_HASH_BITS,
                       s->hash_bits);
    if (s->max_features > SLUICE_MAX_FEATURES)
        return sl_fail(err, SLUICE_E_USAGE, "a model keeps at most %u features", SLUICE_MAX_FEATURES);
    if (s->max_features && s->hash_bits)
        return sl_fail(err, SLUICE_E_USAGE, "hashed features have their limit already: hash or max_features, not both");
    if (!is_line(s->format, sizeof s->format) || !is_line(s->label, sizeof s->label) ||
        !is_line(s->weight, sizeof s->weight))
        return sl_fail(err, SLUICE_E_USAGE, "what is remembered must be text without line ends");
    if (!sl_text_options_fit(s->ngrams, s->tf, err)) return SLUICE_E_USAGE;
    return SLUICE_OK;
}

static size_t count_scalars(const sl_learner *rule) {
    size_t n = 0;
    while (rule->scalars[n]) n++;
    return n;
}

sluice_model *sl_model_empty(const sl_learner *learner, const sl_learner *rule, const double *params,
                             const sluice_settings *settings, sluice_error *err) {
    if (settings->max_features && learner->info.flags & (SLUICE_LEARNER_DENSE | SLUICE_LEARNER_BATCH)) {
        sl_fail(err, SLUICE_E_USAGE, "%s keeps %s; it takes no limit on them", learner->info.name,
                learner->info.flags & SLUICE_LEARNER_DENSE ? "a matrix over all features that ever came"
                                                           : "the features of a whole batch");
        return NULL;
    }
    sluice_model *m = calloc(1, sizeof *m);
    if (!m) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model");
        return NULL;
    }
    m->learner = learner;
    m->rule = rule;
    m->kernels = sl_learner_kernels(rule);
    memcpy(m->params, params, learner->info.n_params * sizeof *params);
    m->settings = *settings;
    m->settings.size = sizeof m->settings;
    m->settings.bias = (float)settings->bias; /* a value like any other */
    if (rule->first_scalars) memcpy(m->scalars, rule->first_scalars, count_scalars(rule) * sizeof *m->scalars);
    sl_space_init(&m->space, rule->info.bytes_per_feature, rule->fresh);
    m->space.numbered = rule->rank != NULL;
    sl_top_init(&m->state.top, rule->rank, rule->keeps_list);
    m->state.p = m->params;
    m->state.scalar = m->scalars;
    return m;
}

sluice_model *sluice_model_new(const char *name, const char *const *params, size_t n_params,
                               const sluice_settings *settings, sluice_error *err) {
    const sl_learner *learner = sl_learner_find(name);
    if (!learner) {
        char shown[128];
        sl_fail(err, SLUICE_E_USAGE, "there is no learner %s", sl_quote(shown, name, strlen(name)));
        return NULL;
    }
    sluice_settings given = {.size = sizeof given};
    if (settings && !settings->size) {
        sl_fail(err, SLUICE_E_USAGE, "sluice_settings without its size: write {.size = sizeof s}");
        return NULL;
    }
    if (settings) memcpy(&given, settings, settings->size < sizeof given ? settings->size : sizeof given);
    double values[SL_MAX_PARAMS];
    if (sluice_params_read(learner->info.name, learner->info.params, learner->info.n_params, params, n_params, values,
                           err) != SLUICE_OK)
        return NULL;
    if (sl_settings_check(&given, err) != SLUICE_OK) return NULL;
    return sl_model_empty(learner, learner, values, &given, err);
}

void sluice_model_free(sluice_model *m) {
    if (!m) return;
    sl_space_free(&m->space);
    sl_keys_free(m);
    sl_top_free(&m->state.top);
    sl_pending_free(&m->state.pending);
    free(m->state.matrix);
    free(m->state.vector);
    free(m->state.work);
    free(m->row_slot);
    free(m->row_value);
    free(m->row_key);
    sl_duplicates_free(&m->repeat);
    free(m);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

void sl_model_copy_counts(sluice_model *to, const sluice_model *from) {
    memcpy(to->scalars, from->scalars, sizeof to->scalars);
    to->state.t = from->state.t;
    to->mistakes = from->mistakes;
    to->updates = from->updates;
    to->positives = from->positives;
    to->calibration = from->calibration;
    to->holdout = from->holdout;
    memcpy(to->growth, from->growth, sizeof to->growth);
    to->broken = from->broken;
    to->limit.evicted = from->limit.evicted;
    to->limit.refused = from->limit.refused;
    to->limit.next_sweep = from->limit.next_sweep;
}

void sl_model_copy_history(sluice_model *to, const sluice_model *from) {
    memcpy(to->space.newest, from->space.newest, sizeof to->space.newest);
    to->space.arrivals = from->space.arrivals;
    to->space.seen = from->space.seen; /* a predict-only model counts more than it has */
    to->space.births = from->space.births;
}

static void *no_memory(sluice_model *m, sluice_error *err) {
    sluice_model_free(m);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
    return NULL;
}

sluice_model *sl_model_copy_without_pending(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_model_empty(from->learner, from->rule, from->params, &from->settings, err);
    if (!to) return NULL;
    sl_model_copy_counts(to, from);
    sl_keys_walk w;
    bool fine = sl_keys_start(&w, from);
    while (fine && sl_keys_next(&w)) {
        uint32_t slot;
        fine = sl_keys_add_like(to, from, &w.at, &slot);
        if (fine)
            memcpy(to->space.features + (size_t)slot * to->space.size,
                   from->space.features + (size_t)w.at.slot * from->space.size, from->space.size);
    }
    sl_keys_end(&w);
    sl_model_copy_history(to, from);
    to->state.columns = from->state.columns;
    to->state.threads = from->state.threads;
    if (fine && from->state.order) {
        size_t numbers = sl_matrix_numbers(from->rule, from->params, from->state.order);
        fine = sl_dense_resize(&to->state, from->state.order, numbers);
        if (fine && numbers) memcpy(to->state.matrix, from->state.matrix, numbers * sizeof *to->state.matrix);
        if (fine) memcpy(to->state.vector, from->state.vector, from->state.order * sizeof *to->state.vector);
    }
    return fine ? to : no_memory(to, err);
}

sluice_model *sluice_model_copy(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_model_copy_without_pending(from, err);
    return !to || sl_pending_copy(&to->state.pending, &from->state.pending) ? to : no_memory(to, err);
}

static sluice_weight weight_of(const sluice_model *m, uint64_t id, float value, bool is_bias) {
    sluice_weight w = {.id = id, .weight = value, .is_bias = is_bias};
    if (m->named && !is_bias) {
        w.name.text = sl_names_text(&m->names, (uint32_t)id, &w.name.n);
        if (!sl_id_of_name(w.name.text, w.name.n, &w.id)) w.id = 0;
    }
    return w;
}

sluice_status sluice_model_weights(const sluice_model *m, sluice_weight **weights, size_t *n, sluice_error *err) {
    *weights = NULL;
    *n = 0;
    size_t room = 0;
    sl_keys_walk w;
    bool fine = sl_keys_start(&w, m), more = true, finite = true;
    sl_state s = m->state;
    s.features = m->space.features;
    while (fine && more) {
        uint32_t slot[SL_CHUNK];
        uint64_t id[SL_CHUNK];
        bool is_bias[SL_CHUNK];
        float value[SL_CHUNK];
        size_t k = 0;
        while (k < SL_CHUNK && (more = sl_keys_next(&w))) {
            slot[k] = w.at.slot;
            id[k] = w.at.id;
            is_bias[k++] = w.at.is_bias;
        }
        m->kernels.weights(&s, slot, k, value);
        for (size_t i = 0; fine && i < k; i++) {
            if (value[i] == 0) continue;
            finite &= isfinite(value[i]);
            if (*n == room) {
                room = room ? room * 2 : 1024;
                sluice_weight *larger = realloc(*weights, room * sizeof **weights);
                fine = larger != NULL;
                if (fine) *weights = larger;
            }
            if (fine) (*weights)[(*n)++] = weight_of(m, id[i], value[i], is_bias[i]);
        }
    }
    sl_keys_end(&w);
    if (fine && finite) return SLUICE_OK;
    free(*weights);
    *weights = NULL;
    *n = 0;
    return fine ? sl_fail(
                      err, SLUICE_E_NUMERIC,
                      "the model has left the range of numbers: values are too large; learn it anew with scaled ones")
                : sl_fail(err, SLUICE_E_MEMORY, "no memory for the weights");
}

/* Where the i-th newest feature is: its id or number, and its slot; SL_NO_SLOT: there is none. */
static uint32_t newest_at(const sluice_model *m, const sl_keys_walk *order, size_t i, uint64_t *id) {
    if (m->named) {
        if (order->n <= i) return SL_NO_SLOT;
        *id = order->order[order->n - 1 - i];
    } else {
        const sl_space *sp = &m->space;
        if (i >= SL_NEWEST || i >= sp->arrivals) return SL_NO_SLOT;
        *id = sp->newest[(sp->arrivals - 1 - i) % SL_NEWEST];
    }
    return sl_space_find(&m->space, *id);
}

sluice_status sluice_model_newest(const sluice_model *m, sluice_weight *newest, size_t *n, sluice_error *err) {
    size_t room = *n;
    sl_keys_walk order;
    *n = 0;
    if (m->rule == &sl_predict_only) return SLUICE_OK; /* it does not know */
    if (!sl_keys_in_order(&order, m)) return sl_fail(err, SLUICE_E_MEMORY, "no memory for the newest features");
    sl_state s = m->state;
    s.features = m->space.features;
    uint64_t id;
    for (uint32_t slot; *n < room && (slot = newest_at(m, &order, *n, &id)) != SL_NO_SLOT; ++*n) {
        float w;
        m->kernels.weights(&s, &slot, 1, &w);
        newest[*n] = weight_of(m, id, w, false);
    }
    sl_keys_end(&order);
    return SLUICE_OK;
}

static bool add_weight(sluice_model *m, const sluice_weight *w, uint32_t *slot) {
    uint64_t id = w->id;
    if (w->name.text) {
        uint32_t number = sl_keys_use_names(m) ? sl_keys_add_name(m, w->name.text, w->name.n) : SL_NO_NAME;
        if (number == SL_NO_NAME) return false;
        id = number;
    } else if (w->is_bias ? !sl_space_add_bias(&m->space) : !sl_space_add(&m->space, id)) {
        return false;
    }
    *slot = w->is_bias ? sl_space_bias(&m->space) : sl_space_find(&m->space, id);
    return true;
}

/* The nonzero weights alone, as they are. */
static sluice_model *freeze(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_model_empty(from->learner, &sl_predict_only, from->params, &from->settings, err);
    if (!to) return NULL;
    sl_model_copy_counts(to, from);
    memset(to->scalars, 0, sizeof to->scalars);
    sluice_weight *weights;
    size_t n;
    if (sluice_model_weights(from, &weights, &n, err) != SLUICE_OK) {
        sluice_model_free(to);
        return NULL;
    }
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        uint32_t slot;
        fine = add_weight(to, &weights[i], &slot);
        if (fine) ((float *)(void *)to->space.features)[slot] = weights[i].weight;
    }
    sluice_free(weights);
    if (!fine) return no_memory(to, err);
    to->space.seen = from->space.seen; /* sparsity still refers to all features there were */
    to->space.births = from->space.births;
    return to;
}

sluice_model *sluice_model_final(const sluice_model *from, sluice_error *err) {
    if (from->state.pending.rows == 0) return freeze(from, err);
    sluice_model *finished = sluice_model_finished(from, err), *to = finished ? freeze(finished, err) : NULL;
    sluice_model_free(finished);
    return to;
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

static bool same_kind(const sluice_model *a, const sluice_model *b) {
    const sluice_settings *s = &a->settings, *o = &b->settings;
    if (a->learner != b->learner || a->rule != b->rule) return false;
    for (size_t i = 0; i < a->learner->info.n_params; i++)
        if (a->params[i] != b->params[i]) return false;
    return s->bias == o->bias && s->normalize == o->normalize && s->hash_bits == o->hash_bits &&
           s->max_features == o->max_features;
}

/* Whether the sums are still numbers. */
static bool add_fields(const sl_learner *rule, char *to, const char *from) {
    bool finite = true;
    for (size_t i = 0; i < rule->n_fields; i++) {
        const sl_field *f = &rule->fields[i];
        if (f->type == SL_F32) {
            float a, b;
            memcpy(&a, to + f->offset, sizeof a);
            memcpy(&b, from + f->offset, sizeof b);
            a += b;
            finite &= isfinite(a);
            memcpy(to + f->offset, &a, sizeof a);
        } else if (f->type == SL_F64) {
            double a, b;
            memcpy(&a, to + f->offset, sizeof a);
            memcpy(&b, from + f->offset, sizeof b);
            a += b;
            finite &= isfinite(a);
            memcpy(to + f->offset, &a, sizeof a);
        }
    }
    return finite;
}

/* How features came, one after the other, is the story of one stream: of two there is none, unless one is empty. */
static void merge_histories(sluice_model *into, const sluice_model *from, const sl_space *before) {
    into->space.arrivals = before->arrivals;
    memcpy(into->space.newest, before->newest, sizeof before->newest);
    if (from->state.t == 0) return;
    const sluice_model *only = into->state.t == 0 ? from : NULL;
    into->calibration = only ? only->calibration : (sl_online_calibration){0};
    into->holdout = only ? only->holdout : (sl_holdout){0};
    into->space.arrivals = only ? only->space.arrivals : 0;
    if (only) memcpy(into->space.newest, only->space.newest, sizeof only->space.newest);
    memset(into->growth, 0, sizeof into->growth);
    if (only) memcpy(into->growth, only->growth, sizeof into->growth);
}

sluice_status sluice_model_merge(sluice_model *into, const sluice_model *from) {
    sluice_error *err = &into->error;
    if (!(into->learner->info.flags & SLUICE_LEARNER_MERGES) || into->rule == &sl_predict_only)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s models do not merge: their state is no sum over the examples",
                       into->rule == &sl_predict_only ? "predict-only" : into->learner->info.name);
    if (!same_kind(into, from))
        return sl_fail(err, SLUICE_E_USAGE, "models merge only with the same learner, parameters and settings");
    if (into->settings.max_features)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "models with a limit on their features do not merge");
    if (into == from) return sl_fail(err, SLUICE_E_USAGE, "a model does not merge with itself");
    const sl_space before = into->space;
    /* all features first: what can fail, fails before any sum has changed */
    sl_keys_walk w;
    uint32_t slot;
    bool fine = sl_keys_start(&w, from);
    while (fine && sl_keys_next(&w)) fine = sl_keys_add_like(into, from, &w.at, &slot);
    sl_keys_end(&w);
    if (!fine || !sl_keys_start(&w, from)) return sl_fail(err, SLUICE_E_MEMORY, "no memory to merge models");
    while (sl_keys_next(&w)) {
        if (!sl_keys_add_like(into, from, &w.at, &slot)) continue; /* it is there: this finds it */
        into->broken |= !add_fields(into->rule, into->space.features + (size_t)slot * into->space.size,
                                    from->space.features + (size_t)w.at.slot * from->space.size);
    }
    sl_keys_end(&w);
    merge_histories(into, from, &before);
    into->state.t += from->state.t;
    into->mistakes += from->mistakes;
    into->updates += from->updates;
    into->positives += from->positives;
    into->broken |= from->broken;
    return into->broken ? sl_fail(err, SLUICE_E_NUMERIC, "the merged model has left the range of numbers") : SLUICE_OK;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static uint64_t count_nonzeros(const sluice_model *m) {
    sl_state s = m->state;
    s.features = m->space.features;
    uint64_t nonzeros = 0, cursor = 0;
    uint32_t slot[SL_CHUNK];
    float value[SL_CHUNK];
    for (size_t n; (n = sl_space_chunk(&m->space, &cursor, slot));) {
        m->kernels.weights(&s, slot, n, value);
        for (size_t k = 0; k < n; k++) nonzeros += value[k] != 0;
    }
    return nonzeros;
}

void sluice_model_describe(const sluice_model *m, sluice_model_facts *facts) {
    sluice_model_facts all = {
        .size = facts->size,
        .learner = &m->learner->info,
        .is_final = m->rule == &sl_predict_only,
        .examples = m->state.t,
        .mistakes = m->mistakes,
        .updates = m->updates,
        .positives = m->positives,
        .features_seen = m->space.seen,
        .nonzeros = count_nonzeros(m),
        .settings = m->settings,
        .has_names = m->named,
        .evicted = m->limit.evicted,
        .refused = m->limit.refused,
        .waiting = sluice_model_waiting(m),
        .calibration = sluice_model_calibration(m),
        .log_odds = m->learner->has_probability && m->learner->has_probability(m->params),
    };
    memcpy(facts, &all, facts->size < sizeof all ? facts->size : sizeof all);
}

sluice_status sluice_model_remember(sluice_model *m, const sluice_settings *given) {
    sluice_settings s = m->settings;
    size_t first = offsetof(sluice_settings, ngrams);
    if (given->size > first) memcpy((char *)&s + first, (const char *)given + first, given->size - first);
    sluice_status status = sl_settings_check(&s, &m->error);
    if (status == SLUICE_OK) m->settings = s;
    return status;
}

const sluice_settings *sluice_model_settings(const sluice_model *m) { return &m->settings; }

size_t sluice_model_growth(const sluice_model *m, uint64_t *seen, size_t room) {
    size_t n = 0;
    for (; n < room && n < 64 && m->growth[n]; n++) seen[n] = m->growth[n] - 1;
    return n;
}

double sluice_model_param(const sluice_model *m, size_t i) {
    return i < m->learner->info.n_params ? m->params[i] : NAN;
}
