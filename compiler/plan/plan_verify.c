/* plan_verify.c: a plan is checked before kernels are written from it: every number that a kernel will index with is
 * in range, and every derivative of the network in a residual has a jet. Costs one walk over the residuals. */
#include "plan/plan_verify.h"

#include <math.h>

#include "base/compilation.h"
#include "terms/split.h"

static bool has_family(const Block *b) {
    return b->kind == BLOCK_unit || b->kind == BLOCK_pair || b->kind == BLOCK_sparse;
}

static const char *verify_block(const Task *task, const Block *b) {
    if (b->kind >= BLOCK_KIND_COUNT)
        return "a block of no known kind";
    if (b->order < 1)
        return "a block without a derivative";
    if (has_family(b) && (b->family < 0 || (uint32_t)b->family >= task->family.n))
        return "a block of a family that is not there";
    if (b->kind == BLOCK_scalar && b->which >= INPUT_SCALARS)
        return "a block along an input that is not there";
    if (b->kind == BLOCK_gradient && !b->atom)
        return "a function of the gradient without its derivative";
    if (b->kind == BLOCK_sparse && (b->n_sparse == 0 || b->n_sparse > SPARSE_ENTRIES || !b->sparse))
        return "a sparse direction without entries";
    return NULL;
}

static const char *verify_jet(const Problem *p, const Route *r, const Jet *jet) {
    if (!jet->atom)
        return "a jet that stands for nothing";
    if (jet->output >= p->field.n)
        return "a jet of an output that is not there";
    if (jet->n > sizeof jet->part / sizeof *jet->part)
        return "a jet of more parts than it can hold";
    for (uint32_t k = 0; k < jet->n; k++) {
        const JetPart *part = &jet->part[k];
        if (part->block >= r->block.n)
            return "a jet of a block that is not there";
        if (part->order < 1 || part->order > r->block.at[part->block].order)
            return "a jet of a higher order than its block has";
        if (!isfinite(part->coef))
            return "a jet whose coefficient is not finite";
    }
    return NULL;
}

static const char *verify_jets(const Problem *p, const Route *r, const Jets *jets) {
    const char *broken = NULL;
    for (uint32_t k = 0; !broken && k < jets->n; k++)
        broken = verify_jet(p, r, &jets->at[k]);
    return broken;
}

/* What may stand in an expression that a kernel is written from. */
typedef struct Known {
    const Route *route;
    const Jets *own; /* of the sum that the expression belongs to; NULL: of the point */
    bool missing;
} Known;

static bool is_jet(const Jets *jets, Ref e) {
    for (uint32_t k = 0; jets && k < jets->n; k++)
        if (jets->at[k].atom == e)
            return true;
    return false;
}

static bool is_sum(const Route *r, Ref e) {
    for (uint32_t k = 0; k < r->sum.n; k++)
        if (r->sum.at[k].placeholder == e)
            return true;
    return false;
}

static Ref find_unknown(Ir *ir, Ref e, void *context) {
    Known *known = context;
    bool network = ir_is(ir, e, OP_NET) || ir_is(ir, e, OP_FIELD);
    if (!network && !plan_is_placeholder(ir, e))
        return 0;
    if (!is_jet(&known->route->jet, e) && !is_jet(known->own, e) && !is_sum(known->route, e))
        known->missing = true;
    return e;
}

static const char *verify_expression(Compilation *c, const Route *r, const Jets *own, Ref e) {
    Known known = {r, own, false};
    if (!e)
        return "a residual that is not there";
    (void)ir_rewrite(c->ir, e, find_unknown, &known);
    return known.missing ? "a residual with a derivative that nothing computes" : NULL;
}

static const char *verify_route(Compilation *c, const Task *task, const Route *r) {
    const char *broken = NULL;
    for (uint32_t k = 0; !broken && k < r->block.n; k++)
        broken = verify_block(task, &r->block.at[k]);
    for (uint32_t k = 1; !broken && k < r->block.n; k++)
        if (r->block.at[k].order > r->block.at[k - 1].order)
            broken = "blocks that do not stand by falling order";
    broken = broken ? broken : verify_jets(c->problem, r, &r->jet);
    for (uint32_t k = 0; !broken && k < r->sum.n; k++) {
        const SampledSum *sum = &r->sum.at[k];
        if (sum->family >= task->family.n)
            return "a sum over a family that is not there";
        if (!plan_is_placeholder(c->ir, sum->placeholder))
            return "a sum that stands for nothing";
        broken = verify_jets(c->problem, r, &sum->jet);
        broken = broken ? broken : verify_expression(c, r, &sum->jet, sum->body);
    }
    for (uint32_t k = 0; !broken && k < task->n_residuals; k++)
        broken = verify_expression(c, r, NULL, r->residual[k]);
    return broken;
}

const char *plan_verify(Compilation *c, const Task *task) {
    const char *broken = NULL;
    if (!task->sampled.unavailable)
        broken = verify_route(c, task, &task->sampled);
    if (!broken && !task->exact.unavailable)
        broken = verify_route(c, task, &task->exact);
    return broken;
}
