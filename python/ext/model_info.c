/* Model: what a model is: counts, classes, weights, metadata, the race of auto. */
#include <string.h>

#include "model_type.h"

static PyObject *facts_dict(const sluice_model_facts *f) {
    return Py_BuildValue("{s:s,s:O,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:O,s:K,s:K,s:K,s:i,s:O,s:K,s:K}", "learner",
                         f->learner->name, "is_final", f->is_final ? Py_True : Py_False, "examples",
                         (unsigned long long)f->examples, "mistakes", (unsigned long long)f->mistakes, "updates",
                         (unsigned long long)f->updates, "positives", (unsigned long long)f->positives, "features_seen",
                         (unsigned long long)f->features_seen, "nonzeros", (unsigned long long)f->nonzeros,
                         "max_features", (unsigned long long)f->max_features, "has_names",
                         f->has_names ? Py_True : Py_False, "evicted", (unsigned long long)f->evicted, "refused",
                         (unsigned long long)f->refused, "waiting", (unsigned long long)f->waiting, "calibration",
                         f->calibration, "log_odds", f->log_odds ? Py_True : Py_False, "vectors",
                         (unsigned long long)f->vectors, "pseudo", (unsigned long long)f->pseudo);
}

static PyObject *describe(PyObject *object, sluice_status (*fill)(const sluice_model *, sluice_model_facts *)) {
    sl_py_model *self = (sl_py_model *)object;
    sluice_model_facts facts = {.size = sizeof facts};
    if (!sl_py_begin_read(self)) return NULL;
    fill(self->model, &facts);
    sl_py_end(self);
    return facts_dict(&facts);
}

static PyObject *model_facts(PyObject *self, PyObject *unused) {
    (void)unused;
    return describe(self, sluice_model_describe);
}

static PyObject *model_quick_facts(PyObject *self, PyObject *unused) {
    (void)unused;
    return describe(self, sluice_model_quick_facts);
}

static PyObject *model_settings(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const sluice_settings *s = sluice_model_settings(self->model);
    PyObject *dict =
        Py_BuildValue("{s:d,s:I,s:I,s:K,s:y,s:I,s:I,s:I}", "bias", s->bias, "normalize", s->normalize, "hash_bits",
                      s->hash_bits, "max_features", (unsigned long long)s->max_features, "positive", s->positive,
                      "classes", s->classes, "transform", s->transform, "scale", s->scale);
    sl_py_end(self);
    return dict;
}

/* A parameter as Python has it: a word, a whole number or a number. */
static PyObject *param_value(const sluice_param_info *p, double value) {
    if (p->choices) return PyUnicode_FromString(p->choices[(size_t)value]);
    return p->integer ? PyLong_FromDouble(value) : PyFloat_FromDouble(value);
}

