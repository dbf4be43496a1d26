/* Memory by the page. Under a sanitizer, calloc, so that it can watch the bounds; large blocks between pages. */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WATCHED 1
#endif
#endif

#if defined(__linux__) && !defined(WATCHED)
#include <sys/mman.h>
#include <unistd.h>

/* Small pages are enough below this; state that is read at random from more would miss the table of pages too. */
#define LARGE_PAGES_FROM ((size_t)4 << 20)
#define LARGE_PAGE ((size_t)2 << 20)

static void *map(size_t bytes) {
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

/* A block that begins where a large page can: the system would put it anywhere. */
static void *map_aligned(size_t bytes) {
    char *block = map(bytes + LARGE_PAGE);
    if (!block) return NULL;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)block & (LARGE_PAGE - 1),
           pages = (bytes + page - 1) & ~(page - 1);
    if (before) munmap(block, before);
    if (before + pages < bytes + LARGE_PAGE) munmap(block + before + pages, LARGE_PAGE - before);
    return block + before;
}

static void *wish(void *block, size_t bytes) {
    if (block) (void)madvise(block, bytes, MADV_HUGEPAGE); /* a wish, not a need */
    return block;
}

void *sl_pages_new(size_t bytes, bool dense) {
    if (!dense || bytes < LARGE_PAGES_FROM) return map(bytes);
    return wish(map_aligned(bytes), bytes);
}

/* To a new place that begins where a large page can, so that those it has stay whole; NULL: no room for that. */
static void *move_aligned(void *old, size_t old_bytes, size_t new_bytes) {
    void *to = map_aligned(new_bytes);
    if (!to) return NULL;
    void *block = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (block != MAP_FAILED) return block;
    munmap(to, new_bytes);
    return NULL;
}

void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes, bool dense) {
    if (!old) return sl_pages_new(new_bytes, dense);
    bool large = dense && new_bytes >= LARGE_PAGES_FROM, aligned = !((uintptr_t)old & (LARGE_PAGE - 1));
    void *block = MAP_FAILED;
    if (new_bytes <= old_bytes || !large || aligned) block = mremap(old, old_bytes, new_bytes, 0);
    if (block == MAP_FAILED && large) block = move_aligned(old, old_bytes, new_bytes);
    if (!block || block == MAP_FAILED) block = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (block == MAP_FAILED) return NULL;
    return large ? wish(block, new_bytes) : block;
}

void sl_pages_drop(void *part, size_t bytes) { (void)madvise(part, bytes, MADV_DONTNEED); }

void sl_pages_free(void *block, size_t bytes) {
    if (block) munmap(block, bytes);
}

#else

/* A sanitizer writes marks for every byte of a large calloc, touched or not, which takes most of the time of tests that
 * make and save many models: a block of this size is mapped instead and ends before a page that cannot be touched. */
#define GUARDED_FROM ((size_t)4 << 20)

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }
static size_t whole_pages(size_t bytes) { return (bytes + page() - 1) & ~(page() - 1); }

static void *guarded_new(size_t bytes) {
    size_t all = whole_pages(bytes);
    if (all < bytes || all > SIZE_MAX - page()) return NULL;
    char *block = mmap(NULL, all + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    if (mprotect(block + all, page(), PROT_NONE) != 0) return munmap(block, all + page()), NULL;
    return block + ((all - bytes) & ~(size_t)63);
}

static void guarded_free(void *block, size_t bytes) {
    munmap((char *)block - ((uintptr_t)block & (page() - 1)), whole_pages(bytes) + page());
}
#else
static void *guarded_new(size_t bytes) { return calloc(1, bytes); }
static void guarded_free(void *block, size_t bytes) {
    (void)bytes;
    free(block);
}
#endif

void *sl_pages_new(size_t bytes, bool dense) {
    (void)dense;
    return bytes < GUARDED_FROM ? calloc(1, bytes) : guarded_new(bytes);
}

void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes, bool dense) {
    char *block = sl_pages_new(new_bytes, dense);
    if (!block) return NULL;
    if (old) memcpy(block, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    sl_pages_free(old, old_bytes);
    return block;
}

void sl_pages_drop(void *part, size_t bytes) {
    (void)part;
    (void)bytes;
}

void sl_pages_free(void *block, size_t bytes) {
    if (block && bytes >= GUARDED_FROM)
        guarded_free(block, bytes);
    else
        free(block);
}

#endif
