/* What the parts cost by themselves, as CSV on stdout. Every figure is the best of --rounds (5).
 *
 *     micro [--rounds N] [--largest MB] [--text FILE] [--bin FILE]
 *     micro --access FEATURES      the yardstick alone, for so many features
 *
 *   access   the yardstick: dot product and update over an array of records, no learner around it; 4 KB and huge pages
 *   learn    sluice_model_learn_batch() on rows in memory, all of whose features are known (no first touch)
 *   margins  sluice_model_margins() of the same rows by the live model and by its predict-only copy
 *   table    learn with ids beyond 2^31, which go through the hash table: the cost of the exact dictionary
 *   names    the dictionary: adding names, and finding them again
 *   read     sluice_reader_next() over a file and nothing else; MB/s of that file
 *
 * Rows have 75 features drawn evenly from as many as fill the state size (bytes per feature x features): nothing is
 * reused, the worst case for caches. Labels are drawn by lot, so nearly every row makes the learner update: `updated`
 * is the share that did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "rows/batch.h"
#include "features/names.h"

enum { ROW = 75, ROWS = 40000, FILL_ROW = 1000 };

static unsigned rounds = 5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn static void die(const char *what) {
    fprintf(stderr, "micro: %s\n", what);
    exit(1);
}

static uint64_t next_random(uint64_t *s) { /* splitmix64 */
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t below(uint64_t *s, uint64_t n) { return (next_random(s) >> 32) * n >> 32; } /* n < 2^32 */

static void print(const char *what, const char *name, const char *variant, double state_mb, double value,
                  const char *unit, double updated) {
    printf("%s,%s,%s,%.0f,%.2f,%s,", what, name, variant, state_mb, value, unit);
    if (updated >= 0) printf("%.2f", updated);
    printf("\n");
    fflush(stdout);
}

/* ---- rows in memory --------------------------------------------------------------------------------------------- */

static sluice_batch *batch_new(size_t rows, size_t n) {
    sluice_batch *b = calloc(1, sizeof *b);
    if (!b || !sl_batch_reserve(b, rows, rows * n, rows * n)) die("no memory");
    sl_batch_clear(b);
    return b;
}

static void batch_free(sluice_batch *b) {
    sl_batch_free_arrays(b);
    free(b);
}

static void put(sluice_batch *b, uint64_t id, float value) {
    uint32_t short_id = (uint32_t)id;
    if (id >= SL_WIDE) {
        short_id = SL_WIDE + (uint32_t)b->wides;
        b->wide[b->wides++] = id;
    }
    b->id[b->nonzeros] = short_id;
    b->value[b->nonzeros++] = value;
}

static void end_row(sluice_batch *b, float label) {
    b->label[b->rows++] = label;
    b->start[b->rows] = b->nonzeros;
}

/* Rows of ROW ids out of `first` .. first + dim - 1, ascending: one from each of ROW equal parts. */
static sluice_batch *random_rows(uint64_t first, uint64_t dim, uint64_t seed) {
    sluice_batch *b = batch_new(ROWS, ROW);
    uint64_t part = dim / ROW;
    for (size_t i = 0; i < ROWS; i++) {
        for (uint64_t k = 0; k < ROW; k++)
            put(b, first + k * part + below(&seed, part), 0.01f + 0.2f * (float)below(&seed, 1000) / 1000);
        end_row(b, below(&seed, 2) ? 1 : -1);
    }
    return b;
}

/* Makes the model know every id of the range, in few long rows of tiny values. */
static void fill(sluice_model *m, uint64_t first, uint64_t dim) {
    sluice_batch *b = batch_new(64, FILL_ROW);
    for (uint64_t id = 0; id < dim;) {
        sl_batch_clear(b);
        b->start[0] = 0;
        while (b->rows < 64 && id < dim) {
            for (size_t k = 0; k < FILL_ROW && id < dim; k++) put(b, first + id++, 1e-3f);
            end_row(b, b->rows % 2 ? 1 : -1);
        }
        if (sluice_model_learn_batch(m, b, NULL) != SLUICE_OK) die(sluice_model_error(m)->message);
    }
    batch_free(b);
}

/* ---- the yardstick ---------------------------------------------------------------------------------------------- */

