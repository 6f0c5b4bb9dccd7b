/* process_print.c: --emit=error: how the error of a solution is estimated, or why it is not. */
#include <math.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "pass.h"
#include "terms/process.h"

static void print_row(Compilation *c, Text *out, const char *name, Ref value) {
    text_printf(out, "  %-22s %s\n", name, ir_text(c->ir, value));
}

static const char *end_of(ProcessClass class) {
    static const char *const where[] = {
#define PROCESS(id, name, where) where,
        PROCESS_CLASSES(PROCESS)
#undef PROCESS
    };
    return where[class];
}

static void print_edge(Compilation *c, Text *out, const ProcessEdge *edge) {
    static const char *const name[] = {"boundary", "initial", "terminal", "observe", "constraint"};
    const ConditionRow *row = &c->problem->condition.at[edge->condition];
    const char *state = row->state == CONDITION_SOFT ? "" : ", which the trial function meets: 0";
    text_printf(out, "  at the %s condition", name[row->where - COND_BOUNDARY]);
    if (row->on.n) {
        Str part = source_text(c, row->ast->kid[3]->span);
        text_printf(out, " on %.*s", (int)part.n, part.s);
    }
    text_str(out, STR(": "));
    if (edge->reflects)
        text_printf(out, "reflected, with (%s) e + (%s) d(e, outward) = its residual%s\n",
                    ir_text(c->ir, edge->beta), ir_text(c->ir, edge->gamma), state);
    else
        text_printf(out, "(%s) e = its residual%s\n", ir_text(c->ir, edge->beta), state);
}

/* "0 <= u <= 1.5" */
static void print_bounds(Compilation *c, Text *out, const Process *p) {
    const char *name = sym_cstr(c, c->problem->field.at[0].name);
    bool low = isfinite(p->low), high = isfinite(p->high);
    if (!low && !high) {
        text_str(out, STR("no bound of the solution is proven\n"));
        return;
    }
    text_str(out, STR("the equation and its conditions prove "));
    if (low) {
        text_double(out, p->low);
        text_str(out, STR(" <= "));
    }
    text_printf(out, "%s", name);
    if (high) {
        text_str(out, STR(" <= "));
        text_double(out, p->high);
    }
    text_str(out, domain_bounded(c) ? STR("\n") : STR(", unless it grows faster than its data\n"));
}

void process_emit(Compilation *c, Text *out) {
    const Process *p = c->problem->process;
    if (p->class == PROCESS_NONE) {
        Place place = source_place(c, p->where.lo);
        text_printf(out, "no error bar (at %u:%u): %s\n", place.line, place.column, p->why);
        return;
    }
    memo_put(c->ir->index_name, p->index, 0, intern_cstr(c, "k"));
    memo_put(c->ir->index_name, p->other, 0, intern_cstr(c, "l"));
    text_printf(
        out,
        "the error e of %s solves A e = r to first order, r the residual, along the paths of\n"
        "dX = b ds + sigma dW; they end %s\n",
        problem_is_exponential(c, 0) ? "the logarithm of the field" : "the field",
        end_of(p->class));
    print_row(c, out, "b_k", p->drift);
    print_row(c, out, "sigma sigma'_kk", p->diagonal);
    for (uint32_t r = 0; r < p->ranks; r++) {
        print_row(c, out, "  plus v v', v_k", p->vector[r]);
        print_row(c, out, "  times", p->strength[r]);
    }
    if (p->matrix) {
        print_row(c, out, "  plus the matrix kl", p->matrix);
        print_row(c, out, "  between diag, k", p->scale);
    }
    if (c->problem->time)
        print_row(c, out, "tau", p->tau);
    print_row(c, out, "c", p->rate);
    if (!p->linear) {
        text_str(out, STR("the equation is not linear; with the solution's value change\n"));
        print_row(c, out, "b_k by", p->bend_drift);
        print_row(c, out, "sigma sigma'_kk by", p->bend_diagonal);
        print_row(c, out, "c by", p->bend_rate);
        text_str(out, STR("and with its slope\n"));
        print_row(c, out, "b_k by", p->bend_slope);
    }
    for (uint32_t k = 0; k < p->edge.n; k++)
        print_edge(c, out, &p->edge.at[k]);
    print_bounds(c, out, p);
}
