/* Model: learning from one dict of named values and answering for one, with the interpreter's lock. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_type.h"

/* Buffers for one row, kept in the model from call to call. A call takes them out of the model and puts them back, so
 * that calls from other threads, or from inside this one, have buffers of their own. */
typedef struct scratch {
    size_t room; /* features that there is room for */
    sluice_name *names;
    float *values;
    uint64_t *ids;
    size_t *made; /* the names that were put together: where they begin in `text`, plus 1; else 0 */
    sluice_term *terms;
    char *text;
    size_t text_n, text_room;
} scratch;

/* A row that is read from a dict. */
typedef struct row {
    sl_py_model *self;
    scratch *s;
    size_t n;
    bool by_id;      /* all keys are whole numbers */
    PyObject *copy;  /* of the dict, where Python code was called to read it: it holds the keys */
    PyObject *owned; /* a list of further objects that hold names; NULL: there are none */
} row;

void sl_py_scratch_free(void *of_model) {
    scratch *s = of_model;
    if (!s) return;
    free(s->names), free(s->values), free(s->ids), free(s->made), free(s->terms), free(s->text);
    free(s);
}

static bool no_memory(void) {
    PyErr_NoMemory();
    return false;
}

static bool grow(void *array, size_t n, size_t size) {
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    if (!(grown = realloc(old, n * size))) return no_memory();
    memcpy(array, &grown, sizeof grown);
    return true;
}

static bool reserve(scratch *s, size_t n) {
    if (n <= s->room) return true;
    const size_t room = n + n / 2 + 30;
    if (!grow(&s->names, room, sizeof *s->names) || !grow(&s->values, room, sizeof *s->values) ||
        !grow(&s->ids, room, sizeof *s->ids) || !grow(&s->made, room, sizeof *s->made))
        return false;
    free(s->terms); /* has room for `room` + 1 of them when it is there */
    s->terms = NULL;
    s->room = room;
    return true;
}

static bool begin_row(sl_py_model *self, row *r) {
    *r = (row){.self = self, .s = self->scratch};
    self->scratch = NULL;
    if (!r->s && !(r->s = calloc(1, sizeof *r->s))) return no_memory();
    return true;
}

static void end_row(row *r) {
    Py_XDECREF(r->copy);
    Py_XDECREF(r->owned);
    if (r->self->scratch) /* of a call that was under way at the same time */
        sl_py_scratch_free(r->s);
    else
        r->self->scratch = r->s;
}

/* ---- one value --------------------------------------------------------------------------------------------------- */

static bool refuse_value(PyObject *key, double v) {
    PyObject *number = PyFloat_FromDouble(v);
    if (number && isfinite(v))
        PyErr_Format(PyExc_ValueError, "the value of feature %R is beyond the range of a float, about 3.4e38: %R", key,
                     number);
    else if (number)
        PyErr_Format(PyExc_ValueError, "the value of feature %R is not finite: %R", key, number);
    Py_XDECREF(number);
    return false;
}

static inline bool take_value(row *r, PyObject *key, double v) {
    const float f = (float)v;
    r->s->values[r->n++] = f;
    return isfinite(f) || refuse_value(key, v);
}

/* The name `name=text`, put together. */
static bool make_name(row *r, sluice_name name, sluice_name text) {
    scratch *s = r->s;
    const size_t n = name.n + 1 + text.n;
    if (s->text_n + n > s->text_room) {
        const size_t room = 2 * (s->text_n + n) + 256;
        if (!grow(&s->text, room, 1)) return false;
        s->text_room = room;
    }
    char *at = s->text + s->text_n;
    memcpy(at, name.text, name.n);
    at[name.n] = '=';
    memcpy(at + name.n + 1, text.text, text.n);
    s->made[r->n] = s->text_n + 1;
    s->names[r->n].n = n;
    s->text_n += n;
    s->values[r->n++] = 1;
    return true;
}

/* ---- dicts of the common types: no code of Python's is called ---------------------------------------------------- */

typedef enum outcome { READ, FAILED, OTHER } outcome; /* OTHER: there is a key or value of another type */

