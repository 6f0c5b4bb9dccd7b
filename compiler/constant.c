/* constant.c: values known when the problem is stated, and what an expression depends on. */
#include "compilation.h"
#include "shape.h"

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

static uint32_t kinds_of_symbol(Checker *k, Sym name) {
    const Symbol *s = symbol_find(k->c, name);
    if (!s)
        return 0;
    if (s->kind != SYMBOL_LET && s->kind != SYMBOL_FUNCTION)
        return bit(s->kind);
    uint32_t *memo = &k->kinds_of_let[s - k->c->symbols->list.at];
    if (*memo == 0)
        *memo = bit(s->kind) | kinds_of(k, s->def->kid[1]);
    return *memo;
}

/* exact(u) names a field without depending on it. */
static bool is_exact(const Compilation *c, const Ast *e) {
    Str text = sym_str(c, e->name);
    return e->kind == AST_CALL && text.n == 5 && memcmp(text.s, "exact", 5) == 0;
}

uint32_t kinds_of(Checker *k, const Ast *e) {
    uint32_t kinds = 0;
    if (e->kind == AST_NAME || e->kind == AST_CALL)
        kinds = kinds_of_symbol(k, e->name);
    if (is_exact(k->c, e))
        return bit(SYMBOL_SPACE);
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i])
            kinds |= kinds_of(k, e->kid[i]);
    return kinds;
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
