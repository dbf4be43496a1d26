/* Makes the server of a fuzz target: models of several kinds, labels, the HTTP layer without its sockets. */
#include "fuzz/request_server.h"

#include "commands.h"
#include "serve/model/request_rows.h"
#include "serve/model/served_parts.h"
#include "serve/serve_options.h"
#include "serve/watch/serve_metrics.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS_MOST = 24, MODELS = 6, MAX_BODY = 1 << 16 };

/* What each model is made with, and what it learns first. In the order of their names. */
static const struct {
    const char *name, *words[WORDS_MOST], *target, *rows;
} models[MODELS] = {
    {"csv", {"-a", "pa", "-f", "csv", "--label", "y", NULL}, "/learn?model=csv", "y,a,b\n1,2,x\n0,1,y\n1,3,x\n0,1,z\n"},
    {"json",
     {"-a", "arow", "-f", "jsonl", NULL},
     "/learn?model=json",
     "{\"label\":1,\"a\":2,\"b\":\"x\"}\n{\"label\":-1,\"a\":1}\n{\"label\":1,\"a\":3}\n"},
    {"many",
     {"-a", "arow", "--classes", "ovr", NULL},
     "/learn?model=many",
     "cat 1:1 2:0.5\ndog 2:1\nbird 3:1 1:-1\ncat 1:2\n"},
    {"plain",
     {"-a", "ssol", "--max-features", "200", NULL},
     "/learn?model=plain",
     "1 1:1 2:0.5\n-1 2:1\n1 1:2\n-1 3:1\n"},
    {"text",
     {"-a", "pa-1", "-f", "text", "--max-features", "200", NULL},
     "/learn?model=text",
     "spam\tfree prize now\nham\tlunch at noon\nspam\tfree\n"},
    {"vw", {"-a", "ada-fobos", "-f", "vw", NULL}, "/learn?model=vw", "1 |f a b:2\n-1 |f c\n1 |g a\n"},
};

static request_server *the_server;
static char folder[64];
static char *file_of[MODELS];
static struct {
    char *bytes;
    size_t n;
} at_first[MODELS]; /* the files of the models */

static void __attribute__((noreturn)) give_up(const char *what) {
    fprintf(stderr, "request_server.c: %s\n", what);
    abort();
}

static char *path_of(const char *name) {
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (!path) give_up("no memory");
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(void) {
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0) fprintf(stderr, "cannot remove %s\n", folder);
}

