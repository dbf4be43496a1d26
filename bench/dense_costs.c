/* Speed of bcw's dense linear algebra (algo/shared/tiles.h), compared with a plain matrix product, as CSV on stdout.
 *
 *     dense [--rounds N] [--dim D] [--rows R]
 *
 * D columns (2,000), R dense rows (2,000); GFlop/s, the best of --rounds (5), with one thread and with two:
 *
 *   dgemm       C = A B, D x D each, one call with that many threads of OpenBLAS
 *   dgemm cut   the same in tiles of 512, one call each, on sluice's threads, as bcw works
 *   gram        sl_tiles_add_gram(): R D^2 Flop (a triangle), copying the rows into tiles included
 *   cholesky    sl_tiles_cholesky(): D^3/3
 *   solve       sl_tiles_solve(): R D^2, copying and squared lengths included
 *   all         the three together
 *
 * `ratio` is relative to `dgemm` with the same number of threads. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algo/shared/tiles.h"
#include "base/thread_team.h"

enum { TILE = 512 };

static unsigned rounds = 5;
static size_t n = 2000, rows = 2000;
static double yardstick; /* seconds per Flop of dgemm */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn static void die(const char *what) {
    fprintf(stderr, "dense: %s\n", what);
    exit(1);
}

static double *numbers(size_t count) {
    double *x = malloc(count * sizeof *x);
    if (!x) die("no memory");
    for (size_t i = 0; i < count; i++) x[i] = (double)(i * 2654435761u % 1000) / 1000 - 0.5;
    return x;
}

static void print(const char *what, unsigned threads, double seconds, double flop) {
    if (strcmp(what, "dgemm") == 0) yardstick = seconds / flop;
    printf("%s,%zu,%u,%.1f,%.2f\n", what, n, threads, flop / seconds / 1e9, yardstick * flop / seconds);
    fflush(stdout);
}

/* ---- the product ------------------------------------------------------------------------------------------------ */

typedef struct product {
    const sl_blas *blas;
    const double *a, *b;
    double *c;
} product;

static void product_tile(void *context, size_t k) {
    const product *p = context;
    size_t tiles = (n + TILE - 1) / TILE, i = k / tiles * TILE, j = k % tiles * TILE;
    size_t height = n - i < TILE ? n - i : TILE, width = n - j < TILE ? n - j : TILE;
    p->blas->dgemm(SL_ROWS, SL_AS_IS, SL_AS_IS, (int)height, (int)width, (int)n, 1, p->a + i * n, (int)n, p->b + j,
                   (int)n, 0, p->c + i * n + j, (int)n);
}

static void products(const sl_blas *blas, unsigned threads) {
    void (*set_threads)(int);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    void *address = library ? dlsym(library, "openblas_set_num_threads") : NULL;
    if (!address) die("no openblas_set_num_threads");
    memcpy(&set_threads, &address, sizeof address);
    product p = {blas, numbers(n * n), numbers(n * n), numbers(n * n)};
    double flop = 2 * (double)n * (double)n * (double)n, best = INFINITY, cut = INFINITY;
    int order = (int)n;
    size_t tiles = (n + TILE - 1) / TILE;
    for (unsigned r = 0; r <= rounds; r++) { /* the first only warms up */
        set_threads((int)threads);
        double start = now();
        blas->dgemm(SL_ROWS, SL_AS_IS, SL_AS_IS, order, order, order, 1, p.a, order, p.b, order, 0, p.c, order);
        if (r) best = fmin(best, now() - start);
        set_threads(1);
        start = now();
        sl_parallel(threads, tiles * tiles, product_tile, &p);
        if (r) cut = fmin(cut, now() - start);
    }
    print("dgemm", threads, best, flop);
    print("dgemm cut", threads, cut, flop);
    free((double *)(uintptr_t)p.a);
    free((double *)(uintptr_t)p.b);
    free(p.c);
    dlclose(library);
}

/* ---- bcw's part ------------------------------------------------------------------------------------------------- */

static void hold(sl_pending *b) {
    uint64_t z = 1;
    if (!sl_pending_reserve(b, rows, rows * n)) die("no memory");
    for (size_t i = 0; i < rows; i++) {
        uint32_t *column;
        float *value;
        sl_pending_add(b, i % 2 ? 1 : -1, n, &column, &value);
        for (size_t k = 0; k < n; k++) {
            z = z * 6364136223846793005u + 1442695040888963407u;
            column[k] = (uint32_t)k;
            value[k] = (float)(z >> 40) / (float)(1 << 24) - 0.5f;
        }
    }
}

static void tiles(const sl_blas *blas, unsigned threads) {
    sl_state s = {.batch = {.blas = blas, .threads = threads, .columns = n}};
    hold(&s.batch.pending);
    size_t block = sl_tiles_rows(&s);
    double *a = numbers(n * n), *x = numbers(block * n), *v = numbers(block);
    double gram = INFINITY, cholesky = INFINITY, solve = INFINITY, all = INFINITY;
    for (unsigned r = 0; r <= rounds; r++) {
        memset(a, 0, n * n * sizeof *a);
        for (size_t i = 0; i < n; i++) a[i * n + i] = 1;
        double begin = now();
        sl_tiles_add_gram(&s, 1, a, n, x);
        double added = now();
        if (!sl_tiles_cholesky(&s, a, n)) die("not positive definite");
        double factored = now();
        for (size_t first = 0; first < rows; first += block)
            sl_tiles_solve(&s, a, n, first, rows - first < block ? rows - first : block, x, v);
        double solved = now();
        if (r == 0) continue;
        gram = fmin(gram, added - begin);
        cholesky = fmin(cholesky, factored - added);
        solve = fmin(solve, solved - factored);
        all = fmin(all, solved - begin);
    }
    double d = (double)n, square = (double)rows * d * d, cube = d * d * d / 3;
    print("gram", threads, gram, square);
    print("cholesky", threads, cholesky, cube);
    print("solve", threads, solve, square);
    print("all", threads, all, 2 * square + cube);
    sl_pending_free(&s.batch.pending);
    free(a);
    free(x);
    free(v);
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--dim") == 0)
            n = (size_t)atoll(argv[i + 1]);
        else if (strcmp(argv[i], "--rows") == 0)
            rows = (size_t)atoll(argv[i + 1]);
        else
            argc = 0;
    }
    if (argc % 2 == 0 || rounds == 0 || n == 0 || n > 30000 || rows == 0)
        die("usage: dense [--rounds N] [--dim D] [--rows R]");
    sluice_error err;
    const sl_blas *blas = sl_blas_begin(2, &err);
    if (!blas) die(err.message);
    printf("what,dim,threads,GFlop/s,ratio\n");
    for (unsigned threads = 1; threads <= 2; threads++) {
        products(blas, threads);
        tiles(blas, threads);
    }
    sl_blas_end(true);
    return 0;
}
