/* sluice import: models of other programs. */
#include "commands.h"
#include "args/model_args.h"
#include "args/paths.h"
#include "models/import/imported.h"
#include "output/message.h"
#include "output/report.h"
#include "run/signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"from", 0, "FORMAT",
     "what FILE is: liblinear, vw (of --readable_model or --invert_hash) or tsv (default: by content)", 0},
    {"output", 'o', "MODEL", "where to save the model", 0},
    LEARNER_OPTIONS,
    {"positive", 0, "W", "vw, tsv: the label of the positive class (needs --negative; default: 1)", 0},
    {"negative", 0, "W", "vw, tsv: the label of the negative class (needs --positive; default: -1)", 0},
    {"json", 0, NULL, "print what the model is as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    {.option = "output", .role = WRITES, .what = "model"},
    {.option = NULL},
};

typedef sluice_status import_function(imported *m, const char *text, size_t n, sluice_error *err);

static const struct {
    const char *name;
    import_function *read;
} formats[] = {{"liblinear", import_liblinear}, {"vw", import_vw}, {"tsv", import_tsv}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* As readers of examples call it. */
static const char *shown_path(const char *path) { return strcmp(path, "-") == 0 ? "<stdin>" : path; }

/* The whole of a file. */
static char *read_all(const char *path, size_t *n) {
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = 1 << 16;
    char *text = in ? malloc(room) : NULL;
    *n = 0;
    if (!in) complain("%s: cannot open: %s", path, strerror(errno));
    for (size_t got = 1; text && got; *n += got) {
        if (*n == room) {
            char *larger = realloc(text, room *= 2);
            if (!larger) free(text);
            if (!(text = larger)) break;
        }
        got = fread(text + *n, 1, room - *n, in);
    }
    if (in && !text) out_of_memory();
    if (in && text && ferror(in)) {
        complain("%s: cannot read: %s", shown_path(path), strerror(errno));
        free(text);
        text = NULL;
    }
    if (in && in != stdin) fclose(in);
    return text;
}

static int begins_with(const char *text, size_t n, const char *beginning) {
    const size_t k = strlen(beginning);
    return n >= k && memcmp(text, beginning, k) == 0;
}

static int choose_format(const args *a, const char *text, size_t n, import_function **read) {
    const char *words[N_FORMATS + 1] = {0};
    size_t i = begins_with(text, n, "solver_type ") ? 0 : begins_with(text, n, "Version ") ? 1 : 2;
    for (size_t k = 0; k < N_FORMATS; k++) words[k] = formats[k].name;
    const int rc = args_word(a, "from", words, &i);
    *read = formats[i].read;
    return rc;
}

/* The labels of --negative and --positive, or of the file; NULL: -1 and 1. */
static int choose_labels(const args *a, imported *m, const sluice_name **labels) {
    const char *given[2] = {args_value(a, "negative"), args_value(a, "positive")};
    *labels = NULL;
    if (!given[0] != !given[1]) return wrong_usage(a->command->name, "--negative and --positive go together");
    if (given[0] && m->label[0].n)
        return wrong_usage(a->command->name, "the model has labels of its own; leave --negative and --positive out");
    for (size_t i = 0; i < 2 && given[0]; i++) m->label[i] = (sluice_name){given[i], strlen(given[i])};
    const int plain = m->label[0].n && strcmp(m->label[1].text, "1") == 0 &&
                      (strcmp(m->label[0].text, "-1") == 0 || strcmp(m->label[0].text, "0") == 0);
    if (m->label[0].n && !plain) *labels = m->label;
    return DONE;
}

/* A predict-only model says a learner, too: one whose margins mean the same. */
static sluice_model *make(const args *a, const imported *m, const sluice_name *labels, sluice_error *err) {
    const sluice_settings settings = {.size = sizeof settings, .bias = m->bias};
    const sluice_given_weights given = {.size = sizeof given,
                                        .weights = m->weights,
                                        .n = m->n,
                                        .labels = labels,
                                        .predict_only = !args_has(a, "learner")};
    const char **params = calloc(a->n_given + 1, sizeof *params);
    if (!params) {
        *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "no memory"};
        return NULL;
    }
    const size_t n = args_values(a, "param", params);
    const char *learner = given.predict_only ? m->log_odds ? "ftrl" : "perceptron" : args_value(a, "learner");
    sluice_model *model = sluice_model_from_weights(learner, params, n, &settings, &given, err);
    free(params);
    return model;
}

static int save_and_print(const args *a, const sluice_model *model) {
    sluice_error err = {0};
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(model, &f);
    report r = report_start(args_has(a, "json"));
    report_text(&r, "learner", f.learner->name);
    report_truth(&r, "predict_only", f.is_final);
    report_count(&r, "features", f.features_seen);
    report_count(&r, "nonzeros", f.nonzeros);
    int rc = report_end(&r);
    if (rc) return rc;
    signals_hold();
    rc = sluice_model_save(model, args_value(a, "output"), &err) == SLUICE_OK ? DONE : complain_error(&err);
    signals_release();
    return rc;
}

static int import_file(const args *a, const char *path, const char *text, size_t n, imported *m) {
    sluice_error err = {0};
    import_function *read;
    const sluice_name *labels;
    int rc = choose_format(a, text, n, &read);
    if (rc) return rc;
    if (read(m, text, n, &err) != SLUICE_OK || imported_check(m, &err) != SLUICE_OK) {
        snprintf(err.source, sizeof err.source, "%s", path);
        return complain_error(&err);
    }
    if (!m->n)
        return complain("%s: there are no weights in it: is it cut short, or another kind of file?", path), FAILED;
    rc = choose_labels(a, m, &labels);
    if (rc) return rc;
    sluice_model *model = make(a, m, labels, &err);
    rc = model ? save_and_print(a, model) : complain_error(&err);
    sluice_model_free(model);
    return rc;
}

static int run(const args *a) {
    imported m = {0};
    size_t n;
    if (a->n_inputs != 1) return wrong_usage(a->command->name, "which file? sluice import FILE -o MODEL");
    if (!args_has(a, "output")) return wrong_usage(a->command->name, "where to? name the model with -o");
    if (args_has(a, "param") && !args_has(a, "learner"))
        return wrong_usage(a->command->name, "-P is for the learner of -a; without it the model is predict-only");
    int rc = check_files_usable(a);
    if (rc) return rc;
    char *text = read_all(a->inputs[0], &n);
    rc = text ? import_file(a, shown_path(a->inputs[0]), text, n, &m) : FAILED;
    imported_free(&m);
    free(text);
    return rc;
}

const command import_command = {
    .name = "import",
    .summary = "make a model of one of LIBLINEAR, Vowpal Wabbit or a table of weights",
    .synopsis = "FILE -o MODEL [--from FORMAT] [-a LEARNER] [-P NAME=VALUE]... [--json]",
    .notes =
        "The model is predict-only or, with -a, begins with the weights and goes on learning (train -i): with learners "
        "whose state is made of their weights, such as perceptron, pa, arow and ogd. It is of two classes.\n"
        "Features of LIBLINEAR are ids from 1; of VW indices or, where the file is that of --invert_hash, names; of a "
        "table ids where all are whole numbers, else names. Weights become 32-bit floats.",
    .options = options,
    .files = files,
    .max_inputs = 1,
    .run = run,
    .param_at = learner_param_at,
};
