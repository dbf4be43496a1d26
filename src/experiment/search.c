/* Builds a search: learners, fixed parameters, grids and the points that they make. */
#include "experiment/search.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "experiment/dataset.h"
#include "experiment/setting_grid.h"
#include "experiment/sparsity.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a search by cross-validation tries by default: the first two of these that a learner has and that are not fixed,
 * and r where it is a third; the last one only alone, since beside r or b it is their ratio that matters. */
static const char *const usual[] = {"eta", "alpha", "C", "lambda", "l1", "phi", "r", "b", "a"};
enum { N_USUAL = sizeof usual / sizeof usual[0], MAX_USUAL = 2, USUAL_VALUES = 5, FEW_VALUES = 3 };

const sluice_param_info *sluice_learner_param(const sluice_learner_info *learner, const char *name) {
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < learner->n_params; i++)
        if (strlen(learner->params[i].name) == length && memcmp(learner->params[i].name, name, length) == 0)
            return &learner->params[i];
    return NULL;
}

/* ---- the search itself ------------------------------------------------------------------------------------------- */

sluice_search *sluice_search_new(const sluice_search_options *options, sluice_error *err) {
    sluice_search_options o = {.size = sizeof o};
    sluice_settings settings = {.size = sizeof settings};
    if (sl_sized_read(&o, sizeof o, options, "sluice_search_options", err) != SLUICE_OK) return NULL;
    if (sl_sized_read(&settings, sizeof settings, o.settings, "sluice_settings", err) != SLUICE_OK) return NULL;
    sluice_search *s = calloc(1, sizeof *s);
    if (!s) {
        sl_no_memory(err);
        return NULL;
    }
    s->settings = settings;
    if (settings.positive && !(s->settings.positive = strdup(settings.positive))) {
        free(s);
        sl_no_memory(err);
        return NULL;
    }
    s->random = o.random;
    s->seed = o.seed;
    return s;
}

static void free_point(const sluice_search *s, sl_point *p) {
    for (size_t i = s->trials[p->trial].n_fixed; p->params && i < p->shown.n_params; i++)
        free((void *)(uintptr_t)p->params[i]);
    for (size_t i = 0; p->varied && i < p->shown.n_varied; i++) free((void *)(uintptr_t)p->varied[i]);
    free(p->varied);
    free(p->params);
    free(p->runs);
    free(p->by_part);
    free(p->failure);
    free(p);
}

static void free_trial(sl_trial *t) {
    for (size_t i = 0; i < t->n_fixed; i++) free(t->fixed[i]);
    for (size_t i = 0; i < t->n_grids; i++) sl_grid_free(&t->grids[i]);
    free(t->fixed);
    free(t->grids);
}

void sluice_search_free(sluice_search *s) {
    if (!s) return;
    sl_sweep_work_free(s->work);
    for (size_t i = 0; i < s->n_points; i++) free_point(s, s->points[i]);
    for (size_t i = 0; i < s->n_trials; i++) free_trial(&s->trials[i]);
    for (size_t i = 0; i < s->n_names; i++) {
        free((char *)(uintptr_t)s->names[i]->name);
        free(s->names[i]);
    }
    free(s->names);
    free(s->readings);
    free(s->points);
    free(s->sorted);
    free(s->trials);
    free(s->findings);
    free((char *)(uintptr_t)s->settings.positive);
    free(s);
}

/* ---- learners and grids ------------------------------------------------------------------------------------------ */

static sl_trial *find_trial(const sluice_search *s, const char *learner) {
    const sluice_learner_info *wanted = sluice_learner_find(learner);
    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].learner == wanted) return &s->trials[i];
    return NULL;
}

static sluice_status too_late(sluice_error *err) {
    return sl_fail(err, SLUICE_E_USAGE, "the points of this search are made already; nothing can be added");
}

