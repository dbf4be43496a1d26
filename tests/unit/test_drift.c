/* Drift: alarms of both detectors against slow readings of their definitions, figures, state as bytes. */
#include <math.h>
#include <stdbool.h>

#include "sluice.h"
#include "unit/test.h"

enum { MOST = 40000, STEP = SLUICE_DRIFT_STEP };

static unsigned char stream[MOST];

/* n examples from `first` on with this error rate; returns where they end. */
static size_t fill(sluice_random *r, size_t first, size_t n, double rate) {
    for (size_t i = first; i < first + n; i++) stream[i] = sluice_random_uniform(r) < rate;
    return first + n;
}

static sluice_drift *made(const char *detector, const char *param) {
    sluice_error err = {0};
    sluice_drift *d = sluice_drift_new(detector, &param, param != NULL, &err);
    CHECK_STR(err.message, "");
    return d;
}

static sluice_drift_figures figures(const sluice_drift *d) {
    sluice_drift_figures f = {.size = sizeof f};
    CHECK_EQ(sluice_drift_read(d, &f, NULL), SLUICE_OK);
    return f;
}

static sluice_drift *watched(const char *detector, const char *param, size_t n) {
    sluice_drift *d = made(detector, param);
    for (size_t i = 0; i < n; i++) sluice_drift_add(d, stream[i]);
    return d;
}

/* ---- adwin, slowly ----------------------------------------------------------------------------------------------- */

typedef struct alarm {
    size_t example;
    double before, after;
} alarm;

/* Buckets as sizes, the oldest first; what they hold is counted anew each time. */
typedef struct slow {
    size_t size[MOST / STEP + 1], n, begin;
} slow;

static void take_block(slow *w) {
    w->size[w->n++] = STEP;
    for (size_t size = STEP; size <= MOST; size *= 2) {
        size_t oldest = w->n, count = 0;
        for (size_t i = w->n; i-- > 0;)
            if (w->size[i] == size) count++, oldest = i;
        if (count <= 5) return;
        w->size[oldest] *= 2;
        w->n--;
        memmove(w->size + oldest + 1, w->size + oldest + 2, (w->n - oldest - 1) * sizeof *w->size);
    }
}

static double mean_of(size_t from, size_t to) {
    double ones = 0;
    for (size_t i = from; i < to; i++) ones += stream[i];
    return ones / (double)(to - from);
}

/* Whether behind a bucket of this size it is looked for a cut now. */
static bool is_due(size_t size, size_t end) { return size <= 8 * STEP || end % (size / 8) == 0; }

/* The best cut of begin .. end - 1: 1 a rise, -1 a fall, 0 none. */
static int best_cut(const slow *w, size_t end, double delta, double least, alarm *best) {
    const double n = (double)(end - w->begin), mean = mean_of(w->begin, end), l = log(2 * log(n) / delta);
    double evidence = 0;
    int kind = 0;
    size_t at = end;
    for (size_t i = w->n; i-- > 1;) {
        at -= w->size[i];
        if (!is_due(w->size[i], end)) break;
        const double inverse = 1 / (double)(at - w->begin) + 1 / (double)(end - at);
        const double before = mean_of(w->begin, at), after = mean_of(at, end), difference = fabs(after - before);
        if (!(difference > sqrt(2 * mean * (1 - mean) * l * inverse) + 2 * l * inverse / 3)) continue;
        if (after > before && after - before < least) continue;
        const int is = after > before ? 1 : -1;
        const double beyond = difference - 2 * l * inverse / 3, this = beyond * beyond / inverse;
        if (kind && (is != kind ? is < 0 : this <= evidence)) continue;
        kind = is;
        evidence = this;
        *best = (alarm){end, before, after};
    }
    return kind;
}

