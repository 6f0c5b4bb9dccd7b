/* covered.c: see covered.h. Points of a fixed sequence take turns on all parts of the boundary; at each of them the
 * conditions are counted. In many dimensions the faces of a box are too many to be tried, and the answer is a sample. */
#include "terms/covered.h"

#include "base/compilation.h"
#include "eval/domain_points.h"

enum { POINTS = 256, DIMENSIONS = 10000 };

static bool any_part(const Problem *p, const bool *row) {
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (row[k] && p->condition.at[k].on.n)
            return true;
    return false;
}

static uint32_t count_at(const Problem *p, const bool *row, const Regions *r,
                         const FaceNumbers *faces, const double *x) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->condition.n; k++)
        n +=
            row[k] && p->condition.at[k].where == COND_BOUNDARY && region_on_faces(r, &faces[k], x);
    return n;
}

/* An ordinary equation may have all its conditions at one end. */
static bool initial_values(const Problem *p, const bool *row, const Regions *r,
                           const FaceNumbers *faces, uint32_t needed) {
    uint32_t most = 0;
    for (uint32_t end = 0; end < POINTS; end++) {
        double x[2], t;
        region_draw(r, end, x, &t);
        region_to_boundary(r, end, x);
        uint32_t given = count_at(p, row, r, faces, x);
        most = given > most ? given : most;
    }
    return most >= 2 * needed;
}

void covered_check(Compilation *c, const Equation *eq, const Field *field, uint32_t needed,
                   const bool *row) {
    const Problem *p = c->problem;
    NpyFile none = {0};
    Values values = {.cap = INT64_MAX};
    Regions r;
    if (!any_part(p, row) || p->inside || values_collect(c, ir_const(c->ir, 0), &none, &values) ||
        region_of(c, &values, &r) || r.d > DIMENSIONS || !region_is_valid(&r))
        return;
    FaceNumbers *faces = NEW_ARRAY(&c->arena, FaceNumbers, p->condition.n + 1);
    for (uint32_t k = 0; k < p->condition.n; k++)
        if (faces_of(c, &values, &r, &p->condition.at[k].on, &faces[k]))
            return;
    double *x = NEW_ARRAY(&c->arena, double, r.d + 1), t;
    if (r.d == 1 && !c->problem->time && initial_values(p, row, &r, faces, needed))
        return;
    for (uint32_t k = 0; k < POINTS; k++) {
        region_draw(&r, k, x, &t);
        region_to_boundary(&r, k, x);
        uint32_t given = count_at(p, row, &r, faces, x);
        if (given >= needed)
            continue;
        Str name = sym_str(c, field->name);
        Diag *d = diag(c, W1209, eq->ast->span, (int)name.n, name.s,
                       region_place_text(c, &r, x, NULL), given, needed);
        diag_also(c, d, field->span, "not determined there");
        return;
    }
}
