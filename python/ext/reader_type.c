/* The type Reader: rows from files, from bytes, or from a function of Python's that gives bytes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "batch_type.h"
#include "file_types.h"

enum { WAKE_EVERY = 50 * 1000 * 1000 }; /* nanoseconds */
enum { SHORT = 1 << 16 };               /* bytes that are read at once, even if they are packed */

/* Wakes a reader that may give no rows for long, so that signals are looked at. */
typedef struct waker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop_now;
    bool running, stop;
} waker;

typedef struct reader_object {
    PyObject_HEAD
    sluice_reader *reader;
    PyObject *source; /* the bytes, or the function */
    PyObject *piece;  /* bytes that the function gave, */
    size_t taken;     /* and how many of them were taken */
    bool busy;        /* a call is under way, which may be without the GIL */
    bool has_failed;  /* the function did */
    waker waker;
} reader_object;

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The options as Python has them: a dict whose texts must stay. */
static bool text_option(const char *name, const char *key, PyObject *value, const char **to, bool *known) {
    if (strcmp(name, key) != 0) return true;
    *known = true;
    if (value == Py_None) return true;
    *to = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!*to && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s must be a str", name);
    return *to != NULL;
}

static bool number_option(const char *name, const char *key, PyObject *value, long *to, bool *known) {
    if (strcmp(name, key) != 0) return true;
    *known = true;
    *to = PyLong_AsLong(value);
    if (*to >= 0) return true;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%s must not be negative", name);
    return false;
}

static bool read_options(PyObject *dict, sluice_reader_options *o, const char **name) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    long threads = 0, skip = 0, no_header = 0, ngrams = 0, tf = 0, unlabelled = 0, words = 1, missing = 0, max_line = 0,
         no_words = 0, min_length = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        bool known = false;
        const char *k = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        if (!k) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "options have names");
            return false;
        }
        if (!text_option("format", k, value, &o->format, &known) ||
            !text_option("label", k, value, &o->label, &known) ||
            !text_option("weight", k, value, &o->weight, &known) || !text_option("hint", k, value, &o->hint, &known) ||
            !text_option("name", k, value, name, &known) || !number_option("threads", k, value, &threads, &known) ||
            !number_option("skip_errors", k, value, &skip, &known) ||
            !number_option("no_header", k, value, &no_header, &known) ||
            !text_option("chars", k, value, &o->chars, &known) ||
            !text_option("quadratic", k, value, &o->quadratic, &known) ||
            !text_option("stop_words", k, value, &o->stop_words, &known) ||
            !number_option("no_words", k, value, &no_words, &known) ||
            !number_option("min_length", k, value, &min_length, &known) ||
            !number_option("ngrams", k, value, &ngrams, &known) || !number_option("tf", k, value, &tf, &known) ||
            !number_option("unlabelled", k, value, &unlabelled, &known) ||
            !number_option("words", k, value, &words, &known) ||
            !number_option("missing_labels", k, value, &missing, &known) ||
            !number_option("max_line", k, value, &max_line, &known))
            return false;
        if (known) continue;
        PyErr_Format(PyExc_TypeError, "Reader has no option %R", key);
        return false;
    }
    o->threads = (unsigned)threads, o->skip_errors = skip != 0, o->no_header = no_header != 0;
    o->ngrams = (unsigned)ngrams, o->tf = (unsigned)tf, o->unlabelled = unlabelled != 0, o->words = words != 0;
    o->no_words = no_words != 0, o->min_length = (unsigned)min_length, o->missing_labels = missing != 0,
    o->max_line = (size_t)max_line;
    return true;
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

static void *wake_again_and_again(void *context) {
    reader_object *r = context;
    waker *w = &r->waker;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WAKE_EVERY;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&w->stop_now, &w->lock, &until);
        if (!w->stop) sluice_reader_wake(r->reader);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void start_waking(reader_object *r) {
    waker *w = &r->waker;
    pthread_condattr_t monotonic;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->stop_now, &monotonic);
    pthread_condattr_destroy(&monotonic);
    w->running = pthread_create(&w->thread, NULL, wake_again_and_again, r) == 0; /* without it a wait is longer */
}

static void stop_waking(reader_object *r) {
    waker *w = &r->waker;
    if (!w->running) return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->stop_now);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->stop_now);
    pthread_mutex_destroy(&w->lock);
    w->running = false;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The next bytes that the function gives. */
