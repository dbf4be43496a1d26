/* Sources: raw bytes (file descriptor, memory, function) -> codec, if the first bytes are those of one -> a few bytes
 * looked at in advance -> the caller. No layer waits for more than it needs, so that a live stream passes through as it
 * arrives. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/source/codec.h"
#include "io/source/source.h"

enum { RAW_ROOM = 1 << 17 };

struct sl_source {
    const char *name;
    int fd, wake; /* fd is -1 for memory and functions */
    bool close_fd, live;
    sluice_read_function read; /* NULL: fd or memory */
    void *context;
    const uint8_t *memory;
    size_t memory_n;
    bool more; /* memory: more may be pushed */
    _Atomic uint64_t *consumed;

    uint8_t *raw; /* bytes read but not yet decoded or handed out: raw[raw_at .. raw_n-1] */
    size_t raw_at, raw_n;
    bool raw_ended;
    uint8_t first[SL_CODEC_MAGIC]; /* `raw` of a plain stream: what was read to recognise it */

    const sl_codec *codec; /* NULL: plain */
    void *state;
    bool between; /* a compressed stream ended; another may follow */
    bool broken;  /* damage was found behind good bytes */

    uint8_t look[SL_SOURCE_LOOK];
    size_t look_at, look_n;
    uint64_t offset;
};

static sluice_status fail_errno(sluice_error *err, const char *name, const char *what) {
    return sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "%s: %s", what, strerror(errno));
}

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

static sluice_status facts_of(const struct stat *st, const char *name, sl_source_facts *facts, sluice_error *err) {
    if (S_ISDIR(st->st_mode)) return sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "is a directory");
    facts->live = !S_ISREG(st->st_mode);
    facts->size = S_ISREG(st->st_mode) && st->st_size > 0 ? (uint64_t)st->st_size : 0;
    return SLUICE_OK;
}

sluice_status sl_source_check_fd(int fd, const char *name, sl_source_facts *facts, sluice_error *err) {
    struct stat st;
    if (fstat(fd, &st) != 0) return fail_errno(err, name, "cannot be opened");
    sluice_status status = facts_of(&st, name, facts, err);
    off_t at = status == SLUICE_OK && !facts->live ? lseek(fd, 0, SEEK_CUR) : 0;
    if (at > 0) facts->size = (uint64_t)at < facts->size ? facts->size - (uint64_t)at : 0;
    return status;
}

sluice_status sl_source_check(const char *path, sl_source_facts *facts, sluice_error *err) {
    struct stat st;
    if (is_stdin(path)) return sl_source_check_fd(STDIN_FILENO, "<stdin>", facts, err);
    if (stat(path, &st) != 0) return fail_errno(err, path, "cannot be opened");
    sluice_status status = facts_of(&st, path, facts, err);
    if (status != SLUICE_OK || facts->live) return status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(err, path, "cannot be opened");
    close(fd);
    return SLUICE_OK;
}

/* Waits until a live input has bytes or `wake` is readable. */
static sluice_status wait_for_bytes(sl_source *s, sluice_error *err) {
    struct pollfd fds[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake, .events = POLLIN}};
    for (;;) {
        int n = poll(fds, s->wake < 0 ? 1 : 2, -1);
        if (n > 0) return s->wake >= 0 && fds[1].revents ? SLUICE_END : SLUICE_OK;
        if (n < 0 && errno != EINTR) return fail_errno(err, s->name, "cannot be read");
    }
}

static sluice_status read_fd(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err) {
    for (;;) {
        sluice_status status = s->live ? wait_for_bytes(s, err) : SLUICE_OK;
        if (status != SLUICE_OK) return status;
        ssize_t r = read(s->fd, to, n);
        if (r >= 0) {
            *got = (size_t)r;
            return SLUICE_OK;
        }
        if (errno == EINTR || (s->live && (errno == EAGAIN || errno == EWOULDBLOCK))) continue;
        return fail_errno(err, s->name, "cannot be read");
    }
}

static sluice_status read_function(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err) {
    ptrdiff_t r = s->read(s->context, to, n);
    if (r == SLUICE_READ_LATER) return SLUICE_END;
    if (r < 0) return sl_fail_at(err, SLUICE_E_IO, s->name, 0, 0, "cannot be read: the read function failed");
    if ((size_t)r > n)
        return sl_fail_at(err, SLUICE_E_USAGE, s->name, 0, 0,
                          "the read function returned %zu bytes, more than the %zu that it had room for", (size_t)r, n);
    *got = (size_t)r;
    return SLUICE_OK;
}

static sluice_status read_memory(sl_source *s, void *to, size_t n, size_t *got) {
    if (s->memory_n == 0 && s->more) return SLUICE_END;
    *got = n < s->memory_n ? n : s->memory_n;
    if (*got) memcpy(to, s->memory, *got), s->memory += *got;
    s->memory_n -= *got;
    return SLUICE_OK;
}

