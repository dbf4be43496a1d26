/* Thresholds: reads what is wanted, chooses, reports. */
#include "measure/thresholds.h"

#include "output/message.h"

#include <math.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int goal, has_value;
} goals[] = {
    {"precision", SLUICE_GOAL_PRECISION, 1}, {"recall", SLUICE_GOAL_RECALL, 1},
    {"cost", SLUICE_GOAL_COST, 0},           {"f1", SLUICE_GOAL_F1, 0},
    {"alarms", SLUICE_GOAL_ALARMS, 1},
};

enum { GOALS = sizeof goals / sizeof *goals };

/* Whether the text is a goal; its value may still be wrong. */
static int find_goal(const char *text, threshold *t) {
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < GOALS; i++) {
        if (strlen(goals[i].name) != length || memcmp(goals[i].name, text, length) != 0) continue;
        if (goals[i].has_value != (text[length] == '=')) return 0;
        *t = (threshold){THRESHOLD_GOAL, text, goals[i].goal, NAN};
        if (goals[i].has_value && !sluice_parse_number(text + length + 1, &t->value)) return 0;
        return 1;
    }
    return 0;
}

int read_goal(const args *a, const char *option, const char *text, threshold *t) {
    if (!find_goal(text, t))
        return wrong_usage(a->command->name, "--%s %s: a threshold is chosen for %s", option, text, GOALS_TEXT);
    int lowest = t->goal == SLUICE_GOAL_ALARMS ? t->value >= 0 : t->value > 0;
    if (isnan(t->value) || (lowest && t->value <= 1)) return DONE;
    return wrong_usage(a->command->name, "--%s %s: the value is %s 0 and up to 1", option, text,
                       t->goal == SLUICE_GOAL_ALARMS ? "from" : "above");
}

static int read_number(const char *text, threshold *t) {
    static const char margin[] = "margin=";
    size_t length = sizeof margin - 1;
    int is_margin = strncmp(text, margin, length) == 0;
    *t = (threshold){is_margin ? THRESHOLD_MARGIN : THRESHOLD_PROBABILITY, text, 0, NAN};
    return sluice_parse_number(is_margin ? text + length : text, &t->value) &&
           (is_margin || (t->value >= 0 && t->value <= 1));
}

int read_fixed_threshold(const args *a, const char *option, const char *text, threshold *t) {
    if (read_number(text, t)) return DONE;
    return wrong_usage(a->command->name, "--%s %s: it is a probability from 0 to 1, or margin=M", option, text);
}

int read_threshold(const args *a, const char *option, const char *text, threshold *t) {
    if (read_number(text, t)) return DONE;
    if (find_goal(text, t)) return read_goal(a, option, text, t);
    return wrong_usage(a->command->name,
                       "--%s %s: it is chosen for %s; or it is a probability from 0 to 1, or margin=M", option, text,
                       GOALS_TEXT);
}

/* ---- setting, choosing ------------------------------------------------------------------------------------------- */

int lacks_probability(const threshold *t, const sluice_model *model, const char *path) {
    if (t->kind != THRESHOLD_PROBABILITY || sluice_model_has_probability(model)) return 0;
    complain("--threshold %s is a probability, and %s has none: it is not calibrated; train with --calibrate FILE, or "
             "give a margin: --threshold margin=M",
             t->text, path);
    return 1;
}

int set_fixed_threshold(sluice_model *model, const threshold *t) {
    double margin = t->value;
    if (t->kind == THRESHOLD_PROBABILITY) margin = sluice_model_margin_of_probability(model, t->value);
    return sluice_model_set_threshold(model, margin) == SLUICE_OK ? DONE : complain_error(sluice_model_error(model));
}

int choose_thresholds(sluice_meter *meter, const threshold *wanted, size_t n, sluice_chosen *chosen) {
    for (size_t i = 0; i < n; i++) {
        chosen[i] = (sluice_chosen){.size = sizeof *chosen};
        sluice_status status = sluice_meter_choose(meter, wanted[i].goal, wanted[i].value, &chosen[i]);
        if (status == SLUICE_E_DATA)
            chosen[i].margin = chosen[i].precision = chosen[i].recall = chosen[i].f1 = chosen[i].cost =
                chosen[i].alarms = NAN;
        else if (status != SLUICE_OK)
            return complain_error(sluice_meter_error(meter));
    }
    return DONE;
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

/* In digits that read back exactly, for a person too: it may be given to --threshold. */
static void report_exact(report *r, const char *key, double x) {
    char text[32];
    if (r->as_json || isnan(x)) {
        report_figure(r, key, x);
        return;
    }
    sluice_format_double(text, x);
    report_text(r, key, text);
}

static double probability_of(const sluice_model *model, double margin) {
    return isnan(margin) ? NAN : sluice_model_probability(model, margin);
}

void report_margin(report *r, const sluice_model *model, double margin) {
    report_exact(r, "margin", margin);
    report_exact(r, "probability", probability_of(model, margin));
}

/* The threshold, and what is gained and paid for it. */
static void summarize_chosen(report *r, const char *key, const sluice_model *model, const threshold *goal,
                             const sluice_chosen *c) {
    if (isnan(c->margin)) return; /* a warning has said so */
    report_open(r, key);
    report_text(r, "goal", goal->text);
    if (!c->reached) report_text(r, "reached", "no: this is the nearest");
    report_margin(r, model, c->margin);
    report_figure(r, "precision", c->precision);
    report_figure(r, "recall", c->recall);
    report_figure(r, "alarms", c->alarms);
    report_close(r);
}

void report_chosen(report *r, const char *key, const sluice_model *model, const threshold *goal,
                   const sluice_chosen *chosen) {
    const sluice_chosen *c = chosen;
    if (r->is_brief) {
        summarize_chosen(r, key, model, goal, c);
        return;
    }
    report_open(r, key);
    report_text(r, "goal", goals[goal->goal - SLUICE_GOAL_PRECISION].name);
    report_figure(r, "wanted", goal->value);
    report_truth(r, "reached", c->reached);
    report_margin(r, model, c->margin);
    report_figure(r, "precision", c->precision);
    report_figure(r, "recall", c->recall);
    report_figure(r, "f1", c->f1);
    report_figure(r, "alarms", c->alarms);
    report_figure(r, "cost", c->cost);
    report_count(r, "true_positives", c->true_pos);
    report_count(r, "false_positives", c->false_pos);
    report_count(r, "true_negatives", c->true_neg);
    report_count(r, "false_negatives", c->false_neg);
    report_close(r);
}

void report_curve(report *r, const sluice_model *model, const sluice_cut *cuts, size_t n, uint64_t positives) {
    if (!r->as_json) return;
    json_open(&r->j, "curve", '[');
    for (size_t i = 0; i < n; i++) {
        double found = (double)cuts[i].true_pos, alarms = found + (double)cuts[i].false_pos;
        json_open(&r->j, NULL, '{');
        json_number(&r->j, "margin", cuts[i].margin);
        json_number(&r->j, "probability", isfinite(cuts[i].margin) ? probability_of(model, cuts[i].margin) : NAN);
        json_number(&r->j, "precision", alarms > 0 ? found / alarms : NAN);
        json_number(&r->j, "recall", found / (double)positives);
        json_count(&r->j, "true_positives", cuts[i].true_pos);
        json_count(&r->j, "false_positives", cuts[i].false_pos);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}
