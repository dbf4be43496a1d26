/* The thread that learns: jobs and rows of topics in turn, snapshots and checkpoints when they are due. */
#include "serve/model/served_parts.h"

#include "output/message.h"
#include "output/progress.h"

#include <math.h>
#include <string.h>

/* Rows learned between two looks at the clock; and of jobs, before the topics have their turn. */
enum { PART_ROWS = 512, TURN_ROWS = 2048 };
static const double often = 0.05; /* seconds between two updates of the figures while there is much to do */

/* ---- learning rows ----------------------------------------------------------------------------------------------- */

/* A sluice_prediction_function: rows of importance 0 are not told of. */
void served_told(void *context, const sluice_prediction *p) {
    told_rows *t = context;
    const size_t rows = sluice_batch_rows(t->batch);
    while (t->row < rows && sluice_batch_weight(t->batch, t->row) == 0) t->row++;
    if (t->row == rows) return;
    if (t->margins) t->margins[t->row] = p->margin;
    if (t->predicted) t->predicted[t->row] = p->predicted;
    t->examples++;
    if (p->truth != p->predicted) {
        t->mistakes++;
        t->mistaken = t->row;
        t->margin = p->margin;
        t->truth = p->truth;
        t->was = p->predicted;
    }
    t->row++;
}

/* Keeps how the first negative label was written, when n rows were learned: as `train` does. */
static void keep_negative(served_model *m, const sluice_batch *batch, size_t first, size_t n) {
    double label = NAN;
    for (size_t i = first; i < first + n && !m->knows_negative; i++)
        if (sluice_batch_label(batch, i) <= 0 && sluice_batch_weight(batch, i) > 0) {
            label = sluice_batch_label(batch, i);
            m->knows_negative = 1;
        }
    remember_negative(m->model, label);
}

/* What an alarm does. */
static sluice_status mind_drift(served_model *m, sluice_error *err) {
    if (!drift_has_alarm(&m->drift)) return SLUICE_OK;
    const sluice_drift_figures f = drift_figures(&m->drift);
    const sluice_drift_alarm *last = f.alarms ? drift_alarm(&m->drift, f.alarms - 1) : NULL;
    if (last) m->last_alarm = *last;
    char text[DRIFT_TEXT];
    if (last)
        note("%s: %s%s", m->name, drift_text(last, text),
             m->drift.action == DRIFT_RESET  ? "; the model begins anew"
             : m->drift.action == DRIFT_STOP ? "; the model learns no more"
                                             : "");
    m->drift.told = f.alarms + m->drift.alarms_before;
    if (m->drift.action == DRIFT_STOP) m->drift.has_stopped = 1;
    if (m->drift.action != DRIFT_RESET) return SLUICE_OK;
    const sluice_status status = sluice_model_begin_anew(m->model);
    if (status != SLUICE_OK) *err = *sluice_model_error(m->model);
    return status;
}

/* Learns n rows or, where the clock or the watch for drift is to be looked at, fewer: returns how many. */
static size_t learn_part(served_model *m, const sluice_batch *batch, size_t first, size_t n, sluice_status *status,
                         sluice_error *err) {
    told_rows *t = &m->told;
    const uint64_t examples = t->examples, mistakes = t->mistakes;
    const int alone = served_wants_mistake(m);
    if (n > PART_ROWS) n = PART_ROWS;
    n = alone ? 1 : drift_until(&m->drift, n);
    if (alone) served_explain_next(m, batch, first);
    t->batch = batch;
    t->row = first;
    *status = sluice_model_learn_rows(m->model, batch, first, n, m->meter);
    if (*status != SLUICE_OK) {
        *err = *sluice_model_error(m->model);
        if (*status == SLUICE_E_NUMERIC) m->broken = 1;
        n = t->row - first; /* those before the one at fault */
    }
    m->changes++;
    m->examples_done += t->examples - examples;
    m->mistakes_done += t->mistakes - mistakes;
    if (n) keep_negative(m, batch, first, n);
    if (alone && t->mistakes > mistakes) served_take_mistake(m);
    if (*status == SLUICE_OK) *status = mind_drift(m, err);
    return n;
}

