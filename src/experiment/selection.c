/* Feature selection: for every budget the features chosen, and how good a model of them is.
 *
 * A learner with a parameter `features` keeps to the budget itself: one model per budget. For any other, one model of
 * all features ranks them by |weight| times the root mean square of the feature, what it adds to a margin (by |weight|
 * alone rare features would win), and a second one learns from the best of them alone: the first with its other weights
 * cut off would be a worse classifier than the features allow. */
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/thread_team.h"
#include "experiment/dataset.h"
#include "experiment/feature_sizes.h"
#include "experiment/row_sets.h"
#include "experiment/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET_PARAM "features"

typedef struct budget {
    sluice_budget shown;
    sluice_weight *chosen;
    float *scores;
    uint64_t *ids; /* of the chosen, ascending */
    sluice_measures test;
    sluice_error error;
} budget;

struct sluice_selection {
    budget *budgets; /* ascending */
    size_t n;
};

/* Features by falling |weight|, without the bias. In the ranking of all, weights are multiplied by root mean squares.
 */
typedef struct ranking {
    sluice_weight *features;
    size_t n;
} ranking;

typedef struct work {
    sluice_select_options o;
    const sluice_learner_info *learner;
    sluice_settings settings;
    int has_budget;               /* the learner keeps to the budget itself */
    sluice_batch *const *learned; /* an array of one */
    const sluice_batch *tested;
    sluice_selection *result;
    ranking ranked;
    sl_task task;
} work;

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* A model that has learned nothing, with one more parameter unless `more` is NULL. */
static sluice_model *fresh_model(const work *w, const char *more, sluice_error *err) {
    size_t n = w->o.n_params;
    const char **params = calloc(n + 1, sizeof *params);
    if (!params) {
        sl_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) params[i] = w->o.params[i];
    if (more) params[n++] = more;
    sluice_model *model = sluice_model_new(w->learner->name, params, n, w->o.settings, err);
    free(params);
    if (!model) return NULL;
    sluice_model_set_threads(model, w->o.threads);
    if (sl_give_classes(model, w->o.classes, err) == SLUICE_OK) return model;
    sluice_model_free(model);
    return NULL;
}

static sluice_model *budget_model(const work *w, uint64_t features, sluice_error *err) {
    char param[sizeof BUDGET_PARAM + 24];
    snprintf(param, sizeof param, BUDGET_PARAM "=%" PRIu64, features);
    return fresh_model(w, w->has_budget ? param : NULL, err);
}

/* Of several classes the heaviest weight of each feature. */
typedef struct heaviest {
    sluice_weight *weights;
    size_t n, room;
} heaviest;

static int take_weight(void *context, size_t problem, const sluice_weight *w) {
    heaviest *h = context;
    (void)problem;
    if (h->n == h->room) {
        const size_t room = h->room ? h->room * 2 : 1024;
        sluice_weight *larger = realloc(h->weights, room * sizeof *larger);
        if (!larger) return 1;
        h->weights = larger;
        h->room = room;
    }
    h->weights[h->n++] = *w;
    return 0;
}

