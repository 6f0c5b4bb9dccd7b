/* test_tnn.c: tensor networks without modules: quadrature, the gradient of the Rayleigh quotient,
 * blocks of dimensions, sampled terms, products that neither over- nor underflow, and energies.
 * With the argument --long the largest dimensions are added. */
#include "runtime/tensor/tnn.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static char note[256];
static bool long_tier;

/* ------------------------------------------------------------------------------------ problems */

enum { OSCILLATOR, SINE, CHAIN, ALL_PAIRS, QUARTIC };

typedef struct Case {
    int kind;
    double *mu, *half, *centre, *kinetic;
    TnnProblem problem;
} Case;

static void functions(void *context, int64_t first, int64_t count, int64_t n, const double *y,
                      double *out) {
    const Case *c = context;
    for (int64_t i = 0; i < count; i++)
        for (int64_t q = 0; q < n; q++) {
            double x = y[i * n + q];
            out[i * n + q] = c->mu[first + i] * x * x + (c->kind == QUARTIC ? x * x * x * x : 0);
            if (c->problem.channels > 0) {
                out[(count + i) * n + q] = -x;
                out[(2 * count + i) * n + q] = x;
            }
            if (c->problem.channels > 1) {
                out[(3 * count + i) * n + q] = 0.1 * x * x;
                out[(4 * count + i) * n + q] = cos(x);
            }
        }
}

static void open_case(Case *c, int kind, int64_t d) {
    *c = (Case){.kind = kind};
    c->mu = calloc((size_t)(4 * d), sizeof(double));
    c->half = c->mu + d;
    c->centre = c->half + d;
    c->kinetic = c->centre + d;
    for (int64_t i = 0; i < d; i++) {
        c->mu[i] = kind == SINE ? 1 - cos(pi * (double)(i + 1) / (double)(d + 1)) : 1;
        c->half[i] = kind == QUARTIC ? 3.5 : 5 * pow(c->mu[i], -0.25);
        c->kinetic[i] = 1;
    }
    c->problem = (TnnProblem){.d = d,
                              .channels = kind == CHAIN       ? 1
                                          : kind == ALL_PAIRS ? 2
                                                              : 0,
                              .all_pairs = {false, true},
                              .centre = c->centre,
                              .half = c->half,
                              .kinetic = c->kinetic,
                              .functions = functions,
                              .context = c};
}

static double coupled_energy(int64_t d) {
    double sum = 0;
    for (int64_t k = 1; k <= d; k++)
        sum += sqrt(1 - cos((double)k * pi / (double)(d + 1)));
    return sum;
}

static TnnConfig config_of(int rank, int width, int depth, int nodes) {
    return (TnnConfig){.rank = rank,
                       .width = width,
                       .depth = depth,
                       .activation = PDE_ACT_sin,
                       .cells = 1,
                       .nodes = nodes,
                       .threads = 2,
                       .seed = 3,
                       .optimiser = pde_optim_default(PDE_OPT_adam)};
}

/* ---------------------------------------------------------------------------------- quadrature */

static double integral_of_power(const TnnRule *rule, int power) {
    double sum = 0;
    for (int q = 0; q < rule->nodes; q++)
        sum += rule->weight[q] * pow(rule->at[q], power);
    return sum;
}

/* n nodes integrate polynomials of degree 2n - 1 exactly, and not that of degree 2n. */
TEST quadrature_is_exact(void) {
    for (int n = 1; n <= 64; n++)
        for (int cells = 1; cells <= 3; cells += 2) {
            TnnRule rule;
            ASSERT_EQ(STATUS_OK, tnn_rule_create(cells, n, &rule, NULL));
            ASSERT_EQ(0, rule.padded % TNN_PAD);
            for (int power = 0; power < 2 * n; power++) {
                double exact = power % 2 ? 0 : 2.0 / (power + 1);
                snprintf(note, sizeof note, "%d cells of %d nodes, degree %d", cells, n, power);
                ASSERT_IN_RANGEm(note, exact, integral_of_power(&rule, power), 4e-15);
            }
            if (cells == 1 && n < 12)
                ASSERTm("a degree too high is integrated too",
                        fabs(integral_of_power(&rule, 2 * n) - 2.0 / (2 * n + 1)) > 1e-9);
            for (int q = rule.nodes; q < rule.padded; q++)
                ASSERT(fabs(rule.weight[q]) <= 0);
            tnn_rule_free(&rule);
        }
    PASS();
}

