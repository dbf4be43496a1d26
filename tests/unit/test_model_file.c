/* The file of a long run: who may write it, what a save needs, and what is left behind. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/file_lock.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

/* ---- flock() that fails when asked to, and is called after something else has happened ---- */

static int flock_error;            /* the next call fails with it */
static void (*before_flock)(void); /* called once */

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how) {
    if (before_flock) {
        void (*call)(void) = before_flock;
        before_flock = NULL;
        call();
    }
    if (!flock_error) return __real_flock(fd, how);
    errno = flock_error;
    flock_error = 0;
    return -1;
}

static char folder[64], path[128], lock_path[160];
static sluice_error err;

static size_t files(void) {
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static sluice_model *small_model(void) {
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    uint64_t ids[] = {3, 1ull << 40};
    float values[] = {1, 2};
    sluice_example x = {ids, values, 2, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    return m;
}

static void expect_model(const sluice_model *m) {
    void *want, *got;
    size_t want_n, got_n;
    sluice_model *loaded = sluice_model_load(path, &err);
    CHECK(loaded != NULL);
    sluice_model_bytes(m, &want, &want_n, NULL);
    sluice_model_bytes(loaded, &got, &got_n, NULL);
    CHECK(want_n == got_n && memcmp(want, got, got_n) == 0);
    sluice_free(want), sluice_free(got), sluice_model_free(loaded);
}

TEST(a_second_writer_is_told_so_until_the_first_has_closed) {
    sluice_model_file *f = sluice_model_file_open(path, &err), *g;
    CHECK(f && sluice_model_file_locked(f) && sluice_model_file_is_regular(f));
    CHECK_EQ(access(lock_path, F_OK), 0);
    for (int i = 0; i < 2; i++) { /* before the file exists, and after a save has replaced it */
        CHECK(sluice_model_file_open(path, &err) == NULL);
        CHECK_EQ(err.status, SLUICE_E_LOCKED);
        CHECK_STR(err.source, path);
        CHECK_HAS(err.message, "another run");
        sluice_model *m = small_model();
        CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
        expect_model(m);
        sluice_model_free(m);
    }
    CHECK_EQ(files(), 2);
    sluice_model_file_close(f);
    CHECK_EQ(files(), 1); /* the lock file is gone */
    g = sluice_model_file_open(path, &err);
    CHECK(g != NULL);
    sluice_model_file_close(g);
    sluice_model_file_close(NULL);
}

TEST(other_names_of_one_file_have_one_lock) {
    char link_path[160], detour[160];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    snprintf(detour, sizeof detour, "%s/../%s/file", folder, strrchr(folder, '/') + 1);
    CHECK_EQ(symlink("file", link_path), 0);
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK(sluice_model_file_open(link_path, &err) == NULL && err.status == SLUICE_E_LOCKED);
    CHECK(sluice_model_file_open(detour, &err) == NULL && err.status == SLUICE_E_LOCKED);
    sluice_model_file_close(f);
    unlink(link_path);
}

TEST(a_lock_ends_with_its_process_and_what_it_leaves_is_harmless) {
    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        sluice_model_file *f = sluice_model_file_open(path, NULL);
        if (!f || write(ready[1], "", 1) != 1) _exit(1);
        for (;;) pause();
    }
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    CHECK(sluice_model_file_open(path, &err) == NULL && err.status == SLUICE_E_LOCKED);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK_EQ(access(lock_path, F_OK), 0);
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK(f && sluice_model_file_locked(f));
    sluice_model_file_close(f);
    CHECK(access(lock_path, F_OK) != 0);
    close(ready[0]), close(ready[1]);
}

static void remove_lock_file(void) { unlink(lock_path); }

/* The holder removes the lock file between our open() and our flock(): that lock would keep nobody out. */
TEST(a_lock_on_a_file_that_was_removed_meanwhile_does_not_count) {
    before_flock = remove_lock_file;
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK(f != NULL && before_flock == NULL);
    CHECK_EQ(access(lock_path, F_OK), 0);
    CHECK(sluice_model_file_open(path, &err) == NULL && err.status == SLUICE_E_LOCKED);
    sluice_model_file_close(f);
}

TEST(a_file_system_without_locks_has_none_and_says_so) {
    static const int errors[] = {ENOSYS, EOPNOTSUPP, EINVAL, ENOLCK, EBADF};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        flock_error = errors[i];
        sluice_model_file *f = sluice_model_file_open(path, &err);
        CHECK(f && !sluice_model_file_locked(f) && sluice_model_file_is_regular(f));
        CHECK(access(lock_path, F_OK) != 0);
        sluice_model_file_close(f);
    }
    flock_error = EINTR; /* this is tried again */
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK(f && sluice_model_file_locked(f));
    sluice_model_file_close(f);
    flock_error = EIO;
    CHECK(sluice_model_file_open(path, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK_HAS(err.message, ".sluice-lock");
    unlink(lock_path);
}

TEST(what_stands_in_the_place_of_the_lock_file_is_not_followed) {
    CHECK_EQ(symlink("/tmp/sluice-no-such-file", lock_path), 0);
    CHECK(sluice_model_file_open(path, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK(access("/tmp/sluice-no-such-file", F_OK) != 0);
    unlink(lock_path);
}

TEST(names_as_long_as_names_can_be_are_locked) {
    char name[256], other[256], at[400], at_other[400];
    memset(name, 'n', 255), name[255] = 0;
    memcpy(other, name, sizeof other), other[254] = 'm';
    snprintf(at, sizeof at, "%s/%s", folder, name);
    snprintf(at_other, sizeof at_other, "%s/%s", folder, other);
    sluice_model_file *f = sluice_model_file_open(at, &err), *g = sluice_model_file_open(at_other, &err);
    CHECK(f && g && sluice_model_file_locked(f) && sluice_model_file_locked(g));
    CHECK(sluice_model_file_open(at, &err) == NULL && err.status == SLUICE_E_LOCKED);
    sluice_model_file_close(f), sluice_model_file_close(g);
}

TEST(what_a_killed_run_left_of_a_save_is_removed) {
    char left[160];
    snprintf(left, sizeof left, "%s/.file.sluice-new", folder);
    sluice_model *m = small_model();
    for (int i = 0; i < 2; i++) { /* left before, and while it is open */
        if (i == 0) close(open(left, O_WRONLY | O_CREAT, 0666));
        sluice_model_file *f = sluice_model_file_open(path, &err);
        CHECK(access(left, F_OK) != 0);
        if (i == 1) close(open(left, O_WRONLY | O_CREAT, 0666));
        CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
        expect_model(m);
        sluice_model_file_close(f);
        CHECK_EQ(files(), 1);
    }
    /* what cannot be removed is not used */
    CHECK_EQ(mkdir(left, 0700), 0);
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    expect_model(m);
    sluice_model_file_close(f);
    rmdir(left);
    CHECK_EQ(files(), 1);
    sluice_model_free(m);
}

TEST(what_is_written_in_place_has_no_lock) {
    sluice_model_file *f = sluice_model_file_open("/dev/null", &err), *g = sluice_model_file_open("/dev/null", &err);
    sluice_model *m = small_model();
    CHECK(f && g && !sluice_model_file_locked(f) && !sluice_model_file_is_regular(f));
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    sluice_model_file_close(f), sluice_model_file_close(g), sluice_model_free(m);
    CHECK(sluice_model_file_open(folder, &err) == NULL && err.status == SLUICE_E_IO);
    CHECK(sluice_model_file_open("/no/such/folder/m", &err) == NULL && err.status == SLUICE_E_IO);
}

TEST(no_save_needs_memory_once_the_file_is_open) {
    sluice_model *m =
        sluice_model_new("ssol", NULL, 0, &(sluice_settings){.size = sizeof(sluice_settings), .bias = 1}, NULL);
    for (uint64_t i = 0; i < 5000; i++) {
        float value = 1;
        sluice_example x = {&i, &value, 1, i % 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    sluice_model_file *f = sluice_model_file_open(path, &err);
    fail_allocation(1);
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    CHECK(!allocation_failed());
    expect_model(m);
    sluice_model_file_close(f);
    FOR_EACH_FAILED_ALLOCATION {
        f = sluice_model_file_open(path, &err);
        if (allocation_failed())
            CHECK(f == NULL && err.status == SLUICE_E_MEMORY);
        else
            CHECK(f != NULL);
        sluice_model_file_close(f);
        CHECK_EQ(files(), 1);
    }
    CHECK(allocations_failed > 5);
    sluice_model_free(m);
}

/* Large ids are sorted: in one list, or in several where there is no memory for one. */
TEST(models_with_large_ids_are_the_same_however_little_memory_there_is) {
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    uint64_t id = 1;
    for (int i = 0; i < 60000; i++) {
        float value = 1;
        id = id * 6364136223846793005u + 1442695040888963407u;
        sluice_example x = {&id, &value, 1, i % 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    expect_model(m);
    for (int failures = 1; failures <= 5; failures++) {
        fail_allocations(failures);
        sluice_status status = sluice_model_file_save(f, m);
        CHECK(allocation_failed());
        CHECK_EQ(status, failures < 5 ? SLUICE_OK : SLUICE_E_MEMORY);
        expect_model(m);
    }
    sluice_model_file_close(f);
    sluice_model_free(m);
}

TEST(a_save_that_fails_leaves_the_old_file_and_the_next_one_works) {
    sluice_model *m = small_model(), *bad = sluice_model_new("cs-ogd", NULL, 0, NULL, NULL);
    sluice_model_file *f = sluice_model_file_open(path, &err);
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    uint64_t id = 1;
    float value = 3e38f; /* its square is beyond the range */
    for (int i = 0; i < 4; i++) sluice_model_learn(bad, &(sluice_example){&id, &value, 1, i % 2 ? 1 : -1, 1}, NULL);
    CHECK_EQ(sluice_model_file_save(f, bad), SLUICE_E_NUMERIC);
    CHECK_EQ(sluice_model_file_error(f)->status, SLUICE_E_NUMERIC);
    expect_model(m);
    CHECK_EQ(files(), 2); /* the model and its lock */
    CHECK_EQ(sluice_model_file_save(f, m), SLUICE_OK);
    CHECK_EQ(sluice_model_file_error(f)->status, SLUICE_OK);
    sluice_model_file_close(f);
    sluice_model_free(m), sluice_model_free(bad);
}

int main(void) {
    strcpy(folder, "/tmp/sluice-model-file-XXXXXX");
    if (!mkdtemp(folder)) return 2;
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(lock_path, sizeof lock_path, "%s/.file.sluice-lock", folder);
    RUN(a_second_writer_is_told_so_until_the_first_has_closed);
    RUN(other_names_of_one_file_have_one_lock);
    RUN(a_lock_ends_with_its_process_and_what_it_leaves_is_harmless);
    RUN(a_lock_on_a_file_that_was_removed_meanwhile_does_not_count);
    RUN(a_file_system_without_locks_has_none_and_says_so);
    RUN(what_stands_in_the_place_of_the_lock_file_is_not_followed);
    RUN(names_as_long_as_names_can_be_are_locked);
    RUN(what_a_killed_run_left_of_a_save_is_removed);
    RUN(what_is_written_in_place_has_no_lock);
    RUN(no_save_needs_memory_once_the_file_is_open);
    RUN(models_with_large_ids_are_the_same_however_little_memory_there_is);
    RUN(a_save_that_fails_leaves_the_old_file_and_the_next_one_works);
    unlink(path);
    rmdir(folder);
    return DONE;
}
