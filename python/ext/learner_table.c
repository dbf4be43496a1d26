/* The learners' table and how the library was built, as Python's dicts. */
#include <math.h>

#include "ext.h"

/* None for an unbounded limit. */
static PyObject *bound(double value) {
    if (isfinite(value)) return PyFloat_FromDouble(value);
    return Py_NewRef(Py_None);
}

static PyObject *choices_of(const sluice_param_info *p) {
    if (!p->choices) return Py_NewRef(Py_None);
    Py_ssize_t n = 0;
    while (p->choices[n]) n++;
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++) {
        PyObject *word = PyUnicode_FromString(p->choices[i]);
        if (!word || PyTuple_SetItem(tuple, i, word) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *param_dict(const sluice_param_info *p) {
    PyObject *value = p->choices   ? PyUnicode_FromString(p->choices[(size_t)p->value])
                      : p->integer ? PyLong_FromDouble(p->value)
                                   : PyFloat_FromDouble(p->value);
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N,s:N,s:N}", "name", p->name, "help", p->help, "default", value, "min",
                         bound(p->min), "max", bound(p->max), "integer", PyBool_FromLong(p->integer), "choices",
                         choices_of(p), "extra", PyBool_FromLong(p->extra));
}

static PyObject *learner_dict(const sluice_learner_info *l) {
    PyObject *params = PyList_New(0);
    for (size_t i = 0; params && i < l->n_params; i++) {
        PyObject *param = param_dict(&l->params[i]);
        if (!param || PyList_Append(params, param) < 0) Py_CLEAR(params);
        Py_XDECREF(param);
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:I,s:n,s:N}", "name", l->name, "summary", l->summary, "paper",
                         l->paper ? l->paper : "", "flags", l->flags, "bytes_per_feature",
                         (Py_ssize_t)l->bytes_per_feature, "params", params);
}

PyObject *sl_py_learners(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    const sluice_learner_info *l;
    for (size_t i = 0; list && (l = sluice_learner_at(i)); i++) {
        PyObject *learner = learner_dict(l);
        if (!learner || PyList_Append(list, learner) < 0) Py_CLEAR(list);
        Py_XDECREF(learner);
    }
    return list;
}

PyObject *sl_py_learner_aliases(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *names = PyDict_New();
    const char *alias, *name;
    for (size_t i = 0; names && (alias = sluice_learner_alias(i, &name)); i++) {
        PyObject *of = PyUnicode_FromString(name);
        if (!of || PyDict_SetItemString(names, alias, of) < 0) Py_CLEAR(names);
        Py_XDECREF(of);
    }
    return names;
}

PyObject *sl_py_build_info(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    sluice_build_facts facts = {.size = sizeof facts};
    sluice_build_info(&facts);
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:N}", "version", facts.version, "compiler", facts.compiler, "kernels",
                         facts.kernels, "codecs", facts.codecs, "openblas", PyBool_FromLong(facts.openblas));
}
