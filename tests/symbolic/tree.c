/* tree.c: see tree.h. Index ranges are lo .. d - margin, so that x_{i+a} stays inside and that
 * ranges are empty at small d. */
#include "tree.h"

#include "runtime/contract/rng.h"

#include <math.h>

typedef enum TreeKind {
    TREE_NUMBER,
    TREE_X,
    TREE_C,
    TREE_TIME,
    TREE_DELTA,
    TREE_INDEX,
    TREE_ADD,
    TREE_MUL,
    TREE_SQUARE,
    TREE_CUBE,
    TREE_SIN,
    TREE_EXP,
    TREE_TANH,
    TREE_ROOT,
    TREE_INVERSE,
    TREE_SUM,
    TREE_PROD,
    TREE_MAX,
    TREE_MIN
} TreeKind;

enum { MOST_INDICES = 3 };

struct Tree {
    TreeKind kind;
    double number;
    int index[2], shift; /* levels of the indices used, -1: the constant 1; x_{index + shift} */
    int lo, margin; /* range of a reduction: lo .. d - margin; lo 0: the index outside, plus 1 */
    bool below;     /* range: lo .. the index outside */
    Tree *kid[2];
};

typedef struct Maker {
    Arena *arena;
    uint64_t seed;
    uint32_t drawn;
    int levels; /* indices in scope */
    int lo[MOST_INDICES], margin[MOST_INDICES];
} Maker;

static uint32_t draw(Maker *m, uint32_t bound) {
    return (uint32_t)pde_random_below(
        (uint64_t)pde_random_word(m->seed, 77, 0, 0, m->drawn++) << 32, bound);
}

static Tree *make(Maker *m, TreeKind kind) {
    Tree *t = NEW(m->arena, Tree);
    t->kind = kind;
    t->index[0] = t->index[1] = -1;
    return t;
}

/* A subscript in range for the index's own range. */
static void choose_subscript(Maker *m, Tree *t) {
    if (m->levels == 0 || draw(m, 5) == 0)
        return;
    t->index[0] = (int)draw(m, (uint32_t)m->levels);
    int lo = m->lo[t->index[0]], margin = m->margin[t->index[0]];
    int least = lo ? 1 - lo : -1; /* i < j: j starts at 2 at the least */
    t->shift = least + (int)draw(m, (uint32_t)(margin - least + 1));
}

static Tree *leaf(Maker *m) {
    static const TreeKind kinds[] = {TREE_X, TREE_X,      TREE_X,    TREE_X,
                                     TREE_C, TREE_NUMBER, TREE_TIME, TREE_INDEX};
    Tree *t = make(m, kinds[draw(m, 8)]);
    if (t->kind == TREE_NUMBER)
        t->number = (double)draw(m, 9) / 4 - 1;
    if (t->kind == TREE_X || t->kind == TREE_C)
        choose_subscript(m, t);
    if (t->kind == TREE_INDEX && m->levels)
        t->index[0] = (int)draw(m, (uint32_t)m->levels);
    return t;
}

static Tree *expression(Maker *m, int depth);

static Tree *reduction(Maker *m, TreeKind kind, int depth) {
    Tree *t = make(m, kind);
    int level = m->levels;
    bool extremum = kind == TREE_MAX || kind == TREE_MIN;
    t->lo = extremum ? 1 : 1 + (int)draw(m, 3);
    t->margin = extremum ? 0 : (int)draw(m, 3);
    if (kind == TREE_SUM && level > 0 && draw(m, 3) == 0) {
        t->below = draw(m, 2);
        t->lo = t->below;
        t->margin = t->below ? m->margin[level - 1] : 0;
    }
    m->lo[level] = t->lo;
    m->margin[level] = t->margin;
    m->levels++;
    t->kid[0] = expression(m, depth - 1);
    if (kind == TREE_PROD) { /* the index must occur: 0^n has no derivative by a rule at n = 0 */
        Tree *sum = make(m, TREE_ADD), *x = make(m, TREE_X);
        x->index[0] = level;
        sum->kid[0] = t->kid[0];
        sum->kid[1] = x;
        t->kid[0] = sum;
    }
    m->levels--;
    return t;
}