static void make_folder(void) {
    snprintf(folder, sizeof folder, "%s/sluice-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) give_up("no folder for temporary files");
    atexit(remove_folder);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void open_model(serving *s, size_t i, served_model **m) {
    static const command *const commands[] = {&serve_command, NULL};
    static args line[MODELS];
    static serve_options options[MODELS];
    static char given[MODELS][128];
    char *words[WORDS_MOST + 9] = {(char *)"-m",         given[i],         (char *)"-qq", (char *)"--save-every",
                                   (char *)"1000000000", (char *)"--keep", (char *)"2",   (char *)"--queue",
                                   (char *)"2000"};
    int n = 9;
    file_of[i] = path_of(models[i].name);
    snprintf(given[i], sizeof given[i], "%s=%s", models[i].name, file_of[i]);
    for (size_t k = 0; models[i].words[k]; k++) words[n++] = (char *)(uintptr_t)models[i].words[k];
    if (args_parse(&line[i], &serve_command, commands, n, words) || serve_options_read(&line[i], &options[i]))
        give_up("the options of a model are wrong");
    const served_settings settings = serve_options_of_model(&options[i], 0);
    if (served_open(models[i].name, file_of[i], &settings, m)) give_up("a model cannot be opened");
    s->a = &line[i];
}

static void learn_rows(served_model *m, const char *rows) {
    request_rows read;
    sluice_error err = {0};
    const row_request how = {.to_learn = 1};
    if (rows_read(&read, served_reading(m), &how, rows, strlen(rows), &err) ||
        served_learn(m, read.batch, 0, sluice_batch_rows(read.batch), NULL, NULL, NULL, &err) || served_save(m, &err) ||
        served_publish(m, &err)) {
        fprintf(stderr, "%s\n", err.message);
        give_up("a model cannot learn its first rows");
    }
    rows_free(&read);
}

static void keep_file(size_t i) {
    struct stat info;
    FILE *f = fopen(file_of[i], "rb");
    if (!f || fstat(fileno(f), &info) != 0) give_up("no file of a model");
    at_first[i].n = (size_t)info.st_size;
    at_first[i].bytes = malloc(at_first[i].n);
    if (!at_first[i].bytes || fread(at_first[i].bytes, 1, at_first[i].n, f) != at_first[i].n) give_up("a model's file");
    fclose(f);
}

void request_server_reset(request_server *s) {
    for (size_t i = 0; i < MODELS; i++) {
        sluice_error err = {0};
        char *path = path_of("new");
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(at_first[i].bytes, 1, at_first[i].n, f) != at_first[i].n || fclose(f) != 0 ||
            rename(path, file_of[i]) != 0)
            give_up("a model's file cannot be put back");
        free(path);
        if (served_reload(s->serving.model[i], &err) != SLUICE_OK) give_up(err.message);
        for (served_model *m = s->serving.model[i]; m->reading && m->reading->older;) {
            model_reading *older = m->reading->older; /* nobody uses it: there are no other threads */
            m->reading->older = older->older;
            costs_free(&older->costs);
            free(older);
        }
        if (served_publish(s->serving.model[i], &err) != SLUICE_OK) give_up(err.message);
    }
}

/* The loop of the learner thread, which ends when the queue is empty, and saves nothing at its end. */
static void learn(served_model *m) {
    int saves = 0;
    for (const job *j = m->first; j; j = j->next) saves |= j->kind != JOB_LEARN;
    sluice_model_file *file = m->file;
    if (!m->first) return;
    if (!saves) m->file = NULL;
    m->closed = 1;
    served_learner(m);
    m->closed = 0;
    m->file = file;
}

void request_server_learn(request_server *s) {
    for (size_t i = 0; i < MODELS; i++) learn(s->serving.model[i]);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void open_labels(serving *s) {
    static label_settings settings = {.most = 50, .seconds = 86400};
    settings.file = path_of("labels");
    if (label_store_open(&settings, &s->labels)) give_up("no store of labels");
    for (size_t i = 0; i < MODELS; i++)
        if (label_store_catch_up(s->labels, s->model[i])) give_up("the labels of a model");
}

static void open_http(request_server *s) {
    static const char *const origins[] = {OTHER_ORIGIN};
    s->settings = (http_settings){.listen = "127.0.0.1:0",
                                  .threads = 1,
                                  .max_body = MAX_BODY,
                                  .max_large = 4 * MAX_BODY,
                                  .max_connections = 10,
                                  .idle_seconds = 60,
                                  .request_seconds = 30,
                                  .origins = origins,
                                  .n_origins = 1,
                                  .access_log = "/dev/null",
                                  .routes = serve_routes,
                                  .context = &s->serving,
                                  .answered = metrics_answered};
    http_server *h = &s->http;
    h->settings = &s->settings;
    h->listener.fd = h->wake = -1;
    pthread_mutex_init(&h->lock, NULL);
    if (http_guard_open(&h->guard, &s->settings, "127.0.0.1", 1) || http_log_open(&h->log, "/dev/null"))
        give_up("no HTTP layer");
    s->serving.http = h;
    s->serving.metrics = metrics_new();
    if (!s->serving.metrics) give_up("no metrics");
}

request_server *request_server_get(void) {
    if (the_server) return the_server;
    make_folder();
    request_server *s = the_server = calloc(1, sizeof *s);
    if (!s) give_up("no memory");
    s->serving.model = calloc(MODELS, sizeof(served_model *));
    if (!s->serving.model) give_up("no memory");
    for (size_t i = 0; i < MODELS; i++) {
        open_model(&s->serving, i, &s->serving.model[i]);
        learn_rows(s->serving.model[i], models[i].rows);
        keep_file(i);
    }
    s->serving.n_models = MODELS;
    open_labels(&s->serving);
    open_http(s);
    return s;
}
