/* run_generated.c: every generated kernel of some modules on a CUDA device, against the same kernel on
 * the host, in float and double.
 *
 *     run_generated MODULE.so...
 *
 * Inputs are random numbers; three groups of points, the last one not full; sets of terms longer than a
 * block has threads. The device is the one that the libraries of runtime/cuda/device/api.def give: in the tests
 * the software device. Exit code 77 where there is none. */
#include "generated_lab.h"

#include "runtime/cuda/device/device.h"
#include "runtime/cuda/device/module_kernels.h"
#include "runtime/contract/kernel_abi.h"
#include "runtime/load/problem_open.h"
#include "runtime/engine/real.h"

#include "runtime/cuda/abi/launch_abi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, POINTS = 2 * PDE_LANES + 7, TERMS = 150, GRAM = 137 };

/* ---- what every kernel gets ---- */

typedef struct Given {
    Array2 *x, *aux, *normal, *tensor, *unknown, *scale;
    int64_t x_rows, aux_rows, normal_rows;
} Given;

static Given make_given(Lab *lab) {
    const Problem *p = &lab->problem;
    Array2 *tensor[PLAN_TENSORS_MAX];
    double scale[PLAN_FIELDS_MAX], size = 0.95 / sqrt((double)p->d);
    Given g = {.x_rows = p->n_in * PDE_LANES,
               .aux_rows = p->aux_rows * PDE_LANES,
               .normal_rows = p->d * PDE_LANES};
    g.x = lab_make_reals(lab, GROUPS * g.x_rows, 0.1 * size, size);
    for (int64_t k = 0; p->n_in > p->d && k < GROUPS * PDE_LANES; k++)
        real_set(lab->precision, g.x->host,
                 k / PDE_LANES * g.x_rows + p->d * PDE_LANES + k % PDE_LANES,
                 p->time[0] + (p->time[1] - p->time[0]) * lab_uniform(lab, 0.1, 0.9));
    for (int64_t k = 0; k < GROUPS * g.x_rows; k++) { /* two coordinates are the largest: a tie */
        int64_t row = k % g.x_rows / PDE_LANES;
        if (p->d > 20 && (row == 5 || row == 17))
            real_set(lab->precision, g.x->host, k, size);
    }
    lab_upload(lab, g.x);
    g.aux = lab_make_reals(lab, GROUPS * g.aux_rows, 0.1, 0.9);
    g.normal = lab_make_reals(lab, GROUPS * g.normal_rows, -1, 1);
    for (int k = 0; k < p->plan.tensors; k++)
        tensor[k] =
            lab_make_copy(lab, p->tensor[k], (size_t)p->tensor_size[k] * real_size(lab->precision));
    g.tensor = lab_make_table(lab, tensor, p->plan.tensors);
    g.unknown = lab_make_reals(lab, p->plan.unknowns, 0.5, 2);
    for (int k = 0; k < p->outputs; k++)
        scale[k] = lab_uniform(lab, 0.5, 2);
    g.scale = lab_make_copy(lab, scale, (size_t)p->outputs * sizeof *scale);
    return g;
}

static PdePointArgs point_args(Side side, const Given *g) {
    return (PdePointArgs){.x = lab_on(side, g->x),
                          .aux = lab_on(side, g->aux),
                          .normal = lab_on(side, g->normal),
                          .tensor = lab_on(side, g->tensor),
                          .unknown = lab_on(side, g->unknown),
                          .output_scale = lab_on(side, g->scale)};
}

static void *moved(const Lab *lab, const void *base, int64_t by) {
    return base ? (char *)(uintptr_t)base + (size_t)by * real_size(lab->precision) : NULL;
}

/* ---- kernels of points ---- */

typedef struct PointShot {
    const char *name;
    PointKernel *kernel;
    int64_t rows; /* of out, each of PDE_LANES */
    unsigned groups;
    bool shared; /* x is NULL */
    bool gradient;
    bool in_place; /* out has numbers of (0, 1) before */
    bool weights;  /* out has one number for each row */
} PointShot;

