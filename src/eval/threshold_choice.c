/* Chooses a threshold: which of all cuts serves a goal best. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "eval/meter.h"

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

/* A cut with its measures, which are computed as sluice_meter_read() does. */
static sluice_chosen measure(const sluice_meter *m, const uint64_t all[2], uint64_t true_pos, uint64_t false_pos) {
    sluice_chosen c = {.true_pos = true_pos, .false_pos = false_pos};
    c.true_neg = all[0] - false_pos;
    c.false_neg = all[1] - true_pos;
    double tp = (double)true_pos, fp = (double)false_pos, fn = (double)c.false_neg;
    c.precision = ratio(tp, tp + fp);
    c.recall = ratio(tp, tp + fn);
    c.f1 = ratio(2 * tp, 2 * tp + fp + fn);
    c.cost = m->options.cost_missed * fn + m->options.cost_alarm * fp;
    c.alarms = ratio(tp + fp, (double)(all[0] + all[1]));
    return c;
}

/* Whether a cut serves the goal better than the best so far, which predicts +1 more often. */
static bool is_better(int goal, double wanted, const sluice_chosen *c, const sluice_chosen *best) {
    switch (goal) {
    case SLUICE_GOAL_PRECISION: /* those that reach it go before the others, among which the precision counts */
        if (isnan(c->precision)) return false;
        if ((c->precision >= wanted) != (best->precision >= wanted)) return c->precision >= wanted;
        return c->precision >= wanted ? c->true_pos >= best->true_pos : c->precision > best->precision;
    case SLUICE_GOAL_RECALL:
        return c->recall >= wanted && c->precision > best->precision;
    case SLUICE_GOAL_COST:
        return c->cost <= best->cost;
    case SLUICE_GOAL_F1:
        return c->f1 >= best->f1;
    default: /* SLUICE_GOAL_ALARMS */
        return best->alarms > wanted;
    }
}

static bool is_reached(int goal, double wanted, const sluice_chosen *c) {
    if (goal == SLUICE_GOAL_PRECISION) return c->precision >= wanted;
    if (goal == SLUICE_GOAL_RECALL) return c->recall >= wanted;
    return goal != SLUICE_GOAL_ALARMS || c->alarms <= wanted;
}

/* A finite number from `below`, the largest margin predicted -1, up to but not including `above`, the smallest one
 * predicted +1; -INFINITY: there is none. Bins have no smallest margin: there it is `below`. */
static double between(const sluice_meter *m, double below, double above) {
    if (isinf(below)) { /* all are +1 */
        double far = above - fmax(1, fabs(above));
        return isfinite(far) ? far : nextafter(above, -INFINITY);
    }
    double middle = below / 2 + above / 2;
    return m->options.exact_auc && middle > below && middle < above ? middle : below + 0.0;
}

static sluice_status check(sluice_meter *m, int goal, double wanted, const uint64_t all[2]) {
    if (goal < SLUICE_GOAL_PRECISION || goal > SLUICE_GOAL_ALARMS)
        return sl_fail(&m->error, SLUICE_E_USAGE, "there is no goal %d", goal);
    bool has_value = goal != SLUICE_GOAL_COST && goal != SLUICE_GOAL_F1, may_be_0 = goal == SLUICE_GOAL_ALARMS;
    if (has_value && !((may_be_0 ? wanted >= 0 : wanted > 0) && wanted <= 1))
        return sl_fail(&m->error, SLUICE_E_USAGE, "a threshold is chosen for a value above 0 and up to 1");
    if (all[0] == 0 || all[1] == 0)
        return sl_fail(&m->error, SLUICE_E_DATA, "choosing a threshold needs examples of both classes");
    return SLUICE_OK;
}

sluice_status sluice_meter_choose(sluice_meter *m, int goal, double wanted, sluice_chosen *chosen) {
    const uint64_t all[2] = {m->count[0][0] + m->count[0][1], m->count[1][0] + m->count[1][1]};
    sluice_status status = sl_sized_check(chosen, "sluice_chosen", &m->error);
    if (status == SLUICE_OK) status = check(m, goal, wanted, all);
    if (status != SLUICE_OK) return status;
    sl_meter_sort(m);
    size_t next[2] = {0, 0};
    uint64_t tied[2], left[2] = {all[0], all[1]};
    double below = -INFINITY, margin = 0;
    sluice_chosen best = {0};
    for (bool any = false, more = true; more; left[0] -= tied[0], left[1] -= tied[1], below = margin) {
        sluice_chosen cut = measure(m, all, left[1], left[0]);
        more = sl_meter_next_tied(m, next, tied, &margin);
        cut.margin = more ? between(m, below, margin) : below + 0.0; /* -0 is 0 */
        if (!isfinite(cut.margin) || (any && !is_better(goal, wanted, &cut, &best))) continue;
        best = cut;
        any = true;
    }
    best.reached = is_reached(goal, wanted, &best);
    sl_sized_write(chosen, &best, sizeof best);
    return SLUICE_OK;
}
