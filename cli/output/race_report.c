/* Prints who leads a race, its candidates, and what happened in it. */
#include "output/race_report.h"

#include "args/model_args.h"
#include "args/params.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_EXAMPLES = 16, /* before the first decision no errors are known */
    SHOWN_LEFT = 6,      /* of those that are left; `inspect` shows all */
    SHOWN_DROPPED = 3,
    SHOWN_EVENTS = 3,
};

typedef struct race {
    const sluice_model *model;
    sluice_candidate *candidates, *ranked;
    size_t n, alive, leader;
    int is_compared; /* errors are known, since the last beginning */
} race;

/* ---- words ------------------------------------------------------------------------------------------------------- */

void put_candidate_learner(FILE *out, const sluice_candidate *c) {
    char text[PARAM_TEXT];
    fputs(c->learner->name, out);
    for (size_t i = 0; i < c->learner->n_params; i++) {
        const sluice_param_info *p = &c->learner->params[i];
        if (c->params[i] != p->value) fprintf(out, " %s=%s", p->name, param_value_text(p, c->params[i], text));
    }
}

void put_candidate(FILE *out, const sluice_candidate *c) {
    put_candidate_learner(out, c);
    if (c->transform == SLUICE_TRANSFORM_LOG1P) fputs(", log(1 + value)", out);
    if (c->transform == SLUICE_TRANSFORM_BINARY) fputs(", signs of values", out);
    if (c->scale) fputs(c->scale == SLUICE_SCALE_IDF ? ", rare features larger" : ", features by largest value", out);
    if (c->scale == SLUICE_SCALE_RUNNING) fputs(" (running)", out);
    if (c->normalize) fputs(", rows to length 1", out);
    if (!c->transform && !c->scale && !c->normalize) fputs(", values as they are", out);
}

void put_leader(FILE *out, const sluice_model *model) {
    sluice_candidate c = {.size = sizeof c};
    for (size_t i = 0; sluice_model_candidate(model, i, &c) == SLUICE_OK; i++)
        if (c.is_leader) put_candidate(out, &c);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static const sluice_race_event *last_event(const sluice_model *model, unsigned kind) {
    const sluice_race_event *e, *found = NULL;
    for (size_t i = 0; (e = sluice_model_race_event(model, i)); i++)
        if (e->kind == kind) found = e;
    return found;
}

/* The leader, those that are left by their errors, then those that stayed longest. */
static int by_rank(const void *x, const void *y) {
    const sluice_candidate *a = x, *b = y;
    if (a->is_leader != b->is_leader) return a->is_leader ? -1 : 1;
    if (a->is_alive != b->is_alive) return a->is_alive ? -1 : 1;
    if (!a->is_alive && a->dropped != b->dropped) return a->dropped > b->dropped ? -1 : 1;
    return (a->error > b->error) - (a->error < b->error);
}

static int read_race(race *r, const sluice_model *model) {
    *r = (race){.model = model, .n = sluice_model_candidates(model)};
    r->candidates = calloc(2 * r->n, sizeof *r->candidates);
    if (!r->candidates) return 0;
    r->ranked = r->candidates + r->n;
    uint64_t examples = 0;
    for (size_t i = 0; i < r->n; i++) {
        sluice_candidate *c = &r->candidates[i];
        c->size = sizeof *c;
        sluice_model_candidate(model, i, c);
        examples += c->led; /* somebody leads always */
        r->alive += c->is_alive != 0;
        if (c->is_leader) r->leader = i;
    }
    const sluice_race_event *restart = last_event(model, SLUICE_RACE_RESTARTED);
    r->is_compared = examples - (restart ? restart->examples : 0) >= LEAST_EXAMPLES;
    memcpy(r->ranked, r->candidates, r->n * sizeof *r->candidates);
    qsort(r->ranked, r->n, sizeof *r->ranked, by_rank);
    return 1;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_candidate(json *j, const sluice_candidate *c, int is_compared) {
    json_open(j, NULL, '{');
    json_text(j, "learner", c->learner->name);
    json_open(j, "params", '{');
    for (size_t i = 0; i < c->learner->n_params; i++) {
        const sluice_param_info *p = &c->learner->params[i];
        if (!p->extra || c->params[i] != p->value) param_value_json(j, p->name, p, c->params[i]);
    }
    json_close(j, '}');
    json_open(j, "settings", '{');
    json_float(j, "bias", (float)c->bias);
    json_text(j, "normalize", c->normalize ? "l2" : "none");
    json_text(j, "transform", transform_name(c->transform));
    json_text(j, "scale", scale_name(c->scale));
    json_close(j, '}');
    const int known = is_compared && c->is_alive;
    json_number(j, "error", known || !c->is_alive ? c->error : NAN);
    json_number(j, "above_least", known ? c->above_least : NAN);
    json_number(j, "standard_error", known ? c->standard_error : NAN);
    json_count(j, "nonzeros", c->nonzeros);
    json_truth(j, "alive", c->is_alive);
    json_truth(j, "leads", c->is_leader);
    json_count(j, "began", c->began);
    if (c->is_alive && !c->dropped)
        json_null(j, "dropped");
    else
        json_count(j, "dropped", c->dropped);
    json_count(j, "led", c->led);
    json_close(j, '}');
}

static const char *event_name(unsigned kind) {
    return kind == SLUICE_RACE_LEADS ? "leads" : kind == SLUICE_RACE_DROPPED ? "dropped" : "restarted";
}

static void json_race(json *j, const race *r) {
    const sluice_race_event *e;
    json_open(j, "race", '{');
    json_count(j, "leader", r->leader);
    json_count(j, "restarts", sluice_model_race_restarts(r->model));
    json_open(j, "candidates", '[');
    for (size_t i = 0; i < r->n; i++) json_candidate(j, &r->candidates[i], r->is_compared);
    json_close(j, ']');
    json_open(j, "events", '[');
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++) {
        json_open(j, NULL, '{');
        json_count(j, "examples", e->examples);
        json_text(j, "event", event_name(e->kind));
        json_count(j, "candidate", e->candidate);
        json_number(j, "error", e->error);
        json_count(j, "nonzeros", e->nonzeros);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_candidate(const sluice_candidate *c, int is_compared) {
    char error[32] = "", above[64] = "", state[64];
    if (is_compared || !c->is_alive) snprintf(error, sizeof error, "%.4f", c->error);
    if (is_compared && c->is_alive) snprintf(above, sizeof above, "%.4f +- %.4f", c->above_least, c->standard_error);
    if (c->is_alive)
        snprintf(state, sizeof state, "%s", c->is_leader ? "leads" : "left");
    else
        snprintf(state, sizeof state, "dropped at %s", COUNT(c->dropped));
    printf("  %6s  %16s  %10s  %-19s  ", error, above, COUNT(c->nonzeros), state);
    put_candidate(stdout, c);
    putchar('\n');
}

static void print_event(const race *r, const sluice_race_event *e) {
    printf("  %s examples: ", COUNT(e->examples));
    if (e->kind == SLUICE_RACE_RESTARTED) {
        puts("the stream has changed; restarted");
        return;
    }
    put_candidate(stdout, &r->candidates[e->candidate]);
    printf(", %s; error %.4f, %s nonzeros\n", e->kind == SLUICE_RACE_LEADS ? "leads" : "is dropped", e->error,
           COUNT(e->nonzeros));
}

static int is_shown(const sluice_race_event *e, int all) { return all || e->kind != SLUICE_RACE_DROPPED; }

static void print_events(const race *r, int all) {
    const sluice_race_event *e;
    size_t n = 0, k = 0;
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++) n += is_shown(e, all) != 0;
    const size_t first = all || n <= SHOWN_EVENTS ? 0 : n - SHOWN_EVENTS;
    if (n) printf("%s\n", all ? "what happened in the race" : first ? "the last leaders" : "the leaders so far");
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++)
        if (is_shown(e, all) && k++ >= first) print_event(r, e);
}

static double param_of(const sluice_model *model, const char *name) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    for (size_t i = 0; i < facts.learner->n_params; i++)
        if (strcmp(facts.learner->params[i].name, name) == 0) return sluice_model_param(model, i);
    return 0;
}

