/* Writes a file so that its name always leads to the complete old file or the complete new one, even after a crash. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"

struct sl_atomic {
    int fd;                /* -1: nothing is being written */
    bool in_place;         /* there is no temporary file */
    char *path;            /* the final name, symbolic links resolved; NULL: standard output */
    char *folder;          /* the one that it is in; this and the next one: NULL where it is written in place */
    char *random;          /* room for a random name of the temporary file */
    const char *own;       /* a fixed name, for a file that is locked; NULL: a random one */
    const char *temporary; /* its name: one of these two */
};

static const char *shown_name(const sl_atomic *f) { return f->path ? f->path : "standard output"; }

void sl_atomic_free(sl_atomic *f) {
    if (!f) return;
    sl_atomic_drop(f);
    free(f->path);
    free(f->folder);
    free(f->random);
    free(f);
}

/* ---- where to write ---------------------------------------------------------------------------------------------- */

/* Whether standard output goes to this file: replacing the file would lose what was written to it so far. */
static bool is_standard_output(const struct stat *st) {
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

enum { TEMPORARY_NAME = 64 }; /* room for it, without the folder */

static bool set_names(sl_atomic *f, const char *path, bool exists) {
    f->path = exists && !f->in_place ? realpath(path, NULL) : strdup(path);
    if (!f->path || f->in_place) return f->path;
    const char *slash = strrchr(f->path, '/');
    f->folder = slash > f->path ? strndup(f->path, (size_t)(slash - f->path)) : strdup(slash ? "/" : ".");
    f->random = f->folder ? malloc((slash ? (size_t)(slash + 1 - f->path) : 0) + TEMPORARY_NAME) : NULL;
    return f->random;
}

static sluice_status cannot_open(const char *path, sluice_error *err) {
    if (errno == ENOMEM) return sl_fail(err, SLUICE_E_MEMORY, "no memory to open a file");
    return sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot write: %s", strerror(errno));
}

sl_atomic *sl_atomic_new(const char *path, sluice_error *err) {
    struct stat st;
    bool standard = strcmp(path, "-") == 0, exists = !standard && stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a directory; give the name of a file");
        return NULL;
    }
    if (!standard && !exists && errno != ENOENT) { /* it may well exist */
        cannot_open(path, err);
        return NULL;
    }
    if (!standard && !exists && lstat(path, &st) == 0) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a link to a file that does not exist; remove it first");
        return NULL;
    }
    sl_atomic *f = calloc(1, sizeof *f);
    if (f) {
        f->fd = -1;
        f->in_place = standard || (exists && (!S_ISREG(st.st_mode) || is_standard_output(&st)));
        if (standard || set_names(f, path, exists)) return f;
    }
    cannot_open(path, err);
    sl_atomic_free(f);
    return NULL;
}

void sl_atomic_own_temporary(sl_atomic *f, const char *name) {
    f->own = name;
    unlink(name);
}

const char *sl_atomic_path(const sl_atomic *f) { return f->in_place ? NULL : f->path; }

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The temporary file is in the folder of the final one, so that renaming stays within one file system. Its name does
 * not contain the final one, which may be as long as names can be; it is random, so that processes that save the same
 * file do not meet, and files left by a crash are not in the way. */
static int open_random(sl_atomic *f, mode_t mode) {
    const char *slash = strrchr(f->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - f->path) : 0;
    memcpy(f->random, f->path, folder);
    f->temporary = f->random;
    for (unsigned tries = 0; tries < 100; tries++) {
        uint64_t bits = 0;
        if (!sl_random(&bits, sizeof bits)) bits = tries;
        snprintf(f->random + folder, TEMPORARY_NAME, ".sluice-%ld-%08llx.tmp", (long)getpid(),
                 (unsigned long long)bits & 0xffffffff);
        int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || (errno != EEXIST && errno != EINTR)) return fd;
    }
    return -1;
}

/* What a crash left under the name of its own is removed. If another user has put something there, it is not used. */
static int open_temporary(sl_atomic *f, mode_t mode) {
    if (!f->own) return open_random(f, mode);
    unlink(f->own);
    f->temporary = f->own;
    int fd = open(f->own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return fd < 0 && (errno == EEXIST || errno == EINTR) ? open_random(f, mode) : fd;
}

/* Gives the new file, which only its owner can read so far, the owner, group and permissions of the one that it will
 * replace. What is not allowed is left out, but never does it get rights that the old file did not give: members of
 * another group have those of all others. */
static void take_over_rights(int fd, const struct stat *old) {
    struct stat now;
    mode_t mode = old->st_mode & 07777;
    if (fstat(fd, &now) != 0) return;
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid) != 0) {
        mode &= 0777; /* a set-user-ID bit would be that of another user */
        if (now.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
            mode &= (mode_t) ~(mode_t)070 | (mode & 07) << 3;
    }
    (void)!fchmod(fd, mode);
}

