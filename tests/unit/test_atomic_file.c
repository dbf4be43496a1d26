/* Files appear complete or not at all: the order of system calls, and what happens when each of them fails. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

/* ---- system calls that are recorded, and fail when asked to ---- */

static char calls[4096]; /* what the library called, ';' after each */

static struct {
    int write, fsync, close, rename, open_folder, exists; /* an errno: the next call fails with it; 0: none does */
    int fchown, stat;                                     /* likewise, but all calls fail */
    size_t stat_after;                                    /* so many calls of stat() succeed before */
    size_t times;                                         /* for `exists`: how often the call fails */
    size_t short_write;                                   /* bytes that a call of write() takes at most; 0: all */
    bool no_random, pretend;                              /* pretend: nothing really happens to files */
} next;

static void record(const char *call, const char *what) {
    size_t n = strlen(calls);
    snprintf(calls + n, sizeof calls - n, "%s%s%s;", call, *what ? " " : "", what);
}

static bool fails(int *error) {
    if (!*error) return false;
    errno = *error;
    *error = 0;
    return true;
}

/* The kind of file that a descriptor is. */
static const char *kind(int fd) {
    struct stat st;
    if (next.pretend) return "";
    if (fstat(fd, &st) != 0) return "closed";
    return S_ISDIR(st.st_mode) ? "folder" : S_ISREG(st.st_mode) ? "file" : "device";
}

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t n);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
bool __real_sl_random(void *bytes, size_t n);
int __real_fchown(int fd, uid_t owner, gid_t group);
int __real_fchmod(int fd, mode_t mode);
int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
bool __wrap_sl_random(void *bytes, size_t n);
int __wrap_fchown(int fd, uid_t owner, gid_t group);
int __wrap_fchmod(int fd, mode_t mode);

/* ---- what others may do with the temporary file at the moments when that changes ---- */

static mode_t created, owned; /* permissions that it was created with, and when its owner changed */
static mode_t changed;        /* what they were changed to; 0: they were not */

static mode_t mode_of(int fd) {
    struct stat st;
    CHECK_EQ(fstat(fd, &st), 0);
    return st.st_mode & 07777;
}

int __wrap_fchown(int fd, uid_t owner, gid_t group) {
    owned = mode_of(fd);
    if (!next.fchown) return __real_fchown(fd, owner, group);
    return errno = next.fchown, -1;
}

int __wrap_fchmod(int fd, mode_t mode) {
    changed = mode;
    return __real_fchmod(fd, mode);
}

int __wrap_stat(const char *file, struct stat *st) {
    if (!next.stat || (next.stat_after && next.stat_after--)) return __real_stat(file, st);
    return errno = next.stat, -1;
}

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
        created = mode;
    }
    record("open", flags & O_DIRECTORY ? path : flags & O_EXCL ? "temporary" : "in place");
    if (flags & O_DIRECTORY && fails(&next.open_folder)) return -1;
    if (flags & O_EXCL && next.exists) {
        if (next.times-- > 1) return errno = next.exists, -1;
        if (fails(&next.exists)) return -1;
    }
    return __real_open(next.pretend && !(flags & O_DIRECTORY) ? "/dev/null" : path,
                       flags & ~(next.pretend ? O_EXCL : 0), mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    record("write", kind(fd));
    if (fails(&next.write)) return -1;
    return __real_write(fd, bytes, next.short_write && n > next.short_write ? next.short_write : n);
}

int __wrap_fsync(int fd) {
    record("fsync", kind(fd));
    return fails(&next.fsync) ? -1 : next.pretend ? 0 : __real_fsync(fd);
}

int __wrap_close(int fd) {
    record("close", "");
    int result = __real_close(fd);
    return fails(&next.close) ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
    record("rename", "");
    if (next.pretend) return 0;
    return fails(&next.rename) ? -1 : __real_rename(from, to);
}

bool __wrap_sl_random(void *bytes, size_t n) { return !next.no_random && __real_sl_random(bytes, n); }

/* ---- */

static char folder[64], path[128];

static void expect_content(const char *want) {
    char got[64] = "";
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    if (!f) return;
    got[fread(got, 1, sizeof got - 1, f)] = 0;
    fclose(f);
    CHECK_STR(got, want);
}

