/* mathtree.c: the syntax tree as boxes: what the user wrote, in the notation of a paper. */
#include "output/mathtree.h"

#include <string.h>

#include "base/compilation.h"
#include "text/symbols.h"

typedef struct Greek {
    const char *name, *character;
} Greek;

static const Greek greek[] = {
    {"alpha", "\xCE\xB1"},   {"beta", "\xCE\xB2"},   {"gamma", "\xCE\xB3"},  {"delta", "\xCE\xB4"},
    {"epsilon", "\xCE\xB5"}, {"zeta", "\xCE\xB6"},   {"eta", "\xCE\xB7"},    {"theta", "\xCE\xB8"},
    {"iota", "\xCE\xB9"},    {"kappa", "\xCE\xBA"},  {"lambda", "\xCE\xBB"}, {"mu", "\xCE\xBC"},
    {"nu", "\xCE\xBD"},      {"xi", "\xCE\xBE"},     {"pi", "\xCF\x80"},     {"rho", "\xCF\x81"},
    {"sigma", "\xCF\x83"},   {"tau", "\xCF\x84"},    {"phi", "\xCF\x86"},    {"chi", "\xCF\x87"},
    {"psi", "\xCF\x88"},     {"omega", "\xCF\x89"},  {"Gamma", "\xCE\x93"},  {"Delta", "\xCE\x94"},
    {"Theta", "\xCE\x98"},   {"Lambda", "\xCE\x9B"}, {"Xi", "\xCE\x9E"},     {"Pi", "\xCE\xA0"},
    {"Sigma", "\xCE\xA3"},   {"Phi", "\xCE\xA6"},    {"Psi", "\xCE\xA8"},    {"Omega", "\xCE\xA9"},
    {"eps", "\xCE\xB5"}};

bool math_greek(Str name, const char **latex, const char **character) {
    for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
        if (strlen(greek[k].name) == name.n && memcmp(greek[k].name, name.s, name.n) == 0) {
            *latex = strcmp(greek[k].name, "eps") == 0 ? "epsilon" : greek[k].name;
            *character = greek[k].character;
            return true;
        }
    return false;
}

/* ---- making boxes ---- */

static Box *box(Compilation *c, BoxKind kind, uint32_t n, Box *const *kids) {
    Box *b = NEW(&c->arena, Box);
    b->kind = kind;
    b->n = n;
    b->kid = NEW_ARRAY(&c->arena, Box *, n + 1);
    if (n)
        memcpy(b->kid, kids, n * sizeof *kids);
    return b;
}

#define BOX(kind, ...)                                                                             \
    box(c, BOX_##kind, sizeof((Box *[]){__VA_ARGS__}) / sizeof(Box *), (Box *[]){__VA_ARGS__})

static Box *text_box(Compilation *c, BoxKind kind, Str text) {
    Box *b = box(c, kind, 0, NULL);
    b->text = text;
    return b;
}

static Box *sign(Compilation *c, Sign which) {
    Box *b = box(c, BOX_SIGN, 0, NULL);
    b->sign = which;
    return b;
}

static Box *fence(Compilation *c, Sign pair, Box *inside) {
    Box *b = BOX(FENCE, inside);
    b->sign = pair;
    return b;
}

static Box *words(Compilation *c, const char *text) {
    return text_box(c, BOX_WORDS, (Str){text, strlen(text)});
}

static Box *whole(Compilation *c, uint32_t n) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "%u", n);
    return text_box(c, BOX_NUMBER, (Str){text_cstr(&t), t.n});
}

static Box *letter(Compilation *c, Sym name) {
    Str s = sym_str(c, name);
    if (s.n == 3 && memcmp(s.s, "inf", 3) == 0)
        return sign(c, SIGN_INFINITY);
    if (s.n == 3 && memcmp(s.s, "net", 3) == 0)
        return sign(c, SIGN_NETWORK);
    const char *entry = memchr(s.s, '_', s.n); /* of a vector field: no other name has one */
    if (!entry)
        return text_box(c, BOX_LETTER, s);
    size_t n = (size_t)(entry - s.s);
    return BOX(INDEX, text_box(c, BOX_LETTER, (Str){s.s, n}),
               text_box(c, BOX_NUMBER, (Str){entry + 1, s.n - n - 1}));
}

