/* The types Reader, Writer and ArrowReader. */
#ifndef SL_PY_FILE_TYPES_H
#define SL_PY_FILE_TYPES_H

#include "ext.h"

int sl_py_add_reader_type(PyObject *module);
int sl_py_add_writer_type(PyObject *module);
int sl_py_add_arrow_reader_type(PyObject *module);

/* Whether the object is a Reader that no call uses; it is then this call's until sl_py_reader_end. False: an exception
 * is set. */
bool sl_py_reader_begin(PyObject *object);
/* Its next rows, valid until the next call. 1: there are; 0: that was all; -1: an exception is set. */
int sl_py_reader_rows(PyObject *reader, const sluice_batch **batch);
void sl_py_reader_end(PyObject *reader);

#endif
