/* estimate.c: see estimate.h. Each number is the mean of a path and its mirror image; these means are what is
 * independent. */
#include "error/estimate.h"

#include "error/exit.h"
#include "error/second.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = WALK_BLOCK / 2 };
/* A second order as large as this part of the error: the linearisation does not hold. */
static const double SECOND_MOST = 0.5;
/* A path stops at this part of its first gap from the boundary (walk.c: SHELL, and as much again). */
static const double SHELL_BIAS = 1e-3;

/* Sums over the means of mirrored paths of one point, for either half of them. */
typedef struct Sums {
    double sum[2], square, single;
    int64_t count[2];
} Sums;

static void add_pairs(Sums *s, const double *fine, const double *coarse, int64_t first) {
    for (int l = 0; l < PAIRS; l++) {
        double a = fine[l], b = fine[PAIRS + l], mean = (a + b) / 2;
        if (coarse)
            mean += ESTIMATE_EXTRAPOLATE * (mean - (coarse[l] + coarse[PAIRS + l]) / 2);
        if (isnan(mean))
            continue;
        int half = (int)((first + l) % 2);
        s->sum[half] += mean;
        s->square += mean * mean;
        s->single += (a * a + b * b) / 2;
        s->count[half]++;
    }
}

double estimate_student(double n) {
    return 1.96 + 2.4 / fmax(n - 1, 1) + 8 / pow(fmax(n - 1, 1), 3);
}

static void finish(const Sums *s, ErrorPoint *p) {
    double n = (double)(s->count[0] + s->count[1]), mean = (s->sum[0] + s->sum[1]) / n;
    p->error = mean;
    p->deviation = sqrt(fmax(s->square / n - mean * mean, 0) / (n - 1));
    p->product = s->sum[0] / (double)s->count[0] * (s->sum[1] / (double)s->count[1]);
    p->variance = fmax(s->single / n - mean * mean, 0);
    p->half = estimate_student(n) * p->deviation;
}

static void read_values(Walk *w, const EstimateConfig *c, int64_t n_in, ErrorPoint *point) {
    const double *at[WALK_PATHS];
    double value[WALK_PATHS], exact[WALK_PATHS];
    for (int64_t first = 0; first < c->points; first += walk_paths(w)) {
        int64_t count = c->points - first < walk_paths(w) ? c->points - first : walk_paths(w);
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

static double mean_of(const double *z, int64_t count) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += z[k] / (double)count;
    return sum;
}

/* Steps of two lengths with increments of their own: too noisy point by point, so that one factor for all points is
 * taken, with its noise. */
static double common_bias(const EstimateConfig *c, const double *fine, const double *coarse,
                          int64_t per_point) {
    double cross = 0, square = 0, noise = 0;
    for (int64_t p = 0; p < c->points; p++) {
        double a = mean_of(fine + p * per_point, per_point),
               b = mean_of(coarse + p * per_point, per_point), spread = 0;
        for (int64_t k = 0; k < per_point / WALK_BLOCK * PAIRS; k++) {
            int64_t at = p * per_point + k / PAIRS * WALK_BLOCK + k % PAIRS;
            spread += pow(
                (fine[at] + fine[at + PAIRS] - coarse[at] - coarse[at + PAIRS]) / 2 - (a - b), 2);
        }
        double n = (double)per_point / 2, e = (a + b) / 2;
        if (isnan(a) || isnan(b))
            continue;
        cross += (b - a) * e;
        square += e * e;
        noise += e * e * spread / (n * fmax(n - 1, 1));
    }
    return square > 0 ? fmax(fabs(cross) - sqrt(noise), 0) / square : 0;
}

/* The walks of an estimate. */
typedef struct Numbers {
    double *fine, *coarse;        /* [points][per_point]; coarse: NULL, one walk only */
    WalkSecond *second, *shifted; /* of these; NULL: the equation is linear */
    int64_t per_point;
    bool common; /* both walks have the same increments */
} Numbers;

static void sum_point(const Numbers *n, int64_t p, ErrorPoint *e) {
    Sums sums = {0};
    for (int64_t k = p * n->per_point; k < (p + 1) * n->per_point; k += WALK_BLOCK)
        add_pairs(&sums, n->fine + k, n->coarse && n->common ? n->coarse + k : NULL,
                  k / WALK_BLOCK);
    finish(&sums, e);
}

static void make_point(const Walk *w, const Numbers *n, double relative, int64_t p, ErrorPoint *e) {
    double *a = n->fine + p * n->per_point, *b = n->coarse ? n->coarse + p * n->per_point : NULL;
    WalkSecond *second = n->second ? n->second + p * n->per_point : NULL,
               *shifted = n->shifted ? n->shifted + p * n->per_point : NULL;
    double share = 0;
    sum_point(n, p, e);
    if (second) {
        share = second_share(e, second, a, b, n->per_point);
        sum_point(n, p, e);
    }
    if (exit_exists(walk_problem(w)))
        e->bias = (relative + SHELL_BIAS) * fabs(e->error);
    else if (b)
        e->bias = ESTIMATE_BIAS * fabs(mean_of(a, n->per_point) - mean_of(b, n->per_point));
    e->second = second_rest(walk_facts(w), e, second, shifted, n->per_point, share);
    e->error += second_slope(walk_facts(w), e);
    e->half = sqrt(e->half * e->half + e->bias * e->bias + e->second * e->second);
}

static Status open_numbers(const Walk *w, const EstimateConfig *c, Numbers *n, Error *error) {
    *n = (Numbers){.per_point = c->paths / WALK_BLOCK * WALK_BLOCK,
                   .common = !exit_exists(walk_problem(w))};
    size_t count = (size_t)(c->points * n->per_point);
    bool bends = !walk_problem(w)->plan.process.linear;
    n->fine = malloc(count * sizeof *n->fine);
    n->coarse = c->two_steps ? malloc(count * sizeof *n->coarse) : NULL;
    n->second = bends ? malloc(count * sizeof *n->second) : NULL;
    n->shifted = bends && c->two_steps ? malloc(count * sizeof *n->shifted) : NULL;
    if (n->fine && (n->coarse || !c->two_steps) &&
        (!bends || (n->second && (n->shifted || !c->two_steps))))
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                     (long long)c->points);
}

