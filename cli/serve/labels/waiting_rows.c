/* Rows that wait for their labels: opening, remembering, forgetting. */
#include "serve/labels/label_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sluice_status refuse(sluice_error *err, sluice_status status, const char *message) {
    *err = (sluice_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

#if SLUICE_HAVE_SQLITE3

#include <time.h>

/* ---- transactions ----------------------------------------------------------------------------------------------- */

static void transaction_failed(label_store *s, const char *what, sluice_error *err) {
    sluice_error own;
    if (!err) err = &own;
    label_file_problem(&s->file, what, err);
    s->counts.failed++;
    label_roll_back(&s->file);
    if (!s->has_failed) warning("%s: %s", s->file.path, err->message); /* not again for each request */
    s->has_failed = 1;
}

int label_begin(label_store *s, const char *what, sluice_error *err) {
    if (label_run(&s->file, SQL_BEGIN)) return 1;
    transaction_failed(s, what, err);
    return 0;
}

int label_end(label_store *s, int done_so_far, const char *what, sluice_error *err) {
    if (done_so_far && label_run(&s->file, SQL_COMMIT)) {
        s->is_unsettled = 1;
        s->has_failed = 0;
        return 1;
    }
    transaction_failed(s, what, err);
    return 0;
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

static labelled_model *hold_model(label_store *s, const char *name, int64_t key) {
    labelled_model *m = calloc(1, sizeof *m);
    if (!m || !(m->name = strdup(name))) {
        free(m);
        return NULL;
    }
    m->key = key;
    m->next = s->models;
    return s->models = m;
}

labelled_model *label_model(label_store *s, const char *name, sluice_error *err) {
    labelled_model *m = s->models;
    while (m && strcmp(m->name, name) != 0) m = m->next;
    if (m || !err) return m;
    static const char what[] = "a model's rows";
    if (!label_begin(s, what, err)) return NULL;
    int fine = sqlite3_bind_text(label_sql_of(&s->file, SQL_ADD_MODEL), 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
               label_run(&s->file, SQL_ADD_MODEL);
    const int64_t key = sqlite3_last_insert_rowid(s->file.db);
    if (!label_end(s, fine, what, err)) return NULL;
    if (!(m = hold_model(s, name, key))) refuse(err, SLUICE_E_MEMORY, "no memory for a model's rows");
    return m;
}

static int read_models(label_store *s) {
    sqlite3_stmt *sql = label_sql_of(&s->file, SQL_MODELS);
    int rc;
    if (!label_run(&s->file, SQL_ADD_STORE)) return 0;
    while ((rc = sqlite3_step(sql)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(sql, 1);
        if (name && !*name) {
            s->id = (uint64_t)sqlite3_column_int64(sql, 2);
            continue;
        }
        labelled_model *m = name ? hold_model(s, name, sqlite3_column_int64(sql, 0)) : NULL;
        if (!m) break;
        m->learned = (uint64_t)sqlite3_column_int64(sql, 2);
        m->last = (uint64_t)sqlite3_column_int64(sql, 3);
        if (m->last < m->learned) m->last = m->learned;
        m->queued = m->learned;
    }
    sqlite3_reset(sql);
    return rc == SQLITE_DONE;
}

static int read_count(label_store *s, label_sql which, uint64_t *n) {
    sqlite3_stmt *sql = label_sql_of(&s->file, which);
    const int fine = sqlite3_step(sql) == SQLITE_ROW;
    if (fine) *n = (uint64_t)sqlite3_column_int64(sql, 0);
    sqlite3_reset(sql);
    return fine;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

int label_store_open(const label_settings *settings, label_store **store) {
    *store = NULL;
    label_store *s = calloc(1, sizeof *s);
    if (!s) return out_of_memory();
    s->settings = settings;
    s->most = settings->most ? settings->most : 1;
    if (s->most > INT64_MAX) s->most = INT64_MAX;
    pthread_mutex_init(&s->lock, NULL);
    int rc = label_file_open(&s->file, settings->file);
    if (!rc && (!read_models(s) || !read_count(s, SQL_COUNT_ROWS, &s->counts.waiting) ||
                !read_count(s, SQL_COUNT_LABELS, &s->counts.unsaved))) {
        sluice_error err;
        label_file_problem(&s->file, "the rows that wait for labels", &err);
        rc = complain_error(&err);
    }
    if (rc) {
        label_store_close(s);
        return rc;
    }
    *store = s;
    return DONE;
}

void label_store_close(label_store *s) {
    if (!s) return;
    while (s->models) {
        labelled_model *m = s->models;
        s->models = m->next;
        sluice_parser_free(m->parser);
        free(m->name);
        free(m);
    }
    label_file_close(&s->file);
    row_arrays_free(&s->arrays);
    text_free(&s->bytes);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

label_counts label_store_count(label_store *s) {
    pthread_mutex_lock(&s->lock);
    const label_counts counts = s->counts;
    pthread_mutex_unlock(&s->lock);
    return counts;
}

/* ---- remembering ------------------------------------------------------------------------------------------------ */

static int bind_id(sqlite3_stmt *sql, int at, sluice_name id) {
    return sqlite3_bind_blob64(sql, at, id.text, id.n, SQLITE_STATIC) == SQLITE_OK;
}

/* 1: put; *replaced: another one waited. 0: the file has failed. */
static int put_row(label_store *s, const labelled_model *m, sluice_name id, int64_t now, uint64_t version,
                   uint64_t *replaced) {
    sqlite3_stmt *forget = label_sql_of(&s->file, SQL_FORGET_ID), *add = label_sql_of(&s->file, SQL_ADD_ROW);
    if (sqlite3_bind_int64(forget, 1, m->key) || !bind_id(forget, 2, id) || !label_run(&s->file, SQL_FORGET_ID))
        return 0;
    *replaced += (uint64_t)sqlite3_changes(s->file.db);
    return !sqlite3_bind_int64(add, 1, m->key) && bind_id(add, 2, id) && !sqlite3_bind_int64(add, 3, now) &&
           !sqlite3_bind_int64(add, 4, (int64_t)version) &&
           !sqlite3_bind_blob64(add, 5, s->bytes.text, s->bytes.n, SQLITE_STATIC) && label_run(&s->file, SQL_ADD_ROW);
}

static int forget_oldest(label_store *s, uint64_t n) {
    return !sqlite3_bind_int64(label_sql_of(&s->file, SQL_FORGET_OLD), 1, (int64_t)n) &&
           label_run(&s->file, SQL_FORGET_OLD);
}

static sluice_status put_rows(label_store *s, const char *model, const sluice_batch *batch, const sluice_name *ids,
                              size_t rows, uint64_t version, sluice_error *err) {
    static const char what[] = "rows could not be remembered";
    const labelled_model *m = label_model(s, model, err);
    if (!m || !label_begin(s, what, err)) return err->status;
    const int64_t now = (int64_t)time(NULL);
    uint64_t put = 0, replaced = 0, forgotten = 0;
    int fine = 1;
    for (size_t i = 0; i < rows && fine; i++) {
        if (!ids[i].n) continue;
        text_clear(&s->bytes);
        if (!kept_row_write(&s->bytes, &s->arrays, batch, i)) {
            text_free(&s->bytes);
            label_roll_back(&s->file);
            return refuse(err, SLUICE_E_MEMORY, "no memory to remember a row");
        }
        fine = put_row(s, m, ids[i], now, version, &replaced);
        put++;
    }
    const uint64_t waiting = s->counts.waiting + put - replaced;
    if (waiting > s->most) forgotten = waiting - s->most;
    if (fine && forgotten) fine = forget_oldest(s, forgotten);
    if (!label_end(s, fine, what, err)) return err->status;
    s->counts.waiting = waiting - forgotten;
    s->counts.remembered += put;
    s->counts.forgotten += forgotten;
    return SLUICE_OK;
}

sluice_status label_store_put(label_store *s, const char *model, const sluice_batch *batch, const sluice_name *ids,
                              size_t rows, uint64_t version, sluice_error *err) {
    size_t with_id = 0;
    for (size_t i = 0; i < rows; i++) {
        if (ids[i].n) with_id++;
        if (ids[i].n <= LABEL_ID_MOST) continue;
        refuse(err, SLUICE_E_DATA, "");
        snprintf(err->message, sizeof err->message, "the id of row %zu is longer than %d bytes", i + 1, LABEL_ID_MOST);
        return err->status;
    }
    if (!with_id) return SLUICE_OK;
    if (with_id > LABEL_ROWS_MOST) {
        refuse(err, SLUICE_E_LIMIT, "");
        snprintf(err->message, sizeof err->message, "%zu rows to remember: at most %d come in one request", with_id,
                 LABEL_ROWS_MOST);
        return err->status;
    }
    pthread_mutex_lock(&s->lock);
    const sluice_status status = put_rows(s, model, batch, ids, rows, version, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

#else /* without SQLite no store is ever opened */

int label_store_open(const label_settings *settings, label_store **store) {
    (void)settings;
    *store = NULL;
    complain("this build cannot keep rows that wait for labels: it has no SQLite");
    return FAILED;
}

void label_store_close(label_store *s) { (void)s; }

sluice_status label_store_put(label_store *s, const char *model, const sluice_batch *batch, const sluice_name *ids,
                              size_t rows, uint64_t version, sluice_error *err) {
    (void)s, (void)model, (void)batch, (void)ids, (void)rows, (void)version;
    return refuse(err, SLUICE_E_UNSUPPORTED, "this build has no SQLite");
}

label_result label_store_take(label_store *s, served_model *m, sluice_name id, sluice_name label, void (*done)(job *j),
                              void *context, sluice_error *err) {
    (void)s, (void)m, (void)id, (void)label, (void)done, (void)context;
    refuse(err, SLUICE_E_UNSUPPORTED, "this build has no SQLite");
    return LABEL_WRONG;
}

int label_store_catch_up(label_store *s, served_model *m) {
    (void)s, (void)m;
    return DONE;
}

void label_store_saved(label_store *s, const char *model, uint64_t number) { (void)s, (void)model, (void)number; }
void label_store_tick(label_store *s, served_model *const *models, size_t n) { (void)s, (void)models, (void)n; }

label_counts label_store_count(label_store *s) {
    (void)s;
    return (label_counts){0};
}

#endif
