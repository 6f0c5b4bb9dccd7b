/* tnn_lapack.c: the lowest eigenpair of a small generalised symmetric problem, by LAPACK.
 *
 * Features of a network may be nearly dependent, so B is not inverted: its eigenvectors with
 * eigenvalues above 1e-11 of the largest span the space that is searched. */
#include "tensor/tnn.h"

#include <math.h>
#include <string.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info);
void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
/* OpenBLAS has threads of its own, which get in the way of ours; other libraries lack the call. */
void openblas_set_num_threads(int threads) __attribute__((weak));

enum { BLOCK = 34 }; /* dsyev takes (BLOCK + 2) n doubles of work to run at full speed */

int64_t tnn_lowest_work(int n) {
    return 2 * (int64_t)n * n + (BLOCK + 3) * (int64_t)n + 8;
}

bool tnn_lowest(int n, double *A, double *B, double *vector, double *value, double *work) {
    double *w = work, *X = w + n, *AX = X + (int64_t)n * n, *query = AX + (int64_t)n * n;
    const double one = 1, zero = 0;
    int length = (BLOCK + 2) * n, info = 0, kept = 0;
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    dsyev_("V", "U", &n, B, &n, w, query, &length, &info);
    if (info != 0 || !(w[n - 1] > 0))
        return false;
    for (int k = 0; k < n; k++) { /* ascending */
        if (w[k] < 1e-11 * w[n - 1])
            continue;
        for (int a = 0; a < n; a++)
            X[(int64_t)kept * n + a] = B[(int64_t)k * n + a] / sqrt(w[k]);
        kept++;
    }
    dgemm_("N", "N", &n, &kept, &n, &one, A, &n, X, &n, &zero, AX, &n);
    dgemm_("T", "N", &kept, &kept, &n, &one, X, &n, AX, &n, &zero, A, &kept);
    dsyev_("V", "U", &kept, A, &kept, w, query, &length, &info);
    if (info != 0 || !isfinite(w[0]))
        return false;
    *value = w[0];
    for (int a = 0; a < n; a++)
        vector[a] = 0;
    for (int k = 0; k < kept; k++)
        for (int a = 0; a < n; a++)
            vector[a] += A[k] * X[(int64_t)k * n + a];
    return true;
}
