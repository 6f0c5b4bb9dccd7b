/* test_density.c: volumes and densities of the compiler against closed forms in long double. */
#include "lab.h"

#include "compiler/lower/density.h"
#include "greatest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *domain, *more;
    long double (*log_inverse)(long d);
} Case;

static const long double pi = 3.14159265358979323846264338327950288L;

static long double ball(long d) {
    return (long double)d / 2 * logl(pi) - lgammal((long double)d / 2 + 1);
}
static long double wide_ball(long d) {
    return ball(d) + (long double)d * logl(1.5L);
}
static long double box(long d) {
    return (long double)d * logl(3.0L);
}
static long double annulus(long d) {
    return ball(d) + logl(powl(1.5L, (long double)d) - powl(0.5L, (long double)d));
}
static long double simplex(long d) {
    return -lgammal((long double)d + 1);
}
static long double ellipsoid(long d) {
    long double sum = ball(d);
    for (long i = 1; i <= d; i++)
        sum += logl(1 + (long double)i / (long double)d);
    return sum;
}
/* of normal(1/2, 2) at x = 0 */
static long double normal(long d) {
    return (long double)d * (logl(2 * pi * 4) / 2 + 0.25L / 8);
}

static const Case cases[] = {
    {"ball(d, 1)", "", ball},
    {"ball(d, 1.5)", "", wide_ball},
    {"box(d, -1, 2)", "", box},
    {"torus(d, -1, 2)", "", box},
    {"annulus(d, 0.5, 1.5)", "", annulus},
    {"simplex(d)", "", simplex},
    {"ellipsoid(d, a_i)", "let a_i = 1 + i/d\n", ellipsoid},
    {"R(d)", "sample x_i ~ normal(0.5, 2)\n", normal},
};

TEST each_is_its_closed_form(void) {
    static const long dims[] = {1, 2, 3, 4, 7, 10, 33, 100};
    static char text[512];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t n = 0; n < sizeof dims / sizeof dims[0]; n++) {
            Lab lab;
            const double zero[100] = {0};
            snprintf(text, sizeof text,
                     "dim d = 3\ndomain x in %s\nfield u(x)\nequation lap(u) = 1\n%s%s",
                     cases[k].domain,
                     strncmp(cases[k].domain, "torus", 5) && cases[k].domain[0] != 'R'
                         ? "boundary u = 0\n"
                         : "",
                     cases[k].more);
            ASSERTm(text, lab_open(&lab, cases[k].domain, text, PASS_expanded, dims[n]));
            Ref inverse = density_inverse(&lab.c, lab.c.problem);
            ASSERTm(text, inverse && lab_values(&lab, inverse));
            long double found = logl(lab_eval(&lab, inverse, zero, 0));
            long double wanted = cases[k].log_inverse(dims[n]);
            static char said[512];
            snprintf(said, sizeof said, "%s at d = %ld: %.15Lg, not %.15Lg", cases[k].domain,
                     dims[n], found, wanted);
            ASSERTm(said, fabsl(found - wanted) < 1e-11L * (1 + fabsl(wanted)));
            lab_close(&lab);
        }
    PASS();
}

/* Laws whose density is not written down have none here. */
TEST others_are_not_known(void) {
    static const char *const problems[] = {
        "dim d = 3\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = 1\nboundary u = 0\n"
        "sample x ~ radial(uniform)\n",
        "dim d = 3\ndomain x in R(d)\nfield u(x)\nequation lap(u) = u\nsample x_i ~ uniform(-1, "
        "1)\n",
        "dim d = 3\ndomain x in R(d)\nfield u(x)\nequation lap(u) = u\n"
        "sample x_i ~ lognormal(0, 1)\n"};
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
        Lab lab;
        ASSERTm(problems[k], lab_open(&lab, "law", problems[k], PASS_expanded, 0));
        ASSERT_EQ_FMT(0u, density_inverse(&lab.c, lab.c.problem), "%u");
        ASSERT_EQ_FMT(0u, density_root(&lab.c, lab.c.problem), "%u");
        lab_close(&lab);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(each_is_its_closed_form);
    RUN_TEST(others_are_not_known);
    GREATEST_MAIN_END();
}