static double access_ns(const sluice_batch *b, size_t bytes, size_t stride, int advice) {
    char *state = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED) die("no memory");
    madvise(state, bytes, advice);
    memset(state, 0, bytes);
    double best = INFINITY;
    volatile double sink = 0;
    for (unsigned r = 0; r < rounds; r++) {
        double start = now();
        for (size_t i = 0; i < b->rows; i++) {
            double sum = 0;
            for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
                sum += (double)*(float *)(void *)(state + b->id[k] * stride) * (double)b->value[k];
            float step = sum > 0 ? -1e-3f : 1e-3f;
            for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
                *(float *)(void *)(state + b->id[k] * stride) += step * b->value[k];
            sink += sum;
        }
        best = fmin(best, now() - start);
    }
    munmap(state, bytes);
    return 1e9 * best / (double)b->nonzeros;
}

static void yardstick(uint64_t dim, size_t stride) {
    char name[32];
    snprintf(name, sizeof name, "%zu bytes", stride);
    size_t bytes = dim * stride;
    double mb = (double)bytes / (1 << 20);
    sluice_batch *b = random_rows(0, dim, 1);
    print("access", name, "4 KB pages", mb, access_ns(b, bytes, stride, MADV_NOHUGEPAGE), "ns/nonzero", -1);
    print("access", name, "huge pages", mb, access_ns(b, bytes, stride, MADV_HUGEPAGE), "ns/nonzero", -1);
    batch_free(b);
}

/* ---- learning and predicting ------------------------------------------------------------------------------------ */

static uint64_t updates(const sluice_model *m) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    return facts.updates;
}

