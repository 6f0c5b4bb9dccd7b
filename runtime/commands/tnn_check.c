/* tnn_check.c: --plan and --selftest of a tensor network, and the choice of what to do with one. */
#include "tensor/tnn_module.h"

#include "cuda/tensor/device_tensor.h"
#include "files/number.h"
#include "files/say.h"
#include "step/session.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- --plan
 */

static double flops_of_gradient(const TnnModule *m) {
    double h = m->config.width, p = m->config.rank, q = (double)m->config.cells * m->config.nodes;
    double layers = 4 * q * (h * h * (m->config.depth - 2) + h * p); /* value and derivative */
    return 3 * layers * (double)m->problem.d;
}

Status tnn_plan(ModuleFile *module, const Config *config, Error *error) {
    TnnModule m;
    Status status = tnn_open(module, config, &m, error);
    if (status != STATUS_OK)
        return status;
    say("%s\n", m.problem.plan.title);
    say_lines(m.text, strlen(m.text));
    say("memory\n");
    say("  %-34s %10.1f MB, activations of %lld dimensions at once\n", "in all",
        tnn_bytes(&m.operator, & m.config, m.block) / 1e6, (long long)m.block);
    status = tnn_make(&m, error);
    if (status == STATUS_OK && strncmp(config_text(config, OPTION_DEVICE), "cuda:", 5) == 0) {
        status = cuda_tensor_plan(&m, error);
    } else if (status == STATUS_OK) {
        double start = seconds_now(), lambda;
        if (m.solver == SOLVER_EIGEN)
            status = tnn_solve(&m.tnn, &lambda, error);
        else
            (void)tnn_gradient(&m.tnn, false);
        double seconds = seconds_now() - start;
        say("work per iteration\n  %-34s %10.3f GFLOP\n  %-34s %10.2f ms\n", "a gradient",
            flops_of_gradient(&m) / 1e9,
            m.solver == SOLVER_EIGEN ? "one solve of all, measured now"
                                     : "one gradient, measured now",
            1e3 * seconds);
    }
    tnn_close(&m);
    return status;
}

/* ------------------------------------------------------------------------------------ --selftest
 */

/* A central difference of fourth order of lambda by parameter k. */
static double difference(Tnn *t, int64_t k) {
    static const double at[] = {-2, -1, 1, 2}, factor[] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double old = t->theta[k], step = 1e-3 * (fabs(old) > 0.1 ? fabs(old) : 0.1), sum = 0;
    for (int s = 0; s < 4; s++) {
        t->theta[k] = old + at[s] * step;
        sum += factor[s] * tnn_value(t);
    }
    t->theta[k] = old;
    return sum / step;
}

Status tnn_selftest(ModuleFile *module, const Config *config, Error *error) {
    enum { CHECKS = 48 };
    TnnModule m;
    Status status = tnn_open(module, config, &m, error);
    if (status == STATUS_OK)
        status = tnn_make(&m, error);
    if (status != STATUS_OK)
        return status;
    Tnn *t = &m.tnn;
    double worst = 0, size = 0, lambda = tnn_gradient(t, false), coarse = tnn_value(t), fine = 0;
    for (int c = 0; c < CHECKS; c++) {
        int64_t k = (int64_t)((double)t->parameters * (c + 0.5) / CHECKS);
        size = fmax(size, fabs(t->gradient[k]));
    }
    for (int c = 0; c < CHECKS; c++) {
        int64_t k = (int64_t)((double)t->parameters * (c + 0.5) / CHECKS);
        worst = fmax(worst, fabs(difference(t, k) - t->gradient[k]));
    }
    status = tnn_score(t, &m.fine, &fine, error);
    double error_of_gradient = size > 0 ? worst / size : worst;
    say("gradient of the Rayleigh quotient  %s: %.1e of its size, against differences of %d "
        "parameters\n",
        error_of_gradient < 1e-6 ? "ok" : "FAILED", error_of_gradient, CHECKS);
    say("value with and without a gradient  %s\n",
        fabs(lambda - coarse) <= 1e-12 * fabs(coarse) ? "ok" : "FAILED");
    say("quadrature                         %.1e between the two rules at the initial parameters\n",
        fabs(fine - coarse) / fabs(fine));
    if (status == STATUS_OK &&
        (!(error_of_gradient < 1e-6) || fabs(lambda - coarse) > 1e-12 * fabs(coarse)))
        status = error_set(error, STATUS_SELFTEST_FAILED,
                           "the gradient and differences of the value disagree");
    tnn_close(&m);
    return status;
}

/* --------------------------------------------------------------------------------------- actions
 */

Status tnn_act(ModuleFile *module, Config *config, Error *error) {
    if (config_flag(config, OPTION_PLAN))
        return tnn_plan(module, config, error);
    if (config_flag(config, OPTION_SELFTEST))
        return tnn_selftest(module, config, error);
    if (config_is_set(config, OPTION_PREDICT) || config_is_set(config, OPTION_EXPORT))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--predict and --export know no tensor networks: their parameters and "
                         "what they mean are in "
                         "model.safetensors");
    if (config->ranks)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "tensor networks are trained by one process so far: start it without the launcher");
    return tnn_training(module, config, error);
}
