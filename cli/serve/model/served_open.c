/* Opens a model to serve, puts another one in its place, and closes it. */
#include "serve/model/served_parts.h"

#include "output/message.h"
#include "output/progress.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char label_key[] = "serve.labels";

uint64_t examples_of(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    return facts.examples;
}

sluice_status served_fail(sluice_error *err, sluice_status status, const char *format, ...) {
    va_list values;
    *err = (sluice_error){.status = status};
    va_start(values, format);
    vsnprintf(err->message, sizeof err->message, format, values);
    va_end(values);
    return status;
}

/* ---- what goes with a model -------------------------------------------------------------------------------------- */

static void reading_free(model_reading *r) {
    if (!r) return;
    costs_free(&r->costs);
    free(r);
}

/* The format is settled: what clients send is not looked at to choose one, nor unpacked. */
static void settle_format(sluice_reader_options *o, const reader_settings *kept) {
    if (!o->format) o->format = *kept->format ? kept->format : "libsvm";
    o->as_is = 1;
}

static int make_reading(const served_model *m, const sluice_model *model, model_reading **made) {
    static _Atomic uint64_t numbers;
    const args *a = m->settings.a;
    model_reading *r = *made = calloc(1, sizeof *r);
    if (!r) return out_of_memory();
    r->number = atomic_fetch_add(&numbers, 1) + 1;
    int rc = costs_from_args(a, model, &r->costs);
    r->topics = m->settings.reading;
    r->topics.names_must_exist = 0; /* of a stream: a request need not have all columns */
    if (!rc) rc = input_for_model(&r->topics, model, &r->kept);
    r->predict = r->topics;
    r->predict.threads = 1;
    r->predict.skip_errors = 0;
    settle_format(&r->predict, &r->kept);
    r->topics.words = 1;
    r->topics = costs_reading(&r->costs, &r->topics);
    r->learn = r->predict;
    r->learn.words = 1;
    r->learn = costs_reading(&r->costs, &r->learn);
    r->predict.unlabelled = r->predict.every_line = 1;
    return rc;
}

/* All else in a reading is the same for all models that are served under one name. */
static int are_alike(const model_reading *a, const model_reading *b) {
    const reader_settings *x = &a->kept, *y = &b->kept;
    return text_settings_equal(&x->text, &y->text) && column_settings_equal(&x->columns, &y->columns) &&
           x->no_header == y->no_header && strcmp(x->format, y->format) == 0 && strcmp(x->label, y->label) == 0 &&
           strcmp(x->weight, y->weight) == 0 && strcmp(x->quadratic, y->quadratic) == 0 &&
           costs_equal(&a->costs, &b->costs);
}

/* Reads as this one says from now on, or as an earlier one that is like it: models that are loaded again and again add
 * nothing. */
static void take_reading(served_model *m, model_reading *reading) {
    model_reading *old = m->readings;
    while (old && !are_alike(old, reading)) old = old->older;
    if (old) {
        reading_free(reading);
        reading = old;
    } else {
        reading->older = m->readings;
        m->readings = reading;
    }
    atomic_store_explicit(&m->reading, reading, memory_order_release);
}

const model_reading *served_reading(const served_model *m) {
    return atomic_load_explicit(&m->reading, memory_order_acquire);
}

sluice_reader_options reading_options(const model_reading *r, const char *format, int to_learn) {
    sluice_reader_options o = to_learn ? r->learn : r->predict;
    if (format) o.format = format;
    return o;
}

static int make_meter(served_model *m, const sluice_model *model, sluice_drift *drift, sluice_meter **meter) {
    sluice_error err = {0};
    sluice_meter_options how = {.size = sizeof how};
    sluice_meter_defaults(model, &how); /* it fails for a wrong size alone */
    how.drift = drift;
    how.prediction = served_told;
    how.context = &m->told;
    *meter = sluice_meter_new(&how, &err);
    return *meter ? DONE : complain_error(&err);
}

