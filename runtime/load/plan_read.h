/* plan_read.h: the section .pde.plan of a module as structs.
 *
 * What pdec found in the problem: sizes, laws, tasks (a residual with its points), index families
 * that can be sampled, and the directions along which a task needs the network's derivatives.
 * Everything is range-checked here, so the rest of the runtime indexes without looking. */
#ifndef PDE_RUNTIME_LOAD_PLAN_READ_H
#define PDE_RUNTIME_LOAD_PLAN_READ_H

#include "engine/engine.h"
#include "files/buffer.h"

#include <stdint.h>

enum {
    PLAN_DIMS_MAX = 16,
    PLAN_PARAMS_MAX = 64,
    PLAN_FIELDS_MAX = 16,
    PLAN_UNKNOWNS_MAX = 64,
    PLAN_TENSORS_MAX = 32,
    PLAN_SPACES_MAX = 8, /* as in compiler/base/limits.def */
    PLAN_FACES_MAX = 16, /* the same */
    PLAN_AUX_MAX = 16,
    PLAN_SAMPLES_MAX = 32,
    PLAN_TASKS_MAX = 16,
    PLAN_RESIDUALS_MAX = 16,
    PLAN_FAMILIES_MAX = 8,
    PLAN_SOURCES_MAX = 16,
    PLAN_REFERENCES_MAX = 16,
    PLAN_SCALARS_MAX = 4096,
    PLAN_VECTORS_MAX = 8,
    PLAN_INPUTS_MAX = PLAN_VECTORS_MAX + 16, /* vectors, and features that are numbers */
    PLAN_REASONS_MAX = 64,
    PLAN_SPARSE_MAX = 64, /* entries of a sparse direction */
    PLAN_NAME_MAX = 64    /* bytes of a name that becomes part of a symbol */
};

typedef enum PlanDomain {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, parts, said, others,      \
               text)                                                                               \
    DOMAIN_##name,
#include "contract/domain.def"
    DOMAINS
} PlanDomain;

typedef enum PlanLaw {
#define LAW(name, entry, point, argument_names, text) LAW_##name,
#include "contract/law.def"
    LAWS
} PlanLaw;

/* PLAN_TASK_KINDS(ROW): ROW(name, points on the boundary, time fixed at: 0 no, 1 start, 2 end) */
#define PLAN_TASK_KINDS(ROW)                                                                       \
    ROW(equation, false, 0)                                                                        \
    ROW(boundary, true, 0)                                                                         \
    ROW(initial, false, 1)                                                                         \
    ROW(terminal, false, 2)                                                                        \
    ROW(observe, false, 0)                                                                         \
    ROW(constraint, false, 0)                                                                      \
    ROW(norm, false, 0)                                                                            \
    ROW(report, false, 0)

typedef enum PlanTaskKind {
#define ROW(name, boundary, time) PLAN_##name,
    PLAN_TASK_KINDS(ROW)
#undef ROW
        PLAN_KINDS
} PlanTaskKind;

typedef enum PlanBlockKind {
#define BLOCK(name, engine, follows, what) BLOCK_##name,
#include "contract/block.def"
    BLOCK_KINDS
} PlanBlockKind;

/* coef * dim + constant; dim < 0: the constant alone */
typedef struct PlanExtent {
    int dim;
    int64_t coef, constant;
} PlanExtent;

/* A coordinate vector. The coordinates of all stand one after the other in a point, the time last. */
typedef struct PlanSpace {
    const char *name;
    PlanExtent d;
    PlanDomain domain;
} PlanSpace;

typedef struct PlanDim {
    const char *name;
    int64_t value, least; /* least: pdec relied on there being so many; 0: on nothing */
} PlanDim;

typedef struct PlanParam {
    const char *name;
    double value;
    bool relied; /* pdec relied on this very value */
} PlanParam;

/* A param that stands for an expression in others: the kernels know it as that. */
typedef struct PlanFollower {
    const char *name, *from;
} PlanFollower;

typedef struct PlanField {
    const char *name;
    int output;
    int exact_scalar; /* of the evaluation's point program; -1: no exact solution */
    int set;          /* of the variables that it may depend on */
    bool
        free_constant; /* the problem does not see a constant that is added: errors do not either */
} PlanField;

typedef struct PlanTensor {
    const char *name;
    int rank; /* 0: a number, 1 or 2 */
    PlanExtent extent[2];
    PlanLaw law;
    uint64_t seed;
    bool legacy;        /* generator mt19937 */
    const char *file;   /* data: where pdec found it, an absolute path; NULL: random */
    const char *stated; /* data: the name in the problem; NULL: as file */
} PlanTensor;

