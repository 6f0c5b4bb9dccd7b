/* gram.cuh: the factor of the Gram matrix and its reverse, one block each, in double: what
 * runtime/engine/kernels/gram.h does. */

KERNEL(cholesky, DevCholesky) {
    SHARED double part[DEV_THREADS];
    int t = (int)threadIdx.x;
    int64_t n = a.h;
    double *u = a.work, sum = 0;
    for (int64_t i = t; i < n * n; i += DEV_THREADS)
        u[i] = (double)a.gram[i];
    for (int64_t i = t; i < n; i += DEV_THREADS)
        sum += (double)a.gram[i * n + i];
    part[t] = sum;
    tree_sum(part, t, DEV_THREADS);
    double ridge = part[0] / (double)n * (sizeof(real) == 4 ? 1e-6 : 1e-14);
    for (int64_t k = 0; k < n; k++) {
        double *row = u + k * n, d = row[k] + ridge;
        d = pde_sqrt(d > ridge ? d : ridge);
        if (!(d > 0))
            d = 1e-300;
        BARRIER;
        for (int64_t j = k + t; j < n; j += DEV_THREADS)
            row[j] = j == k ? d : row[j] / d;
        BARRIER;
        int64_t rest = n - k - 1;
        for (int64_t e = t; e < rest * rest; e += DEV_THREADS) {
            int64_t i = k + 1 + e / rest, j = k + 1 + e % rest;
            if (j >= i)
                u[i * n + j] -= row[i] * row[j];
        }
        BARRIER;
    }
    for (int64_t i = t; i < n * n; i += DEV_THREADS)
        a.factor[i] = i % n < i / n ? (real)0 : (real)u[i];
}

/* A thread for each column. */
KERNEL(solve, DevSolve) {
    int64_t n = a.h, j = thread_number();
    const double *u = a.work;
    double *x = a.work + n * n;
    if (j >= n)
        return;
    for (int64_t i = n - 1; i >= 0; i--) {
        double sum = (double)a.rbar[i * n + j];
        for (int64_t m = i + 1; m < n; m++)
            sum -= u[i * n + m] * x[m * n + j];
        sum /= u[i * n + i];
        x[i * n + j] = sum;
        a.bar[i * n + j] = (real)sum;
    }
}
