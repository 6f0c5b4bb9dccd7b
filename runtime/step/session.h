/* session.h: a problem, a network and a method in memory: what computes one step.
 *
 * A Task is one loss (the equation, a boundary condition, ...) with its points. A Route is a set of
 * directions with the combine kernel that reads them: the sampled terms, all terms, or the exact
 * sum. The algorithms of algorithm.def say which routes give value and gradient. All memory is
 * allocated by session_open; a step allocates nothing. */
#ifndef PDE_RUNTIME_STEP_SESSION_H
#define PDE_RUNTIME_STEP_SESSION_H

#include "load/problem_open.h"
#include "options/settings.h"
#include "step/network.h"
#include "step/points.h"

typedef struct Session Session;
typedef struct Task Task;
typedef struct Entries Entries;
typedef struct Joint Joint;

/* What is done to a step besides taking it (hook.h), in this order. */
#define STEP_HOOKS(ROW) ROW(resample) ROW(attack) ROW(balance) ROW(average)
enum {
#define ROW(name) HOOK_##name,
    STEP_HOOKS(ROW)
#undef ROW
        STEP_HOOK_COUNT
};

typedef struct Hook {
    bool on;
    void *self;
} Hook;

/* Who takes the steps (optimiser.h), with what it has beside the engine's state; NULL: nothing. */
typedef struct Optimiser {
    const struct OptimiserClass *class;
    void *self;
} Optimiser;

/* owner of batch and sets */
typedef struct Route {
    Task *task;
    const PlanRoute *plan;
    Terms terms;
    bool exact, probes, per_point, entries;
    CombineKernel *kernel;
    PdeBatch *batch;
    int64_t block[PDE_MAX_BLOCKS + 1];     /* first direction of each block, then K */
    PdeDirectionKind kind[PDE_MAX_BLOCKS]; /* of each block in the engine */
    int64_t count[PLAN_FAMILIES_MAX];      /* terms of each family */
    double factor[PLAN_FAMILIES_MAX];
    uint32_t *set[PLAN_FAMILIES_MAX]; /* [count][indices], per point: [B][count][indices]; counted
                                         from the first index of the range */
    uint64_t *number, *table;         /* scratch of drawing a set, per worker if per point */
    uint32_t slots;
    int64_t widest;  /* largest count */
    int part, parts; /* TERMS_ALL: this route has part `part` of K */
    StreamUse stream;
    void *residual;    /* real[B][E] */
    void *gram_weight; /* real[n_in]: weights of the sum over all coordinates, if there is one */
    double *weight[PDE_MAX_BLOCKS]; /* of a block's directions; NULL: all 1 */
    void *
        frozen; /* real[groups][frozen_rows][PDE_LANES]: what pde_ascent reads; not owned, or NULL */
    int64_t frozen_rows;
    void *slope; /* gradient blocks: real[groups][n_in][PDE_LANES], dN/dx */
    void *sweep; /* gradient blocks: real[groups][blocks][PDE_LANES], their sums */
} Route;

/* owner of everything in it */
struct Task {
    Session *session;
    int id;
    const PlanTask *plan;
    Points points;
    int values, gradients;
    Route *value, *gradient;
    void *value_residual;  /* real[B][E]: R_J, the mean over the value routes */
    void *multiplier;      /* real[B][E] */
    void *seed_unknown;    /* real[B][E][n_unknowns] */
    Task *lead;            /* the condition whose points these are, too (joint.c); NULL: its own */
    Entries *entries;      /* natural gradient's rows of a condition on vectors; NULL: none */
    double residual_scale; /* R is divided by it in the loss */
    bool rounding; /* every trial function meets it: R is rounding, where scales were chosen */
    double equation_size
        [PLAN_RESIDUALS_MAX]; /* of each residual by itself, where scales were chosen; else 0 */
    double balance;           /* factor of the plan's weight: balance.c; 1 with fixed weights */
    double loss, product;     /* of the last step: mean square, and mean of R_J R_I */
};

