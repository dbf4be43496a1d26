/* The extension module sluiceway._sluice: what Python calls of the library. Limited API of Python 3.10. */
#include <Python.h>

#include "sluice.h"

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(sluice_version());
}

static PyMethodDef methods[] = {
    {"version", version, METH_NOARGS, "version() -> str: the library's version"},
    {NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_sluice", .m_doc = "The sluice library.", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__sluice(void);
PyMODINIT_FUNC PyInit__sluice(void) {
    return PyModuleDef_Init(&definition);
}
