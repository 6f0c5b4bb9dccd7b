/* tensor_split.c: a potential as one-body terms and products over pairs, or which part is neither.
 *
 * Sums of the potential are opened one by one. What stands under one is written out and sorted by
 * the coordinates it holds: one (a term of that dimension), two whose functions are factors of a
 * product (a pair), or something that has no such form, which is reported where it stands. */
#include "terms/tensor.h"

#include "base/compilation.h"

enum { PAIRS_MAX = 8, POSITIONS_MAX = 3, POWER_MAX = 4, ROUNDS_MAX = 8 };

typedef struct Splitter {
    Compilation *c;
    Ir *ir;
    TensorNet *t;
    Span where; /* the smallest part of the source that is known to hold what is looked at */
    bool failed;
} Splitter;

static Span place_of(const Splitter *s, Ref e) {
    Span own = s->ir->origin.at[e];
    return own.hi > own.lo ? own : s->where;
}

static void refuse(Splitter *s, Ref e, const char *why) {
    if (!s->failed)
        diag(s->c, E0562, place_of(s, e), why);
    s->failed = true;
}

/* Nodes that are made from now on come from here: rewriting loses their places. */
static void look_at(Splitter *s, Ref e) {
    s->where = s->ir->here = place_of(s, e);
}

/* ---- coordinates ---- */

static bool is_new(const Splitter *s, Ref e) {
    const Ast *map = s->c->problem->coordinates;
    return map && ir_is(s->ir, e, OP_AUX) && ir_arity(s->ir, e) == 1 &&
           ir_id(s->ir, e) == map->name;
}

static bool is_coordinate(const Splitter *s, Ref e) {
    return ir_is(s->ir, e, OP_SPACE) || is_new(s, e);
}

typedef struct Positions {
    uint32_t n;
    Ref at[POSITIONS_MAX]; /* coordinate nodes */
} Positions;

/* Every node once: expressions are graphs. */
static void walk(const Splitter *s, Ref e, Positions *p, bool *seen) {
    if (seen[e])
        return;
    seen[e] = true;
    if (is_coordinate(s, e)) {
        if (p->n < POSITIONS_MAX)
            p->at[p->n++] = e;
        return;
    }
    for (uint32_t k = 0; k < ir_arity(s->ir, e); k++)
        walk(s, ir_kid(s->ir, e, k), p, seen);
}

static void find_positions(const Splitter *s, Ref e, Positions *p) {
    walk(s, e, p, NEW_ARRAY(&s->c->arena, bool, s->ir->node.n));
}

static bool has_coordinate(const Splitter *s, Ref e) {
    Positions p = {0};
    find_positions(s, e, &p);
    return p.n > 0;
}

static bool mark(const Ir *ir, Ref e, Ref what, bool *seen) {
    if (e == what)
        return true;
    if (seen[e])
        return false;
    seen[e] = true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (mark(ir, ir_kid(ir, e, k), what, seen))
            return true;
    return false;
}

static bool holds(Ir *ir, Ref e, Ref what) {
    return mark(ir, e, what, NEW_ARRAY(ir->arena, bool, ir->node.n));
}

/* ---- writing out ---- */

/* (a + b)^n with a small n as a sum of products. */
static Ref write_power(Splitter *s, Ref base, int n) {
    Ir *ir = s->ir;
    Ref lower = n == 1 ? ir_const(ir, 1) : write_power(s, base, n - 1), sum = ir_const(ir, 0);
    uint32_t terms = ir_is(ir, lower, OP_ADD) ? ir_arity(ir, lower) : 1;
    for (uint32_t a = 0; a < ir_arity(ir, base); a++)
        for (uint32_t b = 0; b < terms; b++)
            sum =
                ir_add2(ir, sum,
                        ir_mul2(ir, ir_kid(ir, base, a), terms > 1 ? ir_kid(ir, lower, b) : lower));
    return sum;
}

static Ref write_factor(Splitter *s, Ref e) {
    double n;
    if (ir_is(s->ir, e, OP_POW) && ir_is(s->ir, ir_kid(s->ir, e, 0), OP_ADD) &&
        ir_is_const(s->ir, ir_kid(s->ir, e, 1), &n) && n >= 2 && n <= POWER_MAX && n - (int)n <= 0)
        return write_power(s, ir_kid(s->ir, e, 0), (int)n);
    return e;
}

