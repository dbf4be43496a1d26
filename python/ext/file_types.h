/* The types Reader, Writer and ArrowReader. */
#ifndef SL_PY_FILE_TYPES_H
#define SL_PY_FILE_TYPES_H

#include "ext.h"

int sl_py_add_reader_type(PyObject *module);
int sl_py_add_writer_type(PyObject *module);
int sl_py_add_arrow_reader_type(PyObject *module);

#endif
