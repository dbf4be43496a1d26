#include "experiment/search.h"

#include "output/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *point_value(const search *s, const point *p, size_t i) {
    return p->recipe.params[s->n_fixed + i] + strlen(s->grids[i].param->name) + 1;
}

const search *search_of(const search_list *l, const point *p) {
    size_t i = 0;
    while (l->searches[i].learner != p->recipe.learner) i++;
    return &l->searches[i];
}

static int add_point(search_list *l, search *s, const sluice_settings *settings, char (*values)[GRID_TEXT]) {
    point *p = &l->points[l->n_points];
    *p = (point){.recipe = {.learner = s->learner, .settings = *settings}, .order = l->n_points};
    recipe *r = &p->recipe;
    l->n_points++;
    s->n++;
    r->params = calloc(s->n_fixed + s->n_grids + 1, sizeof *r->params);
    if (!r->params) return out_of_memory();
    for (size_t i = 0; i < s->n_fixed; i++) r->params[r->n_params++] = s->fixed[i];
    for (size_t i = 0; i < s->n_grids; i++) {
        char setting[GRID_TEXT + 64];
        snprintf(setting, sizeof setting, "%s=%s", s->grids[i].param->name, values[i]);
        if (!(r->params[r->n_params] = strdup(setting))) return out_of_memory();
        r->n_params++;
    }
    return DONE;
}

/* The i-th point of the whole grid: the first parameter changes slowest. */
static void grid_point(const search *s, size_t i, char (*values)[GRID_TEXT]) {
    for (size_t k = s->n_grids; k-- > 0; i /= s->grids[k].n_values)
        memcpy(values[k], s->grids[k].values[i % s->grids[k].n_values], GRID_TEXT);
}

static int was_drawn(const search_list *l, const search *s, char (*values)[GRID_TEXT]) {
    for (size_t i = 0; i < s->n; i++) {
        size_t k = 0;
        while (k < s->n_grids && strcmp(point_value(s, &l->points[s->first + i], k), values[k]) == 0) k++;
        if (k == s->n_grids) return 1;
    }
    return 0;
}

static int fill_points(search_list *l, search *s, const sluice_settings *settings, size_t n, rng *drawing) {
    char(*values)[GRID_TEXT] = calloc(s->n_grids + 1, sizeof *values);
    int rc = values ? DONE : out_of_memory();
    s->first = l->n_points;
    for (size_t i = 0; i < n && !rc; i++) {
        for (size_t k = 0; drawing && k < s->n_grids; k++) grid_draw(&s->grids[k], drawing, values[k]);
        if (!drawing) grid_point(s, i, values);
        if (!drawing || !was_drawn(l, s, values)) rc = add_point(l, s, settings, values);
    }
    free(values);
    return rc;
}

/* How many points the whole grid has; more than MOST_POINTS are all the same. */
static size_t grid_size(const search *s) {
    size_t n = 1;
    for (size_t i = 0; i < s->n_grids; i++) {
        n *= s->grids[i].n_values;
        if (n > MOST_POINTS) return MOST_POINTS + 1;
    }
    return n;
}

int make_points(const char *name, const sluice_settings *settings, uint64_t random, uint64_t seed, search_list *l) {
    size_t total = 0;
    for (size_t i = 0; i < l->n && total <= MOST_POINTS; i++) total += random ? random : grid_size(&l->searches[i]);
    if (total > MOST_POINTS)
        return wrong_usage(name, "more than %d points to try; give fewer values, or draw some points with --random 100",
                           MOST_POINTS);
    l->points = calloc(total + 1, sizeof *l->points);
    if (!l->points) return out_of_memory();
    rng r = rng_seed(seed);
    int rc = DONE;
    for (size_t i = 0; i < l->n && !rc; i++) {
        search *s = &l->searches[i];
        rc = fill_points(l, s, settings, random ? (size_t)random : grid_size(s), random ? &r : NULL);
    }
    return rc;
}

static void free_point(const search_list *l, point *p) {
    size_t n_fixed = search_of(l, p)->n_fixed;
    for (size_t i = n_fixed; i < p->recipe.n_params; i++) free((void *)(uintptr_t)p->recipe.params[i]);
    recipe_free(&p->recipe);
    free(p->failure);
    free(p->each);
}

void search_list_free(search_list *l) {
    for (size_t i = 0; i < l->n_points; i++) free_point(l, &l->points[i]);
    for (size_t i = 0; i < l->n; i++) {
        search *s = &l->searches[i];
        for (size_t k = 0; k < s->n_grids; k++) grid_free(&s->grids[k]);
        free(s->grids);
        free(s->fixed);
    }
    free(l->points);
    free(l->searches);
}

sluice_sweep *sweep_of_points(const point *points, size_t n, unsigned threads, sluice_error *err) {
    const char *const **params = calloc(n, sizeof *params);
    size_t *n_params = calloc(n, sizeof *n_params);
    sluice_sweep *sweep = NULL;
    *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
    if (params && n_params) {
        for (size_t i = 0; i < n; i++) {
            params[i] = points[i].recipe.params;
            n_params[i] = points[i].recipe.n_params;
        }
        *err = (sluice_error){0};
        sweep =
            sluice_sweep_new(points->recipe.learner->name, params, n_params, n, &points->recipe.settings, threads, err);
    }
    free(params);
    free(n_params);
    return sweep;
}
