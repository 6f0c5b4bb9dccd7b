/* paths.cuh: points along paths: what runtime/step/paths.c does. */

KERNEL(slices, DevSlices) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    double unit = (double)(point % a.slices + a.past) / (double)a.slices;
    a.row[point / PDE_LANES * a.stride + point % PDE_LANES] = (real)(a.start + a.length * unit);
}

DEVICE real *path_number(const DevWalk *a, int64_t point, int64_t i) {
    return a->x + point / PDE_LANES * a->stride + i * PDE_LANES + point % PDE_LANES;
}

KERNEL(walk, DevWalk) {
    int64_t t = thread_number(), first = t / a.d * a.slices, i = t % a.d;
    if (first >= a.points)
        return;
    real before = *path_number(&a, first, i);
    for (int64_t n = 1; n < a.slices && first + n < a.points; n++) {
        double keep = a.keep[n], fresh = pde_sqrt((1 - keep) * (1 + keep));
        real *x = path_number(&a, first + n, i);
        before = (real)(keep * (double)before + fresh * (double)*x);
        *x = before;
    }
}
