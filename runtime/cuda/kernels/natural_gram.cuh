/* natural_gram.cuh: products of vectors and directions, and what they add to K = J J', J phi and J' s.
 */

DEVICE real vector_entry(const real *const *group, int64_t v, int64_t i) {
    return group[v / PDE_LANES][i * PDE_LANES + v % PDE_LANES];
}

/* Vectors r0 .. of the tile into rows of shared memory, a lane and one of DEV_DEEP coordinates for each
 * thread; vectors past the last are zero. */
DEVICE void load_vectors(const DevVectors *a, int64_t r0, int64_t i0, int64_t end,
                         real (*to)[DEV_TILE]) {
    int t = (int)threadIdx.x, lane = t % PDE_LANES, k = t / PDE_LANES;
    int64_t at = (i0 + k) * PDE_LANES + lane;
    for (int g = 0; g < DEV_TILE / PDE_LANES; g++) {
        int64_t v = r0 + g * PDE_LANES;
        to[k][g * PDE_LANES + lane] = v < a->n && i0 + k < end ? a->group[v / PDE_LANES][at] : (real)0;
    }
}

KERNEL(natural_vectors, DevVectors) {
    SHARED real vs[DEV_DEEP][DEV_TILE], ws[DEV_DEEP][DEV_TILE];
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t c0 = (int64_t)blockIdx.x * DEV_TILE, r0 = (int64_t)blockIdx.y * DEV_TILE;
    int64_t begin = (int64_t)blockIdx.z * a.chunk;
    int64_t end = begin + a.chunk < a.n_in ? begin + a.chunk : a.n_in;
    double total[4][4] = {{0}};
    if (c0 < r0)
        return;
    for (int64_t run = begin; run < end; run += DEV_RUN) {
        real sum[4][4] = {{0}};
        for (int64_t i0 = run; i0 < end && i0 < run + DEV_RUN; i0 += DEV_DEEP) {
            load_vectors(&a, r0, i0, end, vs);
            load_vectors(&a, c0, i0, end, ws);
            BARRIER;
            ADD_TILES(sum, vs, ws)
            BARRIER;
        }
        UNROLL for (int p = 0; p < 4; p++)
            UNROLL for (int q = 0; q < 4; q++) total[p][q] += (double)sum[p][q];
    }
    UNROLL for (int p = 0; p < 4; p++)
        UNROLL for (int q = 0; q < 4; q++) {
            int64_t r = r0 + ty + 16 * p, c = c0 + tx + 16 * q;
            if (r < a.n && c < a.n)
                a.partial[((int64_t)blockIdx.z * a.n + r) * a.n + c] = total[p][q];
        }
}

KERNEL(natural_join, DevJoinDouble) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    double sum = a.from[i];
    for (int64_t c = 1; c < a.parts; c++)
        sum += a.from[c * a.n + i];
    a.to[i] = sum;
}

DEVICE double upper(const double *square, int64_t n, int64_t r, int64_t c) {
    return r < c ? square[r * n + c] : square[c * n + r];
}

KERNEL(natural_products, DevProducts) {
    int64_t n = thread_number(), v = n / a.directions, k = n % a.directions;
    if (v >= a.vectors)
        return;
    const DevJoint *y = &a.joint[k];
    real x = 0;
    if (y->kind == DEV_JOINT_SPARSE) {
        x = vector_entry(a.group, v, y->index[0]);
        if (y->halves == 2)
            x += *y->coefficient * vector_entry(a.group, v, y->index[1]);
    } else if (y->kind == DEV_JOINT_DENSE) {
        x = (real)upper(a.square, a.vectors, v, y->vector);
    }
    a.p[n] = x;
}

KERNEL(natural_joint_rows, DevJointRows) {
    int64_t n = thread_number(), k = n / a.h, h = n % a.h;
    if (k >= a.directions)
        return;
    const DevJoint *y = &a.joint[k];
    real x = 0;
    if (y->kind == DEV_JOINT_DENSE && a.along)
        x = a.along[y->vector * a.h + h];
    if (y->kind == DEV_JOINT_SPARSE) {
        int64_t i = y->index[0], j = y->halves == 2 ? y->index[1] : i;
        x = (a.weight ? a.weight[i] : (real)1) * a.w[i * a.h + h];
        if (y->halves == 2)
            x += *y->coefficient * (a.weight ? a.weight[j] : (real)1) * a.w[j * a.h + h];
    }
    a.to[n] = x;
}

/* e_i + c e_j times e_k + d e_l */
DEVICE real sparse_product(const DevJoint *x, const DevJoint *y) {
    real sum = 0;
    for (int64_t p = 0; p < x->halves; p++)
        for (int64_t q = 0; q < y->halves; q++)
            if (x->index[p] == y->index[q])
                sum += (p ? *x->coefficient : (real)1) * (q ? *y->coefficient : (real)1);
    return sum;
}

