/* slope.c: see slope.h. Two estimators, of which the one with the smaller variance is taken:
 *
 * differences  paths from either side of the point have the same increments, so that what differs is what the start
 *              changes: paths are differentiated. Good where data are continuous.
 * likelihood   a path's number times how the logarithm of its first step's density changes with the start. It needs
 *              no continuity. Only over all space: in a domain first steps are long, and known to be alike in a few
 *              moments only. */
#include "error/slope.h"

#include "error/exit.h"
#include "error/second.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = WALK_BLOCK / 2, SIDES = 3 }; /* at the point, after it, before it */
/* Of the length over which errors are smooth, and what the shift adds, relative. In a domain paths that begin apart may
 * end apart, which a small shift makes much of. */
static const double SHIFT = 0.02, SHIFT_BIAS = 1e-3, SHIFT_INSIDE = 0.1, SHIFT_INSIDE_BIAS = 5e-3;

typedef struct Slope {
    Walk *w;
    const EstimateConfig *c;
    int64_t coordinate, per; /* per: blocks of a side */
    double *x[SIDES], shift;
    double start;  /* when it began */
    double length; /* over which the solution's errors are smooth */
    double *z[2];  /* fine and coarse steps: [SIDES][per][WALK_BLOCK] */
    WalkFirst *first[2];
    WalkSecond *second; /* of the fine ones; NULL: the equation is linear */
} Slope;

/* A mean with its standard error; of the two lengths of step, and extrapolated where they have common increments. */
typedef struct Mean {
    double value, deviation, fine, coarse;
} Mean;

static const double *start_of(const void *context, int64_t block) {
    const Slope *s = context;
    return s->x[block / s->per];
}

static double gap_at(const Slope *s, double by) {
    const Problem *q = walk_problem(s->w);
    double *x = calloc((size_t)(walk_inputs(s->w) * PDE_LANES), sizeof *x), gap = 0;
    for (int64_t i = 0; x && i < walk_inputs(s->w); i++)
        x[i * PDE_LANES] = s->c->x[i] + (i == s->coordinate ? by : 0);
    if (x)
        gap = exit_room(q, &(PathState){.x = x, .drift = x, .variance = x});
    free(x);
    return gap;
}

static double time_left(const Slope *s) {
    const Problem *q = walk_problem(s->w);
    double t = s->c->x[q->d];
    return q->plan.process.class == PROCESS_terminal ? q->time[1] - t : t - q->time[0];
}

/* From how the first steps spread; in a domain from how far the boundary is along the coordinate. */
static void choose_shift(Slope *s, const WalkFirst *first) {
    const Problem *q = walk_problem(s->w);
    double length = 0.5 * (1 + fabs(s->c->x[s->coordinate]));
    if (exit_exists(q)) {
        double gap = gap_at(s, 0);
        while (length > 1e-9 && fmin(gap_at(s, length), gap_at(s, -length)) < gap / 2)
            length /= 2;
    } else if (first->deviation > 0) {
        double step = fmin((q->time[1] - q->time[0]) / s->c->steps, time_left(s));
        length = first->deviation * sqrt(time_left(s) / step);
    }
    s->length = length;
    s->shift = (exit_exists(q) ? SHIFT_INSIDE : SHIFT) * length;
    s->x[1][s->coordinate] += s->shift;
    s->x[2][s->coordinate] -= s->shift;
}

static bool walk_sides(Slope *s, int first_side, int sides, bool coarse) {
    int64_t from = first_side * s->per * WALK_BLOCK;
    Slope part = *s;
    for (int k = 0; k < sides; k++)
        part.x[k] = s->x[first_side + k];
    WalkRun run = {.blocks = sides * s->per,
                   .streams = s->per,
                   .coordinate = s->coordinate,
                   .first = s->first[coarse] + from,
                   .start = start_of,
                   .context = &part,
                   .seed = s->c->seed + (coarse && exit_exists(walk_problem(s->w)) ? 1 : 0),
                   .steps = s->c->steps,
                   .coarse = coarse,
                   .seconds_most = estimate_seconds_left(s->c->seconds_most, s->start),
                   .stop = s->c->stop};
    return walk_run(s->w, &run, s->z[coarse] + from,
                    s->second && first_side == 0 && !coarse ? s->second : NULL);
}

