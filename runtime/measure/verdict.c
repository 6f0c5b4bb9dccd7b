/* verdict.c: with an exact solution, two numbers; else the loss on held-out points, once with the trained
 * parameters and once with a last layer whose weights are 0 and whose biases minimise that loss. Batches
 * have points and index sets of their own, so their differences say how sure the comparison is. */
#include "measure/verdict.h"

#include "engine/real.h"
#include "files/number.h"
#include "measure/heldout.h"
#include "measure/scales/norm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_LEAST = 200, POINTS_NORM = 10000, BATCHES_LEAST = 8, BATCHES_FIT = 2, SWEEPS = 6 };

static const double HARDLY = 0.8;    /* an error that is this part of the other is no better */
static const double EQUAL = 1e-6;    /* eigenvalues that differ by less are the same */
static const double COLLAPSED = 0.5; /* of its norm: not the function that was asked for */
static const double SURE = 2;        /* standard errors */
static const double APART = 0.1;     /* an eigenvalue that is off by this part is another one */
static const double LONG = 0.7;      /* a tail of weights that is longer has no mean to speak of */
static const double IMPROVEMENT = 1e-3; /* a sweep that gains less is the last */
static const double AGREES = 0.01;   /* of a constant that solves the problem: the run found it */
static const double ROUNDINGS = 1e3; /* residuals of so many roundings are nothing else */

/* -------------------------------------------------------------------------- against the exact solution */

static VerdictKind compare_errors(double run, double trivial) {
    return !(run <= trivial / HARDLY) ? VERDICT_WORSE
           : run < HARDLY * trivial   ? VERDICT_BETTER
                                      : VERDICT_ALIKE;
}

static double rounding_of(PdePrecision precision) {
    return ROUNDINGS * (precision == PDE_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
}

static void judge_error(const ErrorNorms *all, const ErrorNorms *trivial, double rounding,
                        Verdict *v) {
    Trivial best =
        trivial[TRIVIAL_constant].l2 < trivial[TRIVIAL_zero].l2 ? TRIVIAL_constant : TRIVIAL_zero;
    v->what = all->absolute ? "L2 error" : "relative L2 error";
    v->run = all->l2;
    v->trivial = trivial[best].l2;
    v->name = trivial_text(best);
    v->taylor = trivial[TRIVIAL_taylor].l2;
    v->kind = compare_errors(v->run, v->trivial);
    v->apart = v->run;
    if (v->kind == VERDICT_WORSE && v->trivial <= rounding && v->run <= AGREES && !all->absolute)
        v->kind = VERDICT_AGREES;
}

/* ---------------------------------------------------------------------------- against the best constant */

/* A network whose outputs, with the problem's unknown numbers, are theta. owner of copy and last */
typedef struct Constant {
    Session *s;
    void *copy;                      /* the trained parameters, but for the last layer */
    double *last;                    /* that layer, as it was trained */
    int64_t weights, outputs, first; /* of the last layer; where it begins */
    int unknowns, size;
    double unknown[PLAN_UNKNOWNS_MAX]; /* as they were trained */
    double theta[PLAN_FIELDS_MAX + PLAN_UNKNOWNS_MAX];
} Constant;

static bool constant_open(Constant *c, Session *s) {
    const Network *n = &s->network;
    *c = (Constant){.s = s, .unknowns = s->problem->plan.unknowns};
    c->outputs = n->width[n->layers];
    c->weights = n->width[n->layers - 1] * c->outputs;
    c->first = n->size - c->weights - c->outputs;
    c->size = (int)c->outputs + c->unknowns;
    c->copy = malloc((size_t)n->size * real_size(n->precision));
    c->last = malloc((size_t)(c->weights + c->outputs) * sizeof *c->last);
    if (!c->copy || !c->last)
        return false;
    pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, c->copy);
    for (int64_t i = 0; i < c->weights + c->outputs; i++)
        c->last[i] = real_get(n->precision, c->copy, c->first + i);
    for (int k = 0; k < c->unknowns; k++)
        c->theta[c->outputs + k] = c->unknown[k] = s->unknown[k];
    return true;
}

