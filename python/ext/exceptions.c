/* Failures of the library as Python's exceptions. */
#include "ext.h"

static PyObject *format_error, *unsupported_error; /* made once, when the module is first loaded */

static PyObject *make(const char *name, const char *doc) {
    return PyErr_NewExceptionWithDoc(name, doc, PyExc_ValueError, NULL);
}

int sl_py_errors_add(PyObject *module) {
    if (!format_error)
        format_error = make("sluiceway.FormatError", "Not a model file, or a damaged one, or one of a newer version.");
    if (!unsupported_error)
        unsupported_error = make("sluiceway.UnsupportedError", "This learner or model cannot do that.");
    if (!format_error || !unsupported_error) return -1;
    if (PyModule_AddObjectRef(module, "FormatError", format_error) < 0) return -1;
    return PyModule_AddObjectRef(module, "UnsupportedError", unsupported_error);
}

static PyObject *type_of(sluice_status status) {
    switch (status) {
    case SLUICE_E_MEMORY:
        return PyExc_MemoryError;
    case SLUICE_E_IO:
        return PyExc_OSError;
    case SLUICE_E_LOCKED:
        return PyExc_BlockingIOError;
    case SLUICE_E_FORMAT:
        return format_error;
    case SLUICE_E_NUMERIC:
        return PyExc_FloatingPointError;
    case SLUICE_E_UNSUPPORTED:
        return unsupported_error;
    case SLUICE_E_CANCELLED:
        return PyExc_KeyboardInterrupt;
    default:
        return PyExc_ValueError;
    }
}

PyObject *sl_py_raise(const sluice_error *err) {
    PyObject *type = type_of(err->status);
    if (PyErr_Occurred()) return NULL;
    if (!err->source[0] && !err->line) return PyErr_Format(type, "%s", err->message);
    const char *source = err->source[0] ? err->source : "row";
    const unsigned long long line = err->line, column = err->column;
    if (!line) return PyErr_Format(type, "%s: %s", source, err->message);
    if (!err->source[0]) return PyErr_Format(type, "row %llu: %s", line, err->message);
    if (!column) return PyErr_Format(type, "%s:%llu: %s", source, line, err->message);
    return PyErr_Format(type, "%s:%llu:%llu: %s", source, line, column, err->message);
}
