/* lab.c: see lab.h. */
#include "lab.h"

#include "compiler/base/limits.h"
#include "compiler/text/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const long double lab_stencil[3][9] = {
    {0, 0, 0, 0, 1, 0, 0, 0, 0},
    {1.0L / 280, -4.0L / 105, 1.0L / 5, -4.0L / 5, 0, 4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280},
    {-1.0L / 560, 8.0L / 315, -1.0L / 5, 8.0L / 5, -205.0L / 72, 8.0L / 5, -1.0L / 5, 8.0L / 315,
     -1.0L / 560}};

static void print_messages(Lab *lab) {
    Text out = {.arena = &lab->c.arena};
    diag_render(&lab->c, DIAG_TEXT, false, &out);
    printf("%s", text_cstr(&out));
}

static void set_dimension(Lab *lab, long d) {
    char setting[32];
    snprintf(setting, sizeof setting, "d=%ld", d);
    const char *why = d ? values_override(&lab->c, setting) : NULL;
    if (why)
        printf("%s\n", why);
}

bool lab_open(Lab *lab, const char *name, const char *text, PassId last, long d) {
    *lab = (Lab){0};
    lab->c.arena = (Arena){.limit = LIMIT_ARENA_BYTES, .on_fail = &lab->on_fail};
    lab->c.scratch = lab->c.arena;
    if (setjmp(lab->on_fail) != 0) {
        printf("%s: out of memory or past a limit\n", name);
        return false;
    }
    source_add(&lab->c, name, text, strlen(text), false);
    bool ok = pass_run(&lab->c, PASS_parse, PASS_parse, NULL);
    if (ok)
        set_dimension(lab, d);
    ok = ok && pass_run(&lab->c, PASS_resolve, last, NULL);
    if (!ok)
        print_messages(lab);
    return ok;
}

bool lab_open_example(Lab *lab, const char *name, PassId last, long d) {
    char path[1024], *text;
    size_t n;
    snprintf(path, sizeof path, "%s/examples/%s", PDE_SOURCE_DIR, name);
    if (source_read(path, &text, &n) != READ_OK)
        return false;
    bool ok = lab_open(lab, name, text, last, d);
    free(text);
    return ok;
}

void lab_close(Lab *lab) {
    arena_free(&lab->c.scratch);
    arena_free(&lab->c.arena);
}

Ref lab_expression(Lab *lab, const char *text) {
    const Source *source = source_add(&lab->c, "expression", text, strlen(text), false);
    Ast *program = parse_expression(&lab->c, source);
    if (!program || program->n != 1 || diag_errors(&lab->c)) {
        print_messages(lab);
        return 0;
    }
    return lower_scalar(&lab->c, NULL, program->kid[0]->kid[0]);
}

bool lab_values(Lab *lab, Ref e) {
    NpyFile none = {0};
    lab->values = (Values){0};
    const char *why = values_collect(&lab->c, e, &none, &lab->values);
    if (!why)
        why = region_of(&lab->c, &lab->values, &lab->region);
    if (why)
        printf("%s\n", why);
    return !why;
}

long double lab_eval(Lab *lab, Ref e, const double *x, double t) {
    EvalInput in = values_input(&lab->values);
    long double v = 0;
    in.points = 1;
    in.x = x;
    in.t = &t;
    const char *why = eval_long_double(lab->c.ir, e, &in, &v);
    if (why)
        printf("%s\n", why);
    return why ? nanl("") : v;
}

double lab_eval_double(Lab *lab, Ref e, const double *x, double t) {
    EvalInput in = values_input(&lab->values);
    double v = 0;
    in.points = 1;
    in.x = x;
    in.t = &t;
    return eval_double(lab->c.ir, e, &in, &v) ? nan("") : v;
}

void lab_dyadic_point(const Lab *lab, uint32_t number, double *x, double *t) {
    region_draw(&lab->region, number, x, t);
    for (int64_t i = 0; i < lab->region.d; i++)
        x[i] = floor(x[i] * 4096) / 4096;
    *t = floor(*t * 4096) / 4096;
}
