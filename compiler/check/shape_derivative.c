/* shape_derivative.c: what may stand in a derivative: a scalar, by coordinates it depends on. */
#include "check/shape.h"

#include "base/compilation.h"
#include "base/limits.h"

static bool coordinate_symbol(const Symbol *s) {
    return s &&
           (s->kind == SYMBOL_SPACE || s->kind == SYMBOL_TIME || s->kind == SYMBOL_COORDINATES);
}

static const Symbol *symbol_named(const Checker *k, Sym name) {
    return sym_is(k->c, name, "space") ? symbol_of_kind(k->c, SYMBOL_SPACE)
                                       : symbol_find(k->c, name);
}

bool shape_coordinate(const Checker *k, const Ast *v, const Binding *b) {
    if (v->kind == AST_SUBSCRIPT && v->kid[0]->kind == AST_NAME) {
        const Binding *local = binding_find(b, v->kid[0]->name);
        return local ? local->coordinate : coordinate_symbol(symbol_named(k, v->kid[0]->name));
    }
    if (v->kind != AST_NAME)
        return false;
    const Binding *local = binding_find(b, v->name);
    return local ? local->coordinate
                 : sym_is(k->c, v->name, "outward") || coordinate_symbol(symbol_named(k, v->name));
}

static void check_variable(Checker *k, const Ast *v, const Binding *b) {
    Compilation *c = k->c;
    Str text = shape_quoted(k, v->span);
    if (!shape_coordinate(k, v, b)) {
        const Symbol *s = v->kind == AST_NAME ? symbol_find(c, v->name) : NULL;
        Diag *d = diag(c, E0411, shape_where(k, v->span), (int)text.n, text.s,
                       s ? symbol_kind_text(s->kind) : "an expression");
        if (s && !s->library)
            diag_also(c, d, s->span, "declared here");
        return;
    }
    if (v->kind == AST_NAME && sym_is(c, v->name, "outward"))
        return;
    Shape s = shape_of(k, v, b);
    if (s.rank > 0) {
        Diag *d = diag(c, E0412, shape_where(k, v->span), (int)text.n, text.s);
        Text fixed = {.arena = &c->arena};
        text_printf(&fixed, "%.*s_i", (int)text.n, text.s);
        if (!k->in_library)
            diag_fix(c, d, false, v->span, text_cstr(&fixed), "one coordinate");
        if (!k->in_library)
            diag_note(c, d, "in one dimension the only coordinate is %.*s_1", (int)text.n, text.s);
    }
}

/* d(u, t) of a field declared as u(x) is zero, which nobody means. */
static void check_dependence(Checker *k, const Ast *e, const Ast *variable, const Binding *b) {
    if (e->kind != AST_NAME || binding_find(b, e->name))
        return;
    const Symbol *field = symbol_find(k->c, e->name);
    const Ast *name = variable->kind == AST_SUBSCRIPT ? variable->kid[0] : variable;
    const Symbol *by =
        name->kind == AST_NAME && !binding_find(b, name->name) ? symbol_named(k, name->name) : NULL;
    if (!field || field->kind != SYMBOL_FIELD || !by ||
        (by->kind != SYMBOL_SPACE && by->kind != SYMBOL_TIME))
        return;
    for (uint32_t i = 0; i < field->def->n; i++)
        if (field->def->kid[i]->name == by->name)
            return;
    Str text = sym_str(k->c, field->name), by_text = sym_str(k->c, by->name);
    Diag *d = diag(k->c, E0432, shape_where(k, variable->span), (int)text.n, text.s, (int)by_text.n,
                   by_text.s);
    diag_also(k->c, d, field->span, "declared here");
}

Shape shape_of_derivative(Checker *k, const Ast *e, const Binding *b) {
    Compilation *c = k->c;
    uint32_t variables = e->n - 1, order = (uint32_t)e->number;
    shape_scalar(k, e->kid[0], b);
    for (uint32_t i = 1; i < e->n; i++) {
        check_variable(k, e->kid[i], b);
        check_dependence(k, e->kid[0], e->kid[i], b);
    }
    if (order > 0 && variables != 1 && variables != order) {
        Diag *d = diag(c, E0413, shape_where(k, e->name_span), order, variables);
        diag_note(c, d, "d%u(u, v) is the %u-fold derivative by v; otherwise name %u variables",
                  order, order, order);
    } else if (variables > LIMIT_DERIVATIVE_ORDER || order > LIMIT_DERIVATIVE_ORDER) {
        diag(c, E0708, shape_where(k, e->name_span), order > variables ? order : variables,
             LIMIT_DERIVATIVE_ORDER);
    }
    return (Shape){0};
}