/* 1e-3 as a power of ten. */
static Box *number(Compilation *c, double v) {
    Text t = {.arena = &c->arena};
    text_double(&t, v);
    const char *s = text_cstr(&t), *e = strpbrk(s, "eE");
    if (!e)
        return text_box(c, BOX_NUMBER, (Str){s, t.n});
    Box *mantissa = text_box(c, BOX_NUMBER, (Str){s, (size_t)(e - s)});
    const char *digits = e + 1 + (e[1] == '+' || e[1] == '-');
    while (digits[0] == '0' && digits[1])
        digits++;
    Box *exponent = text_box(c, BOX_NUMBER, (Str){digits, strlen(digits)});
    if (e[1] == '-')
        exponent = BOX(ROW, sign(c, SIGN_MINUS), exponent);
    Box *power = BOX(POWER, whole(c, 10), exponent);
    return mantissa->text.n == 1 && s[0] == '1' ? power
                                                : BOX(ROW, mantissa, sign(c, SIGN_TIMES), power);
}

/* ---- expressions ---- */

/* How tightly a node holds together: below what its place needs, it gets parentheses. */
enum { LOOSE, SUMMAND, FACTOR, POWER_BASE, ATOM };

static Box *expression(Compilation *c, const Ast *e);

static bool is_named(const Compilation *c, const Ast *e, const char *name) {
    Str s = sym_str(c, e->name);
    return (e->kind == AST_CALL || e->kind == AST_NAME) && s.n == strlen(name) &&
           memcmp(s.s, name, s.n) == 0;
}

/* -theta * x and -1/2: the minus stands in front of the whole. */
static bool leads_with_minus(const Ast *e) {
    while (e->kind == AST_MUL || e->kind == AST_DIV)
        e = e->kid[0];
    return e->kind == AST_NEG || (e->kind == AST_NUMBER && e->number < 0);
}

static int tightness(const Compilation *c, const Ast *e) {
    if (leads_with_minus(e))
        return LOOSE;
    switch (e->kind) {
    case AST_ADD:
    case AST_SUB:
    case AST_NEG:
        return LOOSE;
    case AST_BIG:
    case AST_INTEGRAL:
        return SUMMAND;
    case AST_MUL:
    case AST_DERIVATIVE:
        return FACTOR;
    case AST_DIV:
    case AST_POW:
        return POWER_BASE;
    case AST_NUMBER:
        return e->number < 0 ? LOOSE : ATOM;
    case AST_CALL:
        if (is_named(c, e, "norm") || is_named(c, e, "abs") || is_named(c, e, "sqrt") ||
            is_named(c, e, "exact"))
            return ATOM;
        return POWER_BASE;
    default:
        return ATOM;
    }
}

static Box *at_least(Compilation *c, const Ast *e, int tight) {
    Box *b = expression(c, e);
    return tightness(c, e) < tight ? fence(c, SIGN_PARENS, b) : b;
}

static Box *list(Compilation *c, Ast *const *kids, uint32_t n, bool comma) {
    VEC(Box *) all = {0};
    for (uint32_t k = 0; k < n; k++) {
        if (k && comma)
            VEC_PUSH(&c->arena, all, sign(c, SIGN_COMMA));
        VEC_PUSH(&c->arena, all, expression(c, kids[k]));
    }
    return all.n == 1 ? all.at[0] : box(c, BOX_ROW, all.n, all.at);
}

/* D_ij has no comma, c_{i,1} and x_{i+1,j} have. */
static Box *subscript(Compilation *c, const Ast *e) {
    bool comma = false;
    for (uint32_t k = 1; k < e->n; k++)
        comma |= e->kid[k]->kind != AST_NAME;
    return BOX(INDEX, at_least(c, e->kid[0], ATOM), list(c, e->kid + 1, e->n - 1, comma));
}

static bool same(const Ast *a, const Ast *b) {
    if (a->kind != b->kind || a->name != b->name || a->n != b->n || a->number < b->number ||
        a->number > b->number)
        return false;
    for (uint32_t k = 0; k < a->n; k++)
        if (!same(a->kid[k], b->kid[k]))
            return false;
    return true;
}

static Box *raised(Compilation *c, Box *base, uint32_t exponent) {
    return exponent == 1 ? base : BOX(POWER, base, whole(c, exponent));
}

static Box *variable(Compilation *c, const Ast *v) {
    return is_named(c, v, "outward") ? text_box(c, BOX_LETTER, STR("n")) : expression(c, v);
}

