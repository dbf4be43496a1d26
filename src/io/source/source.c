/* Sources: raw bytes (file descriptor or memory) -> codec, if the first bytes are those of one -> a few bytes looked at
 * in advance -> the caller. No layer waits for more than it needs, so that a live stream passes through as it arrives.
 */
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
    int fd, wake; /* fd is -1 for memory */
    bool close_fd, live;
    const uint8_t *memory;
    size_t memory_n;
    _Atomic uint64_t *consumed;

    uint8_t *raw; /* bytes read but not yet decoded or handed out: raw[raw_at .. raw_n-1] */
    size_t raw_at, raw_n;
    bool raw_ended;
    uint8_t first[SL_CODEC_MAGIC]; /* `raw` of a plain stream: what was read to recognise it */

    const sl_codec *codec; /* NULL: plain */
    void *state;
    bool between; /* a compressed stream ended; another may follow */
    bool broken;  /* damage was found behind bytes that are good */

    uint8_t look[SL_SOURCE_LOOK];
    size_t look_at, look_n;
    uint64_t offset;
};

static sluice_status fail_errno(sluice_error *err, const char *name, const char *what) {
    return sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "%s: %s", what, strerror(errno));
}

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

sluice_status sl_source_check(const char *path, sl_source_facts *facts, sluice_error *err) {
    struct stat st;
    const char *name = is_stdin(path) ? "<stdin>" : path;
    if ((is_stdin(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
        return fail_errno(err, name, "cannot be opened");
    if (S_ISDIR(st.st_mode)) return sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "is a directory");
    facts->live = !S_ISREG(st.st_mode);
    facts->size = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    if (is_stdin(path)) {
        off_t at = facts->live ? 0 : lseek(STDIN_FILENO, 0, SEEK_CUR);
        if (at > 0) facts->size = (uint64_t)at < facts->size ? facts->size - (uint64_t)at : 0;
    } else if (!facts->live) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) return fail_errno(err, name, "cannot be opened");
        close(fd);
    }
    return SLUICE_OK;
}

/* Waits until a live input has something or the wake-up call comes. */
static sluice_status wait_for_bytes(sl_source *s, sluice_error *err) {
    struct pollfd fds[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake, .events = POLLIN}};
    for (;;) {
        int n = poll(fds, s->wake < 0 ? 1 : 2, -1);
        if (n > 0) return s->wake >= 0 && fds[1].revents ? SLUICE_END : SLUICE_OK;
        if (n < 0 && errno != EINTR) return fail_errno(err, s->name, "cannot be read");
    }
}

static sluice_status read_raw(sl_source *s, void *to, size_t n, size_t *got, sluice_error *err) {
    *got = 0;
    if (s->raw_ended) return SLUICE_OK;
    if (s->fd < 0) {
        *got = n < s->memory_n ? n : s->memory_n;
        if (*got) memcpy(to, s->memory, *got), s->memory += *got;
        s->memory_n -= *got;
    } else {
        for (;;) {
            sluice_status status = s->live ? wait_for_bytes(s, err) : SLUICE_OK;
            if (status != SLUICE_OK) return status;
            ssize_t r = read(s->fd, to, n);
            if (r >= 0) {
                *got = (size_t)r;
                break;
            }
            if (errno == EINTR || (s->live && (errno == EAGAIN || errno == EWOULDBLOCK))) continue;
            return fail_errno(err, s->name, "cannot be read");
        }
    }
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
        if (status != SLUICE_OK) return status;
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

sl_source *sl_source_open(const char *path, const char *name, int wake, _Atomic uint64_t *consumed, sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (!s) return NULL;
    s->wake = wake;
    s->close_fd = !is_stdin(path);
    /* not blocking: opening a pipe that nobody writes to yet must not hang either; poll waits for it */
    do s->fd = s->close_fd ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
    while (s->fd < 0 && errno == EINTR);
    struct stat st;
    if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        fail_errno(err, name, "cannot be opened");
        sl_source_close(s);
        return NULL;
    }
    s->live = !S_ISREG(st.st_mode);
    if (S_ISDIR(st.st_mode)) {
        sl_fail_at(err, SLUICE_E_IO, name, 0, 0, "is a directory");
        sl_source_close(s);
        return NULL;
    }
    return s;
}

sl_source *sl_source_open_memory(const void *bytes, size_t n, const char *name, _Atomic uint64_t *consumed,
                                 sluice_error *err) {
    sl_source *s = new_source(name, consumed, err);
    if (s) s->memory = bytes, s->memory_n = n;
    return s;
}

void sl_source_close(sl_source *s) {
    if (!s) return;
    if (s->state) s->codec->close(s->state);
    if (s->raw != s->first) free(s->raw);
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

/* Goes from one compressed stream to the next in the same file. *more is false at the end of the file. */
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
            s->broken = true; /* what came before it is handed out first */
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

bool sl_source_is_compressed(const sl_source *s) { return s->codec != NULL; }
