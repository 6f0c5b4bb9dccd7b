/* exit.c: see exit.h. What depends on the domain is in its DomainExit (step/domain.h). A product of domains is left
 * where the first of them is: steps are the shortest of all. */
#include "error/exit.h"

#include <assert.h>
#include <math.h>

static const double BY_DRIFT = 0.25;  /* part of the distance that a step's drift may take */
static const double BY_SPHERE = 0.97; /* of the distance to the boundary */
static const double LARGEST = 0.25;   /* radius of a step's sphere, in parts of the domain's */
static const double FREE = 0.1; /* where paths are reflected: of the domain's size in one step */

/* One space of a path. */
typedef struct View {
    const Space *space;
    const DomainExit *exit; /* NULL: it has no boundary */
    PathState p;            /* of its own coordinates */
    bool ends, reflects;    /* is there a part of the boundary that does? */
} View;

static View view_of(const Problem *q, int k, const PathState *p) {
    const Space *s = &q->space[k];
    int64_t from = s->first * PDE_LANES;
    const DomainExit *exit = domain_of(s)->exit;
    return (View){.space = s,
                  .exit = exit,
                  .p = {p->x + from, p->drift + from, p->variance + from},
                  .ends = exit && domain_ends(s),
                  .reflects = exit && domain_reflects(s)};
}

bool exit_exists(const Problem *q) {
    for (int k = 0; k < q->spaces; k++)
        if (domain_of(&q->space[k])->exit)
            return true;
    return false;
}

bool exit_ends(const Problem *q) {
    for (int k = 0; k < q->spaces; k++)
        if (domain_of(&q->space[k])->exit && domain_ends(&q->space[k]))
            return true;
    return false;
}

bool exit_reflects(const Problem *q) {
    for (int k = 0; k < q->spaces; k++)
        if (domain_of(&q->space[k])->exit && domain_reflects(&q->space[k]))
            return true;
    return false;
}

bool exit_can_reflect(const Problem *q) {
    for (int k = 0; k < q->spaces; k++) {
        const DomainExit *exit = domain_of(&q->space[k])->exit;
        if (exit && !exit->reflect && domain_reflects(&q->space[k]))
            return false;
    }
    return true;
}

void exit_wrap(const Problem *q, const PathState *p) {
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        if (domain_of(v.space)->wrap)
            domain_of(v.space)->wrap(v.space, &v.p);
    }
}

static double least(double a, double b) {
    return a < b ? a : b;
}

/* The nearest part where paths end, and whose it is. */
static DomainPart nearest_part(const Problem *q, const PathState *p, int *space) {
    DomainPart best = {.gap = HUGE_VAL};
    *space = 0;
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        DomainPart part = v.ends ? v.exit->nearest(v.space, &v.p) : best;
        if (part.gap < best.gap) {
            best = part;
            *space = k;
        }
    }
    return best;
}

double exit_gap(const Problem *q, const PathState *p) {
    assert(exit_ends(q));
    int space;
    return nearest_part(q, p, &space).gap;
}

double exit_room(const Problem *q, const PathState *p) {
    assert(exit_exists(q));
    double room = HUGE_VAL;
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        room = least(room, v.exit ? v.exit->gap(v.space, &v.p) : room);
    }
    return room;
}

/* A step whose noise stays within a sphere inside the domain, which is not too large for the coefficients to be
 * taken as constant there. n: coordinates of all spaces, which share the sphere. */
static double sphere_step(const View *v, int64_t n, double longer) {
    double length, distance = v->exit->distance(v->space, &v->p, &length), most = 0, drift = 0;
    double radius = least(BY_SPHERE * distance, sqrt(longer) * LARGEST * length);
    for (int64_t i = 0; i < v->space->d; i++) {
        most = fmax(most, v->p.variance[i * PDE_LANES]);
        drift += v->p.drift[i * PDE_LANES] * v->p.drift[i * PDE_LANES];
    }
    double h = most > 0 ? radius * radius / ((double)(n + 2) * most) : HUGE_VAL;
    return drift > 0 ? least(h, longer * BY_DRIFT * radius / sqrt(drift)) : h;
}

