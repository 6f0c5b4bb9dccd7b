#include "train/recheck.h"

#include "engine/real.h"
#include "files/number.h"
#include "measure/scales/scales.h"
#include "step/hook.h"
#include "step/mean.h"
#include "step/optimiser.h"
#include "measure/scales/norm.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAR = 8; /* an output of 1 / FAR to FAR is what the network can live with */
static const double LEARNT = 0.1; /* of the squared residuals may be left */

bool recheck_due(const Session *s, int64_t iteration) {
    return s->settings.scale_auto && !s->problem->plan.eigen &&
           (iteration == 200 || iteration == 400 || iteration == 800);
}

/* ---------------------------------------------------------------------------- size of outputs */

/* owner of n and zero */
typedef struct Sizes {
    PdeTaskSpec route;
    PdePrecision precision;
    int64_t outputs, residuals;
    bool squares;
    double *n;    /* [points][outputs] */
    double *left; /* [points][2]: squared residuals of the network, and of a network that is 0 */
    void *zero;   /* real[outputs][directions] */
} Sizes;

static double square_of(const Sizes *z, const PdeJet *jet) {
    double sum = 0;
    z->route.combine(z->route.context, jet);
    for (int64_t e = 0; e < z->residuals; e++) {
        double r = real_get(z->precision, jet->residual, e);
        sum += z->squares ? r : r * r;
    }
    return sum;
}

static void take_outputs(void *context, const PdeJet *jet) {
    const Sizes *z = context;
    PdeJet nothing = *jet;
    for (int64_t o = 0; o < z->outputs; o++)
        z->n[jet->point * z->outputs + o] = real_get(z->precision, jet->n, o);
    nothing.n = z->zero;
    for (int m = 0; m < PDE_MAX_ORDER; m++)
        nothing.d[m] = jet->d[m] ? z->zero : NULL;
    z->left[2 * jet->point + 1] = square_of(z, &nothing);
    z->left[2 * jet->point] = square_of(z, jet);
}

static bool sizes_open(Sizes *z, const Session *s, const Route *r) {
    int64_t K = pde_batch_direction_count(r->batch), points = s->settings.points;
    *z = (Sizes){.precision = s->settings.precision,
                 .outputs = s->problem->outputs,
                 .residuals = route_residuals(r),
                 .squares = r->task->plan->squares};
    z->n = calloc((size_t)(points * z->outputs), sizeof *z->n);
    z->left = calloc((size_t)(2 * points), sizeof *z->left);
    z->zero = calloc((size_t)(z->outputs * (K + 1)), real_size(z->precision));
    return z->n && z->left && z->zero;
}

/* Adds the squares of the outputs on a task's pilot points, and of the residuals as they are in the
 * loss. The route that owns the points is the one. */
static bool add_squares(Task *t, double *square, double *left) {
    const Settings *set = &t->session->settings;
    Route *r = t->values > 0 ? t->value : t->gradient;
    double weight = session_task_weight(t) / (t->residual_scale * t->residual_scale);
    Sizes z;
    bool ok = sizes_open(&z, t->session, r);
    if (ok) {
        points_draw(&t->points, set->seed, STEP_PILOT, 0);
        route_prepare(r, STEP_PILOT);
        z.route = route_spec(r);
        PdeTaskSpec spec = {.combine = take_outputs, .context = &z, .residual = r->residual};
        pde_value(t->session->engine, r->batch, &spec);
        for (int64_t i = 0; i < set->points * z.outputs && t->id == 0; i++)
            square[i % z.outputs] += z.n[i] * z.n[i] / (double)set->points;
        for (int64_t i = 0; i < 2 * set->points && mean_sets(t) == 0; i++)
            left[i % 2] += weight * z.left[i];
    }
    free(z.n);
    free(z.left);
    free(z.zero);
    return ok;
}

/* RMS of the outputs. *learnt: the network explains most of what a network that is 0 leaves; before that
 * its size says nothing about the solution's. */
static Status output_sizes(Session *s, double *size, bool *learnt, Error *error) {
    double left[2] = {0};
    bool ok = true;
    memset(size, 0, (size_t)s->problem->outputs * sizeof *size);
    for (int i = 0; i < s->tasks && ok; i++)
        ok = add_squares(&s->task[i], size, left);
    if (!ok)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to check the automatic scales");
    *learnt = left[0] < LEARNT * left[1];
    for (int o = 0; o < s->problem->outputs; o++)
        size[o] = sqrt(size[o]);
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------ begin anew */

static Status forget(Session *s, Error *error) {
    void *start = calloc((size_t)s->network.size, real_size(s->settings.precision));
    if (!start)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a copy of the parameters");
    network_initialise(&s->network, &s->settings, start);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, start);
    free(start);
    (void)norm_begin(s);
    pde_engine_forget(s->engine);
    pde_engine_set_updates(s->engine, 0);
    memset(s->unknown_state, 0, sizeof s->unknown_state);
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        s->unknown[k] = s->problem->unknown[k][0];
    session_unknowns_changed(s);
    optimiser_restart(s);
    hooks_restart(s);
    return STATUS_OK;
}

static bool is_far(double size) {
    return isfinite(size) && size > 0 && (size > FAR || size < 1 / FAR);
}

Status recheck_scales(Session *s, int64_t iteration, Buffer *said, Error *error) {
    assert(iteration > 0 && said->size == 0);
    char before[NUMBER_TEXT_MAX], after[NUMBER_TEXT_MAX];
    double size[PLAN_FIELDS_MAX];
    bool far = false, learnt = false;
    Status status = output_sizes(s, size, &learnt, error);
    if (status != STATUS_OK)
        return status;
    for (int o = 0; o < s->problem->outputs && learnt; o++)
        far = far || is_far(size[o]);
    if (!far)
        return STATUS_OK;
    buffer_printf(said, "after %lld iterations the solution is not of the size that was expected:",
                  (long long)iteration);
    for (int o = 0; o < s->problem->outputs; o++) {
        double old = s->output_scale[o];
        if (is_far(size[o]))
            s->output_scale[o] *= size[o];
        buffer_printf(said, "%s %s, was %s", o ? ";" : "",
                      number_print_digits(s->output_scale[o], 4, after),
                      number_print_digits(old, 4, before));
    }
    status = scales_follow(s, error);
    buffer_printf(said,
                  ". All scales are chosen again, and training begins anew (--scale X keeps one)");
    return status == STATUS_OK ? forget(s, error) : status;
}
