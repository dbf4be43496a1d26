/* The store of labels is killed at random moments: no row and no label is lost, and no label is learned twice.
 * --kills N: how often. */
#if !SLUICE_HAVE_SQLITE3
int main(void) { return 0; }
#else

#include "cli/serve/label_store.h"
#include "unit/test.h"

#undef DONE /* of message.h */

#include "unit/fake_served_model.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_A_ROUND = 3000, FEATURES = 12 };

/* What was begun and what was answered, of each row; it outlives the process that is killed. */
typedef struct ledger {
    _Atomic uint8_t put_begun, put_done, label_begun, label_done;
} ledger;
static ledger *book;
static size_t rows; /* in the book */

static char folder[] = "/tmp/label_kills_XXXXXX", store_path[64], model_path[64], temporary[64];

/* ---- a model that counts how often it learned each row ----------------------------------------------------------- */

typedef struct counting {
    uint8_t *times;
    _Atomic int stops;
} counting;

static sluice_status count_row(served_model *m, job *j) {
    counting *c = m->context;
    uint64_t ids[FEATURES] = {0};
    sluice_example x;
    sluice_batch_row(j->batch, 0, ids, NULL, &x);
    const uint64_t row = ids[0];
    int fine = row < rows && x.n == FEATURES && x.values[0] == 1;
    for (size_t k = 1; k < FEATURES && fine; k++)
        fine = ids[k] == row * 31 + k * 7 + rows && x.values[k] == (float)(row % 97) / (float)k;
    CHECK(fine);
    if (fine) c->times[row]++;
    return SLUICE_OK;
}

static void load_model(served_model *m, counting *c) {
    fake_model(m, "m");
    m->learn = count_row;
    m->context = c;
    m->room = 50;
    memset(c->times, 0, rows);
    FILE *f = fopen(model_path, "r");
    if (!f) return;
    CHECK_EQ(fread(&m->saved_label, sizeof m->saved_label, 1, f), 1);
    CHECK_EQ(fread(c->times, 1, rows, f), rows);
    m->last_label = m->saved_label;
    fclose(f);
}

/* As models are saved: whole, or not at all. */
static void save_model(served_model *m, const counting *c) {
    FILE *f = fopen(temporary, "w");
    fwrite(&m->last_label, sizeof m->last_label, 1, f);
    fwrite(c->times, 1, rows, f);
    fclose(f);
    rename(temporary, model_path);
    fake_save(m);
}

/* ---- what is killed ---------------------------------------------------------------------------------------------- */

typedef struct at_work {
    label_store *store;
    served_model *model;
    size_t first, n;
    _Atomic size_t remembered; /* rows from `first` on */
} at_work;

static sluice_name id_of(size_t row, char text[24]) {
    return (sluice_name){text, (size_t)snprintf(text, 24, "row-%zu", row)};
}

static void *remember(void *context) {
    at_work *w = context;
    sluice_error err;
    unsigned state = 1;
    for (size_t done = 0; done < w->n;) {
        sluice_batch *batch = sluice_batch_new(&err);
        char text[8][24];
        sluice_name ids[8];
        size_t n = 0;
        const size_t most = 1 + (state = state * 1103515245 + 12345) % 8;
        for (; n < most && done + n < w->n; n++) {
            const size_t row = w->first + done + n;
            uint64_t id[FEATURES] = {row};
            float values[FEATURES] = {1};
            for (size_t k = 1; k < FEATURES; k++) {
                id[k] = row * 31 + k * 7 + rows;
                values[k] = (float)(row % 97) / (float)k;
            }
            sluice_batch_add(batch, &(sluice_example){.ids = id, .values = values, .n = FEATURES, .weight = 1}, &err);
            ids[n] = id_of(row, text[n]);
            book[row].put_begun = 1;
        }
        CHECK_EQ(label_store_put(w->store, "m", batch, ids, n, 1, &err), SLUICE_OK);
        sluice_batch_free(batch);
        for (size_t i = 0; i < n; i++) book[w->first + done + i].put_done = 1;
        done += n;
        w->remembered = done;
        usleep(100); /* the others want to have their turn */
    }
    return NULL;
}

static void label_done(job *j) { (void)j; }

static void *label(void *context) {
    at_work *w = context;
    sluice_error err;
    unsigned state = 2;
    for (;;) {
        const size_t known = w->first + w->remembered;
        if (!known) continue;
        const size_t row = (state = state * 1103515245 + 12345) / 8 % known; /* rows of earlier rounds too */
        if (book[row].label_done || !book[row].put_done) continue;
        char text[24];
        book[row].label_begun = 1;
        const label_result result =
            label_store_take(w->store, w->model, id_of(row, text), (sluice_name){"1", 1}, label_done, NULL, &err);
        if (result == LABEL_TAKEN || result == LABEL_ALREADY) book[row].label_done = 1;
        CHECK(result == LABEL_TAKEN || result == LABEL_ALREADY || result == LABEL_BUSY);
    }
    return NULL;
}

