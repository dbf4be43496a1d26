/* Arrays of Python's as the columns of an Arrow table, for frames of libraries that have no Arrow. */
#include <stdlib.h>
#include <string.h>

#include "arrow_abi.h"

enum { MOST_BUFFERS = 3 };

static void release_schema(struct ArrowSchema *s) {
    for (int64_t i = 0; s->children && i < s->n_children; i++) {
        if (s->children[i] && s->children[i]->dictionary) free(s->children[i]->dictionary);
        free(s->children[i]);
    }
    free(s->children);
    s->release = NULL;
}

static void free_array(struct ArrowArray *a) {
    if (a) free((void *)a->buffers);
    free(a);
}

static void release_array(struct ArrowArray *a) {
    for (int64_t i = 0; a->children && i < a->n_children; i++) {
        if (a->children[i]) free_array(a->children[i]->dictionary);
        free_array(a->children[i]);
    }
    free(a->children);
    a->release = NULL;
}

static bool no_memory(void) {
    PyErr_NoMemory();
    return false;
}

/* One column. What was made of it is freed with the table. */
static bool make_column(PyObject *tuple, struct ArrowSchema **schema, struct ArrowArray **array) {
    PyObject *name, *addresses, *dictionary;
    const char *format;
    long long rows, nulls;
    struct ArrowSchema *s = *schema = calloc(1, sizeof *s);
    struct ArrowArray *a = *array = calloc(1, sizeof *a);
    if (!s || !a || !(a->buffers = calloc(MOST_BUFFERS, sizeof *a->buffers))) return no_memory();
    if (!PyArg_ParseTuple(tuple, "O!sLLO!O", &PyUnicode_Type, &name, &format, &rows, &nulls, &PyTuple_Type, &addresses,
                          &dictionary))
        return false;
    Py_ssize_t n = 0;
    if (!(s->name = PyUnicode_AsUTF8AndSize(name, &n))) return false;
    if (strlen(s->name) != (size_t)n) {
        PyErr_Format(PyExc_ValueError, "column %R: a NUL in its name", name);
        return false;
    }
    s->format = format;
    a->length = rows, a->null_count = nulls;
    a->n_buffers = PyTuple_Size(addresses);
    if (a->n_buffers > MOST_BUFFERS || rows < 0) {
        PyErr_SetString(PyExc_ValueError, "a column of too many buffers");
        return false;
    }
    for (int64_t i = 0; i < a->n_buffers; i++) a->buffers[i] = PyLong_AsVoidPtr(PyTuple_GetItem(addresses, i));
    if (PyErr_Occurred()) return false;
    return dictionary == Py_None || make_column(dictionary, &s->dictionary, &a->dictionary);
}

bool sl_py_columns(PyObject *list, struct ArrowSchema *schema, struct ArrowArray *array) {
    const Py_ssize_t n = PyList_Size(list);
    *schema = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
    *array = (struct ArrowArray){.release = release_array};
    schema->children = calloc((size_t)n + 1, sizeof(struct ArrowSchema *));
    array->children = calloc((size_t)n + 1, sizeof(struct ArrowArray *));
    if (!schema->children || !array->children) return no_memory();
    schema->n_children = array->n_children = n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!make_column(PyList_GetItem(list, i), &schema->children[i], &array->children[i])) return false;
        array->length = array->children[i]->length;
    }
    return true;
}
