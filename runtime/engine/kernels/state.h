/* What an engine, a batch and a worker own, in one variant's number type.
 *
 * Parameters are one vector: W1, b1, W2, b2, ...; each W a panel matrix [panels(out)][in][NR], each
 * b padded to whole panels. Optimiser state and gradients have the same layout. Everything after W1
 * is "small": its gradient is summed in `small`, while dW1 is formed block by block in first.h.
 * Layers are counted from 0: layer[0] is W1, layer[hidden] is the output layer.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_STATE_H
#define PDE_RUNTIME_ENGINE_KERNELS_STATE_H

#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "engine/kernels/activation.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/leaves.h"
#include "engine/ops.h"

enum {
    CHUNKS = 16,          /* partial sums of the gradient: fixed, so that bits are */
    SLAB = 24,            /* points that are carried through the network together */
    COORDINATES_FEW = 16, /* together.h: that x' z1bar is summed over chunks for */
    ROWS_LEAST = 64,      /* together.h: rows of a slab, ... */
    ROWS_MOST = 128,
    ROWS_NUMBERS = 16384, /* ... and their numbers in one layer */
    SLICE = 2048,         /* numbers of a parameter vector per task */
    DIM_BLOCK = 64        /* coordinates per block of dW1 */
};

typedef struct Layer {
    long in, out;
    long w, b; /* offsets in the parameter vector */
    real *wt;  /* transposed copy, panel matrix (out x in); NULL for layer 0 */
} Layer;

typedef struct Batch Batch;

/* What affine.h keeps: [h1 in panels] slope m, unit m / |m|^2; along a [n_in]; two rows of the widest layer. */
typedef struct Affine {
    real *slope, *unit, *along;
    double *chain[2];
} Affine;

typedef struct Engine {
    PdeEngine base;
    PdePool *pool;
    int hidden; /* activations; the output layer is layer[hidden] */
    Layer layer[PDE_MAX_LAYERS];
    long n_in, n_out, h1;
    long size, small0; /* numbers in the vector; where W1 ends */
    long widest;       /* padded width of the widest layer, n_out included */
    ActivationRows *activation;
    PdeOptimConfig optim;
    int slots;
    int64_t updates;
    real *theta, *state[PDE_STATES_MAX], *grad;
    real
        *kept[1 + PDE_STATES_MAX]; /* theta and state to come back to; NULL until they are wanted */
    real *live;  /* [size]: 0 for parameters that are zero and stay so, else 1; NULL: none do */
    real *small; /* [size - small0] */
    real *block; /* [threads][panels(h1)][DIM_BLOCK][NR] */
    Batch *batch[PDE_MAX_BATCHES];
    int batches, stored;
    Affine *affine;        /* NULL: the network is not affine, or has several outputs */
    const PdeRanks *ranks; /* who divide regions with this engine, or NULL */
    int64_t *owned;        /* [2 ranks + 1]: of an array that one rank makes alone (shared.h); */
    int64_t *room;         /* behind it [ranks + 1] for the caller's shares, */
    int64_t *nodes,
        *rows;     /* [ranks + 1] first node of the tree over coordinates, first coordinate */
    int divided;   /* this gradient's batches were all added by ranks together */
    int scattered; /* rows of W1 and its state are as they should be at their owner only */
} Engine;

/* v *= live, `n` numbers from `at` on, a multiple of VLEN */
INLINE void keep_live(const Engine *e, real *v, long at, long n) {
    for (long i = 0; e->live && i < n; i += VLEN)
        STORE(v + i, LOAD(v + i) * LOAD(e->live + at + i));
}

/* A matrix in the layout of x whose product with W1 is wanted, and the seed of that product. */
typedef struct Source {
    const real *v; /* [groups(rows)][n_in][LANES] */
    long rows;
    real *partial; /* [nodes] panel matrices (rows x h1) */
    real *value;   /* panel matrix (rows x h1): v W1 */
    const real *
        bar; /* panel matrix (rows x h1): its seed, set by the gradient; NULL: none is left to do */
    long bar_stride;
    real *seed; /* [groups * LANES]: bar is this times the slope of an affine network, else NULL */
} Source;

/* A row that is added to row `coordinate` of dW1. */
typedef struct Entry {
    uint32_t coordinate;
    real factor;
    const real *row;
    long stride; /* distance of its panels */
} Entry;

typedef struct Block {
    PdeDirectionKind kind;
    long count, row0; /* its rows are row0 .. row0+count-1 of all K */
    int source;       /* DENSE, POINT_DENSE */
    long entries;     /* of a direction: POINT_SPARSE has several, POINT_UNIT one */
    real *rbar;       /* POINT_UNIT, _SPARSE: panel matrix (B*count x h1); POINT_DENSE: as source */
} Block;

