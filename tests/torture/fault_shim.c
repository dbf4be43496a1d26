/* Preloaded into sluice by the torture tests: counts calls of the system, makes the k-th one fail, and keeps a log.
 *
 * SLUICE_FAULT         CLASS:K:EFFECT    the K-th call of CLASS has EFFECT; CLASS:K+:EFFECT: that one and all later
 * ones. CLASS is one of the names below. EFFECT is an error (EIO, ENOSPC, ...); `short` or `one`: half of the bytes, or
 * one, are read or written; `kill`, `term`, `int`: the process gets this signal before the call; `after`: SIGKILL after
 * it; `half`: SIGKILL when half of the bytes are written. SLUICE_FAULT_COUNTS  FILE   a file of the size of `struct
 * counts` that is filled in as calls are made. SLUICE_FAULT_LOG     FILE   changes to files are written here, in order
 * (power_failure.py reads it). SLUICE_FAULT_STOP    1      SIGTRAP where the first fault happens, so that a debugger
 * shows the place.
 *
 * The time stands still, so that what the program prints is always the same.
 *
 * The functions have the names of the C library's, which is enough for calls that other files make. Calls inside the C
 * library (stdio, the stacks of threads) do not go through the names: where the machine is known, the first
 * instructions of the library's own functions are replaced by a jump to those here. Of the dynamic loader, allocations
 * count, since it takes them from the program; its own calls of open, read and mmap do not. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum class {
    ALLOC,
    LOADING,
    OPEN,
    READ,
    WRITE,
    STDERR,
    SYNC,
    CLOSE,
    RENAME,
    UNLINK,
    FILEMAP,
    PIPE,
    THREAD,
    TRUNCATE,
    LOCK,
    STAT,
    DUP,
    MODE,
    SEEK,
    POLL,
    RANDOM,
    CLASSES
};
static const char *const names[CLASSES] = {"alloc", "loading", "open",   "read",    "write", "stderr", "sync",
                                           "close", "rename",  "unlink", "filemap", "pipe",  "thread", "truncate",
                                           "lock",  "stat",    "dup",    "mode",    "seek",  "poll",   "random"};

struct counts {
    uint64_t calls[CLASSES];
    uint64_t fired; /* faults that happened */
    char where[64]; /* the file that made the call of the first */
};

enum { FAILS, SHORT, ONE, SIGNAL, AFTER, HALF };
static const struct {
    const char *name;
    int kind, number;
} effects[] = {
    {"EIO", FAILS, EIO},       {"ENOSPC", FAILS, ENOSPC}, {"EINTR", FAILS, EINTR},   {"EMFILE", FAILS, EMFILE},
    {"ENOMEM", FAILS, ENOMEM}, {"EAGAIN", FAILS, EAGAIN}, {"ENOLCK", FAILS, ENOLCK}, {"EACCES", FAILS, EACCES},
    {"EPERM", FAILS, EPERM},   {"ENODEV", FAILS, ENODEV}, {"ENOSYS", FAILS, ENOSYS}, {"EDQUOT", FAILS, EDQUOT},
    {"short", SHORT, 0},       {"one", ONE, 0},           {"kill", SIGNAL, SIGKILL}, {"term", SIGNAL, SIGTERM},
    {"int", SIGNAL, SIGINT},   {"after", AFTER, 0},       {"half", HALF, 0},
};

static struct counts own, *counts = &own;
static bool on, stop, log_lock;
static int log_fd = -1;
static enum class chosen = CLASSES;
static uint64_t chosen_k;
static bool chosen_on; /* and all later ones */
static int effect, number;
static __thread bool inside
    __attribute__((tls_model("initial-exec"))); /* in the C library's allocator, or in the shim */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
/* where a sanitizer has its own allocator, that one stays in use */
#define SANITIZED(name) __interceptor_##name
extern void *SANITIZED(malloc)(size_t) __attribute__((weak));
extern void *SANITIZED(calloc)(size_t, size_t) __attribute__((weak));
extern void *SANITIZED(realloc)(void *, size_t) __attribute__((weak));
extern void *SANITIZED(memalign)(size_t, size_t) __attribute__((weak));
extern void SANITIZED(free)(void *) __attribute__((weak));

