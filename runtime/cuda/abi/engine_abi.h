/* engine_abi.h: arguments of the engine's own kernels (kernels/), each of which takes one of these
 * structs by value. Included by the host code of runtime/cuda/ and placed before the kernels that
 * NVRTC compiles, after engine/optim_rule.h. All pointers are device pointers; strides and counts are numbers of elements.
 *
 * Matrices are row-major. Parameters and what has their shape are in the canonical order of
 * engine.h. `points` is the number of points of a tile of a batch, `first` its first point. */
#ifndef PDE_RUNTIME_CUDA_ABI_ENGINE_ABI_H
#define PDE_RUNTIME_CUDA_ABI_ENGINE_ABI_H

#ifndef PDE_DEVICE_REAL
#define PDE_DEVICE_REAL void /* on the device: real */
#endif

typedef PDE_DEVICE_REAL DevReal;

enum {
    DEV_THREADS = 256, /* of a block of an elementwise kernel */
    DEV_WIDE = 32, /* blocks of DEV_WIDE x DEV_TALL threads: columns, and rows that share a sum */
    DEV_TALL = 8,
    DEV_TILE = 64,   /* rows and columns of a tile of a product */
    DEV_DEEP = 16,   /* its steps through shared memory */
    DEV_CHUNK = 4096 /* coordinates of a partial sum of squares */
};

/* ---------------------------------------------------------------------------- state of a step */

/* What differs from step to step; everything else of a launch is fixed. */
typedef struct DevNow {
    uint32_t step, draw;  /* draw: the step whose points are used */
    uint32_t point;       /* number of the first of them */
    int64_t updates;      /* number of this update, from 1 */
    PdeRule rule;         /* of a natural step: beta1 is its momentum */
    PdeRule unknown_rule; /* of the unknown numbers: pde_optim_unknowns */
    double average; /* share of the iterates that their mean is over; 0: not after this step */
} DevNow;

typedef struct DevState {
    DevNow now;
    double loss, product;
    int64_t bad;     /* a number of this step is not finite */
    int64_t refused; /* some step was: its update and all later ones are left out */
    uint32_t refused_step;
    int64_t refused_updates;
    int64_t unsolved; /* an eigenproblem of a tensor network had no solution */
} DevState;

typedef struct DevBegin {
    DevState *state;
    DevNow now;
} DevBegin;

typedef struct DevFinite {
    DevState *state;
    const DevReal *v;
    int64_t n;
} DevFinite;

typedef struct DevEnd {
    DevState *state;
    const double *unknown_gradient;
    int64_t unknowns;
} DevEnd;

typedef struct DevLoss {
    DevState *state;
    const DevReal *residual, *value; /* value: R_J, NULL: residual */
    int64_t n;
    double factor;
    int32_t squares; /* residuals are squares already */
} DevLoss;

/* to[i] = keep * to[i] + factor * from[i]; from NULL: ones */
typedef struct DevAxpy {
    DevReal *to;
    const DevReal *from;
    int64_t n;
    double keep, factor;
} DevAxpy;

/* What a rule of optim.def moves: the parameters, and its states, each `stride` after the one before. */
typedef struct DevMoved {
    int64_t kind; /* row of optim.def */
    DevReal *theta, *state;
    int64_t stride;
} DevMoved;

typedef struct DevUpdate {
    const DevState *state;
    DevMoved moved;
    const DevReal *gradient;
    int64_t n;
} DevUpdate;

typedef struct DevUnknownSum {
    double *gradient;          /* [unknowns] */
    const DevReal *multiplier; /* NULL: scale * residual */
    const DevReal *residual, *seed;
    double scale;
    int64_t n, unknowns;
} DevUnknownSum;

typedef struct DevUnknown {
    const DevState *state;
    const double *gradient, *limit; /* limit[unknowns][3]: least size, least value, greatest */
    double *value, *m, *v;
    DevReal *seen;
    int64_t unknowns;
} DevUnknown;

/* partial[block] = sum of squares of a slice; then sum = sum of n partials */
typedef struct DevSquare {
    const DevReal *v;
    int64_t n;
    double *partial;
} DevSquare;