/* The bias first; of each feature the heaviest weight first, of the first problem that has it. */
static int by_feature(const void *left, const void *right) {
    const sluice_weight *a = left, *b = right;
    if (a->is_bias != b->is_bias) return a->is_bias ? -1 : 1;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    const float x = fabsf(a->weight), y = fabsf(b->weight);
    if (x != y) return x > y ? -1 : 1;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* The weights of a model by feature: of several classes the heaviest of each. */
static sluice_status weights_of(const sluice_model *model, sluice_weight **weights, size_t *n, sluice_error *err) {
    if (!sluice_model_settings(model)->classes) return sluice_model_weights(model, weights, n, err);
    heaviest h = {0};
    *n = 0;
    *weights = NULL;
    sluice_status status = sluice_model_each_weight(model, take_weight, &h, err);
    if (status != SLUICE_OK) {
        free(h.weights);
        return status == SLUICE_E_CANCELLED ? sl_no_memory(err) : status;
    }
    if (h.n) qsort(h.weights, h.n, sizeof *h.weights, by_feature);
    for (size_t i = 0; i < h.n; i++) {
        const sluice_weight *last = *n ? &h.weights[*n - 1] : NULL;
        if (last && last->id == h.weights[i].id && last->is_bias == h.weights[i].is_bias) continue;
        h.weights[(*n)++] = h.weights[i];
    }
    *weights = h.weights;
    return SLUICE_OK;
}

/* The models know names by their numbers, which is faster; here they are names again. `sizes` may be NULL. */
static sluice_status rank_features(const work *w, const sluice_model *model, const sl_feature_sizes *sizes, ranking *r,
                                   sluice_error *err) {
    size_t n;
    sluice_status status = weights_of(model, &r->features, &n, err);
    if (status != SLUICE_OK) return status;
    for (size_t i = 0; i < n; i++) {
        sluice_weight f = r->features[i];
        if (f.is_bias) continue;
        if (sizes) f.weight = (float)(f.weight * sl_feature_size(sizes, f.id));
        if (w->o.names) f.name = sluice_names_name(w->o.names, f.id);
        r->features[r->n++] = f;
    }
    sluice_weights_heaviest(r->features, r->n, r->n);
    return SLUICE_OK;
}

/* ---- one budget -------------------------------------------------------------------------------------------------- */

static int by_id(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static sluice_status choose(budget *b, const ranking *r, sluice_error *err) {
    size_t n = r->n < b->shown.features ? r->n : (size_t)b->shown.features;
    b->chosen = calloc(n + 1, sizeof *b->chosen);
    b->scores = calloc(n + 1, sizeof *b->scores);
    b->ids = calloc(n + 1, sizeof *b->ids);
    if (!b->chosen || !b->scores || !b->ids) return sl_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        b->chosen[i] = r->features[i];
        b->scores[i] = fabsf(r->features[i].weight);
        b->ids[i] = r->features[i].id;
    }
    qsort(b->ids, n, sizeof *b->ids, by_id);
    b->shown.n = n;
    b->shown.chosen = b->chosen;
    b->shown.scores = b->scores;
    return SLUICE_OK;
}

static int weight_by_id(const void *key, const void *element) {
    uint64_t id = *(const uint64_t *)key;
    const sluice_weight *w = element;
    if (w->is_bias) return 1; /* it is the first */
    return id < w->id ? -1 : id > w->id;
}

/* The chosen features get the weights that this model gives them. */
static sluice_status weigh(budget *b, const sluice_model *model, sluice_error *err) {
    sluice_weight *weights;
    size_t n;
    sluice_status status = weights_of(model, &weights, &n, err);
    if (status != SLUICE_OK) return status;
    for (size_t i = 0; i < b->shown.n; i++) {
        sluice_weight *f = &b->chosen[i];
        const sluice_weight *w = n ? bsearch(&f->id, weights, n, sizeof *weights, weight_by_id) : NULL;
        f->weight = w ? w->weight : 0;
    }
    sluice_free(weights);
    return SLUICE_OK;
}

static sluice_status measure(const sluice_model *model, const sluice_batch *rows, budget *b, sluice_error *err) {
    static const sluice_meter_options plainly = {.size = sizeof plainly};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    return sl_measure(model, &facts, rows, &plainly, &b->test, err);
}

/* The learner chooses by itself. */
static sluice_status learn_within(work *w, budget *b, sluice_model **model, sluice_error *err) {
    ranking r = {0};
    sluice_status status = sl_learn_batches(model, w->learned, 1, NULL, w->o.passes, NULL, &w->task, err);
    if (status == SLUICE_OK) status = rank_features(w, *model, NULL, &r, err);
    if (status == SLUICE_OK) status = choose(b, &r, err);
    sluice_free(r.features);
    return status == SLUICE_OK ? measure(*model, w->tested, b, err) : status;
}

/* A new model learns from the best of the ranking and is measured on the same features. */
static sluice_status learn_best(work *w, budget *b, sluice_model **model, sluice_error *err) {
    sluice_batch *learned = NULL, *tested = NULL;
    sluice_status status = choose(b, &w->ranked, err);
    size_t n = b->shown.n;
    if (status == SLUICE_OK && !(learned = sl_restrict_batch(*w->learned, b->ids, n, err))) status = err->status;
    if (status == SLUICE_OK && !(tested = sl_restrict_batch(w->tested, b->ids, n, err))) status = err->status;
    if (status == SLUICE_OK) status = sl_learn_batches(model, &learned, 1, NULL, w->o.passes, NULL, &w->task, err);
    if (status == SLUICE_OK) status = weigh(b, *model, err);
    if (status == SLUICE_OK) status = measure(*model, tested, b, err);
    sluice_batch_free(learned);
    sluice_batch_free(tested);
    return status;
}

static void do_budget(void *context, size_t i) {
    work *w = context;
    budget *b = &w->result->budgets[i];
    if (atomic_load(&w->task.cancelled)) return;
    double started = sl_seconds();
    sluice_model *model = budget_model(w, b->shown.features, &b->error);
    if (model && w->has_budget)
        learn_within(w, b, &model, &b->error);
    else if (model)
        learn_best(w, b, &model, &b->error);
    sluice_model_free(model);
    b->shown.seconds = sl_seconds() - started;
    sl_task_advance(&w->task, 1);
}

/* ---- all budgets ------------------------------------------------------------------------------------------------- */

static sluice_status rank_all(work *w, sluice_error *err) {
    sluice_model *model = fresh_model(w, NULL, err);
    if (!model) return err->status;
    sluice_status status = sl_learn_batches(&model, w->learned, 1, NULL, w->o.passes, NULL, &w->task, err);
    sl_feature_sizes *sizes = status == SLUICE_OK ? sl_feature_sizes_of(*w->learned, &w->settings, err) : NULL;
    if (status == SLUICE_OK) status = sizes ? rank_features(w, model, sizes, &w->ranked, err) : err->status;
    sl_feature_sizes_free(sizes);
    sluice_model_free(model);
    sl_task_advance(&w->task, 1);
    return status;
}

static sluice_status run(work *w, sluice_error *err) {
    sluice_selection *s = w->result;
    sluice_status status = SLUICE_OK;
    sl_task_begin(&w->task, w->o.progress, w->o.context, s->n + !w->has_budget);
    if (!w->has_budget) status = rank_all(w, err);
    /* a learner in batches uses all threads itself and each of its models holds a copy of the rows: one after the
     * other */
    unsigned threads = w->learner->flags & SLUICE_LEARNER_BATCH ? 1 : w->o.threads;
    if (status == SLUICE_OK) sl_parallel(threads, s->n, do_budget, w);
    for (size_t i = 0; i < s->n && status == SLUICE_OK; i++) {
        status = s->budgets[i].error.status;
        if (status != SLUICE_OK) *err = s->budgets[i].error;
    }
    sluice_free(w->ranked.features);
    sluice_status cancelled = sl_task_end(&w->task, err);
    return cancelled == SLUICE_OK ? status : cancelled;
}

static int by_size(const void *left, const void *right) {
    const budget *a = left, *b = right;
    return a->shown.features < b->shown.features ? -1 : a->shown.features > b->shown.features;
}

/* Ascending, each once. */
static sluice_status list_budgets(work *w, sluice_error *err) {
    sluice_selection *s = w->result;
    size_t n = w->o.n_budgets;
    s->budgets = calloc(n + 1, sizeof *s->budgets);
    if (!s->budgets) return sl_no_memory(err);
    for (size_t i = 0; i < n; i++) s->budgets[i].shown.features = w->o.budgets[i];
    qsort(s->budgets, n, sizeof *s->budgets, by_size);
    if (n && !s->budgets[0].shown.features) return sl_fail(err, SLUICE_E_USAGE, "a budget of 0 features");
    for (size_t i = 0; i < n; i++)
        if (!s->n || s->budgets[i].shown.features != s->budgets[s->n - 1].shown.features)
            s->budgets[s->n++].shown.features = s->budgets[i].shown.features;
    for (size_t i = 0; i < s->n; i++) {
        s->budgets[i].test.size = sizeof s->budgets[i].test;
        s->budgets[i].shown.test = &s->budgets[i].test;
    }
    return SLUICE_OK;
}

/* Features are chosen by their ids, which models with these settings do not keep apart, or keep as names. */
static sluice_status read_settings(work *w, sluice_error *err) {
    sluice_settings *s = &w->settings;
    s->size = sizeof *s;
    sluice_status status = sl_sized_read(s, sizeof *s, w->o.settings, "sluice_settings", err);
    if (status != SLUICE_OK) return status;
    if (s->hash_bits) return sl_fail(err, SLUICE_E_UNSUPPORTED, "features cannot be selected where they are hashed");
    if (s->max_features)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "features cannot be selected under a limit on features");
    return SLUICE_OK;
}