/* How many candidates are left, and which one leads. */
static void print_heading(report *out, const race *r) {
    char text[160], restarts[64] = "";
    const uint64_t n = sluice_model_race_restarts(r->model);
    if (n) snprintf(restarts, sizeof restarts, "; restarted %" PRIu64 " time%s", n, n == 1 ? "" : "s");
    const char *why = !r->is_compared                      ? "too few examples to compare them"
                      : param_of(r->model, "sparsity") > 0 ? "of those as sparse as asked for, the best leads"
                                                           : "the sparsest of those near the least error leads";
    snprintf(text, sizeof text, "%zu of %zu candidates left: %s%s", r->alive, r->n, why, restarts);
    report_text(out, "race", text);
}

static void print_race(report *out, const race *r, int all) {
    print_heading(out, r);
    if (!r->is_compared && !all) return;
    puts("   error   above the least    nonzeros  state                candidate (nonzeros as last counted)");
    const size_t left = all || r->alive < SHOWN_LEFT ? r->alive : SHOWN_LEFT;
    for (size_t i = 0; i < left; i++) print_candidate(&r->ranked[i], r->is_compared);
    if (left < r->alive) printf("  and %zu more that are left (sluice inspect -v shows all)\n", r->alive - left);
    for (size_t i = r->alive; i < r->n && (all || i < r->alive + SHOWN_DROPPED); i++)
        print_candidate(&r->ranked[i], r->is_compared);
    print_events(r, all);
}

void report_race(report *out, const sluice_model *model, int all) {
    race r;
    if (!sluice_model_candidates(model) || out->as_rows) return;
    if (!read_race(&r, model)) {
        out->failed = 1;
        return;
    }
    if (out->as_json) {
        json_race(&out->j, &r);
    } else {
        report_label(out, "leader");
        put_candidate(stdout, &r.candidates[r.leader]);
        putchar('\n');
        print_race(out, &r, all);
    }
    free(r.candidates);
}
