/* A dense, unscaled stream in time order, made like electricity prices: one row every half hour.
 *
 * Features: 1 day (from 1), 2 weekday (1 to 7), 3 half-hour of the day (1 to 48), 4 price, 5 demand, 6 the neighbour's
 * price, 7 the neighbour's demand, 8 transfer between the two. The label is whether the price is above its mean over
 * the last 24 hours, so that it stays the same for hours.
 *
 * Demand has daily, weekly and yearly seasons and autoregressive noise. The logarithm of a price is a level that
 * wanders from day to day (drift), plus what demand adds, plus autoregressive noise (noise, memory), of which the two
 * markets share a part; now and then a price leaps up and falls back within hours (spikes). Prices have two decimals,
 * demand and transfer none. */
#include "synth/synth.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, TEST_ROWS, NOISE, MEMORY, DRIFT, SPIKES, N_PARAMS };

static const sluice_param_info params[N_PARAMS] = {
    [ROWS] = {"rows", "rows of the stream, one every half hour", 45000, 0, 1e12, 1, NULL},
    [TEST_ROWS] = {"test_rows", "rows that follow, for --test", 10000, 0, 1e12, 1, NULL},
    [NOISE] = {"noise", "deviation of the noise of a price's logarithm", 0.25, 0, 3, 0, NULL},
    [MEMORY] = {"memory", "share of that noise that stays from row to row", 0.85, 0, 0.9999, 0, NULL},
    [DRIFT] = {"drift", "deviation of a day's change of the price level's logarithm", 0.1, 0, 1, 0, NULL},
    [SPIKES] = {"spikes", "share of the rows at which the price leaps up", 0.002, 0, 1, 0, NULL},
};

enum { DAY = 48, WEEK = 7 * DAY, FEATURES = 8 }; /* rows */
static const double two_pi = 6.283185307179586;

/* One of the two markets. */
typedef struct market {
    double usual_demand;
    double demand_noise, noise, level, spike;
    double price, demand; /* now */
} market;

typedef struct state {
    double noise, memory, drift, spikes;
    market own, neighbour;
    double last_day[DAY]; /* prices */
    uint64_t now;         /* rows since the beginning */
    uint64_t ids[FEATURES];
    float values[FEATURES];
} state;

/* What the calendar adds to the usual demand, as a share of it. */
static double season(uint64_t now) {
    const double hour = (double)(now % DAY) / 2, year = (double)now / (365.25 * DAY);
    const int weekend = now % WEEK >= 5 * DAY;
    const double daily = -0.16 * cos(two_pi * (hour - 3.5) / 24) - 0.07 * cos(two_pi * (hour - 1) / 12);
    return daily * (weekend ? 0.7 : 1) - (weekend ? 0.08 : 0) + 0.08 * cos(two_pi * 2 * year);
}

/* Half an hour passes; `shared` is the markets' common normal number. */
static void advance(market *m, const state *s, double shared, sluice_random *r) {
    const double fresh = sqrt(1 - s->memory * s->memory);
    m->demand_noise = 0.98 * m->demand_noise + 0.01 * sluice_random_normal(r);
    m->noise = s->memory * m->noise + fresh * s->noise * (0.8 * shared + 0.6 * sluice_random_normal(r));
    if (s->now % DAY == 0) m->level = 0.99 * m->level + s->drift * sluice_random_normal(r);
    m->spike *= 0.7;
    if (sluice_random_uniform(r) < s->spikes) m->spike += 1 + sluice_random_uniform(r);
    const double above_usual = season(s->now) + m->demand_noise;
    m->demand = round(m->usual_demand * (1 + above_usual));
    m->price = fmax(round(exp(3.7 + m->level + 1.5 * above_usual + m->noise + m->spike) * 100), 1) / 100;
}

static void next_half_hour(state *s, sluice_random *r) {
    const double shared = sluice_random_normal(r);
    advance(&s->own, s, shared, r);
    advance(&s->neighbour, s, shared, r);
    s->last_day[s->now % DAY] = s->own.price;
    s->now++;
}

static void *start(const double *p, sluice_random *r) {
    state *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->noise = p[NOISE];
    s->memory = p[MEMORY];
    s->drift = p[DRIFT];
    s->spikes = p[SPIKES];
    s->own.usual_demand = 8000;
    s->neighbour.usual_demand = 5000;
    for (size_t i = 0; i < FEATURES; i++) s->ids[i] = i + 1;
    while (s->now < WEEK) next_half_hour(s, r); /* the first row has a day before it, and begins a week */
    return s;
}

static void draw(void *memory, sluice_random *r, synth_row *row) {
    state *s = memory;
    const uint64_t now = s->now - WEEK;
    next_half_hour(s, r);
    double mean = 0;
    for (size_t i = 0; i < DAY; i++) mean += s->last_day[i] / DAY;
    /* electricity flows to the dearer market, as far as the line carries it */
    const double transfer = 400 * log(s->own.price / s->neighbour.price);
    const double values[FEATURES] = {
        (double)(now / DAY) + 1, (double)(now % WEEK / DAY) + 1,
        (double)(now % DAY) + 1, s->own.price,
        s->own.demand,           s->neighbour.price,
        s->neighbour.demand,     round(fmax(fmin(transfer, 800), -800)),
    };
    for (size_t i = 0; i < FEATURES; i++) s->values[i] = (float)values[i];
    *row = (synth_row){.ids = s->ids, .values = s->values, .n = FEATURES, .label = s->own.price > mean ? 1 : -1};
}

const synth_stream synth_prices = {
    .name = "prices",
    .summary = "dense, unscaled rows in time order, made like electricity prices: is the price above its mean of the "
               "last 24 hours?",
    .params = params,
    .n_params = N_PARAMS,
    .start = start,
    .draw = draw,
    .free_state = free,
};
