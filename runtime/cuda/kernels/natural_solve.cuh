/* natural_solve.cuh: Cholesky factor of K + lambda in double, by panels of columns, and the solution.
 * Only the lower half is read and written. The diagonal block of a panel is inverted, so that what is
 * below it, and the solution later, are products. */

KERNEL(natural_shift, DevShift) {
    int64_t n = thread_number(), i = n / a.rows, j = n % a.rows;
    if (i >= a.rows)
        return;
    a.factor[n] = a.k[n] + (i == j ? a.natural->lambda : 0);
    if (j == 0)
        a.sol[i] = a.r[i] - a.state->now.rule.beta1 * a.along[i];
}

/* One block. Rows and columns past the end are those of the identity. */
KERNEL(natural_panel, DevPanel) {
    SHARED double l[DEV_PANEL][DEV_PANEL + 1], x[DEV_PANEL][DEV_PANEL + 1];
    int t = (int)threadIdx.x;
    int64_t left = a.rows - a.first;
    double *inverse = a.inverse + a.first * DEV_PANEL;
    for (int e = t; e < DEV_PANEL * DEV_PANEL; e += DEV_THREADS) {
        int i = e / DEV_PANEL, j = e % DEV_PANEL;
        l[i][j] = j <= i && i < left ? a.factor[(a.first + i) * a.rows + a.first + j] : i == j;
    }
    BARRIER;
    for (int k = 0; k < DEV_PANEL; k++) {
        double d = l[k][k], root = d > 0 ? pde_sqrt(d) : 1;
        BARRIER;
        if (t >= k && t < DEV_PANEL)
            l[t][k] = t == k ? root : l[t][k] / root;
        if (t == 0 && !(d > 0 && d * 0 == 0))
            a.natural->failed = 1;
        BARRIER;
        for (int e = t; e < DEV_PANEL * DEV_PANEL; e += DEV_THREADS) {
            int i = e / DEV_PANEL, j = e % DEV_PANEL;
            if (j > k && j <= i)
                l[i][j] -= l[i][k] * l[j][k];
        }
        BARRIER;
    }
    for (int i = 0; i < DEV_PANEL && t < DEV_PANEL; i++) { /* column t of the inverse */
        double sum = i == t;
        for (int m = t; m < i; m++)
            sum -= l[i][m] * x[m][t];
        x[i][t] = i < t ? 0 : sum / l[i][i];
    }
    BARRIER;
    for (int e = t; e < DEV_PANEL * DEV_PANEL; e += DEV_THREADS) {
        int i = e / DEV_PANEL, j = e % DEV_PANEL;
        inverse[e] = x[i][j];
        if (j <= i && i < left)
            a.factor[(a.first + i) * a.rows + a.first + j] = l[i][j];
    }
}

/* Rows below the diagonal block, DEV_TALL in a block: times the transposed inverse. */
KERNEL(natural_below, DevPanel) {
    SHARED double row[DEV_TALL][DEV_PANEL], x[DEV_PANEL][DEV_PANEL + 1];
    int t = (int)threadIdx.x, j = t % DEV_PANEL, y = t / DEV_PANEL;
    int64_t i = a.first + DEV_PANEL + (int64_t)blockIdx.x * DEV_TALL + y;
    const double *inverse = a.inverse + a.first * DEV_PANEL;
    for (int e = t; e < DEV_PANEL * DEV_PANEL; e += DEV_THREADS)
        x[e / DEV_PANEL][e % DEV_PANEL] = inverse[e];
    row[y][j] = i < a.rows ? a.factor[i * a.rows + a.first + j] : 0;
    BARRIER;
    double sum = 0;
    UNROLL for (int m = 0; m < DEV_PANEL; m++)
        sum += row[y][m] * x[j][m];
    if (i < a.rows)
        a.factor[i * a.rows + a.first + j] = sum;
}

/* The rest of the matrix without the panel's share, in tiles of its lower half. */
KERNEL(natural_trail, DevPanel) {
    SHARED double rs[DEV_DEEP][DEV_TILE], cs[DEV_DEEP][DEV_TILE];
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t start = a.first + DEV_PANEL;
    int64_t r0 = start + (int64_t)blockIdx.y * DEV_TILE, c0 = start + (int64_t)blockIdx.x * DEV_TILE;
    double sum[4][4] = {{0}};
    if (c0 > r0)
        return;
    for (int k0 = 0; k0 < DEV_PANEL; k0 += DEV_DEEP) {
        for (int e = t; e < DEV_DEEP * DEV_TILE; e += DEV_THREADS) {
            int64_t k = e % DEV_DEEP, i = e / DEV_DEEP, column = a.first + k0 + k;
            rs[k][i] = r0 + i < a.rows ? a.factor[(r0 + i) * a.rows + column] : 0;
            cs[k][i] = c0 + i < a.rows ? a.factor[(c0 + i) * a.rows + column] : 0;
        }
        BARRIER;
        ADD_TILES(sum, rs, cs)
        BARRIER;
    }
    UNROLL for (int p = 0; p < 4; p++)
        UNROLL for (int q = 0; q < 4; q++) {
            int64_t r = r0 + ty + 16 * p, c = c0 + tx + 16 * q;
            if (r < a.rows && c <= r)
                a.factor[r * a.rows + c] -= sum[p][q];
        }
}

/* One block: forward and back through the panels, in place. */
KERNEL(natural_solve, DevTriangle) {
    SHARED double x[DEV_PANEL];
    int t = (int)threadIdx.x;
    int64_t n = a.rows, panels = (n + DEV_PANEL - 1) / DEV_PANEL;
    for (int64_t step = 0; step < 2 * panels; step++) {
        int back = step >= panels;
        int64_t first = (back ? 2 * panels - 1 - step : step) * DEV_PANEL;
        int64_t end = first + DEV_PANEL < n ? first + DEV_PANEL : n;
        const double *inverse = a.inverse + first * DEV_PANEL;
        double y = 0;
        if (t < DEV_PANEL)
            x[t] = first + t < n ? a.sol[first + t] : 0;
        BARRIER;
        for (int m = 0; m < DEV_PANEL && t < DEV_PANEL; m++)
            y += inverse[back ? m * DEV_PANEL + t : t * DEV_PANEL + m] * x[m];
        BARRIER;
        if (t < DEV_PANEL)
            x[t] = y;
        if (t < DEV_PANEL && first + t < n)
            a.sol[first + t] = y;
        BARRIER;
        for (int64_t i = (back ? 0 : end) + t; i < (back ? first : n); i += DEV_THREADS) {
            double sum = a.sol[i];
            for (int64_t m = first; m < end; m++)
                sum -= a.factor[back ? m * n + i : i * n + m] * x[m - first];
            a.sol[i] = sum;
        }
        BARRIER;
    }
}
