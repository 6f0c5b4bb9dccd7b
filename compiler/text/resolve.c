/* resolve.c: what every name means.
 *
 * Requires: the trees of the program and of stdlib. Establishes: c->symbols; every name in an
 * expression is an index, a local name (function parameter, variable of expect or integral), a
 * symbol or a built-in, or an E03xx says it is not; no definition refers to itself; no chain of
 * definitions is deeper than LIMIT_EXPANDED_DEPTH. Names may be used before they are declared:
 * a problem is a list of statements that hold together, not a sequence of steps. */
#include "text/resolve.h"

#include "base/compilation.h"
#include "base/limits.h"
#include "pass.h"
#include "text/absent.h"

#include <string.h>

const Scope *resolve_scope(const Scope *scope, Sym name) {
    while (scope && scope->name != name)
        scope = scope->outer;
    return scope;
}

/* ---- suggestions ---------------------------------------------------------------------------- */

/* Names other systems use for what this language has under another one. */
static const char *const foreign[][2] = {
    {"laplacian", "lap"},    {"Laplacian", "lap"},  {"laplace", "lap"}, {"gradient", "grad"},
    {"nabla", "grad"},       {"divergence", "div"}, {"ln", "log"},      {"arctan", "atan"},
    {"arcsin", "asin"},      {"arccos", "acos"},    {"sgn", "sign"},    {"fabs", "abs"},
    {"biharmonic", "bilap"}, {"inner", "dot"},      {"Pi", "pi"},       {"PI", "pi"},
    {"infinity", "inf"},     {"diff", "d"},         {"partial", "d"},   {"heaviside", "step"},
    {"length", "norm"},      {"norm2", "norm"},     {"Delta", "lap"},   {"network", "net"},
};

static const char *foreign_name(Str name) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strlen(foreign[i][0]) == name.n && memcmp(foreign[i][0], name.s, name.n) == 0)
            return foreign[i][1];
    return NULL;
}

static void offer_symbols(const Compilation *c, Suggestion *near, bool functions) {
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        if ((s->kind == SYMBOL_FUNCTION) == functions)
            suggest_offer(near, sym_str(c, s->name));
    }
}

void resolve_suggest(Resolver *r, Diag *d, Span span, Sym name, const Scope *scope, bool function) {
    Compilation *c = r->c;
    Str text = sym_str(c, name);
    if (diag_errors(c) > 2 * LIMIT_ERRORS)
        return; /* not shown, and a search over all names is dear */
    const char *known = foreign_name(text);
    if (known) {
        diag_fix(c, d, true, span, known, "it is called %s here", known);
        return;
    }
    Suggestion near = suggest_start(text);
    for (; scope; scope = scope->outer)
        if (!scope->index)
            suggest_offer(&near, sym_str(c, scope->name));
    offer_symbols(c, &near, function);
    if (function)
        builtin_offer(&near);
    if (near.best.n)
        diag_fix(c, d, false, span, near.best.s, "did you mean %.*s?", (int)near.best.n,
                 near.best.s);
}

/* ---- expressions ---------------------------------------------------------------------------- */

void resolve_kids(Resolver *r, const Ast *e, const Scope *scope) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i])
            resolve_expression(r, e->kid[i], scope);
}

static void builtin_use(Resolver *r, const Ast *e) {
    Compilation *c = r->c;
    if (sym_is(c, e->name, "net") && !r->net_allowed) {
        diag(c, E0307, e->span);
    } else if (sym_is(c, e->name, "outward") && !r->outward_allowed) {
        diag(c, E0308, e->span);
    } else if (sym_is(c, e->name, "inf") && !r->inf_allowed) {
        diag(c, E0319, e->span);
    } else if (sym_is(c, e->name, "exact") || sym_is(c, e->name, "delta")) {
        Str text = sym_str(c, e->name);
        diag(c, E0305, e->span, (int)text.n, text.s,
             sym_is(c, e->name, "exact") ? "exact(u)" : "delta_ij");
    } else if (sym_is(c, e->name, "space") && !r->library) {
        const Symbol *space = symbol_of_kind(c, SYMBOL_SPACE);
        Diag *d = diag(c, E0301, e->span, 5, "space");
        if (space)
            diag_fix(c, d, true, e->span, sym_cstr(c, space->name), "name the coordinates");
    }
}

