/* walk.h: paths of the process that carries the error of a trained solution (compiler/terms/process.h), many at a
 * time, in double. A path starts at a point and runs to the boundary or to the end of time where data are given;
 * on the way it adds up the residual. Its number
 *     z = D e(end) - integral of D r,   D = exp(integral of c)
 * has the error of the solution at the point as its mean. Same numbers for any number of threads. */
#ifndef PDE_RUNTIME_ERROR_WALK_H
#define PDE_RUNTIME_ERROR_WALK_H

#include "measure/report_values.h"

#include <signal.h>

typedef struct Walk Walk;

/* What was seen on all paths so far. */
typedef struct WalkFacts {
    double rate_most;      /* largest c, divided as the class asks */
    double variance_least; /* least (sigma sigma')_kk on a path */
    double weight_most;    /* largest D */
    bool both_signs;       /* a was not of one sign */
    bool drifts;           /* some b was not 0 */
    int64_t steps, paths;  /* steps of all paths; paths that are done */
    int64_t lost;          /* paths that found no end, or left the numbers */
    int64_t outside;       /* paths that began outside the domain */
    double walked;         /* mean time of a path on its way */
    /* How the coefficients change with the solution, means over all steps: the largest relative change of a
     * diffusion, and (db/dp) over sigma sigma'. 0 where the equation is linear. */
    double bend_diagonal, bend_slope;
} WalkFacts;

enum {
    WALK_PATHS = 512, /* walked together, at most */
    WALK_PAIRS = 16,
    WALK_BLOCK = 2 * WALK_PAIRS, /* paths of a block: 16, and their mirror images */
    WALK_SLOTS = WALK_PATHS / WALK_BLOCK
};

/* NULL, and why, if there is no process. */
const char *walk_refusal(const Problem *problem);
/* theta and output_scale: the network; the session is opened here, on all terms. The problem must have been opened
 * in double. */
Status walk_open(const Problem *problem, const Settings *settings, const double *theta,
                 const double *output_scale, Walk **walk, Error *error);
void walk_close(Walk *walk);

/* Blocks of WALK_BLOCK paths; those of block k start at start(context, k), n_in numbers. Path 16 + l of a block has
 * the increments of path l with the other sign. */
typedef const double *WalkStart(const void *context, int64_t block);
/* What the linearisation leaves out of a path's number, by how c and b change with the solution. e on the way is what
 * the rest of the path says of it, so that its square is larger in the mean by the variance of that. */
typedef struct WalkSecond {
    double part;  /* half of the integral of D (dc/du) e^2: z lacks it with the other sign */
    double most;  /* the same of |dc/du| */
    double drift; /* integral of D |sigma^-1 db/du|^2 e^2 */
    double
        beyond; /* half of the integral of D |c(v + s) - c(v) - s dc/du| e^2 / s; 0 without a shift s */
} WalkSecond;
/* Of a path's first step, along one coordinate. */
typedef struct WalkFirst {
    double score;     /* how the logarithm of its density changes with the start; NaN: not known */
    double deviation; /* standard deviation of the step */
} WalkFirst;
typedef struct WalkRun {
    int64_t blocks;
    int64_t streams;    /* block k has the random numbers of block k mod streams; 0: of its own */
    int64_t coordinate; /* that first is about, 0 .. d - 1 */
    WalkFirst *first;   /* [blocks][WALK_BLOCK]; NULL: not wanted */
    WalkStart *start;
    const void *context;
    uint64_t seed;
    int steps;    /* of a path through all of time */
    double shift; /* of the solution, at which c and b are looked at besides; 0: not */
    bool
        coarse; /* steps of twice the time, each with the sum of two increments of the finer run; where paths
                    end at a boundary, steps are twice as long but have increments of their own */
    double
        seconds_most; /* given up if it takes longer, or the first turns say that it would; 0: never */
    const volatile sig_atomic_t *stop; /* not 0: paths are given up; NULL: they never are */
} WalkRun;
/* z[blocks][WALK_BLOCK] as above, NaN where a path was lost; second: as many, NULL: not wanted. False: it was stopped,
 * or given up. */
bool walk_run(Walk *walk, const WalkRun *run, double *z, WalkSecond *second);

/* The solution at up to walk_paths points, as it is scored, and the exact one (NaN: not known). */
void walk_values(Walk *walk, const double *const *point, int64_t count, double *value,
                 double *exact);
/* What the reports ask for, of the trained network: PLAN_TASKS_MAX at most; how many. */
int walk_asked(Walk *walk, AskedValue *value);
/* Test points number first, first + 1, ...: to[count][n_in], at most walk_paths. */
void walk_test_points(Walk *walk, int64_t first, int64_t count, double *to);
const WalkFacts *walk_facts(const Walk *walk);
const Problem *walk_problem(const Walk *walk);
int64_t walk_paths(const Walk *walk);  /* that are walked together */
int64_t walk_inputs(const Walk *walk); /* numbers of a point: coordinates and time */

#endif
