#include "tune.h"

#include "message.h"
#include "pieces.h"
#include "runs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const tune_measure_names[] = {"error", "balanced", "auc", "f1", "cost", NULL};
const tune_measure tune_measures[] = {
    {"error_rate", offsetof(sluice_measures, error_rate), 0},
    {"balanced_accuracy", offsetof(sluice_measures, balanced_accuracy), 1},
    {"auc", offsetof(sluice_measures, auc), 1},
    {"f1", offsetof(sluice_measures, f1), 1},
    {"cost", offsetof(sluice_measures, cost), 0},
};

/* One model: a point without one fold. */
typedef struct fold_run {
    sluice_measures test;
    uint64_t examples, mistakes, nonzeros;
    double sparsity, seconds;
    int failed;
    char *failure; /* why; NULL where memory is short even for that */
} fold_run;

/* All models of one learner. */
typedef struct work {
    const tuning *t;
    point *points;
    fold_run *runs; /* of all points, fold by fold */
    pthread_mutex_t lock;
    progress live;
    uint64_t done, total;
} work;

static double figure(const sluice_measures *m, size_t offset) {
    double x;
    memcpy(&x, (const char *)m + offset, sizeof x);
    return x;
}

static sluice_status learn_and_measure(const tuning *t, const point *p, size_t fold, fold_run *run, sluice_error *err) {
    const sluice_batch *held_out = t->folds.parts[fold];
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model *model = recipe_model(&p->recipe, NULL, err);
    if (!model) return err->status;
    sluice_model_set_threads(model, t->threads);
    sluice_status status = learn_held(&model, t->folds.parts, t->folds.n, held_out, t->passes, err);
    if (status == SLUICE_OK) status = measure_held(model, held_out, &t->how, &run->test, err);
    if (status == SLUICE_OK) {
        sluice_model_describe(model, &facts);
        run->examples = facts.examples;
        run->mistakes = facts.mistakes;
        run->nonzeros = facts.nonzeros;
        run->sparsity = sparsity(facts.nonzeros, facts.features_seen);
    }
    sluice_model_free(model);
    return status;
}

static void do_run(void *context, size_t i) {
    work *w = context;
    size_t folds = w->t->folds.n;
    fold_run *run = &w->runs[i];
    sluice_error err = {0};
    double started = now_seconds();
    run->failed = learn_and_measure(w->t, &w->points[i / folds], i % folds, run, &err) != SLUICE_OK;
    if (run->failed) run->failure = strdup(err.message);
    run->seconds = now_seconds() - started;
    pthread_mutex_lock(&w->lock);
    progress_pieces(&w->live, ++w->done, w->total, "models");
    pthread_mutex_unlock(&w->lock);
}

/* ---- over the folds ---------------------------------------------------------------------------------------------- */

/* The mean of the values that exist, and their sample deviation; NaN where there are too few. */
static double mean_of(const double *x, size_t n, double *deviation) {
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) sum += x[i], count++;
    double mean = count ? sum / (double)count : NAN;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) squares += (x[i] - mean) * (x[i] - mean);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    return mean;
}

static const size_t figures[] = {
    offsetof(sluice_measures, error_rate),  offsetof(sluice_measures, accuracy),
    offsetof(sluice_measures, sensitivity), offsetof(sluice_measures, specificity),
    offsetof(sluice_measures, sum),         offsetof(sluice_measures, balanced_accuracy),
    offsetof(sluice_measures, cost),        offsetof(sluice_measures, precision),
    offsetof(sluice_measures, recall),      offsetof(sluice_measures, f1),
    offsetof(sluice_measures, auc),         offsetof(sluice_measures, hinge_loss),
    offsetof(sluice_measures, log_loss),
};

static void sum_counts(point *p, const fold_run *run) {
    const sluice_measures *m = &run->test;
    p->test.examples += m->examples;
    p->test.mistakes += m->mistakes;
    p->test.true_pos += m->true_pos;
    p->test.false_pos += m->false_pos;
    p->test.true_neg += m->true_neg;
    p->test.false_neg += m->false_neg;
    p->examples += run->examples;
    p->mistakes += run->mistakes;
}

