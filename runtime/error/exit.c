/* exit.c: see exit.h. For round domains the gap is that of |x|^2, since its drift and variance are sums: in many
 * dimensions a path moves outward by drift, hardly by chance. An ellipsoid is a ball in x_i / a_i. */
#include "error/exit.h"

#include <assert.h>
#include <math.h>

static const double BY_DRIFT = 0.25;  /* part of the gap that a step's drift may take */
static const double BY_NOISE = 0.3;   /* standard deviation of a step, in parts of the gap */
static const double BY_SPHERE = 0.97; /* of the distance to the boundary */
static const double INSET =
    1e-9; /* boundary points are so far inside: trial functions may divide by 0 there */
static const double LARGEST = 0.25; /* radius of a step's sphere, in parts of the domain's */
static const double FREE = 0.1; /* where paths are reflected: of the domain's size in one step */

typedef struct Round {
    double square, drift, variance; /* |x|^2 and how it moves */
} Round;

/* What a coordinate of a round domain is measured in. */
static double unit_of(const Problem *q, int64_t i) {
    return q->space[0].semiaxis ? q->space[0].semiaxis[i] : 1;
}

static Round round_of(const Problem *q, const PathState *p) {
    Round r = {0};
    for (int64_t i = 0; i < q->d; i++) {
        double a = unit_of(q, i), x = p->x[i * PDE_LANES] / a,
               v = p->variance[i * PDE_LANES] / (a * a);
        r.square += x * x;
        r.drift += 2 * x * p->drift[i * PDE_LANES] / a + v;
        r.variance += 4 * x * x * v;
    }
    return r;
}

bool exit_exists(const Problem *q) {
    return q->space[0].domain != DOMAIN_R && q->space[0].domain != DOMAIN_torus;
}

void exit_wrap(const Problem *q, const PathState *p) {
    const double *a = q->space[0].argument;
    for (int64_t i = 0; i < q->d && q->space[0].domain == DOMAIN_torus; i++) {
        double *x = &p->x[i * PDE_LANES];
        *x -= (a[2] - a[1]) * floor((*x - a[1]) / (a[2] - a[1]));
    }
}

bool exit_reflects(const Problem *q) {
    return q->space[0].domain == DOMAIN_ball || q->space[0].domain == DOMAIN_annulus ||
           q->space[0].domain == DOMAIN_box;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

/* Radii of a round domain, in its units; inner: 0 but for a ring. */
static void radii_of(const Problem *q, double *inner, double *outer) {
    const double *a = q->space[0].argument;
    bool ring = q->space[0].domain == DOMAIN_annulus;
    *inner = ring ? a[1] : 0;
    *outer = ring ? a[2] : q->space[0].domain == DOMAIN_ball ? a[1] : 1;
}

static double shortest_semiaxis(const Problem *q) {
    double a = HUGE_VAL;
    for (int64_t i = 0; i < q->d; i++)
        a = least(a, unit_of(q, i));
    return a;
}

/* A simplex in parts of its largest sphere's radius: to the coordinates' faces, and to that of their sum. */
static double simplex_radius(const Problem *q) {
    return 1 / ((double)q->d + sqrt((double)q->d));
}

static double simplex_gap(const Problem *q, const PathState *p) {
    double gap = HUGE_VAL, rest = 1;
    for (int64_t i = 0; i < q->d; i++) {
        gap = least(gap, p->x[i * PDE_LANES]);
        rest -= p->x[i * PDE_LANES];
    }
    return least(gap, rest / sqrt((double)q->d)) / simplex_radius(q);
}

static double round_gap(const Problem *q, double square) {
    const double *a = q->space[0].argument;
    if (q->space[0].domain == DOMAIN_ellipsoid)
        return 1 - square;
    if (q->space[0].domain == DOMAIN_ball)
        return 1 - square / (a[1] * a[1]);
    double width = a[2] * a[2] - a[1] * a[1];
    return least(a[2] * a[2] - square, square - a[1] * a[1]) / width;
}

double exit_gap(const Problem *q, const PathState *p) {
    assert(exit_exists(q));
    const double *a = q->space[0].argument;
    double gap = 1;
    if (q->space[0].domain == DOMAIN_simplex)
        return simplex_gap(q, p);
    if (q->space[0].domain != DOMAIN_box)
        return round_gap(q, round_of(q, p).square);
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES];
        gap = least(gap, 2 * least(x - a[1], a[2] - x) / (a[2] - a[1]));
    }
    return gap;
}

/* Time for a number that is `gap` away and moves towards 0 by drift (if it is positive) and variance. */
static double time_to(double gap, double towards, double variance, double longer) {
    double by_drift = towards > 0 ? longer * BY_DRIFT * gap / towards : HUGE_VAL;
    double by_noise = variance > 0 ? longer * BY_NOISE * BY_NOISE * gap * gap / variance : HUGE_VAL;
    return least(by_drift, by_noise);
}

