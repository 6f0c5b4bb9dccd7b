/* exit.c: see exit.h. For round domains the gap is that of |x|^2, since its drift and variance are sums: in many
 * dimensions a path moves outward by drift, hardly by chance. */
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

static Round round_of(const Problem *q, const PathState *p) {
    Round r = {0};
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        r.square += x * x;
        r.drift += 2 * x * p->drift[i * PDE_LANES] + v;
        r.variance += 4 * x * x * v;
    }
    return r;
}

bool exit_exists(const Problem *q) {
    return q->space[0].domain == DOMAIN_ball || q->space[0].domain == DOMAIN_annulus ||
           q->space[0].domain == DOMAIN_box;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static double round_gap(const Problem *q, double square) {
    const double *a = q->space[0].argument;
    if (q->space[0].domain == DOMAIN_ball)
        return 1 - square / (a[1] * a[1]);
    double width = a[2] * a[2] - a[1] * a[1];
    return least(a[2] * a[2] - square, square - a[1] * a[1]) / width;
}

double exit_gap(const Problem *q, const PathState *p) {
    assert(exit_exists(q));
    const double *a = q->space[0].argument;
    double gap = 1;
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
    if (q->space[0].domain == DOMAIN_box) {
        *length = (a[2] - a[1]) / 2;
        return exit_gap(q, p) * *length;
    }
    double radius = sqrt(round_of(q, p).square);
    if (q->space[0].domain == DOMAIN_ball) {
        *length = a[1];
        return a[1] - radius;
    }
    *length = (a[2] - a[1]) / 2;
    return least(a[2] - radius, radius - a[1]);
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

static double chance_step(const Problem *q, const PathState *p, double longer) {
    const double *a = q->space[0].argument;
    double h = HUGE_VAL;
    if (q->space[0].domain != DOMAIN_box) {
        bool ring = q->space[0].domain == DOMAIN_annulus;
        Round r = round_of(q, p);
        double outer = a[ring ? 2 : 1];
        h = time_to(outer * outer - r.square, r.drift, r.variance, longer);
        return ring ? least(h, time_to(r.square - a[1] * a[1], -r.drift, r.variance, longer)) : h;
    }
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        h = least(h, least(time_to(x - a[1], -b, v, longer), time_to(a[2] - x, b, v, longer)));
    }
    return h;
}

double exit_step(const Problem *q, const PathState *p, bool round, bool coarse) {
    assert(exit_exists(q));
    double longer = coarse ? 2 : 1, h = chance_step(q, p, longer), length, most = 0;
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

void exit_project(const Problem *q, const PathState *p) {
    const double *a = q->space[0].argument;
    if (q->space[0].domain == DOMAIN_box) {
        project_box(q, p);
        return;
    }
    double radius = sqrt(round_of(q, p).square), to = a[1] * (1 - INSET);
    if (q->space[0].domain == DOMAIN_annulus && radius > (a[1] + a[2]) / 2)
        to = a[2] * (1 - INSET);
    else if (q->space[0].domain == DOMAIN_annulus)
        to = a[1] * (1 + INSET);
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
    double zero = bessel_zero(q->d), radius = a[q->space[0].domain == DOMAIN_annulus ? 2 : 1];
    double ball = zero * zero / (radius * radius);
    double slab =
        q->space[0].domain == DOMAIN_annulus ? pi * pi / ((a[2] - a[1]) * (a[2] - a[1])) / 4 : 0;
    return half * fmax(ball, slab);
}
