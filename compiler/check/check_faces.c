/* check_faces.c: the parts of the boundary that a condition names: on x_1 = 0 or x_i = 1, on inner, on y.
 *
 * Requires: names resolved, the extent of space. Establishes: each part is one that its domain has; whether a face
 * stands where an end of the box is, is decided on the IR (lower/faces.c). */
#include "check/check.h"

#include "base/limits.h"
#include "runtime/contract/domain_part.h"

static const Ast *domain_of(const Compilation *c, Sym name) {
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        if (s->kind == AST_DOMAIN && s->name == name)
            return s;
    }
    return NULL;
}

/* What the boundary of one domain is made of. */
static void note_parts(Compilation *c, Diag *d, const Ast *domain) {
    const char *name = sym_cstr(c, domain->name);
    Str set = source_text(c, domain->kid[0]->span);
    if (domain->flag)
        diag_note(c, d, "the ends of [a, b]: on %s = a, on %s = b; both of them: on %s", name, name,
                  name);
    else if (check_parts(c, domain))
        diag_note(c, d, "%s", check_parts(c, domain));
    else if (check_is_bounded(c, domain))
        diag_note(c, d, "the boundary of %.*s is one part: on %s", (int)set.n, set.s, name);
}

static void no_part(Compilation *c, const Ast *face) {
    Str text = source_text(c, face->span);
    Diag *d = diag(c, E0522, face->span, (int)text.n, text.s);
    for (uint32_t i = 0; i < c->program->n; i++)
        if (c->program->kid[i]->kind == AST_DOMAIN)
            note_parts(c, d, c->program->kid[i]);
}

/* inner or outer, of the only domain that has it. */
static bool is_side(const Compilation *c, const Ast *face) {
    bool inner = sym_is(c, face->name, "inner");
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        n += s->kind == AST_DOMAIN && check_has_parts(c, s, inner ? PART_INNER : PART_OUTER);
    }
    return n == 1 && (inner || sym_is(c, face->name, "outer"));
}

static void check_face(Checker *k, const Ast *face) {
    Compilation *c = k->c;
    const Ast *target = face->kind == AST_EQ ? face->kid[0] : face;
    const Ast *name = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    const Ast *domain = domain_of(c, name->name);
    if (face->kind != AST_EQ) {
        if (!is_side(c, face) && !(domain && check_is_bounded(c, domain)))
            no_part(c, face);
        return;
    }
    bool faces = domain && check_has_parts(c, domain, PART_FACES);
    if (!faces || (target->kind == AST_SUBSCRIPT) == domain->flag ||
        (target->kind == AST_SUBSCRIPT && target->n != 2)) {
        no_part(c, face);
        return;
    }
    if (!check_constant(k, face->kid[1]))
        return;
    if (target->kind == AST_SUBSCRIPT && target->kid[1]->kind == AST_NAME &&
        !symbol_find(c, target->kid[1]->name)) {
        shape_of_target(k, target, face->kid[1], false, NULL);
    } else {
        shape_scalar(k, target, NULL);
        shape_scalar(k, face->kid[1], NULL);
    }
}

void check_faces(Checker *k, const Ast *faces) {
    if (faces->n > LIMIT_FACES) {
        diag(k->c, E0714, faces->kid[LIMIT_FACES]->span, LIMIT_FACES);
        return;
    }
    for (uint32_t i = 0; i < faces->n; i++)
        check_face(k, faces->kid[i]);
}
