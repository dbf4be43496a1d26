/* Prints the candidates of a race, and what happened in it. */
#include "output/race_report.h"

#include "args/model_args.h"
#include "args/params.h"

#include <inttypes.h>

void put_candidate(FILE *out, const sluice_candidate *c) {
    fputs(c->learner->name, out);
    for (size_t i = 0; i < c->learner->n_params; i++) {
        char text[PARAM_TEXT];
        const sluice_param_info *p = &c->learner->params[i];
        if (c->params[i] != p->value) fprintf(out, " %s=%s", p->name, param_value_text(p, c->params[i], text));
    }
    if (c->transform) fprintf(out, " transform=%s", transform_name(c->transform));
    if (c->scale) fprintf(out, " scale=%s", scale_name(c->scale));
    if (c->normalize) fputs(" normalize=l2", out);
    if (c->bias != 0) fprintf(out, " bias=%.3g", c->bias);
}

static int candidate_at(const sluice_model *model, size_t i, sluice_candidate *c) {
    *c = (sluice_candidate){.size = sizeof *c};
    return sluice_model_candidate(model, i, c) == SLUICE_OK;
}

static void json_candidate(json *j, const sluice_candidate *c) {
    json_open(j, NULL, '{');
    json_text(j, "learner", c->learner->name);
    json_open(j, "params", '{');
    for (size_t i = 0; i < c->learner->n_params; i++) {
        const sluice_param_info *p = &c->learner->params[i];
        if (!p->extra || c->params[i] != p->value) param_value_json(j, p->name, p, c->params[i]);
    }
    json_close(j, '}');
    json_text(j, "transform", transform_name(c->transform));
    json_text(j, "scale", scale_name(c->scale));
    json_text(j, "normalize", c->normalize ? "l2" : "none");
    json_number(j, "bias", c->bias);
    json_text(j, "state", c->is_leader ? "leads" : c->is_alive ? "learns" : "dropped");
    if (c->is_alive)
        json_null(j, "dropped_after");
    else
        json_count(j, "dropped_after", c->dropped);
    json_count(j, "led", c->led);
    json_number(j, "fading_error", c->error);
    json_count(j, "nonzeros", c->nonzeros);
    json_close(j, '}');
}

static const char *event_name(unsigned kind) {
    return kind == SLUICE_RACE_LEADS ? "leads" : kind == SLUICE_RACE_DROPPED ? "dropped" : "began_again";
}

static void json_race(json *j, const sluice_model *model) {
    const sluice_race_event *e;
    sluice_candidate c;
    json_open(j, "race", '{');
    json_open(j, "candidates", '[');
    for (size_t i = 0; candidate_at(model, i, &c); i++) json_candidate(j, &c);
    json_close(j, ']');
    json_open(j, "events", '[');
    for (size_t i = 0; (e = sluice_model_race_event(model, i)); i++) {
        json_open(j, NULL, '{');
        json_count(j, "examples", e->examples);
        json_text(j, "event", event_name(e->kind));
        json_count(j, "candidate", e->candidate);
        json_number(j, "fading_error", e->error);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void print_candidate(size_t i, const sluice_candidate *c) {
    printf("%6zu %8.4f %9" PRIu64 " %9" PRIu64 " ", i + 1, c->error, c->nonzeros, c->led);
    if (c->is_alive)
        printf("%9s  ", c->is_leader ? "leads" : "learns");
    else
        printf("%9" PRIu64 "  ", c->dropped);
    put_candidate(stdout, c);
    putchar('\n');
}

void report_race(report *r, const sluice_model *model, int all) {
    const size_t n = sluice_model_candidates(model);
    size_t learn = 0;
    sluice_candidate c;
    if (!n || r->as_rows) return;
    if (r->as_json) {
        json_race(&r->j, model);
        return;
    }
    for (size_t i = 0; candidate_at(model, i, &c); i++) learn += c.is_alive ? 1 : 0;
    printf("race: %zu of %zu candidates learn; the leader answers\n", learn, n);
    printf("number    error  nonzeros   led for   %s  configuration\n", all ? "dropped" : "       ");
    for (size_t i = 0; candidate_at(model, i, &c); i++)
        if (all || c.is_alive) print_candidate(i, &c);
}
