/* The network engine: an MLP, its derivatives along directions, and their parameter gradients.
 *
 * Shapes. B points, n_in inputs, K directions, widths h1..hL, n_out outputs. `real` is float or
 * double as PdeEngineConfig.precision says; buffers of reals are passed as void *.
 *
 * Points live in groups of PDE_LANES: x[group][n_in][PDE_LANES], point b is lane b % PDE_LANES of
 * group b / PDE_LANES. Lanes past B are never read. A time variable is just the last input.
 *
 * A step:
 *     fill pde_batch_x() and pde_batch_directions()
 *     pde_gradient_begin(engine)
 *     pde_gradient_add(engine, batch, &task)      once per batch (equation, boundary, ...)
 *     if (pde_gradient_finite(engine)) pde_update(engine, rate)
 * Parameters change only in pde_update, so a step can be refused after looking at its loss.
 *
 * Nothing here allocates except the create functions (and the first pde_gradient_store).
 * Results have the same bits for every number of threads: sums are split by fixed chunks.
 * An engine and its batches are used by one calling thread at a time.
 */
#ifndef PDE_RUNTIME_ENGINE_ENGINE_H
#define PDE_RUNTIME_ENGINE_ENGINE_H

#include "engine/optim_rule.h"
#include "engine/shared.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PDE_LANES = 16,      /* points per group: the contract with generated code */
    PDE_MAX_ORDER = 4,   /* highest directional derivative */
    PDE_MAX_LAYERS = 32, /* weight layers */
    PDE_MAX_BLOCKS = 64, /* direction blocks of a batch */
    PDE_MAX_BATCHES = 64 /* batches that may add to one gradient */
};

typedef enum PdePrecision { PDE_F32, PDE_F64 } PdePrecision;

typedef enum PdeActivation {
#define ACTIVATION(name, ...) PDE_ACT_##name,
#include "contract/activation.def"
#undef ACTIVATION
    PDE_ACTIVATIONS
} PdeActivation;

typedef enum PdeOptimiser {
#define OPTIMISER(name, ...) PDE_OPT_##name,
#include "contract/optim.def"
#undef OPTIMISER
    PDE_OPTIMISERS
} PdeOptimiser;

/* Traits of optimisers, in optim.def. */
enum {
    PDE_PLAIN = 0,
    PDE_MOMENTUM = 1, /* beta1 is --momentum */
    PDE_JACOBIAN =
        2, /* a step is solved for, from the rows of all residuals: no decay, no clipping */
    PDE_ONE_LOSS = 4 /* one function is minimised: points, terms and weights stay */
};

/* The largest number of states in optim.def, as the size of something that has them all. */
typedef union PdeStates {
#define OPTIMISER(name, class, states, ...) char name[states + 1];
#include "contract/optim.def"
#undef OPTIMISER
} PdeStates;

typedef enum PdeSchedule {
#define SCHEDULE(name, text) PDE_RATE_##name,
#include "contract/schedule.def"
#undef SCHEDULE
    PDE_SCHEDULES
} PdeSchedule;

/* Instruction sets, worst to best; PDE_ISA_BEST takes the best this processor has. */
/* pde_isa_name: NULL where this build has no such variant. */
typedef enum PdeIsa { PDE_ISA_BASE, PDE_ISA_AVX2, PDE_ISA_AVX512, PDE_ISAS, PDE_ISA_BEST } PdeIsa;
const char *pde_isa_name(PdeIsa isa);
PdeIsa pde_isa_best(void);

/* ---------------------------------------------------------------- engine: network and optimiser */

typedef struct PdeEngine PdeEngine;
typedef struct PdeBatch PdeBatch;

typedef struct PdeOptimConfig {
    PdeOptimiser kind;
    double beta1, beta2, beta3, epsilon, decay;
} PdeOptimConfig;

typedef struct PdeEngineConfig {
    PdePrecision precision;
    PdeIsa isa;
    int threads;          /* 0 = one per processor */
    int layers;           /* weight layers, 2 .. PDE_MAX_LAYERS */
    const int64_t *width; /* [layers + 1]: n_in, h1, ..., hL, n_out */
    PdeActivation activation;
    PdeOptimConfig optimiser;
    const PdeRanks *ranks; /* NULL: this process alone */
} PdeEngineConfig;

