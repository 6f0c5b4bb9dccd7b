/* run_error.c: estimates of the error of a random network against its exact error, for linear equations with closed
 * forms: there the estimate's mean is exact, but for the steps. Paths enough that a wrong sign, a factor 2 in sigma
 * sigma' or a missing weight is off by more than 20 standard errors: the common factor between estimates and truth is
 * known to 2 %, and each of these changes it by more than 40 %. */
static const char *opened; /* the module that a test opens */
#define STAND_IN opened
#include "run_support.h"

#include "runtime/error/slope.h"

#include <stdio.h>

enum { POINTS_MOST = 32 };

typedef struct Case {
    const char *module, *set[5]; /* NAME=VALUE */
    int points, paths, steps;
} Case;

static const Case cases[] = {
    {"ball", {"d=1"}, 8, 512, 1},
    {"ball", {"d=2"}, 8, 512, 1},
    {"ball", {"d=5", "s=-1"}, 8, 256, 1},
    {"ball", {"d=2", "k=1", "c=-3"}, 8, 512, 1},
    {"ball", {"d=1", "c=0.5"}, 8, 1024, 1},
    {"ball", {"d=5", "k=-1", "c=2", "s=-3"}, 8, 128, 1},
    {"ball", {"d=2", "c=-40"}, 8, 512, 1},
    {"ball", {"d=60", "c=-40"}, 8, 128, 1},
    {"box", {"d=1", "k=1"}, 8, 512, 1},
    {"ball", {"d=300", "s=-1"}, 8, 64, 1}, /* terms are drawn */
    {"box", {"d=2", "c=-1"}, 8, 512, 1},
    {"box", {"d=5", "k=-1", "s=-2"}, 8, 128, 1},
    {"annulus", {"d=2", "c=1"}, 8, 256, 1},
    {"annulus", {"d=5", "s=-1"}, 8, 256, 1},
    {"ellipsoid", {"d=2", "c=1"}, 8, 512, 1},
    {"ellipsoid", {"d=1", "s=-1", "k=1"}, 8, 512, 1},
    {"ellipsoid", {"d=5", "s=-2", "k=1"}, 8, 128, 1},
    {"simplex", {"d=2", "s=-1"}, 8, 512, 1},
    {"simplex", {"d=5", "c=-3"}, 8, 256, 1},
    {"simplex", {"d=1", "k=2"}, 8, 512, 1},
    {"matrix", {"d=2"}, 8, 128, 1},
    {"matrix", {"d=5", "c=-2", "s=-1"}, 8, 128, 1},
    {"rank", {"d=1", "T=0.2"}, 12, 512, 16},
    {"rank", {"d=2", "s=-1", "c=1", "T=0.2"}, 12, 512, 16},
    {"rank", {"d=5", "w=0", "c=-1"}, 12, 128, 24},
    {"terminal", {"d=1", "k=1"}, 12, 256, 32},
    {"terminal", {"d=2", "s=-1", "c=2"}, 12, 512, 32},
    {"terminal", {"d=5", "k=2", "c=-2"}, 12, 256, 32},
    {"initial", {"d=1", "k=1"}, 12, 256, 32},
    {"initial", {"d=2", "s=-1", "c=2"}, 12, 256, 32},
    {"initial", {"d=5", "k=2", "c=-2"}, 12, 256, 32},
    {"torus", {"d=2", "s=-1", "k=1"}, 12, 1024, 32},
    {"torus", {"d=5", "c=-2"}, 12, 256, 32},
    {"cylinder", {"d=1"}, 12, 256, 32},
    {"cylinder", {"d=2", "s=-1", "c=2", "k=1"}, 12, 256, 32},
    {"cylinder", {"d=5", "c=-2"}, 12, 256, 32},
    {"cylinder_exactly", {"d=1", "s=-1"}, 12, 512, 32},
    {"cylinder_exactly", {"d=2", "c=3"}, 12, 512, 32},
    {"neumann", {"d=1"}, 8, 96, 1},
    {"neumann", {"d=2", "s=-1"}, 8, 64, 1},
    {"neumann", {"d=5", "c=-10"}, 8, 64, 1},
    {"robin", {"d=1", "b=0"}, 12, 128, 24},
    {"robin", {"d=2", "s=-1", "c=1"}, 12, 128, 24},
    {"robin", {"d=5", "b=-0.2"}, 12, 256, 24},
    {"robin_still", {"d=1", "b=8"}, 8, 256, 1},
    {"robin_still", {"d=2", "s=-1", "b=8"}, 8, 128, 1},
    {"mixed", {"c=-1"}, 8, 512, 1},
    {"mixed", {"s=-2", "c=1", "b=3"}, 8, 512, 1},
    {"product", {"d=2"}, 12, 256, 32},
    {"product", {"d=5", "s=-1", "k=1", "c=1"}, 12, 256, 32},
    {"two_prices", {"s=-1"}, 12, 256, 48},
    {"two_prices", {"rho=0.5", "xi=0.6", "c=1"}, 12, 256, 48},
    {"kinetic", {"s=-1"}, 12, 256, 64},
    {"prices", {"d=1"}, 12, 256, 64},
    {"prices", {"d=5", "s=-1"}, 12, 256, 64},
    {"written", {NULL}, 12, 256, 64},
    {"written", {"s=-1", "ab=0"}, 12, 256, 64},
    {"volatility", {"s=-1"}, 12, 256, 64},
};

