#include "experiment/search.h"

#include "output/message.h"

#include <stdlib.h>
#include <string.h>

/* Where no --grid says what to try: the first two of these that a learner has and -P leaves free; the last one only
 * alone, since beside r or b it is their ratio that matters. */
static const char *const usual[] = {"eta", "alpha", "C", "lambda", "l1", "phi", "r", "b", "a"};
enum { N_USUAL = sizeof usual / sizeof usual[0], MOST_USUAL = 2 };

int name_in_list(const char *list, size_t i, char name[64]) {
    for (; i; i--) {
        list += strcspn(list, ",");
        if (!*list++) return 0;
    }
    snprintf(name, 64, "%.*s", (int)strcspn(list, ","), list);
    return 1;
}

const sluice_param_info *find_param(const sluice_learner_info *l, const char *setting) {
    size_t length = strcspn(setting, "=");
    for (size_t i = 0; i < l->n_params; i++)
        if (strlen(l->params[i].name) == length && memcmp(l->params[i].name, setting, length) == 0)
            return &l->params[i];
    return NULL;
}

int is_fixed(const search *s, const sluice_param_info *p) {
    for (size_t i = 0; i < s->n_fixed; i++)
        if (find_param(s->learner, s->fixed[i]) == p) return 1;
    return 0;
}

static int has_grid(const search *s, const sluice_param_info *p) {
    for (size_t i = 0; i < s->n_grids; i++)
        if (s->grids[i].param == p) return 1;
    return 0;
}

static int check_value(const search *s, const grid *g, const char *value) {
    char setting[GRID_TEXT + 64];
    const char *given = setting;
    sluice_error err = {0};
    double *values = calloc(s->learner->n_params, sizeof *values);
    if (!values) return out_of_memory();
    snprintf(setting, sizeof setting, "%s=%s", g->param->name, value);
    sluice_status status =
        sluice_params_read(s->learner->name, s->learner->params, s->learner->n_params, &given, 1, values, &err);
    free(values);
    return status == SLUICE_OK ? DONE : complain_error(&err);
}

int read_values(const args *a, const char *option, const sluice_param_info *p, const char *values, int drawing,
                search *s) {
    const char *name = a->command->name;
    if (has_grid(s, p)) return wrong_usage(name, "%s%s: %s has a grid already", option, values, p->name);
    if (is_fixed(s, p)) return wrong_usage(name, "%s%s: -P already fixes %s", option, values, p->name);
    grid *g = &s->grids[s->n_grids++];
    int rc = grid_read(name, option, p, values, drawing, g);
    for (size_t i = 0; i < g->n_values && !rc; i++) rc = check_value(s, g, g->values[i]);
    return rc;
}

int read_grid(const args *a, const char *text, int drawing, search *s) {
    const sluice_param_info *p = find_param(s->learner, text);
    if (!p) return DONE; /* another learner's */
    const char *values = text + strlen(p->name);
    char option[96];
    if (*values++ != '=' || !*values)
        return wrong_usage(a->command->name, "--grid %s: no values; write for instance %s=0.1,1,10", text, p->name);
    snprintf(option, sizeof option, "--grid %s=", p->name);
    return read_values(a, option, p, values, drawing, s);
}

static int usual_grids(search *s) {
    int rc = DONE;
    for (size_t i = 0; i < N_USUAL && s->n_grids < MOST_USUAL && !rc; i++) {
        if (i + 1 == N_USUAL && s->n_grids) break;
        const sluice_param_info *p = find_param(s->learner, usual[i]);
        if (p && p->value > 0 && !is_fixed(s, p)) rc = grid_around(p, 1.0 / 16, 16, 5, &s->grids[s->n_grids++]);
    }
    return rc;
}

int fix_params(search *s, const char *const *params, size_t n, size_t n_grids) {
    s->fixed = calloc(n + 1, sizeof *s->fixed);
    s->grids = calloc(n_grids + 1, sizeof *s->grids);
    if (!s->fixed || !s->grids) return out_of_memory();
    for (size_t i = 0; i < n; i++)
        if (find_param(s->learner, params[i])) s->fixed[s->n_fixed++] = params[i];
    sluice_error err = {0};
    sluice_model *model = sluice_model_new(s->learner->name, s->fixed, s->n_fixed, NULL, &err);
    if (!model) return complain_error(&err);
    sluice_model_free(model);
    return DONE;
}

/* Everything that is to be tried with a learner; `texts` are the --grid, then the -P. */
static int fill_search(const args *a, const char **texts, size_t n_grids, size_t n_fixed, int drawing, search *s) {
    int rc = fix_params(s, texts + n_grids, n_fixed, n_grids + MOST_USUAL);
    if (!rc && !n_grids) rc = usual_grids(s);
    for (size_t i = 0; i < n_grids && !rc; i++) rc = read_grid(a, texts[i], drawing, s);
    return rc;
}

int check_known(const args *a, const search_list *l, const char *option, const char *text) {
    char known[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < l->n; i++) {
        const sluice_learner_info *learner = l->searches[i].learner;
        if (find_param(learner, text)) return DONE;
        for (size_t k = 0; k < learner->n_params && length < sizeof known; k++)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                       k   ? ", "
                                       : i ? "; "
                                           : "",
                                       learner->params[k].name);
    }
    return wrong_usage(a->command->name, "%s %s: no such parameter; there are: %s", option, text, known);
}

int name_learners(const args *a, search_list *l) {
    const char *list = args_value(a, "learner");
    char name[64];
    if (!list) list = sluice_learner_default();
    l->searches = calloc(strlen(list) + 1, sizeof *l->searches);
    if (!l->searches) return out_of_memory();
    for (size_t i = 0; name_in_list(list, i, name); i++) {
        const sluice_learner_info *learner = sluice_learner_find(name);
        if (!learner) return unknown_learner(a->command, name);
        size_t k = 0;
        while (k < l->n && l->searches[k].learner != learner) k++;
        if (k == l->n) l->searches[l->n++].learner = learner; /* each once */
    }
    return DONE;
}

int searches_from_args(const args *a, const sluice_settings *settings, uint64_t random, search_list *l) {
    const char **texts = calloc(a->n_given + 1, sizeof *texts);
    *l = (search_list){0};
    if (!texts) return out_of_memory();
    size_t n_grids = args_values(a, "grid", texts), n_fixed = args_values(a, "param", texts + n_grids);
    int rc = name_learners(a, l);
    for (size_t i = 0; i < n_grids + n_fixed && !rc; i++)
        rc = check_known(a, l, i < n_grids ? "--grid" : "-P", texts[i]);
    for (size_t i = 0; i < l->n && !rc; i++) rc = fill_search(a, texts, n_grids, n_fixed, random > 0, &l->searches[i]);
    free(texts);
    return rc ? rc : make_points(a->command->name, settings, random, a->seed, l);
}

void print_learners_help(const args *a) {
    const char *list = args_value(a, "learner");
    char name[64];
    if (!list) print_learner_help(NULL, sluice_learner_default());
    for (size_t i = 0; list && name_in_list(list, i, name); i++) print_learner_help(name, NULL);
}
