/* pilot.c: see pilot.h. */
#include "variants/pilot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/domain_points.h"
#include "runtime/contract/tensor_rng.h"

enum { LARGER = 192, FIXED_MOST = 2000, PILOT_STEPS = 4000000 };

static bool collect(Compilation *c, Ref e, int64_t cap, Values *v) {
    NpyFile none = {0};
    *v = (Values){.cap = cap};
    return !values_collect(c, e, &none, v);
}

/* Points of the law that a problem has without a sample statement. */
static bool draw_in_domain(Pilot *p, const Values *v, int which) {
    Regions r;
    if (region_of(p->c, v, &r))
        return false;
    bool as_drawn = p->spread->radial;
    for (uint32_t k = 0; k < PILOT_POINTS; k++) {
        double *x = p->x[which] + k * v->d;
        region_draw(&r, k, x, &p->t[which][k]);
        if (!as_drawn)
            region_draw_uniform(&r, k, x);
    }
    return true;
}

/* Normal numbers with mean 0 and deviation 1 over the points to the digit, so
 * that means of sums are those of the law and not of the draw. */
static void draw_normals(double *x, int64_t d) {
    for (uint32_t k = 0; k < PILOT_POINTS; k++)
        pde_tensor_fill(pde_tensor_key(3, "normals", 7), TENSOR_NORMAL, 0, 1, k, 0, (uint32_t)d,
                        x + k * d);
    for (int64_t i = 0; i < d; i++) {
        double mean = 0, square = 0;
        for (uint32_t k = 0; k < PILOT_POINTS; k++)
            mean += x[k * d + i] / PILOT_POINTS;
        for (uint32_t k = 0; k < PILOT_POINTS; k++)
            square += (x[k * d + i] - mean) * (x[k * d + i] - mean) / PILOT_POINTS;
        for (uint32_t k = 0; k < PILOT_POINTS; k++)
            x[k * d + i] = (x[k * d + i] - mean) / sqrt(square);
    }
}

/* Values of e, free of x, for entry i of point k: the time and the chances are
 * those of the point. */
static bool law_number(Pilot *p, EvalInput in, Ref e, int64_t i, double *out) {
    Ir *ir = p->c->ir;
    Ref at = ir_substitute(ir, e, p->spread->index, ir_const(ir, (double)(i + 1)));
    in.points = 1;
    return !eval_double(ir, at, &in, out) && isfinite(*out);
}

/* The names of all chances, and of the auxiliary numbers of the file, with
 * numbers of this point. */
static uint32_t chances_of(Pilot *p, uint32_t k, const Values *v, EvalValue *to) {
    uint32_t n = 0;
    const Problem *problem = p->c->problem;
    for (; n < v->value.n; n++)
        to[n] = v->value.at[n];
    uint32_t own = p->spread->chances, all = own + problem->sample.n;
    for (uint32_t j = 0; j < all; j++) {
        double normal[4], uniform[4];
        pde_tensor_block(pde_tensor_key(j, "chances", 7), TENSOR_NORMAL, k, 0, normal);
        pde_tensor_block(pde_tensor_key(j, "chances", 7), TENSOR_UNIFORM, k, 1, uniform);
        const SampleRow *s = j < own ? NULL : &problem->sample.at[j - own];
        bool is_normal =
            s ? strcmp(sym_cstr(p->c, s->law), "normal") == 0 : p->spread->chance[j].normal;
        to[n++] = (EvalValue){s ? s->target : intern_cstr(p->c, p->spread->chance[j].name),
                              is_normal ? normal[0] : uniform[0]};
    }
    return n;
}

static bool draw_by_law(Pilot *p, const Values *v, int which) {
    Regions r;
    Compilation *c = p->c;
    const Spread *s = p->spread;
    if (!s->known || region_of(c, v, &r))
        return false;
    EvalValue *value =
        NEW_ARRAY(&c->arena, EvalValue, v->value.n + s->chances + c->problem->sample.n + 1);
    draw_normals(p->x[which], v->d);
    bool each =
        ir_depends(c->ir, s->law_mean, s->index) || ir_depends(c->ir, s->law_deviation, s->index);
    for (uint32_t k = 0; k < PILOT_POINTS; k++) {
        double u[4], mean = 0, deviation = 0, *x = p->x[which] + k * v->d;
        pde_tensor_block(pde_tensor_key(2, "times", 5), TENSOR_UNIFORM, k, 0, u);
        p->t[which][k] = r.t_lo + (r.t_hi - r.t_lo) * u[0];
        EvalInput in = values_input(v);
        in.n_values = chances_of(p, k, v, value);
        in.value = value;
        in.t = &p->t[which][k];
        in.fuel = PILOT_STEPS;
        for (int64_t i = 0; i < v->d; i++) {
            if ((i == 0 || each) && (!law_number(p, in, s->law_mean, i, &mean) ||
                                     !law_number(p, in, s->law_deviation, i, &deviation)))
                return false;
            x[i] = mean + deviation * x[i];
            if (s->logarithmic)
                x[i] = exp(x[i]);
        }
    }
    return true;
}