/* Equal neighbours are collected: dx_i^2 dx_j^2. */
static Box *derivative(Compilation *c, const Ast *e) {
    VEC(Box *) below = {0};
    uint32_t order = 0, stated = e->number > 1 ? (uint32_t)e->number : 1;
    for (uint32_t k = 1, times; k < e->n; k += times) {
        times = 1;
        while (k + times < e->n && same(e->kid[k], e->kid[k + times]))
            times++;
        uint32_t power = e->n == 2 ? stated : times;
        order += power;
        VEC_PUSH(&c->arena, below, sign(c, SIGN_PARTIAL));
        VEC_PUSH(&c->arena, below, raised(c, variable(c, e->kid[k]), power));
    }
    Box *d = raised(c, sign(c, SIGN_PARTIAL), order), *under = box(c, BOX_ROW, below.n, below.at);
    if (e->kid[0]->kind == AST_NAME || e->kid[0]->kind == AST_SUBSCRIPT ||
        is_named(c, e->kid[0], "exact"))
        return BOX(FRACTION, BOX(ROW, d, expression(c, e->kid[0])), under);
    return BOX(ROW, BOX(FRACTION, d, under), fence(c, SIGN_PARENS, expression(c, e->kid[0])));
}

static bool has_limits(const Ast *e) {
    return e->op == BIG_SUM || e->op == BIG_PROD;
}

static Box *below_big(Compilation *c, const Ast *e) {
    uint32_t n = e->n - 1;
    if (e->flag && n == 2)
        return BOX(ROW, letter(c, e->kid[0]->name), sign(c, SIGN_LESS), letter(c, e->kid[1]->name));
    if (!has_limits(e) && n == 1 && e->kid[0]->kid[0])
        return BOX(ROW, expression(c, e->kid[0]->kid[0]), sign(c, SIGN_AT_MOST),
                   letter(c, e->kid[0]->name), sign(c, SIGN_AT_MOST),
                   expression(c, e->kid[0]->kid[1]));
    VEC(Box *) all = {0};
    for (uint32_t k = 0; k < n; k++) {
        if (k)
            VEC_PUSH(&c->arena, all, sign(c, SIGN_COMMA));
        VEC_PUSH(&c->arena, all, letter(c, e->kid[k]->name));
    }
    if (e->kid[0]->kid[0]) {
        VEC_PUSH(&c->arena, all, sign(c, SIGN_EQUALS));
        VEC_PUSH(&c->arena, all, expression(c, e->kid[0]->kid[0]));
    }
    return box(c, BOX_ROW, all.n, all.at);
}

/* The bounds of one index, or of several over one range. */
static bool one_range(const Ast *e) {
    for (uint32_t k = 1; k + 1 < e->n; k++)
        if (!e->kid[k]->kid[1] || !e->kid[0]->kid[1] || !same(e->kid[k]->kid[1], e->kid[0]->kid[1]))
            return false;
    return true;
}

static Box *big(Compilation *c, const Ast *e) {
    static const Sign signs[] = {[BIG_SUM] = SIGN_SUM,
                                 [BIG_PROD] = SIGN_PROD,
                                 [BIG_MAX] = SIGN_MAX,
                                 [BIG_MIN] = SIGN_MIN,
                                 [BIG_MEAN] = SIGN_MEAN};
    const Ast *body = e->kid[e->n - 1];
    Box *b = box(c, BOX_BIG, 2, (Box *[]){below_big(c, e), NULL});
    b->sign = signs[e->op];
    if (has_limits(e) && !e->flag && e->kid[0]->kid[1] && one_range(e))
        b->kid[1] = expression(c, e->kid[0]->kid[1]);
    return BOX(ROW, b, at_least(c, body, SUMMAND));
}

static Box *integral(Compilation *c, const Ast *e) {
    Box *b = box(c, BOX_BIG, 2, (Box *[]){expression(c, e->kid[0]), expression(c, e->kid[1])});
    b->sign = SIGN_INTEGRAL;
    return BOX(ROW, b, at_least(c, e->kid[2], SUMMAND), sign(c, SIGN_THIN),
               text_box(c, BOX_NAME, STR("d")), letter(c, e->name));
}