typedef struct DevSum {
    const double *from;
    double *to;
    int64_t n;
} DevSum;

struct DevNatural;

/* mean += (theta - mean) / (share * count) after a step that was taken; count is of the iterates */
typedef struct DevAverage {
    const DevState *state;
    const struct DevNatural *natural; /* NULL: another optimiser */
    int64_t *count;
    DevReal *mean;
    const DevReal *theta;
    int64_t n;
    double *unknown_mean;
    const double *unknown;
    int64_t unknowns;
} DevAverage;

/* square[field] (+)= sum over points of (value - exact)^2 */
typedef struct DevScore {
    double *square;
    const double *exact;  /* [points][fields] */
    const DevReal *value; /* likewise */
    int64_t points, fields;
    int32_t add;
} DevScore;

typedef struct DevClip {
    DevReal *v;
    int64_t n;
    const double *partial;
    int64_t partials;
    double limit;
} DevClip;

/* -------------------------------------------------------------------------------------- points */

typedef struct DevRandom {
    const DevState *state;
    DevReal *out; /* [groups][rows][PDE_LANES], groups `stride` apart */
    int64_t stride, rows, groups;
    uint64_t seed;
    uint32_t stream;
    int32_t normal, by_step; /* by_step: counts with the step, not with the draw */
    int64_t slices;          /* points of a path have its numbers; 0: a point has its own */
} DevRandom;

typedef struct DevNorms {
    const DevReal *x;
    int64_t stride, d, chunks;
    double *partial; /* [groups][chunks][PDE_LANES] */
} DevNorms;

typedef struct DevRadius {
    const DevState *state;
    const double *partial;
    int64_t chunks, points;
    double *factor, *outward; /* [points] */
    double low, high, d;
    int32_t ring, boundary, radial;
    uint64_t seed;
    uint32_t radius_stream, face_stream;
} DevRadius;

typedef struct DevScale {
    DevReal *x, *normal; /* normal: NULL, or outward normals */
    int64_t stride, normal_stride, d, groups;
    const double *factor, *outward;
} DevScale;

typedef struct DevBox {
    const DevState *state;
    DevReal *x, *normal;
    int64_t stride, normal_stride, d, groups;
    double low, high;
    uint64_t seed;
    uint32_t stream;
} DevBox;

typedef struct DevTime {
    const DevState *state;
    DevReal *row;
    int64_t stride, points;
    double start, length; /* length 0: pinned at start */
    uint64_t seed;
    uint32_t stream;
} DevTime;

/* Fractions of the time interval, slice by slice: (slice + past) / slices. */
typedef struct DevSlices {
    DevReal *row;
    int64_t stride, points, slices, past;
    double start, length;
} DevSlices;

/* From independent standard normals to those of paths; a thread for each path and coordinate. */
typedef struct DevWalk {
    DevReal *x;
    const double *keep; /* [slices]: correlation with the slice before */
    int64_t stride, points, slices, d;
} DevWalk;

/* x += size * sign of the slope, kept within the time interval and, in a box, within it. */
typedef struct DevClimb {
    DevReal *x;
    const DevReal *slope;
    int64_t stride, points, rows, d; /* rows: coordinates and time */
    double size, time[2];
} DevClimb;

/* factor[points] that brings points back between two radii. */
typedef struct DevInside {
    const double *partial; /* of DevNorms */
    double *factor;
    int64_t chunks, points, lanes;
    double low, high;
} DevInside;

/* Points back into the domain, in place. */
typedef struct DevProject {
    DevReal *x;
    int64_t stride, points, d;
    double low, high;       /* arguments 1 and 2 of the domain */
    const double *semiaxis; /* [d], or NULL */
} DevProject;

/* ----------------------------------------------------------------- index sets and directions */

typedef struct DevSet {
    const DevState *state;
    uint32_t *set;            /* [points][count][indices] */
    uint64_t *number, *table; /* [points][count], [points][slots] */
    uint64_t size, second;    /* |K|, values of the second index */
    int64_t count;
    uint32_t slots, stream;
    uint64_t seed;
    int64_t slices; /* points of the same slice have the same set; 0: each its own */
    int32_t indices, ordered;
} DevSet;

