/* sweep: reads -a, --lambda, --grid and -P. */
#include "output/message.h"
#include "sweep/sweeping.h"

#include <stdlib.h>
#include <string.h>

/* --lambda gives values for both names of it. */
static int takes_lambda(const sluice_learner_info *l) {
    const char *name = sluice_learner_sparsity_param(l)->name;
    return strcmp(name, "lambda") == 0 || strcmp(name, "l1") == 0;
}

static int cannot_sweep(const args *a, const sluice_learner_info *learner) {
    char known[1024] = "";
    size_t n = 0;
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)) && n < sizeof known; i++)
        if (sluice_learner_sparsity_param(l))
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", l->name);
    return wrong_usage(a->command->name, "-a %s: no parameter of it makes a model sparse; these have one: %s",
                       learner->name, known);
}

/* Whether --grid names what some learner is swept over. */
static int check_grid(const search_args *s, const char *text) {
    char known[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < s->n_learners; i++) {
        const sluice_learner_info *l = s->learners[i];
        const sluice_param_info *swept = sluice_learner_sparsity_param(l);
        if (sluice_learner_param(l, text) == swept) return DONE;
        if (n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s of %s", n ? ", " : "", swept->name, l->name);
    }
    return wrong_usage(s->a->command->name,
                       "--grid %s: a sweep goes over what makes models sparse: %s; -P fixes the rest", text, known);
}

static int check_all(const search_args *s) {
    const args *a = s->a;
    int rc = DONE, lambda = 0;
    for (size_t i = 0; i < s->n_learners && !rc; i++)
        if (!sluice_learner_sparsity_param(s->learners[i])) rc = cannot_sweep(a, s->learners[i]);
    for (size_t i = 0; i < s->n_grids && !rc; i++) rc = check_grid(s, s->grids[i]);
    for (size_t i = 0; i < s->n_fixed && !rc; i++) rc = check_known(s, "-P", s->fixed[i]);
    for (size_t i = 0; i < s->n_learners && !rc; i++) lambda |= takes_lambda(s->learners[i]);
    if (!rc && args_has(a, "lambda") && !lambda) {
        const char *swept = sluice_learner_sparsity_param(s->learners[0])->name;
        rc = wrong_usage(a->command->name, "--lambda: what makes %s sparse is %s; write --grid %s=VALUES",
                         s->learners[0]->name, swept, swept);
    }
    return rc;
}

/* The values for one learner. */
static int fill(const search_args *s, const sluice_learner_info *l, sluice_search *search) {
    const args *a = s->a;
    const sluice_param_info *p = sluice_learner_sparsity_param(l);
    const char *lambda = takes_lambda(l) ? args_value(a, "lambda") : NULL;
    int rc = add_learner(s, l, search), given = 0;
    if (!rc && is_fixed(s, l, p))
        rc = wrong_usage(a->command->name, "-P %s: %s is what %s is swept over; give its values with %s%s", p->name,
                         p->name, l->name, takes_lambda(l) ? "--lambda" : "--grid ", takes_lambda(l) ? "" : p->name);
    for (size_t i = 0; i < s->n_grids && !rc; i++) {
        if (sluice_learner_param(l, s->grids[i]) != p) continue;
        rc = add_grid(s, l, s->grids[i], search);
        given = 1;
    }
    if (!rc && lambda) rc = add_values(s, l, "--lambda ", p->name, lambda, search);
    sluice_error err = {0};
    if (rc || given || lambda) return rc;
    return sluice_search_add_default_grids(search, l->name, SLUICE_GRIDS_SPARSITY, &err) == SLUICE_OK
               ? DONE
               : complain_error(&err);
}

int sweep_search(sweeping *w) {
    sluice_error err = {0};
    sluice_search_options how = {.size = sizeof how, .settings = &w->settings};
    search_args s;
    int rc = search_args_read(w->a, &s);
    if (!rc) rc = check_all(&s);
    if (!rc && !(w->search = sluice_search_new(&how, &err))) rc = complain_error(&err);
    for (size_t i = 0; i < s.n_learners && !rc; i++) rc = fill(&s, s.learners[i], w->search);
    search_args_free(&s);
    return rc ? rc : make_points(w->a, w->search, "");
}