static Box *expectation(Compilation *c, const Ast *e) {
    VEC(Box *) laws = {0};
    for (uint32_t k = 0; k + 1 < e->n; k++) {
        if (k)
            VEC_PUSH(&c->arena, laws, sign(c, SIGN_COMMA));
        VEC_PUSH(&c->arena, laws, expression(c, e->kid[k]->kid[0]));
        VEC_PUSH(&c->arena, laws, sign(c, SIGN_FOLLOWS));
        VEC_PUSH(&c->arena, laws, expression(c, e->kid[k]->kid[1]));
    }
    return BOX(ROW, BOX(INDEX, sign(c, SIGN_EXPECTATION), box(c, BOX_ROW, laws.n, laws.at)),
               fence(c, SIGN_BRACKETS, expression(c, e->kid[e->n - 1])));
}

/* sin u, but sin(u + v). */
static Box *applied(Compilation *c, const Ast *e) {
    Box *name = builtin_arity(sym_str(c, e->name)) ? text_box(c, BOX_NAME, sym_str(c, e->name))
                                                   : letter(c, e->name);
    bool bare = name->kind == BOX_NAME && e->n == 1 &&
                (e->kid[0]->kind == AST_NAME || e->kid[0]->kind == AST_SUBSCRIPT);
    if (bare)
        return BOX(ROW, name, sign(c, SIGN_THIN), expression(c, e->kid[0]));
    return BOX(ROW, name, fence(c, SIGN_PARENS, list(c, e->kid, e->n, true)));
}

static Box *call(Compilation *c, const Ast *e) {
    if (e->n == 1) {
        const Ast *a = e->kid[0];
        if (is_named(c, e, "sqrt"))
            return BOX(ROOT, expression(c, a));
        if (is_named(c, e, "abs"))
            return fence(c, SIGN_BARS, expression(c, a));
        if (is_named(c, e, "norm"))
            return fence(c, SIGN_NORM, expression(c, a));
        if (is_named(c, e, "lap"))
            return BOX(ROW, sign(c, SIGN_LAPLACE), at_least(c, a, ATOM));
        if (is_named(c, e, "bilap"))
            return BOX(ROW, raised(c, sign(c, SIGN_LAPLACE), 2), at_least(c, a, ATOM));
        if (is_named(c, e, "grad"))
            return BOX(ROW, sign(c, SIGN_NABLA), at_least(c, a, ATOM));
        if (is_named(c, e, "div"))
            return BOX(ROW, sign(c, SIGN_NABLA), sign(c, SIGN_TIMES), at_least(c, a, ATOM));
        if (is_named(c, e, "exact"))
            return BOX(POWER, expression(c, a), sign(c, SIGN_PRIME));
    }
    if (e->n == 2 && is_named(c, e, "dot"))
        return BOX(ROW, at_least(c, e->kid[0], ATOM), sign(c, SIGN_TIMES),
                   at_least(c, e->kid[1], ATOM));
    return applied(c, e);
}

/* Does its picture begin with a digit? Then a dot must stand before it. */
static bool starts_with_digit(const Ast *e) {
    while (e->kind == AST_MUL || e->kind == AST_POW)
        e = e->kid[0];
    return e->kind == AST_NUMBER;
}

static Box *product(Compilation *c, const Ast *e) {
    Sign between = starts_with_digit(e->kid[1]) ? SIGN_TIMES : SIGN_THIN;
    Box *right =
        e->kid[1]->kind == AST_BIG ? expression(c, e->kid[1]) : at_least(c, e->kid[1], FACTOR);
    Box *left =
        leads_with_minus(e->kid[0]) ? expression(c, e->kid[0]) : at_least(c, e->kid[0], FACTOR);
    return BOX(ROW, left, sign(c, between), right);
}

static Box *quotient(Compilation *c, const Ast *e) {
    const Ast *above = e->kid[0];
    if (above->kind != AST_NEG)
        return BOX(FRACTION, expression(c, above), expression(c, e->kid[1]));
    return BOX(ROW, sign(c, SIGN_MINUS),
               BOX(FRACTION, expression(c, above->kid[0]), expression(c, e->kid[1])));
}

