/* process_kernel.c: pass error: the kernels of the process in terms/process.h.
 *
 * It runs after the kernels of training have been written, so that nodes made here change none of these, and puts
 * its own text among them, before what only the host has. */
#include "base/compilation.h"
#include "kernel/combine.h"
#include "kernel/gradient_rows.h"
#include "kernel/kernels.h"
#include "pass.h"
#include "terms/process.h"

static Gen open_kernel(Compilation *c, Text *out, const char *name) {
    Gen g = gen_new(c, out, true);
    g.atom = gradient_atom;
    kernel_open(&g, KERNEL_POINTS, name);
    kernel_pointers(&g);
    gen_line(&g,
             "const real *gradient = (const real *)a->gradient, *value = (const real *)a->value;");
    gen_line(&g, "const real *shift = (const real *)a->normal;");
    gen_line(&g, "const real scale = R(a->output_scale[0]);");
    gen_line(&g, "real *out = (real *)a->out;");
    gen_line(&g, "(void)gradient, (void)value, (void)scale, (void)shift;");
    return g;
}

/* Rows of d numbers: drift, diagonal, the ranks' vectors, the matrix' scale if there is one, the bends of drift,
 * diagonal and slope, and the drift moved, if the equation is not linear; then one row each for tau, rate, the
 * ranks' strengths, the bend of the rate and the rate moved both ways. */
static void write_process(Compilation *c, Text *out, const Process *p) {
    Ir *ir = c->ir;
    Gen g = open_kernel(c, out, "process");
    Ref vector[PROCESS_RANKS + 7] = {p->drift, p->diagonal},
                               number[PROCESS_RANKS + 5] = {p->tau, p->rate};
    const char *line[PROCESS_RANKS + 7], *d = gen_integer(&g, c->problem->d);
    uint32_t rows = 2, numbers = 2 + p->ranks;
    for (uint32_t r = 0; r < p->ranks; r++) {
        vector[rows++] = p->vector[r];
        number[2 + r] = p->strength[r];
    }
    if (p->matrix)
        vector[rows++] = p->scale;
    if (!p->linear) {
        vector[rows++] = p->bend_drift;
        vector[rows++] = p->bend_diagonal;
        vector[rows++] = p->bend_slope;
        vector[rows++] = p->drift_less;
        number[numbers++] = p->bend_rate;
        number[numbers++] = p->rate_less;
        number[numbers++] = p->rate_more;
    }
    for (uint32_t r = 0; r < rows; r++) {
        vector[r] = gradient_rows(ir, vector[r]);
        line[r] = gen_text(&g, "out[(%u * %s + i - 1) * PDE_LANES + l] = %%s;", r, d);
    }
    gen_map(&g, p->index, "i", ir_const(ir, 1), c->problem->d, rows, vector, line);
    for (uint32_t r = 0; r < numbers; r++) {
        number[r] = gradient_rows(ir, number[r]);
        line[r] = gen_text(&g, "PDE_ONCE out[(%u * %s + %u) * PDE_LANES + l] = %%s;", rows, d, r);
    }
    gen_values(&g, numbers, number, line);
    kernel_close(&g, KERNEL_POINTS, "process", 0);
}

/* beta and gamma of a condition. */
static void write_edge(Compilation *c, Text *out, uint32_t k, const ProcessEdge *edge) {
    Text name = {.arena = &c->arena};
    text_printf(&name, "edge_%u", k);
    Gen g = open_kernel(c, out, text_cstr(&name));
    Ref number[2] = {gradient_rows(c->ir, edge->beta), gradient_rows(c->ir, edge->gamma)};
    const char *const line[2] = {"PDE_ONCE out[l] = %s;", "PDE_ONCE out[PDE_LANES + l] = %s;"};
    gen_values(&g, 2, number, line);
    kernel_close(&g, KERNEL_POINTS, text_cstr(&name), 0);
}

/* out[d][d], in double, on the host. */
static void write_matrix(Compilation *c, Text *out, const Process *p) {
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_process_matrix(const PdePointArgs *a);");
    gen_open(&g, "void pde_process_matrix(const PdePointArgs *a) {");
    kernel_pointers(&g);
    gen_line(&g, "double *matrix = (double *)a->out;");
    gen_for(&g, p->other, "j", ir_const(c->ir, 1), c->problem->d);
    const char *line =
        gen_text(&g, "matrix[(i - 1) * %s + j - 1] = %%s;", gen_integer(&g, c->problem->d));
    gen_map(&g, p->index, "i", ir_const(c->ir, 1), c->problem->d, 1, &p->matrix, &line);
    gen_close(&g);
    gen_close(&g);
}

static Text cut(Text *t, size_t from, size_t to) {
    return (Text){.arena = t->arena, .s = t->s + from, .n = to - from};
}

void process_run(Compilation *c) {
    const Process *p = process_build(c);
    Kernels *k = c->problem->kernels;
    const size_t end = sizeof "#endif\n" - 1; /* what the host's part ends with */
    c->problem->process = p;
    if (p->class == PROCESS_NONE)
        return;
    Text host = cut(&k->source, k->numbers_at, k->source.n - end), all = {.arena = &c->arena};
    text_bytes(&all, k->source.s, k->numbers_at);
    write_process(c, &all, p);
    for (uint32_t e = 0; e < p->edge.n; e++)
        write_edge(c, &all, e, &p->edge.at[e]);
    k->numbers_at = all.n;
    text_bytes(&all, host.s, host.n);
    if (p->matrix)
        write_matrix(c, &all, p);
    for (uint32_t e = 0; e < p->edge.n; e++)
        kernel_faces(c, &all, kernel_numbered(c, "edge_faces_", e, UINT32_MAX),
                     &c->problem->condition.at[p->edge.at[e].condition].on);
    text_str(&all, STR("#endif\n"));
    k->source = all;
}
