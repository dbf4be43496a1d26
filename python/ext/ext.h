/* What the files of the extension share: Python's limited API, errors, arrays, texts. */
#ifndef SL_PY_EXT_H
#define SL_PY_EXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "sluice.h"

/* ---- exceptions.c
 * ---------------------------------------------------------------------------------------------------- */

/* Makes the exceptions FormatError and UnsupportedError and adds them to the module. */
int sl_py_errors_add(PyObject *module);
/* Raises the exception of an error, unless one is pending already; returns NULL. */
PyObject *sl_py_raise(const sluice_error *err);

/* ---- array_view.c
 * ---------------------------------------------------------------------------------------------------- */

/* An array of numpy's, or of anything that has __array_interface__: contiguous, aligned, of the machine's byte
 * order. */
typedef struct sl_py_view {
    void *data;
    size_t n;
    unsigned type;  /* SLUICE_INT32 ... */
    bool read_only; /* must not be written */
} sl_py_view;

/* Of one number of a type. */
static inline unsigned sl_py_bytes(unsigned type) {
    return type == SLUICE_INT64 || type == SLUICE_UINT64 || type == SLUICE_FLOAT64 ? 8 : 4;
}

enum { SL_PY_WHOLE = 30, SL_PY_REAL = 96, SL_PY_DOUBLE = 64, SL_PY_UINT32 = 8 }; /* sets of types: 1 << type */

/* Looks at an array, which must be of one of the types. False: an exception is set. `what` is its name in messages. */
bool sl_py_array(PyObject *array, const char *what, unsigned types, sl_py_view *view);
/* The same for an array that is written to and has n elements. */
bool sl_py_array_out(PyObject *array, const char *what, unsigned types, size_t n, sl_py_view *view);
/* The same for an array that may be None, where nothing is wanted: *data is then NULL. */
bool sl_py_array_wanted(PyObject *array, const char *what, unsigned types, size_t n, void **data);

/* The texts of a tuple of str (UTF-8, with bytes that are none as surrogates) or bytes, which must live as long as the
 * result; free *names with PyMem_Free. False: an exception is set. */
bool sl_py_names(PyObject *tuple, const char *what, sluice_name **names, size_t *n);
/* A name of any bytes as a str: bytes that are not UTF-8 become surrogates, as in file names. */
PyObject *sl_py_text(sluice_name name);
/* The bytes of a str or bytes. *owner, to be released, is NULL or an object that holds them. */
bool sl_py_name(PyObject *text, sluice_name *name, PyObject **owner);

/* ---- interrupts.c ---------------------------------------------------------------------------------------------------
 */

/* A long call without the interpreter's lock that looks at signals and reports how far it is. */
typedef struct sl_py_watch {
    PyObject *progress; /* called as progress(done, total), at most ten times a second; may be NULL */
    uint64_t looked;    /* when, in nanoseconds */
    uint64_t reported;
    bool failed; /* an exception is set */
} sl_py_watch;

sl_py_watch sl_py_watch_start(PyObject *progress);
/* To be called often, with or without the lock: takes it 20 times a second. Anything but 0: the call is to stop. Is a
 * sluice_progress_function; its context is the sl_py_watch. */
int sl_py_watch_look(void *watch, uint64_t done, uint64_t total);

/* ---- what the module has ----------------------------------------------------------------------------------------- */

PyObject *sl_py_learners(PyObject *module, PyObject *unused);
PyObject *sl_py_learner_aliases(PyObject *module, PyObject *unused);
PyObject *sl_py_build_info(PyObject *module, PyObject *unused);

#endif