/* Where paths end. */
static double ending_step(const View *v, int64_t n, bool round, double longer) {
    double h = v->exit->step(v->space, &v->p, longer, round), length, most = 0;
    (void)v->exit->distance(v->space, &v->p, &length);
    for (int64_t i = 0; i < v->space->d; i++)
        most = fmax(most, v->p.variance[i * PDE_LANES]);
    h = least(h, longer * LARGEST * LARGEST * length * length / (3 * most)); /* one coordinate's */
    return round ? fmax(h, sphere_step(v, n, longer)) : h;
}

/* Where they are reflected. */
static double free_step(const View *v, double longer) {
    double h = HUGE_VAL, length;
    (void)v->exit->distance(v->space, &v->p, &length);
    double size = FREE * length;
    for (int64_t i = 0; i < v->space->d; i++) {
        double b = fabs(v->p.drift[i * PDE_LANES]), variance = v->p.variance[i * PDE_LANES];
        h = least(h, least(longer * size / b, longer * size * size / variance));
    }
    return least(h, longer * v->exit->free_step(v->space, &v->p, size));
}

double exit_step(const Problem *q, const PathState *p, bool round, bool coarse) {
    assert(exit_exists(q));
    double longer = coarse ? 2 : 1, h = HUGE_VAL;
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        if (v.ends)
            h = least(h, ending_step(&v, q->d, round, longer));
        if (v.reflects)
            h = least(h, free_step(&v, longer));
    }
    return h;
}

/* The condition at a part of a space's boundary. */
static int edge_at(const Problem *q, int space, const DomainPart *part) {
    if (!q->exit_edge_of)
        return q->exit_edge;
    return q->exit_edge_of[2 * (q->space[space].first + part->coordinate) + part->side];
}

int exit_project(const Problem *q, const PathState *p) {
    int space, edge;
    const DomainPart part = nearest_part(q, p, &space);
    edge = edge_at(q, space, &part);
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        if (v.exit)
            v.exit->to_boundary(v.space, &v.p, k == space ? &part : NULL);
    }
    return edge;
}

int exit_edge(const Problem *q, const PathState *p) {
    int space;
    const DomainPart part = nearest_part(q, p, &space);
    return edge_at(q, space, &part);
}

double exit_reflect(const Problem *q, const PathState *p, double *touch, double *normal,
                    int *edge) {
    assert(exit_reflects(q) && touch && normal && edge);
    DomainPart best = {.gap = 0};
    int space = -1;
    double sum = 0;
    for (int64_t i = 0; i < q->d; i++) {
        touch[i * PDE_LANES] = p->x[i * PDE_LANES];
        normal[i * PDE_LANES] = 0;
    }
    for (int k = 0; k < q->spaces; k++) {
        const View v = view_of(q, k, p);
        const int64_t from = v.space->first * PDE_LANES;
        DomainPart part = {.gap = 0};
        double out =
            v.reflects ? v.exit->reflect(v.space, &v.p, touch + from, normal + from, &part) : 0;
        const bool more = part.gap < best.gap;
        const int other = more ? space : k; /* one normal: of the part that was crossed by most */
        for (int64_t i = 0; out > 0 && other >= 0 && i < q->space[other].d; i++)
            if (space >= 0)
                normal[(q->space[other].first + i) * PDE_LANES] = 0;
        if (out > 0 && more) {
            best = part;
            space = k;
        }
        sum += out;
    }
    if (sum > 0)
        *edge = edge_at(q, space, &best);
    return sum;
}

double exit_eigenvalue(const Problem *q, double variance) {
    assert(exit_exists(q));
    double sum = 0;
    for (int k = 0; k < q->spaces; k++) {
        const Space *s = &q->space[k];
        sum += domain_of(s)->exit ? domain_of(s)->exit->eigenvalue(s, variance / 2) : 0;
    }
    return sum;
}
