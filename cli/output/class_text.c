/* The classes of a model, as messages and reports call them. */
#include "output/class_text.h"

#include "output/message.h"
#include "output/shown_text.h"
#include "terminal/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *class_text(const sluice_model *model, size_t i, char text[CLASS_TEXT]) {
    sluice_class c = {.size = sizeof c};
    size_t n = 0;
    *text = 0;
    if (sluice_model_class(model, i, &c) != SLUICE_OK) return text;
    for (size_t at = 0; at < c.text.n;) {
        if (n + SLUICE_ESCAPED + 3 > CLASS_TEXT) {
            memcpy(text + n, "...", 4);
            break;
        }
        at += sluice_escape(c.text.text + at, c.text.n - at, text + n);
        n += strlen(text + n);
    }
    return text;
}

size_t positive_class(const sluice_model *model) {
    sluice_class c = {.size = sizeof c};
    return sluice_model_class(model, 0, &c) == SLUICE_OK && c.is_positive ? 0 : 1;
}

void note_positive(const sluice_model *model) {
    char text[2][CLASS_TEXT];
    if (sluice_model_classes(model) != 2 || sluice_model_settings(model)->classes) return;
    size_t positive = positive_class(model);
    note("two classes: %s is positive, %s is negative%s", class_text(model, positive, text[0]),
         class_text(model, 1 - positive, text[1]),
         sluice_model_settings(model)->positive ? "" : " (--positive says otherwise)");
}

void json_class(json *j, const char *key, const sluice_model *model, uint32_t class_index) {
    sluice_class c = {.size = sizeof c};
    if (class_index != SLUICE_NO_CLASS && sluice_model_class(model, class_index, &c) == SLUICE_OK)
        json_bytes(j, key, c.text.text, c.text.n);
    else
        json_null(j, key);
}

char *result_label(sluice_name label) {
    char *text = malloc(label.n * 4 + SLUICE_ESCAPED), *p = text;
    if (!text) return NULL;
    *p = 0;
    for (size_t at = 0; at < label.n; p += strlen(p)) at += sluice_escape(label.text + at, label.n - at, p);
    return text;
}

void report_classes(report *r, const sluice_model *model) {
    sluice_class c = {.size = sizeof c};
    const size_t n = sluice_model_classes(model);
    const int many = sluice_model_settings(model)->classes != SLUICE_CLASSES_TWO;
    if (!n) return;
    if (r->as_json) {
        json_open(&r->j, "classes", '[');
        for (size_t i = 0; i < n && sluice_model_class(model, i, &c) == SLUICE_OK; i++) {
            json_open(&r->j, NULL, '{');
            json_bytes(&r->j, "label", c.text.text, c.text.n);
            json_count(&r->j, "examples", c.examples);
            if (!many) json_truth(&r->j, "positive", c.is_positive);
            json_close(&r->j, '}');
        }
        json_close(&r->j, ']');
        return;
    }
    enum { SHOWN = 8 };
    char text[SHOWN * (CLASS_TEXT + 40) + 40] = "", shown[CLASS_TEXT];
    size_t length = many ? (size_t)snprintf(text, sizeof text, "%zu: ", n) : 0;
    for (size_t i = 0; i < n && i < SHOWN && sluice_model_class(model, i, &c) == SLUICE_OK; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s (%s%s)", i ? ", " : "",
                                   class_text(model, i, shown), COUNT(c.examples), c.is_positive ? ", positive" : "");
    if (n > SHOWN) snprintf(text + length, sizeof text - length, ", ...");
    report_words(r, "classes", text);
}
