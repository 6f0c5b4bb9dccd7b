/* tnn_module.c: from the plan's object "tensor" and its kernels to an operator. */
#include "tensor/tnn_module.h"

#include "engine/lapack.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const json_t *tensor_of(const json_t *root) {
    return json_object_get(root, "tensor");
}

bool tnn_in_module(const ModuleFile *module) {
    Bytes json;
    if (!module_section(module, ".pde.plan", &json))
        return false;
    json_t *root = json_loadb(json.data, json.size, 0, NULL);
    bool found = json_is_object(tensor_of(root));
    json_decref(root);
    return found;
}

static Status wrong(Error *error, const char *what) {
    return error_set(error, STATUS_MODULE_CONTENT, "the plan's tensor network %s", what);
}

/* ------------------------------------------------------------------------------- the operator */

static void functions(void *context, int64_t first, int64_t count, int64_t nodes, const double *y,
                      double *out) {
    const TnnModule *m = context;
    m->functions(&(PdeTensorArgs){.tensor = (const double *const *)m->problem.tensor64,
                                  .first = first,
                                  .count = count,
                                  .nodes = nodes,
                                  .y = y,
                                  .out = out});
}

static Status read_pairs(TnnModule *m, const json_t *tensor, Error *error) {
    const json_t *pairs = json_object_get(tensor, "pairs");
    size_t count = json_array_size(pairs);
    if (!json_is_array(pairs) || count > TNN_CHANNELS_MAX)
        return wrong(error, "has no list of pairs, or one that is too long");
    m->operator.channels =(int) count;
    for (size_t k = 0; k < count; k++)
        m->operator.all_pairs[k] = json_is_true(json_object_get(json_array_get(pairs, k), "all"));
    return STATUS_OK;
}

static Status read_plan(TnnModule *m, Error *error) {
    const json_t *tensor = tensor_of(m->problem.plan.document);
    const char *coordinates = json_string_value(json_object_get(tensor, "coordinates"));
    const char *text = json_string_value(json_object_get(tensor, "text"));
    json_int_t unknown = json_integer_value(json_object_get(tensor, "unknown"));
    json_int_t dimension = json_integer_value(json_object_get(tensor, "dimension"));
    if (!coordinates || !text || unknown < 0 || unknown >= m->problem.plan.unknowns)
        return wrong(error, "lacks its names");
    if (dimension && dimension != m->problem.d)
        return error_set(error, STATUS_OPTION_VALUE,
                         "the coordinates of this problem come from a matrix for %lld dimensions",
                         (long long)dimension);
    m->name = m->problem.plan.unknown[unknown];
    m->coordinates = coordinates;
    m->text = text;
    m->natural = json_is_true(json_object_get(tensor, "natural"));
    return read_pairs(m, tensor, error);
}

/* Walls, kinetic factors and lengths of all dimensions. On a bounded domain the box is the domain.
 */
