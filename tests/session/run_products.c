/* run_products.c: points of a product of domains: inside each of them, and on the boundary of exactly one.
 *
 * Closed forms: inside, a coordinate of the ball of radius R in the plane has the square R^2 / 4 in the mean, the
 * interval (-1, 2) the mean 1/2 and the square 1, the open plane its own law normal(1, 2); coordinates of different
 * domains are independent. On the boundary, each of the three domains that have one has a third of the points, those
 * on a circle have squares R^2 / 2, and the others keep the law inside. Means are held to six standard errors. */
#define STAND_IN PRODUCT_MODULE
#include "run_mean.h"
#include "run_support.h"

#include "runtime/step/domain.h"
#include "runtime/step/points.h"

enum { D = 7, POINTS = 4096, DRAWS = 20 };

static bool is_near(const Mean *m, double want) {
    double mean = mean_of(m), room = mean_room(m);
    if (m->n > 1000 && fabs(mean - want) <= room)
        return true;
    (void)printf("mean %g of %g numbers, expected %g to %g\n", mean, m->n, want, room);
    return false;
}

static const double circle[2] = {2, 1}; /* radii of x and z */

/* How far outside each bounded domain a point is: x (rows 0, 1), y (2), z (3, 4). */
static void outside(const double *v, double out[3]) {
    out[0] = hypot(v[0], v[1]) - circle[0];
    out[1] = fmax(-1 - v[2], v[2] - 2);
    out[2] = hypot(v[3], v[4]) - circle[1];
}

static double row(const Points *p, bool normal, int64_t point, int i) {
    if (!normal)
        return points_coordinate(p, point, i);
    int64_t at = (point / PDE_LANES * D + i) * PDE_LANES + point % PDE_LANES;
    return real_get(p->c.problem->precision, p->normal, at);
}

static Points *points_of(Rig *rig, PlanTaskKind kind) {
    for (int t = 0; t < rig->problem.plan.tasks; t++)
        if (rig->problem.plan.task[t].kind == kind)
            return &rig->s.task[t].points;
    return NULL;
}

/* Laws inside, but for the domain `on` whose boundary the point is on (-1: none). */
typedef struct Laws {
    Mean square[2], linear, interval, open, spread, mixed[4];
} Laws;

static void take_inside(Laws *m, const double *v, int on) {
    for (int k = 0; k < 2; k++)
        if (on != 2 * k)
            take(&m->square[k], v[3 * k] * v[3 * k]);
    if (on != 1) {
        take(&m->linear, v[2]);
        take(&m->interval, v[2] * v[2]);
    }
    take(&m->open, v[5]);
    take(&m->spread, (v[6] - 1) * (v[6] - 1));
    take(&m->mixed[0], v[0] * v[3]);
    take(&m->mixed[1], v[1] * v[2]);
    take(&m->mixed[2], v[4] * v[5]);
    take(&m->mixed[3], v[0] * v[0] * v[3] * v[3] - circle[0] * circle[0] / 4 * v[3] * v[3]);
}

static bool laws_hold(const Laws *m) {
    return is_near(&m->square[0], circle[0] * circle[0] / 4) &&
           is_near(&m->square[1], circle[1] * circle[1] / 4) && is_near(&m->linear, 0.5) &&
           is_near(&m->interval, 1) && is_near(&m->open, 1) && is_near(&m->spread, 4) &&
           is_near(&m->mixed[0], 0) && is_near(&m->mixed[1], 0) && is_near(&m->mixed[2], 0);
}

TEST points_are_in_the_product(const char *precision) {
    static Laws m;
    double rounding = strstr(precision, "64") ? 1e-12 : 1e-6, v[D], gap[3];
    const char *option[] = {precision, "--points=4096", "--no-cache", "--scale=none",
                            "--threads=2"};
    Rig rig;
    ASSERTm(rig.error.message, rig_open(&rig, option, 5));
    ASSERT_EQ(4, rig.problem.spaces);
    ASSERT_EQ(D, rig.problem.d);
    Points *p = points_of(&rig, PLAN_equation);
    m = (Laws){0};
    for (uint32_t k = 0; k < DRAWS; k++) {
        points_draw(p, 3, k, 0);
        for (int64_t b = 0; b < POINTS; b++) {
            for (int i = 0; i < D; i++)
                v[i] = row(p, false, b, i);
            outside(v, gap);
            ASSERT(gap[0] < rounding && gap[1] < rounding && gap[2] < rounding);
            take_inside(&m, v, -1);
        }
    }
    ASSERT(laws_hold(&m) && is_near(&m.mixed[3], 0));
    rig_close(&rig);
    PASS();
}