static outcome take_common(row *r, PyObject *key, PyObject *value) {
    scratch *s = r->s;
    Py_ssize_t n = 0;
    const size_t k = r->n;
    if (value == Py_None) return READ;
    s->made[k] = 0;
    if (r->by_id) {
        if (!PyLong_CheckExact(key)) return OTHER;
        s->ids[k] = PyLong_AsUnsignedLongLong(key);
        if (s->ids[k] == UINT64_MAX && PyErr_Occurred()) return PyErr_Clear(), OTHER;
    } else {
        if (!PyUnicode_CheckExact(key) && !PyUnicode_Check(key)) return OTHER;
        s->names[k].text = PyUnicode_AsUTF8AndSize(key, &n);
        if (!s->names[k].text) return PyErr_Clear(), OTHER;
        s->names[k].n = (size_t)n;
    }
    if (PyFloat_CheckExact(value) || PyFloat_Check(value))
        return take_value(r, key, PyFloat_AsDouble(value)) ? READ : FAILED;
    if (PyLong_CheckExact(value) || value == Py_True || value == Py_False) {
        const double v = PyLong_AsDouble(value);
        if (v == -1 && PyErr_Occurred()) return PyErr_Clear(), OTHER;
        return take_value(r, key, v) ? READ : FAILED;
    }
    if (!PyUnicode_Check(value) || r->by_id) return OTHER;
    const sluice_name name = s->names[k];
    const char *text = PyUnicode_AsUTF8AndSize(value, &n);
    if (!text) return PyErr_Clear(), OTHER;
    return make_name(r, name, (sluice_name){text, (size_t)n}) ? READ : FAILED;
}

static outcome read_common(row *r, PyObject *dict) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    r->n = 0;
    r->s->text_n = 0;
    r->by_id = false;
    for (bool first = true; PyDict_Next(dict, &at, &key, &value); first = false) {
        if (first) r->by_id = PyLong_CheckExact(key);
        const outcome o = take_common(r, key, value);
        if (o != READ) return o;
    }
    return READ;
}

/* ---- all others -------------------------------------------------------------------------------------------------- */

/* Keeps an object, whose reference is taken over, as long as the row. */
static bool keep(row *r, PyObject *object) {
    if (object && !r->owned) r->owned = PyList_New(0);
    const bool fine = object && r->owned && PyList_Append(r->owned, object) == 0;
    Py_XDECREF(object);
    return fine;
}

/* The bytes of a key or a text: str and bytes as they are, all else as str() gives it. */
static bool name_of(row *r, PyObject *key, sluice_name *name) {
    PyObject *owner;
    if (!PyUnicode_Check(key) && !PyBytes_Check(key)) {
        PyObject *text = PyObject_Str(key);
        if (!keep(r, text)) return false;
        key = text; /* the list has it */
    }
    if (!sl_py_name(key, name, &owner)) return false;
    return !owner || keep(r, owner);
}

/* A number of any type. 1: it is one; 0: it is none; -1: an exception is set. */
static int number_of(PyObject *key, PyObject *value, double *v) {
    *v = PyFloat_AsDouble(value);
    if (*v != -1 || !PyErr_Occurred()) return 1;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "the value of feature %R is beyond the range of a float, about 3.4e38", key);
        return -1;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    return 0;
}

static bool take_any(row *r, PyObject *key, PyObject *value) {
    scratch *s = r->s;
    sluice_name name, text;
    double v;
    if (value == Py_None) return true;
    if (!name_of(r, key, &name)) return false;
    s->names[r->n] = name;
    s->made[r->n] = 0;
    if (PyUnicode_Check(value) || PyBytes_Check(value)) return name_of(r, value, &text) && make_name(r, name, text);
    const int is_number = number_of(key, value, &v);
    if (is_number > 0) return take_value(r, key, v);
    if (is_number == 0)
        PyErr_Format(PyExc_TypeError, "the value of feature %R is neither a number nor a text: %R", key,
                     (PyObject *)Py_TYPE(value));
    return false;
}

/* Reads a copy, which nobody else changes and which holds the keys. */
static bool read_any(row *r, PyObject *dict) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    r->n = 0;
    r->s->text_n = 0;
    r->by_id = false;
    if (!(r->copy = PyDict_Copy(dict))) return false;
    if (!reserve(r->s, (size_t)PyDict_Size(r->copy) + 1)) return false;
    while (PyDict_Next(r->copy, &at, &key, &value))
        if (!take_any(r, key, value)) return false;
    return true;
}

/* A dict of what a Mapping has, or the dict itself: a new reference. */
static PyObject *as_dict(PyObject *features) {
    if (PyDict_Check(features)) return Py_NewRef(features);
    if (!PyMapping_Check(features) || !PyObject_HasAttrString(features, "keys"))
        return PyErr_Format(PyExc_TypeError, "the features are a dict, not %R", (PyObject *)Py_TYPE(features));
    PyObject *dict = PyDict_New();
    if (dict && PyDict_Update(dict, features) == 0) return dict;
    Py_XDECREF(dict);
    return NULL;
}

/* The names of a row are borrowed from the caller's dict: before another thread may change that, its keys are held. */
static bool hold_keys(row *r, PyObject *features) { return r->copy || (r->copy = PyDict_Copy(features)); }

static bool begin_read(row *r, PyObject *features) {
    return sl_py_try_read(r->self) || (hold_keys(r, features) && sl_py_begin_read(r->self));
}