/* Copies the fixed parameters; whether a model can be made of them was checked. */
static sluice_status fix_params(sl_trial *t, const char *const *params, size_t n, sluice_error *err) {
    t->fixed = calloc(n + 1, sizeof *t->fixed);
    if (!t->fixed) return sl_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (!(t->fixed[i] = strdup(params[i]))) return sl_no_memory(err);
        t->n_fixed++;
    }
    return SLUICE_OK;
}

sluice_status sluice_search_add_learner(sluice_search *s, const char *learner, const char *const *params, size_t n,
                                        sluice_error *err) {
    sluice_error why = {0};
    if (s->has_points) return too_late(err);
    if (find_trial(s, learner)) return sl_fail(err, SLUICE_E_USAGE, "%s is in this search already", learner);
    sluice_model *model = sluice_model_new(learner, params, n, &s->settings, &why);
    if (!model) {
        if (err) *err = why;
        return why.status;
    }
    sluice_model_free(model);
    if (sluice_learner_find(learner)->flags & SLUICE_LEARNER_TUNES)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s tunes itself: a search is of parameters of a named learner",
                       learner);
    sl_trial *larger = realloc(s->trials, (s->n_trials + 1) * sizeof *larger);
    if (!larger) return sl_no_memory(err);
    s->trials = larger;
    sl_trial *t = &s->trials[s->n_trials];
    *t = (sl_trial){.learner = sluice_learner_find(learner)};
    sluice_status status = fix_params(t, params, n, err);
    if (status == SLUICE_OK)
        s->n_trials++;
    else
        free_trial(t);
    return status;
}

static int is_fixed(const sl_trial *t, const sluice_param_info *p) {
    for (size_t i = 0; i < t->n_fixed; i++)
        if (sluice_learner_param(t->learner, t->fixed[i]) == p) return 1;
    return 0;
}

static int has_grid(const sl_trial *t, const sluice_param_info *p) {
    for (size_t i = 0; i < t->n_grids; i++)
        if (t->grids[i].param == p) return 1;
    return 0;
}

static sluice_status check_value(const sl_trial *t, const sl_grid *g, const char *value, sluice_error *err) {
    char setting[SL_GRID_TEXT + 64];
    const char *given = setting;
    const sluice_learner_info *l = t->learner;
    snprintf(setting, sizeof setting, "%s=%s", g->param->name, value);
    if (g->param == sluice_search_setting(setting)) return sl_setting_check(setting, err);
    double *values = calloc(l->n_params, sizeof *values);
    if (!values) return sl_no_memory(err);
    sluice_status status = sluice_params_read(l->name, l->params, l->n_params, &given, 1, values, err);
    free(values);
    return status;
}

/* Takes the grid over, to stand at a place, where the status is fine; frees it otherwise. */
static sluice_status keep_grid_at(sl_trial *t, size_t at, sl_grid *g, sluice_status status, sluice_error *err) {
    sl_grid *larger = status == SLUICE_OK ? realloc(t->grids, (t->n_grids + 1) * sizeof *larger) : NULL;
    if (larger) {
        t->grids = larger;
        memmove(&t->grids[at + 1], &t->grids[at], (t->n_grids - at) * sizeof *larger);
        t->grids[at] = *g;
        t->n_grids++;
        return SLUICE_OK;
    }
    sl_grid_free(g);
    return status == SLUICE_OK ? sl_no_memory(err) : status;
}

static sluice_status keep_grid(sl_trial *t, sl_grid *g, sluice_status status, sluice_error *err) {
    const int is_setting = g->param == sluice_search_setting(g->param->name);
    status = keep_grid_at(t, is_setting ? t->n_grids - t->n_reading_grids : t->n_param_grids, g, status, err);
    if (status == SLUICE_OK && !is_setting) t->n_param_grids++;
    return status;
}

