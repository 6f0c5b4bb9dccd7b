/* natural_abi.h: arguments of the kernels of the natural-gradient step (kernels/natural_*.cuh);
 * after engine_abi.h and with its conventions. Names of the mathematics are those of
 * runtime/step/natural/natural.h and runtime/engine/kernels/natural_state.h; cuda/optimise/device_natural.h says what differs on a
 * device. */
#ifndef PDE_RUNTIME_CUDA_ABI_NATURAL_ABI_H
#define PDE_RUNTIME_CUDA_ABI_NATURAL_ABI_H

enum {
    DEV_QUEUE = 256, /* iterations that may be queued before the host waits */
    DEV_PANEL = 32,  /* columns of a panel of the Cholesky factor */
    DEV_RUN = 256    /* coordinates whose products are summed in the number type */
};

/* ---------------------------------------------------------------------------- state of a step */

typedef struct DevNatural {
    double caution; /* what damping is multiplied with */
    double lambda;
    double promised; /* the loss that the linear model has after the step */
    int64_t done;    /* iterations of those queued that are over */
    int64_t tries;   /* that this iteration had before */
    int64_t over;    /* this try ended its iteration */
    int64_t failed;  /* K + lambda has no factor */
    int64_t undone;  /* the step made the loss larger: parameters come back */
    int64_t forget;  /* and the momentum is dropped */
} DevNatural;

typedef struct DevQueue {
    DevNow *queue; /* [DEV_QUEUE] */
    int64_t at;
    DevNow now;
} DevQueue;

typedef struct DevTry {
    DevState *state;
    DevNatural *natural;
    const DevNow *queue;
} DevTry;

/* own = (own +) factor * residual; r = value_factor * value, or own where there is no value */
typedef struct DevResidual {
    double *own, *r;
    const DevReal *residual, *value;
    int64_t n;
    double factor, value_factor;
    int32_t add;
} DevResidual;

/* A block for each row: q and its seeds become the root of q and its seeds; zeros where q is 0. */
typedef struct DevRoot {
    DevReal *residual, *seed_n, *seed_d[4], *seed_unknown; /* NULL: not wanted */
    int64_t outputs, directions, unknowns;                 /* numbers of each */
} DevRoot;

typedef struct DevLossRows {
    DevState *state;
    const double *own, *r;
    int64_t rows;
} DevLossRows;

/* lambda, and whether the step is refused because a number is not finite */
typedef struct DevDamp {
    DevState *state;
    DevNatural *natural;
    const double *k;
    int64_t rows;
    double damping;
} DevDamp;

/* The rate that the bound on the step's length leaves, and the promise. */
typedef struct DevRate {
    DevState *state;
    DevNatural *natural;
    const double *r, *along, *sol;
    int64_t rows;
    const double *phi, *theta; /* partial sums of squares */
    int64_t partials;
    double limit;
} DevRate;

typedef struct DevJudge {
    DevState *state;
    DevNatural *natural;
    const double *after;
    int64_t rows;
} DevJudge;

/* With natural: back from the copies if the step was undone; without: into them. */
typedef struct DevKeep {
    const DevNatural *natural;
    DevReal *theta, *phi, *kept_theta, *kept_phi;
    int64_t n;
} DevKeep;

typedef struct DevKeepUnknown {
    const DevNatural *natural;
    double *value, *phi, *kept; /* kept: [2][unknowns] */
    DevReal *seen;
    int64_t unknowns;
} DevKeepUnknown;

/* columns[rows][unknowns] (+)= factor * size of the unknown * seed */
typedef struct DevUnknownRows {
    double *columns;
    const double *limit, *value;
    const DevReal *seed;
    int64_t n, unknowns;
    double factor;
    int32_t add;
} DevUnknownRows;

typedef struct DevUnknownMove {
    const DevState *state;
    const double *columns, *sol, *limit;
    double *value, *phi;
    DevReal *seen;
    int64_t rows, unknowns;
} DevUnknownMove;

/* ------------------------------------------------------------------------- vectors, directions */

/* A vector of every point of a task, with a seed of h numbers in each row: x, a dense direction. */
typedef struct DevCarrier {
    int64_t vector0, bar0, row0, rows, residuals;
} DevCarrier;

/* A direction of all points: none, coordinates, a vector, or one of a Gram block. */
enum { DEV_JOINT_NONE, DEV_JOINT_SPARSE, DEV_JOINT_DENSE, DEV_JOINT_GRAM };