static void publish_if_due(served_model *m) {
    sluice_error err = {0};
    if (now_seconds() < served_publish_at(m)) return;
    if (served_publish(m, &err) != SLUICE_OK) warning("%s: no new snapshot: %s", m->name, err.message);
}

sluice_status served_learn(served_model *m, const sluice_batch *batch, size_t first, size_t n, double *margins,
                           uint32_t *predicted, size_t *done, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    size_t at = first;
    m->told.margins = margins;
    m->told.predicted = predicted;
    while (at < first + n && status == SLUICE_OK) {
        if (m->drift.has_stopped)
            status = served_fail(err, SLUICE_E_UNSUPPORTED,
                                 "the model learns no more: its error has risen (--on-drift stop)");
        else
            at += learn_part(m, batch, at, first + n - at, &status, err);
        publish_if_due(m);
    }
    if (done) *done = at - first;
    served_count(m);
    return status;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static sluice_status learn_job(served_model *m, job *j) {
    const size_t rows = j->batch ? sluice_batch_rows(j->batch) : 0;
    const uint64_t before = m->examples_done;
    const char *never = served_cannot_learn(m);
    for (size_t i = 0; i < rows && j->margins; i++) j->margins[i] = NAN;
    for (size_t i = 0; i < rows && j->predicted; i++) j->predicted[i] = SLUICE_NO_CLASS;
    if (never) return served_fail(&j->error, SLUICE_E_UNSUPPORTED, "the model %s cannot learn: %s", m->name, never);
    const sluice_status status = served_learn(m, j->batch, 0, rows, j->margins, j->predicted, NULL, &j->error);
    if (status == SLUICE_OK && j->label_number > m->labels.number) {
        m->labels.number = j->label_number;
        m->changes++;
    }
    j->learned = m->examples_done - before;
    return status;
}

static void do_job(served_model *m, job *j) {
    j->error = (sluice_error){0};
    j->learned = 0;
    j->first_version = atomic_load(&m->version);
    switch (j->kind) {
    case JOB_LEARN:
        j->status = learn_job(m, j);
        break;
    case JOB_SAVE:
        j->status = served_save(m, &j->error);
        break;
    case JOB_RELOAD:
        j->status = served_reload(m, &j->error);
        break;
    case JOB_ROLLBACK:
        j->status = served_rollback(m, j->version, &j->error);
        break;
    }
    served_count(m);
    if (j->kind != JOB_LEARN) served_update_figures(m);
    j->new_version = atomic_load(&m->version);
    j->saved_version = atomic_load(&m->saved_version);
    served_finish_job(m, j);
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static void mind_time(served_model *m) {
    publish_if_due(m);
    if (served_save_asked(m)) {
        sluice_error err = {0};
        if (m->file && m->saved_changes != m->changes && served_save(m, &err) != SLUICE_OK)
            warning("%s: %s; there is no new checkpoint, and the server goes on", m->path, err.message);
    } else {
        served_save_if_due(m);
    }
    served_topics_mind(m);
    if (m->retired) served_free_retired(m);
    if (!atomic_load(&m->queued_rows) || now_seconds() > m->counted + often) served_update_figures(m);
}

/* When there is something to do by time. */
static double due_at(const served_model *m) {
    return fmin(fmin(served_publish_at(m), served_save_at(m)), served_topics_at(m));
}

void *served_learner(void *model) {
    served_model *m = model;
    while (!served_is_closed(m)) {
        uint64_t rows = 0;
        for (job *j; rows < TURN_ROWS && (j = served_next_job(m));) {
            rows += j->rows;
            do_job(m, j);
            publish_if_due(m);
            served_save_if_due(m);
        }
        if (m->reader && !served_is_closed(m)) served_topics_learn(m, rows ? 0 : due_at(m));
        mind_time(m);
        if (!rows && !m->reader) served_wait(m, due_at(m));
    }
    sluice_error err = {0};
    if (m->file && m->saved_changes != m->changes && served_save(m, &err) != SLUICE_OK) {
        complain("%s: %s; what was learned since the last checkpoint is lost", m->path, err.message);
        m->rc = FAILED;
    }
    served_topics_close(m);
    served_update_figures(m);
    return NULL;
}
