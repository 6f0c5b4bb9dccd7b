/* device_session.h: a training step on a device. It mirrors the Session, Task and Route of the host, whose
 * settings, plan and scales it reads; parameters and optimiser state come from the host's engine
 * and go back to it, so that files, evaluation and reports are the host's own. */
#ifndef PDE_RUNTIME_CUDA_STEP_DEVICE_SESSION_H
#define PDE_RUNTIME_CUDA_STEP_DEVICE_SESSION_H

#include "measure/evaluate.h"
#include "step/session.h"
#include "cuda/device/backend.h"
#include "cuda/abi/engine_abi.h"
#include "cuda/step/domains.h"
#include "cuda/abi/launch_abi.h"
#include "step/lbfgs/lbfgs_search.h"
#include "cuda/abi/lbfgs_abi.h"
#include "cuda/abi/natural_abi.h"

typedef enum EngineKernel {
#define ENGINE_KERNEL(name, argument) ENGINE_##name,
#include "cuda/abi/engine.def"
#undef ENGINE_KERNEL
    ENGINE_KERNELS
} EngineKernel;

/* CUDA_USES(ROW): what memory is for: ROW(name, "as the plan prints it") */
#define CUDA_USES(ROW)                                                                             \
    ROW(parameters, "parameters and optimiser state")                                              \
    ROW(history, "history and vectors of L-BFGS")                                                  \
    ROW(points, "points")                                                                          \
    ROW(directions, "directions and their gradients")                                              \
    ROW(jacobian, "Jacobian and what is made of it")                                               \
    ROW(rows, "rows of a tile of points")

typedef enum CudaUse {
#define ROW(name, text) USE_##name,
    CUDA_USES(ROW)
#undef ROW
        CUDA_USE_COUNT
} CudaUse;

typedef struct CudaTask CudaTask;

typedef struct CudaBlock {
    PdeDirectionKind kind;
    int64_t count, row0;
    int64_t entries;           /* of a direction: sparse ones have several */
    void *index, *coefficient; /* unit, pair and sparse directions */
    void *v, *value;           /* dense ones, and their product with W1 */
    void *weight;              /* Gram: of the coordinates */
    BackendKernel *kernel;     /* that makes them; NULL: none */
} CudaBlock;

typedef struct CudaRoute {
    CudaTask *task;
    const Route *host;
    int blocks, order;
    int64_t residuals; /* of each point */
    CudaBlock block[PDE_MAX_BLOCKS];
    int64_t K, K2;   /* directions; those of order 2 and more, which come first */
    bool point_rows; /* some directions differ from point to point */
    BackendKernel *combine;
    void *set[PLAN_FAMILIES_MAX], *number, *table;
    /* what the combine kernel reads of the route: arrays on the device */
    void *sets, *counts, *factors, *starts, *weights;
    void *residual;
    void *rbar, *each; /* seeds of the first layer's tangents: shared, of each point */
    void *gram, *gram_factor, *gram_work, *gram_bar;
    void *gram_product;  /* a tile of W1 gram_bar */
    void *slope, *sweep; /* gradient blocks */
    void *frozen;        /* what the ascent kernel reads; NULL: no attack */
    int draw;            /* number of the draw that the next sets are of */
    bool roots;          /* rows of a condition on vectors: runtime/step/vector_rows.h */
} CudaRoute;

/* What dW1 is made of: seeds of whole rows, of single coordinates, and Gram blocks. */
typedef struct CudaFirst {
    void *source, *entries, *gram; /* on the device */
    int64_t sources, lists, grams;
    const CudaRoute **gram_route; /* [grams] */
} CudaFirst;

typedef struct CudaScore CudaScore; /* score.c */

