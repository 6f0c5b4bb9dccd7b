/* jets.c: derivatives of the network as combinations of directional derivatives.
 *
 * A pure derivative is a directional one. A mixed derivative by two variables a and b comes by
 * polarisation from the directions a, b, a + s b; MIXED holds the coefficients, each row checked by the
 * tests against its Taylor expansion. They stay right when a and b are the same coordinate, so
 * the diagonal of a sum over pairs needs no case of its own. */
#include "plan/jets.h"

#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/tangent.h"
#include "plan/tangent_block.h"
#include "terms/sum_form.h"

/* The same but for the names of their indices? */
static bool same_entries(Ir *ir, const Block *a, const Block *b) {
    for (uint32_t k = 0; k < INPUT_VECTORS; k++) {
        Ref entries = b->entries[k];
        if (entries && a->index && b->index)
            entries = ir_substitute(ir, entries, b->index, a->index);
        if (a->entries[k] != entries)
            return false;
    }
    return memcmp(a->scalar, b->scalar, sizeof a->scalar) == 0;
}

static Ref in_place_of(Ir *ir, const Block *a, const Block *b, Ref e) {
    for (int j = 0; j < 2 && b->place[j]; j++)
        e = ir_substitute(ir, e, b->place[j], a->place[j]);
    return e;
}

static bool same_sparse(Ir *ir, const Block *a, const Block *b) {
    if (a->n_sparse != b->n_sparse)
        return false;
    for (uint32_t k = 0; k < a->n_sparse; k++)
        if (a->sparse[k].row != in_place_of(ir, a, b, b->sparse[k].row) ||
            a->sparse[k].value != in_place_of(ir, a, b, b->sparse[k].value))
            return false;
    return true;
}

uint32_t jets_block(Ir *ir, Route *route, Block block) {
    assert(block.kind < BLOCK_KIND_COUNT && block.order > 0);
    for (uint32_t k = 0; k < route->block.n; k++) {
        Block *b = &route->block.at[k];
        if (b->kind == block.kind && b->family == block.family && b->which == block.which &&
            b->with_scalar == block.with_scalar && b->neighbour == block.neighbour &&
            b->shift == block.shift && b->first == block.first && b->sign >= block.sign &&
            b->sign <= block.sign && same_entries(ir, b, &block) && same_sparse(ir, b, &block)) {
            if (block.order > b->order)
                b->order = block.order;
            b->apart |= block.apart;
            return k;
        }
    }
    VEC_PUSH(ir->arena, route->block, block);
    return route->block.n - 1;
}

/* ---- polarisation ---- */

/* MIXED_ROW(p, q, terms...): d^p/da^p d^q/db^q = sum of coef * D^(p+q)[direction], the direction given as
 * multiples of a and b. */
typedef struct MixedTerm {
    double a, b, coef;
} MixedTerm;

typedef struct MixedRow {
    uint32_t p, q, n;
    MixedTerm term[4];
} MixedRow;

static const MixedRow MIXED[] = {
    {1, 1, 2, {{1, 1, 1.0 / 4}, {1, -1, -1.0 / 4}}},
    {2, 1, 3, {{1, 1, 1.0 / 6}, {1, -1, -1.0 / 6}, {0, 1, -1.0 / 3}}},
    {1, 2, 3, {{1, 1, 1.0 / 6}, {1, -1, 1.0 / 6}, {1, 0, -1.0 / 3}}},
    {2, 2, 4, {{1, 1, 1.0 / 12}, {1, -1, 1.0 / 12}, {1, 0, -1.0 / 6}, {0, 1, -1.0 / 6}}},
    {3, 1, 4, {{1, 1, 1.0 / 6}, {1, -1, -1.0 / 6}, {1, 2, -1.0 / 48}, {1, -2, 1.0 / 48}}},
    {1, 3, 4, {{1, 2, 1.0 / 48}, {1, -2, -1.0 / 48}, {1, 1, -1.0 / 24}, {1, -1, 1.0 / 24}}},
};

static const MixedRow *mixed_row(uint32_t p, uint32_t q) {
    for (size_t k = 0; k < sizeof MIXED / sizeof *MIXED; k++)
        if (MIXED[k].p == p && MIXED[k].q == q)
            return &MIXED[k];
    return NULL;
}

/* ---- atoms ---- */

/* The distinct variables of an atom with their multiplicities. */
typedef struct Variables {
    uint32_t n;
    Ref at[3];
    uint32_t times[3];
} Variables;

static Variables variables_of(const Ir *ir, Ref atom) {
    Variables v = {0};
    for (uint32_t k = 0; k < ir_arity(ir, atom); k++) {
        Ref x = ir_kid(ir, atom, k);
        uint32_t j = 0;
        while (j < v.n && v.at[j] != x)
            j++;
        if (j == 3) {
            v.n = 4;
            return v;
        }
        if (j == v.n) {
            v.at[v.n++] = x;
            v.times[j] = 0;
        }
        v.times[j]++;
    }
    return v;
}

