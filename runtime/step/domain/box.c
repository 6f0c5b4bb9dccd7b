/* box.c: the box, the torus (inside as a box, without a boundary) and the whole space. */
#include "step/domain/parts.h"

#include "contract/rng.h"
#include "engine/real.h"

#include <assert.h>
#include <math.h>

/* ---- box: points ---- */

static double between(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static void box_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    assert(x && own->argument[1] < own->argument[2]);
    (void)group;
    parts_affine(q, x, own->d, own->argument[1], own->argument[2]);
}

static void box_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = parts_space(p, space);
    void *normal = parts_normals(p, space, group);
    box_inside(p, space, group, x);
    parts_clear(q, own->d, normal);
    for (int l = 0; l < PDE_LANES; l++) {
        uint64_t word =
            pde_random_word64(p->seed, stream_of(STREAM_FACE, p->c.role, p->c.task, space), p->step,
                              parts_point(p, group, l), 0);
        int64_t face = (int64_t)pde_random_below(word, 2 * (uint64_t)own->d), coordinate;
        PlanSide side = points_side(p, space, parts_point(p, group, l), &coordinate);
        if (side != SIDE_both)
            face = 2 * (coordinate < 0 ? face / 2 : coordinate) + (side == SIDE_high);
        real_set(q->precision, x, face / 2 * PDE_LANES + l, own->argument[face % 2 ? 2 : 1]);
        real_set(q->precision, normal, face / 2 * PDE_LANES + l, face % 2 ? 1 : -1);
    }
}

static void box_project(Points *p, int space, int64_t point, double square) {
    const Space *own = parts_space(p, space);
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++)
        points_set_coordinate(
            p, point, i,
            between(points_coordinate(p, point, i), own->argument[1], own->argument[2]));
}

static double box_centre(const Space *own) {
    return (own->argument[1] + own->argument[2]) / 2;
}

static void box_reach(const Space *own, bool diagonal, double range[2]) {
    (void)diagonal;
    range[0] = own->argument[1];
    range[1] = own->argument[2];
}

/* ---- box: paths ---- */

static double box_gap(const Space *own, const PathState *p) {
    const double *a = own->argument;
    double gap = 1;
    for (int64_t i = 0; i < own->d; i++) {
        double x = p->x[i * PDE_LANES];
        gap = parts_least(gap, 2 * parts_least(x - a[1], a[2] - x) / (a[2] - a[1]));
    }
    return gap;
}

static double box_distance(const Space *own, const PathState *p, double *length) {
    *length = (own->argument[2] - own->argument[1]) / 2;
    assert(*length > 0);
    return box_gap(own, p) * *length;
}

static DomainPart box_nearest(const Space *own, const PathState *p) {
    const double *a = own->argument, half = (a[2] - a[1]) / 2;
    DomainPart best = {.gap = HUGE_VAL};
    for (int64_t i = 0; i < own->d; i++) {
        double x = p->x[i * PDE_LANES];
        if (parts_ends(own, i, PART_LOW))
            parts_nearer(&best, (x - a[1]) / half, i, PART_LOW);
        if (parts_ends(own, i, PART_HIGH))
            parts_nearer(&best, (a[2] - x) / half, i, PART_HIGH);
    }
    return best;
}

static double box_step(const Space *own, const PathState *p, double longer, bool independent) {
    const double *a = own->argument;
    double h = HUGE_VAL;
    (void)independent;
    for (int64_t i = 0; i < own->d; i++) {
        double x = p->x[i * PDE_LANES], b = p->drift[i * PDE_LANES], v = p->variance[i * PDE_LANES];
        if (parts_ends(own, i, PART_LOW))
            h = parts_least(h, parts_time_to(x - a[1], -b, v, longer));
        if (parts_ends(own, i, PART_HIGH))
            h = parts_least(h, parts_time_to(a[2] - x, b, v, longer));
    }
    return h;
}

static void box_to_boundary(const Space *own, const PathState *p, const DomainPart *part) {
    const double *a = own->argument, inset = PARTS_INSET * (a[2] - a[1]);
    const double low = a[1] + inset, high = a[2] - inset;
    for (int64_t i = 0; i < own->d; i++)
        p->x[i * PDE_LANES] = fmin(fmax(p->x[i * PDE_LANES], low), high);
    if (part)
        p->x[part->coordinate * PDE_LANES] = part->side == PART_LOW ? low : high;
}

/* Of a coordinate with one end that reflects a quarter, with two nothing. */
static double box_eigenvalue(const Space *own, double half) {
    const double *a = own->argument;
    double pi = 3.14159265358979, quarters = 0;
    for (int64_t i = 0; i < own->d; i++) {
        int ends = parts_ends(own, i, PART_LOW) + parts_ends(own, i, PART_HIGH);
        quarters += ends * ends;
    }
    return half * quarters / 4 * pi * pi / ((a[2] - a[1]) * (a[2] - a[1]));
}

static double box_free_step(const Space *own, const PathState *p, double size) {
    (void)own;
    (void)p;
    (void)size;
    return HUGE_VAL;
}

static double box_reflect(const Space *own, const PathState *p, double *touch, double *normal,
                          DomainPart *most) {
    const double *a = own->argument;
    double sum = 0;
    *most = (DomainPart){.gap = 0};
    for (int64_t i = 0; i < own->d; i++) {
        double *x = &p->x[i * PDE_LANES], out = fmax(a[1] - *x, *x - a[2]);
        const int side = *x < a[1] ? PART_LOW : PART_HIGH;
        if (out <= 0 || parts_ends(own, i, side))
            continue;
        sum += out;
        parts_nearer(most, -out, i, side);
        touch[i * PDE_LANES] = a[side == PART_LOW ? 1 : 2];
        *x = 2 * touch[i * PDE_LANES] - *x;
    }
    if (sum > 0) /* in a corner: the face that it crossed by most */
        normal[most->coordinate * PDE_LANES] = most->side == PART_LOW ? -1 : 1;
    return sum;
}

/* ---- torus ---- */

static void torus_project(Points *p, int space, int64_t point, double square) {
    const Space *own = parts_space(p, space);
    double low = own->argument[1], width = own->argument[2] - low;
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++) {
        double turns = (points_coordinate(p, point, i) - low) / width;
        points_set_coordinate(p, point, i, low + width * (turns - floor(turns)));
    }
}

static void torus_wrap(const Space *own, const PathState *p) {
    const double *a = own->argument;
    assert(a[1] < a[2]);
    for (int64_t i = 0; i < own->d; i++) {
        double *x = &p->x[i * PDE_LANES];
        *x -= (a[2] - a[1]) * floor((*x - a[1]) / (a[2] - a[1]));
    }
}

/* ---- the whole space ---- */

static void stay(Points *p, int space, int64_t point, double square) {
    (void)p;
    (void)space;
    (void)point;
    (void)square;
}

static void space_reach(const Space *own, bool diagonal, double range[2]) {
    parts_symmetric(own, diagonal, 3, range); /* of a standard normal: nearly all of it */
}

/* ---- the rows ---- */

static const DomainExit box_exit = {box_gap,         box_nearest,    box_distance,  box_step,
                                    box_to_boundary, box_eigenvalue, box_free_step, box_reflect};

const DomainOps domain_box = {false,      box_inside, box_boundary, box_project,
                              box_centre, box_reach,  &box_exit,    NULL};
const DomainOps domain_torus = {false,      box_inside, NULL, torus_project,
                                box_centre, box_reach,  NULL, torus_wrap};
const DomainOps domain_R = {false, NULL, NULL, stay, parts_at_zero, space_reach, NULL, NULL};