static void note_place(void *caller) {
    Dl_info info;
    inside = true;
    if (dladdr(caller, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        strncpy(counts->where, slash ? slash + 1 : info.dli_fname, sizeof counts->where - 1);
    }
    inside = false;
}

static bool happens(enum class class, void *caller) {
    if (!on || inside) return false;
    uint64_t k = __atomic_add_fetch(&counts->calls[class], 1, __ATOMIC_RELAXED);
    if (class != chosen || k < chosen_k || (k > chosen_k && !chosen_on)) return false;
    if (__atomic_fetch_add(&counts->fired, 1, __ATOMIC_RELAXED) == 0) {
        note_place(caller);
        if (stop) raise(SIGTRAP);
    }
    return true;
}

/* Whether the call fails; the other effects are for those that can have them. */
static bool fails(enum class class, void *caller, bool *kill_after) {
    if (!happens(class, caller)) return false;
    if (effect == SIGNAL) kill(getpid(), number);
    if (kill_after) *kill_after = effect == AFTER || effect == HALF;
    if (effect == FAILS) errno = number;
    return effect == FAILS;
}

static size_t part_of(size_t n) { return effect == ONE ? (n ? 1 : 0) : (n + 1) / 2; }

static void end_if(bool kill_now) {
    if (kill_now) kill(getpid(), SIGKILL);
}

#define CALLER __builtin_return_address(0)

/* the log: kind, descriptor, two numbers, the length of what follows, and that */
struct record {
    uint32_t kind;
    int32_t fd;
    int64_t a, b;
    uint64_t n;
};

static void log_put(const void *bytes, size_t n) {
    for (const char *p = bytes; n;) {
        ssize_t done = syscall(SYS_write, log_fd, p, n);
        if (done <= 0) return;
        p += done, n -= (size_t)done;
    }
}

static void log_begin(void) {
    if (log_fd >= 0)
        while (__atomic_test_and_set(&log_lock, __ATOMIC_ACQUIRE)) continue;
}

static void log_end(char kind, int fd, int64_t a, int64_t b, const void *bytes, size_t n) {
    if (log_fd < 0) return;
    int why = errno;
    if (kind) {
        struct record r = {(uint32_t)kind, fd, a, b, n};
        log_put(&r, sizeof r);
        log_put(bytes, n);
    }
    __atomic_clear(&log_lock, __ATOMIC_RELEASE);
    errno = why;
}

static void log_names(char kind, const char *from, const char *to) {
    char both[8192];
    size_t n = strlen(from) + 1, m = strlen(to) + 1;
    if (n + m > sizeof both) n = 0, m = 0;
    memcpy(both, from, n), memcpy(both + n, to, m);
    log_end(kind, -1, (int64_t)n, 0, both, n + m);
}

/* libraries that were loaded during the run */
static struct { uintptr_t from, to; } loaded[16];
static size_t n_loaded;
static __thread unsigned loading __attribute__((tls_model("initial-exec")));
static size_t objects_before, object;

static int count_object(struct dl_phdr_info *info, size_t size, void *n) {
    (void)info, (void)size;
    ++*(size_t *)n;
    return 0;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (object++ < objects_before) return 0;
    for (int i = 0; i < info->dlpi_phnum && n_loaded < sizeof loaded / sizeof *loaded; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        loaded[n_loaded].from = (uintptr_t)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        loaded[n_loaded].to = loaded[n_loaded].from + info->dlpi_phdr[i].p_memsz;
        n_loaded++;
    }
    return 0;
}

static void *(*real_dlopen)(const char *, int);

void *dlopen(const char *path, int flags) {
    if (!on) return real_dlopen(path, flags);
    size_t before = 0;
    dl_iterate_phdr(count_object, &before);
    loading++;
    void *library = real_dlopen(path, flags);
    loading--;
    objects_before = before, object = 0;
    if (library) dl_iterate_phdr(note_object, NULL);
    return library;
}

static bool of_loaded(void *caller) {
    for (size_t i = 0; i < n_loaded; i++)
        if ((uintptr_t)caller >= loaded[i].from && (uintptr_t)caller < loaded[i].to) return true;
    return loading > 0;
}

/* allocations */
static bool no_memory(void *caller) { return fails(of_loaded(caller) ? LOADING : ALLOC, caller, NULL); }

void *malloc(size_t n) {
    if (no_memory(CALLER)) return NULL;
    bool was = inside;
    inside = true;
    void *p = SANITIZED(malloc) ? SANITIZED(malloc)(n) : __libc_malloc(n);
    inside = was;
    return p;
}

void *calloc(size_t n, size_t size) {
    if (no_memory(CALLER)) return NULL;
    bool was = inside;
    inside = true;
    void *p = SANITIZED(calloc) ? SANITIZED(calloc)(n, size) : __libc_calloc(n, size);
    inside = was;
    return p;
}

void *realloc(void *old, size_t n) {
    if (no_memory(CALLER)) return NULL;
    bool was = inside;
    inside = true;
    void *p = SANITIZED(realloc) ? SANITIZED(realloc)(old, n) : __libc_realloc(old, n);
    inside = was;
    return p;
}

static void *aligned(size_t alignment, size_t n) {
    bool was = inside;
    inside = true;
    void *p = SANITIZED(memalign) ? SANITIZED(memalign)(alignment, n) : __libc_memalign(alignment, n);
    inside = was;
    return p;
}

void *memalign(size_t alignment, size_t n) { return no_memory(CALLER) ? NULL : aligned(alignment, n); }
void *aligned_alloc(size_t alignment, size_t n) { return no_memory(CALLER) ? NULL : aligned(alignment, n); }

int posix_memalign(void **to, size_t alignment, size_t n) {
    int why = errno;
    void *p = no_memory(CALLER) ? NULL : aligned(alignment, n);
    errno = why;
    if (p) *to = p;
    return p ? 0 : ENOMEM;
}

void free(void *p) {
    bool was = inside;
    inside = true;
    if (SANITIZED(free))
        SANITIZED(free)(p);
    else
        __libc_free(p);
    inside = was;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    if (flags & MAP_ANONYMOUS ? no_memory(CALLER) : fails(FILEMAP, CALLER, NULL)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

void *mremap(void *old, size_t old_n, size_t n, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    if (no_memory(CALLER)) return MAP_FAILED;
    return (void *)syscall(SYS_mremap, old, old_n, n, flags, to);
}

/* files */
static int open_at(int folder, const char *path, int flags, mode_t mode, void *caller) {
    bool end = false;
    if (fails(OPEN, caller, &end)) return -1;
    log_begin();
    bool created = log_fd >= 0 && flags & O_CREAT && syscall(SYS_faccessat, folder, path, F_OK) != 0;
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    log_end(fd < 0 ? 0 : 'o', fd, created, flags, path, strlen(path) + 1);
    end_if(end);
    return fd;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = mode_of(flags, arguments);                                                                       \
        va_end(arguments);                                                                                             \
        return open_at(AT_FDCWD, path, flags, mode, CALLER);                                                           \
    }
#define OPENS_AT(name)                                                                                                 \
    int name(int folder, const char *path, int flags, ...) {                                                           \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = mode_of(flags, arguments);                                                                       \
        va_end(arguments);                                                                                             \
        return open_at(folder, path, flags, mode, CALLER);                                                             \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t read(int fd, void *to, size_t n) {
    if (happens(READ, CALLER)) {
        if (effect == SIGNAL) kill(getpid(), number);
        if (effect == FAILS) return errno = number, -1;
        if (effect == SHORT || effect == ONE) n = part_of(n);
    }
    return syscall(SYS_read, fd, to, n);
}

ssize_t write(int fd, const void *from, size_t n) {
    bool now = happens(fd == STDERR_FILENO ? STDERR : WRITE, CALLER);
    if (now) {
        if (effect == SIGNAL) kill(getpid(), number);
        if (effect == FAILS) return errno = number, -1;
        if (effect == SHORT || effect == ONE || effect == HALF) n = part_of(n);
    }
    log_begin();
    int64_t at = log_fd >= 0 ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, fd, from, n);
    log_end(done <= 0 || at < 0 ? 0 : 'w', fd, at, done, from, done > 0 ? (size_t)done : 0);
    end_if(now && (effect == AFTER || effect == HALF));
    return done;
}

static int sync_with(long call, int fd, void *caller) {
    bool end = false;
    if (fails(SYNC, caller, &end)) return -1;
    log_begin();
    int status = (int)syscall(call, fd);
    log_end(status ? 0 : 's', fd, 0, 0, NULL, 0);
    end_if(end);
    return status;
}

int fsync(int fd) { return sync_with(SYS_fsync, fd, CALLER); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd, CALLER); }

/* What fails has closed the file all the same, as on Linux. */
int close(int fd) {
    bool end = false, failed = fails(CLOSE, CALLER, &end);
    log_begin();
    int why = errno, status = (int)syscall(SYS_close, fd);
    log_end('c', fd, 0, 0, NULL, 0);
    end_if(end);
    if (failed) errno = why;
    return failed ? -1 : status;
}

int rename(const char *from, const char *to) {
    bool end = false;
    if (fails(RENAME, CALLER, &end)) return -1;
    log_begin();
    int status = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (status)
        log_end(0, 0, 0, 0, NULL, 0);
    else
        log_names('r', from, to);
    end_if(end);
    return status;
}

int unlink(const char *path) {
    bool end = false;
    if (fails(UNLINK, CALLER, &end)) return -1;
    log_begin();
    int status = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    log_end(status ? 0 : 'u', -1, 0, 0, path, strlen(path) + 1);
    end_if(end);
    return status;
}

int ftruncate(int fd, off_t n) {
    bool end = false;
    if (fails(TRUNCATE, CALLER, &end)) return -1;
    log_begin();
    int status = (int)syscall(SYS_ftruncate, fd, n);
    log_end(status ? 0 : 't', fd, n, 0, NULL, 0);
    end_if(end);
    return status;
}

int posix_fallocate(int fd, off_t at, off_t n) {
    int why = errno;
    bool failed = fails(TRUNCATE, CALLER, NULL);
    int result = failed ? errno : syscall(SYS_fallocate, fd, 0, at, n) ? errno : 0;
    errno = why;
    return result;
}

int pipe2(int fds[2], int flags) { return fails(PIPE, CALLER, NULL) ? -1 : (int)syscall(SYS_pipe2, fds, flags); }
int flock(int fd, int how) { return fails(LOCK, CALLER, NULL) ? -1 : (int)syscall(SYS_flock, fd, how); }
int fchmod(int fd, mode_t mode) { return fails(MODE, CALLER, NULL) ? -1 : (int)syscall(SYS_fchmod, fd, mode); }
int fchown(int fd, uid_t u, gid_t g) { return fails(MODE, CALLER, NULL) ? -1 : (int)syscall(SYS_fchown, fd, u, g); }
off_t lseek(int fd, off_t at, int from) { return fails(SEEK, CALLER, NULL) ? -1 : syscall(SYS_lseek, fd, at, from); }
int dup(int fd) { return fails(DUP, CALLER, NULL) ? -1 : (int)syscall(SYS_dup, fd); }

static int stat_at(int folder, const char *path, struct stat *st, int flags, void *caller) {
    return fails(STAT, caller, NULL) ? -1 : (int)syscall(SYS_newfstatat, folder, path, st, flags);
}

int stat(const char *path, struct stat *st) { return stat_at(AT_FDCWD, path, st, 0, CALLER); }
int lstat(const char *path, struct stat *st) { return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW, CALLER); }
int fstat(int fd, struct stat *st) { return stat_at(fd, "", st, AT_EMPTY_PATH, CALLER); }

int poll(struct pollfd *fds, nfds_t n, int timeout) {
    struct timespec t = {timeout / 1000, timeout % 1000 * 1000000L};
    return fails(POLL, CALLER, NULL) ? -1 : (int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &t, NULL, 0);
}

ssize_t getrandom(void *to, size_t n, unsigned flags) {
    return fails(RANDOM, CALLER, NULL) ? -1 : syscall(SYS_getrandom, to, n, flags);
}

typedef int start_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static start_thread *real_pthread_create;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    int why = errno;
    bool failed = fails(THREAD, CALLER, NULL);
    errno = why;
    return failed ? number : real_pthread_create(thread, attributes, run, argument);
}