sluice_status sluice_search_add_grid(sluice_search *s, const char *learner, const char *param, const char *values,
                                     sluice_error *err) {
    sl_trial *t = find_trial(s, learner);
    if (s->has_points) return too_late(err);
    if (!t) return sl_fail(err, SLUICE_E_USAGE, "%s is not in this search", learner);
    const sluice_param_info *p = strchr(param, '=') ? NULL : sluice_learner_param(t->learner, param);
    if (!p && !strchr(param, '=')) p = sluice_search_setting(param);
    if (!p) return sl_fail(err, SLUICE_E_USAGE, "%s has no parameter %s", learner, param);
    if (has_grid(t, p)) return sl_fail(err, SLUICE_E_USAGE, "%s has a grid already", param);
    if (is_fixed(t, p)) return sl_fail(err, SLUICE_E_USAGE, "%s has a fixed value already", param);
    sl_grid g;
    sluice_status status = sl_grid_read(p, values, s->random > 0, &g, err);
    for (size_t i = 0; i < g.n_values && status == SLUICE_OK; i++) status = check_value(t, &g, g.values[i], err);
    return keep_grid(t, &g, status, err);
}

/* What a grid of a reading is of; NULL: no memory. */
static const sluice_param_info *name_of_reading(sluice_search *s, const char *name) {
    for (size_t i = 0; i < s->n_names; i++)
        if (strcmp(s->names[i]->name, name) == 0) return s->names[i];
    sluice_param_info **larger = realloc(s->names, (s->n_names + 1) * sizeof *larger);
    if (!larger) return NULL;
    s->names = larger;
    sluice_param_info *info = calloc(1, sizeof *info);
    if (!info || !(info->name = strdup(name))) {
        free(info);
        return NULL;
    }
    return s->names[s->n_names++] = info;
}

sluice_status sluice_search_add_reading(sluice_search *s, const char *learner, const char *name, const char *values,
                                        sluice_error *err) {
    sl_trial *t = find_trial(s, learner);
    if (s->has_points) return too_late(err);
    if (!t) return sl_fail(err, SLUICE_E_USAGE, "%s is not in this search", learner);
    if (!*name || strchr(name, '=') || strlen(name) > SL_GRID_TEXT)
        return sl_fail(err, SLUICE_E_USAGE, "'%s' is no name of a reading", name);
    const sluice_param_info *p = name_of_reading(s, name);
    if (!p) return sl_no_memory(err);
    if (has_grid(t, p)) return sl_fail(err, SLUICE_E_USAGE, "%s has a grid already", name);
    sl_grid g;
    sluice_status status = keep_grid_at(t, t->n_grids, &g, sl_grid_of_texts(p, values, &g, err), err);
    if (status == SLUICE_OK) t->n_reading_grids++;
    return status;
}

static sluice_status add_around(sl_trial *t, const sluice_param_info *p, double least, double most, size_t n,
                                sluice_error *err) {
    sl_grid g;
    return keep_grid(t, &g, sl_grid_around(p, least, most, n, &g, err), err);
}

static int is_usual(const sl_trial *t, const sluice_param_info *p) {
    return p && p->value > 0 && !is_fixed(t, p) && !has_grid(t, p);
}

/* Models of dense and of batch learners take long: fewer values. */
static sluice_status add_usual(sl_trial *t, sluice_error *err) {
    const int slow = t->learner->flags & (SLUICE_LEARNER_BATCH | SLUICE_LEARNER_DENSE);
    const size_t values = slow ? FEW_VALUES : USUAL_VALUES;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < N_USUAL && t->n_grids < MAX_USUAL && status == SLUICE_OK; i++) {
        if (i + 1 == N_USUAL && t->n_grids) break;
        const sluice_param_info *p = sluice_learner_param(t->learner, usual[i]);
        if (is_usual(t, p)) status = add_around(t, p, 1.0 / 16, 16, values, err);
    }
    const sluice_param_info *r = sluice_learner_param(t->learner, "r");
    if (status == SLUICE_OK && is_usual(t, r)) status = add_around(t, r, 1.0 / 16, 16, FEW_VALUES, err);
    return status;
}

