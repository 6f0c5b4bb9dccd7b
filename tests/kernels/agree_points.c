/* agree_points.c: point programs, fields, features, samples and numbers of a module against the oracle. */
#include "agree.h"

#include <math.h>
#include <string.h>

#include "compiler/lower/trial.h"

typedef void NumbersKernel(double *);
typedef int32_t CountedKernel(double *);

bool scalars_agree(Rig *rig, const Build *b, uint32_t id) {
    const Scalars *scalars = &rig->c.problem->kernels->info.scalar[id];
    Shot s = {.rig = rig, .b = b, .id = id, .in = rig_inputs(rig, b)};
    s.scalar = shot_doubles(&s, scalars->at.n * LANES);
    double *got = shot_doubles(&s, scalars->at.n * LANES);
    bool ok = true;
    shot_points(&s);
    unpack(b, got, s.scalar, scalars->at.n * LANES);
    for (uint32_t k = 0; ok && k < scalars->at.n; k++) {
        long double want[LANES], parts[LANES];
        double size[LANES] = {0};
        Ref e = scalars->at.at[k];
        if (!rig_oracle(rig, e, want))
            return false;
        for (uint32_t j = 0; ir_is(rig->c.ir, e, OP_ADD) && j < ir_arity(rig->c.ir, e); j++)
            if (rig_oracle(rig, ir_kid(rig->c.ir, e, j), parts))
                for (int l = 0; l < LANES; l++)
                    size[l] += fabs((double)parts[l]);
        for (int l = 0; l < LANES; l++)
            ok = ok &&
                 close_enough("a scalar of the point", got[k * LANES + (uint32_t)l],
                              (double)want[l], EXACT * (fabs((double)want[l]) + size[l] + 1e-3));
    }
    return ok;
}

bool fields_agree(Rig *rig, const Build *b) {
    const Problem *p = rig->c.problem;
    const KernelInfo *info = &p->kernels->info;
    Shot s = {.rig = rig, .b = b, .id = info->n_tasks, .in = rig_inputs(rig, b)};
    double n[OUTPUTS_MAX], got[OUTPUTS_MAX], real_n[OUTPUTS_MAX], real_out[OUTPUTS_MAX];
    CombineKernel *fields = (CombineKernel *)build_function(b, "pde_fields");
    bool ok = true;
    s.scalar = shot_doubles(&s, info->scalar[s.id].at.n * LANES);
    shot_points(&s);
    for (uint32_t f = 0; f < p->field.n; f++) {
        long double want[LANES];
        if (!rig_oracle(rig, problem_scored(&rig->c, f, p->field.at[f].trial), want))
            return false;
        for (int l = 0; l < LANES; l++) {
            for (uint32_t o = 0; o < rig->n_out; o++)
                n[o] = (double)rig_derivative(rig, o, l, 0, NULL) / rig->scale[o];
            pack(b, real_n, n, rig->n_out);
            fields(&(PdeCombineArgs){.x = s.in.x,
                                     .aux = s.in.aux,
                                     .tensor = s.in.tensor,
                                     .unknown = s.in.unknown,
                                     .scalar = s.scalar,
                                     .lane = l,
                                     .output_scale = rig->scale,
                                     .n = real_n,
                                     .residual = real_out});
            unpack(b, got, real_out, rig->n_out);
            ok = ok && close_enough("a field", got[f], (double)want[l],
                                    EXACT * (fabs((double)want[l]) + 1));
        }
    }
    return ok;
}

bool features_agree(Rig *rig, const Build *b) {
    PointKernel *kernel = (PointKernel *)build_function(b, "pde_features");
    double got[INPUTS_MAX * LANES], real[INPUTS_MAX * LANES];
    bool ok = true;
    if (!rig->c.problem->features)
        return !kernel;
    Inputs in = rig_inputs(rig, b);
    PdePointArgs args = inputs_point_args(&in);
    args.out = real;
    kernel(&args);
    unpack(b, got, real, INPUTS_MAX * LANES);
    for (int64_t i = 0; i < rig->n_in; i++)
        for (int l = 0; l < LANES; l++)
            ok = ok && close_enough("a feature", got[i * LANES + l], (double)rig->z[l][i],
                                    EXACT * (fabs((double)rig->z[l][i]) + 1));
    return ok;
}

bool semiaxes_agree(Rig *rig, const Build *b) {
    PointKernel *kernel = (PointKernel *)build_function(b, "pde_semiaxes");
    double got[INPUTS_MAX * LANES], real[INPUTS_MAX * LANES];
    bool ok = true;
    bool any = false;
    for (uint32_t k = 0; k < rig->region.n; k++)
        any = any || rig->region.of[k].semiaxis;
    if (!any)
        return !kernel;
    Inputs in = rig_inputs(rig, b);
    kernel(&(PdePointArgs){.tensor = inputs_point_args(&in).tensor, .out = real});
    unpack(b, got, real, INPUTS_MAX * LANES);
    for (uint32_t k = 0; k < rig->region.n; k++) {
        const Region *own = &rig->region.of[k];
        for (int64_t i = 0; own->semiaxis && i < own->d; i++)
            for (int l = 0; l < LANES; l++)
                ok = ok && close_enough("a semiaxis", got[(own->first + i) * LANES + l],
                                        own->semiaxis[i], EXACT * (fabs(own->semiaxis[i]) + 1));
    }
    return ok;
}

