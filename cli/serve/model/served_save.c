/* Checkpoints: the model's file, the ones before it, and going back to them. */
#include "serve/model/served_parts.h"

#include "output/message.h"
#include "output/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double again_seconds = 5; /* after a save that failed */

/* ---- kept checkpoints -------------------------------------------------------------------------------------------- */

/* FILE.1 is the checkpoint before FILE, FILE.2 the one before that. The file that a save replaces gets a second name
 * first, .FILE.sluice-kept; when it was replaced the others move up and it becomes FILE.1. Each step is a rename, so
 * that a process that ends anywhere between leaves whole files: the next one finishes what it finds. */
static char *kept_path(const served_model *m, unsigned i) {
    char *path = malloc(strlen(m->path) + 16);
    if (path) sprintf(path, "%s.%u", m->path, i);
    return path;
}

static char *waiting_path(const served_model *m) {
    const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;
    char *path = malloc(strlen(m->path) + 32);
    if (path) sprintf(path, "%.*s.%s.sluice-kept", (int)(name - m->path), m->path, name);
    return path;
}

static int is_there(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0;
}

/* Moves FILE.1 ... FILE.(hole - 1) up by one, the last ones first; what is FILE.hole goes. */
static void move_up(const served_model *m, unsigned hole) {
    for (unsigned i = hole; i > 1; i--) {
        char *from = kept_path(m, i - 1), *to = kept_path(m, i);
        if (from && to && is_there(from)) rename(from, to);
        free(from);
        free(to);
    }
}

/* The first number that no kept checkpoint has, at most `most`. */
static unsigned first_hole(const served_model *m, unsigned most) {
    unsigned i = 1;
    for (; i < most; i++) {
        char *path = kept_path(m, i);
        const int there = path && is_there(path);
        free(path);
        if (!there) break;
    }
    return i;
}

/* Gives the file of now a second name. Returns it, or NULL: there is no file yet, or none is kept. */
static char *keep_file(const served_model *m, sluice_error *err) {
    if (!m->settings.keep || !is_there(m->path)) return NULL;
    char *waiting = waiting_path(m);
    if (waiting) {
        unlink(waiting);
        if (link(m->path, waiting) == 0) return waiting;
    }
    served_fail(err, SLUICE_E_IO, "the checkpoint before cannot be kept: %s", strerror(waiting ? errno : ENOMEM));
    free(waiting);
    return NULL;
}

/* It becomes FILE.1. `hole`: the one that goes; 0: the oldest, where all places are taken. */
static void take_place(const served_model *m, const char *waiting, unsigned hole) {
    char *newest = kept_path(m, 1);
    if (newest) {
        move_up(m, hole ? hole : first_hole(m, m->settings.keep));
        rename(waiting, newest);
    }
    free(newest);
}

void served_mend_kept(served_model *m) {
    char *waiting = waiting_path(m);
    struct stat old, now;
    if (waiting && m->settings.keep && lstat(waiting, &old) == 0) {
        if (stat(m->path, &now) == 0 && old.st_ino == now.st_ino && old.st_dev == now.st_dev)
            unlink(waiting); /* the save did not come to its end */
        else
            take_place(m, waiting, 0);
    }
    free(waiting);
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* What has to be in the model besides what was learned. */
static sluice_status prepare(served_model *m, sluice_error *err) {
    char text[48] = "";
    sluice_status status = served_topics_remember(m, err);
    if (status != SLUICE_OK) return status;
    if (drift_remember(&m->drift, m->model))
        return served_fail(err, SLUICE_E_MEMORY, "no memory for what the watch for drift has seen");
    if (m->labels.store)
        snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, m->labels.store, m->labels.number);
    else
        snprintf(text, sizeof text, "%" PRIu64, m->labels.number);
    status = sluice_model_set_metadata(m->model, "serve.labels", m->labels.number ? text : NULL, strlen(text));
    if (status != SLUICE_OK) *err = *sluice_model_error(m->model);
    return status;
}

static void note_saved(served_model *m, double began) {
    m->saved_changes = m->changes;
    m->saved_examples = m->examples_done;
    m->saved_at = now_seconds();
    m->save_again = 0;
    atomic_store(&m->saved_version, examples_of(m->model));
    atomic_store(&m->saved_label, m->labels.number);
    pthread_mutex_lock(&m->figures_lock);
    m->figures.saves++;
    m->figures.saving_cost = m->saved_at - began;
    m->figures.save_error[0] = 0;
    pthread_mutex_unlock(&m->figures_lock);
}

static void note_failed(served_model *m, const sluice_error *err) {
    m->save_again = now_seconds() + again_seconds;
    pthread_mutex_lock(&m->figures_lock);
    m->figures.failed_saves++;
    snprintf(m->figures.save_error, sizeof m->figures.save_error, "%.*s", (int)sizeof m->figures.save_error - 1,
             err->message);
    pthread_mutex_unlock(&m->figures_lock);
}

static sluice_status save(served_model *m, unsigned hole, sluice_error *err) {
    const char *never = served_cannot_learn(m);
    if (!m->file) return served_fail(err, SLUICE_E_UNSUPPORTED, "the model %s is not saved: %s", m->name, never);
    const double began = now_seconds();
    sluice_error unkept = {0};
    char *waiting = keep_file(m, &unkept);
    sluice_status status = prepare(m, err);
    if (status == SLUICE_OK && (status = sluice_model_file_save(m->file, m->model)) != SLUICE_OK)
        *err = *sluice_model_file_error(m->file);
    if (status == SLUICE_OK) {
        if (waiting) take_place(m, waiting, hole);
        if (unkept.status != SLUICE_OK) warning("%s: %s", m->path, unkept.message);
        note_saved(m, began);
        served_topics_saved(m);
    } else {
        if (waiting) unlink(waiting);
        note_failed(m, err);
    }
    free(waiting);
    return status;
}