static sluice_status check(work *w, sluice_error *err) {
    const char *name = w->o.learner ? w->o.learner : "sbcw";
    w->learner = sluice_learner_find(name);
    if (!w->learner) return sl_fail(err, SLUICE_E_USAGE, "unknown learner '%s'", name);
    if (w->learner->flags & SLUICE_LEARNER_TUNES)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s chooses its learner itself; name one to select features with",
                       name);
    /* of several classes each problem would keep to a budget of its own */
    const bool many = w->o.settings && w->o.settings->classes != SLUICE_CLASSES_TWO;
    w->has_budget = !many && sluice_learner_param(w->learner, BUDGET_PARAM) != NULL;
    for (size_t i = 0; i < w->o.n_params && w->has_budget; i++)
        if (strncmp(w->o.params[i], BUDGET_PARAM "=", sizeof BUDGET_PARAM) == 0)
            return sl_fail(err, SLUICE_E_USAGE, "%s: the budgets set this parameter", w->o.params[i]);
    if (!w->o.n_budgets) return sl_fail(err, SLUICE_E_USAGE, "no budgets");
    if (sluice_batch_has_names(*w->learned) || sluice_batch_has_names(w->tested))
        return sl_fail(err, SLUICE_E_UNSUPPORTED,
                       "features are selected by ids: hold rows with names in a sluice_dataset, which numbers them");
    return read_settings(w, err);
}

