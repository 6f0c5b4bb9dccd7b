/* Outputs and directional derivatives against finite differences of an independent, naive network
 * in long double; parameter gradients against finite differences of the scalar they belong to.
 */
#include "engine_check.h"

/* sigma, written apart from the engine */
static long double naive_activation(PdeActivation kind, long double z) {
    switch (kind) {
    case PDE_ACT_tanh:
        return tanhl(z);
    case PDE_ACT_sin:
        return sinl(z);
    case PDE_ACT_gelu:
        return 0.5L * z * erfcl(-z / sqrtl(2));
    case PDE_ACT_silu:
        return z / (1 + expl(-z));
    case PDE_ACT_softplus:
        return z > 0 ? z + log1pl(expl(-z)) : log1pl(expl(z));
    case PDE_ACT_gauss:
        return expl(-z * z / 2);
    case PDE_ACT_relu3:
        return z > 0 ? z * z * z : 0;
    case PDE_ACT_identity:
        return z;
    case PDE_ACT_square:
        return z * z;
    case PDE_ACT_cube:
        return z * z * z;
    default:
        return HUGE_VALL;
    }
}

static long double naive_network(const Problem *p, const double *theta, const long double *x,
                                 long output) {
    long double a[2048], z[2048];
    for (long i = 0; i < p->width[0]; i++)
        a[i] = x[i];
    for (int l = 0; l < p->layers; l++) {
        long in = (long)p->width[l], out = (long)p->width[l + 1];
        for (long j = 0; j < out; j++) {
            z[j] = (long double)theta[in * out + j];
            for (long i = 0; i < in; i++)
                z[j] += a[i] * (long double)theta[i * out + j];
        }
        for (long j = 0; j < out; j++)
            a[j] = l + 1 < p->layers ? naive_activation(p->activation, z[j]) : z[j];
        theta += (in + 1) * out;
    }
    return a[output];
}

static double point_x(const Case *c, const void *x, long b, long i) {
    return get_real(c, x, (b / PDE_LANES * c->n_in + i) * PDE_LANES + b % PDE_LANES);
}

/* direction j of block i at point b, as a vector */
static void direction_of(const Case *c, int i, long j, long b, long double *v) {
    const PdeDirectionBlock *k = &c->p->block[i];
    const PdeDirections *d = pde_batch_directions(c->q, i);
    long groups = check_groups(c->p->points);
    for (long n = 0; n < c->n_in; n++)
        v[n] = 0;
    if (k->kind == PDE_DIR_UNIT)
        v[d->index[j]] = 1;
    if (k->kind == PDE_DIR_POINT_UNIT)
        v[d->index[b * k->count + j]] = 1;
    for (long e = 0; k->kind == PDE_DIR_POINT_SPARSE && e < k->entries; e++) {
        long at = (b * k->count + j) * k->entries + e;
        v[d->index[at]] += (long double)get_real(c, d->coefficient, at);
    }
    if (k->kind == PDE_DIR_PAIR) {
        v[d->index[2 * j]] += 1;
        v[d->index[2 * j + 1]] += (long double)get_real(c, d->coefficient, j);
    }
    for (long n = 0; n < c->n_in; n++) {
        if (k->kind == PDE_DIR_POSITION)
            v[n] = (long double)point_x(c, pde_batch_x(c->q), b, n);
        if (k->kind == PDE_DIR_DENSE)
            v[n] = (long double)point_x(c, d->v, j, n);
        if (k->kind == PDE_DIR_POINT_DENSE)
            v[n] = (long double)point_x(c, d->v, j * groups * PDE_LANES + b, n);
    }
}