static Array2 *shoot_points(Lab *lab, const Given *g, const PointShot *shot) {
    int64_t n = shot->rows * (shot->weights ? 1 : PDE_LANES);
    Array2 *out = shot->in_place ? lab_make_reals(lab, shot->groups * n, 0.1, 0.9)
                                 : lab_make_reals(lab, shot->groups * n, 7, 7);
    Array2 *value = lab_make_reals(lab, GROUPS * PDE_LANES, 7, 7);
    Array2 *gradient = lab_make_reals(lab, GROUPS * shot->rows * PDE_LANES, -1, 1);
    PdePointLaunch q = {.group0 = point_args(DEVICE, g),
                        .x = g->x_rows,
                        .aux = g->aux_rows,
                        .normal = g->normal_rows,
                        .gradient = n,
                        .out = n,
                        .value = PDE_LANES};
    q.group0.out = lab_on(DEVICE, out);
    q.group0.value = lab_on(DEVICE, value);
    q.group0.gradient = lab_on(DEVICE, gradient);
    if (shot->shared)
        q.group0.x = q.group0.aux = q.group0.normal = NULL;
    for (unsigned k = 0; k < shot->groups; k++) {
        PdePointArgs a = point_args(HOST, g);
        a.x = shot->shared ? NULL : moved(lab, a.x, k * g->x_rows);
        a.aux = shot->shared ? NULL : moved(lab, a.aux, k * g->aux_rows);
        a.normal = shot->shared ? NULL : moved(lab, a.normal, k * g->normal_rows);
        a.gradient = moved(lab, gradient->host, k * n);
        a.out = moved(lab, out->host, k * n);
        a.value = moved(lab, value->host, k * PDE_LANES);
        shot->kernel(&a);
    }
    lab_launch(lab, shot->name, shot->groups, PDE_LANES, PDE_LAUNCH_ROWS, &q);
    lab_compare(lab, shot->name, "out", out, shot->groups * n);
    if (shot->gradient)
        lab_compare(lab, shot->name, "value", value, GROUPS * PDE_LANES);
    return out;
}

/* ---- combine kernels ---- */

typedef struct CombineShot {
    const char *name;
    CombineKernel *kernel;
    const PlanTask *task; /* NULL: pde_fields */
    const PlanRoute *route;
    const Family *family;
    int residuals;
    Array2 *scalar;
    int64_t scalar_rows;
    int entries; /* of a sparse direction; 0: the kernel makes residuals */
} CombineShot;

/* Everything that a combine kernel reads and writes. */
typedef struct Jets {
    Array2 *set[PLAN_FAMILIES_MAX], *sets, *count, *factor, *block, *weights, *sweep, *n, *d[4];
    Array2 *residual, *seed_n, *seed_d[4], *seed_unknown, *sparse_row, *sparse_value;
    int64_t directions, set_size[PLAN_FAMILIES_MAX], jets, seeds;
} Jets;

static void make_sets(Lab *lab, const CombineShot *shot, Jets *j) {
    int64_t count[PLAN_FAMILIES_MAX] = {0};
    double factor[PLAN_FAMILIES_MAX] = {0};
    int families = shot->task ? shot->task->families : 0;
    for (int f = 0; f < families; f++) {
        const PlanFamily *plan = &shot->task->family[f];
        const Family *range = &shot->family[f];
        count[f] = TERMS;
        factor[f] = lab_uniform(lab, 0.5, 3);
        j->set_size[f] = TERMS * plan->indices;
        j->set[f] = lab_make(lab, (size_t)(POINTS * j->set_size[f]) * sizeof(uint32_t));
        uint32_t *to = (uint32_t *)(void *)j->set[f]->host;
        for (int64_t k = 0; k < POINTS * TERMS; k++) {
            uint32_t a = (uint32_t)lab_uniform(lab, 0, (double)range->count[0]);
            if (plan->indices == 1) {
                to[k] = a;
                continue;
            }
            uint32_t b = (uint32_t)lab_uniform(lab, 0, (double)range->count[plan->ordered ? 0 : 1]);
            to[2 * k] = plan->ordered && a > b ? b : a;
            to[2 * k + 1] = plan->ordered && a > b ? a : b;
        }
        lab_upload(lab, j->set[f]);
    }
    j->sets = lab_make_table(lab, j->set, families);
    j->count = lab_make_copy(lab, count, sizeof count);
    j->factor = lab_make_copy(lab, factor, sizeof factor);
}

