#include "engine/tiled.h"

#include "engine/ops.h"

static const double ONE = 1, MINUS = -1;
static const int STRIDE = TILE, SINGLE = 1;

static int tile_rows(const Tiled *a, int64_t i) {
    int64_t left = a->n - i * TILE;
    return (int)(left < TILE ? left : TILE);
}

double tiled_trace(const Tiled *a) {
    double trace = 0;
    for (int64_t i = 0; i < a->n; i++)
        trace += tiled_at(a, i / TILE, i / TILE)[i % TILE * (TILE + 1)];
    return trace;
}

void tiled_shift(Tiled *a, double by) {
    for (int64_t i = 0; i < a->n; i++)
        tiled_at(a, i / TILE, i / TILE)[i % TILE * (TILE + 1)] += by;
}

/* ------------------------------------------------------------------------------------- factor */

static double *packed_at(const Tiled *a, int64_t i) {
    return a->packed + i * TILE * TILE;
}

typedef struct Column {
    const Tiled *a;
    const Lapack *lapack;
    const PdeOps *ops;
    int64_t k;
} Column;

/* The tile of column k below the diagonal: solved for, and packed for the products that follow. */
static void below_task(void *context, long task, int worker) {
    const Column *c = context;
    int64_t i = c->k + 1 + task;
    int rows = tile_rows(c->a, i), size = TILE;
    (void)worker;
    c->lapack->dtrsm("R", "L", "T", "N", &rows, &size, &ONE, tiled_at(c->a, c->k, c->k), &STRIDE,
                     tiled_at(c->a, i, c->k), &STRIDE);
    c->ops->tile_pack(tiled_at(c->a, i, c->k), packed_at(c->a, i));
}

static void trail_task(void *context, long task, int worker) {
    const Column *c = context;
    int64_t i, j;
    (void)worker;
    tiled_place(task, &i, &j);
    i += c->k + 1;
    j += c->k + 1;
    c->ops->tile_minus(tiled_at(c->a, i, j), packed_at(c->a, i), packed_at(c->a, j),
                       tile_rows(c->a, i), tile_rows(c->a, j), i == j);
}

bool tiled_factor(PdeEngine *engine, const Lapack *lapack, Tiled *a) {
    int64_t tiles = tiled_rows(a->n);
    for (int64_t k = 0; k < tiles; k++) {
        Column column = {a, lapack, engine->ops, k};
        int info = 0, rows = tile_rows(a, k);
        int64_t left = tiles - k - 1;
        lapack->dpotrf("L", &rows, tiled_at(a, k, k), &STRIDE, &info);
        if (info != 0)
            return false;
        pde_engine_run(engine, below_task, &column, (long)left);
        pde_engine_run(engine, trail_task, &column, (long)(left * (left + 1) / 2));
    }
    return true;
}

/* -------------------------------------------------------------------------------------- solve */

void tiled_solve(const Lapack *lapack, const Tiled *a, double *b) {
    int64_t tiles = tiled_rows(a->n);
    for (int64_t i = 0; i < tiles; i++) {
        int rows = tile_rows(a, i), size = TILE;
        for (int64_t j = 0; j < i; j++)
            lapack->dgemm("N", "N", &rows, &SINGLE, &size, &MINUS, tiled_at(a, i, j), &STRIDE,
                          b + j * TILE, &size, &ONE, b + i * TILE, &size);
        lapack->dtrsm("L", "L", "N", "N", &rows, &SINGLE, &ONE, tiled_at(a, i, i), &STRIDE,
                      b + i * TILE, &size);
    }
    for (int64_t i = tiles - 1; i >= 0; i--) {
        int rows = tile_rows(a, i), size = TILE;
        for (int64_t j = i + 1; j < tiles; j++) {
            int from = tile_rows(a, j);
            lapack->dgemm("T", "N", &rows, &SINGLE, &from, &MINUS, tiled_at(a, j, i), &STRIDE,
                          b + j * TILE, &size, &ONE, b + i * TILE, &size);
        }
        lapack->dtrsm("L", "L", "T", "N", &rows, &SINGLE, &ONE, tiled_at(a, i, i), &STRIDE,
                      b + i * TILE, &size);
    }
}
