/* device_tensor.h: a tensor network on a device: gradient steps, eigenproblems of output layers and the
 * score on the finer rule, wholly there. Everything is double. */
#ifndef PDE_RUNTIME_CUDA_TENSOR_DEVICE_TENSOR_H
#define PDE_RUNTIME_CUDA_TENSOR_DEVICE_TENSOR_H

#include "tensor/tnn_module.h"
#include "cuda/step/device_session.h"
#include "cuda/abi/tensor_abi.h"

/* CUDA_TENSOR_USES(ROW): what memory is for: ROW(name, "as the plan prints it") */
#define CUDA_TENSOR_USES(ROW)                                                                      \
    ROW(parameters, "parameters and optimiser state")                                              \
    ROW(matrices, "matrices and chain of all dimensions")                                          \
    ROW(tape, "activations of a block of dimensions")                                              \
    ROW(features, "matrices between features of a block")                                          \
    ROW(problems, "eigenproblems of output layers")

typedef enum CudaTensorUse {
#define ROW(name, text) TENSOR_##name,
    CUDA_TENSOR_USES(ROW)
#undef ROW
        CUDA_TENSOR_USE_COUNT
} CudaTensorUse;

enum { TENSOR_PARTS = 5, TENSOR_BUFFERS = 64 }; /* parts: of a hidden layer on the tape */

typedef struct CudaTensor {
    Tnn *t; /* the host's: parameters come from it and go back */
    const TnnModule *m;
    Backend *backend;
    BackendKernel *kernel[ENGINE_KERNELS];
    DevTensor net,
        fine; /* on the rule of the steps; on that of the score, with a state of its own */
    double *theta, *gradient, *moment, *weight[2]; /* moment: [states][parameters] */
    int64_t block, fine_block; /* dimensions that are worked on at once, on either rule */
    double *layer;             /* [depth - 1][TENSOR_PARTS][block][h][q] */
    double *phi, *slope;
    double *work[4];               /* [block][max(h, p)][q] */
    double *value_row, *slope_row; /* [block][h + 1][q] */
    double *weighted;
    double *features;        /* [block][matrices][h + 1][h + 1] */
    double *rotated, *basis; /* [block][h + 1][h + 1], rows and columns rounded up to even */
    double *spectrum, *turn; /* [block][h + 1], rounded up likewise */
    double *square, *vector; /* of an eigenproblem: DevTensorSolve */
    double *suffix, *rank;
    int32_t *kept;
    double used[CUDA_TENSOR_USE_COUNT]; /* bytes */
    void *buffer[TENSOR_BUFFERS];
    int buffers;
    bool recorded, solves;
    int64_t updates;
} CudaTensor;

/* Takes the back end over, also on failure. */
Status cuda_tensor_open(TnnModule *m, Backend *backend, CudaTensor **tensor, Error *error);
void cuda_tensor_close(CudaTensor *tensor); /* NULL is nothing */
double cuda_tensor_bytes(const CudaTensor *tensor);
/* What takes the steps, as --device says: see cuda_select. NULL: the processor. */
Status cuda_tensor_select(TnnModule *m, const Config *config, CudaTensor **device, Buffer *note,
                          Error *error);
/* Memory, and work and time of a gradient step on the GPUs of gpu.def. */
Status cuda_tensor_plan(TnnModule *m, Error *error);

Status cuda_tensor_push(CudaTensor *tensor, Error *error);
/* Waits and reads one number: the value of the last step or pass. STATUS_NON_FINITE: a step was
 * refused since the last push, and parameters are those before it, or an eigenproblem had no
 * solution. */
Status cuda_tensor_value(CudaTensor *tensor, double *value, Error *error);
/* The parameters and the optimiser's state, after cuda_tensor_value. */
Status cuda_tensor_pull(CudaTensor *tensor, Error *error);
/* lambda on the finer rule: the one number that is read. */
Status cuda_tensor_score(CudaTensor *tensor, double *lambda, Error *error);
/* Queues one gradient step. */
Status cuda_tensor_step(CudaTensor *tensor, uint32_t step, double rate, Error *error);
void cuda_tensor_calls(CudaTensor *tensor);
/* Queues one pass over the output layers. */
Status cuda_tensor_solve(CudaTensor *tensor, Error *error);
void cuda_tensor_solve_calls(CudaTensor *tensor);

/* Between the files: dimensions of the block that begins at `first`; hidden layers, outputs with
 * their matrices, and both, of a block; a launch over n elements. */
int64_t cuda_tensor_block(const CudaTensor *c, int64_t first);
void cuda_tensor_hidden(CudaTensor *c, int64_t first, int64_t count);
void cuda_tensor_outputs(CudaTensor *c, int64_t first, int64_t count);
void cuda_tensor_matrices(CudaTensor *c, int64_t first, int64_t count);
void cuda_tensor_each(CudaTensor *c, EngineKernel kernel, const void *argument, size_t size,
                      int64_t n, double bytes);
#define TENSOR_EACH(c, name, argument, n, bytes)                                                   \
    cuda_tensor_each(c, ENGINE_tensor_##name, &(argument), sizeof(argument), n, bytes)
double *cuda_tensor_part(const CudaTensor *c, int layer, int which);
/* The two parts of independent eigenproblems, after `features` was made. */
void cuda_tensor_spectrum(CudaTensor *c, int64_t count);
void cuda_tensor_lowest(CudaTensor *c, int64_t first, int64_t count);
/* Memory of the matrices between features, for blocks of c->block dimensions. */
void cuda_tensor_open_features(CudaTensor *c);

#endif