/* ------------------------------------------------------------------------------------ gradients */

static double difference(Tnn *t, int64_t k) {
    static const double at[] = {-2, -1, 1, 2}, factor[] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double old = t->theta[k], step = 1e-3 * fmax(fabs(old), 0.1), sum = 0;
    for (int s = 0; s < 4; s++) {
        t->theta[k] = old + at[s] * step;
        sum += factor[s] * tnn_value(t);
    }
    t->theta[k] = old;
    return sum / step;
}

/* Every parameter, relative to the largest entry of the gradient. */
static double gradient_error(Tnn *t) {
    double worst = 0, size = 0;
    (void)tnn_gradient(t, false);
    for (int64_t k = 0; k < t->parameters; k++)
        size = fmax(size, fabs(t->gradient[k]));
    for (int64_t k = 0; k < t->parameters; k++)
        worst = fmax(worst, fabs(difference(t, k) - t->gradient[k]));
    return worst / size;
}

TEST gradient_matches_differences(int kind, int rank, int depth, PdeActivation activation) {
    Case c;
    Tnn t;
    TnnConfig config = config_of(rank, 5, depth, 24);
    config.activation = activation;
    open_case(&c, kind, 3);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 0, &t, NULL));
    double error = gradient_error(&t);
    snprintf(note, sizeof note, "kind %d, rank %d, depth %d, %s: %.2e", kind, rank, depth,
             pde_activation_name(activation), error);
    ASSERTm(note, error < 1e-7);
    tnn_free(&t);
    free(c.mu);
    PASS();
}

/* Blocks of any size give the gradient of one block that holds all, to rounding. */
TEST blocks_give_the_full_gradient(int kind, int rank) {
    enum { D = 7 };
    Case c;
    Tnn whole, part;
    TnnConfig config = config_of(rank, 6, 3, 24);
    open_case(&c, kind, D);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 0, &whole, NULL));
    double value = tnn_gradient(&whole, false), size = 0;
    for (int64_t k = 0; k < whole.parameters; k++)
        size = fmax(size, fabs(whole.gradient[k]));
    for (int64_t block = 1; block < D; block++) {
        ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, block, &part, NULL));
        ASSERT_EQ(block, part.tape_dims);
        ASSERT_IN_RANGE(value, tnn_gradient(&part, false), 1e-14 * fabs(value));
        for (int64_t k = 0; k < whole.parameters; k++)
            ASSERT_IN_RANGE(whole.gradient[k], part.gradient[k], 1e-14 * size);
        tnn_free(&part);
    }
    ASSERT(tnn_bytes(&c.problem, &config, 1) < tnn_bytes(&c.problem, &config, 0));
    tnn_free(&whole);
    free(c.mu);
    PASS();
}

/* The mean over all samples of n terms is the full gradient, for every algorithm: value weights
 * of their own, those of the gradient, or all. */
TEST sampled_gradients_are_unbiased(int kind, int rank, int values) {
    enum { D = 4, DRAWS = 4000 };
    Case c;
    Tnn t;
    TnnConfig config = config_of(rank, 4, 2, 24);
    open_case(&c, kind, D);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 0, &t, NULL));
    int64_t n = t.parameters;
    double *full = calloc((size_t)(3 * n), sizeof(double)), *sum = full + n, *square = sum + n;
    (void)tnn_gradient(&t, false);
    memcpy(full, t.gradient, (size_t)n * sizeof(double));
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        tnn_sample(&t, 0, 2, draw);
        tnn_sample(&t, 1, values == 2 ? 2 : 0, draw);
        (void)tnn_gradient(&t, values > 0);
        for (int64_t k = 0; k < n; k++) {
            sum[k] += t.gradient[k];
            square[k] += t.gradient[k] * t.gradient[k];
        }
    }
    double worst = 0, spread = 0;
    for (int64_t k = 0; k < n; k++) {
        double mean = sum[k] / DRAWS, variance = square[k] / DRAWS - mean * mean;
        if (variance > 1e-20) {
            worst = fmax(worst, fabs(mean - full[k]) / sqrt(variance / DRAWS));
            spread = fmax(spread, variance);
        }
    }
    snprintf(note, sizeof note, "kind %d, rank %d, values %d: %.2f standard errors", kind, rank,
             values, worst);
    ASSERTm("nothing was sampled", spread > 0);
    ASSERTm(note, worst < 5);
    free(full);
    tnn_free(&t);
    free(c.mu);
    PASS();
}