/* A product with its first sum over several coordinates multiplied out; the same if there is none.
 */
static Ref write_product(Splitter *s, Ref term) {
    Ir *ir = s->ir;
    uint32_t n = ir_is(ir, term, OP_MUL) ? ir_arity(ir, term) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = write_factor(s, n > 1 ? ir_kid(ir, term, k) : term), rest = ir_const(ir, 1);
        Positions p = {0};
        if (ir_is(ir, f, OP_ADD))
            find_positions(s, f, &p);
        if (p.n < 2)
            continue;
        for (uint32_t j = 0; j < n; j++)
            rest = j == k ? rest : ir_mul2(ir, rest, ir_kid(ir, term, j));
        Ref sum = ir_const(ir, 0);
        for (uint32_t j = 0; j < ir_arity(ir, f); j++)
            sum = ir_add2(ir, sum, ir_mul2(ir, rest, ir_kid(ir, f, j)));
        return sum;
    }
    return term;
}

/* A sum of terms, none of which is a product with a sum over several coordinates. */
static Ref write_out(Splitter *s, Ref e) {
    Ir *ir = s->ir;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        Ref before = e, sum = ir_const(ir, 0);
        e = ir_expand(ir, e);
        uint32_t n = ir_is(ir, e, OP_ADD) ? ir_arity(ir, e) : 1;
        for (uint32_t k = 0; k < n; k++)
            sum = ir_add2(ir, sum, write_product(s, n > 1 ? ir_kid(ir, e, k) : e));
        e = sum;
        if (e == before)
            break;
    }
    return e;
}

/* ---- terms of one dimension ---- */

static void add_one(Splitter *s, Ref value) {
    TensorNet *t = s->t;
    t->potential = t->potential ? ir_add2(s->ir, t->potential, value) : value;
}

static Ref in_range(Splitter *s, Ref lo, Ref hi, Ref last, Ref value) {
    Ir *ir = s->ir;
    if (ir_is_number(ir, lo, 1) && (hi == last || hi == s->c->problem->d))
        return value;
    return ir_mul2(ir, ir_in(ir, s->t->index, lo, hi), value);
}

/* body of sum_i with the one coordinate x_{i + shift}: dimension k = i + shift. */
static void one_body(Splitter *s, Ref i, Ref lo, Ref hi, Ref position, Ref body) {
    Ir *ir = s->ir;
    Ref shift = ir_sub(ir, ir_kid(ir, position, 0), i);
    Ref value = ir_substitute(ir, tensor_put(ir, body, position, s->t->y), i,
                              ir_sub(ir, s->t->index, shift));
    add_one(s,
            in_range(s, ir_add2(ir, lo, shift), ir_add2(ir, hi, shift), s->c->problem->d, value));
}

/* ---- pairs ---- */

/* body = first * second, each with one of two coordinates; indices alone go with `index[0]` or
 * `index[1]`. */
static bool factorise(Splitter *s, Ref body, const Ref position[2], const Ref index[2],
                      Ref part[2]) {
    Ir *ir = s->ir;
    uint32_t n = ir_is(ir, body, OP_MUL) ? ir_arity(ir, body) : 1;
    part[0] = part[1] = ir_const(ir, 1);
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, body, k) : body;
        bool a = holds(ir, f, position[0]), b = holds(ir, f, position[1]);
        bool i = index[0] && ir_depends(ir, f, index[0]),
             j = index[1] && index[1] != index[0] && ir_depends(ir, f, index[1]);
        if ((a && b) || (index[1] != index[0] && ((a && j) || (b && i) || (i && j)))) {
            refuse(s, f, "this is not a product of functions of one coordinate each");
            return false;
        }
        int side = b || j ? 1 : 0;
        part[side] = ir_mul2(ir, part[side], f);
    }
    return true;
}