static Tree *expression(Maker *m, int depth) {
    static const TreeKind kinds[] = {TREE_ADD,    TREE_ADD,     TREE_MUL, TREE_MUL, TREE_MUL,
                                     TREE_SQUARE, TREE_CUBE,    TREE_SIN, TREE_EXP, TREE_TANH,
                                     TREE_ROOT,   TREE_INVERSE, TREE_SUM, TREE_SUM, TREE_SUM,
                                     TREE_SUM,    TREE_PROD,    TREE_MAX, TREE_MIN, TREE_DELTA};
    if (depth <= 0)
        return leaf(m);
    TreeKind kind = kinds[draw(m, 20)];
    if (kind >= TREE_SUM)
        return m->levels < MOST_INDICES ? reduction(m, kind, depth) : leaf(m);
    Tree *t = make(m, kind);
    if (kind == TREE_DELTA) {
        for (int k = 0; k < 2 && m->levels; k++)
            t->index[k] = (int)draw(m, (uint32_t)m->levels);
        t->shift = (int)draw(m, 3) - 1;
        return t;
    }
    t->kid[0] = expression(m, depth - 1);
    if (kind == TREE_ADD || kind == TREE_MUL)
        t->kid[1] = expression(m, depth - 1);
    return t;
}

Tree *tree_random(Arena *arena, uint64_t seed, int depth) {
    Maker m = {.arena = arena, .seed = seed};
    return expression(&m, depth);
}

bool tree_jumps(const Tree *t) {
    return t->kind == TREE_MAX || t->kind == TREE_MIN || (t->kid[0] && tree_jumps(t->kid[0])) ||
           (t->kid[1] && tree_jumps(t->kid[1]));
}

/* ---- the naive meaning ---- */

typedef struct Scope {
    const TreePoint *at;
    int64_t index[MOST_INDICES];
    int levels;
} Scope;

static long double value(const Tree *t, Scope *s);

static int64_t index_value(const Tree *t, const Scope *s, int which) {
    return t->index[which] < 0 ? 1 : s->index[t->index[which]];
}

static long double reduce(const Tree *t, Scope *s) {
    long double total = t->kind == TREE_PROD ? 1 : 0;
    int64_t first = t->lo ? t->lo : s->index[s->levels - 1] + 1,
            last = t->below ? s->index[s->levels - 1] : s->at->d - t->margin;
    int level = s->levels++;
    for (int64_t i = first; i <= last; i++) {
        s->index[level] = i;
        long double v = value(t->kid[0], s);
        if (t->kind == TREE_SUM)
            total += v;
        else if (t->kind == TREE_PROD)
            total *= v;
        else if (i == first || (t->kind == TREE_MAX ? v > total : v < total))
            total = v;
    }
    s->levels--;
    return total;
}

static long double value(const Tree *t, Scope *s) {
    long double a = t->kid[0] && t->kind < TREE_SUM ? value(t->kid[0], s) : 0;
    switch (t->kind) {
    case TREE_NUMBER:
        return (long double)t->number;
    case TREE_X:
        return s->at->x[index_value(t, s, 0) + t->shift - 1];
    case TREE_C:
        return (long double)s->at->c[index_value(t, s, 0) + t->shift - 1];
    case TREE_TIME:
        return s->at->t;
    case TREE_INDEX:
        return (long double)index_value(t, s, 0) / 4;
    case TREE_DELTA:
        return index_value(t, s, 0) + t->shift == index_value(t, s, 1);
    case TREE_ADD:
        return a + value(t->kid[1], s);
    case TREE_MUL:
        return a * value(t->kid[1], s);
    case TREE_SQUARE:
        return a * a;
    case TREE_CUBE:
        return a * a * a;
    case TREE_SIN:
        return sinl(a);
    case TREE_EXP:
        return expl(sinl(a));
    case TREE_TANH:
        return tanhl(a);
    case TREE_ROOT:
        return sqrtl(1 + a * a);
    case TREE_INVERSE:
        return 1 / (1 + a * a);
    default:
        return reduce(t, s);
    }
}