/* -------------------------------------------------------------------------- over- and underflow */

TEST large_products_stay_finite(void) {
    Case c;
    Tnn t;
    TnnConfig config = config_of(3, 4, 2, 16);
    open_case(&c, CHAIN, 20000);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 64, &t, NULL));
    for (int64_t i = 0; i < c.problem.d; i++) /* factors of size 1e3 and 1e-3 */
        for (int64_t k = t.size - 15; k < t.size; k++)
            t.theta[i * t.size + k] *= i % 2 ? 1e3 : 1e-5;
    double value = tnn_gradient(&t, false);
    ASSERT(isfinite(value) && value > 0);
    ASSERT(tnn_finite(&t));
    double size = 0;
    for (int64_t k = 0; k < t.parameters; k++)
        size = fmax(size, fabs(t.gradient[k]));
    ASSERTm("the gradient vanished", size > 1e-6);
    /* The size of a factor is nothing to the quotient. */
    for (int64_t k = t.size - 15; k < t.size; k++)
        t.theta[k] *= 4;
    ASSERT_IN_RANGE(value, tnn_value(&t), 1e-12 * value);
    tnn_free(&t);
    free(c.mu);
    PASS();
}

/* ------------------------------------------------------------------------------------- energies */

static double solved(Case *c, const TnnConfig *config, int sweeps, double *dense) {
    Tnn t;
    TnnRule fine;
    double value = 0, score = (double)NAN;
    if (tnn_create(&c->problem, config, 1, &t, NULL) != STATUS_OK)
        return score;
    bool ok = tnn_rule_create(2, config->nodes, &fine, NULL) == STATUS_OK;
    for (int s = 0; s < sweeps && ok; s++)
        ok = tnn_solve(&t, &value, NULL) == STATUS_OK;
    if (ok && tnn_score(&t, &fine, &score, NULL) != STATUS_OK)
        score = (double)NAN;
    if (dense)
        *dense = tnn_dense(&t, c->problem.channels ? 28 : 72, NULL);
    tnn_rule_free(&fine);
    tnn_free(&t);
    return score;
}

TEST energy(int kind, int64_t d) {
    Case c;
    TnnConfig config = config_of(1, 32, 2, 48);
    open_case(&c, kind, d);
    double exact = kind == SINE ? coupled_energy(d) : (double)d,
           lambda = solved(&c, &config, 1, NULL);
    snprintf(note, sizeof note, "kind %d, d = %lld: %.12g, exact %.12g", kind, (long long)d, lambda,
             exact);
    ASSERTm(note, fabs(lambda / exact - 1) < 1e-8);
    ASSERTm("below the exact value: the quadrature is cheated", lambda > exact * (1 - 1e-12));
    free(c.mu);
    PASS();
}

TEST two_coupled_oscillators(void) {
    Case c;
    double dense, exact = coupled_energy(2);
    open_case(&c, CHAIN, 2);
    TnnConfig config = config_of(4, 32, 2, 48);
    double lambda = solved(&c, &config, 10, &dense);
    snprintf(note, sizeof note, "%.12g, exact %.12g, dense %.12g", lambda, exact, dense);
    ASSERTm(note, fabs(lambda / exact - 1) < 1e-5);
    ASSERTm("not an upper bound of the dense solution", lambda > dense - 1e-11);
    ASSERT_IN_RANGEm("the walls' own shift", 3.5e-9, dense - exact, 5e-10);
    config.rank = 1; /* a product state cannot do better than d */
    ASSERT_IN_RANGE(2.0, solved(&c, &config, 10, NULL), 1e-6);
    free(c.mu);
    PASS();
}

