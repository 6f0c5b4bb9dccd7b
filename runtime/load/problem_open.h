/* problem_open.h: a module made ready to run: dims and params with their values, kernels compiled for
 * them, random and data constants drawn or read, domain and index families evaluated.
 * Constant after problem_open. */
#ifndef PDE_RUNTIME_LOAD_PROBLEM_OPEN_H
#define PDE_RUNTIME_LOAD_PROBLEM_OPEN_H

#include "contract/kernel_abi.h"
#include "files/modfile.h"
#include "load/jit.h"
#include "load/plan_read.h"
#include "options/config.h"

typedef void PointKernel(const PdePointArgs *args);
typedef void CombineKernel(const PdeCombineArgs *args);
typedef void NumbersKernel(double *out);

/* The functions of one precision; those the plan does not need are NULL. */
typedef struct Kernels {
    Jit *jit;
    PointKernel *points[PLAN_TASKS_MAX];
    PointKernel *ascent[PLAN_TASKS_MAX];
    CombineKernel *combine[PLAN_TASKS_MAX], *exact[PLAN_TASKS_MAX];
    PointKernel *direction[PLAN_TASKS_MAX][PDE_MAX_BLOCKS]; /* of Gram blocks: their weights */
    PointKernel *exact_direction[PLAN_TASKS_MAX][PDE_MAX_BLOCKS];
    CombineKernel *sparse[PLAN_TASKS_MAX][PDE_MAX_BLOCKS];
    NumbersKernel *loss_weight[PLAN_TASKS_MAX], *report[PLAN_TASKS_MAX];
    PointKernel *sample[PLAN_SAMPLES_MAX];
    PointKernel *evaluate, *features, *inside;
    PointKernel *process, *process_matrix, *edge[PLAN_EDGES_MAX];
    CombineKernel *fields;
    NumbersKernel *place[PLAN_REFERENCES_MAX];
    PointKernel *known[PLAN_REFERENCES_MAX];
} Kernels;

typedef struct Family {
    int64_t first[2], count[2]; /* first value (from 0) and number of values of each index */
    int64_t size;               /* |K| */
} Family;

/* A coordinate vector and its domain, as numbers. */
typedef struct Space {
    PlanDomain domain;
    int64_t d, first;       /* its coordinates are rows first .. first + d - 1 of a point */
    double argument[3];     /* of the domain; argument[0] is d */
    const double *semiaxis; /* [d]: the argument that is indexed; NULL: none is */
    const bool *
        reflects; /* [2 d]: are paths of the error's process reflected at the ends of a coordinate, or in the
                           * first place at the inner and the outer sphere? NULL: reflects_all says it */
    bool reflects_all;
} Space;

/* owner of everything in it; release with problem_close. */
typedef struct Problem {
    ModuleFile module;
    Plan plan; /* with the values of --set */
    PdePrecision precision;
    int spaces;
    Space space[PLAN_SPACES_MAX];
    int64_t d, n_in, aux_rows;       /* coordinates of all spaces; n_in: and time */
    int64_t inputs, vector_inputs;   /* of the network; those that belong to coordinates */
    int64_t aux_first[PLAN_AUX_MAX]; /* row of each auxiliary */
    int outputs;
    int64_t observations[PLAN_TASKS_MAX]; /* of an observation: how many there are */
    double
        *observed[PLAN_TASKS_MAX]; /* [observations][n_in + data]: place, time and data of each */
    int64_t face[PLAN_TASKS_MAX]
                [PLAN_FACES_MAX]; /* coordinate of each part of a boundary; -1: any or none */
    bool *
        exit_reflects; /* [2 d], what the spaces point into; NULL: one condition holds everywhere */
    int exit_edge; /* the one condition on the boundary, if there is one: of plan.process.edge */
    int *
        exit_edge_of; /* [2 d]: that at the lower and the upper end of each coordinate, or in the first place of a
                        * space at its inner and outer sphere; NULL: exit_edge everywhere */
    const char *exit_refusal; /* why paths cannot end on this boundary; NULL: they can */
    double time[2];           /* the time interval */
    double *semiaxis;         /* [d], what the spaces point into; NULL: no argument is indexed */
    Family family[PLAN_TASKS_MAX][PLAN_FAMILIES_MAX];
    double unknown[PLAN_UNKNOWNS_MAX][3];    /* initial value, lower and upper bound */
    double known_unknown[PLAN_UNKNOWNS_MAX]; /* `exact` or `reference` of each; NaN: not stated */
    Kernels kernels;
    Kernels reference; /* double, for exact solutions; the same functions if precision is double */
    int64_t tensor_size[PLAN_TENSORS_MAX];
    void *tensor[PLAN_TENSORS_MAX]; /* real */
    double *tensor64[PLAN_TENSORS_MAX];
    bool from_cache;
} Problem;

/* Reads --set and the cache. The module must have been read; it is taken over, also on failure. */
Status problem_open(ModuleFile *module, const Config *config, PdePrecision precision,
                    Problem *problem, Error *error);
/* The same from a copy of the module, which stays the caller's. */
Status problem_open_again(const ModuleFile *module, const Config *config, PdePrecision precision,
                          Problem *problem, Error *error);
void problem_close(Problem *problem);

/* The module's watching kernels (kernel_abi.h), bound like the others; release with jit_destroy. False: the
 * module has none, or they do not load. */
bool problem_watching(const Problem *problem, Kernels *kernels, PdeWatch **watch);

/* Values of dims and params by the names that generated source has for them; returns how many. */
enum { PROBLEM_CONSTANTS_MAX = PLAN_DIMS_MAX + PLAN_PARAMS_MAX };
size_t problem_constants(const Plan *plan, JitConstant *constant);

bool problem_has_exact(const Problem *problem); /* for every field */
int64_t problem_groups(int64_t points);         /* of PDE_LANES points */

#endif