static void add_pair(Splitter *s, Ref first, Ref second, bool all, Ref where) {
    if (s->t->pair.n == PAIRS_MAX) {
        refuse(s, where, "there are more than 8 products over pairs");
        return;
    }
    VEC_PUSH(&s->c->arena, s->t->pair, ((TensorPair){first, second, all, place_of(s, where), 0}));
}

/* c_ij x_i x_j over all i, j, if a matrix of new coordinates may make it diagonal. */
static bool add_coupling(Splitter *s, Ref i, Ref j, Ref xi, Ref xj, Ref body, Ref where) {
    Ir *ir = s->ir;
    const Ast *map = s->c->problem->coordinates;
    Ref c = ir_div(ir, ir_div(ir, body, xi), xj);
    if (!map || map->kid[0]->kind != AST_MUL || has_coordinate(s, c))
        return false;
    c = ir_substitute(ir, ir_substitute(ir, c, i, s->t->index), j, s->t->other);
    VEC_PUSH(&s->c->arena, s->t->pair,
             ((TensorPair){s->t->y, s->t->y, true, place_of(s, where), c}));
    return true;
}

/* f(i, x_{i + shift}) g(i, x_{i + shift + 1}) in either order; i = 0: fixed coordinates. */
static void neighbours(Splitter *s, Ref i, Ref lo, Ref hi, const Positions *p, Ref body) {
    Ir *ir = s->ir;
    Ref position[2] = {p->at[0], p->at[1]}, index[2] = {i, i}, part[2];
    double distance = 0;
    if (!ir_is_const(ir, ir_sub(ir, ir_kid(ir, position[1], 0), ir_kid(ir, position[0], 0)),
                     &distance) ||
        (int)distance == 0 || distance > 1 || distance < -1) {
        refuse(s, body, "the two coordinates are neither neighbours nor all pairs");
        return;
    }
    if (distance < 0) {
        position[0] = p->at[1];
        position[1] = p->at[0];
    }
    if (!factorise(s, body, position, index, part))
        return;
    Ref k = s->t->index, at = ir_kid(ir, position[0], 0), before = ir_sub(ir, k, ir_const(ir, 1));
    for (int side = 0; side < 2; side++)
        part[side] = tensor_put(ir, part[side], position[side], s->t->y);
    if (!i) {
        part[0] = ir_mul2(ir, ir_delta(ir, k, at), part[0]);
        add_pair(s, part[0], part[1], false, body);
        return;
    }
    Ref shift = ir_sub(ir, at, i);
    part[0] = ir_substitute(ir, part[0], i, ir_sub(ir, k, shift));
    part[1] = ir_substitute(ir, part[1], i, ir_sub(ir, before, shift));
    Ref last = ir_sub(ir, s->c->problem->d, ir_const(ir, 1));
    part[0] = in_range(s, ir_add2(ir, lo, shift), ir_add2(ir, hi, shift), last, part[0]);
    add_pair(s, part[0], part[1], false, body);
}

/* sum_i sum_j of f(i, x_i) g(j, x_j) over all i, j: both orders, and i = j. */
static void all_pairs_and_diagonal(Splitter *s, Ref first, Ref second, Ref where) {
    add_one(s, ir_mul2(s->ir, first, second));
    add_pair(s, first, second, true, where);
    add_pair(s, second, first, true, where);
}

/* The one coordinate and the function of the opened sum e, in the network's index and coordinate.
 */
static bool single(Splitter *s, Ref e, Ref *value) {
    Ir *ir = s->ir;
    Ref i, body = ir_open(ir, e, &i);
    Positions p = {0};
    find_positions(s, body, &p);
    if (p.n != 1 || ir_kid(ir, p.at[0], 0) != i) {
        refuse(s, e, "a product of sums needs sums over single coordinates");
        return false;
    }
    *value = ir_substitute(ir, tensor_put(ir, body, p.at[0], s->t->y), i, s->t->index);
    *value = in_range(s, ir_kid(ir, e, 0), ir_kid(ir, e, 1), s->c->problem->d, *value);
    return true;
}

static void product_of_sums(Splitter *s, Ref outside, Ref a, Ref b, Ref where) {
    Ref f, g;
    if (single(s, a, &f) && single(s, b, &g))
        all_pairs_and_diagonal(s, ir_mul2(s->ir, outside, f), g, where);
}

