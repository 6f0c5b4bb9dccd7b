/* written.c: see written.h. The square root is that of L D L': a rank for each coordinate that goes with later ones. */
#include "terms/written.h"

#include "base/compilation.h"

/* Is it [index = number]? */
static bool names(Ir *ir, Ref e, Ref index, double *number) {
    if (!ir_is(ir, e, OP_DELTA))
        return false;
    Ref gap = ir_kid(ir, e, 0);
    if (ir_is_const(ir, ir_add2(ir, gap, index), number))
        return true;
    return ir_is_const(ir, ir_sub(ir, index, gap), number);
}

static uint32_t place_of(Written *w, double number) {
    uint32_t k = 0;
    while (k < w->n && (w->at[k] < number || w->at[k] > number))
        k++;
    if (k == w->n && w->n < WRITTEN_MOST)
        w->at[w->n++] = number;
    return k;
}

static Ref entry_of(Ir *ir, const Written *w, uint32_t a, uint32_t b) {
    return w->entry[a][b] ? w->entry[a][b] : ir_const(ir, 0);
}

bool written_take(Ir *ir, Ref k, Ref l, Ref term, Written *w) {
    Ref rest = ir_const(ir, 1);
    double a = 0, b = 0, number;
    bool has_a = false, has_b = false;
    for (uint32_t j = 0; ir_is(ir, term, OP_MUL) && j < ir_arity(ir, term); j++) {
        Ref f = ir_kid(ir, term, j);
        if (!has_a && names(ir, f, k, &number))
            a = number, has_a = true;
        else if (!has_b && names(ir, f, l, &number))
            b = number, has_b = true;
        else
            rest = ir_mul2(ir, rest, f);
    }
    uint32_t row = has_a && has_b ? place_of(w, a) : WRITTEN_MOST;
    uint32_t column = row < WRITTEN_MOST ? place_of(w, b) : WRITTEN_MOST;
    if (column >= WRITTEN_MOST)
        return false;
    rest = ir_substitute(ir, ir_substitute(ir, rest, k, ir_const(ir, a)), l, ir_const(ir, b));
    w->entry[row][column] = ir_add2(ir, entry_of(ir, w, row, column), rest);
    return true;
}

/* What the diagonal says of a coordinate that has a mixed derivative belongs to its entries. */
static void take_diagonal(Ir *ir, Ref k, Written *w, Process *out) {
    for (uint32_t a = 0; a < w->n; a++) {
        Ref at = ir_const(ir, w->at[a]), own = ir_substitute(ir, out->diagonal, k, at);
        if (ir_is_number(ir, own, 0))
            continue;
        w->entry[a][a] = ir_add2(ir, entry_of(ir, w, a, a), own);
        out->diagonal = ir_sub(ir, out->diagonal, ir_mul2(ir, ir_delta(ir, k, at), out->diagonal));
    }
}

/* Are all entries what goes with the coordinates' product? Then x_k is taken out of them. */
static bool take_coordinates(Ir *ir, Written *w) {
    Ref left[WRITTEN_MOST][WRITTEN_MOST];
    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = 0; b < w->n; b++) {
            Ref i = ir_const(ir, w->at[a]), j = ir_const(ir, w->at[b]);
            Ref both =
                ir_mul2(ir, ir_indexed(ir, OP_SPACE, 0, 1, &i), ir_indexed(ir, OP_SPACE, 0, 1, &j));
            left[a][b] = ir_expand(ir, ir_div(ir, entry_of(ir, w, a, b), both));
            if (ir_contains(ir, left[a][b], OP_SPACE))
                return false;
        }
    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = 0; b < w->n; b++)
            w->entry[a][b] = left[a][b];
    return true;
}

static bool add_column(Ir *ir, Ref k, Written *w, uint32_t c, Ref scale, Process *out) {
    Ref pivot = entry_of(ir, w, c, c), at = ir_const(ir, w->at[c]);
    Ref vector = ir_mul2(ir, scale, ir_delta(ir, k, at));
    bool alone = true;
    for (uint32_t a = c + 1; a < w->n; a++) {
        Ref below = entry_of(ir, w, a, c), there = ir_const(ir, w->at[a]);
        if (ir_is_number(ir, below, 0))
            continue;
        if (ir_is_number(ir, pivot, 0))
            return false;
        alone = false;
        Ref part = ir_expand(ir, ir_div(ir, below, pivot));
        vector = ir_add2(ir, vector, ir_mul2(ir, ir_mul2(ir, scale, part), ir_delta(ir, k, there)));
        for (uint32_t b = c + 1; b < w->n; b++)
            w->entry[a][b] = ir_expand(
                ir, ir_sub(ir, entry_of(ir, w, a, b), ir_mul2(ir, part, entry_of(ir, w, c, b))));
    }
    if (alone) {
        Ref own = ir_mul2(ir, ir_mul2(ir, pivot, ir_powi(ir, scale, 2)), ir_delta(ir, k, at));
        out->diagonal = ir_add2(ir, out->diagonal, own);
        return true;
    }
    if (out->ranks == PROCESS_RANKS)
        return false;
    out->vector[out->ranks] = vector;
    out->strength[out->ranks++] = pivot;
    return true;
}

bool written_finish(Ir *ir, Ref k, Written *w, Process *out) {
    if (w->n == 0)
        return true;
    take_diagonal(ir, k, w, out);
    Ref scale = take_coordinates(ir, w) ? ir_indexed(ir, OP_SPACE, 0, 1, &k) : ir_const(ir, 1);
    for (uint32_t c = 0; c < w->n; c++)
        if (!add_column(ir, k, w, c, scale, out))
            return false;
    return true;
}