/* Number of the mirrored pair l of block k. */
static double number(const Slope *s, bool likelihood, bool coarse, int64_t k, int l) {
    const double *z = s->z[coarse] + k * WALK_BLOCK;
    const WalkFirst *f = s->first[coarse] + k * WALK_BLOCK;
    if (likelihood)
        return (z[l] * f[l].score + z[l + PAIRS] * f[l + PAIRS].score) / 2;
    const double *after = z + s->per * WALK_BLOCK, *before = after + s->per * WALK_BLOCK;
    return (after[l] + after[l + PAIRS] - before[l] - before[l + PAIRS]) / (4 * s->shift);
}

static Mean mean_of(const Slope *s, bool likelihood, bool extrapolated) {
    Mean m = {0};
    double n = (double)(s->per * PAIRS), square = 0;
    for (int64_t k = 0; k < s->per; k++)
        for (int l = 0; l < PAIRS; l++) {
            double fine = number(s, likelihood, false, k, l),
                   coarse = s->c->two_steps ? number(s, likelihood, true, k, l) : fine,
                   v = extrapolated ? fine + ESTIMATE_EXTRAPOLATE * (fine - coarse) : fine;
            m.fine += fine / n;
            m.coarse += coarse / n;
            m.value += v / n;
            square += v * v / n;
        }
    m.deviation = sqrt(fmax(square - m.value * m.value, 0) / fmax(n - 1, 1));
    return m;
}

static void finish(const Slope *s, ErrorPoint *p) {
    bool common = !exit_exists(walk_problem(s->w));
    Mean m = mean_of(s, false, common && s->c->two_steps);
    Mean other = common ? mean_of(s, true, s->c->two_steps) : m;
    if (other.deviation < m.deviation)
        m = other;
    double steps = ESTIMATE_BIAS * fabs(m.fine - m.coarse);
    if (!common) /* with increments of their own: what noise does not explain */
        steps = fmax(fabs(m.fine - m.coarse) - 1.96 * sqrt(2.) * m.deviation, 0);
    const WalkFacts *f = walk_facts(s->w);
    double rest = s->second ? second_rest(f, p, s->second, NULL, s->per * WALK_BLOCK, 0) +
                                  fabs(second_slope(f, p))
                            : 0;
    p->error = m.value;
    p->deviation = m.deviation;
    p->variance = m.deviation * m.deviation * (double)(s->per * PAIRS);
    p->product = m.value * m.value;
    p->bias = steps + (common ? SHIFT_BIAS : SHIFT_INSIDE_BIAS) * fabs(m.value);
    p->second = rest / s->length;
    p->exact = (double)NAN;
    p->half = sqrt(pow(estimate_student((double)(s->per * PAIRS)) * m.deviation, 2) +
                   p->bias * p->bias + p->second * p->second);
}

static bool open_slope(Slope *s) {
    size_t numbers = (size_t)(SIDES * s->per * WALK_BLOCK), inputs = (size_t)walk_inputs(s->w);
    bool whole = true;
    for (int k = 0; k < SIDES; k++) {
        s->x[k] = malloc(inputs * sizeof(double));
        whole = whole && s->x[k];
        if (s->x[k])
            memcpy(s->x[k], s->c->x, inputs * sizeof(double));
    }
    for (int k = 0; k < 2; k++) {
        s->z[k] = malloc(numbers * sizeof(double));
        s->first[k] = malloc(numbers * sizeof(WalkFirst));
        whole = whole && s->z[k] && s->first[k];
    }
    if (!walk_problem(s->w)->plan.process.linear) {
        s->second = malloc((size_t)(s->per * WALK_BLOCK) * sizeof *s->second);
        whole = whole && s->second;
    }
    return whole;
}

static void close_slope(Slope *s) {
    for (int k = 0; k < SIDES; k++)
        free(s->x[k]);
    for (int k = 0; k < 2; k++) {
        free(s->z[k]);
        free(s->first[k]);
    }
    free(s->second);
}

Status slope_point(Walk *w, const EstimateConfig *c, int64_t coordinate, ErrorPoint *p,
                   bool *stopped, Error *error) {
    assert(coordinate >= 0 && coordinate < walk_problem(w)->d && c->paths % WALK_BLOCK == 0);
    Slope s = {.w = w,
               .c = c,
               .coordinate = coordinate,
               .per = c->paths / WALK_BLOCK,
               .start = seconds_now()};
    Status status = STATUS_OK;
    if (open_slope(&s)) {
        *stopped = !walk_sides(&s, 0, 1, false);
        if (!*stopped) {
            choose_shift(&s, &s.first[0][0]);
            *stopped =
                !walk_sides(&s, 1, 2, false) || (c->two_steps && !walk_sides(&s, 0, SIDES, true));
        }
        if (!*stopped)
            finish(&s, p);
    } else
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the paths of a derivative");
    close_slope(&s);
    return status;
}
