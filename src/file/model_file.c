/* The file that a run saves its model to, again and again: locked, and with all memory that saving takes. */
#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "file/file_lock.h"
#include "file/saver.h"

struct sluice_model_file {
    sl_atomic *to;
    char *temporary; /* the name of its temporary file */
    sl_file_lock lock;
    sl_saver saver; /* its buffers are kept from save to save */
    sluice_error error;
};

/* Under the lock the temporary file has a name of its own, so that what a killed run left does not stay for ever. */
static sluice_status lock(sluice_model_file *f, const char *path, sluice_error *err) {
    f->temporary = sl_hidden_name(path, "sluice-new");
    if (!f->temporary) return sl_fail(err, SLUICE_E_MEMORY, "no memory to save a model");
    sluice_status status = sl_file_lock_take(&f->lock, path, err);
    if (status == SLUICE_OK && sl_file_lock_held(&f->lock)) sl_atomic_own_temporary(f->to, f->temporary);
    return status;
}

sluice_model_file *sluice_model_file_open(const char *path, sluice_error *err) {
    sluice_model_file *f = calloc(1, sizeof *f);
    if (!f) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory to save a model");
        return NULL;
    }
    f->lock.fd = -1;
    f->to = sl_atomic_new(path, err);
    const char *name = f->to ? sl_atomic_path(f->to) : NULL; /* what is written in place has no lock */
    if (f->to && sl_saver_reserve(&f->saver, path, err) == SLUICE_OK && (!name || lock(f, name, err) == SLUICE_OK))
        return f;
    sluice_model_file_close(f);
    return NULL;
}

sluice_status sluice_model_file_save(sluice_model_file *f, const sluice_model *m) {
    f->error = (sluice_error){0};
    return sl_save_to_file(&f->saver, m, f->to, &f->error);
}

int sluice_model_file_locked(const sluice_model_file *f) { return sl_file_lock_held(&f->lock); }

int sluice_model_file_is_regular(const sluice_model_file *f) { return sl_atomic_path(f->to) != NULL; }

const sluice_error *sluice_model_file_error(const sluice_model_file *f) { return &f->error; }

void sluice_model_file_close(sluice_model_file *f) {
    if (!f) return;
    sl_atomic_free(f->to); /* removes its temporary file, while the lock is held */
    sl_file_lock_release(&f->lock);
    sl_saver_release(&f->saver);
    free(f->temporary);
    free(f);
}