sluice_selection *sluice_select(const sluice_batch *learn, const sluice_batch *test,
                                const sluice_select_options *options, sluice_error *err) {
    sluice_error unread;
    sluice_batch *learned[] = {(sluice_batch *)(uintptr_t)learn}; /* it is only read */
    work w = {.learned = learned, .tested = test, .o = {.size = sizeof w.o}};
    if (!err) err = &unread;
    if (sl_sized_read(&w.o, sizeof w.o, options, "sluice_select_options", err) != SLUICE_OK) return NULL;
    if (!w.o.passes) w.o.passes = 1;
    if (check(&w, err) != SLUICE_OK) return NULL;
    w.result = calloc(1, sizeof *w.result);
    if (!w.result) {
        sl_no_memory(err);
        return NULL;
    }
    sluice_status status = list_budgets(&w, err);
    if (status == SLUICE_OK) status = run(&w, err);
    if (status == SLUICE_OK) return w.result;
    sluice_selection_free(w.result);
    return NULL;
}

void sluice_selection_free(sluice_selection *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->budgets[i].chosen);
        free(s->budgets[i].scores);
        free(s->budgets[i].ids);
    }
    free(s->budgets);
    free(s);
}

size_t sluice_selection_count(const sluice_selection *s) { return s->n; }

const sluice_budget *sluice_selection_budget(const sluice_selection *s, size_t i) {
    return i < s->n ? &s->budgets[i].shown : NULL;
}

uint64_t sluice_selection_since(const sluice_selection *s, uint64_t id) {
    uint64_t since = 0;
    for (size_t i = s->n; i-- > 0;) {
        const budget *b = &s->budgets[i];
        if (!sl_has_id(b->ids, b->shown.n, id)) break;
        since = b->shown.features;
    }
    return since;
}
