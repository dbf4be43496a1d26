/* Writes a file so that its name always leads to the complete old file or the complete new one, even after a crash. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
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
    bool in_place;   /* there is no temporary file */
    char *path;      /* the final name, symbolic links resolved; NULL: standard output */
    char *temporary; /* its name */
};

static void release(sl_atomic *f) {
    free(f->path);
    free(f->temporary);
    free(f);
}

static const char *shown_name(const sl_atomic *f) { return f->path ? f->path : "standard output"; }

/* The temporary file is in the folder of the final one, so that renaming stays within one file system. Its name does
 * not contain the final one, which may be as long as names can be; it is random, so that processes that save the same
 * file do not meet, and files left by a crash are not in the way. */
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

/* Whether standard output goes to this file: replacing the file would lose what was written to it so far. */
static bool is_standard_output(const struct stat *st) {
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

/* The file descriptor to write to; -1: errno says why not. */
static int open_existing(sl_atomic *f, const char *path, const struct stat *st) {
    bool regular = S_ISREG(st->st_mode), is_output = regular && is_standard_output(st);
    f->in_place = !regular || is_output;
    f->path = f->in_place ? strdup(path) : realpath(path, NULL);
    if (!f->path) return -1;
    if (f->in_place) return is_output ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
    int fd = open_temporary(f);
    if (fd >= 0) (void)!fchmod(fd, st->st_mode & 07777); /* the new file gets the permissions of the old one */
    return fd;
}

static int open_new(sl_atomic *f, const char *path) {
    f->path = strdup(path);
    return f->path ? open_temporary(f) : -1;
}

sl_atomic *sl_atomic_open(const char *path, sluice_error *err) {
    struct stat st;
    bool standard = strcmp(path, "-") == 0, exists = !standard && stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a directory; give the name of a file");
        return NULL;
    }
    if (!standard && !exists && lstat(path, &st) == 0) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "is a link to a file that does not exist; remove it first");
        return NULL;
    }
    sl_atomic *f = calloc(1, sizeof *f);
    if (f) {
        f->in_place = standard;
        f->fd = standard ? dup(STDOUT_FILENO) : exists ? open_existing(f, path, &st) : open_new(f, path);
        if (f->fd >= 0) return f;
        int why = errno;
        release(f);
        errno = why;
    }
    if (errno == ENOMEM)
        sl_fail(err, SLUICE_E_MEMORY, "no memory to open a file");
    else
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot write: %s", strerror(errno));
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

/* Makes the renaming itself durable. Not every file system can sync a folder: a failure is no error. */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash > path ? strndup(path, (size_t)(slash - path)) : strdup(slash ? "/" : ".");
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
    /* pipes and devices that cannot be synced give EINVAL, EROFS or ENOTSUP */
    if (fsync(f->fd) != 0 && !(f->in_place && (errno == EINVAL || errno == EROFS || errno == ENOTSUP)))
        status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot write: %s", strerror(errno));
    if (close(f->fd) != 0 && status == SLUICE_OK)
        status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot write: %s", strerror(errno));
    if (!f->in_place) {
        if (status == SLUICE_OK && rename(f->temporary, f->path) != 0)
            status = sl_fail_at(err, SLUICE_E_IO, shown_name(f), 0, 0, "cannot rename onto it: %s", strerror(errno));
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