static void walk_name(Resolver *r, const Ast *e, const Scope *scope) {
    Compilation *c = r->c;
    Str text = sym_str(c, e->name);
    const Symbol *s = symbol_find(c, e->name);
    if (resolve_scope(scope, e->name))
        return;
    if (s && s->kind != SYMBOL_FUNCTION)
        return;
    if (builtin_name(text)) {
        builtin_use(r, e);
        return;
    }
    if (s || builtin_arity(text)) {
        Text form = {.arena = &c->arena};
        text_printf(&form, "%.*s(...)", (int)text.n, text.s);
        Diag *d = diag(c, E0305, e->span, (int)text.n, text.s, text_cstr(&form));
        diag_label(c, d, "a function without its argument");
        if (sym_is(c, e->name, "exp"))
            diag_note(c, d, "e to the power x is written exp(x)");
        return;
    }
    Diag *d = diag(c, E0301, e->span, (int)text.n, text.s);
    diag_label(c, d, "not declared");
    if (absent_name_way_out(text))
        diag_note(c, d, "%s", absent_name_way_out(text));
    else
        resolve_suggest(r, d, e->span, e->name, scope, false);
    if (sym_is(c, e->name, "e"))
        diag_note(c, d, "e to the power x is written exp(x)");
    const Symbol *rest =
        text.n > 1 && text.s[0] == 'd' ? symbol_find(c, intern(c, text.s + 1, text.n - 1)) : NULL;
    if (rest && (rest->kind == SYMBOL_FIELD || rest->kind == SYMBOL_TIME))
        diag_note(c, d, "a derivative is written d(u, t), not du/dt");
}

/* u_t and u_xx: derivatives as subscripts, which papers use and this language does not. */
static bool derivative_as_subscript(Resolver *r, const Ast *e, const Scope *scope) {
    Compilation *c = r->c;
    const Ast *base = e->kid[0];
    const Symbol *field = base->kind == AST_NAME ? symbol_find(c, base->name) : NULL;
    if (!field || field->kind != SYMBOL_FIELD || resolve_scope(scope, base->name))
        return false;
    const Symbol *time = symbol_of_kind(c, SYMBOL_TIME), *space = symbol_of_kind(c, SYMBOL_SPACE);
    Str text = source_text(c, e->span);
    Diag *d = diag(c, E0420, e->span, (int)text.n, text.s, sym_cstr(c, base->name));
    bool all_time = true, all_space = true;
    for (uint32_t i = 1; i < e->n; i++) {
        Sym letter = e->kid[i]->kind == AST_NAME ? e->kid[i]->name : 0;
        all_time = all_time && time && letter == time->name;
        all_space = all_space && space && letter == space->name;
    }
    if (!all_time && !all_space) {
        diag_note(c, d, "derivatives are written d(u, t), d2(u, x_i), d(u, x_i, x_j)");
        return true;
    }
    Text fixed = {.arena = &c->arena};
    text_str(&fixed, STR("d"));
    if (e->n > 2)
        text_printf(&fixed, "%u", e->n - 1);
    text_printf(&fixed, "(%s, %s%s)", sym_cstr(c, base->name),
                sym_cstr(c, all_time ? time->name : space->name), all_time ? "" : "_i");
    diag_fix(c, d, all_time, e->span, text_cstr(&fixed), "write the derivative");
    return true;
}

static void unbound_index(Resolver *r, const Ast *index, const Ast *whole, const Scope *scope) {
    Compilation *c = r->c;
    Str text = sym_str(c, index->name);
    while (scope && !scope->index)
        scope = scope->outer;
    Diag *d = diag(c, E0401, index->span, (int)text.n, text.s, (int)text.n, text.s);
    if (scope) {
        Str other = sym_str(c, scope->name);
        diag_label(c, d, "or did you mean %.*s?", (int)other.n, other.s);
        diag_also(c, d, scope->span, "%.*s is bound here", (int)other.n, other.s);
        return;
    }
    Text sum = {.arena = &c->arena};
    text_printf(&sum, "sum_%.*s ", (int)text.n, text.s);
    whole = r->derivative ? r->derivative : whole;
    diag_fix(c, d, false, (Span){whole->span.lo, whole->span.lo}, text_cstr(&sum),
             "if a sum is meant");
}