typedef struct PlanAux {
    const char *name;
    PlanExtent rows;
    bool observed; /* no law: an observation brings it */
} PlanAux;

typedef enum PlanTarget { TARGET_SPACE, TARGET_TIME, TARGET_AUX } PlanTarget;
typedef enum PlanBase { BASE_DOMAIN, BASE_NORMAL, BASE_UNIFORM } PlanBase;

typedef struct PlanSample {
    bool test;
    PlanTarget target;
    int aux;   /* TARGET_AUX: which */
    int space; /* TARGET_SPACE: which */
    PlanLaw law;
    PlanLaw inner; /* of radial */
    PlanBase base; /* what pde_sample_S transforms; BASE_DOMAIN: the runtime draws the law itself */
} PlanSample;

typedef struct PlanFamily {
    int indices;  /* 1 or 2 */
    bool ordered; /* i < j */
} PlanFamily;

typedef struct PlanBlock {
    PlanBlockKind kind;
    int order;
    int family;       /* unit, pair */
    int position;     /* unit of a two-index family: 0 is i, 1 is j */
    int64_t shift;    /* unit: e_{i + shift} */
    bool uniform;     /* unit: second derivatives count by their sum alone */
    int64_t first;    /* pair: the first direction is e_{i + first} */
    int sign;         /* pair: e_i + sign e_j */
    bool neighbour;   /* pair: the second direction is e_{i + shift} */
    bool with_scalar; /* pair: e_i + sign e_s, s a scalar input */
    int which;        /* time, pair with a scalar: which scalar input of the network */
    int output;       /* gradient: of this output of the network */
    int entries;      /* sparse: of each direction */
} PlanBlock;

typedef enum PlanSide { SIDE_low, SIDE_high, SIDE_both, PLAN_SIDES } PlanSide;

/* A part of the boundary of one space's domain: the low or the high end of a coordinate of a box, the inner or the
 * outer sphere of an annulus, `outer` of another domain (high), or all of it. */
typedef struct PlanFace {
    int space;
    PlanSide side;
} PlanFace;

/* Direction blocks and the combine kernel that reads them. */
typedef struct PlanRoute {
    int blocks;
    PlanBlock block[PDE_MAX_BLOCKS];
} PlanRoute;

typedef struct PlanTask {
    PlanTaskKind kind;
    const char *name;
    const char *text; /* report: what is reported, as it was written */
    int observed,
        first_observed; /* observation: its data, and which auxiliary is the first of them */
    int faces;          /* boundary: the parts where it holds; 0: all of it */
    PlanFace face[PLAN_FACES_MAX];
    double weight;
    bool claims;  /* the exact solution solves it by the file's numbers, not by construction */
    bool squares; /* residuals are means of squares already: their mean is the loss; if there is an
                     exact route it is the one to use, and the sampled one has the single entries */
    int residuals;
    const char *residual[PLAN_RESIDUALS_MAX];
    int scalars;
    int families;
    PlanFamily family[PLAN_FAMILIES_MAX];
    PlanRoute sampled;
    const char *unavailable; /* why there is no sampled route; NULL: there is */
    bool has_exact;
    PlanRoute exact;
    bool has_ascent;       /* the module has pde_ascent_M for points that climb the residual */
    const char *no_ascent; /* why not, where it was asked for */
    int64_t frozen, frozen_arrays; /* rows that it reads: numbers, and arrays of d */
} PlanTask;

typedef struct PlanSource {
    const char *name;
    int task, scalar;
} PlanSource;

/* A known value of a field at one point. */
typedef struct PlanReference {
    int id; /* R of the kernels pde_place_R and pde_reference_R */
    int field;
} PlanReference;

/* The process along whose paths the error of a solution is estimated (compiler/terms/process.h). */
typedef enum PlanProcessClass {
    PROCESS_none,
    PROCESS_elliptic,
    PROCESS_terminal,
    PROCESS_initial,
    PROCESS_CLASSES
} PlanProcessClass;

enum { PLAN_RANKS_MAX = 4, PLAN_EDGES_MAX = 18 };

typedef struct PlanEdge {
    PlanTaskKind where; /* boundary, initial or terminal */
    int task;           /* -1: the trial function meets the condition */
    bool reflects;
    int faces; /* boundary: the parts where it holds; 0: all of it */
    PlanFace face[PLAN_FACES_MAX];
} PlanEdge;

