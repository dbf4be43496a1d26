/* Writes the answers to rows: lines of text, or JSON. */
#include "measure/answer.h"

#include "output/class_text.h"
#include "output/json.h"
#include "output/message.h"
#include "output/weights.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int answer_options(const args *a, answer_form *form) {
    *form = (answer_form){.json = args_has(a, "json"), .keep = args_has(a, "keep"), .id = args_value(a, "id")};
    form->proba = args_has(a, "proba");
    form->numbered = form->id && strcmp(form->id, "line") == 0;
    int rc = args_count(a, "explain", 1, SIZE_MAX, &form->explain);
    if (!rc) rc = args_count(a, "top-classes", 1, SLUICE_MAX_MATRIX_CLASSES, &form->top_classes);
    if (!rc && form->id && !*form->id) rc = wrong_usage(a->command->name, "--id: which column? its name is empty");
    if (!rc && form->keep && !form->json && form->explain > MOST_EXPLAIN_FIELDS)
        rc = wrong_usage(a->command->name,
                         "--explain %" PRIu64 " with --keep: lines of text have at most %d features before the "
                         "input line; use --json for more",
                         form->explain, MOST_EXPLAIN_FIELDS);
    return rc;
}

int answer_is_plain(const answer_form *form) { return !form->json && !form->keep && !form->id && !form->explain; }

/* Whether the id may be the number of a csv column: then its name is not known yet. */
static int is_number(const char *id) { return id[strspn(id, "0123456789")] == 0; }

