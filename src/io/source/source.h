/* A stream of bytes from a file, a file descriptor, memory, a function of the caller or bytes that are pushed,
 * decompressed where the content is compressed. */
#ifndef SL_SOURCE_H
#define SL_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sluice.h"

typedef struct sl_source sl_source;

/* What is known of an input before it is opened. */
typedef struct sl_source_facts {
    bool live;     /* no regular file: reading may wait */
    uint64_t size; /* bytes, of a regular file */
} sl_source_facts;

/* Whether a path ("-": standard input) can be read, without reading; a pipe is only looked at. */
sluice_status sl_source_check(const char *path, sl_source_facts *facts, sluice_error *err);
/* The same of a file descriptor. */
sluice_status sl_source_check_fd(int fd, const char *name, sl_source_facts *facts, sluice_error *err);

/* `name` stands in messages and must stay, as must the memory. `wake` is a file descriptor that becomes readable when a
 * read that waits on a live input is to give up, or -1. `consumed` counts the bytes taken from the file. */
sl_source *sl_source_open(const char *path, const char *name, int wake, _Atomic uint64_t *consumed, sluice_error *err);
/* From where the descriptor stands; it is not closed. */
sl_source *sl_source_open_fd(int fd, const char *name, int wake, _Atomic uint64_t *consumed, sluice_error *err);
sl_source *sl_source_open_function(sluice_read_function read, void *context, const char *name,
                                   _Atomic uint64_t *consumed, sluice_error *err);
sl_source *sl_source_open_memory(const void *bytes, size_t n, const char *name, _Atomic uint64_t *consumed,
                                 sluice_error *err);
void sl_source_close(sl_source *s);

/* A source of bytes that are pushed. Reads give SLUICE_END where none are left and more may come. */
sl_source *sl_source_open_pushed(const char *name, _Atomic uint64_t *consumed, sluice_error *err);
/* Gives it bytes, which must stay until they are read. Those before them are all read. */
void sl_source_push(sl_source *s, const void *bytes, size_t n);
/* Bytes pushed and not yet read. */
size_t sl_source_pushed(const sl_source *s);
/* No more bytes come. */
void sl_source_push_end(sl_source *s);
/* As if it were new. */
void sl_source_push_reset(sl_source *s);

/* Reads at least one byte and at most n, as many as are there without waiting; *got = 0 at the end. SLUICE_END when it
 * was woken, or when bytes are to be pushed. */
sluice_status sl_source_read(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err);
/* Before the first read: its bytes are not compressed, whatever they look like. */
void sl_source_take_as_is(sl_source *s);
/* Whether the next bytes are these (at most SL_SOURCE_LOOK); they are not consumed. Reads no more than it takes to
 * tell. */
enum { SL_SOURCE_LOOK = 16 };
sluice_status sl_source_begins(sl_source *s, const char *bytes, size_t n, bool *yes, sluice_error *err);
/* Bytes handed out so far. */
uint64_t sl_source_offset(const sl_source *s);
bool sl_source_is_live(const sl_source *s);
/* Whether it is plain and the next read certainly has bytes without waiting, or the end. */
bool sl_source_is_ready(const sl_source *s);
/* Known after the first read. */
bool sl_source_is_compressed(const sl_source *s);

#endif
