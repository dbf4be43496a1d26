/* Linear algebra of batch learners in tiles, each one call of BLAS, shared out among threads. */
#include "algo/shared/tiles.h"

#include <string.h>

#include "algo/shared/rule.h"
#include "base/thread_team.h"

enum {
    TILE = 512,          /* columns and rows of a tile: most of the speed of a large one, and enough of them to share */
    GRAM_ROWS = 512,     /* examples, at least, that are laid out at once for the Gram matrix */
    BLOCK = 1 << 20,     /* numbers, at least, that are worked on at once: less is not worth starting threads for */
    SOLVE_ROWS = 256,    /* examples in one piece of solving */
    LAY_OUT_ROWS = 32,   /* examples in one piece of laying out */
    SPARSE_BANDS = 16,   /* of rows of the matrix, when products are added one by one */
    SPARSE_PRODUCT = 16, /* what such a product costs, in products of a dense tile */
};

/* What the pieces of one step share. */
typedef struct step {
    const sl_state *s;
    const sl_blas *blas;
    double *a;
    size_t n;
    double *x; /* examples laid out, n numbers each */
    double *square_norm;
    size_t first, rows; /* which examples these are */
    double c;
    size_t done; /* cholesky: tiles before this one are final */
} step;

static size_t min(size_t a, size_t b) { return a < b ? a : b; }
static size_t tiles_of(size_t n) { return (n + TILE - 1) / TILE; }
static size_t tile_size(size_t n, size_t i) { return min(TILE, n - i * TILE); }
static double *tile(const step *w, size_t i, size_t j) { return w->a + i * TILE * w->n + j * TILE; }

/* Tile number k of a lower triangle of tiles: row by row. */
static void tile_at(size_t k, size_t *i, size_t *j) {
    for (*i = 0; k > *i; ++*i) k -= *i + 1;
    *j = k;
}

static size_t max(size_t a, size_t b) { return a > b ? a : b; }

size_t sl_tiles_rows(const sl_state *s) {
    return min(s->batch.pending.rows, max(s->batch.columns, max(GRAM_ROWS, BLOCK / s->batch.columns)));
}

static void lay_out(const sl_pending *b, size_t row, double factor, double *x, size_t n) {
    memset(x, 0, n * sizeof *x);
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) x[b->column[k]] = factor * (double)b->value[k];
}

/* ---- Gram ------------------------------------------------------------------------------------------------------- */

static void lay_out_piece(void *context, size_t piece) {
    const step *w = context;
    const sl_pending *b = &w->s->batch.pending;
    for (size_t i = piece * LAY_OUT_ROWS; i < min(w->rows, (piece + 1) * LAY_OUT_ROWS); i++) {
        double h = sl_pending_h(b, w->first + i);
        lay_out(b, w->first + i, h == 1 ? 1 : sqrt(h), w->x + i * w->n, w->n);
    }
}

static void gram_tile(void *context, size_t k) {
    const step *w = context;
    size_t i, j;
    tile_at(k, &i, &j);
    int n = (int)w->n, m = (int)tile_size(w->n, i), rows = (int)w->rows;
    if (i == j)
        w->blas->dsyrk(SL_ROWS, SL_LOWER, SL_TRANSPOSED, m, rows, w->c, w->x + i * TILE, n, 1, tile(w, i, i), n);
    else
        w->blas->dgemm(SL_ROWS, SL_TRANSPOSED, SL_AS_IS, m, (int)tile_size(w->n, j), rows, w->c, w->x + i * TILE, n,
                       w->x + j * TILE, n, 1, tile(w, i, j), n);
}

static void add_dense(step *w) {
    size_t tiles = tiles_of(w->n), all = w->s->batch.pending.rows;
    for (w->first = 0; w->first < all; w->first += w->rows) {
        w->rows = min(max(GRAM_ROWS, BLOCK / w->n), all - w->first);
        sl_parallel(w->s->batch.threads, (w->rows + LAY_OUT_ROWS - 1) / LAY_OUT_ROWS, lay_out_piece, w);
        sl_parallel(w->s->batch.threads, sl_triangle(tiles), gram_tile, w);
    }
}

/* The products of one band of the matrix's rows, example after example. */
static void sparse_band(void *context, size_t band) {
    const step *w = context;
    const sl_pending *b = &w->s->batch.pending;
    size_t from = band * w->n / SPARSE_BANDS, to = (band + 1) * w->n / SPARSE_BANDS;
    for (size_t row = 0; row < b->rows; row++) {
        double ch = w->c * sl_pending_h(b, row);
        for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
            size_t i = b->column[k];
            if (i < from || i >= to) continue;
            double part = ch * (double)b->value[k], *to_row = w->a + i * w->n;
            for (size_t l = b->start[row]; l < b->start[row + 1]; l++)
                if (b->column[l] <= i) to_row[b->column[l]] += part * (double)b->value[l];
        }
    }
}