static size_t slow_adwin(size_t n, double delta, double least, alarm *alarms) {
    slow w = {.n = 0};
    size_t found = 0;
    for (size_t end = STEP; end <= n; end += STEP) {
        int kind;
        take_block(&w);
        while (w.n > 1 && (kind = best_cut(&w, end, delta, least, &alarms[found])) != 0) {
            if (kind > 0) {
                found++;
                w = (slow){.begin = end};
                break;
            }
            w.begin += w.size[0];
            memmove(w.size, w.size + 1, --w.n * sizeof *w.size);
        }
    }
    return found;
}

static void check_alarms(const sluice_drift *d, const alarm *alarms, size_t n) {
    CHECK_EQ(figures(d).alarms, n);
    for (size_t i = 0; i < n; i++) {
        const sluice_drift_alarm *a = sluice_drift_alarm_at(d, i);
        CHECK(a != NULL);
        if (!a) continue;
        CHECK_EQ(a->example, alarms[i].example);
        CHECK_NEAR(a->error_before, alarms[i].before, 1e-12);
        CHECK_NEAR(a->error_after, alarms[i].after, 1e-12);
    }
    CHECK(sluice_drift_alarm_at(d, n) == NULL);
}

TEST(adwin_finds_what_its_definition_finds) {
    static const double rates[][6] = {
        {0.5, 0.1, 0.3, 0.05, 0.2, 0.21}, {0, 0, 0.02, 0.9, 1, 0.4}, {0.3, 0.25, 0.2, 0.2, 0.3, 0.35}};
    alarm alarms[MOST / STEP];
    size_t all = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        sluice_random r;
        sluice_random_seed(&r, seed);
        size_t end = 0;
        for (size_t part = 0; part < 6; part++)
            end = fill(&r, end, 500 + (size_t)sluice_random_below(&r, 4000), rates[seed % 3][part]);
        sluice_drift *d = watched("adwin", "delta=0.01", end);
        const size_t found = slow_adwin(end, 0.01, 0.01, alarms);
        check_alarms(d, alarms, found);
        all += found;
        sluice_drift_free(d);
    }
    CHECK(all >= 8); /* there was something to compare */
}

/* ---- page-hinkley, by its definition ----------------------------------------------------------------------------- */

TEST(page_hinkley_finds_what_its_definition_finds) {
    sluice_random r;
    sluice_random_seed(&r, 1);
    size_t n = fill(&r, 0, 3000, 0.5), begin = 0, found = 0;
    n = fill(&r, n, 8000, 0.1);
    n = fill(&r, n, 5000, 0.3);
    n = fill(&r, n, 4000, 0.5);
    alarm alarms[10];
    for (size_t end = STEP; end <= n; end += STEP) {
        double ones = 0, sum = 0, least = 0, fall = 0, most = 0;
        size_t low = begin;
        for (size_t i = begin; i < end; i++) {
            ones += stream[i];
            const double above = stream[i] - ones / (double)(i - begin + 1);
            sum += above - 0.02;
            fall += above + 0.02;
            if (sum <= least) least = sum, low = i + 1;
            if (fall > most) most = fall;
        }
        if (sum - least > 50)
            alarms[found++] = (alarm){end, mean_of(begin, low), mean_of(low, end)};
        else if (most - fall <= 50)
            continue;
        begin = end;
    }
    sluice_drift *d = watched("page-hinkley", "lambda=50", n);
    CHECK_EQ(found, 2);
    check_alarms(d, alarms, found);
    sluice_drift_free(d);
}

/* ---- what both have ---------------------------------------------------------------------------------------------- */

static const char *const detectors[] = {"adwin", "page-hinkley"};

