/* A learner with a parameter `features` keeps to the budget itself: one model per budget. For any other, one model of
 * all features ranks them by |weight|, and a second one learns from the best of them alone: the first with its other
 * weights cut off would be a worse classifier than the features allow. */
#include "select/select_report.h"

#include "output/message.h"
#include "rows/pieces.h"
#include "output/progress.h"
#include "output/weights.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Features by falling |weight|, without the bias. */
typedef struct ranking {
    sluice_weight *features;
    size_t n;
} ranking;

int has_budget_param(const sluice_learner_info *learner) {
    for (size_t i = 0; i < learner->n_params; i++)
        if (strcmp(learner->params[i].name, BUDGET_PARAM) == 0) return 1;
    return 0;
}

static sluice_model *fresh_model(const selection *s, const char *more, sluice_error *err) {
    sluice_model *model = recipe_model(&s->recipe, more, err);
    if (model) sluice_model_set_threads(model, s->threads);
    return model;
}

sluice_model *budget_model(const selection *s, const budget *b, sluice_error *err) {
    char param[sizeof BUDGET_PARAM + 24];
    snprintf(param, sizeof param, BUDGET_PARAM "=%" PRIu64, b->features);
    return fresh_model(s, has_budget_param(s->recipe.learner) ? param : NULL, err);
}

/* The models know names by their numbers alone, which is quicker; here they come back. */
static sluice_status rank_features(const sluice_model *model, const dataset *d, ranking *r, sluice_error *err) {
    size_t n;
    sluice_status status = sluice_model_weights(model, &r->features, &n, err);
    if (status != SLUICE_OK) return status;
    for (size_t i = 0; i < n; i++) {
        sluice_weight w = r->features[i];
        if (w.is_bias) continue;
        if (d->names) w.name = sluice_names_name(d->names, w.id);
        r->features[r->n++] = w;
    }
    bring_heaviest(r->features, r->n, r->n);
    return SLUICE_OK;
}

static int by_id(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static sluice_status choose(budget *b, const ranking *r, sluice_error *err) {
    b->n = r->n < b->features ? r->n : (size_t)b->features;
    b->chosen = calloc(b->n + 1, sizeof *b->chosen);
    b->ids = calloc(b->n + 1, sizeof *b->ids);
    if (!b->chosen || !b->ids) return no_memory(err);
    for (size_t i = 0; i < b->n; i++) {
        b->chosen[i] = (chosen_feature){r->features[i], fabsf(r->features[i].weight)};
        b->ids[i] = r->features[i].id;
    }
    qsort(b->ids, b->n, sizeof *b->ids, by_id);
    return SLUICE_OK;
}

static int weight_by_id(const void *key, const void *element) {
    uint64_t id = *(const uint64_t *)key;
    const sluice_weight *w = element;
    if (w->is_bias) return 1; /* it stands first */
    return id < w->id ? -1 : id > w->id;
}

/* The chosen features get the weights that this model gives them. */
static sluice_status weigh(budget *b, const sluice_model *model, sluice_error *err) {
    sluice_weight *weights;
    size_t n;
    sluice_status status = sluice_model_weights(model, &weights, &n, err);
    if (status != SLUICE_OK) return status;
    for (size_t i = 0; i < b->n; i++) {
        sluice_weight *f = &b->chosen[i].feature;
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
    return measure_held(model, &facts, rows, &plainly, &b->test, err);
}

/* The learner chooses by itself. */
static sluice_status learn_within(const selection *s, budget *b, sluice_model **model, sluice_error *err) {
    ranking r = {0};
    sluice_status status = learn_held(model, &s->learned, 1, NULL, s->passes, err);
    if (status == SLUICE_OK) status = rank_features(*model, &s->data, &r, err);
    if (status == SLUICE_OK) status = choose(b, &r, err);
    sluice_free(r.features);
    return status == SLUICE_OK ? measure(*model, s->tested, b, err) : status;
}

/* The best of the ranking are learned anew; what is measured on has no more features than what was learned from. */
static sluice_status learn_best(const selection *s, const ranking *r, budget *b, sluice_model **model,
                                sluice_error *err) {
    sluice_batch *learned = NULL, *tested = NULL;
    sluice_status status = choose(b, r, err);
    if (status == SLUICE_OK && !(learned = restrict_batch(s->learned, b->ids, b->n, err))) status = err->status;
    if (status == SLUICE_OK && !(tested = restrict_batch(s->tested, b->ids, b->n, err))) status = err->status;
    if (status == SLUICE_OK) status = learn_held(model, &learned, 1, NULL, s->passes, err);
    if (status == SLUICE_OK) status = weigh(b, *model, err);
    if (status == SLUICE_OK) status = measure(*model, tested, b, err);
    sluice_batch_free(learned);
    sluice_batch_free(tested);
    return status;
}

typedef struct work {
    selection *s;
    const ranking *ranked; /* NULL: the learner keeps to the budget */
    pthread_mutex_t lock;
    progress live;
    uint64_t done, total;
} work;

static void one_done(work *w) {
    pthread_mutex_lock(&w->lock);
    progress_pieces(&w->live, ++w->done, w->total, "models");
    pthread_mutex_unlock(&w->lock);
}

static void do_budget(void *context, size_t i) {
    work *w = context;
    budget *b = &w->s->budgets[i];
    double started = now_seconds();
    sluice_model *model = budget_model(w->s, b, &b->error);
    if (model && w->ranked)
        learn_best(w->s, w->ranked, b, &model, &b->error);
    else if (model)
        learn_within(w->s, b, &model, &b->error);
    sluice_model_free(model);
    b->seconds = now_seconds() - started;
    one_done(w);
}

static sluice_status rank_all(const selection *s, ranking *r, sluice_error *err) {
    sluice_model *model = fresh_model(s, NULL, err);
    if (!model) return err->status;
    sluice_status status = learn_held(&model, &s->learned, 1, NULL, s->passes, err);
    if (status == SLUICE_OK) status = rank_features(model, &s->data, r, err);
    sluice_model_free(model);
    return status;
}

int select_features(selection *s) {
    sluice_error err = {0};
    ranking all = {0};
    work w = {.s = s, .live = progress_start(s->quiet, 1, 0), .total = s->n};
    if (!has_budget_param(s->recipe.learner)) {
        w.total++;
        if (rank_all(s, &all, &err) != SLUICE_OK) return complain_error(&err);
        w.ranked = &all;
    }
    pthread_mutex_init(&w.lock, NULL);
    if (w.ranked) one_done(&w);
    /* batches are learned with all threads, and each is another copy of the examples: one after the other */
    int batches = s->recipe.learner->flags & SLUICE_LEARNER_BATCH;
    in_parallel(s->n, batches ? 1 : s->threads, do_budget, &w);
    progress_clear(&w.live);
    pthread_mutex_destroy(&w.lock);
    sluice_free(all.features);
    for (size_t i = 0; i < s->n; i++)
        if (s->budgets[i].error.status != SLUICE_OK) return complain_error(&s->budgets[i].error);
    return DONE;
}

uint64_t chosen_since(const selection *s, uint64_t id) {
    uint64_t since = 0;
    for (size_t i = s->n; i-- > 0 && has_id(s->budgets[i].ids, s->budgets[i].n, id);) since = s->budgets[i].features;
    return since;
}

void selection_free(selection *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->budgets[i].chosen);
        free(s->budgets[i].ids);
    }
    free(s->budgets);
    sluice_batch_free(s->learned);
    sluice_batch_free(s->tested);
    dataset_free(&s->data);
    recipe_free(&s->recipe);
}