/* the time */
int clock_gettime(clockid_t clock, struct timespec *t) {
    (void)clock;
    *t = (struct timespec){1000000000, 0};
    return 0;
}

time_t time(time_t *t) {
    if (t) *t = 1000000000;
    return 1000000000;
}

/* A jump over the beginning of the C library's function. */
static void redirect(void *libc, const char *name, const void *to) {
    unsigned char *at = dlsym(libc, name);
    if (!at || (const void *)at == to) return;
#if defined(__x86_64__)
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov $to, %rax; jmp *%rax */
    memcpy(jump + 2, &to, sizeof to);
#elif defined(__aarch64__)
    uint32_t jump[4] = {0x58000050, 0xd61f0200}; /* ldr x16, 8; br x16 */
    memcpy(jump + 2, &to, sizeof to);
#else
    return;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & -page;
    size_t n = (uintptr_t)at + sizeof jump - from;
    if (syscall(SYS_mprotect, from, n, PROT_READ | PROT_WRITE | PROT_EXEC)) return;
    memcpy(at, jump, sizeof jump);
    syscall(SYS_mprotect, from, n, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)at, (char *)at + sizeof jump);
#endif
}

static void redirect_all(void) {
    static const char *const functions[] = {"open",  "openat", "read",   "write", "fsync",  "fdatasync",
                                            "close", "rename", "unlink", "mmap",  "mremap", "lseek"};
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (!libc) return;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        redirect(libc, functions[i], dlsym(RTLD_DEFAULT, functions[i]));
    dlclose(libc);
}