static ptrdiff_t take_piece(reader_object *r, void *bytes, size_t n) {
    char *text;
    Py_ssize_t all = 0;
    while (!r->piece || r->taken == (size_t)PyBytes_Size(r->piece)) {
        Py_CLEAR(r->piece);
        r->taken = 0;
        r->piece = PyObject_CallFunctionObjArgs(r->source, NULL);
        if (!r->piece || PyBytes_AsStringAndSize(r->piece, &text, &all) < 0) return -1;
        if (all == 0) return 0;
    }
    if (PyBytes_AsStringAndSize(r->piece, &text, &all) < 0) return -1;
    if (n > (size_t)all - r->taken) n = (size_t)all - r->taken;
    memcpy(bytes, text + r->taken, n);
    r->taken += n;
    return (ptrdiff_t)n;
}

static ptrdiff_t read_function(void *context, void *bytes, size_t n) {
    reader_object *r = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    const ptrdiff_t got = take_piece(r, bytes, n);
    if (got < 0) r->has_failed = true;
    PyGILState_Release(state);
    return got;
}

/* Whether reading it may take long, though no rows come: it waits for others, or has many lines that are no rows. */
static bool may_be_long(const char *path) {
    struct stat s;
    return strcmp(path, "-") == 0 || (stat(path, &s) == 0 && (!S_ISREG(s.st_mode) || s.st_size > SHORT));
}

static sluice_reader *open_paths(PyObject *paths, const sluice_reader_options *o, bool *is_long, sluice_error *err) {
    const Py_ssize_t n = PyTuple_Size(paths);
    sluice_reader *reader = NULL;
    const char **list = PyMem_Malloc(((size_t)n + 1) * sizeof *list);
    bool good = list != NULL;
    if (!good) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n && good; i++) {
        good = (list[i] = PyBytes_AsString(PyTuple_GetItem(paths, i))) != NULL;
        if (good) *is_long |= may_be_long(list[i]);
    }
    if (good && n == 0) PyErr_SetString(PyExc_ValueError, "there is no path");
    if (good && n > 0) {
        Py_BEGIN_ALLOW_THREADS
        reader = sluice_reader_open(list, (size_t)n, o, err);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(list);
    return reader;
}

static PyObject *open_reader(PyTypeObject *type, PyObject *source, sluice_reader_options *o, const char *name) {
    sluice_error err = {.status = SLUICE_OK};
    bool is_long = false;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    reader_object *r = (reader_object *)alloc(type, 0);
    if (!r) return NULL;
    Py_INCREF(source);
    r->source = source;
    if (PyTuple_Check(source)) {
        r->reader = open_paths(source, o, &is_long, &err);
    } else if (PyBytes_Check(source)) {
        is_long = (size_t)PyBytes_Size(source) > SHORT;
        r->reader = sluice_reader_open_memory(PyBytes_AsString(source), (size_t)PyBytes_Size(source), name, o, &err);
    } else if (PyCallable_Check(source)) {
        o->threads = 1; /* the function is called by the thread that reads, which sees its exceptions and signals */
        r->reader = sluice_reader_open_function(read_function, r, name, o, &err);
    } else {
        PyErr_SetString(PyExc_TypeError,
                        "Reader takes a tuple of paths as bytes, bytes, or a function that gives bytes");
    }
    if (r->reader) {
        if (is_long) start_waking(r);
        return (PyObject *)r;
    }
    if (!PyErr_Occurred()) sl_py_raise(&err);
    Py_DECREF(r);
    return NULL;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *source, *dict;
    const char *name = NULL;
    sluice_reader_options o = {.size = sizeof o};
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OO!:Reader", &source, &PyDict_Type, &dict)) return NULL;
    if (!(dict = PyDict_Copy(dict))) return NULL; /* numbers may be code of Python's, which changes the dict */
    if (!read_options(dict, &o, &name)) {
        Py_DECREF(dict);
        return NULL;
    }
    PyObject *self = open_reader(type, source, &o, name);
    Py_DECREF(dict);
    return self;
}

/* Whether no other call is under way; it is then this one's, until `busy` is false again. */
static bool begin(reader_object *r) {
    if (!r->busy) return r->busy = true;
    PyErr_SetString(PyExc_RuntimeError, "the reader is in use in another thread");
    return false;
}

