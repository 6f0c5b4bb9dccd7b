/* algebra.c: constructors of sums, products, powers and functions, simplifying as they build.
 *
 * Normal forms: a sum holds no sums and collects equal terms by their coefficient; a product holds
 * no products, at most one leading exact constant, and each base once with its exponents added; a
 * lone constant times a sum is distributed. Rules keep values and never shrink domains. Constants
 * are folded only when the result is exact. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_internal.h"

Ref ir_const(Ir *ir, double v) {
    union {
        double number;
        uint64_t id;
    } bits = {.number = v + 0.0}; /* -0 becomes 0: one zero */
    return ir_intern(ir, OP_CONST, bits.id, 0, NULL);
}

Ref ir_atom(Ir *ir, Op op, uint64_t id) {
    return ir_intern(ir, op, id, 0, NULL);
}

static int compare_refs(const void *a, const void *b) {
    Ref x = *(const Ref *)a, y = *(const Ref *)b;
    return (x > y) - (x < y);
}

Ref ir_indexed(Ir *ir, Op op, uint64_t id, uint32_t n, const Ref *indices) {
    assert(n <= LIMIT_KIDS);
    if (op != OP_FIELD && op != OP_NET && op != OP_TANGENT)
        return ir_intern(ir, op, id, n, indices);
    Ref sorted[LIMIT_KIDS]; /* partial derivatives commute: one order for each */
    if (n > LIMIT_KIDS)
        arena_fail(ir->arena, ARENA_FAIL_LIMIT);
    if (n)
        memcpy(sorted, indices, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_refs);
    return ir_intern(ir, op, id, n, sorted);
}

/* a + b and a * b where the result is exact. */
static bool exact_add(double a, double b, double *out) {
    double s = a + b, bb = s - a;
    double err = (a - (s - bb)) + (b - bb);
    *out = s;
    return isfinite(s) && err >= 0 && err <= 0;
}

/* Mantissas and exponents apart, so that the error of a tiny product does not vanish unseen. */
static bool exact_mul(double a, double b, double *out) {
    int ea, eb;
    double ma = frexp(a, &ea), mb = frexp(b, &eb), m = ma * mb, err = fma(ma, mb, -m);
    *out = ldexp(m, ea + eb);
    double back = ldexp(*out, -(ea + eb));
    return isfinite(*out) && err >= 0 && err <= 0 && back >= m && back <= m;
}

/* ---- sums ---- */

typedef struct Part {
    Ref key;      /* what is collected: the rest of a term, the base of a factor */
    double value; /* its coefficient or exponent */
} Part;

static int compare_parts(const void *a, const void *b) {
    const Part *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

typedef VEC(Part) Parts;

static void sort_parts(Parts *p) {
    if (p->n > 1)
        qsort(p->at, p->n, sizeof *p->at, compare_parts);
}

double ir_coefficient(Ir *ir, Ref e, Ref *rest) {
    assert(e > 0 && rest);
    double c = 1;
    *rest = e;
    if (ir_is_const(ir, e, &c)) {
        *rest = ir_const(ir, 1);
        return c;
    }
    if (ir_is(ir, e, OP_MUL) && ir_is_const(ir, ir_kid(ir, e, 0), &c)) {
        uint32_t n = ir_arity(ir, e);
        if (n == 2) {
            *rest = ir_kid(ir, e, 1);
        } else {
            Ref *kids = NEW_ARRAY(ir->arena, Ref, n - 1);
            for (uint32_t k = 1; k < n; k++)
                kids[k - 1] = ir_kid(ir, e, k);
            *rest = ir_intern(ir, OP_MUL, 0, n - 1, kids);
        }
        return c;
    }
    return 1;
}

static void gather_terms(Ir *ir, Parts *parts, Ref e) {
    if (ir_is(ir, e, OP_ADD)) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            gather_terms(ir, parts, ir_kid(ir, e, k));
        return;
    }
    Part part;
    part.value = ir_coefficient(ir, e, &part.key);
    VEC_PUSH(ir->arena, *parts, part);
}

