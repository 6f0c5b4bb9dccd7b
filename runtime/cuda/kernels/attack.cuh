/* attack.cuh: points that climb the residual: the moves of runtime/step/attack.c. */

KERNEL(climb, DevClimb) {
    int64_t t = thread_number(), at = t % (a.rows * PDE_LANES), group = t / (a.rows * PDE_LANES);
    int64_t row = at / PDE_LANES;
    if (group * PDE_LANES + at % PDE_LANES >= a.points)
        return;
    real slope = a.slope[t], *x = a.x + group * a.stride + at;
    double to = (double)*x + a.size * (slope > 0 ? 1 : slope < 0 ? -1 : 0);
    if (row == a.d)
        to = to < a.time[0] ? a.time[0] : to > a.time[1] ? a.time[1] : to;
    *x = (real)to;
}

KERNEL(inside, DevInside) {
    int64_t point = thread_number();
    if (point >= a.lanes)
        return;
    const double *partial = a.partial + point / PDE_LANES * a.chunks * PDE_LANES + point % PDE_LANES;
    double square = 0;
    for (int64_t c = 0; c < a.chunks; c++)
        square += partial[c * PDE_LANES];
    double length = pde_sqrt(square), factor = 1;
    if (length > a.high)
        factor = a.high / length;
    else if (length > 0 && length < a.low)
        factor = a.low / length;
    a.factor[point] = point < a.points ? factor : 1;
}