static void constant_set(const Constant *c) {
    Session *s = c->s;
    for (int64_t i = 0; i < c->weights + c->outputs; i++)
        real_set(s->network.precision, c->copy, c->first + i,
                 i < c->weights ? 0 : c->theta[i - c->weights]);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, c->copy);
    for (int k = 0; k < c->unknowns; k++) {
        const double *limit = s->problem->unknown[k];
        s->unknown[k] = fmin(fmax(c->theta[c->outputs + k], limit[1]), limit[2]);
    }
    session_unknowns_changed(s);
}

static void constant_close(Constant *c) {
    Session *s = c->s;
    for (int64_t i = 0; i < c->weights + c->outputs && c->copy && c->last; i++)
        real_set(s->network.precision, c->copy, c->first + i, c->last[i]);
    if (c->copy && c->last) {
        pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, c->copy);
        memcpy(s->unknown, c->unknown, sizeof s->unknown);
        session_unknowns_changed(s);
    }
    free(c->copy);
    free(c->last);
}

/* The loss with theta[k] at x. */
static double loss_at(Constant *c, int k, double x) {
    double before = c->theta[k];
    c->theta[k] = x;
    constant_set(c);
    double loss = held_out_loss(c->s, BATCHES_FIT * c->s->settings.points, 0);
    c->theta[k] = before;
    return isfinite(loss) ? loss : (double)INFINITY;
}

/* Moves theta[k] to the best of two neighbours and the vertex of the parabola through them, which for a
 * linear problem is the minimum. */
static double step_along(Constant *c, int k, double width, double here) {
    double x = c->theta[k], at[3] = {x - width, x + width, x}, loss[3];
    loss[0] = loss_at(c, k, at[0]);
    loss[1] = loss_at(c, k, at[1]);
    double bend = loss[0] - 2 * here + loss[1], vertex = (loss[0] - loss[1]) / (2 * bend);
    at[2] = bend > 0 && isfinite(vertex) ? x + width * vertex : x;
    loss[2] = loss_at(c, k, at[2]);
    for (int i = 0; i < 3; i++)
        if (loss[i] < here) {
            here = loss[i];
            c->theta[k] = at[i];
        }
    return here;
}

static void fit(Constant *c) {
    double best = loss_at(c, 0, c->theta[0]), width = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++, width /= 2) {
        double before = best;
        for (int k = 0; k < c->size; k++) {
            int unknown = k - (int)c->outputs;
            double size =
                unknown < 0 ? 1 : fmax(c->s->unknown_limit[unknown][0], fabs(c->theta[k]));
            best = step_along(c, k, width * size, best);
        }
        if (best >= before - IMPROVEMENT * fabs(before))
            break;
    }
    constant_set(c);
}

/* Where the constant solves the problem within rounding it is the solution, and this how far the trained
 * network is from it, relative to its size. */
typedef struct Outputs {
    PdePrecision precision;
    int64_t count;
    double *n; /* [points][count] */
} Outputs;

static void take_outputs(void *context, const PdeJet *jet) {
    const Outputs *to = context;
    for (int64_t o = 0; o < to->count; o++)
        to->n[jet->point * to->count + o] = real_get(to->precision, jet->n, o);
}

static double distance(const Constant *c) {
    Task *t = &c->s->task[0];
    Route *r = t->values > 0 ? t->value : t->gradient;
    int64_t points = c->s->settings.points;
    Outputs out = {c->s->settings.precision, c->outputs,
                   calloc((size_t)(points * c->outputs), sizeof(double))};
    double square = 0, size = 0;
    if (!out.n)
        return (double)INFINITY;
    points_draw(&t->points, c->s->settings.seed, STEP_HELD_OUT, 0);
    route_prepare(r, STEP_HELD_OUT);
    PdeTaskSpec spec = {.combine = take_outputs, .context = &out};
    pde_value(c->s->engine, r->batch, &spec);
    for (int64_t i = 0; i < points * c->outputs; i++) {
        double theta = c->theta[i % c->outputs], off = out.n[i] - theta;
        square += off * off;
        size += fmax(theta * theta, 1); /* outputs of size 1 are of the expected size */
    }
    free(out.n);
    return sqrt(square / size);
}

