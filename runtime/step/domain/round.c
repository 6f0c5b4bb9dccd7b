/* round.c: ball and annulus, and round.h. */
#include "step/domain/round.h"

#include "contract/rng.h"
#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- points ---- */

static double inner_radius(const Space *own) {
    return own->domain == DOMAIN_annulus ? own->argument[1] : 0;
}

static double outer_radius(const Space *own) {
    return own->argument[own->domain == DOMAIN_annulus ? 2 : 1];
}

double round_radius(const Points *p, int space, uint32_t point, double r, double R) {
    assert(0 <= r && r < R);
    int sample = p->space_sample[space];
    double u = points_uniform(p, STREAM_RADIUS, space, point);
    if (sample >= 0 && p->c.problem->plan.sample[sample].law == LAW_radial)
        return r + (R - r) * u;
    double d = (double)p->c.problem->space[space].d, inner = pow(r / R, d);
    return R * pow(inner + u * (1 - inner), 1 / d);
}

static void round_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    double factor[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++) {
        double r =
            round_radius(p, space, parts_point(p, group, l), inner_radius(own), outer_radius(own));
        factor[l] = r / sqrt(parts_square(p, space, group, l));
    }
    parts_scale(q, x, own->d, factor);
}

/* Both spheres of an annulus have half of the points. */
static void round_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    double low = inner_radius(own), high = outer_radius(own), factor[PDE_LANES], outward[PDE_LANES];
    void *normal = parts_normals(p, space, group);
    for (int l = 0; l < PDE_LANES; l++) {
        int64_t none;
        PlanSide side = points_side(p, space, parts_point(p, group, l), &none);
        bool inner =
            low > 0 && points_uniform(p, STREAM_FACE, space, parts_point(p, group, l)) < 0.5;
        inner = side == SIDE_both ? inner : side == SIDE_low;
        double length = sqrt(parts_square(p, space, group, l));
        factor[l] = (inner ? low : high) / length;
        outward[l] = (inner ? -1 : 1) / length;
    }
    memcpy(normal, x, (size_t)(own->d * PDE_LANES) * real_size(q->precision));
    parts_scale(q, x, own->d, factor);
    parts_scale(q, normal, own->d, outward);
}

static void round_project(Points *p, int space, int64_t point, double square) {
    const Space *own = parts_space(p, space);
    double low = inner_radius(own), high = outer_radius(own);
    double length = sqrt(square);
    parts_scale_point(p, own, point,
                      length > high                ? high / length
                      : length > 0 && length < low ? low / length
                                                   : 1);
}

static void round_reach(const Space *own, bool diagonal, double range[2]) {
    parts_symmetric(own, diagonal, outer_radius(own), range);
}

/* ---- paths ---- */

double round_unit(const Space *own, int64_t i) {
    return own->semiaxis ? own->semiaxis[i] : 1;
}

Round round_of(const Space *own, const PathState *p) {
    Round r = {0};
    for (int64_t i = 0; i < own->d; i++) {
        double a = round_unit(own, i), x = p->x[i * PDE_LANES] / a,
               v = p->variance[i * PDE_LANES] / (a * a);
        r.square += x * x;
        r.drift += 2 * x * p->drift[i * PDE_LANES] / a + v;
        r.variance += 4 * x * x * v;
    }
    return r;
}

static double shortest_semiaxis(const Space *own) {
    double a = HUGE_VAL;
    for (int64_t i = 0; i < own->d; i++)
        a = parts_least(a, round_unit(own, i));
    return a;
}

double round_distance(const Space *own, const PathState *p, double low, double high,
                      double *length) {
    double radius = sqrt(round_of(own, p).square), unit = shortest_semiaxis(own);
    assert(low < high);
    *length = unit * (low > 0 ? (high - low) / 2 : high);
    return unit * (low > 0 ? parts_least(high - radius, radius - low) : high - radius);
}

double round_step(const Space *own, const PathState *p, double low, double high, double longer) {
    Round r = round_of(own, p);
    double h = HUGE_VAL;
    if (parts_ends(own, 0, PART_HIGH))
        h = parts_time_to(high * high - r.square, r.drift, r.variance, longer);
    if (low > 0 && parts_ends(own, 0, PART_LOW))
        h = parts_least(h, parts_time_to(r.square - low * low, -r.drift, r.variance, longer));
    return h;
}