void answer_reading(const answer_form *form, const sluice_model *full, sluice_reader_options *reading) {
    reading->keep_lines = form->keep;
    if (!form->id || form->numbered) return;
    reading->id = form->id;
    reading->drop_id = !sluice_model_has_column(full, (sluice_name){form->id, strlen(form->id)}) &&
                       (reading->no_header || !is_number(form->id));
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void answer_exact(text_buffer *out, const char *bytes, size_t n) {
    char piece[SLUICE_ESCAPED];
    for (size_t k; n; bytes += k, n -= k) {
        k = sluice_escape(bytes, n, piece);
        text_put(out, *bytes == '\\' ? "\\x5c" : piece);
    }
}

static void put_feature(text_buffer *out, const sluice_term *t) {
    if (t->is_bias)
        text_put(out, "bias");
    else if (t->name.text && is_called_bias(t->name))
        text_put(out, ESCAPED_BIAS);
    else if (t->name.text)
        answer_exact(out, t->name.text, t->name.n);
    else
        text_count(out, t->id);
}

static void put_terms(const answer_form *form, size_t n) {
    for (size_t i = 0; i < n; i++) {
        text_char(form->out, '\t');
        put_feature(form->out, &form->terms[i]);
        text_char(form->out, ':');
        text_number(form->out, form->terms[i].contribution);
    }
    if (form->explain <= MOST_EXPLAIN_FIELDS)
        for (size_t i = n; i < form->explain; i++) text_char(form->out, '\t');
}

/* The line as it is; of a csv record with line ends in quotes these become \x0a and \x0d. */
static void put_line(text_buffer *out, sluice_name line) {
    for (const char *p = line.text, *end = p + line.n; p < end;) {
        const char *stop = p;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        text_add(out, p, (size_t)(stop - p));
        if (stop < end) text_put(out, *stop == '\n' ? "\\x0a" : "\\x0d");
        p = stop + 1;
    }
}

size_t answered_label(const sluice_model *model, const char *first, double margin) {
    const char *label = sluice_model_label(model, margin).text;
    return first ? label != first : *label != '-';
}

enum { NUMBER_ROOM = 32 };

static char *put_field(char *to, double x) {
    *to++ = '\t';
    return to + sluice_format_double(to, x);
}

/* label, margin and probability in one piece: one call for the memory of all. */
static void put_class(const answer_form *form, size_t label, double margin, double probability) {
    const size_t n = label == ANSWER_NO_LABEL ? 0 : form->label_n[label];
    char *begin = text_reserve(form->out, n + 2 * (size_t)(NUMBER_ROOM + 1)), *to = begin;
    if (!begin) return;
    if (n) memcpy(to, form->label[label], n);
    to = put_field(to + n, margin);
    if (form->proba) to = put_field(to, probability);
    text_wrote(form->out, (size_t)(to - begin));
}

void answer_fields(const answer_form *form, const answered *is) {
    if (!is->classes) {
        put_class(form, is->label, is->margin, is->probability);
        return;
    }
    for (size_t i = 0; i < is->classes; i++) {
        const uint32_t c = is->best[i];
        if (i) text_char(form->out, '\t');
        if (c == SLUICE_NO_CLASS) continue; /* the model has not learned anything */
        put_class(form, c, is->margins ? is->margins[c] : is->margin,
                  is->probabilities ? is->probabilities[c] : is->probability);
    }
}

static void put_text(const answer_form *form, const sluice_row_origin *from, int left_out, const answered *is,
                     size_t terms) {
    text_buffer *out = form->out;
    const size_t fields = (is->classes ? is->classes : 1) * (form->proba ? 3 : 2);
    if (left_out)
        for (size_t i = 1; i < fields; i++) text_char(out, '\t');
    else
        answer_fields(form, is);
    if (form->id) text_char(out, '\t');
    if (form->numbered)
        text_count(out, from->line);
    else if (form->id)
        answer_exact(out, from->id.text, from->id.n);
    put_terms(form, terms);
    if (form->keep) text_char(out, '\t'), put_line(out, from->text);
    text_char(out, '\n');
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Whether the text is a number as JSON has them. */
static int is_json_number(const char *p, size_t n) {
    static const char digits[] = "0123456789";
    char text[64];
    if (n == 0 || n >= sizeof text) return 0;
    memcpy(text, p, n);
    text[n] = 0;
    if (strlen(text) != n) return 0;
    p = text + (*text == '-');
    size_t whole = strspn(p, digits);
    if (whole == 0 || (*p == '0' && whole > 1)) return 0;
    p += whole;
    if (*p == '.') {
        size_t more = strspn(++p, digits);
        if (more == 0) return 0;
        p += more;
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        size_t more = strspn(p, digits);
        if (more == 0) return 0;
        p += more;
    }
    return *p == 0;
}

static int is_word(sluice_name text, const char *word) {
    return text.n == strlen(word) && memcmp(text.text, word, text.n) == 0;
}

/* The label: a number in a plain model, else the text of the class. */
static void json_label(json *j, const sluice_model *model, const answered *is) {
    if (is->classes) {
        json_class(j, "label", model, is->best[0]);
        return;
    }
    if (is->label == ANSWER_NO_LABEL) {
        json_null(j, "label");
        return;
    }
    const sluice_name label = sluice_model_label(model, is->margin);
    if (sluice_model_classes(model))
        json_bytes(j, "label", label.text, label.n);
    else
        json_raw(j, "label", label.text, label.n);
}

static void json_id(json *j, const answer_form *form, const sluice_row_origin *from) {
    if (form->numbered)
        json_count(j, "id", from->line);
    else if (from->id_kind == SLUICE_ID_NONE)
        json_null(j, "id");
    else if (from->id_kind == SLUICE_ID_JSON &&
             (is_json_number(from->id.text, from->id.n) || is_word(from->id, "true") || is_word(from->id, "false")))
        json_raw(j, "id", from->id.text, from->id.n);
    else
        json_bytes(j, "id", from->id.text, from->id.n);
}

static void json_term(json *j, const sluice_term *t) {
    json_open(j, NULL, '{');
    if (t->is_bias)
        json_text(j, "feature", "bias");
    else if (t->name.text)
        json_bytes(j, "feature", t->name.text, t->name.n);
    else
        json_count(j, "feature", t->id);
    json_float(j, "value", t->value);
    json_float(j, "weight", (float)t->weight);
    json_number(j, "contribution", t->contribution);
    if (t->is_bias) json_truth(j, "bias", 1);
    json_close(j, '}');
}

/* The most likely classes, the predicted one first. */
static void json_classes(json *j, const answer_form *form, const answered *is) {
    json_open(j, "classes", '[');
    for (size_t i = 0; i < is->classes && is->best[i] != SLUICE_NO_CLASS; i++) {
        json_open(j, NULL, '{');
        json_class(j, "label", form->model, is->best[i]);
        json_number(j, "margin", is->margins ? is->margins[is->best[i]] : is->margin);
        if (form->proba)
            json_number(j, "probability", is->probabilities ? is->probabilities[is->best[i]] : is->probability);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_json(const answer_form *form, const sluice_row_origin *from, int left_out, const answered *is,
                     size_t terms, double scale) {
    json j = {.text = form->out};
    json_open(&j, NULL, '{');
    if (left_out)
        json_null(&j, "label");
    else
        json_label(&j, form->model, is);
    json_number(&j, "margin", left_out ? NAN : is->margin);
    if (form->proba) json_number(&j, "probability", left_out ? NAN : is->probability);
    if (form->top_classes && is->classes && !left_out) json_classes(&j, form, is);
    if (form->id) json_id(&j, form, from);
    if (form->explain) {
        if (sluice_model_settings(form->model)->normalize) json_number(&j, "scale", scale);
        json_open(&j, "explain", '[');
        for (size_t i = 0; i < terms; i++) json_term(&j, &form->terms[i]);
        json_close(&j, ']');
    }
    if (form->keep) json_bytes(&j, "line", from->text.text, from->text.n);
    json_close(&j, '}');
    text_char(form->out, '\n');
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Explains a row's margin: *n terms, the largest first. */
static sluice_status explain(answer_form *form, const sluice_batch *batch, size_t row, size_t class_index, size_t *n,
                             double *scale, sluice_error *err) {
    const size_t need = sluice_batch_nonzeros(batch, row) + 1;
    if (need > form->room) {
        free(form->terms);
        form->terms = malloc(2 * need * sizeof *form->terms);
        form->room = form->terms ? 2 * need : 0;
        if (!form->terms) {
            *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
            return SLUICE_E_MEMORY;
        }
    }
    sluice_explanation why = {.size = sizeof why, .terms = form->terms, .room = form->room, .class_index = class_index};
    const sluice_status status = sluice_model_explain_row(form->model, batch, row, &why, err);
    if (status != SLUICE_OK) return status;
    *n = sluice_terms_largest(why.terms, why.n, (size_t)form->explain);
    *scale = why.scale;
    return SLUICE_OK;
}

sluice_status answer_row(answer_form *form, const sluice_batch *batch, size_t row, const answered *is, size_t input,
                         sluice_error *err) {
    sluice_row_origin from = {.size = sizeof from};
    const int left_out = is->none || sluice_batch_left_out(batch, row);
    size_t terms = 0;
    double scale = 1;
    sluice_status status = sluice_batch_origin(batch, row, &from, err);
    if (status != SLUICE_OK) return status;
    if (input != form->input) form->rows = 0;
    form->input = input;
    form->rows++;
    if (!from.line) from.line = form->rows;
    form->all++;
    form->no_ids += from.id_kind == SLUICE_ID_NONE;
    const size_t class_index = is->classes ? is->best[0] : 0;
    if (form->explain && !left_out && class_index != SLUICE_NO_CLASS)
        status = explain(form, batch, row, class_index, &terms, &scale, err);
    if (status != SLUICE_OK) return status;
    if (form->json)
        put_json(form, &from, left_out, is, terms, scale);
    else
        put_text(form, &from, left_out, is, terms);
    return SLUICE_OK;
}

void answer_warn(const answer_form *form) {
    if (form->id && !form->numbered && form->all && form->no_ids == form->all)
        warning("--id %s: none of the %s lines has one", form->id, COUNT(form->all));
}

void answer_free(answer_form *form) {
    free(form->terms);
    form->terms = NULL;
    form->room = 0;
}
