/* The type Model: making, copying, saving, loading and merging models. */
#include "model_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

PyTypeObject *sl_py_model_type;

/* ---- the lock ---------------------------------------------------------------------------------------------------- */

/* The models that this thread has locked: a signal's handler, or a progress function, may call them again. */
enum { MOST_HELD = 8 };
static _Thread_local struct {
    const sl_py_model *model[MOST_HELD];
    size_t n;
} held;

static bool hold(const sl_py_model *self, int code) {
    if (code == 0) {
        if (held.n < MOST_HELD) held.model[held.n] = self;
        held.n++;
    }
    return code == 0;
}

static bool is_held(const sl_py_model *self) {
    for (size_t i = 0; i < held.n && i < MOST_HELD; i++)
        if (held.model[i] == self) return true;
    return held.n > MOST_HELD;
}

/* Whether the lock is to be had now: readers that come one after the other would keep a writer out for good. A thread
 * that has it already does not wait behind a writer that waits for that thread. */
bool sl_py_try_read(sl_py_model *self) {
    return (!self->writers || is_held(self)) && hold(self, pthread_rwlock_tryrdlock(&self->lock));
}
bool sl_py_try_write(sl_py_model *self) { return hold(self, pthread_rwlock_trywrlock(&self->lock)); }

typedef int wait_function(sl_py_model *self, const struct timespec *until);
static int wait_gate(sl_py_model *self, const struct timespec *t) { return pthread_mutex_timedlock(&self->gate, t); }
static int wait_read(sl_py_model *self, const struct timespec *t) { return pthread_rwlock_timedrdlock(&self->lock, t); }
static int wait_write(sl_py_model *self, const struct timespec *t) {
    return pthread_rwlock_timedwrlock(&self->lock, t);
}

/* Waits 50 ms at a time, and looks at signals in between. */
static bool wait_on(sl_py_model *self, wait_function *wait) {
    int code;
    for (;;) {
        Py_BEGIN_ALLOW_THREADS
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        code = wait(self, &until);
        Py_END_ALLOW_THREADS
        if (code == 0) return true;
        if (PyErr_CheckSignals() != 0) return false;
        if (code == ETIMEDOUT || code == EAGAIN) continue;
        PyErr_SetString(PyExc_RuntimeError, "the model's lock cannot be had");
        return false;
    }
}

static bool wait_for(sl_py_model *self, wait_function *wait) {
    if (is_held(self)) {
        PyErr_SetString(PyExc_RuntimeError, "the model is in use by a call that has called this one");
        return false;
    }
    const bool writes = wait == wait_write;
    self->writers += writes;
    bool fine = wait_on(self, wait_gate);
    if (fine) {
        fine = wait_on(self, wait);
        pthread_mutex_unlock(&self->gate);
    }
    self->writers -= writes;
    return fine && hold(self, 0);
}

bool sl_py_begin_read(sl_py_model *self) { return sl_py_try_read(self) || wait_for(self, wait_read); }
bool sl_py_begin_write(sl_py_model *self) { return sl_py_try_write(self) || wait_for(self, wait_write); }

void sl_py_end(sl_py_model *self) {
    held.n--; /* calls end in the reverse order of their beginning */
    pthread_rwlock_unlock(&self->lock);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static PyObject *wrap(PyTypeObject *type, sluice_model *model, const sluice_error *err) {
    if (!model) return sl_py_raise(err);
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    sl_py_model *self = (sl_py_model *)alloc(type, 0);
    if (!self) {
        sluice_model_free(model);
        return NULL;
    }
    self->model = model;
    pthread_rwlock_init(&self->lock, NULL);
    pthread_mutexattr_t recursive; /* a signal's handler may wait inside a wait */
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&self->gate, &recursive);
    pthread_mutexattr_destroy(&recursive);
    return (PyObject *)self;
}

PyObject *sl_py_model_wrap(sluice_model *model, const sluice_error *err) { return wrap(sl_py_model_type, model, err); }

