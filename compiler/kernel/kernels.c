/* kernels.c: the functions of runtime/contract/kernel_abi.h for one problem.
 *
 * Everything that depends on the point and constants only goes into point programs (for a group of
 * points, in lanes); the combine kernels (combine.c, for one point) read it as scalars. User names
 * reach the source only behind a prefix (v_, pde_dim_, pde_param_) and in filtered comments. */
#include "kernel/kernels.h"

#include <string.h>

#include "base/compilation.h"
#include "base/limits.h"
#include "eval/domain.h"
#include "eval/bindings.h"
#include "ir/tangent.h"
#include "kernel/ascent_kernel.h"
#include "kernel/cgen.h"
#include "kernel/combine.h"
#include "kernel/gradient_rows.h"
#include "kernel/kernel_text.h"
#include "lower/expectation.h"
#include "pass.h"
#include "plan/tangent_block.h"
#include "terms/tensor.h"

void kernels_prelude(Text *out) {
    for (size_t k = 0; k < kernel_text_count; k++) {
        text_bytes(out, kernel_text[k].text, kernel_text[k].n);
        text_str(out, STR("\n"));
    }
}

/* ---- heads ---- */

static void declare_constants(Compilation *c, Text *out) {
    text_str(out, STR("\n/* Given their values when the kernels are loaded. */\n"));
    for (uint32_t k = 0; k < c->symbols->list.n; k++) {
        const Symbol *s = &c->symbols->list.at[k];
        if (s->kind == SYMBOL_DIM)
            text_printf(out, "PDE_DIM(pde_dim_%s)\n", sym_cstr(c, s->name));
        if (s->kind == SYMBOL_PARAM && !problem_param_follows(c, s))
            text_printf(out, "PDE_PARAM(pde_param_%s)\n", sym_cstr(c, s->name));
    }
}

void kernel_open(Gen *g, KernelKind kind, const char *name) {
    const char *args = kind == KERNEL_COMBINE ? "PdeCombineArgs" : "PdePointArgs";
    text_str(g->out, STR("\n"));
    gen_line(g, "PDE_KERNEL void pde_%s(const %s *a);", name, args);
    gen_open(g, "PDE_KERNEL void pde_%s(const %s *a) {", name, args);
    gen_line(g, kind == KERNEL_POINTS    ? "PDE_POINTS"
                : kind == KERNEL_COMBINE ? "PDE_TERMS"
                                         : "PDE_WEIGHTS");
}

void kernel_close(Gen *g, KernelKind kind, const char *name, uint32_t families) {
    gen_close(g);
    switch (kind) {
    case KERNEL_POINTS:
        gen_line(g, "PDE_LAUNCH_POINTS(%s)", name);
        break;
    case KERNEL_WEIGHTS:
        gen_line(g, "PDE_LAUNCH_WEIGHTS(%s)", name);
        break;
    case KERNEL_COMBINE:
        gen_line(g, "PDE_LAUNCH_COMBINE(%s, %u)", name, families);
        break;
    }
}

/* Pointers that expressions may use; all of them, used or not. */
void kernel_pointers(Gen *g) {
    const Problem *p = g->c->problem;
    gen_line(g, "const real *x = (const real *)a->x, *aux = (const real *)a->aux;");
    gen_line(g,
             "const real *normal = (const real *)a->normal, *unknown = (const real *)a->unknown;");
    gen_line(g, "(void)x, (void)aux, (void)normal, (void)unknown;");
    for (uint32_t k = 0; k < p->tensor.n; k++) {
        const char *name = sym_cstr(g->c, p->tensor.at[k].name);
        gen_line(g, "const real *v_%s = (const real *)a->tensor[%u];", name, k);
        gen_line(g, "(void)v_%s;", name);
    }
}

const char *kernel_numbered(Compilation *c, const char *format, uint32_t a, uint32_t b) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "%s%u", format, a);
    if (b != UINT32_MAX)
        text_printf(&t, "_%u", b);
    return text_cstr(&t);
}

static const char *named(Compilation *c, const char *prefix, Sym name) {
    Text t = {.arena = &c->arena};
    text_printf(&t, "%s%s", prefix, sym_cstr(c, name));
    return text_cstr(&t);
}