static Box *expression(Compilation *c, const Ast *e) {
    switch (e->kind) {
    case AST_NUMBER:
        return number(c, e->number);
    case AST_NAME:
        return letter(c, e->name);
    case AST_SUBSCRIPT:
        return subscript(c, e);
    case AST_CALL:
        return call(c, e);
    case AST_DERIVATIVE:
        return derivative(c, e);
    case AST_ENTRIES: /* a vector by its entries: as it was written */
        return expression(c, e->kid[1]);
    case AST_BIG:
        return big(c, e);
    case AST_INTEGRAL:
        return integral(c, e);
    case AST_EXPECT:
        return expectation(c, e);
    case AST_NEG:
        return BOX(ROW, sign(c, SIGN_MINUS), at_least(c, e->kid[0], SUMMAND));
    case AST_ADD:
        return BOX(ROW, expression(c, e->kid[0]), sign(c, SIGN_PLUS),
                   leads_with_minus(e->kid[1]) ? fence(c, SIGN_PARENS, expression(c, e->kid[1]))
                                               : expression(c, e->kid[1]));
    case AST_SUB:
        return BOX(ROW, expression(c, e->kid[0]), sign(c, SIGN_MINUS),
                   at_least(c, e->kid[1], SUMMAND));
    case AST_MUL:
        return product(c, e);
    case AST_DIV:
        return quotient(c, e);
    case AST_POW:
        return BOX(POWER, at_least(c, e->kid[0], ATOM), expression(c, e->kid[1]));
    default:
        return words(c, "?");
    }
}

/* ---- statements ---- */

static void add(Compilation *c, MathLines *out, Box *left, Sign relation, Box *right, Box *where) {
    VEC_PUSH(&c->arena, out->at, ((MathLine){left, right, relation, where}));
}

static Box *space_of(Compilation *c, const Ast *dimension) {
    return BOX(POWER, sign(c, SIGN_REALS), expression(c, dimension));
}

static Box *round_set(Compilation *c, const Ast *domain, const Ast *call_) {
    Box *x = letter(c, domain->name), *norm = fence(c, SIGN_NORM, letter(c, domain->name)), *inside;
    if (call_->n == 2)
        inside = BOX(ROW, norm, sign(c, SIGN_LESS), expression(c, call_->kid[1]));
    else
        inside = BOX(ROW, expression(c, call_->kid[1]), sign(c, SIGN_LESS), norm,
                     sign(c, SIGN_LESS), expression(c, call_->kid[2]));
    return fence(
        c, SIGN_BRACES,
        BOX(ROW, x, sign(c, SIGN_IN), space_of(c, call_->kid[0]), sign(c, SIGN_SUCH), inside));
}

static Box *domain_set(Compilation *c, const Ast *s);

/* Of a domain with `where` its points that are named so. */
static Box *part_of_set(Compilation *c, const Ast *s) {
    Ast whole = *s;
    whole.n = 1;
    Str text = source_text(c, s->kid[1]->span);
    Text where = {.arena = &c->arena};
    text_printf(&where, " where %.*s", (int)text.n, text.s);
    return BOX(ROW, domain_set(c, &whole), words(c, text_cstr(&where)));
}

static Box *domain_set(Compilation *c, const Ast *s) {
    const Ast *d = s->kid[0];
    if (s->n > 1)
        return part_of_set(c, s);
    if (s->flag) /* x in [a, b] */
        return fence(c, SIGN_BRACKETS, list(c, d->kid + 1, 2, true));
    Box *set = space_of(c, d->kid[0]);
    if (is_named(c, d, "box") && d->n == 3)
        set = BOX(POWER, fence(c, SIGN_BRACKETS, list(c, d->kid + 1, 2, true)),
                  expression(c, d->kid[0]));
    else if (is_named(c, d, "ball") || is_named(c, d, "annulus"))
        set = round_set(c, s, d);
    else if (!is_named(c, d, "R"))
        set = expression(c, d); /* by its name, as it was written */
    return set;
}

/* All of them in one line: (x, y) in Omega, the product of their domains. */
static void domain_line(Compilation *c, const Ast *first, MathLines *out) {
    Box *names = letter(c, first->name), *set = domain_set(c, first);
    bool several = false, before = true;
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->kind != AST_DOMAIN)
            continue;
        if (!before) {
            names = BOX(ROW, names, sign(c, SIGN_COMMA), letter(c, s->name));
            set = BOX(ROW, set, sign(c, SIGN_PRODUCT_SET), domain_set(c, s));
            several = true;
        } else if (s != first) {
            return; /* the first one's line has it */
        }
        before = false;
    }
    Box *omega = BOX(ROW, text_box(c, BOX_LETTER, STR("Omega")), sign(c, SIGN_DEFINED), set);
    add(c, out, several ? fence(c, SIGN_PARENS, names) : names, SIGN_IN, omega, NULL);
}