static PyObject *close_reader(PyObject *self, PyObject *unused) {
    reader_object *r = (reader_object *)self;
    (void)unused;
    if (!begin(r)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    stop_waking(r);
    sluice_reader_close(r->reader);
    r->reader = NULL;
    Py_END_ALLOW_THREADS
    r->busy = false;
    Py_CLEAR(r->source);
    Py_CLEAR(r->piece);
    Py_RETURN_NONE;
}

static void reader_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    reader_object *r = (reader_object *)self;
    stop_waking(r);
    sluice_reader_close(r->reader);
    Py_XDECREF(r->source);
    Py_XDECREF(r->piece);
    release(self);
    Py_DECREF(type);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The next rows, valid until the next call. 1: there are; 0: that was all; -1: an exception is set. */
static int next_rows(reader_object *r, const sluice_batch **batch) {
    sluice_status status;
    if (!r->reader || r->has_failed) { /* what was cut must not look complete */
        PyErr_SetString(r->reader ? PyExc_RuntimeError : PyExc_ValueError,
                        r->reader ? "the function that gives the bytes has failed" : "the reader is closed");
        return -1;
    }
    do {
        if (PyErr_CheckSignals() < 0) return -1; /* before rows are taken: none is lost */
        Py_BEGIN_ALLOW_THREADS
        status = sluice_reader_next(r->reader, batch);
        Py_END_ALLOW_THREADS
        if (r->has_failed) return -1;
    } while (status == SLUICE_OK && sluice_batch_rows(*batch) == 0);
    if (status == SLUICE_OK || status == SLUICE_END) return status == SLUICE_OK;
    sl_py_raise(sluice_reader_error(r->reader));
    return -1;
}

bool sl_py_reader_begin(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if ((destructor)PyType_GetSlot(type, Py_tp_dealloc) == reader_dealloc) return begin((reader_object *)object);
    PyErr_Format(PyExc_TypeError, "a Reader is needed, not %R", (PyObject *)type);
    return false;
}

int sl_py_reader_rows(PyObject *reader, const sluice_batch **batch) {
    return next_rows((reader_object *)reader, batch);
}

void sl_py_reader_end(PyObject *reader) { ((reader_object *)reader)->busy = false; }

static PyObject *reader_next(PyObject *self) {
    reader_object *r = (reader_object *)self;
    const sluice_batch *batch;
    if (!begin(r)) return NULL;
    PyObject *copy = next_rows(r, &batch) > 0 ? sl_py_batch_copy(batch) : NULL;
    r->busy = false;
    return copy;
}

static PyObject *reader_iter(PyObject *self) {
    Py_INCREF(self);
    return self;
}

static PyObject *reader_format(PyObject *self, PyObject *unused) {
    reader_object *r = (reader_object *)self;
    (void)unused;
    if (!begin(r)) return NULL;
    const char *format = r->reader ? sluice_reader_format(r->reader) : NULL;
    r->busy = false;
    if (!format) Py_RETURN_NONE;
    return PyUnicode_FromString(format);
}

static PyObject *reader_skipped(PyObject *self, PyObject *unused) {
    reader_object *r = (reader_object *)self;
    const char *reason;
    uint64_t n;
    (void)unused;
    if (!begin(r)) return NULL;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && r->reader && (reason = sluice_reader_skipped(r->reader, i, &n)); i++) {
        if (n == 0) continue;
        PyObject *count = PyLong_FromUnsignedLongLong(n);
        if (!count || PyDict_SetItemString(dict, reason, count) < 0) Py_CLEAR(dict);
        Py_XDECREF(count);
    }
    r->busy = false;
    return dict;
}

/* ---- all rows as a matrix ---------------------------------------------------------------------------------------- */

/* Bytes that grow, and become an array of numpy's as they are. */
typedef struct growing {
    PyObject *bytes;
    size_t n, room;
} growing;

static char *more(growing *g, size_t n) {
    if (!g->bytes && !(g->bytes = PyByteArray_FromStringAndSize(NULL, 0))) return NULL;
    if (g->n + n > g->room) {
        size_t room = g->n + n + g->room / 2 + 4096;
        if (PyByteArray_Resize(g->bytes, (Py_ssize_t)room) < 0) return NULL;
        g->room = room;
    }
    g->n += n;
    return PyByteArray_AsString(g->bytes) + g->n - n;
}

