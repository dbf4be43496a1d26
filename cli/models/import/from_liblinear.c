/* import --from liblinear: the model files of LIBLINEAR, for two classes. */
#include "models/import/imported.h"

#include "args/args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct liblinear_head {
    uint64_t features;
    int has_features, has_bias;
    double bias;
    char *solver;
} liblinear_head;

/* The word behind a key, if the line begins with that. */
static char *value_of(char *line, const char *key) {
    const size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

/* The word that p begins with, ended by a NUL; *p moves behind it. NULL: there is none. */
static char *next_word(char **p) {
    char *word = *p + strspn(*p, " \t");
    if (!*word) return NULL;
    char *end = word + strcspn(word, " \t");
    *p = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* Margins speak for the label that stands first. */
static sluice_status take_labels(imported *m, const import_lines *lines, char *text, sluice_error *err) {
    const char *positive = next_word(&text), *negative = positive ? next_word(&text) : NULL;
    if (!negative || next_word(&text)) return import_bad(lines, err, "there are not two labels");
    m->label[1] = (sluice_name){positive, strlen(positive)};
    m->label[0] = (sluice_name){negative, strlen(negative)};
    return SLUICE_OK;
}

static sluice_status take_key(imported *m, liblinear_head *head, const import_lines *lines, char *line,
                              sluice_error *err) {
    char *value;
    if ((value = value_of(line, "solver_type"))) {
        head->solver = value;
        return SLUICE_OK;
    }
    if ((value = value_of(line, "nr_class")))
        return strcmp(value, "2") == 0
                   ? SLUICE_OK
                   : import_bad(lines, err, "models of more than two classes, or of none, are not read");
    if ((value = value_of(line, "label"))) return take_labels(m, lines, value, err);
    if ((value = value_of(line, "nr_feature"))) {
        head->has_features = parse_count(value, 0, INT32_MAX, &head->features);
        return head->has_features ? SLUICE_OK : import_bad(lines, err, "nr_feature is no whole number up to 2^31 - 1");
    }
    if ((value = value_of(line, "bias"))) {
        head->has_bias = sluice_parse_number(value, &head->bias);
        return head->has_bias ? SLUICE_OK : import_bad(lines, err, "bias is no number");
    }
    return import_bad(lines, err, "this is no line of the head of a LIBLINEAR model");
}

/* Those whose margins tell two classes apart. */
static int is_known_solver(const char *name) {
    static const char *const known[] = {
        "L2R_LR",         "L2R_LR_DUAL",         "L2R_L2LOSS_SVC", "L2R_L2LOSS_SVC_DUAL",
        "L1R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "L1R_LR"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0) return 1;
    return 0;
}

static sluice_status check_head(imported *m, const liblinear_head *head, const import_lines *lines, sluice_error *err) {
    if (!head->solver || !head->has_features || !head->has_bias || !m->label[1].n)
        return import_bad(lines, err, "the head lacks one of solver_type, label, nr_feature and bias");
    if (strstr(head->solver, "SVR") || strstr(head->solver, "ONECLASS") || strcmp(head->solver, "MCSVM_CS") == 0)
        return import_bad(lines, err, "its solver does not make a margin that tells two classes apart by its sign");
    if (!is_known_solver(head->solver)) return import_bad(lines, err, "its solver_type is none of LIBLINEAR's");
    m->log_odds = strncmp(head->solver, "L2R_LR", 6) == 0 || strcmp(head->solver, "L1R_LR") == 0;
    m->bias = head->bias > 0 ? head->bias : 0;
    return SLUICE_OK;
}

/* A line with one number; the line behind those of the features is that of the bias. */
static sluice_status take_weight(imported *m, const liblinear_head *head, const import_lines *lines, uint64_t id,
                                 char *line, sluice_error *err) {
    char *number = next_word(&line);
    if (!number || next_word(&line)) return import_bad(lines, err, "there is not one weight in this line");
    if (id <= head->features) return import_weight(m, lines, (sluice_weight){.id = id}, number, err);
    if (id > head->features + 1 || head->bias < 0)
        return import_bad(lines, err, "there are more weights than features");
    return m->bias == 0 ? SLUICE_OK : import_weight(m, lines, (sluice_weight){.is_bias = 1}, number, err);
}

sluice_status import_liblinear(imported *m, const char *text, size_t n, sluice_error *err) {
    import_lines lines;
    liblinear_head head = {0};
    char *line;
    sluice_status status = import_start(m, &lines, text, n, err);
    while (status == SLUICE_OK && (line = import_line(&lines)) && strcmp(line, "w") != 0)
        status = take_key(m, &head, &lines, line, err);
    if (status == SLUICE_OK) status = check_head(m, &head, &lines, err);
    uint64_t id = 1;
    for (; status == SLUICE_OK && (line = import_line(&lines)); id++)
        status = take_weight(m, &head, &lines, id, line, err);
    if (status == SLUICE_OK && id - 1 != head.features + (head.bias >= 0))
        status = import_bad(&lines, err, "the model is cut short: weights are missing");
    return status;
}