static PyObject *params_dict(const sluice_learner_info *l, const sluice_model *m, const double *values) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < l->n_params; i++) {
        PyObject *value = param_value(&l->params[i], m ? sluice_model_param(m, i) : values[i]);
        if (!value || PyDict_SetItemString(dict, l->params[i].name, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *model_params(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    sluice_model_facts facts = {.size = sizeof facts};
    if (!sl_py_begin_read(self)) return NULL;
    sluice_model_quick_facts(self->model, &facts);
    PyObject *dict = params_dict(facts.learner, self->model, NULL);
    sl_py_end(self);
    return dict;
}

/* Appends to a list a reference that is taken over; false, and the list is gone, where there is none. */
static bool append(PyObject **list, PyObject *item) {
    if (*list && (!item || PyList_Append(*list, item) < 0)) Py_CLEAR(*list);
    Py_XDECREF(item);
    return *list != NULL;
}

static PyObject *model_classes(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    PyObject *list = PyList_New(0);
    if (!list || !sl_py_begin_read(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    for (size_t i = 0; i < sluice_model_classes(self->model); i++) {
        sluice_class c = {.size = sizeof c};
        sluice_model_class(self->model, i, &c);
        PyObject *number = c.is_number ? PyFloat_FromDouble(c.number) : Py_NewRef(Py_None);
        PyObject *text = PyBytes_FromStringAndSize(c.text.text, (Py_ssize_t)c.text.n);
        PyObject *item = Py_BuildValue("{s:N,s:N,s:K,s:O}", "text", text, "number", number, "examples",
                                       (unsigned long long)c.examples, "positive", c.is_positive ? Py_True : Py_False);
        if (!append(&list, item)) break;
    }
    sl_py_end(self);
    return list;
}

static PyObject *model_find_class(PyObject *object, PyObject *label) {
    sl_py_model *self = (sl_py_model *)object;
    char *text;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(label, &text, &n) < 0 || !sl_py_begin_read(self)) return NULL;
    const uint32_t found = sluice_model_find_class(self->model, (sluice_name){text, (size_t)n});
    sl_py_end(self);
    return found == SLUICE_NO_CLASS ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(found);
}

static PyObject *model_problems(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    PyObject *list = PyList_New(0);
    if (!list || !sl_py_begin_read(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    for (size_t i = 0; i < sluice_model_problems(self->model); i++) {
        sluice_problem p = {.size = sizeof p};
        sluice_model_problem(self->model, i, &p);
        PyObject *negative = p.negative == SLUICE_NO_CLASS ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(p.negative);
        if (!append(&list, Py_BuildValue("(IN)", p.positive, negative))) break;
    }
    sl_py_end(self);
    return list;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* (names or None, ids or None, weights, weight of the bias). */
static PyObject *weights_tuple(const sluice_weight *w, size_t n, int has_names) {
    const size_t bias = n && w[0].is_bias; /* it comes first */
    PyObject *names = has_names ? PyList_New(0) : Py_NewRef(Py_None);
    PyObject *ids = has_names ? Py_NewRef(Py_None) : PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((n - bias) * 8));
    PyObject *values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((n - bias) * 4));
    bool good = names && ids && values;
    for (size_t i = bias; i < n && good; i++) {
        memcpy(PyByteArray_AsString(values) + (i - bias) * 4, &w[i].weight, 4);
        if (has_names)
            good = append(&names, sl_py_text(w[i].name));
        else
            memcpy(PyByteArray_AsString(ids) + (i - bias) * 8, &w[i].id, 8);
    }
    if (good) return Py_BuildValue("(NNNd)", names, ids, values, bias ? (double)w[0].weight : 0.0);
    Py_XDECREF(names);
    Py_XDECREF(ids);
    Py_XDECREF(values);
    return NULL;
}

static PyObject *model_weights(PyObject *object, PyObject *problem) {
    sl_py_model *self = (sl_py_model *)object;
    const size_t i = problem == Py_None ? 0 : PyLong_AsSize_t(problem);
    if (PyErr_Occurred() || !sl_py_begin_read(self)) return NULL;
    sluice_error err = {0};
    sluice_weight *weights = NULL;
    size_t n = 0;
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_status status;
    sluice_model_quick_facts(self->model, &facts);
    Py_BEGIN_ALLOW_THREADS
    status = problem == Py_None ? sluice_model_weights(self->model, &weights, &n, &err)
                                : sluice_model_problem_weights(self->model, i, &weights, &n, &err);
    Py_END_ALLOW_THREADS
    PyObject *result = status == SLUICE_OK ? weights_tuple(weights, n, facts.has_names) : sl_py_raise(&err);
    sluice_free(weights);
    sl_py_end(self);
    return result;
}

static PyObject *model_weight_of(PyObject *object, PyObject *feature) {
    sl_py_model *self = (sl_py_model *)object;
    PyObject *owner = NULL;
    sluice_name name;
    uint64_t id = 0;
    const bool is_id = PyLong_Check(feature);
    if (is_id) id = PyLong_AsUnsignedLongLong(feature);
    if (PyErr_Occurred() || (!is_id && !sl_py_name(feature, &name, &owner))) return NULL;
    double weight = 0;
    const bool begun = sl_py_begin_read(self);
    if (begun) {
        weight = is_id ? sluice_model_weight_of_id(self->model, id) : sluice_model_weight_of_name(self->model, name);
        sl_py_end(self);
    }
    Py_XDECREF(owner);
    return begun ? PyFloat_FromDouble(weight) : NULL;
}

static PyObject *feature_of(const sluice_weight *w) {
    return w->name.text ? sl_py_text(w->name) : PyLong_FromUnsignedLongLong(w->id);
}

static PyObject *model_newest(PyObject *object, PyObject *count) {
    enum { MOST = 64 };
    sl_py_model *self = (sl_py_model *)object;
    sluice_weight newest[MOST];
    sluice_error err = {0};
    size_t n = PyLong_AsSize_t(count);
    if (PyErr_Occurred() || !sl_py_begin_read(self)) return NULL;
    if (n > MOST) n = MOST;
    PyObject *list = NULL;
    if (sluice_model_newest(self->model, newest, &n, &err) != SLUICE_OK)
        sl_py_raise(&err);
    else
        list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        append(&list, Py_BuildValue("(Nd)", feature_of(&newest[i]), (double)newest[i].weight));
    sl_py_end(self);
    return list;
}

static PyObject *model_growth(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    uint64_t seen[64];
    if (!sl_py_begin_read(self)) return NULL;
    const size_t n = sluice_model_growth(self->model, seen, 64);
    sl_py_end(self);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) append(&list, PyLong_FromUnsignedLongLong(seen[i]));
    return list;
}

/* ---- single figures ---------------------------------------------------------------------------------------------- */

static PyObject *model_bias_weight(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const double weight = sluice_model_bias_weight(self->model);
    sl_py_end(self);
    return PyFloat_FromDouble(weight);
}

static PyObject *model_nonzeros(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const uint64_t n = sluice_model_nonzeros(self->model);
    sl_py_end(self);
    return PyLong_FromUnsignedLongLong(n);
}

static PyObject *model_memory(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const uint64_t n = sluice_model_memory(self->model);
    sl_py_end(self);
    return PyLong_FromUnsignedLongLong(n);
}

/* sys.getsizeof, by which river measures a classifier. */
static PyObject *model_sizeof(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const uint64_t n = sizeof *self + sluice_model_memory(self->model);
    sl_py_end(self);
    return PyLong_FromUnsignedLongLong(n);
}

static PyObject *model_probability(PyObject *object, PyObject *margin) {
    sl_py_model *self = (sl_py_model *)object;
    const double value = PyFloat_AsDouble(margin);
    if (PyErr_Occurred() || !sl_py_begin_read(self)) return NULL;
    const double p = sluice_model_probability(self->model, value);
    sl_py_end(self);
    return PyFloat_FromDouble(p);
}

static PyObject *model_margin_of_probability(PyObject *object, PyObject *probability) {
    sl_py_model *self = (sl_py_model *)object;
    const double p = PyFloat_AsDouble(probability);
    if (PyErr_Occurred() || !sl_py_begin_read(self)) return NULL;
    const double margin = sluice_model_margin_of_probability(self->model, p);
    sl_py_end(self);
    return PyFloat_FromDouble(margin);
}

static PyObject *model_has_probability(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    if (!sl_py_begin_read(self)) return NULL;
    const int has = sluice_model_has_probability(self->model);
    sl_py_end(self);
    return PyBool_FromLong(has);
}

static PyObject *model_predicts_positive(PyObject *object, PyObject *margin) {
    sl_py_model *self = (sl_py_model *)object;
    const double value = PyFloat_AsDouble(margin);
    if (PyErr_Occurred() || !sl_py_begin_read(self)) return NULL;
    const int positive = sluice_model_predicts_positive(self->model, value);
    sl_py_end(self);
    return PyBool_FromLong(positive);
}

static PyObject *model_threshold(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    double margin;
    if (!sl_py_begin_read(self)) return NULL;
    const int has = sluice_model_threshold(self->model, &margin);
    sl_py_end(self);
    return has ? PyFloat_FromDouble(margin) : Py_NewRef(Py_None);
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static PyObject *model_metadata(PyObject *object, PyObject *key) {
    sl_py_model *self = (sl_py_model *)object;
    const char *text = PyUnicode_AsUTF8AndSize(key, NULL);
    size_t n = 0;
    if (!text || !sl_py_begin_read(self)) return NULL;
    const void *bytes = sluice_model_metadata(self->model, text, &n);
    PyObject *result = bytes ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n) : Py_NewRef(Py_None);
    sl_py_end(self);
    return result;
}

static PyObject *model_metadata_keys(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    PyObject *list = PyList_New(0);
    if (!list || !sl_py_begin_read(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    const char *key;
    const void *bytes;
    size_t n;
    for (size_t i = 0; (key = sluice_model_metadata_at(self->model, i, &bytes, &n)); i++)
        if (!append(&list, PyUnicode_FromString(key))) break;
    sl_py_end(self);
    return list;
}

/* ---- auto -------------------------------------------------------------------------------------------------------- */

static PyObject *candidate_dict(const sluice_candidate *c) {
    return Py_BuildValue("{s:s,s:N,s:d,s:I,s:I,s:I,s:O,s:O,s:K,s:K,s:K,s:d,s:d,s:d,s:K}", "learner", c->learner->name,
                         "params", params_dict(c->learner, NULL, c->params), "bias", c->bias, "normalize", c->normalize,
                         "scale", c->scale, "transform", c->transform, "is_leader", c->is_leader ? Py_True : Py_False,
                         "is_alive", c->is_alive ? Py_True : Py_False, "began", (unsigned long long)c->began, "dropped",
                         (unsigned long long)c->dropped, "led", (unsigned long long)c->led, "error", c->error,
                         "above_least", c->above_least, "standard_error", c->standard_error, "nonzeros",
                         (unsigned long long)c->nonzeros);
}

static PyObject *model_candidates(PyObject *object, PyObject *unused) {
    (void)unused;
    sl_py_model *self = (sl_py_model *)object;
    PyObject *list = PyList_New(0);
    if (!list || !sl_py_begin_read(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    for (size_t i = 0; i < sluice_model_candidates(self->model); i++) {
        sluice_candidate c = {.size = sizeof c};
        sluice_model_candidate(self->model, i, &c);
        if (!append(&list, candidate_dict(&c))) break;
    }
    sl_py_end(self);
    return list;
}

static PyObject *model_race_events(PyObject *object, PyObject *unused) {
    (void)unused;
    static const char *const kinds[] = {"", "leads", "dropped", "restarted"};
    sl_py_model *self = (sl_py_model *)object;
    PyObject *list = PyList_New(0);
    if (!list || !sl_py_begin_read(self)) {
        Py_XDECREF(list);
        return NULL;
    }
    const sluice_race_event *e;
    for (size_t i = 0; (e = sluice_model_race_event(self->model, i)); i++) {
        PyObject *item = Py_BuildValue("{s:K,s:I,s:s,s:d,s:K}", "examples", (unsigned long long)e->examples,
                                       "candidate", e->candidate, "kind", kinds[e->kind % 4], "error", e->error,
                                       "nonzeros", (unsigned long long)e->nonzeros);
        if (!append(&list, item)) break;
    }
    sl_py_end(self);
    return list;
}

PyMethodDef sl_py_model_info_methods[] = {
    {"facts", model_facts, METH_NOARGS, "What the model is; counts the nonzero weights."},
    {"quick_facts", model_quick_facts, METH_NOARGS, "The same without counting."},
    {"settings", model_settings, METH_NOARGS, "The settings as a dict of numbers."},
    {"params", model_params, METH_NOARGS, "The learner's parameters."},
    {"classes", model_classes, METH_NOARGS, "The classes in the order of first sight; none for a plain model."},
    {"find_class", model_find_class, METH_O, "find_class(text) -> its number or None"},
    {"problems", model_problems, METH_NOARGS, "The (positive, negative) classes of each vector of weights."},
    {"weights", model_weights, METH_O, "weights(problem or None) -> (names, ids, weights, bias)"},
    {"weight_of", model_weight_of, METH_O, "weight_of(name or id) -> float"},
    {"newest", model_newest, METH_O, "newest(n) -> the features that came last"},
    {"growth", model_growth, METH_NOARGS, "Features seen after 1, 2, 4, ... examples."},
    {"bias_weight", model_bias_weight, METH_NOARGS, "The weight of the constant feature."},
    {"nonzeros", model_nonzeros, METH_NOARGS, "How many weights are not 0."},
    {"memory", model_memory, METH_NOARGS, "Bytes that the model has allocated."},
    {"__sizeof__", model_sizeof, METH_NOARGS, "Bytes of memory, those of the model included."},
    {"probability", model_probability, METH_O, "probability(margin) -> float; nan where there is none"},
    {"margin_of_probability", model_margin_of_probability, METH_O, "margin_of_probability(p) -> float"},
    {"has_probability", model_has_probability, METH_NOARGS, "Whether the model has probabilities."},
    {"predicts_positive", model_predicts_positive, METH_O, "predicts_positive(margin) -> bool"},
    {"threshold", model_threshold, METH_NOARGS, "The threshold, or None."},
    {"metadata", model_metadata, METH_O, "metadata(key) -> bytes or None"},
    {"metadata_keys", model_metadata_keys, METH_NOARGS, "The keys in ascending order."},
    {"candidates", model_candidates, METH_NOARGS, "The candidates of auto."},
    {"race_events", model_race_events, METH_NOARGS, "What has happened in the race of auto."},
    {NULL},
};
