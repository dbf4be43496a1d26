/* What not every build has: libraries for compression, and calls that glibc and musl have, macOS and others do not,
 * with what stands in for them. */
#ifndef SL_SYSTEM_H
#define SL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* Which libraries for compression the build has: 1 or 0; all of them where the build does not say. */
#ifndef SLUICE_HAVE_ZLIB
#define SLUICE_HAVE_ZLIB 1
#endif
#ifndef SLUICE_HAVE_ISAL /* in place of zlib: not where the build does not say */
#define SLUICE_HAVE_ISAL 0
#endif
#ifndef SLUICE_HAVE_ZSTD
#define SLUICE_HAVE_ZSTD 1
#endif
#ifndef SLUICE_HAVE_BZIP2
#define SLUICE_HAVE_BZIP2 1
#endif
#ifndef SLUICE_HAVE_LZMA
#define SLUICE_HAVE_LZMA 1
#endif

/* memrchr(): the last byte of this value among n, or NULL. */
const void *sl_find_last(const void *bytes, char byte, size_t n);
/* pipe2(ends, O_CLOEXEC). Where there is no pipe2() a program that another thread starts at that moment inherits the
 * pipe. On failure errno says why and the ends are unchanged. */
bool sl_pipe(int ends[2]);
/* Random bytes (at most 256) from the system, without waiting; false where there are none. */
bool sl_random(void *bytes, size_t n);

#endif
