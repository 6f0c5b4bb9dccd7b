/* simplex.c: the simplex: x_i = e_i / (e_0 + .. + e_d) of exponential numbers e is uniform. */
#include "step/domain/parts.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "engine/tree_sum.h"

#include <assert.h>
#include <math.h>

/* ---- points ---- */

static void simplex_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    double sum[PDE_LANES];
    parts_exponential(q, x, own->d, sum);
    for (int l = 0; l < PDE_LANES; l++)
        sum[l] = 1 / (sum[l] -
                      pde_log(points_uniform(p, STREAM_RADIUS, space, parts_point(p, group, l))));
    parts_scale(q, x, own->d, sum);
}

/* The faces x_i = 0 have area 1 / (d - 1)! each, the one where the sum is 1 has sqrt(d) of that. On a face the same
 * holds of the other exponential numbers. */
static void simplex_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    double sum[PDE_LANES], root = sqrt((double)own->d);
    void *normal = parts_normals(p, space, group);
    parts_exponential(q, x, own->d, sum);
    parts_clear(q, own->d, normal);
    for (int l = 0; l < PDE_LANES; l++) {
        uint32_t point = parts_point(p, group, l);
        double place = points_uniform(p, STREAM_FACE, space, point) * ((double)own->d + root);
        int64_t face = (int64_t)place, coordinate;
        PlanSide side = points_side(p, space, point, &coordinate);
        if (side == SIDE_low && coordinate < 0) /* one of the first d faces */
            coordinate = (int64_t)(place * (double)own->d / ((double)own->d + root));
        if (side != SIDE_both)
            face = side == SIDE_low ? coordinate : own->d;
        if (face < own->d) {
            sum[l] -= real_get(q->precision, x, face * PDE_LANES + l);
            sum[l] -= pde_log(points_uniform(p, STREAM_RADIUS, space, point));
            real_set(q->precision, x, face * PDE_LANES + l, 0);
            real_set(q->precision, normal, face * PDE_LANES + l, -1);
        } else {
            for (int64_t i = 0; i < own->d; i++)
                real_set(q->precision, normal, i * PDE_LANES + l, 1 / root);
        }
        sum[l] = 1 / sum[l];
    }
    parts_scale(q, x, own->d, sum);
}

static void simplex_project(Points *p, int space, int64_t point, double square) {
    const Space *own = parts_space(p, space);
    TreeSum entries = {.wide = pde_leaf(own->d)};
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++) {
        double x = fmax(0, points_coordinate(p, point, i));
        points_set_coordinate(p, point, i, x);
        tree_sum_add(&entries, x);
    }
    double sum = tree_sum(&entries);
    parts_scale_point(p, own, point, sum > 1 ? 1 / sum : 1);
}

static double simplex_centre(const Space *own) {
    return 1 / ((double)own->d + 1);
}

static void simplex_reach(const Space *own, bool diagonal, double range[2]) {
    range[0] = 0;
    range[1] = diagonal ? 1 / (double)own->d : 2 / ((double)own->d + 1);
}

/* ---- paths: lengths in parts of its largest sphere's radius ---- */

static double simplex_radius(const Space *own) {
    assert(own->d > 0);
    return 1 / ((double)own->d + sqrt((double)own->d));
}

static double simplex_gap(const Space *own, const PathState *p) {
    double gap = HUGE_VAL, rest = 1;
    for (int64_t i = 0; i < own->d; i++) {
        gap = parts_least(gap, p->x[i * PDE_LANES]);
        rest -= p->x[i * PDE_LANES];
    }
    return parts_least(gap, rest / sqrt((double)own->d)) / simplex_radius(own);
}

static DomainPart simplex_nearest(const Space *own, const PathState *p) {
    return (DomainPart){simplex_gap(own, p), 0, PART_HIGH};
}

static double simplex_distance(const Space *own, const PathState *p, double *length) {
    *length = simplex_radius(own);
    return simplex_gap(own, p) * *length;
}

static double simplex_step(const Space *own, const PathState *p, double longer, bool independent) {
    double h = HUGE_VAL, rest = 1, drift = 0, variance = 0, deviation = 0;
    for (int64_t i = 0; i < own->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        h = parts_least(h, parts_time_to(x, -b, v, longer));
        rest -= x;
        drift += b;
        variance += v;
        deviation += sqrt(v);
    }
    return parts_least(
        h, parts_time_to(rest, drift, independent ? variance : deviation * deviation, longer));
}

/* Onto the nearest face, and inside. */
static void simplex_to_boundary(const Space *own, const PathState *p, const DomainPart *part) {
    if (!part && simplex_gap(own, p) >= 0)
        return;
    double inset = PARTS_INSET * simplex_radius(own), rest = 1, sum = 0, gap = HUGE_VAL;
    int64_t nearest = 0;
    for (int64_t i = 0; i < own->d; i++) {
        double x = p->x[i * PDE_LANES];
        rest -= x;
        nearest = x < gap ? i : nearest;
        gap = parts_least(gap, x);
    }
    bool by_sum = rest / sqrt((double)own->d) < gap;
    for (int64_t i = 0; i < own->d; i++) {
        double *x = &p->x[i * PDE_LANES];
        *x = !by_sum && i == nearest ? inset : fmax(*x, inset);
        sum += *x;
    }
    for (int64_t i = 0; (by_sum || sum > 1 - inset) && i < own->d; i++)
        p->x[i * PDE_LANES] *= (1 - inset) / sum;
}

/* Of the box around it. */
static double simplex_eigenvalue(const Space *own, double half) {
    double pi = 3.14159265358979, sum = 0;
    for (int64_t i = 0; i < own->d; i++)
        sum += pi * pi;
    return half * sum;
}

/* ---- the row ---- */

static const DomainExit simplex_exit = {simplex_gap,
                                        simplex_nearest,
                                        simplex_distance,
                                        simplex_step,
                                        simplex_to_boundary,
                                        simplex_eigenvalue,
                                        NULL,
                                        NULL};

const DomainOps domain_simplex = {false,          simplex_inside, simplex_boundary, simplex_project,
                                  simplex_centre, simplex_reach,  &simplex_exit,    NULL};
