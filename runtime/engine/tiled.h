/* tiled.h: a symmetric matrix of doubles in square tiles, and its Cholesky factor by all threads of an engine.
 *
 * The lower half of the tiles is stored, row of tiles after row of tiles, each column-major with TILE numbers in a
 * column. Tiles do not depend on the threads, so neither do bits. */
#ifndef PDE_RUNTIME_ENGINE_TILED_H
#define PDE_RUNTIME_ENGINE_TILED_H

#include "engine/engine.h"
#include "engine/lapack.h"

#include <stdbool.h>

enum { TILE = 192 }; /* a multiple of every panel's columns; three tiles fit in a core's cache */

/* owner: caller */
typedef struct Tiled {
    int64_t n;
    double *m; /* [tiled_size(n)] */
    double *
        packed; /* [tiled_packed(n)], on a cache line: scratch of tiled_factor, which alone needs it */
} Tiled;

static inline int64_t tiled_rows(int64_t n) {
    return (n + TILE - 1) / TILE;
}

static inline int64_t tiled_size(int64_t n) {
    return tiled_rows(n) * (tiled_rows(n) + 1) / 2 * TILE * TILE;
}

static inline int64_t tiled_packed(int64_t n) {
    return tiled_rows(n) * TILE * TILE;
}

/* Tile of row i >= j and column j of tiles. */
static inline double *tiled_at(const Tiled *a, int64_t i, int64_t j) {
    return a->m + (i * (i + 1) / 2 + j) * TILE * TILE;
}

/* Tile number k of the lower half, row after row. */
static inline void tiled_place(int64_t k, int64_t *i, int64_t *j) {
    for (*i = 0; k > *i; ++*i)
        k -= *i + 1;
    *j = k;
}

double tiled_trace(const Tiled *a);
void tiled_shift(Tiled *a, double by); /* a + by I */
/* a becomes its factor L; false where it is not positive definite. */
bool tiled_factor(PdeEngine *engine, const Lapack *lapack, Tiled *a);
/* b := (L L')^-1 b */
void tiled_solve(const Lapack *lapack, const Tiled *factor, double *b);

#endif
