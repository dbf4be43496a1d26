/* Reads -a, -P and --grid and makes a search of them. */
#include "search/search_args.h"

#include "output/message.h"
#include "search/reading_grid.h"

#include <stdlib.h>
#include <string.h>

static const char default_learner[] = "ssol";

int name_in_list(const char *list, size_t i, char name[64]) {
    for (; i; i--) {
        list += strcspn(list, ",");
        if (!*list++) return 0;
    }
    snprintf(name, 64, "%.*s", (int)strcspn(list, ","), list);
    return 1;
}

int tunes_itself(const sluice_learner_info *learner) { return (learner->flags & SLUICE_LEARNER_TUNES) != 0; }

static int read_learners(search_args *s) {
    const char *list = args_value(s->a, "learner");
    char name[64];
    if (!list) list = default_learner;
    s->learners = calloc(strlen(list) + 1, sizeof *s->learners);
    if (!s->learners) return out_of_memory();
    for (size_t i = 0; name_in_list(list, i, name); i++) {
        const sluice_learner_info *learner = sluice_learner_find(name);
        if (!learner) return unknown_learner(s->a->command, name);
        if (tunes_itself(learner))
            return wrong_usage(s->a->command->name, "%s tunes itself: use `sluice train -a %s`", name, name);
        size_t k = 0;
        while (k < s->n_learners && s->learners[k] != learner) k++;
        if (k == s->n_learners) s->learners[s->n_learners++] = learner;
    }
    return DONE;
}

int search_args_read(const args *a, search_args *s) {
    *s = (search_args){.a = a, .grids = calloc(a->n_given + 1, sizeof *s->grids)};
    if (!s->grids) return out_of_memory();
    s->n_grids = args_values(a, "grid", s->grids);
    s->fixed = s->grids + s->n_grids;
    s->n_fixed = args_values(a, "param", s->fixed);
    return read_learners(s);
}

void search_args_free(search_args *s) {
    free(s->grids);
    free(s->learners);
}

/* "eta, lambda; C" into a text of a size. */
static void list_params(const search_args *s, char *known, size_t size) {
    size_t length = 0;
    *known = 0;
    for (size_t i = 0; i < s->n_learners; i++)
        for (size_t k = 0; k < s->learners[i]->n_params && length < size; k++) {
            const char *before = k ? ", " : i ? "; " : "";
            length += (size_t)snprintf(known + length, size - length, "%s%s", before, s->learners[i]->params[k].name);
        }
}

/* "; and normalize, bias": what else a --grid may be of. */
static void list_others(char *known, size_t size) {
    static const char *const settings[] = {"normalize", "bias", "transform", "scale"};
    size_t length = 0;
    const char *name;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && length < size; i++)
        length += (size_t)snprintf(known + length, size - length, "%s%s", i ? ", " : "; and ", settings[i]);
    for (size_t i = 0; (name = reading_at(i)) && length < size; i++)
        length += (size_t)snprintf(known + length, size - length, ", %s", name);
}

static int check_param_known(const search_args *s, const char *option, const char *text, int may_be_other) {
    char known[512], others[128] = "";
    for (size_t i = 0; i < s->n_learners; i++)
        if (sluice_learner_param(s->learners[i], text)) return DONE;
    list_params(s, known, sizeof known);
    if (may_be_other) list_others(others, sizeof others);
    return wrong_usage(s->a->command->name, "%s %s: no such parameter; there are: %s%s", option, text, known, others);
}

int check_known(const search_args *s, const char *option, const char *text) {
    return check_param_known(s, option, text, 0);
}

/* As check_known(), of a --grid, which may have settings and readings. */
static int check_grid_known(const search_args *s, const char *text) {
    const sluice_param_info *setting = sluice_search_setting(text);
    const char *name = setting ? setting->name : find_reading(text);
    if (!name) return check_param_known(s, "--grid", text, 1);
    if (args_has(s->a, name)) return wrong_usage(s->a->command->name, "--grid %s: --%s already fixes it", text, name);
    return DONE;
}

int add_learner(const search_args *s, const sluice_learner_info *learner, sluice_search *search) {
    const char **params = calloc(s->n_fixed + 1, sizeof *params);
    if (!params) return out_of_memory();
    size_t n = 0;
    for (size_t i = 0; i < s->n_fixed; i++)
        if (sluice_learner_param(learner, s->fixed[i])) params[n++] = s->fixed[i];
    sluice_error err = {0};
    sluice_status status = sluice_search_add_learner(search, learner->name, params, n, &err);
    free(params);
    return status == SLUICE_OK ? DONE : complain_error(&err);
}

int is_fixed(const search_args *s, const sluice_learner_info *learner, const sluice_param_info *param) {
    for (size_t i = 0; i < s->n_fixed; i++)
        if (sluice_learner_param(learner, s->fixed[i]) == param) return 1;
    return 0;
}

