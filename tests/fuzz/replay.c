/* Runs a fuzz target without a fuzzer, as an ordinary test: over the files given (folders: all in them), every
 * truncation of each, and so many seeded mutations of each.
 *
 *     replay [-m MUTATIONS] [-s SEED] FILE-OR-FOLDER...          -m 0: the files alone, no truncations either
 *
 * When the target fails, the input it was working on is in the file replay-crash in the current folder. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MAX_TRUNCATIONS = 2000, DEFAULT_MUTATIONS = 2000 };

static uint64_t seed = 1, runs;
static unsigned long mutations = DEFAULT_MUTATIONS;
static const uint8_t *current;
static size_t current_n;

static uint64_t draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static void keep_input(int signal_number) {
    int fd = open("replay-crash", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) {
        if (write(fd, current, current_n) < 0) _exit(3);
        close(fd);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A copy of exactly this size, so that a sanitizer sees every byte read beyond it. */
static void run(const uint8_t *bytes, size_t n) {
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy) exit(2);
    if (n) memcpy(copy, bytes, n);
    current = copy, current_n = n;
    LLVMFuzzerTestOneInput(copy, n);
    runs++;
    free(copy);
}

/* Changes a few bytes, in place; returns the new length. */
static size_t mutate(uint8_t *b, size_t n, size_t room) {
    static const char interesting[] = "0123456789:.+-eE #\n\r\t\0q|'^{}[]\",\\u=";
    for (uint64_t changes = 1 + draw() % 4; changes; changes--) {
        size_t at = n ? draw() % n : 0, length = 1 + draw() % 8;
        switch (draw() % 7) {
        case 0:
            if (n) b[at] ^= (uint8_t)(1u << draw() % 8);
            break;
        case 1:
            if (n) b[at] = (uint8_t)draw();
            break;
        case 2:
            if (n) b[at] = (uint8_t)interesting[draw() % (sizeof interesting - 1)];
            break;
        case 3: /* take some out */
            if (length > n - at) length = n - at;
            memmove(b + at, b + at + length, n - at - length);
            n -= length;
            break;
        case 4: /* put some in */
            if (n + length > room) break;
            memmove(b + at + length, b + at, n - at);
            for (size_t i = 0; i < length; i++) b[at + i] = (uint8_t)interesting[draw() % (sizeof interesting - 1)];
            n += length;
            break;
        case 5: /* say a piece again */
            length = n ? 1 + draw() % n : 0;
            if (n + length > room || length > n - at) break;
            memmove(b + at + length, b + at, n - at);
            n += length;
            break;
        default: /* an extreme number */
            if (n >= 4 && at <= n - 4) memcpy(b + at, draw() & 1 ? "\xff\xff\xff\xff" : "\0\0\0\x80", 4);
        }
    }
    return n;
}

static int run_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return perror(path), 1;
    enum { ROOM = 1 << 20 };
    uint8_t *bytes = malloc(ROOM), *changed = malloc(2 * ROOM);
    if (!bytes || !changed) exit(2);
    size_t n = fread(bytes, 1, ROOM, f);
    fclose(f);
    run(bytes, n);
    size_t step = n / MAX_TRUNCATIONS + 1;
    for (size_t k = 0; mutations && k < n; k += step) run(bytes, k);
    for (unsigned long i = 0; i < mutations; i++) {
        memcpy(changed, bytes, n);
        run(changed, mutate(changed, n, 2 * ROOM));
    }
    free(bytes), free(changed);
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int run_path(const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, by_name), failed = 0;
    if (n < 0) return run_file(path);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') failed |= run_path(name);
        free(entries[i]);
    }
    free(entries);
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0, option;
    while ((option = getopt(argc, argv, "m:s:")) != -1) {
        if (option == 'm')
            mutations = strtoul(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10) | 1;
        else
            return 2;
    }
    signal(SIGABRT, keep_input);
    signal(SIGSEGV, keep_input);
    for (int i = optind; i < argc; i++) failed |= run_path(argv[i]);
    printf("%llu inputs\n", (unsigned long long)runs);
    return failed || runs == 0;
}
