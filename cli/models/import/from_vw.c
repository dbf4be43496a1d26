/* import --from vw: what Vowpal Wabbit writes with --readable_model, whose features are indices, or with --invert_hash,
 * whose features have names. */
#include "models/import/imported.h"

#include "args/args.h"

#include <string.h>

#define CONSTANT 11650396u

typedef struct vw_head {
    uint64_t bits;
    int has_bits, has_constant;
} vw_head;

/* Options that leave a prediction the sum of weights times values. */
static int is_harmless(char *options, vw_head *head) {
    static const char *const harmless[] = {"--noconstant", "--hash",   "all",      "strings",
                                           "--link",       "identity", "logistic", "--random_seed"};
    char *rest;
    for (char *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t i = 0;
        uint64_t seed;
        while (i < sizeof harmless / sizeof *harmless && strcmp(word, harmless[i]) != 0) i++;
        if (i == sizeof harmless / sizeof *harmless && !parse_count(word, 0, UINT64_MAX, &seed)) return 0;
        if (i == 0) head->has_constant = 0;
    }
    return 1;
}

static sluice_status take_head(vw_head *head, const import_lines *lines, char *line, sluice_error *err) {
    if (strncmp(line, "bits:", 5) == 0) {
        head->has_bits = parse_count(line + 5, 1, 62, &head->bits);
        return head->has_bits ? SLUICE_OK : import_bad(lines, err, "bits is no whole number from 1 to 62");
    }
    if (strncmp(line, "options:", 8) == 0 && !is_harmless(line + 8, head))
        return import_bad(lines, err, "its predictions are not sums of weights times values: see its options");
    return SLUICE_OK;
}

/* A line [NAME:]INDEX:WEIGHT[ MORE...]; what is none is a line of VW's state. */
static sluice_status take_weight(imported *m, const vw_head *head, const import_lines *lines, char *line,
                                 sluice_error *err) {
    uint64_t index;
    char *blank = strchr(line, ' ');
    if (blank) *blank = 0;
    char *weight = strrchr(line, ':');
    if (!weight || weight == line) return SLUICE_OK;
    *weight++ = 0;
    char *name_end = strrchr(line, ':'), *digits = name_end ? name_end + 1 : line;
    if (!parse_count(digits, 0, UINT64_MAX, &index)) return SLUICE_OK;
    if (index >> head->bits) return import_bad(lines, err, "an index is beyond the bits of the model");
    sluice_weight key = {.id = index};
    if (head->has_constant && index == (CONSTANT & (((uint64_t)1 << head->bits) - 1)) &&
        (!name_end || strncmp(line, "Constant", (size_t)(name_end - line)) == 0)) {
        m->bias = 1;
        key = (sluice_weight){.is_bias = 1};
    } else if (name_end) {
        key = (sluice_weight){.name = {line, (size_t)(name_end - line)}};
    }
    return import_weight(m, lines, key, weight, err);
}

/* Ids and names do not mix: names that are missing are those of features that no example had. */
static int has_both(const imported *m) {
    int names = 0, ids = 0;
    for (size_t i = 0; i < m->n; i++) {
        names |= m->weights[i].name.text != NULL;
        ids |= !m->weights[i].name.text && !m->weights[i].is_bias;
    }
    return names && ids;
}

sluice_status import_vw(imported *m, const char *text, size_t n, sluice_error *err) {
    import_lines lines;
    vw_head head = {.has_constant = 1};
    char *line;
    sluice_status status = import_start(m, &lines, text, n, err);
    if (status != SLUICE_OK) return status;
    if (!(line = import_line(&lines)) || strncmp(line, "Version ", 8) != 0)
        return import_bad(&lines, err, "this is not what VW writes with --readable_model or --invert_hash");
    while (status == SLUICE_OK && (line = import_line(&lines)) && *line != ':')
        status = take_head(&head, &lines, line, err);
    if (status == SLUICE_OK && (!line || !head.has_bits)) status = import_bad(&lines, err, "the head is cut short");
    while (status == SLUICE_OK && (line = import_line(&lines))) status = take_weight(m, &head, &lines, line, err);
    if (status == SLUICE_OK && has_both(m))
        status = import_bad(&lines, err, "some weights have names and others have none");
    return status;
}