static void make_blocks(Lab *lab, const CombineShot *shot, Jets *j) {
    int64_t block[PDE_MAX_BLOCKS + 1] = {0}, at = 0;
    Array2 *weight[PDE_MAX_BLOCKS] = {0};
    int blocks = shot->route ? shot->route->blocks : 0;
    for (int b = 0; b < blocks; b++) {
        PlanBlockKind kind = shot->route->block[b].kind;
        block[b] = at;
        at += plan_block_follows_family(kind) ? TERMS : kind == BLOCK_gram ? GRAM : 1;
        if (kind == BLOCK_gram && b % 2 == 0) {
            double w[GRAM];
            for (int k = 0; k < GRAM; k++)
                w[k] = lab_uniform(lab, -1, 1);
            weight[b] = lab_make_copy(lab, w, sizeof w);
        }
    }
    block[blocks] = at;
    j->directions = at + 3; /* the batch may have more than the kernel uses */
    j->block = lab_make_copy(lab, block, sizeof block);
    j->weights = lab_make_table(lab, weight, blocks);
    j->sweep = lab_make_reals(lab, GROUPS * (blocks + 1) * PDE_LANES, -1, 1);
}

static Jets make_jets(Lab *lab, const CombineShot *shot) {
    const Problem *p = &lab->problem;
    Jets j = {0};
    make_sets(lab, shot, &j);
    make_blocks(lab, shot, &j);
    j.jets = p->outputs * j.directions;
    j.seeds = shot->residuals * j.jets;
    j.n = lab_make_reals(lab, POINTS * p->outputs, -1, 1);
    j.residual = lab_make_reals(lab, POINTS * shot->residuals, 7, 7);
    if (shot->entries) {
        j.sparse_row = lab_make(lab, (size_t)(POINTS * TERMS * shot->entries) * sizeof(uint32_t));
        lab_upload(lab, j.sparse_row);
        j.sparse_value = lab_make_reals(lab, POINTS * TERMS * shot->entries, 7, 7);
    }
    for (int m = 0; m < 4; m++)
        j.d[m] = lab_make_reals(lab, POINTS * j.jets, -1, 1);
    if (!shot->task)
        return j;
    j.seed_n = lab_make_reals(lab, POINTS * shot->residuals * p->outputs, 0, 0);
    j.seed_unknown = lab_make_reals(lab, POINTS * shot->residuals * p->plan.unknowns, 0, 0);
    for (int m = 0; m < 4; m++)
        j.seed_d[m] = lab_make_reals(lab, POINTS * j.seeds, 0, 0);
    return j;
}

static PdeCombineArgs combine_args(Side side, const Given *g, const CombineShot *shot,
                                   const Jets *j) {
    PdeCombineArgs a = {.x = lab_on(side, g->x),
                        .aux = lab_on(side, g->aux),
                        .normal = lab_on(side, g->normal),
                        .tensor = lab_on(side, g->tensor),
                        .unknown = lab_on(side, g->unknown),
                        .scalar = lab_on(side, shot->scalar),
                        .set = lab_on(side, j->sets),
                        .count = lab_on(side, j->count),
                        .factor = lab_on(side, j->factor),
                        .block = lab_on(side, j->block),
                        .weight = lab_on(side, j->weights),
                        .sweep = lab_on(side, j->sweep),
                        .directions = j->directions,
                        .output_scale = lab_on(side, g->scale),
                        .n = lab_on(side, j->n),
                        .residual = lab_on(side, j->residual),
                        .seed_n = lab_on(side, j->seed_n),
                        .sparse_row = lab_on(side, j->sparse_row),
                        .sparse_value = lab_on(side, j->sparse_value),
                        .seed_unknown = lab_on(side, j->seed_unknown)};
    for (int m = 0; m < 4; m++) {
        a.d[m] = lab_on(side, j->d[m]);
        a.seed_d[m] = lab_on(side, j->seed_d[m]);
    }
    return a;
}

