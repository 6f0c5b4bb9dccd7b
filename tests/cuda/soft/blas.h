/* blas.h: the work of the cuBLAS stand-in, kept by value so that a graph can hold it. */
#ifndef SOFT_BLAS_H
#define SOFT_BLAS_H

#include "tests/cuda/machine/soft_cuda.h"

enum { TYPE_F32 = 0, TYPE_F64 = 1, TYPE_F16 = 2, TYPE_BF16 = 14 };      /* cudaDataType */
enum { PRECISION_FULL, PRECISION_TF32, PRECISION_BF16, PRECISION_F16 }; /* of the factors */

typedef struct Scalar {
    double value;
    uint64_t device; /* where it is kept; 0: value */
    int is_double;
} Scalar;

/* C = alpha op(A) op(B) + beta C, count times; matrices by columns */
typedef struct Gemm {
    const char *name;
    int transa, transb;
    int64_t m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c;
    uint64_t a, b, c;
    int type_a, type_b, type_c, in_double, precision, count;
    Scalar alpha, beta;
} Gemm;

typedef struct Gemv {
    int trans;
    int64_t m, n, lda, incx, incy;
    uint64_t a, x, y;
    int in_double;
    Scalar alpha, beta;
} Gemv;

/* syrk: C (in b, n by n, one triangle) = alpha op(A) op(A)' + beta C
 * trsm: op(A) X = alpha B, or X op(A) = alpha B if right; B is n by k and becomes X */
typedef struct Triangle {
    int upper, trans, right, unit;
    int64_t n, k, lda, ldb;
    uint64_t a, b;
    int in_double;
    Scalar alpha, beta;
} Triangle;

SoftTask blas_gemm, blas_gemv, blas_syrk, blas_trsm;

#endif