typedef struct PlanProcess {
    PlanProcessClass class;
    const char *why; /* none: the reason, or NULL in modules that know of no process */
    int ranks, edges;
    bool matrix, diffuses, linear, logarithm; /* logarithm: errors are those of the field's */
    PlanEdge edge[PLAN_EDGES_MAX];
    double low, high; /* the solution lies between them, by comparison; infinite: not known */
    int64_t
        asked[PLAN_TASKS_MAX]; /* by the reports: 0 the field, k its derivative by x_k, -1 else */
} PlanProcess;

/* Which of the ways to solve the problem this module is: "written" is the file as it stands, any other name a
 * variant with statements that pdec added or changed (compiler/variants). */
typedef struct PlanVariant {
    const char *name;
    int reasons;
    const char *because[PLAN_REASONS_MAX];
    const char *statements; /* what was added, in the language */
} PlanVariant;

/* owner of document, which the names point into; release with plan_free. */
typedef struct Plan {
    const char *title;
    int dims, params, fields, unknowns, tensors, auxes, samples, tasks, sources, references;
    int reports; /* values that are asked for: task[tasks ..] */
    int watched; /* 1: behind them a norm that is no loss, from which a run sees where its function lies */
    PlanDim dim[PLAN_DIMS_MAX];
    PlanParam param[PLAN_PARAMS_MAX];
    int followers;
    PlanFollower follower[PLAN_PARAMS_MAX];
    int spaces;
    PlanSpace space[PLAN_SPACES_MAX];
    bool inside; /* the module has pde_belongs: not all points of the spaces belong to the domain */
    const char *time;  /* NULL: none */
    bool linear;       /* its kernels hold for networks without activation only */
    bool has_features; /* the network sees functions of the point instead of the point */
    int vectors; /* the spaces, or the vector features: the first inputs, one after the other */
    PlanExtent vector[PLAN_VECTORS_MAX];
    int scalar_inputs; /* inputs of the network after those: time, or scalar features */
    /* Fields of fewer variables: input k of these (vectors, then scalars) is seen by the sets in reach[k], as bits;
     * sets: how many there are, 0: all fields see everything. */
    int sets, reaches;
    int64_t reach[PLAN_INPUTS_MAX];
    PlanField field[PLAN_FIELDS_MAX];
    const char *unknown[PLAN_UNKNOWNS_MAX];
    int eigen; /* the one, from 1, that is the smallest eigenvalue; the field is an exponential of the output. 0: none */
    PlanTensor tensor[PLAN_TENSORS_MAX];
    PlanAux aux[PLAN_AUX_MAX];
    PlanSample sample[PLAN_SAMPLES_MAX];
    PlanTask task[PLAN_TASKS_MAX];
    PlanSource source[PLAN_SOURCES_MAX];
    PlanReference reference[PLAN_REFERENCES_MAX];
    PlanProcess process;
    bool automatic; /* the file names no network and no method: both may be chosen */
    PlanVariant variant;
    int evaluate_task, evaluate_scalars; /* evaluate_task: the number in pde_points_N */
    void *document;
} Plan;

/* STATUS_MODULE_CONTENT, naming the key, if anything is missing or out of range. */
Status plan_parse(Bytes json, Plan *plan, Error *error);
void plan_free(Plan *plan);

/* The extent with the plan's present dims; may be negative for dims that are too small. */
int64_t plan_extent(const Plan *plan, PlanExtent extent);
int64_t plan_coordinates(const Plan *plan); /* of all spaces */
/* Coordinate i as the user calls it, counted from 1: "x_3"; the time by its name. */
enum { PLAN_COORDINATE_MAX = 96 };
const char *plan_coordinate_name(const Plan *plan, int64_t i, char out[PLAN_COORDINATE_MAX]);
int plan_outputs(const Plan *plan); /* of the network */

const char *plan_domain_name(PlanDomain domain);
const char *plan_task_kind_name(PlanTaskKind kind);
const char *plan_block_kind_name(PlanBlockKind kind);
bool plan_block_follows_family(PlanBlockKind kind);
/* Has terms that are sampled or summed as the algorithm says? A condition on vectors that can be had in
 * full has none: then it is. */
bool plan_task_has_terms(const PlanTask *task);
/* Residuals, reports, and the norm that is watched. */
int plan_all_tasks(const Plan *plan);
bool plan_is_bounded(PlanDomain domain);
/* What a condition can name of it: contract/domain_part.h. */
int plan_boundary_parts(PlanDomain domain);
PdeDirectionKind plan_block_engine_kind(PlanBlockKind kind);

#endif
