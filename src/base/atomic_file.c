/* Writing so that a reader of the final name sees the old file or the whole new one, whenever the power goes. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"

struct sl_atomic {
    int fd;
    bool in_place; /* nothing to rename: a pipe, a device, standard output */
    char *path;    /* the final name, links resolved */
    char *temporary;
};

static void release(sl_atomic *f) {
    free(f->path);
    free(f->temporary);
    free(f);
}

/* Beside the final name, so that the rename stays within one file system; a short name of its own, since the file's may
 * be as long as names can be, and a random one, so that no two savers meet and nothing left behind is in the way. */
static int open_temporary(sl_atomic *f) {
    const char *slash = strrchr(f->path, '/');
    int folder = slash ? (int)(slash + 1 - f->path) : 0;
    size_t room = (size_t)folder + 64;
    f->temporary = malloc(room);
    if (!f->temporary) return -1;
    for (unsigned tries = 0; tries < 100; tries++) {
        uint64_t bits = 0;
        if (!sl_random(&bits, sizeof bits)) bits = tries;
        snprintf(f->temporary, room, "%.*s.sluice-%ld-%08llx.tmp", folder, f->path, (long)getpid(),
                 (unsigned long long)bits & 0xffffffff);
        int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* /dev/stdout, or the file that standard output goes to, under whatever name: replacing it would lose what was written
 * there so far. */
static bool is_standard_output(const struct stat *st) {
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

sl_atomic *sl_atomic_open(const char *path, sluice_error *err) {
    sl_atomic *f = calloc(1, sizeof *f);
    if (!f) goto no_memory;
    f->fd = -1;
    if (strcmp(path, "-") == 0) {
        f->in_place = true;
        f->fd = dup(STDOUT_FILENO);
    } else {
        struct stat st;
        bool exists = stat(path, &st) == 0;
        if (exists && S_ISDIR(st.st_mode)) {
            sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a directory; give the name of a file");
            release(f);
            return NULL;
        }
        if (!exists && lstat(path, &st) == 0) {
            sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a link to a file that does not exist; remove it first");
            release(f);
            return NULL;
        }
        bool is_output = exists && S_ISREG(st.st_mode) && is_standard_output(&st);
        f->in_place = exists && (is_output || !S_ISREG(st.st_mode));
        f->path = exists && !f->in_place ? realpath(path, NULL) : strdup(path);
        if (!f->path && errno == ENOMEM) goto no_memory;
        if (!f->path)
            f->fd = -1;
        else if (is_output)
            f->fd = dup(STDOUT_FILENO);
        else if (f->in_place)
            f->fd = open(path, O_WRONLY | O_CLOEXEC);
        else
            f->fd = open_temporary(f);
        if (f->fd < 0 && errno == ENOMEM) goto no_memory;
        if (f->fd >= 0 && exists && !f->in_place)
            (void)!fchmod(f->fd, st.st_mode & 07777); /* the new file is as readable as the old one was */
    }
    if (f->fd < 0) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot write: %s", strerror(errno));
        release(f);
        return NULL;
    }
    return f;
no_memory:
    if (f) release(f);
    sl_fail(err, SLUICE_E_MEMORY, "no memory to open a file");
    return NULL;
}

sluice_status sl_atomic_write(sl_atomic *f, const void *bytes, size_t n, sluice_error *err) {
    const char *p = bytes;
    while (n) {
        ssize_t done = write(f->fd, p, n);
        if (done < 0) {
            if (errno == EINTR) continue;
            return sl_fail_at(err, SLUICE_E_IO, f->path ? f->path : "standard output", 0, 0, "cannot write: %s",
                              strerror(errno));
        }
        p += done;
        n -= (size_t)done;
    }
    return SLUICE_OK;
}

/* The rename itself must reach the disk too. Not every file system can sync a directory: then there is no more to do.
 */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    char *folder = slash && n ? strndup(path, n) : strdup(slash ? "/" : ".");
    if (!folder) return;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(folder);
}

sluice_status sl_atomic_commit(sl_atomic *f, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    const char *name = f->path ? f->path : "standard output";
    /* EINVAL and EROFS: pipes and devices that cannot be synced */
    if (fsync(f->fd) != 0 && !(f->in_place && (errno == EINVAL || errno == EROFS || errno == ENOTSUP)))
        status = sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "cannot write: %s", strerror(errno));
    if (close(f->fd) != 0 && status == SLUICE_OK)
        status = sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "cannot write: %s", strerror(errno));
    if (!f->in_place) {
        if (status == SLUICE_OK && rename(f->temporary, f->path) != 0)
            status = sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "cannot rename onto it: %s", strerror(errno));
        if (status == SLUICE_OK)
            sync_folder(f->path);
        else
            unlink(f->temporary);
    }
    release(f);
    return status;
}

void sl_atomic_abandon(sl_atomic *f) {
    if (!f) return;
    close(f->fd);
    if (!f->in_place) unlink(f->temporary);
    release(f);
}

sluice_status sluice_write_file(const char *path, const void *bytes, size_t n, sluice_error *err) {
    sluice_error unheard;
    if (!err) err = &unheard;
    sl_atomic *f = sl_atomic_open(path, err);
    if (!f) return err->status;
    if (sl_atomic_write(f, bytes, n, err) == SLUICE_OK) return sl_atomic_commit(f, err);
    sl_atomic_abandon(f);
    return err->status;
}
