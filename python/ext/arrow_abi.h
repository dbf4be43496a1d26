/* The structs of the Arrow C data and C stream interfaces, as their specification has them. */
#ifndef SL_PY_ARROW_ABI_H
#define SL_PY_ARROW_ABI_H

#include "ext.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* Columns that are arrays of Python's: a list of (name, format, rows, nulls, addresses of the buffers, None or the
 * dictionary as such a tuple). The list and the arrays must outlive the result. */
bool sl_py_columns(PyObject *list, struct ArrowSchema *schema, struct ArrowArray *array);

#endif