/* Makes the result of a point from those of its folds. */
static int sum_up(const tuning *t, const fold_run *runs, point *p) {
    size_t n = t->folds.n;
    double *x = p->folds = calloc(n, sizeof *x), unused;
    if (!x) return out_of_memory();
    for (size_t i = 0; i < n; i++) p->seconds += runs[i].seconds;
    for (size_t i = 0; i < n && !p->failure; i++)
        if (runs[i].failed && !(p->failure = strdup(runs[i].failure ? runs[i].failure : "out of memory")))
            return out_of_memory();
    if (p->failure) return DONE;
    for (size_t i = 0; i < n; i++) sum_counts(p, &runs[i]);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, figures[k]);
        double mean = mean_of(x, n, &unused);
        memcpy((char *)&p->test + figures[k], &mean, sizeof mean);
    }
    for (size_t i = 0; i < n; i++) x[i] = (double)runs[i].nonzeros;
    p->nonzeros = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = runs[i].sparsity;
    p->sparsity = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, t->measure->offset);
    p->mean = mean_of(x, n, &p->deviation);
    return DONE;
}

/* ---- which is best ----------------------------------------------------------------------------------------------- */

/* The smaller the better. Sums of the same numbers in another order are the same: their last digits do not count. */
static double rank_key(const point *p, int more) {
    if (p->failure) return INFINITY;
    if (isnan(p->mean)) return 1e300;
    double key = round(p->mean * 1e12) / 1e12;
    return more ? -key : key;
}

static int compare(const point *a, const point *b, int more) {
    double x = rank_key(a, more), y = rank_key(b, more);
    if (x != y) return x < y ? -1 : 1;
    if (a->nonzeros != b->nonzeros) return a->nonzeros < b->nonzeros ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int less_first(const void *a, const void *b) { return compare(a, b, 0); }
static int more_first(const void *a, const void *b) { return compare(a, b, 1); }

static void warn_failures(const tuning *t) {
    size_t failed = 0, n = t->list.n_points;
    for (size_t i = 0; i < n; i++) failed += t->list.points[i].failure != NULL;
    if (!failed) return;
    const char *first = t->list.points[n - failed].failure; /* they are sorted last */
    if (failed == n)
        complain("all %zu points failed; the first: %s", n, first);
    else if (!t->quiet)
        warning("%zu of %zu points failed; the first: %s", failed, n, first);
}

int tune(tuning *t) {
    search_list *l = &t->list;
    size_t folds = t->folds.n, total = l->n_points * folds;
    work w = {.t = t, .total = total, .live = progress_start(t->quiet, 1, 0)};
    fold_run *runs = calloc(total, sizeof *runs);
    if (!runs) return out_of_memory();
    pthread_mutex_init(&w.lock, NULL);
    for (size_t i = 0; i < l->n; i++) {
        const search *s = &l->searches[i];
        /* batches are learned with all threads, and each is another copy of the examples: one after the other */
        int batches = s->learner->flags & SLUICE_LEARNER_BATCH;
        w.points = l->points + s->first;
        w.runs = runs + s->first * folds;
        in_parallel(s->n * folds, batches ? 1 : t->threads, do_run, &w);
    }
    progress_clear(&w.live);
    pthread_mutex_destroy(&w.lock);
    int rc = DONE;
    for (size_t i = 0; i < l->n_points && !rc; i++) rc = sum_up(t, runs + i * folds, &l->points[i]);
    for (size_t i = 0; i < total; i++) free(runs[i].failure);
    free(runs);
    if (rc) return rc;
    qsort(l->points, l->n_points, sizeof *l->points, t->measure->more ? more_first : less_first);
    warn_failures(t);
    return l->points[0].failure ? FAILED : DONE;
}
