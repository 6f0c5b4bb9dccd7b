/* ascent.c: see ascent.h. With q_b the adjoints of a direction v_b(x) (b = blocks: of the inputs y(x) themselves)
 * the gradient of sum_e R_e^2 / 2 is
 *     sum_e R_e * (partial R_e + sum_s dR_e/dS_s * partial S_s) + sum_b grad_x (q_b . v_b(x)),
 * where S_s = sum_k m_k body_k is a sampled sum written over all k, with weights m_k that vanish outside the sample:
 * so the index calculus of diff.c makes everything O(d). */
#include "plan/ascent.h"

#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/tangent.h"

/* Atoms that only this file's kernel knows: $p.. a frozen number, $j.. a frozen array, $q.. an adjoint. */
static Ref atom(Compilation *c, char kind, uint32_t number, Ref index) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "$%c%u", kind, number);
    return ir_indexed(c->ir, OP_AUX, intern_cstr(c, text_cstr(&t)), index ? 1 : 0, &index);
}

static bool is_asked(const Compilation *c) {
    const Ast *solve = c->problem->solve;
    for (uint32_t k = 0; solve && k < solve->n; k++)
        if (strcmp(sym_cstr(c, solve->kid[k]->name), "attack") == 0)
            return true;
    return false;
}

/* ---- freezing ---- */

typedef struct Freeze {
    const Route *route;
    const SampledSum *sum; /* whose body it is, or NULL */
    uint32_t array;
} Freeze;

static Ref freeze_node(Ir *ir, Ref e, void *context) {
    const Freeze *f = context;
    for (uint32_t k = 0; k < f->route->jet.n; k++)
        if (f->route->jet.at[k].atom == e)
            return atom(ir->c, 'p', k, 0);
    for (uint32_t s = 0; s < f->route->sum.n; s++)
        if (f->route->sum.at[s].placeholder == e)
            return atom(ir->c, 'p', f->route->jet.n + s, 0);
    for (uint32_t k = 0; f->sum && k < f->sum->jet.n; k++)
        if (f->sum->jet.at[k].atom == e)
            return atom(ir->c, 'j', f->array + 1 + k, f->sum->index[0]);
    return 0;
}

static Ref freeze(Compilation *c, Ref e, Freeze f) {
    return ir_rewrite(c->ir, e, freeze_node, &f);
}

/* ---- parts of the gradient ---- */

typedef struct Builder {
    Compilation *c;
    const Route *route;
    Ascent *out;
    Ref variable[2]; /* x_index, t */
    Ref total[2];
    uint32_t n; /* of variables: 1 without time */
} Builder;

static void add(Builder *b, Ref factor, Ref e) {
    Ir *ir = b->c->ir;
    for (uint32_t k = 0; k < b->n; k++)
        b->total[k] = ir_add2(ir, b->total[k], ir_mul2(ir, factor, ir_diff(ir, e, b->variable[k])));
}

static bool moves(Builder *b, Ref e) {
    for (uint32_t k = 0; k < b->n; k++)
        if (!ir_is_number(b->c->ir, ir_diff(b->c->ir, e, b->variable[k]), 0))
            return true;
    return false;
}

static void refuse(Builder *b, const char *why) {
    if (!b->out->unavailable)
        b->out->unavailable = why;
}

/* The sampled sum over all k, with its weights; 0: its terms do not depend on the point by themselves. */
static Ref masked_sum(Builder *b, const Task *task, uint32_t s) {
    assert(s < b->route->sum.n);
    Ir *ir = b->c->ir;
    const SampledSum *sum = &b->route->sum.at[s];
    const Family *family = &task->family.at[sum->family];
    uint32_t array = b->out->arrays;
    Ref body = freeze(b->c, sum->body, (Freeze){b->route, sum, array});
    b->out->array[s] = UINT32_MAX;
    if (!moves(b, body))
        return 0;
    if (family->n_index != 1 || !ir_provably_le(ir, ir_const(ir, 1), family->lo[0]) ||
        !ir_provably_le(ir, family->hi[0], b->c->problem->d)) {
        refuse(b, "a sum over pairs (or over more than the coordinates) has coefficients that "
                  "depend on the point");
        return 0;
    }
    b->out->array[s] = array;
    b->out->arrays += 1 + sum->jet.n;
    body = ir_mul2(ir, atom(b->c, 'j', array, sum->index[0]), body);
    return ir_reduce(ir, OP_SUM, sum->index[0], family->lo[0], family->hi[0], body);
}