static bool begin_write(row *r, PyObject *features) {
    return sl_py_try_write(r->self) || (hold_keys(r, features) && sl_py_begin_write(r->self));
}

/* Reads the features of a call into buffers; from then on until the model is locked no code of Python's may run. False:
 * an exception is set; end_row() is due all the same. */
static bool read_features(row *r, PyObject *features, sluice_example *x) {
    PyObject *dict = as_dict(features);
    if (!dict) return false;
    outcome o = FAILED;
    if (reserve(r->s, (size_t)PyDict_Size(dict) + 1)) o = read_common(r, dict);
    const bool fine = o == READ || (o == OTHER && read_any(r, dict));
    if (dict != features && !r->copy) /* it holds the names */
        r->copy = dict;
    else
        Py_DECREF(dict);
    scratch *s = r->s;
    for (size_t k = 0; fine && s->text_n && k < r->n; k++)
        if (s->made[k]) s->names[k].text = s->text + s->made[k] - 1;
    x->values = s->values;
    x->n = r->n;
    if (r->by_id || r->n == 0) /* a row without features says nothing of names */
        x->ids = s->ids;
    else
        x->names = s->names;
    return fine;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* A label: a number, or the bytes of a text. */
static bool read_label(PyObject *label, sluice_example *x) {
    if (PyBytes_Check(label)) {
        char *text;
        Py_ssize_t n;
        if (PyBytes_AsStringAndSize(label, &text, &n) < 0) return false;
        x->word = (sluice_name){text, (size_t)n};
        if (n) return true;
        PyErr_SetString(PyExc_ValueError, "a label is an empty text");
        return false;
    }
    x->label = PyFloat_AsDouble(label);
    return x->label != -1 || !PyErr_Occurred();
}

static PyObject *model_learn_one(PyObject *object, PyObject *const *args, Py_ssize_t n) {
    sl_py_model *self = (sl_py_model *)object;
    if (n != 2 && n != 3) {
        PyErr_SetString(PyExc_TypeError, "learn_one(features, label, weight=1.0)");
        return NULL;
    }
    row r;
    sluice_example x = {.weight = n == 3 ? PyFloat_AsDouble(args[2]) : 1};
    if ((x.weight == -1 && PyErr_Occurred()) || !read_label(args[1], &x) || !begin_row(self, &r)) return NULL;
    bool fine = read_features(&r, args[0], &x);
    if (fine && (fine = begin_write(&r, args[0]))) {
        if (sluice_model_learn(self->model, &x, NULL) != SLUICE_OK) {
            sl_py_raise(sluice_model_error(self->model));
            fine = false;
        }
        sl_py_end(self);
    }
    end_row(&r);
    return fine ? Py_NewRef(Py_None) : NULL;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* What is wanted of a row, and what the model says. */
typedef struct answer {
    bool all; /* margins and probabilities of all classes are wanted too */
    bool several;
    double margin, probability; /* two classes: of the positive one */
    uint32_t best;              /* the class; of two: 1, the positive one, or 0 */
    size_t classes;
    double *margins, *probabilities; /* of several, in one allocation */
} answer;

static sluice_status answer_two(const sluice_model *m, const sluice_example *x, answer *a, sluice_error *err) {
    const sluice_status status = sluice_model_margin(m, x, &a->margin, err);
    if (status != SLUICE_OK) return status;
    a->best = sluice_model_predicts_positive(m, a->margin) != 0;
    a->probability = a->all ? sluice_model_probability(m, a->margin) : NAN;
    return SLUICE_OK;
}

static sluice_status answer_several(const sluice_model *m, const sluice_example *x, answer *a, sluice_error *err) {
    a->classes = sluice_model_classes(m);
    if (a->all && !(a->margins = malloc((2 * a->classes + 1) * sizeof *a->margins))) {
        *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "no memory for the margins of all classes"};
        return SLUICE_E_MEMORY;
    }
    if (a->all) a->probabilities = a->margins + a->classes;
    sluice_class_answers given = {
        .size = sizeof given, .top = 1, .best = &a->best, .margins = a->margins, .probabilities = a->probabilities};
    return sluice_model_classify_one(m, x, &given, err);
}

/* What a call is about: two classes, several, or whatever the model has. */
typedef enum kind { TWO, SEVERAL, ANY } kind;

static bool answer_of(sl_py_model *self, PyObject *features, kind asked, answer *a) {
    row r;
    sluice_example x = {.weight = 1};
    sluice_error err;
    if (!begin_row(self, &r)) return false;
    bool fine = read_features(&r, features, &x) && begin_read(&r, features);
    if (fine) {
        a->several =
            asked == SEVERAL || (asked == ANY && sluice_model_settings(self->model)->classes != SLUICE_CLASSES_TWO);
        const sluice_status status =
            a->several ? answer_several(self->model, &x, a, &err) : answer_two(self->model, &x, a, &err);
        sl_py_end(self);
        if (!(fine = status == SLUICE_OK)) sl_py_raise(&err);
    }
    end_row(&r);
    if (fine) return true;
    free(a->margins);
    return false;
}

static PyObject *model_margin_one(PyObject *self, PyObject *features) {
    answer a = {.all = false};
    return answer_of((sl_py_model *)self, features, TWO, &a) ? PyFloat_FromDouble(a.margin) : NULL;
}

static PyObject *model_probability_one(PyObject *self, PyObject *features) {
    answer a = {.all = true};
    return answer_of((sl_py_model *)self, features, TWO, &a) ? PyFloat_FromDouble(a.probability) : NULL;
}

static PyObject *number_list(const double *numbers, size_t n) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)i, number) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *class_number(uint32_t best) {
    return best == SLUICE_NO_CLASS ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(best);
}