struct CudaTask {
    struct CudaSession *s;
    const Task *host;
    const Points *points; /* the host's, which has their law */
    DevState *state;      /* whose draw they are of */
    void *unknown;        /* as kernels see them */
    void *x, *inputs, *aux, *normal, *scalar;
    void *partial, *factor, *outward;
    double *keep;     /* of paths, or NULL */
    void *z1, *z1bar; /* x W1, and its seed from all routes */
    int values, gradients;
    CudaRoute *value, *gradient;
    CudaRoute *entries; /* natural gradient's rows of a condition on vectors; NULL: none */
    CudaRoute *row;     /* whose rows natural gradient takes: those, or the gradient's */
    int rows;           /* routes, whose rows add up */
    void *value_residual, *multiplier, *seed_unknown;
    BackendKernel *program, *sample[PLAN_SAMPLES_MAX], *features;
};

/* Memory of a tile of points, used by one route after the other. [outputs][points][h] where
 * several. */
typedef struct CudaScratch {
    void *z, *s[PDE_MAX_LAYERS][6], *sbar[PDE_MAX_LAYERS][5];
    void *lambda[PDE_MAX_LAYERS], *g[PDE_MAX_LAYERS], *c[PDE_MAX_LAYERS], *cbar[PDE_MAX_LAYERS];
    void *bar[2], *gbar, *n, *nbar;
    void *r, *t[PDE_MAX_LAYERS], *a[PDE_MAX_LAYERS], *tbar[2];
    void *d[PDE_MAX_ORDER], *seed_d[PDE_MAX_ORDER], *seed, *seed_n;
    size_t sbar_bytes, seed_bytes; /* from sbar[0][1], from seed_d[0] and seed_n */
} CudaScratch;

typedef struct CudaSession {
    Session *host;
    Backend *backend;
    size_t real; /* bytes of a number */
    int hidden;
    int64_t groups, inputs, h1, outputs;
    int64_t w[PDE_MAX_LAYERS], b[PDE_MAX_LAYERS]; /* offsets of the parameters */
    int64_t small;                                /* where W1 ends */
    BackendKernel *kernel[ENGINE_KERNELS];
    DevState *state;                         /* on the device */
    void *theta, *moment, *whole, *gradient; /* moment: [states][parameters]; whole: of all
                                                   parameters, to clip or read; gradient: from
                                                   `small` on */
    double *square;
    void *tensor, *output_scale;
    double *unknown, *unknown_limit, *unknown_moment[2], *unknown_gradient;
    void *unknown_seen;
    void *semiaxis;    /* double[d] of the domain, or NULL */
    void *partial;     /* of products over chunks of coordinates */
    int64_t gram_rows; /* coordinates of a tile of the Gram term of dW1 */
    CudaFirst first;   /* of the losses' gradient */
    CudaRoute **route; /* all there are */
    int routes;
    CudaTask task[PLAN_TASKS_MAX];
    int tasks;
    void *hook[STEP_HOOK_COUNT]; /* device_hook.h; NULL: nothing of its own */
    CudaScore *score;            /* NULL: no exact solution */
    int64_t tile;                /* points that go through the network together */
    void *scratch;
    double used[CUDA_USE_COUNT]; /* bytes */
    void **buffer;               /* all allocations */
    int buffers, buffer_room;
    bool recorded;
    const struct DeviceOptimiser
        *optimiser;      /* who takes the steps: cuda/optimise/device_optimiser.h */
    void *self;          /* what it has beside the states; NULL: nothing */
    PdeOptimConfig rule; /* of the updates at present */
    int64_t most_tile;   /* points that may go through the network together; 0: all */
    int jacobian_blocks; /* of columns; 0: J is whole, or there is none */
    int64_t updates;
} CudaSession;

/* Takes the back end over, also on failure. The host session must outlive it. */
Status cuda_session_open(Session *host, Backend *backend, CudaSession **session, Error *error);
void cuda_session_close(CudaSession *session); /* NULL is nothing */
double cuda_session_bytes(const CudaSession *session);
/* Blocks of columns in which natural gradient has its Jacobian; 0: whole, or there is none. */
int cuda_session_blocks(const CudaSession *session);

/* Parameters, optimiser state, scales and unknowns from the host. */
Status cuda_session_push(CudaSession *session, Error *error);
/* The first step since the last wait that was refused because a number was not finite: it and those
 * after it have changed nothing. */
typedef struct CudaRefusal {
    bool refused;
    uint32_t step;
} CudaRefusal;

