/* tnn_check.c: --plan, --selftest and --predict of a tensor network, and the choice of what to do with one. */
#include "commands/predictor.h"
#include "commands/tnn_files.h"
#include "commands/trained_model.h"

#include "cuda/tensor/device_tensor.h"
#include "files/number.h"
#include "files/say.h"
#include "files/table/table.h"
#include "step/session.h"

#include <math.h>
#include <stdlib.h>
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

/* ------------------------------------------------------------------------------------- --predict
 */

#define POINTS_FILE_MAX ((size_t)1 << 40)
enum { TNN_QUANTITIES = 3 }; /* the field, its logarithm, its gradient */

/* Which of them are wanted; false: something else is. */
static bool wanted(const char *list, const char *field, bool *found, Error *error) {
    const char *const name[TNN_QUANTITIES] = {field, "log", "grad"};
    while (*list) {
        const size_t n = predict_item(&list);
        int k = 0;
        while (k < TNN_QUANTITIES && (strlen(name[k]) != n || strncmp(list, name[k], n) != 0))
            k++;
        if (k == TNN_QUANTITIES) {
            error_set(error, STATUS_OPTION_VALUE,
                      "'%.*s' is not known of a tensor network: %s, log (of its absolute value) "
                      "and grad are",
                      (int)(n < 60 ? n : 60), list, field);
            return false;
        }
        found[k] = true;
        list += n;
        list += strspn(list, " ");
        list += *list == ',';
    }
    return true;
}

static Status predict_points(const TnnModule *m, const Array *points, const bool *found,
                             const char *out, Error *error) {
    const char *field = m->problem.plan.field[0].name;
    const int64_t d = m->problem.d, rows = (int64_t)points->shape[0];
    const int64_t columns[TNN_QUANTITIES] = {1, 1, d};
    const char *const name[TNN_QUANTITIES] = {field, "log", "grad"};
    double *x = calloc((size_t)(rows * d) + 1, sizeof *x), *value[TNN_QUANTITIES] = {0};
    Array array[TNN_QUANTITIES];
    int count = 0;
    bool ok = x != NULL;
    for (int64_t k = 0; k < rows * d && ok; k++)
        x[k] = array_value(points, (size_t)k);
    for (int k = 0; k < TNN_QUANTITIES && ok; k++)
        if (found[k]) {
            value[k] = calloc((size_t)(rows * columns[k]) + 1, sizeof *x);
            ok = value[k] != NULL;
            array[count++] = (Array){name[k],
                                     ARRAY_F64,
                                     columns[k] > 1 ? 2 : 1,
                                     {(uint64_t)rows, (uint64_t)columns[k]},
                                     value[k]};
        }
    Status status =
        ok ? tnn_at_points(&m->tnn, x, rows, &(TnnValues){value[0], value[1], value[2]}, error)
           : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points", (long long)rows);
    if (status == STATUS_OK)
        status = table_write(array, count, out, error);
    for (int k = 0; k < TNN_QUANTITIES; k++)
        free(value[k]);
    free(x);
    return status;
}

static Status read_trained(ModuleFile *module, const Config *config, TnnModule *m, Error *error) {
    const char *directory = config_text(config, OPTION_MODEL);
    Config own;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    status = model_settings(config, directory, &own, error);
    if (status == STATUS_OK)
        status = tnn_open(module, &own, m, error);
    config_free(&own);
    if (status != STATUS_OK)
        return status;
    status = tnn_make(m, error);
    if (status == STATUS_OK)
        status = tnn_read_model(directory, m, error);
    if (status == STATUS_OK)
        (void)tnn_value(&m->tnn); /* the norms of all factors */
    else
        tnn_close(m);
    return status;
}

static Status tnn_predict(ModuleFile *module, const Config *config, Error *error) {
    const char *what = config_text(config, OPTION_WHAT), *out = config_text(config, OPTION_OUT);
    bool found[TNN_QUANTITIES] = {!what};
    TnnModule m;
    NpyFile file;
    if (!config_is_set(config, OPTION_MODEL))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--predict needs --model, the directory of the run that trained it");
    Status status = read_trained(module, config, &m, error);
    if (status != STATUS_OK)
        return status;
    if (what && !wanted(what, m.problem.plan.field[0].name, found, error))
        status = STATUS_OPTION_VALUE;
    if (status == STATUS_OK)
        status = points_read(config_text(config, OPTION_PREDICT), POINTS_FILE_MAX, &file, error);
    if (status == STATUS_OK) {
        if (file.array.rank != 2 || (int64_t)file.array.shape[1] != m.problem.d)
            status = error_set(error, STATUS_BAD_ARRAY_FILE,
                               "the points must be an array of %lld columns: the coordinates %s",
                               (long long)m.problem.d, m.coordinates);
        else
            status = predict_points(&m, &file.array, found, out ? out : ".", error);
        npy_free(&file);
    }
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
    if (config_is_set(config, OPTION_PREDICT))
        return tnn_predict(module, config, error);
    if (config_is_set(config, OPTION_EXPORT))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--export knows no tensor networks: --predict evaluates them, and their "
                         "parameters and what they mean are in model.safetensors");
    if (config->ranks)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "tensor networks are trained by one process so far: start it without the launcher");
    return tnn_training(module, config, error);
}
