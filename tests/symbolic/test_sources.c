/* test_sources.c: manufactured sources and exact solutions against finite differences, closed forms
 * and the published reference values; cost linear in d. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include "compiler/lower/trial.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char note[512];

/* ---- differences of the exact solution stand in for the unknown ---- */

typedef struct Differences {
    Lab *lab;
    const double *x;
    double t, h;
} Differences;

/* How often each distinct variable occurs. */
static int distinct(uint32_t n, const int64_t *variables, int64_t *which, int *times) {
    int k = 0;
    for (uint32_t i = 0; i < n; i++) {
        int j = 0;
        while (j < k && which[j] != variables[i])
            j++;
        if (j == k) {
            which[k] = variables[i];
            times[k++] = 0;
        }
        times[j]++;
    }
    return k;
}

/* Stencils of order 8; the fourth derivative is the second twice. Steps are multiples of 2^-k. */
static void weights(int order, double h, long double w[17]) {
    memset(w, 0, 17 * sizeof *w);
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) {
            long double second = order == 4   ? lab_stencil[2][b]
                                 : order == 3 ? lab_stencil[1][b]
                                              : (b == 4);
            w[a + b] += lab_stencil[order > 2 ? 2 : order][a] * second;
        }
    for (int a = 0; a < 17; a++)
        w[a] /= powl((long double)h, order);
}

enum { BATCH = 17 * 17 };

/* The derivative of expression e, all points of the stencil in one evaluation. */
static long double differentiate(const Differences *k, Ref e, uint32_t n,
                                 const int64_t *variables) {
    int64_t which[2] = {-1, -1}, d = k->lab->values.d;
    int times[2] = {0, 0}, kinds = distinct(n, variables, which, times);
    long double w[2][17], out[BATCH], weight[BATCH], total = 0;
    double *x = malloc(sizeof *x * (size_t)(d * BATCH + 1)), t[BATCH];
    uint32_t points = 0;
    for (int k2 = 0; k2 < 2; k2++)
        weights(k2 < kinds ? times[k2] : 0, k->h, w[k2]);
    for (int a = 0; a < 17 && x; a++)
        for (int b = 0; b < 17; b++) {
            if (w[0][a] * w[1][b] == 0)
                continue;
            double step[2] = {(a - 8) * k->h, (b - 8) * k->h};
            double *p = x + points * d;
            memcpy(p, k->x, sizeof *p * (size_t)d);
            t[points] = k->t;
            for (int v = 0; v < kinds; v++)
                *(which[v] ? &p[which[v] - 1] : &t[points]) += step[v];
            weight[points++] = w[0][a] * w[1][b];
        }
    EvalInput in = values_input(&k->lab->values);
    in.points = points;
    in.x = x;
    in.t = t;
    const char *why = x ? eval_long_double(k->lab->c.ir, e, &in, out) : "no memory";
    for (uint32_t p = 0; p < points && !why; p++)
        total += weight[p] * out[p];
    free(x);
    return why ? nanl("") : total;
}

static void field_by_differences(void *context, Op op, uint32_t number, uint32_t order,
                                 const int64_t *variables, uint32_t points, long double *out) {
    Differences *k = context;
    Arena outer = k->lab->c.scratch; /* of the evaluation that asks: it goes on afterwards */
    k->lab->c.scratch = (Arena){.limit = outer.limit, .on_fail = outer.on_fail};
    (void)op;
    for (uint32_t p = 0; p < points; p++)
        out[p] = differentiate(k, k->lab->c.problem->field.at[number].exact, order, variables);
    k->lab->c.scratch = outer;
}

/* ---- problems ---- */

typedef struct Case {
    const char *name, *text;
    double h;
} Case;

#define BALL "dim d = 5\ndomain x in ball(d, 1)\nfield u(x)\n"
#define TIMED(domain)                                                                              \
    "dim d = 5\nparam r = 0.05, sigma = 0.4, rho = 0.3, T = 1\n" domain                            \
    "time t in [0, 1]\nfield u(x, t)\n"
