#include "core/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "core/error.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static sl_blas calls;
static int (*get_threads)(void);
static void (*set_threads)(int);
static unsigned users;     /* between begin and end */
static int threads_before; /* what the program had set */

/* Functions and data pointers are the same to dlsym(), not to C. */
static int find(void *to, const char *name) {
    void *address = dlsym(library, name);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

static int load(void) {
    if (library) return 1;
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    if (find(&calls.dgemm, "cblas_dgemm") && find(&calls.dsyrk, "cblas_dsyrk") && find(&calls.dtrsm, "cblas_dtrsm") &&
        find(&calls.dtrsv, "cblas_dtrsv") && find(&calls.dtrmv, "cblas_dtrmv") && find(&calls.dpotrf, "dpotrf_") &&
        find(&get_threads, "openblas_get_num_threads") && find(&set_threads, "openblas_set_num_threads"))
        return 1;
    dlclose(library);
    library = NULL;
    return 0;
}

const sl_blas *sl_blas_begin(sluice_error *err) {
    pthread_mutex_lock(&lock);
    int fine = load();
    if (fine && users++ == 0) {
        threads_before = get_threads();
        set_threads(1);
    }
    pthread_mutex_unlock(&lock);
    if (fine) return &calls;
    sl_fail(err, SLUICE_E_UNSUPPORTED,
            "OpenBLAS (libopenblas.so.0) is needed to learn with a dense matrix; install it (Debian: libopenblas0)");
    return NULL;
}

void sl_blas_end(void) {
    pthread_mutex_lock(&lock);
    if (--users == 0) set_threads(threads_before);
    pthread_mutex_unlock(&lock);
}
