/* taylor.cuh: rows of order 1..4 for each direction (Faa di Bruno), as runtime/engine/kernels/taylor.h. */

KERNEL(taylor_start, DevTaylorStart) {
    int64_t n = a.rows * a.h, i = thread_number(), at = i % n, m = i / n % a.order;
    int64_t b = i / n / a.order;
    if (b < a.points)
        a.t[i] = m == 0 ? a.r[b * a.r_point + at] : (real)0;
}

/* s[m] = sigma^(m), z[m] and y[m] of order m; those above the order are zero. */
DEVICE void taylor_activate(const real *s, const real *z, real *y) {
    real q = z[1] * z[1];
    y[1] = s[1] * z[1];
    y[2] = s[1] * z[2] + s[2] * q;
    y[3] = s[1] * z[3] + s[2] * z[1] * z[2] * 3 + s[3] * q * z[1];
    y[4] = s[1] * z[4] + s[2] * (z[1] * z[3] * 4 + z[2] * z[2] * 3) + s[3] * q * z[2] * 6 +
           s[4] * q * q;
}

/* b[m]: the seed of A_m becomes that of Z_m; sb[m] += seed of s_m. */
DEVICE void taylor_reverse(const real *s, const real *z, real *b, real *sb) {
    real q = z[1] * z[1];
    sb[1] += z[1] * b[1] + z[2] * b[2] + z[3] * b[3] + z[4] * b[4];
    sb[2] += q * b[2] + z[1] * z[2] * b[3] * 3 + (z[1] * z[3] * 4 + z[2] * z[2] * 3) * b[4];
    sb[3] += q * z[1] * b[3] + q * z[2] * b[4] * 6;
    sb[4] += q * q * b[4];
    real y1 = s[1] * b[1] + s[2] * z[1] * b[2] * 2 + (s[2] * z[2] + s[3] * q) * b[3] * 3 +
              (s[2] * z[3] + s[3] * z[1] * z[2] * 3 + s[4] * q * z[1]) * b[4] * 4;
    real y2 = s[1] * b[2] + s[2] * z[1] * b[3] * 3 + (s[2] * z[2] + s[3] * q) * b[4] * 6;
    b[3] = s[1] * b[3] + s[2] * z[1] * b[4] * 4;
    b[1] = y1;
    b[2] = y2;
    b[4] = s[1] * b[4];
}

KERNEL(taylor, DevTaylor) {
    int64_t n = a.rows * a.h, i = thread_number(), b = i / n, at = i % n;
    if (b >= a.points)
        return;
    real s[5] = {0}, z[5] = {0}, y[5];
    UNROLL for (int m = 1; m <= 4; m++) {
        if (m > a.order)
            break;
        s[m] = a.s[m][b * a.h + at % a.h];
        z[m] = a.z[(b * a.order + m - 1) * n + at];
    }
    taylor_activate(s, z, y);
    UNROLL for (int m = 1; m <= 4; m++)
        if (m <= a.order)
            a.a[(b * a.order + m - 1) * n + at] = y[m];
}

/* Blocks: columns, points; the directions of a point are shared by DEV_TALL rows of threads. */
KERNEL(taylor_back, DevTaylor) {
    SHARED real part[DEV_TALL][DEV_WIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int64_t n = a.rows * a.h, h = (int64_t)blockIdx.x * DEV_WIDE + tx, b = blockIdx.y;
    real s[5] = {0}, sb[5] = {0};
    UNROLL for (int m = 1; m <= 4; m++)
        if (m <= a.order && h < a.h)
            s[m] = a.s[m][b * a.h + h];
    for (int64_t k = ty; k < a.rows && h < a.h; k += DEV_TALL) {
        real z[5] = {0}, y[5] = {0};
        UNROLL for (int m = 1; m <= 4; m++) {
            if (m > a.order)
                break;
            z[m] = a.z[(b * a.order + m - 1) * n + k * a.h + h];
            y[m] = a.bar[(b * a.order + m - 1) * n + k * a.h + h];
        }
        taylor_reverse(s, z, y, sb);
        UNROLL for (int m = 1; m <= 4; m++)
            if (m <= a.order)
                a.bar[(b * a.order + m - 1) * n + k * a.h + h] = y[m];
    }
    UNROLL for (int m = 1; m <= 4; m++) {
        if (m > a.order)
            break;
        part[ty][tx] = sb[m];
        tall_sum(part);
        if (ty == 0 && h < a.h)
            a.sbar[m][b * a.h + h] = part[0][tx];
        BARRIER;
    }
}