typedef struct DevEnumerate {
    uint32_t *set;
    uint64_t first, second;
    int64_t count;
    int32_t indices, ordered;
} DevEnumerate;

typedef struct DevDirections {
    const uint32_t *set;
    uint32_t *index;
    DevReal *coefficient;
    int64_t count, d, shift, first;
    uint32_t base[2], scalar;
    int32_t indices, position, pair, with_scalar, neighbour, sign;
} DevDirections;

typedef struct DevProbe {
    DevReal *v; /* [groups][n_in][PDE_LANES], standard numbers */
    const DevReal *weight;
    int64_t n_in, groups, count;
    int32_t normal;
} DevProbe;

/* --------------------------------------------------------------------------------- first layer */

/* partial[chunk][rows][h] = rows of v times W over a chunk of coordinates; entry (row r, coordinate
 * i) of v is at (r / lanes) * stride + i * step + r % lanes, times weight[i] if there is one. */
typedef struct DevProduct {
    const DevReal *v, *weight, *w;
    DevReal *partial;
    int64_t lanes, stride, step, rows, n_in, h, chunk;
} DevProduct;

/* to[i] = sum over parts of from[part * n + i] */
typedef struct DevJoin {
    DevReal *to;
    const DevReal *from;
    int64_t n, parts;
} DevJoin;

/* v' bar of a source with 16 lanes, added to dW1 */
typedef struct DevSource {
    const DevReal *v;
    const DevReal *bar; /* rows of h numbers, bar_step apart */
    int64_t rows, stride, bar_step;
} DevSource;

/* Rows that are added to those rows of dW1 that index names: entry j, half h of `halves`. */
typedef struct DevEntries {
    const uint32_t *index;      /* [count][halves] */
    const DevReal *coefficient; /* [count]: of the second half; NULL: 1 */
    const DevReal *bar;
    int64_t count, halves;
    int64_t each;              /* the coefficients are of all halves: [count][halves] */
    int64_t per, outer, inner; /* its row is at (j / per) * outer + (j % per) * inner */
} DevEntries;

/* weight[i] * product[i - first][h] */
typedef struct DevGramTerm {
    const DevReal *weight, *product;
} DevGramTerm;

typedef struct DevFirst {
    const DevState *state;
    DevMoved moved;
    DevReal *gradient; /* not NULL: stored instead of used */
    const DevSource *source;
    const DevEntries *entries;
    const DevGramTerm *gram;
    int64_t sources, lists, grams;
    int64_t first, end, h; /* coordinates */
} DevFirst;

/* -------------------------------------------------------------------- values, rows and reverse */

/* Rows of the first layer's tangents: from W by index, or from rows of a product. */
typedef struct DevGather {
    DevReal *to; /* [points][rows of a point][h] */
    const DevReal *w, *values, *coefficient;
    const uint32_t *index;
    int64_t points, first, count, h;
    int64_t to_point;                              /* from point to point of `to` */
    int64_t index_point, values_point, values_row; /* of index and values; 0: the same for all */
    int32_t halves;                                /* of an index */
    int32_t each; /* coefficient[points][count][halves], for all halves */
} DevGather;

typedef struct DevActivation {
    const DevReal *z, *bias;
    DevReal *s[6];
    int64_t n, h;
    int32_t order;
} DevActivation;

typedef struct DevBias {
    DevReal *z;
    const DevReal *bias;
    int64_t n, h;
} DevBias;

/* lambda (from the output layer's column if w is given), g = lambda s1, c = lambda s2 */
typedef struct DevAdjoint {
    DevReal *lambda, *g, *c;
    const DevReal *w;
    const DevReal *s1, *s2;
    int64_t n, h, outputs;
} DevAdjoint;

typedef struct DevAdjointBack {
    const DevReal *gbar, *cbar, *lambda, *s1, *s2;
    DevReal *lbar, *s1bar, *s2bar;
    int64_t n;
} DevAdjointBack;