/* Derivatives 1..4 along v from values at nine points (differences of order eight and six). */
static void naive_derivatives(const Case *c, const long double *x, const long double *v, long o,
                              long double h, double d[5]) {
    static const long double w[5][5] = {
        {0},
        {0, 4 / 5.0L, -1 / 5.0L, 4 / 105.0L, -1 / 280.0L},
        {-205 / 72.0L, 8 / 5.0L, -1 / 5.0L, 8 / 315.0L, -1 / 560.0L},
        {0, -61 / 30.0L, 169 / 120.0L, -3 / 10.0L, 7 / 240.0L},
        {91 / 8.0L, -122 / 15.0L, 169 / 60.0L, -2 / 5.0L, 7 / 240.0L}};
    long double f[9], y[2048];
    for (int s = -4; s <= 4; s++) {
        for (long i = 0; i < c->n_in; i++)
            y[i] = x[i] + s * h * v[i];
        f[s + 4] = naive_network(c->p, c->theta, y, o);
    }
    d[0] = (double)f[4];
    for (int m = 1; m <= 4; m++) {
        long double sum = w[m][0] * f[4];
        for (int s = 1; s <= 4; s++)
            sum += w[m][s] * (f[4 + s] + (m % 2 ? -f[4 - s] : f[4 - s]));
        d[m] = (double)(sum / powl(h, m));
    }
}

TEST outputs_match_naive_network(const Problem *p) {
    Case c;
    ASSERT(case_open(&c, p, 1));
    case_value(&c);
    long each = c.each, row = c.row;
    long double x[2048], v[2048];
    for (long b = 0; b < p->points; b += 3)
        for (long o = 0; o < c.n_out; o++) {
            for (long i = 0; i < c.n_in; i++)
                x[i] = (long double)point_x(&c, pde_batch_x(c.q), b, i);
            double n = (double)naive_network(p, c.theta, x, o);
            ASSERT_IN_RANGE(n, c.out[b * row + o], 1e-12 * (1 + fabs(n)));
            long k = 0;
            for (int i = 0; i < p->blocks; i++)
                for (long j = 0; j < p->block[i].count; j++, k++) {
                    double d[5];
                    direction_of(&c, i, j, b, v);
                    naive_derivatives(&c, x, v, o, p->activation == PDE_ACT_relu3 ? 1e-5L : 0.02L,
                                      d);
                    for (int m = 1; m <= p->block[i].order; m++) {
                        double got = c.out[b * row + m * each + o * c.K + k];
                        double tolerance = p->activation == PDE_ACT_relu3 ? 1e-6
                                           : m > 2                        ? 1e-6
                                                                          : 1e-8;
                        ASSERT_IN_RANGE(d[m], got, tolerance * (1 + fabs(d[m])));
                    }
                }
        }
    case_close(&c);
    PASS();
}

/* dS along a direction in parameter space, by a difference of order six */
static double slope_along(Case *c, const double *direction, double h) {
    static const double w[4] = {0, 3 / 4.0, -3 / 20.0, 1 / 60.0};
    double *theta = malloc((size_t)c->n * sizeof(double)), sum = 0;
    for (int s = -3; s <= 3; s++) {
        if (!s)
            continue;
        for (long i = 0; i < c->n; i++)
            theta[i] = c->theta[i] + s * h * direction[i];
        load_theta(c, theta);
        sum += (s < 0 ? -w[-s] : w[s]) * case_value(c);
    }
    load_theta(c, c->theta);
    free(theta);
    return sum / h;
}

TEST gradients_match_differences(const Problem *p, int uniform) {
    Case c;
    ASSERT(case_open_on(&c, p, 1, 1, PDE_ISA_BEST, uniform));
    double *g = malloc((size_t)c.n * sizeof(double)), *dir = calloc((size_t)c.n, sizeof(double));
    double h = p->activation == PDE_ACT_relu3 ? 1e-5 : 3e-3;
    double tolerance = p->activation == PDE_ACT_relu3 ? 1e-5 : 1e-7;
    case_gradient(&c, g);
    double scale = norm_of(g, c.n) / sqrt((double)c.n);
    long step = c.n / 150 + 1;
    for (long i = 0; i < c.n; i += step) {
        dir[i] = 1;
        ASSERT_IN_RANGE(slope_along(&c, dir, h), g[i], tolerance * (fabs(g[i]) + 3 * scale));
        dir[i] = 0;
    }
    double along = 0;
    for (long i = 0; i < c.n; i++) {
        dir[i] = check_random() / sqrt((double)c.n);
        along += dir[i] * g[i];
    }
    ASSERT_IN_RANGE(slope_along(&c, dir, h), along, tolerance * (fabs(along) + 3 * scale));
    free(g);
    free(dir);
    case_close(&c);
    PASS();
}

