/* export --to c: a C file without dependencies that computes the margins and the class of a row. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "output/message.h"

#include <inttypes.h>
#include <string.h>

static int check(exported_model *e) {
    (void)e;
    return DONE;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* A string of C: bytes other than letters, digits and the like as octal numbers of three digits. */
static void put_string(FILE *out, sluice_name text) {
    fputc('"', out);
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.text[i];
        if (c < ' ' || c > '~' || strchr("\"\\?", c))
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_double(FILE *out, double x) {
    char text[32];
    sluice_format_double(text, x);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_float(FILE *out, float x) {
    char text[32];
    sluice_format_float(text, x);
    fprintf(out, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Between two entries of a list. */
static void put_comma(FILE *out, size_t i) { fputs(i == 0 ? "\n    " : i % 8 ? ", " : ",\n    ", out); }

/* C has no empty arrays. */
static void end_list(FILE *out, size_t n) { fputs(n ? "\n};\n" : "0};\n", out); }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void put_features(FILE *out, const exported_model *e) {
    fprintf(out, "static const uint64_t %s_id[] = {", e->prefix);
    for (size_t i = 0; i < e->n; i++) {
        put_comma(out, i);
        fprintf(out, "%" PRIu64 "u", e->feature[i].number);
    }
    end_list(out, e->n);
    fprintf(out, "static const float %s_weight[] = {", e->prefix);
    for (size_t i = 0; i < e->weights; i++) {
        put_comma(out, i);
        put_float(out, e->weight[i].weight);
    }
    end_list(out, e->weights);
    if (e->problems == 1) return;
    fprintf(out,
            "/* of feature i the weights from first[i] up to first[i + 1], and the problem of each */\n"
            "static const uint32_t %s_first[] = {",
            e->prefix);
    for (size_t i = 0; i <= e->n; i++) {
        put_comma(out, i);
        fprintf(out, "%zu", i < e->n ? e->feature[i].first : e->weights);
    }
    end_list(out, 1);
    fprintf(out, "static const uint32_t %s_problem[] = {", e->prefix);
    for (size_t i = 0; i < e->weights; i++) {
        put_comma(out, i);
        fprintf(out, "%" PRIu32, e->weight[i].problem);
    }
    end_list(out, e->weights);
}

static void put_constants(FILE *out, const exported_model *e) {
    fprintf(out, "static const double %s_constant[] = {", e->prefix);
    for (size_t i = 0; i < e->problems; i++) {
        put_comma(out, i);
        put_double(out, e->constant[i]);
    }
    end_list(out, e->problems);
}

static void put_labels(FILE *out, const exported_model *e) {
    fprintf(out, "const char *const %s_label[] = {", e->prefix);
    for (size_t i = 0; i < e->classes; i++) {
        put_comma(out, i);
        put_string(out, model_class_label(e->model, i));
    }
    end_list(out, e->classes);
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

/* Writes code with the prefix of its names in the place of every @. */
static void put_code(FILE *out, const exported_model *e, const char *code) {
    for (; *code; code++)
        if (*code == '@')
            fputs(e->prefix, out);
        else
            fputc(*code, out);
}

static const char search[] = "/* The place of a feature among those with a weight, or their number. */\n"
                             "static size_t @_find(uint64_t id) {\n"
                             "    size_t low = 0, high = @_FEATURES;\n"
                             "    while (low < high) {\n"
                             "        size_t middle = low + (high - low) / 2;\n"
                             "        if (@_id[middle] < id)\n"
                             "            low = middle + 1;\n"
                             "        else\n"
                             "            high = middle;\n"
                             "    }\n"
                             "    return low < @_FEATURES && @_id[low] == id ? low : @_FEATURES;\n"
                             "}\n\n";

static const char head_of_margins[] =
    "/* The margins of a row of n features; room for @_PROBLEMS of them. */\n"
    "void @_margins(const uint64_t *ids, const float *values, size_t n, double *margins) {\n"
    "    size_t i;\n"
    "    for (i = 0; i < @_PROBLEMS; i++) margins[i] = 0;\n"
    "    for (i = 0; i < n; i++) {\n"
    "        size_t at = @_find(ids[i]);\n";
static const char one_weight[] =
    "        if (at < @_FEATURES) margins[0] += (double)@_weight[at] * (double)values[i];\n";
static const char many_weights[] =
    "        size_t k;\n"
    "        for (k = at < @_FEATURES ? @_first[at] : 0; at < @_FEATURES && k < @_first[at + 1]; k++)\n"
    "            margins[@_problem[k]] += (double)@_weight[k] * (double)values[i];\n";
static const char end_of_margins[] = "    }\n"
                                     "    for (i = 0; i < @_PROBLEMS; i++) margins[i] += @_constant[i];\n"
                                     "}\n\n";

static const char best_class[] = "/* The class that margins give: a place in @_label. */\n"
                                 "int @_class(const double *margins) {\n"
                                 "    int best = 0, i;\n"
                                 "    for (i = 1; i < @_CLASSES; i++)\n"
                                 "        if (margins[i] > margins[best]) best = i;\n"
                                 "    return best;\n"
                                 "}\n";

static const char most_wins[] =
    "/* The class that margins give: a place in @_label. Problem i is of the classes a < b, in the order (0,1), "
    "(0,2),\n"
    " * (1,2), (0,3) ...; a margin above 0 speaks for b. The class that most of its problems speak for is given, "
    "among\n"
    " * equals that of the largest sum of margins. */\n"
    "int @_class(const double *margins) {\n"
    "    int wins[@_CLASSES + 1] = {0}, best = 0, a, b;\n"
    "    double sum[@_CLASSES + 1] = {0};\n"
    "    size_t i = 0;\n"
    "    for (b = 1; b < @_CLASSES; b++)\n"
    "        for (a = 0; a < b; a++, i++) {\n"
    "            sum[b] += margins[i];\n"
    "            sum[a] -= margins[i];\n"
    "            wins[margins[i] > 0 ? b : a]++;\n"
    "        }\n"
    "    for (a = 1; a < @_CLASSES; a++)\n"
    "        if (wins[a] > wins[best] || (wins[a] == wins[best] && sum[a] > sum[best])) best = a;\n"
    "    return best;\n"
    "}\n";

static void put_decision(FILE *out, const exported_model *e) {
    if (e->settings->classes == SLUICE_CLASSES_OVO) {
        put_code(out, e, most_wins);
    } else if (e->settings->classes) {
        put_code(out, e, best_class);
    } else {
        put_code(out, e,
                 "/* The class that a margin gives: a place in @_label. */\nint @_class(const double *margins) { ");
        fprintf(out, "return margins[0] %s ", e->ties_positive ? ">=" : ">");
        put_double(out, e->threshold);
        fputs("; }\n", out);
    }
}

static void put_limits(FILE *out, const exported_model *e) {
    put_code(out, e, "enum { ");
    fprintf(out, "%s_FEATURES = %zu, %s_PROBLEMS = %zu, %s_CLASSES = %zu };\n\n", e->prefix, e->n, e->prefix,
            e->problems, e->prefix, e->classes);
}

static void write(FILE *out, const exported_model *e) {
    fprintf(out, "/* A model of sluice: %s. Written by `sluice export --to c`.\n *\n", e->learner);
    put_code(out, e,
             " *     double margins[@_PROBLEMS];\n"
             " *     @_margins(ids, values, n, margins);\n"
             " *     puts(@_label[@_class(margins)]);\n *\n");
    if (e->has_names)
        fputs(" * Features have names; the id of each is the number of its line in the file of names.\n", out);
    if (exported_changes_values(e))
        fputs(" * Rows are as `sluice convert --model` makes them: the model changes values.\n", out);
    fputs(" */\n#include <stddef.h>\n#include <stdint.h>\n\n", out);
    put_limits(out, e);
    put_features(out, e);
    put_constants(out, e);
    put_labels(out, e);
    fputc('\n', out);
    put_code(out, e, search);
    put_code(out, e, head_of_margins);
    put_code(out, e, e->problems == 1 ? one_weight : many_weights);
    put_code(out, e, end_of_margins);
    put_decision(out, e);
}

const export_format export_c = {
    .name = "c", .what = "a C function", .check = check, .write = write, .numbers_features = 1};