static void close_numbers(Numbers *n) {
    free(n->fine);
    free(n->coarse);
    free(n->second);
    free(n->shifted);
}

/* As large as the error may be on the way: once and a half its root mean square at the points. */
static double size_of_error(const EstimateConfig *c, const Numbers *n) {
    double square = 0;
    for (int64_t p = 0; p < c->points; p++) {
        double e = mean_of(n->fine + p * n->per_point, n->per_point);
        square += isnan(e) ? 0 : e * e / (double)c->points;
    }
    return 1.5 * sqrt(square);
}

double estimate_seconds_left(double most, double start) {
    assert(most >= 0);
    return most > 0 ? fmax(most - (seconds_now() - start), 1e-3) : 0;
}

/* Both walks; false: stopped. */
static bool walk_both(Walk *w, const EstimateConfig *c, const Numbers *n) {
    Starts starts = {c, walk_inputs(w), n->per_point / WALK_BLOCK};
    double start = seconds_now();
    WalkRun run = {.blocks = c->points * starts.per_point,
                   .start = start_of,
                   .context = &starts,
                   .seed = c->seed,
                   .steps = c->steps,
                   .seconds_most = c->seconds_most / (c->two_steps ? 1.5 : 1),
                   .stop = c->stop};
    if (!walk_run(w, &run, n->fine, n->second))
        return false;
    run.coarse = true;
    run.seconds_most = estimate_seconds_left(c->seconds_most, start);
    run.seed += n->common ? 0 : 1;
    run.shift = n->second ? size_of_error(c, n) : 0;
    return !n->coarse || walk_run(w, &run, n->coarse, n->shifted);
}

Status estimate_points(Walk *w, const EstimateConfig *c, ErrorPoint *point, bool *stopped,
                       Error *error) {
    assert(c->points > 0 && c->paths % WALK_BLOCK == 0 && c->steps > 0);
    Numbers n;
    Status status = open_numbers(w, c, &n, error);
    if (status == STATUS_OK) {
        memset(point, 0, (size_t)c->points * sizeof *point);
        read_values(w, c, walk_inputs(w), point);
        *stopped = !walk_both(w, c, &n);
        double relative =
            n.coarse && !n.common && !*stopped ? common_bias(c, n.fine, n.coarse, n.per_point) : 0;
        for (int64_t p = 0; p < c->points && !*stopped; p++)
            make_point(w, &n, relative, p, &point[p]);
    }
    close_numbers(&n);
    return status;
}

