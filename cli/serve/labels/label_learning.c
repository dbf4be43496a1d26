/* Labels that come for rows that wait: numbering, recording and queueing them, and what becomes of them. */
#include "serve/labels/label_state.h"

#if SLUICE_HAVE_SQLITE3

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Numbers that one transaction goes over, so that no other thread waits long. */
enum { LEARNED_AT_ONCE = 2000, EXPIRED_AT_ONCE = 500, EXPIRED_A_TICK = 20000 };

static sluice_status refuse(sluice_error *err, sluice_status status, const char *message) {
    *err = (sluice_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

static sluice_name column_bytes(sqlite3_stmt *sql, int at) {
    const char *text = sqlite3_column_blob(sql, at);
    return (sluice_name){text ? text : "", (size_t)sqlite3_column_bytes(sql, at)};
}

/* ---- labels and jobs -------------------------------------------------------------------------------------------- */

/* A label as a line of the input would have it: the row of that line has its class and its cost. Read as text, whatever
 * the model's format is, for there the label is what stands before a tab. */
static sluice_status read_label(labelled_model *l, served_model *m, sluice_name label, const sluice_batch **row,
                                sluice_error *err) {
    if (!label.n) return refuse(err, SLUICE_E_DATA, "there is no label");
    if (label.n > SLUICE_MAX_NAME) return refuse(err, SLUICE_E_DATA, "the label is longer than 65535 bytes");
    for (size_t i = 0; i < label.n; i++)
        if (strchr("\t\n\r", label.text[i]))
            return refuse(err, SLUICE_E_DATA, "a label cannot have a NUL byte, a tab or a line end in it");
    const model_reading *now = served_reading(m); /* a model that was loaded anew may have other costs */
    if (!l->parser || l->reading != now) {
        sluice_parser_free(l->parser);
        l->reading = now;
        sluice_reader_options reading = reading_options(now, "text", 1);
        reading.format = "text";
        reading.label = reading.weight = reading.id = NULL;
        reading.columns = reading.ignore = reading.text_columns = reading.quadratic = NULL;
        reading.no_header = reading.drop_id = reading.keep_lines = 0;
        reading.every_line = reading.unlabelled = reading.missing_labels = reading.skip_errors = 0;
        reading.as_is = 1;
        if (!(l->parser = sluice_parser_new(&reading, err))) return err->status;
    }
    char few[256], *line = label.n + 3 <= sizeof few ? few : malloc(label.n + 3);
    if (!line) return refuse(err, SLUICE_E_MEMORY, "no memory for a label");
    memcpy(line, label.text, label.n);
    memcpy(line + label.n, "\tx\n", 3);
    sluice_parser_reset(l->parser);
    sluice_status status = sluice_parser_push(l->parser, line, label.n + 3);
    sluice_parser_finish(l->parser);
    if (status == SLUICE_OK) status = sluice_parser_next(l->parser, row);
    if (line != few) free(line);
    if (status == SLUICE_OK && sluice_batch_rows(*row) == 1) return SLUICE_OK;
    if (status == SLUICE_OK || status == SLUICE_END) return refuse(err, SLUICE_E_DATA, "there is no label");
    *err = *sluice_parser_error(l->parser);
    err->line = err->column = 0; /* of our own line */
    err->source[0] = 0;
    return err->status;
}

typedef struct label_job {
    job j;
    label_store *store;
    labelled_model *model;
    int is_assumed; /* the row has expired */
    int is_new;     /* not recorded by an earlier process */
    sluice_batch *row;
    double margin;
    uint32_t predicted;
    void (*done)(job *j);
} label_job;

static void free_job(label_job *x) {
    if (x) sluice_batch_free(x->row);
    free(x);
}

/* A job that learns the kept row with a label. NULL: err says why. */
static label_job *make_job(label_store *s, labelled_model *l, served_model *m, sluice_name kept, sluice_name label,
                           sluice_error *err) {
    const sluice_batch *labelled;
    sluice_example x;
    if (read_label(l, m, label, &labelled, err) != SLUICE_OK ||
        kept_row_read(kept.text, kept.n, &s->arrays, &x, err) != SLUICE_OK)
        return NULL;
    x.label = sluice_batch_label(labelled, 0);
    x.word = sluice_batch_word(labelled, 0);
    x.weight *= sluice_batch_weight(labelled, 0);
    label_job *made = calloc(1, sizeof *made);
    if (!made || !(made->row = sluice_batch_new(err))) {
        free_job(made);
        refuse(err, SLUICE_E_MEMORY, "no memory for a row");
        return NULL;
    }
    if (sluice_batch_add(made->row, &x, err) != SLUICE_OK) {
        free_job(made);
        return NULL;
    }
    made->store = s;
    made->model = l;
    made->margin = NAN;
    made->predicted = SLUICE_NO_CLASS;
    made->j.kind = JOB_LEARN;
    made->j.batch = made->row;
    made->j.margins = &made->margin;
    made->j.predicted = &made->predicted;
    return made;
}

/* A label that could not be learned: its row waits again, so that another label may come. One that has expired does
 * not: it would expire again at once. */
static void give_back(label_store *s, const label_job *x) {
    sqlite3_stmt *wait = label_sql_of(&s->file, SQL_WAIT_AGAIN), *remove = label_sql_of(&s->file, SQL_REMOVE_LABEL);
    static const char what[] = "a row whose label could not be learned";
    uint64_t again = 0;
    if (!label_begin(s, what, NULL)) return;
    int fine = 1;
    if (!x->is_assumed) {
        fine = !sqlite3_bind_int64(wait, 1, x->model->key) &&
               !sqlite3_bind_int64(wait, 2, (int64_t)x->j.label_number) && label_run(&s->file, SQL_WAIT_AGAIN);
        again = (uint64_t)sqlite3_changes(s->file.db);
    }
    fine = fine && !sqlite3_bind_int64(remove, 1, x->model->key) &&
           !sqlite3_bind_int64(remove, 2, (int64_t)x->j.label_number) && label_run(&s->file, SQL_REMOVE_LABEL);
    if (!label_end(s, fine, what, NULL)) return;
    s->counts.waiting += again;
    s->counts.unsaved--;
}

static void job_done(job *j) {
    label_job *x = (label_job *)j; /* its first member */
    label_store *s = x->store;
    /* the label of a cancelled job stays recorded, and is learned at the next start */
    const int is_refused = j->status != SLUICE_OK && j->status != SLUICE_E_CANCELLED;
    pthread_mutex_lock(&s->lock);
    if (j->status == SLUICE_OK && x->is_new && !x->is_assumed) s->counts.labelled++;
    if (is_refused) give_back(s, x);
    pthread_mutex_unlock(&s->lock);
    if (x->done)
        x->done(j);
    else if (is_refused && !x->model->has_warned++) /* learner thread */
        warning("%s: a row whose label was recorded earlier could not be learned: %s", x->model->name,
                j->error.message);
    free_job(x);
}

static int queue(label_job *x, served_model *m, uint64_t number) {
    x->j.label_number = number;
    x->j.done = job_done;
    if (!served_enqueue(m, &x->j)) return 0;
    x->model->queued = number;
    return 1;
}

/* Queues what was recorded and is not queued yet, as long as there is room. 1: all of it is. */
static int queue_recorded(label_store *s, labelled_model *l, served_model *m) {
    while (l->queued < l->last) {
        if (!served_has_room(m, 1)) return 0;
        sluice_error err = {0};
        sqlite3_stmt *next = label_sql_of(&s->file, SQL_NEXT_LABEL);
        sqlite3_bind_int64(next, 1, l->key);
        sqlite3_bind_int64(next, 2, (int64_t)l->queued);
        const int rc = sqlite3_step(next);
        label_job *x = NULL;
        const uint64_t number = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(next, 0) : l->last;
        if (rc == SQLITE_ROW) {
            x = make_job(s, l, m, column_bytes(next, 3), column_bytes(next, 1), &err);
            if (x) x->is_assumed = sqlite3_column_int(next, 2);
        } else if (rc != SQLITE_DONE) {
            label_file_problem(&s->file, "labels cannot be read", &err);
        }
        sqlite3_reset(next);
        sqlite3_clear_bindings(next);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
            s->counts.failed++;
            if (!s->has_failed) warning("%s: %s", s->file.path, err.message);
            s->has_failed = 1;
            return 0;
        }
        if (rc == SQLITE_ROW && !x) { /* damaged, or made with other options */
            if (err.status == SLUICE_E_MEMORY) return 0;
            warning("%s: label %llu of model %s cannot be learned: %s", s->file.path, (unsigned long long)number,
                    l->name, err.message);
            l->queued = number;
        } else if (!x) {
            l->queued = l->last;
        } else if (!queue(x, m, number)) {
            free_job(x);
            return 0;
        }
    }
    return 1;
}

/* ---- a label comes ---------------------------------------------------------------------------------------------- */

/* Moves the row to the labels, or back; 0: the file has failed. */
static int record(label_store *s, int64_t seq, uint64_t number, sluice_name label, int is_assumed) {
    sqlite3_stmt *add = label_sql_of(&s->file, SQL_ADD_LABEL), *remove = label_sql_of(&s->file, SQL_REMOVE_ROW);
    return !sqlite3_bind_int64(add, 1, seq) && !sqlite3_bind_int64(add, 2, (int64_t)number) &&
           !sqlite3_bind_blob64(add, 3, label.text, label.n, SQLITE_STATIC) && !sqlite3_bind_int(add, 4, is_assumed) &&
           label_run(&s->file, SQL_ADD_LABEL) && !sqlite3_bind_int64(remove, 1, seq) &&
           label_run(&s->file, SQL_REMOVE_ROW);
}

static label_result wrong(sluice_error *err, sluice_status status, const char *message) {
    refuse(err, status, message);
    return LABEL_WRONG;
}

/* Whether the id is that of a label that was taken before; -1: the file has failed. */
static int was_taken(label_store *s, const labelled_model *l, sluice_name id) {
    sqlite3_stmt *find = label_sql_of(&s->file, SQL_FIND_LABEL);
    sqlite3_bind_int64(find, 1, l->key);
    sqlite3_bind_blob64(find, 2, id.text, id.n, SQLITE_STATIC);
    const int rc = sqlite3_step(find);
    sqlite3_reset(find);
    sqlite3_clear_bindings(find);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
}

static label_result find_failed(label_store *s, sluice_error *err) {
    label_file_problem(&s->file, "a row that waits cannot be read", err);
    s->counts.failed++;
    label_roll_back(&s->file);
    return LABEL_WRONG;
}

/* The row that waits under an id, with its label as a job. */
static label_result find(label_store *s, labelled_model *l, served_model *m, sluice_name id, sluice_name label,
                         int64_t *seq, label_job **x, sluice_error *err) {
    sqlite3_stmt *find = label_sql_of(&s->file, SQL_FIND_ROW);
    sqlite3_bind_int64(find, 1, l->key);
    sqlite3_bind_blob64(find, 2, id.text, id.n, SQLITE_STATIC);
    const int rc = sqlite3_step(find);
    if (rc == SQLITE_ROW) {
        *seq = sqlite3_column_int64(find, 0);
        *x = make_job(s, l, m, column_bytes(find, 1), label, err);
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return find_failed(s, err);
    sqlite3_reset(find);
    sqlite3_clear_bindings(find);
    if (rc == SQLITE_ROW) return *x ? LABEL_TAKEN : LABEL_WRONG;
    const int taken = was_taken(s, l, id);
    if (taken < 0) return find_failed(s, err);
    return taken ? LABEL_ALREADY : LABEL_UNKNOWN;
}

/* Takes back what was recorded and not queued. */
static label_result unrecord(label_store *s, label_job *x, uint64_t number, sluice_error *err) {
    x->j.label_number = number;
    const uint64_t unsaved = s->counts.unsaved;
    give_back(s, x);
    if (s->counts.unsaved < unsaved) {
        x->model->last = number - 1;
        return LABEL_BUSY;
    }
    /* it stays recorded, and is queued later */
    return wrong(err, SLUICE_E_IO, "the label is recorded, but the file of labels failed: it will be learned later");
}

static label_result take(label_store *s, served_model *m, sluice_name id, sluice_name label, void (*done)(job *j),
                         void *context, sluice_error *err) {
    static const char what[] = "the label could not be recorded";
    labelled_model *l = label_model(s, served_name(m), NULL);
    label_job *x = NULL;
    int64_t seq = 0;
    label_result result = l ? find(s, l, m, id, label, &seq, &x, err) : LABEL_UNKNOWN;
    if (result == LABEL_UNKNOWN) s->counts.unknown++;
    if (result != LABEL_TAKEN) return result;
    if (s->counts.unsaved >= s->most) served_ask_save(m);
    if (s->counts.unsaved >= s->most || !queue_recorded(s, l, m) || !served_has_room(m, 1)) {
        free_job(x);
        return LABEL_BUSY;
    }
    x->done = done;
    x->j.context = context;
    x->is_new = 1;
    const uint64_t number = l->last + 1;
    if (!label_begin(s, what, err) || !label_end(s, record(s, seq, number, label, 0), what, err)) {
        free_job(x);
        return LABEL_WRONG;
    }
    l->last = number;
    s->counts.waiting--;
    s->counts.unsaved++;
    if (queue(x, m, number)) return LABEL_TAKEN;
    result = unrecord(s, x, number, err);
    free_job(x);
    return result;
}

label_result label_store_take(label_store *s, served_model *m, sluice_name id, sluice_name label, void (*done)(job *j),
                              void *context, sluice_error *err) {
    const char *cannot = served_cannot_learn(m);
    if (cannot) return wrong(err, SLUICE_E_UNSUPPORTED, cannot);
    if (!id.n) return wrong(err, SLUICE_E_DATA, "there is no id");
    pthread_mutex_lock(&s->lock);
    const label_result result = take(s, m, id, label, done, context, err);
    pthread_mutex_unlock(&s->lock);
    return result;
}

/* ---- what was saved --------------------------------------------------------------------------------------------- */

/* Some of the labels that the model's file has; 0: there are no more, or the file of labels has failed. */
static int drop_some(label_store *s, labelled_model *l, uint64_t number) {
    static const char what[] = "labels that were saved could not be dropped";
    if (number <= l->learned) return 0;
    /* there is none behind the last one, however far the model's number is */
    const uint64_t end = l->last < l->learned ? l->learned : l->last;
    uint64_t to = number - l->learned > LEARNED_AT_ONCE ? l->learned + LEARNED_AT_ONCE : number;
    if (to >= end) to = number;
    sqlite3_stmt *learned = label_sql_of(&s->file, SQL_LEARNED), *set = label_sql_of(&s->file, SQL_SET_LEARNED),
                 *forget = label_sql_of(&s->file, SQL_FORGET_LEARNED);
    if (!label_begin(s, what, NULL)) return 0;
    int fine = !sqlite3_bind_int64(learned, 1, l->key) && !sqlite3_bind_int64(learned, 2, (int64_t)l->learned) &&
               !sqlite3_bind_int64(learned, 3, (int64_t)to) && label_run(&s->file, SQL_LEARNED);
    const uint64_t dropped = fine ? (uint64_t)sqlite3_changes(s->file.db) : 0;
    fine = fine && !sqlite3_bind_int64(set, 1, l->key) && !sqlite3_bind_int64(set, 2, (int64_t)to) &&
           label_run(&s->file, SQL_SET_LEARNED);
    if (to > s->most)
        fine = fine && !sqlite3_bind_int64(forget, 1, l->key) &&
               !sqlite3_bind_int64(forget, 2, (int64_t)(to - s->most)) && label_run(&s->file, SQL_FORGET_LEARNED);
    if (!label_end(s, fine, what, NULL)) return 0;
    l->learned = to;
    if (l->last < to) l->last = to;
    if (l->queued < to) l->queued = to;
    s->counts.unsaved -= dropped;
    return to < number;
}

static void drop_saved(label_store *s, const char *model, uint64_t number) {
    if (number > INT64_MAX) number = INT64_MAX;
    for (int more = 1; more;) {
        pthread_mutex_lock(&s->lock);
        labelled_model *l = label_model(s, model, NULL);
        more = l && drop_some(s, l, number);
        pthread_mutex_unlock(&s->lock);
    }
}

void label_store_saved(label_store *s, const char *model, uint64_t number) { drop_saved(s, model, number); }

int label_store_catch_up(label_store *s, served_model *m) {
    served_take_labels_of(m, s->id);
    const uint64_t saved = served_saved_label(m);
    sluice_error err = {0};
    const char *means = s->settings->unlabelled_means;
    const sluice_batch *labelled;
    pthread_mutex_lock(&s->lock);
    labelled_model *l = label_model(s, served_name(m), &err);
    if (l && means) read_label(l, m, (sluice_name){means, strlen(means)}, &labelled, &err);
    pthread_mutex_unlock(&s->lock);
    if (l && err.status) {
        complain("--unlabelled-means %s: %s", means, err.message);
        return WRONG_USAGE;
    }
    if (!l) return complain_error(&err);
    drop_saved(s, l->name, saved);
    pthread_mutex_lock(&s->lock);
    const int failed = l->learned < saved && saved <= INT64_MAX;
    if (!failed && !served_cannot_learn(m)) queue_recorded(s, l, m);
    pthread_mutex_unlock(&s->lock);
    if (failed) complain("%s: labels that model %s has learned could not be dropped", s->file.path, l->name);
    return failed ? FAILED : DONE;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* The row that expired first; 0: there is none. */
static int find_expired(label_store *s, const labelled_model *l, int64_t before, int64_t *seq) {
    sqlite3_stmt *sql = label_sql_of(&s->file, SQL_EXPIRED);
    sqlite3_bind_int64(sql, 1, l->key);
    sqlite3_bind_int64(sql, 2, before);
    sqlite3_bind_int64(sql, 3, 1);
    const int rc = sqlite3_step(sql);
    if (rc == SQLITE_ROW) *seq = sqlite3_column_int64(sql, 0);
    sqlite3_reset(sql);
    sqlite3_clear_bindings(sql);
    return rc == SQLITE_ROW;
}

/* Numbers some rows that expired, to be learned with the label that is assumed of them. Returns how many. */
static uint64_t assume_some(label_store *s, labelled_model *l, served_model *m, int64_t before) {
    static const char what[] = "rows that expired";
    const sluice_name label = {s->settings->unlabelled_means, strlen(s->settings->unlabelled_means)};
    const uint64_t room = s->counts.unsaved < s->most ? s->most - s->counts.unsaved : 0;
    const uint64_t most = room < EXPIRED_AT_ONCE ? room : EXPIRED_AT_ONCE;
    if (!room) served_ask_save(m);
    if (!room || !queue_recorded(s, l, m) || !served_has_room(m, 1) || !label_begin(s, what, NULL)) return 0;
    uint64_t n = 0;
    int64_t seq;
    int fine = 1;
    while (n < most && fine && find_expired(s, l, before, &seq))
        if ((fine = record(s, seq, l->last + n + 1, label, 1))) n++;
    if (!label_end(s, fine, what, NULL)) return 0;
    l->last += n;
    s->counts.waiting -= n;
    s->counts.unsaved += n;
    s->counts.expired += n;
    queue_recorded(s, l, m);
    return n;
}

static uint64_t forget_some(label_store *s, const labelled_model *l, int64_t before) {
    static const char what[] = "rows that expired";
    sqlite3_stmt *sql = label_sql_of(&s->file, SQL_EXPIRE);
    int64_t first;
    if (!find_expired(s, l, before, &first) || !label_begin(s, what, NULL)) return 0;
    const int fine = !sqlite3_bind_int64(sql, 1, l->key) && !sqlite3_bind_int64(sql, 2, before) &&
                     !sqlite3_bind_int64(sql, 3, EXPIRED_AT_ONCE) && label_run(&s->file, SQL_EXPIRE);
    const uint64_t n = fine ? (uint64_t)sqlite3_changes(s->file.db) : 0;
    if (!label_end(s, fine, what, NULL)) return 0;
    s->counts.waiting -= n;
    s->counts.expired += n;
    return n;
}

static void expire(label_store *s, labelled_model *l, served_model *m) {
    const int64_t seconds = s->settings->seconds > INT32_MAX ? INT32_MAX : (int64_t)s->settings->seconds;
    const int64_t before = (int64_t)time(NULL) - seconds;
    for (uint64_t total = 0, n = 1; n && total < EXPIRED_A_TICK; total += n) {
        pthread_mutex_lock(&s->lock);
        n = !s->settings->unlabelled_means ? forget_some(s, l, before) : m ? assume_some(s, l, m, before) : 0;
        pthread_mutex_unlock(&s->lock);
    }
}

static served_model *served_among(served_model *const *models, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(served_name(models[i]), name) == 0) return models[i];
    return NULL;
}

void label_store_tick(label_store *s, served_model *const *models, size_t n) {
    pthread_mutex_lock(&s->lock);
    labelled_model *l = s->models; /* new ones are added in front of it: they have nothing to do yet */
    pthread_mutex_unlock(&s->lock);
    for (; l; l = l->next) {
        served_model *m = served_among(models, n, l->name);
        if (m) drop_saved(s, l->name, served_saved_label(m));
        if (m && served_cannot_learn(m)) m = NULL;
        if (m) {
            pthread_mutex_lock(&s->lock);
            queue_recorded(s, l, m);
            pthread_mutex_unlock(&s->lock);
        }
        if (s->settings->seconds) expire(s, l, m);
    }
    pthread_mutex_lock(&s->lock);
    if (s->is_unsettled) label_file_settle(&s->file);
    s->is_unsettled = 0;
    pthread_mutex_unlock(&s->lock);
}

#endif
