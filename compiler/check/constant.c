/* constant.c: values known when the problem is stated, and what an expression depends on. */
#include "base/compilation.h"
#include "check/shape.h"

#include <math.h>
#include <string.h>

typedef struct Known {
    const char *name;
    double (*f)(double);
} Known;

static const Known known[] = {{"sqrt", sqrt}, {"exp", exp},   {"log", log},   {"sin", sin},
                              {"cos", cos},   {"tan", tan},   {"tanh", tanh}, {"abs", fabs},
                              {"sinh", sinh}, {"cosh", cosh}, {"atan", atan}};

static bool constant_name(Compilation *c, const Ast *e, double *value) {
    const Symbol *s = symbol_find(c, e->name);
    Str text = sym_str(c, e->name);
    if (!s && text.n == 2 && memcmp(text.s, "pi", 2) == 0) {
        *value = 3.14159265358979323846;
        return true;
    }
    if (s && (s->kind == SYMBOL_DIM || s->kind == SYMBOL_PARAM))
        return constant_value(c, s->def->kid[0], value);
    return false;
}

static bool constant_call(Compilation *c, const Ast *e, double *value) {
    double argument;
    Str text = sym_str(c, e->name);
    if (e->n != 1 || !constant_value(c, e->kid[0], &argument))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == text.n && memcmp(known[i].name, text.s, text.n) == 0) {
            *value = known[i].f(argument);
            return true;
        }
    return false;
}

bool constant_value(Compilation *c, const Ast *e, double *value) {
    double a, b;
    switch (e->kind) {
    case AST_NUMBER:
        *value = e->number;
        return true;
    case AST_NAME:
        return constant_name(c, e, value);
    case AST_CALL:
        return constant_call(c, e, value);
    case AST_NEG:
        if (!constant_value(c, e->kid[0], &a))
            return false;
        *value = -a;
        return true;
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_POW:
        if (!constant_value(c, e->kid[0], &a) || !constant_value(c, e->kid[1], &b))
            return false;
        *value = e->kind == AST_ADD   ? a + b
                 : e->kind == AST_SUB ? a - b
                 : e->kind == AST_MUL ? a * b
                 : e->kind == AST_DIV ? a / b
                                      : pow(a, b);
        return true;
    default:
        return false;
    }
}

static uint32_t bit(SymbolKind kind) {
    return 1u << (uint32_t)kind;
}

/* Names bound around an expression: they are no symbols there. */
typedef struct Bound Bound;
struct Bound {
    const Bound *outer;
    Sym name;
};

static uint32_t kinds_under(Checker *k, const Ast *e, const Bound *bound);

static bool is_bound(const Bound *bound, Sym name) {
    while (bound && bound->name != name)
        bound = bound->outer;
    return bound != NULL;
}

/* The value of a definition, under its parameters and indices (the kids of its head and target). */
static uint32_t kinds_of_definition(Checker *k, const Ast *def, const Ast *binder, uint32_t at,
                                    const Bound *bound) {
    if (binder->kind == AST_SUBSCRIPT && at == 0 && binder->kid[0]->kind == AST_CALL) {
        const Ast *head = binder->kid[0];
        Bound *parameters = NEW_ARRAY(&k->c->arena, Bound, head->n + 1);
        for (uint32_t i = 0; i < head->n; i++) {
            parameters[i] = (Bound){bound, head->kid[i]->name};
            bound = &parameters[i];
        }
        return kinds_of_definition(k, def, binder, 1, bound);
    }
    if (at >= binder->n)
        return kinds_under(k, def->kid[1], bound);
    Bound inner = {bound, binder->kid[at]->name};
    return kinds_of_definition(k, def, binder, at + 1, &inner);
}

static uint32_t kinds_of_symbol(Checker *k, Sym name) {
    const Symbol *s = symbol_find(k->c, name);
    if (!s)
        return 0;
    if (s->kind != SYMBOL_LET && s->kind != SYMBOL_FUNCTION)
        return bit(s->kind);
    uint32_t *memo = &k->kinds_of_let[s - k->c->symbols->list.at];
    if (*memo == 0)
        *memo = bit(s->kind) | kinds_of_definition(k, s->def, s->def->kid[0], 0, NULL);
    return *memo;
}

/* exact(u) names a field without depending on it. */
static bool is_exact(const Compilation *c, const Ast *e) {
    Str text = sym_str(c, e->name);
    return e->kind == AST_CALL && text.n == 5 && memcmp(text.s, "exact", 5) == 0;
}

/* The body of a sum, under its indices. */
static uint32_t kinds_of_big(Checker *k, const Ast *e, uint32_t at, const Bound *bound) {
    uint32_t kinds = kinds_under(k, e->kid[at], bound);
    if (at + 1 == e->n)
        return kinds;
    Bound inner = {bound, e->kid[at]->name};
    return kinds | kinds_of_big(k, e, at + 1, &inner);
}

static uint32_t kinds_under(Checker *k, const Ast *e, const Bound *bound) {
    uint32_t kinds = 0;
    if (is_exact(k->c, e))
        return bit(SYMBOL_SPACE);
    if (e->kind == AST_BIG || e->kind == AST_ENTRIES)
        return kinds_of_big(k, e, 0, bound);
    if ((e->kind == AST_NAME || e->kind == AST_CALL) && !is_bound(bound, e->name))
        kinds = kinds_of_symbol(k, e->name);
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i])
            kinds |= kinds_under(k, e->kid[i], bound);
    return kinds;
}

uint32_t kinds_of(Checker *k, const Ast *e) {
    return kinds_under(k, e, NULL);
}

const Ast *kinds_find(Checker *k, const Ast *e, uint32_t mask) {
    if (is_exact(k->c, e))
        return NULL;
    if ((e->kind == AST_NAME || e->kind == AST_CALL) && (kinds_of_symbol(k, e->name) & mask))
        return e;
    for (uint32_t i = 0; i < e->n; i++) {
        const Ast *found = e->kid[i] ? kinds_find(k, e->kid[i], mask) : NULL;
        if (found)
            return found;
    }
    return NULL;
}
