/* volume.c: see volume.h. */
#include "eval/volume.h"

static Ref log_of(Ir *ir, Ref e) {
    return ir_func(ir, FUNC_log, 1, &e);
}

/* log Gamma(z), z >= 1.5, to 1e-12: Stirling's series at z + 7. */
Ref volume_log_gamma(Ir *ir, Ref z) {
    enum { UP = 7 };
    static const double series[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680};
    Ref y = ir_add2(ir, z, ir_const(ir, UP)),
        two_pi = ir_mul2(ir, ir_const(ir, 2), ir_atom(ir, OP_PI, 0));
    Ref sum = ir_sub(ir, ir_mul2(ir, ir_sub(ir, y, ir_const(ir, 0.5)), log_of(ir, y)), y);
    sum = ir_add2(ir, sum, ir_mul2(ir, ir_const(ir, 0.5), log_of(ir, two_pi)));
    for (int k = 0; k < 4; k++)
        sum = ir_add2(ir, sum, ir_mul2(ir, ir_const(ir, series[k]), ir_powi(ir, y, -1 - 2 * k)));
    for (int k = 0; k < UP; k++)
        sum = ir_sub(ir, sum, log_of(ir, ir_add2(ir, z, ir_const(ir, k))));
    return sum;
}

/* Of the ball of radius 1: pi^(d/2) / Gamma(d/2 + 1). */
Ref volume_log_ball(Ir *ir, const Space *x) {
    Ref half = ir_mul2(ir, ir_const(ir, 0.5), x->d);
    return ir_sub(ir, ir_mul2(ir, half, log_of(ir, ir_atom(ir, OP_PI, 0))),
                  volume_log_gamma(ir, ir_add2(ir, half, ir_const(ir, 1))));
}

/* sum_i log(of coordinate i) */
Ref volume_sum_of_logs(Ir *ir, const Space *x, Ref index, Ref of) {
    return ir_reduce(ir, OP_SUM, index, ir_const(ir, 1), x->d, log_of(ir, of));
}
