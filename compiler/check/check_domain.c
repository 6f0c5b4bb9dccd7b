/* check_domain.c: the numbers that a problem rests on: dims and parameters, the domain's arguments, the time.
 *
 * Requires: names resolved. Establishes: constants use only what is declared before them; the domain has the
 * arguments that domain.def asks for; the extent of space. */
#include "check/check.h"

#include "base/limits.h"
#include "runtime/contract/domain_part.h"

#include <math.h>
#include <string.h>

/* ---- constants ------------------------------------------------------------------------------ */

/* Values of dim, param, domain and time may use numbers, dims and params only. */
bool check_constant(Checker *k, const Ast *e) {
    uint32_t allowed = BIT(SYMBOL_DIM) | BIT(SYMBOL_PARAM) | BIT(SYMBOL_FUNCTION);
    const Ast *other = kinds_find(k, e, ~allowed);
    if (!other)
        return true;
    const Symbol *s = symbol_find(k->c, other->name);
    Str text = sym_str(k->c, other->name);
    Diag *d = diag(k->c, E0417, other->span, (int)text.n, text.s, symbol_kind_text(s->kind));
    diag_also(k->c, d, s->span, "declared here");
    return false;
}

static void check_dims(Checker *k, const Ast *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        const Ast *value = s->kid[i]->kid[0];
        double v = value->number;
        if (value->kind == AST_NUMBER && v >= 1 && v == floor(v) && v <= 1e9)
            continue;
        Str name = sym_str(k->c, s->kid[i]->name);
        diag(k->c, E0416, value->span, (int)name.n, name.s);
    }
}

/* A parameter in e that is declared at or after `position`. */
static const Symbol *later_param(const Compilation *c, const Ast *e, uint32_t position) {
    const Symbol *s = e->kind == AST_NAME ? symbol_find(c, e->name) : NULL;
    if (s && s->kind == SYMBOL_PARAM && s->span.lo >= position)
        return s;
    for (uint32_t i = 0; i < e->n; i++) {
        s = e->kid[i] ? later_param(c, e->kid[i], position) : NULL;
        if (s)
            return s;
    }
    return NULL;
}

/* A parameter may use those declared before it, which rules out circles. */
static void check_params(Checker *k, const Ast *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        const Ast *bind = s->kid[i];
        if (!check_constant(k, bind->kid[0]))
            continue;
        const Symbol *p = later_param(k->c, bind->kid[0], bind->name_span.lo);
        if (!p)
            continue;
        Str name = sym_str(k->c, p->name);
        Diag *d = diag(k->c, E0425, bind->kid[0]->span, (int)name.n, name.s);
        diag_also(k->c, d, p->span, "declared here");
    }
}

bool check_constants_order(Checker *k) {
    uint32_t before = diag_errors(k->c);
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *s = k->c->program->kid[i];
        if (s->kind == AST_DIM)
            check_dims(k, s);
        else if (s->kind == AST_PARAM)
            check_params(k, s);
    }
    return diag_errors(k->c) == before;
}

/* ---- domain and time ------------------------------------------------------------------------ */

bool check_order(Checker *k, const Ast *lo, const Ast *hi, const char *what) {
    double a, b;
    if (!check_constant(k, lo) || !check_constant(k, hi))
        return false;
    shape_scalar(k, lo, NULL);
    shape_scalar(k, hi, NULL);
    if (!constant_value(k->c, lo, &a) || !constant_value(k->c, hi, &b) || a < b)
        return true;
    Text numbers = {.arena = &k->c->arena};
    text_double(&numbers, a);
    text_str(&numbers, STR(" and "));
    text_double(&numbers, b);
    diag(k->c, E0516, (Span){lo->span.lo, hi->span.hi}, what, text_cstr(&numbers));
    return false;
}

static void check_positive(Checker *k, const Ast *e, const char *what) {
    double v;
    if (!check_constant(k, e))
        return;
    shape_scalar(k, e, NULL);
    if (constant_value(k->c, e, &v) && !(v > 0))
        diag(k->c, E0515, e->span, what);
}

typedef enum DomainNeeds { NOTHING, RADIUS, INTERVAL, RADII, SEMIAXES } DomainNeeds;

typedef struct DomainRow {
    const char *name;
    uint32_t arity;
    const char *arguments;
    uint32_t indexed;
    bool bounded;
    DomainNeeds needs;
    unsigned parts;
    const char *said;
} DomainRow;

