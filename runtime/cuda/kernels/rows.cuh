/* rows.cuh: what happens between the products: activations, adjoints, tangent rows and their reverse
 * in the adjoint form of runtime/engine/kernels/jet.h, for all points of a tile at once. */

KERNEL(gather, DevGather) {
    int64_t i = thread_number(), h = i % a.h, j = i / a.h % a.count, b = i / a.h / a.count;
    if (b >= a.points)
        return;
    real *to = a.to + b * a.to_point + j * a.h + h;
    if (a.values) {
        *to = a.values[(a.first + b) * a.values_point + j * a.values_row + h];
        return;
    }
    const uint32_t *index = a.index + (a.first + b) * a.index_point + j * a.halves;
    if (a.each) {
        const real *c = a.coefficient + (a.first + b) * a.index_point + j * a.halves;
        real sum = 0;
        for (int e = 0; e < a.halves; e++)
            sum += c[e] * a.w[(int64_t)index[e] * a.h + h];
        *to = sum;
        return;
    }
    real x = a.w[(int64_t)index[0] * a.h + h];
    if (a.halves == 2)
        x += a.coefficient[j] * a.w[(int64_t)index[1] * a.h + h];
    *to = x;
}

KERNEL(activation, DevActivation) {
    int64_t i = thread_number();
    real s[6];
    if (i >= a.n)
        return;
    PDE_ACTIVATION(a.z[i] + a.bias[i % a.h], s);
    UNROLL for (int m = 0; m < 6; m++)
        if (m <= a.order)
            a.s[m][i] = s[m];
}

KERNEL(bias, DevBias) {
    int64_t i = thread_number();
    if (i < a.n)
        a.z[i] += a.bias[i % a.h];
}

KERNEL(adjoint, DevAdjoint) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    real x = a.w ? a.w[i % a.h * a.outputs] : a.lambda[i];
    a.lambda[i] = x;
    a.g[i] = x * a.s1[i];
    a.c[i] = x * a.s2[i];
}

KERNEL(adjoint_back, DevAdjointBack) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    real gbar = a.gbar[i], x = a.lambda[i], lbar = gbar * a.s1[i];
    a.s1bar[i] += gbar * x;
    if (a.cbar) {
        lbar += a.cbar[i] * a.s2[i];
        a.s2bar[i] += a.cbar[i] * x;
    }
    a.lbar[i] = lbar;
}

