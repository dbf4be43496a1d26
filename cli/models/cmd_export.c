/* sluice export: a model in the formats of other programs. */
#include "commands.h"
#include "args/model_args.h"
#include "args/paths.h"
#include "models/class_numbers.h"
#include "models/export/exported.h"
#include "output/message.h"
#include "output/shown_text.h"
#include "output/text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"to", 0, "FORMAT", "the format: json, tsv, liblinear, vw, onnx or c", 0},
    {"output", 'o', "FILE",
     "write here (default: standard output); names of features go to FILE.names, labels that the format has numbers "
     "for to FILE.labels",
     0},
    {"prefix", 0, "NAME", "c: what the names in the file begin with (default: model)", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_MODEL},
    {.option = "output", .role = WRITES, .what = "exported model", .otherwise = "-", .may_be_stdout = 1},
    {.option = NULL},
};

static const export_format *const formats[] = {&export_json, &export_tsv,  &export_liblinear,
                                               &export_vw,   &export_onnx, &export_c};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static int read_format(const args *a, const export_format **format) {
    const char *words[N_FORMATS + 1] = {0};
    size_t i = 0;
    for (size_t k = 0; k < N_FORMATS; k++) words[k] = formats[k]->name;
    if (!args_has(a, "to"))
        return wrong_usage(a->command->name, "to which format? --to json, tsv, liblinear, vw, onnx or c");
    int rc = args_word(a, "to", words, &i);
    if (!rc) *format = formats[i];
    return rc;
}

static int read_prefix(const args *a, const export_format *format, const char **prefix) {
    *prefix = args_has(a, "prefix") ? args_value(a, "prefix") : "model";
    if (args_has(a, "prefix") && format != &export_c) return wrong_usage(a->command->name, "--prefix is for --to c");
    for (const char *p = *prefix; *p || p == *prefix; p++)
        if (!isalpha((unsigned char)*p) && *p != '_' && (p == *prefix || !isdigit((unsigned char)*p)))
            return wrong_usage(a->command->name, "--prefix %s: a name in C begins with a letter", *prefix);
    return DONE;
}

/* ---- what does not fit ------------------------------------------------------------------------------------------- */

/* What rows have to be like for a format that knows features by number and weights alone. */
static int check_rows(const exported_model *e, const export_format *format, const char *path) {
    const sluice_settings *s = e->settings;
    if (format->is_listing) return DONE;
    if (s->hash_bits) {
        complain("%s: its features are hashed, and rows for %s cannot be made: learn without --hash, or export --to "
                 "json or tsv",
                 path, format->name);
        return FAILED;
    }
    if (s->scale && s->classes == SLUICE_CLASSES_OVO) {
        complain("%s: every pair of classes scales features in its own way, and rows for %s cannot be made: export "
                 "--to json",
                 path, format->name);
        return FAILED;
    }
    return DONE;
}

/* Says what the format does not have, and where to get it. */
static void note_rows(const exported_model *e, const export_format *format, const char *path) {
    const reader_settings kept = model_reader_settings(e->model);
    const int cuts =
        strcmp(kept.format, "text") == 0 || strcmp(kept.format, "url") == 0 || keeps_text_columns(&kept.columns);
    const int crosses = *kept.quadratic != 0;
    if (format->is_listing) return;
    if (cuts || crosses || exported_changes_values(e) || (e->has_names && format->numbers_features))
        note("%s has the weights alone: `sluice convert --model %s` makes its rows%s%s%s%s", format->what, path,
             cuts ? "; it cuts text" : "", crosses ? "; it crosses features" : "",
             e->has_names && format->numbers_features ? "; it numbers features" : "",
             exported_changes_values(e) ? "; it changes values as the model does" : "");
    if (e->threshold != 0 && format == &export_liblinear) note("its margins are those above the model's threshold");
}

/* ---- files beside the exported one ------------------------------------------------------------------------------- */