typedef struct DevJoint {
    int64_t kind, halves;
    const uint32_t *index;
    const DevReal *coefficient; /* of the second half */
    int64_t vector;             /* dense: its number */
    const DevReal *column;      /* Gram: its products with all joint directions, h apart */
} DevJoint;

/* partial[chunk][n][n] = v v' over a chunk of coordinates; the tiles of the upper half */
typedef struct DevVectors {
    const DevReal *const *group; /* 16 vectors each: [n_in][PDE_LANES] */
    double *partial;
    int64_t n, n_in, chunk;
} DevVectors;

typedef struct DevJoinDouble {
    double *to;
    const double *from;
    int64_t n, parts;
} DevJoinDouble;

/* p[vector][joint] = v . y, without the columns of Gram blocks */
typedef struct DevProducts {
    DevReal *p;
    const DevJoint *joint;
    const DevReal *const *group;
    const double *square; /* v . v, its upper half */
    int64_t vectors, directions;
} DevProducts;

/* to[joint][h] = rows of w as directions name them, times weight[i] if there is one */
typedef struct DevJointRows {
    DevReal *to;
    const DevJoint *joint;
    const DevReal *w, *weight;
    const DevReal *along; /* of dense directions; NULL: zero */
    int64_t directions, h;
} DevJointRows;

/* m[joint][joint] = y . y, without the products of two Gram blocks */
typedef struct DevJointSquare {
    DevReal *m;
    const DevReal *p;
    const DevJoint *joint;
    int64_t directions, h;
} DevJointSquare;

typedef struct DevTimes {
    DevReal *to;
    const DevReal *a, *b;
    int64_t n;
} DevTimes;

/* Seeds of coordinates that are a point's own: to[row][index][h] += coefficient * from[row][j][h]
 */
typedef struct DevScatter {
    DevReal *to;
    const DevReal *from;
    const uint32_t *index;      /* [points][count][entries] */
    const DevReal *coefficient; /* likewise; NULL: 1 */
    int64_t count, entries, rows, residuals, h, to_row, from_row;
} DevScatter;

/* -------------------------------------------------------------------------------- K and its use */

/* v[row][joint][h] = v / 2 + sum over the row's carriers of p bar' */
typedef struct DevSpread {
    DevReal *v;
    const DevReal *p, *bar;
    const DevCarrier *carrier;
    int64_t carriers, row0, rows, directions, h; /* v has `rows` rows from row0 on */
} DevSpread;

/* k[r][c] (+)= sum over parts of part[r][c], with both also of part[c][r] */
typedef struct DevAddParts {
    double *k;
    const DevReal *part;
    int64_t rows, parts;
    int32_t both, add;
} DevAddParts;

/* k += (v . v) (bar . bar) of all pairs of carriers, and the columns of unknowns */
typedef struct DevGramRest {
    double *k;
    const double *square;
    const DevReal *bars; /* [seeds][seeds] */
    const DevCarrier *carrier;
    const double *columns;
    int64_t carriers, rows, vectors, seeds, unknowns;
} DevGramRest;

/* along (+)= columns of J times phi, a block for each row; what is no column of them with the first
 */
typedef struct DevAlong {
    double *along;
    const DevReal *row, *phi;          /* [rows][n], [n] */
    const DevReal *bar, *vector_along; /* seeds; [vectors][h] */
    const DevCarrier *carrier;
    const double *columns, *unknown_phi;
    int64_t n, carriers, h, unknowns;
    int32_t add;
} DevAlong;

/* to[column] = sum over rows of sol * from */
typedef struct DevTotal {
    DevReal *to;
    const DevReal *from;
    const double *sol;
    int64_t rows, n, stride;
} DevTotal;

/* to[point][i] = sum over its residuals of sol * from[row][i] */
typedef struct DevSeeds {
    DevReal *to;
    const DevReal *from;
    const double *sol;
    int64_t points, residuals, n, to_point, from_row;
} DevSeeds;

/* ------------------------------------------------------------------------------------- Cholesky */

/* factor = k + lambda, sol = r - mu along */
typedef struct DevShift {
    const DevState *state;
    const DevNatural *natural;
    const double *k, *r, *along;
    double *factor, *sol;
    int64_t rows;
} DevShift;

/* Panel of columns from first on; the inverses of all diagonal blocks are kept. */
typedef struct DevPanel {
    DevNatural *natural;
    double *factor, *inverse; /* [rows][rows]; [panels][DEV_PANEL][DEV_PANEL] */
    int64_t rows, first;
} DevPanel;

typedef struct DevTriangle {
    const double *factor, *inverse;
    double *sol;
    int64_t rows;
} DevTriangle;

#endif
