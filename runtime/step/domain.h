/* domain.h: what the runtime must know of a domain: one row of operations for each row of domain.def. The rows are in
 * domain/, a file for each domain or kind of domain. */
#ifndef PDE_RUNTIME_STEP_DOMAIN_H
#define PDE_RUNTIME_STEP_DOMAIN_H

#include "step/points.h"

/* One path of an error bar (error/walk.h) at one moment, in a group of PDE_LANES: entry i is at [i * PDE_LANES]. */
typedef struct PathState {
    double *x;
    const double *drift;    /* of the process, per unit of its own time */
    const double *variance; /* (sigma sigma')_kk, all parts together */
} PathState;

enum { PART_LOW, PART_HIGH };

/* A part of a boundary: an end of a coordinate, or a sphere (coordinate 0; PART_LOW: the inner one). */
typedef struct DomainPart {
    double gap; /* to it; negative: how far outside */
    int64_t coordinate;
    int side;
} DomainPart;

/* Where paths leave a domain; error/exit.h says what for. Paths end at a part of the boundary, or are reflected there:
 * Space.reflects. */
typedef struct DomainExit {
    /* A number that falls to 0 at the boundary, of size 1 far from it. */
    double (*gap)(const Space *x, const PathState *p);
    /* The part where paths end that is nearest by that number; infinite: there is none. */
    DomainPart (*nearest)(const Space *x, const PathState *p);
    /* To the boundary; a length of the domain. */
    double (*distance)(const Space *x, const PathState *p, double *length);
    /* The longest step that is hardly likely to cross the boundary where paths end, `longer` times as long;
     * independent: the noise of the coordinates. */
    double (*step)(const Space *x, const PathState *p, double longer, bool independent);
    /* Moves the path onto a part of the boundary, a trifle inside; NULL: into the domain, where it is outside. */
    void (*to_boundary)(const Space *x, const PathState *p, const DomainPart *part);
    /* A lower bound of the first eigenvalue of -half * Laplacian, 0 where paths end. */
    double (*eigenvalue)(const Space *x, double half);
    /* The longest time in which the drift of a curved domain's radius moves by `size`; HUGE_VAL: faces are flat. NULL:
     * how paths are reflected is not known. */
    double (*free_step)(const Space *x, const PathState *p, double size);
    /* Reflects a path that is outside where the boundary does that, and says how far it was, and past which part by
     * most; 0: it is inside. touch and normal, in the path's lane: the boundary point and the outward normal there;
     * they come as the path's own place and 0. NULL: as above. */
    double (*reflect)(const Space *x, const PathState *p, double *touch, double *normal,
                      DomainPart *most);
} DomainExit;

typedef struct DomainOps {
    /* Points begin as standard normals, whose squares points.c sums, and get a radius; else as uniform numbers. */
    bool round;
    /* The uniform law (or, where it is round, the radial one): the space's rows x of a group. NULL: the problem must
     * give a law. */
    void (*inside)(const Points *p, int space, int64_t group, void *x);
    /* The uniform law on the boundary: rows x of a group and its normals. NULL: there is no boundary. */
    void (*boundary)(const Points *p, int space, int64_t group, void *x);
    /* A point that was moved comes back into the domain; `square` is the space's |x|^2. */
    void (*project)(Points *p, int space, int64_t point, double square);
    double (*centre)(const Space *x); /* every coordinate of the centre */
    /* How far the domain reaches through its centre: along x_1, or where all coordinates are the same. */
    void (*reach)(const Space *x, bool diagonal, double range[2]);
    const DomainExit *exit; /* NULL: there is no boundary */
    /* A path comes back into a domain that is periodic. NULL: it is not. */
    void (*wrap)(const Space *x, const PathState *p);
} DomainOps;

/* A boundary point that is kept by chance is proposed so often at the most; the chance is 0.57 or more. */
enum { DOMAIN_TRIES = 64 };

const DomainOps *domain_of(const Space *x);
/* Is there a part of the boundary where paths end, or are reflected? */
bool domain_ends(const Space *x);
bool domain_reflects(const Space *x);

#endif
