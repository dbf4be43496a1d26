/* memrchr, pipe2 and getrandom, or what stands in for them. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/random.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
#include <stdlib.h>
#endif

const void *sl_find_last(const void *bytes, char byte, size_t n) {
#if defined(__linux__)
    return memrchr(bytes, byte, n);
#else
    const char *p = bytes;
    while (n)
        if (p[--n] == byte) return p + n;
    return NULL;
#endif
}

bool sl_pipe(int ends[2]) {
    int made[2];
#if defined(__linux__)
    if (pipe2(made, O_CLOEXEC) != 0) return false;
#else
    if (pipe(made) != 0) return false;
    if (fcntl(made[0], F_SETFD, FD_CLOEXEC) != 0 || fcntl(made[1], F_SETFD, FD_CLOEXEC) != 0) {
        int why = errno;
        close(made[0]), close(made[1]);
        errno = why;
        return false;
    }
#endif
    ends[0] = made[0], ends[1] = made[1];
    return true;
}

bool sl_random(void *bytes, size_t n) {
#if defined(__linux__)
    return getrandom(bytes, n, GRND_NONBLOCK) == (ssize_t)n;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    arc4random_buf(bytes, n);
    return true;
#else
    (void)bytes;
    (void)n;
    return false;
#endif
}