static void learner(const char *what, const sluice_learner_info *info, double mb, uint64_t first, uint64_t dim) {
    sluice_error err;
    sluice_model *m = sluice_model_new(info->name, NULL, 0, NULL, &err);
    if (!m) die(err.message);
    fill(m, first, dim);
    sluice_batch *b = random_rows(first, dim, 1);
    double best = INFINITY;
    uint64_t before = updates(m);
    for (unsigned r = 0; r < rounds; r++) {
        for (size_t i = 0; i < b->rows; i++) b->label[i] = -b->label[i]; /* or it would soon know them by heart */
        double start = now();
        if (sluice_model_learn_batch(m, b, NULL) != SLUICE_OK) die(sluice_model_error(m)->message);
        best = fmin(best, now() - start);
    }
    double share = (double)(updates(m) - before) / (double)b->rows / rounds;
    print(what, info->name, "", mb, 1e9 * best / (double)b->nonzeros, "ns/nonzero", share);

    if (strcmp(what, "learn") == 0) {
        double *margin = malloc(b->rows * sizeof *margin);
        sluice_model *final = sluice_model_final(m, &err);
        if (!margin || !final) die("no memory");
        const sluice_model *models[] = {m, final};
        for (int f = 0; f < 2; f++) {
            best = INFINITY;
            for (unsigned r = 0; r < rounds; r++) {
                double start = now();
                sluice_model_margins(models[f], b, margin, NULL);
                best = fmin(best, now() - start);
            }
            print("margins", info->name, f ? "final" : "live", mb, 1e9 * best / (double)b->nonzeros, "ns/nonzero", -1);
        }
        sluice_model_free(final);
        free(margin);
    }
    batch_free(b);
    sluice_model_free(m);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void reading(const char *path, unsigned threads) {
    struct stat st;
    if (stat(path, &st)) die("no such file");
    sluice_reader_options options = {.size = sizeof options, .threads = threads};
    double best = INFINITY;
    size_t nonzeros = 0;
    for (unsigned r = 0; r <= rounds; r++) { /* the first only warms the file */
        sluice_error err;
        const sluice_batch *b;
        double start = now();
        sluice_reader *reader = sluice_reader_open(&path, 1, &options, &err);
        if (!reader) die(err.message);
        nonzeros = 0;
        while (sluice_reader_next(reader, &b) == SLUICE_OK) nonzeros += b->nonzeros;
        if (sluice_reader_error(reader)->status != SLUICE_OK) die(sluice_reader_error(reader)->message);
        sluice_reader_close(reader);
        if (r) best = fmin(best, now() - start);
    }
    const char *dot = strrchr(path, '.');
    char variant[32];
    snprintf(variant, sizeof variant, "%u thread%s", threads, threads > 1 ? "s" : "");
    print("read", dot && strcmp(dot, ".bin") == 0 ? "bin" : "text", variant, 0, (double)st.st_size / 1e6 / best, "MB/s",
          -1);
    print("read", dot && strcmp(dot, ".bin") == 0 ? "bin" : "text", variant, 0, 1e9 * best / (double)nonzeros,
          "ns/nonzero", -1);
}

/* ---- the dictionary --------------------------------------------------------------------------------------------- */

enum { PROBES = 1 << 20, NAME_ROOM = 24 };

/* Adds n names, then finds names drawn evenly from them; hashes are at hand, as parsers leave them, and entries are
 * asked for a little ahead, as rows are. */
static void dictionary(size_t n, const char *variant, const char *format) {
    char *text = malloc((size_t)PROBES * NAME_ROOM), name[NAME_ROOM];
    uint64_t *hash = malloc(PROBES * sizeof *hash), seed = n;
    size_t *length = malloc(PROBES * sizeof *length);
    if (!text || !hash || !length) die("no memory");
    for (size_t i = 0; i < PROBES; i++) {
        char *at = text + i * NAME_ROOM;
        length[i] = (size_t)snprintf(at, NAME_ROOM, format, (unsigned long long)below(&seed, n));
        hash[i] = sl_name_hash(at, length[i]);
    }
    double add = INFINITY, find = INFINITY;
    for (unsigned r = 0; r < rounds; r++) {
        sl_names d = {0};
        double start = now();
        for (size_t i = 0; i < n; i++) {
            size_t k = (size_t)snprintf(name, sizeof name, format, (unsigned long long)i);
            if (sl_names_add(&d, sl_name_hash(name, k), name, k) == SL_NO_NAME) die("no memory");
        }
        add = fmin(add, now() - start);
        uint64_t sum = 0;
        start = now();
        for (size_t i = 0; i < PROBES; i++) {
            if (i + 24 < PROBES) __builtin_prefetch(sl_names_entry(&d, hash[i + 24]));
            if (i + 12 < PROBES) __builtin_prefetch(sl_names_bytes(&d, hash[i + 12], length[i + 12]));
            sum += sl_names_find_quick(&d, hash[i], text + i * NAME_ROOM, length[i]);
        }
        find = fmin(find, now() - start);
        if (sum == 0 && n > 1) die("names were not found");
        sl_names_free(&d);
    }
    snprintf(name, sizeof name, "%zu names", n);
    print("names add", variant, name, 0, 1e9 * add / (double)n, "ns/name", -1); /* with printing and hashing them */
    print("names find", variant, name, 0, 1e9 * find / PROBES, "ns/name", -1);
    free(text);
    free(hash);
    free(length);
}

int main(int argc, char **argv) {
    const char *file[2] = {NULL, NULL};
    size_t largest = 1024;
    uint64_t features = 0;
    const char *usage = "usage: micro [--rounds N] [--largest MB] [--text FILE] [--bin FILE] | micro --access FEATURES";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--largest") == 0)
            largest = (size_t)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--text") == 0)
            file[0] = argv[i + 1];
        else if (strcmp(argv[i], "--bin") == 0)
            file[1] = argv[i + 1];
        else if (strcmp(argv[i], "--access") == 0)
            features = (uint64_t)atoll(argv[i + 1]);
        else
            die(usage);
    }
    if (argc % 2 == 0 || rounds == 0 || (features && (features < ROW || features > SL_WIDE))) die(usage);
    printf("what,name,variant,state_MB,value,unit,updated\n");
    for (size_t stride = 4; features && stride <= 16; stride *= 2) yardstick(features, stride);
    if (features) return 0;
    for (int f = 0; f < 2; f++)
        for (unsigned threads = 1; file[f] && threads <= 2; threads++) reading(file[f], threads);

    for (size_t n = 10000; n <= 10000000 && largest; n *= 10) {
        dictionary(n, "up to 7 bytes", "%llu");
        dictionary(n, "longer", "feature=%llu");
    }
    for (size_t mb = 1; mb <= largest; mb *= 4) {
        size_t bytes = mb << 20;
        for (size_t stride = 4; stride <= 16; stride *= 2) yardstick(bytes / stride, stride);
        const sluice_learner_info *info;
        for (size_t i = 0; (info = sluice_learner_at(i)); i++)
            if (!(info->flags & SLUICE_LEARNER_DENSE))
                learner("learn", info, (double)mb, 1, bytes / info->bytes_per_feature);
        if (mb <= 64) learner("table", sluice_learner_find("ssol"), (double)mb, (uint64_t)1 << 40, bytes / 8);
    }
    return 0;
}