static void add_residuals(Builder *b, const Task *task) {
    Ir *ir = b->c->ir;
    const Route *r = b->route;
    Ref *whole = NEW_ARRAY(&b->c->arena, Ref, r->sum.n + 1);
    b->out->array = NEW_ARRAY(&b->c->arena, uint32_t, r->sum.n + 1);
    for (uint32_t s = 0; s < r->sum.n; s++)
        whole[s] = masked_sum(b, task, s);
    for (uint32_t e = 0; e < task->n_residuals; e++) {
        Ref residual = freeze(b->c, r->residual[e], (Freeze){.route = r});
        Ref factor = atom(b->c, 'p', r->jet.n + r->sum.n + e, 0);
        add(b, factor, residual);
        for (uint32_t s = 0; s < r->sum.n; s++)
            if (whole[s])
                add(b, ir_mul2(ir, factor, ir_diff(ir, residual, atom(b->c, 'p', r->jet.n + s, 0))),
                    whole[s]);
    }
}

/* q . v of a direction, or of the network's inputs. */
static void add_inputs(Builder *b, uint32_t number, Ref index, const Ref *entries,
                       const Ref *scalar) {
    assert(entries && scalar);
    Compilation *c = b->c;
    Ir *ir = c->ir;
    Ref one = ir_const(ir, 1), vector = input_vector_rows(c->problem, ir);
    for (uint32_t k = 0; k < input_vectors(c->problem); k++) {
        Ref row = ir_add2(ir, input_vector_row(c->problem, ir, k), index);
        Ref term = ir_mul2(ir, atom(c, 'q', number, row), entries[k]);
        add(b, one, ir_reduce(ir, OP_SUM, index, one, input_vector_size(c->problem, k), term));
    }
    for (uint32_t k = 0; k < input_scalars(c->problem); k++)
        if (scalar[k])
            add(b, atom(c, 'q', number, ir_add2(ir, vector, ir_const(ir, k + 1))), scalar[k]);
}

static void add_network(Builder *b) {
    const Problem *p = b->c->problem;
    Ir *ir = b->c->ir;
    Ref index = ir_fresh_index(ir),
        entries[INPUT_VECTORS] = {ir_indexed(ir, OP_SPACE, 0, 1, &index)};
    uint32_t vectors = 0;
    Ref scalar[INPUT_SCALARS] = {p->time ? ir_atom(ir, OP_TIME, 0) : 0};
    if (p->features) {
        for (uint32_t k = 0; k < p->features->at.n; k++) {
            const Feature *f = &p->features->at.at[k];
            if (f->index)
                entries[vectors++] = ir_substitute(ir, f->value, f->index, index);
            else
                scalar[input_slot(p, ir, ir_indexed(ir, OP_INPUT, k, 0, NULL))] = f->value;
        }
    }
    add_inputs(b, b->route->block.n, index, entries, scalar);
}

static void add_directions(Builder *b) {
    for (uint32_t k = 0; k < b->route->block.n; k++) {
        const Block *block = &b->route->block.at[k];
        if (block->kind == BLOCK_point_dense)
            add_inputs(b, k, block->index, block->entries, block->scalar);
        if (block->kind == BLOCK_sparse ||
            (block->kind == BLOCK_gradient && tangent_inputs(b->c->problem)))
            refuse(b, "the directions of several vectors of features depend on the point");
        if (block->kind == BLOCK_gradient &&
            moves(b,
                  ir_substitute(b->c->ir, block->entries[0], block->atom, atom(b->c, 'p', 0, 0))))
            refuse(b, "a function of the gradient depends on the point as well");
    }
}

Ascent *ascent_build(Compilation *c, const Task *task) {
    assert(!task->squares || task->kind != TASK_EQUATION);
    if (task->kind != TASK_EQUATION || !is_asked(c))
        return NULL;
    Ir *ir = c->ir;
    const Route *r = &task->sampled;
    Ascent *out = NEW(&c->arena, Ascent);
    *out = (Ascent){.unavailable = r->unavailable, .index = ir_fresh_index(ir)};
    if (out->unavailable)
        return out;
    Builder b = {.c = c,
                 .route = r,
                 .out = out,
                 .n = c->problem->time ? 2 : 1,
                 .variable = {ir_indexed(ir, OP_SPACE, 0, 1, &out->index), ir_atom(ir, OP_TIME, 0)},
                 .total = {ir_const(ir, 0), ir_const(ir, 0)}};
    add_residuals(&b, task);
    add_network(&b);
    add_directions(&b);
    out->scalars = r->jet.n + r->sum.n + task->n_residuals;
    out->by_space = b.total[0];
    out->by_time = c->problem->time ? b.total[1] : 0;
    return out;
}
