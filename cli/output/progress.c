/* Shows progress on stderr. */
#include "output/progress.h"

#include "output/message.h"
#include "output/report.h"
#include "terminal/columns.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double redraw_seconds = 1.0 / 6, log_seconds = 10;

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_start(uint64_t passes, uint64_t dimension) {
    int shown = shows_progress(), live = shown && isatty(STDERR_FILENO);
    double now = now_seconds();
    return (progress){.shown = shown,
                      .live = live,
                      .passes = passes,
                      .dimension = dimension,
                      .next_row = 1,
                      .lag = -1,
                      .started = now,
                      .drawn = live ? 0 : now};
}

void progress_every(progress *p, uint64_t examples, uint64_t seconds) {
    p->every = examples;
    p->seconds = seconds;
    if (examples) p->next_row = examples;
    if (seconds) p->next_row = UINT64_MAX;
    p->next_time = p->started + (double)seconds;
}

void progress_clear(progress *p) {
    if (!p->line_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->line_shown = 0;
}

/* "1:02:03" or "2:03" */
static void format_duration(char text[32], double seconds) {
    uint64_t s = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 0;
    if (s >= 3600)
        snprintf(text, 32, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
    else
        snprintf(text, 32, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
}

enum { BAR = 18, LIVE_TEXT = 160 };

/* "[####....] " */
static void write_bar(char bar[BAR + 4], double share) {
    int filled = (int)(share * BAR);
    memset(bar + 1, '#', (size_t)filled);
    memset(bar + 1 + filled, '.', (size_t)(BAR - filled));
    bar[0] = '[';
    memcpy(bar + BAR + 1, "] ", 3);
}

/* The part that is done and the time left, where the size of the inputs is known. */
static int write_share(const progress *p, char text[LIVE_TEXT], double share, double elapsed) {
    char left[32] = "?";
    if (share > 0) format_duration(left, elapsed * (1 - share) / share);
    int n = snprintf(text, LIVE_TEXT, "%3.0f %%  %s left  ", 100 * share, left);
    if (p->passes > 1)
        n += snprintf(text + n, (size_t)(LIVE_TEXT - n), "pass %" PRIu64 "/%" PRIu64 "  ", p->pass + 1, p->passes);
    return n;
}

/* One line, never wider than the terminal: a line that wraps could not be erased. `share` is the part that is done,
 * negative where it is unknown. */
static void draw_live_line(progress *p, double now, double share, const char *what) {
    char bar[BAR + 4] = "", text[LIVE_TEXT];
    int n = 0, room = columns_of(STDERR_FILENO) - 1; /* windows change */
    p->drawn = now;
    if (share >= 0) {
        write_bar(bar, share);
        n = write_share(p, text, share, now - p->started);
    }
    n += snprintf(text + n, (size_t)(LIVE_TEXT - n), "%s", what);
    int bar_fits = (int)strlen(bar) + n <= room;
    fprintf(stderr, "\r\033[K%s%.*s", bar_fits ? bar : "", room, text);
    fflush(stderr);
    p->line_shown = 1;
}

static int is_due(const progress *p, double now) { return p->live && now - p->drawn >= redraw_seconds; }

static int is_row_time(const progress *p) { return p->shown && p->seconds && now_seconds() >= p->next_time; }

int progress_due(const progress *p) { return is_row_time(p) || (p->live && is_due(p, now_seconds())); }

static void draw_examples(progress *p, const sluice_reader *reader) {
    double now = now_seconds(), share = -1;
    if (!is_due(p, now)) return;
    uint64_t done, total;
    char what[80];
    sluice_reader_progress(reader, &done, &total);
    if (total) share = ((double)p->pass + fmin((double)done / (double)total, 1)) / (double)p->passes;
    int n = snprintf(what, sizeof what, "%s examples", COUNT(p->seen));
    if (p->lag >= 0) n += snprintf(what + n, sizeof what - (size_t)n, ", %s to come", COUNT((uint64_t)p->lag));
    sluice_drift_figures f = {.size = sizeof f};
    if (p->drift) sluice_drift_read(p->drift, &f, NULL);
    if (f.examples) snprintf(what + n, sizeof what - (size_t)n, ", window error %.3f", f.window_error);
    draw_live_line(p, now, share, what);
}

void progress_units(progress *p, uint64_t done, uint64_t total, const char *what) {
    double now = now_seconds(), share = (double)done / (double)total;
    char text[80], left[LIVE_TEXT];
    snprintf(text, sizeof text, "%s of %s %s", COUNT(done), COUNT(total), what);
    if (is_due(p, now)) draw_live_line(p, now, share, text);
    if (!p->shown || p->live || done == total || now - p->drawn < log_seconds) return;
    p->drawn = now; /* in a log, a line every ten seconds */
    write_share(p, left, share, now - p->started);
    tell_progress("%s%s", left, text);
}

void progress_examples(progress *p, const sluice_reader *reader, uint64_t rows) {
    p->seen += rows;
    draw_examples(p, reader);
}

static double rate(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : NAN; }

static void print_share(double x, int width) {
    if (isnan(x))
        fprintf(stderr, "  %*s", width, "-");
    else
        fprintf(stderr, "  %*.4f", width, x);
}

static int has_fading_error(const progress *p) { return p->every || p->seconds; }

static void print_fading_error(const progress *p, int measured) {
    sluice_drift_figures f = {.size = sizeof f, .fading_error = NAN};
    if (p->drift && measured) sluice_drift_read(p->drift, &f, NULL);
    print_share(f.fading_error, 12);
}

/* By examples, not by time: what the table says does not depend on the machine. */
static int is_count_due(const progress *p, const sluice_model *model) {
    enum { FEATURES_PER_EXAMPLE = 50 };
    sluice_model_facts facts = {.size = sizeof facts};
    if (!p->counted_at || p->seen >= 2 * p->counted_at) return 1;
    sluice_model_quick_facts(model, &facts);
    return p->seen - p->counted_at >= facts.features_seen / FEATURES_PER_EXAMPLE;
}

static void count_weights(progress *p, const sluice_model *model) {
    p->counted = (sluice_model_facts){.size = sizeof p->counted};
    sluice_model_describe(model, &p->counted);
    p->counted_at = p->seen;
}

static void print_row(progress *p, sluice_meter *meter) {
    sluice_measures m = {.size = sizeof m};
    sluice_meter_read(meter, &m);
    double seconds = now_seconds() - p->started;

    progress_clear(p);
    if (!p->header_done) {
        fprintf(stderr, "%12s  %10s  %10s  %12s  %8s  %11s%s%s\n", "examples", "error", "since last", "nonzeros",
                "sparsity", "examples/s", has_fading_error(p) ? "  fading error" : "",
                p->lag >= 0 ? "     to come" : "");
        p->header_done = 1;
    }
    /* examples of a later pass were learned before: their errors say nothing */
    const int measured = p->passes == 1 || m.examples > p->row_examples;
    fprintf(stderr, "%12s", COUNT(measured ? m.examples : p->seen));
    print_share(measured ? rate(m.mistakes, m.examples) : NAN, 10);
    /* what was counted may become less, when it turns out what the label 1 is */
    uint64_t since = m.mistakes > p->row_mistakes ? m.mistakes - p->row_mistakes : 0;
    print_share(rate(since, m.examples - p->row_examples), 10);
    fprintf(stderr, "  %12s", COUNT(p->counted.nonzeros));
    print_share(sparsity(&p->counted, p->dimension), 8);
    if (seconds > 0)
        fprintf(stderr, "  %11s", COUNT((uint64_t)((double)(measured ? m.examples : p->seen) / seconds + 0.5)));
    else
        fprintf(stderr, "  %11s", "-");
    if (has_fading_error(p)) print_fading_error(p, measured);
    if (p->lag >= 0) fprintf(stderr, "  %10s", COUNT((uint64_t)p->lag));
    fputc('\n', stderr);
    p->row_seen = p->seen;
    p->row_examples = m.examples;
    p->row_mistakes = m.mistakes;
}

size_t progress_until_row(const progress *p, size_t rows) {
    return p->shown && p->seen + rows > p->next_row ? (size_t)(p->next_row - p->seen) : rows;
}

void progress_learned(progress *p, const sluice_reader *reader, uint64_t rows, const sluice_model *model,
                      sluice_meter *meter) {
    if (!p->shown) return;
    p->seen += rows;
    const int by_time = is_row_time(p);
    const int row_due = by_time || p->seen >= p->next_row;
    if (row_due && is_count_due(p, model)) count_weights(p, model);
    if (row_due) print_row(p, meter);
    if (by_time) p->next_time = now_seconds() + (double)p->seconds;
    while (p->next_row <= p->seen) p->next_row = p->every ? p->next_row + p->every : 2 * p->next_row;
    draw_examples(p, reader);
}

void progress_finish(progress *p, const sluice_model *model, sluice_meter *meter) {
    progress_clear(p);
    if (!p->shown) return;
    sluice_measures m = {.size = sizeof m};
    sluice_meter_read(meter, &m);
    if (!p->header_done || m.examples != p->row_examples || (p->passes > 1 && p->seen != p->row_seen)) {
        count_weights(p, model);
        print_row(p, meter);
    }
}
