/* Writes the answers of predict that say more than label, margin and probability. */
#include "measure/answer.h"

#include "output/class_text.h"
#include "output/json.h"
#include "output/message.h"
#include "output/shown_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int answer_options(const args *a, answer_form *form) {
    *form = (answer_form){.json = args_has(a, "json"), .keep = args_has(a, "keep"), .id = args_value(a, "id")};
    form->proba = args_has(a, "proba");
    form->out = stdout;
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

static void put_feature(FILE *out, const sluice_term *t) {
    if (t->is_bias)
        fputs("bias", out);
    else if (t->name.text)
        put_exact(out, t->name.text, t->name.n);
    else
        fprintf(out, "%" PRIu64, t->id);
}

static void put_terms(const answer_form *form, size_t n) {
    char number[32];
    for (size_t i = 0; i < n; i++) {
        sluice_format_double(number, form->terms[i].contribution);
        putc('\t', form->out);
        put_feature(form->out, &form->terms[i]);
        fprintf(form->out, ":%s", number);
    }
    if (form->explain <= MOST_EXPLAIN_FIELDS)
        for (size_t i = n; i < form->explain; i++) putc('\t', form->out);
}

/* The line as it is; of a csv record with line ends in quotes these become \x0a and \x0d. */
static void put_line(FILE *out, sluice_name line) {
    for (const char *p = line.text, *end = p + line.n; p < end;) {
        const char *stop = p;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        fwrite(p, 1, (size_t)(stop - p), out);
        if (stop < end) fputs(*stop == '\n' ? "\\x0a" : "\\x0d", out);
        p = stop + 1;
    }
}

static void put_text(const answer_form *form, const sluice_row_origin *from, const char *plain, size_t n,
                     size_t terms) {
    FILE *out = form->out;
    fwrite(plain, 1, n, out);
    if (form->numbered)
        fprintf(out, "\t%" PRIu64, from->line);
    else if (form->id)
        putc('\t', out), put_exact(out, from->id.text, from->id.n);
    put_terms(form, terms);
    if (form->keep) putc('\t', out), put_line(out, from->text);
    putc('\n', out);
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
    sluice_name label = sluice_model_label(model, is->margin);
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
        json_number(j, "margin", is->margins[is->best[i]]);
        if (form->proba) json_number(j, "probability", is->probabilities[is->best[i]]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_json(const answer_form *form, const sluice_row_origin *from, int left_out, const answered *is,
                     size_t terms, double scale) {
    json j = {.out = form->out};
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
    putc('\n', form->out);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Explains a row's margin: *n terms, the largest first. */
static int explain(answer_form *form, const sluice_batch *batch, size_t row, size_t class_index, size_t *n,
                   double *scale) {
    sluice_error err = {0};
    size_t need = sluice_batch_nonzeros(batch, row) + 1;
    if (need > form->room) {
        free(form->terms);
        form->terms = malloc(2 * need * sizeof *form->terms);
        form->room = form->terms ? 2 * need : 0;
        if (!form->terms) return out_of_memory();
    }
    sluice_explanation why = {.size = sizeof why, .terms = form->terms, .room = form->room, .class_index = class_index};
    if (sluice_model_explain_row(form->model, batch, row, &why, &err) != SLUICE_OK) return complain_error(&err);
    *n = sluice_terms_largest(why.terms, why.n, (size_t)form->explain);
    *scale = why.scale;
    return DONE;
}

int answer_row(answer_form *form, const sluice_batch *batch, size_t row, const answered *is, const char *plain,
               size_t n, size_t input) {
    sluice_error err = {0};
    sluice_row_origin from = {.size = sizeof from};
    const int left_out = sluice_batch_left_out(batch, row);
    size_t terms = 0;
    double scale = 1;
    int rc = DONE;
    if (sluice_batch_origin(batch, row, &from, &err) != SLUICE_OK) return complain_error(&err);
    if (input != form->input) form->rows = 0;
    form->input = input;
    form->rows++;
    if (!from.line) from.line = form->rows;
    form->all++;
    form->no_ids += from.id_kind == SLUICE_ID_NONE;
    const size_t class_index = is->classes ? is->best[0] : 0;
    if (form->explain && !left_out && class_index != SLUICE_NO_CLASS)
        rc = explain(form, batch, row, class_index, &terms, &scale);
    if (rc) return rc;
    if (form->json)
        put_json(form, &from, left_out, is, terms, scale);
    else
        put_text(form, &from, plain, n, terms);
    return DONE;
}

void answer_end(answer_form *form) {
    if (form->id && !form->numbered && form->all && form->no_ids == form->all)
        warning("--id %s: none of the %" PRIu64 " lines has one", form->id, form->all);
    free(form->terms);
    form->terms = NULL;
    form->room = 0;
}