/* Waits; then loss and unknowns are the host's. Steps may go on after a refusal. */
Status cuda_session_wait(CudaSession *session, CudaRefusal *refusal, Error *error);
/* The same, and the parameters are the host's; with state the optimiser's too. */
Status cuda_session_pull(CudaSession *session, bool state, CudaRefusal *refusal, Error *error);
/* Queues one step. */
Status cuda_session_step(CudaSession *session, uint32_t step, double rate, Error *error);
/* Relative error of the parameters, or of their mean where one is kept, on the test points; the
 * host reads a number for each field. NaN where there is no exact solution. */
Status cuda_session_score(CudaSession *session, const Evaluation *evaluation, double *error_l2,
                          Error *error);
/* The calls of one step, for counting. */
void cuda_step_calls(CudaSession *session);

/* ------------------------------------------------------------- between the files of this folder */

/* All kernels of engine.def. */
void cuda_engine_kernels(Backend *backend, BackendKernel **kernel);
/* What begins update number `updates`, of points drawn for `step`; the same of the session. */
DevNow cuda_now(const PdeOptimConfig *rule, int64_t updates, uint32_t step, double rate);
DevNow cuda_session_now(const CudaSession *session, uint32_t step, double rate);
void *cuda_buffer(CudaSession *session, CudaUse use, int64_t count, size_t size);
/* A buffer with a copy of what the host has at `from`. */
void *cuda_table(CudaSession *session, CudaUse use, const void *from, int64_t count, size_t size);
/* Chooses s->tile, of no more points than `most`. */
Status cuda_scratch_open(CudaSession *session, int64_t most, Error *error);
/* Bytes of a tile of so many points, of the route that needs most. */
size_t cuda_scratch_bytes(const CudaSession *session, int64_t points);
/* Scratch for `points` points of a route; all pointers from base, which may be NULL. Returns bytes.
 */
size_t cuda_scratch_carve(const CudaSession *session, const CudaRoute *route, int64_t points,
                          char *base, CudaScratch *scratch);

/* One step's or try's calls, recorded once where the device can. */
void cuda_run_calls(CudaSession *session);
/* Waits for `queued` iterations of which each takes one try or several, `done` of them over, and queues another try
 * for each that is not; returns how many are over then. progress reads from the device how many are, `queued` if it
 * cannot be read. */
typedef int64_t CudaProgress(CudaSession *session, int64_t queued);
int64_t cuda_settle(CudaSession *session, int64_t queued, int64_t done, CudaProgress *progress);
/* Waits: whether one of the steps so far was refused. */
bool cuda_refused(CudaSession *session);
/* Parameters and states, from number `first` of each on. */
DevMoved cuda_moved(const CudaSession *session, int64_t first);
/* The gradient of all parameters but W1, for which there are seeds, on the points that are there.
 */
void cuda_gradient(CudaSession *session);
void cuda_task_value(CudaTask *task); /* R_J */
/* Adds the gradient of one loss, on the points that are there. */
void cuda_task_gradient(CudaTask *task);
/* dW1 from the seeds of some routes; store NULL: straight into the optimiser. */
void cuda_first_gradient(CudaSession *session, const CudaFirst *from, void *store);
/* Of the tasks' gradient routes; with rows, of the routes of their rows where these differ. */
Status cuda_first_open(CudaSession *session, bool rows, CudaFirst *first, Error *error);
void cuda_first_close(CudaFirst *first);
void cuda_fixed(CudaSession *session); /* directions that hang on unknowns */
void cuda_draw(CudaSession *session);  /* those, and the points of all tasks */

CudaRoute *cuda_score_route(CudaScore *score);
Status cuda_score_open(CudaSession *session, Error *error);
void cuda_score_close(CudaScore *score); /* NULL is nothing */

/* The mean on the device; NULL: none is kept, or no step was counted yet. Its unknowns are the host's. */
void *cuda_average_mean(CudaSession *session);
double cuda_average_share(const CudaSession *session, int64_t step); /* for DevNow */

