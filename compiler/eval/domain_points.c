/* domain_points.c: points in a domain and on its boundary, by the domain's own operations. */
#include "eval/domain_points.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "runtime/contract/tensor_rng.h"

/* Of more coordinates it is not asked on which face a point is. */
enum { REGION_TRIED = 64 };

bool region_is_valid(const Regions *r) {
    for (uint32_t k = 0; k < r->n; k++)
        if (r->of[k].domain->bounded && !(r->of[k].lo < r->of[k].hi))
            return false;
    return true;
}

/* The indexed argument at every coordinate. */
static const char *read_semiaxes(Compilation *c, const Values *values, const Space *x,
                                 Region *out) {
    Ref argument = x->argument[out->domain->indexed];
    double *to = NEW_ARRAY(&c->arena, double, out->d + 1);
    const char *why = NULL;
    for (int64_t i = 0; i < out->d && !why; i++) {
        Ref at = ir_const(c->ir, (double)(i + 1));
        why = values_number(c, values, ir_substitute(c->ir, argument, x->index, at), &to[i]);
        if (!why && !(to[i] > 0))
            why = "a semiaxis is not positive";
    }
    out->semiaxis = to;
    return why;
}

static const char *region_of_space(Compilation *c, const Values *values, const Space *x,
                                   Region *out) {
    double argument[3] = {0}, end[2] = {0}, d = 0;
    const char *why = values_number(c, values, x->d, &d);
    out->d = (int64_t)d;
    for (uint32_t k = 1; k < 3 && !why; k++)
        if (x->argument[k] && k != out->domain->indexed)
            why = values_number(c, values, x->argument[k], &argument[k]);
    if (out->domain->indexed && !why)
        why = read_semiaxes(c, values, x, out);
    out->domain->ends(argument, out, end);
    out->lo = end[0];
    out->hi = end[1];
    return why;
}

const char *region_of(Compilation *c, const Values *values, Regions *out) {
    const Problem *p = c->problem;
    *out = (Regions){.n = p->space.n};
    const char *why = NULL;
    assert(p->space.n <= LIMIT_SPACES);
    for (uint32_t k = 0; k < out->n && !why; k++) {
        const Space *x = &p->space.at[k];
        out->of[k] = (Region){.domain = domain_operations(c, x), .first = out->d, .number = k};
        why = region_of_space(c, values, x, &out->of[k]);
        out->d += out->of[k].d;
    }
    if (p->time && !why)
        why = values_number(c, values, p->t_lo, &out->t_lo);
    if (p->time && !why)
        why = values_number(c, values, p->t_hi, &out->t_hi);
    return why;
}

void region_draw(const Regions *r, uint32_t number, double *x, double *t) {
    double uniform[4];
    pde_tensor_block(pde_tensor_key(0, "radius", 6), TENSOR_UNIFORM, number, 0, uniform);
    *t = r->t_lo + (r->t_hi - r->t_lo) * uniform[1];
    for (uint32_t k = 0; k < r->n; k++)
        r->of[k].domain->draw(&r->of[k], number, x + r->of[k].first);
}

void region_draw_uniform(const Regions *r, uint32_t number, double *x) {
    for (uint32_t k = 0; k < r->n; k++)
        r->of[k].domain->uniform(&r->of[k], number, x + r->of[k].first);
}

void region_centre(const Regions *r, double *x) {
    for (uint32_t k = 0; k < r->n; k++)
        for (int64_t i = 0; i < r->of[k].d; i++)
            x[r->of[k].first + i] = r->of[k].domain->centre(&r->of[k]);
}

void region_walk(const Regions *r, const double *first, double along, uint32_t k, double *x) {
    for (uint32_t s = 0; s < r->n; s++) {
        int64_t at = r->of[s].first;
        r->of[s].domain->walk(&r->of[s], first + at, along, k, x + at);
    }
}

/* The spaces take turns: a point of a product's boundary is on the boundary of one, inside the others. */
void region_to_boundary(const Regions *r, uint32_t number, double *x) {
    uint32_t bounded[LIMIT_SPACES], n = 0;
    for (uint32_t k = 0; k < r->n; k++)
        if (r->of[k].domain->bounded)
            bounded[n++] = k;
    if (n == 0)
        return;
    const Region *on = &r->of[bounded[number % n]];
    on->domain->to_boundary(on, number / n, x + on->first);
}

