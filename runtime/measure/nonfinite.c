/* nonfinite.c: why a step was not finite. First what the step was made of is looked at in the order in which it is
 * computed: points, known quantities, the network and its derivatives, the residual, the way back. Then the
 * module's watching kernels compute the same once more at that point and name the expression. */
#include "measure/nonfinite.h"

#include "engine/real.h"
#include "measure/nonfinite_watch.h"
#include "step/route.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one point showed; kept per point, so that the first point is named whatever the threads. */
typedef struct Found {
    int64_t point, direction;
    int order; /* 0 the value, -1 the residual itself */
} Found;

typedef struct Probe {
    const Route *route;
    Found *found; /* [B] */
    PdeTaskSpec inner;
} Probe;

static void inspect(void *context, const PdeJet *jet) {
    const Probe *p = context;
    const Session *s = p->route->task->session;
    PdePrecision precision = s->settings.precision;
    int64_t outputs = s->problem->outputs, K = p->route->block[p->route->plan->blocks];
    Found *f = &p->found[jet->point];
    *f = (Found){-1, -1, -1};
    p->inner.combine(p->inner.context, jet);
    for (int64_t e = 0; e < p->route->task->plan->residuals; e++)
        if (!isfinite(real_get(precision, jet->residual, e)))
            *f = (Found){jet->point, -1, -1};
    for (int m = PDE_MAX_ORDER; m >= 1; m--)
        for (int64_t k = 0; jet->d[m - 1] && k < outputs * K; k++)
            if (!isfinite(real_get(precision, jet->d[m - 1], k)))
                *f = (Found){jet->point, k % K, m};
    for (int64_t o = 0; o < outputs; o++)
        if (!isfinite(real_get(precision, jet->n, o)))
            *f = (Found){jet->point, -1, 0};
}

/* What was found, in words, and where the fault lies. */
typedef struct Fault {
    const Task *task;
    Route *route; /* NULL: before any network */
    int64_t point;
    char what[256];
} Fault;

static void fault_say(Fault *f, const char *format, ...) PDE_FORMAT(2, 3);

static void fault_say(Fault *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->what, sizeof f->what, format, arguments);
    va_end(arguments);
}

/* Point coordinates and scalars first: they are what the rest is made of. */
static bool bad_input(const Task *t, Fault *f) {
    const Session *s = t->session;
    const Problem *q = s->problem;
    f->task = t;
    for (f->point = 0; f->point < s->settings.points; f->point++) {
        int64_t b = f->point;
        for (int64_t i = 0; i < q->n_in; i++)
            if (!isfinite(points_coordinate(&t->points, b, i))) {
                fault_say(f,
                          "coordinate %lld of point %lld of '%s' is not finite: the sampling law "
                          "makes it so",
                          (long long)i + 1, (long long)b, t->plan->name);
                return true;
            }
        for (int k = 0; k < t->plan->scalars; k++)
            if (!isfinite(real_get(q->precision, points_scalars(&t->points, b / PDE_LANES),
                                   k * PDE_LANES + b % PDE_LANES))) {
                const char *name = NULL;
                for (int i = 0; i < q->plan.sources; i++)
                    if (q->plan.source[i].task == t->id && q->plan.source[i].scalar == k)
                        name = q->plan.source[i].name;
                fault_say(
                    f, "%s%s of '%s' is not finite at point %lld, before any network is involved",
                    name ? "the source " : "a known quantity", name ? name : "", t->plan->name,
                    (long long)b);
                return true;
            }
        for (int64_t i = 0; i < q->inputs; i++)
            if (!isfinite(points_input(&t->points, b, i))) {
                fault_say(f, "input %lld of the network is not finite at point %lld of '%s'",
                          (long long)i + 1, (long long)b, t->plan->name);
                return true;
            }
    }
    return false;
}

enum { DIRECTION_NAME_MAX = 128 };

/* "x_7 (term 3)", ...: indices from 1 as in the language */
static const char *direction_name(const Route *r, int64_t direction, char *out) {
    int b = 0;
    while (direction >= r->block[b + 1])
        b++;
    const PlanBlock *block = &r->plan->block[b];
    const uint32_t *index = pde_batch_directions(r->batch, b)->index;
    long long k = (long long)(direction - r->block[b]);
    char name[PLAN_COORDINATE_MAX];
    if (block->kind == BLOCK_unit && !r->per_point)
        snprintf(out, DIRECTION_NAME_MAX, "%.64s (term %lld)",
                 plan_coordinate_name(&r->task->session->problem->plan, index[k], name), k + 1);
    else if (block->kind == BLOCK_pair)
        snprintf(out, DIRECTION_NAME_MAX, "a pair of coordinates (term %lld)", k + 1);
    else
        snprintf(out, DIRECTION_NAME_MAX, "a direction of kind %s (number %lld)",
                 plan_block_kind_name(block->kind), k + 1);
    return out;
}

