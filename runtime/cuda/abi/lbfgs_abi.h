/* lbfgs_abi.h: arguments of the kernels of L-BFGS (kernels/lbfgs.cuh); after engine_abi.h and with
 * its conventions. cuda/optimise/lbfgs.c says what a turn is. */
#ifndef PDE_RUNTIME_CUDA_ABI_LBFGS_ABI_H
#define PDE_RUNTIME_CUDA_ABI_LBFGS_ABI_H

/* Blocks of a kernel over vectors, which leave as many sums to be read by each block of the next:
 * they are few beside the numbers of a block. */
enum { DEV_PARTS = 512, DEV_PART_NUMBERS = 4 * DEV_THREADS };

/* What the gradient is evaluated for next: x itself; nothing, before a direction is there; a step
 * along it; nothing any more, since no step makes the loss smaller. */
enum { DEV_LBFGS_FIRST, DEV_LBFGS_BEGIN, DEV_LBFGS_SEARCH, DEV_LBFGS_DONE };

typedef struct DevLbfgs {
    LbfgsSearch search;
    int64_t phase;
    double loss;           /* at x */
    int64_t pairs, oldest; /* of a ring of LBFGS_PAIRS */
    int64_t moved;         /* in this turn: where the gradient was evaluated becomes x */
    int64_t slot;          /* of the pair that is made then; -1: none */
    int64_t finished;      /* iterations since the host's push */
    int64_t evaluations;
    double sy[LBFGS_PAIRS], yy[LBFGS_PAIRS], alpha[LBFGS_PAIRS];
} DevLbfgs;

typedef struct DevLbfgsStep {
    DevState *state;
    DevLbfgs *lbfgs;
    double *s, *y;           /* [LBFGS_PAIRS][n] */
    double *x, *g, *along;   /* [n]: where it stands, the gradient there, the direction */
    DevReal *theta;          /* [n]: where the gradient is evaluated */
    const DevReal *gradient; /* [n]: at theta */
    double *partial;         /* [2][2][parts] */
    int64_t n, parts;
    int64_t at; /* number of a step of the recursion, or of a slot; -1: that of the new pair */
} DevLbfgsStep;

#endif
