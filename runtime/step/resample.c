/* resample.c: --resample N: N times as many points as a step takes are proposed, and points with large residuals are more
 * likely to be kept: with a chance proportional to 1 + |r| / mean |r| (Wu et al., Computer Methods in Applied Mechanics
 * and Engineering 403, 2023, with exponent and constant 1).
 *
 * Proposals come from the counter, batch by batch, so that none need be stored: the first round gives their weights, the
 * second draws the batches again of which something is kept. */
#include "step/hook.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "step/points.h"
#include "step/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* owner of weight and kept */
typedef struct Resample {
    Session *session;
    double *weight; /* [proposals] */
    double *kept;   /* [points][n_in] */
} Resample;

static int64_t proposals_of(const Session *s) {
    return s->settings.resample * s->settings.points;
}

/* |r| of the points that are there, of several residuals the norm. */
static void weigh(const Session *s, uint32_t step, double *to) {
    const Task *t = &s->task[0];
    Route *r = &s->task[0].gradient[0];
    route_prepare(r, step);
    route_value(r);
    for (int64_t k = 0; k < s->settings.points; k++) {
        double square = 0;
        for (int e = 0; e < t->plan->residuals; e++) {
            const double v =
                real_get(s->settings.precision, r->residual, k * t->plan->residuals + e);
            square += v * v;
        }
        to[k] = sqrt(square);
    }
}

/* The chances, one after the other, add up to *total. What is not finite is no more likely than the mean. */
static double chances(const Resample *a, int64_t n) {
    double sum = 0;
    int64_t finite = 0;
    for (int64_t k = 0; k < n; k++)
        if (isfinite(a->weight[k])) {
            sum += a->weight[k];
            finite++;
        }
    const double mean = finite > 0 && sum > 0 ? sum / (double)finite : 1;
    double total = 0;
    for (int64_t k = 0; k < n; k++)
        total += a->weight[k] = 1 + (isfinite(a->weight[k]) ? a->weight[k] / mean : 1);
    return total;
}

static void propose(const Session *s, Points *p, uint32_t step, int64_t batch) {
    points_draw(p, s->settings.seed, step, (uint32_t)(batch * s->settings.points));
}

static void keep_point(Resample *a, const Points *p, int64_t from, int64_t to) {
    const int64_t n_in = a->session->problem->n_in;
    for (int64_t i = 0; i < n_in; i++)
        a->kept[to * n_in + i] = points_coordinate(p, from, i);
}

/* Systematic choice: marks at equal distances on the line of all chances, with one random shift. */
static void choose(Resample *a, Points *p, uint32_t step, double total) {
    const Session *s = a->session;
    const int64_t points = s->settings.points;
    const uint32_t word =
        pde_random_word(s->settings.seed, stream_of(STREAM_RESAMPLE, ROLE_TRAIN, 0, 0), step, 0, 0);
    const double shift = pde_uniform(word);
    double passed = 0;
    int64_t kept = 0, there = -1;
    for (int64_t k = 0; k < proposals_of(s); k++) {
        passed += a->weight[k];
        for (; kept < points && ((double)kept + shift) / (double)points * total < passed; kept++) {
            if (there != k / points)
                propose(s, p, step, there = k / points);
            keep_point(a, p, k % points, kept);
        }
    }
    for (; kept < points; kept++) /* the last mark, lost to rounding */
        keep_point(a, p, points - 1, kept);
}

static void take_points(void *self, uint32_t step) {
    Resample *a = self;
    Session *s = a->session;
    Points *p = &s->task[0].points;
    const int64_t n_in = s->problem->n_in;
    const double start = seconds_now();
    assert(s->settings.resample > 1 && s->settings.fresh == 1);
    for (int64_t m = 0; m < s->settings.resample; m++) {
        if (m > 0)
            propose(s, p, step, m);
        weigh(s, step, a->weight + m * s->settings.points);
    }
    choose(a, p, step, chances(a, proposals_of(s)));
    for (int64_t k = 0; k < s->settings.points; k++)
        for (int64_t i = 0; i < n_in; i++)
            points_set_coordinate(p, k, i, a->kept[k * n_in + i]);
    points_run_programs(p);
    s->seconds[PHASE_POINTS] += seconds_now() - start;
}

static Status open(Session *s, void **self, Error *error) {
    if (pde_optim_has(s->settings.optimiser.kind, PDE_ONE_LOSS) || s->settings.fresh != 1)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--resample proposes new points at each step: leave out --fresh, and "
                         "--optimiser lbfgs, which keeps its points");
    if (s->settings.slices > 0 || s->problem->plan.auxes > 0)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--resample chooses independent points: not with --slices, nor where "
                         "points carry random variables of their own");
    Resample *a = calloc(1, sizeof *a);
    *self = a;
    if (a) {
        a->session = s;
        a->weight = calloc((size_t)proposals_of(s), sizeof *a->weight);
        a->kept = calloc((size_t)(s->settings.points * s->problem->n_in), sizeof *a->kept);
    }
    return a && a->weight && a->kept
               ? STATUS_OK
               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for proposed points");
}

static void release(void *self) {
    Resample *a = self;
    free(a->weight);
    free(a->kept);
    free(a);
}

static bool wanted(const Settings *settings) {
    return settings->resample > 1;
}

static void describe(void *self, const Config *config, Buffer *to) {
    const Session *s = ((const Resample *)self)->session;
    (void)config;
    buffer_printf(to, "  resample    %lld points proposed for %lld, by their residuals\n",
                  (long long)proposals_of(s), (long long)s->settings.points);
}

const StepHook hook_resample = {.name = "resample",
                                .wanted = wanted,
                                .open = open,
                                .close = release,
                                .before = take_points,
                                .describe = describe};