/* All files in the folder, temporary ones too. */
static size_t files(void) {
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static struct stat facts(void) {
    struct stat st = {0};
    CHECK_EQ(stat(path, &st), 0);
    return st;
}

static sluice_status put(const char *text, sluice_error *err) {
    *calls = 0;
    return sluice_write_file(path, text, strlen(text), err);
}

TEST(a_file_is_synced_before_it_is_renamed_and_its_folder_after) {
    char want[256];
    snprintf(want, sizeof want, "open temporary;write file;fsync file;close;rename;open %s;fsync folder;close;",
             folder);
    CHECK_EQ(put("new", NULL), SLUICE_OK);
    CHECK_STR(calls, want);
    CHECK_EQ(put("newer", NULL), SLUICE_OK); /* and when there is an old file */
    CHECK_STR(calls, want);
    expect_content("newer");
}

TEST(the_folder_of_a_name_without_one_is_the_current_one_and_the_root_is_a_folder) {
    next.pretend = true;
    *calls = 0;
    CHECK_EQ(sluice_write_file("no-such-file-here", "x", 1, NULL), SLUICE_OK);
    CHECK_HAS(calls, "rename;open .;");
    *calls = 0;
    CHECK_EQ(sluice_write_file("/no-such-file-here", "x", 1, NULL), SLUICE_OK);
    CHECK_HAS(calls, "rename;open /;");
    next.pretend = false;
}

TEST(a_call_that_fails_leaves_the_old_file_and_nothing_else) {
    CHECK_EQ(put("old", NULL), SLUICE_OK);
    int *which[] = {&next.write, &next.fsync, &next.close, &next.rename};
    const char *message[] = {"cannot write: ", "cannot write: ", "cannot write: ", "cannot rename onto it: "};
    for (size_t i = 0; i < 4; i++) {
        sluice_error err = {0};
        *which[i] = EIO;
        CHECK_EQ(put("new", &err), SLUICE_E_IO);
        CHECK_EQ(*which[i], 0);
        CHECK_EQ(err.status, SLUICE_E_IO);
        CHECK_STR(err.source, path);
        CHECK_HAS(err.message, message[i]);
        CHECK_HAS(err.message, strerror(EIO));
        CHECK(i == 3 || !strstr(calls, "rename"));
        expect_content("old");
        CHECK_EQ(files(), 1);
    }
    next.fsync = EINVAL; /* a regular file that cannot be synced is not saved */
    CHECK_EQ(put("new", NULL), SLUICE_E_IO);
    next.fsync = next.close = EIO; /* the first error is the one that is reported */
    CHECK_EQ(put("new", NULL), SLUICE_E_IO);
    expect_content("old");
    CHECK_EQ(files(), 1);
}

TEST(a_file_that_may_exist_is_not_replaced_as_if_it_did_not) {
    CHECK_EQ(put("old", NULL), SLUICE_OK);
    CHECK_EQ(chmod(path, 0640), 0);
    for (size_t i = 0; i < 2; i++) { /* before anything is written, and when writing begins */
        sluice_error err = {0};
        next.stat = EIO;
        next.stat_after = i;
        CHECK_EQ(put("new", &err), SLUICE_E_IO);
        CHECK_STR(err.source, path);
        CHECK_HAS(err.message, strerror(EIO));
        next.stat = 0;
        expect_content("old");
        CHECK_EQ(facts().st_mode & 07777, 0640);
        CHECK_EQ(files(), 1);
    }
}

TEST(a_folder_that_cannot_be_synced_is_no_error) {
    next.open_folder = EACCES;
    CHECK_EQ(put("a", NULL), SLUICE_OK);
    CHECK_EQ(next.open_folder, 0);
    expect_content("a");
}

TEST(interrupted_and_partial_writes_go_on) {
    next.short_write = 3;
    next.write = EINTR;
    CHECK_EQ(put("twelve bytes", NULL), SLUICE_OK);
    next.short_write = 0;
    expect_content("twelve bytes");
}

TEST(a_temporary_name_that_is_taken_is_not_used) {
    next.exists = EEXIST;
    next.times = 7;
    CHECK_EQ(put("a", NULL), SLUICE_OK);
    CHECK_HAS(calls, "open temporary;open temporary;");
    next.exists = EEXIST;
    next.times = 1000;
    sluice_error err = {0};
    CHECK_EQ(put("a", &err), SLUICE_E_IO); /* it gives up some time */
    CHECK_HAS(err.message, strerror(EEXIST));
    next.exists = EACCES;
    next.times = 1;
    CHECK_EQ(put("a", &err), SLUICE_E_IO);
    CHECK_HAS(err.message, strerror(EACCES));
    CHECK_STR(calls, "open temporary;");
    next.no_random = true; /* then names are numbered */
    CHECK_EQ(put("b", NULL), SLUICE_OK);
    next.no_random = false;
    expect_content("b");
}

TEST(a_device_that_cannot_be_synced_is_written_all_the_same) {
    const int harmless[] = {EINVAL, EROFS, ENOTSUP};
    for (size_t i = 0; i < 3; i++) {
        next.fsync = harmless[i];
        *calls = 0;
        CHECK_EQ(sluice_write_file("/dev/null", "x", 1, NULL), SLUICE_OK);
        CHECK_STR(calls, "open in place;write device;fsync device;close;");
    }
    next.fsync = EIO;
    sluice_error err = {0};
    CHECK_EQ(sluice_write_file("/dev/null", "x", 1, &err), SLUICE_E_IO);
    CHECK_STR(err.source, "/dev/null");
    sl_atomic *f = sl_atomic_open("/dev/null", NULL);
    sl_atomic_abandon(f); /* does not remove it */
    CHECK_EQ(access("/dev/null", F_OK), 0);
    sl_atomic_abandon(NULL);
}

/* Runs with standard output going to `path`, or closed. */
static sluice_status with_output(const char *to, bool closed) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), out = __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(__real_write(STDOUT_FILENO, "before ", 7) == 7);
    if (closed) __real_close(STDOUT_FILENO);
    *calls = 0;
    sluice_status status = sluice_write_file(to, "after", 5, NULL);
    dup2(kept, STDOUT_FILENO);
    __real_close(kept);
    __real_close(out);
    return status;
}

