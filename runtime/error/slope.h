/* slope.h: how wrong a derivative of the trained solution is. */
#ifndef PDE_RUNTIME_ERROR_SLOPE_H
#define PDE_RUNTIME_ERROR_SLOPE_H

#include "error/estimate.h"

/* The error of the derivative by `coordinate` (0 .. d - 1) at the first point of config. point: what estimate_points
 * says of the value there; error, deviation, bias, second, half, variance become those of the derivative, the others
 * do not change. stopped: it is not whole. */
Status slope_point(Walk *walk, const EstimateConfig *config, int64_t coordinate, ErrorPoint *point,
                   bool *stopped, Error *error);

#endif
