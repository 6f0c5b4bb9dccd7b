/* estimate.c: see estimate.h. A point's paths fill whole pairs of groups, so that each number is the mean of a path
 * and its mirror image; these means are what is independent. */
#include "error/estimate.h"

#include "error/exit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sums over the means of mirrored paths of one point, for either half of them. */
typedef struct Sums {
    double sum[2], square;
    int64_t count[2];
} Sums;

static void add_pairs(Sums *s, const double *z, int half) {
    for (int l = 0; l < PDE_LANES; l++) {
        double mean = (z[l] + z[PDE_LANES + l]) / 2;
        if (isnan(mean))
            continue;
        s->sum[half] += mean;
        s->square += mean * mean;
        s->count[half]++;
    }
}

static void finish(const Sums *s, ErrorPoint *p) {
    int64_t n = s->count[0] + s->count[1];
    double mean = (s->sum[0] + s->sum[1]) / (double)n;
    p->error = mean;
    p->deviation = sqrt(fmax(s->square / (double)n - mean * mean, 0) / (double)(n - 1));
    p->product = s->sum[0] / (double)s->count[0] * (s->sum[1] / (double)s->count[1]);
}

static void read_values(Walk *w, const EstimateConfig *c, int64_t n_in, ErrorPoint *point) {
    const double *at[WALK_PATHS];
    double value[WALK_PATHS], exact[WALK_PATHS];
    for (int64_t first = 0; first < c->points; first += WALK_PATHS) {
        int64_t count = c->points - first < WALK_PATHS ? c->points - first : WALK_PATHS;
        for (int64_t p = 0; p < count; p++)
            at[p] = c->x + (first + p) * n_in;
        walk_values(w, at, count, value, exact);
        for (int64_t p = 0; p < count; p++) {
            point[first + p].value = value[p];
            point[first + p].exact = exact[p];
        }
    }
}

/* Which point a block of paths starts from. */
typedef struct Starts {
    const EstimateConfig *c;
    int64_t n_in, per_point;
} Starts;

static const double *start_of(const void *context, int64_t block) {
    const Starts *s = context;
    return s->c->x + block / s->per_point * s->n_in;
}

Status estimate_points(Walk *w, const EstimateConfig *c, ErrorPoint *point, Error *error) {
    Starts starts = {c, walk_inputs(w), c->paths / WALK_BLOCK};
    int64_t blocks = c->points * starts.per_point;
    double *z = malloc((size_t)(blocks * WALK_BLOCK) * sizeof *z);
    if (!z)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                         (long long)c->points);
    read_values(w, c, starts.n_in, point);
    walk_run(w, blocks, start_of, &starts, c->seed, c->steps, z);
    for (int64_t p = 0; p < c->points; p++) {
        Sums sums = {0};
        for (int64_t k = 0; k < starts.per_point; k++)
            add_pairs(&sums, z + (p * starts.per_point + k) * WALK_BLOCK, (int)(k % 2));
        finish(&sums, &point[p]);
    }
    free(z);
    return STATUS_OK;
}

ErrorSum estimate_sum(const ErrorPoint *point, int64_t count) {
    ErrorSum s = {0};
    double n = (double)count, sum = 0, square = 0;
    for (int64_t p = 0; p < count; p++) {
        const ErrorPoint *e = &point[p];
        double corrected = e->value - e->error;
        sum += e->product;
        square += e->product * e->product;
        s.size += corrected * corrected / n;
        s.noise += e->deviation * e->deviation / n;
        s.true_rms += pow(e->value - e->exact, 2) / n;
        s.corrected_rms += pow(corrected - e->exact, 2) / n;
    }
    double mean = sum / n, deviation = sqrt(fmax(square / n - mean * mean, 0) / fmax(n - 1, 1));
    s.rms = sqrt(fmax(mean, 0));
    s.rms_low = sqrt(fmax(mean - 1.96 * deviation, 0));
    s.rms_high = sqrt(fmax(mean + 1.96 * deviation, 0));
    s.size = sqrt(s.size);
    s.noise = sqrt(s.noise);
    s.true_rms = sqrt(s.true_rms);
    s.corrected_rms = sqrt(s.corrected_rms);
    return s;
}

/* With exit and c > 0 the mean exists only below the first eigenvalue, and the variance below half of it. The
 * standard error does not show a violation, so it is looked for here. */
static const char *doubt_rate(const WalkFacts *f, const Problem *q, char *text) {
    if (q->plan.time || !(f->rate_most > 0))
        return NULL;
    double first = exit_eigenvalue(q, f->variance_least);
    if (!f->drifts && f->rate_most < first / 2)
        return NULL;
    if (f->drifts && f->weight_most < 3)
        return NULL;
    snprintf(text, ESTIMATE_DOUBT_MAX,
             "c reaches %.3g, and paths have a mean only below the first eigenvalue of the domain "
             "(at least %.3g) and "
             "a variance below half of it",
             f->rate_most, first);
    return text;
}

const char *estimate_doubt(const Walk *w, const Problem *q, char *text) {
    const WalkFacts *f = walk_facts(w);
    if (f->both_signs)
        return "the matrix of the second derivatives is not of one sign: no process has it";
    if (f->lost > 0) {
        snprintf(text, ESTIMATE_DOUBT_MAX, "%lld paths found no end, or values that are not finite",
                 (long long)f->lost);
        return text;
    }
    if (f->weight_most > 1e6)
        return "the equation makes errors grow by more than 1e6 along a path";
    return doubt_rate(f, q, text);
}
