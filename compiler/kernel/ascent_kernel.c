/* ascent_kernel.c: see ascent_kernel.h. */
#include "kernel/ascent_kernel.h"

#include <stdlib.h>

#include "base/compilation.h"
#include "kernel/combine.h"

static const char *ascent_atom(void *context, Gen *g, Ref e) {
    const Ascent *a = context;
    Ir *ir = g->c->ir;
    if (!ir_is(ir, e, OP_AUX))
        return NULL;
    const char *name = sym_cstr(g->c, (Sym)ir_id(ir, e));
    if (name[0] != '$')
        return NULL;
    if (g->probing)
        return "";
    unsigned long number = strtoul(name + 2, NULL, 10);
    const char *row = ir_arity(ir, e) ? gen_integer(g, ir_kid(ir, e, 0)) : "1";
    if (name[1] == 'p')
        return gen_text(g, "frozen[%lu * PDE_LANES + l]", number);
    if (name[1] == 'j')
        return gen_text(g, "frozen[(%u + %lu * %s + %s - 1) * PDE_LANES + l]", a->scalars, number,
                        gen_integer(g, g->c->problem->d), row);
    return gen_text(g, "bar%lu[(%s - 1) * PDE_LANES + l]", number, row);
}

void ascent_write(Compilation *c, Text *out, const char *name, const Task *task,
                  const Ascent *ascent) {
    Gen g = gen_new(c, out, true);
    Ascent copy = *ascent;
    g.atom = ascent_atom;
    g.atom_context = &copy;
    kernel_open(&g, KERNEL_POINTS, name);
    kernel_pointers(&g);
    gen_line(&g, "const real *frozen = (const real *)a->value;");
    gen_line(&g, "(void)frozen;");
    for (uint32_t b = 0; b <= task->sampled.block.n; b++) {
        if (b < task->sampled.block.n && task->sampled.block.at[b].kind != BLOCK_point_dense)
            continue;
        gen_line(&g, "const real *bar%u = (const real *)a->bar[%u] + a->bar_at;", b, b);
        gen_line(&g, "(void)bar%u;", b);
    }
    gen_line(&g, "real *out = (real *)a->out;");
    const char *line = "out[(i - 1) * PDE_LANES + l] = %s;";
    gen_map(&g, ascent->index, "i", ir_const(c->ir, 1), c->problem->d, 1, &ascent->by_space, &line);
    if (ascent->by_time) {
        line =
            gen_text(&g, "PDE_ONCE out[%s * PDE_LANES + l] = %%s;", gen_integer(&g, c->problem->d));
        gen_values(&g, 1, &ascent->by_time, &line);
    }
    kernel_close(&g, KERNEL_POINTS, name, 0);
}