/* Adds up neighbours with the same key where that is exact; returns how many parts are left. */
static uint32_t collect(Parts *p) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        double s;
        if (out && p->at[out - 1].key == p->at[i].key &&
            exact_add(p->at[out - 1].value, p->at[i].value, &s))
            p->at[out - 1].value = s;
        else
            p->at[out++] = p->at[i];
    }
    return out;
}

static Ref scale(Ir *ir, double c, Ref rest) {
    if (ir_is_number(ir, rest, 1))
        return ir_const(ir, c);
    if (c >= 1 && c <= 1)
        return rest;
    Ref pair[2] = {ir_const(ir, c), rest};
    return ir_mul(ir, 2, pair);
}

static Ref finish(Ir *ir, Op op, uint32_t n, Ref *kids, double empty) {
    if (n == 0)
        return ir_const(ir, empty);
    if (n == 1)
        return kids[0];
    qsort(kids, n, sizeof *kids, compare_refs);
    return ir_intern(ir, op, 0, n, kids);
}

Ref ir_add(Ir *ir, uint32_t n, const Ref *terms) {
    assert(n == 0 || terms);
    Parts parts = {0};
    for (uint32_t i = 0; i < n; i++)
        gather_terms(ir, &parts, terms[i]);
    sort_parts(&parts);
    uint32_t left = collect(&parts);
    Ref *kids = NEW_ARRAY(ir->arena, Ref, left + 1);
    uint32_t used = 0;
    for (uint32_t i = 0; i < left; i++)
        if (parts.at[i].value < 0 || parts.at[i].value > 0)
            kids[used++] = scale(ir, parts.at[i].value, parts.at[i].key);
    return finish(ir, OP_ADD, used, kids, 0);
}

Ref ir_add2(Ir *ir, Ref a, Ref b) {
    return ir_add(ir, 2, (Ref[]){a, b});
}
Ref ir_neg(Ir *ir, Ref a) {
    return ir_mul2(ir, ir_const(ir, -1), a);
}
Ref ir_sub(Ir *ir, Ref a, Ref b) {
    return ir_add2(ir, a, ir_neg(ir, b));
}
Ref ir_mul2(Ir *ir, Ref a, Ref b) {
    return ir_mul(ir, 2, (Ref[]){a, b});
}
Ref ir_div(Ir *ir, Ref a, Ref b) {
    return ir_mul2(ir, a, ir_powi(ir, b, -1));
}
Ref ir_powi(Ir *ir, Ref a, int n) {
    return ir_pow(ir, a, ir_const(ir, n));
}

/* ---- products ---- */

typedef struct Product {
    Parts bases;        /* base and constant exponent */
    Parts constants;    /* constants that could not be folded exactly; key unused */
    VEC(Ref) exponents; /* arguments of exp() factors */
    bool zero;
} Product;

static void gather_factor(Ir *ir, Product *p, Ref e) {
    double c;
    if (ir_is(ir, e, OP_MUL)) {
        for (uint32_t k = 0; k < ir_arity(ir, e); k++)
            gather_factor(ir, p, ir_kid(ir, e, k));
        return;
    }
    if (ir_is_const(ir, e, &c)) {
        double folded;
        if (c >= 0 && c <= 0)
            p->zero = true;
        else if (p->constants.n && exact_mul(p->constants.at[p->constants.n - 1].value, c, &folded))
            p->constants.at[p->constants.n - 1].value = folded;
        else
            VEC_PUSH(ir->arena, p->constants, ((Part){0, c}));
        return;
    }
    if (ir_is(ir, e, OP_FUNC) && ir_id(ir, e) == FUNC_exp) {
        VEC_PUSH(ir->arena, p->exponents, ir_kid(ir, e, 0));
        return;
    }
    Part part = {e, 1};
    if (ir_is(ir, e, OP_POW) && ir_is_const(ir, ir_kid(ir, e, 1), &c))
        part = (Part){ir_kid(ir, e, 0), c};
    VEC_PUSH(ir->arena, p->bases, part);
}

