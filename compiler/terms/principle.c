/* principle.c: see principle.h.
 *
 * Let R(u) = 0 be written so that its matrix of second derivatives is not negative, and K be a constant. If R(K) >= 0
 * everywhere and K is below what every condition gives, then u >= K: w = u - K solves a linear equation without
 * second derivatives of K in it, A w = -R(K) <= 0, and has a minimum below 0 nowhere. Without time that needs c <= 0
 * for every value of the solution; with time it does not. Likewise from above. On the whole space this is about the
 * solutions that do not grow faster than their data. */
#include "terms/principle.h"

#include <math.h>

#include "base/compilation.h"
#include "eval/bounds.h"
#include "lower/trial.h"

enum { CANDIDATES = 4 };
static const double ROUNDING = 1e-9;

typedef struct Prover {
    Compilation *c;
    Ir *ir;
    const Problem *p;
    const Process *process;
    Bounds bounds;
    double sign; /* of the second derivatives */
} Prover;

/* 1: not negative, -1: not positive, 0: not known. */
static double sign_of(const Prover *v, Ref e) {
    Interval range = bounds_by_index(&v->bounds, e);
    return range.lo >= 0 ? 1 : range.hi <= 0 ? -1 : 0;
}

static bool agrees(const Prover *v, Ref e) {
    Interval range = bounds_by_index(&v->bounds, e);
    return v->sign > 0 ? range.lo >= 0 : range.hi <= 0;
}

/* All parts of the matrix have one sign. A constant matrix is looked at by pderun: it runs paths only where it has. */
static bool find_sign(Prover *v) {
    const Process *p = v->process;
    Ref part = p->diagonal;
    if (ir_is_number(v->ir, part, 0) && p->ranks)
        part = p->strength[0];
    else if (ir_is_number(v->ir, part, 0) && p->matrix)
        part = ir_substitute(v->ir, p->matrix, p->other, p->index);
    v->sign = sign_of(v, part);
    bool same = v->sign > 0 || v->sign < 0;
    for (uint32_t r = 0; r < p->ranks; r++)
        same = same && agrees(v, p->strength[r]);
    if (p->matrix)
        same = same && agrees(v, ir_substitute(v->ir, p->matrix, p->other, p->index));
    return same && agrees(v, p->diagonal);
}

/* Time runs the way that the class says, and without time c pulls back. */
static bool compares(const Prover *v) {
    const Process *p = v->process;
    if (p->class == PROCESS_ELLIPTIC)
        return sign_of(v, p->rate) * v->sign < 0 || ir_is_number(v->ir, p->rate, 0);
    double tau = sign_of(v, p->tau) * v->sign;
    return p->class == PROCESS_TERMINAL ? tau > 0 : tau < 0;
}

/* A residual of the constant k, times sign. */
static Interval residual_of(const Prover *v, Ref residual, double k, double sign) {
    Ref value[1] = {ir_const(v->ir, k)};
    Ref known = problem_put_sources(v->c, v->p, residual);
    Interval r = bounds_of(&v->bounds,
                           ir_expand(v->ir, ir_replace_fields(v->ir, known, OP_FIELD, 1, value)));
    return sign > 0 ? r : (Interval){-r.hi, -r.lo};
}

/* beta u + gamma d_n u: 1 if both are not negative, -1 if both are not positive, 0: not known. */
static double edge_sign(const Prover *v, const ProcessEdge *edge) {
    double beta = sign_of(v, edge->beta), gamma = edge->reflects ? sign_of(v, edge->gamma) : beta;
    if (edge->reflects && ir_is_number(v->ir, edge->beta, 0))
        return gamma;
    return beta * gamma > 0 ? beta : 0;
}

/* Does the solution stay on one side of k? side 1: above. */
static bool holds(const Prover *v, double k, double side) {
    double slack = ROUNDING * fabs(k);
    Interval r = residual_of(v, v->p->equation.at[0].residual, k, v->sign * side);
    if (!(r.lo >= 0))
        return false;
    for (uint32_t j = 0; j < v->process->edge.n; j++) {
        const ProcessEdge *edge = &v->process->edge.at[j];
        double sign = edge_sign(v, edge);
        Interval b = residual_of(v, v->p->condition.at[edge->condition].residual, k, sign * side);
        if (!(fabs(sign) > 0) || !(b.hi <= slack))
            return false;
    }
    return true;
}

/* The least (side 1) or largest value that conditions give; not finite: it is not known. */
static double extreme_of_data(const Prover *v, double side) {
    double out = HUGE_VAL, beta;
    for (uint32_t j = 0; j < v->process->edge.n; j++) {
        const ProcessEdge *edge = &v->process->edge.at[j];
        if (edge->reflects)
            continue;
        if (!ir_is_const(v->ir, edge->beta, &beta) || !(fabs(beta) > 0))
            return (double)NAN;
        Interval b = residual_of(v, v->p->condition.at[edge->condition].residual, 0, beta * side);
        out = fmin(out, -b.hi / fabs(beta));
    }
    return side * out;
}

/* The closest constant that can be shown. */
static double best(const Prover *v, double side) {
    const double candidate[CANDIDATES] = {extreme_of_data(v, side), 0, 1, -1};
    double out = -HUGE_VAL;
    for (int k = 0; k < CANDIDATES; k++)
        if (isfinite(candidate[k]) && side * candidate[k] > out && holds(v, candidate[k], side))
            out = side * candidate[k];
    return side * out + 0.; /* 0, not -0 */
}

ProvenBounds principle_bounds(Compilation *c, const Process *process) {
    ProvenBounds none = {-HUGE_VAL, HUGE_VAL};
    Prover v = {.c = c, .ir = c->ir, .p = c->problem, .process = process};
    for (uint32_t k = 0; k < process->edge.n;
         k++) /* whether all of the boundary has one is not known here */
        if (c->problem->condition.at[process->edge.at[k].condition].on.n)
            return none;
    if (process->class == PROCESS_NONE || process->logarithm || !process->diffuses ||
        !bounds_open(c, 0, &v.bounds) || !find_sign(&v) || !compares(&v))
        return none;
    return (ProvenBounds){best(&v, 1), best(&v, -1)};
}
