/* conserved.c: what becomes of `normalise p : integral(x) = 1` where no tensor network integrates: whether the
 * equation conserves the integral as it is written, a sum of divergences, and if not, that nothing is done. */
#include <string.h>

#include "base/compilation.h"
#include "check/shape.h"

#define BIT(kind) (1u << (kind))

static bool is_word(const Compilation *c, Sym name, const char *word) {
    return strcmp(sym_cstr(c, name), word) == 0;
}

static bool uniform_in_space(Checker *k, const Ast *e) {
    return !(kinds_of(k, e) & (BIT(SYMBOL_SPACE) | BIT(SYMBOL_FIELD) | BIT(SYMBOL_SOURCE)));
}

/* d(e, v, ...) by at least one coordinate, or by the time alone of the field itself? */
static bool is_total_derivative(Checker *k, const Ast *e) {
    bool space = false;
    for (uint32_t i = 1; i < e->n; i++)
        space |= e->kid[i]->kind == AST_SUBSCRIPT;
    return space || (e->kid[0]->kind == AST_NAME && (kinds_of(k, e->kid[0]) & BIT(SYMBOL_FIELD)));
}

static bool is_divergence(Checker *k, const Ast *e) {
    switch (e->kind) {
    case AST_NEG:
        return is_divergence(k, e->kid[0]);
    case AST_ADD:
    case AST_SUB:
        return is_divergence(k, e->kid[0]) && is_divergence(k, e->kid[1]);
    case AST_MUL:
        return (uniform_in_space(k, e->kid[0]) && is_divergence(k, e->kid[1])) ||
               (uniform_in_space(k, e->kid[1]) && is_divergence(k, e->kid[0]));
    case AST_DIV:
        return uniform_in_space(k, e->kid[1]) && is_divergence(k, e->kid[0]);
    case AST_BIG:
        return e->op == BIG_SUM && is_divergence(k, e->kid[e->n - 1]);
    case AST_CALL:
        return is_word(k->c, e->name, "div") || is_word(k->c, e->name, "lap");
    case AST_DERIVATIVE:
        return is_total_derivative(k, e);
    case AST_NUMBER:
        return e->number >= 0 && e->number <= 0;
    default:
        return false;
    }
}

void check_conserved(Checker *k, const Ast *s) {
    const Compilation *c = k->c;
    bool conserved = s->kid[0]->kind == AST_NAME;
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *other = c->program->kid[i];
        if (other->kind == AST_EIGEN) /* a quotient does not see the size of the solution */
            return;
        if (other->kind == AST_EQUATION)
            conserved =
                conserved && is_divergence(k, other->kid[0]) && is_divergence(k, other->kid[1]);
    }
    diag(k->c, W1104, s->span,
         conserved ? "the equation is a sum of divergences and conserves the integral, so that "
                     "data that have it "
                     "keep it where nothing flows through the boundary"
                   : "an integral over all coordinates cannot be computed for a network of this "
                     "kind, and the "
                     "equation, as it is written, does not conserve it");
}