DomainPart round_nearest(const Space *own, const PathState *p, double low, double high) {
    double square = round_of(own, p).square, width = high * high - low * low;
    DomainPart best = {.gap = HUGE_VAL};
    if (parts_ends(own, 0, PART_HIGH))
        parts_nearer(&best, (high * high - square) / width, 0, PART_HIGH);
    if (low > 0 && parts_ends(own, 0, PART_LOW))
        parts_nearer(&best, (square - low * low) / width, 0, PART_LOW);
    return best;
}

void round_to_boundary(const Space *own, const PathState *p, double low, double high,
                       const DomainPart *part) {
    double radius = sqrt(round_of(own, p).square), least = low * (1 + PARTS_INSET),
           most = high * (1 - PARTS_INSET), to = fmin(fmax(radius, least), most);
    if (part)
        to = part->side == PART_LOW ? least : most;
    for (int64_t i = 0; i < own->d && radius > 0; i++)
        p->x[i * PDE_LANES] *= to / radius;
}

static double ball_gap(const Space *own, const PathState *p) {
    const double *a = own->argument;
    return 1 - round_of(own, p).square / (a[1] * a[1]);
}

static double ring_gap(const Space *own, const PathState *p) {
    const double *a = own->argument;
    double square = round_of(own, p).square, width = a[2] * a[2] - a[1] * a[1];
    return parts_least(a[2] * a[2] - square, square - a[1] * a[1]) / width;
}

static DomainPart nearest(const Space *own, const PathState *p) {
    return round_nearest(own, p, inner_radius(own), outer_radius(own));
}

static double distance(const Space *own, const PathState *p, double *length) {
    return round_distance(own, p, inner_radius(own), outer_radius(own), length);
}

static double chance_step(const Space *own, const PathState *p, double longer, bool independent) {
    (void)independent;
    return round_step(own, p, inner_radius(own), outer_radius(own), longer);
}

static void to_boundary(const Space *own, const PathState *p, const DomainPart *part) {
    round_to_boundary(own, p, inner_radius(own), outer_radius(own), part);
}

/* In many dimensions |x|^2 moves by its drift. */
static double free_step(const Space *own, const PathState *p, double size) {
    return 2 * size * outer_radius(own) / fabs(round_of(own, p).drift);
}

static double reflect(const Space *own, const PathState *p, double *touch, double *normal,
                      DomainPart *most) {
    double radius = sqrt(round_of(own, p).square), low = inner_radius(own),
           high = outer_radius(own);
    bool inwards = radius < low;
    double at = inwards ? low : high, out = inwards ? low - radius : radius - high;
    const int side = inwards ? PART_LOW : PART_HIGH;
    *most = (DomainPart){-out, 0, side};
    if (!(out > 0) || parts_ends(own, 0, side))
        return 0;
    for (int64_t i = 0; i < own->d; i++) {
        double direction = p->x[i * PDE_LANES] / radius;
        touch[i * PDE_LANES] = at * direction;
        normal[i * PDE_LANES] = inwards ? -direction : direction;
        p->x[i * PDE_LANES] = (2 * at - radius) * direction;
    }
    return out;
}

/* The first zero of the Bessel function of order d/2 - 1, from below. */
static double bessel_zero(int64_t d) {
    double order = (double)d / 2 - 1;
    return d == 1 ? 1.5707963 : d == 2 ? 2.4048255 : order + 1.855757 * cbrt(order);
}

static double eigenvalue(const Space *own, double half) {
    if (domain_reflects(own))
        return 0;
    double pi = 3.14159265358979, zero = bessel_zero(own->d), radius = outer_radius(own);
    double low = inner_radius(own), ball = zero * zero / (radius * radius);
    double slab = low > 0 ? pi * pi / ((radius - low) * (radius - low)) / 4 : 0;
    return half * fmax(ball, slab);
}

/* ---- the rows ---- */

static const DomainExit ball_exit = {ball_gap,    nearest,    distance,  chance_step,
                                     to_boundary, eigenvalue, free_step, reflect};
static const DomainExit ring_exit = {ring_gap,    nearest,    distance,  chance_step,
                                     to_boundary, eigenvalue, free_step, reflect};

const DomainOps domain_ball = {true,          round_inside, round_boundary, round_project,
                               parts_at_zero, round_reach,  &ball_exit,     NULL};
const DomainOps domain_annulus = {true,          round_inside, round_boundary, round_project,
                                  parts_at_zero, round_reach,  &ring_exit,     NULL};