static void write_names(FILE *out, const void *what) {
    const exported_model *e = what;
    for (size_t i = 0; i < e->n; i++) {
        put_exact(out, e->feature[i].name.text, e->feature[i].name.n);
        fputc('\n', out);
    }
}

static void write_labels(FILE *out, const void *what) {
    const exported_model *e = what;
    for (size_t i = 0; i < e->classes; i++) {
        const sluice_name label = model_class_label(e->model, i);
        put_exact(out, label.text, label.n);
        fputc('\n', out);
    }
}

static int write_beside(const args *a, const char *ending, void (*write)(FILE *out, const void *what),
                        const exported_model *e) {
    const char *path = args_value(a, "output");
    char *name = malloc(strlen(path) + strlen(ending) + 1);
    if (!name) return out_of_memory();
    strcpy(name, path);
    strcat(name, ending);
    const int rc = same_file(name, a->inputs[0])
                       ? wrong_usage(a->command->name, "%s would replace the model; give -o another name", name)
                       : write_text_file(name, write, e);
    free(name);
    return rc;
}

typedef struct exporting {
    const export_format *format;
    const exported_model *e;
} exporting;

static void write_model(FILE *out, const void *what) {
    const exporting *x = what;
    x->format->write(out, x->e);
}

static int write_all(const args *a, const export_format *format, const exported_model *e) {
    const char *path = args_has(a, "output") ? args_value(a, "output") : "-";
    const int names = e->has_names && format->numbers_features, labels = format->numbers_classes && !e->labels_are_ints;
    if (strcmp(path, "-") == 0 && (names || labels))
        return wrong_usage(a->command->name, "%s go to a file of their own: name one with -o",
                           names ? "names of features" : "labels");
    const exporting x = {format, e};
    int rc = DONE;
    if (names) rc = write_beside(a, ".names", write_names, e);
    if (labels && !rc) rc = write_beside(a, ".labels", write_labels, e);
    return rc ? rc : write_text_file(path, write_model, &x);
}

static int export_model(const args *a, const export_format *format, const char *prefix, const sluice_model *model) {
    const char *path = a->inputs[0];
    exported_model e;
    int rc = exported_read(&e, model);
    e.prefix = prefix;
    if (!rc) rc = check_rows(&e, format, path);
    if (!rc) rc = format->check(&e);
    if (!rc) rc = write_all(a, format, &e);
    if (!rc) note_rows(&e, format, path);
    exported_free(&e);
    return rc;
}

static int run(const args *a) {
    sluice_error err = {0};
    const export_format *format = NULL;
    const char *prefix;
    int rc = read_format(a, &format);
    if (!rc) rc = read_prefix(a, format, &prefix);
    if (!rc && a->n_inputs != 1) rc = wrong_usage(a->command->name, "which model? sluice export --to FORMAT MODEL");
    if (!rc) rc = check_files_usable(a);
    if (rc) return rc;
    sluice_model *whole = sluice_model_load(a->inputs[0], &err);
    sluice_model *model = whole ? sluice_model_final(whole, &err) : NULL;
    rc = model ? export_model(a, format, prefix, model) : complain_error(&err);
    sluice_model_free(whole);
    sluice_model_free(model);
    return rc;
}

const command export_command = {
    .name = "export",
    .summary = "write a model in the format of another program",
    .synopsis = "--to FORMAT MODEL [-o FILE]",
    .notes =
        "json and tsv: all that it predicts with; its weights. liblinear: a model for LIBLINEAR's predict. vw: a "
        "binary "
        "model of Vowpal Wabbit. onnx: an ONNX graph. c: a C function without dependencies.\n"
        "Features that have names are numbered as `sluice inspect --weights` lists them, from 1; the names stand in "
        "FILE.names, a line each. These formats multiply weights by values and do nothing else: `sluice convert "
        "--model MODEL` makes rows for them, with the model's numbers, text cut and values changed as the model does "
        "(docs/models.md).",
    .options = options,
    .files = files,
    .max_inputs = 1,
    .run = run,
};