/* Defaults of an optimiser: epsilon 1e-8, the rest as in optim.def. */
PdeOptimConfig pde_optim_default(PdeOptimiser kind);
int pde_optim_states(PdeOptimiser kind);
int pde_optim_has(PdeOptimiser kind, unsigned trait);
/* The rule of the few unknown numbers of a problem, which have two states: Adam's, with the optimiser's betas
 * where these mean what Adam's do. */
PdeOptimConfig pde_optim_unknowns(const PdeOptimConfig *config);
/* What update number t, from 1, is made with. */
PdeRule pde_optim_rule(const PdeOptimConfig *config, double rate, int64_t t);

/* NULL: no memory, or a configuration outside its limits. Parameters start at zero. */
PdeEngine *pde_engine_create(const PdeEngineConfig *config);
void pde_engine_destroy(PdeEngine *engine);
const char *pde_engine_isa_name(const PdeEngine *engine);
int pde_engine_threads(const PdeEngine *engine);

/* Parameters and everything shaped like them are exchanged in canonical order: for each layer W
 * row-major [in][out], then its bias [out]. (Inside they are blocked, see engine/kernels/gemm.h.)
 * slot 0: parameters; from 1 on: optimiser state; PDE_SLOT_GRADIENT: after pde_gradient_store.
 */
enum {
    PDE_STATES_MAX = sizeof(PdeStates) - 1,
    PDE_SLOT_PARAMETERS = 0,
    PDE_SLOT_STATE = 1,
    PDE_SLOT_GRADIENT = PDE_SLOT_STATE + PDE_STATES_MAX
};

int64_t pde_engine_size(const PdeEngine *engine);                   /* numbers in canonical order */
int pde_engine_slots(const PdeEngine *engine);                      /* optimiser state slots */
void pde_engine_get(const PdeEngine *engine, int slot, void *to);   /* to: real[size] */
void pde_engine_set(PdeEngine *engine, int slot, const void *from); /* from: real[size] */

/* Parameters that are zero and stay so: live[size] in canonical order, 0 where one is. Gradients have no entry for them,
 * and pde_normal no column; rows of pde_jacobian do not know of them. Before any parameter is set; 0 without memory. */
int pde_engine_confine(PdeEngine *engine, const uint8_t *live);
/* The others, in canonical order, into to[] unless it is NULL; how many. */
int64_t pde_engine_live(const PdeEngine *engine, int64_t *to);

/* Number of updates done, for bias corrections; part of a checkpoint. */
int64_t pde_engine_updates(const PdeEngine *engine);
void pde_engine_set_updates(PdeEngine *engine, int64_t updates);

/* ----------------------------------------------------------------- batch: points and directions */

typedef enum PdeDirectionKind {
    /* an index is below n_in; this is not checked */
    PDE_DIR_UNIT,         /* shared e_i:            index[count] */
    PDE_DIR_PAIR,         /* shared e_i + s e_j:    index[count][2], s: coefficient[count] */
    PDE_DIR_DENSE,        /* shared v:              v[groups(count)][n_in][PDE_LANES], lane = k */
    PDE_DIR_POINT_DENSE,  /* v of each point:       v[count][groups(B)][n_in][PDE_LANES] */
    PDE_DIR_POINT_UNIT,   /* e_i of each point:     index[B][count] */
    PDE_DIR_POINT_SPARSE, /* few entries of each point: index[B][count][entries], their values in
                               coefficient[B][count][entries]; the same index may come twice */
    PDE_DIR_GRAM,         /* h1 pseudo-directions for sums over ALL i: weight[n_in], >= 0 */
    PDE_DIR_POSITION      /* the point x itself (all inputs), no extra product: nothing to fill */
} PdeDirectionKind;

/* POINT_DENSE: lanes past B must hold finite numbers (they start as zero).
 * GRAM: for any expression that sees its directions only through sum_k N2[k], sum_k N1[k]^2 (or
 * anything else that a rotation of the directions leaves alone), the h1 pseudo-directions give
 * exactly sum_i weight[i] (...)_i over all coordinates. Needs h1 or more coordinates of positive
 * weight; a weight 0 (time) excludes a coordinate. Its own order is 1 or 2, beside any others.
 */
