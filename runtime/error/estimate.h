/* estimate.h: how wrong a trained solution is, at points and on the test law, by paths (walk.h). */
#ifndef PDE_RUNTIME_ERROR_ESTIMATE_H
#define PDE_RUNTIME_ERROR_ESTIMATE_H

#include "error/walk.h"

typedef struct ErrorPoint {
    double value;     /* of the trained solution */
    double error;     /* estimated: value minus truth */
    double deviation; /* standard error of that */
    double product;   /* of two estimates from halves of the paths: unbiased for error^2 */
    double exact;     /* NaN: not known */
} ErrorPoint;

typedef struct ErrorSum {
    double rms, rms_low, rms_high;  /* of the error over the points, with its 95 % interval */
    double size;                    /* rms of the corrected solution */
    double true_rms, corrected_rms; /* where the exact solution is known, else NaN */
    double noise;                   /* rms of the standard errors */
} ErrorSum;

typedef struct EstimateConfig {
    int64_t points;  /* how many */
    const double *x; /* [points][n_in] */
    int paths;       /* of each point, a multiple of 64 */
    int steps;       /* of a path in time */
    uint64_t seed;
} EstimateConfig;

/* point: [points]. */
Status estimate_points(Walk *walk, const EstimateConfig *config, ErrorPoint *point, Error *error);
ErrorSum estimate_sum(const ErrorPoint *point, int64_t count);
/* Why the numbers must not be trusted, or NULL; text: at least ESTIMATE_DOUBT_MAX bytes. */
enum { ESTIMATE_DOUBT_MAX = 256 };
const char *estimate_doubt(const Walk *walk, const Problem *problem, char *text);

#endif