const char *kernel_named_atom(void *context, Gen *g, Ref e) {
    const NamedAtom *n = context;
    (void)g;
    return e == n->atom ? n->name : NULL;
}

/* ---- point programs ---- */

static void write_points(Compilation *c, Text *out, uint32_t task, const Scalars *s) {
    Gen g = gen_new(c, out, true);
    const char **line = NEW_ARRAY(&c->arena, const char *, s->at.n + 1);
    const char *name = kernel_numbered(c, "points_", task, UINT32_MAX);
    kernel_open(&g, KERNEL_POINTS, name);
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    gen_line(&g, "(void)out;");
    for (uint32_t k = 0; k < s->at.n; k++) {
        line[k] = gen_text(&g, "PDE_ONCE out[%u * PDE_LANES + l] = %%s;", k);
        gen_comment(&g, gen_text(&g, "scalar %u: %s", k, ir_text(c->ir, s->at.at[k])));
    }
    if (s->at.n)
        gen_values(&g, s->at.n, s->at.at, line);
    kernel_close(&g, KERNEL_POINTS, name, 0);
}

/* ---- sampling ---- */

const char *kernels_sample_base(const Compilation *c, const SampleRow *row) {
    const char *law = sym_cstr(c, row->law);
    if (strcmp(law, "normal") == 0 || strcmp(law, "lognormal") == 0)
        return "normal";
    bool domain = strcmp(law, "radial") == 0 || (strcmp(law, "uniform") == 0 && row->n_args == 0);
    return domain ? NULL : "uniform";
}

/* The law as a function of a standard number z. */
static Ref law_value(Compilation *c, const SampleRow *row, Ref z) {
    Ir *ir = c->ir;
    const char *law = sym_cstr(c, row->law);
    if (strcmp(law, "exponential") == 0) {
        Ref log_z = ir_func(ir, FUNC_log, 1, &z);
        return ir_neg(ir, ir_div(ir, log_z, row->args[0]));
    }
    if (strcmp(law, "rademacher") == 0) {
        Ref side = ir_sub(ir, z, ir_const(ir, 0.5));
        return ir_func(ir, FUNC_sign, 1, &side);
    }
    bool uniform = strcmp(law, "uniform") == 0;
    Ref span = uniform ? ir_sub(ir, row->args[1], row->args[0]) : row->args[1];
    Ref value = ir_add2(ir, row->args[0], ir_mul2(ir, span, z));
    return strcmp(law, "lognormal") == 0 ? ir_func(ir, FUNC_exp, 1, &value) : value;
}

/* Componentwise laws: standard numbers in `out` become the law in place. */
static void write_sample(Compilation *c, Text *out, uint32_t k, const SampleRow *row) {
    Problem *p = c->problem;
    Ir *ir = c->ir;
    if (row->observed || !kernels_sample_base(c, row))
        return;
    Gen g = gen_new(c, out, true);
    const char *name = kernel_numbered(c, "sample_", k, UINT32_MAX);
    text_str(out, STR("\n"));
    gen_quote(&g, row->ast->span);
    kernel_open(&g, KERNEL_POINTS, name);
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    Ref index = row->index ? row->index : ir_fresh_index(ir);
    NamedAtom z = {ir_indexed(ir, OP_AUX, intern_cstr(c, "$z"), 1, &index),
                   "z"}; /* moves with the index */
    Ref value = law_value(c, row, z.atom);
    g.atom = kernel_named_atom;
    g.atom_context = &z;
    int space = problem_space(p, row->target);
    if (space >= 0) {
        const char *line = "out[(i - 1) * PDE_LANES + l] = %s;";
        g.lane_prologue = "const real z = out[(i - 1) * PDE_LANES + l];";
        gen_map(&g, index, "i", ir_const(ir, 1), p->space.at[space].d, 1, &value, &line);
    } else {
        const char *line = "PDE_ONCE out[l] = %s;";
        g.lane_prologue = "const real z = out[l];";
        gen_values(&g, 1, &value, &line);
    }
    kernel_close(&g, KERNEL_POINTS, name, 0);
}