/* Distance to the boundary, and a length of the domain. */
static double distance_of(const Problem *q, const PathState *p, double *length) {
    const double *a = q->space[0].argument;
    double inner, outer;
    if (q->space[0].domain == DOMAIN_box || q->space[0].domain == DOMAIN_simplex) {
        *length = q->space[0].domain == DOMAIN_box ? (a[2] - a[1]) / 2 : simplex_radius(q);
        return exit_gap(q, p) * *length;
    }
    radii_of(q, &inner, &outer);
    double radius = sqrt(round_of(q, p).square), unit = shortest_semiaxis(q);
    *length = unit * (inner > 0 ? (outer - inner) / 2 : outer);
    return unit * (inner > 0 ? least(outer - radius, radius - inner) : outer - radius);
}

/* A step whose noise stays within a sphere inside the domain, which is not too large for the coefficients to be
 * taken as constant there. */
static double sphere_step(const Problem *q, const PathState *p, double longer) {
    double length, distance = distance_of(q, p, &length), most = 0, drift = 0;
    double radius = least(BY_SPHERE * distance, sqrt(longer) * LARGEST * length);
    for (int64_t i = 0; i < q->d; i++) {
        most = fmax(most, p->variance[i * PDE_LANES]);
        drift += p->drift[i * PDE_LANES] * p->drift[i * PDE_LANES];
    }
    double h = most > 0 ? radius * radius / ((double)(q->d + 2) * most) : HUGE_VAL;
    return drift > 0 ? least(h, longer * BY_DRIFT * radius / sqrt(drift)) : h;
}

/* independent: the coordinates' noise. */
static double simplex_step(const Problem *q, const PathState *p, double longer, bool independent) {
    double h = HUGE_VAL, rest = 1, drift = 0, variance = 0, deviation = 0;
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        h = least(h, time_to(x, -b, v, longer));
        rest -= x;
        drift += b;
        variance += v;
        deviation += sqrt(v);
    }
    return least(h, time_to(rest, drift, independent ? variance : deviation * deviation, longer));
}

static double chance_step(const Problem *q, const PathState *p, double longer, bool independent) {
    const double *a = q->space[0].argument;
    double h = HUGE_VAL, inner, outer;
    if (q->space[0].domain == DOMAIN_simplex)
        return simplex_step(q, p, longer, independent);
    if (q->space[0].domain != DOMAIN_box) {
        radii_of(q, &inner, &outer);
        Round r = round_of(q, p);
        h = time_to(outer * outer - r.square, r.drift, r.variance, longer);
        return inner > 0 ? least(h, time_to(r.square - inner * inner, -r.drift, r.variance, longer))
                         : h;
    }
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        h = least(h, least(time_to(x - a[1], -b, v, longer), time_to(a[2] - x, b, v, longer)));
    }
    return h;
}

double exit_step(const Problem *q, const PathState *p, bool round, bool coarse) {
    assert(exit_exists(q));
    double longer = coarse ? 2 : 1, h = chance_step(q, p, longer, round), length, most = 0;
    (void)distance_of(q, p, &length);
    for (int64_t i = 0; i < q->d; i++)
        most = fmax(most, p->variance[i * PDE_LANES]);
    h = least(h, longer * LARGEST * LARGEST * length * length / (3 * most)); /* one coordinate's */
    return round ? fmax(h, sphere_step(q, p, longer)) : h;
}

double exit_free_step(const Problem *q, const PathState *p, bool coarse) {
    const double *a = q->space[0].argument;
    double longer = coarse ? 2 : 1, h = HUGE_VAL, length;
    (void)distance_of(q, p, &length);
    double size = FREE * length;
    for (int64_t i = 0; i < q->d; i++) {
        double b = fabs(p->drift[i * PDE_LANES]), v = p->variance[i * PDE_LANES];
        h = least(h, least(longer * size / b, longer * size * size / v));
    }
    if (q->space[0].domain == DOMAIN_box)
        return h;
    double outer = a[q->space[0].domain == DOMAIN_annulus
                         ? 2
                         : 1]; /* in many dimensions |x|^2 moves by its drift */
    return least(h, longer * 2 * size * outer / fabs(round_of(q, p).drift));
}

