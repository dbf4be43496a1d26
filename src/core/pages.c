/* Memory by the page. Under a sanitizer, plain calloc, so that it can watch the bounds. */
#include "core/pages.h"

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

/* From here on large pages: state of this size is read at random, and with small ones every read would miss the table
 * of pages too. A feature then costs 2 MiB at worst where it is alone, but such ids are not in a direct part of this
 * size. */
#define LARGE_PAGES_FROM ((size_t)64 << 20)

void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes) {
    void *block = old ? mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, new_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    if (new_bytes >= LARGE_PAGES_FROM) (void)madvise(block, new_bytes, MADV_HUGEPAGE); /* a wish, not a need */
    return block;
}

void sl_pages_free(void *block, size_t bytes) {
    if (block) munmap(block, bytes);
}

#else

void *sl_pages_resize(void *old, size_t old_bytes, size_t new_bytes) {
    char *block = calloc(1, new_bytes);
    if (!block) return NULL;
    if (old) memcpy(block, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(old);
    return block;
}

void sl_pages_free(void *block, size_t bytes) {
    (void)bytes;
    free(block);
}

#endif