static learned_labels labels_of(const sluice_model *model) {
    const char *text = sluice_model_metadata(model, label_key, NULL);
    char *end = NULL;
    const uint64_t first = text ? strtoull(text, &end, 10) : 0;
    if (!text || *end != ' ') return (learned_labels){.number = first}; /* as it was kept without the store */
    return (learned_labels){first, strtoull(end, NULL, 10)};
}

/* What a model that is put in the place of another has learned of the labels. Those of another server's store say
 * nothing about this one's; without a store they are kept as they are. */
static void take_labels(served_model *m, const sluice_model *model) {
    const learned_labels has = labels_of(model);
    if (has.store == m->labels.store || !has.store) {
        if (has.number > m->labels.number) m->labels.number = has.number;
    } else if (!m->has_store) {
        m->labels = has;
    }
}

void served_take_labels_of(served_model *m, uint64_t store) {
    if (m->labels.store && m->labels.store != store) m->labels.number = 0;
    m->labels.store = store;
    m->has_store = 1;
    atomic_store(&m->saved_label, m->labels.number);
}

/* What only a model that learns has. */
static int prepare_learning(served_model *m, sluice_model *model, drift_watch *drift) {
    const args *a = m->settings.a;
    int rc = drift_options(a, drift);
    if (!rc && drift->drift) rc = drift_start(a, drift, model);
    if (!rc) rc = remember_input(a, model, m->settings.reading.format);
    return rc;
}

/* Alarms of the model that goes count on. */
static void end_watch(served_model *m) {
    sluice_drift_figures f = drift_figures(&m->drift);
    if (m->drift.drift) m->alarms_done += f.alarms;
    drift_free(&m->drift);
}

int served_adopt(served_model *m, sluice_model *model) {
    const int learns = m->file != NULL;
    drift_watch drift = {.drift = NULL};
    model_reading *reading = NULL;
    sluice_meter *meter = NULL;
    int rc = learns ? prepare_learning(m, model, &drift) : DONE;
    if (!rc) rc = make_reading(m, model, &reading);
    if (!rc && learns) rc = costs_remember(&reading->costs, model);
    if (!rc && learns) rc = make_meter(m, model, drift.drift, &meter);
    if (rc) {
        drift_free(&drift);
        reading_free(reading);
        return rc;
    }
    if (m->model) end_watch(m);
    sluice_meter_free(m->meter); /* which points to the model */
    sluice_model_free(m->model);
    m->model = model;
    m->meter = meter;
    m->drift = drift;
    m->broken = 0;
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    m->knows_negative = facts.examples > facts.positives;
    take_labels(m, model);
    take_reading(m, reading);
    atomic_store(&m->version, facts.examples);
    m->changes++;
    return DONE;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The file's path with links resolved, as saving replaces what they lead to; it need not exist. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    return resolved ? resolved : strdup(path);
}

static int exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 || errno != ENOENT;
}

/* The reason stays where it is: others may be reading the last one. */
static void cannot_learn(served_model *m, const char *why) {
    snprintf(m->cannot_learn_text, sizeof m->cannot_learn_text, "%s", why);
    atomic_store_explicit(&m->cannot_learn, m->cannot_learn_text, memory_order_release);
}

static int lock_file(served_model *m) {
    sluice_error err = {0};
    m->file = sluice_model_file_open(m->path, &err);
    if (!m->file) return complain_error(&err);
    if (!sluice_model_file_is_regular(m->file)) {
        complain("%s is no regular file: a model that is served is saved again and again", m->path);
        return FAILED;
    }
    if (!sluice_model_file_locked(m->file))
        warning("%s: its file system has no locks: a second run that writes this model would not be noticed", m->path);
    served_mend_kept(m);
    return DONE;
}

static int is_predict_only(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    return facts.is_final;
}

static int load(served_model *m, sluice_model **model) {
    sluice_error err = {0};
    *model = sluice_model_load(m->path, &err);
    if (!*model) return complain_error(&err);
    sluice_model_set_threads(*model, m->settings.a->threads);
    return DONE;
}

