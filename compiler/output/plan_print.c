/* plan_print.c: --emit=plan as text: the routes of every task, their directions with reasons, and
 * what a step costs. */
#include "base/compilation.h"
#include "output/output.h"
#include "pass.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "terms/tensor.h"

static const char *const TASK_NAME[] = {[TASK_EQUATION] = "equation",
                                        [TASK_BOUNDARY] = "boundary condition",
                                        [TASK_INITIAL] = "initial condition",
                                        [TASK_TERMINAL] = "terminal condition",
                                        [TASK_OBSERVE] = "observation",
                                        [TASK_NORM] = "norm",
                                        [TASK_REPORT] = "report"};
_Static_assert(sizeof TASK_NAME / sizeof *TASK_NAME == TASK_REPORT + 1, "a name for each kind");

static const char *const BLOCK_WHAT[] = {
#define BLOCK(name, engine, follows, what) what,
#include "runtime/contract/block.def"
};

static void print_block(Compilation *c, const Block *b, Text *out) {
    text_printf(out, "      %-12s to order %u: %s", plan_block_name(b->kind), b->order,
                BLOCK_WHAT[b->kind]);
    if (b->kind == BLOCK_pair) {
        text_printf(out, ", s = ");
        text_double(out, b->sign);
    }
    if (b->shift)
        text_printf(out, ", shifted by %lld", (long long)b->shift);
    if (b->first)
        text_printf(out, ", the first by %lld", (long long)b->first);
    if (b->index)
        memo_put(c->ir->index_name, b->index, 0, intern_cstr(c, "i"));
    for (uint32_t k = 0; k < INPUT_VECTORS && b->entries[k]; k++) {
        text_printf(out, b->kind == BLOCK_gram ? "; weight of i: " : "; entry i%s: ",
                    k ? " of the next vector" : "");
        ir_print(c->ir, b->entries[k], out);
    }
    for (uint32_t k = 0; k < b->n_sparse; k++) {
        for (int j = 0; j < 2; j++)
            if (b->place[j])
                memo_put(c->ir->index_name, b->place[j], 0, intern_cstr(c, j ? "j" : "i"));
        text_printf(out, k ? ", row " : "; of term i: row ");
        ir_print(c->ir, b->sparse[k].row, out);
        text_printf(out, " is ");
        ir_print(c->ir, b->sparse[k].value, out);
    }
    text_printf(out, "\n");
}

static void print_amount(Text *out, double v, const char *unit) {
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int k = 0;
    while (v >= 1000 && k < 5) {
        v /= 1000;
        k++;
    }
    text_printf(out, "%.3g %s%s", v, prefix[k], unit);
}

static void print_cost(const CostSizes *s, const Route *r, Text *out) {
    Cost cost = cost_of_route(s, r);
    text_printf(out, "      cost of a step: %.0f directions a point; ", cost.directions);
    print_amount(out, cost.jets, "flop");
    text_printf(out, " jets + ");
    print_amount(out, cost.first_layer, "flop");
    text_printf(out, " first layer + ");
    print_amount(out, cost.update, "flop");
    text_printf(out, " update; ");
    print_amount(out, cost.traffic, "B");
    text_printf(out, " moved; ");
    print_amount(out, cost.memory, "B");
    text_printf(out, " held\n");
}

/* A condition on values alone: those of one kind on the same parts of the boundary have one set of points and, but for
 * natural gradient, one pass through the network (runtime/step/joint.c). */
static bool may_share(const Problem *p, const Task *t) {
    bool condition =
        t->kind == TASK_BOUNDARY || t->kind == TASK_INITIAL || t->kind == TASK_TERMINAL;
    return condition && t->family.n == 0 && !t->squares && !t->sampled.unavailable &&
           t->sampled.block.n == 0 && p->unknown.n == 0;
}

static bool same_faces(const Faces *a, const Faces *b) {
    bool same = a->n == b->n;
    for (uint32_t k = 0; k < a->n && same; k++)
        same = a->at[k].space == b->at[k].space && a->at[k].side == b->at[k].side &&
               a->at[k].coordinate == b->at[k].coordinate;
    return same;
}