#define TWO_BODY                                                                                   \
    "random c_i ~ normal(0, 1) for i = 1..d-1 seed 7\n"                                            \
    "exact u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * "         \
    "cos(x_i))\n"
#define THREE_BODY(factor)                                                                         \
    "random c_i ~ normal(0, 1) for i = 1..d-2\n"                                                   \
    "exact u = " factor " * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})\n"

static const Case cases[] = {
    {"two-body Sine-Gordon",
     BALL TWO_BODY "equation sum_i d2(u, x_i) + sin(u) = g\nsource g from exact\n", 0x1p-5},
    {"two-body Allen-Cahn", BALL TWO_BODY "equation lap(u) + u - u^3 = g\nsource g from exact\n",
     0x1p-5},
    {"three-body",
     BALL THREE_BODY("(1 - norm(x)^2)") "equation lap(u) + sin(u) = g\nsource g from exact\n",
     0x1p-5},
    {"biharmonic three-body",
     "dim d = 5\ndomain x in annulus(d, 1, 2)\nfield u(x)\n" THREE_BODY(
         "(1 - norm(x)^2) * (4 - norm(x)^2)") "equation sum_ij d4(u, x_i, x_i, x_j, x_j) = "
                                              "g\nsource g from exact\n",
     0x1p-5},
    {"wave",
     TIMED("domain x in ball(d, 1)\n") "exact u = cosh(t) * sum_i sinh(x_i) + sin(t * norm(x)^2)\n"
                                       "equation d2(u, t) = sum_i d2(u, x_i) + g\nsource g from "
                                       "exact\n",
     0x1p-6},
    {"Black-Scholes",
     TIMED("domain x in box(d, 0, 2)\n") "let C_ij = sigma^2 * (rho + (1 - rho) * delta_ij)\n"
                                         "exact u = exp((r + sigma^2) * (T - t)) * norm(x)^2 + "
                                         "sin(t * sum_i x_i / d)\n"
                                         "equation d(u, t) + 1/2 * sum_ij C_ij * x_i * x_j * d2(u, "
                                         "x_i, x_j) + r * sum_i x_i * d(u, x_i) - r * u = g\n"
                                         "source g from exact\n",
     0x1p-6},
    {"FitzHugh",
     "dim d = 5\nparam D = 0.5, eps = 0.1, beta = 0.8\ndomain x in box(d, -1, 1)\n"
     "time t in [0, 1]\nfield u(x, t), v(x, t)\nlet z = sum_i x_i / sqrt(d)\n"
     "exact u = exp(-t) * sin(z)\nexact v = exp(-t) * cos(z)\n"
     "equation activator: d(u, t) = D * lap(u) + u - u^3 - v + g\n"
     "equation inhibitor: d(v, t) = lap(v) + eps * (u - beta * v) + h\nsource g, h from exact\n",
     0x1p-6},
    {"Fokker-Planck",
     "dim d = 5\nparam theta = 0.8, a = 0.6, b = 0.9, s = 1.3\ndomain x in R(d)\n"
     "time t in [0, 1]\nfield p(x, t)\nsample x_i ~ normal(0, 1)\nlet F_i = -theta * x_i\n"
     "let D_ij = a * delta_ij + b / d\n"
     "exact p = exp(-norm(x)^2 / (2 * d) - t) * (2 + sin(t * x_1))\n"
     "equation d(p, t) = -sum_i d(F_i * p, x_i) + sum_ij d2(D_ij * p, x_i, x_j) + g\nsource g from "
     "exact\n",
     0x1p-6},
    /* constants that do not add up exactly must not hide that g enters affinely */
    {"Cahn-Hilliard",
     "dim d = 5\ndomain x in box(d, 0, 1)\ntime t in [0, 1]\nfield u(x, t)\n"
     "exact u = exp(-t) * cos(sum_i x_i / sqrt(d))\n"
     "equation d(u, t) = lap(u^3 - u - 0.01 * lap(u)) + g\nsource g from exact\n",
     0x1p-5},
};

