/* range.c: index expressions and the ranges of indices.
 *
 * An index takes its range from the first plain subscript it stands in; every other subscript must
 * agree with it or, when shifted, stay within its vector. The latter is checked at the end of the
 * statement, when all ranges are known (shape_finish), by interval arithmetic on expressions that
 * are linear in indices and one dimension. */
#include "base/compilation.h"
#include "check/shape.h"

#include <math.h>
#include <stdlib.h>

static bool linear_add(Linear *a, const Linear *b, int64_t sign) {
    Extent r = b->rest;
    if (a->rest.coef && r.coef && a->rest.dim != r.dim)
        return false;
    a->rest.dim = a->rest.coef ? a->rest.dim : r.dim;
    a->rest.coef += sign * r.coef;
    a->rest.constant += sign * r.constant;
    for (int i = 0; i < 2 && b->index[i]; i++) {
        int at = a->index[0] == b->index[i] || !a->index[0] ? 0 : 1;
        if (a->index[at] && a->index[at] != b->index[i])
            return false;
        a->index[at] = b->index[i];
        a->factor[at] += sign * b->factor[i];
    }
    return true;
}

static bool linear_scale(Linear *a, const Ast *by) {
    if (by->kind != AST_NUMBER || by->number != floor(by->number) || fabs(by->number) > 1000)
        return false;
    int64_t factor = (int64_t)by->number;
    a->rest.coef *= factor;
    a->rest.constant *= factor;
    a->factor[0] *= factor;
    a->factor[1] *= factor;
    return true;
}

static bool small(const Linear *l) {
    return llabs(l->rest.constant) < 1000000000000 && llabs(l->rest.coef) < 1000000000 &&
           llabs(l->factor[0]) < 1000000000 && llabs(l->factor[1]) < 1000000000;
}

bool range_linear(Checker *k, const Ast *e, const Binding *b, Linear *l) {
    Linear right = {0};
    *l = (Linear){0};
    const Binding *local;
    switch (e->kind) {
    case AST_NAME:
        local = binding_find(b, e->name);
        if (!local || !local->index)
            return !local && extent_of_expression(k->c, e, &l->rest);
        local->index->used = true;
        l->index[0] = local->index;
        l->factor[0] = 1;
        return true;
    case AST_NUMBER:
        return extent_of_expression(k->c, e, &l->rest);
    case AST_NEG:
        return range_linear(k, e->kid[0], b, &right) && linear_add(l, &right, -1);
    case AST_ADD:
    case AST_SUB:
        return range_linear(k, e->kid[0], b, l) && range_linear(k, e->kid[1], b, &right) &&
               linear_add(l, &right, e->kind == AST_ADD ? 1 : -1) && small(l);
    case AST_MUL:
        if (e->kid[0]->kind == AST_NUMBER)
            return range_linear(k, e->kid[1], b, l) && linear_scale(l, e->kid[0]) && small(l);
        return range_linear(k, e->kid[0], b, l) && linear_scale(l, e->kid[1]) && small(l);
    default:
        return false;
    }
}

/* The least or largest value of an index expression as an extent. Ranges may lean on outer
 * indices, so this goes on until none is left. */
static bool linear_bound(const Linear *l, bool upper, int depth, Extent *bound) {
    Linear sum = {.rest = l->rest};
    for (int i = 0; i < 2; i++) {
        const IndexVar *v = l->index[i];
        if (!v || l->factor[i] == 0)
            continue;
        Extent end;
        bool high = upper == (l->factor[i] > 0);
        if (!v->known || depth == 8 || !linear_bound(high ? &v->hi : &v->lo, high, depth + 1, &end))
            return false;
        Linear scaled = {.rest = {end.dim, end.coef * l->factor[i], end.constant * l->factor[i]}};
        if (!small(&scaled) || !linear_add(&sum, &scaled, 1))
            return false;
    }
    *bound = sum.rest;
    return true;
}

/* a <= b for every value of the dimension if it cancels, else for the stated values. */
static bool extent_at_most(Compilation *c, Extent a, Extent b) {
    double left, right;
    if (a.coef == b.coef && (a.coef == 0 || a.dim == b.dim))
        return a.constant <= b.constant;
    return extent_value(c, a, &left) && extent_value(c, b, &right) && left <= right;
}

static void check_use(Checker *k, const SubscriptUse *use) {
    Compilation *c = k->c;
    Extent low, high;
    for (int i = 0; i < 2; i++)
        if (use->at.index[i] && !use->at.index[i]->known)
            return; /* its range is what was reported */
    if (!linear_bound(&use->at, false, 0, &low) || !linear_bound(&use->at, true, 0, &high)) {
        diag(c, E0410, use->span);
        return;
    }
    bool fits = extent_at_most(c, high, use->extent);
    bool starts = extent_at_most(c, (Extent){.constant = 1}, low);
    if (fits && starts)
        return;
    Diag *d = diag(c, E0408, use->span, (int)use->base.n, use->base.s,
                   extent_text(c, starts ? high : low), (int)use->base.n, use->base.s,
                   extent_text(c, use->extent));
    for (int i = 0; i < 2; i++)
        if (use->at.index[i])
            diag_also(c, d, use->at.index[i]->span, "this index runs too far");
    diag_note(c, d, "entries count from 1");
}

void shape_finish(Checker *k) {
    for (uint32_t i = 0; i < k->uses.n; i++)
        check_use(k, &k->uses.at[i]);
    k->uses.n = 0;
}

