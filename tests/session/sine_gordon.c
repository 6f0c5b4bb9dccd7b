/* A stand-in for what pdec generates: two-body Sine-Gordon on the unit ball, written by hand to
 * kernel_abi.h. Compiled to bitcode once with `real` float and once double.
 *
 *     sum_i d2(u, x_i) + sin(u) = g,   u = q N,  q = 1 - |x|^2
 *     exact u = q sum_i c_i sin(x_i + cos x_{i+1} + x_{i+1} cos x_i) */
#include <stdint.h>

#include "runtime/contract/kernel_abi.h"
#include "runtime/contract/pde_math.h"

#ifdef PDE_REAL_F64
typedef double real;
#define SIN pde_sin
#define COS pde_cos
#else
typedef float real;
#define SIN pde_sinf
#define COS pde_cosf
#endif

enum { L = 16 };

extern const int64_t pde_dim_d;

int32_t pde_constants(double *out);
void pde_tensor_c(double *out);
void pde_family_0_0(int64_t *range);
void pde_points_0(const PdePointArgs *a);
void pde_points_1(const PdePointArgs *a);
void pde_combine_0(const PdeCombineArgs *a);
void pde_exact_0(const PdeCombineArgs *a);
void pde_fields(const PdeCombineArgs *a);

int32_t pde_constants(double *out) {
    out[0] = (double)pde_dim_d;
    out[1] = 1;
    out[2] = out[3] = out[4] = 0;
    return 5;
}

void pde_tensor_c(double *out) {
    out[0] = 0;
    out[1] = 1;
}

void pde_family_0_0(int64_t *range) {
    range[0] = 1;
    range[1] = pde_dim_d;
}

/* scalars: q, g, exact u */
void pde_points_0(const PdePointArgs *a) {
    const real *x = a->x, *c = a->tensor[0];
    real *out = a->out;
    real rr[L], lap[L], cross[L], sum[L], s1[L], c1[L];
    for (int l = 0; l < L; l++) {
        rr[l] = x[l] * x[l];
        lap[l] = cross[l] = sum[l] = 0;
        s1[l] = SIN(x[l]);
        c1[l] = COS(x[l]);
    }
    for (int64_t i = 0; i + 1 < pde_dim_d; i++) {
        const real w = c[i];
        for (int l = 0; l < L; l++) {
            real x1 = x[i * L + l], x2 = x[(i + 1) * L + l], s2 = SIN(x2), c2 = COS(x2);
            real theta = x1 + c2 + x2 * c1[l], S = SIN(theta), C = COS(theta);
            real t1 = 1 - x2 * s1[l], t2 = c1[l] - s2;
            lap[l] -= w * (S * (t1 * t1 + t2 * t2) + C * (x2 * c1[l] + c2));
            cross[l] += w * C * (x1 * t1 + x2 * t2);
            sum[l] += w * S;
            rr[l] += x2 * x2;
            s1[l] = s2;
            c1[l] = c2;
        }
    }
    for (int l = 0; l < L; l++) {
        real q = 1 - rr[l], u = q * sum[l];
        out[l] = q;
        out[L + l] = q * lap[l] - 4 * cross[l] - 2 * (real)pde_dim_d * sum[l] + SIN(u);
        out[2 * L + l] = u;
    }
}

/* scalars: exact u, q */
void pde_points_1(const PdePointArgs *a) {
    real scalar[3 * L], *out = a->out;
    PdePointArgs inner = *a;
    inner.out = scalar;
    pde_points_0(&inner);
    for (int l = 0; l < L; l++) {
        out[l] = scalar[2 * L + l];
        out[L + l] = scalar[l];
    }
}

/* R = factor sum_I (q s N2 - 4 x_i s N1 - 2 s N) + sin(q s N) - g */
void pde_combine_0(const PdeCombineArgs *a) {
    const real *x = a->x, *scalar = a->scalar, *n = a->n, *n1 = a->d[0], *n2 = a->d[1];
    const real q = scalar[a->lane], g = scalar[L + a->lane];
    const real s = (real)a->output_scale[0], f = (real)a->factor[0];
    const int64_t count = a->count[0], first = a->block[0];
    real sum = 0, *residual = a->residual, *seed_n = a->seed_n;
    for (int64_t k = 0; k < count; k++)
        sum += q * n2[first + k] - 4 * x[(int64_t)a->set[0][k] * L + a->lane] * n1[first + k];
    const real u = q * s * n[0];
    residual[0] = f * s * (sum - 2 * (real)count * n[0]) + SIN(u) - g;
    if (!seed_n)
        return;
    real *seed1 = a->seed_d[0], *seed2 = a->seed_d[1];
    seed_n[0] = -2 * f * s * (real)count + COS(u) * q * s;
    for (int64_t k = 0; k < count; k++) {
        seed1[first + k] = -4 * f * s * x[(int64_t)a->set[0][k] * L + a->lane];
        seed2[first + k] = f * s * q;
    }
}

/* block 0: Gram directions, block 1: the position */
void pde_exact_0(const PdeCombineArgs *a) {
    const real *scalar = a->scalar, *n = a->n, *n1 = a->d[0], *n2 = a->d[1];
    const real q = scalar[a->lane], g = scalar[L + a->lane], s = (real)a->output_scale[0];
    const int64_t first = a->block[0], end = a->block[1];
    real sum = 0, *residual = a->residual, *seed_n = a->seed_n;
    for (int64_t k = first; k < end; k++)
        sum += n2[k];
    const real u = q * s * n[0], d = (real)pde_dim_d;
    residual[0] = s * (q * sum - 4 * n1[end] - 2 * d * n[0]) + SIN(u) - g;
    if (!seed_n)
        return;
    real *seed1 = a->seed_d[0], *seed2 = a->seed_d[1];
    seed_n[0] = -2 * d * s + COS(u) * q * s;
    seed1[end] = -4 * s;
    for (int64_t k = first; k < end; k++)
        seed2[k] = s * q;
}

void pde_fields(const PdeCombineArgs *a) {
    const real *scalar = a->scalar, *n = a->n;
    real *u = a->residual;
    u[0] = scalar[L + a->lane] * (real)a->output_scale[0] * n[0];
}
