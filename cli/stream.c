#include "stream.h"

#include "message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int stream_options(const args *a, sluice_reader_options *options) {
    static const char *const reactions[] = {"stop", "skip", NULL};
    size_t reaction = 0;
    uint64_t threads = 0;
    int rc = args_word(a, "on-error", reactions, &reaction);
    if (!rc) rc = args_count(a, "threads", 1, 1024, &threads);
    *options = (sluice_reader_options){.size = sizeof *options,
                                       .format = args_value(a, "format"),
                                       .threads = (unsigned)threads,
                                       .skip_errors = reaction == 1};
    return rc;
}

static int is_stdin(const char *path) { return strcmp(path, "-") == 0; }

int check_inputs(const char *const *paths, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct stat s;
        if (is_stdin(paths[i])) continue;
        if (stat(paths[i], &s) != 0 || access(paths[i], R_OK) != 0) {
            complain("%s: cannot read: %s", paths[i], strerror(errno));
            return FAILED;
        }
        if (S_ISDIR(s.st_mode)) {
            complain("%s: is a directory; name the files in it", paths[i]);
            return FAILED;
        }
    }
    return DONE;
}

int reads_stdin(const char *const *paths, size_t n) {
    if (n == 0) return 1;
    for (size_t i = 0; i < n; i++)
        if (is_stdin(paths[i])) return 1;
    return 0;
}

int reads_once(const char *const *paths, size_t n) {
    if (reads_stdin(paths, n)) return 1;
    for (size_t i = 0; i < n; i++) {
        struct stat s;
        if (stat(paths[i], &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) return 1;
    }
    return 0;
}

void tally_skipped(skip_tally *t, const sluice_reader *reader) {
    uint64_t count;
    const char *name;
    for (size_t i = 0; i < MAX_SKIP_REASONS && (name = sluice_reader_skipped(reader, i, &count)); i++) {
        if (i >= t->n) {
            snprintf(t->reasons[i].name, sizeof t->reasons[i].name, "%s", name);
            t->n = i + 1;
        }
        t->reasons[i].count += count;
        t->total += count;
    }
}

void warn_skipped(const skip_tally *t, const char *what) {
    if (!t->total) return;
    complain("%s: %" PRIu64 " malformed line%s skipped:", what, t->total, t->total == 1 ? "" : "s");
    for (size_t i = 0; i < t->n; i++)
        if (t->reasons[i].count) complain("  %" PRIu64 " %s", t->reasons[i].count, t->reasons[i].name);
}

static double learner_param(const sluice_model *model, const sluice_learner_info *learner, const char *name) {
    for (size_t i = 0; i < learner->n_params; i++)
        if (strcmp(learner->params[i].name, name) == 0) return sluice_model_param(model, i);
    return 1;
}

sluice_meter_options meter_options_bounded(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    return (sluice_meter_options){.size = sizeof(sluice_meter_options),
                                  .cost_missed = learner_param(model, facts.learner, "cost_pos"),
                                  .cost_alarm = learner_param(model, facts.learner, "cost_neg"),
                                  .probability = sluice_model_has_probability(model)};
}

sluice_meter_options meter_options_exact(const sluice_model *model) {
    sluice_meter_options o = meter_options_bounded(model);
    o.exact_auc = 1;
    return o;
}

static int measure_batches(const sluice_model *model, sluice_reader *reader, sluice_meter *meter, progress *live) {
    double *margins = NULL;
    size_t room = 0;
    const sluice_batch *batch;
    sluice_status s;
    int rc = DONE;
    while (!rc && (s = sluice_reader_next(reader, &batch)) == SLUICE_OK) {
        size_t rows = sluice_batch_rows(batch);
        if (rows > room) {
            free(margins);
            margins = malloc(rows * sizeof *margins);
            room = rows;
            if (!margins) {
                rc = out_of_memory();
                break;
            }
        }
        sluice_model_margins(model, batch, margins);
        if (sluice_meter_add_batch(meter, batch, margins) != SLUICE_OK) rc = out_of_memory();
        if (live) progress_examples(live, reader, rows);
    }
    if (live) progress_clear(live);
    if (!rc && s != SLUICE_END) rc = complain_error(sluice_reader_error(reader));
    free(margins);
    return rc;
}

int measure_inputs(const sluice_model *model, const char *const *paths, size_t n, const sluice_reader_options *options,
                   progress *live, sluice_measures *measures, skip_tally *skipped) {
    sluice_error err = {0};
    sluice_meter_options how = meter_options_exact(model);
    /* the final form predicts fastest; it gives the same margins */
    sluice_model *final = sluice_model_final(model, &err);
    sluice_meter *meter = final ? sluice_meter_new(&how, &err) : NULL;
    sluice_reader *reader = meter ? sluice_reader_open(paths, n, options, &err) : NULL;
    int rc;
    if (reader) {
        rc = measure_batches(final, reader, meter, live);
        tally_skipped(skipped, reader);
        *measures = (sluice_measures){.size = sizeof *measures};
        sluice_meter_read(meter, measures);
    } else {
        rc = complain_error(&err);
    }
    sluice_reader_close(reader);
    sluice_meter_free(meter);
    sluice_model_free(final);
    return rc;
}
