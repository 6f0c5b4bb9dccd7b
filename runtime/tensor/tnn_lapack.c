/* tnn_lapack.c: the lowest eigenpair of a small generalised symmetric problem, by LAPACK.
 *
 * Features of a network may be nearly dependent, so B is not inverted: its eigenvectors with
 * eigenvalues above 1e-11 of the largest span the space that is searched. */
#include "tensor/tnn.h"

#include "engine/lapack.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 34 }; /* dsyev takes (BLOCK + 2) n doubles of work to run at full speed */

int64_t tnn_lowest_work(int n) {
    return 2 * (int64_t)n * n + (BLOCK + 3) * (int64_t)n + 8;
}

bool tnn_lowest(int n, double *A, double *B, double *vector, double *value, double *work) {
    double *w = work, *X = w + n, *AX = X + (int64_t)n * n, *query = AX + (int64_t)n * n;
    const double one = 1, zero = 0;
    int length = (BLOCK + 2) * n, info = 0, kept = 0;
    const Lapack *l = lapack();
    if (!l)
        return false;
    l->dsyev("V", "U", &n, B, &n, w, query, &length, &info);
    if (info != 0 || !(w[n - 1] > 0))
        return false;
    for (int k = 0; k < n; k++) { /* ascending */
        if (w[k] < 1e-11 * w[n - 1])
            continue;
        for (int a = 0; a < n; a++)
            X[(int64_t)kept * n + a] = B[(int64_t)k * n + a] / sqrt(w[k]);
        kept++;
    }
    l->dgemm("N", "N", &n, &kept, &n, &one, A, &n, X, &n, &zero, AX, &n);
    l->dgemm("T", "N", &kept, &kept, &n, &one, X, &n, AX, &n, &zero, A, &kept);
    l->dsyev("V", "U", &kept, A, &kept, w, query, &length, &info);
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
