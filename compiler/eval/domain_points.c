/* domain_points.c: points in a domain and on its boundary. */
#include "eval/domain_points.h"

#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "runtime/contract/tensor_rng.h"

static RegionKind kind_of(const Compilation *c) {
    static const char *const names[] = {"R", "ball", "annulus", "box"};
    const char *name = c->problem->domain ? sym_cstr(c, c->problem->domain) : "R";
    for (int k = REGION_BALL; k <= REGION_BOX; k++)
        if (strcmp(name, names[k]) == 0)
            return (RegionKind)k;
    return REGION_SPACE;
}

bool region_bounded(const Compilation *c) {
    return kind_of(c) != REGION_SPACE;
}

const char *region_of(Compilation *c, const Values *values, Region *out) {
    const Problem *p = c->problem;
    *out = (Region){.kind = kind_of(c), .d = values->d};
    double argument[3] = {0}, end[2] = {0};
    const char *why = NULL;
    for (int k = 1; k < 3 && !why; k++)
        if (p->domain_args[k])
            why = values_number(c, values, p->domain_args[k], &argument[k]);
    for (int k = 0; k < 2 && !why && p->time; k++)
        why = values_number(c, values, k ? p->t_hi : p->t_lo, &end[k]);
    out->lo = out->kind == REGION_BALL ? 0 : argument[1];
    out->hi = out->kind == REGION_BALL ? argument[1] : argument[2];
    out->t_lo = end[0];
    out->t_hi = end[1];
    return why;
}

static double length_of(const double *x, int64_t d) {
    double s = 0;
    for (int64_t i = 0; i < d; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

static void scale_to(const Region *r, double radius, double *x) {
    double length = length_of(x, r->d);
    for (int64_t i = 0; i < r->d && length > 0; i++)
        x[i] *= radius / length;
}

static bool is_round(const Region *r) {
    return r->kind == REGION_BALL || r->kind == REGION_ANNULUS;
}

void region_draw(const Region *r, uint32_t number, double *x, double *t) {
    double uniform[4];
    bool box = r->kind == REGION_BOX;
    pde_tensor_fill(pde_tensor_key(0, "points", 6), box ? TENSOR_UNIFORM : TENSOR_NORMAL,
                    box ? r->lo : 0, box ? r->hi : 1, number, 0, (uint32_t)r->d, x);
    pde_tensor_block(pde_tensor_key(0, "radius", 6), TENSOR_UNIFORM, number, 0, uniform);
    *t = r->t_lo + (r->t_hi - r->t_lo) * uniform[1];
    if (is_round(r))
        scale_to(r, r->lo + (r->hi - r->lo) * uniform[0], x);
}

void region_to_boundary(const Region *r, uint32_t number, double *x) {
    bool inner = number % 2;
    if (is_round(r))
        scale_to(r, inner && r->kind == REGION_ANNULUS ? r->lo : r->hi, x);
    else if (r->kind == REGION_BOX && r->d > 0)
        x[number / 2 % (uint64_t)r->d] = inner ? r->lo : r->hi;
}

static void outward_of_box(const Region *r, const double *x, double *normal) {
    int64_t nearest = 0;
    double distance = HUGE_VAL, sign = 1;
    for (int64_t i = 0; i < r->d; i++) {
        double low = x[i] - r->lo, high = r->hi - x[i];
        normal[i] = 0;
        if (fmin(low, high) >= distance)
            continue;
        distance = fmin(low, high);
        nearest = i;
        sign = low < high ? -1 : 1;
    }
    if (r->d)
        normal[nearest] = sign;
}

void region_outward(const Region *r, const double *x, double *normal) {
    if (r->kind == REGION_BOX) {
        outward_of_box(r, x, normal);
        return;
    }
    double length = length_of(x, r->d);
    bool inner = r->kind == REGION_ANNULUS && length - r->lo < r->hi - length;
    for (int64_t i = 0; i < r->d; i++)
        normal[i] = length > 0 ? (inner ? -x[i] : x[i]) / length : 0;
}
