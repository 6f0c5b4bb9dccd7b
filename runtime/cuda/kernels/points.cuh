/* points.cuh: random points by counter, in the layout of the point programs: what points.c does. */

DEVICE uint32_t drawn_at(const DevState *state, int by_step) {
    return by_step ? state->now.step : state->now.draw;
}

/* Its number among all points of the draw. */
DEVICE uint32_t point_number(const DevState *state, int64_t point) {
    return state->now.point + (uint32_t)point;
}

DEVICE double uniform_of(const DevState *state, uint64_t seed, uint32_t stream, int64_t point) {
    uint32_t number = point_number(state, point);
    return pde_uniform(pde_random_word(seed, stream, state->now.draw, number, 0));
}

/* A thread makes four rows of one lane. */
KERNEL(random, DevRandom) {
    int64_t quads = (a.rows + 3) / 4, i = thread_number(), lane = i % PDE_LANES;
    int64_t quad = i / PDE_LANES % quads, group = i / PDE_LANES / quads;
    uint32_t word[4];
    real y[4];
    if (group >= a.groups)
        return;
    int64_t point = group * PDE_LANES + lane;
    pde_random_block(a.seed, a.stream, drawn_at(a.state, a.by_step),
                     point_number(a.state, a.slices > 0 ? point / a.slices : point),
                     (uint32_t)quad, word);
    if (a.normal) {
        PDE_FN(normal_pair)(word[0], word[1], &y[0], &y[1]);
        PDE_FN(normal_pair)(word[2], word[3], &y[2], &y[3]);
    } else {
        for (int m = 0; m < 4; m++)
            y[m] = PDE_FN(uniform)(word[m]);
    }
    real *to = a.out + group * a.stride + quad * 4 * PDE_LANES + lane;
    for (int m = 0; m < 4 && quad * 4 + m < a.rows; m++)
        to[m * PDE_LANES] = y[m];
}

/* A block of PDE_LANES x PDE_LANES threads for a group and a chunk of coordinates. */
KERNEL(norms, DevNorms) {
    SHARED double part[PDE_LANES][PDE_LANES];
    int lane = (int)threadIdx.x, y = (int)threadIdx.y;
    int64_t group = blockIdx.x / a.chunks, chunk = blockIdx.x % a.chunks;
    int64_t i0 = chunk * DEV_CHUNK, i1 = i0 + DEV_CHUNK < a.d ? i0 + DEV_CHUNK : a.d;
    double sum = 0;
    for (int64_t i = i0 + y; i < i1; i += PDE_LANES) {
        double x = (double)a.x[group * a.stride + i * PDE_LANES + lane];
        sum += x * x;
    }
    part[y][lane] = sum;
    for (int s = PDE_LANES / 2; s > 0; s /= 2) {
        BARRIER;
        if (y < s)
            part[y][lane] += part[y + s][lane];
    }
    if (y == 0)
        a.partial[blockIdx.x * PDE_LANES + lane] = part[0][lane];
}

/* Radius of a point in the annulus of radii low < high (ball: low = 0). */
DEVICE double radius_of(const DevRadius *a, int64_t point) {
    if (a->boundary)
        return a->low > 0 && uniform_of(a->state, a->seed, a->face_stream, point) < 0.5 ? a->low
                                                                                      : a->high;
    double u = uniform_of(a->state, a->seed, a->radius_stream, point);
    if (a->radial)
        return a->low + (a->high - a->low) * u;
    double inner = pow(a->low / a->high, a->d);
    return a->high * pow(inner + u * (1 - inner), 1 / a->d);
}

KERNEL(radius, DevRadius) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    const double *partial = a.partial + point / PDE_LANES * a.chunks * PDE_LANES + point % PDE_LANES;
    double sum = 0, r = radius_of(&a, point);
    for (int64_t c = 0; c < a.chunks; c++)
        sum += partial[c * PDE_LANES];
    a.factor[point] = r / pde_sqrt(sum);
    a.outward[point] = (a.ring && r < (a.low + a.high) / 2 ? -1 : 1) / pde_sqrt(sum);
}

KERNEL(scale, DevScale) {
    int64_t i = thread_number(), rows = a.d * PDE_LANES, group = i / rows, at = i % rows;
    if (group >= a.groups)
        return;
    int64_t point = group * PDE_LANES + at % PDE_LANES;
    real x = a.x[group * a.stride + at];
    a.x[group * a.stride + at] = x * (real)a.factor[point];
    if (a.normal)
        a.normal[group * a.normal_stride + at] = x * (real)a.outward[point];
}

KERNEL(box, DevBox) {
    int64_t i = thread_number(), rows = a.d * PDE_LANES, group = i / rows, at = i % rows;
    if (group >= a.groups)
        return;
    real *x = a.x + group * a.stride + at;
    *x = (real)a.low + (real)(a.high - a.low) * *x;
    if (!a.normal)
        return;
    int64_t point = group * PDE_LANES + at % PDE_LANES;
    uint64_t word =
        pde_random_word64(a.seed, a.stream, a.state->now.draw, point_number(a.state, point), 0);
    int64_t face = (int64_t)pde_random_below(word, 2 * (uint64_t)a.d);
    int mine = face / 2 == at / PDE_LANES;
    if (mine)
        *x = (real)(face % 2 ? a.high : a.low);
    a.normal[group * a.normal_stride + at] = mine ? (face % 2 ? (real)1 : (real)-1) : (real)0;
}

KERNEL(time, DevTime) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    double t = a.start;
    if (a.length != 0)
        t += a.length * uniform_of(a.state, a.seed, a.stream, point);
    a.row[point / PDE_LANES * a.stride + point % PDE_LANES] = (real)t;
}