/* The law of one number with arguments a and b, made of a standard number z in (0, 1). */
static double law_of(const char *law, double a, double b, double z) {
    if (strcmp(law, "uniform") == 0)
        return a + (b - a) * z;
    if (strcmp(law, "exponential") == 0)
        return -log(z) / a;
    if (strcmp(law, "rademacher") == 0)
        return z < 0.5 ? -1 : 1;
    return strcmp(law, "lognormal") == 0 ? exp(a + b * z) : a + b * z;
}

bool sample_agrees(Rig *rig, const Build *b, uint32_t k) {
    const Problem *p = rig->c.problem;
    const SampleRow *row = &p->sample.at[k];
    PointKernel *kernel = (PointKernel *)build_function(b, "pde_sample_%u", k);
    const char *law = sym_cstr(&rig->c, row->law);
    bool ok = true;
    if (strcmp(law, "radial") == 0 || (strcmp(law, "uniform") == 0 && row->n_args == 0))
        return !kernel;
    double z[INPUTS_MAX * LANES], got[INPUTS_MAX * LANES], real[INPUTS_MAX * LANES];
    for (int j = 0; j < INPUTS_MAX * LANES; j++)
        z[j] = rig_uniform(rig, 0.05, 0.95);
    pack(b, real, z, INPUTS_MAX * LANES);
    Inputs in = rig_inputs(rig, b);
    PdePointArgs args = inputs_point_args(&in);
    args.out = real;
    kernel(&args);
    unpack(b, got, real, INPUTS_MAX * LANES);
    int space = problem_space(p, row->target);
    for (int64_t i = 0; i < (space >= 0 ? rig->region.of[space].d : 1); i++) {
        long double arg[2][LANES] = {{0}};
        for (uint32_t j = 0; j < row->n_args && j < 2; j++)
            if (!rig_oracle(
                    rig, row->index ? at_index(rig, row->args[j], row->index, i + 1) : row->args[j],
                    arg[j]))
                return false;
        for (int l = 0; l < LANES; l++) {
            double want = law_of(law, (double)arg[0][l], (double)arg[1][l], z[i * LANES + l]);
            ok = ok && close_enough("a sample", got[i * LANES + l], want, EXACT * (fabs(want) + 1));
        }
    }
    return ok;
}

bool number_agrees(Rig *rig, const char *what, double got, Ref e, double otherwise) {
    double want = otherwise;
    if (e && values_number(&rig->c, &rig->values, e, &want))
        return false;
    return close_enough(what, got, want, EXACT * (fabs(want) + 1));
}

bool numbers_agree(Rig *rig, const Build *b) {
    const double none = (double)NAN;
    const Problem *p = rig->c.problem;
    double out[3 * UNKNOWNS_MAX + 3 * LIMIT_SPACES];
    int spaces = (int)p->space.n;
    bool ok = ((CountedKernel *)build_function(b, "pde_constants"))(out) == 3 * spaces + 2;
    for (int k = 0; k < 3 * spaces; k++)
        ok = ok &&
             ((k % 3 > 0 && k % 3 == (int)rig->region.of[k / 3].domain->indexed) ||
              number_agrees(rig, "a constant", out[k], p->space.at[k / 3].argument[k % 3], none));
    ok = ok && number_agrees(rig, "a constant", out[3 * spaces], p->t_lo, none) &&
         number_agrees(rig, "a constant", out[3 * spaces + 1], p->t_hi, none);
    for (uint32_t k = 0; ok && k < p->tensor.n; k++) {
        ((NumbersKernel *)build_function(b, "pde_tensor_%s",
                                         sym_cstr(&rig->c, p->tensor.at[k].name)))(out);
        for (int j = 0; j < 2; j++)
            ok = ok && number_agrees(rig, "an argument of a law", out[j],
                                     p->tensor.at[k].law_args[j], none);
    }
    if (p->unknown.n)
        ((NumbersKernel *)build_function(b, "pde_unknowns"))(out);
    for (uint32_t k = 0; k < p->unknown.n; k++) {
        const UnknownRow *u = &p->unknown.at[k];
        ok = ok && number_agrees(rig, "an initial value", out[3 * k], u->initial, none) &&
             number_agrees(rig, "a lower bound", out[3 * k + 1], u->lo, none) &&
             number_agrees(rig, "an upper bound", out[3 * k + 2], u->hi, none);
    }
    for (uint32_t k = 0; k < p->plan->task.n; k++) {
        const Task *t = &p->plan->task.at[k];
        if (!plan_is_condition(t->kind))
            continue;
        ((NumbersKernel *)build_function(b, "pde_loss_weight_%u", k))(out);
        ok = ok && number_agrees(rig, "a weight", out[0], p->condition.at[t->row].weight, 1);
    }
    return ok;
}