/* ---- numbers, in double whatever `real` is ---- */

/* pde_constants tells how many they are. */
void kernel_numbers(Compilation *c, Text *out, const char *name, uint32_t n, const Ref *value) {
    bool counted = strcmp(name, "constants") == 0;
    const char *type = counted ? "int32_t" : "void";
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    text_str(out, STR("\n"));
    gen_line(&g, "%s pde_%s(double *out);", type, name);
    gen_open(&g, "%s pde_%s(double *out) {", type, name);
    for (uint32_t k = 0; k < n; k++) {
        if (!value[k]) {
            gen_line(&g, "out[%u] = NAN;", k);
            continue;
        }
        const char *line = gen_text(&g, "out[%u] = %%s;", k);
        gen_values(&g, 1, &value[k], &line);
    }
    if (counted)
        gen_line(&g, "return %u;", n);
    gen_close(&g);
}

/* 1 where a point belongs to the domain. */
static void write_inside(Compilation *c, Text *out) {
    const char *line = "PDE_ONCE out[l] = %s;";
    if (!c->problem->inside)
        return;
    Gen g = gen_new(c, out, true);
    text_str(out, STR("\n"));
    kernel_open(&g, KERNEL_POINTS, "belongs");
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    gen_values(&g, 1, &c->problem->inside, &line);
    kernel_close(&g, KERNEL_POINTS, "belongs", 0);
}

/* The indexed arguments of the domains, in every lane, in the rows of their coordinates. */
static void write_semiaxes(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    bool any = false;
    for (uint32_t k = 0; k < p->space.n; k++)
        any |= domain_operations(c, &p->space.at[k])->indexed != 0;
    if (!any)
        return;
    Gen g = gen_new(c, out, true);
    text_str(out, STR("\n"));
    kernel_open(&g, KERNEL_POINTS, "semiaxes");
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    for (uint32_t k = 0; k < p->space.n; k++) {
        const Space *x = &p->space.at[k];
        uint32_t indexed = domain_operations(c, x)->indexed;
        const char *line = k == 0 ? "out[(i - 1) * PDE_LANES + l] = %s;"
                                  : gen_text(&g, "out[(i - 1 + %s) * PDE_LANES + l] = %%s;",
                                             gen_integer(&g, x->first));
        if (indexed)
            gen_map(&g, x->index, "i", ir_const(c->ir, 1), x->d, 1, &x->argument[indexed], &line);
    }
    kernel_close(&g, KERNEL_POINTS, "semiaxes", 0);
}

static void write_family(Compilation *c, Text *out, uint32_t task, uint32_t k, const Family *f) {
    Gen g = gen_new(c, out, true);
    const char *name = kernel_numbered(c, "family_", task, k);
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_%s(int64_t *lo_hi);", name);
    gen_open(&g, "void pde_%s(int64_t *lo_hi) {", name);
    for (uint32_t j = 0; j < f->n_index; j++) {
        uint32_t from = f->ordered ? 0 : j;
        gen_line(&g, "lo_hi[%u] = %s;", 2 * j, gen_integer(&g, f->lo[from]));
        gen_line(&g, "lo_hi[%u] = %s;", 2 * j + 1,
                 gen_integer(&g, f->ordered && j == 0 ? f->hi[1] : f->hi[from]));
    }
    gen_close(&g);
}

/* The coordinates, then the time, into out[0], out[1], ... */
static void write_coordinates(Gen *g, uint32_t n, const PlaceRow *at) {
    Compilation *c = g->c;
    const Problem *p = c->problem;
    for (uint32_t k = 0; k < n; k++) {
        const Space *x = at[k].time ? NULL : &p->space.at[at[k].space];
        if (at[k].all) {
            const char *line =
                at[k].space == 0 ? "out[i - 1] = %s;"
                                 : gen_text(g, "out[i - 1 + %s] = %%s;", gen_integer(g, x->first));
            gen_map(g, at[k].index ? at[k].index : ir_fresh_index(c->ir), "i", ir_const(c->ir, 1),
                    x->d, 1, &at[k].value, &line);
        } else {
            Ref one = ir_const(c->ir, 1);
            Ref row = x ? ir_add2(c->ir, x->first, ir_sub(c->ir, at[k].index, one)) : p->d;
            const char *line = gen_text(g, "out[%s] = %%s;", gen_integer(g, row));
            gen_values(g, 1, &at[k].value, &line);
        }
    }
}