static void project_box(const Problem *q, const PathState *p) {
    double inset = INSET * (q->space[0].argument[2] - q->space[0].argument[1]),
           low = q->space[0].argument[1] + inset, high = q->space[0].argument[2] - inset,
           gap = HUGE_VAL, face = low;
    int64_t nearest = 0;
    for (int64_t i = 0; i < q->d; i++) {
        double *x = &p->x[i * PDE_LANES], to = *x - low < high - *x ? low : high;
        double out = to < high ? *x - low : high - *x;
        if (out < gap) {
            gap = out;
            nearest = i;
            face = to;
        }
        *x = fmin(fmax(*x, low), high);
    }
    p->x[nearest * PDE_LANES] = face;
}

/* Onto the nearest face, and into the simplex. */
static void project_simplex(const Problem *q, const PathState *p) {
    double inset = INSET * simplex_radius(q), rest = 1, sum = 0, gap = HUGE_VAL;
    int64_t nearest = 0;
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES];
        rest -= x;
        nearest = x < gap ? i : nearest;
        gap = least(gap, x);
    }
    bool by_sum = rest / sqrt((double)q->d) < gap;
    for (int64_t i = 0; i < q->d; i++) {
        double *x = &p->x[i * PDE_LANES];
        *x = !by_sum && i == nearest ? inset : fmax(*x, inset);
        sum += *x;
    }
    for (int64_t i = 0; (by_sum || sum > 1 - inset) && i < q->d; i++)
        p->x[i * PDE_LANES] *= (1 - inset) / sum;
}

void exit_project(const Problem *q, const PathState *p) {
    double inner, outer;
    if (q->space[0].domain == DOMAIN_box) {
        project_box(q, p);
        return;
    }
    if (q->space[0].domain == DOMAIN_simplex) {
        project_simplex(q, p);
        return;
    }
    radii_of(q, &inner, &outer);
    double radius = sqrt(round_of(q, p).square), to = outer * (1 - INSET);
    if (inner > 0 && radius <= (inner + outer) / 2)
        to = inner * (1 + INSET);
    for (int64_t i = 0; i < q->d; i++)
        p->x[i * PDE_LANES] *= to / radius;
}

static double reflect_box(const Problem *q, const PathState *p, double *touch, double *normal) {
    const double *a = q->space[0].argument;
    double sum = 0, most = 0;
    for (int64_t i = 0; i < q->d; i++) {
        double *x = &p->x[i * PDE_LANES], out = fmax(a[1] - *x, *x - a[2]);
        normal[i * PDE_LANES] = 0;
        touch[i * PDE_LANES] = fmin(fmax(*x, a[1]), a[2]);
        if (out <= 0)
            continue;
        sum += out;
        most = fmax(most, out);
        *x = *x < a[1] ? 2 * a[1] - *x : 2 * a[2] - *x;
    }
    for (int64_t i = 0; i < q->d && sum > 0;
         i++) { /* in a corner: the face that it crossed by most */
        double to = touch[i * PDE_LANES], out = fabs(p->x[i * PDE_LANES] - to);
        if (out >= most && (to <= a[1] || to >= a[2])) {
            normal[i * PDE_LANES] = to <= a[1] ? -1 : 1;
            break;
        }
    }
    return sum;
}

double exit_reflect(const Problem *q, const PathState *p, double *touch, double *normal) {
    assert(exit_exists(q) && touch && normal);
    const double *a = q->space[0].argument;
    if (q->space[0].domain == DOMAIN_box)
        return reflect_box(q, p, touch, normal);
    bool ring = q->space[0].domain == DOMAIN_annulus;
    double radius = sqrt(round_of(q, p).square), outer = a[ring ? 2 : 1];
    bool inwards = ring && radius < a[1];
    double at = inwards ? a[1] : outer, out = inwards ? a[1] - radius : radius - outer;
    if (!(out > 0))
        return 0;
    for (int64_t i = 0; i < q->d; i++) {
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

double exit_eigenvalue(const Problem *q, double variance) {
    const double *a = q->space[0].argument;
    double pi = 3.14159265358979, half = variance / 2;
    if (q->space[0].domain == DOMAIN_box)
        return half * (double)q->d * pi * pi / ((a[2] - a[1]) * (a[2] - a[1]));
    if (q->space[0].domain == DOMAIN_simplex || q->space[0].domain == DOMAIN_ellipsoid) {
        double sum = 0; /* of the box around it */
        for (int64_t i = 0; i < q->d; i++)
            sum += q->space[0].semiaxis ? pi * pi / (4 * unit_of(q, i) * unit_of(q, i)) : pi * pi;
        return half * sum;
    }
    double zero = bessel_zero(q->d), radius = a[q->space[0].domain == DOMAIN_annulus ? 2 : 1];
    double ball = zero * zero / (radius * radius);
    double slab =
        q->space[0].domain == DOMAIN_annulus ? pi * pi / ((a[2] - a[1]) * (a[2] - a[1])) / 4 : 0;
    return half * fmax(ball, slab);
}
