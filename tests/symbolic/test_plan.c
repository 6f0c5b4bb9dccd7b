/* test_plan.c: plan_verify (plan/plan_verify.h) finds each way in which a plan may be broken: a sound plan is
 * damaged in one place, must be refused for that reason, and is mended again. */
#include "compiler/plan/plan_verify.h"

#include "greatest.h"

#include "lab.h"

#include <math.h>
#include <string.h>

/* Sampled second derivatives with coefficients, a mixed one, a first one and the value. */
static const char text[] =
    "dim d = 6\ndomain x in box(d, 0, 1)\nfield u(x)\n"
    "equation sum_i (1 + x_i^2) * d2(u, x_i) + sum_{i<j} d(d(u, x_i), x_j) + "
    "u * d(u, x_1) = 1\nboundary u = 0\n";

static bool says(Compilation *c, const Task *task, const char *what) {
    const char *broken = plan_verify(c, task);
    if (broken ? !what || !strstr(broken, what) : what != NULL)
        printf("\n  expected: %s\n  found: %s\n", what ? what : "nothing",
               broken ? broken : "nothing");
    return broken ? what && strstr(broken, what) : !what;
}

/* PLACE holds VALUE while the plan is verified. */
#define BREAK(place, value, what)                                                                  \
    do {                                                                                           \
        __typeof__(place) kept = (place);                                                          \
        (place) = (value);                                                                         \
        ASSERT(says(&lab.c, task, what));                                                          \
        (place) = kept;                                                                            \
        ASSERT(says(&lab.c, task, NULL));                                                          \
    } while (0)

TEST broken_plans_are_found(void) {
    Lab lab;
    ASSERT(lab_open(&lab, "plan", text, PASS_plan, 0));
    Task *task = &lab.c.problem->plan->task.at[0];
    Route *r = &task->sampled;
    ASSERT(!r->unavailable && r->block.n > 1 && r->sum.n > 1 && r->jet.n > 1);
    ASSERT(says(&lab.c, task, NULL));
    uint32_t last = r->block.n - 1, family = 0;
    while (r->block.at[family].kind != BLOCK_unit)
        family++;
    Jet *moving = &r->sum.at[0].jet.at[0], *fixed = NULL;
    for (uint32_t k = 0; k < r->jet.n; k++)
        fixed = r->jet.at[k].n > 0 ? &r->jet.at[k] : fixed;
    ASSERT(moving->n > 0 && fixed);
    BREAK(r->block.at[0].kind, BLOCK_KIND_COUNT, "no known kind");
    BREAK(r->block.at[last].order, 0, "without a derivative");
    BREAK(r->block.at[last].order, r->block.at[0].order + 1, "falling order");
    BREAK(r->block.at[family].family, (int)task->family.n, "family that is not there");
    BREAK(r->block.at[family].family, -1, "family that is not there");
    BREAK(r->block.at[family].kind, BLOCK_gradient, "without its derivative");
    BREAK(r->block.at[family].kind, BLOCK_sparse, "without entries");
    BREAK(moving->part[0].block, r->block.n, "block that is not there");
    BREAK(moving->part[0].order, 5, "higher order");
    BREAK(moving->part[0].coef, (double)NAN, "not finite");
    BREAK(fixed->n, 99, "more parts");
    BREAK(fixed->output, 1, "output that is not there");
    BREAK(fixed->atom, 0, "stands for nothing");
    BREAK(r->sum.at[0].family, task->family.n, "sum over a family");
    BREAK(r->sum.at[0].placeholder, r->residual[0], "stands for nothing");
    BREAK(r->jet.n, 0, "nothing computes");
    BREAK(r->sum.at[1].jet.n, 0, "nothing computes");
    BREAK(r->sum.n, 1, "nothing computes");
    BREAK(r->residual[0], 0, "residual that is not there");
    lab_close(&lab);
    PASS();
}

SUITE(plan) {
    RUN_TEST(broken_plans_are_found);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(plan);
    GREATEST_MAIN_END();
}
