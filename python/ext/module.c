/* The extension module sluiceway._sluice: what Python calls of the library. Limited API of Python 3.10. */
#include "batch_type.h"
#include "ext.h"
#include "file_types.h"
#include "model_type.h"

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(sluice_version());
}

static PyObject *default_learner(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(sluice_learner_default());
}

static PyObject *stop_words(PyObject *module, PyObject *language) {
    (void)module;
    const char *name = PyUnicode_Check(language) ? PyUnicode_AsUTF8AndSize(language, NULL) : NULL;
    const char *words = name ? sluice_stop_words(name) : NULL;
    if (!words && PyErr_Occurred()) return NULL;
    return words ? PyUnicode_FromString(words) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"version", version, METH_NOARGS, "version() -> str: the library's version"},
    {"build_info", sl_py_build_info, METH_NOARGS, "build_info() -> dict: how the library was built"},
    {"learners", sl_py_learners, METH_NOARGS, "learners() -> list of dicts: the learners' table"},
    {"learner_aliases", sl_py_learner_aliases, METH_NOARGS, "learner_aliases() -> dict: other names of learners"},
    {"default_learner", default_learner, METH_NOARGS, "default_learner() -> str"},
    {"stop_words", stop_words, METH_O, "stop_words(language) -> str | None: the library's list, with spaces between"},
    {NULL},
};

/* A module that is loaded again has the types of the first one, whose objects are still there. */
static int add_model(PyObject *module) {
    if (!sl_py_model_type) return sl_py_model_add(module);
    return PyModule_AddObjectRef(module, "Model", (PyObject *)sl_py_model_type);
}

/* PyGILState_Ensure(), by which functions of Python's are called from inside the library, may take the thread to the
 * main interpreter: an exception would be lost there, and what a reader had until then would look complete. */
static int check_interpreter(void) {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return 0;
    PyErr_SetString(PyExc_ImportError, "sluiceway works in the main interpreter alone, not in a subinterpreter");
    return -1;
}

static int add_all(PyObject *module) {
    if (check_interpreter() < 0) return -1;
    if (sl_py_errors_add(module) < 0 || add_model(module) < 0) return -1;
    if (sl_py_add_batch_type(module) < 0 || sl_py_add_reader_type(module) < 0) return -1;
    if (sl_py_add_writer_type(module) < 0 || sl_py_add_arrow_reader_type(module) < 0) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)add_all},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_sluice", .m_doc = "The sluice library.", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__sluice(void);
PyMODINIT_FUNC PyInit__sluice(void) { return PyModuleDef_Init(&definition); }