/* Seconds spent, by phase. */
typedef enum Phase {
    PHASE_POINTS,
    PHASE_SETS,
    PHASE_VALUE,
    PHASE_GRADIENT,
    PHASE_UPDATE,
    PHASE_EVALUATE,
    PHASES
} Phase;

struct Session {
    const Problem *problem;
    Settings settings;
    Network network;
    PdeEngine *engine;
    int tasks;
    Task task[PLAN_TASKS_MAX];
    double output_scale[PLAN_FIELDS_MAX];
    double unknown[PLAN_UNKNOWNS_MAX];
    double unknown_limit[PLAN_UNKNOWNS_MAX][3]; /* least size (scales.c), least value, greatest */
    double unknown_gradient[PLAN_UNKNOWNS_MAX];
    double unknown_state[2][PLAN_UNKNOWNS_MAX]; /* of their own Adam; of a natural step: momentum */
    void *unknown_real;                         /* real[n_unknowns], what kernels see */
    Joint *joint; /* conditions that are evaluated together; NULL: none */
    Optimiser optimiser;
    Hook hook[STEP_HOOK_COUNT];
    double loss, product;
    int64_t balanced; /* the step whose gradients balanced the weights last; -1: none */
    double seconds[PHASES];
};

Status session_open(const Problem *problem, const Settings *settings, Session *session,
                    Error *error);
void session_close(Session *session);

/* Do the ranks have a part each of the first layer? Then pde_engine_whole comes before its parameters are read. */
bool session_divides_coordinates(const Session *session);

/* Draws points and sets of `step`, and adds up the gradient of the loss; parameters stay. */
void session_gradient(Session *session, uint32_t step);
/* The same on the points that are there (selftest, L-BFGS); sets are drawn for `step`. */
void session_gradient_here(Session *session, uint32_t step);
/* The same again of a step that was refused. */
void session_gradient_again(Session *session, uint32_t step);
bool session_finite(const Session *session);
void session_update(Session *session, double rate);
/* Draws, and moves the parameters, by whatever optimiser. False: some number was not finite, and
 * the parameters are as before. */
bool session_step(Session *session, uint32_t step, double rate);
/* Draws, and moves the parameters by the engine's rule. */
bool session_first_order_step(Session *session, uint32_t step, double rate);
/* Points and sets of `step`, and what is done to them; no gradient. */
void session_draw(Session *session, uint32_t step);
/* Weight of a task's squared residuals in the loss, as it is now. */
double session_task_weight(const Task *task);
/* Adds the gradient of one task's loss, on the points that are there. */
void session_task_gradient(Task *task, uint32_t step);
/* R_J of one task on the points that are there, into value_residual. */
void session_task_value(Task *task, uint32_t step);
/* The size of an unknown whose effect is not known; stated: its first value, ... */
double unknown_size_at_start(const double *stated);
/* After unknowns were changed. */
void session_unknowns_changed(Session *session);

/* Conditions of one kind without directions (joint.c).
 * shares: have two of the plan's tasks one set of points? passes: and, with this optimiser, one pass through the network?
 * lead: the earlier task whose points this one has, too, or NULL; those before it must have been created. open: NULL
 * where no two conditions have the same points. add: residuals of its tasks, gradients times 2 factor[task]. */
bool joint_shares(const Problem *problem, const Settings *settings, int a, int b);
bool joint_passes(const Settings *settings);
Task *joint_lead(Session *session, int slot);
Status joint_open(Session *session, Joint **joint, Error *error);
void joint_close(Joint *joint);
bool joint_has(const Joint *joint, const Task *task);
void joint_add(Joint *joint, const double *factor);

/* Draws the sets of one route and fills its directions. */
void route_prepare(Route *route, uint32_t step);
/* Residuals of a route on the points that are there, into route->residual. */
void route_value(Route *route);
/* The kernel's arguments for one point, without jets. set: PLAN_FAMILIES_MAX pointers that the
 * result refers to. */
PdeCombineArgs route_args(const Route *route, int64_t point, const uint32_t **set);

const char *phase_name(Phase phase);
double seconds_now(void);     /* a steady clock */
double cpu_seconds_now(void); /* of this process, all threads */

#endif
