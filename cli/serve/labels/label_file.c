/* The database of rows that wait for labels: schema, statements, what is wrong with it. */
#include "serve/labels/label_file.h"

#include "output/message.h"

#if SLUICE_HAVE_SQLITE3

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION = 0x736c6c62, SCHEMA = 1 }; /* "sllb" */

/* `rows` wait. Of the model without a name `learned` is the id of the file, a random number. `labels` were recorded;
 * those up to models.learned are in the model's file, and of them the ids alone are kept, so that a label that is sent
 * again is known to be the second one. */
static const struct {
    const char *name, *sql; /* as SQLite keeps it */
} schema[] = {
    {"models",
     "CREATE TABLE models (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, learned INTEGER NOT NULL DEFAULT 0)"},
    {"rows", "CREATE TABLE rows (seq INTEGER PRIMARY KEY, model INTEGER NOT NULL, id BLOB NOT NULL,"
             " time INTEGER NOT NULL, version INTEGER NOT NULL, row BLOB NOT NULL)"},
    {"rows_id", "CREATE UNIQUE INDEX rows_id ON rows (model, id)"},
    {"rows_time", "CREATE INDEX rows_time ON rows (model, time)"},
    {"labels", "CREATE TABLE labels (model INTEGER NOT NULL, number INTEGER NOT NULL, id BLOB NOT NULL,"
               " assumed INTEGER NOT NULL, label BLOB, time INTEGER, version INTEGER, row BLOB,"
               " PRIMARY KEY (model, number)) WITHOUT ROWID"},
    {"labels_id", "CREATE INDEX labels_id ON labels (model, id)"},
};
enum { SCHEMA_PARTS = sizeof schema / sizeof *schema };

/* What no file of ours has: numbers of labels that could not be counted on from. */
static const char strange_numbers[] =
    "SELECT EXISTS (SELECT 1 FROM models WHERE typeof(name) <> 'text' OR typeof(learned) <> 'integer'"
    " OR learned NOT BETWEEN 0 AND 1 << 62) OR EXISTS (SELECT 1 FROM labels WHERE typeof(number) <> 'integer'"
    " OR number NOT BETWEEN 1 AND 1 << 62)";

static const char *const statement[SQL_STATEMENTS] = {
    [SQL_BEGIN] = "BEGIN",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_ADD_MODEL] = "INSERT INTO models (name) VALUES (?1)",
    [SQL_ADD_STORE] = "INSERT OR IGNORE INTO models (name, learned) VALUES ('', random() & 0x3fffffffffffffff)",
    [SQL_MODELS] = "SELECT key, name, learned, (SELECT max(number) FROM labels WHERE model = key) FROM models",
    [SQL_FORGET_ID] = "DELETE FROM rows WHERE model = ?1 AND id = ?2",
    [SQL_ADD_ROW] = "INSERT INTO rows (model, id, time, version, row) VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_FORGET_OLD] = "DELETE FROM rows WHERE seq IN (SELECT seq FROM rows ORDER BY seq LIMIT ?1)",
    [SQL_FIND_ROW] = "SELECT seq, row FROM rows WHERE model = ?1 AND id = ?2",
    [SQL_FIND_LABEL] = "SELECT 1 FROM labels WHERE model = ?1 AND id = ?2",
    [SQL_ADD_LABEL] = "INSERT INTO labels (model, number, id, assumed, label, time, version, row)"
                      " SELECT model, ?2, id, ?4, ?3, time, version, row FROM rows WHERE seq = ?1",
    [SQL_REMOVE_ROW] = "DELETE FROM rows WHERE seq = ?1",
    [SQL_NEXT_LABEL] = "SELECT number, label, assumed, row FROM labels WHERE model = ?1 AND number > ?2"
                       " ORDER BY number LIMIT 1",
    [SQL_WAIT_AGAIN] = "INSERT OR IGNORE INTO rows (model, id, time, version, row)"
                       " SELECT model, id, time, version, row FROM labels WHERE model = ?1 AND number = ?2",
    [SQL_REMOVE_LABEL] = "DELETE FROM labels WHERE model = ?1 AND number = ?2",
    [SQL_LEARNED] = "UPDATE labels SET label = NULL, row = NULL WHERE model = ?1 AND number > ?2 AND number <= ?3",
    [SQL_SET_LEARNED] = "UPDATE models SET learned = ?2 WHERE key = ?1",
    [SQL_FORGET_LEARNED] = "DELETE FROM labels WHERE model = ?1 AND number <= ?2",
    [SQL_EXPIRED] = "SELECT seq, id FROM rows WHERE model = ?1 AND time <= ?2 ORDER BY time, seq LIMIT ?3",
    [SQL_EXPIRE] = "DELETE FROM rows WHERE seq IN (SELECT seq FROM rows WHERE model = ?1 AND time <= ?2 LIMIT ?3)",
    [SQL_COUNT_ROWS] = "SELECT count(*) FROM rows",
    [SQL_COUNT_LABELS] = "SELECT count(*) FROM models JOIN labels ON model = key AND number > learned",
};

