/* paths.c: a path's normal numbers m(t) + s(t) Z(t) have independent increments exactly if Z is a
 * Gauss-Markov sequence whose neighbours correlate by the quotient of the smaller s and the larger.
 * So s on the grid is all that is asked of the law; it is read off its kernel at Z = 0 and Z = 1.
 * The same holds in both directions of time: laws may widen forwards or backwards. */
#include "step/paths.h"

#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void set_times(const Points *p, int64_t group, const double unit[PDE_LANES]) {
    const Problem *q = p->c.problem;
    void *row = real_at(q->precision, p->c.x, (group * q->n_in + q->d) * PDE_LANES);
    bool law = p->time_sample >= 0;
    for (int l = 0; l < PDE_LANES; l++)
        real_set(q->precision, row, l,
                 law ? unit[l] : q->time[0] + (q->time[1] - q->time[0]) * unit[l]);
    if (law) {
        PdePointArgs args = points_args(p, group);
        args.out = row;
        q->kernels.sample[p->time_sample](&args);
    }
}

void paths_times(const Points *p, int64_t group) {
    double unit[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++)
        unit[l] = (double)((group * PDE_LANES + l) % p->c.slices + !p->widest_first) /
                  (double)p->c.slices;
    set_times(p, group, unit);
}

/* ---------------------------------------------------------------------- deviations on the grid */

/* The first coordinate in each lane of group 0 where all standard numbers are z. */
static void respond(const Points *p, double z, double out[PDE_LANES]) {
    const Problem *q = p->c.problem;
    PdePointArgs args = points_args(p, 0);
    for (int64_t i = 0; i < q->d * PDE_LANES; i++)
        real_set(q->precision, p->c.x, i, z);
    args.out = p->c.x;
    q->kernels.sample[p->space_sample[0]](&args);
    for (int l = 0; l < PDE_LANES; l++)
        out[l] = real_get(q->precision, p->c.x, l);
}

/* At the N + 1 times of the grid; auxiliary numbers, on which a deviation may depend, are 1/2. */
static void measure(const Points *p, double *deviation) {
    const Problem *q = p->c.problem;
    bool logarithm = q->plan.sample[p->space_sample[0]].law == LAW_lognormal;
    int64_t N = p->c.slices;
    for (int64_t i = 0; i < q->aux_rows * PDE_LANES; i++)
        real_set(q->precision, p->aux, i, 0.5);
    for (int64_t first = 0; first <= N; first += PDE_LANES) {
        double unit[PDE_LANES], zero[PDE_LANES], one[PDE_LANES];
        for (int l = 0; l < PDE_LANES; l++)
            unit[l] = fmin(1, (double)(first + l) / (double)N);
        set_times(p, 0, unit);
        respond(p, 0, zero);
        respond(p, 1, one);
        for (int l = 0; l < PDE_LANES && first + l <= N; l++)
            deviation[first + l] = fabs(logarithm ? log(one[l] / zero[l]) : one[l] - zero[l]);
    }
}

static double quotient(double a, double b) {
    double low = fmin(a, b), high = fmax(a, b);
    return high > 0 ? low / high : 1;
}

static Status check_laws(const Points *p, Error *error) {
    const Plan *plan = &p->c.problem->plan;
    if (!plan->time)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--slices are slices of time, and the problem has no time");
    if (plan->inside)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "paths would leave a domain that has `where`: leave --slices out");
    if (plan->spaces > 1)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "--slices follow the law of one coordinate vector, and the problem has %d: "
            "leave slices out",
            plan->spaces);
    if (p->space_sample[0] < 0 || plan->sample[p->space_sample[0]].base != BASE_NORMAL)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--slices needs a law of increments: a line such as 'sample %s_i ~ "
                         "normal(0, sqrt(2*%s))'",
                         plan->space[0].name, plan->time);
    if (p->time_sample >= 0 && plan->sample[p->time_sample].law != LAW_uniform)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--slices are equal steps of time: leave out the law of %s, or make it "
                         "uniform(a, b)",
                         plan->time);
    return STATUS_OK;
}

Status paths_create(Points *p, Error *error) {
    int64_t N = p->c.slices;
    Status status = check_laws(p, error);
    if (status != STATUS_OK)
        return status;
    double *deviation = calloc((size_t)N + 1, sizeof *deviation);
    p->keep = calloc((size_t)N, sizeof *p->keep);
    if (!deviation || !p->keep) {
        free(deviation);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld slices", (long long)N);
    }
    measure(p, deviation);
    p->widest_first = deviation[0] > deviation[N];
    const double *at = deviation + !p->widest_first;
    for (int64_t n = 1; n < N; n++)
        p->keep[n] = quotient(at[n - 1], at[n]);
    free(deviation);
    return STATUS_OK;
}

void paths_free(Points *p) {
    free(p->keep);
}

/* ---------------------------------------------------------------------------------------- draws */

static void walk_task(void *context, long path, int worker) {
    const Points *p = context;
    const Problem *q = p->c.problem;
    int64_t N = p->c.slices, first = path * N;
    (void)worker;
    for (int64_t n = 1; n < N && first + n < p->c.points; n++) {
        int64_t a = first + n - 1, b = first + n;
        const void *from = real_const_at(q->precision, p->c.x,
                                         a / PDE_LANES * q->n_in * PDE_LANES + a % PDE_LANES);
        void *to =
            real_at(q->precision, p->c.x, b / PDE_LANES * q->n_in * PDE_LANES + b % PDE_LANES);
        double keep = p->keep[n], fresh = sqrt((1 - keep) * (1 + keep));
        for (int64_t i = 0; i < q->d; i++)
            real_set(q->precision, to, i * PDE_LANES,
                     keep * real_get(q->precision, from, i * PDE_LANES) +
                         fresh * real_get(q->precision, to, i * PDE_LANES));
    }
}

void paths_walk(Points *p) {
    assert(p->c.slices > 0 && p->c.points % p->c.slices == 0);
    pde_engine_run(p->c.engine, walk_task, p,
                   (long)((p->c.points + p->c.slices - 1) / p->c.slices));
}

int64_t paths_first(const Points *p, int64_t group) {
    assert(p->c.slices > 0);
    return group * PDE_LANES / p->c.slices;
}

void paths_share(const Points *p, int64_t group, int64_t rows, void *to) {
    PdePrecision precision = p->c.problem->precision;
    int64_t first = paths_first(p, group);
    for (int64_t i = 0; i < rows; i++)
        for (int l = PDE_LANES - 1; l > 0; l--) { /* downwards: what is read lies before */
            int64_t path = (group * PDE_LANES + l) / p->c.slices - first;
            real_set(precision, to, i * PDE_LANES + l,
                     real_get(precision, to, i * PDE_LANES + path));
        }
}