/* 1.39235164153029 is the ground state of -psi'' + (x^2 + x^4) psi. */
TEST quartic(void) {
    Case c;
    double dense;
    open_case(&c, QUARTIC, 3);
    TnnConfig config = config_of(1, 32, 2, 48);
    double lambda = solved(&c, &config, 1, &dense);
    snprintf(note, sizeof note, "%.12g, dense %.12g", lambda, dense);
    ASSERT_IN_RANGEm(note, 3 * 1.39235164153029, dense, 1e-10);
    ASSERTm(note, fabs(lambda / dense - 1) < 1e-8);
    free(c.mu);
    PASS();
}

/* Gradient steps alone come down too, if slowly; all terms or samples of them. */
TEST gradient_training_descends(int terms) {
    Case c;
    Tnn t;
    TnnConfig config = config_of(1, 16, 2, 48);
    open_case(&c, OSCILLATOR, 10);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 0, &t, NULL));
    double before = tnn_value(&t);
    for (int i = 0; i < 3000; i++) {
        tnn_sample(&t, 0, terms, (uint32_t)i);
        (void)tnn_gradient(&t, false);
        tnn_update(&t, 1e-2 * (1 - i / 3000.0));
    }
    double after = tnn_value(&t);
    snprintf(note, sizeof note, "from %.6g to %.10g", before, after);
    ASSERTm(note, before > 15 && after > 10 && after < 10.1);
    tnn_free(&t);
    free(c.mu);
    PASS();
}

/* phi_ij of one dimension at nodes moved by `by`, [p][q8]. */
static void values_at(const Tnn *t, int64_t i, double by, double *out, double *functions_out) {
    int64_t q8 = t->rule.padded, p = t->config.rank, held = tnn_held_size(&t->config, q8);
    double *memory = aligned_alloc(
        64, (size_t)tnn_row(held + tnn_shared_size(&t->problem, &t->config, q8)) * sizeof(double));
    double *at = calloc((size_t)q8, sizeof(double));
    TnnRule rule = t->rule;
    TnnRows rows = tnn_rows_at(&t->config, q8, memory, memory + held);
    for (int q = 0; q < t->rule.nodes; q++)
        at[q] = t->rule.at[q] + by;
    rule.at = at;
    tnn_hidden(t, &rule, i, &rows);
    tnn_output(t, &rule, i, &rows);
    tnn_functions_at(t, &rule, i, &rows);
    memcpy(out, rows.phi, (size_t)(p * q8) * sizeof(double));
    if (functions_out)
        memcpy(functions_out, rows.functions,
               (size_t)((1 + 2 * t->problem.channels) * q8) * sizeof(double));
    free(at);
    free(memory);
}

enum { NODES = 24, RANK = 3, D = 3 };
typedef struct Grid {
    double phi[D][RANK * NODES], second[D][RANK * NODES], f[D][5 * NODES], norm[D][RANK];
} Grid;

/* Second derivatives by y from differences, of the sixth order. */
static void make_grid(const Tnn *t, Grid *g) {
    static const double weight[] = {-49. / 18, 1.5, -3. / 20, 1. / 90};
    double h = 1e-2, other[RANK * NODES];
    for (int64_t i = 0; i < D; i++) {
        values_at(t, i, 0, g->phi[i], g->f[i]);
        memset(g->second[i], 0, sizeof g->second[i]);
        for (int k = -3; k <= 3; k++) {
            values_at(t, i, k * h, other, NULL);
            for (int q = 0; q < RANK * NODES; q++)
                g->second[i][q] += weight[abs(k)] * other[q] / pow(h * t->problem.half[i], 2);
        }
        for (int j = 0; j < RANK; j++) {
            g->norm[i][j] = 0;
            for (int q = 0; q < NODES; q++)
                g->norm[i][j] += t->rule.weight[q] * pow(g->phi[i][j * NODES + q], 2);
            g->norm[i][j] = sqrt(g->norm[i][j]);
        }
    }
}

