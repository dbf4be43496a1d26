/* Loads OpenBLAS when it is first needed, and keeps it to one thread while a learner uses it. */
#include "learner/blas.h"

#include "base/error.h"

#ifndef SLUICE_HAVE_OPENBLAS
#define SLUICE_HAVE_OPENBLAS 1
#endif

#if SLUICE_HAVE_OPENBLAS

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread_team.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static sl_blas calls;
static int (*get_threads)(void);
static void (*set_threads)(int);
static bool has_buffers;   /* it was called, and keeps them */
static unsigned users;     /* between begin and end */
static int threads_before; /* what the program had set */

/* Functions and data pointers are the same to dlsym(), not to C. */
static int find(void *to, const char *name) {
    void *address = dlsym(library, name);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

/* Folders that belong to the system: LD_LIBRARY_PATH and the like must not decide whose code runs. */
static const char *const system_folders[] = {
#if defined __x86_64__
    "/usr/lib/x86_64-linux-gnu",
#elif defined __aarch64__
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib64",
    "/usr/local/lib",
};

/* The library of the environment variable SLUICE_OPENBLAS, or else the first one in the system's folders. */
static void *open_library(char *why, size_t room) {
    const char *given = getenv("SLUICE_OPENBLAS");
    void *opened = NULL;
    if (given && given[0] != '/') {
        snprintf(why, room, "SLUICE_OPENBLAS is not the absolute path of a file");
    } else if (given) {
        opened = dlopen(given, RTLD_NOW | RTLD_LOCAL);
        if (!opened) snprintf(why, room, "%s", dlerror());
    } else {
        snprintf(why, room, "libopenblas.so.0 is not in the system's folders");
        for (size_t i = 0; !opened && i < sizeof system_folders / sizeof *system_folders; i++) {
            char path[64];
            snprintf(path, sizeof path, "%s/libopenblas.so.0", system_folders[i]);
            if (access(path, F_OK) != 0) continue;
            opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (!opened) snprintf(why, room, "%s", dlerror());
        }
    }
    return opened;
}

static bool load(char *why, size_t room) {
    if (library) return true;
    library = open_library(why, room);
    if (!library) return false;
    if (find(&calls.dgemm, "cblas_dgemm") && find(&calls.dsyrk, "cblas_dsyrk") && find(&calls.dtrsm, "cblas_dtrsm") &&
        find(&calls.dtrsv, "cblas_dtrsv") && find(&calls.dtrmv, "cblas_dtrmv") && find(&calls.dpotrf, "dpotrf_") &&
        find(&get_threads, "openblas_get_num_threads") && find(&set_threads, "openblas_set_num_threads"))
        return true;
    snprintf(why, room, "it lacks functions of OpenBLAS");
    dlclose(library);
    library = NULL;
    return false;
}

/* OpenBLAS takes a buffer of 128 MiB for every thread that calls it, when it first does, and where there is no memory
 * for that it tries for ever; libgfortran, which comes with it, ends the process when there is none while it is loaded.
 * So we try before. */
static bool try_room(unsigned threads) {
    if (has_buffers) return true;
    size_t room = ((size_t)160 << 20) * (threads ? threads : sl_cores()) + ((size_t)(library ? 0 : 64) << 20);
    void *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) munmap(memory, room);
    return memory != MAP_FAILED;
}

static const sl_blas *refuse(sluice_error *err, bool room, const char *why) {
    if (!room)
        sl_fail(err, SLUICE_E_MEMORY, "no memory for OpenBLAS, which takes 160 MiB for every thread");
    else
        sl_fail(err, SLUICE_E_UNSUPPORTED,
                "OpenBLAS, which learns a batch with a full covariance, cannot be loaded (%s); install it (Debian: "
                "libopenblas0), or name the file in SLUICE_OPENBLAS",
                why);
    return NULL;
}

const sl_blas *sl_blas_begin(unsigned threads, sluice_error *err) {
    char why[200] = "";
    pthread_mutex_lock(&lock);
    bool room = try_room(threads), fine = room && load(why, sizeof why);
    if (fine && users++ == 0) {
        threads_before = get_threads();
        set_threads(1);
    }
    pthread_mutex_unlock(&lock);
    return fine ? &calls : refuse(err, room, why);
}

void sl_blas_end(bool called) {
    pthread_mutex_lock(&lock);
    has_buffers |= called;
    if (--users == 0) set_threads(threads_before);
    pthread_mutex_unlock(&lock);
}

#else

const sl_blas *sl_blas_begin(unsigned threads, sluice_error *err) {
    (void)threads;
    sl_fail(err, SLUICE_E_UNSUPPORTED,
            "this build is without OpenBLAS, which learns a batch with a full covariance (SLUICE_WITH_OPENBLAS)");
    return NULL;
}

void sl_blas_end(bool called) { (void)called; }

#endif
