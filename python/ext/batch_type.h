/* Batch: rows that Python holds for the library. */
#ifndef SL_PY_BATCH_TYPE_H
#define SL_PY_BATCH_TYPE_H

#include "ext.h"

typedef struct sl_py_batch {
    PyObject_HEAD
    sluice_batch *batch; /* never changes: any number of threads may read it */
} sl_py_batch;

/* A Batch around this batch, which it then owns; NULL, and the batch is freed, when it fails. */
PyObject *sl_py_batch_wrap(sluice_batch *batch);
/* A Batch that has copies of all rows. */
PyObject *sl_py_batch_copy(const sluice_batch *batch);
/* The object as a Batch, or NULL with a TypeError. */
sl_py_batch *sl_py_batch_of(PyObject *object);

int sl_py_add_batch_type(PyObject *module);

#endif
