/* faces.c: see faces.h. A face is known by its end of the box: the number after = must be that end, as an expression, so
 * that it stays there whatever values the parameters are given. */
#include "lower/faces.h"

#include "base/compilation.h"

static uint32_t space_named(const Compilation *c, const Problem *p, const Ast *name) {
    int found = problem_space(p, name->name);
    for (uint32_t k = 0; found < 0 && k < p->space.n; k++) /* inner, outer: of the only one */
        if (domain_operations(c, &p->space.at[k])->parts & PART_OUTER)
            found = (int)k;
    return found < 0 ? 0 : (uint32_t)found;
}

static void no_face(Compilation *c, const Space *x, const Ast *face) {
    Str text = source_text(c, face->span);
    Diag *d = diag(c, E0584, face->span, (int)text.n, text.s);
    const DomainOps *domain = domain_operations(c, x);
    for (int side = FACE_LOW; side <= FACE_HIGH; side++) {
        Ref at = domain->face_at(c, x, (FaceSide)side);
        if (at)
            diag_note(c, d, "its faces there are at %s", ir_text(c->ir, at));
    }
}

static Face lower_face(Compilation *c, const Problem *p, const Ast *ast) {
    Face face = {.side = FACE_BOTH};
    if (ast->kind != AST_EQ) {
        face.space = space_named(c, p, ast);
        if (problem_space(p, ast->name) < 0)
            face.side = sym_is(c, ast->name, "inner") ? FACE_LOW : FACE_HIGH;
        return face;
    }
    const Ast *target = ast->kid[0];
    bool entry = target->kind == AST_SUBSCRIPT;
    face.space = space_named(c, p, entry ? target->kid[0] : target);
    const Space *x = &p->space.at[face.space];
    const DomainOps *domain = domain_operations(c, x);
    Ref value = lower_scalar(c, NULL, ast->kid[1]);
    if (!entry)
        face.coordinate = ir_const(c->ir, 1);
    else if (target->kid[1]->kind != AST_NAME || symbol_find(c, target->kid[1]->name))
        face.coordinate = lower_scalar(c, NULL, target->kid[1]);
    for (int side = FACE_LOW; side <= FACE_HIGH; side++) {
        Ref at = domain->face_at(c, x, (FaceSide)side);
        if (at && ir_is_number(c->ir, ir_expand(c->ir, ir_sub(c->ir, at, value)), 0))
            face.side = (FaceSide)side;
    }
    if (face.side == FACE_BOTH)
        no_face(c, x, ast);
    return face;
}

void faces_lower(Compilation *c, const Problem *p, ConditionRow *row) {
    const Ast *faces = row->where == COND_BOUNDARY && row->ast->n > 3 ? row->ast->kid[3] : NULL;
    for (uint32_t k = 0; faces && k < faces->n && k < LIMIT_FACES; k++)
        row->on.at[row->on.n++] = lower_face(c, p, faces->kid[k]);
}

bool faces_surface(Compilation *c, const Problem *p, const Face *face, Surface *out) {
    const Space *x = &p->space.at[face->space];
    const DomainOps *domain = domain_operations(c, x);
    Surface surface[2];
    if (face->coordinate) {
        *out = (Surface){domain_coordinate(c->ir, x, face->coordinate),
                         domain->face_at(c, x, face->side)};
        return out->to != 0;
    }
    uint32_t n = domain->surfaces(c, x, surface);
    if (n == 0 || (n == 2 && face->side == FACE_BOTH))
        return false;
    *out = surface[n == 2 && face->side == FACE_HIGH];
    return true;
}

static Ref factor_of(Compilation *c, const Problem *p, const Face *face) {
    const Space *x = &p->space.at[face->space];
    const DomainOps *domain = domain_operations(c, x);
    return face->side == FACE_BOTH ? domain->factor(c, x) : domain->face_factor(c, x, face);
}

Ref faces_factor(Compilation *c, const Problem *p, const Faces *faces) {
    Ref product = ir_const(c->ir, 1);
    for (uint32_t k = 0; k < faces->n; k++) {
        Ref factor = factor_of(c, p, &faces->at[k]);
        if (!factor)
            return 0;
        product = ir_mul2(c->ir, product, factor);
    }
    return product;
}

bool faces_apart(const Compilation *c, const Problem *p, const Face *a, const Face *b) {
    bool ends = a->side != b->side && a->side != FACE_BOTH && b->side != FACE_BOTH;
    bool spheres = domain_operations(c, &p->space.at[a->space])->parts & PART_INNER;
    return a->space == b->space && ends && a->coordinate == b->coordinate &&
           (a->coordinate || spheres);
}
