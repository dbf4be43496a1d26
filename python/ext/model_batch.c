/* Methods of Model over batches: the rows of files and frames. */
#include "batch_type.h"
#include "file_types.h"
#include "model_type.h"

static bool learn(sl_py_model *m, const sluice_batch *batch, PyObject *progress) {
    sluice_status status;
    if (!sl_py_begin_write(m)) return false;
    sl_py_watch watch = sl_py_watch_start(progress);
    Py_BEGIN_ALLOW_THREADS
    sluice_model_set_progress(m->model, sl_py_watch_look, &watch);
    status = sluice_model_learn_batch(m->model, batch, NULL);
    sluice_model_set_progress(m->model, NULL, NULL);
    Py_END_ALLOW_THREADS
    if (status != SLUICE_OK) sl_py_raise(sluice_model_error(m->model));
    sl_py_end(m);
    return !PyErr_Occurred();
}

static PyObject *learn_batch(PyObject *self, PyObject *args) {
    PyObject *object, *progress = Py_None;
    sl_py_batch *b = PyArg_ParseTuple(args, "O|O:learn_batch", &object, &progress) ? sl_py_batch_of(object) : NULL;
    if (!b || !learn((sl_py_model *)self, b->batch, progress)) return NULL;
    Py_RETURN_NONE;
}

/* Other threads have the model between two batches. */
static PyObject *learn_reader(PyObject *self, PyObject *reader) {
    const sluice_batch *batch;
    int got;
    if (!sl_py_reader_begin(reader)) return NULL;
    while ((got = sl_py_reader_rows(reader, &batch)) > 0 && learn((sl_py_model *)self, batch, Py_None)) continue;
    sl_py_reader_end(reader);
    if (got != 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *margins_batch(PyObject *self, PyObject *args) {
    sl_py_model *m = (sl_py_model *)self;
    PyObject *object, *out;
    sl_py_view margins;
    sluice_error err = {.status = SLUICE_OK};
    sluice_status status;
    sl_py_batch *b = PyArg_ParseTuple(args, "OO:margins_batch", &object, &out) ? sl_py_batch_of(object) : NULL;
    if (!b || !sl_py_array_out(out, "out", SL_PY_DOUBLE, sluice_batch_rows(b->batch), &margins) || !sl_py_begin_read(m))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_margins(m->model, b->batch, margins.data, &err);
    Py_END_ALLOW_THREADS
    sl_py_end(m);
    if (status != SLUICE_OK) return sl_py_raise(&err);
    Py_RETURN_NONE;
}

static PyObject *classify_batch(PyObject *self, PyObject *args) {
    sl_py_model *m = (sl_py_model *)self;
    PyObject *object, *best, *margins, *probabilities;
    void *to[3] = {NULL, NULL, NULL};
    sluice_error err = {.status = SLUICE_OK};
    sluice_status status = SLUICE_OK;
    if (!PyArg_ParseTuple(args, "OOOO:classify_batch", &object, &best, &margins, &probabilities)) return NULL;
    sl_py_batch *b = sl_py_batch_of(object);
    if (!b || !sl_py_begin_read(m)) return NULL;
    const size_t rows = sluice_batch_rows(b->batch), classes = sluice_model_classes(m->model);
    bool good = sl_py_array_wanted(best, "best", SL_PY_UINT32, rows, &to[0]) &&
                sl_py_array_wanted(margins, "margins", SL_PY_DOUBLE, rows * classes, &to[1]) &&
                sl_py_array_wanted(probabilities, "probabilities", SL_PY_DOUBLE, rows * classes, &to[2]);
    if (good) {
        sluice_class_answers answers = {
            .size = sizeof answers, .top = to[0] ? 1 : 0, .best = to[0], .margins = to[1], .probabilities = to[2]};
        Py_BEGIN_ALLOW_THREADS
        status = sluice_model_classify(m->model, b->batch, 0, rows, &answers, &err);
        Py_END_ALLOW_THREADS
    }
    sl_py_end(m);
    if (!good) return NULL;
    if (status != SLUICE_OK) return sl_py_raise(&err);
    Py_RETURN_NONE;
}

PyMethodDef sl_py_model_batch_methods[] = {
    {"learn_batch", learn_batch, METH_VARARGS, "learn_batch(batch, progress=None)"},
    {"learn_reader", learn_reader, METH_O, "learn_reader(reader): all rows that it has left, without a copy of them"},
    {"margins_batch", margins_batch, METH_VARARGS, "margins_batch(batch, out): the margins of a model of two classes"},
    {"classify_batch", classify_batch, METH_VARARGS,
     "classify_batch(batch, best, margins, probabilities): what a model of several classes says; each array may be "
     "None"},
    {NULL, NULL, 0, NULL},
};
