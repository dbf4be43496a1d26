/* Text that is written through a stream and kept in memory. */
#include "output/memory_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Room for n more bytes and a NUL. */
static int reserve(memory_text *m, size_t n) {
    if (n < m->room - m->n) return 1;
    size_t room = m->room * 2 > m->n + n + 1 ? m->room * 2 : m->n + n + 1;
    char *larger = realloc(m->text, room);
    if (!larger) return 0;
    m->text = larger;
    m->room = room;
    return 1;
}

/* Once something is missing nothing more is taken: the text has no holes. */
static size_t append(memory_text *m, const char *bytes, size_t n) {
    if (m->failed || !reserve(m, n)) {
        m->failed = 1;
        return 0;
    }
    memcpy(m->text + m->n, bytes, n);
    m->n += n;
    return n;
}

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
static int put(void *context, const char *bytes, int n) { return (int)append(context, bytes, (size_t)n); }
static FILE *open_stream(memory_text *m) { return funopen(m, NULL, put, NULL, NULL); }
#else
static ssize_t put(void *context, const char *bytes, size_t n) { return (ssize_t)append(context, bytes, n); }
static FILE *open_stream(memory_text *m) { return fopencookie(m, "w", (cookie_io_functions_t){.write = put}); }
#endif

FILE *memory_text_open(memory_text *m) {
    *m = (memory_text){0};
    m->out = open_stream(m);
    return m->out;
}

char *memory_text_close(memory_text *m, size_t *n) {
    m->failed |= fflush(m->out) != 0 || ferror(m->out);
    m->failed |= fclose(m->out) != 0;
    m->failed |= !reserve(m, 0);
    if (m->failed) {
        free(m->text);
        return NULL;
    }
    m->text[m->n] = 0;
    if (n) *n = m->n;
    return m->text;
}
