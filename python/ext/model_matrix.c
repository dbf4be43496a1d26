/* Model: learning from the arrays of a sparse matrix and answering for its rows, without the interpreter's lock. */
#include "model_type.h"

/* A matrix as Python gives it, and the tables that are made of its tuples. */
typedef struct matrix {
    sluice_csr csr;
    sluice_name *names, *words;
} matrix;

static void matrix_free(matrix *m) {
    PyMem_Free(m->names);
    PyMem_Free(m->words);
}

static bool same_count(const char *what, size_t n, size_t wanted) {
    if (n == wanted) return true;
    PyErr_Format(PyExc_ValueError, "%s: %zu elements, not %zu", what, n, wanted);
    return false;
}

static bool matrix_rows(matrix *m, PyObject *indptr, PyObject *ids, PyObject *values, PyObject *columns) {
    sl_py_view p, i, v;
    *m = (matrix){.csr = {.size = sizeof m->csr, .kind = SLUICE_CSR_COLUMNS}};
    if (!sl_py_array(indptr, "indptr", SL_PY_WHOLE, &p) || !sl_py_array(ids, "indices", SL_PY_WHOLE, &i) ||
        !sl_py_array(values, "data", SL_PY_REAL, &v))
        return false;
    if (p.n == 0) {
        PyErr_SetString(PyExc_ValueError, "indptr is empty");
        return false;
    }
    m->csr.indptr = p.data, m->csr.indptr_type = p.type, m->csr.rows = p.n - 1;
    m->csr.ids = i.data, m->csr.ids_type = i.type;
    m->csr.values = v.data, m->csr.values_type = v.type;
    m->csr.nonzeros = i.n < v.n ? i.n : v.n; /* scipy allows more room than is used; indptr is checked against this */
    if (columns == Py_None) return true;
    m->csr.kind = SLUICE_CSR_NAMES;
    if (!sl_py_names(columns, "columns", &m->names, &m->csr.n_names)) return false;
    m->csr.names = m->names;
    return true;
}

