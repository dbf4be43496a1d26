/* Models of other programs, read as text. */
#ifndef CLI_IMPORTED_H
#define CLI_IMPORTED_H

#include "sluice.h"

/* Weights and what else a file says. Begin with {0}; free with imported_free(). */
typedef struct imported {
    sluice_weight *weights; /* names point into `text`, or into the text that was read */
    uint64_t *lines;        /* where they stand */
    size_t n, room;
    double bias;          /* value of the constant feature; 0: there is none */
    sluice_name label[2]; /* the negative and the positive one; n 0: the file has none */
    int log_odds;         /* margins are log odds */
    char *text;           /* a copy of what was read, which names are decoded in */
} imported;

void imported_free(imported *m);

/* Whether every feature has one weight. On failure err has the line of the second one. */
sluice_status imported_check(const imported *m, sluice_error *err);

/* Each reads n bytes. On failure err has line and message. */
sluice_status import_liblinear(imported *m, const char *text, size_t n, sluice_error *err);
sluice_status import_vw(imported *m, const char *text, size_t n, sluice_error *err);
sluice_status import_tsv(imported *m, const char *text, size_t n, sluice_error *err);

/* ---- for these readers ------------------------------------------------------------------------------------------- */

/* The lines of a text, each ended by a NUL in place. */
typedef struct import_lines {
    char *next, *end;
    uint64_t line; /* the number of the last one, from 1 */
} import_lines;

/* Copies the text, for which there must be no NUL in it. */
sluice_status import_start(imported *m, import_lines *lines, const char *text, size_t n, sluice_error *err);
/* The next line without its line end; NULL: there is none. */
char *import_line(import_lines *lines);
/* Fails at the last line. */
sluice_status import_bad(const import_lines *lines, sluice_error *err, const char *what);
/* Adds a weight, a number that fits a float. */
sluice_status import_weight(imported *m, const import_lines *lines, sluice_weight key, const char *number,
                            sluice_error *err);
/* Whether a text is a whole number as one writes it. */
int import_id(const char *text, uint64_t *id);

#endif