static bool is_indicator(const Ir *ir, Ref e) {
    return ir_is(ir, e, OP_DELTA) || ir_is(ir, e, OP_IN);
}

/* A constant alone times a sum: written out, so that equal terms meet. */
static Ref distribute_constant(Ir *ir, double c, Ref sum) {
    uint32_t n = ir_arity(ir, sum);
    Ref *terms = NEW_ARRAY(ir->arena, Ref, n);
    for (uint32_t k = 0; k < n; k++) {
        Ref rest;
        double own = ir_coefficient(ir, ir_kid(ir, sum, k), &rest), folded;
        if (!exact_mul(c, own, &folded))
            return 0;
        terms[k] = scale(ir, folded, rest);
    }
    return ir_add(ir, n, terms);
}

Ref ir_mul(Ir *ir, uint32_t n, const Ref *factors) {
    assert(n == 0 || factors);
    Product p = {0};
    for (uint32_t i = 0; i < n; i++)
        gather_factor(ir, &p, factors[i]);
    if (p.zero)
        return ir_const(ir, 0);
    if (p.exponents.n) { /* exp(a) exp(b) = exp(a + b): neither over- nor underflows on the way */
        Ref e = ir_func(ir, FUNC_exp, 1, (Ref[]){ir_add(ir, p.exponents.n, p.exponents.at)});
        p.exponents.n = 0;
        if (ir_is(ir, e, OP_FUNC))
            VEC_PUSH(ir->arena, p.bases, ((Part){e, 1}));
        else
            gather_factor(ir, &p, e);
    }
    sort_parts(&p.bases);
    uint32_t left = collect(&p.bases);
    Ref *kids = NEW_ARRAY(ir->arena, Ref, left + p.constants.n + 1);
    uint32_t used = 0;
    bool again = false;
    for (uint32_t i = 0; i < left; i++) {
        Part part = p.bases.at[i];
        if (is_indicator(ir, part.key))
            part.value = 1; /* 0 or 1: idempotent */
        if (part.value >= 0 && part.value <= 0)
            continue;
        Ref f = ir_pow(ir, part.key, ir_const(ir, part.value));
        again |= ir_is(ir, f, OP_MUL) || ir_is(ir, f, OP_CONST);
        kids[used++] = f;
    }
    double c = 1;
    if (p.constants.n) {
        c = p.constants.at[0].value;
        for (uint32_t i = 1; i < p.constants.n; i++)
            kids[used++] = ir_const(ir, p.constants.at[i].value);
    }
    bool has_constant = c < 1 || c > 1;
    if (again) { /* a power fell apart into a product: gather once more */
        if (has_constant)
            kids[used++] = ir_const(ir, c);
        return ir_mul(ir, used, kids);
    }
    if (has_constant && used == 1 && ir_is(ir, kids[0], OP_ADD)) {
        Ref sum = distribute_constant(ir, c, kids[0]);
        if (sum)
            return sum;
    }
    if (!has_constant)
        return finish(ir, OP_MUL, used, kids, 1);
    if (used == 0)
        return ir_const(ir, c);
    qsort(kids, used, sizeof *kids, compare_refs);
    memmove(kids + 1, kids,
            used * sizeof *kids); /* the constant leads: ir_coefficient relies on it */
    kids[0] = ir_const(ir, c);
    return ir_intern(ir, OP_MUL, 0, used + 1, kids);
}

/* ---- powers and functions ---- */

static bool is_integer(double v) {
    return fabs(v) < 1e9 && v - floor(v) <= 0;
}

