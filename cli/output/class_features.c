/* The heaviest features of each of several classes. */
#include "output/class_features.h"

#include "output/class_text.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "output/weights.h"
#include "output/wrap.h"
#include "terminal/columns.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_CLASSES_SHOWN = 50, /* with their heaviest features */
    INDENT = 22,
};

/* "ham                   free 2.3, call 1.9, ...", as far as the line goes. */
static void put_on_a_line(report *r, const char *label, const char *against, const sluice_weight *weights, size_t n) {
    enum { WEIGHT_ROOM = 14 };
    memory_text text;
    FILE *out = memory_text_open(&text);
    for (size_t i = 0; i < n && out; i++) {
        if (i) fputs(", ", out);
        print_name_in(out, &weights[i], 0, result_columns() - WEIGHT_ROOM);
        fprintf(out, " %.4g", (double)weights[i].weight);
    }
    char *line = out ? memory_text_close(&text, NULL) : NULL;
    r->failed |= !line;
    const int width = printf("  %s%s%s ", label, against ? " against " : "", against ? against : "");
    if (line) print_wrapped(stdout, line, width, INDENT);
    free(line);
}

int report_class_features(report *r, const sluice_model *model, uint32_t only, size_t top) {
    const size_t n = sluice_model_problems(model);
    size_t shown = 0;
    if (r->as_json) json_open(&r->j, "top", '[');
    if (r->is_brief && only == SLUICE_NO_CLASS && n && top) puts("heaviest features");
    for (size_t i = 0; i < n && shown < MOST_CLASSES_SHOWN && top; i++) {
        sluice_problem p = {.size = sizeof p};
        sluice_error err = {0};
        sluice_weight *weights;
        size_t kept;
        char title[2 * CLASS_TEXT + 64], text[2][CLASS_TEXT];
        sluice_model_problem(model, i, &p);
        if (only != SLUICE_NO_CLASS && p.positive != only && p.negative != only) continue;
        shown++;
        if (sluice_model_problem_weights(model, i, &weights, &kept, &err) != SLUICE_OK) return complain_error(&err);
        class_text(model, p.positive, text[0]);
        if (p.negative != SLUICE_NO_CLASS) class_text(model, p.negative, text[1]);
        snprintf(title, sizeof title, "heaviest features of %s%s%s", text[0],
                 p.negative == SLUICE_NO_CLASS ? "" : " against ", p.negative == SLUICE_NO_CLASS ? "" : text[1]);
        if (r->as_json) {
            json_open(&r->j, NULL, '{');
            json_class(&r->j, "label", model, p.positive);
            if (p.negative != SLUICE_NO_CLASS) json_class(&r->j, "against", model, p.negative);
        }
        const size_t heaviest = sluice_weights_heaviest(weights, kept, top);
        if (r->is_brief && only == SLUICE_NO_CLASS)
            put_on_a_line(r, text[0], p.negative == SLUICE_NO_CLASS ? NULL : text[1], weights, heaviest);
        else
            report_features(r, "features", title, weights, heaviest);
        if (r->as_json) json_close(&r->j, '}');
        sluice_free(weights);
    }
    if (r->as_json) json_close(&r->j, ']');
    if (!r->as_json && only == SLUICE_NO_CLASS && shown < n && top)
        printf("and so on: %zu of %zu; inspect --class W shows another\n", shown, n);
    return DONE;
}
