/* train --trace: writes errors and sizes during a run as CSV. */
#include "train/trace.h"

#include "output/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

int trace_options(const args *a, trace *t) {
    *t = (trace){.path = args_value(a, "trace"), .next = 1};
    int rc = args_count(a, "trace-every", 1, UINT64_MAX / 2, &t->every);
    if (!rc && t->every && !t->path) rc = wrong_usage(a->command->name, "--trace-every needs --trace FILE");
    if (t->every) t->next = t->every;
    return rc;
}

static int cannot_write(const trace *t) {
    complain("%s: cannot write: %s", t->path, strerror(errno));
    return FAILED;
}

int trace_start(trace *t) {
    if (!t->path) return DONE;
    t->file = fopen(t->path, "w");
    if (!t->file) return cannot_write(t);
    fputs(
        "examples,mistakes,error_rate,error_rate_since,features_seen,nonzeros,window_error,fading_error,drift_alarms\n",
        t->file);
    return DONE;
}

size_t trace_until_row(const trace *t, size_t rows) {
    return t->file && t->seen + rows > t->next ? (size_t)(t->next - t->seen) : rows;
}

/* Nothing where there is none. */
static void write_rate(FILE *out, double rate) {
    if (isnan(rate))
        fputc(',', out);
    else
        fprintf(out, ",%.6g", rate);
}

static void write_row(trace *t, const sluice_model *model, sluice_meter *meter, const drift_watch *drift) {
    sluice_measures m = {.size = sizeof m};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_meter_read(meter, &m);
    sluice_model_describe(model, &facts);
    uint64_t examples =
        m.examples - t->row_examples; /* mistakes may become less, when it turns out what the label 1 is */
    uint64_t mistakes = m.mistakes > t->row_mistakes ? m.mistakes - t->row_mistakes : 0;
    if (examples) { /* rows of importance 0 may have been all there was */
        const sluice_drift_figures f = drift_figures(drift);
        fprintf(t->file, "%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%" PRIu64 ",%" PRIu64, m.examples, m.mistakes,
                (double)m.mistakes / (double)m.examples, (double)mistakes / (double)examples, facts.features_seen,
                facts.nonzeros);
        write_rate(t->file, f.window_error);
        write_rate(t->file, f.fading_error);
        fprintf(t->file, ",%" PRIu64 "\n", f.alarms);
    }
    fflush(t->file); /* long runs are watched */
    t->row_examples = m.examples;
    t->row_mistakes = m.mistakes;
}

void trace_learned(trace *t, uint64_t rows, const sluice_model *model, sluice_meter *meter, const drift_watch *drift) {
    if (!t->file) return;
    t->seen += rows;
    if (t->seen < t->next) return;
    write_row(t, model, meter, drift);
    t->next += t->every ? t->every : t->next / 20 + 1;
}

int trace_end(trace *t, const sluice_model *model, sluice_meter *meter, const drift_watch *drift) {
    if (!t->file) return DONE;
    write_row(t, model, meter, drift);
    int failed = ferror(t->file);
    failed |= fclose(t->file) != 0;
    t->file = NULL;
    return failed ? cannot_write(t) : DONE;
}