static PyObject *model_classify_one(PyObject *self, PyObject *features) {
    answer a = {.all = true};
    if (!answer_of((sl_py_model *)self, features, SEVERAL, &a)) return NULL;
    PyObject *best = class_number(a.best), *margins = number_list(a.margins, a.classes),
             *probabilities = number_list(a.probabilities, a.classes), *result = NULL;
    if (best && margins && probabilities) result = PyTuple_Pack(3, best, margins, probabilities);
    Py_XDECREF(best);
    Py_XDECREF(margins);
    Py_XDECREF(probabilities);
    free(a.margins);
    return result;
}

static PyObject *model_predict_one(PyObject *self, PyObject *features) {
    answer a = {.all = false};
    return answer_of((sl_py_model *)self, features, ANY, &a) ? class_number(a.best) : NULL;
}

/* ---- explaining -------------------------------------------------------------------------------------------------- */

static PyObject *term_tuple(const sluice_term *t) {
    PyObject *feature = t->is_bias     ? Py_NewRef(Py_None)
                        : t->name.text ? sl_py_text(t->name)
                                       : PyLong_FromUnsignedLongLong(t->id);
    if (!feature) return NULL;
    return Py_BuildValue("(Nddd)", feature, (double)t->value, t->weight, t->contribution);
}

static PyObject *explanation_tuple(const sluice_explanation *why) {
    PyObject *terms = PyList_New((Py_ssize_t)why->n);
    for (size_t i = 0; terms && i < why->n; i++) {
        PyObject *term = term_tuple(&why->terms[i]);
        if (!term || PyList_SetItem(terms, (Py_ssize_t)i, term) < 0) Py_CLEAR(terms);
    }
    return terms ? Py_BuildValue("(ddN)", why->margin, why->scale, terms) : NULL;
}

static PyObject *model_explain_one(PyObject *object, PyObject *args) {
    sl_py_model *self = (sl_py_model *)object;
    PyObject *features, *result = NULL;
    Py_ssize_t class_index = 0;
    row r;
    sluice_example x = {.weight = 1};
    sluice_error err;
    if (!PyArg_ParseTuple(args, "O|n:explain_one", &features, &class_index) || !begin_row(self, &r)) return NULL;
    bool fine = read_features(&r, features, &x);
    if (fine && !r.s->terms) fine = grow(&r.s->terms, r.s->room + 1, sizeof *r.s->terms);
    fine = fine && hold_keys(&r, features); /* their names are used after the lock */
    if (fine && begin_read(&r, features)) {
        sluice_explanation why = {.size = sizeof why,
                                  .terms = r.s->terms,
                                  .room = r.s->room + 1,
                                  .class_index = class_index < 0 ? SIZE_MAX : (size_t)class_index};
        const sluice_status status = sluice_model_explain(self->model, &x, &why, &err);
        sl_py_end(self);
        result = status == SLUICE_OK ? explanation_tuple(&why) : sl_py_raise(&err);
    }
    end_row(&r);
    return result;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef sl_py_model_one_methods[] = {
    {"learn_one", FAST(model_learn_one), METH_FASTCALL,
     "learn_one(features, label, weight=1.0): learns a dict; the label is a number or the bytes of a text."},
    {"margin_one", model_margin_one, METH_O, "margin_one(features) -> float, of a model of two classes"},
    {"probability_one", model_probability_one, METH_O,
     "probability_one(features) -> float, of the positive class; nan: the model has none"},
    {"predict_one", model_predict_one, METH_O,
     "predict_one(features) -> 1 for the positive class, else 0; of several classes the class or None"},
    {"classify_one", model_classify_one, METH_O,
     "classify_one(features) -> (class or None, margins, probabilities), of a model of several classes"},
    {"explain_one", model_explain_one, METH_VARARGS,
     "explain_one(features, class=0) -> (margin, scale, [(feature, value, weight, contribution)]); bias: None"},
    {NULL},
};
