/* The type Writer: rows to a file, which appears when it is complete. */
#include <string.h>

#include "batch_type.h"
#include "file_types.h"

enum { NONZEROS_AT_ONCE = 1 << 16, ROWS_AT_ONCE = 1 << 14 };

typedef struct writer_object {
    PyObject_HEAD
    sluice_writer *writer;
    bool busy;
} writer_object;

static PyObject *writer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *path, *format = NULL;
    sluice_error err = {.status = SLUICE_OK};
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "yz:Writer", &path, &format)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    writer_object *w = (writer_object *)alloc(type, 0);
    if (!w) return NULL;
    Py_BEGIN_ALLOW_THREADS
    w->writer = sluice_writer_open(path, format, &err);
    Py_END_ALLOW_THREADS
    if (w->writer) return (PyObject *)w;
    Py_DECREF(w);
    return sl_py_raise(&err);
}

static void writer_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    sluice_writer_close(((writer_object *)self)->writer);
    release(self);
    Py_DECREF(type);
}

static bool begin(writer_object *w) {
    if (w->writer && !w->busy) return w->busy = true;
    PyErr_SetString(w->busy ? PyExc_RuntimeError : PyExc_ValueError,
                    w->busy ? "the writer is in use in another thread" : "the writer is closed");
    return false;
}

static PyObject *end(writer_object *w, const sluice_error *err) {
    w->busy = false;
    if (PyErr_Occurred()) return NULL;
    if (err) return sl_py_raise(err);
    Py_RETURN_NONE;
}

static PyObject *put_batch(PyObject *self, PyObject *object) {
    writer_object *w = (writer_object *)self;
    sl_py_batch *b = sl_py_batch_of(object);
    sluice_status status;
    if (!b || !begin(w)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_writer_put_batch(w->writer, b->batch);
    Py_END_ALLOW_THREADS
    return end(w, status == SLUICE_OK ? NULL : sluice_writer_error(w->writer));
}

static uint64_t start_of(const sl_py_view *indptr, size_t i) {
    if (indptr->type == SLUICE_INT32 || indptr->type == SLUICE_UINT32) return ((const uint32_t *)indptr->data)[i];
    return ((const uint64_t *)indptr->data)[i];
}

/* Rows of a matrix, piece by piece, each of which is copied into a batch. */
static sluice_status put_rows(sluice_writer *writer, const sluice_csr *all, const sl_py_view *indptr,
                              sl_py_watch *watch, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (size_t first = 0, next; first < all->rows && status == SLUICE_OK; first = next) {
        for (next = first + 1; next < all->rows && next - first < ROWS_AT_ONCE; next++)
            if (start_of(indptr, next) - start_of(indptr, first) >= NONZEROS_AT_ONCE) break;
        sluice_csr part = *all;
        part.rows = next - first;
        part.indptr = (const char *)all->indptr + first * sl_py_bytes(all->indptr_type);
        part.labels = (const char *)all->labels + first * sl_py_bytes(all->labels_type);
        if (all->weights) part.weights = (const char *)all->weights + first * sl_py_bytes(all->weights_type);
        sluice_batch *batch = sluice_batch_new(err);
        status = batch ? sluice_batch_add_csr(batch, &part, err) : err->status;
        if (status != SLUICE_OK && err->line) err->line += first;
        if (status == SLUICE_OK && (status = sluice_writer_put_batch(writer, batch)) != SLUICE_OK)
            *err = *sluice_writer_error(writer);
        sluice_batch_free(batch);
        if (status == SLUICE_OK && sl_py_watch_look(watch, next, all->rows) != 0)
            status = err->status = SLUICE_E_CANCELLED;
    }
    return status;
}

static PyObject *put_csr(PyObject *self, PyObject *args) {
    writer_object *w = (writer_object *)self;
    PyObject *starts, *columns, *numbers, *classes, *texts, *importances;
    int zero_based;
    sl_py_view indptr, ids, values, labels, weights = {.data = NULL};
    sluice_name *words = NULL;
    sluice_error err = {.status = SLUICE_OK};
    sluice_status status = SLUICE_OK;
    if (!PyArg_ParseTuple(args, "OOOOOpO:put_csr", &starts, &columns, &numbers, &classes, &texts, &zero_based,
                          &importances) ||
        !sl_py_array(starts, "indptr", SL_PY_WHOLE, &indptr) || !sl_py_array(columns, "indices", SL_PY_WHOLE, &ids) ||
        !sl_py_array(numbers, "data", SL_PY_REAL, &values) ||
        !sl_py_array(classes, "y", texts == Py_None ? SL_PY_REAL : SL_PY_WHOLE, &labels) ||
        (importances != Py_None && !sl_py_array(importances, "weights", SL_PY_REAL, &weights)))
        return NULL;
    sluice_csr csr = {
        .size = sizeof csr,
        .kind = zero_based ? SLUICE_CSR_IDS : SLUICE_CSR_COLUMNS,
        .indptr_type = indptr.type,
        .ids_type = ids.type,
        .values_type = values.type,
        .labels_type = labels.type,
        .rows = labels.n,
        .nonzeros = values.n,
        .indptr = indptr.data,
        .ids = ids.data,
        .values = values.data,
        .labels = labels.data,
        .weights = weights.data,
        .weights_type = weights.type,
    };
    if (indptr.n != labels.n + 1 || ids.n != values.n || (weights.data && weights.n != labels.n)) {
        PyErr_SetString(PyExc_ValueError, "X, y and the weights do not have as many rows");
        return NULL;
    }
    if (texts != Py_None && !sl_py_names(texts, "labels", &words, &csr.n_words)) return NULL;
    csr.words = words;
    if (begin(w)) {
        sl_py_watch watch = sl_py_watch_start(NULL);
        Py_BEGIN_ALLOW_THREADS
        status = put_rows(w->writer, &csr, &indptr, &watch, &err);
        Py_END_ALLOW_THREADS
        w->busy = false;
    }
    PyMem_Free(words);
    if (PyErr_Occurred()) return NULL;
    if (status != SLUICE_OK) return sl_py_raise(&err);
    Py_RETURN_NONE;
}

static PyObject *commit(PyObject *self, PyObject *unused) {
    writer_object *w = (writer_object *)self;
    sluice_status status;
    (void)unused;
    if (!begin(w)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_writer_commit(w->writer);
    Py_END_ALLOW_THREADS
    return end(w, status == SLUICE_OK ? NULL : sluice_writer_error(w->writer));
}

static PyObject *close_writer(PyObject *self, PyObject *unused) {
    writer_object *w = (writer_object *)self;
    (void)unused;
    if (w->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the writer is in use in another thread");
        return NULL;
    }
    sluice_writer_close(w->writer);
    w->writer = NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"put_batch", put_batch, METH_O, "put_batch(batch)"},
    {"put_csr", put_csr, METH_VARARGS,
     "put_csr(indptr, indices, data, y, words, zero_based, weights): rows of a matrix; y are numbers or, with words (a "
     "tuple), "
     "positions in it"},
    {"commit", commit, METH_NOARGS, "commit(): makes the file appear"},
    {"close", close_writer, METH_NOARGS, "close(): what was not committed is gone"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, writer_new},
    {Py_tp_dealloc, writer_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Writer(path: bytes, format: str | None)"},
    {0, NULL},
};

static PyType_Spec spec = {"sluiceway._sluice.Writer", sizeof(writer_object), 0, Py_TPFLAGS_DEFAULT, slots};

int sl_py_add_writer_type(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    int done = type ? PyModule_AddObjectRef(module, "Writer", type) : -1;
    Py_XDECREF(type);
    return done;
}
