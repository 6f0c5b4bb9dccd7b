/* oracle_table.c: the oracle's values of all known quantities (sources, exact solutions, coefficients). Dims are cut
 * down, so it costs a fraction of a millisecond whatever d is; what needs a data file is left out. */
#include "output/oracle_table.h"

#include <math.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "eval/domain_points.h"

enum { POINTS = 4, SMALL = 12, STEPS = 200000 };

/* owner: the arena */
typedef struct Expected {
    Compilation *c;
    Values values;
    EvalInput in;
    double *x, *normal, t[POINTS];
} Expected;

static void numbers(Text *out, uint32_t n, const double *v) {
    text_str(out, STR("["));
    for (uint32_t k = 0; k < n; k++) {
        text_str(out, k ? STR(",") : STR(""));
        text_double(out, v[k]);
    }
    text_str(out, STR("]"));
}

static bool needs_file(Compilation *c, Ref e) {
    const Problem *p = c->problem;
    for (uint32_t k = 0; k < p->tensor.n; k++)
        if (p->tensor.at[k].file && values_uses_tensor(c, e, p->tensor.at[k].name))
            return true;
    return false;
}

/* All tensors in one expression, so that values_collect makes them. */
static Ref all_scalars(Compilation *c, const KernelInfo *info) {
    Ref sum = ir_const(c->ir, 0);
    for (uint32_t t = 0; t <= info->n_tasks; t++)
        for (uint32_t k = 0; k < info->scalar[t].at.n; k++)
            sum = ir_add2(c->ir, sum, info->scalar[t].at.at[k]);
    return sum;
}

static bool prepare(Expected *e, const KernelInfo *info) {
    Compilation *c = e->c;
    NpyFile open = {0};
    Regions region;
    e->values = (Values){.cap = SMALL};
    if (values_collect(c, all_scalars(c, info), &open, &e->values) ||
        region_of(c, &e->values, &region) || e->values.d < 1 || !region_is_valid(&region))
        return false;
    int64_t d = e->values.d;
    e->x = NEW_ARRAY(&c->arena, double, POINTS *d);
    e->normal = NEW_ARRAY(&c->arena, double, POINTS *d);
    for (uint32_t p = 0; p < POINTS; p++) {
        region_draw(&region, p, e->x + p * d, &e->t[p]);
        region_outward(&region, e->x + p * d, e->normal + p * d);
    }
    e->in = values_input(&e->values);
    e->in.points = POINTS;
    e->in.x = e->x;
    e->in.t = c->problem->time ? e->t : NULL;
    e->in.normal = e->normal;
    e->in.fuel = STEPS;
    return true;
}

static void scalar_json(Expected *e, Ref scalar, Text *out) {
    double v[POINTS];
    bool known = !ir_contains(e->c->ir, scalar, OP_AUX) && !needs_file(e->c, scalar) &&
                 !eval_double(e->c->ir, scalar, &e->in, v);
    for (int p = 0; p < POINTS && known; p++)
        known = isfinite(v[p]);
    if (known)
        numbers(out, POINTS, v);
    else
        text_str(out, STR("null"));
}

/* Values of dims and params, of the unknowns, points. */
static void given_json(const Expected *e, Text *out) {
    const Problem *p = e->c->problem;
    text_str(out, STR("{\"set\":{"));
    bool first = true;
    for (uint32_t k = 0; k < e->values.value.n; k++) {
        Sym name = e->values.value.at[k].name;
        bool unknown = false;
        for (uint32_t u = 0; u < p->unknown.n; u++)
            unknown |= p->unknown.at[u].name == name;
        if (unknown)
            continue;
        text_str(out, first ? STR("") : STR(","));
        first = false;
        emit_json_string(out, sym_cstr(e->c, name));
        text_str(out, STR(":"));
        text_double(out, e->values.value.at[k].value);
    }
    text_str(out, STR("},\"unknowns\":["));
    for (uint32_t u = 0; u < p->unknown.n; u++) {
        double v = 1;
        for (uint32_t k = 0; k < e->values.value.n; k++)
            if (e->values.value.at[k].name == p->unknown.at[u].name)
                v = e->values.value.at[k].value;
        text_str(out, u ? STR(",") : STR(""));
        text_double(out, v);
    }
    uint32_t n = (uint32_t)e->values.d * POINTS;
    text_printf(out, "],\n\"x\":");
    numbers(out, n, e->x);
    text_printf(out, ",\n\"t\":");
    numbers(out, POINTS, e->t);
    text_printf(out, ",\n\"normal\":");
    numbers(out, n, e->normal);
}

void expected_json(Compilation *c, const KernelInfo *info, Text *out) {
    Expected e = {.c = c};
    if (!prepare(&e, info)) {
        text_str(out, STR("null"));
        return;
    }
    given_json(&e, out);
    text_printf(out, ",\n\"scalars\":[");
    for (uint32_t t = 0; t <= info->n_tasks; t++) {
        text_str(out, t ? STR(",\n[") : STR("\n["));
        for (uint32_t k = 0; k < info->scalar[t].at.n; k++) {
            text_str(out, k ? STR(",") : STR(""));
            scalar_json(&e, info->scalar[t].at.at[k], out);
        }
        text_str(out, STR("]"));
    }
    text_str(out, STR("]}"));
}