/* Names inside a subscript are indices first; a dimension or a defined integer will do too. */
static void walk_index(Resolver *r, const Ast *e, const Ast *whole, const Scope *scope) {
    if (e->kind != AST_NAME) {
        for (uint32_t i = 0; i < e->n; i++)
            if (e->kid[i])
                walk_index(r, e->kid[i], whole, scope);
        return;
    }
    if (resolve_scope(scope, e->name) || symbol_find(r->c, e->name))
        return;
    unbound_index(r, e, whole, scope);
}

static void walk_subscript(Resolver *r, const Ast *e, const Scope *scope) {
    if (derivative_as_subscript(r, e, scope))
        return;
    const Ast *base = e->kid[0];
    bool delta = base->kind == AST_NAME && sym_is(r->c, base->name, "delta");
    if (!delta)
        resolve_expression(r, base, scope);
    for (uint32_t i = 1; i < e->n; i++)
        walk_index(r, e->kid[i], e, scope);
}

static void unknown_function(Resolver *r, const Ast *e, const Scope *scope) {
    Compilation *c = r->c;
    Str text = sym_str(c, e->name);
    Diag *d = diag(c, E0304, e->name_span, (int)text.n, text.s);
    diag_label(c, d, "no such function");
    if (sym_is(c, e->name, "sum") || sym_is(c, e->name, "prod") || sym_is(c, e->name, "mean"))
        diag_note(c, d, "sums are written sum_i x_i^2 or sum_{i=1..d-1} x_i * x_{i+1}");
    else if (sym_is(c, e->name, "pow") || sym_is(c, e->name, "power"))
        diag_note(c, d, "powers are written x^2");
    else if (sym_is(c, e->name, "diff") || sym_is(c, e->name, "partial"))
        diag_note(c, d, "derivatives are written d(u, t), d2(u, x_i)");
    else if (absent_name_way_out(text))
        diag_note(c, d, "%s", absent_name_way_out(text));
    else
        resolve_suggest(r, d, e->name_span, e->name, scope, true);
}

static void walk_exact(Resolver *r, const Ast *e) {
    Compilation *c = r->c;
    const Ast *of = e->n == 1 ? e->kid[0] : NULL;
    if (!of || of->kind != AST_NAME) {
        diag(c, E0415, e->span, 5, "exact", 1u, e->n);
        return;
    }
    const Symbol *s = symbol_find(c, of->name);
    if (s && r->has_exact[s - c->symbols->list.at])
        return;
    Str text = sym_str(c, of->name);
    diag(c, E0318, e->span, (int)text.n, text.s, (int)text.n, text.s);
}

static bool same_arguments(const Ast *call, const Ast *declared) {
    if (call->n != declared->n)
        return false;
    for (uint32_t i = 0; i < call->n; i++)
        if (call->kid[i]->kind != AST_NAME || call->kid[i]->name != declared->kid[i]->name)
            return false;
    return true;
}

static void walk_call(Resolver *r, const Ast *e, const Scope *scope) {
    Compilation *c = r->c;
    Str text = sym_str(c, e->name);
    const Symbol *s = symbol_find(c, e->name);
    const Scope *local = resolve_scope(scope, e->name);
    if (sym_is(c, e->name, "exact")) {
        walk_exact(r, e);
        return;
    }
    if (!local && s && s->kind == SYMBOL_FIELD && same_arguments(e, s->def))
        return; /* u(x, t) is u */
    if (local || (s && s->kind != SYMBOL_FUNCTION)) {
        Diag *d = diag(c, E0309, e->name_span, (int)text.n, text.s,
                       local ? "a local name" : symbol_kind_text(s->kind));
        if (!local)
            diag_also(c, d, s->span, "declared here");
        if (!local && s->kind == SYMBOL_FIELD)
            diag_note(c, d,
                      "a field is always meant at (x, t): write its name alone; values at "
                      "other points belong into reference and report statements");
        else
            diag_note(c, d, "for a product, write *");
    } else if (!s && !builtin_arity(text)) {
        unknown_function(r, e, scope);
    }
    resolve_kids(r, e, scope);
}

