/* Arrays and texts of Python as the library wants them. The buffer protocol is in the limited API only from 3.11 on:
 * arrays are read by numpy's __array_interface__. */
#include <string.h>

#include "ext.h"

/* The SLUICE_ type of a typestr such as "<f4"; 0: none. */
static unsigned type_of(const char *text) {
    static const struct {
        const char *text;
        unsigned type;
    } types[] = {{"i4", SLUICE_INT32},  {"i8", SLUICE_INT64},   {"u4", SLUICE_UINT32},
                 {"u8", SLUICE_UINT64}, {"f4", SLUICE_FLOAT32}, {"f8", SLUICE_FLOAT64}};
    const char own = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    if (text[0] != own && text[0] != '|') return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(text + 1, types[i].text) == 0) return types[i].type;
    return 0;
}

/* The product of a shape. */
static bool count(PyObject *shape, size_t *n) {
    *n = 1;
    if (!shape || !PyTuple_Check(shape)) {
        PyErr_SetString(PyExc_TypeError, "an array without a shape");
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(shape); i++) {
        size_t side = PyLong_AsSize_t(PyTuple_GetItem(shape, i));
        if (side == (size_t)-1 && PyErr_Occurred()) return false;
        if (__builtin_mul_overflow(*n, side, n)) {
            PyErr_SetString(PyExc_ValueError, "an array that is too large");
            return false;
        }
    }
    return true;
}

static bool read_interface(PyObject *dict, const char *what, unsigned types, sl_py_view *view) {
    PyObject *type = PyDict_GetItemString(dict, "typestr"), *strides = PyDict_GetItemString(dict, "strides");
    PyObject *data = PyDict_GetItemString(dict, "data");
    const char *text = type && PyUnicode_Check(type) ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
    view->type = text ? type_of(text) : 0;
    if (!view->type || !(types >> view->type & 1)) {
        PyErr_Format(PyExc_TypeError, "%s: an array of type %s is not taken here", what, text ? text : "?");
        return false;
    }
    if (strides && strides != Py_None) {
        PyErr_Format(PyExc_TypeError, "%s: the array is not contiguous", what);
        return false;
    }
    if (!count(PyDict_GetItemString(dict, "shape"), &view->n)) return false;
    if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2) {
        PyErr_Format(PyExc_TypeError, "%s: the array does not say where it lies", what);
        return false;
    }
    view->data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    view->read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) != 0;
    if (PyErr_Occurred()) return false;
    if (!view->data && view->n) {
        PyErr_Format(PyExc_ValueError, "%s: the array lies nowhere", what);
        return false;
    }
    if ((uintptr_t)view->data % sl_py_bytes(view->type) == 0) return true;
    PyErr_Format(PyExc_TypeError, "%s: the array is not aligned", what);
    return false;
}

bool sl_py_array(PyObject *array, const char *what, unsigned types, sl_py_view *view) {
    PyObject *dict = PyObject_GetAttrString(array, "__array_interface__");
    if (!dict && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
    if (!dict || !PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s: not an array", what);
        Py_XDECREF(dict);
        return false;
    }
    bool good = read_interface(dict, what, types, view);
    Py_DECREF(dict);
    return good;
}

bool sl_py_array_out(PyObject *array, const char *what, unsigned types, size_t n, sl_py_view *view) {
    if (!sl_py_array(array, what, types, view)) return false;
    if (!view->read_only && view->n == n) return true;
    PyErr_Format(PyExc_ValueError, view->read_only ? "%s: the array cannot be written to" : "%s: %zu elements, not %zu",
                 what, view->n, n);
    return false;
}

bool sl_py_array_wanted(PyObject *array, const char *what, unsigned types, size_t n, void **data) {
    sl_py_view view;
    *data = NULL;
    if (array == Py_None) return true;
    if (!sl_py_array_out(array, what, types, n, &view)) return false;
    *data = view.data;
    return true;
}

bool sl_py_name(PyObject *text, sluice_name *name, PyObject **owner) {
    Py_ssize_t n;
    *owner = NULL;
    if (PyUnicode_Check(text)) {
        name->text = PyUnicode_AsUTF8AndSize(text, &n);
        name->n = (size_t)n;
        if (name->text) return true;
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return false;
        PyErr_Clear(); /* surrogates: bytes that are not UTF-8 */
        if (!(*owner = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"))) return false;
        text = *owner;
    }
    char *bytes;
    if (PyBytes_AsStringAndSize(text, &bytes, &n) < 0) return false;
    *name = (sluice_name){bytes, (size_t)n};
    return true;
}

/* Texts with surrogates would need an owner each: they are not taken in tables of names. */
bool sl_py_names(PyObject *tuple, const char *what, sluice_name **names, size_t *n) {
    *names = NULL;
    *n = 0;
    if (!PyTuple_Check(tuple)) {
        PyErr_Format(PyExc_TypeError, "%s: not a tuple", what);
        return false;
    }
    const size_t all = (size_t)PyTuple_Size(tuple);
    *names = PyMem_Malloc((all + 1) * sizeof **names);
    bool good = *names != NULL;
    if (!good) PyErr_NoMemory();
    for (size_t i = 0; i < all && good; i++) {
        PyObject *owner;
        good = sl_py_name(PyTuple_GetItem(tuple, (Py_ssize_t)i), &(*names)[i], &owner);
        if (!owner) continue;
        Py_DECREF(owner);
        PyErr_Format(PyExc_ValueError, "%s: a text is not valid Unicode", what);
        good = false;
    }
    *n = all;
    if (good) return true;
    PyMem_Free(*names);
    *names = NULL;
    return false;
}

PyObject *sl_py_text(sluice_name name) {
    return PyUnicode_DecodeUTF8(name.text, (Py_ssize_t)name.n, "surrogateescape");
}
