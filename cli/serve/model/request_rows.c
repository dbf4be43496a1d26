/* Rows of requests: parsers are kept by the threads that used them last, so that a request takes no lock for one. */
#include "serve/model/request_rows.h"

#include "serve/model/served_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BY_THREAD = 8,
    KEPT_BY_ALL = 64,
    USUAL_BYTES = 512 << 10 /* of a body; parsers that have had larger ones are not kept */
};

struct pooled_parser {
    sluice_parser *parser;
    uint64_t reading; /* number of the model_reading */
    char *format, *id;
    int to_learn, drop_id, keep_lines, is_large;
};

/* ---- where they are kept ----------------------------------------------------------------------------------------- */

typedef struct parser_shelf {
    pooled_parser *kept[KEPT_BY_THREAD];
    unsigned next; /* to go where there is no room */
} parser_shelf;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pooled_parser *of_all[KEPT_BY_ALL]; /* guarded by it */
static unsigned next_of_all;
static _Thread_local parser_shelf *mine;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parser_free(pooled_parser *p) {
    if (!p) return;
    sluice_parser_free(p->parser);
    free(p->format);
    free(p->id);
    free(p);
}

/* What a thread has kept, when it ends. */
static void shelf_free(void *shelf) {
    parser_shelf *s = shelf;
    for (size_t i = 0; i < KEPT_BY_THREAD; i++) parser_free(s->kept[i]);
    free(s);
}

static void make_key(void) { pthread_key_create(&at_exit, shelf_free); }

static parser_shelf *my_shelf(void) {
    if (mine) return mine;
    pthread_once(&once, make_key);
    mine = calloc(1, sizeof *mine);
    if (mine && pthread_setspecific(at_exit, mine) != 0) {
        free(mine);
        mine = NULL;
    }
    return mine;
}

static int is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static int fits(const pooled_parser *p, uint64_t reading, const char *format, const row_request *what) {
    return p && p->reading == reading && p->to_learn == what->to_learn && p->drop_id == what->drop_id &&
           p->keep_lines == what->keep_lines && strcmp(p->format, format) == 0 && is_same_text(p->id, what->id);
}

static pooled_parser *take_from(pooled_parser **kept, size_t n, uint64_t reading, const char *format,
                                const row_request *what) {
    for (size_t i = 0; i < n; i++)
        if (fits(kept[i], reading, format, what)) {
            pooled_parser *p = kept[i];
            kept[i] = NULL;
            return p;
        }
    return NULL;
}

static pooled_parser *take(uint64_t reading, const char *format, const row_request *what) {
    parser_shelf *shelf = my_shelf();
    pooled_parser *p = shelf ? take_from(shelf->kept, KEPT_BY_THREAD, reading, format, what) : NULL;
    if (p) return p;
    pthread_mutex_lock(&lock);
    p = take_from(of_all, KEPT_BY_ALL, reading, format, what);
    pthread_mutex_unlock(&lock);
    return p;
}

/* Puts one where there is room; returns the one that had to go for it. */
static pooled_parser *put(pooled_parser **kept, unsigned n, unsigned *next, pooled_parser *p) {
    for (unsigned i = 0; i < n; i++)
        if (!kept[i]) {
            kept[i] = p;
            return NULL;
        }
    pooled_parser *old = kept[*next];
    kept[*next] = p;
    *next = (*next + 1) % n;
    return old;
}

static void give_back(pooled_parser *p) {
    parser_shelf *shelf = p->is_large ? NULL : my_shelf();
    if (!shelf) {
        parser_free(p);
        return;
    }
    p = put(shelf->kept, KEPT_BY_THREAD, &shelf->next, p);
    if (!p) return;
    pthread_mutex_lock(&lock); /* rows to learn are freed by another thread than had them parsed */
    p = put(of_all, KEPT_BY_ALL, &next_of_all, p);
    pthread_mutex_unlock(&lock);
    parser_free(p);
}

void rows_free_parsers(void) {
    for (size_t i = 0; i < KEPT_BY_ALL; i++) {
        parser_free(of_all[i]);
        of_all[i] = NULL;
    }
    if (!mine) return;
    pthread_setspecific(at_exit, NULL);
    shelf_free(mine);
    mine = NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pooled_parser *make(const sluice_reader_options *o, uint64_t reading, const row_request *what,
                           sluice_error *err) {
    pooled_parser *p = calloc(1, sizeof *p);
    if (p) {
        *p = (pooled_parser){.reading = reading,
                             .to_learn = what->to_learn,
                             .drop_id = what->drop_id,
                             .keep_lines = what->keep_lines,
                             .is_large = o->at_once > 0,
                             .format = strdup(o->format),
                             .id = what->id ? strdup(what->id) : NULL};
        if (p->format && (p->id || !what->id)) {
            p->parser = sluice_parser_new(o, err);
            if (p->parser) return p;
            parser_free(p);
            return NULL;
        }
    }
    parser_free(p);
    served_fail(err, SLUICE_E_MEMORY, "no memory");
    return NULL;
}

static sluice_reader_options options_of(const model_reading *r, const row_request *what, size_t n) {
    sluice_reader_options o = reading_options(r, what->format, what->to_learn);
    o.id = what->id;
    o.drop_id = what->drop_id;
    o.keep_lines = what->keep_lines;
    if (o.id || o.keep_lines) o.every_line = 1;
    if (n >= USUAL_BYTES) o.at_once = n;
    return o;
}

/* All rows are one batch: it is not copied, and says of each row where it comes from. */
static sluice_status parse(request_rows *rows, const char *bytes, size_t n, sluice_error *err) {
    sluice_parser *p = rows->parser->parser;
    sluice_parser_reset(p);
    sluice_status status = sluice_parser_push(p, bytes, n);
    sluice_parser_finish(p);
    if (status == SLUICE_OK) status = sluice_parser_next(p, &rows->batch);
    if (status == SLUICE_END) { /* nothing but blank lines */
        rows->batch = rows->own = sluice_batch_new(err);
        return rows->own ? SLUICE_OK : err->status;
    }
    if (status == SLUICE_OK && sluice_parser_is_done(p)) return SLUICE_OK;
    if (status == SLUICE_OK) status = sluice_parser_next(p, &rows->batch);
    rows->batch = NULL;
    if (status == SLUICE_OK || status == SLUICE_END)
        return served_fail(err, SLUICE_E_LIMIT, "the request has too many rows, or features in them: send fewer");
    *err = *sluice_parser_error(p);
    if (strcmp(err->source, "<bytes>") == 0) err->source[0] = 0; /* it says nothing */
    return status;
}

sluice_status rows_read(request_rows *rows, const model_reading *r, const row_request *what, const char *bytes,
                        size_t n, sluice_error *err) {
    const sluice_reader_options o = options_of(r, what, n);
    *rows = (request_rows){.batch = NULL};
    if (strcmp(o.format, "bin") == 0)
        return served_fail(err, SLUICE_E_UNSUPPORTED, "bin is a format of files: requests have lines");
    rows->parser = o.at_once ? NULL : take(r->number, o.format, what);
    if (!rows->parser) rows->parser = make(&o, r->number, what, err);
    return rows->parser ? parse(rows, bytes, n, err) : err->status;
}

void rows_free(request_rows *rows) {
    sluice_batch_free(rows->own);
    if (rows->parser) give_back(rows->parser);
    *rows = (request_rows){.batch = NULL};
}