/* Is the mean of a - b, over batches, surely more than 0? */
static bool exceeds(const double *a, double factor_a, const double *b, double factor_b, int64_t n) {
    double mean = 0, square = 0;
    for (int64_t k = 0; k < n; k++)
        mean += (factor_a * a[k] - factor_b * b[k]) / (double)n;
    for (int64_t k = 0; k < n; k++) {
        double off = factor_a * a[k] - factor_b * b[k] - mean;
        square += off * off;
    }
    return mean > SURE * sqrt(square / (double)(n * (n - 1)));
}

static VerdictKind compare_losses(const Verdict *v, const double *run, const double *trivial,
                                  int64_t batches, PdePrecision precision) {
    double hardly = HARDLY * HARDLY; /* losses are squares */
    double rounding = rounding_of(precision);
    if (!isfinite(v->run))
        return VERDICT_WORSE;
    if (!isfinite(v->trivial))
        return VERDICT_UNKNOWN;
    if (exceeds(trivial, hardly, run, 1, batches))
        return VERDICT_BETTER;
    if (exceeds(run, hardly, trivial, 1, batches) && v->run > rounding * rounding)
        return VERDICT_WORSE;
    return VERDICT_ALIKE;
}

static void task_name(const Task *t, char name[PLAN_NAME_MAX]) {
    if (t->plan->kind == PLAN_equation)
        snprintf(name, PLAN_NAME_MAX, "%s", t->plan->name);
    else
        snprintf(name, PLAN_NAME_MAX, "%s%d", plan_task_kind_name(t->plan->kind), t->id);
}

static void judge_loss(Session *s, Verdict *v) {
    int64_t B = s->settings.points, points = BATCHES_LEAST * B;
    points = points < POINTS_LEAST ? (POINTS_LEAST + B - 1) / B * B : points;
    int64_t batches = held_out_batches(s, points);
    double *run = calloc(2 * (size_t)batches, sizeof *run);
    Constant c = {.s = s};
    double rounding = rounding_of(s->settings.precision);
    bool solved = false;
    v->kind = VERDICT_UNKNOWN;
    v->what = "loss on new points";
    v->name = "best constant";
    v->tasks = s->tasks;
    for (int i = 0; i < s->tasks; i++)
        task_name(&s->task[i], v->task[i]);
    if (run && constant_open(&c, s)) {
        v->run = held_out_parts(s, points, 0, v->run_part, run);
        fit(&c);
        v->trivial = held_out_parts(s, points, 0, v->trivial_part, run + batches);
        v->kind = compare_losses(v, run, run + batches, batches, s->settings.precision);
        solved = v->kind == VERDICT_WORSE && v->trivial <= rounding * rounding;
    }
    constant_close(&c);
    v->apart = solved ? distance(&c) : (double)INFINITY;
    if (v->apart <= AGREES)
        v->kind = VERDICT_AGREES;
    free(run);
}

static bool has_collapsed(const Verdict *v) {
    return v->norm < COLLAPSED;
}

static void judge_norm(Session *s, Verdict *v) {
    Task *t = norm_task(s);
    if (!t)
        return;
    v->norm = norm_measure(t, POINTS_NORM / s->settings.points + 2, STEP_HELD_OUT, &v->norm_error);
    if (has_collapsed(v))
        v->kind = VERDICT_WORSE;
}

/* A loss is small wherever the equation holds near the points, whatever the eigenvalue is. */
static void judge_quotient(Session *s, Verdict *v) {
    quotient_make(s, &v->quotient);
    const Quotient *q = &v->quotient;
    double off = fabs(q->stated - q->value);
    bool seen = q->tail < LONG;
    if (q->name && !seen && v->kind == VERDICT_BETTER)
        v->kind = VERDICT_UNKNOWN;
    if (q->name && seen && off > SURE * q->error && off > APART * fabs(q->value))
        v->kind = VERDICT_WORSE;
}