static const DomainRow *domain_row(const Compilation *c, Sym name) {
    static const DomainRow rows[] = {
#define DOMAIN(name, arity, arguments, indexed, bounded, needs, parts, said, others, what)         \
    {#name, arity, arguments, indexed, bounded, needs, parts, said},
#include "runtime/contract/domain.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sym_is(c, name, rows[i].name))
            return &rows[i];
    return NULL;
}

/* A number, or a vector with an entry for each coordinate, made of dims, params, random and data constants. */
static void check_semiaxes(Checker *k, const Ast *e, Extent entries) {
    Compilation *c = k->c;
    Shape s = shape_of(k, e, NULL);
    double v;
    const Ast *moving =
        kinds_find(k, e,
                   BIT(SYMBOL_SPACE) | BIT(SYMBOL_TIME) | BIT(SYMBOL_FIELD) | BIT(SYMBOL_UNKNOWN) |
                       BIT(SYMBOL_SOURCE) | BIT(SYMBOL_AUX) | BIT(SYMBOL_COORDINATES));
    if (moving) {
        Str text = sym_str(c, moving->name);
        diag(c, E0435, moving->span, (int)text.n, text.s);
    } else if (s.rank > 1 || (s.rank == 1 && !extent_same(s.extent[0], entries))) {
        Shape wanted = {.rank = 1, .extent = {entries}};
        Diag *d = diag(c, E0436, e->span, shape_text(c, s), shape_text(c, wanted));
        if (s.rank == 1 && extent_same(s.extent[0], space_extent(c)))
            diag_note(c, d, "give it that many entries: random a_i ~ uniform(1, 2) for i = 1..%s",
                      extent_formula(c, entries));
    } else if (s.rank == 0 && constant_value(c, e, &v) && !(v > 0)) {
        diag(c, E0515, e->span, "the semiaxis");
    }
}

/* Which points belong to it is decided by their coordinates and the time. */
static void check_where(Checker *k, const Ast *where) {
    Compilation *c = k->c;
    shape_scalar(k, where, NULL);
    const Ast *other = kinds_find(
        k, where, BIT(SYMBOL_FIELD) | BIT(SYMBOL_UNKNOWN) | BIT(SYMBOL_SOURCE) | BIT(SYMBOL_AUX));
    if (other) {
        Str text = sym_str(c, other->name);
        diag(c, E0521, other->span, "the extent of a domain", (int)text.n, text.s);
    }
}

void check_domain(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    if (s->n > 1)
        check_where(k, s->kid[1]);
    const Ast *call = s->kid[0];
    const DomainRow *row = domain_row(c, call->name);
    if (s->flag) { /* x in [a, b] */
        check_order(k, call->kid[1], call->kid[2], "the interval");
        return;
    }
    if (call->n != row->arity) {
        Diag *d =
            diag(c, E0415, call->span, (int)strlen(row->name), row->name, row->arity, call->n);
        diag_note(c, d, "write %s(%s)", row->name, row->arguments);
        return;
    }
    Text what = {.arena = &c->arena};
    text_printf(&what, "the %s", row->name);
    switch (row->needs) {
    case RADIUS:
        check_positive(k, call->kid[1], "the radius");
        break;
    case INTERVAL:
        check_order(k, call->kid[1], call->kid[2], text_cstr(&what));
        break;
    case RADII:
        if (check_order(k, call->kid[1], call->kid[2], text_cstr(&what)))
            check_positive(k, call->kid[1], "the inner radius");
        break;
    case SEMIAXES:
        check_semiaxes(k, call->kid[row->indexed], symbol_find(c, s->name)->extent[0]);
        break;
    case NOTHING:
        break;
    }
}

static bool check_extent_of(Checker *k, const Ast *domain) {
    Compilation *c = k->c;
    const Ast *count = domain->kid[0]->n ? domain->kid[0]->kid[0] : NULL;
    Extent extent = {0};
    if (!count || !extent_of_expression(c, count, &extent)) {
        diag(c, E0426, count ? count->span : domain->kid[0]->span);
        return false;
    }
    Symbol *x = check_symbol(c, domain->name);
    if (x)
        x->extent[0] = extent;
    return true;
}

bool check_space_extent(Checker *k) {
    Compilation *c = k->c;
    const Ast *domain = check_find(c, AST_DOMAIN);
    uint32_t n = 0;
    if (!domain) {
        diag(c, E0518, (Span){0, 0});
        return false;
    }
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        if (s->kind != AST_DOMAIN)
            continue;
        if (++n > LIMIT_SPACES) {
            diag(c, E0713, s->span, LIMIT_SPACES);
            return false;
        }
        if (!check_extent_of(k, s))
            return false;
    }
    const Ast *coordinates = check_find(c, AST_COORDINATES);
    if (coordinates && symbol_find(c, coordinates->name))
        check_symbol(c, coordinates->name)->extent[0] = space_extent(c);
    return true;
}

bool check_is_bounded(const Compilation *c, const Ast *domain) {
    const DomainRow *row = domain_row(c, domain->kid[0]->name);
    return row && row->bounded;
}

bool check_has_parts(const Compilation *c, const Ast *domain, unsigned parts) {
    const DomainRow *row = domain_row(c, domain->kid[0]->name);
    return row && (row->parts & parts) == parts;
}

const char *check_parts(Compilation *c, const Ast *domain) {
    const DomainRow *row = domain_row(c, domain->kid[0]->name);
    if (!row || !*row->said)
        return NULL;
    Text text = {.arena = &c->arena};
    for (const char *at = row->said; *at; at++) {
        Str word = *at == '%'   ? source_text(c, domain->kid[0]->span)
                   : *at == '$' ? sym_str(c, domain->name)
                                : (Str){at, 1};
        text_str(&text, word);
    }
    return text_cstr(&text);
}

bool check_bounded(const Compilation *c) {
    for (uint32_t i = 0; i < c->program->n; i++)
        if (c->program->kid[i]->kind == AST_DOMAIN && check_is_bounded(c, c->program->kid[i]))
            return true;
    return false;
}