typedef struct matrix {
    growing starts, columns, values, labels, weights, codes;
    PyObject *words; /* dict: text of a label to its number */
    bool wide;       /* columns have 64 bits */
    bool zero_based, has_weights;
    uint64_t rows, n_columns; /* n_columns: the largest, + 1 */
} matrix;

static void release_matrix(matrix *m) {
    Py_XDECREF(m->starts.bytes), Py_XDECREF(m->columns.bytes), Py_XDECREF(m->values.bytes);
    Py_XDECREF(m->labels.bytes), Py_XDECREF(m->weights.bytes), Py_XDECREF(m->codes.bytes), Py_XDECREF(m->words);
}

static bool widen(matrix *m) {
    growing wide = {0};
    const size_t n = m->columns.n / 4;
    const int32_t *from = n ? (int32_t *)(void *)PyByteArray_AsString(m->columns.bytes) : NULL;
    int64_t *to = (int64_t *)(void *)more(&wide, n * 8);
    if (!to) return false;
    for (size_t i = 0; i < n; i++) to[i] = from[i];
    Py_XDECREF(m->columns.bytes);
    m->columns = wide;
    m->wide = true;
    return true;
}

/* Refuses a batch for an id that is no column, with the place of the row where it stands. */
static bool refuse_id(const sluice_batch *b, uint64_t least, uint64_t most, const char *why) {
    sluice_row_origin origin = {.size = sizeof origin};
    for (size_t i = 0; i < sluice_batch_rows(b); i++) {
        uint64_t few[64], *ids = few;
        sluice_example x;
        const size_t n = sluice_batch_nonzeros(b, i);
        if (n > 64 && !(ids = malloc(n * sizeof *ids))) break;
        sluice_batch_row(b, i, ids, NULL, &x);
        bool found = false;
        for (size_t k = 0; k < n; k++) found |= ids[k] < least || ids[k] > most;
        if (ids != few) free(ids);
        if (!found) continue;
        sluice_batch_origin(b, i, &origin, NULL);
        break;
    }
    if (origin.line)
        PyErr_Format(PyExc_ValueError, "%s:%llu: %s", origin.input ? origin.input : "", (unsigned long long)origin.line,
                     why);
    else
        PyErr_SetString(PyExc_ValueError, why);
    return false;
}

/* Columns of a batch; *largest is the largest + 1, *zero whether there is an id 0 that may not be. */
static void put_columns(const sluice_csr *csr, bool wide, uint64_t less, char *to, uint64_t *largest, bool *zero) {
    uint64_t most = 0;
    uint32_t most32 = 0, least32 = UINT32_MAX;
    const size_t n = csr->nonzeros;
    if (csr->ids_type == SLUICE_UINT32 && !wide) {
        const uint32_t *ids = csr->ids, less32 = (uint32_t)less;
        int32_t *columns = (int32_t *)(void *)to;
        for (size_t k = 0; k < n; k++) {
            most32 = ids[k] > most32 ? ids[k] : most32;
            least32 = ids[k] < least32 ? ids[k] : least32;
            columns[k] = (int32_t)(ids[k] - less32);
        }
        *zero = n && least32 < less;
        most = n ? (uint64_t)most32 + 1 - less : 0;
    } else {
        int64_t *columns = (int64_t *)(void *)to;
        for (size_t k = 0; k < n; k++) {
            const uint64_t id =
                csr->ids_type == SLUICE_UINT32 ? ((const uint32_t *)csr->ids)[k] : ((const uint64_t *)csr->ids)[k];
            *zero |= id < less;
            if (id + 1 - less > most || id == UINT64_MAX) most = id == UINT64_MAX ? id : id + 1 - less;
            columns[k] = (int64_t)(id - less);
        }
    }
    if (most > *largest) *largest = most;
}