typedef struct PdeDirectionBlock {
    PdeDirectionKind kind;
    int order;       /* highest derivative wanted: 1 .. PDE_MAX_ORDER */
    int64_t count;   /* directions; ignored for GRAM (h1) and POSITION (1) */
    int64_t entries; /* POINT_SPARSE: of each direction */
} PdeDirectionBlock;

typedef struct PdeBatchConfig {
    int64_t points; /* B */
    int blocks;
    PdeDirectionBlock block[PDE_MAX_BLOCKS]; /* orders must not increase */
    int residuals;                           /* residuals per point, usually 1 */
    int rotate;          /* block 0 is UNIT, and the only one of order 2: of its N2[k] only the sum
                               over k need be right, and their seeds are the same for all k */
    void *x;             /* NULL: owned by the batch; else the caller's */
    PdeBatch *points_of; /* NULL, or an older batch of the same B whose x and x W1 are used: it
                               must have been evaluated since its x or the parameters changed */
} PdeBatchConfig;

/* K = sum of the counts. If every order is 1 or 2 the adjoint form is used (first-order directions
 * are nearly free); an order of 3 or 4 carries Taylor rows of that order for all directions.
 * serves: 0 if a block is not one that the network can serve. create: NULL then, or without memory.
 */
int pde_batch_serves(const PdeEngine *engine, const PdeBatchConfig *config);
PdeBatch *pde_batch_create(PdeEngine *engine, const PdeBatchConfig *config);
void pde_batch_destroy(PdeBatch *batch);

/* Owned by the batch, to be filled before each evaluation. */
typedef struct PdeDirections {
    uint32_t *index;
    void *coefficient;
    void *v;
    void *weight; /* GRAM: starts as all ones */
} PdeDirections;

void *pde_batch_x(PdeBatch *batch); /* [groups(B)][n_in][PDE_LANES] */
PdeDirections *pde_batch_directions(PdeBatch *batch, int block);
int64_t pde_batch_direction_count(const PdeBatch *batch); /* K */
/* Directions of block 0 whose second derivatives are right in their sum alone, or 0. */
int64_t pde_batch_rotated(const PdeBatch *batch);

/* ------------------------------------------------------------------------------- evaluation */

/* What the engine shows to `combine` for one point, and what it takes back. D N[v_k]... are
 * d[m-1][o * K + k] for m = 1 .. order (not computed, and zero, above a block's own order when the
 * adjoint form is used). For residual e the seeds are dR_e/dN[o] = seed_n[e * n_out + o] and
 * dR_e/d(d[m-1][o*K + k]) = seed_d[m-1][(e * n_out + o) * K + k]. Seeds arrive zeroed; they are
 * NULL when only values are wanted. combine runs on a worker thread, points in any order.
 */
typedef struct PdeJet {
    int64_t point;
    int worker;                   /* 0 .. threads-1, for scratch memory of the caller */
    int only;                     /* 0: all residuals; else 1 + the one that is wanted */
    const void *n;                /* real[n_out] */
    const void *d[PDE_MAX_ORDER]; /* real[n_out][K] */
    void *residual;               /* real[residuals], to be written */
    void *seed_n;                 /* real[residuals][n_out] */
    void *seed_d[PDE_MAX_ORDER];  /* real[residuals][n_out][K] */
} PdeJet;

typedef void PdeCombine(void *context, const PdeJet *jet);

typedef struct PdeTaskSpec {
    PdeCombine *combine;
    void *context;
    const void *multiplier; /* real[B][residuals] that each residual's seeds are multiplied with
                               (algorithms 1 and 2: scale * R_J); NULL: scale * its own residual */
    double scale;           /* used with multiplier NULL: 2 / B makes the gradient of mean R^2 */
    const double *factor;   /* [residuals], of scale; NULL: all 1 */
    void *residual;         /* real[B][residuals] out, or NULL */
    int shared;   /* ranks divide the points: combine changes nothing but the jet and `beside` */
    void *beside; /* [B][beside_unit bytes] that combine writes, the point's own; or NULL */
    size_t beside_unit;
} PdeTaskSpec;

/* Residuals only: no tape, nothing is changed. multiplier and scale are ignored. */
void pde_value(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);