long double tree_value(const Tree *t, const TreePoint *at) {
    Scope s = {.at = at};
    return value(t, &s);
}

/* ---- the IR's meaning ---- */

typedef struct Build {
    Compilation *c;
    Sym tensor;
    Ref index[MOST_INDICES];
    int levels;
} Build;

static Ref index_ref(const Build *b, const Tree *t, int which) {
    return t->index[which] < 0 ? ir_const(b->c->ir, 1) : b->index[t->index[which]];
}

static Ref build(Build *b, const Tree *t);

static Ref build_reduction(Build *b, const Tree *t) {
    Ir *ir = b->c->ir;
    static const Op ops[] = {OP_SUM, OP_PROD, OP_MAX, OP_MIN};
    Ref index = ir_fresh_index(ir), one = ir_const(ir, 1);
    Ref lo = t->lo ? ir_const(ir, t->lo) : ir_add2(ir, b->index[b->levels - 1], one);
    Ref hi = ir_sub(ir, b->c->problem->d, ir_const(ir, t->margin));
    if (t->below)
        hi = b->index[b->levels - 1];
    b->index[b->levels++] = index;
    Ref body = build(b, t->kid[0]);
    b->levels--;
    return ir_reduce(ir, ops[t->kind - TREE_SUM], index, lo, hi, body);
}

static Ref build(Build *b, const Tree *t) {
    Ir *ir = b->c->ir;
    Ref a = t->kid[0] && t->kind < TREE_SUM ? build(b, t->kid[0]) : 0;
    Ref at = ir_add2(ir, index_ref(b, t, 0), ir_const(ir, t->shift)), one = ir_const(ir, 1);
    switch (t->kind) {
    case TREE_NUMBER:
        return ir_const(ir, t->number);
    case TREE_X:
        return ir_indexed(ir, OP_SPACE, 0, 1, &at);
    case TREE_C:
        return ir_indexed(ir, OP_TENSOR, b->tensor, 1, &at);
    case TREE_TIME:
        return ir_atom(ir, OP_TIME, 0);
    case TREE_INDEX:
        return ir_div(ir, index_ref(b, t, 0), ir_const(ir, 4));
    case TREE_DELTA:
        return ir_delta(ir, at, index_ref(b, t, 1));
    case TREE_ADD:
        return ir_add2(ir, a, build(b, t->kid[1]));
    case TREE_MUL:
        return ir_mul2(ir, a, build(b, t->kid[1]));
    case TREE_SQUARE:
        return ir_powi(ir, a, 2);
    case TREE_CUBE:
        return ir_powi(ir, a, 3);
    case TREE_SIN:
        return ir_func(ir, FUNC_sin, 1, &a);
    case TREE_EXP:
        a = ir_func(ir, FUNC_sin, 1, &a);
        return ir_func(ir, FUNC_exp, 1, &a);
    case TREE_TANH:
        return ir_func(ir, FUNC_tanh, 1, &a);
    case TREE_ROOT:
        return ir_pow(ir, ir_add2(ir, one, ir_powi(ir, a, 2)), ir_const(ir, 0.5));
    case TREE_INVERSE:
        return ir_div(ir, one, ir_add2(ir, one, ir_powi(ir, a, 2)));
    default:
        return build_reduction(b, t);
    }
}

Ref tree_build(Compilation *c, const Tree *t, Sym tensor) {
    Build b = {.c = c, .tensor = tensor};
    return build(&b, t);
}
