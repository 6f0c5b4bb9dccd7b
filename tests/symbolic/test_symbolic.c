/* test_symbolic.c: the symbolic core against numbers: derivative rules, index calculus,
 * simplification, splitting, printing, cost. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"
#include "tree.h"

#include "compiler/lower/trial.h"
#include "compiler/terms/split.h"
#include "greatest.h"

#include <math.h>
#include <string.h>
#include <time.h>

static char note[512];

static const char stage[] = "dim d = 5\n"
                            "domain x in box(d, -1, 1)\n"
                            "time t in [0, 1]\n"
                            "field u(x, t)\n"
                            "random c_i ~ normal(0, 1) for i = 1..d\n"
                            "equation d(u, t) = lap(u) + sum_i c_i * x_i\n"
                            "initial u = 0\n"
                            "boundary u = 0\n";

enum { MOST = 6 };

typedef struct Stage {
    Lab lab;
    Sym tensor;
    double x[MOST], t;
    long double wide[MOST];
} Stage;

static bool stage_open(Stage *s, long d) {
    if (!lab_open(&s->lab, "stage", stage, PASS_expanded, d))
        return false;
    s->tensor = intern_cstr(&s->lab.c, "c");
    Ref one = ir_const(s->lab.c.ir, 1), c1 = ir_indexed(s->lab.c.ir, OP_TENSOR, s->tensor, 1, &one);
    if (!lab_values(&s->lab, c1))
        return false;
    lab_dyadic_point(&s->lab, 3, s->x, &s->t);
    for (long i = 0; i < d; i++)
        s->wide[i] = (long double)s->x[i];
    return true;
}

static TreePoint stage_point(const Stage *s) {
    return (TreePoint){.d = s->lab.values.d,
                       .x = s->wide,
                       .c = s->lab.values.tensor.at[0].at,
                       .t = (long double)s->t};
}

static bool near(long double a, long double b, long double scale, long double tolerance) {
    return fabsl(a - b) <= tolerance * (scale + fabsl(b));
}

/* ---- every row of func.def ---- */

typedef struct FuncRow {
    const char *name;
    uint32_t arity;
} FuncRow;

static const FuncRow rows[] = {
#define F(name, arity, jump, c, da, db) {#name, arity},
#include "compiler/text/func.def"
};

/* Arguments inside the domain of every function and away from 0. */
static Ref argument(Ir *ir, double at, double slope) {
    Ref one = ir_const(ir, 1), x = ir_indexed(ir, OP_SPACE, 0, 1, &one);
    return ir_add2(ir, ir_const(ir, at),
                   ir_mul2(ir, ir_const(ir, slope), ir_func(ir, FUNC_sin, 1, &x)));
}

static long double difference(Lab *lab, Ref e, const double *x, double t, int64_t variable,
                              int order, double h) {
    long double total = 0;
    double shifted[MOST];
    memcpy(shifted, x, sizeof *x * (size_t)lab->values.d);
    for (int k = 0; k < 9; k++) {
        double step = (k - 4) * h;
        if (variable)
            shifted[variable - 1] = x[variable - 1] + step;
        total += lab_stencil[order][k] * lab_eval(lab, e, shifted, variable ? t : t + step);
    }
    return total / powl((long double)h, order);
}

TEST derivative_rules_agree_with_differences(void) {
    static const double places[] = {0.375, -0.4375, 0.625};
    Stage s;
    ASSERT(stage_open(&s, 2));
    Ir *ir = s.lab.c.ir;
    Ref one = ir_const(ir, 1), x = ir_indexed(ir, OP_SPACE, 0, 1, &one);
    for (int f = 0; f < FUNC_COUNT; f++)
        for (size_t k = 0; k < 3; k++) {
            double place = f == FUNC_log ? fabs(places[k]) : places[k];
            Ref args[2] = {argument(ir, place, 0.125), argument(ir, -0.75 * place, 0.25)};
            Ref e = ir_func(ir, (Func)f, rows[f].arity, args), first = ir_diff(ir, e, x);
            snprintf(note, sizeof note, "%s at %g", rows[f].name, place);
            for (int order = 1; order <= 2; order++) {
                Ref exact = order == 1 ? first : ir_diff(ir, first, x);
                long double have = lab_eval(&s.lab, exact, s.x, s.t);
                ASSERTm(note,
                        near(have, difference(&s.lab, e, s.x, s.t, 1, order, 0.015625), 1, 1e-11L));
            }
        }
    lab_close(&s.lab);
    PASSm("every row of func.def");
}