static void refuse_atom(Compilation *c, Route *route, Ref atom, const char *why) {
    if (route->unavailable)
        return;
    Text t = {.arena = &c->arena};
    ir_print(c->ir, atom, &t);
    text_printf(&t, ": %s", why);
    route->unavailable = text_cstr(&t);
    route->where = c->ir->origin.at[atom];
}

enum { HIGHEST_ORDER = 4, BLOCKS_MAX = 64 }; /* PDE_MAX_ORDER and PDE_MAX_BLOCKS of the engine */

/* The same for tangents; the axis of one scalar input where it is no more than that. */
static Block fixed_tangent(Compilation *c, const Variables *v, double a, double b, uint32_t order) {
    Ir *ir = c->ir;
    Block block = {.order = order, .family = -1};
    uint32_t parts = 0, slot = 0;
    tangent_push_fixed(ir, (Ref[2]){v->at[0], v->n > 1 ? v->at[1] : 0}, (double[2]){a, b}, &block);
    for (uint32_t k = 0; k < INPUT_VECTORS; k++)
        parts += block.entries[k] && !ir_is_number(ir, block.entries[k], 0);
    for (uint32_t k = 0; k < INPUT_SCALARS; k++)
        if (block.scalar[k]) {
            parts++;
            slot = k;
        }
    if (parts == 1 && block.scalar[slot] && ir_is_number(ir, block.scalar[slot], 1))
        return (Block){.kind = BLOCK_scalar, .order = order, .family = -1, .which = slot};
    block.kind = plan_dense_kind(ir, &block);
    return block;
}

/* A fixed direction a * first + b * second, where each is an entry of the vector or a scalar input. */
static Block fixed_direction(Compilation *c, const Variables *v, double a, double b,
                             uint32_t order) {
    assert(v->n >= 1 && v->n <= 2);
    Ir *ir = c->ir;
    Block block = {
        .order = order, .index = ir_fresh_index(ir), .entries = {ir_const(ir, 0)}, .family = -1};
    const double coef[2] = {a, b};
    Ref at;
    if (tangent_inputs(c->problem))
        return fixed_tangent(c, v, a, b, order);
    for (uint32_t k = 0; k < v->n && k < 2; k++) {
        if (coef[k] >= 0 && coef[k] <= 0)
            continue;
        if (input_entry(ir, v->at[k], &at))
            block.entries[0] =
                ir_add2(ir, block.entries[0],
                        ir_mul2(ir, ir_const(ir, coef[k]), ir_delta(ir, block.index, at)));
        else if (v->n == 1 || coef[1 - k] == 0)
            return (Block){.kind = BLOCK_scalar,
                           .order = order,
                           .family = -1,
                           .which = input_slot(c->problem, ir, v->at[k])};
        else
            block.scalar[input_slot(c->problem, ir, v->at[k])] = ir_const(ir, coef[k]);
    }
    block.kind = plan_dense_kind(ir, &block); /* the entry may be the point's own: argmax_i x_i */
    return block;
}

static bool add_jet(Compilation *c, Jets *jets, Jet jet) {
    assert(jet.atom);
    for (uint32_t k = 0; k < jets->n; k++)
        if (jets->at[k].atom == jet.atom)
            return false;
    VEC_PUSH(&c->arena, *jets, jet);
    return true;
}

static void jet_of_fixed_atom(Compilation *c, Route *route, Ref atom) {
    Ir *ir = c->ir;
    Variables v = variables_of(ir, atom);
    uint32_t order = ir_arity(ir, atom);
    Jet jet = {.kind = JET_LINEAR, .atom = atom, .output = (uint32_t)ir_id(ir, atom)};
    if (order > HIGHEST_ORDER) {
        refuse_atom(c, route, atom, "derivatives beyond the fourth order are not available");
        return;
    }
    if (v.n == 1) {
        jet.n = 1;
        jet.part[0] =
            (JetPart){jets_block(ir, route, fixed_direction(c, &v, 1, 0, order)), order, 1};
    } else if (v.n == 2) {
        const MixedRow *row = mixed_row(v.times[0], v.times[1]);
        jet.n = row->n;
        for (uint32_t k = 0; k < row->n; k++)
            jet.part[k] =
                (JetPart){jets_block(ir, route,
                                     fixed_direction(c, &v, row->term[k].a, row->term[k].b, order)),
                          order, row->term[k].coef};
    } else if (v.n > 2) {
        refuse_atom(c, route, atom,
                    "mixed derivatives by three or more different variables are not available");
        return;
    }
    add_jet(c, &route->jet, jet);
}