static bool bad_route(const Task *t, Route *r, Found *found, Fault *fault) {
    char name[DIRECTION_NAME_MAX];
    Probe probe = {r, found, route_spec(r)};
    PdeTaskSpec spec = {.combine = inspect, .context = &probe, .residual = r->residual};
    pde_value(t->session->engine, r->batch, &spec);
    for (int64_t b = 0; b < t->session->settings.points; b++) {
        const Found *f = &found[b];
        if (f->point < 0)
            continue;
        *fault = (Fault){.task = t, .route = r, .point = b};
        if (f->order < 0)
            fault_say(fault,
                      "the residual '%s' is not finite at point %lld, although the network and its "
                      "derivatives "
                      "are: the equation itself makes it so there",
                      t->plan->name, (long long)b);
        else if (f->order == 0)
            fault_say(fault,
                      "the network itself is not finite at point %lld of '%s': its parameters have "
                      "grown too large",
                      (long long)b, t->plan->name);
        else if (f->order == 2 && f->direction < pde_batch_rotated(r->batch))
            fault_say(
                fault,
                "the sum of the network's second derivatives is not finite at point %lld of '%s'",
                (long long)b, t->plan->name);
        else
            fault_say(
                fault,
                "the network's derivative of order %d along %s is not finite at point %lld of '%s'",
                f->order, direction_name(r, f->direction, name), (long long)b, t->plan->name);
        return true;
    }
    return false;
}

/* ----------------------------------------------------------------------------- the expression */

/* owner of the memory that kernels write to while they are watched */
typedef struct Again {
    Watch *watch;
    const Fault *fault;
    void *rows;   /* real: results of laws, features and directions */
    void *scalar; /* real: of the point program */
    void *seeds;  /* real: of one point */
    size_t seeds_size;
    bool found;
    char place[WATCH_TEXT_MAX];
} Again;

static void run_points(Again *a, PointKernel *kernel, const PdePointArgs *given, void *out) {
    PdePointArgs args = *given;
    if (!kernel || a->found)
        return;
    args.out = out;
    watch_begin(a->watch, (int)(a->fault->point % PDE_LANES));
    kernel(&args);
    a->found = watch_place(a->watch, a->place);
}

/* Laws, features, point programs and directions at the fault's point. */
static void repeat_programs(Again *a) {
    const Task *t = a->fault->task;
    const Route *r = a->fault->route;
    const Problem *q = t->session->problem;
    const Kernels *k = &a->watch->kernels;
    int64_t group = a->fault->point / PDE_LANES;
    PdePointArgs args = points_args(&t->points, group);
    for (int s = 0; s < q->plan.samples; s++) {
        for (int64_t i = 0; i < q->n_in * PDE_LANES; i++)
            real_set(q->precision, a->rows, i, 0.5); /* a number of any standard law */
        run_points(a, k->sample[s], &args, a->rows);
    }
    run_points(a, k->features, &args, a->rows);
    run_points(a, k->points[t->id], &args, a->scalar);
    for (int b = 0; r && b < r->plan->blocks; b++) {
        PointKernel *kernel = (r->exact ? k->exact_direction : k->direction)[t->id][b];
        double value[PDE_LANES];
        PdePointArgs own = args;
        if (r->plan->block[b].kind == BLOCK_dense || r->plan->block[b].kind == BLOCK_gram)
            own.x = own.aux = own.normal = NULL;
        if (r->slope)
            own.gradient = real_const_at(q->precision, r->slope, group * q->inputs * PDE_LANES);
        own.output_scale = t->session->output_scale;
        own.value = value;
        run_points(a, kernel, &own, a->rows);
    }
}

