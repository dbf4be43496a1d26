/* sluice merge: one model of what several have learned. */
#include "commands.h"
#include "args/paths.h"
#include "output/message.h"
#include "output/report.h"
#include "run/signals.h"

#include <string.h>

static const option_info options[] = {
    {"output", 'o', "MODEL", "where to save the merged model", 0},
    {"start", 0, "MODEL", "the model that all of them began with (train -i): what it had learned counts once", 0},
    {"json", 0, NULL, "print what the merged model is as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_MODEL},
    {.option = "start", .role = READS_MODEL},
    {.option = "output", .role = WRITES, .what = "model", .may_replace = ""},
    {.option = NULL},
};

/* ---- how inputs were read ---------------------------------------------------------------------------------------- */

enum { SETTING_TEXT = 96 };

/* A setting of reading that a model keeps, the option that asks for it, and the value that is as good as none. */
static const struct reading_setting {
    const char *key, *option, *usual;
} settings[] = {
    {"reader.format", "--format", NULL}, /* kept where it is text or url, which cut what they read */
    {"reader.ngrams", "--ngrams", "1"},
    {"reader.tf", "--tf", "log"},
    {"reader.chars", "--chars", NULL},
    {"reader.min_length", "--min-length", "1"},
    {"reader.stop_words", "--stop-words", NULL},
    {"reader.no_header", "--no-header", NULL},
    {"reader.columns", "--columns", NULL},
    {"reader.ignore", "--ignore", NULL},
    {"reader.text", "--text", NULL},
    {"reader.quadratic", "--quadratic", NULL},
};

static const char *kept_setting(const sluice_model *model, const struct reading_setting *s) {
    const char *value = sluice_model_metadata(model, s->key, NULL);
    return value && s->usual && strcmp(value, s->usual) == 0 ? NULL : value;
}

static size_t words_in(const char *list) {
    size_t n = *list != 0;
    for (; *list; list++) n += *list == ' ';
    return n;
}

/* "with --ngrams 2", "without --ngrams"; of a list of stop words how many there are. */
static const char *setting_text(const struct reading_setting *s, const char *value, char text[SETTING_TEXT]) {
    const int is_list = strcmp(s->option, "--stop-words") == 0;
    const char *english = is_list ? sluice_stop_words("english") : NULL;
    if (!value)
        snprintf(text, SETTING_TEXT, "without %s", s->option);
    else if (strcmp(s->option, "--no-header") == 0)
        snprintf(text, SETTING_TEXT, "with %s", s->option);
    else if (english && strcmp(value, english) == 0)
        snprintf(text, SETTING_TEXT, "with %s english", s->option);
    else if (is_list)
        snprintf(text, SETTING_TEXT, "with %s, a list of %zu words", s->option, words_in(value));
    else
        snprintf(text, SETTING_TEXT, "with %s %.48s%s", s->option, value, strlen(value) > 48 ? "..." : "");
    return text;
}

/* Models whose inputs were made into features in different ways have features that mean different things. */
static int check_reading(const args *a, const sluice_model *into, const sluice_model *from, const char *path) {
    char mine[SETTING_TEXT], others[SETTING_TEXT];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *one = kept_setting(into, &settings[i]), *other = kept_setting(from, &settings[i]);
        if (one && other ? strcmp(one, other) == 0 : one == other) continue;
        complain("%s: its inputs were read %s, those of %s %s: the same feature does not mean the same there", path,
                 setting_text(&settings[i], other, others), a->inputs[0], setting_text(&settings[i], one, mine));
        return FAILED;
    }
    return DONE;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* What the library says is about two models: which ones, the message begins with. The command line was right: files
 * that do not go together are work that fails. */
static int complain_pair(const sluice_model *into, const char *path) {
    sluice_error error = *sluice_model_error(into);
    if (!*error.source) {
        const size_t n = strlen(path), room = sizeof error.source - 1;
        memcpy(error.source, path, n < room ? n + 1 : room);
        error.source[room] = 0;
    }
    complain_error(&error);
    return FAILED;
}

static int merge_all(const args *a, sluice_model *into, const sluice_model *start) {
    sluice_error err = {0};
    int rc = DONE;
    for (size_t i = 1; i < a->n_inputs && !rc; i++) {
        sluice_model *from = sluice_model_load(a->inputs[i], &err);
        if (!from) return complain_error(&err);
        rc = check_reading(a, into, from, a->inputs[i]);
        if (!rc && sluice_model_merge_since(into, from, start) != SLUICE_OK) rc = complain_pair(into, a->inputs[i]);
        sluice_model_free(from);
        if (!rc && stop_signal()) rc = stop_status();
    }
    return rc;
}

static int print(const args *a, const sluice_model *model) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(model, &f);
    report r = report_start(args_has(a, "json"));
    report_count(&r, "models", a->n_inputs);
    report_text(&r, "learner", f.learner->name);
    report_count(&r, "examples", f.examples);
    report_count(&r, "mistakes", f.mistakes);
    report_count(&r, "features_seen", f.features_seen);
    report_count(&r, "nonzeros", f.nonzeros);
    return report_end(&r);
}

static int save(const char *path, const sluice_model *model) {
    sluice_error err = {0};
    signals_hold();
    const int rc = sluice_model_save(model, path, &err) == SLUICE_OK ? DONE : complain_error(&err);
    signals_release();
    return rc;
}

static int run(const args *a) {
    sluice_error err = {0};
    if (a->n_inputs < 2) return wrong_usage(a->command->name, "which models? sluice merge A B... -o C");
    if (!args_has(a, "output")) return wrong_usage(a->command->name, "where to? name the merged model with -o");
    int rc = check_files_usable(a);
    if (rc) return rc;
    const char *began = args_value(a, "start");
    sluice_model *start = began ? sluice_model_load(began, &err) : NULL;
    if (began && !start) return complain_error(&err);
    sluice_model *into = sluice_model_load(a->inputs[0], &err);
    rc = into ? merge_all(a, into, start) : complain_error(&err);
    sluice_model_free(start);
    if (!into) return rc;
    /* where the error stood in one of the streams says nothing of both */
    if (!rc && sluice_model_set_metadata(into, "drift.state", NULL, 0) != SLUICE_OK)
        rc = complain_error(sluice_model_error(into));
    if (!rc) rc = print(a, into);
    if (!rc) rc = save(args_value(a, "output"), into);
    sluice_model_free(into);
    return rc;
}

static void more_help(const args *a) {
    (void)a;
    int column = printf("\nlearners whose models merge:");
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)); i++) {
        if (!(l->flags & SLUICE_LEARNER_MERGES)) continue;
        if (column + 1 + (int)strlen(l->name) > 78) column = printf("\n ") - 1;
        column += printf(" %s", l->name);
    }
    putchar('\n');
}

const command merge_command = {
    .name = "merge",
    .summary = "make one model of several that have learned parts of a stream",
    .synopsis = "A B... -o C [--start MODEL] [--json]",
    .notes = "All models must have the same learner, parameters, settings and classes. The merged model goes on "
             "learning (train -i). Where a learner's state is a sum over its examples the result is that of one model "
             "whose sums run over all streams; others are combined by their confidences, or averaged by examples "
             "(docs/merging.md). Models that went on from one and the same model are merged with --start.\n"
             "Dropped are what belongs to one stream alone: calibration, threshold, positions in topics and the state "
             "of the watch for drift. Models of auto, predict-only models and those whose features are scaled by "
             "their largest values or limited do not merge.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
};