/* Opens a named pipe as soon as it has a reader. open() itself would wait where ThreadSanitizer holds signals back. */
static int open_pipe(const char *path) {
    const struct timespec a_moment = {.tv_nsec = 10000000};
    int fd;
    while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO) nanosleep(&a_moment, NULL);
    if (fd >= 0) (void)!fcntl(fd, F_SETFL, O_WRONLY);
    return fd;
}

static int open_in_place(const char *path, const struct stat *st) {
    if (st && S_ISREG(st->st_mode)) return dup(STDOUT_FILENO);
    return st && S_ISFIFO(st->st_mode) ? open_pipe(path) : open(path, O_WRONLY | O_CLOEXEC);
}

/* The file descriptor to write to; -1: errno says why not. */
static int open_output(sl_atomic *f) {
    if (!f->path) return dup(STDOUT_FILENO);
    struct stat st;
    bool exists = stat(f->path, &st) == 0;
    if (!exists && errno != ENOENT) return -1; /* it may well exist, with rights to take over */
    if (f->in_place) return open_in_place(f->path, exists ? &st : NULL);
    if (exists && S_ISDIR(st.st_mode)) return errno = EISDIR, -1;
    int fd = open_temporary(f, exists ? 0600 : 0666);
    if (fd >= 0 && exists) take_over_rights(fd, &st);
    return fd;
}

sluice_status sl_atomic_begin(sl_atomic *f, sluice_error *err) {
    f->fd = open_output(f);
    return f->fd >= 0 ? SLUICE_OK : cannot_open(f->path ? f->path : "-", err);
}

sl_atomic *sl_atomic_open(const char *path, sluice_error *err) {
    sl_atomic *f = sl_atomic_new(path, err);
    if (!f || sl_atomic_begin(f, err) == SLUICE_OK) return f;
    sl_atomic_free(f);
    return NULL;
}

sluice_status sl_atomic_write(sl_atomic *f, const void *bytes, size_t n, sluice_error *err) {
    const char *p = bytes;
    while (n) {
        ssize_t done = write(f->fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot write: %s", strerror(errno));
        p += done;
        n -= (size_t)done;
    }
    return SLUICE_OK;
}

/* Syncing may be interrupted by a signal on some network file systems. */
static int sync_file(int fd) {
    int result;
    do result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result;
}

/* Makes the renaming itself durable. Not every file system can sync a folder: a failure is no error. */
static void sync_folder(const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!sync_file(fd);
    close(fd);
}

sluice_status sl_atomic_finish(sl_atomic *f, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    /* pipes and devices that cannot be synced give EINVAL, EROFS or ENOTSUP */
    if (sync_file(f->fd) != 0 && !(f->in_place && (errno == EINVAL || errno == EROFS || errno == ENOTSUP)))
        status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot write: %s", strerror(errno));
    if (close(f->fd) != 0 && errno != EINTR && status == SLUICE_OK) /* interrupted: it is closed, and was synced */
        status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot write: %s", strerror(errno));
    f->fd = -1;
    if (f->in_place) return status;
    if (status == SLUICE_OK && rename(f->temporary, f->path) != 0)
        status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot rename onto it: %s", strerror(errno));
    if (status == SLUICE_OK)
        sync_folder(f->folder);
    else
        unlink(f->temporary);
    return status;
}

void sl_atomic_drop(sl_atomic *f) {
    if (f->fd < 0) return;
    close(f->fd);
    f->fd = -1;
    if (!f->in_place) unlink(f->temporary);
}

sluice_status sl_atomic_commit(sl_atomic *f, sluice_error *err) {
    sluice_status status = sl_atomic_finish(f, err);
    sl_atomic_free(f);
    return status;
}

void sl_atomic_abandon(sl_atomic *f) { sl_atomic_free(f); }

sluice_status sluice_write_file(const char *path, const void *bytes, size_t n, sluice_error *err) {
    sluice_error unheard;
    if (!err) err = &unheard;
    sl_atomic *f = sl_atomic_open(path, err);
    if (!f) return err->status;
    if (sl_atomic_write(f, bytes, n, err) == SLUICE_OK) return sl_atomic_commit(f, err);
    sl_atomic_abandon(f);
    return err->status;
}