static void *learn(void *context) {
    at_work *w = context;
    for (unsigned i = 1;; i++) {
        fake_learn_all(w->model);
        if (i % 64) continue;
        save_model(w->model, w->model->context);
        if (i % 128) label_store_saved(w->store, "m", w->model->saved_label);
    }
    return NULL;
}

static const label_settings *settings(void) {
    static label_settings s;
    s = (label_settings){store_path, 1000000, 0, NULL};
    return &s;
}

static void work(size_t round, int ready) {
    at_work w = {.first = round * ROWS_A_ROUND, .n = ROWS_A_ROUND};
    served_model m;
    counting c = {.times = malloc(rows)};
    load_model(&m, &c);
    if (label_store_open(settings(), &w.store) || label_store_catch_up(w.store, &m)) _exit(3);
    w.model = &m;
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, remember, &w);
    pthread_create(&threads[1], NULL, label, &w);
    pthread_create(&threads[2], NULL, learn, &w);
    if (write(ready, "", 1) != 1) _exit(3);
    for (;;) {
        label_store_tick(w.store, (served_model *const[]){&m}, 1);
        usleep(3000);
        if (test_failures) _exit(4);
    }
}

/* ---- what is left ------------------------------------------------------------------------------------------------ */

/* Which rows wait. */
static void read_waiting(uint8_t *waits) {
    sqlite3 *db;
    sqlite3_stmt *sql;
    memset(waits, 0, rows);
    CHECK_EQ(sqlite3_open(store_path, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_prepare_v2(db, "SELECT CAST(id AS TEXT) FROM rows", -1, &sql, NULL), SQLITE_OK);
    while (sqlite3_step(sql) == SQLITE_ROW) {
        size_t row = rows;
        const char *id = (const char *)sqlite3_column_text(sql, 0);
        CHECK(id && sscanf(id, "row-%zu", &row) == 1 && row < rows);
        if (row < rows) waits[row]++;
    }
    sqlite3_finalize(sql);
    sqlite3_close(db);
}

static uint64_t relearned;

static void check(int saves) {
    served_model m;
    counting c = {.times = malloc(rows)};
    uint8_t *waits = malloc(rows);
    label_store *s;
    load_model(&m, &c);
    CHECK_EQ(label_store_open(settings(), &s), DONE);
    if (!s) exit(1);
    CHECK_EQ(label_store_catch_up(s, &m), DONE);
    for (size_t n = 1; n; relearned += n) { /* the queue is short: some have to wait for room */
        n = fake_learn_all(&m);
        label_store_tick(s, (served_model *const[]){&m}, 1);
        if (!n) n = fake_learn_all(&m);
    }
    if (saves) save_model(&m, &c); /* else as if it were killed again */
    label_store_close(s);
    read_waiting(waits);
    for (size_t i = 0; i < rows; i++) {
        const ledger *row = &book[i];
        CHECK(c.times[i] <= 1);
        CHECK(c.times[i] + waits[i] <= 1);
        if (row->label_done) CHECK_EQ(c.times[i], 1);
        if (row->put_done) CHECK_EQ(c.times[i] + waits[i], 1);
        if (row->put_done && !row->label_begun) CHECK_EQ(waits[i], 1);
        if (!row->put_begun) CHECK_EQ(c.times[i] + waits[i], 0);
    }
    free(c.times);
    free(waits);
}

int main(int argc, char **argv) {
    const size_t kills = argc == 3 && strcmp(argv[1], "--kills") == 0 ? (size_t)atoi(argv[2]) : 30;
    rows = kills * ROWS_A_ROUND;
    book = mmap(NULL, rows * sizeof *book, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (book == MAP_FAILED || !mkdtemp(folder)) return 1;
    snprintf(store_path, sizeof store_path, "%s/labels.db", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    snprintf(temporary, sizeof temporary, "%s/model.new", folder);
    srand(argc == 3 ? (unsigned)time(NULL) : 1);
    test_name = "kills";
    test_count = 1;
    for (size_t round = 0; round < kills; round++) {
        int ready[2];
        char byte;
        if (pipe(ready) != 0) return 1;
        const pid_t child = fork();
        if (child < 0) return 1;
        if (!child) {
            close(ready[0]);
            work(round, ready[1]);
        }
        close(ready[1]);
        const ssize_t began = read(ready[0], &byte, 1);
        close(ready[0]);
        if (began == 1) usleep((useconds_t)rand() % 60000);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        CHECK(began == 1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        check(round % 2 == 0);
    }
    size_t put = 0, labelled = 0, cut_short = 0;
    for (size_t i = 0; i < rows; i++) {
        put += book[i].put_done;
        labelled += book[i].label_done;
        cut_short += book[i].put_begun != book[i].put_done;
    }
    CHECK(put > 100 && labelled > 100);
    printf("%zu kills: %zu rows remembered, %zu labelled, %llu labels learned again, %zu rows cut short\n", kills, put,
           labelled, (unsigned long long)relearned, cut_short);
    static const char *const endings[] = {"labels.db", "labels.db-wal", "labels.db-shm", "model", "model.new"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s/%s", folder, endings[i]);
        unlink(name);
    }
    rmdir(folder);
    return test_failures != 0;
}

#endif
