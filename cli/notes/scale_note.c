/* Says which option a named learner needs where the values of the first rows are badly scaled for it. */
#include "notes/scale_note.h"

#include "output/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 1000,
    LEAST_ROWS = 100,    /* fewer say little */
    LEAST_COLUMN = 10,   /* rows with a value in a column */
    MOST_COLUMNS = 4096, /* the first ones: columns of tables are all in the first rows */
    PLACES = 2 * MOST_COLUMNS,
};

#define LONG_ROW 10.       /* median length of rows that are too long for steps made for length 1, */
#define SHORT_ROW 0.1      /* and too short */
#define UNIT_WITHIN 0.01   /* of 1: rows that have been scaled already */
#define FAR_APART 1000.    /* largest |values| of two columns of a table */
#define APART 100.         /* where rows are too long or too short, too: rows of length 1 would hide small columns */
#define FEW_COLUMNS 10.    /* times the values of a row: the rows are those of a table. So they are where */
#define IN_MOST_ROWS 0.5   /* columns with a value in this share of the rows */
#define MOSTLY_COLUMNS 0.5 /* have this share of all values */

typedef struct column {
    uint64_t key;
    uint32_t rows; /* with a value; 0: the place is free */
    float largest;
} column;

struct value_sample {
    const char *learner;
    int any_length; /* the learner does not depend on the scale of all values together */
    size_t n, columns;
    uint64_t values;
    double length[MOST_ROWS];
    column column[PLACES];
    uint64_t *ids;
    sluice_name *names;
    size_t room;
};

/* ---- whether to look --------------------------------------------------------------------------------------------- */

static int is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return 1;
    return 0;
}

void idf_note(const args *a) {
    const char *scale = args_value(a, "scale");
    if (!scale || strcmp(scale, "idf") != 0 || args_has(a, "resume") || args_has(a, "normalize") ||
        !args_has(a, "learner") || strcmp(args_value(a, "learner"), "auto") == 0)
        return;
    note("--scale idf makes rows longer, those of rare features most; --normalize l2 makes them of length 1 again");
}

value_sample *scale_note_start(const args *a, const sluice_model *model) {
    static const char *const own_scale[] = {"auto",  "cw",         "cw-full",    "scw-1",
                                            "scw-2", "scw-1-full", "scw-2-full", NULL};
    static const char *const any_length[] = {"perceptron", "pa", NULL}; /* weights shrink as values grow */
    static const char *const options[] = {"resume", "normalize", "scale", "transform", NULL};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    if (!args_has(a, "learner") || is_one_of(facts.learner->name, own_scale)) return NULL;
    for (size_t i = 0; options[i]; i++)
        if (args_has(a, options[i])) return NULL;
    value_sample *s = calloc(1, sizeof *s);
    if (!s) return NULL; /* learning goes on without a note */
    s->learner = facts.learner->name;
    s->any_length = is_one_of(s->learner, any_length);
    return s;
}

void scale_note_free(value_sample *s) {
    if (!s) return;
    free(s->ids);
    free(s->names);
    free(s);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static uint64_t key_of(const sluice_example *x, size_t k) {
    if (!x->names) return x->ids[k];
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < x->names[k].n; i++) h = (h ^ (unsigned char)x->names[k].text[i]) * 1099511628211u;
    return h;
}

/* The column of a key; NULL: it is new, and there is no room. */
static column *find(value_sample *s, uint64_t key) {
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 40) % PLACES;
    while (s->column[at].rows && s->column[at].key != key) at = (at + 1) % PLACES;
    column *c = &s->column[at];
    if (c->rows) return c;
    if (s->columns == MOST_COLUMNS) return NULL;
    s->columns++;
    c->key = key;
    return c;
}

static int make_room(value_sample *s, size_t n) {
    if (n <= s->room) return 1;
    free(s->ids);
    free(s->names);
    s->ids = malloc(n * sizeof *s->ids);
    s->names = malloc(n * sizeof *s->names);
    s->room = s->ids && s->names ? n : 0;
    return s->room != 0;
}

static void take_row(value_sample *s, const sluice_batch *batch, size_t row) {
    sluice_example x = {0};
    if (!make_room(s, sluice_batch_nonzeros(batch, row))) return;
    sluice_batch_row(batch, row, s->ids, s->names, &x);
    if (!sluice_batch_has_names(batch)) x.names = NULL;
    double squares = 0;
    for (size_t k = 0; k < x.n; k++) {
        const float size = fabsf(x.values[k]);
        if (!(size > 0)) continue;
        squares += (double)size * (double)size;
        s->values++;
        column *c = find(s, key_of(&x, k));
        if (!c) continue;
        c->rows++;
        if (size > c->largest) c->largest = size;
    }
    if (squares > 0) s->length[s->n++] = sqrt(squares);
}

int scale_note_look(value_sample *s, const sluice_batch *batch, size_t first, size_t n) {
    for (size_t i = 0; i < n && s->n < MOST_ROWS; i++) take_row(s, batch, first + i);
    return s->n == MOST_ROWS;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Whether a column counts: those of the whole table, unless it has many columns that are rarely used. */
static int counts(const value_sample *s, const column *c, int few) {
    return few ? c->rows >= LEAST_COLUMN : c->rows >= IN_MOST_ROWS * (double)s->n;
}

/* By how much the columns of a table differ in size; 1 where the rows are no table. */
static double column_spread(const value_sample *s) {
    const double all = (double)s->values;
    const int few = s->columns < MOST_COLUMNS && (double)s->columns * (double)s->n <= FEW_COLUMNS * all;
    double least = INFINITY, most = 0, values = 0;
    for (size_t i = 0; i < PLACES; i++) {
        const column *c = &s->column[i];
        if (!c->rows || !counts(s, c, few)) continue;
        values += c->rows;
        least = fmin(least, (double)c->largest);
        most = fmax(most, (double)c->largest);
    }
    return values >= MOSTLY_COLUMNS * all && most > 0 ? most / least : 1;
}

static void judge(value_sample *s) {
    if (s->n < LEAST_ROWS) return;
    qsort(s->length, s->n, sizeof *s->length, ascending);
    if (s->length[0] > 1 - UNIT_WITHIN && s->length[s->n - 1] < 1 + UNIT_WITHIN) return;
    const double spread = column_spread(s), length = s->length[s->n / 2];
    const int is_far = length > LONG_ROW || length < SHORT_ROW;
    if (spread > FAR_APART || (is_far && spread > APART))
        note("some columns have values more than %.0f times as large as others, and %s takes them as they are; add "
             "--scale maxabs, or leave out -a: auto scales by itself",
             spread > FAR_APART ? FAR_APART : APART, s->learner);
    else if (is_far && !s->any_length)
        note("the median length of the rows is %.*f, and %s suits rows of length 1; add --normalize l2, or leave out "
             "-a: auto scales by itself",
             length > LONG_ROW ? 0 : 4, length, s->learner);
}

void scale_note_end(value_sample *s) {
    if (s) judge(s);
    scale_note_free(s);
}