TEST(an_error_that_falls_is_no_drift_and_hides_no_rise) {
    for (size_t k = 0; k < 2; k++) {
        sluice_random r;
        sluice_random_seed(&r, 3);
        size_t n = 0;
        for (int part = 0; part < 20; part++) n = fill(&r, n, 500, 0.5 - 0.02 * part); /* a learner that learns */
        n = fill(&r, n, 10000, 0.1);
        sluice_drift *d = watched(detectors[k], NULL, n);
        CHECK_EQ(figures(d).alarms, 0);
        sluice_drift_free(d);
        const size_t rose = n;
        n = fill(&r, n, 3000, 0.25); /* below the error of the whole beginning */
        d = watched(detectors[k], NULL, n);
        CHECK_EQ(figures(d).alarms, 1);
        const sluice_drift_alarm *a = sluice_drift_alarm_at(d, 0);
        CHECK(a && a->example > rose && a->example <= rose + 1200);
        CHECK(a && a->error_before < 0.16 && a->error_after > 0.18);
        sluice_drift_free(d);
    }
}

TEST(a_stream_without_errors_has_no_alarm_and_its_first_errors_one) {
    for (size_t k = 0; k < 2; k++) {
        memset(stream, 0, 20000);
        memset(stream + 20000, 1, 512);
        sluice_drift *d = watched(detectors[k], NULL, 20000);
        CHECK_EQ(figures(d).alarms, 0);
        for (size_t i = 20000; i < 20512; i++) sluice_drift_add(d, stream[i]);
        CHECK(figures(d).alarms > 0);
        const sluice_drift_alarm *a = sluice_drift_alarm_at(d, 0);
        CHECK(a && a->example <= 20128 && a->error_before == 0 && a->error_after == 1);
        sluice_drift_free(d);
    }
}

TEST(rises_below_the_least_one_are_none) {
    sluice_random r;
    sluice_random_seed(&r, 5);
    size_t n = fill(&r, 0, 20000, 0.001);
    n = fill(&r, n, 20000, 0.006);
    sluice_drift *d = watched("adwin", NULL, n), *finer = watched("adwin", "rise=0.001", n);
    CHECK_EQ(figures(d).alarms, 0);
    CHECK_EQ(figures(finer).alarms, 1);
    sluice_drift_free(d);
    sluice_drift_free(finer);
}

TEST(figures_are_those_of_their_definitions) {
    sluice_drift *d = made("adwin", "window=100");
    CHECK(isnan(figures(d).window_error) && isnan(figures(d).fading_error));
    sluice_random r;
    sluice_random_seed(&r, 2);
    fill(&r, 0, 1000, 0.3);
    double fading = 0;
    for (size_t i = 0; i < 1000; i++) {
        sluice_drift_add(d, stream[i]);
        const size_t n = i + 1 < 100 ? i + 1 : 100;
        fading = i < 100 ? mean_of(0, i + 1) : fading * 0.99 + 0.01 * stream[i];
        CHECK_NEAR(figures(d).window_error, mean_of(i + 1 - n, i + 1), 1e-15);
        CHECK_NEAR(figures(d).fading_error, fading, 1e-12);
        CHECK_EQ(figures(d).examples, i + 1);
    }
    sluice_drift_free(d);
}

TEST(the_last_alarms_are_kept) {
    sluice_drift *d = made("page-hinkley", "lambda=10");
    uint64_t i = 0;
    while (figures(d).alarms < SLUICE_DRIFT_ALARMS + 3) sluice_drift_add(d, i++ / 512 % 2 != 0);
    CHECK(sluice_drift_alarm_at(d, 2) == NULL);
    for (uint64_t k = 3; k < SLUICE_DRIFT_ALARMS + 3; k++) {
        const sluice_drift_alarm *a = sluice_drift_alarm_at(d, k);
        CHECK(a && a->example % STEP == 0 && a->example / 1024 == k);
    }
    CHECK(sluice_drift_alarm_at(d, SLUICE_DRIFT_ALARMS + 3) == NULL);
    sluice_drift_free(d);
}

