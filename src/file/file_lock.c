/* Locks a file against a second writer, by a hidden lock file beside it.
 *
 * The file itself cannot carry the lock: every save replaces it by another one. The lock file is locked with flock(),
 * which ends with the process: one that a killed run left behind blocks no other run. It is removed by
 * the holder of the lock, so whoever gets the lock must look whether the name still leads to the file that was locked.
 */
#include "file/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash/hash.h"
#include "base/error.h"

enum {
    LONGEST_NAME = 200, /* longer names are shortened and get a hash, so that the lock's name is short enough */
    SHORTENED = 100,
};

char *sl_hidden_name(const char *path, const char *ending) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t folder = (size_t)(name - path), length = strlen(name), room = folder + LONGEST_NAME + 48;
    char *text = malloc(room);
    if (!text) return NULL;
    memcpy(text, path, folder);
    if (length <= LONGEST_NAME)
        snprintf(text + folder, room - folder, ".%s.%s", name, ending);
    else
        snprintf(text + folder, room - folder, ".%.*s-%016llx.%s", SHORTENED, name,
                 (unsigned long long)sl_xxh64(name, length, 0), ending);
    return text;
}

/* Opens the lock file, making it where there is none. Neither a link nor a pipe that stands in its place is opened. NFS
 * locks only what is open for writing; elsewhere it is enough that the file is readable, so that users who share a
 * folder can lock each other's models. */
static int open_lock(const char *name) {
    enum { FLAGS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };
    for (int tries = 0; tries < 100; tries++) {
        int fd = open(name, O_RDWR | FLAGS);
        if (fd < 0 && errno == EACCES) fd = open(name, O_RDONLY | FLAGS);
        if (fd < 0 && errno == ENOENT) fd = open(name, O_RDWR | O_CREAT | O_EXCL | FLAGS, 0666);
        if (fd >= 0 || (errno != EEXIST && errno != EINTR)) return fd; /* EEXIST: another run was faster */
    }
    return -1;
}

/* Whether the name still leads to the file that is locked; -1: errno says why that is not known. */
static int is_still_there(int fd, const char *name) {
    struct stat locked, now;
    if (fstat(fd, &locked) != 0) return -1;
    if (lstat(name, &now) != 0) return errno == ENOENT ? 0 : -1;
    return locked.st_dev == now.st_dev && locked.st_ino == now.st_ino;
}

static int flock_now(int fd) {
    int result;
    do result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result;
}

static bool has_no_locks(int error) {
    return error == ENOSYS || error == EOPNOTSUPP || error == ENOTSUP || error == EINVAL || error == ENOLCK ||
           error == EBADF; /* NFS, of a file that is open for reading alone */
}

static sluice_status fail(sl_file_lock *lock, const char *path, int why, sluice_error *err) {
    sluice_status status =
        why == EWOULDBLOCK
            ? sl_fail_at(err, SLUICE_E_LOCKED, path, 0, 0,
                         "another run that will write this file is under way; wait for its end, or name another file")
            : sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot be locked: %s: %s", lock->name, strerror(why));
    if (lock->fd >= 0) close(lock->fd);
    free(lock->name);
    *lock = (sl_file_lock){.fd = -1};
    return status;
}

sluice_status sl_file_lock_take(sl_file_lock *lock, const char *path, sluice_error *err) {
    *lock = (sl_file_lock){.fd = -1, .name = sl_hidden_name(path, "sluice-lock")};
    if (!lock->name) return sl_fail(err, SLUICE_E_MEMORY, "no memory to lock a file");
    for (;;) {
        lock->fd = open_lock(lock->name);
        if (lock->fd < 0) return fail(lock, path, errno, err);
        if (flock_now(lock->fd) != 0) {
            if (!has_no_locks(errno)) return fail(lock, path, errno, err);
            sl_file_lock_release(lock);
            return SLUICE_OK;
        }
        int there = is_still_there(lock->fd, lock->name);
        if (there < 0) return fail(lock, path, errno, err);
        if (there) return SLUICE_OK;
        close(lock->fd); /* the last holder removed it meanwhile, and others would lock another file */
    }
}

bool sl_file_lock_held(const sl_file_lock *lock) { return lock->fd >= 0; }

void sl_file_lock_release(sl_file_lock *lock) {
    if (lock->fd >= 0) {
        unlink(lock->name); /* before it is unlocked: later it may be another run's */
        close(lock->fd);
    }
    free(lock->name);
    *lock = (sl_file_lock){.fd = -1};
}