TEST(standard_output_is_written_in_place_under_any_name) {
    CHECK_EQ(with_output("-", false), SLUICE_OK);
    expect_content("before after");
    CHECK_EQ(with_output(path, false), SLUICE_OK);
    expect_content("before after");
    CHECK(!strstr(calls, "rename"));
    CHECK_EQ(with_output("-", true), SLUICE_E_IO);
    CHECK_EQ(with_output(path, true), SLUICE_OK); /* then it is a file like any other */
    expect_content("after");
    next.fsync = EIO;
    CHECK_EQ(with_output("-", false), SLUICE_E_IO);
}

TEST(memory_that_runs_out_leaves_the_old_file) {
    FOR_EACH_FAILED_ALLOCATION {
        fail_allocation(0);
        CHECK_EQ(put("old", NULL), SLUICE_OK);
        fail_allocation(failing_n);
        sluice_error err = {0};
        sluice_status status = put("new", &err);
        if (allocation_failed() && status != SLUICE_OK) CHECK_EQ(status, SLUICE_E_MEMORY);
        expect_content(status == SLUICE_OK ? "new" : "old");
        CHECK_EQ(files(), 1);
    }
    CHECK_EQ(allocations_failed, 4);
    unlink(path);
    FOR_EACH_FAILED_ALLOCATION {
        fail_allocation(0);
        unlink(path);
        fail_allocation(failing_n);
        sluice_status status = put("new", NULL);
        if (allocation_failed() && status != SLUICE_OK) CHECK_EQ(status, SLUICE_E_MEMORY);
        CHECK_EQ(files(), status == SLUICE_OK);
    }
    CHECK_EQ(allocations_failed, 4);
}

TEST(the_temporary_file_is_never_more_readable_than_the_file_it_replaces) {
    static const mode_t modes[] = {0600, 0400, 0640, 0644, 0660};
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(put("old", NULL), SLUICE_OK);
        CHECK_EQ(chmod(path, modes[i]), 0);
        changed = 0;
        CHECK_EQ(put("new", NULL), SLUICE_OK);
        CHECK_EQ(created, 0600);
        CHECK_EQ(changed, modes[i]);
        CHECK_EQ(facts().st_mode & 07777, modes[i]);
    }
    unlink(path);
    mode_t mask = umask(027);
    CHECK_EQ(put("new", NULL), SLUICE_OK); /* a new file has the permissions that all new files have */
    CHECK_EQ(created, 0666);
    CHECK_EQ(facts().st_mode & 07777, 0640);
    umask(mask);
}