static void walk_derivative(Resolver *r, const Ast *e, const Scope *scope) {
    resolve_expression(r, e->kid[0], scope);
    bool before = r->outward_allowed;
    r->outward_allowed = true;
    for (uint32_t i = 1; i < e->n; i++)
        resolve_expression(r, e->kid[i], scope);
    r->outward_allowed = before;
}

/* An index may not have the name of something else that is in reach. */
static void check_index_name(Resolver *r, Sym name, Span span, const Scope *scope) {
    Compilation *c = r->c;
    Str text = sym_str(c, name);
    const Scope *outer = resolve_scope(scope, name);
    const Symbol *s = symbol_find(c, name);
    if (outer) {
        Diag *d = diag(c, E0414, span, (int)text.n, text.s,
                       outer->index ? "an index of an outer sum" : "a local name");
        diag_also(c, d, outer->span, "already bound here");
    } else if (s && !r->library) {
        Diag *d = diag(c, E0414, span, (int)text.n, text.s, symbol_kind_text(s->kind));
        diag_also(c, d, s->span, "declared here");
        diag_note(c, d, "choose another letter for the index");
    }
}

static void walk_big(Resolver *r, const Ast *e, uint32_t at, const Scope *scope) {
    const Ast *kid = e->kid[at];
    if (at + 1 == e->n) {
        resolve_expression(r, kid, scope);
        return;
    }
    if (kid->kid[0])
        resolve_expression(r, kid->kid[0], scope);
    if (kid->kid[1])
        resolve_expression(r, kid->kid[1], scope);
    check_index_name(r, kid->name, kid->name_span, scope);
    Scope inner = {.outer = scope, .name = kid->name, .span = kid->name_span, .index = true};
    walk_big(r, e, at + 1, &inner);
}

static void check_law(Resolver *r, const Ast *law) {
    static const char *const laws[] = {
#define LAW(name, entry, point, arguments, what) #name,
#include "runtime/contract/law.def"
    };
    Str text = sym_str(r->c, law->name);
    Suggestion near = suggest_start(text);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        if (sym_is(r->c, law->name, laws[i]))
            return;
        suggest_offer(&near, (Str){laws[i], strlen(laws[i])});
    }
    Diag *d = diag(r->c, E0312, law->name_span, (int)text.n, text.s);
    if (sym_is(r->c, law->name, "gaussian") || sym_is(r->c, law->name, "gauss"))
        diag_fix(r->c, d, true, law->name_span, "normal", "it is called normal here");
    else if (near.best.n)
        diag_fix(r->c, d, near.distance == 1, law->name_span, near.best.s, "did you mean %s?",
                 near.best.s);
}

/* radial(uniform): the argument is the name of a law, not an expression. */
static void walk_law(Resolver *r, const Ast *law, const Scope *scope) {
    check_law(r, law);
    if (sym_is(r->c, law->name, "radial")) {
        for (uint32_t i = 0; i < law->n; i++)
            if (law->kid[i]->kind == AST_NAME || law->kid[i]->kind == AST_CALL)
                walk_law(r, law->kid[i], scope);
        return;
    }
    resolve_kids(r, law, scope);
}

void resolve_indices(Resolver *r, const Ast *target, uint32_t at, const Scope *scope,
                     ResolveInside inside, const Ast *e, uint32_t next) {
    if (target->kind != AST_SUBSCRIPT || at == target->n) {
        inside(r, e, next, scope);
        return;
    }
    const Ast *index = target->kid[at];
    if (index->kind != AST_NAME || symbol_find(r->c, index->name)) {
        resolve_indices(r, target, at + 1, scope, inside, e, next);
        return;
    }
    check_index_name(r, index->name, index->span, scope);
    Scope inner = {.outer = scope, .name = index->name, .span = index->span, .index = true};
    resolve_indices(r, target, at + 1, &inner, inside, e, next);
}