sluice_status served_save(served_model *m, sluice_error *err) { return save(m, 0, err); }

double served_save_at(const served_model *m) {
    if (!m->file || m->saved_changes == m->changes || m->broken) return INFINITY;
    if (m->save_again > 0) return m->save_again;
    const uint64_t examples = m->settings.save_examples;
    if (examples && m->examples_done - m->saved_examples >= examples) return 0;
    return m->settings.save_seconds ? m->saved_at + (double)m->settings.save_seconds : INFINITY;
}

void served_save_if_due(served_model *m) {
    sluice_error err = {0};
    char before[sizeof m->figures.save_error];
    if (served_save_at(m) > now_seconds()) return;
    memcpy(before, m->figures.save_error, sizeof before);
    if (save(m, 0, &err) != SLUICE_OK && strcmp(before, m->figures.save_error) != 0)
        warning("%s: %s; there is no new checkpoint, and the server goes on and tries again", m->path, err.message);
}

/* ---- loading, going back ----------------------------------------------------------------------------------------- */

static sluice_model *load(served_model *m, const char *path, sluice_error *err) {
    sluice_model *model = sluice_model_load(path, err);
    sluice_model_facts facts = {.size = sizeof facts};
    if (!model) return NULL;
    sluice_model_quick_facts(model, &facts);
    if (facts.is_final && m->file) {
        served_fail(err, SLUICE_E_UNSUPPORTED, "the file is a predict-only model, and this one learns");
        sluice_model_free(model);
        return NULL;
    }
    sluice_model_set_threads(model, m->settings.a->threads);
    return model;
}

/* Takes the model over; it is freed where that fails. */
static sluice_status replace(served_model *m, sluice_model *model, sluice_error *err) {
    if (served_adopt(m, model)) {
        sluice_model_free(model);
        return served_fail(err, SLUICE_E_UNSUPPORTED,
                           "the model cannot be served with these options; the server's messages say why");
    }
    return served_publish(m, err);
}

sluice_status served_reload(served_model *m, sluice_error *err) {
    if (!is_there(m->path))
        return served_fail(err, SLUICE_E_USAGE, "the model %s has no file: it was not saved yet", m->name);
    sluice_model *model = load(m, m->path, err);
    if (!model) return err->status;
    const uint64_t in_file = examples_of(model);
    const sluice_status status = replace(m, model, err);
    if (m->model != model) return status;
    m->saved_changes = m->changes;
    m->saved_examples = m->examples_done;
    m->saved_at = now_seconds();
    atomic_store(&m->saved_version, in_file);
    pthread_mutex_lock(&m->figures_lock);
    m->figures.reloads++;
    pthread_mutex_unlock(&m->figures_lock);
    served_topics_reopen(m);
    return status;
}

/* The kept checkpoint of a version or, for 0, the newest one that is older than what is saved. *file is its file. */
static sluice_model *find_kept(served_model *m, uint64_t version, struct stat *file, sluice_error *err) {
    const uint64_t saved = atomic_load(&m->saved_version);
    char there[256] = "";
    size_t n = 0;
    for (unsigned i = 1; i <= m->settings.keep; i++) {
        char *path = kept_path(m, i);
        sluice_model *model = path && lstat(path, file) == 0 ? load(m, path, err) : NULL;
        free(path);
        if (!model) continue;
        const uint64_t has = examples_of(model);
        if (version ? has == version : has < saved) return model;
        if (n + 24 < sizeof there) n += (size_t)sprintf(there + n, "%s%" PRIu64, n ? ", " : "", has);
        sluice_model_free(model);
    }
    if (version && version == saved && lstat(m->path, file) == 0) return load(m, m->path, err);
    served_fail(err, SLUICE_E_USAGE, "the model %s has no checkpoint %s version %" PRIu64 "%s%s", m->name,
                version ? "of" : "before", version ? version : saved, n ? "; there are those of " : "", there);
    return NULL;
}

/* The number of the kept checkpoint that is this file; 0: it is none. */
static unsigned hole_of(const served_model *m, const struct stat *file) {
    unsigned found = 0;
    for (unsigned i = 1; i <= m->settings.keep && !found; i++) {
        struct stat s;
        char *path = kept_path(m, i);
        if (path && lstat(path, &s) == 0 && s.st_ino == file->st_ino && s.st_dev == file->st_dev) found = i;
        free(path);
    }
    return found;
}

/* What it goes back to becomes the file; the model of before is kept, with what was not saved of it. */
sluice_status served_rollback(served_model *m, uint64_t version, sluice_error *err) {
    struct stat file;
    if (!m->file)
        return served_fail(err, SLUICE_E_UNSUPPORTED, "the model %s is not saved: %s", m->name, served_cannot_learn(m));
    sluice_model *model = find_kept(m, version, &file, err);
    if (!model) return err->status;
    if (m->settings.keep && m->saved_changes != m->changes && !m->broken && save(m, 0, err) != SLUICE_OK) {
        sluice_model_free(model);
        return err->status;
    }
    sluice_status status = replace(m, model, err);
    if (m->model != model) return status;
    served_topics_close(m); /* its positions are not those of this model */
    pthread_mutex_lock(&m->figures_lock);
    m->figures.rollbacks++;
    pthread_mutex_unlock(&m->figures_lock);
    if (status == SLUICE_OK) status = save(m, hole_of(m, &file), err);
    served_topics_reopen(m);
    return status;
}
