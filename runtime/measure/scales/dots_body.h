/* dots_body.h: products of points, for one number type. Included with `real` and ROWS(name) defined. */

/* out[k][l] += x[., k] . y[., l] over rows 0 .. n-1 */
static void ROWS(dots)(const real *x, const real *y, int64_t n, double (*out)[PDE_LANES]) {
    enum { RUN = 64 };
    for (int64_t i = 0; i < n; i += RUN) {
        real part[PDE_LANES][PDE_LANES] = {{0}};
        int64_t end = i + RUN < n ? i + RUN : n;
        for (int64_t j = i; j < end; j++)
            for (int k = 0; k < PDE_LANES; k++)
                for (int l = 0; l < PDE_LANES; l++)
                    part[k][l] += x[j * PDE_LANES + k] * y[j * PDE_LANES + l];
        for (int k = 0; k < PDE_LANES; k++)
            for (int l = 0; l < PDE_LANES; l++)
                out[k][l] += (double)part[k][l];
    }
}