static sluice_status add_sparsity(sl_trial *t, sluice_error *err) {
    const sl_sparsity_param *how = sl_sparsity_param_of(t->learner);
    if (!how) return sl_fail(err, SLUICE_E_USAGE, "no parameter of %s makes a model sparse", t->learner->name);
    const sluice_param_info *p = sluice_learner_param(t->learner, how->name);
    if (is_fixed(t, p)) return sl_fail(err, SLUICE_E_USAGE, "%s has a fixed value already", p->name);
    return add_around(t, p, how->least, how->most, SL_SWEEP_VALUES, err);
}

sluice_status sluice_search_add_default_grids(sluice_search *s, const char *learner, int kind, sluice_error *err) {
    sl_trial *t = find_trial(s, learner);
    if (s->has_points) return too_late(err);
    if (!t) return sl_fail(err, SLUICE_E_USAGE, "%s is not in this search", learner);
    if (t->n_grids) return sl_fail(err, SLUICE_E_USAGE, "%s has grids already", learner);
    if (kind == SLUICE_GRIDS_TUNE) return add_usual(t, err);
    if (kind == SLUICE_GRIDS_SPARSITY) return add_sparsity(t, err);
    return sl_fail(err, SLUICE_E_USAGE, "no such kind of grids: %d", kind);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

const char *sl_point_value(const sluice_search *s, const sl_point *p, size_t grid) {
    const sl_trial *t = &s->trials[p->trial];
    const char *text = grid < t->n_param_grids ? p->params[t->n_fixed + grid] : p->varied[grid - t->n_param_grids];
    return text + strlen(t->grids[grid].param->name) + 1;
}

static sluice_status set_params(const sl_trial *t, sl_point *p, char (*values)[SL_GRID_TEXT], sluice_error *err) {
    for (size_t i = 0; i < t->n_fixed; i++) p->params[p->shown.n_params++] = t->fixed[i];
    for (size_t i = 0; i < t->n_grids; i++) {
        char setting[SL_GRID_TEXT + 64];
        snprintf(setting, sizeof setting, "%s=%s", t->grids[i].param->name, values[i]);
        const char *text = strdup(setting);
        if (!text) return sl_no_memory(err);
        if (i < t->n_param_grids) {
            p->params[p->shown.n_params++] = text;
        } else {
            p->varied[p->shown.n_varied++] = text;
            if (i + t->n_reading_grids < t->n_grids) sl_setting_apply(text, &p->settings);
        }
    }
    return SLUICE_OK;
}

/* The readings of a point are the last of `varied`. */
static const char *const *readings_of(const sluice_search *s, const sl_point *p, size_t *n) {
    *n = s->trials[p->trial].n_reading_grids;
    return p->varied + p->shown.n_varied - *n;
}

static int same_readings(const sluice_search *s, const sl_point *a, const sl_point *b) {
    size_t n, m;
    const char *const *x = readings_of(s, a, &n), *const *y = readings_of(s, b, &m);
    for (size_t i = 0; i < n && n == m; i++)
        if (strcmp(x[i], y[i]) != 0) return 0;
    return n == m;
}

/* Numbers the combinations of readings. There is room for them. */
static void number_readings(sluice_search *s) {
    for (size_t i = 0; i < s->n_points; i++) {
        sl_point *p = s->points[i];
        size_t k = i && same_readings(s, p, s->points[i - 1]) ? s->points[i - 1]->shown.reading : 0;
        while (k < s->n_readings && !same_readings(s, p, s->readings[k])) k++;
        if (k == s->n_readings) s->readings[s->n_readings++] = p;
        p->shown.reading = k;
    }
}

size_t sluice_search_readings(const sluice_search *s) { return s->n_readings > 1 ? s->n_readings : 1; }

const char *const *sluice_search_reading(const sluice_search *s, size_t i, size_t *n) {
    *n = 0;
    return i < s->n_readings ? readings_of(s, s->readings[i], n) : NULL;
}

/* There is room for it. */
static sluice_status add_point(sluice_search *s, size_t trial, char (*values)[SL_GRID_TEXT], sluice_error *err) {
    sl_trial *t = &s->trials[trial];
    sl_point *p = calloc(1, sizeof *p);
    if (!p) return sl_no_memory(err);
    p->trial = trial;
    p->shown.learner = t->learner;
    p->shown.n_fixed = t->n_fixed;
    p->shown.order = s->n_points;
    p->shown.test = &p->test;
    p->test.size = sizeof p->test;
    p->params = calloc(t->n_fixed + t->n_grids + 1, sizeof *p->params);
    p->varied = calloc(t->n_grids + 1, sizeof *p->varied);
    p->settings = s->settings;
    p->shown.params = p->params;
    p->shown.varied = p->varied;
    p->shown.settings = &p->settings;
    sluice_status status = p->params && p->varied ? set_params(t, p, values, err) : sl_no_memory(err);
    if (status != SLUICE_OK) {
        free_point(s, p);
        return status;
    }
    s->sorted[s->n_points] = s->points[s->n_points] = p;
    s->n_points++;
    t->n++;
    return SLUICE_OK;
}

static sluice_status reserve_points(sluice_search *s, size_t more, sluice_error *err) {
    size_t n = s->n_points + more + 1;
    sl_point **points = realloc(s->points, n * sizeof *points);
    if (points) s->points = points;
    sl_point **sorted = realloc(s->sorted, n * sizeof *sorted);
    if (sorted) s->sorted = sorted;
    return points && sorted ? SLUICE_OK : sl_no_memory(err);
}

/* The i-th point of the whole grid: settings change slowest, so that points of the same ones are together; among them,
 * and among parameters, the first. */
static void grid_point(const sl_trial *t, size_t i, char (*values)[SL_GRID_TEXT]) {
    for (size_t n = t->n_grids; n-- > 0;) {
        const size_t settings = t->n_grids - t->n_param_grids;
        const size_t k = n >= settings ? n - settings : t->n_param_grids + n;
        memcpy(values[k], t->grids[k].values[i % t->grids[k].n_values], SL_GRID_TEXT);
        i /= t->grids[k].n_values;
    }
}

static int was_drawn(const sluice_search *s, const sl_trial *t, char (*values)[SL_GRID_TEXT]) {
    for (size_t i = 0; i < t->n; i++) {
        size_t k = 0;
        while (k < t->n_grids && strcmp(sl_point_value(s, s->points[t->first + i], k), values[k]) == 0) k++;
        if (k == t->n_grids) return 1;
    }
    return 0;
}

/* `drawing` NULL: all points of the grid. */
static sluice_status fill_points(sluice_search *s, size_t trial, size_t n, sluice_random *drawing, sluice_error *err) {
    sl_trial *t = &s->trials[trial];
    char(*values)[SL_GRID_TEXT] = calloc(t->n_grids + 1, sizeof *values);
    if (!values) return sl_no_memory(err);
    sluice_status status = SLUICE_OK;
    t->first = s->n_points;
    t->n = 0;
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) {
        for (size_t k = 0; drawing && k < t->n_grids; k++) sl_grid_draw(&t->grids[k], drawing, values[k]);
        if (!drawing) grid_point(t, i, values);
        if (!drawing || !was_drawn(s, t, values)) status = add_point(s, trial, values, err);
    }
    free(values);
    return status;
}