void resolve_inside_law(Resolver *r, const Ast *e, uint32_t at, const Scope *scope) {
    walk_law(r, e->kid[at], scope);
}

void resolve_inside_value(Resolver *r, const Ast *e, uint32_t at, const Scope *scope) {
    resolve_expression(r, e->kid[at], scope);
}

static void walk_expect(Resolver *r, const Ast *e, uint32_t at, const Scope *scope) {
    if (at + 1 == e->n) {
        resolve_expression(r, e->kid[at], scope);
        return;
    }
    const Ast *target = e->kid[at]->kid[0];
    resolve_indices(r, target, 1, scope, resolve_inside_law, e->kid[at], 1);
    const Ast *name = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    check_index_name(r, name->name, name->span, scope);
    Scope inner = {.outer = scope, .name = name->name, .span = name->span};
    walk_expect(r, e, at + 1, &inner);
}

static void walk_integral(Resolver *r, const Ast *e, const Scope *scope) {
    bool before = r->inf_allowed;
    r->inf_allowed = true;
    resolve_expression(r, e->kid[0], scope);
    resolve_expression(r, e->kid[1], scope);
    r->inf_allowed = before;
    check_index_name(r, e->name, e->name_span, scope);
    Scope inner = {.outer = scope, .name = e->name, .span = e->name_span};
    resolve_expression(r, e->kid[2], &inner);
}

void resolve_expression(Resolver *r, const Ast *e, const Scope *scope) {
    switch (e->kind) {
    case AST_NAME:
        walk_name(r, e, scope);
        break;
    case AST_SUBSCRIPT:
        walk_subscript(r, e, scope);
        break;
    case AST_CALL:
        walk_call(r, e, scope);
        break;
    case AST_DERIVATIVE: {
        const Ast *outer = r->derivative;
        r->derivative = outer ? outer : e;
        walk_derivative(r, e, scope);
        r->derivative = outer;
        break;
    }
    case AST_BIG:
    case AST_ENTRIES:
        walk_big(r, e, 0, scope);
        break;
    case AST_EXPECT:
        walk_expect(r, e, 0, scope);
        break;
    case AST_INTEGRAL:
        walk_integral(r, e, scope);
        break;
    default:
        resolve_kids(r, e, scope);
        break;
    }
}

/* ---- the pass ------------------------------------------------------------------------------- */

static bool too_many(Compilation *c) {
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        if (i >= LIMIT_STATEMENTS || (s->kind == AST_SOLVE && s->n > LIMIT_STATEMENTS)) {
            diag(c, E0711, s->span, LIMIT_STATEMENTS);
            return true;
        }
    }
    return false;
}

static void note_exact(Resolver *r) {
    r->has_exact = NEW_ARRAY(&r->c->arena, bool, r->c->symbols->list.n + 1);
    for (uint32_t i = 0; i < r->c->program->n; i++) {
        const Ast *s = r->c->program->kid[i];
        const Symbol *target = s->kind == AST_EXACT ? symbol_find(r->c, s->kid[0]->name) : NULL;
        if (target)
            r->has_exact[target - r->c->symbols->list.at] = true;
    }
}

static void statements(Resolver *r, const Ast *program, bool library) {
    r->library = library;
    for (uint32_t i = 0; i < program->n; i++)
        resolve_statement(r, program->kid[i]);
}

void resolve_run(Compilation *c) {
    Resolver r = {.c = c};
    c->symbols = NEW(&c->arena, Symbols);
    if (too_many(c))
        return;
    declare_all(c);
    note_exact(&r);
    statements(&r, c->program, false);
    statements(&r, c->library, true);
    definitions_check(c);
}

void resolve_emit(Compilation *c, Text *out) {
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        Place at = source_place(c, s->span.lo);
        text_printf(out, "%-12s %s, rank %u", sym_cstr(c, s->name), symbol_kind_text(s->kind),
                    s->rank);
        if (!s->library)
            text_printf(out, "  %u:%u", at.line, at.column);
        text_str(out, s->library ? STR("  stdlib\n") : STR("\n"));
    }
}