/* The gradient of sum_b sum_e multiplier * R_e, R's own multiplier held constant. Several batches
 * add up, each at most once; each must stay untouched (x, directions) until pde_update or
 * pde_gradient_store. Adding returns 0, and does nothing, after PDE_MAX_BATCHES.
 */
void pde_gradient_begin(PdeEngine *engine);
int pde_gradient_add(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);

/* 1 if every number that pde_update will use is finite. */
int pde_gradient_finite(const PdeEngine *engine);

/* Forms the whole gradient in slot PDE_SLOT_GRADIENT, for clipping, L-BFGS or a trace; after it
 * pde_update uses the stored one. Without it dW1 is never stored. Returns 0 without memory.
 */
int pde_gradient_store(PdeEngine *engine);
double pde_gradient_norm(PdeEngine *engine);               /* stored gradient, 2-norm */
void pde_gradient_scale(PdeEngine *engine, double factor); /* stored gradient */
/* Stores, and scales to norm `limit` where it is larger; the norm before, negative on no memory. */
double pde_gradient_clip(PdeEngine *engine, double limit);

void pde_update(PdeEngine *engine, double rate);

/* --------------------------------------------------------------------- Jacobian of residuals */

/* J = dR/dtheta of stacked residuals, one row each, for Gauss-Newton steps in the space of the
 * batch. Row row0 + b * residuals + e belongs to residual e of point b of a batch; batches with the
 * same row0 (parts of one residual) add up, others have rows of their own. The part of W1 is never
 * stored: memory is rows * (parameters after W1 + h1 * joint directions), where a coordinate counts
 * once however many directions use it, or a block of that.
 *
 *     pde_jacobian_begin(j)
 *     pde_jacobian_add(j, i, &task)      for each part, in order: its rows times task.scale
 *     pde_jacobian_gram(j, k)            k[rows][rows] = J J', and what the next two need
 *     pde_jacobian_times(j, slot, out)   out[rows] = J times a slot, in double
 *     pde_jacobian_transposed(j, s)      J' s becomes the gradient that pde_update takes
 *
 * x and directions stay untouched, and parameters unchanged, until pde_update.
 */
typedef struct PdeJacobian PdeJacobian;

typedef struct PdeJacobianPart {
    PdeBatch *batch;
    int64_t row0;
} PdeJacobianPart;

/* NULL: no memory, or more than PDE_MAX_BATCHES parts. most: bytes for the rows; where they need
 * more, they are made again block by block of their columns in gram, times and transposed, and combine
 * is called again for each. 0: no limit. Rounding depends on the blocks.
 */
PdeJacobian *pde_jacobian_create(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                                 int64_t most);
int pde_jacobian_blocks(const PdeJacobian *jacobian);
void pde_jacobian_destroy(PdeJacobian *jacobian);
int64_t pde_jacobian_rows(const PdeJacobian *jacobian);
int64_t pde_jacobian_bytes(const PdeJacobian *jacobian);
void pde_jacobian_begin(PdeJacobian *jacobian);
void pde_jacobian_add(PdeJacobian *jacobian, int part, const PdeTaskSpec *task);
void pde_jacobian_gram(PdeJacobian *jacobian, double *k);
void pde_jacobian_times(PdeJacobian *jacobian, int slot, double *out);
void pde_jacobian_transposed(PdeJacobian *jacobian, const double *s);

/* The same rows where they are more than the parameters: J'J and J' r, summed over groups of rows, so that memory is
 * that of J'J and of one group. Columns: live parameters in canonical order, then `more` that the caller gives.
 *
 *     pde_normal_add(n, i, &task)        for each part, in order: its residuals; rows times task.scale
 *                                        (with seeds, where more > 0: of them further columns can be made)
 *     pde_normal_sum(n, r, more, a, g)   r[rows], more[rows][more]; a = J'J (a->n: columns), g[columns] = J' r
 *
 * combine is called again for each residual alone in pde_normal_sum. x and directions stay untouched, and parameters
 * unchanged, until then. NULL: no memory, or more than PDE_MAX_BATCHES parts.
 */
