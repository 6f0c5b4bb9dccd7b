/* vector_field.c: see vector_field.h.
 *
 * Requires: the tree as the grammar has built it; no name is resolved yet. Establishes: no field has a subscript. `v` is
 * a let, so that sums, div(v), dot(v, v) and norm(v) are those of any vector. */
#include "text/vector_field.h"

#include "base/compilation.h"
#include "base/limits.h"

enum { ENTRIES_MOST = 16 }; /* as many as a network has outputs: PLAN_FIELDS_MAX of the runtime */

typedef struct Vector {
    Sym name;
    uint32_t n;
    Span span;
} Vector;

typedef struct Expansion {
    Compilation *c;
    const Ast *program;
    VEC(Vector) vector;
    Sym index; /* stands for `value`; 0: none does */
    double value;
} Expansion;

typedef struct Bound {
    const struct Bound *outer;
    Sym name;
} Bound;

static const Vector *vector_of(const Expansion *x, const Ast *e) {
    for (uint32_t k = 0; e->kind == AST_NAME && k < x->vector.n; k++)
        if (x->vector.at[k].name == e->name)
            return &x->vector.at[k];
    return NULL;
}

/* The vector that a subscript picks an entry of: v, or exact(v). */
static const Vector *subscripted(const Expansion *x, const Ast *base) {
    bool exact = base->kind == AST_CALL && base->n == 1 && sym_is(x->c, base->name, "exact");
    return vector_of(x, exact ? base->kid[0] : base);
}

static Ast *number(Compilation *c, double value, Span span) {
    Ast *n = ast_new(c, AST_NUMBER, span, 0, NULL);
    n->number = value;
    return n;
}

static Ast *name(Compilation *c, Sym sym, Span span) {
    Ast *n = ast_new(c, AST_NAME, span, 0, NULL);
    n->name = sym;
    return n;
}

static Sym entry_name(Compilation *c, Sym vector, uint32_t k) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "%s_%u", sym_cstr(c, vector), k);
    return intern_cstr(c, text_cstr(&t));
}

/* ---- declarations ---- */

static bool is_vector(const Ast *call) {
    return call->kind == AST_CALL && call->flag;
}

/* `for k = 1..n` with numbers; 0: it is something else. */
static uint32_t entries_of(const Ast *range) {
    const Ast *lo = range->kid[0], *hi = range->kid[1];
    if (lo->kind != AST_NUMBER || hi->kind != AST_NUMBER || lo->number < 1 || lo->number > 1 ||
        hi->number < 1 || hi->number > ENTRIES_MOST)
        return 0;
    uint32_t n = (uint32_t)hi->number;
    return (double)n < hi->number ? 0 : n;
}

/* A CALL whose last kid is the RANGE, and before it the index. */
static void note_vector(Expansion *x, const Ast *call) {
    const Ast *index = call->kid[call->n - 2], *range = call->kid[call->n - 1];
    uint32_t n = entries_of(range);
    if (n == 0 || index->kind != AST_NAME || index->name != range->name) {
        diag(x->c, E0437, range->span, ENTRIES_MOST);
        n = 1;
    }
    VEC_PUSH(&x->c->arena, x->vector, ((Vector){call->name, n, call->name_span}));
}

/* delta_{k,1} * v_1 + delta_{k,2} * v_2 + ... */
static Ast *sum_of_entries(Compilation *c, const Vector *v, Sym index) {
    Ast *sum = NULL;
    for (uint32_t k = 1; k <= v->n; k++) {
        Ast *delta = name(c, intern_cstr(c, "delta"), v->span);
        Ast *kid[] = {delta, name(c, index, v->span), number(c, k, v->span)};
        Ast *term = ast_new(c, AST_MUL, v->span, 2,
                            (Ast *[]){ast_new(c, AST_SUBSCRIPT, v->span, 3, kid),
                                      name(c, entry_name(c, v->name, k), v->span)});
        sum = sum ? ast_new(c, AST_ADD, v->span, 2, (Ast *[]){sum, term}) : term;
    }
    return sum;
}

