/* Reads the command line of `sluice tune`. */
#include "output/message.h"
#include "args/paths.h"
#include "search/reading_grid.h"
#include "search/search_args.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FOLDS = 5, MOST_FOLDS = 1000000, TOP = 20, TOP_BRIEF = 5, MOST_RANDOM = 10000 };

/* ---- the measure ------------------------------------------------------------------------------------------------- */

/* "error, balanced, ..." */
static void list_measures(char *known, size_t size) {
    const sluice_measure_info *m;
    size_t length = 0;
    for (size_t i = 0; (m = sluice_measure_at(i)) && length < size; i++)
        length += (size_t)snprintf(known + length, size - length, "%s%s%s", i ? ", " : "", m->name,
                                   i == SLUICE_MEASURE_RECALL_AT_PRECISION ? "=P" : "");
}

/* A measure by its name; recall@precision has the precision behind it. */
static int find_measure(tuning *t, const char *text) {
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; (t->measure = sluice_measure_at(i)); i++) {
        if (strlen(t->measure->name) != length || memcmp(t->measure->name, text, length) != 0) continue;
        t->how.measure = (int)i;
        if (i != SLUICE_MEASURE_RECALL_AT_PRECISION) return !text[length];
        const double *p = &t->how.precision;
        return text[length] && sluice_parse_number(text + length + 1, &t->how.precision) && *p > 0 && *p <= 1;
    }
    return 0;
}

static int measure_args(tuning *t) {
    const args *a = t->a;
    const char *text = args_has(a, "measure") ? args_value(a, "measure") : "error", *name = a->command->name;
    char known[256];
    list_measures(known, sizeof known);
    if (!find_measure(t, text))
        return wrong_usage(name, "--measure %s: there are %s (P: a precision above 0 and up to 1)", text, known);
    int rc = args_positive(a, "cost-missed", INFINITY, &t->how.cost_missed);
    if (!rc) rc = args_positive(a, "cost-alarm", INFINITY, &t->how.cost_alarm);
    if (!rc && t->how.measure == SLUICE_MEASURE_COST && !args_has(a, "cost-missed") && !args_has(a, "cost-alarm"))
        rc = wrong_usage(name, "--measure cost: what do mistakes cost? give --cost-missed or --cost-alarm");
    return rc;
}

/* What several classes do not have. */
static int check_classes(const tuning *t) {
    const char *name = t->a->command->name;
    if (!t->settings.classes) return DONE;
    if (t->measure->of_two) return wrong_usage(name, "--measure %s is for two classes", t->measure->name);
    if (t->mode == TUNE_PROGRESSIVE && t->how.measure == SLUICE_MEASURE_LOG_LOSS)
        return wrong_usage(name, "--measure logloss: while several classes are learned their probabilities are not "
                                 "known; give --folds forward instead of --progressive, or another measure");
    return DONE;
}

/* ---- folds ------------------------------------------------------------------------------------------------------- */

const char *tune_mode_name(const tuning *t) {
    static const char *const names[] = {"random", "forward", "progressive"};
    return names[t->mode];
}

static int folds_args(tuning *t) {
    static const char forward[] = "forward";
    const size_t length = sizeof forward - 1;
    const char *text = args_value(t->a, "folds"), *digits = text, *name = t->a->command->name;
    t->n_folds = FOLDS;
    if (args_has(t->a, "progressive")) {
        t->mode = TUNE_PROGRESSIVE;
        if (text)
            return wrong_usage(name,
                               "--folds %s: --progressive measures every example before it is learned, without "
                               "folds; give one of them",
                               text);
        if (t->passes > 1)
            return wrong_usage(name, "--passes %" PRIu64 ": --progressive measures one pass; --folds goes with several",
                               t->passes);
        return DONE;
    }
    if (!text) return DONE;
    if (strncmp(text, forward, length) == 0 && (!text[length] || text[length] == ':')) {
        t->mode = TUNE_FORWARD;
        if (!text[length]) return DONE;
        digits = text + length + 1;
    }
    if (parse_count(digits, t->mode == TUNE_FORWARD ? 1 : 2, MOST_FOLDS, &t->n_folds)) return DONE;
    return wrong_usage(name,
                       "--folds %s: give their number (2 to %d), or forward or forward:K to learn the past and "
                       "measure the next of K parts",
                       text, MOST_FOLDS);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int tune_args(const args *a, tuning *t) {
    static const char *const ways[] = {"sparse", "best", NULL};
    size_t way = 0;
    sluice_reader_options reading;
    *t = (tuning){.a = a, .output = args_value(a, "output"), .passes = 1, .how = {.size = sizeof t->how}};
    t->top = is_verbose() ? TOP : TOP_BRIEF;
    int rc = example_settings(a, &t->settings);
    if (!rc) rc = reading_from_args(a, &reading);
    if (!rc) rc = costs_from_args(a, NULL, &t->costs);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = folds_args(t);
    if (!rc) rc = args_count(a, "random", 1, MOST_RANDOM, &t->random);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &t->top);
    if (!rc) rc = measure_args(t);
    if (!rc) rc = args_word(a, "choose", ways, &way);
    t->how.choose = way ? SLUICE_CHOOSE_BEST : SLUICE_CHOOSE_SPARSE;
    t->how.threads = a->threads;
    t->how.passes = t->passes;
    t->how.progressive = t->mode == TUNE_PROGRESSIVE;
    if (!rc) rc = check_classes(t);
    if (!rc) rc = search_from_args(a, &t->settings, t->random, &t->search);
    return rc ? rc : check_files_usable(a);
}