/* Only root can give files away. */
TEST(owner_and_group_are_kept_and_rights_not_widened_where_they_cannot_be) {
    if (geteuid() != 0) return;
    CHECK_EQ(put("old", NULL), SLUICE_OK);
    CHECK_EQ(chown(path, 1234, 2345), 0);
    CHECK_EQ(chmod(path, 0640), 0);
    CHECK_EQ(put("new", NULL), SLUICE_OK);
    struct stat st = facts();
    CHECK_EQ(st.st_uid, 1234);
    CHECK_EQ(st.st_gid, 2345);
    CHECK_EQ(st.st_mode & 07777, 0640);
    CHECK_EQ(owned, 0600);
    /* of another group now: its members were among all others, and may do what those may */
    static const mode_t before[] = {0640, 0664, 0644, 0666, 06755}, after[] = {0600, 0644, 0644, 0666, 0755};
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(chown(path, 1234, 2345), 0);
        CHECK_EQ(chmod(path, before[i]), 0);
        next.fchown = EPERM;
        CHECK_EQ(put("new", NULL), SLUICE_OK);
        next.fchown = 0;
        CHECK_EQ(facts().st_uid, geteuid());
        CHECK_EQ(facts().st_mode & 07777, after[i]);
    }
    unlink(path);
}

TEST(a_file_is_written_again_and_again_without_further_memory) {
    unlink(path);
    sl_atomic *f = sl_atomic_new(path, NULL);
    CHECK_STR(sl_atomic_path(f), path);
    CHECK_EQ(files(), 0);
    fail_allocation(1);
    for (int i = 0; i < 3; i++) {
        sluice_error err = {0};
        char text[2] = {(char)('a' + i), 0};
        CHECK_EQ(sl_atomic_begin(f, &err), SLUICE_OK);
        CHECK_EQ(sl_atomic_write(f, "lost", 4, &err), SLUICE_OK);
        CHECK_EQ(files(), i ? 2 : 1);
        sl_atomic_drop(f);
        CHECK_EQ(files(), i ? 1 : 0);
        CHECK_EQ(sl_atomic_begin(f, &err), SLUICE_OK);
        CHECK_EQ(sl_atomic_write(f, text, 1, &err), SLUICE_OK);
        CHECK_EQ(sl_atomic_finish(f, &err), SLUICE_OK);
        sl_atomic_drop(f); /* nothing is being written */
        expect_content(text);
    }
    CHECK(!allocation_failed());
    sl_atomic_begin(f, NULL);
    CHECK_EQ(files(), 2);
    sl_atomic_free(f);
    CHECK_EQ(files(), 1);
    CHECK(sl_atomic_path(f = sl_atomic_new("/dev/null", NULL)) == NULL);
    sl_atomic_free(f);
    f = sl_atomic_new(path, NULL);
    unlink(path);
    CHECK_EQ(mkdir(path, 0700), 0); /* somebody else's doing */
    sluice_error err = {0};
    CHECK_EQ(sl_atomic_begin(f, &err), SLUICE_E_IO);
    CHECK_HAS(err.message, strerror(EISDIR));
    sl_atomic_free(f);
    rmdir(path);
}

TEST(calls_that_a_signal_interrupts_are_made_again) {
    CHECK_EQ(put("old", NULL), SLUICE_OK);
    next.exists = next.fsync = next.close = EINTR;
    next.times = 1;
    CHECK_EQ(put("new", NULL), SLUICE_OK);
    CHECK_EQ(next.exists | next.fsync | next.close, 0);
    expect_content("new");
    CHECK_EQ(files(), 1);
}

int main(void) {
    strcpy(folder, "/tmp/sluice-atomic-XXXXXX");
    if (!mkdtemp(folder)) return 2;
    snprintf(path, sizeof path, "%s/file", folder);
    RUN(a_file_is_synced_before_it_is_renamed_and_its_folder_after);
    RUN(the_folder_of_a_name_without_one_is_the_current_one_and_the_root_is_a_folder);
    RUN(a_call_that_fails_leaves_the_old_file_and_nothing_else);
    RUN(a_file_that_may_exist_is_not_replaced_as_if_it_did_not);
    RUN(a_folder_that_cannot_be_synced_is_no_error);
    RUN(interrupted_and_partial_writes_go_on);
    RUN(a_temporary_name_that_is_taken_is_not_used);
    RUN(a_device_that_cannot_be_synced_is_written_all_the_same);
    RUN(standard_output_is_written_in_place_under_any_name);
    RUN(memory_that_runs_out_leaves_the_old_file);
    RUN(the_temporary_file_is_never_more_readable_than_the_file_it_replaces);
    RUN(owner_and_group_are_kept_and_rights_not_widened_where_they_cannot_be);
    RUN(a_file_is_written_again_and_again_without_further_memory);
    RUN(calls_that_a_signal_interrupts_are_made_again);
    unlink(path);
    rmdir(folder);
    return DONE;
}
