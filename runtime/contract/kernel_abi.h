/* kernel_abi.h: how generated kernels look to the runtime. Generated source repeats these
 * declarations (it compiles alone); a test compiles both together.
 *
 * `real` is float or double: the source is compiled once for each. Dimensions and parameters are
 * external constants of the bitcode (`const int64_t pde_dim_d; const double pde_param_T;`) that the
 * JIT fills in before optimising. Points come in groups of PDE_LANES, x[n_in][PDE_LANES]; time, if
 * there is any, is the last input row; auxiliary samples are aux[n_aux][PDE_LANES].
 *
 * Indices handed to kernels count from 0, at the first value of their family's range.
 *
 * Functions of a module (M a task, B a direction block of it, F an index family of it):
 *   int32_t pde_constants(double *out)         domain arguments (3), time interval (2): 5 numbers
 *   void pde_family_M_F(int64_t lo_hi[4])      first and last value (1-based) of the one or two indices;
 *                                              for ordered pairs (i < j) both ranges are the same
 *   void pde_points_M(const PdePointArgs *)    scalars of one group of points, everything that
 *                                              depends on x and constants only
 *   void pde_combine_M(const PdeCombineArgs *) one point: jets to residuals and seeds, sampled sums
 *   void pde_exact_M(const PdeCombineArgs *)   the same for the exact route, where the plan has one
 *   void pde_ascent_M(const PdePointArgs *)    where the plan has it: out[n_in][PDE_LANES] is the gradient of
 *                                              sum R^2 / 2 by the coordinates and the time
 *   void pde_direction_M_B(const PdePointArgs *)  dense direction: out[n_in][PDE_LANES] of a group
 *                                              (shared: lane 0 only is meaningful, x is NULL);
 *                                              EXACT route: pde_exact_direction_M_B
 *   void pde_gradient_M_B(const PdePointArgs *)  gradient block: out is the direction, value the sum;
 *                                              EXACT route: pde_exact_gradient_M_B
 *   void pde_sparse_M_B(const PdeCombineArgs *)  sparse block: the directions of one point, for the
 *                                              terms in set
 *   void pde_weight_M_B(const PdePointArgs *)  Gram weights out[n_in] of the exact route
 *   void pde_features(const PdePointArgs *)    where the plan has features: out[n_in][PDE_LANES] is what the
 *                                              network sees; directions and Gram weights then count
 *                                              the network's inputs, x and normals the coordinates
 *   void pde_sample_S(const PdePointArgs *)    sample statement S: out[rows][PDE_LANES] holds standard
 *                                              normals or uniforms of (0, 1) and is turned into the law
 *   void pde_semiaxes(const PdePointArgs *)    where an argument of the domain is indexed: out[d][PDE_LANES], its entries;
 *                                              only tensor is there
 *   void pde_fields(const PdeCombineArgs *)    values of the fields: residual[f] = u_f
 *   void pde_tensor_T(double *out)             law arguments (2) of random constant T
 *   void pde_place_R(double *out)              reference R: its point, [d] coordinates and then time
 *   void pde_report_M(double *out)             task M is a report: its point
 *   void pde_reference_R(const PdePointArgs *) reference R: out[2], in double: the value of the field
 *                                              there and its standard error, 0 where it is exact
 *   void pde_unknowns(double *out)             initial value, lower and upper bound of each unknown
 * and where the plan has a tensor network, in double:
 *   void pde_tnn_functions(const PdeTensorArgs *)   out[1 + 2 pairs][count][nodes]: potential, factors
 *   void pde_tnn_dimensions(const PdeTensorArgs *)  out[4][count]: walls, kinetic factor, natural length
 *   void pde_tnn_numbers(const PdeTensorArgs *)     out[2]: constant of the operator, exact eigenvalue
 *                                              (or NaN) */
#ifndef PDE_RUNTIME_CONTRACT_KERNEL_ABI_H
#define PDE_RUNTIME_CONTRACT_KERNEL_ABI_H

#ifndef PDE_CUDA
#include <stdint.h>
#endif