int add_values(const search_args *s, const sluice_learner_info *learner, const char *option, const char *param,
               const char *values, sluice_search *search) {
    const char *name = s->a->command->name;
    sluice_error err = {0};
    const sluice_param_info *p = sluice_learner_param(learner, param);
    if (p && is_fixed(s, learner, p)) return wrong_usage(name, "%s%s: -P already fixes %s", option, values, param);
    sluice_status status = sluice_search_add_grid(search, learner->name, param, values, &err);
    if (status == SLUICE_OK) return DONE;
    if (status != SLUICE_E_USAGE) return complain_error(&err);
    return wrong_usage(name, "%s%s: %s", option, values, err.message);
}

/* The grid of a reading, which the library takes as texts. */
static int add_reading(const search_args *s, const sluice_learner_info *learner, const char *text, const char *name,
                       sluice_search *search) {
    const char *who = s->a->command->name, *values = text + strlen(name);
    sluice_error err = {0};
    if (*values++ != '=' || !*values)
        return wrong_usage(who, "--grid %s: no values; write for instance %s=%s", text, name,
                           strcmp(name, "ngrams") == 0 ? "1,2" : "A,B");
    sluice_status status = sluice_search_add_reading(search, learner->name, name, values, &err);
    if (status == SLUICE_OK) return DONE;
    if (status != SLUICE_E_USAGE) return complain_error(&err);
    return wrong_usage(who, "--grid %s: %s", text, err.message);
}

int add_grid(const search_args *s, const sluice_learner_info *learner, const char *text, sluice_search *search) {
    const sluice_param_info *p = sluice_learner_param(learner, text);
    const char *reading = p ? NULL : find_reading(text);
    if (reading) return add_reading(s, learner, text, reading, search);
    if (!p) p = sluice_search_setting(text);
    if (!p) return DONE; /* another learner has it */
    const char *values = text + strlen(p->name);
    char option[96];
    if (*values++ != '=' || !*values)
        return wrong_usage(s->a->command->name, "--grid %s: no values; write for instance %s=%s", text, p->name,
                           p->choices ? p->choices[0] : "0.1,1,10");
    snprintf(option, sizeof option, "--grid %s=", p->name);
    return add_values(s, learner, option, p->name, values, search);
}

int make_points(const args *a, sluice_search *search, const char *advice) {
    sluice_error err = {0};
    sluice_status status = sluice_search_make_points(search, &err);
    if (status == SLUICE_OK) return DONE;
    return status == SLUICE_E_LIMIT ? wrong_usage(a->command->name, "%s%s", err.message, advice) : complain_error(&err);
}

/* What is tried where no --grid says it: usual parameters, and these settings unless an option fixes them. */
static int add_default_grids(const search_args *s, const sluice_learner_info *learner, sluice_search *search) {
    static const char *const settings[][2] = {{"normalize", "none,l2"}, {"bias", "0,0.3,1"}};
    sluice_error err = {0};
    if (sluice_search_add_default_grids(search, learner->name, SLUICE_GRIDS_TUNE, &err) != SLUICE_OK)
        return complain_error(&err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (args_has(s->a, settings[i][0])) continue;
        if (sluice_search_add_grid(search, learner->name, settings[i][0], settings[i][1], &err) != SLUICE_OK)
            return complain_error(&err);
    }
    return DONE;
}

/* Everything that is to be tried with a learner. */
static int fill_search(const search_args *s, const sluice_learner_info *learner, sluice_search *search) {
    int rc = add_learner(s, learner, search);
    if (!rc && !s->n_grids) rc = add_default_grids(s, learner, search);
    for (size_t i = 0; i < s->n_grids && !rc; i++) rc = add_grid(s, learner, s->grids[i], search);
    return rc;
}

int search_from_args(const args *a, const sluice_settings *settings, uint64_t random, sluice_search **search) {
    sluice_error err = {0};
    sluice_search_options how = {.size = sizeof how, .settings = settings, .random = random, .seed = a->seed};
    search_args s;
    int rc = search_args_read(a, &s);
    for (size_t i = 0; i < s.n_grids && !rc; i++) rc = check_grid_known(&s, s.grids[i]);
    for (size_t i = 0; i < s.n_fixed && !rc; i++) rc = check_known(&s, "-P", s.fixed[i]);
    if (!rc && !(*search = sluice_search_new(&how, &err))) rc = complain_error(&err);
    for (size_t i = 0; i < s.n_learners && !rc; i++) rc = fill_search(&s, s.learners[i], *search);
    search_args_free(&s);
    if (!rc) rc = make_points(a, *search, ", or draw some points with --random 100");
    return rc ? rc : check_readings(a, *search);
}

void print_learners_help(const args *a) {
    const char *list = args_value(a, "learner");
    char name[64];
    if (!list) print_learner_help(NULL, default_learner);
    for (size_t i = 0; list && name_in_list(list, i, name); i++) print_learner_help(name, NULL);
}