/* A point given by `at`: coordinates, then time; what is not given is 0. */
static void write_place(Compilation *c, Text *out, const char *name, uint32_t n,
                        const PlaceRow *at) {
    Problem *p = c->problem;
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_%s(double *out);", name);
    gen_open(&g, "void pde_%s(double *out) {", name);
    gen_line(&g, "for (int64_t i = 0; i < %s%s; i++) out[i] = 0;", gen_integer(&g, p->d),
             p->time ? " + 1" : "");
    write_coordinates(&g, n, at);
    gen_close(&g);
}

/* The value of a field at the point of a reference, and its standard error. */
static void write_known(Compilation *c, Text *out, uint32_t k) {
    const ReferenceRow *r = &c->problem->reference.at[k];
    uint32_t field = (uint32_t)problem_field(c->problem, r->target);
    Ref value = problem_scored(c, field, problem_at_place(c, r, r->value));
    int64_t samples = expectation_samples(c, r);
    Ref number[2] = {expectation_mean(c, value, samples), expectation_error(c, value, samples)};
    const char *const line[2] = {"known[0] = %s;", "known[1] = %s;"};
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_reference_%u(const PdePointArgs *a);", k);
    gen_open(&g, "void pde_reference_%u(const PdePointArgs *a) {", k);
    kernel_pointers(&g);
    gen_line(&g, "double *known = (double *)a->out;");
    gen_values(&g, 2, number, line);
    gen_close(&g);
}

/* How many observations there are, and a table of them: place, time and data of each. */
static void write_observed(Compilation *c, Text *out, uint32_t task, const Observed *o) {
    Problem *p = c->problem;
    const char *name = kernel_numbered(c, "observed_", task, UINT32_MAX);
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_%s(const PdePointArgs *a);", name);
    gen_open(&g, "void pde_%s(const PdePointArgs *a) {", name);
    kernel_pointers(&g);
    const char *rows = gen_integer(&g, o->n), *d = gen_integer(&g, p->d);
    gen_open(&g, "for (int64_t observation = 1; observation <= %s; observation++) {", rows);
    gen_name_index(&g, o->index, "observation");
    gen_line(&g, "double *out = (double *)a->out + (observation - 1) * (%s + %u);", d,
             (p->time ? 1 : 0) + o->n_data);
    write_coordinates(&g, o->n_at, o->at);
    for (uint32_t k = 0; k < o->n_data; k++) {
        const char *line = gen_text(&g, "out[%s + %u] = %%s;", d, (p->time ? 1 : 0) + k);
        gen_values(&g, 1, &o->data[k], &line);
    }
    gen_close(&g);
    gen_close(&g);
    kernel_numbers(c, out, kernel_numbered(c, "observations_", task, UINT32_MAX), 1, &o->n);
}

static void write_references(Compilation *c, Text *out) {
    Problem *p = c->problem;
    for (size_t k = 0; p->expectation.n && k < draw_text_count; k++)
        text_bytes(out, draw_text[k].text, draw_text[k].n);
    for (uint32_t k = 0; k < p->plan->task.n; k++) {
        const Task *t = &p->plan->task.at[k];
        if (t->kind == TASK_OBSERVE)
            write_observed(c, out, k, p->condition.at[t->row].observed);
        if (t->kind == TASK_REPORT)
            write_place(c, out, kernel_numbered(c, "report_", k, UINT32_MAX),
                        p->report.at[t->row].n_at, p->report.at[t->row].at);
    }
    for (uint32_t k = 0; k < p->reference.n; k++) {
        const ReferenceRow *r = &p->reference.at[k];
        if (!problem_is_point_value(c, r))
            continue;
        write_place(c, out, kernel_numbered(c, "place_", k, UINT32_MAX), r->n_at, r->at);
        write_known(c, out, k);
    }
}

