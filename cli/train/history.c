/* Records errors and sizes during a run, in bounded memory. */
#include "train/history.h"

#include <math.h>

/* The first point of a race; before it errors are those of very few examples. */
enum { RACE_BEGINS = 64 };

history history_start(int wanted) {
    return (history){.wanted = wanted, .every = 1, .next_size = 1, .race = {.next = RACE_BEGINS}};
}

size_t history_until_point(const history *c, size_t rows) {
    if (!c->wanted) return rows;
    uint64_t until = c->every - c->rows % c->every, until_size = c->next_size - c->rows;
    const uint64_t until_race = c->race.next - c->rows;
    if (until_size < until) until = until_size;
    if (until_race < until) until = until_race;
    return until < rows ? (size_t)until : rows;
}

static void add_size(history *c, const sluice_model_facts *facts, const sluice_meter *meter) {
    uint64_t examples;
    sluice_meter_mistakes(meter, &examples);
    if (c->n_sizes && c->sizes[c->n_sizes - 1].examples == examples) c->n_sizes--;
    if (c->n_sizes == HISTORY_SIZES) return;
    c->sizes[c->n_sizes++] = (struct history_size){examples, facts->features_seen, facts->nonzeros};
}

/* Counting a feature costs about a fifth of learning a value. The number of features is known only afterwards; it is at
 * least that of the last count. */
static void count_size(history *c, const sluice_model *model, const sluice_meter *meter) {
    enum { AT_LEAST = 100000, SHARE = 4 };
    uint64_t features = c->n_sizes ? c->sizes[c->n_sizes - 1].features_seen : 0;
    if (c->counted + features > AT_LEAST + c->values / SHARE) return;
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    c->counted += facts.features_seen;
    add_size(c, &facts, meter);
}

static struct history_point point_now(const sluice_meter *meter) {
    struct history_point p;
    p.mistakes = sluice_meter_mistakes(meter, &p.examples);
    return p;
}

static void drop_every_second(history *c) {
    for (size_t i = 1; i < c->n; i += 2) c->points[i / 2] = c->points[i];
    c->n /= 2;
    c->every *= 2;
}

/* 1, 2, 3, 4, 6, 8, 12, ... */
static uint64_t after(uint64_t n) { return n & (n - 1) ? n / 3 * 4 : n + (n + 1) / 2; }

/* One more point of a race, for all models that are one. */
static void add_race_point(history *c, const sluice_model *model) {
    race_history *r = &c->race;
    const size_t n = sluice_model_candidates(model);
    if (!n || r->n == RACE_POINTS || (r->n && r->points[r->n - 1].examples == c->rows)) return;
    struct race_point *p = &r->points[r->n++];
    *p = (struct race_point){.examples = c->rows};
    for (size_t i = 0; i < RACE_CANDIDATES; i++) {
        sluice_candidate candidate = {.size = sizeof candidate};
        p->error[i] = NAN;
        if (i >= n || sluice_model_candidate(model, i, &candidate) != SLUICE_OK) continue;
        if (candidate.is_leader) p->leader = i;
        if (!candidate.is_alive) continue;
        p->error[i] = (float)candidate.error;
        p->alive++;
    }
}

void history_learned(history *c, const sluice_batch *batch, size_t first, size_t n, const sluice_model *model,
                     const sluice_meter *meter) {
    if (!c->wanted) return;
    c->rows += n;
    for (size_t i = first; i < first + n; i++) c->values += sluice_batch_nonzeros(batch, i);
    if (c->rows % c->every == 0) {
        c->points[c->n++] = point_now(meter);
        if (c->n == HISTORY_POINTS) drop_every_second(c);
    }
    if (c->rows >= c->race.next) {
        add_race_point(c, model);
        c->race.next += c->race.next / 8;
    }
    if (c->rows < c->next_size) return;
    count_size(c, model, meter);
    c->next_size = after(c->next_size);
}

void history_end(history *c, const sluice_model *model, const sluice_model_facts *facts, const sluice_meter *meter) {
    if (!c->wanted) return;
    if (c->race.n) add_race_point(c, model);
    struct history_point last = point_now(meter);
    while (4 * c->n > c->every) drop_every_second(c);
    /* the rest is an interval of its own unless it is too short */
    if (c->n && (last.examples - c->points[c->n - 1].examples) <= c->every / 2) c->n--;
    if (!last.examples) return;
    c->points[c->n++] = last;
    add_size(c, facts, meter);
}