void range_clash(Checker *k, const IndexVar *v, Span span, Str base, Extent extent) {
    Compilation *c = k->c;
    Str name = sym_str(c, v->name), first = sym_str(c, v->by_name);
    Diag *d =
        diag(c, E0407, shape_where(k, span), (int)first.n, first.s, extent_text(c, v->by_extent),
             (int)base.n, base.s, extent_text(c, extent), (int)name.n, name.s);
    diag_label(c, d, "%s entries", extent_text(c, extent));
    if (!k->in_library) {
        diag_also(c, d, v->by_span, "%s entries", extent_text(c, v->by_extent));
        diag_also(c, d, v->span, "one range for both");
    }
    diag_note(c, d, "write the range: sum_{%.*s=1..%s}", (int)name.n, name.s,
              extent_formula(c, extent.coef == v->by_extent.coef &&
                                        extent.constant < v->by_extent.constant
                                    ? extent
                                    : v->by_extent));
}

/* The indices of a subscript that was reported: used, and their ranges not asked for again. */
static void give_up_range(const Ast *e, const Binding *b) {
    const Binding *local = e->kind == AST_NAME ? binding_find(b, e->name) : NULL;
    if (local && local->index) {
        local->index->used = true;
        local->index->explicit_range = true;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i])
            give_up_range(e->kid[i], b);
}

/* One subscript of something with this extent: infers the index's range or notes a use. */
void range_use(Checker *k, const Ast *e, const Binding *b, const Ast *base, Extent extent,
               bool local) {
    Linear l;
    Str name = base->kind == AST_NAME ? sym_str(k->c, base->name) : shape_quoted(k, base->span);
    if (!range_linear(k, e, b, &l)) {
        diag(k->c, E0410, shape_where(k, e->span));
        give_up_range(e, b);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (l.index[i])
            l.index[i]->used_in_subscript = true;
    IndexVar *v = l.index[0];
    bool bare = v && !l.index[1] && l.factor[0] == 1 && l.rest.coef == 0 && l.rest.constant == 0;
    if (bare && !v->explicit_range) {
        if (!v->known) {
            v->known = true;
            v->lo = (Linear){.rest = {.constant = 1}};
            v->hi = (Linear){.rest = extent};
            v->from_local = local;
            v->by_name = base->name;
            v->by_span = base->span;
            v->by_extent = extent;
        } else if (!extent_same(v->by_extent, extent)) {
            range_clash(k, v, base->span, name, extent);
        }
        return;
    }
    SubscriptUse use = {.at = l,
                        .extent = extent,
                        .span = shape_where(k, e->span),
                        .base_span = base->span,
                        .base = name};
    VEC_PUSH(&k->c->arena, k->uses, use);
}

/* ---- vectors given by their entries --------------------------------------------------------- */

/* Narrows the range of v to where one subscript of it exists; false: that is no range of one dimension. */
static bool narrow_to_use(IndexVar *v, const SubscriptUse *use) {
    const Linear *l = &use->at;
    int at = l->index[0] == v ? 0 : 1;
    if (l->index[1 - at] || l->factor[at] != 1 || l->rest.coef)
        return false;
    Extent end = use->extent;
    end.constant -= l->rest.constant;
    int64_t start = 1 - l->rest.constant;
    if (!v->known) {
        v->known = true;
        v->lo = (Linear){.rest = {.constant = start > 1 ? start : 1}};
        v->hi = (Linear){.rest = end};
        return true;
    }
    Extent *hi = &v->hi.rest;
    if (hi->coef != end.coef || (hi->coef && hi->dim != end.dim))
        return false;
    if (start > v->lo.rest.constant)
        v->lo.rest.constant = start;
    if (end.constant < hi->constant)
        hi->constant = end.constant;
    return true;
}

Shape range_entries(Checker *k, const Ast *e, const Binding *b) {
    const Ast *range = e->kid[0];
    IndexVar *v = NEW(&k->c->arena, IndexVar);
    uint32_t first = k->uses.n;
    bool countable = true;
    *v = (IndexVar){.name = range->name, .span = range->name_span, .explicit_range = true};
    if (range->kid[0] && range->kid[1]) /* stated: the entries of a vector field */
        v->known = range_linear(k, range->kid[0], NULL, &v->lo) &&
                   range_linear(k, range->kid[1], NULL, &v->hi);
    Binding inner = {.outer = b, .name = v->name, .index = v};
    shape_scalar(k, e->kid[1], &inner);
    for (uint32_t i = first; i < k->uses.n; i++) {
        const SubscriptUse *use = &k->uses.at[i];
        if (use->at.index[0] == v || use->at.index[1] == v)
            countable = countable && narrow_to_use(v, use);
    }
    Shape s = {.rank = 1};
    bool empty = countable && v->known && !extent_at_most(k->c, v->lo.rest, v->hi.rest);
    if (!countable || !v->known || empty) {
        Str name = sym_str(k->c, v->name);
        diag(k->c, E0434, e->span, (int)name.n, name.s,
             empty ? "what it subscripts is too short"
                   : "it must stand in subscripts, as it is or shifted by a number");
        v->known = false;
        return s;
    }
    range->kid[0] = extent_ast(k->c, v->lo.rest, range->span);
    range->kid[1] = extent_ast(k->c, v->hi.rest, range->span);
    s.extent[0] = v->hi.rest;
    s.extent[0].constant -= v->lo.rest.constant - 1;
    return s;
}
