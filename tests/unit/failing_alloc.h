/* Makes allocations of the library fail, one after the other, in tests.
 *
 *     FOR_EACH_FAILED_ALLOCATION {
 *         result = call();                  // its n-th allocation fails, n = 1, 2, 3, ...
 *         if (allocation_failed()) CHECK(result == SLUICE_E_MEMORY);
 *         else CHECK(result == SLUICE_OK);  // the last round: all allocations succeeded
 *     }
 *     CHECK(allocations_failed > 0);
 *
 * The test program is linked with --wrap for the functions below: its name stands in `failing_alloc_tests` in
 * tests/CMakeLists.txt. Allocations inside the C library (stdio, for instance) do not fail. */
#ifndef FAILING_ALLOC_H
#define FAILING_ALLOC_H

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

static atomic_long allocation_countdown; /* the allocation that takes it from 1 to 0 fails; 0 and below: none does */
static atomic_bool allocation_has_failed;
static size_t allocations_failed; /* in the last loop */

static atomic_long allocations_to_fail; /* of the next ones, for fail_allocations() */

static inline bool allocation_fails(void) {
    if (atomic_load(&allocations_to_fail) > 0 && atomic_fetch_sub(&allocations_to_fail, 1) > 0) {
        atomic_store(&allocation_has_failed, true);
        errno = ENOMEM;
        return true;
    }
    if (atomic_load(&allocation_countdown) <= 0 || atomic_fetch_sub(&allocation_countdown, 1) != 1) return false;
    atomic_store(&allocation_has_failed, true);
    errno = ENOMEM;
    return true;
}

/* The n-th allocation from now on fails, in whichever thread it happens; 0: none does. */
static inline void fail_allocation(long n) {
    atomic_store(&allocation_has_failed, false);
    atomic_store(&allocation_countdown, n);
}

/* The next n allocations fail. */
static inline void fail_allocations(long n) {
    fail_allocation(0);
    atomic_store(&allocations_to_fail, n);
}

/* Whether it came to that; from now on none fails. */
static inline bool allocation_failed(void) {
    atomic_store(&allocation_countdown, 0);
    atomic_store(&allocations_to_fail, 0);
    return atomic_load(&allocation_has_failed);
}

static inline bool next_failed_allocation(long n) {
    if (n > 1 && !allocation_failed()) return false;
    allocations_failed = (size_t)(n - 1);
    fail_allocation(n);
    return true;
}

#define FOR_EACH_FAILED_ALLOCATION for (long failing_n = 1; next_failed_allocation(failing_n); failing_n++)

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__real_realpath(const char *path, char *resolved);
void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__real_mremap(void *old, size_t old_n, size_t n, int flags, void *to);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
char *__wrap_realpath(const char *path, char *resolved);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mremap(void *old, size_t old_n, size_t n, int flags, ...);

void *__wrap_malloc(size_t n) { return allocation_fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return allocation_fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *old, size_t n) { return allocation_fails() ? NULL : __real_realloc(old, n); }
char *__wrap_strdup(const char *text) { return allocation_fails() ? NULL : __real_strdup(text); }
char *__wrap_strndup(const char *text, size_t n) { return allocation_fails() ? NULL : __real_strndup(text, n); }
char *__wrap_realpath(const char *path, char *resolved) {
    return allocation_fails() ? NULL : __real_realpath(path, resolved);
}
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    return allocation_fails() ? MAP_FAILED : __real_mmap(at, n, protection, flags, fd, offset);
}
void *__wrap_mremap(void *old, size_t old_n, size_t n, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    void *to = flags & 2 /* MREMAP_FIXED */ ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    return allocation_fails() ? MAP_FAILED : __real_mremap(old, old_n, n, flags, to);
}

#endif
