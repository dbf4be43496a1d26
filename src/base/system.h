/* Calls that not every libc has (glibc and musl have them, macOS and others do not), and what stands in for them. */
#ifndef SL_SYSTEM_H
#define SL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* memrchr(): the last byte of this value among n, or NULL. */
const void *sl_find_last(const void *bytes, char byte, size_t n);
/* pipe2(ends, O_CLOEXEC). Where there is no pipe2() a program that another thread starts at that moment inherits the
 * pipe. On failure errno says why and the ends are unchanged. */
bool sl_pipe(int ends[2]);
/* Random bytes (at most 256) from the system, without waiting; false where there are none. */
bool sl_random(void *bytes, size_t n);

#endif