/* The combine kernel of one point, with seeds: the way back is part of it. */
static void repeat_combine(void *context, const PdeJet *jet) {
    Again *a = context;
    const Route *r = a->fault->route;
    const Task *t = r->task;
    const Problem *q = t->session->problem;
    const uint32_t *set[PLAN_FAMILIES_MAX];
    int64_t outputs = t->plan->residuals * q->outputs, K = r->block[r->plan->blocks];
    if (jet->point != a->fault->point)
        return;
    memset(a->seeds, 0, a->seeds_size);
    PdeCombineArgs args = route_args(r, jet->point, set);
    args.scalar = a->scalar;
    args.n = jet->n;
    args.residual = jet->residual;
    args.seed_n = a->seeds;
    args.seed_unknown = real_at(q->precision, a->seeds, outputs);
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        args.d[m] = jet->d[m];
        args.seed_d[m] = real_at(q->precision, a->seeds,
                                 outputs + t->plan->residuals * q->plan.unknowns + m * outputs * K);
    }
    watch_begin(a->watch, (int)args.lane);
    (r->exact ? a->watch->kernels.exact : a->watch->kernels.combine)[t->id](&args);
    a->found = watch_place(a->watch, a->place);
}

/* Fills place, or leaves it empty if no expression of the user's is to blame. */
static void repeat(Again *a) {
    const Task *t = a->fault->task;
    const Route *r = a->fault->route;
    const Problem *q = t->session->problem;
    size_t size = real_size(q->precision);
    int64_t most = q->n_in > q->inputs ? q->n_in : q->inputs;
    most = most > q->aux_rows ? most : q->aux_rows;
    int64_t K = r ? r->block[r->plan->blocks] : 0;
    a->seeds_size =
        (size_t)(t->plan->residuals * (q->outputs * (1 + PDE_MAX_ORDER * K) + q->plan.unknowns)) *
        size;
    a->rows = malloc((size_t)(most + 1) * PDE_LANES * size);
    a->scalar = malloc((size_t)(a->watch->log->scalars[t->id] + 1) * PDE_LANES * size);
    a->seeds = malloc(a->seeds_size);
    bool memory = a->rows && a->scalar && a->seeds;
    if (memory)
        repeat_programs(a);
    if (memory && r && !a->found) {
        PdeTaskSpec spec = {.combine = repeat_combine, .context = a, .residual = r->residual};
        pde_value(t->session->engine, r->batch, &spec);
    }
    free(a->rows);
    free(a->scalar);
    free(a->seeds);
}

/* The gradient alone is not finite: some seed may be. */
static bool bad_seed(Session *s, Watch *watch, Fault *fault, char *place) {
    for (int i = 0; i < s->tasks; i++)
        for (int64_t b = 0; b < s->settings.points; b++) {
            *fault = (Fault){.task = &s->task[i], .route = s->task[i].gradient, .point = b};
            Again again = {.watch = watch, .fault = fault};
            repeat(&again);
            if (again.found) {
                fault_say(fault,
                          "the derivative of '%s' by the network is not finite at point %lld",
                          s->task[i].plan->name, (long long)b);
                memcpy(place, again.place, sizeof again.place);
                return true;
            }
        }
    return false;
}

static bool find_fault(Session *s, Fault *fault) {
    bool bad = false;
    for (int i = 0; i < s->tasks && !bad; i++)
        bad = bad_input(&s->task[i], fault);
    Found *found = bad ? NULL : calloc((size_t)s->settings.points, sizeof *found);
    for (int i = 0; i < s->tasks && found && !bad; i++) {
        Task *t = &s->task[i];
        bad = (t->values && t->value != t->gradient && bad_route(t, t->value, found, fault)) ||
              bad_route(t, t->gradient, found, fault);
    }
    free(found);
    return bad;
}

void nan_describe(Session *s, int64_t iteration, Error *error) {
    Fault fault = {0};
    Watch watch;
    char place[WATCH_TEXT_MAX] = "";
    bool bad = find_fault(s, &fault);
    if (watch_open(s->problem, &watch)) {
        Again again = {.watch = &watch, .fault = &fault};
        if (bad) {
            repeat(&again);
            memcpy(place, again.place, sizeof place);
        } else {
            bad = bad_seed(s, &watch, &fault, place);
        }
        watch_close(&watch);
    }
    if (!bad)
        fault_say(
            &fault,
            "the gradient is not finite although all residuals are: numbers became too large for "
            "their type on the way back");
    error_set(error, STATUS_NON_FINITE, "iteration %lld: %s", (long long)iteration, fault.what);
    error_add_lines(error, place);
}
