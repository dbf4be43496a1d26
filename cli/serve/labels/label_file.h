/* The file of label_store.h: a database of SQLite, which one process has at a time. */
#ifndef CLI_LABEL_FILE_H
#define CLI_LABEL_FILE_H

#if SLUICE_HAVE_SQLITE3

#include "sluice.h"

#include <sqlite3.h>

/* The statements that are prepared when the file is opened. */
typedef enum label_sql {
    SQL_BEGIN,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_ADD_MODEL,      /* name */
    SQL_ADD_STORE,      /* the id of the file, where it has none */
    SQL_MODELS,         /* -> key, name, learned, last number */
    SQL_FORGET_ID,      /* model, id: the row that waits under it */
    SQL_ADD_ROW,        /* model, id, time, version, row */
    SQL_FORGET_OLD,     /* number of rows */
    SQL_FIND_ROW,       /* model, id -> seq, row */
    SQL_FIND_LABEL,     /* model, id -> 1: it was labelled */
    SQL_ADD_LABEL,      /* seq, number, label, assumed: records the label of a row */
    SQL_REMOVE_ROW,     /* seq */
    SQL_NEXT_LABEL,     /* model, number -> number, label, assumed, row: the one after it that is not learned */
    SQL_WAIT_AGAIN,     /* model, number: the row waits, unless another one waits under its id */
    SQL_REMOVE_LABEL,   /* model, number */
    SQL_LEARNED,        /* model, from, to: their rows are needed no more */
    SQL_SET_LEARNED,    /* key, number */
    SQL_FORGET_LEARNED, /* model, to: their ids */
    SQL_EXPIRED,        /* model, time, most -> seq, row */
    SQL_EXPIRE,         /* model, time, most: they are forgotten */
    SQL_COUNT_ROWS,
    SQL_COUNT_LABELS, /* not learned */
    SQL_STATEMENTS
} label_sql;

typedef struct label_file {
    const char *path;
    sqlite3 *db;
    sqlite3_stmt *sql[SQL_STATEMENTS];
} label_file;

/* Opens or makes it. Says what is wrong; returns an exit status. Close it in any case. */
int label_file_open(label_file *f, const char *path);
void label_file_close(label_file *f);

/* The statement, to be bound: numbers from 1 on. */
sqlite3_stmt *label_sql_of(label_file *f, label_sql which);
/* Runs it to its end. Returns 1, or 0 where it fails. */
int label_run(label_file *f, label_sql which);
/* Ends a transaction that failed. */
void label_roll_back(label_file *f);
/* Fills in what the last call has failed with. Returns the status. */
sluice_status label_file_problem(label_file *f, const char *what, sluice_error *err);
/* Copies the log into the file and to the disk, as far as no reader is in the way. */
void label_file_settle(label_file *f);

#endif
#endif
