/* Saving and loading models: files, memory, functions. What a model file may hold is in test_model_format.c. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "unit/model_bytes.h"

static char folder[64];

static const char *in_folder(const char *name) {
    static char path[4][128];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static size_t files_in_folder(void) {
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static double some_margin(const sluice_model *m) {
    uint64_t ids[] = {1, 300, 5000000001u};
    float values[] = {1, 1, 1};
    sluice_example x = {ids, values, 3, 1, 1};
    double margin = NAN;
    sluice_model_margin(m, &x, &margin, NULL);
    return margin;
}

TEST(what_is_saved_is_loaded) {
    sluice_model *m = small_model("pa-1", 9);
    CHECK_EQ(sluice_model_save(m, in_folder("a"), NULL), SLUICE_OK);
    sluice_model *back = sluice_model_load(in_folder("a"), NULL);
    CHECK(back && some_margin(back) == some_margin(m) && some_margin(m) != 0);
    CHECK_EQ(files_in_folder(), 1); /* no temporary file stays */
    sluice_model_free(m);
    sluice_model_free(back);
}

TEST(saving_follows_links_keeps_permissions_and_leaves_devices_alone) {
    sluice_model *m = small_model("pa-1", 3);
    CHECK_EQ(sluice_model_save(m, in_folder("real"), NULL), SLUICE_OK);
    CHECK_EQ(chmod(in_folder("real"), 0640), 0);
    CHECK_EQ(symlink("real", in_folder("link")), 0);
    CHECK_EQ(sluice_model_save(m, in_folder("link"), NULL), SLUICE_OK);
    struct stat st;
    CHECK(lstat(in_folder("link"), &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(stat(in_folder("real"), &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK_EQ(symlink("nowhere", in_folder("dangling")), 0);
    sluice_error err = {0};
    CHECK_EQ(sluice_model_save(m, in_folder("dangling"), &err), SLUICE_E_IO);
    CHECK_HAS(err.message, "link");
    char longest[256] = {0};
    memset(longest, 'x', 255); /* as long as names may be: the temporary file must not need more */
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, longest);
    CHECK_EQ(sluice_model_save(m, path, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_save(m, "/dev/null", NULL), SLUICE_OK);
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK_EQ(sluice_model_save(m, "/dev/full", &err), SLUICE_E_IO);
    CHECK_STR(err.source, "/dev/full");
    CHECK_HAS(err.message, strerror(ENOSPC));
    CHECK_EQ(sluice_model_save(m, folder, NULL), SLUICE_E_IO);
    CHECK_EQ(sluice_model_save(m, in_folder("no/such/folder"), NULL), SLUICE_E_IO);
    sluice_model_free(m);
}

TEST(a_model_that_cannot_be_saved_leaves_the_old_file) {
    sluice_model *m = small_model("pa-1", 4);
    CHECK_EQ(sluice_model_save(m, in_folder("kept"), NULL), SLUICE_OK);
    size_t before = files_in_folder();
    m->broken = true;
    CHECK_EQ(sluice_model_save(m, in_folder("kept"), NULL), SLUICE_E_NUMERIC);
    sluice_model *back = sluice_model_load(in_folder("kept"), NULL);
    CHECK(back != NULL);
    CHECK_EQ(files_in_folder(), before);
    sluice_model_free(m);
    sluice_model_free(back);
}

TEST(any_bytes_are_written_as_models_are) {
    char back[8] = "";
    size_t before = files_in_folder();
    CHECK_EQ(sluice_write_file(in_folder("bytes"), "old", 3, NULL), SLUICE_OK);
    CHECK_EQ(sluice_write_file(in_folder("bytes"), "a\0bc", 4, NULL), SLUICE_OK);
    FILE *f = fopen(in_folder("bytes"), "rb");
    CHECK(f && fread(back, 1, sizeof back, f) == 4 && memcmp(back, "a\0bc", 4) == 0);
    if (f) fclose(f);
    CHECK_EQ(files_in_folder(), before + 1);
    sluice_error err = {0};
    CHECK_EQ(sluice_write_file(folder, "a", 1, &err), SLUICE_E_IO);
    CHECK(strcmp(err.source, folder) == 0);
    CHECK_EQ(sluice_write_file("/dev/full", "a", 1, NULL), SLUICE_E_IO);
    unlink(in_folder("bytes"));
}

TEST(errors_of_loading_name_the_file) {
    sluice_error err = {0};
    CHECK(!sluice_model_load(in_folder("missing"), &err));
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK_HAS(err.source, "missing");
    CHECK_HAS(err.message, strerror(ENOENT));
    CHECK(!sluice_model_load(folder, &err));
    CHECK_EQ(err.status, SLUICE_E_IO);
    FILE *f = fopen(in_folder("text"), "w");
    fputs("+1 1:1\n-1 2:1\n+1 3:2\n", f);
    fclose(f);
    CHECK(!sluice_model_load(in_folder("text"), &err));
    CHECK_EQ(err.status, SLUICE_E_FORMAT);
    CHECK_STR(err.message, "this is not a sluice model");
}

/* ---- through functions ---- */

typedef struct tape {
    unsigned char bytes[20000];
    size_t n, at;
    size_t piece;          /* at most so many bytes are read at once */
    size_t stop_at;        /* after so many bytes the functions stop; 0: never */
    ptrdiff_t stop_result; /* what they return then */
} tape;

static int write_tape(void *context, const void *bytes, size_t n) {
    tape *t = context;
    CHECK(n > 0 && n <= sizeof t->bytes - t->n);
    if (t->stop_at && t->n + n > t->stop_at) return (int)t->stop_result;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    return 0;
}

static ptrdiff_t read_tape(void *context, void *bytes, size_t n) {
    tape *t = context;
    CHECK(n > 0);
    if (t->stop_at && t->at >= t->stop_at) return t->stop_result;
    if (n > t->piece) n = t->piece;
    if (n > t->n - t->at) n = t->n - t->at;
    memcpy(bytes, t->bytes + t->at, n);
    t->at += n;
    return (ptrdiff_t)n;
}

TEST(functions_write_and_read_the_bytes_that_memory_holds) {
    const sluice_model *m = small_model("pa-1", 9);
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    tape t = {.piece = SIZE_MAX};
    CHECK_EQ(sluice_model_write(m, write_tape, &t, NULL), SLUICE_OK);
    CHECK(t.n == n && memcmp(t.bytes, bytes, n) == 0);
    t.n += 100; /* other things that stand behind the model: none of them is read */
    const size_t pieces[] = {SIZE_MAX, 1, 7, 16};
    for (size_t i = 0; i < 4; i++) {
        t.at = 0;
        t.piece = pieces[i];
        sluice_model *back = sluice_model_read(read_tape, &t, NULL, NULL);
        CHECK(back && some_margin(back) == some_margin(m));
        CHECK_EQ(t.at, n);
        sluice_model_free(back);
    }
    sluice_free(bytes);
    sluice_model_free((sluice_model *)m);
}

TEST(functions_that_stop_are_reported) {
    sluice_model *m = small_model("pa-1", 9);
    sluice_error err = {0};
    tape t = {.piece = SIZE_MAX, .stop_at = 100, .stop_result = 17};
    CHECK_EQ(sluice_model_write(m, write_tape, &t, &err), SLUICE_E_IO);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK_HAS(err.message, "the write function returned 17");
    t = (tape){.piece = SIZE_MAX};
    CHECK_EQ(sluice_model_write(m, write_tape, &t, NULL), SLUICE_OK);
    size_t whole = t.n;
    const ptrdiff_t results[] = {-5, PTRDIFF_MAX}; /* a failure, and more than was asked for */
    for (size_t i = 0; i < 2; i++) {
        t.at = 0;
        t.stop_at = 16;
        t.stop_result = results[i];
        CHECK(!sluice_model_read(read_tape, &t, "tape", &err));
        CHECK_EQ(err.status, SLUICE_E_IO);
        CHECK_STR(err.source, "tape");
        CHECK_HAS(err.message, i ? "the read function returned 9223372036854775807" : "the read function returned -5");
    }
    t.stop_at = 0;
    for (size_t cut = 0; cut < whole; cut += 5) {
        t.at = 0;
        t.n = cut;
        CHECK(!sluice_model_read(read_tape, &t, NULL, &err));
        CHECK_EQ(err.status, SLUICE_E_FORMAT);
        CHECK_STR(err.source, "model");
    }
    sluice_model_free(m);
}

/* Stops at the n-th call. */
static int stop_at_call(void *context, const void *bytes, size_t n) {
    (void)bytes;
    size_t *calls_left = context;
    CHECK(n > 0);
    return --*calls_left == 0 ? -1 : 0;
}

TEST(saving_stops_at_whichever_call_the_function_stops) {
    static const char *const learners[] = {"pa-1", "ssol-full", "fgm"};
    static const size_t sections[] = {4, 6, 6}; /* MODL, FEAT, META, END; VECT, MATR; ROWS, VALS */
    for (size_t l = 0; l < 3; l++) {
        sluice_model *m = small_model(learners[l], 5);
        CHECK_EQ(sluice_model_set_metadata(m, "key", "bytes", 5), SLUICE_OK);
        size_t stops = 0;
        for (size_t at = 1;; at++) {
            size_t calls_left = at;
            if (sluice_model_write(m, stop_at_call, &calls_left, NULL) == SLUICE_OK) break;
            CHECK_EQ(calls_left, 0); /* and it is not called again */
            stops++;
        }
        CHECK_EQ(stops, 1 + sections[l]);
        sluice_model_free(m);
    }
}

TEST(a_file_that_goes_on_behind_its_model_is_refused) {
    sluice_model *m = small_model("pa-1", 9);
    CHECK_EQ(sluice_model_save(m, in_folder("longer"), NULL), SLUICE_OK);
    FILE *f = fopen(in_folder("longer"), "ab");
    fputc(0, f);
    fclose(f);
    sluice_error err = {0};
    CHECK(!sluice_model_load(in_folder("longer"), &err));
    CHECK_EQ(err.status, SLUICE_E_FORMAT);
    CHECK_HAS(err.message, "more behind its end");
    CHECK_HAS(err.source, "longer");
    sluice_model_free(m);
}

int main(void) {
    strcpy(folder, "/tmp/sluice-test-XXXXXX");
    if (!mkdtemp(folder)) return 2;
    RUN(what_is_saved_is_loaded);
    RUN(saving_follows_links_keeps_permissions_and_leaves_devices_alone);
    RUN(a_model_that_cannot_be_saved_leaves_the_old_file);
    RUN(any_bytes_are_written_as_models_are);
    RUN(errors_of_loading_name_the_file);
    RUN(functions_write_and_read_the_bytes_that_memory_holds);
    RUN(functions_that_stop_are_reported);
    RUN(saving_stops_at_whichever_call_the_function_stops);
    RUN(a_file_that_goes_on_behind_its_model_is_refused);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || DONE;
}
