/* tensor_kernels.c: the functions of one coordinate as C, and the network's object in the plan. */
#include "terms/tensor.h"

#include "base/compilation.h"
#include "eval/domain.h"
#include "base/json_text.h"
#include "kernel/cgen.h"

static const char *atom(void *context, Gen *g, Ref e) {
    const TensorNet *t = context;
    (void)g;
    return e == t->y ? "y" : t->table && e == t->table ? "mu[i - 1]" : NULL;
}

static Gen open_kernel(Compilation *c, TensorNet *t, Text *out, const char *name) {
    Gen g = {
        .c = c, .out = out, .index_name = {.arena = &c->arena}, .atom = atom, .atom_context = t};
    gen_push(&g);
    text_str(out, STR("\n"));
    gen_line(&g, "void pde_tnn_%s(const PdeTensorArgs *a);", name);
    gen_open(&g, "void pde_tnn_%s(const PdeTensorArgs *a) {", name);
    if (t->table) {
        gen_line(&g, "static const double mu[%u] = {", t->n);
        for (uint32_t k = 0; k < t->n; k++)
            gen_line(&g, "    %a, /* %.6g */", t->eigenvalue[k], t->eigenvalue[k]);
        gen_line(&g, "};");
        gen_line(&g, "(void)mu;");
    }
    for (uint32_t k = 0; k < c->problem->tensor.n; k++) {
        const char *tensor = sym_cstr(c, c->problem->tensor.at[k].name);
        gen_line(&g, "const double *v_%s = a->tensor[%u];", tensor, k);
        gen_line(&g, "(void)v_%s;", tensor);
    }
    return g;
}

/* The rest is done for every dimension asked for; close_loop ends loop and kernel. */
static void open_loop(Gen *g, const TensorNet *t) {
    gen_open(g, "for (int64_t i = a->first + 1; i <= a->first + a->count; i++) {");
    gen_push(g);
    gen_name_index(g, t->index, "i");
}

static void close_loop(Gen *g) {
    gen_pop(g);
    gen_close(g);
    gen_close(g);
}

static void write_functions(Compilation *c, TensorNet *t, Text *out) {
    uint32_t n = 1 + 2 * t->pair.n;
    Ref *root = NEW_ARRAY(&c->arena, Ref, n);
    const char **line = NEW_ARRAY(&c->arena, const char *, n);
    Gen g = open_kernel(c, t, out, "functions");
    open_loop(&g, t);
    root[0] = t->potential ? t->potential : ir_const(c->ir, 0);
    for (uint32_t m = 0; m < t->pair.n; m++) {
        root[1 + 2 * m] = t->pair.at[m].first;
        root[2 + 2 * m] = t->pair.at[m].second;
    }
    for (uint32_t f = 0; f < n; f++)
        line[f] =
            gen_text(&g, "a->out[(%u * a->count + i - 1 - a->first) * a->nodes + q] = %%s;", f);
    gen_open(&g, "for (int64_t q = 0; q < a->nodes; q++) {");
    gen_push(&g);
    gen_line(&g, "const double y = a->y[(i - 1 - a->first) * a->nodes + q];");
    gen_line(&g, "(void)y;");
    gen_values(&g, n, root, line);
    gen_pop(&g);
    gen_close(&g);
    close_loop(&g);
}

/* Walls of the box, factor of the second derivative, natural length of the oscillator. */
static void write_dimensions(Compilation *c, TensorNet *t, Text *out) {
    enum { ROWS = 4 };
    Ir *ir = c->ir;
    const Problem *p = c->problem;
    bool box = domain_product(c) == PRODUCT_INTERVAL;
    Ref length = t->scale ? ir_pow(ir, ir_div(ir, t->kinetic, t->scale), ir_const(ir, 0.25))
                          : ir_const(ir, 1);
    Ref root[ROWS] = {box ? p->space.at[0].argument[1] : ir_const(ir, -1),
                      box ? p->space.at[0].argument[2] : ir_const(ir, 1), t->kinetic, length};
    const char *line[ROWS];
    Gen g = open_kernel(c, t, out, "dimensions");
    open_loop(&g, t);
    for (uint32_t k = 0; k < ROWS; k++)
        line[k] = gen_text(&g, "a->out[%u * a->count + i - 1 - a->first] = %%s;", k);
    gen_values(&g, ROWS, root, line);
    close_loop(&g);
}

/* The constant of the operator, and the exact eigenvalue (NaN if unknown). */
static void write_numbers(Compilation *c, TensorNet *t, Text *out) {
    Ref value[2] = {t->constant, c->problem->unknown.at[t->unknown].exact};
    Gen g = open_kernel(c, t, out, "numbers");
    for (uint32_t k = 0; k < 2; k++) {
        const char *line = gen_text(&g, "a->out[%u] = %%s;", k);
        if (value[k])
            gen_values(&g, 1, &value[k], &line);
        else
            gen_line(&g, "a->out[%u] = NAN;", k);
    }
    gen_close(&g);
}

void tensor_write(Compilation *c, Text *out) {
    TensorNet *t = c->problem->tensor_net;
    if (!t)
        return;
    text_str(out, STR("\n/* Functions of one coordinate, for a tensor network. */\n"));
    write_functions(c, t, out);
    write_dimensions(c, t, out);
    write_numbers(c, t, out);
}

void tensor_json(Compilation *c, Text *out) {
    const TensorNet *t = c->problem->tensor_net;
    if (!t)
        return;
    bool box = domain_product(c) == PRODUCT_INTERVAL;
    Text text = {.arena = &c->arena};
    tensor_print(c, &text);
    text_printf(out, ",\n\"tensor\":{\"unknown\":%u,\"coordinates\":", t->unknown);
    emit_json_string(out, sym_cstr(c, t->coordinates));
    text_printf(out, ",\"box\":%s,\"natural\":%s,\"dimension\":%u,\"pairs\":[",
                box ? "true" : "false", t->scale ? "true" : "false", t->n);
    for (uint32_t m = 0; m < t->pair.n; m++)
        text_printf(out, "%s{\"all\":%s}", m ? "," : "", t->pair.at[m].all ? "true" : "false");
    text_printf(out, "],\"text\":");
    emit_json_string(out, text_cstr(&text));
    text_printf(out, "}");
}