/* sum_i rest * sum_j inner: j = i + 1..hi, or a range that does not depend on i. */
static void nested(Splitter *s, Ref i, Ref lo, Ref hi, Ref rest, Ref inner) {
    Ir *ir = s->ir;
    Ref j, body = ir_open(ir, inner, &j), from = ir_kid(ir, inner, 0), to = ir_kid(ir, inner, 1),
           part[2];
    Positions p = {0};
    find_positions(s, ir_mul2(ir, rest, body), &p);
    Ref xi = 0, xj = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        if (ir_kid(ir, p.at[k], 0) == i)
            xi = p.at[k];
        if (ir_kid(ir, p.at[k], 0) == j)
            xj = p.at[k];
    }
    if (p.n != 2 || !xi || !xj || ir_depends(ir, to, i)) {
        refuse(s, inner, "the sum inside does not run over pairs of coordinates");
        return;
    }
    bool below = ir_is_number(ir, ir_sub(ir, from, i), 1), whole = !ir_depends(ir, from, i);
    if (!below && !whole) {
        refuse(s, inner, "the sum inside must begin after the outer index, or not depend on it");
        return;
    }
    Ref written = write_out(s, ir_mul2(ir, rest, body));
    uint32_t n = ir_is(ir, written, OP_ADD) ? ir_arity(ir, written) : 1;
    if (whole && ir_is_number(ir, lo, 1) && hi == s->c->problem->d && to == hi &&
        add_coupling(s, i, j, xi, xj, written, inner))
        return;
    for (uint32_t k = 0; k < n && !s->failed; k++) {
        if (!factorise(s, n > 1 ? ir_kid(ir, written, k) : written, (Ref[2]){xi, xj},
                       (Ref[2]){i, j}, part))
            return;
        Ref f = ir_substitute(ir, tensor_put(ir, part[0], xi, s->t->y), i, s->t->index);
        Ref g = ir_substitute(ir, tensor_put(ir, part[1], xj, s->t->y), j, s->t->index);
        Ref last = ir_sub(ir, s->c->problem->d, ir_const(ir, 1));
        f = in_range(s, lo, hi, below ? last : s->c->problem->d, f);
        g = in_range(s, whole ? from : ir_const(ir, 1), to, s->c->problem->d, g);
        if (below)
            add_pair(s, f, g, true, inner);
        else
            all_pairs_and_diagonal(s, f, g, inner);
    }
}

/* ---- terms ---- */

/* One term of the body of sum_i; the factor that is a sum with coordinates, if any, apart. */
static void body_term(Splitter *s, Ref i, Ref lo, Ref hi, Ref body) {
    Ir *ir = s->ir;
    Ref rest = ir_const(ir, 1), inner = 0;
    uint32_t n = ir_is(ir, body, OP_MUL) ? ir_arity(ir, body) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, body, k) : body;
        if (ir_is(ir, f, OP_SUM) && has_coordinate(s, f) && !inner)
            inner = f;
        else
            rest = ir_mul2(ir, rest, f);
    }
    if (inner) {
        nested(s, i, lo, hi, rest, inner);
        return;
    }
    Positions p = {0};
    find_positions(s, body, &p);
    double shift;
    for (uint32_t k = 0; k < p.n; k++)
        if (!ir_is_const(ir, ir_sub(ir, ir_kid(ir, p.at[k], 0), i), &shift)) {
            refuse(s, body, "a coordinate here is not numbered by the index of the sum");
            return;
        }
    if (p.n == 1)
        one_body(s, i, lo, hi, p.at[0], body);
    else if (p.n == 2)
        neighbours(s, i, lo, hi, &p, body);
    else
        refuse(s, body,
               p.n ? "this holds more than two coordinates"
                   : "this sum holds no coordinate by itself");
}