ErrorSum estimate_sum(const ErrorPoint *point, int64_t count) {
    assert(count > 0);
    ErrorSum s = {0};
    double n = (double)count, sum = 0, square = 0, fourth = 0;
    for (int64_t p = 0; p < count; p++) {
        const ErrorPoint *e = &point[p];
        double corrected = e->value - e->error;
        sum += e->product;
        square += e->product * e->product;
        s.size += corrected * corrected / n;
        s.noise += e->half * e->half / n;
        s.bias += e->bias * e->bias / n;
        s.second += e->second * e->second / n;
        double part = e->error * e->error + e->deviation * e->deviation;
        s.judge += part / n;
        fourth += part * part / n;
        s.true_rms += pow(e->value - e->exact, 2) / n;
        s.corrected_rms += pow(corrected - e->exact, 2) / n;
        s.covered += fabs(corrected - e->exact) <= e->half;
    }
    double mean = sum / n, deviation = sqrt(fmax(square / n - mean * mean, 0) / fmax(n - 1, 1));
    double systematic = sqrt(s.bias + s.second);
    s.rms = sqrt(fmax(mean, 0));
    s.rms_low = fmax(sqrt(fmax(mean - 1.96 * deviation, 0)) - systematic, 0);
    s.rms_high = sqrt(fmax(mean + 1.96 * deviation, 0)) + systematic;
    s.size = sqrt(s.size);
    s.noise = sqrt(s.noise);
    s.bias = sqrt(s.bias);
    s.second = sqrt(s.second);
    double spread = sqrt(fmax(fourth - s.judge * s.judge, 0) / fmax(n - 1, 1));
    s.judge = sqrt(s.judge);
    s.judge_error = s.judge > 0 ? spread / (2 * s.judge) : 0;
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
    snprintf(text, ESTIMATE_WHY_MAX,
             "c reaches %.3g, and paths have a mean only below the first eigenvalue of the domain "
             "(at least %.3g) and "
             "a variance below half of it",
             f->rate_most, first);
    return text;
}

const char *estimate_doubt(const Walk *w, const ErrorSum *sum, char *text) {
    assert(sum && text);
    const WalkFacts *f = walk_facts(w);
    if (f->both_signs)
        return "the matrix of the second derivatives is not of one sign: no process has it";
    if (f->outside > 0) {
        snprintf(text, ESTIMATE_WHY_MAX,
                 "%lld of %lld paths would begin outside the domain: the law of the points goes "
                 "beyond it",
                 (long long)f->outside, (long long)f->paths);
        return text;
    }
    if (f->lost > 0) {
        snprintf(text, ESTIMATE_WHY_MAX,
                 "%lld of %lld paths found no end, or values that are not finite",
                 (long long)f->lost, (long long)f->paths);
        return text;
    }
    if (f->weight_most > 1e6)
        return "the equation makes errors grow by more than 1e6 along a path";
    if (sum && sum->second > SECOND_MOST * fmax(sum->rms, sum->judge)) {
        snprintf(text, ESTIMATE_WHY_MAX,
                 "the linearisation does not hold: what it leaves out may be %.2g, the error that "
                 "it finds is %.2g",
                 sum->second, fmax(sum->rms, sum->judge));
        return text;
    }
    return doubt_rate(f, walk_problem(w), text);
}

/* ------------------------------------------------------------------------------------------ quick */

static void refuse(QuickError *quick, const char *why) {
    quick->refused = true;
    snprintf(quick->why, sizeof quick->why, "%s", why);
}

static Status judge(Walk *w, const QuickConfig *c, QuickError *quick, Error *error) {
    char text[ESTIMATE_WHY_MAX];
    int64_t points = c->points > 0 ? c->points : 16;
    bool stopped = false;
    points = points < walk_paths(w) ? points : walk_paths(w);
    double *x = calloc((size_t)(points * walk_inputs(w)), sizeof *x);
    ErrorPoint *point = calloc((size_t)points, sizeof *point);
    Status status = x && point ? STATUS_OK
                               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                                           (long long)points);
    if (status == STATUS_OK) {
        EstimateConfig config = {.points = points,
                                 .x = x,
                                 .paths = ((c->paths > 0 ? c->paths : 32) + WALK_BLOCK - 1) /
                                          WALK_BLOCK * WALK_BLOCK,
                                 .steps = c->steps > 0 ? c->steps : 16,
                                 .seed = c->seed,
                                 .stop = c->stop};
        walk_test_points(w, 0, points, x);
        status = estimate_points(w, &config, point, &stopped, error);
    }
    if (status == STATUS_OK && !stopped) {
        ErrorSum sum = estimate_sum(point, points);
        const char *doubt = estimate_doubt(w, &sum, text);
        if (doubt)
            refuse(quick, doubt);
        quick->rms = sum.rms;
        quick->se = sum.judge_error;
        quick->relative = sum.rms / sum.size;
        quick->judge = sum.judge;
    } else if (status == STATUS_OK)
        refuse(quick, "stopped");
    free(x);
    free(point);
    return status;
}

Status estimate_quick(const Problem *q, const Settings *settings, const double *theta,
                      const double *output_scale, const QuickConfig *config, QuickError *quick,
                      Error *error) {
    assert(q->precision == PDE_F64);
    Walk *walk = NULL;
    *quick = (QuickError){
        .rms = (double)NAN, .se = (double)NAN, .relative = (double)NAN, .judge = (double)NAN};
    const char *why = walk_refusal(q);
    if (why) {
        refuse(quick, why);
        return STATUS_OK;
    }
    Status status = walk_open(q, settings, theta, output_scale, &walk, error);
    if (status == STATUS_OK)
        status = judge(walk, config, quick, error);
    walk_close(walk);
    return status;
}