typedef struct PdeNormal PdeNormal;
struct Tiled; /* tiled.h */
PdeNormal *pde_normal_create(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                             int64_t more);
void pde_normal_destroy(PdeNormal *normal);
int64_t pde_normal_bytes(const PdeNormal *normal);
void pde_normal_add(PdeNormal *normal, int part, const PdeTaskSpec *task);
void pde_normal_sum(PdeNormal *normal, const double *r, const double *more, struct Tiled *a,
                    double *g);

/* The gradient that pde_update takes, from outside: real[size] in canonical order. 0 without memory (which is taken
 * at the first call).
 */
int pde_gradient_set(PdeEngine *engine, const void *from);

/* Parameters and optimiser state as they are now, to come back to; 0 without memory (which is taken
 * at the first call).
 */
int pde_engine_keep(PdeEngine *engine);
void pde_engine_undo(PdeEngine *engine);
/* Another rule from now on, on the state that is there; 0, and nothing done, if it needs more. */
int pde_engine_set_optimiser(PdeEngine *engine, const PdeOptimConfig *config);
void pde_engine_forget(PdeEngine *engine);                 /* optimiser state to zero */
double pde_engine_norm(const PdeEngine *engine, int slot); /* 2-norm, in double */

/* dN_o/dx of every point: to[groups(B)][n_in][PDE_LANES]; lanes past B become zero. */
void pde_input_gradient(PdeEngine *engine, PdeBatch *batch, int output, void *to);

/* The reverse sweep of a task as in pde_gradient_add, without adding to any gradient; then what it says
 * of the inputs (block -1) or of the directions of a POINT_DENSE block of one direction: the derivative
 * of sum_b sum_e multiplier * R_e by them, the rest held fixed; to as in pde_input_gradient. Not
 * between the adding of this batch to a gradient and its update.
 */
void pde_reverse(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);
void pde_adjoint(PdeEngine *engine, PdeBatch *batch, int block, void *to);

/* A region of the engine's threads for the caller's own loops (points, sources). */
typedef void PdeRegion(void *context, long task, int worker);
void pde_engine_run(PdeEngine *engine, PdeRegion *task, void *context, long tasks);
/* The same within the next region of any kind: pde_pool_later. */
void pde_engine_later(PdeEngine *engine, PdeRegion *task, void *context, long tasks);

/* Of n things that the caller makes, which this rank makes: *first .. *last - 1; all of them without ranks. Then they
 * are gathered, `unit` bytes each, as in shared.h. */
void pde_engine_share(const PdeEngine *engine, int64_t n, int64_t *first, int64_t *last);
void pde_engine_gather(PdeEngine *engine, void *at, int64_t n, size_t unit);
/* Where ranks divide the first layer: every rank gets all of its parameters and state, before it looks at them
 * (pde_engine_get, pde_engine_norm). All ranks call it; nothing happens where all is there. */
void pde_engine_whole(PdeEngine *engine);
int pde_engine_ranks(const PdeEngine *engine); /* 1 without */

/* ------------------------------------------------------------------------------ random points */

typedef enum PdeLaw { PDE_LAW_UNIFORM, PDE_LAW_NORMAL } PdeLaw;

/* x[group][i][lane] of rows i0 <= i < i1 of one group: numbers of rng.h for (stream, step, point,
 * coordinate), uniform in (0,1) or standard normal. point0: the first lane's point. to points at
 * the group's row 0. i0 and i1 (unless it is the end) are multiples of 4. squares[PDE_LANES], or NULL:
 * the rows' squares are added there.
 */
void pde_random_fill(const PdeEngine *engine, PdeLaw law, uint64_t seed, uint32_t stream,
                     uint32_t step, uint32_t point0, int64_t i0, int64_t i1, void *to,
                     double *squares);

/* ------------------------------------------------------------------------------ rates (optim.c) */

typedef struct PdeRateConfig {
    PdeSchedule kind;
    double base;             /* rate after warm-up */
    double final;            /* fraction of base at the end */
    int64_t warmup, total;   /* steps */
    double offset, exponent; /* of power */
} PdeRateConfig;

double pde_rate(const PdeRateConfig *config, int64_t step); /* step counts from 0 */
const char *pde_optimiser_name(PdeOptimiser kind);
const char *pde_schedule_name(PdeSchedule kind);
const char *pde_activation_name(PdeActivation kind);

#endif