static bool known(const Jets *jets, Ref atom) {
    for (uint32_t k = 0; k < jets->n; k++)
        if (jets->at[k].atom == atom)
            return true;
    return false;
}

void jets_of_point(Compilation *c, Route *route, Ref e) {
    Atoms atoms = {0};
    collect_atoms(c->ir, e, &atoms);
    for (uint32_t k = 0; k < atoms.at.n; k++)
        if (!known(&route->jet, atoms.at.at[k]))
            jet_of_fixed_atom(c, route, atoms.at.at[k]);
}

/* ---- atoms under a sampled sum ---- */

/* What one variable of an atom is to the family: one of its indices (perhaps shifted), or a scalar. */
typedef struct Role {
    bool scalar;
    uint32_t which; /* index of the family, or place among the scalars */
    int64_t shift;
} Role;

static bool role_of(Ir *ir, const SampledSum *sum, uint32_t n_index, Ref variable, Role *role) {
    *role = (Role){0};
    Ref at;
    if (!input_entry(ir, variable, &at)) {
        role->scalar = true;
        role->which = input_slot(ir->c->problem, ir, variable);
        return true;
    }
    for (uint32_t k = 0; k < n_index; k++) {
        double shift;
        if (ir_is_const(ir, ir_sub(ir, at, sum->index[k]), &shift)) {
            role->which = k;
            role->shift = (int64_t)shift;
            return true;
        }
    }
    return false;
}

static Block unit_block(uint32_t family, Role role, uint32_t order) {
    if (role.scalar)
        return (Block){.kind = BLOCK_scalar, .order = order, .family = -1, .which = role.which};
    return (Block){.kind = BLOCK_unit,
                   .order = order,
                   .family = (int)family,
                   .which = role.which,
                   .shift = role.shift};
}

/* The direction a * first + b * second of a mixed derivative, up to the scale the engine's pairs have. */
static Block mixed_block(uint32_t family, const Role role[2], MixedTerm t, uint32_t order) {
    if (t.b >= 0 && t.b <= 0)
        return unit_block(family, role[0], order);
    if (t.a >= 0 && t.a <= 0)
        return unit_block(family, role[1], order);
    bool neighbour = !role[1].scalar && role[0].which == role[1].which;
    return (Block){.kind = BLOCK_pair,
                   .order = order,
                   .family = (int)family,
                   .sign = t.b,
                   .which = role[0].which,
                   .neighbour = neighbour,
                   .shift = neighbour ? role[1].shift : 0,
                   .first = role[0].shift,
                   .with_scalar = role[1].scalar ? (int)role[1].which : -1};
}

/* a * first + b * second of tangents that move with the sum, as a part of the jet. */
static bool add_tangent_part(Compilation *c, const Task *task, Route *route, const SampledSum *sum,
                             const Variables *v, MixedTerm t, uint32_t order, Jet *jet) {
    const Family *family = &task->family.at[sum->family];
    Block block = {.kind = BLOCK_sparse,
                   .order = order,
                   .family = (int)sum->family,
                   .place = {sum->index[0], sum->index[1]},
                   .sparse = NEW_ARRAY(&c->arena, SparseEntry, SPARSE_ENTRIES)};
    bool first = t.a < 0 || t.a > 0, second = v->n > 1 && (t.b < 0 || t.b > 0);
    const Ref tangent[2] = {first ? v->at[0] : v->at[1], first && second ? v->at[1] : 0};
    if (!tangent_sparse(c->ir, tangent, (double[2]){first ? t.a : t.b, t.b}, &block))
        return false;
    for (uint32_t k = 0; k < block.n_sparse; k++)
        block.sparse[k].value = plan_within(c->ir, family, sum->index, block.sparse[k].value);
    jet->part[jet->n++] = (JetPart){jets_block(c->ir, route, block), order, t.coef};
    return true;
}

static void jet_of_moving_tangents(Compilation *c, const Task *task, Route *route, SampledSum *sum,
                                   const Variables *v, Jet jet) {
    static const MixedTerm alone = {1, 0, 1};
    uint32_t order = ir_arity(c->ir, jet.atom);
    const MixedRow *row = v->n == 2 ? mixed_row(v->times[0], v->times[1]) : NULL;
    bool ok = true;
    for (uint32_t k = 0; ok && k < (row ? row->n : 1); k++)
        ok = add_tangent_part(c, task, route, sum, v, row ? row->term[k] : alone, order, &jet);
    if (ok)
        add_jet(c, &sum->jet, jet);
    else
        refuse_atom(c, route, jet.atom,
                    "one coordinate moves too many entries of the features: beside another "
                    "vector, each entry may depend on a few coordinates only");
}

