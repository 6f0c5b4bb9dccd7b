/* exit.c: see exit.h. For round domains the gap is that of |x|^2, since its drift and variance are sums: in many
 * dimensions a path moves outward by drift, hardly by chance. */
#include "error/exit.h"

#include <math.h>

static const double BY_DRIFT = 0.25;  /* part of the gap that a step's drift may take */
static const double BY_NOISE = 0.3;   /* standard deviation of a step, in parts of the gap */
static const double BY_SPHERE = 0.97; /* of the distance to the boundary */
static const double LARGEST = 0.25;   /* radius of a step's sphere, in parts of the domain's */

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
    return q->plan.domain == DOMAIN_ball || q->plan.domain == DOMAIN_annulus ||
           q->plan.domain == DOMAIN_box;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static double round_gap(const Problem *q, double square) {
    const double *a = q->argument;
    if (q->plan.domain == DOMAIN_ball)
        return 1 - square / (a[1] * a[1]);
    double width = a[2] * a[2] - a[1] * a[1];
    return least(a[2] * a[2] - square, square - a[1] * a[1]) / width;
}

double exit_gap(const Problem *q, const PathState *p) {
    const double *a = q->argument;
    double gap = 1;
    if (q->plan.domain != DOMAIN_box)
        return round_gap(q, round_of(q, p).square);
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES];
        gap = least(gap, 2 * least(x - a[1], a[2] - x) / (a[2] - a[1]));
    }
    return gap;
}

/* Time for a number that is `gap` away and moves towards 0 by drift (if it is positive) and variance. */
static double time_to(double gap, double towards, double variance) {
    double by_drift = towards > 0 ? BY_DRIFT * gap / towards : HUGE_VAL;
    double by_noise = variance > 0 ? BY_NOISE * BY_NOISE * gap * gap / variance : HUGE_VAL;
    return least(by_drift, by_noise);
}

/* Distance to the boundary, and a length of the domain. */
static double distance_of(const Problem *q, const PathState *p, double *length) {
    const double *a = q->argument;
    if (q->plan.domain == DOMAIN_box) {
        *length = (a[2] - a[1]) / 2;
        return exit_gap(q, p) * *length;
    }
    double radius = sqrt(round_of(q, p).square);
    if (q->plan.domain == DOMAIN_ball) {
        *length = a[1];
        return a[1] - radius;
    }
    *length = (a[2] - a[1]) / 2;
    return least(a[2] - radius, radius - a[1]);
}

/* A step whose noise stays within a sphere inside the domain, which is not too large for the coefficients to be
 * taken as constant there. */
static double sphere_step(const Problem *q, const PathState *p) {
    double length, distance = distance_of(q, p, &length), most = 0, drift = 0;
    double radius = BY_SPHERE * least(distance, LARGEST * length);
    for (int64_t i = 0; i < q->d; i++) {
        most = fmax(most, p->variance[i * PDE_LANES]);
        drift += p->drift[i * PDE_LANES] * p->drift[i * PDE_LANES];
    }
    double h = most > 0 ? radius * radius / ((double)q->d * most) : HUGE_VAL;
    return drift > 0 ? least(h, BY_DRIFT * radius / sqrt(drift)) : h;
}

static double chance_step(const Problem *q, const PathState *p) {
    const double *a = q->argument;
    double h = HUGE_VAL;
    if (q->plan.domain != DOMAIN_box) {
        bool ring = q->plan.domain == DOMAIN_annulus;
        Round r = round_of(q, p);
        double outer = a[ring ? 2 : 1];
        h = time_to(outer * outer - r.square, r.drift, r.variance);
        return ring ? least(h, time_to(r.square - a[1] * a[1], -r.drift, r.variance)) : h;
    }
    for (int64_t i = 0; i < q->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        h = least(h, least(time_to(x - a[1], -b, v), time_to(a[2] - x, b, v)));
    }
    return h;
}

double exit_step(const Problem *q, const PathState *p, bool round) {
    double h = chance_step(q, p);
    return round ? fmax(h, sphere_step(q, p)) : h;
}

static void project_box(const Problem *q, const PathState *p) {
    const double *a = q->argument;
    int64_t nearest = 0;
    double gap = HUGE_VAL, face = a[1];
    for (int64_t i = 0; i < q->d; i++) {
        double *x = &p->x[i * PDE_LANES], low = *x - a[1], high = a[2] - *x;
        if (least(low, high) < gap) {
            gap = least(low, high);
            nearest = i;
            face = low < high ? a[1] : a[2];
        }
        *x = fmin(fmax(*x, a[1]), a[2]);
    }
    p->x[nearest * PDE_LANES] = face;
}

void exit_project(const Problem *q, const PathState *p) {
    const double *a = q->argument;
    if (q->plan.domain == DOMAIN_box) {
        project_box(q, p);
        return;
    }
    double radius = sqrt(round_of(q, p).square), to = a[1];
    if (q->plan.domain == DOMAIN_annulus && radius > (a[1] + a[2]) / 2)
        to = a[2];
    for (int64_t i = 0; i < q->d; i++)
        p->x[i * PDE_LANES] *= to / radius;
}

/* The first zero of the Bessel function of order d/2 - 1, from below. */
static double bessel_zero(int64_t d) {
    double order = (double)d / 2 - 1;
    return d == 1 ? 1.5707963 : d == 2 ? 2.4048255 : order + 1.855757 * cbrt(order);
}

double exit_eigenvalue(const Problem *q, double variance) {
    const double *a = q->argument;
    double pi = 3.14159265358979, half = variance / 2;
    if (q->plan.domain == DOMAIN_box)
        return half * (double)q->d * pi * pi / ((a[2] - a[1]) * (a[2] - a[1]));
    double zero = bessel_zero(q->d), radius = a[q->plan.domain == DOMAIN_annulus ? 2 : 1];
    double ball = zero * zero / (radius * radius);
    double slab =
        q->plan.domain == DOMAIN_annulus ? pi * pi / ((a[2] - a[1]) * (a[2] - a[1])) / 4 : 0;
    return half * fmax(ball, slab);
}