/* The number of points of the whole grid; SL_MAX_POINTS + 1 for all larger ones. */
static size_t grid_size(const sl_trial *t) {
    size_t n = 1;
    for (size_t i = 0; i < t->n_grids; i++) {
        n *= t->grids[i].n_values;
        if (n > SL_MAX_POINTS) return SL_MAX_POINTS + 1;
    }
    return n;
}

sluice_status sluice_search_make_points(sluice_search *s, sluice_error *err) {
    size_t total = 0;
    if (s->has_points) return SLUICE_OK;
    for (size_t i = 0; i < s->n_trials && total <= SL_MAX_POINTS; i++)
        total += s->random ? (size_t)s->random : grid_size(&s->trials[i]);
    if (total > SL_MAX_POINTS)
        return sl_fail(err, SLUICE_E_LIMIT, "more than %d points to try; give fewer values", SL_MAX_POINTS);
    sluice_status status = reserve_points(s, total, err);
    sluice_random r;
    sluice_random_seed(&r, s->seed);
    for (size_t i = 0; i < s->n_trials && status == SLUICE_OK; i++)
        status =
            fill_points(s, i, s->random ? (size_t)s->random : grid_size(&s->trials[i]), s->random ? &r : NULL, err);
    if (status == SLUICE_OK && !(s->readings = calloc(s->n_points + 1, sizeof *s->readings)))
        status = sl_no_memory(err);
    s->has_points = status == SLUICE_OK;
    if (s->has_points)
        number_readings(s);
    else
        sl_search_drop_points(s, 0);
    return status;
}