TEST powers_agree_with_differences(void) {
    static const char *const text[] = {
        "(2 + sin(x_1))^x_2",  "(1 + x_1^2)^(1/2)", "x_1^3", "(2 + x_1)^(-3)",
        "sqrt(2 + x_1 * x_2)", "(x_1^2)^(3/2)",     "2^x_1", "abs(x_1)^2.5"};
    Stage s;
    ASSERT(stage_open(&s, 2));
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        Ref e = lab_expression(&s.lab, text[k]), x = lab_expression(&s.lab, "x_1");
        ASSERT(e && x);
        long double have = lab_eval(&s.lab, ir_diff(s.lab.c.ir, e, x), s.x, s.t);
        ASSERTm(text[k], near(have, difference(&s.lab, e, s.x, s.t, 1, 1, 0.0078125), 1, 1e-11L));
    }
    lab_close(&s.lab);
    PASS();
}

/* ---- random expressions ---- */

static long double tree_difference(const Tree *t, Stage *s, int64_t variable, int order,
                                   long double h) {
    long double total = 0;
    TreePoint at = stage_point(s);
    long double x[MOST];
    memcpy(x, s->wide, sizeof x);
    at.x = x;
    for (int k = 0; k < 9; k++) {
        long double step = (k - 4) * h;
        if (variable)
            x[variable - 1] = s->wide[variable - 1] + step;
        else
            at.t = (long double)s->t + step;
        total += lab_stencil[order][k] * tree_value(t, &at);
    }
    return total / powl(h, order);
}

static long double tree_mixed(const Tree *t, Stage *s, int64_t i, int64_t j, long double h) {
    if (i == j)
        return tree_difference(t, s, i, 2, h);
    long double total = 0, keep = s->wide[j - 1];
    for (int k = 0; k < 9; k++) {
        s->wide[j - 1] = keep + (k - 4) * h;
        total += lab_stencil[1][k] * tree_difference(t, s, i, 1, h);
    }
    s->wide[j - 1] = keep;
    return total / h;
}

/* The tree's differences with two steps; false where they disagree: a kink is near, or huge
 * numbers. */
static bool tree_hessian(const Tree *t, Stage *s, long double gradient[MOST],
                         long double hessian[MOST][MOST]) {
    const long double h = 0x1p-7L;
    for (int64_t i = 1; i <= s->lab.values.d; i++) {
        gradient[i - 1] = tree_difference(t, s, i, 1, h);
        if (!near(tree_difference(t, s, i, 1, h / 2), gradient[i - 1], 1, 1e-10L))
            return false;
        for (int64_t j = 1; j <= s->lab.values.d; j++) {
            hessian[i - 1][j - 1] = tree_mixed(t, s, i, j, h);
            if (!near(tree_mixed(t, s, i, j, h / 2), hessian[i - 1][j - 1], 1, 1e-8L))
                return false;
        }
    }
    return true;
}

static bool ir_broken(Ir *ir) {
    Ref where;
    return ir_verify(ir, &where) != NULL;
}

/* The identities of the index calculus: derivatives by an index that is then summed over. */
static bool summed_derivatives_agree(const Tree *t, Ref e, Stage *s) {
    Ir *ir = s->lab.c.ir;
    int64_t d = s->lab.values.d;
    long double gradient[MOST], hessian[MOST][MOST], laplace = 0, all = 0, along = 0, square = 0,
                                                     size = 1;
    if (!tree_hessian(t, s, gradient, hessian))
        return true;
    for (int64_t i = 0; i < d; i++) {
        laplace += hessian[i][i];
        along += s->wide[i] * gradient[i];
        square += gradient[i] * gradient[i];
        for (int64_t j = 0; j < d; j++) {
            all += hessian[i][j];
            size += fabsl(hessian[i][j]) + gradient[i] * gradient[i];
        }
    }
    Ref i = ir_fresh_index(ir), j = ir_fresh_index(ir), one = ir_const(ir, 1),
        dim = s->lab.c.problem->d;
    Ref xi = ir_indexed(ir, OP_SPACE, 0, 1, &i), xj = ir_indexed(ir, OP_SPACE, 0, 1, &j);
    Ref ei = ir_diff(ir, e, xi);
    Ref sums[4] = {ir_diff(ir, ei, xi), ir_mul2(ir, xi, ei), ir_powi(ir, ei, 2),
                   ir_reduce(ir, OP_SUM, j, one, dim, ir_diff(ir, ei, xj))};
    long double want[4] = {laplace, along, square, all};
    for (int k = 0; k < 4; k++) {
        Ref sum = ir_reduce(ir, OP_SUM, i, one, dim, sums[k]);
        if (ir_broken(ir) || !near(lab_eval(&s->lab, sum, s->x, s->t), want[k], size, 1e-7L)) {
            snprintf(note + strlen(note), sizeof note - strlen(note), " sum %d: %Lg, want %Lg", k,
                     lab_eval(&s->lab, sum, s->x, s->t), want[k]);
            return false;
        }
    }
    return true;
}