/* Loads or makes the model. Where it is to learn its file is locked before it is read. */
static int get_model(served_model *m, sluice_model **model) {
    int rc = m->settings.learns ? lock_file(m) : DONE;
    *model = NULL;
    if (rc) return rc;
    if (!m->settings.learns || exists(m->path)) {
        rc = load(m, model);
        m->figures.file_examples_before = *model ? examples_of(*model) : 0;
        m->saved_examples = 0;
        atomic_store(&m->saved_version, m->figures.file_examples_before);
    } else {
        note("%s: there is no file %s; a new model begins", m->name, m->path);
        rc = model_from_args(m->settings.a, model);
    }
    if (rc) return rc;
    if (is_predict_only(*model)) {
        cannot_learn(m, "it is predict-only (train --final)");
        sluice_model_file_close(m->file);
        m->file = NULL;
    } else if (!m->settings.learns) {
        cannot_learn(m, "it is served with --no-learning");
    }
    return DONE;
}

static int open_model(served_model *m) {
    sluice_model *model;
    sluice_error err = {0};
    int rc = get_model(m, &model);
    if (!rc) rc = served_adopt(m, model);
    if (rc) {
        sluice_model_free(model);
        return rc;
    }
    m->saved_changes = m->changes;
    m->saved_at = now_seconds();
    atomic_store(&m->saved_label, m->labels.number);
    if (served_publish(m, &err) != SLUICE_OK) return complain_error(&err);
    served_update_figures(m);
    return DONE;
}

int served_open(const char *name, const char *file, const served_settings *settings, served_model **opened) {
    served_model *m = *opened = aligned_alloc(CACHE_LINE, sizeof *m);
    if (!m) return out_of_memory();
    memset(m, 0, sizeof *m);
    m->settings = *settings;
    if (settings->kafka) m->topics = *settings->kafka;
    m->name = strdup(name);
    m->path = resolve(file);
    served_shown_init(m);
    pthread_mutex_init(&m->figures_lock, NULL);
    m->figures = (served_figures){.error_rate = NAN, .window_error = NAN, .fading_error = NAN};
    served_queue_init(m);
    int rc = m->name && m->path ? open_model(m) : out_of_memory();
    if (!rc) return DONE;
    served_close(m);
    *opened = NULL;
    return rc;
}

int served_start(served_model *m) {
    int rc = m->topics.brokers && m->file ? served_topics_open(m) : DONE;
    if (rc) return rc;
    sigset_t all, before; /* signals are for the main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    m->runs = pthread_create(&m->thread, NULL, served_learner, m) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (m->runs) return DONE;
    complain("%s: no thread to learn with", m->name);
    return FAILED;
}

/* Jobs of a model whose thread was never started. */
static void drop_jobs(served_model *m) {
    for (job *j; (j = served_next_job(m));) {
        j->learned = 0;
        j->status = served_fail(&j->error, SLUICE_E_CANCELLED, "the server ends: it learns no more");
        served_finish_job(m, j);
    }
}

int served_stop(served_model *m) {
    pthread_mutex_lock(&m->lock);
    m->closed = 1;
    pthread_mutex_unlock(&m->lock);
    if (!m->runs) {
        drop_jobs(m);
        return DONE;
    }
    served_wake(m);
    pthread_join(m->thread, NULL);
    m->runs = 0;
    return m->rc;
}

void served_close(served_model *m) {
    if (!m) return;
    served_stop(m);
    served_topics_close(m);
    served_free_snapshots(m);
    drift_free(&m->drift);
    sluice_meter_free(m->meter);
    sluice_model_free(m->model);
    sluice_model_file_close(m->file);
    for (model_reading *r = m->readings, *older; r; r = older) {
        older = r->older;
        reading_free(r);
    }
    served_shown_free(m);
    served_queue_free(m);
    pthread_mutex_destroy(&m->figures_lock);
    free(m->name);
    free(m->path);
    free(m);
}

const char *served_name(const served_model *m) { return m->name; }

const char *served_cannot_learn(const served_model *m) {
    return atomic_load_explicit(&m->cannot_learn, memory_order_acquire);
}

uint64_t served_saved_label(const served_model *m) { return atomic_load(&m->saved_label); }
