/* A model served from a file in a folder of its own, for unit tests. */
#ifndef SERVED_CASE_H
#define SERVED_CASE_H

#include "commands.h"
#include "output/message.h"
#include "serve/model/request_rows.h"
#include "serve/model/row_predictions.h"
#include "serve/model/served_model.h"
#undef DONE
#include "unit/test.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct served_case {
    char folder[64], path[128];
    args a;
    served_settings settings;
    served_model *m;
} served_case;

/* `options`: of the command line, up to a NULL; `settings` are usual ones that may be changed before served_begin(). */
static inline void served_prepare(served_case *c, const char *const *options) {
    static const command *const commands[] = {&serve_command, NULL};
    char *argv[32] = {NULL};
    int n = 0;
    set_quietness(2);
    memset(c, 0, sizeof *c);
    strcpy(c->folder, "/tmp/served_XXXXXX");
    CHECK(mkdtemp(c->folder) != NULL);
    snprintf(c->path, sizeof c->path, "%s/m.model", c->folder);
    for (; options && *options; options++) argv[n++] = (char *)*options;
    CHECK_EQ(args_parse(&c->a, &serve_command, commands, n, argv), 0);
    c->settings = (served_settings){.a = &c->a, .keep = 2, .queue_rows = 1000, .learns = 1};
    CHECK_EQ(input_options(&c->a, &c->settings.reading), 0);
}

static inline void served_begin(served_case *c) {
    CHECK_EQ(served_open("m", c->path, &c->settings, &c->m), 0);
    if (!c->m) exit(1);
}

static inline void served_end(served_case *c) {
    char all[160];
    served_close(c->m);
    args_free(&c->a);
    rows_free_parsers();
    snprintf(all, sizeof all, "rm -rf %s", c->folder);
    CHECK_EQ(system(all), 0);
}

/* ---- jobs that are waited for ------------------------------------------------------------------------------------ */

typedef struct awaited {
    job job;
    atomic_int done;
} awaited;

static inline void note_done(job *j) { atomic_store(&((awaited *)j->context)->done, 1); }

static inline void pause_ms(long ms) {
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static inline void await(awaited *w) {
    while (!atomic_load(&w->done)) {
        const struct timespec t = {0, 50000};
        nanosleep(&t, NULL);
    }
}

/* Queues a job and waits until it is done; whether it was taken. */
static inline int do_and_wait(served_model *m, awaited *w) {
    w->job.done = note_done;
    w->job.context = w;
    atomic_store(&w->done, 0);
    if (!served_enqueue(m, &w->job)) return 0;
    await(w);
    return 1;
}

/* Learns lines. */
static inline awaited learn_lines(served_model *m, const char *text) {
    request_rows rows;
    sluice_error err = {0};
    awaited w = {.job = {.kind = JOB_LEARN}};
    const row_request what = {.to_learn = 1};
    CHECK_EQ(rows_read(&rows, served_reading(m), &what, text, strlen(text), &err), SLUICE_OK);
    w.job.batch = rows.batch;
    CHECK(do_and_wait(m, &w));
    rows_free(&rows);
    w.job.batch = NULL;
    return w;
}

static inline awaited ask(served_model *m, job_kind kind, uint64_t version) {
    awaited w = {.job = {.kind = kind, .version = version}};
    CHECK(do_and_wait(m, &w));
    return w;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static inline uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* n lines of LIBSVM text, of `classes` classes (2: 1 and -1); free them. */
static inline char *lines_of(size_t n, unsigned classes, uint64_t seed) {
    char *text = malloc(n * 160 + 1), *at = text;
    for (size_t i = 0; i < n; i++) {
        const unsigned class = (unsigned)(next_random(&seed) % classes);
        at += classes == 2 ? sprintf(at, "%d", class ? 1 : -1) : sprintf(at, "%u", class + 2);
        unsigned id = 0;
        for (unsigned k = 0; k < 8; k++) {
            id += 1 + (unsigned)(next_random(&seed) % 40);
            if (k == 3) id += class * 7;
            at += sprintf(at, " %u:%.3f", id, 0.25 + (double)(next_random(&seed) % 1000) / 1000);
        }
        at += sprintf(at, "\n");
    }
    *at = 0;
    return text;
}

/* The bytes of a file; *n of them. Free them; NULL: there is none. */
static inline char *bytes_of_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    struct stat s;
    if (!f || fstat(fileno(f), &s)) return NULL;
    char *bytes = malloc((size_t)s.st_size + 1);
    *n = fread(bytes, 1, (size_t)s.st_size, f);
    fclose(f);
    return bytes;
}

static inline uint64_t version_of_file(const char *path) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_load(path, &err);
    sluice_model_facts facts = {.size = sizeof facts};
    if (!m) return UINT64_MAX;
    sluice_model_quick_facts(m, &facts);
    sluice_model_free(m);
    return facts.examples;
}

#endif