/* on x_1 = 0 or x_2 = 1, on y: for a vector the boundary of its domain. */
static Box *faces_text(Compilation *c, const Ast *faces) {
    Box *all = NULL;
    for (uint32_t k = 0; k < faces->n; k++) {
        const Ast *face = faces->kid[k];
        bool space = face->kind == AST_NAME && symbol_find(c, face->name);
        Box *one = face->kind == AST_EQ ? BOX(ROW, expression(c, face->kid[0]),
                                              sign(c, SIGN_EQUALS), expression(c, face->kid[1]))
                   : space              ? BOX(ROW, sign(c, SIGN_PARTIAL), letter(c, face->name))
                                        : words(c, sym_cstr(c, face->name));
        all = all ? BOX(ROW, all, words(c, " or "), one) : one;
    }
    return BOX(ROW, words(c, "on "), all);
}

static void condition_line(Compilation *c, const Ast *s, MathLines *out, const Ast *time) {
    Box *where;
    if (s->op == COND_OBSERVE)
        where = words(c, "observed");
    else if (s->op == COND_CONSTRAINT)
        where = words(c, sym_is(c, s->name, "mean") ? "in the mean" : "as an integral");
    else if (s->n > 3)
        where = faces_text(c, s->kid[3]);
    else if (s->op == COND_BOUNDARY)
        where =
            BOX(ROW, words(c, "on "), sign(c, SIGN_PARTIAL), text_box(c, BOX_LETTER, STR("Omega")));
    else if (time)
        where = BOX(ROW, words(c, "at "), letter(c, time->name), sign(c, SIGN_EQUALS),
                    expression(c, time->kid[s->op == COND_TERMINAL]));
    else
        return;
    add(c, out, expression(c, s->kid[0]), SIGN_EQUALS, expression(c, s->kid[1]), where);
}

static Box *exact_name(Compilation *c, const Ast *target) {
    return BOX(POWER, expression(c, target), sign(c, SIGN_PRIME));
}

static void statement_lines(Compilation *c, const Ast *s, const Ast *time, MathLines *out) {
    Box *where = NULL;
    switch (s->kind) {
    case AST_DOMAIN:
        domain_line(c, s, out);
        break;
    case AST_TIME:
        add(c, out, letter(c, s->name), SIGN_IN, fence(c, SIGN_BRACKETS, list(c, s->kid, 2, true)),
            NULL);
        break;
    case AST_LET:
        for (uint32_t k = 0; k < s->n && s->kid[k]->kid[1]->kind != AST_ENTRIES; k++)
            add(c, out, expression(c, s->kid[k]->kid[0]), SIGN_DEFINED,
                expression(c, s->kid[k]->kid[1]), NULL);
        break;
    case AST_EQUATION:
        if (s->name) {
            Text t = {.arena = &c->arena};
            text_printf(&t, "(%s)", sym_cstr(c, s->name));
            where = words(c, text_cstr(&t));
        }
        add(c, out, expression(c, s->kid[0]), SIGN_EQUALS, expression(c, s->kid[1]), where);
        break;
    case AST_CONDITION:
        condition_line(c, s, out, time);
        break;
    case AST_EXACT:
        add(c, out, exact_name(c, s->kid[0]), SIGN_EQUALS, expression(c, s->kid[1]),
            words(c, "exact"));
        break;
    case AST_ANSATZ:
        add(c, out, expression(c, s->kid[0]), SIGN_EQUALS, expression(c, s->kid[1]),
            words(c, "ansatz"));
        break;
    default:
        break;
    }
}

void math_lines(Compilation *c, MathLines *out) {
    static const AstKind order[] = {AST_DOMAIN,    AST_TIME,  AST_LET,   AST_EQUATION,
                                    AST_CONDITION, AST_EXACT, AST_ANSATZ};
    const Ast *time = NULL;
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_TIME)
            time = c->program->kid[k];
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (uint32_t k = 0; k < c->program->n; k++)
            if (c->program->kid[k]->kind == order[o])
                statement_lines(c, c->program->kid[k], time, out);
}
