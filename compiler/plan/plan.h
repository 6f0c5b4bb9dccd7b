/* plan.h: how each residual is computed from the network: which directions, to which order, and
 * what is sampled. Numbers in kernels come from here; so do the module's JSON plan and --emit=plan.
 *
 * A Task is a set of residuals that share points: all equations together, or one condition. Its
 * Route says how: directions in blocks (engine.h), jets (numbers made of directional derivatives),
 * sampled sums, and the residuals as expressions in these. The sampled route draws index sets; the
 * exact route has none. */
#ifndef PDE_COMPILER_PLAN_PLAN_H
#define PDE_COMPILER_PLAN_PLAN_H

#include "ir/net_input.h"
#include "ir/problem.h"
#include "terms/split.h"

typedef enum BlockKind {
#define BLOCK(name, engine, follows, what) BLOCK_##name,
#include "runtime/contract/block.def"
    BLOCK_KIND_COUNT
} BlockKind;

/* One entry of a sparse direction, in the indices of its sum. */
typedef struct SparseEntry {
    Ref row; /* among the inputs, from 0; anything where the value is 0 */
    Ref value;
} SparseEntry;

enum { SPARSE_ENTRIES = 32 };

typedef struct Block {
    BlockKind kind;
    uint32_t order;
    int family;      /* UNIT, PAIR, SPARSE */
    uint32_t which;  /* UNIT of a pair family: the first or the second index; SCALAR: which input */
    int with_scalar; /* PAIR: the second direction is this scalar input; -1: the second index */
    bool neighbour;  /* PAIR: the second direction is e_{i + shift} of the same index */
    int64_t shift;   /* UNIT: e_{i + shift} */
    bool apart;    /* UNIT: second derivatives with coefficients that differ from index to index */
    int64_t first; /* PAIR: the first direction is e_{i + first} */
    double sign;   /* PAIR: s */
    Ref index;     /* DENSE, POINT_DENSE, GRAM, GRADIENT: INDEX in entries */
    Ref entries
        [INPUT_VECTORS]; /* the direction's component in each vector; GRAM: the weight; GRADIENT: the
                                   summand f */
    Ref scalar[INPUT_SCALARS]; /* DENSE, POINT_DENSE: components along the scalar inputs; 0: none */
    Ref atom;                  /* GRADIENT: the NET atom d(net, x_index) in entries */
    Ref place[2];              /* SPARSE: INDEX atoms of the sum's indices in sparse */
    uint32_t n_sparse;
    SparseEntry *sparse; /* [n_sparse] */
} Block;

typedef enum JetKind {
    JET_LINEAR,  /* sum of coef * D^order N[direction] */
    JET_GRAM,    /* sum over the block of D2 N[v, v] */
    JET_SQUARES, /* sum over the block of (D N[v])^2 */
    JET_GRADIENT /* sum over all i of f(D_i N), from the sweep; differentiated through one direction */
} JetKind;

typedef struct JetPart {
    uint32_t block, order;
    double coef;
} JetPart;

typedef struct Jet {
    JetKind kind;
    Ref atom; /* the NET node or placeholder this number stands for */
    uint32_t output;
    uint32_t n; /* parts; 0: the value of the network itself */
    JetPart part[6];
} Jet;

typedef VEC(Jet) Jets;

/* S = |K|/|I| * sum over the sampled indices of body; the residual holds `placeholder` for it. */
typedef struct SampledSum {
    uint32_t family;
    Ref placeholder, body;
    Ref index[2];
    Jets jet; /* those that move with the index */
} SampledSum;

typedef struct Route {
    const char *unavailable; /* NULL: available; else why not */
    Span where;
    VEC(Block) block;
    VEC(SampledSum) sum;
    Jets jet;      /* those of the point */
    Ref *residual; /* [n_residuals] in jets' atoms, placeholders and data */
} Route;

typedef enum TaskKind {
    TASK_EQUATION,
    TASK_BOUNDARY,
    TASK_INITIAL,
    TASK_TERMINAL,
    TASK_OBSERVE,
    TASK_CONSTRAINT,
    TASK_NORM,
    TASK_REPORT
} TaskKind;

/* Does it have a row of Problem.condition? */
static inline bool plan_is_condition(TaskKind kind) {
    return kind != TASK_EQUATION && kind != TASK_NORM && kind != TASK_REPORT;
}

typedef struct Task {
    TaskKind kind;
    uint32_t n_residuals;
    uint32_t row; /* of Problem.condition or Problem.report */
    Sym *name;    /* [n_residuals], 0: unnamed */
    Families family;
    bool squares; /* the residual is a mean of squares already: its own mean is the loss */
    Route sampled, exact;
    struct Ascent *ascent; /* NULL: not asked for */
} Task;

typedef struct Plan {
    VEC(Task) task;
} Plan;

/* The placeholder of a jet or sum: an AUX atom that no user name can equal. */
bool plan_is_placeholder(const Ir *ir, Ref e);
const char *plan_block_name(BlockKind kind);
/* e where the indices are within their family: guards that hold there are gone. */
Ref plan_within(Ir *ir, const Family *family, const Ref *index, Ref e);
/* DENSE or POINT_DENSE, by what the components depend on. */
BlockKind plan_dense_kind(Ir *ir, const Block *block);

#endif