static bool fold_power(double b, double e, double *out) {
    if (!is_integer(e) || fabs(e) > 64)
        return false;
    double r = 1;
    for (int k = 0; k < (int)fabs(e); k++)
        if (!exact_mul(r, b, &r))
            return false;
    if (e < 0) {
        double inverse = 1 / r, check;
        if (!isfinite(inverse) || !exact_mul(inverse, r, &check) || check < 1 || check > 1)
            return false;
        r = inverse;
    }
    *out = r;
    return true;
}

Ref ir_pow(Ir *ir, Ref base, Ref exponent) {
    assert(base > 0 && exponent > 0);
    double e, b, folded;
    if (ir_is_const(ir, exponent, &e)) {
        if (e >= 0 && e <= 0)
            return ir_const(ir, 1);
        if (e >= 1 && e <= 1)
            return base;
        if (is_indicator(ir, base) && e > 0)
            return base;
        if (ir_is_const(ir, base, &b)) {
            if (b >= 1 && b <= 1)
                return base;
            if (fold_power(b, e, &folded))
                return ir_const(ir, folded);
        }
        if (ir_is(ir, base, OP_FUNC) && ir_id(ir, base) == FUNC_exp) {
            Ref arg = ir_mul2(ir, exponent, ir_kid(ir, base, 0));
            return ir_func(ir, FUNC_exp, 1, &arg);
        }
        if (is_integer(e)) {
            double inner, product;
            if (ir_is(ir, base, OP_POW) && ir_is_const(ir, ir_kid(ir, base, 1), &inner) &&
                exact_mul(inner, e, &product))
                return ir_pow(ir, ir_kid(ir, base, 0), ir_const(ir, product));
            if (ir_is(ir, base, OP_MUL)) {
                uint32_t n = ir_arity(ir, base);
                Ref *kids = NEW_ARRAY(ir->arena, Ref, n);
                for (uint32_t k = 0; k < n; k++)
                    kids[k] = ir_pow(ir, ir_kid(ir, base, k), exponent);
                return ir_mul(ir, n, kids);
            }
        }
    }
    return ir_intern(ir, OP_POW, 0, 2, (Ref[]){base, exponent});
}

/* f(v) for the constants where the value is exact. */
static bool fold_function(Func f, double v, double *out) {
    bool zero = v >= 0 && v <= 0, one = v >= 1 && v <= 1;
    switch (f) {
    case FUNC_sin:
    case FUNC_tan:
    case FUNC_asin:
    case FUNC_atan:
    case FUNC_sinh:
    case FUNC_tanh:
    case FUNC_expm1:
    case FUNC_log1p:
    case FUNC_erf:
        *out = 0;
        return zero;
    case FUNC_cos:
    case FUNC_cosh:
    case FUNC_exp:
    case FUNC_erfc:
        *out = 1;
        return zero;
    case FUNC_log:
    case FUNC_acos:
        *out = 0;
        return one;
    case FUNC_abs:
        *out = fabs(v);
        return true;
    case FUNC_sign:
        *out = (v > 0) - (v < 0);
        return true;
    case FUNC_step:
        *out = v >= 0;
        return true;
    default:
        return false;
    }
}

Ref ir_func(Ir *ir, Func f, uint32_t n, const Ref *args) {
    assert(f < FUNC_COUNT && n > 0);
    double v, w, folded;
    if (n == 1 && ir_is_const(ir, args[0], &v) && fold_function(f, v, &folded))
        return ir_const(ir, folded);
    if (n == 1 && ir_is(ir, args[0], OP_FUNC)) {
        Func inner = (Func)ir_id(ir, args[0]);
        if ((f == FUNC_log && inner == FUNC_exp) || (f == FUNC_exp && inner == FUNC_log))
            return ir_kid(ir, args[0], 0);
    }
    if (n == 2 && ir_is_const(ir, args[0], &v) && ir_is_const(ir, args[1], &w)) {
        if (f == FUNC_max)
            return ir_const(ir, v >= w ? v : w);
        if (f == FUNC_min)
            return ir_const(ir, v <= w ? v : w);
    }
    return ir_intern(ir, OP_FUNC, f, n, args);
}