static bool put_labels(matrix *m, const sluice_batch *b) {
    const size_t rows = sluice_batch_rows(b);
    double *labels = (double *)(void *)more(&m->labels, rows * sizeof *labels);
    if (!labels) return false;
    for (size_t i = 0; i < rows; i++) labels[i] = sluice_batch_label(b, i);
    if (!sluice_batch_has_words(b) && !m->words) return true;
    if (!m->words) {
        if (!(m->words = PyDict_New())) return false;
        char *before = more(&m->codes, m->rows * sizeof(int32_t));
        if (!before) return false;
        memset(before, 0xff, m->rows * sizeof(int32_t));
    }
    int32_t *codes = (int32_t *)(void *)more(&m->codes, rows * sizeof *codes);
    if (!codes) return false;
    for (size_t i = 0; i < rows; i++) {
        const sluice_name word = sluice_batch_word(b, i);
        codes[i] = -1;
        if (!word.n) continue;
        PyObject *key = sl_py_text(word), *code = key ? PyDict_GetItemWithError(m->words, key) : NULL;
        if (!key) return false;
        if (code) {
            codes[i] = (int32_t)PyLong_AsLong(code);
        } else if (!PyErr_Occurred()) {
            const Py_ssize_t n = PyDict_Size(m->words);
            PyObject *number = PyLong_FromSsize_t(n);
            if (number && n < INT32_MAX && PyDict_SetItem(m->words, key, number) == 0) codes[i] = (int32_t)n;
            Py_XDECREF(number);
        }
        Py_DECREF(key);
        if (codes[i] < 0) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many different labels");
            return false;
        }
    }
    return true;
}

static bool put_weights(matrix *m, const sluice_csr *csr) {
    if (!csr->weights && !m->has_weights) return true;
    if (!m->has_weights) {
        float *before = (float *)(void *)more(&m->weights, m->rows * sizeof *before);
        if (!before) return false;
        for (uint64_t i = 0; i < m->rows; i++) before[i] = 1;
        m->has_weights = true;
    }
    float *weights = (float *)(void *)more(&m->weights, csr->rows * sizeof *weights);
    if (!weights) return false;
    for (size_t i = 0; i < csr->rows; i++) weights[i] = csr->weights ? ((const float *)csr->weights)[i] : 1;
    return true;
}

/* A batch's arrays, labels aside. */
static bool put_arrays(matrix *m, const sluice_batch *b, const sluice_csr *csr) {
    const uint64_t less = !m->zero_based, before = m->values.n / sizeof(float);
    bool zero = false;
    if (csr->ids_type == SLUICE_UINT64 && !m->wide && !widen(m)) return false;
    int64_t *starts = (int64_t *)(void *)more(&m->starts, csr->rows * sizeof *starts);
    char *columns = more(&m->columns, csr->nonzeros * (m->wide ? 8 : 4));
    float *values = (float *)(void *)more(&m->values, csr->nonzeros * sizeof *values);
    if (!starts || !columns || !values) return false;
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < csr->rows; i++) starts[i] = (int64_t)(before + ((const size_t *)csr->indptr)[i]);
    put_columns(csr, m->wide, less, columns, &m->n_columns, &zero);
    if (csr->nonzeros) memcpy(values, csr->values, csr->nonzeros * sizeof *values);
    Py_END_ALLOW_THREADS
    const uint64_t most = INT64_MAX - 1 + less; /* so that the number of columns has 63 bits */
    if (zero)
        return refuse_id(b, 1, UINT64_MAX,
                         "id 0: column j of the matrix is id j + 1; for ids that begin at 0 say zero_based=True");
    if (m->n_columns > INT64_MAX)
        return refuse_id(b, 0, most, "an id that is too large for a column of a matrix: it has at most 2^63 - 1");
    return true;
}

/* The arrays of a batch whose labels are words, which sluice_batch_csr() refuses. `ids` has room for them. */
static bool copy_arrays(const sluice_batch *b, sluice_csr *csr, uint64_t *ids, void **copies) {
    const size_t rows = sluice_batch_rows(b), nonzeros = sluice_batch_total_nonzeros(b);
    size_t *starts = copies[0] = malloc((rows + 1) * sizeof *starts);
    float *values = copies[1] = malloc((nonzeros + 1) * sizeof *values);
    float *weights = copies[2] = malloc((rows + 1) * sizeof *weights);
    bool weighted = false;
    if (!starts || !values || !weights) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0, at = 0; i < rows; i++) {
        sluice_example x;
        sluice_batch_row(b, i, ids + at, NULL, &x);
        if (x.n) memcpy(values + at, x.values, x.n * sizeof *values);
        starts[i] = at;
        weights[i] = (float)x.weight;
        weighted |= x.weight != 1;
        at += x.n;
    }
    bool wide = false;
    for (size_t k = 0; k < nonzeros; k++) wide |= ids[k] > INT32_MAX;
    for (size_t k = 0; k < nonzeros && !wide; k++) { /* as sluice_batch_csr() gives them */
        const uint32_t id = (uint32_t)ids[k];
        memcpy((char *)ids + 4 * k, &id, sizeof id);
    }
    *csr = (sluice_csr){.size = sizeof *csr,
                        .ids_type = wide ? SLUICE_UINT64 : SLUICE_UINT32,
                        .rows = rows,
                        .nonzeros = nonzeros,
                        .indptr = starts,
                        .ids = ids,
                        .values = values,
                        .weights = weighted ? weights : NULL};
    return true;
}