static bool matrix_labels(matrix *m, PyObject *labels, PyObject *weights, PyObject *words) {
    sl_py_view l, w;
    const bool has_words = words != Py_None;
    if (!sl_py_array(labels, "labels", has_words ? SL_PY_WHOLE : SL_PY_REAL, &l)) return false;
    if (!same_count("labels", l.n, m->csr.rows)) return false;
    m->csr.labels = l.data, m->csr.labels_type = l.type;
    if (weights != Py_None) {
        if (!sl_py_array(weights, "weights", SL_PY_REAL, &w) || !same_count("weights", w.n, m->csr.rows)) return false;
        m->csr.weights = w.data, m->csr.weights_type = w.type;
    }
    if (has_words && !sl_py_names(words, "words", &m->words, &m->csr.n_words)) return false;
    m->csr.words = m->words;
    return true;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static PyObject *learn(sl_py_model *self, const sluice_csr *csr, PyObject *progress) {
    sl_py_watch watch = sl_py_watch_start(progress);
    sluice_status status;
    if (!sl_py_begin_write(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    sluice_model_set_progress(self->model, sl_py_watch_look, &watch);
    status = sluice_model_learn_csr(self->model, csr, NULL);
    sluice_model_set_progress(self->model, NULL, NULL);
    Py_END_ALLOW_THREADS
    PyObject *result = NULL;
    if (status != SLUICE_OK && !watch.failed) sl_py_raise(sluice_model_error(self->model));
    if (status == SLUICE_OK && !watch.failed) result = Py_NewRef(Py_None);
    sl_py_end(self);
    return result;
}

static PyObject *model_learn_csr(PyObject *self, PyObject *args) {
    PyObject *indptr, *ids, *values, *labels, *weights, *words, *columns, *progress, *result = NULL;
    matrix m = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOOO:learn_csr", &indptr, &ids, &values, &labels, &weights, &words, &columns,
                          &progress))
        return NULL;
    if (matrix_rows(&m, indptr, ids, values, columns) && matrix_labels(&m, labels, weights, words))
        result = learn((sl_py_model *)self, &m.csr, progress);
    matrix_free(&m);
    return result;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* How many rows of a matrix are answered at a time, so that signals are looked at in between: of a model of many
 * vectors, or of long rows, few. */
static size_t rows_a_call(const sluice_csr *all, const sluice_model *model) {
    enum { MOST_ROWS = 1 << 14, MOST_WORK = 1 << 21 };
    const size_t vectors = sluice_model_problems(model) + 1, mean = all->nonzeros / (all->rows + 1) + 1;
    const size_t rows = MOST_WORK / mean / vectors;
    return rows < 1 ? 1 : rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* n rows of a matrix from `first` on, as far as there are so many. */
static sluice_csr rows_from(const sluice_csr *all, size_t first, size_t n) {
    sluice_csr part = *all;
    part.indptr = (const char *)all->indptr + first * sl_py_bytes(all->indptr_type);
    part.rows = all->rows - first < n ? all->rows - first : n;
    return part;
}

/* Ends a call that answers: None, or NULL with the exception of the watch or of the error. */
static PyObject *answered(const sl_py_watch *watch, sluice_status status, size_t first, sluice_error *err) {
    if (watch->failed) return NULL;
    if (status == SLUICE_OK) return Py_NewRef(Py_None);
    if (err->line) err->line += first; /* of the whole matrix */
    return sl_py_raise(err);
}

static PyObject *margins(sl_py_model *self, const matrix *m, PyObject *out) {
    sl_py_view o;
    sluice_error err = {0};
    sl_py_watch watch = sl_py_watch_start(Py_None);
    sluice_status status = SLUICE_OK;
    size_t first = 0;
    if (!sl_py_array_out(out, "out", SL_PY_DOUBLE, m->csr.rows, &o) || !sl_py_begin_read(self)) return NULL;
    const size_t step = rows_a_call(&m->csr, self->model);
    Py_BEGIN_ALLOW_THREADS
    for (; first < m->csr.rows && !sl_py_watch_look(&watch, first, m->csr.rows); first += step) {
        const sluice_csr part = rows_from(&m->csr, first, step);
        if ((status = sluice_model_margins_csr(self->model, &part, (double *)o.data + first, &err)) != SLUICE_OK) break;
    }
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    return answered(&watch, status, first, &err);
}

static PyObject *model_margins_csr(PyObject *self, PyObject *args) {
    PyObject *indptr, *ids, *values, *columns, *out, *result = NULL;
    matrix m = {0};
    if (!PyArg_ParseTuple(args, "OOOOO:margins_csr", &indptr, &ids, &values, &columns, &out)) return NULL;
    if (matrix_rows(&m, indptr, ids, values, columns)) result = margins((sl_py_model *)self, &m, out);
    matrix_free(&m);
    return result;
}

static PyObject *classify(sl_py_model *self, const matrix *m, PyObject *best, PyObject *margin, PyObject *probability) {
    sluice_error err = {0};
    sluice_status status = SLUICE_OK;
    void *b, *d, *p;
    if (!sl_py_begin_read(self)) return NULL; /* before the classes are counted */
    const size_t classes = sluice_model_classes(self->model), n = m->csr.rows * classes;
    const bool good = sl_py_array_wanted(best, "best", SL_PY_UINT32, m->csr.rows, &b) &&
                      sl_py_array_wanted(margin, "margins", SL_PY_DOUBLE, n, &d) &&
                      sl_py_array_wanted(probability, "probabilities", SL_PY_DOUBLE, n, &p);
    sl_py_watch watch = sl_py_watch_start(Py_None);
    const size_t step = rows_a_call(&m->csr, self->model);
    size_t first = 0;
    Py_BEGIN_ALLOW_THREADS
    for (; good && first < m->csr.rows && !sl_py_watch_look(&watch, first, m->csr.rows); first += step) {
        const sluice_csr part = rows_from(&m->csr, first, step);
        sluice_class_answers answers = {.size = sizeof answers,
                                        .top = 1,
                                        .best = b ? (uint32_t *)b + first : NULL,
                                        .margins = d ? (double *)d + first * classes : NULL,
                                        .probabilities = p ? (double *)p + first * classes : NULL};
        if ((status = sluice_model_classify_csr(self->model, &part, &answers, &err)) != SLUICE_OK) break;
    }
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    return good ? answered(&watch, status, first, &err) : NULL;
}

static PyObject *model_classify_csr(PyObject *self, PyObject *args) {
    PyObject *indptr, *ids, *values, *columns, *best, *margin, *probability, *result = NULL;
    matrix m = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOO:classify_csr", &indptr, &ids, &values, &columns, &best, &margin, &probability))
        return NULL;
    if (matrix_rows(&m, indptr, ids, values, columns))
        result = classify((sl_py_model *)self, &m, best, margin, probability);
    matrix_free(&m);
    return result;
}

/* ---- probabilities ----------------------------------------------------------------------------------------------- */

/* Calls a function for n margins, piece by piece, without the interpreter's lock; signals are looked at in between. */
static PyObject *each_margin(sl_py_model *self, size_t n, const double *margins, void *out,
                             void (*piece)(const sluice_model *, size_t from, size_t to, const double *, void *)) {
    enum { MOST = 1 << 14 };
    sl_py_watch watch = sl_py_watch_start(Py_None);
    if (!sl_py_begin_read(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (size_t from = 0; from < n && !sl_py_watch_look(&watch, from, n); from += MOST)
        piece(self->model, from, n - from < MOST ? n : from + MOST, margins, out);
    sl_py_end(self);
    Py_END_ALLOW_THREADS
    return watch.failed ? NULL : Py_NewRef(Py_None);
}

static void probabilities(const sluice_model *m, size_t from, size_t to, const double *margins, void *out) {
    for (size_t i = from; i < to; i++) ((double *)out)[i] = sluice_model_probability(m, margins[i]);
}

static void positives(const sluice_model *m, size_t from, size_t to, const double *margins, void *out) {
    for (size_t i = from; i < to; i++) ((uint32_t *)out)[i] = (uint32_t)sluice_model_predicts_positive(m, margins[i]);
}

static PyObject *model_probabilities(PyObject *self, PyObject *array) {
    sl_py_view v;
    if (!sl_py_array(array, "margins", SL_PY_DOUBLE, &v)) return NULL;
    if (!sl_py_array_out(array, "margins", SL_PY_DOUBLE, v.n, &v)) return NULL;
    return each_margin((sl_py_model *)self, v.n, v.data, v.data, probabilities);
}

static PyObject *model_predict_positive(PyObject *self, PyObject *args) {
    PyObject *margin, *out;
    sl_py_view m, o;
    if (!PyArg_ParseTuple(args, "OO:predict_positive", &margin, &out)) return NULL;
    if (!sl_py_array(margin, "margins", SL_PY_DOUBLE, &m) || !sl_py_array_out(out, "out", SL_PY_UINT32, m.n, &o))
        return NULL;
    return each_margin((sl_py_model *)self, m.n, m.data, o.data, positives);
}

PyMethodDef sl_py_model_matrix_methods[] = {
    {"learn_csr", model_learn_csr, METH_VARARGS,
     "learn_csr(indptr, indices, data, labels, weights, words, columns, progress)"},
    {"margins_csr", model_margins_csr, METH_VARARGS, "margins_csr(indptr, indices, data, columns, out)"},
    {"classify_csr", model_classify_csr, METH_VARARGS,
     "classify_csr(indptr, indices, data, columns, best, margins, probabilities)"},
    {"probabilities", model_probabilities, METH_O, "probabilities(margins): in place."},
    {"predict_positive", model_predict_positive, METH_VARARGS,
     "predict_positive(margins, out): 1 where a margin predicts the positive class."},
    {NULL},
};
