/* problem_open.c: opens a problem. The order matters: dims first, then kernels (which are specialised
 * for them), then everything the kernels know (domain, families, laws), then constants. */
#include "load/problem_open.h"

#include "contract/mt19937.h"
#include "contract/tensor_rng.h"
#include "engine/real.h"
#include "files/data_path.h"
#include "files/io.h"
#include "files/npy.h"
#include "files/number.h"
#include "files/safetensors.h"
#include "load/problem_domain.h"
#include "load/problem_places.h"

#include <assert.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4096, SYMBOL_MAX = 96, DIMENSION_MAX = 1 << 30 };
#define DATA_FILE_MAX ((size_t)1 << 40)

/* ----------------------------------------------------------------------------- --set name=value */

static Status set_dim(PlanDim *dim, const ConfigPair *pair, Error *error) {
    int64_t value;
    if (!number_read_integer(pair->value, &value) || value < 1 || value > DIMENSION_MAX)
        return error_set(error, STATUS_OPTION_VALUE,
                         "the dim %s needs a whole number from 1 to 2^30, not '%.60s'", pair->name,
                         pair->value);
    if (value < dim->least)
        return error_set(
            error, STATUS_RELIED_ON,
            "with %s = %lld a derivative may lose what a kink holds; this module may be used from "
            "%s = %lld: pdec --set %s=%.60s looks again",
            pair->name, (long long)value, pair->name, (long long)dim->least, pair->name,
            pair->value);
    dim->value = value;
    return STATUS_OK;
}

static Status set_param(PlanParam *param, const ConfigPair *pair, Error *error) {
    double value;
    if (!number_read(pair->value, &value))
        return error_set(error, STATUS_OPTION_VALUE, "the param %s needs a number, not '%.60s'",
                         pair->name, pair->value);
    if (param->relied && (value < param->value || value > param->value))
        return error_set(
            error, STATUS_RELIED_ON,
            "pdec relied on %s = %.9g, with which no kink or jump lies in the domain: pdec --set "
            "%s=%.60s looks again",
            pair->name, param->value, pair->name, pair->value);
    param->value = value;
    return STATUS_OK;
}

static Status set_pair(Plan *plan, const ConfigPair *pair, Error *error) {
    for (int i = 0; i < plan->dims; i++)
        if (strcmp(plan->dim[i].name, pair->name) == 0)
            return set_dim(&plan->dim[i], pair, error);
    for (int i = 0; i < plan->params; i++)
        if (strcmp(plan->param[i].name, pair->name) == 0)
            return set_param(&plan->param[i], pair, error);
    for (int i = 0; i < plan->followers; i++)
        if (strcmp(plan->follower[i].name, pair->name) == 0)
            return error_set(
                error, STATUS_OPTION_VALUE,
                "%s is %.200s and follows what these are; to give it a value of its own, compile "
                "with pdec --set %s=%.60s",
                pair->name, plan->follower[i].from, pair->name, pair->value);
    return error_set(error, STATUS_OPTION_VALUE, "the problem has no dim or param named '%.60s'",
                     pair->name);
}

