/* oracle.c: --eval 'EXPR' --at POINTS.npy.
 *
 * Inside EXPR every name of the file keeps its meaning; a field stands for its exact solution, a
 * source for what was solved from it, and `residual`, `residual(NAME)` or `residual(2)` for left
 * minus right of an equation. Points go through the interpreter in blocks, so memory does not grow
 * with them. */
#include "driver/oracle.h"

#include <inttypes.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/domain_points.h"
#include "lower/expectation.h"
#include "lower/trial.h"
#include "text/parse.h"

enum { DEFAULT_POINTS = 4, BLOCK_POINTS = 64 };

/* ---- the expression ---- */

/* The equation that `residual`, `residual(NAME)` or `residual(k)` names. */
static const Ast *equation_named(const Compilation *c, const Ast *argument) {
    uint32_t number = 0;
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        if (s->kind != AST_EQUATION)
            continue;
        number++;
        if (!argument || (argument->kind == AST_NAME && argument->name == s->name) ||
            (argument->kind == AST_NUMBER && argument->number >= number &&
             argument->number <= number))
            return s;
    }
    return NULL;
}

/* Replaces residuals by their definition; other nodes keep their place. */
static Ast *put_residuals(Compilation *c, Ast *e, Sym residual) {
    if ((e->kind == AST_NAME || (e->kind == AST_CALL && e->n == 1)) && e->name == residual) {
        const Ast *equation = equation_named(c, e->kind == AST_CALL ? e->kid[0] : NULL);
        return equation ? ast_new(c, AST_SUB, equation->span, 2, equation->kid) : e;
    }
    for (uint32_t k = 0; k < e->n; k++)
        if (e->kid[k])
            e->kid[k] = put_residuals(c, e->kid[k], residual);
    return e;
}

void oracle_extend(Compilation *c, const PdecOracle *request) {
    const Source *source =
        source_add(c, "--eval", request->expression, strlen(request->expression), false);
    Span whole = {source->base, source->base + source->n};
    Ast *program = parse_expression(c, source);
    if (diag_errors(c) || !program)
        return;
    if (program->n != 1 || program->kid[0]->kind != AST_REPORT || program->kid[0]->kid[1]) {
        diag(c, E0601, whole, "--eval takes one expression");
        return;
    }
    c->program = ast_join(c, c->program, put_residuals(c, program, intern_cstr(c, "residual")));
}

/* The expression with exact solutions, sources and exact unknowns put in. */
static const char *close_expression(Compilation *c, Ref *e) {
    const Problem *p = c->problem;
    Ir *ir = c->ir;
    Ref *exact = NEW_ARRAY(&c->arena, Ref, p->field.n + 1);
    for (uint32_t f = 0; f < p->field.n; f++)
        exact[f] = p->field.at[f].exact;
    *e = problem_put_sources(c, p, p->report.at[p->report.n - 1].value);
    *e = ir_replace_fields(ir, *e, OP_FIELD, p->field.n, exact);
    *e = expectation_mean(c, *e, EXPECTATION_SAMPLES);
    if (!ir_has_net(ir, *e))
        return NULL;
    for (uint32_t f = 0; f < p->field.n; f++)
        if (!exact[f])
            return text_format(&c->arena,
                               "--eval: no exact solution is stated for '%s', so this has no value",
                               sym_cstr(c, p->field.at[f].name));
    return NULL;
}

/* ---- points ---- */

typedef struct Points {
    size_t n;
    Regions region;
    int64_t d, stride;
    const double *x; /* [n][stride]; NULL: drawn block by block */
    bool has_time;   /* in column d, or drawn */
} Points;

static const char *wrong_columns(Compilation *c, int64_t columns, int64_t d) {
    const Problem *p = c->problem;
    Extent e = p->space.n == 1 ? p->space.at[0].dimension : (Extent){0};
    const char *hint = "";
    if (e.dim && e.coef == 1 && e.constant == 0)
        hint = text_format(&c->arena, "; use --set %s=%" PRId64 " to change the dimension",
                           sym_cstr(c, e.dim), p->time ? columns - 1 : columns);
    return text_format(
        &c->arena, "--at: a point has %" PRId64 " number%s, and this problem needs %" PRId64 "%s%s",
        columns, columns == 1 ? "" : "s", d, p->time ? " and the time after them" : "", hint);
}

static const char *take_points(Compilation *c, const PdecOracle *request, const Values *values,
                               Points *points) {
    bool time = c->problem->time != 0;
    int64_t d = values->d, columns = (int64_t)request->columns;
    *points = (Points){.n = oracle_count(request), .d = d, .stride = d, .has_time = time};
    const char *why = region_of(c, values, &points->region);
    if (why || !request->points)
        return why;
    if (columns != d && !(time && columns == d + 1))
        return wrong_columns(c, columns, d);
    points->x = request->points;
    points->stride = columns;
    points->has_time = columns == d + 1;
    return NULL;
}

/* ---- running ---- */

size_t oracle_count(const PdecOracle *request) {
    return request->points ? request->rows : DEFAULT_POINTS;
}

typedef struct Block {
    double *x, *normal, t[BLOCK_POINTS]; /* x: [BLOCK_POINTS][d] where points are drawn */
} Block;

static void fill_block(const Points *points, size_t first, uint32_t n, Block *block,
                       EvalInput *in) {
    in->points = n;
    in->x = points->x ? points->x + first * (size_t)points->stride : block->x;
    in->stride = points->stride;
    in->t = points->has_time ? block->t : NULL;
    in->normal = block->normal;
    for (uint32_t p = 0; p < n; p++) {
        if (!points->x)
            region_draw(&points->region, (uint32_t)(first + p), block->x + p * points->d,
                        &block->t[p]);
        else if (points->has_time)
            block->t[p] = in->x[p * points->stride + points->d];
        if (block->normal)
            region_outward(&points->region, in->x + p * points->stride,
                           block->normal + p * points->d);
    }
}

static const char *evaluate(Compilation *c, bool extended, Ref e, const EvalInput *in,
                            double *values, Text *out) {
    long double wide[BLOCK_POINTS];
    const char *why =
        extended ? eval_long_double(c->ir, e, in, wide) : eval_double(c->ir, e, in, values);
    for (uint32_t p = 0; p < in->points && !why; p++) {
        if (extended) {
            values[p] = (double)wide[p];
            text_printf(out, "%.21Lg\n", wide[p]);
        } else {
            text_printf(out, "%.17g\n", values[p]);
        }
    }
    return why;
}

const char *oracle_run(Compilation *c, const PdecOracle *request, NpyFile *open, double *values,
                       Text *out) {
    Values known = {0};
    Points points;
    Ref e;
    const char *why = close_expression(c, &e);
    if (!why)
        why = values_collect(c, e, open, &known);
    if (!why)
        why = take_points(c, request, &known, &points);
    if (why)
        return why;
    EvalInput in = values_input(&known);
    Block block = {0};
    if (!points.x)
        block.x = NEW_ARRAY(&c->arena, double, BLOCK_POINTS *points.d + 1);
    if (ir_contains(c->ir, e, OP_OUTWARD))
        block.normal = NEW_ARRAY(&c->arena, double, BLOCK_POINTS *points.d + 1);
    for (size_t first = 0; first < points.n && !why; first += BLOCK_POINTS) {
        size_t n = points.n - first < BLOCK_POINTS ? points.n - first : BLOCK_POINTS;
        fill_block(&points, first, (uint32_t)n, &block, &in);
        why = evaluate(c, request->extended, e, &in, values + first, out);
    }
    return why;
}