sqlite3_stmt *label_sql_of(label_file *f, label_sql which) { return f->sql[which]; }

int label_run(label_file *f, label_sql which) {
    int rc;
    while ((rc = sqlite3_step(f->sql[which])) == SQLITE_ROW) {
    }
    const int reset = sqlite3_reset(f->sql[which]);
    sqlite3_clear_bindings(f->sql[which]);
    return rc == SQLITE_DONE && reset == SQLITE_OK;
}

void label_roll_back(label_file *f) {
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        sqlite3_reset(f->sql[i]);
        sqlite3_clear_bindings(f->sql[i]);
    }
    if (!sqlite3_get_autocommit(f->db)) label_run(f, SQL_ROLLBACK); /* some failures have ended it already */
}

static const char *reason_of(int code) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "there is no space left for it";
    case SQLITE_IOERR:
        return "it cannot be read or written";
    case SQLITE_CORRUPT:
        return "it is damaged";
    case SQLITE_NOTADB:
        return "it is no file of SQLite";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another process uses it";
    case SQLITE_READONLY:
        return "it cannot be written";
    case SQLITE_CANTOPEN:
        return "it cannot be opened";
    case SQLITE_TOOBIG:
        return "a row is too large for it";
    default:
        return NULL;
    }
}

static sluice_status status_of_code(int code) {
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return SLUICE_E_MEMORY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return SLUICE_E_FORMAT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SLUICE_E_LOCKED;
    case SQLITE_TOOBIG:
        return SLUICE_E_LIMIT;
    default:
        return SLUICE_E_IO;
    }
}

/* The system's word for it, where there is one: "No space left on device". */
static void describe(label_file *f, const char *what, int code, char *text, size_t room) {
    const char *reason = reason_of(code);
    const int number = f->db ? sqlite3_system_errno(f->db) : 0;
    const int by_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    const char *more = by_system && number ? strerror(number) : sqlite3_errstr(code);
    snprintf(text, room, "%s%s%s (%s)", what, *what ? ": " : "", reason ? reason : "the file of labels failed", more);
}

sluice_status label_file_problem(label_file *f, const char *what, sluice_error *err) {
    const int code = sqlite3_extended_errcode(f->db);
    *err = (sluice_error){.status = status_of_code(code)};
    describe(f, what, code, err->message, sizeof err->message);
    size_t n = 0;
    for (const char *p = f->path; *p && n + SLUICE_ESCAPED < sizeof err->source; p++)
        n += sluice_escape(p, 1, err->source + n);
    return err->status;
}

static int refuse_file(label_file *f, int code) {
    char text[256];
    describe(f, "", code, text, sizeof text);
    complain("%s: the rows that wait for labels: %s", f->path, text);
    return FAILED;
}

/* Runs some SQL; 0 where it fails. */
static int execute(label_file *f, const char *sql) { return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK; }

/* The number that a PRAGMA or SELECT says. */
static int ask_number(label_file *f, const char *sql, sqlite3_int64 *value) {
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) *value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return rc == SQLITE_ROW;
}

static int is_sound(label_file *f, char *said, size_t room) {
    sqlite3_stmt *s = NULL;
    int sound = 0;
    snprintf(said, room, "%s", "it is damaged");
    if (sqlite3_prepare_v2(f->db, "PRAGMA quick_check(1)", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(s, 0);
        sound = text && strcmp(text, "ok") == 0;
        if (!sound) snprintf(said, room, "it is damaged (%.200s)", text ? text : "no memory");
    }
    sqlite3_finalize(s);
    return sound;
}

/* Whether it has our tables and nothing else: a trigger or a view of somebody else's would be run by our statements. */
static int has_our_schema(label_file *f) {
    sqlite3_stmt *s = NULL;
    int ours = 1, parts = 0, rc;
    if (sqlite3_prepare_v2(f->db, "SELECT name, sql FROM sqlite_master", -1, &s, NULL) != SQLITE_OK) return 0;
    while (ours && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0), *sql = (const char *)sqlite3_column_text(s, 1);
        size_t i = 0;
        if (!name) name = "";
        if (!sql) { /* of a UNIQUE or a PRIMARY KEY */
            ours = strncmp(name, "sqlite_autoindex_", 17) == 0;
            continue;
        }
        while (i < SCHEMA_PARTS && strcmp(name, schema[i].name) != 0) i++;
        ours = i < SCHEMA_PARTS && strcmp(sql, schema[i].sql) == 0;
        parts++;
    }
    sqlite3_finalize(s);
    return ours && parts == SCHEMA_PARTS;
}

static int make_schema(label_file *f) {
    for (size_t i = 0; i < SCHEMA_PARTS; i++)
        if (!execute(f, schema[i].sql)) return 0;
    return 1;
}

