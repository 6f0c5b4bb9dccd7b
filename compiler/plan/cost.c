/* cost.c: the cost model of a training step. Counts multiply-adds as two operations. */
#include "plan/cost.h"

#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/bindings.h"

enum {
    BYTES = 4,
    ADAM_WORDS = 7,
    STATES = 3
}; /* float32; Adam reads and writes w, m, v and the gradient */

static bool is_word(const Compilation *c, Sym name, const char *word) {
    return strcmp(sym_cstr(c, name), word) == 0;
}

double solve_number(const Compilation *c, const char *key, const char *argument, double otherwise) {
    const Ast *solve = c->problem->solve;
    for (uint32_t k = 0; solve && k < solve->n; k++) {
        const Ast *setting = solve->kid[k], *value = setting->kid[0];
        if (!is_word(c, setting->name, key))
            continue;
        if (!argument && value->kind == AST_NUMBER)
            return value->number;
        for (uint32_t a = 0; argument && value->kind == AST_CALL && a < value->n; a++)
            if (value->kid[a]->kind == AST_ARG && is_word(c, value->kid[a]->name, argument) &&
                value->kid[a]->kid[0]->kind == AST_NUMBER)
                return value->kid[a]->kid[0]->number;
    }
    return otherwise;
}

const char *cost_sizes(Compilation *c, CostSizes *out) {
    Values values = {.cap = 0};
    NpyFile open = {0};
    const char *wrong = values_collect(c, c->problem->d, &open, &values);
    if (wrong)
        return wrong;
    *out = (CostSizes){.d = values.d, .inputs = values.d + (c->problem->time ? 1 : 0)};
    double vectors;
    if (c->problem->features &&
        !values_number(c, &values, input_vector_rows(c->problem, c->ir), &vectors))
        out->inputs = (int64_t)vectors + (int64_t)input_scalars(c->problem);
    out->points = (int64_t)solve_number(c, "method", "points", 100);
    out->terms = (int64_t)solve_number(c, "method", "terms", 100);
    out->width = (int64_t)solve_number(c, "network", "width", 128);
    out->depth = (int64_t)solve_number(c, "network", "depth", 4);
    out->outputs = c->problem->field.n;
    return NULL;
}

static double directions_of(const CostSizes *s, const Block *b) {
    if (b->kind == BLOCK_unit || b->kind == BLOCK_pair || b->kind == BLOCK_sparse)
        return (double)(s->terms < s->d ? s->terms : s->d);
    if (b->kind == BLOCK_gram)
        return (double)(s->width < s->d ? s->width : s->d);
    return 1;
}

Cost cost_of_route(const CostSizes *s, const Route *route) {
    assert(s->d > 0 && s->points > 0 && s->width > 0);
    Cost cost = {0};
    double B = (double)s->points, h = (double)s->width, n = (double)s->inputs;
    double hidden =
        (double)(s->depth > 2 ? s->depth - 2 : 0); /* weight layers between hidden layers */
    double rows = 0, dense = 0, gram = 0, highest = 0;
    for (uint32_t k = 0; k < route->block.n; k++) {
        const Block *b = &route->block.at[k];
        double directions = directions_of(s, b);
        cost.directions += directions;
        highest = b->order > highest ? b->order : highest;
        rows += directions * (b->order > 2 ? b->order : b->order == 2);
        dense += b->kind == BLOCK_point_dense || b->kind == BLOCK_gradient;
        gram += b->kind == BLOCK_gram;
    }
    /* forward once, backward twice; value and adjoint passes and their reverse are twelve rows' worth */
    cost.jets = 6 * B * (rows + 2) * h * h * hidden * (double)s->outputs;
    cost.first_layer = 4 * B * n * h + dense * 6 * B * n * h + gram * 4 * n * h * h;
    double parameters = n * h + hidden * h * h + h * (double)s->outputs;
    cost.update = 12 * parameters;
    double points = B * n * BYTES * (1 + dense);
    cost.traffic = ADAM_WORDS * BYTES * parameters + 3 * points;
    cost.memory = STATES * BYTES * parameters + points + 2 * BYTES * (rows + 2) * h * (hidden + 1);
    return cost;
}
