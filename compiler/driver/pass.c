/* pass.c: the pass table at work, and the first pass. */
#define _POSIX_C_SOURCE 200809L
#include "pass.h"

#include "ir/ir.h"
#include "plan/plan_verify.h"
#include "text/parse.h"
#include "text/stdlib_pde.h"

#include <stddef.h>
#include <time.h>

static const Pass passes[PASS_COUNT] = {
#define P(name, run, emit, what) {#name, run, emit, what},
#include "pass.def"
};

const Pass *pass_row(PassId id) {
    return &passes[id];
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report_broken(Compilation *c, const Pass *pass, const char *broken, Span where) {
    Text what = {.arena = &c->arena};
    text_printf(&what, "the pass `%s` left %s", pass->name, broken);
    diag(c, X0901, where, text_cstr(&what));
}

/* A pass that leaves the IR or the plan broken is found here, and not as a kernel that computes something else. */
static void verify(Compilation *c, const Pass *pass) {
    Ref where;
    const char *broken = c->ir ? ir_verify(c->ir, &where) : NULL;
    if (broken)
        report_broken(c, pass, broken, c->ir->trail.at[where]);
    const Plan *plan = c->problem ? c->problem->plan : NULL;
    for (uint32_t k = 0; plan && k < plan->task.n && !diag_errors(c); k++)
        if ((broken = plan_verify(c, &plan->task.at[k])) != NULL)
            report_broken(c, pass, broken, (Span){0});
}

bool pass_run(Compilation *c, PassId first, PassId last, double *seconds) {
    for (int id = (int)first; id <= (int)last && id < PASS_COUNT; id++) {
        double start = now();
        passes[id].run(c);
        verify(c, &passes[id]);
        if (seconds)
            seconds[id] = now() - start;
        if (diag_errors(c))
            return false;
    }
    return true;
}

/* Requires: the user's source is the only one. Establishes: program and library. */
void parse_run(Compilation *c) {
    c->program = parse_source(c, &c->sources.list.at[0]);
    for (size_t i = 0; i < stdlib_pde_count; i++) {
        const StdlibFile *f = &stdlib_pde[i];
        const Source *source = source_add(c, f->name, f->text, f->n, true);
        Ast *file = parse_source(c, source);
        c->library = c->library ? ast_join(c, c->library, file) : file;
    }
}

void parse_emit(Compilation *c, Text *out) {
    ast_print(c, c->program, out);
}