static Status set_sizes(Problem *p, const Config *config, Error *error) {
    Plan *plan = &p->plan;
    for (size_t i = 0; i < config->pair_count; i++) {
        Status status = set_pair(plan, &config->pair[i], error);
        if (status != STATUS_OK)
            return status;
    }
    Status sized = problem_set_spaces(p, error);
    if (sized != STATUS_OK)
        return sized;
    p->n_in = p->d + (plan->time != NULL);
    p->vector_inputs = 0;
    for (int i = 0; i < plan->vectors; i++) {
        int64_t entries = plan_extent(plan, plan->vector[i]);
        if (entries < 1 && plan->has_features)
            return error_set(error, STATUS_OPTION_VALUE,
                             "a feature has no entries with these dims");
        p->vector_inputs += entries;
    }
    p->inputs = p->vector_inputs + plan->scalar_inputs;
    p->outputs = plan_outputs(plan);
    for (int i = 0; i < plan->auxes; i++) {
        int64_t rows = plan_extent(plan, plan->aux[i].rows);
        if (rows < 1)
            return error_set(error, STATUS_OPTION_VALUE, "the sample %s has no entries",
                             plan->aux[i].name);
        p->aux_first[i] = p->aux_rows;
        p->aux_rows += rows;
    }
    if (p->d < 1 || p->n_in > DIMENSION_MAX || p->inputs < 1 || p->inputs > DIMENSION_MAX)
        return error_set(error, STATUS_OPTION_VALUE, "the domain has %lld coordinates",
                         (long long)p->d);
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------- kernels */

/* The names of all functions the plan may need, for the compiler to keep. */
typedef struct Names {
    char text[NAMES_MAX][SYMBOL_MAX];
    const char *pointer[NAMES_MAX];
    size_t count;
} Names;

static void name_add(Names *names, const char *format, ...) PDE_FORMAT(2, 3);

static void name_add(Names *names, const char *format, ...) {
    va_list arguments;
    if (names->count == NAMES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(names->text[names->count], SYMBOL_MAX, format, arguments);
    va_end(arguments);
    names->pointer[names->count] = names->text[names->count];
    names->count++;
}

static void name_all(const Plan *plan, bool reference, Names *n) {
    name_add(n, "pde_points_%d", plan->evaluate_task);
    name_add(n, "pde_fields");
    for (int r = 0; r < plan->references; r++) {
        name_add(n, "pde_place_%d", plan->reference[r].id);
        name_add(n, "pde_reference_%d", plan->reference[r].id);
    }
    if (reference)
        return;
    name_add(n, "pde_watch");
    name_add(n, "pde_constants");
    name_add(n, "pde_features");
    name_add(n, "pde_belongs");
    name_add(n, "pde_semiaxes");
    name_add(n, "pde_process");
    name_add(n, "pde_process_matrix");
    for (int e = 0; e < plan->process.edges; e++)
        name_add(n, "pde_edge_%d", e), name_add(n, "pde_edge_faces_%d", e);
    name_add(n, "pde_unknowns");
    name_add(n, "pde_known_unknowns");
    name_add(n, "pde_tnn_functions");
    name_add(n, "pde_tnn_dimensions");
    name_add(n, "pde_tnn_numbers");
    for (int t = 0; t < plan_all_tasks(plan); t++) {
        const PlanTask *task = &plan->task[t];
        name_add(n, "pde_points_%d", t);
        name_add(n, "pde_report_%d", t);
        name_add(n, "pde_combine_%d", t);
        name_add(n, "pde_ascent_%d", t);
        name_add(n, "pde_exact_%d", t);
        for (int f = 0; f < task->families; f++)
            name_add(n, "pde_family_%d_%d", t, f);
        name_add(n, "pde_loss_weight_%d", t);
        name_add(n, "pde_faces_%d", t);
        name_add(n, "pde_observed_%d", t);
        name_add(n, "pde_observations_%d", t);
        for (int b = 0; b < task->sampled.blocks; b++) {
            name_add(n, "pde_direction_%d_%d", t, b);
            name_add(n, "pde_gradient_%d_%d", t, b);
            name_add(n, "pde_weight_%d_%d", t, b);
            name_add(n, "pde_sparse_%d_%d", t, b);
        }
        for (int b = 0; b < task->exact.blocks; b++) {
            name_add(n, "pde_exact_direction_%d_%d", t, b);
            name_add(n, "pde_exact_gradient_%d_%d", t, b);
            name_add(n, "pde_exact_weight_%d_%d", t, b);
        }
    }
    for (int s = 0; s < plan->samples; s++)
        name_add(n, "pde_sample_%d", s);
    for (int i = 0; i < plan->tensors; i++)
        name_add(n, "pde_tensor_%s", plan->tensor[i].name);
}

size_t problem_constants(const Plan *plan, JitConstant *constant) {
    size_t count = 0;
    for (int i = 0; i < plan->dims; i++, count++) {
        constant[count] = (JitConstant){.is_integer = true, .integer = plan->dim[i].value};
        snprintf(constant[count].name, SYMBOL_MAX, "pde_dim_%s", plan->dim[i].name);
    }
    for (int i = 0; i < plan->params; i++, count++) {
        constant[count] = (JitConstant){.number = plan->param[i].value};
        snprintf(constant[count].name, SYMBOL_MAX, "pde_param_%s", plan->param[i].name);
    }
    return count;
}

static Status compile_kernels(const Problem *p, const char *section, bool reference,
                              const char *cache, Jit **jit, Error *error) {
    Names *names = calloc(1, sizeof *names);
    JitConstant constant[PROBLEM_CONSTANTS_MAX];
    if (!names)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the kernels");
    name_all(&p->plan, reference, names);
    JitSpec spec = {.module = p->module.digest,
                    .constant = constant,
                    .constants = problem_constants(&p->plan, constant),
                    .wanted = names->pointer,
                    .wanteds = names->count,
                    .cache = cache};
    const bool watch = strncmp(section, ".pde.wt", 7) == 0;
    spec.define = strstr(section, "64") ? "PDE_DOUBLE" : "PDE_FLOAT";
    spec.slow = watch;
    if (!module_section(&p->module, section, &spec.bitcode))
        spec.bitcode = (Bytes){"", 0};
    if (!watch && !module_section(&p->module, ".pde.src", &spec.source))
        spec.source = (Bytes){"", 0};
    Status status = spec.bitcode.size > 0 || spec.source.size > 0
                        ? jit_create(&spec, jit, error)
                        : module_require(&p->module, section, &spec.bitcode, error);
    free(names);
    return status;
}

static JitFunction *function(const Jit *jit, const char *format, ...) PDE_FORMAT(2, 3);

static JitFunction *function(const Jit *jit, const char *format, ...) {
    char name[SYMBOL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return jit_find(jit, name);
}

static Status missing(Error *error, const char *what, int task) {
    return error_set(error, STATUS_MODULE_CONTENT, "the kernels lack %s of task %d", what, task);
}

/* Each dense block has its own kernel; a Gram block may have one for its weights. */
static Status bind_route(Kernels *k, const PlanRoute *route, int t, bool exact, Error *error) {
    assert(t >= 0 && t < PLAN_TASKS_MAX && route->blocks <= PDE_MAX_BLOCKS);
    for (int b = 0; b < route->blocks; b++) {
        PlanBlockKind kind = route->block[b].kind;
        if (kind == BLOCK_sparse) {
            k->sparse[t][b] = (CombineKernel *)function(k->jit, "pde_sparse_%d_%d", t, b);
            if (!k->sparse[t][b] || exact)
                return missing(error, "a sparse direction", t);
        }
        PointKernel **slot = exact ? &k->exact_direction[t][b] : &k->direction[t][b];
        const char *what = kind == BLOCK_gradient ? "gradient"
                           : kind == BLOCK_gram   ? "weight"
                                                  : "direction";
        if (kind == BLOCK_dense || kind == BLOCK_point_dense || kind == BLOCK_gradient ||
            kind == BLOCK_gram) {
            *slot = (PointKernel *)function(k->jit, "pde_%s%s_%d_%d", exact ? "exact_" : "", what,
                                            t, b);
            if (!*slot && kind != BLOCK_gram) /* without a kernel all coordinates weigh 1 */
                return missing(error, "a direction", t);
        }
    }
    return STATUS_OK;
}

static Status bind_evaluation(const Plan *plan, Kernels *k, Error *error) {
    k->evaluate = (PointKernel *)function(k->jit, "pde_points_%d", plan->evaluate_task);
    k->fields = (CombineKernel *)jit_find(k->jit, "pde_fields");
    for (int r = 0; r < plan->references; r++) {
        k->place[r] = (NumbersKernel *)function(k->jit, "pde_place_%d", plan->reference[r].id);
        k->known[r] = (PointKernel *)function(k->jit, "pde_reference_%d", plan->reference[r].id);
        if (!k->place[r] || !k->known[r])
            return missing(error, "a reference", plan->evaluate_task);
    }
    return k->evaluate && k->fields ? STATUS_OK : missing(error, "the fields", plan->evaluate_task);
}

/* Not of the watching kernels, which take one training step only. */
static Status bind_process(const Plan *plan, Kernels *k, Error *error) {
    const PlanProcess *p = &plan->process;
    if (p->class == PROCESS_none)
        return STATUS_OK;
    k->process = (PointKernel *)jit_find(k->jit, "pde_process");
    k->process_matrix = (PointKernel *)jit_find(k->jit, "pde_process_matrix");
    if (!k->process || (p->matrix && !k->process_matrix))
        return missing(error, "the process of the error", 0);
    for (int e = 0; e < p->edges; e++) {
        k->edge[e] = (PointKernel *)function(k->jit, "pde_edge_%d", e);
        if (!k->edge[e])
            return missing(error, "a condition of the error", e);
    }
    return STATUS_OK;
}

static Status bind_kernels(const Plan *plan, Kernels *k, Error *error) {
    Status status = bind_evaluation(plan, k, error);
    k->features = plan->has_features ? (PointKernel *)jit_find(k->jit, "pde_features") : NULL;
    k->inside = plan->inside ? (PointKernel *)jit_find(k->jit, "pde_belongs") : NULL;
    if (plan->has_features && !k->features)
        return missing(error, "the features", 0);
    for (int t = 0; t < plan_all_tasks(plan) && status == STATUS_OK; t++) {
        k->report[t] = (NumbersKernel *)function(k->jit, "pde_report_%d", t);
        if (plan->task[t].kind == PLAN_report && !k->report[t])
            return missing(error, "the place of a report", t);
        k->points[t] = (PointKernel *)function(k->jit, "pde_points_%d", t);
        k->combine[t] = (CombineKernel *)function(k->jit, "pde_combine_%d", t);
        k->ascent[t] = (PointKernel *)function(k->jit, "pde_ascent_%d", t);
        if ((plan->task[t].scalars && !k->points[t]) ||
            (!k->combine[t] && !plan->task[t].unavailable))
            return missing(error, "the residual", t);
        if (plan->task[t].has_ascent && !k->ascent[t])
            return missing(error, "the ascent", t);
        k->loss_weight[t] = (NumbersKernel *)function(k->jit, "pde_loss_weight_%d", t);
        status = bind_route(k, &plan->task[t].sampled, t, false, error);
        if (!plan->task[t].has_exact || status != STATUS_OK)
            continue;
        k->exact[t] = (CombineKernel *)function(k->jit, "pde_exact_%d", t);
        if (!k->exact[t])
            return missing(error, "the exact sum", t);
        status = bind_route(k, &plan->task[t].exact, t, true, error);
    }
    for (int s = 0; s < plan->samples && status == STATUS_OK; s++) {
        k->sample[s] = (PointKernel *)function(k->jit, "pde_sample_%d", s);
        if (plan->sample[s].base != BASE_DOMAIN && !k->sample[s])
            return missing(error, "a sampling law", s);
    }
    return status;
}

/* ----------------------------------------------------------- what the kernels know of the sizes */

typedef void FamilyKernel(int64_t range[4]);

static Status evaluate_family(Problem *p, int t, int f, Error *error) {
    assert(t >= 0 && t < plan_all_tasks(&p->plan) && f < p->plan.task[t].families);
    const PlanFamily *plan = &p->plan.task[t].family[f];
    Family *family = &p->family[t][f];
    FamilyKernel *kernel = (FamilyKernel *)function(p->kernels.jit, "pde_family_%d_%d", t, f);
    int64_t range[4] = {1, 0, 1, 1};
    if (!kernel)
        return missing(error, "an index range", t);
    kernel(range);
    for (int i = 0; i < 2; i++) {
        family->first[i] = range[2 * i] - 1;
        family->count[i] = i < plan->indices ? range[2 * i + 1] - range[2 * i] + 1 : 1;
        if (family->count[i] < 1 || family->first[i] < 0 || family->count[i] > DIMENSION_MAX)
            return error_set(error, STATUS_OPTION_VALUE,
                             "a sum of '%s' has no terms with these dims", p->plan.task[t].name);
    }
    int64_t n = family->count[0];
    family->size = plan->ordered ? n * (n - 1) / 2 : n * family->count[1];
    return family->size > 0
               ? STATUS_OK
               : error_set(error, STATUS_OPTION_VALUE, "a sum of '%s' has no pairs with these dims",
                           p->plan.task[t].name);
}

static Status evaluate_constants(Problem *p, Error *error) {
    ConstantsKernel *constants = (ConstantsKernel *)jit_find(p->kernels.jit, "pde_constants");
    NumbersKernel *unknowns = (NumbersKernel *)jit_find(p->kernels.jit, "pde_unknowns");
    if (!constants || !problem_take_constants(p, constants))
        return missing(error, "the constants", 0);
    if (p->plan.unknowns > 0 && !unknowns)
        return missing(error, "the unknowns", 0);
    if (p->plan.unknowns > 0)
        unknowns(&p->unknown[0][0]);
    NumbersKernel *known = (NumbersKernel *)jit_find(p->kernels.jit, "pde_known_unknowns");
    for (int k = 0; k < p->plan.unknowns; k++)
        p->known_unknown[k] = (double)NAN;
    if (p->plan.unknowns > 0 && known)
        known(p->known_unknown);
    for (int k = 0; k < p->plan.unknowns;
         k++) /* no start value: the middle of the interval, else 1 */
        if (isnan(p->unknown[k][0])) {
            double middle = (p->unknown[k][1] + p->unknown[k][2]) / 2;
            p->unknown[k][0] = isnan(middle) ? 1 : middle;
        }
    Status status = STATUS_OK;
    for (int t = 0; t < p->plan.tasks; t++) /* a weight may be made of params */
        if (p->kernels.loss_weight[t])
            p->kernels.loss_weight[t](&p->plan.task[t].weight);
    for (int t = 0; t < p->plan.tasks && status == STATUS_OK; t++)
        status = problem_evaluate_faces(p, t, error);
    if (status == STATUS_OK)
        status = problem_evaluate_ends(p, error);
    for (int t = 0; t < plan_all_tasks(&p->plan); t++)
        for (int f = 0; f < p->plan.task[t].families && status == STATUS_OK; f++)
            status = evaluate_family(p, t, f, error);
    return status;
}

/* ---------------------------------------------------------------------------------- constants */

static Status draw_tensor(Problem *p, int i, Error *error) {
    assert(i >= 0 && i < p->plan.tensors && p->tensor64[i]);
    const PlanTensor *t = &p->plan.tensor[i];
    NumbersKernel *kernel = (NumbersKernel *)function(p->kernels.jit, "pde_tensor_%s", t->name);
    double argument[2] = {0, 1};
    if (!kernel)
        return error_set(error, STATUS_MODULE_CONTENT, "the kernels lack the law of '%s'", t->name);
    kernel(argument);
    if (t->legacy) {
        mt_fill(t->seed, t->law == LAW_normal, argument[0], argument[1], p->tensor_size[i],
                p->tensor64[i]);
        return STATUS_OK;
    }
    TensorKey key = pde_tensor_key(t->seed, t->name, strlen(t->name));
    int64_t columns = t->rank ? plan_extent(&p->plan, t->extent[t->rank - 1]) : 1;
    for (int64_t row = 0; columns > 0 && row < p->tensor_size[i] / columns; row++)
        pde_tensor_fill(key, (int)t->law, argument[0], argument[1], (uint32_t)row, 0,
                        (uint32_t)columns, p->tensor64[i] + row * columns);
    return STATUS_OK;
}

static Status copy_tensor(Problem *p, int i, const Array *array, Error *error) {
    assert(p->tensor64[i] && p->tensor_size[i] > 0);
    const PlanTensor *t = &p->plan.tensor[i];
    bool fits = array->rank == t->rank;
    for (int k = 0; k < t->rank && fits; k++)
        fits = array->shape[k] == (uint64_t)plan_extent(&p->plan, t->extent[k]);
    if (!fits)
        return error_set(error, STATUS_BAD_ARRAY_FILE,
                         "the array for '%s' does not have the shape the problem gives it",
                         t->name);
    for (int64_t k = 0; k < p->tensor_size[i]; k++)
        p->tensor64[i][k] = array_value(array, (size_t)k);
    return STATUS_OK;
}

/* Data that pdec packed into the module comes first; else the file itself is read. */
/* The file as pdec found it beside the problem; where a module was moved, beside the module. */
static Status find_data(const PlanTensor *t, const Config *config, char *path, Error *error) {
    const char *beside[] = {config->module, "./"};
    const char *stated = t->stated ? t->stated : t->file;
    if (snprintf(path, DATA_PATH_MAX, "%s", t->file) >= DATA_PATH_MAX ||
        (!io_exists(path) && !data_path_resolve(config->module, stated, path)))
        return error_set(error, STATUS_CANNOT_READ, "data '%s': its path is too long", stated);
    return data_path_check(path, beside, 2, config_text(config, OPTION_ALLOW_DATA), error);
}

static Status read_tensor(Problem *p, int i, const Config *config, Error *error) {
    const PlanTensor *t = &p->plan.tensor[i];
    Bytes packed;
    if (module_section(&p->module, ".pde.data", &packed)) {
        Safetensors file;
        char *copy = malloc(packed.size + 1);
        if (!copy)
            return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the data");
        memcpy(copy, packed.data, packed.size);
        Status status = safetensors_parse("the module's data", copy, packed.size, &file, error);
        if (status != STATUS_OK)
            return status;
        const Array *array = safetensors_find(&file, t->name);
        if (array)
            status = copy_tensor(p, i, array, error);
        safetensors_free(&file);
        if (array)
            return status;
    }
    char path[DATA_PATH_MAX];
    NpyFile file;
    Status status = find_data(t, config, path, error);
    if (status == STATUS_OK)
        status = npy_read(path, DATA_FILE_MAX, &file, error);
    if (status != STATUS_OK)
        return status;
    status = copy_tensor(p, i, &file.array, error);
    npy_free(&file);
    return status;
}

static Status make_tensor(Problem *p, int i, const Config *config, Error *error) {
    assert(i >= 0 && i < p->plan.tensors);
    const PlanTensor *t = &p->plan.tensor[i];
    int64_t size = 1;
    for (int k = 0; k < t->rank; k++) {
        int64_t n = plan_extent(&p->plan, t->extent[k]);
        if (n < 0 || n > DIMENSION_MAX || (n && size > ((int64_t)1 << 36) / n))
            return error_set(error, STATUS_OPTION_VALUE, "the constant '%s' has no such size",
                             t->name);
        size *= n;
    }
    p->tensor_size[i] = size;
    p->tensor64[i] = calloc((size_t)size + 1, sizeof(double));
    p->tensor[i] =
        p->precision == PDE_F64 ? p->tensor64[i] : calloc((size_t)size + 1, sizeof(float));
    if (!p->tensor64[i] || !p->tensor[i])
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the constant '%s'", t->name);
    Status status = t->file ? read_tensor(p, i, config, error) : draw_tensor(p, i, error);
    for (int64_t k = 0; k < size && status == STATUS_OK; k++)
        real_set(p->precision, p->tensor[i], k, p->tensor64[i][k]);
    return status;
}

/* --------------------------------------------------------------------------------- open, close */

static Status open_kernels(Problem *p, const Config *config, Error *error) {
    const char *section = p->precision == PDE_F64 ? ".pde.bc64" : ".pde.bc32";
    Status status = compile_kernels(p, section, false, config->cache, &p->kernels.jit, error);
    if (status != STATUS_OK)
        return status;
    p->from_cache = jit_from_cache(p->kernels.jit);
    status = bind_kernels(&p->plan, &p->kernels, error);
    if (status == STATUS_OK)
        status = bind_process(&p->plan, &p->kernels, error);
    if (status != STATUS_OK || p->precision == PDE_F64) {
        p->reference = p->kernels;
        return status;
    }
    status = compile_kernels(p, ".pde.bc64", true, config->cache, &p->reference.jit, error);
    return status == STATUS_OK ? bind_evaluation(&p->plan, &p->reference, error) : status;
}

Status problem_open(ModuleFile *module, const Config *config, PdePrecision precision, Problem *p,
                    Error *error) {
    Bytes json;
    *p = (Problem){.module = *module, .precision = precision};
    *module = (ModuleFile){0};
    Status status = module_require(&p->module, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, &p->plan, error);
    if (status == STATUS_OK)
        status = set_sizes(p, config, error);
    if (status == STATUS_OK)
        status = open_kernels(p, config, error);
    if (status == STATUS_OK)
        status = evaluate_constants(p, error);
    for (int i = 0; i < p->plan.tensors && status == STATUS_OK; i++)
        status = make_tensor(p, i, config, error);
    if (status == STATUS_OK)
        status = problem_evaluate_semiaxes(p, error);
    for (int t = 0; t < p->plan.tasks && status == STATUS_OK; t++)
        status = problem_evaluate_observations(p, t, error);
    if (status == STATUS_OK)
        status = problem_check_domain(p, error);
    if (status != STATUS_OK)
        problem_close(p);
    return status;
}

Status problem_open_again(const ModuleFile *module, const Config *config, PdePrecision precision,
                          Problem *p, Error *error) {
    char *copy = malloc(module->size + 1);
    ModuleFile again;
    if (!copy)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the module");
    memcpy(copy, module->data, module->size);
    Status status = module_parse("the module", copy, module->size, &again, error);
    return status == STATUS_OK ? problem_open(&again, config, precision, p, error) : status;
}

void problem_close(Problem *p) {
    for (int i = 0; i < PLAN_TENSORS_MAX; i++) {
        if (p->tensor[i] != p->tensor64[i])
            free(p->tensor[i]);
        free(p->tensor64[i]);
    }
    free(p->semiaxis);
    free(p->exit_edge_of);
    free(p->exit_reflects);
    for (int t = 0; t < PLAN_TASKS_MAX; t++)
        free(p->observed[t]);
    if (p->reference.jit != p->kernels.jit)
        jit_destroy(p->reference.jit);
    jit_destroy(p->kernels.jit);
    plan_free(&p->plan);
    module_free(&p->module);
    *p = (Problem){0};
}

bool problem_watching(const Problem *p, Kernels *k, PdeWatch **watch) {
    const char *section = p->precision == PDE_F64 ? ".pde.wt64" : ".pde.wt32";
    *k = (Kernels){0};
    if (compile_kernels(p, section, false, NULL, &k->jit, NULL) != STATUS_OK)
        return false;
    PdeWatch *(*get)(void) = (PdeWatch * (*)(void)) jit_find(k->jit, "pde_watch");
    *watch = get ? get() : NULL;
    if (*watch && bind_kernels(&p->plan, k, NULL) == STATUS_OK)
        return true;
    jit_destroy(k->jit);
    return false;
}

bool problem_has_exact(const Problem *p) {
    assert(p->plan.fields > 0);
    for (int i = 0; i < p->plan.fields; i++)
        if (p->plan.field[i].exact_scalar < 0)
            return false;
    return true;
}

int64_t problem_groups(int64_t points) {
    return (points + PDE_LANES - 1) / PDE_LANES;
}