void verdict_make(Session *s, const ErrorNorms *all, const ErrorNorms trivial[TRIVIALS],
                  Verdict *v) {
    *v = (Verdict){
        .taylor = (double)NAN, .run = (double)NAN, .trivial = (double)NAN, .norm = (double)NAN};
    if (isnan(trivial[TRIVIAL_zero].l2))
        judge_loss(s, v);
    else
        judge_error(all, trivial, rounding_of(s->settings.precision), v);
    judge_norm(s, v);
    judge_quotient(s, v);
}

void verdict_of_eigenvalue(double lambda, double began, double reference, Verdict *v) {
    bool known = !isnan(reference);
    *v = (Verdict){.taylor = (double)NAN,
                   .norm = (double)NAN,
                   .what = "eigenvalue",
                   .name = "the network as it began"};
    v->run = lambda;
    v->trivial = began;
    v->kind = lambda < began - EQUAL * fabs(began)    ? VERDICT_BETTER
              : lambda <= began + EQUAL * fabs(began) ? VERDICT_ALIKE
                                                      : VERDICT_WORSE;
    if (!known)
        return;
    v->what = "relative error of the eigenvalue";
    v->run = fabs(lambda - reference) / fabs(reference);
    v->trivial = fabs(began - reference) / fabs(reference);
    v->kind = compare_errors(v->run, v->trivial);
}

/* ------------------------------------------------------------------------------------------ the sentence */

static void print_parts(const Verdict *v, const double *part, Buffer *out) {
    char number[NUMBER_TEXT_MAX];
    for (int i = 0; i < v->tasks && v->tasks > 1; i++)
        buffer_printf(out, "%s%s %s", i ? ", " : " (", v->task[i],
                      number_print_digits(part[i], 2, number));
    if (v->tasks > 1)
        buffer_printf(out, ")");
}

void verdict_print(const Verdict *v, Buffer *out) {
    static const char *const text[] = {
        [VERDICT_BETTER] = "better than what needs no training",
        [VERDICT_ALIKE] = "about as good as what needs no training: do not rely on it",
        [VERDICT_WORSE] = "worse than what needs no training: do not use it",
        [VERDICT_AGREES] = "as good as what needs no training, which solves this problem",
        [VERDICT_UNKNOWN] = "it cannot be said whether this is better than what needs no training"};
    char number[NUMBER_TEXT_MAX], digits[NUMBER_TEXT_MAX];
    buffer_printf(out, "%s: %s %s", text[v->kind], v->what,
                  number_print_digits(v->run, v->tasks ? 2 : 4, number));
    print_parts(v, v->run_part, out);
    buffer_printf(out, ", %s %s", v->name,
                  number_print_digits(v->trivial, v->tasks ? 2 : 4, number));
    print_parts(v, v->trivial_part, out);
    if (v->kind == VERDICT_AGREES && v->tasks)
        buffer_printf(out, "; relative distance from it %s",
                      number_print_digits(v->apart, 2, number));
    if (!isnan(v->norm))
        buffer_printf(out, "; the norm is %s +- %s of what is stated%s",
                      number_print_digits(v->norm, 4, number),
                      number_print_digits(v->norm_error, 1, digits),
                      has_collapsed(v) ? ": the function has collapsed" : "");
    if (v->quotient.name && v->quotient.tail < LONG)
        buffer_printf(out, "; %s from where the function is large: %s +- %s", v->quotient.name,
                      number_print_digits(v->quotient.value, 5, number),
                      number_print_digits(v->quotient.error, 1, digits));
    else if (v->quotient.name)
        buffer_printf(out,
                      "; the function is large where hardly any points are: draw them there, or "
                      "%s may be another number",
                      v->quotient.name);
    if (v->taylor < v->run)
        buffer_printf(out, " (a first-order Taylor expansion of the exact solution: %s)",
                      number_print_digits(v->taylor, 4, number));
}