KERNEL(natural_joint_square, DevJointSquare) {
    int64_t n = thread_number(), k = n / a.directions, l = n % a.directions;
    if (k >= a.directions)
        return;
    const DevJoint *x = &a.joint[k], *y = &a.joint[l];
    real m = 0;
    if (x->kind == DEV_JOINT_NONE || y->kind == DEV_JOINT_NONE)
        m = 0;
    else if (x->kind == DEV_JOINT_DENSE)
        m = a.p[x->vector * a.directions + l];
    else if (y->kind == DEV_JOINT_DENSE)
        m = a.p[y->vector * a.directions + k];
    else if (x->kind == DEV_JOINT_SPARSE && y->kind == DEV_JOINT_SPARSE)
        m = sparse_product(x, y);
    else if (x->kind == DEV_JOINT_SPARSE)
        m = y->column[k * a.h];
    else if (y->kind == DEV_JOINT_SPARSE)
        m = x->column[l * a.h];
    a.m[n] = m;
}

KERNEL(natural_times, DevTimes) {
    int64_t i = thread_number();
    if (i < a.n)
        a.to[i] = a.a[i] * a.b[i];
}

/* A thread has one column of one row, so that coordinates that come twice add up in order. */
KERNEL(natural_scatter, DevScatter) {
    int64_t n = thread_number(), r = n / a.h, h = n % a.h;
    if (r >= a.rows)
        return;
    int64_t each = a.count * a.entries, first = r / a.residuals * each;
    for (int64_t e = 0; e < each; e++) {
        real f = a.coefficient ? a.coefficient[first + e] : (real)1;
        a.to[r * a.to_row + a.index[first + e] * a.h + h] +=
            f * a.from[r * a.from_row + e / a.entries * a.h + h];
    }
}

DEVICE int carries(const DevCarrier *c, int64_t r) {
    return r >= c->row0 && r < c->row0 + c->rows;
}

DEVICE int64_t vector_of(const DevCarrier *c, int64_t r) {
    return c->vector0 + (r - c->row0) / c->residuals;
}

DEVICE int64_t bar_of(const DevCarrier *c, int64_t r) {
    return c->bar0 + r - c->row0;
}

KERNEL(natural_spread, DevSpread) {
    int64_t n = thread_number(), h = n % a.h, k = n / a.h % a.directions, r = n / a.h / a.directions;
    if (r >= a.rows)
        return;
    real x = a.v[n] * (real)0.5;
    for (int64_t s = 0; s < a.carriers; s++) {
        const DevCarrier *c = &a.carrier[s];
        if (carries(c, a.row0 + r))
            x += a.p[vector_of(c, a.row0 + r) * a.directions + k] *
                 a.bar[bar_of(c, a.row0 + r) * a.h + h];
    }
    a.v[n] = x;
}

KERNEL(natural_add, DevAddParts) {
    int64_t n = thread_number(), size = a.rows * a.rows, r = n / a.rows, c = n % a.rows;
    if (n >= size)
        return;
    double sum = a.add ? a.k[n] : 0;
    for (int64_t p = 0; p < a.parts; p++) {
        sum += (double)a.part[p * size + n];
        if (a.both)
            sum += (double)a.part[p * size + c * a.rows + r];
    }
    a.k[n] = sum;
}

KERNEL(natural_rest, DevGramRest) {
    int64_t n = thread_number(), r = n / a.rows, c = n % a.rows;
    if (r >= a.rows)
        return;
    double sum = a.k[n];
    for (int64_t s = 0; s < a.carriers; s++)
        for (int64_t t = 0; t < a.carriers; t++) {
            const DevCarrier *x = &a.carrier[s], *y = &a.carrier[t];
            if (carries(x, r) && carries(y, c))
                sum += upper(a.square, a.vectors, vector_of(x, r), vector_of(y, c)) *
                       (double)a.bars[bar_of(x, r) * a.seeds + bar_of(y, c)];
        }
    for (int64_t k = 0; k < a.unknowns; k++)
        sum += a.columns[r * a.unknowns + k] * a.columns[c * a.unknowns + k];
    a.k[n] = sum;
}

/* What this thread has of the product of two rows. */
DEVICE double row_part(const real *a, const real *b, int64_t n) {
    double sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += DEV_THREADS)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

KERNEL(natural_along, DevAlong) {
    SHARED double part[DEV_THREADS];
    int64_t r = blockIdx.x;
    double sum = row_part(a.row + r * a.n, a.phi, a.n);
    for (int64_t s = 0; s < a.carriers && !a.add; s++) {
        const DevCarrier *c = &a.carrier[s];
        if (carries(c, r))
            sum += row_part(a.bar + bar_of(c, r) * a.h, a.vector_along + vector_of(c, r) * a.h, a.h);
    }
    for (int64_t k = threadIdx.x; k < a.unknowns && !a.add; k += DEV_THREADS)
        sum += a.columns[r * a.unknowns + k] * a.unknown_phi[k];
    sum = block_sum(part, sum);
    if (threadIdx.x == 0)
        a.along[r] = a.add ? a.along[r] + sum : sum;
}

KERNEL(natural_total, DevTotal) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    double sum = 0;
    for (int64_t r = 0; r < a.rows; r++)
        sum += a.sol[r] * (double)a.from[r * a.stride + i];
    a.to[i] = (real)sum;
}

KERNEL(natural_seeds, DevSeeds) {
    int64_t n = thread_number(), b = n / a.n, i = n % a.n;
    if (b >= a.points)
        return;
    double sum = 0;
    for (int64_t e = 0; e < a.residuals; e++) {
        int64_t r = b * a.residuals + e;
        sum += a.sol[r] * (double)a.from[r * a.from_row + i];
    }
    a.to[b * a.to_point + i] = (real)sum;
}