void region_to_faces(const Regions *r, const FaceNumbers *faces, uint32_t number, double *x) {
    if (faces->n == 0) {
        region_to_boundary(r, number, x);
        return;
    }
    const struct FaceNumber *f = &faces->at[number % faces->n];
    const Region *on = &r->of[f->space];
    if (f->side == FACE_BOTH)
        on->domain->to_boundary(on, number / faces->n, x + on->first);
    else
        on->domain->to_face(on, f->coordinate, f->side, number / faces->n, x + on->first);
}

const char *faces_of(Compilation *c, const Values *values, const Regions *r, const Faces *faces,
                     FaceNumbers *out) {
    *out = (FaceNumbers){.n = faces->n};
    for (uint32_t k = 0; k < faces->n; k++) {
        const Face *f = &faces->at[k];
        double coordinate = 0;
        const char *why =
            f->coordinate ? values_number(c, values, f->coordinate, &coordinate) : NULL;
        if (why)
            return why;
        if (coordinate > (double)r->of[f->space].d || (f->coordinate && coordinate < 1))
            return "a part of the boundary names a coordinate that is not there";
        out->at[k] = (struct FaceNumber){f->space, (int64_t)coordinate - 1, f->side};
    }
    return NULL;
}

/* Where the domain's own operation has nothing to move; any coordinate: one of them. */
static bool on_face(const Region *on, const struct FaceNumber *f, const double *x) {
    double moved[REGION_TRIED], size = on->hi - on->lo;
    if (f->side == FACE_BOTH || on->d > REGION_TRIED)
        return fabs(on->domain->gap(on, x)) <= 1e-9 * size;
    bool any = f->coordinate < 0, found = false;
    for (int64_t i = any ? 0 : f->coordinate; i < (any ? on->d : f->coordinate + 1); i++) {
        double far = 0;
        memcpy(moved, x, (size_t)on->d * sizeof *x);
        on->domain->to_face(on, i, f->side, 0, moved);
        for (int64_t j = 0; j < on->d; j++)
            far = fmax(far, fabs(moved[j] - x[j]));
        found = found || far <= 1e-9 * size;
    }
    return found;
}

bool region_on_faces(const Regions *r, const FaceNumbers *faces, const double *x) {
    bool found = faces->n == 0;
    for (uint32_t k = 0; k < faces->n && !found; k++) {
        const Region *on = &r->of[faces->at[k].space];
        found = on_face(on, &faces->at[k], x + on->first);
    }
    return found;
}

double region_depth(const Regions *r, const double *x) {
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < r->n; k++)
        least = fmin(least, r->of[k].domain->gap(&r->of[k], x + r->of[k].first));
    return least;
}

void region_outward(const Regions *r, const double *x, double *normal) {
    const Region *nearest = NULL;
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < r->n; k++) {
        const Region *own = &r->of[k];
        double gap = r->n > 1 ? fabs(own->domain->gap(own, x + own->first)) : 0;
        if (!nearest || gap < least) {
            nearest = own;
            least = gap;
        }
        for (int64_t i = 0; i < own->d; i++)
            normal[own->first + i] = 0;
    }
    if (nearest)
        nearest->domain->outward(nearest, x + nearest->first, normal + nearest->first);
}

const char *region_place_text(Compilation *c, const Regions *r, const double *x, const double *t) {
    enum { SHOWN = 4 };
    const Problem *p = c->problem;
    Text out = {.arena = &c->arena};
    for (uint32_t k = 0; k < r->n; k++) {
        const Region *one = &r->of[k];
        const bool scalar = p->space.at[k].scalar;
        text_printf(&out, "%s%s = %s", k ? ", " : "", sym_cstr(c, p->space.at[k].name),
                    scalar ? "" : "(");
        for (int64_t i = 0; i < one->d && i < SHOWN; i++)
            text_printf(&out, "%s%.3g", i ? ", " : "", x[one->first + i]);
        text_printf(&out, "%s%s", one->d > SHOWN ? ", ..." : "", scalar ? "" : ")");
    }
    if (t && p->time)
        text_printf(&out, ", %s = %.3g", sym_cstr(c, p->time), *t);
    return text_cstr(&out);
}