void cuda_points_draw(CudaTask *task);
/* Only what is made of the points, which have been moved. */
void cuda_points_programs(CudaTask *task);
/* Sums of squares of the coordinates, into task->partial; returns the number of parts of each. */
int64_t cuda_points_norms(CudaTask *task);
/* Points along paths: the correlations that the host has measured, times, normals. */
void cuda_paths_open(CudaTask *task);
void cuda_paths_times(CudaTask *task);
void cuda_paths_walk(CudaTask *task);
void cuda_route_prepare(CudaRoute *route, int part);
void cuda_route_open(CudaTask *task, const Route *host, CudaRoute *route, bool gradient);
/* Tables of sets, one for each tile where points have their own. */
int64_t cuda_route_tiles(const CudaRoute *route);

BackendKernel *cuda_generated(CudaSession *session, const char *stem, int task, int block);
void cuda_route_fixed(CudaRoute *route);
PdePointLaunch cuda_point_launch(const CudaTask *task);
void cuda_point_run(CudaSession *session, BackendKernel *kernel, const PdePointLaunch *launch,
                    int64_t groups, double bytes);

/* value rows and adjoints g of output o alone, for the gradient in x: into to[groups * lanes][h1]
 */
void cuda_slope(CudaRoute *route, int output, void *to);
/* Residuals of a route; their gradient by the first layer's rows, too, and by all parameters, which
 * is added up. multiplier NULL: scale * residual */
typedef enum CudaWanted { CUDA_RESIDUALS, CUDA_ADJOINTS, CUDA_GRADIENT } CudaWanted;
void cuda_evaluate(CudaRoute *route, int part, CudaWanted wanted, const void *multiplier,
                   double scale);
/* The fields of the problem at the points of a route without directions, into its residual. */
void cuda_evaluate_fields(CudaRoute *route);
/* x W1 of the points, and its seed set to zero: before the routes of a task. */
void cuda_task_inputs(CudaTask *task);
/* What belongs to one residual alone, in rows of a Jacobian: `scale` times its gradient, added to
 * rows of zeros. Residual e of point b has row row0 + b * residuals + e. */
typedef struct CudaRows {
    void *small, *joint; /* parameters after W1; seeds of the route's directions, [K][h1] */
    void *bar;           /* seeds of x W1, [points * residuals][h1]: without row0 */
    int64_t stride, joint_stride, row0, residuals;
} CudaRows;
/* Of the tile of points from `first` on. */
void cuda_evaluate_rows(CudaRoute *route, int part, int64_t first, const CudaRows *to,
                        double scale);
/* Before a route's tiles: rows of its dense directions and Gram blocks. */
void cuda_first_rows(CudaRoute *route);
/* Seeds of a Gram block's pseudo-directions become those of W1. */
void cuda_gram_reverse(CudaRoute *route);
/* v W1 of rows in the layout of points, or of W1 itself (Gram) */
void cuda_first_product(CudaSession *session, const DevProduct *product, void *to);
int64_t cuda_product_chunks(const CudaSession *session);

/* Launches of the engine's kernels: over n elements, and by blocks of columns and shared rows. */
void cuda_each(CudaSession *s, EngineKernel kernel, const void *argument, size_t size, int64_t n,
               double bytes);
void cuda_tall(CudaSession *s, EngineKernel kernel, const void *argument, size_t size,
               int64_t columns, int64_t points, int64_t outputs, double bytes);
#define CUDA_EACH(s, name, argument, n, bytes)                                                     \
    cuda_each(s, ENGINE_##name, &(argument), sizeof(argument), n, bytes)
#define CUDA_TALL(s, name, argument, columns, points, outputs, bytes)                              \
    cuda_tall(s, ENGINE_##name, &(argument), sizeof(argument), columns, points, outputs, bytes)

static inline uint32_t cuda_blocks(int64_t n, int64_t size) {
    return (uint32_t)((n + size - 1) / size);
}

/* p + n numbers */
static inline void *cuda_at(const CudaSession *s, const void *p, int64_t n) {
    return (char *)p + (size_t)n * s->real;
}

/* Bytes of so many numbers, for the plan. */
static inline double cuda_bytes(const CudaSession *s, int64_t numbers) {
    return (double)numbers * (double)s->real;
}

#endif
