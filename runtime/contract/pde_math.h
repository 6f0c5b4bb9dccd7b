/* Elementary functions as branch-free C, so that gcc and clang vectorise a loop over lanes.
 *
 * Plain C subset: usable from host code, from generated code and from CUDA. Polynomials are the
 * minimax forms of SLEEF (Boost licence) and Cephes; accuracy is held by tests/engine/engine_math.c.
 * Arguments: sin, cos |x| <= 3e4 (float) or 1e9 (double); exp, log, tanh all finite numbers.
 * Compile with -fno-math-errno -fno-trapping-math, otherwise the selects are not vectorised.
 */
#ifndef PDE_RUNTIME_CONTRACT_PDE_MATH_H
#define PDE_RUNTIME_CONTRACT_PDE_MATH_H

#ifndef PDE_CUDA
#include <stdint.h>
#include <string.h>
#endif

#ifndef PDE_MATH_FN
#define PDE_MATH_FN static inline
#endif

PDE_MATH_FN float pde_float_of(int32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

PDE_MATH_FN int32_t pde_bits_of(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PDE_MATH_FN double pde_double_of(int64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

PDE_MATH_FN int64_t pde_bits_of_double(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Nearest whole number for |x| < 2^22 (2^51), by the rounding of an addition. */
PDE_MATH_FN float pde_nearf(float x) {
    return (x + 12582912.0f) - 12582912.0f;
}

PDE_MATH_FN double pde_near(double x) {
    return (x + 6755399441055744.0) - 6755399441055744.0;
}

/* sin of the reduced angle d in [-pi/2, pi/2] */
PDE_MATH_FN float pde_sin_polyf(float d) {
    float s = d * d, u = 2.6083159809786593541503e-06f;
    u = u * s - 0.0001981069071916863322258f;
    u = u * s + 0.00833307858556509017944336f;
    u = u * s - 0.166666597127914428710938f;
    return s * (u * d) + d;
}

PDE_MATH_FN float pde_sinf(float x) {
    float q = pde_nearf(x * 0.318309886183790671537767526745f);
    float d = ((x - q * 3.140625f) - q * 0.0009670257568359375f) - q * 6.2771141529083251953e-07f;
    d -= q * 1.2154201256553420762e-10f;
    float y = pde_sin_polyf(d);
    return ((int32_t)q & 1) ? -y : y;
}

PDE_MATH_FN float pde_cosf(float x) {
    float q = 2.0f * pde_nearf(x * 0.318309886183790671537767526745f - 0.5f) + 1.0f;
    float d = (x - q * 1.5703125f) - q * 0.00048351287841796875f;
    d = d - q * 3.13855707645416259765e-07f;
    d -= q * 6.077100628276710381e-11f;
    float y = pde_sin_polyf(d);
    return ((int32_t)q & 2) ? y : -y;
}

/* Both for little more than one: the angle is reduced to [-pi/4, pi/4] once. Absolute errors are below
 * 1e-7 (float) and 3e-16 (double). */
PDE_MATH_FN void pde_sincosf(float x, float *sine, float *cosine) {
    float m = x * 0.636619772367581343075535053490f + 12582912.0f, q = m - 12582912.0f;
    float d = ((x - q * 1.5703125f) - q * 0.00048351287841796875f) - q * 3.139164786504e-07f;
    float z = d * d, u = 2.443315711809948e-5f, s = pde_sin_polyf(d);
    u = u * z - 1.388731625493765e-3f;
    u = u * z + 4.166664568298827e-2f;
    float c = u * z * z + (1.0f - 0.5f * z);
    uint32_t n = (uint32_t)pde_bits_of(m); /* its last bits are those of q */
    float a = (n & 1) ? c : s, b = (n & 1) ? s : c;
    *sine = pde_float_of((int32_t)((uint32_t)pde_bits_of(a) ^ (n << 30 & 0x80000000u)));
    *cosine = pde_float_of((int32_t)((uint32_t)pde_bits_of(b) ^ ((n + 1) << 30 & 0x80000000u)));
}

PDE_MATH_FN float pde_expf(float x) {
    float c = x > -104.0f ? x : -104.0f; /* also for NaN, which has no integer */
    c = c < 89.0f ? c : 89.0f;
    float q = pde_nearf(c * 1.442695040888963407359924681f);
    float s = (c - q * 0.693145751953125f) - q * 1.428606765330187045e-06f;
    float u = 0.000198527617612853646278381f;
    u = u * s + 0.00139304355252534151077271f;
    u = u * s + 0.00833336077630519866943359f;
    u = u * s + 0.0416664853692054748535156f;
    u = u * s + 0.166666671633720397949219f;
    u = u * s + 0.5f;
    u = s * s * u + s + 1.0f;
    int32_t n = (int32_t)q, half = n >> 1;
    u = u * pde_float_of((half + 127) << 23) * pde_float_of((n - half + 127) << 23);
    u = x < -104.0f ? 0.0f : u;
    return x != x ? x : u;
}

PDE_MATH_FN float pde_logf(float x) {
    int tiny = x < 1.17549435e-38f;
    float d = tiny ? x * 18446744073709551616.0f : x;
    int32_t e = (pde_bits_of(d * (1.0f / 0.75f)) >> 23) - 127;
    float m = pde_float_of(pde_bits_of(d) - e * 8388608);
    float f = m - 1.0f, t = f / (2.0f + f), t2 = t * t, half = 0.5f * f * f;
    float k = (float)(tiny ? e - 64 : e), u = 0.2392828464508056640625f;
    u = u * t2 + 0.28518211841583251953125f;
    u = u * t2 + 0.400005877017974853515625f;
    u = (u * t2 + 0.666666686534881591796875f) * t2;
    /* f is exact, so only the small correction to it carries the division's rounding */
    float y = k * 0.693359375f - ((half - (t * (half + u) + k * -2.12194440e-4f)) - f);
    y = x == 0.0f ? -__builtin_inff() : y;
    y = x > 3.402823466e+38f ? x : y;
    return x >= 0.0f ? y : __builtin_nanf("");
}

PDE_MATH_FN float pde_tanhf(float x) {
    float z = x * x, u = -5.70498872745e-3f;
    u = u * z + 2.06390887954e-2f;
    u = u * z - 5.37397155531e-2f;
    u = u * z + 1.33314422036e-1f;
    u = u * z - 3.33332819422e-1f;
    float near_zero = u * z * x + x;
    float a = x < 0 ? -x : x;
    float e = pde_expf(-2.0f * a), y = (1.0f - e) / (1.0f + e);
    y = x < 0 ? -y : y;
    return a < 0.625f ? near_zero : y;
}

PDE_MATH_FN double pde_sin_poly(double d) {
    double s = d * d, u = -7.97255955009037868891952e-18;
    u = u * s + 2.81009972710863200091251e-15;
    u = u * s - 7.64712219118158833288484e-13;
    u = u * s + 1.60590430605664501629054e-10;
    u = u * s - 2.50521083763502045810755e-08;
    u = u * s + 2.75573192239198747630416e-06;
    u = u * s - 0.000198412698412696162806809;
    u = u * s + 0.00833333333333332974823815;
    u = u * s - 0.166666666666666657414808;
    return s * (u * d) + d;
}

PDE_MATH_FN double pde_sin(double x) {
    double q = pde_near(x * 0.318309886183790671537767526745);
    double d = (x - q * 3.1415926218032836914) - q * 3.1786509424591713469e-08;
    d = (d - q * 1.2246467864107188502e-16) - q * 1.2736634327021899816e-24;
    double y = pde_sin_poly(d);
    return ((int64_t)q & 1) ? -y : y;
}

PDE_MATH_FN double pde_cos(double x) {
    double q = 2.0 * pde_near(x * 0.318309886183790671537767526745 - 0.5) + 1.0;
    double d = (x - q * 1.5707963109016418457) - q * 1.58932547122958567343e-08;
    d = (d - q * 6.1232339320535942510e-17) - q * 6.3683171635109499079e-25;
    double y = pde_sin_poly(d);
    return ((int64_t)q & 2) ? y : -y;
}

PDE_MATH_FN void pde_sincos(double x, double *sine, double *cosine) {
    double q = pde_near(x * 0.636619772367581343075535053490);
    double d = (x - q * 1.5707963109016418457) - q * 1.58932547122958567343e-08;
    d = (d - q * 6.1232339320535942510e-17) - q * 6.3683171635109499079e-25;
    double z = d * d, u = -1.13585365213876817300e-11, s = pde_sin_poly(d);
    u = u * z + 2.08757008419747316778e-9;
    u = u * z - 2.75573141792967388112e-7;
    u = u * z + 2.48015872888517045348e-5;
    u = u * z - 1.38888888888730564116e-3;
    u = u * z + 4.16666666666665929218e-2;
    double c = u * z * z + (1.0 - 0.5 * z);
    int64_t n = (int64_t)q;
    double a = (n & 1) ? c : s, b = (n & 1) ? s : c;
    *sine = (n & 2) ? -a : a;
    *cosine = ((n + 1) & 2) ? -b : b;
}

PDE_MATH_FN double pde_exp(double x) {
    double c = x > -746.0 ? x : -746.0;
    c = c < 710.0 ? c : 710.0;
    double q = pde_near(c * 1.442695040888963407359924681);
    double s = (c - q * 0.69314718055966295651160180568695) - q * 2.8235290563031577122588448e-13;
    double u = 2.08860621107283687536341e-09;
    u = u * s + 2.51112930892876518610661e-08;
    u = u * s + 2.75573911234900471893338e-07;
    u = u * s + 2.75572362911928827629423e-06;
    u = u * s + 2.4801587159235472998791e-05;
    u = u * s + 0.000198412698960509205564975;
    u = u * s + 0.00138888888889774492207962;
    u = u * s + 0.00833333333331652721664984;
    u = u * s + 0.0416666666666665047591422;
    u = u * s + 0.166666666666666851703837;
    u = u * s + 0.5;
    u = s * s * u + s + 1.0;
    int64_t n = (int64_t)q, half = n >> 1;
    u = u * pde_double_of((half + 1023) << 52) * pde_double_of((n - half + 1023) << 52);
    u = x < -746.0 ? 0.0 : u;
    return x != x ? x : u;
}

PDE_MATH_FN double pde_log(double x) {
    int tiny = x < 2.2250738585072014e-308;
    double d = tiny ? x * 18446744073709551616.0 : x;
    int64_t e = (pde_bits_of_double(d * (1.0 / 0.75)) >> 52) - 1023;
    double m = pde_double_of(pde_bits_of_double(d) - (int64_t)((uint64_t)e << 52));
    double f = m - 1.0, t = f / (2.0 + f), t2 = t * t, half = 0.5 * f * f;
    double k = (double)(tiny ? e - 64 : e), u = 0.153487338491425068243146;
    u = u * t2 + 0.152519917006351951593857;
    u = u * t2 + 0.181863266251982985677316;
    u = u * t2 + 0.222221366518767365905163;
    u = u * t2 + 0.285714294746548025383248;
    u = u * t2 + 0.399999999950799600689777;
    u = (u * t2 + 0.6666666666667778740063) * t2;
    double y = k * 6.93147180369123816490e-01 -
               ((half - (t * (half + u) + k * 1.90821492927058770002e-10)) - f);
    y = x == 0.0 ? -__builtin_inf() : y;
    y = x > 1.7976931348623157e+308 ? x : y;
    return x >= 0.0 ? y : __builtin_nan("");
}

PDE_MATH_FN double pde_tanh(double x) {
    double z = x * x;
    double p =
        (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
    double q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z +
               4.84406305325125486048e3;
    double near_zero = x + x * z * p / q;
    double a = x < 0 ? -x : x;
    double e = pde_exp(-2.0 * a), y = (1.0 - e) / (1.0 + e);
    y = x < 0 ? -y : y;
    return a < 0.625 ? near_zero : y;
}

#endif