static sluice_status read_raw(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err) {
    *got = 0;
    if (s->raw_ended) return SLUICE_OK;
    sluice_status status = s->read      ? read_function(s, to, n, got, err)
                           : s->fd >= 0 ? read_fd(s, to, n, got, err)
                                        : read_memory(s, to, n, got);
    if (status != SLUICE_OK) return status;
    if (*got == 0) s->raw_ended = true;
    atomic_fetch_add_explicit(s->consumed, *got, memory_order_relaxed);
    return SLUICE_OK;
}

/* Looks at as few first bytes as it takes to know whether, and how, they are compressed. */
static sluice_status recognise(sl_source *s, sluice_error *err) {
    s->raw = s->first;
    for (;;) {
        bool perhaps = false;
        for (const sl_codec *c = sl_codecs; c->name; c++) {
            int match = c->match(s->first, s->raw_n);
            if (match == 1) s->codec = c;
            perhaps |= match < 0;
        }
        if (s->codec || !perhaps || s->raw_ended || s->raw_n == sizeof s->first) break;
        size_t got;
        sluice_status status = read_raw(s, s->first + s->raw_n, sizeof s->first - s->raw_n, &got, err);
        if (status != SLUICE_OK) {
            s->raw = NULL; /* not done: the next read goes on */
            return status;
        }
        s->raw_n += got;
    }
    if (!s->codec) return SLUICE_OK;
    if (!s->codec->open)
        return sl_fail_at(err, SLUICE_E_UNSUPPORTED, s->name, 0, 0,
                          "this build of sluice reads no %s files (built without %s)", s->codec->name,
                          s->codec->library);
    s->raw = malloc(RAW_ROOM);
    s->state = s->raw ? s->codec->open() : NULL;
    if (!s->state) return sl_fail_at(err, SLUICE_E_MEMORY, s->name, 0, 0, "no memory to decode %s", s->codec->name);
    memcpy(s->raw, s->first, s->raw_n);
    return SLUICE_OK;
}

void sl_source_take_as_is(sl_source *s) { s->raw = s->first; }

static sl_source *new_source(const char *name, _Atomic uint64_t *consumed, sluice_error *err) {
    sl_source *s = calloc(1, sizeof *s);
    if (!s) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory");
        return NULL;
    }
    s->name = name, s->consumed = consumed;
    s->fd = s->wake = -1;
    return s;
}

/* The source of a file descriptor, open or (negative) not: errno says why. */
static sl_source *with_fd(sl_source *s, int fd, sluice_error *err) {
    struct stat st;
    s->fd = fd;
    if (fd < 0 || fstat(fd, &st) != 0) {
        fail_errno(err, s->name, "cannot be opened");
    } else if (S_ISDIR(st.st_mode)) {
        sl_fail_at(err, SLUICE_E_IO, s->name, 0, 0, "is a directory");
    } else {
        s->live = !S_ISREG(st.st_mode);
        return s;
    }
    sl_source_close(s);
    return NULL;
}

sl_source *sl_source_open(const char *path, const char *name, int wake, _Atomic uint64_t *consumed, sluice_error *err) {
    if (is_stdin(path)) return sl_source_open_fd(STDIN_FILENO, name, wake, consumed, err);
    sl_source *s = new_source(name, consumed, err);
    if (!s) return NULL;
    s->wake = wake;
    s->close_fd = true;
    /* not blocking: opening a pipe without a writer must not wait; poll() waits for it */
    int fd;
    do fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    return with_fd(s, fd, err);
}

sl_source *sl_source_open_fd(int fd, const char *name, int wake, _Atomic uint64_t *consumed, sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (s) s->wake = wake;
    return s ? with_fd(s, fd, err) : NULL;
}

sl_source *sl_source_open_function(sluice_read_function read, void *context, const char *name,
                                   _Atomic uint64_t *consumed, sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (s) s->read = read, s->context = context, s->live = true;
    return s;
}

sl_source *sl_source_open_pushed(const char *name, _Atomic uint64_t *consumed, sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (s) s->live = s->more = true;
    return s;
}

void sl_source_push(sl_source *s, const void *bytes, size_t n) { s->memory = bytes, s->memory_n = n; }

size_t sl_source_pushed(const sl_source *s) { return s->memory_n; }

void sl_source_push_end(sl_source *s) { s->more = false; }

static void free_decoder(sl_source *s) {
    if (s->state) s->codec->close(s->state);
    if (s->raw != s->first) free(s->raw);
}

void sl_source_push_reset(sl_source *s) {
    free_decoder(s);
    *s = (sl_source){.name = s->name, .consumed = s->consumed, .fd = -1, .wake = -1, .live = true, .more = true};
}

sl_source *sl_source_open_memory(const void *bytes, size_t n, const char *name, _Atomic uint64_t *consumed,
                                 sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (s) s->memory = bytes, s->memory_n = n;
    return s;
}

void sl_source_close(sl_source *s) {
    if (!s) return;
    free_decoder(s);
    if (s->close_fd && s->fd >= 0) close(s->fd);
    free(s);
}

static sluice_status fill_raw(sl_source *s, sluice_error *err) {
    size_t got;
    s->raw_at = s->raw_n = 0;
    sluice_status status = read_raw(s, s->raw, RAW_ROOM, &got, err);
    s->raw_n = got;
    return status;
}