TEST(a_meter_tells_it_of_every_prediction_once) {
    sluice_drift *d = made("adwin", NULL);
    const sluice_meter_options o = {.size = sizeof o, .drift = d};
    sluice_meter *m = sluice_meter_new(&o, NULL), *many = sluice_meter_new(&o, NULL);
    const double rows[][2] = {{1, 1}, {-1, 1}, {0, 1}, {-2, -1}, {3, -1}};
    for (size_t i = 0; i < 5; i++) CHECK_EQ(sluice_meter_add(m, rows[i][0], rows[i][1]), SLUICE_OK);
    CHECK_NEAR(figures(d).window_error, 3 / 5., 1e-15);
    CHECK_EQ(sluice_meter_add_class(many, 2, 2, 1, NAN), SLUICE_OK);
    CHECK_EQ(sluice_meter_add_class(many, 0, 2, 2, NAN), SLUICE_OK);
    CHECK_EQ(sluice_meter_add_class(many, 0, SLUICE_NO_CLASS, 0, NAN), SLUICE_OK);
    CHECK_EQ(sluice_meter_add_class(many, SLUICE_NO_CLASS, SLUICE_NO_CLASS, 0, NAN), SLUICE_OK);
    CHECK_NEAR(figures(d).window_error, 6 / 9., 1e-15);
    CHECK_EQ(figures(d).examples, 9);
    sluice_meter_free(m);
    sluice_meter_free(many);
    sluice_drift_free(d);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static bool same_state(const sluice_drift *a, const sluice_drift *b) {
    void *x, *y;
    size_t nx, ny;
    CHECK_EQ(sluice_drift_bytes(a, &x, &nx, NULL), SLUICE_OK);
    CHECK_EQ(sluice_drift_bytes(b, &y, &ny, NULL), SLUICE_OK);
    const bool same = nx == ny && memcmp(x, y, nx) == 0;
    sluice_free(x);
    sluice_free(y);
    return same;
}

static sluice_drift *copy(const sluice_drift *d) {
    void *bytes;
    size_t n;
    sluice_error err = {0};
    CHECK_EQ(sluice_drift_bytes(d, &bytes, &n, NULL), SLUICE_OK);
    sluice_drift *to = sluice_drift_parse(bytes, n, &err);
    CHECK_STR(err.message, "");
    sluice_free(bytes);
    return to;
}

TEST(a_watch_that_is_cut_anywhere_goes_on_as_if_it_were_not) {
    sluice_random r;
    sluice_random_seed(&r, 7);
    size_t n = fill(&r, 0, 3000, 0.4);
    n = fill(&r, n, 3000, 0.1);
    n = fill(&r, n, 3000, 0.5);
    for (size_t k = 0; k < 2; k++) {
        const char *param = k ? "lambda=40" : "window=77";
        sluice_drift *whole = watched(detectors[k], param, n), *d = made(detectors[k], param);
        CHECK(figures(whole).alarms > 0);
        uint64_t alarms = 0;
        for (size_t i = 0, next = 0; i < n; i++) {
            if (i == next) {
                sluice_drift *going_on = copy(d);
                CHECK(sluice_drift_alarm_at(going_on, 0) == NULL); /* it came before */
                sluice_drift_free(d);
                d = going_on;
                next += 1 + (size_t)sluice_random_below(&r, 200);
            }
            sluice_drift_add(d, stream[i]);
            if (figures(d).alarms == alarms) continue;
            const sluice_drift_alarm *a = sluice_drift_alarm_at(d, alarms), *b = sluice_drift_alarm_at(whole, alarms);
            CHECK(a && b && a->example == b->example && a->error_before == b->error_before &&
                  a->error_after == b->error_after);
            alarms++;
        }
        CHECK(same_state(d, whole));
        CHECK(figures(d).window_error == figures(whole).window_error &&
              figures(d).fading_error == figures(whole).fading_error);
        sluice_drift_free(d);
        sluice_drift_free(whole);
    }
}

/* What is accepted can go on and be written again; what is not has a message. */
static void try_bytes(const void *bytes, size_t n) {
    unsigned char *exact = malloc(n + 1); /* so that a sanitizer sees what is read beyond */
    memcpy(exact, bytes, n);
    exact = realloc(exact, n ? n : 1);
    sluice_error err = {0};
    sluice_drift *d = sluice_drift_parse(exact, n, &err);
    free(exact);
    if (!d) {
        CHECK_EQ(err.status, SLUICE_E_FORMAT);
        CHECK_HAS(err.message, "drift");
        return;
    }
    sluice_drift *again = copy(d);
    CHECK(again && same_state(d, again));
    for (size_t i = 0; i < 3000; i++) sluice_drift_add(d, i % 3 == 0);
    const sluice_drift_figures f = figures(d);
    CHECK(f.window_error >= 0 && f.window_error <= 1 && f.fading_error >= 0 && f.fading_error <= 1);
    sluice_drift_free(again);
    again = copy(d);
    CHECK(again != NULL);
    sluice_drift_free(again);
    sluice_drift_free(d);
}

TEST(damaged_states_are_refused_or_harmless) {
    sluice_random r;
    sluice_random_seed(&r, 9);
    const size_t n = fill(&r, 0, 2011, 0.3);
    for (size_t k = 0; k < 2; k++) {
        sluice_drift *d = watched(detectors[k], "window=40", n);
        unsigned char *bytes;
        void *made_bytes;
        size_t length;
        CHECK_EQ(sluice_drift_bytes(d, &made_bytes, &length, NULL), SLUICE_OK);
        bytes = made_bytes;
        for (size_t cut = 0; cut < length; cut++) {
            sluice_error err = {0};
            CHECK(!sluice_drift_parse(bytes, cut, &err));
            CHECK_EQ(err.status, SLUICE_E_FORMAT);
            try_bytes(bytes, cut);
        }
        for (size_t i = 0; i < length; i++)
            for (unsigned bit = 0; bit < 8; bit++) {
                bytes[i] ^= (unsigned char)(1u << bit);
                try_bytes(bytes, length);
                bytes[i] ^= (unsigned char)(1u << bit);
            }
        for (size_t i = 0; i + 8 <= length; i++) {
            unsigned char before[8];
            memcpy(before, bytes + i, 8);
            memset(bytes + i, 0xff, 8);
            try_bytes(bytes, length);
            memcpy(bytes + i, before, 8);
        }
        sluice_free(made_bytes);
        sluice_drift_free(d);
    }
}

TEST(unknown_detectors_and_parameters_are_refused) {
    sluice_error err = {0};
    const char *wrong = "lambda=3", *range = "delta=2";
    CHECK(!sluice_drift_new("adwim", NULL, 0, &err));
    CHECK_HAS(err.message, "page-hinkley");
    CHECK(!sluice_drift_new("adwin", &wrong, 1, &err));
    CHECK_HAS(err.message, "window, delta, rise");
    CHECK(!sluice_drift_new("adwin", &range, 1, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    sluice_drift *d = made("page-hinkley", "lambda=7");
    CHECK_STR(sluice_drift_detector(d)->name, "page-hinkley");
    CHECK(sluice_drift_param(d, 2) == 7 && isnan(sluice_drift_param(d, 3)));
    sluice_drift_free(d);
    sluice_drift_free(NULL);
    d = made(NULL, NULL);
    CHECK_STR(sluice_drift_detector(d)->name, "adwin");
    sluice_drift_free(d);
    CHECK(sluice_detector_at(2) == NULL);
}

int main(void) {
    RUN(adwin_finds_what_its_definition_finds);
    RUN(page_hinkley_finds_what_its_definition_finds);
    RUN(an_error_that_falls_is_no_drift_and_hides_no_rise);
    RUN(a_stream_without_errors_has_no_alarm_and_its_first_errors_one);
    RUN(rises_below_the_least_one_are_none);
    RUN(figures_are_those_of_their_definitions);
    RUN(the_last_alarms_are_kept);
    RUN(a_meter_tells_it_of_every_prediction_once);
    RUN(a_watch_that_is_cut_anywhere_goes_on_as_if_it_were_not);
    RUN(damaged_states_are_refused_or_harmless);
    RUN(unknown_detectors_and_parameters_are_refused);
    return DONE;
}