/* The first task with the points of task `number`, which may be this one. */
static uint32_t first_of_points(const Problem *p, uint32_t number) {
    const Task *t = &p->plan->task.at[number];
    for (uint32_t k = 0; k < number && may_share(p, t); k++) {
        const Task *other = &p->plan->task.at[k];
        if (may_share(p, other) && other->kind == t->kind &&
            same_faces(&p->condition.at[other->row].on, &p->condition.at[t->row].on))
            return k;
    }
    return number;
}

/* s: NULL: it has no cost of its own. */
static void print_route(Compilation *c, const char *name, const Route *r, const CostSizes *s,
                        Text *out) {
    text_printf(out, "    %s route", name);
    if (r->unavailable) {
        text_printf(out, ": none: %s", r->unavailable);
        if (r->where.hi > r->where.lo) {
            Place place = source_place(c, r->where.lo);
            if (!place.source->library)
                text_printf(out, " (at %u:%u)", place.line, place.column);
        }
        text_printf(out, "\n");
        return;
    }
    bool taylor = r->block.n && r->block.at[0].order > 2;
    text_printf(out, ": %s\n",
                r->block.n == 0 ? "values of the network only"
                : taylor
                    ? "Taylor rows, since a derivative is of order 3 or more"
                    : "adjoint form: one value and one adjoint pass, first-order tangents only");
    for (uint32_t k = 0; k < r->block.n; k++)
        print_block(c, &r->block.at[k], out);
    for (uint32_t k = 0; k < r->sum.n; k++) {
        text_printf(out, "      sampled sum %u: ", k + 1);
        static const char *const name_of[2] = {"i", "j"};
        for (int j = 0; j < 2; j++)
            if (r->sum.at[k].index[j])
                memo_put(c->ir->index_name, r->sum.at[k].index[j], 0, intern_cstr(c, name_of[j]));
        ir_print(c->ir, r->sum.at[k].body, out);
        text_printf(out, "\n");
    }
    if (s)
        print_cost(s, r, out);
}

static void print_advice(const Task *t, const CostSizes *s, Text *out) {
    if (t->exact.unavailable || t->sampled.unavailable)
        return;
    Cost exact = cost_of_route(s, &t->exact), sampled = cost_of_route(s, &t->sampled);
    double ratio = (exact.jets + exact.first_layer) / (sampled.jets + sampled.first_layer);
    text_printf(out, "    the exact sum costs %.2g of the sampled one at |I| = %lld%s\n", ratio,
                (long long)s->terms,
                ratio < 1.05 ? ": sampling buys nothing here" : ", with no variance and no bias");
}

void plan_emit(Compilation *c, Text *out) {
    const Plan *plan = c->problem->plan;
    CostSizes s;
    const char *wrong = cost_sizes(c, &s);
    if (wrong) {
        text_printf(out, "%s\n", wrong);
        return;
    }
    if (c->json) {
        plan_json(c, out);
        return;
    }
    if (c->problem->tensor_net) {
        tensor_print(c, out);
        return;
    }
    text_printf(out, "network [%lld", (long long)s.inputs);
    for (int64_t k = 1; k < s.depth; k++)
        text_printf(out, ", %lld", (long long)s.width);
    text_printf(out, ", %lld], |B| = %lld points, |I| = %lld terms, float32\n",
                (long long)s.outputs, (long long)s.points, (long long)s.terms);
    for (uint32_t k = 0; k < plan->task.n; k++) {
        const Task *t = &plan->task.at[k];
        text_printf(out, "task %u: %s, %u residual%s\n", k, TASK_NAME[t->kind], t->n_residuals,
                    t->n_residuals == 1 ? "" : "s");
        uint32_t with = first_of_points(c->problem, k);
        print_route(c, t->family.n ? "sampled" : "only", &t->sampled, with == k ? &s : NULL, out);
        if (with != k)
            text_printf(
                out,
                "      has the points of task %u and shares its pass, which costs what is said "
                "there; natural\n      gradient makes a pass for each\n",
                with);
        if (t->family.n)
            print_route(c, "exact", &t->exact, &s, out);
        print_advice(t, &s, out);
    }
}
