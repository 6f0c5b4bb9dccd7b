/* sigma and its derivatives, for every row of activation.def.
 * Each act_<name>(z, s) writes s[0..5] = sigma^(m)(z). Plain C subset, for host and CUDA: `real`, R(),
 * M_(), real_erf and INLINE are the includer's.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_SIGMA_H
#define PDE_RUNTIME_ENGINE_KERNELS_SIGMA_H

INLINE void act_tanh(real z, real *s) {
    real t = M_(tanh)(z), u = t * t, d = 1 - u;
    s[0] = t;
    s[1] = d;
    s[2] = -2 * t * d;
    s[3] = d * (6 * u - 2);
    s[4] = d * t * (16 - 24 * u);
    s[5] = d * (16 + u * (120 * u - 120));
}

INLINE void act_sin(real z, real *s) {
    real a = M_(sin)(z), c = M_(cos)(z);
    s[0] = s[4] = a;
    s[1] = s[5] = c;
    s[2] = -a;
    s[3] = -c;
}

INLINE void act_snake(real z, real *s) {
    real a = M_(sin)(2 * z), c = M_(cos)(2 * z);
    s[0] = z + (1 - c) / 2;
    s[1] = 1 + a;
    s[2] = 2 * c;
    s[3] = -4 * a;
    s[4] = -8 * c;
    s[5] = 16 * a;
}

INLINE void act_gelu(real z, real *s) {
    real u = z * z, phi = R(0.398942280401432677939946) * M_(exp)(R(-0.5) * u);
    real cdf = R(0.5) * (1 + real_erf(z * R(0.707106781186547524400844)));
    s[0] = z * cdf;
    s[1] = cdf + z * phi;
    s[2] = phi * (2 - u);
    s[3] = phi * z * (u - 4);
    s[4] = phi * (u * (7 - u) - 4);
    s[5] = phi * z * (u * (u - 11) + 18);
}

/* The logistic function and its first five derivatives; 1 - p is formed without cancellation. */
INLINE void logistic(real z, real *p) {
    real e = M_(exp)(z < 0 ? z : -z), big = 1 / (1 + e), small = e * big;
    real a = z < 0 ? small : big, b = z < 0 ? big : small, d = a * b, w = b - a;
    p[0] = a;
    p[1] = d;
    p[2] = d * w;
    p[3] = d * (1 - 6 * d);
    p[4] = d * w * (1 - 12 * d);
    p[5] = d * (1 - 30 * d + 120 * d * d);
}

INLINE void act_silu(real z, real *s) {
    real p[6];
    logistic(z, p);
    s[0] = z * p[0];
    for (int m = 1; m < 6; m++)
        s[m] = z * p[m] + (real)m * p[m - 1];
}

INLINE void act_softplus(real z, real *s) {
    real p[6], e = M_(exp)(z < 0 ? z : -z);
    logistic(z, p);
    /* log1p(e) for 0 < e <= 1 without its cancellation: log(1+e) * e / ((1+e)-1) */
    real one = 1 + e, loss = one - 1;
    real tail = loss > 0 ? M_(log)(one) * (e / (loss > 0 ? loss : 1)) : e;
    s[0] = (z > 0 ? z : 0) + tail;
    for (int m = 1; m < 6; m++)
        s[m] = p[m - 1];
}

INLINE void act_gauss(real z, real *s) {
    real u = z * z, g = M_(exp)(R(-0.5) * u);
    s[0] = g;
    s[1] = -z * g;
    s[2] = (u - 1) * g;
    s[3] = z * (3 - u) * g;
    s[4] = (u * (u - 6) + 3) * g;
    s[5] = -z * (u * (u - 10) + 15) * g;
}

INLINE void act_relu3(real z, real *s) {
    real p = z > 0 ? z : 0;
    s[0] = p * p * p;
    s[1] = 3 * p * p;
    s[2] = 6 * p;
    s[3] = z > 0 ? 6 : 0;
    s[4] = s[5] = 0;
}

INLINE void act_identity(real z, real *s) {
    s[0] = z;
    s[1] = 1;
    s[2] = s[3] = s[4] = s[5] = 0;
}

INLINE void act_square(real z, real *s) {
    s[0] = z * z;
    s[1] = 2 * z;
    s[2] = 2;
    s[3] = s[4] = s[5] = 0;
}

INLINE void act_cube(real z, real *s) {
    s[0] = z * z * z;
    s[1] = 3 * z * z;
    s[2] = 6 * z;
    s[3] = 6;
    s[4] = s[5] = 0;
}

#endif