sluice_status sl_search_add_round(sluice_search *s, const sl_grid *grids, sluice_error *err) {
    size_t total = 0;
    for (size_t i = 0; i < s->n_trials; i++) total += grids[i].n_values;
    sluice_status status = reserve_points(s, total, err);
    for (size_t i = 0; i < s->n_trials && status == SLUICE_OK; i++) {
        sl_trial *t = &s->trials[i];
        t->first = s->n_points;
        t->n = 0;
        for (size_t k = 0; k < grids[i].n_values && status == SLUICE_OK; k++) {
            status = add_point(s, i, &grids[i].values[k], err);
            if (status == SLUICE_OK) s->points[s->n_points - 1]->shown.searched = 1;
        }
    }
    return status;
}

void sl_search_drop_points(sluice_search *s, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < s->n_points; i++)
        if (s->sorted[i]->shown.order < n) s->sorted[kept++] = s->sorted[i];
    while (s->n_points > n) free_point(s, s->points[--s->n_points]);
}

void sl_search_sort(sluice_search *s, int (*compare)(const void *a, const void *b)) {
    qsort(s->sorted, s->n_points, sizeof *s->sorted, compare);
}

/* ---- what came out ----------------------------------------------------------------------------------------------- */

size_t sluice_search_points(const sluice_search *s) { return s->n_points; }

const sluice_point *sluice_search_point(const sluice_search *s, size_t i) {
    return i < s->n_points ? &s->sorted[i]->shown : NULL;
}

int sluice_search_at_end(const sluice_search *s, size_t i, size_t grid) {
    if (i >= s->n_points) return 0;
    const sl_point *p = s->sorted[i];
    const sl_trial *t = &s->trials[p->trial];
    return grid < t->n_grids && sl_grid_at_end(&t->grids[grid], sl_point_value(s, p, grid), s->random > 0);
}

sluice_model *sl_point_model(const sl_point *p, sluice_error *err) {
    return sluice_model_new(p->shown.learner->name, p->params, p->shown.n_params, &p->settings, err);
}

sluice_model *sluice_search_model(const sluice_search *s, size_t i, sluice_error *err) {
    if (i < s->n_points) return sl_point_model(s->sorted[i], err);
    sl_fail(err, SLUICE_E_USAGE, "there is no point %zu; the search has %zu", i, s->n_points);
    return NULL;
}

sluice_sweep *sl_points_sweep(sl_point *const *points, size_t n, unsigned threads, sluice_error *err) {
    const char *const **params = calloc(n, sizeof *params);
    size_t *n_params = calloc(n, sizeof *n_params);
    sluice_sweep *sweep = NULL;
    for (size_t i = 0; params && n_params && i < n; i++) {
        params[i] = points[i]->params;
        n_params[i] = points[i]->shown.n_params;
    }
    if (params && n_params)
        sweep =
            sluice_sweep_new(points[0]->shown.learner->name, params, n_params, n, &points[0]->settings, threads, err);
    else
        sl_no_memory(err);
    free(params);
    free(n_params);
    return sweep;
}