static bool tree_agrees(Stage *s, uint64_t seed) {
    Tree *t = tree_random(&s->lab.c.arena, seed, 5);
    TreePoint at = stage_point(s);
    Ir *ir = s->lab.c.ir;
    Ref e = tree_build(&s->lab.c, t, s->tensor);
    long double want = tree_value(t, &at), have = lab_eval(&s->lab, e, s->x, s->t);
    snprintf(note, sizeof note, "seed %lu, d = %ld: ", (unsigned long)seed, (long)at.d);
    if (!isfinite(want) || fabsl(want) > 1e6L)
        return true;
    if (ir_broken(ir) || !near(have, want, 1, 1e-11L))
        return false;
    if (!near(lab_eval(&s->lab, ir_expand(ir, e), s->x, s->t), want, 1, 1e-11L))
        return false;
    long double by_time = tree_difference(t, s, 0, 1, 0x1p-7L);
    Ref time = ir_atom(ir, OP_TIME, 0);
    if (near(tree_difference(t, s, 0, 1, 0x1p-8L), by_time, 1, 1e-10L) &&
        !near(lab_eval(&s->lab, ir_diff(ir, e, time), s->x, s->t), by_time, 1, 1e-9L))
        return false;
    return summed_derivatives_agree(t, e, s);
}

TEST random_expressions_agree_with_brute_force(void) {
    static const long dims[] = {1, 2, 3, 6};
    for (size_t k = 0; k < 4; k++)
        for (uint64_t block = 0; block < 30; block++) {
            Stage s;
            ASSERT(stage_open(&s, dims[k]));
            for (uint64_t seed = block * 20; seed < block * 20 + 20; seed++)
                ASSERTm(note, tree_agrees(&s, seed));
            lab_close(&s.lab);
        }
    PASS();
}

/* Each promise of a node, broken by hand, is noticed. */
TEST broken_nodes_are_found(void) {
    Stage s;
    ASSERT(stage_open(&s, 4));
    Ir *ir = s.lab.c.ir;
    Ref sum = lab_expression(&s.lab, "sum_i c_i * sin(x_i + t)"),
        product = lab_expression(&s.lab, "x_1 * t * u");
    ASSERT(!ir_broken(ir) && ir_is(ir, sum, OP_SUM) && ir_is(ir, product, OP_MUL));
    Node whole[2] = {ir->node.at[sum], ir->node.at[product]};
#define BREAKS(which, member, value)                                                               \
    do {                                                                                           \
        ir->node.at[which].member = value;                                                         \
        ir->verified = 0;                                                                          \
        ASSERTm(#member, ir_broken(ir));                                                           \
        ir->node.at[sum] = whole[0];                                                               \
        ir->node.at[product] = whole[1];                                                           \
    } while (0)
    BREAKS(sum, payload.id, 0);
    BREAKS(sum, level, 9);
    BREAKS(sum, n, 2);
    BREAKS(sum, has_index, !whole[0].has_index);
    BREAKS(product, n, 1);
    BREAKS(product, has_net, false);
    BREAKS(product, mask, ~whole[1].mask);
    BREAKS(product, kid, ir->kid.n);
    BREAKS(product, op, OP_COUNT);
    BREAKS(product, op, OP_PI);
#undef BREAKS
    ir->verified = 0;
    ASSERT(!ir_broken(ir));
    lab_close(&s.lab);
    PASS();
}

/* ---- printing and splitting ---- */

TEST printed_expressions_read_back(void) {
    static const char *const text[] = {"sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}))",
                                       "(1 - norm(x)^2) * sum_i exp(c_i * x_i)",
                                       "lap(u) + u - u^3",
                                       "d2(u, x_1, x_2) * d(u, t)",
                                       "sum_{i<j} (x_i - x_j)^2",
                                       "max_i x_i * sqrt(t)",
                                       "prod_i (1 + x_i)",
                                       "sum_ij x_i * x_j * d2(u, x_i, x_j)",
                                       "sum_i d(u, x_i)^2 / d",
                                       "d4(u, x_1, x_1, x_2, x_2)",
                                       "-(x_1 - 2)^(-3)",
                                       "2^x_1 * 1e-9 * pi",
                                       "sum_{i=1..d-2} x_i * x_{i+1} * x_{i+2}",
                                       "abs(x_1) + max(x_1, x_2) - tanh(t)"};
    Stage s;
    ASSERT(stage_open(&s, 4));
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        Ref e = lab_expression(&s.lab, text[k]);
        ASSERTm(text[k], e && !ir_broken(s.lab.c.ir));
        const char *printed = ir_text(s.lab.c.ir, e);
        snprintf(note, sizeof note, "%s printed as %s", text[k], printed);
        ASSERTm(note, lab_expression(&s.lab, printed) == e);
    }
    lab_close(&s.lab);
    PASS();
}