static bool equation_holds(Lab *lab, const Case *k, uint32_t number) {
    const Equation *eq = &lab->c.problem->equation.at[number];
    Ref residual = problem_put_sources(&lab->c, lab->c.problem, eq->residual);
    Ref source = lab->c.problem->source.at[number].value;
    double x[64], t;
    if (!lab_values(lab, ir_add2(lab->c.ir, residual, lab->c.problem->field.at[0].exact)))
        return false;
    for (uint32_t point = 0; point < 2; point++) {
        lab_dyadic_point(lab, point, x, &t);
        Differences by = {lab, x, t, k->h};
        EvalInput in = values_input(&lab->values);
        in.points = 1;
        in.x = x;
        in.t = &t;
        in.net = field_by_differences;
        in.net_context = &by;
        long double left, g = lab_eval(lab, source, x, t);
        if (eval_long_double(lab->c.ir, residual, &in, &left))
            return false;
        snprintf(note, sizeof note, "%s, d = %ld: residual %.3Le of source %.6Le", k->name,
                 (long)lab->values.d, left, g);
        if (!(fabsl(left) <= 1e-8L * fabsl(g)))
            return false;
    }
    return true;
}

TEST sources_agree_with_differences(size_t which) {
    static const long dims[] = {1, 2, 3, 7, 50};
    for (size_t k = 0; k < 5; k++) {
        Lab lab;
        ASSERTm(cases[which].name,
                lab_open(&lab, cases[which].name, cases[which].text, PASS_expanded, dims[k]));
        for (uint32_t e = 0; e < lab.c.problem->equation.n; e++)
            ASSERTm(note, equation_holds(&lab, &cases[which], e));
        lab_close(&lab);
    }
    PASS();
}

/* ---- closed forms ---- */

/* Problems.md 1 and 5: the Laplacians in closed form, checked there against sixth-order
 * differences. The values are those of shared/reference/values.json, row d. */
typedef struct Manufactured {
    long d;
    double two_body, two_body_lap, three_body, three_body_lap;
} Manufactured;

static const Manufactured manufactured[] = {
    {5, -0.7451559062828299, 12.78361780792193, -0.740395911215962, 14.548926333938011},
    {20, 1.5216540513528587, -121.67050711705971, 2.591178438498513, -203.29713775207432},
    {100, 5.807248191943083, -2291.745739019581, 6.547265245659274, -2567.5560204024655},
    {1000, 7.686965708720659, -30166.74758840334, 8.457879598462117, -33168.15604343391},
    {10000, -4.369902757709256, 171379.21128289326, -4.884879627162218, 191563.90657399586},
    {100000, -165.43718813190983, 64877765.36169434, -197.28014569858922, 77364763.01903984},
};

static const char manufactured_text[] =
    "dim d = 5\ndomain x in ball(d, 1)\nfield u(x), v(x)\nlet c_i = sqrt(2) * cos(i^2)\n"
    "exact u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * "
    "cos(x_i))\n"
    "exact v = (1 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})\n"
    "equation two: lap(u) = g\nequation three: lap(v) = h\nsource g, h from exact\n";

static void reference_point(long d, double *x) {
    double square = 0;
    for (long i = 0; i < d; i++) {
        x[i] = sin((double)(i + 1)) + cos(3.0 * (double)(i + 1)) / 2;
        square += x[i] * x[i];
    }
    for (long i = 0; i < d; i++)
        x[i] *= 0.7 / sqrt(square);
}

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-10 * fabs(b);
}

TEST sources_agree_with_closed_forms(void) {
    static double x[100000];
    for (size_t k = 0; k < sizeof manufactured / sizeof *manufactured; k++) {
        const Manufactured *m = &manufactured[k];
        Lab lab;
        ASSERT(lab_open(&lab, "manufactured", manufactured_text, PASS_expanded, m->d));
        const Problem *p = lab.c.problem;
        reference_point(m->d, x);
        ASSERT(lab_values(&lab, 0));
        ASSERT(close_to(lab_eval_double(&lab, p->field.at[0].exact, x, 0), m->two_body));
        ASSERT(close_to(lab_eval_double(&lab, p->source.at[0].value, x, 0), m->two_body_lap));
        ASSERT(close_to(lab_eval_double(&lab, p->field.at[1].exact, x, 0), m->three_body));
        ASSERT(close_to(lab_eval_double(&lab, p->source.at[1].value, x, 0), m->three_body_lap));
        lab_close(&lab);
    }
    PASS();
}

