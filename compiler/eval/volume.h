/* volume.h: logarithms of volumes: sums, so that many dimensions neither over- nor underflow. */
#ifndef PDE_COMPILER_EVAL_VOLUME_H
#define PDE_COMPILER_EVAL_VOLUME_H

#include "ir/problem.h"

/* log Gamma(z), z >= 1.5, to 1e-12. */
Ref volume_log_gamma(Ir *ir, Ref z);
/* Of the ball of radius 1 with as many coordinates. */
Ref volume_log_ball(Ir *ir, const Space *x);
/* The sum over all coordinates of log(of), where `index` is free. */
Ref volume_sum_of_logs(Ir *ir, const Space *x, Ref index, Ref of);

#endif
