/* run_domains.c: points of a domain and of its boundary have the uniform law there, and normals are outward.
 *
 * What must hold of the means comes from the divergence theorem, for any domain, and shares nothing with the way the
 * points are made: over the boundary S of a volume V, with n the outward normal,
 *     E_S[n_i] = 0,   E_S[x_i n_i] = |V| / |S| for every i,   E_S[x_i^3 n_i] = 3 E_V[x_i^2] |V| / |S|,
 *     E_S[x_j^2 x_i n_i] = E_V[x_j^2] |V| / |S| for j != i.
 * Beside these, moments inside in closed form. Means are held to six of their own standard errors. */
static const char *opened;
#define STAND_IN opened
#include "run_mean.h"
#include "run_support.h"

#include "runtime/step/domain.h"
#include "runtime/step/points.h"

enum { D = 4, POINTS = 4096, DRAWS = 50 };

typedef struct Moments {
    Mean first[D], second[D], mixed; /* inside */
    Mean normal[D], flux[D], cubic[D],
        cross[D]; /* on the boundary; cross: of x_j^2 x_i n_i, j = i + 1 */
} Moments;

typedef struct Domain {
    const char *name, *module;
    double first;                       /* E_V[x_i] */
    double (*second)(int i), mixed;     /* E_V[x_i^2], E_V[x_1 x_2] */
    double (*outside)(const double *x); /* < 0 inside, 0 on the boundary */
} Domain;

static double square_of(const double *x) {
    double s = 0;
    for (int i = 0; i < D; i++)
        s += x[i] * x[i];
    return s;
}

static double ball_second(int i) {
    (void)i;
    return 4.0 / (D + 2);
}

static double ball_outside(const double *x) {
    return sqrt(square_of(x)) - 2;
}

static double box_second(int i) {
    (void)i;
    return 1;
}

static double box_outside(const double *x) {
    double most = -9;
    for (int i = 0; i < D; i++)
        most = fmax(most, fmax(-1 - x[i], x[i] - 2));
    return most;
}

static double simplex_second(int i) {
    (void)i;
    return 2.0 / ((D + 1) * (D + 2));
}

static double simplex_outside(const double *x) {
    double most = -9, sum = 0;
    for (int i = 0; i < D; i++) {
        most = fmax(most, -x[i]);
        sum += x[i];
    }
    return fmax(most, sum - 1);
}

static double semiaxis(int i) {
    return pow(10, (i + 1) / (double)D);
}

static double ellipsoid_second(int i) {
    return semiaxis(i) * semiaxis(i) / (D + 2);
}

static double ellipsoid_outside(const double *x) {
    double y[D];
    for (int i = 0; i < D; i++)
        y[i] = x[i] / semiaxis(i);
    return sqrt(square_of(y)) - 1;
}

static const Domain domains[] = {
    {"ball", DOMAINS_FOLDER "/domain_ball.so", 0, ball_second, 0, ball_outside},
    {"box", DOMAINS_FOLDER "/domain_box.so", 0.5, box_second, 0.25, box_outside},
    {"simplex", DOMAINS_FOLDER "/domain_simplex.so", 1.0 / (D + 1), simplex_second,
     1.0 / ((D + 1) * (D + 2)), simplex_outside},
    {"ellipsoid", DOMAINS_FOLDER "/domain_ellipsoid.so", 0, ellipsoid_second, 0, ellipsoid_outside},
};

static Points *points_of(Rig *rig, PlanTaskKind kind) {
    for (int t = 0; t < rig->problem.plan.tasks; t++)
        if (rig->problem.plan.task[t].kind == kind)
            return &rig->s.task[t].points;
    return NULL;
}

static double normal_of(const Points *p, int64_t point, int i) {
    int64_t at = (point / PDE_LANES * p->c.problem->d + i) * PDE_LANES + point % PDE_LANES;
    return real_get(p->c.problem->precision, p->normal, at);
}

