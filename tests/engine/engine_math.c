/* Accuracy of pde_math.h against libm in higher precision, and activations against differences. */
#include <math.h>
#include <stdio.h>

#include "greatest.h"
#include "runtime/contract/pde_math.h"

#define PDE_REAL_F64
#include "runtime/engine/engine.h"
#include "runtime/engine/kernels/activation.h"

/* |got - want| in units of the last place of want (float, double) */
static double ulps(float got, double want) {
    double unit = ldexp(1, ilogb(want == 0 ? 1e-45 : want) - 23);
    if (fabs(want) < 1.2e-38)
        unit = 1.4e-45;
    return fabs((double)got - want) / unit;
}

static double ulps_double(double got, long double want) {
    long double unit = ldexpl(1, ilogbl(want == 0 ? 1e-300L : want) - 52);
    return (double)(fabsl((long double)got - want) / unit);
}

enum { SAMPLES = 200000 };

#define SWEEP(worst, low, high, got, want)                                                         \
    double worst = 0;                                                                              \
    for (int i = 0; i < SAMPLES; i++) {                                                            \
        float x = (float)((low) + ((high) - (low)) * (i + 0.37) / SAMPLES);                        \
        double u = ulps(got(x), want((double)x));                                                  \
        if (u > worst)                                                                             \
            worst = u;                                                                             \
    }

#define SWEEP_DOUBLE(worst, low, high, got, want)                                                  \
    double worst = 0;                                                                              \
    for (int i = 0; i < SAMPLES; i++) {                                                            \
        double x = (low) + ((high) - (low)) * (i + 0.37) / SAMPLES;                                \
        double u = ulps_double(got(x), want((long double)x));                                      \
        if (u > worst)                                                                             \
            worst = u;                                                                             \
    }

TEST float_functions_are_accurate(void) {
    SWEEP(e, -87.0, 88.0, pde_expf, exp)
    SWEEP(t, -9.5, 9.5, pde_tanhf, tanh)
    SWEEP(l, 1e-30, 50.0, pde_logf, log)
    SWEEP(near_one, 0.8, 1.25, pde_logf, log)
    printf("float ulp: exp %.2f tanh %.2f log %.2f, near one %.2f\n", e, t, l, near_one);
    ASSERT(e < 1.5);
    ASSERT(t < 2);
    ASSERT(l < 1.5);
    ASSERT(near_one < 1.5);
    PASS();
}

/* Near its zeros sin has an absolute error of the reduced argument's last place. */
TEST float_trigonometry_is_accurate(void) {
    double worst = 0, far = 0;
    for (int i = 0; i < SAMPLES; i++) {
        float x = (float)(-30 + 60.0 * (i + 0.37) / SAMPLES), y = x * 900;
        worst = fmax(worst, fabs((double)pde_sinf(x) - sin((double)x)));
        worst = fmax(worst, fabs((double)pde_cosf(x) - cos((double)x)));
        far = fmax(far, fabs((double)pde_sinf(y) - sin((double)y)));
        far = fmax(far, fabs((double)pde_cosf(y) - cos((double)y)));
    }
    printf("float sin, cos: %.2e for |x| < 30, %.2e for |x| < 27000\n", worst, far);
    ASSERT(worst < 1.2e-7);
    ASSERT(far < 2e-7);
    PASS();
}

TEST double_functions_are_accurate(void) {
    SWEEP_DOUBLE(e, -700.0, 700.0, pde_exp, expl)
    SWEEP_DOUBLE(t, -19.0, 19.0, pde_tanh, tanhl)
    SWEEP_DOUBLE(l, 1e-300, 50.0, pde_log, logl)
    SWEEP_DOUBLE(near_one, 0.8, 1.25, pde_log, logl)
    double trig = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = -1000 + 2000.0 * (i + 0.37) / SAMPLES;
        trig = fmax(trig, (double)fabsl((long double)pde_sin(x) - sinl((long double)x)));
        trig = fmax(trig, (double)fabsl((long double)pde_cos(x) - cosl((long double)x)));
    }
    printf("double ulp: exp %.2f tanh %.2f log %.2f, near one %.2f; sin, cos %.1e\n", e, t, l,
           near_one, trig);
    ASSERT(e < 2);
    ASSERT(t < 2);
    ASSERT(l < 1.5);
    ASSERT(near_one < 1.5);
    ASSERT(trig < 2.5e-16);
    PASS();
}

TEST edges_are_right(void) {
    ASSERT_EQ(0.0f, pde_expf(-200.0f));
    ASSERT(isinf(pde_expf(100.0f)));
    ASSERT(isnan(pde_expf(NAN)));
    ASSERT(isinf(pde_logf(0.0f)) && pde_logf(0.0f) < 0);
    ASSERT(isnan(pde_logf(-1.0f)));
    ASSERT_EQ(1.0f, pde_tanhf(50.0f));
    ASSERT_EQ(-1.0f, pde_tanhf(-50.0f));
    ASSERT(isnan(pde_tanhf(NAN)));
    ASSERT_EQ(0.0f, pde_sinf(0.0f));
    ASSERT_EQ(1.0f, pde_cosf(0.0f));
    ASSERT_EQ(0.0, pde_exp(-800.0));
    ASSERT(isinf(pde_exp(710.0)));
    ASSERT(isinf(pde_log(0.0)));
    ASSERT(isnan(pde_log(-2.0)));
    ASSERT_EQ(1.0, pde_tanh(40.0));
    PASS();
}

/* sigma^(m+1) against the difference of sigma^(m); sigma itself is checked in engine_jets.c */
TEST activation_derivatives_match(int kind) {
    enum { N = 301 };
    static double z[N], lo[6][N], hi[6][N], at[6][N];
    double *to[6], *a[6], *b[6], h = 1e-5;
    for (int m = 0; m < 6; m++) {
        to[m] = at[m];
        a[m] = lo[m];
        b[m] = hi[m];
    }
    for (int i = 0; i < N; i++)
        z[i] = -6.013 + 12.0 * i / (N - 1);
    activation_table[kind](z, to, N, 5);
    for (int i = 0; i < N; i++)
        z[i] -= h;
    activation_table[kind](z, a, N, 5);
    for (int i = 0; i < N; i++)
        z[i] += 2 * h;
    activation_table[kind](z, b, N, 5);
    for (int m = 0; m < 5; m++)
        for (int i = 0; i < N; i++) {
            double slope = (hi[m][i] - lo[m][i]) / (2 * h);
            ASSERT_IN_RANGE(slope, at[m + 1][i], 2e-7 * (1 + fabs(slope)));
        }
    static double short_[4][N];
    double *few[6] = {short_[0], short_[1], short_[2], short_[3], NULL, NULL};
    for (int i = 0; i < N; i++)
        z[i] -= h;
    activation_table[kind](z, few, N, 3);
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < N; i++)
            ASSERT_IN_RANGE(at[m][i], short_[m][i], 1e-8 * (1 + fabs(at[m][i])));
    PASS();
}

SUITE(mathematics) {
    RUN_TEST(float_functions_are_accurate);
    RUN_TEST(float_trigonometry_is_accurate);
    RUN_TEST(double_functions_are_accurate);
    RUN_TEST(edges_are_right);
    for (int i = 0; i < PDE_ACTIVATIONS; i++)
        RUN_TESTp(activation_derivatives_match, i);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(mathematics);
    GREATEST_MAIN_END();
}