TEST points_are_on_one_boundary(const char *precision) {
    static Laws m;
    double rounding = strstr(precision, "64") ? 1e-12 : 1e-6, v[D], n[D], gap[3];
    const char *option[] = {precision, "--points=4096", "--no-cache", "--scale=none",
                            "--threads=2"};
    Mean share[3] = {{0}}, on_circle[2] = {{0}}, side = {0};
    Rig rig;
    ASSERTm(rig.error.message, rig_open(&rig, option, 5));
    Points *p = points_of(&rig, PLAN_boundary);
    m = (Laws){0};
    for (uint32_t k = 0; k < DRAWS; k++) {
        points_draw(p, 3, k, 0);
        for (int64_t b = 0; b < POINTS; b++) {
            for (int i = 0; i < D; i++) {
                v[i] = row(p, false, b, i);
                n[i] = row(p, true, b, i);
            }
            static const int first[] = {0, 2, 3, 5};
            int on = -1;
            outside(v, gap);
            for (int s = 0; s < 3; s++)
                if (fabs(gap[s]) <= rounding && on < 0)
                    on = s;
            ASSERT(on >= 0);
            for (int s = 0; s < 3; s++) {
                double length = 0;
                for (int i = first[s]; i < first[s + 1]; i++)
                    length += n[i] * n[i];
                ASSERT(s == on ? fabs(length - 1) < 10 * rounding : length <= 0);
                ASSERT(gap[s] <= rounding);
                take(&share[s], s == on);
            }
            ASSERT(n[5] * n[5] + n[6] * n[6] <= 0);
            if (on == 1) {
                take(&side, v[2] > 0);
                ASSERT((v[2] > 0) == (n[2] > 0));
            } else {
                int z = on == 2;
                take(&on_circle[z], v[3 * z] * v[3 * z]);
                ASSERT(fabs(n[3 * z] - v[3 * z] / circle[z]) < 10 * rounding);
            }
            take_inside(&m, v, on);
        }
    }
    for (int s = 0; s < 3; s++)
        ASSERT(is_near(&share[s], 1.0 / 3));
    ASSERT(is_near(&side, 0.5));
    ASSERT(is_near(&on_circle[0], 2) && is_near(&on_circle[1], 0.5));
    ASSERT(laws_hold(&m));
    rig_close(&rig);
    PASS();
}

/* Far points come back into each domain, near ones stay. */
TEST points_come_back(void) {
    const char *option[] = {"--precision=float64", "--points=64", "--no-cache", "--scale=none",
                            "--threads=1"};
    Rig rig;
    ASSERTm(rig.error.message, rig_open(&rig, option, 5));
    Points *p = points_of(&rig, PLAN_equation);
    points_draw(p, 3, 0, 0);
    for (int64_t b = 0; b < 64; b++) {
        double v[D], gap[3];
        for (int i = 0; i < D; i++)
            points_set_coordinate(p, b, i, 30 * points_coordinate(p, b, i));
        double open = points_coordinate(p, b, 5);
        for (int k = 0; k < rig.problem.spaces; k++) {
            const Space *own = &rig.problem.space[k];
            double square = 0;
            for (int64_t i = own->first; i < own->first + own->d; i++)
                square += points_coordinate(p, b, i) * points_coordinate(p, b, i);
            domain_of(own)->project(p, k, b, square);
        }
        for (int i = 0; i < D; i++)
            v[i] = points_coordinate(p, b, i);
        outside(v, gap);
        ASSERT(gap[0] <= 1e-12 && gap[1] <= 0 && gap[2] <= 1e-12);
        ASSERT(fabs(v[5] - open) <= 0);
    }
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(points_are_in_the_product, "--precision=float64");
    RUN_TESTp(points_are_in_the_product, "--precision=float32");
    RUN_TESTp(points_are_on_one_boundary, "--precision=float64");
    RUN_TESTp(points_are_on_one_boundary, "--precision=float32");
    RUN_TEST(points_come_back);
    GREATEST_MAIN_END();
}