void kernel_faces(Compilation *c, Text *out, const char *name, const Faces *on) {
    Ref coordinate[LIMIT_FACES];
    for (uint32_t k = 0; k < on->n; k++)
        coordinate[k] = on->at[k].coordinate ? on->at[k].coordinate : ir_const(c->ir, 0);
    if (on->n)
        kernel_numbers(c, out, name, on->n, coordinate);
}

static void write_constants(Compilation *c, Text *out) {
    Problem *p = c->problem;
    text_str(
        out,
        STR("\n#ifndef PDE_CUDA\n/* Numbers of the problem, for the host, always in double. "
            "*/\n#undef R\n#undef PDE_FN\n"
            "#define R(v) ((double)(v))\n#define PDE_FN(name) pde_##name\n#define real double\n"));
    Ref domain[3 * LIMIT_SPACES + 2] = {0};
    for (uint32_t k = 0; k < p->space.n; k++) {
        const Space *x = &p->space.at[k];
        memcpy(domain + (size_t)3 * k, x->argument, sizeof x->argument);
        if (domain_operations(c, x)->indexed) /* has a kernel of its own */
            domain[3 * k + domain_operations(c, x)->indexed] = 0;
    }
    domain[3 * p->space.n] = p->t_lo;
    domain[3 * p->space.n + 1] = p->t_hi;
    kernel_numbers(c, out, "constants", 3 * p->space.n + 2, domain);
    for (uint32_t k = 0; k < p->tensor.n; k++)
        kernel_numbers(c, out, named(c, "tensor_", p->tensor.at[k].name), 2,
                       p->tensor.at[k].law_args);
    Ref *unknown = NEW_ARRAY(&c->arena, Ref, 3 * p->unknown.n + 1);
    for (uint32_t k = 0; k < p->unknown.n; k++) {
        unknown[3 * k] = p->unknown.at[k].initial;
        unknown[3 * k + 1] = p->unknown.at[k].lo;
        unknown[3 * k + 2] = p->unknown.at[k].hi;
    }
    if (p->unknown.n)
        kernel_numbers(c, out, "unknowns", 3 * p->unknown.n, unknown);
    for (uint32_t k = 0; k < p->unknown.n; k++)
        unknown[k] = problem_known_value(p, k);
    if (p->unknown.n)
        kernel_numbers(c, out, "known_unknowns", p->unknown.n, unknown);
    for (uint32_t k = 0; k < p->plan->task.n; k++) {
        const Task *t = &p->plan->task.at[k];
        for (uint32_t f = 0; f < t->family.n; f++)
            write_family(c, out, k, f, &t->family.at[f]);
        if (t->kind == TASK_BOUNDARY)
            kernel_faces(c, out, kernel_numbered(c, "faces_", k, UINT32_MAX),
                         &p->condition.at[t->row].on);
        if (plan_is_condition(t->kind)) {
            Ref given = p->condition.at[t->row].weight, weight = given ? given : ir_const(c->ir, 1);
            kernel_numbers(c, out, kernel_numbered(c, "loss_weight_", k, UINT32_MAX), 1, &weight);
        }
    }
}

/* ---- everything ---- */

/* The statements that a task is made of. */
static void quote_task(Compilation *c, Text *out, const Task *t) {
    const Problem *p = c->problem;
    Gen g = gen_new(c, out, true);
    text_str(out, STR("\n"));
    for (uint32_t k = 0; t->kind == TASK_EQUATION && k < p->equation.n; k++)
        gen_quote(&g, p->equation.at[k].ast->span);
    if (t->kind != TASK_EQUATION)
        gen_quote(&g, (t->kind == TASK_REPORT ? p->report.at[t->row].ast
                       : t->kind == TASK_NORM ? p->norm.from
                                              : p->condition.at[t->row].ast)
                          ->span);
}