/* Derivatives along x_1. */
static const Case slopes[] = {
    {"terminal", {"d=1", "k=1"}, 8, 512, 32},
    {"initial", {"d=5", "k=2", "c=-2"}, 8, 512, 32},
    {"prices", {"d=5", "s=-1"}, 8, 512, 64},
    {"rank", {"d=2", "s=-1", "c=1", "T=0.2"}, 8, 512, 32},
    {"ball", {"d=2", "k=1", "c=-3"}, 8, 1024, 1},
    {"box", {"d=2", "c=-1"}, 8, 6144, 1},
};

static bool open_case(const Case *c, Rig *rig, char *path) {
    static char text[8][40];
    const char *option[16] = {"--precision=float64", "--width=16",  "--depth=3",
                              "--scale=none",        "--threads=2", "--activation=tanh"};
    int n = 6;
    snprintf(path, 512, "%s/%s.so", MODULES, c->module);
    for (int i = 0; i < 5 && c->set[i]; i++) {
        snprintf(text[i], sizeof text[i], "--set=%s", c->set[i]);
        option[n++] = text[i];
    }
    opened = path;
    return rig_open(rig, option, n);
}

/* The estimates' common factor against the truth, its standard error, and the largest deviation of one. steps: what
 * two lengths of steps say of their bias is not counted as one. */
typedef struct Match {
    double factor, error, worst, square;
} Match;

static Match match_of(const ErrorPoint *point, int count, bool steps) {
    double cross = 0, square = 0, noise = 0;
    Match m = {0};
    for (int p = 0; p < count; p++) {
        const ErrorPoint *e = &point[p];
        double truth = e->value - e->exact, off = fabs(e->error - truth);
        double z = fmax(off - (steps ? e->bias : 0), 0) / e->deviation;
        cross += e->error * truth;
        square += truth * truth;
        noise += truth * truth * e->deviation * e->deviation;
        m.worst = fmax(m.worst, fabs(z));
        m.square += z * z / count;
    }
    m.factor = cross / square;
    m.error = sqrt(noise) / square;
    return m;
}

/* d(value - exact) / dx_1 at x, by differences of the fourth order. */
static double true_slope(Walk *walk, const double *x) {
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double moved[4][80], value[4], exact[4], sum = 0;
    const double h = 1e-3, *point[4];
    for (int k = 0; k < 4; k++) {
        memcpy(moved[k], x, (size_t)walk_inputs(walk) * sizeof *x);
        moved[k][0] += at[k] * h;
        point[k] = moved[k];
    }
    walk_values(walk, point, 4, value, exact);
    for (int k = 0; k < 4; k++)
        sum += weight[k] * (value[k] - exact[k]) / h;
    return sum;
}

