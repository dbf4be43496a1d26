/* The type Batch: rows of a reader or a frame, to be learned from, predicted or written. */
#include "batch_type.h"

#include <stdlib.h>

static PyTypeObject *batch_type; /* made once, when the module is first loaded */

PyObject *sl_py_batch_wrap(sluice_batch *batch) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(batch_type, Py_tp_alloc);
    PyObject *self = batch ? alloc(batch_type, 0) : NULL;
    if (self)
        ((sl_py_batch *)self)->batch = batch;
    else
        sluice_batch_free(batch);
    return self;
}

sl_py_batch *sl_py_batch_of(PyObject *object) {
    if (PyObject_TypeCheck(object, batch_type)) return (sl_py_batch *)object;
    PyErr_Format(PyExc_TypeError, "a Batch is needed, not %R", (PyObject *)Py_TYPE(object));
    return NULL;
}

/* Room for a row's ids or names. */
typedef struct row_room {
    uint64_t *ids;
    sluice_name *names;
    size_t room;
} row_room;

static int make_room(row_room *r, size_t n) {
    if (n <= r->room) return 0;
    free(r->ids), free(r->names);
    r->room = n + n / 2;
    r->ids = malloc(r->room * sizeof *r->ids);
    r->names = malloc(r->room * sizeof *r->names);
    return r->ids && r->names ? 0 : -1;
}

static sluice_status copy_rows(sluice_batch *to, const sluice_batch *from, sluice_error *err) {
    row_room room = {0};
    sluice_status status = SLUICE_OK;
    sluice_example x;
    for (size_t i = 0; i < sluice_batch_rows(from) && status == SLUICE_OK; i++) {
        if (make_room(&room, sluice_batch_nonzeros(from, i)) < 0) {
            status = err->status = SLUICE_E_MEMORY;
        } else {
            sluice_batch_row(from, i, room.ids, room.names, &x);
            status = sluice_batch_add(to, &x, err);
        }
    }
    free(room.ids), free(room.names);
    return status;
}

PyObject *sl_py_batch_copy(const sluice_batch *batch) {
    sluice_error err = {.status = SLUICE_OK};
    sluice_status status;
    sluice_batch *copy;
    Py_BEGIN_ALLOW_THREADS
    copy = sluice_batch_new(&err);
    status = copy ? copy_rows(copy, batch, &err) : err.status;
    Py_END_ALLOW_THREADS
    if (status == SLUICE_OK) return sl_py_batch_wrap(copy);
    sluice_batch_free(copy);
    sl_py_raise(&err);
    return NULL;
}

static void batch_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    sluice_batch_free(((sl_py_batch *)self)->batch);
    release(self);
    Py_DECREF(type);
}

static const sluice_batch *rows_of(PyObject *self) { return ((sl_py_batch *)self)->batch; }

static Py_ssize_t batch_length(PyObject *self) { return (Py_ssize_t)sluice_batch_rows(rows_of(self)); }

static PyObject *get_rows(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(sluice_batch_rows(rows_of(self)));
}

static PyObject *get_nonzeros(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(sluice_batch_total_nonzeros(rows_of(self)));
}

static PyObject *get_has_names(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(sluice_batch_has_names(rows_of(self)));
}

static PyObject *label_of(const sluice_batch *b, size_t row) {
    const sluice_name word = sluice_batch_word(b, row);
    return word.n ? sl_py_text(word) : PyFloat_FromDouble(sluice_batch_label(b, row));
}

static PyObject *weight_of(const sluice_batch *b, size_t row) {
    return PyFloat_FromDouble(sluice_batch_weight(b, row));
}

static PyObject *each_row(PyObject *self, PyObject *(*make)(const sluice_batch *b, size_t row)) {
    const sluice_batch *b = rows_of(self);
    const size_t n = sluice_batch_rows(b);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *item = make(b, i);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *batch_labels(PyObject *self, PyObject *unused) {
    (void)unused;
    return each_row(self, label_of);
}

static PyObject *batch_weights(PyObject *self, PyObject *unused) {
    (void)unused;
    return each_row(self, weight_of);
}

static PyObject *feature_of(const sluice_example *x, size_t k) {
    return x->names ? sl_py_text(x->names[k]) : PyLong_FromUnsignedLongLong(x->ids[k]);
}

static PyObject *batch_row(PyObject *self, PyObject *number) {
    const sluice_batch *b = rows_of(self);
    const size_t row = PyLong_AsSize_t(number);
    row_room room = {0};
    sluice_example x = {0};
    if (row == (size_t)-1 && PyErr_Occurred()) return NULL;
    if (row >= sluice_batch_rows(b)) return PyErr_Format(PyExc_IndexError, "the batch has no row %zu", row);
    if (make_room(&room, sluice_batch_nonzeros(b, row)) < 0) {
        free(room.ids), free(room.names);
        return PyErr_NoMemory();
    }
    sluice_batch_row(b, row, room.ids, room.names, &x);
    PyObject *list = PyList_New((Py_ssize_t)x.n);
    for (size_t k = 0; list && k < x.n; k++) {
        PyObject *feature = feature_of(&x, k);
        PyObject *pair = feature ? Py_BuildValue("(Nd)", feature, (double)x.values[k]) : NULL;
        if (!pair || PyList_SetItem(list, (Py_ssize_t)k, pair) < 0) Py_CLEAR(list);
    }
    free(room.ids), free(room.names);
    return list;
}

static PyMethodDef methods[] = {
    {"labels", batch_labels, METH_NOARGS, "labels() -> list: a float for -1, 0 and 1, the text of all others"},
    {"weights", batch_weights, METH_NOARGS, "weights() -> list of float: the importances"},
    {"row", batch_row, METH_O, "row(i) -> list of (name or id, value)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef members[] = {
    {"rows", get_rows, NULL, "how many rows there are", NULL},
    {"nonzeros", get_nonzeros, NULL, "features of all rows together", NULL},
    {"has_names", get_has_names, NULL, "whether features have names instead of ids", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, batch_dealloc}, {Py_sq_length, batch_length},         {Py_tp_methods, methods},
    {Py_tp_getset, members},        {Py_tp_doc, "Rows for the library."}, {0, NULL},
};

static PyType_Spec spec = {"sluiceway._sluice.Batch", sizeof(sl_py_batch), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int sl_py_add_batch_type(PyObject *module) {
    if (!batch_type) batch_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return batch_type ? PyModule_AddObjectRef(module, "Batch", (PyObject *)batch_type) : -1;
}