static void write_task(Compilation *c, Text *out, uint32_t id, const Task *t, KernelInfo *info) {
    Problem *p = c->problem;
    Scalars *s = &info->scalar[id];
    quote_task(c, out, t);
    if (!t->sampled.unavailable) {
        combine_write(c, out, kernel_numbered(c, "combine_", id, UINT32_MAX), t, &t->sampled, s);
        kernels_directions(c, out, false, id, &t->sampled, s);
        if (t->ascent && !t->ascent->unavailable)
            ascent_write(c, out, kernel_numbered(c, "ascent_", id, UINT32_MAX), t, t->ascent);
    }
    if (!t->exact.unavailable) {
        combine_write(c, out, kernel_numbered(c, "exact_", id, UINT32_MAX), t, &t->exact, s);
        kernels_directions(c, out, true, id, &t->exact, s);
    }
    for (uint32_t k = 0; t->kind == TASK_EQUATION && k < p->source.n; k++) {
        if (p->source.at[k].of_condition)
            continue;
        info->source_scalar[k] = s->at.n;
        VEC_PUSH(&c->arena, s->at, p->source.at[k].value);
    }
    write_points(c, out, id, s);
}

/* Returns where what only the host has begins. */
static size_t kernels_write(Compilation *c, Text *out, KernelInfo *info) {
    Problem *p = c->problem;
    uint32_t n = p->plan->task.n;
    *info = (KernelInfo){.n_tasks = n,
                         .scalar = NEW_ARRAY(&c->arena, Scalars, n + 1),
                         .exact_scalar = NEW_ARRAY(&c->arena, uint32_t, p->field.n + 1),
                         .source_scalar = NEW_ARRAY(&c->arena, uint32_t, p->source.n + 1)};
    declare_constants(c, out);
    for (uint32_t k = 0; k < n; k++)
        write_task(c, out, k, &p->plan->task.at[k], info);
    Scalars *last = &info->scalar[n];
    combine_write_fields(c, out, last);
    for (uint32_t f = 0; f < p->field.n; f++) {
        Ref known = problem_known_solution(c, f);
        info->exact_scalar[f] = known ? last->at.n : UINT32_MAX;
        if (known)
            VEC_PUSH(&c->arena, last->at, problem_scored(c, f, known));
    }
    write_points(c, out, n, last);
    kernels_features(c, out);
    for (uint32_t k = 0; k < p->sample.n; k++)
        write_sample(c, out, k, &p->sample.at[k]);
    write_inside(c, out);
    write_semiaxes(c, out);
    size_t numbers_at = out->n;
    write_constants(c, out);
    tensor_write(c, out);
    write_references(c, out);
    text_str(out, STR("#endif\n"));
    return numbers_at;
}

void kernels_run(Compilation *c) {
    Kernels *k = NEW(&c->arena, Kernels);
    k->source.arena = &c->arena;
    c->problem->kernels = k;
    k->numbers_at = kernels_write(c, &k->source, &k->info);
}

void kernels_write_watching(Compilation *c, Watch *watch, KernelInfo *info, Text *out) {
    c->problem->watch = watch;
    kernels_write(c, out, info);
    c->problem->watch = NULL;
}

/* What the runtime writes before the source when it gives it to NVRTC. */
void cuda_emit(Compilation *c, Text *out) {
    NpyFile open = {0};
    Values v = {0};
    values_collect(c, ir_const(c->ir, 0), &open, &v);
    text_str(out, STR("#define PDE_CUDA 1\n"));
    for (uint32_t k = 0; k < c->symbols->list.n; k++) {
        const Symbol *s = &c->symbols->list.at[k];
        for (uint32_t j = 0; j < v.value.n && (s->kind == SYMBOL_DIM || s->kind == SYMBOL_PARAM);
             j++) {
            if (v.value.at[j].name != s->name)
                continue;
            bool dim = s->kind == SYMBOL_DIM;
            text_printf(out, "#define pde_%s_%s ((%s)", dim ? "dim" : "param", sym_cstr(c, s->name),
                        dim ? "int64_t" : "double");
            text_double(out, v.value.at[j].value);
            text_str(out, STR(")\n"));
            break;
        }
    }
    kernels_emit(c, out);
}

void kernels_emit(Compilation *c, Text *out) {
    kernels_prelude(out);
    text_bytes(out, c->problem->kernels->source.s, c->problem->kernels->source.n);
}
