/* lane_rows.h: loops over rows of PDE_LANES numbers, for one number type.
 * Included with `real`, ROWS(name) and LOG(u) defined. */

static void ROWS(scale)(real *x, int64_t i0, int64_t i1, const double *factor) {
    real f[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++)
        f[l] = (real)factor[l];
    for (int64_t i = i0; i < i1; i++)
        for (int l = 0; l < PDE_LANES; l++)
            x[i * PDE_LANES + l] *= f[l];
}

static void ROWS(affine)(real *x, int64_t i0, int64_t i1, double a, double b) {
    const real low = (real)a, width = (real)(b - a);
    for (int64_t i = i0 * PDE_LANES; i < i1 * PDE_LANES; i++)
        x[i] = low + width * x[i];
}

/* Uniform numbers become exponential ones; their sums by leaf and tree. */
static void ROWS(exponential)(real *x, int64_t d, double sum[PDE_LANES]) {
    TreeSum tree[PDE_LANES] = {{0}};
    for (int64_t i0 = 0, wide = pde_leaf(d); i0 < d; i0 += wide) {
        double leaf[PDE_LANES] = {0};
        for (int64_t i = i0; i < d && i < i0 + wide; i++)
            for (int l = 0; l < PDE_LANES; l++) {
                real e = -LOG(x[i * PDE_LANES + l]);
                x[i * PDE_LANES + l] = e;
                leaf[l] += (double)e;
            }
        for (int l = 0; l < PDE_LANES; l++)
            tree_sum_leaf(&tree[l], leaf[l]);
    }
    for (int l = 0; l < PDE_LANES; l++)
        sum[l] = tree_sum(&tree[l]);
}

/* Each row by its own factor. */
static void ROWS(stretch)(real *x, int64_t d, const double *by) {
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < PDE_LANES; l++)
            x[i * PDE_LANES + l] *= (real)by[i];
}
