/* direction_kernels.c: generated kernels that fill the directions of a route: dense ones, weights, gradients.
 *
 * Requires: the blocks of the plan. Promises: one kernel for each block whose directions the runtime cannot fill
 * by itself, and the features that the network sees of a point. */
#include "kernel/kernels.h"

#include "base/compilation.h"
#include "ir/tangent.h"
#include "kernel/cgen.h"
#include "kernel/combine.h"
#include "kernel/gradient_rows.h"
#include "plan/tangent_block.h"

/* A loop over the entries of each vector: line, with the entry's row from 0 in the place of the first %s. */
static void write_vector_rows(Gen *g, Ref index, const Ref *value, const char *line) {
    Compilation *c = g->c;
    for (uint32_t k = 0; k < input_vectors(c->problem); k++) {
        Ref row = input_vector_row(c->problem, c->ir, k);
        Text t = {.arena = &c->arena};
        text_printf(&t, line, k ? gen_text(g, "(%s + i - 1)", gen_integer(g, row)) : "(i - 1)");
        const char *filled = text_cstr(&t);
        gen_map(g, index, "i", ir_const(c->ir, 1), input_vector_size(c->problem, k), 1, &value[k],
                &filled);
    }
}

/* One line for each scalar input, with its row in the place of the first %s. */
static void write_scalar_rows(Gen *g, const Ref *value, const char *line) {
    Compilation *c = g->c;
    Ref zero = ir_const(c->ir, 0);
    for (uint32_t k = 0; k < input_scalars(c->problem); k++) {
        const char *row = gen_integer(
            g, ir_add2(c->ir, input_vector_rows(c->problem, c->ir), ir_const(c->ir, k)));
        Text t = {.arena = &c->arena};
        text_printf(&t, line, row);
        const char *filled = text_cstr(&t);
        gen_values(g, 1, value && value[k] ? &value[k] : &zero, &filled);
    }
}

static void write_direction(Compilation *c, Text *out, const char *name, const Block *b) {
    Gen g = gen_new(c, out, true);
    kernel_open(&g, KERNEL_POINTS, name);
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    write_vector_rows(&g, b->index, b->entries, "out[%s * PDE_LANES + l] = %%s;");
    write_scalar_rows(&g, b->scalar, "PDE_ONCE out[%s * PDE_LANES + l] = %%s;");
    kernel_close(&g, KERNEL_POINTS, name, 0);
}

static void write_weight(Compilation *c, Text *out, const char *name, const Block *b) {
    Gen g = gen_new(c, out, true);
    g.lanes = false;
    kernel_open(&g, KERNEL_WEIGHTS, name);
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    write_vector_rows(&g, b->index, b->entries, "out[%s] = %%s;");
    write_scalar_rows(&g, NULL, "PDE_ONCE out[%s] = %%s;");
    kernel_close(&g, KERNEL_WEIGHTS, name, 0);
}

/* A sum over functions of the gradient: `total` of each lane, which ends as the value; f' goes to out. */
static void open_gradient(Gen *g, const char *name, const Block *b) {
    kernel_open(g, KERNEL_POINTS, name);
    kernel_pointers(g);
    gen_line(g, "const real *gradient = (const real *)a->gradient;");
    gen_line(g, "const real scale = R(a->output_scale[%u]);", (unsigned)ir_id(g->c->ir, b->atom));
    gen_line(g, "real *out = (real *)a->out, *value = (real *)a->value, total[PDE_OWN_LANES];");
    gen_line(g, "PDE_EACH_LANE total[l] = R(0);");
}

static void join_gradient(Gen *g) {
    gen_line(g, "PDE_JOIN_LANES(sum, total)");
    gen_line(g, "PDE_EACH_LANE PDE_ONCE value[l] = total[l];");
}