static void complain(const char *what, const char *value) {
    static const char name[] = "fault_shim: ";
    syscall(SYS_write, 2, name, sizeof name - 1);
    syscall(SYS_write, 2, what, strlen(what));
    syscall(SYS_write, 2, value, strlen(value));
    syscall(SYS_write, 2, "\n", 1);
    _exit(99);
}

static void choose_fault(const char *text) {
    const char *k = strchr(text, ':'), *what = k ? strchr(k + 1, ':') : NULL;
    if (!what) complain("not CLASS:K:EFFECT: ", text);
    for (int i = 0; i < CLASSES; i++)
        if (strlen(names[i]) == (size_t)(k - text) && !strncmp(names[i], text, (size_t)(k - text)))
            chosen = (enum class)i;
    if (chosen == CLASSES) complain("no such class: ", text);
    for (k++; *k >= '0' && *k <= '9'; k++) chosen_k = 10 * chosen_k + (uint64_t)(*k - '0');
    chosen_on = *k == '+';
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (!strcmp(effects[i].name, what + 1)) {
            effect = effects[i].kind, number = effects[i].number;
            return;
        }
    complain("no such effect: ", text);
}

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("SLUICE_FAULT"), *file = getenv("SLUICE_FAULT_COUNTS"),
               *log = getenv("SLUICE_FAULT_LOG");
    void *create = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real_pthread_create, &create, sizeof create);
    void *load = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real_dlopen, &load, sizeof load);
    stop = getenv("SLUICE_FAULT_STOP") != NULL;
    if (fault) choose_fault(fault);
    if (file) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
        void *at = fd < 0 ? MAP_FAILED
                          : (void *)syscall(SYS_mmap, NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED) complain("cannot be mapped: ", file);
        syscall(SYS_close, fd);
        counts = at;
    }
    if (log) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        log_fd = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 500);
        if (log_fd < 0) complain("cannot be written: ", log);
        syscall(SYS_close, fd);
    }
    unsetenv("LD_PRELOAD"); /* not for programs that it starts */
    redirect_all();
    on = true;
}