/* (H - lambda) psi at one point of the grid; *psi: psi itself. */
static double residual_at(const Tnn *t, const Grid *g, const int q[D], double lambda, double *psi) {
    const TnnProblem *p = &t->problem;
    double out = 0, potential = p->constant - lambda;
    *psi = 0;
    for (int i = 0; i < D; i++) {
        potential += g->f[i][q[i]];
        for (int k = i + 1; k < D; k++)
            for (int m = 0; m < p->channels; m++)
                if (p->all_pairs[m] || k == i + 1)
                    potential +=
                        g->f[i][(1 + 2 * m) * NODES + q[i]] * g->f[k][(2 + 2 * m) * NODES + q[k]];
    }
    for (int j = 0; j < RANK; j++) {
        double value = tnn_coefficients(t)[j], kinetic = 0;
        for (int i = 0; i < D; i++)
            value *= g->phi[i][j * NODES + q[i]] / g->norm[i][j];
        for (int i = 0; i < D; i++)
            kinetic -= p->kinetic[i] * g->second[i][j * NODES + q[i]] / g->phi[i][j * NODES + q[i]];
        *psi += value;
        out += value * (potential + kinetic);
    }
    return out;
}

/* The chain's residual against a sum over all points of a grid, of random networks. */
TEST residual_matches_a_grid(int kind) {
    Case c;
    Tnn t;
    Grid *g = calloc(1, sizeof *g);
    TnnConfig config = config_of(RANK, 8, 2, NODES);
    open_case(&c, kind, D);
    ASSERT_EQ(STATUS_OK, tnn_create(&c.problem, &config, 0, &t, NULL));
    for (int j = 0; j < RANK; j++)
        tnn_coefficients(&t)[j] = 1 - 0.7 * j;
    make_grid(&t, g);
    double lambda = tnn_value(&t) + 0.1, square = 0, norm = 0, psi;
    for (int q = 0; q < NODES * NODES * NODES; q++) {
        int at[D] = {q % NODES, q / NODES % NODES, q / NODES / NODES};
        double w = t.rule.weight[at[0]] * t.rule.weight[at[1]] * t.rule.weight[at[2]];
        double r = residual_at(&t, g, at, lambda, &psi);
        square += w * r * r;
        norm += w * psi * psi;
    }
    double direct = sqrt(square / norm), chain = tnn_residual(&t, &t.rule, lambda);
    snprintf(note, sizeof note, "grid %.10g, chain %.10g", direct, chain);
    ASSERTm(note, fabs(chain / direct - 1) < 1e-6);
    free(g);
    tnn_free(&t);
    free(c.mu);
    PASS();
}

SUITE(residuals) {
    RUN_TESTp(residual_matches_a_grid, OSCILLATOR);
    RUN_TESTp(residual_matches_a_grid, CHAIN);
    RUN_TESTp(residual_matches_a_grid, ALL_PAIRS);
}

SUITE(gradients) {
    static const PdeActivation activations[] = {PDE_ACT_sin, PDE_ACT_tanh};
    static const int kinds[] = {OSCILLATOR, CHAIN, ALL_PAIRS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int rank = 1; rank <= 4; rank += 3) {
            for (int depth = 2; depth <= 4; depth++)
                RUN_TESTp(gradient_matches_differences, kinds[k], rank, depth,
                          activations[depth % 2]);
            RUN_TESTp(blocks_give_the_full_gradient, kinds[k], rank);
        }
    for (int values = 0; values < 3; values++) {
        RUN_TESTp(sampled_gradients_are_unbiased, OSCILLATOR, 1, values);
        RUN_TESTp(sampled_gradients_are_unbiased, ALL_PAIRS, 3, values);
    }
}

SUITE(energies) {
    static const int64_t few[] = {10, 1000}, modes[] = {2, 10, 100};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        RUN_TESTp(energy, OSCILLATOR, few[k]);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        RUN_TESTp(energy, SINE, modes[k]);
    if (long_tier) {
        RUN_TESTp(energy, OSCILLATOR, 20000);
        RUN_TESTp(energy, SINE, 20000);
    }
    RUN_TEST(two_coupled_oscillators);
    RUN_TEST(quartic);
    RUN_TESTp(gradient_training_descends, 0);
    RUN_TESTp(gradient_training_descends, 3);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--long") == 0) {
        long_tier = true;
        argc--;
        argv++;
    }
    GREATEST_MAIN_BEGIN();
    RUN_TEST(quadrature_is_exact);
    RUN_TEST(large_products_stay_finite);
    RUN_SUITE(residuals);
    RUN_SUITE(gradients);
    RUN_SUITE(energies);
    GREATEST_MAIN_END();
}