/* ---- examples ---- */

static Ref exact_residual(Lab *lab, const Equation *eq) {
    const Problem *p = lab->c.problem;
    Ref exact[8] = {0}, r = problem_put_sources(&lab->c, p, eq->residual);
    for (uint32_t f = 0; f < p->field.n && f < 8; f++)
        exact[f] = p->field.at[f].exact;
    return ir_replace_fields(lab->c.ir, r, OP_FIELD, p->field.n, exact);
}

static bool residuals_vanish(Lab *lab, const char *name) {
    double x[64], t;
    for (uint32_t e = 0; e < lab->c.problem->equation.n; e++) {
        Ref r = exact_residual(lab, &lab->c.problem->equation.at[e]);
        if (ir_has_net(lab->c.ir, r))
            continue;
        if (!lab_values(lab, ir_add2(lab->c.ir, r, lab->c.problem->field.at[0].exact)))
            return false;
        lab_dyadic_point(lab, e, x, &t);
        long double left = lab_eval(lab, r, x, t);
        long double size = lab_eval(lab, lab->c.problem->field.at[0].exact, x, t);
        snprintf(note, sizeof note, "%s at d = %ld: %Lg left", name, (long)lab->values.d, left);
        if (!(fabsl(left) <= 1e-14L * (1 + fabsl(size))))
            return false;
    }
    return true;
}

TEST exact_solutions_of_examples_solve_them(void) {
    static const char *const names[] = {"elliptic_poisson.pde", "elliptic_sine_gordon.pde",
                                        "biharmonic.pde",       "wave.pde",
                                        "black_scholes.pde",    "fitzhugh.pde",
                                        "fokker_planck.pde"};
    static const long dims[] = {1, 2, 3, 7, 50};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t j = 0; j < 5; j++) {
            Lab lab;
            ASSERTm(names[k], lab_open_example(&lab, names[k], PASS_expanded, dims[j]));
            ASSERTm(note, residuals_vanish(&lab, names[k]));
            lab_close(&lab);
        }
    PASS();
}

/* ---- cost ---- */

static double seconds_of(const Case *k, long d, uint32_t *nodes) {
    Lab lab;
    struct timespec a, b;
    if (!lab_open(&lab, k->name, k->text, PASS_expanded, d))
        return 0;
    Ref g = lab.c.problem->source.at[0].value;
    *nodes = ir_count(lab.c.ir, g);
    double *x = calloc((size_t)d, sizeof *x), t = 0;
    lab_values(&lab, g);
    lab_dyadic_point(&lab, 0, x, &t);
    double best = 1e9;
    for (int round = 0; round < 7; round++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        lab_eval_double(&lab, g, x, t);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        best = fmin(best, (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    }
    free(x);
    lab_close(&lab);
    return best;
}

TEST cost_is_linear(void) {
    for (size_t k = 0; k < 4; k++) {
        uint32_t small = 0, large = 0;
        double ten = seconds_of(&cases[k], 10000, &small),
               hundred = seconds_of(&cases[k], 100000, &large);
        snprintf(note, sizeof note, "%s: %g s, ten times larger %g s", cases[k].name, ten, hundred);
        ASSERTm(note, hundred < 15 * ten);
        ASSERT_EQ(small, large);
    }
    PASS();
}

SUITE(sources) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        RUN_TEST1(sources_agree_with_differences, k);
    RUN_TEST(sources_agree_with_closed_forms);
    RUN_TEST(exact_solutions_of_examples_solve_them);
    RUN_TEST(cost_is_linear);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(sources);
    GREATEST_MAIN_END();
}