/* Nothing in the file is run: it may come from anybody. */
static int distrust(label_file *f) {
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) sqlite3_db_config(f->db, off[i], 0, NULL);
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return execute(f, "PRAGMA cell_size_check = ON") && execute(f, "PRAGMA mmap_size = 0");
}

static int check_or_make(label_file *f) {
    sqlite3_int64 application = 0, version = 0, tables = 0;
    if (!ask_number(f, "PRAGMA application_id", &application) || !ask_number(f, "PRAGMA user_version", &version) ||
        !ask_number(f, "SELECT count(*) FROM sqlite_master", &tables))
        return refuse_file(f, sqlite3_extended_errcode(f->db));
    if (application == APPLICATION && version > SCHEMA) {
        complain("%s: the rows that wait for labels were written by a newer version of sluice (schema %lld; this one "
                 "knows %d)",
                 f->path, (long long)version, SCHEMA);
        return FAILED;
    }
    if (application == APPLICATION) {
        char said[256] = "its tables are not those of sluice";
        sqlite3_int64 strange = 0;
        if (has_our_schema(f) && is_sound(f, said, sizeof said)) {
            if (!ask_number(f, strange_numbers, &strange)) return refuse_file(f, sqlite3_extended_errcode(f->db));
            if (!strange) return DONE;
            snprintf(said, sizeof said, "%s", "it is damaged (the numbers of its labels)");
        }
        complain("%s: the rows that wait for labels: %s; move it away to begin anew", f->path, said);
        return FAILED;
    }
    if (application || version || tables) {
        complain("%s: this is a database of another program", f->path);
        return FAILED;
    }
    char identity[128];
    snprintf(identity, sizeof identity, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION, SCHEMA);
    if (execute(f, "BEGIN") && make_schema(f) && execute(f, identity) && execute(f, "COMMIT")) return DONE;
    return refuse_file(f, sqlite3_extended_errcode(f->db));
}

static int prepare(label_file *f) {
    for (int i = 0; i < SQL_STATEMENTS; i++)
        if (sqlite3_prepare_v3(f->db, statement[i], -1, SQLITE_PREPARE_PERSISTENT, &f->sql[i], NULL) != SQLITE_OK)
            return refuse_file(f, sqlite3_extended_errcode(f->db));
    return DONE;
}

/* Rows are private: only the owner may read a new file. SQLite gives its log the same rights. */
static int make_private(const char *path) {
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0) {
        complain("%s: the rows that wait for labels: %s", path, strerror(errno));
        return FAILED;
    }
    close(fd); /* before SQLite locks it: closing would end its locks */
    return DONE;
}

int label_file_open(label_file *f, const char *path) {
    *f = (label_file){.path = path};
    if (!sqlite3_threadsafe()) {
        complain("this SQLite was built for programs of one thread");
        return FAILED;
    }
    int rc = make_private(path);
    if (rc) return rc;
    /* a full path: SQLite takes names such as ":memory:" for something else */
    char *full = realpath(path, NULL);
    if (!full) {
        complain("%s: the rows that wait for labels: %s", path, strerror(errno));
        return FAILED;
    }
    const int code = sqlite3_open_v2(full, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    free(full);
    if (code != SQLITE_OK) return refuse_file(f, code);
    sqlite3_extended_result_codes(f->db, 1);
    sqlite3_busy_timeout(f->db, 0);
    /* One process alone, from the first read on. The log makes each transaction a short append, which a killed process
     * leaves complete or not at all; it goes to the disk every second (label_file_settle) and when it is long. */
    if (!execute(f, "PRAGMA locking_mode = EXCLUSIVE") || !distrust(f))
        return refuse_file(f, sqlite3_extended_errcode(f->db));
    sqlite3_int64 ignored;
    if (!ask_number(f, "SELECT count(*) FROM sqlite_master", &ignored))
        return refuse_file(f, sqlite3_extended_errcode(f->db));
    rc = check_or_make(f);
    if (rc) return rc;
    if (!execute(f, "PRAGMA journal_mode = WAL") || !execute(f, "PRAGMA synchronous = NORMAL") ||
        !execute(f, "PRAGMA wal_autocheckpoint = 4000") || !execute(f, "PRAGMA journal_size_limit = 16777216") ||
        !execute(f, "PRAGMA cache_size = -16384"))
        return refuse_file(f, sqlite3_extended_errcode(f->db));
    /* takes the lock for writing now, not with the first row */
    if (!execute(f, "BEGIN IMMEDIATE") || !execute(f, "COMMIT")) return refuse_file(f, sqlite3_extended_errcode(f->db));
    return prepare(f);
}

void label_file_settle(label_file *f) { sqlite3_wal_checkpoint_v2(f->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL); }

void label_file_close(label_file *f) {
    for (int i = 0; i < SQL_STATEMENTS; i++) sqlite3_finalize(f->sql[i]);
    sqlite3_close(f->db);
    *f = (label_file){0};
}

#endif
