/* walk_state.h: what the files of a walk share: the paths that are on their way, in groups of PDE_LANES, and the
 * coefficients of the process at the points where they are. */
#ifndef PDE_RUNTIME_ERROR_WALK_STATE_H
#define PDE_RUNTIME_ERROR_WALK_STATE_H

#include "error/walk.h"
#include "measure/evaluate.h"

enum { WALK_GROUPS = WALK_PATHS / PDE_LANES, STEPS_MOST = 4096, EDGE_NONE = -1 };

/* Sums over the steps of a path of g, g I and g I^2, with I the integral so far: (z + I) / D is what the rest of the
 * path says of the error, and z is known at its end. */
typedef struct Moments {
    double sum[3];
} Moments;

typedef struct Path {
    int64_t number;    /* where its results go; -1: the lane is free */
    uint32_t steps;    /* turns that it has taken */
    double time, left; /* present time; time that is left, infinite without time */
    double weight, integral;
    double before; /* length of the step that led here */
    double walked; /* sum of all steps */
    double shell;  /* gap at which it has arrived */
    double
        overshoot; /* how far the last step went past a boundary that reflects it; 0: it did not */
    double end_value; /* error at its end */
    WalkFirst first;
    int met;               /* edge that reflected it, where it overshot */
    int end;               /* edge where it ended; EDGE_NONE: on its way */
    bool arrived, settled; /* at its end; with end_value */
    bool done, lost;
    /* Here: dc/du, |sigma^-1 db/du|^2, and what a shift by s changes in c besides, over s. */
    double bend_rate, bend_drift, bend_beyond;
    Moments part, most, drift, beyond; /* for WalkSecond */
} Path;

/* Rows of one group or one worker. */
typedef struct Rows {
    double *noise, *variance, *scaled, *second; /* [d][PDE_LANES] each */
} Rows;

struct Walk {
    const Problem *q;
    Session s;
    Route *route;
    double *slope;       /* [groups in use][inputs][PDE_LANES] */
    double *n;           /* [WALK_PATHS]: the network's value, in lanes */
    double *coefficient; /* [groups][rows][PDE_LANES] */
    double *factor;      /* [d][d]: lower Cholesky factor of the constant matrix, or NULL */
    double factor_sign;  /* of that matrix in the equation as written */
    int64_t rows;        /* of coefficient */
    double sign;         /* of a in the equation as written */
    Path path[WALK_PATHS];
    double *touch,
        *touch_normal; /* [groups][n_in][PDE_LANES], [groups][d][PDE_LANES]: where paths are reflected */
    double *edge_n, *edge_slope; /* as n and slope, at ends and reflections */
    WalkRun run;
    double shift[PDE_LANES];   /* of that run */
    uint32_t turn, first_turn; /* counts evaluations; of this run */
    bool refills;              /* free lanes get a new pair of paths at once (walk.c) */
    int64_t block[WALK_SLOTS]; /* that is walking in each slot, unless lanes refill */
    uint32_t step[WALK_SLOTS]; /* of its paths, likewise */
    Rows *worker;
    int workers;
    int64_t slots; /* in use: WALK_SLOTS, fewer where a path takes much memory */
    PdeTaskSpec spec;
    double *keep; /* where the evaluation that is going on puts the network's values */
    WalkFacts facts, group_facts[WALK_GROUPS];
    Evaluation e; /* of the same points */
};

/* One group's coefficients, by rows of PDE_LANES numbers. */
typedef struct Coefficients {
    double *drift, *diagonal, *vector[PLAN_RANKS_MAX], *scale, *tau, *rate, *strength;
    double *bend_drift, *bend_diagonal, *bend_slope, *bend_rate; /* NULL: the equation is linear */
    double *drift_less, *rate_less, *rate_more;                  /* likewise */
} Coefficients;

static inline int64_t walk_paths_of(const Walk *w) {
    return w->slots * WALK_BLOCK;
}
static inline int64_t walk_groups_of(const Walk *w) {
    return walk_paths_of(w) / PDE_LANES;
}
/* Where paths leave a domain, each at a time of its own, random numbers belong to a slot and a turn, so that lanes may
 * hold paths of several blocks; else to a block and a step, which other runs share. */
static inline uint32_t walk_stream(const Walk *w, int64_t slot) {
    if (w->refills)
        return w->turn - w->first_turn;
    return (uint32_t)(w->run.streams ? w->block[slot] % w->run.streams : w->block[slot]);
}
static inline uint32_t walk_step(const Walk *w, int64_t slot) {
    return w->refills ? (uint32_t)slot : w->step[slot];
}
static inline double *walk_x(const Walk *w, int64_t group) {
    return (double *)w->s.task[0].points.c.x + group * w->q->n_in * PDE_LANES;
}

/* coefficients.c */
int64_t coefficients_rows(const Problem *q);
Coefficients coefficients_of(const Walk *w, int64_t group);
/* What all coefficients and the residual are divided by. */
double coefficients_divisor(const Walk *w, const Coefficients *c, int lane);
/* Residuals and coefficients where the paths are. */
void coefficients_make(Walk *w);
/* The sign of a, from the whole batch. */
void coefficients_sign(Walk *w);
/* (sigma sigma')_kk of a group's paths, all parts, [d][PDE_LANES]; good, of each lane: no part is negative. */
void coefficients_variance(const Walk *w, const Coefficients *c, const double *divisor, double *to,
                           bool *good);
/* Notes what the paths of a group see that walk. */
void coefficients_look(Walk *w, int64_t group, const Coefficients *c, const bool *walks,
                       const double *divisor, const double *variance);

/* noise.c: sigma times standard numbers of a group, into rows->scaled. */
void noise_make(Walk *w, Rows *rows, const Coefficients *c, int64_t group, const double *divisor);

/* edges.c: errors at the ends of paths, and what reflections add. */
void edges_settle(Walk *w);
int edges_find(const Walk *w, PlanTaskKind where);

#endif