static void combine_on_host(const Lab *lab, const Given *g, const CombineShot *shot,
                            const Jets *j) {
    const Problem *p = &lab->problem;
    int blocks = shot->route ? shot->route->blocks : 0;
    for (int64_t point = 0; point < POINTS; point++) {
        int64_t group = point / PDE_LANES;
        const uint32_t *set[PLAN_FAMILIES_MAX] = {0};
        PdeCombineArgs a = combine_args(HOST, g, shot, j);
        for (int f = 0; shot->task && f < shot->task->families; f++)
            set[f] = (const uint32_t *)(const void *)j->set[f]->host + point * j->set_size[f];
        a.set = set;
        a.lane = point % PDE_LANES;
        a.x = moved(lab, a.x, group * g->x_rows);
        a.aux = moved(lab, a.aux, group * g->aux_rows);
        a.normal = moved(lab, a.normal, group * g->normal_rows);
        a.scalar = moved(lab, a.scalar, group * shot->scalar_rows * PDE_LANES);
        a.sweep = moved(lab, a.sweep, group * (blocks + 1) * PDE_LANES);
        a.sparse_row = a.sparse_row ? a.sparse_row + point * TERMS * shot->entries : NULL;
        a.sparse_value = moved(lab, a.sparse_value, point * TERMS * shot->entries);
        a.n = moved(lab, a.n, point * p->outputs);
        a.residual = moved(lab, a.residual, point * shot->residuals);
        a.seed_n = moved(lab, a.seed_n, point * shot->residuals * p->outputs);
        a.seed_unknown = moved(lab, a.seed_unknown, point * shot->residuals * p->plan.unknowns);
        for (int m = 0; m < 4; m++) {
            a.d[m] = moved(lab, a.d[m], point * j->jets);
            a.seed_d[m] = moved(lab, a.seed_d[m], point * j->seeds);
        }
        shot->kernel(&a);
    }
}

static void shoot_combine(Lab *lab, const Given *g, const CombineShot *shot) {
    const Problem *p = &lab->problem;
    int blocks = shot->route ? shot->route->blocks : 0;
    Jets j = make_jets(lab, shot);
    PdeCombineLaunch q = {.point0 = combine_args(DEVICE, g, shot, &j),
                          .points = POINTS,
                          .x = g->x_rows,
                          .aux = g->aux_rows,
                          .normal = g->normal_rows,
                          .scalar = shot->scalar_rows * PDE_LANES,
                          .sweep = (blocks + 1) * PDE_LANES,
                          .n = p->outputs,
                          .d = j.jets,
                          .residual = shot->residuals,
                          .seed_n = shot->residuals * p->outputs,
                          .seed_d = j.seeds,
                          .seed_unknown = shot->residuals * p->plan.unknowns,
                          .sparse = TERMS * shot->entries};
    memcpy(q.set, j.set_size, sizeof q.set);
    combine_on_host(lab, g, shot, &j);
    lab_launch(lab, shot->name, POINTS, PDE_LAUNCH_TERMS, 1, &q);
    if (shot->entries) {
        lab_compare(lab, shot->name, "sparse_value", j.sparse_value,
                    POINTS * TERMS * shot->entries);
        lab_compare_indices(lab, shot->name, j.sparse_row, POINTS * TERMS * shot->entries);
        return;
    }
    lab_compare(lab, shot->name, "residual", j.residual, POINTS * shot->residuals);
    if (!shot->task)
        return;
    lab_compare(lab, shot->name, "seed_n", j.seed_n, POINTS * shot->residuals * p->outputs);
    lab_compare(lab, shot->name, "seed_unknown", j.seed_unknown,
                POINTS * shot->residuals * p->plan.unknowns);
    for (int m = 0; m < 4; m++)
        lab_compare(lab, shot->name, "seed_d", j.seed_d[m], POINTS * j.seeds);
}

