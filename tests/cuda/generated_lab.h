/* generated_lab.h: arrays that are on the host and on a device, kernels launched on them, results compared. */
#ifndef PDE_GENERATED_LAB_H
#define PDE_GENERATED_LAB_H

#include "runtime/cuda/device/device.h"
#include "runtime/load/problem_open.h"

enum { ARRAYS = 1024 };

/* The same array on both sides. */
typedef struct Array2 {
    char *host;
    CudaPointer device;
    size_t bytes;
} Array2;

typedef struct Lab {
    CudaApi *api;
    Error error;
    Status status;
    Problem problem;
    PdePrecision precision;
    CudaModule module;
    Array2 array[ARRAYS];
    int arrays;
    uint64_t random;
    const char *name;
    int compared, failed;
    double worst;
} Lab;

/* The sides a set of arguments is made for. */
typedef enum Side { HOST, DEVICE } Side;

double lab_uniform(Lab *lab, double lo, double hi);
void lab_upload(Lab *lab, const Array2 *a);
/* Arrays live until free_arrays; after host was written, lab_upload. */
Array2 *lab_make(Lab *lab, size_t bytes);
Array2 *lab_make_reals(Lab *lab, int64_t n, double lo, double hi);
Array2 *lab_make_copy(Lab *lab, const void *data, size_t bytes);
/* A table of pointers, each for its own side. */
Array2 *lab_make_table(Lab *lab, Array2 *const *entry, int n);
void lab_free_arrays(Lab *lab);
/* Where a is on this side; NULL: no such array. */
void *lab_on(Side side, const Array2 *a);
/* Relative to the largest entry: what cancels in one entry was as large as another. */
void lab_compare(Lab *lab, const char *kernel, const char *what, const Array2 *a, int64_t n);
void lab_compare_indices(Lab *lab, const char *kernel, const Array2 *a, int64_t n);
void lab_launch(Lab *lab, const char *kernel, unsigned blocks, unsigned x, unsigned y,
                void *parameter);

#endif