static void jet_of_moving_atom(Compilation *c, const Task *task, Route *route, SampledSum *sum,
                               Ref atom) {
    Ir *ir = c->ir;
    Variables v = variables_of(ir, atom);
    uint32_t order = ir_arity(ir, atom), n_index = task->family.at[sum->family].n_index;
    Jet jet = {.kind = JET_LINEAR, .atom = atom, .output = (uint32_t)ir_id(ir, atom)};
    Role role[2];
    if (order > HIGHEST_ORDER || v.n > 2) {
        refuse_atom(
            c, route, atom,
            order > HIGHEST_ORDER
                ? "derivatives beyond the fourth order are not available"
                : "mixed derivatives by three or more different variables are not available");
        return;
    }
    if (tangent_inputs(c->problem)) {
        jet_of_moving_tangents(c, task, route, sum, &v, jet);
        return;
    }
    for (uint32_t k = 0; k < v.n; k++)
        if (!role_of(ir, sum, n_index, v.at[k], &role[k])) {
            refuse_atom(c, route, atom, "a derivative by a coordinate that is not the summed one");
            return;
        }
    bool neighbours =
        v.n == 2 && !role[0].scalar && !role[1].scalar && role[0].which == role[1].which;
    if (v.n == 2 &&
        (role[0].scalar ||
         (neighbours ? role[0].shift != 0
                     : role[0].which == 1 && !role[1].scalar))) { /* first index first */
        Role r = role[0];
        uint32_t times = v.times[0];
        role[0] = role[1], role[1] = r;
        v.times[0] = v.times[1], v.times[1] = times;
    }
    bool one_index = neighbours || (v.n == 2 && role[1].scalar && n_index == 1);
    if (v.n == 2 && !one_index && (role[0].shift != 0 || role[1].shift != 0 || role[1].scalar)) {
        refuse_atom(c, route, atom,
                    "a mixed derivative by shifted coordinates of a pair is not available");
        return;
    }
    if (v.n == 1) {
        Block unit = unit_block(sum->family, role[0], order);
        /* Do they count by their sum alone? Then the engine may turn the directions (rotate.h). */
        unit.apart = unit.shift != 0 || n_index != 1 ||
                     (order == 2 && ir_depends(ir, ir_diff(ir, sum->body, atom), sum->index[0]));
        jet.n = 1;
        jet.part[0] = (JetPart){jets_block(ir, route, unit), order, 1};
    } else {
        const MixedRow *row = mixed_row(v.times[0], v.times[1]);
        jet.n = row->n;
        for (uint32_t k = 0; k < row->n; k++)
            jet.part[k] = (JetPart){
                jets_block(ir, route, mixed_block(sum->family, role, row->term[k], order)), order,
                row->term[k].coef};
    }
    add_jet(c, &sum->jet, jet);
}

void jets_of_sum(Compilation *c, const Task *task, Route *route, SampledSum *sum) {
    assert(sum->family < task->family.n && sum->placeholder);
    Atoms atoms = {0};
    collect_atoms(c->ir, sum->body, &atoms);
    uint32_t n_index = task->family.at[sum->family].n_index;
    for (uint32_t k = 0; k < atoms.at.n; k++) {
        bool moves = false;
        for (uint32_t j = 0; j < n_index; j++)
            moves |= ir_depends(c->ir, atoms.at.at[k], sum->index[j]);
        if (moves)
            jet_of_moving_atom(c, task, route, sum, atoms.at.at[k]);
        else if (!known(&route->jet, atoms.at.at[k]))
            jet_of_fixed_atom(c, route, atoms.at.at[k]);
    }
}

/* ---- order of blocks ---- */

static void rename_blocks(Jets *jets, const uint32_t *place) {
    for (uint32_t k = 0; k < jets->n; k++)
        for (uint32_t j = 0; j < jets->at[k].n; j++)
            jets->at[k].part[j].block = place[jets->at[k].part[j].block];
}

void jets_sort_blocks(Route *route) {
    uint32_t n = route->block.n, used = 0, place[BLOCKS_MAX];
    Block sorted[BLOCKS_MAX];
    if (n > BLOCKS_MAX) {
        if (!route->unavailable)
            route->unavailable = "more than 64 kinds of directions in one residual";
        return;
    }
    for (uint32_t order = HIGHEST_ORDER; order >= 1; order--)
        for (uint32_t k = 0; k < n; k++)
            if (route->block.at[k].order == order) {
                place[k] = used;
                sorted[used++] = route->block.at[k];
            }
    if (n)
        memcpy(route->block.at, sorted, n * sizeof *sorted);
    rename_blocks(&route->jet, place);
    for (uint32_t s = 0; s < route->sum.n; s++)
        rename_blocks(&route->sum.at[s].jet, place);
}