/* let v = (entries k = 1..n: that sum) */
static Ast *definition(Compilation *c, const Vector *v) {
    Sym index = intern_cstr(c, "entry#");
    Ast *range = ast_new(c, AST_RANGE, v->span, 2,
                         (Ast *[]){number(c, 1, v->span), number(c, v->n, v->span)});
    range->name = index;
    Ast *entries =
        ast_new(c, AST_ENTRIES, v->span, 2, (Ast *[]){range, sum_of_entries(c, v, index)});
    Ast *let = ast_new(c, AST_LETDEF, v->span, 2, (Ast *[]){name(c, v->name, v->span), entries});
    return ast_new(c, AST_LET, v->span, 1, &let);
}

/* The statement with n scalar fields in the place of each vector; the vectors' definitions follow it. */
static void declare(Expansion *x, const Ast *s, AstList *to) {
    Compilation *c = x->c;
    AstList fields = {0}, lets = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        const Ast *call = s->kid[i];
        const Vector *v = is_vector(call) ? vector_of(x, name(c, call->name, call->span)) : NULL;
        if (!v)
            VEC_PUSH(&c->arena, fields.items, s->kid[i]);
        for (uint32_t k = 1; v && k <= v->n; k++) {
            Ast *entry = ast_new(c, AST_CALL, call->span, call->n - 2, call->kid);
            entry->name = entry_name(c, v->name, k);
            entry->name_span = call->name_span;
            VEC_PUSH(&c->arena, fields.items, entry);
        }
        if (v)
            VEC_PUSH(&c->arena, lets.items, definition(c, v));
    }
    VEC_PUSH(&c->arena, to->items, ast_new(c, AST_FIELD, s->span, fields.items.n, fields.items.at));
    for (uint32_t i = 0; i < lets.items.n; i++)
        VEC_PUSH(&c->arena, to->items, lets.items.at[i]);
}

/* ---- statements ---- */

/* A dim or a param in a subscript is no index. */
static bool is_constant(const Ast *program, Sym sym) {
    for (uint32_t i = 0; i < program->n; i++) {
        const Ast *s = program->kid[i];
        for (uint32_t k = 0; (s->kind == AST_DIM || s->kind == AST_PARAM) && k < s->n; k++)
            if (s->kid[k]->name == sym)
                return true;
    }
    return false;
}

static bool is_bound(const Bound *b, Sym sym) {
    while (b && b->name != sym)
        b = b->outer;
    return b != NULL;
}

/* The vector whose free index e has; *index: that index. */
static const Vector *find_free(const Expansion *x, const Ast *e, const Bound *bound, Sym *index) {
    if (e->kind == AST_SUBSCRIPT && e->n == 2 && e->kid[1]->kind == AST_NAME) {
        const Vector *v = subscripted(x, e->kid[0]);
        *index = e->kid[1]->name;
        if (v && !is_bound(bound, *index) && !is_constant(x->program, *index))
            return v;
    }
    Bound inner[LIMIT_LIST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < e->n; k++) /* of a sum, or of observations */
        if (e->kid[k] && e->kid[k]->kind == AST_RANGE && n < LIMIT_LIST) {
            inner[n] = (Bound){bound, e->kid[k]->name};
            bound = &inner[n++];
        }
    for (uint32_t k = 0; k < e->n; k++) {
        const Vector *v = e->kid[k] ? find_free(x, e->kid[k], bound, index) : NULL;
        if (v)
            return v;
    }
    return NULL;
}

static bool binds(const Ast *e, Sym index) {
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k] && e->kid[k]->kind == AST_RANGE && e->kid[k]->name == index)
            return true;
    return false;
}

/* The name of entry k, or exact(of it). */
static Ast *entry_of(Compilation *c, const Vector *v, uint32_t k, Ast *base, Span span) {
    Ast *entry = name(c, entry_name(c, v->name, k), span);
    if (base->kind == AST_NAME)
        return entry;
    Ast *call = ast_new(c, AST_CALL, span, 1, &entry);
    call->name = base->name;
    return call;
}