/* ---- all kernels of a module ---- */

static const char *text(char *out, const char *format, int a, int b) {
    snprintf(out, 64, format, a, b);
    return out;
}

static void shoot_blocks(Lab *lab, const Given *g, int t, const PlanRoute *route, bool exact) {
    const Kernels *k = &lab->problem.kernels;
    char name[64];
    for (int b = 0; b < route->blocks; b++) {
        PointKernel *kernel = exact ? k->exact_direction[t][b] : k->direction[t][b];
        PlanBlockKind kind = route->block[b].kind;
        if (!kernel)
            continue;
        const char *what =
            kind == BLOCK_gradient ? exact ? "pde_exact_gradient_%d_%d" : "pde_gradient_%d_%d"
            : kind == BLOCK_gram   ? exact ? "pde_exact_weight_%d_%d" : "pde_weight_%d_%d"
            : exact                ? "pde_exact_direction_%d_%d"
                                   : "pde_direction_%d_%d";
        bool shared = kind == BLOCK_dense || kind == BLOCK_gram;
        shoot_points(lab, g,
                     &(PointShot){.name = text(name, what, t, b),
                                  .kernel = kernel,
                                  .rows = lab->problem.inputs,
                                  .groups = shared ? 1 : GROUPS,
                                  .shared = shared,
                                  .gradient = kind == BLOCK_gradient,
                                  .weights = kind == BLOCK_gram});
    }
}

static void shoot_sparse(Lab *lab, const Given *g, int t, CombineShot shot) {
    char name[64];
    for (int b = 0; b < shot.route->blocks; b++) {
        if (shot.route->block[b].kind != BLOCK_sparse)
            continue;
        shot.name = text(name, "pde_sparse_%d_%d", t, b);
        shot.kernel = lab->problem.kernels.sparse[t][b];
        shot.entries = shot.route->block[b].entries;
        shoot_combine(lab, g, &shot);
    }
}

static void shoot_task(Lab *lab, const Given *g, int t) {
    const Kernels *k = &lab->problem.kernels;
    const PlanTask *task = &lab->problem.plan.task[t];
    char name[64];
    Array2 *scalar = lab_make_reals(lab, GROUPS * PDE_LANES, 0, 1);
    if (k->points[t])
        scalar = shoot_points(lab, g,
                              &(PointShot){.name = text(name, "pde_points_%d", t, 0),
                                           .kernel = k->points[t],
                                           .rows = task->scalars,
                                           .groups = GROUPS});
    CombineShot shot = {.name = text(name, "pde_combine_%d", t, 0),
                        .kernel = k->combine[t],
                        .task = task,
                        .route = &task->sampled,
                        .family = lab->problem.family[t],
                        .residuals = task->residuals,
                        .scalar = scalar,
                        .scalar_rows = task->scalars};
    if (k->combine[t]) {
        shoot_combine(lab, g, &shot);
        shoot_blocks(lab, g, t, &task->sampled, false);
        shoot_sparse(lab, g, t, shot);
    }
    if (task->has_exact) {
        shot.name = text(name, "pde_exact_%d", t, 0);
        shot.kernel = k->exact[t];
        shot.route = &task->exact;
        shoot_combine(lab, g, &shot);
        shoot_blocks(lab, g, t, &task->exact, true);
    }
}

static void shoot_samples(Lab *lab, const Given *g) {
    const Problem *p = &lab->problem;
    char name[64];
    for (int s = 0; s < p->plan.samples; s++)
        if (p->kernels.sample[s])
            shoot_points(lab, g,
                         &(PointShot){.name = text(name, "pde_sample_%d", s, 0),
                                      .kernel = p->kernels.sample[s],
                                      .rows = p->plan.sample[s].target == TARGET_SPACE
                                                  ? p->space[p->plan.sample[s].space].d
                                                  : 1,
                                      .groups = GROUPS,
                                      .in_place = true});
}