TEST float_matches_double(const Problem *p, PdeIsa isa) {
    Case a, b;
    ASSERT(case_open(&a, p, 1));
    if (!case_open_on(&b, p, 0, 2, isa, 0)) {
        case_close(&a);
        SKIPm("no such instruction set here");
    }
    double *g = malloc((size_t)a.n * sizeof(double)), *f = malloc((size_t)a.n * sizeof(double));
    case_gradient(&a, g);
    case_gradient(&b, f);
    ASSERT_IN_RANGE(0.0, distance_of(f, g, a.n), 1e-4 * norm_of(g, a.n));
    ASSERT_IN_RANGE(0.0, distance_of(a.out, b.out, a.row * p->points),
                    1e-4 * norm_of(a.out, a.row * p->points));
    free(g);
    free(f);
    case_close(&a);
    case_close(&b);
    PASS();
}

TEST instruction_sets_agree(const Problem *p, PdeIsa isa) {
    Case a, b;
    ASSERT(case_open(&a, p, 1));
    if (!case_open_on(&b, p, 1, 2, isa, 0)) {
        case_close(&a);
        SKIPm("no such instruction set here");
    }
    double *g = malloc((size_t)a.n * sizeof(double)), *f = malloc((size_t)a.n * sizeof(double));
    case_gradient(&a, g);
    case_gradient(&b, f);
    ASSERT_IN_RANGE(0.0, distance_of(f, g, a.n), 1e-12 * norm_of(g, a.n));
    free(g);
    free(f);
    case_close(&a);
    case_close(&b);
    PASS();
}

TEST input_gradient_matches(const Problem *p) {
    Case c;
    ASSERT(case_open(&c, p, 1));
    long groups = check_groups(p->points);
    double *to = malloc((size_t)(groups * c.n_in * PDE_LANES) * sizeof(double));
    long double x[2048], v[2048];
    for (long o = 0; o < c.n_out; o++) {
        pde_input_gradient(c.e, c.q, (int)o, to);
        for (long b = 0; b < groups * PDE_LANES; b += 5)
            for (long i = 0; i < c.n_in; i += 1 + c.n_in / 10) {
                double got = point_x(&c, to, b, i), d[5] = {0};
                for (long n = 0; n < c.n_in && b < p->points; n++) {
                    x[n] = (long double)point_x(&c, pde_batch_x(c.q), b, n);
                    v[n] = n == i;
                }
                if (b < p->points)
                    naive_derivatives(&c, x, v, o, 0.02L, d);
                ASSERT_IN_RANGE(d[1], got, 1e-8 * (1 + fabs(d[1])));
            }
    }
    free(to);
    case_close(&c);
    PASS();
}

SUITE(jets) {
    for (int i = 0; i < PROBLEMS; i++) {
        printf("%s\n", problems[i].name);
        RUN_TESTp(outputs_match_naive_network, &problems[i]);
        RUN_TESTp(gradients_match_differences, &problems[i], 0);
        RUN_TESTp(gradients_match_differences, &problems[i], 1);
        if (problems[i].activation != PDE_ACT_relu3)
            RUN_TESTp(input_gradient_matches, &problems[i]);
        for (int isa = PDE_ISA_BASE; isa < PDE_ISAS; isa++) {
            RUN_TESTp(float_matches_double, &problems[i], (PdeIsa)isa);
            RUN_TESTp(instruction_sets_agree, &problems[i], (PdeIsa)isa);
        }
    }
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(jets);
    GREATEST_MAIN_END();
}