static void model_dealloc(PyObject *object) {
    sl_py_model *self = (sl_py_model *)object;
    PyTypeObject *type = Py_TYPE(object);
    sluice_model_free(self->model);
    sl_py_scratch_free(self->scratch);
    pthread_rwlock_destroy(&self->lock);
    pthread_mutex_destroy(&self->gate);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* A number of the dict of settings; 0 where there is none. */
static bool number_of(PyObject *settings, const char *key, double most, double *value) {
    PyObject *item = PyDict_GetItemString(settings, key);
    *value = item ? PyFloat_AsDouble(item) : 0;
    if (PyErr_Occurred()) return false;
    if (strcmp(key, "bias") == 0 || (*value >= 0 && *value <= most)) return true;
    PyErr_Format(PyExc_ValueError, "%s is out of range", key);
    return false;
}

static bool settings_of(PyObject *dict, sluice_settings *s) {
    double normalize, hash_bits, max_features, classes, transform, scale;
    *s = (sluice_settings){.size = sizeof *s};
    PyObject *positive = PyDict_GetItemString(dict, "positive");
    if (!number_of(dict, "bias", 0, &s->bias) || !number_of(dict, "normalize", 100, &normalize) ||
        !number_of(dict, "hash_bits", 100, &hash_bits) || !number_of(dict, "max_features", 1e15, &max_features) ||
        !number_of(dict, "classes", 100, &classes) || !number_of(dict, "transform", 100, &transform) ||
        !number_of(dict, "scale", 100, &scale))
        return false;
    s->normalize = (unsigned)normalize;
    s->hash_bits = (unsigned)hash_bits;
    s->max_features = (uint64_t)max_features;
    s->classes = (unsigned)classes;
    s->transform = (unsigned)transform;
    s->scale = (unsigned)scale;
    if (positive && positive != Py_None) {
        char *text;
        if (PyBytes_AsStringAndSize(positive, &text, NULL) < 0) return false; /* no NUL in it */
        s->positive = text;
    }
    return true;
}

/* The strings of a sequence, borrowed from its tuple *owner; free the result with PyMem_Free. */
static const char **strings_of(PyObject *sequence, PyObject **owner, size_t *n) {
    *owner = PySequence_Tuple(sequence);
    if (!*owner) return NULL;
    *n = (size_t)PyTuple_Size(*owner);
    const char **strings = PyMem_Malloc((*n + 1) * sizeof *strings);
    if (!strings) PyErr_NoMemory();
    for (size_t i = 0; strings && i < *n; i++)
        if (!(strings[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(*owner, (Py_ssize_t)i), NULL))) {
            PyMem_Free(strings);
            return NULL;
        }
    return strings;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *unused) {
    (void)unused;
    const char *learner;
    PyObject *params, *dict, *owner = NULL, *self = NULL;
    sluice_settings settings;
    sluice_error err = {0};
    size_t n = 0;
    if (!PyArg_ParseTuple(args, "sOO!:Model", &learner, &params, &PyDict_Type, &dict)) return NULL;
    const char **strings = strings_of(params, &owner, &n);
    PyObject *copy = strings ? PyDict_Copy(dict) : NULL; /* numbers may be code of Python's, which changes the dict */
    if (copy && settings_of(copy, &settings))
        self = wrap(type, sluice_model_new(learner, strings, n, &settings, &err), &err);
    PyMem_Free(strings);
    Py_XDECREF(owner);
    Py_XDECREF(copy);
    return self;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Calls that make a model of this one. */
static PyObject *made(PyObject *object, sluice_model *(*make)(const sluice_model *, sluice_error *)) {
    sl_py_model *self = (sl_py_model *)object;
    sluice_error err = {0};
    sluice_model *model;
    if (!sl_py_begin_read(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    model = make(self->model, &err);
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    return sl_py_model_wrap(model, &err);
}

#define MAKES(name, function)                                                                                          \
    static PyObject *name(PyObject *self, PyObject *unused) {                                                          \
        (void)unused;                                                                                                  \
        return made(self, function);                                                                                   \
    }
MAKES(model_copy, sluice_model_copy)
MAKES(model_final, sluice_model_final)
MAKES(model_finished, sluice_model_finished)
MAKES(model_snapshot, sluice_model_snapshot)
MAKES(model_leader, sluice_model_leader)

static PyObject *model_several(PyObject *object, PyObject *labels) {
    sl_py_model *self = (sl_py_model *)object;
    sluice_error err = {0};
    sluice_model *model;
    sluice_name *names = NULL;
    size_t n = 2;
    if (labels != Py_None && !sl_py_names(labels, "labels", &names, &n)) return NULL;
    if (n != 2 || !sl_py_begin_read(self)) {
        PyMem_Free(names);
        return n == 2 ? NULL : PyErr_Format(PyExc_ValueError, "labels: %zu texts, not 2", n);
    }
    Py_BEGIN_ALLOW_THREADS
    model = sluice_model_several(self->model, names, &err);
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    PyMem_Free(names);
    return sl_py_model_wrap(model, &err);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The path of a str, bytes or os.PathLike as bytes. */
static PyObject *path_bytes(PyObject *path) {
    PyObject *bytes;
    return PyUnicode_FSConverter(path, &bytes) ? bytes : NULL;
}

static PyObject *model_save(PyObject *object, PyObject *path) {
    sl_py_model *self = (sl_py_model *)object;
    sluice_error err = {0};
    sluice_status status;
    PyObject *bytes = path_bytes(path);
    if (!bytes || !sl_py_begin_read(self)) {
        Py_XDECREF(bytes);
        return NULL;
    }
    const char *text = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_save(self->model, text, &err);
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    Py_DECREF(bytes);
    return status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(&err);
}

static PyObject *model_load(PyObject *unused, PyObject *path) {
    (void)unused;
    sluice_error err = {0};
    sluice_model *model;
    PyObject *bytes = path_bytes(path);
    if (!bytes) return NULL;
    const char *text = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS
    model = sluice_model_load(text, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(bytes);
    return sl_py_model_wrap(model, &err);
}

static PyObject *model_to_bytes(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    sluice_error err = {0};
    void *bytes = NULL;
    size_t n = 0;
    sluice_status status;
    if (!sl_py_begin_read(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_bytes(self->model, &bytes, &n, &err);
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    if (status != SLUICE_OK) return sl_py_raise(&err);
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    sluice_free(bytes);
    return result;
}

static PyObject *model_from_bytes(PyObject *unused, PyObject *bytes) {
    (void)unused;
    sluice_error err = {0};
    sluice_model *model;
    char *text;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(bytes, &text, &n) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS
    model = sluice_model_parse(text, (size_t)n, &err);
    Py_END_ALLOW_THREADS
    return sl_py_model_wrap(model, &err);
}

static PyObject *model_reduce(PyObject *self, PyObject *unused) {
    PyObject *bytes = model_to_bytes(self, unused);
    PyObject *from_bytes = bytes ? PyObject_GetAttrString((PyObject *)sl_py_model_type, "from_bytes") : NULL;
    if (from_bytes) return Py_BuildValue("N(N)", from_bytes, bytes);
    Py_XDECREF(bytes);
    return NULL;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* merge(from) or merge(from, start), start None: the models had none in common. */
static PyObject *model_merge(PyObject *object, PyObject *args) {
    sl_py_model *self = (sl_py_model *)object;
    PyObject *from, *start = Py_None;
    if (!PyArg_ParseTuple(args, "O!|O:merge", sl_py_model_type, &from, &start)) return NULL;
    if (start != Py_None && !PyObject_TypeCheck(start, sl_py_model_type)) {
        PyErr_SetString(PyExc_TypeError, "the start of models that merge is a Model, or None");
        return NULL;
    }
    /* copies, so that two threads that merge both ways cannot wait for each other */
    PyObject *copy = model_copy(from, NULL), *first = copy && start != Py_None ? model_copy(start, NULL) : NULL;
    if (!copy || (start != Py_None && !first) || !sl_py_begin_write(self)) {
        Py_XDECREF(copy);
        Py_XDECREF(first);
        return NULL;
    }
    sluice_status status;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_merge_since(self->model, ((sl_py_model *)copy)->model,
                                      first ? ((sl_py_model *)first)->model : NULL);
    Py_END_ALLOW_THREADS
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    Py_DECREF(copy);
    Py_XDECREF(first);
    return result;
}

static PyObject *model_begin_anew(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_write(self)) return NULL;
    sluice_status status;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_begin_anew(self->model);
    Py_END_ALLOW_THREADS
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    return result;
}

static PyObject *model_end_run(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_write(self)) return NULL;
    sluice_status status;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_end_run(self->model);
    Py_END_ALLOW_THREADS
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    return result;
}

static PyObject *model_set_metadata(PyObject *object, PyObject *args) {
    sl_py_model *self = (sl_py_model *)object;
    const char *key;
    char *bytes = NULL;
    Py_ssize_t n = 0;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "sO:set_metadata", &key, &value)) return NULL;
    if (value != Py_None && PyBytes_AsStringAndSize(value, &bytes, &n) < 0) return NULL;
    if (!sl_py_begin_write(self)) return NULL;
    const sluice_status status = sluice_model_set_metadata(self->model, key, bytes, bytes ? (size_t)n : 0);
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    return result;
}

static PyObject *model_set_threshold(PyObject *object, PyObject *margin) {
    sl_py_model *self = (sl_py_model *)object;
    const double value = margin == Py_None ? 0 : PyFloat_AsDouble(margin);
    if (PyErr_Occurred() || !sl_py_begin_write(self)) return NULL;
    sluice_status status = SLUICE_OK;
    if (margin == Py_None)
        sluice_model_drop_threshold(self->model);
    else
        status = sluice_model_set_threshold(self->model, value);
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    return result;
}

static PyObject *model_set_threads(PyObject *object, PyObject *threads) {
    sl_py_model *self = (sl_py_model *)object;
    const unsigned long n = PyLong_AsUnsignedLong(threads);
    if (PyErr_Occurred() || !sl_py_begin_write(self)) return NULL;
    sluice_model_set_threads(self->model, (unsigned)n);
    sl_py_end(self);
    return Py_NewRef(Py_None);
}

static PyObject *model_calibrate(PyObject *object, PyObject *args) {
    sl_py_model *self = (sl_py_model *)object;
    PyObject *margins, *labels, *weights;
    sl_py_view m, l, w = {.data = NULL};
    int kind;
    if (!PyArg_ParseTuple(args, "OOOi:calibrate", &margins, &labels, &weights, &kind)) return NULL;
    if (!sl_py_array(margins, "margins", SL_PY_DOUBLE, &m) || !sl_py_array(labels, "labels", SL_PY_DOUBLE, &l))
        return NULL;
    if (weights != Py_None && !sl_py_array(weights, "weights", SL_PY_DOUBLE, &w)) return NULL;
    if (l.n != m.n || (w.data && w.n != m.n)) {
        PyErr_SetString(PyExc_ValueError, "margins, labels and weights are not equally many");
        return NULL;
    }
    if (!sl_py_begin_write(self)) return NULL;
    sluice_status status;
    Py_BEGIN_ALLOW_THREADS
    status = sluice_model_calibrate(self->model, m.data, l.data, w.data, m.n, kind);
    Py_END_ALLOW_THREADS
    PyObject *result = status == SLUICE_OK ? Py_NewRef(Py_None) : sl_py_raise(sluice_model_error(self->model));
    sl_py_end(self);
    return result;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

PyMethodDef sl_py_model_life_methods[] = {
    {"copy", model_copy, METH_NOARGS, "A copy that can go on learning."},
    {"__copy__", model_copy, METH_NOARGS, "A copy that can go on learning."},
    {"__deepcopy__", model_copy, METH_O, "A copy that can go on learning."},
    {"final", model_final, METH_NOARGS, "A predict-only copy of the nonzero weights."},
    {"finished", model_finished, METH_NOARGS, "A copy that has learned its unfinished batch too."},
    {"snapshot", model_snapshot, METH_NOARGS, "A predict-only copy of the model as it stands."},
    {"leader", model_leader, METH_NOARGS, "The leader of auto as a model of its own learner."},
    {"several", model_several, METH_O,
     "several(labels or None): a copy that learns several classes; the texts of a plain model's classes -1 and 1."},
    {"save", model_save, METH_O, "save(path): writes the model file, atomically."},
    {"load", model_load, METH_O | METH_STATIC, "load(path) -> Model"},
    {"to_bytes", model_to_bytes, METH_NOARGS, "The bytes of the model file."},
    {"from_bytes", model_from_bytes, METH_O | METH_STATIC, "from_bytes(bytes) -> Model"},
    {"__reduce__", model_reduce, METH_NOARGS, "For pickle."},
    {"merge", model_merge, METH_VARARGS,
     "merge(model, start=None): adds what another model has learned; both began with `start`."},
    {"begin_anew", model_begin_anew, METH_NOARGS, "Forgets what was learned; parameters, settings and classes stay."},
    {"end_run", model_end_run, METH_NOARGS, "Says that a run is over: batch learners learn it."},
    {"set_metadata", model_set_metadata, METH_VARARGS, "set_metadata(key, bytes or None)"},
    {"set_threshold", model_set_threshold, METH_O, "set_threshold(margin or None)"},
    {"set_threads", model_set_threads, METH_O, "set_threads(n): for learners of batches."},
    {"calibrate", model_calibrate, METH_VARARGS, "calibrate(margins, labels, weights or None, kind)"},
    {NULL},
};

/* All methods in one table, since a type has one: it lives as long as the type. */
static PyMethodDef *all_methods(void) {
    PyMethodDef *const tables[] = {sl_py_model_life_methods, sl_py_model_matrix_methods, sl_py_model_info_methods,
                                   sl_py_model_batch_methods, sl_py_model_one_methods};
    enum { TABLES = sizeof tables / sizeof *tables, MOST = 128 };
    static PyMethodDef all[MOST];
    size_t n = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (const PyMethodDef *m = tables[t]; m->ml_name && n < MOST - 1; m++) all[n++] = *m;
    all[n] = (PyMethodDef){NULL};
    return all;
}

int sl_py_model_add(PyObject *module) {
    PyType_Slot slots[] = {
        {Py_tp_new, (void *)(uintptr_t)model_new},
        {Py_tp_dealloc, (void *)(uintptr_t)model_dealloc},
        {Py_tp_methods, all_methods()},
        {Py_tp_doc, (void *)(uintptr_t) "Model(learner, params, settings): a model of the library."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "sluiceway._sluice.Model",
                        .basicsize = sizeof(sl_py_model),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type) return -1;
    sl_py_model_type = (PyTypeObject *)type; /* for as long as the process runs */
    return PyModule_AddObjectRef(module, "Model", type);
}