/* sum_i f(d(net, x_i)): the sum itself, and f' as the direction. */
static void write_gradient(Compilation *c, Text *out, const char *name, const Block *b) {
    Ir *ir = c->ir;
    Gen g = gen_new(c, out, true);
    NamedAtom slope = {b->atom, "slope"};
    open_gradient(&g, name, b);
    Ref roots[2] = {b->entries[0], ir_diff(ir, b->entries[0], b->atom)};
    const char *lines[2] = {"total[l] += %s;", "out[(i - 1) * PDE_LANES + l] = %s;"};
    g.atom = kernel_named_atom;
    g.atom_context = &slope;
    g.lane_prologue = "const real slope = scale * gradient[(i - 1) * PDE_LANES + l];";
    gen_map_total(&g, b->index, "i", ir_const(ir, 1), input_vector_rows(c->problem, ir), 2, roots,
                  lines, "total");
    g.lane_prologue = NULL;
    join_gradient(&g);
    write_scalar_rows(&g, NULL, "PDE_ONCE out[%s * PDE_LANES + l] = %%s;");
    kernel_close(&g, KERNEL_POINTS, name, 0);
}

/* ---- the same along tangents ---- */

static void write_tangent_gradient(Compilation *c, Text *out, const char *name, const Block *b) {
    Ir *ir = c->ir;
    Gen g = gen_new(c, out, true);
    Ref value = b->entries[0], slope = ir_diff(ir, value, b->atom);
    Block direction = {0};
    value = gradient_rows(ir, value);
    slope = gradient_rows(ir, slope);
    tangent_push_coordinates(ir, b->index, slope, &direction);
    open_gradient(&g, name, b);
    const char *line = "total[l] += %s;";
    g.atom = gradient_atom;
    gen_map_total(&g, b->index, "i", ir_const(ir, 1), c->problem->d, 1, &value, &line, "total");
    join_gradient(&g);
    write_vector_rows(&g, direction.index, direction.entries, "out[%s * PDE_LANES + l] = %%s;");
    write_scalar_rows(&g, direction.scalar, "PDE_ONCE out[%s * PDE_LANES + l] = %%s;");
    kernel_close(&g, KERNEL_POINTS, name, 0);
}

/* What the network sees of a point, in the order of its inputs. */
void kernels_features(Compilation *c, Text *out) {
    const Features *f = c->problem->features;
    Ref scalar[INPUT_SCALARS], entries[INPUT_VECTORS], index = ir_fresh_index(c->ir);
    uint32_t vectors = 0;
    if (!f)
        return;
    Gen g = gen_new(c, out, true);
    kernel_open(&g, KERNEL_POINTS, "features");
    kernel_pointers(&g);
    gen_line(&g, "real *out = (real *)a->out;");
    for (uint32_t k = 0; k < f->at.n; k++) {
        const Feature *one = &f->at.at[k];
        if (one->index)
            entries[vectors++] = ir_substitute(c->ir, one->value, one->index, index);
        else
            scalar[input_slot(c->problem, c->ir, ir_indexed(c->ir, OP_INPUT, k, 0, NULL))] =
                one->value;
    }
    write_vector_rows(&g, index, entries, "out[%s * PDE_LANES + l] = %%s;");
    write_scalar_rows(&g, scalar, "PDE_ONCE out[%s * PDE_LANES + l] = %%s;");
    kernel_close(&g, KERNEL_POINTS, "features", 0);
}

void kernels_directions(Compilation *c, Text *out, bool exact, uint32_t task, const Route *r,
                        Scalars *scalars) {
    for (uint32_t b = 0; b < r->block.n; b++) {
        const Block *block = &r->block.at[b];
        switch (block->kind) {
        case BLOCK_dense:
        case BLOCK_point_dense:
            write_direction(c, out,
                            kernel_numbered(c, exact ? "exact_direction_" : "direction_", task, b),
                            block);
            break;
        case BLOCK_gram:
            write_weight(c, out, kernel_numbered(c, exact ? "exact_weight_" : "weight_", task, b),
                         block);
            break;
        case BLOCK_gradient: {
            const char *name = kernel_numbered(c, exact ? "exact_gradient_" : "gradient_", task, b);
            if (tangent_inputs(c->problem))
                write_tangent_gradient(c, out, name, block);
            else
                write_gradient(c, out, name, block);
            break;
        }
        case BLOCK_sparse:
            combine_write_sparse(c, out, kernel_numbered(c, "sparse_", task, b),
                                 &c->problem->plan->task.at[task], block, scalars);
            break;
        case BLOCK_unit:
        case BLOCK_pair:
        case BLOCK_scalar:
        case BLOCK_position:
        case BLOCK_KIND_COUNT:
            break; /* the runtime knows these */
        }
    }
}