/* Gathers; returns the largest breach: outside by, off the boundary by, a normal's length, its direction. */
static double gather(const Domain *domain, Points *p, bool boundary, double rounding, Moments *m) {
    double worst = 0, x[D], n[D] = {0}, beyond[D];
    for (int64_t b = 0; b < POINTS; b++) {
        for (int i = 0; i < D; i++) {
            x[i] = points_coordinate(p, b, i);
            n[i] = boundary ? normal_of(p, b, i) : 0;
        }
        worst = fmax(worst, domain->outside(x));
        if (boundary)
            worst = fmax(worst, fmax(-domain->outside(x), fabs(square_of(n) - 1)));
        for (int i = 0; i < D; i++) { /* a step along the normal leads out of the domain */
            int j = (i + 1) % D;
            beyond[i] = x[i] + 1e3 * rounding * n[i];
            take(&m->first[i], boundary ? 0 : x[i]);
            take(&m->second[i], x[i] * x[i]);
            take(&m->normal[i], n[i]);
            take(&m->flux[i], x[i] * n[i]);
            take(&m->cubic[i], x[i] * x[i] * x[i] * n[i]);
            take(&m->cross[i], x[j] * x[j] * x[i] * n[i]);
        }
        take(&m->mixed, x[0] * x[1]);
        if (boundary && !(domain->outside(beyond) > 0))
            worst = 1;
    }
    return worst;
}

TEST has_its_moments(const Domain *domain, const char *precision) {
    static Moments in, on;
    double rounding = strstr(precision, "64") ? 1e-12 : 4e-6;
    Rig rig;
    const char *option[] = {precision, "--points=4096", "--no-cache", "--scale=none",
                            "--threads=2"};
    opened = domain->module;
    ASSERTm(rig.error.message, rig_open(&rig, option, 5));
    (void)printf("%s %s\n", domain->name, precision);
    in = on = (Moments){0};
    Points *inside = points_of(&rig, PLAN_equation), *boundary = points_of(&rig, PLAN_boundary);
    for (uint32_t k = 0; k < DRAWS; k++) {
        points_draw(inside, 3, k, 0);
        points_draw(boundary, 3, k, 0);
        ASSERT(gather(domain, inside, false, rounding, &in) <= rounding);
        ASSERT(gather(domain, boundary, true, rounding, &on) <= rounding);
    }
    double ratio = mean_of(&on.flux[0]); /* |V| / |S| */
    ASSERT(ratio > 0);
    ASSERT_IN_RANGE(domain->mixed, mean_of(&in.mixed), mean_room(&in.mixed));
    for (int i = 0; i < D; i++) {
        double second = domain->second(i), other = domain->second((i + 1) % D);
        ASSERT_IN_RANGE(domain->first, mean_of(&in.first[i]), mean_room(&in.first[i]));
        ASSERT_IN_RANGE(second, mean_of(&in.second[i]), mean_room(&in.second[i]));
        ASSERT_IN_RANGE(0, mean_of(&on.normal[i]), mean_room(&on.normal[i]));
        ASSERT_IN_RANGE(ratio, mean_of(&on.flux[i]),
                        mean_room(&on.flux[i]) + mean_room(&on.flux[0]));
        ASSERT_IN_RANGE(3 * second * ratio, mean_of(&on.cubic[i]),
                        mean_room(&on.cubic[i]) + 3 * second * mean_room(&on.flux[0]));
        ASSERT_IN_RANGE(other * ratio, mean_of(&on.cross[i]),
                        mean_room(&on.cross[i]) + other * mean_room(&on.flux[0]));
    }
    rig_close(&rig);
    PASS();
}

/* A point anywhere comes back into the domain, and one inside stays. */
TEST projects(const Domain *domain) {
    Rig rig;
    const char *option[] = {"--precision=float64", "--points=256", "--no-cache",
                            "--scale=none",        "--threads=1",  "--attack-steps=1",
                            "--attack-size=1e-3"};
    opened = domain->module;
    ASSERTm(rig.error.message, rig_open(&rig, option, 7));
    Points *p = points_of(&rig, PLAN_equation);
    for (int far = 0; far < 2; far++) {
        points_draw(p, 3, 0, 0);
        for (int64_t b = 0; b < 256; b++) {
            double square = 0, x[D], before[D];
            for (int i = 0; i < D; i++) {
                before[i] = points_coordinate(p, b, i) * (far ? 30 * (i % 2 ? -1 : 1) : 0.9);
                points_set_coordinate(p, b, i, before[i]);
                square += before[i] * before[i];
            }
            domain_of(&rig.problem.space[0])->project(p, 0, b, square);
            for (int i = 0; i < D; i++) {
                x[i] = points_coordinate(p, b, i);
                ASSERT(far || fabs(x[i] - before[i]) <= 0);
            }
            ASSERT(domain->outside(x) <= 1e-12);
        }
    }
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
        RUN_TESTp(has_its_moments, &domains[k], "--precision=float64");
        RUN_TESTp(has_its_moments, &domains[k], "--precision=float32");
        RUN_TESTp(projects, &domains[k]);
    }
    GREATEST_MAIN_END();
}