/* Any numbers in place of the unknown and its derivatives. */
static void some_field(void *context, Op op, uint32_t number, uint32_t order,
                       const int64_t *variables, uint32_t points, long double *out) {
    (void)context;
    long double v = 0.3L + number + (int)op / 100.0L;
    for (uint32_t k = 0; k < order; k++)
        v = sinl(7 * v + (long double)variables[k]);
    for (uint32_t p = 0; p < points; p++)
        out[p] = v;
}

/* The residual, the sum of its terms, and the sum of the terms with each sampled sum written out
 * again. */
static void sum_up(Lab *lab, Ref residual, const Operator *op, Ref three[3]) {
    Ir *ir = lab->c.ir;
    three[0] = residual;
    three[1] = three[2] = ir_const(ir, 0);
    for (uint32_t k = 0; k < op->term.n; k++) {
        const Term *term = &op->term.at[k];
        Ref body = term->body;
        three[1] = ir_add2(ir, three[1], term->value);
        for (uint32_t i = term->n_index; i-- > 0;)
            body = ir_reduce(ir, OP_SUM, term->index[i], term->lo[i], term->hi[i], body);
        bool sampled = term->class == TERM_SAMPLED;
        three[2] = ir_add2(ir, three[2], sampled ? ir_mul2(ir, term->outside, body) : term->value);
    }
    for (int k = 0; k < 3; k++)
        three[k] = problem_put_sources(&lab->c, lab->c.problem, three[k]);
}

static bool terms_add_up(Lab *lab, Ref residual, const Operator *op) {
    double x[MOST], t;
    Ref three[3];
    long double v[3];
    sum_up(lab, residual, op, three);
    if (!lab_values(lab, three[0]))
        return false;
    lab_dyadic_point(lab, 1, x, &t);
    EvalInput in = values_input(&lab->values);
    in.points = 1;
    in.x = x;
    in.t = &t;
    in.net = some_field;
    for (int k = 0; k < 3; k++)
        if (eval_long_double(lab->c.ir, three[k], &in, &v[k]))
            return false;
    return near(v[1], v[0], 1, 1e-14L) && near(v[2], v[0], 1, 1e-14L);
}

TEST terms_of_examples_add_up(void) {
    static const char *const names[] = {
        "elliptic_poisson.pde",     "biharmonic.pde",
        "black_scholes.pde",        "fitzhugh.pde",
        "fokker_planck.pde",        "hjb_lqg.pde",
        "oscillator.pde",           "wave.pde",
        "parabolic_allen_cahn.pde", "parabolic_semilinear_heat.pde"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (long d = 1; d <= 5; d += 2) {
            Lab lab;
            ASSERTm(names[k], lab_open_example(&lab, names[k], PASS_terms, d));
            const Problem *p = lab.c.problem;
            for (uint32_t e = 0; e < p->operators->n && e < p->equation.n; e++) {
                snprintf(note, sizeof note, "%s at d = %ld", names[k], d);
                ASSERTm(note, terms_add_up(&lab, p->equation.at[e].residual, &p->operators->at[e]));
            }
            lab_close(&lab);
        }
    PASS();
}

SUITE(derivatives) {
    RUN_TEST(derivative_rules_agree_with_differences);
    RUN_TEST(powers_agree_with_differences);
    RUN_TEST(random_expressions_agree_with_brute_force);
    RUN_TEST(broken_nodes_are_found);
    RUN_TEST(printed_expressions_read_back);
    RUN_TEST(terms_of_examples_add_up);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(derivatives);
    GREATEST_MAIN_END();
}