static void sum_term(Splitter *s, Ref outside, Ref sum) {
    Ir *ir = s->ir;
    look_at(s, sum);
    Ref i, body = ir_open(ir, sum, &i);
    Ref written = write_out(s, ir_mul2(ir, outside, body));
    uint32_t n = ir_is(ir, written, OP_ADD) ? ir_arity(ir, written) : 1;
    for (uint32_t k = 0; k < n && !s->failed; k++) {
        Ref term = n > 1 ? ir_kid(ir, written, k) : written;
        if (has_coordinate(s, term))
            body_term(s, i, ir_kid(ir, sum, 0), ir_kid(ir, sum, 1), term);
        else
            s->t->constant =
                ir_add2(ir, s->t->constant,
                        ir_reduce(ir, OP_SUM, i, ir_kid(ir, sum, 0), ir_kid(ir, sum, 1), term));
    }
}

/* A term without a sum: coordinates with numbers, x_1 and the like. */
static void fixed_term(Splitter *s, Ref term) {
    Ir *ir = s->ir;
    Positions p = {0};
    find_positions(s, term, &p);
    for (uint32_t k = 0; k < p.n; k++)
        if (ir->node.at[ir_kid(ir, p.at[k], 0)].has_index ||
            ir_contains(ir, ir_kid(ir, p.at[k], 0), OP_BOUND)) {
            refuse(s, term, "a sum over coordinates stands inside another function");
            return;
        }
    if (p.n == 1)
        add_one(s, ir_mul2(ir, ir_delta(ir, s->t->index, ir_kid(ir, p.at[0], 0)),
                           tensor_put(ir, term, p.at[0], s->t->y)));
    else if (p.n == 2)
        neighbours(s, 0, 0, 0, &p, term);
    else
        refuse(s, term, "this holds more than two coordinates");
}

static void whole_term(Splitter *s, Ref term) {
    Ir *ir = s->ir;
    Span equation = s->where;
    look_at(s, term);
    Ref outside = ir_const(ir, 1), sum[2] = {0, 0};
    uint32_t sums = 0, n = ir_is(ir, term, OP_MUL) ? ir_arity(ir, term) : 1;
    for (uint32_t k = 0; k < n; k++) {
        Ref f = n > 1 ? ir_kid(ir, term, k) : term;
        bool square = ir_is(ir, f, OP_POW) && ir_is(ir, ir_kid(ir, f, 0), OP_SUM) &&
                      ir_is_number(ir, ir_kid(ir, f, 1), 2) && has_coordinate(s, f);
        bool is_sum = ir_is(ir, f, OP_SUM) && has_coordinate(s, f);
        if (square && sums == 0) {
            sum[0] = sum[1] = ir_kid(ir, f, 0);
            sums = 2;
        } else if (is_sum && sums < 2) {
            sum[sums++] = f;
        } else {
            outside = ir_mul2(ir, outside, f);
        }
    }
    if (sums && has_coordinate(s, outside))
        refuse(s, term, "a sum over coordinates is multiplied by something that holds coordinates");
    else if (sums == 2)
        product_of_sums(s, outside, sum[0], sum[1], term);
    else if (sums == 1)
        sum_term(s, outside, sum[0]);
    else if (has_coordinate(s, term))
        fixed_term(s, term);
    else
        s->t->constant = ir_add2(ir, s->t->constant, term);
    s->where = equation;
}

/* Terms in the new coordinates are kept apart from those in x, which are still to be rewritten. */
static void either_term(Splitter *s, TensorNet *t, Ref term) {
    Positions p = {0};
    find_positions(s, term, &p);
    bool x = ir_contains(s->ir, term, OP_SPACE), y = false;
    for (uint32_t k = 0; k < p.n; k++)
        y |= is_new(s, p.at[k]);
    s->t = y ? t->own : t;
    if (x && y)
        refuse(s, term, "this mixes old and new coordinates");
    else
        whole_term(s, term);
}

bool tensor_split(Compilation *c, TensorNet *t, Ref V) {
    Splitter s = {.c = c, .ir = c->ir, .t = t, .where = c->problem->equation.at[0].ast->span};
    Span outer = c->ir->here;
    V = write_out(&s, V);
    uint32_t n = ir_is(s.ir, V, OP_ADD) ? ir_arity(s.ir, V) : 1;
    for (uint32_t k = 0; k < n && !s.failed; k++)
        either_term(&s, t, n > 1 ? ir_kid(s.ir, V, k) : V);
    c->ir->here = outer;
    return !s.failed;
}
