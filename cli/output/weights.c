/* Prints features and their weights. */
#include "output/weights.h"

#include "output/shown_text.h"
#include "terminal/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void print_name(FILE *out, const sluice_weight *w, int width) { print_name_in(out, w, width, ANY_WIDTH); }

int is_called_bias(sluice_name name) { return name.n == 4 && memcmp(name.text, "bias", 4) == 0; }

void print_name_in(FILE *out, const sluice_weight *w, int width, int room) {
    int written = 0;
    if (w->is_bias)
        written = fprintf(out, "bias");
    else if (!w->name.text)
        written = fprintf(out, "%" PRIu64, w->id);
    else if (is_called_bias(w->name))
        written = fprintf(out, ESCAPED_BIAS);
    else
        written = put_cut(out, w->name.text, w->name.n, room);
    fprintf(out, "%*s", written < width ? width - written : 0, "");
}

void json_name(json *j, const sluice_weight *w) {
    if (w->is_bias)
        json_text(j, "id", "bias");
    else if (w->name.text)
        json_bytes(j, "name", w->name.text, w->name.n);
    else
        json_count(j, "id", w->id);
}

void report_features(report *r, const char *key, const char *title, const sluice_weight *weights, size_t n) {
    enum { NAME_WIDTH = 20, VALUE_ROOM = 16 };
    char value[32];
    if (!r->as_json) {
        const int room = result_columns() - VALUE_ROOM;
        printf("%s\n", title);
        for (size_t i = 0; i < n; i++) {
            sluice_format_float(value, weights[i].weight);
            printf("  ");
            print_name_in(stdout, &weights[i], NAME_WIDTH, room);
            printf(" %s\n", value);
        }
        return;
    }
    json_open(&r->j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(&r->j, NULL, '{');
        json_name(&r->j, &weights[i]);
        json_float(&r->j, "weight", weights[i].weight);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

void report_heaviest(report *r, sluice_weight *weights, size_t n, size_t top) {
    report_features(r, "top", "heaviest features", weights, sluice_weights_heaviest(weights, n, top));
}