/* A copy with the index's value in its place, and v_2 as the name of that field. */
static Ast *copy(Expansion *x, const Ast *e) {
    Compilation *c = x->c;
    if (x->index && e->kind == AST_NAME && e->name == x->index)
        return number(c, x->value, e->span);
    Sym outer = x->index;
    x->index = binds(e, x->index) ? 0 : x->index;
    AstList kids = {0};
    for (uint32_t k = 0; k < e->n; k++)
        VEC_PUSH(&c->arena, kids.items, e->kid[k] ? copy(x, e->kid[k]) : NULL);
    x->index = outer;
    const Vector *v =
        e->kind == AST_SUBSCRIPT && e->n == 2 ? subscripted(x, kids.items.at[0]) : NULL;
    const Ast *at = v ? kids.items.at[1] : NULL;
    for (uint32_t k = 1; v && at->kind == AST_NUMBER && k <= v->n; k++)
        if (at->number >= k && at->number <= k)
            return entry_of(c, v, k, kids.items.at[0], e->span);
    Ast *made = ast_new(c, e->kind, e->span, kids.items.n, kids.items.at);
    if (made->kind != e->kind) /* too deep: said already */
        return made;
    made->op = e->op;
    made->flag = e->flag;
    made->parenthesised = e->parenthesised;
    made->name_span = e->name_span;
    made->name = e->name;
    made->number = e->number;
    return made;
}

static bool is_statement(const Ast *s) {
    return s->kind == AST_EQUATION || s->kind == AST_CONDITION || s->kind == AST_EXACT ||
           s->kind == AST_ANSATZ || s->kind == AST_REFERENCE || s->kind == AST_REPORT;
}

static bool is_target(const Ast *s) {
    return s->kind == AST_EXACT || s->kind == AST_ANSATZ || s->kind == AST_REFERENCE;
}

/* `boundary v = 0`, `exact v = w`: what is said of the vector is said of each entry; numbers serve all. */
static const Ast *with_index(Compilation *c, const Expansion *x, const Ast *s, Sym index) {
    if ((s->kind != AST_CONDITION && !is_target(s)) || !vector_of(x, s->kid[0]))
        return s;
    Ast *made = ast_new(c, s->kind, s->span, s->n, s->kid);
    made->op = s->op;
    made->flag = s->flag;
    made->name_span = s->name_span;
    for (uint32_t k = 0; k < 2; k++) {
        Ast *side = s->kid[k];
        bool vector = side->kind == AST_NAME || side->kind == AST_CALL;
        if (vector)
            made->kid[k] = ast_new(c, AST_SUBSCRIPT, side->span, 2,
                                   (Ast *[]){side, name(c, index, side->span)});
    }
    return made;
}

static void refuse_target(Compilation *c, const Ast *s) {
    const Ast *target = s->kid[0];
    Str text = source_text(c, target->span);
    diag(c, E0316, target->span, ast_kind_text(s->kind), (int)text.n, text.s,
         "no entry of a vector field");
}

static void expand(Expansion *x, const Ast *s, AstList *to) {
    Sym index = 0;
    s = with_index(x->c, x, s, intern_cstr(x->c, "entry#"));
    const Vector *v = is_statement(s) ? find_free(x, s, NULL, &index) : NULL;
    for (uint32_t k = 1; k <= (v ? v->n : 1); k++) {
        x->index = v ? index : 0;
        x->value = k;
        Ast *made = copy(x, s);
        if (is_target(made) && made->kid[0]->kind == AST_SUBSCRIPT) {
            refuse_target(x->c, made);
            return;
        }
        VEC_PUSH(&x->c->arena, to->items, made);
    }
    x->index = 0;
}

Ast *vector_fields_expand(Lexer *lx, Ast *program) {
    Compilation *c = lx->c;
    Expansion x = {.c = c, .program = program};
    for (uint32_t i = 0; i < program->n; i++)
        for (uint32_t k = 0; program->kid[i]->kind == AST_FIELD && k < program->kid[i]->n; k++)
            if (is_vector(program->kid[i]->kid[k]))
                note_vector(&x, program->kid[i]->kid[k]);
    AstList all = {0};
    for (uint32_t i = 0; i < program->n; i++) {
        Ast *s = program->kid[i];
        if (x.vector.n && s->kind == AST_FIELD)
            declare(&x, s, &all);
        else if (x.vector.n || (is_target(s) && s->kid[0]->kind == AST_SUBSCRIPT))
            expand(&x, s, &all);
        else
            VEC_PUSH(&c->arena, all.items, s);
    }
    return ast_new(c, AST_PROGRAM, program->span, all.items.n, all.items.at);
}
