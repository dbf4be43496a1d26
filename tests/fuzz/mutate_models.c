/* Makes so many hostile model files or bin files with correct checksums from good ones, and judges each.
 *
 *     mutate_models [-n HOW-MANY] [-s SEED] [-b] FILE-OR-FOLDER...        -b: bin files
 *
 * What was accepted is mutated further. When one fails, it is in the file mutate-crash in the current folder. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/bin_judge.h"
#include "fuzz/chance.h"
#include "fuzz/model_judge.h"
#include "fuzz/model_mutator.h"

enum { MAX_SEEDS = 1024, POOL = 4096, ROOM = 1 << 19, MAX_KEPT = 20000 };

typedef struct input {
    uint8_t *bytes;
    size_t n;
} input;

static input seeds[MAX_SEEDS], pool[POOL];
static size_t n_seeds, n_pool;
static const uint8_t *current;
static size_t current_n;

static void keep_input(int signal_number) {
    int fd = open("mutate-crash", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) {
        if (write(fd, current, current_n) < 0) _exit(3);
        close(fd);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void add_seed(const char *path, const char *ending) {
    size_t length = strlen(path), end = strlen(ending);
    if (n_seeds == MAX_SEEDS || length < end || strcmp(path + length - end, ending) != 0) return;
    FILE *f = fopen(path, "rb");
    input s = {.bytes = malloc(ROOM)};
    if (!f || !s.bytes) perror(path), exit(2);
    s.n = fread(s.bytes, 1, ROOM, f);
    fclose(f);
    if (s.n < ROOM / 2) seeds[n_seeds++] = s;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void add_path(const char *path, const char *ending) {
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, by_name);
    if (n < 0) {
        add_seed(path, ending);
        return;
    }
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') add_path(name, ending);
        free(entries[i]);
    }
    free(entries);
}

/* What was accepted is kept, in the place of another one where there is no room. */
static void keep(chance *c, const uint8_t *bytes, size_t n) {
    if (n > MAX_KEPT || below(c, 4)) return;
    input *to = n_pool < POOL ? &pool[n_pool++] : &pool[below(c, POOL)];
    to->bytes = realloc(to->bytes, n ? n : 1);
    if (!to->bytes) exit(2);
    memcpy(to->bytes, bytes, n);
    to->n = n;
}

int main(int argc, char **argv) {
    unsigned long long how_many = 10000, seed = 1, accepted = 0;
    bool bins = false;
    for (int option; (option = getopt(argc, argv, "n:s:b")) != -1;) {
        if (option == 'n')
            how_many = strtoull(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'b')
            bins = true;
        else
            return 2;
    }
    for (int i = optind; i < argc; i++) add_path(argv[i], bins ? ".bin" : ".model");
    if (n_seeds == 0) return fprintf(stderr, "mutate_models: no files to begin with\n"), 2;
    signal(SIGABRT, keep_input);
    signal(SIGSEGV, keep_input);
    chance c = chance_from(seed);
    uint8_t *bytes = malloc(ROOM);
    if (!bytes) return 2;
    for (unsigned long long i = 0; i < how_many; i++) {
        const input *from = i < n_seeds              ? &seeds[i] /* each as it is, first */
                            : n_pool && below(&c, 2) ? &pool[below(&c, n_pool)]
                                                     : &seeds[below(&c, n_seeds)];
        size_t n = from->n;
        memcpy(bytes, from->bytes, n);
        if (i >= n_seeds) n = bins ? mutate_bin(bytes, n, ROOM, draw(&c)) : mutate_model(bytes, n, ROOM, draw(&c));
        uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees every byte read beyond it */
        if (!exact) return 2;
        if (n) memcpy(exact, bytes, n);
        current = exact, current_n = n;
        if (bins ? judge_bin(exact, n) : judge_model(exact, n)) {
            accepted++;
            if (i >= n_seeds) keep(&c, exact, n);
        }
        free(exact);
    }
    free(bytes);
    printf("%llu %s, %llu accepted, %llu refused\n", how_many, bins ? "bin files" : "models", accepted,
           how_many - accepted);
    return 0;
}
