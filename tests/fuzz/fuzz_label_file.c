/* Fuzz target: any database as the file of rows that wait for labels. It is refused; or rows are remembered, labels
 * taken and learned, and it closes and opens again.
 *
 * An input that begins with `S` is SQL, which changes a sound file; any other input is the file itself. */
#include "fuzz/request_server.h"

#include "serve/label_store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_label_file.c:%d: %s\n", __LINE__, #condition);                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { STEPS_MOST = 20000 }; /* of SQL that changes the file: it need not end by itself */

static char path[64], sound[72];
static label_settings settings = {.file = path, .most = 20, .seconds = 86400};

static void ignore(job *j) { (void)j; }

static sluice_name named(const char *text) { return (sluice_name){text, strlen(text)}; }

/* Some rows and labels, whatever comes of them. */
static void use(label_store *store, served_model *m) {
    static const char *const ids[] = {"a", "b", "old", "", "new"};
    static uint64_t id[] = {1, 5};
    static float value[] = {1, 0.5f};
    sluice_error err = {0};
    sluice_batch *batch = sluice_batch_new(&err);
    const sluice_example x = {.ids = id, .values = value, .n = 2, .label = 1, .weight = 1};
    const sluice_name name[] = {named("b"), named("new")};
    REQUIRE(batch && !sluice_batch_add(batch, &x, &err) && !sluice_batch_add(batch, &x, &err));
    if (label_store_put(store, served_name(m), batch, name, 2, 7, &err) != SLUICE_OK) REQUIRE(err.message[0]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const label_result is = label_store_take(store, m, named(ids[i]), named("1"), ignore, NULL, &err);
        REQUIRE(is != LABEL_WRONG || err.message[0]);
    }
    request_server_learn(request_server_get());
    label_store_saved(store, served_name(m), 1);
    label_store_tick(store, &m, 1);
    request_server_learn(request_server_get());
    sluice_batch_free(batch);
}

static void open_and_use(int first) {
    served_model *m = serving_find(&request_server_get()->serving, "plain");
    label_store *store;
    if (label_store_open(&settings, &store) != DONE) return;
    if (label_store_catch_up(store, m) == DONE) {
        request_server_learn(request_server_get());
        use(store, m);
    }
    const label_counts counts = label_store_count(store);
    REQUIRE(counts.failed < 1000);
    label_store_close(store);
    if (first) open_and_use(0);
}

static void copy_file(const char *from, const char *to) {
    char block[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t n;
    REQUIRE(in && out);
    while ((n = fread(block, 1, sizeof block, in)) > 0) REQUIRE(fwrite(block, 1, n, out) == n);
    fclose(in);
    REQUIRE(fclose(out) == 0);
}

static void remove_files(void) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[80];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void remove_all(void) {
    remove_files();
    unlink(sound);
}

/* A sound file: a row that waits, one with a label, one that was learned. */
static void make_sound(void) {
    snprintf(path, sizeof path, "%s/sluice-labels-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    snprintf(sound, sizeof sound, "%s-sound", path);
    atexit(remove_all);
    open_and_use(1);
    REQUIRE(access(path, F_OK) == 0);
    copy_file(path, sound);
}

static int end_steps(void *steps) { return ++*(int *)steps > STEPS_MOST / 100; }

static void change(const char *sql) {
    sqlite3 *db;
    int steps = 0;
    copy_file(sound, path);
    REQUIRE(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
    sqlite3_progress_handler(db, 100, end_steps, &steps);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static unsigned long runs;
    if (!*path) make_sound();
    if (++runs % 256 == 0) request_server_reset(request_server_get());
    remove_files();
    if (n && *bytes == 'S') {
        char *sql = strndup((const char *)bytes + 1, n - 1);
        REQUIRE(sql);
        change(sql);
        free(sql);
    } else {
        FILE *f = fopen(path, "wb");
        REQUIRE(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
    }
    open_and_use(1);
    return 0;
}
