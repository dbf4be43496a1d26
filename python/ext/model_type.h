/* The type Model: a sluice_model, and a lock so that no thread learns while others use it. */
#ifndef SL_PY_MODEL_TYPE_H
#define SL_PY_MODEL_TYPE_H

#include <pthread.h>

#include "ext.h"

typedef struct sl_py_model {
    PyObject_HEAD
    sluice_model *model;
    pthread_rwlock_t lock; /* held for reading by calls that do not change the model, for writing by those that do */
    pthread_mutex_t gate;  /* held by the thread that is the next to have the lock: no reader passes a waiting writer */
    size_t writers;        /* that wait; changed with the interpreter's lock */
    void *scratch;         /* of model_one.c; freed with the model */
} sl_py_model;

/* To be called with the interpreter's lock. It is given up while another thread has the model, and signals are looked
 * at meanwhile: nothing that is borrowed from Python's objects may be in use. False: an exception is set (a signal's,
 * or for a call from inside a call on the same model). */
bool sl_py_begin_read(sl_py_model *self);
bool sl_py_begin_write(sl_py_model *self);
/* The same without waiting, and without an exception. */
bool sl_py_try_read(sl_py_model *self);
bool sl_py_try_write(sl_py_model *self);
/* With or without the interpreter's lock, by the thread that has begun. */
void sl_py_end(sl_py_model *self);

extern PyTypeObject *sl_py_model_type;
/* An object for a model, which it takes over; NULL, with the exception of the error, where model is NULL. */
PyObject *sl_py_model_wrap(sluice_model *model, const sluice_error *err);
/* Makes the type and adds it to the module. */
int sl_py_model_add(PyObject *module);

/* The methods of each file, ended by {NULL}. */
extern PyMethodDef sl_py_model_life_methods[], sl_py_model_matrix_methods[], sl_py_model_info_methods[],
    sl_py_model_batch_methods[], sl_py_model_one_methods[];
/* Frees the buffers that model_one.c keeps in a model. */
void sl_py_scratch_free(void *scratch);

#endif