struct Batch {
    PdeBatch base;
    Engine *engine;
    long points, groups;
    long K, K2; /* directions; rows of order 2 and more, which come first */
    int order, residuals, blocks, sources;
    int point_rows; /* some directions differ from point to point */
    int triangular; /* all rows of order 2 are so, by Gram or rotation: R[k][h] = 0, h < k */
    int turned;     /* rows of order 2 are those of block 0, rotated: rotate.h */
    int together;   /* rows of a point in together.h; 0: its tangents are carried by themselves */
    int summed;     /* there: second derivatives along all directions are one row */
    int in_chunks;  /* there: the points' part of dW1 is summed in acc, for few coordinates */
    long slab;      /* points of a slab */
    int borrowed;   /* source[0] belongs to another batch, which has evaluated it */
    int lent;       /* to another batch */
    long chunks, acc_size;
    Leaves leaves; /* of the products with W1 */
    Block block[PDE_MAX_BLOCKS];
    Source source[1 + PDE_MAX_BLOCKS]; /* source[0] is x */
    real *z1bar;                       /* panel matrix (B x h1) */
    real *slope;                       /* panel matrix (h1 x B): dN/dz1, for input_gradient */
    real *r;       /* panel matrix (K x h1): first-layer tangents of shared directions */
    real *acc;     /* [chunks][acc_size]: small gradient, Rbar (K x h1), then, if turned, the
                               seeds of the rotated rows (K2 x h1); last, if in_chunks, x' z1bar
                               (n_in x h1) */
    real *rotated; /* panel matrix (K2 x h1) */
    real *reflection, *reflection_size;  /* [K2][rows of block 0], [K2] */
    real *rotate_work;                   /* panel matrix (rows of block 0 x h1) */
    real *gram, *gram_factor, *gram_bar; /* [nodes] h1 x h1; chol; R^-1 Rbar */
    double *gram_work;
    Entry *entry;
    int *entry_start; /* [dim blocks + 1] */
    long entries, dim_blocks;
    struct Work *work; /* [threads] */
    real *waiting;     /* [threads][leaves.level] of the largest such product */
    long largest;      /* its numbers */
    int64_t *share;    /* [ranks + 1]: the first point of each */
    PdePiece *named;   /* [entries]: rows of W1 that directions name, where ranks divide them */
    void *memory;
};

/* Scratch of one thread. Matrices of a slab are panel matrices with exactly nb rows. */
typedef struct Work {
    real *z;
    real *s[PDE_MAX_LAYERS][ACT_ORDERS];           /* sigma^(m)(z) */
    real *sbar[PDE_MAX_LAYERS][PDE_MAX_ORDER + 1]; /* seeds of sigma^(m), m >= 1 */
    real **lambda, **g, **c, **cbar;               /* [n_out * hidden], per output and layer */
    real *bar[3];
    real *n, *nbar; /* nb x n_out */
    real *out;      /* together.h: [n_out][rows], outputs of all rows, then their seeds */
    real *r;        /* K x h1, with a point's own directions */
    real *t[PDE_MAX_LAYERS], *a[PDE_MAX_LAYERS]; /* one point: tangents, and times sigma' */
    real *tbar[2];
    real *d[PDE_MAX_ORDER], *seed_d[PDE_MAX_ORDER], *seed[PDE_MAX_ORDER];
    real *value, *seed_n, *residual;
} Work;

INLINE long groups_of(long rows) {
    return (rows + PDE_LANES - 1) / PDE_LANES;
}

INLINE int is_point_kind(PdeDirectionKind kind) {
    return kind == PDE_DIR_POINT_UNIT || kind == PDE_DIR_POINT_SPARSE ||
           kind == PDE_DIR_POINT_DENSE || kind == PDE_DIR_POSITION;
}

/* Directions of each point that are given by a few coordinates. */
INLINE int is_point_index(PdeDirectionKind kind) {
    return kind == PDE_DIR_POINT_UNIT || kind == PDE_DIR_POINT_SPARSE;
}

/* The points' part of dW1, where it is summed over chunks; acc: of a chunk, or of all. */
INLINE real *acc_first(const Batch *q, real *acc) {
    long h = panels(q->engine->h1) * NR;
    return acc + (q->engine->size - q->engine->small0) + (q->K + q->turned * q->K2) * h;
}

/* Two passes over the same list of buffers: the first counts, the second hands out. */
typedef struct Carve {
    char *base;
    size_t used;
} Carve;

static void *carve(Carve *c, size_t bytes) {
    void *p = c->base ? c->base + c->used : NULL;
    /* an odd number of cache lines between buffers keeps them out of each other's cache sets */
    c->used += (bytes + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    return p;
}

static real *carve_reals(Carve *c, long count) {
    return carve(c, (size_t)count * sizeof(real));
}

/* Zeroed and aligned; large blocks on huge pages where the system offers them. */
void *pde_memory_zeroed(size_t bytes);

#endif