static sluice_status damaged(sl_source *s, sluice_error *err, const char *what) {
    return sl_fail_at(err, SLUICE_E_DATA, s->name, 0, 0, "%s %s", s->codec->name, what);
}

/* Begins the next compressed stream of the same file. *more is false at the end of the file. */
static sluice_status next_stream(sl_source *s, bool *more, sluice_error *err) {
    *more = false;
    for (;;) {
        size_t n = s->raw_n - s->raw_at;
        int match = n ? s->codec->match(s->raw + s->raw_at, n) : -1;
        if (match == 0 || (match < 0 && n && s->raw_ended))
            return damaged(s, err, "data is followed by bytes that do not belong to it");
        if (match == 1) break;
        if (s->raw_ended) return SLUICE_OK;
        memmove(s->raw, s->raw + s->raw_at, n);
        s->raw_at = 0, s->raw_n = n;
        size_t got;
        sluice_status status = read_raw(s, s->raw + n, RAW_ROOM - n, &got, err);
        if (status != SLUICE_OK) return status;
        s->raw_n += got;
    }
    if (!s->codec->restart(s->state)) return sl_fail_at(err, SLUICE_E_MEMORY, s->name, 0, 0, "no memory");
    s->between = false;
    *more = true;
    return SLUICE_OK;
}

static sluice_status read_decoded(sl_source *s, uint8_t *to, size_t n, size_t *got, sluice_error *err) {
    uint8_t *out = to;
    size_t room = n;
    *got = 0;
    while (room == n) {
        if (s->broken) return damaged(s, err, "data is damaged");
        if (s->between) {
            bool more;
            sluice_status status = next_stream(s, &more, err);
            if (status != SLUICE_OK || !more) return status;
        }
        if (s->raw_at == s->raw_n && !s->raw_ended) {
            sluice_status status = fill_raw(s, err);
            if (status != SLUICE_OK) return status;
        }
        const uint8_t *in = s->raw + s->raw_at;
        size_t in_n = s->raw_n - s->raw_at, before = in_n;
        sl_codec_result result = s->codec->step(s->state, &in, &in_n, s->raw_ended, &out, &room);
        s->raw_at = s->raw_n - in_n;
        switch (result) {
        case SL_CODEC_MORE:
            if (room == n && in_n == before && s->raw_ended) return damaged(s, err, "data ends in the middle");
            break;
        case SL_CODEC_END:
            s->between = true;
            break;
        case SL_CODEC_DAMAGED:
            s->broken = true; /* the bytes before the damage are handed out first */
            break;
        case SL_CODEC_LIMIT:
            return sl_fail_at(err, SLUICE_E_LIMIT, s->name, 0, 0,
                              "decoding this %s data takes more memory than is allowed", s->codec->name);
        case SL_CODEC_MEMORY:
            return sl_fail_at(err, SLUICE_E_MEMORY, s->name, 0, 0, "no memory");
        }
    }
    *got = n - room;
    return SLUICE_OK;
}

static sluice_status read_any(sl_source *s, uint8_t *to, size_t n, size_t *got, sluice_error *err) {
    *got = 0;
    if (!s->raw) {
        sluice_status status = recognise(s, err);
        if (status != SLUICE_OK) return status;
    }
    if (s->codec) return read_decoded(s, to, n, got, err);
    size_t kept = s->raw_n - s->raw_at;
    if (!kept) return read_raw(s, to, n, got, err);
    *got = kept < n ? kept : n;
    memcpy(to, s->raw + s->raw_at, *got);
    s->raw_at += *got;
    return SLUICE_OK;
}

sluice_status sl_source_begins(sl_source *s, const char *bytes, size_t n, bool *yes, sluice_error *err) {
    *yes = false;
    if (s->look_at) {
        memmove(s->look, s->look + s->look_at, s->look_n - s->look_at);
        s->look_n -= s->look_at, s->look_at = 0;
    }
    for (;;) {
        size_t common = s->look_n < n ? s->look_n : n, got;
        if (memcmp(s->look, bytes, common) != 0) return SLUICE_OK;
        if (common == n) break;
        sluice_status status = read_any(s, s->look + s->look_n, sizeof s->look - s->look_n, &got, err);
        if (status != SLUICE_OK || got == 0) return status;
        s->look_n += got;
    }
    *yes = true;
    return SLUICE_OK;
}

sluice_status sl_source_read(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    size_t kept = s->look_n - s->look_at;
    if (kept) {
        *got = kept < n ? kept : n;
        memcpy(to, s->look + s->look_at, *got);
        s->look_at += *got;
    } else {
        status = read_any(s, to, n, got, err);
    }
    s->offset += *got;
    return status;
}

uint64_t sl_source_offset(const sl_source *s) { return s->offset; }

bool sl_source_is_live(const sl_source *s) { return s->live; }

bool sl_source_is_ready(const sl_source *s) {
    const bool is_memory = s->fd < 0 && !s->read;
    return !s->codec && (s->look_n > s->look_at || s->raw_n > s->raw_at || s->memory_n || (is_memory && !s->more));
}

bool sl_source_is_compressed(const sl_source *s) { return s->codec != NULL; }
