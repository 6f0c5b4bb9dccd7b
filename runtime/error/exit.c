/* exit.c: see exit.h. What depends on the domain is in its DomainExit (step/domain.h). */
#include "error/exit.h"

#include <assert.h>
#include <math.h>

static const double BY_DRIFT = 0.25;  /* part of the distance that a step's drift may take */
static const double BY_SPHERE = 0.97; /* of the distance to the boundary */
static const double LARGEST = 0.25;   /* radius of a step's sphere, in parts of the domain's */
static const double FREE = 0.1; /* where paths are reflected: of the domain's size in one step */

static const DomainExit *exit_of(const Problem *q) {
    return domain_of(&q->space[0])->exit;
}

bool exit_exists(const Problem *q) {
    return exit_of(q) != NULL;
}

void exit_wrap(const Problem *q, const PathState *p) {
    const DomainOps *domain = domain_of(&q->space[0]);
    if (domain->wrap)
        domain->wrap(&q->space[0], p);
}

bool exit_reflects(const Problem *q) {
    return exit_of(q) && exit_of(q)->reflect;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

double exit_gap(const Problem *q, const PathState *p) {
    assert(exit_exists(q));
    return exit_of(q)->gap(&q->space[0], p);
}

/* A step whose noise stays within a sphere inside the domain, which is not too large for the coefficients to be
 * taken as constant there. */
static double sphere_step(const Problem *q, const PathState *p, double longer) {
    double length, distance = exit_of(q)->distance(&q->space[0], p, &length), most = 0, drift = 0;
    double radius = least(BY_SPHERE * distance, sqrt(longer) * LARGEST * length);
    for (int64_t i = 0; i < q->d; i++) {
        most = fmax(most, p->variance[i * PDE_LANES]);
        drift += p->drift[i * PDE_LANES] * p->drift[i * PDE_LANES];
    }
    double h = most > 0 ? radius * radius / ((double)(q->d + 2) * most) : HUGE_VAL;
    return drift > 0 ? least(h, longer * BY_DRIFT * radius / sqrt(drift)) : h;
}

double exit_step(const Problem *q, const PathState *p, bool round, bool coarse) {
    assert(exit_exists(q));
    double longer = coarse ? 2 : 1, h = exit_of(q)->step(&q->space[0], p, longer, round), length,
           most = 0;
    (void)exit_of(q)->distance(&q->space[0], p, &length);
    for (int64_t i = 0; i < q->d; i++)
        most = fmax(most, p->variance[i * PDE_LANES]);
    h = least(h, longer * LARGEST * LARGEST * length * length / (3 * most)); /* one coordinate's */
    return round ? fmax(h, sphere_step(q, p, longer)) : h;
}

double exit_free_step(const Problem *q, const PathState *p, bool coarse) {
    double longer = coarse ? 2 : 1, h = HUGE_VAL, length;
    (void)exit_of(q)->distance(&q->space[0], p, &length);
    double size = FREE * length;
    for (int64_t i = 0; i < q->d; i++) {
        double b = fabs(p->drift[i * PDE_LANES]), v = p->variance[i * PDE_LANES];
        h = least(h, least(longer * size / b, longer * size * size / v));
    }
    return least(h, longer * exit_of(q)->free_step(&q->space[0], p, size));
}

void exit_project(const Problem *q, const PathState *p) {
    exit_of(q)->to_boundary(&q->space[0], p);
}

double exit_reflect(const Problem *q, const PathState *p, double *touch, double *normal) {
    assert(exit_reflects(q) && touch && normal);
    return exit_of(q)->reflect(&q->space[0], p, touch, normal);
}

double exit_eigenvalue(const Problem *q, double variance) {
    assert(exit_exists(q));
    return exit_of(q)->eigenvalue(&q->space[0], variance / 2);
}