static void shoot_all(Lab *lab) {
    const Problem *p = &lab->problem;
    Given g = make_given(lab);
    char name[64];
    for (int t = 0; t < p->plan.tasks; t++)
        shoot_task(lab, &g, t);
    Array2 *scalar =
        shoot_points(lab, &g,
                     &(PointShot){.name = text(name, "pde_points_%d", p->plan.evaluate_task, 0),
                                  .kernel = p->kernels.evaluate,
                                  .rows = p->plan.evaluate_scalars,
                                  .groups = GROUPS});
    shoot_combine(lab, &g,
                  &(CombineShot){.name = "pde_fields",
                                 .kernel = p->kernels.fields,
                                 .residuals = p->plan.fields,
                                 .scalar = scalar,
                                 .scalar_rows = p->plan.evaluate_scalars});
    if (p->kernels.features)
        shoot_points(lab, &g,
                     &(PointShot){.name = "pde_features",
                                  .kernel = p->kernels.features,
                                  .rows = p->inputs,
                                  .groups = GROUPS});
    shoot_samples(lab, &g);
    lab_free_arrays(lab);
}

static Status load(Lab *lab, int arch) {
    JitConstant constant[PLAN_DIMS_MAX + PLAN_PARAMS_MAX];
    const CudaKernelSpec spec = {.module = &lab->problem.module,
                                 .constant = constant,
                                 .constants = problem_constants(&lab->problem.plan, constant),
                                 .is_double = lab->precision == PDE_F64,
                                 .arch = arch};
    return cuda_kernels_load(lab->api, &spec, &lab->module, &lab->error);
}

static int run_module(CudaApi *api, const char *path, PdePrecision precision, int arch) {
    Lab lab = {.api = api, .precision = precision, .name = path, .random = 88172645463325252u};
    Config config;
    ModuleFile module;
    config_init(&config, &lab.error);
    lab.status = module_read(path, &module, &lab.error);
    if (lab.status == STATUS_OK)
        lab.status = problem_open(&module, &config, precision, &lab.problem, &lab.error);
    if (lab.status == STATUS_OK)
        lab.status = load(&lab, arch);
    if (lab.status == STATUS_OK)
        shoot_all(&lab);
    if (lab.status != STATUS_OK)
        printf("FAIL %s: %s\n", path, lab.error.message);
    printf("%-40s %s: %d kernels, largest difference %.1e, %d wrong\n", path,
           precision == PDE_F64 ? "double" : "float ", lab.compared, lab.worst, lab.failed);
    if (lab.module)
        (void)api->cuModuleUnload(lab.module);
    problem_close(&lab.problem);
    config_free(&config);
    return lab.status != STATUS_OK || lab.failed > 0 || lab.compared == 0;
}

int main(int argc, char **argv) {
    CudaApi api = {0};
    CudaDeviceInfo info;
    CudaContext context;
    Error error = {0};
    Status status = cuda_device_info(&api, 0, &info, &error);
    if (status == STATUS_OK)
        status = CUDA_CALL(&api, &error, DRIVER, cuDevicePrimaryCtxRetain, &context, 0);
    if (status == STATUS_OK)
        status = CUDA_CALL(&api, &error, DRIVER, cuCtxSetCurrent, context);
    if (status != STATUS_OK) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    int failed = 0;
    for (int k = 1; k < argc; k++) {
        failed += run_module(&api, argv[k], PDE_F32, info.arch);
        failed += run_module(&api, argv[k], PDE_F64, info.arch);
    }
    (void)api.cuDevicePrimaryCtxRelease(0);
    cuda_close(&api);
    printf("%d passed, %d failed\n", 2 * (argc - 1) - failed, failed);
    return failed > 0;
}
