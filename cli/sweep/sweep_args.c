#include "output/message.h"
#include "sweep/sweeping.h"

#include <stdlib.h>
#include <string.h>

/* What makes a learner sparse is the first of these that it has: the lambda of olsf bounds the size of the weights,
 * that of ofs is another penalty. */
static const sparsity_param sparsity_params[] = {
    {"features", -1, 1e-3, 1},
    {"B", -1, 1e-3, 5},
    {"l1", +1, 1e-3, 1e3},
    {"lambda", +1, 1e-3, 1e3},
};
enum { N_PARAMS = sizeof sparsity_params / sizeof *sparsity_params };

const sparsity_param *sparsity_param_of(const sluice_learner_info *learner) {
    for (size_t i = 0; i < N_PARAMS; i++)
        if (find_param(learner, sparsity_params[i].name)) return &sparsity_params[i];
    return NULL;
}

static const sluice_param_info *swept(const search *s) {
    return find_param(s->learner, sparsity_param_of(s->learner)->name);
}

/* --lambda is meant for both ways to write it. */
static int takes_lambda(const search *s) {
    const char *name = swept(s)->name;
    return strcmp(name, "lambda") == 0 || strcmp(name, "l1") == 0;
}

static int cannot_sweep(const args *a, const sluice_learner_info *learner) {
    char known[1024] = "";
    size_t n = 0;
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)) && n < sizeof known; i++)
        if (sparsity_param_of(l)) n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", l->name);
    return wrong_usage(a->command->name, "-a %s: no parameter of it makes a model sparse; these have one: %s",
                       learner->name, known);
}

/* Whether --grid names what some learner is swept over. */
static int check_grid(const args *a, const search_list *l, const char *text) {
    char known[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const search *s = &l->searches[i];
        if (find_param(s->learner, text) == swept(s)) return DONE;
        if (n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s of %s", n ? ", " : "", swept(s)->name,
                                  s->learner->name);
    }
    return wrong_usage(a->command->name, "--grid %s: a sweep goes over what makes models sparse: %s; -P fixes the rest",
                       text, known);
}

static int check_all(const args *a, const search_list *l, const char **texts, size_t n_grids, size_t n_fixed) {
    int rc = DONE, lambda = 0;
    for (size_t i = 0; i < l->n && !rc; i++)
        if (!sparsity_param_of(l->searches[i].learner)) rc = cannot_sweep(a, l->searches[i].learner);
    for (size_t i = 0; i < n_grids && !rc; i++) rc = check_grid(a, l, texts[i]);
    for (size_t i = 0; i < n_fixed && !rc; i++) rc = check_known(a, l, "-P", texts[n_grids + i]);
    for (size_t i = 0; i < l->n && !rc; i++) lambda |= takes_lambda(&l->searches[i]);
    if (!rc && args_has(a, "lambda") && !lambda)
        rc = wrong_usage(a->command->name, "--lambda: what makes %s sparse is %s; write --grid %s=VALUES",
                         l->searches[0].learner->name, swept(l->searches)->name, swept(l->searches)->name);
    return rc;
}

/* The values for one learner. */
static int fill(const args *a, const char **texts, size_t n_grids, size_t n_fixed, search *s) {
    const sparsity_param *how = sparsity_param_of(s->learner);
    const sluice_param_info *p = swept(s);
    const char *lambda = args_value(a, "lambda");
    int rc = fix_params(s, texts + n_grids, n_fixed, 1);
    if (!rc && is_fixed(s, p))
        rc = wrong_usage(a->command->name, "-P %s: %s is what %s is swept over; give its values with %s%s", p->name,
                         p->name, s->learner->name, takes_lambda(s) ? "--lambda" : "--grid ",
                         takes_lambda(s) ? "" : p->name);
    for (size_t i = 0; i < n_grids && !rc; i++)
        if (find_param(s->learner, texts[i]) == p) rc = read_grid(a, texts[i], 0, s);
    if (!rc && lambda && takes_lambda(s)) rc = read_values(a, "--lambda ", p, lambda, 0, s);
    if (!rc && !s->n_grids) rc = grid_around(p, how->least, how->most, SWEEP_VALUES, &s->grids[s->n_grids++]);
    return rc;
}

int sweep_searches(sweeping *w) {
    const args *a = w->a;
    search_list *l = &w->rounds[0];
    const char **texts = calloc(a->n_given + 1, sizeof *texts);
    if (!texts) return out_of_memory();
    size_t n_grids = args_values(a, "grid", texts), n_fixed = args_values(a, "param", texts + n_grids);
    w->n_rounds = 1;
    int rc = name_learners(a, l);
    if (!rc) rc = check_all(a, l, texts, n_grids, n_fixed);
    for (size_t i = 0; i < l->n && !rc; i++) rc = fill(a, texts, n_grids, n_fixed, &l->searches[i]);
    free(texts);
    return rc ? rc : make_points(a->command->name, &w->settings, 0, 0, l);
}