static bool is_sparse(const sl_pending *b, size_t n) {
    double products = 0;
    for (size_t i = 0; i < b->rows; i++) {
        double nonzeros = (double)(b->start[i + 1] - b->start[i]);
        products += nonzeros * nonzeros;
    }
    return products * SPARSE_PRODUCT < (double)b->rows * (double)n * (double)n;
}

void sl_tiles_add_gram(const sl_state *s, double c, double *a, size_t n, double *room) {
    step w = {.s = s, .blas = s->batch.blas, .a = a, .n = n, .x = room, .c = c};
    if (is_sparse(&s->batch.pending, n))
        sl_parallel(s->batch.threads, SPARSE_BANDS, sparse_band, &w);
    else
        add_dense(&w);
}

/* ---- Cholesky: column of tiles after column of tiles ----------------------------------------------------------------
 */

static void divide_tile(void *context, size_t k) {
    const step *w = context;
    size_t i = w->done + 1 + k;
    int n = (int)w->n, m = (int)tile_size(w->n, w->done);
    w->blas->dtrsm(SL_ROWS, SL_RIGHT, SL_LOWER, SL_TRANSPOSED, SL_ANY_DIAGONAL, (int)tile_size(w->n, i), m, 1,
                   tile(w, w->done, w->done), n, tile(w, i, w->done), n);
}

static void subtract_tile(void *context, size_t k) {
    const step *w = context;
    size_t i, j, left = w->done;
    tile_at(k, &i, &j);
    i += left + 1;
    j += left + 1;
    int n = (int)w->n, m = (int)tile_size(w->n, i), depth = (int)tile_size(w->n, left);
    if (i == j)
        w->blas->dsyrk(SL_ROWS, SL_LOWER, SL_AS_IS, m, depth, -1, tile(w, i, left), n, 1, tile(w, i, i), n);
    else
        w->blas->dgemm(SL_ROWS, SL_AS_IS, SL_TRANSPOSED, m, (int)tile_size(w->n, j), depth, -1, tile(w, i, left), n,
                       tile(w, j, left), n, 1, tile(w, i, j), n);
}

bool sl_tiles_cholesky(const sl_state *s, double *a, size_t n) {
    step w = {.s = s, .blas = s->batch.blas, .a = a, .n = n};
    size_t tiles = tiles_of(n);
    for (; w.done < tiles; w.done++) {
        int size = (int)tile_size(n, w.done), stride = (int)n, info = 0;
        s->batch.blas->dpotrf("U", &size, tile(&w, w.done, w.done), &stride, &info);
        for (int k = 0; k < size && info == 0; k++) info = !isfinite(tile(&w, w.done, w.done)[k * stride + k]);
        if (info != 0) return false;
        size_t below = tiles - w.done - 1;
        sl_parallel(s->batch.threads, below, divide_tile, &w);
        sl_parallel(s->batch.threads, sl_triangle(below), subtract_tile, &w);
    }
    return true;
}

/* ---- triangular solves ------------------------------------------------------------------------------------------- */

static void solve_piece(void *context, size_t piece) {
    const step *w = context;
    size_t from = piece * SOLVE_ROWS, rows = min(SOLVE_ROWS, w->rows - from), n = w->n;
    double *x = w->x + from * n;
    for (size_t i = 0; i < rows; i++) lay_out(&w->s->batch.pending, w->first + from + i, 1, x + i * n, n);
    w->blas->dtrsm(SL_ROWS, SL_RIGHT, SL_LOWER, SL_TRANSPOSED, SL_ANY_DIAGONAL, (int)rows, (int)n, 1, w->a, (int)n, x,
                   (int)n);
    for (size_t i = 0; i < rows; i++) w->square_norm[from + i] = w->s->vectors->dot(x + i * n, x + i * n, n);
}

void sl_tiles_solve(const sl_state *s, const double *l, size_t n, size_t first, size_t rows, double *x,
                    double *square_norm) {
    step w = {.s = s,
              .blas = s->batch.blas,
              .a = (double *)(uintptr_t)l,
              .n = n,
              .x = x,
              .square_norm = square_norm,
              .first = first,
              .rows = rows};
    sl_parallel(s->batch.threads, (rows + SOLVE_ROWS - 1) / SOLVE_ROWS, solve_piece, &w);
}
