/* Saves the model of a run on the way and at the end, and says how to go on. */
#include "train/checkpoint.h"

#include "output/message.h"
#include "run/signals.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int read_interval(const args *a, checkpoint *c) {
    int rc = args_interval(a, "save-every", &c->every, &c->seconds);
    if (!rc && (c->every || c->seconds) && !c->path)
        rc = wrong_usage(a->command->name, "--save-every needs -o MODEL: there is nothing to save to");
    return rc;
}

int checkpoint_options(const args *a, checkpoint *c) {
    *c = (checkpoint){.path = args_value(a, "output")};
    int rc = read_interval(a, c);
    return rc ? rc : args_count(a, "skip", 0, UINT64_MAX, &c->skip);
}

int checkpoint_open(checkpoint *c) {
    if (!c->path) return DONE;
    sluice_error err = {0};
    c->file = sluice_model_file_open(c->path, &err);
    if (!c->file) return complain_error(&err);
    int regular = sluice_model_file_is_regular(c->file);
    if (!regular && (c->every || c->seconds))
        return wrong_usage(
            "train", "--save-every: -o %s is no regular file, and a second model cannot replace the first", c->path);
    if (regular && !sluice_model_file_locked(c->file))
        warning("%s: its file system has no locks: a second run that writes this model would not be noticed", c->path);
    return DONE;
}

void checkpoint_close(checkpoint *c) { sluice_model_file_close(c->file); }

size_t checkpoint_skip(checkpoint *c, size_t rows) {
    uint64_t left = c->skip > c->rows ? c->skip - c->rows : 0;
    size_t n = left < rows ? (size_t)left : rows;
    c->rows += n;
    return n;
}

uint64_t checkpoint_place(const checkpoint *c) { return c->rows > c->skip ? c->rows : c->skip; }

size_t checkpoint_until(const checkpoint *c, size_t rows) {
    uint64_t until = c->every ? c->every - c->rows % c->every : rows;
    return until < rows ? (size_t)until : rows;
}

int checkpoint_due(checkpoint *c, size_t n) {
    c->rows += n;
    int asked = save_signal();
    if (asked == SIGUSR1 && (!c->file || !sluice_model_file_is_regular(c->file))) {
        warning("SIGUSR1: %s to save the model to", c->file ? "-o names no regular file" : "there is no -o MODEL");
        return 0;
    }
    const int learned = c->rows > c->skip;
    const int is_new = c->moved ? learned || c->resumed : learned && !(c->has_saved && c->rows == c->saved);
    if (!is_new) {
        if (asked == SIGUSR1)
            tell_progress("SIGUSR1: there is nothing new to save after %" PRIu64 " examples", c->rows);
        return 0;
    }
    return asked ? asked : c->every && n && c->rows % c->every == 0;
}

static int try_to_save(checkpoint *c, const sluice_model *model) {
    if (sluice_model_file_save(c->file, model) != SLUICE_OK) return 0;
    c->has_saved = 1;
    c->moved = 0;
    c->saved = checkpoint_place(c);
    return 1;
}

int checkpoint_save(checkpoint *c, const sluice_model *model) {
    if (!c->file || try_to_save(c, model)) return DONE;
    return complain_error(sluice_model_file_error(c->file));
}

int checkpoint_try(checkpoint *c, const sluice_model *model, int why) {
    const sluice_error *e = sluice_model_file_error(c->file);
    const int saved = try_to_save(c, model);
    if (!saved)
        warning("%s%s%s; there is no new checkpoint, and the run goes on", e->source, *e->source ? ": " : "",
                e->message);
    else if (why == SIGUSR1)
        tell_progress("SIGUSR1: the model is saved as %s after %" PRIu64 " examples", c->path, c->rows);
    return saved;
}

const char *checkpoint_advice(const checkpoint *c, int read_once, char *text, size_t room) {
    if (c->has_positions) {
        snprintf(text, room, "-i %s and the same topics", c->path);
        return text;
    }
    char passes[40] = "";
    if (c->passes > 1) snprintf(passes, sizeof passes, " --passes %" PRIu64, c->passes);
    snprintf(text, room, "-i %s%s --skip %" PRIu64 "%s", c->path, passes, c->saved,
             read_once ? " where the input begins anew, without --skip where it goes on" : " and the same inputs");
    return text;
}

void checkpoint_tell(const checkpoint *c, int read_once) {
    if (!c->has_saved) return;
    char advice[ADVICE_ROOM];
    complain("%s has learned the first %" PRIu64 " examples; to go on behind them: %s", c->path, c->saved,
             checkpoint_advice(c, read_once, advice, sizeof advice));
}