/* One group of points. */
typedef struct PdePointArgs {
    const void *x;             /* real[n_in][PDE_LANES] */
    const void *aux;           /* real[n_aux][PDE_LANES] or NULL */
    const void *normal;        /* real[d][PDE_LANES]: outward normals, boundary tasks only */
    const void *const *tensor; /* random and data constants in the plan's order: real[] */
    const void *unknown;       /* real[n_unknowns] */
    const void *gradient;      /* real[n_in][PDE_LANES]: dN/dx of an output, gradient blocks only */
    const double *output_scale; /* per output, gradient blocks only */
    void *out;
    void *value; /* gradient blocks: real[PDE_LANES], the sum itself; ascent: frozen rows */
    const void *const
        *bar;       /* ascent: adjoints real[n_in][PDE_LANES] of the directions of each block that
                                  depends on the point, then of the inputs */
    int64_t bar_at; /* numbers from what bar points at to this group's: on a device, else 0 */
} PdePointArgs;

/* One point: lane `lane` of a group. Jets are those of the engine (engine.h): n[o], and for order m
 * d[m - 1][o * directions + k]; the directions of block B start at block[B]. */
typedef struct PdeCombineArgs {
    const void *x, *aux, *normal;
    const void *const *tensor;
    const void *unknown;
    const void *scalar; /* real[n_scalars][PDE_LANES] from pde_points_M */
    int64_t lane;
    const uint32_t *const *set;  /* per family: sampled indices [count] or pairs [count][2], counted
                                     from 0 at the first of their range */
    const int64_t *count;        /* per family: how many */
    const double *factor;        /* per family: |K| / |I| */
    const int64_t *block;        /* first direction of each block; [n_blocks] is past the last */
    const double *const *weight; /* per block: weights of its directions; NULL: all 1 (Gram) */
    const void *sweep;           /* real[n_blocks][PDE_LANES]: sums of the gradient blocks */
    int64_t directions;          /* K of the engine's batch */
    const double *output_scale;  /* per output: the network's value is this times the engine's */
    const void *n;               /* real[n_out] */
    const void *d[4];            /* real[n_out][directions] */
    void *residual;              /* real[n_residuals] */
    void *seed_n;                /* real[n_residuals][n_out]; NULL: values only */
    void *seed_d[4];             /* real[n_residuals][n_out][directions], zeroed */
    void *seed_unknown;          /* real[n_residuals][n_unknowns] */
    void *frozen; /* real[rows][PDE_LANES] of the group, or NULL: what pde_ascent_M reads */
    uint32_t
        *sparse_row; /* pde_sparse_M_B: [count][entries] inputs that a direction moves, from 0, */
    void *sparse_value; /* and real[count][entries]: how fast */
} PdeCombineArgs;

/* Watching kernels (sections .pde.wt32 and .pde.wt64) are the same functions, slower: each of their
 * intermediate values is looked at, and PdeWatch *pde_watch(void) gives what was seen. One thread. */
typedef struct PdeWatchRow {
    uint32_t begin, end;  /* bytes of the .pde text it comes from; equal: of none */
    uint32_t first, uses; /* the rows it is computed from: edge[first .. first + uses) */
    uint32_t root;        /* a result of its function */
    const char *what;     /* in the language's notation; "": too long to show */
} PdeWatchRow;

typedef struct PdeWatch {
    const char *file; /* the name of the .pde file */
    int64_t lane;     /* set by the caller: which point of a group is watched */
    int64_t rows;
    const PdeWatchRow *row;
    const uint32_t *edge;
    const uint32_t *scalars; /* per task: how many its point program writes here */
    int64_t seen;            /* rows found non-finite so far; the caller sets it and order[] to 0 */
    int64_t *order;          /* [rows] 0: finite; else the how-many-th it was */
    double *index;           /* [rows] value of the innermost index there, from 1; 0: none */
    double *value;           /* [rows] what it was */
} PdeWatch;

/* Some dimensions of a tensor network, at the same number of nodes each. */
typedef struct PdeTensorArgs {
    const double *const *tensor; /* random and data constants */
    int64_t first, count;        /* dimensions, from 0 */
    int64_t nodes;
    const double *y; /* [count][nodes] */
    double *out;
} PdeTensorArgs;

#endif