/* DEV_TALL rows in a block, DEV_WIDE threads for each. */
KERNEL(rows, DevRows) {
    SHARED real part1[DEV_TALL][DEV_WIDE], part2[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t row = (int64_t)blockIdx.x * DEV_TALL + ty, b = row / a.rows, k = row % a.rows;
    int inside = b < a.points, second = inside && k < a.rows2;
    const real *t = a.t + b * a.t_point + k * a.h;
    for (int64_t h = tx; h < a.h && second && a.a; h += DEV_WIDE)
        a.a[b * a.a_point + k * a.h + h] = t[h] * a.s1[b * a.h + h];
    for (int64_t o = 0; o < a.outputs; o++) {
        const int64_t v = b * a.v_point + o * a.v_output;
        real sum1 = 0, sum2 = 0;
        for (int64_t h = tx; h < a.h && inside; h += DEV_WIDE) {
            real x = t[h];
            if (a.v1)
                sum1 += a.v1[v + h * a.v_column] * x;
            if (second && a.v2)
                sum2 += a.v2[v + h * a.v_column] * x * x;
        }
        part1[ty][tx] = sum1;
        part2[ty][tx] = sum2;
        wide_sum(part1);
        wide_sum(part2);
        int64_t at = b * a.d_point + o * a.d_output + k;
        if (tx == 0 && inside && a.v1)
            a.first[at] = part1[ty][0];
        if (tx == 0 && inside && a.v2 && (second || !a.add))
            a.second[at] = (a.add ? a.second[at] : (real)0) + part2[ty][0];
        BARRIER;
    }
}

/* Seed `place` of all residuals of point b, each with its multiplier. */
DEVICE real folded(const DevFold *a, const real *seed, int64_t stride, int64_t b, int64_t place) {
    real sum = 0;
    for (int64_t e = b * a->residuals; e < (b + 1) * a->residuals; e++) {
        real f = a->multiplier ? a->multiplier[e] : (real)a->scale * a->residual[e];
        if (a->one)
            f = e == b * a->residuals + a->one - 1 ? (real)a->scale : (real)0;
        sum += f * seed[e * stride + place];
    }
    return sum;
}

KERNEL(fold, DevFold) {
    int64_t nk = a.outputs * a.directions, each = a.outputs + a.order * nk;
    int64_t i = thread_number(), b = i / each, at = i % each;
    if (b >= a.points)
        return;
    if (at < a.outputs) {
        a.nbar[b * a.outputs + at] = folded(&a, a.seed_n, a.outputs, b, at);
        return;
    }
    /* seeds come as [output][direction] and are wanted as [direction][output] */
    int64_t m = (at - a.outputs) / nk, k = (at - a.outputs) % nk;
    int64_t place = k % a.outputs * a.directions + k / a.outputs;
    const real *from = m == 0 ? a.seed_d[0] : m == 1 ? a.seed_d[1] : m == 2 ? a.seed_d[2] : a.seed_d[3];
    a.seed[(b * a.order + m) * nk + k] = folded(&a, from, nk, b, place);
}

/* Blocks: columns, points, outputs. */
KERNEL(combine_rows, DevCombineRows) {
    SHARED real part[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t h = (int64_t)blockIdx.x * DEV_WIDE + tx, b = blockIdx.y, o = blockIdx.z;
    real sum = 0;
    for (int64_t k = ty; k < a.rows && h < a.h; k += DEV_TALL)
        sum += a.seed[b * a.seed_point + k * a.outputs + o] * a.t[b * a.t_point + k * a.h + h];
    part[ty][tx] = sum;
    tall_sum(part);
    if (ty == 0 && h < a.h)
        a.to[o * a.to_output + b * a.h + h] = part[0][tx];
}

/* Blocks: columns, points. The first output's pass also brings Abar through sigma'. */
KERNEL(back, DevBack) {
    SHARED real part1[DEV_TALL][DEV_WIDE], part2[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t h = (int64_t)blockIdx.x * DEV_WIDE + tx, b = blockIdx.y, at = b * a.h + h;
    for (int64_t o = 0; o < a.outputs; o++) {
        real s1bar = 0, cbar = 0, s1 = 0, c2 = 0;
        if (h < a.h) {
            s1 = a.s1[at];
            c2 = 2 * a.c[o * a.output + at];
        }
        for (int64_t k = ty; k < a.rows && h < a.h; k += DEV_TALL) {
            real *bar = a.bar + (b * a.rows + k) * a.h + h, t = a.t[b * a.t_point + k * a.h + h];
            real ts = t * a.seed[b * a.seed_point + k * a.outputs + o], x = 0;
            cbar += t * ts;
            if (o > 0) {
                x = *bar;
            } else if (!a.top) {
                s1bar += *bar * t;
                x = *bar * s1;
            }
            *bar = x + ts * c2;
        }
        part1[ty][tx] = s1bar;
        part2[ty][tx] = cbar;
        tall_sum(part1);
        tall_sum(part2);
        if (ty == 0 && h < a.h) {
            if (o == 0 && !a.top)
                a.s1bar[at] += part1[0][tx];
            a.cbar[o * a.output + at] = part2[0][tx];
        }
        BARRIER;
    }
}

/* A thread for each entry of Rbar, points in their order. */
KERNEL(rows_join, DevRowsJoin) {
    int64_t i = thread_number(), k = i / a.h, h = i % a.h;
    if (k >= a.rows)
        return;
    real sum = a.rbar && a.add ? a.rbar[i] : (real)0;
    for (int64_t b = 0; b < a.points; b++) {
        real row = k < a.rows2 ? a.tbar[b * a.t_point + i] : (real)0;
        for (int64_t o = 0; o < a.outputs && a.g; o++)
            row += a.seed[b * a.seed_point + k * a.outputs + o] * a.g[o * a.g_output + b * a.h + h];
        if (a.each)
            a.each[b * a.each_point + i] = row;
        sum += row;
    }
    if (a.rbar)
        a.rbar[i] = sum;
}

KERNEL(put, DevPut) {
    int64_t i = thread_number(), b = i / a.h, h = i % a.h;
    if (b >= a.points)
        return;
    real *to = a.to + b * a.to_point + h * a.step, x = a.from[b * a.from_point + h];
    *to = a.keep ? *to + x : x;
}

KERNEL(value_back, DevValueBack) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    real v = a.abar[i] * a.s[1][i];
    UNROLL for (int m = 1; m <= 4; m++)
        if (m <= a.top)
            v += a.sbar[m][i] * a.s[m + 1][i];
    a.zbar[i] = v;
}

KERNEL(columns, DevColumns) {
    SHARED real part[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t h = (int64_t)blockIdx.x * DEV_WIDE + tx;
    real sum = 0;
    for (int64_t r = ty; r < a.rows && h < a.h; r += DEV_TALL)
        sum += a.from[r * a.h + h];
    part[ty][tx] = sum;
    tall_sum(part);
    if (ty == 0 && h < a.h)
        a.to[h * a.step] += part[0][tx];
}
