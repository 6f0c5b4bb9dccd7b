/* ellipsoid.c: the ellipsoid: x_i = a_i y_i with y in the unit ball. */
#include "step/domain/round.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "engine/tree_sum.h"

#include <assert.h>
#include <math.h>

/* ---- points ---- */

static void ellipsoid_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    double factor[PDE_LANES];
    assert(own->semiaxis && own->domain == DOMAIN_ellipsoid);
    for (int l = 0; l < PDE_LANES; l++)
        factor[l] = round_radius(p, space, parts_point(p, group, l), 0, 1) /
                    sqrt(parts_square(p, space, group, l));
    parts_scale(q, x, own->d, factor);
    parts_stretch(q, x, own->d, own->semiaxis);
}

/* A try at one point of the boundary, from the normals y: a direction y / length, its image's normal over `slope`. */
typedef struct Try {
    double length, slope;
    int64_t longer; /* this entry became longer (to `entry`), -1: none */
    double entry;
    bool accepted;
} Try;

/* The area of an ellipsoid over that of the unit sphere is in proportion to s = sqrt(sum_i (y_i / a_i)^2) there.
 * Directions are proposed by the larger density s^2 + c^2, c^2 the mean of 1 / a_i^2, and kept with the probability
 * 2 c s / (s^2 + c^2), which is 0.57 on average at the least, however different the semiaxes are. The density s^2 is
 * a mixture: entry k, chosen by 1 / a_k^2, has its square lengthened by that of two more normals. */
static Try try_direction(const Points *p, int space, const void *y, int lane, uint32_t point,
                         uint32_t number) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    uint32_t word[4];
    int64_t wide = pde_leaf(own->d);
    TreeSum inverses = {.wide = wide}, squares = {.wide = wide}, products = {.wide = wide};
    Try t = {.longer = -1};
    pde_random_block(p->seed, stream_of(STREAM_FACE, p->c.role, p->c.task, space), p->step, point,
                     number, word);
    for (int64_t i = 0; i < own->d; i++) {
        double e = real_get(q->precision, y, i * PDE_LANES + lane), b = 1 / own->semiaxis[i];
        tree_sum_add(&inverses, b * b);
        tree_sum_add(&squares, e * e);
        tree_sum_add(&products, e * b * (e * b));
    }
    double inverse = tree_sum(&inverses), square = tree_sum(&squares),
           weighted = tree_sum(&products);
    if (pde_uniform(word[0]) < 0.5) {
        double place = pde_uniform(word[1]) * inverse, more = -2 * pde_log(pde_uniform(word[2]));
        int64_t k = 0;
        for (; k + 1 < own->d; k++) {
            double b = 1 / own->semiaxis[k];
            if ((place -= b * b) < 0)
                break;
        }
        double e = real_get(q->precision, y, k * PDE_LANES + lane), b = 1 / own->semiaxis[k];
        t.longer = k;
        t.entry = (e < 0 ? -1 : 1) * sqrt(e * e + more);
        square += more;
        weighted += more * b * b;
    }
    double s = sqrt(weighted / square), c = sqrt(inverse / (double)own->d);
    t.length = sqrt(square);
    t.slope = s;
    t.accepted = pde_uniform(word[3]) * (s * s + c * c) <= 2 * c * s;
    return t;
}

static void ellipsoid_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    void *normal =
        parts_normals(p, space, group); /* holds the normals of further tries until the end */
    Try found[PDE_LANES] = {{0}};
    assert(own->semiaxis);
    for (uint32_t number = 0, left = PDE_LANES; left && number < DOMAIN_TRIES; number++) {
        if (number)
            pde_random_fill(
                p->c.engine, PDE_LAW_NORMAL, p->seed,
                stream_of(STREAM_SPACE, p->c.role, p->c.task, space * DOMAIN_TRIES + (int)number),
                p->step, parts_point(p, group, 0), 0, own->d, normal, NULL);
        for (int l = 0; l < PDE_LANES; l++) {
            if (found[l].accepted)
                continue;
            found[l] =
                try_direction(p, space, number ? normal : x, l, parts_point(p, group, l), number);
            left -= found[l].accepted;
            for (int64_t i = 0; i < own->d && number; i++)
                real_set(q->precision, x, i * PDE_LANES + l,
                         real_get(q->precision, normal, i * PDE_LANES + l));
        }
    }
    for (int l = 0; l < PDE_LANES; l++) {
        if (found[l].longer >= 0)
            real_set(q->precision, x, found[l].longer * PDE_LANES + l, found[l].entry);
        for (int64_t i = 0; i < own->d; i++) {
            int64_t at = i * PDE_LANES + l;
            double y = real_get(q->precision, x, at) / found[l].length;
            real_set(q->precision, x, at, own->semiaxis[i] * y);
            real_set(q->precision, normal, at, y / (own->semiaxis[i] * found[l].slope));
        }
    }
}

static void ellipsoid_project(Points *p, int space, int64_t point, double square) {
    const Space *own = parts_space(p, space);
    TreeSum squares = {.wide = pde_leaf(own->d)};
    (void)square;
    for (int64_t i = 0; i < own->d; i++) {
        double y = points_coordinate(p, point, own->first + i) / own->semiaxis[i];
        tree_sum_add(&squares, y * y);
    }
    double scaled = tree_sum(&squares);
    parts_scale_point(p, own, point, scaled > 1 ? 1 / sqrt(scaled) : 1);
}

static void ellipsoid_reach(const Space *own, bool diagonal, double range[2]) {
    TreeSum inverse = {.wide = pde_leaf(own->d)};
    for (int64_t i = 0; i < (diagonal ? own->d : 1); i++)
        tree_sum_add(&inverse, 1 / (own->semiaxis[i] * own->semiaxis[i]));
    range[1] = 1 / sqrt(tree_sum(&inverse));
    range[0] = -range[1];
}

/* ---- paths ---- */

static double ellipsoid_gap(const Space *own, const PathState *p) {
    return 1 - round_of(own, p).square;
}

static DomainPart ellipsoid_nearest(const Space *own, const PathState *p) {
    return round_nearest(own, p, 0, 1);
}

static double ellipsoid_distance(const Space *own, const PathState *p, double *length) {
    return round_distance(own, p, 0, 1, length);
}

static double ellipsoid_step(const Space *own, const PathState *p, double longer,
                             bool independent) {
    (void)independent;
    return round_step(own, p, 0, 1, longer);
}

static void ellipsoid_to_boundary(const Space *own, const PathState *p, const DomainPart *part) {
    round_to_boundary(own, p, 0, 1, part);
}

/* Of the box around it. */
static double ellipsoid_eigenvalue(const Space *own, double half) {
    double pi = 3.14159265358979, sum = 0;
    for (int64_t i = 0; i < own->d; i++)
        sum += pi * pi / (4 * round_unit(own, i) * round_unit(own, i));
    return half * sum;
}

/* ---- the row ---- */

static const DomainExit ellipsoid_exit = {ellipsoid_gap,
                                          ellipsoid_nearest,
                                          ellipsoid_distance,
                                          ellipsoid_step,
                                          ellipsoid_to_boundary,
                                          ellipsoid_eigenvalue,
                                          NULL,
                                          NULL};

const DomainOps domain_ellipsoid = {
    true,          ellipsoid_inside, ellipsoid_boundary, ellipsoid_project,
    parts_at_zero, ellipsoid_reach,  &ellipsoid_exit,    NULL};
