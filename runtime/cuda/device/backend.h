/* backend.h: what a training step asks of a device: memory, launches, products. The step is the
 * same list of calls for every back end: the driver's (driver.c), the one that only counts memory
 * and work (count.c, for --plan), and the one of the tests that runs the kernels on the host.
 *
 * Errors stick: after the first, calls do nothing and backend_status() has it. */
#ifndef PDE_RUNTIME_CUDA_DEVICE_BACKEND_H
#define PDE_RUNTIME_CUDA_DEVICE_BACKEND_H

#include "engine/engine.h"
#include "files/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Backend Backend;
typedef const void BackendKernel; /* what the back end knows a kernel by */

/* FACTORS(ROW): what products of float32 round their factors to, where that was asked for; sums are
 * float32. ROW(name, "as a run says it") */
#define FACTORS(ROW)                                                                               \
    ROW(full, "")                                                                                  \
    ROW(tf32, ", products in TensorFloat-32")                                                      \
    ROW(bf16, ", products of bfloat16 factors added up in float32")

typedef enum Factors {
#define ROW(name, text) FACTORS_##name,
    FACTORS(ROW)
#undef ROW
} Factors;

typedef struct Launch {
    BackendKernel *kernel;
    uint32_t grid[3], block[3];
    const void *argument; /* one struct, by value */
    size_t size;
    double bytes, flops; /* estimates for the plan */
} Launch;

/* Row-major c[m][n] = op(a) op(b) + beta c, `count` times at strides; op(a) is m x k. */
typedef struct Product {
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    double beta;
    int64_t stride_a, stride_b, stride_c, count;
} Product;

/* Once, of matrices without gaps: a is stored [m][k], or [k][m] with transpose_a, and so on. */
static inline Product product_of(bool transpose_a, bool transpose_b, int64_t m, int64_t n,
                                 int64_t k, const void *a, const void *b, void *c) {
    return (Product){.transpose_a = transpose_a,
                     .transpose_b = transpose_b,
                     .m = m,
                     .n = n,
                     .k = k,
                     .a = a,
                     .b = b,
                     .c = c,
                     .lda = transpose_a ? m : k,
                     .ldb = transpose_b ? k : n,
                     .ldc = n,
                     .count = 1};
}

typedef struct BackendOps {
    Status (*allocate)(Backend *backend, size_t bytes, void **pointer, Error *error);
    void (*release)(Backend *backend, void *pointer);
    Status (*upload)(Backend *backend, void *to, const void *from, size_t bytes, Error *error);
    /* after everything that was queued */
    Status (*download)(Backend *backend, void *to, const void *from, size_t bytes, Error *error);
    Status (*zero)(Backend *backend, void *to, size_t bytes, Error *error);
    Status (*kernel)(Backend *backend, const char *name, BackendKernel **kernel, Error *error);
    Status (*launch)(Backend *backend, const Launch *launch, Error *error);
    Status (*product)(Backend *backend, const Product *product, Error *error);
    /* What is called between begin and end is kept instead of done, and done by each replay. NULL:
     * not there. */
    Status (*record_begin)(Backend *backend, Error *error);
    Status (*record_end)(Backend *backend, Error *error);
    Status (*replay)(Backend *backend, Error *error);
    void (*close)(Backend *backend);
} BackendOps;

struct Backend {
    const BackendOps *ops;
    PdePrecision precision;
    size_t memory;   /* bytes that may be used; 0: not known */
    Factors factors; /* of products; float64 is always whole */
    char name[96];
    Status status; /* of the first failure */
    Error error;
    double bytes, flops; /* of all calls so far */
    int64_t launches;
};

const char *factors_text(const Backend *backend);
void *backend_allocate(Backend *backend, size_t bytes); /* zeroed; NULL after an error */
void backend_release(Backend *backend, void *pointer);
void backend_upload(Backend *backend, void *to, const void *from, size_t bytes);
void backend_download(Backend *backend, void *to, const void *from, size_t bytes);
void backend_zero(Backend *backend, void *to, size_t bytes);
BackendKernel *backend_kernel(Backend *backend, const char *name);
void backend_launch(Backend *backend, const Launch *launch);
/* Over n elements, in blocks of DEV_THREADS (engine_abi.h) threads. */
void backend_each(Backend *backend, BackendKernel *kernel, const void *argument, size_t size,
                  int64_t n, double bytes);
void backend_product(Backend *backend, const Product *product);
/* What `calls` makes: recorded at the first time, or after *recorded was set to false, and replayed; made anew each
 * time where the back end cannot record. */
void backend_repeat(Backend *backend, bool *recorded, void (*calls)(void *context), void *context);
void backend_close(Backend *backend); /* NULL is nothing */
/* The first failure since the last call, which is forgotten. */
Status backend_status(Backend *backend, Error *error);

#endif
