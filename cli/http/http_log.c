/* Writes the access log. */
#include "http/http_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MUCH = 1 << 16, MOST_PATH = 1024 };

struct http_log {
    const char *path;
    int fd, failed; /* the last write failed; it was said once */
    pthread_mutex_t lock;
    text_buffer lines;
};

static int open_file(const char *path) {
    if (!strcmp(path, "-")) return dup(STDERR_FILENO);
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

int http_log_open(http_log **log, const char *path) {
    *log = NULL;
    if (!path) return DONE;
    http_log *l = calloc(1, sizeof *l);
    if (!l) return out_of_memory();
    l->path = path;
    l->fd = open_file(path);
    if (l->fd < 0) {
        complain("cannot write the access log %s: %s", path, strerror(errno));
        free(l);
        return FAILED;
    }
    pthread_mutex_init(&l->lock, NULL);
    *log = l;
    return DONE;
}

static void write_lines(http_log *l) {
    size_t done = 0;
    while (done < l->lines.n) {
        const ssize_t n = write(l->fd, l->lines.text + done, l->lines.n - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (!l->failed) warning("cannot write the access log %s: %s; lines are lost", l->path, strerror(errno));
            l->failed = 1;
            break;
        }
        done += (size_t)n;
        l->failed = 0;
    }
    text_clear(&l->lines);
}

void http_log_close(http_log *l) {
    if (!l) return;
    write_lines(l);
    close(l->fd);
    pthread_mutex_destroy(&l->lock);
    text_free(&l->lines);
    free(l);
}

void http_log_write(http_log *l) {
    if (!l) return;
    pthread_mutex_lock(&l->lock);
    write_lines(l);
    struct stat now, there;
    if (strcmp(l->path, "-") != 0 && fstat(l->fd, &now) == 0 && S_ISREG(now.st_mode) &&
        (stat(l->path, &there) != 0 || there.st_ino != now.st_ino || there.st_dev != now.st_dev)) {
        const int fd = open_file(l->path);
        if (fd >= 0) {
            close(l->fd);
            l->fd = fd;
        }
    }
    pthread_mutex_unlock(&l->lock);
}

static void put_text(text_buffer *t, const char *key, const char *text) {
    const size_t n = strlen(text);
    text_json_key(t, key);
    text_json_string(t, text, n < MOST_PATH ? n : MOST_PATH);
}

static void put_count(text_buffer *t, const char *key, uint64_t n) {
    text_json_key(t, key);
    text_count(t, n);
}

void http_log_add(http_log *l, const http_request *r, const char *address, unsigned status, uint64_t came,
                  uint64_t bytes, double seconds) {
    struct timespec now;
    struct tm day;
    char when[64];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &day);
    const size_t n = strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &day);
    snprintf(when + n, sizeof when - n, ".%03ldZ", now.tv_nsec / 1000000);

    pthread_mutex_lock(&l->lock);
    text_buffer *t = &l->lines;
    const size_t before = t->n;
    text_char(t, '{');
    put_text(t, "time", when);
    put_text(t, "address", address);
    put_text(t, "method", r->method ? r->method : "");
    put_text(t, "path", r->path ? r->path : "");
    if (r->route) put_text(t, "route", r->route->name);
    put_count(t, "status", status);
    put_count(t, "bytes_in", came);
    put_count(t, "bytes", bytes);
    text_json_key(t, "seconds");
    text_format(t, "%.6f", seconds);
    if (r->model) put_text(t, "model", r->model);
    if (r->rows) put_count(t, "rows", r->rows);
    text_put(t, "}\n");
    if (t->failed) {
        t->n = before;
        t->failed = 0;
    }
    if (t->n >= MUCH) write_lines(l);
    pthread_mutex_unlock(&l->lock);
}