/* Of the intervals of derivatives all but one hold the truth, and their common factor is 1. */
TEST slopes_agree(const Case *c) {
    char path[512];
    Rig rig;
    Walk *walk = NULL;
    double x[POINTS_MOST * 80], cross = 0, square = 0, noise = 0;
    bool stopped = false;
    int held = 0;
    ASSERTm(rig.error.message, open_case(c, &rig, path));
    double *theta = malloc((size_t)rig.s.network.size * sizeof *theta);
    pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, theta);
    Status status =
        walk_open(&rig.problem, &rig.settings, theta, rig.s.output_scale, &walk, &rig.error);
    ASSERTm(rig.error.message, status == STATUS_OK);
    walk_test_points(walk, 0, c->points, x);
    for (int p = 0; p < c->points; p++) {
        ErrorPoint e = {0};
        EstimateConfig config = {.points = 1,
                                 .x = x + p * walk_inputs(walk),
                                 .paths = c->paths,
                                 .steps = c->steps,
                                 .two_steps = true,
                                 .seed = (uint64_t)p};
        double truth = true_slope(walk, config.x);
        status = slope_point(walk, &config, 0, &e, &stopped, &rig.error);
        ASSERTm(rig.error.message, status == STATUS_OK && !stopped);
        held += fabs(e.error - truth) <= e.half;
        cross += e.error * truth;
        square += truth * truth;
        noise += truth * truth * e.deviation * e.deviation;
        if (greatest_info.verbosity)
            printf("  %.5f +- %.5f, truth %.5f\n", e.error, e.half, truth);
    }
    if (greatest_info.verbosity)
        printf("%s %s: factor %.4f +- %.4f, %d of %d held\n", c->module, c->set[0], cross / square,
               sqrt(noise) / square, held, c->points);
    walk_close(walk);
    free(theta);
    rig_close(&rig);
    ASSERT(sqrt(noise) / square < 0.05);
    ASSERT_IN_RANGE(1, cross / square, 4 * sqrt(noise) / square + 0.01);
    ASSERT(held >= c->points - 1);
    PASS();
}

TEST agrees(const Case *c) {
    char path[512];
    Rig rig;
    Walk *walk = NULL;
    ErrorPoint point[POINTS_MOST];
    double x[POINTS_MOST * 80];
    bool stopped = false;
    ASSERTm(rig.error.message, open_case(c, &rig, path));
    ASSERT_EQ(NULL, walk_refusal(&rig.problem));
    double *theta = malloc((size_t)rig.s.network.size * sizeof *theta);
    pde_engine_get(rig.s.engine, PDE_SLOT_PARAMETERS, theta);
    Status status =
        walk_open(&rig.problem, &rig.settings, theta, rig.s.output_scale, &walk, &rig.error);
    ASSERTm(rig.error.message, status == STATUS_OK);
    walk_test_points(walk, 0, c->points, x);
    EstimateConfig config = {.points = c->points,
                             .x = x,
                             .paths = c->paths,
                             .steps = c->steps,
                             .two_steps = rig.problem.space[0].domain == DOMAIN_R,
                             .seed = 1};
    status = estimate_points(walk, &config, point, &stopped, &rig.error);
    ASSERTm(rig.error.message, status == STATUS_OK);
    Match m = match_of(point, c->points, config.two_steps);
    if (greatest_info.verbosity)
        printf("%s %s %s %s: factor %.4f +- %.4f, worst %.2f, square %.2f, %lld steps, lost %lld\n",
               c->module, c->set[0], c->set[1] ? c->set[1] : "", c->set[2] ? c->set[2] : "",
               m.factor, m.error, m.worst, m.square, (long long)walk_facts(walk)->steps,
               (long long)walk_facts(walk)->lost);
    walk_close(walk);
    free(theta);
    rig_close(&rig);
    ASSERT(m.error < 0.02);
    ASSERT_IN_RANGE(1, m.factor, 4 * m.error);
    ASSERT_IN_RANGE(0, m.worst, 4.5);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    GREATEST_MAIN_BEGIN();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += getenv("EVERY_CASE") ? 1 : 3)
        RUN_TEST1(agrees, &cases[k]);
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k += getenv("EVERY_CASE") ? 1 : 2)
        RUN_TEST1(slopes_agree, &slopes[k]);
    GREATEST_MAIN_END();
}