static Status read_dimensions(TnnModule *m, double halfwidth, Error *error) {
    TensorKernel *kernel = (TensorKernel *)jit_find(m->problem.kernels.jit, "pde_tnn_dimensions");
    TensorKernel *numbers = (TensorKernel *)jit_find(m->problem.kernels.jit, "pde_tnn_numbers");
    int64_t d = m->problem.d;
    double number[2];
    m->functions = (TensorKernel *)jit_find(m->problem.kernels.jit, "pde_tnn_functions");
    if (!kernel || !numbers || !m->functions)
        return wrong(error, "has no kernels");
    m->dimension = calloc((size_t)(5 * d), sizeof(double));
    if (!m->dimension)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the boxes");
    double *centre = m->dimension, *half = centre + d, *kinetic = half + d, *length = kinetic + d;
    kernel(&(PdeTensorArgs){
        .tensor = (const double *const *)m->problem.tensor64, .count = d, .out = m->dimension});
    bool box = m->problem.space[0].domain == DOMAIN_box;
    for (int64_t i = 0; i < d; i++) {
        double lo = centre[i], hi = half[i];
        centre[i] = box ? (lo + hi) / 2 : 0;
        half[i] = box ? (hi - lo) / 2 : halfwidth * length[i];
        if (!(kinetic[i] > 0) || !(half[i] > 0) || !isfinite(half[i]))
            return error_set(
                error, STATUS_OPTION_VALUE,
                "dimension %lld has no ground state: its kinetic factor is %g, half the "
                "width of its box %g",
                (long long)(i + 1), kinetic[i], half[i]);
    }
    numbers(&(PdeTensorArgs){.tensor = (const double *const *)m->problem.tensor64, .out = number});
    m->operator.constant = number[0];
    m->exact = number[1];
    m->operator.d = d;
    m->operator.centre = centre;
    m->operator.half = half;
    m->operator.kinetic = kinetic;
    m->operator.functions = functions;
    m->operator.context = m;
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------- options */

/* Activations of all dimensions are held up to this many bytes; more needs a second forward pass.
 */
static const double held_bytes = 256e6;

static void read_config(TnnModule *m, const Config *config) {
    const Settings *s = &m->settings;
    m->solver = config_is(config, OPTION_SOLVER, "eigen")       ? SOLVER_EIGEN
                : config_is(config, OPTION_SOLVER, "alternate") ? SOLVER_ALTERNATE
                                                                : SOLVER_GRADIENT;
    m->solve_every = config_integer(config, OPTION_SOLVE_EVERY);
    m->config = (TnnConfig){.rank = (int)config_integer(config, OPTION_RANK),
                            .width = (int)s->width,
                            .depth = s->depth,
                            .activation = s->activation,
                            .cells = (int)config_integer(config, OPTION_CELLS),
                            .nodes = (int)config_integer(config, OPTION_NODES),
                            .threads = s->threads,
                            .seed = s->seed,
                            .optimiser = s->optimiser};
    int64_t d = m->problem.d, q8 = tnn_row((int64_t)m->config.cells * m->config.nodes);
    double fits = held_bytes / (8 * (double)tnn_held_size(&m->config, q8));
    m->block = s->accumulate > 1 ? (d + s->accumulate - 1) / s->accumulate
               : fits < 1        ? 1
                                 : (int64_t)fits;
    if (m->solver == SOLVER_EIGEN)
        m->block = 1;
}

/* The quotient that is minimised here is no sum of squared residuals, and has no Jacobian of rows. */
static Status check_optimiser(const Settings *s, Error *error) {
    if (!pde_optim_has(s->optimiser.kind, PDE_JACOBIAN | PDE_ONE_LOSS))
        return STATUS_OK;
    return error_set(
        error, STATUS_OPTION_CONFLICT,
        "--optimiser %s does not train tensor networks; their output layers are solved "
        "for (--solver eigen), or take adam, adamw or sgd",
        pde_optimiser_name(s->optimiser.kind));
}

Status tnn_open(ModuleFile *module, const Config *config, TnnModule *m, Error *error) {
    *m = (TnnModule){0};
    Status status = settings_read(config, &m->settings, error);
    if (status == STATUS_OK)
        status = check_optimiser(&m->settings, error);
    if (status == STATUS_OK)
        status = problem_open(module, config, PDE_F64, &m->problem, error);
    if (status != STATUS_OK)
        return status;
    status = read_plan(m, error);
    if (status == STATUS_OK)
        status = read_dimensions(m, config_number(config, OPTION_HALFWIDTH), error);
    if (status == STATUS_OK)
        read_config(m, config);
    else
        tnn_close(m);
    return status;
}

Status tnn_make(TnnModule *m, Error *error) {
    Status status = tnn_create(&m->operator, & m->config, m->block, &m->tnn, error);
    if (status == STATUS_OK)
        status = tnn_rule_create(2 * m->config.cells, m->config.nodes, &m->fine, error);
    if (status == STATUS_OK)
        status = lapack_open(pde_pool_size(m->tnn.pool), error);
    return status;
}

void tnn_close(TnnModule *m) {
    tnn_free(&m->tnn);
    tnn_rule_free(&m->fine);
    free(m->dimension);
    problem_close(&m->problem);
    *m = (TnnModule){0};
}