/* first[b][o][k] = v1[b][o] . t[b][k] for k < rows; second (+)= v2[b][o] . t^2, a = t s1, k < rows2
 */
typedef struct DevRows {
    const DevReal *t, *s1;
    DevReal *a;
    const DevReal *v1, *v2;
    DevReal *first, *second;
    int64_t points, rows, rows2, h, outputs;
    int64_t t_point, a_point, v_point, v_output, v_column;
    int64_t d_point, d_output;
    int32_t add;
} DevRows;

/* nbar[b][o] and seed[b][m][k][o] from the residuals' seeds and their multipliers */
typedef struct DevFold {
    const DevReal *residual, *multiplier, *seed_n;
    const DevReal *seed_d[4];
    DevReal *nbar, *seed;
    double scale;
    int64_t points, residuals, outputs, directions;
    int64_t one; /* 1 + the only residual that counts, `scale` times; 0: all by their multipliers */
    int32_t order;
} DevFold;

/* to[o][b][h] = sum_k seed[b][k][o] t[b][k][h] */
typedef struct DevCombineRows {
    DevReal *to;
    const DevReal *t, *seed;
    int64_t points, rows, h, outputs, t_point, seed_point, to_output;
} DevCombineRows;

/* One layer of tangents back, in place: tbar = abar s1 + 2 sum_o c_o seed[k][o] t,
 * s1bar += sum_k abar t, cbar_o = sum_k seed[k][o] t^2. top: there is no abar yet. */
typedef struct DevBack {
    DevReal *bar;
    const DevReal *t, *s1, *c, *seed;
    DevReal *s1bar, *cbar;
    int64_t points, rows, h, outputs;
    int64_t t_point, seed_point, output; /* output: from one to the next in c and cbar */
    int32_t top;
} DevBack;

/* rbar[k][h] (+)= sum_b row, each[b][k][h] = row (either may be NULL), row = tbar[b][k][h] (k < rows2) + sum_o
 * seed[b][k][o] g[o][b][h] */
typedef struct DevRowsJoin {
    DevReal *rbar, *each; /* each: of directions that are a point's own, or of all */
    const DevReal *tbar, *g, *seed;
    int64_t points, rows, rows2, h, outputs;
    int64_t t_point, seed_point, g_output, each_point;
    int32_t add;
} DevRowsJoin;

/* to[b][h * step] = from[b][h], added to what is there with keep */
typedef struct DevPut {
    DevReal *to;
    const DevReal *from;
    int64_t points, h, step, to_point, from_point;
    int32_t keep;
} DevPut;

/* zbar = abar s[1] + sum over m = 1 .. top of sbar[m] s[m + 1] */
typedef struct DevValueBack {
    const DevReal *abar;
    const DevReal *s[6], *sbar[5];
    DevReal *zbar;
    int64_t n;
    int32_t top;
} DevValueBack;

/* to[h * step] += sum over rows of from[row][h] */
typedef struct DevColumns {
    DevReal *to;
    const DevReal *from;
    int64_t rows, h, step;
} DevColumns;

/* Taylor rows of all orders: z and a are [points][order][rows][h]. Reverse: bar in place. */
typedef struct DevTaylor {
    const DevReal *z;
    DevReal *a, *bar;
    const DevReal *s[5];
    DevReal *sbar[5];
    int64_t points, rows, h;
    int32_t order;
} DevTaylor;

/* t[b][order][rows][h]: r in order 1, zero above */
typedef struct DevTaylorStart {
    DevReal *t;
    const DevReal *r;
    int64_t points, rows, h, r_point;
    int32_t order;
} DevTaylorStart;

/* ---------------------------------------------------------------------------------------- Gram */

typedef struct DevCholesky {
    const DevReal *gram; /* [h][h] */
    double *work;        /* [2][h][h]: the factor, then scratch of DevSolve */
    DevReal *factor;     /* [h][h], upper triangular */
    int64_t h;
} DevCholesky;

typedef struct DevSolve {
    const DevReal *rbar; /* [h][h] */
    double *work;
    DevReal *bar; /* factor^-1 rbar */
    int64_t h;
} DevSolve;

#endif
