/* estimate.h: how wrong a trained solution is, at points and on the test law, by paths (walk.h). */
#ifndef PDE_RUNTIME_ERROR_ESTIMATE_H
#define PDE_RUNTIME_ERROR_ESTIMATE_H

#include "error/walk.h"

/* ------------------------------------------------------------------------------ a quick judgement */

typedef struct QuickConfig {
    int points, paths, steps; /* 0: 16, 32, 16 */
    uint64_t seed;
    const volatile sig_atomic_t *stop; /* not 0: give up; NULL: never */
} QuickConfig;

enum { ESTIMATE_WHY_MAX = 256 };

typedef struct QuickError {
    double rms;      /* of the error on the test law */
    double relative; /* rms over that of the corrected solution */
    double judge,
        se; /* sqrt(mean of estimate^2 + se^2): to choose between candidates by; its standard error */
    bool refused; /* nothing of the above holds, for the reason in why */
    char why[ESTIMATE_WHY_MAX];
} QuickError;

/* The error of a network on the test law. problem: opened in double (PDE_F64); settings: those that the network was
 * made with; theta, output_scale: its parameters in double and its scales. Stopped: STATUS_OK, refused. */
Status estimate_quick(const Problem *problem, const Settings *settings, const double *theta,
                      const double *output_scale, const QuickConfig *config, QuickError *quick,
                      Error *error);

/* --------------------------------------------------------------------------------- point by point */

/* Steps of twice the length and common increments differ by D. What is left of the steps' bias is D where it falls like
 * their length, D / 3 where like its square: what is added is between, and both are within the bound. */
#define ESTIMATE_EXTRAPOLATE (2. / 3)
#define ESTIMATE_BIAS 0.4

typedef struct ErrorPoint {
    double value;     /* of the trained solution */
    double error;     /* estimated: value minus truth */
    double deviation; /* standard error of that */
    double bias;      /* what the length of the steps may have added, either way */
    double second;    /* what the linearisation may have left out, either way */
    double half;      /* half of the 95 % interval, all three together */
    double product;   /* of two estimates from halves of the paths: unbiased for error^2 */
    double variance;  /* of one path's number */
    double exact;     /* NaN: not known */
} ErrorPoint;

typedef struct ErrorSum {
    double rms, rms_low, rms_high;  /* of the error over the points, with its 95 % interval */
    double size;                    /* rms of the corrected solution */
    double true_rms, corrected_rms; /* where the exact solution is known, else NaN */
    double noise;                   /* rms of half of the points' intervals */
    double bias, second;            /* rms of those parts */
    double judge, judge_error;      /* as judge and se in QuickError */
    int64_t covered;                /* points whose interval holds the exact value */
} ErrorSum;

typedef struct EstimateConfig {
    int64_t points;  /* how many */
    const double *x; /* [points][n_in] */
    int paths;       /* of each point, a multiple of WALK_BLOCK */
    int steps;       /* of a path through all of time */
    bool two_steps; /* walk twice, with steps of two lengths, and extrapolate or bound their bias */
    uint64_t seed;
    double seconds_most; /* given up if it would take longer; 0: never */
    const volatile sig_atomic_t *stop;
} EstimateConfig;

/* point: [points]. stopped: what is there is not whole. */
Status estimate_points(Walk *walk, const EstimateConfig *config, ErrorPoint *point, bool *stopped,
                       Error *error);
/* Of `most` seconds since `start` (seconds_now), as seconds_most takes them: 0 where there is no limit. */
double estimate_seconds_left(double most, double start);
/* 97.5 % point of Student's law of n - 1 degrees. */
double estimate_student(double n);
ErrorSum estimate_sum(const ErrorPoint *point, int64_t count);
/* Why the numbers must not be trusted, or NULL; text: at least ESTIMATE_WHY_MAX bytes. */
const char *estimate_doubt(const Walk *walk, const ErrorSum *sum, char *text);

#endif
