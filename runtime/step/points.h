/* points.h: the random points of a task, drawn by counter into the engine's layout, and the point
 * programs that run on them. */
#ifndef PDE_RUNTIME_STEP_POINTS_H
#define PDE_RUNTIME_STEP_POINTS_H

#include "engine/stream.h"
#include "load/problem_open.h"
#include "engine/lattice.h"

/* A group's own program after its points are there: called on a worker thread. */
typedef void GroupProgram(void *context, int64_t group, const PdePointArgs *args);

typedef struct Points Points;

typedef struct PointsConfig {
    const Problem *problem;
    PdeEngine *engine;
    PlanTaskKind kind;
    StreamRole role;
    int task; /* for the streams */
    Points *
        same; /* these points are those of another condition of this kind on these faces; NULL: its own */
    int64_t points;
    int64_t slices; /* points along paths of so many (paths.h); 0: independent points */
    bool lattice;   /* quasi-random numbers where lattice.h has them */
    int64_t
        times; /* points of a constraint: so many sets at one time each, in two independent halves; 0: others */
    void *inputs; /* real[groups][inputs][PDE_LANES], the caller's: what the network sees */
    void *x;      /* real[groups][n_in][PDE_LANES]: NULL for inputs, or own memory with features */
    const void *unknown;  /* real[], the caller's, or NULL */
    PointKernel *program; /* or NULL */
    int scalars;          /* that the program writes */
    GroupProgram *more;   /* or NULL */
    void *context;
} PointsConfig;

/* owner of own_x, aux, normal, spare, scalar, partial, keep, but with c.same of scalar only; release with points_free. */
struct Points {
    PointsConfig c;
    int64_t groups;
    Lattice lattice;
    /* rows of the plan's samples, -1: the domain's own law */
    int space_sample[PLAN_SPACES_MAX], time_sample;
    int aux_sample[PLAN_AUX_MAX];
    void *own_x;
    void *aux;                          /* real[groups][aux_rows][PDE_LANES] */
    void *normal;                       /* real[groups][d][PDE_LANES], boundary tasks */
    void *scalar;                       /* real[groups][scalars][PDE_LANES] */
    double *partial;                    /* [groups][chunks][PDE_LANES]: sums of squares */
    int64_t chunk[PLAN_SPACES_MAX + 1]; /* of space k: chunk[k] .. chunk[k + 1] */
    int64_t chunks;                     /* of all spaces */
    int bounded, on[PLAN_SPACES_MAX];   /* boundary tasks: the spaces that have a boundary */
    void *spare;  /* real[groups][d][PDE_LANES]: on a boundary of several domains, points inside */
    double share; /* of the points of a domain with `where` that belong to it; 0: it has none */
    void *
        accepted; /* real[groups][rows][PDE_LANES]: points that belong to the domain, while others are drawn again */
    double *
        keep; /* [slices]: correlation of a path's standard numbers with those of the slice before */
    bool
        widest_first; /* the law narrows in time: paths begin at the last time, which is no slice */
    uint64_t seed;
    uint32_t step, first; /* of the draw that is going on */
    bool drawn; /* they are still the points of that draw: nobody has put others in their place */
    int64_t shared;  /* its first group whose numbers all threads make together */
    int64_t late;    /* its first group whose program comes later */
    int64_t mine[2]; /* the groups whose programs this rank runs */
};

Status points_create(const PointsConfig *config, Points *points, Error *error);
void points_free(Points *points);

/* Points number first, first + 1, ... of step `step`; then the programs. Where another condition's points are these,
 * they are drawn only if that one does not have them already. */
void points_draw(Points *points, uint64_t seed, uint32_t step, uint32_t first);
/* The same, but programs of some groups are done by the end of the engine's next region only. */
void points_draw_ahead(Points *points, uint64_t seed, uint32_t step, uint32_t first);
/* All of a group but its programs; `numbers`: from the standard numbers on. */
void points_draw_group(Points *points, int64_t group, bool numbers);
/* accept.c: a group, every point of which belongs to a domain with `where`; refuses one to which so few points belong
 * that none would be found in time. */
void accept_draw(Points *points, int64_t group);
Status accept_check(Points *points, Error *error);
/* Only the programs: the caller has filled x itself. */
void points_run_programs(Points *points);

/* Whether a space's directions are normalised normals: in the ball, in the annulus, by a radial law. */
bool points_are_round(const Points *points, int space);
/* The law of a space that is not its domain's own; -1: its own, or a boundary that it alone has. */
int points_law(const Points *points, int space);
/* At which end of which coordinate of the space (from 0, -1: any or none) a boundary point lies; SIDE_both: anywhere. */
PlanSide points_side(const Points *points, int space, uint32_t point, int64_t *coordinate);
/* On the boundary of which space a point lies: of several domains, a random one. */
int points_boundary_space(const Points *points, uint32_t point);

/* The uniform number of one point (its row number among all points of the draw) for the time, or for a space. */
double points_uniform(const Points *points, StreamUse use, int space, uint32_t point);

/* Points of a constraint: the half that a point of the draw belongs to, from 0; half h is of set h / 2. */
int64_t points_half(const Points *points, int64_t point);
int64_t points_half_size(const PointsConfig *config); /* of all but the last, which may be larger */

/* What kernels see of a group. */
PdePointArgs points_args(const Points *points, int64_t group);
const void *points_scalars(const Points *points, int64_t group);
const void *points_x(const Points *points, int64_t group);      /* coordinates and time */
const void *points_inputs(const Points *points, int64_t group); /* the same without features */
const void *points_aux(const Points *points, int64_t group);
const void *points_normal(const Points *points, int64_t group);
/* Coordinate i (time is the last) of one point; input i of the network at it. */
double points_coordinate(const Points *points, int64_t point, int64_t i);
double points_input(const Points *points, int64_t point, int64_t i);
/* For points that are not drawn: then points_run_programs. */
void points_set_coordinate(Points *points, int64_t point, int64_t i, double value);

#endif
