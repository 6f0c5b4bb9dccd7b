/* device_natural.h: the natural-gradient step of runtime/step/natural/natural.c on a device.
 *
 * A row of J is stored as what it has of the parameters after W1, and of W1 as seeds: of the
 * vectors of its point (x and its own dense directions, "carriers") and of the joint directions y_k
 * of all points. Unlike on the host, joint directions are taken as they come, not made orthonormal:
 * with seeds A_r, M = Y'Y, p_s = Y'v_s and
 *
 *     V_r = M A_r / 2 + sum_s p_s bar_s'
 *     K_W1 = V A' + A V' + sum_{s,t} (v_s . v_t) (bar_s . bar_t)
 *
 * everything but v . v is a product of matrices, the number of directions is fixed, and one that
 * depends on others needs no care. Sums of K run over 1,024 columns in the number type, then in
 * double, as on the host; its factor is in double.
 *
 * Rows are stored whole, or in blocks of columns where memory does not hold them (natural_rows.c).
 *
 * The host decides nothing and reads nothing of a step. It queues iterations, and tries: the device
 * takes the first iteration that is not over, moves, measures the loss, and says whether it is over
 * or to be tried again. When the host waits it learns how many are left, and queues as many tries.
 */
#ifndef PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_NATURAL_H
#define PDE_RUNTIME_CUDA_OPTIMISE_DEVICE_NATURAL_H

#include "cuda/optimise/device_optimiser.h"

/* Vectors that lie together: of a task's points, or shared dense directions. */
typedef struct NaturalSource {
    const void *v;
    int64_t rows, vector0;
} NaturalSource;

/* A gradient route: its rows, and where its directions are among the joint ones. */
typedef struct NaturalPart {
    CudaRoute *route;
    int64_t row0, joint0, bar0; /* bar0: seeds of x */
} NaturalPart;

typedef struct NaturalGram {
    CudaRoute *route;
    const CudaBlock *block;
    int64_t joint0;
    void *inverse; /* of the factor of its Gram matrix */
    void *sparse;  /* [directions][h1]: its products with unit and pair directions */
} NaturalGram;

/* A dense direction of each point: its seeds are copied from those of all directions. */
typedef struct NaturalOwn {
    int64_t rows, row0, joint, bar0;
} NaturalOwn;

/* Columns of all rows of J that are stored together. */
typedef struct NaturalColumns {
    bool joint;           /* seeds of joint directions; else parameters after W1 */
    int64_t first, count; /* numbers of a row */
    void *left, *right;   /* [rows][count]: V and A; of parameters twice the same */
} NaturalColumns;

typedef struct CudaNatural {
    int64_t rows, smalls, directions, vectors, seeds, carriers;
    int64_t
        units; /* where all coordinates are among the directions, if points have their own; or -1
                */
    int parts, sources, grams, owns;
    NaturalPart *part;
    NaturalSource *source;
    NaturalGram *gram;
    NaturalOwn *own;
    CudaFirst first; /* dW1 of the rows */
    /* on the device */
    DevNatural *state;
    DevNow *queue;
    void *small, *joint, *spread, *bar;     /* J; V; of all rows, or of a tile of points */
    void *block;                            /* columns of all rows, where the rows are of a tile */
    void *joints, *carrier, *group, *every; /* tables; every: 0, 1, .. for units */
    void *products, *square, *bars, *piece; /* p; M; bar . bar; partial products */
    void *vector_along, *joint_along;
    void *by_gram, *sparse_rows, *small_square[2], *weight, *identity;
    double *vectors_square, *vectors_partial;
    double *k, *factor, *inverse, *r, *residual, *sol, *along, *norms[2], *columns;
    void *kept[2];
    double *kept_unknown;
    int64_t tile;             /* points whose rows are held whole; 0: of all */
    int64_t room;             /* numbers of a row that a block has room for */
    int blocks, small_blocks; /* of columns; those of parameters come first */
    int filled;               /* the block that is there; -1: none */
    int64_t pieces, vector_chunks;
    int64_t queued, done; /* iterations; done: as the host last saw it */
    bool adam;            /* it begins with Adam, and has not ended it */
} CudaNatural;

/* natural_open.c */
Status cuda_natural_open(CudaSession *session, Error *error);
void cuda_natural_close(CudaSession *session);

/* natural_rows.c: directions of this step; then residuals, loss and rows */
void cuda_natural_prepare(CudaSession *session);
void cuda_natural_rows(CudaSession *session);
/* The residuals at the parameters as they are now, on the same points and sets. */
void cuda_natural_measure(CudaSession *session, double *after);
/* All columns, those that are there first. */
typedef void NaturalVisit(CudaSession *session, const NaturalColumns *columns, bool first);
void cuda_natural_columns(CudaSession *session, NaturalVisit *visit);

/* natural_gram.c: products of vectors and directions; K and J phi; J' sol into the gradient */
void cuda_natural_products(CudaSession *session);
void cuda_natural_gram(CudaSession *session);
void cuda_natural_transposed(CudaSession *session);

#endif