bool pilot_open(Compilation *c, const Spread *spread, Pilot *p) {
    *p = (Pilot){.c = c, .spread = spread};
    Values v;
    Ref law = spread->known ? ir_add2(c->ir, spread->law_mean, spread->law_deviation)
                            : ir_const(c->ir, 0);
    if (!c->problem->space.n || !collect(c, law, LARGER, &v) || v.d < 1)
        return false;
    const int64_t large = v.d < LARGER ? v.d : LARGER, small = large >= 16 ? large / 4 : LARGER;
    for (int which = 0; which < PILOT_SIZES; which++) {
        Values own;
        p->cap[which] = which == 0       ? LARGER
                        : which == 1     ? small
                        : small < LARGER ? 2 * small
                                         : LARGER;
        if (!collect(c, law, p->cap[which], &own) || own.d < 1 || own.d > FIXED_MOST)
            return false;
        p->d[which] = own.d;
        p->x[which] = NEW_ARRAY(&c->arena, double, PILOT_POINTS *own.d);
        p->t[which] = NEW_ARRAY(&c->arena, double, PILOT_POINTS);
        bool drawn = domain_bounded(c) && !spread->chances ? draw_in_domain(p, &own, which)
                                                           : draw_by_law(p, &own, which);
        if (!drawn)
            return false;
    }
    return true;
}

bool pilot_eval(Pilot *p, Ref e, int which, double *out) {
    Values v;
    if (ir_has_net(p->c->ir, e) || !collect(p->c, e, p->cap[which], &v) || v.d != p->d[which])
        return false;
    EvalInput in = values_input(&v);
    in.points = PILOT_POINTS;
    in.x = p->x[which];
    in.t = p->c->problem->time ? p->t[which] : NULL;
    in.fuel = PILOT_STEPS;
    if (eval_double(p->c->ir, e, &in, out))
        return false;
    for (uint32_t k = 0; k < PILOT_POINTS; k++)
        if (!isfinite(out[k]))
            return false;
    return true;
}

static void moments_of(const double *v, double *mean, double *deviation) {
    *mean = *deviation = 0;
    for (uint32_t k = 0; k < PILOT_POINTS; k++)
        *mean += v[k] / PILOT_POINTS;
    for (uint32_t k = 0; k < PILOT_POINTS; k++)
        *deviation += (v[k] - *mean) * (v[k] - *mean) / PILOT_POINTS;
    *deviation = sqrt(*deviation);
}

/* The power of d between two sizes, a multiple of 1/2. */
static double power_of(double small, double large, double ratio) {
    if (!(small > 0) || !(large > 0) || !(ratio > 1))
        return 0;
    return round(2 * log(large / small) / log(ratio)) / 2;
}

bool pilot_size(Pilot *p, Ref e, Size *out) {
    double at[PILOT_POINTS], mean[PILOT_SIZES], deviation[PILOT_SIZES];
    for (int which = 0; which < PILOT_SIZES; which++) {
        if (!pilot_eval(p, e, which, at))
            return false;
        moments_of(at, &mean[which], &deviation[which]);
    }
    double ratio = (double)p->d[0] / (double)p->d[1];
    *out = (Size){.mean = mean[0], .deviation = deviation[0], .d = p->d[0]};
    out->deviation_power = power_of(deviation[1], deviation[0], ratio);
    out->mean_power = power_of(fabs(mean[1]), fabs(mean[0]), ratio);
    double between = mean[0] * pow((double)p->d[2] / (double)p->d[0], out->mean_power);
    out->follows = fabs(between - mean[2]) < 0.25 * deviation[2];
    return deviation[0] > 1e-9 * (fabs(mean[0]) + 1e-290);
}

/* a * d^b in words, a with three digits. */
static void put_power(Compilation *c, Text *t, double a, double b, int64_t at) {
    char digits[32];
    double rounded = 0;
    snprintf(digits, sizeof digits, "%.3g", a / pow((double)at, b));
    (void)text_read_double(digits, &rounded);
    text_double(t, rounded);
    if (!(b > 0 || b < 0))
        return;
    text_printf(t, b > 0 ? " * (%s)" : " / (%s)", ir_text(c->ir, c->problem->d));
    if (fabs(b) > 1 || fabs(b) < 1) {
        text_printf(t, "^");
        text_double(t, fabs(b));
    }
}

/* A mean that does not follow a power of d, as those of logarithms and of the radius in a ball, is none for another
 * d: the number is then divided by its size only. */
const char *pilot_standardised(Pilot *p, const char *text, const Size *s) {
    Text t = {.arena = &p->c->arena};
    if (fabs(s->mean) > 0.3 * s->deviation && s->follows) {
        text_printf(&t, "(%s - (", text);
        put_power(p->c, &t, s->mean, s->mean_power, s->d);
        text_printf(&t, ")) / (");
        put_power(p->c, &t, s->deviation, s->deviation_power, s->d);
    } else if (fabs(s->mean) > s->deviation) {
        text_printf(&t, "(%s) / (", text);
        put_power(p->c, &t, fabs(s->mean), s->mean_power, s->d);
    } else {
        text_printf(&t, "(%s) / (", text);
        put_power(p->c, &t, s->deviation, s->deviation_power, s->d);
    }
    text_printf(&t, ")");
    return text_cstr(&t);
}

bool pilot_same(Pilot *p, Ref a, Ref b) {
    double x[PILOT_POINTS], y[PILOT_POINTS], mx, my, sx, sy, cross = 0;
    if (a == b)
        return true;
    if (!pilot_eval(p, a, 0, x) || !pilot_eval(p, b, 0, y))
        return false;
    moments_of(x, &mx, &sx);
    moments_of(y, &my, &sy);
    for (uint32_t k = 0; k < PILOT_POINTS; k++)
        cross += (x[k] - mx) * (y[k] - my) / PILOT_POINTS;
    return fabs(cross) > (1 - 1e-7) * sx * sy;
}