static bool put_batch(matrix *m, const sluice_batch *b) {
    sluice_csr csr = {.size = sizeof csr};
    sluice_error err = {.status = SLUICE_OK};
    void *copies[3] = {NULL, NULL, NULL};
    uint64_t *ids;
    if (sluice_batch_has_names(b)) {
        PyErr_SetString(PyExc_ValueError,
                        "the features of this input have names, not ids: a matrix has no place for them");
        return false;
    }
    if (!(ids = malloc((sluice_batch_total_nonzeros(b) + 1) * sizeof *ids))) {
        PyErr_NoMemory();
        return false;
    }
    bool good;
    if (sluice_batch_has_words(b)) {
        good = copy_arrays(b, &csr, ids, copies);
    } else {
        good = sluice_batch_csr(b, &csr, ids, &err) == SLUICE_OK;
        if (!good) sl_py_raise(&err);
    }
    good = good && put_labels(m, b) && put_arrays(m, b, &csr) && put_weights(m, &csr);
    m->rows += csr.rows;
    free(ids), free(copies[0]), free(copies[1]), free(copies[2]);
    return good;
}

static bool finish(growing *g) {
    return (g->bytes || more(g, 0)) && PyByteArray_Resize(g->bytes, (Py_ssize_t)g->n) == 0;
}

static PyObject *read_matrix(PyObject *self, PyObject *zero_based) {
    const sluice_batch *batch;
    const int from_zero = PyObject_IsTrue(zero_based);
    matrix m = {.zero_based = from_zero != 0};
    PyObject *result = NULL;
    reader_object *r = (reader_object *)self;
    int got;
    if (from_zero < 0 || !begin(r)) return NULL;
    while ((got = next_rows(r, &batch)) > 0)
        if (!put_batch(&m, batch)) break;
    r->busy = false;
    int64_t *end = got == 0 ? (int64_t *)(void *)more(&m.starts, sizeof *end) : NULL;
    if (end) {
        *end = (int64_t)(m.values.n / sizeof(float));
        if (finish(&m.starts) && finish(&m.columns) && finish(&m.values) && finish(&m.labels) && finish(&m.weights) &&
            finish(&m.codes))
            result = Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:K}", "starts", m.starts.bytes, "columns",
                                   m.columns.bytes, "values", m.values.bytes, "labels", m.labels.bytes, "weights",
                                   m.has_weights ? m.weights.bytes : Py_None, "codes",
                                   m.words ? m.codes.bytes : Py_None, "words", m.words ? m.words : Py_None, "wide",
                                   m.wide ? Py_True : Py_False, "n_columns", (unsigned long long)m.n_columns);
    }
    release_matrix(&m);
    return result;
}

static PyMethodDef methods[] = {
    {"close", close_reader, METH_NOARGS, "close(): frees what it holds"},
    {"format", reader_format, METH_NOARGS, "format() -> str | None: of the last batch"},
    {"skipped", reader_skipped, METH_NOARGS, "skipped() -> dict: how many lines were left out, by reason"},
    {"read_matrix", read_matrix, METH_O, "read_matrix(zero_based) -> dict of bytearrays: all rows as a matrix"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_iter, reader_iter},
    {Py_tp_iternext, reader_next},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Reader(paths or bytes or function, options: dict): iterates over Batches."},
    {0, NULL},
};

static PyType_Spec spec = {"sluiceway._sluice.Reader", sizeof(reader_object), 0, Py_TPFLAGS_DEFAULT, slots};

int sl_py_add_reader_type(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    int done = type ? PyModule_AddObjectRef(module, "Reader", type) : -1;
    Py_XDECREF(type);
    return done;
}
