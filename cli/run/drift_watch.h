/* train --drift, --on-drift: watches the error while learning for a rise, and says what to do then. */
#ifndef CLI_DRIFT_WATCH_H
#define CLI_DRIFT_WATCH_H

#include "args/args.h"
#include "output/report.h"

/* clang-format off */
#define DRIFT_OPTIONS \
    {"drift", 0, "HOW", "watch the error for a rise: adwin (default) or page-hinkley, with parameters as in adwin,rise=0.002,window=5000; or none", 0}, \
    {"on-drift", 0, "WHAT", "where it rises: warn (a note, as always), reset (the model begins anew) or stop (save it and end); the model remembers this, and -i watches on", 0}
/* clang-format on */

typedef enum drift_action { DRIFT_WARN, DRIFT_RESET, DRIFT_STOP } drift_action;

typedef struct drift_watch {
    sluice_drift *drift; /* NULL: none */
    int is_kept;         /* in the model: --on-drift */
    drift_action action;
    uint64_t examples_before, alarms_before; /* of earlier runs, where the model kept them */
    uint64_t told;                           /* alarms so far that were told of */
    int has_stopped;                         /* an alarm has ended the run */
} drift_watch;

/* Reads the options. Returns DONE or WRONG_USAGE. Free in any case. */
int drift_options(const args *a, drift_watch *w);
void drift_free(drift_watch *w);
/* Goes on with what the model keeps. Returns an exit status after saying what is wrong. */
int drift_start(const args *a, drift_watch *w, sluice_model *model);
/* The watch that a model keeps; drift is NULL where it keeps none. The alarms of its runs are a number alone. Returns
 * an exit status; free in any case. */
int drift_of_model(drift_watch *w, const sluice_model *model, const char *path);
/* How many of the next `rows` examples to learn so that an action takes place at an exact example. */
size_t drift_until(const drift_watch *w, size_t rows);
/* Whether there is an alarm that was not reported yet. */
int drift_has_alarm(const drift_watch *w);
/* Tells of all of them. */
void drift_tell(drift_watch *w);
/* Puts what is to be kept into the model, before it is saved. Returns an exit status. */
int drift_remember(const drift_watch *w, sluice_model *model);
/* Takes it out of a predict-only model. */
void drift_forget(sluice_model *model);

/* All zero, and rates NaN, where there is none; `alarms` are those of this run. */
sluice_drift_figures drift_figures(const drift_watch *w);
/* The i-th alarm of this run; NULL: it is no longer kept. */
const sluice_drift_alarm *drift_alarm(const drift_watch *w, uint64_t i);
/* "drift at example 20064: the error rose from 0.21 to 0.55" */
enum { DRIFT_TEXT = 160 };
const char *drift_text(const sluice_drift_alarm *alarm, char text[DRIFT_TEXT]);
void report_drift(report *r, const drift_watch *w);
/* The alarms of this run, where there are any. */
void summarize_drift(report *r, const drift_watch *w);

#endif
